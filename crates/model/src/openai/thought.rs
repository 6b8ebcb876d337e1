//! Thinking that stands in the text of a reply: `<think>…</think>` at its beginning.
//!
//! Owns where it begins and ends, also where a tag comes in pieces. Thinking in the middle of an answer is text: it may
//! be one about such tags.

/// The tags that servers leave in the text whose template they do not know.
const TAGS: [(&str, &str); 3] =
    [("<think>", "</think>"), ("<thinking>", "</thinking>"), ("<thought>", "</thought>")];

/// A text that comes in pieces, parted into thinking and answer.
#[derive(Debug, Default)]
pub(super) struct Thought {
    place: Place,
    /// Bytes of blanks that are kept nowhere.
    dropped: usize,
}

/// Where in the text its next piece begins.
#[derive(Debug)]
enum Place {
    /// At the beginning, behind these blanks and what may begin a tag.
    Begins(String, String),
    /// Inside, with the tags and what may be the beginning of the closing one.
    Inside((&'static str, &'static str), String),
    /// Behind the thinking, where nothing but blanks came.
    Closed,
    /// In the answer.
    Outside,
}

impl Default for Place {
    fn default() -> Self {
        Self::Begins(String::new(), String::new())
    }
}

/// What came of a piece.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Parts {
    /// Thinking.
    pub thinking: String,
    /// Answer.
    pub text: String,
}

impl Thought {
    /// Takes a piece in.
    pub fn take(&mut self, piece: &str) -> Parts {
        let mut parts = Parts::default();
        let mut rest = piece.to_owned();
        loop {
            rest = match std::mem::replace(&mut self.place, Place::Outside) {
                Place::Outside => {
                    parts.text.push_str(&rest);
                    return parts;
                }
                Place::Closed => {
                    let answer = rest.trim_start();
                    self.dropped += rest.len() - answer.len();
                    if answer.is_empty() {
                        self.place = Place::Closed;
                        return parts;
                    }
                    answer.to_owned()
                }
                Place::Begins(mut blanks, begun) => {
                    let piece = if begun.is_empty() { rest.trim_start() } else { &rest };
                    blanks.push_str(rest.get(..rest.len() - piece.len()).unwrap_or_default());
                    let begun = begun + piece;
                    if let Some(tags) = TAGS.into_iter().find(|(open, _)| begun.starts_with(open)) {
                        self.dropped += blanks.len();
                        self.place = Place::Inside(tags, String::new());
                        begun.get(tags.0.len()..).unwrap_or_default().to_owned()
                    } else if TAGS.into_iter().any(|(open, _)| open.starts_with(&begun)) {
                        self.place = Place::Begins(blanks, begun);
                        return parts;
                    } else {
                        blanks + &begun
                    }
                }
                Place::Inside(tags, held) => {
                    let (_, close) = tags;
                    let held = held + &rest;
                    if let Some((thinking, behind)) = held.split_once(close) {
                        parts.thinking.push_str(thinking);
                        self.place = Place::Closed;
                        behind.to_owned()
                    } else {
                        let kept =
                            (1..close.len()).rev().find(|n| held.ends_with(close.get(..*n).unwrap_or(close)));
                        let (thinking, held) = held.split_at(held.len() - kept.unwrap_or(0));
                        parts.thinking.push_str(thinking);
                        self.place = Place::Inside(tags, held.to_owned());
                        return parts;
                    }
                }
            };
        }
    }

    /// Bytes of what came and is in no part: what is held back, and blanks that are kept nowhere.
    pub fn bytes(&self) -> usize {
        self.dropped
            + match &self.place {
                Place::Begins(blanks, begun) => blanks.len() + begun.len(),
                Place::Inside(_, held) => held.len(),
                Place::Closed | Place::Outside => 0,
            }
    }

    /// The tag that was opened and not closed so far.
    pub const fn open(&self) -> Option<&'static str> {
        match self.place {
            Place::Inside((open, _), _) => Some(open),
            Place::Begins(..) | Place::Closed | Place::Outside => None,
        }
    }

    /// What was held back, now that nothing more comes.
    pub fn end(&mut self) -> Parts {
        match std::mem::replace(&mut self.place, Place::Outside) {
            Place::Begins(blanks, begun) => Parts { text: blanks + &begun, ..Parts::default() },
            Place::Inside(_, thinking) => Parts { thinking, ..Parts::default() },
            Place::Closed | Place::Outside => Parts::default(),
        }
    }
}

/// Thinking whose beginning the server's template wrote itself: all before a closing tag that nothing opened.
pub(super) fn unopened(text: &str) -> Option<(&str, &str)> {
    let (open, close) = TAGS.into_iter().find(|(_, close)| text.contains(close))?;
    let (thinking, answer) = text.split_once(close)?;
    // A line of its own, or it is an answer about such tags.
    let apart = answer.is_empty() || answer.starts_with(['\n', '\r']);
    (apart && !thinking.contains(open) && !thinking.contains('`'))
        .then(|| (thinking.trim(), answer.trim_start()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parted(pieces: &[&str]) -> Parts {
        let mut thought = Thought::default();
        let mut all = Parts::default();
        let end = |all: &mut Parts, parts: Parts| {
            all.thinking.push_str(&parts.thinking);
            all.text.push_str(&parts.text);
        };
        for piece in pieces {
            end(&mut all, thought.take(piece));
        }
        end(&mut all, thought.end());
        all
    }

    #[test]
    fn thinking_at_the_beginning_is_parted_from_the_answer_wherever_it_is_cut() {
        for text in
            ["<think>hmm, a < b</think>\n\nThe answer.", "\n<thinking>hmm, a < b</thinking>The answer."]
        {
            for cut in 0..=text.len() {
                let (head, tail) = text.split_at(cut);
                let parts = parted(&[head, tail]);
                assert_eq!(
                    (parts.thinking.as_str(), parts.text.as_str()),
                    ("hmm, a < b", "The answer."),
                    "{cut}"
                );
            }
        }
        let parts = parted(&["<think>", "never closed"]);
        assert_eq!((parts.thinking.as_str(), parts.text.as_str()), ("never closed", ""));
    }

    #[test]
    fn a_text_about_the_tags_is_a_text() {
        for text in ["<b>x</b>", "Put <think>x</think> first.", "<thi", "", "<thinker>x"] {
            for cut in 0..=text.len() {
                let (head, tail) = text.split_at(cut);
                let parts = parted(&[head, tail]);
                assert_eq!((parts.thinking.as_str(), parts.text.as_str()), ("", text), "{cut}");
            }
        }
        assert_eq!(unopened("hmm\n</think>\n\nYes."), Some(("hmm", "Yes.")));
        assert_eq!(unopened("Write `</think>` at its end."), None);
        assert_eq!(unopened("It ends with </think> as ever."), None);
    }
}
