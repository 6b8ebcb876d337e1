//! What the user says: read, recorded, routed.

use super::terms::LaneOpening;
use super::{Decided, Draft};
use crate::{
    blob::BlobId,
    checkpoint::{Answer, CheckpointKind},
    event::{Event, Level},
    ids::{Seq, TurnId},
    input::Refusal,
    intent::{
        Clarify, Classification, Control, IntentNode, IntentPath, Mode, Phase, Reading, Source, Turn,
        reading::turn_names,
    },
    phase::{Move, Trigger},
    picture,
    question::Lone,
    scope::Capability,
    session::{LaneKind, state::HEAD_CHARS},
    talk::Usage,
};

/// From this confidence on a control word acts without a question (C-03).
pub(super) const SURE_WORD: f32 = 0.8;
/// From this confidence on a change to the plan stops its run without a question.
const SURE_TO_REPLAN: f32 = 0.6;
/// Told instead of taking a line for the answer to a question that its writer had not seen.
pub(super) const UNSEEN: &str = "a question came up while you were typing; look at it and answer again";

impl Draft<'_> {
    /// A line of somebody who had seen the events up to `seen`. What would answer a question that
    /// they had not seen yet is refused: nobody agrees to what was not there.
    pub(super) fn said(&mut self, text: &str, seen: Seq) -> Decided {
        let line = text.trim();
        if self.unseen_answer(line, seen) {
            if line.eq_ignore_ascii_case("stop") {
                return self.cancel();
            }
            return Err(Refusal::new(UNSEEN));
        }
        self.say_seeing(text, seen)
    }

    pub(super) fn say(&mut self, text: &str) -> Decided {
        self.say_seeing(text, Seq(u64::MAX))
    }

    fn say_seeing(&mut self, text: &str, seen: Seq) -> Decided {
        let line = text.trim();
        if line.is_empty() {
            return self.say_nothing();
        }
        let reading = self.read(line);
        if let Some((name, args)) = &reading.slash {
            return self.command(name, args);
        }
        self.answers_nobody(line)?;
        if self.state.phase_question().is_none() && super::words::has_no_word(line) {
            return Err(Refusal::misuse("there is no word in that"));
        }
        if let Some(texts) = self.in_turns(line, &reading) {
            return self.say_in_turns(&texts, seen);
        }
        if !self.passes(&reading) {
            return self.wait(line, seen);
        }
        if let Some(decided) = self.said_to_pipeline(line) {
            return decided;
        }
        if let Some(kept) = self.kept_in_review(line, seen) {
            return self.keep_as_is(line, reading, &kept);
        }
        if !self.state.pending_messages.is_empty() && reading.whole.turn == Turn::Control(Control::Cancel) {
            return self.cancel();
        }
        if self.two_asked(line).is_some() {
            return self.ask_which(line);
        }
        if let Some(word) = self.answer_in_words(line).filter(|_| !self.leaves_a_choice(line, &reading)) {
            return word.and_then(|said| self.answer(said.question, said.answer, said.shown));
        }
        if self.quits(line) {
            let mut reading = reading;
            reading.whole.turn = Turn::Control(Control::Exit);
            self.record(None, line, &reading);
            return self.exit();
        }
        if super::words::is_letter(line)
            && matches!(reading.whole.turn, Turn::Control(Control::Redo | Control::Replan))
        {
            return Err(Refusal::misuse("no question has this key; type /redo or /replan in full"));
        }
        self.take_message(None, line, &reading, seen)
    }

    /// Whether a line is the word that leaves a question, and none is open: what is left is the program.
    pub(super) fn quits(&self, line: &str) -> bool {
        let word = line.trim_end_matches(['.', '!']).trim_end();
        let quits = ["q", "quit"].iter().any(|quit| word.eq_ignore_ascii_case(quit));
        quits && self.state.phase_question().is_none()
    }

    /// Whether a line wants to leave while the program asks what was meant before: the question stays until that
    /// is decided. What the question itself offers as a way out of it leaves that (C-11).
    fn leaves_a_choice(&self, line: &str, reading: &Reading) -> bool {
        let asked = self.state.phase_question();
        let own = asked.is_some_and(|c| {
            let asks = matches!(c.kind, CheckpointKind::Clarification(_)) && c.kind.call().is_none();
            asks && c.kind.read(line) != Some(Answer::Abort)
        });
        own && reading.whole.turn == Turn::Control(Control::Exit) && self.is_sure(&reading.whole)
    }

    /// A message that is no command and answers nothing; `turn` where it is recorded already.
    pub(super) fn take_message(
        &mut self,
        turn: Option<TurnId>,
        line: &str,
        reading: &Reading,
        seen: Seq,
    ) -> Decided {
        if line.starts_with('!') || self.pipeline_order(line).is_some() {
            let turn = self.record(turn, line, reading);
            return self.route(turn);
        }
        if let Some(decided) = self.word_to_workbench(turn, line, reading) {
            return decided;
        }
        if let Some(reading) = self.guidance(reading).or_else(|| self.required(reading)) {
            let turn = self.record(turn, line, &reading);
            return self.route_continue(turn);
        }
        if let Some(reading) = self.of_commit(line, reading).or_else(|| self.of_record(reading)) {
            let turn = self.record(turn, line, &reading);
            return self.route_query(turn);
        }
        if let Some(said) = self.deepened(reading) {
            let turn = self.record(turn, line, self.of_command(reading).as_ref().unwrap_or(reading));
            return self.deepen(said, turn);
        }
        let on_top = self.on_top(reading);
        let reading = on_top.as_ref().unwrap_or(reading);
        let picked = self.picked(line, reading, turn.is_some());
        if let Some(mixed) = self.mixed(reading).filter(|_| picked.is_none()) {
            return self.say_mixed(turn, line, reading, mixed);
        }
        let known = || self.is_known(reading).then(|| reading.clone());
        let picked = picked.or_else(|| self.of_command(reading));
        let Some(reading) = picked.or_else(|| self.settled(line, reading)).or_else(known) else {
            self.consult(turn, line, seen);
            return Ok(());
        };
        let turn = self.record(turn, line, &reading);
        self.route_reading(turn, &reading)
    }

    /// Whether a line holds the run that works, and says nothing else.
    pub(super) fn holds(&self, line: &str) -> bool {
        self.state.phase == Phase::Executing && self.under.tiers.classifier.holds(line)
    }

    /// An empty line means nothing, except after a rejected plan: then it sets the plan aside.
    fn say_nothing(&mut self) -> Decided {
        if self.awaits_guidance() {
            return if self.state.plan.is_some() { self.lay_aside() } else { self.abandon() };
        }
        Err(Refusal::misuse("there is nothing to send"))
    }

    pub(super) fn read(&self, line: &str) -> Reading {
        self.state.read(self.said_to(line), &self.under.tiers)
    }

    pub(super) fn record(&mut self, turn: Option<TurnId>, line: &str, reading: &Reading) -> TurnId {
        let turn = turn.unwrap_or_else(|| self.begin_turn(line));
        let agreed = self.agreed_to(line, reading);
        self.classify(turn, line, agreed.as_ref().unwrap_or(reading));
        turn
    }

    pub(super) fn begin_turn(&mut self, line: &str) -> TurnId {
        let turn = TurnId(self.id());
        let (text, branch) = (self.excerpt(line), self.under.branch.clone());
        self.emit(Event::TurnStarted { turn, text, branch });
        // Who sees no preview is told so as well.
        if let Some(text) = picture::unsent(line).filter(|_| !line.starts_with('!')) {
            self.notice(Level::Info, text);
        }
        self.call_agent(turn, line);
        turn
    }

    pub(super) fn classify(&mut self, turn: TurnId, line: &str, reading: &Reading) {
        self.classify_as(turn, line, reading, Consulted::default());
    }

    /// Tells how a message is understood, what that cost, and on what it depends.
    pub(super) fn classify_as(
        &mut self,
        turn: TurnId,
        line: &str,
        reading: &Reading,
        Consulted { usage, key }: Consulted,
    ) {
        let (class, tasks) = (&reading.whole, self.state.tasks);
        // A command line is kept whole: it may wait, and then runs as it was typed.
        let whole = line.starts_with('!') || self.pipeline_order(line).is_some();
        let request = if whole { line.to_owned() } else { operative(reading) };
        let differs = if whole { line.chars().count() > HEAD_CHARS } else { request != line };
        self.emit(Event::IntentClassified {
            turn,
            class: class.turn.clone(),
            path: class.path.clone(),
            confidence: class.confidence,
            sub_confidence: turn_names(&class.turn).1.map(|_| class.sub_confidence),
            segments: u32::try_from(reading.segments.len()).ok().filter(|n| *n > 1),
            source: class.source,
            reasoning: class.reasoning.clone(),
            forbids: reading.forbids_change,
            forbids_run: reading.forbids_run,
            spares: self.under.tiers.classifier.spares(line),
            frees: self.under.tiers.classifier.frees(line),
            request: (differs && !request.is_empty()).then_some(request),
            usage,
            key,
        });
        if tasks == 0 && self.state.tasks == 1 {
            self.infer_mode(line);
        }
        if !line.starts_with('!') && !matches!(reading.whole.turn, Turn::Control(_)) {
            self.offer_rule(line);
        }
    }

    /// The first task of a session says how it is to be worked on, unless the user did (MOD-03).
    fn infer_mode(&mut self, line: &str) {
        let settled = self.state.mode_said || self.state.mode == Mode::Proof;
        if let Some(word) = crate::intent::mode::asks_for_proof(line).filter(|_| !settled) {
            let told = format!("Proof mode, because the first task says \"{word}\"; /explore switches back.");
            self.emit(Event::ModeChanged { mode: Mode::Proof, inferred: Some(word) });
            self.notice(Level::Info, told);
        }
    }

    pub(super) fn route_reading(&mut self, turn: TurnId, reading: &Reading) -> Decided {
        if let Some(steering) = self.steering(reading) {
            return self.steer(turn, steering);
        }
        if let Some(said) = self.deepened(reading) {
            return self.deepen(said, turn);
        }
        let asks = reading.clarify.filter(|_| !matches!(reading.whole.turn, Turn::Control(_)));
        if let Some(clarify) = asks.or_else(|| self.unsure(&reading.whole).then_some(Clarify::Unclear)) {
            return self.unclear(turn, clarify);
        }
        let running = self.state.phase == Phase::Executing && reading.whole.turn == Turn::PlanContinue;
        if running && !self.replaces(reading) {
            // It does not speak of what runs: work of its own, which waits for the end.
            self.queue_plan(turn);
            return Ok(());
        }
        if let Err(refusal) = self.route(turn) {
            self.notice(Level::Info, refusal.reason);
        }
        Ok(())
    }

    /// Whether a control word is meant beyond doubt: what the statistics only think is a yes never
    /// is, and a plan is neither approved nor given up by a hum.
    pub(super) fn is_sure(&self, class: &Classification) -> bool {
        let guessed = is_guess(class.source);
        match class.turn {
            Turn::Control(Control::Approve) => !guessed,
            Turn::Control(ref word) if word.is_manner() => true,
            // As a guess it only shows the plan, which waits for a yes.
            Turn::Control(Control::Redo | Control::Proceed)
                if self.state.phase == Phase::Idle && self.state.plan_aside().is_some() =>
            {
                !guessed || class.confidence >= SURE_WORD
            }
            Turn::Control(Control::Proceed) => !guessed && self.state.phase != Phase::AwaitingApproval,
            Turn::Control(Control::Cancel | Control::Replan | Control::Reset | Control::Redo)
                if guessed && self.has_work() =>
            {
                false
            }
            Turn::Control(ref word) => !guessed || Self::later_word(class.source, word, class.confidence),
            Turn::Query(_) | Turn::PlanNew(_) | Turn::PlanContinue => true,
        }
    }

    /// Whether there is a plan or a run that a word could end.
    const fn has_work(&self) -> bool {
        matches!(self.state.phase, Phase::Executing | Phase::AwaitingApproval | Phase::Failed)
    }

    /// Whether a guess is too weak for what it would do: a control word acts at once, and a change to
    /// the plan stops its run. Talk that names no work is no change to a plan.
    fn unsure(&self, class: &Classification) -> bool {
        let stops = self.state.phase == Phase::Executing && class.turn == Turn::PlanContinue;
        let stops = stops && class.source != Source::Slash;
        let talk = class.path.current() == IntentNode::Conversation;
        !self.is_sure(class) || (stops && (talk || class.confidence < SURE_TO_REPLAN))
    }

    /// Routes a recorded turn by its class and the phase.
    pub(super) fn route(&mut self, turn: TurnId) -> Decided {
        let Some(info) = self.state.turns.get(&turn).cloned() else { return Ok(()) };
        if let Some((slug, query)) = self.pipeline_order(info.request.as_deref().unwrap_or(&info.head)) {
            return self.route_pipeline(turn, &slug, query);
        }
        if let Some((line, outside)) = info.command().map(|(line, outside)| (line.to_owned(), outside)) {
            return self.route_command(turn, &line, outside);
        }
        match info.class.clone() {
            Turn::Query(_) => self.route_query(turn),
            Turn::PlanNew(_) if info.path.current() == IntentNode::Execute => self.route_goal(turn),
            Turn::PlanNew(_) => self.route_plan(turn),
            Turn::PlanContinue => self.route_continue(turn),
            // Agreement with nothing to agree to answers what the agent said last.
            Turn::Control(word @ (Control::Approve | Control::Proceed))
                if !self.awaits_word(&word) && !self.takes_up(turn, &word) =>
            {
                self.route_yes(turn)
            }
            Turn::Control(Control::Approve | Control::Proceed)
                if self.state.phase == Phase::AwaitingApproval && !self.agreed(turn) =>
            {
                Err(Refusal::new("not a plain yes: y starts the plan, n lets you say what should change"))
            }
            // What takes itself back ends nothing else.
            Turn::Control(Control::Cancel) if self.took_back(turn) => {
                self.notice(Level::Info, "You took that back yourself; nothing is done.");
                Ok(())
            }
            // So does a no with nothing to say no to: it stops nothing.
            Turn::Control(Control::Cancel) if self.only_declines(turn) => self.route_query(turn),
            Turn::Control(control) if control.is_manner() => self.route_query(turn),
            Turn::Control(Control::Proceed)
                if is_guess(info.source)
                    && self.state.phase == Phase::Idle
                    && self.state.plan_aside().is_some() =>
            {
                self.redo_plan()
            }
            Turn::Control(control) => self.control(control),
        }
    }

    /// Whether a turn approves the plan and says nothing else.
    fn agreed(&self, turn: TurnId) -> bool {
        let said = self.state.turns.get(&turn).map_or("", |t| t.head.as_str());
        self.under.tiers.classifier.approves(said)
    }

    /// Whether a turn takes the plan up again by its name.
    fn takes_up(&self, turn: TurnId, word: &Control) -> bool {
        let said = self.state.turns.get(&turn).map_or("", |t| t.head.as_str());
        *word == Control::Proceed && self.under.tiers.classifier.takes_up(said)
    }

    /// Whether a turn is a message that takes itself back, beside something that it could be taken to end.
    fn took_back(&self, turn: TurnId) -> bool {
        let said = self.state.turns.get(&turn).map_or("", |t| t.head.as_str());
        self.state.phase != Phase::Idle && self.under.tiers.classifier.takes_back(said)
    }

    /// Whether a turn is a bare no, and nothing is asked.
    fn only_declines(&self, turn: TurnId) -> bool {
        if self.state.phase_question().is_some() {
            return false;
        }
        let said = self.state.turns.get(&turn).map_or("", |t| t.head.as_str());
        Lone::of(said) == Some(Lone::No) || self.under.tiers.classifier.declines(said)
    }

    pub(super) fn route_query(&mut self, turn: TurnId) -> Decided {
        self.go(Trigger::Query)?;
        if self.tells(turn) || self.recalls(turn) {
            return Ok(());
        }
        self.answer_by_model(turn);
        Ok(())
    }

    pub(super) fn answer_by_model(&mut self, turn: TurnId) {
        let Some(info) = self.state.turns.get(&turn) else { return };
        let acts =
            info.path.scope().allows(Capability::Write) || info.path.scope().allows(Capability::Execute);
        let path = if acts { info.path.retreat() } else { info.path.clone() };
        let (fixed, forbids) = (info.fixed, info.forbids);
        let beside = self.state.phase != Phase::Idle;
        let lane = self.open_lane(LaneOpening {
            kind: LaneKind::Answer,
            turn,
            fixed,
            reads_only: forbids || beside,
        });
        self.think_at(lane, path.current(), None);
    }

    pub(super) fn route_plan(&mut self, turn: TurnId) -> Decided {
        // A rejected draft waits for guidance: whatever plan comes now is that guidance.
        if self.awaits_guidance() {
            return self.route_continue(turn);
        }
        if self.plan_trigger(Trigger::PlanNew)? == Move::QueuePlan {
            self.queue_plan(turn);
            return Ok(());
        }
        if let Some(title) = self.state.plan.as_ref().map(|p| p.title.clone()) {
            self.shelve();
            self.notice(Level::Info, format!("Set aside the plan \"{title}\"; `/redo` brings it back."));
        }
        self.start_planning(turn);
        Ok(())
    }

    pub(super) fn awaits_guidance(&self) -> bool {
        self.state.phase == Phase::Planning && self.state.planning_lane().is_none()
    }

    pub(super) fn plan_trigger(&mut self, trigger: Trigger) -> Result<Move, Refusal> {
        let waits =
            matches!(crate::phase::transition(self.state.phase, trigger), Ok(Move::QueuePlan) | Err(_));
        if !waits {
            self.close_phase_question();
        }
        self.go(trigger)
    }

    pub(super) fn route_continue(&mut self, turn: TurnId) -> Decided {
        if self.state.plan.is_none() && self.state.suspended.is_none() && self.state.phase == Phase::Idle {
            return self.route_plan(turn);
        }
        if self.state.phase == Phase::Executing {
            self.stop_run("stopped to change the plan");
        }
        let planned = self.state.planning_lane().map(|l| l.turn);
        self.close_planning();
        self.close_phase_question();
        self.go(Trigger::PlanContinue)?;
        let of = planned.or(self.state.plan.as_ref().or(self.state.suspended.as_ref()).map(|p| p.turn));
        if let Some(of) = of.filter(|of| *of != turn) {
            self.emit(Event::TurnContinues { turn, of });
        }
        self.apply_settings();
        self.start_planning(turn);
        Ok(())
    }

    pub(super) fn start_planning(&mut self, turn: TurnId) {
        self.close_planning();
        let lane =
            self.open_lane(LaneOpening { reads_only: true, ..LaneOpening::of(LaneKind::Planning, turn) });
        self.think_at(lane, IntentNode::Plan, None);
    }

    pub(super) fn route_goal(&mut self, turn: TurnId) -> Decided {
        let Some(lane) = self.open_goal(turn, false)? else { return Ok(()) };
        if self.state.has_arrived(lane) {
            self.think(lane);
        }
        Ok(())
    }

    pub(super) fn set_mode(&mut self, mode: Mode) {
        if self.state.mode != mode {
            self.emit(Event::ModeChanged { mode, inferred: None });
        }
    }

    /// The target path of a turn.
    pub(super) fn target(&self, turn: TurnId) -> IntentPath {
        self.state.turns.get(&turn).map_or_else(IntentPath::root, |t| t.path.clone())
    }
}

/// What a later tier had to do with a reading.
#[derive(Clone, Debug, Default)]
pub(super) struct Consulted {
    /// What it cost.
    pub usage: Option<Usage>,
    /// What its answer depends on, where it is kept.
    pub key: Option<BlobId>,
}

/// Whether a message was read by less than rules or the user's own sign.
pub(super) const fn is_guess(source: Source) -> bool {
    !matches!(source, Source::Slash | Source::AtNode | Source::Heuristic)
}

/// What is really asked: without an `@node`, without parts that were taken back.
fn operative(reading: &Reading) -> String {
    if !reading.segments.iter().any(|s| s.dropped) {
        return reading.text.clone();
    }
    let kept = reading.segments.iter().filter(|s| !s.dropped).map(|s| s.text.as_str());
    kept.collect::<Vec<_>>().join(". ")
}
