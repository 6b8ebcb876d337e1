//! Files of the user and of a project, held to their formats: what is wrong, with file, line and column.
//!
//! Owns which file is what, by its name and its place. Reads only, and what it reads has no effect.

use std::{
    fs,
    path::{Path, PathBuf},
};

use pilothouse_core::{hook::Origin, policy::Source};

use crate::{
    config::{self, Layer, ProjectLayer},
    error::RuntimeError,
    home::Home,
    hooks, own, permissions, recipes, sources,
};

/// How deep a folder is looked into.
const MOST_DEPTH: usize = 8;
/// The most entries of one folder.
const MOST_ENTRIES: usize = 4000;
/// Folders that hold what others made.
const FOREIGN: [&str; 3] = [".git", "node_modules", "target"];

/// Something that is wrong in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The file.
    pub file: PathBuf,
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
    /// What is wrong, and how to mend it where that is known.
    pub what: String,
}

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Checked {
    /// Files that were read.
    pub files: usize,
    /// What is wrong with them.
    pub mistakes: Vec<Mistake>,
}

/// A file of the screen, whose format is its own affair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OfScreen {
    /// The user's keys.
    Keymap,
    /// A theme of the user.
    Theme,
    /// The name of a theme that a setting has, instead of a text.
    ThemeName,
}

/// Says what is wrong in the text of a file of the screen: line, column, what.
pub type Screen<'a> = &'a dyn Fn(OfScreen, &str) -> Option<(usize, usize, String)>;

/// Checks these files and what lies in these folders; without any, the user's configuration and what `folder` brings.
///
/// # Errors
/// When a path that was named is not there or is no file that this program reads.
pub fn check(
    home: &Home,
    folder: &Path,
    paths: &[PathBuf],
    screen: Screen<'_>,
) -> Result<Checked, RuntimeError> {
    let mut checked = Checked::default();
    for path in paths {
        let meta = fs::symlink_metadata(path).map_err(RuntimeError::io("read", path))?;
        let real = path.canonicalize().unwrap_or_else(|_| path.clone());
        if real.is_dir() {
            checked.folder(&real, home, screen, MOST_DEPTH);
        } else {
            // By the folder that it really stands in, but as itself: what a link leads to is judged below.
            let parent = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
            let parent = parent.canonicalize().unwrap_or_else(|_| parent.to_owned());
            let at = if meta.is_symlink() { parent.join(path.file_name().unwrap_or_default()) } else { real };
            if !checked.file(&at, home, screen) {
                let what = path.display().to_string();
                let message =
                    "it is no skill, agent, command or configuration file by its name and place".to_owned();
                return Err(RuntimeError::Setting { what, message });
            }
        }
    }
    if paths.is_empty() {
        checked.file(&folder.join(sources::SHARED), home, screen);
        checked.folder(&home.config, home, screen, 4);
        let of_project = recipes::PROJECT.iter().map(|(name, _)| *name);
        let of_project = of_project.filter(|name| !name.starts_with(".pilothouse/"));
        let mut places: Vec<PathBuf> =
            std::iter::once(".pilothouse").chain(of_project).map(|name| folder.join(name)).collect();
        let of_user = recipes::of_user(home).map(|(place, _)| place);
        places.extend(of_user.filter(|place| !place.starts_with(&home.config)));
        places.sort();
        places.dedup();
        for place in places {
            checked.folder(&place, home, screen, MOST_DEPTH);
        }
    }
    Ok(checked)
}

/// Checks the files of settings of the user and of `folder`, as far as they are there.
pub fn settings(home: &Home, folder: &Path, screen: Screen<'_>) -> Checked {
    let own = ["config.toml", "permissions.toml", "hooks.toml", "keymap.toml", "mcp.json"];
    let own = own.map(|name| home.config.join(name));
    let project = ["config.toml", "permissions.toml", "hooks.toml", "mcp.json"];
    let project = project.map(|name| folder.join(".pilothouse").join(name));
    let mut checked = Checked::default();
    for path in own.into_iter().chain(project).chain([folder.join(sources::SHARED)]) {
        if path.exists() {
            checked.file(&path, home, screen);
        }
    }
    checked
}

impl Checked {
    fn folder(&mut self, folder: &Path, home: &Home, screen: Screen<'_>, depth: usize) {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten().take(MOST_ENTRIES);
        let mut paths: Vec<PathBuf> = entries.map(|e| e.path()).collect();
        paths.sort();
        // What lies beside a skill's text is the skill's own, whatever its folders are called.
        let of_skill = |path: &PathBuf| recipes::SKILL_FILES.iter().any(|name| path.ends_with(name));
        if paths.iter().any(of_skill) {
            paths.retain(of_skill);
        }
        for path in paths {
            let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
            let link = fs::symlink_metadata(&path).is_ok_and(|m| m.is_symlink());
            if !path.is_dir() {
                self.file(&path, home, screen);
            } else if depth > 0 && !link && !FOREIGN.contains(&name) && path != home.state {
                self.folder(&path, home, screen, depth - 1);
            }
        }
    }

    /// Whether it is a file that this program reads.
    fn file(&mut self, path: &Path, home: &Home, screen: Screen<'_>) -> bool {
        if let Some(recipe) = recipes::check(path) {
            self.files += 1;
            self.mistakes.extend(recipe.fault.map(|fault| Mistake {
                file: path.to_owned(),
                line: fault.at.line,
                column: fault.at.column,
                what: fault.why,
            }));
            return true;
        }
        if let Some(read) = sources::check(path) {
            self.files += 1;
            match read {
                Ok(faults) => self.mistakes.extend(faults.into_iter().map(|f| Mistake {
                    file: path.to_owned(),
                    line: f.line,
                    column: f.column,
                    what: f.why,
                })),
                Err(e) => self.mistakes.push(mistake(path, &e)),
            }
            return true;
        }
        let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
        let parent = path.parent().unwrap_or(Path::new(""));
        let project = parent.ends_with(".pilothouse");
        let own = home.config.canonicalize().is_ok_and(|c| c == parent) || home.config == parent;
        let theme = is_theme(path, home);
        let named = matches!(name, "config.toml" | "permissions.toml" | "hooks.toml" | "keymap.toml");
        if !theme && !((project || own) && named) {
            return false;
        }
        self.files += 1;
        let text = match own::text(path) {
            Ok(text) => text.unwrap_or_default(),
            Err(e) => {
                self.mistakes.push(mistake(path, &e));
                return true;
            }
        };
        self.text(path, &text, if theme { "" } else { name }, project, screen);
        true
    }

    /// All that is wrong in the text of a file of that name; a theme has none.
    fn text(&mut self, path: &Path, text: &str, name: &str, project: bool, screen: Screen<'_>) {
        let origin = if project { Origin::Project } else { Origin::User };
        match name {
            "config.toml" if project => {
                self.each(path, text, |text| ProjectLayer::parse(path, text).err());
            }
            "config.toml" => {
                let left = self.each(path, text, |text| Layer::parse(path, text).err());
                self.mistakes.extend(config::beyond(&left).into_iter().map(at(path)));
                let theme = Layer::parse(path, &left).ok().and_then(|layer| layer.screen.theme);
                let unknown = theme.and_then(|name| screen(OfScreen::ThemeName, &name));
                let place = config::place(&left, "screen", "theme").unwrap_or((1, 1));
                self.mistakes.extend(unknown.map(|(_, _, what)| (place.0, place.1, what)).map(at(path)));
            }
            "permissions.toml" => self.rules(path, text, project),
            "hooks.toml" => {
                self.each(path, text, |text| hooks::parse(path, text, origin).err());
            }
            _ => {
                let of = if name.is_empty() { OfScreen::Theme } else { OfScreen::Keymap };
                let (found, _) = config::all(text, |text| screen(of, text), |(line, ..)| Some(*line));
                self.mistakes.extend(found.into_iter().map(at(path)));
            }
        }
    }

    /// All that is wrong in the text of a file; gives what is left of it.
    fn each(&mut self, path: &Path, text: &str, read: impl Fn(&str) -> Option<RuntimeError>) -> String {
        let line_of =
            |e: &RuntimeError| if let RuntimeError::Config { line, .. } = e { Some(*line) } else { None };
        let (found, left) = config::all(text, read, line_of);
        self.mistakes.extend(found.iter().map(|e| mistake(path, e)));
        left
    }

    /// A file of rules, with those in it that let nothing run.
    fn rules(&mut self, path: &Path, text: &str, project: bool) {
        let source = if project { Source::Project } else { Source::User };
        let left = self.each(path, text, |text| permissions::check(path, text, source).err());
        let idle = permissions::check(path, &left, source).unwrap_or_default();
        self.mistakes.extend(idle.into_iter().map(|(line, what)| (line, 1, what)).map(at(path)));
    }
}

/// What is wrong at a place of a file.
fn at(path: &Path) -> impl Fn((usize, usize, String)) -> Mistake {
    let file = path.to_owned();
    move |(line, column, what)| Mistake { file: file.clone(), line, column, what }
}

/// Whether it is a theme of the user by its place.
fn is_theme(path: &Path, home: &Home) -> bool {
    let themes = home.config.join("themes");
    let here = |folder: &Path| folder == themes || themes.canonicalize().is_ok_and(|real| real == folder);
    path.extension().is_some_and(|e| e == "toml") && path.parent().is_some_and(here)
}

fn mistake(path: &Path, error: &RuntimeError) -> Mistake {
    let hint = error.hint();
    let told = |what: &str| if hint.is_empty() { what.to_owned() } else { format!("{what}; {hint}") };
    if let RuntimeError::Config { file, line, column, message, .. } = error {
        return Mistake { file: file.clone(), line: *line, column: *column, what: told(message) };
    }
    Mistake { file: path.to_owned(), line: 1, column: 1, what: told(&error.to_string()) }
}
