//! What the shell evaluates as arithmetic: subscripts run what stands in them, names get values.
//!
//! Owns the reading of such texts. Never computes one.

use super::expand::{Field, UNKNOWN};
use super::path::is_secret_variable;
use super::syntax::Span;
use super::value::Value;
use super::walk::Walker;

/// Operators of `[[` whose operands are arithmetic or the names of variables.
const EVALUATING: [&str; 7] = ["-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-v"];

impl Walker<'_> {
    /// What `[[ ]]` and `(( ))` evaluate beyond the substitutions in them.
    pub(super) fn check_test(&mut self, texts: &[Field], arithmetic: bool) {
        let all = arithmetic;
        let arithmetic = arithmetic || texts.iter().any(|field| EVALUATING.contains(&field.text.as_str()));
        // Both sides of a comparison of numbers; `-v` only asks for a name.
        let compares =
            |f: Option<&Field>| f.is_some_and(|f| f.text != "-v" && EVALUATING.contains(&f.text.as_str()));
        for (at, field) in texts.iter().enumerate().filter(|_| arithmetic) {
            let beside = compares(texts.get(at + 1)) || at > 0 && compares(texts.get(at - 1));
            if all || beside {
                self.check_numbers(&field.text, field.span);
            }
            self.check_arithmetic(field);
        }
    }

    /// A text with a substitution inside of a subscript: whatever evaluates its name later (arithmetic, `[[ -v ]]`, an integer,
    /// a reference) runs that.
    pub(super) fn check_subscripts(&mut self, text: &str, span: Span) {
        if subscript_runs(text) {
            self.run_quoted(text, span);
        }
    }

    /// Arithmetic tells the value of a name that is no number in its error, and that of a name which stands in a value.
    pub(super) fn check_numbers(&mut self, text: &str, span: Span) {
        let names = |text: &str| -> Vec<String> {
            let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
            let named = words.filter(|n| n.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'));
            named.take(256).map(str::to_owned).collect()
        };
        let own = names(text);
        let held: Vec<String> = own.iter().flat_map(|name| self.texts_of(name)).flat_map(names).collect();
        for name in own.iter().chain(&held) {
            if self.value_of(name).is_none() && is_secret_variable(name) {
                self.hit("secret-variable", span);
            }
        }
    }

    /// What is said of a variable beside its value: that it is a number, or an array whose subscripts are texts.
    pub(super) fn note_kind(&mut self, flags: &str, variable: &str, value: Option<&Field>) {
        // Other kinds hold their values in another form, and the builtin may refuse to.
        self.memory.unsure.insert(variable.to_owned());
        if !flags.is_empty() {
            self.memory.odd.insert(variable.to_owned());
        }
        // What it stands for is named later.
        if flags.contains('n') {
            self.doubt_names();
        }
        if flags.contains('A') {
            self.memory.tables.insert(variable.to_owned());
        }
        if flags.contains('i') {
            self.memory.numbers.insert(variable.to_owned());
            if let Some(value) = value {
                self.check_numbers(&value.text, value.span);
            }
        }
    }

    /// A subscript, or the place at which a part begins, as it stands behind the name of a variable.
    pub(super) fn check_part(&mut self, text: &str, span: Span) {
        if text.starts_with(['[', ':']) {
            self.check_numbers(text, span);
        }
        if text.starts_with(['[', ':']) {
            self.check_arithmetic(&Field::plain(text, span));
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
