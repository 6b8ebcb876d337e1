//! A session as it is opened for a client, and its ceiling.
//!
//! Owns what a client hears of a session before its first turn.

use pilothouse_core::{ids::Seq, input::Input, scope::PermissionMode};
use serde_json::{Value, json};
use tokio::sync::oneshot;

use super::Talk;
use crate::{
    acp::{
        Wish, offered,
        out::Out,
        replay::{Replay, Replayed},
        update::Update,
        wire::Fault,
    },
    blobs::Blobs,
    sessions,
};

/// How a session is opened.
#[derive(Debug)]
pub(in crate::acp) struct Opening {
    /// The request for it; none once that is answered.
    pub id: Option<Value>,
    /// How it is asked for.
    pub wish: Wish,
    /// Why servers that the client names are left out.
    pub left_out: Vec<String>,
    /// Who tells its log again, where that is asked for.
    pub again: Option<oneshot::Sender<Replay>>,
}

/// A ceiling that is being set.
#[derive(Debug)]
pub(super) struct Setting {
    pub id: Value,
    pub mode: PermissionMode,
    /// Whether it was asked for as an option.
    pub option: bool,
    /// Why it is not.
    pub why: Option<String>,
}

impl Talk {
    /// The session is there: what was said in it is told first, where that is asked for.
    pub(super) fn ready(&mut self, out: &mut Out) {
        let Some(opening) = self.opening.as_mut().filter(|_| self.closing.is_none()) else { return };
        let again = opening.again.take();
        let found = sessions::find(&self.home, &self.place.root, &self.slug);
        if let Ok(found) = &found {
            self.place.blobs = Blobs::under(&found.folder);
        }
        self.teller.updates.clear();
        if let (Some(again), Ok(found)) = (again, found) {
            let (teller, place) = (std::mem::take(&mut self.teller), self.place.clone());
            let replay = Replay { found, teller, place, stop: self.left_alone.clone() };
            if let Err(Replay { teller, .. }) = again.send(replay) {
                self.teller = teller;
            } else {
                return;
            }
        }
        self.opened(out);
    }

    /// Something of its log.
    pub fn again(&mut self, update: Update, out: &mut Out) {
        if !self.is_closing() {
            out.update(&self.slug, update);
        }
    }

    /// All of its log was told.
    pub fn replayed(&mut self, replayed: Replayed, out: &mut Out) {
        if !self.is_closing() {
            (self.teller, self.replayed_to) = (replayed.teller, replayed.upto);
            self.notices.extend(replayed.warnings);
            self.opened(out);
        }
    }

    /// The client hears that it is there.
    fn opened(&mut self, out: &mut Out) {
        let Some(Opening { id, wish, left_out, again: _ }) = self.opening.take() else { return };
        let state = self.session.state();
        self.unseen.extend(state.open.keys().map(|id| (*id, Seq(1))));
        let mut result = offered::offers(state.permission);
        if let Value::Object(result) = &mut result {
            if wish == Wish::New {
                result.insert("sessionId".to_owned(), json!(self.slug));
            }
            if !left_out.is_empty() {
                result.insert("_meta".to_owned(), json!({"pilothouse": {"leftOut": left_out}}));
                self.notices.extend(left_out);
            }
        }
        if let Some(id) = id {
            out.answer(&id, &result);
        }
        self.ended = out.put_so_far();
        self.teller.updates.push(offered::commands(&self.recipes));
        self.flush(out);
    }

    /// It is not to be opened any more: whoever asked for it hears so, and nothing more is told.
    pub(super) fn give_up(&mut self, out: &mut Out) {
        self.left_alone.cancel();
        if let Some(opening) = &mut self.opening {
            opening.again = None;
            if let Some(id) = opening.id.take() {
                out.fail(&id, &Fault::request("it was closed before it was open"));
            }
        }
    }

    /// The answer to who has set a ceiling.
    pub(super) fn set(&self, option: bool) -> Value {
        if option {
            json!({"configOptions": offered::options(self.session.state().permission)})
        } else {
            json!({})
        }
    }

    /// Whether this is the ceiling.
    fn holds(&self, mode: PermissionMode) -> bool {
        let state = self.session.state();
        state.permission == mode && !state.chat_only
    }

    /// The client wants another ceiling.
    pub async fn set_mode(&mut self, id: Value, mode: PermissionMode, option: bool, out: &mut Out) {
        if self.unheard.iter().any(Option::is_some) {
            return out.fail(&id, &Fault::request("another mode is being set"));
        }
        // What is not taken in yet may set another one.
        if self.unheard.is_empty() && self.holds(mode) {
            return out.answer(&id, &self.set(option));
        }
        let setting = Setting { id, mode, option, why: None };
        self.say_for(Some(setting), Input::SetPermission(mode)).await;
    }

    /// All is taken in, and no ceiling was changed by that: it was this one already, or it was refused.
    pub(super) fn set_or_not(&self, setting: Setting, out: &mut Out) {
        let Setting { id, mode, option, why } = setting;
        if self.holds(mode) {
            return out.answer(&id, &self.set(option));
        }
        let why = why.unwrap_or_else(|| "nothing came of it".to_owned());
        out.fail(&id, &Fault::params(self.place.shown(&why)));
    }
}
