//! Files that hold secrets, by their names: the one list, `assets/knowledge/private.txt`.
//!
//! Owns which names those are, for whoever asks: the risk of a line, rules about paths, what a sandbox hides, what is
//! masked in a file. Never touches the file system.

use std::sync::LazyLock;

use super::knowledge::{Names, groups, list, spelled_out};
use super::path::glob;
use super::trace::settled;

const TEXT: &str = include_str!("../../../assets/knowledge/private.txt");

/// What a list of names is called in a file of rules or settings.
pub const FILES: &str = "<secret files>";

/// What the places of secrets in a home folder are called there.
pub const PLACES: &str = "<secret places>";

static SECRETS: LazyLock<Secrets> = LazyLock::new(Secrets::read);

/// One line of the list that stands for one name.
struct Entry {
    group: &'static str,
    /// As it is written, in its usual case: `~/.config/gcloud`.
    place: String,
    except: &'static str,
}

impl Entry {
    fn name(&self) -> &str {
        self.place.rsplit('/').next().unwrap_or(&self.place)
    }

    /// Whether the name says by itself what it is, in any folder.
    fn is_anywhere(&self) -> bool {
        !self.place.contains('/') || self.name().starts_with('.') && self.group != "places"
    }
}

#[derive(Default)]
struct Secrets {
    entries: Vec<Entry>,
    known: Vec<String>,
    files: Names<()>,
    masked: Names<()>,
    /// Those whose name alone says so, in any folder.
    folders: Names<()>,
    /// Lowercase components, with an empty one in front where the place is no home folder's.
    places: Vec<Vec<String>>,
    templates: Names<()>,
    public: Names<()>,
}

impl Secrets {
    fn read() -> Self {
        let mut entries = Vec::new();
        for (group, lines) in groups(TEXT) {
            for line in lines {
                let (names, except) = line.split_once(" except ").unwrap_or((line, ""));
                let places = names.split_whitespace().flat_map(spelled_out);
                entries.extend(places.map(|place| Entry { group, place, except }));
            }
        }
        let mut read = Self::default();
        for entry in &entries {
            let name = entry.name().to_ascii_lowercase();
            match entry.group {
                "known" => {
                    read.known.push(name.clone());
                    read.files.add(name, ());
                }
                "files" => read.files.add(name, ()),
                "folders" if entry.is_anywhere() => read.folders.add(name, ()),
                "folders" | "places" | "needed" => {
                    let place = entry.place.to_ascii_lowercase();
                    let parts = place.trim_start_matches("~/").split('/');
                    read.places.push(parts.map(str::to_owned).collect());
                }
                "masked" => read.masked.add(name, ()),
                "templates" => read.templates.add(name, ()),
                _ => read.public.add(name, ()),
            }
        }
        read.entries = entries;
        read
    }

    fn is_secret(&self, path: &str) -> bool {
        let lower = path.to_ascii_lowercase();
        let parts: Vec<&str> = lower.split(['/', '\\']).filter(|p| !p.is_empty() && *p != ".").collect();
        let Some(&last) = parts.last() else { return false };
        if parts.first() == Some(&"proc") && lower.starts_with('/') {
            // What another process has open.
            let own = parts.get(1).is_some_and(|pid| matches!(*pid, "self" | "thread-self"));
            if parts.get(2) == Some(&"fd") && !own {
                return true;
            }
            let kept = ["environ", "mem", "kcore", "auxv"];
            let wild = last.contains(['*', '?', '[']) && parts.len() > 2;
            return kept.iter().any(|name| last == *name || wild && glob(last, name));
        }
        if lower.starts_with("/root/")
            || lower.starts_with("env:")
            || self.is_place(&parts, lower.starts_with('/'))
        {
            return true;
        }
        !self.templates.has(last) && (parts.iter().any(|p| self.folders.has(p)) || self.names_one(last))
    }

    /// Whether the path is one of the places or below it; `?` stands for a blank.
    fn is_place(&self, parts: &[&str], absolute: bool) -> bool {
        let same = |a: &String, b: &str| a == b || a.contains('?') && glob(a, b);
        self.places.iter().any(|place| match place.as_slice() {
            [first, rest @ ..] if first.is_empty() => {
                absolute && parts.len() >= rest.len() && rest.iter().zip(parts).all(|(a, b)| same(a, b))
            }
            place => parts.windows(place.len()).any(|w| place.iter().zip(w).all(|(a, b)| same(a, b))),
        })
    }

    fn names_one(&self, last: &str) -> bool {
        let last = last.trim_end_matches([';', ',']);
        !self.public.has(last) && (self.files.has(last) || self.wildcard_may_name_one(last))
    }

    /// Whether a pattern with wildcards matches a well-known secret name and little else.
    fn wildcard_may_name_one(&self, pattern: &str) -> bool {
        if !pattern.contains(['*', '?', '[']) {
            return false;
        }
        let fixed = pattern.chars().filter(|c| !matches!(c, '*' | '?' | '[' | ']')).count();
        (pattern.starts_with('.') || fixed >= 3) && self.known.iter().any(|name| glob(pattern, name))
    }
}

/// Whether `path` names a file (or a directory of files) that holds credentials, as it is written or where it leads.
pub fn is_secret(path: &str) -> bool {
    let led = followed(path);
    let path = led.as_deref().unwrap_or(path);
    SECRETS.is_secret(path) || detours(path) && plain(path).is_some_and(|plain| SECRETS.is_secret(&plain))
}

/// A path through a link that every system has, as what that leads to: `/dev/fd` to the files that a process has open, and
/// its names for the root and, seen from there, for where it stands.
pub fn followed(path: &str) -> Option<String> {
    if !path.starts_with("/dev/") && !path.starts_with("/proc/") {
        return None;
    }
    let (mut out, mut start): (Vec<&str>, _) = (Vec::new(), "/");
    for part in path.split('/').filter(|part| !matches!(*part, "" | ".")) {
        match (out.as_slice(), part) {
            ([] | [.., ".."], "..") if start.is_empty() => out.push(".."),
            (_, "..") => drop(out.pop()),
            (["dev"], "fd") => out = vec!["proc", "self", "fd"],
            (["proc", _] | ["proc", _, "task", _], "root") => out.clear(),
            (["proc", _] | ["proc", _, "task", _], "cwd") => (out, start) = (Vec::new(), ""),
            (_, part) => out.push(part),
        }
    }
    let led = format!("{start}{}", out.join("/"));
    (led != path).then_some(led)
}

/// Whether a path does not go straight to where it leads.
fn detours(path: &str) -> bool {
    path.contains("//") || path.split('/').any(|part| matches!(part, "." | ".."))
}

/// Where a path leads by its text; `None` when it climbs above its start.
fn plain(path: &str) -> Option<String> {
    // A home is one of those that lie beside each other.
    let home = path.strip_prefix('~').map(|_| format!("/home/{path}"));
    settled(&[home.as_deref().unwrap_or(path)])
}

/// Whether a path is somebody's own though no entry names it: what programs keep behind a dot in a home, and names by
/// which people keep keys. Only to be read with a question; nothing hides it.
pub fn is_private(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    let lower = followed(&lower).unwrap_or(lower);
    let lower = plain(&lower).unwrap_or(lower);
    let last = lower.rsplit('/').find(|part| !part.is_empty()).unwrap_or("");
    if SECRETS.templates.has(last) {
        return false;
    }
    in_home(&lower).is_some_and(|rest| is_kept(&rest))
        || list("private places").iter().any(|pattern| glob(pattern, &lower))
        || list("private names").iter().any(|pattern| glob(pattern, last))
}

/// What stands in a home, as seen from there: one of those in the folders that systems have for them, which a wildcard may
/// stand for as well.
fn in_home(path: &str) -> Option<String> {
    let parts: Vec<&str> = path.strip_prefix('/')?.split('/').collect();
    list("folders of homes").iter().find_map(|folder| {
        let names: Vec<&str> = folder.split('/').filter(|name| !name.is_empty()).collect();
        let is = names.iter().zip(&parts).all(|(name, part)| glob(part, name));
        is.then(|| parts.get(names.len() + 1..))?.map(|rest| rest.join("/"))
    })
}

/// Whether what stands in a home is a file that a program keeps there for itself.
fn is_kept(rest: &str) -> bool {
    let rest = rest.trim_end_matches(['/', '*']);
    let is_below =
        |open: &&&str| rest.strip_prefix(**open).is_some_and(|r| r.is_empty() || r.starts_with('/'));
    rest.len() > 1 && rest.starts_with('.') && !list("open homes").iter().any(|open| is_below(&open))
}

/// Whether the values of a file are secrets where their names say so; templates have none.
pub fn keeps_secrets(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    let mut parts: Vec<&str> = lower.split('/').collect();
    let name = parts.pop().unwrap_or_default();
    let all = &*SECRETS;
    !all.templates.has(name)
        && (all.files.has(name) || all.masked.has(name) || parts.iter().any(|p| all.folders.has(p)))
}

/// What stands for the list in a rule about paths: each name with what it leaves out, and whether nothing but files has it.
pub fn patterns() -> impl Iterator<Item = (String, bool)> {
    let asked = |e: &&Entry| matches!(e.group, "known" | "files" | "folders" | "places" | "needed");
    SECRETS.entries.iter().filter(asked).map(|entry| {
        let name = if entry.is_anywhere() { entry.name() } else { &entry.place };
        let except = if entry.except.is_empty() { "" } else { " except " };
        (format!("{name}{except}{}", entry.except), matches!(entry.group, "known" | "files"))
    })
}

/// Where secrets lie in a home folder, as `~/…`.
pub fn places() -> impl Iterator<Item = &'static str> {
    let hidden = SECRETS.entries.iter().filter(|entry| entry.group != "needed");
    let places = hidden.map(|entry| entry.place.as_str());
    places.filter(|place| place.starts_with("~/") && !place.contains(['*', '?']))
}

/// Whether what a line runs is given a file that keeps secrets, or reads or writes one.
pub fn named_in(line: &str) -> bool {
    let reading = super::read(line);
    let mut words = reading.calls.iter().flat_map(|call| &call.words);
    words.any(|word| names_secret(&word.text)) || reading.uses.iter().any(|of| is_secret(&of.path))
}

/// The candidates for a path inside an argument: after `=`, `:`, `@` and `,` as well.
pub(super) fn names_secret(argument: &str) -> bool {
    if argument.starts_with('!') || argument.starts_with("--exclude") || argument.starts_with("--ignore") {
        return false;
    }
    if is_secret(argument) {
        return true;
    }
    argument.contains(['=', ':', '@', ',', '<', '"', '\'', '('])
        && argument
            .split(['=', ':', '@', ',', '<', '"', '\'', '(', ')', ' '])
            .any(|part| !part.is_empty() && part.len() < argument.len() && is_secret(part))
}
