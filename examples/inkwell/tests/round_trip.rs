use inkwell::{find_notes, Note, Store};

#[test]
fn what_is_added_is_found_again() {
    let path = std::env::temp_dir().join(format!("inkwell-{}.txt", std::process::id()));
    let _ = std::fs::remove_file(&path);
    let store = Store::new(&path);
    store.add(&Note::new("call the binder #work")).unwrap();
    store.add(&Note::new("buy ink")).unwrap();
    let notes = store.load().unwrap();
    assert_eq!(notes.len(), 2);
    assert_eq!(find_notes(&notes, "binder")[0].text, "call the binder #work");
    assert_eq!(store.count("ink").unwrap(), 1);
    std::fs::remove_file(&path).unwrap();
}
