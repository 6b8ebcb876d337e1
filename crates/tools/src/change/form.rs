//! The form of a file that a change keeps: its encoding, its byte order mark, the ends of its lines.
//!
//! Owns what a text that was written in UTF-8 becomes in a file that is there.

use pilothouse_core::encoding::{Encoding, MARK};

use super::matching::Ending;

/// The bytes of a whole content in the place of `before`, what is proposed for a file by now, and what of its form they
/// keep, in words. The encoding is that of the file.
///
/// # Errors
/// Where the file is no text in an encoding that is known, or this cannot be put into it.
pub(super) fn keep(file: &[u8], before: &[u8], content: String) -> Result<(Vec<u8>, String), String> {
    let Some(encoding) = Encoding::of(file) else {
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
    let wide = matches!(encoding, Encoding::Utf16(_)).then_some("UTF-16");
    let kept = [
        crlf.then_some("CRLF"),
        marked.then_some("byte order mark"),
        (encoding == Encoding::Windows1252).then_some("encoding"),
        wide,
    ];
    let kept = match kept.into_iter().flatten().collect::<Vec<_>>().as_slice() {
        [] => String::new(),
        [one] => format!(", with its {one}"),
        [before @ .., last] => format!(", with its {} and {last}", before.join(", ")),
    };
    Ok((bytes(encoding, &content, file)?, kept))
}

/// What an edit makes of `before`, what is proposed for a file by now, and what it says besides. It is handed the encoding
/// of the file, if that is known, and the text of `before` in it.
///
/// # Errors
/// Those of the edit, and where what comes into it cannot be put into the file.
pub(super) fn edited<T>(
    file: &[u8],
    before: &[u8],
    edit: impl FnOnce(Option<Encoding>, &[u8]) -> Result<(Vec<u8>, T), String>,
) -> Result<(Vec<u8>, T), String> {
    let known = Encoding::of(file);
    let Some(encoding) = known.filter(|e| *e != Encoding::Utf8) else { return edit(known, before) };
    let (after, said) = edit(known, encoding.decode(before).as_bytes())?;
    let after = String::from_utf8(after)
        .map_err(|_| "an edit parts a character; quote whole lines in old".to_owned())?;
    Ok((bytes(encoding, &after, file)?, said))
}

/// The text in the encoding of a file.
fn bytes(encoding: Encoding, text: &str, file: &[u8]) -> Result<Vec<u8>, String> {
    encoding.encode(text, file).map_err(|why| {
        format!(
            "{why}; nothing was proposed: write it in ASCII or with characters that stand in the file, or convert the file to \
             UTF-8 by a command if the user wants that"
        )
    })
}
