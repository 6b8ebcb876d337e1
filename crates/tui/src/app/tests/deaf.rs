//! Keys that were meant for something else never answer a question.

use pilothouse_core::{checkpoint::Answer, risk::Risk};

use super::*;

/// A small generator with a fixed seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

fn command(desk: &mut Desk) {
    desk.press("run cargo add governor<enter>").deliver();
    if !desk.thinking.is_empty() {
        desk.reply("", &[("run", r#"{"command":"cargo add governor"}"#)]);
    }
    desk.collect();
    desk.draw();
}

#[test]
fn keys_held_while_a_question_appears_never_answer_it() {
    let (mut checked, mut violations) = (0, 0);
    for seed in 0..200 {
        let mut dice = Dice(seed);
        let mut desk = Desk::new(120, 40).with_plan();
        // Where the hand is when the question comes, and the key that it holds down.
        let focus = [Focus::Composer, Focus::Plan, Focus::Diff][usize::try_from(dice.roll(3)).unwrap()];
        desk.app.focus = focus;
        let held =
            ["y", "n", "<enter>", "a", "s", "r", "q", "1", "p", "e"][usize::try_from(dice.roll(10)).unwrap()];
        desk.app.composer.draft.set(Saved::default());
        desk.inputs.clear();
        // Not drawn yet: a key that came now cannot be meant for it.
        let before = desk.now;
        desk.wait(dice.roll(40));
        for _ in 0..dice.roll(8) {
            desk.app.key(key_of(held), before);
            desk.collect();
        }
        desk.app.composer.draft.set(Saved::default());
        desk.app.focus = focus;
        desk.draw();
        let drawn = desk.now;
        while desk.now < drawn + Duration::from_millis(299) {
            desk.app.focus = focus;
            desk.app.key(key_of(held), desk.now);
            desk.collect();
            desk.wait(1 + dice.roll(60));
            desk.now = desk.now.min(drawn + Duration::from_millis(299));
            if desk.now == drawn + Duration::from_millis(299) {
                break;
            }
        }
        checked += 1;
        violations += desk
            .inputs
            .iter()
            .filter(|i| match i {
                Input::Answer { .. } => true,
                // Words that would be read as an answer are one as well.
                Input::Say { text, .. } => {
                    desk.state().phase_question().is_some_and(|q| q.kind.read(text).is_some())
                }
                _ => false,
            })
            .count();
    }
    println!("checked={checked} violations={violations}");
    assert_eq!((checked, violations), (200, 0));
}

fn key_of(name: &str) -> KeyEvent {
    key(name.trim_matches(['<', '>']))
}

#[test]
fn a_question_never_takes_the_focus_or_the_draft() {
    let mut desk = Desk::new(120, 40);
    desk.press("add rate limiting to the login endpoint<enter>").deliver().press("half a tho");
    let plan = r#"{"title":"T","tasks":[{"title":"a"}]}"#;
    desk.reply("", &[("submit_plan", plan)]);
    desk.draw();
    desk.wait(1_000).press("ught y");
    assert_eq!(desk.app.focus, Focus::Composer);
    assert_eq!(desk.app.composer.draft.shown(), "half a thought y");
    assert_eq!(desk.inputs, []);
}

#[test]
fn the_letters_in_the_plan_answer_once_the_question_has_stood() {
    let mut desk = Desk::new(120, 40).with_plan();
    let id = desk.state().phase_question().unwrap().id;
    desk.draw();
    desk.press("<ctrl-t>y");
    assert_eq!(desk.inputs, []);
    assert!(desk.text().contains("pressed before this stood here"));
    desk.wait(400).press("e");
    assert_eq!(desk.app.focus, Focus::Composer);
    desk.press("<ctrl-t>y");
    let approve = Input::Answer { checkpoint: id, answer: Answer::Approve, shown: None };
    // The pane's own action answers; without it the letter does.
    assert!(desk.inputs.is_empty() || desk.inputs == [approve]);
}

#[test]
fn a_command_is_allowed_in_the_list_only_after_it_stood_there() {
    let mut desk = Desk::new(120, 40);
    command(&mut desk);
    let Some((id, risk)) = desk.state().open.values().find_map(|c| match &c.kind {
        pilothouse_core::checkpoint::CheckpointKind::Risk { risk, .. } => Some((c.id, *risk)),
        _ => None,
    }) else {
        panic!("no command waits: {:?}", desk.state().open)
    };
    desk.press("y");
    assert_eq!(desk.app.composer.draft.shown(), "y", "the list opens only on its own key");
    desk.press("<ctrl-x>a");
    assert!(desk.text().contains("cargo add governor"));
    desk.wait(100).press("y");
    assert_eq!(desk.inputs, []);
    desk.wait(800).press("y");
    if risk == Risk::High {
        desk.press("proceed<enter>");
    }
    let answered = desk
        .inputs
        .iter()
        .any(|i| matches!(i, Input::Answer { checkpoint, shown: Some(_), .. } if *checkpoint == id));
    assert!(answered, "{:?}", desk.inputs);
}

#[test]
fn a_denial_takes_a_reason_with_it() {
    let mut desk = Desk::new(120, 40);
    command(&mut desk);
    desk.press("<ctrl-x>a");
    desk.wait(400).press("nnot on a friday<enter>");
    let said = desk
        .inputs
        .iter()
        .any(|i| matches!(i, Input::Answer { answer: Answer::Reject(why), .. } if why == "not on a friday"));
    assert!(said, "{:?}", desk.inputs);
}
