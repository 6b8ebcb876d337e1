//! Laws of stage pipelines: pauses, breakout, budgets, stops and the end of the program in any order, over replies that
//! can be read and such that cannot.

use std::collections::BTreeMap;

use pilothouse_core::{
    ids::{LaneId, RunId},
    money::{Limits, Unit},
    pipeline::{PipelineExit, StageEvent, StageSpec},
};

use super::{stages::*, *};

/// What users say at a pause and at the question whether to leave (T-11, T-12).
const SAID: [&str; 16] = [
    "1",
    "1",
    "1",
    "proceed",
    "2",
    "2. only the bucket, please",
    "without the timer",
    "3",
    "never mind",
    "I want to do something else - what is the weather?",
    "Actually what is the weather in zurich today?",
    "yes, continue",
    "no",
    "cancel the pipeline",
    "Stage 1 looks good",
    "  ",
];

/// Counted from the events alone: what a pipeline cost, how many calls left, and which pipelines are over.
#[derive(Default)]
struct Books {
    of: Option<RunId>,
    lanes: BTreeSet<LaneId>,
    spent: Usage,
    calls: u64,
    over: BTreeSet<RunId>,
}

impl Books {
    fn note(&mut self, event: &Event, seed: u64) {
        match event {
            Event::Staged { pipeline, happened } => {
                assert!(!self.over.contains(pipeline), "seed {seed}: {happened:?} after its end");
                if self.of != Some(*pipeline) {
                    (self.of, self.lanes, self.spent) = (Some(*pipeline), BTreeSet::new(), Usage::default());
                }
                match happened {
                    StageEvent::Breakout | StageEvent::Completed => drop(self.over.insert(*pipeline)),
                    StageEvent::Judging { .. } => self.calls += 1,
                    _ => {}
                }
            }
            Event::LaneOpened { lane, kind: LaneKind::Pipeline, .. } => drop(self.lanes.insert(*lane)),
            Event::MessageCompleted { lane, usage, .. } if self.lanes.contains(lane) => self.spent.add(usage),
            Event::ThinkingStarted { .. }
            | Event::CompactionStarted { .. }
            | Event::TitleAsked { .. }
            | Event::IntentAsked { model: true, .. } => self.calls += 1,
            _ => {}
        }
    }

    fn hold(&self, session: &Session, seed: u64) {
        let state = session.state();
        assert_eq!(state.accounts.spent.calls, self.calls, "seed {seed}: a call left uncounted");
        let Some(p) = &state.pipeline else { return };
        let mut sum = p.spent;
        p.state.costs().iter().for_each(|(_, usage)| sum.add(usage));
        let told = |u: &Usage| (u.tokens(), u.cost_micros.unwrap_or_default());
        assert_eq!(told(&sum), told(&self.spent), "seed {seed}: {:#?}", p.state.costs());
    }
}

/// A pipeline ends or waits for a question that is there; what waits beside it stays while it does.
fn waits_or_works(before: &Session, after: &Session, seed: u64) {
    let (old, new) = (before.state(), after.state());
    let Some(p) = &new.pipeline else { return };
    let asked = new.phase_question().is_some();
    if p.state.is_running() {
        assert_eq!(new.phase, Phase::Executing, "seed {seed}");
        assert!(!new.open.is_empty() || !after.pending().is_empty(), "seed {seed}: nothing goes on");
    }
    if let Some(p) = new.paused_pipeline() {
        assert!(asked || p.state.judging().is_some(), "seed {seed}: nobody is asked");
        let drained = old.paused_pipeline().is_some() && new.queue.len() < old.queue.len();
        assert!(!drained, "seed {seed}: what waits had its turn");
    } else if p.state.is_paused() {
        assert!(p.state.is_aside() || p.state.is_over(), "seed {seed}: it waits, and nobody is asked");
    }
}

/// The answer above its sources, and where these stand by their numbers.
fn parts(answer: &str) -> (&str, BTreeMap<usize, &str>) {
    fn source(line: &str) -> Option<(usize, &str)> {
        let (number, place) = line.strip_prefix("- [")?.split_once("] `")?;
        Some((number.parse().ok()?, place.split(':').next()?))
    }
    let ends = ["\n## Sources", "\n## Checks", "\n## Spent"].into_iter().filter_map(|head| answer.find(head));
    let (body, rest) = answer.split_at(ends.min().unwrap_or(answer.len()));
    let sources = rest.lines().filter_map(source);
    (body, sources.collect())
}

/// No citation that failed, and no finding that the code does not bear, is told unmarked.
fn tells_what_holds(s: &Stages, answer: &str, seed: u64) {
    let (body, sources) = parts(answer);
    for mark in body.split('[').skip(1).filter_map(|rest| rest.split(']').next()) {
        let items: Vec<&str> = mark.split([',', ' ']).filter(|item| !item.is_empty()).collect();
        let strange = |item: &&str| item.strip_prefix(['W', 'P']).is_some_and(|n| n.parse::<u8>().is_ok());
        assert!(!items.iter().any(strange), "seed {seed}: {answer}");
        for number in items.iter().filter_map(|item| item.parse::<usize>().ok()) {
            let holds = sources.get(&number).is_some_and(|path| s.hold.contains(*path));
            assert!(holds, "seed {seed}: [{number}] did not hold: {answer}");
        }
    }
    assert!(!body.contains("`InventedName` resets the window [1]"), "seed {seed}: {answer}");
    for line in body.lines().filter(|line| line.contains(INVENTED)) {
        assert!(line.contains("(not verified"), "seed {seed}: {answer}");
    }
}

/// The answers among these events.
fn told(s: &Stages, events: &[Stamped]) -> Vec<String> {
    let answer = |e: &Stamped| match &e.event {
        Event::MessageCompleted { text, intermediate: false, .. } => Some(s.text(text)),
        _ => None,
    };
    events.iter().filter_map(answer).filter(|text| text.starts_with("# how is the window")).collect()
}

/// A reply that nobody can read, one that never came, or one that was cut off.
fn spoilt(s: &Stages, dice: &mut Dice, call: CallId) -> Input {
    let fault =
        Fault { kind: FaultKind::Stalled, message: "silent".into(), hint: String::new(), status: None };
    match dice.roll(6) {
        0 => Input::Replied { call, reply: Err(fault) },
        1 => Input::BrokenOff { call, partial: Box::new(s.reply("It".into())), fault },
        _ => Input::Replied { call, reply: Ok(s.reply("I would rather talk.".into())) },
    }
}

/// Something that could arrive now. A calm world loses no call of a tool and never spoils a judgement of a draft, so
/// that what comes out of the stages is always the same.
fn next(s: &mut Stages, dice: &mut Dice, cut: &[CallId], calm: bool) -> Input {
    let work: Vec<Work> = s.bench.session.pending().into_values().collect();
    let state = s.bench.session.state();
    if !calm && dice.roll(16) == 0 {
        let any = input(dice, &s.bench.session);
        // What a stage works on is brought as it is: the runtime reads it from the log.
        if !matches!(any, Input::StageGathered { .. }) {
            return any;
        }
    }
    match dice.roll(24) {
        0 => return Input::Cancel,
        1 => return Input::Queue("add a test to b.rs".into()),
        2 => return Input::SetBudget(Limits::one(Unit::Calls, 1 + dice.roll(4) as u64)),
        3 => return Input::say(dice.pick(&SAID)),
        4 if !cut.is_empty() => {
            let call = dice.pick(cut);
            return spoilt(s, dice, call);
        }
        _ => {}
    }
    if !work.is_empty() {
        let one = dice.pick(&work);
        let judges = s.pipeline().is_some_and(|p| {
            p.state.open_stage().is_some_and(|(n, _)| p.state.stage(n).is_some_and(StageSpec::gathers))
        });
        return match &one {
            Work::Think { call, .. } if dice.roll(5) == 0 && !(calm && judges) => spoilt(s, dice, *call),
            Work::Tool { permit, .. } if !calm && dice.roll(12) == 0 => {
                if permit.tool().name() == "citation_verify" {
                    s.hold.clear();
                }
                Input::ToolEnded { call: permit.call(), outcome: ToolOutcome::failure("gone") }
            }
            _ => s.ended(&one).unwrap_or_else(|| world(dice, &one)),
        };
    }
    match state.phase_question().map(|c| c.kind.clone()) {
        Some(CheckpointKind::PipelinePause(_) | CheckpointKind::Breakout(_)) => Input::say(dice.pick(&SAID)),
        Some(CheckpointKind::Failure(_)) => Input::say(dice.pick(&["r", "r", "q"])),
        Some(CheckpointKind::Budget(_)) => Input::say(dice.pick(&["/budget off", "4 calls", "n"])),
        _ if !calm && !state.open.is_empty() => input(dice, &s.bench.session),
        _ if state.pipeline_aside().is_some() => Input::say(format!("/{}", s.slug)),
        _ => Input::say(format!("@{} how is the window reset?", s.slug)),
    }
}

/// Plays a sequence with every law held after every step; what is put in late is what was cut off.
fn play(seed: u64, steps: usize, calm: bool) -> Stages {
    let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let (mut s, mut books) = (Stages::new(seed), Books::default());
    let mut cut: Vec<CallId> = Vec::new();
    for n in 0..steps {
        if calm && s.pipeline().is_some_and(|p| p.state.is_over()) {
            break;
        }
        let (before, from) = (s.bench.session.clone(), s.bench.log.len());
        let thinks = before.pending().into_values();
        cut.extend(thinks.filter_map(|w| if let Work::Think { call, .. } = w { Some(call) } else { None }));
        if n == 0 {
            assert!(s.ask());
        } else if dice.roll(30) == 0 {
            s = s.killed(from);
            assert!(s.input(Input::Open(opening())));
            cut.clear();
        } else {
            let next = next(&mut s, &mut dice, &cut, calm);
            s.input(next);
        }
        let events = &s.bench.log[from..];
        check(&before, &s.bench.session, events);
        waits_or_works(&before, &s.bench.session, seed);
        for e in events {
            books.note(&e.event, seed);
        }
        books.hold(&s.bench.session, seed);
        for answer in told(&s, events) {
            tells_what_holds(&s, &answer, seed);
        }
    }
    check_log(&s.bench.log);
    s
}

/// Goes on to the end with a user who wants nothing different and a model that can be read.
fn finish(s: &mut Stages, seed: u64) -> PipelineExit {
    let mut dice = Dice(seed | 1);
    for _ in 0..500 {
        if let Some(exit) = s.pipeline().filter(|p| p.state.is_over()).and_then(|p| p.state.exit()) {
            return exit;
        }
        if let Some(work) = s.bench.session.pending().into_values().next() {
            let next = s.ended(&work).unwrap_or_else(|| world(&mut dice, &work));
            s.input(next);
            continue;
        }
        let state = s.bench.session.state();
        let line = match state.phase_question().map(|c| &c.kind) {
            Some(CheckpointKind::PipelinePause(_)) => "1".to_owned(),
            Some(CheckpointKind::Breakout(_)) => "2".to_owned(),
            Some(CheckpointKind::Failure(_)) => "r".to_owned(),
            Some(CheckpointKind::Budget(_)) => "/budget off".to_owned(),
            _ => format!("/{}", s.slug),
        };
        assert!(
            s.say(&line),
            "seed {seed}: {line} is refused, {:?} {:#?}",
            state_of(s),
            s.bench.session.state().open
        );
    }
    panic!("seed {seed}: it never ends: {:?}", state_of(s));
}

fn state_of(s: &Stages) -> Option<&StageEvent> {
    s.pipeline()?.state.events().last()
}

/// What was answered in the end, without what it cost.
fn answered(s: &Stages) -> String {
    let last = told(s, &s.bench.log).pop().unwrap_or_default();
    last.split("\n## Spent").next().unwrap_or_default().to_owned()
}

/// With what each pause was gone on from.
fn resumed(s: &Stages) -> Vec<String> {
    let all = s.pipeline().unwrap().state.events().iter();
    all.filter_map(|e| if let StageEvent::Resumed { feedback } = e { Some(feedback.clone()) } else { None })
        .collect()
}

/// The answer of a run in which nothing goes wrong and the same is said at each pause.
fn undisturbed(seed: u64, said: &[String]) -> String {
    let (mut s, mut said) = (Stages::new(seed), said.iter());
    assert!(s.ask());
    for _ in 0..500 {
        if s.pipeline().unwrap().state.is_over() {
            return answered(&s);
        }
        if let Some(work) = s.bench.session.pending().into_values().next() {
            let judged = |turn| Input::BreakoutJudged { turn, said: Ok((String::new(), Usage::default())) };
            let next =
                if let Work::Judge { turn, .. } = work { judged(turn) } else { s.ended(&work).unwrap() };
            assert!(s.input(next));
            continue;
        }
        let paused = s.bench.session.state().paused_pipeline().is_some();
        let line = if paused { said.next().map_or("", String::as_str) } else { "/budget off" };
        assert!(s.say(if line.is_empty() { "1" } else { line }), "seed {seed}: {line}");
    }
    panic!("seed {seed}: it never ends");
}

#[test]
fn a_pipeline_ends_or_waits_for_a_question_and_is_never_entered_again() {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let sequences = cases(5_000, 60);
    for seed in 0..sequences {
        let mut s = play(seed, 120, false);
        for stamped in &s.bench.log {
            let Event::Staged { happened, .. } = &stamped.event else { continue };
            *seen
                .entry(match happened {
                    StageEvent::Began(_) => "begun",
                    StageEvent::StageCompleted { .. } => "stages",
                    StageEvent::Paused { .. } => "pauses",
                    StageEvent::Resumed { feedback } if !feedback.is_empty() => "changes",
                    StageEvent::Judging { .. } => "judged",
                    StageEvent::BreakoutPending { .. } => "asked to leave",
                    StageEvent::Breakout => "left",
                    StageEvent::Error { .. } => "failed",
                    StageEvent::Interrupted { .. } => "stopped",
                    StageEvent::TakenUp => "taken up",
                    StageEvent::Completed => "completed",
                    _ => "other",
                })
                .or_default() += 1;
        }
        let unpaid = |e: &&Stamped| matches!(&e.event, Event::CheckpointOpened { checkpoint } if matches!(checkpoint.kind, CheckpointKind::Budget(_)));
        *seen.entry("unpaid").or_default() += s.bench.log.iter().filter(unpaid).count();
        for _ in 0..s.bench.session.state().lanes.len() + 3 {
            s.input(Input::Cancel);
        }
        let state = s.bench.session.state();
        assert!(state.phase == Phase::Idle && state.run.is_none() && state.lanes.is_empty(), "seed {seed}");
    }
    println!("checked={sequences} violations=0 {seen:?}");
    let of = |what: &str| seen.get(what).copied().unwrap_or_default() as u64;
    let least = ["pauses", "changes", "asked to leave", "left", "failed", "stopped", "taken up", "completed"];
    for what in least.into_iter().chain(["judged", "unpaid"]) {
        assert!(of(what) * 10 >= sequences, "too few {what}: {seen:?}");
    }
}

#[test]
fn from_every_event_of_a_pipeline_it_comes_to_the_same_end() {
    let (mut tried, mut ended) = (0_u64, BTreeMap::<&str, usize>::new());
    let (sequences, whole) = (cases(60, 12), cases(1, 0) == 1);
    for seed in 700_000..700_000 + sequences {
        let mut dice = Dice(seed | 1);
        let played = play(seed, 90, true);
        let log = &played.bench.log;
        let began = log.iter().position(|e| matches!(e.event, Event::Staged { .. })).unwrap();
        let mut ends: BTreeMap<Vec<String>, String> = BTreeMap::new();
        for kept in began + 1..=log.len() {
            let mut s = played.killed(kept);
            assert!(s.input(Input::Open(opening())));
            assert!(s.bench.session.pending().is_empty(), "seed {seed}: something runs after {kept}");
            waits_or_works(&s.bench.session.clone(), &s.bench.session, seed);
            // The way to the end is long: of the ordinary run it is gone from some.
            if !whole && dice.roll(24) > 0 {
                continue;
            }
            tried += 1;
            let exit = finish(&mut s, seed);
            *ended.entry(exit.name()).or_default() += 1;
            if exit == PipelineExit::Completed {
                let (said, answer) = (resumed(&s), answered(&s));
                tells_what_holds(&s, &answer, seed);
                let same = ends.entry(said).or_insert_with_key(|said| undisturbed(seed, said));
                assert_eq!(*same, answer, "seed {seed} after {kept}: {:?}", log[kept - 1].event);
                let mut books = Books::default();
                s.bench.log.iter().for_each(|e| books.note(&e.event, seed));
                books.hold(&s.bench.session, seed);
            }
        }
    }
    println!("checked={tried} violations=0 {ended:?}");
    assert!(tried > sequences && ended.len() == 2, "{tried} {ended:?}");
}
