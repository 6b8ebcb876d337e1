//! What stages hand in: the question taken apart, and a draft of the answer.
//!
//! Owns the shapes and how a model's reply is read as one, however it wraps the JSON. Never asks again: the
//! session does.

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

use super::WebResult;
use crate::goal::first_object;

/// What a model's reply is to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Gives {
    /// The question taken apart.
    Analysis,
    /// The same, once more, after a look at the web.
    Calibration,
    /// A draft of the answer.
    Draft,
    /// Findings about a change.
    Findings,
}

/// The question taken apart.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Analysis {
    /// What is asked, in a sentence.
    pub scope: String,
    /// The questions that it comes to.
    #[serde(alias = "queries", alias = "subqueries")]
    pub sub_queries: Vec<String>,
    /// What the web said; never a model's word.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub web: Vec<WebResult>,
}

/// A part of an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Section {
    /// Its heading.
    pub title: String,
    /// Its text, with `[1]` for what it rests on.
    #[serde(alias = "content", alias = "body")]
    pub text: String,
}

/// What is said of two names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Related {
    /// Who does it.
    pub subject: String,
    /// What it does: `uses`, `imports`, `contains`.
    pub relation: String,
    /// To whom.
    pub object: String,
}

/// A draft of an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Draft {
    /// The answer in two or three sentences.
    pub summary: String,
    /// The same at length.
    pub sections: Vec<Section>,
    /// What follows from it.
    pub conclusions: Vec<String>,
    /// What it says of two names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub relations: Vec<Related>,
    /// Whether it is made of passages as they stand, without a model.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub extractive: bool,
}

/// What a finding about a change comes to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Finding {
    /// The file.
    pub file: String,
    /// The line.
    pub line: usize,
    /// How bad it is: high, medium, low.
    pub severity: String,
    /// What is wrong.
    pub message: String,
    /// The words of the file that show it.
    pub evidence: String,
}

/// Findings about a change.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Findings {
    /// What was looked at, in a sentence.
    pub summary: String,
    /// The findings.
    pub findings: Vec<Finding>,
    /// Whether nobody looked for any.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub skipped: bool,
}

/// Reads a reply as what it is to be; `key` names a field that it has to have.
fn read<T: DeserializeOwned>(reply: &str, keys: &[&str]) -> Option<T> {
    let has = |o: &Map<String, Value>| keys.iter().any(|key| o.contains_key(*key));
    serde_json::from_value(Value::Object(first_object(reply, has)?)).ok()
}

impl Analysis {
    /// Reads a model's reply; at most so many questions.
    pub fn read(reply: &str, most: usize) -> Option<Self> {
        let mut read: Self = read(reply, &["sub_queries", "queries", "subqueries"])?;
        read.web = Vec::new();
        let said = |q: &String| q.trim().chars().take(300).collect::<String>();
        read.sub_queries = read.sub_queries.iter().map(said).filter(|q| !q.is_empty()).take(most).collect();
        (!read.sub_queries.is_empty()).then_some(read)
    }
}

impl Draft {
    /// Reads a model's reply.
    pub fn read(reply: &str) -> Option<Self> {
        let read: Self = read(reply, &["sections", "summary"])?;
        let empty = read.summary.trim().is_empty() && read.sections.iter().all(|s| s.text.trim().is_empty());
        (!empty).then_some(read)
    }

    /// Reads one as it was kept.
    pub fn kept(text: &str) -> Self {
        serde_json::from_str(text).unwrap_or_default()
    }

    /// All of its text, the summary first.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let sections = self.sections.iter().map(|s| s.text.as_str());
        std::iter::once(self.summary.as_str())
            .chain(sections)
            .chain(self.conclusions.iter().map(String::as_str))
    }
}

impl Findings {
    /// Reads a model's reply.
    pub fn read(reply: &str) -> Option<Self> {
        read(reply, &["findings"])
    }
}
