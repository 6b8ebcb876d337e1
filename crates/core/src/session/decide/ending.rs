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
const LAST_PART: &str = "that is the exit code of its last part; earlier parts may have failed";

/// Told of a line that leaves something in the background, and what else can be done.
const LEFT: &str = "what of it still ran in the background ended with it: nothing here runs longer than its line; start, use and end a \
     server in one line, or ask the user to type `/bg !` and its line";
const LEFT_USER: &str =
    "what it left in the background was stopped with it; `/bg !` before a line keeps a server running";

/// Says beside a result, and in its summary, what its end does not tell: that a line which ended well hides how its parts
/// did, that nothing of what it started runs on, and what it did not get. `withheld` where it ran without the project's
/// variables, of which it is not known yet whether they are trusted.
pub(super) fn tell_end(line: &str, exit: &Exit, withheld: bool, summary: &mut String) -> Vec<Advice> {
    let left = leaves_running(line);
    // Where all of it is left in the background, it has no other parts.
    let parts = !left || has_parts(line);
    let mut told = Vec::new();
    if parts && exit.ok() && hides_its_end(line) {
        told.push(Advice::same(format!("({LAST_PART})")));
        summary.push_str(" of its last part");
    }
    if left {
        told.push(Advice { model: format!("({LEFT})"), user: format!("({LEFT_USER})") });
        summary.push_str("; nothing of it is still running");
    }
    if withheld {
        told.push(Advice::same(format!("({WITHHELD})")));
        summary.push_str("; without .env: not trusted yet");
    }
    told
}

/// Leaves out of a command's output what passed of its tests, where that is most of it; what is said of that. All of it
/// has a name.
pub(super) fn shortened(text: &mut String, output: Option<BlobId>) -> Option<Advice> {
    let (kept, left) = digest::without_passed(text).filter(|(_, left)| *left > PASSED_LINES)?;
    *text = kept;
    let whole = output.map_or_else(String::new, |id| format!("; read {} has them", id.output_name()));
    let told = format!("({left} lines of tests that passed are left out");
    Some(Advice { model: format!("{told}{whole})"), user: format!("{told})") })
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
        for (line, brief, told) in [
            ("python3 -m http.server &", "exit 0; nothing of it is still running", LEFT),
            ("nohup npm start &", "exit 0; nothing of it is still running", LEFT),
            ("cd app && npm start &", "exit 0; nothing of it is still running", LEFT),
            ("timeout 60 npm start > log 2>&1 &", "exit 0; nothing of it is still running", LEFT),
            ("env PORT=3 npm start &", "exit 0; nothing of it is still running", LEFT),
            ("(npm start) &", "exit 0; nothing of it is still running", LEFT),
            (
                "cd app && make && npm start &",
                "exit 0 of its last part; nothing of it is still running",
                LAST_PART,
            ),
            ("nohup make; npm start &", "exit 0 of its last part; nothing of it is still running", LAST_PART),
            ("npm start & sleep 2; curl localhost; kill %1", "exit 0", ""),
            ("pytest | tee log", "exit 0 of its last part", LAST_PART),
            ("make test; npm start &", "exit 0 of its last part; nothing of it is still running", LEFT),
            (
                "pytest | tee log; npm start &",
                "exit 0 of its last part; nothing of it is still running",
                LAST_PART,
            ),
            (
                "make gen > a & sleep 5; cat a",
                "exit 0; nothing of it is still running",
                "what of it still ran",
            ),
        ] {
            let mut summary = "exit 0".to_owned();
            let notes = tell_end(line, &exit, false, &mut summary);
            assert_eq!(summary, brief, "{line}");
            let text = Advice::below(&notes, "exit 0, took 0.0 s\nok");
            let (first, rest) = text.split_once('\n').unwrap_or_default();
            assert!(first == "exit 0, took 0.0 s" && rest.ends_with("ok") && rest.contains(told), "{text}");
            assert_eq!(told.is_empty(), rest == "ok", "{text}");
            assert_eq!(rest.contains(LAST_PART), brief.contains("last part"), "{text}");
            // To the user it says what they can type, and nothing of calls.
            let user: Vec<&str> = Advice::for_user(&notes).collect();
            assert_eq!(user.join("").contains("`/bg !`"), brief.contains("still running"), "{user:?}");
            assert!(!user.join("").contains("ask the user"), "{user:?}");
            let notes = tell_end(line, &exit, true, &mut summary);
            assert!(
                Advice::below(&notes, "exit 0").contains(WITHHELD) && summary.ends_with("not trusted yet")
            );
        }
    }
}
