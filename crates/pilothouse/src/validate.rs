//! `validate`: prints what is wrong in the user's files and the project's. Wires arguments; what is wrong is the runtime's
//! and the screen's to say.

use std::{collections::BTreeSet, io::Write, path::Path};

use pilothouse_core::recipe::RecipeKind;
use pilothouse_runtime::{
    Home, recipes,
    validate::{Checked, Mistake, OfScreen, check, settings as of_settings},
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
    workbench::{explain, own_themes},
};

/// A line for each mistake; with one the exit code is that of wrong configuration.
pub fn validate(args: &ValidateArgs) -> Result<u8, Failure> {
    let (home, _) = home()?;
    let here = Path::new(".").canonicalize()?;
    let checked = check(&home, &here, &args.paths, &of_screen(&home)).map_err(explain)?;
    print(&checked, &here, args.json)
}

/// All that is wrong in the files of settings of the user and of a folder, a line each.
pub fn settings(home: &Home, folder: &Path) -> Vec<String> {
    let checked = of_settings(home, folder, &of_screen(home));
    let line = |m: &Mistake| format!("{}:{}:{}: {}", m.file.display(), m.line, m.column, m.what);
    checked.mistakes.iter().map(line).collect()
}

/// What is wrong in a file of the screen.
fn of_screen(home: &Home) -> impl Fn(OfScreen, &str) -> Option<(usize, usize, String)> {
    let own = own_themes(home);
    move |file, text| match file {
        OfScreen::Keymap => Keymap::with(text).err().map(|e| (e.line, e.column, e.message)),
        OfScreen::Theme => match Theme::parse(text, true, Depth::TrueColor) {
            Err(ThemeError::File { line, column, message }) => Some((line, column, message)),
            Err(ThemeError::Unknown { .. }) | Ok(_) => None,
        },
        OfScreen::ThemeName => {
            let known = own.contains_key(text) || Theme::names().any(|name| name == text);
            let what = || format!("no theme is called {text:?}; `pilothouse themes list` has them");
            (!known).then(|| (1, 1, what()))
        }
    }
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
        let wrong: BTreeSet<&Path> = checked.mistakes.iter().map(|mistake| mistake.file.as_path()).collect();
        writeln!(out, "{} {files} checked, {} with mistakes", checked.files, wrong.len())?;
    }
    out.flush()?;
    Ok(if checked.mistakes.is_empty() { 0 } else { USAGE })
}
