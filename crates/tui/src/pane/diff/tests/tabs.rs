//! Lines that differ in their tabs alone do not look like each other.

use super::*;

#[test]
fn tabs_are_shown_where_two_lines_would_look_the_same() {
    let mut s = Screen::new();
    s.propose(20, "Makefile", "all:\n\tcc main.c\n", "all:\n    cc main.c\n");
    s.tell(review(30, &[20]));
    let text = s.text(70, 14).join("\n");
    let (gone, come) = (
        text.lines().find(|l| l.contains(" - ")).unwrap(),
        text.lines().find(|l| l.contains(" + ")).unwrap(),
    );
    assert!(gone.contains("→   cc main.c") && come.contains("    cc main.c"), "{text}");
    // Where the lines differ anyway a tab stays a blank.
    let mut s = Screen::new();
    s.propose(20, "Makefile", "all:\n\tcc main.c\n", "all:\n\tcc other.c\n");
    s.tell(review(30, &[20]));
    assert!(!s.text(70, 14).join("").contains('→'));
}
