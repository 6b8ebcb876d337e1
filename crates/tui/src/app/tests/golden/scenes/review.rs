//! States of changes under review and of what was written.

use super::*;

pub(super) fn review(width: u16, height: u16, keys: &str) -> Desk {
    reviewing(Bench::of(width, height, ["src/a.rs", "src/b.rs"]), keys)
}

pub(super) fn control(width: u16, height: u16, keys: &str) -> Desk {
    assert_eq!(CONTROL_WORD, "control");
    reviewing(Bench::of(width, height, ["AGENTS.md", "src/b.rs"]), keys)
}

/// Presses the keys one after the other, with what each asked for done.
pub(super) fn reviewing(mut bench: Bench, keys: &str) -> Desk {
    match keys.split_once('>') {
        Some((leader, rest)) => {
            let (first, others) = rest.split_at(1);
            bench.press(&format!("{leader}>{first}"));
            others.chars().for_each(|key| bench.press(&key.to_string()));
        }
        None => bench.press(keys),
    }
    bench.desk
}

/// What was written stands in the list.
pub(super) fn wrote(width: u16, height: u16, keys: &str) -> Desk {
    let mut bench = Bench::of(width, height, ["src/a.rs", "src/b.rs"]);
    bench.press("<ctrl-x>d");
    bench.press("y");
    bench.press("a");
    bench.press("<esc>");
    bench.desk.app.composer.draft.set(Saved::plain("/changes"));
    bench.press("<enter>");
    for key in keys.chars() {
        bench.press(&if key == '\n' { "<enter>".to_owned() } else { key.to_string() });
    }
    bench.desk
}

/// Lines of a hunk are chosen.
pub(super) fn lines(width: u16, height: u16) -> Desk {
    let before =
        "fn check(user: &User) {\n    let ok = verify(user);\n    audit(user);\n    done();\n    ok\n}\n";
    let after = "fn check(user: &User) {\n    let key = key_of(user);\n    limit(&key);\n    audit(user, &key);\n    ok\n}\n";
    let desk = Desk::new(width, height).with_plan();
    reviewing(Bench::with(desk, ["src/a.rs", "src/b.rs"], [before, after]), "<ctrl-x>dvjvj")
}

/// The messages of the session, of which the first wrote two files.
pub(super) fn turns(width: u16, height: u16, keys: &str) -> Desk {
    let mut desk = wrote_all(width, height);
    say(&mut desk, "where is the limit kept?");
    // The step that was stopped answers nothing any more.
    desk.thinking.drain(..desk.thinking.len() - 1);
    desk.reply("In `src/a.rs`, beside the other settings.", &[]);
    pressed(desk, &format!("<ctrl-x>hj{keys}"))
}

/// A commit of what was written is shown.
pub(super) fn committing(width: u16, height: u16, keys: &str) -> Desk {
    let mut desk = wrote_all(width, height);
    say(&mut desk, "/commit");
    let pending = desk.session.pending();
    let Some(Work::LookCommit { commit, files }) = pending.values().next() else { panic!("{pending:?}") };
    let file = |file: &SoughtFile| CommitFile {
        path: file.path.clone(),
        kind: ChangeKind::Modify,
        content: file.states.last().copied().flatten(),
        untracked: false,
        mixed: file.path.as_str().ends_with("b.rs"),
    };
    let tree = CommitTree {
        on: "main".to_owned(),
        files: files.iter().map(file).collect(),
        others: 2,
        staged: 1,
        notes: vec!["The repository's hooks are not run (pre-commit); `!git commit` runs them.".to_owned()],
        ..CommitTree::default()
    };
    desk.give(Input::CommitLooked { commit: *commit, result: Ok(tree) });
    pressed(desk, keys)
}

/// A run that wrote both files has ended.
pub(super) fn wrote_all(width: u16, height: u16) -> Desk {
    let mut bench = Bench::of(width, height, ["src/a.rs", "src/b.rs"]);
    bench.press("<ctrl-x>d");
    for key in ["y", "y", "a", "y", "y", "a"] {
        bench.press(key);
    }
    bench.press("<esc>");
    bench.press("<ctrl-c>");
    bench.desk
}

pub(super) fn removal(width: u16, height: u16, keys: &str) -> Desk {
    let mut desk = executing(width, height);
    desk.reply("", &[("delete", r#"{"path":"notes/old.txt"}"#)]);
    let call = desk.tools.remove(0);
    let before = Blob::new(b"remember the milk\n".to_vec());
    let draft = ProposalDraft {
        notes: Vec::new(),
        path: RelPath::new("notes/old.txt").unwrap(),
        kind: ChangeKind::Delete,
        hunks: diff::hunks(before.bytes(), b""),
        before: Some(before.clone()),
        after: None,
    };
    let outcome = ToolOutcome { proposals: vec![draft], ..ToolOutcome::text("proposed", "1 hunk") };
    desk.give(Input::ToolEnded { call, outcome });
    desk.reply("Done.", &[]);
    let (head, last) = keys.split_at("<ctrl-x>d".len());
    desk.wait(1_000).press(head).deliver();
    let reply = Reply::Blob(before.id(), Some(before.bytes().to_vec()));
    desk.app.update(Update::Answered(0, reply), desk.now);
    desk.draw();
    desk.wait(1_000).press(last);
    desk
}
