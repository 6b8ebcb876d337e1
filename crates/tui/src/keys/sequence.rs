//! What the bytes of one key or report of the terminal mean.
//!
//! Owns the encodings: control characters, UTF-8, CSI, SS3, Alt as a leading ESC, the kitty protocol's
//! `CSI … u`, and the wheel as SGR reports it. Never keeps anything and never looks at time.

use crossterm::event::{
    Event, KeyCode, KeyEvent, KeyEventKind, KeyEventState, KeyModifiers, MouseEvent, MouseEventKind,
};

use crate::ground;

/// The byte that begins every sequence, and is a key when nothing follows.
pub const ESC: u8 = 0x1b;
/// No sequence that means anything here is longer.
const LONGEST: usize = 64;
/// No answer of a terminal is longer.
const LONGEST_ANSWER: usize = 8 * 1024;

/// What the bytes so far are.
#[derive(Debug, PartialEq, Eq)]
pub enum Found {
    /// The beginning of something.
    More,
    /// This; nothing when it means nothing here.
    Done(Option<Event>),
    /// This, without the last byte, which begins something new.
    Before(Option<Event>),
    /// An answer of the terminal; of its background, whether that is dark.
    Answer(Option<bool>),
    /// The mark that begins a paste.
    PasteStart,
    /// The mark that ends a paste.
    PasteEnd,
}

/// Reads the bytes since the last thing found; to be asked after every byte.
pub fn read(bytes: &[u8]) -> Found {
    match bytes {
        [] | [ESC] | [ESC, b'O'] => Found::More,
        [ESC, ESC] => Found::Before(Some(key(KeyCode::Esc))),
        [ESC, b'[', rest @ ..] => csi(rest),
        [ESC, kind @ (b']' | b'P' | b'_' | b'^' | b'X'), rest @ ..] => answer(*kind, rest),
        [ESC, b'O', last] => {
            let alt = KeyModifiers::ALT | KeyModifiers::SHIFT;
            let other = || Found::Before(Some(with(KeyCode::Char('O'), alt)));
            cursor(*last).map_or_else(other, |code| Found::Done(Some(key(code))))
        }
        [ESC, rest @ ..] => match plain(rest) {
            Found::Done(Some(Event::Key(mut key))) => {
                key.modifiers |= KeyModifiers::ALT;
                Found::Done(Some(Event::Key(key)))
            }
            found @ (Found::More
            | Found::Done(_)
            | Found::Before(_)
            | Found::Answer(_)
            | Found::PasteStart
            | Found::PasteEnd) => found,
        },
        _ => plain(bytes),
    }
}

/// What a terminal answers, asked or not, as a string with an end of its own: nothing of it is a key. Who holds Alt
/// and types goes on with neither at once.
fn answer(kind: u8, rest: &[u8]) -> Found {
    let begins = |first: u8| match kind {
        b']' => first.is_ascii_digit(),
        b'P' => first.is_ascii_digit() || b">+$!|".contains(&first),
        _ => first.is_ascii_alphanumeric(),
    };
    match rest {
        [] => Found::More,
        [first] if !begins(*first) => Found::Before(Some(alt(kind))),
        [text @ .., 0x07] | [text @ .., ESC, _] => {
            Found::Answer(if kind == b']' { ground::dark(text) } else { None })
        }
        [.., ESC] => Found::More,
        // A control character is a key again.
        [.., 0x00..=0x1f] => Found::Before(None),
        _ if rest.len() < LONGEST_ANSWER => Found::More,
        _ => Found::Answer(None),
    }
}

/// What it is that was begun, if nothing follows: a key, or nothing.
pub fn alone(bytes: &[u8]) -> Option<Event> {
    match bytes {
        [ESC] => Some(key(KeyCode::Esc)),
        [ESC, kind] => Some(alt(*kind)),
        _ => None,
    }
}

/// Whether it is over by itself when nothing follows soon.
pub const fn waits(bytes: &[u8]) -> bool {
    matches!(bytes, [ESC] | [ESC, b']' | b'P' | b'_' | b'^' | b'X', ..])
}

/// A character with Alt.
fn alt(c: u8) -> Event {
    let shift = if c.is_ascii_uppercase() { KeyModifiers::SHIFT } else { KeyModifiers::NONE };
    with(KeyCode::Char(char::from(c)), KeyModifiers::ALT | shift)
}

fn key(code: KeyCode) -> Event {
    with(code, KeyModifiers::NONE)
}

fn with(code: KeyCode, modifiers: KeyModifiers) -> Event {
    Event::Key(KeyEvent::new(code, modifiers))
}

/// A character, or one with Control.
fn plain(bytes: &[u8]) -> Found {
    let ctrl = |first: u8, byte: u8| {
        with(KeyCode::Char(char::from(byte.wrapping_add(first))), KeyModifiers::CONTROL)
    };
    let event = match bytes {
        [b'\r'] => key(KeyCode::Enter),
        [b'\t'] => key(KeyCode::Tab),
        [0x7f] => key(KeyCode::Backspace),
        [0] => with(KeyCode::Char(' '), KeyModifiers::CONTROL),
        [byte @ 0x01..=0x1a] => ctrl(b'a' - 1, *byte),
        [byte @ 0x1c..=0x1f] => ctrl(b'4' - 0x1c, *byte),
        _ => return character(bytes),
    };
    Found::Done(Some(event))
}

fn character(bytes: &[u8]) -> Found {
    match std::str::from_utf8(bytes) {
        Ok(text) => Found::Done(text.chars().next().map(|c| {
            with(KeyCode::Char(c), if c.is_uppercase() { KeyModifiers::SHIFT } else { KeyModifiers::NONE })
        })),
        Err(error) if error.error_len().is_none() => Found::More,
        // What does not go on with what was begun is looked at by itself.
        Err(_) if bytes.len() > 1 => Found::Before(None),
        Err(_) => Found::Done(None),
    }
}

/// What follows `ESC [`.
fn csi(rest: &[u8]) -> Found {
    match rest {
        [] | [b'['] => Found::More,
        // The console of Linux sends F1 to F5 so.
        [b'[', n @ b'A'..=b'E'] => Found::Done(Some(key(KeyCode::F(n - b'A' + 1)))),
        // A mouse that nobody asked for: three bytes follow, whatever they are.
        [b'M', ..] if rest.len() < 4 => Found::More,
        [b'M', ..] => Found::Done(None),
        [b'<', params @ .., b'M'] => Found::Done(std::str::from_utf8(params).ok().and_then(wheel)),
        [b'<', .., b'm'] => Found::Done(None),
        [params @ .., last @ 0x40..=0x7e] => {
            let params = std::str::from_utf8(params).unwrap_or_default();
            finished(&Params::of(params), *last, params.is_empty())
        }
        [.., 0x20..=0x3f] if rest.len() < LONGEST => Found::More,
        [.., 0x20..=0x3f] => Found::Done(None),
        _ => Found::Before(None),
    }
}

/// `button;column;row` of a wheel that was turned up or down; other buttons mean nothing here.
fn wheel(params: &str) -> Option<Event> {
    /// The bits of Shift, Alt and Control.
    const HELD: u16 = 4 | 8 | 16;
    let mut numbers = params.split(';').map(|n| n.parse::<u16>().ok());
    let mut next = || numbers.next().flatten();
    let (button, column, row) = (next()?, next()?, next()?);
    let kind = match button & !HELD {
        64 => MouseEventKind::ScrollUp,
        65 => MouseEventKind::ScrollDown,
        _ => return None,
    };
    // The terminal counts from 1.
    let (column, row) = (column.saturating_sub(1), row.saturating_sub(1));
    Some(Event::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE }))
}

/// The numbers of a sequence: what it is, with which modifiers, and whether it was let go.
#[derive(Default)]
struct Params {
    number: Option<u32>,
    shifted: Option<char>,
    mask: u8,
    kind: u8,
}

impl Params {
    fn of(text: &str) -> Self {
        let mut fields = text.split(';').map(|field| field.split(':').map(str::parse::<u32>));
        let mut first = fields.next().into_iter().flatten().map(Result::ok);
        let mut second = fields.next().into_iter().flatten().map(Result::ok);
        let small = |n: Option<Option<u32>>| n.flatten().and_then(|n| u8::try_from(n).ok()).unwrap_or(1);
        Self {
            number: first.next().flatten(),
            shifted: first.next().flatten().and_then(char::from_u32),
            mask: small(second.next()).saturating_sub(1),
            kind: small(second.next()),
        }
    }

    fn modifiers(&self) -> KeyModifiers {
        // The protocol counts the bits in this order.
        [
            KeyModifiers::SHIFT,
            KeyModifiers::ALT,
            KeyModifiers::CONTROL,
            KeyModifiers::SUPER,
            KeyModifiers::HYPER,
            KeyModifiers::META,
        ]
        .into_iter()
        .enumerate()
        .filter(|(bit, _)| self.mask >> bit & 1 == 1)
        .fold(KeyModifiers::NONE, |all, (_, one)| all | one)
    }

    fn key(&self, code: KeyCode, more: KeyModifiers, state: KeyEventState) -> Event {
        let kind = match self.kind {
            2 => KeyEventKind::Repeat,
            3 => KeyEventKind::Release,
            _ => KeyEventKind::Press,
        };
        let modifiers = self.modifiers() | more;
        Event::Key(KeyEvent::new_with_kind_and_state(code, modifiers, kind, state))
    }
}

/// A CSI sequence with its last byte.
fn finished(params: &Params, last: u8, bare: bool) -> Found {
    let none = (KeyModifiers::NONE, KeyEventState::NONE);
    let code = match last {
        b'~' => match params.number {
            Some(200) => return Found::PasteStart,
            Some(201) => return Found::PasteEnd,
            Some(number) => numbered(number),
            None => None,
        },
        b'u' => return Found::Done(unicode(params)),
        b'I' if bare => return Found::Done(Some(Event::FocusGained)),
        b'O' if bare => return Found::Done(Some(Event::FocusLost)),
        b'Z' => {
            return Found::Done(Some(params.key(KeyCode::BackTab, KeyModifiers::SHIFT, none.1)));
        }
        // An answer about the caret looks like F3; it is never asked for, and nobody sends F3 so.
        b'R' => None,
        _ => cursor(last),
    };
    Found::Done(code.map(|code| params.key(code, none.0, none.1)))
}

/// The keys that end in a letter.
fn cursor(last: u8) -> Option<KeyCode> {
    Some(match last {
        b'A' => KeyCode::Up,
        b'B' => KeyCode::Down,
        b'C' => KeyCode::Right,
        b'D' => KeyCode::Left,
        b'F' => KeyCode::End,
        b'H' => KeyCode::Home,
        n @ b'P'..=b'S' => KeyCode::F(n - b'P' + 1),
        _ => return None,
    })
}

/// The keys that end in `~`.
fn numbered(number: u32) -> Option<KeyCode> {
    let f = |less: u32| u8::try_from(number - less).ok().map(KeyCode::F);
    match number {
        1 | 7 => Some(KeyCode::Home),
        2 => Some(KeyCode::Insert),
        3 => Some(KeyCode::Delete),
        4 | 8 => Some(KeyCode::End),
        5 => Some(KeyCode::PageUp),
        6 => Some(KeyCode::PageDown),
        11..=15 => f(10),
        17..=21 => f(11),
        23..=26 => f(12),
        28..=29 => f(15),
        31..=34 => f(17),
        _ => None,
    }
}

/// `CSI number ; modifiers u`.
fn unicode(params: &Params) -> Option<Event> {
    let number = params.number?;
    if let Some(code) = keypad(number) {
        return Some(params.key(code, KeyModifiers::NONE, KeyEventState::KEYPAD));
    }
    // The rest of the private area are keys that do nothing by themselves, such as Shift.
    if let Some(n) = number.checked_sub(57_376).filter(|n| *n <= 22) {
        let code = KeyCode::F(u8::try_from(n).ok()? + 13);
        return Some(params.key(code, KeyModifiers::NONE, KeyEventState::NONE));
    }
    if (57_344..=63_743).contains(&number) {
        return None;
    }
    let shift = params.modifiers().contains(KeyModifiers::SHIFT);
    let code = match char::from_u32(number)? {
        '\x1b' => KeyCode::Esc,
        '\r' => KeyCode::Enter,
        '\t' if shift => KeyCode::BackTab,
        '\t' => KeyCode::Tab,
        '\x7f' => KeyCode::Backspace,
        c => KeyCode::Char(params.shifted.filter(|_| shift).unwrap_or(c)),
    };
    Some(params.key(code, KeyModifiers::NONE, KeyEventState::NONE))
}

fn keypad(number: u32) -> Option<KeyCode> {
    const CHARS: &str = "0123456789./*-+";
    const REST: [KeyCode; 14] = [
        KeyCode::Enter,
        KeyCode::Char('='),
        KeyCode::Char(','),
        KeyCode::Left,
        KeyCode::Right,
        KeyCode::Up,
        KeyCode::Down,
        KeyCode::PageUp,
        KeyCode::PageDown,
        KeyCode::Home,
        KeyCode::End,
        KeyCode::Insert,
        KeyCode::Delete,
        KeyCode::KeypadBegin,
    ];
    let at = usize::try_from(number.checked_sub(57_399)?).ok()?;
    let rest = || REST.get(at.checked_sub(CHARS.len())?).copied();
    CHARS.chars().nth(at).map(KeyCode::Char).or_else(rest)
}
