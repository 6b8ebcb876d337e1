//! What the user says of a session as a whole: what it is called, its labels, whether it is put away.
//!
//! Owns what of that can be said, and in which form. Never says which sessions there are.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// Most characters of a title.
pub const TITLE_CHARS: usize = 120;
/// Most characters of a label, and most labels of one session.
const LABEL_CHARS: usize = 40;
const MOST_LABELS: usize = 20;

/// What was said of a session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct About {
    /// What it is called; by its plan or its first message where nobody said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Its labels.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub labels: BTreeSet<String>,
    /// Whether lists leave it out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub archived: bool,
}

/// What changes of that.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AboutChange {
    /// What it is called from now on; empty: nothing of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// All of its labels from now on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub labels: Option<BTreeSet<String>>,
    /// Whether lists leave it out from now on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub archived: Option<bool>,
}

impl AboutChange {
    /// Another title.
    pub fn title(title: impl Into<String>) -> Self {
        Self { title: Some(title.into()), ..Self::default() }
    }

    /// Put away, or taken out again.
    pub fn archived(archived: bool) -> Self {
        Self { archived: Some(archived), ..Self::default() }
    }

    /// The same as it is kept: a title is one line, a label one word in lower case.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub fn settled(self) -> Result<Self, String> {
        let title = self.title.map(|t| t.split_whitespace().collect::<Vec<_>>().join(" "));
        if title.as_ref().is_some_and(|t| t.chars().count() > TITLE_CHARS) {
            return Err(format!("a title can have at most {TITLE_CHARS} characters; make it shorter"));
        }
        let labels = self.labels.map(|all| all.iter().map(|l| label(l)).collect::<Result<BTreeSet<_>, _>>());
        let labels = labels.transpose()?;
        if labels.as_ref().is_some_and(|all| all.len() > MOST_LABELS) {
            return Err(format!("a session can have at most {MOST_LABELS} labels"));
        }
        Ok(Self { title, labels, archived: self.archived })
    }
}

impl AboutChange {
    /// What is told once a session that is not open has it.
    pub const fn done(&self) -> &'static str {
        match (self.archived, &self.title, &self.labels) {
            (Some(true), ..) => "archived; `pilothouse sessions list --archived` shows it",
            (Some(false), ..) => "back in the lists",
            (None, Some(_), _) => "renamed",
            (None, None, Some(_)) => "labels kept",
            (None, None, None) => "nothing was said about it",
        }
    }
}

/// A label as it is kept.
///
/// # Errors
/// What is wrong with it, in words.
pub fn label(text: &str) -> Result<String, String> {
    let label = text.trim().to_lowercase();
    let word = !label.is_empty()
        && label.chars().count() <= LABEL_CHARS
        && label.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | ':'));
    if word {
        return Ok(label);
    }
    Err(format!(
        "a label is a word of at most {LABEL_CHARS} letters, digits and `-_./:`, such as `release-1.2`; {:?} is not one",
        text.trim()
    ))
}

/// What labels and being put away show beside a name in lists; nothing where nothing was said.
pub fn marks(labels: &BTreeSet<String>, archived: bool) -> String {
    let labels = labels.iter().map(|l| format!("#{l}"));
    labels.chain(archived.then(|| "archived".to_owned())).collect::<Vec<_>>().join(" ")
}

/// What deleting a session means, in words; `wrote` where files of it stand.
pub fn deletion(wrote: bool) -> Vec<String> {
    let gone = "its conversation, plans and log are deleted and cannot be recovered";
    let files = "files it changed stay as they are; /undo can no longer take them back";
    std::iter::once(gone).chain(wrote.then_some(files)).map(str::to_owned).collect()
}

impl About {
    /// What holds after a change.
    pub fn take(&mut self, change: &AboutChange) {
        if let Some(title) = &change.title {
            self.title = Some(title.clone()).filter(|t| !t.is_empty());
        }
        if let Some(labels) = &change.labels {
            self.labels.clone_from(labels);
        }
        self.archived = change.archived.unwrap_or(self.archived);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_of_a_change_names_what_was_done_and_where_the_session_is() {
        assert_eq!(AboutChange::title("x").done(), "renamed");
        assert!(
            AboutChange::archived(true).done().starts_with("archived; `pilothouse sessions list --archived`")
        );
        assert_eq!(AboutChange::archived(false).done(), "back in the lists");
    }

    #[test]
    fn a_title_is_one_line_and_a_label_one_word() {
        let change = AboutChange {
            title: Some("  Rename \n the store ".into()),
            labels: Some(["Release-1.2".to_owned(), "ui".to_owned()].into()),
            archived: Some(true),
        };
        let mut about = About::default();
        about.take(&change.settled().unwrap());
        assert_eq!(about.title.as_deref(), Some("Rename the store"));
        assert_eq!(marks(&about.labels, about.archived), "#release-1.2 #ui archived");
        about.take(&AboutChange::title("").settled().unwrap());
        assert_eq!((about.title, about.archived), (None, true));
        for wrong in ["", "two words", "a\u{202e}b", &"x".repeat(41)] {
            assert!(label(wrong).is_err(), "{wrong:?}");
        }
        assert!(AboutChange::title("x".repeat(121)).settled().is_err());
    }
}
