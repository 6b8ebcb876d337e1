//! The tokenizer of the BERT family: clean, split, look up pieces of words.
//!
//! Owns reading `tokenizer.json` and the way from a text to ids. Never reads another kind of
//! tokenizer: that is told.

use std::collections::HashMap;

use pilothouse_core::talk::Fault;
use serde::Deserialize;
use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

use super::fault;

/// Longer words are unknown as a whole, as in the original.
const LONGEST_WORD: usize = 100;

/// A word-piece vocabulary with its rules.
pub(super) struct WordPiece {
    vocab: HashMap<String, u32>,
    prefix: String,
    unknown: u32,
    first: u32,
    last: u32,
    lower: bool,
    accents: bool,
}

#[derive(Deserialize)]
struct File {
    #[serde(default)]
    normalizer: Option<Normalizer>,
    model: ModelPart,
}

#[derive(Deserialize)]
struct Normalizer {
    #[serde(default)]
    lowercase: Option<bool>,
    #[serde(default)]
    strip_accents: Option<bool>,
}

#[derive(Deserialize)]
struct ModelPart {
    #[serde(default, rename = "type")]
    kind: Option<String>,
    #[serde(default)]
    unk_token: Option<String>,
    #[serde(default)]
    continuing_subword_prefix: Option<String>,
    #[serde(default)]
    vocab: serde_json::Value,
}

impl WordPiece {
    /// Reads the text of a `tokenizer.json`.
    pub fn parse(text: &[u8]) -> Result<Self, Fault> {
        let hint = "the folder must hold a model of the BERT family, such as all-MiniLM-L6-v2 or bge";
        let file: File = serde_json::from_slice(text)
            .map_err(|e| fault(format!("tokenizer.json cannot be read: {e}"), hint))?;
        let kind = file.model.kind.unwrap_or_else(|| "WordPiece".to_owned());
        if kind != "WordPiece" {
            return Err(fault(format!("tokenizer.json is of the kind {kind}; WordPiece is wanted"), hint));
        }
        let vocab: HashMap<String, u32> = serde_json::from_value(file.model.vocab)
            .map_err(|_| fault("tokenizer.json holds no vocabulary", hint))?;
        let id = |token: &str| {
            let found = vocab.get(token).copied();
            found.ok_or_else(|| fault(format!("the vocabulary of tokenizer.json lacks {token}"), hint))
        };
        let unknown = id(file.model.unk_token.as_deref().unwrap_or("[UNK]"))?;
        let (first, last) = (id("[CLS]")?, id("[SEP]")?);
        let lower = file.normalizer.as_ref().and_then(|n| n.lowercase).unwrap_or(true);
        let accents = file.normalizer.as_ref().and_then(|n| n.strip_accents).unwrap_or(lower);
        let prefix = file.model.continuing_subword_prefix.unwrap_or_else(|| "##".to_owned());
        Ok(Self { vocab, prefix, unknown, first, last, lower, accents })
    }

    /// The ids of a text between its two marks, at most `most`; a long text loses its end.
    pub fn ids(&self, text: &str, most: usize) -> Vec<u32> {
        let mut ids = vec![self.first];
        for word in self.words(text) {
            if ids.len() + 1 >= most {
                break;
            }
            self.pieces(&word, &mut ids);
        }
        ids.truncate(most.saturating_sub(1));
        ids.push(self.last);
        ids
    }

    /// The largest id.
    pub fn largest(&self) -> u32 {
        self.vocab.values().copied().max().unwrap_or_default()
    }

    fn words(&self, text: &str) -> Vec<String> {
        let mut words: Vec<String> = Vec::new();
        let mut word = String::new();
        let mut end = |word: &mut String| {
            if !word.is_empty() {
                words.push(std::mem::take(word));
            }
        };
        for c in self.normal(text).chars() {
            if c.is_whitespace() {
                end(&mut word);
            } else if is_punctuation(c) || is_ideograph(c) {
                end(&mut word);
                word.push(c);
                end(&mut word);
            } else {
                word.push(c);
            }
        }
        end(&mut word);
        words
    }

    fn normal(&self, text: &str) -> String {
        let clean = text.chars().filter_map(|c| match c {
            '\t' | '\n' | '\r' => Some(' '),
            '\0' | '\u{fffd}' => None,
            c if c.is_control() || is_format(c) => None,
            c if c.is_whitespace() => Some(' '),
            c => Some(c),
        });
        let text: String = if self.accents {
            clean.nfd().filter(|c| !is_combining_mark(*c)).collect()
        } else {
            clean.collect()
        };
        if self.lower { text.chars().flat_map(char::to_lowercase).collect() } else { text }
    }

    /// The longest pieces that the vocabulary knows, from the left.
    fn pieces(&self, word: &str, ids: &mut Vec<u32>) {
        let before = ids.len();
        let mut rest = word;
        if word.chars().count() > LONGEST_WORD {
            ids.push(self.unknown);
            return;
        }
        while !rest.is_empty() {
            let starts = rest.len() == word.len();
            let ends = rest.char_indices().map(|(at, c)| at + c.len_utf8()).rev();
            let found = ends.filter_map(|end| rest.split_at_checked(end)).find_map(|(piece, after)| {
                let id = if starts {
                    self.vocab.get(piece)
                } else {
                    self.vocab.get(&format!("{}{piece}", self.prefix))
                };
                id.map(|id| (*id, after))
            });
            let Some((id, after)) = found else {
                ids.truncate(before);
                ids.push(self.unknown);
                return;
            };
            ids.push(id);
            rest = after;
        }
    }
}

/// As BERT has it: ASCII that is no letter or digit, and what Unicode calls punctuation.
fn is_punctuation(c: char) -> bool {
    c.is_ascii_punctuation()
        || matches!(u32::from(c),
            0xa1 | 0xa7 | 0xab | 0xb6 | 0xb7 | 0xbb | 0xbf | 0x37e | 0x387
            | 0x55a..=0x55f | 0x589 | 0x58a | 0x5be | 0x5c0 | 0x5c3 | 0x5c6 | 0x5f3 | 0x5f4
            | 0x609 | 0x60a | 0x60c | 0x60d | 0x61b | 0x61d..=0x61f | 0x66a..=0x66d | 0x6d4
            | 0x964 | 0x965 | 0x970 | 0xe4f | 0xe5a | 0xe5b
            | 0x2010..=0x2027 | 0x2030..=0x2043 | 0x2045..=0x2051 | 0x2053..=0x205e
            | 0x207d | 0x207e | 0x208d | 0x208e | 0x2308..=0x230b | 0x2329 | 0x232a
            | 0x2768..=0x2775 | 0x27e6..=0x27ef | 0x2983..=0x2998 | 0x2e00..=0x2e2e | 0x2e30..=0x2e4f
            | 0x3001..=0x3003 | 0x3008..=0x3011 | 0x3014..=0x301f | 0x3030 | 0x303d | 0x30a0 | 0x30fb
            | 0xfe10..=0xfe19 | 0xfe30..=0xfe52 | 0xfe54..=0xfe61 | 0xfe63 | 0xfe68 | 0xfe6a | 0xfe6b
            | 0xff01..=0xff03 | 0xff05..=0xff0a | 0xff0c..=0xff0f | 0xff1a | 0xff1b | 0xff1f | 0xff20
            | 0xff3b..=0xff3d | 0xff3f | 0xff5b | 0xff5d | 0xff5f..=0xff65)
}

/// A character that stands as a word of its own.
fn is_ideograph(c: char) -> bool {
    matches!(u32::from(c), 0x4e00..=0x9fff | 0x3400..=0x4dbf | 0x2_0000..=0x2_a6df | 0x2_a700..=0x2_ceaf
        | 0xf900..=0xfaff | 0x2_f800..=0x2_fa1f)
}

/// Characters that only steer how others are shown.
fn is_format(c: char) -> bool {
    matches!(u32::from(c), 0xad | 0x600..=0x605 | 0x61c | 0x6dd | 0x70f | 0x180e | 0x200b..=0x200f
        | 0x202a..=0x202e | 0x2060..=0x206f | 0xfeff | 0xfff9..=0xfffb | 0xe_0000..=0xe_007f | 0xe000..=0xf8ff)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn small() -> WordPiece {
        let file = r###"{"normalizer":{"type":"BertNormalizer","lowercase":true,"strip_accents":null},
            "model":{"type":"WordPiece","unk_token":"[UNK]","continuing_subword_prefix":"##",
            "vocab":{"[UNK]":0,"[CLS]":1,"[SEP]":2,"fix":3,"##es":4,"the":5,"cafe":6,".":7,"漢":8,"字":9}}}"###;
        WordPiece::parse(file.as_bytes()).unwrap()
    }

    #[test]
    fn words_become_the_longest_pieces_that_are_known() {
        let ids = |text| small().ids(text, 64);
        assert_eq!(ids("Fixes the CAFÉ."), [1, 3, 4, 5, 6, 7, 2]);
        assert_eq!(ids("漢字 fixed\u{200b}"), [1, 8, 9, 0, 2]);
        assert_eq!(ids(""), [1, 2]);
        assert_eq!(small().ids("the the the the", 4), [1, 5, 5, 2]);
    }

    #[test]
    fn another_kind_of_tokenizer_is_told() {
        for (text, word) in [
            (r#"{"model":{"type":"Unigram","vocab":[]}}"#, "Unigram"),
            (r#"{"model":{"type":"WordPiece","vocab":{"a":1}}}"#, "lacks [UNK]"),
            ("{}", "cannot be read"),
        ] {
            let told = WordPiece::parse(text.as_bytes()).err().unwrap().message;
            assert!(told.contains(word), "{told}");
        }
    }
}
