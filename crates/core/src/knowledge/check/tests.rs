//! What is planted is caught, and what is so is let stand.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use super::*;
use crate::knowledge::{Relation, RelationClaim};

/// A workspace of three files.
struct Small(BTreeMap<&'static str, &'static str>);

const PARSER: &str = "use crate::lexer::Lexer;\n\n/// Reads tokens.\npub struct Parser {\n    max_depth: usize,\n}\n\nimpl Parser {\n    pub fn next_token(&mut self) -> Token {\n        self.lexer.advance()\n    }\n}\n\nconst RETRIES: usize = 5;\nconst MODE: &str = \"fast\";\nconst VERBOSE: bool = false;\n";

fn small() -> Small {
    let lexer = "pub struct Lexer;\nimpl Lexer {\n    pub fn advance() {}\n}\n";
    Small([("src/parser.rs", PARSER), ("src/lexer.rs", lexer), ("README.md", "# Small\n")].into())
}

fn at(path: &str, from: usize, to: usize) -> Lines {
    Lines { path: RelPath::new(path).unwrap(), from, to }
}

impl Small {
    fn lines_with(&self, all: &[&str]) -> Vec<Lines> {
        let holds = |text: &str, name: &str| {
            text.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|w| w == name)
        };
        let files = self.0.iter().filter(|(_, text)| all.iter().all(|n| holds(text, n)));
        files.map(|(path, text)| at(path, 1, text.lines().count())).collect()
    }
}

impl Ground for Small {
    fn file(&self, path: &RelPath) -> Option<Shown> {
        let text = (*self.0.get(path.as_str())?).to_owned();
        Some(Shown { hash: BlobId::of(text.as_bytes()), text, seen: None })
    }

    fn defined(&self, name: &str) -> Vec<Lines> {
        match name {
            "Parser" => vec![at("src/parser.rs", 3, 6)],
            "Parser::next_token" | "next_token" => vec![at("src/parser.rs", 9, 11)],
            "Lexer" => vec![at("src/lexer.rs", 1, 1)],
            "advance" | "Lexer::advance" => vec![at("src/lexer.rs", 3, 3)],
            "RETRIES" => vec![at("src/parser.rs", 14, 14)],
            _ => Vec::new(),
        }
    }

    fn mentioned(&self, name: &str) -> Vec<Lines> {
        self.lines_with(&[name])
    }

    fn together(&self, one: &str, other: &str) -> Vec<Lines> {
        self.lines_with(&[one, other])
    }

    fn imports(&self, path: &RelPath) -> Vec<RelPath> {
        let of = (path.as_str() == "src/parser.rs").then(|| RelPath::new("src/lexer.rs").unwrap());
        of.into_iter().collect()
    }

    fn files(&self, name: &str) -> Vec<RelPath> {
        let stem = |p: &str| p.rsplit('/').next().and_then(|f| f.split('.').next()).map(str::to_owned);
        let named = |p: &&&str| p.ends_with(name) || stem(p).as_deref() == Some(name);
        self.0.keys().filter(named).map(|p| RelPath::new(p).unwrap()).collect()
    }
}

fn cited(path: &str, from: usize, to: usize, hash: &str, text: &str) -> (Standing, CitedPlace) {
    let cited = Citation { lines: at(path, from, to), hash: hash.to_owned(), text: text.to_owned() };
    let told = citation(&cited, &small());
    (told.verdict.standing, told.place)
}

#[test]
fn a_citation_holds_only_where_its_words_stand() {
    use Standing::{Fails, Holds, Unknown};
    let now = BlobId::of(PARSER.as_bytes());
    let (right, old) = (now.short(12), "0123456789ab");
    let moved = |from, to| CitedPlace::Moved { to: at("src/parser.rs", from, to), hash: now };
    let whole = "pub fn next_token(&mut self) -> Token { self.lexer.advance() }";
    for (path, from, to, hash, text, standing, place) in [
        ("src/parser.rs", 10, 10, right.as_str(), "self.lexer.advance()", Holds, CitedPlace::Exact),
        ("src/parser.rs", 10, 10, "", "self.lexer.advance()", Holds, CitedPlace::Exact),
        ("src/parser.rs", 9, 11, "", whole, Holds, CitedPlace::Exact),
        ("src/parser.rs", 10, 10, old, "self.lexer.advance()", Holds, CitedPlace::Changed { hash: now }),
        ("src/parser.rs", 2, 3, "", "self.lexer.advance()", Holds, moved(10, 10)),
        ("src/parser.rs", 2, 3, old, "pub struct Parser {\n    max_depth: usize,", Holds, moved(4, 5)),
        ("src/parser.rs", 900, 900, "", "const RETRIES", Holds, moved(14, 14)),
        ("src/parser.rs", 10, 10, "", "self.lexer.retreat()", Fails, CitedPlace::Missing),
        ("src/parser.rs", 10, 10, "", "advance() self.lexer", Fails, CitedPlace::Missing),
        ("src/nowhere.rs", 1, 1, "", "x", Fails, CitedPlace::Missing),
        ("src/parser.rs", 4, 6, right.as_str(), "", Holds, CitedPlace::Exact),
        ("src/parser.rs", 4, 6, old, "", Unknown, CitedPlace::Changed { hash: now }),
        ("src/parser.rs", 4, 600, "", "", Fails, CitedPlace::Missing),
        ("src/parser.rs", 0, 0, "", "", Fails, CitedPlace::Missing),
    ] {
        assert_eq!(
            cited(path, from, to, hash, text),
            (standing, place),
            "{path}:{from}-{to} {text:?} {hash}"
        );
    }
}

#[test]
fn names_that_are_invented_are_told() {
    for (text, standing, score, missing) in [
        ("`Parser` asks `Lexer::advance` for each token", Standing::Holds, 1000, vec![]),
        ("Parser::next_token calls advance() in src/lexer.rs", Standing::Holds, 1000, vec![]),
        ("`Parser` hands over to `TokenStream`", Standing::Fails, 500, vec!["TokenStream"]),
        ("`Parser::rewind` starts again", Standing::Fails, 0, vec!["Parser::rewind"]),
        ("src/grammar.rs holds max_depth", Standing::Fails, 500, vec!["src/grammar.rs"]),
        ("The parser reads tokens, e.g. numbers.", Standing::Unknown, 1000, vec![]),
        ("see `src/parser.rs:10`", Standing::Unknown, 1000, vec![]),
        ("", Standing::Unknown, 1000, vec![]),
    ] {
        let told = entities(text, &small());
        let lost: Vec<&str> =
            told.names.iter().filter(|(_, at)| at.is_none()).map(|(n, _)| n.as_str()).collect();
        assert_eq!((told.verdict.standing, told.verdict.score.0, lost), (standing, score, missing), "{text}");
    }
}

#[test]
fn relations_are_told_from_definitions_and_imports() {
    use Relation::{Contains, ImportedBy, Imports, UsedBy, Uses};
    use Standing::{Fails, Holds, Unknown};
    for (subject, relation, object, standing) in [
        ("Parser::next_token", Uses, "advance", Holds),
        ("advance", UsedBy, "`Parser::next_token()`", Holds),
        ("advance", Uses, "Small", Fails),
        ("Parser", Uses, "Lexer", Unknown),
        ("Parser", Uses, "Grammar", Fails),
        ("src/parser.rs", Imports, "src/lexer.rs", Holds),
        ("src/lexer.rs", Imports, "src/parser.rs", Fails),
        ("lexer", ImportedBy, "parser", Holds),
        ("Parser", Contains, "next_token", Holds),
        ("Lexer", Contains, "next_token", Fails),
        ("src/lexer.rs", Contains, "advance", Holds),
    ] {
        let claim = RelationClaim { subject: subject.to_owned(), relation, object: object.to_owned() };
        assert_eq!(super::relation(&claim, &[], &small()).verdict.standing, standing, "{claim:?}");
    }
}

#[test]
fn contradictions_are_found_among_claims_and_against_code() {
    let code = [(
        at("src/parser.rs", 14, 16),
        PARSER.lines().skip(13).collect::<Vec<_>>().join("\n") + "\nself.calls = 0;\nlet mut tries = 0;\n",
    )];
    for (claims, standing, count) in [
        (vec!["The cache holds 20 entries.", "The cache holds 30 entries."], Standing::Fails, 1),
        (vec!["The cache holds 20 entries.", "The cache holds 20 entries."], Standing::Holds, 0),
        (
            vec!["The timeout of the client is 5 s.", "The timeout of the server is 9 s."],
            Standing::Unknown,
            0,
        ),
        (vec!["The watcher follows links.", "The watcher never follows links."], Standing::Fails, 1),
        (vec!["Caching is enabled.", "Caching is disabled."], Standing::Fails, 1),
        (vec!["RETRIES is 5."], Standing::Holds, 0),
        (vec!["`RETRIES` is 3."], Standing::Fails, 1),
        (vec!["RETRIES is not 5."], Standing::Fails, 1),
        (vec!["`MODE` is `slow`."], Standing::Fails, 1),
        (vec!["`MODE` is `fast`."], Standing::Holds, 0),
        (vec!["VERBOSE is enabled."], Standing::Fails, 1),
        (vec!["VERBOSE is off."], Standing::Holds, 0),
        (vec!["It reads tokens well."], Standing::Unknown, 0),
        // What is set while a program runs says nothing of what holds.
        (vec!["At most 60 `calls` are let through."], Standing::Unknown, 0),
        (vec!["It looks 3 times for `tries`."], Standing::Unknown, 0),
        (vec![], Standing::Unknown, 0),
    ] {
        let claims: Vec<String> = claims.into_iter().map(str::to_owned).collect();
        let told = contradictions(&claims, &code);
        assert_eq!((told.verdict.standing, told.found.len()), (standing, count), "{claims:?} {told:?}");
    }
}
