//! Tables T-11, T-12 and T-13, the laws of the state, and what code makes of drafts.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

mod answer;
mod breakout;
mod checks;
mod denied;
mod numbers;
mod state;

use std::collections::BTreeMap;

use super::{
    breakout::{breakout_decide, judged, kept, response},
    draft::Related,
    postprocess::{Reference, postprocess},
    state::Beginning,
    summary::prior_block,
    *,
};
use crate::{
    blob::{BlobId, Excerpt},
    ids::{RunId, TurnId},
    intent::Classifier,
    knowledge::{
        Axes as Worth, CitationVerdict, CitedPlace, Contradiction, ContradictionVerdict, EntityVerdict,
        Lines, Passage, RelationVerdict, Score, Standing, Verdict,
    },
    relpath::RelPath,
    talk::Usage,
};

const CONFIG: &str = r#"{
  "stages": [
    {"name": "analyze_query", "kind": "llm", "gives": "analysis"},
    {"name": "websearch_calibration", "kind": "llm", "gives": "calibration", "web": true},
    {"name": "retrieve", "kind": "tool-fanout", "tool": "search"},
    {"name": "synthesize", "kind": "llm", "gives": "draft"},
    {"name": "verify", "kind": "verify"},
    {"name": "output", "kind": "render"}
  ],
  "pause_after_stages": [0, 1],
  "repair_unit": ["synthesize", "verify"]
}"#;

fn excerpt(text: &str) -> Excerpt {
    Excerpt::of(text, &mut Vec::new())
}

fn began(depth: Depth) -> PipelineState {
    let spec = PipelineSpec::read(CONFIG).unwrap();
    let beginning = Beginning {
        agent: "research".into(),
        title: "Research".into(),
        turn: TurnId(1),
        query: "how does the limiter reset?".into(),
        depth,
        spec,
        body: Excerpt::default(),
        prompts: Vec::new(),
        web: None,
        adds: Vec::new(),
        sources: Vec::new(),
        previous: None,
    };
    PipelineState::new(RunId(1)).add_event(StageEvent::Began(Box::new(beginning)))
}

fn completed(stage: usize, output: &str, queries: &[&str], again: bool) -> StageEvent {
    StageEvent::StageCompleted {
        stage,
        output: excerpt(output),
        note: String::new(),
        queries: queries.iter().map(|q| (*q).to_owned()).collect(),
        skipped: false,
        again,
        lacks: String::new(),
        word_for_word: false,
        spent: Usage { cost_micros: Some(3), input: 2, ..Usage::default() },
    }
}

fn pending(message: &str) -> StageEvent {
    StageEvent::BreakoutPending { turn: TurnId(2), message: message.into(), source: Source::Keyword }
}

fn resumed() -> StageEvent {
    StageEvent::Resumed { feedback: String::new() }
}
