//! What is to be left alone of what a command changed has a record of its own, and goes back by that alone.

use pilothouse_core::tool::SparedChange;

use super::*;

fn tests() -> Spared {
    Spared::of(vec!["the tests".to_owned()])
}

impl Desk {
    /// Runs a line as a permitted call does that is held to what is to be left alone.
    async fn run_held(&mut self, line: &str) -> (Wrote, SparedChange) {
        self.calls += 1;
        let call = CallId(self.calls);
        self.snapshots.before(call, (line, ""), "").await.unwrap();
        bash(&self.at(), line);
        let wrote = self.snapshots.after(call, &tests(), Arc::new(self.blobs())).await.unwrap();
        self.snapshots.settled(call);
        let spared = wrote.spared.clone().map(|part| *part);
        (wrote, spared.unwrap_or_else(|| panic!("nothing is spared of {line}")))
    }
}

fn names(wrote: &Wrote) -> Vec<&str> {
    wrote.files.iter().map(|f| f.path.as_str()).collect()
}

#[tokio::test]
async fn what_a_line_that_names_none_changed_of_it_goes_back_by_itself() {
    for line in [
        "sed -i s/1/2/ $(ls *.py tests/*.py)",
        "for f in a.py tests/test_a.py; do echo 2 > $f; done",
        "find . -name '*.py' | xargs sed -i s/1/2/",
        "git checkout -q .",
        "git stash -q",
        "git reset -q --hard",
    ] {
        let mut desk = Desk::new(ROOM);
        desk.write("a.py", "old 1\n");
        desk.write("tests/test_a.py", "old 1\n");
        bash(&desk.at(), "git init -q . && git add . && git commit -qm 1 && git repack -adq");
        desk.write("a.py", "1\n");
        desk.write("tests/test_a.py", "1\n");
        let (wrote, spared) = desk.run_held(line).await;
        assert_eq!((names(&wrote), names(&spared.wrote)), (vec!["a.py"], vec!["tests/test_a.py"]), "{line}");
        assert_eq!(spared.said, ["the tests"], "{line}");
        // What git took is the command's for certain; what a script wrote an editor may have saved, and what is put
        // aside may be wanted back.
        if line.starts_with("git") || line.starts_with("find") {
            let certain = line.starts_with("git") && !line.contains("stash");
            assert_eq!(spared.wrote.doubt.is_none(), certain, "{line}");
        }
        let changed = fs::read_to_string(desk.at().join("a.py")).unwrap();
        let (head, stash) = (desk.state().refs, desk.state().stash);
        desk.revert(spared.wrote.record.unwrap(), false).unwrap();
        let now = |path: &str| fs::read_to_string(desk.at().join(path)).unwrap();
        assert_eq!((now("tests/test_a.py"), now("a.py")), ("1\n".to_owned(), changed), "{line}");
        assert_eq!((desk.state().refs, desk.state().stash), (head, stash), "{line}");
        desk.revert(wrote.record.unwrap(), false).unwrap();
        assert_eq!(now("a.py"), "1\n", "{line}");
    }
}

#[tokio::test]
async fn what_comes_with_another_commit_is_asked_about() {
    for (line, asked) in [
        ("git checkout -q other", true),
        ("git reset -q --hard other", true),
        ("git checkout -q other .", false),
    ] {
        let mut desk = Desk::new(ROOM);
        desk.write("tests/test_a.py", "1\n");
        bash(&desk.at(), "git init -q . && git add . && git commit -qm 1 && git checkout -qb other");
        desk.write("tests/test_a.py", "2\n");
        bash(&desk.at(), "git commit -qam 2 && git checkout -q - && git repack -adq");
        let (_, spared) = desk.run_held(line).await;
        assert_eq!(
            (names(&spared.wrote), !spared.wrote.doubt.is_none()),
            (vec!["tests/test_a.py"], asked),
            "{line}"
        );
    }
}

#[tokio::test]
async fn a_folder_that_goes_comes_back_with_what_is_spared_in_it() {
    let mut desk = Desk::new(ROOM);
    desk.write("src/a.rs", "1\n");
    desk.write("src/tests/a.rs", "1\n");
    let (wrote, spared) = desk.run_held("rm -r src").await;
    assert_eq!((names(&wrote), names(&spared.wrote)), (vec!["src/a.rs"], vec!["src/tests/a.rs"]));
    desk.revert(spared.wrote.record.unwrap(), false).unwrap();
    assert_eq!(fs::read_to_string(desk.at().join("src/tests/a.rs")).unwrap(), "1\n");
    assert!(!desk.at().join("src/a.rs").exists());
    desk.revert(wrote.record.unwrap(), false).unwrap();
    assert_eq!(fs::read_to_string(desk.at().join("src/a.rs")).unwrap(), "1\n");
}

#[tokio::test]
async fn what_a_test_makes_is_no_test() {
    let mut desk = Desk::new(ROOM);
    desk.write("tests/test_a.py", "1\n");
    desk.calls += 1;
    let call = CallId(desk.calls);
    let line = "mkdir -p tests/out && echo x > tests/out/run.txt && echo y > a.py";
    desk.snapshots.before(call, (line, ""), "").await.unwrap();
    bash(&desk.at(), line);
    let wrote = desk.snapshots.after(call, &tests(), Arc::new(desk.blobs())).await.unwrap();
    assert_eq!((names(&wrote), wrote.spared.as_deref()), (vec!["a.py", "tests/out/run.txt"], None));
}
