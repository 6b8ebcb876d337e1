#![allow(clippy::unwrap_used)]

use super::*;

fn only(line: &str) -> Call {
    crate::shell::read(line).calls.remove(0)
}

#[test]
fn to_allow_it_is_the_first_words_and_nothing_else() {
    for (pattern, line, want) in [
        ("cargo test", "cargo test -p core", true),
        ("cargo test", "cargo test", true),
        ("cargo test *", "cargo test", true),
        ("cargo test", "cargo testx", false),
        ("cargo test", "cargo +nightly test", false),
        ("cargo test", "./cargo test", false),
        ("cargo test", "/usr/bin/cargo test", true),
        ("cargo", "cargo publish", true),
        ("make $", "make", true),
        ("make $", "make install", false),
        ("gradle", "gradle test", true),
        ("gradle", "gradle", false),
        ("./gradlew", "./gradlew -q", false),
        ("gradle $", "gradle", true),
        ("mvn -o", "mvn -o", false),
        ("mvn -o $", "mvn -o", true),
        ("tox", "tox", true),
        ("ruff", "ruff", true),
        ("npm run lint*", "npm run lint:fix", true),
        ("npm run lint", "npm run lint:fix", false),
        ("./scripts/check.sh", "./scripts/check.sh --all", true),
        ("./scripts/check.sh", "scripts/check.sh", true),
        ("git commit -m", "git commit -m x", true),
        ("git commit -m", "git commit --amend -m x", false),
        ("git push", "git -C x push", false),
        ("git commit -m 'a b'", "git commit -m 'a b'", true),
    ] {
        let fit = Words::parse(pattern).unwrap().fits(&only(line));
        assert_eq!(fit == Fit::Whole, want, "{pattern} / {line}: {fit:?}");
    }
}

#[test]
fn to_hold_back_it_sees_through_options_and_spellings() {
    for (pattern, line, want) in [
        ("git push --force", "git push origin main --force", true),
        ("git push --force", "git -C x push --forc", true),
        ("git push --force", "git push --force-with-lease=x", false),
        ("git push -f", "git push -uf origin", true),
        ("git push", "git -c a=b push", true),
        ("git push", "git stash push", false),
        ("git push", "git pull", false),
        ("rm", "./rm x", true),
        ("RM", "rm x", true),
        ("make $", "make install", false),
        ("curl", "/opt/x/curl http://a", true),
        ("npm publish", "npm --tag next publish", true),
        ("*", "anything at all", true),
    ] {
        assert_eq!(Words::parse(pattern).unwrap().catches(&only(line)), want, "{pattern} / {line}");
    }
}

#[test]
fn unknown_syntax_is_an_error_at_its_place() {
    for (pattern, at) in [
        ("a; b", 1),
        ("a | b", 2),
        ("Bash(x)", 4),
        ("a $(b)", 2),
        ("a 'b", 2),
        ("", 0),
        ("-x", 0),
        ("a {b,c}", 2),
        ("a $ b", 2),
    ] {
        assert_eq!(Words::parse(pattern).unwrap_err().at, at, "{pattern}");
    }
}
