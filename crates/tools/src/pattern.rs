//! Which names a pattern of a line may fit.
//!
//! Owns the comparison. What a line's reader hands on has lost its quotes, and shells, programs and languages read
//! patterns in ways of their own: whatever any of them may mean fits.

use pilothouse_core::shell;

/// What stands before a name that is looked for at any depth.
pub(crate) const DEEP: &str = "***";
/// What stands in a path of a line for what the line does not show.
pub(crate) const UNKNOWN: char = '\u{1a}';
/// A longer pattern is not compared.
const MOST_BYTES: usize = 200;
const QUOTES: [char; 3] = ['\\', '\'', '"'];
const OPENING: [char; 4] = ['[', '\\', '\'', '"'];

/// Whether a path, or a part of one, may mean more than what it spells: a shell expands what a command printed or a
/// variable holds once more, and others take quotes away. Braces are spelled out by the reader.
pub(crate) fn is_pattern(path: &str) -> bool {
    path.contains(['*', '?', '[', '\\', '\'', '"', UNKNOWN])
}

/// Whether a part of a path stands for names at any depth, as some shells read it.
pub(crate) fn is_deep(part: &str) -> bool {
    part.contains("**")
}

/// Whether a name may fit a pattern; what only a shell can tell may be anything.
pub(crate) fn fits(pattern: &str, name: &str) -> bool {
    let deep = pattern.strip_prefix(DEEP).map(|rest| format!("*{rest}"));
    let pattern = deep.as_deref().unwrap_or(pattern);
    if pattern.contains(['{', '(', UNKNOWN]) || pattern.len() > MOST_BYTES {
        return true;
    }
    // Letters that are not ASCII have several spellings, and where one counts as several a `?` is a part of it.
    let any = |c: char| if c.is_ascii() && (c != '?' || name.is_ascii()) { c } else { '*' };
    let loose: String = without_classes(pattern).chars().map(any).collect();
    let name: String = name.chars().flat_map(char::to_uppercase).flat_map(char::to_lowercase).collect();
    shell::glob(&loose, &name)
}

/// A pattern without what is between its first bracket, backslash or quote and its last: where a class of characters
/// ends, and whether it is one, depends on who reads it. At least one character stands there, but maybe none where
/// something is quoted.
fn without_classes(pattern: &str) -> String {
    let Some((head, rest)) = pattern.find(OPENING).and_then(|at| pattern.split_at_checked(at)) else {
        return pattern.to_owned();
    };
    let tail = match rest.char_indices().rev().find(|(_, c)| *c == ']' || QUOTES.contains(c)) {
        Some((at, ']' | '\'' | '"')) => rest.get(at + 1..).unwrap_or_default(),
        Some((at, _)) => {
            let mut after = rest.get(at + 1..).unwrap_or_default().chars();
            after.next();
            after.as_str()
        }
        None => "",
    };
    let some = if rest.contains(QUOTES) || !rest.contains(']') { "*" } else { "?*" };
    format!("{head}{some}{tail}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_a_pattern_may_mean_fits() {
        for (pattern, name, want) in [
            ("*.py[co]", "a.pyc", true),
            ("*.py[co]", "a.py", false),
            ("***a.priv", "a.priv", true),
            ("[[:alpha:]]*.priv", "notes.priv", true),
            ("[[.n.]]otes.priv", "notes.priv", true),
            ("[[=n=]]otes.priv", "notes.priv", true),
            ("[!]]otes.priv", "notes.priv", true),
            ("[a\\]n]*.priv", "notes.priv", true),
            ("note\\s.priv", "notes.priv", true),
            ("note\\s.priv", "note\\s.priv", true),
            ("notes.priv\\", "notes.priv", true),
            // `'[a]'?`, `[a']'b]`, `[a'][b']`: quotes are gone.
            ("[a]?.priv", "[a]x.priv", true),
            ("[a]b].priv", "b.priv", true),
            ("[a][b].priv", "b.priv", true),
            ("rows.[ct", "rows.[ct", true),
            // `xargs` takes quotes away.
            ("no\"te\"s.priv", "notes.priv", true),
            ("it's.priv", "it's.priv", true),
            ("it's.priv", "is.priv", false),
            ("{a,b}", "b", true),
            ("@(a|b)", "b", true),
            ("NOTES.*", "notes.priv", true),
            ("??.priv", "é.priv", true),
            ("é.priv", "e\u{301}.priv", true),
            ("KIS.priv", "\u{212a}\u{131}\u{17f}.priv", true),
            ("*.pyc", "é.priv", false),
            ("*.pyc", "notes.priv", false),
            ("[ab]*.pyc", "notes.priv", false),
        ] {
            assert_eq!(fits(pattern, name), want, "{pattern} {name}");
        }
        assert!(fits(&format!("{}n*.priv", "*".repeat(300)), "notes.priv"));
    }
}
