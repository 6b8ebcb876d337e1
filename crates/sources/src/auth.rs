//! Signing in to a source that is reached by HTTP, as the protocol's authorization has it: the user's consent in a
//! browser, with PKCE and a port of this machine that is open only while it is waited for, or by a code that is typed
//! elsewhere; later the tokens made new.
//!
//! Owns what is asked of whom, and that a token goes only to the address that it was given for. Never keeps one and
//! never opens a browser.

mod ask;
mod discovery;
mod door;

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use futures::future::BoxFuture;
use pilothouse_core::clean::Clean;
use reqwest::Url;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokio::time::{sleep, timeout};

use crate::{Definition, Lookup, Reach, definition::filled};
use ask::Asker;
pub(crate) use ask::plain;
use discovery::Authority;
use door::Door;

/// How long before its end a token counts as over, in seconds.
const MARGIN_S: u64 = 30;
/// How often a code is asked after when its server does not say, in seconds.
const INTERVAL_S: u64 = 5;
/// The longest text of a server that is shown.
const MOST_SHOWN: usize = 200;
/// The grant of a code that is typed elsewhere.
const DEVICE_GRANT: &str = "urn:ietf:params:oauth:grant-type:device_code";

/// The program as an authorization server knows it beforehand.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Registered {
    /// Its identifier there.
    #[serde(alias = "clientId")]
    pub client_id: String,
    /// Its secret there, where it has one; `${NAME}` in it stands for a variable of the user's.
    #[serde(default, alias = "clientSecret")]
    pub client_secret: Option<String>,
    /// What it asks leave for, where that is said.
    #[serde(default)]
    pub scopes: Vec<String>,
}

/// Why nobody was signed in.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AuthFault {
    /// It is a program.
    #[error("it is a program that is started here; only a source with a `url` is signed in to")]
    Program,
    /// Its server wants nothing of the kind.
    #[error("its server asks nobody to sign in")]
    NotAsked,
    /// Its server does not take programs that it does not know.
    #[error(
        "its server registers no programs by itself: register one there, and write \"oauth\": {{\"client_id\": \"…\"}} in {0}"
    )]
    NotRegistered(String),
    /// A variable that its configuration names has no value.
    #[error("{0} has no value: set it in the environment, or store it with `pilothouse auth set {0}`")]
    NoValue(String),
    /// Its server does not offer this way.
    #[error("its server does not offer {0}")]
    NotOffered(&'static str),
    /// It could not be reached.
    #[error("{0}")]
    Unreachable(String),
    /// A server broke a rule of signing in.
    #[error("its server does not keep to the rules of signing in: {0}")]
    Odd(String),
    /// The user or the server said no.
    #[error("it was refused: {0}")]
    Refused(String),
    /// Nobody signed in.
    #[error("nobody signed in within {0} s")]
    TimedOut(u64),
}

/// What the user is to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invitation {
    /// The address to open.
    pub address: String,
    /// The code to type there, where one is.
    pub code: Option<String>,
}

/// Leave to use a source, as its server gave it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignIn {
    /// The address that it is for, and no other.
    url: String,
    /// What its server calls that.
    resource: String,
    /// Where it is made new.
    token_endpoint: String,
    client: Client,
    access: String,
    #[serde(default)]
    refresh: Option<String>,
    /// When it ends, in seconds of the epoch.
    #[serde(default)]
    until: Option<u64>,
}

/// The program as its server knows it now.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Client {
    id: String,
    #[serde(default)]
    secret: Option<String>,
    /// Whether the secret stands among the fields, not in the header.
    #[serde(default)]
    in_fields: bool,
}

impl std::fmt::Debug for SignIn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SignIn({})", self.url)
    }
}

impl SignIn {
    /// Whether it is for this source, where it stands now.
    pub fn is_for(&self, source: &Definition) -> bool {
        matches!(&source.reach, Reach::Http { url, .. } if *url == self.url)
    }

    /// What of it is shown nowhere.
    pub fn secrets(&self) -> impl Iterator<Item = &str> {
        let more = [self.refresh.as_deref(), self.client.secret.as_deref()];
        std::iter::once(self.access.as_str()).chain(more.into_iter().flatten())
    }

    pub(crate) fn token(&self) -> &str {
        &self.access
    }

    /// Whether its server takes it no longer, by the time that it said.
    pub(crate) fn is_over(&self) -> bool {
        self.until.is_some_and(|until| until <= now() + MARGIN_S)
    }

    /// A new one for this, without the user.
    pub(crate) async fn renewed(&self, limit: Duration) -> Result<Self, AuthFault> {
        let refresh = self.refresh.as_deref().ok_or(AuthFault::NotOffered("to renew a sign-in"))?;
        let http = Asker::new(limit)?;
        let token = Url::parse(&self.token_endpoint).map_err(|e| AuthFault::Odd(e.to_string()))?;
        let fields =
            [("grant_type", "refresh_token"), ("refresh_token", refresh), ("resource", &self.resource)];
        let given = self.client.given(&http, &token, &fields).await?;
        let kept = self.refresh.clone();
        let new = Self::of(&given, (&self.url, &self.resource), &token, self.client.clone())?;
        Ok(Self { refresh: new.refresh.clone().or(kept), ..new })
    }

    fn of(
        given: &Value,
        (url, resource): (&str, &str),
        token: &Url,
        client: Client,
    ) -> Result<Self, AuthFault> {
        let text = |name: &str| given.get(name).and_then(Value::as_str).map(str::to_owned);
        let bearer = text("token_type").is_none_or(|t| t.eq_ignore_ascii_case("bearer"));
        let access = text("access_token").filter(|t| bearer && is_word(t));
        let Some(access) = access else { return Err(AuthFault::Odd("it gave no bearer token".to_owned())) };
        let until = given.get("expires_in").and_then(Value::as_u64).map(|s| now().saturating_add(s));
        Ok(Self {
            url: url.to_owned(),
            resource: resource.to_owned(),
            token_endpoint: token.to_string(),
            client,
            access,
            refresh: text("refresh_token").filter(|t| is_word(t)),
            until,
        })
    }
}

/// How somebody signs in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// In a browser of this machine, where the server offers that; else by a code.
    Browser,
    /// By a code that is typed on any machine.
    Code,
}

/// Lets the user sign in to a source, within `limit`; `told` says what they are to do.
///
/// # Errors
/// Why nobody is signed in.
pub fn sign_in<'a>(
    source: &'a Definition,
    value: &'a Lookup,
    (how, limit): (How, Duration),
    told: &'a (dyn Fn(Invitation) + Send + Sync),
) -> BoxFuture<'a, Result<SignIn, AuthFault>> {
    let work = async move {
        let Reach::Http { url, .. } = &source.reach else { return Err(AuthFault::Program) };
        let http = Asker::new(source.start)?;
        let at = Url::parse(url).map_err(|e| AuthFault::Unreachable(e.to_string()))?;
        let authority = Authority::of(&http, &at).await?;
        let scopes = source.oauth.as_ref().map(|o| o.scopes.join(" ")).filter(|s| !s.is_empty());
        let scopes = scopes.or_else(|| authority.scopes.clone());
        let by_code = how == How::Code || authority.authorize.is_none();
        let wanted = Wanted { http, source, value, authority, scopes, told };
        let (given, client) = if by_code { wanted.by_code(limit).await } else { wanted.in_browser().await }?;
        SignIn::of(&given, (url, &wanted.authority.resource), &wanted.authority.token, client)
    };
    Box::pin(async move { timeout(limit, work).await.map_err(|_| AuthFault::TimedOut(limit.as_secs()))? })
}

/// A sign-in under way.
struct Wanted<'a> {
    http: Asker,
    source: &'a Definition,
    value: &'a Lookup,
    authority: Authority,
    scopes: Option<String>,
    told: &'a (dyn Fn(Invitation) + Send + Sync),
}

impl Wanted<'_> {
    /// The code flow: the browser comes back to a port of this machine with a code, which is worth nothing without the
    /// word that only this process knows.
    async fn in_browser(&self) -> Result<(Value, Client), AuthFault> {
        let authorize = self.authority.authorize.clone().ok_or(AuthFault::NotOffered("a sign-in"))?;
        if !self.authority.proves {
            return Err(AuthFault::Odd(
                "it does not ask for proof that a code is ours (PKCE, S256)".to_owned(),
            ));
        }
        let door = Door::open().await?;
        let client = self.client(&["authorization_code", "refresh_token"], Some(&door.address)).await?;
        let (state, word) = (random()?, random()?);
        let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(&word));
        let mut address = authorize;
        let fields = [
            ("response_type", "code"),
            ("client_id", &client.id),
            ("redirect_uri", &door.address),
            ("code_challenge", &challenge),
            ("code_challenge_method", "S256"),
            ("state", &state),
            ("resource", &self.authority.resource),
        ];
        address.query_pairs_mut().extend_pairs(fields).extend_pairs(self.scopes.iter().map(|s| ("scope", s)));
        (self.told)(Invitation { address: address.to_string(), code: None });
        let back = door.address.clone();
        let code = door.code(&state, &self.authority).await?;
        let fields = [
            ("grant_type", "authorization_code"),
            ("code", &code),
            ("redirect_uri", &back),
            ("code_verifier", &word),
            ("resource", &self.authority.resource),
        ];
        let given = client.given(&self.http, &self.authority.token, &fields).await?;
        Ok((given, client))
    }

    /// The device flow: the user types a code anywhere, and the server is asked now and then whether they did.
    async fn by_code(&self, limit: Duration) -> Result<(Value, Client), AuthFault> {
        let device = self.authority.device.clone().ok_or(AuthFault::NotOffered("a sign-in by a code"))?;
        let client = self.client(&[DEVICE_GRANT, "refresh_token"], None).await?;
        let scope = self.scopes.iter().map(|s| ("scope", s.as_str()));
        let fields: Vec<_> = scope.chain([("resource", self.authority.resource.as_str())]).collect();
        let begun = client.given(&self.http, &device, &fields).await?;
        let text = |name: &str| begun.get(name).and_then(Value::as_str);
        let (Some(secret), Some(code), Some(page)) =
            (text("device_code"), text("user_code"), text("verification_uri"))
        else {
            return Err(AuthFault::Odd("it gave no code".to_owned()));
        };
        let address = self.authority.place(page)?.to_string();
        (self.told)(Invitation { address, code: Some(shown(code)) });
        let most = limit.as_secs().max(1);
        let mut pause = begun.get("interval").and_then(Value::as_u64).unwrap_or(INTERVAL_S).clamp(1, most);
        let fields = [("grant_type", DEVICE_GRANT), ("device_code", secret)];
        loop {
            sleep(Duration::from_secs(pause)).await;
            match client.asked(&self.http, &self.authority.token, &fields).await? {
                Ok(given) => return Ok((given, client)),
                Err(why) if why == "authorization_pending" => {}
                Err(why) if why == "slow_down" => pause = (pause + INTERVAL_S).min(most),
                Err(why) => return Err(AuthFault::Refused(why)),
            }
        }
    }

    /// The program as the server knows it: as it is written down, else as it registers itself now.
    async fn client(&self, grants: &[&str], back: Option<&str>) -> Result<Client, AuthFault> {
        let in_fields = self.authority.in_fields;
        if let Some(known) = &self.source.oauth {
            let secret = known.client_secret.as_deref().map(|s| filled(s, &**self.value)).transpose();
            let secret = secret.map_err(AuthFault::NoValue)?;
            return Ok(Client { id: known.client_id.clone(), secret, in_fields });
        }
        let file = || self.source.file.display().to_string();
        let register = self.authority.register.as_ref().ok_or_else(|| AuthFault::NotRegistered(file()))?;
        let said = json!({
            "client_name": "Pilothouse",
            "redirect_uris": back.into_iter().collect::<Vec<_>>(),
            "grant_types": grants,
            "response_types": back.map(|_| "code").into_iter().collect::<Vec<_>>(),
            "token_endpoint_auth_method": "none",
            "application_type": "native",
        });
        let given = self.http.put(register, &said).await?;
        let text = |name: &str| given.get(name).and_then(Value::as_str).map(str::to_owned);
        let id = text("client_id").ok_or_else(|| AuthFault::Odd("it registered nobody".to_owned()))?;
        let in_fields =
            in_fields || text("token_endpoint_auth_method").as_deref() == Some("client_secret_post");
        Ok(Client { id, secret: text("client_secret"), in_fields })
    }
}

impl Client {
    /// What is given for these fields.
    async fn given(&self, http: &Asker, at: &Url, fields: &[(&str, &str)]) -> Result<Value, AuthFault> {
        self.asked(http, at, fields).await?.map_err(AuthFault::Refused)
    }

    /// The same, or the word with which it is refused.
    async fn asked(
        &self,
        http: &Asker,
        at: &Url,
        fields: &[(&str, &str)],
    ) -> Result<Result<Value, String>, AuthFault> {
        let mut all = fields.to_vec();
        let mut login = None;
        match &self.secret {
            Some(secret) if !self.in_fields => login = Some((self.id.as_str(), secret.as_str())),
            Some(secret) => all.extend([("client_id", self.id.as_str()), ("client_secret", secret)]),
            None => all.push(("client_id", &self.id)),
        }
        http.send(at, &all, login).await
    }
}

/// A word that nobody can guess.
fn random() -> Result<String, AuthFault> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|e| AuthFault::Unreachable(format!("no random numbers: {e}")))?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

/// Whether a text can stand in a header.
fn is_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_graphic())
}

/// What a server says, short and harmless.
fn shown(text: &str) -> String {
    Clean::line(text).chars().take(MOST_SHOWN).collect()
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs())
}
