//! Stage pipelines: what a stage works on is brought, a message to a paused one is judged, and what can be read
//! without the program is kept beside the log.
//!
//! Owns the files in the session's `data` folder. They are projections: nothing is decided from them but what a
//! later turn is told and what a follow-up builds on.

use std::{path::Path, sync::Arc};

use pilothouse_core::{
    event::{Event, Stamped},
    ids::{RunId, TurnId},
    input::Input,
    pipeline::{
        Agents, Answer, Gives, Outcome, PipelineExit, PipelineState, StageEvent, Step, Summary, prior_block,
        work,
    },
    session::Pipeline,
    talk::{Fault, FaultKind, Message, ModelRequest, Purpose, Role, Usage},
    work::WorkKey,
};
use pilothouse_model::ModelClient;
use pilothouse_tools::{atomic, regular};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::{Driver, port::Stored};
use crate::context::{Unprepared, Window, stage};

/// What happened to the last pipeline.
const STATE: &str = "pipeline-state.json";
/// What later turns are told of it.
const SUMMARY: &str = "pipeline-summary.json";
/// Its answer, for programs and for people.
const ANSWER: &str = "answer.json";
const MARKDOWN: &str = "answer.md";
/// Most bytes of such a file that are read.
const MOST_BYTES: u64 = 1024 * 1024;
/// Most tokens of a judgement.
const JUDGEMENT_TOKENS: u32 = 200;
/// Most bytes of it: so many tokens of JSON are less.
const JUDGEMENT_BYTES: usize = 1600;

impl Driver {
    /// What reaches the web now: a pipeline that begins goes by it.
    pub(super) fn look_for_web(&mut self) {
        let sources = &self.kit.sources;
        let (web, webs, adds) = (sources.web(), sources.webs(), sources.adds());
        let known = self.at.session.agents();
        if known.web != web || known.webs != webs || known.adds != adds {
            let agents = Agents { web, webs, adds, ..(**known).clone() };
            self.at.session.set_agents(Arc::new(agents));
        }
    }

    /// Brings what the stage at work works on.
    pub(super) fn gather(&self, key: WorkKey, pipeline: RunId, step: u64) {
        let Some(p) = self.at.session.state().pipeline.clone() else { return };
        let material = Box::new(self.material(&p));
        self.spawn(key, None, None, async move { Input::StageGathered { pipeline, step, material } });
    }

    /// The texts that a pipeline works on.
    pub(super) fn material(&self, pipeline: &Pipeline) -> pilothouse_core::pipeline::Material {
        let texts = Stored { log: &self.at.log, blobs: &self.at.blobs };
        let follows =
            |answer: &Answer| answer.run.is_some() && answer.run == pipeline.state.previous_session_id();
        let names = [answer_of(&pipeline.state), Some(ANSWER.to_owned())].into_iter().flatten();
        let mut all = names.filter_map(|name| Answer::kept(&kept(&self.at.folder, &name)?));
        stage::material(pipeline, &texts, all.find(follows))
    }

    /// The request of the stage at work, for a model with this window.
    pub(super) fn stage_request(&self, window: Window) -> Result<ModelRequest, Unprepared> {
        let p = self.at.session.state().pipeline.clone().ok_or(Unprepared::Gone)?;
        let texts = Stored { log: &self.at.log, blobs: &self.at.blobs };
        stage::request(&p, &self.material(&p), &texts, window)
    }

    /// Whether the reply of the stage at work is written for people, and comes with the pieces of an answer.
    pub(super) fn drafts(&self) -> bool {
        let state = self.at.session.state().pipeline.as_ref().map(|p| &p.state);
        let spec = state.and_then(|s| s.stage(s.open_stage()?.0)).filter(|s| s.asks());
        matches!(spec.and_then(|s| s.gives), Some(Gives::Draft | Gives::Findings))
    }

    /// Asks the model whether a message leaves the pipeline that waits.
    pub(super) fn judge(&mut self, key: WorkKey, turn: TurnId, question: &str, cancel: CancellationToken) {
        let (voice, _) = self.at.config.asked(self.at.session.state().model.as_deref());
        let client = self.kit.client(voice);
        let request = ModelRequest {
            purpose: Purpose::Classify,
            system: include_str!("../../../../assets/prompts/breakout.md").to_owned(),
            messages: vec![Message::text(Role::User, question)],
            tools: Vec::new(),
            most_tokens: Some(JUDGEMENT_TOKENS),
        };
        let wait = self.at.config.intent.wait;
        self.spawn(key, None, None, async move {
            let said = match client {
                Ok(client) => {
                    let asked = ask(client.as_ref(), request, cancel);
                    tokio::time::timeout(wait, asked)
                        .await
                        .unwrap_or_else(|_| Err(unread("nothing came in time".to_owned())))
                }
                Err(fault) => Err(fault),
            };
            Input::BreakoutJudged { turn, said }
        });
    }

    /// Keeps beside the log what is read without it, after something came to its end; what stopped the pipeline is
    /// there before that is told.
    pub(super) fn keep_pipeline(&self, events: &[Stamped]) {
        let stops = |e: &Stamped| {
            let Event::Staged { happened, .. } = &e.event else { return false };
            match happened {
                StageEvent::StageCompleted { .. }
                | StageEvent::Paused { .. }
                | StageEvent::Breakout
                | StageEvent::Error { .. }
                | StageEvent::Interrupted { .. }
                | StageEvent::Completed => true,
                StageEvent::Began(_)
                | StageEvent::StageStarted { .. }
                | StageEvent::Replied { .. }
                | StageEvent::Resumed { .. }
                | StageEvent::Judging { .. }
                | StageEvent::Judged { .. }
                | StageEvent::BreakoutPending { .. }
                | StageEvent::TakenUp => false,
            }
        };
        // A crash may have come between the log and what is kept beside it.
        let opened = |e: &Stamped| matches!(e.event, Event::SessionReopened { .. });
        if events.iter().any(|e| stops(e) || opened(e)) {
            self.project_pipeline();
        }
    }

    fn project_pipeline(&self) {
        let Some(p) = self.at.session.state().pipeline.clone() else { return };
        let mut files = vec![(STATE.to_owned(), p.state.save())];
        let ended = p.state.is_over() || p.state.is_aside();
        if ended {
            let material = self.material(&p);
            files.push((SUMMARY.to_owned(), Summary::of(&p.state, &material).save()));
            // What was told is told again by the same code from the same texts, while the answer before is still there:
            // the agent's own is written last.
            let own = answer_of(&p.state);
            let last = kept(&self.at.folder, own.as_deref().unwrap_or(ANSWER));
            let written = last.and_then(|text| Answer::kept(&text)?.run) == Some(p.state.id);
            let completed = !written && p.state.exit() == Some(PipelineExit::Completed);
            let last = p.state.stages().checked_sub(1).filter(|_| completed);
            if let Some(Step::Done(outcome)) = last.map(|stage| work(&p.state, stage, &material)) {
                let Outcome { output, answer, .. } = *outcome;
                files.push((ANSWER.to_owned(), output.clone()));
                files.extend(answer.map(|text| (MARKDOWN.to_owned(), text)));
                files.extend(own.map(|name| (name, output)));
            }
        }
        let folder = self.at.folder.join("data");
        let keep = move || {
            for (name, text) in files {
                let made = std::fs::create_dir_all(&folder);
                if let Err(e) =
                    made.and_then(|()| atomic::replace(&folder.join(&name), text.as_bytes(), 0o600))
                {
                    tracing::warn!(error = %e, name, "what a pipeline found could not be put beside the log");
                }
            }
        };
        // Whoever is told of a stop finds it.
        let stopped = ended || p.state.is_paused();
        if stopped { self.disk.done(keep) } else { drop(self.disk.run(keep)) }
    }

    /// What the last pipeline found, as a request tells it: read anew each time, so that nothing that happens to
    /// the conversation loses it. Empty where there is none.
    pub(super) fn prior_research(&self) -> String {
        kept(&self.at.folder, SUMMARY).map_or_else(String::new, |text| prior_block(&text))
    }
}

/// The file of an agent's last answer, which its next question goes on from.
fn answer_of(state: &PipelineState) -> Option<String> {
    let agent = state.beginning().map(|b| b.agent.as_str())?;
    let plain = agent.chars().all(|c| c.is_alphanumeric() || c == '-');
    plain.then(|| format!("answer-{agent}.json"))
}

/// A file of the session's data folder.
fn kept(folder: &Path, name: &str) -> Option<String> {
    String::from_utf8(regular::read(&folder.join("data").join(name), MOST_BYTES).ok()?).ok()
}

/// A message that no model could judge.
pub(super) const fn unread(message: String) -> Fault {
    Fault { kind: FaultKind::Unreachable, message, hint: String::new(), status: None }
}

/// One short reply; a longer one is none.
async fn ask(
    client: &dyn ModelClient,
    request: ModelRequest,
    cancel: CancellationToken,
) -> Result<(String, Usage), Fault> {
    let (pieces, _ignored) = mpsc::channel(1);
    let reply = client.reply(request, pieces, cancel).await.map_err(|unfinished| unfinished.fault)?;
    let end = reply.text.floor_char_boundary(JUDGEMENT_BYTES);
    Ok((reply.text.get(..end).unwrap_or_default().to_owned(), reply.usage))
}
