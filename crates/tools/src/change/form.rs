//! The form of a file that a change keeps: its encoding, its byte order mark, the ends of its lines.
//!
//! Owns what a text that was written in UTF-8 becomes in a file that is there.

use pilothouse_core::encoding::Encoding;

use super::matching::Ending;

/// The mark of byte order with which some texts begin.
const MARK: char = '\u{feff}';

/// The bytes of a whole content in the place of `before`, and what of its form they keep, in words.
///
/// # Errors
/// Where `before` is no text in an encoding that is known, or has a character of the content not.
pub(super) fn keep(before: &[u8], content: String) -> Result<(Vec<u8>, String), String> {
    let Some(encoding) = Encoding::of(before) else {
        return Err("it is not UTF-8, and as a whole it would be: bytes that you were shown as � would be lost. \
                    Change the lines you mean with edit, which leaves all others as they are, or convert it by a command"
            .to_owned());
    };
    let before = encoding.decode(before);
    // Who writes ends of their own means them.
    let crlf = !content.contains('\r') && Ending::of(before.as_bytes()) == Some(Ending::CrLf);
    let crlf = crlf && content.contains('\n');
    let content = if crlf { Ending::CrLf.write(&content) } else { content };
    let marked = before.starts_with(MARK) && !content.starts_with(MARK);
    let content = if marked { format!("{MARK}{content}") } else { content };
    let kept = [crlf.then_some("CRLF"), marked.then_some("byte order mark"), encoding.name()];
    let kept = match kept.into_iter().flatten().collect::<Vec<_>>().as_slice() {
        [] => String::new(),
        [one] => format!(", with its {one}"),
        [before @ .., last] => format!(", with its {} and {last}", before.join(", ")),
    };
    Ok((bytes(encoding, &content)?, kept))
}

/// What an edit of the text of a file makes of its bytes, and what the edit says besides.
///
/// # Errors
/// Those of the edit, and where the encoding of the file has a character not that comes into it.
pub(super) fn edited<T>(
    before: &[u8],
    edit: impl FnOnce(&[u8]) -> Result<(Vec<u8>, T), String>,
) -> Result<(Vec<u8>, T), String> {
    let Some(encoding) = Encoding::of(before).filter(|e| e.name().is_some()) else { return edit(before) };
    let (after, said) = edit(encoding.decode(before).as_bytes())?;
    let after = String::from_utf8(after).map_err(|_| "an edit parts a character".to_owned())?;
    Ok((bytes(encoding, &after)?, said))
}

/// The text in this encoding.
fn bytes(encoding: Encoding, text: &str) -> Result<Vec<u8>, String> {
    encoding.encode(text).map_err(|c| {
        let name = encoding.name().unwrap_or("UTF-8");
        format!(
            "{c} (U+{:04X}) is not in {name}, the encoding of the file; nothing was proposed: use another, or convert the \
             file by a command if the user wants that",
            u32::from(c)
        )
    })
}
