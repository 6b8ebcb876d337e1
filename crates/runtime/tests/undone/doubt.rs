//! What changed while a command ran and may be somebody else's: named, and left alone where it is to be kept.

use super::*;

/// A repository in which somebody saves `b.txt` while a line runs; what the line is told of that.
async fn meanwhile(line: &str) -> (Desk, Option<Wrote>) {
    let mut desk = Desk::new(ROOM);
    for name in ["a.txt", "b.txt", "src/c.txt"] {
        desk.write(name, "zero\n");
    }
    desk.write("list", "a.txt\n");
    desk.write("here", ".\n");
    desk.write("fix.sh", "sed -i s/one/two/ a.txt\n");
    bash(&desk.at(), "git init -qb main && git add -A && git commit -qm zero");
    for name in ["a.txt", "src/c.txt"] {
        desk.write(name, "one\n");
    }
    bash(&desk.at(), "git commit -qam one");
    until_settled(&desk.at());
    desk.calls += 1;
    desk.snapshots.before(CallId(1), (line, ""), "").await.unwrap();
    desk.write("b.txt", "theirs\n");
    bash(&desk.at(), line);
    let wrote = desk.snapshots.after(CallId(1), &Spared::default(), Arc::new(desk.blobs())).await;
    (desk, wrote)
}

#[tokio::test]
async fn what_somebody_else_saved_while_a_command_ran_is_named_and_can_be_kept() {
    for (line, named, all) in [
        // The line names what it writes: only the rest is in doubt.
        ("sed -i s/one/two/ a.txt", vec!["b.txt"], false),
        ("echo two > a.txt; mkdir made && touch made/d.txt", vec!["b.txt"], false),
        ("cd src && sed -i s/one/two/ c.txt", vec!["b.txt"], false),
        ("rm -rf src", vec!["b.txt"], false),
        ("mv src source", vec!["b.txt"], false),
        ("sed -i s/one/two/ a.txt b.txt", vec![], false),
        // A folder that is named names no file in it whose content changed.
        ("cp a.txt src/c.txt; cp fix.sh src", vec!["b.txt"], false),
        // Nobody knows what a program writes.
        ("bash fix.sh", vec!["a.txt", "b.txt"], true),
        ("cd $(cat here); sed -i s/one/two/ a.txt", vec!["a.txt", "b.txt"], true),
        ("xargs sed -i s/one/two/ < list", vec!["a.txt", "b.txt"], true),
        // Git takes from older objects; what it makes objects of was there before it.
        ("git checkout -q HEAD~1 -- a.txt", vec!["b.txt"], false),
        ("git stash -q", vec![], false),
        ("git commit -qam mine", vec!["b.txt"], false),
    ] {
        let (desk, wrote) = meanwhile(line).await;
        let wrote = wrote.unwrap();
        let stashed = line.contains("stash");
        assert_eq!(wrote.doubt.names, named, "{line}");
        assert_eq!((wrote.doubt.count, wrote.doubt.all), (named.len(), all), "{line}");
        let tools_root = Root::open(&desk.at()).unwrap();
        let blobs = desk.blobs();
        let tools = Tools { disk: &RealDisk, root: &tools_root, blobs: &blobs };
        let record = tools.record(wrote.record.unwrap()).unwrap().kept(true);
        tools.revert(&record, false).unwrap_or_else(|e| panic!("{line}: {}", e.message));
        if !all {
            assert_eq!(fs::read_to_string(desk.at().join("a.txt")).unwrap(), "one\n", "{line}");
            assert_eq!(fs::read_to_string(desk.at().join("src/c.txt")).unwrap(), "one\n", "{line}");
        }
        if named.contains(&"b.txt") && !stashed {
            assert_eq!(fs::read_to_string(desk.at().join("b.txt")).unwrap(), "theirs\n", "{line}");
        }
    }
}

#[tokio::test]
async fn what_another_git_did_beside_a_command_is_in_doubt() {
    let (desk, wrote) = meanwhile("sed -i s/one/two/ a.txt # && git commit -qm x").await;
    assert_eq!(wrote.unwrap().doubt.names, ["b.txt"], "a comment runs no git");
    desk.snapshots.before(CallId(2), ("true", ""), "").await.unwrap();
    bash(&desk.at(), "git branch theirs");
    let wrote = desk.snapshots.after(CallId(2), &Spared::default(), Arc::new(desk.blobs())).await.unwrap();
    assert_eq!((wrote.doubt.names, wrote.doubt.all), (vec!["branch theirs".to_owned()], true));
}

#[tokio::test]
async fn after_a_crash_nobody_knows_who_wrote() {
    let mut desk = Desk::new(ROOM);
    desk.write("a.txt", "one\n");
    desk.snapshots.before(CallId(1), ("sed -i s/one/two/ a.txt", ""), "").await.unwrap();
    desk.write("a.txt", "two\n");
    desk.snapshots = snapshots(desk.dir.path(), "w", &[], ROOM);
    let (_, _, wrote) = desk.snapshots.recover(Arc::new(desk.blobs())).await.unwrap();
    assert_eq!((wrote.doubt.names, wrote.doubt.all), (vec!["a.txt".to_owned()], true));
}
