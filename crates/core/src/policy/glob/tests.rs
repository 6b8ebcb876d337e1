#![allow(clippy::unwrap_used)]

use super::*;

fn places() -> Places {
    Places { root: "/home/u/proj".into(), home: "/home/u".into(), ..Places::default() }
}

fn covers(pattern: &str, path: &str) -> bool {
    let places = places();
    Glob::parse(pattern).unwrap().covers(&Target::exact(path, &places), &places, true)
}

#[test]
fn a_pattern_covers_components_and_never_a_prefix_of_the_text() {
    for (pattern, path, want) in [
        ("secrets/**", "secrets/key", true),
        ("secrets/**", "secrets", true),
        ("secrets/**", "secrets-evil/key", false),
        ("secrets/**", "a/secrets/key", false),
        ("**/secrets/**", "a/secrets/key", true),
        (".env", ".env", true),
        (".env", "a/b/.env", true),
        (".env", ".env.example", false),
        (".env", "/etc/app/.env", true),
        (".env.*", ".env.local", true),
        ("*.pem", "certs/x.pem", true),
        ("src/*.rs", "src/a.rs", true),
        ("src/*.rs", "src/b/a.rs", false),
        ("src/**/a.rs", "src/a.rs", true),
        ("src/**/a.rs", "src/b/c/a.rs", true),
        ("~/.ssh", "/home/u/.ssh/id_rsa", true),
        ("~/.ssh", ".ssh/id_rsa", false),
        ("/etc/passwd", "/etc/passwd", true),
        ("./src/a", "/home/u/proj/src/a", true),
        ("secrets/**", "x/../secrets/key", true),
        ("secrets/**", "SECRETS/Key", true),
        ("**", "anything/at/all", true),
        ("src/", "src/x", true),
    ] {
        assert_eq!(covers(pattern, path), want, "{pattern} {path}");
    }
}

#[test]
fn an_open_folder_is_no_file_that_a_rule_names() {
    let places = places();
    let may = |pattern: &str, path: &str, files: bool| {
        let targets = Target::of_line(path, "", Some(&[String::new()]), &places, Wild::Shell);
        let glob = Glob::parse(pattern).unwrap();
        let glob = if files { glob.of_files() } else { glob };
        targets.iter().any(|t| glob.covers(t, &places, true))
    };
    for (path, want) in [
        ("crates/*/Cargo.toml", false),
        ("*/*.rs", false),
        ("**/*.rs", false),
        ("packages/*/", true),
        ("a/*", true),
        ("a/id_*", true),
        ("id_rsa/x", true),
        ("*/id_rsa/*.md", true),
        ("\u{1a}/id_rsa", true),
    ] {
        assert_eq!(may("id_rsa", path, true), want, "{path}");
    }
    assert!(may("secrets", "*/key", false) && may("secrets/key", "s*/key", true));
}

#[test]
fn an_open_path_is_covered_when_it_may_mean_a_covered_file() {
    let places = places();
    let may = |pattern: &str, path: &str, from: Option<&[String]>| {
        let targets = Target::of_line(path, "", from, &places, Wild::Any);
        let glob = Glob::parse(pattern).unwrap();
        targets.iter().any(|t| glob.covers(t, &places, true))
    };
    let here = [String::new()];
    let there = [String::new(), "secrets".to_owned()];
    for (pattern, path, from, want) in [
        (".env", ".e*", Some(&here[..]), true),
        (".env", "*.rs", Some(&here[..]), false),
        ("secrets/**", "s*/k?y", Some(&here[..]), true),
        ("secrets/**", "\u{1a}/key", Some(&here[..]), false),
        ("secrets/**", "\u{1a}/secrets/key", Some(&here[..]), true),
        ("secrets/key", "\u{1a}/key", Some(&here[..]), true),
        (".env", "\u{1a}/Cargo.toml", Some(&here[..]), false),
        ("**", "\u{1a}/key", Some(&here[..]), true),
        ("secrets/key", "\u{1a}/other", Some(&here[..]), false),
        (".env", "\u{1a}.env", Some(&here[..]), true),
        ("secrets/key", "key", Some(&there[..]), true),
        ("secrets/key", "key", None, true),
        ("secrets/key", "../key", Some(&there[..]), false),
        (".env", ".en[uv]", Some(&here[..]), true),
    ] {
        assert_eq!(may(pattern, path, from), want, "{pattern} {path}");
    }
}

#[test]
fn a_wildcard_of_the_shell_in_front_of_a_name_is_no_dot() {
    let places = places();
    let may = |pattern: &str, path: &str| {
        let targets = Target::of_line(path, "", Some(&[String::new()]), &places, Wild::Shell);
        let glob = Glob::parse(pattern).unwrap();
        targets.iter().any(|t| glob.covers(t, &places, true))
    };
    for (pattern, path, want) in [
        (".env.*", "src/*.rs", false),
        (".env.*", "*", false),
        (".ssh", "*/config", false),
        (".ssh", "**/config", false),
        (".env", "[.]env", false),
        (".env", ".*", true),
        (".env.*", ".env*", true),
        (".env.*", "***.rs", true),
        ("*.env", "*.env", true),
        ("secrets/**", "*/key", true),
        (".env.*", "\u{1a}.rs", true),
    ] {
        assert_eq!(may(pattern, path), want, "{pattern} {path}");
    }
}

#[test]
fn unknown_syntax_is_an_error_at_its_place() {
    for (pattern, at) in
        [("a/[bc]", 2), ("a/../b", 2), ("a/b**", 2), ("{a,b}", 0), ("~bob/x", 0), ("", 0), ("!x", 0)]
    {
        assert_eq!(Glob::parse(pattern).unwrap_err().at, at, "{pattern}");
    }
}

/// Whether some name fits both, tried element by element.
fn tried(a: &[Mark], b: &[Mark]) -> bool {
    match (a, b) {
        ([], rest) | (rest, []) => rest.iter().all(|m| *m == Mark::Run),
        ([Mark::Run, x @ ..], [_, y @ ..]) => tried(x, b) || tried(a, y),
        ([_, x @ ..], [Mark::Run, y @ ..]) => tried(a, y) || tried(x, b),
        ([Mark::One(c), ..], [Mark::One(d), ..]) if !c.eq_ignore_ascii_case(d) => false,
        ([_, x @ ..], [_, y @ ..]) => tried(x, y),
    }
}

#[test]
fn names_meet_as_they_do_element_by_element() {
    let marks = [Mark::One('a'), Mark::One('A'), Mark::One('b'), Mark::Any, Mark::Run];
    let mut all: Vec<Vec<Mark>> = vec![Vec::new()];
    let mut longest = all.clone();
    for _ in 0..3 {
        let longer = |name: &Vec<Mark>| marks.map(|m| name.iter().copied().chain([m]).collect::<Vec<_>>());
        longest = longest.iter().flat_map(longer).collect();
        all.extend(longest.iter().cloned());
    }
    for a in &all {
        for b in &all {
            assert_eq!(name_meets(a, b, true), tried(a, b), "{a:?} {b:?}");
        }
    }
    let name = |text: &str| text.chars().map(Mark::One).collect::<Vec<_>>();
    assert!(
        name_meets(&name("\u{212a}ey"), &name("KEY"), true) && !name_meets(&name("key"), &name("KEY"), false)
    );
}
