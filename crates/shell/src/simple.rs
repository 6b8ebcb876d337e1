//! One simple command: what is set for it, its words, then who judges it.
//!
//! Owns assignments and how long they last. Never judges a program.

use super::cut::Listed;
use super::expand::{Feed, UNKNOWN};
use super::parse;
use super::shell;
use super::syntax::{Assign, Piece, Span, Word};
use super::value::{Made, Value};
use super::walk::Walker;

impl Walker<'_> {
    pub(super) fn simple(&mut self, assigns: &[Assign], words: &[Word], span: Span, feed: Feed) -> Feed {
        let lone = words.is_empty();
        let mut settings = Vec::new();
        let before = (self.steered, self.lasting);
        for assign in assigns {
            let value = self.assigned(assign);
            self.judge_setting(&assign.name, &value.text, self.place_of(assign.span));
            if !value.spelled {
                self.judge_setting(&assign.name, &UNKNOWN.to_string(), self.place_of(assign.span));
            }
            if lone {
                // Elsewhere it may not happen, or only for a while.
                let own = self.memory.list_depth == 1;
                let list = self.value_of(&assign.name).is_some_and(|old| !old.list.is_empty());
                self.assign(&assign.name, Value { spelled: value.spelled && own, ..value });
                let whole = !assign.append && !assign.element && !list;
                if own && whole && self.maybe == 0 && self.unredirected && !self.is_fixed(&assign.name) {
                    self.memory.unsure.remove(&assign.name);
                }
                continue;
            }
            self.note_given(&assign.name, &value.text);
            settings.push((assign.name.clone(), value));
        }
        if lone && assigns.is_empty() {
            return self.printed_by_redirect(feed);
        }
        if lone {
            return Feed::Inherit;
        }
        let tests = words.first().and_then(parse::bare).is_some_and(|name| matches!(name, "[" | "test"));
        let testing = self.testing;
        // What is compared as a number is printed where it is none.
        self.testing |= tests && !self.shows_tested(words);
        let argv = self.fields(words);
        self.testing = testing;
        if argv.is_empty() {
            return Feed::Inherit;
        }
        if settings.is_empty() {
            return self.dispatch(&argv, span, feed);
        }
        let name = argv.first().map_or("", |f| f.text.as_str());
        if shell::declares(name) {
            let out = self.dispatch(&argv, span, feed);
            for (name, value) in settings {
                let _ = self.localize(&name);
                self.assign(&name, value);
            }
            return out;
        }
        if shell::keeps_settings(name) {
            return self.with_settings(settings, true, |w| w.dispatch(&argv, span, feed));
        }
        self.given_for(before, |w| w.with_settings(settings, false, |w| w.dispatch(&argv, span, feed)))
    }

    /// Whether more comes of a test than its end: a trace, an error that quotes what is no number, what a pattern found.
    pub(super) fn shows_tested(&self, words: &[Word]) -> bool {
        let shows = |operator: &str| match operator {
            "=~" => self.line().contains("BASH_REMATCH"),
            "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge" => true,
            _ => false,
        };
        self.memory.traces || words.iter().filter_map(parse::bare).any(shows)
    }

    /// What `$(<file)` stands for: a redirect without a command prints the file.
    fn printed_by_redirect(&self, feed: Feed) -> Feed {
        match feed {
            Feed::File(name) if self.was_fetched(&name) => Feed::Fetched,
            Feed::File(_) => Feed::Lines { shown: false },
            // The text of `<(…)` is printed, the one of `<<<` is not.
            Feed::Text(_) => Feed::Other,
            Feed::Lines { .. } | Feed::Other | Feed::Fetched | Feed::Inherit => feed,
        }
    }

    fn assigned(&mut self, assign: &Assign) -> Value {
        let before = if assign.append { self.value_of(&assign.name) } else { None };
        if assign.array {
            let fields = self.fields(&assign.values);
            // The subscript of an element is evaluated, quoted or not.
            for field in fields.iter().filter(|f| f.text.starts_with('[')) {
                self.check_arithmetic(field);
            }
            for field in fields.iter().filter(|_| assign.append) {
                self.judge_setting(&assign.name, &field.text, self.place_of(assign.span));
                self.doubt_number(field.data && field.text.starts_with('['));
            }
            // Which of the elements it is, and what stands in the others, is not followed.
            if assign.element {
                if let Some(subscript) = fields.last().filter(|_| !self.memory.tables.contains(&assign.name))
                {
                    self.check_numbers(&subscript.text, self.place_of(assign.span));
                }
                return Value { listed: Listed::Made, ..Value::unknown() };
            }
            return match before {
                None if !assign.append => Value::list(&fields),
                Some(old) if old.text.is_empty() => Value::list(&fields),
                Some(old) if !old.list.is_empty() => {
                    self.charge(old.text.len() + 32 * old.list.len(), assign.span);
                    Value::list(&old.fields(assign.span).chain(fields).collect::<Vec<_>>())
                }
                _ => Value::unknown(),
            };
        }
        let field = assign.values.first().map(|word| self.text_of(word)).unwrap_or_default();
        if self.memory.numbers.contains(&assign.name) {
            self.check_numbers(&field.text, self.place_of(assign.span));
        }
        match before {
            // Where the shell stands is another folder once it has moved, and a number is not the one that is taken for it.
            None if !assign.append => {
                let value = Value::from_field(&field);
                let counted =
                    assign.values.iter().flat_map(|v| &v.pieces).any(|p| matches!(p, Piece::Arith(_)));
                let placed = field.computed && field.text.starts_with('.');
                let here = placed && self.stand.is_at_start();
                Value { spelled: value.spelled && (!placed || here) && !counted, here, ..value }
            }
            Some(old) if old.list.is_empty() && old.text.len() + field.text.len() < 4096 => {
                let spelled = old.spelled && field.made == Made::Nothing;
                Value { many: old.many || field.many, spelled, ..Value::of(&(old.text + &field.text)) }
            }
            _ => Value::unknown(),
        }
    }
}
