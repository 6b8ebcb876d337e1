//! The classifier: every message becomes a path and a turn, without a network.
//!
//! Owns the order of the tiers and the cap that a prohibition sets. Never performs anything.

use std::{borrow::Cow, cell::OnceCell, sync::Arc};

use super::{
    IntentNode as N, IntentPath, PausedTurn, answer, command, context, features, fold,
    forbid::{self, Ban, Stays},
    lexicon::{Hit, Tag},
    parts::{Part, Rule, Tables},
    paused,
    reading::{Clarify, Classification, Message, Reading, Segment, Source},
    rules::{self, Guess},
    shell,
    stats::{Model, WeightsError},
    structure::{self, Clause, Form, Structure},
    subs, target,
    text::{self, Doc},
    turn::{Control, Phase, PlanSub, Turn},
    vote::{self, Vote},
    words::List,
};

/// Reads messages; cheap to copy, the tables are shared.
#[derive(Clone, Debug, Default)]
pub struct Classifier {
    pub(super) extra: Option<Arc<super::join::Known>>,
    pub(super) weights: Option<Arc<Model<'static>>>,
    pub(super) tables: Option<Arc<Tables>>,
}

/// A message taken apart once.
pub(crate) struct Parsed<'a> {
    pub text: &'a str,
    pub doc: Doc,
    pub structure: Structure<'a>,
    pub kept: Vec<usize>,
    pub withdrawn: bool,
    pub cover: Option<Vec<Vec<Tag>>>,
    pub ban: Ban,
    pub stays: Stays,
    pub guess: OnceCell<Option<Guess>>,
    pub asks: OnceCell<bool>,
}

impl<'a> Parsed<'a> {
    pub(crate) fn new(text: &'a str, known: &'a Tables) -> Self {
        Self::under(text, Ban::None, known)
    }

    /// A part of a message, and what the whole of it forbids.
    pub(crate) fn within(text: &'a str, whole: &str, known: &'a Tables) -> Self {
        Self::under(text, forbid::anywhere(whole, known), known)
    }

    pub(crate) fn under(text: &'a str, floor: Ban, known: &'a Tables) -> Self {
        let doc = text::tokenize(text);
        let structure = structure::analyze(&doc, known);
        let (kept, withdrawn) = fold::survivors(&doc, &structure);
        let cover = answer::cover(&doc, &structure);
        let ban = forbid::read(&doc, &structure, text).and(floor);
        let stays = forbid::alone(&doc, &structure, text);
        let (guess, asks) = (OnceCell::new(), OnceCell::new());
        Self { text, doc, structure, kept, withdrawn, cover, ban, stays, guess, asks }
    }

    /// Whether nothing may change; beside a plan "don't delete foo.rs" only narrows it.
    pub(crate) fn forbids(&self, phase: Phase) -> bool {
        self.ban.keeps_files() || (self.stays != Stays::Ordered && phase == Phase::Idle)
    }

    /// What is said beside a prohibition, when something is.
    pub(crate) fn beside_ban(&self, phase: Phase, paused: bool) -> Option<String> {
        // "fix the bug" is an order, of what may run nothing is left in doubt.
        let least = if self.ban == Ban::Runs { 5 } else { 9 };
        (self.ban != Ban::None && phase == Phase::Idle && !paused)
            .then(|| forbid::rest(&self.doc, &self.structure, self.text, least))
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
        spoken.clone().find(|c| !matches!(c.form, Form::Empty | Form::Frame)).is_some_and(|c| {
            let Form::Question(tag) = c.form else { return false };
            // "…. will then be sorted": a loose tail of an order, not a question
            c.marked || !ordered || !matches!(tag, Tag::QAux | Tag::QOther)
        })
    }
}

impl Classifier {
    /// The classifier with the tables built in; loads nothing before it is used.
    pub fn builtin() -> Self {
        Self::default()
    }

    /// The classifier without some of its parts, with weights learned without them.
    ///
    /// # Errors
    /// What is wrong with the weights.
    pub fn without(parts: &[Part], weights: Option<Vec<u8>>) -> Result<Self, WeightsError> {
        let weights = weights.map(|bytes| Model::parse(Cow::Owned(bytes))).transpose()?;
        let tables = Some(Arc::new(Tables::without(parts)));
        Ok(Self { weights: weights.map(Arc::new), tables, extra: None })
    }

    /// The features of a message for the leaves and turns: bucket and value.
    pub fn features(&self, m: &Message<'_>) -> Vec<(u32, f32)> {
        features::features(m, self.tables())
    }

    /// The features of a message for the guards, which say whether it only asks and whether it forbids.
    pub fn guards(&self, m: &Message<'_>) -> Vec<(u32, f32)> {
        features::guards(m, self.tables())
    }

    pub(super) fn tables(&self) -> &Tables {
        self.tables.as_deref().unwrap_or_else(|| Tables::builtin())
    }

    pub(super) fn model(&self) -> Option<&Model<'static>> {
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
            return slashed(trimmed, name, args, m, self.tables());
        }
        if m.paused {
            return self.at_pause(trimmed, &focus);
        }
        if let Some(line) = command::bang(trimmed) {
            return typed(line, m, self.tables());
        }
        if let Some((node, rest)) = command::node_prefix(trimmed) {
            return prefixed(node, rest, m, self.model(), self.tables());
        }
        if let Some(reading) = self.exact(&focus, m) {
            return reading;
        }
        let parsed = Parsed::within(&focus, trimmed, self.tables());
        let typed_line = self.tables().on(Rule::TierShell) && shell::leaf_of_line(trimmed).is_some();
        if parsed.ban == Ban::None && typed_line {
            let command = Some(shell::without_marks(trimmed));
            return Reading { command, ..typed(trimmed, m, self.tables()) };
        }
        let to_run = || shell::behind_run(trimmed, &self.tables().words);
        if let Some(line) =
            to_run().filter(|_| parsed.ban == Ban::None && m.phase == Phase::Idle && !m.plan_active)
            && self.tables().on(Rule::TierShell)
        {
            return typed(line, m, self.tables());
        }
        if let Some(reading) = self.read_at_last(trimmed, &parsed, m) {
            return reading;
        }
        let reading = self.similar(context::follow(self.prose(trimmed, &parsed, m), &parsed, m), m);
        self.worded(self.told_against(self.continued(reading, m), &parsed, m), m)
    }

    fn at_pause(&self, whole: &str, text: &str) -> Reading {
        let parsed = Parsed::within(text, whole, self.tables());
        let said = paused::read(&parsed.doc, &parsed.structure, parsed.cover.as_deref(), text);
        let mut turn = said.unwrap_or(PausedTurn::Resume);
        if said.is_none() && parsed.cover.is_none() && text.chars().any(char::is_alphabetic) {
            let shares = self
                .model()
                .map(|model| model.predict(&features::of(&parsed, Phase::AwaitingApproval, true)));
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
                let inner = Parsed::new(words, self.tables());
                if inner.structure.clauses.iter().all(|c| c.form == Form::Empty) && inner.cover.is_none() {
                    continue;
                }
                let mut class = finish(vote::decide(&inner, m, self.model()), &inner, m.phase);
                if inner.withdraws() {
                    class.turn = Turn::Control(Control::Cancel);
                    class.path = IntentPath::root();
                }
                segments.push(Segment { text: words.to_owned(), class, dropped });
            }
        }
        let mut whole = finish(vote, parsed, m.phase);
        whole.target = target::of_orders(&segments).or(whole.target);
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
            forbids_change: parsed.forbids(m.phase),
            forbids_run: parsed.ban == Ban::Runs,
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
    if reading.forbids_run && reading.whole.path.current() == N::Execute {
        reading.whole.path = IntentPath::to(N::Explain);
        reading.whole.turn = shallow(&reading.whole.turn);
        reading.whole.reasoning.push_str("; capped: the message forbids runs");
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
        scope_confidence: confidence,
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
        forbids_run: false,
        clarify: None,
        paused: None,
        slash: None,
        command: None,
    }
}

/// What a message forbids, wherever it says so.
fn ban_of(text: &str, known: &Tables) -> Ban {
    Parsed::within(&text::focus(text), text, known).ban
}

fn slashed(text: &str, name: String, args: String, m: &Message<'_>, known: &Tables) -> Reading {
    let (turn, leaf) = command::turn_of(&name, &args, m.phase);
    let mut reading = plain(made(turn, leaf, 1.0, Source::Slash, format!("command {name}")), text);
    let ban = ban_of(text, known);
    (reading.forbids_change, reading.forbids_run) = (ban.keeps_files(), ban == Ban::Runs);
    if m.paused {
        let out =
            matches!(reading.whole.turn, Turn::Control(Control::Exit | Control::Cancel | Control::Reset));
        reading.paused = Some(if out { PausedTurn::Breakout } else { PausedTurn::Resume });
    }
    reading.slash = Some((name, args));
    reading
}

fn typed(line: &str, m: &Message<'_>, known: &Tables) -> Reading {
    let leaf = shell::leaf_of_line(line).unwrap_or(N::Execute);
    let turn = vote::project(leaf, m.phase, m.plan_active);
    let mut reading =
        plain(made(turn, leaf, 0.97, Source::Heuristic, "a shell line, typed as it is".into()), line);
    reading.command = Some(line.to_owned());
    reading.forbids_change = ban_of(line, known) != Ban::None;
    reading
}

fn prefixed(node: N, rest: &str, m: &Message<'_>, model: Option<&Model<'_>>, known: &Tables) -> Reading {
    let focus = text::focus(rest);
    let parsed = Parsed::within(&focus, rest, known);
    // an inner node is a floor, not the end: the reading may choose among its children
    let below = vote::decide(&parsed, m, model).leaf;
    let inner = matches!(node, N::Plan | N::Understand | N::Analyze | N::Write);
    let node_leaf = if !inner || rest.is_empty() {
        node
    } else if node == N::Plan {
        if below == N::Design { N::Design } else { N::Decompose }
    } else if below.parent() == Some(node) {
        below
    } else {
        node
    };
    let turn = vote::project(node_leaf, m.phase, m.plan_active);
    let mut class = made(turn, node_leaf, 1.0, Source::AtNode, format!("@{} forces the node", node.name()));
    class.target = target::of(&parsed);
    let mut reading = plain(class, rest);
    (reading.forbids_change, reading.forbids_run) = (parsed.ban.keeps_files(), parsed.ban == Ban::Runs);
    reading
}

fn finish(vote: Vote, parsed: &Parsed<'_>, phase: Phase) -> Classification {
    let turn = match vote.turn {
        // Beside other work it is answered like any question.
        Turn::Query(None) if phase == Phase::Idle && subs::supposes(parsed) => {
            Turn::PlanNew(Some(PlanSub::Predict))
        }
        Turn::Query(None) => Turn::Query(subs::query(parsed)),
        Turn::PlanNew(None) => Turn::PlanNew(subs::plan(parsed)),
        turn @ (Turn::Query(_) | Turn::PlanNew(_) | Turn::PlanContinue | Turn::Control(_)) => turn,
    };
    let mut class = made(turn, vote.leaf, vote.confidence, vote.source, vote.reasoning);
    class.scope_confidence = vote.scope_confidence;
    class.target = target::of(parsed);
    class
}

/// Below this confidence an order is asked about before it is planned.
pub(super) const UNSURE: f32 = 0.4;

fn clarify(class: &Classification, parsed: &Parsed<'_>, m: &Message<'_>) -> Option<Clarify> {
    if matches!(class.turn, Turn::Control(_)) {
        return None;
    }
    if context::alone(parsed, m) {
        return Some(Clarify::Vague);
    }
    if m.phase != Phase::Idle {
        return None;
    }
    let leaf = class.path.current();
    let removes = leaf == N::Delete || parsed.guess().is_some_and(|g| g.leaf == N::Delete);
    if removes && rules::is_action(leaf) && asks_about_it(parsed) {
        return Some(Clarify::AnswerOrDo);
    }
    if rules::is_action(leaf) || leaf == N::Clarify {
        // What is only run is the project itself, whatever word stands for it.
        let runs = leaf == N::Execute;
        if !runs
            && parsed.structure.clauses.len() == 1
            && context::bare(parsed)
            && !context::refers(m.context)
        {
            return Some(Clarify::Vague);
        }
        if rules::is_action(leaf) && matches!(class.turn, Turn::Query(_)) {
            return Some(Clarify::AnswerOrDo);
        }
        if rules::is_action(leaf) && class.confidence < UNSURE {
            return Some(Clarify::Execute);
        }
    }
    // The structure sees an order where the statistics, hardly sure, see none.
    let split = parsed.guess().is_some_and(|g| rules::is_action(g.leaf)) && !parsed.asks();
    let unsure = split && class.confidence < UNSURE && !parsed.forbids(m.phase);
    if unsure || leaf == N::Clarify || class.source == Source::Fallback {
        return Some(Clarify::Unclear);
    }
    None
}

/// "can we get rid of foo or is something still using it": the answer may be that it is needed.
fn asks_about_it(parsed: &Parsed<'_>) -> bool {
    let s = &parsed.structure;
    let asks = |c: &Clause| matches!(c.form, Form::Question(_)) || (c.marked && c.form != Form::Request);
    let or = |h: &Hit| {
        let before = h.start.checked_sub(1).and_then(|i| parsed.doc.tokens.get(i));
        h.tag.asks() && before.is_some_and(|t| s.known.is(List::Or, &t.text))
    };
    parsed.kept.iter().filter_map(|k| s.clauses.get(*k)).any(asks) || s.hits.iter().any(or)
}
