//! Arguments that are JSON but for a slip: a comma before a bracket, a line break within a text, a fence around it.
//!
//! Owns which slips have one meaning. Whatever is cut off, or is no JSON in any way, stays as it is.

/// Words of another language for values, and what JSON calls them.
const WORDS: [(&str, &str); 3] = [("True", "true"), ("False", "false"), ("None", "null")];

/// The text without such slips; `None` where there are none.
pub(super) fn mended(text: &str) -> Option<String> {
    let bare = unfenced(text);
    let mut out = String::with_capacity(bare.len());
    let mut rest = bare;
    while let Some(c) = rest.chars().next() {
        let taken = match c {
            '"' => quoted(rest, &mut out),
            ',' => {
                let closes = rest.get(1..).is_some_and(|next| next.trim_start().starts_with(['}', ']']));
                if !closes {
                    out.push(c);
                }
                1
            }
            _ if c.is_alphabetic() => word(rest, &mut out),
            _ => {
                out.push(c);
                c.len_utf8()
            }
        };
        rest = rest.get(taken..).unwrap_or_default();
    }
    (out != text).then_some(out)
}

/// Without a fence around it.
fn unfenced(text: &str) -> &str {
    let fenced = || {
        let (opening, inner) = text.trim().strip_prefix("```")?.split_once('\n')?;
        let inner = inner.trim_end().strip_suffix("```")?;
        opening.trim().bytes().all(|b| b.is_ascii_alphabetic()).then_some(inner)
    };
    fenced().unwrap_or(text)
}

/// Takes a quoted text over, its control characters escaped; how many bytes it has.
fn quoted(text: &str, out: &mut String) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            '\n' if !escaped => out.push_str("\\n"),
            '\r' if !escaped => out.push_str("\\r"),
            '\t' if !escaped => out.push_str("\\t"),
            _ => out.push(c),
        }
        if c == '"' && !escaped && at > 0 {
            return at + 1;
        }
        escaped = c == '\\' && !escaped;
    }
    text.len()
}

/// Takes a bare word over, by the name that JSON has for it; how many bytes it has.
fn word(text: &str, out: &mut String) -> usize {
    let len = text.find(|c: char| !c.is_alphanumeric()).unwrap_or(text.len());
    let word = text.get(..len).unwrap_or_default();
    out.push_str(WORDS.iter().find(|(other, _)| *other == word).map_or(word, |(_, own)| own));
    len
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_with_one_meaning_is_mended_and_what_is_cut_off_or_right_is_let_be() {
        for (text, meant) in [
            (r#"{"path": "a", }"#, r#"{"path": "a" }"#),
            (r#"{"edits": [{"old": "x",}, ]}"#, r#"{"edits": [{"old": "x"} ]}"#),
            ("{\"content\": \"a\nb\tc\"}", r#"{"content": "a\nb\tc"}"#),
            (r#"{"all": True, "to": None}"#, r#"{"all": true, "to": null}"#),
            ("```json\n{\"path\": \"a\"}\n```", "{\"path\": \"a\"}\n"),
        ] {
            assert_eq!(mended(text).as_deref(), Some(meant), "{text}");
        }
        for text in
            [r#"{"path": "a, }"}"#, r#"{"path": "True"}"#, r#"{"path": "a\"b,"}"#, r#"{"path": "a"#, "", "{}"]
        {
            assert_eq!(mended(text), None, "{text}");
        }
        assert!(
            serde_json::from_str::<serde_json::Value>(&mended("{\"a\": \"\\\n\"}").unwrap_or_default())
                .is_err()
        );
    }
}
