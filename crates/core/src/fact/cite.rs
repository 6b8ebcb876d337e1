//! Citations: the statements of an answer, and the evidence that each names.
//!
//! Owns how they are written. Never looks whether they are true.

use std::{collections::BTreeSet, sync::LazyLock};

use regex::Regex;

/// A paragraph, list item or printed output of an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statement {
    /// Where its last line stands, from 1.
    pub line: usize,
    /// Its text.
    pub text: String,
    /// The evidence that it names.
    pub cited: Vec<Cited>,
    /// Code and literal words that are to stand there.
    pub quoted: Vec<String>,
}

/// Evidence that a statement names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cited {
    /// Lines of a file.
    Lines {
        /// The file, as it is named.
        path: String,
        /// The first line, from 1.
        from: usize,
        /// The last line.
        to: usize,
    },
    /// A command that ran.
    Command {
        /// Its line.
        line: String,
        /// The exit code that it is said to have ended with.
        exit: Option<i32>,
    },
    /// A fact by its name.
    Fact(String),
}

/// What a name is made of: letters of ASCII and all that is no punctuation beyond. Each table of Unicode's letters would take
/// a tenth of a megabyte.
const NAME: &str = r"0-9A-Za-z_@+\-\u{C0}-\u{1FFF}\u{2070}-\u{2FFF}\u{3040}-\u{FEFF}\u{FF10}-\u{10FFFF}";
static PLACE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let pattern = r"(?:^|[\s`(\[\x22,;])((?:[¶.]+/)*[¶]*[A-Za-z_][¶.]*):([0-9]+)(?:-([0-9]+))?";
    Regex::new(&pattern.replace('¶', NAME)).ok()
});
static FACT: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\[fact:? ([^\]]+)\]").ok());
static CODE: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"`([^`]+)`").ok());
static WORDS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new("[\"“]([^\"“”]+)[\"”]").ok());
static EXIT: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\bexit(?:ed)?(?: code| status| with)*:? (-?[0-9]+)\b").ok());

/// What an answer states, in its order: headings, questions and what it calls unproven state nothing.
pub fn statements(answer: &str) -> Vec<Statement> {
    let mut reader = Reader::default();
    for (n, line) in answer.lines().enumerate() {
        reader.line(n + 1, line);
    }
    reader.close();
    reader.done
}

/// The places that a line of text names: file, first and last line.
pub fn places(line: &str) -> Vec<(String, usize, usize)> {
    let lines =
        |cited| if let Cited::Lines { path, from, to } = cited { Some((path, from, to)) } else { None };
    cited(line).0.into_iter().filter_map(lines).collect()
}

/// The facts that a text names as its evidence, each once.
pub(crate) fn cited_facts(text: &str) -> BTreeSet<String> {
    let fact = |cited| if let Cited::Fact(name) = cited { Some(name) } else { None };
    cited(text).0.into_iter().filter_map(fact).collect()
}

/// A fence that is open.
#[derive(Default)]
struct Fence {
    /// The command whose output it is to show.
    command: Option<String>,
}

#[derive(Default)]
struct Reader {
    done: Vec<Statement>,
    open: Option<Statement>,
    fence: Option<Fence>,
}

impl Reader {
    fn line(&mut self, n: usize, line: &str) {
        let text = line.trim();
        if text.starts_with("```") {
            self.close();
            self.fence = if self.fence.is_some() { None } else { Some(Fence::default()) };
            return;
        }
        if let Some(of) = &mut self.fence {
            match text.strip_prefix("$ ") {
                Some(command) => of.command = Some(command.trim().to_owned()),
                None => {
                    if let Some(line) = of.command.clone().filter(|_| !text.is_empty()) {
                        let cited = vec![Cited::Command { line, exit: None }];
                        let (text, quoted) = (text.to_owned(), vec![text.to_owned()]);
                        self.done.push(Statement { line: n, text, cited, quoted });
                    }
                }
            }
            return;
        }
        let item = ["- ", "* ", "+ "].iter().any(|b| text.starts_with(b)) || numbered(text);
        if text.is_empty() || item || text.starts_with('#') || rule(text) {
            self.close();
        }
        if text.is_empty() || text.starts_with('#') || rule(text) {
            return;
        }
        let open = self.open.get_or_insert_default();
        open.line = n;
        if !open.text.is_empty() {
            open.text.push(' ');
        }
        open.text.push_str(text);
    }

    fn close(&mut self) {
        let Some(mut open) = self.open.take() else { return };
        (open.cited, open.quoted) = cited(&open.text);
        let states = open.text.chars().any(char::is_alphanumeric);
        let leads = open.cited.is_empty() && open.text.ends_with([':', '?', '：', '？']);
        if states && !leads && !is_unproven(&open.text) {
            self.done.push(open);
        }
    }
}

/// Whether a text says itself that it is not proven.
fn is_unproven(text: &str) -> bool {
    let text = text.trim_start_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    ["unproven", "not proven", "unverified"].iter().any(|w| text.starts_with(w))
}

fn numbered(text: &str) -> bool {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    rest.len() < text.len() && (rest.starts_with(". ") || rest.starts_with(") "))
}

/// A line that only divides.
fn rule(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| "-*_|: =".contains(c))
}

/// The evidence that a text names, and what it quotes beside that.
fn cited(text: &str) -> (Vec<Cited>, Vec<String>) {
    let mut cited = Vec::new();
    for found in PLACE.iter().flat_map(|r| r.captures_iter(text)) {
        let group = |n: usize| found.get(n).map(|m| m.as_str());
        let path = group(1).unwrap_or_default();
        let from: usize = group(2).and_then(|n| n.parse().ok()).unwrap_or(0);
        let to = group(3).and_then(|n| n.parse().ok()).unwrap_or(from);
        if is_file(path) {
            cited.push(Cited::Lines { path: path.to_owned(), from, to: to.max(from) });
        }
    }
    let facts = FACT.iter().flat_map(|r| r.captures_iter(text)).filter_map(|c| c.get(1));
    cited.extend(facts.map(|m| Cited::Fact(m.as_str().trim().trim_matches('`').to_owned())));
    let exit = EXIT.as_ref().and_then(|r| r.captures(text)).and_then(|c| c.get(1)?.as_str().parse().ok());
    let mut quoted = Vec::new();
    for code in CODE.iter().flat_map(|r| r.captures_iter(text)).filter_map(|c| c.get(1)) {
        let code = code.as_str().trim();
        if let Some(line) = code.strip_prefix("$ ") {
            cited.push(Cited::Command { line: line.trim().to_owned(), exit });
        } else if !names(code, &cited) {
            quoted.push(code.to_owned());
        }
    }
    let bare = CODE.as_ref().map_or_else(|| text.into(), |r| r.replace_all(text, " "));
    let words = WORDS.iter().flat_map(|r| r.captures_iter(&bare)).filter_map(|c| c.get(1));
    quoted.extend(words.map(|m| m.as_str().trim().to_owned()).filter(|w| !w.is_empty()));
    (cited, quoted)
}

/// Whether it can be a file: it has a folder, or an ending, or is called as such files are.
fn is_file(path: &str) -> bool {
    let known = ["Makefile", "Dockerfile", "Justfile", "justfile", "LICENSE", "README"];
    path.contains('/') || path.trim_start_matches('.').contains('.') || known.contains(&path)
}

/// Whether a piece of code only names evidence: a path with or without its line, a fact.
fn names(code: &str, cited: &[Cited]) -> bool {
    cited.iter().any(|c| match c {
        Cited::Lines { path, .. } => code == path || code.starts_with(&format!("{path}:")),
        Cited::Fact(name) => code == name,
        Cited::Command { line, .. } => code == line,
    })
}
