//! Secrets looked for in anything that was written, in every form that a program may give them.

use std::collections::{BTreeSet, HashMap};

use super::alone::Dice;

/// A word drawn by lot; letters of both cases and digits.
pub fn drawn(dice: &mut Dice, length: usize) -> String {
    const LETTERS: &[u8] = b"ABCDEFGHJKLMNPQRSTUVWXYZ23456789abcdefghijkmnpqrstuvwxyz23456789";
    let letter = |dice: &mut Dice| char::from(LETTERS[usize::try_from(dice.roll(64)).unwrap()]);
    (0..length).map(|_| letter(dice)).collect()
}

/// Many values at once: as they are, their two ends, and as in base64, hexadecimal, URLs and JSON.
pub struct Needles(HashMap<[u8; 8], Vec<(usize, Vec<u8>)>>);

impl Needles {
    pub fn new<'a>(values: impl IntoIterator<Item = &'a str>) -> Self {
        let mut starts: HashMap<[u8; 8], Vec<(usize, Vec<u8>)>> = HashMap::new();
        for (n, value) in values.into_iter().enumerate() {
            for form in forms(value) {
                let start: [u8; 8] = form[..8].try_into().unwrap();
                starts.entry(start).or_default().push((n, form));
            }
        }
        Self(starts)
    }

    /// The numbers of the values that stand in these bytes.
    pub fn found(&self, bytes: &[u8]) -> BTreeSet<usize> {
        let mut found = BTreeSet::new();
        // Most bytes begin nothing: a table of the first two says so at once.
        let mut begins = vec![false; 1 << 16];
        for start in self.0.keys() {
            begins[usize::from(u16::from_le_bytes([start[0], start[1]]))] = true;
        }
        for at in 0..bytes.len().saturating_sub(7) {
            if begins[usize::from(u16::from_le_bytes([bytes[at], bytes[at + 1]]))] {
                let rest = &bytes[at..];
                let forms = self.0.get(&rest[..8]).into_iter().flatten();
                found.extend(forms.filter(|(_, form)| rest.starts_with(form)).map(|(n, _)| *n));
            }
        }
        found
    }
}

/// A value in every form; none shorter than eight bytes.
fn forms(value: &str) -> BTreeSet<Vec<u8>> {
    let bytes = value.as_bytes();
    let mut all = BTreeSet::from([bytes.to_vec()]);
    if bytes.len() >= 24 {
        all.insert(bytes[..14].to_vec());
        all.insert(bytes[bytes.len() - 14..].to_vec());
    }
    // Wherever it stands in a longer text, the middle of its base64 is one of three.
    for skipped in 0..3 {
        let whole = (bytes.len() - skipped) / 3 * 3;
        let text = base64(&bytes[skipped..skipped + whole]);
        all.insert(text.replace('+', "-").replace('/', "_").into_bytes());
        all.insert(text.into_bytes());
    }
    let hex: Vec<String> = bytes.iter().map(|b| format!("{b:02x}")).collect();
    all.insert(hex.concat().into_bytes());
    let plain = |b: &u8| b.is_ascii_alphanumeric() || b"-_.~".contains(b);
    let encoded = |b: &u8| if plain(b) { char::from(*b).to_string() } else { format!("%{b:02X}") };
    all.insert(bytes.iter().map(encoded).collect::<String>().into_bytes());
    all.insert(serde_json::to_string(value).unwrap().trim_matches('"').as_bytes().to_vec());
    all.retain(|form| form.len() >= 8);
    all
}

/// The standard alphabet, without the signs that fill up.
pub fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for three in bytes.chunks(3) {
        let number = three.iter().fold(0_usize, |n, b| n << 8 | usize::from(*b)) << (8 * (3 - three.len()));
        for place in 0..=three.len() {
            out.push(char::from(LETTERS[number >> (18 - 6 * place) & 63]));
        }
    }
    out
}
