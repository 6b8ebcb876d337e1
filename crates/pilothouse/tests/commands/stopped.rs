//! A command that is stopped has changed what it had changed by then: that is told, and taken back.
#![allow(clippy::unwrap_used)]

use std::fs;

use crate::support::{
    Desk,
    alone::{Running, not_run},
    server::Server,
};
use rustix::process::Signal;

#[test]
fn what_a_command_changed_before_a_signal_ended_the_run_is_undone() {
    for (signal, exit) in [(Signal::INT, 130), (Signal::TERM, 143)] {
        let desk = Desk::new();
        if desk.sandbox().is_none() {
            return not_run("no sandbox can be had here, so the command asks");
        }
        let readme = desk.file("README.md");
        let line =
            format!("echo more >> README.md && echo made > made.txt && sleep 600.{}", std::process::id());
        let server = Server::running(&line);
        let goal = ["run", "run the tests in a loop", "--auto-confirm", "--trust", "--json"];
        let run = Running::start(desk.with_model(&server.base, &goal));
        while fs::read_to_string(desk.path().join("made.txt")).unwrap_or_default().is_empty() {
            std::thread::yield_now();
        }
        run.signal(signal);
        run.end().with(exit);
        desk.verified();
        assert_ne!(desk.file("README.md"), readme);
        let undone = desk.go(&["undo"]).with(0).out;
        assert!(undone.contains("README.md (+1 -0), made.txt (+1 -0)"), "{undone}");
        assert_eq!(desk.file("README.md"), readme);
        assert!(!desk.path().join("made.txt").exists());
    }
}
