//! Facts: recorded when a call brings them, asked for by questions, forgotten by the user.
//!
//! Owns when a question is answered from them. Never says whether a text stands somewhere.

use super::{Decided, Draft};
use crate::{
    event::{Event, Level},
    fact::{Checked, Fact, FactDraft, Mark, Place, shortened},
    ids::{CallId, LaneId, TurnId},
    input::Refusal,
    intent::{Control, QuerySub, Reading, SLASH_COMMANDS, Slash, Turn},
    lane::LaneKind,
    plan::GateStatus,
    session::Lane,
    shell::pipe_of,
    talk::ModelReply,
    tool::RecordFact,
};

/// The most characters of a command's line in the reason for a mark.
const LINE_CHARS: usize = 60;

/// Most facts that are listed at once.
const MOST_SHOWN: usize = 40;

impl Draft<'_> {
    /// A call found something out.
    pub(super) fn record_fact(&mut self, lane: LaneId, draft: FactDraft) {
        let FactDraft { name, value, source, because, confidence, checked } = draft;
        let step = self.state.lanes.get(&lane).and_then(|l| l.kind.task());
        let at = self.at;
        let fact = Fact { name, value, source, because, step, at, confidence, checked };
        self.emit(Event::FactRecorded { fact });
    }

    /// Why a fact is not noted in the work of this message as what the user said: their words do not hold it. Where not
    /// all is known of what they said for that work it may be in the rest.
    pub(super) fn not_said(&self, turn: TurnId, fact: &RecordFact) -> Option<String> {
        let evidence = fact.file.is_some() || !fact.command.trim().is_empty() || !fact.because.is_empty();
        if !fact.user || evidence {
            return None;
        }
        let work = |said: TurnId| {
            let told = self.state.turns.get(&said).and_then(|t| t.told);
            self.state.work_of(told.unwrap_or(said))
        };
        let is_partly_known = self.state.said.in_part().any(|said| work(said) == work(turn));
        (!is_partly_known && !self.state.said.hold(&fact.value)).then(|| {
            format!(
                "the user did not say `{}`: give the value in their words, or leave `user` out; nothing was noted",
                fact.value.trim()
            )
        })
    }

    /// What came of checking a reply, told before the reply itself.
    pub(super) fn tell_checked(&mut self, lane: LaneId, call: CallId, reply: &ModelReply) {
        if !reply.calls.is_empty() {
            return;
        }
        let claims = self.unproven_claims(lane, &reply.text);
        let checked = reply.checked.clone();
        if checked.is_some() || !claims.is_empty() {
            let Checked { statements, mut marks } = checked.unwrap_or_default();
            let statements = statements.max(claims.len());
            marks.extend(claims);
            marks.sort_by_key(|mark| mark.line);
            self.emit(Event::AnswerChecked { call, lane, statements, marks });
        }
    }

    /// The lines in which the agent says at the end of its work that checks pass, where none did.
    fn unproven_claims(&self, lane: LaneId, text: &str) -> Vec<Mark> {
        let Some(why) = self.unproven(lane) else { return Vec::new() };
        let mut fenced = false;
        let mut claims = |line: &str| {
            fenced ^= line.trim_start().starts_with("```");
            !fenced && self.under.tiers.classifier.claims_green(line)
        };
        let lines = text.lines().enumerate().filter(|(_, line)| claims(line)).map(|(n, _)| n + 1);
        lines.map(|line| Mark { line, why: why.clone() }).collect()
    }

    /// Why nothing shows that checks pass, at the end of work that may have broken them; `None` where something does.
    fn unproven(&self, lane: LaneId) -> Option<String> {
        let works = |l: &&Lane| matches!(l.kind, LaneKind::Task(_) | LaneKind::Repair(_));
        let lane = self.state.lanes.get(&lane).filter(works)?;
        let plan = self.state.plan.as_ref();
        let mut failed = self.state.run.iter().flat_map(|run| run.red_checks(plan)).filter(|red| !red.mended);
        if let Some(red) = failed.next() {
            return Some(format!("`{}` failed", shortened(&red.line, LINE_CHARS)));
        }
        let gates = || plan.into_iter().flat_map(|plan| &plan.gates);
        if lane.proved {
            return None;
        }
        if let Some(gate) = gates().find(|g| matches!(g.status, GateStatus::Failed(_))) {
            return Some(format!("the gate {} is red", gate.name));
        }
        let green = gates().any(|g| matches!(g.status, GateStatus::Passed(_)));
        let why = || match lane.piped.as_deref().and_then(|line| Some((line, pipe_of(line)?))) {
            Some((line, pipe)) => {
                let line = shortened(line, LINE_CHARS);
                format!("`{line}` ran through `| {pipe}`: its exit code is not known")
            }
            None => "nothing that shows it was run in this step".to_owned(),
        };
        (!green).then(why)
    }

    /// Whether facts answer this question; then it is looked whether they still stand.
    pub(super) fn recalls(&mut self, turn: TurnId) -> bool {
        let Some(sub) = self.sub_of(turn) else { return false };
        let Some(info) = self.state.turns.get(&turn) else { return false };
        let question = info.request.as_deref().unwrap_or(&info.head);
        let free = self.state.recalling.is_none();
        let Some(found) = self.state.facts.answering(question, sub).filter(|_| free) else { return false };
        self.emit(Event::FactsAsked { turn, names: found.names });
        true
    }

    /// Whether a message is a question that facts answer whole: then no later tier need be asked.
    pub(super) fn is_known(&self, reading: &Reading) -> bool {
        match reading.whole.turn {
            Turn::Query(sub) => {
                let sub = sub.unwrap_or(QuerySub::Lookup);
                self.state.facts.answering(&reading.text, sub).is_some()
            }
            Turn::PlanNew(_) | Turn::PlanContinue | Turn::Control(_) => false,
        }
    }

    pub(super) fn sub_of(&self, turn: TurnId) -> Option<QuerySub> {
        match self.state.turns.get(&turn)?.class {
            Turn::Query(sub) => Some(sub.unwrap_or(QuerySub::Lookup)),
            Turn::PlanNew(_) | Turn::PlanContinue | Turn::Control(_) => None,
        }
    }

    /// It was looked whether the facts still stand: those that do answer, else a model does.
    pub(super) fn recalled(&mut self, turn: TurnId, places: Vec<(String, Option<Place>)>) -> Decided {
        let waits = self.state.recalling.clone().filter(|(of, _)| *of == turn);
        let (_, names) =
            waits.ok_or_else(|| Refusal::new("nothing is waiting for these facts any longer"))?;
        self.facts_seen(places);
        let sub = self.sub_of(turn).unwrap_or(QuerySub::Lookup);
        let stands = |n: &String| self.state.facts.stale(n).is_none();
        if sub == QuerySub::Lookup && !names.iter().all(stands) {
            self.emit(Event::FactsAnswered { turn, names: Vec::new(), text: String::new() });
            self.answer_by_model(turn);
            return Ok(());
        }
        let text = self.state.facts.told(&names, sub);
        self.emit(Event::FactsAnswered { turn, names, text });
        Ok(())
    }

    /// The files of facts were looked at: what is not as it was known is told.
    pub(super) fn facts_seen(&mut self, places: Vec<(String, Option<Place>)>) {
        for (name, place) in places {
            if self.state.facts.differs(&name, place) {
                self.emit(Event::FactLooked { name, place });
            }
        }
    }

    /// A command that is only told something has been heard: without a screen it is over with that.
    pub(super) fn heard(&mut self, of: Slash) {
        let name = SLASH_COMMANDS.iter().find(|c| c.does == of).map_or("", |c| c.name);
        self.emit(Event::ControlGiven { control: Control::Other(name.to_owned()) });
    }

    /// A list that a command asks for, told.
    pub(super) fn listed(&mut self, of: Slash, lines: &[String]) {
        self.heard(of);
        self.notice(Level::Info, lines.join("\n"));
    }

    /// `/facts`: what is known; `/facts WORD`: of that; `/facts forget NAME`.
    pub(super) fn facts(&mut self, args: &str) -> Decided {
        let args = args.trim();
        if let Some(name) = args.strip_prefix("forget ").map(str::trim) {
            let known = self.state.facts.get(name).map(|f| f.name.clone());
            let name = known.ok_or_else(|| Refusal::new(format!("there is no fact called {name}")))?;
            let told = format!("Forgot {name}.");
            self.emit(Event::FactForgotten { name });
            self.notice(Level::Info, told);
            return Ok(());
        }
        let facts = &self.state.facts;
        let mut lines: Vec<String> = facts.holding(args).into_iter().map(|f| facts.line(f)).collect();
        if lines.is_empty() {
            let of = if args.is_empty() { String::new() } else { format!(" of {args}") };
            self.listed(Slash::Facts, &[format!("nothing is known{of} yet")]);
            return Ok(());
        }
        let more = lines.len().saturating_sub(MOST_SHOWN);
        lines.truncate(MOST_SHOWN);
        if more > 0 {
            lines.push(format!("… and {more} more: /facts WORD"));
        }
        self.listed(Slash::Facts, &lines);
        Ok(())
    }
}
