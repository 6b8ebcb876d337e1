//! What a line says to a session beside its path: that it declines, takes back, or steers what runs.
//!
//! Owns these three questions. Never decides what follows from them: the session does.

use super::{
    Classifier,
    classify::Parsed,
    forbid::Ban,
    lexicon::Tag,
    structure::Object,
    text::{self, Kind, fold},
    words::List,
};

impl Classifier {
    /// Whether a whole line says no to what is shown, and nothing more: "no", "skip", "leave it".
    pub fn declines(&self, line: &str) -> bool {
        if self.lists(List::Decline, line) {
            return true;
        }
        let parsed = Parsed::new(line, self.tables());
        parsed.cover.as_deref().is_some_and(|found| {
            let says = |tag| found.iter().any(|tags| tags.contains(&tag));
            says(Tag::WReject) && !says(Tag::WCancel)
        })
    }

    /// Whether a whole line asks for the last change to be taken back.
    pub fn undoes(&self, line: &str) -> bool {
        self.lists(List::Undo, line)
    }

    /// Whether a message plainly speaks of what runs: it narrows, forbids, corrects or stops it, or
    /// names it. What does not is work of its own.
    pub fn steers(&self, text: &str) -> bool {
        let focus = text::focus(text);
        let parsed = Parsed::within(&focus, text, self.tables());
        let words: Vec<&str> = parsed.doc.tokens.iter().map(|t| t.text.as_str()).collect();
        let known = self.tables();
        let named = words.iter().any(|w| known.is(List::Steer, w)) || self.phrased(&focus);
        let numbered = parsed.doc.tokens.windows(2).any(|w| match w {
            [a, b] => known.is(List::Step, &a.text) && b.kind == Kind::Number,
            _ => false,
        });
        let head = parsed.doc.tokens.iter().filter(|t| t.kind != Kind::Punct).take(2);
        let narrowed = head.into_iter().any(|t| known.is(List::SteerHead, &t.text));
        let tags = [Tag::WCancel, Tag::WReject, Tag::WReplan, Tag::InMsgCancel];
        let worded = parsed.structure.hits.iter().any(|h| h.start == 0 && tags.contains(&h.tag));
        let pronoun = parsed.structure.clauses.iter().any(|c| c.object == Object::Pronoun);
        named || numbered || narrowed || worded || pronoun || parsed.ban != Ban::None || parsed.stays
    }

    /// Whether a phrase of several words, or of a script without spaces, says so.
    fn phrased(&self, text: &str) -> bool {
        let text = normal(text);
        self.tables()
            .words
            .list(List::Steer)
            .iter()
            .filter(|p| p.contains(' ') || !p.is_ascii())
            .any(|p| text.contains(&**p))
    }

    /// Whether the whole line is a phrase of a list, politeness aside.
    fn lists(&self, list: List, line: &str) -> bool {
        let line = normal(line);
        let bare = line.trim_start_matches("please ").trim_end_matches(" please");
        self.tables().words.list(list).iter().any(|p| **p == *bare)
    }
}

/// A line as the lists hold their phrases.
fn normal(line: &str) -> String {
    let folded: String = line.chars().filter_map(fold).collect();
    let words: Vec<&str> = folded.split_whitespace().collect();
    words.join(" ").trim_end_matches(['.', '!', '。', '！']).replace(',', "")
}
