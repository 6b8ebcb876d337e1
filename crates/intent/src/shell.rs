//! Recognises a shell line typed as it is, and what it would do.
//!
//! Owns telling a command line from a sentence. What its programs do is the shell crate's to say.

use std::{collections::HashSet, sync::LazyLock};

use pilothouse_shell::{Effect, Role, effect, is};

use super::IntentNode as N;

/// Words that a sentence has and a command line hardly.
const ENGLISH_LIST: &str = "the a an my our your this that these those it its is are was to for with please whatever again \
    me all when if not does doesn't doesnt into can how why what should be we i you so but because \
    fails says instead and of where who use some any every from about there then as at by vs versus \
    or";
/// Words that tell a program or a build what to do.
const SUBCOMMANDS_LIST: &str = "add commit push pull fetch merge rebase checkout switch branch status diff log show blame stash \
    reset revert restore clean tag clone init rm mv cherry-pick bisect reflog remote worktree \
    submodule config run build test check clippy fmt doc bench install i ci uninstall remove update \
    upgrade start stop restart dev serve publish audit outdated ls list up down ps logs exec images \
    rmi prune system volume network container image compose apply delete get describe rollout scale \
    create plan destroy import sync lock new generate migrate mod vet tidy freeze pr issue repo \
    release workflow console routes db:migrate lint format watch deploy enable disable reload pack \
    link shell login inspect cp kill top info version help package all g gc -v";

/// The words of a list, to be looked up.
type Words = LazyLock<HashSet<&'static str>>;

static ENGLISH: Words = LazyLock::new(|| ENGLISH_LIST.split(' ').collect());
static SUBCOMMANDS: Words = LazyLock::new(|| SUBCOMMANDS_LIST.split(' ').collect());

/// The leaf of a line that is a command as it stands; `None` for prose.
pub(crate) fn leaf_of_line(text: &str) -> Option<N> {
    let line = text.trim().trim_start_matches("$ ").trim_end_matches(['\n', '\r']);
    if line.is_empty() || line.len() > 2_000 {
        return None;
    }
    let lines: Vec<&str> =
        line.lines().map(|l| l.trim().trim_start_matches("$ ")).filter(|l| !l.is_empty()).collect();
    if lines.len() > 6 || !lines.iter().all(|l| is_command(l)) {
        return None;
    }
    lines.iter().map(|l| leaf(l)).max_by_key(|(effect, _)| *effect).map(|(_, leaf)| leaf)
}

/// What one line does.
fn leaf(line: &str) -> (Effect, N) {
    let lower = line.to_lowercase();
    let effect = if is_sql(&lower) { effect_of_sql(&lower) } else { effect(line) };
    let leaf = match effect {
        Effect::Reads => N::Read,
        Effect::Creates => N::Create,
        Effect::Runs => N::Execute,
        Effect::Changes => N::Modify,
        Effect::Deletes => N::Delete,
    };
    (effect, leaf)
}

fn effect_of_sql(lower: &str) -> Effect {
    match lower.split(' ').next().unwrap_or("") {
        "drop" | "delete" | "truncate" => Effect::Deletes,
        "select" => Effect::Reads,
        _ => Effect::Runs,
    }
}

fn is_sql(lower: &str) -> bool {
    let starts = [
        "drop table ",
        "drop database ",
        "drop schema ",
        "delete from ",
        "truncate table ",
        "alter table ",
        "create table ",
        "insert into ",
        "select * from ",
        "select count(",
    ];
    starts.iter().any(|s| lower.starts_with(s)) && !lower.contains(" please")
        || (lower.starts_with("select ") && lower.contains(" from ") && !lower.contains(" the "))
        || (lower.starts_with("update ") && lower.contains(" set ") && lower.contains('='))
}

#[expect(clippy::too_many_lines, reason = "one reading after the other, the sure ones first")]
fn is_command(line: &str) -> bool {
    if line.contains("ERR!") || line.contains("rror:") {
        return false;
    }
    if is_sql(&line.to_lowercase()) {
        return true;
    }
    let mut words: Vec<&str> = line.split_whitespace().collect();
    while words.first().is_some_and(|w| is_assignment(w)) {
        words.remove(0);
    }
    if words.first() == Some(&"sudo") && words.len() > 1 {
        words.remove(0);
    }
    let Some(program) = words.first().copied() else { return false };
    if line.ends_with('?') || (line.ends_with('.') && words.len() > 3 && !line.ends_with(" .")) {
        return false;
    }
    if program.starts_with("./") && program.len() > 2 {
        return words.len() < 3 || !words.iter().skip(1).any(|w| ENGLISH.contains(w));
    }
    let rest = words.get(1..).unwrap_or(&[]);
    let english = rest
        .iter()
        .take_while(|w| !w.starts_with(['"', '\'']))
        .any(|w| ENGLISH.contains(w.to_lowercase().as_str()));
    let typed = rest.iter().any(|w| {
        (w.starts_with('-') && w.len() > 1)
            || w.contains('/')
            || w.contains('=')
            || (w.contains('.') && w.len() > 2 && !w.ends_with('.'))
            || *w == "."
            || w.contains('*')
            || w.contains('$')
            || *w == "|"
            || *w == "&&"
            || *w == ">"
            || w.contains('@')
    });
    let sub = rest.first().is_some_and(|w| {
        SUBCOMMANDS.contains(w)
            || w.match_indices(':').any(|(at, _)| w.get(..at).is_some_and(|s| SUBCOMMANDS.contains(s)))
    });
    let lower_program = program.chars().all(|c| !c.is_uppercase());
    if !lower_program {
        return false;
    }
    if is(program, Role::Typed) && !is(program, Role::Word) {
        return !english || (typed && rest.iter().any(|w| w.starts_with('-')));
    }
    if is(program, Role::Word) {
        if rest.is_empty() && is(program, Role::Alone) {
            return true;
        }
        if english && !rest.iter().any(|w| w.starts_with('-') && w.len() > 1) {
            return false;
        }
        let tool = is(program, Role::Told);
        let runner = matches!(program, "make" | "just")
            && rest.len() == 1
            && rest.first().is_some_and(|w| SUBCOMMANDS.contains(w));
        return (typed && !english_shape(rest, program))
            || (tool && sub && (program != "make" && program != "go" || rest.len() < 4))
            || runner;
    }
    false
}

/// Wordy programs take paths in prose too: "open docs/api.md" is a request, not a line.
fn english_shape(rest: &[&str], program: &str) -> bool {
    let flags = rest.iter().any(|w| w.starts_with('-') && w.len() > 1);
    let words = rest.iter().filter(|w| w.len() > 2 && w.chars().all(char::is_alphabetic)).count();
    !flags && (is(program, Role::Verb) || words > 2)
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(k, _)| {
        !k.is_empty() && k.chars().all(|c| c.is_ascii_uppercase() || c == '_' || c.is_ascii_digit())
    })
}
