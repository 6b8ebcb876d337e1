//! Skills, commands and agents: where their files are looked for, and how they are read.
//!
//! Owns the places and the safe ways to read there. What a file has to say is core's; what the project brings has effect
//! only as it was when it was trusted.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use pilothouse_core::{
    front::{Fault, Place},
    pipeline::PipelineSpec,
    recipe::{Beside, Recipe, RecipeFile, RecipeKind, RecipeOrigin, Recipes},
};

use crate::{
    agents,
    driver::{self, Setup},
    home::Home,
    own,
    project::{Mark, mark},
    trust::{Brought, Piece, Survey},
};

/// Skills that come with the program.
const SHIPPED: [(&str, &str); 3] = [
    ("explain-repository", include_str!("../../../assets/skills/explain-repository/SKILL.md")),
    ("write-tests", include_str!("../../../assets/skills/write-tests/SKILL.md")),
    ("release-note", include_str!("../../../assets/skills/release-note/SKILL.md")),
];
/// What the text of a skill is called in its folder.
pub(crate) const SKILL_FILES: [&str; 2] = ["SKILL.md", "skill.md"];
/// Folders of the user's configuration.
const OWN: [(&str, RecipeKind); 3] =
    [("skills", RecipeKind::Skill), ("commands", RecipeKind::Command), ("agents", RecipeKind::Agent)];
/// Folders of a project that hold recipes; the later ones hold where two have one name.
pub const PROJECT: [(&str, RecipeKind); 9] = [
    (".claude/skills", RecipeKind::Skill),
    (".agents/skills", RecipeKind::Skill),
    (".pilothouse/skills", RecipeKind::Skill),
    (".claude/commands", RecipeKind::Command),
    (".agents/commands", RecipeKind::Command),
    (".pilothouse/commands", RecipeKind::Command),
    (".claude/agents", RecipeKind::Agent),
    (".agents/agents", RecipeKind::Agent),
    (".pilothouse/agents", RecipeKind::Agent),
];
/// The most entries of a folder that are looked at.
const MOST_ENTRIES: usize = 400;
/// The most files that are named beside a skill.
const MOST_BESIDE: usize = 100;
/// How deep the folder of a skill is looked into.
const MOST_DEPTH: usize = 4;
/// Said of what an untrusted project brings.
const UNTRUSTED: &str = "it is inactive: this folder is not trusted; /trust shows what it brings";
/// Said of what is not what was trusted.
const CHANGED: &str = "it is inactive: it changed since the folder was trusted; /trust asks about it";

/// What was found, and the files as they were then.
#[derive(Debug, Default)]
pub struct Found {
    /// The recipes.
    pub recipes: Recipes,
    /// Whether what the project brings has effect.
    trusted: bool,
    seen: Vec<(PathBuf, Option<Mark>)>,
}

impl Found {
    /// Looks in every place; of the project only what `survey` says is trusted has effect.
    pub fn look(home: &Home, root: &Path, survey: &Survey) -> Self {
        let mut places = Places::default();
        let skills = SHIPPED.iter().map(|(slug, text)| shipped(slug, text));
        let mut all: Vec<Recipe> = skills.chain(agents::shipped()).collect();
        let mut own = Vec::new();
        for (folder, kind) in of_user(home) {
            for recipe in places.own(&folder, kind, RecipeOrigin::User) {
                keep(&mut own, recipe);
            }
        }
        all.extend(own);
        for (folder, _) in PROJECT {
            places.see(&root.join(folder));
        }
        let now = Brought::scan(root);
        for piece in &now.pieces {
            places.see(&root.join(&piece.path));
            places.see_parent(&root.join(&piece.path));
        }
        all.extend(project(&now.pieces, |piece| {
            if !survey.standing.trust.holds() {
                return Err(UNTRUSTED.to_owned());
            }
            if survey.brought.pieces.contains(piece) {
                piece.content.clone()
            } else {
                Err(CHANGED.to_owned())
            }
        }));
        Self { recipes: Recipes::of(all), trusted: survey.standing.trust.holds(), seen: places.seen }
    }

    /// Whether a file or a folder that was looked at is another one now.
    pub fn is_stale(&self) -> bool {
        self.seen.iter().any(|(path, was)| mark(path) != *was)
    }

    /// What the user should know of their own and of those of a trusted project: what cannot be used.
    pub fn warnings(&self) -> Vec<String> {
        let own = self.recipes.iter().filter(|r| match r.origin {
            RecipeOrigin::User => true,
            RecipeOrigin::Project => self.trusted,
            RecipeOrigin::Shipped => false,
        });
        own.filter_map(|r| {
            Some(format!("{} {} cannot be used: {}:{}", r.kind.name(), r.name, r.file, r.fault.as_ref()?))
        })
        .collect()
    }
}

/// The folders of the user's recipes: those that other agents read as well, then the program's own, which hold where
/// two have one name.
pub(crate) fn of_user(home: &Home) -> impl Iterator<Item = (PathBuf, RecipeKind)> {
    let shared = PROJECT.iter().filter(|(folder, _)| !folder.starts_with(".pilothouse/"));
    let shared = shared.map(|(folder, kind)| (home.user.join(folder), *kind));
    shared.chain(OWN.iter().map(|(folder, kind)| (home.config.join(folder), *kind)))
}

/// What there is in a folder where no session is open.
pub fn known(setup: &Setup) -> Found {
    let root = setup.workspace.canonicalize().unwrap_or_else(|_| setup.workspace.clone());
    let (folder, survey) = driver::found(setup, &root);
    Found::look(&setup.home, &folder.root, &survey)
}

/// A recipe that comes with the program.
fn shipped(slug: &str, text: &str) -> Recipe {
    Recipe::read(RecipeFile {
        kind: RecipeKind::Skill,
        origin: RecipeOrigin::Shipped,
        slug: slug.to_owned(),
        folder: true,
        file: format!("skills/{slug}/SKILL.md"),
        content: Ok(text.as_bytes().to_vec()),
        beside: Beside::None,
    })
}

/// Whether a file is the one that a folder of a recipe is known by.
fn is_head(kind: RecipeKind, name: &str) -> bool {
    match kind {
        RecipeKind::Skill => SKILL_FILES.contains(&name),
        RecipeKind::Agent => name == "AGENT.md",
        RecipeKind::Command => false,
    }
}

/// What a file of a folder of this kind is, by its path in it: its name, and whether a folder bears it.
fn slug_of(kind: RecipeKind, path: &str) -> Option<(String, bool)> {
    match (kind, path.split('/').collect::<Vec<_>>().as_slice()) {
        (RecipeKind::Skill | RecipeKind::Agent, [slug, name]) if is_head(kind, name) => {
            Some(((*slug).to_owned(), true))
        }
        (RecipeKind::Agent, [name]) => Some((name.strip_suffix(".md")?.to_owned(), false)),
        (RecipeKind::Command, parts) => Some((parts.join("-").strip_suffix(".md")?.to_owned(), false)),
        (RecipeKind::Skill | RecipeKind::Agent, _) => None,
    }
}

/// What a project brings, each file with its content as `content` lets it have effect.
fn project(pieces: &[Piece], content: impl Fn(&Piece) -> Result<Vec<u8>, String>) -> Vec<Recipe> {
    let mut all: Vec<Recipe> = Vec::new();
    for (folder, kind) in PROJECT {
        let below =
            |p: &Piece| p.path.strip_prefix(folder).and_then(|p| p.strip_prefix('/')).map(str::to_owned);
        let inside: Vec<(String, &Piece)> = pieces.iter().filter_map(|p| Some((below(p)?, p))).collect();
        for (path, piece) in &inside {
            if let Some(slug) = stages_of(kind, path) {
                let file = |name: &str| inside.iter().find(|(p, _)| *p == format!("{slug}/{name}"));
                let bytes = |name: &str| file(name).map(|(_, piece)| content(piece));
                let of = format!("{folder}/{slug}");
                keep(&mut all, agents::read(RecipeOrigin::Project, slug, &of, bytes));
                continue;
            }
            let Some((slug, bears)) = slug_of(kind, path) else { continue };
            if inside.iter().any(|(p, _)| stages_of(kind, p) == Some(slug.as_str())) {
                continue;
            }
            let mut held = BTreeMap::new();
            let mut fault = None;
            let others =
                inside.iter().filter(|(other, _)| bears && kind == RecipeKind::Skill && other != path);
            for (other, of) in others {
                let Some(name) = other.strip_prefix(&slug).and_then(|o| o.strip_prefix('/')) else {
                    continue;
                };
                match content(of) {
                    Ok(bytes) => drop(held.insert(name.to_owned(), Arc::from(bytes))),
                    Err(why) => fault = Some(format!("{name} beside it: {why}")),
                }
            }
            let content = match fault {
                Some(why) => content(piece).and(Err(why)),
                None => content(piece),
            };
            let recipe = Recipe::read(RecipeFile {
                kind,
                origin: RecipeOrigin::Project,
                slug,
                folder: bears,
                file: piece.path.clone(),
                content,
                beside: if held.is_empty() { Beside::None } else { Beside::Held(held) },
            });
            keep(&mut all, recipe);
        }
    }
    all
}

/// The later folder holds; what an earlier one has of the same name says nothing more.
fn keep(all: &mut Vec<Recipe>, recipe: Recipe) {
    if recipe.usable() {
        all.retain(|r| r.name != recipe.name || r.kind != recipe.kind || !r.usable());
    }
    all.push(recipe);
}

/// The agent with stages that a file makes what it is.
fn stages_of(kind: RecipeKind, path: &str) -> Option<&str> {
    let (slug, name) = path.split_once('/')?;
    (kind == RecipeKind::Agent && name == agents::CONFIG).then_some(slug)
}

/// What a file of a project would do, in words.
pub(crate) fn would(piece: &Piece, kind: RecipeKind) -> String {
    if let (RecipeKind::Agent, true, Ok(bytes)) = (kind, piece.path.ends_with("/config.json"), &piece.content)
    {
        return agents::would(bytes);
    }
    let alone = project(std::slice::from_ref(piece), |p| p.content.clone());
    let kind = match kind {
        RecipeKind::Agent => "an agent",
        RecipeKind::Command => "a slash command",
        RecipeKind::Skill => "a skill",
    };
    match alone.first() {
        None => format!("a file beside {kind}"),
        Some(recipe) => match &recipe.fault {
            Some(fault) => format!("{kind} that cannot be used: {fault}"),
            None => format!("{kind}, {}: {}", recipe.call(), recipe.description.replace('\n', " ")),
        },
    }
}

/// The folders where the user's recipes of a kind and this folder's stand, those that there are.
pub fn folders(home: &Home, root: &Path, kind: RecipeKind) -> Vec<PathBuf> {
    let theirs = PROJECT.iter().map(|(folder, of)| (root.join(folder), *of));
    let all = of_user(home).chain(theirs).filter(|(path, of)| *of == kind && path.is_dir());
    let mut folders = Vec::new();
    for (path, _) in all {
        // The home folder may be the one that is worked in.
        if !folders.contains(&path) {
            folders.push(path);
        }
    }
    folders
}

/// One file of an agent with stages, with what is wrong in this one.
fn check_staged(path: &Path) -> Option<Recipe> {
    let parents = path.ancestors().skip(1).take(2);
    let of_agents = |f: &&Path| f.parent().is_some_and(|p| p.ends_with("agents"));
    let folder = parents.filter(of_agents).find(|f| f.join(agents::CONFIG).is_file())?;
    let name = path.strip_prefix(folder).ok()?.to_str()?;
    let prompt = name.strip_prefix("prompts/").and_then(|p| p.strip_suffix(".md"));
    if prompt.is_none() && !matches!(name, agents::CONFIG | "AGENT.md") {
        return None;
    }
    let slug = folder.file_name()?.to_str()?;
    let mut recipe = Places::default().staged(folder, slug, RecipeOrigin::User);
    let at = PathBuf::from(&recipe.file);
    // What a file lacks that is not there is wrong in the one that asks for it.
    let missing = name == agents::CONFIG && !at.exists();
    recipe.fault = recipe.fault.filter(|_| at == path || missing).map(|fault| {
        let file = at.strip_prefix(folder).unwrap_or(&at).display();
        if missing { Fault::new(fault.at, format!("{file}: {}", fault.why)) } else { fault }
    });
    let config = own::text(&folder.join(agents::CONFIG)).ok().flatten().unwrap_or_default();
    if let (Some(prompt), Ok(spec)) = (prompt, PipelineSpec::read(&config))
        && !spec.stages.iter().any(|s| prompt == format!("stage-{}", s.name))
    {
        recipe.fault =
            Some(Fault::new(Place::START, "there is no stage of that name; name it stage-NAME.md"));
    }
    Some(recipe)
}

/// What a file or a folder of files holds that somebody wants checked.
pub fn check(path: &Path) -> Option<Recipe> {
    if let Some(recipe) = check_staged(path) {
        return Some(recipe);
    }
    let name = path.file_name()?.to_str()?;
    let parent = path.parent()?.file_name().and_then(|n| n.to_str()).unwrap_or_default();
    let kind = match name {
        name if SKILL_FILES.contains(&name) => RecipeKind::Skill,
        "AGENT.md" => RecipeKind::Agent,
        _ if name.strip_suffix(".md").is_none() => return None,
        _ if parent == "commands" => RecipeKind::Command,
        _ if parent == "agents" => RecipeKind::Agent,
        _ => return None,
    };
    let folder = is_head(kind, name);
    let slug = if folder { parent.to_owned() } else { name.trim_end_matches(".md").to_owned() };
    Some(Places::default().file((path, kind, RecipeOrigin::User), slug, folder))
}

/// Where was looked.
#[derive(Default)]
struct Places {
    seen: Vec<(PathBuf, Option<Mark>)>,
}

impl Places {
    fn see(&mut self, path: &Path) {
        self.seen.push((path.to_owned(), mark(path)));
    }

    fn see_parent(&mut self, path: &Path) {
        if let Some(parent) = path.parent().filter(|p| !self.seen.iter().any(|(seen, _)| seen == p)) {
            self.see(parent);
        }
    }

    /// The names in a folder, in order.
    fn names(&mut self, folder: &Path) -> Vec<String> {
        self.see(folder);
        let entries = fs::read_dir(folder).into_iter().flatten().flatten().take(MOST_ENTRIES);
        let mut names: Vec<String> = entries.filter_map(|e| e.file_name().into_string().ok()).collect();
        names.retain(|n| !n.starts_with('.'));
        names.sort();
        names
    }

    /// The recipes of a folder of the user's.
    fn own(&mut self, folder: &Path, kind: RecipeKind, origin: RecipeOrigin) -> Vec<Recipe> {
        let mut all = Vec::new();
        for name in self.names(folder) {
            let path = folder.join(&name);
            if !path.is_dir() {
                let slug = slug_of(kind, &name).filter(|(_, bears)| !bears);
                all.extend(slug.map(|(slug, _)| self.file((&path, kind, origin), slug, false)));
                continue;
            }
            if kind == RecipeKind::Agent && path.join(agents::CONFIG).exists() {
                all.push(self.staged(&path, &name, origin));
                continue;
            }
            for inner in self.names(&path) {
                if let Some((slug, bears)) = slug_of(kind, &format!("{name}/{inner}")) {
                    all.push(self.file((&path.join(inner), kind, origin), slug, bears));
                }
            }
        }
        all
    }

    /// An agent of the user's with stages.
    fn staged(&mut self, folder: &Path, slug: &str, origin: RecipeOrigin) -> Recipe {
        let prompts = self.names(&folder.join("prompts"));
        let own = [agents::CONFIG.to_owned(), "AGENT.md".to_owned()].into_iter();
        for name in own.chain(prompts.into_iter().map(|p| format!("prompts/{p}"))) {
            self.see(&folder.join(name));
        }
        self.see(folder);
        agents::read(origin, slug, &folder.to_string_lossy(), |name| {
            let file = folder.join(name);
            fs::symlink_metadata(&file).is_ok().then(|| content(&file))
        })
    }

    /// One file of the user's, with the names of what is beside it.
    fn file(
        &mut self,
        (path, kind, origin): (&Path, RecipeKind, RecipeOrigin),
        slug: String,
        folder: bool,
    ) -> Recipe {
        self.see(path);
        let mut content = content(path);
        let mut beside = Beside::None;
        if let Some(home) = path.parent().filter(|_| folder && kind == RecipeKind::Skill && content.is_ok()) {
            let mut names = Vec::new();
            let home = home.canonicalize().unwrap_or_else(|_| home.to_owned());
            if let Err(why) = list(&home, &home, MOST_DEPTH, &mut names) {
                content = Err(why);
            }
            names.retain(|n| !is_head(kind, n));
            if !names.is_empty() {
                beside = Beside::Folder(home.to_string_lossy().into_owned(), names);
            }
        }
        let file = path.to_string_lossy().into_owned();
        Recipe::read(RecipeFile { kind, origin, slug, folder, file, content, beside })
    }
}

/// A file of the user's, or why it cannot be read.
fn content(path: &Path) -> Result<Vec<u8>, String> {
    inside(path)?;
    match own::read(path) {
        Ok(bytes) => bytes.ok_or_else(|| "it is gone".to_owned()),
        Err(e) => Err(format!("{e}\n{}", e.hint()).trim_end().replace('\n', "; ")),
    }
}

/// Whether a file is where it seems to be: a link of its own must not lead out of its folder.
fn inside(path: &Path) -> Result<(), String> {
    let meta = fs::symlink_metadata(path).map_err(|e| crate::error::cause(&e))?;
    let regular = path.metadata().map_err(|e| crate::error::cause(&e))?.is_file();
    if !regular {
        return Err("it is not a regular file".to_owned());
    }
    let home = path.parent().and_then(|p| p.canonicalize().ok());
    let real = path.canonicalize().ok();
    let out = meta.is_symlink() && !real.zip(home).is_some_and(|(real, home)| real.starts_with(home));
    if out { Err("it is a link to a file outside its folder".to_owned()) } else { Ok(()) }
}

/// The files below a folder, by their names in it.
fn list(home: &Path, folder: &Path, depth: usize, into: &mut Vec<String>) -> Result<(), String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().take(MOST_ENTRIES);
    let mut paths: Vec<PathBuf> = entries.map(|e| e.path()).collect();
    paths.sort();
    for path in paths {
        let name = path.strip_prefix(home).unwrap_or(&path).to_string_lossy().into_owned();
        let link = fs::symlink_metadata(&path).is_ok_and(|m| m.is_symlink());
        let real = path.canonicalize().ok();
        if link && !real.as_ref().is_some_and(|r| r.starts_with(home)) {
            return Err(format!("{name} beside it is a link to a file outside its folder"));
        }
        if path.is_dir() {
            if depth > 0 && !link {
                list(home, &path, depth - 1, into)?;
            }
        } else if path.is_file() && into.len() < MOST_BESIDE {
            into.push(name);
        }
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests;
