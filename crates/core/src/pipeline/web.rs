//! What sources find for a stage: the web, and what others know, by the tool that a source names for it; as `W1`, `W2`.
//!
//! Owns reading what a search said, as data. Never calls anything: the stage's calls go the way of all calls.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{
    Analysis, Material, PipelineState, change, claims, count,
    material::{Outcome, Step, ToolStep},
    postprocess::Reference,
    retrieve::questions,
};
use crate::{goal::first_object, source::full_name};

/// The tools that look at a source's, and that call one.
const LOOK: &str = "source_tools";
const CALL: &str = "source_call";
/// Most results of one search, and of all of them.
const MOST_OF_SEARCH: usize = 3;
const MOST: usize = 10;
/// Most questions that a source beside the web is asked.
const MOST_ASKED: usize = 4;
/// Most bytes of a result.
const MOST_BYTES: usize = 800;
/// What a search calls the words that it takes, the likeliest first.
const WORDS: [&str; 6] = ["query", "q", "search", "keywords", "text", "input"];

/// The tool of a source that searches the web, or what else the source knows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WebSearch {
    /// The source.
    pub source: String,
    /// The tool there.
    pub tool: String,
}

/// Something that the web said.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct WebResult {
    /// What it is headed by.
    pub title: String,
    /// Its address.
    pub url: String,
    /// The source that said so.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub source: String,
    /// What it says.
    pub text: String,
}

/// What a stage that needs the web does next: it looks how the search is called, searches, asks the model.
pub(super) fn step(state: &PipelineState, material: &Material) -> Step {
    let Some(web) = state.beginning().and_then(|b| b.web.as_ref()) else { return without("no web source") };
    let Some((looked, searched)) = material.steps.split_first() else { return Step::Call(vec![web.look()]) };
    if !looked.ok {
        return without(first_line(looked));
    }
    if searched.is_empty() {
        let calls = web.calls(looked, &questions(state, material));
        return if calls.is_empty() {
            without("its tool takes no words to search for")
        } else {
            Step::Call(calls)
        };
    }
    let found = results(searched);
    if found.is_empty() {
        let why = searched.iter().find(|s| !s.ok).map_or("it found nothing", first_line);
        return without(why);
    }
    let Some(reply) = &material.reply else { return Step::Ask };
    let most = state.depth().numbers().queries;
    let Some(read) = Analysis::read(reply, most) else {
        return without("what was made of it cannot be read");
    };
    let lost = searched.iter().filter(|s| !s.ok).count();
    let lost = if lost > 0 { format!("; {lost} searches failed") } else { String::new() };
    let note = format!(
        "{} from the web, {}{lost}",
        count(found.len(), "result"),
        count(read.sub_queries.len(), "question")
    );
    let queries = read.sub_queries.clone();
    let output = serde_json::to_string(&Analysis { web: found, ..read }).unwrap_or_default();
    Step::Done(Box::new(Outcome { output, note, queries, ..Outcome::default() }))
}

impl WebSearch {
    /// The call that looks how the search is called.
    fn look(&self) -> (String, String) {
        let args = json!({ "source": self.source, "tool": self.tool });
        (LOOK.to_owned(), args.to_string())
    }

    /// The calls that search, by what looking said; none where it takes no words.
    fn calls(&self, looked: &ToolStep, questions: &[String]) -> Vec<(String, String)> {
        let (tool, takes) = (full_name(&self.source, &self.tool), argument(&looked.text));
        let call = |(takes, query): (&String, &String)| {
            let arguments = Map::from_iter([(takes.clone(), Value::from(query.as_str()))]);
            (CALL.to_owned(), json!({ "tool": tool, "arguments": arguments }).to_string())
        };
        takes.iter().flat_map(|takes| questions.iter().map(move |query| (takes, query))).map(call).collect()
    }
}

/// What is still called of the sources that add to a search for passages: first how each is asked, then what it knows.
pub(super) fn adding(state: &PipelineState, material: &Material) -> Vec<(String, String)> {
    let adds = state.beginning().map(|b| b.adds.as_slice()).unwrap_or_default();
    let mut looked = material.steps.iter().filter(|s| s.tool == LOOK).peekable();
    if looked.peek().is_none() {
        return adds.iter().map(WebSearch::look).collect();
    }
    if material.steps.iter().any(|s| s.tool == CALL) {
        return Vec::new();
    }
    let asked: Vec<String> = questions(state, material).into_iter().take(MOST_ASKED).collect();
    adds.iter().zip(looked).filter(|(_, s)| s.ok).flat_map(|(of, looked)| of.calls(looked, &asked)).collect()
}

/// What those sources said.
pub(super) fn added(material: &Material) -> Vec<WebResult> {
    let first = material.steps.iter().position(|s| s.tool == CALL);
    results(first.and_then(|at| material.steps.get(at..)).unwrap_or_default())
}

/// Goes on without the web, and says why.
fn without(why: &str) -> Step {
    let why: String = why.chars().take(160).collect();
    let note = format!("skipped: nothing came from the web: {why}");
    Step::Done(Box::new(Outcome { note, skipped: true, ..Outcome::default() }))
}

fn first_line(step: &ToolStep) -> &str {
    inside(&step.text).lines().next().unwrap_or_default()
}

/// What a source said, without the mark around it.
fn inside(text: &str) -> &str {
    let Some((_, rest)) = text.split_once("<source name=\"").and_then(|(_, rest)| rest.split_once(">\n"))
    else {
        return text;
    };
    rest.rsplit_once("\n</source>").map_or(rest, |(inside, _)| inside)
}

/// The name of the source that said something.
fn source(text: &str) -> &str {
    let name = text.split_once("<source name=\"").and_then(|(_, rest)| rest.split_once('"'));
    name.map_or("", |(name, _)| name)
}

/// The argument of a tool that takes the words: one of the usual names, else the first text that it has to have.
fn argument(told: &str) -> Option<String> {
    let schema = first_object(inside(told), |o| o.contains_key("properties"))?;
    let properties = schema.get("properties")?.as_object()?;
    let is_text =
        |name: &&str| properties.get(*name).and_then(|p| p.get("type")).is_none_or(|t| t == "string");
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    let required = required.filter_map(Value::as_str);
    let usual = WORDS.into_iter().filter(|name| properties.contains_key(*name));
    usual.chain(required).find(is_text).map(str::to_owned)
}

/// What searches found, each address once.
fn results(searched: &[ToolStep]) -> Vec<WebResult> {
    let mut all: Vec<WebResult> = Vec::new();
    for step in searched.iter().filter(|s| s.ok) {
        for found in read(step).into_iter().take(MOST_OF_SEARCH) {
            let found = WebResult { source: source(&step.text).to_owned(), ..found };
            let known =
                |r: &WebResult| if found.url.is_empty() { r.text == found.text } else { r.url == found.url };
            if all.len() < MOST && !found.text.trim().is_empty() && !all.iter().any(known) {
                all.push(found);
            }
        }
    }
    all
}

/// What one search found: the list that it handed in, else all that it said.
fn read(step: &ToolStep) -> Vec<WebResult> {
    let text = inside(&step.text).trim();
    if let Ok(value) = serde_json::from_str::<Value>(text) {
        return listed(&value);
    }
    let args: Value = serde_json::from_str(&step.args).unwrap_or_default();
    let asked = args.get("arguments").and_then(Value::as_object).and_then(|a| a.values().next());
    let title = asked.and_then(Value::as_str).unwrap_or("web search").to_owned();
    let url = text.split_whitespace().find(|w| w.starts_with("https://") || w.starts_with("http://"));
    let url = url.unwrap_or_default().trim_end_matches([')', ',', '.', '>']).to_owned();
    vec![WebResult { title, url, text: change::cut(text, MOST_BYTES), ..WebResult::default() }]
}

/// The first list of results in a value.
fn listed(value: &Value) -> Vec<WebResult> {
    match value {
        Value::Array(all) => {
            let found: Vec<WebResult> = all.iter().filter_map(one).collect();
            if found.is_empty() {
                all.iter().map(listed).find(|l| !l.is_empty()).unwrap_or_default()
            } else {
                found
            }
        }
        Value::Object(fields) => {
            let found = fields.values().map(listed).find(|l| !l.is_empty()).unwrap_or_default();
            if found.is_empty() { one(value).into_iter().collect() } else { found }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    }
}

/// The fields of a result that head it, that are its address, and that are usually its text.
const HEADS: [&str; 3] = ["title", "name", "heading"];
const ADDRESSES: [&str; 3] = ["url", "link", "href"];
const TEXTS: [&str; 7] = ["snippet", "description", "text", "content", "summary", "body", "extract"];

fn one(value: &Value) -> Option<WebResult> {
    let fields = value.as_object()?;
    let line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let of =
        |names: &[&str]| line(names.iter().find_map(|name| fields.get(*name)?.as_str()).unwrap_or_default());
    let (title, url, text) = (of(&HEADS), of(&ADDRESSES), of(&TEXTS));
    let text = if text.is_empty() { line(&said(fields)) } else { text };
    ((!title.is_empty() || !url.is_empty()) && !text.is_empty()).then(|| WebResult {
        title,
        url,
        text: change::cut(&text, MOST_BYTES),
        ..WebResult::default()
    })
}

/// What a result says in fields of its own: its lists of texts, and what is more than a word.
fn said(fields: &Map<String, Value>) -> String {
    let own = |name: &String| !HEADS.contains(&name.as_str()) && !ADDRESSES.contains(&name.as_str());
    let texts = |value: &Value| match value {
        Value::String(text) => Some(text.clone()).filter(|t| t.trim().contains(char::is_whitespace)),
        Value::Array(all) => {
            all.iter().map(Value::as_str).collect::<Option<Vec<_>>>().map(|all| all.join("; "))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
    };
    let all = fields.iter().filter(|(name, _)| own(name)).filter_map(|(_, value)| texts(value));
    all.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("; ")
}

/// What the searches of the stage at work found, as it can be named.
pub(super) fn found(material: &Material) -> Vec<Reference> {
    references(results(material.steps.get(1..).unwrap_or_default()))
}

/// Results as they can be named: `W1`, `W2`.
pub(super) fn references(all: Vec<WebResult>) -> Vec<Reference> {
    let of = |(of, n): (WebResult, usize)| Reference {
        mark: format!("W{n}"),
        title: named(&of),
        place: match (of.url.is_empty(), of.source.is_empty()) {
            (false, _) => of.url,
            (true, false) => format!("the source {}", of.source),
            (true, true) => "a source".to_owned(),
        },
        text: of.text,
    };
    all.into_iter().zip(1..).map(of).collect()
}

/// A heading and an address without anything that reads like a mark.
fn named(result: &WebResult) -> String {
    let title = claims::bare(&result.title);
    if title.is_empty() { result.url.clone() } else { title }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::*;

    fn search(text: &str) -> ToolStep {
        let args = json!({"tool": "w__find", "arguments": {"query": "timers"}}).to_string();
        let text = format!("<source name=\"w\">\n{text}\n</source>");
        ToolStep { tool: "source_call".into(), args, ok: true, text }
    }

    #[test]
    fn what_a_search_says_is_read_in_any_form() {
        let list = r#"{"meta": {"n": 2}, "web": {"results": [
            {"title": "Timers [1]", "url": "https://a.example/", "description": "A timer\n fires."},
            {"title": "Same", "link": "https://a.example/", "snippet": "again"},
            {"title": "Nothing said", "url": "https://b.example/"},
            {"name": "More", "href": "https://c.example/", "content": "It fires."}]}}"#;
        // As a graph of what is known says it.
        let graph = r#"{"entities": [{"name": "Timer", "entityType": "part", "observations": ["It fires.", "Once."]}],
            "relations": [{"from": "Timer", "to": "Clock", "relationType": "asks"}]}"#;
        let known = results(&[search(graph)]);
        let known: Vec<(&str, &str)> = known.iter().map(|r| (r.title.as_str(), r.text.as_str())).collect();
        assert_eq!(known, [("Timer", "It fires.; Once.")]);
        // What has no address is said to come from where it does.
        assert_eq!(references(results(&[search(graph)]))[0].place, "the source w");
        assert!(results(&[search(r#"{"entities": [], "relations": []}"#)]).is_empty());
        let found =
            results(&[search(list), search("Timers, see https://d.example/x. They fire."), search("  ")]);
        let told: Vec<(String, &str, &str)> =
            found.iter().map(|r| (named(r), r.url.as_str(), r.text.as_str())).collect();
        let plain = "Timers, see https://d.example/x. They fire.";
        assert_eq!(
            told,
            [
                ("Timers".to_owned(), "https://a.example/", "A timer fires."),
                ("More".to_owned(), "https://c.example/", "It fires."),
                ("timers".to_owned(), "https://d.example/x", plain)
            ]
        );
        assert!(results(&[ToolStep { ok: false, ..search(list) }]).is_empty());
        assert!(results(&[search("[]"), search("{}"), search("null")]).is_empty());
    }

    #[test]
    fn the_argument_that_takes_the_words_is_found_in_the_schema() {
        let of =
            |schema: &str| argument(&format!("<source name=\"w\">\nw__find\nArguments: {schema}\n</source>"));
        assert_eq!(
            of(r#"{"type":"object","properties":{"n":{"type":"integer"},"q":{"type":"string"}}}"#).unwrap(),
            "q"
        );
        assert_eq!(
            of(r#"{"properties":{"phrase":{"type":"string"}},"required":["phrase"]}"#).unwrap(),
            "phrase"
        );
        assert!(of(r#"{"properties":{"n":{"type":"integer"}},"required":["n"]}"#).is_none());
        assert!(argument("nothing").is_none());
    }
}
