//! `sources list`, `test`, `tools`, `add` and `remove`: lines for people and for scripts.
//!
//! Owns the lines and the file that is written. Starts a source only where it is asked whether it answers.

use std::{
    collections::BTreeMap,
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
    time::Duration,
};

use pilothouse_core::{
    clean::Clean,
    money::count,
    redact::{Redactor, is_worth_hiding},
    source::SourceHealth,
};
use pilothouse_sources::{How, Invitation, Origin, read_one, slug};
use pilothouse_tools::atomic;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::{
    error::RuntimeError,
    home::{Home, make_private},
    sources::{FILE, FOLDER, SessionSources, invitation},
};

/// A source that is to be written down.
#[derive(Clone, Debug, Default)]
pub struct NewSource {
    /// Its name.
    pub name: String,
    /// Its command line, word by word.
    pub command: Vec<String>,
    /// Its address.
    pub url: Option<String>,
    /// Variables or headers that it gets, `NAME=VALUE` each.
    pub gives: Vec<String>,
    /// What it is for.
    pub about: String,
    /// Whether its tools may run unasked where they say that they only read.
    pub read_only: bool,
}

/// Lists the sources and how they stand; none is started.
///
/// # Errors
/// When `out` cannot be written.
pub fn list(sources: &SessionSources, json: bool, out: &mut dyn Write) -> io::Result<()> {
    for state in sources.states() {
        if json {
            writeln!(out, "{}", sources.mask(&serde_json::to_string(&state)?))?;
            continue;
        }
        let whose = if state.project { "project" } else { "user" };
        let words = if state.health == SourceHealth::Idle {
            "not started yet".to_owned()
        } else {
            state.health.words()
        };
        let (may, line) = (state.may(), Clean::line(&state.line));
        let line = format!("{:16} {whose:8} {words}; {may}  {line}", state.name);
        writeln!(out, "{}", sources.mask(&line))?;
    }
    Ok(())
}

/// Asks sources whether they answer, all of them or one; whether all do.
///
/// # Errors
/// When `out` cannot be written.
pub async fn test(
    sources: &SessionSources,
    only: Option<&str>,
    json: bool,
    out: &mut dyn Write,
) -> io::Result<bool> {
    let states = sources.states();
    let mut names: Vec<String> = states.into_iter().map(|s| s.name).collect();
    if let Some(only) = only {
        names = vec![only.to_owned()];
    }
    let mut all = true;
    for name in names {
        all &= asked(sources, &name, json, out).await?;
    }
    sources.stop().await;
    Ok(all)
}

/// Asks one source whether it answers, and tells that in a line.
async fn asked(sources: &SessionSources, name: &str, json: bool, out: &mut dyn Write) -> io::Result<bool> {
    let found = sources.test(name, &CancellationToken::new()).await;
    let ok = found.is_ok();
    let line = match found {
        Ok(catalog) if json => {
            json!({"name": name, "ok": true, "tools": catalog.tools.len(), "left_out": catalog.left})
                .to_string()
        }
        Ok(catalog) => {
            let left: Vec<String> = catalog.left.iter().map(|l| format!("\n  left out: {l}")).collect();
            let tools = count(catalog.tools.len(), "tool");
            let server = Clean::line(&catalog.server);
            format!("● {name}: {tools} (server {server}){}", left.concat())
        }
        Err(e) if json => json!({"name": name, "ok": false, "error": e.to_string()}).to_string(),
        Err(e) => format!("✗ {name}: {}", Clean::line(&e.to_string())),
    };
    writeln!(out, "{}", sources.mask(&line))?;
    Ok(ok)
}

/// How somebody signs in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SigningIn {
    /// By a code that is typed on any machine, not in a browser of this one.
    pub code: bool,
    /// Whether the browser is opened.
    pub browser: bool,
    /// For so long.
    pub wait: Duration,
}

/// Lets the user sign in to a source and asks it whether it answers then; whether it does. What the user is to do goes to
/// `tell`.
///
/// # Errors
/// When `out` cannot be written.
pub async fn auth(
    sources: &SessionSources,
    (name, by): (&str, SigningIn),
    tell: &(dyn Fn(&str) + Send + Sync),
    out: &mut dyn Write,
) -> io::Result<bool> {
    let told = |to: Invitation| {
        tell(&format!("to sign in, open {}", invitation(&to)));
        if by.browser {
            sources.browse(&to.address);
        }
    };
    let how = if by.code { How::Code } else { How::Browser };
    let ok = match sources.sign_in(name, (how, by.wait), &told).await {
        Ok(more) => {
            for what in &more {
                tell(what);
            }
            tell(&format!(
                "you are signed in to {name}; `pilothouse sources auth {name} --forget` signs you out"
            ));
            asked(sources, name, false, out).await?
        }
        Err(why) => {
            tell(&sources.mask(&format!("you are not signed in to {name}: {why}")));
            false
        }
    };
    sources.stop().await;
    Ok(ok)
}

/// Prints what a source has; whether it answered.
///
/// # Errors
/// When `out` cannot be written.
pub async fn tools(
    sources: &SessionSources,
    name: &str,
    json: bool,
    out: &mut dyn Write,
) -> io::Result<bool> {
    let cancel = CancellationToken::new();
    let found = sources.test(name, &cancel).await;
    let ok = found.is_ok();
    let mut put = |line: &str| writeln!(out, "{}", sources.mask(line));
    match found {
        Ok(catalog) if json => {
            for tool in &catalog.tools {
                let schema: Value =
                    serde_json::from_str(&tool.schema).unwrap_or(Value::String(tool.schema.clone()));
                let line = json!({
                    "name": tool.head.name, "about": tool.head.about, "reads": tool.head.reads,
                    "hash": tool.head.hash, "description": tool.description, "schema": schema,
                });
                put(&line.to_string())?;
            }
        }
        Ok(_) => put(&sources.page(name, &cancel).await.unwrap_or_default())?,
        Err(e) if json => put(&json!({"name": name, "error": e.to_string()}).to_string())?,
        Err(e) => put(&format!("✗ {}: {}", Clean::line(name), Clean::line(&e.to_string())))?,
    }
    sources.stop().await;
    Ok(ok)
}

/// Writes a source down among the user's own; returns the file.
///
/// # Errors
/// When there is one already, it cannot be one, or the file cannot be written.
pub fn add(home: &Home, new: NewSource) -> Result<PathBuf, RuntimeError> {
    let wrong = |message: String| RuntimeError::Setting { what: "source".to_owned(), message };
    let name = slug(&new.name).map_err(wrong)?;
    let mut gives = BTreeMap::new();
    for pair in &new.gives {
        let (key, value) = pair.split_once('=').ok_or_else(|| wrong(format!("{pair}: write NAME=VALUE")))?;
        let seen = || !Redactor::default().secrets(&format!("{key}={value}")).is_empty();
        if !value.contains("${") && (is_worth_hiding(key, value) || seen()) {
            let how = "store it with `pilothouse auth set NAME` and give `${NAME}` instead";
            return Err(wrong(format!(
                "{key} looks like a secret, and this file is not the place for one: {how}"
            )));
        }
        gives.insert(key.to_owned(), value.to_owned());
    }
    let mut words = new.command.into_iter();
    let mut entry = match (words.next(), new.url) {
        (Some(program), None) => json!({"command": program, "args": words.collect::<Vec<_>>(), "env": gives}),
        (None, Some(url)) => json!({"url": url, "headers": gives}),
        _ => return Err(wrong("give a command line after `--`, or --url".to_owned())),
    };
    if let Some(fields) = entry.as_object_mut() {
        if !new.about.is_empty() {
            fields.insert("about".to_owned(), Value::String(new.about));
        }
        if new.read_only {
            fields.insert("read_only".to_owned(), Value::Bool(true));
        }
    }
    let file = file_of(home, &name);
    if file.exists() {
        return Err(wrong(format!("{} already exists; remove it first", file.display())));
    }
    let text = serde_json::to_string_pretty(&entry).unwrap_or_default() + "\n";
    read_one(&file, &name, &text, Origin::User).map_err(|e| wrong(e.why))?;
    let folder = file.parent().unwrap_or(Path::new("."));
    make_private(folder)?;
    atomic::replace(&file, text.as_bytes(), 0o600).map_err(RuntimeError::io("write", &file))?;
    Ok(file)
}

/// Takes a source away from the user's own; whether there was one.
///
/// # Errors
/// When its file cannot be removed.
pub fn remove(home: &Home, name: &str) -> Result<bool, RuntimeError> {
    let name = slug(name).map_err(|message| RuntimeError::Setting { what: "source".to_owned(), message })?;
    let file = file_of(home, &name);
    if !file.exists() {
        return Ok(false);
    }
    fs::remove_file(&file).map_err(RuntimeError::io("remove", &file))?;
    // What else stands there is not ours.
    drop(fs::remove_dir(file.parent().unwrap_or(Path::new("."))));
    Ok(true)
}

fn file_of(home: &Home, name: &str) -> PathBuf {
    home.config.join(FOLDER).join(name).join(FILE)
}
