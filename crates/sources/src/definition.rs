//! What a source is, as it is written down, and the names that it may have.
//!
//! Owns what is known of one before it starts. Values of variables are named here and never held: they are filled in
//! when it starts. Never reads a file's form: that is `definition/read.rs`.

mod client;
mod read;

use std::{collections::BTreeMap, path::PathBuf, time::Duration};

use pilothouse_core::{shell::quote, tool::Tool};

use crate::auth::Registered;
pub use client::{hidden_of, of_client};
pub use read::{read_common, read_one};

/// The longest name.
const MOST_NAME: usize = 32;

/// Whose a source is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The user's own.
    User,
    /// The project's: it takes effect once the folder is trusted.
    Project,
    /// A client's, which names it for its session: it takes effect once the user agreed to its line.
    Client,
}

/// A source as it is written down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// Its name.
    pub name: String,
    /// Whose it is.
    pub origin: Origin,
    /// The file that names it; none is there of a client's.
    pub file: PathBuf,
    /// What it is for, if that is said.
    pub about: String,
    /// How it is reached.
    pub reach: Reach,
    /// Whether it is on.
    pub enabled: bool,
    /// Whether its tools may run unasked where they say that they only read. Only the user's own word counts.
    pub read_only: bool,
    /// The only tools of it that are there, if that is said.
    pub tools: Option<Vec<String>>,
    /// The tool of it that searches the web, where it has one.
    pub web: Option<String>,
    /// The tool of it that finds what it knows of a question, where it adds to a search for passages.
    pub adds: Option<String>,
    /// The program as the server that signs in to it knows it, where that is said.
    pub oauth: Option<Registered>,
    /// How long its start may take.
    pub start: Duration,
    /// How long a call may take.
    pub call: Duration,
}

/// How a source is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reach {
    /// A program that is started here.
    Command {
        /// The program.
        program: String,
        /// Its arguments.
        args: Vec<String>,
        /// Variables that it gets; `${NAME}` in a value stands for one of the user's.
        env: BTreeMap<String, String>,
    },
    /// A server somewhere.
    Http {
        /// Its address.
        url: String,
        /// Headers that it gets; `${NAME}` in a value stands for a variable of the user's.
        headers: BTreeMap<String, String>,
    },
}

/// What is wrong in a file, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}:{line}:{column}: {why}", file.display())]
pub struct FileFault {
    /// The file.
    pub file: PathBuf,
    /// The source that cannot be used, where the others of the file can.
    pub of: Option<String>,
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
    /// What is wrong.
    pub why: String,
}

impl Definition {
    /// How it is reached, in a line: the command line, or the address.
    pub fn line(&self) -> String {
        match &self.reach {
            Reach::Command { program, args, .. } => {
                let words = std::iter::once(program).chain(args).map(|w| quote(w));
                words.collect::<Vec<_>>().join(" ")
            }
            Reach::Http { url, .. } => url.clone(),
        }
    }

    /// What stands in it word for word where a secret may stand, each with the name that is next to it.
    pub fn literals(&self) -> Vec<(String, String)> {
        let mut all = Vec::new();
        for (name, value) in self.values() {
            for piece in pieces(value) {
                let (of, text) = match piece {
                    Piece::Plain(text) => (None, text),
                    Piece::Of(of, other) => (Some(of), other.unwrap_or_default()),
                };
                let names: Vec<String> = std::iter::once(name.to_owned()).chain(of).collect();
                // A header has its scheme before it.
                for word in std::iter::once(text).chain(text.split_whitespace()) {
                    all.extend(names.iter().map(|n| (n.clone(), word.to_owned())));
                }
            }
        }
        let pair = |text: &str| text.split_once('=').map(|(n, v)| (n.to_owned(), v.to_owned()));
        match &self.reach {
            Reach::Command { args, .. } => {
                let before = std::iter::once("").chain(args.iter().map(String::as_str));
                all.extend(before.zip(args).map(|(name, arg)| (name.to_owned(), arg.clone())));
                all.extend(args.iter().filter_map(|a| pair(a)));
            }
            Reach::Http { url, .. } => {
                all.push((String::new(), url.clone()));
                all.extend(url.split(['?', '&', '#']).filter_map(pair));
            }
        }
        all
    }

    /// What may name variables of the user, each with its own name.
    fn values(&self) -> impl Iterator<Item = (&str, &str)> {
        let (Reach::Command { env: values, .. } | Reach::Http { headers: values, .. }) = &self.reach;
        let secret = self.oauth.as_ref().and_then(|o| o.client_secret.as_deref());
        values.iter().map(|(n, v)| (n.as_str(), v.as_str())).chain(secret.map(|s| ("client_secret", s)))
    }

    /// Whether `${NAME}` in a value stands for a variable of the user's: a client says what it means.
    pub(crate) fn is_filled_in(&self) -> bool {
        self.origin != Origin::Client
    }

    /// The variables of the user that it gets, by name.
    pub fn wants(&self) -> Vec<String> {
        if !self.is_filled_in() {
            return Vec::new();
        }
        let mut names: Vec<String> =
            self.values().flat_map(|(_, v)| pieces(v)).filter_map(Piece::name).collect();
        names.sort();
        names.dedup();
        names
    }
}

/// A name that a source may have: small letters, digits and single dashes.
///
/// # Errors
/// Why the word cannot be one.
pub fn slug(word: &str) -> Result<String, String> {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    if let Some(odd) = word.chars().find(|c| !c.is_ascii_alphanumeric() && !" -_.".contains(*c)) {
        return Err(format!(
            "the name of a source holds letters, digits and dashes, not U+{:04X}",
            u32::from(odd)
        ));
    }
    let name: String = word.trim().chars().map(plain).collect();
    let name = name.split('-').filter(|p| !p.is_empty()).collect::<Vec<_>>().join("-");
    if name.is_empty() || name.len() > MOST_NAME {
        return Err(format!("the name of a source has 1 to {MOST_NAME} letters, digits and dashes"));
    }
    if Tool::own(&name).is_some() {
        return Err(format!("{name} is a tool of the workbench; call the source otherwise"));
    }
    Ok(name)
}

/// A value with what `${NAME}` stands for.
///
/// # Errors
/// The name that has no value.
pub(crate) fn filled(text: &str, value: &dyn Fn(&str) -> Option<String>) -> Result<String, String> {
    let mut out = String::new();
    for piece in pieces(text) {
        match piece {
            Piece::Plain(text) => out.push_str(text),
            Piece::Of(name, other) => {
                let known = value(&name).or_else(|| other.map(str::to_owned));
                out.push_str(&known.ok_or(name)?);
            }
        }
    }
    Ok(out)
}

/// A piece of a value.
enum Piece<'a> {
    Plain(&'a str),
    /// A variable, and what stands there when it has no value.
    Of(String, Option<&'a str>),
}

impl Piece<'_> {
    fn name(self) -> Option<String> {
        match self {
            Self::Plain(_) => None,
            Self::Of(name, _) => Some(name),
        }
    }
}

fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut all = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        let Some((inside, behind)) = after.split_once('}') else { break };
        let (name, other) = inside.split_once(":-").map_or((inside, None), |(n, o)| (n, Some(o)));
        // Others write `${env:NAME}` as well, and `${input:a-name}` for what they ask for: here it is a variable.
        let asked = |name: &str| format!("INPUT_{}", name.to_uppercase().replace(['-', '.', ' '], "_"));
        let name = name
            .strip_prefix("input:")
            .map_or_else(|| name.strip_prefix("env:").unwrap_or(name).to_owned(), asked);
        all.extend([Piece::Plain(before), Piece::Of(name, other)]);
        rest = behind;
    }
    all.push(Piece::Plain(rest));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_plain_and_never_those_of_our_tools() {
        assert_eq!(slug("GitHub__Server.2").as_deref(), Ok("github-server-2"));
        for bad in ["", "--", "run", "Read", "a\u{202e}b", "ü", "a/b", &"x".repeat(33)] {
            assert!(slug(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_value_is_filled_in() {
        let value = |n: &str| (n == "A").then(|| "1".to_owned());
        assert_eq!(filled("x${A}y${B:-2}$", &value).as_deref(), Ok("x1y2$"));
        assert_eq!(filled("${C}", &value), Err("C".to_owned()));
    }
}
