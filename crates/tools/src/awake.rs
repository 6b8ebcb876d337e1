//! The machine kept awake while something works, by the program that the system has for it.
//!
//! Owns which program that is, and that it ends with whoever wanted it: it waits for the end of a pipe
//! that we hold, so that it goes even where we are killed. Never waits for it.

use std::{
    path::Path,
    process::{Child, Command, Stdio},
};

use crate::{command::environment, program};

/// The machine does not go to sleep by itself while this is held.
#[derive(Debug)]
pub struct Awake {
    holder: Child,
}

impl Awake {
    /// Holds sleep off, by a program that `folder` does not bring.
    ///
    /// # Errors
    /// When there is no program for it.
    pub fn hold(folder: &Path) -> Result<Self, String> {
        let (name, args): (&str, &[&str]) = if cfg!(target_os = "macos") {
            ("caffeinate", &["-i"])
        } else {
            (
                "systemd-inhibit",
                &["--what=idle", "--mode=block", "--who=pilothouse", "--why=A run is at work"],
            )
        };
        let find = |name: &str| program::find(name, folder).ok_or_else(|| format!("{name} is not installed"));
        Self::by(Command::new(find(name)?).args(args).arg(find("cat")?)).map_err(|e| format!("{name}: {e}"))
    }

    /// By a program that holds sleep off until its input ends.
    fn by(command: &mut Command) -> std::io::Result<Self> {
        let holder = command
            .current_dir("/")
            .env_clear()
            .envs(environment::allowed(std::env::vars_os()))
            .envs(environment::of_desktop(std::env::vars_os()))
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        Ok(Self { holder })
    }
}

impl Drop for Awake {
    fn drop(&mut self) {
        // What it started ends with the pipe, and the lock with itself.
        drop(self.holder.stdin.take());
        drop(self.holder.kill());
        drop(self.holder.wait());
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn whoever_holds_sleep_off_ends_with_the_pipe_and_is_ended_by_letting_go() {
        // As when we are killed: nothing is said to it, its pipe just ends.
        let mut left = Awake::by(&mut Command::new("cat")).unwrap();
        drop(left.holder.stdin.take());
        assert!(left.holder.wait().unwrap().success());
        // As when nothing works any more, also where it does not look at its pipe.
        let held = Awake::by(Command::new("sleep").arg("1000")).unwrap();
        let process = format!("/proc/{}", held.holder.id());
        drop(held);
        assert!(!Path::new(&process).exists());
    }

    #[test]
    fn what_is_not_there_is_said_and_harms_nothing() {
        assert!(Awake::by(&mut Command::new("/no/such/program")).is_err());
    }
}
