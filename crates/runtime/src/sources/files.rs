//! Files of sources: which there are, the user's and a project's, and what of them cannot be used.
//!
//! Owns where they stand and what is said of them before anything starts. Never starts a source.

use std::{
    fs,
    path::{Path, PathBuf},
};

use pilothouse_sources::{Definition, FileFault, Origin, Reach, read_common, read_one};
use serde_json::Value;

use super::pins::Pins;
use crate::{
    error::RuntimeError,
    home::Home,
    own,
    trust::{self, Brought, Kind, Survey},
};

/// The name of a file in the form that other agents share, in the user's folder.
const COMMON: &str = "mcp.json";
/// The same at the root of a project.
pub(crate) const SHARED: &str = ".mcp.json";
/// The folder with a folder for each source.
pub(crate) const FOLDER: &str = "sources";
/// The same folder of a project.
pub(crate) const PROJECT: &str = ".pilothouse/sources";
/// The file in it.
pub(crate) const FILE: &str = "config.json";
/// The most sources of a session.
const MOST_SOURCES: usize = 64;

/// The user's own sources, as their files have them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnSources {
    /// Those that can be used.
    pub all: Vec<Definition>,
    /// What cannot be.
    pub unread: Vec<Unread>,
}

/// What of a file of sources cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unread {
    file: PathBuf,
    /// The source of it, where the others can be.
    of: Option<String>,
    /// Why, with its place.
    pub why: String,
}

impl Unread {
    /// Whether it is of what this source was read from.
    pub fn is_of(&self, source: &Definition) -> bool {
        self.file == source.file && self.of.as_ref().is_none_or(|name| *name == source.name)
    }
}

/// What was found, and what of it cannot be used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Those in force.
    pub all: Vec<Definition>,
    /// Those of a project that is not trusted.
    pub untrusted: Vec<Definition>,
    /// What cannot be used, and why.
    pub notices: Vec<String>,
    /// Whether the folder is trusted.
    pub trusted: bool,
}

impl Found {
    /// The user's sources, and the project's where the folder is trusted.
    pub fn of(home: &Home, root: &Path, survey: &Survey) -> Self {
        let own = of_user(home, &[]);
        let unread = own.unread.into_iter().map(|unread| unread.why);
        let found = Self::with(own.all, home, root, survey);
        Self { notices: unread.chain(found.notices).collect(), ..found }
    }

    /// The same with these of the user's.
    pub fn with(mut all: Vec<Definition>, home: &Home, root: &Path, survey: &Survey) -> Self {
        let mut notices: Vec<String> = Pins::of(home).unreadable().into_iter().collect();
        let (theirs, faults) = of_project(root, &survey.brought);
        if !survey.standing.trust.holds() {
            return Self { all, untrusted: theirs, notices, trusted: false };
        }
        notices.extend(faults);
        for source in theirs {
            if all.iter().any(|d| d.name == source.name) {
                notices.push(format!(
                    "{}: one of your own sources is also called {}; yours is used",
                    source.file.display(),
                    source.name
                ));
            } else {
                all.push(source);
            }
        }
        all.truncate(MOST_SOURCES);
        Self { all, untrusted: Vec::new(), notices, trusted: true }
    }

    /// With those that a client names, as far as nothing else here is called so.
    #[must_use]
    pub fn beside(mut self, client: &[Definition]) -> Self {
        for source in client {
            let named = |d: &&Definition| d.name == source.name;
            // Nobody is asked about what could not start.
            if let Some(why) = super::nowhere(source).filter(|_| !self.trusted) {
                self.notices.push(format!("the server {} from your editor is ignored: {why}", source.name));
                continue;
            }
            let whose = match self.all.iter().chain(&self.untrusted).find(named).map(|d| d.origin) {
                None if self.all.len() >= MOST_SOURCES => "there are too many sources already",
                None => {
                    self.all.push(source.clone());
                    continue;
                }
                Some(Origin::User) => "one of your own sources has that name",
                Some(Origin::Project) => "a source in this folder has that name",
                Some(Origin::Client) => "another one has that name",
            };
            self.notices.push(format!("the server {} from your editor is ignored: {whose}", source.name));
        }
        self
    }

    /// Those of them that a client names.
    pub fn of_client(&self) -> impl Iterator<Item = &Definition> {
        self.all.iter().filter(|source| source.origin == Origin::Client)
    }
}

/// The user's own sources. What cannot be read is as it was in `before`, as far as that had it.
pub fn of_user(home: &Home, before: &[Definition]) -> OwnSources {
    let mut own = OwnSources::default();
    let mut take = |file: &Path, read: &dyn Fn(&str) -> Read| {
        let unread = |of: Option<String>, why: String| Unread { file: file.to_owned(), of, why };
        let (found, faults) = match own::text(file) {
            Ok(None) => return,
            Ok(Some(text)) => read(&text),
            Err(e) => {
                own.unread.push(unread(None, format!("{e}\n{}", e.hint())));
                (Vec::new(), Vec::new())
            }
        };
        own.unread.extend(faults.into_iter().map(|e| unread(e.of.clone(), e.to_string())));
        let held = before.iter().filter(|d| d.file == file && own.unread.iter().any(|u| u.is_of(d)));
        for source in found.into_iter().chain(held.cloned()) {
            if !own.all.iter().any(|d| d.name == source.name) {
                own.all.push(source);
            }
        }
    };
    let folder = home.config.join(FOLDER);
    let names = fs::read_dir(&folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = names.filter_map(|e| e.file_name().into_string().ok()).collect();
    names.sort();
    for name in names.into_iter().take(MOST_SOURCES) {
        let file = folder.join(&name).join(FILE);
        take(&file, &|text| one(read_one(&file, &name, text, Origin::User)));
    }
    let file = home.config.join(COMMON);
    take(&file, &|text| read_common(&file, text, Origin::User));
    own
}

/// What a file names, and what of it cannot be used.
type Read = (Vec<Definition>, Vec<FileFault>);

fn one(read: Result<Definition, FileFault>) -> Read {
    match read {
        Ok(source) => (vec![source], Vec::new()),
        Err(fault) => (Vec::new(), vec![fault]),
    }
}

/// A project's sources, and what of them cannot be used.
pub fn of_project(root: &Path, brought: &Brought) -> (Vec<Definition>, Vec<String>) {
    let (mut all, mut notices) = (Vec::<Definition>::new(), Vec::new());
    for piece in brought.pieces.iter().filter(|p| p.kind == Kind::Servers) {
        let text = piece.content.as_deref().map_err(Clone::clone);
        let text = text.and_then(|bytes| std::str::from_utf8(bytes).map_err(|e| e.to_string()));
        match text.map(|text| of_text(Path::new(&piece.path), text)) {
            Err(why) => notices.push(format!("{}: {why}", piece.path)),
            Ok(Some((found, faults))) => {
                notices.extend(faults.iter().map(ToString::to_string));
                for mut source in found {
                    source.file = root.join(&piece.path);
                    if let Some((path, why)) = unread(root, brought, &source) {
                        notices
                            .push(format!("{}: {path}, which it runs, cannot be read: {why}", source.name));
                        continue;
                    }
                    if !all.iter().any(|a| a.name == source.name) {
                        all.push(source);
                    }
                }
            }
            Ok(None) => {}
        }
    }
    (all, notices)
}

/// A file that a source runs and whose content cannot be told: what it does would not be known.
fn unread(root: &Path, brought: &Brought, source: &Definition) -> Option<(String, String)> {
    let scripts = brought.pieces.iter().filter(|p| p.kind == Kind::Script);
    let bad: Vec<_> = scripts.filter_map(|p| Some((&p.path, p.content.as_ref().err()?))).collect();
    let runs = if bad.is_empty() { Vec::new() } else { trust::runs(root, source) };
    let found = bad.into_iter().find(|(path, _)| runs.contains(path));
    found.map(|(path, why)| (path.clone(), why.clone()))
}

/// The sources of a project's file; `None` where the file is none that names some.
pub fn of_text(path: &Path, text: &str) -> Option<(Vec<Definition>, Vec<FileFault>)> {
    let name = path.file_name()?.to_str()?;
    if name == COMMON || name == SHARED {
        return Some(read_common(path, text, Origin::Project));
    }
    let folder = path.parent()?;
    let slug = folder.file_name()?.to_str()?;
    let is_one = name == FILE && folder.parent().is_some_and(|p| p.ends_with(FOLDER));
    is_one.then(|| one(read_one(path, slug, text, Origin::Project)))
}

/// What is wrong in a file of sources, whoever brings it; `None` where it is none by its name and place.
///
/// # Errors
/// When it cannot be read.
pub(crate) fn check(path: &Path) -> Option<Result<Vec<FileFault>, RuntimeError>> {
    // By its name alone first: what is no such file is not opened.
    let _ = of_text(path, "")?;
    match own::text(path) {
        Ok(None) => None,
        Ok(Some(text)) => of_text(path, &text).map(|(_, faults)| Ok(faults)),
        Err(e) => Some(Err(e)),
    }
}

/// What a source would do, for the question whether a folder is trusted.
pub fn says(source: &Definition) -> String {
    let wants = source.wants();
    let gets = if wants.is_empty() { String::new() } else { format!("; gets {} of yours", wants.join(", ")) };
    match &source.reach {
        Reach::Command { .. } => {
            format!("{}: starts `{}` when it is needed{gets}", source.name, source.line())
        }
        Reach::Http { url, .. } => format!("{}: connects to {url} when it is needed{gets}", source.name),
    }
}

/// A file of sources without the values that it hands out.
pub fn legible(text: &str) -> String {
    fn conceal(value: &mut Value) {
        if !value.as_str().is_some_and(|v| v.starts_with("${") && v.ends_with('}')) {
            *value = Value::from("… (not shown)");
        }
    }
    fn hide(value: &mut Value) {
        let Some(fields) = value.as_object_mut() else { return };
        for (name, value) in fields.iter_mut() {
            if matches!(name.as_str(), "client_secret" | "clientSecret") {
                conceal(value);
                continue;
            }
            match value.as_object_mut().filter(|_| name == "env" || name == "headers") {
                Some(values) => {
                    values.iter_mut().for_each(|(_, value)| conceal(value));
                }
                None => hide(value),
            }
        }
    }
    let Ok(mut value) = serde_json::from_str::<Value>(text) else { return "(no JSON)\n".to_owned() };
    hide(&mut value);
    serde_json::to_string_pretty(&value).unwrap_or_default() + "\n"
}
