//! Why a message was read as it was, and what would have changed it: the inspector's facts.
//!
//! Owns the questions put to the classifier a second time; never decides anything.

use super::{
    Classifier, IntentNode as N,
    classify::Parsed,
    features,
    reading::{Message, Reading, turn_names},
    similar::{Match, Near},
    stats::LEAVES,
    text,
};

/// Words of a message that are left out one by one, at most.
const PROBES: usize = 60;
/// So many changes are told.
const FLIPS: usize = 3;

/// Something that would have changed the path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flip {
    /// The words that the message would be without.
    pub without: String,
    /// Where it would go then.
    pub to: N,
}

/// Why a message was read as it was.
#[derive(Clone, Debug, PartialEq)]
pub struct Why {
    /// The reading itself.
    pub reading: Reading,
    /// The share that the statistics give each leaf, best first; empty where they were not asked.
    pub shares: Vec<(N, f32)>,
    /// The nearest exemplar of the leaves, by the built-in embedder.
    pub leaf: Option<Near>,
    /// The nearest exemplar of the primary intents.
    pub primary: Option<Near>,
    /// The nearest exemplar of the subs, where it belongs to the turn.
    pub sub: Option<Near>,
    /// Words without which it would go elsewhere: the fewest first.
    pub flips: Vec<Flip>,
}

impl Classifier {
    /// Reads a message and says why. Takes milliseconds: for an inspector, not for each key.
    pub fn why(&self, m: &Message<'_>) -> Why {
        let reading = self.read(m);
        let Match { primary, sub, leaf } = self.nearest(&reading.text).unwrap_or_default();
        Why {
            shares: self.shares(m),
            leaf,
            primary,
            sub: sub.filter(|n| n.name.starts_with(turn_names(&reading.whole.turn).0)),
            flips: self.flips(m, &reading),
            reading,
        }
    }

    /// Leaves out each part, then each word, and reads again. What changes the permission comes first.
    fn flips(&self, m: &Message<'_>, reading: &Reading) -> Vec<Flip> {
        let leaf = reading.whole.path.current();
        let words: Vec<&str> = m.text.split_whitespace().collect();
        let parts = m.text.split_inclusive(['.', ';', ',', '\n']).filter(|part| part.len() < m.text.len());
        let parts = parts.filter_map(|part| {
            m.text.split_once(part).map(|(before, after)| (part.trim(), format!("{before}{after}")))
        });
        let words = words.iter().enumerate().map(|(i, word)| (*word, without(&words, i)));
        let mut flips: Vec<Flip> = Vec::new();
        for (piece, rest) in parts.take(PROBES).chain(words.take(PROBES)) {
            let to = self.read(&Message { text: &rest, ..*m }).whole.path.current();
            if to != leaf && !rest.trim().is_empty() && !flips.iter().any(|f| f.without == piece) {
                flips.push(Flip { without: piece.to_owned(), to });
            }
        }
        flips.sort_by_key(|f| f.to.scope() == leaf.scope());
        flips.truncate(FLIPS);
        flips
    }

    /// What the statistics say of each leaf; nothing for commands and forced nodes.
    fn shares(&self, m: &Message<'_>) -> Vec<(N, f32)> {
        let focus = text::focus(m.text.trim());
        let Some(model) = self.model().filter(|_| !focus.starts_with(['/', '@', '!'])) else {
            return Vec::new();
        };
        let prediction =
            model.predict(&features::of(&Parsed::within(&focus, m.text, self.tables()), m.phase, m.paused));
        let mut shares: Vec<(N, f32)> = LEAVES.iter().copied().zip(prediction.leaves).collect();
        shares.sort_by(|a, b| b.1.total_cmp(&a.1));
        shares.truncate(4);
        shares
    }
}

fn without(words: &[&str], left_out: usize) -> String {
    let kept: Vec<&str> =
        words.iter().enumerate().filter(|(i, _)| *i != left_out).map(|(_, word)| *word).collect();
    kept.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn why(text: &str) -> Why {
        Classifier::builtin().why(&Message { text, ..Message::default() })
    }

    #[test]
    fn the_words_that_carry_the_path_are_named() {
        let why = why("fix the typo in README");
        assert_eq!(why.reading.whole.path.current(), N::Modify);
        assert_eq!(why.shares.first().map(|s| s.0), Some(N::Modify));
        assert!(why.shares.windows(2).all(|w| matches!(w, [a, b] if a.1 >= b.1)));
    }

    #[test]
    fn a_part_that_is_left_out_is_told_with_where_it_would_go() {
        let why = why("rename the parser module. but do not change anything yet");
        assert!(why.reading.forbids_change);
        let writes = |n: N| n.scope().allows(crate::scope::Capability::Write);
        assert!(why.flips.iter().any(|f| writes(f.to)), "{:?} {:?}", why.flips, why.reading);
    }

    #[test]
    fn any_text_has_a_why() {
        for text in ["", " ", "…", "/help", "@explain this", "!ls", "\u{202e}fix", &"word ".repeat(4000)] {
            let _ = why(text);
        }
    }
}
