//! The read port: pages of the transcript, contents, file names.
//!
//! Owns the bounds of an answer. Never lets a question touch anything but the session's own store
//! and the names in the workspace.

use std::{path::Path, sync::Arc};

use pilothouse_core::{
    blob::{BlobId, Excerpt},
    event::Stamped,
    ids::Seq,
    policy::{Origin, PathRules, Rehearsal, Rule},
    port::{Ask, ContextSheet, Reply, SetupReply, Update},
    relpath::RelPath,
    scope::ToolScope,
    session::{Lane, Session},
    talk::Purpose,
};
use pilothouse_tools::walk::walk;
use tokio_util::sync::CancellationToken;

use super::{Driver, Inbound};
use crate::{
    blobs::Blobs,
    context::{Texts, sheet},
    home::Home,
    log::Log,
    permissions::tell,
};

/// Most events in one page.
const MAX_EVENTS: usize = 2000;
/// Most names in one answer.
const MAX_FILES: usize = 200_000;

/// Answers at once; `None` for what takes longer and is answered from elsewhere.
pub(super) fn answer(ask: &Ask, log: &Log) -> Option<Reply> {
    let Ask::History { before, count } = ask else { return None };
    let page = log.before(*before, (*count).min(MAX_EVENTS));
    Some(Reply::History(page.unwrap_or_else(|e| {
        tracing::warn!(error = %e, "a page of the log could not be read");
        Vec::new()
    })))
}

impl Driver {
    /// Answers beside the loop what takes longer.
    pub(super) fn ask_beside(&mut self, number: u64, ask: Ask) {
        if let Ask::Withdraw(asked) = ask {
            if let Some((_, cancel)) = self.kit.asked.take_if(|(number, _)| *number == asked) {
                cancel.cancel();
            }
            return;
        }
        if matches!(
            ask,
            Ask::Sources | Ask::TestSource(_) | Ask::SignIn(_) | Ask::EnableSource(..) | Ask::SourceTools(_)
        ) {
            return self.ask_sources(number, ask);
        }
        let (folder, home, inbound) =
            (self.at.root.path().to_owned(), self.setup.home.clone(), self.inbound.clone());
        let blobs = self.at.blobs.clone();
        let cancel = CancellationToken::new();
        let (knowledge, news) = (self.kit.knowledge.lookup().until(cancel.clone()), self.outbox.sender());
        if matches!(ask, Ask::Knowledge(_))
            && let Some((_, before)) = self.kit.asked.replace((number, cancel))
        {
            before.cancel();
        }
        let rules = PathRules::new(Arc::clone(self.at.session.policy()));
        let session = matches!(ask, Ask::Rehearse(_)).then(|| self.at.session.clone()).unwrap_or_default();
        let memory = if let Ask::Memory(owner) = ask { Some(self.memory_of(owner)) } else { None };
        let sheet = if ask == Ask::Context { Box::new(self.sheet()) } else { Box::default() };
        let failed = failed(&ask);
        self.tasks.spawn(async move {
            let answer = move || match ask {
                Ask::Rehearse(rules) => {
                    Reply::Rehearsed(Box::new(rehearse(&home, &folder, &session, &rules)))
                }
                Ask::Context => Reply::Context(sheet),
                Ask::Memory(_) => memory.unwrap_or(Reply::Files(Vec::new())),
                Ask::Knowledge(ask) => {
                    // Only progress: what finds no room is told the next time.
                    let tell = |text| drop(news.try_send(Update::Notice(text)));
                    Reply::Knowledge(Box::new(knowledge.answer(&ask, &rules, &tell)))
                }
                Ask::Files { like, count } => Reply::Files(files(&folder, &like, count)),
                Ask::Blob(id) => Reply::Blob(id, blobs.get(id)),
                Ask::Text(id, ask) => Reply::Text(id, blobs.part(id, &ask)),
                Ask::History { .. }
                | Ask::Withdraw(_)
                | Ask::Sources
                | Ask::TestSource(_)
                | Ask::SignIn(_)
                | Ask::EnableSource(..)
                | Ask::KeepKey(..)
                | Ask::Setup(_)
                | Ask::SourceTools(_) => Reply::History(Vec::new()),
            };
            let reply = tokio::task::spawn_blocking(answer).await.unwrap_or_else(|e| {
                tracing::error!(error = %e, "a question of the screen could not be answered");
                failed
            });
            drop(inbound.send(Inbound::Answered(number, reply)).await);
        });
    }
}

/// What is answered where the program itself fails: whoever asked must not wait for ever.
fn failed(ask: &Ask) -> Reply {
    let why = "a part of the program failed; its log says where".to_owned();
    match ask {
        Ask::Knowledge(_) => Reply::Knowledge(Box::new(Err(why))),
        Ask::Memory(owner) => Reply::Memory(*owner, Err(why)),
        Ask::Context => {
            Reply::Context(Box::new(ContextSheet { trouble: Some(why), ..ContextSheet::default() }))
        }
        Ask::Rehearse(_) => Reply::Rehearsed(Box::default()),
        Ask::SourceTools(name) => Reply::SourceTools(name.clone(), Err(why)),
        Ask::Sources | Ask::TestSource(_) | Ask::SignIn(_) | Ask::EnableSource(..) | Ask::KeepKey(..) => {
            Reply::Sources(Vec::new())
        }
        Ask::Setup(_) => Reply::Setup(SetupReply::Kept(Err(why))),
        Ask::Blob(id) => Reply::Blob(*id, None),
        Ask::Text(id, _) => Reply::Text(*id, None),
        Ask::Files { .. } => Reply::Files(Vec::new()),
        Ask::History { .. } | Ask::Withdraw(_) => Reply::History(Vec::new()),
    }
}

impl Driver {
    /// What the model is told next.
    pub(super) fn sheet(&self) -> ContextSheet {
        let state = self.at.session.state();
        let lane = sheet::next(state);
        let purpose = lane.map_or(Purpose::Answer, |l| l.kind.purpose());
        let offer = lane.map_or(ToolScope::READ_ONLY, Lane::offer);
        let tools = super::work::offered(state, lane, purpose, offer, !self.kit.sources.is_empty());
        let texts = Stored { log: &self.at.log, blobs: &self.at.blobs };
        sheet::sheet(state, &tools, &texts, &self.circumstances())
    }
}

/// Names of files that are not ignored and like what is typed, in order.
fn files(root: &Path, like: &str, count: usize) -> Vec<RelPath> {
    let letters: Vec<char> =
        like.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    walk(root, root, None)
        .filter(|e| e.file_type().is_file())
        .filter_map(|e| RelPath::new(e.path().strip_prefix(root).ok()?.to_str()?).ok())
        .filter(|path| holds(path.as_str(), &letters))
        .take(count.min(MAX_FILES))
        .collect()
}

/// Whether a name has these letters in this order.
fn holds(name: &str, letters: &[char]) -> bool {
    let mut rest = name.chars().flat_map(char::to_lowercase);
    letters.iter().all(|letter| rest.any(|c| c == *letter))
}

/// What rules would have done to the commands of past sessions in a folder, as they would be decided now.
fn rehearse(home: &Home, folder: &Path, session: &Session, rules: &[String]) -> Rehearsal {
    let rules: Vec<Rule> = rules.iter().filter_map(|r| Rule::parse(r, Origin::SESSION).ok()).collect();
    let past = tell::past(home, Some(folder));
    let times = past.iter().map(|(past, times)| (past, *times));
    session.policy().rehearse(&rules, times, &session.state().setting())
}

/// Texts from the log and the blobs.
pub(super) struct Stored<'a> {
    pub log: &'a Log,
    pub blobs: &'a Blobs,
}

impl Texts for Stored<'_> {
    fn event(&self, seq: Seq) -> Option<Stamped> {
        self.log.event(seq).ok().flatten()
    }

    fn whole(&self, text: &Excerpt) -> String {
        let Some(cut) = &text.cut else { return text.head.clone() };
        let lost = || format!("{}\n[… the middle is no longer stored …]\n{}", text.head, cut.tail);
        self.blobs.text(cut.blob).unwrap_or_else(lost)
    }

    fn blob(&self, id: BlobId) -> Option<Vec<u8>> {
        self.blobs.get(id)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use pilothouse_core::{memory::MemoryOwner, port::KnowledgeAsk};

    use super::*;

    #[test]
    fn files_are_found_by_what_is_typed_however_many_stand_before_them() {
        let place = tempfile::tempdir().unwrap();
        std::fs::create_dir(place.path().join("zoo")).unwrap();
        for name in ["a.txt", "b.txt", "c.txt", "zoo/Login.rs"] {
            std::fs::write(place.path().join(name), "").unwrap();
        }
        let found = |like: &str| -> Vec<String> {
            files(place.path(), like, 2).iter().map(ToString::to_string).collect()
        };
        assert_eq!(found(""), ["a.txt", "b.txt"]);
        assert_eq!(found("zlog"), ["zoo/Login.rs"]);
        assert_eq!(found("zoo/l"), ["zoo/Login.rs"]);
        assert!(found("xyz").is_empty());
    }

    #[test]
    fn whoever_asked_hears_of_a_failure_in_their_own_kind() {
        let of = |ask: Ask| failed(&ask);
        assert!(matches!(of(Ask::Knowledge(KnowledgeAsk::Status)), Reply::Knowledge(r) if r.is_err()));
        assert!(matches!(of(Ask::Context), Reply::Context(sheet) if sheet.trouble.is_some()));
        assert!(matches!(of(Ask::Memory(MemoryOwner::User)), Reply::Memory(_, Err(_))));
        assert!(matches!(of(Ask::SourceTools("a".to_owned())), Reply::SourceTools(_, Err(_))));
    }
}
