use super::*;

#[test]
fn a_full_index_keeps_what_it_knows_and_tells_what_it_leaves_out() {
    let dir = tempfile::tempdir().unwrap();
    let work = dir.path().join("work");
    std::fs::create_dir_all(&work).unwrap();
    let put = |name: &str| {
        std::fs::write(work.join(name), format!("fn {}() {{}}\n", name.split_once('.').unwrap().0)).unwrap();
    };
    ["pier5.rs", "pier6.rs"].into_iter().for_each(put);
    let mut index = Index::open(&work, &dir.path().join("kept"), None, Redactor::default()).unwrap();
    index.most = 3;
    index.refresh(&|_| true, &()).unwrap();
    ["pier1.rs", "pier2.rs", "pier3.rs"].into_iter().for_each(put);
    index.refresh(&|_| true, &()).unwrap();
    let state = |name: &str| index.holds(&RelPath::new(name).unwrap());
    assert_eq!(
        ["pier1.rs", "pier2.rs", "pier3.rs", "pier5.rs", "pier6.rs"].map(|n| state(n).is_some()),
        [true, false, false, true, true]
    );
    let told = index.status().unwrap().skipped;
    assert_eq!(told, [("beyond the 3 that are indexed at most".to_owned(), 2)]);
}
