//! Every state on screens that are poorer than those of which frames are kept.

use super::*;

/// Smaller than what frames are kept of, one of them in one direction only.
const SMALL: [(u16, u16); 7] = [(60, 10), (20, 6), (120, 7), (80, 8), (6, 40), (1, 30), (1, 1)];

fn scene(name: &str) -> fn(u16, u16) -> Desk {
    scenes::ALL.iter().find(|(scene, _)| *scene == name).unwrap().1
}

/// The terminal shows only ASCII from here on.
pub(super) fn in_ascii(desk: &mut Desk) {
    desk.app.looks.look.ascii = true;
    desk.app.looks.glyphs = Glyphs::ASCII;
    desk.app.keying.keymap = std::mem::take(&mut desk.app.keying.keymap).in_ascii();
}

fn sized(desk: &mut Desk, (width, height): (u16, u16)) -> Vec<String> {
    desk.size = Rect::new(0, 0, width, height);
    rows(&desk.draw().0)
}

#[test]
fn every_state_is_drawn_on_a_screen_that_became_small() {
    for (_, scene) in scenes::ALL {
        let mut desk = scene(100, 30);
        for size in SMALL {
            sized(&mut desk, size);
        }
    }
}

#[test]
fn every_state_is_drawn_in_ascii_where_nothing_else_can_be_shown() {
    let mut odd = Vec::new();
    for (name, scene) in scenes::ALL {
        for size in [(100, 30), (60, 20)] {
            let mut desk = scene(100, 30);
            in_ascii(&mut desk);
            for row in sized(&mut desk, size).into_iter().filter(|row| !row.is_ascii()) {
                odd.push(format!("{name} {size:?}: {row}"));
            }
        }
    }
    assert!(odd.is_empty(), "{}", odd.join("\n"));
}

#[test]
fn keys_have_their_ascii_names_wherever_they_are_told() {
    let mut desk = Desk::new(60, 20);
    desk.app.take_keymap("[anywhere]\nquit = [\"ctrl-up q\"]\n");
    in_ascii(&mut desk);
    desk.press("<ctrl-up>").wait(1_000);
    let text = desk.text();
    assert!(text.contains("Ctrl-Up  ...  Esc cancels"), "{text}");
    desk.press("<down>");
    assert!(desk.text().contains("Ctrl-Up Down is not bound"), "{}", desk.text());
    let text = scene("command")(60, 20).text();
    assert!(text.contains("→ edits it"), "{text}");
    let mut desk = scene("command")(60, 20);
    in_ascii(&mut desk);
    assert!(desk.text().contains("Right edits it"), "{}", desk.text());
}

#[test]
fn the_chosen_run_is_on_the_screen_however_small_that_is() {
    for size in [(20, 6), (40, 6), (60, 7), (80, 8), (120, 7), (120, 8), (80, 24), (60, 20)] {
        let name = |run: &RunRow| run.title().chars().take(6).collect::<String>();
        for (begun, way) in [("runs", "k"), ("runs-earlier", "kkkk"), ("runs-found", "")] {
            let mut desk = scene(begun)(100, 30);
            desk.press(way);
            let all = if begun == "runs-found" { vec![3, 5] } else { (0..desk.app.runs.len()).collect() };
            for n in all {
                let wanted = name(&desk.app.runs[n]);
                let there = |rows: &[String]| rows.iter().any(|row| row.contains(&wanted));
                let shown = sized(&mut desk, size);
                assert!(there(&shown), "{begun} {size:?} {n} {wanted}\n{}", shown.join("\n"));
                sized(&mut desk, (100, 30));
                desk.press("j");
            }
        }
    }
}
