//! Replies from a file, for demos, tests and recorded examples.
//!
//! Owns the script and how far it has been played. Plays by the same rules as every model: it
//! only says text and wishes for calls.

use std::{
    path::Path,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use futures::future::BoxFuture;
use pilothouse_core::talk::{
    Fault, FaultKind, Finish, Message, ModelCall, ModelDelta, ModelReply, ModelRequest, Purpose, Role, Usage,
    about_tokens,
};
use serde::Deserialize;
use tokio::sync::mpsc::Sender;
use tokio_util::sync::CancellationToken;

use crate::{
    ModelError,
    client::{ModelClient, Unfinished, cancelled},
    outlet::Outlet,
};

/// One reply of a script. Everything may be left out.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Line {
    /// Given only if the last thing that the user said, or the task at hand, contains this (in
    /// any case). Lines with it go before lines without.
    pub when: Option<String>,
    /// Given only to a request of this purpose; without it to any but a classification.
    #[serde(rename = "for")]
    pub purpose: Option<Purpose>,
    /// The text.
    pub text: String,
    /// The thinking, said before the text.
    pub reasoning: String,
    /// The calls.
    pub calls: Vec<LineCall>,
    /// What it costs; estimated when left out.
    pub usage: Option<Usage>,
    /// In how many pieces the text comes; one when 0.
    pub pieces: usize,
    /// The wait before each piece, in milliseconds.
    pub pause_ms: u64,
    /// Says the text and then nothing more until the user stops it.
    pub wait_for_cancel: bool,
    /// Says the text and then fails like this.
    pub fault: Option<LineFault>,
}

/// A call of a script.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LineCall {
    /// The tool.
    pub name: String,
    /// The arguments: an object, or a string that is passed on as it is, malformed or not.
    #[serde(default)]
    pub args: serde_json::Value,
}

/// A failure of a script.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LineFault {
    /// Its kind.
    pub kind: FaultKind,
    /// What it says.
    #[serde(default)]
    pub message: String,
    /// Its hint.
    #[serde(default)]
    pub hint: String,
    /// The HTTP status.
    #[serde(default)]
    pub status: Option<u16>,
}

/// A model that replies from a script, each line once.
pub struct Scripted {
    name: String,
    lines: Mutex<Vec<Option<Line>>>,
}

impl Scripted {
    /// Reads a script: a JSON list of [`Line`]s.
    ///
    /// # Errors
    /// When the file cannot be read or is no script.
    pub fn open(path: &Path) -> Result<Self, ModelError> {
        let shown = path.display().to_string();
        let text = std::fs::read_to_string(path)
            .map_err(|source| ModelError::ScriptUnread { path: shown.clone(), source })?;
        Self::parse(&text).map_err(|source| ModelError::ScriptMalformed { path: shown, source })
    }

    /// Reads a script from its text.
    ///
    /// # Errors
    /// When it is no script; the error names line and column.
    pub fn parse(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text).map(Self::new)
    }

    /// A model that says these lines.
    pub fn new(lines: Vec<Line>) -> Self {
        Self { name: "scripted".to_owned(), lines: Mutex::new(lines.into_iter().map(Some).collect()) }
    }

    /// How many lines have not been said.
    pub fn left(&self) -> usize {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner).iter().flatten().count()
    }

    /// Whether it has a line that is for this purpose alone.
    pub fn has(&self, purpose: Purpose) -> bool {
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines.iter().flatten().any(|l| l.purpose == Some(purpose))
    }

    /// Takes the first line whose condition holds, else the first without a condition.
    fn next(&self, heard: &str, purpose: Purpose) -> Option<(usize, Line)> {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let asks = |when: &String| heard.contains(&when.to_lowercase());
        let place = |fits: &dyn Fn(Option<&String>) -> bool| {
            let meant = |l: &Line| {
                let beside = matches!(purpose, Purpose::Classify | Purpose::Title);
                l.purpose.map_or(!beside, |p| p == purpose)
            };
            lines.iter().position(|l| l.as_ref().is_some_and(|l| meant(l) && fits(l.when.as_ref())))
        };
        let place = place(&|when| when.is_some_and(asks)).or_else(|| place(&|when| when.is_none()))?;
        lines.get_mut(place)?.take().map(|line| (place, line))
    }
}

impl ModelClient for Scripted {
    fn reply(
        &self,
        request: ModelRequest,
        deltas: Sender<ModelDelta>,
        cancel: CancellationToken,
    ) -> BoxFuture<'_, Result<ModelReply, Unfinished>> {
        Box::pin(async move {
            // A stage is told one message, which is all that it hears.
            let stage = request.messages.last().filter(|_| request.purpose == Purpose::Stage);
            let heard = stage.map_or_else(|| heard(&request.messages), |m| m.text.to_lowercase());
            let (number, line) = self.next(&heard, request.purpose).ok_or_else(|| self.spent(&heard))?;
            let mut reply = ModelReply { model: self.name.clone(), ..ModelReply::default() };
            let mut outlet = Outlet::new(deltas);
            let said = tokio::select! {
                biased;
                () = cancel.cancelled() => Err(cancelled()),
                said = say(&line, &mut reply, &mut outlet) => said,
            };
            outlet.flush();
            reply.usage = line.usage.unwrap_or_else(|| estimate(&request, &reply));
            if let Err(fault) = said {
                return Err(Unfinished { fault, partial: Box::new(reply) });
            }
            reply.calls = line.calls.iter().enumerate().map(|(i, c)| call(number, i, c)).collect();
            reply.finish = if reply.calls.is_empty() { Finish::Stop } else { Finish::Calls };
            Ok(reply)
        })
    }
}

impl Scripted {
    fn spent(&self, heard: &str) -> Fault {
        let left = self.left();
        let message = if left == 0 {
            "the script has no more replies".to_owned()
        } else {
            let heard: String = heard.chars().take(60).collect();
            format!("none of the script's {left} remaining replies fits {heard:?}")
        };
        Fault {
            kind: FaultKind::Refused,
            message,
            hint: "add a reply to the script, or connect a model with `/connect`".to_owned(),
            status: None,
        }
    }
}

async fn say(line: &Line, reply: &mut ModelReply, outlet: &mut Outlet) -> Result<(), Fault> {
    if !line.reasoning.is_empty() {
        reply.reasoning.clone_from(&line.reasoning);
        outlet.send(ModelDelta::Reasoning(line.reasoning.clone()));
    }
    for piece in pieces(&line.text, line.pieces) {
        if line.pause_ms > 0 {
            tokio::time::sleep(Duration::from_millis(line.pause_ms)).await;
        }
        reply.text.push_str(&piece);
        outlet.send(ModelDelta::Text(piece));
    }
    if line.wait_for_cancel {
        std::future::pending::<()>().await;
    }
    match &line.fault {
        None => Ok(()),
        Some(fault) => Err(Fault {
            kind: fault.kind,
            message: fault.message.clone(),
            hint: fault.hint.clone(),
            status: fault.status,
        }),
    }
}

/// The text in `count` pieces of about the same number of characters.
fn pieces(text: &str, count: usize) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let size = chars.len().div_ceil(count.max(1)).max(1);
    chars.chunks(size).map(|piece| piece.iter().collect()).collect()
}

fn call(line: usize, index: usize, call: &LineCall) -> ModelCall {
    let args = match call.args.as_str() {
        Some(text) => text.to_owned(),
        None if call.args.is_null() => "{}".to_owned(),
        None => call.args.to_string(),
    };
    ModelCall { id: format!("scripted_{line}_{index}"), name: call.name.clone(), args }
}

/// What the user said last and the task that began after it, in lower case.
fn heard(messages: &[Message]) -> String {
    let own = |m: &Message| m.role == Role::User && !m.text.starts_with('<');
    let from = messages.iter().rposition(own).unwrap_or(0);
    let last = messages.get(from).filter(|m| own(m)).into_iter();
    let is_task = |m: &&Message| m.role == Role::User && m.text.starts_with("<task");
    let task = messages.iter().skip(from).rfind(is_task);
    let said: Vec<String> = last.chain(task).map(|m| m.text.to_lowercase()).collect();
    said.join("\n")
}

fn estimate(request: &ModelRequest, reply: &ModelReply) -> Usage {
    let asked: usize = request.system.len() + request.messages.iter().map(|m| m.text.len()).sum::<usize>();
    let output = (reply.text.len() + reply.reasoning.len()) as u64;
    Usage {
        input: about_tokens(asked as u64),
        output: about_tokens(output),
        reasoning: about_tokens(reply.reasoning.len() as u64),
        estimated: true,
        ..Usage::default()
    }
}

#[cfg(test)]
mod tests;
