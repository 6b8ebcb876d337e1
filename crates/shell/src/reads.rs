//! Commands that do nothing but read, wherever they run.
//!
//! Owns which commands may stand beside one that a rule lets write: their low risk must not rest on an option that nobody
//! knows of, as it may where a sandbox holds all that a line does. Never judges a risk.

use super::args::{Args, Opt};
use super::expand::{Field, UNKNOWN};
use super::knowledge::list;
use super::programs::{self, Program, Role};

/// Whether a command that was found to be of low risk reads only, whatever its arguments are.
pub(super) fn does(name: &str, words: &[Field], steered: bool) -> bool {
    if list("never writes").contains(&name) {
        return true;
    }
    if steered && !list("steered by no variable").contains(&name) {
        return false;
    }
    let texts: Vec<&str> = words.iter().map(|f| f.text.as_str()).collect();
    if matches!(texts.as_slice(), ["--version" | "-V" | "-v" | "--help" | "version"]) {
        return programs::find(name).is_some() && !programs::is(name, Role::Shell);
    }
    // What only asks for help is not looked at any further, and what is not known may be an option.
    let helps = |text: &&str| matches!(*text, "--help" | "--version" | "-help" | "-version");
    let open = |f: &Field| {
        f.may_be_option()
            || f.text.starts_with(UNKNOWN)
            || f.text.starts_with('-') && f.text.contains(UNKNOWN)
            || f.many && f.text.starts_with(['*', '?', '['])
    };
    if texts.iter().any(helps) || words.iter().any(open) {
        return false;
    }
    let Some(program) = programs::find(name) else { return false };
    // Of a cluster each letter of `tree` takes a word of its own.
    let clustered = |text: &&str| {
        let letters = text.strip_prefix('-').filter(|rest| rest.len() > 1 && !rest.starts_with('-'));
        letters
            .is_some_and(|l| l.contains(['o', 'H', 'T', 'P', 'I']) || l.trim_end_matches('L').contains('L'))
    };
    if name == "tree" && texts.iter().any(clustered) {
        return false;
    }
    let args = Args::read(program, words);
    if !program.reads.is_empty() {
        return args.opts.iter().all(|opt| only_reads(program, opt));
    }
    // Of git every option is known that does more.
    let plain = |opt: &Opt| {
        let name = opt.text.split('=').next().unwrap_or("");
        list("options of plain readers").iter().any(|known| *known == name || *known == opt.name)
    };
    list("reads by sub-command").contains(&format!("{name} {}", args.operand(0)).as_str())
        && (name == "git" || args.opts.iter().all(plain))
}

/// Whether what a command does is also said by files of the folder that it works in.
pub(super) fn is_led(name: &str, words: &[Field]) -> bool {
    let args = Args::read(programs::find(name).unwrap_or(&programs::NOTHING), words);
    list("reads by sub-command").contains(&format!("{name} {}", args.operand(0)).as_str())
}

/// Whether an option is one of those with which a program does no more than read.
pub(super) fn only_reads(program: &Program, opt: &Opt) -> bool {
    let text = opt.text.split('=').next().unwrap_or("");
    let letter = opt.name.strip_prefix('-').filter(|rest| rest.chars().count() == 1);
    let letters = program.reads.first().copied().unwrap_or("");
    let fits = |known: &&str| *known == text || known.contains('*') && super::path::glob(known, &opt.text);
    letter.is_some_and(|l| l.starts_with(|c: char| c.is_ascii_digit()) || letters.contains(l))
        || program.reads.iter().skip(1).any(fits)
}

#[cfg(test)]
mod tests {
    use crate::{Risk, read};

    /// Of each command of a line that is of low risk and starts no other, whether it only reads.
    fn reads(line: &str) -> bool {
        let calls = read(line).calls;
        assert!(calls.iter().any(|c| c.risk == Risk::Low), "{line}");
        calls.iter().filter(|c| !c.carrier && c.risk == Risk::Low).all(|c| c.reads)
    }

    #[test]
    fn what_stands_beside_a_build_every_day_only_reads() {
        for line in [
            "cd x && echo a; cargo test",
            "cargo test 2>&1 | tail -20",
            "git status && npm test",
            "ls; pytest | head",
            "cargo test | sed -n 1,20p | sort | uniq -c",
            "node --version && npm test",
            "x=$(git -C sub rev-parse HEAD); make test",
            "cat \"$f\"; make test",
            "pip list && cargo test",
            "npm ls --depth=0; npm test",
            "cargo tree -i serde && cargo test",
            "find . -name '*.rs' -not -path './target/*' -mtime -7 | xargs wc -l; make test",
            "find src -type f -size +10k -perm -u+x -print0 | sort -z -k2,2nr; make test",
            "rg -n --type rust 'fn main' src -A3 -tjs; make test",
            "diff -ru a b; diff --unified=3 a b | head; make test",
            "tree -L 2 -I target; fd -e rs main src; make test",
            "awk -F, '{print $2}' x | uniq -c | column -t -s,; sed -ne 1p -e 2p x; make test",
            "date +%s; date -Iseconds; command -v x; hostname -s; xxd -l 16 x; od -An -tx1 x; make test",
            "git log --oneline -5; git diff --stat HEAD~1; make test",
        ] {
            assert!(reads(line), "{line}");
        }
    }

    #[test]
    fn what_is_low_only_as_far_as_its_options_are_known_does_not() {
        for line in [
            "pod2text x; make test",
            "sort x --version; make test",
            "sort \"$o\" x; make test",
            "sort *; make test",
            "git apply --check x; make test",
            "npm ls --some-log src/a.js; npm test",
            "pip list --unknown-file x && cargo test",
            "tidy x.html; npm test",
            "sort --some-file=x y; make test",
            "find . -some-action x; make test",
            "tree --some-output x; make test",
            "diff -l a b; make test",
        ] {
            assert!(!reads(line), "{line}");
        }
    }
}
