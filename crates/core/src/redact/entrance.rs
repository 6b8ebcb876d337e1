//! The entrance: what arrives at the session comes without secrets, so nothing that is decided,
//! logged, shown or sent from it can hold one.
//!
//! Owns which part of an input is text that is masked, and which is bytes that must stay exact: the
//! contents of proposals, and arguments that carry such a content.

use std::sync::Arc;

use super::{Redactor, Secret, is_marked, named};
use crate::{
    about::AboutChange,
    blob::Blob,
    checkpoint::Answer,
    fact::{Checked, FactDraft, FactSource, Mark},
    hook::{Hook, HookOutcome},
    input::{Input, Refusal, TiersAnswered, WriteFault},
    intent::{Control, TierAnswer, Turn},
    question::{FormQuestion, ServerQuestion},
    resolved::{ResolvedCommand, Thing},
    source::{SourceNews, SourceTool},
    talk::{Echo, Fault, ModelCall, ModelReply},
    tool::{Advice, ArgsError, SparedChange, Tool, ToolCall, ToolOutcome, Wrote},
    trust::{Part, Standing},
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
    pub fn guard(&self, input: Input) -> Result<Guarded, Refusal> {
        let mut notice = None;
        let input = match input {
            Input::Say { text, seen } => Input::Say { text: self.said(text, &mut notice)?, seen },
            Input::Queue(text) => Input::Queue(self.said(text, &mut notice)?),
            Input::EditPlan { text, version } => Input::EditPlan { text: self.text(text), version },
            Input::Describe(change) => {
                Input::Describe(AboutChange { title: change.title.map(|t| self.text(t)), ..change })
            }
            Input::PlanRead { call, result } => {
                let result = result.map(|t| self.text(t)).map_err(|t| self.text(t));
                Input::PlanRead { call, result }
            }
            Input::Tell(text) => Input::Tell(self.said(text, &mut notice)?),
            Input::Answer { checkpoint, answer, shown } => {
                Input::Answer { checkpoint, answer: self.answer(answer)?, shown }
            }
            Input::Apply { proposals, word } => Input::Apply { proposals, word: word.map(|w| self.text(w)) },
            Input::Comment { proposal, hunk, text, shown } => {
                Input::Comment { proposal, hunk, text: self.text(text), shown }
            }
            Input::Skip { proposals, reason } => Input::Skip { proposals, reason: self.text(reason) },
            Input::Replied { call, reply } => {
                let reply = reply.map(|r| self.reply(r)).map_err(|f| self.fault(f));
                Input::Replied { call, reply }
            }
            Input::Summarized { call, result } => {
                let result = result.map(|(r, dropped)| (Box::new(self.reply(*r)), dropped));
                Input::Summarized { call, result: result.map_err(|f| self.fault(f)) }
            }
            Input::Titled { call, result } => {
                let result = result.map(|reply| Box::new(self.reply(*reply)));
                Input::Titled { call, result: result.map_err(|f| self.fault(f)) }
            }
            Input::BrokenOff { call, partial, fault } => {
                let partial = Box::new(self.reply(*partial));
                Input::BrokenOff { call, partial, fault: self.fault(fault) }
            }
            Input::ToolEnded { call, outcome } => Input::ToolEnded { call, outcome: self.outcome(outcome) },
            Input::ApplyPrepared { apply, files } => {
                Input::ApplyPrepared { apply, files: files.map_err(|f| self.write_fault(f)) }
            }
            Input::ApplyEnded { apply, result } => {
                Input::ApplyEnded { apply, result: result.map_err(|f| self.write_fault(f)) }
            }
            Input::RevertEnded { apply, result } => {
                Input::RevertEnded { apply, result: result.map_err(|f| self.write_fault(f)) }
            }
            Input::TakeBackMade { lane, result } => {
                Input::TakeBackMade { lane, result: result.map_err(|t| self.text(t)) }
            }
            Input::Panicked { call, apply, message } => {
                Input::Panicked { call, apply, message: self.text(message) }
            }
            Input::CommandResolved { checkpoint, meant } => {
                Input::CommandResolved { checkpoint, meant: self.meant(meant) }
            }
            Input::RulesKept { approval, result } => {
                Input::RulesKept { approval, result: result.map(|t| self.text(t)).map_err(|t| self.text(t)) }
            }
            Input::MemoryKept { approval, result } => {
                Input::MemoryKept { approval, result: result.map(|t| self.text(t)).map_err(|t| self.text(t)) }
            }
            Input::EditMemory { owner, before, text } => {
                if !self.secrets(&text).is_empty() {
                    return Err(Refusal::new(
                        "what you wrote holds a secret, and a secret is never remembered",
                    ));
                }
                Input::EditMemory { owner, before, text }
            }
            Input::Instructed { call, path, text } => Input::Instructed { call, path, text: self.text(text) },
            Input::SourceAsks(form) => {
                // The answer goes back under these names: masked they would be others.
                let words = form.fields.iter().map(|f| format!("{} {}", f.name, f.takes));
                if words.map(|w| self.secrets(&w).len()).sum::<usize>() > 0 {
                    return Err(Refusal::new("a form was declined: its fields hold a secret"));
                }
                let (source, message) = (self.text(form.source), self.text(form.message));
                Input::SourceAsks(FormQuestion { source, message, ..form })
            }
            Input::ServersNamed(servers) => {
                let masked = |s: ServerQuestion| ServerQuestion {
                    line: self.text(s.line),
                    gets: s.gets.into_iter().map(|name| self.text(name)).collect(),
                    ..s
                };
                Input::ServersNamed(servers.into_iter().map(masked).collect())
            }
            Input::HookEnded { call, outcome } => {
                let (summary, output) = (self.text(outcome.summary), self.text(outcome.output));
                Input::HookEnded { call, outcome: HookOutcome { summary, output, ..outcome } }
            }
            Input::TiersAnswered { turn, said } => {
                Input::TiersAnswered { turn, said: Box::new(self.understood(*said)) }
            }
            Input::Recovered { call, line, wrote } => {
                Input::Recovered { call, line: self.text(line), wrote: Box::new(self.wrote(*wrote)) }
            }
            Input::CommitLooked { commit, result } => {
                Input::CommitLooked { commit, result: result.map_err(|t| self.text(t)) }
            }
            Input::Committed { commit, result } => {
                Input::Committed { commit, result: result.map_err(|t| self.text(t)) }
            }
            Input::StageGathered { pipeline, step, mut material } => {
                // All but the earlier answer comes from the log.
                let prior = material.prior.take().and_then(|p| serde_json::to_string(&p).ok());
                material.prior = prior.and_then(|text| crate::pipeline::Answer::kept(&self.text(text)));
                Input::StageGathered { pipeline, step, material }
            }
            Input::BreakoutJudged { turn, said } => Input::BreakoutJudged {
                turn,
                said: said.map(|(text, usage)| (self.text(text), usage)).map_err(|f| self.fault(f)),
            },
            Input::Surveyed(standing) => Input::Surveyed(self.standing(standing)),
            Input::HooksRead(hooks) => {
                let masked = |hook: Hook| Hook { name: self.text(hook.name), ..hook };
                Input::HooksRead(hooks.into_iter().map(masked).collect())
            }
            // Ids, numbers and hashes; paths, which are names; contents, which stay exact.
            input @ (Input::Open(_)
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
            | Input::BroughtChanged { .. }
            | Input::Crowded { .. }
            | Input::Mark { .. }
            | Input::CommandStarted { .. }) => input,
        };
        Ok(Guarded { input, notice })
    }

    fn text(&self, text: String) -> String {
        let masked = self.mask(&text);
        if masked == text { text } else { masked.into_owned() }
    }

    /// A line of the user. A message loses its secrets; a command with one is not taken at all.
    fn said(&self, line: String, notice: &mut Option<String>) -> Result<String, Refusal> {
        let secrets = self.secrets(&line);
        if secrets.is_empty() {
            return Ok(line);
        }
        if line.trim_start().starts_with(['!', '/', ':']) {
            return Err(Refusal::new(COMMAND));
        }
        *notice = Some(told(&line, &secrets));
        Ok(super::mask(&line, &secrets).into_owned())
    }

    fn answer(&self, answer: Answer) -> Result<Answer, Refusal> {
        Ok(match answer {
            Answer::Reject(reason) => Answer::Reject(self.text(reason)),
            Answer::Text(text) => Answer::Text(self.text(text)),
            Answer::Word(word) => Answer::Word(self.text(word)),
            Answer::Line(line) if self.secrets(&line).is_empty() => Answer::Line(line),
            Answer::Line(_) => return Err(Refusal::new(COMMAND)),
            answer @ (Answer::Approve
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
            | Answer::Continue) => answer,
        })
    }

    fn reply(&self, reply: ModelReply) -> ModelReply {
        ModelReply {
            text: self.text(reply.text),
            reasoning: self.text(reply.reasoning),
            echo: reply.echo.map(|e| self.echo(e)),
            calls: reply.calls.into_iter().map(|c| self.call(c)).collect(),
            model: self.text(reply.model),
            usage: reply.usage,
            finish: reply.finish,
            checked: reply.checked.map(|c| self.checked(c)),
        }
    }

    /// What goes back as it came, or not at all: it may be signed.
    fn echo(&self, echo: Echo) -> Echo {
        let mask = |text: &str| self.mask(text).into_owned();
        let is_clean = |mut value: serde_json::Value| !masked_in(&mut value, &mask);
        let whole =
            |json: String| if serde_json::from_str(&json).is_ok_and(is_clean) { json } else { String::new() };
        Echo { origin: echo.origin, field: echo.field, kept: whole(echo.kept), calls: whole(echo.calls) }
    }

    fn checked(&self, checked: Checked) -> Checked {
        let marks = checked.marks.into_iter().map(|m| Mark { why: self.text(m.why), ..m });
        Checked { marks: marks.collect(), ..checked }
    }

    fn fact(&self, fact: FactDraft) -> FactDraft {
        let source = match fact.source {
            FactSource::File { path, line, text, hash } => {
                FactSource::File { path, line, text: self.text(text), hash }
            }
            FactSource::Command { command, text, output } => {
                FactSource::Command { command: self.text(command), text: self.text(text), output }
            }
            source @ (FactSource::Tool { .. }
            | FactSource::User
            | FactSource::Derived
            | FactSource::Model) => source,
        };
        let because = fact.because.into_iter().map(|b| self.text(b)).collect();
        FactDraft { name: self.text(fact.name), value: self.text(fact.value), source, because, ..fact }
    }

    /// A call. What carries a file's content keeps it to the byte, except the values in use: it is done so, and the session
    /// keeps and tells its arguments masked.
    fn call(&self, call: ModelCall) -> ModelCall {
        let carries = Tool::named(&call.name).is_some_and(Tool::carries_content);
        let mask = |text: &str| {
            let found = if carries { self.known_in(text) } else { self.secrets(text) };
            super::mask(text, &super::settle(found)).into_owned()
        };
        let args = match serde_json::from_str::<serde_json::Value>(&call.args) {
            Ok(mut value) => {
                if masked_in(&mut value, &mask) {
                    value.to_string()
                } else {
                    call.args
                }
            }
            Err(_) => mask(&call.args),
        };
        ModelCall { id: self.text(call.id), name: self.text(call.name), args }
    }

    /// Names and places; the hashes say what they are.
    fn meant(&self, meant: ResolvedCommand) -> ResolvedCommand {
        let thing = |t: Thing| Thing { name: self.text(t.name), path: self.text(t.path), ..t };
        ResolvedCommand {
            folder: thing(meant.folder),
            runs: meant.runs.into_iter().map(thing).collect(),
            ..meant
        }
    }

    fn outcome(&self, outcome: ToolOutcome) -> ToolOutcome {
        let output = outcome.output.map(|blob| match self.mask_bytes(blob.bytes()) {
            std::borrow::Cow::Borrowed(_) => blob,
            std::borrow::Cow::Owned(masked) => Blob::new(masked),
        });
        ToolOutcome {
            facts: outcome.facts.into_iter().map(|f| self.fact(f)).collect(),
            text: self.text(outcome.text),
            summary: self.text(outcome.summary),
            output,
            failed: outcome.failed,
            seen: outcome.seen,
            parts: outcome.parts,
            proposals: outcome.proposals,
            withdrawn: outcome.withdrawn,
            exit: outcome.exit,
            notice: outcome.notice.map(|n| self.text(n)),
            held: outcome.held,
            changed: outcome.changed.map(|c| self.text(c)),
            brought: outcome.brought.map(|b| self.text(b)),
            unkept: outcome.unkept.map(|u| self.text(u)),
            unhidden: outcome.unhidden.map(|u| self.text(u)),
            wrote: outcome.wrote.map(|w| Box::new(self.wrote(*w))),
            found: outcome.found.map(|f| Box::new(self.found(*f))),
            redefined: outcome.redefined,
            trees: outcome.trees,
            advice: outcome
                .advice
                .into_iter()
                .map(|a| Advice { model: self.text(a.model), user: self.text(a.user) })
                .collect(),
        }
    }

    fn found(&self, found: SourceNews) -> SourceNews {
        let tool = |t: SourceTool| SourceTool { about: self.text(t.about), ..t };
        SourceNews { tools: found.tools.into_iter().map(tool).collect(), ..found }
    }

    /// The lines are shown; what takes them back is kept to the byte.
    fn wrote(&self, wrote: Wrote) -> Wrote {
        let spared = wrote.spared.map(|part| {
            let SparedChange { said, wrote } = *part;
            Box::new(SparedChange { said, wrote: self.wrote(wrote) })
        });
        Wrote { diff: self.text(wrote.diff), spared, ..wrote }
    }

    fn understood(&self, said: TiersAnswered) -> TiersAnswered {
        let opinion = said.opinion.map(|o| {
            let turn = match o.turn {
                Some(Turn::Control(Control::Other(word))) => {
                    Some(Turn::Control(Control::Other(self.text(word))))
                }
                turn => turn,
            };
            TierAnswer {
                turn,
                target: o.target.map(|t| self.text(t)),
                reasoning: self.text(o.reasoning),
                ..o
            }
        });
        TiersAnswered {
            text: self.text(said.text),
            opinion,
            faults: said.faults.into_iter().map(|f| self.text(f)).collect(),
            ..said
        }
    }

    fn standing(&self, standing: Standing) -> Standing {
        let part =
            |part: Part| Part { would: part.would.into_iter().map(|line| self.text(line)).collect(), ..part };
        Standing {
            parts: standing.parts.into_iter().map(part).collect(),
            sheet: self.text(standing.sheet),
            fault: standing.fault.map(|f| self.text(f)),
            ..standing
        }
    }

    fn fault(&self, fault: Fault) -> Fault {
        Fault { message: self.text(fault.message), hint: self.text(fault.hint), ..fault }
    }

    fn write_fault(&self, fault: WriteFault) -> WriteFault {
        WriteFault { message: self.text(fault.message), ..fault }
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
        "Masked in your message, for the model and the log: {}{more}. Anything else in it goes as you wrote it.",
        names.join(", ")
    )
}

/// Why a command of the user is not taken.
const COMMAND: &str = "this command holds a secret, and commands stand in the log; put the secret into a file or a variable and name that";

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
