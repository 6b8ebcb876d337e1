//! Prohibitions that are told and not ordered, in languages beside English: "no hay que cambiar los tests", "il est interdit de
//! modifier …", "тесты менять нельзя", "テストは変更してはいけません", "laisse les tests tels quels".
//!
//! Owns which clauses say so. What such a message comes to is for the modules above.

use super::super::{
    structure::{Clause, Form, Structure},
    text::{Doc, Kind},
    words::List,
};

/// Whether the clause of this number forbids a change, alone or with the one that a comma cuts off: "es ist verboten, die
/// Tests zu ändern".
pub(super) fn denied(doc: &Doc, s: &Structure<'_>, number: usize) -> bool {
    let of = |number: usize| s.clauses.get(number).map(|c| Told::of(doc, s, c));
    let cut = |number: usize| {
        let open = s.clauses.get(number).is_some_and(|c| !c.last);
        let (first, next) = (of(number), of(number + 1));
        open && first.is_some_and(|c| c.frames && c.changes == 0) && next.is_some_and(|c| c.changes == 1)
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
    /// That something is to stay as it is.
    keeps: bool,
}

impl Told {
    fn of(doc: &Doc, s: &Structure<'_>, c: &Clause) -> Self {
        let none = Self { frames: false, changes: 0, keeps: false };
        if c.marked || matches!(c.form, Form::Question(_)) {
            return none;
        }
        let list = |list| s.known.words.list(list).iter();
        let (mut line, mut changes, mut keeps, mut run) = (String::from(" "), 0, false, false);
        for token in c.tokens(doc).iter().filter(|t| t.kind != Kind::Punct) {
            run |= token.kind == Kind::Cjk;
            let verb = |stem: &str| match token.kind {
                Kind::Cjk => token.text.contains(stem),
                Kind::Word => token.text.starts_with(stem),
                Kind::Number
                | Kind::File
                | Kind::Path
                | Kind::Url
                | Kind::Ident
                | Kind::Quote
                | Kind::Tick
                | Kind::Code
                | Kind::Flag
                | Kind::Punct => false,
            };
            let verbs = list(List::ToldVerb).filter(|stem| verb(stem)).count();
            changes += if token.kind == Kind::Cjk { verbs } else { verbs.min(1) };
            keeps |= s.known.is(List::ToldKeep, &token.text);
            line.push_str(&token.text);
            line.push(' ');
        }
        // In a script without spaces a phrase stands anywhere in its run.
        let says = |phrase: &str| line.contains(&format!(" {phrase} ")) || run && line.contains(phrase);
        let frames = list(List::ToldNot).any(|phrase| says(phrase));
        let able = list(List::ToldAble).any(|phrase| says(phrase));
        if able {
            none
        } else {
            Self { frames, changes, keeps: keeps && list(List::ToldAs).any(|p| says(p)) }
        }
    }
}
