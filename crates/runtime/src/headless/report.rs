//! What a run prints: JSON lines for machines, plain lines for people.
//!
//! Owns the wording and which stream it goes to. Foreign text passes [`Clean`] before a terminal
//! can see it; a stream that is closed ends nothing.

use std::{
    collections::BTreeMap,
    io::{ErrorKind, Write},
    sync::Arc,
};

use pilothouse_core::{
    blob::Excerpt,
    checkpoint::{Checkpoint, CheckpointKind},
    clean::Clean,
    event::{CallStatus, Event, Level, RunStatus, Stamped},
    fact::{self, Mark},
    goal::PlannerReply,
    ids::{CallId, LaneId, TaskId},
    intent::{Control, SLASH_COMMANDS, command::Handler},
    money::{Allowance, Configured},
    plan::{Plan, TaskStatus},
    question::{Spec, Unattended},
    recipe::Recipes,
    session::{ASK_AGAIN, Apply, LaneKind, State, needless_alone},
    talk::{Delta, DeltaKind, OFFLINE},
    trust::Trust,
};

use super::{
    Options, Outcome,
    steps::Steps,
    way::{Kept, onward},
    words::in_shell,
};
use crate::{
    driver::{Setup, Which},
    narration::{Narration, Tone, narrate, revised},
};

/// The printer of one run.
pub(super) struct Report<'a> {
    json: bool,
    quiet: bool,
    kept: Kept,
    /// The session that it is in, where that is kept.
    session: Option<String>,
    out: &'a mut (dyn Write + Send),
    err: &'a mut (dyn Write + Send),
    /// What a command wrote since its last whole line, by stream.
    open: [String; 2],
    /// Bytes of output seen of the command that runs.
    streamed: u64,
    /// The gate that runs: what it says is told as its verdict, not line by line.
    gate: Option<CallId>,
    /// The skills and commands of files.
    pub recipes: Arc<Recipes>,
    /// The last warning: what is told beside the log and then in it is said once.
    warned: String,
    /// What each open call is: its tool and what it acts on.
    calls: BTreeMap<CallId, String>,
    /// Which events are of which stage of a pipeline.
    steps: Steps,
    /// Steps that had nothing to change, with the reason that is told at their end.
    needless: BTreeMap<TaskId, String>,
    /// Lines of the next answer whose evidence does not hold.
    marks: Vec<Mark>,
    /// Whether the last answer says itself why nothing comes of it.
    says_why: bool,
    /// Why a line of the result did not get out, if one did not.
    lost: Option<String>,
    /// What a session may spend by the settings.
    budget: Configured,
}

impl<'a> Report<'a> {
    pub fn new(
        options: &Options,
        setup: &Setup,
        out: &'a mut (dyn Write + Send),
        err: &'a mut (dyn Write + Send),
    ) -> Self {
        let Options { json, quiet, forget: forgets, auto_confirm, plan_only, .. } = *options;
        let trusts = setup.trust == Trust::Once;
        let named = if let Which::Named(name) = &setup.which { Some(name.clone()) } else { None };
        let kept = Kept { forgets, trusts, confirms: auto_confirm && !plan_only };
        Self {
            json,
            quiet,
            kept,
            session: named.filter(|_| !forgets),
            out,
            err,
            open: Default::default(),
            streamed: 0,
            gate: None,
            recipes: Arc::default(),
            warned: String::new(),
            calls: BTreeMap::new(),
            steps: Steps::default(),
            needless: BTreeMap::new(),
            marks: Vec::new(),
            says_why: false,
            lost: None,
            budget: Configured::default(),
        }
    }

    /// The events with which this process opened the session.
    pub fn opened(&mut self, tail: &[Stamped], budget: Configured) {
        self.budget = budget;
        let opening =
            |e: &Stamped| matches!(e.event, Event::SessionOpened { .. } | Event::SessionReopened { .. });
        let from = tail.iter().rposition(opening).unwrap_or(tail.len());
        for event in tail.get(from..).unwrap_or_default() {
            self.line(event);
            if let Event::SessionOpened { slug, .. } = &event.event
                && !self.kept.forgets
            {
                self.session = Some(slug.clone());
            }
            // What is wrong with the place is said before anything is done in it.
            if let Event::Notice { level: Level::Warn | Level::Error, text } = &event.event
                && !self.json
            {
                self.warn(text);
            }
        }
    }

    pub fn event(&mut self, event: &Stamped, state: &State) {
        self.line(event);
        if !self.json {
            self.tell(&event.event, state);
        }
    }

    fn line(&mut self, event: &Stamped) {
        if self.json {
            let line = self.steps.line(event);
            self.put(&line);
        }
    }

    /// Words of the workbench as they are said to somebody at a shell.
    fn worded(&self, text: &str) -> String {
        in_shell(text, self.session.as_deref())
    }

    /// Tells people a line.
    pub fn say(&mut self, text: &str) {
        drop(writeln!(self.err, "{}", Clean::text(text).as_str()));
    }

    /// Prints a line of the result.
    fn print(&mut self, text: &str) {
        self.put(Clean::text(text).as_str());
    }

    /// A line of the result on its way out. A closed pipe is the reader's business, the run goes on and is saved;
    /// any other failure is told at the end.
    fn put(&mut self, line: &str) {
        let put = writeln!(self.out, "{line}").and_then(|()| self.out.flush());
        if let Err(e) = put
            && e.kind() != ErrorKind::BrokenPipe
        {
            self.lost.get_or_insert_with(|| e.to_string());
        }
    }

    /// What ended it, with what became of the result's own way out.
    pub fn settled(&mut self, mut outcome: Outcome) -> Outcome {
        if let Some(why) = self.lost.take() {
            outcome.reason = format!("the result could not be written to standard output: {why}");
            outcome.exit = outcome.exit.max(1);
            self.say(&outcome.reason);
        }
        outcome
    }

    fn progress(&mut self, text: &str) {
        if !self.quiet {
            self.say(text);
        }
    }

    fn tell(&mut self, event: &Event, state: &State) {
        match narrate(event, state) {
            Narration::Words(tone, text) => match tone {
                Tone::Result => self.print(&self.worded(&text)),
                Tone::Word => self.say(&self.worded(&text)),
                Tone::Warning => self.warn(&text),
                Tone::Notice => self.progress(&self.worded(&text)),
                Tone::Aside => self.progress(&text),
            },
            Narration::Reply => self.reply(event, state),
            Narration::Shown => self.show(event, state),
            Narration::Silent => {}
        }
    }

    fn reply(&mut self, event: &Event, state: &State) {
        let Event::MessageCompleted { lane, text, intermediate, calls, finish, model, .. } = event else {
            return;
        };
        self.says_why = finish.gives_up();
        if calls.is_empty() && self.is_needless(state, *lane, text) {
            return;
        }
        let whole = text.whole().map_or_else(
            || format!("{}\n[…]\n{}", text.head, text.cut.as_ref().map_or("", |c| c.tail.as_str())),
            str::to_owned,
        );
        // What a model writes as JSON for want of calls is told as the command that it is.
        for head in calls {
            let read = head.read.subject();
            self.calls.insert(head.call, format!("{} {read}", head.name).trim_end().to_owned());
        }
        let prose = *intermediate && calls.is_empty();
        let whole = if prose { PlannerReply::spoken(&whole).to_owned() } else { whole };
        let whole = fact::marked(&whole, &std::mem::take(&mut self.marks));
        let whole = if model == OFFLINE { self.worded(&whole) } else { whole };
        if whole.is_empty() {
        } else if *intermediate {
            self.progress(&whole);
        } else {
            self.print(&whole);
        }
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "what is told at all was decided; the rest is for machines"
    )]
    fn show(&mut self, event: &Event, state: &State) {
        match event {
            Event::AnswerChecked { marks, .. } => self.marks.clone_from(marks),
            Event::CheckpointOpened {
                checkpoint: Checkpoint { kind: CheckpointKind::Remember(asked), .. },
            } => {
                let text =
                    "nobody is there to approve it, so nothing is written; it is waiting in the session";
                self.warn(&format!("? remember: {} ({text})", asked.note.text));
            }
            Event::PlanReady { plan } => self.plan_ready(plan, state),
            Event::TaskCompleted { task, .. } => self.task_completed(*task, state),
            Event::GateFailed { proof, .. } => {
                self.say(&format!("✗ gate {}\n{}", proof.command, proof.diagnostics));
            }
            Event::CommandProposed { call, lane, command, risk, .. } => {
                let kind = state.lanes.get(lane).map(|l| l.kind);
                self.gate = matches!(kind, Some(LaneKind::Gate(_))).then_some(*call);
                self.streamed = 0;
                self.progress(&format!("$ {command}   ({} risk)", risk.name()));
            }
            Event::CallEnded { call, status, summary, .. } => {
                self.finish_output();
                let mark = if *status == CallStatus::Done { "▸" } else { "✗" };
                let what = self.calls.remove(call).map(|what| format!("{what}: ")).unwrap_or_default();
                self.progress(&format!("{mark} {what}{summary}"));
            }
            // The end of the call that proposes it tells it.
            Event::Proposed { proposal, added, removed } if !self.calls.contains_key(&proposal.call) => {
                self.progress(&format!("± {} (+{added} -{removed})", proposal.path));
            }
            Event::Applied { apply } => {
                let files = state.applies().get(apply).map(|a| a.files.clone()).unwrap_or_default();
                for f in files {
                    self.progress(&format!("✓ wrote {} (+{} -{})", f.path, f.added, f.removed));
                }
            }
            Event::CommandWrote { apply, .. } => {
                let words = state.applies().get(apply).map(Apply::words).unwrap_or_default();
                self.progress(&format!("✓ changed {words}"));
            }
            // What did not end well is told once, at the end.
            Event::RunCompleted { status, summary, came_to, .. } => {
                let unchecked = came_to.as_ref().and_then(|facts| facts.unchecked());
                if *status == RunStatus::Completed {
                    self.progress(&self.worded(summary));
                    if let Some(what) = unchecked {
                        self.progress(&what);
                    }
                }
                if let Some(facts) = came_to {
                    self.progress(&facts.usage.line(Some(facts.spell())));
                }
            }
            Event::ControlGiven { control: Control::Help } => self.print(&commands(&self.recipes)),
            Event::ControlGiven { control: Control::Status } => self.print(&status(state, self.budget)),
            _ => {}
        }
    }

    fn plan_ready(&mut self, plan: &Plan, state: &State) {
        // Where nobody says yes to it, it is the result.
        if self.kept.confirms {
            self.progress(&self.worded(&plan.summary()));
        }
        if let Some(since) = revised(plan, state) {
            self.progress(&since);
        }
        let notes = plan.notes();
        if !notes.is_empty() {
            self.progress(&format!("{}\n", self.worded(notes.trim())));
        }
    }

    fn task_completed(&mut self, task: TaskId, state: &State) {
        if let Some(plan) = state.plan.as_ref().or(state.suspended.as_ref())
            && let Some(done) = plan.task(task)
        {
            let why = self.needless.remove(&task);
            let why = why.map_or_else(String::new, |why| format!(", nothing changed: {why}"));
            let (number, of) = (plan.number(task), plan.tasks.len());
            let mark = if done.unchanged { "–" } else { "✓" };
            self.say(&format!("[{number}/{of}] {mark} {}{why}", done.title));
        }
    }

    /// Whether a reply only says that its step needs no change: it is told with the step's end. One that wrote something is
    /// not taken at that word.
    fn is_needless(&mut self, state: &State, lane: LaneId, text: &Excerpt) -> bool {
        let task = state.lanes.get(&lane).and_then(|l| l.kind.task());
        let task = task.filter(|task| state.standing_of_step(*task).is_none());
        let Some((task, why)) = task.zip(text.whole().and_then(needless_alone)) else { return false };
        self.needless.insert(task, why);
        true
    }

    pub fn delta(&mut self, delta: &Delta) {
        if self.json || self.gate == Some(delta.call) {
            return;
        }
        match delta.kind {
            DeltaKind::Notice => self.progress(&self.worded(&delta.text)),
            DeltaKind::Wait => self.progress(&self.worded(&delta.wait())),
            DeltaKind::Stdout | DeltaKind::Stderr => self.output(delta),
            DeltaKind::Text | DeltaKind::Reasoning | DeltaKind::Call | DeltaKind::Written => {}
        }
    }

    /// Output of a command, line by line, each with the sign of its stream.
    fn output(&mut self, delta: &Delta) {
        if delta.offset > self.streamed {
            self.progress("  …");
        }
        self.streamed = delta.offset + delta.text.len() as u64;
        let at = usize::from(delta.kind == DeltaKind::Stderr);
        let Some(open) = self.open.get_mut(at) else { return };
        open.push_str(&delta.text);
        let whole = open.rfind('\n').map_or(String::new(), |end| open.drain(..=end).collect());
        for line in whole.lines() {
            self.output_line(at, line);
        }
    }

    fn output_line(&mut self, stream: usize, line: &str) {
        let sign = if stream == 0 { "│" } else { "!" };
        self.progress(&format!("  {sign} {line}"));
    }

    fn finish_output(&mut self) {
        for (at, rest) in std::mem::take(&mut self.open).into_iter().enumerate() {
            if !rest.is_empty() {
                self.output_line(at, &rest);
            }
        }
    }

    pub fn refused(&mut self, reason: &str) {
        self.say(&self.worded(reason));
    }

    /// What the user should know; the same words again are not said again.
    pub fn warn(&mut self, text: &str) {
        // Nobody types here: the line that goes on stands at the end.
        let told: Vec<&str> = text.lines().filter(|line| *line != ASK_AGAIN).collect();
        let text = self.worded(&told.join("\n"));
        let text = text.as_str();
        if self.warned != text {
            text.clone_into(&mut self.warned);
            self.say(text);
        }
    }

    /// The last words: what ended it, the question, what was refused for want of anybody to ask, and the way to go on.
    pub fn end(
        &mut self,
        outcome: &Outcome,
        (asked, refused): (Option<&Checkpoint>, &[Checkpoint]),
        state: &State,
    ) {
        let way = onward(outcome, self.kept, asked, state);
        let refused = named(refused);
        if self.json {
            let question = asked.filter(|_| outcome.exit != 0);
            let last = serde_json::json!({
                "seq": state.seq.0 + 1, "at": state.at, "run": state.run.as_ref().map(|r| r.id), "type": "run_ended",
                "exit": outcome.exit, "session": outcome.slug, "reason": outcome.reason, "question": question,
                "refused": refused, "go_on": way,
            });
            self.put(&last.to_string());
            return;
        }
        if let Some(asked) = asked {
            self.show_question(asked, state, outcome.exit);
        } else if !outcome.reason.is_empty() && !self.says_why {
            // What was said wrongly is told by what was said.
            let worded = outcome.exit != 2;
            self.say(&if worded { self.worded(&outcome.reason) } else { outcome.reason.clone() });
        }
        if !refused.is_empty() {
            self.say(&format!("not allowed, because nobody was there to ask:\n  {}", refused.join("\n  ")));
        }
        if !way.is_empty() {
            self.say(&format!("to continue: {way}"));
        }
    }

    fn show_question(&mut self, asked: &Checkpoint, state: &State, exit: u8) {
        if let Some(text) = planned(&state.spec(asked), state) {
            self.print(&self.worded(&text));
        }
        if exit != 0 {
            self.say(&self.worded(&format!("? {}", asked.message)));
        }
    }
}

/// What questions were about, each thing once.
fn named(questions: &[Checkpoint]) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for question in questions {
        let thing = match question.kind.command() {
            Some(asked) if asked.deletes => format!("{} (removes files)", asked.command),
            Some(asked) => format!("{} ({} risk)", asked.command, asked.risk.name()),
            None => question.message.clone(),
        };
        let thing = Clean::line(&thing).to_string();
        if !all.contains(&thing) {
            all.push(thing);
        }
    }
    all
}

/// The plan that a question is about, with the details of its steps.
pub(crate) fn planned(spec: &Spec, state: &State) -> Option<String> {
    let plan = state.plan.as_ref().filter(|_| spec.unattended == Unattended::PlanReady)?;
    let mut text = plan.summary();
    for task in plan.tasks.iter().filter(|t| t.status == TaskStatus::Pending && !t.detail.is_empty()) {
        text.push_str(&format!("\n   {}: {}", plan.number(task.id), task.detail));
    }
    Some(text)
}

/// The slash commands that do something without a screen.
pub(crate) fn commands(recipes: &Recipes) -> String {
    let rows = SLASH_COMMANDS.iter().filter(|c| c.handler != Handler::Screen).map(|command| {
        let call = format!("/{} {}", command.name, command.arguments.shown());
        format!("{:<22} {}", call.trim_end(), command.help)
    });
    let of_files = recipes.usable().map(|r| {
        let call = format!("{} {}", r.call(), r.hint);
        let does = r.description.lines().next().unwrap_or_default();
        format!("{:<22} {does} ({})", call.trim_end(), r.origin.name())
    });
    rows.chain(of_files).collect::<Vec<_>>().join("\n")
}

/// Where the session stands.
pub(crate) fn status(state: &State, budget: Configured) -> String {
    let plan = state.plan.as_ref().or(state.suspended.as_ref());
    let budgets = state.allowances(budget).iter().map(Allowance::line).collect::<Vec<_>>().join("; ");
    let told = |p: &Plan| format!("{}, {}{}", Clean::line(&p.title), p.steps(), p.checks());
    let plan = plan.map_or_else(|| "none".to_owned(), told);
    let (tokens, cost) = (state.usage.shown_tokens(), state.usage.cost_told(budget.unpriced));
    [
        ("mode", state.mode.name()),
        ("ceiling", state.permission.badge()),
        ("phase", state.phase.name()),
        ("plan", &plan),
        ("facts", &state.facts.len().to_string()),
        ("queued", &state.queue.len().to_string()),
        (
            "failed",
            state.failure.as_ref().map_or("nothing", |f| f.message.lines().next().unwrap_or_default()),
        ),
        ("waiting", &state.open.len().to_string()),
        ("spent", &format!("{tokens} tokens, cost {cost}")),
        ("budget", if budgets.is_empty() { "none" } else { &budgets }),
    ]
    .map(|(what, value)| format!("{what:<8} {value}"))
    .join("\n")
}
