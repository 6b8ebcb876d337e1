//! Opening a session: finding it, reading its log, looking at the disk.
//!
//! Owns everything before the loop. Never performs an effect.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use pilothouse_core::{
    clean::Clean,
    ids::{ApplyId, CallId, Seq},
    input::{Found, Input, Opening, Refusal},
    intent::Mode,
    pipeline::Agents,
    port::Surroundings,
    relpath::RelPath,
    scope::PermissionMode,
    session::{ApplyStatus, Bounds, CommandWrite, Session, Step, Tiers},
    talk::Purpose,
};
use pilothouse_tools::{
    CommandSandbox,
    sandbox::Places,
    snapshot::{Ground, Snapshots},
};

use super::{Setup, Which, hooks, trust};
use crate::{
    blobs::Blobs,
    config::{Config, Confirm, Provider, Vectors},
    disk::{RealDisk, Root},
    error::RuntimeError,
    hooks::Definition,
    log::{Log, Meta, holder},
    permissions, sessions, sources, surroundings,
    trust::{Folder, Survey},
    writer::{self, record},
};

/// The file beside the sessions of a workspace in which one leaves to the next what it knows of its files.
const LOOKED: &str = "looked";
/// The folder of a session in which is saved what a command could destroy.
const SAVED: &str = "saved";

/// An opened session, before its first step.
pub(super) struct Opened {
    pub session: Session,
    pub log: Log,
    pub blobs: Blobs,
    pub root: Root,
    pub config: Config,
    pub fence: Arc<CommandSandbox>,
    pub folder: PathBuf,
    pub slug: String,
    pub notices: Vec<String>,
    /// The folder, and what it was found to bring.
    pub trust: (Folder, Survey),
    /// The sources, as they were found with the settings.
    pub sources: sources::Found,
    /// The hooks in force.
    pub hooks: Vec<Definition>,
}

impl Opened {
    /// Whether another process holds the session.
    pub fn read_only(&self) -> bool {
        !self.log.writable()
    }
}

/// What was found of writes that other processes began in a workspace and did not end.
#[derive(Debug, Default)]
pub(crate) struct Settled {
    /// Of which sessions they were, and what became of them.
    pub notices: Vec<String>,
    /// Files of those that could not be finished, each with the reason why nobody else writes it.
    pub spared: Vec<(RelPath, String)>,
}

/// Finishes what a process that ended had begun to write in this workspace, whichever session it was: nobody works in
/// half of a change. What commands had changed that ran then is told to their session, so that an undo knows it. One that another process holds is its own; where one cannot be opened its files stay as they are.
pub(crate) async fn settle(setup: &Setup, workspace: &Path) -> Settled {
    let mut settled = Settled::default();
    for place in sessions::of(&setup.home, workspace) {
        let Some(what) = cut_off(&place) else { continue };
        let slug = &place.slug;
        match Box::pin(settle_one(setup, slug)).await {
            Ok(found) => {
                settled.notices.push(format!("session {slug} had ended {}", what.told()));
                // What was found of its log is told once: whoever opens it next finds it mended.
                settled.notices.extend(found.iter().map(|what| format!("session {slug}: {what}")));
            }
            Err(RuntimeError::Locked { .. }) => {}
            Err(e) if what == CutOff::Command => {
                settled.notices.push(format!(
                    "session {slug} ended while a command was running, and cannot be opened to see what it changed: {e} ({})",
                    e.hint()
                ));
            }
            Err(e) => {
                let files = half_written(&place);
                let (names, hint) = (list(&files), e.hint());
                settled.notices.push(format!(
                    "session {slug} ended while writing {names}, and cannot be opened to settle that: {e} ({hint}). They stay as they are."
                ));
                let why = format!(
                    "session {slug} ended while writing it, and cannot be opened to settle that: {e}"
                );
                settled.spared.extend(files.into_iter().map(|path| (path, why.clone())));
            }
        }
    }
    settled
}

/// What a process that ended was about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CutOff {
    /// It wrote files, or took them back.
    Write,
    /// It ran a command that may have changed files.
    Command,
}

impl CutOff {
    const fn told(self) -> &'static str {
        match self {
            Self::Write => "while writing files; that is settled",
            Self::Command => "while a command was running; what it changed can be taken back",
        }
    }
}

/// What a session did when its process ended, if that is to be settled. One that is held is at work.
fn cut_off(place: &sessions::Place) -> Option<CutOff> {
    if sessions::summary(place).is_ok_and(|s| s.writing) {
        return Some(CutOff::Write);
    }
    (!killed_in(place).is_empty()).then_some(CutOff::Command)
}

/// The commands that ran in a session when its process ended, if nobody looked yet at what they changed.
fn killed_in(place: &sessions::Place) -> Vec<String> {
    let torn = Snapshots::torn(&place.folder.join(SAVED));
    if torn.is_empty() || holder(&place.folder).is_some() { Vec::new() } else { torn }
}

async fn settle_one(setup: &Setup, slug: &str) -> Result<Vec<String>, RuntimeError> {
    let which = Which::Named(slug.to_owned());
    let mut opened = open_one(&Setup { which, writing: true, ..setup.clone() })?;
    if let Some(step) = first_step(&mut opened, setup)? {
        save(&mut opened, setup, step)?;
    }
    let snapshots = Snapshots::of(ground(&opened));
    if let Some((call, input)) = recovered(&snapshots, &opened).await {
        let refused = |refusal: Refusal| RuntimeError::Opening(refusal.reason);
        let guarded = opened.config.secrets.guard(input).map_err(refused)?;
        let step = opened.session.step((setup.clock)(), guarded.input).map_err(refused)?;
        save(&mut opened, setup, step)?;
        snapshots.settled(call);
    }
    Ok(opened.log.report().warnings())
}

/// Makes a step durable: as the loop does it.
fn save(opened: &mut Opened, setup: &Setup, step: Step) -> Result<(), RuntimeError> {
    for blob in &step.blobs {
        opened.blobs.put(setup.disk.as_ref(), blob)?;
    }
    if step.events.iter().any(|e| sessions::changes_files(&e.event)) {
        sessions::note_change(&setup.home, opened.root.path(), &opened.slug)?;
    }
    opened.log.append(setup.disk.as_ref(), &[step.events])
}

/// What the workspace of a session is, as far as it is saved before commands.
pub(super) fn ground(at: &Opened) -> Ground {
    Ground {
        workspace: at.root.path().to_owned(),
        git: at.fence.git().to_vec(),
        own: at.fence.found().own.iter().map(|own| at.root.path().join(own.as_str())).collect(),
        store: at.folder.join(SAVED),
        looked: at.folder.with_file_name(LOOKED),
        cap: at.config.copied,
    }
}

/// What commands had changed that were running when the last process ended, as the session is to be told it; of what
/// it knows already there is nothing to tell.
pub(super) async fn recovered(snapshots: &Snapshots, at: &Opened) -> Option<(CallId, Input)> {
    let blobs = Arc::new(at.blobs.clone());
    let (call, line, wrote) = snapshots.recover(blobs).await?;
    let known = |a: &pilothouse_core::session::Apply| a.command.as_ref().is_some_and(|c| c.call == call);
    if at.session.state().applies().values().any(known) {
        snapshots.settled(call);
        return None;
    }
    Some((call, Input::Recovered { call, line, wrote: Box::new(wrote) }))
}

/// Sessions of a workspace that ended while they wrote files there, with those files in words.
pub(crate) fn torn(setup: &Setup, workspace: &Path) -> Vec<(String, String)> {
    let all = sessions::of(&setup.home, workspace).into_iter();
    let torn = all.filter(|p| sessions::summary(p).is_ok_and(|s| s.writing) && holder(&p.folder).is_none());
    torn.map(|p| (p.slug.clone(), list(&half_written(&p)))).collect()
}

/// Sessions of a workspace that ended while commands ran there, with each of these as far as nobody looked at what it changed.
pub(crate) fn killed(setup: &Setup, workspace: &Path) -> Vec<(String, String)> {
    let all = sessions::of(&setup.home, workspace).into_iter();
    let lines =
        |place: &sessions::Place| killed_in(place).into_iter().map(|line| Clean::line(&line).to_string());
    all.flat_map(|place| lines(&place).map(|line| (place.slug.clone(), line)).collect::<Vec<_>>()).collect()
}

/// The files that a session had not ended to write, as far as its log can be read.
fn half_written(place: &sessions::Place) -> Vec<RelPath> {
    let Ok((session, _)) = sessions::read(&place.folder) else { return Vec::new() };
    let open = session.state().applies().values().filter(|a| a.status.is_open());
    open.flat_map(|a| &a.files).map(|f| f.path.clone()).collect()
}

fn list(files: &[RelPath]) -> String {
    const MOST: usize = 3;
    let names: Vec<&str> = files.iter().take(MOST).map(RelPath::as_str).collect();
    match files.len() {
        0 => "files".to_owned(),
        n if n > MOST => format!("{} and {} more", names.join(", "), n - MOST),
        _ => names.join(", "),
    }
}

pub(super) async fn open(setup: &Setup) -> Result<Opened, RuntimeError> {
    let settled = settle(setup, &meant(setup)?).await;
    let mut opened = open_one(setup)?;
    opened.notices.extend(settled.notices);
    opened.root = opened.root.sparing(settled.spared);
    Ok(opened)
}

/// The folder of now; a session that is named brings its own workspace, and this need not be one.
fn meant(setup: &Setup) -> Result<PathBuf, RuntimeError> {
    match setup.which {
        Which::New | Which::Last => real_folder(&setup.workspace),
        Which::LastAnywhere | Which::Named(_) => Ok(setup.workspace.canonicalize().unwrap_or_default()),
    }
}

fn open_one(setup: &Setup) -> Result<Opened, RuntimeError> {
    let here = meant(setup)?;
    let mut workspace = here.clone();
    let found = match &setup.which {
        Which::New => None,
        Which::Last => Some(sessions::last(&setup.home, Some(&workspace))?),
        Which::LastAnywhere => Some(sessions::last(&setup.home, None)?),
        Which::Named(name) => Some(sessions::find(&setup.home, &workspace, name)?),
    };
    if let Some(found) = &found {
        if found.workspace.as_os_str().is_empty() {
            return Err(RuntimeError::NoRecord(found.slug.clone()));
        }
        workspace = real_folder(&found.workspace)?;
    }
    let trust = trust::found(setup, &workspace);
    let (config, sources) = trust::settings(setup, &trust.0, &trust.1)?;
    setup.secrets.keep(&config.secrets);
    let hooks = hooks::in_force(setup, &trust.0, &trust.1)?;
    crate::trace::set_filter(&config.filter)?;
    let root = Root::open(&workspace).map_err(RuntimeError::io("open", &workspace))?;
    let folder = match found {
        Some(found) => found.folder,
        None => sessions::create(&setup.home, &workspace, (setup.clock)())?,
    };
    let slug = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let meta = Meta {
        slug: slug.clone(),
        folder: workspace.to_string_lossy().into_owned(),
        created: (setup.clock)().0,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        parent: None,
        imported: false,
    };
    let rules = permissions::load(&setup.home, &workspace, &setup.environment)?;
    let mut notices = notices(&config, &trust.1, &sources);
    notices.extend(rules.notices);
    // Nobody is to change another project than the one they think they are in.
    if workspace != here {
        notices.push(format!("this session works in {}, not here", workspace.display()));
    }
    let mut log = match Log::open(&folder, &meta) {
        Err(e @ RuntimeError::Locked { .. }) if !setup.writing => {
            notices.push(format!("{e}; it is shown read-only here"));
            Log::watch(&folder)?
        }
        other => other?,
    };
    let mut session = Session::with(tiers(&config));
    log.replay(|event| session.apply(&event))?;
    session.set_policy(Arc::new(rules.policy));
    session.set_bounds(bounds(setup, &config));
    session.set_agents(Arc::new(Agents { depth: setup.depth, ..Agents::default() }));
    notices.extend(log.report().warnings());
    let blobs = Blobs::under(&folder);
    let fence = Arc::new(fence(setup, &config, root.path(), Some(&folder)));
    Ok(Opened { session, log, blobs, root, config, fence, folder, slug, notices, trust, sources, hooks })
}

/// What surrounds the session that was opened, as far as it is known at once; `first` where no session was there.
pub(super) fn around(setup: &Setup, at: &Opened, first: bool) -> Surroundings {
    Surroundings {
        folder: surroundings::folder(at.root.path()),
        model: at.config.voice.name(),
        offline: at.config.voice.is_offline(),
        first_start: first && is_unset(setup, &at.config),
        utc_offset_minutes: surroundings::utc_offset_minutes(),
        window: at.config.window,
        told_whole: Some(crate::context::Window::of_model(at.config.asked(None)).said()),
        read_only: at.read_only(),
        secrets: at.config.secrets.clone(),
        now: (setup.clock)(),
        notify: at.config.notify,
        mouse: at.config.mouse,
        budget: at.config.budget,
        ..Surroundings::default()
    }
}

/// Whether nobody picked who answers: neither a file nor a variable says it.
fn is_unset(setup: &Setup, config: &Config) -> bool {
    let file = setup.home.config.join("config.toml").exists();
    config.voice.is_offline() && !file && setup.environment.get("PILOTHOUSE_MODEL").is_none()
}

/// How much goes on by itself.
pub(super) fn bounds(setup: &Setup, config: &Config) -> Bounds {
    Bounds {
        repairs: setup.repairs,
        small_plans: config.confirm == Confirm::Auto && setup.asks,
        max_parallel: config.max_parallel,
        candidates: config.candidates,
        agents: config.agents,
        budget: config.budget,
        pauses: config.pauses.clone(),
        archive: config.archive,
        screen: setup.asks,
    }
}

/// What the user should know of the settings, of what has no effect, and of the sources.
fn notices(config: &Config, survey: &Survey, sources: &sources::Found) -> Vec<String> {
    config.notices.iter().cloned().chain(survey.inert()).chain(sources.notices.iter().cloned()).collect()
}

/// What holds the commands of a workspace, as this machine and the settings have it.
pub(crate) fn fence(
    setup: &Setup,
    config: &Config,
    workspace: &Path,
    session: Option<&Path>,
) -> CommandSandbox {
    let own = setup.home.own();
    let aside = session.map(Path::to_owned);
    let reserved = permissions::places(&setup.home, workspace, &setup.environment);
    let (workspace, helper) = (workspace.to_owned(), setup.helper.clone());
    let places = Places { workspace, own, reserved, aside, helper };
    CommandSandbox::find(config.sandbox.clone(), &places)
}

/// How this process reads messages.
fn tiers(config: &Config) -> Tiers {
    let script = match &config.voice {
        Provider::Script(path) => pilothouse_model::Scripted::open(path).ok(),
        Provider::Offline | Provider::Endpoint(_) => None,
    };
    let can = |purpose| match &config.voice {
        Provider::Offline => false,
        Provider::Endpoint(_) => true,
        Provider::Script(_) => script.as_ref().is_some_and(|script| script.has(purpose)),
    };
    Tiers {
        classifier: config.intent.classifier.clone(),
        vectors: !matches!(config.intent.embedder, Vectors::BuiltIn),
        model: config.intent.model && can(Purpose::Classify),
        names: can(Purpose::Title),
    }
}

fn real_folder(path: &Path) -> Result<PathBuf, RuntimeError> {
    let refuse = |why: String| RuntimeError::Folder { path: path.to_owned(), why };
    let real = path.canonicalize().map_err(|e| refuse(crate::error::cause(&e)))?;
    if !real.is_dir() {
        return Err(refuse("it is not a folder".to_owned()));
    }
    Ok(real)
}

/// The first step: the session learns that a process opened it, and what is on disk. None where it can only be read.
pub(super) fn first_step(opened: &mut Opened, setup: &Setup) -> Result<Option<Step>, RuntimeError> {
    if opened.read_only() {
        return Ok(None);
    }
    let fresh = opened.session.state().seq == Seq(0);
    let opening = Opening {
        slug: if fresh { opened.slug.clone() } else { opened.session.state().slug.clone() },
        folder: opened.root.path().to_string_lossy().into_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        mode: setup.mode.or(fresh.then_some(opened.config.mode).filter(|mode| *mode == Mode::Proof)),
        permission: ceiling(opened, setup, fresh),
        sandbox: opened.fence.found().clone(),
        standing: trust::standing(&opened.trust.1, &opened.hooks),
        found: look(opened),
    };
    let branch = surroundings::head(opened.root.path());
    opened.session.set_branch(branch.map(|name| opened.config.secrets.mask(&name).into_owned()));
    let step = opened.session.step((setup.clock)(), Input::Open(opening));
    step.map(Some).map_err(|refusal| RuntimeError::Opening(refusal.reason))
}

/// The ceiling to open with; `None` keeps the one that the session has.
///
/// What is allowed without a question is allowed for one process: after it the session asks again,
/// unless the configuration allows it for good.
fn ceiling(opened: &Opened, setup: &Setup, fresh: bool) -> Option<PermissionMode> {
    let configured = opened.config.permission;
    let standing = if fresh { configured } else { opened.session.state().permission };
    let lasts = fresh || configured == PermissionMode::Auto;
    let kept = if standing == PermissionMode::Auto && !lasts { PermissionMode::Ask } else { standing };
    let wanted = match setup.permission.unwrap_or(kept) {
        // A flag narrows what the configuration allows; it never lifts a read-only ceiling.
        PermissionMode::Auto if configured == PermissionMode::ReadOnly => PermissionMode::ReadOnly,
        PermissionMode::Auto if setup.asking => PermissionMode::Ask,
        wanted @ (PermissionMode::Auto | PermissionMode::Ask | PermissionMode::ReadOnly) => wanted,
    };
    (fresh || wanted != standing).then_some(wanted)
}

/// What is on disk of writes that were open when the last process ended, once they are finished; their leavings go.
fn look(opened: &Opened) -> Vec<(ApplyId, Found)> {
    let applies = opened.session.state().applies().values();
    let open = applies.filter(|a| a.status.is_open());
    open.map(|a| {
        let found = if let Some(command) = &a.command {
            finished(opened, command, a.status)
        } else {
            let back = matches!(a.status, ApplyStatus::Reverting { redo: false });
            writer::finish(&RealDisk, &opened.root, &opened.blobs, &a.files, back)
        };
        (a.id, found)
    })
    .collect()
}

/// What is on disk of what a command changed; what was torn while it was taken back is finished.
fn finished(opened: &Opened, command: &CommandWrite, status: ApplyStatus) -> Found {
    let tools = record::Tools { disk: &RealDisk, root: &opened.root, blobs: &opened.blobs };
    let Ok(record) = tools.record(command.record).map(|r| r.kept(command.kept)) else { return Found::Mixed };
    let found = tools.look(&record);
    let ApplyStatus::Reverting { redo } = status else { return found };
    if found == Found::Mixed && tools.revert(&record, redo).is_ok() {
        return tools.look(&record);
    }
    found
}
