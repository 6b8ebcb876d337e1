//! A reply while it comes: pieces in, one reply out.
//!
//! Owns the assembly of text, thinking, calls and usage. Never judges what a call wants.

use std::collections::BTreeSet;

use pilothouse_core::talk::{
    Fault, Finish, ModelCall, ModelDelta, ModelReply, ModelRequest, Usage, about_tokens,
};
use serde_json::Value;

use super::{
    echo::Heard,
    endpoint::{Endpoint, Price},
    fault::{in_band, too_large, too_many_calls, words_of},
    thought::{Parts, Thought, unopened},
    wire::{CallPiece, Chunk, Delta, Tokens},
};
use crate::outlet::Outlet;

/// A reply holds at most this much: text, thinking and calls together.
const MOST_BYTES: usize = 16 * 1024 * 1024;
/// A reply makes at most this many calls.
const MOST_CALLS: usize = 256;

/// A reply under way.
pub(super) struct Draft {
    outlet: Outlet,
    thought: Thought,
    text: String,
    reasoning: String,
    /// Thinking that stood in the text.
    aside: String,
    echo: Heard,
    calls: Vec<OpenCall>,
    tokens: Option<Tokens>,
    finish: Option<Finish>,
    model: String,
    /// What is to be done where the server refuses the key.
    key_hint: String,
    /// What could not be read, if anything.
    pub garbled: Option<String>,
    asked_bytes: u64,
    taken: BTreeSet<String>,
    /// Words and thinking of an attempt that broke off, and what such attempts took.
    broken: (String, String),
    spent: Option<Usage>,
}

#[derive(Default)]
struct OpenCall {
    index: Option<u64>,
    id: String,
    name: String,
    args: String,
    extra: Value,
}

impl Draft {
    pub fn new(request: &ModelRequest, endpoint: &Endpoint, outlet: Outlet) -> Self {
        let ids = request.messages.iter().flat_map(|m| m.calls.iter().map(|c| c.id.clone()));
        Self {
            outlet,
            thought: Thought::default(),
            text: String::new(),
            reasoning: String::new(),
            aside: String::new(),
            echo: Heard::at(endpoint),
            calls: Vec::new(),
            tokens: None,
            finish: None,
            model: endpoint.model.clone(),
            key_hint: endpoint.key_hint(),
            garbled: None,
            asked_bytes: asked_bytes(request),
            taken: ids.collect(),
            broken: (String::new(), String::new()),
            spent: None,
        }
    }

    /// Nothing of it counts: it is asked for once more. What it took is counted with the next.
    pub fn begin_again(&mut self, endpoint: &Endpoint) {
        if !self.is_blank() {
            self.end_text();
            self.spent = Some(self.usage(endpoint.price));
        }
        self.outlet.clear();
        let (text, reasoning) = (std::mem::take(&mut self.text), std::mem::take(&mut self.reasoning));
        if !text.is_empty() {
            self.broken = (text, reasoning);
        }
        (self.thought, self.echo) = (Thought::default(), Heard::at(endpoint));
        self.aside.clear();
        self.calls.clear();
        (self.tokens, self.finish, self.garbled) = (None, None, None);
        self.model.clone_from(&endpoint.model);
    }

    /// Whether the model said that it is done.
    pub const fn finished(&self) -> bool {
        self.finish.is_some()
    }

    /// Whether nothing came yet that a reply is made of: no word, no thinking, no piece of a call.
    fn is_blank(&self) -> bool {
        self.garbled.is_none() && self.calls.is_empty() && self.held_bytes() == 0
    }

    /// Whether it ended by itself, and there is nothing in it but blanks.
    pub fn says_nothing(&self) -> bool {
        let blanks = self.text.len() - self.text.trim().len();
        let cut_off = matches!(self.finish, Some(Finish::Length | Finish::Filtered));
        !cut_off && self.calls.is_empty() && self.held_bytes() == blanks
    }

    /// Takes one event in.
    ///
    /// # Errors
    /// When it carries the server's error, or the reply grows out of all bounds.
    pub fn take(&mut self, chunk: Chunk) -> Result<(), Fault> {
        if let Some(error) = chunk.failure() {
            return Err(in_band(error, &self.key_hint));
        }
        if !chunk.model.is_empty() {
            self.model = chunk.model;
        }
        if let Some(tokens) = chunk.usage {
            // What comes behind the end is told by the reply itself.
            if tokens.output > 0 && tokens.credible() && self.finish.is_none() {
                self.outlet.send(ModelDelta::Written(tokens.written()));
            }
            self.tokens = Some(tokens);
        }
        let Some(choice) = chunk.choices.into_iter().next() else { return Ok(()) };
        self.add(choice.delta)?;
        match choice.finish_reason.as_str() {
            // Some servers send an empty reason with every event.
            "" => {}
            "error" => {
                return Err(in_band(&Value::String("it gave no reason".to_owned()), &self.key_hint));
            }
            "length" | "max_tokens" => self.finish = Some(Finish::Length),
            "tool_calls" | "function_call" | "tool_use" => self.finish = Some(Finish::Calls),
            "content_filter" | "safety" | "SAFETY" => self.finish = Some(Finish::Filtered),
            _ => self.finish = Some(Finish::Stop),
        }
        Ok(())
    }

    /// Notes an event that is no JSON. After an `event: error` line it is the server's error.
    ///
    /// # Errors
    /// When it is the server's error.
    pub fn take_garbled(&mut self, text: &str, is_error: bool) -> Result<(), Fault> {
        if is_error {
            let value = Value::String(text.to_owned());
            return Err(in_band(&value, &self.key_hint));
        }
        let text = text.trim();
        // Keep-alives such as `ping` are not JSON either, and nothing is lost with them.
        if text.starts_with(['{', '[', '"']) {
            tracing::warn!(bytes = text.len(), "an event of the model's stream is no JSON");
            self.garbled.get_or_insert_with(|| {
                words_of(&Value::String(text.chars().take(120).collect())).unwrap_or_default()
            });
        }
        Ok(())
    }

    fn add(&mut self, delta: Delta) -> Result<(), Fault> {
        self.echo.take_details(&delta.reasoning_details);
        let (field, thinking) = delta.thinking();
        if !thinking.is_empty() {
            self.echo.field = field;
            self.reasoning.push_str(thinking);
            self.outlet.send(ModelDelta::Reasoning(thinking.to_owned()));
        }
        let mut text = delta.text();
        text.push_str(&delta.refusal);
        let parts = self.thought.take(&text);
        self.part(parts);
        for piece in delta.tool_calls {
            self.add_call(&piece);
        }
        if self.calls.len() > MOST_CALLS {
            return Err(too_many_calls(MOST_CALLS));
        }
        if self.held_bytes() > MOST_BYTES { Err(too_large("the reply", MOST_BYTES)) } else { Ok(()) }
    }

    /// Thinking that stands in the text is thinking: it is shown as that, and goes back to no server.
    fn part(&mut self, parts: Parts) {
        let Parts { thinking, text } = parts;
        if !thinking.is_empty() {
            self.aside.push_str(&thinking);
            self.outlet.send(ModelDelta::Reasoning(thinking));
        }
        if !text.is_empty() {
            self.text.push_str(&text);
            self.outlet.send(ModelDelta::Text(text));
        }
    }

    /// What was held back of the text, now that nothing more comes. Where a reply ends by itself inside a tag that it
    /// opened, it has no other words: it is an answer about that tag.
    fn end_text(&mut self) {
        let open = self.thought.open().filter(|_| self.finish == Some(Finish::Stop) && self.calls.is_empty());
        let parts = self.thought.end();
        self.part(parts);
        let aside = std::mem::take(&mut self.aside);
        if let Some(open) = open {
            let text = open.to_owned() + &aside;
            return self.part(Parts { text, ..Parts::default() });
        }
        self.reasoning.push_str(&aside);
        if let Some((thinking, answer)) = unopened(&self.text).filter(|_| self.reasoning.is_empty()) {
            (self.reasoning, self.text) = (thinking.to_owned(), answer.to_owned());
        }
    }

    /// Bytes of all that is held of it.
    fn held_bytes(&self) -> usize {
        self.bytes() + self.thought.bytes() + self.echo.bytes
    }

    /// Bytes of what came so far.
    fn bytes(&self) -> usize {
        let calls: usize = self.calls.iter().map(|c| c.name.len() + c.args.len()).sum();
        self.text.len() + self.reasoning.len() + self.aside.len() + calls
    }

    fn add_call(&mut self, piece: &CallPiece) {
        let place = self.place(piece).unwrap_or_else(|| {
            self.calls.push(OpenCall { index: piece.index, ..OpenCall::default() });
            self.calls.len() - 1
        });
        let Some(call) = self.calls.get_mut(place) else { return };
        if call.id.is_empty() {
            call.id.clone_from(&piece.id);
        }
        let name = &piece.function.name;
        // Some repeat the whole name with every piece, some send it in pieces.
        if *name != call.name {
            call.name.push_str(name);
        }
        call.args.push_str(&piece.function.arguments());
        if !piece.extra_content.is_null() {
            call.extra.clone_from(&piece.extra_content);
        }
        let delta = ModelDelta::Call { name: call.name.clone(), bytes: call.args.len() };
        self.outlet.send(delta);
    }

    /// The call that a piece belongs to; `None` when it begins a new one. The index says it, but
    /// some servers send none, and some send 0 for each of several calls.
    fn place(&self, piece: &CallPiece) -> Option<usize> {
        let other = |c: &OpenCall| !piece.id.is_empty() && !c.id.is_empty() && piece.id != c.id;
        if piece.index.is_some() {
            let same = |c: &OpenCall| c.index == piece.index;
            return self.calls.iter().rposition(same).filter(|i| !self.calls.get(*i).is_some_and(other));
        }
        if !piece.id.is_empty() {
            return self.calls.iter().position(|c| c.id == piece.id);
        }
        let last = self.calls.len().checked_sub(1)?;
        let begun = self.calls.last().is_some_and(|c| !c.args.is_empty());
        if begun && !piece.function.name.is_empty() { None } else { Some(last) }
    }

    /// The whole reply.
    pub fn whole(mut self, price: Option<Price>) -> ModelReply {
        self.end_text();
        let usage = self.usage(price);
        let open = std::mem::take(&mut self.calls);
        let (calls, extra): (Vec<ModelCall>, Vec<Value>) = open
            .into_iter()
            .filter(|c| !c.name.is_empty())
            .map(|c| {
                let id = self.own_id(c.id);
                (ModelCall { id, name: c.name, args: c.args }, c.extra)
            })
            .unzip();
        let finish = match self.finish.unwrap_or_default() {
            Finish::Stop if !calls.is_empty() => Finish::Calls,
            Finish::Calls if calls.is_empty() => Finish::Stop,
            other @ (Finish::Stop
            | Finish::Calls
            | Finish::Length
            | Finish::Filtered
            | Finish::Unable
            | Finish::NoModel) => other,
        };
        self.outlet.flush();
        ModelReply {
            text: self.text,
            reasoning: self.reasoning,
            echo: self.echo.whole(&extra),
            calls,
            usage,
            finish,
            model: self.model,
            checked: None,
        }
    }

    /// What came of a reply that did not end; without its calls.
    pub fn partial(mut self, price: Option<Price>) -> ModelReply {
        self.end_text();
        let usage = self.usage(price);
        if self.text.is_empty() && !self.broken.0.is_empty() {
            (self.text, self.reasoning) = std::mem::take(&mut self.broken);
        }
        self.outlet.flush();
        ModelReply {
            text: self.text,
            reasoning: self.reasoning,
            usage,
            model: self.model,
            ..ModelReply::default()
        }
    }

    /// An id that is no other call's in this conversation: some servers send none, some repeat.
    fn own_id(&mut self, id: String) -> String {
        if !id.is_empty() && self.taken.insert(id.clone()) {
            return id;
        }
        let mut number = self.taken.len();
        while self.taken.contains(&format!("call_{number}")) {
            number += 1;
        }
        let own = format!("call_{number}");
        self.taken.insert(own.clone());
        own
    }

    fn usage(&self, price: Option<Price>) -> Usage {
        let written = self.bytes() as u64;
        let counted = self.tokens.as_ref().filter(|t| t.credible());
        let mut usage = match counted {
            Some(t) => Usage { cost_micros: t.cost.and_then(micros), ..t.usage() },
            None => Usage {
                input: about_tokens(self.asked_bytes),
                output: about_tokens(written),
                reasoning: about_tokens(self.reasoning.len() as u64),
                estimated: true,
                ..Usage::default()
            },
        };
        usage.cost_micros = usage.cost_micros.or_else(|| price.map(|p| cost(&usage, p)));
        if let Some(spent) = &self.spent {
            usage.add(spent);
        }
        usage
    }
}

fn asked_bytes(request: &ModelRequest) -> u64 {
    let messages = request
        .messages
        .iter()
        .map(|m| m.text.len() + m.calls.iter().map(|c| c.name.len() + c.args.len()).sum::<usize>());
    let tools =
        request.tools.iter().map(|t| t.name.len() + t.description.len() + t.parameters.to_string().len());
    (request.system.len() + messages.sum::<usize>() + tools.sum::<usize>()) as u64
}

/// Millionths of a dollar, rounded up.
fn cost(usage: &Usage, price: Price) -> u64 {
    let fresh = usage.input - usage.cached.min(usage.input);
    let parts = [(fresh, price.input), (usage.cached, price.cached), (usage.output, price.output)];
    let sum = parts.into_iter().fold(0_u64, |sum, (n, p)| sum.saturating_add(n.saturating_mul(p)));
    sum.div_ceil(1_000_000)
}

/// More than any reply costs: $10,000. A larger number is none.
const MOST_MICROS: f64 = 1e10;

/// Dollars as millionths.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the range is checked")]
fn micros(dollars: f64) -> Option<u64> {
    let micros = (dollars * 1e6).round();
    (0.0..=MOST_MICROS).contains(&micros).then_some(micros as u64)
}

#[cfg(test)]
mod tests;
