//! The data in `assets/knowledge`: every word in it means something.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a test stands outside"
)]

use std::collections::BTreeSet;

use pilothouse_shell::{Role, control, is, is_known, rules, secrets, steers};

const FILES: [(&str, &str); 9] = [
    ("base", include_str!("../../../assets/knowledge/base.txt")),
    ("git", include_str!("../../../assets/knowledge/git.txt")),
    ("dev", include_str!("../../../assets/knowledge/dev.txt")),
    ("net", include_str!("../../../assets/knowledge/net.txt")),
    ("system", include_str!("../../../assets/knowledge/system.txt")),
    ("mac", include_str!("../../../assets/knowledge/mac.txt")),
    ("exec", include_str!("../../../assets/knowledge/exec.txt")),
    ("options", include_str!("../../../assets/knowledge/options.txt")),
    ("roles", include_str!("../../../assets/knowledge/roles.txt")),
];

/// Names that end in a digit like a name without it, and are real.
const REAL: [&str; 8] = ["buck2", "gpg2", "json2", "markdownlint-cli2", "pip2", "pm2", "python2", "wget2"];

fn lines() -> impl Iterator<Item = (&'static str, &'static str)> {
    FILES.into_iter().flat_map(|(file, text)| {
        text.lines().filter(|l| !l.is_empty() && !l.starts_with('#')).map(move |l| (file, l))
    })
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table of the data")]
fn every_line_is_understood() {
    const DIRECTIVES: &[&str] = &[
        "takes",
        "gtakes",
        "out",
        "in",
        "run",
        "flags",
        "code",
        "command",
        "conf",
        "loads",
        "folder",
        "wipes",
        "url",
        "sets",
        "rest",
        "alters",
        "task",
        "hands",
        "parts",
        "begins",
        "word",
        "filter",
        "closed",
        "reads",
        "may",
        "count",
        "choice",
        "values",
        "tasks",
        "taskswith",
        "onlywith",
        "letters",
        "passes",
        "plus",
        "first",
        "empties",
        "allwith",
        "follows",
        "starts",
        "names",
        "moves",
        "inner",
        "long1",
        "helpfirst",
        "nohelp",
        "also",
        "text",
        "dest",
        "subhelp",
        "namesubs",
        "wraps",
        "valued",
        "deep",
        "is",
        "work",
        "takesin",
    ];
    const ROLES: &[&str] = &[
        "builtin",
        "setter",
        "shell",
        "filter",
        "shows",
        "passing",
        "holding",
        "versioned",
        "compressor",
        "ascii",
        "interpreter",
        "filer",
        "typed",
        "word",
        "told",
        "alone",
        "project",
        "verb",
        "patterns",
        "each",
        "searches",
        "waits",
        "lines",
    ];
    for (file, line) in lines().filter(|(_, l)| l.starts_with("  ")) {
        let words: Vec<&str> = line.split_whitespace().collect();
        if let Some(at) = words.iter().position(|w| matches!(*w, ":" | "=" | "^")) {
            assert!(rules::exists(words[at + 1]), "{file}: {line}");
        } else if let Some(at) = words.iter().position(|w| *w == ">") {
            let effects = ["read", "create", "run", "change", "delete", "wide", "unpacks"];
            assert!(effects.contains(&words[at + 1]), "{file}: {line}");
        } else {
            assert!(DIRECTIVES.contains(&words[0].split('@').next().unwrap_or("")), "{file}: {line}");
            match words.as_slice() {
                ["is", roles @ ..] => assert!(roles.iter().all(|r| ROLES.contains(r)), "{file}: {line}"),
                ["wraps", skip, rest @ ..] => {
                    skip.parse::<usize>().unwrap();
                    assert!(matches!(rest, [] | ["floor", _]), "{file}: {line}");
                    assert!(rest.get(1).is_none_or(|rule| rules::exists(rule)), "{file}: {line}");
                }
                _ => {}
            }
        }
    }
}

#[test]
fn no_name_is_struck_out_by_a_digit() {
    let all: BTreeSet<&str> =
        lines().flat_map(|(_, l)| l.split([' ', '|', ','])).filter(|w| w.len() > 1).collect();
    let lists = secrets::patterns()
        .map(|(name, _)| name)
        .chain(control::patterns().map(str::to_owned))
        .collect::<Vec<_>>();
    let names = all.iter().copied().chain(lists.iter().map(String::as_str));
    let struck: Vec<&str> = names
        .filter(|w| !REAL.contains(w) && w.ends_with('2'))
        .filter(|w| w.strip_suffix('2').is_some_and(|plain| all.contains(plain) || is_known(plain)))
        .collect();
    assert!(struck.is_empty(), "{struck:?}");
}

#[test]
fn what_people_type_is_known() {
    for name in ["git", "npm", "ls", "make", "time", "sudo", "xargs", "bash", "cd"] {
        assert!(is_known(name), "{name}");
    }
    assert!(is("git", Role::Typed) && is("git", Role::Word) && !is("git", Role::Shell));
}

#[test]
fn the_lists_hold_what_any_part_knew() {
    let secret: Vec<String> = secrets::patterns().map(|(name, _)| name).collect();
    for name in [".env", "*.pem", ".ssh except known_hosts", "credentials.toml", "*.tfvars", "/etc/shadow"] {
        assert!(secret.iter().any(|p| p.split(" except ").next() == name.split(" except ").next()), "{name}");
    }
    for path in [
        ".env",
        "a/.env.local",
        "x.tfvars",
        "~/.ssh/config",
        "secrets.prod.yaml",
        "/run/secrets/x",
        "~/.config/gh/hosts.yml",
    ] {
        assert!(secrets::is_secret(path), "{path}");
    }
    for path in [
        ".env.example",
        "id_rsa.pub",
        "src/secrets.rs",
        "docs/tokens.md",
        "cert.pem",
        ".pem",
        ".key",
        "src/shadows.rs",
    ] {
        assert!(!secrets::is_secret(path), "{path}");
    }
    for place in ["~/.ssh", "~/.config/gh", "~/.docker/config.json", "~/Library/Cookies", "~/.vault-token"] {
        assert!(secrets::places().any(|p| p == place), "{place}");
    }
    for path in
        [".npmrc", "sub/.cargo/config.toml", ".github/workflows/ci.yml", ".claude/x", ".gitlab-ci.yml"]
    {
        assert!(control::control(path.split('/')).is_some(), "{path}");
    }
    assert!(["CARGO", "GREP_OPTIONS", "PATH", "LD_PRELOAD", "https_proxy"].iter().all(|name| steers(name)));
}
