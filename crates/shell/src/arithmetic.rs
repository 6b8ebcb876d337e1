//! What the shell evaluates as arithmetic: subscripts run what stands in them, names get values.
//!
//! Owns the reading of such texts. Never computes one.

use super::expand::{Field, UNKNOWN, Value};
use super::syntax::Span;
use super::walk::Walker;

impl Walker<'_> {
    /// A text with a substitution inside of a subscript: whatever evaluates its name later (arithmetic, `[[ -v ]]`, an integer,
    /// a reference) runs that.
    pub(super) fn check_subscripts(&mut self, text: &str, span: Span) {
        if subscript_runs(text) {
            self.run_quoted(text, span);
        }
    }

    /// Arithmetic evaluates the subscripts that it finds in its text, and in the values of the names there.
    pub(super) fn check_arithmetic(&mut self, field: &Field) {
        let (text, span) = (field.text.as_str(), field.span);
        let runs = |text: &str| text.contains("$(") || text.contains('`');
        let names = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).filter(|n| !n.is_empty());
        let names: Vec<String> = names.take(256).map(str::to_owned).collect();
        let open = |name: &String| self.value_of(name).is_some_and(|v| v.text.contains(UNKNOWN) && !v.number);
        let data = field.data || names.iter().any(|name| self.is_assigned(name) && open(name));
        self.doubt_number(data);
        let values = names.iter().flat_map(|name| self.texts_of(name)).map(str::to_owned);
        let held: Vec<String> = values.chain([text.to_owned()]).collect();
        for text in held.iter().filter(|text| runs(text)) {
            self.hit("hidden-run", span);
            self.run_quoted(text, span);
        }
        let changes = text.replace("==", "").replace("!=", "").replace("<=", "").replace(">=", "");
        if changes.contains('=') || changes.contains("++") || changes.contains("--") {
            for name in &names {
                self.judge_setting(name, "1", span);
                if self.is_assigned(name) || self.is_given(name) {
                    self.assign(name, Value { number: true, ..Value::unknown() });
                }
            }
        }
    }
}

/// Whether a substitution stands inside of a subscript of a name. What follows the first one is nested in it at least as
/// deep as in any later one, so that its depth alone says so.
fn subscript_runs(text: &str) -> bool {
    let (mut named, mut depth, mut last) = (false, 0usize, ' ');
    text.chars().any(|c| {
        match c {
            '[' => {
                named |= last.is_ascii_alphanumeric() || last == '_';
                depth += usize::from(named);
            }
            ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        let runs = depth > 0 && (c == '`' || c == '(' && last == '$');
        last = c;
        runs
    })
}
