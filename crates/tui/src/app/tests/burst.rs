//! Bytes as the terminal sends them, with the times at which they came: what was typed before a
//! question was seen, and what was pasted, never answers it.

use super::{
    held::{SCENES, answers, appear, before, feed},
    *,
};
use crate::keys::decoder::Decoder;

/// The screen behind the decoder, as the loop has it.
struct Line {
    desk: Desk,
    decoder: Decoder,
    answered: usize,
    said: Vec<Input>,
}

impl Line {
    fn new(desk: Desk) -> Self {
        Self { desk, decoder: Decoder::default(), answered: 0, said: Vec::new() }
    }

    /// These bytes are read now; they can have come since `since` ago at the earliest.
    fn late(&mut self, bytes: &[u8], since: u64) -> &mut Self {
        let now = self.desk.now;
        self.decoder.take(bytes, now.checked_sub(Duration::from_millis(since)).unwrap(), now);
        while let Some((event, stamp)) = self.decoder.pop() {
            self.desk.app.terminal(&event, stamp);
            self.told();
        }
        feed(&mut self.desk);
        self.desk.draw();
        self
    }

    fn send(&mut self, bytes: &[u8]) -> &mut Self {
        self.late(bytes, 0)
    }

    /// Time passes; letters that were held act once it is time.
    fn wait(&mut self, ms: u64) -> &mut Self {
        self.desk.wait(ms);
        self.desk.app.settle_keys(self.desk.now);
        self.told();
        self
    }

    fn told(&mut self) {
        self.desk.collect();
        let inputs = std::mem::take(&mut self.desk.inputs);
        self.answered += inputs.iter().filter(|i| answers(&self.desk, i)).count();
        self.desk.inputs.extend(inputs.into_iter().filter(|i| !matches!(i, Input::Cancel)));
        self.said.append(&mut self.desk.inputs);
    }
}

/// Ways to answer one question or another.
const ANSWERS: [&[u8]; 8] = [b"\r", b"y", b"y\r", b"1\r", b"r\r", b"\x18ay", b"\x18da", b"\r\ry\ra"];

/// What comes later by itself.
const TRIGGERS: [&[u8]; 6] = [b"\x1b[I", b"\x1b[O", b"\x1b[5~", b"\x1b[B", b"\x1b[<0;3;4M", b"x"];

#[test]
fn what_is_typed_without_a_pause_since_before_the_question_never_answers_it() {
    let (mut checked, mut violations) = (0, 0);
    for (n, scene) in SCENES.into_iter().enumerate() {
        for (m, keys) in ANSWERS.into_iter().enumerate() {
            let mut line = Line::new(before(scene, (120, 40)));
            let gap = [40, 90, 180, 250, 299][(n + m) % 5];
            let letters = [1_022, 1_023, 1_024, 1_025, 2_048][(n * 3 + m) % 5];
            // The composer looks at its whole line for every key: long ones for some only.
            line.send("x".repeat(if m == 0 { letters } else { 9 }).as_bytes()).wait(gap);
            line.send(b"\x15");
            appear(&mut line.desk, scene);
            line.desk.draw();
            // On it goes, long after the question stands there.
            for _ in 0..1_200 / gap {
                line.wait(gap).send(b"\x15");
            }
            line.wait(gap).send(keys);
            line.wait(2_000).send(TRIGGERS[(n + m) % TRIGGERS.len()]);
            checked += 1;
            if line.answered > 0 {
                println!("{scene} {keys:?} every {gap} ms");
            }
            violations += line.answered;
        }
    }
    println!("checked={checked} violations={violations}");
    assert_eq!((checked, violations), (96, 0));
}

#[test]
fn what_is_read_late_counts_from_when_it_can_have_come() {
    for (n, scene) in SCENES.into_iter().enumerate() {
        for keys in ANSWERS {
            let mut line = Line::new(before(scene, (120, 40)));
            line.send(b"\x15").wait(1_000);
            appear(&mut line.desk, scene);
            line.desk.draw();
            // The machine slept; what it finds may be from before the question.
            line.wait(60_000).late(keys, 60_100);
            line.wait(1_000).send(TRIGGERS[n % TRIGGERS.len()]);
            assert_eq!(line.answered, 0, "{scene} {keys:?}");
        }
    }
}

#[test]
fn after_a_look_the_same_keys_answer() {
    for (scene, keys) in [("plan", "\r"), ("goal", "\r"), ("question", "\x18a|y"), ("diff", "\x18d|a|a")] {
        let mut line = Line::new(before(scene, (120, 40)));
        line.send(b"x\x15").wait(20);
        appear(&mut line.desk, scene);
        line.desk.draw();
        for part in keys.split('|') {
            line.wait(1_000).send(part.as_bytes());
        }
        line.wait(300);
        assert_eq!(line.answered, 1, "{scene}\n{}", line.desk.text());
    }
}

#[test]
fn letters_that_came_before_the_question_are_in_the_draft() {
    for scene in ["plan", "goal", "question", "transition"] {
        let mut line = Line::new(before(scene, (120, 40)));
        line.send(b"half ");
        appear(&mut line.desk, scene);
        line.desk.draw();
        line.wait(100).send(b"a thou").wait(250).send(b"ght");
        assert_eq!(line.desk.app.composer.draft.shown(), "half a thought", "{scene}");
    }
}

/// Pastes that hold their own end, none, or more than one.
const PASTES: [&str; 9] = [
    "\x1b[200~innocent\x1b[201~\ry\r\x1b[201~",
    "\x1b[200~innocent\x1b[201~\r",
    "\x1b[200~\x1b[201~\ry\ra1\r",
    "\x1b[200~a\x1b[200~b\x1b[201~\ry\r\x1b[201~\r",
    "\x1b[200~a\x1b[201~\x18ay\x18da\r\x1b[201~",
    "\x1b[200~a\x1b[201~\x1b[13u\x1b[121u\x1b[13u",
    "\x1b[200~y\r",
    "\x1b[200~a\x1b[201~\x1b[200~\r\x1b[201~\ry",
    "\x1b[200~a\x1b[201~\x15\r\x1b[201~",
];

#[test]
fn nothing_that_was_pasted_answers_what_stands_there() {
    let (mut checked, mut violations) = (0, 0);
    for (n, scene) in SCENES.into_iter().enumerate() {
        for (m, paste) in PASTES.into_iter().enumerate() {
            let bytes = paste.as_bytes();
            let cuts = [0, 1, 5, 6, bytes.len() / 2, bytes.len() - 7, bytes.len() - 1];
            for turn in 0..2 {
                let cut = cuts[(n * 2 + m + turn * 3) % cuts.len()];
                let mut line = Line::new(before(scene, (120, 40)));
                appear(&mut line.desk, scene);
                line.desk.draw();
                line.wait(3_000);
                let pause = [0, 20][cut % 2];
                line.send(&bytes[..cut]).wait(pause).send(&bytes[cut..]);
                checked += 1;
                if line.answered + line.said.len() > 0 {
                    println!("{scene} {paste:?} {cut}");
                }
                violations += line.answered + line.said.len();
            }
        }
    }
    println!("checked={checked} violations={violations}");
    assert_eq!((checked, violations), (216, 0));
}

#[test]
fn a_key_soon_after_a_paste_writes_but_does_not_answer() {
    for (pause, answered) in [(0, 0), (50, 0), (100, 0), (299, 0), (300, 1)] {
        let mut line = Line::new(before("goal", (120, 40)));
        appear(&mut line.desk, "goal");
        line.desk.draw();
        line.wait(3_000).send(b"\x1b[C").wait(500);
        line.send(b"\x1b[200~ -k\x1b[201~").wait(pause).send(b"\r");
        assert_eq!(line.answered, answered, "{pause} ms");
        let draft = line.desk.app.composer.draft.shown();
        assert!(draft.starts_with("make -k"), "{pause} ms: {draft:?}");
    }
}

#[test]
fn a_paste_and_enter_in_one_write_is_a_text_that_the_next_enter_sends() {
    let mut line = Line::new(Desk::new(120, 40));
    line.send(b"\x1b[200~hello\x1b[201~\r");
    assert_eq!((line.desk.app.composer.draft.shown().as_str(), line.said.len()), ("hello\n", 0));
    line.wait(500).send(b"\r");
    assert_eq!(line.said, [Input::say("hello\n")]);
}

#[test]
fn a_word_counts_only_from_who_saw_what_it_lets_happen() {
    let mut line = Line::new(before("high", (120, 40)));
    appear(&mut line.desk, "high");
    line.desk.draw();
    line.wait(3_000).late(b"\rproceed\r", 100);
    assert_eq!(line.answered, 0, "{}", line.desk.text());
    line.wait(1_000).send(b"\r").wait(1_000).send(b"proceed\r");
    assert_eq!(line.answered, 1, "{}", line.desk.text());
}

#[test]
fn what_could_not_be_taken_in_whole_leaves_nothing_to_answer() {
    for scene in SCENES {
        let mut line = Line::new(before(scene, (120, 40)));
        appear(&mut line.desk, scene);
        line.desk.draw();
        line.wait(3_000);
        line.desk.app.covered();
        for keys in ANSWERS.into_iter().filter(|k| !k.contains(&b'\x18')) {
            line.decoder.take(keys, line.desk.now, line.desk.now);
            while let Some((event, stamp)) = line.decoder.pop() {
                line.desk.app.terminal(&event, stamp);
            }
        }
        line.desk.collect();
        let given = line.desk.inputs.iter().filter(|i| answers(&line.desk, i)).count();
        assert_eq!(given, 0, "{scene}: {:?}", line.desk.inputs);
    }
}
