//! A machine full of secrets: forty-two of them, each in its place, and a model that can be told what to answer.

use std::{
    collections::{BTreeMap, VecDeque},
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

use super::support::{
    Desk,
    alone::{Dice, Ended, finish},
    markers::{Needles, drawn},
    proof::{Tally, everything},
    server::{Server, Turn, sorts},
};

/// Variables of the environment, and what their values look like: a beginning and how much is drawn.
const VARIABLES: [(&str, &str, usize); 10] = [
    ("PILOTHOUSE_API_KEY", "sk-proj-", 32),
    ("GITHUB_TOKEN", "ghp_", 36),
    ("AWS_SECRET_ACCESS_KEY", "", 40),
    ("DATABASE_PASSWORD", "quiet-harbour-7-", 4),
    ("NPM_TOKEN", "npm_", 36),
    ("CI_JOB_TOKEN", "glcbt-64_", 20),
    ("SESSION_COOKIE", "", 32),
    ("SOME_SETTING", "", 24),
    ("STRIPE_SECRET_KEY", "sk_live_", 24),
    ("DEPLOY_PASSPHRASE", "correct \"horse\" battery 9\\", 6),
];
const STORED: [(&str, &str, usize); 4] =
    [("custom", "", 40), ("openai", "sk-", 40), ("api.example.org", "", 24), ("embedder", "pa-", 28)];
const HEADERS: [(&str, &str, usize); 3] =
    [("x-api-token", "", 32), ("x-team-key", "silver-otter-17-", 4), ("x-gateway", "gw_", 24)];
/// The password of the address, its query, what only others say, what stands in files, what commands print.
const OTHERS: [(&str, &str, usize); 23] = [
    ("address", "", 20),
    ("query", "", 24),
    ("error 401", "sk-ant-api03-", 32),
    ("error 429", "xoxb-", 24),
    ("error 500", "AIza", 35),
    ("error in the stream", "hf_", 30),
    ("error with a link", "", 18),
    ("moved", "", 18),
    ("settings.py", "", 24),
    (".npmrc", "npm_", 36),
    (".env", "", 28),
    ("notes.md", "", 16),
    ("key.pem", "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC", 32),
    (".netrc", "", 20),
    ("deploy.cfg", "glpat-", 20),
    ("standard error", "ghs_", 36),
    ("message", "ghp_", 36),
    ("title", "sk-ant-api03-", 28),
    ("reply", "gsk_", 40),
    ("command of the model", "ghp_", 36),
    ("hook", "dop_v1_", 0),
    ("variable of an editor's server", "birch-at-noon-7-", 4),
    ("header of an editor's server", "grey-heron-31-", 4),
];
/// Two more are the user's own lines.
const LINES: [(&str, &str, usize); 2] = [("line of the user", "ghp_", 36), ("panic", "sk-proj-", 32)];

/// A secret and where it is from.
pub struct Canary {
    pub from: &'static str,
    pub value: String,
}

/// All of them, the same for the same dice.
pub fn canaries(dice: &mut Dice) -> Vec<Canary> {
    let kinds = VARIABLES.iter().chain(&STORED).chain(&HEADERS).chain(&OTHERS).chain(&LINES);
    let hex = |dice: &mut Dice| (0..64).map(|_| format!("{:x}", dice.roll(16))).collect::<Vec<_>>().concat();
    kinds
        .map(|(from, begin, length)| {
            let rest = if *length == 0 { hex(dice) } else { drawn(dice, *length) };
            Canary { from, value: format!("{begin}{rest}") }
        })
        .collect()
}

pub struct World {
    pub desk: Desk,
    pub server: Server,
    pub all: Vec<Canary>,
    temp: tempfile::TempDir,
    markers: Needles,
    script: Arc<Mutex<VecDeque<Turn>>>,
    /// The files that hold secrets, with what they may hold in the course of time.
    homes: BTreeMap<PathBuf, Vec<Vec<u8>>>,
}

impl World {
    pub fn new(dice: &mut Dice) -> Self {
        let all = canaries(dice);
        let markers = Needles::new(all.iter().map(|c| c.value.as_str()));
        let script: Arc<Mutex<VecDeque<Turn>>> = Arc::default();
        let theirs = Arc::clone(&script);
        let server = Server::answering(move |request| {
            if sorts(request) {
                return Some(Turn::Say("I cannot tell.", vec![]));
            }
            theirs.lock().unwrap().pop_front()
        });
        let temp = tempfile::tempdir().unwrap();
        let mut world =
            Self { desk: Desk::new(), server, all, temp, markers, script, homes: BTreeMap::new() };
        world.hide();
        world
    }

    pub fn value(&self, from: &str) -> &str {
        &self.all.iter().find(|c| c.from == from).unwrap().value
    }

    /// Everything that a provider could know or guess, in one text.
    pub fn everything_known(&self) -> String {
        let known = VARIABLES.iter().chain(&STORED).chain(&HEADERS).chain(&OTHERS[..2]);
        known.map(|(from, ..)| format!("{from} is {}", self.value(from))).collect::<Vec<_>>().join("; ")
    }

    fn hide(&mut self) {
        let place = self.server.base.strip_prefix("http://").unwrap().to_owned();
        let headers: Vec<String> =
            HEADERS.iter().map(|(name, ..)| format!("{name} = \"{}\"", self.value(name))).collect();
        let config = format!(
            "[model]\nname = \"loopback\"\nbase_url = \"http://svc:{}@{place}?token={}\"\nheaders = {{ {} }}\n",
            self.value("address"),
            self.value("query"),
            headers.join(", ")
        );
        let stored: Vec<String> =
            STORED.iter().map(|(name, ..)| format!("\"{name}\" = \"{}\"\n", self.value(name))).collect();
        let hook = format!("#!/bin/sh\necho {}\n", self.value("hook"));
        let home = self.desk.home.path().to_owned();
        let hooks = format!("[hooks.on_run_end]\nrun = \"{}\"\n", home.join("hook.sh").display());
        fs::write(home.join("hooks.toml"), hooks).unwrap();
        self.put(&home.join("config.toml"), &config, 0o600);
        self.put(&home.join("credentials.toml"), &format!("[keys]\n{}", stored.concat()), 0o600);
        self.put(&home.join("hook.sh"), &hook, 0o755);
        let project = self.desk.path().to_owned();
        let v = |from: &str| self.value(from).to_owned();
        let files = [
            ("settings.py", format!("# Settings.\napi_key = \"{}\"\nretries = 3\n", v("settings.py"))),
            (".npmrc", format!("//registry.example.org/:_authToken={}\n", v(".npmrc"))),
            (".env", format!("SERVICE_TOKEN={}\nMODE=test\n", v(".env"))),
            ("notes.md", format!("The database: postgres://app:{}@db.example.org/x\n", v("notes.md"))),
            (
                "key.pem",
                format!("-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----\n", v("key.pem")),
            ),
            (".netrc", format!("machine example.org login me password {}\n", v(".netrc"))),
            (
                "check.sh",
                format!("echo token={}\necho pushed with {} >&2\n", v("deploy.cfg"), v("standard error")),
            ),
        ];
        fs::write(project.join("token.sh"), "echo \"it is <$SERVICE_TOKEN>\"; env >&2\n").unwrap();
        for (name, text) in files {
            self.put(&project.join(name), &text, 0o644);
        }
        // The edit that a turn makes, beside the secret.
        let settings = project.join("settings.py");
        let edited = fs::read_to_string(&settings).unwrap().replace("retries = 3", "retries = 4");
        self.homes.get_mut(&settings).unwrap().push(edited.into_bytes());
    }

    fn put(&mut self, path: &Path, text: &str, mode: u32) {
        fs::write(path, text).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        self.homes.insert(path.to_owned(), vec![text.as_bytes().to_vec()]);
    }

    /// What the model answers from here on.
    pub fn script(&self, turns: Vec<Turn>) {
        *self.script.lock().unwrap() = turns.into();
    }

    pub fn environment(&self) -> Vec<(String, String)> {
        let temp = self.temp.path().display().to_string();
        let fixed = [("PILOTHOUSE_LOG", "trace".to_owned()), ("TMPDIR", temp)];
        let fixed = fixed.map(|(name, value)| (name.to_owned(), value));
        let keys = VARIABLES.iter().map(|(name, ..)| ((*name).to_owned(), self.value(name).to_owned()));
        keys.chain(fixed).collect()
    }

    /// Runs the program to its end; what it said is searched.
    pub fn go(&self, tally: &Tally, args: &[&str]) -> Ended {
        let mut command = self.desk.command(args);
        command.envs(self.environment());
        let ended = finish(command);
        self.search(tally, &format!("{args:?}, out"), ended.out.as_bytes());
        self.search(tally, &format!("{args:?}, err"), ended.err.as_bytes());
        ended
    }

    /// Searches something that was said or shown.
    pub fn search(&self, tally: &Tally, what: &str, bytes: &[u8]) {
        tally.note("bytes", bytes.len());
        for n in self.markers.found(bytes) {
            let text = String::from_utf8_lossy(bytes);
            let at = text.find(&self.all[n].value).unwrap_or_default();
            let around: String =
                text.chars().skip(text[..at].chars().count().saturating_sub(120)).take(300).collect();
            tally.violation(format!("{} stands in {what}:\n{around}", self.all[n].from));
        }
    }

    /// Searches every file that there is and every request that was made.
    pub fn search_all(&self, tally: &Tally) {
        let folders = [self.desk.home.path(), self.desk.path(), self.temp.path()];
        let all: Vec<(PathBuf, Vec<u8>)> = folders.into_iter().flat_map(everything).collect();
        let patches = all.iter().filter(|(path, _)| path.ends_with("change.patch"));
        let patches: Vec<Vec<u8>> = patches.map(|(_, bytes)| bytes.clone()).collect();
        for (path, bytes) in all {
            // The file that holds it, its patch that the user asked for, and the copies that an undo needs.
            let home = self.homes.contains_key(&path) || path.ends_with("change.patch");
            let copy = path.components().any(|c| c.as_os_str() == "blobs")
                && self.homes.values().flatten().chain(&patches).any(|content| *content == bytes);
            if home || copy {
                tally.note("allowed", self.markers.found(&bytes).len());
            } else {
                self.search(tally, &path.display().to_string(), &bytes);
            }
            self.search(tally, "the name of a file", path.as_os_str().as_encoded_bytes());
        }
        for request in self.server.requests().iter().chain(&self.server.sorted()) {
            self.search(tally, "a request's body", request.to_string().as_bytes());
        }
        for head in self.server.heads() {
            for line in head.lines() {
                self.judge_header(tally, line);
            }
        }
    }

    /// A header holds the one secret that is meant for it, if any.
    fn judge_header(&self, tally: &Tally, line: &str) {
        let name = line.split_once(':').map_or("", |(name, _)| name).to_ascii_lowercase();
        for n in self.markers.found(line.as_bytes()) {
            let from = self.all[n].from;
            let own = match name.as_str() {
                "authorization" => from == "PILOTHOUSE_API_KEY" || from == "address",
                "" => false,
                other => from == other,
            };
            let asked = line.starts_with("POST ") && from == "query";
            if own || asked {
                tally.note("sent", 1);
            } else {
                tally.violation(format!("{from} was sent in {line:?}"));
            }
        }
    }
}
