//! Stage pipelines folded into the state: what happened to the one under way, and the calls of its stage.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use crate::{
    blob::Excerpt,
    event::{CallStatus, Event},
    ids::{CallId, LaneId, RunId, TurnId},
    money::Unit,
    pipeline::{Depth, PipelineExit, PipelineState, StageEvent, StageSpec},
    session::{State, accounts::Bound},
    talk::Usage,
    tool::Tool,
    work::Work,
};

/// The last pipeline of a session.
#[derive(Clone, Debug, PartialEq)]
pub struct Pipeline {
    /// What happened to it.
    pub state: PipelineState,
    /// The lane that does its stages, while one does.
    pub lane: Option<LaneId>,
    /// The calls of the stage at work, in their order.
    pub calls: Vec<StageCall>,
    /// All lanes that did its stages.
    own: BTreeSet<LaneId>,
    /// What the stage at work cost so far.
    pub spent: Usage,
    /// The pipelines before it that came to an answer, the last of each agent.
    pub before: BTreeMap<String, RunId>,
    /// What its agent may spend, by what had been spent when it began; nothing once the user says otherwise.
    pub(in crate::session) bounds: BTreeMap<Unit, Bound>,
}

/// A call of a stage.
#[derive(Clone, Debug, PartialEq)]
pub struct StageCall {
    /// The call.
    pub call: CallId,
    /// Its tool.
    pub tool: Tool,
    /// Its arguments.
    pub args: String,
    /// Whether it did what it should, and what it said, once it has ended.
    pub result: Option<(bool, Excerpt)>,
}

impl Pipeline {
    /// The pipelines that came to an answer, itself included, the last of each agent.
    pub fn answered(&self) -> BTreeMap<String, RunId> {
        let mut all = self.before.clone();
        let own = self.state.beginning().filter(|_| self.state.exit() == Some(PipelineExit::Completed));
        all.extend(own.map(|b| (b.agent.clone(), self.state.id)));
        all
    }

    /// How far it has come: no two moments at which something is to be brought have the same number.
    pub fn step(&self) -> u64 {
        let count = |n: usize| u64::try_from(n).unwrap_or(u64::MAX);
        count(self.state.events().len()) << 16 | count(self.calls.len())
    }
}

impl State {
    #[expect(clippy::wildcard_enum_match_arm, reason = "`fold` names every event; this takes its share")]
    pub(super) fn fold_pipeline(&mut self, event: &Event) {
        match event {
            Event::DepthSet { depth } => self.depth = Some(*depth),
            Event::Staged { pipeline, happened } => {
                if self.pipeline.as_ref().is_none_or(|p| p.state.id != *pipeline) {
                    let state = PipelineState::new(*pipeline);
                    let before = self.pipeline.as_ref().map(|p| p.answered()).unwrap_or_default();
                    let (calls, own) = (Vec::new(), BTreeSet::new());
                    let (spent, bounds) = (Usage::default(), BTreeMap::new());
                    self.pipeline =
                        Some(Arc::new(Pipeline { state, lane: None, calls, own, spent, before, bounds }));
                }
                match happened {
                    StageEvent::Judging { .. } => self.accounts.spent.calls += 1,
                    StageEvent::Judged { spent } => self.spent_besides(spent),
                    _ => {}
                }
                let begun = if let StageEvent::Began(b) = happened {
                    Some(self.bounds_of(b.spec.budget))
                } else {
                    None
                };
                self.with_pipeline(|p| {
                    match happened {
                        StageEvent::StageStarted { .. } => p.calls = Vec::new(),
                        // One that is begun again goes on with what it cost.
                        StageEvent::StageCompleted { .. } => p.spent = Usage::default(),
                        _ => {}
                    }
                    if let Some(bounds) = begun {
                        p.bounds = bounds;
                    }
                    p.state.push(happened.clone());
                });
            }
            _ => {}
        }
    }

    /// What of other events concerns the pipeline: its lane, the calls of its stage, what they cost.
    #[expect(clippy::wildcard_enum_match_arm, reason = "most events do not")]
    pub(super) fn note_pipeline(&mut self, event: &Event) {
        if self.pipeline.is_none() {
            return;
        }
        match event {
            Event::LaneOpened { lane, kind: crate::lane::LaneKind::Pipeline, .. } => {
                self.with_pipeline(|p| {
                    p.lane = Some(*lane);
                    p.own.insert(*lane);
                });
            }
            Event::LaneClosed { lane } if self.is_pipeline(*lane) => {
                self.with_pipeline(|p| (p.lane, p.calls) = (None, Vec::new()));
            }
            Event::SessionReopened { .. } => self.with_pipeline(|p| (p.lane, p.calls) = (None, Vec::new())),
            Event::CallMade { call, lane, tool, args, .. } if self.is_pipeline(*lane) => {
                let made = StageCall { call: *call, tool: *tool, args: args.clone(), result: None };
                self.with_pipeline(|p| p.calls.push(made));
            }
            Event::CallEnded { call, lane, status, result, .. } if self.is_pipeline(*lane) => {
                let ended = (*status == CallStatus::Done, result.clone());
                self.with_pipeline(|p| {
                    if let Some(of) = p.calls.iter_mut().find(|c| c.call == *call) {
                        of.result = Some(ended);
                    }
                });
            }
            // What was cut off says what it had when its lane is gone.
            Event::MessageCompleted { lane, usage, .. }
                if self.pipeline.as_ref().is_some_and(|p| p.own.contains(lane)) =>
            {
                self.with_pipeline(|p| p.spent.add(usage));
            }
            _ => {}
        }
    }

    pub(in crate::session) fn with_pipeline(&mut self, change: impl FnOnce(&mut Pipeline)) {
        if let Some(pipeline) = &mut self.pipeline {
            change(Arc::make_mut(pipeline));
        }
    }

    /// Whether a lane does the stages of the pipeline.
    pub fn is_pipeline(&self, lane: LaneId) -> bool {
        self.pipeline.as_ref().is_some_and(|p| p.lane == Some(lane))
    }

    /// What the stages of a turn cost so far: the run that goes on with them counts it as its own.
    pub(super) fn spent_in_stages(&self, turn: TurnId) -> Usage {
        let own = |p: &&Arc<Pipeline>| p.state.beginning().is_some_and(|b| b.turn == turn);
        let Some(p) = self.pipeline.as_ref().filter(own) else { return Usage::default() };
        let parts = p.state.costs().into_iter().map(|(_, spent)| spent).chain([p.spent]);
        parts.fold(Usage::default(), |mut all, part| {
            all.add(&part);
            all
        })
    }

    /// The pipeline that waits for the user.
    pub fn paused_pipeline(&self) -> Option<&Arc<Pipeline>> {
        let waits = |p: &&Arc<Pipeline>| p.state.is_paused() && !p.state.is_aside() && !p.state.is_over();
        self.pipeline.as_ref().filter(waits).filter(|_| self.phase == crate::intent::Phase::AwaitingApproval)
    }

    /// The pipeline that was stopped and can be taken up again.
    pub fn pipeline_aside(&self) -> Option<&Arc<Pipeline>> {
        self.pipeline.as_ref().filter(|p| p.state.is_aside() && !p.state.is_over())
    }

    /// How deep pipelines go, where that was said.
    pub const fn depth(&self) -> Option<Depth> {
        self.depth
    }

    /// Bringing what the stage at work works on, where code does it.
    pub(in crate::session) fn stage_work(&self) -> Option<Work> {
        let p = self.pipeline.as_ref().filter(|p| p.state.is_running())?;
        let lane = self.lanes.get(&p.lane?)?;
        let (stage, _) = p.state.open_stage()?;
        let code = p.state.stage(stage).is_some_and(StageSpec::gathers);
        let free = lane.calls.is_empty() && lane.thinking.is_none() && !lane.held && lane.moves.is_empty();
        (code && free).then(|| Work::Stage { pipeline: p.state.id, step: p.step() })
    }

    /// Asking a model about a message to the pipeline that waits.
    pub(in crate::session) fn judge_work(&self) -> Option<Work> {
        let p = self.paused_pipeline()?;
        let (turn, message) = p.state.judging()?;
        let (query, queries) = (p.state.original_query(), p.state.sub_query_texts());
        Some(Work::Judge { turn, question: crate::pipeline::breakout::question(query, queries, message) })
    }
}
