//! Stage pipelines: a line for each stage, and below it what it does.

use pilothouse_core::{
    event::{Event, Stamped},
    ids::{CallId, LaneId, Millis},
    money,
    pipeline::{StageEvent, step_name},
    session::LaneKind,
    talk::Usage,
};

use super::Log;
use crate::{
    pane::conversation::entry::{Body, Entry, Facts, Kind, Sections, Text},
    row::Row,
    theme::{Glyphs, Slot},
};

/// The stages of the pipeline under way.
#[derive(Debug, Default)]
pub(super) struct Stages {
    titles: Vec<String>,
    /// The line of the one at work, and since when.
    open: Option<(i64, usize, Millis)>,
    /// Where its answer stands.
    pub(super) answer: Option<i64>,
}

impl Log {
    /// Takes in what happened to a pipeline.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the rest is told by questions, calls and runs")]
    pub(super) fn fold_stage(&mut self, stamped: &Stamped) {
        let Event::Staged { happened, .. } = &stamped.event else { return };
        let at = stamped.at;
        match happened {
            StageEvent::Began(began) => {
                let titles =
                    began.spec.stages.iter().map(pilothouse_core::pipeline::StageSpec::shown).collect();
                self.stages = Stages { titles, ..Stages::default() };
            }
            StageEvent::StageStarted { stage, round } => {
                let again = if *round > 0 { format!("   again, round {round}") } else { String::new() };
                let left = self.stage_row((Glyphs::UNICODE.active, Slot::Info), *stage, (&again, Slot::Soft));
                let facts = Facts { lines: vec![(left, Row::new())], detail: String::new() };
                let key = self.add(at, Kind::Head, Body::Facts(facts));
                self.stages.open = Some((key, *stage, at));
            }
            StageEvent::StageCompleted { stage, note, skipped, spent, word_for_word, .. } => {
                if *word_for_word {
                    self.open_passages();
                }
                let u = Glyphs::UNICODE;
                let sign = if *skipped { (u.skipped, Slot::Soft) } else { (u.done, Slot::Ok) };
                let note = format!("{note}{}", spent.aside());
                self.end_stage(at, *stage, sign, (&note, Slot::Soft));
            }
            StageEvent::Error { message } => {
                if let Some((_, stage, _)) = self.stages.open {
                    self.end_stage(at, stage, (Glyphs::UNICODE.failed, Slot::Bad), (message, Slot::Bad));
                }
            }
            StageEvent::Interrupted { why } => {
                if let Some((_, stage, _)) = self.stages.open {
                    self.end_stage(at, stage, (Glyphs::UNICODE.skipped, Slot::Soft), (why, Slot::Soft));
                }
            }
            _ => {}
        }
    }

    /// The answer is passages: the first of them stand open.
    fn open_passages(&mut self) {
        let entry = self.stages.answer.and_then(|key| self.get_mut(key));
        if let Some(Entry { body: Body::Reply(r), dirty, .. }) = entry
            && let Some(sections) = &mut r.sections
        {
            *sections = Sections::of_passages(&sections.whole);
            *dirty = true;
        }
    }

    fn stage_row(&self, (sign, ink): (&str, Slot), stage: usize, (note, loud): (&str, Slot)) -> Row {
        let title = self.stages.titles.get(stage).map_or("stage", String::as_str);
        let number = format!(" {}/{} ", stage + 1, self.stages.titles.len().max(stage + 1));
        Row::of(sign, ink).and(&number, Slot::Soft).and(title, Slot::Text).and(note, loud)
    }

    fn end_stage(&mut self, at: Millis, stage: usize, sign: (&str, Slot), (note, loud): (&str, Slot)) {
        let Some((key, _, since)) = self.stages.open.take().filter(|(_, n, _)| *n == stage) else { return };
        let left = self.stage_row(sign, stage, (&format!("   {note}"), loud));
        let took = Row::of(&money::clock(at.0.saturating_sub(since.0)), Slot::Faint);
        if let Some(Entry { body: Body::Facts(facts), dirty, .. }) = self.get_mut(key) {
            (facts.lines, *dirty) = (vec![(left, took)], true);
        }
    }

    /// Whether a lane does the stages of a pipeline.
    pub(super) fn is_stage(&self, lane: LaneId) -> bool {
        self.kind(lane) == Some(LaneKind::Pipeline)
    }

    /// Notes that a call is a step of a stage.
    pub(super) fn of_stage(&mut self, call: CallId, lane: LaneId) {
        if !self.is_stage(lane) {
            return;
        }
        if let Some((c, _)) = self.known(call) {
            c.staged = step_name(c.tool.map(pilothouse_core::tool::Tool::name)).or(c.staged);
            c.below = true;
        }
    }

    /// The model's part of a stage is a step like any other; what it handed in unfolds.
    pub(super) fn thought_stage(&mut self, key: i64, text: &Text, usage: &Usage) {
        let Some(name) = step_name(None) else { return };
        let tokens = format!("   {} tokens", money::thousands(usage.tokens()));
        let left = Row::of("  ", Slot::Text)
            .and(name.icon.0, Slot::Soft)
            .and(" ", Slot::Text)
            .and(name.title, Slot::Soft)
            .and(&tokens, Slot::Faint);
        if let Some(entry) = self.get_mut(key) {
            let facts = Facts { lines: vec![(left, Row::new())], detail: text.shown.clone() };
            (entry.body, entry.kind, entry.dirty) = (Body::Facts(facts), Kind::Work, true);
        }
        self.recompute_spacing(key);
    }
}
