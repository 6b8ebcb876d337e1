//! The workbench: the first frame at once, then a driver beside it, then the shutdown.

use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
    io::{self, IsTerminal, Write},
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use pilothouse_core::{
    digest::Place,
    runs::{HostRequest, HostUpdate},
};
use pilothouse_runtime::{
    Environment, Home, RuntimeError, Setup, ShutdownReport, Which, config,
    host::{self, Line},
    own, rooted_path,
    secrets::Secrets,
    trace,
};
use pilothouse_tui::{
    ctx::Handout,
    notify::Hearer,
    screen::{Look, Reason, Screen, Signal, Wiring},
    theme::Depth,
};
use tokio::{
    signal::unix::{SignalKind, signal},
    sync::mpsc::{Receiver, Sender, channel},
};

use crate::{
    cli::LookArgs,
    exit::{FAILED, Failure, USAGE},
    out,
};

/// Opens the workbench on `dir`.
///
/// # Errors
/// When there is no terminal or no such folder, or the session cannot be opened.
pub fn open(dir: &Path, which: Which, args: &LookArgs, secrets: &Secrets) -> Result<u8, Failure> {
    let workspace = dir.canonicalize().ok().filter(|p| p.is_dir()).ok_or_else(|| {
        Failure::new(USAGE, format!("{} is not a folder; give an existing one", dir.display()))
    })?;
    if !(io::stdin().is_terminal() && io::stdout().is_terminal()) {
        return Err(Failure::new(
            USAGE,
            "the workbench needs a terminal; `pilothouse run \"GOAL\"` works without one",
        ));
    }
    let environment = Environment::of_process();
    let term = environment.get("TERM").unwrap_or_default();
    if LINES_ONLY.contains(&term) {
        let text = format!(
            "the workbench needs a terminal whose cursor can move, and this one (TERM={term}) has none; `pilothouse run \"GOAL\"` works here"
        );
        return Err(Failure::new(USAGE, text));
    }
    let screen = Screen::enter(look(&environment, args, &workspace))?;
    let home = Home::find(&environment).map_err(explain)?;
    report_panics(&home, secrets);
    let ((requests, updates), first) = host::line();
    let (host_requests, asked) = channel::<HostRequest>(64);
    let (told, host_updates) = channel::<HostUpdate<Line>>(64);
    let (signal_sender, signals) = channel::<Signal>(8);
    let keymap = own::text(&home.config.join("keymap.toml")).map_err(explain)?;
    let theme = args.theme.clone().or_else(|| config::theme(&home));
    let themes = own_themes(&home);
    let (helper, secrets) = (Some(crate::HELPER.into()), secrets.clone());
    let root = workspace.clone();
    let setup = Setup { which, asks: true, helper, secrets, ..Setup::new(home, workspace, environment) };
    let driver = thread::Builder::new()
        .name("driver".into())
        .spawn(move || beside(setup, first, (asked, told), signal_sender))?;
    let wiring = Wiring {
        requests,
        updates,
        host: Some((host_requests, host_updates)),
        signals,
        suspend: Box::new(suspend),
        edit: Box::new(edit),
        open: Box::new(move |place| view(&root, place)),
        keymap,
        theme,
        themes,
    };
    let ended = screen.run(wiring);
    let driven =
        driver.join().map_err(|_| Failure::new(FAILED, "the driver failed; the log file has the details"))?;
    say_goodbye(driven)?;
    Ok(match ended?.reason {
        Reason::Closed => 0,
        Reason::Driver(_) => FAILED,
        Reason::Signal(Signal::Interrupt) => 130,
        Reason::Signal(Signal::Hangup) => 129,
        Reason::Signal(Signal::Terminate | Signal::Stop | Signal::Continue) => 143,
    })
}

/// Terminals whose cursor cannot be placed: they take lines, one below the other.
const LINES_ONLY: [&str; 9] =
    ["dumb", "unknown", "network", "ethernet", "dialup", "switch", "plugboard", "lpr", "printer"];

/// How the first session ended, and those that were opened beside it.
type Driven = (Result<ShutdownReport, RuntimeError>, Vec<Result<ShutdownReport, RuntimeError>>);

/// The thread of all drivers: its own tokio runtime, the signals, the host.
fn beside(
    setup: Setup,
    first: host::End,
    (asked, told): (Receiver<HostRequest>, Sender<HostUpdate<Line>>),
    signals: Sender<Signal>,
) -> Result<Driven, RuntimeError> {
    let runtime = crate::exit::workers(2).map_err(RuntimeError::io("start", "the driver"))?;
    // Without a log file everything else still works.
    let _trace = trace::start(&setup.home, setup.environment.get("PILOTHOUSE_LOG"), &setup.secrets).ok();
    trace::note_start("workbench", &setup.environment);
    let driven = runtime.block_on(async {
        let relayed = tokio::spawn(relay(signals));
        let driven = host::host(setup, first, asked, told).await;
        relayed.abort();
        driven
    });
    runtime.shutdown_background();
    Ok(driven)
}

/// From here on a panic leaves a report beside the log file; what was to happen then still does.
pub fn report_panics(home: &Home, secrets: &Secrets) {
    let before = std::panic::take_hook();
    trace::install_panic_hook(home, secrets, move |info, _report| before(info));
}

/// Whether the user's editor has the terminal.
static EDITING: AtomicBool = AtomicBool::new(false);

async fn relay(to: Sender<Signal>) {
    let listen = |kind| signal(kind).ok();
    let (Some(mut term), Some(mut hup), Some(mut int), Some(mut stop), Some(mut cont)) = (
        listen(SignalKind::terminate()),
        listen(SignalKind::hangup()),
        listen(SignalKind::interrupt()),
        listen(SignalKind::from_raw(rustix::process::Signal::TSTP.as_raw())),
        listen(SignalKind::from_raw(rustix::process::Signal::CONT.as_raw())),
    ) else {
        return;
    };
    loop {
        let told = tokio::select! {
            _ = term.recv() => Signal::Terminate,
            _ = hup.recv() => Signal::Hangup,
            _ = int.recv() => Signal::Interrupt,
            // The editor has the terminal: it gives that back itself, and its whole job stops.
            _ = stop.recv() => if EDITING.load(Ordering::SeqCst) {
                suspend();
                continue;
            } else {
                Signal::Stop
            },
            _ = cont.recv() => Signal::Continue,
        };
        if to.send(told).await.is_err() {
            return;
        }
    }
}

fn say_goodbye(driven: Result<Driven, RuntimeError>) -> Result<(), Failure> {
    let (first, others) = driven.map_err(explain)?;
    let shutdown = first.map_err(explain)?;
    let mut out = out::out(false);
    for shutdown in std::iter::once(shutdown).chain(others.into_iter().flatten()).filter(|s| s.kept) {
        let saved =
            if shutdown.saved { "Session saved." } else { "The end of the session could not be saved." };
        // The terminal may be gone (SIGHUP): then there is nobody to say it to.
        drop(writeln!(out, "{saved} pilothouse resume {}", shutdown.slug));
    }
    Ok(())
}

/// An error of the runtime with its hint and its exit code.
#[expect(clippy::needless_pass_by_value, reason = "`map_err` hands it over")]
pub fn explain(error: RuntimeError) -> Failure {
    let code = if error.is_usage() { USAGE } else { FAILED };
    Failure::new(code, format!("{error}\n  {}", error.hint()).trim_end().to_owned())
}

fn look(environment: &Environment, args: &LookArgs, workspace: &Path) -> Look {
    let get = |name: &str| environment.get(name).unwrap_or_default();
    let locale =
        [get("LC_ALL"), get("LC_CTYPE"), get("LANG")].into_iter().find(|l| !l.is_empty()).unwrap_or_default();
    let utf8 = locale.to_lowercase().replace('-', "").contains("utf8");
    // `COLORFGBG` ends in the background's colour number; 7 and 15 are light ones.
    let light = matches!(get("COLORFGBG").rsplit(';').next(), Some("7" | "15"));
    Look {
        dark: args.dark || !(args.light || light),
        ground_known: args.dark || args.light || !get("COLORFGBG").is_empty(),
        depth: Depth::of(get),
        ascii: args.ascii || !utf8,
        motion: true,
        folder: workspace.file_name().map_or_else(|| "/".to_owned(), |n| n.to_string_lossy().into_owned()),
        hearer: Hearer::of(get),
    }
}

/// Most themes of the user's own.
const MOST_THEMES: usize = 64;

/// The user's own themes, by name: the files `themes/NAME.toml` beside their settings. One that others could have written is none.
pub(crate) fn own_themes(home: &Home) -> BTreeMap<String, String> {
    let folder =
        std::fs::read_dir(home.config.join("themes")).into_iter().flatten().flatten().take(MOST_THEMES);
    let files = folder.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|e| e == "toml"));
    let named = |path: PathBuf| Some((path.file_stem()?.to_str()?.to_owned(), own::text(&path).ok()??));
    files.filter_map(named).collect()
}

/// Stops the job, unless nobody would continue it: a shell that does gives each job a process group of its own, beside
/// that of the session.
fn suspend() {
    use nix::unistd::{getpgrp, getsid};
    if getsid(None).is_ok_and(|session| session != getpgrp()) {
        // Whoever started it waits in the same group. What asks for a stop is taken by `relay`; stopping oneself cannot
        // fail in a way that leaves anything to do.
        let _ = rustix::process::kill_current_process_group(rustix::process::Signal::STOP);
    }
}

/// Lets the user edit a text in `$VISUAL` or `$EDITOR`, as a file of its name, from its line on.
pub(crate) fn edit(handout: &Handout) -> io::Result<String> {
    let folder = tempdir()?;
    let path = folder.join(&handout.name);
    std::fs::write(&path, &handout.text)?;
    let status = editor_at(&path, handout.line, &folder);
    let edited = std::fs::read_to_string(&path);
    drop(std::fs::remove_dir_all(&folder));
    status.and(edited)
}

/// Opens a file of the workspace in the user's editor, at a line.
fn view(root: &Path, place: &Place) -> io::Result<()> {
    editor_at(&root.join(place.path.as_str()), Some(place.line), root)
}

/// Runs the user's editor on a file, at a line where one is wanted and the editor is one of which it is known how that is said.
fn editor_at(path: &Path, line: Option<u32>, folder: &Path) -> io::Result<()> {
    let program = program();
    let said = line.and_then(|line| at_line(&program, path, line));
    let args = said.unwrap_or_else(|| vec![path.as_os_str().to_owned()]);
    editor(&args.iter().map(OsString::as_os_str).collect::<Vec<_>>(), folder)
}

/// How this editor is told of a line; `None` where that is not known: it gets the file alone.
fn at_line(program: &str, path: &Path, line: u32) -> Option<Vec<OsString>> {
    let name = program.split_whitespace().next()?.rsplit('/').next()?;
    let mut at = path.as_os_str().to_owned();
    at.push(format!(":{line}"));
    match name {
        "code" | "code-insiders" | "codium" | "cursor" | "windsurf" => Some(vec!["--goto".into(), at]),
        "hx" | "helix" | "zed" | "subl" => Some(vec![at]),
        "vi" | "vim" | "nvim" | "view" | "gvim" | "ex" | "emacs" | "emacsclient" | "nano" | "pico"
        | "micro" | "kak" | "joe" | "jed" | "mg" | "ne" | "mcedit" | "gedit" | "kate" => {
            Some(vec![format!("+{line}").into(), path.as_os_str().to_owned()])
        }
        _ => None,
    }
}

fn program() -> String {
    let set = |name| std::env::var(name).ok().filter(|v| !v.trim().is_empty());
    set("VISUAL").or_else(|| set("EDITOR")).unwrap_or_else(|| "vi".to_owned())
}

/// Runs the user's editor with these arguments.
fn editor(args: &[&OsStr], folder: &Path) -> io::Result<()> {
    let program = program();
    // The variable may hold words and quotes: the shell reads it, as it does for other programs. The
    // shell itself is not looked for on PATH, where the project's folder may stand, nor the editor there.
    let line = format!("{program} \"$@\"");
    let mut shell = std::process::Command::new("/bin/sh");
    shell.args(["-c", &line, &program]).args(args).current_dir(folder);
    shell.env("PATH", rooted_path(&std::env::var_os("PATH").unwrap_or_default()));
    EDITING.store(true, Ordering::SeqCst);
    let ended = shell.status();
    EDITING.store(false, Ordering::SeqCst);
    match ended {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(io::Error::other(format!("{program} ended with {status}"))),
        Err(e) => Err(io::Error::other(format!("{program}: {e}; set EDITOR"))),
    }
}

fn tempdir() -> io::Result<PathBuf> {
    tempfile::Builder::new().prefix("pilothouse-").tempdir().map(tempfile::TempDir::keep)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_editor_is_told_of_the_line_in_its_own_way_and_one_that_is_not_known_gets_the_file_alone() {
        let said = |program: &str| {
            let args = at_line(program, Path::new("/w/a.rs"), 7);
            args.map(|args| {
                args.iter().map(|a| a.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
            })
        };
        for program in ["vi", "/usr/bin/nvim", "emacs -nw", "nano"] {
            assert_eq!(said(program).as_deref(), Some("+7 /w/a.rs"), "{program}");
        }
        assert_eq!(said("code --wait").as_deref(), Some("--goto /w/a.rs:7"));
        assert_eq!(said("hx").as_deref(), Some("/w/a.rs:7"));
        for program in ["sed -i s/a/b/", "my-editor", ""] {
            assert_eq!(said(program), None, "{program}");
        }
    }
}
