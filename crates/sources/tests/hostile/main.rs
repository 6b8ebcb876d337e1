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
    process::Command,
    sync::{Arc, Mutex},
    time::Duration,
};

use futures::future::BoxFuture;
use pilothouse_core::{question::FormAnswer, source::SourceHealth};
use pilothouse_sources::{
    Answer, Catalog, Checked, Consent, Definition, Form, Listener, Origin, Reach, RemoteTool, SourceFault,
    Sources, Surroundings,
};
use serde_json::json;
use tokio_util::sync::CancellationToken;

/// What a manner came to.
struct Came {
    listed: Result<Arc<Catalog>, SourceFault>,
    called: Result<Answer, SourceFault>,
    /// Whether its tool is still the same.
    again: Result<bool, SourceFault>,
    asked: Vec<Form>,
    health: SourceHealth,
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

    /// Whether its one tool is there, with so much of a text as is taken and no more.
    fn bounded(&self, text: fn(&RemoteTool) -> &str, most: usize) -> bool {
        let one = self.listed.as_ref().ok().and_then(|l| l.tool("work"));
        one.is_some_and(|t| (most..most + 100).contains(&text(t).chars().count()))
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
        c.failed("it ended: bad luck") && c.health == SourceHealth::Failed("it ended: bad luck".into())
    }),
    ("ends-between", |c| c.failed("it ended") && c.noted.lines().count() == 1),
    ("wrong-ids", |c| c.failed("did not answer work within 1 s")),
    ("answers-twice", |c| c.answered("done")),
    ("unasked-answers", |c| c.answered("done")),
    ("many-tools", |c| c.listed.as_ref().is_ok_and(|l| l.tools.len() == 256) && c.left().contains("beyond")),
    ("long-description", |c| c.bounded(|t| &t.description, 4_000)),
    ("long-schema", |c| c.bounded(|t| &t.schema, 16_000)),
    ("long-answer", |c| {
        c.called.as_ref().is_ok_and(|a| a.text.len() < 1_100_000 && a.text.contains("left out"))
    }),
    ("deep", |c| c.failed("did not answer work")),
    ("redefines", |c| c.answered("done") && c.again.as_ref().is_ok_and(|same| !same)),
    ("redefines-behind", |c| c.answered("done") && c.again.as_ref().is_ok_and(|same| !same)),
    ("redefines-untold", |c| c.answered("done") && c.again.as_ref().is_ok_and(|same| *same)),
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
    ("bad-schema", |c| c.unlisted("does not keep to the protocol")),
    ("samples", |c| c.answered("refused")),
    ("asks-roots", |c| c.called.as_ref().is_ok_and(|a| a.text.matches("file://").count() == 1)),
    ("links-outside", |c| c.answered("[resource file:///etc/passwd passwords]")),
    ("floods", |c| c.answered("done")),
    ("asks", |c| c.answered("accept") && c.asked.len() == 1),
    ("asks-secret", |c| c.answered("decline") && c.asked.is_empty()),
    ("asks-address", |c| c.answered("decline") && c.asked.is_empty()),
    ("asks-often", |c| c.answered("done") && c.asked.len() == 16),
    ("asks-amid-two", |c| (c.answered("decline done") || c.answered("done decline")) && c.asked.is_empty()),
    ("endless-pages", |c| {
        c.listed.as_ref().is_ok_and(|l| l.tools.len() == 40) && c.left().contains("its list of tools goes on")
    }),
    ("paged-names", |c| {
        let named = c.listed.as_ref().ok().map(|l| (l.resources.len(), l.prompts.len()));
        named == Some((30, 30)) && c.left().is_empty()
    }),
    ("endless-names", |c| {
        let named = c.listed.as_ref().ok().map(|l| (l.resources.len(), l.prompts.len()));
        named == Some((256, 256)) && c.left().matches("goes on").count() == 2
    }),
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
        adds: None,
        oauth: None,
        start: Duration::from_secs(if manner == "silent" || manner == "garbage" { 1 } else { 20 }),
        call: Duration::from_secs(
            if ["floods", "asks-often", "dies-in-call", "gigabyte-answer", "long-answer"].contains(&manner) {
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
    let around = Surroundings {
        workspace: folder.to_owned(),
        value: Arc::new(|_| None),
        holds: Arc::new(|_| Ok(std::env::temp_dir())),
        consent: Consent::default(),
        keeper: Arc::new(()),
    };
    let sources = Sources::of(vec![definition(manner, &note), other], &around);
    let (cancel, hears) = (CancellationToken::new(), Hears::default());
    let listed = sources.catalog("hostile", &cancel).await;
    let mut processes = sources.processes();
    let pin = listed.as_ref().ok().and_then(|c| c.tool("work")).map(|t| t.head.hash);
    let check = async |pin| sources.check(("hostile", "work"), pin, &cancel).await;
    let called = match (listed.as_ref().err(), pin) {
        (Some(why), _) => Err(why.clone()),
        (None, None) => Err(SourceFault::Protocol("it has no such tool".into())),
        (None, Some(pin)) => match check(pin).await {
            Ok(Checked::Same(allowed)) => {
                if manner == "ends-between" {
                    kill(&processes);
                }
                let nothing = json!({});
                let call = allowed.call(&nothing, &hears, &cancel);
                if manner == "asks-amid-two" {
                    Box::pin(two(call, check(pin), &hears)).await
                } else {
                    call.await
                }
            }
            Ok(Checked::Other(_)) => Err(SourceFault::Protocol("its tool is another".into())),
            Err(e) => Err(e),
        },
    };
    let mut again = Err(SourceFault::Cancelled);
    // A list that fails is asked for once more.
    for pin in pin.into_iter().cycle().take(2).filter(|_| called.is_ok()) {
        if again.is_err() {
            again = check(pin).await.map(|found| matches!(found, Checked::Same(_)));
        }
    }
    let health = sources.health().remove(0).1;
    processes.extend(sources.processes());
    // Whoever asks while they end, or after, starts nothing.
    sources.enable("other", true).await;
    let late = tokio::join!(sources.catalog("other", &cancel), sources.stop_all()).0;
    let later = sources.catalog("hostile", &cancel).await;
    assert_eq!((late, later), (Err(SourceFault::Ended), Err(SourceFault::Ended)), "{manner}");
    let noted = std::fs::read_to_string(&note).unwrap_or_default();
    processes.extend(noted.lines().filter_map(|l| l.parse::<u32>().ok()));
    (Came { listed, called, again, asked: hears.0.into_inner().unwrap(), health, noted }, processes)
}

/// Two calls at once: what their server asks meanwhile is for neither of them.
async fn two(
    call: impl Future<Output = Result<Answer, SourceFault>>,
    other: impl Future<Output = Result<Checked<'_>, SourceFault>>,
    hears: &Hears,
) -> Result<Answer, SourceFault> {
    let (none, nothing) = (CancellationToken::new(), json!({}));
    let Checked::Same(other) = other.await? else { return Err(SourceFault::Cancelled) };
    let (one, two) = tokio::join!(call, other.call(&nothing, hears, &none));
    Ok(Answer { text: format!("{} {}", one?.text, two?.text), failed: false })
}

/// Kills them, and sees that they are dead.
fn kill(processes: &[u32]) {
    for process in processes {
        assert!(Command::new("kill").args(["-9", &process.to_string()]).status().unwrap().success());
        while lives(*process) {
            std::thread::yield_now();
        }
    }
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
