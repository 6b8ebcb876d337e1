//! The sources of a session: which there are, what is told of them, and a call that is allowed.
//!
//! Owns where their files stand, the pins from session to session, and the words of a result. Never decides whether a
//! call may be made: it wants a permit.

mod pins;

use std::{fs, path::Path, sync::Arc};

use pilothouse_core::{
    blob::BlobId,
    clean::Clean,
    pipeline::WebSearch,
    redact::{Redactor, is_worth_hiding},
    source::{SourceHealth, SourceNews, SourceState, full_name},
    tool::{External, Permit, SourceCall, SourceTools, ToolCall, ToolOutcome},
};
use pilothouse_sources::{
    Catalog, Definition, FileFault, Health, Listener, Origin, Reach, SourceFault, Sources, Surroundings,
    read_common, read_one,
};
use secrecy::ExposeSecret;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::{
    config::Credentials,
    home::{Environment, Home},
    own,
    trust::{Brought, Kind, Survey},
};
use pins::Pins;

/// The name of a file in the form that other agents share, in the user's folder.
const COMMON: &str = "mcp.json";
/// The folder with a folder for each source.
pub(crate) const FOLDER: &str = "sources";
/// The same folder of a project.
pub(crate) const PROJECT: &str = ".pilothouse/sources";
/// The file in it.
pub(crate) const FILE: &str = "config.json";
/// The most sources of a session.
const MOST_SOURCES: usize = 64;
/// Tools that one answer lists.
const MOST_LISTED: usize = 100;

/// The sources of a session.
#[derive(Clone, Debug)]
pub struct SessionSources {
    pool: Sources,
    found: Arc<Found>,
    /// The hash over all that the project brings.
    of: BlobId,
    pins: Pins,
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
}

impl Found {
    /// The user's sources, and the project's where the folder is trusted.
    pub fn of(home: &Home, root: &Path, survey: &Survey) -> Self {
        let (mut all, mut notices) = of_user(home);
        let (theirs, faults) = of_project(root, &survey.brought);
        if !survey.standing.trust.holds() {
            return Self { all, untrusted: theirs, notices };
        }
        notices.extend(faults);
        for source in theirs {
            if all.iter().any(|d| d.name == source.name) {
                notices.push(format!(
                    "{}: a source of yours has the name {}; yours is used",
                    source.file.display(),
                    source.name
                ));
            } else {
                all.push(source);
            }
        }
        all.truncate(MOST_SOURCES);
        Self { all, untrusted: Vec::new(), notices }
    }
}

/// The value of one of the user's variables: in the environment, else among the stored keys.
pub fn value(home: &Home, environment: &Environment, name: &str) -> Option<String> {
    let stored = || {
        let all = Credentials::read(&Credentials::place(home)).ok()?;
        Some(all.get(name)?.expose_secret().to_owned())
    };
    environment.get(name).map(str::to_owned).or_else(stored)
}

/// What these sources are given that stands nowhere.
pub(crate) fn secrets(home: &Home, environment: &Environment, all: &[Definition]) -> Redactor {
    let names = all.iter().flat_map(Definition::wants);
    let values = names.filter_map(|n| Some((value(home, environment, &n)?, n)));
    let values: Vec<String> = values.filter(|(v, n)| is_worth_hiding(n, v)).map(|(v, _)| v).collect();
    Redactor::knowing(values.iter().map(String::as_str))
}

/// The user's own sources, and what of them cannot be used.
pub fn of_user(home: &Home) -> (Vec<Definition>, Vec<String>) {
    let (mut all, mut notices): (Vec<Definition>, Vec<String>) = (Vec::new(), Vec::new());
    let mut take =
        |file: &Path, read: &dyn Fn(&str) -> Result<Vec<Definition>, FileFault>| match own::text(file) {
            Ok(None) => {}
            Ok(Some(text)) => match read(&text) {
                Ok(found) => {
                    let new = found.into_iter().filter(|d| !all.iter().any(|a| a.name == d.name));
                    let new: Vec<Definition> = new.collect();
                    all.extend(new);
                }
                Err(e) => notices.push(e.to_string()),
            },
            Err(e) => notices.push(format!("{e}\n{}", e.hint())),
        };
    let folder = home.config.join(FOLDER);
    let names = fs::read_dir(&folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = names.filter_map(|e| e.file_name().into_string().ok()).collect();
    names.sort();
    for name in names.into_iter().take(MOST_SOURCES) {
        let file = folder.join(&name).join(FILE);
        take(&file, &|text| read_one(&file, &name, text, Origin::User).map(|one| vec![one]));
    }
    let file = home.config.join(COMMON);
    take(&file, &|text| read_common(&file, text, Origin::User));
    (all, notices)
}

/// A project's sources, and what of them cannot be used.
pub fn of_project(root: &Path, brought: &Brought) -> (Vec<Definition>, Vec<String>) {
    let (mut all, mut notices) = (Vec::<Definition>::new(), Vec::new());
    for piece in brought.pieces.iter().filter(|p| p.kind == Kind::Servers) {
        let text = piece.content.as_deref().map_err(Clone::clone);
        let text = text.and_then(|bytes| std::str::from_utf8(bytes).map_err(|e| e.to_string()));
        match text.map(|text| of_text(Path::new(&piece.path), text)) {
            Err(why) => notices.push(format!("{}: {why}", piece.path)),
            Ok(Some(Err(e))) => notices.push(e.to_string()),
            Ok(Some(Ok(found))) => {
                for mut source in found {
                    source.file = root.join(&piece.path);
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

/// The sources of a project's file; `None` where the file is none that names some.
pub fn of_text(path: &Path, text: &str) -> Option<Result<Vec<Definition>, FileFault>> {
    let name = path.file_name()?.to_str()?;
    if name == COMMON || name == ".mcp.json" {
        return Some(read_common(path, text, Origin::Project));
    }
    let folder = path.parent()?;
    let slug = folder.file_name()?.to_str()?;
    let is_one = name == FILE && folder.parent().is_some_and(|p| p.ends_with(FOLDER));
    is_one.then(|| read_one(path, slug, text, Origin::Project).map(|one| vec![one]))
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
    fn hide(value: &mut Value) {
        let Some(fields) = value.as_object_mut() else { return };
        for (name, value) in fields.iter_mut() {
            match value.as_object_mut().filter(|_| name == "env" || name == "headers") {
                Some(values) => {
                    for (_, value) in values.iter_mut() {
                        let names = value.as_str().is_some_and(|v| v.starts_with("${") && v.ends_with('}'));
                        if !names {
                            *value = Value::from("… (not shown)");
                        }
                    }
                }
                None => hide(value),
            }
        }
    }
    let Ok(mut value) = serde_json::from_str::<Value>(text) else { return "(no JSON)\n".to_owned() };
    hide(&mut value);
    serde_json::to_string_pretty(&value).unwrap_or_default() + "\n"
}

impl SessionSources {
    /// These sources in the folder at `root`; none is started.
    pub fn of(home: &Home, environment: &Environment, root: &Path, survey: &Survey, found: Found) -> Self {
        let (theirs, environment) = (home.clone(), environment.clone());
        let (trusted, folder) = (survey.brought.clone(), root.to_owned());
        let holds = move |source: &Definition| match source.origin {
            Origin::User => Ok(()),
            Origin::Project => trusted.still_holds(&folder).map_err(|path| {
                format!("{path} is not what it was when the folder was trusted; /trust asks again")
            }),
        };
        let around = Surroundings {
            workspace: root.to_owned(),
            value: Arc::new(move |name| value(&theirs, &environment, name)),
            holds: Arc::new(holds),
        };
        let pool = Sources::of(found.all.clone(), &around);
        Self { pool, found: Arc::new(found), of: survey.standing.of, pins: Pins::of(home) }
    }

    /// Whether these are still the ones.
    pub(crate) fn are(&self, found: &Found, survey: &Survey) -> bool {
        *self.found == *found && self.of == survey.standing.of
    }

    /// Whether there is none that could be asked.
    pub fn is_empty(&self) -> bool {
        self.pool.health().is_empty()
    }

    /// The tool that searches the web: of the first source that names one and can be asked.
    pub fn web(&self) -> Option<WebSearch> {
        let named = self.found.all.iter().filter(|s| s.enabled);
        let mut all = named.filter_map(|s| Some(WebSearch { source: s.name.clone(), tool: s.web.clone()? }));
        let off = |name: &str| {
            let is = |s: &SourceState| {
                s.name == name && matches!(s.health, SourceHealth::Off | SourceHealth::Untrusted)
            };
            self.states().iter().any(is)
        };
        all.find(|web| !off(&web.source))
    }

    /// How each is.
    pub fn states(&self) -> Vec<SourceState> {
        let all = self.pool.health();
        let of = |(source, health): (Definition, Health)| state(&source, told(health));
        let theirs = self.found.untrusted.iter().map(|s| state(s, SourceHealth::Untrusted));
        all.into_iter().map(of).chain(theirs).collect()
    }

    /// What a model is told of them: a line each.
    pub fn lines(&self) -> Vec<String> {
        let on = self.pool.health().into_iter().filter(|(_, health)| *health != Health::Off);
        let line = |(source, health): (Definition, Health)| {
            let about = if source.about.is_empty() {
                String::new()
            } else {
                format!(": {}", Clean::line(&source.about))
            };
            format!("{} ({}){about}", source.name, Clean::line(&told(health).words()))
        };
        on.map(line).collect()
    }

    /// Turns a source on or off, until the session is left.
    pub async fn enable(&self, name: &str, on: bool) {
        self.pool.enable(name, on).await;
    }

    /// Asks a source whether it answers.
    ///
    /// # Errors
    /// Why it does not.
    pub async fn test(&self, name: &str, cancel: &CancellationToken) -> Result<Arc<Catalog>, SourceFault> {
        if self.found.untrusted.iter().any(|s| s.name == name) {
            return Err(SourceFault::Untrusted);
        }
        self.pool.test(name, cancel).await
    }

    /// Ends all of them.
    pub async fn stop(&self) {
        self.pool.stop_all().await;
    }

    /// Everything that a source has, for people.
    ///
    /// # Errors
    /// Why that is not known.
    pub async fn page(&self, name: &str, cancel: &CancellationToken) -> Result<String, String> {
        let catalog = self.pool.catalog(name, cancel).await.map_err(|e| e.to_string())?;
        let mut text = format!("{}\n", Clean::line(&catalog.server));
        for tool in &catalog.tools {
            text.push_str(&format!("\n{}\n", tool.told(name)));
        }
        Ok(text + &beside(&catalog))
    }

    /// Does what a permit allows.
    pub async fn perform(
        &self,
        permit: &Permit,
        listener: &dyn Listener,
        cancel: &CancellationToken,
    ) -> ToolOutcome {
        match permit.asked() {
            ToolCall::External(External::Look(look)) => self.look(look, cancel).await,
            ToolCall::External(External::Call(call)) => self.call(permit, call, listener, cancel).await,
            ToolCall::File(_) | ToolCall::Run(_) | ToolCall::Knowledge(_) | ToolCall::Session(_) => {
                ToolOutcome::failure("it is no call of a source")
            }
        }
    }

    async fn look(&self, look: &SourceTools, cancel: &CancellationToken) -> ToolOutcome {
        let named = look.tool.as_deref().and_then(pilothouse_core::source::parts);
        let (source, tool) = match (&look.source, named) {
            (Some(source), Some((of, tool))) if source == of => (source.as_str(), Some(tool)),
            (Some(source), _) => (source.as_str(), look.tool.as_deref()),
            (None, Some((source, tool))) => (source, Some(tool)),
            (None, None) => {
                let lines = self.lines();
                let summary = count(lines.len(), "source");
                return ToolOutcome::text(lines.join("\n"), summary);
            }
        };
        let catalog = match self.pool.catalog(source, cancel).await {
            Ok(catalog) => catalog,
            Err(e) => {
                return ToolOutcome::failure(format!(
                    "{}: {}",
                    Clean::line(source),
                    Clean::line(&e.to_string())
                ));
            }
        };
        let text = match tool.and_then(|t| catalog.tool(t)) {
            Some(tool) => tool.told(source),
            None => listed(source, &catalog, tool.unwrap_or_default()),
        };
        let summary = count(catalog.tools.len(), "tool");
        let found = Some(Box::new(self.news(source, &catalog)));
        ToolOutcome { found, ..ToolOutcome::text(foreign(source, &text), summary) }
    }

    /// What a source has, as the session is told: with what of it is not what it was when it was called last.
    fn news(&self, source: &str, catalog: &Catalog) -> SourceNews {
        let mut tools: Vec<_> = catalog.tools.iter().map(|t| t.head.clone()).collect();
        self.pins.compare(source, &mut tools);
        SourceNews { source: source.to_owned(), tools }
    }

    async fn call(
        &self,
        permit: &Permit,
        call: &SourceCall,
        listener: &dyn Listener,
        cancel: &CancellationToken,
    ) -> ToolOutcome {
        let failure = |e: SourceFault| {
            ToolOutcome::failure(format!("{}: {}", Clean::line(&call.tool), Clean::line(&e.to_string())))
        };
        let (Some((source, tool)), Some(pin)) = (call.parts(), permit.pin()) else {
            return ToolOutcome::failure("it was not allowed as any tool that is known");
        };
        match self.pool.check((source, tool), pin, cancel).await {
            Ok(None) => {}
            Ok(Some(catalog)) => {
                let found = Some(Box::new(self.news(source, &catalog)));
                let text = "nothing was done: what its server says of it changed";
                return ToolOutcome { redefined: true, found, ..ToolOutcome::failure(text) };
            }
            Err(e) => return failure(e),
        }
        let known = self.pool.known(source);
        let known = known.as_ref().and_then(|c| c.tool(tool));
        let missing = known.and_then(|k| k.required.iter().find(|n| !call.arguments.contains_key(*n)));
        let takes = known.map_or_else(String::new, |k| format!("\nIt takes: {}", k.schema));
        if let Some(missing) = missing {
            let text = format!("nothing was done: the argument {} is missing", Clean::line(missing));
            return ToolOutcome::failure(text + &takes);
        }
        self.pins.keep(source, tool, pin);
        let arguments = Value::Object(call.arguments.clone());
        match self.pool.call((source, tool), &arguments, listener, cancel).await {
            Ok(answer) if answer.failed => {
                let text = foreign(source, &answer.text);
                ToolOutcome { summary: "it failed".to_owned(), ..ToolOutcome::failure(text + &takes) }
            }
            Ok(answer) => {
                let summary = count(answer.text.lines().count(), "line");
                ToolOutcome::text(foreign(source, &answer.text), summary)
            }
            Err(e @ SourceFault::Answered(_)) => {
                let failed = failure(e);
                ToolOutcome { text: failed.text.clone() + &takes, ..failed }
            }
            Err(e) => failure(e),
        }
    }
}

/// The tools of a catalog with a part of a name, a line each.
fn listed(source: &str, catalog: &Catalog, part: &str) -> String {
    let part = part.to_lowercase();
    let fits = |name: &str| name.to_lowercase().contains(&part);
    let fitting: Vec<_> = catalog.tools.iter().map(|t| &t.head).filter(|t| fits(&t.name)).collect();
    let line = |t: &&pilothouse_core::source::SourceTool| {
        let reads = if t.reads { "" } else { " (may change something)" };
        format!("{}{reads}: {}", full_name(source, &t.name), t.about)
    };
    let mut lines: Vec<String> = fitting.iter().take(MOST_LISTED).map(line).collect();
    if fitting.len() > MOST_LISTED {
        lines.push(format!("and {} more: give a part of a name as `tool`", fitting.len() - MOST_LISTED));
    }
    lines.join("\n") + &beside(catalog)
}

/// What a source has beside its tools.
fn beside(catalog: &Catalog) -> String {
    let line = |what: &str, (name, about): &(String, String)| {
        let about: String = Clean::line(about).chars().take(100).collect();
        format!("\n{what} {}: {about}", Clean::line(name))
    };
    let resources = catalog.resources.iter().map(|r| line("resource", r));
    let prompts = catalog.prompts.iter().map(|p| line("prompt", p));
    let left = catalog.left.iter().map(|l| format!("\nleft out: {l}"));
    resources.chain(prompts).chain(left).collect()
}

/// What a source said, marked as what it is; hidden characters in it are seen.
fn foreign(source: &str, text: &str) -> String {
    let seen: Vec<String> = text.split('\t').map(|part| Clean::text(part).into_string()).collect();
    let text = seen.join("\t").replace("</source", "<\\/source");
    format!("<source name=\"{source}\">\n{text}\n</source>")
}

fn count(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

fn told(health: Health) -> SourceHealth {
    match health {
        Health::Off => SourceHealth::Off,
        Health::Idle => SourceHealth::Idle,
        Health::Starting => SourceHealth::Starting,
        Health::Ok(tools) => SourceHealth::Ok(tools),
        Health::Failed(why) => SourceHealth::Failed(why),
    }
}

fn state(source: &Definition, health: SourceHealth) -> SourceState {
    SourceState {
        name: source.name.clone(),
        line: source.line(),
        about: source.about.clone(),
        file: source.file.display().to_string(),
        project: source.origin == Origin::Project,
        wants: source.wants(),
        health,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
