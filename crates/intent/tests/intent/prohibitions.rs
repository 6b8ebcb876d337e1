//! What a message forbids is never done, wherever in it the words stand.

use super::*;

pub(super) const BANS: &[&str] = &[
    "Don't change anything.",
    "do not modify anything",
    "without changing anything",
    "ändere nichts",
    "no cambies nada",
    "ne change rien",
    "não mude nada",
    "non cambiare nulla",
    "ничего не меняй",
    "verander niets",
    "please make no changes",
    "leave everything as it is",
    "no edits, just tell me",
    "ohne irgendetwas zu verändern",
    "sans rien modifier",
    "sin tocar nada",
    "senza modificare niente",
    "sem alterar nada",
    "ändra ingenting",
    "कुछ भी मत बदलो",
    "لا تغير أي شيء",
    "niczego nie zmieniaj",
    "hiçbir şeyi değiştirme",
    "不要修改任何东西",
    "何も変更しないで",
    "아무것도 변경하지 마",
];

pub(super) fn writes(r: &Reading) -> bool {
    let may = |c| r.whole.scope().allows(c);
    may(Capability::Write) || may(Capability::Delete)
}

#[test]
fn a_prohibition_after_an_order_leaves_no_write_scope() {
    for text in [
        "fix the bug in auth.py",
        "delete old.rs",
        "rm -rf build",
        "!rm -rf build",
        "@delete legacy.rs",
        "/agent fix it",
        "create a file `x",
        "```\nlet a = 1;",
        "refactor \"this",
    ] {
        for ban in BANS {
            for phase in Phase::ALL {
                let r = read(&format!("{text} {ban}"), phase);
                assert!(!writes(&r), "{text:?} + {ban:?} in {phase:?}: {:?}", r.whole);
            }
        }
    }
}

/// A ban as it is said before, behind, within or on a line of its own in another text.
pub(super) fn beside(text: &str, ban: &str, place: usize) -> String {
    match place % 5 {
        0 => format!("{text} {ban}"),
        1 => format!("{text}. {ban}"),
        2 => format!("{text}\n{ban}"),
        3 => format!("{ban}. {text}"),
        _ => {
            let (head, rest) = text.split_at(text.floor_char_boundary(text.len() / 2));
            let (word, tail) = rest.split_once(' ').unwrap_or((rest, ""));
            format!("{head}{word}\n{ban}\n{tail}")
        }
    }
}

/// Whether a text by itself orders a run, or says yes to one.
pub(super) fn runs(text: &str, phase: Phase) -> bool {
    let alone = read(text, phase).whole;
    alone.path.current() == N::Execute || matches!(alone.turn, Turn::Control(_))
}

/// Every line of the corpus in turn, each with one of the bans at one of the places in one of the
/// phases; a stride so that debug builds stay fast. `INTENT_STRIDE=1` takes all of them.
#[test]
fn a_prohibition_beside_any_line_of_the_corpus_stops_every_change() {
    let stride = option_env!("INTENT_STRIDE").and_then(|s| s.parse().ok()).unwrap_or(7);
    let corpus = include_str!("../../../../assets/intent/corpus.jsonl");
    let (mut wrong, mut tried, mut ran) = (Vec::new(), 0usize, 0usize);
    for (n, line) in corpus.lines().enumerate().step_by(stride) {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        let text = row["text"].as_str().unwrap();
        if text.contains("```") || text.starts_with(['/', ':', '@', '!']) {
            continue;
        }
        let (ban, place, phase) = (BANS[n % BANS.len()], n / 3, Phase::ALL[n % 5]);
        let both = beside(text, ban, place);
        let r = read(&both, phase);
        let leaf = r.whole.path.current();
        if writes(&r) {
            wrong.push(format!("{leaf} in {phase:?}: {both:?}"));
        }
        tried += 1;
        ran += usize::from(leaf == N::Execute && !runs(text, phase));
    }
    assert!(wrong.is_empty(), "{} acted:\n{}", wrong.len(), wrong.join("\n"));
    assert!(ran * 500 <= tried, "{ran} of {tried} run what was not ordered to run");
}

#[test]
fn a_yes_is_never_guessed_beside_a_negation() {
    for text in [
        "i'm not happy with this plan",
        "no, not like that",
        "don't start yet",
        "i do not approve",
        "this is not ok",
        "nicht so",
        "no está bien",
    ] {
        let got = turn(text, Phase::AwaitingApproval);
        assert_ne!(got, Turn::Control(Control::Approve), "{text}");
        assert_ne!(got, Turn::Control(Control::Proceed), "{text}");
    }
}

#[test]
fn a_prohibition_in_the_middle_of_a_long_paste_is_heard() {
    for (ban, filler) in BANS.iter().zip(
        ["let x = compute(y); // work\n", "the quick fox fixed the bug. ", "npm ERR! code 1\n"]
            .iter()
            .cycle(),
    ) {
        let half = filler.repeat(600);
        let text = format!("please fix the loader\n{half}\n{ban}\n{half}\nand delete the cache");
        for phase in [Phase::Idle, Phase::Planning] {
            let r = read(&text, phase);
            assert!(!writes(&r), "{ban} in {phase:?}: {:?}", r.whole);
        }
    }
}

#[test]
fn pasted_output_before_a_prohibition_does_not_hide_it() {
    for pasted in [
        "npm ERR! missing script: dev.",
        "Traceback (most recent call last):\n  File \"a.py\", line 3\nKeyError: 'x'",
        "error[E0277]: no such method",
        "> hint: run it again",
    ] {
        for ban in BANS {
            for phase in Phase::ALL {
                for text in [
                    format!("{pasted} {ban}"),
                    format!("{pasted}\n{ban}"),
                    format!("{ban}\n{pasted}"),
                    format!("fix this\n{ban}\n{pasted}"),
                ] {
                    assert!(!writes(&read(&text, phase)), "{text:?} in {phase:?}");
                }
            }
        }
    }
}

/// A brace behind prose does not make code of it, nor does a mark before it.
#[test]
fn a_prohibition_in_a_line_that_looks_like_code_is_heard() {
    for ban in BANS {
        for line in ["{}. {", "{} {", "{} };", "{}. }", "    {}; }", "let a = 1; {};"] {
            let line = line.replace("{}", ban);
            for text in [
                format!("fix the bug in auth.py\n{line}\n"),
                format!("{line}\ndelete old.rs"),
                format!("{line}\nx(); // done\nrename the field"),
                "* hiçbir şeyi değiştirme. {\nfix the bug".to_owned(),
            ] {
                for phase in [Phase::Idle, Phase::Executing] {
                    assert!(!writes(&read(&text, phase)), "{text:?} in {phase:?}");
                }
            }
        }
    }
}

/// A paste may hold such words in a comment or in a fence; they are not the writer's.
#[test]
fn a_prohibition_in_pasted_code_is_not_the_writers() {
    for text in [
        "fix the parser\n```\n// don't change anything\nfn a() {}\n```",
        "rename the field to total\n// Code generated by protoc-gen. DO NOT EDIT.\npub struct Order { pub sum: u64 }",
        "rename the field to total\nlet sum = order.sum(); // leave it as it is",
        "rename the field to total\nlet state = frozen;",
    ] {
        assert!(writes(&read(text, Phase::Idle)), "{text:?}");
    }
}
