//! The forms in which sources are written down: a file of its own for each, or one that others share.
//!
//! Owns their fields, what is refused in them, and where. Never fills in a value.

use std::{collections::BTreeMap, path::Path, time::Duration};

use pilothouse_core::front::{Fault, Place};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{Definition, FileFault, Origin, Reach, slug};
use crate::auth::Registered;

/// How long a start may take when nothing is said, in seconds.
pub(super) const START_S: u64 = 30;
/// How long a call may take when nothing is said, in seconds.
pub(super) const CALL_S: u64 = 60;
/// The longest that either may be given, in seconds.
const MOST_S: u64 = 1_800;

/// Reads the `config.json` of one source, which is called after its folder.
///
/// # Errors
/// What is wrong in it, with line and column.
pub fn read_one(file: &Path, name: &str, text: &str, origin: Origin) -> Result<Definition, FileFault> {
    let name = slug(name).map_err(|why| fault(file, Fault::new(Place::START, why)))?;
    let said: Own = serde_json::from_str(text).map_err(|e| fault(file, Fault::of_json(&e)))?;
    said.named(name, file, origin).map_err(|why| fault(file, Fault::new(Place::START, why)))
}

/// Reads an `mcp.json` in the forms that others share: each source of it for itself, with what is wrong in the others or
/// with the file, with line and column.
pub fn read_common(file: &Path, text: &str, origin: Origin) -> (Vec<Definition>, Vec<FileFault>) {
    let whole = |what: Fault| (Vec::new(), vec![fault(file, what)]);
    let Common { most, servers } = match serde_json::from_str(text) {
        Ok(common) => common,
        Err(e) => return whole(Fault::of_json(&e)),
    };
    if most.is_none() && servers.is_none() {
        let said: Map<String, Value> = serde_json::from_str(text).unwrap_or_default();
        let first = said.keys().map(|key| place(text, key)).min();
        let why = "no source stands here: they are named under `mcpServers` or `servers`".to_owned();
        return first.map_or_else(Default::default, |at| whole(Fault::new(at, why)));
    }
    let (mut all, mut faults): (Vec<Definition>, Vec<FileFault>) = Default::default();
    for (said, entry) in [most, servers].into_iter().flatten().flatten() {
        let name = slug(&said);
        let of = name.clone().unwrap_or_else(|_| said.clone());
        let read = name.and_then(|name| {
            if all.iter().any(|d| d.name == name) {
                return Err(format!("another source of it is called {name} as well"));
            }
            let entry = Shared::deserialize(entry).map_err(|e| format!("{said}: {e}"))?;
            entry.named(name, file, origin)
        });
        match read {
            Ok(source) => all.push(source),
            Err(why) => {
                let fault = fault(file, Fault::new(place(text, &said), why));
                faults.push(FileFault { of: Some(of), ..fault });
            }
        }
    }
    (all, faults)
}

/// What a file says of one source; `$more` says what becomes of fields that are not known.
macro_rules! entry {
    ($name:ident $(, $more:meta)?) => {
        #[derive(Default, Deserialize)]
        #[serde(default $(, $more)?)]
        struct $name {
            #[serde(alias = "description")]
            about: String,
            command: Option<String>,
            args: Vec<String>,
            env: BTreeMap<String, String>,
            #[serde(alias = "serverUrl")]
            url: Option<String>,
            headers: BTreeMap<String, String>,
            enabled: Option<bool>,
            disabled: bool,
            read_only: bool,
            tools: Option<Vec<String>>,
            web: Option<String>,
            adds: Option<String>,
            oauth: Option<Registered>,
            start_s: Option<u64>,
            timeout_s: Option<u64>,
        }

        impl $name {
            fn named(self, name: String, file: &Path, origin: Origin) -> Result<Definition, String> {
                let reach = reach((self.command, self.args, self.env), (self.url, self.headers))?;
                if self.oauth.is_some() && matches!(reach, Reach::Command { .. }) {
                    return Err("`oauth` belongs to a `url`".to_owned());
                }
                Ok(Definition {
                    name,
                    origin,
                    file: file.to_owned(),
                    about: self.about,
                    reach,
                    enabled: self.enabled.unwrap_or(!self.disabled),
                    // A project does not say what may run unasked.
                    read_only: self.read_only && origin == Origin::User,
                    tools: self.tools,
                    web: self.web,
                    adds: self.adds,
                    oauth: self.oauth,
                    start: seconds("start_s", self.start_s, START_S)?,
                    call: seconds("timeout_s", self.timeout_s, CALL_S)?,
                })
            }
        }
    };
}

entry!(Own, deny_unknown_fields);
entry!(Shared);

/// The forms that others share: most say `mcpServers`, an editor that many use says `servers`.
#[derive(Deserialize)]
struct Common {
    #[serde(rename = "mcpServers")]
    most: Option<BTreeMap<String, Value>>,
    servers: Option<BTreeMap<String, Value>>,
}

/// A program as it is written down: itself, its arguments, its variables.
type Program = (Option<String>, Vec<String>, BTreeMap<String, String>);
/// An address as it is written down, with its headers.
type Address = (Option<String>, BTreeMap<String, String>);

/// How a source is reached that is written down so.
///
/// # Errors
/// What of it cannot be used.
pub(super) fn reach((program, args, env): Program, (url, headers): Address) -> Result<Reach, String> {
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
    FileFault { file: file.to_owned(), of: None, line: at.line, column: at.column, why }
}

/// Where a name stands in the text.
fn place(text: &str, name: &str) -> Place {
    let quoted = serde_json::to_string(name).unwrap_or_default();
    Place::at(text, text.find(&quoted).unwrap_or_default())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::string_slice)]
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
        let (all, _) = read_common(Path::new(".mcp.json"), text, Origin::Project);
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
    fn the_form_of_an_editor_is_read_and_what_names_no_source_is_said() {
        let text = r#"{"inputs": [{"id": "far-key", "type": "promptString"}], "servers": {
            "far": {"type": "http", "url": "https://example.org/mcp", "headers": {"Authorization": "Bearer ${input:far-key}"}}
        }}"#;
        let (all, _) = read_common(Path::new("mcp.json"), text, Origin::User);
        let named: Vec<_> = all.iter().map(|d| (d.name.as_str(), d.line(), d.wants())).collect();
        assert_eq!(named, [("far", "https://example.org/mcp".to_owned(), vec!["INPUT_FAR_KEY".to_owned()])]);
        let both = r#"{"mcpServers": {"a": {"command": "x"}}, "servers": {"b": {"command": "y"}}}"#;
        assert_eq!(read_common(Path::new("m"), both, Origin::User).0.len(), 2);
        let other = "{\n  \"version\": 1,\n  \"mcp_servers\": {\"a\": {\"command\": \"x\"}}\n}";
        let why = read_common(Path::new("m"), other, Origin::User).1.remove(0).to_string();
        assert!(why.starts_with("m:2:3: no source stands here") && why.contains("`servers`"), "{why}");
        for empty in ["{}", r#"{"mcpServers": {}}"#, r#"{"servers": {}}"#] {
            assert_eq!(read_common(Path::new("m"), empty, Origin::User), Default::default());
        }
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
        let (all, faults) = read_common(Path::new("m"), twice, Origin::User);
        assert_eq!((all.len(), faults.len(), faults[0].line, faults[0].column), (1, 1, 2, 2), "{faults:?}");
    }

    #[test]
    fn each_source_of_a_shared_file_is_read_for_itself() {
        let text = "{\"mcpServers\": {\"good\": {\"command\": \"x\"},\n\"bad\": {\"command\": 7},\n \"far\": {\"url\": \"http://x.org\"},\
                    \n\"a/b\": {\"command\": \"x\"}}, \"servers\": {\"other\": {\"url\": \"https://x.org\"}}}";
        let (all, faults) = read_common(Path::new("m"), text, Origin::User);
        let names: Vec<_> = all.iter().map(|d| d.name.as_str()).collect();
        assert_eq!(names, ["good", "other"]);
        let told: Vec<_> = faults.iter().map(|f| (f.of.as_deref().unwrap(), f.to_string())).collect();
        assert_eq!(told[0].0, "a/b");
        assert!(told[1].0 == "bad" && told[1].1.starts_with("m:2:1: bad: invalid type"), "{told:?}");
        assert!(told[2].0 == "far" && told[2].1.starts_with("m:3:2: `url` is https"), "{told:?}");
        let (all, faults) = read_common(Path::new("m"), &text[..60], Origin::User);
        assert!(all.is_empty() && faults.len() == 1 && faults[0].of.is_none(), "{faults:?}");
    }

    #[test]
    fn only_the_user_says_what_runs_unasked() {
        let text = r#"{"command": "a", "read_only": true}"#;
        assert!(one(text).unwrap().read_only);
        let theirs = read_one(Path::new("x"), "x", text, Origin::Project).unwrap();
        assert!(!theirs.read_only);
    }
}
