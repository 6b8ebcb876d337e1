//! Words beside questions: what a line answers, and what it says besides.
//!
//! Owns that words answer only what they answer whole. Never routes what is left: `say.rs` does.

use super::{Decided, Draft};
use crate::{
    blob::BlobId,
    checkpoint::{Answer, Checkpoint, CheckpointKind},
    event::Level,
    ids::{CheckpointId, Seq, TurnId},
    input::Refusal,
    intent::{Consent, Control, IntentNode, IntentPath, Leave, Phase, Reading, Source, TakenBack, Turn},
    question::{Lone, praises},
    spared::means,
};

/// A line that is an answer, and the question that it answers.
pub(super) struct Worded {
    /// The question.
    pub question: CheckpointId,
    /// The answer.
    pub answer: Answer,
    /// The hash of what was shown, where the answer is bound to it.
    pub shown: Option<BlobId>,
}

/// The answer to a question in words; where these are none, what would be one.
fn worded(question: &Checkpoint, answer: Option<Answer>) -> Result<Worded, Refusal> {
    let Some(answer) = answer else { return Err(Refusal::new(question.kind.how())) };
    // Whoever says this has seen the question: `said` looked at that.
    Ok(Worded { question: question.id, answer, shown: question.kind.shown() })
}

/// The name of the word that holds a run.
const HOLD: &str = "hold";
/// What takes back what this session wrote.
const UNDO: &str = "undo";
/// What gives that back again.
const UNUNDO: &str = "unundo";
/// What words the message of a commit that waits.
const COMMIT: &str = "commit";

/// Told of a choice that a question had before.
const USED_UP: &str = "that has been tried as often as allowed; ";

/// A message in its parts: control words, and what is said beside them.
#[derive(Clone, Debug, Default)]
pub(super) struct Mixed {
    words: Vec<Control>,
    rest: Vec<String>,
}

impl Draft<'_> {
    /// Whether a line would answer a question that was asked after `seen`. A command is no answer.
    pub(super) fn unseen_answer(&self, line: &str, seen: Seq) -> bool {
        let unseen = |c: &&Checkpoint| self.state.asked.get(&c.id).is_some_and(|(at, _)| *at > seen);
        if self.typed_word(line).is_some_and(|(question, _)| unseen(&question)) {
            return true;
        }
        if let Some(lone) = self.lone(line) {
            let newest = self.state.newest_question().filter(unseen);
            return newest.is_some_and(|c| c.kind.lone(lone).is_some());
        }
        let Some(question) = self.state.phase_question().filter(unseen) else { return false };
        let reading = self.read(line);
        let yes = matches!(reading.whole.turn, Turn::Control(Control::Approve | Control::Proceed));
        let command = reading.slash.is_some() || line.starts_with('!');
        !command && (question.kind.read(line).is_some() || yes)
    }

    /// The command that waits, with what a line answers it that is the word of its risk.
    fn typed_word(&self, line: &str) -> Option<(&Checkpoint, Answer)> {
        let newest = self.state.newest_question()?;
        Some((newest, newest.kind.command()?.typed(line)?))
    }

    /// The yes or no that a line is. What plainly says yes is one where words say nothing else to what waits: a
    /// question that holds the phase reads its own.
    pub(super) fn lone(&self, line: &str) -> Option<Lone> {
        let newest = self.state.newest_question();
        if self.takes_message(line) {
            return newest.filter(|c| self.means_shown(c)).map(|_| Lone::Yes);
        }
        let own = newest.is_none_or(|c| c.kind.is_phase_own());
        let agrees = || (!own && self.under.tiers.classifier.agrees(line)).then_some(Lone::Yes);
        Lone::of(line).or_else(agrees).or_else(|| match self.consents(newest?, line)? {
            Consent::Yes => Some(Lone::Yes),
            // A no to the run of a gate leaves that out.
            Consent::No => self.gate_asked().is_none().then_some(Lone::No),
            Consent::Off | Consent::NoBut | Consent::YesBut => None,
        })
    }

    /// What a line says to a question that asks leave for one thing. What wants something else in its place is a no that says
    /// what; what calls something off is a no to what belongs to no work, where nothing works; said to work it ends that.
    pub(super) fn consents(&self, question: &Checkpoint, line: &str) -> Option<Consent> {
        let (classifier, leave) = (&self.under.tiers.classifier, question.kind.leave()?);
        let instead =
            || classifier.wants_instead(line, leave, question.kind.line()).then_some(Consent::NoBut);
        let said = classifier.consents(line, leave).or_else(instead)?;
        let alone = question.kind.question().ties().outlives_work && self.state.lanes.is_empty();
        match said {
            Consent::Off if alone && self.state.phase == Phase::Idle => Some(Consent::No),
            Consent::Off => None,
            Consent::Yes | Consent::No | Consent::NoBut | Consent::YesBut => Some(said),
        }
    }

    /// At a red gate a yes is one to its repair, and "go on" lets it run again; where the agent said something since, which
    /// of both is meant cannot be told.
    fn yes_at_red_gate(&self, line: &str) -> Option<Result<Worded, Refusal>> {
        let red = self.state.newest_question().filter(|c| c.kind.is_red_gate())?;
        let yes = Lone::of(line) == Some(Lone::Yes) || self.under.tiers.classifier.agrees_to_act(line);
        let asked = self.state.asked.get(&red.id).map(|(at, _)| *at)?;
        let spoke = self.state.recent.iter().any(|said| !said.by_user && said.seq > asked);
        match red.kind.lone(Lone::Yes) {
            _ if !yes => None,
            _ if spoke => Some(worded(red, None)),
            None => None,
            answer => Some(worded(red, answer)),
        }
    }

    /// At a red gate a line that opens with a no and then says to go on, "no, keep it", does not say which answer it is.
    fn no_at_red_gate(&self, line: &str) -> Option<Result<Worded, Refusal>> {
        let red = self.state.newest_question().filter(|c| c.kind.is_red_gate())?;
        let opens = self.under.tiers.classifier.opens_with_no(line);
        let ahead = |turn: &Turn| matches!(turn, Turn::Control(Control::Proceed | Control::Approve));
        (opens && ahead(&self.read(line).whole.turn)).then(|| worded(red, None))
    }

    /// A line all of which is an answer: a lone yes or no is one to the newest question whatever its
    /// kind, any other word to the question that holds the phase. `None` when it answers nothing.
    pub(super) fn answer_in_words(&self, line: &str) -> Option<Result<Worded, Refusal>> {
        if let Some(answered) = self.yes_at_red_gate(line).or_else(|| self.no_at_red_gate(line)) {
            return Some(answered);
        }
        if let Some((question, answer)) = self.typed_word(line) {
            return Some(worded(question, Some(answer)));
        }
        if let Some((question, lone)) = self.state.newest_question().zip(self.lone(line)) {
            let answer = question.kind.lone(lone);
            // What is told on is told in the words that were said.
            let told = matches!(
                (&question.kind, &answer),
                (CheckpointKind::Clarification(_), Some(Answer::Text(_)))
            );
            return Some(worded(
                question,
                if told { Some(Answer::Text(line.trim().to_owned())) } else { answer },
            ));
        }
        // A no without a reason to the run of a gate leaves that out.
        let classifier = &self.under.tiers.classifier;
        let plain = || classifier.leaves_be(line) || !line.trim().contains(' ');
        let gate = |c: &Checkpoint| self.consents(c, line) == Some(Consent::No);
        let leaves = |c: &Checkpoint| gate(c) || classifier.declines(line) && plain() && !self.quits(line);
        if let Some(question) = self.gate_asked().filter(|c| leaves(c)) {
            return Some(worded(question, Some(Answer::Skip)));
        }
        if let Some(question) = self.state.phase_question()
            && let Some(answer) = question.kind.read(line)
        {
            return Some(worded(question, Some(answer)));
        }
        if let Some(how) = self.state.phase_question().and_then(|q| q.kind.question().asks_for_words(line)) {
            return Some(Err(Refusal::new(how)));
        }
        // A number beside those that are shown is an answer that misses, and no message; so is a key that is not offered.
        if let Some(question) = self.state.phase_question().filter(|_| is_number(line)) {
            return Some(worded(question, None));
        }
        let asked = self.state.phase_question().or_else(|| self.state.newest_question());
        if let Some(question) = asked.filter(|q| is_letter(line) || q.kind.question().is_used_up(line)) {
            let used = if question.kind.question().is_used_up(line) { USED_UP } else { "" };
            return Some(Err(Refusal::new(format!("{used}{}", question.kind.how()))));
        }
        // Beside a diff that waits, a short word is about it and never about the run.
        let review = self.state.open.values().find(|c| c.kind.review().is_some())?;
        let declines =
            classifier.declines(line) || classifier.consents(line, Leave::Change) == Some(Consent::No);
        let short = Lone::of(line).is_some() || praises(line) || declines;
        (short || is_letter(line)).then(|| worded(review, None))
    }

    /// The parts of a message that holds control words and something else; `None` when it is read
    /// as one. A nod ("ok", "no", "again") beside something else answers nothing: what is said with
    /// it counts.
    pub(super) fn mixed(&self, reading: &Reading) -> Option<Mixed> {
        // "I fixed it. Go on": how things stand is no message of its own.
        if reading.whole.turn == Turn::Control(Control::Proceed)
            && self.under.tiers.classifier.resumes(&reading.text)
        {
            return None;
        }
        let (mut mixed, mut nods) = (Mixed::default(), 0);
        for part in reading.ordered.iter().filter_map(|i| reading.segments.get(*i)) {
            match &part.class.turn {
                Turn::Control(word) if self.is_sure(&part.class) && !word.is_manner() => {
                    if self.stands_beside(word, &part.text) {
                        mixed.words.push(word.clone());
                    } else {
                        nods += 1;
                    }
                }
                Turn::Control(_) | Turn::Query(_) | Turn::PlanNew(_) | Turn::PlanContinue => {
                    mixed.rest.push(part.text.clone());
                }
            }
        }
        let nodded = nods > 0 && !mixed.rest.is_empty() && matches!(reading.whole.turn, Turn::Control(_));
        let several = !mixed.words.is_empty() && mixed.words.len() + mixed.rest.len() >= 2;
        // "also add a test. no, stop the run": what it takes back besides leaves the stop alone.
        let stops = mixed.words == [Control::Cancel] && reading.segments.len() > 1;
        let stops = stops && self.under.tiers.classifier.stops(&reading.text);
        (several || nodded || stops).then_some(mixed)
    }

    /// Whether a word to the workbench has effect although something else is said with it.
    fn stands_beside(&self, word: &Control, text: &str) -> bool {
        match word {
            Control::Cancel => !self.under.tiers.classifier.declines(text),
            Control::ModeSwitch(_) | Control::Reset | Control::Help | Control::Status => true,
            Control::Redo
            | Control::Exit
            | Control::Replan
            | Control::Approve
            | Control::Proceed
            | Control::Other(_) => false,
        }
    }

    /// The words that stop or set something first, in their order, then the rest as a message of its
    /// own. An open question that they leave open stays so.
    pub(super) fn say_mixed(
        &mut self,
        turn: Option<TurnId>,
        line: &str,
        reading: &Reading,
        mixed: Mixed,
    ) -> Decided {
        let turn = turn.unwrap_or_else(|| self.begin_turn(line));
        for word in mixed.words {
            if let Err(refusal) = self.control(word) {
                self.notice(Level::Info, refusal.reason);
            }
        }
        if mixed.rest.is_empty() {
            self.classify(turn, line, reading);
            return Ok(());
        }
        if self.state.phase_question().is_some_and(|c| c.kind.is_reset()) {
            self.classify(turn, line, reading);
            self.notice(Level::Info, "The rest of it was not started: say it again once you have answered.");
            return Ok(());
        }
        // What is left is read in the phase that the words led to.
        let rest = self.read(&mixed.rest.join(". "));
        if let Some(texts) = self.in_turns(line, &rest) {
            self.classify(turn, line, reading);
            return self.say_in_turns(&texts, Seq(u64::MAX));
        }
        self.classify(turn, line, &rest);
        self.route_reading(turn, &rest)
    }

    /// What the user wants different about a rejected plan.
    pub(super) fn guide(&mut self, text: &str) -> Decided {
        let reading = self.read(text.trim());
        let turn = self.record(None, text.trim(), &reading);
        self.route_continue(turn)
    }

    /// A message that says what is to be different about the plan that was rejected: what it was asked for, however it is
    /// said, but for a word to the workbench, an order to run something and what plainly only asks.
    pub(super) fn guidance(&self, reading: &Reading) -> Option<Reading> {
        let classifier = &self.under.tiers.classifier;
        let named = matches!(reading.whole.source, Source::Slash | Source::AtNode);
        let says = match reading.whole.turn {
            Turn::Query(_) => !classifier.is_question(&reading.text) || classifier.proposes(&reading.text),
            Turn::PlanNew(_) => reading.whole.path.current() != IntentNode::Execute,
            Turn::PlanContinue => true,
            Turn::Control(_) => false,
        };
        (self.awaits_guidance() && says && !named && reading.paused.is_none()).then(|| {
            let mut reading = reading.clone();
            reading.whole.turn = Turn::PlanContinue;
            reading
        })
    }

    /// What is said of how the work is to be while its plan is made or waits, read as a change of that plan: no tier has to say
    /// what "it must also work on Windows" means there.
    pub(super) fn required(&self, reading: &Reading) -> Option<Reading> {
        let (classifier, text) = (&self.under.tiers.classifier, reading.text.as_str());
        let planning = self.state.phase == Phase::Planning && self.state.planning_lane().is_some();
        let plans = planning || self.state.phase == Phase::AwaitingApproval;
        let named = matches!(reading.whole.source, Source::Slash | Source::AtNode);
        // A plan that waits may be agreed to behind that: there what changes it is to be understood first.
        let steers = || planning && (classifier.adds(text) || classifier.steers(text));
        let says = match reading.whole.turn {
            Turn::Query(_) => classifier.requires(text),
            Turn::PlanContinue => {
                classifier.requires(text)
                    || !classifier.is_question(text) && !classifier.stops(text) && steers()
            }
            Turn::PlanNew(_) | Turn::Control(_) => false,
        };
        (plans && says && !named && reading.paused.is_none()).then(|| {
            let mut reading = reading.clone();
            reading.whole.turn = Turn::PlanContinue;
            reading
        })
    }

    /// What a whole line wants of the workbench that is no message to anybody: a run held, changes back, a commit. `None` for
    /// every other line.
    pub(super) fn word_to_workbench(
        &mut self,
        turn: Option<TurnId>,
        line: &str,
        reading: &Reading,
    ) -> Option<Decided> {
        if self.holds(line) {
            self.record_word(turn, line, reading, HOLD);
            return Some(self.hold());
        }
        if self.under.tiers.classifier.clears(line) {
            let mut reading = reading.clone();
            reading.whole.turn = Turn::Control(Control::Reset);
            self.record(turn, line, &reading);
            return Some(self.control(Control::Reset));
        }
        if let Some(shown) = self.shown(line) {
            return Some(self.show(turn, line, reading, shown));
        }
        if let Some(ran) = self.ran_last(reading) {
            self.record(turn, line, reading);
            return Some(self.say(&ran));
        }
        if self.gives_back(line) {
            self.record_word(turn, line, reading, UNUNDO);
            return Some(self.give_back());
        }
        if let Some(what) = self.takes_back(line) {
            if let Err(refusal) = self.may_mean_else(line, &what) {
                return Some(Err(refusal));
            }
            self.record_word(turn, line, reading, UNDO);
            return Some(self.undo_what(&what));
        }
        if let Some((question, message)) = self.words_commit(line) {
            self.record_word(turn, line, reading, COMMIT);
            self.reword_commit(question, message);
            return Some(Ok(()));
        }
        let message = self.wants_commit(line)?;
        self.record_word(turn, line, reading, COMMIT);
        Some(self.commit(&message))
    }

    /// Records a line as a word to the workbench.
    pub(super) fn record_word(&mut self, turn: Option<TurnId>, line: &str, reading: &Reading, word: &str) {
        let mut reading = reading.clone();
        reading.whole.turn = Turn::Control(Control::Other(word.to_owned()));
        reading.whole.path = IntentPath::root();
        self.record(turn, line, &reading);
    }

    /// What a line wants taken back, where something of that stands: to a session that wrote nothing it is an order like
    /// any other.
    pub(super) fn takes_back(&self, line: &str) -> Option<TakenBack> {
        let what = self.under.tiers.classifier.takes_back_what(line)?;
        let stands = match &what {
            // Where all was taken back it is told that nothing is left.
            TakenBack::Last | TakenBack::That | TakenBack::All => {
                !self.state.ledger().is_empty() || !self.state.undone().is_empty()
            }
            TakenBack::Several(_) => !self.state.ledger().is_empty(),
            TakenBack::File(file) | TakenBack::Named(file) => !self.state.changed_as(file).is_empty(),
            TakenBack::FileAt(at) => self.state.file_written_at(*at).is_some(),
            TakenBack::Steps(steps) => !self.state.written_in(steps).is_empty(),
        };
        stands.then_some(what)
    }

    /// Whether a line wants back what was taken back, where something of that can come back. Words that only point at it mean
    /// it while nothing else was done since, and nothing waits that they may mean.
    pub(super) fn gives_back(&self, line: &str) -> bool {
        let wanted = self.under.tiers.classifier.gives_back(line);
        let Some((wanted, of)) = wanted.zip(self.state.changes.given_back()) else { return false };
        match wanted {
            TakenBack::Last | TakenBack::That => self.means_taken_back(),
            TakenBack::All => self.means_taken_back() && self.state.undone().len() < 2,
            TakenBack::File(name) | TakenBack::Named(name) => {
                of.files.iter().any(|f| means(&name, f.path.as_str()).is_some())
            }
            TakenBack::Several(_) | TakenBack::FileAt(_) | TakenBack::Steps(_) => false,
        }
    }

    /// Whether what was done last took something back, and nothing waits for a word or a review.
    pub(super) fn means_taken_back(&self) -> bool {
        self.state.took_back
            && self.state.phase == Phase::Idle
            && self.state.newest_question().is_none()
            && self.state.open_proposals().next().is_none()
    }

    /// Why words are not taken for the last change that was written, where something else may be meant: a change that waits
    /// for its review, what was talked of since, or what was taken back already.
    pub(super) fn may_mean_else(&self, line: &str, what: &TakenBack) -> Decided {
        let forth = self.state.changes.given_back().is_some();
        let also_forth = || forth && self.under.tiers.classifier.gives_back(line).is_some();
        let else_ = match what {
            TakenBack::File(_)
            | TakenBack::Named(_)
            | TakenBack::FileAt(_)
            | TakenBack::Steps(_)
            | TakenBack::Several(_) => None,
            TakenBack::Last | TakenBack::That if self.state.open_proposals().next().is_some() => {
                Some("what is waiting for review")
            }
            TakenBack::That if self.talked_since() => Some("what was said since"),
            TakenBack::Last | TakenBack::That | TakenBack::All if also_forth() => Some("what was taken back"),
            TakenBack::Last | TakenBack::That | TakenBack::All => None,
        };
        let last = self.state.ledger().last().and_then(|id| self.state.applies().get(id));
        let (Some(else_), Some(last)) = (else_, last) else { return Ok(()) };
        let of = super::undo::told(last);
        let forth = if forth { super::again::UNUNDO } else { "" };
        Err(Refusal::new(format!(
            "that could also mean {else_}; /undo takes back the last written change, {of}{forth}"
        )))
    }

    /// Whether the last message was talk, and came after the last change.
    fn talked_since(&self) -> bool {
        let written = self.state.ledger().last().map_or(0, |apply| apply.0);
        let last = self.state.turns.iter().rev().find(|(_, t)| !matches!(t.class, Turn::Control(_)));
        last.is_some_and(|(id, t)| {
            id.0 > written && matches!(t.class, Turn::Query(_)) && t.command().is_none()
        })
    }

    /// Whether something but the agent's last word waits for a yes or a "go on".
    pub(super) fn awaits_word(&self, word: &Control) -> bool {
        if self.state.phase_question().is_some() {
            return true;
        }
        match self.state.phase {
            // Where the agent said nothing either, it is told that there is nothing to go on with.
            // So is one that was to plan and only spoke: it is asked again.
            Phase::Idle => *word == Control::Proceed && (!self.agent_spoke() || self.state.is_unheeded()),
            Phase::Planning | Phase::Executing => !self.agent_spoke(),
            Phase::AwaitingApproval | Phase::Failed => true,
        }
    }

    /// Whether the last word before the user's newest was the agent's, and no plan was set aside after it: one that is done
    /// takes back nothing of what its last step offered.
    pub(super) fn agent_spoke(&self) -> bool {
        let newest = self.state.recent.iter().rposition(|said| said.by_user);
        let before = newest.and_then(|at| at.checked_sub(1)).and_then(|at| self.state.recent.get(at));
        let offers = || self.under.tiers.classifier.offers(&self.state.last_word);
        before
            .filter(|said| !said.by_user)
            .is_some_and(|said| said.seq > self.state.shelved || said.seq > self.state.left_off && offers())
    }
}

/// Whether a line is one letter, as a key is.
pub(super) fn is_letter(line: &str) -> bool {
    let mut chars = line.trim().chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic()) && chars.next().is_none()
}

/// Whether a line is a number and nothing else.
fn is_number(line: &str) -> bool {
    let digits = line.trim().trim_end_matches(['.', ')']);
    !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit())
}

/// Whether a line holds signs alone that nobody can mean anything by; a mark that asks or calls is a word.
pub(super) fn has_no_word(line: &str) -> bool {
    let sign =
        |c: char| c.is_ascii_punctuation() && !matches!(c, '?' | '!') || matches!(c, '…' | '–' | '—' | '·');
    line.chars().all(|c| c.is_whitespace() || sign(c))
}
