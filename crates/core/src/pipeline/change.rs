//! A change that is reviewed: which one is meant, how it is collected and its files read, how a model is told of it.
//!
//! Owns reading what git says of a change. Never runs it: the calls are made like any other.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{
    Material, PipelineState, StageSpec,
    aim::{Against, Aim},
    count,
    material::{Outcome, Step, ToolStep},
};
use crate::shell::quote;

/// Said by a command's output where it holds less than all.
const CUT: &str = "bytes left out; read output:";
/// Ends a part of a file that is longer.
const GO_ON: &str = "go on with from: ";
/// Lines around a hunk that are read with it.
const AROUND: usize = 40;
/// Most lines of a file that is read whole.
const WHOLE: usize = 2_000;
/// How git says a change, whatever is configured.
const GIT: &str = "git -c core.quotePath=off";
const PLAIN: &str =
    "--no-color --no-ext-diff --no-textconv --no-renames --relative --src-prefix=a/ --dst-prefix=b/";

/// A change.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Change {
    /// Its files.
    pub files: Vec<ChangedFile>,
    /// How many more there are.
    pub left_out: usize,
}

/// A file of a change.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct ChangedFile {
    /// Its path.
    pub path: String,
    /// What was changed of it; empty for one that is new or looked at as it stands.
    pub diff: String,
    /// The lines that are new, from and to; none where all of it counts.
    pub lines: Vec<(usize, usize)>,
    /// Whether it is there no more.
    pub gone: bool,
}

/// The files of a change as they were read: their lines by number.
pub(super) type Texts = BTreeMap<String, BTreeMap<usize, String>>;

/// The stage that collects a change.
pub(super) fn collect(state: &PipelineState, spec: &StageSpec, material: &Material) -> Step {
    let aim = Aim::of(state.original_query());
    let first = first_calls(spec, &aim);
    let steps = &material.steps;
    let Some(diff) = steps.first() else { return runs(first) };
    let most = state.depth().numbers().passages;
    let mut change = Change::default();
    // Where nothing was committed yet, everything is new.
    let unborn = !diff.ok && first.len() > 1 && steps.iter().skip(1).all(|s| s.ok);
    if unborn {
        let Some(all) = steps.get(first.len()) else { return runs(vec![files("--cached --others", &aim)]) };
        change.files = names(all).into_iter().map(new).collect();
        return collected(change, &aim, most);
    }
    if let Some(lost) = steps.iter().find(|s| !s.ok) {
        return Step::Fail(said(lost).lines().next().unwrap_or_default().to_owned());
    }
    if !stdout(diff).contains(CUT) || spec.command.is_some() {
        change.files = parse(stdout(diff));
    } else if steps.len() == first.len() {
        return runs(vec![git(&aim, "--name-only")]);
    } else if steps.len() == first.len() + 1 {
        let names = steps.last().map(names).unwrap_or_default();
        let each = names.into_iter().take(most);
        return runs(each.map(|path| git(&Aim { paths: vec![path], ..aim.clone() }, PLAIN)).collect());
    } else {
        let each = steps.iter().skip(first.len() + 1);
        change.files = each.flat_map(|s| parse(stdout(s))).collect();
        change.left_out =
            steps.get(first.len()).map_or(0, |s| names(s).len()).saturating_sub(change.files.len());
    }
    if first.len() > 1 {
        change.files.extend(steps.get(1).map(names).unwrap_or_default().into_iter().map(new));
    }
    collected(change, &aim, most)
}

/// What was collected, or what is looked at where nothing was changed.
fn collected(mut change: Change, aim: &Aim, most: usize) -> Step {
    let changed = count(change.files.len() + change.left_out, "file");
    let mut note = format!("{changed} changed {}", aim.words());
    if change.files.is_empty() {
        if aim.paths.is_empty() {
            return Step::Over(format!(
                "Nothing has changed {}, so there is nothing to review.",
                aim.words()
            ));
        }
        // What was named is looked at as it stands.
        change.files = aim.paths.iter().cloned().map(new).collect();
        note = format!("nothing was changed {}; looked at as it stands", aim.words());
    }
    change.left_out += change.files.len().saturating_sub(most);
    change.files.truncate(most);
    if change.left_out > 0 {
        note = format!("{note}; {} not looked at", count(change.left_out, "file"));
    }
    let output = serde_json::to_string(&change).unwrap_or_default();
    Step::Done(Box::new(Outcome { output, note, ..Outcome::default() }))
}

fn first_calls(spec: &StageSpec, aim: &Aim) -> Vec<String> {
    if let Some(command) = &spec.command {
        return vec![command.clone()];
    }
    let mut all = vec![git(aim, PLAIN)];
    if aim.against == Against::Tree("HEAD".to_owned()) {
        all.push(files("--others", aim));
    }
    all
}

/// The line that names files.
fn files(which: &str, aim: &Aim) -> String {
    format!("{GIT} ls-files {which} --exclude-standard{}", paths(&aim.paths))
}

/// A file all of which counts.
fn new(path: String) -> ChangedFile {
    ChangedFile { path, ..ChangedFile::default() }
}

fn runs(commands: Vec<String>) -> Step {
    let call = |command: String| ("run".to_owned(), json!({ "command": command }).to_string());
    Step::Call(commands.into_iter().map(call).collect())
}

/// The line that tells a change.
fn git(aim: &Aim, how: &str) -> String {
    let how = if how == PLAIN { PLAIN.to_owned() } else { format!("{PLAIN} {how}") };
    let line = match &aim.against {
        Against::Tree(of) => format!("diff {how} {}", quote(of)),
        Against::Range(of) => format!("diff {how} {}", quote(of)),
        Against::Staged => format!("diff --cached {how}"),
        Against::Commit(of) => format!("show --format= {how} {}", quote(of)),
    };
    format!("{GIT} {line}{}", paths(&aim.paths))
}

fn paths(all: &[String]) -> String {
    let all: Vec<String> = all.iter().map(|p| quote(p)).collect();
    if all.is_empty() { String::new() } else { format!(" -- {}", all.join(" ")) }
}

/// What a command wrote, without what its result says besides.
fn stdout(step: &ToolStep) -> &str {
    let text = step.text.split_once("stdout:\n").map_or("", |(_, rest)| rest);
    text.split_once("\nstderr:\n").map_or(text, |(out, _)| out)
}

/// What a command that failed said.
fn said(step: &ToolStep) -> &str {
    let heads = ["stderr:\n", "stdout:\n"];
    heads.iter().find_map(|head| step.text.split_once(head)).map_or(step.text.as_str(), |(_, rest)| rest)
}

/// The paths of a list, a line each.
fn names(step: &ToolStep) -> Vec<String> {
    stdout(step).lines().filter(|l| !l.is_empty() && !l.contains(CUT)).map(unquoted).collect()
}

/// The files that a diff changes, each with its own part of it. What stands inside a hunk is no head of a file.
fn parse(diff: &str) -> Vec<ChangedFile> {
    let mut files: Vec<ChangedFile> = Vec::new();
    let (mut old, mut new) = (0_usize, 0_usize);
    for line in diff.lines() {
        let inside = old > 0 || new > 0;
        let begins = line.starts_with("diff --git ")
            || (line.starts_with("--- ") && files.last().is_none_or(|f| !f.path.is_empty()));
        if !inside && begins {
            files.push(ChangedFile::default());
        }
        let Some(file) = files.last_mut() else { continue };
        file.diff.push_str(line);
        file.diff.push('\n');
        if inside {
            match line.chars().next() {
                Some('-') => old = old.saturating_sub(1),
                Some('+') => new = new.saturating_sub(1),
                Some('\\') => {}
                Some(_) | None => (old, new) = (old.saturating_sub(1), new.saturating_sub(1)),
            }
        } else if let Some(name) = line.strip_prefix("--- ").or_else(|| line.strip_prefix("+++ ")) {
            let name = unquoted(name.trim_end_matches('\t'));
            file.gone = name == "/dev/null" && line.starts_with('+');
            if name != "/dev/null" {
                file.path = name
                    .split_once('/')
                    .filter(|(p, _)| p.len() == 1)
                    .map_or(name.clone(), |(_, p)| p.to_owned());
            }
        } else if let Some((from, to)) = line.strip_prefix("@@ ").and_then(ranges) {
            (old, new) = (from.1, to.1);
            file.lines.push((to.0.max(1), (to.0 + to.1).saturating_sub(1).max(1)));
        }
    }
    files.retain(|f| !f.path.is_empty());
    files
}

/// The two ranges of the head of a hunk, each as its first line and how many.
fn ranges(head: &str) -> Option<((usize, usize), (usize, usize))> {
    let read = |text: &str| {
        let (from, many) = text.split_once(',').unwrap_or((text, "1"));
        Some((from.parse().ok()?, many.parse().ok()?))
    };
    let mut words = head.split(' ');
    let (old, new) = (words.next()?.strip_prefix('-')?, words.next()?.strip_prefix('+')?);
    Some((read(old)?, read(new)?))
}

/// A name as git writes it: in quotation marks, with escapes, where it holds odd characters.
fn unquoted(name: &str) -> String {
    let Some(inside) = name.strip_prefix('"').and_then(|n| n.strip_suffix('"')) else {
        return name.to_owned();
    };
    let mut bytes = Vec::new();
    let mut rest = inside.bytes().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        match rest.next() {
            Some(b'n') => bytes.push(b'\n'),
            Some(b't') => bytes.push(b'\t'),
            Some(b'r') => bytes.push(b'\r'),
            Some(first @ b'0'..=b'7') => {
                let mut value = u32::from(first - b'0');
                while let Some(next @ b'0'..=b'7') = rest.peek().copied() {
                    value = value * 8 + u32::from(next - b'0');
                    rest.next();
                }
                bytes.push(u8::try_from(value & 0xff).unwrap_or_default());
            }
            Some(other) => bytes.push(other),
            None => {}
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The stage that reads what was changed, with the lines around it.
pub(super) fn read(state: &PipelineState, stage: usize, tool: &str, material: &Material) -> Step {
    let before = state.stage(stage.saturating_sub(1)).and_then(|s| material.outputs.get(&s.name));
    let change: Change = before.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
    let most = state.depth().numbers().passages;
    let wanted = parts(&change);
    let call = |path: &str, from: usize, to: usize| {
        (
            tool.to_owned(),
            json!({ "path": path, "from": from, "lines": (to + 1).saturating_sub(from) }).to_string(),
        )
    };
    let calls = if material.steps.is_empty() {
        wanted.iter().take(most).map(|(path, from, to)| call(path, *from, *to)).collect()
    } else {
        let rest = material.steps.iter().filter_map(going_on).filter(|(path, from, _)| {
            // It was asked for already.
            !material.steps.iter().filter_map(asked).any(|(p, f, _)| p == *path && f == *from)
        });
        let room = (most * 2).saturating_sub(material.steps.len());
        rest.take(room).map(|(path, from, to)| call(&path, from, to)).collect::<Vec<_>>()
    };
    if !calls.is_empty() {
        return Step::Call(calls);
    }
    let mut texts = Texts::new();
    for step in material.steps.iter().filter(|s| s.ok) {
        if let Some((path, ..)) = asked(step) {
            texts.entry(path).or_default().extend(numbered(&step.text));
        }
    }
    let there = change.files.iter().filter(|f| !f.gone).count();
    if texts.is_empty() && change.files.iter().all(|f| f.diff.is_empty()) {
        let why = material.steps.first().map(|s| s.text.lines().next().unwrap_or_default().to_owned());
        return Step::Fail(why.unwrap_or_default());
    }
    let cut = material.steps.iter().any(|s| going_on(s).is_some()) || wanted.len() > most;
    let cut = if cut { ", not all of them whole" } else { "" };
    let note = format!("{} of {} read{cut}", texts.len(), count(there, "file"));
    let output = serde_json::to_string(&texts).unwrap_or_default();
    Step::Done(Box::new(Outcome { output, note, ..Outcome::default() }))
}

/// The parts of files that are read: around each hunk, parts that touch as one; all of a file that has none.
fn parts(change: &Change) -> Vec<(String, usize, usize)> {
    let mut all: Vec<(String, usize, usize)> = Vec::new();
    for file in change.files.iter().filter(|f| !f.gone) {
        if file.lines.is_empty() {
            all.push((file.path.clone(), 1, WHOLE));
        }
        for (from, to) in &file.lines {
            let (from, to) = (from.saturating_sub(AROUND).max(1), to + AROUND);
            match all.last_mut().filter(|(path, _, end)| *path == file.path && from <= *end + 1) {
                Some((.., end)) => *end = to.max(*end),
                None => all.push((file.path.clone(), from, to)),
            }
        }
    }
    all
}

/// What a call asked to read: the path, the first line and the last.
fn asked(step: &ToolStep) -> Option<(String, usize, usize)> {
    let args: serde_json::Value = serde_json::from_str(&step.args).ok()?;
    let number = |key: &str| usize::try_from(args.get(key)?.as_u64()?).ok();
    let from = number("from").unwrap_or(1);
    Some((args.get("path")?.as_str()?.to_owned(), from, (from + number("lines")?).saturating_sub(1)))
}

/// What a call asked for and did not get, where the file goes on.
fn going_on(step: &ToolStep) -> Option<(String, usize, usize)> {
    let (path, _, to) = asked(step).filter(|_| step.ok)?;
    let (_, from) = step.text.lines().last()?.rsplit_once(GO_ON)?;
    let from = from.trim_end_matches(')').parse().ok().filter(|from| *from <= to)?;
    Some((path, from, to))
}

/// Lines as they were read, by their numbers.
fn numbered(text: &str) -> impl Iterator<Item = (usize, String)> + '_ {
    text.lines().filter_map(|line| {
        let (number, text) = line.trim_start().split_once("  ").or_else(|| Some((line.trim(), "")))?;
        Some((number.parse().ok()?, text.to_owned()))
    })
}

/// What a stage of a review came to, as a model is told of it in so many bytes.
pub(super) fn told(spec: &StageSpec, output: &str, most: usize) -> String {
    if spec.collects() {
        let change: Change = serde_json::from_str(output).unwrap_or_default();
        let each = most / change.files.len().max(1);
        let mut parts: Vec<String> =
            change.files.iter().map(|f| file(&f.path, &of_change(f), each)).collect();
        if change.left_out > 0 {
            parts.push(format!("({} more not shown)", count(change.left_out, "file")));
        }
        return parts.join("\n");
    }
    let texts: Texts = serde_json::from_str(output).unwrap_or_default();
    let each = most / texts.len().max(1);
    let told = |(path, lines): (&String, &BTreeMap<usize, String>)| {
        let lines: Vec<String> = lines.iter().map(|(n, text)| format!("{n:>6}  {text}")).collect();
        file(path, &lines.join("\n"), each)
    };
    texts.iter().map(told).collect::<Vec<_>>().join("\n")
}

fn of_change(file: &ChangedFile) -> String {
    if file.diff.is_empty() { "(all of it counts, as it stands)".to_owned() } else { file.diff.clone() }
}

fn file(path: &str, text: &str, most: usize) -> String {
    let path = path.replace('"', "'");
    format!("<file path=\"{path}\">\n{}\n</file>", cut(text.trim_end(), most).replace("</file", "<\\/file"))
}

/// A text in at most so many bytes, which says what of it is not there.
pub(super) fn cut(text: &str, most: usize) -> String {
    let end = text.floor_char_boundary(most);
    let kept = text.get(..end).unwrap_or_default();
    if end == text.len() {
        kept.to_owned()
    } else {
        format!("{kept}\n[… {} bytes left out]", text.len() - end)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_is_read_by_its_hunks() {
        let diff = "diff --git a/one.rs b/one.rs\n--- a/one.rs\n+++ b/one.rs\n@@ -1,2 +1,3 @@ fn a\n a\n+++ b/no.rs\n b\n\
                    @@ -9 +10,2 @@\n-x\n+x\n+y\n\\ No newline at end of file\n\
                    diff --git a/gone b/gone\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n---- x\n\
                    diff --git \"a/t\\303\\244 \\\"b\" \"b/t\\303\\244 \\\"b\"\n--- /dev/null\n+++ \"b/t\\303\\244 \\\"b\"\t\n@@ -0,0 +1 @@\n+n\n\
                    diff --git a/p.png b/p.png\nBinary files a/p.png and b/p.png differ\n";
        let read = parse(diff);
        let told = read.iter().map(|f| format!("{} {:?} {}", f.path, f.lines, f.gone));
        let told: Vec<String> = told.collect();
        assert_eq!(told, ["one.rs [(1, 3), (10, 11)] false", "gone [(1, 1)] true", "tä \"b [(1, 1)] false"]);
        assert!(read.iter().all(|f| diff.contains(&f.diff)));
        assert!(parse("").is_empty() && parse("@@ -1 +1 @@\n+x\n").is_empty());
    }

    #[test]
    fn parts_that_touch_are_read_as_one() {
        let lines = vec![(100, 110), (150, 150), (900, 905)];
        let change = Change {
            files: vec![ChangedFile { path: "a".into(), lines, ..ChangedFile::default() }],
            left_out: 0,
        };
        assert_eq!(parts(&change), [("a".to_owned(), 60, 190), ("a".to_owned(), 860, 945)]);
    }

    #[test]
    fn what_is_cut_says_so() {
        assert_eq!(cut("abc", 3), "abc");
        assert_eq!(cut("aäc", 2), "a\n[… 3 bytes left out]");
    }
}
