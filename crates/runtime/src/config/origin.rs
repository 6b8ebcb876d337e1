//! Where each setting was said: the shipped defaults, a line of the user's file, a variable, the command line, the folder.
//!
//! Owns the list and which of them hold at once. Never shows a value that may hold a secret.

use std::{collections::BTreeMap, fmt, path::Path};

use pilothouse_core::front::Place;
use pilothouse_model::openai::Endpoint;
use toml::de::{DeTable, DeValue};

use super::{Config, Credentials, DEFAULTS, Layer, ProjectLayer, keys};
use crate::{
    home::{Environment, Home},
    own,
};

/// The longest value that is shown, in characters.
const MOST_CHARS: usize = 60;

/// Where a value was said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// As it is shipped.
    Default,
    /// The user's file, at this line.
    File(usize),
    /// A variable of the environment.
    Variable(&'static str),
    /// The command line.
    Flag,
    /// The settings of the trusted folder, which only narrow.
    Folder,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File(line) => write!(f, "config.toml:{line}"),
            Self::Variable(name) => write!(f, "{name}"),
            Self::Flag => f.write_str("command line"),
            Self::Folder => f.write_str("this folder's settings"),
        }
    }
}

/// A setting as it was said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// Its value as it stands there.
    pub value: String,
    /// Where that is.
    pub from: Origin,
}

/// Every setting that was said, by its name with its section; what goes before another stands in its place.
pub fn said(
    home: &Home,
    project: Option<&ProjectLayer>,
    environment: &Environment,
    flags: &Layer,
) -> BTreeMap<String, Said> {
    let mut all: BTreeMap<String, Said> = flat(DEFAULTS)
        .into_iter()
        .map(|(key, (value, _))| (key, Said { value, from: Origin::Default }))
        .collect();
    let own = of_user(home);
    if own.contains_key("model.base_url") || own.contains_key("model.preset") {
        // Two answers to one question: only that of the user's file stands.
        all.remove("model.preset");
    }
    all.extend(own.into_iter().map(|(key, (value, line))| (key, Said { value, from: Origin::File(line) })));
    for (name, key) in VARIABLES {
        if let Some(value) = environment.get(name) {
            let value = shown(key, value);
            all.insert(key.to_owned(), Said { value, from: Origin::Variable(name) });
        }
    }
    if let Some(effort) = &flags.model.effort {
        all.insert("model.effort".to_owned(), Said { value: effort.clone(), from: Origin::Flag });
    }
    let user = Config::load(home, None, environment, flags.clone()).ok();
    if let Some((project, user)) = project.zip(user) {
        let value = |value: String| Said { value: shown("", &value), from: Origin::Folder };
        all.extend(in_force(project, &user).into_iter().map(|(key, said)| (key.to_owned(), value(said))));
    }
    all
}

/// What a project's settings make another than the user's.
fn in_force(project: &ProjectLayer, user: &Config) -> Vec<(&'static str, String)> {
    let now = project.clone().narrow(user.clone());
    let mut all = Vec::new();
    if now.permission != user.permission {
        all.push(("session.permission", serde_json::to_string(&now.permission).unwrap_or_default()));
    }
    if now.history != user.history {
        all.push(("session.history", now.history.to_string()));
    }
    if now.budget != user.budget {
        all.push(("session.budget", format!("\"{}\"", now.budget.limits)));
    }
    if now.gates.commands != user.gates.commands {
        all.push(("gates.commands", format!("{:?}", now.gates.commands)));
    }
    if now.gates.found != user.gates.found {
        all.push(("gates.found", now.gates.found.to_string()));
    }
    all
}

/// Variables of this program and the setting that each says.
const VARIABLES: [(&str, &str); 5] = [
    ("PILOTHOUSE_MODEL", "model.name"),
    ("PILOTHOUSE_BASE_URL", "model.base_url"),
    ("PILOTHOUSE_API_KEY", "model.key"),
    ("PILOTHOUSE_EFFORT", "model.effort"),
    ("PILOTHOUSE_LOG", "log.filter"),
];

/// Every value of a file with its line, by its name with its section.
pub(crate) type Lines = BTreeMap<String, (String, usize)>;

/// What the user's own file says; nothing where it cannot be read.
pub(crate) fn of_user(home: &Home) -> Lines {
    own::text(&home.config.join("config.toml")).ok().flatten().map_or_else(BTreeMap::new, |text| flat(&text))
}

fn flat(text: &str) -> Lines {
    let mut all = BTreeMap::new();
    if let Ok(table) = DeTable::parse(text) {
        walk(text, table.get_ref(), "", &mut all);
    }
    all
}

fn walk(text: &str, table: &DeTable<'_>, above: &str, all: &mut Lines) {
    for (key, value) in table {
        let name =
            if above.is_empty() { key.get_ref().to_string() } else { format!("{above}.{}", key.get_ref()) };
        if let DeValue::Table(inner) = value.get_ref() {
            walk(text, inner, &name, all);
            continue;
        }
        let source = text.get(value.span()).unwrap_or_default();
        let line = Place::at(text, key.span().start).line;
        all.insert(name.clone(), (shown(&name, source), line));
    }
}

/// A value as it may be shown: of an address neither user, password nor query, of a header or a key nothing.
fn shown(key: &str, value: &str) -> String {
    let hidden = key.split('.').any(|part| matches!(part, "headers" | "key"));
    if hidden {
        return "(not shown)".to_owned();
    }
    let value = if key.ends_with("base_url") { address(value) } else { value.to_owned() };
    let one = value.split_whitespace().collect::<Vec<_>>().join(" ");
    let short: String = one.chars().take(MOST_CHARS).collect();
    if short.len() < one.len() { format!("{short}…") } else { one }
}

/// An address as requests to it are told of.
fn address(value: &str) -> String {
    let plain = value.trim_matches(['"', '\'']);
    let quote = if plain.len() < value.len() { "\"" } else { "" };
    format!("{quote}{}{quote}", Endpoint::new(plain, "").shown_url())
}

/// Which settings are others between two readings of the user's file.
pub(crate) fn changed(before: &Lines, now: &Lines) -> Vec<String> {
    let value = |of: &Lines, key: &str| of.get(key).map(|(value, _)| value.clone());
    let mut keys: Vec<&String> = before.keys().chain(now.keys()).collect();
    keys.sort();
    keys.dedup();
    keys.into_iter().filter(|key| value(before, key) != value(now, key)).cloned().collect()
}

/// When a changed setting has effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effective {
    /// From the next request on.
    Now,
    /// In sessions that are begun from here on.
    NewSessions,
    /// Once the program is started again.
    Restart,
}

/// When a setting has effect that is another than when the session was opened.
pub(crate) fn effective(key: &str) -> Effective {
    let under = |section: &str| key.strip_prefix(section).is_some_and(|rest| rest.starts_with('.'));
    if matches!(key, "session.permission" | "session.mode") {
        return Effective::NewSessions;
    }
    let now = ["model", "session", "plan", "gates", "agents", "notify"].into_iter().any(under);
    if now || key == "screen.mouse" { Effective::Now } else { Effective::Restart }
}

/// The line of the user's file that says who answers, if one does.
pub(crate) fn model_line(own: &Lines, section: &str) -> Option<usize> {
    let told = ["name", "preset", "base_url"].map(|key| format!("{section}.{key}"));
    let lines = own.iter().filter(|(key, _)| told.contains(key));
    lines.map(|(_, (_, line))| *line).min()
}

/// Where it was said who answers, and that a variable of the environment goes before the user's file.
pub(crate) fn model_from(home: &Home, own: &Lines, environment: &Environment) -> String {
    let said: Vec<&str> = VARIABLES
        .into_iter()
        .filter(|(name, key)| key.starts_with("model.") && environment.get(name).is_some())
        .map(|(name, _)| name)
        .collect();
    let path = file(home).display().to_string();
    match (said.as_slice(), model_line(own, "model")) {
        ([], None) => {
            let stored = Credentials::read(&Credentials::place(home)).unwrap_or_default();
            let ready = keys::at_hand(environment, &stored).first().map(|p| {
                let place = p.name();
                format!("; a key for {place} is stored, so `/model {place}:NAME` works")
            });
            format!("nothing is set: {path} names no model{}", ready.unwrap_or_default())
        }
        ([], Some(line)) => format!("{path}:{line}; an environment variable overrides it"),
        (said, line) => {
            let place = line.map_or(path.clone(), |line| format!("{path}:{line}"));
            let (named, over) =
                if said.len() == 1 { ("variable", "overrides") } else { ("variables", "override") };
            format!("environment {named} {}, which {over} {place}", said.join(", "))
        }
    }
}

/// Where it was said who answers under another name.
pub(crate) fn other_from(home: &Home, own: &Lines, name: &str) -> String {
    let path = file(home).display().to_string();
    let line = model_line(own, &format!("model.also.{name}"));
    line.map_or_else(|| format!("/model {name}"), |line| format!("/model {name}, {path}:{line}"))
}

/// The list for people.
pub fn told(home: &Home, all: &BTreeMap<String, Said>) -> String {
    let mut lines = vec![format!("settings in force; yours stand in {}", file(home).display())];
    lines.extend(all.iter().map(|(key, said)| format!("{key:<26} {:<40} {}", said.value, said.from)));
    lines.join("\n")
}

/// Columns of values on the page of a screen; longer ones go on below themselves.
const VALUE: usize = 24;

/// The page of a screen, in columns of names, values and places: what the user said, then the rest by section.
pub(crate) fn page(home: &Home, all: &BTreeMap<String, Said>) -> String {
    let (shipped, own): (Vec<_>, Vec<_>) = all.iter().partition(|(_, said)| said.from == Origin::Default);
    let change = format!(
        "`pilothouse config edit` opens {}; changes apply from your next message.",
        file(home).display()
    );
    let mut lines = vec![change, String::new()];
    lines.push(
        if own.is_empty() { "You have not changed any setting." } else { "Set by you, and where:" }
            .to_owned(),
    );
    let names = all.keys().map(String::len).max().unwrap_or_default();
    let values = all.values().map(|said| said.value.chars().count()).filter(|wide| *wide <= VALUE).max();
    let values = values.unwrap_or_default();
    let row = |key: &str, said: &Said| {
        format!("{key:names$}  {:values$}  {}", said.value, said.from).trim_end().to_owned()
    };
    lines.extend(own.iter().map(|(key, said)| row(key, said)));
    lines.extend([String::new(), "As it ships:".to_owned()]);
    let section = |key: &str| key.split('.').next().unwrap_or_default().to_owned();
    for group in shipped.chunk_by(|(a, _), (b, _)| section(a) == section(b)) {
        // Where they come from is said once, above them.
        let plain = |key: &str, said: &Said| format!("{key:names$}  {}", said.value).trim_end().to_owned();
        lines.extend(group.iter().map(|(key, said)| plain(key, said)));
        lines.push(String::new());
    }
    lines.pop();
    lines.join("\n")
}

fn file(home: &Home) -> std::path::PathBuf {
    Path::new(&home.config).join("config.toml")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_page_names_the_command_that_changes_a_setting() {
        let dir = tempfile::tempdir().unwrap();
        let text = page(&Home::under(dir.path()), &BTreeMap::new());
        assert!(text.contains("`pilothouse config edit`"), "{text}");
    }

    #[test]
    fn the_place_of_the_model_is_told_with_what_goes_before_it() {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::under(dir.path());
        let path = dir.path().join("config.toml").display().to_string();
        let told = |variables: &[(&str, &str)]| {
            let environment: Environment = variables.iter().copied().collect();
            model_from(&home, &of_user(&home), &environment)
        };
        assert_eq!(told(&[]), format!("nothing is set: {path} names no model"));
        let key = told(&[("OPENAI_API_KEY", "sk-1")]);
        assert!(key.ends_with("names no model; a key for openai is stored, so `/model openai:NAME` works"));
        assert!(!key.contains("sk-1"), "{key}");
        let both = [("PILOTHOUSE_MODEL", "m"), ("PILOTHOUSE_BASE_URL", "http://h/v1")];
        let before =
            format!("environment variables PILOTHOUSE_MODEL, PILOTHOUSE_BASE_URL, which override {path}");
        assert_eq!(told(&both), before);
        std::fs::write(
            &path,
            "[session]\nhistory = 7\n[model]\nname = \"m\"\n[model.also.fast]\nname = \"f\"\n",
        )
        .unwrap();
        assert_eq!(told(&[]), format!("{path}:4; an environment variable overrides it"));
        assert_eq!(told(&both), format!("{before}:4"));
        let alone = format!("environment variable PILOTHOUSE_EFFORT, which overrides {path}:4");
        assert_eq!(told(&[("PILOTHOUSE_EFFORT", "low")]), alone);
        assert_eq!(other_from(&home, &of_user(&home), "fast"), format!("/model fast, {path}:6"));
        assert_eq!(other_from(&home, &of_user(&home), "named"), "/model named");
    }

    #[test]
    fn every_value_is_told_with_its_place_and_none_of_a_secret() {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::under(dir.path());
        let text = "[model]\nname = \"m\"\nbase_url = \"https://me:hunter2@example.org/v1?key=hunter3\"\n\
                    headers = { x-title = \"hunter4\" }\nalso.fast = { name = \"f\" }\n[session]\nhistory = 7\n";
        std::fs::write(dir.path().join("config.toml"), text).unwrap();
        let environment: Environment =
            [("PILOTHOUSE_API_KEY", "hunter5"), ("PILOTHOUSE_MODEL", "n")].into_iter().collect();
        let all = said(&home, None, &environment, &Layer::default());
        let of = |key: &str| all.get(key).map(|s| format!("{} {}", s.value, s.from)).unwrap();
        assert_eq!(of("model.name"), "n PILOTHOUSE_MODEL");
        assert_eq!(of("model.base_url"), "\"https://example.org/v1\" config.toml:3");
        assert_eq!(of("model.also.fast.name"), "\"f\" config.toml:5");
        assert_eq!(of("session.history"), "7 config.toml:7");
        assert_eq!(of("plan.candidates"), "1 default");
        assert!(!told(&home, &all).contains("hunter"), "{}", told(&home, &all));
        let page = page(&home, &all);
        let row = |key: &str| page.lines().find(|line| line.starts_with(key)).unwrap();
        let told = |key: &str| row(key).split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(told("session.history"), ["session.history", "7", "config.toml:7"]);
        assert_eq!(told("plan.candidates"), ["plan.candidates", "1"]);
        let column = |key: &str, of: &str| row(key).rfind(of);
        assert_eq!(column("session.history", "7 "), column("plan.candidates", "1"), "{page}");
        assert!(!page.contains("hunter"), "{page}");
        assert!(page.find("session.history") < page.find("As it ships:"), "{page}");
        assert!(page.find("As it ships:") < page.find("plan.candidates"), "{page}");
        let lines: Vec<&str> = page.lines().collect();
        let first = |section: &str| lines.iter().rposition(|line| line.starts_with(section)).unwrap();
        assert_eq!(lines.get(first("plan.") + 1), Some(&""), "sections stand apart: {page}");
        assert_eq!(model_line(&of_user(&home), "model.also.fast"), Some(5));
    }

    #[test]
    fn what_a_trusted_project_puts_in_force_stands_in_place_of_what_it_lowers() {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::under(dir.path());
        let of = |text: &str| {
            let project = ProjectLayer::parse(Path::new("p.toml"), text).unwrap();
            let all = said(&home, Some(&project), &Environment::default(), &Layer::default());
            move |key: &str| all.get(key).map(|s| format!("{} {}", s.value, s.from)).unwrap_or_default()
        };
        let said = of(
            "[gates]\ncommands = [\"make check\"]\n[session]\nbudget = \"2\"\nhistory = 3\npermission = \"read_only\"\n",
        );
        assert_eq!(said("gates.commands"), "[\"make check\"] this folder's settings");
        assert_eq!(said("session.history"), "3 this folder's settings");
        assert_eq!(said("session.budget"), "\"$2.00\" this folder's settings");
        assert_eq!(said("session.permission"), "\"read_only\" this folder's settings");
        let wide = of("[session]\nhistory = 1000\npermission = \"auto\"\n[gates]\nfound = false\n");
        assert!(wide("session.history").ends_with(" default"), "{}", wide("session.history"));
        assert!(!wide("session.permission").contains("folder"), "{}", wide("session.permission"));
        assert_eq!(wide("gates.found"), "false this folder's settings");
    }

    #[test]
    fn what_changed_is_named_with_the_time_of_its_effect() {
        let (before, now) =
            (flat("[model]\nname = \"a\"\n[sandbox]\nnetwork = true\n"), flat("[model]\nname = \"b\"\n"));
        assert_eq!(changed(&before, &now), ["model.name", "sandbox.network"]);
        assert_eq!(effective("model.name"), Effective::Now);
        assert_eq!(effective("sandbox.network"), Effective::Restart);
        assert_eq!(effective("session.permission"), Effective::NewSessions);
        assert_eq!(effective("screen.theme"), Effective::Restart);
    }
}
