//! The queue: what is said while a plan is made or runs, and when it has its turn.

use super::{Decided, Draft};
use crate::{
    event::{Event, Level},
    ids::TurnId,
    input::Refusal,
    intent::{Control, Mode, Phase, Slash, Turn},
    session::Queue,
};

/// Most pieces of work that wait behind the next one.
const MOST: usize = 50;

impl Draft<'_> {
    /// A line that waits for the end of what is under way.
    pub(super) fn enqueue(&mut self, text: &str) -> Decided {
        let line = text.trim();
        let reading = self.read(line);
        if line.is_empty() || reading.slash.is_some() || !self.state.is_executing() {
            return self.say(text);
        }
        if let Some(texts) = self.in_turns(line, &reading) {
            return self.each_in_turn(&texts, Self::enqueue);
        }
        let turn = self.record(None, line, &reading);
        match &reading.whole.turn {
            Turn::Control(control) if self.is_sure(&reading.whole) && !control.is_manner() => {
                self.queue_control(control.clone());
            }
            Turn::Query(_) if !line.starts_with('!') => self.change_queue(|q| q.later.push_back(turn)),
            Turn::Control(_) | Turn::Query(_) | Turn::PlanNew(_) | Turn::PlanContinue => {
                self.queue_plan(turn);
            }
        }
        Ok(())
    }

    /// Work that begins when what is under way has ended, behind what waits already.
    pub(super) fn queue_plan(&mut self, turn: TurnId) {
        if self.state.queue.more.len() >= MOST {
            self.notice(Level::Warn, "The queue is full; this was not added.");
            return;
        }
        self.change_queue(|q| match q.plan_new {
            Some(_) => q.more.push_back(turn),
            None => q.plan_new = Some(turn),
        });
    }

    /// These wait no more.
    pub(super) fn take_from_queue(&mut self, turns: &[TurnId]) {
        self.change_queue(|q| {
            let mut works = q.works().filter(|t| !turns.contains(t)).collect::<Vec<_>>().into_iter();
            (q.plan_new, q.more) = (works.next(), works.collect());
        });
    }

    /// `/queue`: lists what waits, takes a line of it out, moves a piece of work up, words it anew or tells it to what
    /// runs; any other text waits as work of its own.
    pub(super) fn queued(&mut self, args: &str) -> Decided {
        let works: Vec<TurnId> = self.state.queue.works().collect();
        let (word, rest) = args.split_once(' ').unwrap_or((args, ""));
        if word.is_empty() {
            self.list_queue(&works);
            return Ok(());
        }
        let (number, text) = rest.trim().split_once(' ').unwrap_or((rest.trim(), ""));
        if !manages(word, number) {
            return self.enqueue(args);
        }
        let Some(at) = number.parse::<usize>().ok().and_then(|n| n.checked_sub(1)) else {
            return Err(nothing_as(number));
        };
        if at >= works.len() {
            return self.manage_first(word, number, at - works.len());
        }
        let (mut works, mut told) = (works, None);
        match word {
            "tell" => told = Some(self.tellable(works.remove(at))?),
            "drop" => self.leaves_work(works.remove(at)),
            "up" => works.swap(at, at.saturating_sub(1)),
            "edit" if !text.trim().is_empty() => {
                let line = text.trim();
                let reading = self.read(line);
                let turn = self.record(None, line, &reading);
                if let Some(place) = works.get_mut(at) {
                    let was = std::mem::replace(place, turn);
                    if let Some(of) = self.state.turns.get(&was).and_then(|t| t.continues) {
                        self.emit(Event::TurnContinues { turn, of });
                        self.leave_alone(turn);
                    }
                    self.leaves_work(was);
                }
            }
            _ => {
                return Err(Refusal::misuse(
                    "type /queue, /queue TEXT, or /queue with up N, drop N, tell N or edit N TEXT",
                ));
            }
        }
        self.change_queue(|q| {
            let mut works = works.into_iter();
            (q.plan_new, q.more) = (works.next(), works.collect());
        });
        if let Some(turn) = told {
            self.hand_on(turn);
        }
        Ok(())
    }

    /// What has its turn before the work can only be taken out: control words and questions, numbered behind it.
    fn manage_first(&mut self, word: &str, number: &str, at: usize) -> Decided {
        let (words, later) = (self.state.queue.control.len(), self.state.queue.later.len());
        if at >= words + later {
            return Err(nothing_as(number));
        }
        if word != "drop" {
            let text =
                format!("number {number} already runs before the work; /queue drop {number} removes it");
            return Err(Refusal::new(text));
        }
        self.change_queue(|q| {
            if at < words {
                q.control.remove(at);
            } else {
                q.later.remove(at - words);
            }
        });
        Ok(())
    }

    /// A message is no part any more of the work that it was to go on with: it may what it says itself, and forbids that
    /// work nothing.
    fn leaves_work(&mut self, turn: TurnId) {
        if self.state.turns.get(&turn).is_some_and(|t| t.continues.is_some()) {
            self.emit(Event::TurnContinues { turn, of: turn });
        }
    }

    /// A piece of work that waits, where what runs can read it.
    fn tellable(&self, turn: TurnId) -> Result<TurnId, Refusal> {
        if self.state.turns.get(&turn).is_some_and(|t| t.command().is_some()) {
            return Err(Refusal::new("that is a command; it runs when the run has ended"));
        }
        if !self.hears() {
            return Err(Refusal::new("no agent is running to read it; it stays queued"));
        }
        Ok(turn)
    }

    fn list_queue(&mut self, works: &[TurnId]) {
        if self.state.queue.is_empty() {
            self.listed(Slash::Queue, &["the queue is empty; /queue TEXT adds to it".to_owned()]);
            return;
        }
        let line = |turn: &TurnId| {
            let said = self.state.turns.get(turn).map_or("", |t| t.request.as_deref().unwrap_or(&t.head));
            said.lines().next().unwrap_or_default().to_owned()
        };
        let lines: Vec<String> = works.iter().map(line).collect();
        // Commands and questions have their turn before the work, and nothing moves them.
        let queue = &self.state.queue;
        let before: Vec<String> =
            queue.control.iter().map(typed).chain(queue.later.iter().map(line)).collect();
        self.heard(Slash::Queue);
        let run = if self.state.is_executing() { "run" } else { "next run" };
        let text = format!("Queued until the {run} ends; /queue up N, drop N, tell N, edit N TEXT");
        self.notice(Level::Info, text);
        let works = lines.len();
        for (n, line) in lines.into_iter().chain(before).enumerate() {
            let first = if n < works {
                ""
            } else if works > 0 {
                " (goes before 1)"
            } else {
                " (goes first)"
            };
            self.notice(Level::Info, format!("{}. {line}{first}", n + 1));
        }
    }

    /// Nothing waits any more, and what did is named.
    pub(super) fn clear_queue(&mut self) {
        let turns: Vec<TurnId> = self.state.queue.turns().collect();
        let names = turns.into_iter().filter_map(|t| self.state.turns.get(&t)).map(|t| t.head.clone());
        let words = self.state.queue.control.iter().map(typed);
        let names = words.chain(names).collect::<Vec<_>>().join("; ");
        self.set_queue(Queue::default(), true);
        if !names.is_empty() {
            self.notice(Level::Info, format!("Not begun: {names} (out of the queue)"));
        }
    }

    pub(super) fn change_queue(&mut self, change: impl FnOnce(&mut Queue)) {
        let mut queue = self.state.queue.clone();
        change(&mut queue);
        self.set_queue(queue, false);
    }

    fn set_queue(&mut self, queue: Queue, stopped: bool) {
        if queue != self.state.queue {
            self.emit(Event::QueueChanged {
                plan_new: queue.plan_new,
                more: queue.more.into_iter().collect(),
                control: queue.control.into_iter().collect(),
                later: queue.later.into_iter().collect(),
                stopped,
            });
        }
    }

    pub(super) fn queue_control(&mut self, control: Control) {
        self.notice(
            Level::Info,
            format!("{} is queued until the run ends; /queue lists it.", typed(&control)),
        );
        self.change_queue(|q| q.control.push_back(control));
    }

    /// Messages that waited for the plan are heard now.
    pub(super) fn take_later(&mut self) {
        let later: Vec<TurnId> = self.state.queue.later.iter().copied().collect();
        if later.is_empty() {
            return;
        }
        self.change_queue(|q| q.later.clear());
        for turn in later {
            if let Err(refusal) = self.route_query(turn) {
                self.notice(Level::Info, refusal.reason);
            }
        }
    }

    /// After a run: control words in their order, then the queued plan.
    pub(super) fn drain(&mut self) {
        self.drain_words();
        // What only is answered, or is refused, leaves the rest its turn.
        while self.may_begin()
            && let Some(turn) = self.state.queue.plan_new
        {
            self.change_queue(|q| q.plan_new = q.more.pop_front());
            // It was queued as work of its own, however it sounded beside the run.
            let info = self.state.turns.get(&turn);
            let continues = info.is_some_and(|t| t.class == Turn::PlanContinue && t.command().is_none());
            // What it was to change has ended.
            self.leaves_work(turn);
            let routed = if continues { self.route_plan(turn) } else { self.route(turn) };
            if let Err(refusal) = routed {
                self.notice(Level::Info, refusal.reason);
            }
        }
    }

    /// After a run that the user goes on with by hand: control words and questions; work waits for the next run's end.
    pub(super) fn drain_words(&mut self) {
        while self.may_begin() {
            let Some(control) = self.state.queue.control.front().cloned() else { break };
            self.change_queue(|q| drop(q.control.pop_front()));
            if let Err(refusal) = self.control(control) {
                self.notice(Level::Info, refusal.reason);
            }
        }
        if self.may_begin() {
            self.take_later();
        }
    }

    /// What waits to be set for the end of the run is set where the plan goes on before anything else has its turn.
    pub(super) fn apply_settings(&mut self) {
        let sets = |control: &Control| matches!(control, Control::Other(line) if line.contains(' '));
        let all = self.state.queue.control.iter().cloned();
        let (settings, rest) = all.partition::<Vec<_>, _>(sets);
        self.change_queue(|q| q.control = rest.into());
        for setting in settings {
            if let Err(refusal) = self.control(setting) {
                self.notice(Level::Info, refusal.reason);
            }
        }
    }

    /// Whether what waits may have its turn: nothing is under way, and it is not asked whether all of it is to be dropped.
    fn may_begin(&self) -> bool {
        self.state.phase == Phase::Idle && !self.state.phase_question().is_some_and(|c| c.kind.is_reset())
    }
}

/// A number that no line has.
fn nothing_as(number: &str) -> Refusal {
    Refusal::new(format!("there is no number \"{number}\" in the queue; /queue lists it"))
}

/// A command as it is typed.
fn typed(control: &Control) -> String {
    let name = match control {
        Control::ModeSwitch(Mode::Proof) => "proof",
        Control::ModeSwitch(Mode::Exploratory) => "explore",
        Control::Reset => "reset",
        Control::Redo | Control::Proceed => "redo",
        Control::Help => "help",
        Control::Status => "status",
        Control::Exit => "exit",
        Control::Cancel => "abort",
        Control::Replan => "replan",
        Control::Approve => "yes",
        Control::Other(name) => name,
    };
    format!("/{name}")
}

/// Whether a word of `/queue` is about what waits, and no beginning of a line that is to wait.
fn manages(word: &str, number: &str) -> bool {
    let known = matches!(word, "up" | "drop" | "tell" | "edit");
    known && (number.is_empty() || number.parse::<usize>().is_ok())
}
