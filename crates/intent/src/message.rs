//! Words about the message of a commit: what it is to be ("call it: ...", "use ... as the message"), and that another one is
//! wanted ("write a better commit message").
//!
//! Owns their grammar. Never knows whether a commit waits.

mod edited;

use super::{
    Classifier, IntentPath,
    classify::Parsed,
    lexicon::Tag,
    node::IntentNode,
    phrase::{Words, before, behind},
    reading::{Message, Reading},
    text::{self, Kind},
    turn::{Phase, Turn},
    words::List,
};

/// How sure a line is that wants a message worded.
const WORDS_IT: f32 = 0.9;

/// Signs that may stand between what leads to a message and the message.
const BETWEEN: &[char] = &[':', '-', '–', '—', '=', ','];
/// Those of them that say that what follows is the message.
const MARKS: &[char] = &[':', '-', '–', '—', '='];
/// What a message may stand in.
const QUOTES: &[(char, char)] = &[('"', '"'), ('\'', '\''), ('`', '`'), ('“', '”'), ('„', '“'), ('«', '»')];

impl Classifier {
    /// The message that a line wants a commit to have, where it says that and nothing else.
    pub fn words_message(&self, line: &str) -> Option<String> {
        let mut rest = line.trim();
        let list = |list| self.tables().words.list(list).iter().map(AsRef::as_ref);
        // What may stand before words that take back may stand before these.
        let leads = || list(List::UndoLead).chain(list(List::Agree)).chain(["just"]);
        while let Some(behind) = leads().find_map(|word| led(rest, word)) {
            rest = behind.trim_start_matches(',').trim_start();
        }
        let used = list(List::MessageUse).find_map(|word| led(rest, word));
        let used = used.and_then(|rest| list(List::MessageAs).find_map(|words| closed(rest, words)));
        let least = |leads| list(leads).filter_map(|words| led(rest, words)).min_by_key(|rest| rest.len());
        // The longest that leads to it.
        let (told, named) = (least(List::MessageTold), used.or_else(|| least(List::MessageLead)));
        let said = [told, named].into_iter().flatten().min_by_key(|rest| rest.len())?;
        let (bare, said) = (said, said.trim_start_matches(BETWEEN).trim());
        let quote = QUOTES.iter().find(|(open, _)| said.starts_with(*open));
        // "call it "Add a cache" and push": more than a message is said.
        let message = match quote {
            Some((open, close)) => said.strip_prefix(*open)?.strip_suffix(*close)?.trim(),
            None => said,
        };
        let more = quote.is_some_and(|(_, close)| *close != '\'' && message.contains(*close));
        let marked = quote.is_some() || bare.starts_with(MARKS);
        let plain = marked || told != Some(bare) && !self.describes(message);
        (!message.is_empty() && !more && plain).then(|| message.to_owned())
    }

    /// Whether a line takes the message that was shown or told last, and says nothing else: "use that message", "yes, use it".
    pub fn takes_message(&self, line: &str) -> bool {
        let doc = text::tokenize(line);
        let (asks, said) = Words::of(self, line, &doc).past_mark().closed();
        let (yes, said) = said.past(List::Agree);
        // "no, use that message" wants another one
        let no = said.tokens.first().is_some_and(|t| self.tables().is(List::Not, &t.text));
        if no || said.begins(List::Decline).is_some() {
            return false;
        }
        let said = said.past(List::CommitLead).1.past(List::UndoLead).1;
        let named = |list| {
            let rest = said.from(said.begins(List::MessageTake)?);
            let rest = rest.from(rest.begins(list)?);
            Some(rest.past(List::CommitTail).1.tokens.is_empty())
        };
        let all = |list| named(list) == Some(true);
        !asks && (all(List::MessageTaken) || yes > 0 && all(List::MessageTakenYes))
    }

    /// Whether a line wants the message of a commit worded and nothing else, in words that are told: no file is to hold it.
    /// Where one waits, "the message" is its own, and what is said of it or ordered about it wants it worded as well.
    pub fn wants_message(&self, line: &str, waits: bool) -> bool {
        let doc = text::tokenize(line);
        let said = Words::of(self, line, &doc).past_mark().past(List::CommitLead).1;
        let (asks, said) = said.past(List::But).1.past(List::UndoLead).1.closed();
        if waits && !asks && said.edits_message() {
            return true;
        }
        let plain = said.tokens.iter().all(|t| matches!(t.kind, Kind::Word | Kind::Number | Kind::Punct));
        let verb = said.begins(List::RewordVerb);
        let said = said.from(verb.unwrap_or(0)).past(List::RewordGap).1;
        let named = said.begins(List::RewordNoun);
        let noun = named.or_else(|| said.begins(List::RewordBare).filter(|_| waits));
        let Some(rest) = noun.map(|len| said.from(len)).filter(|_| plain && (verb.is_some() || waits)) else {
            return false;
        };
        let says = waits && rest.begins(List::RewordSays).is_some();
        let elsewhere = named.is_none() && names_place(rest);
        let told = says || rest.tokens.is_empty() || rest.begins(List::RewordTail).is_some();
        told && !elsewhere && !says_more(rest, says)
    }

    /// A line that wants the message of a commit worded is answered with one: it is no work on files.
    pub(super) fn worded(&self, mut reading: Reading, m: &Message<'_>) -> Reading {
        let one = reading.segments.len() <= 1 && m.phase == Phase::Idle;
        if one && self.wants_message(&reading.text, false) {
            let whole = &mut reading.whole;
            (whole.turn, whole.path) = (Turn::Query(None), IntentPath::to(IntentNode::Explain));
            (whole.confidence, whole.scope_confidence) = (WORDS_IT, WORDS_IT);
            whole.reasoning.push_str("; wants the message of a commit worded");
            reading.clarify = None;
            if let [only] = reading.segments.as_mut_slice() {
                only.class = reading.whole.clone();
            }
        }
        reading
    }

    /// "what you want", "something shorter", "off": words about a message, and no message.
    fn describes(&self, said: &str) -> bool {
        let lower = said.starts_with(char::is_lowercase);
        let words = self.tables().words.list(List::MessageNo).iter();
        let opens =
            |words: &str| behind(said, words).is_some_and(str::is_empty) || led(said, words).is_some();
        lower && words.map(AsRef::as_ref).any(opens)
    }
}

/// Whether more than the message is wanted: ", then push". Where that is what the message is to be, "say what changed and
/// why" is no more, but another order is; "the message then", at the end, is all of it.
fn says_more(said: Words<'_>, says: bool) -> bool {
    let describes = says || said.begins(List::RewordThat).is_some();
    // "should also say": it goes with the verb.
    let within = |at: usize| {
        let before = at.checked_sub(1).map(|at| said.from(at));
        before.is_some_and(|w| w.begins(List::RewordWithin).is_some())
    };
    (0..said.tokens.len()).filter(|at| !describes || !within(*at)).any(|at| {
        let behind = said.from(at).past(List::RewordMore).1;
        let added = behind.tokens.len() + at < said.tokens.len();
        added && !behind.tokens.is_empty() && (!describes || orders(behind))
    })
}

/// Whether words begin with a verb that changes or runs something: alone it says how a message is, as "clear" does, but
/// for one that runs.
fn orders(said: Words<'_>) -> bool {
    let text = said.tokens.first().and_then(|t| said.text.get(t.start..)).unwrap_or_default();
    let parsed = Parsed::new(text, said.of.tables());
    parsed
        .structure
        .hits
        .iter()
        .any(|h| h.start == 0 && h.tag.acts() && (h.tag == Tag::VExecute || h.len < said.tokens.len()))
}

/// "on the settings page": it is the message of a program. "should be in the imperative" is how it is written, "at most 50"
/// how long it is, and a place behind "should say" or "what" is what it says.
fn names_place(said: Words<'_>) -> bool {
    let opens = |at: usize, list| said.from(at).begins(list);
    let end = (0..said.tokens.len()).find(|at| opens(*at, List::RewordTells).is_some());
    (0..end.unwrap_or(said.tokens.len())).any(|at| {
        let measured = said.tokens.get(at + 1).is_some_and(|t| t.kind == Kind::Number);
        let written = at.checked_sub(1).is_some_and(|at| opens(at, List::RewordBe).is_some());
        opens(at, List::RewordPlace).is_some() && !written && !measured
    })
}

/// What stands behind these words at the beginning, apart from them.
fn led<'a>(text: &'a str, words: &str) -> Option<&'a str> {
    let rest = behind(text, words)?;
    let apart = rest.starts_with(|c: char| c.is_whitespace() || BETWEEN.contains(&c));
    apart.then(|| rest.trim_start())
}

/// What stands before these words at the end, apart from them.
fn closed<'a>(text: &'a str, words: &str) -> Option<&'a str> {
    let rest = before(text.trim_end_matches(['.', '!']), words)?;
    rest.ends_with(char::is_whitespace).then(|| rest.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_about_the_message_of_a_commit_say_what_it_is_to_be() {
        let of = |line: &str| Classifier::builtin().words_message(line);
        let message = Some("Move the timed caches to a module".to_owned());
        for line in [
            "call it: Move the timed caches to a module",
            "call it \"Move the timed caches to a module\"",
            "please call it Move the timed caches to a module",
            "Message: Move the timed caches to a module",
            "no, change the message to Move the timed caches to a module",
            "Change the message to 'Move the timed caches to a module'",
            "use \"Move the timed caches to a module\" as the message",
            "use Move the timed caches to a module as the commit message.",
            "the message should be: Move the timed caches to a module",
            "nimm „Move the timed caches to a module“ als Nachricht",
            "the message should be \"Move the timed caches to a module\"",
            "make it say Move the timed caches to a module",
            "commit message - Move the timed caches to a module",
            "use the message Move the timed caches to a module",
            "yes, use the commit message Move the timed caches to a module",
        ] {
            assert_eq!(of(line), message, "{line}");
        }
        for line in [
            "use a map instead",
            "messages should be shorter",
            "what is the message?",
            "call its tests",
            "call it",
            "message:",
            "fix the parser",
            "say",
            "the message is fine",
            "message is too long",
            "the message looks good, go ahead",
            "the message should be shorter",
            "the message should not mention the cache",
            "the commit message has a typo",
            "die Nachricht ist gut",
            "make the message shorter",
            "use the message from the issue",
            "make it say why",
            "the message should say what changed",
            "change the message to something shorter",
            "use that as the message",
            "use the first line as the message",
            "call it a day",
            "call it off",
            "call it what you want",
            "commit it as it is",
            "call it \"Add a cache\" and push",
            "call it \"Add a\" or \"Fix a\"",
        ] {
            assert_eq!(of(line), None, "{line}");
        }
    }

    #[test]
    fn a_message_that_is_wanted_is_told_from_work_on_files() {
        let of = Classifier::builtin();
        for line in [
            "write a better commit message",
            "write a commit message",
            "please write a good commit message for this",
            "can you write a better commit message?",
            "could you suggest a shorter commit message",
            "give me a commit message",
            "give me another commit message that says why",
            "draft a commit message for the changes",
            "come up with a more descriptive commit message please",
            "I need a better commit message",
            "reword the commit message",
            "improve the commit message",
            "propose a message for the last commit",
            "looks good, but write a better commit message",
            "schreib mir eine bessere Commit Nachricht",
            "no, rephrase the commit title",
            "write a commit message for the changes in the parser then",
        ] {
            let reading = of.read(&Message { text: line, ..Message::default() });
            assert!(matches!(reading.whole.turn, Turn::Query(_)), "{line}: {:?}", reading.whole);
            assert_eq!(
                (reading.whole.path.current(), reading.clarify),
                (IntentNode::Explain, None),
                "{line}"
            );
        }
        for line in [
            "write a commit message hook",
            "write a commit message linter for the CI",
            "write a better commit message template to .gitmessage",
            "write a better commit message and commit it",
            "create a commit message parser",
            "fix the commit message validation in src/hook.rs",
            "improve the commit message check",
            "write a better error message",
            "fix the message",
            "make the message shorter",
            "the commit message is too long",
            "write a message queue",
            "add a commit message to the log output",
            "write the docs for the commit message",
            "write a commit message for the fix, then push",
            "write a commit message for this, also tag it",
            "create commit messages with conventional prefixes in the release script",
            "reword the commit messages",
        ] {
            assert!(!of.wants_message(line, false), "{line}");
        }
    }

    #[test]
    fn a_message_that_was_told_is_taken_by_a_word() {
        let of = Classifier::builtin();
        for line in [
            "use that message",
            "use this message",
            "please use your message",
            "commit with that message",
            "looks good, use that message please",
            "ok, go with the new message",
            "use that as the message",
            "yes, use it",
            "yes use that one",
            "ja, nimm die",
            "nimm diese Nachricht",
        ] {
            assert!(of.takes_message(line), "{line}");
        }
        for line in [
            "use it",
            "use that",
            "use that message?",
            "use that message queue",
            "use that message in the log",
            "use that message and push",
            "use \"Add a cache\" as the message",
            "use the message from the issue",
            "don't use that message",
            "no, use that one",
            "no, use that message",
            "yes",
            "yes, use a map",
        ] {
            assert!(!of.takes_message(line), "{line}");
        }
    }

    #[test]
    fn where_a_commit_waits_the_message_is_its_own() {
        let of = Classifier::builtin();
        for line in [
            "make the message shorter",
            "the message is too long",
            "a better message please",
            "the commit message should say why",
            "shorten the title",
            "the message should be in the imperative",
            "the title should mention the parser",
            "the commit message should also say why",
            "the title should also mention the parser",
            "the subject should then be shorter",
            "the message should say what changed and why",
            "the title should be short and clear",
            "write a message that says what changed and why",
            "write a commit message that also says why",
            "the title should have at most 50 characters",
            "the subject should say what changed in the parser",
            "the message should mention what it does on Windows",
            "the message should name the fix in the parser",
            "the title should be cut at 50 characters",
            "die Nachricht sollte auch sagen warum",
        ] {
            assert!(of.wants_message(line, true), "{line}");
        }
        for line in [
            "fix the error message",
            "the message queue is slow",
            "write a message queue",
            "show the message in a.txt",
            "the title is wrong on the settings page",
            "the description should come from the config",
            "the message should be shown in the log",
            "fix the title that is shown on the settings page",
            "the wording is wrong, then push",
            "the wording is wrong, also tag it",
            "the message should say why and then push",
            "the message should say why, also run the tests",
            "the message should be shorter and fix the parser",
            "the title should be shorter, commit and push",
            "write a shorter message and a changelog entry",
            "the message in a.txt should mention the parser",
            "the title on the settings page should have at most 50 characters",
            "the message that is shown on the settings page should say why",
            "the description should come from the config, say so in the docs",
        ] {
            assert!(!of.wants_message(line, true), "{line}");
        }
    }
}
