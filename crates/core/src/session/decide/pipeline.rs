//! Stage pipelines: begun, from stage to stage, paused, gone on with, ended.
//!
//! Owns that code keeps their state: what comes next is read off what happened, and each stage goes through the
//! ordinary lanes, calls and budgets. What a message to a paused one does is `breakout.rs`.

use super::{
    Decided, Draft,
    answer::{Given, Resolve},
    lane::ReplyEnd,
    terms::{LaneOpening, RunEnd, RunFault},
};
use crate::{
    blob::Excerpt,
    checkpoint::Answer,
    event::{Event, Level, RunStatus},
    fact::shortened,
    ids::{CallId, LaneId, RunId, TurnId},
    input::Refusal,
    intent::{IntentNode, Phase, Slash},
    phase::{Move, Trigger},
    pipeline::{
        Analysis, Depth, Draft as AnswerDraft, Gives, Material, Next, Outcome, PipelineState, StageEvent,
        StageKind, StageSpec, Step, count, left_out, pause_message, state::Beginning, work,
    },
    question::{PauseAnswer, PipelinePause},
    session::{LaneKind, Pipeline},
    talk::{Finish, ModelReply, Usage},
    tool::Tool,
};

/// What is asked of an agent that collects a change where nothing is said.
const EVERYTHING: &str = "everything since the last commit";
/// An answer stands whole in its event up to this many bytes.
const ANSWER_BYTES: usize = 14 * 1024;

impl Draft<'_> {
    /// The agent that a line calls by name, and what it asks of it.
    pub(super) fn pipeline_order<'t>(&self, line: &'t str) -> Option<(String, &'t str)> {
        let said = line.strip_prefix('@')?;
        let (name, rest) = said.split_once(char::is_whitespace).unwrap_or((said, ""));
        let name = name.trim_end_matches([':', ',']).to_lowercase();
        let deep = self.state.depth().unwrap_or(self.under.agents.deep(None)) == Depth::Deep;
        let rest = rest.trim();
        // A review that is to be thorough is done in stages, and one of which nothing is said: these collect the change.
        let staged = name == "review" && (deep || rest.is_empty());
        let agent = self.under.agents.named(if staged { "review-diff" } else { &name })?;
        // What collects a change knows which one without a word.
        let rest = if rest.is_empty() && agent.spec.collects() { EVERYTHING } else { rest };
        Some((agent.slug.clone(), rest))
    }

    /// A message that calls an agent with stages.
    pub(super) fn route_pipeline(&mut self, turn: TurnId, slug: &str, query: &str) -> Decided {
        if query.is_empty() {
            return Err(Refusal::misuse(format!("type @{slug} and what to find out")));
        }
        let waits = matches!(
            crate::phase::transition(self.state.phase, Trigger::CommandGoal),
            Ok(Move::QueuePlan) | Err(_)
        );
        if waits {
            self.queue_plan(turn);
            return Ok(());
        }
        self.close_phase_question();
        self.go(Trigger::CommandGoal)?;
        self.shelve();
        self.start_run(turn, None);
        self.begin_pipeline(turn, slug, query);
        self.go_on();
        Ok(())
    }

    fn begin_pipeline(&mut self, turn: TurnId, slug: &str, query: &str) {
        let Some(agent) = self.under.agents.named(slug).cloned() else { return };
        let previous = self.pipeline().and_then(|p| p.answered().get(slug).copied());
        let web = self.under.agents.web_of(&agent);
        let body = self.excerpt(agent.body);
        let prompts =
            agent.spec.stages.iter().map(|s| agent.prompts.get(&s.name).cloned().unwrap_or_default());
        let prompts = prompts.collect::<Vec<_>>().into_iter().map(|p| self.excerpt(p)).collect();
        let depth = self.state.depth().unwrap_or(self.under.agents.deep(agent.spec.depth));
        let follows = agent.spec.output.follow_up;
        let began = Beginning {
            agent: agent.slug,
            title: agent.title,
            turn,
            query: query.to_owned(),
            depth,
            spec: agent.spec,
            body,
            prompts,
            web,
            adds: self.under.agents.adds.clone(),
            sources: agent.sources,
            previous: previous.filter(|_| follows),
        };
        let pipeline = self.state.run.as_ref().map(|r| r.id).unwrap_or_default();
        self.emit(Event::Staged { pipeline, happened: StageEvent::Began(Box::new(began)) });
    }

    /// Something happened to the pipeline.
    pub(super) fn staged(&mut self, happened: StageEvent) {
        if let Some(pipeline) = self.state.pipeline.as_ref().map(|p| p.state.id) {
            self.emit(Event::Staged { pipeline, happened });
        }
    }

    pub(super) fn pipeline(&self) -> Option<&Pipeline> {
        self.state.pipeline.as_deref()
    }

    /// The next stage, the question before it, or the end.
    pub(super) fn go_on(&mut self) {
        loop {
            let Some(state) = self.pipeline().map(|p| p.state.clone()) else { return };
            if let Some(stage) = state.pauses() {
                return self.pause_pipeline(stage);
            }
            match state.next() {
                Next::Done => return self.pipeline_done(),
                Next::Stage(stage, round) => {
                    self.staged(StageEvent::StageStarted { stage, round });
                    let Some(why) = state.stage(stage).and_then(|s| left_out(&state, s)) else {
                        return self.begin_stage(&state, stage);
                    };
                    let outcome = Outcome { note: why.to_owned(), skipped: true, ..Outcome::default() };
                    self.complete_stage(stage, &outcome);
                }
            }
        }
    }

    fn begin_stage(&mut self, state: &PipelineState, stage: usize) {
        let lane = self.pipeline().and_then(|p| p.lane).filter(|l| self.state.lanes.contains_key(l));
        let lane = lane.unwrap_or_else(|| {
            let turn = state.beginning().map(|b| b.turn).unwrap_or_default();
            self.open_lane(LaneOpening { reads_only: true, ..LaneOpening::of(LaneKind::Pipeline, turn) })
        });
        self.move_to(lane, IntentNode::Read, None);
        if self.state.has_arrived(lane) {
            self.do_stage(lane, stage);
        }
    }

    /// The lane of a pipeline is where its stage begins.
    pub(super) fn pipeline_arrived(&mut self, lane: LaneId) {
        if let Some((stage, _)) = self.pipeline().and_then(|p| p.state.open_stage()) {
            self.do_stage(lane, stage);
        }
    }

    /// A stage that asks begins with the model; every other with what it works on, which is brought.
    fn do_stage(&mut self, lane: LaneId, stage: usize) {
        if self.pipeline().and_then(|p| p.state.stage(stage)).is_some_and(|s| !s.gathers()) {
            self.think(lane);
        }
    }

    /// What a stage works on is here: its next calls, its question to the model, or its end.
    pub(super) fn stage_gathered(&mut self, pipeline: RunId, step: u64, material: &Material) -> Decided {
        let late = || Refusal::new("the stage has gone on");
        let p = self.pipeline().filter(|p| p.state.id == pipeline && p.step() == step).ok_or_else(late)?;
        let (state, lane) = (p.state.clone(), p.lane.ok_or_else(late)?);
        let (stage, _) = state.open_stage().ok_or_else(late)?;
        match work(&state, stage, material) {
            Step::Call(calls) => self.stage_calls(lane, &calls),
            Step::Ask => self.think(lane),
            Step::Done(outcome) => {
                if let Some(text) = &outcome.answer {
                    self.tell_answer(lane, &state, text);
                }
                self.complete_stage(stage, &outcome);
                self.go_on();
            }
            Step::Over(answer) => {
                self.tell_answer(lane, &state, &answer);
                self.complete_stage(stage, &Outcome { note: answer, ..Outcome::default() });
                self.pipeline_done();
            }
            Step::Fail(why) => self.fail_pipeline(lane, &why),
        }
        Ok(())
    }

    /// Calls of a stage go the way of all calls: judged, begun, accounted, replayed.
    fn stage_calls(&mut self, lane: LaneId, calls: &[(String, String)]) {
        for (name, args) in calls {
            let Some(tool) = Tool::named(name) else {
                return self.fail_pipeline(lane, &format!("there is no tool `{name}` here"));
            };
            let call = CallId(self.id());
            self.emit(Event::CallMade { call, lane, tool, args: args.clone(), typed: false });
        }
        self.advance(lane);
    }

    /// The model's part of a stage.
    pub(super) fn stage_replied(&mut self, (turn, lane): (TurnId, LaneId), call: CallId, reply: ModelReply) {
        let text = reply.text.clone();
        let reply = ModelReply { calls: Vec::new(), ..reply };
        self.message((turn, lane), call, reply, ReplyEnd::GoesOn);
        let Some(state) = self.pipeline().map(|p| p.state.clone()) else { return };
        let Some((stage, _)) = state.open_stage() else { return };
        let Some(spec) = state.stage(stage) else { return };
        let said = match spec.kind {
            StageKind::Llm => read(&text, spec.gives, state.depth()),
            StageKind::ToolFanout | StageKind::Verify | StageKind::Render => None,
        };
        if let Some(outcome) = said.as_ref().filter(|_| !spec.gathers()) {
            self.complete_stage(stage, outcome);
            return self.go_on();
        }
        let again = state.reply().is_none();
        let output = self.excerpt(text);
        self.staged(StageEvent::Replied { stage, output });
        if spec.kind == StageKind::Llm && said.is_none() {
            if again {
                return self.think(lane);
            }
            let why = format!("the model's reply in the stage \"{}\" cannot be read", spec.shown());
            self.fail_pipeline(lane, &why);
        }
    }

    fn complete_stage(&mut self, stage: usize, outcome: &Outcome) {
        let spent = self.pipeline().map(|p| p.spent).unwrap_or_default();
        let output = self.excerpt(outcome.output.clone());
        let Outcome { note, again, lacks, queries, skipped, word_for_word, .. } = outcome.clone();
        self.staged(StageEvent::StageCompleted {
            stage,
            output,
            note,
            queries,
            skipped,
            again,
            lacks,
            word_for_word,
            spent,
        });
    }

    /// The answer, once, as what the agent said last.
    fn tell_answer(&mut self, lane: LaneId, state: &PipelineState, text: &str) {
        let turn = state.beginning().map(|b| b.turn).unwrap_or_default();
        let call = CallId(self.id());
        let model = state.beginning().map(|b| b.title.clone()).unwrap_or_default();
        let text = Excerpt::up_to(ANSWER_BYTES, text, &mut self.blobs);
        let usage = Usage { cost_micros: Some(0), ..Usage::default() };
        self.emit(Event::MessageCompleted {
            turn,
            lane,
            call,
            text,
            reasoning: Excerpt::default(),
            echo: None,
            intermediate: false,
            calls: Vec::new(),
            usage,
            finish: Finish::Stop,
            model,
            cut: false,
        });
    }

    fn pause_pipeline(&mut self, stage: usize) {
        self.staged(StageEvent::Paused { stage });
        self.close_pipeline_lane();
        self.must_go(Trigger::PipelinePaused);
        self.ask_of_pipeline();
    }

    fn close_pipeline_lane(&mut self) {
        if let Some(lane) = self.pipeline().and_then(|p| p.lane) {
            self.emit(Event::LaneClosed { lane });
        }
    }

    /// The question of a pipeline that waits; whether one does.
    pub(super) fn ask_of_pipeline(&mut self) -> bool {
        let Some(p) = self.state.paused_pipeline().cloned() else { return false };
        if p.state.judging().is_some() || self.state.phase_question().is_some() {
            return true;
        }
        if let Some((_, message)) = p.state.breakout_pending() {
            let message = message.to_owned();
            self.ask_breakout(&message);
            return true;
        }
        let (stage, note) = p.state.last_note().unwrap_or_default();
        let text = pause_message(&p.state, stage, &note);
        let title = p.state.beginning().map(|b| b.title.clone()).unwrap_or_default();
        let stage = u32::try_from(stage).unwrap_or(u32::MAX);
        self.ask(PipelinePause { stage, title }, text);
        true
    }

    /// The question of a pipeline was answered, in whatever words.
    pub(super) fn close_pipeline_question(&mut self, answer: Answer) {
        if let Some(id) = self.state.phase_question().map(|c| c.id) {
            self.close(id, Some(answer));
        }
    }

    /// Goes on from a pause, with what the user wants different.
    pub(super) fn resume_pipeline(&mut self, feedback: &str) {
        let said = if feedback.is_empty() { Answer::Continue } else { Answer::Text(feedback.to_owned()) };
        self.close_pipeline_question(said);
        self.staged(StageEvent::Resumed { feedback: feedback.to_owned() });
        self.must_go(Trigger::PipelineResumed);
        self.go_on();
    }

    fn pipeline_done(&mut self) {
        self.staged(StageEvent::Completed);
        self.close_pipeline_lane();
        let state = self.pipeline().map(|p| &p.state);
        let title = state.and_then(PipelineState::beginning).map_or("", |b| b.title.as_str());
        let end = match state.and_then(PipelineState::lacks) {
            Some(why) => RunEnd::of(RunStatus::Ended, format!("{title} ended: {why}")),
            None => RunEnd::of(RunStatus::Completed, format!("{title} complete")),
        };
        self.complete_as(end);
        self.must_go(Trigger::Complete);
        self.drain();
    }

    fn fail_pipeline(&mut self, lane: LaneId, why: &str) {
        self.fail_run(lane, RunFault::new(why, "\"try again\" repeats the stage that failed"));
    }

    /// The pipeline stops with the work that ends; it can be taken up again.
    pub(super) fn set_pipeline_aside(&mut self, why: &str) {
        let Some(p) = self.pipeline().filter(|p| !p.state.is_over() && !p.state.is_aside()) else { return };
        if p.state.events().is_empty() {
            return;
        }
        self.staged(StageEvent::Interrupted { why: why.to_owned() });
    }

    /// A pipeline whose phase is gone, whatever took it, is set aside.
    pub(super) fn settle_pipeline(&mut self) {
        let Some(p) = self.pipeline().filter(|p| !p.state.is_over() && !p.state.is_aside()) else { return };
        let phase = if p.state.is_paused() { Phase::AwaitingApproval } else { Phase::Executing };
        let Some((slug, turn)) = p.state.beginning().map(|b| (b.agent.clone(), b.turn)) else { return };
        if self.state.phase == phase {
            return;
        }
        self.set_pipeline_aside("stopped");
        if self.state.run.as_ref().is_some_and(|r| r.turn == turn) {
            self.complete_as(RunEnd::of(RunStatus::Cancelled, "Stopped."));
        }
        self.notice(Level::Info, format!("What {slug} found so far is kept; `/{slug}` continues."));
    }

    /// After the session was opened again: what waited waits, what worked is offered.
    pub(super) fn offer_pipeline(&mut self) {
        let Some(state) = self.pipeline().map(|p| p.state.clone()).filter(|s| !s.is_over()) else { return };
        if state.is_aside() {
            return;
        }
        if !state.is_paused() {
            self.set_pipeline_aside("the program ended");
            let slug = state.beginning().map(|b| b.agent.clone()).unwrap_or_default();
            let stage = state.open_stage().and_then(|(n, _)| state.stage(n)).map(StageSpec::shown);
            let stage = stage.map_or_else(String::new, |s| format!(" in the stage \"{s}\""));
            return self.notice(Level::Info, format!("{slug} was interrupted{stage}. `/{slug}` resumes it."));
        }
        self.wait_again(&state);
    }

    /// A pipeline that waits, waits again.
    fn wait_again(&mut self, state: &PipelineState) {
        if state.judging().is_some() {
            self.staged(StageEvent::Judged { spent: Usage::default() });
        }
        let turn = state.beginning().map(|b| b.turn).unwrap_or_default();
        self.must_go(Trigger::CommandGoal);
        self.start_run(turn, None);
        self.must_go(Trigger::PipelinePaused);
        self.ask_of_pipeline();
    }

    /// `/research` and its like: goes on with what was stopped, or begins with what follows the name.
    pub(super) fn research(&mut self, slug: &str, args: &str) -> Decided {
        let aside = self.state.pipeline_aside().map(|p| p.state.clone());
        let aside = aside.filter(|s| s.beginning().is_some_and(|b| b.agent == slug));
        let collects = self.under.agents.named(slug).is_some_and(|a| a.spec.collects());
        if !args.trim().is_empty() || (aside.is_none() && collects) {
            let line = format!("@{slug} {}", args.trim());
            let (line, reading) = (line.trim(), self.read(line.trim()));
            return self.take_message(None, line, &reading, crate::ids::Seq(u64::MAX));
        }
        let Some(state) = aside else {
            return Err(Refusal::misuse(format!("type /{slug} and what to find out")));
        };
        if self.state.phase != Phase::Idle && self.state.phase != Phase::Failed {
            return Err(Refusal::new("something is still running; ask again when it is done"));
        }
        self.heard(Slash::Research);
        self.close_phase_question();
        self.take_up_pipeline(&state);
        Ok(())
    }

    /// Goes on with a pipeline that was stopped or failed.
    pub(super) fn take_up_pipeline(&mut self, state: &PipelineState) {
        self.staged(StageEvent::TakenUp);
        if state.is_paused() {
            return self.wait_again(state);
        }
        let turn = state.beginning().map(|b| b.turn).unwrap_or_default();
        if self.state.phase != Phase::Executing {
            self.must_go(Trigger::CommandGoal);
        }
        if self.state.run.is_none() {
            self.start_run(turn, None);
        }
        self.go_on();
    }

    /// `/depth`: tells how deep pipelines go, or sets it.
    pub(super) fn set_depth(&mut self, args: &str) -> Decided {
        let now = self.state.depth().unwrap_or(self.under.agents.deep(None));
        if args.trim().is_empty() {
            let lines: Vec<String> = Depth::ALL
                .iter()
                .map(|d| {
                    let n = d.numbers();
                    let mark = if *d == now { "now: " } else { "" };
                    let web = if n.web { "the web where a source searches it" } else { "no web" };
                    format!(
                        "{mark}{}: up to {} questions, {} passages each, {} rounds of repair, {}K tokens of passages, {web}",
                        d.name(), n.queries, n.passages, n.repairs, n.tokens / 1000
                    )
                })
                .collect();
            self.listed(Slash::Depth, &lines);
            return Ok(());
        }
        let depth =
            Depth::named(args).ok_or_else(|| Refusal::misuse("type /depth quick, standard or deep"))?;
        if self.put_off(Slash::Depth, depth.name())? {
            return Ok(());
        }
        self.heard(Slash::Depth);
        self.emit(Event::DepthSet { depth });
        self.notice(Level::Info, format!("Depth: {} from now on.", depth.name()));
        Ok(())
    }
}

impl Resolve for PipelinePause {
    fn resolve(&self, draft: &mut Draft<'_>, given: Given<PauseAnswer>) -> Decided {
        draft.close(given.question, Some(given.stored));
        match given.answer {
            PauseAnswer::Proceed => draft.resume_pipeline(""),
            PauseAnswer::Leave => draft.exit_chosen(),
        }
        Ok(())
    }
}

/// What a reply hands in; `None` where it cannot be read.
fn read(text: &str, gives: Option<Gives>, depth: Depth) -> Option<Outcome> {
    let done = |output: String, note: String| Outcome { output, note, ..Outcome::default() };
    match gives? {
        Gives::Analysis | Gives::Calibration => {
            let read = Analysis::read(text, depth.numbers().queries)?;
            let scope = shortened(&read.scope, 200);
            let note = format!("{}: {scope}", count(read.sub_queries.len(), "question"));
            let output = serde_json::to_string(&read).unwrap_or_default();
            Some(Outcome { queries: read.sub_queries, ..done(output, note) })
        }
        Gives::Draft => {
            let read = AnswerDraft::read(text)?;
            let cites: usize = crate::pipeline::claims(&read).iter().map(|c| c.cites.len()).sum();
            let note = format!("{}, {}", count(read.sections.len(), "section"), count(cites, "citation"));
            Some(done(serde_json::to_string(&read).unwrap_or_default(), note))
        }
        Gives::Findings => {
            let read = crate::pipeline::Findings::read(text)?;
            let found = count(read.findings.len(), "finding");
            let note = if read.skipped { "not looked for".to_owned() } else { found };
            Some(done(serde_json::to_string(&read).unwrap_or_default(), note))
        }
    }
}
