//! Text out of a command's bytes: decoded, with terminal control taken out.
//!
//! Owns a decoder that takes chunks cut anywhere. Never lets an escape sequence through.

/// Turns chunks of bytes into plain text; bytes that are no UTF-8 become U+FFFD. Newline, tab and
/// carriage return stay.
#[derive(Debug, Default)]
pub(super) struct Plain {
    /// The beginning of a character whose rest has not come.
    rest: Vec<u8>,
    state: State,
}

#[derive(Clone, Copy, Debug, Default)]
enum State {
    #[default]
    Ground,
    /// After ESC.
    Escape,
    /// In a control sequence, until its final character.
    Sequence,
    /// In a string that only a terminal reads, until its terminator or the line's end.
    Text,
    /// After ESC in such a string.
    TextEscape,
}

impl Plain {
    /// The plain text of the next bytes.
    pub fn take(&mut self, bytes: &[u8]) -> String {
        let mut all = std::mem::take(&mut self.rest);
        all.extend_from_slice(bytes);
        let mut out = String::with_capacity(all.len());
        let mut left = all.as_slice();
        loop {
            match std::str::from_utf8(left) {
                Ok(text) => {
                    self.text(text, &mut out);
                    return out;
                }
                Err(e) => {
                    let (good, bad) = left.split_at(e.valid_up_to());
                    self.text(std::str::from_utf8(good).unwrap_or_default(), &mut out);
                    let Some(len) = e.error_len() else {
                        self.rest = bad.to_vec();
                        return out;
                    };
                    self.char(char::REPLACEMENT_CHARACTER, &mut out);
                    left = bad.get(len..).unwrap_or_default();
                }
            }
        }
    }

    /// What is left when no more bytes come.
    pub fn finish(&mut self) -> String {
        let cut = !std::mem::take(&mut self.rest).is_empty();
        if cut { char::REPLACEMENT_CHARACTER.to_string() } else { String::new() }
    }

    fn text(&mut self, text: &str, out: &mut String) {
        let steers = |c: char| c.is_control() && !matches!(c, '\n' | '\t' | '\r');
        let mut left = text;
        loop {
            // Most of what is printed steers nothing.
            if matches!(self.state, State::Ground) {
                let (plain, rest) = left.split_at(left.find(steers).unwrap_or(left.len()));
                out.push_str(plain);
                left = rest;
            }
            let mut chars = left.chars();
            let Some(c) = chars.next() else { return };
            self.char(c, out);
            left = chars.as_str();
        }
    }

    fn char(&mut self, c: char, out: &mut String) {
        self.state = match (self.state, c) {
            (State::Ground | State::Escape | State::Sequence, '\u{1b}') => State::Escape,
            (State::Text | State::TextEscape, '\u{1b}') => State::TextEscape,
            // A line's end ends everything, so that an open sequence cannot hide what follows.
            (_, '\n') => {
                out.push(c);
                State::Ground
            }
            (State::Ground, '\u{9b}') | (State::Escape, '[') => State::Sequence,
            (State::Ground, '\u{90}' | '\u{98}' | '\u{9d}'..='\u{9f}')
            | (State::Escape, ']' | 'P' | 'X' | '^' | '_') => State::Text,
            (State::Ground, c) => {
                if !c.is_control() || matches!(c, '\t' | '\r') {
                    out.push(c);
                }
                State::Ground
            }
            (State::Escape, ' '..='/') => State::Escape,
            (State::Escape, _) | (State::Sequence, '@'..='~') => State::Ground,
            (State::Sequence, _) => State::Sequence,
            (State::Text, '\u{7}' | '\u{9c}') | (State::TextEscape, '\\') => State::Ground,
            (State::Text | State::TextEscape, _) => State::Text,
        };
    }
}

/// Each line as a terminal would leave it: what stands before a carriage return was drawn over.
pub(super) fn settled(text: &str) -> String {
    let settle = |line: &str| {
        let (body, end) = line.strip_suffix('\n').map_or((line, ""), |body| (body, "\n"));
        let last = body.split('\r').rev().find(|part| !part.is_empty()).unwrap_or_default();
        format!("{last}{end}")
    };
    text.split_inclusive('\n').map(settle).collect()
}

#[cfg(test)]
#[allow(clippy::indexing_slicing)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn whole(bytes: &[u8]) -> String {
        let mut plain = Plain::default();
        let text = plain.take(bytes);
        text + &plain.finish()
    }

    #[test]
    fn terminal_control_is_taken_out_and_text_stays() {
        let cases: [(&[u8], &str); 12] = [
            (b"\x1b[1;31mred\x1b[0m", "red"),
            (b"\x1b]0;title\x07after", "after"),
            (b"\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
            (b"\x1bP1$r0m\x1b\\x", "x"),
            (b"\x1b(Bx\x1b=y\x1b7z", "xyz"),
            ("\u{9b}31mred".as_bytes(), "red"),
            (b"\x1b]52;c;AAAA", ""),
            (b"\x1b]never ended\nshown", "\nshown"),
            (b"a\x08\x00\x07b\tc\r\n", "ab\tc\r\n"),
            (b"\xff\xfeok", "\u{fffd}\u{fffd}ok"),
            (b"cut \xe2\x82", "cut \u{fffd}"),
            (b"\x1b[31\x1b[0mx", "x"),
        ];
        for (bytes, text) in cases {
            assert_eq!(whole(bytes), text, "{bytes:?}");
        }
    }

    #[test]
    fn a_progress_line_is_left_as_it_ended() {
        assert_eq!(settled("10 %\r50 %\r100 %\r\ndone\r\n"), "100 %\ndone\n");
    }

    proptest! {
        #[test]
        fn where_chunks_are_cut_makes_no_difference(bytes in prop::collection::vec(any::<u8>(), 0..200), cut in 0usize..200) {
            let cut = cut.min(bytes.len());
            let mut plain = Plain::default();
            let mut text = plain.take(&bytes[..cut]);
            text += &plain.take(&bytes[cut..]);
            text += &plain.finish();
            prop_assert_eq!(text, whole(&bytes));
        }

        #[test]
        fn no_control_character_is_let_through(bytes in prop::collection::vec(prop_oneof![Just(0x1b), Just(b'['), Just(b']'), Just(0xc2), Just(0x9b), any::<u8>()], 0..200)) {
            prop_assert!(whole(&bytes).chars().all(|c| !c.is_control() || matches!(c, '\n' | '\t' | '\r')));
        }
    }
}
