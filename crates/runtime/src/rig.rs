//! What the tests of this crate work with: a workspace, a home, a scripted model.
#![allow(clippy::unwrap_used)]
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use pilothouse_tools::atomic;
use serde_json::{Value, json};

use crate::{
    driver::{Setup, Which},
    home::{Environment, Home},
};

/// A workspace, a home, a script for the model.
pub(crate) struct Rig {
    dir: tempfile::TempDir,
}

impl Rig {
    pub fn new(script: &Value) -> Self {
        let rig = Self { dir: tempfile::tempdir().unwrap() };
        fs::create_dir_all(rig.work().join("src")).unwrap();
        fs::write(rig.work().join("src/a.txt"), "one\ntwo\nthree\n").unwrap();
        fs::write(rig.dir.path().join("script.json"), script.to_string()).unwrap();
        rig
    }
    pub fn path(&self) -> &Path {
        self.dir.path()
    }
    pub fn work(&self) -> PathBuf {
        self.dir.path().join("work")
    }
    pub fn home(&self) -> Home {
        Home::under(&self.dir.path().join("home"))
    }
    pub fn setup(&self, which: Which) -> Setup {
        let model = format!("script:{}", self.dir.path().join("script.json").display());
        let environment: Environment = [("PILOTHOUSE_MODEL", model)].into_iter().collect();
        Setup { which, ..Setup::new(self.home(), self.work(), environment) }
    }
    pub fn text(&self) -> String {
        fs::read_to_string(self.work().join("src/a.txt")).unwrap()
    }

    /// Puts another text in its place at once, as editors do.
    pub fn replace(&self, text: &str) {
        atomic::replace(&self.work().join("src/a.txt"), text.as_bytes(), 0o644).unwrap();
    }
}

/// A plan with one task that changes `two` to `2`.
pub(crate) fn plan_and_edit() -> Value {
    let plan = json!({"title": "Numbers", "tasks": [{"title": "Change", "detail": "two to 2", "kind": "modify", "files": ["src/a.txt"]}]});
    json!([
        {"text": "a plan", "calls": [{"name": "submit_plan", "args": plan}]},
        {"text": "", "calls": [{"name": "read", "args": {"path": "src/a.txt"}}]},
        {"text": "", "calls": [{"name": "edit", "args": {"path": "src/a.txt", "edits": [{"old": "two", "new": "2"}]}}]},
        {"text": "changed"},
        {"text": "spare"}
    ])
}

/// Whether this process runs only the test of that name; if not, starts one that does, and waits for its success.
///
/// The ends of all tests' processes come by one signal and wake every runtime beside them: what shall be silent is
/// looked at where no other test is.
pub(crate) fn alone(test: &str) -> bool {
    const ALONE: &str = "PILOTHOUSE_TEST_ALONE";
    if std::env::var_os(ALONE).is_some() {
        return true;
    }
    let out = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test])
        .env(ALONE, "1")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&out.stdout);
    assert!(out.status.success() && said.contains("1 passed"), "{said}");
    false
}

/// Whether nothing wakes a runtime of two threads any more, once only so many tasks are left (git has answered).
pub(crate) fn rests(runtime: &tokio::runtime::Runtime, tasks: usize) -> bool {
    let wakes = || (0..2).map(|w| runtime.metrics().worker_park_count(w)).sum::<u64>();
    (0..60).any(|_| {
        let (before, left) = (wakes(), runtime.metrics().num_alive_tasks() == tasks);
        std::thread::sleep(std::time::Duration::from_secs(1));
        left && wakes() == before
    })
}
