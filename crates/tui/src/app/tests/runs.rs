//! The list of runs as it is drawn.

use ratatui::style::Color;

use super::*;
use crate::theme::{Depth, Slot, tests::contrast};

/// The row that holds this, and the column at which `part` of it ends.
fn ends(text: &str, holds: &str, part: &str) -> usize {
    let row = text.lines().find(|row| row.contains(holds)).unwrap_or_else(|| panic!("{holds} in\n{text}"));
    let at = row.rfind(part).unwrap_or_else(|| panic!("{part} in {row}"));
    row[..at].chars().count() + part.len()
}

fn earlier(width: u16, height: u16) -> Desk {
    let mut desk = golden::scenes::runs::earlier(Desk::new(width, height));
    desk.press("<ctrl-x>r");
    desk
}

#[test]
fn the_age_of_a_session_of_before_stands_below_that_of_the_others() {
    for (width, height) in [(60, 20), (80, 24), (100, 30), (160, 45)] {
        let text = earlier(width, height).text();
        let begins = |holds: &str, part: &str| ends(&text, holds, part) - part.len();
        let above = begins("where is a login", "4s");
        assert_eq!(begins("Why are there two", "2d"), above, "{text}");
        if width >= 100 {
            assert_eq!(begins("  state", "quiet"), above, "{text}");
            assert_eq!(begins("  state", "spend"), begins("Why are there two", "$"), "{text}");
        }
    }
}

#[test]
fn the_footer_names_the_key_that_renames_wherever_it_does() {
    let mut desk = earlier(160, 45);
    for _ in 0..5 {
        assert!(desk.text().contains("r rename"), "{}", desk.text());
        desk.press("j");
    }
}

#[test]
fn all_that_stands_on_the_chosen_row_can_be_read_in_every_theme() {
    let mut desk = golden::scenes::runs::fleet(Desk::new(100, 30));
    desk.press("<ctrl-x>r");
    for name in Theme::names() {
        let depths = [Depth::TrueColor, Depth::Indexed];
        for (dark, depth) in [true, false].into_iter().flat_map(|dark| depths.map(|d| (dark, d))) {
            let theme = Theme::parse(Theme::source(name).unwrap(), dark, depth).unwrap();
            let (select, strong) =
                (theme.fill(Slot::Select).bg.unwrap(), theme.style(Slot::Strong).fg.unwrap());
            desk.app.looks.theme = theme;
            let mut seen = 0;
            for row in 0..8 {
                let (buf, _) = desk.draw();
                for cell in buf.content.iter().filter(|c| c.bg == select && !c.symbol().trim().is_empty()) {
                    let ink = if cell.fg == Color::Reset { strong } else { cell.fg };
                    let c = contrast(ink, select);
                    assert!(c >= 4.5, "{name} dark={dark} {depth:?} row {row}: {cell:?} has {c:.1}:1");
                    seen += 1;
                }
                desk.press("j");
            }
            assert!(seen > 200, "{seen}");
            desk.press("kkkkkkkk");
        }
    }
}
