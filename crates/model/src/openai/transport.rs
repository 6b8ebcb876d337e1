//! The HTTP service below async-openai: attempts, waits and refusals.
//!
//! Owns everything that async-openai would hide: retries are visible, a status and the server's
//! words survive, a body that is no stream is told apart.
//! Never retries by itself once the first byte of a stream has arrived: whether the reply is whole, its reader knows.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use async_openai::{config::Config, error::OpenAIError, middleware::HttpRequestFactory};
use bytes::Bytes;
use futures::{Stream, StreamExt, stream};
use pilothouse_core::{
    redact::Redactor,
    talk::{Fault, FaultKind, ModelDelta},
};
use reqwest::{
    Response,
    header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LOCATION},
};
use secrecy::{ExposeSecret, SecretString};
use tokio::{sync::mpsc::Sender, time::timeout};

use super::{
    endpoint::Endpoint,
    fault::{self, cut, deepest, not_a_stream, refused, unanswered, unreachable},
    lines::{BOM, Lines, StreamObserver},
    patience::Patience,
    silence::within,
};

/// Automatic retries of one reply, at most.
const RETRIES: u32 = 2;
/// A server that asks for a longer wait is not waited for.
const LONGEST_WAIT: Duration = Duration::from_mins(1);
/// From so long on it is told when a server that named a time takes requests again.
const TOLD_WAIT: Duration = Duration::from_secs(5);
/// At most this much of an error's body is read.
const BODY_BYTES: usize = 64 * 1024;

/// Address and headers as async-openai asks for them; nothing is taken from the environment.
#[derive(Clone)]
pub(crate) struct Address {
    base: String,
    query: Vec<(String, SecretString)>,
    headers: HeaderMap,
    key: SecretString,
}

impl Address {
    pub fn new(endpoint: &Endpoint) -> Result<Self, Fault> {
        let mut headers = HeaderMap::new();
        let bad = |what: &str| {
            fault::fault(
                FaultKind::Unauthorized,
                format!("{what} holds characters that an HTTP header cannot carry"),
                "check it for line breaks and pasted quotation marks",
            )
        };
        if let Some(key) = endpoint.key.as_ref().map(|k| k.expose_secret().trim()).filter(|k| !k.is_empty()) {
            let (name, text) = match &endpoint.key_header {
                Some(name) => (name.parse().map_err(|_| bad("the key header's name"))?, key.to_owned()),
                None => (AUTHORIZATION, format!("Bearer {key}")),
            };
            headers.insert(name, secret(&text).ok_or_else(|| bad("the key"))?);
        }
        for (name, value) in &endpoint.headers {
            let header: HeaderName = name.parse().map_err(|_| bad(&format!("the header {name:?}")))?;
            headers.insert(
                header,
                secret(value.expose_secret()).ok_or_else(|| bad(&format!("the header {name:?}")))?,
            );
        }
        // People paste the whole address.
        let base = endpoint.base_url.trim().trim_end_matches('/').trim_end_matches("/chat/completions");
        let base = match &endpoint.login {
            Some(login) => base.replacen("://", &format!("://{}@", login.expose_secret()), 1),
            None => base.to_owned(),
        };
        Ok(Self {
            base,
            query: endpoint.query.clone(),
            headers,
            key: endpoint.key.clone().unwrap_or_default(),
        })
    }
}

impl Address {
    /// Where vectors are served.
    pub fn embeddings(&self) -> String {
        format!("{}/embeddings", self.base.trim_end_matches("/embeddings"))
    }

    /// Where the list of models is served; at Azure that of the resource.
    pub fn models(&self) -> String {
        let base = self.base.split_once("/deployments/").map_or(self.base.as_str(), |(resource, _)| resource);
        format!("{base}/models")
    }

    /// The query parameters.
    pub fn pairs(&self) -> Vec<(&str, &str)> {
        Config::query(self)
    }

    /// The headers, with the key.
    pub fn own_headers(&self) -> HeaderMap {
        self.headers.clone()
    }
}

fn secret(text: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_str(text).ok()?;
    value.set_sensitive(true);
    Some(value)
}

impl Config for Address {
    fn headers(&self) -> HeaderMap {
        self.headers.clone()
    }

    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    fn query(&self) -> Vec<(&str, &str)> {
        self.query.iter().map(|(name, value)| (name.as_str(), value.expose_secret())).collect()
    }

    fn api_base(&self) -> &str {
        &self.base
    }

    fn api_key(&self) -> &SecretString {
        &self.key
    }
}

/// One request with its retries.
#[derive(Clone)]
pub(super) struct HttpTransport {
    pub http: reqwest::Client,
    pub endpoint: Arc<Endpoint>,
    pub redactor: Redactor,
    pub witness: StreamObserver,
    pub deltas: Sender<ModelDelta>,
    /// How many of the retries are used up.
    pub retries: Arc<AtomicU32>,
    pub patience: Patience,
}

/// Why an attempt failed, and whether and when another one makes sense.
pub(super) struct RetryReason {
    fault: Fault,
    again: bool,
    after: Option<Duration>,
}

impl RetryReason {
    pub const fn last(fault: Fault) -> Self {
        Self { fault, again: false, after: None }
    }

    pub const fn passing(fault: Fault) -> Self {
        Self { fault, again: true, after: None }
    }

    /// Of an error that a stream brought.
    pub fn of_stream(fault: Fault) -> Self {
        let again = fault.status.is_some_and(|status| matches!(status, 408 | 500..=599));
        Self { fault, again, after: None }
    }
}

impl HttpTransport {
    /// Sends the request until a stream begins, a failure is final, or the retries are used up.
    pub async fn carry(self, request: HttpRequestFactory) -> Result<Response, OpenAIError> {
        loop {
            let setback = match self.attempt(&request).await {
                Ok(response) => return Ok(response),
                Err(setback) => setback,
            };
            self.wait(setback).await.map_err(|fault| OpenAIError::Boxed(Box::new(fault)))?;
        }
    }

    /// Waits until the next attempt, and tells of it.
    ///
    /// # Errors
    /// Why the last one failed, where that is final or the retries are used up.
    pub async fn wait(&self, setback: RetryReason) -> Result<(), Fault> {
        let used = self.retries.load(Ordering::Relaxed);
        let wait = setback.after.unwrap_or(self.endpoint.backoff * 2_u32.pow(used));
        let mut fault = fault::scrub(setback.fault, &self.redactor);
        if !setback.again || used >= RETRIES || wait > LONGEST_WAIT {
            if let Some(after) = setback.after.filter(|after| setback.again && *after >= TOLD_WAIT) {
                fault.hint = fault::takes_again(after, &jiff::Zoned::now());
            }
            return Err(fault);
        }
        self.retries.store(used + 1, Ordering::Relaxed);
        let attempt = used + 2;
        // A server's words may repeat the request.
        tracing::info!(attempt, ?wait, fault = ?fault.kind, status = fault.status, "the model is asked again");
        let reason = fault.message;
        let wait_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
        // Lossy like every delta.
        let _ = self.deltas.try_send(ModelDelta::Retry {
            attempt,
            wait_ms,
            named: setback.after.is_some(),
            reason,
        });
        // A try that the user wanted at once is none of those that are made unasked.
        if self.patience.wait(wait).await {
            self.retries.store(used, Ordering::Relaxed);
        }
        let _ = self.deltas.try_send(ModelDelta::Trying { attempt, of: RETRIES + 1 });
        Ok(())
    }

    async fn attempt(&self, request: &HttpRequestFactory) -> Result<Response, RetryReason> {
        let defect = |e: String| {
            RetryReason::last(fault::fault(
                FaultKind::Internal,
                format!("the request could not be made: {e}"),
                "check the base URL: it must begin with http:// or https://",
            ))
        };
        let request = request.build().await.map_err(|e| defect(deepest(&e)))?;
        let answer = within(self.endpoint.silence_timeout, self.http.execute(request)).await;
        let response = match answer {
            None => return Err(RetryReason::last(unanswered(&self.endpoint))),
            Some(Err(e)) if e.is_builder() => return Err(defect(deepest(&e))),
            Some(Err(e)) => return Err(RetryReason::passing(unreachable(&self.endpoint, &e))),
            Some(Ok(response)) => response,
        };
        if response.status().is_success() {
            self.opened(response).await
        } else {
            Err(self.turned_away(response).await)
        }
    }

    /// Waits for the first bytes of a stream and puts the witness before the rest.
    async fn opened(&self, response: Response) -> Result<Response, RetryReason> {
        let kind = header(response.headers(), CONTENT_TYPE.as_str()).to_ascii_lowercase();
        let declared = kind.starts_with("text/event-stream");
        let mut bytes = Box::pin(response.bytes_stream());
        let first = match within(self.endpoint.silence_timeout, bytes.next()).await {
            None => return Err(RetryReason::last(fault::stalled(&self.endpoint))),
            Some(Some(Err(e))) => return Err(RetryReason::passing(cut(&deepest(&e)))),
            Some(None) if declared => {
                return Err(RetryReason::passing(cut(
                    "the server closed the connection before it said anything",
                )));
            }
            Some(None) => return Err(RetryReason::last(not_a_stream(&kind, b""))),
            Some(Some(Ok(first))) => first,
        };
        let start = first.strip_prefix(BOM).unwrap_or(&first);
        let begins = [b"data:".as_slice(), b"event:", b":"].iter().any(|p| start.starts_with(p));
        let is_stream = declared || (kind.is_empty() && begins);
        if !is_stream {
            let body = gather(first, bytes, self.endpoint.silence_timeout).await;
            return Err(RetryReason::last(not_a_stream(&kind, &body)));
        }
        let lines = Lines::new(bytes, &first, Arc::clone(&self.witness), self.endpoint.silence_timeout);
        let body = reqwest::Body::wrap_stream(stream::unfold(lines, Lines::next));
        Ok(Response::from(http::Response::new(body)))
    }

    /// Reads a refusal: its words, and whether another attempt makes sense.
    async fn turned_away(&self, response: Response) -> RetryReason {
        let status = response.status();
        let after = retry_after(response.headers());
        let place = header(response.headers(), LOCATION.as_str()).to_owned();
        let bytes = Box::pin(response.bytes_stream());
        let body = gather(Bytes::new(), bytes, Duration::from_secs(10)).await;
        let mut words = fault::words(&body);
        if status.is_redirection() {
            words = format!("it points to {place}");
        } else if body.is_empty() {
            status.canonical_reason().unwrap_or("(no message)").clone_into(&mut words);
        }
        // A spent budget answers 429 too, and does not pass by waiting.
        let spent = status.as_u16() == 429 && body.windows(18).any(|w| w == b"insufficient_quota");
        let passing = matches!(status.as_u16(), 408 | 429 | 500..=599) && !spent;
        let fault = refused(status.as_u16(), &words, &self.endpoint.key_hint());
        RetryReason { fault, again: passing, after }
    }
}

fn header<'a>(headers: &'a HeaderMap, name: &str) -> &'a str {
    headers.get(name).and_then(|v| v.to_str().ok()).unwrap_or_default()
}

/// The wait that the server asks for: milliseconds, seconds, or a date.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let millis = header(headers, "retry-after-ms").trim().parse().ok().map(Duration::from_millis);
    let text = header(headers, "retry-after").trim();
    let seconds = || text.parse().ok().and_then(|s: f64| Duration::try_from_secs_f64(s).ok());
    let date = || {
        let then = jiff::fmt::rfc2822::parse(text).ok()?;
        let now = jiff::Timestamp::try_from(std::time::SystemTime::now()).ok()?;
        Duration::try_from(then.timestamp() - now).ok()
    };
    millis.or_else(seconds).or_else(date)
}

/// Reads a body that is to be shown, not further than a reader would.
async fn gather(
    first: Bytes,
    mut rest: impl Stream<Item = Result<Bytes, reqwest::Error>> + Unpin,
    limit: Duration,
) -> Vec<u8> {
    let mut body = first.to_vec();
    let read = async {
        while body.len() < BODY_BYTES {
            let Some(Ok(more)) = rest.next().await else { return };
            body.extend_from_slice(&more);
        }
    };
    // What came in time is enough.
    let _ = timeout(limit, read).await;
    body.truncate(BODY_BYTES);
    body
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_is_read_as_milliseconds_seconds_or_date() {
        let read = |name: &'static str, value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(name, value.parse().unwrap());
            retry_after(&headers)
        };
        assert_eq!(read("retry-after-ms", "250"), Some(Duration::from_millis(250)));
        assert_eq!(read("retry-after", "1.5"), Some(Duration::from_millis(1500)));
        assert_eq!(read("retry-after", "soon"), None);
        assert_eq!(read("retry-after", "-1"), None);
        assert!(read("retry-after", "Sat, 21 Oct 2215 07:28:00 GMT").unwrap().as_secs() > 1_000_000);
        assert_eq!(read("retry-after", "Wed, 21 Oct 2015 07:28:00 GMT"), None);
    }

    #[test]
    fn a_key_that_no_header_can_carry_is_refused_before_anything_is_sent() {
        let mut endpoint = Endpoint::new("http://127.0.0.1/v1", "m");
        endpoint.key = Some("line\nbreak".into());
        let fault = Address::new(&endpoint).map(|_| ()).unwrap_err();
        assert_eq!(fault.kind, FaultKind::Unauthorized);
        assert!(!fault.message.contains("line\nbreak"));
    }
}
