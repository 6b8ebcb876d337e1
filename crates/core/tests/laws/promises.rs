//! What is foretold of a line is what happens, and no line answers what only a part of it speaks to.

use std::collections::{BTreeMap, BTreeSet};

use pilothouse_core::{
    checkpoint::{Answer, CheckpointKind},
    event::{Event, Stamped},
    ids::{CheckpointId, LaneId, ProposalId, TurnId},
    input::{Found, Input, Opening},
    intent::{Control, IntentNode, Phase},
    proposal::{Proposal, ProposalStatus},
    relpath::RelPath,
    scope::{Capability, PermissionMode},
    session::{ApplyStatus, Deed, Foretold, LaneKind, State},
};

use crate::{Dice, LINES, cases, input, run, support::*};

/// Lines that say more than one thing, or sound like an answer to something.
const MIXED: [&str; 41] = [
    "exit",
    "bye",
    "/exit",
    "ok. what does step 1 do?",
    "yes. also add a test",
    "yes, but leave the parser alone",
    "stop. analyze revenue instead",
    "stop! what changed?",
    "no. what does step 2 do?",
    "no, only the first test please",
    "How does the search work? again",
    "is it safe to skip this? no idea",
    "build a dashboard for the notes",
    "rename a to b",
    "update the README with install steps",
    "also add a doc comment to the two methods",
    "the second test is not needed",
    "use postgres instead",
    "do not touch the README",
    "undo that",
    "maybe not",
    "hm, not like that",
    "I am not convinced",
    "stop renaming the tests",
    "maybe broken or not",
    "go ahead",
    "sounds good",
    "continue",
    "yes please do that",
    "ok do it",
    "skip",
    "leave it",
    "not this one",
    "again",
    "yes",
    "no",
    "ja, mach das",
    "继续",
    "fix the typo in README.md; what is Store?",
    "where is Store defined? rename a to b",
    "also add a doc comment to the two methods. what is Store?",
];

/// Commands to the workbench and lines for the shell.
const COMMANDS: [&str; 45] = [
    "/proposals",
    "/proposals all",
    "/proposals drop",
    "/proposals plan",
    "/queue",
    "/queue drop 1",
    "/queue tell 1",
    "/queue up 2",
    "/abort",
    "/status",
    "/help",
    "/proof",
    "/mode explore",
    "/agent write docs",
    "/init",
    "/plan show",
    "/plan tidy the store",
    "/plan candidates 2 tidy the store",
    "/plan import plan.md",
    "/facts",
    "/memory add use tabs",
    "/changes",
    "/commit",
    "/budget 3 calls",
    "/budget off",
    "/depth deep",
    "/research what is a.txt?",
    "/readonly",
    "/chat",
    "/auto",
    "/ask",
    "/undo",
    "/unundo",
    "/redo",
    "/replan",
    "/reset",
    "/compact",
    "/title again",
    "/trust",
    "/trust off",
    "!ls",
    "!git status",
    "!make test",
    "!!make",
    "!rm -rf build",
];

/// What sounds like an answer or a word of control.
const HEADS: [&str; 20] = [
    "yes",
    "no",
    "ok",
    "y",
    "n",
    "sure",
    "go ahead",
    "looks good",
    "stop",
    "wait",
    "skip it",
    "again",
    "cancel that",
    "proceed",
    "not yet",
    "undo that",
    "start over",
    "continue",
    "never mind",
    "2",
];

/// What is said beside it.
const TAILS: [&str; 16] = [
    "what does step 1 do?",
    "why did it fail?",
    "also add a test",
    "but leave the parser alone",
    "only the first file please",
    "rename a to b",
    "build a dashboard for the notes",
    "run the tests",
    "delete the old file",
    "use postgres instead",
    "do not touch the README",
    "change the plan: split step 2",
    "then show me the status",
    "!ls",
    "/reset",
    "thanks",
];

/// A line that somebody might type.
fn line(dice: &mut Dice) -> String {
    match dice.roll(8) {
        0 | 1 => dice.pick(&LINES).to_owned(),
        2 | 3 => dice.pick(&MIXED).to_owned(),
        4 | 5 => dice.pick(&COMMANDS).to_owned(),
        _ => {
            let (head, tail) = (dice.pick(&HEADS), dice.pick(&TAILS));
            format!("{head}{}{tail}", dice.pick(&[". ", ", ", "; ", " and ", "! ", "\n"]))
        }
    }
}

/// How many sessions are tried, and lines in each.
fn share() -> (u64, usize) {
    (cases(2_000, 150), usize::try_from(cases(10, 4)).unwrap())
}

/// A session somewhere in its life, and a line to say in it.
fn moments(mut each: impl FnMut(u64, Bench, &str)) {
    let (sessions, lines) = share();
    for seed in 70_000..70_000 + sessions {
        let mut dice = Dice(seed);
        let steps = 5 + dice.roll(40);
        let bench = run(seed, steps);
        for _ in 0..lines {
            let line = line(&mut dice);
            let copy = Bench { session: bench.session.clone(), log: Vec::new(), clock: bench.clock };
            each(seed, copy, &line);
        }
    }
}

fn lanes(state: &State, kind: LaneKind) -> usize {
    state.lanes.values().filter(|l| l.kind == kind).count()
}

/// What can be seen of a step from outside, held against what was foretold of it.
fn holds(line: &str, told: &Foretold, (before, after): (&State, &State), what: &str) {
    let does = |deed: Deed| told.does(&deed);
    let told_nothing = told.deeds.is_empty();
    let answers = told.deeds.iter().any(|d| matches!(d, Deed::Answers(..)));
    let resets = does(Deed::Word(Control::Reset));
    let began = before.phase == Phase::AwaitingApproval && after.phase == Phase::Executing;
    let goes_on = does(Deed::GoesOn);
    assert!(!began || does(Deed::Starts) || does(Deed::Runs) || goes_on, "a plan began unforetold: {what}");
    let (was, is) = (before.run.as_ref().map(|r| r.id), after.run.as_ref().map(|r| r.id));
    let ended = was.is_some() && was != is;
    let ends = does(Deed::StopsRun) || does(Deed::Fails);
    assert!(!ended || ends || answers || resets, "a run ended unforetold: {what}");
    let stopped = before.answering().is_some_and(|lane| !after.lanes.contains_key(&lane));
    assert!(
        !stopped || does(Deed::StopsAnswer) || ends || answers || resets,
        "an answer was stopped unforetold: {what}"
    );
    let (had, has) = (before.open_proposals().count(), after.open_proposals().count());
    let set_aside = does(Deed::StopsRun) || does(Deed::SetsAside);
    assert!(has >= had || set_aside || answers, "proposals were dropped unforetold: {what}");
    let more = |kind| lanes(after, kind) > lanes(before, kind);
    assert!(!more(LaneKind::Planning) || does(Deed::Plans), "planned unforetold: {what}");
    assert!(!more(LaneKind::Answer) || does(Deed::Talks), "answered unforetold: {what}");
    let longer = after.queue.len() > before.queue.len();
    assert!(!longer || does(Deed::Queues) || does(Deed::Revises), "queued unforetold: {what}");
    let told = after.turns.values().filter(|t| t.told.is_some()).count();
    let heard = before.turns.values().filter(|t| t.told.is_some()).count();
    assert!(told <= heard || does(Deed::Tells), "told unforetold: {what}");
    let steps =
        |s: &State| s.plan.as_ref().map_or(0, |p| p.tasks.iter().filter(|t| t.turn.is_some()).count());
    assert!(steps(after) <= steps(before) || does(Deed::Adds), "a step was added unforetold: {what}");
    let waits = after.pending_messages.len() > before.pending_messages.len();
    assert!(!waits || does(Deed::Consults) || does(Deed::Waits), "consulted unforetold: {what}");
    let shown = |s: &State| {
        s.plan.as_ref().filter(|_| s.phase == Phase::AwaitingApproval).map(|p| (p.turn, p.version))
    };
    let again = shown(after).is_some() && shown(after) != shown(before);
    assert!(!again || does(Deed::Shows), "a plan is shown unforetold: {what}");
    let leaves = |s: &State| s.phase_question().is_some_and(|c| c.kind.is_exit());
    let asked = leaves(after) && !leaves(before);
    assert_eq!(asked, does(Deed::AsksToLeave), "asked whether to leave unforetold: {what}");
    let over = |s: &State| s.phase_question().is_some_and(|c| c.kind.is_reset());
    let asked = over(after) && !over(before);
    assert_eq!(asked, does(Deed::AsksToStartOver), "asked whether to start over unforetold: {what}");
    if told_nothing && !line.starts_with('/') {
        let of = |s: &State| (s.phase, s.lanes.len(), s.queue.len(), s.permission, s.mode, s.ledger().len());
        assert_eq!(of(before), of(after), "something follows unforetold: {what}");
        assert!(after.open.keys().eq(before.open.keys()), "a question came or went unforetold: {what}");
    }
    if let Some(question) = before.phase_question() {
        let stands = after.open.contains_key(&question.id);
        let aside = after.phase_question().and_then(|c| c.kind.held()) == Some(question);
        assert!(stands || !told_nothing, "a question went unforetold: {what}");
        // What the same line answered or stopped first, as was foretold, takes its question along.
        let moot = answers || does(Deed::SetsAside) || does(Deed::StopsRun);
        assert!(
            !asked || aside || moot || question.kind.call().is_some(),
            "a question fell away where leaving was asked about: {what}"
        );
    }
}

#[test]
fn what_is_foretold_of_a_line_is_what_happens() {
    let mut checked = 0;
    moments(|seed, mut bench, line| {
        let before = bench.session.state().clone();
        let told = bench.session.foretell(line);
        assert!(bench.session.state() == &before, "foretelling changed something");
        let said = bench.input(Input::Say { text: line.into(), seen: before.seq });
        let what = format!("seed {seed} {:?} {line:?}: {told:?}", before.phase);
        match &said {
            Err(refusal) => assert_eq!(told.refused.as_ref(), Some(&refusal.reason), "{what}"),
            Ok(step) => {
                assert_eq!(told, Foretold::of(&before, &step.events), "{what}");
                holds(line, &told, (&before, bench.session.state()), &what);
            }
        }
        checked += 1;
    });
    println!("checked={checked} violations=0");
}

/// Of what was proposed, only what a decision of the user named goes away; whatever else stops work sets it aside.
#[test]
fn no_proposal_leaves_but_by_a_decision_that_named_it() {
    let sessions = cases(2_000, 150);
    let (mut checked, mut named) = (0, 0);
    for seed in 100_000..100_000 + sessions * 4 {
        let mut dice = Dice(seed * 2_654_435_761 + 11);
        let mut bench = proposing();
        for _ in 0..20 {
            let before = bench.session.state().clone();
            let next = match dice.roll(40) {
                0 => Input::Open(reopening(&mut dice, &before)),
                1 | 2 => Input::say(line(&mut dice)),
                _ => input(&mut dice, &bench.session),
            };
            let by = decided(&next, &before);
            let what = format!("seed {seed}: {next:?}");
            if bench.input(next).is_err() {
                continue;
            }
            let after = bench.session.state();
            for (id, was) in before.proposals() {
                let gone = |s: ProposalStatus| matches!(s, ProposalStatus::Dropped | ProposalStatus::Skipped);
                let now = after.proposals()[id].status;
                let left = gone(now) && !gone(was.status);
                // What its line of work proposed anew for the same file took its place.
                let newer = |p: &Proposal| p.path == was.path && p.id > *id;
                let anew = after.proposals().values().any(newer);
                assert!(!left || anew || by.contains(id), "{} left by {what}", was.path);
                named += usize::from(left && !anew);
                checked += 1;
            }
            for p in after.proposals().values().filter(|p| p.status == ProposalStatus::Open) {
                let lane = after.lanes.contains_key(&p.lane);
                assert!(
                    lane || after.diff_of(p.lane).is_some(),
                    "nobody is asked about {} after {what}",
                    p.path
                );
            }
        }
    }
    println!("checked={checked} violations=0 left by name {named}");
    assert!(checked > 5_000 && named > 50, "{checked} {named}");
}

/// A run that has proposed changes of two files.
fn proposing() -> Bench {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify"), ("Two", "modify")], &[]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b.reply("", &[("edit", edit_of("a.txt")), ("edit", edit_of("b.txt"))]);
    b.propose("a.txt", "one\ntwo\n", "1\n2\n");
    b.propose("b.txt", "one\ntwo\n", "1\n2\n");
    b
}

/// The proposals that an input decides by name; what was being written when the program ended was decided before.
fn decided(input: &Input, before: &State) -> BTreeSet<ProposalId> {
    match input {
        Input::Skip { proposals, .. } => proposals.iter().copied().collect(),
        Input::Apply { proposals, .. } => proposals.iter().map(|(id, _)| *id).collect(),
        Input::Say { text, .. } if text == "/proposals drop" => before.set_aside().map(|p| p.id).collect(),
        Input::Open(_) => {
            let writing = before.applies().values().filter(|a| a.status == ApplyStatus::Writing);
            writing.flat_map(|a| &a.take).map(|(id, _)| *id).collect()
        }
        _ => BTreeSet::new(),
    }
}

/// The program ended here and is started again.
fn reopening(dice: &mut Dice, state: &State) -> Opening {
    let open = state.applies().values().filter(|a| a.status.is_open()).map(|a| a.id);
    let found = open.map(|id| (id, dice.pick(&[Found::Before, Found::After, Found::Mixed]))).collect();
    Opening { found, ..opening() }
}

/// A yes with a question or a wish beside it approves nothing.
#[test]
fn a_line_answers_a_question_only_when_all_of_it_does() {
    moments(|seed, mut bench, line| {
        let more = ["ok. what", "yes. also", "yes, but", "no. what", "How does", "is it safe"];
        if !more.iter().any(|head| line.starts_with(head)) {
            return;
        }
        let before = bench.session.state().clone();
        // All that is said to a pipeline that waits is for it (T-12).
        if before.paused_pipeline().is_some() {
            return;
        }
        let seen = before.seq;
        let Ok(step) = bench.input(Input::Say { text: line.into(), seen }) else { return };
        let yes = step
            .events
            .iter()
            .any(|e| matches!(&e.event, Event::CheckpointResolved { approval, .. } if approval.is_some()));
        let began = before.phase != Phase::Executing && bench.session.state().phase == Phase::Executing;
        assert!(!yes && !began, "seed {seed} {line:?}: {:#?}", step.events);
    });
}

/// No change is proposed by a line of work whose message neither asks for one by its path nor was
/// widened by an answer of the user, in any mode; in auto mode an order to run something counts as one
/// that may end in changes, since their review is what asks there.
#[test]
fn no_effect_is_wider_than_the_path_of_its_message_and_what_was_answered() {
    let (sessions, _) = share();
    let mut checked = 0;
    for seed in 80_000..80_000 + sessions * 4 {
        let bench = run(seed, 60);
        checked += effects(&bench.log, seed);
    }
    assert!(checked > 0, "no session changed anything");
    println!("checked={checked} violations=0");
}

/// Whether a turn may write, folded from the log alone.
#[derive(Default)]
struct Leave {
    writes: BTreeSet<TurnId>,
    widened: BTreeSet<TurnId>,
    runs: BTreeSet<TurnId>,
    auto: bool,
    continues: BTreeMap<TurnId, TurnId>,
    lanes: BTreeMap<LaneId, TurnId>,
    back: BTreeMap<LaneId, RelPath>,
    open: BTreeMap<CheckpointId, CheckpointKind>,
    plan: Option<TurnId>,
}

impl Leave {
    fn may_write(&self, turn: TurnId) -> bool {
        self.writes.contains(&turn)
            || self.widened.contains(&turn)
            || self.continues.get(&turn).is_some_and(|of| self.may_write(*of))
    }

    fn fold(&mut self, event: &Event) {
        match event {
            Event::PermissionChanged { permission, .. } => self.auto = *permission == PermissionMode::Auto,
            Event::IntentClassified { turn, path, .. } => {
                if path.current() == IntentNode::Execute {
                    self.runs.insert(*turn);
                } else {
                    self.runs.remove(turn);
                }
                self.widened.remove(turn);
                if path.scope().allows(Capability::Write) {
                    self.writes.insert(*turn);
                } else {
                    self.writes.remove(turn);
                }
            }
            Event::SessionOpened { permission, .. } => self.auto = *permission == PermissionMode::Auto,
            // It was let go on to changes while the mode was auto.
            Event::NodeTransition { lane, .. } if self.auto => {
                let turn = self.lanes.get(lane).copied();
                self.widened.extend(turn.filter(|turn| self.runs.contains(turn)));
            }
            Event::TakeBackSought { lane, path, .. } => drop(self.back.insert(*lane, path.clone())),
            Event::TurnAskedAgain { turn } => drop(self.widened.remove(turn)),
            Event::TurnContinues { turn, of } => drop(self.continues.insert(*turn, *of)),
            Event::LaneOpened { lane, turn, .. } => drop(self.lanes.insert(*lane, *turn)),
            Event::PlanReady { plan } => self.plan = Some(plan.turn),
            Event::CheckpointOpened { checkpoint } => {
                self.open.insert(checkpoint.id, checkpoint.kind.clone());
            }
            Event::CheckpointResolved { checkpoint, answer, approval } => {
                let widened = match self.open.remove(checkpoint) {
                    Some(CheckpointKind::Confirmation(_)) if approval.is_some() => self.plan,
                    Some(CheckpointKind::Transition(t)) if approval.is_some() => {
                        self.lanes.get(&t.lane).copied()
                    }
                    Some(CheckpointKind::Clarification(c)) if *answer == Some(Answer::Pick(0)) => c.turn,
                    _ => None,
                };
                self.widened.extend(widened);
            }
            _ => {}
        }
    }
}

fn effects(log: &[Stamped], seed: u64) -> usize {
    let (mut leave, mut checked) = (Leave::default(), 0);
    for e in log {
        leave.fold(&e.event);
        if let Event::Proposed { proposal, .. } = &e.event {
            // What the user wanted back is named by what they did themselves, file by file.
            if let Some(path) = leave.back.get(&proposal.lane) {
                assert_eq!(*path, proposal.path, "seed {seed}: another file is taken back");
                checked += 1;
                continue;
            }
            let turn = leave.lanes[&proposal.lane];
            assert!(leave.may_write(turn), "seed {seed}: {turn:?} changed {} unasked", proposal.path);
            checked += 1;
        }
    }
    checked
}
