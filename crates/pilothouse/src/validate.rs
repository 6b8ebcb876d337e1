//! `validate`: prints what is wrong in the user's files and the project's. Wires arguments; what is wrong is the runtime's
//! and the screen's to say.

use std::{io::Write, path::Path};

use pilothouse_core::recipe::RecipeKind;
use pilothouse_runtime::{
    recipes,
    validate::{Checked, OfScreen, check},
};
use pilothouse_tui::{
    keymap::Keymap,
    theme::{Depth, Theme, ThemeError},
};

use crate::{
    alone::home,
    cli::ValidateArgs,
    exit::{Failure, USAGE},
    out,
    workbench::explain,
};

/// A line for each mistake; with one the exit code is that of wrong configuration.
pub fn validate(args: &ValidateArgs) -> Result<u8, Failure> {
    let (home, _) = home()?;
    let here = Path::new(".").canonicalize()?;
    let screen = |file: OfScreen, text: &str| match file {
        OfScreen::Keymap => Keymap::with(text).err().map(|e| (e.line, e.column, e.message)),
        OfScreen::Theme => match Theme::parse(text, true, Depth::TrueColor) {
            Err(ThemeError::File { line, column, message }) => Some((line, column, message)),
            Err(ThemeError::Unknown { .. }) | Ok(_) => None,
        },
    };
    let checked = check(&home, &here, &args.paths, &screen).map_err(explain)?;
    print(&checked, &here, args.json)
}

/// As [`validate`], of agents alone.
pub fn agents(json: bool) -> Result<u8, Failure> {
    let (home, _) = home()?;
    let here = Path::new(".").canonicalize()?;
    let folders = recipes::folders(&home, &here, RecipeKind::Agent);
    let checked = match folders.as_slice() {
        [] => Checked::default(),
        folders => check(&home, &here, folders, &|_, _| None).map_err(explain)?,
    };
    print(&checked, &here, json)
}

fn print(checked: &Checked, here: &Path, json: bool) -> Result<u8, Failure> {
    let mut out = out::out(json);
    for m in &checked.mistakes {
        let file = m.file.strip_prefix(here).unwrap_or(&m.file).display();
        if json {
            let line = serde_json::json!({ "file": file.to_string(), "line": m.line, "column": m.column, "what": m.what });
            writeln!(out, "{line}")?;
        } else {
            writeln!(out, "{file}:{}:{}: {}", m.line, m.column, m.what)?;
        }
    }
    if !json {
        let files = if checked.files == 1 { "file" } else { "files" };
        writeln!(out, "{} {files} checked, {} with mistakes", checked.files, checked.mistakes.len())?;
    }
    out.flush()?;
    Ok(if checked.mistakes.is_empty() { 0 } else { USAGE })
}
