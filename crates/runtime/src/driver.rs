//! The driver: one entrance, one loop. What arrives is stepped, logged, shown, performed.
//!
//! Owns the order of these four. Never decides: the session does. Never waits for the screen, and
//! never performs anything whose events are not on disk.

mod classification;
mod disk_thread;
mod draft;
mod drawn;
mod evidence;
mod follow;
mod hooks;
mod leave;
mod memory;
mod news;
mod opening;
mod outbox;
mod pipeline;
mod port;
mod project;
mod recipes;
mod rules;
mod settings;
mod setup;
mod sources;
mod start;
mod stream;
mod tasks;
#[cfg(test)]
mod tests;
mod told;
mod trust;
mod work;
mod writing;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use pilothouse_core::{
    event::Stamped,
    ids::CallId,
    input::{Input, Refusal},
    port::{Ask, Reply, Request, Surroundings, Update},
    question::{FormAnswer, FormQuestion},
    redact::Redactor,
    session::Step,
    work::{Moved, WorkKey},
};
use pilothouse_tools::awake::Awake;
use tokio::{
    sync::{mpsc, oneshot},
    time::Instant,
};
use tracing::Instrument;

use crate::{
    error::RuntimeError,
    project::Project,
    sessions, surroundings,
    trace::{EventTrace, Variant},
};
use disk_thread::DiskThread;
pub use leave::ShutdownReport;
use opening::Opened;
pub(crate) use opening::{fence, killed, settle, torn};
use outbox::Outbox;
pub use start::{Setup, Which};
use tasks::Tasks;
pub(crate) use trust::found;
pub use trust::{place, sources_of};

/// Events that a screen gets at once when a session is opened.
const TAIL: usize = 300;
/// Most inputs that share one sync.
const BURST: usize = 64;
/// How long after saving failed it is tried again.
const AGAIN: Duration = Duration::from_millis(200);
/// How long work that was told to stop is waited for when the session is left.
const FAREWELL: Duration = Duration::from_secs(3);

/// What comes back from work that goes on beside the loop.
enum Inbound {
    /// Work ended, with what the session should hear of it.
    Ended(WorkKey, Option<Input>),
    /// Something happened while work goes on.
    Input(Input),
    /// The read port's slow answers.
    Answered(u64, Reply),
    /// The folder was looked at.
    Surveyed(Box<trust::Surveyed>),
    /// A file of what was trusted then is another one: found too late for the message that it was looked at for.
    Brought(pilothouse_core::blob::BlobId, String),
    /// git answered.
    Branch(surroundings::Branch),
    /// What the user set on the screen is in their files, or why it is not.
    Kept(u64, Result<setup::Kept, String>),
    /// A source asks the user something in the middle of a call.
    Form(FormQuestion, oneshot::Sender<FormAnswer>),
    /// Something that the user should know.
    Notice(String),
    /// Words that nothing shows from here on.
    Learned(Redactor),
    /// What a server says of the window of the model that is called so here.
    Window(settings::WindowTold),
    /// A look at the files of facts ended.
    FactsLooked(Option<evidence::Looked>),
    /// A look at the files of open reviews ended: those that are not as they are shown.
    ReviewsLooked(Vec<Moved>),
}

struct Driver {
    setup: Setup,
    at: Opened,
    outbox: Outbox,
    inbound: mpsc::Sender<Inbound>,
    running: BTreeMap<WorkKey, work::Slot>,
    /// Model calls that no summary can make room for: they go as they are, with old results shortened.
    shortened: BTreeSet<CallId>,
    kit: work::Services,
    /// Forms of sources that wait for an answer.
    forms: sources::Forms,
    /// What is asked of servers of the client, and what holds of it longer than the process.
    servers: sources::Asked,
    /// Sources that were off and are on for one message.
    lent: Vec<String>,
    /// Decided and not yet on disk.
    unsaved: Vec<Step>,
    /// Disk work besides the log and the workspace.
    disk: DiskThread,
    /// Everything that goes on beside the loop.
    tasks: Tasks,
    /// What the log file tells.
    trace: EventTrace,
    /// Whether the user was told that the desktop cannot be.
    mute: bool,
    /// Keeps the machine awake while a run works, or why that cannot be done.
    awake: Option<Result<Awake, String>>,
    around: Surroundings,
    /// What a model is told of the project.
    project: Project,
    /// Looks at the files of facts.
    fact_looks: evidence::FactLooks,
    /// Looks at the files of open reviews.
    review_look: writing::ReviewLook,
    /// What the user did while an order waited for a look: it is heard next.
    hasty: Option<Request>,
    /// The memories, as they were read.
    memories: memory::Memories,
    /// The skills, commands and agents, as they were found.
    shelf: recipes::Shelf,
    settings: settings::Settings,
    /// When the summary beside the log is next put there, where something happened since.
    summary_due: Option<Instant>,
    leaving: bool,
    /// When the log of a session that another process holds is next looked at.
    follow_due: Option<Instant>,
    /// Whether it is left only to be opened again, since nobody else holds it any more.
    takes_over: bool,
}

/// Opens a session and drives it until it is left.
///
/// # Errors
/// When it cannot be opened. Once open, nothing that happens ends it but `Quit`, the word exit, or
/// the end of `requests`.
pub async fn drive(
    mut setup: Setup,
    mut requests: mpsc::Receiver<Request>,
    updates: mpsc::Sender<Update>,
) -> Result<ShutdownReport, RuntimeError> {
    loop {
        let (inbound, mut results) = mpsc::channel(BURST);
        let mut driver = Box::pin(Driver::open(setup.clone(), inbound, updates.clone())).await?;
        let span = driver.trace.session();
        driver.recover().instrument(span.clone()).await;
        driver.ask_of_servers();
        driver.run(&mut requests, &mut results).instrument(span.clone()).await;
        let report = driver.leave(&mut results).instrument(span).await;
        if !driver.takes_over {
            return Ok(report);
        }
        setup.which = Which::Named(report.slug);
    }
}

impl Driver {
    async fn open(
        setup: Setup,
        inbound: mpsc::Sender<Inbound>,
        updates: mpsc::Sender<Update>,
    ) -> Result<Self, RuntimeError> {
        let begun = setup.home.sessions().exists();
        let at = opening::open(&setup).await?;
        let tasks = Tasks::default();
        let kit = work::Services::new(&setup, &at, sources::learns(&inbound, &tasks))?;
        let around = opening::around(&setup, &at, !begun);
        let trace = EventTrace::new(&at.slug);
        let follow_due = at.read_only().then(Instant::now);
        let mut driver = Self {
            settings: settings::Settings::of(&setup, &at.trust.0),
            outbox: Outbox::new(updates, at.config.secrets.clone()),
            setup,
            at,
            inbound,
            running: BTreeMap::new(),
            shortened: BTreeSet::new(),
            kit,
            forms: sources::Forms::new(),
            servers: sources::Asked::default(),
            lent: Vec::new(),
            unsaved: Vec::new(),
            disk: DiskThread::start().map_err(RuntimeError::io("start", "a thread for the disk"))?,
            tasks,
            trace,
            mute: false,
            awake: None,
            around,
            project: Project::default(),
            fact_looks: evidence::FactLooks::default(),
            review_look: writing::ReviewLook::default(),
            hasty: None,
            memories: memory::Memories::default(),
            shelf: recipes::Shelf::default(),
            summary_due: None,
            leaving: false,
            follow_due,
            takes_over: false,
        };
        driver.at.session.set_printed(Arc::new(driver.kit.printing.clone()));
        driver.look_at_project();
        // What is asked about the folder names the checks that were found in it.
        driver.unsaved.extend(opening::first_step(&mut driver.at, &driver.setup)?);
        driver.find_recipes();
        driver.show_opened()?;
        driver.show_model();
        driver.look_for_model();
        driver.look_at_memory();
        driver.warn_of_recipes();
        Ok(driver)
    }

    async fn run(&mut self, requests: &mut mpsc::Receiver<Request>, results: &mut mpsc::Receiver<Inbound>) {
        while !self.leaving {
            let mut inputs = Vec::new();
            let hasty = self.hasty.take();
            tokio::select! {
                biased;
                request = evidence::heard(hasty, requests) => match request {
                    Some(request) => self.request(request, &mut inputs),
                    None => self.leaving = true,
                },
                Some(result) = results.recv() => self.result(result, &mut inputs),
                () = self.outbox.room(), if self.outbox.waits() => {}
                () = leave::until(self.follow_due), if self.follow_due.is_some() => self.follow(),
                () = tokio::time::sleep(AGAIN), if !self.unsaved.is_empty() => self.save_again(),
                () = leave::until(self.summary_due), if self.summary_due.is_some() => self.keep_summary(),
                () = leave::until(self.fact_looks.until), if self.fact_looks.are_awaited() => self.fact_look_is_late(),
            }
            // What is asked behind an input is answered behind what comes of that.
            let mut behind = None;
            while inputs.len() < BURST && behind.is_none() {
                match requests.try_recv() {
                    Ok(ask @ Request::Ask(..)) if !inputs.is_empty() => behind = Some(ask),
                    Ok(request) => self.request(request, &mut inputs),
                    Err(_) => {
                        let Ok(result) = results.try_recv() else { break };
                        self.result(result, &mut inputs);
                    }
                }
            }
            self.look_first((requests, results), &mut inputs).await;
            self.turn(inputs);
            self.look_at_reviews_again();
            if let Some(ask) = behind {
                self.request(ask, &mut Vec::new());
            }
        }
    }

    fn request(&mut self, request: Request, inputs: &mut Vec<(Input, bool)>) {
        match request {
            Request::Input(_) if self.at.read_only() => {
                self.outbox.send(Update::Refused(follow::HELD.to_owned()));
            }
            Request::Input(input) => match self.look_before(&input) {
                Ok(found) => inputs.extend(found.into_iter().chain([(input, true)])),
                Err(refusal) => self.outbox.send(refusal.into()),
            },
            Request::Ask(number, Ask::KeepKey(name, key)) => self.keep_key(number, name, key),
            Request::Ask(number, Ask::Setup(ask)) => self.ask_setup(number, ask),
            Request::Ask(number, ask @ Ask::Sources) => {
                self.look_at_sources_again();
                self.ask_beside(number, ask);
            }
            Request::Ask(number, ask) => match port::answer(&ask, &self.at.log) {
                Some(reply) => self.outbox.send(Update::Answered(number, reply)),
                None => self.ask_beside(number, ask),
            },
            Request::Tell(what) => self.tell(what),
            Request::Draft(text) => self.keep_draft(&text),
            Request::Focused => {
                self.look_around();
                self.look_at_rules_again(rules::Takes::Narrower);
            }
            Request::TakeOver => self.take_over(),
            Request::Quit => self.leaving = true,
        }
    }

    pub(super) fn result(&mut self, result: Inbound, inputs: &mut Vec<(Input, bool)>) {
        match result {
            Inbound::Ended(key, input) => {
                if let Some(slot) = self.running.get_mut(&key) {
                    slot.done = true;
                }
                if matches!(key, WorkKey::Write(_) | WorkKey::Revert(..)) {
                    self.look_around();
                }
                self.note_end(key, input.as_ref(), inputs);
                inputs.extend(input.map(|i| (i, false)));
            }
            Inbound::Input(input) => inputs.push((input, false)),
            Inbound::Answered(number, reply) => self.outbox.send(Update::Answered(number, reply)),
            Inbound::Surveyed(found) => self.surveyed(*found, inputs),
            Inbound::Brought(of, path) => self.brought_changed(of, path, inputs),
            Inbound::Window(told) => self.window_told(told),
            Inbound::FactsLooked(looked) => self.facts_looked(looked, inputs),
            Inbound::ReviewsLooked(moved) => self.reviews_looked(moved, inputs),
            Inbound::Form(form, reply) => self.form(form, reply, inputs),
            Inbound::Notice(what) => self.outbox.send(Update::Notice(what)),
            Inbound::Learned(known) => self.learned(&known),
            Inbound::Branch(branch) => self.on_branch(branch),
            Inbound::Kept(number, what) => self.setup_kept(number, what),
        }
    }

    /// One turn of the loop: every input stepped, then one sync, then shown, then performed.
    fn turn(&mut self, inputs: Vec<(Input, bool)>) {
        let any = !inputs.is_empty();
        let mut notices = Vec::new();
        for (input, asked) in inputs {
            let kind = Variant(&input).to_string();
            let crowded = if let Input::Crowded { call } = &input { Some(*call) } else { None };
            match self.step(input, &mut notices) {
                Ok(step) => self.unsaved.push(step),
                Err(refusal) if asked => {
                    tracing::info!(input = kind, "an input was refused");
                    self.outbox.send(refusal.into());
                }
                Err(refusal) => {
                    tracing::debug!(input = kind, reason = %refusal, "a late result changed nothing");
                    // Another one's summary is being made, or none may be: the call goes without.
                    if let Some(call) = crowded {
                        self.shortened.insert(call);
                        self.running.remove(&WorkKey::Think(call));
                    }
                }
            }
        }
        if any {
            match self.save() {
                Ok(events) => self.saved(events),
                Err(e) => self.complain(&e),
            }
            for notice in notices {
                self.outbox.send(Update::Notice(notice));
            }
            self.reconcile();
        }
        if let Err(e) = self.outbox.flush(&self.at.log) {
            tracing::error!(error = %e, "the screen could not be caught up");
        }
        self.leaving |= self.outbox.closed();
    }

    /// One step of the session, with an input that holds no secret.
    fn step(&mut self, input: Input, notices: &mut Vec<String>) -> Result<Step, Refusal> {
        self.see_ground(&input);
        let guarded = self.at.config.secrets.guard(input)?;
        let step = self.at.session.step((self.setup.clock)(), guarded.input)?;
        notices.extend(guarded.notice);
        Ok(step)
    }

    /// Makes everything that was decided durable: contents first, then one record a step.
    fn save(&mut self) -> Result<Vec<Stamped>, RuntimeError> {
        if self.unsaved.is_empty() {
            return Ok(Vec::new());
        }
        let disk = self.setup.disk.as_ref();
        for blob in self.unsaved.iter().flat_map(|s| &s.blobs) {
            self.at.blobs.put(disk, blob)?;
        }
        let records: Vec<Vec<Stamped>> = self.unsaved.iter().map(|s| s.events.clone()).collect();
        if records.iter().flatten().any(|e| sessions::changes_files(&e.event)) {
            // Before the record: a change that is in no log stands in nobody's way, one without a place would.
            let (home, root) = (&self.setup.home, self.at.root.path());
            sessions::note_change(home, root, &self.at.slug)?;
        }
        self.at.log.append(disk, &records)?;
        self.unsaved.clear();
        self.unsaved_because(None);
        if let Some(what) = self.at.log.touched() {
            tracing::warn!(what, "the log was touched");
            self.outbox.send(Update::Notice(what));
        }
        let events: Vec<Stamped> = records.into_iter().flatten().collect();
        for event in &events {
            self.trace.note(event);
        }
        Ok(events)
    }
}
