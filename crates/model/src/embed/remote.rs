//! Vectors from an endpoint that serves `/v1/embeddings`.
//!
//! Owns the request and the checks of its answer. Never retries: while it is asked a message waits.

use std::{sync::OnceLock, time::Duration};

use futures::StreamExt;
use pilothouse_core::{
    embed::Embedder,
    intent::embed::unit,
    redact::Redactor,
    talk::{Fault, FaultKind},
};
use serde::Deserialize;
use serde_json::json;
use tokio::{runtime::Handle, time::timeout};

use crate::openai::{
    Endpoint,
    fault::{self, deepest, refused, unanswered, unreachable},
    http_client,
    transport::Address,
};

/// Phrases in one request.
const BATCH: usize = 64;
/// An answer longer than this is none.
const BODY_BYTES: usize = 64 * 1024 * 1024;
/// Told where its key is not taken: `/connect` takes that of the model alone.
const KEY_HINT: &str = "its key is `embedder` in credentials.toml";

/// An embedder behind an address.
pub struct Remote {
    endpoint: Endpoint,
    name: String,
    runtime: Handle,
    redactor: Redactor,
    http: OnceLock<reqwest::Client>,
}

impl Remote {
    /// The embedder at `endpoint`; nothing is asked yet. Its vectors must be asked for on a thread
    /// that may block, for the request itself runs on `runtime`.
    pub fn new(endpoint: Endpoint, runtime: Handle) -> Self {
        let name = format!("remote {} {}", endpoint.shown_url(), endpoint.model);
        let redactor = Redactor::knowing(endpoint.secrets().map(|(_, value)| value));
        Self { endpoint, name, runtime, redactor, http: OnceLock::new() }
    }

    fn http(&self) -> Result<&reqwest::Client, Fault> {
        if let Some(http) = self.http.get() {
            return Ok(http);
        }
        let http = http_client(&self.endpoint)?;
        Ok(self.http.get_or_init(|| http))
    }

    async fn ask(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, Fault> {
        let address = Address::new(&self.endpoint)?;
        let request = self
            .http()?
            .post(address.embeddings())
            .query(&address.pairs())
            .headers(address.own_headers())
            .json(&json!({"model": self.endpoint.model, "input": texts}));
        let response = request.send().await.map_err(|e| unreachable(&self.endpoint, &e))?;
        let status = response.status();
        let mut body = Vec::new();
        let mut bytes = response.bytes_stream();
        while let Some(more) = bytes.next().await {
            let more = more.map_err(|e| fault::cut(&deepest(&e)))?;
            body.extend_from_slice(&more);
            if body.len() > BODY_BYTES {
                return Err(nonsense("the answer is too long"));
            }
        }
        if !status.is_success() {
            return Err(refused(status.as_u16(), &fault::words(&body), KEY_HINT));
        }
        read(&body, texts.len())
    }
}

/// The vectors in an answer, in the order of the question.
fn read(body: &[u8], wanted: usize) -> Result<Vec<Vec<f32>>, Fault> {
    let answer: Answer = serde_json::from_slice(body)
        .map_err(|_| nonsense(&format!("its answer holds no embeddings: {}", fault::words(body))))?;
    let mut rows = answer.data;
    if rows.iter().all(|r| r.index.is_some()) {
        rows.sort_by_key(|r| r.index);
    }
    let vectors: Vec<Vec<f32>> = rows.into_iter().map(|r| r.embedding).collect();
    let length = vectors.first().map_or(0, Vec::len);
    if vectors.len() != wanted || length == 0 {
        return Err(nonsense(&format!("{} vectors came for {wanted} texts", vectors.len())));
    }
    if vectors.iter().any(|v| v.len() != length || v.iter().any(|x| !x.is_finite())) {
        return Err(nonsense("its vectors are not all of one length, or hold no numbers"));
    }
    Ok(vectors.into_iter().map(unit).collect())
}

/// The hint for a model is none for an embedder.
fn hinted(fault: Fault) -> Fault {
    let hint = match fault.kind {
        FaultKind::Unauthorized => KEY_HINT,
        FaultKind::Unreachable => "check that it is running and that base_url under [embedder] is right",
        FaultKind::Refused => "check base_url and name under [embedder]",
        FaultKind::NotAStream
        | FaultKind::Stalled
        | FaultKind::Cut
        | FaultKind::Malformed
        | FaultKind::Cancelled
        | FaultKind::Internal => return fault,
    };
    Fault { hint: hint.to_owned(), ..fault }
}

fn nonsense(what: &str) -> Fault {
    fault::fault(
        FaultKind::Malformed,
        what,
        "check base_url and name under [embedder]: the address must serve /embeddings",
    )
}

impl Embedder for Remote {
    fn name(&self) -> &str {
        &self.name
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, Fault> {
        let limit: Duration = self.endpoint.silence_timeout;
        let mut all = Vec::with_capacity(texts.len());
        for batch in texts.chunks(BATCH) {
            let asked = async { timeout(limit, self.ask(batch)).await };
            let answered = self.runtime.block_on(asked).unwrap_or_else(|_| Err(unanswered(&self.endpoint)));
            all.extend(answered.map_err(|f| hinted(fault::scrub(f, &self.redactor)))?);
        }
        Ok(all)
    }
}

#[derive(Deserialize)]
struct Answer {
    data: Vec<Row>,
}

#[derive(Deserialize)]
struct Row {
    #[serde(default)]
    index: Option<u64>,
    embedding: Vec<f32>,
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_put_in_order_and_made_to_length_one() {
        let body = br#"{"data":[{"index":1,"embedding":[0,2]},{"index":0,"embedding":[3,4]}]}"#;
        assert_eq!(read(body, 2).unwrap(), [vec![0.6, 0.8], vec![0.0, 1.0]]);
    }

    #[test]
    fn nonsense_is_told() {
        for body in [
            r#"{"data":[]}"#,
            r#"{"data":[{"embedding":[1]}]}"#,
            r#"{"data":[{"embedding":[1]},{"embedding":[1,2]}]}"#,
            r#"{"data":[{"embedding":[]},{"embedding":[]}]}"#,
            r#"{"error":"no such model"}"#,
            "<html><title>hi</title></html>",
            "",
        ] {
            let fault = read(body.as_bytes(), 2).unwrap_err();
            assert_eq!(fault.kind, FaultKind::Malformed, "{body}");
        }
    }
}
