//! Files of a folder that its hooks and sources run: what they hold is what these do.
//!
//! Owns which files a line or a command names. Never runs one.

use std::{
    collections::BTreeSet,
    io::Read,
    path::{Component, Path},
};

use pilothouse_core::{
    blob::BlobId,
    relpath::RelPath,
    shell::{self, Act},
};
use pilothouse_sources::{Definition, Reach};
use pilothouse_tools::Jail;

use super::{Brought, Kind, MOST_BYTES, Piece, look};
use crate::sources;

/// The most that a file may have whose hash stands for it, in bytes.
const MOST_HASHED: u64 = 256 << 20;
/// What a name may be glued to in a line.
const GLUE: [char; 9] = ['<', '>', '=', ';', '&', '|', '(', ')', ','];
/// What a program looks for where it is told the name of a module.
const MODULES: [&str; 6] = [".py", "/__main__.py", "/__init__.py", ".js", ".mjs", "/index.js"];

/// Those that the hooks and the sources among these pieces name.
pub(super) fn of(jail: &Jail, pieces: &[Piece]) -> Vec<Piece> {
    let whole = Brought { pieces: pieces.to_vec(), of: BlobId::of(b"") };
    let hooks = whole.hooks(jail.root()).unwrap_or_default();
    let (sources, _) = sources::of_project(jail.root(), &whole);
    let words: BTreeSet<String> = hooks.iter().flat_map(|d| named(&d.run)).collect();
    // A hook's line is no list of words: what cannot be read there may be none of its files.
    let hooks = words.into_iter().filter_map(|w| look(jail, &w, Kind::Script)).filter(|p| p.content.is_ok());
    let sources = sources.iter().flat_map(|s| runs(jail.root(), s));
    let sources = sources.filter_map(|path| look(jail, &path, Kind::Script));
    let mut all: Vec<Piece> = hooks.chain(sources).collect();
    all.sort_by(|a, b| a.path.cmp(&b.path));
    all.dedup_by(|a, b| a.path == b.path);
    all.retain(|p| !pieces.iter().any(|known| known.path == p.path));
    all
}

/// The files of the folder that a source's command names: by a path, in an option, as a module, in a line of shell.
pub(crate) fn runs(root: &Path, source: &Definition) -> Vec<String> {
    let Reach::Command { program, args, .. } = &source.reach else { return Vec::new() };
    let mut words: BTreeSet<String> = BTreeSet::from([program.clone()]);
    for arg in args {
        words.extend(named(arg));
        words.insert(arg.clone());
        let value = arg.split_once('=').map_or(arg.as_str(), |(_, value)| value);
        // `-mtools.server`, and `tools.server:app` of some servers.
        for value in [value, value.strip_prefix("-m").unwrap_or(value)] {
            let module = value.split(':').next().unwrap_or(value);
            for stem in [module.to_owned(), module.replace('.', "/")] {
                words.extend(MODULES.map(|end| format!("{stem}{end}")));
            }
            words.insert(value.to_owned());
        }
    }
    let found: BTreeSet<String> = words.iter().filter_map(|w| below(root, w)).collect();
    found.into_iter().collect()
}

/// The file of the folder that a word means, as it is called there; one that a link leads out to by the link's name.
fn below(root: &Path, word: &str) -> Option<String> {
    let place = root.join(word);
    let meta = place.symlink_metadata().ok()?;
    let real = place.canonicalize().ok();
    if meta.is_dir() || real.as_ref().is_some_and(|r| r.is_dir()) {
        return None;
    }
    let inside =
        real.as_ref().and_then(|r| r.strip_prefix(root.canonicalize().ok()?).ok().map(Path::to_owned));
    let climbs = Path::new(word).components().any(|c| c == Component::ParentDir);
    let path = match inside {
        Some(path) => path,
        None if climbs => return None,
        None => place.strip_prefix(root).ok()?.to_owned(),
    };
    Some(RelPath::new(path.to_str()?).ok()?.as_str().to_owned())
}

/// What stands for a large file: its size and the hash over the hashes of its parts.
pub(super) fn hashed(jail: &Jail, path: &RelPath) -> Result<Vec<u8>, String> {
    let mut file = jail.open_read(path).map_err(|e| e.to_string())?.take(MOST_HASHED + 1);
    let (mut hashes, mut size) = (Vec::new(), 0_u64);
    loop {
        let mut part = Vec::new();
        let read = (&mut file).take(MOST_BYTES).read_to_end(&mut part).map_err(|e| e.to_string())?;
        size += read as u64;
        if size > MOST_HASHED {
            return Err(format!("it has more than {MOST_HASHED} bytes"));
        }
        if read == 0 {
            return Ok(format!("({size} bytes, hash {})\n", BlobId::of(&hashes)).into_bytes());
        }
        hashes.extend(BlobId::of(&part).to_string().into_bytes());
    }
}

/// What a hook's line names, but for what it only sends its output to: what lies there says nothing of what it does.
fn named(line: &str) -> Vec<String> {
    let plain = |w: &str| {
        let w = w.trim_matches(['"', '\'', ';', '(', ')', '&', '|', '<', '>']);
        w.trim_start_matches("./").to_owned()
    };
    let reading = shell::read(line);
    let (sent, other): (Vec<_>, Vec<_>) =
        reading.uses.iter().partition(|u| u.redirect && u.act == Act::Write && !u.wild);
    let is_read = |path: &str| other.iter().copied().chain(&reading.runs).any(|u| plain(&u.path) == path);
    // Where the line changes its folder a path may be called by two names.
    let mut folders = reading.uses.iter().chain(&reading.runs).map(|u| &u.from);
    let first = folders.next();
    let clear = reading.whole && folders.all(|from| Some(from) == first);
    let outputs = sent.iter().map(|u| plain(&u.path)).filter(|path| clear && !is_read(path));
    let outputs: Vec<String> = outputs.collect();
    let words = line.split_whitespace().map(plain).filter(|w| !w.is_empty() && !w.starts_with('/'));
    // A name that stands there more often than that, also glued to something, is something else as well.
    let glued = |word: &str, w: &String| word.split(GLUE).filter(|part| plain(part) == *w).count();
    let in_word = |word: &str, w: &String| if plain(word) == *w { 1 } else { glued(word, w) };
    let stands = |w: &String| line.split_whitespace().map(|word| in_word(word, w)).sum::<usize>();
    let sends = |w: &String| outputs.iter().filter(|path| *path == w).count();
    words.filter(|w| sends(w) == 0 || stands(w) > sends(w)).collect()
}
