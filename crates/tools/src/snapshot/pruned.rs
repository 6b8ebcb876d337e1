//! Git's objects, which have a second name while a command runs: what it prunes can be put back.
//!
//! Owns these names and the question which objects are gone for good. What was only packed anew is nobody's loss.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
};

use pilothouse_core::shell::{self, Risk};

use super::State;
use crate::{git, regular};

/// The folder of second names.
const HELD: &str = "objects";
/// What drops objects of git's beside what it is asked for; all that does nothing else is of high risk.
const CLEANING: [&str; 3] = ["gc", "maintenance", "repack"];
/// A file of git's that is larger is copied nowhere; it only gets another name.
const MOST_COPIED: u64 = 1 << 20;
/// The most that git may say of objects.
const MOST_LISTED: u64 = 256 * 1024 * 1024;

/// A file of git's objects that is gone, and what it held.
#[derive(Debug)]
pub(super) struct Pruned {
    pub root: usize,
    /// Where it stood.
    pub path: String,
    /// Where it stands now.
    pub held: PathBuf,
}

impl State {
    /// Folders of objects, by the root that they are in.
    pub(super) fn stores(&self) -> Vec<(usize, String)> {
        let mut found = Vec::new();
        for (root, tree) in self.trees.iter().enumerate() {
            let heads = tree.files.keys().filter_map(|p| p.strip_suffix("HEAD").filter(|_| tree.is_gits(p)));
            let stores = heads.map(|git| format!("{git}objects")).filter(|p| tree.root.join(p).is_dir());
            found.extend(stores.map(|path| (root, path)));
        }
        found
    }

    fn held(&self) -> PathBuf {
        self.store.join(HELD)
    }

    /// Gives every file of objects a second name, where a line may lose some: that takes a second for a few thousands.
    pub(super) fn hold_objects(&self, line: &str) {
        if !may_lose(line) {
            return;
        }
        for (root, store) in self.stores() {
            let Some(tree) = self.trees.get(root) else { continue };
            let (from, to) = (tree.root.join(&store), self.held().join(root.to_string()).join(&store));
            let mut made = BTreeSet::new();
            for name in names(&from) {
                let (from, to) = (from.join(&name), to.join(&name));
                if let Some(folder) = to.parent().filter(|f| !made.contains(*f)) {
                    drop(fs::create_dir_all(folder));
                    made.insert(folder.to_owned());
                }
                if let Err(e) = second(&from, &to) {
                    tracing::debug!(error = %e, path = %from.display(), "an object of git is not held");
                }
            }
        }
    }

    /// What of it is gone, and in no pack either.
    pub(super) async fn pruned(&self) -> Vec<Pruned> {
        let mut all = Vec::new();
        for (root, tree) in self.trees.iter().enumerate() {
            let held = self.held().join(root.to_string());
            for store in below(&held, Path::new("")) {
                let (here, there) = (held.join(&store), tree.root.join(&store));
                let gone = names(&here).into_iter().filter(|n| there.join(n).symlink_metadata().is_err());
                let gone: Vec<String> = gone.collect();
                let lost = lost(&here, &there, &gone).await;
                let pruned = gone.into_iter().filter(|name| lost.contains(stem(name)));
                all.extend(pruned.filter_map(|name| {
                    Some(Pruned { root, path: store.join(&name).to_str()?.to_owned(), held: here.join(name) })
                }));
            }
        }
        all
    }

    /// The second names go, once no command runs any more.
    pub(super) fn let_objects_go(&self) {
        if self.running.is_empty() {
            drop(fs::remove_dir_all(self.held()));
        }
    }
}

/// Whether a line destroys, or has git clean up. What git drops by itself nothing has named for two weeks.
fn may_lose(line: &str) -> bool {
    let reading = shell::read(line);
    let cleans =
        |c: &shell::Call| c.program == "git" && c.words.iter().any(|w| CLEANING.contains(&w.text.as_str()));
    reading.verdict.risk == Risk::High || reading.calls.iter().any(cleans)
}

fn second(from: &Path, to: &Path) -> io::Result<()> {
    match fs::hard_link(from, to) {
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(_) if from.symlink_metadata()?.len() <= MOST_COPIED => fs::copy(from, to).map(|_| ()),
        other => other,
    }
}

/// Folders of objects below a folder of second names.
fn below(held: &Path, at: &Path) -> Vec<PathBuf> {
    let folders = fs::read_dir(held.join(at)).into_iter().flatten().flatten();
    let folders = folders.filter(|e| e.file_type().is_ok_and(|t| t.is_dir())).map(|e| at.join(e.file_name()));
    folders.flat_map(|f| if f.ends_with(HELD) { vec![f] } else { below(held, &f) }).collect()
}

/// The files of a folder of objects: those of one object, and those of packs.
fn names(store: &Path) -> Vec<String> {
    let list = |folder: &Path| -> Vec<String> {
        let all = fs::read_dir(folder).into_iter().flatten().flatten();
        all.filter_map(|e| e.file_name().into_string().ok()).collect()
    };
    let kept = |folder: &str, name: &str| match folder {
        "pack" => ["pack", "idx", "rev"].iter().any(|end| ends(name, end)),
        _ => hex(name) && name.len() >= 38,
    };
    let folders = list(store).into_iter().filter(|f| f == "pack" || f.len() == 2 && hex(f));
    folders
        .flat_map(|f| {
            let files = list(&store.join(&f)).into_iter().filter(|n| kept(&f, n));
            files.map(|n| format!("{f}/{n}")).collect::<Vec<_>>()
        })
        .collect()
}

fn ends(name: &str, ending: &str) -> bool {
    Path::new(name).extension().is_some_and(|e| e == ending)
}

fn hex(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_hexdigit())
}

/// What the files of one pack have in common; of a file of one object its whole name.
fn stem(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// Of the files that are gone, those that hold what is nowhere any more, by their stems.
async fn lost(held: &Path, store: &Path, gone: &[String]) -> BTreeSet<String> {
    let mut lost = BTreeSet::new();
    let (packs, single): (Vec<&String>, Vec<&String>) = gone.iter().partition(|n| n.starts_with("pack/"));
    if !single.is_empty() {
        let missing = missing(store, &single.iter().map(|n| n.replace('/', "")).collect::<Vec<_>>()).await;
        let is = |name: &&String| missing.as_ref().is_none_or(|m| m.contains(&name.replace('/', "")));
        lost.extend(single.into_iter().filter(is).cloned());
    }
    for index in packs.into_iter().filter(|n| ends(n, "idx")) {
        let Ok(bytes) = regular::read(&held.join(index), MOST_LISTED) else { continue };
        let whole = match git::ask_about(held, &["show-index"], bytes, MOST_LISTED).await {
            Some(listed) => {
                let listed = String::from_utf8_lossy(&listed);
                let ids = listed.lines().filter_map(|l| l.split(' ').nth(1)).map(str::to_owned);
                missing(store, &ids.collect::<Vec<_>>()).await.is_some_and(|m| m.is_empty())
            }
            None => false,
        };
        if !whole {
            lost.insert(stem(index).to_owned());
        }
    }
    lost
}

/// Which of these objects git does not have; `None` when it cannot say: then it has none.
async fn missing(store: &Path, ids: &[String]) -> Option<BTreeSet<String>> {
    let folder = store.parent().filter(|f| f.is_dir())?;
    let place = format!("--git-dir={}", folder.to_str()?);
    let input = ids.iter().flat_map(|id| [id.as_str(), "\n"]).collect::<String>().into_bytes();
    let args = [place.as_str(), "cat-file", "--buffer", "--batch-check=%(objectname)"];
    let said = String::from_utf8(git::ask_about(folder, &args, input, MOST_LISTED).await?).ok()?;
    Some(said.lines().filter_map(|l| l.strip_suffix(" missing")).map(str::to_owned).collect())
}
