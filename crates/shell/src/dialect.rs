//! What other shells than bash make of a text: `sh` is another one on many systems.
//!
//! Owns the forms that only bash and its kin know. Never judges.

/// Forms of bash's own, and what some shells take for a comment; without them the others read a text as bash does.
const FORMS: [&str; 11] = ["((", "&>", "|&", "$'", "$\"", "[[", "<<<", "+=", "<(", ">(", " #"];
/// Commands of bash's own, and variables that others do not set.
const WORDS: [&str; 10] =
    ["declare", "typeset", "mapfile", "readarray", "let", "source", "local", "select", "function", "shopt"];
const WITH_OPTIONS: [&str; 5] = ["printf -v", "read -a", "$RANDOM", "$SECONDS", "$UID"];

/// A text as a shell reads it that knows none of these forms: two subshells instead of arithmetic, `&` and a redirect, a
/// plain quote. `None` where it holds nothing that the shells read in two ways.
pub(super) fn as_plain(text: &str) -> Option<String> {
    let mut words = text.split(|c: char| c.is_whitespace() || ";&|(){}'\"`".contains(c));
    let differs = has_braces(text)
        || FORMS.iter().chain(&WITH_OPTIONS).any(|form| text.contains(form))
        || words.any(|word| WORDS.contains(&word));
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

/// Whether zsh expands what is plain text to bash, or a variable of its own is named that holds others.
pub(super) fn is_of_zsh(text: &str) -> bool {
    let mut words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    ["$=", "$~", "$^", "$+"].iter().any(|form| text.contains(form))
        || words.any(|word| matches!(word, "argv" | "ARGC" | "parameters"))
}

/// Whether braces stand in a word that bash makes several of.
fn has_braces(text: &str) -> bool {
    text.match_indices('{').any(|(at, _)| {
        let inner = text.get(at + 1..).unwrap_or("");
        let end = inner.find(|c: char| c.is_whitespace() || "}\"'".contains(c)).unwrap_or(inner.len());
        let choices = inner.get(..end).is_some_and(|choices| choices.contains(',') || choices.contains(".."));
        choices && !text.get(..at).is_some_and(|before| before.ends_with('$'))
    })
}

#[cfg(test)]
mod tests {
    use super::{as_plain, is_of_zsh};

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
        for text in [
            "cargo test && echo done",
            "cd a; make -j\"$(nproc)\"",
            "cargo test delete",
            "cd resources && pytest tests/test_resources.py",
            "cargo test 2>&1 | grep -v completed | tail -5",
            "cargo test 2>&1 | awk '{print $1, $2}'",
        ] {
            assert_eq!(as_plain(text), None, "{text}");
        }
    }

    #[test]
    fn what_only_zsh_expands_is_known() {
        for text in
            ["find notes $=x", "cat $~x", "cat $^x", "echo $+API", "argv=(a); ls $1", "echo $parameters[A]"]
        {
            assert!(is_of_zsh(text), "{text}");
        }
        for text in ["cargo test", "echo ${x=a} $x $1", "x=~/a; ls $x", "ls argvs"] {
            assert!(!is_of_zsh(text), "{text}");
        }
    }
}
