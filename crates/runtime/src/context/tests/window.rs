//! Windows of several sizes: what fits, what is summed up, and what is still known afterwards.

use pilothouse_core::{compaction::Mark, session::Session};

use super::*;

/// A session of forty reads and runs whose first message plants a fact; summed up wherever that is asked
/// for, by a model that is not there. The requests, how many summaries were made, and the bench.
fn forty(window: Window, answers: bool) -> (Vec<ModelRequest>, usize, Bench) {
    let mut b = Bench::new();
    b.step(Input::say("what is in src? the release is called heron-77, keep that in mind"));
    let (mut requests, mut summaries) = (Vec::new(), 0);
    for n in 0..40 {
        let lane = b.lane().clone();
        let mut prepared = b.prepared(&lane, window).unwrap();
        if prepared.crowded {
            summaries += 1;
            let call = lane.thinking.unwrap();
            b.step(Input::Crowded { call });
            assert!(!b.session.pending().values().any(|w| matches!(w, Work::Think { .. })));
            b.sum_up(window, answers);
            prepared = b.prepared(&lane, window).unwrap();
        }
        requests.push(prepared.request);
        let words = format!("look at part {n}: {}", "because it matters ".repeat(60));
        b.reply(&words, &[("p", "read", &format!("{{\"path\":\"src/part{n}.rs\"}}"))]);
        let call = b.lane().head().unwrap().call;
        let text = format!("part {n} {}", "let x = 1;\n".repeat(900));
        b.step(Input::ToolEnded { call, outcome: ToolOutcome::text(text, format!("900 lines of part {n}")) });
    }
    (requests, summaries, b)
}

impl Bench {
    /// The summary that is asked for, as the built-in engine makes it; or none.
    fn sum_up(&mut self, window: Window, answers: bool) {
        let of = self.session.state().compacting.clone().unwrap();
        let asked = compact::request(self.session.state(), &of, self, &Self::around(window)).unwrap();
        let bytes =
            asked.request.messages.iter().map(budget::size).sum::<usize>() + asked.request.system.len();
        assert!(bytes <= window.input(), "{bytes} bytes to sum up");
        let result = if answers {
            let client = pilothouse_model::Offline::new();
            let cancel = tokio_util::sync::CancellationToken::new();
            futures::executor::block_on(asked.ask(&client, cancel, drop))
        } else {
            let kind = pilothouse_core::talk::FaultKind::Stalled;
            let (message, hint) = ("silent".into(), String::new());
            Err(pilothouse_core::talk::Fault { kind, message, hint, status: None })
        };
        self.step(Input::Summarized { call: of.call, result });
    }
}

fn bytes(request: &ModelRequest) -> usize {
    request.system.len() + request.messages.iter().map(budget::size).sum::<usize>()
}

/// How many consecutive requests share all but their last message.
fn kept(requests: &[ModelRequest]) -> usize {
    let same = |pair: &&[ModelRequest]| {
        let old = &pair[0].messages[..pair[0].messages.len() - 1];
        pair[1].messages.get(..old.len()) == Some(old)
    };
    requests.windows(2).filter(same).count()
}

#[test]
fn forty_calls_stay_inside_every_window_and_the_first_fact_is_told_to_the_end() {
    for (tokens, least) in [(16_000, 20), (64_000, 33), (200_000, 38)] {
        let window = Window::of(Some(tokens));
        let (requests, summaries, _) = forty(window, true);
        for (n, request) in requests.iter().enumerate() {
            assert!(bytes(request) <= window.input(), "{tokens}: request {n}");
            let known = request.messages.iter().any(|m| m.text.contains("heron-77"));
            assert!(known, "{tokens}: request {n} has lost the fact");
        }
        let kept = kept(&requests);
        assert!(kept >= least, "{tokens}: {kept} of 39 kept");
        assert_eq!(summaries > 0, tokens == 16_000, "{tokens}: {summaries}");
    }
}

#[test]
fn without_a_summary_old_results_and_words_give_way_instead() {
    let window = Window::of(Some(16_000));
    let (requests, summaries, _) = forty(window, false);
    assert_eq!(summaries, 1, "it is tried once in a turn");
    assert!(requests.iter().all(|r| bytes(r) <= window.input()));
}

#[test]
fn what_was_summed_up_is_told_in_the_summary_and_the_session_opens_with_it() {
    let window = Window::of(Some(16_000));
    let (_, _, mut b) = forty(window, true);
    let said = b.request_of(b.lane(), window).messages;
    let summary = said.iter().find(|m| m.text.starts_with("<summary>")).unwrap();
    assert!(summary.text.contains("900 lines of part 3"), "{}", summary.text);
    let replayed = Session::replay(b.events.values());
    assert!(replayed == b.session);
    b.reply("done", &[]);
    b.step(Input::say("/compact the name of the release"));
    let of = b.session.state().compacting.clone().unwrap();
    let asked = compact::request(b.session.state(), &of, &b, &Bench::around(window)).unwrap();
    let text = &asked.request.messages[0].text;
    assert!(asked.request.tools.is_empty() && text.contains("heron-77"));
    assert!(text.contains("above all: the name of the release"));
    b.sum_up(window, true);
    assert!(b.session.pending().is_empty());
}

#[test]
fn a_window_that_holds_nothing_says_so_in_clear_words() {
    let mut b = Bench::new();
    b.step(Input::say("what is in src?"));
    let why = b.prepared(b.lane(), Window::of(Some(1_000))).unwrap_err();
    let Unprepared::TooSmall(why) = why else { panic!("{why:?}") };
    assert!(why.contains("window of 1000 tokens does not hold"), "{why}");
}

#[test]
fn what_is_dropped_never_takes_more_room_than_it_did() {
    use super::budget::{Piece, Slim, size};
    let long = "a long word of mine ".repeat(20);
    for text in ["", "a", "no", "do it now", "what is in src, and where?", &long] {
        for slim in
            [Slim::Stays, Slim::Reply, Slim::Line("[read src/a.rs: 3 lines; dropped to save room]".into())]
        {
            let piece = Piece { slim, ..Piece::stays(Message::text(Role::User, text)) };
            let before = size(&piece.message);
            let message = piece.marked(Some(Mark::Dropped)).message;
            assert!(size(&message) <= before, "{text:?}: {:?}", message.text);
            assert_eq!(message.text.is_empty(), text.is_empty());
            assert!(text.len() < 2 || message.text != text);
        }
    }
}

#[test]
fn what_is_pinned_is_never_shrunk_and_what_is_dropped_is_one_line() {
    let window = Window::of(Some(16_000));
    let mut b = Bench::new();
    b.step(Input::say("what is in src?"));
    b.reply("", &[("p", "read", "{\"path\":\"a\"}")]);
    let call = b.lane().head().unwrap().call;
    let text = format!("needle {}", "y".repeat(3_000));
    b.step(Input::ToolEnded { call, outcome: ToolOutcome::text(text, "3 KB") });
    let is_result = |e: &&Entry| matches!(e.what, What::Result(_));
    let entry = b.session.state().transcript.trunk().find(is_result).unwrap().seq;
    let told = |b: &Bench| b.request_of(b.lane(), window).messages.iter().any(|m| m.text.contains("needle"));
    b.step(Input::Mark { entry, mark: Some(Mark::Dropped) });
    assert!(!told(&b));
    b.step(Input::Mark { entry, mark: Some(Mark::Pinned) });
    for n in 0..20 {
        b.reply("", &[("p", "read", "{\"path\":\"b\"}")]);
        let call = b.lane().head().unwrap().call;
        let text = format!("{n} {}", "z".repeat(8_000));
        b.step(Input::ToolEnded { call, outcome: ToolOutcome::text(text, "8 KB") });
    }
    assert!(told(&b));
}

/// As many numbered lines as make so many bytes, with a needle in the middle of them.
fn pasted(bytes: usize) -> String {
    let all = bytes / 40;
    let line =
        |n: usize| format!("{n:06} {}\n", if n == all / 2 { "needle-81".into() } else { "x".repeat(32) });
    (0..all).map(line).collect()
}

#[test]
fn what_the_user_says_is_told_whole_as_far_as_the_window_goes_and_the_rest_by_a_name() {
    let mut b = Bench::new();
    let whole = format!("what does this say?\n{}", pasted(140_000).trim_end());
    b.step(Input::say(&*whole));
    assert!(b.request_of(b.lane(), Window::of(None)).messages.iter().any(|m| m.text.contains(&whole)));
    // A window that cannot hold it cuts between lines, and says how the rest is read.
    let window = Window::of(Some(32_000));
    let told = |b: &Bench| {
        let request = b.request_of(b.lane(), window);
        assert!(bytes(&request) <= window.input());
        request.messages.iter().find(|m| m.text.starts_with("what does this")).unwrap().text.clone()
    };
    let id = Blob::new(whole.clone().into_bytes()).id();
    let check = |told: &str| {
        let marks = id.marks_in(told);
        let [(at, left)] = &marks[..] else { panic!("{marks:?} in {told}") };
        let (head, tail) = (told.get(..at.start - 1).unwrap(), told.get(at.end + 1..).unwrap());
        assert!(whole.get(head.len()..).unwrap().starts_with('\n') && whole.starts_with(head));
        assert!(whole.ends_with(&format!("\n{tail}")), "whole lines");
        assert_eq!(*left, (whole.len() - head.len() - tail.len()) as u64);
        told.len()
    };
    let first = check(&told(&b));
    assert!((window.said() * 3 / 4..window.said() + 100).contains(&first), "{first}");
    // A second one as long goes before it, and both keep a marker that adds up.
    b.reply("it says x", &[]);
    b.step(Input::say(format!("and this?\n{}", "y 12345\n".repeat(10_000))));
    assert!(check(&told(&b)) < first);
}

#[test]
fn a_window_that_nobody_says_is_the_usual_one_of_where_the_model_is() {
    use crate::config::Provider;
    let at = |url: &str| Provider::Endpoint(Box::new(pilothouse_model::Endpoint::new(url, "m")));
    let of = |voice: &Provider, said| Window::of_model((voice, said)).tokens();
    assert_eq!(of(&at("https://api.example.org/v1"), None), 200_000);
    for local in ["http://localhost:11434/v1", "http://127.0.0.1:8000/v1"] {
        assert_eq!((of(&at(local), None), of(&at(local), Some(8_192))), (128_000, 8_192));
    }
}
