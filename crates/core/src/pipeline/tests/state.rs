//! The getters of the state, depths, configurations, and the laws of any order of events.

use proptest::prelude::*;

use super::*;

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
fn a_stage_asks_its_own_model_else_the_pipelines_else_the_sessions() {
    let own = CONFIG.replace(r#""gives": "draft""#, r#""gives": "draft", "model": "large""#);
    let spec = PipelineSpec::read(&own).unwrap();
    assert_eq!((spec.model(0), spec.model(3)), (None, Some("large")));
    let both = own.replacen('{', r#"{ "model": "small","#, 1);
    let spec = PipelineSpec::read(&both).unwrap();
    assert_eq!((spec.model(0), spec.model(3)), (Some("small"), Some("large")));
    assert_eq!(spec.models().into_iter().collect::<Vec<_>>(), ["large", "small"]);
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
fn an_agent_names_its_sources_and_nothing_that_would_have_no_effect() {
    let read = |front: &str| {
        PipelineAgent::read("research", CONFIG, &format!("---\n{front}\n---\nBe exact."), |f| {
            Some(f.to_owned())
        })
    };
    assert_eq!(read("sources: web, tickets").unwrap().sources, ["web", "tickets"]);
    assert_eq!(read("name: R\nsources: [web]\nlicense: MIT").unwrap().sources, ["web"]);
    for key in ["tools: read", "allowed-tools: [read]", "scope: read", "model: small", "stages: 3"] {
        let (file, fault) = read(&format!("name: R\n{key}")).unwrap_err();
        assert_eq!((file.as_str(), fault.at.line), ("AGENT.md", 3), "{fault}");
        assert!(fault.why.contains("has no effect in an agent with stages"), "{fault}");
    }
}

#[test]
fn an_agent_with_a_source_that_searches_the_web_has_that_one() {
    let web = |source: &str| WebSearch { source: source.into(), tool: "find".into() };
    let agents =
        Agents { web: Some(web("usual")), webs: vec![web("usual"), web("own")], ..Agents::default() };
    let of = |sources: &[&str]| {
        let sources = sources.iter().map(|s| (*s).to_owned()).collect();
        agents.web_of(&PipelineAgent { sources, ..PipelineAgent::default() })
    };
    assert_eq!(
        [of(&[]), of(&["tickets"]), of(&["own"])],
        [Some(web("usual")), Some(web("usual")), Some(web("own"))]
    );
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
        let references = [Reference { mark: "W1".into(), title: told.clone(), text: told, place: String::new() }];
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
