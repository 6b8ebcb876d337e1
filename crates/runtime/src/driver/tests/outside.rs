//! What others do to the folder while a session is open.

use std::process::Command;

use super::*;

fn git(folder: &std::path::Path, args: &[&str]) {
    let own = ["-c", "user.name=x", "-c", "user.email=x@y"];
    assert!(Command::new("git").args(own).args(args).current_dir(folder).status().unwrap().success());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_commit_of_others_is_seen_when_the_user_looks_again_and_a_change_at_the_next_message() {
    let rig = Rig::new(&json!([{"text": "In src/a.txt."}]));
    git(&rig.work(), &["init", "-q", "-b", "main"]);
    let mut s = rig.open(Which::New).await;
    s.until("git's answer", |s| s.around.dirty > 0).await;
    git(&rig.work(), &["add", "."]);
    git(&rig.work(), &["commit", "-qm", "first"]);
    s.requests.send(Request::Focused).await.unwrap();
    s.until("nothing that differs", |s| s.around.dirty == 0).await;
    fs::write(rig.work().join("src/b.txt"), "new\n").unwrap();
    s.say("what is in src/a.txt?").await;
    s.until("the new file", |s| s.around.dirty == 1).await;
    s.quit().await;
}
