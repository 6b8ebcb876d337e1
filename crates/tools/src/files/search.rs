//! `search`: lines that match a pattern, in what the lane sees.
//!
//! Owns the text form of a match and the caps. Every file is opened through the jail.

use std::{borrow::Cow, io::Read, path::Path};

use grep_matcher::Matcher;
use grep_regex::{ErrorKind, RegexMatcher, RegexMatcherBuilder};
use ignore::overrides::{Override, OverrideBuilder};
use pilothouse_core::{
    blob::BlobId,
    encoding::text_of,
    policy::PathRules,
    relpath::RelPath,
    shell::Act,
    tool::{Search, ToolOutcome},
};
use tokio_util::sync::CancellationToken;

use super::{
    count,
    read::stored,
    seek::{Line, MASKED_BYTES, Seek, open},
    walk::{self, Kind},
};
use crate::sight::LaneView;

/// Matches shown when the call does not say.
const MATCHES: usize = 200;
/// The most that a call may ask for.
const MOST_MATCHES: usize = 1_000;
/// At most this many lines around a match are shown.
const MOST_CONTEXT: usize = 20;
/// At most this many characters of a line are shown.
const LINE_CHARS: usize = 300;
/// At most this many bytes are shown.
const MOST_BYTES: usize = 64 * 1024;

/// Searches a file or folder.
pub(crate) fn search(
    eyes: LaneView<'_>,
    args: &Search,
    cancel: &CancellationToken,
) -> Result<ToolOutcome, String> {
    let (matcher, literal) = matcher(args)?;
    let wanted = wanted(eyes, args)?;
    let context = args.context.unwrap_or_default().min(MOST_CONTEXT);
    let (path, names) = searched(eyes, args.path.as_deref(), cancel)?;
    let seek = Seek { jail: eyes.jail, blobs: eyes.blobs, matcher: &matcher, context, cancel };
    let mut hunt = Hunt {
        matcher: &matcher,
        context: context as u64,
        most: args.max.unwrap_or(MATCHES).clamp(1, MOST_MATCHES),
        out: String::new(),
        matches: 0,
        full: false,
    };
    let (mut files, mut skipped, mut ruled, mut sought) = (0, Vec::new(), Vec::new(), Vec::new());
    let only = path.as_ref().and_then(|p| eyes.jail.resolve(p).ok()).map(|r| r.real().to_owned());
    for (real, kind) in &names.all {
        if !matches!(kind, Kind::File | Kind::Proposed(_))
            || wanted.as_ref().is_some_and(|w| !w.matched(real, false).is_whitelist())
        {
            continue;
        }
        match held(eyes, real) {
            // A file that was asked for by its own path is a question; others are left out.
            Some(held) if only.as_deref() == Some(real) => {
                eyes.may(Act::Read, &held).map_err(|e| e.to_string())?;
                ruled.push(held);
            }
            Some(held) => ruled.push(held),
            None => sought.push((real.as_path(), *kind)),
        }
    }
    let mut rest = sought.as_slice();
    while !rest.is_empty() && !hunt.full {
        let found = seek.files(rest, hunt.most.saturating_sub(hunt.matches));
        if cancel.is_cancelled() {
            return Err("stopped by the user".to_owned());
        }
        let (some, later) = rest.split_at(found.len().min(rest.len()));
        rest = later;
        for ((real, kind), (lines, ended)) in some.iter().zip(found) {
            let before = hunt.matches;
            hunt.show(eyes, real, *kind, &lines);
            if ended.is_err() {
                // What cannot be opened here may be a name of elsewhere, listed while a folder was another one.
                skipped.push(open(eyes.jail, real).is_ok().then(|| real.to_string_lossy()));
            }
            files += usize::from(hunt.matches > before);
            if hunt.full {
                break;
            }
        }
    }
    let mut outcome = hunt.tell(files, &skipped, names.cut);
    outcome.text.push_str(&left_out(&eyes.view.rules, &ruled));
    outcome.text.push_str(&literal);
    Ok(outcome)
}

/// What is searched: a place and the names there, or what a result left out by the name that it gave.
fn searched(
    eyes: LaneView<'_>,
    path: Option<&str>,
    cancel: &CancellationToken,
) -> Result<(Option<RelPath>, walk::Names), String> {
    let kept = path.and_then(|name| Some((name, stored(eyes, name)?)));
    if let Some((name, content)) = kept {
        let all = [(name.into(), Kind::Proposed(BlobId::of(&content)))].into();
        return Ok((None, walk::Names { all, cut: false }));
    }
    let path = super::place(eyes, path)?;
    let names = walk::names(eyes, path.as_ref(), None, cancel)?;
    Ok((path, names))
}

/// The path of a file that a rule holds back.
fn held(eyes: LaneView<'_>, real: &Path) -> Option<RelPath> {
    let path = RelPath::new(real.to_str()?).ok()?;
    eyes.view.rules.holds(Act::Read, &path).map(|_| path)
}

/// What is said of files that a rule held back: of those that no question frees, that they are denied.
fn left_out(rules: &PathRules, ruled: &[RelPath]) -> String {
    let (denied, asked): (Vec<&RelPath>, Vec<_>) = ruled.iter().partition(|p| rules.denies(Act::Read, p));
    let told = |files: &[&RelPath], by: &str, then: &str| {
        let names: Vec<&str> = files.iter().take(3).map(|p| p.as_str()).collect();
        let more = if files.len() > 3 { ", …" } else { "" };
        let all = || {
            format!("; {} left out by {by} ({}{more}){then}", count(files.len(), "file"), names.join(", "))
        };
        if files.is_empty() { String::new() } else { all() }
    };
    told(&asked, "permission rules", ": read one by its path to ask for it")
        + &told(&denied, "rules that deny them", ", so reading one is refused")
}

/// What is searched for; one that is no regular expression is meant as text, which is said behind what is found.
fn matcher(args: &Search) -> Result<(RegexMatcher, String), String> {
    if args.pattern.is_empty() {
        return Err("the pattern is empty; give the text to search for".to_owned());
    }
    let build = |literal: bool| {
        RegexMatcherBuilder::new()
            .line_terminator(Some(b'\n'))
            .word(args.whole_word)
            .fixed_strings(literal)
            .build(&args.pattern)
    };
    let cannot = |e: &grep_regex::Error, hint: &str| {
        format!("the pattern cannot be used: {e}; patterns match within one line; mend it{hint}")
    };
    match build(args.literal) {
        Ok(matcher) => Ok((matcher, String::new())),
        Err(e) if args.literal => Err(cannot(&e, "")),
        Err(e) if matches!(e.kind(), ErrorKind::Regex(_)) => {
            let why = e.to_string();
            let why = why.lines().next_back().unwrap_or_default().trim_start_matches("error: ");
            let told = format!("; the pattern is no regular expression ({why}): searched for as plain text");
            build(true).map(|matcher| (matcher, told)).map_err(|e| cannot(&e, ""))
        }
        Err(e) => Err(cannot(&e, ", or set literal to search for the text itself")),
    }
}

/// The names of the files that are searched; `None` for all.
fn wanted(eyes: LaneView<'_>, args: &Search) -> Result<Option<Override>, String> {
    let Some(glob) = args.glob.as_deref() else { return Ok(None) };
    if glob.starts_with('!') {
        return Err("glob says which files are searched; one that leaves files out is not taken".to_owned());
    }
    let mut names = OverrideBuilder::new(eyes.jail.root());
    let built = names.add(glob).and_then(|names| names.build());
    built.map(Some).map_err(|e| format!("the glob cannot be used: {e}; mend it, or leave it out"))
}

struct Hunt<'a> {
    matcher: &'a RegexMatcher,
    /// Lines shown around a match.
    context: u64,
    most: usize,
    out: String,
    matches: usize,
    full: bool,
}

impl Hunt<'_> {
    /// Shows the lines that were found, without secrets. A line that only its secret answers to is no
    /// match, and nothing is shown around it: nobody gets to know a secret by guessing at it.
    fn show(&mut self, eyes: LaneView<'_>, real: &Path, kind: Kind, lines: &[Line]) {
        if lines.is_empty() {
            return;
        }
        let name = real.to_string_lossy();
        let masked = masked_lines(eyes, real, kind, lines);
        let still = |m: &str| self.matcher.is_match(m.as_bytes()).unwrap_or(false);
        let stands = |(line, masked): (&Line, &Option<String>)| {
            (line.found && masked.as_deref().is_none_or(still)).then_some(line.n)
        };
        let matches: Vec<u64> = lines.iter().zip(&masked).filter_map(stands).collect();
        let mut last = None;
        for (line, masked) in lines.iter().zip(&masked) {
            let found = matches.binary_search(&line.n).is_ok();
            if !found && !matches.iter().any(|m| m.abs_diff(line.n) <= self.context) {
                continue;
            }
            if found && self.matches >= self.most || self.out.len() > MOST_BYTES {
                self.full = true;
                return;
            }
            if self.context > 0 && !self.out.is_empty() && last != Some(line.n.saturating_sub(1)) {
                self.out.push_str("--\n");
            }
            last = Some(line.n);
            let text = masked.as_ref().map_or(line.text.as_slice(), |m| m.as_bytes());
            let (n, shown, mark) = (line.n, around(self.matcher, text), if found { ':' } else { '-' });
            self.matches += usize::from(found);
            self.out.push_str(&format!("{name}{mark}{n}{mark} {shown}\n"));
        }
    }

    fn tell(self, files: usize, skipped: &[Option<Cow<'_, str>>], cut: bool) -> ToolOutcome {
        let found = format!("{} in {}", count(self.matches, "match"), count(files, "file"));
        let mut text = self.out;
        if self.full {
            text.push_str(&format!("the first {found}; there are more: narrow the pattern or the path"));
        } else {
            text.push_str(&found);
        }
        let known = skipped.iter().flatten().next();
        let which = match (known, skipped.len()) {
            (_, 0) => None,
            (None, n) => Some(count(n, "file")),
            (Some(name), 1) => Some(name.to_string()),
            (Some(name), n) => Some(format!("{name} and {}", count(n - 1, "more file"))),
        };
        text.extend(which.map(|which| format!("; {which} could not be searched to the end")));
        if cut {
            text.push_str(&format!("; only the first {} names were looked at", walk::MOST_NAMES));
        }
        ToolOutcome::text(text, found)
    }
}

/// For each of these lines what it is without its secrets; `None` where it has none. A secret may
/// begin lines above, so the whole file is looked at, as far as it is not huge.
fn masked_lines(eyes: LaneView<'_>, real: &Path, kind: Kind, hits: &[Line]) -> Vec<Option<String>> {
    let content = match kind {
        Kind::Proposed(id) => eyes.blobs.blob(id),
        Kind::File => open(eyes.jail, real).ok().and_then(|file| {
            let mut bytes = Vec::new();
            file.take(MASKED_BYTES + 1).read_to_end(&mut bytes).ok()?;
            (bytes.len() as u64 <= MASKED_BYTES).then_some(bytes)
        }),
        Kind::Folder | Kind::NewFolder | Kind::Link | Kind::Special => None,
    };
    let Some(content) = content else {
        let alone = |line: &Line| {
            let text = String::from_utf8_lossy(&line.text);
            let masked = eyes.redactor.mask(&text);
            (masked != text).then(|| masked.into_owned())
        };
        return hits.iter().map(alone).collect();
    };
    let text = text_of(&content);
    let name = real.to_string_lossy();
    let Cow::Owned(masked) = eyes.redactor.mask_file(&name, &text) else { return vec![None; hits.len()] };
    let (plain, lines): (Vec<&str>, Vec<&str>) = (text.lines().collect(), masked.lines().collect());
    let line = |line: &Line| {
        let at = usize::try_from(line.n).ok()?.checked_sub(1)?;
        let shown = lines.get(at)?;
        (plain.get(at) != Some(shown)).then(|| (*shown).to_owned())
    };
    hits.iter().map(line).collect()
}

/// The line, or the part of a long one around its match.
fn around(matcher: &RegexMatcher, line: &[u8]) -> String {
    let at = matcher.find(line).ok().flatten().map_or(0, |m| m.start());
    let text = String::from_utf8_lossy(line);
    let text = text.trim_end_matches(['\n', '\r']);
    if text.chars().count() <= LINE_CHARS {
        return text.to_owned();
    }
    let before = line.get(..at).map_or(0, |b| String::from_utf8_lossy(b).chars().count());
    let skip = before.saturating_sub(LINE_CHARS / 3);
    let lead = if skip > 0 { "…" } else { "" };
    let part: String = text.chars().skip(skip).take(LINE_CHARS).collect();
    let tail = if text.chars().count() > skip + LINE_CHARS { "…" } else { "" };
    format!("{lead}{part}{tail}")
}
