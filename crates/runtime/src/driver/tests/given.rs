//! What commands get of the project's variables while those change.

use std::os::unix::fs::PermissionsExt;

use pilothouse_core::{
    checkpoint::{Answer, Checkpoint},
    tool::Advice,
    trust::{Trust, TrustRequest},
};

use super::*;
use crate::trust::Folder;

fn is_trust(c: &Checkpoint) -> bool {
    matches!(c.kind, CheckpointKind::Trust(_))
}

/// Says yes to the question of this kind, once it can be answered.
pub(super) async fn approve(s: &mut Screen, is: impl Fn(&Checkpoint) -> bool) {
    s.until("the question", |s| s.state().open.values().any(&is)).await;
    let asked = s.state().open.values().find(|c| is(c)).cloned().unwrap();
    let (checkpoint, shown) = (asked.id, asked.kind.shown());
    s.send(Input::Answer { checkpoint, answer: Answer::Approve, shown }).await;
}

/// What a line prints; a question about it is answered with yes.
pub(super) async fn printed(s: &mut Screen, line: &str) -> String {
    let before = s.count("call_ended");
    s.say(&format!("!{line}")).await;
    let looked_at = |c: &Checkpoint| matches!(&c.kind, CheckpointKind::Risk(asked) if asked.meant.is_some());
    let asks = |s: &Screen| s.state().open.values().any(looked_at);
    s.until("the command", |s| s.count("call_ended") > before || asks(s)).await;
    if asks(s) {
        approve(s, looked_at).await;
        s.until("its end", |s| s.count("call_ended") > before).await;
    }
    let ended = |e: &Stamped| {
        let Event::CallEnded { result, notes, .. } = &e.event else { return None };
        result.whole().map(|text| Advice::below(notes, text))
    };
    s.events.iter().rev().find_map(ended).unwrap()
}

const SHOW: &str = "echo it=$A.";

#[tokio::test]
async fn a_folder_that_is_trusted_for_the_run_gives_what_its_file_holds_now() {
    let rig = Rig::new(&json!([]));
    fs::write(rig.work().join(".env"), "A=one\n").unwrap();
    let mut s = Screen::open(Setup { trust: Trust::Once, ..rig.setup(Which::New) }, 1024).await;
    assert!(printed(&mut s, SHOW).await.contains("it=one."));
    printed(&mut s, "echo A=two > .env").await;
    assert!(printed(&mut s, SHOW).await.contains("it=two."), "a command changed it");
    fs::write(rig.work().join(".env"), "A=three\n").unwrap();
    assert!(printed(&mut s, SHOW).await.contains("it=three."), "an editor changed it");
    fs::remove_file(rig.work().join(".env")).unwrap();
    assert!(printed(&mut s, SHOW).await.contains("it=."), "it is gone");
    s.quit().await;
}

#[tokio::test]
async fn what_was_trusted_and_changed_is_given_once_it_is_trusted_again() {
    let rig = Rig::new(&json!([]));
    fs::write(rig.work().join(".env"), "A=one\n").unwrap();
    let mut folder = Folder::at(&rig.home(), &rig.work().canonicalize().unwrap());
    let of = folder.look().standing.of;
    assert_eq!(folder.carry_out(TrustRequest::Keep(of)).unwrap().standing.trust, Trust::Kept);
    let mut s = Screen::open(Setup { asks: true, ..rig.setup(Which::New) }, 1024).await;
    assert!(printed(&mut s, SHOW).await.contains("it=one."));
    printed(&mut s, "echo A=two > .env").await;
    s.until("the question", |s| s.state().open.values().any(is_trust)).await;
    assert!(printed(&mut s, SHOW).await.contains("it=."), "nobody has trusted it yet");
    approve(&mut s, is_trust).await;
    s.until("trust", |s| s.state().trust == Trust::Kept).await;
    assert!(printed(&mut s, SHOW).await.contains("it=two."));
    s.quit().await;
}

#[tokio::test]
async fn what_installs_packages_gets_none_of_it() {
    let rig = Rig::new(&json!([]));
    fs::write(rig.work().join(".env"), "A=one\n").unwrap();
    let mut s = Screen::open(Setup { trust: Trust::Once, ..rig.setup(Which::New) }, 1024).await;
    let installs = "pip install ./nothing-here > out.txt 2>&1; echo it=$A.";
    assert!(printed(&mut s, installs).await.contains("it=."));
    assert!(printed(&mut s, SHOW).await.contains("it=one."));
    s.quit().await;
}

/// Said of a command that got none of it.
const NONE_YET: &str = "without the variables of .env: not trusted yet";

#[tokio::test]
async fn variables_that_are_new_in_the_session_are_asked_about_and_given_after_a_yes() {
    let rig = Rig::new(&json!([]));
    let mut s = Screen::open(Setup { asks: true, ..rig.setup(Which::New) }, 1024).await;
    let told = printed(&mut s, SHOW).await;
    assert!(told.contains("it=.") && !told.contains(NONE_YET), "{told}");
    fs::write(rig.work().join(".env"), "A=one\n").unwrap();
    let told = printed(&mut s, SHOW).await;
    assert!(told.contains("it=.") && told.contains(NONE_YET), "{told}");
    // What was shown is not what is there any more.
    fs::write(rig.work().join(".env"), "A=two\n").unwrap();
    let first = s.state().open.values().find(|c| is_trust(c)).unwrap().id;
    approve(&mut s, is_trust).await;
    s.until("another question", |s| s.state().open.values().any(|c| is_trust(c) && c.id != first)).await;
    assert_eq!(s.state().trust, Trust::None);
    approve(&mut s, is_trust).await;
    s.until("trust", |s| s.state().trust == Trust::Kept).await;
    let told = printed(&mut s, SHOW).await;
    assert!(told.contains("it=two.") && !told.contains(NONE_YET), "{told}");
    s.quit().await;
}

#[tokio::test]
async fn what_a_hook_changed_is_what_the_next_command_gets() {
    let plan =
        json!({"title": "Show", "tasks": [{"title": "Show it", "kind": "modify", "files": ["src/a.txt"]}]});
    let rig = Rig::new(&json!([
        {"text": "a plan", "calls": [{"name": "submit_plan", "args": plan}]},
        {"text": "", "calls": [{"name": "run", "args": {"command": SHOW}}]},
        {"text": "nothing is to be changed: it is shown"},
        {"text": "spare"}
    ]));
    fs::write(rig.work().join(".env"), "A=one\n").unwrap();
    fs::create_dir_all(&rig.home().config).unwrap();
    let hook =
        "[hooks.on_node_transition]\nto = \"act\"\nrun = \"echo A=two > .env\"\nblock_if_fails = true\n";
    fs::write(rig.home().config.join("hooks.toml"), hook).unwrap();
    let mut s = Screen::open(Setup { trust: Trust::Once, ..rig.setup(Which::New) }, 1024).await;
    s.say("change two to 2 in src/a.txt").await;
    approve(&mut s, |c| c.kind.is_confirmation()).await;
    let shown = |s: &Screen| {
        let of = |e: &Stamped| {
            if let Event::CallEnded { result, .. } = &e.event {
                result.whole().map(str::to_owned)
            } else {
                None
            }
        };
        s.events.iter().filter_map(of).find(|text| text.contains("it="))
    };
    let looked_at = |c: &Checkpoint| matches!(&c.kind, CheckpointKind::Risk(asked) if asked.meant.is_some());
    s.until("the command", |s| shown(s).is_some() || s.state().open.values().any(looked_at)).await;
    if shown(&s).is_none() {
        approve(&mut s, looked_at).await;
        s.until("its end", |s| shown(s).is_some()).await;
    }
    assert!(s.count("hook_ended") > 0);
    assert!(shown(&s).unwrap().contains("it=two."), "{:?}", shown(&s));
    s.quit().await;
}

/// A folder that brings variables and whose Makefile has a test, on a machine that has `make`.
fn with_a_check(rig: &Rig) -> Setup {
    fs::write(rig.work().join(".env"), "A=one\n").unwrap();
    fs::write(rig.work().join("Makefile"), "test:\n\techo it\n").unwrap();
    let bin = rig.path().join("bin");
    fs::create_dir_all(&bin).unwrap();
    fs::write(bin.join("make"), "#!/bin/sh\n").unwrap();
    fs::set_permissions(bin.join("make"), fs::Permissions::from_mode(0o755)).unwrap();
    let model = format!("script:{}", rig.path().join("script.json").display());
    let environment = [("PILOTHOUSE_MODEL", model), ("PATH", bin.display().to_string())];
    Setup { asks: true, environment: environment.into_iter().collect(), ..rig.setup(Which::New) }
}

fn names_the_check(c: &Checkpoint) -> bool {
    matches!(&c.kind, CheckpointKind::Trust(asked) if asked.gates == ["make test"])
}

#[tokio::test]
async fn a_later_session_knows_the_checks_that_were_named_when_the_folder_was_trusted() {
    let rig = Rig::new(&json!([]));
    let rules = |s: &Screen| s.state().granted.iter().map(ToString::to_string).collect::<Vec<_>>();
    let mut s = Screen::open(with_a_check(&rig), 1024).await;
    s.say("/trust").await;
    approve(&mut s, names_the_check).await;
    s.until("trust", |s| s.state().trust == Trust::Kept).await;
    assert_eq!(rules(&s), ["allow command make test"]);
    s.quit().await;
    let s = Screen::open(with_a_check(&rig), 1024).await;
    assert_eq!((s.state().trust, rules(&s)), (Trust::Kept, vec!["allow command make test".to_owned()]));
    s.quit().await;
}

#[tokio::test]
async fn the_question_at_opening_names_the_checks_that_were_found() {
    let rig = Rig::new(&json!([]));
    let mut s = Screen::open(with_a_check(&rig), 1024).await;
    let asked = s.state().open.values().find(|c| is_trust(c)).unwrap();
    assert!(names_the_check(asked), "{asked:?}");
    approve(&mut s, is_trust).await;
    s.until("trust", |s| s.state().trust == Trust::Kept).await;
    assert_eq!(s.state().shown_checks(), ["make test"]);
    s.quit().await;
}
