//! The commands without a screen: one goal, an editor's agent, sessions, undo and redo. Wires arguments to the
//! runtime; what they print is the runtime's.

use std::{
    io::{Read, Write},
    path::Path,
    time::Duration,
};

use pilothouse_core::{intent::Mode, money::Limits, question::UndoAnswer, recipe::RecipeKind, trust::Trust};
use pilothouse_runtime::{
    Environment, Home, Setup, Which, acp,
    config::Layer,
    doctor,
    headless::{self, Options, Outcome, Stop, change, listing},
    recipes, runs,
    secrets::Secrets,
    sessions, trace,
};
use tokio::signal::unix::{SignalKind, signal};

use crate::{
    cli::{
        AgentsCommand, DepthArg, DoctorArgs, ListArgs, ModeArg, RunArgs, RunsArgs, SkillsCommand, UndoArgs,
    },
    exit::{FAILED, Failure, USAGE},
    out, validate,
    workbench::{explain, report_panics},
};

/// The longest goal that is read from standard input, in bytes.
const MOST_GOAL: u64 = 1 << 20;

pub(crate) fn home() -> Result<(Home, Environment), Failure> {
    let environment = Environment::of_process();
    Ok((Home::find(&environment).map_err(explain)?, environment))
}

fn setup(dir: &Path, secrets: &Secrets) -> Result<Setup, Failure> {
    let (home, environment) = home()?;
    let workspace = dir.canonicalize().ok().filter(|p| p.is_dir()).ok_or_else(|| {
        Failure::new(USAGE, format!("{} is not a folder; give an existing one", dir.display()))
    })?;
    Ok(Setup {
        helper: Some(crate::HELPER.into()),
        secrets: secrets.clone(),
        ..Setup::new(home, workspace, environment)
    })
}

pub(crate) fn block_on<T>(
    command: &str,
    secrets: &Secrets,
    task: impl Future<Output = T>,
) -> Result<T, Failure> {
    let runtime = crate::exit::workers(2)?;
    let (home, environment) = home()?;
    report_panics(&home, secrets);
    // Without a log file everything else still works.
    let _trace = trace::start(&home, environment.get("PILOTHOUSE_LOG"), secrets).ok();
    trace::note_start(command, &environment);
    let done = runtime.block_on(task);
    runtime.shutdown_background();
    Ok(done)
}

/// What is wanted, from standard input.
fn from_input() -> Result<String, Failure> {
    let mut goal = String::new();
    let read = std::io::stdin().take(MOST_GOAL + 1).read_to_string(&mut goal);
    match read {
        Ok(_) if goal.len() as u64 > MOST_GOAL => {
            Err(Failure::new(USAGE, "standard input is too long for a goal; put it in a file and name that"))
        }
        Ok(_) => Ok(goal.trim().to_owned()),
        Err(e) => Err(Failure::new(USAGE, format!("standard input cannot be read: {e}"))),
    }
}

/// Runs one goal.
///
/// # Errors
/// When it cannot be begun; how it ends is the exit code.
pub fn run(mut args: RunArgs, secrets: &Secrets) -> Result<u8, Failure> {
    if args.goal == "-" {
        args.goal = from_input()?;
    }
    if args.goal.trim().is_empty() {
        return Err(Failure::new(
            USAGE,
            "there is no goal; say what you want, such as: run \"where is Store?\"",
        ));
    }
    let RunArgs { goal, plan, agent, how: args } = args;
    let mut setup = setup(&args.dir, secrets)?;
    setup.mode = args.mode.map(|m| match m {
        ModeArg::Proof => Mode::Proof,
        ModeArg::Explore => Mode::Exploratory,
    });
    setup.flags = Layer::with_effort(args.effort);
    setup.trust = if args.trust { Trust::Once } else { Trust::None };
    setup.which = args.session.map_or(Which::New, Which::Named);
    setup.depth = args.depth.map(DepthArg::depth);
    let goal = match &agent {
        None => goal,
        Some(name) => order(&setup, name, &goal)?,
    };
    let options = Options {
        goal,
        plan_only: plan,
        auto_confirm: args.auto_confirm,
        budget: Limits { calls: args.max_calls.map(u64::from), ..Limits::default() }
            .lower(args.budget.unwrap_or_default()),
        repairs: setup.depth.unwrap_or_default().numbers().repairs,
        json: args.json,
        quiet: args.no_stream_progress && !args.stream_progress,
        timeout: args.timeout.map(Duration::from_secs),
        patch_out: args.patch_out,
        forget: args.no_persist,
    };
    let (mut out, mut err) = (out::out(args.json), out::err());
    let outcome =
        block_on("run", secrets, headless::run(setup, options, &mut out, &mut err, told_to_stop()))?
            .map_err(explain)?;
    Ok(outcome.exit)
}

/// Serves a client of the Agent Client Protocol.
///
/// # Errors
/// When its input cannot be listened to.
pub fn acp(secrets: &Secrets) -> Result<u8, Failure> {
    // Each session has a folder of its own, which the client names.
    let setup = setup(Path::new("/"), secrets)?;
    let serving = acp::serve(setup, std::io::stdin(), out::out(true), told_to_stop());
    block_on("acp", secrets, serving)?.map_err(explain)
}

/// Lists agents, checks them, or lets one do something.
///
/// # Errors
/// When there is no such folder or agent, or nothing can be printed.
pub fn agents(what: AgentsCommand, secrets: &Secrets) -> Result<u8, Failure> {
    match what {
        AgentsCommand::List(args) => list(&args, &[RecipeKind::Agent]),
        AgentsCommand::Validate { json } => validate::agents(json),
        AgentsCommand::Run { name, query: goal, how } => {
            run(RunArgs { goal, plan: false, agent: Some(name), how: *how }, secrets)
        }
    }
}

/// Lists skills and commands.
///
/// # Errors
/// When there is no such folder, or nothing can be printed.
pub fn skills(what: SkillsCommand) -> Result<u8, Failure> {
    let SkillsCommand::List(args) = what;
    list(&args, &[RecipeKind::Skill, RecipeKind::Command])
}

fn list(args: &ListArgs, kinds: &[RecipeKind]) -> Result<u8, Failure> {
    let found = recipes::known(&setup(&args.dir, &Secrets::default())?);
    let mut out = out::out(args.json);
    listing::recipes(&found.recipes, kinds, args.json, &mut out)?;
    out.flush()?;
    Ok(0)
}

/// The goal as an order to the agent of this name.
fn order(setup: &Setup, name: &str, goal: &str) -> Result<String, Failure> {
    let recipes = recipes::known(setup).recipes;
    let agents = || recipes.iter().filter(|r| r.kind == RecipeKind::Agent);
    if agents().any(|a| a.usable() && a.name == name) {
        return Ok(format!("@{name} {goal}"));
    }
    let broken = agents().find_map(|a| Some((a, a.fault.as_ref().filter(|_| a.name == name)?)));
    let why = if let Some((agent, fault)) = broken {
        format!("the agent `{name}` cannot be used: {}:{fault}", agent.file)
    } else {
        let known: Vec<&str> = agents().filter(|a| a.usable()).map(|a| a.name.as_str()).collect();
        format!("there is no agent `{name}`; there are: {}", known.join(", "))
    };
    Err(Failure::new(USAGE, why))
}

async fn told_to_stop() -> Stop {
    let listen = |kind| signal(kind).ok();
    let (Some(mut int), Some(mut term)) = (listen(SignalKind::interrupt()), listen(SignalKind::terminate()))
    else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = int.recv() => Stop::Interrupt,
        _ = term.recv() => Stop::Terminate,
    }
}

/// Takes back, or puts back, the last change.
///
/// # Errors
/// When there is none, or it cannot be done.
pub fn undo(args: UndoArgs, way: change::Direction, secrets: &Secrets) -> Result<u8, Failure> {
    let setup = setup(&args.dir, secrets)?;
    let doubt = args.all.then_some(UndoAnswer::All).or(args.keep.then_some(UndoAnswer::Keep));
    let UndoArgs { session, list, dry_run, .. } = args;
    let wish = change::ChangeRequest { way, session, list, dry_run, doubt };
    let (mut out, mut err) = (out::out(false), out::err());
    let outcome: Outcome =
        block_on("undo", secrets, change::change(setup, wish, &mut out, &mut err))?.map_err(explain)?;
    if outcome.exit != 0 && !outcome.reason.is_empty() {
        return Err(Failure::new(outcome.exit, outcome.reason));
    }
    Ok(outcome.exit)
}

/// Lists what is at work, what waits and what was left unfinished.
///
/// # Errors
/// When nothing can be printed.
pub fn runs(args: &RunsArgs, secrets: &Secrets) -> Result<u8, Failure> {
    let (home, _) = home()?;
    let here = std::env::current_dir()?.canonicalize()?;
    let folders = block_on("runs", secrets, runs::folders(&here))?.1;
    let mut out = out::out(args.json);
    let found = runs::survey(&home, (!args.all).then_some(folders.as_slice()));
    if found.is_empty() && !args.json {
        let here = if args.all { "" } else { " in this folder" };
        let known = sessions::all(&home).iter().any(|p| args.all || folders.contains(&p.workspace));
        let told = if known {
            format!(
                "nothing is running, waiting or unfinished{here}; `pilothouse sessions list` shows what was done"
            )
        } else {
            format!("no sessions yet{here}")
        };
        writeln!(out::err(), "{told}")?;
    }
    listing::runs(&found, args.json, &mut out)?;
    out.flush()?;
    Ok(0)
}

/// Says what was found; what is not as it should be makes the exit code 1.
///
/// # Errors
/// When the folder is none, or nothing can be printed.
pub fn doctor(args: &DoctorArgs) -> Result<u8, Failure> {
    let checks = doctor::checks(&setup(args.folder.as_ref().unwrap_or(&args.dir), &Secrets::default())?);
    let mut out = out::out(args.json);
    for check in &checks {
        if args.json {
            writeln!(out, "{}", serde_json::to_string(check).unwrap_or_default())?;
            continue;
        }
        let mark = if check.ok { "ok" } else { "!!" };
        writeln!(out, "{mark}  {:8} {}", check.check, check.found)?;
        for note in &check.notes {
            writeln!(out, "             {note}")?;
        }
    }
    out.flush()?;
    Ok(if checks.iter().all(|c| c.ok) { 0 } else { FAILED })
}
