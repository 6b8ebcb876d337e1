//! Answers about the code: where and what something is, who uses it, where a text stands.
//!
//! Owns the search for definitions. Every claim has its place; what was not found is said with
//! the place where it was looked for.

use serde_json::{Value, json};

use crate::openai::Preset;

use super::{
    browse, command,
    definition::{body, definition},
    found::{Found, Hit, count, numbered},
    record,
    request::{Job, Request},
    review,
    scene::{Move, Scene},
    trade,
};

/// Lines that are quoted at most.
const QUOTED: usize = 12;

/// Answers a question.
pub(super) fn give(scene: &Scene<'_>, wish: &Request) -> Result<String, Move> {
    match wish {
        Request::Where(term) => define(scene, term, None),
        Request::What(term) => define(scene, term, trade::meaning(term)),
        Request::Uses(term) => uses(scene, term),
        Request::Find { text, scope } => find(scene, text, scope.as_deref()),
        Request::Show { path, lines } => browse::show(scene, path, *lines),
        Request::List(path) => browse::list(scene, path.as_deref()),
        Request::Inside { name, folder } => inside(scene, name, *folder),
        Request::Todos(scope) => todos(scene, scope.as_deref()),
        Request::Failure(asked) => record::failure(scene, *asked),
        Request::WhyAsked => Ok(record::why_asked(scene)),
        Request::Told(text) => Ok((*text).to_owned()),
        Request::Undo => record::undo(scene),
        Request::Outline(path) => browse::outline(scene, path),
        Request::Overview => browse::overview(scene),
        Request::Review => review::give(scene),
        Request::How(job) => how(scene, job),
        Request::Start => command::start(scene),
        Request::Connect(name) => Ok(connect(name.as_deref())),
        Request::Who => Ok(format!("I am the built-in offline engine: rules, no model. {}", super::CONNECT)),
        Request::Greeting => {
            Ok(format!("Hello. I am the built-in offline engine: rules, no model. {}", super::ABLE))
        }
        Request::Thanks => Ok("You are welcome.".to_owned()),
        Request::Able => Ok(format!("{} {}", super::ABLE, super::CONNECT)),
        Request::Privacy => Ok(PRIVACY.to_owned()),
        Request::Rename { .. }
        | Request::Replace { .. }
        | Request::Create { .. }
        | Request::Delete { .. }
        | Request::Job(_)
        | Request::Git(_)
        | Request::Move { .. }
        | Request::Launch { .. }
        | Request::Unclear(_)
        | Request::Unknown => Ok(super::unknown(scene)),
    }
}

/// What leaves the machine.
const PRIVACY: &str = "No: I am the built-in offline engine, and nothing leaves this machine. Once you connect a model, requests go to the address you gave and nowhere else: your messages, the parts of your files read for them and what commands print, with known secrets masked.";

/// How something is done here; nothing is run for it.
fn how(scene: &Scene<'_>, job: &Job) -> Result<String, Move> {
    let does = match job {
        Job::Tests => "The tests run",
        Job::Build => "It is built",
        Job::Lint => "It is checked",
        Job::Format => "It is formatted",
        Job::Start => "It is started",
        Job::Install(_) => "It is installed",
        Job::Command(_) => "It runs",
    };
    let line = command::line(scene, job)?;
    Ok(format!("{does} with `{line}`. Say `run {line}` and I'll run it; you are asked first."))
}

/// How a model is connected, the one that was named where one was.
fn connect(name: Option<&str>) -> String {
    let name = name.unwrap_or("NAME");
    let presets: Vec<&str> = Preset::ALL.iter().map(|p| p.name()).collect();
    format!(
        "`/model PRESET:{name}` uses that model from the next request, with one of the presets {}; `/model {name}` is enough where its provider's key is already stored. `/connect` takes a key or an address.",
        presets.join(", ")
    )
}

/// The last part of `a::b` or `a.b`, and the part before it.
fn parts(term: &str) -> (&str, Option<&str>) {
    let (before, name) = term.rsplit_once("::").or_else(|| term.rsplit_once('.')).unwrap_or(("", term));
    let before = before.rsplit([':', '.']).next().filter(|b| !b.is_empty());
    if name.is_empty() { (term, None) } else { (name, before) }
}

/// A search that first takes the term as it is, and then in any case and spelling.
fn look(scene: &Scene<'_>, term: &str) -> Result<(Found, bool), Move> {
    let (name, _) = parts(term);
    if !name.contains(' ') {
        let args = json!({"pattern": regex::escape(name), "path": ".", "whole_word": true, "max": 400});
        let found = found(scene, args)?;
        if !found.hits.is_empty() {
            return Ok((found, true));
        }
    }
    let words: Vec<String> =
        name.split([' ', '_', '-']).filter(|w| !w.is_empty()).map(regex::escape).collect();
    let pattern = format!("(?i){}", words.join(r"[\s_-]*"));
    Ok((found(scene, json!({"pattern": pattern, "path": ".", "max": 200}))?, false))
}

fn found(scene: &Scene<'_>, args: Value) -> Result<Found, Move> {
    let heard = scene.ask("search", args)?;
    match heard.failed {
        Some(why) => Err(Move::Say(format!("I could not search: {why}"))),
        None => Ok(Found::read(heard.text)),
    }
}

fn nothing(term: &str, found: &Found) -> String {
    let hint = if term.split(' ').count() > 2 { format!(" {}", super::CONNECT) } else { String::new() };
    if found.partial {
        return format!(
            "I found nothing called `{term}` in what I could search; not every file in this folder was searched, so name a folder to search in."
        );
    }
    format!(
        "I found nothing called `{term}`: no match in any file in this folder, in any case or spelling.{hint}"
    )
}

/// The lines of `found` that define the term, the likeliest first.
fn definitions<'f>(found: &'f Found, term: &str, exact: bool) -> Vec<&'f Hit> {
    let (name, owner) = parts(term);
    let plain = |text: &str| text.to_lowercase().replace([' ', '_', '-'], "");
    let fits = |hit: &&Hit| {
        definition(&hit.path, &hit.text)
            .is_some_and(|d| if exact { d.name == name } else { plain(d.name).contains(&plain(name)) })
    };
    let mut hits: Vec<&Hit> = found.hits.iter().filter(fits).collect();
    let owned =
        |hit: &Hit| owner.is_some_and(|o| plain(&hit.path).contains(&plain(o)) || hit.text.contains(o));
    let aside = |hit: &Hit| {
        let path = hit.path.to_lowercase();
        ["test", "example", "vendor", "target/", "node_modules", "fixture"].iter().any(|w| path.contains(w))
    };
    let prose = |hit: &Hit| definition(&hit.path, &hit.text).is_some_and(|d| d.noun() == "a section");
    let size = |hit: &Hit| definition(&hit.path, &hit.text).map_or(usize::MAX, |d| d.name.len());
    hits.sort_by_key(|h| (prose(h), !owned(h), aside(h), if exact { 0 } else { size(h) }));
    hits
}

/// Where and what something is; `meaning` is what it is where no code defines it.
fn define(scene: &Scene<'_>, term: &str, meaning: Option<String>) -> Result<String, Move> {
    let (found, exact) = look(scene, term)?;
    let all = definitions(&found, term, exact);
    if let Some(meaning) = meaning.filter(|_| all.is_empty()) {
        return Ok(meaning);
    }
    if found.hits.is_empty() {
        return Ok(entry(scene, term)?.unwrap_or_else(|| nothing(term, &found)));
    }
    let Some(best) = all.first() else {
        return Ok(format!(
            "I found no definition of `{term}`, but it is mentioned in {}:\n\n{}",
            tally(&found),
            quotes(&found.hits.iter().collect::<Vec<_>>())
        ));
    };
    let Some(what) = definition(&best.path, &best.text) else { return Ok(nothing(term, &found)) };
    let from = best.line.saturating_sub(12).max(1);
    let heard =
        scene.ask("read", json!({"path": best.path, "from": from, "lines": best.line - from + 40}))?;
    let text = match heard.failed {
        None => body(&best.path, &numbered(heard.text), best.line),
        Some(_) => String::new(),
    };
    let text = if text.is_empty() { best.text.trim().to_owned() } else { text };
    let mut out = format!(
        "`{}` is {}, defined at {}:\n\n{}",
        what.name,
        what.noun(),
        best.place(),
        browse::fenced(&best.path, &text)
    );
    if let Some(why) = heard.failed {
        out.push_str(&format!("\n\nI couldn't read further: {why}"));
    }
    let others: Vec<&Hit> = all.iter().skip(1).copied().collect();
    if !others.is_empty() {
        out.push_str(&format!("\n\nDefinitions like it:\n\n{}", quotes(&others)));
    }
    let uses: Vec<&Hit> = found.hits.iter().filter(|h| !all.contains(h)).collect();
    if exact && !uses.is_empty() {
        let places: Vec<String> = uses.iter().take(5).map(|h| h.place()).collect();
        let rest = || format!(", … (`who uses {}` lists them all)", what.name);
        let more = if uses.len() > 5 { rest() } else { String::new() };
        let n = found.matches.saturating_sub(all.len() as u64).max(uses.len() as u64);
        out.push_str(&format!("\n\nNamed in {}: {}{more}", count(n, "more place"), places.join(", ")));
    }
    Ok(out)
}

/// The one folder or file that is called so, where nothing in the code is.
fn entry(scene: &Scene<'_>, term: &str) -> Result<Option<String>, Move> {
    if term.contains(' ') || !scene.offers("list") {
        return Ok(None);
    }
    let all = scene.ask("list", json!({"path": ".", "depth": 20}))?;
    let called = |l: &&str| {
        let name = l.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        let stem = name.rsplit_once('.').map(|(stem, _)| stem).filter(|_| !l.ends_with('/'));
        name == term || stem.is_some_and(|stem| stem.eq_ignore_ascii_case(term))
    };
    let entries: Vec<&str> =
        browse::names(all.text).filter(|_| all.failed.is_none()).filter(called).collect();
    let [one] = entries.as_slice() else { return Ok(None) };
    let shown = match one.strip_suffix('/') {
        Some(folder) => browse::list(scene, Some(folder)),
        None => browse::outline(scene, one),
    };
    shown.map(Some)
}

fn tally(found: &Found) -> String {
    format!("{} in {}", count(found.matches, "place"), count(found.files, "file"))
}

fn quotes(hits: &[&Hit]) -> String {
    let mut lines: Vec<String> = hits.iter().take(QUOTED).map(|h| h.quoted()).collect();
    if hits.len() > QUOTED {
        lines.push(format!("- … and {} more", hits.len() - QUOTED));
    }
    lines.join("\n")
}

fn uses(scene: &Scene<'_>, term: &str) -> Result<String, Move> {
    let (found, exact) = look(scene, term)?;
    if found.hits.is_empty() {
        return Ok(nothing(term, &found));
    }
    let defined = definitions(&found, term, exact);
    let uses: Vec<&Hit> = found.hits.iter().filter(|h| !defined.contains(h)).collect();
    let place = defined.first().map(|h| format!(" It is defined at {}.", h.place())).unwrap_or_default();
    if uses.is_empty() {
        return Ok(format!("Nothing in this folder uses `{term}`.{place}"));
    }
    let mut out = format!("`{term}` is mentioned in {}, its definition included.{place}\n", tally(&found));
    let files = found.by_file();
    for (file, hits) in files.iter().take(20) {
        let lines: Vec<String> =
            hits.iter().filter(|h| !defined.contains(h)).take(8).map(|h| h.quoted()).collect();
        if !lines.is_empty() {
            out.push_str(&format!("\n{file}\n{}\n", lines.join("\n")));
        }
    }
    if files.len() > 20 {
        out.push_str(&format!("\n… and {} more.", count(files.len() as u64 - 20, "file")));
    }
    Ok(out.trim_end().to_owned())
}

/// What is left to do, as the code says it.
const TODOS: &str = r"\b(?:TODO|FIXME|XXX|HACK)\b";

fn todos(scene: &Scene<'_>, scope: Option<&str>) -> Result<String, Move> {
    let place = scope.unwrap_or("this folder");
    let found = found(scene, json!({"pattern": TODOS, "path": scope.unwrap_or("."), "max": 200}))?;
    if found.hits.is_empty() && found.partial {
        return Ok(format!(
            "I found no TODO, FIXME, XXX or HACK in what I could search of {place}; not every file was searched."
        ));
    }
    if found.hits.is_empty() {
        return Ok(format!("There is no TODO, FIXME, XXX or HACK in {place}."));
    }
    let hits: Vec<&Hit> = found.hits.iter().collect();
    Ok(format!(
        "{} (TODO, FIXME, XXX, HACK) in {} of {place}:\n\n{}",
        count(found.matches, "open end"),
        count(found.files, "file"),
        quotes(&hits)
    ))
}

/// What is in a folder that is named, wherever it lies; what is called so and is no folder is looked for in the code.
fn inside(scene: &Scene<'_>, name: &str, folder: bool) -> Result<String, Move> {
    if scene.ask("list", json!({"path": name, "depth": 2}))?.failed.is_none() {
        return browse::list(scene, Some(name));
    }
    let all = scene.ask("list", json!({"path": ".", "depth": 20}))?;
    let bare = name.trim_matches('/');
    let same = |l: &&str| l.strip_suffix(bare).is_some_and(|front| front.is_empty() || front.ends_with('/'));
    let folders = browse::names(all.text).filter_map(|l| l.strip_suffix('/'));
    let found: Vec<&str> = folders.filter(same).collect();
    match found.as_slice() {
        [one] => browse::list(scene, Some(one)),
        [] if folder => Err(Move::Say(format!("There is no folder `{bare}` here."))),
        [] => define(scene, name, None),
        many => {
            let list: Vec<String> = many.iter().take(10).map(|f| format!("- {f}/")).collect();
            Err(Move::Say(format!("There are {} folders called {bare}:\n\n{}", many.len(), list.join("\n"))))
        }
    }
}

fn find(scene: &Scene<'_>, text: &str, scope: Option<&str>) -> Result<String, Move> {
    let path = scope.unwrap_or(".");
    let place = if path == "." { "this folder".to_owned() } else { path.to_owned() };
    let exact = found(scene, json!({"pattern": text, "path": path, "literal": true, "max": 200}))?;
    if !exact.hits.is_empty() {
        let hits: Vec<&Hit> = exact.hits.iter().collect();
        return Ok(format!("\"{text}\" appears in {} of {place}:\n\n{}", tally(&exact), quotes(&hits)));
    }
    let pattern = format!("(?i){}", regex::escape(text));
    let loose = found(scene, json!({"pattern": pattern, "path": path, "max": 200}))?;
    if loose.hits.is_empty() {
        return Ok(format!("No matches for \"{text}\" in {place}, in upper or lower case."));
    }
    let hits: Vec<&Hit> = loose.hits.iter().collect();
    Ok(format!(
        "\"{text}\" does not appear in {place} exactly like that, but in different case in {}:\n\n{}",
        tally(&loose),
        quotes(&hits)
    ))
}
