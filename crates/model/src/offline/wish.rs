//! What the user wants, as far as rules can tell: English and German phrasings of a bounded set of
//! jobs.
//!
//! Owns the phrasings. A sentence that fits a job only in part is not guessed at: it is unclear,
//! and the user is told which part.

use super::{
    pattern::{Pattern, group},
    scene::Scene,
    sentence::{Sentence, is_path},
};

/// A job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Wish {
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
    Outline(String),
    Overview,
    Review,
    Job(Job),
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
    Command(String),
}

const THINGS: &str = "the|a|an|all|every|identifier|variable|function|fn|struct|class|method|type|trait|enum|const|constant|field|symbol|module|macro|interface|uses of|occurrences of|die|der|das|den|dem|alle|funktion|variable|klasse|methode|struktur|typ|bezeichner|konstante|feld|modul";

macro_rules! phrases {
    ($($name:ident = [$($text:literal),+ $(,)?];)+) => {
        $(static $name: [Pattern; [$($text),+].len()] = [$(Pattern::new(concat!("(?is)^", $text, "$"))),+];)+
        #[cfg(test)]
        fn all() -> Vec<&'static Pattern> {
            let mut all = Vec::new();
            $(all.extend(&$name);)+
            all
        }
    };
}

phrases! {
    RENAME = [
        r"(?:rename|refactor|change the name of)\s+(?<old>\S+)\s+in\s+(?<in>\S+)\s+to\s+(?<new>\S+)",
        r"(?:rename|refactor|change the name of)\s+(?<old>\S+)\s+(?:to|into|as|->|=>|→)\s+(?<new>\S+)(?<rest>\s.*)?",
        r"(?:be)?nenne\s+(?<old>\S+)\s+um\s+(?:in|zu|nach|->|→)\s+(?<new>\S+)(?<rest>\s.*)?",
        r"(?:be)?nenne\s+(?<old>\S+)\s+(?:in|unter|im ordner)\s+(?<in>\S+)\s+(?:in|zu|nach)\s+(?<new>\S+)\s+um",
        r"(?:be)?nenne\s+(?<old>\S+)\s+(?:in|zu|nach|->|→)\s+(?<new>\S+)(?<rest>\s.*?)?\s+um(?<more>\s.*)?",
        r"(?<old>\S+)\s+umbenennen\s+(?:in|zu|nach|->|→)\s+(?<new>\S+)(?<rest>\s.*)?",
        r"(?<old>\S+)\s+(?:in|zu|nach|->|→)\s+(?<new>\S+)\s+umbenennen(?<rest>\s.*)?",
    ];
    REPLACE = [
        r"(?:replace|substitute|swap)\s+(?<old>\S+)\s+(?:with|by|for|->|=>|→)\s+(?<new>\S+)(?<rest>\s.*)?",
        r"ersetze\s+(?<old>\S+)\s+(?:durch|mit|->|→)\s+(?<new>\S+)(?<rest>\s.*)?",
        r"(?<old>\S+)\s+durch\s+(?<new>\S+)\s+ersetzen(?<rest>\s.*)?",
        r"(?:change|ändere)\s+(?<old>\x{e000}\d+\x{e001})\s+(?:to|into|in|zu)\s+(?<new>\x{e000}\d+\x{e001})(?<rest>\s.*)?",
    ];
    CREATE = [
        r"(?:create|add|make|write|new|generate|touch|erstelle|erzeuge|lege|leg|schreibe)\s+(?<kind>(?:(?:a|an|the|new|empty|text|file|called|named|ein|eine|einen|neue|neuen|leere|datei|die|namens|mit dem namen)\s+)*)(?<path>\S+?)(?:\s+an)?(?:\s+file)?(?<rest>(?:[\s:,].*)?)",
        r"(?<kind>(?:neue\s+)?datei\s+)(?<path>\S+)\s+(?:anlegen|erstellen|erzeugen)(?<rest>(?:[\s:,].*)?)",
    ];
    CONTENT = [
        r"[\s:,]*(?:(?:with|containing|mit|and put|that (?:says|contains)|and write)\s+)?(?:the\s+|dem\s+|den\s+)?(?:(?:content|contents|text|inhalt|line|zeile)\s*:?\s*)?(?<span>\x{e000}\d+\x{e001})(?:\s+(?:in it|an|into it|hinein))?",
        r"[\s:,]*(?:with|mit)\s+(?:the\s+|dem\s+)?(?:content|contents|text|inhalt)\s*:?\s+(?<bare>.+?)(?:\s+an)?",
        r":\s*(?<bare>.+)",
        r"(?<none>(?:\s+an)?\s*)",
    ];
    DELETE = [
        r"(?:delete|remove|rm|erase|lösche|entferne)\s+(?<kind>(?:(?:the|file|files|folder|directory|die|der|das|den|datei|dateien|ordner|verzeichnis)\s+)*)(?<paths>.+)",
        r"(?<kind>(?:(?:die|den|datei|dateien|ordner)\s+)*)(?<paths>.+?)\s+(?:löschen|entfernen)",
    ];
    MOVE = [r"(?:move|mv|verschiebe|copy|cp|kopiere)\s+.+"];
    SCOPE = [
        r"\s*",
        r"\s*,?\s*(?:everywhere|project-wide|überall|(?:in|across|throughout|within)\s+(?:all|the|the whole|the entire|this|every)\s*(?:files?|project|codebase|code|repo|repository|workspace)|(?:in allen dateien|im ganzen (?:projekt|code)))",
        r"\s*,?\s*(?:but\s+)?(?:only\s+|just\s+|nur\s+)?(?:in|inside|within|under|below|across|throughout|unter|innerhalb von|im)\s+(?:(?:the|der|die|dem|den|file|files in|folder|directory|crate|module|package|datei|ordner|verzeichnis)\s+)*(?<in>\S+)(?:\s+(?:file|files|folder|directory|crate|module|package|only|ordner|verzeichnis))*",
    ];
    USES = [
        r"(?:who|what|which (?:files?|code|functions?))\s+(?:uses?|calls?|references?|imports?|depends? on)\s+(?<x>.+)",
        r"where\s+(?:is|are)\s+(?<x>.+?)\s+(?:being\s+)?(?:used|called|referenced|imported|needed)",
        r"where\s+(?:do|does)\s+(?:we|i|it|you|this|anyone|the code)\s+(?:use|call|reference|import)\s+(?<x>.+)",
        r"(?:(?:find|show|list|give)\s+)?(?:me\s+)?(?:all\s+)?(?:the\s+)?(?:usages?|uses|references|callers|calls)\s+(?:of|to|for)\s+(?<x>.+)",
        r"(?:find|show|list)\s+(?:all\s+)?(?<x>\S+)\s+(?:usages?|references|callers)",
        r"wer\s+(?:benutzt|verwendet|nutzt|ruft|importiert)\s+(?<x>.+?)(?:\s+auf)?",
        r"wo\s+(?:wird|werden)\s+(?<x>.+?)\s+(?:überall\s+)?(?:benutzt|verwendet|genutzt|aufgerufen|gebraucht|importiert)",
    ];
    OVERVIEW = [
        r"(?:what(?:'s|s| is| are| does)|describe|explain|summari[sz]e|give me|show me|tell me about|how is|was (?:ist|macht|steckt|enthält|tut)|worum geht es|beschreibe|erkläre|fasse)\b.*?\b(?:codebase|code base|repo|repository|project|workspace|projekt|codebasis|verzeichnis)(?:\s+(?:do|does|about|contain|here|zusammen|structured|organi[sz]ed|drin))?",
        r"(?:(?:give me|show me)\s+)?(?:an?\s+|the\s+)?(?:overview|übersicht|überblick|summary|zusammenfassung)(?:\s+(?:of|über)\s+(?:this|the|everything|das|alles))?(?:\s+(?:code|codebase|repo|project|projekt))?",
        r"what(?:'s| is)\s+(?:in\s+)?(?:here|this)",
    ];
    REVIEW = [
        r"(?:review|check|inspect|look at)\s+(?:(?:my|the|these|this|current|working|uncommitted|local|recent|git)\s+)*(?:changes?|diff|edits|work|working tree|modifications)",
        r"(?:review|git diff)",
        r"what(?:'s| did i| has| have i| was)?\s*(?:changed?|been changed|modified)(?:\s+(?:here|so far|in git))?",
        r"(?:prüfe|überprüfe|zeige?)\s+(?:mir\s+)?(?:(?:meine|die|den|aktuelle[nr]?)\s+)*(?:änderungen|diff)",
        r"was\s+(?:habe ich|hat sich|wurde)\s+geändert",
    ];
    LIST = [
        r"ls(?:\s+(?<in>\S+))?",
        r"(?:list|show|what|which|liste|zeige?|welche)\s+(?:me\s+|mir\s+)?(?:(?:all|the|of|alle|die)\s+)*(?:files|folders|directories|dateien|ordner|verzeichnisse)(?:\s+(?:are|exist|there|do we have|have we|gibt es|auf))*(?:\s+(?:in|under|unter|im)\s+(?:(?:the|this|dem|folder|directory|ordner)\s+)*(?<in>\S+?)(?:\s+(?:folder|directory))?)?(?:\s+(?:are|exist|there|auf))*",
        r"(?:list|liste)\s+(?<in>\S+)(?:\s+auf)?",
        r"what(?:'s| is)\s+in\s+(?:(?:the|folder|directory)\s+)*(?<dir>\S+?/?)(?:\s+(?:folder|directory))?",
    ];
    OUTLINE = [
        r"(?:(?:show|give)\s+(?:me\s+)?)?(?:an?\s+|the\s+)?(?:outline|summari[sz]e|summary|structure|overview|symbols|gliedere|gliederung|zusammenfassung|überblick)\s+(?:(?:of|in|for|von|über|the|file|folder|datei|der)\s+)*(?<x>\S+)",
        r"fasse\s+(?:(?:die|datei)\s+)*(?<x>\S+)\s+zusammen",
    ];
    SHOW = [
        r"(?:show|read|open|print|cat|view|display|zeige?|lies|öffne)\s+(?:(?:me|mir|the|file|contents? of|die|datei)\s+)*(?<x>\S+)(?:,?\s+(?:from\s+)?(?:lines?|zeilen?)\s+(?<from>\d+)(?:\s*(?:-|–|to|bis)\s*(?<to>\d+))?)?",
        r"(?:show|read|print|zeige?|lies)\s+(?:me\s+|mir\s+)?(?:lines?|zeilen?)\s+(?<from>\d+)(?:\s*(?:-|–|to|bis)\s*(?<to>\d+))?\s+(?:of|in|from|von)\s+(?<x>\S+)",
    ];
    WHERE = [
        r"(?:find|show|give)\s+(?:me\s+)?(?:the\s+)?(?:definition|declaration|implementation)\s+of\s+(?<x>.+)",
        r"(?:definition|declaration|implementation)\s+of\s+(?<x>.+)",
        r"where(?:'s|s|\s+is|\s+are|\s+can i find|\s+do i find|\s+do we find|\s+does|\s+do)\s+(?<x>.+?)(?:\s+(?:defined|declared|implemented|located|live|handled|come from|coming from))?",
        r"(?:locate|go to|goto|jump to)\s+(?<x>.+)",
        r"which file\s+(?:defines|contains|has|implements)\s+(?<x>.+)",
        r"wo\s+(?:ist|sind|steht|wird|finde ich|liegt|befindet sich)\s+(?<x>.+?)(?:\s+(?:definiert|deklariert|implementiert))?",
    ];
    WHAT = [
        r"what(?:'s|s|\s+is|\s+are|\s+does|\s+do)\s+(?<x>.+?)(?:\s+(?:do|does|mean|for|good for|used for|about))?",
        r"(?:explain|describe|tell me about|define|show me|show|erkläre?|beschreibe|zeige?)\s+(?:(?:me|mir|what|how)\s+)*(?<x>.+?)(?:\s+(?:does|works|is|means))?",
        r"how\s+(?:does|do|is|are)\s+(?<x>.+?)(?:\s+(?:works?|implemented|done|built|handled))?",
        r"was\s+(?:ist|sind|macht|bedeutet|tut)\s+(?<x>.+)",
        r"wie\s+(?:funktioniert|arbeitet|geht)\s+(?<x>.+)",
    ];
    FIND = [
        r"(?:find|search|grep|look|suche?|finde)\s+(?:(?:for|nach|all|every|any|me|text|the)\s+)*(?<x>\S+|.+?)(?<rest>\s+(?:in|inside|within|under|unter)\s+\S+)?",
    ];
    TESTS = [
        r"(?:(?:run|execute|start|rerun|führe|starte|lass)\s+)?(?:(?:all|the|unit|my|our|die|alle|nur)\s+)*(?:tests?|test suite|testsuite)(?:\s+(?:aus|laufen|again|nochmal))*",
        r"teste(?:\s+(?:alles|das projekt|es))?",
        r"(?:do|are)\s+(?:(?:all|the)\s+)*tests\s+(?:pass|passing|green)",
    ];
    BUILD = [r"(?:(?:run|start)\s+(?:the|a)\s+)?(?:build|compile|baue|kompiliere)(?:\s+(?:it|the project|everything|das projekt|alles))?"];
    LINT = [r"(?:(?:run|start)\s+(?:the\s+)?)?(?:lint|linter|lints)(?:\s+(?:it|the project|the code))?"];
    FORMAT = [r"(?:run\s+(?:the\s+)?)?(?:format|formatter|formatiere)(?:\s+(?:it|the project|the code|everything|den code))?"];
    RUN = [
        r"!\s*(?<x>.+)",
        r"(?:run|execute|exec|führe|starte|start)\s+(?:(?:the|command|den|befehl|this)\s+)*:?\s*(?<x>.+?)(?:\s+aus)?",
        r"(?<x>\x{e000}\d+\x{e001})",
    ];
    REFINE = [
        r"(?:no,?\s+|nein,?\s+)?(?:but\s+)?(?:only|just|nur)\s+(?:in|inside|within|under|unter|im)\s+(?:(?:the|folder|directory|ordner)\s+)*(?<in>\S+)(?:\s+(?:folder|directory))?",
    ];
    BARE = [
        r"(?:cargo|npm|npx|pnpm|yarn|bun|go|git|make|just|python3?|pytest|node|deno|uv|ruff|mvn|gradle|docker|kubectl|bash|sh|bundle|composer|dotnet|cmake|ctest|swift|mix|php|ruby|\./\S+)(?:\s.*)?",
    ];
}

fn first<'t>(set: &[Pattern], text: &'t str) -> Option<regex::Captures<'t>> {
    set.iter().find_map(|p| p.captures(text))
}

impl Wish {
    /// The wish of the request's sentence; a sentence that only narrows the last one is put
    /// together with it.
    pub fn read(scene: &Scene<'_>) -> Self {
        let sentence = scene.read();
        if let Some(found) = first(&REFINE, &sentence.text) {
            let scope = sentence.plain(group(&found, "in"));
            let earlier = scene.earlier().iter().map(|text| Self::of(&Sentence::of(text)));
            if let Some(wish) = earlier.into_iter().find(Self::changes).and_then(|w| w.narrowed(&scope)) {
                return wish;
            }
        }
        Self::of(&sentence)
    }

    /// The wish of a sentence.
    pub fn of(s: &Sentence) -> Self {
        if s.text.is_empty() {
            return Self::Unknown;
        }
        changing(s).or_else(|| running(s)).or_else(|| asking(s)).unwrap_or(Self::Unknown)
    }

    /// Whether it changes files.
    pub fn changes(&self) -> bool {
        matches!(self, Self::Rename { .. } | Self::Replace { .. } | Self::Create { .. } | Self::Delete { .. })
    }

    /// How such a wish is said as an order.
    pub fn example(&self) -> String {
        match self {
            Self::Rename { old, new, .. } => format!("`rename {old} to {new}`"),
            Self::Replace { old, new, .. } => format!("`replace \"{old}\" with \"{new}\"`"),
            Self::Create { path, .. } => format!("`create {path}`"),
            Self::Delete { paths } => format!("`delete {}`", paths.join(" ")),
            Self::Where(_)
            | Self::What(_)
            | Self::Uses(_)
            | Self::Find { .. }
            | Self::Show { .. }
            | Self::List(_)
            | Self::Outline(_)
            | Self::Overview
            | Self::Review
            | Self::Job(_)
            | Self::Unclear(_)
            | Self::Unknown => "`rename X to Y`".to_owned(),
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

fn changing(s: &Sentence) -> Option<Wish> {
    let plain = without_things(&s.text);
    if let Some(found) = first(&RENAME, &plain) {
        return Some(rename(s, &found));
    }
    if let Some(found) = first(&REPLACE, &plain) {
        let (old, new) = (s.plain(group(&found, "old")), s.plain(group(&found, "new")));
        return Some(match scope(s, group(&found, "rest")) {
            Ok(scope) => Wish::Replace { old, new, scope },
            Err(why) => Wish::Unclear(why),
        });
    }
    if MOVE.iter().any(|p| p.is_match(&s.text)) {
        return Some(Wish::Unclear(cannot_move()));
    }
    CREATE
        .iter()
        .find_map(|p| create(s, &p.captures(&s.text)?))
        .or_else(|| DELETE.iter().find_map(|p| delete(s, &p.captures(&s.text)?)))
}

fn cannot_move() -> String {
    "I cannot move, copy or rename files; a command can: say `run git mv OLD NEW`, and you are asked before it runs.".to_owned()
}

fn rename(s: &Sentence, found: &regex::Captures<'_>) -> Wish {
    let (old, new) = (s.plain(group(found, "old")), s.plain(group(found, "new")));
    if is_path(&old) || is_path(&new) {
        return Wish::Unclear(cannot_move());
    }
    let name = |text: &str| {
        let mut chars = text.chars();
        chars.next().is_some_and(|c| c.is_alphabetic() || matches!(c, '_' | '$'))
            && chars.all(|c| c.is_alphanumeric() || matches!(c, '_' | '$'))
    };
    let bare = |text: String| text.trim_end_matches("()").to_owned();
    let (old, new) = (bare(old), bare(new));
    if let Some(bad) = [&old, &new].into_iter().find(|n| !name(n)) {
        return Wish::Unclear(format!(
            "`{bad}` is not a plain identifier, so I cannot rename it as a whole word. For any other text say `replace \"{old}\" with \"{new}\"`."
        ));
    }
    let rest = [group(found, "rest"), group(found, "more")].concat();
    match (group(found, "in"), scope(s, &rest)) {
        ("", Ok(scope)) => Wish::Rename { old, new, scope },
        ("", Err(why)) => Wish::Unclear(why),
        (place, _) => Wish::Rename { old, new, scope: Some(s.plain(place)) },
    }
}

/// Where a change is to happen; an error when the words say something else as well.
fn scope(s: &Sentence, rest: &str) -> Result<Option<String>, String> {
    match first(&SCOPE, rest) {
        Some(found) => Ok(found.name("in").map(|m| s.plain(m.as_str()))),
        None => Err(format!(
            "I understand the first part, but not \"{}\". I do one such change at a time; say where with `in PATH`.",
            s.restore(rest.trim())
        )),
    }
}

fn create(s: &Sentence, found: &regex::Captures<'_>) -> Option<Wish> {
    let token = group(found, "path");
    let path = s.plain(token.trim_end_matches([':', ',']));
    let said_file = ["file", "datei"].iter().any(|w| group(found, "kind").to_lowercase().contains(w));
    if !is_path(&path) && !(said_file && !path.is_empty()) {
        return None;
    }
    if path.ends_with('/') {
        return Some(Wish::Unclear(
            "Folders come with their first file: say `create FOLDER/FILE`.".to_owned(),
        ));
    }
    let colon = if token.ends_with(':') { ":" } else { "" };
    let rest = format!("{colon}{}", group(found, "rest"));
    let Some(inside) = first(&CONTENT, &rest) else {
        return Some(Wish::Unclear(format!(
            "I can create {path} empty or with a text that you give (`create {path} with \"…\"`); to write \"{}\" I would need a model. {}",
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
    Some(Wish::Create { path, content })
}

fn delete(s: &Sentence, found: &regex::Captures<'_>) -> Option<Wish> {
    let said_file = !group(found, "kind").trim().is_empty()
        && ["file", "folder", "director", "datei", "ordner", "verzeichnis"]
            .iter()
            .any(|w| group(found, "kind").to_lowercase().contains(w));
    let words = group(found, "paths").replace(',', " ");
    let words: Vec<&str> = words
        .split_whitespace()
        .filter(|w| !["and", "und", "the", "file"].contains(&w.to_lowercase().as_str()))
        .collect();
    let paths: Vec<String> = words.iter().map(|w| s.plain(w)).collect();
    let fit = !paths.is_empty() && paths.iter().all(|p| is_path(p) || (said_file && words.len() == 1));
    fit.then_some(Wish::Delete { paths })
}

fn running(s: &Sentence) -> Option<Wish> {
    let text = s.text.as_str();
    let jobs = [(&TESTS[..], Job::Tests), (&BUILD, Job::Build), (&LINT, Job::Lint), (&FORMAT, Job::Format)];
    if let Some((_, job)) = jobs.into_iter().find(|(set, _)| first(set, text).is_some()) {
        return Some(Wish::Job(job));
    }
    let command = match first(&RUN, text) {
        Some(found) => {
            let token = group(&found, "x");
            let known = BARE.iter().any(|p| p.is_match(token)) || text.starts_with('!');
            if !s.is_quoted(token) && !known && token.contains(' ') {
                return Some(Wish::Unclear(format!(
                    "I am not sure that \"{}\" is a command. Put the command line into backticks: run `…`.",
                    s.restore(token)
                )));
            }
            if s.is_quoted(token) { s.plain(token) } else { s.restore(token) }
        }
        None if BARE.iter().any(|p| p.is_match(text)) && !text.starts_with("go to ") => s.restore(text),
        None => return None,
    };
    Some(Wish::Job(Job::Command(command)))
}

fn asking(s: &Sentence) -> Option<Wish> {
    let text = s.text.as_str();
    let one = |set: &[Pattern]| first(set, text).map(|c| term(s, group(&c, "x")));
    if first(&OVERVIEW, text).is_some() {
        return Some(Wish::Overview);
    }
    if first(&REVIEW, text).is_some() {
        return Some(Wish::Review);
    }
    if let Some(x) = one(&USES) {
        return Some(Wish::Uses(x));
    }
    if let Some(found) = first(&LIST, text) {
        let place = [group(&found, "in"), group(&found, "dir")].concat();
        let place = s.plain(&place);
        let named = found.name("dir").is_none() || is_path(&place);
        let here = ["this", "here", "project", "repo", "workspace", "."].contains(&place.as_str());
        if named {
            return Some(Wish::List(Some(place).filter(|p| !p.is_empty() && !here)));
        }
    }
    if let Some(x) = one(&OUTLINE) {
        return Some(Wish::Outline(x));
    }
    if let Some(wish) = first(&SHOW, text).and_then(|c| show(s, &c)) {
        return Some(wish);
    }
    if let Some(x) = one(&WHERE) {
        return Some(Wish::Where(x));
    }
    if let Some(x) = one(&WHAT) {
        return Some(if is_path(&x) { Wish::Outline(x) } else { Wish::What(x) });
    }
    let found = first(&FIND, text)?;
    let scope = scope(s, group(&found, "rest")).unwrap_or_default();
    let token = group(&found, "x");
    Some(Wish::Find { text: if s.is_quoted(token) { s.plain(token) } else { s.restore(token) }, scope })
}

fn show(s: &Sentence, found: &regex::Captures<'_>) -> Option<Wish> {
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
    let (a, b) = suffix.split_once('-').unwrap_or((&suffix, ""));
    let number = |text: &str, name: &str| text.parse().or_else(|_| group(found, name).parse::<u64>()).ok();
    let lines = number(a, "from").map(|from| (from, number(b, "to").unwrap_or(from + 40).max(from)));
    Some(Wish::Show { path, lines })
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
#[path = "wish/tests.rs"]
mod tests;
