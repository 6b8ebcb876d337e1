//! An OpenAI-compatible endpoint: chat completions, streamed.
//!
//! Owns the client and the order of one reply. The first reply builds the HTTP client and with it
//! TLS: making an [`OpenAi`] costs nothing. Never falls back to another endpoint and never reads
//! the environment (but the proxy settings of the system, for other machines than this one).

use std::{
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
    time::Duration,
};

use async_openai::{Client, error::OpenAIError};
use futures::{StreamExt, future::BoxFuture, stream::BoxStream};
use pilothouse_core::{
    redact::Redactor,
    talk::{Fault, FaultKind, ModelDelta, ModelReply, ModelRequest, Purpose, Role},
};
use tokio::sync::mpsc::Sender;
use tokio_util::sync::CancellationToken;

use crate::{
    client::{ModelClient, Unfinished, cancelled},
    outlet::Outlet,
};
use draft::Draft;
use extras::Extras;
use lines::{End, MOST_EVENT_BYTES, Seen, StreamObserver, look};
use transport::{Address, HttpTransport, RetryReason};
use wire::Chunk;

mod draft;
mod echo;
mod endpoint;
mod extras;
pub(crate) mod fault;
mod lines;
mod models;
mod patience;
mod silence;
mod thought;
pub(crate) mod transport;
mod wire;

pub use endpoint::{Effort, Endpoint, Preset, Price};
pub use models::{LookedUp, look_up, models};
pub use patience::Patience;

/// How long a stream may stay open after the model said that it is done: the usage may follow.
const AFTER_FINISH: Duration = Duration::from_secs(3);

/// The events of a reply.
type Chunks = BoxStream<'static, Result<Chunk, OpenAIError>>;

/// A model at an [`Endpoint`].
pub struct OpenAi {
    endpoint: Arc<Endpoint>,
    redactor: Redactor,
    http: OnceLock<reqwest::Client>,
    /// What it takes beyond the interface, as far as it refused none of it.
    extras: Mutex<Extras>,
    patience: Patience,
}

impl OpenAi {
    /// A client for `endpoint`. Nothing is resolved, connected or loaded yet.
    pub fn new(endpoint: Endpoint) -> Self {
        let redactor = Redactor::knowing(endpoint.secrets().map(|(_, value)| value));
        Self {
            endpoint: Arc::new(endpoint),
            redactor,
            http: OnceLock::new(),
            extras: Mutex::default(),
            patience: Patience::default(),
        }
    }

    /// The same, whose waits are among these; but for a title, which nobody waits for.
    #[must_use]
    pub fn with_patience(self, patience: Patience) -> Self {
        Self { patience, ..self }
    }

    fn http(&self) -> Result<reqwest::Client, Fault> {
        if let Some(http) = self.http.get() {
            return Ok(http.clone());
        }
        let http = http_client(&self.endpoint)?;
        Ok(self.http.get_or_init(|| http).clone())
    }

    fn extras(&self) -> MutexGuard<'_, Extras> {
        self.extras.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where the model is not known there, the advice names what is.
    async fn asked(
        &self,
        request: &ModelRequest,
        deltas: Sender<ModelDelta>,
        draft: &mut Draft,
    ) -> Result<(), Fault> {
        let Err(mut fault) = self.converse(request, deltas, draft).await else { return Ok(()) };
        if fault.status == Some(404)
            && let Some(hint) = models::instead(&self.endpoint).await
        {
            fault.hint = hint;
        }
        Err(fault)
    }

    async fn converse(
        &self,
        request: &ModelRequest,
        deltas: Sender<ModelDelta>,
        draft: &mut Draft,
    ) -> Result<(), Fault> {
        let witness = StreamObserver::default();
        let endpoint = Arc::clone(&self.endpoint);
        let (http, redactor, retries) = (self.http()?, self.redactor.clone(), Arc::default());
        let beside = request.purpose == Purpose::Title;
        let patience = if beside { Patience::default() } else { self.patience.clone() };
        let carrier = HttpTransport {
            http,
            endpoint,
            redactor,
            witness: Arc::clone(&witness),
            deltas,
            retries,
            patience,
        };
        let service = carrier.clone();
        let client = Client::build(carrier.http.clone(), Address::new(&self.endpoint)?)
            .with_http_service(tower::service_fn(move |r| service.clone().carry(r)));
        loop {
            let stream = self.open(&client, request).await?;
            let verdict = match read(stream, draft, &witness).await {
                Ok(()) => self.verdict(draft, &look(&witness)),
                Err(fault) => Err(RetryReason::of_stream(fault)),
            };
            let is_whole = verdict.is_ok();
            let setback = match verdict {
                Ok(()) if draft.says_nothing() && !answers_calls(request) => {
                    RetryReason::passing(fault::empty())
                }
                Ok(()) => return Ok(()),
                Err(setback) => setback,
            };
            // A call only runs once its reply is whole: nothing of this one took effect.
            match carrier.wait(setback).await {
                Ok(()) => draft.begin_again(&self.endpoint),
                // That nothing was said is for the session to judge.
                Err(_) if is_whole => return Ok(()),
                Err(fault) => return Err(fault),
            }
            *look(&witness) = Seen::default();
        }
    }

    /// The stream of a reply, asked for without what the endpoint refuses.
    async fn open(&self, client: &Client<Address>, request: &ModelRequest) -> Result<Chunks, Fault> {
        let mut extras = self.extras().clone();
        loop {
            let body = wire::body(request, &self.endpoint, &extras);
            match client.chat().create_stream_byot(body).await.map_err(|e| opened_badly(&e)) {
                Ok(stream) => {
                    // Only what helped is remembered.
                    *self.extras() = extras;
                    return Ok(stream);
                }
                Err(fault) => {
                    extras = extras.without(&fault, request, &self.endpoint).ok_or(fault)?;
                    tracing::info!(?extras, "the model is asked again, without what it refused");
                }
            }
        }
    }

    /// Whether the stream brought a whole reply.
    fn verdict(&self, draft: &Draft, seen: &Seen) -> Result<(), RetryReason> {
        if !seen.done && !draft.finished() {
            return Err(match &seen.end {
                Some(End::Silent) => RetryReason::last(fault::stalled(&self.endpoint)),
                Some(End::Broken(why)) => RetryReason::passing(fault::cut(why)),
                Some(End::TooLarge) => {
                    RetryReason::last(fault::too_large("one event of the reply", MOST_EVENT_BYTES))
                }
                Some(End::Closed) | None => {
                    RetryReason::passing(fault::cut("the server closed the connection in the middle"))
                }
            });
        }
        match &draft.garbled {
            Some(text) => Err(RetryReason::passing(fault::fault(
                FaultKind::Malformed,
                format!("part of the reply is not JSON: {text}"),
                "try again; if it keeps happening, the server does not implement this interface properly",
            ))),
            None => Ok(()),
        }
    }
}

/// Whether the model had the results of calls last: an end without a word may be what it means then.
fn answers_calls(request: &ModelRequest) -> bool {
    let mut last = request.messages.iter().rev().skip(1);
    last.next().is_some_and(|message| message.role == Role::Tool)
}

/// Reads a stream to its end, whole or not.
async fn read(mut stream: Chunks, draft: &mut Draft, witness: &StreamObserver) -> Result<(), Fault> {
    loop {
        let next = if draft.finished() {
            tokio::time::timeout(AFTER_FINISH, stream.next()).await.unwrap_or_default()
        } else {
            stream.next().await
        };
        match next {
            Some(Ok(chunk)) => draft.take(chunk)?,
            Some(Err(OpenAIError::JSONDeserialize(_, text))) => {
                draft.take_garbled(&text, look(witness).error_event)?;
            }
            // The witness knows better how it ended.
            Some(Err(_)) | None => return Ok(()),
        }
    }
}

/// An HTTP client for `endpoint`: TLS, its time limit, no proxy for this machine.
pub(crate) fn http_client(endpoint: &Endpoint) -> Result<reqwest::Client, Fault> {
    // Fails only when one is installed already, and that one is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder = reqwest::Client::builder()
        .connect_timeout(endpoint.connect_timeout)
        .redirect(reqwest::redirect::Policy::none())
        .user_agent(concat!("pilothouse/", env!("CARGO_PKG_VERSION")));
    if endpoint.is_loopback() {
        builder = builder.no_proxy();
        if !endpoint.is_encrypted() {
            // No certificate is looked at: reading all of the system's costs a first answer 50 ms, and memory.
            builder = builder.tls_certs_only([]);
        }
    }
    builder.build().map_err(|e| {
        let message = format!("the HTTP client could not be built: {}", fault::deepest(&e));
        fault::fault(FaultKind::Internal, message, "check the proxy variables and the system's certificates")
    })
}

/// The fault inside an error of async-openai.
fn opened_badly(error: &OpenAIError) -> Fault {
    if let OpenAIError::Boxed(inner) = error
        && let Some(fault) = inner.downcast_ref::<Fault>()
    {
        return fault.clone();
    }
    let message = format!("the request could not be sent: {}", fault::deepest(error));
    fault::fault(FaultKind::Internal, message, "try again; this should not happen")
}

impl ModelClient for OpenAi {
    fn reply(
        &self,
        request: ModelRequest,
        deltas: Sender<ModelDelta>,
        cancel: CancellationToken,
    ) -> BoxFuture<'_, Result<ModelReply, Unfinished>> {
        Box::pin(async move {
            let outlet = Outlet::new(deltas.clone());
            let mut draft = Draft::new(&request, &self.endpoint, outlet);
            // Losing the race drops the stream, and with it the connection.
            let outcome = tokio::select! {
                biased;
                () = cancel.cancelled() => Err(cancelled()),
                outcome = self.asked(&request, deltas, &mut draft) => outcome,
            };
            match outcome {
                Ok(()) => Ok(draft.whole(self.endpoint.price)),
                Err(fault) => Err(Unfinished {
                    fault: fault::scrub(fault, &self.redactor),
                    partial: Box::new(draft.partial(self.endpoint.price)),
                }),
            }
        })
    }
}
