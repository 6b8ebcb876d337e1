//! Answers that race: one winner each, whatever the order, and a denial never becomes a grant.

use pilothouse_core::{
    blob::BlobId, checkpoint::Answer, event::Event, ids::CheckpointId, input::Input, tool::Tool, work::Work,
};
use serde_json::json;

use crate::{Dice, support::*};

/// What two senders can race for.
const KINDS: [&str; 8] = ["command", "goal", "edit", "high", "plan", "diff", "transition", "gate"];

/// A session with one open question.
fn asked(kind: &str) -> Bench {
    let mut b = Bench::new();
    match kind {
        "command" | "transition" | "high" => {
            b.say("where is it?");
            let call = match kind {
                "command" => ("run", json!({"command": "make"})),
                "high" => ("run", json!({"command": "rm -rf /"})),
                _ => ("edit", edit_of("a")),
            };
            b.reply("", &[call]);
        }
        "goal" | "edit" => {
            b.say("run the tests");
            b.reply("", &[("run", json!({"command": "make"}))]);
        }
        "plan" => {
            b.say("fix the bug in a.txt");
            b.plan(&[("One", "modify")], &[]);
        }
        "gate" => {
            b.say("fix the bug in a.txt");
            b.plan(&[("One", "modify")], &[("tests", "make")]);
            b.answer(is_plan, Answer::Approve).unwrap();
            b.reply("nothing to do", &[]);
        }
        _ => {
            b.say("fix the bug in a.txt");
            b.plan(&[("One", "modify")], &[]);
            b.answer(is_plan, Answer::Approve).unwrap();
            b.reply("", &[("edit", edit_of("a.txt"))]);
            b.propose("a.txt", "1\n", "2\n");
            b.reply("", &[]);
        }
    }
    b
}

/// One sender's wish, as it stands at that moment.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Wish {
    Yes,
    No,
    /// A yes to something that was shown before.
    Stale,
    /// A yes that is not one for this question.
    Wrong,
}

fn input(b: &Bench, kind: &str, id: CheckpointId, shown: Option<BlobId>, wish: Wish) -> Input {
    let other = BlobId::of(b"what stood here before");
    if kind == "diff" {
        let proposals: Vec<_> = b.session.state().proposals().values().map(|p| (p.id, p.shown())).collect();
        return match wish {
            Wish::Yes => Input::Apply { proposals, word: None, rest: false },
            Wish::No => {
                Input::Skip { proposals: proposals.iter().map(|p| p.0).collect(), reason: "no".into() }
            }
            Wish::Stale => {
                let stale = proposals.iter().map(|p| (p.0, other)).collect();
                Input::Apply { proposals: stale, word: None, rest: false }
            }
            Wish::Wrong => Input::Answer { checkpoint: id, answer: Answer::Approve, shown },
        };
    }
    let yes = match kind {
        "high" => Answer::Word("proceed".into()),
        "edit" => Answer::Line("make all".into()),
        _ => Answer::Approve,
    };
    let of = |answer, shown| Input::Answer { checkpoint: id, answer, shown };
    match wish {
        Wish::Yes => of(yes, shown),
        Wish::No => of(Answer::Reject("no".into()), shown),
        Wish::Stale if shown.is_some() => of(yes, Some(other)),
        Wish::Stale | Wish::Wrong if kind == "high" => of(Answer::Approve, shown),
        Wish::Stale | Wish::Wrong => of(Answer::Word("proceed".into()), shown),
    }
}

/// What was granted: tools other than reads that run or ran, writes, and runs of a plan.
fn grants(b: &Bench, from: usize) -> usize {
    let events = b.log[from..].iter().filter(|e| match &e.event {
        Event::CallStarted { tool, .. } => !matches!(tool, Tool::List | Tool::Read | Tool::Search),
        Event::ApplyApproved { .. } | Event::RunStarted { .. } => true,
        _ => false,
    });
    let granted = events.count();
    let works = b.session.pending().values().any(|w| match w {
        Work::Tool { permit, .. } => !matches!(permit.tool(), Tool::List | Tool::Read | Tool::Search),
        Work::Prepare { .. } | Work::Write { .. } | Work::Revert { .. } => true,
        Work::Think { .. }
        | Work::Compact { .. }
        | Work::Title { .. }
        | Work::Stage { .. }
        | Work::Judge { .. }
        | Work::Classify { .. }
        | Work::Survey(_)
        | Work::Recall { .. }
        | Work::LookCommit { .. }
        | Work::ReadPlan { .. }
        | Work::SeeTree { .. }
        | Work::Commit { .. }
        | Work::Hook { .. }
        | Work::Look { .. }
        | Work::TakeBack { .. }
        | Work::Keep { .. }
        | Work::Remember { .. } => false,
    });
    assert!(granted > 0 || !works, "something works that no event began");
    granted
}

/// How often the question was answered.
fn answers(b: &Bench, id: CheckpointId) -> usize {
    let mine = |e: &Event| matches!(e, Event::CheckpointResolved { checkpoint, .. } if *checkpoint == id);
    b.log.iter().filter(|e| mine(&e.event)).count()
}

#[test]
fn of_a_thousand_races_each_has_one_winner_and_a_denial_never_becomes_a_grant() {
    let (mut checked, mut violations) = (0, 0);
    let mut dice = Dice(7);
    for round in 0..1_000 {
        let kind = KINDS[round % KINDS.len()];
        let mut b = asked(kind);
        let from = b.log.len();
        let question = b.session.state().open.values().next().unwrap().clone();
        let shown = question.kind.shown();
        // Two senders with a yes and a no, each sent up to three times, with stale and wrong ones in
        // between, in an order that the dice choose.
        let mut queue = vec![Wish::Yes, Wish::No];
        for _ in 0..dice.roll(5) {
            queue.push(dice.pick(&[Wish::Yes, Wish::No, Wish::Stale, Wish::Stale, Wish::Wrong]));
        }
        for i in (1..queue.len()).rev() {
            queue.swap(i, dice.roll(i + 1));
        }
        let inputs: Vec<(Wish, Input)> =
            queue.iter().map(|w| (*w, input(&b, kind, question.id, shown, *w))).collect();
        let mut winner = None;
        for (wish, input) in inputs {
            let before = b.session.clone();
            let taken = b.input(input).is_ok();
            let counts = matches!(wish, Wish::Yes | Wish::No) && winner.is_none();
            if taken != counts || (!taken && before != b.session) {
                violations += 1;
                println!("{kind} {round}: {wish:?} taken={taken} after {winner:?} of {queue:?}");
            }
            winner = winner.or(Some(wish).filter(|_| taken));
        }
        // Later ones, from a screen that has not caught up.
        for wish in [Wish::Yes, Wish::No, Wish::Stale, Wish::Wrong] {
            let late = input(&b, kind, question.id, shown, wish);
            violations += usize::from(b.input(late).is_ok());
        }
        let granted = grants(&b, from);
        let right = match winner {
            // A transition gives a run its leave and starts the edit that waited for it.
            Some(Wish::Yes) => granted == if kind == "transition" { 2 } else { 1 },
            _ => granted == 0,
        };
        let once = kind == "diff" || answers(&b, question.id) == 1;
        if !right || !once || winner.is_none() {
            violations += 1;
            println!("{kind} {round}: {winner:?} granted {granted}, answered {}", answers(&b, question.id));
        }
        checked += 1;
    }
    println!("checked={checked} violations={violations}");
    assert_eq!((checked, violations), (1_000, 0));
}
