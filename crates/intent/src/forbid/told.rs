//! Prohibitions that are told and not ordered, in languages beside English: "no hay que cambiar los tests", "il est interdit de
//! modifier …", "тесты менять нельзя", "テストは変更してはいけません", "laisse les tests tels quels".
//!
//! Owns which clauses say so. What such a message comes to is for the modules above.

use std::sync::Arc;

use super::super::{
    structure::{Clause, Form, Structure},
    text::{Doc, Kind, Token},
    words::List,
};

/// Whether the clause of this number forbids a change, alone or with the one that a comma cuts off: "es ist verboten, die
/// Tests zu ändern".
pub(super) fn denied(doc: &Doc, s: &Structure<'_>, number: usize) -> bool {
    let of = |number: usize| s.clauses.get(number).map(|c| Told::of(doc, s, c));
    let cut = |number: usize| {
        let open = s.clauses.get(number).is_some_and(|c| !c.last);
        let (first, next) = (of(number), of(number + 1));
        // "больше не нужно, удали": what begins with its verb is an order of its own.
        let next = next.is_some_and(|c| c.changes == 1 && !c.begins);
        open && first.is_some_and(|c| c.frames && c.changes == 0) && next
    };
    of(number).is_some_and(|c| c.keeps || c.frames && c.changes == 1)
        || cut(number)
        || number.checked_sub(1).is_some_and(cut)
}

/// What the words of a clause say.
struct Told {
    /// That something is not to be done.
    frames: bool,
    /// How many of them are verbs of change.
    changes: usize,
    /// Whether the first of them is one.
    begins: bool,
    /// That something is to stay as it is.
    keeps: bool,
}

impl Told {
    fn of(doc: &Doc, s: &Structure<'_>, c: &Clause) -> Self {
        let none = Self { frames: false, changes: 0, begins: false, keeps: false };
        if c.marked || matches!(c.form, Form::Question(_)) {
            return none;
        }
        let list = |list| s.known.words.list(list).iter();
        let (mut said, mut keeps) = (Said { line: String::from(" "), verbs: Vec::new(), run: false }, false);
        for token in c.tokens(doc).iter().filter(|t| t.kind != Kind::Punct) {
            said.add(token, list(List::ToldVerb));
            keeps |= s.known.is(List::ToldKeep, &token.text);
        }
        let able = list(List::ToldAble).any(|phrase| said.at(phrase).is_some());
        if able {
            return none;
        }
        let begins = said.begins();
        // Beside a noun it says what kind of thing is meant: "cambia el mensaje de acceso prohibido".
        let attribute = |phrase: &str| {
            s.known.is(List::ToldAttribute, phrase)
                && !said.stands_behind(phrase, list(List::ToldBe), BETWEEN)
        };
        let which = |phrase: &str| said.stands_behind(phrase, list(List::ToldWhich), 0);
        let orders = !list(List::ToldNoOrder).any(|end| said.opens_with(end));
        let lets = |phrase: &str| attribute(phrase) || which(phrase) || orders && said.is_ordered(phrase);
        let frames = list(List::ToldNot).any(|phrase| !lets(phrase) && said.governs(phrase));
        let keeps = keeps && list(List::ToldAs).any(|phrase| said.at(phrase).is_some());
        Self { frames, changes: said.verbs.len(), begins, keeps }
    }
}

/// The words of a clause as one line, and where its verbs of change stand in that.
struct Said {
    line: String,
    verbs: Vec<usize>,
    /// Whether some of it is in a script without spaces.
    run: bool,
}

impl Said {
    fn add<'w>(&mut self, token: &Token, mut stems: impl Iterator<Item = &'w Arc<str>>) {
        let at = self.line.len();
        if token.kind == Kind::Cjk {
            self.run = true;
            self.verbs.extend(stems.filter_map(|stem| token.text.find(&**stem).map(|i| at + i)));
        } else if token.kind != Kind::Word {
            // What is quoted or named says nothing itself.
            return self.line.push_str("· ");
        } else if stems.any(|stem| token.text.starts_with(&**stem)) {
            self.verbs.push(at);
        }
        self.line.push_str(&token.text);
        self.line.push(' ');
    }

    /// Where a phrase stands; in a script without spaces anywhere in its run.
    fn at(&self, phrase: &str) -> Option<usize> {
        let whole = self.line.find(&format!(" {phrase} ")).map(|at| at + 1);
        whole.or_else(|| self.line.find(phrase).filter(|_| self.run))
    }

    /// Whether a phrase opens the line, or one of these words stands before it with at most so many between.
    fn stands_behind<'w>(
        &self,
        phrase: &str,
        mut words: impl Iterator<Item = &'w Arc<str>>,
        between: usize,
    ) -> bool {
        let before = self.at(phrase).and_then(|at| self.line.get(..at)).map_or("", str::trim);
        let ends = |word: &str, said: &str| said == word || said.ends_with(&format!(" {word}"));
        let mut said = vec![before];
        for _ in 0..between {
            let shorter = said.last().and_then(|said| said.rsplit_once(' ')).map(|(head, _)| head);
            said.extend(shorter);
        }
        between > 0 && before.is_empty() || words.any(|word| said.iter().any(|said| ends(word, said)))
    }

    /// Whether the line is an order to change what a phrase behind its verb only tells apart: "удали всё, что нельзя
    /// открыть", and not "менять тесты нельзя".
    fn is_ordered(&self, phrase: &str) -> bool {
        // What ends with it is said of what stands before: "удаление тестов запрещено".
        let more = |at: usize| self.line.get(at + phrase.len()..).is_some_and(|rest| !rest.trim().is_empty());
        !self.run && self.begins() && self.at(phrase).is_some_and(|at| at > 1 && more(at))
    }

    /// Whether the first word ends so.
    fn opens_with(&self, end: &str) -> bool {
        self.line.split_whitespace().next().is_some_and(|first| first.ends_with(end))
    }

    /// Whether the first word is a verb of change.
    fn begins(&self) -> bool {
        self.verbs.contains(&1)
    }

    /// Whether a phrase stands there and says of the verb, where there is one, that it is not to be: "필요 없으니 삭제해" and
    /// "把禁止访问的提示改成" say it of something else.
    fn governs(&self, phrase: &str) -> bool {
        let Some(at) = self.at(phrase) else { return false };
        if phrase.chars().any(ends_in_verbs) {
            return self.verbs.iter().any(|verb| *verb < at);
        }
        let next = self.verbs.iter().copied().filter(|verb| *verb > at).min();
        let between = next.and_then(|next| self.line.get(at + phrase.len()..next)).unwrap_or("");
        !(self.run && (between.contains(['的', 'の']) || self.is_part(at, phrase, next)))
    }

    /// Whether a phrase of a script without spaces is a part of what is changed: "修改禁止访问的提示", "修复不许删除的错误",
    /// "禁止リストに追加".
    fn is_part(&self, at: usize, phrase: &str, next: Option<usize>) -> bool {
        let behind = self.line.get(at + phrase.len()..).unwrap_or_default();
        if behind.starts_with(|c: char| ('\u{30a0}'..='\u{30ff}').contains(&c)) {
            return true;
        }
        let verb = next.and_then(|next| self.line.get(next..)).unwrap_or_default();
        let tells = verb.chars().skip(1).take(2).any(|c| c == '的');
        let first = self.verbs.iter().copied().filter(|verb| *verb < at).min();
        let object =
            first.and_then(|first| self.line.get(first..at)).is_some_and(|said| !said.contains('是'));
        let chinese = !self.line.chars().any(ends_in_verbs);
        chinese && (tells || object && !behind.trim().is_empty())
    }
}

/// How far a form of "to be" stands before what it says: "está estrictamente prohibido".
const BETWEEN: usize = 2;

/// Kana and Hangul: in Japanese and Korean what is said of a verb stands behind it.
fn ends_in_verbs(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{1100}'..='\u{11ff}' | '\u{ac00}'..='\u{d7af}')
}
