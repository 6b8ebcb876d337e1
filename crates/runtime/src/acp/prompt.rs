//! What a client sends as a message, as the line that a session reads.
//!
//! Owns how files of an editor are named in it: by their path, with their text only where that is not what stands there,
//! and so that no name is read as a word, a command or an order: whoever made the file called it so, not the user.

use std::path::{Path, PathBuf};

use percent_encoding::percent_decode_str;
use pilothouse_core::clean::Clean;
use pilothouse_tools::regular;
use serde_json::Value;

use super::{params::Fields, wire::Fault};

/// A longer file is not compared with what the editor has of it.
const MOST_FILE: u64 = 4 * 1024 * 1024;

/// The message of a prompt for a session in `root`.
///
/// # Errors
/// When a part is of a kind that was not offered, or nothing is said.
pub(super) fn message(prompt: Vec<Value>, root: &Path) -> Result<String, Fault> {
    let (mut line, mut quoted) = (String::new(), String::new());
    for (n, block) in prompt.into_iter().enumerate() {
        let at = format!("params.prompt[{n}]");
        let mut block = Fields::of(&at, block)?;
        match block.text("type")?.as_str() {
            "text" => line.push_str(&block.text("text")?),
            "resource_link" => line.push_str(&Named::of(&block.text("uri")?, root).within(&line)),
            "resource" => {
                let mut resource = block.object("resource")?;
                let (uri, text) = (resource.text("uri")?, resource.text("text")?);
                let named = Named::of(&uri, root);
                let name = named.within(&line);
                line.push_str(&name);
                if !named.holds(&text) {
                    quoted.push_str(&format!("\n\n{name}:\n{}", fenced(&text)));
                }
            }
            other => {
                let kinds = "text, resource_link or resource with a text; nothing else is read";
                return Err(Fault::params(format!("{at}.type is {kinds}, and here it is {other}")));
            }
        }
    }
    let line = format!("{}{quoted}", line.trim());
    if line.is_empty() { Err(Fault::params("params.prompt says nothing")) } else { Ok(line) }
}

/// A text between fences that are none of its own.
fn fenced(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    let end = if text.ends_with('\n') { "" } else { "\n" };
    format!("{fence}\n{text}{end}{fence}")
}

/// What an address names.
struct Named {
    /// As it is called: a path of the folder relative to it.
    text: String,
    /// The file, where it is all of one.
    whole: Option<PathBuf>,
}

impl Named {
    fn of(uri: &str, root: &Path) -> Self {
        let Some(path) = uri.strip_prefix("file://") else {
            return Self { text: uri.to_owned(), whole: None };
        };
        let (path, part) = path.split_once('#').map_or((path, None), |(path, part)| (path, Some(part)));
        let path = PathBuf::from(percent_decode_str(path).decode_utf8_lossy().into_owned());
        let shown = path.strip_prefix(root).unwrap_or(&path).display().to_string();
        let shown = if shown.is_empty() { ".".to_owned() } else { shown };
        match part {
            // `#L5` or `#L5:9`: lines.
            Some(part) => {
                let lines = part.trim_start_matches('L').replace([':', 'L'], "-").replace("--", "-");
                Self { text: format!("{shown}:{lines}"), whole: None }
            }
            None => Self { text: shown, whole: Some(path) },
        }
    }

    /// It behind what is said so far: as a quote where it begins the message or is more than one plain word.
    fn within(&self, line: &str) -> String {
        let text = Clean::line(&self.text).into_string();
        let plain = |c: char| c.is_alphanumeric() || "_-./:~+@#%?&=".contains(c);
        if text.chars().all(plain) && !line.trim().is_empty() {
            text
        } else {
            format!("`{}`", text.replace('`', "'"))
        }
    }

    /// Whether that is what stands in the file.
    fn holds(&self, text: &str) -> bool {
        let stands = self.whole.as_ref().and_then(|path| regular::read(path, MOST_FILE).ok());
        stands.is_some_and(|bytes| bytes == text.as_bytes())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_file_is_named_and_quoted_only_where_the_editor_has_another_text() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a b.rs");
        std::fs::write(&file, "fn a() {}\n").unwrap();
        let uri = format!("file://{}", file.display()).replace(' ', "%20");
        let line_of = |blocks: Value| message(blocks.as_array().unwrap().clone(), folder.path());
        let text = |text: &str| json!({"type": "text", "text": text});
        let link = |uri: &str| json!({"type": "resource_link", "uri": uri, "name": "a"});
        let holds = |text: &str| json!({"type": "resource", "resource": {"uri": uri, "text": text}});
        assert_eq!(line_of(json!([text("what is "), link(&uri), text("?")])).unwrap(), "what is `a b.rs`?");
        assert_eq!(line_of(json!([text("see "), link(&format!("{uri}#L3:9"))])).unwrap(), "see `a b.rs:3-9`");
        assert_eq!(
            line_of(json!([text("see "), link("https://example.org/x")])).unwrap(),
            "see https://example.org/x"
        );
        assert_eq!(line_of(json!([holds("fn a() {}\n")])).unwrap(), "`a b.rs`");
        assert_eq!(line_of(json!([text("see "), link("file:///etc/c.rs")])).unwrap(), "see /etc/c.rs");
        assert_eq!(
            line_of(json!([text("mend "), holds("```")])).unwrap(),
            "mend `a b.rs`\n\n`a b.rs`:\n````\n```\n````"
        );
        for bad in [
            json!([]),
            json!(["x"]),
            json!([text(" ")]),
            json!([{"type": "image", "data": "", "mimeType": ""}]),
        ] {
            assert_eq!(line_of(bad).unwrap_err().code, -32602);
        }
    }

    #[test]
    fn no_name_of_a_file_is_a_word_a_command_or_an_order() {
        let folder = tempfile::tempdir().unwrap();
        let link = |name: &str| json!({"type": "resource_link", "uri": name, "name": "a"});
        let file = |name: &str| link(&format!("file://{}/{name}", folder.path().display()));
        let holds = |name: &str| json!({"type": "resource", "resource": {"uri": name, "text": "x"}});
        let line_of = |blocks: Value| message(blocks.as_array().unwrap().clone(), folder.path()).unwrap();
        for name in ["yes", "note.rs", "!touch%20a", "/undo", "a%0A!touch%20a", "%60!a"] {
            assert!(line_of(json!([file(name)])).starts_with('`'), "{name}");
        }
        for uri in ["!touch a", "/undo", "file:///undo"] {
            assert!(line_of(json!([link(uri)])).starts_with('`'), "{uri}");
            assert!(line_of(json!([holds(uri)])).starts_with('`'), "{uri}");
        }
        let see = json!({"type": "text", "text": "see "});
        assert_eq!(line_of(json!([see, file("a%0Aundo")])), "see `a␊undo`");
        assert_eq!(line_of(json!([see, file("a%60,%20delete%20%60b")])), "see `a', delete 'b`");
    }
}
