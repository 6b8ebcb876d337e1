//! Contents that git has: which files are as one of its objects, and these objects.
//!
//! Owns the questions to git. Trusts an answer only where the object is as large as the file: then git put no
//! other line ends or characters into it.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use crate::git;

/// So many files are asked for by name; for more, git tells all.
const FEW: usize = 100;
/// The most that git may list.
const MOST_LISTED: u64 = 256 * 1024 * 1024;
/// Contents that are asked for at once, in bytes.
const AT_ONCE: u64 = 32 * 1024 * 1024;

/// What git says of the files below a folder.
#[derive(Debug, Default)]
pub(super) struct Tracked {
    /// Unchanged files by their path below the folder: the object and its size.
    pub clean: BTreeMap<String, (String, u64)>,
    /// All that it has, where all was asked for.
    pub all: Vec<String>,
}

/// What git has of these files, whose paths begin at `folder`; where its list may be another one, of all. What is known to
/// stand for a file is not asked for again.
pub(super) async fn tracked(
    folder: &Path,
    paths: &[String],
    listed_anew: bool,
    known: impl Fn(&str, &str) -> bool,
) -> Option<Tracked> {
    let few = paths.len() <= FEW && !listed_anew;
    let ask = |what: &[&str]| {
        let mut args = vec!["--literal-pathspecs"];
        args.extend_from_slice(what);
        args.push("--");
        if few {
            args.extend(paths.iter().map(String::as_str));
        }
        args.into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    let listing = listed(folder, &ask(&["ls-files", "--stage", "-v", "-z"])).await?;
    let differs = ["diff-files", "--name-only", "--relative", "--ignore-submodules=all", "-z"];
    let changed = listed(folder, &ask(&differs)).await?;
    let changed: BTreeSet<&str> = changed.split('\0').collect();
    let mut found = Tracked::default();
    let mut objects = BTreeMap::new();
    for entry in listing.split('\0') {
        let Some((head, path)) = entry.split_once('\t') else { continue };
        let mut head = head.split(' ');
        let (Some(tag), Some(mode), Some(object), Some("0")) =
            (head.next(), head.next(), head.next(), head.next())
        else {
            continue;
        };
        if mode == "160000" {
            continue;
        }
        if !few {
            found.all.push(path.to_owned());
        }
        if tag == "H" && mode.starts_with("100") && !changed.contains(path) && !known(path, object) {
            objects.insert(path.to_owned(), object.to_owned());
        }
    }
    let mut wanted: Vec<&str> = objects.values().map(String::as_str).collect();
    wanted.sort_unstable();
    wanted.dedup();
    let sizes = sizes(folder, &wanted).await.unwrap_or_default();
    let sized = |object: String| sizes.get(&object).map(|size| (object, *size));
    found.clean = objects.into_iter().filter_map(|(path, object)| Some((path, sized(object)?))).collect();
    Some(found)
}

async fn listed(folder: &Path, args: &[String]) -> Option<String> {
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let said = git::ask_about(folder, &args, Vec::new(), MOST_LISTED).await?;
    // A name that is no text is known to nobody here.
    Some(String::from_utf8_lossy(&said).into_owned())
}

/// How large objects are.
async fn sizes(folder: &Path, objects: &[&str]) -> Option<BTreeMap<String, u64>> {
    if objects.is_empty() {
        return Some(BTreeMap::new());
    }
    let input = objects.iter().flat_map(|o| [*o, "\n"]).collect::<String>().into_bytes();
    let args = ["cat-file", "--buffer", "--batch-check=%(objectname) %(objectsize)"];
    let said = git::ask_about(folder, &args, input, MOST_LISTED).await?;
    let said = String::from_utf8(said).ok()?;
    let pairs = said.lines().filter_map(|line| line.split_once(' '));
    Some(pairs.filter_map(|(object, size)| Some((object.to_owned(), size.parse().ok()?))).collect())
}

/// Hands out the contents of objects, known by their sizes.
pub(super) async fn contents(
    folder: &Path,
    objects: &BTreeMap<String, u64>,
    mut each: impl FnMut(String, &[u8]) + Send,
) {
    let mut waiting = objects.iter().peekable();
    while waiting.peek().is_some() {
        let (mut input, mut size) = (String::new(), 0);
        while let Some((object, bytes)) = waiting.next_if(|(_, bytes)| size == 0 || size + **bytes <= AT_ONCE)
        {
            input.push_str(object);
            input.push('\n');
            size += bytes + 128;
        }
        let most = size + 64 * 1024;
        let args = ["cat-file", "--buffer", "--batch"];
        if let Some(said) = git::ask_about(folder, &args, input.into_bytes(), most).await {
            take(&said, &mut each);
        }
    }
}

fn take(mut said: &[u8], each: &mut impl FnMut(String, &[u8])) {
    while let Some(end) = said.iter().position(|b| *b == b'\n') {
        let (head, rest) = said.split_at(end);
        let rest = rest.get(1..).unwrap_or_default();
        let head = String::from_utf8_lossy(head);
        let mut words = head.split(' ');
        let size = words.clone().nth(2).and_then(|s| s.parse::<usize>().ok());
        match (words.next(), size.and_then(|s| Some((rest.get(..s)?, rest.get(s + 1..)?)))) {
            (Some(object), Some((content, after))) => {
                each(object.to_owned(), content);
                said = after;
            }
            // An object that is missing has no content behind its line.
            _ => said = rest,
        }
    }
}
