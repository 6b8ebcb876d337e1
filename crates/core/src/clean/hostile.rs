//! Hostile texts for the sanitiser's tests: random bytes, code points, and real control sequences,
//! whole and cut off.
//!
//! Owns the generator; the tests, the long run and the screen's proof share it.

/// A small fixed-seed generator: fast, and the same everywhere.
pub struct Dice(pub u64);

impl Dice {
    /// From 0 to `sides` - 1.
    pub fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % sides as u64).unwrap()
    }

    /// One hostile text of up to eight pieces, put into `bytes`.
    pub fn hostile(&mut self, bytes: &mut Vec<u8>) {
        bytes.clear();
        for _ in 0..=self.roll(8) {
            match self.roll(4) {
                0 => bytes.push(u8::try_from(self.roll(256)).unwrap()),
                1 => {
                    let c = char::from_u32(u32::try_from(self.roll(0x11_0000)).unwrap()).unwrap_or('x');
                    bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                }
                2 => {
                    let s = SEQUENCES[self.roll(SEQUENCES.len())].as_bytes();
                    bytes.extend_from_slice(&s[..=self.roll(s.len())]);
                }
                _ => bytes.extend_from_slice(SEQUENCES[self.roll(SEQUENCES.len())].as_bytes()),
            }
        }
    }
}

/// Sequences that steer terminals, and what hides or turns text.
const SEQUENCES: &[&str] = &[
    "\x1b[31m",
    "\x1b[2J",
    "\x1b[10;10H",
    "\x1b]0;title\x07",
    "\x1b]7;file://x\x1b\\",
    "\x1b]8;;http://a\x1b\\",
    "\x1b]9;note\x07",
    "\x1b]52;c;YQ==\x07",
    "\x1b]133;A\x07",
    "\x1b]777;notify;a;b\x07",
    "\x1b]1337;File=:\x07",
    "\x1bP1$r\x1b\\",
    "\x1b_G\x1b\\",
    "\x1b^pm\x1b\\",
    "\x1bXsos\x1b\\",
    "\u{9b}31m",
    "\u{9d}0;t\u{9c}",
    "\u{90}q\u{9c}",
    "\x07",
    "\x08",
    "\r",
    "\n",
    "\r\n",
    "\t",
    "\x7f",
    "\u{85}",
    "\u{202e}",
    "\u{2066}",
    "\u{200b}",
    "\u{200d}",
    "\u{feff}",
    "\u{fe0f}",
    "\u{fe01}",
    "\u{e0041}",
    "\u{e0100}",
    "\u{301}",
    "\u{20dd}",
    "\u{ad}",
    "\u{2028}",
    "a",
    "ä",
    "漢",
    "👍🏽",
    "🇩🇪",
    " ",
];
