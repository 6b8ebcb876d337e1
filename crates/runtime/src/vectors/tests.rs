#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use super::*;

fn neighbours(dir: &Path, yaml: &str) -> Neighbours {
    let set = Exemplars::parse(yaml).unwrap();
    Neighbours::new(Vectors::BuiltIn, set, dir.join("vectors"), Duration::from_secs(1))
}

fn files(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir.join("vectors")).unwrap();
    entries.map(|e| e.unwrap().path()).collect()
}

const SET: &str = "leaves:\n  execute:\n    - ship it\n  explain:\n    - how does it work\n";

#[test]
fn vectors_are_kept_by_content_and_a_damaged_file_is_made_again() {
    let dir = tempfile::tempdir().unwrap();
    let nearest = |yaml: &str| {
        let found = neighbours(dir.path(), yaml).nearest("ship it").unwrap().unwrap();
        found.leaf.unwrap().phrase
    };
    assert_eq!(nearest(SET), "ship it");
    let [file] = files(dir.path()).try_into().unwrap();
    let good = fs::read(&file).unwrap();
    assert_eq!(nearest(SET), "ship it");
    for bad in [b"".to_vec(), good[..good.len() - 1].to_vec(), vec![0; good.len()], {
        let mut flipped = good.clone();
        flipped[20] ^= 1;
        flipped
    }] {
        fs::write(&file, bad).unwrap();
        assert_eq!(nearest(SET), "ship it");
        assert_eq!(fs::read(&file).unwrap(), good, "it is made again");
    }
    assert_eq!(nearest(&format!("{SET}    - what is it\n")), "ship it");
    assert_eq!(files(dir.path()).len(), 2, "other phrases are another file");
}

#[test]
fn a_cache_that_cannot_be_written_is_no_failure() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("vectors"), "in the way").unwrap();
    assert!(neighbours(dir.path(), SET).nearest("ship it").unwrap().is_some());
}

#[test]
fn only_a_few_old_files_stay() {
    let dir = tempfile::tempdir().unwrap();
    for n in 0..12 {
        let yaml = format!("leaves:\n  execute:\n    - ship number {n}\n");
        neighbours(dir.path(), &yaml).warm().unwrap();
    }
    assert_eq!(files(dir.path()).len(), KEPT + 1);
}

#[test]
fn an_embedder_that_failed_is_left_alone_for_a_while() {
    let dir = tempfile::tempdir().unwrap();
    let set = Exemplars::parse(SET).unwrap();
    let nowhere = Vectors::Local(dir.path().join("nowhere"));
    let n = Neighbours::new(nowhere, set, dir.path().join("v"), Duration::from_secs(1));
    let first = n.nearest("a").unwrap_err();
    assert_eq!(n.nearest("b").unwrap_err(), first);
}
