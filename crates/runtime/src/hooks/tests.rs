use super::*;

fn read(text: &str) -> Result<Vec<Definition>, RuntimeError> {
    parse(Path::new("hooks.toml"), text, Origin::User)
}

#[test]
fn the_hook_of_the_seed_is_read_as_it_stands() {
    let text = r#"
[hooks.on_node_transition]
from = "plan"
to = "act"
run = "./scripts/confirm-action.sh"
block_if_fails = true
"#;
    let all = read(text).unwrap();
    let d = &all[0];
    assert_eq!((d.hook.from, d.hook.to), (Some(IntentNode::Plan), Some(IntentNode::Act)));
    assert_eq!((d.hook.way, d.timeout), (HookMode::Blocks, Duration::from_secs(30)));
    assert_eq!(d.says(), "from plan to act: runs `./scripts/confirm-action.sh`, and blocks when it fails");
}

#[test]
fn several_of_one_kind_are_an_array_and_every_field_is_read() {
    let text = r#"
[[hooks.on_run_end]]
run = "notify-send done"
when = "failure"
background = true
requires = ["notify-send"]
[[hooks.on_run_end]]
run = "true"
timeout = 5
env = { A = "b" }
[hooks.on_node_transition]
from = "*"
run = "true"
"#;
    let all = read(text).unwrap();
    assert_eq!(all.len(), 3);
    let end = |n: usize| all.iter().filter(|d| d.hook.on == Occasion::RunEnd).nth(n).unwrap();
    assert_eq!((end(0).hook.when, end(0).hook.way), (When::Failure, HookMode::Background));
    assert_eq!(end(1).env, [("A".to_owned(), "b".to_owned())]);
    assert_eq!(end(1).timeout, Duration::from_secs(5));
    assert_ne!(end(0).hook.id, end(1).hook.id);
    assert_eq!(all.iter().find(|d| d.hook.on == Occasion::NodeTransition).unwrap().hook.from, None);
}

#[test]
fn what_is_wrong_is_named_with_line_and_column() {
    let cases = [
        ("[hooks.on_nothing]\nrun = \"x\"", (1, 8), "no hook is called"),
        ("[hooks.node_transition]\nrun = \"x\"", (1, 8), "no hook is called"),
        ("[hooks.on_turn]\nrun = \"x\"\nblock_if_fails = true", (3, 18), "nothing left to block"),
        ("[hooks.on_run_end]\nrun = \"x\"\nblock_if_fails = true", (3, 18), "nothing left to block"),
        ("[hooks.on_turn]\nrun = \"x\"\nfrom = \"plan\"", (3, 8), "mean nothing here"),
        ("[hooks.on_node_transition]\nrun = \"x\"\nto = \"acting\"", (3, 6), "no node is called"),
        ("[hooks.on_turn]\nrun = \" \"", (2, 7), "one line"),
        ("[hooks.on_turn]\nrun = \"x\"\ntimeout = 0", (3, 11), "1 to 600"),
        (
            "[hooks.on_turn]\nrun = \"x\"\nwhen = \"failure\"",
            (3, 8),
            "nothing has succeeded or failed yet here",
        ),
        ("[hooks.on_run_end]\nrun = \"x\"\nwhen = \"sometimes\"", (3, 8), "unknown variant"),
        ("[hooks.on_turn]\nrun = \"x\"\nenv = { PILOTHOUSE_EVENT = \"x\" }", (3, 9), "no such variable"),
        ("[hooks.on_turn]\nrun = \"x\"\nblocks = true", (3, 1), "unknown field"),
        ("[hooks.on_turn]\nran = \"x\"", (2, 1), "unknown field"),
        ("[hooks.on_turn]\ntimeout = 3", (1, 1), "missing field"),
        ("[hook.on_turn]\nrun = \"x\"", (1, 2), "unknown field"),
        (
            "[[hooks.on_command]]\nrun = \"x\"\nbackground = true\nblock_if_fails = true",
            (3, 14),
            "background",
        ),
        ("[hooks", (1, 7), ""),
    ];
    for (text, place, says) in cases {
        let Err(RuntimeError::Config { line, column, message, hint, .. }) = read(text) else {
            panic!("{text}: accepted")
        };
        assert!(message.contains(says), "{text}: {message}");
        assert_eq!((line, column), place, "{text}: {message}");
        assert!(!hint.is_empty());
    }
}
