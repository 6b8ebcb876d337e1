//! Orders for work of their own beside a plan: "create a README", "new task: write a REST server".
//!
//! Owns which these are. What adds to the plan, narrows it or points at it goes on with it.

use crate::{
    IntentNode as N,
    classify::Parsed,
    forbid::{Ban, Stays},
    steer::normal,
    structure::{Clause, Form},
    text::Kind,
    turn::Turn,
    words::List,
};

use super::{Vote, rules};

/// The vote for a message beside a plan, where it orders something of its own.
pub(super) fn anew(p: &Parsed<'_>, whole: Vote) -> Vote {
    let routed = matches!(whole.turn, Turn::Query(_) | Turn::PlanNew(_) | Turn::PlanContinue);
    if !routed || p.ban != Ban::None || p.stays != Stays::Ordered || !(is_titled(p) || makes_anew(p)) {
        return whole;
    }
    let leaf = if rules::is_action(whole.leaf) { whole.leaf } else { N::Create };
    Vote { leaf, turn: Turn::PlanNew(None), ..whole }
}

/// "new task: …"
fn is_titled(p: &Parsed<'_>) -> bool {
    let line = normal(p.text);
    let opens = |phrase: &str| {
        line.strip_prefix(phrase)
            .is_some_and(|rest| rest.starts_with([':', '-', '–', '—']) || rest.starts_with(" -"))
    };
    p.structure.known.words.list(List::NewWork).iter().any(|phrase| opens(phrase))
}

/// "write a REST server": one order that makes a thing which was not spoken of.
fn makes_anew(p: &Parsed<'_>) -> bool {
    let known = p.structure.known;
    let mut spoken =
        p.kept.iter().filter_map(|k| p.structure.clauses.get(*k)).filter(|c| c.form != Form::Empty);
    let (Some(only), None) = (spoken.next(), spoken.next()) else { return false };
    let creates = p.guess().is_some_and(|g| g.leaf == N::Create) && orders(only);
    let tokens = &p.doc.tokens;
    let article = tokens.get(only.after).is_some_and(|t| known.is(List::NewArticle, &t.text));
    let of = |at: usize| at.checked_sub(1).and_then(|at| tokens.get(at)).is_some_and(|t| t.text == "of");
    let beside = |(at, word): (usize, &str)| {
        let points = known.is(List::Leans, word) && !of(at);
        points
            || [List::Also, List::Steer, List::ReviseStep, List::ReviseOrder]
                .iter()
                .any(|list| known.is(*list, word))
    };
    let mut head = tokens.iter().filter(|t| t.kind != Kind::Punct).take(2);
    let narrows = head.any(|t| known.is(List::SteerHead, &t.text));
    let mut words = tokens.iter().enumerate().filter(|(_, t)| t.kind == Kind::Word);
    creates
        && article
        && !narrows
        && !words.any(|(at, t)| beside((at, &t.text)))
        && !normal(p.text).ends_with("as well")
}

fn orders(clause: &Clause) -> bool {
    matches!(clause.form, Form::Order | Form::Request) && (clause.form == Form::Request || !clause.marked)
}
