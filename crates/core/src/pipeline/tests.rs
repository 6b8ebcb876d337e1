//! Tables T-11, T-12 and T-13, the laws of the state, and what code makes of drafts.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::{
    breakout::{breakout_decide, judged, kept, response},
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
        Lines, Passage, Score, Standing, Verdict,
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
        spent: Usage { cost_micros: Some(3), input: 2, ..Usage::default() },
    }
}

fn pending(message: &str) -> StageEvent {
    StageEvent::BreakoutPending { turn: TurnId(2), message: message.into(), source: Source::Keyword }
}

fn resumed() -> StageEvent {
    StageEvent::Resumed { feedback: String::new() }
}

/// T-11, whole: every word wherever it stands and however it is written, and none of what is no such word.
#[test]
fn t11_words_that_leave_a_paused_pipeline() {
    let classifier = Classifier::builtin();
    let words = [
        "break out",
        "breakout",
        "exit pipeline",
        "exit agent",
        "stop pipeline",
        "stop agent",
        "cancel pipeline",
        "cancel agent",
        "forget the pipeline",
        "skip pipeline",
        "leave pipeline",
        "something else",
        "something different",
        "different question",
        "different topic",
        "change topic",
        "change the topic",
        "new question",
        "new topic",
        "never mind",
        "nevermind",
        "forget it",
        "changed my mind",
    ];
    assert_eq!(words.len(), 23);
    for word in words {
        for line in [word.to_owned(), word.to_uppercase(), format!("Hm, I'd say {word}, if you please.")] {
            assert!(classifier.leaves_pipeline(&line), "{line}");
        }
    }
    for line in [
        "3",
        " 3. ",
        "cancel the pipeline",
        "exit the pipeline",
        "leave this pipeline",
        "I want to do something else - just tell me what the weather in zurich is today",
        // A denied word is still one: the question behind it catches that (BRK-14).
        "don't break out",
    ] {
        assert!(classifier.leaves_pipeline(line), "{line}");
    }
    for line in [
        "I want to do the search now",
        "I want to ask about stage 2",
        "instead can you look at b.rs",
        "instead tell me more",
        "instead just the summary",
        "proceed",
        "continue",
        "yes",
        "33",
        "option 3 please",
        "3 more files",
        "Actually what is the weather in zurich today?",
        "",
    ] {
        assert!(!classifier.leaves_pipeline(line), "{line}");
    }
}

/// T-12: the answer to "leave?".
#[test]
fn t12_answers_to_leaving() {
    use Response::{Confirm, Deny, Implicit, Nothing};
    for (text, means) in [
        ("1", Confirm),
        ("1.", Confirm),
        (" 1 ", Confirm),
        ("2", Deny),
        ("2.", Deny),
        ("yes, continue", Deny),
        ("yes", Confirm),
        ("continue", Deny),
        ("no", Deny),
        ("cancel", Confirm),
        ("cancel the pipeline", Confirm),
        ("Stage 1 looks good", Implicit),
        ("Check citation 2", Implicit),
        ("", Nothing),
        ("  ", Nothing),
        ("what is the weather?", Implicit),
        ("n", Deny),
        ("nope", Deny),
        ("Y", Confirm),
        ("YES", Confirm),
        ("don't exit", Deny),
        ("don’t exit", Deny),
        ("keep going", Deny),
        ("go back", Deny),
        ("stay", Deny),
        ("break out", Confirm),
        ("quit", Confirm),
        ("stop", Confirm),
        ("leave", Confirm),
        ("sure", Confirm),
        ("ok", Confirm),
        ("it looks fine", Implicit),
        ("12", Implicit),
        ("2 more", Implicit),
        ("notes on yaml", Implicit),
        ("ok, proceed", Deny),
        ("yesterday", Implicit),
    ] {
        assert_eq!(response(text), means, "{text}");
    }
}

/// T-12: the cases.
#[test]
fn t12_decision_tree() {
    let said = |text, keyword, judged| Said { text, keyword, judged };
    for (waits, said, case) in [
        (true, said("no", false, None), Case::Stay),
        (true, said("2", false, None), Case::Stay),
        (true, said("yes", false, None), Case::LeaveForOriginal),
        (true, said("1", false, None), Case::LeaveForOriginal),
        (true, said("how old is it?", false, None), Case::LeaveForThis),
        (true, said("", false, None), Case::Ignore),
        // The question is answered before any word is looked for.
        (true, said("never mind, continue", true, None), Case::Stay),
        (false, said("never mind", true, None), Case::Ask(Source::Keyword)),
        (false, said("weather?", false, Some(Judgement::Breakout)), Case::Ask(Source::Semantic)),
        (false, said("go on", false, Some(Judgement::PipelineResponse)), Case::Resume),
        (false, said("hm", false, Some(Judgement::Unclear)), Case::Resume),
        (false, said("hm", false, None), Case::Resume),
        (false, said(" ", false, None), Case::Ignore),
    ] {
        assert_eq!(breakout_decide(waits, said), case, "{said:?}");
    }
}

#[test]
fn a_models_word_counts_from_its_confidence_on_and_doubt_goes_on() {
    for (reply, means) in [
        (r#"{"intent": "breakout", "confidence": 0.7}"#, Judgement::Breakout),
        ("Sure:\n```json\n{\"intent\":\"breakout\",\"confidence\":0.93}\n```", Judgement::Breakout),
        (r#"{"intent": "breakout", "confidence": 0.69}"#, Judgement::Unclear),
        (r#"{"intent": "pipeline_response", "confidence": 0.9}"#, Judgement::PipelineResponse),
        (r#"{"intent": "unclear", "confidence": 1.0}"#, Judgement::Unclear),
        (r#"{"intent": "breakout"}"#, Judgement::Unclear),
        (r#"{"intent": "breakout", "confidence": "#, Judgement::Unclear),
        ("breakout", Judgement::Unclear),
        ("", Judgement::Unclear),
    ] {
        assert_eq!(judged(reply), means, "{reply}");
    }
}

#[test]
fn a_kept_message_is_cut_at_characters() {
    assert_eq!(kept(&"ä".repeat(900)).chars().count(), 500);
}

#[test]
fn a_pause_counts_and_a_question_to_leave_goes_by_order() {
    let paused = || StageEvent::Paused { stage: 0 };
    let state =
        |events: Vec<StageEvent>| events.into_iter().fold(began(Depth::Standard), |s, e| s.add_event(e));
    for (events, is_paused, is_pending) in [
        (vec![], false, false),
        (vec![paused()], true, false),
        (vec![paused(), resumed()], false, false),
        (vec![paused(), StageEvent::Breakout], false, false),
        (vec![paused(), paused(), resumed()], true, false),
        (vec![paused(), paused(), resumed(), StageEvent::Breakout], false, false),
        (vec![paused(), pending("x")], true, true),
        (vec![paused(), pending("x"), resumed()], false, false),
        (vec![paused(), pending("x"), StageEvent::Breakout], false, false),
        (vec![paused(), pending("x"), resumed(), paused(), pending("y")], true, true),
        (vec![paused(), resumed(), paused(), resumed(), paused()], true, false),
    ] {
        let state = state(events.clone());
        assert_eq!((state.is_paused(), state.is_breakout_pending()), (is_paused, is_pending), "{events:?}");
        let loaded = PipelineState::load(&state.save()).unwrap();
        assert_eq!(loaded, state);
    }
    assert!(PipelineState::load("{").is_none());
}

#[test]
fn the_exits() {
    let state = began(Depth::Standard);
    assert_eq!(state.exit(), None);
    assert_eq!(state.add_event(StageEvent::Paused { stage: 0 }).exit(), Some(PipelineExit::Paused));
    assert_eq!(state.add_event(StageEvent::Error { message: "x".into() }).exit(), Some(PipelineExit::Error));
    assert_eq!(state.add_event(StageEvent::Completed).exit(), Some(PipelineExit::Completed));
    let left = state.add_event(StageEvent::Paused { stage: 0 }).add_event(StageEvent::Breakout);
    assert_eq!((left.exit(), left.is_paused(), left.is_over()), (Some(PipelineExit::Breakout), false, true));
}

#[test]
fn the_loop_repairs_as_often_as_it_is_told_and_ends() {
    let mut state = began(Depth::Deep);
    let mut order = Vec::new();
    let mut again = 2;
    while let Next::Stage(stage, round) = state.next() {
        order.push((stage, round));
        state = state.add_event(StageEvent::StageStarted { stage, round });
        let repair = stage == 4 && again > 0;
        again -= i32::from(repair);
        state = state.add_event(completed(stage, "", &["a", "b"], repair));
    }
    let expected = [(0, 0), (1, 0), (2, 0), (3, 0), (4, 0), (3, 1), (4, 1), (3, 2), (4, 2), (5, 0)];
    assert_eq!(order, expected);
    assert_eq!(state.rounds(), 2);
    assert_eq!(state.sub_query_texts(), ["a", "b"]);
    let sum: u64 = state.costs().iter().filter_map(|(_, u)| u.cost_micros).sum();
    assert_eq!(sum, 30);
}

#[test]
fn depths_are_as_the_table_has_them() {
    let of = |d: Depth| {
        let n = d.numbers();
        (n.queries, n.passages, n.repairs, n.tokens, n.web)
    };
    assert_eq!(of(Depth::Quick), (3, 10, 0, 4_000, false));
    assert_eq!(of(Depth::Standard), (8, 20, 2, 12_000, true));
    assert_eq!(of(Depth::Deep), (15, 30, 3, 24_000, true));
    assert_eq!(Depth::named(" DEEP "), Some(Depth::Deep));
}

#[test]
fn faults_of_a_configuration_name_their_place() {
    for (text, place, why) in [
        ("{\n  \"stages\": [\n}", (3, 1), "expected"),
        ("{\"stages\": []}", (1, 2), "1 to 24"),
        ("{\"stages\": [{\"name\": \"A b\", \"kind\": \"render\"}]}", (1, 22), "no name of a stage"),
        ("{\"stages\": [\n{\"name\": \"a\", \"kind\": \"llm\"}]}", (2, 10), "lacks `gives`"),
        (
            "{\"stages\": [\n{\"name\": \"a\", \"kind\": \"tool-fanout\", \"tool\": \"fly\"}]}",
            (2, 46),
            "no tool `fly`",
        ),
        (
            "{\"stages\": [\n{\"name\": \"a\", \"kind\": \"tool-fanout\", \"tool\": \"delete\"}]}",
            (2, 46),
            "more than read",
        ),
        ("{\"stages\": [{\"name\": \"a\", \"kind\": \"render\", \"extra\": 1}]}", (1, 45), "unknown field"),
        (
            "{\"stages\": [{\"name\": \"a\", \"kind\": \"render\"}],\n \"pause_after_stages\": [0]}",
            (2, 2),
            "no stage after 0",
        ),
        (
            "{\"stages\": [{\"name\": \"a\", \"kind\": \"render\"}],\n \"repair_unit\": [\"b\", \"a\"]}",
            (2, 2),
            "no stage `b`",
        ),
    ] {
        let fault = PipelineSpec::read(text).unwrap_err();
        assert!(fault.why.contains(why), "{fault} for {text}");
        assert_eq!((fault.at.line, fault.at.column), place, "{fault} for {text}");
    }
}

#[test]
fn an_agent_needs_a_prompt_for_each_stage_that_asks() {
    let none = PipelineAgent::read("research", CONFIG, "---\nname: Research\n---\nBe exact.", |_| None);
    let (file, fault) = none.unwrap_err();
    assert_eq!(file, "prompts/stage-analyze_query.md");
    assert!(fault.why.contains("nothing to ask"));
    let agent = PipelineAgent::read(
        "research",
        CONFIG,
        "---\nname: Research\ndescription: Finds out.\n---\nBe exact.",
        |f| Some(f.to_owned()),
    )
    .unwrap();
    assert_eq!(
        (agent.title.as_str(), agent.about.as_str(), agent.body.as_str()),
        ("Research", "Finds out.", "Be exact.")
    );
    assert_eq!(agent.prompts.len(), 4);
    let broken = PipelineAgent::read("research", CONFIG, "---\nname: [\n---\n", |f| Some(f.to_owned()));
    assert_eq!(broken.unwrap_err().0, "AGENT.md");
}

fn passage(path: &str, text: &str) -> Passage {
    Passage {
        lines: Lines { path: RelPath::new(path).unwrap(), from: 1, to: 4 },
        hash: BlobId::of(text.as_bytes()),
        title: String::new(),
        text: text.into(),
        score: Score::FULL,
        axes: Worth::default(),
    }
}

fn sources() -> Sources {
    Sources {
        passages: vec![
            passage(
                "src/limit.rs",
                "fn reset_window(&mut self) {\n    // the limiter resets its window each minute\n    self.count = 0;\n}",
            ),
            passage(
                "src/config.rs",
                "pub fn parse_config(text: &str) -> Config {\n    toml::from_str(text)\n}",
            ),
        ],
    }
}

fn draft() -> Draft {
    Draft {
        summary: "The limiter resets its window each minute [1].".into(),
        sections: vec![
            Section {
                title: "Reset".into(),
                text: "`reset_window` sets the count to zero [1]. It runs each minute [1].".into(),
            },
            Section { title: "Configuration".into(), text: "`parse_config` reads TOML text [2].".into() },
        ],
        conclusions: vec!["The window is fixed.".into()],
        ..Draft::default()
    }
}

/// The state after everything up to this stage, with what it works on.
fn upto(stage: usize, draft: &Draft) -> (PipelineState, Material) {
    let mut state = began(Depth::Standard);
    let outputs = [
        (
            "analyze_query",
            r#"{"scope":"how the limiter resets","sub_queries":["where is the window reset?"]}"#.to_owned(),
        ),
        ("websearch_calibration", String::new()),
        ("retrieve", serde_json::to_string(&sources()).unwrap()),
        ("synthesize", serde_json::to_string(draft).unwrap()),
        ("verify", String::new()),
    ];
    let mut material = Material::default();
    for (n, (name, output)) in outputs.into_iter().enumerate().take(stage) {
        state = state.add_event(StageEvent::StageStarted { stage: n, round: 0 });
        let queries: &[&str] = if n == 0 { &["where is the window reset?"] } else { &[] };
        state = state.add_event(completed(n, &output, queries, false));
        material.outputs.insert(name.to_owned(), output);
    }
    (state.add_event(StageEvent::StageStarted { stage, round: 0 }), material)
}

fn verdict(standing: Standing) -> Verdict {
    Verdict { standing, score: Score::FULL, reason: "as it is".into() }
}

/// Answers the calls of a verification; `contradicts` and `nowhere` are found.
fn verified(draft: &Draft, contradicts: bool, nowhere: &[&str]) -> Verification {
    let (state, mut material) = upto(4, draft);
    let Step::Call(calls) = work(&state, 4, &material) else { panic!("no calls") };
    for (tool, args) in calls {
        let asked: serde_json::Value = serde_json::from_str(&args).unwrap();
        let text = match tool.as_str() {
            "citation_verify" => {
                let count = asked["citations"].as_array().unwrap().len();
                let one = CitationVerdict { verdict: verdict(Standing::Holds), place: CitedPlace::Exact };
                serde_json::to_string(&vec![one; count]).unwrap()
            }
            "entity_verify" => {
                let names = nowhere.iter().map(|n| ((*n).to_owned(), None)).collect();
                serde_json::to_string(&EntityVerdict { verdict: verdict(Standing::Holds), names }).unwrap()
            }
            "contradiction_check" => {
                let one = Contradiction {
                    about: "the window".into(),
                    one: "each minute".into(),
                    other: "each hour".into(),
                    other_is: "src/limit.rs:2".into(),
                    claim: 1,
                };
                let found = if contradicts { vec![one] } else { vec![] };
                serde_json::to_string(&ContradictionVerdict { verdict: verdict(Standing::Unknown), found })
                    .unwrap()
            }
            other => panic!("{other}"),
        };
        material.steps.push(ToolStep { tool, args, ok: true, text });
    }
    let Step::Done(outcome) = work(&state, 4, &material) else { panic!("not done") };
    let found: Verification = serde_json::from_str(&outcome.output).unwrap();
    assert_eq!(outcome.again, !found.passed);
    found
}

#[test]
fn a_draft_that_holds_passes_on_all_axes() {
    let found = verified(&draft(), false, &[]);
    assert!(found.passed, "{found:?}");
    assert!(found.marks.is_empty() && found.missing.is_empty());
}

#[test]
fn a_wrong_citation_a_made_up_name_and_a_contradiction_are_caught() {
    let mut wrong = draft();
    wrong.sections[1].text =
        "The retry queue drains into three shards of the broker [1]. `parse_config` reads it [9].".into();
    let found = verified(&wrong, false, &[]);
    assert_eq!(found.marks.iter().map(|m| m.cite).collect::<Vec<_>>(), [1, 9]);
    assert!(!found.passed, "{found:?}");

    let mut made_up = draft();
    made_up.sections[1].text =
        "`TokenLedger::drain_all` and `frob_wheel` do the rest, then `reset_window` [1].".into();
    let found = verified(&made_up, false, &["TokenLedger::drain_all", "frob_wheel"]);
    assert!(found.missing.contains(&"frob_wheel".to_owned()), "{found:?}");
    assert!(!found.passed);

    let found = verified(&draft(), true, &[]);
    assert_eq!(found.contradictions.len(), 1);
    assert!(!found.passed);
}

#[test]
fn no_citation_that_fails_reaches_the_answer_unmarked() {
    let mut wrong = draft();
    wrong.summary = "The broker has three shards [2]. The limiter resets its window each minute [1].".into();
    let found = verified(&wrong, false, &[]);
    let (mut state, mut material) = upto(5, &wrong);
    material.outputs.insert("verify".into(), serde_json::to_string(&found).unwrap());
    state = state.add_event(StageEvent::StageStarted { stage: 5, round: 0 });
    let Step::Done(outcome) = work(&state, 5, &material) else { panic!("not done") };
    let text = outcome.answer.unwrap();
    assert!(text.contains("three shards [2: not verified]."), "{text}");
    assert!(text.contains("each minute [1]."), "{text}");
    assert!(text.contains("- [1] `src/limit.rs:1-4`@"), "{text}");
    assert!(text.contains("citation accuracy") && text.contains("by code"), "{text}");
    assert_eq!(Answer::kept(&outcome.output).unwrap().markdown(), text);
}

#[test]
fn a_model_finds_what_code_cannot_and_that_is_said() {
    let (state, mut material) = upto(4, &draft());
    material.steps.push(ToolStep {
        tool: "entity_verify".into(),
        args: String::new(),
        ok: false,
        text: String::new(),
    });
    material.reply = Some(
        r#"Here: {"unsupported": [{"claim": 2, "why": "it says nothing of zero"}], "contradictions": []}"#
            .into(),
    );
    let Step::Done(outcome) = work(&state, 4, &material) else { panic!("not done") };
    let found: Verification = serde_json::from_str(&outcome.output).unwrap();
    assert_eq!(found.marks.len(), 1);
    assert_eq!(found.marks[0].by, By::Model);
    assert!(found.axes.iter().any(|c| c.axis == "citation_accuracy" && c.by == [By::Code, By::Model]));
}

/// T-13: what is told of a pipeline, however far it came.
#[test]
fn t13_summaries_of_every_end() {
    let left = |stage: usize| {
        let (state, material) = upto(stage, &draft());
        Summary::of(
            &state.add_event(StageEvent::Paused { stage: 0 }).add_event(StageEvent::Breakout),
            &material,
        )
    };
    let only_taken_apart = left(1);
    assert_eq!(only_taken_apart.completed_stages, ["analyze_query"]);
    assert!(only_taken_apart.key_findings.iter().any(|f| f.contains("where is the window reset?")));
    assert_eq!((only_taken_apart.exit_reason.as_str(), only_taken_apart.was_partial), ("breakout", true));

    let calibrated = left(2);
    assert_eq!(calibrated.completed_stages, ["analyze_query", "websearch_calibration"]);

    let (state, material) = upto(3, &draft());
    let failed =
        Summary::of(&state.add_event(StageEvent::Error { message: "no connection".into() }), &material);
    assert_eq!((failed.exit_reason.as_str(), failed.error.as_str()), ("error", "no connection"));
    assert!(failed.key_findings.iter().any(|f| f.contains("src/limit.rs:1-4")), "{failed:?}");

    let (state, material) = upto(4, &draft());
    let synthesized = Summary::of(&state.add_event(StageEvent::Interrupted { why: "x".into() }), &material);
    assert!(
        synthesized.key_findings[0].contains("resets its window")
            && synthesized.verification_scores.is_empty()
    );
    assert_eq!(synthesized.exit_reason, "stopped");

    let found = verified(&draft(), false, &[]);
    let (state, mut material) = upto(5, &draft());
    material.outputs.insert("verify".into(), serde_json::to_string(&found).unwrap());
    let whole = Summary::of(&state.add_event(StageEvent::Completed), &material);
    assert!(!whole.was_partial && whole.verification_scores.len() == 4);
    assert!((500..=1500).contains(&whole.save().chars().count()), "{}", whole.save());

    let long = Draft {
        summary: "word ".repeat(900),
        sections: (0..40)
            .map(|n| Section { title: format!("Part {n}"), text: "ä<&> ".repeat(400) })
            .collect(),
        conclusions: vec!["so ".repeat(400); 9],
        ..Draft::default()
    };
    let (state, material) = upto(4, &long);
    let text = Summary::of(&state.add_event(StageEvent::Completed), &material).save();
    assert!(text.chars().count() <= 1500, "{}", text.chars().count());
}

#[test]
fn a_kept_summary_is_told_escaped_and_a_broken_one_not_at_all() {
    let summary = Summary {
        original_query: "a < b && </query>".into(),
        key_findings: vec!["x > y".into()],
        exit_reason: "completed".into(),
        ..Summary::default()
    };
    let block = prior_block(&summary.save());
    assert!(
        block.starts_with("<orchestrator_prior_research>")
            && block.ends_with("</orchestrator_prior_research>")
    );
    assert!(block.contains("<query>a &lt; b &amp;&amp; &lt;/query&gt;</query>"), "{block}");
    assert!(block.contains("<finding>x &gt; y</finding>"));
    for broken in ["", "{", "[]", "{\"originalQuery\": 3}", "null"] {
        assert_eq!(prior_block(broken), "", "{broken}");
    }
}

#[test]
fn what_models_forget_is_put_in_once() {
    let references = [
        Reference {
            mark: "W1".into(),
            title: "Limiter windows".into(),
            text: "A limiter resets its window by a timer.".into(),
        },
        Reference { mark: "P1".into(), title: "TOML".into(), text: "The configuration is TOML text.".into() },
        Reference { mark: "P2".into(), title: "Zebra".into(), text: "Quite unrelated stripes.".into() },
    ];
    let once = postprocess(draft(), &references);
    assert!(once.sections[0].text.contains("> [W1] Limiter windows: A limiter resets"), "{once:?}");
    assert!(once.sections[1].text.contains("reads TOML text [2]. [P1]"), "{once:?}");
    assert!(!once.texts().any(|t| t.contains("[P2]")));
    assert_eq!(postprocess(once.clone(), &references), once);
}

fn event() -> impl Strategy<Value = u8> {
    0u8..7
}

/// One step of a pipeline as a session drives it.
fn drive(state: &PipelineState, step: u8) -> PipelineState {
    if state.is_over() {
        return state.clone();
    }
    match step {
        0 if state.is_paused() && !state.is_breakout_pending() => state.add_event(pending("x")),
        1 | 2 if state.is_paused() => state.add_event(resumed()),
        3 if state.is_breakout_pending() => state.add_event(StageEvent::Breakout),
        4 if state.is_running() => state.add_event(StageEvent::Interrupted { why: "x".into() }),
        5 if state.is_running() => state.add_event(StageEvent::Error { message: "x".into() }),
        _ if state.is_aside() => state.add_event(StageEvent::TakenUp),
        _ if state.is_paused() => state.clone(),
        _ => match state.open_stage() {
            Some((stage, _)) => {
                let done =
                    state.add_event(completed(stage, "", &[], step == 6 && stage == 4 && state.rounds() < 3));
                let pause = done.beginning().unwrap().spec.pauses_after(stage);
                if pause { done.add_event(StageEvent::Paused { stage }) } else { done }
            }
            None => match state.next() {
                Next::Stage(stage, round) => state.add_event(StageEvent::StageStarted { stage, round }),
                Next::Done => state.add_event(StageEvent::Completed),
            },
        },
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Whatever order things come in: a pause is resolved by going on or leaving alone, what was left is not
    /// entered again, and every prefix folds to a state that goes on to an end.
    #[test]
    fn any_order_of_events_keeps_the_laws(steps in prop::collection::vec(event(), 0..40)) {
        let mut state = began(Depth::Deep);
        for step in steps {
            let before = state.clone();
            state = drive(&state, step);
            prop_assert!(state.events().starts_with(before.events()));
            if state.is_over() {
                prop_assert!(!state.is_paused() && !state.is_running());
            }
            if state.is_breakout_pending() {
                prop_assert!(state.is_paused());
            }
            prop_assert_eq!(PipelineState::load(&state.save()).unwrap(), state.clone());
            // The program ends here and somebody goes on.
            let mut rest = state.events().iter().fold(PipelineState::new(state.id), |s, e| s.add_event(e.clone()));
            for _ in 0..80 {
                if rest.is_over() {
                    break;
                }
                rest = drive(&rest, if rest.is_paused() { 1 } else { 7 });
            }
            prop_assert!(rest.is_over(), "{:?}", rest.events());
        }
    }

    /// Putting in what models forget is the same when done twice, whatever stands there, and loses nothing.
    #[test]
    fn postprocessing_is_idempotent(
        texts in prop::collection::vec("[a-z `\\[\\]W1.,\n>]{0,200}", 1..4),
        told in "[a-z ]{1,80}",
    ) {
        let sections = texts.iter().map(|t| Section { title: "T".into(), text: t.clone() }).collect();
        let draft = Draft { sections, ..Draft::default() };
        let references = [Reference { mark: "W1".into(), title: told.clone(), text: told }];
        let once = postprocess(draft.clone(), &references);
        prop_assert_eq!(postprocess(once.clone(), &references), once.clone());
        let marks = once.texts().map(|t| t.matches("[W1]").count()).sum::<usize>();
        let before = draft.texts().map(|t| t.matches("[W1]").count()).sum::<usize>();
        prop_assert!(marks == before || marks == before + 1 || marks == before + 2);
    }

    /// No text of a model's makes reading it panic, and a whole object in it is found.
    #[test]
    fn drafts_are_read_out_of_anything(text in ".{0,300}") {
        drop(Draft::read(&text));
        drop(Analysis::read(&text, 5));
        let wrapped = format!("{}\n```json\n{{\"sub_queries\": [\"a\"]}}\n```", text.replace('{', ""));
        prop_assert_eq!(Analysis::read(&wrapped, 5).unwrap().sub_queries, ["a".to_owned()]);
    }
}

#[test]
fn names_of_steps_are_as_the_table_has_them() {
    let names: BTreeMap<&str, (&str, &str)> =
        [Some("kb_search"), Some("citation_verify"), Some("hop_retrieve"), None]
            .into_iter()
            .filter_map(step_name)
            .chain([WEB_SEARCH])
            .map(|s| (s.name, (s.title, s.icon.0)))
            .collect();
    assert_eq!(
        names,
        BTreeMap::from([
            ("orch_web_search", ("Web Search", "🔍")),
            ("orch_kb_search", ("Knowledge Base Search", "📚")),
            ("orch_citation_verify", ("Citation Verification", "✅")),
            ("orch_hop_retrieve", ("Deep Retrieval", "🔗")),
            ("orchestrator_llm", ("LLM Analysis", "🧠")),
        ])
    );
}
