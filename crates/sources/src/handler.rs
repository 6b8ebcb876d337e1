//! What a server may ask of us, and what it tells by itself.
//!
//! Owns the answers: the workspace as the one root, forms put to whoever listens, no sampling. Never answers a form
//! by itself but by declining it.
#![expect(deprecated, reason = "servers of today ask for roots and send what they log")]

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use pilothouse_core::clean::Clean;
use rmcp::{
    ClientHandler, ErrorData,
    model::{
        ClientConfig, ElicitRequestParams, ElicitResult, ElicitationAction, ListRootsResult,
        LoggingMessageNotificationParam, NumberOrString, ProgressNotificationParam, Root,
    },
    service::{NotificationContext, RequestContext, RoleClient},
};
use serde_json::json;
use tokio::sync::{mpsc, oneshot, watch};

use crate::form::{Form, FormAnswer};

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
    forms: mpsc::Sender<Asked>,
    asked: Arc<AtomicUsize>,
    progress: watch::Sender<Progress>,
}

/// The other ends of a handler.
#[derive(Debug)]
pub(crate) struct Ends {
    pub forms: mpsc::Receiver<Asked>,
    pub progress: watch::Receiver<Progress>,
}

impl Handler {
    /// A handler for the server of this name, and its other ends.
    pub fn new(name: &str, workspace: &Path) -> (Self, Ends) {
        let (forms, forms_end) = mpsc::channel(1);
        let (progress, progress_end) = watch::channel(Progress::default());
        let handler =
            Self { name: name.to_owned(), root: uri(workspace), forms, asked: Arc::default(), progress };
        (handler, Ends { forms: forms_end, progress: progress_end })
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
        // Nobody listens between calls: then there is nobody to ask.
        self.forms.try_send(Asked { form: form.clone(), reply }).ok()?;
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

/// A folder as an address.
fn uri(folder: &Path) -> String {
    let plain = |b: &u8| b.is_ascii_alphanumeric() || b"-._~/".contains(b);
    let text = folder.to_string_lossy();
    let each = text.as_bytes().iter();
    let path: String =
        each.map(|b| if plain(b) { char::from(*b).to_string() } else { format!("%{b:02X}") }).collect();
    format!("file://{path}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_told_as_an_address() {
        assert_eq!(uri(Path::new("/home/me/a b/ü")), "file:///home/me/a%20b/%C3%BC");
    }

    #[test]
    fn we_say_what_we_can() {
        let (handler, _ends) = Handler::new("x", Path::new("/"));
        let said = handler.get_info();
        assert_eq!(said.client_info.name, "pilothouse");
        assert!(said.capabilities.elicitation.is_some() && said.capabilities.sampling.is_none());
    }
}
