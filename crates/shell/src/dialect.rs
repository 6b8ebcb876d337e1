//! What other shells than bash make of a text: `sh` is another one on many systems.
//!
//! Owns the forms that only bash and its kin know. Never judges.

/// Forms of bash's own, and what some shells take for a comment; without them the others read a text as bash does.
const FORMS: [&str; 11] = ["((", "&>", "|&", "$'", "$\"", "[[", "<<<", "+=", "<(", ">(", " #"];
/// Commands of bash's own, and variables that others do not set.
const WORDS: [&str; 15] = [
    "declare",
    "typeset",
    "mapfile",
    "readarray",
    "let",
    "source",
    "printf -v",
    "read -a",
    "local",
    "select",
    "function",
    "shopt",
    "RANDOM",
    "SECONDS",
    "UID",
];

/// A text as a shell reads it that knows none of these forms: two subshells instead of arithmetic, `&` and a redirect, a
/// plain quote. `None` where it holds nothing that the shells read in two ways.
pub(super) fn as_plain(text: &str) -> Option<String> {
    let braces = text.contains('{') && text.contains([',', '.']);
    let differs = braces || FORMS.iter().chain(&WORDS).any(|form| text.contains(form));
    differs.then(|| {
        let mut out = String::with_capacity(text.len());
        let mut before = ' ';
        let mut signs = text.chars().peekable();
        while let Some(sign) = signs.next() {
            match (sign, signs.peek()) {
                ('(', Some('(')) if before != '$' => out.push_str("( "),
                ('&', Some('>')) => out.push_str("& "),
                ('$', Some('\'' | '"')) => {}
                _ => out.push(sign),
            }
            before = sign;
        }
        out
    })
}

#[cfg(test)]
mod tests {
    use super::as_plain;

    #[test]
    fn what_only_bash_knows_is_read_as_the_others_do() {
        for (text, plain) in [
            ("((rm -rf notes))", "( (rm -rf notes))"),
            ("echo &>/dev/null rm a", "echo & >/dev/null rm a"),
            ("echo $'a\\'; rm a #'", "echo 'a\\'; rm a #'"),
            ("echo $((1 + 2)) && [[ -f a ]]", "echo $((1 + 2)) && [[ -f a ]]"),
            ("sed {1,2} a", "sed {1,2} a"),
        ] {
            assert_eq!(as_plain(text).as_deref(), Some(plain), "{text}");
        }
        for text in ["cargo test && echo done", "cd a; make -j\"$(nproc)\"", "echo $((1+2))x"] {
            assert!(as_plain(text).is_none_or(|other| other == text), "{text}");
        }
    }
}
