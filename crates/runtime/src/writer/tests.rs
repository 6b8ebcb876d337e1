//! Every call of every workload failing once, and the end of the process at each.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]
use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::Path,
};

use pilothouse_core::{
    blob::Blob,
    diff::{self, Lines},
    ids::ProposalId,
    tool::{ChangeKind, Redraft},
    work::{Moved, Take},
};

use super::*;
use crate::disk::{
    RealDisk,
    fault::{Failing, FaultyDisk},
};

/// Every path below `root` with what stands there; temporary files left out when `tidy`.
fn tree(root: &Path, tidy: bool) -> BTreeMap<String, (u32, Vec<u8>)> {
    let mut all = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            let meta = path.symlink_metadata().unwrap();
            if tidy && entry.file_name().to_string_lossy().starts_with(TEMP_PREFIX) {
                continue;
            }
            let content = if meta.is_dir() {
                folders.push(path.clone());
                b"folder".to_vec()
            } else if meta.is_symlink() {
                fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes()
            } else {
                fs::read(&path).unwrap()
            };
            all.insert(name, (meta.permissions().mode(), content));
        }
    }
    all
}

struct Place {
    dir: tempfile::TempDir,
    state: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let place = Self { dir: tempfile::tempdir().unwrap(), state: tempfile::tempdir().unwrap() };
        fs::create_dir(place.dir.path().join("src")).unwrap();
        fs::write(place.dir.path().join("src/a.rs"), b"one\r\ntwo\nthree").unwrap();
        fs::write(place.dir.path().join("b.txt"), b"\xef\xbb\xbf\xff\0b\n").unwrap();
        fs::set_permissions(place.dir.path().join("src/a.rs"), PermissionsExt::from_mode(0o754)).unwrap();
        symlink("src/a.rs", place.dir.path().join("link")).unwrap();
        place
    }
    fn root(&self) -> Root {
        Root::open(self.dir.path()).unwrap()
    }
    fn blobs(&self) -> Blobs {
        Blobs::under(self.state.path())
    }
    fn id(&self, bytes: &[u8]) -> BlobId {
        let blob = Blob::new(bytes.to_vec());
        self.blobs().put(&unsynced(), &blob).unwrap();
        blob.id()
    }
    fn now(&self, path: &str) -> Option<BlobId> {
        fs::read(self.dir.path().join(path)).ok().map(|b| self.id(&b))
    }
    fn change(&self, path: &str, to: Option<&[u8]>) -> FileChange {
        let before = self.now(path);
        let kind = match (before, to) {
            (None, _) => ChangeKind::Create,
            (_, None) => ChangeKind::Delete,
            _ => ChangeKind::Modify,
        };
        let mode = fs::metadata(self.dir.path().join(path)).ok().map(|m| m.permissions().mode() & 0o7777);
        FileChange {
            proposal: ProposalId(1),
            path: RelPath::new(path).unwrap(),
            kind,
            before,
            after: to.map(|b| self.id(b)),
            mode,
            added: 0,
            removed: 0,
            lines: 0,
            rest: None,
            changes: Vec::new(),
        }
    }
    fn workloads(&self) -> Vec<Vec<FileChange>> {
        let edit = || self.change("src/a.rs", Some(b"one\r\n2\nthree"));
        let create = || self.change("c.txt", Some(b"new\n"));
        let deep = || self.change("x/y/z.txt", Some(b""));
        let delete = || self.change("b.txt", None);
        let through = || self.change("link", Some(b"by the link"));
        vec![
            vec![edit()],
            vec![create()],
            vec![deep()],
            vec![delete()],
            vec![through()],
            vec![edit(), create(), deep(), delete()],
        ]
    }
}

/// A disk that never fails and, unlike the real one, does not wait for the platter.
fn unsynced() -> FaultyDisk {
    FaultyDisk::new(usize::MAX, Failing::Gone)
}

fn forward(files: &[FileChange]) -> Vec<Swap> {
    files.iter().map(Swap::forward).collect()
}

fn backward(files: &[FileChange]) -> Vec<Swap> {
    files.iter().map(Swap::backward).collect()
}

#[test]
fn what_is_applied_can_be_taken_back_and_put_back_byte_for_byte() {
    let count = Place::new().workloads().len();
    for n in 0..count {
        let p = Place::new();
        let files = p.workloads().remove(n);
        let before = tree(p.dir.path(), false);
        swap_all(&RealDisk, &p.root(), &p.blobs(), &forward(&files)).unwrap();
        let after = tree(p.dir.path(), false);
        assert_ne!(before, after);
        assert_eq!(look(&RealDisk, &p.root(), &files), Found::After);
        for _ in 0..2 {
            swap_all(&RealDisk, &p.root(), &p.blobs(), &backward(&files)).unwrap();
            assert_eq!(tree(p.dir.path(), false), before);
            assert_eq!(look(&RealDisk, &p.root(), &files), Found::Before);
            swap_all(&RealDisk, &p.root(), &p.blobs(), &forward(&files)).unwrap();
            assert_eq!(tree(p.dir.path(), false), after);
        }
    }
}

/// Runs one workload on a disk that fails at call `at`; `None` when that call never comes.
fn failing(n: usize, undo: bool, at: usize, how: Failing) -> Option<()> {
    let p = Place::new();
    let files = p.workloads().remove(n);
    let first = tree(p.dir.path(), false);
    let swaps = if undo { backward(&files) } else { forward(&files) };
    swap_all(&unsynced(), &p.root(), &p.blobs(), &forward(&files)).unwrap();
    let second = tree(p.dir.path(), false);
    let (before, after) = if undo { (second, first) } else { (first, second) };
    if !undo {
        swap_all(&unsynced(), &p.root(), &p.blobs(), &backward(&files)).unwrap();
    }
    let disk = FaultyDisk::new(at, how);
    let result = swap_all(&disk, &p.root(), &p.blobs(), &swaps);
    let what = format!("workload {n} undo {undo} call {at} {how:?}: {result:?}");
    if how == Failing::Gone {
        for (name, found) in tree(p.dir.path(), true) {
            let whole = before.get(&name) == Some(&found) || after.get(&name) == Some(&found);
            assert!(whole, "{what}: {name} is half done");
        }
        for name in before.keys().filter(|n| after.contains_key(*n)) {
            assert!(p.dir.path().join(name).symlink_metadata().is_ok(), "{what}: {name} is lost");
        }
        let found = finish(&unsynced(), &p.root(), &p.blobs(), &files, undo);
        assert_eq!(tree(p.dir.path(), false), tree(p.dir.path(), true), "{what}: something is left");
        let contents = |t: &BTreeMap<String, (u32, Vec<u8>)>| {
            let files = t.iter().filter(|(_, f)| f.1 != b"folder");
            files.map(|(n, f)| (n.clone(), f.1.clone())).collect::<BTreeMap<_, _>>()
        };
        let now = contents(&tree(p.dir.path(), false));
        let (was, will) = if undo { (Found::After, Found::Before) } else { (Found::Before, Found::After) };
        assert!(
            found == was && now == contents(&before) || found == will && now == contents(&after),
            "{what}: {found:?}"
        );
    } else if result.is_ok() {
        // Tidying up is best effort: a folder that came with a removed file may stay, empty.
        let files = |mut t: BTreeMap<String, (u32, Vec<u8>)>| {
            t.retain(|_, f| f.1 != b"folder");
            t
        };
        assert_eq!(files(tree(p.dir.path(), true)), files(after), "{what}");
    } else {
        assert_ne!(how, Failing::Once(4), "{what}");
        assert_eq!(tree(p.dir.path(), false), before, "{what}");
        let message = result.unwrap_err().message;
        assert!(files.iter().any(|f| message.contains(f.path.as_str())), "{message}");
    }
    (disk.calls() > at).then_some(())
}

#[test]
fn whichever_call_fails_the_tree_is_as_before_or_as_after() {
    // ENOSPC, EIO, EACCES, EROFS, EDQUOT, EINTR, short writes, and the end of the process.
    let kinds = [28, 5, 13, 30, 122, 4].map(Failing::Once).into_iter();
    let kinds: Vec<Failing> = kinds.chain([Failing::Short(28), Failing::Gone]).collect();
    let mut runs = 0;
    for n in 0..Place::new().workloads().len() {
        for undo in [false, true] {
            for how in &kinds {
                let mut at = 0;
                while failing(n, undo, at, *how).is_some() {
                    at += 1;
                }
                runs += at;
            }
        }
    }
    assert!(runs > 900, "{runs} points only");
}

#[test]
fn a_file_that_changed_meanwhile_is_named_and_kept() {
    let p = Place::new();
    let files = vec![p.change("src/a.rs", Some(b"x")), p.change("n.txt", Some(b"y"))];
    for (path, text) in [("src/a.rs", "mine"), ("n.txt", "mine")] {
        let p2 = Place::new();
        for f in &files {
            for id in [f.before, f.after].into_iter().flatten() {
                p2.blobs().put(&RealDisk, &Blob::new(p.blobs().get(id).unwrap())).unwrap();
            }
        }
        fs::write(p2.dir.path().join(path), text).unwrap();
        let before = tree(p2.dir.path(), false);
        let fault = swap_all(&RealDisk, &p2.root(), &p2.blobs(), &forward(&files)).unwrap_err();
        assert!(fault.stale && fault.message.contains(path), "{fault:?}");
        assert_eq!(tree(p2.dir.path(), false), before);
    }
}

#[test]
fn a_link_out_of_the_workspace_is_not_followed() {
    let p = Place::new();
    let out = tempfile::tempdir().unwrap();
    fs::write(out.path().join("f"), "out").unwrap();
    symlink(out.path().join("f"), p.dir.path().join("l")).unwrap();
    symlink(out.path(), p.dir.path().join("d")).unwrap();
    symlink("nowhere", p.dir.path().join("dangling")).unwrap();
    for path in ["l", "d/f", "d/new", "d/e/new", "dangling", "dangling/x"] {
        let mut change = p.change("b.txt", Some(b"x"));
        change.path = RelPath::new(path).unwrap();
        change.before = change.before.filter(|_| false);
        assert!(swap_all(&RealDisk, &p.root(), &p.blobs(), &forward(&[change])).is_err(), "{path}");
    }
    assert_eq!(tree(out.path(), false).len(), 1);
    assert_eq!(fs::read(out.path().join("f")).unwrap(), b"out");
}

#[test]
fn two_changes_to_one_file_are_refused_even_through_a_link() {
    let p = Place::new();
    let before = tree(p.dir.path(), false);
    for other in ["link", "src/a.rs"] {
        let files = [p.change("src/a.rs", Some(b"x")), p.change(other, Some(b"y"))];
        let fault = swap_all(&RealDisk, &p.root(), &p.blobs(), &forward(&files)).unwrap_err();
        assert!(fault.message.contains("two changes"), "{}", fault.message);
        assert_eq!(tree(p.dir.path(), false), before);
    }
}

#[test]
fn a_removal_through_a_link_is_refused() {
    let p = Place::new();
    let before = tree(p.dir.path(), false);
    let change = p.change("link", None);
    assert!(swap_all(&RealDisk, &p.root(), &p.blobs(), &forward(&[change])).is_err());
    assert_eq!(tree(p.dir.path(), false), before);
}

#[test]
fn only_taken_hunks_reach_the_file() {
    let p = Place::new();
    let old = (0..40).map(|n| n.to_string()).collect::<Vec<_>>().join("\r\n") + "\r\n";
    fs::write(p.dir.path().join("long"), &old).unwrap();
    let new = old.replace("\n3\r", "\nthree\r").replace("\n30\r", "\nthirty\r\nmore\r");
    let hunks = diff::hunks(old.as_bytes(), new.as_bytes());
    assert_eq!(hunks.len(), 2);
    let take = Take {
        proposal: ProposalId(4),
        path: RelPath::new("long").unwrap(),
        kind: ChangeKind::Modify,
        before: p.now("long"),
        after: Some(p.id(new.as_bytes())),
        hunks,
        taken: [1].into(),
        undecided: [].into(),
        mode: None,
    };
    let (files, contents) =
        prepare::prepare(&RealDisk, &p.root(), &p.blobs(), std::slice::from_ref(&take)).unwrap();
    for b in &contents {
        p.blobs().put(&RealDisk, b).unwrap();
    }
    assert_eq!((files[0].added, files[0].removed, files[0].lines), (2, 1, 41));
    swap_all(&RealDisk, &p.root(), &p.blobs(), &forward(&files)).unwrap();
    let got = fs::read_to_string(p.dir.path().join("long")).unwrap();
    assert_eq!(got, old.replace("\n30\r", "\nthirty\r\nmore\r"));
    // It is there: nothing is to be written, and nothing is wrong.
    let again = prepare::prepare(&RealDisk, &p.root(), &p.blobs(), std::slice::from_ref(&take)).unwrap();
    assert_eq!(again, (Vec::new(), Vec::new()));
    // An edit elsewhere by somebody else: the proposal is carried over to it.
    fs::write(p.dir.path().join("long"), old.replace("\n20\r", "\ntwenty\r")).unwrap();
    let fault = prepare::prepare(&RealDisk, &p.root(), &p.blobs(), std::slice::from_ref(&take)).unwrap_err();
    let again = fault.rebased.first().unwrap();
    assert_eq!((again.proposal, again.redraft.draft.hunks.len(), again.meets.len()), (ProposalId(4), 2, 0));
    assert_eq!(again.redraft.same, [Some(0), Some(1)], "both stand where they stood");
    assert!(!fault.message.contains("overlap"), "{fault:?}");
    // One at the same place: the proposal is made anew against what stands there, and says so.
    let theirs = old.replace("\n30\r", "\nDREISSIG\r");
    fs::write(p.dir.path().join("long"), &theirs).unwrap();
    let fault = prepare::prepare(&RealDisk, &p.root(), &p.blobs(), std::slice::from_ref(&take)).unwrap_err();
    let Redraft { draft, same } = &fault.rebased.first().unwrap().redraft;
    assert_eq!(same[..], [Some(0), None], "what meets theirs is to be looked at again");
    assert_eq!(draft.before.as_ref().unwrap().bytes(), theirs.as_bytes());
    assert_eq!(draft.after.as_ref().unwrap().bytes(), new.as_bytes());
    assert!(
        fault.stale && fault.message.ends_with("since; the two changes overlap in long (line 31)"),
        "{fault:?}"
    );
    // One that is gone would be a new file, and one that came into being is changed.
    fs::remove_file(p.dir.path().join("long")).unwrap();
    let fault = prepare::prepare(&RealDisk, &p.root(), &p.blobs(), std::slice::from_ref(&take)).unwrap_err();
    assert_eq!(fault.rebased.first().unwrap().redraft.draft.kind, ChangeKind::Create);
    fs::write(p.dir.path().join("long"), "theirs\n").unwrap();
    let made = Take { kind: ChangeKind::Create, before: None, ..take };
    let fault = prepare::prepare(&RealDisk, &p.root(), &p.blobs(), &[made]).unwrap_err();
    assert_eq!(fault.rebased.first().unwrap().redraft.draft.kind, ChangeKind::Modify);
}

/// What a file holds, what is proposed for it, what others make of it, and what the proposal makes of that.
type Case<'a> = (&'a [u8], &'a [u8], Vec<u8>, Option<Vec<u8>>);

/// What is seen of a review whose file moved on: not before it holds still.
fn settled(p: &Place, take: &Take) -> Vec<Moved> {
    let look = |all| prepare::look(&RealDisk, &p.root(), &p.blobs(), all);
    let (first, again) = look(vec![prepare::Glance::new(take.clone(), BlobId::of(b""))]);
    assert!(first.is_empty());
    look(again).0
}

#[test]
fn a_change_is_carried_over_in_the_form_that_its_file_has_by_then() {
    let p = Place::new();
    let lines = |lines: &[&str]| lines.join("\n") + "\n";
    let (old, new) = (lines(&["größe", "a", "b"]), lines(&["größe", "höhe", "a", "b"]));
    let latin = |text: &str| text.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect::<Vec<u8>>();
    let ends = |text: &str| text.replace('\n', "\r\n").into_bytes();
    let (old_latin, new_latin) = (latin(&old), latin(&new));
    // What others do to the file, and what the change makes of that; nothing where it has no byte for it.
    let broken = |text: &str| [text.as_bytes(), b"\xff\n"].concat();
    let (old_broken, new_broken) = (broken(&old), broken(&new));
    let cases: [Case<'_>; 6] = [
        (&old_latin, &new_latin, old.clone().into_bytes(), Some(new.clone().into_bytes())),
        (old.as_bytes(), new.as_bytes(), old_latin.clone(), Some(new_latin.clone())),
        (old.as_bytes(), new.as_bytes(), ends(&old), Some(ends(&new))),
        (
            &old_latin,
            &new_latin,
            lines(&["größe", "a", "c"]).into_bytes(),
            Some(lines(&["größe", "höhe", "a", "c"]).into_bytes()),
        ),
        (old.as_bytes(), "größe\nça\na\nb\n".as_bytes(), old_latin.clone(), None),
        (
            &old_broken,
            &new_broken,
            lines(&["größe", "a", "b", "mended"]).into_bytes(),
            Some(lines(&["größe", "höhe", "a", "b", "mended"]).into_bytes()),
        ),
    ];
    for (n, (old, new, theirs, wanted)) in cases.into_iter().enumerate() {
        fs::write(p.dir.path().join("text"), old).unwrap();
        let take = Take {
            proposal: ProposalId(4),
            path: RelPath::new("text").unwrap(),
            kind: ChangeKind::Modify,
            before: p.now("text"),
            after: Some(p.id(new)),
            hunks: diff::hunks(old, new),
            taken: [0].into(),
            undecided: [].into(),
            mode: None,
        };
        fs::write(p.dir.path().join("text"), &theirs).unwrap();
        let fault =
            prepare::prepare(&RealDisk, &p.root(), &p.blobs(), std::slice::from_ref(&take)).unwrap_err();
        let again = fault.rebased.first().map(|again| again.redraft.draft.after.as_ref().unwrap().bytes());
        assert_eq!(again, wanted.as_deref(), "{n}");
        let shown = settled(&p, &take);
        let stays = shown[0].carried.as_ref().map(|(redraft, _)| redraft.same.clone());
        assert_eq!(
            stays,
            wanted.as_ref().map(|_| vec![Some(0)]),
            "{n}: what was decided of it is of the same lines"
        );
        if let Some(wanted) = wanted {
            fs::write(p.dir.path().join("text"), &wanted).unwrap();
            let there =
                prepare::prepare(&RealDisk, &p.root(), &p.blobs(), std::slice::from_ref(&take)).unwrap();
            assert!(there.0.is_empty(), "{n}: others made the same change");
        }
    }
}

#[test]
fn what_a_file_holds_already_keeps_no_other_back() {
    let p = Place::new();
    let texts = [("a.txt", "1\n2\n3\n", "one\n2\n3\n"), ("b.txt", "1\n", "2\n"), ("c.txt", "", "new\n")];
    let takes: Vec<Take> = texts
        .iter()
        .zip(1..)
        .map(|((path, old, new), n)| {
            if !old.is_empty() {
                fs::write(p.dir.path().join(path), old).unwrap();
            }
            let hunks = diff::hunks(old.as_bytes(), new.as_bytes());
            Take {
                proposal: ProposalId(n),
                path: RelPath::new(path).unwrap(),
                kind: if old.is_empty() { ChangeKind::Create } else { ChangeKind::Modify },
                before: p.now(path),
                after: Some(p.id(new.as_bytes())),
                taken: (0..hunks.len()).collect(),
                hunks,
                undecided: [].into(),
                mode: None,
            }
        })
        .collect();
    // The user typed the same, and a line besides; the new file is there as well.
    fs::write(p.dir.path().join("a.txt"), "one\n2\n3\nfour\n").unwrap();
    fs::write(p.dir.path().join("c.txt"), "new\n").unwrap();
    let (files, _) = prepare::prepare(&RealDisk, &p.root(), &p.blobs(), &takes).unwrap();
    let files: Vec<_> = files.iter().map(|f| f.path.as_str()).collect();
    assert_eq!(files, ["b.txt"]);
    // Where it is another text it is stale as ever.
    fs::write(p.dir.path().join("c.txt"), "other\n").unwrap();
    assert!(prepare::prepare(&RealDisk, &p.root(), &p.blobs(), &takes).unwrap_err().stale);
}

#[test]
fn what_is_as_wanted_already_is_left_alone_and_that_is_told() {
    let p = Place::new();
    let made = p.change("new.txt", Some(b"one\n"));
    let files = std::slice::from_ref(&made);
    let revert = |redo| prepare::revert(&RealDisk, &p.root(), &p.blobs(), files, redo).unwrap();
    for (now, redo, changed) in
        [(None, false, false), (Some("one\n"), true, false), (Some("one\n"), false, true), (None, true, true)]
    {
        let file = p.dir.path().join("new.txt");
        match now {
            Some(text) => fs::write(&file, text).unwrap(),
            None => drop(fs::remove_file(&file)),
        }
        assert_eq!(revert(redo), changed, "{now:?}, redo: {redo}");
    }
}

#[test]
fn of_a_file_that_was_made_only_what_was_written_is_taken_back() {
    let p = Place::new();
    let written = b"one\ntwo\nthree\n";
    let made = p.change("new.txt", Some(written));
    for (now, after, meets) in [
        ("one\ntwo\nthree\nmine\n", Some("mine\n"), false),
        ("mine\none\ntwo\nand mine\nthree\n", Some("mine\nand mine\n"), false),
        // What others only took out of it is no reason to keep the rest.
        ("one\nthree\n", None, false),
        // Where they changed a line, it is theirs and it is not: that is seen, and decided as a whole.
        ("one\nTWO\nthree\n", None, true),
        ("one\nTWO\nthree\nmine\n", Some("mine\n"), true),
    ] {
        fs::write(p.dir.path().join("new.txt"), now).unwrap();
        let fault = prepare::revert(&RealDisk, &p.root(), &p.blobs(), std::slice::from_ref(&made), false)
            .unwrap_err();
        assert_eq!(fs::read_to_string(p.dir.path().join("new.txt")).unwrap(), now);
        let again = fault.rebased.first().unwrap();
        let draft = &again.redraft.draft;
        assert_eq!(draft.after.as_ref().map(Blob::bytes), after.map(str::as_bytes), "{now}");
        let kind = if after.is_some() { ChangeKind::Modify } else { ChangeKind::Delete };
        assert_eq!((draft.kind, !again.meets.is_empty()), (kind, meets), "{now}: {fault:?}");
        assert_eq!(fault.message.contains("overlap in new.txt"), meets, "{fault:?}");
    }
}

#[test]
fn where_others_changed_what_goes_back_is_told_in_lines_of_the_file_as_it_is() {
    let p = Place::new();
    let at = p.dir.path().join("src/a.rs");
    let lines = (1..=20).map(|n| n.to_string()).collect::<Vec<_>>().join("\n") + "\n";
    fs::write(&at, &lines).unwrap();
    // Two writes of one file: the later one puts lines in above what the first one changed.
    let first = lines.replace("\n15\n", "\nfifteen\n");
    let second = first.replacen("2\n", "2\na\nb\nc\n", 1);
    let mut files = Vec::new();
    for text in [&first, &second] {
        files.push(p.change("src/a.rs", Some(text.as_bytes())));
        fs::write(&at, text).unwrap();
    }
    let reversal = || prepare::reversal(&RealDisk, &p.root(), &p.blobs(), &files).unwrap();
    let made = reversal();
    assert_eq!(made.draft.after.unwrap().bytes(), lines.as_bytes());
    assert_eq!(made.meets, [], "nobody changed it since");
    fs::write(&at, second.replace("fifteen", "mine")).unwrap();
    let made = reversal();
    assert_eq!(made.meets, [Lines { start: 17, len: 1 }], "three lines below where it was written");
    assert!(made.draft.hunks.last().unwrap().changes.iter().any(|c| c.old == made.meets[0]));
    // One that was removed since meets as a whole.
    fs::remove_file(&at).unwrap();
    let made = reversal();
    assert_eq!((made.draft.kind, made.meets), (ChangeKind::Create, vec![Lines::default()]));
}

#[test]
fn what_was_written_to_a_text_in_utf_16_goes_back_and_what_is_no_text_does_not() {
    let p = Place::new();
    let at = p.dir.path().join("w.txt");
    let wide =
        |text: &str| format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let back = |before: &[u8], after: &[u8], now: &[u8]| {
        fs::write(&at, before).unwrap();
        let made = p.change("w.txt", Some(after));
        fs::write(&at, now).unwrap();
        let made = prepare::reversal(&RealDisk, &p.root(), &p.blobs(), &[made]);
        made.map(|made| made.draft.after.unwrap().bytes().to_vec())
    };
    let now = wide("One\r\ntwo\r\n《\r\nmine");
    let got = back(&wide("one\r\ntwo\r\n《\r\n"), &wide("One\r\ntwo\r\n《\r\n"), &now);
    assert_eq!(got.unwrap(), wide("one\r\ntwo\r\n《\r\nmine"), "what others put in stays");
    for binary in [&b"x\0y\n"[..], b"\xff\xfe\0\0h\0\0\0"] {
        assert!(back(b"a\n", binary, binary).unwrap_err().contains("is not text"));
    }
}

#[test]
fn a_folder_that_cannot_be_written_is_named() {
    if rustix::process::geteuid().is_root() {
        // Root may write anywhere; a path through a file is refused to everybody.
        let p = Place::new();
        let mut change = p.change("n", Some(b"x"));
        change.path = RelPath::new("b.txt/n").unwrap();
        let fault = swap_all(&RealDisk, &p.root(), &p.blobs(), &forward(&[change])).unwrap_err();
        assert!(fault.message.contains("b.txt/n") && !fault.stale, "{fault:?}");
        return;
    }
    let p = Place::new();
    fs::set_permissions(p.dir.path().join("src"), PermissionsExt::from_mode(0o555)).unwrap();
    let change = p.change("src/a.rs", Some(b"x"));
    let fault = swap_all(&RealDisk, &p.root(), &p.blobs(), &forward(&[change])).unwrap_err();
    assert!(fault.message.contains("src/a.rs") && fault.message.contains("permission"), "{fault:?}");
}

#[test]
fn two_writes_at_once_that_need_the_same_new_folder_both_succeed() {
    let place = Place::new();
    for round in 0..60 {
        let changes = [1, 2].map(|n| place.change(&format!("new{round}/deep/{n}.txt"), Some(b"so\n")));
        std::thread::scope(|scope| {
            for change in &changes {
                let swap = || swap_all(&RealDisk, &place.root(), &place.blobs(), &[Swap::forward(change)]);
                scope.spawn(move || swap().unwrap());
            }
        });
        let made = |n| fs::read(place.dir.path().join(format!("new{round}/deep/{n}.txt"))).unwrap();
        assert!([1, 2].iter().all(|n| made(n) == b"so\n"));
    }
}
