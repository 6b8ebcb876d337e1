//! What a model said of a draft, as far as it can be read.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::goal::first_object;

/// What a model said of the claims.
#[derive(Debug, Default)]
pub(super) struct Model {
    pub(super) asked: bool,
    /// Whether it said something, and nobody can read it.
    pub(super) unreadable: bool,
    /// By the claim's number, why it is not borne.
    pub(super) unsupported: BTreeMap<usize, String>,
    pub(super) relations: Vec<String>,
    pub(super) contradictions: Vec<String>,
}

impl Model {
    pub(super) fn read(reply: Option<&str>) -> Self {
        let keys = ["unsupported", "contradictions", "relations"];
        let Some(object) = reply.and_then(|r| first_object(r, |o| keys.iter().any(|k| o.contains_key(*k))))
        else {
            return Self { unreadable: reply.is_some(), ..Self::default() };
        };
        let list = |key: &str| object.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
        let text = |v: &Value| {
            let inner = v.get("why").or_else(|| v.get("text")).unwrap_or(v);
            inner.as_str().unwrap_or_default().trim().chars().take(300).collect::<String>()
        };
        let numbered = |v: &Value| {
            let claim = v.get("claim").and_then(Value::as_u64)?;
            Some((usize::try_from(claim).ok()?, text(v)))
        };
        let texts = |key: &str| list(key).iter().map(text).filter(|t| !t.is_empty()).collect();
        Self {
            asked: true,
            unreadable: false,
            unsupported: list("unsupported").iter().filter_map(numbered).collect(),
            relations: texts("relations"),
            contradictions: texts("contradictions"),
        }
    }
}
