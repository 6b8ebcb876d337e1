//! What the user wants, as far as rules can tell: English and German phrasings of a bounded set of
//! jobs.
//!
//! Owns the phrasings. A sentence that fits a job only in part is not guessed at: it is unclear,
//! and the user is told which part.

use pilothouse_core::intent::command::INIT;

use super::{
    pattern::{Pattern, group},
    phrase::{
        ABLE, BUILD, COMMIT, CONTENT, CREATE, DELETE, FIND, FORMAT, GREETING, HOW, LINT, LIST, MODEL, MOVE,
        OUTLINE, OVERVIEW, PRIVACY, REFINE, RENAME, REPLACE, REVIEW, SCOPE, SHOW, START, TESTS, THANKS,
        UNCOMMIT, UNDO, USES, WHAT, WHERE, WHO, WHY_ASKED, first,
    },
    record::{self, Failure, last_run},
    scene::Scene,
    sentence::{Sentence, is_path},
    trade, usual,
};

/// A job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Request {
    Rename {
        old: String,
        new: String,
        scope: Option<String>,
    },
    Replace {
        old: String,
        new: String,
        scope: Option<String>,
    },
    Create {
        path: String,
        content: String,
    },
    Delete {
        paths: Vec<String>,
    },
    Where(String),
    What(String),
    Uses(String),
    Find {
        text: String,
        scope: Option<String>,
    },
    Show {
        path: String,
        lines: Option<(u64, u64)>,
    },
    List(Option<String>),
    /// What is in something; a `folder` where it was called one.
    Inside {
        name: String,
        folder: bool,
    },
    /// What is left to do, as the code says it.
    Todos(Option<String>),
    /// What the last command came to.
    Failure(Failure),
    /// Why something was asked.
    WhyAsked,
    /// Something is taken back.
    Undo,
    /// How something is done that is told as it stands.
    Told(&'static str),
    Outline(String),
    Overview,
    Review,
    Job(Job),
    /// A command of git, which there must be here.
    Git(String),
    /// A file is moved, or copied.
    Move {
        old: String,
        new: String,
        copies: bool,
    },
    /// The program is run, or what was spoken of; again what ran last.
    Launch {
        points: bool,
        again: bool,
    },
    /// How that is done here.
    How(Job),
    /// How the program of the folder is started.
    Start,
    /// How a model is connected, and which.
    Connect(Option<String>),
    /// Who answers.
    Who,
    /// Somebody is greeted, or thanked.
    Greeting,
    Thanks,
    /// What can be done.
    Able,
    /// What leaves the machine.
    Privacy,
    /// Nothing that rules can do; the reason is the answer.
    Unclear(String),
    Unknown,
}

/// Something to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Job {
    Tests,
    Build,
    Lint,
    Format,
    /// The program is started.
    Start,
    /// A package is added.
    Install(String),
    Command(String),
}

const THINGS: &str = "the|a|an|all|every|identifier|variable|function|fn|struct|class|method|type|trait|enum|const|constant|field|symbol|module|macro|interface|uses of|occurrences of|die|der|das|den|dem|alle|funktion|variable|klasse|methode|struktur|typ|bezeichner|konstante|feld|modul";

impl Request {
    /// The wish of the request's sentence; a sentence that only narrows the last one is put
    /// together with it.
    pub fn read(scene: &Scene<'_>) -> Self {
        if scene.sentence().ends_with(INIT) {
            return Self::Create { path: "AGENTS.md".to_owned(), content: scene.first_instructions() };
        }
        let sentence = scene.read();
        if let Some(found) = first(&REFINE, &sentence.text) {
            let scope = sentence.plain(group(&found, "in"));
            let earlier = scene.earlier().iter().map(|text| Self::of(&Sentence::of(text)));
            if let Some(wish) = earlier.into_iter().find(Self::changes).and_then(|w| w.narrowed(&scope)) {
                return wish;
            }
        }
        let wish = Self::of(&sentence);
        // Where nothing ran, "the error" may be the name of something.
        let named = matches!(wish, Self::Failure(_)) && last_run(scene.before()).is_none();
        let named = named.then(|| asking(&sentence)).flatten();
        named.unwrap_or(wish).settled(scene)
    }

    /// What hangs on the folder and on what was said before, as the job that it comes to.
    pub fn settled(self, scene: &Scene<'_>) -> Self {
        let runs = |line: String| Self::Job(Job::Command(line));
        if let Self::Git(line) = self {
            return if scene.without_git() { Self::Unclear(super::NO_GIT.to_owned()) } else { runs(line) };
        }
        if let Self::Move { old, new, copies } = self {
            let with = match (copies, scene.without_git()) {
                (true, _) => "cp",
                (false, true) => "mv",
                (false, false) => "git mv",
            };
            return runs(format!("{with} {old} {new}"));
        }
        let Self::Launch { points, again } = self else { return self };
        let ran = || last_run(scene.before()).filter(|_| again).map(|run| run.command);
        let told = || scene.spoken().next().filter(|_| points).and_then(offered).map(str::to_owned);
        ran().or_else(told).map_or(Self::Job(Job::Start), runs)
    }

    /// The wish of a sentence.
    pub fn of(s: &Sentence) -> Self {
        if s.text.is_empty() {
            return Self::Unknown;
        }
        about_us(s)
            .or_else(|| record::asked(s))
            .or_else(|| usual::order(s))
            .or_else(|| changing(s))
            .or_else(|| usual::running(s))
            .or_else(|| trade::asked(s))
            .or_else(|| asking(s))
            .unwrap_or(Self::Unknown)
    }

    /// Whether it changes files.
    pub fn changes(&self) -> bool {
        matches!(self, Self::Rename { .. } | Self::Replace { .. } | Self::Create { .. } | Self::Delete { .. })
    }

    /// How such a wish is said as an order.
    pub fn example(&self) -> String {
        if let Self::Replace { old, new, .. } = self {
            format!("`replace \"{old}\" with \"{new}\"`")
        } else if let Self::Create { path, .. } = self {
            format!("`create {path}`")
        } else if let Self::Delete { paths } = self {
            format!("`delete {}`", paths.join(" "))
        } else if let Self::Rename { old, new, .. } = self {
            format!("`rename {old} to {new}`")
        } else {
            "`rename X to Y`".to_owned()
        }
    }

    fn narrowed(self, to: &str) -> Option<Self> {
        let scope = Some(to.to_owned());
        if let Self::Rename { old, new, .. } = self {
            return Some(Self::Rename { old, new, scope });
        }
        let Self::Replace { old, new, .. } = self else { return None };
        Some(Self::Replace { old, new, scope })
    }
}

/// The line that an answer says to run.
fn offered(said: &str) -> Option<&str> {
    said.rsplit_once("Say `run ")?.1.split('`').next().filter(|line| *line != "…")
}

/// Takes words such as `the function` off the front of what follows a verb.
fn without_things(text: &str) -> String {
    let mut text = text.to_owned();
    let Some((verb, mut rest)) = text.split_once(' ').map(|(v, r)| (v.to_owned(), r.to_owned())) else {
        return text;
    };
    let verb_only = THINGS.split('|').any(|t| t.eq_ignore_ascii_case(&verb));
    loop {
        let lower = rest.to_lowercase();
        let thing = THINGS.split('|').find(|t| lower.strip_prefix(*t).is_some_and(|r| r.starts_with(' ')));
        let Some(cut) = thing.and_then(|t| rest.get(t.len() + 1..)).map(|r| r.trim_start().to_owned()) else {
            break;
        };
        // `rename type to kind` renames `type`.
        if ["to ", "in ", "um ", "with ", "into ", "durch "].iter().any(|w| cut.to_lowercase().starts_with(w))
        {
            break;
        }
        rest = cut;
    }
    text = if verb_only { rest } else { format!("{verb} {rest}") };
    text
}

/// What the program knows of itself, and how something is done.
fn about_us(s: &Sentence) -> Option<Request> {
    let text = s.text.as_str();
    if first(&WHO, text).is_some() {
        return Some(Request::Who);
    }
    let whole = [(&GREETING[..], Request::Greeting), (&THANKS, Request::Thanks), (&ABLE, Request::Able)];
    if let Some((_, said)) = whole.into_iter().find(|(set, _)| first(set, text).is_some()) {
        return Some(said);
    }
    if first(&PRIVACY, text).is_some() {
        return Some(Request::Privacy);
    }
    if first(&WHY_ASKED, text).is_some() {
        return Some(Request::WhyAsked);
    }
    let model = |text: &str| {
        let found = first(&MODEL, text)?;
        Some(Request::Connect(found.name("x").map(|x| s.plain(x.as_str()))))
    };
    let Some(how) = first(&HOW, text) else { return model(text) };
    let how = group(&how, "x");
    let does = [(&TESTS[..], Job::Tests), (&BUILD, Job::Build), (&LINT, Job::Lint), (&FORMAT, Job::Format)];
    let job = does.into_iter().find(|(set, _)| first(set, how).is_some()).map(|(_, job)| Request::How(job));
    let undo = || first(&UNDO, how).or_else(|| first(&UNCOMMIT, how)).map(|_| Request::Told(record::UNDO));
    let commit = || first(&COMMIT, how).map(|_| Request::Told(usual::HOW_COMMIT));
    job.or_else(undo)
        .or_else(commit)
        .or_else(|| model(how))
        .or_else(|| first(&START, how).map(|_| Request::Start))
}

/// Whether a text points at something instead of naming it.
fn points(text: &str) -> bool {
    let word = text.to_lowercase();
    ["this", "that", "it", "these", "those", "here", "das", "dies", "es"].contains(&word.as_str())
}

/// Whether a text begins with somebody: no name of the code does.
fn is_of_somebody(text: &str) -> bool {
    let word = text.split_whitespace().next().unwrap_or_default().to_lowercase();
    text.contains(' ')
        && ["i", "we", "you", "he", "she", "they", "ich", "wir", "du", "it", "this", "that"]
            .contains(&word.as_str())
}

fn changing(s: &Sentence) -> Option<Request> {
    let plain = without_things(&s.text);
    if let Some(found) = first(&RENAME, &plain) {
        return Some(rename(s, &found));
    }
    if let Some(found) = first(&REPLACE, &plain) {
        let (old, new) = (s.plain(group(&found, "old")), s.plain(group(&found, "new")));
        return Some(match scope(s, group(&found, "rest")) {
            Ok(scope) => Request::Replace { old, new, scope },
            Err(why) => Request::Unclear(why),
        });
    }
    if MOVE.iter().any(|p| p.is_match(&s.text)) {
        return Some(Request::Unclear(cannot_move()));
    }
    CREATE
        .iter()
        .find_map(|p| create(s, &p.captures(&s.text)?))
        .or_else(|| DELETE.iter().find_map(|p| delete(s, &p.captures(&s.text)?)))
}

fn cannot_move() -> String {
    "I can't move, copy or rename files, but a command can: say `run git mv OLD NEW`; you are asked before it runs.".to_owned()
}

fn rename(s: &Sentence, found: &regex::Captures<'_>) -> Request {
    let (old, new) = (s.plain(group(found, "old")), s.plain(group(found, "new")));
    if is_path(&old) || is_path(&new) {
        return Request::Unclear(cannot_move());
    }
    let name = |text: &str| {
        let mut chars = text.chars();
        chars.next().is_some_and(|c| c.is_alphabetic() || matches!(c, '_' | '$'))
            && chars.all(|c| c.is_alphanumeric() || matches!(c, '_' | '$'))
    };
    let bare = |text: String| text.trim_end_matches("()").to_owned();
    let (old, new) = (bare(old), bare(new));
    if let Some(bad) = [&old, &new].into_iter().find(|n| !name(n)) {
        return Request::Unclear(format!(
            "`{bad}` is not a plain identifier, so I cannot rename it as a whole word. For any other text say `replace \"{old}\" with \"{new}\"`."
        ));
    }
    let rest = [group(found, "rest"), group(found, "more")].concat();
    match (group(found, "in"), scope(s, &rest)) {
        ("", Ok(scope)) => Request::Rename { old, new, scope },
        ("", Err(why)) => Request::Unclear(why),
        (place, _) => Request::Rename { old, new, scope: Some(s.plain(place)) },
    }
}

/// Where a change is to happen; an error when the words say something else as well.
fn scope(s: &Sentence, rest: &str) -> Result<Option<String>, String> {
    match first(&SCOPE, rest) {
        Some(found) => Ok(found.name("in").map(|m| s.plain(m.as_str()))),
        None => Err(format!(
            "I understand the first part, but not \"{}\". I make one such change at a time; say where with `in PATH`.",
            s.restore(rest.trim())
        )),
    }
}

fn create(s: &Sentence, found: &regex::Captures<'_>) -> Option<Request> {
    let token = group(found, "path");
    let path = s.plain(token.trim_end_matches([':', ',']));
    let said_file = ["file", "datei"].iter().any(|w| group(found, "kind").to_lowercase().contains(w));
    let fits = is_path(&path) || (said_file && !path.is_empty());
    if !fits {
        return None;
    }
    if path.ends_with('/') {
        return Some(Request::Unclear(
            "A folder is created with its first file: say `create FOLDER/FILE`.".to_owned(),
        ));
    }
    let colon = if token.ends_with(':') { ":" } else { "" };
    let rest = format!("{colon}{}", group(found, "rest"));
    let Some(inside) = first(&CONTENT, &rest) else {
        return Some(Request::Unclear(format!(
            "I can create {path} empty or with text you give (`create {path} with \"…\"`); writing \"{}\" needs a model. {}",
            s.restore(rest.trim()),
            super::CONNECT
        )));
    };
    let mut content = match inside.name("span") {
        Some(span) => s.plain(span.as_str()),
        None => s.restore(group(&inside, "bare")),
    };
    if !content.is_empty() && !content.ends_with('\n') {
        content.push('\n');
    }
    Some(Request::Create { path, content })
}

fn delete(s: &Sentence, found: &regex::Captures<'_>) -> Option<Request> {
    let said_file = !group(found, "kind").trim().is_empty()
        && ["file", "folder", "director", "datei", "ordner", "verzeichnis"]
            .iter()
            .any(|w| group(found, "kind").to_lowercase().contains(w));
    let words = group(found, "paths").replace(',', " ");
    let words: Vec<&str> = words
        .split_whitespace()
        .filter(|w| !["and", "und", "the", "file"].contains(&w.to_lowercase().as_str()))
        .collect();
    let mut paths: Vec<String> = Vec::new();
    for path in words.iter().map(|w| s.plain(w)) {
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    let fit = !paths.is_empty() && paths.iter().all(|p| is_path(p) || (said_file && words.len() == 1));
    fit.then_some(Request::Delete { paths })
}

fn asking(s: &Sentence) -> Option<Request> {
    let text = s.text.as_str();
    let one = |set: &[Pattern]| first(set, text).map(|c| term(s, group(&c, "x")));
    let named = |x: String| (!points(&x) && !is_of_somebody(&x) && trade::can_be_name(&x)).then_some(x);
    if first(&OVERVIEW, text).is_some() {
        return Some(Request::Overview);
    }
    if first(&REVIEW, text).is_some() {
        return Some(Request::Review);
    }
    if let Some(x) = one(&USES).and_then(named) {
        return Some(Request::Uses(x));
    }
    if let Some(found) = first(&LIST, text) {
        let place = [group(&found, "in"), group(&found, "dir")].concat();
        let place = s.plain(&place);
        let here = ["this", "here", "workspace", "current", "."].contains(&place.as_str())
            || trade::is_project(&place);
        let said = found.name("said").is_some();
        if found.name("dir").is_none() || here || place.ends_with('/') {
            return Some(Request::List(Some(place).filter(|p| !p.is_empty() && !here)));
        }
        if is_path(&place) && !said {
            return Some(Request::Outline(place));
        }
        if said || !points(&place) {
            return Some(Request::Inside { name: place, folder: said });
        }
    }
    if let Some(x) = one(&OUTLINE) {
        return Some(Request::Outline(x));
    }
    if let Some(wish) = first(&SHOW, text).and_then(|c| show(s, &c)) {
        return Some(wish);
    }
    if let Some(x) = one(&WHERE) {
        return named(x).map(Request::Where);
    }
    if let Some(x) = one(&WHAT) {
        // What is pointed at, where nothing was named before, is the project.
        if points(&x) {
            return Some(Request::Overview);
        }
        let x = named(x)?;
        return Some(if is_path(&x) { Request::Outline(x) } else { Request::What(x) });
    }
    let found = first(&FIND, text)?;
    let scope = scope(s, group(&found, "rest")).unwrap_or_default();
    let token = group(&found, "x");
    Some(Request::Find { text: if s.is_quoted(token) { s.plain(token) } else { s.restore(token) }, scope })
}

fn show(s: &Sentence, found: &regex::Captures<'_>) -> Option<Request> {
    let word = s.plain(group(found, "x"));
    let (path, suffix) = match word.split_once(':') {
        Some((path, rest)) if rest.starts_with(|c: char| c.is_ascii_digit()) => {
            (path.to_owned(), rest.to_owned())
        }
        _ => (word, String::new()),
    };
    if !is_path(&path) {
        return None;
    }
    if path.ends_with('/') {
        return Some(Request::Inside { name: path, folder: true });
    }
    let (a, b) = suffix.split_once('-').unwrap_or((&suffix, ""));
    let number = |text: &str, name: &str| text.parse().or_else(|_| group(found, name).parse::<u64>()).ok();
    let lines = number(a, "from").map(|from| (from, number(b, "to").unwrap_or(from + 40).max(from)));
    Some(Request::Show { path, lines })
}

/// What a question is about: without articles, kinds of things and parentheses.
fn term(s: &Sentence, text: &str) -> String {
    if s.is_quoted(text) {
        return s.plain(text);
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    let filler = |word: &&str| {
        let word = word.to_lowercase();
        let more = ["file", "our", "this", "that", "eine", "ein", "datei"];
        THINGS.split('|').any(|t| t == word) || more.contains(&word.as_str())
    };
    let front = words.iter().take_while(|w| filler(w)).count().min(words.len().saturating_sub(1));
    let kept = words.get(front..).unwrap_or_default();
    let back = kept.iter().rev().take_while(|w| filler(w)).count().min(kept.len().saturating_sub(1));
    let kept = kept.get(..kept.len() - back).unwrap_or_default();
    let plain: Vec<String> = kept.iter().map(|w| s.plain(w)).collect();
    plain.join(" ").trim_end_matches("()").to_owned()
}

#[cfg(test)]
mod tests;
