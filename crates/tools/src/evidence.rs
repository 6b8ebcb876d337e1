//! Evidence: looking whether what is said to stand somewhere does.
//!
//! Owns the check of a recorded fact and the reading of files and outputs that an answer cites. Never
//! says what follows from it; sees no more than the lane that cites it may read, without secrets.

use std::collections::BTreeMap;

use pilothouse_core::{
    blob::BlobId,
    encoding::text_of,
    fact::{self, Checked, Evidence, Fact, FactDraft, FactSource, Facts, Place, Shown, check, place},
    shell::Act,
    tool::{RecordFact, ToolOutcome},
};

use crate::sight::LaneView;

/// Most characters of a fact's value and of the text that proves it.
const MOST_CHARS: usize = 600;
/// How sure a fact is whose model does not say.
const SURE: usize = 100;

/// Records a fact after looking at its source.
pub(crate) fn record(eyes: LaneView<'_>, args: &RecordFact) -> Result<ToolOutcome, String> {
    if args.value.chars().count() > MOST_CHARS || args.text.chars().count() > MOST_CHARS {
        return Err(format!("value and text may have {MOST_CHARS} characters each; name what counts"));
    }
    let mut seen = Vec::new();
    let (source, checked) = match (&args.file, args.command.trim()) {
        (Some(file), _) => {
            let source = in_file(eyes, file, args)?;
            if let FactSource::File { path, hash, .. } = &source {
                seen.push((path.clone(), *hash));
            }
            (source, true)
        }
        (None, "") if !args.because.is_empty() => (derived(eyes, &args.because)?, false),
        (None, "") if args.user => (FactSource::User, false),
        (None, "") => (FactSource::Model, false),
        (None, command) => (printed(eyes, command, args.text.trim())?, true),
    };
    let told = format!("noted {}: {} ({})", args.name, args.value, source.words());
    let unchecked = match (checked, &source) {
        (true, _) => "",
        (false, FactSource::Derived) => "; that it follows is not checked",
        (false, _) => "; nothing shows it: it counts as unproven",
    };
    let mut outcome = ToolOutcome::text(format!("{told}{unchecked}"), source.words());
    let confidence = u8::try_from(args.confidence.unwrap_or(SURE).min(100)).unwrap_or(100);
    let (name, value) = (args.name.trim().to_owned(), args.value.trim().to_owned());
    let because = args.because.clone();
    outcome.facts.push(FactDraft { name, value, source, because, confidence, checked });
    outcome.seen = seen;
    Ok(outcome)
}

/// The text in its file, at its line.
fn in_file(eyes: LaneView<'_>, file: &str, args: &RecordFact) -> Result<FactSource, String> {
    let shown = eyes.shown(file).ok_or_else(|| format!("{file} cannot be read; nothing was noted"))?;
    let text = args.text.trim();
    if text.is_empty() {
        return Err("say in `text` the words that stand there; nothing was noted".to_owned());
    }
    let before = args.line.unwrap_or(0);
    let line = place(&shown.text, text, before).ok_or_else(|| {
        format!(
            "{file} does not say `{text}` on one line, or says it on several: name `line`; nothing was noted"
        )
    })?;
    if args.line.is_some_and(|said| said != line) {
        return Err(format!("`{text}` stands on line {line} of {file}, not {before}; nothing was noted"));
    }
    let path = eyes.jail.read_path(file).ok().flatten();
    let path = path.ok_or_else(|| format!("{file} is no file of this workspace"))?;
    Ok(FactSource::File { path, line, text: text.to_owned(), hash: shown.hash })
}

/// What a command printed the last time that it ran.
fn printed(eyes: LaneView<'_>, command: &str, text: &str) -> Result<FactSource, String> {
    let ended = eyes.view.facts.ended(command);
    let ended = ended.ok_or_else(|| format!("`{command}` was not run here; run it first"))?;
    let output = ended.output.and_then(|id| eyes.output(id)).unwrap_or_default();
    if !text.is_empty() && place(&output, text, 0).is_none() && !output.contains(text) {
        return Err(format!("`{command}` did not print `{text}`; nothing was noted"));
    }
    Ok(FactSource::Command { command: command.to_owned(), text: text.to_owned(), output: ended.output })
}

/// What other facts show, all of which are known.
fn derived(eyes: LaneView<'_>, because: &[String]) -> Result<FactSource, String> {
    match because.iter().find(|name| eyes.view.facts.get(name).is_none()) {
        Some(name) => Err(format!("there is no fact called {name}; note it first")),
        None => Ok(FactSource::Derived),
    }
}

/// What came of the evidence that an answer names.
pub(crate) fn checked(eyes: LaneView<'_>, answer: &str) -> Checked {
    check(answer, &eyes)
}

/// The places that an answer names and that are not there.
pub(crate) fn astray(eyes: LaneView<'_>, answer: &str) -> Checked {
    fact::astray(answer, &eyes)
}

/// Where the texts of facts stand now that stood in a file.
pub(crate) fn places(eyes: LaneView<'_>, facts: &[Fact]) -> Vec<(String, Option<Place>)> {
    let mut files = BTreeMap::new();
    let seen = facts.iter().filter_map(|fact| {
        let FactSource::File { path, line, text, .. } = &fact.source else { return None };
        let now = files.entry(path).or_insert_with(|| eyes.shown(path.as_str())).as_ref();
        let at = now.and_then(|s| Some(Place { line: place(&s.text, text, *line)?, hash: s.hash }));
        Some((fact.name.clone(), at))
    });
    seen.collect()
}

impl LaneView<'_> {
    /// A file on disk as the lane may see it.
    fn shown(&self, path: &str) -> Option<Shown> {
        let path = self.jail.read_path(path).ok().flatten()?;
        let sight = self.look(&path, &[Act::Read]).ok()?;
        let hash = sight.disk_id?;
        let text = text_of(sight.disk.as_deref()?);
        let text = self.redactor.mask_file(path.as_str(), &text).into_owned();
        Some(Shown { text, hash, seen: self.view.seen.get(&sight.path).copied() })
    }
}

impl Evidence for LaneView<'_> {
    fn file(&self, path: &str) -> Option<Shown> {
        self.shown(path)
    }

    fn lacks(&self, path: &str) -> bool {
        let Ok(Some(path)) = self.jail.read_path(path) else { return false };
        self.look(&path, &[Act::Read]).is_ok_and(|sight| sight.disk.is_none() && sight.proposed.is_none())
    }

    fn output(&self, id: BlobId) -> Option<String> {
        self.blobs.blob(id).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }

    fn facts(&self) -> &Facts {
        &self.view.facts
    }
}
