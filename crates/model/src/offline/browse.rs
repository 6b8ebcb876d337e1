//! Looking around: files shown, listed and outlined, and what a folder is about.
//!
//! Owns these answers. Every one says where it looked.

use std::collections::BTreeMap;

use serde_json::json;

use super::{
    definition::{definition, has_hash_comments, is_known, language},
    found::{Found, count, numbered, whole_lines},
    pattern::{Pattern, group},
    scene::{Heard, Move, Scene},
    sentence::extension,
};

/// Lines of a file that are shown unless others are asked for.
const SHOWN: u64 = 120;
/// Definitions of an outline at most.
const OUTLINED: usize = 80;

/// Shows a file or some lines of it.
pub(super) fn show(scene: &Scene<'_>, path: &str, lines: Option<(u64, u64)>) -> Result<String, Move> {
    let (from, to) = lines.unwrap_or((1, SHOWN));
    let (path, heard) = open(scene, path, from, to - from + 1)?;
    let lines = numbered(heard.text);
    let (Some((first, _)), Some((last, _))) = (lines.first(), lines.last()) else {
        return Ok(format!("{path}: {}", heard.text.trim()));
    };
    let text: Vec<&str> = lines.iter().map(|(_, text)| *text).collect();
    Ok(format!("{path}:{first}-{last}\n\n{}", fenced(&path, &text.join("\n"))))
}

/// A code block that its content cannot end.
pub(super) fn fenced(path: &str, text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}{}\n{text}\n{fence}", language(path))
}

/// Reads a file; one that is not there is looked for by its name.
fn open<'a>(scene: &Scene<'a>, path: &str, from: u64, lines: u64) -> Result<(String, Heard<'a>), Move> {
    let args = |path: &str| json!({"path": path, "from": from, "lines": lines});
    let heard = scene.ask("read", args(path))?;
    let Some(why) = heard.failed else { return Ok((path.to_owned(), heard)) };
    let all = scene.ask("list", json!({"path": ".", "depth": 20}))?;
    // `README` is `README.md` as well.
    let bare =
        |l: &str| l.rsplit('/').next().and_then(|name| name.rsplit_once('.')).map(|(stem, _)| stem == path);
    let same =
        |l: &&str| l.strip_suffix(path).is_some_and(|front| front.ends_with('/')) || bare(l).unwrap_or(false);
    let found: Vec<&str> = names(all.text).filter(same).collect();
    match found.as_slice() {
        [] => Err(Move::Say(format!("I couldn't read {path}: {why}"))),
        [one] => {
            let heard = scene.ask("read", args(one))?;
            match heard.failed {
                None => Ok(((*one).to_owned(), heard)),
                Some(why) => Err(Move::Say(format!("I couldn't read {one}: {why}"))),
            }
        }
        many => {
            let list: Vec<String> = many.iter().take(10).map(|f| format!("- {f}")).collect();
            Err(Move::Say(format!("There are {} files called {path}:\n\n{}", many.len(), list.join("\n"))))
        }
    }
}

/// The names in a listing, without remarks.
pub(super) fn names(listing: &str) -> impl Iterator<Item = &str> {
    let name = |l: &'_ str| l.split("  (").next().map_or(0, str::len);
    let plain = whole_lines(listing).filter_map(move |l| l.get(..name(l)));
    let plain = plain.map(|l| l.trim().trim_start_matches("./"));
    plain.filter(|l| !l.is_empty() && !is_remark(l))
}

/// Whether a line of a listing is what the tool says and no name: names may begin with any sign.
fn is_remark(line: &str) -> bool {
    line == "(empty)" || (line.starts_with('…') && line.ends_with("list a folder below to see them"))
}

/// Said where there is nothing to look at.
const EMPTY: &str = "This folder is empty, or git ignores everything in it, so there is nothing to look at yet. `create FILE with \"…\"` makes a file; you see it before it is written.";

/// Lists a folder.
pub(super) fn list(scene: &Scene<'_>, path: Option<&str>) -> Result<String, Move> {
    let path = path.unwrap_or(".");
    let heard = scene.ask("list", json!({"path": path, "depth": 2}))?;
    if let Some(why) = heard.failed {
        return Err(Move::Say(format!("I couldn't list {path}: {why}")));
    }
    let lines: Vec<&str> = names(heard.text).collect();
    if lines.is_empty() {
        return Ok(if path == "." {
            EMPTY.to_owned()
        } else {
            format!("{path} is empty, or git ignores everything in it.")
        });
    }
    let folders = lines.iter().filter(|l| l.ends_with('/')).count();
    let place = if path == "." { "Here".to_owned() } else { format!("In {path}") };
    let sums =
        format!("{} and {}", count((lines.len() - folders) as u64, "file"), count(folders as u64, "folder"));
    Ok(format!("{place}, two levels deep: {sums}.\n\n```text\n{}\n```", lines.join("\n")))
}

/// The definitions of a file or a folder.
pub(super) fn outline(scene: &Scene<'_>, path: &str) -> Result<String, Move> {
    let heard = scene.ask("read", page(path, 1))?;
    if heard.failed.is_some() {
        let folder = scene.ask("list", json!({"path": path.trim_end_matches('/'), "depth": 3}))?;
        if folder.failed.is_none() {
            return outline_folder(scene, path, folder);
        }
        let (path, heard) = open(scene, path, 1, PAGE)?;
        return outline_pages(scene, &path, heard.text);
    }
    outline_pages(scene, path, heard.text)
}

/// Lines of a file that are read at once: so many are never cut.
const PAGE: u64 = 200;
/// Lines of a file that are outlined.
const MOST_LINES: u64 = 3_000;

fn page(path: &str, from: u64) -> serde_json::Value {
    json!({"path": path, "from": from, "lines": PAGE})
}

/// Reads the rest of a long file, and outlines the whole.
fn outline_pages(scene: &Scene<'_>, path: &str, first: &str) -> Result<String, Move> {
    let total = TOTAL.captures(first.lines().next_back().unwrap_or_default());
    let total: Option<u64> = total.and_then(|c| group(&c, "total").parse().ok());
    let starts = (1..).map(|n| n * PAGE + 1).take_while(|from| *from <= total.unwrap_or(0).min(MOST_LINES));
    let rest = scene.ask_all(starts.map(|from| ("read", page(path, from))).collect())?;
    let text = rest.iter().fold(first.to_owned(), |text, heard| text + "\n" + heard.text);
    Ok(outline_file(path, &text, total))
}

static TOTAL: Pattern = Pattern::new(r"^\(lines \d+-\d+ of (?<total>\d+)\b");

fn outline_file(path: &str, text: &str, total: Option<u64>) -> String {
    let lines = numbered(text);
    if lines.is_empty() {
        return format!("{path}: {}", text.trim());
    }
    let total = total.unwrap_or_else(|| lines.last().map_or(0, |(n, _)| *n));
    let mut out = format!("{path}, {}.", count(total, "line"));
    let about = purpose(path, &lines);
    if !about.is_empty() {
        out.push_str(&format!(" It describes itself ({path}:1): {about}"));
    }
    let items: Vec<String> = lines
        .iter()
        .filter(|(_, text)| definition(path, text).is_some())
        .map(|(n, text)| format!("{n:>5}  {}", text.trim_end().trim_end_matches('{').trim_end()))
        .collect();
    if items.is_empty() {
        let why =
            if is_known(path) { "I see no definitions in it" } else { "I don't know this kind of file" };
        let head: Vec<&str> = lines.iter().take(15).map(|(_, text)| *text).collect();
        return format!(
            "{out}\n\n{why}; it begins like this ({path}:1):\n\n{}",
            fenced(path, &head.join("\n"))
        );
    }
    let more = items.len().saturating_sub(OUTLINED);
    let shown = items.into_iter().take(OUTLINED).collect::<Vec<_>>().join("\n");
    out.push_str(&format!("\n\n```text\n{shown}\n```"));
    if more > 0 {
        out.push_str(&format!("\n… and {more} more."));
    }
    out
}

/// The comment with which a file introduces itself, in one paragraph.
fn purpose(path: &str, lines: &[(u64, &str)]) -> String {
    let text = |line: &str| {
        let line = line.trim();
        let marks = ["//!", "///", "//", "/**", "/*", "*/", "*", "\"\"\"", "#"];
        let (mark, body) = marks.iter().find_map(|m| Some((*m, line.strip_prefix(m)?)))?;
        if mark == "#" && !has_hash_comments(path) {
            return None;
        }
        (!line.starts_with("#!") && !line.starts_with("#[")).then(|| body.trim().to_owned())
    };
    let head = lines.iter().map(|(_, t)| *t).skip_while(|t| t.starts_with("#!") || t.trim().is_empty());
    let words: Vec<String> = head.map_while(text).take_while(|t| !t.is_empty()).take(6).collect();
    words.join(" ").chars().take(400).collect()
}

/// A search for what the common languages begin a definition with, at the left margin.
const DEFINITIONS: &str = r"^(pub(\([a-z]+\))? |export (default )?|public |abstract |async |static )*(fn|struct|enum|trait|mod|type|class|def|interface|function|func|module) [A-Za-z_(]";

fn outline_folder(scene: &Scene<'_>, path: &str, listed: Heard<'_>) -> Result<String, Move> {
    let path = path.trim_end_matches('/');
    let heard = scene.ask("search", json!({"pattern": DEFINITIONS, "path": path, "max": 400}))?;
    let found = Found::read(heard.text);
    let files = names(listed.text).filter(|l| !l.ends_with('/')).count() as u64;
    let mut out = format!("{path}/ holds {} (three levels deep).", count(files, "file"));
    if found.hits.is_empty() {
        let lines: Vec<&str> = listed.text.lines().take(60).collect();
        out.push_str(&format!(" I see no definitions in it.\n\n```text\n{}\n```", lines.join("\n")));
        return Ok(out);
    }
    let mut left = OUTLINED;
    for (file, hits) in found.by_file() {
        let names: Vec<String> = hits
            .iter()
            .filter_map(|h| definition(file, &h.text).map(|d| format!("{} ({})", d.name, h.line)))
            .collect();
        if names.is_empty() || left == 0 {
            continue;
        }
        let shown = names.len().min(left);
        left -= shown;
        let more = if shown < names.len() { ", …" } else { "" };
        let names: Vec<&str> = names.iter().take(shown).map(String::as_str).collect();
        out.push_str(&format!("\n- {file}: {}{more}", names.join(", ")));
    }
    Ok(out)
}

const ABOUT: [&str; 10] = [
    "README.md",
    "README",
    "README.rst",
    "README.txt",
    "Cargo.toml",
    "package.json",
    "pyproject.toml",
    "go.mod",
    "pom.xml",
    "Makefile",
];

/// What this project is, as far as its files say.
pub(super) fn overview(scene: &Scene<'_>) -> Result<String, Move> {
    let heard = scene.ask("list", json!({"path": ".", "depth": 3}))?;
    if let Some(why) = heard.failed {
        return Err(Move::Say(format!("I couldn't look around: {why}")));
    }
    let files: Vec<&str> = names(heard.text).collect();
    if files.is_empty() {
        return Ok(EMPTY.to_owned());
    }
    let present: Vec<&str> = ABOUT.into_iter().filter(|f| files.contains(f)).take(3).collect();
    let reads = present.iter().map(|f| ("read", json!({"path": f, "from": 1, "lines": 60})));
    let read = scene.ask_all(reads.collect())?;
    let mut out = String::new();
    for (file, heard) in present.iter().zip(read) {
        if let Some((line, text)) = introduction(file, heard.text) {
            out.push_str(&format!("{text} ({file}:{line})\n\n"));
        }
    }
    if out.is_empty() {
        out.push_str(
            "There is no README or description here, so only its files tell what this project is.\n\n",
        );
    }
    out.push_str(&inventory(&files));
    Ok(out)
}

/// The first paragraph of a text, or the description in a manifest, with its line.
fn introduction(file: &str, text: &str) -> Option<(u64, String)> {
    let lines = numbered(text);
    let clean = |t: &str| t.trim().trim_matches([',', '"', '\'']).to_owned();
    if !file.starts_with("README") {
        return lines.iter().find_map(|(n, t)| {
            let (key, value) = t.split_once([':', '=']).or_else(|| t.split_once(' '))?;
            let key = key.trim().trim_matches('"');
            (key == "description" || (file == "go.mod" && key == "module")).then(|| (*n, clean(value)))
        });
    }
    let prose = |t: &str| t.trim().starts_with(|c: char| c.is_alphanumeric() || matches!(c, '*' | '_' | '>'));
    let at = lines.iter().position(|(_, t)| prose(t))?;
    let paragraph: Vec<&str> =
        lines.iter().skip(at).map(|(_, t)| t.trim()).take_while(|t| !t.is_empty()).take(5).collect();
    Some((lines.get(at)?.0, paragraph.join(" ").chars().take(500).collect()))
}

fn inventory(files: &[&str]) -> String {
    let mut kinds: BTreeMap<&str, u64> = BTreeMap::new();
    let mut tops: BTreeMap<&str, u64> = BTreeMap::new();
    for file in files.iter().filter(|f| !f.ends_with('/')) {
        if let Some(kind) = file.rsplit('/').next().and_then(extension) {
            *kinds.entry(kind).or_default() += 1;
        }
        if let Some((top, _)) = file.split_once('/') {
            *tops.entry(top).or_default() += 1;
        }
    }
    let ranked = |map: BTreeMap<&str, u64>, sign: &str| {
        let mut all: Vec<_> = map.into_iter().collect();
        all.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
        let all: Vec<String> = all.into_iter().take(8).map(|(k, n)| format!("{sign}{k} ({n})")).collect();
        all.join(", ")
    };
    let total = files.iter().filter(|f| !f.ends_with('/')).count() as u64;
    let starts = [
        "main.rs",
        "lib.rs",
        "main.py",
        "__main__.py",
        "index.ts",
        "index.js",
        "main.go",
        "app.py",
        "main.c",
        "main.cpp",
    ];
    let entries: Vec<&str> = files
        .iter()
        .copied()
        .filter(|f| starts.contains(&f.rsplit('/').next().unwrap_or(f)))
        .take(8)
        .collect();
    let mut out = format!("{}, looking three levels deep: {}.", count(total, "file"), ranked(kinds, "."));
    if !tops.is_empty() {
        out.push_str(&format!("\n\nFolders: {}.", ranked(tops, "")));
    }
    if !entries.is_empty() {
        out.push_str(&format!("\n\nGood places to begin: {}.", entries.join(", ")));
    }
    out
}
