//! What is forbidden, allowed or taken back in another window while a session is open.

use std::path::Path;

use pilothouse_core::trust::{Trust, TrustRequest};

use super::{
    given::{approve, printed},
    *,
};
use crate::trust::Folder;

const DENY: &str = "[[deny]]\ncommand = \"echo two\"\n";

fn put(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn user_rules(rig: &Rig) -> PathBuf {
    rig.home().config.join("permissions.toml")
}

fn told(s: &Screen, part: &str) -> usize {
    s.refused.iter().filter(|text| text.contains(part)).count()
}

/// Whether a line of the user ran.
async fn runs(s: &mut Screen, line: &str) -> bool {
    let before = s.count("command_exited");
    printed(s, line).await;
    s.count("command_exited") > before
}

#[tokio::test]
async fn what_the_user_forbids_elsewhere_is_refused_at_once_and_runs_again_once_it_is_not() {
    let rig = Rig::new(&json!([]));
    let mut s = rig.open(Which::New).await;
    assert!(runs(&mut s, "echo two").await);
    put(&user_rules(&rig), DENY);
    assert!(!runs(&mut s, "echo two").await);
    assert!(runs(&mut s, "echo three").await);
    assert_eq!(told(&s, "permissions.toml changed: deny command echo two from now on"), 1);
    put(&user_rules(&rig), "# nothing is denied here any more\n");
    assert!(runs(&mut s, "echo two").await);
    assert_eq!(told(&s, "permissions.toml changed: deny command echo two removed"), 1);
    s.quit().await;
}

#[tokio::test]
async fn rules_that_cannot_be_read_leave_those_of_before_and_say_so() {
    let rig = Rig::new(&json!([]));
    let of_project = rig.work().join(".pilothouse/permissions.toml");
    for file in [user_rules(&rig), of_project] {
        put(&file, DENY);
        let mut s = rig.open(Which::New).await;
        assert!(!runs(&mut s, "echo two").await);
        put(&file, "[[deny]\n");
        assert!(!runs(&mut s, "echo two").await, "{}", file.display());
        assert!(runs(&mut s, "echo three").await);
        assert_eq!(told(&s, "the previous rules stay in force"), 1, "{:?}", s.refused);
        s.quit().await;
        fs::remove_file(&file).unwrap();
    }
}

#[tokio::test]
async fn what_is_forbidden_while_a_command_runs_holds_for_the_next_one_of_the_same_answer() {
    let command = |line: &str| json!({"name": "run", "args": {"command": line}});
    let rig = Rig::new(&json!([
        {"text": "", "calls": [command("cat gate")]},
        {"text": "", "calls": [command("echo two")]},
        {"text": "done"},
        {"text": "spare"}
    ]));
    let gate = rig.work().join("gate");
    assert!(std::process::Command::new("mkfifo").arg(&gate).status().unwrap().success());
    let mut s = rig.open(Which::New).await;
    s.say("run cat gate").await;
    approve(&mut s, |c| matches!(&c.kind, CheckpointKind::Risk(asked) if asked.meant.is_some())).await;
    s.has("command_started").await;
    put(&user_rules(&rig), DENY);
    // It waits for this, and ends then.
    tokio::task::spawn_blocking(move || fs::write(gate, "go\n").unwrap()).await.unwrap();
    s.has("call_ended").await;
    s.until("the second command", |s| s.count("call_ended") == 2 || !s.state().open.is_empty()).await;
    let refused = |e: &Stamped| matches!(&e.event, Event::CallEnded { status: CallStatus::Refused, .. });
    assert!(s.state().open.is_empty() && s.events.iter().any(refused), "{:?}", s.refused);
    s.quit().await;
}

#[tokio::test]
async fn the_hooks_of_a_folder_whose_trust_is_taken_back_elsewhere_run_no_more() {
    let rig = Rig::new(&json!([]));
    put(&rig.work().join(".pilothouse/hooks.toml"), "[hooks.on_turn]\nrun = \"echo x >> hooked\"\n");
    let mut folder = Folder::at(&rig.home(), &rig.work().canonicalize().unwrap());
    let of = folder.look().standing.of;
    folder.carry_out(TrustRequest::Keep(of)).unwrap();
    let mut s = Screen::open(Setup { asks: true, ..rig.setup(Which::New) }, 1024).await;
    runs(&mut s, "echo one").await;
    s.has("hook_ended").await;
    folder.carry_out(TrustRequest::Revoke).unwrap();
    runs(&mut s, "echo one").await;
    s.idle().await;
    assert_eq!((s.count("hook_started"), s.state().trust), (1, Trust::None));
    let taken = |e: &Stamped| matches!(&e.event, Event::Notice { text, .. } if text.contains("was revoked"));
    assert!(s.events.iter().any(taken) && s.state().open.is_empty());
    // Trusted again, it is so in the open session as well.
    folder.carry_out(TrustRequest::Keep(of)).unwrap();
    runs(&mut s, "echo one").await;
    s.until("trust", |s| s.state().trust == Trust::Kept).await;
    s.quit().await;
}
