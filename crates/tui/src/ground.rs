//! What the terminal says of its background, so that a light one gets the light colours.
//!
//! Owns the question and the reading of its answer, which comes among the keys. Nothing waits for it: the screen is drawn
//! before it is asked, and drawn again if the guess was wrong.

/// Asks for the background colour.
pub const QUESTION: &str = "\x1b]11;?\x07";

/// Whether the background is dark, where a string of the terminal's, without its ends, says so.
pub fn dark(answer: &[u8]) -> Option<bool> {
    luma(std::str::from_utf8(answer).ok()?).map(|luma| luma < 0.5)
}

/// How bright `11;rgb:RRRR/GGGG/BBBB` is, 0 to 1.
fn luma(answer: &str) -> Option<f32> {
    let mut parts = answer.strip_prefix("11;rgb:")?.split('/').map(|part| {
        let most = (1..=4).contains(&part.len()).then(|| (1_u32 << (4 * part.len())) - 1)?;
        let value = u16::from_str_radix(part, 16).ok()?;
        Some(f32::from(value) / f32::from(u16::try_from(most).ok()?))
    });
    let (red, green, blue) = (parts.next()??, parts.next()??, parts.next()??);
    parts.next().is_none().then_some(0.299 * red + 0.587 * green + 0.114 * blue)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_of_all_widths_are_read() {
        assert_eq!(dark(b"11;rgb:fafa/fafa/fafa"), Some(false));
        assert_eq!(dark(b"11;rgb:1010/1010/1414"), Some(true));
        assert_eq!(dark(b"11;rgb:FF/ff/e0"), Some(false));
        assert_eq!(dark(b"11;rgb:0/0/0"), Some(true));
    }

    #[test]
    fn what_is_no_answer_says_nothing() {
        for text in ["", "11;x", "11;rgb:zz/00/00", "11;rgb:0/0", "11;rgb:0/0/0/0", "10;rgb:0/0/0"] {
            assert_eq!(dark(text.as_bytes()), None, "{text}");
        }
    }
}
