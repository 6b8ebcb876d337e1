//! The sources of a session: what is told of them, and a call that is allowed.
//!
//! Owns where they run, the pins from session to session, and the words of a result. Never decides whether a
//! call may be made: it wants a permit.

mod files;
mod pins;
mod signed;
mod words;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use pilothouse_core::{
    blob::BlobId,
    clean::Clean,
    money::count,
    pipeline::WebSearch,
    redact::{Redactor, is_worth_hiding},
    source::{SourceHealth, SourceNews, SourceState, SourceTool},
    tool::{External, Permit, SourceCall, SourceTools, ToolCall, ToolOutcome},
};
use pilothouse_sources::{
    Catalog, Checked, Consent, Definition, Listener, Lookup, Origin, Reach, SourceFault, Sources,
    Surroundings, hidden_of,
};
use secrecy::ExposeSecret;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::{
    config::Credentials,
    headless::auth,
    home::{Environment, Home, make_private},
    secrets::{self, Secrets},
    trust::Survey,
};
pub(crate) use files::{FILE, FOLDER, PROJECT, SHARED, check, legible, of_project, of_text, says};
pub use files::{Found, OwnSources, Unread, of_user};
use pins::Pins;
pub use signed::{Learns, PATIENCE, invitation};
use words::{beside, foreign, is_of_arguments, listed, said, told};

/// The sources of a session.
#[derive(Clone)]
pub struct SessionSources {
    pool: Sources,
    found: Arc<Found>,
    /// The hash over all that the project brings.
    of: BlobId,
    pins: Pins,
    home: Home,
    value: Lookup,
    /// What these are given and what stands in their files.
    hides: Secrets,
    learns: Learns,
    root: PathBuf,
    invited: signed::Invited,
}

/// The servers that the client of a session names for it.
#[derive(Clone, Debug, Default)]
pub struct ClientServers {
    /// As they are named.
    pub all: Vec<Definition>,
    /// What the user said of them.
    pub consent: Consent,
}

/// Where the sources of a session stand.
pub struct Place<'a> {
    /// The program's own files.
    pub home: &'a Home,
    /// The environment.
    pub environment: &'a Environment,
    /// The workspace.
    pub root: &'a Path,
    /// What was found in it.
    pub survey: &'a Survey,
    /// What the user said of servers that a client names.
    pub consent: Consent,
    /// Who must know new secrets.
    pub learns: Learns,
}

/// What became of the sources that a message wants.
#[derive(Debug, Default)]
pub(crate) struct Wanted {
    /// Those that there are; they are on.
    pub there: Vec<String>,
    /// Those of them that were off.
    pub lent: Vec<String>,
    /// Why others are not.
    pub missing: Vec<String>,
}

/// The value of one of the user's variables: in the environment, else among the stored keys.
pub fn value(home: &Home, environment: &Environment, name: &str) -> Option<String> {
    let stored = || {
        // What else is kept there has its own use.
        let name = Some(name).filter(|n| auth::is_variable(n))?;
        let all = Credentials::read(&Credentials::place(home)).ok()?;
        Some(all.get(name)?.expose_secret().to_owned())
    };
    environment.get(name).map(str::to_owned).or_else(stored)
}

/// What these sources are given, and what stands in their files, that is shown nowhere.
pub(crate) fn secrets(home: &Home, environment: &Environment, found: &Found) -> Redactor {
    let names = found.all.iter().flat_map(Definition::wants);
    let values = names.filter_map(|n| value(home, environment, &n).map(|v| (n, v)));
    let own = found.all.iter().filter(|source| source.origin != Origin::Client);
    let known = secrets::of_variables(&values.chain(own.flat_map(Definition::literals)).collect::<Vec<_>>());
    // What a folder only calls a secret might hide what a question is about; what looks like one by itself is hidden.
    let theirs: Vec<(String, String)> = found.untrusted.iter().flat_map(Definition::literals).collect();
    let drawn = theirs.iter().map(|(_, value)| value.as_str()).filter(|value| is_worth_hiding("", value));
    let known = known.and(&Redactor::knowing(drawn));
    known.and(&Redactor::knowing(hidden_of(found.of_client())))
}

/// Why a source starts nowhere while the folder is not trusted, where it does not.
fn nowhere(source: &Definition) -> Option<String> {
    let Reach::Command { program, .. } = &source.reach else { return None };
    let sought = program.contains('/') && !program.starts_with('/');
    sought.then(|| {
        let where_else = "give its full path, or trust the folder with /trust";
        format!("{program} would be looked up in this folder, which is not trusted: {where_else}")
    })
}

/// Where a source runs in a folder that is not trusted: apart, where no file of the project is taken for its own.
fn apart(home: &Home, source: &Definition) -> Result<PathBuf, String> {
    if let Some(why) = nowhere(source) {
        return Err(why);
    }
    let folder = home.state.join(FOLDER).join(&source.name);
    make_private(&folder).map_err(|e| e.to_string())?;
    Ok(folder)
}

/// Told of a source that nobody needed by now.
const NOT_STARTED: &str = "not started yet";

impl SessionSources {
    /// These sources in a folder; none is started.
    pub fn of(place: Place<'_>, found: Found) -> Self {
        Self::following(None, place, found)
    }

    /// The same, of which those that are what they were before and would run where they did go on as they are.
    pub(crate) fn following(before: Option<&Self>, place: Place<'_>, found: Found) -> Self {
        let Place { home, environment, root, survey, consent, learns } = place;
        // What goes on tells what it learns where it did before.
        let hides = before.map(|b| b.hides.clone()).unwrap_or_default();
        hides.learn(&secrets(home, environment, &found));
        let mine = hides.clone();
        let learns: Learns = Arc::new(move |known| {
            mine.learn(&known);
            learns(known);
        });
        let (theirs, environment, own) = (home.clone(), environment.clone(), home.clone());
        let (brought, folder, trusted) = (survey.brought.clone(), root.to_owned(), found.trusted);
        let holds = move |source: &Definition| match source.origin {
            Origin::User | Origin::Client if !trusted => apart(&own, source),
            Origin::User | Origin::Client => Ok(folder.clone()),
            Origin::Project => brought.still_holds(&folder).map(|()| folder.clone()).map_err(|path| {
                format!("{path} has changed since the folder was trusted; /trust asks again")
            }),
        };
        let value: Lookup = Arc::new(move |name| value(&theirs, &environment, name));
        let keeper = signed::Kept { home: home.clone(), learns: Arc::clone(&learns) };
        let around = Surroundings {
            workspace: root.to_owned(),
            value: Arc::clone(&value),
            holds: Arc::new(holds),
            consent,
            keeper: Arc::new(keeper),
        };
        let pool = match before {
            None => Sources::of(found.all.clone(), &around),
            Some(before) => {
                let stays = |source: &Definition| before.stays(source, &found, survey);
                before.pool.with(found.all.clone(), &around, &stays)
            }
        };
        Self {
            pool,
            found: Arc::new(found),
            of: survey.standing.of,
            pins: Pins::of(home),
            home: home.clone(),
            value,
            hides,
            learns,
            root: root.to_owned(),
            invited: before.map(|b| Arc::clone(&b.invited)).unwrap_or_default(),
        }
    }

    /// Whether a source of these would run among others as it does: in the same place, and as it was trusted.
    fn stays(&self, source: &Definition, found: &Found, survey: &Survey) -> bool {
        let same = source.origin != Origin::Project || self.of == survey.standing.of;
        self.found.trusted == found.trusted && same
    }

    /// The names of those that run and are not among these.
    pub(crate) fn running_but(&self, kept: &Self) -> Vec<String> {
        self.pool.running_but(&kept.pool)
    }

    /// Ends those that are not among these.
    pub(crate) async fn end_but(&self, kept: &Self) {
        self.pool.end_but(&kept.pool).await;
    }

    /// A text without what these sources are given and what stands in their files.
    pub fn mask(&self, text: &str) -> String {
        self.hides.mask(text)
    }

    /// Whether these are still the ones.
    pub(crate) fn are(&self, found: &Found, survey: &Survey) -> bool {
        *self.found == *found && self.of == survey.standing.of
    }

    /// What cannot be used of these that could be, or was not told of, before.
    pub(crate) fn news_of(&self, found: &Found) -> Vec<String> {
        let new = found.notices.iter().filter(|n| !self.found.notices.contains(n));
        new.cloned().collect()
    }

    /// Whether there is none that could be asked.
    pub fn is_empty(&self) -> bool {
        self.pool.is_empty()
    }

    /// The tool that searches the web: of the first source that names one and can be asked.
    pub fn web(&self) -> Option<WebSearch> {
        let named = self.found.all.iter().filter(|s| s.enabled);
        let mut all = named.filter_map(searches);
        let off = |name: &str| {
            let is = |s: &SourceState| {
                s.name == name && matches!(s.health, SourceHealth::Off | SourceHealth::Untrusted)
            };
            self.states().iter().any(is)
        };
        all.find(|web| !off(&web.source))
    }

    /// The tools that add to a search for passages, of sources that can be asked.
    pub fn adds(&self) -> Vec<WebSearch> {
        let health = self.pool.health().into_iter().filter(|(_, health)| *health != SourceHealth::Off);
        health.filter_map(|(s, _)| Some(WebSearch { tool: s.adds?, source: s.name })).collect()
    }

    /// Every tool that would search the web, of sources that are on or off.
    pub fn webs(&self) -> Vec<WebSearch> {
        self.found.all.iter().filter_map(searches).collect()
    }

    /// How each is.
    pub fn states(&self) -> Vec<SourceState> {
        let all = self.pool.health();
        let state = |source: &Definition, health| SourceState {
            name: source.name.clone(),
            line: source.line(),
            about: source.about.clone(),
            file: match source.origin {
                Origin::User | Origin::Project => source.file.display().to_string(),
                Origin::Client => "your editor".to_owned(),
            },
            project: source.origin == Origin::Project,
            far: matches!(source.reach, Reach::Http { .. }),
            wants: source.wants(),
            reads_unasked: source.read_only,
            invited: self.invited(&source.name),
            health,
        };
        let of = |(source, health): (Definition, SourceHealth)| state(&source, health);
        let theirs = self.found.untrusted.iter().map(|s| state(s, SourceHealth::Untrusted));
        all.into_iter().map(of).chain(theirs).collect()
    }

    /// What a model is told of them: a line each.
    pub fn lines(&self) -> Vec<String> {
        let on = self.pool.health().into_iter().filter(|(_, health)| *health != SourceHealth::Off);
        let line = |(source, health): (Definition, SourceHealth)| {
            let about = if source.about.is_empty() {
                String::new()
            } else {
                format!(": {}", Clean::line(&source.about))
            };
            // What is told to a model says what it can do about it.
            let how = if health == SourceHealth::Idle { NOT_STARTED.to_owned() } else { health.kind() };
            format!("{} ({how}){about}", source.name)
        };
        on.map(line).collect()
    }

    /// Turns a source on or off, until the session is left.
    pub async fn enable(&self, name: &str, on: bool) {
        self.pool.enable(name, on).await;
    }

    /// What was turned on or off in this session stays so, where it is the same source.
    pub(crate) fn as_turned(&self, before: &Self) {
        let same = |source: &Definition| self.found.all.contains(source);
        for (source, health) in before.pool.health().into_iter().filter(|(source, _)| same(source)) {
            self.pool.turn(&source.name, health != SourceHealth::Off);
        }
    }

    /// Turns those on that a message wants: those of them that there are, those that were off, and what is to be said
    /// of the others.
    pub(crate) fn want(&self, names: &[String]) -> Wanted {
        let mut wanted = Wanted::default();
        for name in names {
            let is = |d: &Definition| d.name == *name;
            if self.found.all.iter().any(is) {
                wanted.there.push(name.clone());
                if self.pool.turn(name, true) {
                    wanted.lent.push(name.clone());
                }
            } else if self.found.untrusted.iter().any(is) {
                wanted.missing.push(format!("{name} is inactive: the folder is not trusted"));
            } else {
                wanted.missing.push(format!("there is no source called {name}"));
            }
        }
        wanted
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

    /// Starts a source, where it does not run.
    pub(crate) async fn start(&self, name: &str) -> Result<(), SourceFault> {
        self.pool.catalog(name, &CancellationToken::new()).await.map(drop)
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
            let unasked = tool.head.reads && tool.head.free;
            let may = if unasked { "It runs without asking." } else { "It asks before every call." };
            text.push_str(&format!("\n{}\n{may}\n", tool.told(name)));
        }
        Ok(text + &beside(&catalog, "", usize::MAX))
    }

    /// Does what a permit allows.
    pub async fn perform(
        &self,
        permit: &Permit,
        listener: &dyn Listener,
        cancel: &CancellationToken,
    ) -> ToolOutcome {
        match permit.asked() {
            ToolCall::External(External::Look(look)) => self.look(look, permit.starts(), cancel).await,
            ToolCall::External(External::Call(call)) => self.call(permit, call, listener, cancel).await,
            ToolCall::File(_) | ToolCall::Run(_) | ToolCall::Knowledge(_) | ToolCall::Session(_) => {
                ToolOutcome::failure("it is no call of a source")
            }
        }
    }

    async fn look(&self, look: &SourceTools, starts: bool, cancel: &CancellationToken) -> ToolOutcome {
        let named = look.tool.as_deref().and_then(pilothouse_core::source::parts);
        let (source, tool) = match (&look.source, named) {
            (Some(source), Some((of, tool))) if source == of => (source.as_str(), Some(tool)),
            (Some(source), _) => (source.as_str(), look.tool.as_deref()),
            (None, Some((source, tool))) => (source, Some(tool)),
            (None, None) => {
                let mut lines = self.lines();
                let summary = count(lines.len(), "source");
                for (source, health) in self.pool.health() {
                    if let SourceHealth::Failed(why) = health {
                        lines.push(foreign(&source.name, &why));
                    }
                }
                return ToolOutcome::text(lines.join("\n"), summary);
            }
        };
        let catalog = match self.pool.known(source) {
            Some(known) if !starts => known,
            None if !starts => {
                let why = "not started yet; a plan or an answer beside a run starts it only where the message names it: plan a \
                           step that looks it up, or say what is missing";
                return ToolOutcome::failure(format!("{}: {why}", Clean::line(source)));
            }
            Some(_) | None => match self.pool.catalog(source, cancel).await {
                Ok(catalog) => catalog,
                Err(e) => return ToolOutcome::failure(told(source, source, &e)),
            },
        };
        let text = match tool.and_then(|t| catalog.tool(t)) {
            Some(tool) => tool.told(source),
            None => listed(source, &catalog, tool.unwrap_or_default()),
        };
        let summary = count(catalog.tools.len(), "tool");
        let found = Some(Box::new(self.news(source, &catalog).await));
        ToolOutcome { found, ..ToolOutcome::text(foreign(source, &text), summary) }
    }

    /// What a source has, as the session is told: with what of it is not what it was when it was called last.
    async fn news(&self, source: &str, catalog: &Catalog) -> SourceNews {
        let tools: Vec<_> = catalog.tools.iter().map(|t| t.head.clone()).collect();
        let (pins, name, theirs) = (self.pins.clone(), source.to_owned(), tools.clone());
        let compared = tokio::task::spawn_blocking(move || pins.compare(&name, theirs)).await;
        // What cannot be compared is taken for another.
        let other = |_| tools.into_iter().map(|t| SourceTool { changed: true, ..t }).collect();
        SourceNews { source: source.to_owned(), tools: compared.unwrap_or_else(other) }
    }

    async fn call(
        &self,
        permit: &Permit,
        call: &SourceCall,
        listener: &dyn Listener,
        cancel: &CancellationToken,
    ) -> ToolOutcome {
        let (Some((source, tool)), Some(pin)) = (call.parts(), permit.pin()) else {
            return ToolOutcome::failure("it was not allowed as any tool that is known");
        };
        let failure = |e: &SourceFault| {
            let summary = said(&e.to_string());
            ToolOutcome { summary, ..ToolOutcome::failure(told(source, &call.tool, e)) }
        };
        let allowed = match self.pool.check((source, tool), pin, cancel).await {
            Ok(Checked::Same(allowed)) => allowed,
            Ok(Checked::Other(catalog)) => {
                let found = Some(Box::new(self.news(source, &catalog).await));
                let text = "nothing was done: what its server says of it changed";
                return ToolOutcome { redefined: true, found, ..ToolOutcome::failure(text) };
            }
            Err(e) => return failure(&e),
        };
        let known = allowed.tool();
        let missing = known.head.required.iter().find(|n| !call.arguments.contains_key(*n));
        let takes = format!("\n{}", foreign(source, &format!("It takes: {}", known.schema)));
        if let Some(missing) = missing {
            let text = format!("nothing was done: the argument {missing} is missing");
            return ToolOutcome::failure(text + &takes);
        }
        let (pins, name, of) = (self.pins.clone(), tool.to_owned(), source.to_owned());
        drop(tokio::task::spawn_blocking(move || pins.keep(&of, &name, pin)).await);
        let arguments = Value::Object(call.arguments.clone());
        match allowed.call(&arguments, listener, cancel).await {
            Ok(answer) if answer.failed => {
                let text = format!("failed: {}", foreign(source, &answer.text));
                // Of what else went wrong the form of its arguments says nothing.
                let takes = if is_of_arguments(&answer.text) { takes.as_str() } else { "" };
                ToolOutcome { summary: said(&answer.text), ..ToolOutcome::failure(text + takes) }
            }
            Ok(answer) => {
                let summary = count(answer.text.lines().count(), "line");
                ToolOutcome::text(foreign(source, &answer.text), summary)
            }
            Err(e @ SourceFault::Arguments(_)) => {
                let failed = failure(&e);
                ToolOutcome { text: failed.text.clone() + &takes, ..failed }
            }
            Err(e) => failure(&e),
        }
    }
}

/// The tool of a source that searches the web.
fn searches(source: &Definition) -> Option<WebSearch> {
    Some(WebSearch { source: source.name.clone(), tool: source.web.clone()? })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
