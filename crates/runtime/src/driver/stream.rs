//! A reply on its way to the screen while it comes.
//!
//! Owns which of its pieces are shown, without secrets. Never waits for the screen: what comes of a reply is the whole of it.

use pilothouse_core::{
    ids::CallId,
    port::Update,
    redact::{self, Redactor},
    talk::{self, Delta, DeltaKind, ModelDelta},
};
use tokio::sync::mpsc;

use super::drawn::Drawn;

/// The pieces of one reply on their way to the screen, without secrets; where it is full they are
/// dropped, and the offsets show the gap.
pub(super) struct Stream<'a> {
    call: CallId,
    updates: &'a mpsc::Sender<Update>,
    secrets: &'a Redactor,
    text: (u64, redact::Stream),
    thinking: (u64, redact::Stream),
    /// Whether the text is only shown whole, once it is checked.
    silent: bool,
    /// What of such a text is shown as it comes.
    drawn: Option<Drawn>,
    /// Bytes of text that were not shown.
    unseen: u64,
}

impl<'a> Stream<'a> {
    pub(super) fn new(call: CallId, updates: &'a mpsc::Sender<Update>, secrets: &'a Redactor) -> Self {
        Self {
            call,
            updates,
            secrets,
            text: (0, secrets.stream()),
            thinking: (0, secrets.stream()),
            silent: false,
            drawn: None,
            unseen: 0,
        }
    }

    /// Whether its text is shown as it comes; if not, perhaps what of it is written for people.
    pub(super) fn showing(self, whole: bool, drawn: Option<Drawn>) -> Self {
        Self { silent: !whole, drawn, ..self }
    }

    pub(super) fn show(&mut self, piece: ModelDelta) {
        let (kind, offset, text) = match piece {
            ModelDelta::Text(text) if self.silent => {
                self.unseen += text.len() as u64;
                let drawn = self.drawn.as_mut().map(|d| d.take(&text)).unwrap_or_default();
                let text = if drawn.is_empty() { drawn } else { self.text.1.take(&drawn) };
                if text.is_empty() {
                    (DeltaKind::Written, talk::about_tokens(self.unseen), text)
                } else {
                    (DeltaKind::Text, advance(&mut self.text.0, &text), text)
                }
            }
            ModelDelta::Text(text) => {
                let text = self.text.1.take(&text);
                (DeltaKind::Text, advance(&mut self.text.0, &text), text)
            }
            ModelDelta::Reasoning(text) => {
                let text = self.thinking.1.take(&text);
                (DeltaKind::Reasoning, advance(&mut self.thinking.0, &text), text)
            }
            ModelDelta::Call { name, bytes } => {
                (DeltaKind::Call, bytes as u64, self.secrets.mask(&name).into_owned())
            }
            ModelDelta::Written(tokens) => (DeltaKind::Written, tokens, String::new()),
            ModelDelta::Retry { attempt, wait_ms, reason } => {
                let (wait, reason) = (wait_ms.div_ceil(1000), self.secrets.mask(&reason));
                (DeltaKind::Notice, 0, format!("{reason}; try {attempt} in {wait} s"))
            }
            ModelDelta::Trying { attempt, of } => {
                (DeltaKind::Notice, 0, format!("try {attempt} of {of}, thinking"))
            }
        };
        // What is held back comes with the next piece, or with the whole reply.
        if text.is_empty() && kind != DeltaKind::Written {
            return;
        }
        drop(self.updates.try_send(Update::Delta(Delta { call: self.call, offset, kind, text })));
    }
}

fn advance(offset: &mut u64, text: &str) -> u64 {
    let at = *offset;
    *offset += text.len() as u64;
    at
}
