//! A task of the bench: a small repository, an order, what a recorded mind does about it, hidden tests.

use std::{collections::BTreeMap, path::Path, process::Command};

use serde::Deserialize;
use serde_json::Value;

/// A task as its file says it.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Task {
    /// Its file's name, without the ending.
    #[serde(skip)]
    pub name: String,
    /// What the user says.
    pub order: String,
    /// The language of its repository, for the table.
    pub language: String,
    /// The program that its checks need.
    pub needs: String,
    /// The command that shows whether the work is right, with the hidden files in place.
    pub verify: String,
    /// The repository.
    pub files: BTreeMap<String, String>,
    /// Files that come into the repository only afterwards.
    #[serde(default)]
    pub hidden: BTreeMap<String, String>,
    /// What the mind does, in its order.
    pub steps: Vec<Step>,
}

/// One thing that a mind does.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub enum Step {
    /// Reads a file, unless its text stands in the request.
    Read(String),
    /// Hands in a plan, where one is asked for.
    Plan(Attempt),
    /// Answers in words where a plan is asked for.
    Prose(String),
    /// Calls a tool.
    Call(Attempt),
    /// Calls a tool, unless the last command ended with 0.
    Mend(Attempt),
    /// Says something and ends its turn.
    Say(String),
}

/// A call, as the mind first makes it and as it makes it once that was refused.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attempt {
    /// The tool; `submit_plan` for a plan.
    #[serde(default)]
    pub tool: String,
    /// Its arguments.
    pub args: Value,
    /// The arguments after a refusal.
    #[serde(default)]
    pub instead: Option<Value>,
}

impl Attempt {
    /// The arguments of the first or of the second attempt.
    pub fn arguments(&self, again: bool) -> Value {
        self.instead.as_ref().filter(|_| again).unwrap_or(&self.args).clone()
    }
}

/// Every task, by name.
pub fn all() -> Vec<Task> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/bench");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    paths.retain(|p| p.extension().is_some_and(|e| e == "toml"));
    paths.sort();
    paths.iter().map(|p| read(p)).collect()
}

fn read(path: &Path) -> Task {
    let text = std::fs::read_to_string(path).unwrap();
    let task: Task = toml::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    Task { name: path.file_stem().unwrap().to_str().unwrap().to_owned(), ..task }
}

impl Task {
    /// Whether its program is on this machine.
    pub fn can_run(&self) -> bool {
        let look = format!("command -v {} > /dev/null", self.needs);
        Command::new("bash").args(["-c", &look]).status().is_ok_and(|s| s.success())
    }

    /// Writes the repository, with one commit.
    pub fn lay_out(&self, folder: &Path) {
        write(folder, &self.files);
        let git =
            "git init -q -b main && git add -A && git -c user.name=t -c user.email=t@t commit -qm start";
        let made = Command::new("bash").args(["-c", git]).current_dir(folder).status().unwrap();
        assert!(made.success());
    }

    /// Brings in the hidden files and checks the work; what was printed when it is wrong.
    pub fn check(&self, folder: &Path) -> Result<(), String> {
        write(folder, &self.hidden);
        let out = Command::new("bash").args(["-c", &self.verify]).current_dir(folder).output().unwrap();
        let text = |b: &[u8]| String::from_utf8_lossy(b).into_owned();
        if out.status.success() { Ok(()) } else { Err(text(&out.stdout) + &text(&out.stderr)) }
    }
}

fn write(folder: &Path, files: &BTreeMap<String, String>) {
    for (name, text) in files {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}
