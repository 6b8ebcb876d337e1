//! The grammar of a plan's document, line by line.
//!
//! Owns what a line says where it stands. Never makes a plan of it.

use std::collections::BTreeSet;

use super::{DocumentError, GateDraft, Pause, TaskDraft, TaskStatus, at};
use crate::relpath::RelPath;

/// What stands below a step, by name.
const FIELDS: [&str; 4] = ["kind", "files", "needs", "pause"];
/// Told of a line below a step that is none of it.
const BELOW: &str =
    "below a step stand kind, files, needs, \"pause: before\", without a dash, or its detail behind \"| \"";

/// Steps that one waits for, by the numbers in the document, and where that is said.
#[derive(Clone, Debug, Default)]
pub(super) struct Needs {
    pub line: usize,
    pub labels: Vec<u64>,
}

/// A step as it stands there.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub line: usize,
    pub label: Option<u64>,
    pub status: TaskStatus,
    pub draft: TaskDraft,
    pub needs: Needs,
    pub pause: bool,
    detail: Vec<String>,
    /// Which of its fields were given.
    given: BTreeSet<&'static str>,
}

/// A gate as it stands there.
#[derive(Clone, Debug)]
pub(super) struct GateText {
    pub line: usize,
    name: String,
    command: Vec<String>,
    pub needs: Needs,
}

impl GateText {
    /// It as a model submits one.
    pub fn draft(&self) -> GateDraft {
        let (name, command) = (self.name.clone(), self.command.join("\n"));
        GateDraft { name, command, after: Vec::new(), found: false }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Part {
    #[default]
    Head,
    Steps,
    Gates,
    Pauses,
}

/// What has been read so far.
#[derive(Debug, Default)]
pub(super) struct Reader {
    part: Part,
    pub title: String,
    pub note: Vec<String>,
    pub steps: Vec<Step>,
    pub gates: Vec<GateText>,
    pub pauses: Vec<Pause>,
    labels: BTreeSet<u64>,
}

impl Reader {
    pub fn read(text: &str) -> Result<Self, DocumentError> {
        if text.len() > super::MAX_DOCUMENT {
            let why =
                format!("the text has {} bytes; a plan has at most {}", text.len(), super::MAX_DOCUMENT);
            return Err(at(1, &why));
        }
        let mut reader = Self::default();
        let mut comment = None;
        for (line, number) in text.lines().zip(1..) {
            if let Some(c) = line.chars().find(|c| c.is_control() && *c != '\t') {
                let why = format!("a control character stands here (U+{:04X}); take it out", u32::from(c));
                return Err(at(number, &why));
            }
            let trimmed = line.trim();
            if comment.is_none() && trimmed.starts_with("<!--") {
                comment = Some(number);
            }
            if comment.is_none() && !trimmed.is_empty() {
                reader.line(line, number)?;
            }
            comment = comment.filter(|_| !trimmed.ends_with("-->"));
        }
        if let Some(line) = comment {
            return Err(at(line, "this comment has no end; close it with \"-->\""));
        }
        for step in &mut reader.steps {
            step.draft.detail = step.detail.join("\n");
        }
        Ok(reader)
    }

    fn line(&mut self, raw: &str, number: usize) -> Result<(), DocumentError> {
        let line = raw.trim();
        if let Some(heading) = line.strip_prefix("## ") {
            self.part = match heading.trim().to_lowercase().as_str() {
                "steps" => Part::Steps,
                "gates" => Part::Gates,
                "pauses" => Part::Pauses,
                _ => return Err(at(number, "a heading is \"## Steps\", \"## Gates\" or \"## Pauses\"")),
            };
            return Ok(());
        }
        if let Some(title) = line.strip_prefix('#').filter(|t| t.is_empty() || t.starts_with(' ')) {
            title.trim().clone_into(&mut self.title);
            return Ok(());
        }
        match self.part {
            Part::Head => {
                let said = behind(raw, '>').ok_or_else(|| at(number, "a note begins with \"> \""))?;
                self.note.push(said.to_owned());
                Ok(())
            }
            Part::Steps => self.step_line(raw, number),
            Part::Gates => self.gate_line(raw, number),
            Part::Pauses => self.pause_line(line, number),
        }
    }

    fn step_line(&mut self, raw: &str, number: usize) -> Result<(), DocumentError> {
        let line = raw.trim();
        if let Some((label, rest)) = label_of(line) {
            let field = rest.split_once(':').is_some_and(|(name, _)| FIELDS.contains(&name.trim()));
            let why =
                if field { BELOW } else { "a step is \"1. [ ] what is done\"; marks are [ ] [x] [~] [-]" };
            let (status, title) = marked(rest).ok_or_else(|| at(number, why))?;
            if title.is_empty() {
                return Err(at(number, "a step has a title behind its mark"));
            }
            if label.is_some_and(|label| !self.labels.insert(label)) {
                return Err(at(
                    number,
                    "this number stands at another step already; a new step begins with \"-\"",
                ));
            }
            let draft = TaskDraft { title: title.to_owned(), ..TaskDraft::default() };
            let (needs, detail) = (Needs::default(), Vec::new());
            let given = BTreeSet::new();
            self.steps.push(Step { line: number, label, status, draft, needs, pause: false, detail, given });
            return Ok(());
        }
        let Some(step) = self.steps.last_mut() else {
            return Err(at(number, "a step is \"1. [ ] what is done\""));
        };
        if let Some(detail) = behind(raw, '|') {
            step.detail.push(detail.to_owned());
            return Ok(());
        }
        let field = line.split_once(':').map(|(name, value)| (name.trim(), value.trim()));
        let named = FIELDS.into_iter().find(|name| field.is_some_and(|(given, _)| given == *name));
        if let Some(name) = named.filter(|name| !step.given.insert(name)) {
            return Err(at(number, &format!("{name} stands below this step already; write it once")));
        }
        match field {
            Some(("kind", value)) => {
                step.draft.kind = serde_json::from_value(value.into())
                    .map_err(|_| at(number, "kind is create, modify, delete, execute or read"))?;
            }
            Some(("files", value)) => step.draft.files = files(value, number)?,
            Some(("needs", value)) => step.needs = needs(value, number)?,
            Some(("pause", "before")) => step.pause = true,
            _ => return Err(at(number, BELOW)),
        }
        Ok(())
    }

    fn gate_line(&mut self, raw: &str, number: usize) -> Result<(), DocumentError> {
        let line = raw.trim();
        if let Some(gate) = line.strip_prefix("- ") {
            let wrong =
                || at(number, "a gate is \"- name: `command`\", or its command stands below behind \"| \"");
            let (name, command) = gate_of(gate.trim()).ok_or_else(wrong)?;
            let (command, needs) = (command.into_iter().collect(), Needs::default());
            self.gates.push(GateText { line: number, name, command, needs });
            return Ok(());
        }
        match (self.gates.last_mut(), behind(raw, '|'), line.split_once(':')) {
            (Some(gate), Some(command), _) => gate.command.push(command.to_owned()),
            (Some(gate), None, Some(("needs", value))) => gate.needs = needs(value.trim(), number)?,
            _ => return Err(at(number, "below a gate stand needs, or its command behind \"| \"")),
        }
        Ok(())
    }

    fn pause_line(&mut self, line: &str, number: usize) -> Result<(), DocumentError> {
        let pause = line.strip_prefix("- ").and_then(Pause::of_words).ok_or_else(|| {
            let all = "\"- before the first change\", \"- when a gate fails\", \"- past 200 lines\", \"- past $1.50\"";
            at(number, &format!("a pause is {all}"))
        })?;
        if !self.pauses.contains(&pause) {
            self.pauses.push(pause);
        }
        Ok(())
    }
}

/// What stands behind a sign and one blank.
fn behind(raw: &str, sign: char) -> Option<&str> {
    let said = raw.trim_start().strip_prefix(sign)?;
    Some(said.strip_prefix(' ').unwrap_or(said))
}

/// The number before a step, where it has one, and what follows.
fn label_of(line: &str) -> Option<(Option<u64>, &str)> {
    if let Some(rest) = line.strip_prefix("- ") {
        return Some((None, rest.trim()));
    }
    let (label, rest) = line.split_once(". ")?;
    Some((Some(label.parse().ok()?), rest.trim()))
}

/// The mark of a step and its title.
fn marked(text: &str) -> Option<(TaskStatus, &str)> {
    let marks = [
        ("[ ]", TaskStatus::Pending),
        ("[x]", TaskStatus::Done),
        ("[X]", TaskStatus::Done),
        ("[~]", TaskStatus::Pending),
        ("[-]", TaskStatus::Skipped),
    ];
    marks.into_iter().find_map(|(mark, status)| Some((status, text.strip_prefix(mark)?.trim())))
}

/// The name of a gate and, where it stands behind it, its command.
fn gate_of(text: &str) -> Option<(String, Option<String>)> {
    let (name, rest) = match spanned(text) {
        Some((name, rest)) => (name, rest.strip_prefix(':')?),
        None => text.split_once(':').map(|(name, rest)| (name.trim().to_owned(), rest))?,
    };
    match rest.trim() {
        "" => Some((name, None)),
        rest => spanned(rest).filter(|(_, more)| more.is_empty()).map(|(command, _)| (name, Some(command))),
    }
}

/// A text in backticks, as Markdown has it: as many as stand nowhere in it.
pub(super) fn span(text: &str) -> String {
    let (mut longest, mut run) = (0, 0);
    for c in text.chars() {
        run = if c == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let fence = "`".repeat(longest + 1);
    let blank = text.starts_with(' ') && text.ends_with(' ') && !text.trim_matches(' ').is_empty();
    let pad = if text.starts_with('`') || text.ends_with('`') || blank { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// A text in backticks at the beginning, and what follows it.
fn spanned(text: &str) -> Option<(String, &str)> {
    let inner = text.trim_start_matches('`');
    let fence = text.strip_suffix(inner).filter(|f| !f.is_empty())?;
    let mut from = 0;
    loop {
        let tail = inner.get(from..)?;
        let open = from + tail.find('`')?;
        let run = inner.get(open..)?;
        let rest = run.trim_start_matches('`');
        let length = run.len() - rest.len();
        if length == fence.len() {
            let content = inner.get(..open)?;
            let padded = content.strip_prefix(' ').and_then(|c| c.strip_suffix(' '));
            let content = padded.filter(|c| !c.trim_matches(' ').is_empty()).unwrap_or(content);
            return Some((content.to_owned(), rest));
        }
        from = open + length;
    }
}

/// Texts one after the other, in backticks where a comma would part them.
pub(super) fn listed<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    let plain = |t: &str| !t.contains([',', '`']) && t.trim() == t;
    texts.map(|t| if plain(t) { t.to_owned() } else { span(t) }).collect::<Vec<_>>().join(", ")
}

fn files(value: &str, line: usize) -> Result<Vec<String>, DocumentError> {
    let mut found = Vec::new();
    let mut rest = value;
    while !rest.is_empty() {
        let (file, behind) = if let Some((file, behind)) = spanned(rest) {
            (file, behind.trim_start())
        } else {
            let end = rest.find(',').unwrap_or(rest.len());
            (rest.get(..end).unwrap_or_default().trim().to_owned(), rest.get(end..).unwrap_or_default())
        };
        let path = RelPath::new(&file).map_err(|e| at(line, &e.to_string()))?;
        found.push(path.as_str().to_owned());
        rest = match behind.strip_prefix(',') {
            Some(more) => more.trim_start(),
            None if behind.is_empty() => behind,
            None => return Err(at(line, "files stand one after the other, with a comma between them")),
        };
    }
    Ok(found)
}

fn needs(value: &str, line: usize) -> Result<Needs, DocumentError> {
    let labels = value.split(',').map(str::trim).filter(|n| !n.is_empty());
    let labels = labels.map(|n| n.parse().map_err(|_| at(line, "needs takes numbers of steps: 1, 2")));
    Ok(Needs { line, labels: labels.collect::<Result<_, _>>()? })
}
