//! What is said of the end of a command beside what it printed.
//!
//! Owns the wording, for the model and for the user who typed the line. Decides nothing.

use crate::{
    blob::BlobId,
    digest,
    question::WITHHELD,
    shell::{has_parts, hides_its_end, leaves_running},
    tool::{Advice, Exit},
};

/// So many lines of tests that passed are told as they are.
const PASSED_LINES: usize = 20;

/// Told of a line whose end is not that of what works in it.
const LAST_PART: &str = "that is the end of its last part; what stands before it may have failed";

/// Told of a line that leaves something in the background, and what else can be done.
const LEFT: &str =
    "what of it still ran in the background ended with it: nothing here runs longer than its line";
const LEFT_USER: &str = "a server wants a terminal of its own";
const LEFT_MODEL: &str = "start, use and end a server in one line, or ask the user to run it";

/// How a command ended, for what is said of it.
pub(super) struct Ended<'a> {
    /// Its end.
    pub exit: &'a Exit,
    /// Whether it is told the user.
    pub user: bool,
    /// Whether it ran without the project's variables, of which it is not known yet whether they are trusted.
    pub withheld: bool,
}

/// Says below a result's first line, and in its summary, what its end does not tell: that a line which ended well hides how
/// its parts did, that nothing of what it started runs on, and what it did not get.
pub(super) fn tell_end(line: &str, ended: &Ended<'_>, text: &mut String, summary: &mut String) {
    let Ended { exit, user, withheld } = *ended;
    let left = leaves_running(line);
    // Where all of it is left in the background, it has no other parts.
    let parts = !left || has_parts(line);
    let mut told = Vec::new();
    if parts && exit.ok() && hides_its_end(line) {
        told.push(LAST_PART);
        summary.push_str(" of its last part");
    }
    if left {
        told.extend([LEFT, if user { LEFT_USER } else { LEFT_MODEL }]);
        summary.push_str("; nothing of it runs on");
    }
    if withheld {
        told.push(WITHHELD);
        summary.push_str("; without .env: not trusted yet");
    }
    if !told.is_empty() {
        let rest = text.find('\n').unwrap_or(text.len());
        text.insert_str(rest, &format!("\n({})", told.join("; ")));
    }
}

/// The result of a command with what can be done about it after its first line, in the words of whoever reads it.
pub(super) fn advised(text: String, advice: &[Advice], user: bool) -> String {
    if advice.is_empty() {
        return text;
    }
    let lines: Vec<&str> = advice.iter().map(|a| if user { &*a.user } else { &*a.model }).collect();
    let (first, rest) = text.split_once('\n').unwrap_or((&text, ""));
    format!("{first}\n{}\n{rest}", lines.join("\n"))
}

/// The output of a command without what passed of its tests, where that is most of it; all of it has a name.
pub(super) fn shortened(text: String, output: Option<BlobId>) -> String {
    let Some((kept, left)) = digest::without_passed(&text).filter(|(_, left)| *left > PASSED_LINES) else {
        return text;
    };
    let whole = output.map_or_else(String::new, |id| format!("; read {} has them", id.output_name()));
    let (first, rest) = kept.split_once('\n').unwrap_or((&kept, ""));
    format!("{first}\n({left} lines of tests that passed are left out{whole})\n{rest}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Millis;

    #[test]
    fn a_line_that_leaves_something_in_the_background_is_told_that_nothing_of_it_runs_on() {
        let exit = Exit {
            code: Some(0),
            signal: None,
            timed_out: false,
            took: Millis(5),
            process: None,
            put_back: false,
        };
        for (line, user, brief, told) in [
            ("python3 -m http.server &", true, "exit 0; nothing of it runs on", LEFT_USER),
            ("python3 -m http.server &", false, "exit 0; nothing of it runs on", LEFT_MODEL),
            ("nohup npm start &", true, "exit 0; nothing of it runs on", LEFT_USER),
            ("cd app && npm start &", true, "exit 0; nothing of it runs on", LEFT_USER),
            ("timeout 60 npm start > log 2>&1 &", false, "exit 0; nothing of it runs on", LEFT_MODEL),
            ("env PORT=3 npm start &", false, "exit 0; nothing of it runs on", LEFT_MODEL),
            ("(npm start) &", false, "exit 0; nothing of it runs on", LEFT_MODEL),
            (
                "cd app && make && npm start &",
                true,
                "exit 0 of its last part; nothing of it runs on",
                LAST_PART,
            ),
            ("nohup make; npm start &", true, "exit 0 of its last part; nothing of it runs on", LAST_PART),
            ("npm start & sleep 2; curl localhost; kill %1", false, "exit 0", ""),
            ("pytest | tee log", true, "exit 0 of its last part", LAST_PART),
            ("make test; npm start &", false, "exit 0 of its last part; nothing of it runs on", LAST_PART),
            ("make test; npm start &", false, "exit 0 of its last part; nothing of it runs on", LEFT_MODEL),
            (
                "pytest | tee log; npm start &",
                true,
                "exit 0 of its last part; nothing of it runs on",
                LAST_PART,
            ),
            ("make gen > a & sleep 5; cat a", false, "exit 0; nothing of it runs on", "what of it still ran"),
        ] {
            let (mut text, mut summary) = ("exit 0, took 0.0 s\nok".to_owned(), "exit 0".to_owned());
            let ended = |withheld| Ended { exit: &exit, user, withheld };
            tell_end(line, &ended(false), &mut text, &mut summary);
            assert_eq!(summary, brief, "{line}");
            let (first, rest) = text.split_once('\n').unwrap_or_default();
            assert!(first == "exit 0, took 0.0 s" && rest.ends_with("ok") && rest.contains(told), "{text}");
            assert_eq!(told.is_empty(), rest == "ok", "{text}");
            assert_eq!(rest.contains(LAST_PART), brief.contains("last part"), "{text}");
            tell_end(line, &ended(true), &mut text, &mut summary);
            assert!(text.contains(WITHHELD) && summary.ends_with("not trusted yet"), "{text}");
        }
    }
}
