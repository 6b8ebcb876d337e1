//! `read`: numbered lines of one file.
//!
//! Owns the cut into parts and the refusal of what is no text.

use std::path::Path;

use pilothouse_core::{
    blob::{OUTPUT, OUTPUT_DIGITS},
    diff::Lines,
    encoding::{Encoding, text_of},
    recipe::{Beside, RecipeKind, Recipes, SKILL},
    relpath::RelPath,
    shell::{Act, secrets::is_secret},
    tool::{RESULT_BYTES, Read, ToolOutcome},
};

use super::{clip, count};
use crate::{
    jail::Jail,
    sight::{LaneView, Sight},
};

/// Lines shown when the call does not say.
const LINES: usize = 400;
/// At most this many bytes are shown: what the model is told, with what is said behind it.
const MOST_BYTES: usize = RESULT_BYTES - 1024;
/// At most this many characters of a line are shown.
const LINE_CHARS: usize = 2_000;
/// A NUL within this many bytes makes a file binary.
const SNIFF_BYTES: usize = 8 * 1024;

/// Reads a part of a file.
pub(crate) fn read(eyes: LaneView<'_>, args: &Read) -> Result<ToolOutcome, String> {
    if let Some(output) = stored(eyes, &args.path) {
        let text = String::from_utf8_lossy(&output);
        return part(&args.path, &eyes.redactor.mask(&text), args).map(|(outcome, ..)| outcome);
    }
    if let Some(name) = args.path.strip_prefix(SKILL) {
        let text = of_skill(eyes.recipes, name)?;
        return part(&args.path, &eyes.redactor.mask_file(name, &text), args).map(|(outcome, ..)| outcome);
    }
    let path = eyes.jail.read_path(&args.path).map_err(|e| e.to_string())?;
    let Some(path) = path else { return Err(a_folder(&args.path)) };
    if let Ok(meta) = eyes.jail.metadata(&path)
        && meta.is_dir()
    {
        return Err(a_folder(path.as_str()));
    }
    let sight = eyes.look(&path, &[Act::Read]).map_err(|e| e.to_string())?;
    let (content, note) = shown(eyes, &sight)?;
    if let Some(what) = unreadable(content) {
        let mut outcome = ToolOutcome::text(
            format!("{path} is {what} of {} bytes; its content is not shown", content.len()),
            "not text",
        );
        outcome.seen = sight.noted();
        return Ok(outcome);
    }
    let text = text_of(content);
    let shown = eyes.redactor.mask_file(path.as_str(), &text);
    let (mut outcome, lines, total) = part(&path.to_string(), &shown, args)?;
    sight.note(eyes, lines, total, &mut outcome);
    match Encoding::of(content).map(Encoding::told) {
        Some(None) => {}
        Some(Some(what)) => outcome.text.push_str(&format!("\n({what})")),
        None => outcome.text.push_str("\n(not UTF-8: bytes that are no text are shown as �)"),
    }
    if !note.is_empty() {
        outcome.text = format!("{note}\n{}", outcome.text);
    }
    Ok(outcome)
}

/// What a result left out, by the name that it gave for it.
pub(super) fn stored(eyes: LaneView<'_>, name: &str) -> Option<Vec<u8>> {
    let id = name.strip_prefix(OUTPUT).filter(|id| id.len() == OUTPUT_DIGITS)?;
    eyes.blobs.beginning(id)
}

/// The text of a skill, or of a file beside it: `NAME` or `NAME/FILE`.
fn of_skill(recipes: &Recipes, name: &str) -> Result<String, String> {
    let (name, file) = name.trim_matches('/').split_once('/').unwrap_or((name, ""));
    let Some(skill) = recipes.skill(name) else {
        let known: Vec<&str> =
            recipes.usable().filter(|r| r.kind == RecipeKind::Skill).map(|r| r.name.as_str()).collect();
        return Err(format!("there is no skill {name}; there are: {}", known.join(", ")));
    };
    let names = skill.beside.names();
    if matches!(file, "" | "SKILL.md") {
        let beside = match names.as_slice() {
            [] => String::new(),
            names => format!("\n\n(files beside it, read as {SKILL}{name}/FILE: {})", names.join(", ")),
        };
        return Ok(format!("{}{beside}", skill.expand("")));
    }
    if is_secret(file) {
        return Err(format!("{file} is a secret file; no skill's is read: go on without it"));
    }
    let bytes = match &skill.beside {
        Beside::Held(files) => files.get(file).map(|bytes| bytes.to_vec()),
        // Looked at by its own path below the folder, which no link leaves.
        Beside::Folder(folder, names) if names.iter().any(|n| n == file) => {
            match (RelPath::new(file), Jail::open(Path::new(folder))) {
                (Ok(path), Ok(jail)) => jail.read(&path).ok(),
                (Err(_), _) | (_, Err(_)) => None,
            }
        }
        Beside::Folder(..) | Beside::None => None,
    };
    let bytes = bytes.ok_or_else(|| {
        format!("the skill {name} has no file {file}; it has: SKILL.md {}", names.join(" "))
            .trim_end()
            .to_owned()
    })?;
    match unreadable(&bytes) {
        Some(what) => Err(format!("{file} is {what} of {} bytes; its content is not shown", bytes.len())),
        None => Ok(String::from_utf8_lossy(&bytes).into_owned()),
    }
}

fn a_folder(path: &str) -> String {
    format!("{path} is a folder; use list for its names and search for text in it")
}

/// The content that the lane is shown, and what it must know about it.
fn shown<'s>(eyes: LaneView<'_>, sight: &'s Sight) -> Result<(&'s [u8], &'static str), String> {
    let otherwise = "list its folder to see what does";
    let disk = || sight.disk.as_deref().ok_or_else(|| super::missing(eyes, sight.path.as_str(), otherwise));
    match &sight.proposed {
        None => Ok((disk()?, "")),
        Some(p) if p.fresh => match &p.content {
            Some(content) => Ok((content, "(as you propose it; the user has not decided yet)")),
            None => Err(format!(
                "{} is gone once your proposed removal is applied; write proposes it anew",
                sight.path
            )),
        },
        Some(_) => Ok((
            disk()?,
            "(the file changed on disk after you proposed a change to it; this is the disk, and your next change starts from it)",
        )),
    }
}

/// What a content is when it is no text.
pub(crate) fn unreadable(content: &[u8]) -> Option<&'static str> {
    let marked = content.starts_with(&[0xff, 0xfe]) || content.starts_with(&[0xfe, 0xff]);
    match Encoding::of(content) {
        Some(Encoding::Utf16(_)) => None,
        _ if marked => Some("a broken UTF-16 file"),
        _ => content.iter().take(SNIFF_BYTES).any(|b| *b == 0).then_some("a binary file"),
    }
}

/// Most numbers of lines that are named.
const NAMED: usize = 5;

/// How the rest of lines is reached that were longer than is shown.
fn cut_lines(path: &str, cut: &[String]) -> String {
    let named = cut.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
    let more = if cut.len() > NAMED { ", …" } else { "" };
    let lines = if let [_] = cut { "line" } else { "lines" };
    let are = if let [_] = cut { "is" } else { "are" };
    format!(
        "({lines} {named}{more} {are} cut here; search with path \"{path}\" and words that stand further on in it shows the \
         text around them)\n"
    )
}

/// A part of a text, with the lines that it is of how many.
fn part(path: &str, text: &str, args: &Read) -> Result<(ToolOutcome, Lines, usize), String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let total = text.lines().count();
    let from = args.from.unwrap_or(1).max(1);
    if total == 0 {
        return Ok((ToolOutcome::text("(empty file)", count(0, "line")), Lines::default(), 0));
    }
    if from > total {
        return Err(format!("{path} has {}; ask for from 1 to {total}", count(total, "line")));
    }
    let mut out = String::new();
    let mut last = from - 1;
    let mut cut: Vec<String> = Vec::new();
    for (n, line) in text.lines().enumerate().skip(from - 1).take(args.lines.unwrap_or(LINES).max(1)) {
        let is_cut = line.char_indices().nth(LINE_CHARS).is_some();
        let line = format!("{:>6}  {}\n", n + 1, clip(line, LINE_CHARS));
        if !out.is_empty() && out.len() + line.len() > MOST_BYTES {
            break;
        }
        out.push_str(&line);
        last = n + 1;
        if is_cut {
            cut.push(last.to_string());
        }
    }
    if !cut.is_empty() {
        out.push_str(&cut_lines(path, &cut));
    }
    let crlf = text.contains("\r\n");
    if crlf {
        out.push_str("(lines end with CRLF)\n");
    }
    if last < total {
        out.push_str(&format!("(lines {from}-{last} of {total}; go on with from: {})\n", last + 1));
    }
    let out = out.trim_end_matches('\n').to_owned();
    let whole = from == 1 && last == total;
    let summary = if whole { count(total, "line") } else { format!("lines {from}-{last} of {total}") };
    Ok((ToolOutcome::text(out, summary), Lines { start: from - 1, len: last + 1 - from }, total))
}
