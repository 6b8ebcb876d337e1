//! What of a reply that is JSON is written for people, read while it comes.
//!
//! Owns which fields that is. Reads pieces that are cut anywhere; never holds more than a name. What comes of the whole
//! reply is read from the whole reply.

/// The fields that are shown as they come.
const SHOWN: [&str; 4] = ["summary", "text", "content", "body"];
/// Most characters of the name of a field that is shown.
const NAME_CHARS: usize = 16;
/// Stands for half of a letter.
const BROKEN: char = char::REPLACEMENT_CHARACTER;

/// A reader of one reply.
#[derive(Debug, Default)]
pub(super) struct Drawn {
    /// Whether the object has begun.
    begun: bool,
    /// The string that ended last, as long as nothing but blanks and a colon followed it.
    name: String,
    /// Whether the colon did: what comes is the value of that name.
    valued: bool,
    /// The string that it is in.
    inside: Option<Inside>,
    /// Whether something was shown before what comes now.
    shown: bool,
    /// Whether what comes now is another field than what was shown before.
    parts: bool,
}

#[derive(Debug, Default)]
struct Inside {
    /// Whether it is shown.
    drawn: bool,
    escape: Escape,
    /// The first half of a letter that is written in two.
    half: Option<u32>,
}

#[derive(Clone, Copy, Debug, Default)]
enum Escape {
    #[default]
    None,
    Begun,
    /// The digits so far: what they come to, and how many there are.
    Digits(u32, u32),
}

impl Drawn {
    /// What of the next piece is shown.
    pub(super) fn take(&mut self, piece: &str) -> String {
        let mut out = String::new();
        for c in piece.chars() {
            match self.inside.take() {
                Some(inside) => self.inside = self.within(inside, c, &mut out),
                None => self.between(c),
            }
        }
        out
    }

    /// A letter outside of strings.
    fn between(&mut self, c: char) {
        if !self.begun {
            self.begun = c == '{';
            return;
        }
        match c {
            '"' => {
                let drawn = self.valued && SHOWN.contains(&self.name.as_str());
                self.parts |= drawn && self.shown;
                (self.name, self.valued) = (String::new(), false);
                self.inside = Some(Inside { drawn, ..Inside::default() });
            }
            ':' => self.valued = true,
            c if c.is_whitespace() => {}
            _ => (self.name, self.valued) = (String::new(), false),
        }
    }

    /// A letter inside of a string; the string, as long as it goes on.
    fn within(&mut self, mut inside: Inside, c: char, out: &mut String) -> Option<Inside> {
        match (inside.escape, c) {
            (Escape::None, '"') => {
                self.end_half(&mut inside, out);
                if inside.drawn {
                    self.name.clear();
                }
                return None;
            }
            (Escape::None, '\\') => inside.escape = Escape::Begun,
            (Escape::None, c) => self.whole(&mut inside, c, out),
            (Escape::Begun, 'u') => inside.escape = Escape::Digits(0, 0),
            (Escape::Begun, c) => {
                inside.escape = Escape::None;
                let letter = match c {
                    'n' => '\n',
                    't' => '\t',
                    'r' | 'b' | 'f' => ' ',
                    c => c,
                };
                self.whole(&mut inside, letter, out);
            }
            (Escape::Digits(sum, count), c) => match c.to_digit(16) {
                None => {
                    inside.escape = Escape::None;
                    self.whole(&mut inside, BROKEN, out);
                }
                Some(digit) if count < 3 => inside.escape = Escape::Digits(sum * 16 + digit, count + 1),
                Some(digit) => {
                    inside.escape = Escape::None;
                    self.unit(&mut inside, sum * 16 + digit, out);
                }
            },
        }
        Some(inside)
    }

    /// What four digits stand for: a letter, or half of one.
    fn unit(&mut self, inside: &mut Inside, unit: u32, out: &mut String) {
        match (inside.half.take(), unit) {
            (Some(first), 0xDC00..=0xDFFF) => {
                let letter = 0x1_0000 + ((first - 0xD800) << 10) + (unit - 0xDC00);
                self.show(inside, char::from_u32(letter).unwrap_or(BROKEN), out);
            }
            (half, unit) => {
                inside.half = half;
                self.end_half(inside, out);
                if (0xD800..=0xDBFF).contains(&unit) {
                    inside.half = Some(unit);
                } else {
                    self.show(inside, char::from_u32(unit).unwrap_or(BROKEN), out);
                }
            }
        }
    }

    fn whole(&mut self, inside: &mut Inside, c: char, out: &mut String) {
        self.end_half(inside, out);
        self.show(inside, c, out);
    }

    fn end_half(&mut self, inside: &mut Inside, out: &mut String) {
        if inside.half.take().is_some() {
            self.show(inside, BROKEN, out);
        }
    }

    fn show(&mut self, inside: &Inside, c: char, out: &mut String) {
        if !inside.drawn {
            if self.name.len() < NAME_CHARS {
                self.name.push(c);
            }
            return;
        }
        if std::mem::take(&mut self.parts) {
            out.push_str("\n\n");
        }
        self.shown = true;
        out.push(c);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const REPLY: &str = r#"Here it is, "as asked":
```json
{"summary": "It \"resets\" the window [1].\nAlways.", "sections": [
  {"title": "Timer", "text": "\u00e4 \ud83d\ude00 C:\\x"}, {"title": "text", "text" : "Two."}],
  "summaryOfAnother": "no", "texts": ["text", "no"], "conclusions": ["text: \"no\""],
  "relations": [{"subject": "no", "text": ""}]}
```"#;

    #[test]
    fn what_is_written_for_people_is_read_out_of_a_reply_that_is_cut_anywhere() {
        let whole = "It \"resets\" the window [1].\nAlways.\n\n\u{e4} \u{1f600} C:\\x\n\nTwo.";
        assert_eq!(Drawn::default().take(REPLY), whole);
        let letters: Vec<String> = REPLY.chars().map(String::from).collect();
        for size in 1..9 {
            let mut drawn = Drawn::default();
            let told: String = letters.chunks(size).map(|piece| drawn.take(&piece.concat())).collect();
            assert_eq!(told, whole, "{size}");
        }
    }

    #[test]
    fn what_is_no_json_or_broken_is_never_more_than_strange() {
        for (text, shown) in [
            ("It is reset by a timer.", ""),
            (r#""summary": "no""#, ""),
            (
                r#"{"text": "\ud83d and \ude00 and \uZZ and \ud83d\ud83d\ude00"}"#,
                "\u{fffd} and \u{fffd} and \u{fffd}Z and \u{fffd}\u{1f600}",
            ),
            (r#"{"text": "\ud83d", "text": 3, "text": ["no"], "body": "b"#, "\u{fffd}\n\nb"),
        ] {
            assert_eq!(Drawn::default().take(text), shown, "{text}");
        }
    }
}
