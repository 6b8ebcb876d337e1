//! The knowledge index of the workspace: opened when it is first asked, brought up to date before it answers.
//!
//! Owns which embedder it has and how calls become questions. Nothing of it runs while nobody asks.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use pilothouse_core::{
    ids::Millis,
    knowledge::{Hop, HopStart, IndexStatus, Lines, Passage, Query, RelationClaim, check},
    money::count,
    policy::PathRules,
    port::{KnowledgeAsk, KnowledgeReply},
    redact::Redactor,
    relpath::{BadRelPath, RelPath},
    shell::Act,
    tool::{
        KnowledgeCall, ToolOutcome,
        knowledge::{Cite, HopRetrieve, lines},
    },
};
use pilothouse_index::{Index, IndexError, May, Progress, Seen, Watch};
use serde::Serialize;
use serde_json::json;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::{
    config::{Config, Vectors},
    home::Home,
    vectors,
};

/// Passages of an answer where the call does not say.
const USUAL: usize = 10;
/// So often the user hears how far a first reading is.
const TOLD: usize = 1_000;

/// What was looked at is taken to be as it was for so long, unless something happened that may have changed it.
const FRESH: Millis = Millis(2_000);

/// Tells the time.
type Clock = Arc<dyn Fn() -> Millis + Send + Sync>;

/// The index of one workspace. What goes on in it ends with it, whoever still asks.
pub struct Knowledge {
    lookup: Lookup,
    _end: DropGuard,
}

impl Knowledge {
    /// The index of the workspace at `root`; nothing is opened yet.
    pub fn new(root: &Path, home: &Home, config: &Config) -> Self {
        let stop = CancellationToken::new();
        let lookup = Lookup {
            root: root.to_owned(),
            folder: home.index_of(root),
            embedder: (config.intent.embedder.clone(), config.intent.wait),
            secrets: Arc::new(Mutex::new(config.secrets.clone())),
            clock: None,
            open: Arc::default(),
            looked: Arc::default(),
            stop: stop.clone(),
            cancel: CancellationToken::new(),
        };
        Self { lookup, _end: stop.drop_guard() }
    }

    /// By this clock it is not looked for changes at each question.
    #[must_use]
    pub fn timed(mut self, clock: Clock) -> Self {
        self.lookup.clock = Some(clock);
        self
    }

    /// For whoever asks beside the one that owns it.
    pub fn lookup(&self) -> Lookup {
        self.lookup.clone()
    }
}

impl std::ops::Deref for Knowledge {
    type Target = Lookup;

    fn deref(&self) -> &Lookup {
        &self.lookup
    }
}

/// How the index of a workspace is asked; clones share it.
#[derive(Clone)]
pub struct Lookup {
    root: PathBuf,
    folder: PathBuf,
    embedder: (Vectors, Duration),
    secrets: Arc<Mutex<Redactor>>,
    clock: Option<Clock>,
    open: Arc<Mutex<Option<Arc<Index>>>>,
    looked: Arc<Mutex<Looked>>,
    /// Ends what goes on for all, and for this one alone.
    stop: CancellationToken,
    cancel: CancellationToken,
}

/// When the files were last looked at.
#[derive(Default)]
struct Looked {
    /// How often something happened that may have changed one.
    changes: u64,
    last: Option<Look>,
}

/// One look at the files.
#[derive(Clone)]
struct Look {
    at: Millis,
    /// How often something had happened by then.
    changes: u64,
    /// What could not be done.
    trouble: Option<String>,
}

impl Lookup {
    /// The same, until this is cancelled.
    #[must_use]
    pub fn until(self, cancel: CancellationToken) -> Self {
        Self { cancel, ..self }
    }

    /// Something happened that may have changed a file, or a rule.
    pub fn changed(&self) {
        self.looked().changes += 1;
    }

    /// What is a secret from here on: it is shown no more, and goes out of the index at the next question.
    pub fn hide(&self, secrets: &Redactor) {
        secrets.clone_into(&mut self.secrets.lock().unwrap_or_else(PoisonError::into_inner));
        self.changed();
    }

    fn looked(&self) -> MutexGuard<'_, Looked> {
        self.looked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The last look, where it was a moment ago and nothing happened since.
    fn moment_ago(&self, now: Option<Millis>) -> Option<Look> {
        let looked = self.looked();
        let last = looked.last.as_ref()?;
        let age = now?.0.checked_sub(last.at.0)?;
        (last.changes == looked.changes && age < FRESH.0).then(|| last.clone())
    }

    /// Opens it, once. Where the embedder cannot be made the built-in one stands in, and that is told.
    fn index(&self) -> Result<(Arc<Index>, Option<String>), IndexError> {
        let secrets = self.secrets.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(index) = &*open {
            index.hide(secrets);
            return Ok((Arc::clone(index), None));
        }
        let (embedder, trouble) = match &self.embedder {
            (Vectors::BuiltIn, _) => (None, None),
            (place, limit) => match vectors::embedder(place, *limit) {
                Ok(made) => (Some(Arc::from(made)), None),
                Err(fault) => (None, Some(format!("the built-in embedder stands in: {}", fault.message))),
            },
        };
        let index = Arc::new(Index::open(&self.root, &self.folder, embedder, secrets)?);
        // One that only stands in is looked for anew the next time.
        if trouble.is_none() {
            *open = Some(Arc::clone(&index));
        }
        Ok((index, trouble))
    }

    /// The index as the files are now, and what it could not do. Blocks; the first time it reads all of them.
    fn fresh(
        &self,
        rules: &PathRules,
        watch: &dyn Watch,
    ) -> Result<(Arc<Index>, Option<String>), IndexError> {
        let (index, stands_in) = self.index()?;
        let now = self.clock.as_ref().map(|clock| clock());
        if let Some(last) = self.moment_ago(now) {
            return Ok((index, last.trouble));
        }
        let changes = self.looked().changes;
        let trouble = index.refresh(&known(rules), watch)?.or(stands_in);
        self.looked().last = now.map(|at| Look { at, changes, trouble: trouble.clone() });
        Ok((index, trouble))
    }

    /// Passages for the user, and what could not be done; blocks.
    ///
    /// # Errors
    /// Why there are none, for people.
    pub fn search(
        &self,
        query: &Query,
        rules: &PathRules,
        tell: &dyn Fn(String),
    ) -> Result<(Vec<Passage>, Option<String>), String> {
        let watch = self.watched(tell);
        let found = self
            .fresh(rules, &watch)
            .and_then(|(index, trouble)| Ok((index.search(query, &known(rules))?, trouble)));
        found.map_err(|e| e.to_string())
    }

    /// What is in it, brought up to date; made anew if `anew`. Blocks.
    ///
    /// # Errors
    /// Why that cannot be told, for people.
    pub fn status(
        &self,
        anew: bool,
        rules: &PathRules,
        tell: &dyn Fn(String),
    ) -> Result<IndexStatus, String> {
        let watch = self.watched(tell);
        let status = || {
            if anew {
                self.index()?.0.empty()?;
                self.changed();
            }
            let (index, trouble) = self.fresh(rules, &watch)?;
            Ok(IndexStatus { trouble, ..index.status()? })
        };
        status().map_err(|e: IndexError| e.to_string())
    }

    /// Answers a screen; blocks.
    ///
    /// # Errors
    /// Why it cannot, for people.
    pub fn answer(
        &self,
        ask: &KnowledgeAsk,
        rules: &PathRules,
        tell: &dyn Fn(String),
    ) -> Result<KnowledgeReply, String> {
        match ask {
            KnowledgeAsk::Search(text) => {
                let query = Query { text: text.clone(), within: Vec::new(), most: 20 };
                self.search(&query, rules, tell).map(|(found, _)| KnowledgeReply::Passages(found))
            }
            KnowledgeAsk::Status => self.status(false, rules, tell).map(KnowledgeReply::Status),
        }
    }

    /// Performs a permitted call for a lane under these rules; blocks. What the rules hold back does not exist for it.
    pub fn call(&self, call: &KnowledgeCall, rules: &PathRules, tell: &dyn Fn(String)) -> ToolOutcome {
        let watch = self.watched(tell);
        let may = |path: &RelPath| rules.holds(Act::Read, path).is_none();
        let done = self.fresh(rules, &watch).map_err(|e| e.to_string());
        let done = done.and_then(|(index, trouble)| {
            let seen = Seen::new(&index, &may, &watch);
            perform(call, &index, &seen, &may, trouble).map_err(|e| e.to_string())
        });
        done.unwrap_or_else(ToolOutcome::failure)
    }

    fn watched<'a>(&self, tell: &'a dyn Fn(String)) -> Watched<'a> {
        Watched { tell, stops: [self.stop.clone(), self.cancel.clone()] }
    }
}

impl std::fmt::Debug for Knowledge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.lookup.fmt(f)
    }
}

impl std::fmt::Debug for Lookup {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Lookup").field("root", &self.root).finish_non_exhaustive()
    }
}

/// Which files are in it: all but those that a rule keeps from everyone.
fn known(rules: &PathRules) -> impl Fn(&RelPath) -> bool {
    |path| !rules.denies(Act::Read, path)
}

/// Tells how far a reading is, and ends it.
struct Watched<'a> {
    tell: &'a dyn Fn(String),
    stops: [CancellationToken; 2],
}

impl Watch for Watched<'_> {
    fn at(&self, progress: Progress) {
        if progress.read > 0 && progress.read % TOLD < 128 {
            (self.tell)(format!(
                "reading the project for the knowledge index: {}",
                count(progress.files, "file")
            ));
        }
    }

    fn stopped(&self) -> bool {
        self.stops.iter().any(CancellationToken::is_cancelled)
    }
}

/// Why a call came to nothing.
#[derive(Debug, thiserror::Error)]
enum Unanswered {
    #[error(transparent)]
    Index(#[from] IndexError),
    #[error(transparent)]
    Path(#[from] BadRelPath),
    #[error("name a place (`path`, with `from` and `to`) or a `symbol`")]
    NoStart,
}

fn perform(
    call: &KnowledgeCall,
    index: &Index,
    seen: &Seen<'_>,
    may: May<'_>,
    trouble: Option<String>,
) -> Result<ToolOutcome, Unanswered> {
    Ok(match call {
        KnowledgeCall::Search(search) => {
            let within = search.within.iter().map(|p| RelPath::new(p)).collect::<Result<_, _>>()?;
            let query = Query { text: search.query.clone(), within, most: search.max.unwrap_or(USUAL) };
            let found = index.search(&query, may)?;
            told(&found, count(found.len(), "passage"))
        }
        KnowledgeCall::Hop(hop) => {
            let found = seen.hop(&start(hop)?)?;
            told(&found, count(found.len(), "passage"))
        }
        KnowledgeCall::Passage(place) => {
            let passage = seen.passage(&lines(&place.path, place.from, place.to)?)?;
            let where_to = passage.lines.to_string();
            told(&passage, where_to)
        }
        KnowledgeCall::Citations(asked) => {
            let cited = asked.citations.iter().map(Cite::citation).collect::<Result<Vec<_>, _>>()?;
            let told_of: Vec<_> = cited.iter().map(|c| check::citation(c, seen)).collect();
            let hold =
                told_of.iter().filter(|v| v.verdict.standing == pilothouse_core::knowledge::Standing::Holds);
            let summary = format!("{} of {} hold", hold.count(), told_of.len());
            told(&told_of, summary)
        }
        KnowledgeCall::Entities(asked) => {
            let verdict = check::entities(&asked.text, seen);
            told(&verdict, verdict.verdict.reason.clone())
        }
        KnowledgeCall::Relation(asked) => {
            let (subject, object) = (asked.subject.clone(), asked.object.clone());
            let claim = RelationClaim { subject, relation: asked.relation, object };
            let verdict = check::relation(&claim, &cited(&asked.cited)?, seen);
            told(&verdict, verdict.verdict.reason.clone())
        }
        KnowledgeCall::Contradictions(asked) => {
            let passages = cited(&asked.cited)?.into_iter().map(|at| {
                let text = seen.passage(&at)?.text;
                Ok((at, text))
            });
            let passages = passages.collect::<Result<Vec<_>, IndexError>>()?;
            let verdict = check::contradictions(&asked.claims, &passages);
            told(&verdict, verdict.verdict.reason.clone())
        }
        KnowledgeCall::Status(asked) => {
            let status = IndexStatus { trouble, ..index.status()? };
            let summary = format!("{} in {}", count(status.passages, "passage"), count(status.files, "file"));
            let Some(path) = &asked.path else { return Ok(told(&status, summary)) };
            let held =
                index.holds(&RelPath::new(path)?).filter(|_| RelPath::new(path).is_ok_and(|p| may(&p)));
            told(&json!({ "index": status, "file": { "path": path, "state": held } }), summary)
        }
    })
}

fn start(hop: &HopRetrieve) -> Result<Hop, Unanswered> {
    let from = match &hop.path {
        Some(path) => HopStart::Lines(lines(path, hop.from, hop.to)?),
        None if hop.symbol.trim().is_empty() => return Err(Unanswered::NoStart),
        None => HopStart::Symbol(hop.symbol.trim().to_owned()),
    };
    Ok(Hop { from, by: hop.by.clone(), most: hop.max.unwrap_or(USUAL) })
}

fn cited(all: &[Cite]) -> Result<Vec<Lines>, BadRelPath> {
    all.iter().map(|c| lines(&c.path, c.from, c.to)).collect()
}

/// A result as the model and a stage read it: JSON.
fn told(result: &impl Serialize, summary: impl Into<String>) -> ToolOutcome {
    match serde_json::to_string(result) {
        Ok(text) => ToolOutcome::text(text, summary),
        Err(e) => ToolOutcome::failure(format!("the result cannot be told: {e}")),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
