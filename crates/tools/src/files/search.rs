//! `search`: lines that match a pattern, in what the lane sees.
//!
//! Owns the text form of a match and the caps. Every file is opened through the jail.

use std::{
    borrow::Cow,
    fs::File,
    io::{self, Read},
    path::Path,
};

use grep_matcher::Matcher;
use grep_regex::{ErrorKind, RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkMatch};
use ignore::overrides::{Override, OverrideBuilder};
use pilothouse_core::{
    blob::BlobId,
    encoding::{Encoding, text_of},
    policy::PathRules,
    relpath::RelPath,
    shell::Act,
    tool::{Search, ToolOutcome},
};
use rustix::fs::OFlags;
use tokio_util::sync::CancellationToken;

use super::{
    count,
    read::stored,
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
/// In a longer file each line is looked at for secrets by itself, in bytes.
const MASKED_BYTES: u64 = 4 * 1024 * 1024;
/// A NUL within this many bytes makes a file binary.
const SNIFF_BYTES: u64 = 8 * 1024;
/// A line longer than this is not searched, in bytes.
const HEAP_BYTES: usize = 16 * 1024 * 1024;

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
    let mut hunt = Hunt {
        searcher: SearcherBuilder::new()
            .binary_detection(BinaryDetection::quit(0))
            .line_number(true)
            .before_context(context)
            .after_context(context)
            .heap_limit(Some(HEAP_BYTES))
            .build(),
        matcher,
        context: context as u64,
        most: args.max.unwrap_or(MATCHES).clamp(1, MOST_MATCHES),
        out: String::new(),
        matches: 0,
        full: false,
    };
    let (mut files, mut skipped, mut ruled) = (0, Vec::new(), Vec::new());
    let only = path.as_ref().and_then(|p| eyes.jail.resolve(p).ok()).map(|r| r.real().to_owned());
    for (real, kind) in &names.all {
        if cancel.is_cancelled() {
            return Err("stopped by the user".to_owned());
        }
        let is_file = matches!(kind, Kind::File | Kind::Proposed(_));
        if wanted.as_ref().is_some_and(|w| !w.matched(real, false).is_whitelist()) {
            continue;
        }
        if let Some(held) = is_file.then(|| held(eyes, real)).flatten() {
            // A file that was asked for by its own path is a question; others are left out.
            if only.as_deref() == Some(real) {
                eyes.may(Act::Read, &held).map_err(|e| e.to_string())?;
            }
            ruled.push(held);
            continue;
        }
        let before = hunt.matches;
        match hunt.file(eyes, real, *kind, cancel) {
            Ok(()) => {}
            // What cannot be opened here may be a name of elsewhere, listed while a folder was another one.
            Err(_) => skipped.push(open(eyes, real).is_ok().then(|| real.to_string_lossy())),
        }
        files += usize::from(hunt.matches > before);
        if hunt.full {
            break;
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

/// A line of a file: one that was found, or one around it.
struct Line {
    n: u64,
    text: Vec<u8>,
    found: bool,
}

/// The lines of one file that are shown, as far as there is room.
struct Lines {
    all: Vec<Line>,
    room: usize,
    found: usize,
    held: usize,
}

impl Lines {
    fn take(&mut self, n: Option<u64>, text: &[u8], found: bool) -> bool {
        self.held += text.len();
        self.found += usize::from(found);
        self.all.push(Line { n: n.unwrap_or_default(), text: text.to_vec(), found });
        self.found <= self.room && self.held <= HEAP_BYTES
    }
}

impl Sink for Lines {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        Ok(self.take(found.line_number(), found.bytes(), true))
    }

    fn context(&mut self, _: &Searcher, around: &SinkContext<'_>) -> io::Result<bool> {
        Ok(self.take(around.line_number(), around.bytes(), false))
    }
}

struct Hunt {
    searcher: Searcher,
    matcher: RegexMatcher,
    /// Lines shown around a match.
    context: u64,
    most: usize,
    out: String,
    matches: usize,
    full: bool,
}

impl Hunt {
    fn file(
        &mut self,
        eyes: LaneView<'_>,
        real: &Path,
        kind: Kind,
        cancel: &CancellationToken,
    ) -> io::Result<()> {
        let room = self.most.saturating_sub(self.matches);
        let mut lines = Lines { all: Vec::new(), room, found: 0, held: 0 };
        let sink = &mut lines;
        let Self { searcher, matcher, .. } = self;
        let searched = match kind {
            Kind::Folder | Kind::NewFolder | Kind::Link | Kind::Special => return Ok(()),
            Kind::Proposed(id) => {
                let content = eyes.blobs.blob(id).ok_or(io::ErrorKind::NotFound)?;
                searcher.search_slice(&*matcher, text_of(&content).as_bytes(), sink)
            }
            Kind::File => {
                let mut file = open(eyes, real)?;
                if !file.metadata()?.is_file() {
                    return Ok(());
                }
                let head = head(&mut file)?;
                match whole(&head).filter(|e| *e == Encoding::Windows1252) {
                    Some(encoding) => {
                        searcher.search_slice(&*matcher, encoding.decode(&head).as_bytes(), sink)
                    }
                    None => searcher.search_reader(&*matcher, head.chain(Stoppable { file, cancel }), sink),
                }
            }
        };
        self.show(eyes, real, kind, &lines.all);
        searched
    }

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
            let (n, shown, mark) = (line.n, around(&self.matcher, text), if found { ':' } else { '-' });
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

fn open(eyes: LaneView<'_>, real: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY;
    Ok(File::from(eyes.jail.open_real(real, flags)?))
}

/// The beginning of a file: all of it where it is a text that is not huge, else so much that this is known.
fn head(file: &mut File) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    file.by_ref().take(SNIFF_BYTES).read_to_end(&mut head)?;
    if !head.contains(&0) {
        file.by_ref().take(MASKED_BYTES - SNIFF_BYTES).read_to_end(&mut head)?;
    }
    Ok(head)
}

/// The encoding of a file that is no longer than its beginning.
fn whole(head: &[u8]) -> Option<Encoding> {
    ((head.len() as u64) < MASKED_BYTES).then(|| Encoding::of(head)).flatten()
}

/// For each of these lines what it is without its secrets; `None` where it has none. A secret may
/// begin lines above, so the whole file is looked at, as far as it is not huge.
fn masked_lines(eyes: LaneView<'_>, real: &Path, kind: Kind, hits: &[Line]) -> Vec<Option<String>> {
    let content = match kind {
        Kind::Proposed(id) => eyes.blobs.blob(id),
        Kind::File => open(eyes, real).ok().and_then(|file| {
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

/// A file whose reading ends when the call is stopped.
struct Stoppable<'a> {
    file: File,
    cancel: &'a CancellationToken,
}

impl Read for Stoppable<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if self.cancel.is_cancelled() {
            return Err(io::Error::other("stopped by the user"));
        }
        self.file.read(buf)
    }
}
