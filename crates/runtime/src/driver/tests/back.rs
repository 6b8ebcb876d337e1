//! What a command changed, taken back hunk by hunk: a real command, real files.

use std::os::unix::fs::PermissionsExt;

use pilothouse_core::{checkpoint::Answer, ids::ProposalId, proposal::Proposal, relpath::RelPath};

use super::*;

/// Ten lines of which a command changes the first and the last.
const LINES: &str = "one\n2\n3\n4\n5\n6\n7\n8\n9\nten\n";
const CHANGED: &str = "ONE\n2\n3\n4\n5\n6\n7\n8\n9\nTEN\n";
const LINE: &str = "sed -i 's/^one$/ONE/; s/^ten$/TEN/' src/a.txt";

/// A session in which this line ran in a workspace with these lines.
async fn ran(rig: &Rig, line: &str) -> Screen {
    fs::write(rig.work().join("src/a.txt"), LINES).unwrap();
    let mut s = rig.open(Which::New).await;
    run(&mut s, line).await;
    s
}

async fn run(s: &mut Screen, line: &str) {
    let before = s.count("command_wrote");
    s.say(&format!("!{line}")).await;
    let asks = |s: &Screen| {
        s.state()
            .open
            .values()
            .find(|c| matches!(&c.kind, CheckpointKind::Risk(r) if r.meant.is_some()))
            .cloned()
    };
    s.until("the command", |s| s.count("command_wrote") > before || asks(s).is_some()).await;
    if let Some(asked) = asks(s) {
        let (checkpoint, shown) = (asked.id, asked.kind.shown());
        let word = s.state().spec(&asked).wants_word().map(|w| Answer::Word(w.to_owned()));
        let answer = word.unwrap_or(Answer::Approve);
        s.send(Input::Answer { checkpoint, answer, shown }).await;
        s.until("what it wrote", |s| s.count("command_wrote") > before).await;
    }
    s.idle().await;
}

/// Wants a file back, and waits for what is proposed.
async fn wants(s: &mut Screen, path: &str) -> Proposal {
    let path = RelPath::new(path).unwrap();
    s.say(&format!("/undo {path}")).await;
    s.until("a proposal", |s| s.state().open_proposals().any(|p| p.path == path)).await;
    s.state().open_proposals().find(|p| p.path == path).cloned().unwrap()
}

/// Wants a file back of which nothing can be proposed; tells why.
async fn refused(s: &mut Screen, path: &str) -> String {
    let before = s.count("take_back_unmade");
    s.say(&format!("/undo {path}")).await;
    s.until("an end", |s| s.count("take_back_unmade") > before).await;
    let told =
        |e: &Stamped| if let Event::Notice { text, .. } = &e.event { Some(text.clone()) } else { None };
    s.until("why", |s| s.events.last().is_some_and(|e| told(e).is_some())).await;
    s.events.iter().rev().find_map(told).unwrap()
}

async fn approve(s: &mut Screen, id: ProposalId, word: Option<&str>) {
    let shown = s.state().proposals()[&id].shown();
    let before = s.count("applied");
    s.send(Input::Apply { proposals: vec![(id, shown)], word: word.map(str::to_owned), rest: false }).await;
    s.until("a write", |s| s.count("applied") > before && !s.state().busy()).await;
}

async fn undo(s: &mut Screen) {
    let before = s.count("reverted");
    s.send(Input::Undo).await;
    s.until("an undo", |s| s.count("reverted") > before).await;
}

#[tokio::test]
async fn one_of_two_places_goes_back_the_other_stays_and_undo_gives_both_again() {
    let rig = Rig::new(&json!([]));
    let mut s = ran(&rig, LINE).await;
    assert_eq!(rig.text(), CHANGED);
    let p = wants(&mut s, "src/a.txt").await;
    assert_eq!((p.hunks.len(), rig.text().as_str()), (2, CHANGED), "nothing is written yet");
    for (hunk, decision) in [Decision::Taken, Decision::Left].into_iter().enumerate() {
        let decision = Some(decision);
        s.send(Input::Decide { proposal: p.id, hunk, decision, shown: p.shown() }).await;
    }
    approve(&mut s, p.id, None).await;
    assert_eq!(rig.text(), CHANGED.replace("ONE", "one"));
    undo(&mut s).await;
    assert_eq!(rig.text(), CHANGED);
    undo(&mut s).await;
    assert_eq!(rig.text(), LINES, "and the command goes back as a whole");
    s.quit().await;
}

#[tokio::test]
async fn what_others_changed_since_stays_and_what_is_left_goes_back_by_name() {
    let rig = Rig::new(&json!([]));
    let mut s = ran(&rig, LINE).await;
    fs::write(rig.work().join("src/a.txt"), CHANGED.replace("5\n", "five\nmine\n")).unwrap();
    let p = wants(&mut s, "src/a.txt").await;
    s.send(Input::Decide { proposal: p.id, hunk: 0, decision: Some(Decision::Taken), shown: p.shown() })
        .await;
    s.send(Input::Decide { proposal: p.id, hunk: 1, decision: Some(Decision::Left), shown: p.shown() }).await;
    approve(&mut s, p.id, None).await;
    let mine = CHANGED.replace("5\n", "five\nmine\n").replace("ONE", "one");
    assert_eq!(rig.text(), mine);
    // Of both writes together only what is left of them.
    let p = wants(&mut s, "src/a.txt").await;
    assert_eq!(p.hunks.len(), 1);
    approve(&mut s, p.id, None).await;
    assert_eq!(rig.text(), mine.replace("TEN", "ten"));
    assert!(refused(&mut s, "src/a.txt").await.contains("none of what was written"));
    s.quit().await;
}

#[tokio::test]
async fn a_file_that_a_command_made_goes_by_its_word_and_one_that_it_removed_comes_back_as_it_was() {
    let rig = Rig::new(&json!([]));
    let tool = rig.work().join("src/tool.sh");
    fs::write(&tool, "#!/bin/sh\n").unwrap();
    fs::set_permissions(&tool, PermissionsExt::from_mode(0o750)).unwrap();
    let mut s = ran(&rig, "echo new > src/new.txt; rm src/tool.sh").await;
    let p = wants(&mut s, "src/new.txt").await;
    assert_eq!((p.hunks.len(), p.word()), (1, Some("new.txt")));
    approve(&mut s, p.id, Some("delete")).await;
    assert!(!rig.work().join("src/new.txt").exists());
    let p = wants(&mut s, "src/tool.sh").await;
    assert_eq!((p.hunks.len(), p.word()), (1, None));
    approve(&mut s, p.id, None).await;
    assert_eq!(fs::read_to_string(&tool).unwrap(), "#!/bin/sh\n");
    assert_eq!(fs::metadata(&tool).unwrap().permissions().mode() & 0o7777, 0o750);
    undo(&mut s).await;
    assert!(!tool.exists());
    undo(&mut s).await;
    assert_eq!(fs::read_to_string(rig.work().join("src/new.txt")).unwrap(), "new\n");
    s.quit().await;
}

#[tokio::test]
async fn what_has_no_lines_goes_back_only_with_its_whole_write() {
    let rig = Rig::new(&json!([]));
    let line = "printf 'a\\0b' > src/bytes; ln -s a.txt src/link; head -c 600000 /dev/zero | tr '\\0' x > src/large.txt";
    let mut s = ran(&rig, line).await;
    for (path, why) in
        [("src/bytes", "is not text"), ("src/link", "is a link"), ("src/large.txt", "is too large")]
    {
        let told = refused(&mut s, path).await;
        assert!(told.contains(why) && told.contains("only /undo takes it back"), "{told}");
    }
    assert!(s.state().open.is_empty());
    s.quit().await;
}
