//! Where a model lives: address, key, names, time limits, price; and the usual places.
//!
//! Owns what a user configures. Never reads the environment or a file: the runtime does and fills
//! this in. Keys are never printed, not even by `Debug`.

use std::{fmt, time::Duration};

use pilothouse_core::blob::BlobId;
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;

/// An OpenAI-compatible endpoint and one model there.
#[derive(Clone)]
pub struct Endpoint {
    /// The address before `/chat/completions`, such as `http://127.0.0.1:11434/v1`, without user,
    /// password and query.
    pub base_url: String,
    /// The user and password of the address, as they stand in it.
    pub login: Option<SecretString>,
    /// The key; local servers need none.
    pub key: Option<SecretString>,
    /// Where the key comes from, in words; never the key itself.
    pub key_from: Option<String>,
    /// The header that carries the bare key; `None` for `Authorization: Bearer`.
    pub key_header: Option<String>,
    /// The model, as the server calls it.
    pub model: String,
    /// Further headers.
    pub headers: Vec<(String, SecretString)>,
    /// Query parameters of every request, such as Azure's `api-version`.
    pub query: Vec<(String, SecretString)>,
    /// The longest wait for a connection.
    pub connect_timeout: Duration,
    /// The longest silence, before the answer and within it.
    pub silence_timeout: Duration,
    /// The wait before the first automatic retry; it doubles for the second. The server's
    /// `Retry-After` goes before it.
    pub backoff: Duration,
    /// The price, where it is known.
    pub price: Option<Price>,
    /// The usual place that it is, if it is one: what that understands beyond the interface is used.
    pub place: Option<Preset>,
    /// How much the model is to think; its own choice where nobody says.
    pub effort: Option<Effort>,
}

/// How much a model thinks before it answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Effort {
    /// Not at all.
    None,
    /// Hardly.
    Minimal,
    /// Little: the least that every thinking model knows.
    Low,
    /// Some.
    Medium,
    /// Much.
    High,
    /// As much as it can.
    XHigh,
}

impl Effort {
    /// All of them, the least first.
    pub const ALL: [Self; 6] = [Self::None, Self::Minimal, Self::Low, Self::Medium, Self::High, Self::XHigh];

    /// The name in configuration files and on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Minimal => "minimal",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::XHigh => "xhigh",
        }
    }

    /// The effort called `name`, in any case.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|e| e.name().eq_ignore_ascii_case(name.trim()))
    }
}

/// What tokens cost, in millionths of a US dollar per million tokens: 250,000 is $0.25.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Price {
    /// Tokens read.
    pub input: u64,
    /// Tokens read from a cache.
    pub cached: u64,
    /// Tokens written.
    pub output: u64,
}

impl Endpoint {
    /// What is to be done where the server refuses the key: which one it was, and where another is given.
    pub(crate) fn key_hint(&self) -> String {
        match (&self.key_from, &self.key) {
            (Some(from), _) => format!("the key in use is {from}; `/connect` takes another one"),
            (None, Some(_)) => "check the key and the model's name; `/connect` takes another key".to_owned(),
            (None, None) => "no key is set here; `/connect` takes one".to_owned(),
        }
    }

    /// An endpoint without a key, with 10 s to connect, 120 s of silence and 0.5 s before the
    /// first retry. User, password and query of the address are kept apart from it.
    pub fn new(base_url: impl AsRef<str>, model: impl Into<String>) -> Self {
        let (base_url, login, query) = split(base_url.as_ref().trim());
        Self {
            place: Preset::at(&base_url),
            base_url,
            login,
            key: None,
            key_from: None,
            key_header: None,
            model: model.into(),
            headers: Vec::new(),
            query,
            connect_timeout: Duration::from_secs(10),
            silence_timeout: Duration::from_mins(2),
            backoff: Duration::from_millis(500),
            price: None,
            effort: None,
        }
    }

    /// A deployment at Azure: `resource` is `https://NAME.openai.azure.com`, `api_version` such as
    /// [`Preset::AZURE_API_VERSION`].
    pub fn azure(resource: &str, deployment: &str, api_version: &str) -> Self {
        let base = format!("{}/openai/deployments/{deployment}", resource.trim_end_matches('/'));
        Self {
            key_header: Some("api-key".to_owned()),
            query: vec![(API_VERSION.to_owned(), api_version.into())],
            place: Some(Preset::Azure),
            ..Self::new(base, deployment)
        }
    }

    /// The host, in lower case; `None` where the address cannot be read.
    pub fn host(&self) -> Option<String> {
        reqwest::Url::parse(&self.base_url).ok()?.host_str().map(str::to_ascii_lowercase)
    }

    /// Endpoint and model as one opaque mark.
    pub fn origin(&self) -> String {
        BlobId::of(format!("{}\n{}", self.base_url, self.model).as_bytes()).short(ORIGIN_DIGITS)
    }

    /// Everything of it that may be secret, by name.
    pub fn secrets(&self) -> impl Iterator<Item = (&str, &str)> {
        let key = self.key.iter().map(|k| ("key", k.expose_secret()));
        let headers = self.headers.iter().map(|(name, value)| (name.as_str(), value.expose_secret()));
        let query = self.query.iter().map(|(name, value)| (name.as_str(), value.expose_secret()));
        let query = query.filter(|(name, _)| *name != API_VERSION);
        let login = self.login.iter().map(|l| ("password", l.expose_secret()));
        let password = login.clone().filter_map(|(name, l)| Some((name, l.split_once(':')?.1)));
        key.chain(headers).chain(query).chain(login).chain(password)
    }

    /// Whether the address is this machine, so that no proxy may stand between.
    pub fn is_loopback(&self) -> bool {
        let host = self.host().unwrap_or_default();
        let host = host.trim_matches(['[', ']']);
        host.eq_ignore_ascii_case("localhost")
            || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
    }

    /// Whether what is said there is encrypted.
    pub fn is_encrypted(&self) -> bool {
        reqwest::Url::parse(&self.base_url).map_or(true, |url| url.scheme() != "http")
    }

    /// The address, fit to be shown.
    pub fn shown_url(&self) -> String {
        reqwest::Url::parse(&self.base_url)
            .map_or_else(|_| "(an address that cannot be read)".to_owned(), |url| url.to_string())
    }
}

/// Digits of an [`Endpoint::origin`].
const ORIGIN_DIGITS: usize = 16;
/// Names the one query parameter that is no secret.
const API_VERSION: &str = "api-version";

type Parts = (String, Option<SecretString>, Vec<(String, SecretString)>);

/// An address as people paste it: what stands before its path, and what is secret of it.
fn split(address: &str) -> Parts {
    let (address, query) = address.split_once('?').unwrap_or((address, ""));
    let pairs = reqwest::Url::parse(&format!("http://h/?{query}")).ok();
    let pairs = pairs.iter().flat_map(|u| u.query_pairs().into_owned());
    let query = pairs.map(|(name, value)| (name, value.into())).collect();
    let Some((scheme, rest)) = address.split_once("://") else { return (address.to_owned(), None, query) };
    let end = rest.find('/').unwrap_or(rest.len());
    let (place, path) = rest.split_at(end);
    let (login, host) = place.rsplit_once('@').map_or((None, place), |(login, host)| (Some(login), host));
    (format!("{scheme}://{host}{path}"), login.map(SecretString::from), query)
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names =
            |pairs: &[(String, SecretString)]| pairs.iter().map(|(n, _)| n.clone()).collect::<Vec<_>>();
        f.debug_struct("Endpoint")
            .field("base_url", &self.shown_url())
            .field("model", &self.model)
            .field("has_key", &self.key.is_some())
            .field("headers", &names(&self.headers))
            .field("query", &names(&self.query))
            .finish_non_exhaustive()
    }
}

/// What is known of a place where models live.
#[derive(Debug)]
struct Place {
    name: &'static str,
    base_url: Option<&'static str>,
    url_variable: Option<&'static str>,
    key_variables: &'static [&'static str],
}

/// The places, each an entry: its name in configuration files, its base URL, the variables that usually
/// hold a base URL and the key.
macro_rules! presets {
    ($($(#[$doc:meta])* $variant:ident $name:literal, $url:expr, $url_variable:expr, $keys:expr;)*) => {
        /// The usual places where models live.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Preset {
            $($(#[$doc])* $variant,)*
        }

        impl Preset {
            /// Every preset.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            const fn place(self) -> Place {
                match self {
                    $(Self::$variant => Place {
                        name: $name,
                        base_url: $url,
                        url_variable: $url_variable,
                        key_variables: $keys,
                    },)*
                }
            }
        }
    };
}

presets! {
    /// `OpenAI`.
    OpenAi "openai", Some("https://api.openai.com/v1"), Some("OPENAI_BASE_URL"), &["OPENAI_API_KEY"];
    /// `OpenRouter`.
    OpenRouter "openrouter", Some("https://openrouter.ai/api/v1"), None, &["OPENROUTER_API_KEY"];
    /// Ollama on this machine.
    Ollama "ollama", Some("http://127.0.0.1:11434/v1"), None, &[];
    /// LM Studio on this machine.
    LmStudio "lmstudio", Some("http://127.0.0.1:1234/v1"), None, &[];
    /// A llama.cpp server on this machine.
    LlamaCpp "llamacpp", Some("http://127.0.0.1:8080/v1"), None, &[];
    /// Anthropic's compatible endpoint.
    Anthropic "anthropic", Some("https://api.anthropic.com/v1"), None, &["ANTHROPIC_API_KEY"];
    /// Google's compatible endpoint.
    Google "google", Some("https://generativelanguage.googleapis.com/v1beta/openai"), None,
        &["GEMINI_API_KEY", "GOOGLE_API_KEY"];
    /// A deployment at Azure; see [`Endpoint::azure`].
    Azure "azure", None, Some("AZURE_OPENAI_ENDPOINT"), &["AZURE_OPENAI_API_KEY"];
}

impl Preset {
    /// The version of Azure's interface that is asked for unless another is configured.
    pub const AZURE_API_VERSION: &'static str = "2024-10-21";

    /// The name in configuration files.
    pub const fn name(self) -> &'static str {
        self.place().name
    }

    /// The preset called `name`, in any case.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|p| p.name().eq_ignore_ascii_case(name.trim()))
    }

    /// The preset that lives at this address.
    fn at(base_url: &str) -> Option<Self> {
        let place = |url: &str| {
            let url = reqwest::Url::parse(url).ok()?;
            Some((url.host_str()?.to_ascii_lowercase(), url.port_or_known_default()))
        };
        let of = place(base_url)?;
        Self::ALL.iter().copied().find(|p| p.base_url().and_then(place).as_ref() == Some(&of))
    }

    /// The base URL; `None` for Azure, where every customer has their own.
    pub const fn base_url(self) -> Option<&'static str> {
        self.place().base_url
    }

    /// The environment variable that usually holds the base URL, if there is one.
    pub const fn url_variable(self) -> Option<&'static str> {
        self.place().url_variable
    }

    /// The environment variables that usually hold the key, best first; none for local servers.
    pub const fn key_variables(self) -> &'static [&'static str] {
        self.place().key_variables
    }

    /// An endpoint at this place for `model`; `None` for Azure.
    pub fn endpoint(self, model: impl Into<String>) -> Option<Endpoint> {
        self.base_url().map(|url| Endpoint::new(url, model))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_is_found_by_its_name() {
        for &preset in Preset::ALL {
            assert_eq!(Preset::named(&preset.name().to_uppercase()), Some(preset));
            assert_eq!(preset.endpoint("m").is_none(), preset == Preset::Azure);
        }
    }

    #[test]
    fn a_refused_key_is_told_by_where_it_comes_from() {
        let mut at = Endpoint::new("https://api.openai.com/v1", "m");
        assert_eq!(at.key_hint(), "no key is set here; `/connect` takes one");
        at.key = Some("sk-made-up".into());
        assert!(at.key_hint().starts_with("check the key"));
        at.key_from = Some("PILOTHOUSE_API_KEY (environment)".to_owned());
        let told = "the key in use is PILOTHOUSE_API_KEY (environment); `/connect` takes another one";
        assert_eq!(at.key_hint(), told);
    }

    #[test]
    fn debug_shows_no_secret() {
        let mut e = Endpoint::new("https://me:hunter2@example.org/v1?token=hunter3", "m");
        assert_eq!(e.base_url, "https://example.org/v1");
        assert_eq!(
            e.secrets().map(|(_, value)| value).collect::<Vec<_>>(),
            ["hunter3", "me:hunter2", "hunter2"]
        );
        e.key = Some("hunter4".into());
        e.headers.push(("x-key".into(), "hunter5".into()));
        e.query.push(("sig".into(), "hunter6".into()));
        assert!(!format!("{e:?}").contains("hunter"), "{e:?}");
    }

    #[test]
    fn a_place_is_known_by_its_address_and_an_origin_by_place_and_model() {
        assert_eq!(Endpoint::new("https://api.openai.com/v1/", "m").place, Some(Preset::OpenAi));
        assert_eq!(Endpoint::new("https://openrouter.ai/api/v1", "m").place, Some(Preset::OpenRouter));
        for unknown in ["https://api.openai.com.example.org/v1", "http://127.0.0.1:9/v1", "nonsense"] {
            assert_eq!(Endpoint::new(unknown, "m").place, None, "{unknown}");
        }
        let one = Endpoint::new("https://user:pw@example.org/v1?key=k", "m").origin();
        assert_eq!(one, Endpoint::new("https://example.org/v1", "m").origin());
        assert_ne!(one, Endpoint::new("https://example.org/v1", "n").origin());
    }

    #[test]
    fn loopback_is_told_from_the_rest() {
        for url in ["http://localhost:1/v1", "http://127.0.0.1/v1", "http://[::1]:8080/v1"] {
            assert!(Endpoint::new(url, "m").is_loopback(), "{url}");
        }
        assert!(!Endpoint::new("http://127.0.0.1.example.org/v1", "m").is_loopback());
    }
}
