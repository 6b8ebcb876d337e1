//! Patterns of commands: the first words of what is run.
//!
//! Owns their syntax and the comparison with a command's words. To allow, a pattern is compared strictly, word by word
//! from the program on; to deny or ask it is compared so that options in between, other spellings of an option and a
//! program named by its path do not escape it.

use super::{fault::Fault, glob::wild};
use crate::shell::{self, Call, Role};

/// The first words of a command: `cargo test`, `npm run lint:*`, `git push --force`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words {
    program: String,
    rest: Vec<String>,
    /// Nothing may follow.
    closed: bool,
}

/// How far a pattern goes along with a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fit {
    /// It matches.
    Whole,
    /// It goes along for so many words; then it wants the first and finds the second.
    Until(usize, String, String),
}

impl Words {
    /// Reads a pattern.
    ///
    /// # Errors
    /// With the byte at which it is wrong.
    pub fn parse(text: &str) -> Result<Self, Fault> {
        let mut words = split(text)?;
        let closed = words.last().is_some_and(|w| w == "$");
        if closed {
            words.pop();
        }
        // `cargo test *` says what `cargo test` says.
        while words.len() > 1 && !closed && words.last().is_some_and(|w| w == "*" || w == "**") {
            words.pop();
        }
        let mut words = words.into_iter();
        let Some(program) = words.next() else {
            return Err(Fault::new(0, "the command is empty; give its first words, such as `cargo test`"));
        };
        if program.starts_with('-') {
            return Err(Fault::new(0, "a command begins with a program, not with an option"));
        }
        Ok(Self { program, rest: words.collect(), closed })
    }

    /// Whether the pattern names exactly these first words, so that it may allow the command.
    pub fn fits(&self, call: &Call) -> Fit {
        let by_path = self.program.contains('/');
        let program = if by_path { plain(&call.given) } else { &call.program };
        // In another case, or behind a sign of another shell, it is another program.
        let base = call.given.rsplit('/').next().unwrap_or("");
        let signed = base.starts_with(['=', '^', '!']) || base.starts_with("e:");
        let recased = base != call.program && base.eq_ignore_ascii_case(&call.program);
        if call.located != by_path
            || recased
            || signed
            || !wild(plain(&self.program), program)
            || call.program.is_empty()
        {
            return Fit::Until(0, self.program.clone(), call.given.clone());
        }
        for (at, want) in self.rest.iter().enumerate() {
            match call.words.get(at) {
                // What a wildcard stands for the rule does not show.
                Some(word) if stands_for(want, &word.text) && (word.harmless || *want == word.text) => {}
                found => {
                    let found = found.map_or_else(|| "nothing more".to_owned(), |w| w.text.clone());
                    return Fit::Until(at + 1, want.clone(), found);
                }
            }
        }
        if self.closed && call.words.len() > self.rest.len() {
            let more = call.words.get(self.rest.len()).map_or("", |w| w.text.as_str());
            return Fit::Until(self.rest.len() + 1, "nothing more".to_owned(), more.to_owned());
        }
        let behind = call.words.iter().enumerate().skip(self.rest.len());
        if let Some((at, word)) = behind.into_iter().find(|(_, word)| !word.harmless) {
            return Fit::Until(at + 1, "only what the rule covers unseen".to_owned(), word.text.clone());
        }
        if call.by_default && !self.closed {
            let wants = "a word for what it does".to_owned();
            return Fit::Until(self.rest.len() + 1, wants, "nothing more".to_owned());
        }
        if call.steered {
            let wants = "no variables but the harmless ones".to_owned();
            return Fit::Until(0, wants, "one that may steer it".to_owned());
        }
        Fit::Whole
    }

    /// Why it says more than its words show, if it does: it stands for many commands, or brings code of its own.
    pub fn breadth(&self) -> Option<&'static str> {
        let open = |word: &String| word.contains(['*', '?']);
        let program = self.program.rsplit('/').next().unwrap_or("");
        if open(&self.program) || self.rest.first().is_some_and(open) {
            return Some("it stands for every command that fits its wildcard, also for one that comes later");
        }
        if self.closed {
            return None;
        }
        if self.rest.is_empty() && (shell::is(program, Role::Shell) || shell::is(program, Role::Interpreter))
        {
            return Some("it lets any script of the project run");
        }
        if self.rest.is_empty() && shell::has_subcommands(program) {
            return Some("it stands for every sub-command, as far as its risk is medium");
        }
        let words = self.rest.join(" ");
        let line = format!("{} {words}", self.program);
        let reading = shell::read(&line);
        let call = reading.calls.first();
        if call.is_some_and(|call| call.by_default) {
            return Some("it stands for every task that builds, tests or checks");
        }
        let unseen = call.is_some_and(|call| call.words.iter().any(|w| !w.harmless));
        unseen.then_some("its own words bring code, a configuration or a place that nothing else covers")
    }

    /// Whether the command is one of those that the pattern is to hold back.
    pub fn catches(&self, call: &Call) -> bool {
        let base = call.given.rsplit('/').next().unwrap_or("");
        let named = |name: &str| wild(&self.program.to_lowercase(), &name.to_lowercase());
        let program = if self.program.contains('/') {
            plain(&self.program).eq_ignore_ascii_case(plain(&call.given))
        } else {
            named(&call.program) || named(base)
        };
        if !program || self.closed && call.words.len() > self.rest.len() {
            return false;
        }
        let words: Vec<&str> = call.words.iter().map(|w| w.text.as_str()).collect();
        let (options, operands): (Vec<&String>, Vec<&String>) =
            self.rest.iter().partition(|w| w.starts_with('-'));
        options.iter().all(|o| words.iter().any(|w| is_option(o, w))) && in_order(&operands, &words)
    }

    /// How many words it has.
    pub fn len(&self) -> usize {
        1 + self.rest.len()
    }
}

/// Whether the operands of a pattern stand in this order, with only options and their values before and between them.
fn in_order(wanted: &[&String], words: &[&str]) -> bool {
    // `at[k]`: whether `k` operands of the pattern may be found by now.
    let mut at = vec![false; wanted.len() + 1];
    if let Some(first) = at.first_mut() {
        *first = true;
    }
    let mut after_option = false;
    for word in words {
        let option = word.starts_with('-') && word.len() > 1;
        let mut next = vec![false; wanted.len() + 1];
        for (k, reached) in at.iter().enumerate().filter(|(_, r)| **r) {
            let skipped = option || after_option || k == wanted.len();
            if let Some(cell) = next.get_mut(k).filter(|_| skipped) {
                *cell = *reached;
            }
            if wanted.get(k).is_some_and(|want| wild(want, word))
                && let Some(cell) = next.get_mut(k + 1)
            {
                *cell = true;
            }
        }
        at = next;
        after_option = option;
    }
    at.last().copied().unwrap_or(false)
}

/// Whether a word is that option: the same, with a value, abbreviated, or a letter of a cluster.
fn is_option(option: &str, word: &str) -> bool {
    let name = word.split_once('=').map_or(word, |(name, _)| name);
    if wild(option, word) || wild(option, name) {
        return true;
    }
    if option.starts_with("--") {
        return name.len() >= 4 && name.starts_with("--") && option.starts_with(name);
    }
    let mut letters = option.chars().skip(1);
    match (letters.next(), letters.next()) {
        (Some(letter), None) => word.starts_with('-') && !word.starts_with("--") && word.contains(letter),
        _ => false,
    }
}

/// Whether a word of a pattern that allows stands for a word: what its wildcard stands for leads nowhere else.
fn stands_for(want: &str, word: &str) -> bool {
    wild(want, word) && (want == word || !word.split('/').any(|part| part == ".."))
}

/// A path without the `./` that may begin it.
fn plain(path: &str) -> &str {
    path.strip_prefix("./").unwrap_or(path)
}

/// The words of a pattern; quotes hold blanks together.
fn split(text: &str) -> Result<Vec<String>, Fault> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            ' ' | '\t' => words.extend(word.take()),
            '\'' | '"' => {
                let inside = word.get_or_insert_default();
                loop {
                    match chars.next() {
                        Some((_, end)) if end == c => break,
                        Some((_, other)) => inside.push(other),
                        None => return Err(Fault::new(at, "this quote is never closed")),
                    }
                }
            }
            '$' if word.is_none() && chars.peek().is_none() => word = Some("$".to_owned()),
            ';' | '&' | '|' | '<' | '>' | '(' | ')' | '`' | '$' | '{' | '}' | '[' | ']' | '\\' => {
                let why = format!(
                    "{c:?} means nothing here: a rule names the first words of one command, with `*` and `?` inside a \
                     word and `$` at the end for \"nothing more\"; put quotes around it if it is meant as it stands"
                );
                return Err(Fault::new(at, why));
            }
            c if c.is_control() => return Err(Fault::new(at, "a command pattern is one line")),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests;
