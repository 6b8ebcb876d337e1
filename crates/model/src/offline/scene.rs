//! What the engine sees: who asked for what, and what its earlier calls brought.
//!
//! Owns the reading of a request. Calls are asked for by name and arguments: one that was answered
//! already gives its result, one that was not becomes the next move, so no call is made twice.

use pilothouse_core::talk::{Message, ModelRequest, Purpose, Role};
use serde_json::Value;

use super::{command::exit_code, sentence::Sentence};

/// Rounds after which the engine stops whatever happens.
const MAX_ROUNDS: usize = 16;

/// A tool and its arguments.
pub(super) type Call = (&'static str, Value);

/// What the engine does next.
#[derive(Debug)]
pub(super) enum Move {
    /// It has nothing more to do than say why it cannot be done.
    Say(String),
    /// It says that this needs a model.
    Pass(String),
    /// It wants calls answered.
    Act(Vec<Call>),
}

/// A request as the engine reads it.
pub(super) struct Scene<'a> {
    request: &'a ModelRequest,
    sentence: &'a str,
    /// What stands before that sentence.
    before: &'a [Message],
    earlier: Vec<&'a str>,
    order: Option<String>,
    rounds: usize,
    done: Vec<Done<'a>>,
    /// Whether it has had its last word already.
    said: bool,
}

struct Done<'a> {
    name: &'a str,
    args: Value,
    result: Option<&'a Message>,
}

/// The result of a call.
#[derive(Clone, Copy, Debug)]
pub(super) struct Heard<'a> {
    /// What it says.
    pub text: &'a str,
    /// Its first line, if the call failed or was refused.
    pub failed: Option<&'a str>,
}

impl<'a> Scene<'a> {
    pub fn of(request: &'a ModelRequest) -> Self {
        let messages = &request.messages;
        let task = messages.iter().rposition(is_task);
        let task = task.filter(|_| request.purpose == Purpose::Task);
        let own = messages.iter().rposition(is_own);
        let start = task.or(own).unwrap_or(0);
        let mut scene = Self {
            request,
            // "? what is Store", "¿qué es Store?": the mark that opens a question says nothing of it.
            sentence: own
                .and_then(|i| messages.get(i))
                .map_or("", |m| said(&m.text).trim_start_matches(['?', '¿', ' '])),
            before: messages.get(..own.unwrap_or(0)).unwrap_or_default(),
            earlier: Vec::new(),
            order: task.and_then(|i| messages.get(i)).map(|m| order_of(&m.text)),
            rounds: 0,
            done: Vec::new(),
            said: messages.iter().skip(start).any(|m| m.role == Role::Assistant && m.calls.is_empty()),
        };
        let before = messages.iter().take(own.unwrap_or(0)).rev();
        scene.earlier = before.filter(|m| is_own(m)).map(|m| said(&m.text)).collect();
        scene.read_calls(messages, start);
        scene
    }

    fn read_calls(&mut self, messages: &'a [Message], start: usize) {
        let after = || messages.iter().skip(start);
        for message in after().filter(|m| m.role == Role::Assistant && !m.calls.is_empty()) {
            self.rounds += 1;
            for call in &message.calls {
                let answers = |m: &&Message| m.role == Role::Tool && m.answers.as_deref() == Some(&call.id);
                self.done.push(Done {
                    name: &call.name,
                    args: serde_json::from_str(&call.args).unwrap_or_default(),
                    result: after().find(answers),
                });
            }
        }
    }

    pub const fn purpose(&self) -> Purpose {
        self.request.purpose
    }

    /// Whether it has said what there is to say: a plan that is asked for once more does not come of it.
    pub const fn has_said(&self) -> bool {
        self.said
    }

    /// What the user said, without `@node`.
    pub fn sentence(&self) -> &'a str {
        self.sentence
    }

    /// What the user said before, last first.
    pub fn earlier(&self) -> &[&'a str] {
        &self.earlier
    }

    /// What was said, called and heard before that.
    pub const fn before(&self) -> &'a [Message] {
        self.before
    }

    /// What was answered before, last first.
    pub fn spoken(&self) -> impl Iterator<Item = &'a str> {
        let spoke = self.before.iter().rev().filter(|m| m.role == Role::Assistant && !m.text.is_empty());
        spoke.map(|m| m.text.as_str())
    }

    /// Whether the folder is known to lie in no git repository.
    pub fn without_git(&self) -> bool {
        let last = self.request.messages.iter().rev().find(|m| m.text.starts_with("<state>"));
        let line = last.and_then(|m| m.text.lines().find(|l| l.starts_with("workspace: ")));
        line.is_some_and(|l| l.ends_with(", no git repository"))
    }

    /// The instruction of the task at hand.
    pub fn order(&self) -> Option<&str> {
        self.order.as_deref()
    }

    /// The commands of the project whose programs are here, each behind what it is for.
    pub fn commands(&self) -> impl Iterator<Item = (&str, &str)> {
        let block = self.request.messages.iter().find(|m| m.text.starts_with("<project>"));
        let told = block.map_or("", |m| m.text.split("</project>").next().unwrap_or_default());
        told.lines().filter_map(|l| l.strip_prefix("- ")?.strip_suffix(" (found)")?.split_once(": "))
    }

    /// A first `AGENTS.md`, from what is told of the project.
    pub fn first_instructions(&self) -> String {
        let found = self.commands();
        let mut out = String::from("# How to work here\n\n## Commands\n\n");
        let commands: String =
            found.fold(String::new(), |all, (what, line)| all + &format!("- {what}: `{line}`\n"));
        out.push_str(if commands.is_empty() { "- Say here how to build and test.\n" } else { &commands });
        out.push_str(
            "\n## Conventions\n\n- Say here what the code does not show: style, names, what never to do.\n",
        );
        out
    }

    pub fn read(&self) -> Sentence {
        Sentence::of(self.sentence)
    }

    pub fn offers(&self, tool: &str) -> bool {
        self.request.tools.iter().any(|t| t.name == tool)
    }

    /// The result of one call, or the move that asks for it.
    pub fn ask(&self, tool: &'static str, args: Value) -> Result<Heard<'a>, Move> {
        let heard = self.ask_all(vec![(tool, args)])?;
        heard.into_iter().next().ok_or_else(|| Move::Say("The call brought nothing.".to_owned()))
    }

    /// The results of several calls, or the move that asks for those that are missing.
    pub fn ask_all(&self, calls: Vec<Call>) -> Result<Vec<Heard<'a>>, Move> {
        self.ask_time(calls, 0)
    }

    /// As [`Self::ask_all`], for calls that were made before and are made once more.
    pub fn ask_again(&self, calls: Vec<Call>) -> Result<Vec<Heard<'a>>, Move> {
        self.ask_time(calls, 1)
    }

    fn ask_time(&self, calls: Vec<Call>, time: usize) -> Result<Vec<Heard<'a>>, Move> {
        let results: Vec<Option<Heard<'a>>> = calls.iter().map(|c| self.result(c, time)).collect();
        let missing: Vec<Call> = calls
            .into_iter()
            .zip(&results)
            .filter(|(_, result)| result.is_none())
            .map(|(call, _)| call)
            .collect();
        if missing.is_empty() {
            return Ok(results.into_iter().flatten().collect());
        }
        if let Some((tool, _)) = missing.iter().find(|(tool, _)| !self.offers(tool)) {
            return Err(Move::Say(format!("That needs `{tool}`, which is not available in this turn.")));
        }
        if self.rounds >= MAX_ROUNDS {
            return Err(Move::Say(format!("I stopped after {MAX_ROUNDS} rounds without finishing.")));
        }
        Err(Move::Act(missing))
    }

    fn result(&self, (tool, args): &Call, time: usize) -> Option<Heard<'a>> {
        let same = self.done.iter().filter(|d| d.name == *tool && d.args == *args);
        let done = same.into_iter().nth(time)?;
        let Some(result) = done.result else {
            let text = "interrupted: no result came";
            return Some(Heard { text, failed: Some(text) });
        };
        let text = result.text.as_str();
        // A command that ended has run, however it ended.
        let failed = result.failed && !(*tool == "run" && exit_code(text).is_some());
        let first = || text.lines().map(str::trim).find(|l| !l.is_empty()).unwrap_or("(no result)");
        Some(Heard { text, failed: failed.then(first) })
    }
}

/// A message that the user wrote, not a context block of the workbench.
fn is_own(message: &Message) -> bool {
    message.role == Role::User && !message.text.trim_start().starts_with('<')
}

/// What the user wrote, without the prompt of whatever directs it.
fn said(text: &str) -> &str {
    let directs = |kind: &str| text.split_once(&format!("\n\n<{kind} name=\"")).map(|(own, _)| own);
    ["agent", "skill", "command"].into_iter().find_map(directs).unwrap_or(text).trim()
}

/// A context block that gives the task of this lane.
fn is_task(message: &Message) -> bool {
    let text = message.text.trim_start();
    message.role == Role::User
        && text.starts_with('<')
        && text.lines().any(|l| l.starts_with("<task>") || l.starts_with("<task "))
}

/// The instruction inside a task block: its detail, or its title.
fn order_of(block: &str) -> String {
    let inside = |tag: &str| {
        let (_, rest) = block.split_once(&format!("<{tag}>"))?;
        let (text, _) = rest.split_once(&format!("</{tag}>"))?;
        Some(text.trim().to_owned()).filter(|t| !t.is_empty())
    };
    inside("detail").or_else(|| inside("title")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_block_gives_its_detail_as_it_stands() {
        let block = "<task number=\"1\" of=\"1\"><title>t</title><detail>\na <b> &amp; c\n</detail><files>x</files></task>";
        assert_eq!(order_of(block), "a <b> &amp; c");
        assert_eq!(order_of("<task><title>only</title><detail></detail></task>"), "only");
    }
}
