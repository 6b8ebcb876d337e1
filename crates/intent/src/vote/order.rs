//! What a message plainly orders, where the statistics take it for less.
//!
//! Owns which forms of words are such an order. Which of two readings counts is for the vote above.

use pilothouse_shell::{Role, is};

use super::{FORBIDS, ORDER, Vote, project, report, statistics};
use crate::{
    IntentNode as N,
    classify::Parsed,
    features, forbid, framed,
    lexicon::{Hit, Tag},
    parts::Rule,
    phrase::behind,
    reading::Message,
    rules, shell,
    stats::{Guard, Model},
    structure::{Clause, Form, Object},
    text::{Kind, Token},
    turn::{Phase, Turn},
    words::List,
};

/// A message that is no order as a whole, but one without the clauses that only keep something from it.
pub(super) fn ordered_beside(
    p: &Parsed<'_>,
    m: &Message<'_>,
    model: &Model<'_>,
    whole: &Vote,
) -> Option<Vote> {
    let known = p.structure.known;
    let free = p.ban == forbid::Ban::None && m.phase == Phase::Idle && !m.paused;
    if !free || rules::is_action(whole.leaf) || !known.on(Rule::TierGuards) {
        return None;
    }
    let rest = forbid::narrowed(&p.doc, &p.structure, p.text)?;
    let alone = Parsed::new(&rest, known);
    let guard = model.guard(&features::guard(&alone, m.phase, m.paused));
    let mut vote = statistics(&alone, m, model, guard);
    if !rules::is_action(vote.leaf) && changes_it(&alone) {
        vote.confidence = vote.confidence.max(ORDER);
        vote = Vote { leaf: N::Modify, turn: project(N::Modify, m.phase, m.plan_active), ..vote };
    }
    let orders = rules::is_action(vote.leaf) && !matches!(vote.leaf, N::Delete | N::Execute);
    let reasoning = format!("{}; beside what it is to leave alone", vote.reasoning);
    (orders && alone.ban == forbid::Ban::None && vote.turn == Turn::PlanNew(None))
        .then_some(Vote { reasoning, ..vote })
}

/// "just change it", where what is said beside it tells that it is meant.
fn changes_it(p: &Parsed<'_>) -> bool {
    let mut spoken = p.structure.clauses.iter().filter(|c| c.form != Form::Empty);
    let (only, none) = (spoken.next(), spoken.next());
    let it = |c: &Clause| {
        let last = c.end.checked_sub(1).and_then(|at| p.doc.tokens.get(at));
        last.is_some_and(|t| p.structure.known.is(List::Pronoun, &t.text))
    };
    let plain = |c: &Clause| c.form == Form::Order && !c.marked && (c.object != Object::Missing || it(c));
    let modifies = p.guess().is_some_and(|g| g.rule == "verb-modify");
    none.is_none() && modifies && only.is_some_and(plain)
}

/// The change that a message orders and nothing else, where it was read as less: its verb comes first,
/// and no other clause asks.
/// Before it a program's name may begin a report: "npm install hangs, fix package.json".
pub(super) fn order_of(p: &Parsed<'_>, guard: Guard, m: &Message<'_>, said: N) -> Option<N> {
    let banned = p.forbids(m.phase) || guard.forbids > FORBIDS || report::bars(p, N::Modify);
    if m.phase != Phase::Idle || m.paused || banned || (rules::is_action(said) && said != N::Execute) {
        return None;
    }
    if framed::orders(p) && p.guess().is_none_or(|g| g.leaf != N::Execute) {
        return Some(N::Modify);
    }
    if p.asks() || framed::talks(p) {
        return None;
    }
    if said == N::Execute && wants_change(p) {
        return Some(N::Modify);
    }
    if let Some(rest) = reported(p.text) {
        let rest = Parsed::under(rest, p.ban, p.structure.known);
        let guess = rest.guess().filter(|g| rules::is_action(g.leaf) && !rest.asks())?;
        let named = rest.structure.clauses.get(guess.clause).is_some_and(|c| c.object != Object::Pronoun);
        let softer = guess.leaf == N::Delete && !named;
        return (guess.leaf != N::Execute).then_some(if softer { N::Modify } else { guess.leaf });
    }
    let guess = p.guess().filter(|g| matches!(g.leaf, N::Modify | N::Create))?;
    // "build", "commit" are said of a run as well, "create a breakdown" of a plan.
    let plans = matches!(said, N::Decompose | N::Design) && guess.leaf == N::Create;
    let other = plans || (said == N::Execute && guess.rule != "make");
    if other {
        return None;
    }
    let mut spoken =
        p.kept.iter().filter_map(|k| p.structure.clauses.get(*k)).filter(|c| c.form != Form::Empty);
    let only = spoken.next()?;
    let alone = spoken.all(|c| shows(p, c));
    let first = p.structure.hits.iter().any(|h| h.start == only.start && h.tag.acts() && h.tag.is_verb());
    let told = matches!(only.form, Form::Order | Form::Request | Form::Statement) && !only.marked;
    // A statement's object is not looked for: an imperative in a language that spells it like one.
    let object = if only.form == Form::Statement {
        p.doc.tokens.len() > 2
    } else {
        !matches!(only.object, Object::Missing | Object::Pronoun)
    };
    // "kannst du mir ein Dockerfile schreiben": what is asked for stands before its verb.
    let asked = only.form == Form::Request && only.foreign && guess.weight > 1 && p.doc.tokens.len() > 4;
    let whole = alone && only.start == 0 && !only_made_known(p, only);
    (whole && (first && told && object || asked)).then_some(guess.leaf)
}

/// From here on a message may only ask after all.
const MAY_ASK: f32 = 0.3;

/// "change the late fee to six percent": its first clause begins with a verb of change and names what, the statistics take
/// it for a change as well, and nothing in it asks. What is named need not be known, nor what is to come with it: "…, with
/// tests and the README".
pub(super) fn plainly(p: &Parsed<'_>, guard: Guard, m: &Message<'_>, leaf: N) -> bool {
    let changes = |leaf: N| matches!(leaf, N::Modify | N::Create);
    let agreed =
        p.guess().filter(|g| changes(g.leaf) && changes(leaf) && !matches!(g.rule, "statement" | "fragment"));
    let mut spoken = p.structure.clauses.iter().filter(|c| c.form != Form::Empty);
    let named = |c: &Clause| {
        c.form == Form::Order && !c.marked && !matches!(c.object, Object::Missing | Object::Pronoun)
    };
    let first = spoken.next().is_some_and(named);
    // "do the same in lib/utils.js": what it names stands in the last message.
    let refers =
        p.structure.known.words.list(List::FollowFor).iter().any(|head| behind(p.text, head).is_some());
    let free = m.phase == Phase::Idle && !m.paused && p.ban == forbid::Ban::None && !p.forbids(m.phase);
    agreed.is_some()
        && free
        && !refers
        && guard.asks < MAY_ASK
        && guard.forbids < FORBIDS
        && first
        && spoken.all(|c| comes_with(p, c))
}

/// Whether a clause names what is to come with the change before it: ", with tests", ", in the README too".
fn comes_with(p: &Parsed<'_>, c: &Clause) -> bool {
    let head = p.doc.tokens.get(c.head);
    let opens = head.is_some_and(|t| p.structure.known.is(List::Preposition, &t.text));
    c.form == Form::Statement && !c.marked && !c.fault && opens
}

/// Whether a clause orders a look at what came of an order before it: "and show me the diff".
fn shows(p: &Parsed<'_>, c: &Clause) -> bool {
    c.form == Form::Order
        && !c.marked
        && c.verb.is_some_and(|v| v.is_verb() && !v.acts())
        && !p.structure.hits.iter().any(|h| h.tag.acts() && h.start >= c.start && h.start < c.end)
}

/// Whether what reads like a run can only come about by a change: "make the build green" names how a thing is to be,
/// and in "install steps are outdated" the program's name is a noun of a report.
fn wants_change(p: &Parsed<'_>) -> bool {
    let known = p.structure.known;
    let noun = |word: &str| is(word, Role::Word) || is(word, Role::Typed);
    let told = p.guess().is_some_and(|g| g.rule == "statement")
        && p.doc.tokens.first().is_some_and(|t| noun(&t.text))
        && p.doc.tokens.iter().any(|t| known.is(List::Aux, &t.text));
    told || p.kept.iter().filter_map(|k| p.structure.clauses.get(*k)).any(|c| made_so(p, c))
}

/// Whether a clause names how a thing is to be: "make it green".
fn made_so(p: &Parsed<'_>, c: &Clause) -> bool {
    let words = spoken_words(p, c);
    let (first, rest) = words.split_first().map_or(("", &[][..]), |(first, rest)| (*first, rest));
    shell::is_made_so(first, rest, &p.structure.known.words)
}

/// What follows a report that begins with a program's name.
fn reported(text: &str) -> Option<&str> {
    let program = text.split_whitespace().next()?;
    if !is(program, Role::Project) && (!is(program, Role::Typed) || is(program, Role::Word)) {
        return None;
    }
    let marks = text.match_indices([',', '.', ';', '，', '。', '；']);
    let mut ends = marks.filter(|(at, mark)| {
        let next = text.get(at + mark.len()..).and_then(|rest| rest.chars().next());
        !mark.is_ascii() || next.is_some_and(char::is_whitespace)
    });
    let (at, mark) = ends.next_back()?;
    text.get(at + mark.len()..).map(str::trim).filter(|rest| !rest.is_empty())
}

/// "look at x and fix it", "why does it crash? fix it", or "fix" beside a trace: an order to mend.
pub(super) fn plain_fix(p: &Parsed<'_>, guard: Guard, m: &Message<'_>) -> bool {
    let s = &p.structure;
    let spoken = || p.kept.iter().filter_map(|k| s.clauses.get(*k)).filter(|c| c.form != Form::Empty);
    let within = |c: &Clause, tag: fn(Tag) -> bool| {
        let (start, end) = (c.start, c.end);
        s.hits.iter().filter(move |h| tag(h.tag) && h.start >= start && h.start < end)
    };
    let looking = |tag| matches!(tag, Tag::VRead | Tag::VReview | Tag::VAudit | Tag::VExplain);
    let fixing = |h: &Hit| {
        let token = p.doc.tokens.get(h.start).map_or("", |t| &t.text);
        let word = if h.bytes > 0 { token.get(h.offset..h.offset + h.bytes).unwrap_or("") } else { token };
        s.known.words.list(List::Fix).iter().any(|stem| word.starts_with(&**stem))
    };
    let orders = |c: &Clause| matches!(c.form, Form::Order | Form::Request) && !c.marked;
    let fixes = |c: &Clause| {
        orders(c) && within(c, |t| t == Tag::VModify).any(fixing) || !c.marked && then_made_so(p, c)
    };
    let asks = |c: &Clause| matches!(c.form, Form::Question(_));
    let looks = |c: &Clause| asks(c) || (orders(c) && within(c, looking).next().is_some());
    let told = |c: &Clause| matches!(c.form, Form::Statement | Form::Complaint | Form::Frame) && !c.marked;
    let traced = p.doc.trace_lines > 1;
    let looked = spoken().any(looks) && guard.forbids < FORBIDS && spoken().next_back().is_some_and(fixes);
    m.phase == Phase::Idle
        && !p.forbids(m.phase)
        && ((traced && !spoken().any(asks)) || looked)
        && spoken().any(fixes)
        && spoken().all(|c| fixes(c) || looks(c) || (traced && told(c)))
}

/// "build the login page": what is there only once it is written.
pub(super) fn builds_new(p: &Parsed<'_>, guard: Guard, m: &Message<'_>) -> bool {
    let spoken = || p.structure.clauses.iter().filter(|c| c.form != Form::Empty);
    let the = |c: &Clause| p.doc.tokens.get(c.after).is_some_and(|t| t.text == "the");
    let builds =
        |c: &Clause| c.verb == Some(Tag::VBuild) && matches!(c.form, Form::Order | Form::Request) && the(c);
    m.phase == Phase::Idle
        && !p.forbids(m.phase)
        && guard.forbids < FORBIDS
        && !p.asks()
        && spoken().count() == 1
        && spoken().all(builds)
        && p.guess().is_some_and(|g| g.rule == "build-new")
}

/// "is it used anywhere? if not delete it", "why is this file here? remove it": the order behind a question that is about
/// the same thing.
pub(super) fn asked_first(p: &Parsed<'_>, guard: Guard, m: &Message<'_>) -> Option<N> {
    let s = &p.structure;
    let spoken = p.kept.iter().filter_map(|k| Some((*k, s.clauses.get(*k)?)));
    let spoken: Vec<(usize, &Clause)> = spoken.filter(|(_, c)| c.form != Form::Empty).collect();
    let ((at, last), before) = spoken.split_last()?;
    let within =
        |c: &Clause, tag: Tag| s.hits.iter().any(|h| h.tag == tag && h.start >= c.start && h.start < c.end);
    let asks =
        |c: &Clause| c.marked && !matches!(c.form, Form::Request) || matches!(c.form, Form::Question(_));
    let framed = |c: &Clause| c.form == Form::Frame && c.end - c.start <= 2;
    let mut of_it = p.doc.tokens.get(last.head + 1..last.end.min(last.after + 1)).unwrap_or_default().iter();
    let of_it = of_it.any(|t| s.known.is(List::Pronoun, &t.text) || t.text == "one");
    let verb = last.verb.filter(|v| matches!(v, Tag::VModify | Tag::VAdd | Tag::VCreate | Tag::VDelete))?;
    // "give it a shot" changes nothing.
    let other = [List::SpareLeave, List::FramedGive];
    let head = p.doc.tokens.get(last.head).map_or("", |t| &t.text);
    let keeps = other.iter().any(|list| s.known.is(*list, head));
    let plain = matches!(last.form, Form::Order | Form::Request) && !last.marked && of_it && !keeps;
    let asked = before.iter().any(|(_, c)| asks(c)) && before.iter().all(|(_, c)| asks(c) || framed(c));
    if m.phase != Phase::Idle || p.forbids(m.phase) || guard.forbids > FORBIDS || !plain || !asked {
        return None;
    }
    let inner = before.iter().any(|(_, c)| within(c, Tag::OInner));
    let whole = before.iter().any(|(_, c)| {
        let named = c.tokens(&p.doc);
        within(c, Tag::OWhole) || named.iter().any(|t| matches!(t.kind, Kind::File | Kind::Path))
    });
    if verb == Tag::VDelete {
        return Some(if inner && !whole { N::Modify } else { N::Delete });
    }
    p.guess().filter(|g| g.clause == *at && matches!(g.leaf, N::Modify | N::Create)).map(|g| g.leaf)
}

/// "CI is red, can you make it green?", "the build broke, would you mind fixing it": how things stand, and behind it the
/// agent is asked to change that. What it is asked to look at, to tell or to plan is no such change.
pub(super) fn asked_to_mend(p: &Parsed<'_>, guard: Guard, m: &Message<'_>) -> bool {
    let s = &p.structure;
    let spoken = p.kept.iter().filter_map(|k| Some((*k, s.clauses.get(*k)?)));
    let spoken: Vec<(usize, &Clause)> = spoken.filter(|(_, c)| c.form != Form::Empty).collect();
    let Some(((at, last), before)) = spoken.split_last() else { return false };
    let told = |c: &Clause| matches!(c.form, Form::Statement | Form::Complaint | Form::Frame) && !c.marked;
    let guess = p.guess();
    let changes = guess.is_some_and(|g| g.clause == *at && g.rule == "verb-modify");
    // "make a plan to get them green" has a verb of its own.
    let bare = guess.is_none_or(|g| matches!(g.rule, "verb-modify" | "make" | "request"));
    // "would you mind fixing it": what is said of the mending behind another verb wants none.
    let head = p.doc.tokens.get(last.head).map_or("", |t| &t.text);
    let mending =
        head.ends_with("ing") && s.known.words.list(List::Fix).iter().any(|stem| head.starts_with(&**stem));
    m.phase == Phase::Idle
        && !p.forbids(m.phase)
        && guard.forbids < FORBIDS
        && last.form == Form::Request
        && (changes && !only_made_known(p, last) || bare && (made_so(p, last) || mending))
        && !before.is_empty()
        && before.iter().all(|(_, c)| told(c) && !of_talk(p, c, last))
}

/// "make it clear why", "make sure nobody changed it", "make it understandable to me", "make it?": nothing is made so. What
/// shows, says or prints something is.
fn only_made_known(p: &Parsed<'_>, c: &Clause) -> bool {
    let tells =
        |tag| matches!(tag, Tag::QWhat | Tag::QWhy | Tag::QHow | Tag::QWhere | Tag::QWhich | Tag::QWho);
    let asks = p.structure.hits.iter().any(|h| tells(h.tag) && h.start > c.head && h.start < c.end);
    let words = spoken_words(p, c);
    let ["make" | "get" | "bring", rest @ ..] = words.as_slice() else { return false };
    let told = rest.iter().any(|word| p.structure.known.is(List::MadeKnown, word));
    let named = matches!(rest, ["sure" | "certain", ..] | [.., "to", "me" | "us"]);
    rest.len() < 2 || named || told && (asks || rest.contains(&"whether"))
}

/// Whether a clause says what the agent's own words are like, or what is asked behind it is of words: that is no file.
/// What was found and proposed in them may be changed: "your analysis is right, can you fix it?".
fn of_talk(p: &Parsed<'_>, c: &Clause, asked: &Clause) -> bool {
    let known = p.structure.known;
    let (words, wanted) = (spoken_words(p, c), spoken_words(p, asked));
    let said = |words: &[&str], list| words.iter().any(|word| known.is(list, word));
    match words.as_slice() {
        [first, second, rest @ ..] => {
            known.is(List::TalkOf, &format!("{first} {second}"))
                && (said(rest, List::TalkBad) || said(&wanted, List::TalkMade))
        }
        _ => false,
    }
}

/// The words of a clause from its head on.
fn spoken_words<'p>(p: &'p Parsed<'_>, c: &Clause) -> Vec<&'p str> {
    let words = p.doc.tokens.get(c.head..c.end).unwrap_or_default();
    words.iter().filter(|t| t.kind != Kind::Punct).map(|t| &*t.text).collect()
}

/// "… and get them green again", "… and make it fast": what is ordered behind a look.
fn then_made_so(p: &Parsed<'_>, c: &Clause) -> bool {
    let known = p.structure.known;
    let words: Vec<&str> = c.tokens(&p.doc).iter().map(|t| t.text.as_str()).collect();
    let tie = words.iter().rposition(|word| known.is(List::Tie, word));
    let behind = tie.and_then(|at| words.get(at + 1..)).unwrap_or_default();
    behind.split_first().is_some_and(|(first, rest)| shell::is_made_so(first, rest, &known.words))
}

/// "run the tests, but change nothing": a run that is ordered first, and beside it only what keeps from something else.
pub(super) fn plain_run(p: &Parsed<'_>, m: &Message<'_>) -> bool {
    let known = p.structure.known;
    let spoken: Vec<&Clause> = p.structure.clauses.iter().filter(|c| c.form != Form::Empty).collect();
    let Some((first, rest)) = spoken.split_first() else { return false };
    let tags = |c: &Clause, tag: fn(Tag) -> bool| {
        let (start, end) = (c.start, c.end);
        p.structure.hits.iter().any(move |h| tag(h.tag) && h.start >= start && h.start < end)
    };
    let negates = |t: &Token| {
        [List::Not, List::ForbidNot, List::Nothing, List::SpareLeave]
            .iter()
            .any(|list| known.is(*list, &t.text))
    };
    // "no fixes" corrects nothing.
    let corrects = |c: &Clause| {
        let firm =
            |h: &Hit| h.tag == Tag::Correct && p.doc.tokens.get(h.start).is_some_and(|t| t.text != "no");
        p.structure.hits.iter().any(|h| firm(h) && h.start >= c.start && h.start < c.end)
    };
    // "run it, no, don't" keeps from the run itself.
    let keeps = |c: &Clause| {
        let words = c.tokens(&p.doc);
        let last = words.last().is_some_and(|t| negates(t) && !known.is(List::Nothing, &t.text));
        let says = words.iter().any(negates) || tags(c, |t| matches!(t, Tag::Forbid | Tag::ForbidAll));
        says && !last && !corrects(c) && !tags(c, |t| matches!(t, Tag::VExecute | Tag::InMsgCancel))
    };
    // "run nothing", "just discuss it"; "report only" lets it run.
    let stops = |h: &Hit| {
        let words = p.doc.tokens.get(h.start..h.start + h.len).unwrap_or_default().iter();
        let only =
            |word: &str| known.is(List::SpareOnly, word) || matches!(word, "code" | "read" | "read-only");
        h.tag == Tag::Forbid
            && words.map(|t| t.text.as_str()).any(|w| known.is(List::Everything, w) && !only(w))
    };
    let looks =
        |c: &Clause| tags(c, |t| matches!(t, Tag::VRead | Tag::VExplain | Tag::VReview | Tag::VAudit));
    let asks = |c: &Clause| c.marked || matches!(c.form, Form::Question(_));
    // "run an analysis of it" runs nothing.
    let answers =
        [List::NounReview, List::NounDesign, List::NounDecompose, List::NounExplain, List::NounAudit];
    let named = p.doc.tokens.get(first.after..first.end).unwrap_or_default();
    let named = named.first().is_some_and(|t| known.is(List::Article, &t.text))
        && named.iter().any(|t| answers.iter().any(|list| known.is(*list, &t.text)));
    let runs = matches!(first.form, Form::Order | Form::Request) && first.verb == Some(Tag::VExecute);
    m.phase == Phase::Idle
        && known.on(Rule::OrderedRun)
        && !p.structure.hits.iter().any(stops)
        && runs
        && report::told(p).is_none()
        && !asks(first)
        && ordered_run(p)
        && !named
        && rest.iter().any(|c| keeps(c))
        && rest.iter().all(|c| !asks(c) && (keeps(c) || looks(c)))
}

pub(super) fn ordered_run(p: &Parsed<'_>) -> bool {
    let orders = |c: &Clause| matches!(c.form, Form::Order | Form::Request);
    // "lass die Tests in Ruhe" has the verb of "lass die Tests laufen".
    let forbids = |c: &Clause| {
        let mut hits = p.structure.hits.iter().filter(|h| h.tag == Tag::Forbid);
        hits.any(|h| h.start < c.after && h.start + h.len > c.head)
    };
    p.structure.known.on(Rule::OrderedRun)
        && p.structure.clauses.iter().any(|c| orders(c) && c.verb == Some(Tag::VExecute) && !forbids(c))
}
