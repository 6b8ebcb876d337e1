//! Sources in a running session: a call beside the loop, what its server asks meanwhile, what is in force.
//!
//! Owns who waits for the answer to a form. Never answers one.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    sync::Arc,
};

use futures::future::BoxFuture;
use pilothouse_core::{
    blob::BlobId,
    checkpoint::{Answer, CheckpointKind},
    event::{Event, Stamped},
    ids::{CallId, CheckpointId},
    input::Input,
    intent::{Control, Phase},
    pipeline::StageEvent,
    port::{Ask, Hidden, Reply, Update},
    question::{Accept, FormAnswer, FormField, FormQuestion, ServerQuestion},
    redact::{Redactor, is_worth_hiding},
    source::SourceState,
    talk::{Delta, DeltaKind},
    tool::Permit,
    work::WorkKey,
};
use pilothouse_sources::{Definition, FieldKind, Form, How, Invitation, Listener};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use super::{Driver, Inbound, Setup, news::put, tasks::Tasks};
use crate::{
    headless::auth,
    sources::{Found, Learns, PATIENCE, Place, SessionSources},
    trust::{Store, Survey},
};

/// A form that waits, or will, once it is put to the user.
pub(super) struct Waiting {
    form: FormQuestion,
    asked: Option<CheckpointId>,
    reply: oneshot::Sender<FormAnswer>,
}

/// Forms by the call that brought them.
pub(super) type Forms = BTreeMap<CallId, Waiting>;

/// Questions about servers that a client names, and yeses to them.
#[derive(Default)]
pub(super) struct Asked {
    /// The hash of what each question shows.
    open: BTreeMap<CheckpointId, BlobId>,
    /// The hashes of those that may start because of a yes that is kept.
    kept: BTreeSet<BlobId>,
}

/// The hash under which a yes to what has this one is kept: that the server runs apart from the folder is part of it.
fn apart(shown: BlobId) -> BlobId {
    BlobId::of(format!("apart {shown}").as_bytes())
}

/// What a call tells while it goes on.
struct Hears {
    call: CallId,
    source: String,
    secrets: Redactor,
    updates: mpsc::Sender<Update>,
    inbound: mpsc::Sender<Inbound>,
}

impl Listener for Hears {
    fn progress(&self, text: &str) {
        let text = self.secrets.mask(text).into_owned();
        let delta = Delta { call: self.call, offset: 0, kind: DeltaKind::Notice, text };
        drop(self.updates.try_send(Update::Delta(delta)));
    }

    fn ask(&self, form: Form) -> BoxFuture<'_, FormAnswer> {
        Box::pin(async move {
            let takes = |kind: &FieldKind| match kind {
                FieldKind::Text => "words".to_owned(),
                FieldKind::Number => "a number".to_owned(),
                FieldKind::Whole => "a whole number".to_owned(),
                FieldKind::Yes => "yes or no".to_owned(),
                FieldKind::One(choices) => choices.join("|"),
            };
            let says_no = |kind: &FieldKind| match kind {
                FieldKind::Yes => true,
                FieldKind::One(choices) => {
                    choices.iter().any(|c| matches!(c.to_lowercase().as_str(), "n" | "no"))
                }
                FieldKind::Text | FieldKind::Number | FieldKind::Whole => false,
            };
            let fields = form.fields.iter().map(|f| FormField {
                name: f.name.clone(),
                takes: takes(&f.kind),
                says_no: says_no(&f.kind),
            });
            let question = FormQuestion {
                call: self.call,
                source: self.source.clone(),
                message: form.message.clone(),
                fields: fields.collect(),
            };
            let (reply, answer) = oneshot::channel();
            if self.inbound.send(Inbound::Form(question, reply)).await.is_err() {
                return FormAnswer::Declined;
            }
            answer.await.unwrap_or(FormAnswer::Declined)
        })
    }
}

impl Driver {
    /// Runs a call of a source.
    pub(super) fn source(&self, key: WorkKey, permit: Permit, cancel: CancellationToken) {
        let sources = self.kit.sources.clone();
        let call = permit.call();
        let (updates, inbound) = (self.outbox.sender(), self.inbound.clone());
        let secrets = self.at.config.secrets.clone();
        let named = permit.asked().subject().to_owned();
        let source = pilothouse_core::source::parts(&named).map_or(named.clone(), |(s, _)| s.to_owned());
        self.spawn(key, Some(call), None, async move {
            let hears = Hears { call, source, secrets, updates, inbound };
            let outcome = sources.perform(&permit, &hears, &cancel).await;
            Input::ToolEnded { call, outcome }
        });
    }

    /// A server asks the user something: it is put to the session, and who waits is noted.
    pub(super) fn form(
        &mut self,
        form: FormQuestion,
        reply: oneshot::Sender<FormAnswer>,
        inputs: &mut Vec<(Input, bool)>,
    ) {
        inputs.push((Input::SourceAsks(form.clone()), false));
        self.forms.insert(form.call, Waiting { form, asked: None, reply });
    }

    /// What became of the forms that wait; one that could not be put to the user is declined.
    pub(super) fn heed_forms(&mut self, events: &[Stamped]) {
        for event in events {
            if let Event::CheckpointOpened { checkpoint } = &event.event
                && let CheckpointKind::Form(form) = &checkpoint.kind
                && let Some(waiting) = self.forms.get_mut(&form.call)
            {
                waiting.asked = Some(checkpoint.id);
            } else if let Event::CheckpointResolved { checkpoint, answer, .. } = &event.event {
                let call =
                    self.forms.iter().find(|(_, w)| w.asked == Some(*checkpoint)).map(|(call, _)| *call);
                if let Some(waiting) = call.and_then(|call| self.forms.remove(&call)) {
                    let answer = given(&waiting.form, answer.as_ref());
                    drop(waiting.reply.send(answer));
                }
            }
        }
        self.forms.retain(|_, waiting| waiting.asked.is_some());
    }

    /// The question about a server that the client names. A yes may last for one that runs apart from the folder, which
    /// none does in a trusted one, and that takes nothing out of it.
    fn asked_of(&self, server: &Definition) -> ServerQuestion {
        let asked = server.asks();
        let path = self.setup.environment.get("PATH").unwrap_or_default();
        let lasts = asked.far || !(self.at.sources.trusted || server.runs_in(self.at.root.path(), path));
        ServerQuestion { lasts, ..asked }
    }

    /// Asks about each server that the client of this session names. None starts before its answer is on disk.
    pub(super) fn ask_of_servers(&mut self) {
        let servers: Vec<_> = self.at.sources.of_client().map(|server| self.asked_of(server)).collect();
        if servers.is_empty() || self.at.read_only() {
            return;
        }
        let kept = Store::of(&self.setup.home).servers(self.at.root.path());
        self.turn(vec![(Input::ServersNamed(servers), false)]);
        let open = self.at.session.state().open.values();
        let given = open.filter_map(|question| {
            let CheckpointKind::Server(server) = &question.kind else { return None };
            (server.lasts && kept.contains(&apart(server.shown))).then_some((question.id, server.shown))
        });
        let given: Vec<_> = given.collect();
        self.servers.kept.extend(given.iter().map(|(_, shown)| *shown));
        let answer = |(checkpoint, shown)| {
            (Input::Answer { checkpoint, answer: Answer::Approve, shown: Some(shown) }, false)
        };
        if !given.is_empty() {
            self.turn(given.into_iter().map(answer).collect());
        }
    }

    /// A yes that is kept holds while it is kept, and for a server that runs apart from the folder: of another one nobody
    /// has said anything any more. It ends, and is asked about.
    pub(super) fn servers_stand(&mut self, inputs: &mut Vec<(Input, bool)>) {
        if self.servers.kept.is_empty() {
            return;
        }
        let kept = Store::of(&self.setup.home).servers(self.at.root.path());
        let all = self.at.sources.of_client().map(|server| self.asked_of(server));
        let all: Vec<ServerQuestion> = all.collect();
        let stands = |server: &ServerQuestion| server.lasts && kept.contains(&apart(server.shown));
        let over = |server: &&ServerQuestion| self.servers.kept.contains(&server.shown) && !stands(server);
        let over: Vec<(BlobId, String)> =
            all.iter().filter(over).map(|server| (server.shown, server.source.clone())).collect();
        if over.is_empty() {
            return;
        }
        let consent = self.setup.client.consent.clone();
        for (shown, _) in &over {
            consent.forget(*shown);
            self.servers.kept.remove(shown);
        }
        // Those that are open are asked again with them: one list of questions takes the place of the other.
        // They stand before what was found of the folder: who waits for that sees them.
        let asked = all.into_iter().filter(|server| !consent.is_answered(server.shown)).collect();
        inputs.insert(0, (Input::ServersNamed(asked), false));
        let sources = self.kit.sources.clone();
        self.tasks.spawn(async move {
            for (_, name) in over {
                sources.end(&name).await;
            }
        });
    }

    /// What the user said of them.
    pub(super) fn heed_servers(&mut self, events: &[Stamped]) {
        for event in events {
            if let Event::CheckpointOpened { checkpoint } = &event.event
                && let CheckpointKind::Server(server) = &checkpoint.kind
            {
                self.servers.open.insert(checkpoint.id, server.shown);
            } else if let Event::CheckpointResolved { checkpoint, answer: Some(answer), .. } = &event.event
                && let Some(shown) = self.servers.open.remove(checkpoint)
            {
                let lasting = matches!(answer, Answer::Grant { lasting: true, .. });
                self.setup.client.consent.answer(shown, lasting || *answer == Answer::Approve);
                if lasting {
                    self.keep_server(shown);
                }
            }
        }
    }

    fn keep_server(&mut self, shown: BlobId) {
        match Store::of(&self.setup.home).keep_server(self.at.root.path(), apart(shown)) {
            Ok(()) => _ = self.servers.kept.insert(shown),
            Err(e) => {
                let told = format!("{e}; it applies to this session ({})", e.hint());
                self.outbox.send(Update::Notice(told));
            }
        }
    }

    /// A message that is directed by what needs sources has them on, and started; with the next message those that were
    /// off are off again. A pipeline has them until it is over or set aside.
    pub(super) fn lend_sources(&mut self, events: &[Stamped]) {
        let wants = |e: &Stamped| {
            if let Event::TurnDirected { sources, .. } = &e.event { sources.clone() } else { Vec::new() }
        };
        let staged = self.at.session.state().pipeline.as_ref().map(|p| &p.state);
        let staged = staged.filter(|s| !s.is_over() && !s.is_aside()).and_then(|s| s.beginning());
        let staged = staged.map(|b| (format!("@{}", b.agent), b.sources.clone()));
        let of_stages = staged.iter().flat_map(|(_, sources)| sources.iter().cloned());
        let wanted: Vec<String> = events.iter().flat_map(wants).chain(of_stages).collect();
        let runs = self.at.session.state().phase == Phase::Executing;
        for event in events {
            if matches!(event.event, Event::TurnStarted { .. }) && !runs {
                let before = std::mem::take(&mut self.lent).into_iter();
                let (kept, over): (Vec<String>, _) = before.partition(|n| wanted.contains(n));
                self.lent = kept;
                let sources = self.kit.sources.clone();
                self.tasks.spawn(async move {
                    for name in over {
                        sources.enable(&name, false).await;
                    }
                });
            } else if let Event::TurnDirected { kind, name, sources: wants, .. } = &event.event {
                let by = format!("{}{name}", kind.sigil());
                self.want(&by, wants);
            } else if let Event::Staged {
                happened: StageEvent::Began(_) | StageEvent::TakenUp | StageEvent::Resumed { .. },
                ..
            } = &event.event
                && let Some((by, sources)) = &staged
            {
                self.want(by, sources);
            } else if let Event::ChildStarted { agent: Some(agent), .. } = &event.event
                && let Some(recipe) = self.around.recipes.agent(&agent.name)
                && !recipe.sources.is_empty()
            {
                let (name, all) = (&agent.name, recipe.sources.join(", "));
                let why = "a sub-agent calls no tool of a source";
                self.outbox.send(Update::Notice(format!("{name} continues without {all}: {why}")));
            }
        }
    }

    fn want(&mut self, by: &str, names: &[String]) {
        let wanted = self.kit.sources.want(names);
        self.lent.extend(wanted.lent);
        for why in wanted.missing {
            self.outbox.send(Update::Notice(format!("{by} needs a source: {why}")));
        }
        for name in wanted.there {
            let (sources, inbound, by) = (self.kit.sources.clone(), self.inbound.clone(), by.to_owned());
            self.tasks.spawn(async move {
                if let Err(why) = sources.start(&name).await {
                    let told = format!("{by} needs the source {name}: {why}");
                    drop(inbound.send(Inbound::Notice(told)).await);
                }
            });
        }
    }

    /// Says how the sources are, where that was asked without a screen.
    pub(super) fn tell_sources(&mut self, events: &[Stamped]) {
        let name = |e: &Stamped| {
            if let Event::ControlGiven { control: Control::Other(name) } = &e.event {
                name == "sources"
            } else {
                false
            }
        };
        if events.iter().any(name) {
            let lines: Vec<String> = self.kit.sources.states().iter().map(SourceState::line).collect();
            let none = "there are no sources; `pilothouse sources add` adds one";
            let text = if lines.is_empty() { none.to_owned() } else { lines.join("\n") };
            self.outbox.send(Update::Page { title: "Sources", text });
        }
    }

    /// The sources in force are others now: what is the same goes on, what is another or gone ends. Gives what ran of that.
    pub(super) fn set_sources(&mut self) -> Vec<String> {
        let found = self.at.sources.clone();
        if self.kit.sources.are(&found, &self.at.trust.1) {
            return Vec::new();
        }
        for notice in self.kit.sources.news_of(&found) {
            self.outbox.send(Update::Notice(notice));
        }
        let learns = learns(&self.inbound, &self.tasks);
        let place = place(&self.setup, self.at.root.path(), &self.at.trust.1, learns);
        let new = SessionSources::following(Some(&self.kit.sources), place, found);
        new.as_turned(&self.kit.sources);
        let before = std::mem::replace(&mut self.kit.sources, new.clone());
        let ended = before.running_but(&new);
        self.tasks.spawn(async move { before.end_but(&new).await });
        ended
    }

    /// From here on these words are shown nowhere.
    pub(super) fn learned(&mut self, known: &Redactor) {
        let all = self.at.config.secrets.and(known);
        if all != self.at.config.secrets {
            self.secrets_are(all);
        }
    }

    /// Keeps what was typed as the user's value of a variable; from here on it is shown nowhere.
    pub(super) fn keep_key(&mut self, number: u64, name: String, Hidden(key): Hidden) {
        let known = Redactor::knowing([key.as_str()].into_iter().filter(|k| is_worth_hiding(&name, k)));
        self.secrets_are(self.at.config.secrets.and(&known));
        let (home, tasks, inbound) = (self.setup.home.clone(), self.tasks.clone(), self.inbound.clone());
        let sources = self.kit.sources.clone();
        self.tasks.spawn(async move {
            let kept = tasks.blocking(move || {
                let name = auth::name(&name).map_err(|e| e.to_string())?;
                let mut told = Vec::new();
                auth::set(&home, &name, &key.into(), false, &mut told).map_err(|e| e.to_string())?;
                Ok::<_, String>(String::from_utf8_lossy(&told).trim().to_owned())
            });
            let told = kept.await.map_err(|e| e.to_string()).and_then(|kept| kept);
            let told = told.unwrap_or_else(|why| format!("it was not saved: {why}"));
            drop(inbound.send(Inbound::Notice(told)).await);
            drop(inbound.send(Inbound::Answered(number, Reply::Sources(sources.states()))).await);
        });
    }

    /// Answers what is asked about sources, beside the loop.
    pub(super) fn ask_sources(&mut self, number: u64, ask: Ask) {
        if let Ask::EnableSource(name, _) = &ask {
            // What the user says of it holds longer than a message.
            self.lent.retain(|n| n != name);
        }
        let (sources, inbound) = (self.kit.sources.clone(), self.inbound.clone());
        self.tasks.spawn(async move {
            let cancel = CancellationToken::new();
            let mut page = None;
            match ask {
                Ask::TestSource(name) => drop(sources.test(&name, &cancel).await),
                Ask::SignIn(name) => sign_in(&sources, &name, (number, &inbound)).await,
                Ask::EnableSource(name, on) => sources.enable(&name, on).await,
                Ask::SourceTools(name) => page = Some((name.clone(), sources.page(&name, &cancel).await)),
                Ask::Sources
                | Ask::KeepKey(..)
                | Ask::Setup(_)
                | Ask::Knowledge(_)
                | Ask::Withdraw(_)
                | Ask::History { .. }
                | Ask::Blob(_)
                | Ask::Text(..)
                | Ask::Files { .. }
                | Ask::Rehearse(_)
                | Ask::Context
                | Ask::Memory(_) => {}
            }
            let reply = match page {
                Some((name, text)) => Reply::SourceTools(name, text),
                None => Reply::Sources(sources.states()),
            };
            drop(inbound.send(Inbound::Answered(number, reply)).await);
        });
    }
}

/// The sources of a folder; `learns` hears of their new secrets.
pub(super) fn of(
    setup: &Setup,
    root: &Path,
    survey: &Survey,
    (found, learns): (Found, Learns),
) -> SessionSources {
    SessionSources::of(place(setup, root, survey, learns), found)
}

fn place<'a>(setup: &'a Setup, root: &'a Path, survey: &'a Survey, learns: Learns) -> Place<'a> {
    let (home, environment, consent) = (&setup.home, &setup.environment, setup.client.consent.clone());
    Place { home, environment, root, survey, consent, learns }
}

/// Who tells the loop of new secrets, before anything that holds them comes to it.
pub(super) fn learns(inbound: &mpsc::Sender<Inbound>, tasks: &Tasks) -> Learns {
    let (inbound, tasks) = (inbound.clone(), tasks.clone());
    Arc::new(move |known| put(&inbound, &tasks, Inbound::Learned(known)))
}

/// Lets the user sign in: the list tells where, and what came of it.
async fn sign_in(sources: &SessionSources, name: &str, (number, inbound): (u64, &mpsc::Sender<Inbound>)) {
    let told = |to: Invitation| {
        sources.browse(&to.address);
        // Where there is no room, the list tells it when it is read again.
        drop(inbound.try_send(Inbound::Answered(number, Reply::Sources(sources.states()))));
    };
    let told = match sources.sign_in(name, (How::Browser, PATIENCE), &told).await {
        Ok(_) => {
            drop(sources.test(name, &CancellationToken::new()).await);
            format!("you are signed in to {name}")
        }
        Err(why) => format!("you are not signed in to {name}: {why}"),
    };
    drop(inbound.send(Inbound::Notice(told)).await);
}

fn given(form: &FormQuestion, answer: Option<&Answer>) -> FormAnswer {
    answer.cloned().and_then(|a| form.accept(a).ok()).unwrap_or(FormAnswer::Declined)
}
