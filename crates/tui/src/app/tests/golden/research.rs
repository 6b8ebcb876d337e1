//! A stage pipeline on the screen, brought about through a real session.

use std::sync::Arc;

use pilothouse_core::{
    blob::BlobId,
    knowledge::{Axes, Lines, Passage, Score},
    pipeline::{Agents, Depth, Material, PipelineAgent, ToolStep},
    relpath::RelPath,
    tool::ToolOutcome,
    work::Work,
};

use super::super::*;

pub(super) fn agents() -> Arc<Agents> {
    let text = |file: &str| {
        Some(match file {
            "prompts/stage-synthesize.md" => "draft".to_owned(),
            _ => "do it".to_owned(),
        })
    };
    let config = include_str!("../../../../../../assets/agents/research/config.json");
    let about = include_str!("../../../../../../assets/agents/research/AGENT.md");
    let agent = PipelineAgent::read("research", config, about, text).unwrap();
    Arc::new(Agents { all: vec![agent], depth: Some(Depth::Standard), ..Agents::default() })
}

/// What a runtime brings: short texts stand whole in their events.
fn material(desk: &Desk) -> Material {
    let p = desk.session.state().pipeline.clone().unwrap();
    let name = |n: usize| p.state.stage(n).unwrap().name.clone();
    let outputs = p.state.stage_outputs().into_iter().map(|(n, t, _)| (name(n), t.head.clone())).collect();
    let steps = p.calls.iter().map(|c| {
        let (ok, text) = c.result.clone().unwrap();
        ToolStep { tool: c.tool.name().into(), args: c.args.clone(), ok, text: text.head }
    });
    Material { outputs, steps: steps.collect(), reply: p.state.reply().map(|r| r.head.clone()), prior: None }
}

/// Brings what the stage at work waits for.
fn gather(desk: &mut Desk) {
    let Some(Work::Stage { pipeline, step }) = desk.writes.pop() else { panic!("no stage waits") };
    let material = Box::new(material(desk));
    desk.give(Input::StageGathered { pipeline, step, material });
}

/// Ends the call that runs.
fn found(desk: &mut Desk, text: &str, summary: &str) {
    let call = desk.tools.remove(0);
    desk.give(Input::ToolEnded { call, outcome: ToolOutcome::text(text, summary) });
}

/// Ends the calls of a verification: each finds that all is well.
fn checked(desk: &mut Desk) {
    while let Some(call) = desk.tools.first() {
        let calls = &desk.session.state().pipeline.as_ref().unwrap().calls;
        let more = match calls.iter().find(|c| c.call == *call).unwrap().tool.name() {
            "citation_verify" => r#","place":"exact""#,
            "entity_verify" => r#","names":[]"#,
            _ => r#","compared":2,"found":[]"#,
        };
        let verdict = format!(r#"{{"standing":"holds","score":1000,"reason":"as it is"{more}}}"#);
        let one = more.contains("place");
        found(desk, &if one { format!("[{verdict}]") } else { verdict }, "checked");
    }
}

fn passages() -> String {
    let lines = Lines { path: RelPath::new("src/auth/limit.rs").unwrap(), from: 12, to: 20 };
    let text = "pub fn reset_window(&mut self) {\n    self.calls = 0; // once a minute\n}".to_owned();
    let (hash, title) = (BlobId::of(text.as_bytes()), "reset_window".to_owned());
    let passage = Passage { lines, hash, title, text, score: Score::FULL, axes: Axes::default() };
    serde_json::to_string(&[passage]).unwrap()
}

pub(super) fn asked(width: u16, height: u16) -> Desk {
    let mut desk = Desk::new(width, height);
    desk.session.set_agents(agents());
    desk.give(Input::say("@research how does the rate limiter reset its window?"));
    desk.draw();
    desk
}

pub(in crate::app::tests) fn paused(width: u16, height: u16) -> Desk {
    let mut desk = asked(width, height);
    let queries = r#"{"scope":"where and when the window of the limiter is reset","sub_queries":["reset_window of RateLimiter","who calls reset_window","length of the window"]}"#;
    desk.reply(queries, &[]);
    desk.draw();
    desk
}

pub(super) fn leaving(width: u16, height: u16) -> Desk {
    let mut desk = paused(width, height);
    desk.give(Input::say("something else: what is the weather in Zurich today?"));
    desk.draw();
    desk
}

pub(super) fn retrieving(width: u16, height: u16) -> Desk {
    let mut desk = paused(width, height);
    desk.give(Input::say("1"));
    gather(&mut desk);
    found(&mut desk, &passages(), "1 passage");
    found(&mut desk, &passages(), "1 passage");
    desk.draw();
    desk
}

const DRAFT: &str = r#"{"summary":"A method resets it once a minute [1].","sections":[
        {"title":"Where","text":"`reset_window` sets the calls to zero [1]. The broker drains three shards [1]."}],
        "conclusions":["The window is fixed."]}"#;

pub(super) fn done(width: u16, height: u16) -> Desk {
    let mut desk = retrieving(width, height);
    found(&mut desk, &passages(), "1 passage");
    found(&mut desk, "[]", "nothing");
    gather(&mut desk);
    found(&mut desk, "[]", "nothing");
    gather(&mut desk);
    desk.reply(DRAFT, &[]);
    gather(&mut desk);
    checked(&mut desk);
    gather(&mut desk);
    desk.reply(r#"{"unsupported":[],"contradictions":[]}"#, &[]);
    gather(&mut desk);
    desk.reply(DRAFT, &[]);
    gather(&mut desk);
    checked(&mut desk);
    gather(&mut desk);
    desk.reply(r#"{"unsupported":[],"contradictions":[]}"#, &[]);
    gather(&mut desk);
    if desk.thinking.is_empty() {
        gather(&mut desk);
    }
    desk.draw();
    desk
}

#[test]
fn the_sections_of_an_answer_unfold() {
    let mut desk = done(80, 70);
    // The last round of repair, and the answer.
    desk.reply(DRAFT, &[]);
    gather(&mut desk);
    checked(&mut desk);
    gather(&mut desk);
    desk.reply(r#"{"unsupported":[],"contradictions":[]}"#, &[]);
    gather(&mut desk);
    gather(&mut desk);
    desk.draw();
    let folded = desk.text();
    assert!(folded.contains("A method resets it once a minute"), "{folded}");
    // What takes one row is not folded.
    assert!(folded.contains("▸ Where") && folded.contains("▾ Sources"), "{folded}");
    assert!(!folded.contains("sets the calls to zero"), "{folded}");
    desk.press("<tab>G<enter>");
    desk.draw();
    let open = desk.text();
    assert!(open.contains("sets the calls to zero") && !open.contains("▸ Where"), "{open}");
}

#[test]
fn stages_are_told_in_ascii_where_only_that_is_shown() {
    let mut desk = retrieving(100, 30);
    desk.app.looks.look.ascii = true;
    desk.app.looks.glyphs = Glyphs::ASCII;
    let text = desk.text();
    assert!(text.contains("*  LLM Analysis"), "{text}");
    let odd: Vec<char> = text.chars().filter(|c| !c.is_ascii()).collect();
    assert!(odd.is_empty(), "{odd:?} {text}");
}
