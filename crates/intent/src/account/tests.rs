#![allow(clippy::unwrap_used)]

use super::*;

#[test]
fn a_question_about_the_session_is_told_from_one_about_the_project() {
    let about = |text: &str| Classifier::default().asks_record(text).map(|q| q.about);
    for (text, wanted) in [
        ("what did you change?", Recorded::Changes),
        ("Which files have you changed so far?", Recorded::Changes),
        ("what did you change in src/lib.rs exactly?", Recorded::Changes),
        ("was hast du geändert?", Recorded::Changes),
        ("¿qué has cambiado?", Recorded::Changes),
        ("che cosa hai modificato?", Recorded::Changes),
        ("which did I not take?", Recorded::Left),
        ("what did I skip?", Recorded::Left),
        ("which hunks did I reject?", Recorded::Left),
        ("why did it fail?", Recorded::Failure),
        ("what went wrong?", Recorded::Failure),
        ("warum ist es fehlgeschlagen?", Recorded::Failure),
        ("pourquoi ça a échoué ?", Recorded::Failure),
        ("why did the tests fail?", Recorded::Failure),
        ("did the tests pass?", Recorded::Gates),
        ("which commands did you run?", Recorded::Commands),
        ("what happened?", Recorded::All),
        ("what have you done so far?", Recorded::All),
    ] {
        assert_eq!(about(text), Some(wanted), "{text}");
    }
    for text in [
        "what would you change?",
        "what can you change in the parser?",
        "what should I change?",
        "why did you change it?",
        "what is left to do?",
        "what is left?",
        "what happened to the parser?",
        "how did it fail?",
        "why does the login fail?",
        "what do the tests check?",
        "summarize README.md",
        "change the file",
        "",
    ] {
        assert_eq!(about(text), None, "{text}");
    }
    let asked = Classifier::default().asks_record("what did you change in src/lib.rs exactly?").unwrap();
    assert!(asked.closely && asked.names == ["src/lib.rs"]);
}

#[test]
fn a_question_where_the_session_was_left_is_told_from_one_about_the_project() {
    let about = |text: &str| Classifier::default().asks_record(text).map(|q| q.about);
    for text in [
        "where were we?",
        "ok, where were we",
        "Hi! I'm back. Where were we?",
        "where did we leave off yesterday?",
        "remind me what we were doing",
        "can you remind me where we left off?",
        "what were we working on last time?",
        "what was I doing?",
        "give me a quick recap please",
        "recap",
        "catch me up",
        "bring me up to speed",
        "sum up what we did so far",
        "summarize this session",
        "what's still open?",
        "what did I miss?",
        "wo waren wir stehen geblieben?",
        "was haben wir zuletzt gemacht",
        "où en étions-nous ?",
        "¿dónde lo dejamos?",
        "refresh my memory",
        "what did we do before lunch?",
    ] {
        assert_eq!(about(text), Some(Recorded::Thread), "{text}");
    }
    for text in [
        "where are we?",
        "status",
        "where were we calling parse?",
        "where were we going wrong in the parser",
        "where did we leave the config file?",
        "what were we thinking with this API?",
        "what was I doing wrong in main.rs?",
        "pick up where we left off",
        "continue where we left off",
        "catch me up on the parser",
        "bring me up to speed on the build",
        "recap the auth module",
        "summarize the README",
        "sum up what the parser does",
        "remind me how the cache works",
        "what did we do wrong?",
        "what is open in the parser?",
        "which issues are still open?",
        "fill me in on src/a.rs",
        "refresh the cache",
        "what have we got in src?",
        "what is left to do",
    ] {
        assert_ne!(about(text), Some(Recorded::Thread), "{text}");
    }
}

#[test]
fn what_is_to_hold_from_now_on_is_told_from_what_only_is_so() {
    let rule = |text: &str| Classifier::default().standing_rule(text);
    for (text, kept) in [
        ("always use pnpm here", "Always use pnpm here"),
        ("No, never touch the generated files.", "Never touch the generated files"),
        ("Fix the parser. From now on, write tests first!", "From now on, write tests first"),
        ("please remember that v1.2 is frozen", "V1.2 is frozen"),
        ("immer Tabs verwenden", "Immer Tabs verwenden"),
        ("we always use tabs", "Always use tabs"),
    ] {
        assert_eq!(rule(text).as_deref(), Some(kept), "{text}");
    }
    for text in [
        "never mind",
        "it always fails on CI",
        "always fails on my machine",
        "never worked for me",
        "do you always use tabs?",
        "make the function always return 0",
        "remember?",
        "fix the parser",
    ] {
        assert_eq!(rule(text), None, "{text}");
    }
}
