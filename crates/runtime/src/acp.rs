//! The workbench as an agent of the Agent Client Protocol: an editor starts it and speaks JSON-RPC with it, a line a
//! message, over standard input and output.
//!
//! Owns the connection: which methods there are and which session a message is for. One more front of the same drivers as
//! the screen and headless runs, with the same questions; never decides and never allows anything by itself. Never uses
//! the client's own ways to files and terminals: what is not written by our ledger could not be taken back, and what
//! does not run in our sandbox is not held.

mod ask;
mod drive;
mod list;
mod offered;
mod out;
mod params;
mod place;
mod prompt;
mod replay;
mod servers;
mod talk;
mod tell;
mod update;
mod wire;

use std::{
    collections::BTreeMap,
    io::{Read, Write},
    os::fd::AsFd,
    path::{Path, PathBuf},
    sync::{Arc, atomic::AtomicU64},
};

use pilothouse_core::{port::Request, port::Update, redact::Redactor, scope::PermissionMode};
use serde_json::{Value, json};
use tokio::{
    sync::{
        mpsc::{Receiver, Sender, channel},
        oneshot,
    },
    task::JoinSet,
};

use crate::{
    blobs::Blobs,
    driver::{Setup, Which},
    error::RuntimeError,
    headless::Stop,
    host, sessions,
    sources::ClientServers,
};
use drive::News;
use out::Out;
use params::Fields;
use place::Place;
use talk::{Opening, Talk};
use wire::{Fault, Heard, Message};

/// The version of the protocol that is spoken.
const VERSION: u32 = 1;
/// Sessions of one connection; beyond them the one that has rested longest is let go.
const MOST_SESSIONS: usize = 16;

/// Serves a client until its input ends or `stop` completes; every session is saved then, whether or not the client
/// reads. Gives the exit code.
///
/// # Errors
/// When its input cannot be listened to, or its output not be written beside that.
pub async fn serve(
    setup: Setup,
    input: impl Read + AsFd + Send + 'static,
    out: impl Write + Send + 'static,
    stop: impl Future<Output = Stop> + Send,
) -> Result<u8, RuntimeError> {
    let written = Arc::new(AtomicU64::new(0));
    let thread = || RuntimeError::io("start", "a thread for the client");
    let theirs = input.as_fd().try_clone_to_owned().map_err(RuntimeError::io("listen to", "the client"))?;
    let out = Out::start(out, Arc::clone(&written)).map_err(thread())?.beside(theirs);
    let lines = wire::listen(input, written).map_err(thread())?;
    let (news, mut updates) = channel(64);
    let mut server = Server {
        setup: Setup { asks: true, writing: true, ..setup },
        out,
        talks: BTreeMap::new(),
        drives: JoinSet::new(),
        news,
        opened: 0,
        greeted: false,
    };
    let exit = tokio::select! {
        () = server.run(lines, &mut updates) => 0,
        why = stop => match why {
            Stop::Interrupt => 130,
            Stop::Terminate => 143,
        },
    };
    server.leave(updates).await;
    tracing::info!(exit, "the client's connection ended");
    Ok(exit)
}

/// How a session is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wish {
    New,
    /// One of before, which is told again.
    Load,
    /// One of before.
    Resume,
}

struct Server {
    setup: Setup,
    out: Out,
    talks: BTreeMap<u64, Talk>,
    drives: JoinSet<()>,
    news: Sender<(u64, News)>,
    /// How many sessions were opened so far.
    opened: u64,
    /// Whether the client has said who it is.
    greeted: bool,
}

impl Server {
    /// Until nobody says anything or reads any more. What sessions tell waits while the client reads too little.
    async fn run(&mut self, mut lines: Receiver<Heard>, updates: &mut Receiver<(u64, News)>) {
        while !self.out.closed() {
            tokio::select! {
                heard = lines.recv(), if self.out.hears() => match heard {
                    Some(heard) => self.heard(heard).await,
                    None => return,
                },
                Some((number, what)) = updates.recv(), if self.out.has_room() => {
                    self.news(number, what).await;
                }
                Some(_) = self.drives.join_next(), if !self.drives.is_empty() => {}
                () = self.out.moved(), if self.out.waits() => {}
            }
        }
    }

    /// Saves every session, and lets the client read what there is.
    async fn leave(mut self, mut updates: Receiver<(u64, News)>) {
        let drivers: Vec<Sender<Request>> = self.talks.values_mut().map(Talk::leave).collect();
        let ended = async {
            for driver in drivers {
                // One that is gone has saved.
                drop(driver.send(Request::Quit).await);
            }
            while self.drives.join_next().await.is_some() {}
        };
        // None of them waits for somebody to hear its last words.
        let heard = async { while updates.recv().await.is_some() {} };
        tokio::select! {
            () = ended => {}
            () = heard => {}
        }
        self.out.finish().await;
    }

    async fn news(&mut self, number: u64, what: News) {
        let Some(talk) = self.talks.get_mut(&number) else { return };
        match what {
            News::Driver(Update::Closed(why)) => {
                talk.closed(why, &mut self.out);
                self.talks.remove(&number);
            }
            News::Driver(update) => talk.update(update, &mut self.out).await,
            News::Again(update) => talk.again(update, &mut self.out),
            News::Replayed(replayed) => talk.replayed(*replayed, &mut self.out),
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

    async fn request(&mut self, id: &Value, method: &str, params: Value, seen: u64) -> Result<(), Fault> {
        if method == "initialize" {
            self.greeted = true;
            self.out.answer(id, &greeting());
            return Ok(());
        }
        if !METHODS.contains(&method) {
            return Err(Fault::method(method));
        }
        if !self.greeted {
            return Err(Fault::request("say initialize first"));
        }
        let mut params = Fields::of("params", params)?;
        match method {
            "session/new" => self.open(id, params, Wish::New).await,
            "session/load" => self.open(id, params, Wish::Load).await,
            "session/resume" => self.open(id, params, Wish::Resume).await,
            "session/list" => {
                let all = list::page(&self.setup, &mut params).await?;
                self.out.answer(id, &all);
                Ok(())
            }
            "session/close" => {
                let talk = known(&mut self.talks, &params.text("sessionId")?)?;
                talk.close(Some(id.clone()), &mut self.out).await;
                Ok(())
            }
            "session/prompt" => {
                let talk = of_name(&mut self.talks, &params.text("sessionId")?)?;
                let line = prompt::message(params.list("prompt")?, &talk.place.root)?;
                talk.prompt(id.clone(), line, seen, &mut self.out).await;
                Ok(())
            }
            "session/set_mode" => {
                let talk = of_name(&mut self.talks, &params.text("sessionId")?)?;
                let mode = ceiling(&params.text("modeId")?)?;
                talk.set_mode(id.clone(), mode, false, &mut self.out).await;
                Ok(())
            }
            "session/set_config_option" => {
                let talk = of_name(&mut self.talks, &params.text("sessionId")?)?;
                let option = params.text("configId")?;
                if option != offered::MODE {
                    return Err(Fault::params(format!(
                        "there is no option {option}, only {}",
                        offered::MODE
                    )));
                }
                let mode = ceiling(&params.text("value")?)?;
                talk.set_mode(id.clone(), mode, true, &mut self.out).await;
                Ok(())
            }
            _ => Err(Fault::params("nobody has to sign in here; `pilothouse auth set` keeps keys of models")),
        }
    }

    async fn notice(&mut self, method: &str, params: Value) {
        // Nobody hears of what is wrong with a notice.
        if method == "session/cancel"
            && let Ok(name) = Fields::of("params", params).and_then(|mut params| params.text("sessionId"))
            && let Ok(talk) = known(&mut self.talks, &name)
        {
            talk.cancel(&mut self.out).await;
        }
    }

    /// Makes room for one session more: the one that has rested longest can be loaded again.
    async fn make_room(&mut self) -> Result<(), Fault> {
        if self.talks.values().filter(|talk| !talk.is_closing()).count() < MOST_SESSIONS {
            return Ok(());
        }
        let resting = self.talks.values_mut().filter_map(|talk| Some((talk.rests_since()?, talk)));
        let Some((_, talk)) =
            resting.min_by_key(|(since, _)| *since).filter(|_| self.drives.len() < 2 * MOST_SESSIONS)
        else {
            let why =
                format!("{MOST_SESSIONS} sessions are open and none rests; close one with session/close");
            return Err(Fault::request(why));
        };
        tracing::info!(session = talk.slug, "let go for another one");
        talk.close(None, &mut self.out).await;
        Ok(())
    }

    async fn open(&mut self, id: &Value, mut params: Fields, wish: Wish) -> Result<(), Fault> {
        let cwd = params.absolute("cwd")?;
        let (all, left_out) = servers::named(params.list_or_none("mcpServers")?)?;
        let workspace = folder(&cwd)?;
        let which = match wish {
            Wish::New => Which::New,
            Wish::Load | Wish::Resume => self.earlier(&workspace, &params.text("sessionId")?)?,
        };
        self.make_room().await?;
        let client = ClientServers { all, ..ClientServers::default() };
        let setup = Setup { workspace, which, client, ..self.setup.clone() };
        let ((requests, shown), end) = host::line();
        self.opened += 1;
        let (number, news) = (self.opened, self.news.clone());
        let blobs = Blobs::under(&setup.home.state);
        let place = Place { root: cwd, blobs, secrets: Redactor::default() };
        let (again, to_tell) = oneshot::channel();
        let again = Some(again).filter(|_| wish == Wish::Load);
        let opening = Opening { id: Some(id.clone()), wish, left_out, again };
        let mut talk = Talk::new(place, requests, setup.home.clone(), opening);
        if let Which::Named(slug) = &setup.which {
            talk.slug.clone_from(slug);
        }
        self.talks.insert(number, talk);
        self.drives.spawn(drive::drive(setup, number, ((shown, end), news), to_tell));
        Ok(())
    }

    /// A session of before.
    fn earlier(&self, workspace: &Path, slug: &str) -> Result<Which, Fault> {
        if let Some(talk) = self.talks.values().find(|t| t.slug == slug) {
            let is =
                if talk.is_closing() { "being closed; load it again after that" } else { "open already" };
            return Err(Fault::request(format!("session {slug} is {is}")));
        }
        let found = sessions::find(&self.setup.home, workspace, slug).ok();
        let found = found.filter(|p| p.slug == slug && p.workspace == workspace);
        let absent = || Fault::absent(format!("there is no session {slug} of {}", workspace.display()));
        Ok(Which::Named(found.ok_or_else(absent)?.slug))
    }
}

/// What there is besides `initialize`.
const METHODS: [&str; 9] = [
    "authenticate",
    "session/new",
    "session/load",
    "session/resume",
    "session/list",
    "session/close",
    "session/prompt",
    "session/set_mode",
    "session/set_config_option",
];

/// The session of this name, whether it is open already or still being opened.
fn known<'t>(talks: &'t mut BTreeMap<u64, Talk>, slug: &str) -> Result<&'t mut Talk, Fault> {
    let found = talks.values_mut().find(|t| !t.is_closing() && !slug.is_empty() && t.slug == slug);
    found.ok_or_else(|| absent(slug))
}

fn absent(slug: &str) -> Fault {
    Fault::absent(format!("session {slug} is not open here; session/load opens it"))
}

/// The session of this name, which the client was told of.
fn of_name<'t>(talks: &'t mut BTreeMap<u64, Talk>, slug: &str) -> Result<&'t mut Talk, Fault> {
    let found = talks.values_mut().find(|t| t.is_open() && t.slug == slug);
    found.ok_or_else(|| absent(slug))
}

/// The folder of a session, as the file system has it.
fn folder(cwd: &Path) -> Result<PathBuf, Fault> {
    let found = cwd.canonicalize().ok().filter(|path| path.is_dir());
    found.ok_or_else(|| {
        Fault::params(format!("params.cwd is the path of a folder, and {} is none", cwd.display()))
    })
}

/// The ceiling of this name.
fn ceiling(name: &str) -> Result<PermissionMode, Fault> {
    offered::mode_named(name).ok_or_else(|| Fault::params(format!("there is no mode {name}")))
}

/// What this agent is and can do.
fn greeting() -> Value {
    json!({
        "protocolVersion": VERSION,
        "agentCapabilities": {
            "loadSession": true,
            "promptCapabilities": {"image": false, "audio": false, "embeddedContext": true},
            "mcpCapabilities": {"http": true, "sse": false},
            "sessionCapabilities": {"list": {}, "resume": {}, "close": {}},
        },
        "agentInfo": {"name": "pilothouse", "title": "Pilothouse", "version": env!("CARGO_PKG_VERSION")},
        "authMethods": [],
    })
}
