use super::*;

#[test]
fn every_list_is_in_the_file_and_every_line_is_a_list() {
    let source = include_str!("../../../../assets/intent/words.txt");
    let names: Vec<&str> = source
        .lines()
        .filter(|l| !l.starts_with('#') && !l.is_empty())
        .filter_map(|l| l.split_once(": ").map(|(name, _)| name))
        .collect();
    let known: Vec<&str> = List::ALL.iter().map(|l| l.name()).collect();
    assert_eq!(names, known);
    let words = Words::parse(source, &[]);
    for list in List::ALL {
        let first = words.list(*list).first().map(AsRef::as_ref).unwrap_or_default();
        assert!(words.has(*list, first), "{}: one bit a list", list.name());
    }
}
