//! The form of a text: the encoding that it is in, its mark, and the ends of its lines.
//!
//! Owns what a text that was made of one file is in the form of another, as another program may have put the file into it.

use std::{borrow::Cow, collections::HashSet};

use pilothouse_core::encoding::{Encoding, MARK};

/// A text that was made of `was`, in the form of `now`: as it is where both have the same; `None` where it cannot be put
/// into that, or where it is not known which that is.
pub(super) fn in_form<'a>(text: &'a [u8], was: &[u8], now: &[u8]) -> Option<Cow<'a, [u8]>> {
    let (from, to) = (Encoding::of(was), Encoding::of(now));
    let (from, to) = match (from, to) {
        (Some(from), Some(to)) => (from, to),
        (None, None) => return Some(Cow::Borrowed(text)),
        (Some(Encoding::Utf16(_)), None) | (None, Some(Encoding::Utf16(_))) => return None,
        // In all that is not UTF-16, ASCII is the same; and what the file has as UTF-8 in spite of a broken byte it may get.
        (Some(_), None) | (None, Some(Encoding::Windows1252)) => {
            let there = beyond_ascii(&String::from_utf8_lossy(now));
            let stands = std::str::from_utf8(text).is_ok_and(|text| beyond_ascii(text).is_subset(&there));
            return stands.then_some(Cow::Borrowed(text));
        }
        // Others mended what was broken: only what the text has new must be UTF-8 as well.
        (None, Some(Encoding::Utf8)) => {
            let old: HashSet<&[u8]> = lines(was).collect();
            let mut new = lines(text).filter(|line| !old.contains(line));
            return new.all(|line| std::str::from_utf8(line).is_ok()).then_some(Cow::Borrowed(text));
        }
    };
    let (old, new) = (from.decode(was), to.decode(now));
    // What is only shown as windows-1252 is that only where others read it so as well.
    let guessed = from == Encoding::Windows1252 && from != to;
    if guessed && !beyond_ascii(&old).is_subset(&beyond_ascii(&new)) {
        return None;
    }
    let ends = Ends::of(&new).filter(|ends| Ends::of(&old).is_some_and(|old| old != *ends));
    let marked = old.starts_with(MARK) != new.starts_with(MARK);
    if from == to && ends.is_none() && !marked {
        return Some(Cow::Borrowed(text));
    }
    let plain = from.decode(text);
    let plain = plain.strip_prefix(MARK).unwrap_or(&plain);
    let plain = match ends {
        None => plain.to_owned(),
        Some(Ends::Lf) => plain.replace("\r\n", "\n"),
        Some(Ends::CrLf) => plain.replace("\r\n", "\n").replace('\n', "\r\n"),
    };
    let plain = if new.starts_with(MARK) { format!("{MARK}{plain}") } else { plain };
    to.encode(&plain, now).ok().map(Cow::Owned)
}

fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|b| *b == b'\n')
}

fn beyond_ascii(text: &str) -> HashSet<char> {
    text.chars().filter(|c| !c.is_ascii()).collect()
}

/// How all lines of a text end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ends {
    Lf,
    CrLf,
}

impl Ends {
    /// `None` where there are none, or some of each.
    fn of(text: &str) -> Option<Self> {
        let (all, both) = (text.matches('\n').count(), text.matches("\r\n").count());
        match both {
            _ if all == 0 => None,
            0 => Some(Self::Lf),
            _ => (both == all).then_some(Self::CrLf),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &[u8], was: &[u8], now: &[u8]) -> Option<Vec<u8>> {
        in_form(text, was, now).map(Cow::into_owned)
    }

    #[test]
    fn a_text_is_put_into_the_form_that_its_file_has_now() {
        let (latin, utf8): (&[u8], &[u8]) = (b"gr\xf6\xdfe\n", "größe\n".as_bytes());
        assert_eq!(told(b"gr\xf6\xdfe\nh\xf6he\n", latin, utf8), Some("größe\nhöhe\n".as_bytes().to_vec()));
        assert_eq!(told("größe\nhöhe\n".as_bytes(), utf8, latin), Some(b"gr\xf6\xdfe\nh\xf6he\n".to_vec()));
        assert_eq!(told("größe\nça\n".as_bytes(), utf8, latin), None, "ç has no byte that is known there");
        assert_eq!(told(b"a\r\nb\r\n", b"a\r\n", b"a\n"), Some(b"a\nb\n".to_vec()));
        assert_eq!(told(b"a\nb\n", b"a\n", b"a\r\n"), Some(b"a\r\nb\r\n".to_vec()));
        assert_eq!(
            told(b"a\nb\r\n", b"a\nb\n", b"a\r\nb\n"),
            Some(b"a\nb\r\n".to_vec()),
            "some of each say nothing"
        );
        assert_eq!(told(b"\xff\xfea\0b\0", b"\xff\xfea\0", b"a"), Some(b"ab".to_vec()));
        assert_eq!(told(b"ab", b"a", b"\xff\xfea\0"), Some(b"\xff\xfea\0b\0".to_vec()));
        assert_eq!(told(b"\xef\xbb\xbfab", b"\xef\xbb\xbfa", b"a"), Some(b"ab".to_vec()));
    }

    #[test]
    fn what_is_in_no_form_that_is_known_takes_ascii_alone() {
        let binary: &[u8] = b"a\0\xff\x81\n";
        assert_eq!(told(b"b\n", b"a\n", binary), Some(b"b\n".to_vec()));
        assert_eq!(told("ö\n".as_bytes(), b"a\n", binary), None);
        let (whole, broken): (&[u8], &[u8]) = ("größe\na\n".as_bytes(), b"gr\xc3\xb6\xc3\x9fe\na\n\xff\n");
        let changed = "größe\nb\n".as_bytes();
        assert_eq!(told(changed, whole, broken), Some(changed.to_vec()), "what it has already");
        // The other way round its lines still hold the byte: all of it stands, but for what is new and no UTF-8.
        let proposed = b"gr\xc3\xb6\xc3\x9fe\nb\n\xff\n";
        assert_eq!(told(proposed, broken, whole), Some(proposed.to_vec()));
        assert_eq!(told(broken, broken, whole), Some(broken.to_vec()));
        assert_eq!(told(b"a\n\xfe\n", broken, whole), None);
        assert_eq!(told("größe\nça\n".as_bytes(), whole, broken), None);
        let (latin_2, utf8): (&[u8], &[u8]) = (b"\xb3\xf3dka\n", "łódka\n".as_bytes());
        assert_eq!(
            told(b"\xb3\xf3dka\n\xb3\xf3d\n", latin_2, utf8),
            None,
            "others read it as another encoding"
        );
        assert_eq!(
            told(b"\xff\x81b", binary, binary),
            Some(b"\xff\x81b".to_vec()),
            "the same is left as it is"
        );
    }
}
