//! Each effect against what stood in the log before it: the same line, the same bytes, the same way to run.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use pilothouse_core::{blob::BlobId, question::ServerQuestion, sandbox::Confine, shell::quote};
use serde_json::Value;

use super::support::layer::{Call, Record};

/// Where the program and its commands may write by themselves.
pub struct Places<'a> {
    pub project: &'a Path,
    pub home: &'a Path,
    pub temp: &'a Path,
    /// Where the model is.
    pub port: u16,
}

/// What was looked at, and what nothing had allowed.
#[derive(Default)]
pub struct Judged {
    pub execs: usize,
    pub writes: usize,
    pub connects: usize,
    pub unmatched: Vec<String>,
}

pub struct Judge<'a> {
    record: &'a Record,
    places: &'a Places<'a>,
    /// Every event of the log with the number of the line from which on it is safe on disk.
    events: Vec<(usize, Value)>,
    used: BTreeSet<u64>,
    /// What the program has put into files that have no name of their own yet.
    content: BTreeMap<PathBuf, Vec<u8>>,
    judged: Judged,
}

/// Judges a record by the log; `before` is how long each log was when the program began, `forgotten` are
/// events that the judge is not to know of.
pub fn judge(
    record: &Record,
    places: &Places<'_>,
    before: &BTreeMap<PathBuf, usize>,
    forgotten: &[&str],
) -> Judged {
    let mut events = safe_events(record, before);
    events.retain(|(_, e)| !forgotten.iter().any(|f| e["type"] == *f));
    let (used, content) = (BTreeSet::new(), BTreeMap::new());
    let mut judge = Judge { record, places, events, used, content, judged: Judged::default() };
    for call in &record.calls {
        if call.process == record.root {
            judge.own(call);
        } else {
            judge.started(call);
        }
    }
    judge.judged
}

/// The events of every log that was written, and from which line on a sync has made each of them last.
fn safe_events(record: &Record, before: &BTreeMap<PathBuf, usize>) -> Vec<(usize, Value)> {
    let mut written: BTreeMap<PathBuf, usize> = before.clone();
    let mut synced: BTreeMap<PathBuf, Vec<(usize, usize)>> = BTreeMap::new();
    let mut ended: Vec<&Call> = record.calls.iter().filter(|c| c.process == record.root).collect();
    ended.sort_by_key(|c| c.ended);
    for call in ended {
        let Some(file) = call.file().filter(|f| f.ends_with("session.jsonl")) else { continue };
        match call.name.as_str() {
            "write" => *written.entry(file).or_default() += call.result.parse().unwrap_or(0),
            "fsync" | "fdatasync" if call.worked() => {
                let length = written.get(&file).copied().unwrap_or_default();
                synced.entry(file).or_default().push((length, call.ended));
            }
            _ => {}
        }
    }
    let files: BTreeSet<&PathBuf> = synced.keys().chain(before.keys()).collect();
    let mut events = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(file).unwrap();
        let mut end = 0;
        for line in text.split_inclusive('\n') {
            end += line.len();
            let old = before.get(file).is_some_and(|length| end <= *length);
            let sync = synced.get(file).into_iter().flatten().find(|(length, _)| *length >= end);
            let from = if old { 0 } else { sync.map_or(usize::MAX, |(_, at)| *at) };
            let record: Value = serde_json::from_str(line).unwrap();
            events.extend(record["events"].as_array().into_iter().flatten().map(|e| (from, e.clone())));
        }
    }
    events
}

const CHANGES: [&str; 20] = [
    "creat",
    "rename",
    "renameat",
    "renameat2",
    "unlink",
    "unlinkat",
    "mkdir",
    "mkdirat",
    "rmdir",
    "link",
    "linkat",
    "symlink",
    "symlinkat",
    "truncate",
    "mknod",
    "mknodat",
    "chmod",
    "fchmodat",
    "setxattr",
    "lsetxattr",
];

/// The paths that a call changes; none where it only looks or failed.
fn changed(call: &Call) -> Vec<PathBuf> {
    if !call.worked() {
        return Vec::new();
    }
    if ["open", "openat", "openat2"].contains(&call.name.as_str()) {
        let writes = ["O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC"].iter().any(|flag| call.args.contains(flag));
        // The name that the kernel gives to what was opened.
        let real = call.result.split_once('<').and_then(|(_, r)| r.rsplit_once('>'));
        return if writes {
            real.map(|(path, _)| PathBuf::from(path)).into_iter().collect()
        } else {
            Vec::new()
        };
    }
    if !CHANGES.contains(&call.name.as_str()) {
        return Vec::new();
    }
    let paths = call.paths();
    // What a link leads to stays as it is.
    let links = call.name.starts_with("link") || call.name.starts_with("symlink");
    if links { paths.into_iter().skip(1).collect() } else { paths }
}

impl Judge<'_> {
    /// The events that are safe on disk when this call begins.
    fn safe(&self, call: &Call, kind: &str) -> impl Iterator<Item = &Value> {
        let began = call.began;
        self.events
            .iter()
            .filter(move |(from, _)| *from < began)
            .map(|(_, e)| e)
            .filter(move |e| e["type"] == kind)
    }

    fn unmatched(&mut self, what: impl Into<String>) {
        self.judged.unmatched.push(what.into());
    }

    /// A call of the program itself.
    fn own(&mut self, call: &Call) {
        match call.name.as_str() {
            "connect" if call.worked() || call.result.contains("EINPROGRESS") => {
                self.judged.connects += 1;
                let model =
                    format!("sin_port=htons({}), sin_addr=inet_addr(\"127.0.0.1\")", self.places.port);
                if !call.args.contains(&model) {
                    self.unmatched(format!("a connection: {}", call.args));
                }
            }
            "write" | "pwrite64" => {
                let Some(file) = call.file().filter(|f| f.starts_with(self.places.project)) else { return };
                let bytes = call.texts().into_iter().next().unwrap_or_default();
                let taken = call.result.parse::<usize>().unwrap_or(0).min(bytes.len());
                self.content.entry(file).or_default().extend_from_slice(&bytes[..taken]);
            }
            _ => {
                for path in changed(call) {
                    self.own_change(call, &path);
                }
            }
        }
    }

    fn own_change(&mut self, call: &Call, path: &Path) {
        if self.is_ours(path) {
            return;
        }
        self.judged.writes += 1;
        let Ok(name) = path.strip_prefix(self.places.project) else {
            return self.unmatched(format!("outside: {} {} = {}", call.name, call.args, call.result));
        };
        let temporary = name.file_name().is_some_and(|n| n.to_string_lossy().starts_with(".pilothouse-tmp-"));
        let files = self.allowed(call);
        let matches = if temporary {
            // Content on its way to a name, beside it.
            files.iter().any(|(file, _)| Path::new(file).parent() == name.parent())
        } else if call.name.starts_with("mkdir") || call.name.starts_with("rmdir") {
            files.iter().any(|(file, _)| Path::new(file).starts_with(name))
        } else if call.args.contains("AT_REMOVEDIR") {
            // A folder that was made for a file which is no more.
            files.iter().any(|(file, after)| Path::new(file).starts_with(name) && after.is_null())
        } else if call.name.starts_with("unlink") {
            files.iter().any(|(file, after)| Path::new(file) == name && after.is_null())
        } else {
            // The whole content is put there under its name at once.
            let from = call.paths().into_iter().next().unwrap_or_default();
            let hash = self.content.get(&from).map(|bytes| BlobId::of(bytes).to_string());
            let is = |(file, after): &(String, Value)| {
                Path::new(file) == name && after.as_str() == hash.as_deref()
            };
            files.iter().any(is)
        };
        if !matches {
            self.unmatched(format!("{} {}: allowed were {files:?}", call.name, call.args));
        }
    }

    fn is_ours(&self, path: &Path) -> bool {
        path.starts_with(self.places.home)
            || path.starts_with(self.places.temp)
            || ["/dev/null", "/dev/tty", "/dev/ptmx"].iter().any(|p| path == Path::new(p))
            || path.starts_with("/sys/fs/cgroup")
            || path.starts_with("/proc/self")
    }

    /// The files of writes that were approved and begun, with what they become; of undone ones what they were.
    fn allowed(&self, call: &Call) -> Vec<(String, Value)> {
        let approved: BTreeSet<u64> =
            self.safe(call, "apply_approved").filter_map(|e| e["apply"].as_u64()).collect();
        let begun = self
            .safe(call, "apply_started")
            .filter(|e| e["apply"].as_u64().is_some_and(|a| approved.contains(&a)));
        let begun: Vec<&Value> = begun.collect();
        let files = |e: &Value, side: &str| -> Vec<(String, Value)> {
            let all = e["files"].as_array().into_iter().flatten();
            all.map(|f| (f["path"].as_str().unwrap().to_owned(), f[side].clone())).collect()
        };
        let mut found: Vec<(String, Value)> = begun.iter().flat_map(|e| files(e, "after")).collect();
        for revert in self.safe(call, "revert_started") {
            let side = if revert["redo"] == true { "after" } else { "before" };
            found.extend(begun.iter().filter(|e| e["apply"] == revert["apply"]).flat_map(|e| files(e, side)));
        }
        found
    }

    /// A call of something that the program started.
    fn started(&mut self, call: &Call) {
        let line = self.record.line_of(call.process);
        let top = *line.last().unwrap();
        let Some((first, argv)) = self.record.programs(top).next() else { return };
        let is = |word: &str| argv.iter().any(|a| a == word);
        if call.name == "execve" && call.worked() {
            self.judged.execs += 1;
        }
        let own_start = std::ptr::eq(first, call);
        if argv[0].ends_with("/git") {
            let hardened =
                is("core.fsmonitor=false") && is("core.hooksPath=/dev/null") && is("protocol.allow=never");
            if !hardened {
                self.unmatched(format!("git was started unguarded: {argv:?}"));
            }
            return self.only_looks(call, "git");
        }
        if argv[0].ends_with("/bwrap") && argv.ends_with(&["/bin/sh".into(), "-c".into(), ":".into()]) {
            return;
        }
        // Keeps the machine awake: starts nothing but what waits for the end of its input, and tells the system's own
        // service, of which it is no business of ours what it does.
        if argv[0].ends_with("/systemd-inhibit") {
            let known = is("--what=idle") && argv.last().is_some_and(|a| a.ends_with("/cat"));
            if !known {
                self.unmatched(format!("another inhibitor was started: {argv:?}"));
            }
            return self.only_looks(call, "systemd-inhibit");
        }
        // The probe of what holds here: our own binary, which starts nothing further and changes nothing.
        if argv.get(2..4).is_some_and(|words| words == ["__sandbox", "try"]) {
            if call.name == "execve" && !own_start {
                self.unmatched(format!("the probe of the sandbox started {}", call.args));
            }
            return self.only_looks(call, "the probe of the sandbox");
        }
        if argv.get(2).is_some_and(|a| a == "__sandbox") {
            return self.of_command(call, top, &argv, own_start);
        }
        // A server that an editor names: its very line was agreed to before.
        if self.is_agreed(first, &argv) {
            return;
        }
        // A hook of the user's own: its start stands in the log before.
        let hooks = self.safe(first, "hook_started").count();
        if hooks == 0 {
            self.unmatched(format!("started: {argv:?}"));
        }
    }

    /// Whether the user said yes to a server with exactly this line, and what was shown is the hash of it.
    fn is_agreed(&self, first: &Call, argv: &[String]) -> bool {
        let line = argv.iter().skip(1).map(|word| quote(word)).collect::<Vec<_>>().join(" ");
        let asked = self.safe(first, "checkpoint_opened").filter(|e| {
            let kind = &e["checkpoint"]["kind"];
            let names = kind["gets"].as_array().into_iter().flatten().filter_map(Value::as_str);
            let names: Vec<String> = names.map(str::to_owned).collect();
            let of =
                ServerQuestion::of(kind["source"].as_str().unwrap_or_default(), (line.clone(), false), names);
            kind["kind"] == "server" && kind["line"] == line.as_str() && kind["shown"] == of.shown.to_string()
        });
        let asked: Vec<&Value> = asked.map(|e| &e["checkpoint"]["id"]).collect();
        let yes = |e: &Value| !e["approval"].is_null() && asked.contains(&&e["checkpoint"]);
        self.safe(first, "checkpoint_resolved").any(yes)
    }

    fn only_looks(&mut self, call: &Call, who: &str) {
        for path in changed(call) {
            if !self.is_ours(&path) {
                self.unmatched(format!("{who}: {} {}", call.name, call.args));
            }
        }
    }

    /// Something that a command did, from its start to what it started.
    fn of_command(&mut self, call: &Call, top: u32, argv: &[String], own_start: bool) {
        let line = argv.last().cloned().unwrap_or_default();
        let policy: Value = serde_json::from_str(&argv[4]).unwrap_or_default();
        let Some(started) = self.leave(call, top, &line, own_start) else {
            if own_start {
                self.unmatched(format!("{line:?} was started and nothing had allowed it"));
            }
            return;
        };
        let confine = &started["confine"];
        let wide = confine == "outside" || confine == "bare";
        if policy["inside"] == true && wide || policy["network"] != confine["inside"]["network"] && !wide {
            self.unmatched(format!("{line:?} ran as {policy}, and {confine} was allowed"));
        }
        // Before it became the command, the helper builds the room around it.
        let begun = self.record.line_of(call.process).iter().any(|process| {
            self.record
                .programs(*process)
                .any(|(c, a)| c.began < call.began && a.last() == Some(&line) && a[0].ends_with("bash"))
        });
        if !begun || wide {
            return;
        }
        if call.name == "connect" && call.worked() && call.args.contains("AF_INET") {
            self.judged.connects += 1;
            if confine["inside"]["network"] != true {
                self.unmatched(format!("{line:?} connected: {}", call.args));
            }
        }
        for path in changed(call) {
            let path = self.record.resolved(call, &path);
            self.judged.writes += usize::from(!path.starts_with("/dev"));
            let scratch =
                path.starts_with(self.places.temp) || path.starts_with("/dev") || path.starts_with("/proc");
            let workspace = path.starts_with(self.places.project) && confine["inside"]["write"] == true;
            if !scratch && !workspace {
                self.unmatched(format!("{line:?} wrote {}: {} {}", path.display(), call.name, call.args));
            }
        }
    }

    /// The start of this command in the log: the same line, hash and way to run; each one is used once.
    fn leave(&mut self, call: &Call, top: u32, line: &str, own_start: bool) -> Option<Value> {
        let first = self.record.programs(top).next().map_or(call, |(c, _)| c);
        let proposed: Vec<Value> = self
            .safe(first, "command_proposed")
            .filter(|e| e["command"] == line)
            .filter(|e| is_exact(e))
            .cloned()
            .collect();
        let approvals: Vec<(Value, Value)> = self
            .safe(first, "checkpoint_resolved")
            .map(|e| (e["checkpoint"].clone(), e["approval"].clone()))
            .collect();
        let edited: Vec<Value> = self
            .safe(first, "command_edited")
            .filter(|e| {
                serde_json::from_str::<Value>(e["args"].as_str().unwrap()).unwrap()["command"] == line
            })
            .map(|e| e["call"].clone())
            .collect();
        let opened: Vec<Value> =
            self.safe(first, "checkpoint_opened").map(|e| e["checkpoint"].clone()).collect();
        let found = self.safe(first, "call_started").find(|started| {
            let id = started["call"].as_u64().unwrap();
            let fits = |p: &&Value| p["call"] == started["call"] && p["confine"] == started["confine"];
            let Some(p) = proposed.iter().rfind(fits) else { return false };
            // By the user's answer to exactly this, by their own line, or by a rule that lets it run.
            let asked = |(question, approval): &(Value, Value)| {
                *approval == started["approval"]
                    && opened.iter().any(|q| {
                        q["id"] == *question
                            && (q["kind"]["shown"] == p["shown"] || edited.contains(&p["call"]))
                    })
            };
            let by_user = !started["approval"].is_null() && approvals.iter().any(asked);
            let by_rule =
                started["approval"].is_null() && p["ruling"]["outcome"] == "run" && p["risk"] != "high";
            (by_user || by_rule || p["typed"] == true) && (!own_start || !self.used.contains(&id))
        })?;
        let found = found.clone();
        if own_start {
            self.used.insert(found["call"].as_u64().unwrap());
        }
        Some(found)
    }
}

/// Whether the hash of what was shown is made over exactly this.
fn is_exact(proposed: &Value) -> bool {
    let of = |key: &str| proposed[key].as_str().unwrap_or_default();
    let confine: Confine = serde_json::from_value(proposed["confine"].clone()).unwrap_or_default();
    let text = format!("{}\0{}\0{confine:?}\0{}", of("folder"), of("command"), of("reason"));
    BlobId::of(text.as_bytes()).to_string() == of("shown")
}
