//! `search`: lines that match a pattern, in what the lane sees.
//!
//! Owns the text form of a match and the caps. Every file is opened through the jail.

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

use grep_matcher::Matcher;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, sinks::Bytes};
use pilothouse_core::{relpath::RelPath, risk::Act, tool::ToolOutcome};
use rustix::fs::OFlags;
use tokio_util::sync::CancellationToken;

use super::{
    count,
    walk::{self, Kind},
};
use crate::{args, sight::Eyes};

/// Matches shown when the call does not say.
const MATCHES: usize = 200;
/// The most that a call may ask for.
const MOST_MATCHES: usize = 1_000;
/// At most this many characters of a line are shown.
const LINE_CHARS: usize = 300;
/// At most this many bytes are shown.
const MOST_BYTES: usize = 64 * 1024;
/// A line longer than this is not searched, in bytes.
const HEAP_BYTES: usize = 16 * 1024 * 1024;

/// Searches a file or folder.
pub(crate) fn search(
    eyes: Eyes<'_>,
    args: &args::Search,
    cancel: &CancellationToken,
) -> Result<ToolOutcome, String> {
    let matcher = matcher(args)?;
    let path = eyes.jail.read_path(&args.path).map_err(|e| e.to_string())?;
    let names = walk::names(eyes, path.as_ref(), None, cancel)?;
    let mut hunt = Hunt {
        searcher: SearcherBuilder::new()
            .binary_detection(BinaryDetection::quit(0))
            .line_number(true)
            .heap_limit(Some(HEAP_BYTES))
            .build(),
        matcher,
        most: args.max.unwrap_or(MATCHES).clamp(1, MOST_MATCHES),
        out: String::new(),
        matches: 0,
        full: false,
    };
    let (mut files, mut skipped, mut ruled) = (0, 0, Vec::new());
    let only = path.as_ref().and_then(|p| eyes.jail.resolve(p).ok()).map(|r| r.real().to_owned());
    for (real, kind) in &names.all {
        if cancel.is_cancelled() {
            return Err("stopped by the user".to_owned());
        }
        let is_file = matches!(kind, Kind::File | Kind::Proposed(_));
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
            Err(_) => skipped += 1,
        }
        files += usize::from(hunt.matches > before);
        if hunt.full {
            break;
        }
    }
    let mut outcome = hunt.tell(files, skipped, names.cut);
    outcome.text.push_str(&left_out(&ruled));
    Ok(outcome)
}

/// The path of a file that a rule holds back.
fn held(eyes: Eyes<'_>, real: &Path) -> Option<RelPath> {
    let path = RelPath::new(real.to_str()?).ok()?;
    eyes.view.rules.holds(Act::Read, &path).map(|_| path)
}

/// What is said of files that a rule held back.
fn left_out(ruled: &[RelPath]) -> String {
    if ruled.is_empty() {
        return String::new();
    }
    let names: Vec<&str> = ruled.iter().take(3).map(RelPath::as_str).collect();
    let more = if ruled.len() > 3 { ", …" } else { "" };
    format!(
        "; {} left out by permission rules ({}{more}): read one by its path to ask for it",
        count(ruled.len(), "file"),
        names.join(", ")
    )
}

fn matcher(args: &args::Search) -> Result<RegexMatcher, String> {
    if args.pattern.is_empty() {
        return Err("the pattern is empty; give the text to search for".to_owned());
    }
    RegexMatcherBuilder::new()
        .line_terminator(Some(b'\n'))
        .word(args.whole_word)
        .fixed_strings(args.literal)
        .build(&args.pattern)
        .map_err(|e| {
            let hint = if args.literal { "" } else { ", or set literal to search for the text itself" };
            format!("the pattern cannot be used: {e}; patterns match within one line; mend it{hint}")
        })
}

struct Hunt {
    searcher: Searcher,
    matcher: RegexMatcher,
    most: usize,
    out: String,
    matches: usize,
    full: bool,
}

impl Hunt {
    fn file(
        &mut self,
        eyes: Eyes<'_>,
        real: &Path,
        kind: Kind,
        cancel: &CancellationToken,
    ) -> io::Result<()> {
        let Self { searcher, matcher, most, out, matches, full } = self;
        let name = real.to_string_lossy();
        let sink = Bytes(|n, line| {
            if *matches >= *most || out.len() > MOST_BYTES {
                *full = true;
                return Ok(false);
            }
            *matches += 1;
            out.push_str(&format!("{name}:{n}: {}\n", around(matcher, line)));
            Ok(true)
        });
        match kind {
            Kind::Folder | Kind::NewFolder | Kind::Link | Kind::Special => Ok(()),
            Kind::Proposed(id) => {
                let content = eyes.blobs.blob(id).ok_or(io::ErrorKind::NotFound)?;
                searcher.search_slice(&*matcher, &content, sink)
            }
            Kind::File => {
                let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY;
                let file = File::from(eyes.jail.open_real(real, flags)?);
                if !file.metadata()?.is_file() {
                    return Ok(());
                }
                searcher.search_reader(&*matcher, Stoppable { file, cancel }, sink)
            }
        }
    }

    fn tell(self, files: usize, skipped: usize, cut: bool) -> ToolOutcome {
        let found = format!("{} in {}", count(self.matches, "match"), count(files, "file"));
        let mut text = self.out;
        if self.full {
            text.push_str(&format!("the first {found}; there are more: narrow the pattern or the path"));
        } else {
            text.push_str(&found);
        }
        if skipped > 0 {
            text.push_str(&format!("; {} could not be searched to the end", count(skipped, "file")));
        }
        if cut {
            text.push_str(&format!("; only the first {} names were looked at", walk::MOST_NAMES));
        }
        ToolOutcome::text(text, found)
    }
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
