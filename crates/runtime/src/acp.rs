//! The workbench as an agent of the Agent Client Protocol: an editor starts it and speaks JSON-RPC with it, a line a
//! message, over standard input and output.
//!
//! Owns the connection: which methods there are and which session a message is for. One more front of the same drivers as
//! the screen and headless runs, with the same questions; never decides and never allows anything by itself. Never uses
//! the client's own ways to files and terminals: what is not written by our ledger could not be taken back, and what
//! does not run in our sandbox is not held.

mod ask;
mod offered;
mod place;
mod prompt;
mod talk;
mod tell;
mod wire;

use std::{
    collections::BTreeMap,
    io::{Read, Write},
    os::fd::AsFd,
    path::{Path, PathBuf},
    sync::{Arc, atomic::AtomicU64},
};

use pilothouse_core::{port::Update, redact::Redactor};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::{
    sync::mpsc::{Receiver, Sender, channel},
    task::JoinSet,
};

use crate::{
    blobs::Blobs,
    driver::{Setup, Which},
    error::RuntimeError,
    headless::Stop,
    host, sessions,
};
use place::Place;
use talk::{Opening, Talk};
use wire::{Fault, Heard, Message, Out};

/// The version of the protocol that is spoken.
const VERSION: u32 = 1;
/// Sessions of one connection.
const MOST_SESSIONS: usize = 16;

/// Serves a client until its input ends or `stop` completes; every session is saved then. Gives the exit code.
///
/// # Errors
/// When its input cannot be listened to.
pub async fn serve(
    setup: Setup,
    input: impl Read + AsFd + Send + 'static,
    out: &mut (dyn Write + Send),
    stop: impl Future<Output = Stop> + Send,
) -> Result<u8, RuntimeError> {
    let written = Arc::new(AtomicU64::new(0));
    let lines = wire::listen(input, Arc::clone(&written))
        .map_err(RuntimeError::io("start", "a thread for the client"))?;
    let (news, updates) = channel(64);
    let server = Server {
        setup: Setup { asks: true, writing: true, ..setup },
        out: Out::new(out, written),
        talks: BTreeMap::new(),
        drives: JoinSet::new(),
        news,
        opened: 0,
        greeted: false,
    };
    Ok(server.run(lines, updates, stop).await)
}

/// What `session/new` and `session/load` say.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct OpenParams {
    cwd: PathBuf,
    #[serde(default)]
    mcp_servers: Vec<Value>,
    session_id: Option<String>,
}

/// What is said of one session.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct SessionParams {
    session_id: String,
    #[serde(default)]
    prompt: Value,
    #[serde(default)]
    mode_id: String,
}

fn params<T: serde::de::DeserializeOwned>(params: Value) -> Result<T, Fault> {
    serde_json::from_value(params).map_err(|e| Fault::params(e.to_string()))
}

struct Server<'a> {
    setup: Setup,
    out: Out<'a>,
    talks: BTreeMap<u64, Talk>,
    drives: JoinSet<()>,
    news: Sender<(u64, Update)>,
    /// How many sessions were opened so far.
    opened: u64,
    /// Whether the client has said who it is.
    greeted: bool,
}

impl Server<'_> {
    async fn run(
        mut self,
        mut lines: Receiver<Heard>,
        mut updates: Receiver<(u64, Update)>,
        stop: impl Future<Output = Stop> + Send,
    ) -> u8 {
        let mut stop = std::pin::pin!(stop);
        let exit = loop {
            tokio::select! {
                heard = lines.recv() => match heard {
                    Some(heard) => self.heard(heard).await,
                    None => break 0,
                },
                Some((number, update)) = updates.recv() => self.update(number, update).await,
                Some(_) = self.drives.join_next(), if !self.drives.is_empty() => self.bury(),
                why = &mut stop => break match why {
                    Stop::Interrupt => 130,
                    Stop::Terminate => 143,
                },
            }
            if self.out.closed() {
                break 0;
            }
        };
        for talk in self.talks.values() {
            talk.quit().await;
        }
        while !self.drives.is_empty() {
            tokio::select! {
                _ = self.drives.join_next() => {}
                _ = updates.recv() => {}
            }
        }
        tracing::info!(exit, "the client's connection ended");
        exit
    }

    async fn update(&mut self, number: u64, update: Update) {
        let Some(talk) = self.talks.get_mut(&number) else { return };
        if let Update::Closed(why) = update {
            talk.closed(why, &mut self.out);
            self.talks.remove(&number);
        } else {
            talk.update(update, &mut self.out).await;
        }
    }

    /// Sessions whose driver failed without a word.
    fn bury(&mut self) {
        for (_, mut talk) in self.talks.extract_if(.., |_, talk| talk.is_over()) {
            let why = "the session's driver failed; the log file has the details".to_owned();
            talk.closed(Some(why), &mut self.out);
        }
    }

    async fn heard(&mut self, heard: Heard) {
        let Heard { seen, line } = heard;
        let Some(line) = line else {
            return self.out.fail(&Value::Null, &Fault::request("the line is too long"));
        };
        if line.trim_ascii().is_empty() {
            return;
        }
        match wire::read(&line) {
            Ok(Message::Request { id, method, params }) => {
                if let Err(fault) = self.request(&id, &method, params, seen).await {
                    self.out.fail(&id, &fault);
                }
            }
            Ok(Message::Notice { method, params }) => self.notice(&method, params).await,
            Ok(Message::Answer { id, result }) => {
                let asks = |talk: &&mut Talk| id.as_u64().is_some_and(|id| talk.asks(id));
                if let Some(talk) = self.talks.values_mut().find(asks) {
                    talk.answered(result.as_ref(), &mut self.out).await;
                }
            }
            Err((id, fault)) => self.out.fail(&id, &fault),
        }
    }

    async fn request(&mut self, id: &Value, method: &str, said: Value, seen: u64) -> Result<(), Fault> {
        match method {
            "initialize" => {
                self.greeted = true;
                self.out.answer(id, &greeting());
                Ok(())
            }
            "session/new" | "session/load" | "session/prompt" | "session/set_mode" | "authenticate"
                if !self.greeted =>
            {
                Err(Fault::request("say initialize first"))
            }
            "session/new" => self.open(id, params(said)?, false),
            "session/load" => self.open(id, params(said)?, true),
            "session/prompt" => {
                let SessionParams { session_id, prompt, .. } = params(said)?;
                let talk = of_name(&mut self.talks, &session_id)?;
                let line = prompt::message(prompt, &talk.place.root)?;
                talk.prompt(id.clone(), line, seen, &mut self.out).await;
                Ok(())
            }
            "session/set_mode" => {
                let SessionParams { session_id, mode_id, .. } = params(said)?;
                let mode = offered::mode_named(&mode_id);
                let talk = of_name(&mut self.talks, &session_id)?;
                let mode = mode.ok_or_else(|| Fault::params(format!("there is no mode {mode_id}")))?;
                talk.set_mode(id.clone(), mode, &mut self.out).await;
                Ok(())
            }
            "authenticate" => {
                Err(Fault::params("nobody has to sign in here; `pilothouse auth set` keeps keys of models"))
            }
            _ => Err(Fault::method(method)),
        }
    }

    async fn notice(&mut self, method: &str, said: Value) {
        // Nobody hears of what is wrong with a notice.
        if let ("session/cancel", Ok(SessionParams { session_id, .. })) = (method, params(said))
            && let Ok(talk) = of_name(&mut self.talks, &session_id)
        {
            talk.cancel(&mut self.out).await;
        }
    }

    fn open(&mut self, id: &Value, wanted: OpenParams, load: bool) -> Result<(), Fault> {
        let OpenParams { cwd, mcp_servers, session_id } = wanted;
        if self.talks.len() >= MOST_SESSIONS {
            return Err(Fault::request(format!(
                "{MOST_SESSIONS} sessions are open; a connection has no more"
            )));
        }
        let workspace = folder(&cwd)?;
        let which = match session_id.filter(|_| load) {
            Some(slug) if self.talks.values().any(|t| t.slug == slug) => {
                return Err(Fault::request(format!("session {slug} is open already")));
            }
            Some(slug) => {
                let found = sessions::find(&self.setup.home, &workspace, &slug).ok();
                let found = found.filter(|p| p.slug == slug && p.workspace == workspace);
                let absent =
                    || Fault::absent(format!("there is no session {slug} of {}", workspace.display()));
                Which::Named(found.ok_or_else(absent)?.slug)
            }
            None if load => return Err(Fault::params("sessionId is missing")),
            None => Which::New,
        };
        let setup = Setup { workspace, which, ..self.setup.clone() };
        let ((requests, mut shown), end) = host::line();
        self.opened += 1;
        let (number, news) = (self.opened, self.news.clone());
        let blobs = Blobs::under(&setup.home.state);
        let place = Place { root: cwd, blobs, secrets: Redactor::default() };
        let opening = Opening { id: id.clone(), load, servers: mcp_servers.len() };
        self.talks.insert(number, Talk::new(place, requests, setup.home.clone(), opening));
        self.drives.spawn(async move {
            let relay = async {
                while let Some(update) = shown.recv().await {
                    if news.send((number, update)).await.is_err() {
                        return;
                    }
                }
            };
            // How it ended was told as its last update.
            let (_ended, ()) = tokio::join!(host::one(setup, end, false), relay);
        });
        Ok(())
    }
}

/// The session of this name, which the client was told of.
fn of_name<'t>(talks: &'t mut BTreeMap<u64, Talk>, slug: &str) -> Result<&'t mut Talk, Fault> {
    let found = talks.values_mut().find(|t| t.is_open() && t.slug == slug);
    found.ok_or_else(|| Fault::absent(format!("session {slug} is not open here; session/load opens it")))
}

/// The folder of a session, as the file system has it.
fn folder(cwd: &Path) -> Result<PathBuf, Fault> {
    let found = cwd.canonicalize().ok().filter(|path| cwd.is_absolute() && path.is_dir());
    found.ok_or_else(|| {
        Fault::params(format!("cwd is the absolute path of a folder, and {} is none", cwd.display()))
    })
}

/// What this agent is and can do.
fn greeting() -> Value {
    json!({
        "protocolVersion": VERSION,
        "agentCapabilities": {
            "loadSession": true,
            "promptCapabilities": {"image": false, "audio": false, "embeddedContext": true},
            "mcpCapabilities": {"http": false, "sse": false},
        },
        "agentInfo": {"name": "pilothouse", "title": "Pilothouse", "version": env!("CARGO_PKG_VERSION")},
        "authMethods": [],
    })
}
