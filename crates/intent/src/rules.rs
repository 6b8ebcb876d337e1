//! The structural tier: from forms, verbs and objects of clauses to a leaf.
//!
//! Owns the reading of one clause and of several together. Never looks at statistics.

use super::{
    IntentNode as N,
    lexicon::Tag,
    structure::{Clause, Form, Object, Structure},
    text::{Doc, Kind},
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

const CREATED: &[&str] = &[
    "file",
    "script",
    "migration",
    "dockerfile",
    "docker-compose",
    "readme",
    "changelog",
    "makefile",
    "workflow",
    "module",
    "package",
    "template",
    "license",
    "licence",
];

/// What one clause wants, if it wants anything.
pub(crate) fn clause(doc: &Doc, s: &Structure, c: &Clause) -> Option<(N, u8, &'static str)> {
    let gone = s.hits.iter().any(|h| h.tag == Tag::Gone && h.start >= c.start && h.start < c.end);
    if gone && !c.marked && matches!(c.form, Form::Statement | Form::Ought | Form::Complaint | Form::Frame) {
        return Some(match c.object {
            Object::Whole => (N::Delete, 2, "gone-whole"),
            Object::New => (N::Delete, 1, "gone-new"),
            Object::Inner => (N::Modify, 2, "gone-inner"),
            Object::Other | Object::Pronoun | Object::Missing => (N::Delete, 1, "gone-other"),
        });
    }
    match c.form {
        Form::Order | Form::Request | Form::Wish
            if matches!(c.verb, None | Some(Tag::VCreate | Tag::VModify | Tag::VBuild))
                && wanted_noun(doc, c).is_some() =>
        {
            wanted_noun(doc, c).map(|leaf| (leaf, 2, "noun"))
        }
        Form::Order | Form::Request | Form::Wish => {
            ordered(doc, c).map(|g| conditional(doc, s, c, g)).or(match c.form {
                Form::Wish if gives(doc, c) && c.object != Object::New => Some((N::Explain, 1, "give")),
                Form::Wish if c.object == Object::New && !c.located => Some((N::Create, 1, "wish-new")),
                Form::Wish => Some((N::Modify, 1, "wish")),
                Form::Request => Some((N::Explain, 1, "request")),
                Form::Order
                | Form::Ought
                | Form::Question(_)
                | Form::Complaint
                | Form::Statement
                | Form::Frame
                | Form::Empty => Some((N::Modify, 1, "verb-unknown")),
            })
        }
        Form::Question(tag) => Some(question(doc, s, c, tag)),
        Form::Ought => Some((N::Modify, 2, "ought")),
        Form::Complaint if c.end - c.start < 4 => Some((N::Clarify, 1, "complaint-short")),
        Form::Complaint => Some((N::Modify, 1, "complaint")),
        Form::Statement => stated(doc, s, c),
        Form::Frame | Form::Empty => None,
    }
}

/// A statement tells how things are, or names what is wanted without a verb.
fn stated(doc: &Doc, s: &Structure, c: &Clause) -> Option<(N, u8, &'static str)> {
    let first = doc.tokens.get(c.head)?;
    let opens = matches!(
        first.text.as_str(),
        "a" | "an" | "new" | "another" | "one" | "some" | "neue" | "nuevo" | "nouveau" | "novo"
    );
    if opens {
        return Some(if c.object == Object::New || c.object == Object::Whole {
            (N::Create, 1, "fragment-new")
        } else {
            (N::Modify, 1, "fragment")
        });
    }
    let forbids = s.hits.iter().any(|h| h.tag == Tag::Forbid && h.start >= c.start && h.start < c.end);
    let personal = first.text == "i" || first.text == "im" || first.text == "ive";
    (c.end - c.start > 3 && !forbids && !personal && !c.foreign).then_some((N::Modify, 1, "statement"))
}

/// "clean up the old logs": many whole things.
fn cleans_away(doc: &Doc, c: &Clause) -> bool {
    let head: Vec<&str> =
        doc.tokens.get(c.head..c.after).unwrap_or(&[]).iter().map(|t| t.text.as_str()).collect();
    let plural = [
        "files",
        "branches",
        "containers",
        "images",
        "volumes",
        "logs",
        "artifacts",
        "backups",
        "snapshots",
        "tags",
        "directories",
        "folders",
        "databases",
        "tables",
        "records",
        "rows",
        "pods",
        "buckets",
        "screenshots",
    ];
    matches!(head.first(), Some(&"clean" | &"tidy" | &"cleanup" | &"clear"))
        && words(doc, c, 5).any(|w| plural.contains(&w))
}

/// "if x is none, check y": how the program should behave, not what to look into.
fn conditional(doc: &Doc, s: &Structure, c: &Clause, guess: (N, u8, &'static str)) -> (N, u8, &'static str) {
    let framed = s.clauses.iter().any(|f| {
        f.form == Form::Frame
            && f.end < c.start
            && f.end + 2 >= c.start
            && doc
                .tokens
                .get(f.head)
                .is_some_and(|t| matches!(t.text.as_str(), "if" | "when" | "whenever" | "unless"))
            && !doc
                .tokens
                .get(f.start..f.end)
                .unwrap_or(&[])
                .iter()
                .any(|t| matches!(t.text.as_str(), "i" | "you" | "we"))
    });
    if framed
        && c.form == Form::Order
        && matches!(guess.0, N::Audit | N::Read | N::Execute | N::Explain | N::Delete | N::Create)
    {
        return (N::Modify, 2, "conditional");
    }
    guess
}

/// Nouns that name a kind of answer: who wants one does not want a file changed.
fn wanted_noun(doc: &Doc, c: &Clause) -> Option<N> {
    let into = c.verb == Some(Tag::VModify);
    let list: Vec<&str> = words(doc, c, if into { 9 } else { 5 }).collect();
    let tail = if into { list.split(|w| *w == "into").nth(1)? } else { &list };
    tail.iter()
        .take(4)
        .take_while(|w| into || !matches!(**w, "for" | "of" | "in" | "to" | "from" | "that" | "with"))
        .find_map(|w| {
            Some(match *w {
                "opinion" | "feedback" | "thoughts" | "critique" | "verdict" | "review" => N::Review,
                "advice" | "alternatives" | "ideas" | "options" | "suggestions" | "recommendation"
                | "recommendations" | "proposal" | "proposals" | "guidance" => N::Design,
                "estimate" | "plan" | "roadmap" | "checklist" | "stories" | "tickets" | "tasks"
                | "backlog" | "milestones" | "timeline" | "steps" | "todos" | "todo" | "subtasks"
                | "schedule" => N::Decompose,
                "explanation" | "overview" | "summary" | "details" | "rundown" | "clarity" | "info"
                | "information" => N::Explain,
                "audit" | "analysis" | "investigation" | "diagnosis" => N::Audit,
                "list" | "path" | "paths" | "contents" | "names" | "log" | "logs" | "diff" => N::Read,
                _ => return None,
            })
        })
}

/// "propose an edit": the change itself is wanted, for approval.
fn proposes_edit(doc: &Doc, c: &Clause) -> bool {
    words(doc, c, 4).any(|w| matches!(w, "edit" | "edits" | "patch" | "diff" | "fix"))
}

#[allow(clippy::wildcard_enum_match_arm, reason = "a few tags out of many")]
fn ordered(doc: &Doc, c: &Clause) -> Option<(N, u8, &'static str)> {
    let weight = if c.form == Form::Wish { 2 } else { 3 };
    Some(match c.verb? {
        Tag::VModify if cleans_away(doc, c) => (N::Delete, 2, "cleans-away"),
        Tag::VModify => {
            (N::Modify, if c.object == Object::Missing && !c.foreign { 1 } else { weight }, "verb-modify")
        }
        Tag::VAdd => add(doc, c, weight),
        Tag::VCreate => {
            (N::Create, if c.object == Object::Inner && !c.foreign { 2 } else { weight }, "verb-create")
        }
        Tag::VBuild => build(doc, c, weight),
        Tag::VDelete => delete(doc, c, weight),
        Tag::VExecute if kills(doc, c) => delete(doc, c, weight),
        Tag::VExecute => (N::Execute, weight, "verb-execute"),
        Tag::VRead => (N::Read, weight, "verb-read"),
        Tag::VExplain => (N::Explain, weight, "verb-explain"),
        Tag::VReview => (N::Review, weight, "verb-review"),
        Tag::VAudit => (N::Audit, weight, "verb-audit"),
        Tag::VDesign if proposes_edit(doc, c) => (N::Modify, 2, "propose-edit"),
        Tag::VDesign => (N::Design, weight, "verb-design"),
        Tag::VDecompose if outlines(doc, c) => (N::Read, 3, "outline-file"),
        Tag::VDecompose => (N::Decompose, weight, "verb-decompose"),
        _ => return None,
    })
}

/// "kill the branch", "kill the sidebar": a removal, where "kill the server" stops it.
fn kills(doc: &Doc, c: &Clause) -> bool {
    doc.tokens.get(c.head).is_some_and(|t| t.text == "kill")
        && (c.object == Object::Inner
            || words(doc, c, 5).any(|w| {
                matches!(
                    w,
                    "branch"
                        | "branches"
                        | "file"
                        | "files"
                        | "folder"
                        | "folders"
                        | "directory"
                        | "table"
                        | "tables"
                        | "database"
                        | "repo"
                        | "page"
                        | "component"
                        | "module"
                        | "feature"
                )
            }))
}

/// "outline src/main.rs": its structure is to be shown.
fn outlines(doc: &Doc, c: &Clause) -> bool {
    doc.tokens.get(c.head).is_some_and(|t| t.text == "outline")
        && (doc
            .tokens
            .get(c.after..c.end.min(c.after + 3))
            .unwrap_or(&[])
            .iter()
            .any(|t| matches!(t.kind, Kind::File | Kind::Path))
            || words(doc, c, 3).any(|w| {
                matches!(
                    w,
                    "file" | "module" | "class" | "header" | "code" | "structure" | "source" | "crate"
                )
            }))
}

fn gives(doc: &Doc, c: &Clause) -> bool {
    doc.tokens
        .get(c.start..c.head)
        .unwrap_or(&[])
        .iter()
        .any(|t| matches!(t.text.as_str(), "give" | "get" | "send" | "hand" | "provide" | "gimme" | "share"))
}

fn words<'a>(doc: &'a Doc, c: &Clause, reach: usize) -> impl Iterator<Item = &'a str> {
    let end = c.end.min(c.after + reach).max(c.after);
    doc.tokens.get(c.after..end).unwrap_or(&[]).iter().map(|t| t.text.as_str())
}

fn add(doc: &Doc, c: &Clause, weight: u8) -> (N, u8, &'static str) {
    let first: Vec<&str> = words(doc, c, 4).collect();
    let fresh = first.iter().take(3).any(|w| CREATED.contains(w)) && !first.contains(&"to");
    let named =
        doc.tokens.get(c.after..c.end.min(c.after + 3)).unwrap_or(&[]).iter().any(|t| t.kind == Kind::File);
    if (fresh || named) && !c.foreign {
        (N::Create, weight, "add-new")
    } else {
        (N::Modify, weight, "add-to")
    }
}

fn build(doc: &Doc, c: &Clause, weight: u8) -> (N, u8, &'static str) {
    match words(doc, c, 1).next() {
        Some("a" | "an" | "me" | "us" | "new" | "our" | "some" | "another" | "out") => {
            (N::Create, weight, "build-new")
        }
        None | Some("the" | "it" | "this" | "and" | "with" | "for" | "everything" | "all" | "in") => {
            (N::Execute, 2, "build-run")
        }
        Some(_) => (N::Modify, 1, "make"),
    }
}

/// "clear the form after submit": how the program should behave.
fn reacts(doc: &Doc, c: &Clause) -> bool {
    let verb = doc.tokens.get(c.head).map_or("", |t| t.text.as_str());
    let wipes = matches!(verb, "clear" | "empty" | "flush" | "reset" | "discard");
    let tail: Vec<&str> = words(doc, c, 9).collect();
    wipes
        && tail.iter().zip(tail.iter().skip(1)).skip(1).any(|(a, b)| {
            matches!(*a, "when" | "whenever" | "once" | "after" | "before" | "on" | "every")
                && (matches!(*a, "when" | "whenever" | "once")
                    || matches!(
                        *b,
                        "submit"
                            | "logout"
                            | "exit"
                            | "close"
                            | "save"
                            | "sending"
                            | "each"
                            | "every"
                            | "time"
                            | "a"
                            | "startup"
                            | "unmount"
                            | "navigation"
                    ))
        })
}

fn delete(doc: &Doc, c: &Clause, weight: u8) -> (N, u8, &'static str) {
    if c.foreign {
        return (N::Delete, 2, "delete-foreign");
    }
    if reacts(doc, c) {
        return (N::Modify, 2, "delete-reacts");
    }
    match c.object {
        Object::Whole | Object::New => (N::Delete, weight, "delete-whole"),
        Object::Inner => (N::Modify, weight, "delete-inner"),
        Object::Pronoun | Object::Missing | Object::Other => {
            let verb = doc.tokens.get(c.head).map_or("", |t| t.text.as_str());
            let soft = matches!(
                verb,
                "remove" | "eliminate" | "take" | "strip" | "clear" | "drop" | "lose" | "scrap" | "get"
            );
            match (soft, c.located) {
                (true, true) => (N::Modify, 1, "remove-located"),
                (true, false) => (N::Delete, 1, "remove-other"),
                (false, _) => (N::Delete, 2, "delete-other"),
            }
        }
    }
}

/// "why does it not start"; but not "why not" or "and not".
fn negated(doc: &Doc, c: &Clause) -> bool {
    let words = doc.tokens.get(c.after..c.end).unwrap_or(&[]);
    words
        .iter()
        .zip(words.iter().skip(1))
        .any(|(a, b)| b.text == "not" && !matches!(a.text.as_str(), "and" | "why" | "or" | "but"))
}

#[allow(clippy::wildcard_enum_match_arm, reason = "a few tags out of many")]
fn question(doc: &Doc, s: &Structure, c: &Clause, tag: Tag) -> (N, u8, &'static str) {
    let has = |tag: Tag| s.hits.iter().any(|h| h.tag == tag && h.start >= c.start && h.start < c.end);
    let fault_anywhere = s.clauses.iter().any(|c| c.fault);
    match tag {
        Tag::QWhy if c.fault || negated(doc, c) => (N::Audit, 3, "why-fault"),
        Tag::QWhy if fault_anywhere && c.end - c.start < 6 => (N::Audit, 3, "why-it"),
        Tag::QWhy if s.clauses.len() > 1 && c.end - c.start < 4 => (N::Audit, 2, "why-it"),
        Tag::QWhy => (N::Explain, 2, "why"),
        Tag::QMean => (N::Clarify, 2, "mean"),
        Tag::QWhat | Tag::QWhich | Tag::QWhere if has(Tag::QMean) => (N::Clarify, 2, "mean"),
        Tag::QHowDesign => (N::Design, 2, "how-design"),
        Tag::QEffort => (N::Decompose, 2, "effort"),
        Tag::QWhere | Tag::QCount | Tag::QWhich | Tag::QWho => (N::Read, 2, "where"),
        Tag::QExist => (N::Read, 1, "exist"),
        Tag::QJudge if has(Tag::VReview) => (N::Review, 2, "judge"),
        Tag::QJudge => (N::Review, 1, "judge"),
        Tag::QWhat if c.fault => (N::Audit, 1, "what-fault"),
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
pub(crate) fn whole(doc: &Doc, s: &Structure, kept: &[usize]) -> Option<Guess> {
    let mut best: Option<(u8, Guess)> = None;
    let questions = kept
        .iter()
        .filter_map(|k| s.clauses.get(*k))
        .any(|c| c.marked || matches!(c.form, Form::Question(_)));
    for &i in kept {
        let Some(c) = s.clauses.get(i) else { continue };
        let Some((leaf, weight, rule)) = clause(doc, s, c) else { continue };
        let asks = matches!(c.form, Form::Question(_))
            || (!is_action(leaf) && matches!(c.form, Form::Order | Form::Request));
        let rank = match c.form {
            Form::Order | Form::Request if is_action(leaf) => 40 + depth(leaf),
            Form::Order | Form::Request => 30,
            Form::Question(_) => 24 + u8::from(c.marked),
            Form::Wish if leaf == N::Delete && weight > 1 && !questions => 47,
            Form::Wish if !is_action(leaf) => 26,
            Form::Wish | Form::Ought => 16 + depth(leaf) / 3,
            Form::Complaint | Form::Statement | Form::Frame | Form::Empty => 8,
        } + weight;
        let later = best.is_some_and(|(r, g)| asks && r < 36 && rank + 3 >= r && !is_action(g.leaf));
        if best.is_none_or(|(r, _)| rank > r) || later {
            best = Some((rank, Guess { leaf, weight, rule, clause: i }));
        }
    }
    best.map(|(_, g)| g)
}

/// Whether a leaf changes or runs something.
pub(crate) const fn is_action(leaf: N) -> bool {
    matches!(leaf, N::Create | N::Modify | N::Delete | N::Execute | N::Write)
}
