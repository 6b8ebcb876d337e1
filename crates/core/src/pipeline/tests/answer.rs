//! What code makes of drafts: the four axes, the marked answer, T-13, what models forget.

use super::*;

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
