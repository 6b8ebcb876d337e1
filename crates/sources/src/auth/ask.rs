//! Requests of a sign-in: each with its time, its size, and no other host than the one that was meant.

use std::time::Duration;

use reqwest::{
    Client, RequestBuilder, Response, StatusCode, Url,
    header::{ACCEPT, CONTENT_TYPE, WWW_AUTHENTICATE},
    redirect::Policy,
};
use serde_json::Value;

use super::{AuthFault, shown};

/// The longest answer.
const MOST_BYTES: usize = 256 * 1024;

/// Who asks.
pub(super) struct Asker(Client);

impl Asker {
    /// Waits so long for each answer.
    pub fn new(limit: Duration) -> Result<Self, AuthFault> {
        plain().timeout(limit).build().map(Self).map_err(|e| unreachable(&e))
    }

    /// What a source says to somebody who is not signed in: the challenge, where it has one.
    pub async fn challenge(&self, at: &Url) -> Result<Option<String>, AuthFault> {
        let hello = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
        let request = self.0.post(at.clone()).header(CONTENT_TYPE, "application/json");
        let request = request.header(ACCEPT, "application/json, text/event-stream").body(hello);
        let answer = request.send().await.map_err(|e| unreachable(&e))?;
        if answer.status() != StatusCode::UNAUTHORIZED {
            return Ok(None);
        }
        let said: Vec<_> = answer.headers().get_all(WWW_AUTHENTICATE).iter().collect();
        Ok(Some(said.iter().filter_map(|v| v.to_str().ok()).collect::<Vec<_>>().join(", ")))
    }

    /// A document, where there is one.
    pub async fn document(&self, at: &Url) -> Result<Option<Value>, AuthFault> {
        let answer = self.0.get(at.clone()).header(ACCEPT, "application/json").send().await;
        let answer = answer.map_err(|e| unreachable(&e))?;
        if answer.status().is_client_error() {
            return Ok(None);
        }
        read(at, answer).await?.map(Some).map_err(|why| AuthFault::Odd(format!("{at} says {why}")))
    }

    /// Sends JSON.
    pub async fn put(&self, at: &Url, value: &Value) -> Result<Value, AuthFault> {
        self.answer(at, self.0.post(at.clone()).json(value)).await?.map_err(AuthFault::Refused)
    }

    /// Sends fields; the word with which they are refused, where they are.
    pub async fn send(
        &self,
        at: &Url,
        fields: &[(&str, &str)],
        login: Option<(&str, &str)>,
    ) -> Result<Result<Value, String>, AuthFault> {
        let mut form = at.clone();
        form.set_query(None);
        form.query_pairs_mut().extend_pairs(fields);
        let body = form.query().unwrap_or_default().to_owned();
        let request = self.0.post(at.clone()).header(ACCEPT, "application/json");
        let request = request.header(CONTENT_TYPE, "application/x-www-form-urlencoded").body(body);
        let request = match login {
            Some((id, secret)) => request.basic_auth(escaped(id), Some(escaped(secret))),
            None => request,
        };
        self.answer(at, request).await
    }

    async fn answer(&self, at: &Url, request: RequestBuilder) -> Result<Result<Value, String>, AuthFault> {
        read(at, request.send().await.map_err(|e| unreachable(&e))?).await
    }
}

/// How requests to a source's own servers are made: what is sent is meant for the host that is named, and no other.
pub(crate) fn plain() -> reqwest::ClientBuilder {
    // An error means that one is set already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    Client::builder().redirect(Policy::none())
}

async fn read(at: &Url, mut answer: Response) -> Result<Result<Value, String>, AuthFault> {
    let status = answer.status();
    let mut body = Vec::new();
    while let Some(piece) = answer.chunk().await.map_err(|e| unreachable(&e))? {
        if body.len() + piece.len() > MOST_BYTES {
            return Err(AuthFault::Odd(format!("{at} answers with more than {} KB", MOST_BYTES / 1024)));
        }
        body.extend_from_slice(&piece);
    }
    let said: Option<Value> = serde_json::from_slice(&body).ok();
    if status.is_success() {
        return said
            .filter(Value::is_object)
            .map(Ok)
            .ok_or_else(|| AuthFault::Odd(format!("{at} answers with no JSON")));
    }
    if status.is_redirection() {
        return Err(AuthFault::Odd(format!("{at} sends its visitors elsewhere")));
    }
    let word = said.as_ref().and_then(|v| v.get("error")).and_then(Value::as_str);
    Ok(Err(word.map_or_else(|| format!("HTTP {}", status.as_u16()), shown)))
}

/// As it stands in a login of this kind.
fn escaped(text: &str) -> String {
    let mut url = Url::parse("x:/").ok();
    if let Some(url) = &mut url {
        url.query_pairs_mut().append_key_only(text);
    }
    url.as_ref().and_then(Url::query).unwrap_or_default().to_owned()
}

fn unreachable(e: &reqwest::Error) -> AuthFault {
    AuthFault::Unreachable(crate::connection::short(e))
}
