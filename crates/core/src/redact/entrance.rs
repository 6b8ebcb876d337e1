//! The entrance: what arrives at the session comes without secrets, so nothing that is decided,
//! logged, shown or sent from it can hold one.
//!
//! Owns which part of an input is text that is masked, and which is bytes that must stay exact: the
//! contents of proposals, and arguments that carry such a content.

use std::{borrow::Cow, iter, sync::Arc};

use super::{Redactor, Secret, is_marked, named};
use crate::{
    blob::Blob,
    checkpoint::Answer,
    fact::{FactDraft, FactSource},
    input::{Input, Refusal, TiersAnswered},
    intent::{Control, Turn},
    resolved::ResolvedCommand,
    talk::{Echo, Fault, ModelCall, ModelReply},
    tool::{ArgsError, SparedChange, Tool, ToolCall, ToolOutcome, Wrote},
    trust::Standing,
};

/// An input without secrets.
#[derive(Clone, Debug, PartialEq)]
pub struct Guarded {
    /// The input.
    pub input: Input,
    /// What the user should know of it.
    pub notice: Option<String>,
}

impl Redactor {
    /// The input without secrets.
    ///
    /// # Errors
    /// When it is a command of the user: a masked one would be another command.
    #[expect(clippy::too_many_lines, reason = "one input after the other")]
    pub fn guard(&self, mut input: Input) -> Result<Guarded, Refusal> {
        let mut notice = None;
        // Every field is named, so that a new one does not compile before it is known whether it is masked.
        match &mut input {
            Input::Say { text, seen: _ } | Input::Queue(text) | Input::Tell(text) => {
                self.said(text, &mut notice)?;
            }
            Input::EditPlan { text, version: _ }
            | Input::Comment { proposal: _, hunk: _, text, shown: _ }
            | Input::Skip { proposals: _, reason: text }
            | Input::Panicked { call: _, apply: _, message: text }
            | Input::Instructed { call: _, path: _, text }
            | Input::PlanRead { call: _, result: Ok(text) | Err(text) }
            | Input::RulesKept { approval: _, result: Ok(text) | Err(text) }
            | Input::MemoryKept { approval: _, result: Ok(text) | Err(text) }
            | Input::TakeBackMade { lane: _, result: Err(text) }
            | Input::CommitLooked { commit: _, result: Err(text) }
            | Input::Committed { commit: _, result: Err(text) }
            | Input::BreakoutJudged { turn: _, said: Ok((text, _)) } => self.text(text),
            Input::Describe(change) => self.texts(&mut change.title),
            Input::Apply { proposals: _, word, rest: _ } => self.texts(word),
            Input::Answer { checkpoint: _, answer, shown: _ } => self.answer(answer)?,
            Input::Replied { call: _, reply: Ok(reply) } => self.reply(reply),
            Input::Summarized { call: _, result: Ok((reply, _)) }
            | Input::Titled { call: _, result: Ok(reply) } => self.reply(reply),
            Input::Replied { call: _, reply: Err(fault) }
            | Input::Summarized { call: _, result: Err(fault) }
            | Input::Titled { call: _, result: Err(fault) }
            | Input::BreakoutJudged { turn: _, said: Err(fault) } => self.fault(fault),
            Input::BrokenOff { call: _, partial, fault } => {
                self.reply(partial);
                self.fault(fault);
            }
            Input::ToolEnded { call: _, outcome } => self.outcome(outcome),
            Input::ApplyPrepared { apply: _, files: Err(fault) }
            | Input::ApplyEnded { apply: _, result: Err(fault) }
            | Input::RevertEnded { apply: _, result: Err(fault) } => self.text(&mut fault.message),
            Input::CommandResolved { checkpoint: _, meant } => self.meant(meant),
            Input::EditMemory { owner: _, before: _, text } => {
                if !self.secrets(text).is_empty() {
                    return Err(Refusal::new(
                        "what you wrote contains a secret, and secrets are never remembered",
                    ));
                }
            }
            Input::SourceAsks(form) => {
                // The answer goes back under these names: masked they would be others.
                let words = form.fields.iter().map(|f| format!("{} {}", f.name, f.takes));
                if words.map(|w| self.secrets(&w).len()).sum::<usize>() > 0 {
                    return Err(Refusal::new("a form was declined: its fields contain a secret"));
                }
                self.texts([&mut form.source, &mut form.message]);
            }
            Input::ServersNamed(servers) => {
                for server in servers {
                    self.text(&mut server.line);
                    self.texts(&mut server.gets);
                }
            }
            Input::HookEnded { call: _, outcome } => {
                self.texts([&mut outcome.summary, &mut outcome.output]);
            }
            Input::TiersAnswered { turn: _, said } => self.understood(said),
            Input::Recovered { call: _, line, wrote } => {
                self.text(line);
                self.wrote(wrote);
            }
            Input::StageGathered { pipeline: _, step: _, material } => {
                // All but the earlier answer comes from the log.
                let prior = material.prior.take().and_then(|p| serde_json::to_string(&p).ok());
                material.prior = prior.and_then(|mut text| {
                    self.text(&mut text);
                    crate::pipeline::Answer::kept(&text)
                });
            }
            Input::Surveyed(standing) => self.standing(standing),
            Input::HooksRead(hooks) => self.texts(hooks.iter_mut().map(|hook| &mut hook.name)),
            // Ids, numbers and hashes; paths, which are names; contents, which stay exact.
            Input::Open(_)
            | Input::Fork(_)
            | Input::Decide { .. }
            | Input::DecideLines { .. }
            | Input::Split { .. }
            | Input::EditProposal { .. }
            | Input::ReviewSeen(_)
            | Input::UndoFile { .. }
            | Input::Up
            | Input::Cancel
            | Input::StopAnswer
            | Input::SetPermission(_)
            | Input::SetBudget(_)
            | Input::SetPause(..)
            | Input::Rerun(_)
            | Input::Undo
            | Input::UndoTo { .. }
            | Input::Redo
            | Input::Recalled { .. }
            | Input::TreeSeen { .. }
            | Input::FilesSeen { .. }
            | Input::FactsSeen { .. }
            | Input::BroughtChanged { .. }
            | Input::TrustDecided { .. }
            | Input::Crowded { .. }
            | Input::Mark { .. }
            | Input::CommandStarted { .. }
            | Input::ApplyPrepared { .. }
            | Input::ApplyEnded { .. }
            | Input::RevertEnded { .. }
            | Input::TakeBackMade { .. }
            | Input::CommitLooked { .. }
            | Input::Committed { .. } => {}
        }
        Ok(Guarded { input, notice })
    }

    fn text(&self, text: &mut String) {
        let masked = match self.mask(text) {
            Cow::Borrowed(_) => return,
            Cow::Owned(masked) => masked,
        };
        *text = masked;
    }

    fn texts<'t>(&self, texts: impl IntoIterator<Item = &'t mut String>) {
        texts.into_iter().for_each(|text| self.text(text));
    }

    /// A line of the user. A message loses its secrets; a command with one is not taken at all.
    fn said(&self, line: &mut String, notice: &mut Option<String>) -> Result<(), Refusal> {
        let secrets = self.secrets(line);
        if secrets.is_empty() {
            return Ok(());
        }
        if line.trim_start().starts_with(['!', '/', ':']) {
            return Err(Refusal::new(COMMAND));
        }
        *notice = Some(told(line, &secrets));
        *line = super::mask(line, &secrets).into_owned();
        Ok(())
    }

    fn answer(&self, answer: &mut Answer) -> Result<(), Refusal> {
        match answer {
            Answer::Reject(text) | Answer::Text(text) | Answer::Word(text) => self.text(text),
            Answer::Line(line) if !self.secrets(line).is_empty() => return Err(Refusal::new(COMMAND)),
            Answer::Line(_)
            | Answer::Approve
            | Answer::Grant { .. }
            | Answer::Abort
            | Answer::Pick(_)
            | Answer::AutoFix
            | Answer::Skip
            | Answer::Manual
            | Answer::Retry
            | Answer::Again
            | Answer::Replan
            | Answer::Respond
            | Answer::Continue => {}
        }
        Ok(())
    }

    fn reply(&self, reply: &mut ModelReply) {
        let ModelReply { text, reasoning, echo, calls, model, usage: _, finish: _, checked } = reply;
        self.texts([text, reasoning, model]);
        if let Some(echo) = echo {
            self.echo(echo);
        }
        for call in calls {
            self.call(call);
        }
        self.texts(checked.iter_mut().flat_map(|c| &mut c.marks).map(|mark| &mut mark.why));
    }

    /// What goes back as it came, or not at all: it may be signed.
    fn echo(&self, echo: &mut Echo) {
        let Echo { origin: _, field: _, kept, calls } = echo;
        let mask = |text: &str| self.mask(text).into_owned();
        let is_clean = |mut value: serde_json::Value| !masked_in(&mut value, &mask);
        for json in [kept, calls] {
            if !serde_json::from_str(json).is_ok_and(is_clean) {
                json.clear();
            }
        }
    }

    fn fact(&self, fact: &mut FactDraft) {
        match &mut fact.source {
            FactSource::File { path: _, line: _, text, hash: _ } => self.text(text),
            FactSource::Command { command, text, output: _ } => self.texts([command, text]),
            FactSource::Tool { .. } | FactSource::User | FactSource::Derived | FactSource::Model => {}
        }
        self.texts([&mut fact.name, &mut fact.value]);
        self.texts(&mut fact.because);
    }

    /// A call. What carries a file's content keeps it to the byte, except the values in use: it is done so, and the session
    /// keeps and tells its arguments masked.
    fn call(&self, call: &mut ModelCall) {
        let ModelCall { id, name, args } = call;
        let carries = Tool::named(name).is_some_and(Tool::carries_content);
        let mask = |text: &str| {
            let found = if carries { self.known_in(text) } else { self.secrets(text) };
            super::mask(text, &super::settle(found)).into_owned()
        };
        match serde_json::from_str::<serde_json::Value>(args) {
            Ok(mut value) => {
                if masked_in(&mut value, &mask) {
                    *args = value.to_string();
                }
            }
            Err(_) => *args = mask(args),
        }
        self.texts([id, name]);
    }

    /// Names and places; the hashes say what they are.
    fn meant(&self, meant: &mut ResolvedCommand) {
        for thing in iter::once(&mut meant.folder).chain(&mut meant.runs) {
            self.texts([&mut thing.name, &mut thing.path]);
        }
    }

    fn outcome(&self, outcome: &mut ToolOutcome) {
        let ToolOutcome {
            text,
            summary,
            output,
            facts,
            notice,
            changed,
            brought,
            unkept,
            unhidden,
            wrote,
            found,
            advice,
            failed: _,
            seen: _,
            parts: _,
            proposals: _,
            withdrawn: _,
            exit: _,
            held: _,
            redefined: _,
            trees: _,
        } = outcome;
        self.texts([text, summary]);
        self.texts([notice, changed, brought, unkept, unhidden].into_iter().flatten());
        if let Some(blob) = output
            && let Cow::Owned(masked) = self.mask_bytes(blob.bytes())
        {
            *blob = Blob::new(masked);
        }
        for fact in facts {
            self.fact(fact);
        }
        if let Some(wrote) = wrote {
            self.wrote(wrote);
        }
        self.texts(found.iter_mut().flat_map(|f| &mut f.tools).map(|tool| &mut tool.about));
        self.texts(advice.iter_mut().flat_map(|a| [&mut a.model, &mut a.user]));
    }

    /// The lines are shown; what takes them back is kept to the byte.
    fn wrote(&self, wrote: &mut Wrote) {
        self.text(&mut wrote.diff);
        if let Some(part) = &mut wrote.spared {
            let SparedChange { said: _, wrote } = &mut **part;
            self.wrote(wrote);
        }
    }

    fn understood(&self, said: &mut TiersAnswered) {
        if let Some(opinion) = &mut said.opinion {
            if let Some(Turn::Control(Control::Other(word))) = &mut opinion.turn {
                self.text(word);
            }
            self.texts(&mut opinion.target);
            self.text(&mut opinion.reasoning);
        }
        self.text(&mut said.text);
        self.texts(&mut said.faults);
    }

    fn standing(&self, standing: &mut Standing) {
        self.texts(standing.parts.iter_mut().flat_map(|part| &mut part.would));
        self.text(&mut standing.sheet);
        self.texts(&mut standing.fault);
    }

    fn fault(&self, fault: &mut Fault) {
        self.texts([&mut fault.message, &mut fault.hint]);
    }
}

/// So many of what was masked are named.
const MOST_NAMED: usize = 6;

/// What of a message was masked, each by the name that it stands behind, and what that does not promise.
fn told(line: &str, secrets: &[Secret]) -> String {
    let mut names: Vec<String> = Vec::new();
    for secret in secrets {
        let name =
            named::name_of(line, *secret).map_or_else(|| secret.kind.words().to_owned(), str::to_owned);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let more = names.len().saturating_sub(MOST_NAMED);
    names.truncate(MOST_NAMED);
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    format!(
        "Masked in your message, for the model and the log: {}{more}. The rest is sent as you wrote it.",
        names.join(", ")
    )
}

/// Why a command of the user is not taken.
const COMMAND: &str = "this command contains a secret, and commands are logged; put the secret into a file or a variable and use that";

/// Masks every text of a value; returns whether there was anything to mask.
fn masked_in(value: &mut serde_json::Value, mask: &impl Fn(&str) -> String) -> bool {
    let mut any = false;
    match value {
        serde_json::Value::String(text) => {
            let masked = mask(text);
            any = masked != *text;
            *text = masked;
        }
        serde_json::Value::Array(items) => {
            for item in items {
                any |= masked_in(item, mask);
            }
        }
        serde_json::Value::Object(map) => {
            for (_, item) in map {
                any |= masked_in(item, mask);
            }
        }
        serde_json::Value::Null | serde_json::Value::Bool(_) | serde_json::Value::Number(_) => {}
    }
    any
}

/// Arguments as they may be logged, shown and told, where that is not as they are; what was written by the exact ones is
/// kept with its proposal.
pub(crate) fn shown_args(
    tool: Option<Tool>,
    args: &str,
    read: &Result<Arc<ToolCall>, ArgsError>,
) -> Option<String> {
    if !tool.is_some_and(Tool::carries_content) {
        return None;
    }
    let mask = |text: &str| Redactor::default().mask(text).into_owned();
    match read {
        Ok(call) => {
            let mut value = call.to_value();
            masked_in(&mut value, &mask).then(|| value.to_string())
        }
        Err(_) => Some(mask(args)).filter(|m| m != args),
    }
}

/// What is told of a call whose arguments hold a secret or its mark; `None` where they may.
pub(crate) fn refuse_call(tool: Tool, call: &ToolCall) -> Option<&'static str> {
    // What was found is masked as well: held against it, a mark is a word like others.
    let exact = !tool.speaks_to_session() && !tool.carries_content() && !tool.checks_words();
    (exact && any_marked(&call.to_value())).then_some(
        "the arguments hold a secret or the mark that stands for one; a secret is never put into a command, a path or a pattern: name the file or the variable that holds it",
    )
}

fn any_marked(value: &serde_json::Value) -> bool {
    match value {
        serde_json::Value::String(text) => is_marked(text),
        serde_json::Value::Array(items) => items.iter().any(any_marked),
        serde_json::Value::Object(map) => map.values().any(any_marked),
        serde_json::Value::Null | serde_json::Value::Bool(_) | serde_json::Value::Number(_) => false,
    }
}
