//! The rules of permission once more, as plainly as they can be said: what the real ones are compared with.
//!
//! It knows from the generator what a line is made of, so it needs no reader of shell lines.
#![allow(missing_docs, clippy::indexing_slicing, clippy::string_slice)]

use pilothouse_core::{policy::Outcome, scope::PermissionMode, shell::Risk};
use regex::Regex;

/// One command of a line, as the generator made it.
#[derive(Clone, Debug)]
pub struct Piece {
    pub line: &'static str,
    pub argv: &'static [&'static str],
    pub risk: Risk,
    /// `r:path`, `w:path`, `d:path`, `>:path`.
    pub touches: &'static [&'static str],
    pub hosts: &'static [&'static str],
}

#[derive(Clone, Debug)]
pub enum Asked {
    Line(Vec<Piece>),
    /// `r`, `w` or `d`, and a path.
    Path(char, &'static str),
    Mcp(&'static str, &'static str, bool),
    Host(&'static str),
}

/// `deny command git push` with whose it is: `b`uilt-in, `u`ser, `p`roject, `s`ession.
pub type Stated = (String, char);

/// What is known of the place, and how a command is to run in it.
#[derive(Clone, Copy, Debug)]
pub struct Where {
    pub trusted: bool,
    pub sandboxed: bool,
    pub network: bool,
    pub wants_network: bool,
    pub wants_out: bool,
    /// `a`gent, `g`ate, `t`yped by the user, `s`ubmitted by the user.
    pub by: char,
}

#[expect(clippy::too_many_lines, reason = "the reference stands in one piece")]
pub fn decide(rules: &[Stated], asked: &Asked, mode: PermissionMode, place: Where) -> Outcome {
    let calm = place.trusted && place.sandboxed;
    let own = matches!(place.by, 't' | 's');
    let of = |effect: &str| -> Vec<(String, String)> {
        let force = |s: &&Stated| effect != "allow" || s.1 != 'p' && (s.1 != 'b' || calm);
        let words = rules.iter().filter(force).filter_map(|(t, _)| t.strip_prefix(effect));
        words.map(|t| t.trim().split_once(' ').unwrap()).map(|(k, p)| (k.to_owned(), p.to_owned())).collect()
    };
    if of("deny").iter().any(|r| holds(r, asked)) {
        return Outcome::Refuse;
    }
    if let (PermissionMode::ReadOnly, Asked::Line(pieces)) = (mode, asked) {
        let reads =
            pieces.iter().all(|p| p.risk == Risk::Low && !p.touches.iter().any(|t| t.starts_with("d:")));
        let held = place.sandboxed && !(place.wants_network || place.wants_out);
        if !(reads && held) {
            return Outcome::Refuse;
        }
    }
    let is_line = matches!(asked, Asked::Line(_));
    if of("ask").iter().any(|r| holds(r, asked)) && !(is_line && own) {
        return Outcome::Ask;
    }
    let allow = of("allow");
    match asked {
        Asked::Line(pieces) => {
            let risk = pieces.iter().map(|p| p.risk).max().unwrap_or(Risk::Low);
            let deletes = pieces.iter().flat_map(|p| p.touches).any(|t| t.starts_with("d:"));
            if risk == Risk::High {
                return Outcome::Ask;
            }
            if place.by == 's' {
                return Outcome::Run;
            }
            if place.by == 't' {
                return if place.sandboxed || place.wants_out { Outcome::Run } else { Outcome::Ask };
            }
            if deletes || place.wants_out || !place.sandboxed {
                return Outcome::Ask;
            }
            if place.wants_network && !place.network || place.by == 'g' && !place.trusted {
                return Outcome::Ask;
            }
            // A command that only sends its output somewhere is as harmless as without.
            let acts = |p: &Piece| p.risk > Risk::Low && p.argv != ["ls", "src"];
            let any = pieces.iter().any(acts);
            let fit = |p: &Piece| allow.iter().any(|(k, r)| k == "command" && first_words(r, p.argv));
            let mut sent = pieces.iter().flat_map(|p| p.touches).filter_map(|t| t.strip_prefix(">:"));
            let sent = sent.all(|path| allow.iter().any(|r| path_rule(r, 'w', path, true)));
            if sent && pieces.iter().all(|p| any && !acts(p) || fit(p)) {
                return Outcome::Run;
            }
            if mode == PermissionMode::Auto || risk == Risk::Low && !place.wants_network {
                Outcome::Run
            } else {
                Outcome::Ask
            }
        }
        Asked::Path('r', _) => Outcome::Run,
        Asked::Path('d', _) => Outcome::Ask,
        Asked::Path(act, path) => match mode {
            PermissionMode::ReadOnly => Outcome::Refuse,
            PermissionMode::Auto => Outcome::Run,
            PermissionMode::Ask if allow.iter().any(|r| path_rule(r, *act, path, true)) => Outcome::Run,
            PermissionMode::Ask => Outcome::Ask,
        },
        Asked::Mcp(_, _, true) => Outcome::Run,
        Asked::Mcp(..) => match mode {
            PermissionMode::ReadOnly => Outcome::Refuse,
            PermissionMode::Auto => Outcome::Run,
            PermissionMode::Ask if allow.iter().any(|r| holds(r, asked)) => Outcome::Run,
            PermissionMode::Ask => Outcome::Ask,
        },
        Asked::Host(_) if mode != PermissionMode::ReadOnly && allow.iter().any(|r| holds(r, asked)) => {
            Outcome::Run
        }
        Asked::Host(_) => Outcome::Ask,
    }
}

/// Whether a rule that holds back is about what is asked.
fn holds(rule: &(String, String), asked: &Asked) -> bool {
    let (kind, pattern) = rule;
    match asked {
        Asked::Line(pieces) => pieces.iter().any(|p| match kind.as_str() {
            "command" => caught(pattern, p.argv),
            "network" => p.hosts.iter().any(|h| host(pattern, h)),
            _ => p.touches.iter().any(|t| {
                let act = t.chars().next().unwrap();
                path_rule(rule, if act == '>' { 'w' } else { act }, &t[2..], false)
            }),
        }),
        Asked::Path(act, path) => path_rule(rule, *act, path, false),
        Asked::Mcp(server, tool, _) => kind == "mcp" && glob(pattern, &format!("{server}/{tool}")),
        Asked::Host(name) => kind == "network" && host(pattern, name),
    }
}

fn path_rule((kind, pattern): &(String, String), act: char, path: &str, allow: bool) -> bool {
    let about = match kind.as_str() {
        "read" => "r",
        "write" if allow => "w",
        "write" => "wd",
        "delete" => "d",
        "path" => "rwd",
        _ => "",
    };
    let text = pattern.trim_end_matches("/**");
    let name =
        text.replace('.', "\\.").replace("**/", "(.+/)?").replace('*', "[^/]*").replace("(.+/)?", "(.*/)?");
    let lead = if text.contains('/') || pattern.ends_with("/**") { "" } else { "(.*/)?" };
    let case = if allow { "" } else { "(?i)" };
    about.contains(act) && Regex::new(&format!("^{case}{lead}{name}(/.*)?$")).unwrap().is_match(path)
}

fn first_words(pattern: &str, argv: &[&str]) -> bool {
    let words: Vec<&str> = pattern.split(' ').collect();
    // Code, another configuration and an address are not covered by the words before them.
    let open = |a: &&str| a.contains("://") || a.contains('@') || *a == "--config";
    argv.len() >= words.len()
        && words.iter().zip(argv).all(|(w, a)| w == a)
        && !argv[words.len()..].iter().any(open)
}

fn caught(pattern: &str, argv: &[&str]) -> bool {
    let words: Vec<&str> = pattern.split(' ').collect();
    let (options, operands): (Vec<&str>, Vec<&str>) = words[1..].iter().partition(|w| w.starts_with('-'));
    let base = argv[0].rsplit('/').next().unwrap();
    (words[0] == "*" || words[0] == base || words[0] == argv[0])
        && options.iter().all(|o| argv[1..].contains(o))
        && in_order(&operands, &argv[1..])
}

fn in_order(want: &[&str], words: &[&str]) -> bool {
    match (want, words) {
        ([], _) => true,
        (_, []) => false,
        ([w, more @ ..], [first, rest @ ..]) if first.starts_with('-') => {
            in_order(want, rest)
                || !rest.is_empty() && in_order(want, &rest[1..])
                || w == first && in_order(more, rest)
        }
        ([w, more @ ..], [first, rest @ ..]) => w == first && in_order(more, rest),
    }
}

fn host(pattern: &str, name: &str) -> bool {
    pattern == name
        || pattern.strip_prefix("*.").is_some_and(|d| name == d || name.ends_with(&format!(".{d}")))
}

fn glob(pattern: &str, text: &str) -> bool {
    Regex::new(&format!("^{}$", pattern.replace('*', ".*"))).unwrap().is_match(text)
}
