//! One rule: what it is about, what it says, where it stands.
//!
//! Owns the text form (`deny read secrets/**`) and its reading. Never weighs rules against each other.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{
    fault::Fault,
    glob::{Glob, Places, Target},
    words::Words,
};
use crate::shell::{self, Act, Risk};

/// What a rule says of what it matches. Deny goes before ask, ask before allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Effect {
    /// It is refused.
    Deny,
    /// It asks, in every mode.
    Ask,
    /// It runs unasked, unless its risk is high or it deletes.
    Allow,
}

impl Effect {
    /// Every effect, the strongest first.
    pub const ALL: [Self; 3] = [Self::Deny, Self::Ask, Self::Allow];

    /// The lowercase name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Deny => "deny",
            Self::Ask => "ask",
            Self::Allow => "allow",
        }
    }

    /// The effect called `name`.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|e| e.name() == name)
    }
}

/// The kinds of pattern that a rule can hold, by their names in a file.
pub const KINDS: [&str; 7] = ["command", "read", "write", "delete", "path", "mcp", "network"];

/// What a rule is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum About {
    /// Commands that begin with these words.
    Command(Words),
    /// Paths; `None` for every act on them.
    Path(Option<Act>, Paths),
    /// Tools of an MCP server, both with wildcards.
    Mcp {
        /// The server.
        server: String,
        /// The tool.
        tool: String,
    },
    /// A host; `*.example.com` for those below it.
    Network(String),
}

/// The paths that a rule covers: `.env.* except .env.example .env.sample`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paths {
    glob: Glob,
    except: Vec<Glob>,
}

impl Paths {
    fn parse(text: &str) -> Result<Self, Fault> {
        let (glob, except) = text.split_once(" except ").unwrap_or((text, ""));
        let mut at = glob.len() + " except ".len();
        let mut globs = Vec::new();
        for word in except.split(' ') {
            if !word.is_empty() {
                globs.push(Glob::parse(word).map_err(|f| Fault { at: at + f.at, ..f })?);
            }
            at += word.len() + 1;
        }
        Ok(Self { glob: Glob::parse(glob.trim_end())?, except: globs })
    }

    /// Whether the target means, or may mean, a covered path. `fold` leaves case out of account.
    pub(super) fn covers(&self, target: &Target, places: &Places, fold: bool) -> bool {
        let excepted = || {
            let certain = target.certain();
            self.except.iter().any(|g| if certain { g.covers(target, places, fold) } else { g.ends(target) })
        };
        self.glob.covers(target, places, fold) && !excepted()
    }

    /// The same where nothing but files has that name.
    fn of_files(self) -> Self {
        Self { glob: self.glob.of_files(), ..self }
    }

    /// Whether every target is covered for certain, so that a rule may allow it. A rule about a place that the workspace
    /// lies in says nothing about the workspace's own files.
    pub(super) fn allows(&self, targets: &[Target], places: &Places) -> bool {
        let root = Target::exact(".", places);
        let around = self.glob.is_around(places);
        targets.iter().all(|t| self.covers(t, places, false) && !(around && t.is_below(&root)))
    }

    /// How many names of the target agree with the pattern's.
    pub(super) fn likeness(&self, target: &Target) -> usize {
        self.glob.likeness(target)
    }
}

/// Where a rule comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// It comes with the program.
    BuiltIn,
    /// The user's file.
    User,
    /// The project's file.
    Project,
    /// The user allowed it for this session.
    Session,
    /// A check of the project, named to the user when the folder was trusted.
    Folder,
}

/// Where a rule stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// Whose it is.
    pub source: Source,
    /// The file as the user would name it; empty where it stands in none.
    pub file: String,
    /// Its line, from 1.
    pub line: usize,
}

impl Origin {
    /// That of a rule which the user allowed for this session.
    pub const SESSION: Self = Self { source: Source::Session, file: String::new(), line: 0 };
    /// That of a rule which lets a check of a trusted folder run.
    pub const FOLDER: Self = Self { source: Source::Folder, file: String::new(), line: 0 };
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.source {
            Source::Session => f.write_str("this session"),
            Source::Folder => f.write_str("the folder's trust"),
            Source::BuiltIn => write!(f, "built-in:{}", self.line),
            Source::User | Source::Project => write!(f, "{}:{}", self.file, self.line),
        }
    }
}

/// One rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// What it says.
    pub effect: Effect,
    /// What it is about.
    pub about: About,
    /// Where it stands.
    pub origin: Origin,
    /// Why, in its author's words; may be empty.
    pub why: String,
    kind: &'static str,
    pattern: String,
}

impl Rule {
    /// Reads the pattern of a rule whose effect and kind are known.
    ///
    /// # Errors
    /// With the byte of `pattern` at which it is wrong.
    pub fn new(effect: Effect, kind: &str, pattern: &str, origin: Origin) -> Result<Self, Fault> {
        let Some(kind) = KINDS.into_iter().find(|k| *k == kind) else {
            return Err(Fault::new(
                0,
                format!("there are no rules about {kind:?}, only about {}", KINDS.join(", ")),
            ));
        };
        let about = match kind {
            "command" => About::Command(Words::parse(pattern)?),
            "read" => About::Path(Some(Act::Read), Paths::parse(pattern)?),
            "write" => About::Path(Some(Act::Write), Paths::parse(pattern)?),
            "delete" => About::Path(Some(Act::Delete), Paths::parse(pattern)?),
            "path" => About::Path(None, Paths::parse(pattern)?),
            "mcp" => mcp(pattern)?,
            _ => About::Network(host(pattern)?),
        };
        if effect == Effect::Allow && kind == "delete" {
            return Err(Fault::new(0, "a removal always asks; no rule can allow it"));
        }
        Ok(Self { effect, about, origin, why: String::new(), kind, pattern: pattern.trim().to_owned() })
    }

    /// The same where nothing but files has the name that it is about: a folder that a line leaves open is none of them.
    #[must_use]
    pub fn of_files(self) -> Self {
        let about = match self.about {
            About::Path(act, paths) => About::Path(act, paths.of_files()),
            other @ (About::Command(_) | About::Mcp { .. } | About::Network(_)) => other,
        };
        Self { about, ..self }
    }

    /// Reads a whole rule: `allow command cargo test`.
    ///
    /// # Errors
    /// With the byte at which it is wrong.
    pub fn parse(text: &str, origin: Origin) -> Result<Self, Fault> {
        let lead = text.len() - text.trim_start().len();
        let mut words = text.trim_start().splitn(3, [' ', '\t']);
        let (effect, kind) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
        let pattern = words.next().unwrap_or("");
        let Some(effect) = Effect::named(effect) else {
            return Err(Fault::new(
                lead,
                format!("a rule begins with deny, ask or allow, not with {effect:?}"),
            ));
        };
        let at = lead + effect.name().len() + 1;
        Self::new(effect, kind, pattern, origin).map_err(|fault| {
            let known = KINDS.contains(&kind);
            Fault { at: if known { at + kind.len() + 1 + fault.at } else { at }, why: fault.why }
        })
    }

    /// The rule by which a check of the project runs as the usual ones do: just its line, where more would be allowed than
    /// that shows.
    pub fn of_check(line: &str) -> Option<Self> {
        let rule = |end: &str| Self::parse(&format!("allow command {line}{end}"), Origin::FOLDER).ok();
        rule("").filter(|rule| rule.breadth().is_none()).or_else(|| rule(" $"))
    }

    /// Its kind as a file names it.
    pub const fn kind(&self) -> &'static str {
        self.kind
    }

    /// Why it allows more than its words show, if it does.
    pub fn breadth(&self) -> Option<&'static str> {
        match &self.about {
            About::Command(words) if self.effect == Effect::Allow => words.breadth(),
            About::Command(_) | About::Path(..) | About::Mcp { .. } | About::Network(_) => None,
        }
    }

    /// Why it lets nothing run unasked, if it does not: whatever begins with its words is asked about all the same.
    pub fn without_effect(&self) -> Option<&'static str> {
        let About::Command(_) = &self.about else { return None };
        let words = self.pattern.trim_end_matches(['*', '$', ' ']);
        let more = shell::read(&format!("{words} x"));
        let high = || more.verdict.risk == Risk::High && shell::read(words).verdict.risk == Risk::High;
        match self.effect {
            Effect::Allow if more.deletes => Some("a removal always asks; no rule can allow it"),
            Effect::Allow if high() => Some("what is of high risk always asks; no rule can allow it"),
            Effect::Allow | Effect::Ask | Effect::Deny => None,
        }
    }

    /// Its pattern as it is written.
    pub fn pattern(&self) -> &str {
        &self.pattern
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.effect.name(), self.kind, self.pattern)
    }
}

fn mcp(pattern: &str) -> Result<About, Fault> {
    let plain = |c: char| c.is_alphanumeric() || "-_.*?:".contains(c);
    let (server, tool) = pattern.trim().split_once('/').unwrap_or((pattern.trim(), "*"));
    if let Some((at, c)) = pattern.trim().char_indices().find(|(_, c)| !plain(*c) && *c != '/') {
        return Err(Fault::new(
            at,
            format!("{c:?} cannot stand in a server's or tool's name; write `server/tool`"),
        ));
    }
    if server.is_empty() || tool.is_empty() || tool.contains('/') {
        return Err(Fault::new(0, "a rule about MCP names a server and a tool: `github/get_*`"));
    }
    Ok(About::Mcp { server: server.to_owned(), tool: tool.to_owned() })
}

fn host(pattern: &str) -> Result<String, Fault> {
    let text = pattern.trim();
    if text.is_empty() {
        return Err(Fault::new(0, "the host is empty; give one such as `docs.rs` or `*.example.com`"));
    }
    if let Some((at, c)) = text.char_indices().find(|(_, c)| !(c.is_alphanumeric() || "-._*:".contains(*c))) {
        return Err(Fault::new(
            at,
            format!("{c:?} cannot stand in a host; give the name alone, without scheme or path"),
        ));
    }
    if text != "*" && text.get(1..).is_some_and(|rest| rest.contains('*'))
        || text.starts_with('*') && text != "*" && !text.starts_with("*.")
    {
        return Err(Fault::new(0, "a `*` stands alone or before the first dot: `*.example.com`"));
    }
    Ok(text.to_lowercase())
}

/// Whether a host is one that the pattern names; the name alone also stands for itself below `*.`.
pub(super) fn host_fits(pattern: &str, name: &str) -> bool {
    let name = name.to_lowercase();
    let name = name.trim_end_matches('.');
    match pattern.strip_prefix("*.") {
        _ if pattern == "*" => true,
        Some(domain) => name == domain || name.strip_suffix(domain).is_some_and(|rest| rest.ends_with('.')),
        None => name == pattern,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_reads_back_as_it_is_written() {
        for text in [
            "allow command cargo test",
            "deny read secrets/**",
            "ask path .env",
            "ask write ~/.config/**",
            "deny mcp github/delete_*",
            "allow network *.example.com",
            "ask read .env.* except .env.example .env.sample",
        ] {
            assert_eq!(Rule::parse(text, Origin::SESSION).unwrap().to_string(), text);
        }
    }

    #[test]
    fn a_rule_that_could_only_allow_what_always_asks_has_no_effect() {
        let idle = |text: &str| Rule::parse(text, Origin::SESSION).unwrap().without_effect().is_some();
        for text in [
            "allow command rm",
            "allow command rm -rf *",
            "allow command rmdir",
            "allow command git push --force",
        ] {
            assert!(idle(text), "{text}");
        }
        for text in [
            "allow command cargo test",
            "allow command git",
            "allow command npm run lint:*",
            "allow command make $",
            "deny command rm",
            "ask command rm",
            "allow network *.example.com",
        ] {
            assert!(!idle(text), "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        for (text, at) in [
            ("permit command x", 0),
            ("allow comand x", 6),
            ("allow command a; b", 15),
            ("allow delete x", 13),
            ("deny read a/[b]", 12),
            ("deny read a except b {", 21),
            ("deny network http://x", 18),
            ("deny mcp a b", 10),
            ("allow command", 14),
        ] {
            assert_eq!(Rule::parse(text, Origin::SESSION).unwrap_err().at, at, "{text}");
        }
    }

    #[test]
    fn a_host_is_compared_by_its_parts() {
        for (pattern, name, want) in [
            ("docs.rs", "docs.rs", true),
            ("docs.rs", "Docs.RS.", true),
            ("docs.rs", "evildocs.rs", false),
            ("*.example.com", "a.b.example.com", true),
            ("*.example.com", "example.com", true),
            ("*.example.com", "badexample.com", false),
            ("*", "anything", true),
        ] {
            assert_eq!(host_fits(pattern, name), want, "{pattern} {name}");
        }
    }
}
