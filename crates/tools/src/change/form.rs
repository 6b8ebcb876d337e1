//! The form of a file that a whole new content keeps: its encoding, its byte order mark, the ends of its lines.
//!
//! Owns what a content that was written as plain text becomes in the place of one that is there.

use super::matching::Ending;

/// The mark of byte order with which some texts in UTF-8 begin.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// The bytes of a whole content in the place of `before`, and what of its form they keep, in words.
///
/// # Errors
/// Where `before` is a text in another encoding, which the content would not be.
pub(super) fn keep(before: &[u8], content: String) -> Result<(Vec<u8>, &'static str), String> {
    if std::str::from_utf8(before).is_err() {
        return Err("it is not UTF-8, and as a whole it would be: bytes that you were shown as � would be lost. \
                    Change the lines you mean with edit, which leaves all others as they are, or convert it by a command"
            .to_owned());
    }
    // Who writes ends of their own means them.
    let crlf = !content.contains('\r') && Ending::of(before) == Some(Ending::CrLf);
    let crlf = crlf && content.contains('\n');
    let content = if crlf { Ending::CrLf.write(&content) } else { content }.into_bytes();
    let marked = before.starts_with(MARK) && !content.starts_with(MARK);
    let kept = match (crlf, marked) {
        (true, true) => ", with its CRLF and byte order mark",
        (true, false) => ", with its CRLF",
        (false, true) => ", with its byte order mark",
        (false, false) => "",
    };
    Ok((if marked { [MARK, &content].concat() } else { content }, kept))
}
