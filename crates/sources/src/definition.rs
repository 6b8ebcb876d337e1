//! How a source is written down: a file of its own, or the form that other agents share.
//!
//! Owns the reading of both and the names that a source may have. Values of variables are named there and never
//! held here: they are filled in when the source starts.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    time::Duration,
};

use pilothouse_core::{
    front::{Fault, Place},
    shell::quote,
    tool::Tool,
};
use serde::Deserialize;

use crate::auth::Registered;

/// The longest name.
const MOST_NAME: usize = 32;
/// How long a start may take when nothing is said, in seconds.
const START_S: u64 = 30;
/// How long a call may take when nothing is said, in seconds.
const CALL_S: u64 = 60;
/// The longest that either may be given, in seconds.
const MOST_S: u64 = 1_800;

/// Whose a source is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The user's own.
    User,
    /// The project's: it takes effect once the folder is trusted.
    Project,
}

/// A source as it is written down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// Its name.
    pub name: String,
    /// Whose it is.
    pub origin: Origin,
    /// The file that names it.
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
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
    /// What is wrong.
    pub why: String,
}

/// What a file says of one source; `$more` says what becomes of fields that are not known.
macro_rules! entry {
    ($name:ident $(, $more:meta)?) => {
        #[derive(Deserialize)]
        $(#[serde($more)])?
        struct $name {
            #[serde(default, alias = "description")]
            about: String,
            #[serde(default)]
            command: Option<String>,
            #[serde(default)]
            args: Vec<String>,
            #[serde(default)]
            env: BTreeMap<String, String>,
            #[serde(default, alias = "serverUrl")]
            url: Option<String>,
            #[serde(default)]
            headers: BTreeMap<String, String>,
            #[serde(default)]
            enabled: Option<bool>,
            #[serde(default)]
            disabled: bool,
            #[serde(default)]
            read_only: bool,
            #[serde(default)]
            tools: Option<Vec<String>>,
            #[serde(default)]
            web: Option<String>,
            #[serde(default)]
            oauth: Option<Registered>,
            #[serde(default)]
            start_s: Option<u64>,
            #[serde(default)]
            timeout_s: Option<u64>,
        }

        impl TryFrom<$name> for Entry {
            type Error = String;

            fn try_from(said: $name) -> Result<Self, String> {
                let reach = reach((said.command, said.args, said.env), (said.url, said.headers))?;
                if said.oauth.is_some() && matches!(reach, Reach::Command { .. }) {
                    return Err("`oauth` belongs to a `url`".to_owned());
                }
                Ok(Self {
                    about: said.about,
                    reach,
                    enabled: said.enabled.unwrap_or(!said.disabled),
                    read_only: said.read_only,
                    tools: said.tools,
                    web: said.web,
                    oauth: said.oauth,
                    start: seconds("start_s", said.start_s, START_S)?,
                    call: seconds("timeout_s", said.timeout_s, CALL_S)?,
                })
            }
        }
    };
}

entry!(Strict, deny_unknown_fields);
entry!(Loose);

struct Entry {
    about: String,
    reach: Reach,
    enabled: bool,
    read_only: bool,
    tools: Option<Vec<String>>,
    web: Option<String>,
    oauth: Option<Registered>,
    start: Duration,
    call: Duration,
}

#[derive(Deserialize)]
#[serde(try_from = "Strict")]
struct Own(Entry);

#[derive(Deserialize)]
#[serde(try_from = "Loose")]
struct Shared(Entry);

impl TryFrom<Strict> for Own {
    type Error = String;

    fn try_from(said: Strict) -> Result<Self, String> {
        said.try_into().map(Self)
    }
}

impl TryFrom<Loose> for Shared {
    type Error = String;

    fn try_from(said: Loose) -> Result<Self, String> {
        said.try_into().map(Self)
    }
}

#[derive(Deserialize)]
struct Common {
    #[serde(rename = "mcpServers", default)]
    servers: BTreeMap<String, Shared>,
}

/// Reads the `config.json` of one source, which is called after its folder.
///
/// # Errors
/// What is wrong in it, with line and column.
pub fn read_one(file: &Path, name: &str, text: &str, origin: Origin) -> Result<Definition, FileFault> {
    let name = slug(name).map_err(|why| fault(file, Fault::new(Place::START, why)))?;
    let Own(entry) = serde_json::from_str(text).map_err(|e| fault(file, Fault::of_json(&e)))?;
    Ok(entry.named(name, file, origin))
}

/// Reads an `mcp.json` in the form that other agents share.
///
/// # Errors
/// What is wrong in it, with line and column.
pub fn read_common(file: &Path, text: &str, origin: Origin) -> Result<Vec<Definition>, FileFault> {
    let Common { servers } = serde_json::from_str(text).map_err(|e| fault(file, Fault::of_json(&e)))?;
    let mut all: Vec<Definition> = Vec::new();
    for (said, Shared(entry)) in servers {
        let wrong = |why: String| fault(file, Fault::new(place(text, &said), why));
        let name = slug(&said).map_err(wrong)?;
        if all.iter().any(|d| d.name == name) {
            return Err(wrong(format!("another source of it is called {name} as well")));
        }
        all.push(entry.named(name, file, origin));
    }
    Ok(all)
}

impl Entry {
    fn named(self, name: String, file: &Path, origin: Origin) -> Definition {
        let Self { about, reach, enabled, read_only, tools, web, oauth, start, call } = self;
        // A project does not say what may run unasked.
        let read_only = read_only && origin == Origin::User;
        let file = file.to_owned();
        Definition { name, origin, file, about, reach, enabled, read_only, tools, web, oauth, start, call }
    }
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
                let (names, text) = match piece {
                    Piece::Plain(text) => (vec![name], text),
                    Piece::Of(of, other) => (vec![name, of], other.unwrap_or_default()),
                };
                // A header has its scheme before it.
                for word in std::iter::once(text).chain(text.split_whitespace()) {
                    all.extend(names.iter().map(|n| ((*n).to_owned(), word.to_owned())));
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

    /// The variables of the user that it gets, by name.
    pub fn wants(&self) -> Vec<String> {
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
                let known = value(name).or_else(|| other.map(str::to_owned));
                out.push_str(&known.ok_or_else(|| name.to_owned())?);
            }
        }
    }
    Ok(out)
}

/// A piece of a value.
enum Piece<'a> {
    Plain(&'a str),
    /// A variable, and what stands there when it has no value.
    Of(&'a str, Option<&'a str>),
}

impl Piece<'_> {
    fn name(self) -> Option<String> {
        match self {
            Self::Plain(_) => None,
            Self::Of(name, _) => Some(name.to_owned()),
        }
    }
}

fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut all = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        let Some((inside, behind)) = after.split_once('}') else { break };
        let (name, other) = inside.split_once(":-").map_or((inside, None), |(n, o)| (n, Some(o)));
        // Other agents write `${env:NAME}` as well.
        let name = name.strip_prefix("env:").unwrap_or(name);
        all.extend([Piece::Plain(before), Piece::Of(name, other)]);
        rest = behind;
    }
    all.push(Piece::Plain(rest));
    all
}

type Program = (Option<String>, Vec<String>, BTreeMap<String, String>);
type Address = (Option<String>, BTreeMap<String, String>);

fn reach((program, args, env): Program, (url, headers): Address) -> Result<Reach, String> {
    match (program, url) {
        (Some(_), Some(_)) => Err("a source has a `command` or a `url`, not both".to_owned()),
        (None, None) => Err("a source needs a `command` or a `url`".to_owned()),
        (Some(program), None) if program.trim().is_empty() || program.contains('\0') => {
            Err("`command` is empty".to_owned())
        }
        (Some(_), None) if !headers.is_empty() => Err("`headers` belong to a `url`".to_owned()),
        (Some(program), None) => {
            let steers = env.keys().find(|n| pilothouse_core::shell::steers(n) || n.contains(['=', '\0']));
            match steers {
                Some(name) => Err(format!("{name} makes programs run others; it cannot be set here")),
                None => Ok(Reach::Command { program, args, env }),
            }
        }
        (None, Some(url)) => {
            let sound = url.parse::<http::Uri>().ok().filter(|u| u.host().is_some() && u.scheme().is_some());
            let local = |u: &http::Uri| matches!(u.host(), Some("localhost" | "127.0.0.1" | "[::1]"));
            match sound {
                Some(u) if u.scheme_str() == Some("https") || u.scheme_str() == Some("http") && local(&u) => {
                    Ok(Reach::Http { url, headers })
                }
                Some(_) => Err("`url` is https; http only on this machine".to_owned()),
                None => Err("`url` is no address".to_owned()),
            }
        }
    }
}

fn seconds(name: &str, said: Option<u64>, usual: u64) -> Result<Duration, String> {
    match said.unwrap_or(usual) {
        n if (1..=MOST_S).contains(&n) => Ok(Duration::from_secs(n)),
        n => Err(format!("`{name}` is {n}, expected 1 to {MOST_S} seconds")),
    }
}

fn fault(file: &Path, Fault { at, why }: Fault) -> FileFault {
    FileFault { file: file.to_owned(), line: at.line, column: at.column, why }
}

/// Where a name stands in the text.
fn place(text: &str, name: &str) -> Place {
    let quoted = serde_json::to_string(name).unwrap_or_default();
    Place::at(text, text.find(&quoted).unwrap_or_default())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn one(text: &str) -> Result<Definition, FileFault> {
        read_one(Path::new("sources/x/config.json"), "x", text, Origin::User)
    }

    #[test]
    fn the_common_form_is_read_with_what_others_put_there() {
        let text = r#"{"mcpServers": {
            "My Server": {"type": "stdio", "command": "npx", "args": ["-y", "a b"], "env": {"K": "${env:TOKEN}"}},
            "far": {"url": "https://example.org/mcp", "headers": {"Authorization": "Bearer ${KEY:-none}"}, "disabled": true}
        }}"#;
        let all = read_common(Path::new(".mcp.json"), text, Origin::Project).unwrap();
        let named: Vec<_> = all.iter().map(|d| (d.name.as_str(), d.line(), d.enabled, d.wants())).collect();
        assert_eq!(
            named,
            [
                ("my-server", "npx -y 'a b'".to_owned(), true, vec!["TOKEN".to_owned()]),
                ("far", "https://example.org/mcp".to_owned(), false, vec!["KEY".to_owned()]),
            ]
        );
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        let cases = [
            ("{\n  \"comand\": \"x\"\n}", "sources/x/config.json:2:10: unknown field"),
            ("{\n  \"args\": []\n}", "needs a `command` or a `url`"),
            ("{\"command\": \"a\", \"url\": \"https://b\"}", "not both"),
            ("{\"url\": \"http://example.org\"}", "https"),
            ("{\"url\": \"nothing\"}", "no address"),
            ("{\"command\": \"a\", \"timeout_s\": 0}", "1 to 1800"),
            ("{\"command\": \"a\", \"env\": {\"LD_PRELOAD\": \"x\"}}", "makes programs run others"),
            ("{\"command\": 7}", "invalid type"),
            ("{\"command\": \"a\"", "EOF"),
        ];
        for (text, says) in cases {
            let why = one(text).unwrap_err().to_string();
            assert!(why.contains(says) && why.starts_with("sources/x/config.json:"), "{text}: {why}");
        }
        let twice = "{\"mcpServers\": {\"a b\": {\"command\": \"x\"},\n \"a-b\": {\"command\": \"x\"}}}";
        let why = read_common(Path::new("m"), twice, Origin::User).unwrap_err();
        assert_eq!((why.line, why.column), (2, 2), "{why}");
    }

    #[test]
    fn names_are_plain_and_never_those_of_our_tools() {
        assert_eq!(slug("GitHub__Server.2").as_deref(), Ok("github-server-2"));
        for bad in ["", "--", "run", "Read", "a\u{202e}b", "ü", "a/b", &"x".repeat(33)] {
            assert!(slug(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_value_is_filled_in_and_only_the_user_says_what_runs_unasked() {
        let value = |n: &str| (n == "A").then(|| "1".to_owned());
        assert_eq!(filled("x${A}y${B:-2}$", &value).as_deref(), Ok("x1y2$"));
        assert_eq!(filled("${C}", &value), Err("C".to_owned()));
        let text = r#"{"command": "a", "read_only": true}"#;
        assert!(one(text).unwrap().read_only);
        let theirs = read_one(Path::new("x"), "x", text, Origin::Project).unwrap();
        assert!(!theirs.read_only);
    }
}
