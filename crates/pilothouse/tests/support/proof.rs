//! The figures of a proof: how much was tried, what was found, and the share that an ordinary run tries.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use super::alone::tell;

/// `PILOTHOUSE_PROOF=whole` tries everything; else a fixed share of it.
pub fn share(whole: usize, ordinary: usize) -> usize {
    if std::env::var("PILOTHOUSE_PROOF").is_ok_and(|p| p == "whole") { whole } else { ordinary }
}

/// What was checked, and what did not hold.
#[derive(Default)]
pub struct Tally {
    checked: AtomicUsize,
    violations: Mutex<Vec<String>>,
    notes: Mutex<BTreeMap<String, usize>>,
}

impl Tally {
    /// One more was tried.
    pub fn checked(&self) {
        self.checked.fetch_add(1, Ordering::SeqCst);
    }

    /// Something happened that may not.
    pub fn violation(&self, what: impl Into<String>) {
        self.violations.lock().unwrap().push(what.into());
    }

    /// Counts something that is said beside the figure.
    pub fn note(&self, what: &str, many: usize) {
        *self.notes.lock().unwrap().entry(what.to_owned()).or_default() += many;
    }

    /// What was counted under this name.
    pub fn noted(&self, what: &str) -> usize {
        self.notes.lock().unwrap().get(what).copied().unwrap_or_default()
    }

    /// Says the figure, and fails unless it is 0.
    #[track_caller]
    pub fn end(&self) {
        let violations = self.violations.lock().unwrap();
        let checked = self.checked.load(Ordering::SeqCst);
        let mut said = vec![format!("checked={checked} violations={}", violations.len())];
        said.extend(self.notes.lock().unwrap().iter().map(|(what, many)| format!("{what}={many}")));
        tell(&said.join(" "));
        assert!(violations.is_empty(), "{}", violations.join("\n\n"));
    }
}

/// Does the work for every number below `many`, a few at a time.
pub fn each(many: usize, work: impl Fn(usize) + Sync) {
    let next = AtomicUsize::new(0);
    let go = || {
        loop {
            let n = next.fetch_add(1, Ordering::SeqCst);
            if n >= many {
                return;
            }
            work(n);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(go);
        }
    });
}

/// Every file under a folder with its bytes; of a link its target. What vanishes meanwhile is left out.
pub fn everything(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()) {
            if let Ok(target) = std::fs::read_link(&path) {
                found.insert(path, target.into_os_string().into_encoded_bytes());
            } else if path.is_dir() {
                folders.push(path);
            } else if let Ok(bytes) = std::fs::read(&path) {
                found.insert(path, bytes);
            }
        }
    }
    found
}

/// A process and all that come from it.
pub fn tree_of(root: u32) -> Vec<u32> {
    let all = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids: Vec<u32> = all.filter_map(|e| e.file_name().to_str()?.parse().ok()).collect();
    let parents: Vec<(u32, u32)> = pids.iter().filter_map(|pid| Some((*pid, parent(*pid)?))).collect();
    let mut tree = vec![root];
    let mut at = 0;
    while let Some(pid) = tree.get(at).copied() {
        tree.extend(parents.iter().filter(|(_, p)| *p == pid).map(|(c, _)| *c));
        at += 1;
    }
    tree
}

fn parent(pid: u32) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}
