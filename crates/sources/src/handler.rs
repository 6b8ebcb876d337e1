//! What a server may ask of us, and what it tells by itself.
//!
//! Owns the answers: the workspace as the one root, forms put to whoever listens, no sampling. Never answers a form
//! by itself but by declining it.
#![expect(deprecated, reason = "servers of today ask for roots and send what they log")]

use std::{
    path::Path,
    sync::{
        Arc, Mutex as StdMutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use pilothouse_core::{clean::Clean, question::FormAnswer};
use reqwest::Url;
use rmcp::{
    ClientHandler, ErrorData,
    model::{
        ClientConfig, ElicitRequestParams, ElicitResult, ElicitationAction, ListRootsResult,
        LoggingMessageNotificationParam, NumberOrString, ProgressNotificationParam, Root,
    },
    service::{NotificationContext, RequestContext, RoleClient},
};
use serde_json::json;
use tokio::sync::{Mutex, MutexGuard, mpsc, oneshot, watch};

use crate::form::Form;

/// The most forms of one connection; further ones are declined.
const MOST_FORMS: usize = 16;

/// A form that waits for its answer.
#[derive(Debug)]
pub(crate) struct Asked {
    pub form: Form,
    pub reply: oneshot::Sender<FormAnswer>,
}

/// How far a call is, as its server says.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Progress {
    pub token: Option<NumberOrString>,
    pub text: String,
}

/// What a server has told, for those who call it.
#[derive(Clone, Debug)]
pub(crate) struct Handler {
    name: String,
    root: String,
    callers: Arc<Callers>,
    asked: Arc<AtomicUsize>,
    progress: watch::Sender<Progress>,
}

/// The other ends of a handler.
#[derive(Debug)]
pub(crate) struct Ends {
    pub callers: Arc<Callers>,
    pub progress: watch::Receiver<Progress>,
}

/// Who asks a server now. Nothing in a form says for which question it is, so it is put to a caller who is alone.
#[derive(Debug, Default)]
pub(crate) struct Callers {
    now: StdMutex<Vec<mpsc::Sender<Asked>>>,
    /// Whether it asks at all: from then on its callers go one by one.
    asks: AtomicBool,
    turn: Mutex<()>,
}

/// A caller, until it is dropped.
#[derive(Debug)]
pub(crate) struct Caller<'a> {
    callers: &'a Callers,
    me: mpsc::Sender<Asked>,
    /// What its server asks it.
    pub forms: mpsc::Receiver<Asked>,
    _turn: Option<MutexGuard<'a, ()>>,
}

impl Callers {
    /// Asks from here on, once it is its turn.
    pub async fn enter(&self) -> Caller<'_> {
        let turn = if self.asks.load(Ordering::Acquire) { Some(self.turn.lock().await) } else { None };
        let (me, forms) = mpsc::channel(1);
        self.all().push(me.clone());
        Caller { callers: self, me, forms, _turn: turn }
    }

    fn all(&self) -> std::sync::MutexGuard<'_, Vec<mpsc::Sender<Asked>>> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a form to the one caller; whether there was one and no other.
    fn put(&self, asked: Asked) -> bool {
        self.asks.store(true, Ordering::Release);
        match self.all().as_slice() {
            [one] => one.try_send(asked).is_ok(),
            _ => false,
        }
    }
}

impl Drop for Caller<'_> {
    fn drop(&mut self) {
        self.callers.all().retain(|c| !c.same_channel(&self.me));
    }
}

impl Handler {
    /// A handler for the server of this name, and its other ends.
    pub fn new(name: &str, workspace: &Path) -> (Self, Ends) {
        let callers = Arc::<Callers>::default();
        let (progress, progress_end) = watch::channel(Progress::default());
        let ends = Ends { callers: Arc::clone(&callers), progress: progress_end };
        // A file system that has such a path has an address for it.
        let root = Url::from_file_path(workspace).map_or_else(|()| String::new(), String::from);
        (Self { name: name.to_owned(), root, callers, asked: Arc::default(), progress }, ends)
    }

    async fn ask(&self, asked: &ElicitRequestParams) -> Option<ElicitResult> {
        if self.asked.fetch_add(1, Ordering::Relaxed) >= MOST_FORMS {
            return None;
        }
        let form = match Form::of(asked) {
            Ok(form) => form,
            Err(why) => {
                tracing::warn!(source = self.name, why, "a form was declined");
                return None;
            }
        };
        let (reply, answer) = oneshot::channel();
        if !self.callers.put(Asked { form: form.clone(), reply }) {
            tracing::warn!(source = self.name, "a form was declined: nobody says for which call it is");
            return None;
        }
        Some(form.reply(answer.await.ok()?))
    }
}

impl ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        let said = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": { "roots": { "listChanged": false }, "elicitation": { "form": {} } },
            "clientInfo": { "name": "pilothouse", "version": env!("CARGO_PKG_VERSION") },
        });
        serde_json::from_value(said).unwrap_or_default()
    }

    async fn list_roots(&self, _: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        Ok(ListRootsResult::new(vec![Root::new(self.root.clone()).with_name("workspace")]))
    }

    async fn create_elicitation(
        &self,
        asked: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        Ok(self.ask(&asked).await.unwrap_or_else(|| ElicitResult::new(ElicitationAction::Decline)))
    }

    async fn on_progress(&self, told: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        let of = told.total.map(|t| format!(" of {t}")).unwrap_or_default();
        let words: String =
            Clean::line(told.message.as_deref().unwrap_or_default()).chars().take(200).collect();
        let text = format!("{}{of} {words}", told.progress);
        self.progress
            .send_replace(Progress { token: Some(told.progress_token.0), text: text.trim().to_owned() });
    }

    async fn on_logging_message(
        &self,
        told: LoggingMessageNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        // What it says may quote anything: only that it says something stands in the log file.
        tracing::debug!(source = self.name, level = ?told.level, "a source logs");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_told_as_an_address() {
        let (handler, _ends) = Handler::new("x", Path::new("/home/me/a b/ü"));
        assert_eq!(handler.root, "file:///home/me/a%20b/%C3%BC");
    }

    #[test]
    fn we_say_what_we_can() {
        let (handler, _ends) = Handler::new("x", Path::new("/"));
        let said = handler.get_info();
        assert_eq!(said.client_info.name, "pilothouse");
        assert!(said.capabilities.elicitation.is_some() && said.capabilities.sampling.is_none());
    }
}
