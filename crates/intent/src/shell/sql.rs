//! Tells a line of SQL from a sentence that begins like one.
//!
//! Owns the shapes of its statements. What one does is for the module above.

use crate::words::{List, Words};

/// Whether a line is SQL as it stands: "drop table users;", not "drop table headers from the export".
pub(super) fn is_sql(line: &str, known: &Words) -> bool {
    let lower = line.to_lowercase();
    let words = words_of(&lower);
    // "drop table borders": neither a capital nor an end says that it is a statement
    let bare = lower == line && !words.contains(&";");
    let mut statements = words.split(|w| *w == ";").filter(|s| !s.is_empty()).peekable();
    statements.peek().is_some() && statements.all(|s| Statement { words: s, known, bare }.is_one())
}

/// The words of a line, each mark of its own, what stands in quotes as one.
fn words_of(lower: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut rest = lower.trim();
    while let Some(c) = rest.chars().next() {
        let quoted = || rest.get(1..).and_then(|inner| inner.find(c)).map(|end| end + 2);
        let len = match c {
            '\'' | '"' | '`' => quoted().unwrap_or(rest.len()),
            '(' | ')' | ',' | ';' | '=' | '<' | '>' => 1,
            _ => rest
                .find(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | ',' | ';' | '=' | '<' | '>'))
                .unwrap_or(rest.len()),
        };
        let (word, behind) = rest.split_at(len.max(c.len_utf8()));
        out.push(word);
        rest = behind.trim_start();
    }
    out
}

/// The words of one statement.
#[derive(Clone, Copy)]
struct Statement<'s> {
    words: &'s [&'s str],
    known: &'s Words,
    bare: bool,
}

impl Statement<'_> {
    fn is_one(self) -> bool {
        match self.words {
            ["drop", "table" | "database" | "schema", rest @ ..] => {
                let names = rest.strip_prefix(&["if", "exists"]).unwrap_or(rest);
                let names = names.strip_suffix(&["cascade"]).unwrap_or(names);
                self.names(names) && !(names == rest && self.is_of_code(names))
            }
            ["truncate", "table", rest @ ..] => self.names(rest) && !self.is_of_code(rest),
            ["delete", "from", name, rest @ ..] => self.name(name) && (rest.is_empty() || compares(rest)),
            ["create", "table", rest @ ..] => {
                let named = rest.strip_prefix(&["if", "not", "exists"]).unwrap_or(rest);
                matches!(named, [name, "(", ..] | [name, "as", "select", ..] if self.name(name))
            }
            ["insert", "into", name, rest @ ..] => {
                let behind = rest.iter().position(|w| *w == ")").and_then(|at| rest.get(at + 1..));
                let filled = if rest.first() == Some(&"(") { behind.unwrap_or_default() } else { rest };
                self.name(name)
                    && matches!(filled, ["values", "(", ..] | ["select", _, ..] | ["default", "values"])
            }
            ["alter", "table", rest @ ..] => {
                let named = rest.strip_prefix(&["if", "exists"]).unwrap_or(rest);
                matches!(named, [name, "add" | "drop" | "rename" | "alter" | "modify", what, ..]
                    if self.name(name) && (matches!(*what, "to") || self.name(what)))
            }
            ["update", name, "set", field, "=", _, ..] => self.name(name) && self.name(field),
            ["select", rest @ ..] => self.selects(rest),
            _ => false,
        }
    }

    /// Fields with commas between them, a table, and nothing else but clauses.
    fn selects(self, words: &[&str]) -> bool {
        let Some(from) = words.iter().position(|w| *w == "from") else { return false };
        let (fields, table) =
            (words.get(..from).unwrap_or_default(), words.get(from + 1..).unwrap_or_default());
        let [name, rest @ ..] = table else { return false };
        let beside = |w: &str| matches!(w, "as" | "distinct" | "all") || is_mark(w);
        let apart = fields.windows(2).all(|w| w.iter().any(|w| beside(w)));
        let opens = |w: &str| {
            matches!(
                w,
                "where"
                    | "join"
                    | "inner"
                    | "left"
                    | "right"
                    | "cross"
                    | "order"
                    | "group"
                    | "limit"
                    | "having"
                    | "union"
                    | "as"
                    | ","
            )
        };
        let ends = rest.is_empty() || rest.iter().take(2).any(|w| opens(w));
        let field = |w: &str| w == "*" || beside(w) || self.name(w);
        !fields.is_empty()
            && apart
            && fields.iter().all(|w| field(w))
            && (self.name(name) || *name == "(")
            && ends
    }

    fn names(self, words: &[&str]) -> bool {
        let mut parts = words.split(|w| *w == ",");
        parts.all(|part| matches!(part, [name] if self.name(name)))
    }

    /// Whether a bare statement names what code or a page has of a table, and perhaps no table.
    fn is_of_code(self, names: &[&str]) -> bool {
        self.bare && names.iter().any(|w| self.known.has(List::SqlPart, w))
    }

    /// Whether a word may be the name of a table or a column: no word of a sentence.
    fn name(self, word: &str) -> bool {
        let spelled = |c: char| {
            c.is_alphanumeric() || matches!(c, '_' | '.' | '$' | '"' | '`' | '\'' | '-' | '[' | ']' | '*')
        };
        let told = |list| self.known.has(list, word);
        !word.is_empty()
            && word.chars().all(spelled)
            && !word.ends_with('.')
            && !told(List::Determiner)
            && !told(List::Prose)
    }
}

/// "where id = 3", "where name like 'a%'": a condition with a comparison in it.
fn compares(words: &[&str]) -> bool {
    let operator =
        |w: &str| matches!(w, "=" | "<" | ">" | "like" | "between" | "null" | "exists") || w.starts_with('!');
    let within = words.windows(2).any(|w| matches!(w, ["in", "("]));
    matches!(words, ["where", _, ..]) && (words.iter().any(|w| operator(w)) || within)
}

fn is_mark(word: &str) -> bool {
    word.chars().all(|c| !c.is_alphanumeric())
}
