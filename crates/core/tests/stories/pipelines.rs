//! Stage pipelines in a session: begun, paused, left, stopped, failed, taken up again after any event.

use pilothouse_core::{
    blob::{BlobId, Excerpt},
    checkpoint::CheckpointKind,
    event::{Event, RunStatus, Stamped},
    ids::Millis,
    input::{Input, Refusal},
    intent::{IntentPath, PausedTurn, Phase, Turn},
    knowledge::{
        Axes, CitationVerdict, CitedPlace, ContradictionVerdict, Lines, Passage, Score, Standing, Verdict,
    },
    money::Limits,
    pipeline::{Depth, Material, PipelineExit, StageEvent, ToolStep},
    relpath::RelPath,
    session::{LaneKind, Session, What},
    talk::{Fault, FaultKind, ModelReply, Purpose, Usage},
    tool::{Tool, ToolOutcome},
    work::Work,
};

use crate::support::*;

const QUESTION: &str = "@research how does the limiter reset its window?";
const DRAFT: &str = r#"{"summary":"It is reset by a timer [1].","sections":[{"title":"Timer","text":"A timer does it."}],
    "conclusions":["The window is fixed."]}"#;

fn bench() -> Bench {
    equipped(Bench::new(), Depth::Standard)
}

fn equipped(mut b: Bench, depth: Depth) -> Bench {
    b.session.set_agents(agents(depth));
    b
}

fn text(excerpt: &Excerpt) -> String {
    excerpt.whole().unwrap().to_owned()
}

/// What the runtime brings.
fn material(session: &Session) -> Material {
    let p = session.state().pipeline.as_ref().unwrap();
    let name = |n: usize| p.state.stage(n).unwrap().name.clone();
    let outputs = p.state.stage_outputs().into_iter().map(|(n, t, _)| (name(n), text(t))).collect();
    let steps = p.calls.iter().map(|c| {
        let (ok, result) = c.result.as_ref().unwrap();
        ToolStep { tool: c.tool.name().into(), args: c.args.clone(), ok: *ok, text: text(result) }
    });
    Material { outputs, steps: steps.collect(), reply: p.state.reply().map(text), prior: None }
}

fn passages() -> String {
    let lines = Lines { path: RelPath::new("src/limit.rs").unwrap(), from: 1, to: 3 };
    let text = "fn reset() { /* a timer resets the window */ }".to_owned();
    let hash = BlobId::of(text.as_bytes());
    let passage =
        Passage { lines, hash, title: String::new(), text, score: Score::FULL, axes: Axes::default() };
    serde_json::to_string(&[passage]).unwrap()
}

/// What a tool of a stage says.
fn found(tool: Tool) -> String {
    let verdict = |standing| Verdict { standing, score: Score::FULL, reason: "as it is".into() };
    match tool.name() {
        "citation_verify" => {
            let one = CitationVerdict { verdict: verdict(Standing::Holds), place: CitedPlace::Exact };
            serde_json::to_string(&[one]).unwrap()
        }
        "contradiction_check" => {
            let verdict = verdict(Standing::Unknown);
            serde_json::to_string(&ContradictionVerdict { verdict, compared: 1, found: Vec::new() }).unwrap()
        }
        _ => passages(),
    }
}

/// A reply that cost a cent.
fn reply(text: &str) -> ModelReply {
    let usage = Usage { input: 90, output: 10, cost_micros: Some(10_000), ..Usage::default() };
    ModelReply { text: text.into(), usage, ..ModelReply::default() }
}

fn said(session: &Session) -> &'static str {
    let p = session.state().pipeline.as_ref().unwrap();
    match p.state.open_stage().unwrap().0 {
        0 if p.state.feedback().next().is_some() => {
            r#"{"scope": "the bucket", "sub_queries": ["where is the token bucket filled?"]}"#
        }
        0 => {
            r#"```json
{"scope": "the limiter", "sub_queries": ["where is the window reset?", "who calls it?"]}
```"#
        }
        _ => DRAFT,
    }
}

/// Does one thing that is pending, as a runtime would; whether there was one.
fn work(b: &mut Bench) -> bool {
    let pending = b.session.pending();
    let Some(next) = pending.values().next().cloned() else { return false };
    let input = match next {
        Work::Think { call, purpose: Purpose::Stage, .. } => {
            Input::Replied { call, reply: Ok(reply(said(&b.session))) }
        }
        Work::Stage { pipeline, step } => {
            Input::StageGathered { pipeline, step, material: Box::new(material(&b.session)) }
        }
        Work::Tool { permit, .. } => Input::ToolEnded {
            call: permit.call(),
            outcome: ToolOutcome::text(found(permit.tool()), "1 found"),
        },
        other => panic!("{other:?}"),
    };
    b.input(input).unwrap();
    true
}

fn idle(b: &mut Bench) {
    for _ in 0..200 {
        if !work(b) {
            return;
        }
    }
    panic!("it never comes to rest");
}

/// The question that is open: what of, in a word.
fn asked(b: &Bench) -> &'static str {
    match b.session.state().phase_question().map(|c| &c.kind) {
        Some(CheckpointKind::PipelinePause(_)) => "pause",
        Some(CheckpointKind::Breakout(_)) => "breakout",
        Some(CheckpointKind::Failure(_)) => "failure",
        Some(_) => "another",
        None => "nothing",
    }
}

/// A session whose pipeline waits after its first stage.
fn paused() -> Bench {
    let mut b = bench();
    b.say(QUESTION);
    idle(&mut b);
    assert_eq!((asked(&b), b.session.state().phase), ("pause", Phase::AwaitingApproval));
    b
}

fn exit(b: &Bench) -> Option<PipelineExit> {
    b.session.state().pipeline.as_ref().unwrap().state.exit()
}

/// Whether the first stage begins.
fn begins(e: &Stamped) -> bool {
    matches!(e.event, Event::Staged { happened: StageEvent::StageStarted { stage: 0, .. }, .. })
}

fn answers(log: &[Stamped]) -> Vec<String> {
    let whole = |e: &Stamped| match &e.event {
        Event::MessageCompleted { text: t, intermediate: false, .. } => Some(text(t)),
        _ => None,
    };
    log.iter().filter_map(whole).collect()
}

fn ended(log: &[Stamped]) -> Vec<RunStatus> {
    let status = |e: &Stamped| match &e.event {
        Event::RunCompleted { status, .. } => Some(*status),
        _ => None,
    };
    log.iter().filter_map(status).collect()
}

#[test]
fn a_question_goes_through_its_stages_and_is_answered_once() {
    let mut b = paused();
    let question = b.session.state().phase_question().unwrap().message.clone();
    assert!(
        question.starts_with("Research waits after stage 1 of 6: Analyze query\n2 questions"),
        "{question}"
    );
    assert!(question.contains("a. where is the window reset?"), "{question}");
    assert!(question.ends_with("1. Proceed to Retrieve\n2. Modify: say what to change\n3. Exit"));
    assert!(!b.session.state().busy());
    b.say("1");
    idle(&mut b);
    assert_eq!((exit(&b), b.session.state().phase), (Some(PipelineExit::Completed), Phase::Idle));
    let answers = answers(&b.log);
    assert_eq!(answers.len(), 1, "{answers:?}");
    assert!(answers[0].starts_with("# how does the limiter reset its window?"), "{}", answers[0]);
    assert_eq!(ended(&b.log), [RunStatus::Completed]);
    // The model is told the question and the answer, and nothing that stages hand each other.
    let told = || b.session.state().transcript.trunk().map(|e| e.what);
    assert_eq!(told().filter(|w| *w == What::Reply).count(), 1);
    assert_eq!(told().filter(|w| matches!(w, What::User(_))).count(), 1);
    assert!(!told().any(|w| matches!(w, What::Result(_) | What::Output(_) | What::Nudge)));
    // Every call of a stage has an id of its own, and belongs to the run.
    let calls = b.log.iter().filter_map(|e| match &e.event {
        Event::CallMade { call, .. } => Some((*call, e.run)),
        _ => None,
    });
    let calls: Vec<_> = calls.collect();
    // Three questions are looked up, then two checks are made.
    assert_eq!(calls.len(), 5);
    assert!(calls.iter().all(|(_, run)| *run == calls[0].1 && run.is_some()));
    let skipped = |e: &Stamped| matches!(&e.event, Event::Staged { happened: StageEvent::StageCompleted { stage: 1, skipped: true, note, .. }, .. } if note == "skipped: no web source");
    assert!(b.log.iter().any(skipped));
}

#[test]
fn what_is_said_at_the_pause_goes_on_with_it() {
    let mut b = paused();
    b.say("2. only the token bucket, please");
    let p = b.session.state().pipeline.clone().unwrap();
    assert_eq!(p.state.feedback().collect::<Vec<_>>(), ["only the token bucket, please"]);
    assert_eq!(b.session.state().phase, Phase::Executing);
    idle(&mut b);
    // What was changed is shown again, however often, and goes on once nothing else is wanted.
    let question = b.session.state().phase_question().unwrap().message.clone();
    assert!(question.contains("a. where is the token bucket filled?"), "{question}");
    b.say("modify how it is emptied");
    idle(&mut b);
    assert_eq!(asked(&b), "pause");
    b.say("1");
    idle(&mut b);
    assert_eq!(exit(&b), Some(PipelineExit::Completed));
    assert_eq!(b.log.iter().filter(|e| begins(e)).count(), 3);
    let searched = b.log.iter().filter_map(|e| match &e.event {
        Event::CallMade { args, tool, .. } if tool.name() == "search" => {
            serde_json::from_str::<serde_json::Value>(args).ok()
        }
        _ => None,
    });
    let searched: Vec<String> = searched.map(|args| args["query"].as_str().unwrap().to_owned()).collect();
    assert_eq!(searched, ["how does the limiter reset its window?", "where is the token bucket filled?"]);
}

#[test]
fn what_is_foretold_at_the_pause_is_what_follows() {
    let b = paused();
    let told = |b: &Bench, line: &str| {
        let told = b.session.foretell(line);
        let meant = told.meant.clone().unwrap_or((Turn::Query(None), IntentPath::root()));
        told.words((&meant.0, &meant.1), false, b.session.state())
    };
    // The search of the web is skipped here, so it is not what it goes on with.
    assert_eq!(told(&b, "1"), "goes on to \"Retrieve\"");
    assert_eq!(told(&b, "only the token bucket"), "redoes \"Analyze query\" with that");
    for leaves in ["3", "stop", "q", "Q", "quit", "something else"] {
        assert_eq!(told(&b, leaves), "asks whether to leave", "{leaves}");
    }
    let mut b = paused();
    b.say("3");
    assert_eq!(told(&b, "no"), "goes on to \"Retrieve\"");
}

/// C-11: what is shown, what classify says and what happens are one.
#[test]
fn q_and_quit_at_a_pause_ask_whether_to_leave_and_ask_no_model() {
    for word in ["q", "quit"] {
        let mut b = equipped(Bench::asking(), Depth::Standard);
        b.say(QUESTION);
        idle(&mut b);
        assert_eq!(b.session.read(word).paused, Some(PausedTurn::Breakout), "{word}");
        b.say(word);
        let asked = b.session.state().phase_question().map(|q| q.kind.clone());
        assert!(matches!(asked, Some(CheckpointKind::Breakout(_))), "{word}: {asked:?}");
        assert!(b.session.pending().is_empty(), "{word}: no model is asked what it means");
    }
}

#[test]
fn what_leaves_by_its_sense_is_asked_about_as_classify_says() {
    for line in ["drop it", "scrap this", "rename find_notes to search_notes"] {
        let mut b = paused();
        assert_eq!(b.session.read(line).paused, Some(PausedTurn::Breakout), "{line}");
        b.say(line);
        assert_eq!(asked(&b), "breakout", "{line}");
    }
    for line in ["add a question about retries", "modify how it is emptied", "2) leave out the timer"] {
        let mut b = paused();
        assert_eq!(b.session.read(line).paused, Some(PausedTurn::Resume), "{line}");
        b.say(line);
        assert_eq!(b.session.state().phase, Phase::Executing, "{line}");
    }
}

#[test]
fn an_agent_with_stages_is_called_and_taken_up_by_its_own_name() {
    let mut b = bench();
    let mut agents = (*agents(Depth::Standard)).clone();
    agents.all[0].slug = "survey".into();
    b.session.set_agents(std::sync::Arc::new(agents));
    b.say("/survey how does the limiter reset its window?");
    idle(&mut b);
    assert_eq!(asked(&b), "pause");
    b.input(Input::Cancel).unwrap();
    let promised = |e: &Stamped| matches!(&e.event, Event::Notice { text, .. } if text.contains("`/survey`"));
    assert!(b.log.iter().any(promised));
    assert!(b.input(Input::say("/surveys")).is_err());
    b.say("/survey");
    assert_eq!(asked(&b), "pause");
}

#[test]
fn a_follow_up_builds_on_the_last_answer_and_on_nothing_that_was_left() {
    let previous = |b: &Bench| b.session.state().pipeline.as_ref().unwrap().state.previous_session_id();
    let mut b = paused();
    b.say("3");
    b.say("1");
    b.say(QUESTION);
    assert_eq!(previous(&b), None);
    idle(&mut b);
    b.say("1");
    idle(&mut b);
    let answered = b.session.state().pipeline.as_ref().unwrap().state.id;
    for _ in 0..2 {
        b.say("@research and who calls it?");
        assert_eq!(previous(&b), Some(answered));
        idle(&mut b);
        b.say("3");
        b.say("1");
    }
}

#[test]
fn a_follow_up_is_not_lost_by_a_run_of_another_agent() {
    let mut b = bench();
    let mut agents = (*agents(Depth::Standard)).clone();
    let mut other = agents.all[0].clone();
    other.slug = "survey".into();
    agents.all.push(other);
    b.session.set_agents(std::sync::Arc::new(agents));
    let mut answered = Vec::new();
    for line in [QUESTION, "@survey how does the limiter reset its window?"] {
        b.say(line);
        idle(&mut b);
        b.say("1");
        idle(&mut b);
        assert_eq!(exit(&b), Some(PipelineExit::Completed));
        answered.push(b.session.state().pipeline.as_ref().unwrap().state.id);
    }
    for (line, of) in [("@research and who calls it?", 0), ("@survey and who calls it?", 1)] {
        b.say(line);
        let previous = b.session.state().pipeline.as_ref().unwrap().state.previous_session_id();
        assert_eq!(previous, Some(answered[of]), "{line}");
        b.input(Input::Cancel).unwrap();
    }
}

#[test]
fn a_review_needs_no_words_and_its_name_no_small_letters() {
    let review = |line: &str, depth: Depth| {
        let mut b = equipped(Bench::new(), depth);
        let mut agents = (*agents(depth)).clone();
        let mut of = agents.all[0].clone();
        of.slug = "review-diff".into();
        of.spec.stages[2].changes = true;
        agents.all.push(of);
        b.session.set_agents(std::sync::Arc::new(agents));
        // A message that cannot be done is refused, or told so.
        drop(b.input(Input::say(line)));
        let p = b.session.state().pipeline.as_ref()?;
        Some((p.state.beginning()?.agent.clone(), p.state.original_query().to_owned()))
    };
    let everything = "everything since the last commit";
    for (line, query) in [
        ("@review", everything),
        ("@review-diff", everything),
        ("/review-diff", everything),
        ("@REVIEW src/a.rs", "src/a.rs"),
        ("@Review-Diff\tsrc/a.rs", "src/a.rs"),
    ] {
        assert_eq!(
            review(line, Depth::Deep).unwrap(),
            ("review-diff".to_owned(), query.to_owned()),
            "{line}"
        );
    }
    // Of which nothing is said it collects what there is to review, however deep it goes.
    assert_eq!(review("@review", Depth::Standard), Some(("review-diff".to_owned(), everything.to_owned())));
    assert_eq!(review("@review src/a.rs", Depth::Standard), None);
    for line in ["@research", "/research", "@RESEARCH "] {
        assert_eq!(review(line, Depth::Deep), None, "{line}");
    }
}

#[test]
fn a_review_of_nothing_is_an_answer() {
    let mut b = equipped(Bench::new(), Depth::Standard);
    let mut known = (*agents(Depth::Standard)).clone();
    let mut of = known.all[0].clone();
    of.slug = "review-diff".into();
    of.spec.stages[0].changes = true;
    of.spec.stages[0].kind = pilothouse_core::pipeline::StageKind::ToolFanout;
    of.spec.stages[0].tool = None;
    known.all.insert(0, of);
    b.session.set_agents(std::sync::Arc::new(known));
    b.say("@review");
    let p = b.session.state().pipeline.as_ref().unwrap();
    let (id, step) = (p.state.id, p.step());
    let ran = |args: &str| ToolStep {
        tool: "run".into(),
        args: args.into(),
        ok: true,
        text: "exit 0, took 0.1 s".into(),
    };
    let steps = vec![ran("diff"), ran("files")];
    let material = Box::new(Material { steps, ..Material::default() });
    b.input(Input::StageGathered { pipeline: id, step, material }).unwrap();
    assert_eq!(b.session.state().phase, Phase::Idle);
    assert!(b.session.state().open.is_empty());
    let said = b.log.iter().rev().find_map(|e| match &e.event {
        Event::MessageCompleted { text, .. } => text.whole().map(str::to_owned),
        _ => None,
    });
    assert_eq!(said.unwrap(), "Nothing has changed since the last commit, so there is nothing to review.");
    let ended = |e: &Stamped| matches!(e.event, Event::RunCompleted { status: RunStatus::Completed, .. });
    assert!(b.log.iter().any(ended), "{:?}", b.names());
}

#[test]
fn a_lone_two_asks_what_to_change() {
    let mut b = paused();
    assert_eq!(b.input(Input::say("2")), Err(Refusal::new("say what to change, in one line")));
    assert_eq!(asked(&b), "pause");
}

#[test]
fn j8_what_was_asked_at_the_pause_is_answered_once_leaving_is_confirmed() {
    let mut b = paused();
    b.say("I want to do something else - just tell me what the weather in zurich is today");
    assert_eq!(asked(&b), "breakout");
    assert!(b.session.pending().is_empty());
    // It survives the end of the program.
    b.input(Input::Open(opening())).unwrap();
    assert_eq!(asked(&b), "breakout");
    let before = b.log.len();
    b.say("1");
    assert_eq!(ended(&b.log), [RunStatus::Breakout]);
    let state = b.session.state();
    let p = &state.pipeline.as_ref().unwrap().state;
    assert!(!p.is_paused() && p.is_over());
    assert_eq!((exit(&b), state.phase), (Some(PipelineExit::Breakout), Phase::Idle));
    let lane = state.lanes.values().next().unwrap();
    assert_eq!(lane.kind, LaneKind::Answer);
    assert!(state.turns[&lane.turn].head.contains("weather in zurich"));
    let left = |e: &Stamped| matches!(&e.event, Event::Notice { text, .. } if text.starts_with("Pipeline terminated."));
    assert!(b.log[before..].iter().any(left));
    let end = b.log[before..].iter().find_map(|e| match &e.event {
        Event::RunCompleted { summary, .. } => Some(summary.clone()),
        _ => None,
    });
    assert!(end.unwrap().ends_with(" was left"));
    b.reply("Sunny.", &[]);
    // Nothing goes back in: the words mean nothing any more.
    b.say("break out");
    assert_eq!(asked(&b), "nothing");
}

#[test]
fn a_no_goes_on_and_anything_else_leaves_for_itself() {
    let mut b = paused();
    b.say("never mind");
    b.say("yes, continue");
    assert_eq!(b.session.state().phase, Phase::Executing);
    idle(&mut b);
    assert_eq!(exit(&b), Some(PipelineExit::Completed));

    let mut b = paused();
    b.say("forget it");
    b.say("What does Stage 1 do?");
    assert_eq!(exit(&b), Some(PipelineExit::Breakout));
    let state = b.session.state();
    let lane = state.lanes.values().next().unwrap();
    assert_eq!(state.turns[&lane.turn].head, "What does Stage 1 do?");
}

#[test]
fn two_never_leaves_and_three_asks_first() {
    let mut b = paused();
    b.say("3");
    assert_eq!(asked(&b), "breakout");
    assert!(b.input(Input::say("  ")).is_err());
    assert_eq!(asked(&b), "breakout");
    b.say("2");
    assert_eq!(b.session.state().phase, Phase::Executing);

    let mut b = paused();
    b.say("3.");
    b.say("1.");
    // The choice itself is nothing to answer.
    assert!(b.session.state().lanes.is_empty());
    assert_eq!((exit(&b), b.session.state().phase), (Some(PipelineExit::Breakout), Phase::Idle));
}

#[test]
fn a_model_tells_what_no_word_does_and_doubt_goes_on() {
    let judged = |said: Result<&str, ()>| {
        let mut b = equipped(Bench::asking(), Depth::Standard);
        b.say(QUESTION);
        idle(&mut b);
        b.say("Actually what is the weather in zurich today?");
        let Some(Work::Judge { turn, question }) = b.session.pending().into_values().next() else {
            panic!("nobody is asked")
        };
        assert!(question.contains("<query>how does the limiter reset its window?</query>"), "{question}");
        assert!(question.contains("<sub_query>who calls it?</sub_query>") && question.contains("zurich"));
        let fault =
            || Fault { kind: FaultKind::Stalled, message: "x".into(), hint: String::new(), status: None };
        let usage = Usage { input: 5, output: 5, cost_micros: Some(7), ..Usage::default() };
        let said = said.map(|t| (t.to_owned(), usage)).map_err(|()| fault());
        b.input(Input::BreakoutJudged { turn, said }).unwrap();
        b
    };
    let b = judged(Ok(r#"{"intent": "breakout", "confidence": 0.8}"#));
    assert_eq!(asked(&b), "breakout");
    assert_eq!(b.session.state().accounts.besides.cost_micros, Some(7));
    for said in [Ok(r#"{"intent": "breakout", "confidence": 0.6}"#), Ok("well"), Err(())] {
        assert_eq!(judged(said).session.state().phase, Phase::Executing, "{said:?}");
    }
}

#[test]
fn the_second_choice_with_its_words_asks_no_model_and_a_number_in_a_sentence_is_no_choice() {
    for (line, wants, asks) in [
        ("2. only the bucket", "only the bucket", false),
        ("modify: only the bucket", "only the bucket", false),
        ("2 questions will do", "2 questions will do", true),
    ] {
        let mut b = equipped(Bench::asking(), Depth::Standard);
        b.say(QUESTION);
        idle(&mut b);
        b.say(line);
        let asked = b.session.pending().into_values().find_map(|w| match w {
            Work::Judge { turn, .. } => Some(turn),
            _ => None,
        });
        assert_eq!(asked.is_some(), asks, "{line}");
        if let Some(turn) = asked {
            let reply = r#"{"intent": "pipeline_response", "confidence": 0.9}"#.to_owned();
            b.input(Input::BreakoutJudged { turn, said: Ok((reply, Usage::default())) }).unwrap();
        }
        let state = &b.session.state().pipeline.as_ref().unwrap().state;
        assert_eq!(state.feedback().collect::<Vec<_>>(), [wants], "{line}");
    }
}

#[test]
fn the_words_mean_nothing_where_nothing_is_paused() {
    let mut b = bench();
    b.say("break out");
    assert_eq!(asked(&b), "nothing");
    assert!(b.session.state().pipeline.is_none());
}

#[test]
fn a_queue_is_held_while_a_pipeline_waits() {
    let mut b = bench();
    b.say(QUESTION);
    b.input(Input::Queue("add a test to b.rs".into())).unwrap();
    idle(&mut b);
    assert_eq!((asked(&b), b.session.state().queue.len()), ("pause", 1));
    b.say("something else: what is b.rs?");
    assert_eq!((asked(&b), b.session.state().queue.len()), ("breakout", 1));
    b.say("no");
    idle_until_planning(&mut b);
    assert_eq!(b.session.state().queue.len(), 0);
}

/// Works until what waited begins.
fn idle_until_planning(b: &mut Bench) {
    for _ in 0..100 {
        if b.session.state().phase == Phase::Planning {
            return;
        }
        assert!(work(b));
    }
    panic!("what waited never began");
}

#[test]
fn a_stopped_pipeline_is_kept_and_goes_on_where_it_was() {
    let mut b = paused();
    b.say("1");
    b.input(Input::Cancel).unwrap();
    assert_eq!((b.session.state().phase, ended(&b.log)), (Phase::Idle, vec![RunStatus::Cancelled]));
    assert!(b.session.pending().is_empty());
    b.say("/research");
    idle(&mut b);
    assert_eq!(exit(&b), Some(PipelineExit::Completed));
    assert_eq!(b.log.iter().filter(|e| begins(e)).count(), 1);
    assert!(b.input(Input::say("/research")).is_err());
}

#[test]
fn a_pause_that_was_stopped_is_asked_again() {
    let mut b = paused();
    b.input(Input::Cancel).unwrap();
    assert_eq!((asked(&b), b.session.state().phase), ("nothing", Phase::Idle));
    b.say("what is in b.rs?");
    b.reply("Nothing.", &[]);
    b.say("/research");
    assert_eq!(asked(&b), "pause");
}

#[test]
fn other_work_sets_it_aside() {
    let mut b = paused();
    b.say("/plan add a file");
    assert_eq!(b.session.state().phase, Phase::Planning);
    assert!(b.session.state().pipeline_aside().is_some());
    assert_eq!(ended(&b.log), [RunStatus::Cancelled]);
}

#[test]
fn a_reply_that_cannot_be_read_is_asked_for_once_more_then_it_fails_and_can_be_tried_again() {
    let mut b = bench();
    b.say(QUESTION);
    for text in ["I would rather talk.", "Still."] {
        let call = b.thinking();
        b.input(Input::Replied { call, reply: Ok(reply(text)) }).unwrap();
    }
    assert_eq!((asked(&b), b.session.state().phase), ("failure", Phase::Failed));
    assert_eq!(exit(&b), Some(PipelineExit::Error));
    // There is no plan that could be modified.
    let (state, kind) = (b.session.state(), &b.session.state().newest_question().unwrap().kind);
    let labels: Vec<_> =
        kind.question().choices().into_iter().filter(|c| !c.key.is_empty()).map(|c| c.label).collect();
    assert_eq!((labels, state.plan.is_none()), (vec!["retry", "abort"], true));
    b.say("r");
    idle(&mut b);
    assert_eq!(asked(&b), "pause");
    // What was spent before it failed is part of what the stage cost.
    let cost = |b: &Bench| -> Vec<(usize, Option<u64>)> {
        let costs = b.session.state().pipeline.as_ref().unwrap().state.costs();
        costs.into_iter().map(|(stage, spent)| (stage, spent.cost_micros)).collect()
    };
    assert_eq!(cost(&b), [(0, Some(30_000))]);
    // So it is after a stop, and after the end of the program.
    let before = |b: &mut Bench| {
        b.say("2. only the bucket");
        let call = b.thinking();
        b.input(Input::Replied { call, reply: Ok(reply("Hm.")) }).unwrap();
    };
    before(&mut b);
    b.input(Input::Cancel).unwrap();
    b.say("/research");
    idle(&mut b);
    assert_eq!(cost(&b), [(0, Some(50_000))]);
    b.say("1");
    let thinks = |b: &Bench| b.session.pending().values().any(|w| matches!(w, Work::Think { .. }));
    while !thinks(&b) {
        assert!(work(&mut b));
    }
    let call = b.thinking();
    b.input(Input::Replied { call, reply: Ok(reply("Hm.")) }).unwrap();
    b.input(Input::Open(opening())).unwrap();
    b.say("/research");
    idle(&mut b);
    assert_eq!(exit(&b), Some(PipelineExit::Completed));
    let sum: u64 = cost(&b).iter().filter_map(|(_, cost)| *cost).sum();
    assert_eq!((sum, b.session.state().usage.cost_micros), (70_000, Some(70_000)));
    // And its end tells all of it.
    let told = b.log.iter().rev().find_map(|e| match &e.event {
        Event::RunCompleted { came_to: Some(facts), .. } => facts.usage.cost_micros,
        _ => None,
    });
    assert_eq!(told, Some(70_000));
}

#[test]
fn a_cent_stops_a_deep_run_which_goes_on_once_more_may_be_spent() {
    let mut b = equipped(Bench::new(), Depth::Deep);
    b.input(Input::SetBudget(Limits::parse("0.01").unwrap())).unwrap();
    b.say(QUESTION);
    idle(&mut b);
    b.say("1");
    idle(&mut b);
    let open = b.session.state().open.values().any(|c| matches!(c.kind, CheckpointKind::Budget(_)));
    assert!(open && b.session.pending().is_empty());
    b.input(Input::Cancel).unwrap();
    assert!(b.session.state().pipeline_aside().is_some());
    b.say("/budget 5");
    b.say("/research");
    idle(&mut b);
    assert_eq!(exit(&b), Some(PipelineExit::Completed));
    let state = b.session.state();
    let costs = state.pipeline.as_ref().unwrap().state.costs();
    let sum: u64 = costs.iter().filter_map(|(_, u)| u.cost_micros).sum();
    assert_eq!(Some(sum), state.usage.cost_micros);
    assert_eq!(sum, 20_000);
    assert!(
        answers(&b.log).iter().any(|a| a.contains("- In all: 200 tokens, $0.02")),
        "{:?}",
        answers(&b.log)
    );
}

/// Goes on after the program ended, whatever is open, to the end.
fn go_on(mut b: Bench) -> Bench {
    for _ in 0..60 {
        idle(&mut b);
        match asked(&b) {
            "pause" => drop(b.say("1")),
            "breakout" => drop(b.say("no")),
            "failure" => drop(b.say("r")),
            _ if b.session.state().pipeline_aside().is_some() => drop(b.say("/research")),
            _ => return b,
        }
    }
    panic!("it never ends");
}

#[test]
fn the_program_may_end_after_any_event() {
    let mut b = paused();
    b.say("never mind");
    b.say("2");
    idle(&mut b);
    let log = b.log;
    let began = log.iter().position(|e| matches!(e.event, Event::Staged { .. })).unwrap();
    for end in began + 1..=log.len() {
        let mut session = Session::replay(&log[..end]);
        session.set_agents(agents(Depth::Standard));
        let mut b = Bench { session, log: log[..end].to_vec(), clock: 1_000 };
        b.input(Input::Open(opening())).unwrap();
        assert!(b.session.pending().is_empty(), "after {end} something runs by itself");
        let b = go_on(b);
        assert_eq!(exit(&b), Some(PipelineExit::Completed), "after {end}: {:?}", log[end - 1].event);
        assert!(b.session.state().run.is_none() && b.session.state().lanes.is_empty());
        assert!(!answers(&b.log).is_empty());
    }
}

#[test]
fn depth_is_told_and_set() {
    let mut b = bench();
    b.say("/depth");
    b.say("/depth deep");
    assert_eq!(b.session.state().depth(), Some(Depth::Deep));
    assert!(b.input(Input::say("/depth profound")).is_err());
    b.say(QUESTION);
    assert_eq!(b.session.state().pipeline.as_ref().unwrap().state.depth(), Depth::Deep);
    assert!(b.session.state().at > Millis(0));
}
