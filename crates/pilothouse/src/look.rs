//! `keys` and `themes`: how the screen is steered and how it looks, as text and as JSON. Shows, and changes nothing.

use std::io::Write;

use pilothouse_runtime::{config, own};
use pilothouse_tui::{
    keymap::{self, Keymap},
    theme::{Depth, Theme},
};

use crate::{
    alone::home,
    cli::ThemesCommand,
    exit::{Failure, USAGE},
    out,
    workbench::{explain, own_themes},
};

/// Lists what keys do, place by place, with the user's own keymap over the one that ships.
///
/// # Errors
/// When the user's keymap cannot be used.
pub fn keys(json: bool) -> Result<u8, Failure> {
    let path = home()?.0.config.join("keymap.toml");
    let keymap = match own::text(&path).map_err(explain)? {
        Some(text) => Keymap::with(&text).map_err(|e| {
            Failure::new(USAGE, format!("{}:{}:{}: {}", path.display(), e.line, e.column, e.message))
        })?,
        None => Keymap::standard(),
    };
    let yours: Vec<keymap::Action> = keymap.yours().map(|(_, action)| action).collect();
    let mut out = out::out(json);
    for table in keymap::tables() {
        if !json {
            writeln!(out, "{} [{}]", table.heading, table.name)?;
        }
        for action in table.actions() {
            let (keys, own, entry) = (keymap.keys(action), yours.contains(&action), action.entry);
            if json {
                let line = serde_json::json!({
                    "table": table.name, "action": entry.name, "keys": keys, "does": entry.label,
                    "reach": entry.reach, "yours": own,
                });
                writeln!(out, "{line}")?;
                continue;
            }
            let keys = if keys.is_empty() { "–".to_owned() } else { keys.join(", ") };
            let own = if own { "  (yours)" } else { "" };
            writeln!(out, "  {keys:24} {:18} {}{own}", entry.name, entry.label)?;
        }
        if !json {
            writeln!(out)?;
        }
    }
    if !json {
        writeln!(out, "Your own keys are in {}.", path.display())?;
    }
    out.flush()?;
    Ok(0)
}

/// Lists themes, or shows the file of one.
///
/// # Errors
/// When there is no theme of that name.
pub fn themes(what: ThemesCommand) -> Result<u8, Failure> {
    let home = home()?.0;
    let own = own_themes(&home);
    match what {
        ThemesCommand::List { json } => {
            let chosen = config::theme(&home);
            let chosen = chosen.as_deref().or_else(|| Theme::names().next());
            let shipped = Theme::names().filter(|name| !own.contains_key(*name)).map(|name| (name, false));
            let mut out = out::out(json);
            for (name, yours) in shipped.chain(own.keys().map(|name| (name.as_str(), true))) {
                let text = if yours { own.get(name).map(String::as_str) } else { Theme::source(name) };
                let fault = text.and_then(|text| Theme::parse(text, true, Depth::TrueColor).err());
                let file = home.config.join("themes").join(format!("{name}.toml"));
                let fault = fault.map(|fault| format!("{}:{fault}", file.display()));
                let used = chosen == Some(name);
                if json {
                    let line =
                        serde_json::json!({"name": name, "yours": yours, "used": used, "fault": fault});
                    writeln!(out, "{line}")?;
                    continue;
                }
                let marks = [(used, "in use"), (yours, "yours")];
                let marks: Vec<&str> =
                    marks.into_iter().filter(|(is, _)| *is).map(|(_, mark)| mark).collect();
                let fault = fault.map(|fault| format!("  cannot be used: {fault}")).unwrap_or_default();
                let line = format!("{name:18} {}{fault}", marks.join(", "));
                writeln!(out, "{}", line.trim_end())?;
            }
            out.flush()?;
        }
        ThemesCommand::Show { name } => {
            let text = own.get(&name).map(String::as_str).or_else(|| Theme::source(&name));
            let text = text.ok_or_else(|| {
                Failure::new(
                    USAGE,
                    format!("there is no theme {name}\n  list them with `pilothouse themes list`"),
                )
            })?;
            let mut out = out::out(false);
            write!(out, "{text}")?;
            out.flush()?;
        }
    }
    Ok(0)
}
