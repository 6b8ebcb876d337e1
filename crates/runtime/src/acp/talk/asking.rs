//! Questions of a session as its client is asked them, and the message that waits for those before it.
//!
//! Owns that an answer counts only for the question that it names, and that none is put for ever.

use pilothouse_core::input::Input;
use serde_json::{Value, json};

use super::Talk;
use crate::acp::{
    ask::{LATER, Offer, Subject, before},
    out::Out,
};

/// How often one question is put in a turn whose answers are refused.
const MOST_TRIES: u32 = 3;
/// A question that the client is asked.
#[derive(Debug)]
pub(super) struct Asked {
    pub id: u64,
    pub subject: Subject,
    pub offers: Vec<Offer>,
}

/// What a message says to the session, and the question that it answers where it is its word.
pub(super) type Message = (Option<Subject>, Input);

impl Talk {
    /// A message is heard once all is answered that comes before it.
    pub(super) async fn hear(&mut self, message: Message, out: &mut Out) {
        while let Some(subject) = before(self.session.state(), &self.left) {
            if self.ask(subject, out) {
                if let Some(turn) = &mut self.turn {
                    turn.held = Some(message);
                }
                return;
            }
            self.left.insert(subject);
        }
        let (answering, input) = message;
        self.answering = answering;
        self.say(input).await;
    }

    /// Puts a question to the client; not for ever.
    pub(super) fn ask(&mut self, subject: Subject, out: &mut Out) -> bool {
        let tries = self.turn.as_mut().map(|turn| turn.tries.entry(subject).or_default());
        if tries.is_none_or(|tries| {
            *tries += 1;
            *tries > MOST_TRIES
        }) {
            return false;
        }
        let Some(sheet) = subject.sheet(self.session.state(), &self.place) else { return false };
        self.unseen.remove(&subject.question);
        if let Some(alone) = sheet.alone {
            self.teller.asked(alone, &sheet.call);
        }
        self.flush(out);
        let options: Vec<Value> = sheet.offers.iter().map(Offer::shown).collect();
        let params = json!({"sessionId": self.slug, "toolCall": sheet.call, "options": options});
        let id = out.ask("session/request_permission", &params);
        if let Some(turn) = &mut self.turn {
            turn.shown = true;
        }
        self.asked = Some(Asked { id, subject, offers: sheet.offers });
        true
    }

    /// What the client said to the question that it is asked.
    pub async fn answered(&mut self, result: Option<&Value>, out: &mut Out) {
        let Some(asked) = self.asked.take() else { return };
        let outcome = result.and_then(|r| r.pointer("/outcome/outcome")).and_then(Value::as_str);
        let chosen = result.and_then(|r| r.pointer("/outcome/optionId")).and_then(Value::as_str);
        let offer = asked.offers.into_iter().find(|offer| Some(offer.id.as_str()) == chosen);
        match (outcome, offer) {
            (Some("cancelled"), _) => return self.cancel(out).await,
            (Some("selected"), Some(Offer { says: Some(input), .. })) => {
                self.answering = Some(asked.subject);
                return self.say(input).await;
            }
            (Some("selected"), Some(offer)) if offer.id == LATER => {
                if let Some(word) = asked.subject.word(self.session.state()) {
                    self.wanted = Some(asked.subject);
                    self.teller.note(&format!("It is waiting. Send just `{word}` as a message to allow it."));
                }
            }
            _ => self.teller.note(&format!(
                "The client gave none of the offered answers; the question stays open: pilothouse resume {}",
                self.slug
            )),
        }
        self.left.insert(asked.subject);
        self.settle(out).await;
        self.flush(out);
    }
}
