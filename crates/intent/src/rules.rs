//! The structural tier: from forms, verbs and objects of clauses to a leaf.
//!
//! Owns the reading of one clause and of several together. Never looks at statistics.

use super::{
    IntentNode as N,
    lexicon::Tag,
    parts::{Rule, Tables},
    scope::Capability,
    structure::{Clause, Form, Object, Structure},
    text::{Doc, Kind, Token},
    words::List,
};

/// What the structural tier thinks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Guess {
    pub leaf: N,
    /// 1 a hint, 2 likely, 3 plain.
    pub weight: u8,
    /// The name of the rule, for people and as a feature.
    pub rule: &'static str,
    /// The clause that decided.
    pub clause: usize,
}

/// A leaf, its weight and the name of the rule.
type Found = (N, u8, &'static str);

/// The name of every rule: they are features.
pub(crate) const NAMES: &[&str] = &[
    "add-to",
    "ask",
    "ask-verb",
    "build-new",
    "build-run",
    "complaint",
    "complaint-short",
    "delete-foreign",
    "delete-inner",
    "delete-other",
    "delete-whole",
    "effort",
    "exist",
    "fragment",
    "fragment-new",
    "gone-inner",
    "gone-new",
    "gone-other",
    "gone-whole",
    "how",
    "how-design",
    "judge",
    "make",
    "mean",
    "noun",
    "ought",
    "remove-located",
    "remove-other",
    "request",
    "statement",
    "verb-audit",
    "verb-create",
    "verb-decompose",
    "verb-design",
    "verb-execute",
    "verb-explain",
    "verb-modify",
    "verb-read",
    "verb-review",
    "verb-unknown",
    "way",
    "what",
    "when",
    "where",
    "why",
    "wish",
    "wish-new",
];

/// A clause within its message.
#[derive(Clone, Copy)]
struct At<'a> {
    doc: &'a Doc,
    s: &'a Structure<'a>,
    c: &'a Clause,
}

/// What one clause wants, if it wants anything.
fn clause(at: At<'_>) -> Option<Found> {
    let c = at.c;
    let told = matches!(c.form, Form::Statement | Form::Ought | Form::Complaint | Form::Frame);
    if told && !c.marked && at.on(Rule::Gone) && at.has(Tag::Gone) {
        return Some(match c.object {
            Object::Whole => (N::Delete, 2, "gone-whole"),
            Object::New => (N::Delete, 1, "gone-new"),
            Object::Inner => (N::Modify, 2, "gone-inner"),
            Object::Other | Object::Pronoun | Object::Missing => (N::Delete, 1, "gone-other"),
        });
    }
    match c.form {
        Form::Order | Form::Request | Form::Wish => Some(at.wanted()),
        Form::Question(tag) => Some(at.question(tag)),
        Form::Ought => Some((N::Modify, 2, "ought")),
        Form::Complaint if c.end - c.start < 4 => Some((N::Clarify, 1, "complaint-short")),
        Form::Complaint => Some((N::Modify, 1, "complaint")),
        Form::Statement => at.stated(),
        Form::Frame | Form::Empty => None,
    }
}

impl<'a> At<'a> {
    fn on(self, rule: Rule) -> bool {
        self.s.known.on(rule)
    }

    fn is(self, list: List, word: &str) -> bool {
        self.s.known.is(list, word)
    }

    /// Whether a phrase of a tag opens within the clause.
    fn has(self, tag: Tag) -> bool {
        self.s.hits.iter().any(|h| h.tag == tag && h.start >= self.c.start && h.start < self.c.end)
    }

    /// The first word after politeness.
    fn head(self) -> &'a str {
        self.doc.tokens.get(self.c.head).map_or("", |t| &t.text)
    }

    /// So many tokens behind the verb.
    fn tail(self, reach: usize) -> &'a [Token] {
        let end = self.c.end.min(self.c.after + reach).max(self.c.after);
        self.doc.tokens.get(self.c.after..end).unwrap_or(&[])
    }

    fn words(self, reach: usize) -> impl Iterator<Item = &'a str> {
        self.tail(reach).iter().map(|t| t.text.as_str())
    }

    /// Whether a word of a list stands close behind the verb.
    fn near(self, list: List, reach: usize) -> bool {
        self.words(reach).any(|w| self.is(list, w))
    }

    /// What an order, a request or a wish is for.
    fn wanted(self) -> Found {
        let c = self.c;
        let free = matches!(c.verb, None | Some(Tag::VCreate | Tag::VModify | Tag::VBuild));
        if let Some(leaf) = self.noun().filter(|_| free) {
            return (leaf, 2, "noun");
        }
        if let Some(found) = self.ordered() {
            return found;
        }
        match c.form {
            Form::Wish if c.object == Object::New && !c.located => (N::Create, 1, "wish-new"),
            Form::Wish => (N::Modify, 1, "wish"),
            Form::Request => (N::Explain, 1, "request"),
            Form::Order
            | Form::Ought
            | Form::Question(_)
            | Form::Complaint
            | Form::Statement
            | Form::Frame
            | Form::Empty => (N::Modify, 1, "verb-unknown"),
        }
    }

    /// A statement tells how things are, or names what is wanted without a verb.
    fn stated(self) -> Option<Found> {
        let c = self.c;
        let first = self.doc.tokens.get(c.head)?;
        if !self.on(Rule::Stated) {
            return None;
        }
        if self.is(List::Fragment, &first.text) {
            let whole = matches!(c.object, Object::New | Object::Whole);
            return Some(if whole { (N::Create, 1, "fragment-new") } else { (N::Modify, 1, "fragment") });
        }
        let personal = matches!(first.text.as_str(), "i" | "im" | "ive");
        (c.end - c.start > 3 && !self.has(Tag::Forbid) && !personal && !c.foreign).then_some((
            N::Modify,
            1,
            "statement",
        ))
    }

    /// Nouns that name a kind of answer: who wants one does not want a file changed.
    fn noun(self) -> Option<N> {
        let into = self.c.verb == Some(Tag::VModify);
        let list: Vec<&str> = self.words(if into { 9 } else { 5 }).collect();
        let tail = if into { list.split(|w| *w == "into").nth(1)? } else { &list };
        let kinds = [
            (List::NounReview, N::Review),
            (List::NounDesign, N::Design),
            (List::NounDecompose, N::Decompose),
            (List::NounExplain, N::Explain),
            (List::NounAudit, N::Audit),
            (List::NounRead, N::Read),
        ];
        tail.iter()
            .take(4)
            .take_while(|w| into || !self.is(List::NounEnd, w))
            .find_map(|w| kinds.iter().find(|(list, _)| self.is(*list, w)))
            .map(|(_, leaf)| *leaf)
            .filter(|_| self.on(Rule::WantedNoun))
    }

    #[allow(clippy::wildcard_enum_match_arm, reason = "a few tags out of many")]
    fn ordered(self) -> Option<Found> {
        let c = self.c;
        let weight = if c.form == Form::Wish { 2 } else { 3 };
        Some(match c.verb? {
            Tag::VModify => {
                (N::Modify, if c.object == Object::Missing && !c.foreign { 1 } else { weight }, "verb-modify")
            }
            Tag::VAdd => (N::Modify, weight, "add-to"),
            Tag::VCreate => {
                (N::Create, if c.object == Object::Inner && !c.foreign { 2 } else { weight }, "verb-create")
            }
            Tag::VBuild => self.build(weight),
            Tag::VDelete => self.delete(weight),
            Tag::VExecute if self.kills() => self.delete(weight),
            Tag::VExecute => (N::Execute, weight, "verb-execute"),
            Tag::VRead => (N::Read, weight, "verb-read"),
            Tag::VExplain => (N::Explain, weight, "verb-explain"),
            Tag::VReview => (N::Review, weight, "verb-review"),
            Tag::VAudit => (N::Audit, weight, "verb-audit"),
            Tag::VDesign => (N::Design, weight, "verb-design"),
            Tag::VDecompose => (N::Decompose, weight, "verb-decompose"),
            _ => return None,
        })
    }

    /// "kill the branch", "kill `old_api.py`", "kill it": a removal, where "kill the server" stops it.
    fn kills(self) -> bool {
        let file =
            || self.tail(5).iter().any(|t| matches!(t.kind, Kind::File | Kind::Path) || t.text.contains('/'));
        let it = || {
            let mut words = self.words(4);
            words.next().is_some_and(|w| self.is(List::Pronoun, w))
                && words.all(|w| self.is(List::HaltPast, w))
        };
        let runs = |t: &Token| self.is(List::KillRun, &t.text);
        self.on(Rule::Kills)
            && self.head() == "kill"
            && (matches!(self.c.object, Object::Inner | Object::Pronoun)
                || self.near(List::KillObject, 5)
                || (file() && !self.tail(5).iter().any(runs))
                || (it() && !self.doc.tokens.iter().any(runs)))
    }

    /// Whether what the verb is applied to is said in the plural.
    fn names_several(self) -> bool {
        let object =
            self.tail(6).iter().take_while(|t| !self.is(List::Preposition, &t.text) && t.kind != Kind::Punct);
        object.last().is_some_and(|t| t.text.ends_with('s') && !t.text.ends_with("ss"))
    }

    fn build(self, weight: u8) -> Found {
        match self.words(1).next() {
            _ if !self.on(Rule::Builds) => (N::Create, weight, "build-new"),
            Some(word) if self.is(List::BuildNew, word) => (N::Create, weight, "build-new"),
            None => (N::Execute, 2, "build-run"),
            Some(word) if self.is(List::BuildRun, word) && !self.makes_new() => (N::Execute, 2, "build-run"),
            Some(word) if self.is(List::BuildRun, word) => (N::Create, weight, "build-new"),
            Some(_) => (N::Modify, 1, "make"),
        }
    }

    /// "build the login page": what no build tool makes is there only once it is written. "build the docs", "build the
    /// docker image" run one.
    fn makes_new(self) -> bool {
        let ends = |t: &&Token| t.kind != Kind::Word || self.is(List::Preposition, &t.text);
        let object = self.tail(6).get(1..).unwrap_or_default();
        let named = object.iter().take_while(|t| !ends(t)).last();
        self.head() == "build"
            && self.words(1).next() == Some("the")
            && named.is_some_and(|t| !self.is(List::BuildTarget, &t.text))
    }

    fn delete(self, weight: u8) -> Found {
        if self.c.foreign {
            let inner = self.removes_inner();
            return if inner { (N::Modify, 2, "delete-inner") } else { (N::Delete, 2, "delete-foreign") };
        }
        match self.c.object {
            _ if !self.on(Rule::DeleteObject) => (N::Delete, 2, "delete-other"),
            Object::Whole | Object::New => (N::Delete, weight, "delete-whole"),
            Object::Inner => (N::Modify, weight, "delete-inner"),
            Object::Pronoun | Object::Missing | Object::Other => {
                match (self.is(List::SoftRemoval, self.head()), self.c.located) {
                    (true, true) => (N::Modify, 1, "remove-located"),
                    (true, false) => (N::Delete, 1, "remove-other"),
                    (false, _) => (N::Delete, 2, "delete-other"),
                }
            }
        }
    }

    /// "supprime la ligne 12", "config.ymlの3行目を消して", in any language: the first thing behind the verb, or the last before it,
    /// is one inside a file, and nothing else is named beside it.
    fn removes_inner(self) -> bool {
        let known = self.s.known;
        let stem = |list, w: &str| {
            let ending = |stem: &str| w.strip_prefix(stem).is_some_and(|end| end.chars().count() <= ENDING);
            known.words.list(list).iter().any(|stem| ending(stem))
        };
        let tokens = self.doc.tokens.get(self.c.start..self.c.end).unwrap_or_default();
        // "lösche config.yml und die Zeile 3"
        if tokens.iter().any(|t| self.is(List::Tie, &t.text) || self.is(List::Join, &t.text)) {
            return false;
        }
        let inner = |t: &Token| {
            let word = matches!(t.kind, Kind::Word | Kind::Number) && stem(List::InnerThing, &t.text);
            if t.kind == Kind::Cjk { inner_run(&t.text, known) } else { word.then_some(true) }
        };
        let whole = |t: &Token| {
            matches!(t.kind, Kind::File | Kind::Path | Kind::Tick | Kind::Quote)
                || stem(List::WholeThing, &t.text)
        };
        let kind = |t: &Token| inner(t).or_else(|| whole(t).then_some(false));
        let verb = self.c.after.saturating_sub(self.c.start);
        let behind = tokens.get(verb..).unwrap_or_default().iter().find_map(kind);
        // Where words are not set apart, the verb stands in the run of what it is done to.
        let before = || tokens.get(..verb).unwrap_or_default().iter().rev().find_map(kind);
        behind.or_else(before).unwrap_or(false)
    }

    #[allow(clippy::wildcard_enum_match_arm, reason = "a few tags out of many")]
    fn question(self, tag: Tag) -> Found {
        let c = self.c;
        match tag {
            _ if !self.on(Rule::QuestionKinds) => (N::Explain, 1, "ask"),
            Tag::QWhy => (N::Explain, 2, "why"),
            Tag::QMean => (N::Clarify, 2, "mean"),
            Tag::QWhat | Tag::QWhich | Tag::QWhere if self.has(Tag::QMean) => (N::Clarify, 2, "mean"),
            Tag::QHowDesign => (N::Design, 2, "how-design"),
            Tag::QEffort => (N::Decompose, 2, "effort"),
            Tag::QWhere | Tag::QCount | Tag::QWhich | Tag::QWho => (N::Read, 2, "where"),
            Tag::QExist => (N::Read, 1, "exist"),
            Tag::QJudge if self.has(Tag::VReview) => (N::Review, 2, "judge"),
            Tag::QJudge => (N::Review, 1, "judge"),
            Tag::QWhat => (N::Explain, 2, "what"),
            Tag::QHow => (N::Explain, 2, "how"),
            Tag::QWhen => (N::Explain, 1, "when"),
            Tag::QWay => (N::Explain, 2, "way"),
            Tag::QOther if c.verb.is_some_and(|v| v.is_verb() && !v.acts()) => {
                (c.verb.and_then(leaf_of).unwrap_or(N::Explain), 2, "ask-verb")
            }
            _ => (N::Explain, 1, "ask"),
        }
    }
}

/// Whether a run without spaces names a thing inside a file, and no whole one behind it; `None` where it names neither.
fn inner_run(run: &str, known: &Tables) -> Option<bool> {
    let last = |list| known.words.list(list).iter().filter_map(|w| run.rfind(&**w)).max();
    let all = last(List::AllThings).is_some();
    match (last(List::InnerRun), last(List::WholeRun)) {
        (None, None) => None,
        (inner, whole) => Some(inner > whole && !all),
    }
}

/// The most letters that an ending adds to a noun: "imports" is of "import", "importants" is not.
const ENDING: usize = 3;

/// The leaf that a verb alone stands for.
#[allow(clippy::wildcard_enum_match_arm, reason = "a few tags out of many")]
pub(crate) fn leaf_of(tag: Tag) -> Option<N> {
    Some(match tag {
        Tag::VModify | Tag::VAdd => N::Modify,
        Tag::VCreate | Tag::VBuild => N::Create,
        Tag::VDelete => N::Delete,
        Tag::VExecute => N::Execute,
        Tag::VRead => N::Read,
        Tag::VExplain => N::Explain,
        Tag::VReview => N::Review,
        Tag::VAudit => N::Audit,
        Tag::VDesign => N::Design,
        Tag::VDecompose => N::Decompose,
        _ => return None,
    })
}

#[allow(clippy::wildcard_enum_match_arm, reason = "a few tags out of many")]
const fn depth(leaf: N) -> u8 {
    match leaf {
        N::Delete => 6,
        N::Create | N::Modify => 5,
        N::Execute => 4,
        N::Design | N::Decompose | N::Audit | N::Review => 3,
        N::Read | N::Clarify => 2,
        _ => 1,
    }
}

/// What the message as a whole wants; `None` when nothing in it speaks.
pub(crate) fn whole(doc: &Doc, s: &Structure<'_>, kept: &[usize]) -> Option<Guess> {
    if !s.known.on(Rule::TierStructure) {
        return None;
    }
    let mut best: Option<(u8, Guess)> = None;
    let questions = kept
        .iter()
        .filter_map(|k| s.clauses.get(*k))
        .any(|c| c.marked || matches!(c.form, Form::Question(_)));
    let removal = kept.iter().find(|k| s.clauses.get(**k).is_some_and(removes)).copied();
    let spared = |i: usize| {
        removal.is_some_and(|at| at < i) && s.clauses.get(i).is_some_and(|c| keeps(At { doc, s, c }))
    };
    let some = kept.iter().any(|k| spared(*k));
    for &i in kept {
        let Some(c) = s.clauses.get(i).filter(|_| !spared(i)) else { continue };
        let Some((leaf, weight, rule)) = clause(At { doc, s, c }) else { continue };
        // "remove the old workers, keep the new": of such things each is a whole one.
        let things = some && rule == "remove-other" && At { doc, s, c }.names_several();
        let weight = if things { 2 } else { weight };
        let rank = match c.form {
            Form::Order | Form::Request if is_action(leaf) => 40 + depth(leaf),
            Form::Order | Form::Request => 30,
            Form::Question(_) => 24 + u8::from(c.marked),
            Form::Wish if leaf == N::Delete && weight > 1 && !questions => 47,
            Form::Wish if !is_action(leaf) => 26,
            Form::Wish | Form::Ought => 16 + depth(leaf) / 3,
            Form::Complaint | Form::Statement | Form::Frame | Form::Empty => 8,
        } + weight;
        if best.is_none_or(|(r, _)| rank > r) {
            best = Some((rank, Guess { leaf, weight, rule, clause: i }));
        }
    }
    best.map(|(_, g)| g)
}

/// Whether a clause orders a removal.
fn removes(c: &Clause) -> bool {
    matches!(c.form, Form::Order | Form::Request) && c.verb == Some(Tag::VDelete)
}

/// "keep the handwritten one", "but leave the first": what is spared of a removal, no change of its own.
fn keeps(at: At<'_>) -> bool {
    let c = at.c;
    let leaves = c.form == Form::Order && c.verb == Some(Tag::VModify) && at.is(List::SpareLeave, at.head());
    leaves && c.object != Object::Pronoun
}

/// Whether a leaf changes or runs something.
pub(crate) const fn is_action(leaf: N) -> bool {
    leaf.scope().allows(Capability::Execute)
}
