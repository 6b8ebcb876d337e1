//! Which sandbox this machine has: the kernel and the installed programs are asked.
//!
//! Owns the questions and what is said about the answers. Never guesses from files or versions.

use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use pilothouse_core::sandbox::Backend;

use super::{Places, Settings, Wanted};

/// The program that sets up Seatbelt.
pub(super) const SANDBOX_EXEC: &str = "/usr/bin/sandbox-exec";

/// Where bubblewrap may be; never looked for by `PATH`, which a project may change.
const BWRAP: [&str; 4] =
    ["/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap", "/run/current-system/sw/bin/bwrap"];

/// What was chosen, and what is to be said of it.
#[derive(Debug, Default)]
pub(super) struct Choice {
    pub backend: Option<Backend>,
    pub bwrap: Option<PathBuf>,
    pub landlock: bool,
    /// Whether the helper can give name spaces of its own.
    pub spaces: bool,
    /// Whether modes, owners, times and attributes outside are open to a command.
    pub metadata_open: bool,
    pub notes: Vec<String>,
}

impl Choice {
    fn none(why: impl Into<String>) -> Self {
        Self { notes: vec![why.into()], ..Self::default() }
    }
}

/// Chooses as the settings say among what there is.
pub(super) fn choose(settings: &Settings, places: &Places) -> Choice {
    if settings.wanted == Wanted::Off {
        return Choice::none("it is switched off by `backend = \"off\"` under [sandbox]");
    }
    if let Some(own) = within(places) {
        return Choice::none(format!(
            "the program's own files in {} are inside the workspace, or the workspace inside them, where a command may write; open another folder",
            own.display()
        ));
    }
    if cfg!(target_os = "macos") {
        return seatbelt();
    }
    if !cfg!(target_os = "linux") {
        return Choice::none("none is supported on this system");
    }
    match &places.helper {
        Some(helper) => linux(settings.wanted, helper),
        None => Choice::none("the program that sets it up is not known"),
    }
}

/// A folder of the program itself in the workspace, or around it.
fn within(places: &Places) -> Option<&Path> {
    let inside = |own: &&PathBuf| {
        let real = own.canonicalize().unwrap_or_else(|_| (*own).clone());
        real.starts_with(&places.workspace) || places.workspace.starts_with(&real)
    };
    places.own.iter().find(inside).map(PathBuf::as_path)
}

fn seatbelt() -> Choice {
    if !Path::new(SANDBOX_EXEC).is_file() {
        return Choice::none(format!("{SANDBOX_EXEC} is missing"));
    }
    let notes = vec!["a process that leaves its session is not stopped with its command".to_owned()];
    Choice { backend: Some(Backend::Seatbelt), notes, ..Choice::default() }
}

fn linux(wanted: Wanted, helper: &Path) -> Choice {
    let landlock = kernel();
    let bwrap = match wanted {
        Wanted::Landlock => Err("bubblewrap is not used: `backend = \"landlock\"`".to_owned()),
        Wanted::Auto | Wanted::Bwrap => bubblewrap(),
        Wanted::Off => Err(String::new()),
    };
    match (landlock, bwrap) {
        (landlock, Ok(program)) => {
            let notes =
                landlock.as_ref().err().map(|e| format!("without Landlock: {e}")).into_iter().collect();
            Choice {
                backend: Some(Backend::Bubblewrap),
                bwrap: Some(program),
                landlock: landlock.is_ok(),
                notes,
                ..Choice::default()
            }
        }
        (Ok(mut notes), Err(why)) if wanted != Wanted::Bwrap => {
            notes.insert(0, why);
            let spaces = spaces(helper).inspect_err(|why| notes.insert(0, open(why))).is_ok();
            let (backend, metadata_open) = (Some(Backend::Landlock), !spaces);
            Choice { backend, landlock: true, spaces, metadata_open, notes, bwrap: None }
        }
        (Ok(_), Err(why)) => Choice::none(why),
        (Err(landlock), Err(bwrap)) => Choice::none(format!("{landlock}; {bwrap}")),
    }
}

/// What is said where modes, owners, times and attributes are not held.
fn open(why: &str) -> String {
    format!(
        "metadata is not protected: a command that writes could change modes, owners, times and attributes of files outside the workspace, so every such command asks; bubblewrap would protect it, or kernel namespaces, which are not available here ({why})"
    )
}

/// Has the helper make name spaces once; they may be forbidden, or not hold.
#[cfg(target_os = "linux")]
fn spaces(helper: &Path) -> Result<(), String> {
    use super::{HELPER, helper::TRY, policy::Policy};
    let policy = serde_json::to_string(&Policy::default()).map_err(|e| e.to_string())?;
    let mut try_out = Command::new(helper);
    try_out.args([HELPER, TRY, &policy, ""]).current_dir("/").env_clear();
    try_out.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let out = try_out.output().map_err(|e| e.to_string())?;
    let said = String::from_utf8_lossy(&out.stderr);
    let said = said.lines().next().unwrap_or("it failed").rsplit("nothing was run: ").next();
    if out.status.success() { Ok(()) } else { Err(said.unwrap_or_default().chars().take(120).collect()) }
}

#[cfg(not(target_os = "linux"))]
fn spaces(_helper: &Path) -> Result<(), String> {
    Err("this is not Linux".to_owned())
}

/// Runs bubblewrap once; user name spaces may be forbidden.
fn bubblewrap() -> Result<PathBuf, String> {
    let found = BWRAP.iter().map(PathBuf::from).find(|p| p.is_file());
    let program =
        found.ok_or("bubblewrap, which would give commands a process list of their own, is not installed")?;
    let mut try_out = Command::new(&program);
    try_out.args(["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-net", "--die-with-parent"]);
    try_out.args(["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--", "/bin/sh", "-c", ":"]);
    try_out.env_clear().stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    match try_out.output() {
        Ok(out) if out.status.success() => Ok(program),
        Ok(out) => {
            let said = String::from_utf8_lossy(&out.stderr);
            let said = said.lines().next().unwrap_or("it failed").chars().take(120).collect::<String>();
            Err(format!("bubblewrap does not work here ({said})"))
        }
        Err(e) => Err(format!("bubblewrap does not work here ({e})")),
    }
}

/// Whether the kernel's Landlock keeps signals inside.
pub(super) fn holds_signals() -> bool {
    #[cfg(target_os = "linux")]
    return super::helper::rules::kernel_holds_signals();
    #[cfg(not(target_os = "linux"))]
    false
}

/// Whether the kernel's Landlock can hold a command, and what it leaves open.
#[cfg(target_os = "linux")]
fn kernel() -> Result<Vec<String>, String> {
    use super::helper::rules;
    if !rules::kernel_holds_files() {
        return Err(
            "the kernel has no Landlock, or one before Linux 6.2, which lets files be cut short".to_owned()
        );
    }
    if !super::helper::filter::known() {
        return Err("seccomp is not known for this processor, so that the network cannot be held".to_owned());
    }
    let signals = "signals to your other programs are not blocked (needs Linux 6.12)";
    Ok(if rules::kernel_holds_signals() { Vec::new() } else { vec![signals.to_owned()] })
}

#[cfg(not(target_os = "linux"))]
fn kernel() -> Result<Vec<String>, String> {
    Err("this is not Linux".to_owned())
}
