//! `validate`: prints what is wrong in the user's files and the project's. Wires arguments; what is wrong is the runtime's
//! and the screen's to say.

use std::{io::Write, path::Path};

use pilothouse_runtime::validate::check;
use pilothouse_tui::keymap::Keymap;

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
    let keys = |text: &str| Keymap::with(text).err().map(|e| (e.line, e.column, e.message));
    let checked = check(&home, &here, &args.paths, &keys).map_err(explain)?;
    let mut out = out::out(args.json);
    for m in &checked.mistakes {
        let file = m.file.strip_prefix(&here).unwrap_or(&m.file).display();
        if args.json {
            let line = serde_json::json!({ "file": file.to_string(), "line": m.line, "column": m.column, "what": m.what });
            writeln!(out, "{line}")?;
        } else {
            writeln!(out, "{file}:{}:{}: {}", m.line, m.column, m.what)?;
        }
    }
    if !args.json {
        let files = if checked.files == 1 { "file" } else { "files" };
        writeln!(out, "{} {files} checked, {} with a mistake", checked.files, checked.mistakes.len())?;
    }
    out.flush()?;
    Ok(if checked.mistakes.is_empty() { 0 } else { USAGE })
}
