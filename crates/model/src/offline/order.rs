//! The orders that the engine writes into the tasks of its own plans, and reads there again.
//!
//! Owns that small language: it is plain English, so that the user sees in the plan exactly what
//! the task will do.

use super::pattern::{Pattern, group};

/// One task's work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// Whole words, in every file.
    Rename { old: String, new: String, files: Vec<String> },
    /// Any text, in every file.
    Replace { old: String, new: String, files: Vec<String> },
    /// A new file.
    Create { path: String, content: String },
    /// Files that go.
    Delete { files: Vec<String> },
    /// A command.
    Run { command: String },
}

static RENAME: Pattern =
    Pattern::new(r"^rename `(?<old>[^`]+)` to `(?<new>[^`]+)` in these files: (?<files>.+)$");
static REPLACE: Pattern = Pattern::new(r"(?s)^replace (?<rest>.+)$");
static CREATE: Pattern = Pattern::new(
    r"(?s)^create `(?<path>[^`]+)` (?:with this content:\n(?<content>.*)|(?<empty>without content))$",
);
static DELETE: Pattern = Pattern::new(r"^delete these files: (?<files>.+)$");
static RUN: Pattern = Pattern::new(r"(?s)^run this command: (?<command>.+)$");

impl Order {
    /// The order as a task's detail.
    pub fn detail(&self) -> String {
        match self {
            Self::Rename { old, new, files } => {
                format!("rename `{old}` to `{new}` in these files: {}", listed(files))
            }
            Self::Replace { old, new, files } => {
                format!("replace {} with {} in these files: {}", quoted(old), quoted(new), listed(files))
            }
            Self::Create { path, content } if content.is_empty() => {
                format!("create `{path}` without content")
            }
            Self::Create { path, content } => format!("create `{path}` with this content:\n{content}"),
            Self::Delete { files } => format!("delete these files: {}", listed(files)),
            Self::Run { command } => format!("run this command: {command}"),
        }
    }

    /// The order in a task's detail, if the engine wrote it.
    pub fn parse(detail: &str) -> Option<Self> {
        let text = detail.trim();
        if let Some(found) = RENAME.captures(text) {
            let (old, new) = (group(&found, "old").to_owned(), group(&found, "new").to_owned());
            return Some(Self::Rename { old, new, files: files(group(&found, "files")) });
        }
        if let Some(found) = REPLACE.captures(text) {
            let (old, rest) = unquoted(group(&found, "rest"))?;
            let (new, rest) = unquoted(rest.trim_start().strip_prefix("with ")?)?;
            let files = files(rest.trim_start().strip_prefix("in these files: ")?);
            return Some(Self::Replace { old, new, files });
        }
        if let Some(found) = CREATE.captures(detail.trim_start()) {
            let mut content = group(&found, "content").to_owned();
            if !content.is_empty() && !content.ends_with('\n') {
                content.push('\n');
            }
            return Some(Self::Create { path: group(&found, "path").to_owned(), content });
        }
        if let Some(found) = DELETE.captures(text) {
            return Some(Self::Delete { files: files(group(&found, "files")) });
        }
        let found = RUN.captures(text)?;
        Some(Self::Run { command: group(&found, "command").to_owned() })
    }
}

/// Backticks around each, commas between.
fn listed(files: &[String]) -> String {
    files.iter().map(|f| format!("`{f}`")).collect::<Vec<_>>().join(", ")
}

fn files(text: &str) -> Vec<String> {
    let ticked: Vec<String> = text.split('`').skip(1).step_by(2).map(str::to_owned).collect();
    if !ticked.is_empty() {
        return ticked;
    }
    text.split(',').map(|f| f.trim().to_owned()).filter(|f| !f.is_empty()).collect()
}

/// As a JSON string: any text survives.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// A JSON string at the beginning, and what follows it.
fn unquoted(text: &str) -> Option<(String, &str)> {
    let mut stream = serde_json::Deserializer::from_str(text).into_iter::<String>();
    let value = stream.next()?.ok()?;
    Some((value, text.get(stream.byte_offset()..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_order_survives_its_text() {
        let files = || vec!["a, b.rs".to_owned(), "src/c.rs".to_owned()];
        let orders = [
            Order::Rename { old: "Foo".into(), new: "Bar".into(), files: files() },
            Order::Replace { old: "a \"b\" with `c`\n".into(), new: String::new(), files: files() },
            Order::Create { path: "x.md".into(), content: "# `x`\n\n  y\n".into() },
            Order::Create { path: "x.md".into(), content: String::new() },
            Order::Delete { files: files() },
            Order::Run { command: "cargo test -- --nocapture".into() },
        ];
        for order in orders {
            assert_eq!(Order::parse(&order.detail()), Some(order.clone()), "{}", order.detail());
        }
        assert_eq!(Order::parse("make it faster"), None);
    }

    #[test]
    fn files_may_stand_without_backticks() {
        let order = Order::parse("rename `Foo` to `Bar` in these files: a, b.rs");
        let files = vec!["a".to_owned(), "b.rs".to_owned()];
        assert_eq!(order, Some(Order::Rename { old: "Foo".into(), new: "Bar".into(), files }));
    }
}
