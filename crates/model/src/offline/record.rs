//! The record: what the session itself knows, told without a model.
//!
//! Owns the reading of the last command that ran, of whose answers need nothing else. It tells what was printed, never
//! what in the code makes it so.

use pilothouse_core::talk::{Message, Role};

use super::{
    command::{self, exit_code},
    pattern::{Pattern, group},
    phrase::{FAILED_HOW, FAILED_WHICH, FAILED_WHY, UNDO as TAKE_BACK, first},
    request::Request,
    scene::{Move, Scene},
    sentence::Sentence,
};

/// What of the last run is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// Why it failed.
    Why,
    /// What failed.
    Which,
    /// How it ended.
    How,
}

/// A command that ran.
pub(super) struct Run<'a> {
    pub command: String,
    /// Its result: how it ended, and what it printed.
    pub output: &'a str,
    code: i64,
    /// Whether files were changed since.
    overtaken: bool,
}

/// What is asked or told of what ran and what was written.
pub(super) fn asked(s: &Sentence) -> Option<Request> {
    let asked =
        [(&FAILED_WHY[..], Failure::Why), (&FAILED_WHICH, Failure::Which), (&FAILED_HOW, Failure::How)];
    let asked = asked.into_iter().find(|(set, _)| first(set, &s.text).is_some());
    asked
        .map(|(_, asked)| Request::Failure(asked))
        .or_else(|| first(&TAKE_BACK, &s.text).map(|_| Request::Undo))
}

static GATE: Pattern = Pattern::new(
    r"^<record>\s*gate (?:`(?<name>[^`]+)`|[^`]*?) (?:failed|passed): (?:`(?<line>[^`]+)`, )?exit (?<code>\d+)",
);
static CHANGED: Pattern =
    Pattern::new(r"(?m)^(?:applied: |undone by the user|put back by the user|`[^`]+` changed: )");

/// The command that ran last, before a message.
pub(super) fn last_run<'a>(before: &'a [Message]) -> Option<Run<'a>> {
    let mut run: Option<Run<'a>> = None;
    for (at, message) in before.iter().enumerate() {
        let text = message.text.as_str();
        let earlier = before.get(..at).unwrap_or_default();
        let found = match message.role {
            Role::Tool => ran(earlier, message),
            Role::User => typed(earlier, text).or_else(|| gate(text)),
            Role::Assistant => None,
        };
        if found.is_some() {
            run = found;
        } else if let Some(run) = run.as_mut().filter(|_| CHANGED.is_match(text)) {
            run.overtaken = true;
        }
    }
    run
}

/// A command of an agent.
fn ran<'a>(earlier: &[Message], result: &'a Message) -> Option<Run<'a>> {
    let mut calls = earlier.iter().rev().flat_map(|m| &m.calls);
    let call =
        calls.find(|c| result.answers.as_deref() == Some(c.id.as_str())).filter(|c| c.name == "run")?;
    let args: serde_json::Value = serde_json::from_str(&call.args).ok()?;
    let command = args.get("command")?.as_str()?.to_owned();
    let (code, output) = (exit_code(&result.text)?, result.text.as_str());
    Some(Run { command, output, code, overtaken: CHANGED.is_match(output) })
}

/// A line that the user typed.
fn typed<'a>(earlier: &[Message], text: &'a str) -> Option<Run<'a>> {
    let output = text.strip_prefix("<command_output>")?.split("</command_output>").next()?.trim();
    let line = earlier.iter().rev().find(|m| m.role == Role::User && m.text.starts_with('!'))?;
    let command = line.text.trim_start_matches('!').trim().to_owned();
    Some(Run { command, output, code: exit_code(output)?, overtaken: false })
}

/// A gate.
fn gate(text: &str) -> Option<Run<'_>> {
    let found = GATE.captures(text)?;
    let line = found.name("line").or_else(|| found.name("name"))?.as_str().to_owned();
    let output = text.split_once('\n').map_or("", |(_, told)| told).trim_end_matches("</record>").trim();
    Some(Run { command: line, output, code: group(&found, "code").parse().ok()?, overtaken: false })
}

/// How the last command ended, and what of it failed.
pub(super) fn failure(scene: &Scene<'_>, asked: Failure) -> Result<String, Move> {
    let Some(run) = last_run(scene.before()) else {
        return Err(Move::Say(
            "No command has run in this session yet, so there is nothing to tell. Say `run the tests` and I'll run them; you are asked first."
                .to_owned(),
        ));
    };
    let lead = match asked {
        Failure::Why if run.code == 0 => "It did not: ",
        Failure::Which if run.code == 0 => "None: ",
        Failure::Why | Failure::Which | Failure::How => "",
    };
    let mut text = format!("{lead}{}", command::report(&run.command, run.output, None));
    if run.code != 0 && asked == Failure::Why {
        text.push_str(
            "\n\nThat is what it printed; finding the cause in the code needs a model (`/connect`).",
        );
    }
    if run.overtaken {
        text.push_str("\n\nFiles have changed since; `run it again` shows where it stands now.");
    }
    Ok(text)
}

/// Why something was asked.
pub(super) fn why_asked(scene: &Scene<'_>) -> String {
    let of =
        last_run(scene.before()).map_or_else(|| "COMMAND".to_owned(), |run| run.command.replace('"', "\\\""));
    format!(
        "You are asked before a change is written and before a command runs, unless the command only reads or one of your rules allows it; removing files and high risk ask in every mode. `w` at a question says why it asks; `pilothouse permissions explain \"{of}\"` says which rule decides about that command."
    )
}

/// How something is taken back.
pub(super) const UNDO: &str = "`/undo` takes back the last change this session wrote, `/undo FILE` what it wrote to one file, hunk by hunk, and `/unundo` puts it back; `/changes` lists what was written. To take back a commit, say `run git revert HEAD`; you are asked first.";

/// What is said to an order to take something back: what stands of a session's writes is taken back without this engine.
pub(super) fn undo(scene: &Scene<'_>) -> Result<String, Move> {
    let wrote = scene.before().iter().any(|m| m.role == Role::User && CHANGED.is_match(&m.text));
    let head = if wrote {
        "I take back nothing myself."
    } else {
        "This session has written nothing, so there is nothing to take back."
    };
    Err(Move::Say(format!("{head} {UNDO}")))
}
