//! Keys that are held down while a question appears: none of them ever answers it.

use std::collections::BTreeSet;

use super::*;

/// A small generator with a fixed seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }

    fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[usize::try_from(self.roll(of.len() as u64)).unwrap()]
    }
}

/// Every key that is bound to anything, and the letters of every word that a question takes.
fn keys() -> Vec<Vec<KeyEvent>> {
    let mut all = BTreeSet::new();
    for line in include_str!("../../../../../assets/keymap.toml").lines() {
        let value = line.split('#').next().unwrap().split_once('=').map_or("", |(_, v)| v);
        all.extend(value.split('"').skip(1).step_by(2).map(str::to_owned));
    }
    all.extend("yproceednas1234567890delete".chars().map(String::from));
    all.iter().map(|keys| keys.split(' ').map(chord).collect()).collect()
}

fn chord(name: &str) -> KeyEvent {
    let named = |code| KeyEvent::new(code, KeyModifiers::NONE);
    match name {
        "leader" => key("ctrl-x"),
        "space" => named(KeyCode::Char(' ')),
        "home" => named(KeyCode::Home),
        "end" => named(KeyCode::End),
        "delete" => named(KeyCode::Delete),
        "pgdn" => named(KeyCode::PageDown),
        "shift-tab" => named(KeyCode::BackTab),
        _ => key(name),
    }
}

pub(super) const SCENES: [&str; 12] = [
    "plan",
    "goal",
    "edited",
    "high",
    "low",
    "question",
    "transition",
    "diff",
    "removal",
    "red gate",
    "error",
    "choice",
];

/// A screen on which the scene's question is about to appear.
pub(super) fn before(scene: &str, size: (u16, u16)) -> Desk {
    let mut desk = Desk::new(size.0, size.1);
    let planned = |mut desk: Desk, kind: &str, gates: &str| {
        desk.press("fix the bug in a.txt<enter>").deliver();
        let plan = format!(r#"{{"title":"T","tasks":[{{"title":"a","kind":"{kind}"}}],"gates":[{gates}]}}"#);
        desk.reply("", &[("submit_plan", &plan)]);
        desk.draw();
        desk.wait(2_000).press("y<enter>").deliver();
        desk.wait(2_000);
        desk
    };
    match scene {
        "plan" => drop(desk.press("fix the bug in a.txt<enter>").deliver()),
        "goal" | "edited" | "high" | "low" | "error" => drop(desk.press("run the tests<enter>").deliver()),
        "question" | "transition" | "choice" => drop(desk.press("where is main?<enter>").deliver()),
        "red gate" => {
            desk = planned(desk, "modify", r#"{"name":"g","command":"make"}"#);
            desk.reply("nothing to change: it is right", &[]);
            desk.draw();
            desk.wait(2_000).press("<ctrl-x>a");
            desk.wait(2_000).press("y").deliver();
        }
        "diff" | "removal" | "noted" => {
            desk = planned(desk, "modify", "");
            let edit = r#"{"path":"a.txt","edits":[{"old":"a","new":"b"}]}"#;
            let delete = r#"{"path":"a.txt"}"#;
            desk.reply("", &[if scene == "removal" { ("delete", delete) } else { ("edit", edit) }]);
            let call = desk.tools.pop().unwrap();
            let after: &[u8] = if scene == "removal" { b"" } else { b"2\n" };
            let mut outcome = proposing(b"1\n", after);
            if scene == "noted" {
                outcome.proposals[0].notes = vec!["it is read-only".to_owned()];
            }
            desk.give(Input::ToolEnded { call, outcome });
        }
        other => panic!("{other}"),
    }
    desk.wait(2_000);
    desk
}

fn proposing(before: &[u8], after: &[u8]) -> pilothouse_core::tool::ToolOutcome {
    use pilothouse_core::{blob::Blob, diff, relpath::RelPath, tool};
    let kind = if after.is_empty() { tool::ChangeKind::Delete } else { tool::ChangeKind::Modify };
    let draft = tool::ProposalDraft {
        notes: Vec::new(),
        path: RelPath::new("a.txt").unwrap(),
        kind,
        before: Some(Blob::new(before.to_vec())),
        after: (!after.is_empty()).then(|| Blob::new(after.to_vec())),
        hunks: diff::hunks(before, after),
    };
    tool::ToolOutcome { proposals: vec![draft], ..tool::ToolOutcome::text("proposed", "1 hunk") }
}

/// The question appears.
pub(super) fn appear(desk: &mut Desk, scene: &str) {
    match scene {
        "plan" => desk.reply("", &[("submit_plan", r#"{"title":"T","tasks":[{"title":"a"}]}"#)]),
        "goal" | "edited" | "question" => desk.reply("", &[("run", r#"{"command":"make"}"#)]),
        "high" => desk.reply("", &[("run", r#"{"command":"rm -rf ~"}"#)]),
        "low" => desk.reply("", &[("run", r#"{"command":"ls"}"#)]),
        "transition" => desk.reply("", &[("edit", r#"{"path":"a.txt","edits":[{"old":"a","new":"b"}]}"#)]),
        "choice" => {
            desk.reply("", &[("ask_user", r#"{"question":"Which?","choices":["one","two","three"]}"#)]);
        }
        "error" => desk.reply("", &[]),
        "red gate" => {
            let call = desk.tools.pop().unwrap();
            let exit = pilothouse_core::tool::Exit {
                code: Some(1),
                signal: None,
                timed_out: false,
                took: Millis(1),
                process: None,
                put_back: false,
            };
            let outcome = pilothouse_core::tool::ToolOutcome {
                exit: Some(exit),
                ..pilothouse_core::tool::ToolOutcome::text("error", "exit 1")
            };
            desk.give(Input::ToolEnded { call, outcome });
        }
        _ => desk.reply("done", &[]),
    }
}

/// Gives the screen the texts that it asked for.
pub(super) fn feed(desk: &mut Desk) {
    while let Some(ask) = desk.asks.pop() {
        if let Ask::Blob(id) = ask {
            let texts = [b"1\n".to_vec(), b"2\n".to_vec()];
            let text = texts.into_iter().find(|t| BlobId::of(t) == id);
            desk.app.update(Update::Answered(0, Reply::Blob(id, text)), desk.now);
        }
    }
}

/// Whether an input answers what waits.
pub(super) fn answers(desk: &Desk, input: &Input) -> bool {
    match input {
        Input::Answer { .. }
        | Input::Apply { .. }
        | Input::Skip { .. }
        | Input::Decide { .. }
        | Input::Up => true,
        Input::Say { text, .. } => desk.state().phase_question().is_some_and(|q| q.kind.read(text).is_some()),
        _ => false,
    }
}

/// One key, held from before the question until long after it; returns how often it answered.
fn hold(seed: u64, scene: &str, keys: &[KeyEvent]) -> usize {
    let mut dice = Dice(seed);
    let size = *dice.pick(&[(120, 40), (100, 30), (80, 24), (60, 20), (40, 12)]);
    let mut desk = before(scene, size);
    desk.app.composer.draft.set(Saved::default());
    desk.app.overlays.clear();
    // Where the hand is when it comes.
    match dice.roll(6) {
        0 => desk.app.panes.focus = CONVERSATION,
        1 => desk.app.go(PLAN),
        2 => desk.app.go(DIFF),
        3 => drop(desk.press("<ctrl-x>a")),
        _ => desk.app.panes.focus = Focus::Composer,
    }
    desk.wait(1_500);
    desk.inputs.clear();
    let (prefix, held) = keys.split_at(keys.len() - 1);
    let mut count = 0;
    let mut press = |desk: &mut Desk, key: KeyEvent| {
        desk.app.key(key, desk.now);
        desk.collect();
        count += desk.inputs.iter().filter(|i| answers(desk, i)).count();
        // What is no answer happens: a message is sent, a run is stopped.
        desk.inputs.retain(|i| !matches!(i, Input::Cancel));
        let inputs = std::mem::take(&mut desk.inputs);
        for input in inputs.into_iter().filter(|i| !matches!(i, Input::Say { .. } | Input::Queue(_))) {
            desk.give(input);
        }
        feed(desk);
        desk.draw();
    };
    for key in prefix {
        press(&mut desk, *key);
    }
    // Pressed up to 600 ms before it stands there, or within the 300 ms after.
    let early = dice.roll(900);
    if early >= 300 {
        press(&mut desk, held[0]);
        desk.wait(early - 300);
    }
    appear(&mut desk, scene);
    desk.draw();
    if early < 300 {
        desk.wait(early);
        press(&mut desk, held[0]);
    }
    // The key repeats: after a while, then quickly, for as long as it is held.
    desk.wait((200 + dice.roll(460)).saturating_sub(early.saturating_sub(300)));
    for _ in 0..30 {
        press(&mut desk, held[0]);
        desk.wait(15 + dice.roll(100));
    }
    // It is let go: what was held of it acts.
    desk.app.settle_keys(desk.now + crate::standing::DEAF);
    desk.collect();
    count + desk.inputs.iter().filter(|i| answers(&desk, i)).count()
}

#[test]
fn of_two_hundred_held_keys_none_answers_the_question_that_appears() {
    let keys = keys();
    assert!(keys.len() > 80, "{}", keys.len());
    let (mut checked, mut violations) = (0, 0);
    for seed in 0..200 {
        let scene = SCENES[usize::try_from(seed).unwrap() % SCENES.len()];
        let held = &keys[(usize::try_from(seed).unwrap() * 7) % keys.len()];
        let answered = hold(seed, scene, held);
        if answered > 0 {
            println!("{scene} {held:?}: {answered}");
        }
        checked += 1;
        violations += answered;
    }
    println!("checked={checked} violations={violations}");
    assert_eq!((checked, violations), (200, 0));
}

#[test]
fn the_keys_that_answer_are_held_over_every_question() {
    let (mut checked, mut violations) = (0, 0);
    for (n, scene) in SCENES.into_iter().enumerate() {
        for (m, name) in
            ["enter", "y", "a", "A", "s", "n", "1", "r", "q", "p", "t", "w", "o", "c", "e", "d", "m"]
                .into_iter()
                .enumerate()
        {
            let answered = hold((n * 100 + m) as u64, scene, &[chord(name)]);
            if answered > 0 {
                println!("{scene} {name}: {answered}");
            }
            checked += 1;
            violations += answered;
        }
    }
    println!("checked={checked} violations={violations}");
    assert_eq!(violations, 0);
}

#[test]
fn the_same_keys_answer_when_they_are_pressed_for_it() {
    for (scene, keys) in [
        ("plan", "<enter>"),
        ("plan", "<ctrl-t>y"),
        ("goal", "<enter>"),
        ("question", "<ctrl-x>ay"),
        ("transition", "<ctrl-x>ay"),
        ("diff", "<ctrl-x>dy"),
        ("diff", "<ctrl-x>daa"),
        ("red gate", "s<enter>"),
        ("red gate", "<ctrl-x>a<enter>s<enter>"),
        ("error", "r<enter>"),
        ("choice", "1<enter>"),
    ] {
        let mut desk = before(scene, (120, 40));
        appear(&mut desk, scene);
        desk.draw();
        let mut count = 0;
        for key in keys.split_inclusive(['>']).flat_map(parts) {
            desk.wait(1_000).press(&key);
            count += desk.inputs.iter().filter(|i| answers(&desk, i)).count();
            desk.deliver();
            feed(&mut desk);
        }
        assert!(count > 0, "{scene} {keys}\n{}", desk.text());
    }
}

/// `<enter>` as one, letters one by one.
fn parts(keys: &str) -> Vec<String> {
    match keys.split_once('<') {
        None => keys.chars().map(String::from).collect(),
        Some((letters, name)) => letters.chars().map(String::from).chain([format!("<{name}")]).collect(),
    }
}

#[test]
fn what_is_known_of_a_file_stands_above_its_diff() {
    for (scene, told) in [("diff", false), ("noted", true)] {
        let mut desk = before(scene, (120, 40));
        appear(&mut desk, scene);
        desk.collect();
        desk.press("<ctrl-x>d");
        feed(&mut desk);
        desk.draw();
        assert_eq!(desk.text().contains("it is read-only"), told, "{}", desk.text());
    }
}
