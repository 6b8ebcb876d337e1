//! Hook files: the user's own, and the project's where the folder is trusted.
//!
//! Owns their shape and what in them is wrong, with line and column. Never decides when a hook is
//! called, and never runs one.

mod facts;
mod file;

use std::{path::Path, time::Duration};

use pilothouse_core::{
    blob::BlobId,
    hook::{Hook, HookMode, Occasion, Origin, When},
    intent::IntentNode,
};
use toml::Spanned;

pub use facts::Facts;

use crate::{
    config::{self, position},
    error::RuntimeError,
    home::Home,
    own,
};
use file::{Entry, File};

/// Where a project's hooks stand, below its folder.
pub const PROJECT_FILE: &str = ".pilothouse/hooks.toml";
/// The name of the user's own file, in the configuration folder.
pub const USER_FILE: &str = "hooks.toml";

/// The time limit of a hook that does not say.
const TIMEOUT: u64 = 30;
/// The longest time limit, in seconds.
const MOST_TIMEOUT: u64 = 600;
/// The longest command line, in bytes.
const MOST_RUN: usize = 4096;
/// The most hooks of one file.
const MOST_HOOKS: usize = 24;

/// A hook with everything that is needed to run it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// What the session knows of it.
    pub hook: Hook,
    /// Its command line, for the shell.
    pub run: String,
    /// What it gets in its environment besides the event's facts.
    pub env: Vec<(String, String)>,
    /// Programs that must be there.
    pub requires: Vec<String>,
    /// Its time limit.
    pub timeout: Duration,
}

impl Definition {
    /// In words: when it is called and what it runs.
    pub fn says(&self) -> String {
        let hook = &self.hook;
        let way = match hook.way {
            HookMode::Blocks => ", and blocks when it fails",
            HookMode::Shown => "",
            HookMode::Background => " in the background",
        };
        let node = |n: Option<IntentNode>| n.map_or("anywhere", IntentNode::name);
        let on = match (hook.from, hook.to) {
            (None, None) => format!("on {}", hook.on.name().replace('_', " ")),
            (from, to) => format!("from {} to {}", node(from), node(to)),
        };
        format!("{on}: runs `{}`{way}", self.run)
    }
}

/// The user's own hooks.
///
/// # Errors
/// When the file cannot be read, others could have written it, or what is wrong in it.
pub fn of_user(home: &Home) -> Result<Vec<Definition>, RuntimeError> {
    let file = home.config.join(USER_FILE);
    own::text(&file)?.map_or_else(|| Ok(Vec::new()), |text| parse(&file, &text, Origin::User))
}

/// Reads a hook file.
///
/// # Errors
/// With the file, line and column of what is wrong, and how to mend it.
pub fn parse(file: &Path, text: &str, origin: Origin) -> Result<Vec<Definition>, RuntimeError> {
    let reader = Reader { file, text, origin };
    let layer: File = toml::from_str(text).map_err(|e| {
        let hint = "every field stands in docs/extending.md, under Hooks";
        let message = config::plain(e.message());
        reader.fault(e.span(), &message, &config::hinted(&message, hint))
    })?;
    let mut all = Vec::new();
    for (name, entries) in layer.hooks {
        let on = reader.occasion(&name)?;
        for entry in entries.0 {
            all.push(reader.definition(on, entry)?);
        }
    }
    if all.len() > MOST_HOOKS {
        return Err(reader.fault(None, &format!("more than {MOST_HOOKS} hooks"), "leave some out"));
    }
    Ok(all)
}

/// A file being read.
struct Reader<'a> {
    file: &'a Path,
    text: &'a str,
    origin: Origin,
}

impl Reader<'_> {
    fn fault(&self, span: Option<std::ops::Range<usize>>, message: &str, hint: &str) -> RuntimeError {
        let (line, column) = position(self.text, span);
        let (file, message, hint) = (self.file.to_owned(), message.to_owned(), hint.to_owned());
        RuntimeError::Config { file, line, column, message, hint }
    }

    fn occasion(&self, name: &Spanned<String>) -> Result<Occasion, RuntimeError> {
        let known = name.get_ref().strip_prefix("on_");
        known.and_then(|n| Occasion::ALL.into_iter().find(|o| o.name() == n)).ok_or_else(|| {
            let names: Vec<String> = Occasion::ALL.iter().map(|o| format!("on_{}", o.name())).collect();
            let message = format!("no hook is called {:?}", name.get_ref());
            let near = config::meant(name.get_ref(), names.iter().map(String::as_str));
            let near = near.map_or_else(String::new, |name| format!("did you mean {name}? "));
            self.fault(Some(name.span()), &message, &format!("{near}take one of {}", names.join(", ")))
        })
    }

    fn definition(&self, on: Occasion, entry: Entry) -> Result<Definition, RuntimeError> {
        let run = entry.run.get_ref().trim().to_owned();
        if run.is_empty() || run.len() > MOST_RUN || run.contains(['\0', '\n']) {
            let message = format!("run must be one line of at most {MOST_RUN} bytes");
            return Err(self.fault(Some(entry.run.span()), &message, "put more into a script"));
        }
        let (from, to) = (self.node(on, entry.from.as_ref())?, self.node(on, entry.to.as_ref())?);
        let when = self.when(on, entry.when.as_ref())?;
        let way = self.way(on, &entry)?;
        let timeout = self.timeout(entry.timeout.as_ref())?;
        for name in entry.env.keys() {
            let wrong = name.get_ref().is_empty() || name.get_ref().contains(['=', '\0']);
            if wrong || name.get_ref().starts_with("PILOTHOUSE_") {
                let hint = "take another name; those that begin with PILOTHOUSE_ tell what happened";
                return Err(self.fault(Some(name.span()), "no such variable can be set", hint));
            }
        }
        let env: Vec<(String, String)> =
            entry.env.into_iter().map(|(name, value)| (name.into_inner(), value)).collect();
        let origin = self.origin;
        let whole = (origin, on, &run, from, to, (when, way), timeout, &env, &entry.requires);
        let id = BlobId::of(format!("{whole:?}").as_bytes());
        let name: String = run.chars().take(80).collect();
        let hook = Hook { id, name, on, from, to, when, way, origin };
        Ok(Definition { hook, run, env, requires: entry.requires, timeout })
    }

    fn node(&self, on: Occasion, name: Option<&Spanned<String>>) -> Result<Option<IntentNode>, RuntimeError> {
        let Some(name) = name else { return Ok(None) };
        if on != Occasion::NodeTransition {
            let hint = "they belong to on_node_transition; leave them out here";
            return Err(self.fault(Some(name.span()), "from and to mean nothing here", hint));
        }
        if name.get_ref() == "*" {
            return Ok(None);
        }
        name.get_ref().parse().map(Some).map_err(|_| {
            let names: Vec<&str> = IntentNode::ALL.iter().map(|n| n.name()).collect();
            let message = format!("no node is called {:?}", name.get_ref());
            self.fault(Some(name.span()), &message, &format!("take \"*\" or one of {}", names.join(", ")))
        })
    }

    fn when(&self, on: Occasion, when: Option<&Spanned<When>>) -> Result<When, RuntimeError> {
        match when {
            None => Ok(When::Always),
            Some(when) if on.ends() || *when.get_ref() == When::Always => Ok(*when.get_ref()),
            Some(when) => {
                let hint = "it belongs to hooks on an end: task, gate, command, apply or run";
                Err(self.fault(Some(when.span()), "nothing has succeeded or failed yet here", hint))
            }
        }
    }

    fn way(&self, on: Occasion, entry: &Entry) -> Result<HookMode, RuntimeError> {
        let yes = |field: Option<&Spanned<bool>>| field.filter(|f| *f.get_ref()).map(Spanned::span);
        match (yes(entry.block_if_fails.as_ref()), yes(entry.background.as_ref())) {
            (Some(span), _) if !on.can_block() => {
                let can: Vec<String> = Occasion::ALL
                    .iter()
                    .filter(|o| o.can_block())
                    .map(|o| format!("on_{}", o.name()))
                    .collect();
                let message = format!("on_{} comes when there is nothing left to block", on.name());
                let hint = format!("leave block_if_fails out, or take one of {}", can.join(", "));
                Err(self.fault(Some(span), &message, &hint))
            }
            (Some(_), Some(span)) => {
                let hint = "leave one of the two out";
                Err(self.fault(Some(span), "what runs in the background cannot block", hint))
            }
            (Some(_), None) => Ok(HookMode::Blocks),
            (None, Some(_)) => Ok(HookMode::Background),
            (None, None) => Ok(HookMode::Shown),
        }
    }

    fn timeout(&self, seconds: Option<&Spanned<u64>>) -> Result<Duration, RuntimeError> {
        match seconds {
            Some(s) if !(1..=MOST_TIMEOUT).contains(s.get_ref()) => {
                let message = format!("timeout is in seconds, 1 to {MOST_TIMEOUT}");
                Err(self.fault(
                    Some(s.span()),
                    &message,
                    "a hook that takes longer belongs in the background",
                ))
            }
            other => Ok(Duration::from_secs(other.map_or(TIMEOUT, |s| *s.get_ref()))),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]
mod tests;
