#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use std::sync::Mutex;

use pilothouse_core::{
    ids::Process,
    redact::Redactor,
    tool::{Tool, ToolCall},
};

use super::*;

#[derive(Default)]
struct Heard {
    out: Mutex<Vec<(DeltaKind, String)>>,
    process: Mutex<Option<Process>>,
    /// Cancelled once this text came.
    at: Option<(&'static str, CancellationToken)>,
}

impl Sink for Heard {
    fn hides(&self) -> Redactor {
        Redactor::knowing(["two words"])
    }

    fn delta(&self, kind: DeltaKind, text: &str) {
        self.out.lock().unwrap().push((kind, text.to_owned()));
        if let Some((mark, cancel)) = &self.at
            && self.text(DeltaKind::Stdout).contains(mark)
        {
            cancel.cancel();
        }
    }

    fn started(&self, process: Process) {
        *self.process.lock().unwrap() = Some(process);
    }
}

impl Heard {
    fn text(&self, kind: DeltaKind) -> String {
        self.out.lock().unwrap().iter().filter(|(k, _)| *k == kind).map(|(_, t)| t.as_str()).collect()
    }
}

struct Place {
    dir: tempfile::TempDir,
    jail: Jail,
    shell: Shell,
    fence: CommandSandbox,
    guard: Guard,
}

/// A place without a sandbox: what holds there is tried through the real program.
fn place() -> Place {
    let dir = tempfile::tempdir().unwrap();
    let fence = CommandSandbox::none("a test");
    let jail = Jail::open(dir.path()).unwrap();
    let guard = Guard::of(jail.root(), &[], None);
    Place { jail, shell: Shell::find(), fence, guard, dir }
}

fn line(command: &str, folder: &str, timeout_s: Option<u64>) -> Result<Run, String> {
    let args = serde_json::json!({"command": command, "folder": folder, "timeout_s": timeout_s});
    match ToolCall::read(Tool::Run, &args.to_string()) {
        Ok(ToolCall::Run(run)) => Ok(run),
        Ok(
            other @ (ToolCall::File(_)
            | ToolCall::Session(_)
            | ToolCall::Knowledge(_)
            | ToolCall::External(_)),
        ) => {
            unreachable!("{other:?}")
        }
        Err(e) => Err(e.to_string()),
    }
}

impl Place {
    async fn run(&self, command: &str, timeout_s: Option<u64>, heard: &Heard) -> ToolOutcome {
        let cancel = heard.at.as_ref().map_or_else(CancellationToken::new, |(_, c)| c.clone());
        match line(command, "", timeout_s) {
            Ok(args) => run(self.ground(), &args, heard, &cancel).await,
            Err(text) => ToolOutcome::failure(text),
        }
    }

    fn ground(&self) -> Ground<'_> {
        Ground {
            given: &[],
            withheld: &[],
            held: &[],
            jail: &self.jail,
            shell: &self.shell,
            fence: &self.fence,
            guard: &self.guard,
            secret: &[],
            confine: Confine::Bare,
            alone: false,
        }
    }

    fn pids(&self, file: &str) -> Vec<u32> {
        let text = std::fs::read_to_string(self.dir.path().join(file)).unwrap();
        text.split_whitespace().map(|p| p.parse().unwrap()).collect()
    }
}

/// Whether a process lives; one that waits to be reaped does not.
fn lives(pid: u32) -> bool {
    if cfg!(target_os = "linux") {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        return stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with(['Z', 'X']));
    }
    rustix::process::test_kill_process(rustix::process::Pid::from_raw(pid.cast_signed()).unwrap()).is_ok()
}

#[tokio::test]
async fn what_fails_for_a_variable_that_it_did_not_get_says_so() {
    let place = place();
    let variables = [("DB", "x"), ("db_url", "y")].map(|(n, v)| (n.to_owned(), v.to_owned()));
    for (command, told) in [
        ("echo no DB here; exit 1", "DB"),
        ("echo no db_url here; exit 1", "db_url"),
        ("echo no DB here", ""),
        ("exit 1", ""),
    ] {
        let ground = Ground { withheld: &variables, ..place.ground() };
        let args = line(command, "", None).unwrap();
        let got = run(ground, &args, &Heard::default(), &CancellationToken::new()).await;
        let says = got.advice.iter().find(|a| a.model.contains("nothing of the project's .env"));
        assert_eq!(says.is_some(), !told.is_empty(), "{command}: {:?}", got.advice);
        let Some(says) = says else { continue };
        assert!(says.model.contains(&format!(".env, {told} among it")), "{says:?}");
        // What only installs needs a way as well.
        assert!(
            says.model.contains("`env` below [sandbox]") && says.user.contains("your own shell"),
            "{says:?}"
        );
    }
}

#[tokio::test]
async fn a_pipe_that_only_shortens_ends_as_what_works_in_it() {
    let place = place();
    std::fs::write(place.dir.path().join("broken.sh"), "echo a\nexit 3\n").unwrap();
    for (line, code) in [
        ("(echo a; exit 7) 2>&1 | tail -3", 7),
        ("bash broken.sh 2>&1 | tail -3", 3),
        ("bash broken.sh | head -3", 0),
        ("bash broken.sh | grep nothing | tail -3", 0),
    ] {
        let got = place.run(line, None, &Heard::default()).await;
        assert_eq!(got.exit.unwrap().code, Some(code), "{line}");
    }
}

#[tokio::test]
async fn exit_codes_and_both_streams_are_reported() {
    let heard = Heard::default();
    let got = place().run("echo out; echo err >&2; exit 7", None, &heard).await;
    let exit = got.exit.unwrap();
    assert_eq!((exit.code, exit.signal, exit.timed_out, got.failed), (Some(7), None, false, true));
    assert_eq!(got.summary, "exit 7");
    assert!(got.text.contains("stdout:\nout\nstderr:\nerr"), "{}", got.text);
    assert_eq!(heard.text(DeltaKind::Stdout), "out\n");
    assert_eq!(heard.text(DeltaKind::Stderr), "err\n");
    assert_eq!(exit.process, *heard.process.lock().unwrap());
    assert!(exit.process.unwrap().started > 0 || !cfg!(target_os = "linux"));
    let whole = got.output.unwrap();
    assert_eq!(whole.bytes().len(), "out\nerr\n".len());
}

#[test]
fn what_the_sandbox_held_is_said_though_a_pipe_hides_that_it_failed() {
    let place = place();
    let ground = Ground { confine: Confine::Inside { write: true, network: false }, ..place.ground() };
    let ended = |code: i32, said: &str| {
        let exit = Exit {
            code: Some(code),
            signal: None,
            timed_out: false,
            took: Millis(1),
            process: None,
            put_back: false,
        };
        let text = format!("exit {code}, took 0.0 s\nstdout:\n{said}\n");
        ToolOutcome { exit: Some(exit), failed: code != 0, ..ToolOutcome::text(text, "exit") }
    };
    let held = "touch: /x: Permission denied";
    for (line, code, said, hinted) in [
        ("touch /x 2>&1 | tail -40", 0, held, true),
        ("touch /x; true", 0, held, true),
        ("touch /x", 1, held, true),
        // What passed by itself and talks of refusals is no refusal.
        ("cat log.txt", 0, held, false),
        ("pytest 2>&1 | tail -40", 0, "3 passed", false),
    ] {
        let told = ground.hint(line, ended(code, said)).advice;
        let hint = told.first().map(|a| a.model.as_str()).unwrap_or_default();
        assert_eq!(hint.starts_with("(it ran in a sandbox"), hinted, "{line}: {told:?}");
    }
}

#[tokio::test]
async fn success_is_no_failure_and_a_signal_is_named() {
    let place = place();
    let got = place.run("true", None, &Heard::default()).await;
    assert!(!got.failed && got.exit.unwrap().ok());
    assert!(got.text.contains("(no output)"));
    let got = place.run("kill -SEGV $$", None, &Heard::default()).await;
    assert_eq!((got.exit.unwrap().signal, got.failed), (Some(11), true));
}

#[tokio::test]
async fn it_runs_in_the_workspace_or_a_folder_of_it() {
    let place = place();
    std::fs::create_dir(place.dir.path().join("sub")).unwrap();
    std::fs::write(place.dir.path().join("f"), "").unwrap();
    let at = async |folder: &str| {
        let args = line("pwd -P", folder, None).unwrap();
        run(place.ground(), &args, &Heard::default(), &CancellationToken::new()).await
    };
    let root = place.jail.root().to_str().unwrap();
    assert!(at("").await.text.contains(&format!("{root}\n")) || at("").await.text.ends_with(root));
    assert!(at(".").await.text.ends_with(root));
    assert!(at("sub").await.text.ends_with(&format!("{root}/sub")));
    for bad in ["..", "/", "f", "gone", "/etc"] {
        let got = at(bad).await;
        assert!(got.failed && got.exit.is_none(), "{bad}: {}", got.text);
    }
}

#[tokio::test]
async fn a_time_out_ends_the_whole_tree() {
    let place = place();
    let line =
        "sleep 300 & echo $! >> pids; bash -c 'sleep 300 & echo $! >> pids; wait' & echo $! >> pids; wait";
    let got = place.run(line, Some(1), &Heard::default()).await;
    let exit = got.exit.clone().unwrap();
    assert!(exit.timed_out && got.failed && exit.took >= Millis(1_000), "{exit:?}");
    assert!(got.text.contains("time limit of 1 s"), "{}", got.text);
    let pids = place.pids("pids");
    assert_eq!(pids.len(), 3);
    assert!(pids.into_iter().all(|p| !lives(p)));
}

// Sessions of their own are found through the process table.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn cancelling_ends_the_whole_tree_also_what_ignores_the_request_or_left_its_group() {
    let place = place();
    let cancel = CancellationToken::new();
    let heard = Heard { at: Some(("ready", cancel)), ..Heard::default() };
    // Job control gives each background job a group of its own; without it, setsid keeps its place
    // below the shell but has a session of its own.
    let line = "trap '' TERM; nap() { sh -c 'echo $$ >> pids; exec sleep 300'; }; set -m; \
                (trap '' TERM; nap) & (trap - TERM; nap) & set +m; \
                setsid sh -c 'echo $$ >> pids; exec sleep 300' & \
                until [ -f pids ] && [ $(wc -l < pids) = 3 ]; do :; done; echo ready; while :; do sleep 300; done";
    let began = Instant::now();
    let got = place.run(line, None, &heard).await;
    assert!(got.failed && got.text.contains("stopped by the user"), "{}", got.text);
    assert_eq!(got.exit.unwrap().signal, Some(9));
    assert!(began.elapsed() < Duration::from_secs(20));
    let pids = place.pids("pids");
    assert_eq!(pids.len(), 3);
    for pid in pids {
        assert!(!lives(pid), "{pid} lives");
    }
}

#[tokio::test]
async fn a_command_that_ends_when_asked_is_not_waited_for_longer() {
    let cancel = CancellationToken::new();
    let heard = Heard { at: Some(("ready", cancel)), ..Heard::default() };
    let got = place().run("echo ready; exec sleep 300", None, &heard).await;
    let exit = got.exit.unwrap();
    assert_eq!(exit.signal, Some(15));
    assert!(exit.took < Millis(2_000), "{exit:?}");
}

#[tokio::test]
async fn an_orphan_that_holds_the_pipe_does_not_hang_the_call_and_is_stopped() {
    let place = place();
    let got = place.run("sleep 300 & echo $! > pids; echo done", None, &Heard::default()).await;
    assert!(!got.failed && got.text.contains("done") && got.text.contains("left running"), "{}", got.text);
    assert!(got.exit.unwrap().took < Millis(10_000));
    assert!(place.pids("pids").into_iter().all(|p| !lives(p)));
}

#[tokio::test]
async fn an_orphan_that_writes_for_ever_does_not_hang_the_call() {
    let got = place().run("yes & exit 3", None, &Heard::default()).await;
    assert_eq!(got.exit.unwrap().code, Some(3));
}

#[tokio::test]
async fn a_dropped_call_kills_what_it_started() {
    let place = place();
    let heard = Heard { at: Some(("ready", CancellationToken::new())), ..Heard::default() };
    let seen = heard.at.as_ref().unwrap().1.clone();
    let args = line("trap '' TERM; sleep 300 & echo $! > pids; echo ready; wait", "", None).unwrap();
    let never = CancellationToken::new();
    tokio::select! {
        _ = run(place.ground(), &args, &heard, &never) => unreachable!("it waits"),
        () = seen.cancelled() => {}
    }
    for pid in place.pids("pids") {
        let gone = async {
            while lives(pid) {
                tokio::time::sleep(POLL).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(10), gone).await.unwrap();
    }
}

#[tokio::test]
async fn huge_output_is_capped_for_the_model_and_for_the_store() {
    let got = place().run("yes 0123456789 | head -c 40000000", None, &Heard::default()).await;
    assert!(!got.failed);
    assert!(
        got.text.len() < 70 * 1024
            && got.text.contains("bytes left out")
            && got.text.contains("40000000 bytes in all")
    );
    // A line that was cut in two is not kept.
    let kept = got.output.unwrap().bytes().len();
    assert!(kept <= 16 * 1024 * 1024 && kept > 16 * 1024 * 1024 - 100, "{kept}");
}

#[tokio::test]
async fn all_output_of_a_command_that_ends_at_once_is_there() {
    let got = place().run("head -c 60000 /dev/zero | tr '\\0' x", None, &Heard::default()).await;
    assert_eq!(got.output.unwrap().bytes().len(), 60_000);
}

#[tokio::test]
async fn the_environment_is_the_allow_list() {
    let got = place().run("env", None, &Heard::default()).await;
    assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some(), "the test has something that must not pass");
    let names: Vec<&str> = got.text.lines().filter_map(|l| l.split_once('=')).map(|(n, _)| n).collect();
    assert!(
        names.contains(&"PATH")
            && got.text.contains("GIT_PAGER=cat")
            && got.text.contains("GIT_TERMINAL_PROMPT=0")
    );
    assert!(!names.iter().any(|n| n.starts_with("CARGO_PKG") || *n == "CARGO_MANIFEST_DIR"), "{names:?}");
    assert!(
        !names.iter().any(|n| n.contains("KEY") || n.contains("TOKEN") || n.contains("SECRET")),
        "{names:?}"
    );
    let got = place().run("git --version && env", None, &Heard::default()).await;
    assert!(got.text.contains("GIT_CONFIG_KEY_0=safe.bareRepository"), "{}", got.text);
}

#[tokio::test]
async fn there_is_no_terminal_and_no_input() {
    let got = place()
        .run("cat; (: > /dev/tty) 2>/dev/null && echo tty; test -t 1 || echo none", None, &Heard::default())
        .await;
    assert!(got.text.contains("stdout:\nnone"), "{}", got.text);
}

#[tokio::test]
async fn escape_sequences_reach_neither_the_screen_nor_the_model() {
    let heard = Heard::default();
    let got = place().run("printf '\\033[31mred\\033]0;t\\007\\033[0m\\n'", None, &heard).await;
    assert!(got.text.ends_with("stdout:\nred"), "{:?}", got.text);
    assert_eq!(heard.text(DeltaKind::Stdout), "red\n");
    assert!(!got.output.unwrap().bytes().contains(&0x1b));
}

#[tokio::test]
async fn a_line_is_run_as_it_stands_also_when_it_looks_like_an_option() {
    let got = place().run("-x echo hi", None, &Heard::default()).await;
    assert_eq!(got.exit.unwrap().code, Some(127), "{}", got.text);
}

#[tokio::test]
async fn what_cannot_be_run_is_refused_with_the_limit() {
    let place = place();
    for (command, limit, says) in [
        ("  ", None, "empty"),
        ("true", Some(0), "1 to 1800"),
        ("true", Some(1_801), "1 to 1800"),
        ("a\0b", None, "NUL"),
    ] {
        let got = place.run(command, limit, &Heard::default()).await;
        assert!(got.failed && got.exit.is_none() && got.text.contains(says), "{}", got.text);
    }
}

#[tokio::test]
async fn secrets_of_the_output_are_nowhere_in_it_also_when_they_come_in_pieces_or_in_colour() {
    let heard = Heard::default();
    let line = r"printf 'a ghp_9aB8cD7e'; sleep 0.05; printf 'F6gH5iJ4kL3mN2oP1qR0sT b\n'; printf 'two wo' >&2; sleep 0.05; printf 'rds\n' >&2; printf 'c ghp_\033[31m9aB8cD7eF6gH5iJ4kL3mN2oP1qR0sT\033[0m'";
    let got = place().run(line, None, &heard).await;
    let output = got.output.as_ref().unwrap().bytes();
    for text in [got.text.as_str(), &heard.text(DeltaKind::Stdout), &String::from_utf8_lossy(output)] {
        assert!(
            !text.contains("9aB8") && !text.contains("1qR0") && text.contains("[secret: token]"),
            "{text}"
        );
    }
    assert!(got.text.contains("a [secret: token] b\nc [secret: token]"), "{}", got.text);
    assert!(!heard.text(DeltaKind::Stderr).contains("two"), "{}", got.text);
    assert!(got.text.contains("[secret: in use]"), "{}", got.text);
}

#[tokio::test]
async fn git_asks_no_editor_and_says_so_at_once() {
    let line = "git init -q . && git -c user.name=a -c user.email=a@b commit --allow-empty";
    let got = place().run(line, None, &Heard::default()).await;
    assert!(got.text.contains("no terminal here to edit in") && !got.text.contains("exit 0"), "{}", got.text);
}
