//! The desktop, told of something by the program that is there for it.
//!
//! Owns which program that is. Its words are the caller's, and none of them comes from a session.

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
    // Somebody must take its exit code, and it is done at once.
    std::thread::spawn(move || drop(child.wait()));
    Ok(())
}
