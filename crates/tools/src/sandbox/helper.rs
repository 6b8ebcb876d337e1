//! The helper: this program, started again to become a command that is confined.
//!
//! Owns the two stages: one watches and ends everything that was started, the other confines itself
//! and becomes the command. Runs before anything else of the program, without threads, runtime,
//! settings or log.

#[cfg(target_os = "linux")]
mod bwrap;
#[cfg(target_os = "linux")]
mod enter;
#[cfg(target_os = "linux")]
pub(super) mod filter;
#[cfg(target_os = "linux")]
mod group;
#[cfg(target_os = "linux")]
pub(super) mod rules;
#[cfg(target_os = "linux")]
mod spaces;
pub(super) mod talk;
#[cfg(target_os = "linux")]
mod watch;

use std::{ffi::OsString, process::ExitCode};

/// The first argument that makes this program the helper.
pub const HELPER: &str = "__sandbox";
/// The stage that watches.
pub(super) const WATCH: &str = "watch";
/// The stage that becomes the command.
#[cfg(target_os = "linux")]
const ENTER: &str = "enter";
/// The stage that only tries whether name spaces of its own can be had, and whether they hold.
#[cfg(target_os = "linux")]
pub(super) const TRY: &str = "try";
/// How the helper ends when it could not set up what it should.
#[cfg(target_os = "linux")]
const CANNOT: u8 = 125;

/// Does the helper's work if the process was started for it; otherwise nothing.
pub fn helper() -> Option<ExitCode> {
    let mut args = std::env::args_os().skip(1);
    (args.next()? == HELPER).then(|| serve(args.collect()))
}

#[cfg(target_os = "linux")]
fn serve(args: Vec<OsString>) -> ExitCode {
    let failed = match begin(args) {
        Ok(code) => return code,
        Err(why) => why,
    };
    complain(&failed);
    ExitCode::from(CANNOT)
}

#[cfg(target_os = "linux")]
fn begin(args: Vec<OsString>) -> Result<ExitCode, String> {
    let mut args = args.into_iter();
    let (Some(stage), Some(policy), Some(program)) = (args.next(), args.next(), args.next()) else {
        return Err("it is started by the program itself only".to_owned());
    };
    let text = policy.to_str().ok_or("the policy is no text")?;
    let policy: super::policy::Policy = serde_json::from_str(text).map_err(|e| format!("the policy: {e}"))?;
    let args: Vec<OsString> = args.collect();
    match stage.to_str() {
        Some(WATCH) => watch::watch(&policy, &program, &args),
        Some(ENTER) => Err(enter::enter(&policy, &program, &args)),
        Some(TRY) => spaces::hold(&policy).map(|()| ExitCode::SUCCESS),
        Some(_) | None => Err("there is no such stage".to_owned()),
    }
}

#[cfg(not(target_os = "linux"))]
fn serve(_args: Vec<OsString>) -> ExitCode {
    ExitCode::FAILURE
}

#[cfg(target_os = "linux")]
#[expect(clippy::print_stderr, reason = "its standard error is the command's, which the model reads")]
fn complain(why: &str) {
    eprintln!("pilothouse: the sandbox could not be set up, nothing was run: {why}");
}
