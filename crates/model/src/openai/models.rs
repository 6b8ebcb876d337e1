//! Which models an endpoint has: its `/models`.
//!
//! Owns the request and the reading of its answer. Never retries: somebody waits for it at a prompt.

use std::time::Duration;

use futures::StreamExt;
use pilothouse_core::{
    connection::MODEL_CHARS,
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
/// So long a list is waited for that only makes the reason of a failure plainer.
const LIST_WAIT: Duration = Duration::from_secs(5);
/// So many names are told in the place of an unknown one.
const NEAREST: usize = 3;

/// The names of the models that an endpoint has, in its order.
///
/// # Errors
/// When it cannot be reached, refuses, or answers something else.
pub async fn models(endpoint: &Endpoint) -> Result<Vec<String>, Fault> {
    let redactor = Redactor::knowing(endpoint.secrets().map(|(_, value)| value));
    let asked = timeout(endpoint.silence_timeout, ask(endpoint));
    let answered = asked.await.unwrap_or_else(|_| Err(unanswered(endpoint)));
    let answered = answered.map(|all| all.into_iter().map(|m| m.id).collect());
    answered.map_err(|f| fault::scrub(f, &redactor))
}

/// What an endpoint says of the model that it is asked as.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LookedUp {
    /// What it has where it knows none of this name: the nearest of its names.
    pub instead: Option<String>,
    /// How many tokens the model holds, where it says so.
    pub window: Option<u64>,
}

/// What an endpoint says of its model; nothing where it does not answer. A deployment has a name of its own, which no list
/// of models holds.
pub async fn look_up(endpoint: &Endpoint) -> LookedUp {
    if endpoint.base_url.contains("/deployments/") {
        return LookedUp::default();
    }
    let Ok(Ok(known)) = timeout(LIST_WAIT, ask(endpoint)).await else { return LookedUp::default() };
    let window = known.iter().find(|m| m.id == endpoint.model).and_then(Listed::window);
    let instead = told(&endpoint.model, known.into_iter().map(|m| m.id).collect());
    LookedUp { instead, window }
}

/// What an endpoint has that knows no model of this name: the nearest of its names. `None` where it has that one, or does
/// not say.
pub(super) async fn instead(endpoint: &Endpoint) -> Option<String> {
    look_up(endpoint).await.instead
}

fn told(name: &str, mut known: Vec<String>) -> Option<String> {
    if known.is_empty() || known.iter().any(|have| have == name) {
        return None;
    }
    known.retain(|have| have.chars().count() <= MODEL_CHARS && !have.contains(char::is_control));
    let near = |have: &str| {
        let within = have.contains(name) || name.contains(have);
        f64::from(u8::from(within)) + strsim::normalized_damerau_levenshtein(have, name)
    };
    known.sort_by(|a, b| near(b).total_cmp(&near(a)));
    let more = known.len().saturating_sub(NEAREST);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    known.truncate(NEAREST);
    Some(format!("the server has no {name}; it has {}{more}: pick one with `/model NAME`", known.join(", ")))
}

async fn ask(endpoint: &Endpoint) -> Result<Vec<Listed>, Fault> {
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
        return Err(refused(status.as_u16(), &fault::words(&body), &endpoint.key_hint()));
    }
    read(&body)
}

fn read(body: &[u8]) -> Result<Vec<Listed>, Fault> {
    let list: List = serde_json::from_slice(body)
        .map_err(|_| nonsense(&format!("its answer contains no list of models: {}", fault::words(body))))?;
    Ok(list.data)
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

#[derive(Debug, Deserialize)]
struct Listed {
    id: String,
    /// All else that the server says of it: no two call it the same.
    #[serde(flatten)]
    more: serde_json::Map<String, serde_json::Value>,
}

/// What servers call the tokens that a model holds as it runs there, before those that it could hold.
const WINDOWS: [&str; 6] = [
    "loaded_context_length",
    "max_model_len",
    "context_length",
    "context_window",
    "max_context_length",
    "n_ctx",
];

impl Listed {
    fn window(&self) -> Option<u64> {
        let of = |name| self.more.get(name).or_else(|| self.more.get("meta")?.get(name));
        WINDOWS.iter().find_map(|name| of(*name)?.as_u64()).filter(|tokens| *tokens > 0)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn in_the_place_of_an_unknown_name_the_nearest_are_told() {
        let known = || ["tiny", "qwen3-coder", "gpt-4o-mini", "gpt-4o"].map(str::to_owned).to_vec();
        let words = told("gpt-4o-mni", known()).unwrap();
        assert!(words.starts_with("the server has no gpt-4o-mni; it has gpt-4o, gpt-4o-mini, "), "{words}");
        assert!(words.contains(" and 1 more:"), "{words}");
        assert_eq!(told("tiny", known()), None);
        assert_eq!(told("tiny", Vec::new()), None);
    }

    #[test]
    fn a_window_is_read_as_servers_name_it() {
        let body = br#"{"data":[{"id":"a","max_model_len":32768},{"id":"b","context_length":8192,"owned_by":"x"},
            {"id":"c","max_context_length":131072,"loaded_context_length":4096},
            {"id":"d","meta":{"n_ctx":2048,"n_ctx_train":40960}},{"id":"e"},{"id":"f","context_length":null}]}"#;
        let windows: Vec<Option<u64>> = read(body).unwrap().iter().map(Listed::window).collect();
        assert_eq!(windows, [Some(32_768), Some(8_192), Some(4_096), Some(2_048), None, None]);
    }

    #[test]
    fn a_list_is_read_in_its_order_and_anything_else_is_told() {
        let body = br#"{"object":"list","data":[{"id":"b","object":"model"},{"id":"a"}]}"#;
        let names: Vec<String> = read(body).unwrap().into_iter().map(|m| m.id).collect();
        assert_eq!(names, ["b", "a"]);
        for body in [r#"{"models":[]}"#, "<html></html>", ""] {
            assert_eq!(read(body.as_bytes()).unwrap_err().kind, FaultKind::Malformed, "{body}");
        }
    }
}
