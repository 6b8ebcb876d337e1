//! The classifier: every message becomes a path and a turn, without a network.
//!
//! Owns the order of the tiers and the cap that a prohibition sets. Never performs anything.

use std::{borrow::Cow, cell::OnceCell, sync::Arc};

use super::{
    IntentNode as N, IntentPath, PausedTurn, answer, command, context, fold,
    forbid::{self, Ban},
    lexicon::Tag,
    paused,
    reading::{Clarify, Classification, Message, Reading, Segment, Source},
    rules::{self, Guess},
    shell,
    stats::Model,
    structure::{self, Form, Structure},
    text::{self, Doc},
    turn::{Control, Phase, PlanSub, QuerySub, Turn},
    vote::{self, Vote},
};

/// Reads messages; cheap to copy, the tables are shared.
#[derive(Clone, Debug, Default)]
pub struct Classifier {
    pub(super) extra: Option<Arc<super::join::Known>>,
    pub(super) weights: Option<Arc<Model<'static>>>,
}

/// A message taken apart once.
pub(crate) struct Parsed<'a> {
    pub text: &'a str,
    pub doc: Doc,
    pub structure: Structure,
    pub kept: Vec<usize>,
    pub withdrawn: bool,
    pub cover: Option<Vec<Vec<Tag>>>,
    pub ban: Ban,
    pub guess: OnceCell<Option<Guess>>,
    pub asks: OnceCell<bool>,
}

impl<'a> Parsed<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self::under(text, Ban::None)
    }

    /// A part of a message, and what the whole of it forbids.
    pub(crate) fn under(text: &'a str, floor: Ban) -> Self {
        let doc = text::tokenize(text);
        let structure = structure::analyze(&doc);
        let (kept, withdrawn) = fold::survivors(&doc, &structure);
        let cover = answer::cover(&doc, &structure);
        let ban = forbid::read(&doc, &structure, text).max(floor);
        let (guess, asks) = (OnceCell::new(), OnceCell::new());
        Self { text, doc, structure, kept, withdrawn, cover, ban, guess, asks }
    }

    /// What is said beside a prohibition, when something is.
    pub(crate) fn beside_ban(&self, phase: Phase, paused: bool) -> Option<String> {
        (self.ban != Ban::None && phase == Phase::Idle && !paused)
            .then(|| forbid::rest(&self.doc, &self.structure, self.text))
            .flatten()
    }

    pub(crate) fn guess(&self) -> Option<Guess> {
        *self.guess.get_or_init(|| rules::whole(&self.doc, &self.structure, &self.kept))
    }

    /// Nothing but a word that takes back what was said before it.
    fn withdraws(&self) -> bool {
        let quiet = self
            .structure
            .clauses
            .iter()
            .all(|c| matches!(c.form, Form::Statement | Form::Empty | Form::Complaint));
        quiet && self.structure.hits.iter().any(|h| h.tag == Tag::InMsgCancel)
    }

    /// The message only asks: its last clause that speaks is a question.
    pub(crate) fn asks(&self) -> bool {
        *self.asks.get_or_init(|| self.only_asks())
    }

    fn only_asks(&self) -> bool {
        let ordered = self.guess().is_some_and(|g| rules::is_action(g.leaf) && g.weight >= 3);
        let spoken = self.kept.iter().rev().filter_map(|k| self.structure.clauses.get(*k));
        spoken.clone().find(|c| !matches!(c.form, Form::Empty | Form::Frame)).is_some_and(|c| match c.form {
            // "…. will then be sorted": a loose tail of an order, not a question
            Form::Question(Tag::QAux | Tag::QOther) => c.marked || !ordered,
            Form::Question(_) => true,
            Form::Order
            | Form::Request
            | Form::Wish
            | Form::Ought
            | Form::Complaint
            | Form::Statement
            | Form::Frame
            | Form::Empty => false,
        })
    }
}

impl Classifier {
    /// The classifier with the tables built in; loads nothing before it is used.
    pub fn builtin() -> Self {
        Self::default()
    }

    /// The classifier with further exemplars of the user.
    ///
    /// # Errors
    /// When the text is no exemplar file: what is wrong, and in which line and column.
    pub fn with_exemplars(yaml: &str) -> Result<Self, super::exemplars::ExemplarError> {
        let own = super::exemplars::Exemplars::parse(yaml)?;
        Ok(Self::configured(Some(own), super::similar::Thresholds::default()))
    }

    /// The classifier with other weights than the built-in ones, as the trainer measures them;
    /// `None` when their size is wrong.
    pub fn with_weights(bytes: Vec<u8>) -> Option<Self> {
        let weights = Model::parse(Cow::Owned(bytes))?;
        Some(Self { weights: Some(Arc::new(weights)), ..Self::default() })
    }

    fn model(&self) -> Option<&Model<'static>> {
        match &self.weights {
            Some(own) => Some(own),
            None => Model::builtin(),
        }
    }

    /// Reads a message. Total and deterministic: any text in any phase gives a valid path.
    pub fn read(&self, m: &Message<'_>) -> Reading {
        let mut reading = self.tiers(m);
        cap(&mut reading, m);
        reading
    }

    fn tiers(&self, m: &Message<'_>) -> Reading {
        let trimmed = m.text.trim_matches(|c: char| c.is_whitespace() || c.is_control());
        let focus = text::focus(trimmed);
        if let Some((name, args)) = command::slash(trimmed) {
            return slashed(trimmed, name, args, m);
        }
        if m.paused {
            return self.at_pause(trimmed, &focus);
        }
        if let Some(line) = command::bang(trimmed) {
            return typed(line, m);
        }
        if let Some((node, rest)) = command::node_prefix(trimmed) {
            return prefixed(node, rest, m, self.model());
        }
        if let Some(reading) = self.exact(&focus, m) {
            return reading;
        }
        let parsed = Parsed::under(&focus, forbid::anywhere(trimmed));
        if parsed.ban == Ban::None && shell::leaf_of_line(trimmed).is_some() {
            return typed(trimmed, m);
        }
        self.similar(context::follow(self.prose(trimmed, &parsed, m), &parsed, m), m)
    }

    fn at_pause(&self, whole: &str, text: &str) -> Reading {
        let parsed = Parsed::under(text, forbid::anywhere(whole));
        let mut turn = paused::read(&parsed.doc, &parsed.structure, parsed.cover.as_deref(), text);
        if turn == PausedTurn::Resume && parsed.cover.is_none() && text.chars().any(char::is_alphabetic) {
            let shares = self
                .model()
                .map(|model| model.predict(&super::features::of(&parsed, Phase::AwaitingApproval, true)));
            if shares.is_some_and(|s| s.turn("breakout") > s.turn("resume").max(0.5)) {
                turn = PausedTurn::Breakout;
            }
        }
        let asks = parsed.asks() && turn == PausedTurn::Resume;
        let destroys = parsed.guess().is_some_and(|g| g.leaf == N::Delete && g.weight >= 2);
        let leaf = if destroys && turn == PausedTurn::Breakout && parsed.cover.is_none() {
            N::Delete
        } else if asks {
            N::Explain
        } else {
            N::Conversation
        };
        let control = if turn == PausedTurn::Resume { Control::Proceed } else { Control::Cancel };
        let kind = if asks { Turn::Query(None) } else { Turn::Control(control) };
        let reasoning = match turn {
            PausedTurn::Resume => "paused pipeline: the message answers it",
            PausedTurn::Breakout => "paused pipeline: a word that leaves it",
        };
        let mut reading = plain(made(kind, leaf, 0.85, Source::Heuristic, reasoning.into()), text);
        reading.paused = Some(turn);
        reading.forbids_change = parsed.ban != Ban::None;
        reading
    }

    pub(super) fn prose(&self, full: &str, parsed: &Parsed<'_>, m: &Message<'_>) -> Reading {
        let vote = vote::decide(parsed, m, self.model());
        let mut segments = Vec::new();
        let parts = fold::parts(&parsed.doc, &parsed.structure);
        if parts.len() > 1 && vote.source != Source::Fallback {
            for part in parts.iter().take(24) {
                let words = parsed.text.get(part.from..part.to).unwrap_or("");
                let dropped = !(part.first..part.end).any(|c| parsed.kept.contains(&c));
                let inner = Parsed::new(words);
                if inner.structure.clauses.iter().all(|c| c.form == Form::Empty) && inner.cover.is_none() {
                    continue;
                }
                let mut class = finish(vote::decide(&inner, m, self.model()), &inner, m);
                if inner.withdraws() {
                    class.turn = Turn::Control(Control::Cancel);
                    class.path = IntentPath::root();
                }
                segments.push(Segment { text: words.to_owned(), class, dropped });
            }
        }
        let whole = finish(vote, parsed, m);
        if segments.is_empty() {
            segments.push(Segment { text: full.to_owned(), class: whole.clone(), dropped: false });
        }
        let ordered = order(&segments, m.phase);
        let clarify = clarify(&whole, parsed, m);
        Reading {
            whole,
            text: full.to_owned(),
            segments,
            ordered,
            forbids_change: parsed.ban != Ban::None,
            clarify,
            paused: None,
            slash: None,
            command: None,
        }
    }
}

/// What a prohibition, or conversation only, leaves of a reading.
pub(super) fn cap(reading: &mut Reading, m: &Message<'_>) {
    let typed = reading.command.is_some() && reading.whole.path.current() == N::Execute;
    if reading.forbids_change && (typed || writes(&reading.whole)) {
        reading.whole.path = IntentPath::to(if reading.command.is_some() { N::Clarify } else { N::Explain });
        reading.whole.turn = shallow(&reading.whole.turn);
        reading.whole.reasoning.push_str("; capped: the message forbids changes");
    }
    if m.chat_only && (writes(&reading.whole) || reading.whole.path.current() == N::Execute) {
        reading.whole.path = IntentPath::to(N::Explain);
        reading.whole.turn = shallow(&reading.whole.turn);
        reading.whole.reasoning.push_str("; capped: conversation only");
    }
}

fn writes(class: &Classification) -> bool {
    class.scope().allows(crate::scope::Capability::Write)
        || class.scope().allows(crate::scope::Capability::Delete)
}

fn shallow(turn: &Turn) -> Turn {
    match turn {
        Turn::PlanNew(_) => Turn::Query(None),
        Turn::PlanContinue => Turn::PlanContinue,
        Turn::Query(sub) => Turn::Query(*sub),
        Turn::Control(control) => Turn::Control(control.clone()),
    }
}

/// Segments to execute: cancels first remove what stands before them, dropped parts go.
fn order(segments: &[Segment], phase: Phase) -> Vec<usize> {
    let mut out: Vec<usize> = Vec::new();
    for (i, s) in segments.iter().enumerate() {
        let cancel = s.class.turn == Turn::Control(Control::Cancel);
        if s.dropped && !(cancel && phase != Phase::Idle) {
            continue;
        }
        if cancel {
            out.retain(|j| {
                !matches!(
                    segments.get(*j).map(|s| &s.class.turn),
                    Some(Turn::PlanNew(_) | Turn::PlanContinue)
                )
            });
            if phase == Phase::Idle {
                continue;
            }
        }
        out.push(i);
    }
    out
}

fn made(turn: Turn, leaf: N, confidence: f32, source: Source, reasoning: String) -> Classification {
    let sub_confidence = if super::reading::turn_names(&turn).1.is_some() { confidence } else { 0.0 };
    Classification {
        turn,
        path: IntentPath::to(leaf),
        target: None,
        confidence,
        sub_confidence,
        source,
        reasoning,
    }
}

fn plain(class: Classification, text: &str) -> Reading {
    Reading {
        segments: vec![Segment { text: text.to_owned(), class: class.clone(), dropped: false }],
        whole: class,
        text: text.to_owned(),
        ordered: vec![0],
        forbids_change: false,
        clarify: None,
        paused: None,
        slash: None,
        command: None,
    }
}

/// Whether a message forbids changes, wherever it says so.
fn forbids(text: &str) -> bool {
    Parsed::under(&text::focus(text), forbid::anywhere(text)).ban != Ban::None
}

fn slashed(text: &str, name: String, args: String, m: &Message<'_>) -> Reading {
    let (turn, leaf) = command::turn_of(&name, &args, m.phase);
    let mut reading = plain(made(turn, leaf, 1.0, Source::Slash, format!("command {name}")), text);
    reading.forbids_change = forbids(text);
    if m.paused {
        let out =
            matches!(reading.whole.turn, Turn::Control(Control::Exit | Control::Cancel | Control::Reset));
        reading.paused = Some(if out { PausedTurn::Breakout } else { PausedTurn::Resume });
    }
    reading.slash = Some((name, args));
    reading
}

fn typed(line: &str, m: &Message<'_>) -> Reading {
    let leaf = shell::leaf_of_line(line).unwrap_or(N::Execute);
    let turn = vote::project(leaf, m.phase, m.plan_active, line);
    let mut reading =
        plain(made(turn, leaf, 0.97, Source::Heuristic, "a shell line, typed as it is".into()), line);
    reading.command = Some(line.to_owned());
    reading.forbids_change = forbids(line);
    reading
}

fn prefixed(node: N, rest: &str, m: &Message<'_>, model: Option<&Model<'_>>) -> Reading {
    let focus = text::focus(rest);
    let parsed = Parsed::under(&focus, forbid::anywhere(rest));
    // an inner node is a floor, not the end: the reading may choose among its children
    let below = vote::decide(&parsed, m, model).leaf;
    let inner = matches!(node, N::Plan | N::Understand | N::Analyze | N::Write);
    let node_leaf = if !inner || rest.is_empty() {
        node
    } else if node == N::Plan {
        if below == N::Design { N::Design } else { N::Decompose }
    } else if node.children().contains(&below) {
        below
    } else {
        node
    };
    let turn = vote::project(node_leaf, m.phase, m.plan_active, rest);
    let mut class = made(turn, node_leaf, 1.0, Source::AtNode, format!("@{} forces the node", node.name()));
    class.target = target(&parsed);
    let mut reading = plain(class, rest);
    reading.forbids_change = parsed.ban != Ban::None;
    reading
}

fn finish(vote: Vote, parsed: &Parsed<'_>, _m: &Message<'_>) -> Classification {
    let turn = match vote.turn {
        Turn::Query(None) => Turn::Query(query_sub(parsed)),
        Turn::PlanNew(None) => Turn::PlanNew(plan_sub(parsed)),
        turn @ (Turn::Query(_) | Turn::PlanNew(_) | Turn::PlanContinue | Turn::Control(_)) => turn,
    };
    let mut class = made(turn, vote.leaf, vote.confidence, vote.source, vote.reasoning);
    class.target = target(parsed);
    class
}

fn has_word(parsed: &Parsed<'_>, words: &[&str]) -> bool {
    parsed.doc.tokens.iter().any(|t| words.contains(&t.text.as_str()))
}

fn query_sub(parsed: &Parsed<'_>) -> Option<QuerySub> {
    let text = parsed.text.to_lowercase();
    let any = |list: &[&str]| list.iter().any(|p| text.contains(p));
    if has_word(parsed, &["summarize", "summarise", "summary", "recap", "tldr", "gist", "zusammenfassung"])
        || any(&[
            "key points",
            "main points",
            "in short",
            "fasse ",
            "sum up",
            "resume ",
            "résume",
            "总结",
            "要約",
            "요약",
        ])
    {
        return Some(QuerySub::Summary);
    }
    if any(&[
        "how did you",
        "how do you know",
        "where did you get",
        "where did that come from",
        "where does that come from",
        "where did this come from",
        "show me the proof",
        "what makes you",
        "based on what",
        "what evidence",
        "which source",
        "what's your source",
        "whats your source",
        "how did we get",
        "why do you think",
        "woher weißt",
    ]) {
        return Some(QuerySub::Provenance);
    }
    if any(&[
        "in more detail",
        "more detail",
        "drill down",
        "explain more",
        "what specifically",
        "elaborate",
        "go deeper",
        "more about",
        "dig deeper",
        "expand on",
    ]) {
        return Some(QuerySub::Detail);
    }
    let leaf = parsed.guess().map(|g| g.leaf);
    (leaf == Some(N::Read) || any(&["what is the value", "what did we find", "what's the value"]))
        .then_some(QuerySub::Lookup)
}

fn plan_sub(parsed: &Parsed<'_>) -> Option<PlanSub> {
    if has_word(parsed, &["compare", "versus", "vs", "vergleiche", "compara", "confronta", "сравни"])
        || parsed.text.contains("比较")
        || parsed.text.contains("比較")
    {
        return Some(PlanSub::Compare);
    }
    let text = parsed.text.to_lowercase();
    let any = |list: &[&str]| list.iter().any(|p| text.contains(p));
    (any(&["what if", "what would happen", "what happens if", "predict", "forecast", "simulate the effect"]))
        .then_some(PlanSub::Predict)
}

/// The first name in the message: a file, a path, something between backticks.
fn target(parsed: &Parsed<'_>) -> Option<String> {
    use super::text::Kind;
    let token = parsed
        .doc
        .tokens
        .iter()
        .find(|t| matches!(t.kind, Kind::File | Kind::Path | Kind::Tick))
        .or_else(|| parsed.doc.tokens.iter().find(|t| matches!(t.kind, Kind::Ident | Kind::Quote)));
    if let Some(token) = token {
        let raw = parsed.text.get(token.start..token.end)?;
        return Some(raw.trim_matches(['`', '"', '\'', '“', '”']).to_owned());
    }
    let clause = parsed.guess().and_then(|g| parsed.structure.clauses.get(g.clause))?;
    let first = parsed.doc.tokens.get(clause.after)?;
    let last = parsed.doc.tokens.get(clause.end.checked_sub(1)?)?;
    let words = parsed.text.get(first.start..last.end)?.trim();
    (!words.is_empty() && words.len() < 120).then(|| words.to_owned())
}

fn clarify(class: &Classification, parsed: &Parsed<'_>, m: &Message<'_>) -> Option<Clarify> {
    if m.phase != Phase::Idle || matches!(class.turn, Turn::Control(_)) {
        return None;
    }
    let leaf = class.path.current();
    if rules::is_action(leaf) || leaf == N::Clarify {
        if parsed.structure.clauses.len() == 1 && context::bare(parsed) && !context::refers(m.context) {
            return Some(Clarify::Vague);
        }
        if rules::is_action(leaf) && matches!(class.turn, Turn::Query(_)) {
            return Some(Clarify::AnswerOrDo);
        }
        if rules::is_action(leaf) && (0.5..0.8).contains(&class.confidence) {
            return Some(Clarify::Execute);
        }
    }
    if leaf == N::Clarify || class.source == Source::Fallback {
        return Some(Clarify::Unclear);
    }
    None
}
