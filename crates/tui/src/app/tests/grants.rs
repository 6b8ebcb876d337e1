//! How far an answer reaches: drawn beside its key, kept only after a second yes, explained on demand.

use pilothouse_core::{
    checkpoint::{Answer, Checkpoint, CheckpointKind},
    commit::CommitTree,
    event::{Event, Stamped},
    ids::{CheckpointId, Seq},
    plan::GateDraft,
    policy::{Found, Origin, Places, Policy, Rehearsal, Rule, Source},
    question::CommitQuestion,
    shell::Risk,
    trust::{Part, PartChange, Standing},
};

use super::*;
use crate::theme::Slot;

/// The agent wants to run this; the list is open and stood long enough.
fn asking(width: u16, args: &str) -> Desk {
    let mut desk = Desk::new(width, 40);
    desk.press("where is it?<enter>").deliver();
    desk.reply("", &[("run", args)]);
    desk.collect();
    desk.draw();
    desk.press("<ctrl-x>a");
    desk.wait(1_000);
    desk
}

fn command(width: u16, line: &str) -> Desk {
    asking(width, &format!(r#"{{"command":"{line}"}}"#))
}

/// What the app sent as an answer.
fn answer(desk: &Desk) -> Option<&Answer> {
    desk.inputs.iter().find_map(|i| match i {
        Input::Answer { answer, .. } => Some(answer),
        _ => None,
    })
}

fn rehearsed(desk: &mut Desk) {
    let through = vec![Found { line: "cargo add tokio".into(), risk: Risk::Medium, times: 3 }];
    let held = vec![Found { line: "cargo add x; rm -rf y".into(), risk: Risk::High, times: 1 }];
    let found = Rehearsal { seen: 9, through, held, narrowed: Vec::new() };
    let (number, now) = (desk.number, desk.now);
    desk.app.update(Update::Answered(number, Reply::Rehearsed(Box::new(found))), now);
    desk.draw();
}

#[test]
fn the_reach_of_each_answer_stands_beside_its_key_at_every_width() {
    for width in [60, 100, 160] {
        let mut desk = command(width, "cargo add serde");
        let text = desk.text();
        for part in [
            "  y     once      this command only",
            "  t     session   allow command cargo add",
            "  p     always    the same rule, saved in your",
            "  n     deny      this command;",
        ] {
            assert!(text.contains(part), "{width}: {part}\n{text}");
        }
        assert!(text.contains("w why"), "{width}: {text}");
        assert!(desk.inputs.is_empty());
    }
}

#[test]
fn what_asks_only_for_want_of_trust_offers_a_key_that_asks_about_the_folder() {
    let mut desk = command(100, "cargo check");
    assert!(
        !desk.text().contains("  T     trust"),
        "no rule would let it run in a trusted folder: {}",
        desk.text()
    );
    desk.press("T");
    assert!(desk.inputs.is_empty() && desk.text().contains("not be enough"), "{}", desk.text());
    let built_in = Origin { source: Source::BuiltIn, file: String::new(), line: 1 };
    let rule = Rule::parse("allow command cargo check", built_in).unwrap();
    let policy = std::sync::Arc::new(Policy::new(vec![rule], Places::default()));
    desk.session.set_policy(std::sync::Arc::clone(&policy));
    desk.app.update(Update::Rules(policy), desk.now);
    desk.draw();
    let text = desk.text();
    assert!(text.contains("  T     trust     asks about this folder"), "{text}");
    desk.press("T");
    assert_eq!(desk.inputs, [Input::say("/trust")]);
    desk.deliver();
    let surveyed =
        desk.session.pending().values().any(|w| matches!(w, pilothouse_core::work::Work::Survey(_)));
    assert!(surveyed, "the folder is being checked");
    // The question that was called for is the one that the next key answers.
    let part = Part { path: ".env".into(), would: vec!["gives commands A".into()], change: PartChange::New };
    let sheet = "== .env".to_owned();
    let of = BlobId::of(sheet.as_bytes());
    desk.give(Input::Surveyed(Standing { of, parts: vec![part], sheet, asks: true, ..Standing::default() }));
    let about_folder = |c: &&Checkpoint| matches!(c.kind, CheckpointKind::Trust(_));
    let trust = desk.state().open.values().find(about_folder).unwrap().id;
    desk.draw();
    desk.wait(900).press("y");
    assert!(
        matches!(desk.inputs[..], [Input::Answer { checkpoint, .. }] if checkpoint == trust),
        "{:?}",
        desk.inputs
    );
}

#[test]
fn the_list_opens_at_the_question_that_the_bar_names() {
    let mut desk = Desk::new(100, 30);
    desk.press("/trust<enter>").deliver();
    desk.give(Input::Surveyed(Standing { asks: true, ..Standing::default() }));
    let tree = CommitTree { on: "main".into(), ..CommitTree::default() };
    let question = CommitQuestion { commit: CallId(800), message: "Add peek".into(), tree };
    let message = question.text();
    let checkpoint = Checkpoint { id: CheckpointId(900), kind: question.into(), message, run: None };
    let event = Event::CheckpointOpened { checkpoint };
    let asked = Stamped { seq: Seq(9_000), at: Millis(1_000), run: None, event };
    desk.app.update(Update::Events(vec![asked]), desk.now);
    let bar = desk.text();
    assert!(bar.contains("Commit") && !bar.contains("Trust"), "what came later goes first there: {bar}");
    for open in ["<ctrl-x>a", "<enter>"] {
        desk.wait(1_000).press(open).wait(1_000);
        assert_eq!(desk.top(), Some("approvals"), "{open}");
        desk.inputs.clear();
        desk.press("y");
        assert!(
            matches!(desk.inputs[..], [Input::Answer { checkpoint: CheckpointId(900), .. }]),
            "{open} {:?}",
            desk.inputs
        );
        desk.press("<esc>");
    }
}

#[test]
fn enter_opens_the_change_that_the_bar_names_while_the_word_about_the_folder_is_kept() {
    let mut desk = super::review::Bench::new(120, 40).desk;
    desk.press("/trust<enter>").deliver();
    desk.give(Input::Surveyed(Standing { asks: true, ..Standing::default() }));
    let bar = desk.text();
    assert!(bar.contains("wait for your decision") && bar.contains("1 more question"), "{bar}");
    desk.wait(1_000).press("<enter>").wait(1_000);
    assert_eq!((desk.top(), desk.app.panes.focus), (None, DIFF), "{}", desk.text());
    desk.inputs.clear();
    desk.press("y");
    assert!(!desk.inputs.iter().any(|i| matches!(i, Input::Answer { .. })), "{:?}", desk.inputs);
}

#[test]
fn the_question_about_the_folder_shows_its_gates_and_its_keys_do_what_they_say() {
    let mut desk = Desk::new(80, 24);
    let gate = |n: usize| GateDraft {
        name: format!("g{n}"),
        command: format!("make check-{n}"),
        after: Vec::new(),
        found: true,
    };
    desk.session.set_gates((1..=30).map(gate).collect());
    desk.press("/trust<enter>").deliver();
    desk.give(Input::Surveyed(Standing { asks: true, ..Standing::default() }));
    desk.wait(900).press("<ctrl-x>a").wait(900);
    let text = desk.text();
    assert!(text.contains("runs     make check-1 ") && text.contains("PgDn goes on"), "{text}");
    desk.press("<enter>");
    assert!(desk.text().contains("all of it is shown here"), "{}", desk.text());
    desk.press("y");
    assert!(answer(&desk).is_none(), "the last line was not on the screen yet");
    desk.press("w");
    assert!(desk.text().contains("30 lines that would run unasked"), "{}", desk.text());
    desk.press("<esc>").wait(900);
    for _ in 0..8 {
        desk.press("<pgdn>");
    }
    assert!(desk.text().contains("make check-30"), "{}", desk.text());
    desk.wait(900).press("y");
    assert_eq!(answer(&desk), Some(&Answer::Approve));
}

#[test]
fn this_session_allows_the_rule_that_is_drawn_and_the_next_one_like_it_runs_unasked() {
    let mut desk = command(100, "cargo add serde");
    desk.press("t");
    let grant = Answer::Grant { rules: vec!["allow command cargo add".into()], lasting: false };
    assert_eq!(answer(&desk), Some(&grant));
    desk.deliver();
    assert_eq!(desk.tools.len(), 1);
    assert!(desk.state().open.is_empty());
    assert_eq!(desk.state().granted.len(), 1);
}

#[test]
fn neither_t_nor_p_answers_before_the_item_stood_there_or_when_the_rule_changed_since() {
    let mut desk = command(100, "cargo add serde");
    desk.press("q").wait(2_000);
    desk.press("<ctrl-x>a").wait(200).press("t");
    assert!(answer(&desk).is_none(), "{}", desk.text());
    let mut desk = command(100, "cargo add serde && make all");
    assert!(desk.text().contains("allow command cargo add; make all"));
    let rule =
        Rule::parse("allow command make all", Origin { source: Source::User, file: "f".into(), line: 1 });
    let policy = std::sync::Arc::new(Policy::new(vec![rule.unwrap()], Places::default()));
    desk.session.set_policy(std::sync::Arc::clone(&policy));
    desk.app.update(Update::Rules(policy), desk.now);
    desk.press("t");
    assert!(answer(&desk).is_none(), "another rule stands there now, and was not drawn yet");
    desk.wait(1_000).press("t");
    let grant = Answer::Grant { rules: vec!["allow command cargo add".into()], lasting: false };
    assert_eq!(answer(&desk), Some(&grant));
}

#[test]
fn where_the_reach_cannot_be_drawn_nothing_is_allowed_for_longer() {
    let mut desk = command(100, "cargo add serde");
    desk.size = Rect::new(0, 0, 50, 12);
    desk.draw();
    desk.wait(1_000).press("t");
    assert!(answer(&desk).is_none() && desk.text().contains("too small"), "{}", desk.text());
}

#[test]
fn a_rule_for_good_is_shown_in_full_and_kept_only_after_a_second_yes() {
    let mut desk = command(100, "cargo add serde");
    desk.press("p");
    assert!(matches!(&desk.asks[..], [Ask::Rehearse(rules)] if rules == &["allow command cargo add"]));
    assert!(desk.text().contains("looking at the commands of past sessions"));
    desk.wait(1_000).press("y");
    assert!(answer(&desk).is_none(), "what it would have done is not known yet");
    rehearsed(&mut desk);
    desk.press("y");
    assert!(answer(&desk).is_none(), "that stood there for no time");
    let text = desk.text();
    for part in [
        "rule      allow command cargo add",
        "matches   runs     cargo add serde",
        "runs     cargo add other --option",
        "asks     cargo another",
        "past      9 commands in this folder checked; 3 would have run without asking",
        "cargo add tokio  3 times",
        "cargo add x; rm -rf y",
        "not recommended",
        "y save and run",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    desk.wait(1_000).press("<enter>");
    assert!(answer(&desk).is_none(), "Enter keeps nothing");
    desk.press("y");
    let grant = Answer::Grant { rules: vec!["allow command cargo add".into()], lasting: true };
    assert_eq!(answer(&desk), Some(&grant));
    desk.deliver();
    assert!(
        desk.writes
            .iter()
            .any(|w| matches!(w, Work::Keep { rules, .. } if rules == &["allow command cargo add"]))
    );
}

#[test]
fn that_nothing_may_follow_is_told_in_words() {
    let mut desk = command(120, "node --test test/app.test.js");
    let text = desk.text();
    assert!(text.contains("allow command node --test test/app.test.js and nothing more"), "{text}");
}

#[test]
fn a_rule_can_be_made_narrower_and_is_rehearsed_anew() {
    let mut desk = command(100, "cargo add serde");
    desk.press("p");
    rehearsed(&mut desk);
    desk.wait(1_000).press("-");
    let text = desk.text();
    assert!(text.contains("allow command cargo add serde $") && text.contains("+ wider"), "{text}");
    assert!(text.contains("looking at"), "{text}");
    rehearsed(&mut desk);
    desk.wait(1_000).press("y");
    let grant = Answer::Grant { rules: vec!["allow command cargo add serde $".into()], lasting: true };
    assert_eq!(answer(&desk), Some(&grant));
}

#[test]
fn a_late_answer_about_another_rule_is_not_taken_for_this_one() {
    let mut desk = command(100, "cargo add serde");
    desk.press("p");
    let before = desk.number;
    desk.press("-");
    let now = desk.now;
    desk.app.update(Update::Answered(before, Reply::Rehearsed(Box::default())), now);
    assert!(desk.text().contains("looking at"));
}

#[test]
fn high_risk_removals_escalation_and_the_network_are_offered_for_no_longer_than_once() {
    for (args, why) in [
        (r#"{"command":"git push --force"}"#, "high risk is never covered by a rule"),
        (r#"{"command":"rm notes.txt"}"#, "a removal is never covered by a rule"),
        (r#"{"command":"make","outside":true}"#, "outside the sandbox is never covered"),
        (r#"{"command":"npm install","network":true}"#, "a rule does not open the network"),
        (r#"{"command":"make $X"}"#, "part of it is uncertain"),
    ] {
        for width in [60, 100] {
            let mut desk = asking(width, args);
            let flat = desk.text().replace(['│', '\n'], " ");
            let flat: Vec<&str> = flat.split_whitespace().collect();
            assert!(flat.join(" ").contains("no rule possible"), "{args}: {}", desk.text());
            if width == 100 {
                assert!(desk.text().contains(why), "{args}: {}", desk.text());
            }
            desk.press("t");
            assert!(desk.text().contains(why) || width == 60, "{args}: {}", desk.text());
            desk.wait(1_000).press("p");
            assert!(answer(&desk).is_none() && desk.asks.is_empty(), "{args}");
        }
    }
}

#[test]
fn why_names_the_rule_what_nearly_matched_and_the_line_that_would_change_it() {
    for width in [60, 100, 160] {
        let mut desk = command(width, "cargo add serde");
        desk.press("w");
        let text = desk.text();
        for part in [
            "Why it is asked",
            "cargo add serde",
            "medium risk asks in ask mode",
            "ask · folder not trusted · sandbox",
        ] {
            assert!(text.contains(part), "{width}: {part}\n{text}");
        }
        let flat: String = text.replace(['│', '\n'], " ").split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat.contains("pilothouse permissions add"), "{width}: {text}");
        desk.press("q");
        assert!(desk.text().contains("Approvals"), "back to the list");
    }
}

#[test]
fn what_ran_unasked_and_what_was_refused_is_explained_from_the_conversation() {
    let mut desk = Desk::new(120, 40);
    let rules = ["allow command cargo test", "deny command git push"];
    let origin = |n| Origin { source: Source::User, file: "~/permissions.toml".into(), line: n };
    let rules = rules.iter().enumerate().map(|(n, r)| Rule::parse(r, origin(n + 1)).unwrap()).collect();
    let policy = std::sync::Arc::new(Policy::new(rules, Places::default()));
    desk.session.set_policy(std::sync::Arc::clone(&policy));
    desk.app.update(Update::Rules(policy), desk.now);
    desk.press("run the tests<enter>").deliver();
    desk.reply("", &[("run", r#"{"command":"cargo test -q"}"#)]);
    desk.collect();
    desk.press("<ctrl-x>cw");
    let text = desk.text();
    assert!(text.contains("Why it is not asked"), "{text}");
    assert!(text.contains("allow command cargo test (~/permissions.toml:1)"), "{text}");
    desk.press("<esc>");
    let call = desk.tools.remove(0);
    let outcome = pilothouse_core::tool::ToolOutcome::text("ok", "ok");
    desk.give(Input::ToolEnded { call, outcome });
    desk.reply("", &[("run", r#"{"command":"git push"}"#)]);
    desk.press("w");
    let text = desk.text();
    assert!(text.contains("Why it is refused"), "{text}");
    assert!(text.contains("deny command git push (~/permissions.toml:2)"), "{text}");
    assert!(text.contains("take out ~/permissions.toml:2"), "{text}");
}

#[test]
fn the_answers_stand_still_while_the_choice_moves_and_carry_colour() {
    let mut desk = command(100, "cargo add serde");
    let (buf, _) = desk.draw();
    let y = (0..40).find(|y| rows(&buf)[usize::from(*y)].contains("t     session")).unwrap();
    let x = u16::try_from(rows(&buf)[usize::from(y)].chars().position(|c| c == 't').unwrap()).unwrap();
    assert_eq!(buf[(x, y)].style().fg, desk.app.looks.theme.style(Slot::Accent).fg);
}

/// The rows of the topmost frame, borders included.
fn framed(desk: &mut Desk, title: &str) -> Vec<String> {
    let all = desk.text();
    let rows: Vec<Vec<char>> = all.lines().map(|l| l.chars().collect()).collect();
    let head: Vec<char> = format!("╭ {title} ").chars().collect();
    let (y, x) = rows
        .iter()
        .enumerate()
        .find_map(|(y, row)| row.windows(head.len()).position(|w| w == head).map(|x| (y, x)))
        .unwrap_or_else(|| panic!("{title} is not there\n{all}"));
    let right = rows[y].iter().skip(x).position(|c| *c == '╮').unwrap() + x;
    let height = rows.iter().skip(y).position(|row| row.get(x) == Some(&'╰')).unwrap();
    let part = |row: &Vec<char>| row.get(x..=right).unwrap_or_default().iter().collect();
    rows[y..=y + height].iter().map(part).collect()
}

#[test]
fn the_risk_has_its_colour_where_it_is_said_why_it_is_asked() {
    for (line, risk) in [("cargo add serde", "medium"), ("git push --force", "high")] {
        let mut desk = command(100, line);
        desk.press("w");
        let (buf, _) = desk.draw();
        let all = rows(&buf);
        let y = all.iter().position(|row| row.contains("│ risk ")).unwrap_or_else(|| panic!("{all:?}"));
        let before = all[y].split(&format!("{risk}:")).next().unwrap();
        let x = u16::try_from(before.chars().count()).unwrap();
        let wanted = desk
            .app
            .looks
            .theme
            .style(crate::risk::risk_slot(if risk == "high" { Risk::High } else { Risk::Medium }))
            .fg;
        let (y, plain) = (u16::try_from(y).unwrap(), Some(ratatui::style::Color::Reset));
        assert_eq!(buf[(x, y)].style().fg, wanted.or(plain), "{}", all[usize::from(y)]);
        let rest = x + u16::try_from(risk.len()).unwrap() + 2;
        assert_eq!(buf[(rest, y)].style().fg, desk.app.looks.theme.style(Slot::Text).fg.or(plain));
    }
}

#[test]
fn the_list_the_rule_and_the_reason_stand_aligned_dark_and_light_at_every_width() {
    for width in [60, 100, 160] {
        let mut shown: Vec<Vec<Vec<String>>> = Vec::new();
        for dark in [true, false] {
            let mut desk = command(width, "cargo add serde --features derive");
            desk.app.take_ground(dark);
            let list = framed(&mut desk, "Approvals");
            desk.press("p");
            rehearsed(&mut desk);
            let rule = framed(&mut desk, "Permanent rule");
            assert!(!desk.text().contains("Approvals"), "{width}: what lies below does not look out");
            desk.press("q").press("w");
            let reason = framed(&mut desk, "Why it is asked");
            assert!(!desk.text().contains("Approvals"), "{width}");
            for frame in [&list, &rule, &reason] {
                let wide = frame[0].chars().count();
                for row in &frame[1..frame.len() - 1] {
                    assert_eq!(row.chars().count(), wide, "{width}: {row}");
                    assert!(row.starts_with('│') && row.ends_with('│'), "{width}: {row}");
                    assert!(!row.contains('…'), "{width}: nothing is cut: {row}");
                }
                assert!(frame.last().unwrap().ends_with('╯'), "{width}: {:?}", frame.last());
            }
            let at = |frame: &[String], label: &str| {
                frame.iter().find_map(|row| row.find(label).map(|x| row[..x].chars().count())).unwrap()
            };
            assert_eq!(
                at(&list, "y     once"),
                at(&list, "t     session"),
                "{width}: keys stand below each other"
            );
            assert_eq!(at(&list, "once  "), at(&list, "always  "), "{width}");
            assert_eq!(at(&rule, "runs"), at(&rule, "asks"), "{width}");
            assert_eq!(at(&reason, "medium:"), at(&reason, "pilothouse permissions"), "{width}");
            shown.push(vec![list, rule, reason]);
        }
        assert_eq!(shown[0], shown[1], "{width}: dark and light say the same");
    }
}
