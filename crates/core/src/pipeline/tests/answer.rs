//! What code makes of drafts: T-13, what models forget.

use super::{
    checks::{draft, upto, verified},
    *,
};

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
    let scores: Vec<&str> = whole.verification_scores.iter().map(|(axis, _)| axis.as_str()).collect();
    // Nothing was said of two names.
    assert_eq!(scores, ["entity_grounding", "citation_accuracy", "contradictions"]);
    assert!(!whole.was_partial);
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
fn later_turns_are_told_nothing_as_found_that_did_not_hold() {
    let mut wrong = draft();
    wrong.summary = "The broker has three shards [2]. The limiter resets its window each minute [1].".into();
    let found = serde_json::to_string(&verified(&wrong, false, &[])).unwrap();
    let (state, mut material) = upto(5, &wrong);
    material.outputs.insert("verify".into(), found);
    let told = |state: &PipelineState, material: &Material| {
        let summary = Summary::of(&state.add_event(StageEvent::Completed), material);
        summary.key_findings[0].clone()
    };
    let marked = "The broker has three shards (src/config.rs:1-4, not verified). The limiter resets its window each minute (src/limit.rs:1-4).";
    // Left before it was written, and as it was written.
    assert_eq!(told(&state, &material), marked);
    let Step::Done(outcome) = work(&state, 5, &material) else { panic!("it renders") };
    material.outputs.insert("output".into(), outcome.output);
    assert_eq!(told(&state.add_event(completed(5, "", &[], false)), &material), marked);
}

#[test]
fn what_a_review_found_is_told_later_the_worst_first_with_what_is_not_proven() {
    let spec = r#"{"stages": [
        {"name": "collect", "kind": "tool-fanout", "changes": true},
        {"name": "find", "kind": "llm", "gives": "findings"},
        {"name": "verify", "kind": "verify"}, {"name": "output", "kind": "render"}]}"#;
    let beginning = Beginning {
        spec: PipelineSpec::read(spec).unwrap(),
        ..began(Depth::Quick).beginning().unwrap().clone()
    };
    let mut state = PipelineState::new(RunId(1)).add_event(StageEvent::Began(Box::new(beginning)));
    for stage in 0..4 {
        state = state.add_event(StageEvent::StageStarted { stage, round: 0 });
        state = state.add_event(completed(stage, "", &[], false));
    }
    let finding = |severity: &str, line: usize, message: &str| serde_json::json!({"file": "src/a.rs", "line": line, "severity": severity, "message": message, "evidence": "x"});
    let findings = serde_json::json!({
        "summary": "One file was looked at.",
        "findings": [finding("low", 9, "a name misleads"), finding("high", 3, "the lock is never let go")],
    });
    let verification = Verification {
        marks: vec![Mark {
            claim: "src/a.rs:9 a name misleads".into(),
            cite: Cite::Passage(9),
            why: "its words stand elsewhere in the file".into(),
            by: By::Code,
        }],
        ..Verification::default()
    };
    let mut material = Material::default();
    material.outputs.insert("find".into(), findings.to_string());
    material.outputs.insert("verify".into(), serde_json::to_string(&verification).unwrap());
    let summary = Summary::of(&state.add_event(StageEvent::Completed), &material);
    assert_eq!(
        summary.key_findings,
        [
            "One file was looked at.",
            "high src/a.rs:3 the lock is never let go",
            "low src/a.rs:9 a name misleads (not verified: its words stand elsewhere in the file)",
        ]
    );
}

/// CTX-03: 500 to 1,500 characters, as far as there is that much to tell.
#[test]
fn a_summary_is_long_enough_where_there_is_something_to_tell() {
    let said = |text: &str, sections: usize| {
        let section = Section { title: "Part".into(), text: text.into() };
        let draft = Draft { summary: text.into(), sections: vec![section; sections], ..Draft::default() };
        let (state, material) = upto(4, &draft);
        Summary::of(&state.add_event(StageEvent::Interrupted { why: "x".into() }), &material)
            .save()
            .chars()
            .count()
    };
    for (text, sections) in
        [("word ".repeat(900), 0), ("a \"quoted\" word ".repeat(300), 1), ("a short one".into(), 40)]
    {
        let count = said(&text, sections);
        assert!((500..=1500).contains(&count), "{count} of {text}");
    }
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
    // Of an answer that is whole no stages and scores are told, of one that was left how far it came.
    let stages = vec!["analyze_query".to_owned()];
    let scores = vec![("citation_accuracy".to_owned(), 1.0)];
    let whole = Summary { completed_stages: stages, verification_scores: scores, ..summary };
    let told = prior_block(&whole.save());
    assert!(!told.contains("<stage>") && !told.contains("<score"), "{told}");
    let left = Summary { was_partial: true, ..whole };
    assert!(prior_block(&left.save()).contains("<stage>analyze_query</stage>"));
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
            place: "https://example.org/".into(),
        },
        Reference {
            mark: "P1".into(),
            title: "TOML".into(),
            text: "The configuration is TOML text.".into(),
            place: String::new(),
        },
        Reference {
            mark: "P2".into(),
            title: "Zebra".into(),
            text: "Quite unrelated stripes.".into(),
            place: String::new(),
        },
    ];
    let once = postprocess(draft(), &references);
    assert!(once.sections[0].text.contains("> [W1] Limiter windows: A limiter resets"), "{once:?}");
    assert!(once.sections[1].text.contains("reads TOML text [2]. [P1]"), "{once:?}");
    assert!(!once.texts().any(|t| t.contains("[P2]")));
    assert_eq!(postprocess(once.clone(), &references), once);
}

#[test]
fn what_is_put_in_stands_in_no_code_and_no_quotation_and_only_where_it_fits() {
    let reference = |text: &str| Reference {
        mark: "P1".into(),
        title: "Window".into(),
        text: text.into(),
        place: String::new(),
    };
    let text = "```\nThe limiter resets the window.\n```\n> The limiter resets the window. And the timer.\n\
                The limiter resets the window by its timer [1].";
    let of =
        Draft { sections: vec![Section { title: "Reset".into(), text: text.into() }], ..Draft::default() };
    let once = postprocess(of.clone(), &[reference("The limiter resets it by a timer.")]);
    let told = &once.sections[0].text;
    assert!(told.starts_with(text.trim_end_matches("[1].")), "{told}");
    assert!(told.contains("by its timer [1]. [P1]\n\n> [P1] Window: The limiter"), "{told}");
    assert_eq!(postprocess(once.clone(), &[reference("The limiter resets it by a timer.")]), once);
    // One word in common is no reason.
    assert_eq!(postprocess(of.clone(), &[reference("Zebras graze")]), of);
}

#[test]
fn an_earlier_section_is_told_without_its_code() {
    let text = "`reset` does it [1].\n```rust\nfn reset() {}\n```\n> [P1] Old: quoted.\nThen it counts [2].";
    let sections = vec![Section { title: "Reset".into(), text: text.into() }];
    let answer = Answer { sections, ..Answer::default() };
    assert_eq!(answer.references()[0].text, "`reset` does it. Then it counts.");
}

#[test]
fn an_answer_ends_with_what_its_stages_cost() {
    let (state, material) = upto(5, &draft());
    let answer = |state: &PipelineState| {
        let Step::Done(outcome) = work(state, 5, &material) else { panic!("it renders") };
        outcome.answer.unwrap()
    };
    let told = answer(&state);
    let bill = told.split_once("\n## Spent\n\n").unwrap().1;
    assert_eq!(bill.lines().count(), 6, "{bill}");
    assert!(bill.starts_with("- Analyze query: 2 tokens, <$0.01\n"), "{bill}");
    assert!(bill.ends_with("- In all: 10 tokens, <$0.01\n"), "{bill}");
    // Where one price is not known, no sum is.
    let unpriced = StageEvent::StageCompleted {
        stage: 4,
        output: excerpt(""),
        note: String::new(),
        queries: Vec::new(),
        skipped: false,
        again: false,
        lacks: String::new(),
        word_for_word: false,
        spent: Usage { input: 5, ..Usage::default() },
    };
    let (before, _) = upto(4, &draft());
    let state = before.add_event(unpriced).add_event(StageEvent::StageStarted { stage: 5, round: 0 });
    assert!(answer(&state).ends_with("- In all: 13 tokens, –\n"), "{}", answer(&state));
}
