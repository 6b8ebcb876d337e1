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

/// What comes at the end of a wait whose time the server named, and of any other.
const TAKES_AGAIN: &str = "the server accepts requests again";
const ASKED_AGAIN: &str = "trying the server again";

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

    /// What came counts no more: the reply begins anew.
    fn begin_again(&mut self) {
        (self.text, self.thinking) = ((0, self.secrets.stream()), (0, self.secrets.stream()));
        self.drawn = self.drawn.take().map(|_| Drawn::default());
        self.unseen = 0;
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
            ModelDelta::Retry { attempt, wait_ms, named, reason } => {
                self.begin_again();
                let what = if named { TAKES_AGAIN } else { ASKED_AGAIN };
                let reason = self.secrets.mask(&reason).replace('\n', " ");
                (DeltaKind::Wait, wait_ms, format!("{what}\n{reason}\ntry {attempt}"))
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

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_that_is_asked_for_again_is_shown_from_its_beginning() {
        let (updates, mut shown) = mpsc::channel(16);
        let secrets = Redactor::default();
        let mut stream = Stream::new(CallId(1), &updates, &secrets);
        stream.show(ModelDelta::Text("half a \n".into()));
        for (named, wait_ms) in [(false, 5), (true, 31_200)] {
            stream.show(ModelDelta::Retry { attempt: 2, wait_ms, named, reason: "it broke".into() });
        }
        stream.show(ModelDelta::Text("whole \n".into()));
        let (mut texts, mut waits) = (Vec::new(), Vec::new());
        while let Ok(Update::Delta(delta)) = shown.try_recv() {
            waits.extend((delta.kind == DeltaKind::Wait).then(|| delta.clone()));
            texts.extend((delta.kind == DeltaKind::Text).then_some((delta.offset, delta.text)));
        }
        let told = ["it broke; try 2 in 1 s", "it broke; try 2 in 32 s"];
        assert_eq!(waits.iter().map(Delta::wait).collect::<Vec<_>>(), told);
        let told = ["trying the server again", "the server accepts requests again"];
        assert_eq!(waits.iter().filter_map(|d| d.text.lines().next()).collect::<Vec<_>>(), told);
        let first = texts.first().unwrap();
        assert!(first.0 == 0 && first.1.starts_with("half"), "{texts:?}");
        assert!(texts.iter().any(|(at, text)| *at == 0 && text.starts_with("whole")), "{texts:?}");
    }
}
