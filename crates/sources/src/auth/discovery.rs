//! Who signs users in to a source, and where: told by the source's server, held against what may be so.
//!
//! Owns which addresses are taken. Never sends anything that is secret.

use reqwest::Url;
use serde_json::Value;

use super::{AuthFault, ask::Asker};

/// Where a source says who protects it.
const RESOURCE: &str = "/.well-known/oauth-protected-resource";
/// Where a server says how it signs in.
const SERVER: &str = "/.well-known/oauth-authorization-server";
/// The same in the words of another standard.
const OPENID: &str = "/.well-known/openid-configuration";

/// Who signs in.
#[derive(Debug)]
pub(super) struct Authority {
    /// Its name: its address.
    pub issuer: String,
    /// What the source is called there.
    pub resource: String,
    /// What leave is asked for.
    pub scopes: Option<String>,
    /// The page for the user.
    pub authorize: Option<Url>,
    /// Where tokens are given.
    pub token: Url,
    /// Where programs register.
    pub register: Option<Url>,
    /// Where codes are given that are typed elsewhere.
    pub device: Option<Url>,
    /// Whether it wants proof that a code is ours.
    pub proves: bool,
    /// Whether it says its name when the browser comes back.
    pub named: bool,
    /// Whether a secret stands among the fields.
    pub in_fields: bool,
    /// Whether the source is on this machine, so that others may be as well.
    local: bool,
}

impl Authority {
    /// Who signs in to the source at `at`.
    pub async fn of(http: &Asker, at: &Url) -> Result<Self, AuthFault> {
        let challenge = http.challenge(at).await?;
        let said = parameters(challenge.as_deref().unwrap_or_default());
        let said = |name: &str| said.iter().find(|(n, _)| n == name).map(|(_, v)| v.clone());
        let local = is_local(at);
        let protected = match said("resource_metadata") {
            Some(place) => {
                let place = place_of(&place, local)?;
                if place.origin() != at.origin() {
                    return Err(AuthFault::Odd(format!("it leaves it to {place} to say what it is")));
                }
                http.document(&place).await?
            }
            None => first(http, &[below(at, RESOURCE, at.path()), below(at, RESOURCE, "")]).await?,
        };
        if protected.is_none() && challenge.is_none() {
            return Err(AuthFault::NotAsked);
        }
        let (resource, issuer) = match &protected {
            Some(document) => (resource(document, at)?, issuer(document)?),
            // Before there were such documents, a source signed in by itself.
            None => (at.to_string(), at.origin().ascii_serialization()),
        };
        let offered = protected.as_ref().and_then(|d| d.get("scopes_supported")).map(words);
        let scopes = said("scope").or_else(|| offered.map(|all| all.join(" "))).filter(|s| !s.is_empty());
        let place = place_of(&issuer, local)?;
        let (whole, path) = (place.path().trim_end_matches('/'), place.path());
        let mut places = vec![below(&place, SERVER, path), below(&place, OPENID, path)];
        if !whole.is_empty() {
            places.push(below(&place, whole, OPENID));
        }
        let Some(document) = first(http, &places).await? else {
            return Err(AuthFault::Odd(format!("{issuer} does not say how it signs in")));
        };
        Self::read(&document, &issuer, local).map(|found| Self { resource, scopes, ..found })
    }

    fn read(document: &Value, issuer: &str, local: bool) -> Result<Self, AuthFault> {
        let text = |name: &str| document.get(name).and_then(Value::as_str);
        let list = |name: &str| document.get(name).map(words).unwrap_or_default();
        let named = text("issuer").unwrap_or_default();
        if named.trim_end_matches('/') != issuer.trim_end_matches('/') {
            return Err(AuthFault::Odd(format!("{issuer} goes by the name of {}", super::shown(named))));
        }
        let place = |name: &str| text(name).map(|t| place_of(t, local)).transpose();
        let ways = list("token_endpoint_auth_methods_supported");
        let has = |way: &str| ways.iter().any(|w| w == way);
        Ok(Self {
            resource: String::new(),
            scopes: None,
            authorize: place("authorization_endpoint")?,
            token: place("token_endpoint")?.ok_or_else(|| AuthFault::Odd("it gives no tokens".to_owned()))?,
            register: place("registration_endpoint")?,
            device: place("device_authorization_endpoint")?,
            proves: list("code_challenge_methods_supported").iter().any(|m| m == "S256"),
            named: document.get("authorization_response_iss_parameter_supported") == Some(&Value::Bool(true)),
            in_fields: has("client_secret_post") && !has("client_secret_basic"),
            issuer: named.to_owned(),
            local,
        })
    }

    /// An address that it names.
    pub fn place(&self, text: &str) -> Result<Url, AuthFault> {
        place_of(text, self.local)
    }
}

/// An address that may be asked: of this machine only where the source is on it, and else nobody listens on the way.
fn place_of(text: &str, local: bool) -> Result<Url, AuthFault> {
    let odd = || AuthFault::Odd(format!("it names the address {}", super::shown(text)));
    let url = Url::parse(text).map_err(|_| odd())?;
    let plain = url.username().is_empty() && url.password().is_none() && url.fragment().is_none();
    let fits = match url.scheme() {
        "https" => local || !is_local(&url),
        "http" => local && is_local(&url),
        _ => false,
    };
    if fits && plain && url.host().is_some() { Ok(url) } else { Err(odd()) }
}

fn is_local(url: &Url) -> bool {
    matches!(url.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"))
}

/// What the source is called: it, or what it is a part of.
fn resource(document: &Value, at: &Url) -> Result<String, AuthFault> {
    let said = document.get("resource").and_then(Value::as_str).unwrap_or_default();
    let part = |whole: &Url| {
        let rest = at.path().strip_prefix(whole.path().trim_end_matches('/'));
        rest.is_some_and(|r| r.is_empty() || r.starts_with('/'))
    };
    let fits =
        Url::parse(said).is_ok_and(|u| u.origin() == at.origin() && part(&u) && u.fragment().is_none());
    if fits {
        Ok(said.to_owned())
    } else {
        Err(AuthFault::Odd(format!("it is protected as {}, which is another", super::shown(said))))
    }
}

fn issuer(document: &Value) -> Result<String, AuthFault> {
    let all = document.get("authorization_servers").map(words).unwrap_or_default();
    all.into_iter().next().ok_or_else(|| AuthFault::Odd("it names nobody who signs in".to_owned()))
}

/// The first of these documents that there is.
async fn first(http: &Asker, places: &[Url]) -> Result<Option<Value>, AuthFault> {
    for place in places {
        if let Some(found) = http.document(place).await? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

fn below(at: &Url, well_known: &str, path: &str) -> Url {
    let mut url = at.clone();
    url.set_path(&format!("{well_known}{}", path.trim_end_matches('/')));
    url.set_query(None);
    url.set_fragment(None);
    url
}

fn words(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// The parameters of a challenge: `Scheme name="value", other=value`.
fn parameters(header: &str) -> Vec<(String, String)> {
    let is_token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~/".contains(c);
    let (mut all, mut rest) = (Vec::new(), header);
    loop {
        rest = rest.trim_start_matches([' ', '\t', ',']);
        let name: String = rest.chars().take_while(|c| is_token(*c)).collect();
        let Some(after) = rest.strip_prefix(name.as_str()).filter(|_| !name.is_empty()) else { return all };
        // A name without a value is a scheme.
        let Some(value) = after.trim_start().strip_prefix('=') else {
            rest = after;
            continue;
        };
        let value = value.trim_start();
        let mut text = String::new();
        rest = if let Some(quoted) = value.strip_prefix('"') {
            let mut chars = quoted.chars();
            while let Some(c) = chars.next().filter(|c| *c != '"') {
                text.extend(if c == '\\' { chars.next() } else { Some(c) });
            }
            chars.as_str()
        } else {
            text = value.chars().take_while(|c| is_token(*c) || *c == '=').collect();
            value.strip_prefix(text.as_str()).unwrap_or_default()
        };
        all.push((name.to_ascii_lowercase(), text));
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_challenge_is_read_with_its_quotes() {
        let said = r#"Basic realm="a, b\"c", Bearer error=invalid_token,resource_metadata="https://x/y" , scope="a b""#;
        let pair = |n: &str, v: &str| (n.to_owned(), v.to_owned());
        let all = [
            pair("realm", "a, b\"c"),
            pair("error", "invalid_token"),
            pair("resource_metadata", "https://x/y"),
            pair("scope", "a b"),
        ];
        assert_eq!(parameters(said), all);
        for odd in ["", "Bearer", "=", "\"", "a=\"", "Bearer \u{e9}=x"] {
            assert!(parameters(odd).iter().all(|(_, v)| v.is_empty()), "{odd}");
        }
    }

    #[test]
    fn a_source_is_known_by_its_own_name_or_by_what_it_is_a_part_of() {
        let at = Url::parse("https://host/mcp/v1").unwrap();
        let of = |said: &str| resource(&json!({"resource": said}), &at).is_ok();
        for fine in ["https://host/mcp/v1", "https://host/mcp/", "https://host"] {
            assert!(of(fine), "{fine}");
        }
        for other in
            ["https://other/mcp/v1", "http://host/mcp", "https://host/mc", "https://host/mcp/v1/x", ""]
        {
            assert!(!of(other), "{other}");
        }
    }

    #[test]
    fn no_address_leads_to_this_machine_from_outside_or_in_the_clear() {
        for (text, local, fits) in [
            ("https://host/token", false, true),
            ("http://host/token", false, false),
            ("http://127.0.0.1:1/token", false, false),
            ("https://localhost/token", false, false),
            ("http://127.0.0.1:1/token", true, true),
            ("https://me:hunter2@host/", false, false),
            ("file:///etc/passwd", true, false),
            ("token", true, false),
        ] {
            assert_eq!(place_of(text, local).is_ok(), fits, "{text}");
        }
    }
}
