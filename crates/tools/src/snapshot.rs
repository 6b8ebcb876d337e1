//! What a command could destroy, saved before it runs, and what it changed, told after it.
//!
//! Owns the order of it: look, ask git, copy; afterwards look and record. Git's objects stand for unchanged files that
//! git has, copies for all others up to a cap. Reads the workspace and never writes it.

mod doubt;
mod glance;
mod hidden;
mod journal;
mod kept;
mod objects;
mod pruned;
mod record;
mod save;
mod spared;
mod sum;
mod tell;
mod tree;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant, SystemTime},
};

use pilothouse_core::{blob::BlobId, ids::CallId, shell::Act, spared::Spared, tool::Wrote};
use tokio::sync::{Mutex, OwnedMutexGuard};

pub use record::{Change, Record, Thing};

use crate::{atomic, executor::BlobSource, stamp::Stamp};
use doubt::Named;
use hidden::Hidden;
use journal::Journal;
use kept::{Basis, Kept};
use tree::{RULES, Tree, Was};

/// The largest file that is saved, in bytes: what writes it back takes no larger one.
pub const MOST_FILE_BYTES: u64 = 256 << 20;

/// So many changes since a session left what it knew are gone through again by each; with more it is left anew.
const MOST_DIFFERENT: usize = 500;

/// The saving of one workspace; clones share it.
#[derive(Clone, Debug)]
pub struct Snapshots {
    state: Arc<Mutex<State>>,
    store: PathBuf,
    since: SystemTime,
}

/// What a workspace is, as far as it is saved.
#[derive(Clone, Debug, Default)]
pub struct Ground {
    /// The workspace.
    pub workspace: PathBuf,
    /// Folders of git outside of it.
    pub git: Vec<PathBuf>,
    /// Folders in it that are the program's own.
    pub own: Vec<PathBuf>,
    /// Where copies are kept.
    pub store: PathBuf,
    /// The file in which a session leaves what it knows to the next one of this workspace; none where it is empty.
    pub looked: PathBuf,
    /// The most that is copied, in bytes.
    pub cap: u64,
}

#[derive(Debug)]
struct State {
    trees: Vec<Tree>,
    store: PathBuf,
    /// Where what is known is left to the next session.
    looked: PathBuf,
    /// Whether that is due.
    leaves: bool,
    /// What it was found by.
    basis: Option<Basis>,
    /// Whether what is known is another session's, and was not looked at yet.
    lent: bool,
    cap: u64,
    /// Whether what an earlier process knew was taken in.
    awake: bool,
    journal: Journal,
    /// What is not in the journal yet.
    dirty: BTreeSet<(usize, String)>,
    /// The number of the last copy.
    last: u64,
    /// The commands that run.
    running: BTreeMap<CallId, Running>,
    /// What git's lists said when it was asked last, by root and repository.
    listed: BTreeMap<(usize, String), BlobId>,
    /// Files that the user knows not to be saved.
    accepted: BTreeSet<(usize, String)>,
    /// What the files of the workspace held when all of them were hashed last.
    sums: BTreeMap<String, (Stamp, BlobId)>,
}

type Changed = BTreeMap<(usize, String), Was>;

/// A command that runs.
#[derive(Debug)]
struct Running {
    /// When it began.
    clock: Clock,
    /// What was there of all that changed since then.
    changed: Changed,
    /// What its line says of what it changes.
    named: Named,
}

/// When a command began.
#[derive(Clone, Copy, Debug)]
struct Clock {
    /// By the clock that files are stamped with.
    since: SystemTime,
    /// The same by the clocks of this process, where `since` is by the very clock of the workspace's files.
    began: Option<(SystemTime, Instant)>,
}

impl Clock {
    /// Whether what is stamped before it is older: the stamps are of the same clock, and that did not jump.
    fn holds(&self) -> bool {
        const MOST: Duration = Duration::from_millis(500);
        self.began.is_some_and(|(wall, began)| {
            let passed = wall.elapsed().unwrap_or_default();
            passed.abs_diff(began.elapsed()) < MOST
        })
    }
}

type Held = OwnedMutexGuard<State>;

impl Snapshots {
    /// The saving of a workspace; nothing is looked at before the first command.
    pub fn of(ground: Ground) -> Self {
        let Ground { workspace, git, own, store, looked, cap } = ground;
        // An earlier process of the session made the folder of copies.
        let made = store.metadata().and_then(|meta| meta.created()).ok();
        let since = made.into_iter().fold(SystemTime::now(), SystemTime::min);
        let outside = git.into_iter().map(|path| Tree::of(path, true, Vec::new()));
        let state = State {
            trees: std::iter::once(Tree::of(workspace, false, own).of_session(since))
                .chain(outside)
                .collect(),
            looked,
            leaves: false,
            basis: None,
            lent: false,
            cap,
            awake: false,
            journal: Journal::at(store.join("journal")),
            store: store.clone(),
            dirty: BTreeSet::new(),
            last: 0,
            running: BTreeMap::new(),
            listed: BTreeMap::new(),
            accepted: BTreeSet::new(),
            sums: BTreeMap::new(),
        };
        Self { state: Arc::new(Mutex::new(state)), store, since }
    }

    /// When the session began.
    pub const fn since(&self) -> SystemTime {
        self.since
    }

    async fn hold(&self) -> Held {
        Arc::clone(&self.state).lock_owned().await
    }

    /// Saves what a line could destroy that runs in a folder of the workspace. `told` is what the user was told of it
    /// before.
    ///
    /// # Errors
    /// What could not be saved, in words: it should not run before the user knows.
    pub async fn before(&self, call: CallId, (line, folder): (&str, &str), told: &str) -> Result<(), String> {
        let failed = || "the workspace could not be looked at".to_owned();
        let (line, folder, told) = (line.to_owned(), folder.to_owned(), told.to_owned());
        let named = line.clone();
        let look = move |state: &mut State| {
            state.look();
            state.named(&named, &folder)
        };
        let (mut state, named) = blocking(self.hold().await, look).await.ok_or_else(failed)?;
        state.ask_git().await;
        let work = move |state: &mut State| state.save(call, (&line, named), &told);
        blocking(state, work).await.map_or_else(|| Err(failed()), |(_, saved)| saved)
    }

    /// The lines of commands that ran when the process ended that saved into this folder; what they changed was not told yet.
    pub fn torn(store: &Path) -> Vec<String> {
        save::marks(store).into_values().map(|(line, _)| line).collect()
    }

    /// What a command changed, once nothing of it lives any more; `None` when it changed nothing. What is to be left
    /// alone is told by itself.
    pub async fn after(&self, call: CallId, spared: &Spared, blobs: Arc<dyn BlobSource>) -> Option<Wrote> {
        self.told(call, (Some(SystemTime::now()), spared), blobs).await
    }

    /// `ended` is when nothing of it lived any more, where that is known.
    async fn told(
        &self,
        call: CallId,
        (ended, spared): (Option<SystemTime>, &Spared),
        blobs: Arc<dyn BlobSource>,
    ) -> Option<Wrote> {
        let look = move |state: &mut State| {
            state.look();
            state.running.remove(&call)
        };
        let (state, ran) = blocking(self.hold().await, look).await?;
        let ran = ran?;
        let contents = state.fetch(&ran.changed, blobs.as_ref()).await;
        let pruned = state.pruned().await;
        let (span, kept) = ((ran.clock.since, ended), Arc::clone(&blobs));
        let tell = move |state: &mut State| {
            let told = state.tell(&ran, &contents, &pruned, kept.as_ref());
            state.drop_secrets();
            state.let_objects_go();
            (told, ran.named)
        };
        let (state, (mut told, named)) = blocking(state, tell).await?;
        let apart = state.apart(&mut told, spared, ended);
        state.doubt(&mut told.changes, &named, span).await;
        let tell = move |state: &mut State| state.wrote(told, apart, blobs.as_ref());
        blocking(state, tell).await?.1
    }

    /// The workspace as one hash; `None` when it could not be looked at.
    pub async fn tree(&self) -> Option<BlobId> {
        drop(blocking(self.hold().await, State::look).await?);
        self.seen().await
    }

    /// The same as it was looked at last: beside a command nobody looks twice.
    pub async fn seen(&self) -> Option<BlobId> {
        let mut state = self.hold().await;
        // What git has counts as well where its own rules hide it: always, not only once a command was looked after.
        state.ask_git().await;
        blocking(state, State::sum).await.map(|(_, sum)| sum)
    }

    /// What is told of a command stands in the session's log.
    pub fn settled(&self, call: CallId) {
        // There is none for what only read.
        drop(std::fs::remove_file(self.store.join(save::mark(call))));
    }

    /// What commands had changed that were running when an earlier process ended, with the last of them.
    pub async fn recover(&self, blobs: Arc<dyn BlobSource>) -> Option<(CallId, String, Wrote)> {
        let store = self.store.clone();
        let marks = tokio::task::spawn_blocking(move || save::marks(&store)).await.ok()?;
        let (call, (line, since)) = marks.last_key_value().map(|(call, mark)| (*call, mark.clone()))?;
        let named = Named::of("", "", Path::new(""));
        let begin = move |state: &mut State| {
            state.wake();
            // How the clocks went meanwhile nobody knows.
            let clock = Clock { since, began: None };
            state.running.insert(call, Running { clock, changed: Changed::new(), named });
        };
        drop(blocking(self.hold().await, begin).await?);
        let wrote = self.told(call, (None, &Spared::default()), blobs).await;
        marks.keys().filter(|c| **c != call || wrote.is_none()).for_each(|c| self.settled(*c));
        Some((call, line, wrote?))
    }
}

impl State {
    /// Takes in what an earlier process knew.
    fn wake(&mut self) {
        if std::mem::replace(&mut self.awake, true) {
            return;
        }
        let mut known = self.journal.read();
        if known.is_empty() {
            return self.borrow();
        }
        for (root, path) in known.opened {
            if let Some(tree) = self.trees.get_mut(root) {
                tree.opened.insert(path);
            }
        }
        for (root, tree) in self.trees.iter_mut().enumerate() {
            let files = known.files.remove(&root).unwrap_or_default();
            let folders = known.folders.remove(&root).unwrap_or_default();
            tree.remember(files, &folders);
        }
        for (root, path) in known.tracked {
            if let Some(tree) = self.trees.get_mut(root).filter(|t| t.files.contains_key(&path)) {
                tree.tracked.insert(path);
            }
        }
        for (root, path) in known.named {
            if let Some(tree) = self.trees.get_mut(root) {
                tree.named.insert(path);
            }
        }
        self.last = self.copies().map(|(number, _)| number).max().unwrap_or_default();
    }

    /// What a line says that it changes. Where git's rules hide that from every look nothing else would stand for it.
    fn named(&mut self, line: &str, folder: &str) -> Named {
        let root = self.trees.first().map(|t| t.root.clone()).unwrap_or_default();
        let mut named = Named::of(line, folder, &root);
        let Some(tree) = self.trees.first_mut() else { return named };
        let places = named.places(&root);
        let hidden = Hidden::of(tree, &places, &named.within(&root));
        let files = doubt::there(&root, &places).into_iter().chain(hidden.files);
        let gone = places.iter().filter(|(_, act)| *act == Act::Delete).map(|(path, _)| path);
        named.gone = gone.chain(&hidden.folders).cloned().collect();
        named.beyond.extend(hidden.beyond);
        let new = tree.name(files).into_iter().chain(tree.open(hidden.folders)).collect::<Vec<_>>();
        if !new.is_empty() {
            self.dirty.extend(new.into_iter().map(|path| (0, path)));
            self.look();
        }
        named
    }

    /// Looks at everything; what is not as it was belongs to every command that runs.
    fn look(&mut self) {
        self.wake();
        let lent = std::mem::take(&mut self.lent);
        for (root, tree) in self.trees.iter_mut().enumerate() {
            if root == 0 && self.leaves && self.basis.is_none() {
                self.basis = Some(Basis::of(&tree.root));
            }
            let mut changes = tree.look();
            if root == 0 && lent {
                self.leaves |= changes.len() > MOST_DIFFERENT;
                if has_other_rules(&changes) {
                    tree.clear();
                    // Git tells all that it has only where its list is not the one that is known.
                    self.listed.remove(&(0, String::new()));
                    drop(std::fs::remove_file(self.journal.base()));
                    self.basis = Some(Basis::of(&tree.root));
                    (self.leaves, changes) = (true, tree.look());
                }
            }
            for (path, was) in changes {
                let key = (root, path);
                for ran in self.running.values_mut() {
                    ran.changed.entry(key.clone()).or_insert_with(|| was.clone());
                }
                self.dirty.insert(key);
            }
        }
    }
}

impl State {
    /// Begins with what another session left, as far as that may be believed.
    fn borrow(&mut self) {
        self.leaves = true;
        let Some(tree) = self.trees.first_mut() else { return };
        let base = self.journal.base();
        // What is read is what the journal builds on, whatever a third session leaves meanwhile.
        let linked =
            std::fs::create_dir_all(&self.store).and_then(|()| std::fs::hard_link(&self.looked, &base));
        let kept = linked.ok().and_then(|()| Kept::read(&base));
        let Some(kept) = kept.filter(|kept| kept.lists(tree)) else {
            drop(std::fs::remove_file(&base));
            return;
        };
        let (listed, basis, whole) = kept.lend(tree);
        self.basis = Some(basis);
        if !whole {
            // What it says of git's objects must not outlive this process either.
            drop(std::fs::remove_file(&base));
            let folders = tree.known_folders().cloned();
            self.dirty.extend(tree.files.keys().cloned().chain(folders).map(|path| (0, path)));
        }
        self.listed.insert((0, String::new()), listed);
        (self.lent, self.leaves) = (true, !whole);
    }

    /// Leaves what is known to the next session, where nothing was left to this one; that need not stand in the
    /// journal as well.
    fn leave_looked(&mut self) {
        if !std::mem::take(&mut self.leaves) || self.looked.as_os_str().is_empty() {
            return;
        }
        let listed = self.listed.get(&(0, String::new())).copied();
        let known = self.trees.first().zip(listed).zip(self.basis.take());
        let Some(((tree, listed), basis)) = known else { return };
        let Some(text) = kept::text(tree, listed, basis) else { return };
        let base = self.journal.base();
        // Another session may leave its own at any moment: what this one builds on is written first, and handed on. To
        // lines that stand already it would be another base.
        let own = self.journal.is_new()
            && std::fs::create_dir_all(&self.store).is_ok()
            && atomic::replace(&base, &text, 0o600).is_ok();
        if own {
            self.dirty.retain(|(root, path)| *root != 0 || !tree.is_lent(path));
        }
        let shared = own && atomic::share(&base, &self.looked).is_ok();
        if !shared && let Err(e) = atomic::replace(&self.looked, &text, 0o600) {
            tracing::warn!(error = %e, "what is known of the workspace could not be left");
        }
    }
}

/// Whether git's rules may be others than the ones by which a folder was listed: every folder may hold other files that
/// count then. In a folder that is new nothing was listed by others.
fn has_other_rules(changes: &[(String, Was)]) -> bool {
    let new = changes.iter().filter(|(_, was)| *was == Was::Nothing).map(|(path, _)| path.as_str());
    let new: BTreeSet<&str> = new.collect();
    let places = changes.iter().map(|(path, _)| path.rsplit_once('/').unwrap_or(("", path)));
    places.into_iter().any(|(folder, name)| name == RULES && !new.contains(folder))
}

/// Does what waits for the disk beside everything else.
async fn blocking<T: Send + 'static>(
    mut state: Held,
    work: impl FnOnce(&mut State) -> T + Send + 'static,
) -> Option<(Held, T)> {
    let work = tokio::task::spawn_blocking(move || {
        let done = work(&mut state);
        (state, done)
    });
    work.await.inspect_err(|e| tracing::error!(error = %e, "a part of the program failed")).ok()
}
