//! Which models an endpoint has: its `/models`.
//!
//! Owns the request and the reading of its answer. Never retries: somebody waits for it at a prompt.

use futures::StreamExt;
use pilothouse_core::{
    redact::Redactor,
    talk::{Fault, FaultKind},
};
use serde::Deserialize;
use tokio::time::timeout;

use super::{
    endpoint::Endpoint,
    fault::{self, deepest, refused, unanswered, unreachable},
    http_client,
    transport::Address,
};

/// An answer longer than this is none.
const BODY_BYTES: usize = 16 * 1024 * 1024;

/// The names of the models that an endpoint has, in its order.
///
/// # Errors
/// When it cannot be reached, refuses, or answers something else.
pub async fn models(endpoint: &Endpoint) -> Result<Vec<String>, Fault> {
    let redactor = Redactor::knowing(endpoint.secrets().map(|(_, value)| value));
    let asked = timeout(endpoint.silence_timeout, ask(endpoint));
    let answered = asked.await.unwrap_or_else(|_| Err(unanswered(endpoint)));
    answered.map_err(|f| fault::scrub(f, &redactor))
}

async fn ask(endpoint: &Endpoint) -> Result<Vec<String>, Fault> {
    let address = Address::new(endpoint)?;
    let http = http_client(endpoint)?;
    let request = http.get(address.models()).query(&address.pairs()).headers(address.own_headers());
    let response = request.send().await.map_err(|e| unreachable(endpoint, &e))?;
    let status = response.status();
    let mut body = Vec::new();
    let mut bytes = response.bytes_stream();
    while let Some(more) = bytes.next().await {
        body.extend_from_slice(&more.map_err(|e| fault::cut(&deepest(&e)))?);
        if body.len() > BODY_BYTES {
            return Err(nonsense("its list of models is too long"));
        }
    }
    if !status.is_success() {
        return Err(refused(status.as_u16(), &fault::words(&body)));
    }
    read(&body)
}

fn read(body: &[u8]) -> Result<Vec<String>, Fault> {
    let list: List = serde_json::from_slice(body)
        .map_err(|_| nonsense(&format!("its answer holds no list of models: {}", fault::words(body))))?;
    Ok(list.data.into_iter().map(|m| m.id).collect())
}

fn nonsense(what: &str) -> Fault {
    fault::fault(
        FaultKind::Malformed,
        what,
        "not every server lists its models; name one under [model] in config.toml",
    )
}

#[derive(Deserialize)]
struct List {
    data: Vec<Listed>,
}

#[derive(Deserialize)]
struct Listed {
    id: String,
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read_in_its_order_and_anything_else_is_told() {
        let body = br#"{"object":"list","data":[{"id":"b","object":"model"},{"id":"a"}]}"#;
        assert_eq!(read(body).unwrap(), ["b", "a"]);
        for body in [r#"{"models":[]}"#, "<html></html>", ""] {
            assert_eq!(read(body.as_bytes()).unwrap_err().kind, FaultKind::Malformed, "{body}");
        }
    }
}
