use super::*;

#[test]
fn every_list_is_in_the_file_and_every_line_is_a_list_in_the_same_order() {
    let snake = |list: &List| {
        format!("{list:?}").chars().fold(String::new(), |name, c| {
            let gap = if c.is_uppercase() && !name.is_empty() { "_" } else { "" };
            name + gap + &c.to_lowercase().to_string()
        })
    };
    let names: Vec<String> = lines().map(|(name, _)| name.to_owned()).collect();
    assert_eq!(names, List::ALL.iter().map(snake).collect::<Vec<_>>());
    let words = Words::parse(&[]);
    for list in List::ALL {
        let first = words.list(*list).first().map(AsRef::as_ref).unwrap_or_default();
        assert!(words.has(*list, first), "{}: one bit a list", list.name());
    }
}
