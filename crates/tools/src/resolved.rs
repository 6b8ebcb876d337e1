//! What the words of a command mean here and now: the folder it starts in, the programs it names, what it gets.
//!
//! Owns the looking: along `PATH`, through links, into the files that say what a program is to do. Never runs anything
//! and never decides: what it finds is bound to an approval, and compared again before the command begins.

mod named;

use std::{
    collections::BTreeSet,
    ffi::{OsStr, OsString},
    fs::Metadata,
    os::unix::{
        ffi::OsStrExt,
        fs::{MetadataExt, PermissionsExt},
    },
    path::{Path, PathBuf},
};

use pilothouse_core::{
    blob::BlobId,
    resolved::{ResolvedCommand, Thing},
    shell::{self, Call, Role},
};

use self::named::Budget;
use crate::regular;

/// Files up to this size are known by their content, larger ones by their place on the disk and their times.
const MOST_READ: u64 = 1 << 20;
/// So many things are told one by one; those beyond only by one hash.
const MOST_THINGS: usize = 24;
/// The longest name that is told.
const MOST_NAME: usize = 120;

/// Told where its files make a line take in more than is looked at; stands before "was changed", too.
const LEFT_OUT: &str = "the rest of the files that it takes in (too much to read)";

/// Looks what a line means in a folder with an environment.
pub(crate) fn look(line: &str, folder: &Path, environment: &[(OsString, OsString)]) -> ResolvedCommand {
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let path = environment.iter().rev().find(|(name, _)| name == "PATH").map(|(_, value)| value.clone());
    let path = path.unwrap_or_default();
    let mut runs: Vec<Thing> = Vec::new();
    let mut before: Option<Call> = None;
    let mut budget = Budget::new();
    for call in shell::read(line.trim()).calls {
        // Where the name of a module is read as a call of its own, that leads to no program.
        let part_of = |starter: &Call| module(starter) == Some(&*call.given) && starter.part == call.part;
        let found = match &before {
            Some(starter) if part_of(starter) => Vec::new(),
            _ => things(&call, &folder, &path, &mut budget),
        };
        for thing in found {
            if !runs.contains(&thing) {
                runs.push(thing);
            }
        }
        before = Some(call);
    }
    if runs.len() > MOST_THINGS {
        let named = runs.get(MOST_THINGS..).map(|rest| rest.iter().filter(|t| !t.name.is_empty()).count());
        let rest: Vec<String> = runs.drain(MOST_THINGS..).map(|t| t.of.to_string()).collect();
        let named = named.filter(|named| *named > 0);
        let name = named.map_or_else(String::new, |named| format!("{named} more"));
        runs.push(Thing { name, path: String::new(), of: BlobId::of(rest.join("\0").as_bytes()) });
    }
    if let Some(left) = budget.left_out() {
        runs.insert(0, unbound(left));
    }
    let mut variables: Vec<u8> = Vec::new();
    let mut all: Vec<&(OsString, OsString)> = environment.iter().collect();
    all.sort();
    for (name, value) in all {
        variables.extend([name.as_bytes(), b"=", value.as_bytes(), b"\0"].concat());
    }
    ResolvedCommand { folder: place("", &folder), runs, environment: BlobId::of(&variables), unlost: None }
}

/// What a call of an interpreter runs.
enum Runs<'c> {
    /// A module, by its name with dots.
    Module(&'c str),
    /// A file.
    Script(&'c str),
    /// What is fed to it, or stands in the line.
    Code,
}

/// What a call of an interpreter runs. What stands behind its first operand is for the program that is run.
fn runs(call: &Call) -> Runs<'_> {
    let mut words = call.words.iter().map(|word| word.text.as_str());
    if !is_python(&call.program) {
        return words.find(|word| !word.starts_with('-')).map_or(Runs::Code, Runs::Script);
    }
    while let Some(word) = words.next() {
        let Some(letters) = word.strip_prefix('-').filter(|letters| !letters.is_empty()) else {
            return if word == "-" { Runs::Code } else { Runs::Script(word) };
        };
        if letters.starts_with('-') {
            if word == "--check-hash-based-pycs" {
                words.next();
            }
            continue;
        }
        // Letters stand together, and the last of them may take the rest or the next word.
        let Some(at) = letters.find(['m', 'c', 'W', 'X']) else { continue };
        let (_, taking) = letters.split_at(at);
        let mut rest = taking.chars();
        let letter = rest.next();
        let value = Some(rest.as_str()).filter(|rest| !rest.is_empty()).or_else(|| words.next());
        match letter {
            Some('m') => return value.map_or(Runs::Code, Runs::Module),
            Some('c') => return Runs::Code,
            _ => {}
        }
    }
    Runs::Code
}

/// Whether a program is Python, of whatever version.
fn is_python(program: &str) -> bool {
    matches!(without_version(program), "python" | "pypy" | "py")
}

fn without_version(program: &str) -> &str {
    program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.')
}

/// The module that a call of an interpreter runs.
fn module(call: &Call) -> Option<&str> {
    match runs(call) {
        Runs::Module(name) => Some(name),
        Runs::Script(_) | Runs::Code => None,
    }
}

/// Where a module of the folder lies, which goes before those that are installed; the packages that it lies in are run
/// before it.
fn module_files(module: &str) -> Vec<String> {
    let of = module.replace('.', "/");
    let packages = of.match_indices('/').filter_map(|(at, _)| of.get(..at));
    let mut all: Vec<String> = packages.map(|package| format!("{package}/__init__.py")).collect();
    all.extend(["{}.py", "{}/__main__.py", "{}/__init__.py"].map(|file| file.replace("{}", &of)));
    all
}

/// The program of a call, and the files that say what it is to do.
fn things(call: &Call, folder: &Path, path: &OsStr, budget: &mut Budget) -> Vec<Thing> {
    let from = match call.from.as_deref() {
        Some([one]) if !one.is_empty() => folder.join(one),
        _ => folder.to_owned(),
    };
    let mut all = Vec::new();
    if !call.given.is_empty() {
        all.push(file(&call.given, &found(&call.given, &from, path), folder));
    }
    let name = call.program.as_str();
    let interprets = [name, without_version(name)].iter().any(|name| shell::is(name, Role::Interpreter));
    if interprets || matches!(name, "bun" | "source" | ".") {
        let files = match runs(call) {
            Runs::Module(name) => module_files(name),
            Runs::Script(name) => vec![name.to_owned()],
            Runs::Code => Vec::new(),
        };
        let there = files
            .into_iter()
            .map(|name| (from.join(&name), name))
            .filter(|(p, _)| p.symlink_metadata().is_ok());
        all.extend(there.map(|(path, name)| file(&name, &path, folder)));
    }
    all.extend(work(call, &from, folder, budget));
    all
}

/// The files that say what the program of a call is to do, those of the folder and those that its options name, with
/// what they name.
fn work(call: &Call, from: &Path, folder: &Path, budget: &mut Budget) -> Vec<Thing> {
    let files = shell::work_files(&call.program);
    if files.is_empty() {
        return Vec::new();
    }
    let set = shell::set_by(call);
    // An option may name a file for the folder that it lies in.
    let moved = set.folders.iter().fold(from.to_owned(), |at, to| at.join(to));
    let moved = if moved.is_file() { moved.with_file_name("") } else { moved };
    // So does every folder that the line names, by an option or as an operand: a project, a package, a folder of tests.
    let words = call.words.iter().map(|word| word.text.as_str());
    let values = words.clone().filter_map(|word| Some(word.split_once('=')?.1));
    let named = set.files.iter().map(String::as_str).chain(words).chain(values);
    let named = named.flat_map(|name| [from.join(name), moved.join(name)]).filter(|place| place.is_dir());
    let mut places: Vec<PathBuf> = [from.to_owned(), moved.clone()].into_iter().chain(named).collect();
    let mut seen = BTreeSet::new();
    places.retain(|place| seen.insert(place.clone()));
    let mut all = Vec::new();
    for from in &places {
        let named =
            set.files.iter().map(|name| (name.as_str(), from.join(name))).filter(|(_, p)| p.is_file());
        let there = files.iter().map(|name| (*name, from.join(name)));
        let there = there.filter(|(_, path)| path.symlink_metadata().is_ok());
        for (name, path) in there.chain(named) {
            all.push(file(name, &path, folder));
            for (path, is_paid) in named::behind(&call.program, &path, from, budget) {
                if is_paid || budget.reads(&path) {
                    // The line itself names none of them.
                    all.push(file("", &path, folder));
                } else {
                    budget.leave(&path);
                }
            }
        }
    }
    all
}

/// Where the program is that a word names.
pub(crate) fn found(word: &str, from: &Path, path: &OsStr) -> PathBuf {
    if word.contains('/') {
        return from.join(word);
    }
    let runs = |p: &PathBuf| p.metadata().is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0);
    let there = std::env::split_paths(path).map(|dir| dir.join(word)).find(runs);
    there.unwrap_or_default()
}

/// A file: where it really is, and what is in it. One below `folder` is told by its path from there.
fn file(name: &str, path: &Path, folder: &Path) -> Thing {
    let real = path.canonicalize().unwrap_or_default();
    let mut mark = real.as_os_str().as_bytes().to_vec();
    mark.push(0);
    // Only a plain file is opened: anything else may wait for ever.
    if let Ok(meta) = real.metadata() {
        match content(&real, &meta) {
            Some(content) => {
                mark.extend(content);
                mark.extend(meta.mode().to_be_bytes());
            }
            None => mark.extend(identity(&meta)),
        }
    }
    thing(name, real.strip_prefix(folder).unwrap_or(&real), &mark)
}

/// What was left out of a look, known only by what `left` tells of it: the yes to it begins it, as it stood then.
fn unbound(left: &[u8]) -> Thing {
    Thing { name: "not looked at".to_owned(), path: LEFT_OUT.to_owned(), of: BlobId::of(left) }
}

/// What is in a plain file that is not too large; `None` when it cannot be read.
fn content(path: &Path, meta: &Metadata) -> Option<Vec<u8>> {
    if meta.len() > MOST_READ {
        return None;
    }
    regular::read(path, MOST_READ).ok()
}

/// A folder: where it really is.
fn place(name: &str, path: &Path) -> Thing {
    let mut mark = path.as_os_str().as_bytes().to_vec();
    if let Ok(meta) = path.metadata() {
        mark.extend([meta.dev(), meta.ino()].iter().flat_map(|n| n.to_be_bytes()));
    }
    thing(name, path, &mark)
}

fn thing(name: &str, path: &Path, mark: &[u8]) -> Thing {
    let name = name.chars().take(MOST_NAME).collect();
    Thing { name, path: path.to_string_lossy().into_owned(), of: BlobId::of(mark) }
}

/// What tells a file from another one without its content.
fn identity(meta: &Metadata) -> Vec<u8> {
    let times = [meta.mtime(), meta.mtime_nsec(), meta.ctime(), meta.ctime_nsec()];
    let numbers = [meta.dev(), meta.ino(), meta.size(), u64::from(meta.mode())];
    let numbers = numbers.iter().flat_map(|n| n.to_be_bytes());
    numbers.chain(times.iter().flat_map(|n| n.to_be_bytes())).collect()
}

#[cfg(test)]
mod tests;
