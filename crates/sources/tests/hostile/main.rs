//! Hostile servers: each has one bad manner, and each ends in a clear state, with nothing left alive.
//!
//! This program plays the servers as well: with `MANNER` set it is one. It prints `checked=<n> violations=<n>`.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::indexing_slicing,
    clippy::zombie_processes,
    clippy::too_many_lines,
    missing_docs,
    reason = "a list of bad manners, each in a line or two"
)]

mod server;

use std::{
    path::Path,
    sync::{Arc, Mutex},
    time::Duration,
};

use futures::future::BoxFuture;
use pilothouse_sources::{
    Answer, Catalog, Definition, Form, FormAnswer, Health, Listener, Origin, Reach, SourceFault, Sources,
    Surroundings,
};
use serde_json::json;
use tokio_util::sync::CancellationToken;

/// What a manner came to.
struct Came {
    listed: Result<Arc<Catalog>, SourceFault>,
    called: Result<Answer, SourceFault>,
    again: Result<Option<Arc<Catalog>>, SourceFault>,
    asked: Vec<Form>,
    health: Health,
    /// What it wrote beside.
    noted: String,
}

impl Came {
    fn said(&self) -> String {
        let listed = self.listed.as_ref().err().map(ToString::to_string);
        let called = match &self.called {
            Ok(answer) => answer.text.chars().take(200).collect(),
            Err(e) => e.to_string(),
        };
        format!("list: {} | call: {called} | {:?}", listed.unwrap_or_else(|| "ok".to_owned()), self.health)
    }

    fn left(&self) -> String {
        self.listed.as_ref().map(|c| c.left.join("; ")).unwrap_or_default()
    }

    fn answered(&self, text: &str) -> bool {
        self.called.as_ref().is_ok_and(|a| !a.failed && a.text == text)
    }

    fn failed(&self, with: &str) -> bool {
        self.called.as_ref().is_err_and(|e| e.to_string().contains(with)) || self.unlisted(with)
    }

    fn unlisted(&self, with: &str) -> bool {
        self.listed.as_ref().is_err_and(|e| e.to_string().contains(with))
    }
}

type Check = fn(&Came) -> bool;

/// Every manner, and what is expected of it.
const MANNERS: &[(&str, Check)] = &[
    ("silent", |c| c.unlisted("did not answer `initialize` within 1 s")),
    ("gone", |c| c.unlisted("could not be started: no such library")),
    ("no-program", |c| c.unlisted("could not be started: /no/such/program")),
    ("garbage", |c| c.unlisted("did not answer") || c.unlisted("MiB")),
    ("gigabyte-lines", |c| c.unlisted("more than 64 MiB")),
    ("gigabyte-answer", |c| c.failed("more than 8 MiB")),
    ("other-protocol", |c| c.unlisted("protocol")),
    ("errors", |c| c.unlisted("answered with an error: not today")),
    ("dies-in-call", |c| {
        c.failed("it ended: bad luck") && c.health == Health::Failed("it ended: bad luck".into())
    }),
    ("wrong-ids", |c| c.failed("did not answer work within 1 s")),
    ("answers-twice", |c| c.answered("done")),
    ("unasked-answers", |c| c.answered("done")),
    ("many-tools", |c| c.listed.as_ref().is_ok_and(|l| l.tools.len() == 256) && c.left().contains("beyond")),
    ("long-description", |c| {
        c.listed.as_ref().is_ok_and(|l| l.tools.iter().all(|t| t.description.chars().count() < 4_100))
    }),
    ("long-schema", |c| {
        c.listed.as_ref().is_ok_and(|l| l.tools.iter().all(|t| t.schema.chars().count() < 16_100))
    }),
    ("long-answer", |c| {
        c.called.as_ref().is_ok_and(|a| a.text.len() < 1_100_000 && a.text.contains("left out"))
    }),
    ("deep", |c| c.failed("did not answer work")),
    ("redefines", |c| c.answered("done") && c.again.as_ref().is_ok_and(Option::is_some)),
    ("redefines-untold", |c| c.answered("done") && c.again.as_ref().is_ok_and(Option::is_none)),
    ("shadows-ours", |c| c.left().contains("run: it has the name of a tool of the workbench")),
    ("shadows-other", |c| c.left().contains("it goes under the name of another source, other")),
    ("twice-named", |c| c.left().matches("another tool of this source has the same name").count() == 2),
    ("hidden-name", |c| c.left().contains("wo<U+202E>rk: its name holds what no name holds")),
    ("hidden-words", |c| {
        let tool = c.listed.as_ref().ok().and_then(|l| l.tool("work"));
        tool.is_some_and(|t| {
            t.head.hides && t.description.contains("<U+200B>") && t.head.about.contains('\u{241b}')
        })
    }),
    ("bad-schema", |c| c.listed.is_err() || c.failed("")),
    ("samples", |c| c.answered("refused")),
    ("asks-roots", |c| c.called.as_ref().is_ok_and(|a| a.text.matches("file://").count() == 1)),
    ("links-outside", |c| c.answered("[resource file:///etc/passwd passwords]")),
    ("floods", |c| c.answered("done")),
    ("asks", |c| c.answered("accept") && c.asked.len() == 1),
    ("asks-secret", |c| c.answered("decline") && c.asked.is_empty()),
    ("asks-address", |c| c.answered("decline") && c.asked.is_empty()),
    ("asks-often", |c| c.called.is_ok() && c.asked.len() <= 16),
    ("endless-pages", |c| c.listed.as_ref().is_ok_and(|l| l.tools.len() <= 256)),
    ("ignores-cancel", |c| c.failed("did not answer work within 1 s")),
    ("ignores-end", |c| c.answered("done")),
    ("leaves-child", |c| c.answered("done") && !c.noted.is_empty()),
    ("closes-output", |c| c.failed("it ended")),
];

#[derive(Default)]
struct Hears(Mutex<Vec<Form>>);

impl Listener for Hears {
    fn progress(&self, _: &str) {}

    fn ask(&self, form: Form) -> BoxFuture<'_, FormAnswer> {
        let filled = form.fields.iter().map(|f| (f.name.clone(), "blue".to_owned())).collect();
        self.0.lock().unwrap().push(form);
        Box::pin(std::future::ready(FormAnswer::Filled(filled)))
    }
}

fn definition(manner: &str, note: &Path) -> Definition {
    let me = std::env::current_exe().unwrap().to_string_lossy().into_owned();
    let program = if manner == "no-program" { "/no/such/program".to_owned() } else { me };
    let env = [("MANNER", manner), ("NOTE", note.to_str().unwrap())];
    let env = env.map(|(n, v)| (n.to_owned(), v.to_owned())).into();
    Definition {
        name: "hostile".into(),
        origin: Origin::User,
        file: "sources/hostile/config.json".into(),
        about: String::new(),
        reach: Reach::Command { program, args: Vec::new(), env },
        enabled: true,
        read_only: false,
        tools: None,
        web: None,
        start: Duration::from_secs(if manner == "silent" || manner == "garbage" { 1 } else { 20 }),
        call: Duration::from_secs(
            if ["floods", "asks-often", "dies-in-call", "gigabyte-answer"].contains(&manner) {
                20
            } else {
                1
            },
        ),
    }
}

async fn play(manner: &str, folder: &Path) -> (Came, Vec<u32>) {
    let note = folder.join(manner);
    let mut other = definition("silent", &note);
    other.name = "other".into();
    other.enabled = false;
    let around =
        Surroundings { workspace: folder.to_owned(), value: Arc::new(|_| None), holds: Arc::new(|_| Ok(())) };
    let sources = Sources::of(vec![definition(manner, &note), other], &around);
    let (cancel, hears) = (CancellationToken::new(), Hears::default());
    let listed = sources.catalog("hostile", &cancel).await;
    let mut processes = sources.processes();
    let pin = listed.as_ref().ok().and_then(|c| c.tool("work")).map(|t| t.head.hash);
    let called = match &listed {
        Ok(_) => sources.call(("hostile", "work"), &json!({}), &hears, &cancel).await,
        Err(e) => Err(e.clone()),
    };
    let again = match pin {
        Some(pin) if called.is_ok() => sources.check(("hostile", "work"), pin, &cancel).await,
        _ => Err(SourceFault::Cancelled),
    };
    let health = sources.health().remove(0).1;
    processes.extend(sources.processes());
    sources.stop_all().await;
    let noted = std::fs::read_to_string(&note).unwrap_or_default();
    processes.extend(noted.lines().filter_map(|l| l.parse::<u32>().ok()));
    (Came { listed, called, again, asked: hears.0.into_inner().unwrap(), health, noted }, processes)
}

/// Whether a process lives that is none of the dead who were not fetched yet.
fn lives(process: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let state = stat.rsplit_once(')').map(|(_, rest)| rest.trim_start().chars().next());
    state.flatten().is_some_and(|s| s != 'Z')
}

fn peak_kb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"));
    line.and_then(|l| l.trim().trim_end_matches(" kB").parse().ok()).unwrap_or_default()
}

fn main() {
    if let Ok(manner) = std::env::var("MANNER") {
        return server::serve(&manner);
    }
    let wanted: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let folder = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let (mut checked, mut violations) = (0, 0);
    for (manner, check) in MANNERS.iter().filter(|(m, _)| wanted.is_empty() || wanted.iter().any(|w| w == m))
    {
        let (came, processes) = runtime.block_on(play(manner, folder.path()));
        let alive: Vec<u32> = processes.into_iter().filter(|p| lives(*p)).collect();
        let fits = check(&came) && alive.is_empty();
        checked += 1;
        violations += usize::from(!fits);
        println!(
            "{} {manner}: {} | left: {} {alive:?}",
            if fits { "ok  " } else { "BAD " },
            came.said(),
            came.left()
        );
    }
    let peak = peak_kb();
    if peak > 300 * 1024 {
        violations += 1;
    }
    println!("hostile servers: checked={checked} violations={violations} peak={} MB", peak / 1024);
    assert_eq!(violations, 0);
}
