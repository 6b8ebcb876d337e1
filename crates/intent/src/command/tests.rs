//! The table of commands, and how a line is held against it.

use super::*;

#[test]
fn every_name_and_alias_stands_once_and_is_read_as_a_command() {
    let names: Vec<&str> = SLASH_COMMANDS
        .iter()
        .flat_map(|c| std::iter::once(c.name).chain(c.aliases.iter().copied()))
        .collect();
    for (at, name) in names.iter().enumerate() {
        assert!(!names.iter().skip(at + 1).any(|n| n == name), "{name} stands there twice");
        for line in [format!("/{name}"), format!("::{} x y", name.to_uppercase()), format!("  :{name}  ")] {
            assert!(
                SlashCommand::of_line(&line)
                    .is_some_and(|(c, _)| { c.name == *name || c.aliases.contains(name) }),
                "{line}"
            );
        }
    }
}

#[test]
fn arguments_are_asked_for_where_they_are_needed_and_refused_where_not() {
    let check = |line: &str| SlashCommand::of_line(line).map(|(c, args)| c.check(&args));
    assert_eq!(check("/agent fix it"), Some(Ok(())));
    assert_eq!(check("/agent"), Some(Err("write /agent TASK".to_owned())));
    assert_eq!(check("/unundo everything"), Some(Err("/unundo takes nothing after its name".to_owned())));
    assert_eq!(check("/plan"), Some(Ok(())));
    assert_eq!(check("/usr/bin/env"), None);
    assert_eq!(SlashCommand::nearest("statsu"), Some("status"));
    assert_eq!(SlashCommand::nearest("zzz"), None);
}

#[test]
fn the_screen_takes_its_own_and_the_session_the_rest() {
    let screen = |line: &str| SlashCommand::of_line(line).is_some_and(|(c, args)| c.is_for_screen(&args));
    for own in ["/quit", "  /KEYS ", "/theme nord", "/diff", "/plan", "/why", "/h"] {
        assert!(screen(own), "{own}");
    }
    for other in ["/undo", "/proof", "/plan a migration", "quit", "/agent fix it", "/", "/nonsense"] {
        assert!(!screen(other), "{other}");
    }
}

#[test]
fn a_name_that_is_like_none_names_no_other() {
    assert_eq!(SlashCommand::nearest("revise"), None, "no session is thrown away for want of a word");
    assert_eq!(
        SlashCommand::named("resume").map(|c| c.does),
        Some(Slash::Runs),
        "nor for one that lists them"
    );
    assert_eq!(SlashCommand::nearest("rest"), Some("reset"));
    assert_eq!(
        SlashCommand::named("mode").and_then(|c| c.control("proof")),
        Some(Control::ModeSwitch(Mode::Proof))
    );
}

#[test]
fn a_line_after_one_mark_or_two_is_the_command_itself() {
    for (text, line) in [
        ("!git config user.name Ann", Some("git config user.name Ann")),
        ("!!git config user.name Ann", Some("git config user.name Ann")),
        (" !! ./make it", Some("./make it")),
        ("!", None),
        ("!!", None),
        ("!!! wow", None),
    ] {
        assert_eq!(bang(text), line, "{text}");
    }
}
