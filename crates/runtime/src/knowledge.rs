//! The knowledge index of the workspace: opened when it is first asked, brought up to date before it answers.
//!
//! Owns which embedder it has and how calls become questions. Nothing of it runs while nobody asks.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use pilothouse_core::{
    embed::Embedder,
    knowledge::{Hop, HopStart, IndexStatus, Lines, Passage, Query, RelationClaim, check},
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

/// The index of one workspace, for whoever asks. It ends what it does when its first owner goes.
#[derive(Clone)]
pub struct Knowledge {
    root: PathBuf,
    folder: PathBuf,
    embedder: (Vectors, Duration),
    secrets: Redactor,
    open: Arc<Mutex<Option<Arc<Index>>>>,
    stop: CancellationToken,
    /// Lets go of what goes on once nobody is left.
    _guard: Arc<DropGuard>,
}

impl Knowledge {
    /// The index of the workspace at `root`; nothing is opened yet.
    pub fn new(root: &Path, home: &Home, config: &Config) -> Self {
        let stop = CancellationToken::new();
        Self {
            root: root.to_owned(),
            folder: home.index_of(root),
            embedder: (config.intent.embedder.clone(), config.intent.wait),
            secrets: config.secrets.clone(),
            open: Arc::default(),
            _guard: Arc::new(stop.clone().drop_guard()),
            stop,
        }
    }

    /// From here on these are kept out of what is read: it is opened anew.
    pub fn hide(&mut self, secrets: Redactor) {
        if self.secrets != secrets {
            (self.secrets, self.open) = (secrets, Arc::default());
        }
    }

    /// Opens it, once. Where the embedder cannot be made the built-in one stands in, and that is told.
    fn index(&self) -> Result<(Arc<Index>, Option<String>), IndexError> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(index) = &*open {
            return Ok((Arc::clone(index), None));
        }
        let (embedder, trouble) = match &self.embedder {
            (Vectors::BuiltIn, _) => (None, None),
            (place, limit) => match vectors::embedder(place, *limit) {
                Ok(made) => (Some(Arc::from(made)), None),
                Err(fault) => (None, Some(format!("the built-in embedder stands in: {}", fault.message))),
            },
        };
        let name = embedder.as_ref().map_or("built-in", |e: &Arc<dyn Embedder>| e.name());
        let file = format!("knowledge-{}.db", pilothouse_core::blob::BlobId::of(name.as_bytes()).short(8));
        let index =
            Arc::new(Index::open(&self.root, &self.folder.join(file), embedder, self.secrets.clone())?);
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
        let trouble = index.refresh(&known(rules), watch)?;
        Ok((index, trouble.or(stands_in)))
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
        let watch = Watched { tell, stops: vec![self.stop.clone()] };
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
        let watch = Watched { tell, stops: vec![self.stop.clone()] };
        let status = || {
            if anew {
                self.index()?.0.empty()?;
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
    pub fn call(
        &self,
        call: &KnowledgeCall,
        rules: &PathRules,
        tell: &dyn Fn(String),
        cancel: &CancellationToken,
    ) -> ToolOutcome {
        let watch = Watched { tell, stops: vec![self.stop.clone(), cancel.clone()] };
        let may = |path: &RelPath| rules.holds(Act::Read, path).is_none();
        let done = self.fresh(rules, &watch).map_err(|e| e.to_string());
        let done = done.and_then(|(index, trouble)| {
            let seen = Seen::new(&index, &may, &watch);
            perform(call, &index, &seen, &may, trouble).map_err(|e| e.to_string())
        });
        done.unwrap_or_else(ToolOutcome::failure)
    }
}

impl std::fmt::Debug for Knowledge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Knowledge").field("root", &self.root).finish_non_exhaustive()
    }
}

/// Which files are in it: all but those that a rule keeps from everyone.
fn known(rules: &PathRules) -> impl Fn(&RelPath) -> bool {
    |path| !rules.denies(Act::Read, path)
}

/// Tells how far a reading is, and ends it.
struct Watched<'a> {
    tell: &'a dyn Fn(String),
    stops: Vec<CancellationToken>,
}

impl Watch for Watched<'_> {
    fn at(&self, progress: Progress) {
        if progress.read > 0 && progress.read % TOLD < 128 {
            (self.tell)(format!("reading the project for the knowledge index: {} files", progress.files));
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
            told(&found, counted(found.len(), "passage"))
        }
        KnowledgeCall::Hop(hop) => {
            let found = seen.hop(&start(hop)?)?;
            told(&found, counted(found.len(), "passage"))
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
            let summary =
                format!("{} in {}", counted(status.passages, "passage"), counted(status.files, "file"));
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

fn counted(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use pilothouse_core::tool::Tool;
    use serde_json::Value;

    use super::*;
    use crate::{Environment, config::Layer};

    /// What a call of a tool comes to in a small project, and whether it failed.
    fn called(tool: Tool, args: &Value) -> (bool, Value) {
        let dir = tempfile::tempdir().unwrap();
        let work = dir.path().join("work");
        std::fs::create_dir_all(work.join("src")).unwrap();
        std::fs::write(work.join("src/retry.rs"), "/// Tries again.\npub fn retry() {\n    back_off();\n}\n")
            .unwrap();
        std::fs::write(work.join("src/wait.rs"), "pub fn back_off() {}\nconst LIMIT: usize = 3;\n").unwrap();
        let home = Home::under(&dir.path().join("home"));
        let none: [(&str, &str); 0] = [];
        let environment: Environment = none.into_iter().collect();
        let config = Config::load(&home, None, &environment, Layer::default()).unwrap();
        let knowledge = Knowledge::new(&work, &home, &config);
        let ToolCall::Knowledge(call) = ToolCall::read(tool, &args.to_string()).unwrap() else {
            unreachable!()
        };
        let outcome = knowledge.call(&call, &PathRules::default(), &|_| (), &CancellationToken::new());
        let text = if outcome.failed {
            Value::String(outcome.text)
        } else {
            serde_json::from_str(&outcome.text).unwrap()
        };
        (outcome.failed, text)
    }

    use pilothouse_core::tool::ToolCall;

    #[test]
    fn each_tool_answers_in_json() {
        for (tool, args, pointer, said) in [
            (Tool::KbSearch, json!({"query": "try again"}), "/0/path", json!("src/retry.rs")),
            (
                Tool::KbSearch,
                json!({"query": "back off", "within": ["src/wait.rs"]}),
                "/0/path",
                json!("src/wait.rs"),
            ),
            (
                Tool::HopRetrieve,
                json!({"symbol": "retry", "by": ["uses"]}),
                "/0/passage/path",
                json!("src/wait.rs"),
            ),
            (
                Tool::GetPassage,
                json!({"path": "src/retry.rs", "from": 2, "to": 3}),
                "/text",
                json!("pub fn retry() {\n    back_off();"),
            ),
            (
                Tool::CitationVerify,
                json!({"citations": [{"path": "src/retry.rs", "from": 1, "text": "back_off();"}]}),
                "/0/place/moved/to/from",
                json!(3),
            ),
            (Tool::EntityVerify, json!({"text": "`retry` calls `give_up`"}), "/score", json!(500)),
            (
                Tool::RelationVerify,
                json!({"subject": "retry", "relation": "uses", "object": "back_off"}),
                "/standing",
                json!("holds"),
            ),
            (
                Tool::ContradictionCheck,
                json!({"claims": ["LIMIT is 5."], "cited": [{"path": "src/wait.rs"}]}),
                "/found/0/other",
                json!("3"),
            ),
            (Tool::KbStatus, json!({}), "/files", json!(2)),
            (Tool::KbStatus, json!({"path": "src/wait.rs"}), "/file/state", json!("indexed")),
        ] {
            let (failed, text) = called(tool, &args);
            assert_eq!((failed, text.pointer(pointer)), (false, Some(&said)), "{tool:?} {args} {text}");
        }
    }

    #[test]
    fn calls_that_cannot_be_answered_say_why() {
        for (tool, args, said) in [
            (Tool::HopRetrieve, json!({}), "name a place"),
            (Tool::GetPassage, json!({"path": "src/gone.rs"}), "cannot be read"),
            (
                Tool::KbSearch,
                json!({"query": "x", "within": ["../other"]}),
                "not a path inside the workspace",
            ),
        ] {
            let (failed, text) = called(tool, &args);
            assert!(failed && text.as_str().unwrap().contains(said), "{tool:?} {text}");
        }
    }
}
