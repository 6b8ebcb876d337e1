//! Texts that are not in UTF-8: which encoding bytes are in, the text that they are, and back.
//!
//! Owns that decision and both ways. Never guesses between encodings that look alike: what is not plainly a text in one
//! of these is in none, and is left as it is. Encodings of one byte have the same letters at other places: what is taken
//! for windows-1252 is only shown so, and no byte is put into it that does not stand there.

use std::{borrow::Cow, collections::BTreeSet};

use encoding_rs::WINDOWS_1252;

/// The mark of byte order with which some texts begin.
pub const MARK: char = '\u{feff}';

/// An encoding in which files are worked on: the bytes of a text in it come back as they were.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8, with or without its mark.
    Utf8,
    /// UTF-16 behind its mark.
    Utf16(Endian),
    /// One of one byte that can be shown as windows-1252, of which ISO 8859-1 is a part: that or one of its kin.
    Windows1252,
}

/// The order of the two bytes of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Endian {
    /// The lower one first.
    Little,
    /// The higher one first.
    Big,
}

impl Endian {
    /// What the mark at the beginning of a text in UTF-16 says.
    pub(crate) const fn marked(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0xff, 0xfe, ..] => Some(Self::Little),
            [0xfe, 0xff, ..] => Some(Self::Big),
            _ => None,
        }
    }

    pub(crate) const fn unit(self, bytes: [u8; 2]) -> u16 {
        match self {
            Self::Little => u16::from_le_bytes(bytes),
            Self::Big => u16::from_be_bytes(bytes),
        }
    }

    const fn bytes(self, unit: u16) -> [u8; 2] {
        match self {
            Self::Little => unit.to_le_bytes(),
            Self::Big => unit.to_be_bytes(),
        }
    }

    /// The characters of a text; what is none of it is of `Err`.
    fn chars(self, bytes: &[u8]) -> impl Iterator<Item = Result<char, ()>> {
        let (units, odd) = bytes.as_chunks::<2>();
        let units = units.iter().map(move |two| self.unit(*two));
        char::decode_utf16(units).map(|c| c.map_err(drop)).chain(odd.iter().map(|_| Err(())))
    }
}

/// Why a text cannot be put in the place of a file in its encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    /// A character whose byte is not known.
    #[error("{0} (U+{n:04X}) stands nowhere in the file, which is not UTF-8 and only shown as windows-1252, so that its \
             byte there is not known", n = u32::from(*.0))]
    Absent(char),
    /// Its bytes would be read as another text.
    #[error("the file would be taken for another encoding than it is in now")]
    Other,
}

impl Encoding {
    /// The encoding in which these bytes are a text; `None` where they are none, or in one that is not known.
    pub fn of(bytes: &[u8]) -> Option<Self> {
        if let Some(endian) = Endian::marked(bytes) {
            // What begins like it may be something else, as UTF-32.
            let is_text = endian.chars(bytes).all(|c| c.is_ok_and(|c| c != '\0'));
            return is_text.then_some(Self::Utf16(endian));
        }
        if std::str::from_utf8(bytes).is_ok() {
            return Some(Self::Utf8);
        }
        is_windows_1252(bytes).then_some(Self::Windows1252)
    }

    /// What is said of a file where it is not UTF-8.
    pub const fn told(self) -> Option<&'static str> {
        match self {
            Self::Utf8 => None,
            Self::Utf16(_) => Some("UTF-16"),
            Self::Windows1252 => Some("not UTF-8; shown as windows-1252"),
        }
    }

    /// The text that the bytes are in this encoding, its mark with it.
    pub fn decode(self, bytes: &[u8]) -> Cow<'_, str> {
        match self {
            Self::Utf8 => String::from_utf8_lossy(bytes),
            Self::Utf16(endian) => endian.chars(bytes).map(|c| c.unwrap_or('\u{fffd}')).collect(),
            Self::Windows1252 => WINDOWS_1252.decode_without_bom_handling(bytes).0,
        }
    }

    /// The bytes of a text that is put in the place of a file in this encoding.
    ///
    /// # Errors
    /// Where it cannot be kept.
    pub fn encode(self, text: &str, file: &[u8]) -> Result<Vec<u8>, Unfit> {
        let bytes = match self {
            Self::Utf8 => text.as_bytes().to_vec(),
            Self::Utf16(endian) => {
                // Its mark is what tells it; an editor may drop that.
                let mark = (!text.starts_with(MARK)).then_some(MARK);
                let units = mark.iter().map(|_| MARK as u16).chain(text.encode_utf16());
                units.flat_map(|unit| endian.bytes(unit)).collect()
            }
            Self::Windows1252 => {
                let file = self.decode(file);
                let there: BTreeSet<char> = file.chars().filter(|c| !c.is_ascii()).collect();
                if let Some(c) = text.chars().find(|c| !c.is_ascii() && !there.contains(c)) {
                    return Err(Unfit::Absent(c));
                }
                WINDOWS_1252.encode(text).0.into_owned()
            }
        };
        if bytes.is_ascii() || Self::of(&bytes) == Some(self) { Ok(bytes) } else { Err(Unfit::Other) }
    }
}

/// The text of a content as it is shown and found; what is no text in it is `�`.
pub fn text_of(bytes: &[u8]) -> Cow<'_, str> {
    let by_mark = || Endian::marked(bytes).map(Encoding::Utf16);
    Encoding::of(bytes).or_else(by_mark).unwrap_or(Encoding::Utf8).decode(bytes)
}

/// Bytes that are signs in windows-1252 which do not stand within a word, and letters in other encodings.
const SIGNS: [u8; 14] = [0x80, 0x82, 0x83, 0x84, 0x86, 0x87, 0x88, 0x89, 0x8b, 0x93, 0x94, 0x98, 0x99, 0x9b];
/// Quotes, dashes and blanks of windows-1252, which stand beside each other and beside letters.
const BETWEEN: [u8; 13] = [0x84, 0x85, 0x91, 0x92, 0x93, 0x94, 0x96, 0x97, 0xa0, 0xa1, 0xab, 0xbb, 0xbf];

/// Whether bytes that are no UTF-8 are plainly a text in windows-1252.
fn is_windows_1252(bytes: &[u8]) -> bool {
    let none = |b: &u8| match *b {
        b'\t' | b'\n' | b'\r' | b'\x0c' => false,
        0..b' ' | 0x7f | 0x81 | 0x8d | 0x8f | 0x90 | 0x9d => true,
        b' '..=0xff => false,
    };
    // A text in UTF-8 with a few broken bytes stays one.
    if bytes.iter().any(none) || bytes.utf8_chunks().any(|chunk| !chunk.valid().is_ascii()) {
        return false;
    }
    // In the languages that are written in it letters beyond ASCII stand among others, two together at most; those of
    // other alphabets, and characters of two bytes, stand in words and rows of their own.
    let is_of_word = |b: &u8| b.is_ascii_alphabetic() || !b.is_ascii();
    let (mut all, mut foreign) = (0, 0);
    for word in bytes.split(|b| !is_of_word(b)).filter(|word| !word.is_ascii()) {
        let beyond = word.iter().filter(|b| !b.is_ascii()).count();
        all += beyond;
        let longest = word.split(|b| b.is_ascii() || BETWEEN.contains(b)).map(<[u8]>::len).max();
        let alone = if word.iter().any(u8::is_ascii) { 3 } else { 2 };
        let sign = word
            .windows(3)
            .any(|w| matches!(w, [a, sign, b] if SIGNS.contains(sign) && a.is_ascii() && b.is_ascii()));
        if longest >= Some(alone) || sign {
            foreign += beyond;
        }
    }
    foreign * 4 <= all
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn wide(text: &str, endian: Endian) -> Vec<u8> {
        Encoding::Utf16(endian).encode(&format!("\u{feff}{text}"), b"").unwrap_or_default()
    }

    fn of(bytes: &[u8]) -> Option<Encoding> {
        Encoding::of(bytes)
    }

    #[test]
    fn what_is_plainly_a_text_in_windows_1252_is_told_from_what_is_not() {
        let western: [&[u8]; 9] = [
            b"\xab\xa0\xc9cole\xa0\xbb et \x84\xdcbung\x93\n",
            b"gr\xf6\xdfe alpha\n",
            b"// Stra\xdfe, Geb\xe4ude, M\xfcnchen\r\nint k\xf6nig = 1;\r\n",
            b"na\xefve caf\xe9s cr\xe9\xe9s \xe0 No\xebl, o\xf9 l'\xe9t\xe9 s'ach\xe8ve\n",
            b"don\x92t \x93quote\x94 a \x96 b: 5 \x80 \x85\n",
            b"caf\xe9",
            b"a\xb0 \xa7 12 \xa9 2001\n",
            b"ma\xf1ana \xbfqu\xe9? se\xf1or\x0c\n",
            b"x = \"\xfcber\"; y = \"\xc4rger\"\n",
        ];
        for text in western {
            assert_eq!(of(text), Some(Encoding::Windows1252), "{}", text.escape_ascii());
        }
        let other: [&[u8]; 12] = [
            b"// \x83e\x83X\x83g\n",
            b"\x7fELF\x02\xff\n",
            b"caf\xe9\0\n",
            b"x\x01y\xffz\n",
            b"a \x81 b \xe9\n",
            b"gr\xc3\xb6\xdfe\n",
            b"// \xef\xf0\xe8\xe2\xe5\xf2 \xec\xe8\xf0\nint x;\n", // Cyrillic, windows-1251
            b"// \xf0\xd2\xc9\xd7\xc5\xd4\nint x;\n",              // the same in KOI8-R
            b"// \xc4\xe3\xba\xc3\xca\xc0\xbd\xe7\n",              // GBK
            b"// \x82\xb1\x82\xf1\x82\xc9\x82\xbf\n",              // Shift JIS
            b"K\x94nig M\x84dchen\n",                              // DOS
            b"\xff\xfe\0\0h\0\0\0",                                // UTF-32
        ];
        for text in other {
            assert_eq!(of(text), None, "{}", text.escape_ascii());
        }
        assert_eq!(of("größe €".as_bytes()), Some(Encoding::Utf8));
        assert_eq!(of(b""), Some(Encoding::Utf8));
        assert_eq!(of(&wide("größe\r\n", Endian::Little)), Some(Encoding::Utf16(Endian::Little)));
        assert_eq!(of(&wide("größe\r\n", Endian::Big)), Some(Encoding::Utf16(Endian::Big)));
        assert_eq!(of(b"\xff\xfea\0b"), None, "half a unit");
        assert_eq!(of(b"\xff\xfe\x00\xd8a\0"), None, "half a pair");
    }

    #[test]
    fn a_character_whose_byte_is_not_known_is_named() {
        let put = |text: &str| Encoding::Windows1252.encode(text, b"\x80 \x96 \x84\xff\x93 \xc3x\xb6");
        assert_eq!(put("5 € – „ÿ“"), Ok(b"5 \x80 \x96 \x84\xff\x93".to_vec()));
        assert_eq!(put("5 € ü"), Err(Unfit::Absent('ü')));
        assert_eq!(put("ok řeka λ"), Err(Unfit::Absent('ř')));
        assert_eq!(put("a\u{81}"), Err(Unfit::Absent('\u{81}')));
        assert_eq!(put("Ã¶"), Err(Unfit::Other), "its bytes are another text in UTF-8");
        assert_eq!(text_of(b"caf\xe9 \x80"), "caf\u{e9} €");
        assert_eq!(text_of(b"\xff\xfea\0b"), "\u{feff}a\u{fffd}");
        assert_eq!(text_of(b"x\x01\xff"), "x\x01\u{fffd}");
    }

    proptest! {
        #[test]
        fn bytes_come_back_as_they_were(bytes in prop::collection::vec(any::<u8>(), 0..60), text in "\\PC{0,30}") {
            let each = [bytes, wide(&text, Endian::Little), wide(&text, Endian::Big), text.into_bytes()];
            for bytes in each {
                if let Some(encoding) = Encoding::of(&bytes) {
                    prop_assert_eq!(encoding.encode(&encoding.decode(&bytes), &bytes), Ok(bytes));
                }
            }
        }
    }
}
