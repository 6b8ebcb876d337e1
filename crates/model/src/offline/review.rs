//! A review of the working diff by rules: what changed, and lines that deserve a second look.
//!
//! Owns the reading of a unified diff and the rules. It says that rules made it.

use serde_json::json;

use super::{
    command::exit_code,
    found::{count, is_cut},
    pattern::{Pattern, group},
    scene::{Move, Scene},
};

const DIFF: &str = "git --no-pager diff --no-color --no-ext-diff HEAD";

static HUNK: Pattern = Pattern::new(r"^@@ -\d+(?:,\d+)? \+(?<line>\d+)");

static RULES: [(Pattern, &str); 6] = [
    (Pattern::new(r"^(?:<{7}|>{7}|={7})(?: |$)"), "a conflict marker"),
    (
        Pattern::new(r"(?i)(?:api[_-]?key|secret|password|token)\w*\s*[:=]\s*.[^\s$({<]{8,}"),
        "looks like a secret",
    ),
    (
        Pattern::new(r"\b(?:dbg!|console\.log|debugger\b|print\(|pdb\.set_trace|binding\.pry|fmt\.Println)"),
        "a debugging aid",
    ),
    (Pattern::new(r"\b(?:TODO|FIXME|XXX|HACK)\b"), "an open end"),
    (Pattern::new(r"\.unwrap\(\)|\bpanic!|\btodo!|\bunimplemented!"), "may stop the program"),
    (Pattern::new(r"[ \t]+$"), "trailing white space"),
];

/// Notes of the review at most.
const NOTES: usize = 30;

/// Reviews the changes since the last commit.
pub(super) fn give(scene: &Scene<'_>) -> Result<String, Move> {
    if !scene.offers("run") {
        return Ok(
            "To see your changes I would have to run `git diff`, which this turn does not allow.".to_owned()
        );
    }
    if scene.without_git() {
        return Err(Move::Say(super::NO_GIT.to_owned()));
    }
    let heard = scene.ask("run", json!({"command": DIFF}))?;
    let seen = heard.text.contains("diff --git");
    let broke = exit_code(heard.text).filter(|code| *code != 0 && !seen);
    if (heard.failed.is_some() && !seen) || broke.is_some() {
        let why = reason(heard.text).or(heard.failed).unwrap_or("git does not say why");
        return Err(Move::Say(format!("I couldn't see the changes: {why}")));
    }
    let mut text = review(heard.text);
    if is_cut(heard.text) {
        text.push_str(" The diff was too long for me: its middle is not counted.");
    }
    Ok(text)
}

/// What git says is wrong, whatever it prints below that.
fn reason(text: &str) -> Option<&str> {
    let says = |l: &&str| ["fatal:", "error:", "warning:"].iter().any(|head| l.starts_with(head));
    text.lines().map(str::trim).find(says)
}

#[derive(Default)]
struct File<'t> {
    path: &'t str,
    added: u64,
    removed: u64,
}

fn review(diff: &str) -> String {
    let mut files: Vec<File<'_>> = Vec::new();
    let mut notes: Vec<String> = Vec::new();
    let mut line = 0_u64;
    for text in diff.lines() {
        if let Some((_, path)) = text.strip_prefix("diff --git ").and_then(|t| t.rsplit_once(" b/")) {
            files.push(File { path, ..File::default() });
            line = 0;
            continue;
        }
        let Some(file) = files.last_mut() else { continue };
        if let Some(hunk) = HUNK.captures(text) {
            line = group(&hunk, "line").parse().unwrap_or_default();
        } else if line == 0 {
            // Between the names and the first hunk.
        } else if let Some(new) = text.strip_prefix('+') {
            file.added += 1;
            if let Some((_, what)) = RULES.iter().find(|(rule, _)| rule.is_match(new)) {
                let shown: String = new.trim().replace('`', "'").chars().take(80).collect();
                notes.push(format!("- {}:{line}: {what}: `{shown}`", file.path));
            }
            line += 1;
        } else if text.starts_with('-') {
            file.removed += 1;
        } else if text.starts_with(' ') {
            line += 1;
        }
    }
    told(&files, &notes)
}

fn told(files: &[File<'_>], notes: &[String]) -> String {
    if files.is_empty() {
        return "Nothing has changed since the last commit (untracked files are not included).".to_owned();
    }
    let (added, removed) = files.iter().fold((0, 0), |(a, r), f| (a + f.added, r + f.removed));
    let list: Vec<String> =
        files.iter().map(|f| format!("- {} +{} −{}", f.path, f.added, f.removed)).collect();
    let mut out = format!(
        "{} changed since the last commit, +{added} −{removed} lines:\n\n{}\n\n",
        count(files.len() as u64, "file"),
        list.join("\n")
    );
    if notes.is_empty() {
        out.push_str("My rules found nothing suspicious in the added lines. They are only rules: no model has reviewed the change.");
    } else {
        out.push_str("Worth a second look:\n\n");
        out.push_str(&notes.iter().take(NOTES).cloned().collect::<Vec<_>>().join("\n"));
        if notes.len() > NOTES {
            out.push_str(&format!("\n- … and {} more", notes.len() - NOTES));
        }
        out.push_str("\n\nThese are rules; no model has reviewed the change.");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_can_be_compiled() {
        assert!(RULES.iter().all(|(rule, _)| rule.is_sound()));
    }

    #[test]
    fn a_diff_is_counted_and_its_added_lines_are_looked_at() {
        let diff = "diff --git a/src/a.rs b/src/a.rs\nindex 1..2 100644\n--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1,3 +10,4 @@ fn x\n context\n-    old.unwrap()\n+    dbg!(new)\n+    fine\n more\n+// TODO: later\nexit 0\n";
        let text = review(diff);
        assert!(
            text.starts_with("1 file changed since the last commit, +3 −1 lines:\n\n- src/a.rs +3 −1"),
            "{text}"
        );
        assert!(text.contains("- src/a.rs:11: a debugging aid: `dbg!(new)`"), "{text}");
        assert!(text.contains("- src/a.rs:14: an open end"), "{text}");
        assert!(!text.contains("may stop"), "{text}");
        assert!(review("exit 0").starts_with("Nothing has changed"));
    }
}
