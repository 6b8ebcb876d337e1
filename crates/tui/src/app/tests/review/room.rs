//! How much is shown around a change where there is little room.

use super::*;

#[test]
fn lines_around_a_change_that_were_asked_for_hold_in_little_room_too() {
    let mut bench = Bench::new(100, 14);
    bench.press("<ctrl-x>d");
    let around = |bench: &mut Bench| {
        let text = bench.desk.text();
        let row =
            |n: usize| text.lines().any(|l| l.trim_end_matches([' ', '│']).ends_with(&format!("  {n}")));
        (2..=9).filter(|n| row(*n)).count()
    };
    let header = |bench: &mut Bench| {
        let text = bench.desk.text();
        let row = text.lines().find(|l| l.contains("@@ -")).map(str::to_owned);
        row.unwrap_or(text)
    };
    let (few, first) = (around(&mut bench), header(&mut bench));
    assert!(first.contains("@@ -1,2 +1,2"), "what is said of it is what is drawn: {first}");
    bench.press("-");
    bench.press("+");
    let more = header(&mut bench);
    assert!(more.contains("@@ -1,4 +1,4") && around(&mut bench) > few, "{}", bench.desk.text());
}
