//! A long output: opened whole, searched, followed while its command runs.

use pilothouse_core::{
    blob::Blob,
    outcome::Exit,
    port::{TextAsk, TextFound, TextLines, TextReply, holds},
    talk::{Delta, DeltaKind},
    tool::ToolOutcome,
};

use super::*;

/// The store, for what was asked since.
fn serve(desk: &mut Desk, text: &str) {
    let first = desk.number + 1 - u64::try_from(desk.asks.len()).unwrap();
    for (number, ask) in (first..).zip(std::mem::take(&mut desk.asks)) {
        let Ask::Text(of, ask) = ask else { continue };
        let lines: Vec<&str> = text.lines().collect();
        let reply = match ask {
            TextAsk::Lines { from, count } => {
                let lines: Vec<String> =
                    lines.iter().skip(from).take(count).map(|l| (*l).to_owned()).collect();
                TextReply::Lines(TextLines { total: text.lines().count(), from, lines })
            }
            TextAsk::Find { words, from, back } => {
                let hits: Vec<usize> = (0..lines.len()).filter(|n| holds(lines[*n], &words)).collect();
                let near = if back {
                    hits.iter().rposition(|n| *n <= from).or(hits.len().checked_sub(1))
                } else {
                    hits.iter().position(|n| *n >= from).or(Some(0).filter(|_| !hits.is_empty()))
                };
                let line = near.map(|n| hits[n]);
                TextReply::Found(TextFound {
                    line,
                    place: near.map_or(0, |n| n + 1),
                    hits: hits.len(),
                    around: None,
                })
            }
        };
        desk.app.update(Update::Answered(number, Reply::Text(of, Some(reply))), desk.now);
        desk.collect();
    }
    if desk.asks.iter().any(|ask| matches!(ask, Ask::Text(..))) {
        serve(desk, text);
    }
    desk.draw();
}

fn many() -> String {
    lines(10_000)
}

fn lines(many: usize) -> String {
    (1..=many).map(|n| format!("line {n} of the log")).collect::<Vec<_>>().join("\n") + "\n"
}

/// A command of the user runs.
fn running(height: u16) -> (Desk, CallId) {
    let mut desk = Desk::new(100, height);
    desk.give(Input::say("!seq 10000"));
    let asked = desk.state().open.keys().next().copied();
    if let Some(asked) = asked {
        let shown = desk.state().open[&asked].kind.shown();
        desk.give(Input::Answer {
            checkpoint: asked,
            answer: pilothouse_core::checkpoint::Answer::Approve,
            shown,
        });
    }
    let call = desk.tools.pop().unwrap();
    desk.wait(900);
    (desk, call)
}

/// It ends, with this as all that it wrote.
fn ends(desk: &mut Desk, call: CallId, whole: &str) {
    let exit = Exit { code: Some(0), took: Millis(5), ..Exit::default() };
    let output = Some(Blob::new(whole.as_bytes().to_vec()));
    let name = BlobId::of(whole.as_bytes()).output_name();
    let end = 32 * 1024;
    let (head, tail) = (whole.get(..end).unwrap_or(whole), whole.get(whole.len().saturating_sub(end)..));
    let text = format!(
        "exit 0, took 5 ms\nstdout:\n{head}\n[… 9 bytes left out; read {name} has them …]\n{}",
        tail.unwrap()
    );
    desk.give(Input::ToolEnded {
        call,
        outcome: ToolOutcome { exit: Some(exit), output, ..ToolOutcome::text(text, "exit 0") },
    });
    desk.collect();
    desk.draw();
}

/// More of what it writes, from so many bytes on.
fn writes(desk: &mut Desk, call: CallId, offset: u64, text: &str) {
    let delta = Delta { call, offset, kind: DeltaKind::Stdout, text: text.to_owned() };
    desk.app.update(Update::Delta(delta), desk.now);
    desk.draw();
}

fn ended(whole: &str) -> Desk {
    let (mut desk, call) = running(50);
    ends(&mut desk, call, whole);
    desk
}

#[test]
fn a_match_behind_the_beginning_of_a_long_line_is_shown_with_what_stands_around_it() {
    let whole = lines(3_000);
    let mut desk = ended(&whole);
    desk.press("<ctrl-o>");
    serve(&mut desk, &whole);
    desk.wait(900).press("/").press("deep<enter>");
    let Some(Ask::Text(of, TextAsk::Find { .. })) = desk.asks.pop() else { panic!("{:?}", desk.asks) };
    let around = Some("[… 90000 bytes of this line …] the deep one".to_owned());
    let found = TextReply::Found(TextFound { line: Some(1), place: 1, hits: 2, around });
    desk.app.update(Update::Answered(desk.number, Reply::Text(of, Some(found))), desk.now);
    desk.collect();
    desk.draw();
    let text = desk.text();
    assert!(text.contains("    2  [… 90000 bytes of this line …] the deep one"), "{text}");
    assert!(text.contains("match 1 of 2") && text.contains("    3  line 3 of the log"), "{text}");
}

#[test]
fn the_last_output_is_opened_by_words_as_by_its_key() {
    let whole = many();
    let mut desk = ended(&whole);
    desk.press("show the last output again");
    assert!(desk.text().contains("shows the latest output"), "{}", desk.text());
    desk.press("<enter>").deliver();
    assert_eq!(desk.top(), Some("output"));
    desk.collect();
    serve(&mut desk, &whole);
    let text = desk.text();
    assert!(text.contains("line 1 of 10,000") && text.contains("    1  line 1 of the log"), "{text}");
}

#[test]
fn a_long_output_opens_whole_on_a_page_and_is_searched_there() {
    let whole = many();
    let mut desk = ended(&whole);
    let text = desk.text();
    assert!(text.contains("Ctrl-O opens all"), "{text}");
    desk.press("<ctrl-o>");
    assert_eq!(desk.top(), Some("output"));
    desk.draw();
    assert!(desk.text().contains("reading") && !desk.text().contains("of 0"), "{}", desk.text());
    serve(&mut desk, &whole);
    let text = desk.text();
    assert!(text.contains("line 1 of 10,000") && text.contains("    1  line 1 of the log"), "{text}");
    desk.wait(900).press("/").press("line 5000 of<enter>");
    serve(&mut desk, &whole);
    let text = desk.text();
    assert!(text.contains("match 1 of 1") && text.contains(" 5000  line 5000 of the log"), "{text}");
    // To the end, the beginning, and through the matches in both directions.
    desk.wait(900).press("/").press("999 of<enter>");
    serve(&mut desk, &whole);
    assert!(desk.text().contains("match 5 of 10"), "{}", desk.text());
    desk.wait(900).press("N");
    serve(&mut desk, &whole);
    assert!(desk.text().contains("match 4 of 10") && desk.text().contains(" 3999  line"), "{}", desk.text());
    desk.wait(900).press("G");
    serve(&mut desk, &whole);
    assert!(desk.text().contains("10000  line 10000 of the log"), "{}", desk.text());
    desk.wait(900).press("g");
    serve(&mut desk, &whole);
    assert!(desk.text().contains("    1  line 1 of the log"), "{}", desk.text());
    desk.wait(900).press("/").press("nowhere<enter>");
    serve(&mut desk, &whole);
    assert!(desk.text().contains("no match for \"nowhere\""), "{}", desk.text());
    desk.press("<esc>");
    assert_eq!(desk.top(), None);
}

#[test]
fn a_page_holds_a_few_pieces_however_long_the_output_is() {
    let whole = many();
    let mut desk = ended(&whole);
    desk.press("<ctrl-o>");
    serve(&mut desk, &whole);
    for _ in 0..260 {
        desk.wait(10).press("<pgdn>");
        serve(&mut desk, &whole);
    }
    assert!(desk.text().contains("10000  line 10000 of the log"), "{}", desk.text());
    let held = format!("{:?}", desk.app.overlays.last().unwrap());
    let lines = held.matches(" of the log").count();
    assert!(lines <= 400 * 7, "{lines}");
}

#[test]
fn a_command_that_runs_is_followed_and_is_whole_once_it_has_ended() {
    let (mut desk, call) = running(30);
    let mut offset = 0;
    let mut writes = |desk: &mut Desk, text: &str| {
        let delta = Delta { call, offset, kind: DeltaKind::Stdout, text: text.to_owned() };
        offset += text.len() as u64;
        desk.app.update(Update::Delta(delta), desk.now);
        desk.draw();
    };
    for n in 1..=40 {
        writes(&mut desk, &format!("line {n} of the log\n"));
    }
    desk.press("<ctrl-o>");
    assert_eq!(desk.top(), Some("output"), "{}", desk.text());
    assert!(desk.text().contains("line 40 of the log") && desk.text().contains("its end is shown"));
    writes(&mut desk, "line 41 of the log\n");
    assert!(desk.text().contains("line 41 of the log"), "{}", desk.text());
    desk.wait(900).press("k");
    writes(&mut desk, "line 42 of the log\n");
    assert!(
        !desk.text().contains("line 42 of the log") && desk.text().contains("G follows"),
        "{}",
        desk.text()
    );
    let whole = many();
    desk.asks.clear();
    ends(&mut desk, call, &whole);
    serve(&mut desk, &whole);
    desk.wait(900).press("G");
    serve(&mut desk, &whole);
    assert!(desk.text().contains("10000  line 10000 of the log"), "{}", desk.text());
}

#[test]
fn only_the_row_on_which_the_key_acts_names_it() {
    let whole = many();
    let mut desk = ended(&whole);
    desk.give(Input::say("what is that?"));
    desk.reply("It is the log.", &[]);
    assert_eq!(desk.text().matches("Ctrl-O opens all").count(), 1);
    // With the cursor on another entry nothing is opened, and nothing says so.
    desk.app.run(conversation_action("top"), desk.now);
    desk.collect();
    let text = desk.text();
    assert!(text.contains("lines above") && !text.contains("Ctrl-O"), "{text}");
    desk.press("<ctrl-o>");
    assert!(desk.text().contains("nothing to expand here"), "{}", desk.text());
    // In the composer the key is for what is seen, wherever the cursor was.
    desk.app.go(Focus::Composer);
    assert!(desk.text().contains("Ctrl-O opens all"), "{}", desk.text());
    desk.press("<ctrl-o>");
    assert_eq!(desk.top(), Some("output"));
}

fn conversation_action(name: &str) -> crate::keymap::Action {
    let entry = conversation::KIND.actions.iter().find(|entry| entry.name == name).unwrap();
    crate::keymap::Action { table: conversation::ID.0, entry: *entry }
}

#[test]
fn a_search_of_the_conversation_says_where_it_looks() {
    let whole = many();
    let mut desk = ended(&whole);
    desk.app.run(conversation_action("search"), desk.now);
    desk.collect();
    desk.wait(900).press("line 5000 of<enter>");
    let said = desk.text();
    assert!(said.contains("in what is shown; Ctrl-O opens a long output"), "{said}");
}

#[test]
fn a_result_of_which_a_part_is_left_out_opens_whole_however_short_it_is() {
    let whole = many();
    let (mut desk, call) = running(50);
    let exit = Exit { code: Some(0), took: Millis(5), ..Exit::default() };
    let name = BlobId::of(whole.as_bytes()).output_name();
    let left = format!("({} lines of tests that passed are left out; read {name} has them)", 9_990);
    let text = format!("exit 0, took 5 ms\n{left}\nstdout:\ntest result: ok\n");
    let output = Some(Blob::new(whole.as_bytes().to_vec()));
    let outcome = ToolOutcome { exit: Some(exit), output, ..ToolOutcome::text(text, "exit 0") };
    desk.give(Input::ToolEnded { call, outcome });
    desk.collect();
    assert!(desk.text().contains("Ctrl-O opens all of it"), "{}", desk.text());
    desk.press("<ctrl-o>");
    serve(&mut desk, &whole);
    assert!(desk.text().contains("line 1 of 10,000"), "{}", desk.text());
}

#[test]
fn the_page_of_a_command_that_was_stopped_keeps_what_came_and_says_so() {
    let (mut desk, call) = running(30);
    writes(&mut desk, call, 0, "one\ntw");
    desk.press("<ctrl-o>");
    writes(&mut desk, call, 6, "o\nthree\n");
    assert!(desk.text().contains("│ two "), "a line that came in two parts is one: {}", desk.text());
    desk.give(Input::Cancel);
    desk.collect();
    let text = desk.text();
    assert!(text.contains("stopped; its last lines are shown") && text.contains("│ three "), "{text}");
}

#[test]
fn who_reads_further_up_when_a_command_ends_reads_on_there() {
    let whole = lines(400);
    let (mut desk, call) = running(30);
    writes(&mut desk, call, 0, &whole);
    desk.press("<ctrl-o>");
    for _ in 0..5 {
        desk.wait(900).press("<pgup>");
    }
    assert!(desk.text().contains("│ line 267 of the log"), "{}", desk.text());
    desk.asks.clear();
    ends(&mut desk, call, &whole);
    serve(&mut desk, &whole);
    assert!(desk.text().contains("line 267 of 400"), "{}", desk.text());
    // Who followed its end sees that, and who goes there does.
    desk.wait(900).press("G");
    serve(&mut desk, &whole);
    assert!(desk.text().contains("400  line 400 of the log"), "{}", desk.text());
}

#[test]
fn a_match_is_seen_however_wide_the_lines_before_it_and_its_own_are() {
    let wide = |n: usize| format!("line {n} {}here {n}.\n", "word ".repeat(700));
    let whole = (1..=2_000).map(wide).collect::<String>();
    let mut desk = ended(&whole);
    desk.press("<ctrl-o>");
    serve(&mut desk, &whole);
    for (words, seen) in
        [("line 1500 ", "line 1500 word"), ("here 7.", "here 7."), ("here 1900.", "here 1900.")]
    {
        desk.wait(900).press("/").press(&format!("{words}<enter>"));
        serve(&mut desk, &whole);
        assert!(
            desk.text().contains("match 1 of 1") && desk.text().contains(seen),
            "{words}: {}",
            desk.text()
        );
    }
}
