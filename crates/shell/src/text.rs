//! Characters that deceive: invisible ones, those that turn the writing direction, control characters.
//!
//! Owns the lists. Text inside quotes is data and is never looked at here.

use super::expand::UNKNOWN;
use super::syntax::Span;
use super::walk::Walker;

/// Whether a character is not seen, or changes how its neighbours are seen.
fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}'
    )
}

/// Characters that turn the direction of what follows.
fn turns(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{61c}')
}

impl Walker<'_> {
    /// Text written without quotes.
    pub(super) fn check_bare(&mut self, text: &str, span: Span) {
        if text.is_ascii() && !text.bytes().any(|b| b.is_ascii_control()) {
            return;
        }
        let bad = text
            .chars()
            .any(|c| c != UNKNOWN && c.is_control() || is_invisible(c) || !c.is_ascii() && c.is_whitespace());
        let dash = text.chars().next().is_some_and(|c| {
            matches!(c, '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' | '\u{ff0d}')
        });
        if bad || dash {
            self.hit("look-alike", span);
        }
    }

    /// Comments may not turn the direction of the line around them.
    pub(super) fn check_comments(&mut self, line: &str) {
        if line.is_ascii() || !line.contains('#') {
            return;
        }
        for (at, _) in line.match_indices(" #") {
            let rest = line.get(at..).and_then(|r| r.split('\n').next()).unwrap_or("");
            let quotes = line.get(..at).unwrap_or("").chars().filter(|c| matches!(c, '\'' | '"')).count();
            if quotes % 2 == 0 && rest.chars().any(turns) {
                self.hit("look-alike", Span { start: at, end: at + rest.len() });
            }
        }
    }
}
