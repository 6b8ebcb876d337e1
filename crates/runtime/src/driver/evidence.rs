//! Evidence: an answer checked before anyone reads it, and facts looked at before they answer.
//!
//! Owns when that is done and with whose eyes. Never judges: the core says what holds.

use std::{collections::BTreeMap, path::Path, sync::Arc, time::Duration};

use pilothouse_core::{
    fact::{Fact, FactSource, Place},
    ids::{LaneId, TurnId},
    input::Input,
    intent::{Classifier, Mode},
    policy::PathRules,
    relpath::RelPath,
    talk::Purpose,
    work::{View, WorkKey},
};
use pilothouse_tools::{BlobSource, ToolExecutor};

use tokio::{
    sync::mpsc,
    time::{Instant, sleep_until},
};

use super::{Driver, Inbound, Request, project::LOOK_WAIT};
use crate::project::{Mark, mark};

/// How long a plain answer waits for a look at the files of facts: no longer than anybody sees.
const GLANCE: Duration = Duration::from_millis(100);

/// The files that facts stand in, as they were when they were last looked at.
type FactFiles = BTreeMap<RelPath, Option<Mark>>;

/// The looks at the files that facts stand in: one at a time, beside the loop.
#[derive(Debug, Default)]
pub(super) struct FactLooks {
    seen: FactFiles,
    /// Whether one goes on, however long it takes.
    at_work: bool,
    /// Until when it is waited for.
    pub until: Option<Instant>,
}

/// What a look at the files of facts came to.
#[derive(Debug)]
pub(super) struct Looked {
    /// The files, as they were before they were read.
    files: FactFiles,
    /// The facts whose files were other ones.
    facts: Vec<Fact>,
    /// Where their texts stand; nothing where that could not be looked at.
    places: Option<Vec<(String, Option<Place>)>>,
}

impl FactLooks {
    /// Whether a model has to wait before it is told of facts.
    pub const fn are_awaited(&self) -> bool {
        self.until.is_some()
    }

    fn begin(&mut self) {
        (self.at_work, self.until) = (true, Some(Instant::now() + LOOK_WAIT));
    }

    /// It ended; what it saw of files counts only where their facts were looked at as well.
    fn end(&mut self, files: Option<FactFiles>) {
        (self.at_work, self.until) = (false, None);
        if let Some(files) = files {
            self.seen = files;
        }
    }
}

/// What an answer is checked with.
pub(super) struct Checks {
    /// Whether every statement is to be proven, or only the places that it names are looked at.
    proves: bool,
    workshop: ToolExecutor,
    view: View,
    blobs: Arc<dyn BlobSource>,
}

impl Checks {
    /// Whether nothing is shown of it before.
    pub const fn are_silent(&self) -> bool {
        self.proves
    }

    /// The input, where it is an answer with what came of its evidence.
    pub async fn of(self, input: Input) -> Input {
        let Input::Replied { call, reply: Ok(mut reply) } = input else { return input };
        if reply.calls.is_empty() && !reply.text.trim().is_empty() {
            let text = reply.text.clone();
            reply.checked = if self.proves {
                self.workshop.check(text, self.view, self.blobs).await
            } else {
                let found = self.workshop.astray(text, self.view, self.blobs).await;
                found.filter(|found| !found.marks.is_empty())
            };
        }
        Input::Replied { call, reply: Ok(reply) }
    }
}

impl Driver {
    /// What the words of a lane are checked with: in proof mode, where every one of them is told that they are, all that they
    /// state; else the places in an answer.
    pub(super) fn checks(&self, lane: LaneId, purpose: Purpose) -> Option<Checks> {
        let told = match purpose {
            Purpose::Answer | Purpose::Plan | Purpose::Task | Purpose::Goal | Purpose::Child => true,
            Purpose::Classify | Purpose::Compact | Purpose::Title | Purpose::Stage => false,
        };
        let proves = told && self.at.session.state().mode == Mode::Proof;
        let view = self.at.session.sight(lane).filter(|_| proves || purpose == Purpose::Answer)?;
        Some(Checks {
            proves,
            workshop: self.kit.workshop.clone(),
            view,
            blobs: Arc::new(self.at.blobs.clone()),
        })
    }

    /// Looks at the facts of files before anything is heard: an editor may have changed one, and what is told then, on the
    /// screen or to a model, is told of the file as it is. Only files are read that are not what they were. The look goes on
    /// beside the loop: an order and what something came to wait for it a moment, but no longer than until the user does
    /// anything else; a model is asked once it ended or took too long. It is answered all the same, whenever it ends.
    pub(super) async fn see_facts(
        &mut self,
        (requests, results): (&mut mpsc::Receiver<Request>, &mut mpsc::Receiver<Inbound>),
        inputs: &mut Vec<(Input, bool)>,
    ) {
        let seen = |(input, _): &(Input, bool)| matches!(input, Input::FactsSeen { .. });
        if inputs.iter().all(seen) || self.at.read_only() {
            return;
        }
        self.look_at_facts();
        let classifier = &self.at.config.intent.classifier;
        let until =
            Instant::now() + inputs.iter().map(|input| waits(input, classifier)).max().unwrap_or_default();
        while self.fact_looks.are_awaited() && Instant::now() < until {
            tokio::select! {
                biased;
                Some(result) = results.recv() => self.result(result, inputs),
                request = requests.recv() => {
                    self.leaving |= request.is_none();
                    self.hasty = request;
                    return;
                }
                () = sleep_until(until) => return,
            }
        }
    }

    /// Begins a look at the files of facts beside the loop, where none goes on.
    fn look_at_facts(&mut self) {
        let (facts, rules) = self.at.session.file_facts();
        if facts.is_empty() || self.fact_looks.at_work {
            return;
        }
        self.fact_looks.begin();
        let (before, root) = (self.fact_looks.seen.clone(), self.at.root.path().to_owned());
        let (workshop, blobs) = (self.kit.workshop.clone(), Arc::new(self.at.blobs.clone()));
        let (tasks, inbound) = (self.tasks.clone(), self.inbound.clone());
        self.tasks.spawn(async move {
            let marked = tasks.blocking(move || (marks(&root, &facts), facts)).await;
            let looked = match marked {
                Ok((files, mut facts)) => {
                    facts
                        .retain(|fact| file_of(fact).is_some_and(|path| before.get(path) != files.get(path)));
                    let view = View { rules, ..View::default() };
                    let look = workshop.places(facts.clone(), view, blobs);
                    let places = if facts.is_empty() { Some(Vec::new()) } else { look.await };
                    Some(Looked { files, facts, places })
                }
                Err(e) => {
                    tracing::error!(error = %e, "the files of facts could not be looked at");
                    None
                }
            };
            drop(inbound.send(Inbound::FactsLooked(looked)).await);
        });
    }

    /// A look at the files of facts ended: the session hears of those facts that are still what was looked at.
    pub(super) fn facts_looked(&mut self, looked: Option<Looked>, inputs: &mut Vec<(Input, bool)>) {
        let (files, places) = match looked {
            Some(Looked { files, facts, places: Some(mut places) }) => {
                let known = &self.at.session.state().facts;
                places
                    .retain(|(name, _)| facts.iter().any(|f| f.name == *name && known.get(name) == Some(f)));
                (Some(files), places)
            }
            Some(_) | None => (None, Vec::new()),
        };
        self.fact_looks.end(files);
        if places.is_empty() {
            // A model may have waited for it; it waits on for what is heard now.
            if inputs.is_empty() {
                self.reconcile();
            }
            return;
        }
        inputs.insert(0, (Input::FactsSeen { places }, false));
    }

    /// A look takes longer than a model waits: it is asked all the same.
    pub(super) fn fact_look_is_late(&mut self) {
        self.fact_looks.until = None;
        self.reconcile();
    }

    /// Looks whether the facts still stand that answer a question.
    pub(super) fn recall(&self, key: WorkKey, turn: TurnId, facts: Vec<Fact>, rules: PathRules) {
        let workshop = self.kit.workshop.clone();
        let (view, blobs) = (View { rules, ..View::default() }, Arc::new(self.at.blobs.clone()));
        self.spawn(key, None, None, async move {
            let places = workshop.places(facts, view, blobs).await;
            Input::Recalled { turn, places: places.unwrap_or_default() }
        });
    }
}

/// What the user does next: what was heard already, else what comes.
pub(super) async fn heard(hasty: Option<Request>, requests: &mut mpsc::Receiver<Request>) -> Option<Request> {
    match hasty {
        Some(request) => Some(request),
        None => requests.recv().await,
    }
}

/// How long an input waits for a look at the files of facts: never one that only stops or shows something.
fn waits((input, asked): &(Input, bool), classifier: &Classifier) -> Duration {
    if let Input::Say { text, .. } = input {
        return if classifier.stops(text) { Duration::ZERO } else { LOOK_WAIT };
    }
    if !asked {
        LOOK_WAIT
    } else if matches!(input, Input::Answer { .. }) {
        GLANCE
    } else {
        Duration::ZERO
    }
}

fn file_of(fact: &Fact) -> Option<&RelPath> {
    if let FactSource::File { path, .. } = &fact.source { Some(path) } else { None }
}

/// The files that these facts stand in, as they are.
fn marks(root: &Path, facts: &[Fact]) -> FactFiles {
    let mut files = FactFiles::new();
    for path in facts.iter().filter_map(file_of) {
        if !files.contains_key(path) {
            let real = std::fs::canonicalize(root.join(path.as_str()));
            files.insert(path.clone(), real.ok().and_then(|real| mark(&real)));
        }
    }
    files
}
