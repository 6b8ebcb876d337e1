//! Words that want what was written committed: "commit it", "looks good, commit", "commit that with the message X".
//!
//! Owns their grammar: the whole line says so, perhaps with the message; of a step's title, that any of its words do. Never
//! knows whether there is anything to commit.

use super::{
    Classifier,
    phrase::Words,
    text::{self, Kind},
    words::List,
};

impl Classifier {
    /// The message with which a line wants what was written committed, empty where it names none; nothing where it wants more
    /// than that, or something else committed.
    pub fn commits(&self, line: &str) -> Option<String> {
        let doc = text::tokenize(line);
        let all = Words::of(self, line, &doc);
        let (asked, rest) = all.past_mark().opened();
        let rest = rest.from(rest.begins(List::CommitVerb)?);
        let rest = rest.from(rest.begins(List::CommitWhat).unwrap_or(0)).closed_off();
        // "can you commit that?" asks for it, "commit that?" whether.
        let marks = rest.tokens.iter().all(|t| t.kind == Kind::Punct);
        if marks {
            let whether = rest.tokens.iter().any(|t| t.text == "?") && !asked;
            return (!whether).then(String::new);
        }
        let said = line.get(rest.tokens.first()?.start..)?;
        // At a commit that waits "as it is" says nothing of a message: what is to be called so is named with it here.
        self.words_message(&format!("commit it {said}")).or_else(|| self.words_message(said))
    }

    /// Whether the title of a step says that it commits, pushes or publishes what was done before it.
    pub fn hands_on(&self, title: &str) -> bool {
        let doc = text::tokenize(title);
        let all = Words::of(self, title, &doc);
        (0..doc.tokens.len()).any(|at| {
            let rest = all.from(at);
            let verb = rest.begins(List::CommitVerb).or_else(|| rest.begins(List::HandsOn));
            verb.is_some_and(|len| !all.names_at(at + len - 1))
        })
    }
}

impl Words<'_> {
    /// Past what praises and leads: "looks good, ", "ok, please ", "can you "; whether one asked the agent to.
    fn opened(self) -> (bool, Self) {
        let (asked, rest) = self.past(List::CommitLead).1.past_leads();
        if rest.tokens.len() == self.tokens.len() {
            return (asked, rest);
        }
        let (again, rest) = rest.opened();
        (asked || again, rest)
    }

    /// Whether a word only says which thing is meant: "the push tests", but not "a commit of it".
    fn names_at(self, at: usize) -> bool {
        let is = |at: usize, list| self.from(at).begins(list).is_some();
        let thing = self.tokens.get(at + 1).is_some_and(|t| t.kind == Kind::Word);
        let led = at.checked_sub(1).is_some_and(|before| is(before, List::Article));
        led && thing && ![List::Preposition, List::Join].into_iter().any(|list| is(at + 1, list))
    }

    /// Past what is said for politeness behind it, and what says that no more is wanted.
    fn closed_off(self) -> Self {
        let comma = self.tokens.first().is_some_and(|t| t.kind == Kind::Punct && t.text == ",");
        let rest = self.from(usize::from(comma));
        match rest.begins(List::CommitTail) {
            Some(len) => rest.from(len).closed_off(),
            None => rest,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_hands_on_what_was_done_by_any_word_that_names_no_thing() {
        let of = |title: &str| Classifier::builtin().hands_on(title);
        for title in [
            "Commit",
            "Commit: take empty lists",
            "Commit it",
            "Git commit the changes",
            "Create a commit with the message \"Take empty lists\"",
            "Make one commit per change",
            "Run the tests and commit",
            "Run the tests, then push",
            "Publish the package",
            "Änderungen committen",
            "Paket veröffentlichen",
            "Pousser la branche",
        ] {
            assert!(of(title), "{title}");
        }
        for title in [
            "Run the push tests",
            "Fix the commit hook",
            "Run pre-commit on all files",
            "Reword the commit message",
            "Deployment",
            "Run the tests",
        ] {
            assert!(!of(title), "{title}");
        }
    }

    #[test]
    fn a_whole_line_wants_what_was_written_committed() {
        let of = |line: &str| Classifier::builtin().commits(line);
        for (line, message) in [
            ("commit it", ""),
            ("commit", ""),
            ("Looks good, commit", ""),
            ("looks good. commit it please", ""),
            ("ok, now commit that", ""),
            ("lgtm, commit these changes", ""),
            ("can you commit that?", ""),
            ("commit it, don't push", ""),
            ("- commit your changes", ""),
            ("bitte committe das", ""),
            ("perfect, make a commit", ""),
            ("commit everything", ""),
            ("ok, commit all of these please", ""),
            ("commit all", ""),
            ("commit all the changes", ""),
            ("commit everything with the message \"Take empty lists\"", "Take empty lists"),
            ("commit that with the message \"Take empty lists\"", "Take empty lists"),
            ("commit that with the message Take empty lists", "Take empty lists"),
            ("commit with message: Take empty lists", "Take empty lists"),
            ("commit it, message \"Take empty lists\"", "Take empty lists"),
            ("looks good, commit it as \"Take empty lists\"", "Take empty lists"),
        ] {
            assert_eq!(of(line).as_deref(), Some(message), "{line}");
        }
        for line in [
            "commit that?",
            "commit and push",
            "commit it and push",
            "commit everything and push",
            "commit everything else",
            "commit all tests",
            "commit only the parser",
            "commit src/a.rs",
            "commit message is wrong",
            "commit often",
            "which commit added the flag?",
            "don't commit",
            "do not commit it",
            "find the commit that added the flag",
            "looks good",
            "commit it with a better message",
            "commit it after the tests pass",
            "run the tests and commit it",
            "git commit",
            "fix the commit hook",
            "commit it when the tests are green",
            "commit it as it is",
        ] {
            assert_eq!(of(line), None, "{line}");
        }
    }
}
