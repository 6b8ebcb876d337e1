//! What the engine sees: who asked for what, and what its earlier calls brought.
//!
//! Owns the reading of a request. Calls are asked for by name and arguments: one that was answered
//! already gives its result, one that was not becomes the next move, so no call is made twice.

use pilothouse_core::talk::{Message, ModelRequest, Purpose, Role};
use serde_json::Value;

use super::sentence::Sentence;

/// Rounds after which the engine stops whatever happens.
const MAX_ROUNDS: usize = 16;

/// A tool and its arguments.
pub(super) type Call = (&'static str, Value);

/// What the engine does next.
#[derive(Debug)]
pub(super) enum Move {
    /// It has nothing more to do than say this.
    Say(String),
    /// It wants calls answered.
    Act { text: String, calls: Vec<Call> },
}

/// A request as the engine reads it.
pub(super) struct Scene<'a> {
    request: &'a ModelRequest,
    sentence: &'a str,
    earlier: Vec<&'a str>,
    order: Option<String>,
    rounds: usize,
    done: Vec<Done<'a>>,
}

struct Done<'a> {
    name: &'a str,
    args: Value,
    result: Option<&'a str>,
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
        let task = messages.iter().rposition(|m| m.role == Role::User && m.text.starts_with("<task"));
        let task = task.filter(|_| request.purpose == Purpose::Task);
        let own = messages.iter().rposition(is_own);
        let start = task.or(own).unwrap_or(0);
        let mut scene = Self {
            request,
            sentence: own.and_then(|i| messages.get(i)).map_or("", |m| m.text.trim()),
            earlier: Vec::new(),
            order: task.and_then(|i| messages.get(i)).map(|m| order_of(&m.text)),
            rounds: 0,
            done: Vec::new(),
        };
        let before = messages.iter().take(own.unwrap_or(0)).rev();
        scene.earlier = before.filter(|m| is_own(m)).map(|m| m.text.trim()).collect();
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
                    result: after().find(answers).map(|m| m.text.as_str()),
                });
            }
        }
    }

    pub const fn purpose(&self) -> Purpose {
        self.request.purpose
    }

    /// What the user said, without `@node`.
    pub fn sentence(&self) -> &'a str {
        self.sentence
    }

    /// What the user said before, last first.
    pub fn earlier(&self) -> &[&'a str] {
        &self.earlier
    }

    /// The instruction of the task at hand.
    pub fn order(&self) -> Option<&str> {
        self.order.as_deref()
    }

    pub fn read(&self) -> Sentence {
        Sentence::of(self.sentence)
    }

    pub fn offers(&self, tool: &str) -> bool {
        self.request.tools.iter().any(|t| t.name == tool)
    }

    /// The result of one call, or the move that asks for it.
    pub fn ask(&self, tool: &'static str, args: Value) -> Result<Heard<'a>, Move> {
        let heard = self.ask_all(vec![(tool, args)], "")?;
        heard.into_iter().next().ok_or_else(|| Move::Say("The call brought nothing.".to_owned()))
    }

    /// The results of several calls, or the move that asks for those that are missing.
    pub fn ask_all(&self, calls: Vec<Call>, text: &str) -> Result<Vec<Heard<'a>>, Move> {
        self.ask_time(calls, text, 0)
    }

    /// As [`Self::ask_all`], for calls that were made before and are made once more.
    pub fn ask_again(&self, calls: Vec<Call>) -> Result<Vec<Heard<'a>>, Move> {
        self.ask_time(calls, "", 1)
    }

    fn ask_time(&self, calls: Vec<Call>, text: &str, time: usize) -> Result<Vec<Heard<'a>>, Move> {
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
            return Err(Move::Say(format!("I would need `{tool}` for that, which this turn does not have.")));
        }
        if self.rounds >= MAX_ROUNDS {
            return Err(Move::Say(format!("I stopped after {MAX_ROUNDS} rounds without coming to an end.")));
        }
        Err(Move::Act { text: text.to_owned(), calls: missing })
    }

    fn result(&self, (tool, args): &Call, time: usize) -> Option<Heard<'a>> {
        let same = self.done.iter().filter(|d| d.name == *tool && d.args == *args);
        let done = same.into_iter().nth(time)?;
        let text = done.result.unwrap_or("interrupted: no result came");
        Some(Heard { text, failed: failure(text) })
    }
}

/// A message that the user wrote, not a context block of the workbench.
fn is_own(message: &Message) -> bool {
    message.role == Role::User && !message.text.trim_start().starts_with('<')
}

/// The first line of a result that tells of a failure. Results are prose for models, so the words
/// decide; a result that begins like a success is one.
fn failure(text: &str) -> Option<&str> {
    const SIGNS: [&str; 29] = [
        "error",
        "failed",
        "failure",
        "refused",
        "rejected",
        "denied",
        "cannot",
        "can't",
        "could not",
        "interrupted",
        "stopped",
        "cancelled",
        "invalid",
        "unknown",
        "there is no",
        "no such",
        "not found",
        "not allowed",
        "this turn may not",
        "the user denied",
        "the user does not",
        "the user did not",
        "the user refused",
        "the user rejected",
        "the path ",
        "the plan could not",
        "the plan has",
        "permission denied",
        "tasks wait for",
    ];
    const WORDS: [&str; 11] = [
        " is not allowed",
        " does not exist",
        " not found",
        " no such ",
        " is not a ",
        " is outside ",
        " needs {",
        " failed",
        " was refused",
        " could not ",
        " cannot ",
    ];
    let line = text.lines().find(|l| !l.trim().is_empty())?.trim();
    let lower = line.to_lowercase();
    // Numbered lines of a file and matches of a search may say anything.
    let content = line.split(':').nth(1).is_some_and(|n| n.parse::<u64>().is_ok())
        || line.split_once("  ").is_some_and(|(n, _)| n.trim().parse::<u64>().is_ok());
    let failed = SIGNS.iter().any(|s| lower.starts_with(s)) || WORDS.iter().any(|w| lower.contains(w));
    (failed && !content).then_some(line)
}

/// The instruction inside a task block: its detail, or its title.
fn order_of(block: &str) -> String {
    let inside = |tag: &str| {
        let (_, rest) = block.split_once(&format!("<{tag}>"))?;
        let (text, _) = rest.split_once(&format!("</{tag}>"))?;
        Some(unescape(text)).filter(|t| !t.trim().is_empty())
    };
    inside("detail").or_else(|| inside("title")).unwrap_or_default()
}

fn unescape(text: &str) -> String {
    let plain = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"");
    plain.replace("&apos;", "'").replace("&#39;", "'").replace("&#10;", "\n").replace("&amp;", "&")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_that_fail_are_told_from_content() {
        for text in [
            "the user denied the command: no",
            "edit is not allowed in this turn: its path is read and it may list, read.",
            "error: src/a.rs does not exist",
            "`Foo` was not found in src/a.rs; not found",
        ] {
            assert!(failure(text).is_some(), "{text}");
        }
        for text in [
            "src/a.rs:3: error handling cannot fail\n1 match in 1 file",
            "     1  error: this file is a log",
            "no matches in src",
            "proposed 3 replacements in src/a.rs",
        ] {
            assert!(failure(text).is_none(), "{text}");
        }
    }

    #[test]
    fn a_task_block_gives_its_detail_without_escapes() {
        let block = "<task number=\"1\" of=\"1\"><title>t</title><detail>a &lt;b&gt; &amp;amp; c</detail><files>x</files></task>";
        assert_eq!(order_of(block), "a <b> &amp; c");
        assert_eq!(order_of("<task><title>only</title><detail></detail></task>"), "only");
    }
}
