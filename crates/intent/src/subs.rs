//! The kind of answer or plan that a message wants, by its phrases.
//!
//! Owns the subs of queries and plans; they inform and change no path.

use super::{
    IntentNode as N,
    classify::Parsed,
    lexicon::Tag,
    structure::{Clause, Form},
    text,
    turn::{PlanSub, QuerySub},
    words::List,
};

/// What kind of answer a query wants.
pub(crate) fn query(parsed: &Parsed<'_>) -> Option<QuerySub> {
    let says = said(parsed);
    let reads = parsed.guess().is_some_and(|g| g.leaf == N::Read);
    [
        (says(List::Summary), QuerySub::Summary),
        (says(List::Provenance), QuerySub::Provenance),
        (says(List::Detail), QuerySub::Detail),
        (reads || says(List::Lookup), QuerySub::Lookup),
    ]
    .into_iter()
    .find_map(|(said, sub)| said.then_some(sub))
}

/// Whether a question supposes a change, so that what would follow is to be foreseen.
pub(crate) fn supposes(parsed: &Parsed<'_>) -> bool {
    said(parsed)(List::Suppose)
}

/// Whether a message asks what would come of something, and orders nothing besides: "what if the file is empty", "predict
/// what breaks".
pub(crate) fn foresees(parsed: &Parsed<'_>) -> bool {
    let s = &parsed.structure;
    let mut spoken = s.clauses.iter().filter(|c| c.form != Form::Empty);
    let opens = |c: &Clause| {
        let tokens = parsed.doc.tokens.get(c.head..c.end).unwrap_or_default();
        let words: Vec<&str> = tokens.iter().take(OPENING).map(|t| t.text.as_str()).collect();
        (1..=words.len()).any(|n| s.known.is(List::Predict, &words.get(..n).unwrap_or_default().join(" ")))
    };
    let orders = |c: &Clause| {
        let wants = matches!(c.form, Form::Order | Form::Request | Form::Wish);
        wants && !c.marked && c.verb.is_none_or(Tag::acts)
    };
    spoken.next().is_some_and(opens) && !spoken.any(orders)
}

/// Words of the longest phrase that asks so.
const OPENING: usize = 5;

/// What kind of plan is wanted.
pub(crate) fn plan(parsed: &Parsed<'_>) -> Option<PlanSub> {
    let says = said(parsed);
    if says(List::Compare) {
        return Some(PlanSub::Compare);
    }
    says(List::Predict).then_some(PlanSub::Predict)
}

/// Whether a message holds one of the phrases of a list, as whole words where it has spaces.
fn said<'a>(parsed: &'a Parsed<'_>) -> impl Fn(List) -> bool + 'a {
    let folded: String = parsed.text.chars().filter_map(text::fold).collect();
    move |list| {
        parsed.structure.known.words.list(list).iter().any(|phrase| {
            folded.match_indices(&**phrase).any(|(at, _)| {
                let end = folded.get(at + phrase.len()..).and_then(|r| r.chars().next());
                let start = folded.get(..at).and_then(|r| r.chars().next_back());
                let inside = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() && !text::is_cjk(c));
                !inside(start) && !inside(end)
            })
        })
    }
}
