//! The workshop: the one entrance through which a permitted call reaches the machine.
//!
//! Owns the check of the permit and the dispatch to the tool. Never decides whether a call may run:
//! without a [`Permit`], which only the session can make, nothing here can be called.

use std::{
    cell::OnceCell,
    ffi::OsString,
    io::Read,
    path::{Path, PathBuf},
    pin::pin,
    sync::Arc,
    time::Duration,
};

use pilothouse_core::{
    blob::BlobId,
    fact::{Checked, Fact, Place},
    hook::HookOutcome,
    ids::Process,
    recipe::Recipes,
    redact::Redactor,
    relpath::RelPath,
    resolved::{ResolvedCommand, Thing},
    sandbox::Confine,
    shell,
    talk::DeltaKind,
    tool::{FileCall, LeaveOf, Permit, Run, ToolCall, ToolOutcome, Trees},
    work::View,
};
use tokio_util::sync::CancellationToken;

use crate::{
    brought,
    command::{self, Ground, Shell, hook::HookCall},
    evidence, files,
    guard::Guard,
    jail::{Jail, JailError},
    resolved,
    sandbox::{CommandSandbox, secret::SecretFiles},
    sight::{LaneView, Lately},
    snapshot::Snapshots,
    unlost::Around,
};

/// Stored contents by id, for what a lane has proposed.
pub trait BlobSource: Send + Sync {
    /// The content; `None` when it is not stored. May block on a file.
    fn blob(&self, id: BlobId) -> Option<Vec<u8>>;

    /// The content whose id begins so; `None` when none or several do. May block on a file.
    fn beginning(&self, id: &str) -> Option<Vec<u8>>;

    /// Stores a content, to last once it is settled. May block on a file.
    ///
    /// # Errors
    /// What the system says; where contents cannot be stored at all, that.
    fn keep(&self, content: &[u8]) -> std::io::Result<BlobId> {
        let _ = content;
        Err(std::io::ErrorKind::Unsupported.into())
    }

    /// Makes all that was stored last.
    ///
    /// # Errors
    /// What the system says.
    fn settle(&self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Where news of a running call goes. It must not block.
pub trait Sink: Send + Sync {
    /// A piece of output, free of control sequences, in the order in which it came.
    fn delta(&self, kind: DeltaKind, text: &str);
    /// The secrets that it must not hear.
    fn hides(&self) -> Redactor {
        Redactor::default()
    }
    /// The command's process exists.
    fn started(&self, process: Process);
}

/// A look at the workspace that takes longer is said.
const LONG_LOOK: Duration = Duration::from_millis(500);

/// The tools of one workspace.
#[derive(Clone, Debug)]
pub struct ToolExecutor {
    jail: Arc<Jail>,
    shell: Arc<Shell>,
    redactor: Redactor,
    /// Variables that the trusted project gives, and the hash over all that it brings.
    given: (Option<BlobId>, Arc<[(String, String)]>),
    fence: Arc<CommandSandbox>,
    /// What lanes looked at.
    lately: Arc<Lately>,
    guard: Guard,
    secrets: SecretFiles,
    /// What is saved before a command; nothing where nobody asked for it.
    snapshots: Option<Snapshots>,
    /// The skills whose files can be read.
    recipes: Arc<Recipes>,
    /// Whether nobody is there to ask.
    alone: bool,
}

impl ToolExecutor {
    /// The tools for the workspace at `root`; `fence` holds its commands.
    ///
    /// # Errors
    /// When it is no folder or cannot be opened.
    pub fn open(root: &Path, fence: Arc<CommandSandbox>) -> Result<Self, JailError> {
        let jail = Arc::new(Jail::open(root)?);
        let guard = Guard::of(jail.root(), fence.git(), fence.aside());
        let (redactor, given) = (Redactor::default(), (None, Arc::default()));
        let (shell, lately) = (Arc::new(Shell::find()), Arc::default());
        let (recipes, secrets) = (Arc::default(), SecretFiles::default());
        let (snapshots, alone) = (None, false);
        Ok(Self { jail, shell, redactor, given, fence, lately, guard, secrets, snapshots, recipes, alone })
    }

    /// The same tools, which also hide the secrets that `redactor` knows.
    #[must_use]
    pub fn hiding(self, redactor: Redactor) -> Self {
        Self { redactor, ..self }
    }

    /// The same tools, whose commands get these variables of the project, known by `of`.
    #[must_use]
    pub fn giving(self, of: BlobId, variables: Vec<(String, String)>) -> Self {
        let of = (!variables.is_empty()).then_some(of);
        Self { given: (of, variables.into()), ..self }
    }

    /// The same tools, which also read the files of these skills.
    #[must_use]
    pub fn knowing(self, recipes: Arc<Recipes>) -> Self {
        Self { recipes, ..self }
    }

    /// The same tools, of a session where nobody can be asked if `alone`.
    #[must_use]
    pub fn alone(self, alone: bool) -> Self {
        Self { alone, ..self }
    }

    /// The same tools, whose commands can be taken back.
    #[must_use]
    pub fn saving(self, snapshots: Snapshots) -> Self {
        Self { snapshots: Some(snapshots), ..self }
    }

    /// The same tools, whose commands leave these files as they are.
    #[must_use]
    pub fn sparing(self, files: impl IntoIterator<Item = PathBuf>) -> Self {
        Self { guard: self.guard.sparing(files), ..self }
    }

    /// What is saved before commands, if anything is.
    pub const fn snapshots(&self) -> Option<&Snapshots> {
        self.snapshots.as_ref()
    }

    /// The jail of the file tools.
    pub fn jail(&self) -> &Jail {
        &self.jail
    }

    /// Performs the call that `permit` allows and holds; `view` is what the lane sees of the files.
    /// Whatever goes wrong is a failed outcome whose text says how to mend the call. A dropped future stops a command and all it started.
    pub async fn perform(
        &self,
        permit: &Permit,
        view: &View,
        blobs: Arc<dyn BlobSource>,
        sink: &dyn Sink,
        cancel: CancellationToken,
    ) -> ToolOutcome {
        if cancel.is_cancelled() {
            return ToolOutcome::failure("stopped by the user before it began");
        }
        match permit.asked() {
            ToolCall::Run(run) if permit.given() != self.given_to(&run.command).0 => {
                let what = "the variables it gets have changed".to_owned();
                let text = format!("nothing was done: {what} since it was allowed");
                ToolOutcome { changed: Some(what), ..ToolOutcome::failure(text) }
            }
            ToolCall::Run(run) => match (self.changed(permit, run).await, self.unasked(permit, run).await) {
                (None, Ok(held)) => match self.secret(permit, run, view).await {
                    Ok(secret) => {
                        let ground = Ground { secret: &secret, ..self.ground(permit, run, &held) };
                        self.run((permit, view.witnessed), run, ground, (blobs, sink, cancel)).await
                    }
                    Err(what) => {
                        let text = format!("nothing was done: it could come upon {what}");
                        ToolOutcome { unhidden: Some(what), ..ToolOutcome::failure(text) }
                    }
                },
                (Some(what), _) => {
                    let text = format!("nothing was done: {what} since the user allowed it");
                    ToolOutcome { changed: Some(what), ..ToolOutcome::failure(text) }
                }
                (None, Err(what)) => {
                    let text = format!("nothing was done: {what}");
                    ToolOutcome { brought: Some(what), ..ToolOutcome::failure(text) }
                }
            },
            ToolCall::File(call) => self.on_files(call, view, blobs, cancel).await,
            ToolCall::Session(_) | ToolCall::Knowledge(_) | ToolCall::External(_) => {
                ToolOutcome::failure(format!("{} is no tool of this program", permit.tool().name()))
            }
        }
    }

    /// Runs a command; what it could destroy is saved before, and what it changed is told after. Where somebody will ask
    /// on what it ran (`witnessed`), that is told as well.
    async fn run(
        &self,
        (permit, witnessed): (&Permit, bool),
        run: &Run,
        ground: Ground<'_>,
        (blobs, sink, cancel): (Arc<dyn BlobSource>, &dyn Sink, CancellationToken),
    ) -> ToolOutcome {
        let writes = !matches!(ground.confine, Confine::Inside { write: false, .. });
        let Some(snapshots) = self.snapshots.as_ref().filter(|_| writes || witnessed) else {
            return command::run(ground, run, sink, &cancel).await;
        };
        let call = permit.call();
        let saving = async {
            if writes {
                snapshots.before(call, (&run.command, &run.folder), permit.told()).await?;
            }
            Ok(tree(snapshots, witnessed, writes).await)
        };
        let before = match said(sink, "saving what it could destroy…", saving).await {
            Ok(before) => before,
            Err(what) => {
                let text = format!("nothing was done: it could destroy what is not saved: {what}");
                return ToolOutcome { unkept: Some(what), ..ToolOutcome::failure(text) };
            }
        };
        // Stopped while that was saved, it does not begin.
        let outcome = if cancel.is_cancelled() {
            ToolOutcome::failure("stopped by the user")
        } else {
            command::run(ground, run, sink, &cancel).await
        };
        let looking = async {
            let wrote = if writes { snapshots.after(call, permit.spared(), blobs).await } else { None };
            (wrote.map(Box::new), tree(snapshots, witnessed, writes).await)
        };
        let (wrote, after) = said(sink, "it ended; checking what it changed…", looking).await;
        let trees = before.zip(after).map(|(before, after)| Trees { before, after });
        ToolOutcome { wrote, trees, ..outcome }
    }

    /// The workspace as one hash, where its commands can be taken back; `None` when it could not be looked at.
    pub async fn tree(&self) -> Option<BlobId> {
        match &self.snapshots {
            Some(snapshots) => snapshots.tree().await,
            None => None,
        }
    }

    /// The project's variables that a line gets, and what they are known by: what runs code of others gets none.
    fn given_to(&self, line: &str) -> (Option<BlobId>, &[(String, String)]) {
        match self.given.0.filter(|_| !shell::read(line).foreign) {
            Some(of) => (Some(of), &self.given.1),
            None => (None, &[]),
        }
    }

    /// What the words of a command mean here and now.
    pub async fn meant(&self, command: &str, folder: &str, confine: Confine) -> ResolvedCommand {
        let environment = command::environment(self.given_to(command).1, &self.fence, confine);
        let (line, root) = (command.to_owned(), self.jail.root().to_owned());
        let folder = command::folder(&self.jail, folder.trim()).unwrap_or_else(|_| root.clone());
        let (signals, redactor) = (self.fence.holds_signals(), self.redactor.clone());
        // Only what is held so loses nothing but what is saved.
        let since = self.snapshots.as_ref().map(Snapshots::since);
        let held = confine == Confine::Inside { write: true, network: false } && self.snapshots.is_some();
        let work = tokio::task::spawn_blocking(move || {
            let meant = resolved::look(&line, &folder, &environment);
            let around = Around { root, folder, signals, environment, redactor, since };
            ResolvedCommand { unlost: held.then(|| around.unlost(&line)).flatten(), ..meant }
        });
        work.await.unwrap_or_else(|e| {
            // Never the same as anything: what cannot be looked at is asked about.
            let of = BlobId::of(format!("{e}").as_bytes());
            let folder = Thing { name: String::new(), path: String::new(), of };
            ResolvedCommand { folder, runs: Vec::new(), environment: of, unlost: None }
        })
    }

    /// What comes of the evidence that an answer names, as far as a lane with this view sees it.
    pub async fn check(&self, answer: String, view: View, blobs: Arc<dyn BlobSource>) -> Option<Checked> {
        self.looking(view, blobs, move |eyes| evidence::checked(eyes, &answer)).await
    }

    /// The places that an answer names and that are not there, as the lane may see the workspace.
    pub async fn astray(&self, answer: String, view: View, blobs: Arc<dyn BlobSource>) -> Option<Checked> {
        self.looking(view, blobs, move |eyes| evidence::astray(eyes, &answer)).await
    }

    /// Where the texts of facts stand now that stood in a file.
    pub async fn places(
        &self,
        facts: Vec<Fact>,
        view: View,
        blobs: Arc<dyn BlobSource>,
    ) -> Option<Vec<(String, Option<Place>)>> {
        self.looking(view, blobs, move |eyes| evidence::places(eyes, &facts)).await
    }

    /// The text of a file of the workspace that the user names, of at most `most` bytes.
    ///
    /// # Errors
    /// Why there is none, for people.
    pub async fn text(&self, path: RelPath, most: usize) -> Result<String, String> {
        let jail = Arc::clone(&self.jail);
        let work = tokio::task::spawn_blocking(move || {
            let mut bytes = Vec::new();
            let file = jail.open_read(&path).map_err(|e| e.to_string())?;
            file.take(most as u64 + 1).read_to_end(&mut bytes).map_err(|e| format!("{path}: {e}"))?;
            if bytes.len() > most {
                return Err(format!("{path} is longer than {most} bytes"));
            }
            String::from_utf8(bytes).map_err(|_| format!("{path} is no text in UTF-8"))
        });
        work.await.unwrap_or_else(|e| Err(e.to_string()))
    }

    async fn looking<T: Send + 'static>(
        &self,
        view: View,
        blobs: Arc<dyn BlobSource>,
        look: impl FnOnce(LaneView<'_>) -> T + Send + 'static,
    ) -> Option<T> {
        let (jail, redactor) = (Arc::clone(&self.jail), self.redactor.clone());
        let (lately, recipes) = (Arc::clone(&self.lately), Arc::clone(&self.recipes));
        let work = tokio::task::spawn_blocking(move || {
            let held = OnceCell::new();
            let (blobs, redactor) = (blobs.as_ref(), &redactor);
            let (jail, view, held) = (&jail, &view, &held);
            look(LaneView { jail, view, blobs, held, redactor, lately: &lately, recipes: &recipes })
        });
        work.await.ok()
    }

    /// What a command means that it did not mean when it was allowed.
    async fn changed(&self, permit: &Permit, run: &Run) -> Option<String> {
        let allowed = permit.meant()?;
        let confine = permit.confine().unwrap_or(Confine::READING);
        allowed.differs(&self.meant(&run.command, &run.folder, confine).await)
    }

    /// What keeps a command that nobody was asked about from running what the project brings.
    async fn unasked(&self, permit: &Permit, run: &Run) -> Result<Vec<(OsString, OsString)>, String> {
        let confine = permit.confine().unwrap_or(Confine::READING);
        let trusted = match permit.leave_of() {
            LeaveOf::User => return Ok(Vec::new()),
            LeaveOf::Trust => true,
            LeaveOf::Nobody => false,
        };
        let root = self.jail.root();
        let folder = command::folder(&self.jail, &run.folder)?;
        let environment = command::environment(self.given_to(&run.command).1, &self.fence, confine);
        let writable = self.fence.writable();
        brought::hold(brought::Unasked {
            line: &run.command,
            folder: &folder,
            root,
            environment: &environment,
            writable: &writable,
            reads: confine == Confine::READING,
            trusted,
        })
        .await
    }

    /// Secret files that a command does not see: one that the user does not know.
    ///
    /// # Errors
    /// What it would see all the same, in words.
    async fn secret(&self, permit: &Permit, run: &Run, view: &View) -> Result<Vec<PathBuf>, String> {
        if permit.is_known_to_user() {
            return Ok(Vec::new());
        }
        let secret = self.secrets.within(self.jail.root(), &view.rules, run).await?;
        match secret.first() {
            Some(first) if !self.fence.hides(permit.confine().unwrap_or(Confine::READING)) => {
                let name = first.strip_prefix(self.jail.root()).unwrap_or(first);
                Err(format!("{}, which the sandbox here cannot hide from what writes", name.display()))
            }
            _ => Ok(secret),
        }
    }

    /// Runs a hook in the workspace. What it may do was decided before: it needs no permit, because it
    /// is no call of a lane.
    pub async fn hook(&self, call: HookCall, cancel: CancellationToken) -> HookOutcome {
        command::hook::run(&self.shell, self.jail.root(), call, &self.redactor, &cancel).await
    }

    /// How the command of a permit runs; one that does not say is held.
    fn ground<'a>(&'a self, permit: &Permit, run: &Run, held: &'a [(OsString, OsString)]) -> Ground<'a> {
        let confine = permit.confine().unwrap_or(Confine::READING);
        let (jail, shell, alone) = (&self.jail, &self.shell, self.alone);
        let (fence, guard) = (&self.fence, &self.guard);
        let (of, given) = self.given_to(&run.command);
        let withheld: &[_] = if of.is_some() { &[] } else { &self.given.1 };
        Ground { jail, shell, fence, guard, given, withheld, held, secret: &[], confine, alone }
    }

    async fn on_files(
        &self,
        call: &FileCall,
        view: &View,
        blobs: Arc<dyn BlobSource>,
        cancel: CancellationToken,
    ) -> ToolOutcome {
        let (jail, call, view) = (Arc::clone(&self.jail), call.clone(), view.clone());
        let (redactor, lately) = (self.redactor.clone(), Arc::clone(&self.lately));
        let recipes = Arc::clone(&self.recipes);
        let stop = cancel.clone();
        let work = tokio::task::spawn_blocking(move || {
            let held = OnceCell::new();
            let eyes = LaneView {
                jail: &jail,
                view: &view,
                blobs: blobs.as_ref(),
                held: &held,
                redactor: &redactor,
                lately: &lately,
                recipes: &recipes,
            };
            let outcome = files::perform(&call, eyes, &stop).unwrap_or_else(ToolOutcome::failure);
            ToolOutcome { held: held.into_inner().filter(|_| outcome.failed).map(Box::new), ..outcome }
        });
        tokio::select! {
            done = work => done.unwrap_or_else(|e| {
                tracing::error!(error = %e, "a file tool failed");
                ToolOutcome::failure(format!("the call failed inside the workbench: {e}; make it once more, then try another way"))
            }),
            () = cancel.cancelled() => ToolOutcome::failure("stopped by the user"),
        }
    }
}

/// The workspace as one hash, where that is asked for; what was looked at just now (`looked`) is not looked at again.
async fn tree(snapshots: &Snapshots, asked: bool, looked: bool) -> Option<BlobId> {
    match (asked, looked) {
        (false, _) => None,
        (true, true) => snapshots.seen().await,
        (true, false) => snapshots.tree().await,
    }
}

/// Waits for a look at the workspace; where that takes long, it is said.
async fn said<T>(sink: &dyn Sink, what: &str, look: impl Future<Output = T>) -> T {
    let mut look = pin!(look);
    tokio::select! {
        done = &mut look => return done,
        () = tokio::time::sleep(LONG_LOOK) => sink.delta(DeltaKind::Notice, what),
    }
    look.await
}

#[cfg(test)]
mod tests;
