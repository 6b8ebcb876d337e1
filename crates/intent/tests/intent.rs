//! The intent classifier from outside: the tables of the requirements, laws, bad input, the floor.
#![allow(
    clippy::disallowed_methods,
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::cast_precision_loss
)]

#[path = "intent/floors.rs"]
mod floors;
#[path = "intent/prohibitions.rs"]
mod prohibitions;

use pilothouse_intent::{
    Clarify, Classifier, Control, Exemplars, IntentNode, IntentPath, Message, Mode, PausedTurn, Phase,
    PlanSub, QuerySub, Reading, Source, Thresholds, Turn, cli_row, exemplars,
    scope::{Approval, Capability},
};
use prohibitions::*;
use proptest::prelude::*;

fn read(text: &str, phase: Phase) -> Reading {
    Classifier::builtin().read(&Message {
        text,
        phase,
        plan_active: phase != Phase::Idle,
        ..Message::default()
    })
}

fn leaf(text: &str) -> IntentNode {
    read(text, Phase::Idle).whole.path.current()
}

fn turn(text: &str, phase: Phase) -> Turn {
    read(text, phase).whole.turn
}

fn paused(text: &str) -> PausedTurn {
    let message = Message {
        text,
        phase: Phase::AwaitingApproval,
        paused: true,
        plan_active: true,
        ..Message::default()
    };
    Classifier::builtin().read(&message).paused.expect("a paused pipeline always gets an answer")
}

use IntentNode as N;

/// T-02, right column, and T-04.
#[test]
fn the_examples_of_the_seeds_hold() {
    for (text, leaves) in [
        ("Add user authentication", &[N::Create, N::Modify][..]),
        ("Create a REST API", &[N::Create]),
        ("Fix the bug in auth.py", &[N::Modify]),
        ("Refactor the database layer", &[N::Modify]),
        ("Implement logging", &[N::Create, N::Modify]),
        ("Delete the old migration files", &[N::Delete]),
        ("What does this function do?", &[N::Explain]),
        ("How does authentication work?", &[N::Explain]),
        ("Can you explain the architecture?", &[N::Explain]),
        ("Why is this failing?", &[N::Explain, N::Audit]),
        ("Tell me about the database schema", &[N::Explain, N::Read]),
        ("Fix the typo in README", &[N::Modify]),
        ("Can you fix the typo in README?", &[N::Modify]),
        ("Review this PR", &[N::Review]),
        ("Find all usages of AuthService", &[N::Read]),
        ("Add input validation to login", &[N::Modify]),
        ("Delete the legacy auth module", &[N::Delete]),
    ] {
        assert!(leaves.contains(&leaf(text)), "{text:?} was read as {}", leaf(text));
    }
    assert_eq!(read("Fix the bug in auth.py", Phase::Idle).segments.len(), 1);
    assert_eq!(read("Delete the legacy auth module", Phase::Idle).whole.approval(), Approval::Explicit);
    assert_eq!(read("Add input validation to login", Phase::Idle).whole.approval(), Approval::Confirm);
    assert_eq!(read("Update", Phase::Idle).clarify, Some(Clarify::Vague));
    for line in ["build it in release mode", "build it", "run it", "test it"] {
        assert_eq!(read(line, Phase::Idle).clarify, None, "{line}: only the project can be meant");
    }
    let more = "Actually, also add password reset functionality";
    assert_eq!(turn(more, Phase::Executing), Turn::PlanContinue);
    assert!(matches!(turn(more, Phase::Idle), Turn::PlanNew(_)));
    assert!(matches!(turn("Wait, what JWT library are you using?", Phase::Executing), Turn::Query(_)));
    assert!(matches!(turn("/help", Phase::Idle), Turn::Control(Control::Help)));
    assert_eq!(read("::research", Phase::Idle).slash, Some(("research".into(), String::new())));
}

/// T-03.
#[test]
fn a_node_prefix_forces_the_node() {
    let r = read("@explain how does auth work?", Phase::Idle);
    assert_eq!(
        (r.whole.path.current(), r.text.as_str(), r.whole.source),
        (N::Explain, "how does auth work?", Source::AtNode)
    );
    assert!((r.whole.confidence - 1.0).abs() < f32::EPSILON);
    let r = read("@review", Phase::Idle);
    assert_eq!((r.whole.path.current(), r.text.as_str()), (N::Review, ""));
    assert_eq!(leaf("@EXPLAIN x"), N::Explain);
    assert_eq!(leaf("  @explain delete everything"), N::Explain);
    assert_eq!(read("@unknown hi", Phase::Idle).text, "@unknown hi");
    assert_ne!(read("please @explain this", Phase::Idle).whole.source, Source::AtNode);
    assert_eq!(read("@delete legacy.rs", Phase::Idle).whole.approval(), Approval::Explicit);
    assert!(read("@plan add auth", Phase::Idle).whole.path.nodes().starts_with(&[N::Conversation, N::Plan]));
    assert!(matches!(turn("/agent explain auth", Phase::Idle), Turn::PlanNew(_)));
    let chat = Message { text: "Add a cache", chat_only: true, ..Message::default() };
    assert!(!Classifier::builtin().read(&chat).whole.scope().allows(Capability::Write));
}

/// T-03 for every node: alone it is the node itself, and what follows may only choose among those below it.
#[test]
fn every_node_is_forced_alone_and_with_words_behind() {
    for node in IntentNode::ALL {
        for phase in Phase::ALL {
            let alone = read(&format!("@{}", node.name()), phase).whole;
            assert_eq!(alone.path, IntentPath::to(node), "@{} {phase:?}", node.name());
            for words in ["the login page", "delete the old login page", "what is this?"] {
                let reading = read(&format!("@{} {words}", node.name().to_uppercase()), phase);
                let nodes = reading.whole.path.nodes();
                assert!(
                    nodes.starts_with(IntentPath::to(node).nodes()),
                    "@{} {words} {nodes:?}",
                    node.name()
                );
                assert_eq!((reading.text.as_str(), reading.whole.source), (words, Source::AtNode));
                assert!(IntentPath::to(node).scope().contains(reading.whole.scope()) || node == N::Write);
            }
        }
    }
}

/// C-11: "q" and "quit" give up what the phase asks, and leave where it asks nothing; a "stop" never leaves.
#[test]
fn quit_gives_up_the_question_of_the_phase_or_leaves() {
    for word in ["q", "quit", "Quit.", "Q"] {
        for phase in [Phase::Idle, Phase::Planning, Phase::Executing] {
            let reading = read(word, phase);
            assert_eq!(reading.whole.turn, Turn::Control(Control::Exit), "{word} {phase:?}");
            assert!(!Classifier::builtin().unsure(&reading), "{word} {phase:?}");
        }
        for phase in [Phase::AwaitingApproval, Phase::Failed] {
            assert_eq!(turn(word, phase), Turn::Control(Control::Cancel), "{word} {phase:?}");
        }
    }
    for phase in [Phase::Planning, Phase::AwaitingApproval, Phase::Executing, Phase::Failed] {
        assert_eq!(turn("stop", phase), Turn::Control(Control::Cancel), "{phase:?}");
    }
}

/// T-07: a phrase for each row whose target is a turn of ours.
#[test]
fn follow_ups_map_to_their_turns() {
    assert!(matches!(
        turn("compare sqlx and diesel for our case", Phase::Idle),
        Turn::PlanNew(Some(PlanSub::Compare)) | Turn::Query(_)
    ));
    for text in [
        "also include the admin routes",
        "only touch the api crate",
        "use postgres instead",
        "use a different approach",
    ] {
        assert_eq!(turn(text, Phase::AwaitingApproval), Turn::PlanContinue, "{text}");
    }
    for text in ["what if we used a queue instead", "predict what happens if traffic doubles"] {
        assert_eq!(turn(text, Phase::Idle), Turn::PlanNew(Some(PlanSub::Predict)), "{text}");
        let reads = |c: Capability| read(text, Phase::Idle).whole.scope().allows(c);
        assert!(!reads(Capability::Write) && !reads(Capability::Delete), "{text}: it is foreseen, not done");
    }
    // Beside other work, and about what is there already, it is a question.
    assert!(matches!(turn("what if we used a queue", Phase::Executing), Turn::Query(_)));
    assert!(matches!(turn("what if the file does not exist?", Phase::Idle), Turn::Query(_)));
    for text in ["are you sure?", "is that really true?"] {
        assert_eq!(turn(text, Phase::Idle), Turn::Query(Some(QuerySub::Detail)), "{text}");
    }
    let query = |text: &str| turn(text, Phase::Idle);
    assert_eq!(query("how do you know?"), Turn::Query(Some(QuerySub::Provenance)));
    assert_eq!(query("summarize what lib.rs does"), Turn::Query(Some(QuerySub::Summary)));
    assert_eq!(turn("switch to proof mode", Phase::Idle), Turn::Control(Control::ModeSwitch(Mode::Proof)));
    assert_eq!(turn("reset the session", Phase::Idle), Turn::Control(Control::Reset));
}

/// T-09.
#[test]
fn messages_of_several_parts_fold() {
    let kept = |text: &str, phase| {
        let r = read(text, phase);
        r.ordered.iter().map(|i| r.segments[*i].text.clone()).collect::<Vec<_>>()
    };
    let r = read("analyze sales. wait, I got that wrong. analyze revenue instead.", Phase::Idle);
    assert_eq!(r.segments.len(), 3);
    assert_eq!(
        kept("analyze sales. wait, I got that wrong. analyze revenue instead.", Phase::Idle),
        ["analyze revenue instead"]
    );
    let r = read("switch to proof mode; verify that revenue matches", Phase::Idle);
    assert_eq!(r.segments.len(), 2);
    assert_eq!(r.ordered, [0, 1]);
    assert_eq!(r.segments[0].class.turn, Turn::Control(Control::ModeSwitch(Mode::Proof)));
    let r = read("stop. analyze revenue instead", Phase::Executing);
    assert_eq!(r.segments[r.ordered[0]].class.turn, Turn::Control(Control::Cancel));
    assert_eq!(r.ordered.len(), 2);
    assert_eq!(read("fix auth.py; add a test", Phase::Idle).ordered.len(), 2);
    assert_eq!(read("Bump version to 3.14 in Cargo.toml.", Phase::Idle).segments.len(), 1);
    assert_eq!(read("See e.g. `a.b; c`", Phase::Idle).segments.len(), 1);
}

/// T-11 and T-12: a verb of leaving with the pipeline or the agent, or a wish for another subject, leaves it,
/// however it is wrapped; the same words denied, and words about the work itself, do not.
#[test]
fn a_paused_pipeline_hears_the_words_that_leave_it() {
    let wraps: [fn(&str) -> String; 5] = [
        str::to_owned,
        str::to_uppercase,
        |w| format!("{w}."),
        |w| format!("ok, {w} please"),
        |w| format!("hm, let us {w} for now"),
    ];
    let leaving = ["exit", "stop", "cancel", "skip", "leave"].into_iter().flat_map(|verb| {
        [format!("{verb} pipeline"), format!("{verb} the pipeline"), format!("{verb} this pipeline")]
    });
    let subjects = ["topic", "question"]
        .into_iter()
        .flat_map(|noun| [format!("new {noun}"), format!("different {noun}")]);
    let words: Vec<String> =
        leaving.chain(subjects).chain(["break out".to_owned(), "forget it".to_owned()]).collect();
    for text in words.iter().flat_map(|w| wraps.map(|wrap| wrap(w))) {
        assert_eq!(paused(&text), PausedTurn::Breakout, "{text}");
    }
    for word in [
        "3",
        "3.",
        "I've changed my mind about all of this",
        "I want to do something else - just tell me what the weather in zurich is today",
    ] {
        assert_eq!(paused(word), PausedTurn::Breakout, "{word}");
    }
    for word in
        ["don't stop the pipeline", "please do not cancel the pipeline", "no need to leave the pipeline"]
    {
        assert_eq!(paused(word), PausedTurn::Resume, "{word}");
    }
    for word in [
        "instead can you use the docs",
        "instead just look at the readme",
        "instead tell me about stage 2",
        "I want to do the search now",
        "I want to ask about stage 2",
        "proceed",
        "continue",
        "yes",
        "33",
        "option 3 please",
        "1",
        "2",
        "yes, continue",
        "Stage 1 looks good",
        "Check citation 2",
    ] {
        assert_eq!(paused(word), PausedTurn::Resume, "{word}");
    }
}

/// T-17: the words of the phase's own question.
#[test]
fn short_answers_mean_what_the_phase_says() {
    use Phase as P;
    for text in [
        "y",
        "yes",
        "proceed",
        "looks good",
        "lgtm",
        "go ahead",
        "ok",
        "sure",
        "do it",
        "ja",
        "oui",
        "sí",
        "да",
        "好的",
        "はい",
        "네",
    ] {
        assert_eq!(turn(text, P::AwaitingApproval), Turn::Control(Control::Approve), "{text}");
    }
    for text in ["n", "no", "nein", "non", "нет", "不要", "いいえ", "아니요"] {
        assert_eq!(turn(text, P::AwaitingApproval), Turn::Control(Control::Cancel), "{text}");
    }
    for text in ["stop", "cancel", "abort", "stopp", "arrête", "para", "стоп", "停止", "止めて", "그만"]
    {
        assert_eq!(turn(text, P::Executing), Turn::Control(Control::Cancel), "{text}");
    }
    assert_eq!(turn("r", P::Failed), Turn::Control(Control::Redo));
    assert_eq!(turn("p", P::Failed), Turn::Control(Control::Replan));
    assert_eq!(turn("a", P::Failed), Turn::Control(Control::Cancel));
    assert_eq!(turn("try again", P::Failed), Turn::Control(Control::Redo));
    assert_eq!(turn("quit", P::Idle), Turn::Control(Control::Exit));
    assert_eq!(turn("stop", P::Idle), Turn::Control(Control::Cancel));
}

#[test]
fn every_exemplar_classifies_as_itself() {
    let set = Exemplars::parse(exemplars::BUILTIN).unwrap();
    let primary = set.iter().filter(|(s, _, _)| *s == "primary").count();
    assert!((30..=40).contains(&primary), "{primary} primary exemplars");
    for (section, name, phrase) in set.iter() {
        let phase = if name == "plan_continue" { Phase::AwaitingApproval } else { Phase::Idle };
        let row = cli_row(None, &read(phrase, phase), 0);
        let got = match section {
            "leaves" => row.leaf.name().to_owned(),
            "primary" => row.turn.to_owned(),
            _ => format!("{}.{}", row.turn, row.sub.unwrap_or("none")),
        };
        assert_eq!(got, name, "{section}: {phrase:?}");
    }
}

#[test]
fn a_broken_exemplar_file_names_line_and_column() {
    for (yaml, line, column) in [
        ("primary:\n  query:\n    - a\n  nonsense:\n", 4, 3),
        ("primary:\n  query\n", 2, 8),
        ("- x\n", 1, 1),
        ("leaves:\n  explain:\n    - \"open\n", 3, 7),
        ("other:\n", 1, 1),
        ("primary:\n\tquery:\n", 2, 1),
    ] {
        let error = Exemplars::parse(yaml).expect_err(yaml);
        assert_eq!((error.line, error.column), (line, column), "{yaml:?}: {error}");
    }
    let mine = with("leaves:\n  execute:\n    - zap the frobnicator\n");
    let r = mine.read(&Message { text: "Zap the frobnicator!", ..Message::default() });
    assert_eq!((r.whole.path.current(), r.whole.source), (N::Execute, Source::Exemplar));
}

#[test]
fn bad_input_gets_an_answer() {
    let long = "fix the bug ".repeat(90_000);
    for text in [
        "",
        "   ",
        "…;;  .",
        "?!?!",
        "\u{0}\u{1}\u{2}",
        "\u{202e}txet",
        "`",
        "```",
        "\"",
        "@",
        "/",
        "::",
        "!",
        "((((",
        "‘’“”",
        "👍🏽",
        "e\u{301}\u{301}\u{301}",
        long.as_str(),
    ] {
        for phase in Phase::ALL {
            let r = read(text, phase);
            assert!(IntentPath::try_new(r.whole.path.nodes().to_vec()).is_ok());
        }
    }
    assert!(read("", Phase::Idle).ordered.len() <= 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_text_in_any_phase_gives_a_valid_path(text in ".{0,300}", phase in 0usize..5, paused in any::<bool>(), chat_only in any::<bool>()) {
        let m = Message { text: &text, phase: Phase::ALL[phase], paused, plan_active: phase > 0, chat_only, ..Message::default() };
        let a = Classifier::builtin().read(&m);
        prop_assert!(IntentPath::try_new(a.whole.path.nodes().to_vec()).is_ok());
        prop_assert!((0.0..=1.0).contains(&a.whole.confidence));
        prop_assert_eq!(a.paused.is_some(), paused);
        prop_assert_eq!(&a, &Classifier::builtin().read(&m));
    }

    #[test]
    fn a_prohibition_never_leaves_a_write_scope(text in "(\\PC|\n){0,200}", ban in 0usize..BANS.len(), place in 0usize..5, phase in 0usize..5) {
        prop_assume!(!text.contains("```"));
        let r = read(&beside(&text, BANS[ban], place), Phase::ALL[phase]);
        prop_assert!(!writes(&r), "{:?}", r.whole);
    }

    #[test]
    fn words_of_orders_with_a_prohibition_never_write(
        words in prop::collection::vec(prop::sample::select(vec!["fix", "delete", "the", "file", "create", "a", "auth.py", "please", "run", ",", "and", ".", "\"", "`", "don't", "else", "anything", "only", "except"]), 0..14),
        ban in 0usize..BANS.len(),
    ) {
        let r = read(&format!("{} {}", words.join(" "), BANS[ban]), Phase::Idle);
        prop_assert!(!writes(&r), "{:?}", r.whole);
    }
}

#[test]
fn politeness_never_changes_the_leaf() {
    let base = [
        "fix the null check in the loader",
        "create a dockerfile for the worker",
        "delete the legacy folder",
        "run the tests",
        "add a --json flag to the export command",
        "rename the variable to count",
        "remove the unused imports in main.rs",
        "explain the borrow checker",
        "review my pull request",
        "list all public functions",
        "refactor the upload handler",
        "commit the changes",
        "write a script that rotates logs",
        "show me the config file",
        "investigate the memory leak",
        "break the feature into tasks",
        "plan the migration to postgres",
        "drop the table sessions",
        "install the dependencies",
        "suggest a better structure for the repo",
        "find all usages of parse_date",
        "debug the login issue",
        "update the readme",
        "summarize this file",
        "propose a design for the cache",
    ];
    let wraps: [fn(&str) -> String; 20] = [
        |t| format!("please {t}"),
        |t| format!("{t} please"),
        |t| format!("{t}, please"),
        |t| format!("could you {t}"),
        |t| format!("could you please {t}?"),
        |t| format!("can you {t}?"),
        |t| format!("can you please {t}"),
        |t| format!("hey, {t}"),
        |t| format!("hi, please {t}"),
        |t| format!("{t}, thanks"),
        |t| format!("{t}. thank you!"),
        |t| format!("hello! {t}"),
        |t| format!("please could you {t}"),
        |t| format!("kindly {t}"),
        |t| format!("would you please {t}"),
        |t| format!("hey there, could you {t}, please?"),
        |t| format!("i'd like you to {t}"),
        |t| format!("i want you to {t}"),
        |t| format!("pls {t}"),
        |t| format!("{t} pls, thx"),
    ];
    let mut pairs = 0;
    for text in base {
        for wrap in wraps {
            pairs += 1;
            assert_eq!(leaf(&wrap(text)), leaf(text), "{:?}", wrap(text));
        }
    }
    assert_eq!(pairs, 500);
}

/// INT-22: a bare "would you" orders where it names what is to be done; else it asks what one would do.
#[test]
fn would_you_orders_as_could_you_does() {
    for text in [
        "fix the null check in the loader",
        "run the tests",
        "add a --json flag to the export command",
        "rename the variable to count",
        "remove the unused imports in main.rs",
        "explain the borrow checker",
        "refactor the upload handler",
        "update the readme",
    ] {
        assert_eq!(leaf(&format!("would you {text}?")), leaf(&format!("could you {text}?")), "{text}");
    }
    for (text, leaf_of) in [
        ("would you fix the typo in README?", N::Modify),
        ("Would you add a test for login?", N::Modify),
        ("would you rename Foo to Bar", N::Modify),
        ("would you delete old.txt", N::Delete),
    ] {
        assert_eq!(leaf(text), leaf_of, "{text}");
    }
    for text in [
        "would you delete this file",
        "would you fix the flaky tests before or after adding the feature",
        "would you change anything",
        "would you use a queue here",
        "would you add a cache here?",
    ] {
        let class = read(text, Phase::Idle).whole;
        assert!(!class.scope().allows(Capability::Write), "{text}: {class:?}");
    }
}

#[test]
fn what_is_no_language_is_read_to_its_end() {
    let units = [
        "[",
        "(",
        "{",
        "\"",
        "'",
        "'.",
        "`",
        "and ",
        "give ",
        "delete ",
        "fix a, ",
        "[a](b) ",
        "と",
        "しないで",
    ];
    for unit in units {
        let r = read(&unit.repeat(60_000 / unit.len()), Phase::Idle);
        assert!(IntentPath::try_new(r.whole.path.nodes().to_vec()).is_ok(), "{unit}");
    }
}

#[test]
fn a_long_paste_is_read_by_head_and_tail() {
    let paste = |lines| {
        format!("why does this crash?\n{}\nplease fix it", "let x = compute(y); // work\n".repeat(lines))
    };
    let (long, longer) = (paste(4_000), paste(40_000));
    assert!(long.len() > 100_000);
    let (long, longer) = (read(&long, Phase::Idle), read(&longer, Phase::Idle));
    assert_eq!(long.whole.path.current(), N::Modify);
    assert_eq!(long.whole, longer.whole, "what lies between says nothing");
}

fn with(yaml: &str) -> Classifier {
    Classifier::configured(Some(Exemplars::parse(yaml).unwrap()), Thresholds::default())
}

/// What a user added is found by likeness, not only word for word.
#[test]
fn phrases_of_the_user_act_through_similarity() {
    let mine = with(
        "leaves:\n  execute:\n    - ship the build to staging\n  explain:\n    - brief me on the parser\n",
    );
    let read = |text: &str| mine.read(&Message { text, ..Message::default() });
    let exact = read("Ship the build to staging!");
    assert_eq!((exact.whole.path.current(), exact.whole.source), (N::Execute, Source::Exemplar));
    assert_eq!(exact.clarify, None, "the user's own words need no question");
    let near = read("ship the new build to staging");
    assert_eq!(near.whole.path.current(), N::Execute);
    assert!(near.whole.reasoning.contains("ship the build to staging"), "{}", near.whole.reasoning);
    let near = read("brief me on the new parser");
    assert_eq!((near.whole.path.current(), near.whole.source), (N::Explain, Source::Exemplar));
}

#[test]
fn a_phrase_of_the_user_never_lifts_a_prohibition_or_conversation_only() {
    let mine = with("leaves:\n  modify:\n    - polish it but don't change anything\n    - polish it\n");
    let banned = mine.read(&Message { text: "polish it but don't change anything", ..Message::default() });
    assert!(!writes(&banned));
    let chat = mine.read(&Message { text: "polish it", chat_only: true, ..Message::default() });
    assert!(!writes(&chat));
}

#[test]
fn a_near_phrase_deepens_a_path_only_by_asking() {
    let mine = with("leaves:\n  modify:\n    - how is the greeting of the start page doing\n");
    let r = mine
        .read(&Message { text: "how is the greeting of the start page doing today", ..Message::default() });
    assert!(!writes(&r) || r.clarify.is_some(), "{:?}", r.whole);
}

/// Which kind of change it is called matters to nobody: no model is asked about it. Whether it is one does.
#[test]
fn an_order_is_sure_where_only_the_kind_of_change_is_in_doubt() {
    let classifier = Classifier::builtin();
    let sure = |text: &str, phase| {
        let plan_active = phase != Phase::Idle;
        let r = classifier.read(&Message { text, phase, plan_active, ..Message::default() });
        assert!(r.whole.confidence < 0.8, "{text} leaves no doubt: {:?}", r.whole);
        !classifier.unsure(&r)
    };
    for text in ["turn the script into an installable cli package", "we could use a .editorconfig"] {
        assert!(sure(text, Phase::Idle), "{text}");
    }
    for text in ["jumble frob the wuzzle", "let me see the fuzzers run and then change what they find"] {
        assert!(!sure(text, Phase::Idle), "{text}");
    }
    // Beside a plan the leaf does not say which turn it is.
    assert!(!sure("don't you dare run that on the live server", Phase::AwaitingApproval));
}

/// T-02: "Update it" with and without something that was talked about.
#[test]
fn what_was_talked_about_gives_a_short_order_its_object() {
    let read = |text: &str, context: &[&str]| {
        let context: Vec<String> = context.iter().map(|c| (*c).to_owned()).collect();
        Classifier::builtin().read(&Message { text, context: &context, ..Message::default() })
    };
    let bug =
        ["why does the login crash on an empty name?", "The check in src/auth.rs takes the first letter."];
    let r = read("Update it", &bug);
    assert_eq!((r.whole.path.current(), r.clarify), (N::Modify, None), "{:?}", r.whole);
    assert!(r.whole.confidence >= 0.8 && r.whole.confidence > read("Update it", &[]).whole.confidence);
    for context in [&[][..], &["hi", "hello"]] {
        assert_eq!(read("Update it", context).clarify, Some(Clarify::Vague), "{context:?}");
    }
    assert_eq!(read("fix it", &bug).whole.path.current(), N::Modify);
    assert_eq!(read("delete it", &bug).whole.approval(), Approval::Explicit);
    for asks in ["can it crash?", "should we fix it?", "update it? why", "don't fix it"] {
        let r = read(asks, &bug);
        assert!(!writes(&r) || r.clarify.is_some(), "{asks}: {:?}", r.whole);
    }
}

/// T-07 and §1.4: what makes a thing of its own beside a plan is no change of it.
#[test]
fn an_order_of_its_own_beside_a_plan_is_a_new_one() {
    let phases = [Phase::Planning, Phase::AwaitingApproval, Phase::Executing, Phase::Failed];
    for text in [
        "create a README",
        "new task: write a REST server",
        "build a dashboard for the notes",
        "build a dashboard for",
        "create a report of this",
        "please write a REST server",
    ] {
        for phase in phases {
            assert!(matches!(turn(text, phase), Turn::PlanNew(_)), "{text} {phase:?}");
        }
    }
    for text in [
        "also create a README",
        "create a test for it",
        "write a test for that as well",
        "write a test first",
        "use a map instead",
        "only create a README",
        "add a step for tests",
    ] {
        assert_eq!(turn(text, Phase::AwaitingApproval), Turn::PlanContinue, "{text}");
    }
}

/// §1.4: what neither edits nor extends the plan that waits is work of its own; whoever knows the plan looks whether it
/// speaks of the same.
#[test]
fn an_order_says_by_itself_that_it_stands_apart_from_a_plan() {
    let apart = |text: &str| Classifier::builtin().stands_apart(text);
    for (text, of) in [
        ("Fix the bug in auth.py", "the bug in auth.py"),
        ("Fix the typo in README", "the typo in README"),
        ("Refactor the database layer", "the database layer"),
        ("Implement logging", "logging"),
        ("Delete the legacy auth module", "the legacy auth module"),
        ("Add input validation to login", "input validation to login"),
        ("rename Foo to Bar in lib.rs", "Foo to Bar in lib.rs"),
        ("bump serde to 1.0.200", "serde to 1.0.200"),
        ("remove the old docs folder", "the old docs folder"),
        ("run the tests", "the tests"),
        ("could you fix the bug in auth.py?", "the bug in auth.py"),
        ("add a --json flag to the CLI, with tests and a section in README.md", "a --json flag to the CLI"),
    ] {
        assert_eq!(apart(text).as_deref(), Some(of), "{text}");
    }
    for text in [
        "also fix the bug in auth.py",
        "fix the bug in auth.py instead",
        "only fix the bug in auth.py",
        "fix it",
        "fix that in auth.py too",
        "remove step 2",
        "run the tests first",
        "run the tests after each step",
        "add tests",
        "add a rollback step to the plan",
        "use SHA-256 there",
        "call it sync rather than refresh",
        "put the index in the same migration",
        "write the docs last",
        "no, fix auth.py",
        "fix the parser, then the lexer",
        "don't touch the tests",
        "why would one fix auth.py?",
        "make it smaller",
        "crea también un archivo de pruebas",
        "supprime aussi l'ancien dossier",
        "lösche auch den alten Ordner",
        "and rename the class in lib.rs",
        "rename the class while you are in there",
        "delete the old files when you are through",
        "add the missing folders to lib and carry on",
        "run the tests with coverage",
        "sorry, port 9000",
        "",
    ] {
        assert_eq!(apart(text), None, "{text}");
    }
}

/// INT-31: what a message is about, by the structure of its sentence.
#[test]
fn a_target_is_what_is_asked_about_or_worked_on() {
    for (text, target) in [
        ("What does this function do?", "this function"),
        ("How does authentication work?", "authentication"),
        ("Why is this failing?", "this"),
        ("how did you get 42?", "42"),
        ("how do I run the tests?", "the tests"),
        ("what does the parser do with comments?", "the parser"),
        ("why is the login page broken?", "the login page"),
        ("Where does the second redirect come from?", "the second redirect"),
        ("what is the default port?", "the default port"),
        ("are there tests for the lexer?", "tests for the lexer"),
        ("Refactor the database layer", "the database layer"),
        ("Fix the bug in auth.py", "auth.py"),
        ("fix auth.py; add a test", "auth.py, a test"),
        ("Fix the parser. Add a changelog entry. Run the tests.", "the parser, a changelog entry, the tests"),
        ("fix auth.py. fix auth.py again.", "auth.py"),
    ] {
        let reading = Classifier::builtin().read(&Message { text, ..Message::default() });
        assert_eq!(reading.whole.target.as_deref(), Some(target), "{text}");
    }
}

/// T-02: a verb of change alone says not of what, whatever was talked about; "it" points at that.
#[test]
fn a_verb_of_change_alone_is_asked_about_in_any_phase() {
    let context = ["the session bug in auth.py comes from the cookie".to_owned()];
    let read = |text: &str, phase, context: &[String]| {
        let plan_active = phase != Phase::Idle;
        Classifier::builtin().read(&Message { text, phase, plan_active, context, ..Message::default() })
    };
    for text in ["Update", "fix", "please refactor", "delete", "just fix please", "corrige", "修复"] {
        for phase in [Phase::Idle, Phase::Planning, Phase::AwaitingApproval, Phase::Executing] {
            for context in [&context[..], &[]] {
                let reading = read(text, phase, context);
                assert_eq!(reading.whole.path.current(), N::Clarify, "{text} {phase:?}");
                assert_eq!(reading.clarify, Some(Clarify::Vague), "{text} {phase:?}");
                assert_eq!(reading.whole.turn, Turn::Query(None), "{text} {phase:?}");
            }
        }
    }
    assert_eq!(read("Update it", Phase::Idle, &context).whole.turn, Turn::PlanNew(None));
    assert_eq!(read("Update it", Phase::Idle, &[]).clarify, Some(Clarify::Vague));
    // What runs the project needs no object, what is pasted is one, and a plan that waits is what "implement" means.
    for text in
        ["build", "run the tests", "TypeError: x is undefined\n    at a (b.js:1:2)\n\nfix", "implement"]
    {
        assert_ne!(read(text, Phase::Idle, &[]).clarify, Some(Clarify::Vague), "{text}");
    }
}

/// `classify` has no plan at hand: an order that stands by itself is read as the row says, every other stays what it was.
#[test]
fn an_order_that_stands_apart_is_no_change_of_a_plan_that_speaks_of_something_else() {
    let classifier = Classifier::builtin();
    let read = |text: &str, phase, speaks: bool| {
        let message = Message { text, phase, plan_active: true, ..Message::default() };
        classifier.beside_plan(classifier.read(&message), phase, |_| speaks).whole.turn
    };
    for text in
        ["Fix the bug in auth.py", "Fix the typo in README", "run the tests", "Delete the legacy auth module"]
    {
        assert_eq!(read(text, Phase::AwaitingApproval, false), Turn::PlanNew(None), "{text}");
        assert_eq!(read(text, Phase::AwaitingApproval, true), Turn::PlanContinue, "{text}");
        assert_eq!(read(text, Phase::Executing, false), read(text, Phase::Executing, true), "{text}");
    }
    for text in ["also fix the bug in auth.py", "use sqlite instead", "@modify auth.py"] {
        assert_eq!(read(text, Phase::AwaitingApproval, false), Turn::PlanContinue, "{text}");
    }
}
