//! The desktop, told of something by the program that is there for it.
//!
//! Owns which programs those are. What it is told are the caller's words, and none of them comes from a session.

use std::{
    path::Path,
    process::{Command, Stdio},
};

use crate::{command::environment, program};

/// Tells the user's desktop, by a program that `folder` does not bring; does not wait for it.
///
/// # Errors
/// When there is no program for it.
pub fn tell(folder: &Path, title: &'static str, text: &'static str) -> Result<(), String> {
    let (name, args): (&str, Vec<String>) = if cfg!(target_os = "macos") {
        ("osascript", vec!["-e".into(), format!("display notification \"{text}\" with title \"{title}\"")])
    } else {
        ("notify-send", vec!["--app-name".into(), title.into(), title.into(), text.into()])
    };
    start(name, &args, folder)
}

/// Opens an address in the user's browser, by a program that `folder` does not bring; does not wait for it.
///
/// # Errors
/// When there is no program for it, or the address is no `http` one.
pub fn browse(folder: &Path, address: &str) -> Result<(), String> {
    if !["https://", "http://"].iter().any(|scheme| address.starts_with(scheme)) {
        return Err("it is no address of a page".to_owned());
    }
    start(if cfg!(target_os = "macos") { "open" } else { "xdg-open" }, &[address.to_owned()], folder)
}

fn start(name: &str, args: &[String], folder: &Path) -> Result<(), String> {
    let program = program::find(name, folder).ok_or_else(|| format!("{name} is not installed"))?;
    let mut child = Command::new(program)
        .args(args)
        .current_dir("/")
        .env_clear()
        .envs(environment::allowed(std::env::vars_os()))
        .envs(environment::of_desktop(std::env::vars_os()))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|e| format!("{name}: {e}"))?;
    // Somebody must take its exit code.
    std::thread::spawn(move || drop(child.wait()));
    Ok(())
}
