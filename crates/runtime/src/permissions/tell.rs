//! What `pilothouse permissions` prints: the rules, why a call is asked, what a rule would have done.
//!
//! Owns the wording and the collecting of past commands. Never decides: the rules do.

use std::{
    collections::BTreeMap,
    io::{self, Write},
    path::Path,
};

use pilothouse_core::{
    clean::Clean,
    event::Event,
    intent::{IntentNode, IntentPath},
    policy::{By, Effect, Manner, Past, Policy, Rehearsal, Request, Rule, Source, Why},
    shell::Act,
};
use serde_json::json;

use crate::{error::RuntimeError, home::Home, sessions};

/// Lists every rule with where it stands.
///
/// # Errors
/// When nothing can be printed.
pub fn list(policy: &Policy, json: bool, out: &mut dyn Write) -> io::Result<()> {
    for rule in policy.rules() {
        // Those that come with the program are written so that they cover no more than they show.
        let broad = rule.breadth().filter(|_| rule.origin.source != Source::BuiltIn);
        if json {
            let source = rule.origin.source;
            let line = json!({
                "rule": rule.to_string(), "effect": rule.effect, "kind": rule.kind(), "pattern": rule.pattern(),
                "source": source, "file": rule.origin.file, "line": rule.origin.line, "why": rule.why,
                "broad": broad,
            });
            writeln!(out, "{line}")?;
        } else {
            let why = if rule.why.is_empty() { String::new() } else { format!("  # {}", rule.why) };
            let broad = broad.map(|broad| format!("  (broad: {broad})")).unwrap_or_default();
            writeln!(
                out,
                "{}",
                Clean::line(&format!("{:44} {}{why}{broad}", rule.to_string(), rule.origin)).as_str()
            )?;
        }
    }
    Ok(())
}

/// What a call's path has to do with it, where no session says it.
pub fn path_of(request: &Request) -> String {
    let node = match request {
        Request::Command { .. } => IntentNode::Execute,
        Request::Path { act: Act::Read, .. } => IntentNode::Read,
        Request::Path { act: Act::Write, .. } => IntentNode::Write,
        Request::Path { act: Act::Delete, .. } => IntentNode::Delete,
        Request::Mcp { .. } | Request::Network { .. } => return String::new(),
    };
    format!("it needs {}", IntentPath::to(node))
}

/// Prints an explanation.
///
/// # Errors
/// When nothing can be printed.
pub fn explain(why: &Why, json: bool, out: &mut dyn Write) -> io::Result<()> {
    if json {
        let mut map = serde_json::Map::new();
        map.insert("outcome".to_owned(), json!(why.outcome));
        map.extend(why.rows.iter().map(|(label, text)| ((*label).to_owned(), json!(text))));
        return writeln!(out, "{}", serde_json::Value::Object(map));
    }
    for (label, text) in &why.rows {
        writeln!(out, "{}", Clean::line(&format!("{label:8} {text}")).as_str())?;
    }
    Ok(())
}

/// The commands that were proposed in past sessions of a workspace, or of all, each with how often.
pub fn past(home: &Home, workspace: Option<&Path>) -> BTreeMap<Past, usize> {
    let mut all = BTreeMap::new();
    for place in sessions::all(home).iter().filter(|p| workspace.is_none_or(|w| p.workspace == w)) {
        let read = sessions::events(place, |stamped| {
            if let Event::CommandProposed { command, folder, confine, typed: false, .. } = stamped.event {
                let manner = Manner::of(confine, By::Agent);
                *all.entry(Past { line: command, folder, manner }).or_insert(0) += 1;
            }
        });
        if let Err(e) = read {
            tracing::warn!(session = place.slug, error = %e, "a session could not be read for a rehearsal");
        }
    }
    all
}

/// Prints what rules would have done; whether they can be recommended.
///
/// # Errors
/// When nothing can be printed.
pub fn rehearsal(found: &Rehearsal, rules: &[Rule], json: bool, out: &mut dyn Write) -> io::Result<bool> {
    let advisable = found.is_advisable();
    if json {
        let texts: Vec<String> = rules.iter().map(Rule::to_string).collect();
        let line =
            json!({"rules": texts, "rehearsal": found, "unasked": found.unasked(), "advisable": advisable});
        writeln!(out, "{line}")?;
        return Ok(advisable);
    }
    let times = |n: usize| if n == 1 { "once".to_owned() } else { format!("{n} times") };
    let mut section = |title: String, list: &[pilothouse_core::policy::Found]| -> io::Result<()> {
        if list.is_empty() {
            return Ok(());
        }
        writeln!(out, "{title}")?;
        for f in list {
            let text = format!("  {:7} {}  ({})", f.risk.name(), f.line, times(f.times));
            writeln!(out, "{}", Clean::line(&text).as_str())?;
        }
        Ok(())
    };
    section(format!("would have run without a question, {}:", times(found.unasked())), &found.through)?;
    section("would have been asked about or denied:".to_owned(), &found.narrowed)?;
    section("covered by the rule, but still asks, whatever the rule says:".to_owned(), &found.held)?;
    let changed = found.through.len() + found.narrowed.len() + found.held.len();
    writeln!(out, "{} past commands checked, {changed} different ones affected", found.seen)?;
    let allows = rules.iter().any(|r| r.effect == Effect::Allow);
    if !advisable {
        writeln!(out, "not recommended: it covers high-risk commands or removals; name a longer command")?;
    } else if allows && found.through.is_empty() {
        writeln!(out, "it would not have saved you a question")?;
    }
    Ok(advisable)
}

/// Adds a rule of the user's.
///
/// # Errors
/// When the rule cannot be read, or the file cannot be used or written.
pub fn add(home: &Home, text: &str, places: &pilothouse_core::policy::Places) -> Result<Rule, RuntimeError> {
    let rule = read_rule(text)?;
    let note = "added by `pilothouse permissions add`";
    super::keep(&super::user_file(home), std::slice::from_ref(&rule), note, places)?;
    Ok(rule)
}

/// Reads a rule as it is given on a command line.
///
/// # Errors
/// With the column of what is wrong.
pub fn read_rule(text: &str) -> Result<Rule, RuntimeError> {
    let origin = pilothouse_core::policy::Origin { source: Source::User, file: "here".to_owned(), line: 1 };
    Rule::parse(text, origin).map_err(|fault| RuntimeError::Setting {
        what: format!("column {} of `{text}`", fault.at + 1),
        message: fault.why,
    })
}
