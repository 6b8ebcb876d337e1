//! Messages that a later tier is asked about: what waits, what passes, what an answer may do.

use pilothouse_core::{
    checkpoint::CheckpointKind,
    intent::{Control, IntentPath, QuerySub, Source, TierAnswer, Turn},
    question::Clarification,
};

use pilothouse_core::session::Deed;

use super::*;

/// A message that asks.
const ASK: &str = "where is main defined?";
/// The kind of question that the rules see in it; the model says nothing about that.
const LOOKUP: Option<QuerySub> = Some(QuerySub::Lookup);
/// A message that wants a change.
const WORK: &str = "fix the greeting";

#[allow(clippy::unnecessary_wraps, reason = "as it arrives")]
fn opinion(turn: Turn, node: IntentNode, confidence: f32) -> Option<TierAnswer> {
    Some(TierAnswer {
        turn: Some(turn),
        path: Some(IntentPath::to(node)),
        target: None,
        confidence,
        sub_confidence: 0.0,
        source: Source::Llm,
        reasoning: "the model says so".into(),
        firm: false,
    })
}

fn asks_back(k: &CheckpointKind) -> bool {
    matches!(k, CheckpointKind::Clarification(Clarification { turn: Some(_), .. }))
}

/// A session in which questions are doubtful, and whose model has been asked about [`ASK`].
fn asked() -> Bench {
    let mut b = Bench::doubting(&["query"]);
    let step = b.say(ASK);
    assert_eq!(starts(&step), ["classify"]);
    assert!(b.unheard().1);
    b
}

/// A session in which work is doubtful, and whose model has been asked about [`WORK`].
fn asked_work() -> Bench {
    let mut b = Bench::doubting(&["plan_new"]);
    assert_eq!(starts(&b.say(WORK)), ["classify"]);
    b
}

fn last_class(b: &Bench) -> (Turn, IntentNode, String) {
    b.log
        .iter()
        .rev()
        .find_map(|e| match &e.event {
            Event::IntentClassified { class, path, source, .. } => {
                Some((class.clone(), path.current(), source.name().to_owned()))
            }
            _ => None,
        })
        .unwrap()
}

#[test]
fn without_a_model_nothing_waits() {
    let mut b = Bench::new();
    b.say("the thing with the numbers on the start page");
    assert!(b.names().contains(&"intent_classified".into()) && !b.names().contains(&"intent_asked".into()));
}

#[test]
fn what_the_rules_are_sure_of_asks_nobody() {
    let mut b = Bench::asking();
    for line in [ASK, "/status", "@explain the loop", "!ls"] {
        b.say(line);
        assert!(!b.names().contains(&"intent_asked".into()), "{line}");
    }
}

#[test]
fn an_answer_of_the_model_is_logged_and_routed() {
    let mut b = asked();
    let (turn, _) = b.unheard();
    let step = b.understand(ASK, opinion(Turn::Query(None), IntentNode::Explain, 0.9));
    assert_eq!(last_class(&b), (Turn::Query(LOOKUP), IntentNode::Explain, "llm".into()));
    assert_eq!(starts(&step), ["think"]);
    assert!(b.session.state().pending_messages.is_empty());
    let said = Box::new(TiersAnswered::default());
    assert!(b.input(Input::TiersAnswered { turn, said }).is_err(), "it is answered once");
}

#[test]
fn a_later_tier_makes_an_order_of_a_question_only_by_asking() {
    for node in [IntentNode::Modify, IntentNode::Execute, IntentNode::Delete, IntentNode::Create] {
        let mut b = asked();
        let step = b.understand(ASK, opinion(Turn::PlanNew(None), node, 0.95));
        assert!(starts(&step).is_empty(), "{node}: nothing begins unasked");
        let question = b.session.state().open.values().find(|c| asks_back(&c.kind)).unwrap();
        assert_eq!(question.message, "Should I answer, or do it?");
        let CheckpointKind::Clarification(about) = &question.kind else { unreachable!() };
        let work = if node == IntentNode::Execute { "Run commands for it" } else { "Plan and change files" };
        assert_eq!(about.choices, [work, "Only answer"], "each says what it does");
        let step = b.answer(asks_back, Answer::Pick(0)).unwrap();
        assert_eq!(starts(&step), ["think"], "{node}");
        let wanted = if node == IntentNode::Execute { Phase::Executing } else { Phase::Planning };
        assert_eq!(phase(&b), wanted);
    }
    let mut b = asked();
    b.understand(ASK, opinion(Turn::PlanNew(None), IntentNode::Modify, 0.95));
    b.answer(asks_back, Answer::Pick(1)).unwrap();
    assert_eq!(phase(&b), Phase::Idle);
    let scope = b.session.state().lanes.values().next().unwrap().scope();
    assert!(!scope.allows(Capability::Write) && !scope.allows(Capability::Execute));
}

#[test]
fn an_order_that_a_later_tier_reads_as_a_change_is_planned_unasked() {
    let line = "do the exercise in .docs/instructions.md";
    for (sure, asks) in [(0.95, false), (0.7, false), (0.3, true)] {
        let mut b = Bench::doubting(&["query", "plan_new"]);
        b.say(line);
        b.understand(line, opinion(Turn::PlanNew(None), IntentNode::Modify, sure));
        let asked = b.session.state().open.values().any(|c| asks_back(&c.kind));
        assert!(!asked || asks, "{sure}");
        assert!(asked || phase(&b) == Phase::Planning, "{sure}");
    }
}

#[test]
fn an_order_is_planned_when_no_tier_answers() {
    let mut b = asked_work();
    b.understand(WORK, None);
    assert_eq!(phase(&b), Phase::Planning);
    assert!(!b.session.state().open.values().any(|c| asks_back(&c.kind)));
}

#[test]
fn answer_or_do_is_asked_and_both_answers_do_what_they_say() {
    for (pick, wanted) in [(0, Phase::Planning), (1, Phase::Idle)] {
        let mut b = asked_work();
        b.understand(WORK, opinion(Turn::Query(None), IntentNode::Modify, 0.9));
        let question = b.session.state().open.values().find(|c| asks_back(&c.kind)).unwrap();
        assert_eq!(question.message, "Should I answer, or do it?");
        b.answer(asks_back, Answer::Pick(pick)).unwrap();
        assert_eq!(phase(&b), wanted);
    }
}

#[test]
fn permission_takes_the_shallower_of_two_tiers() {
    let mut b = asked_work();
    let step = b.understand(WORK, opinion(Turn::Query(None), IntentNode::Review, 0.9));
    assert_eq!(last_class(&b), (Turn::Query(None), IntentNode::Review, "llm".into()));
    assert_eq!((phase(&b), starts(&step)), (Phase::Idle, vec!["think".to_owned()]));
}

#[test]
fn two_tiers_that_agree_need_no_question() {
    let mut b = asked_work();
    b.understand(WORK, opinion(Turn::PlanNew(None), IntentNode::Modify, 0.9));
    assert_eq!(phase(&b), Phase::Planning);
}

#[test]
fn when_no_tier_answers_the_best_guess_of_the_rules_stands() {
    let mut b = asked_work();
    b.understand(WORK, None);
    assert_eq!(last_class(&b), (Turn::PlanNew(None), IntentNode::Modify, "fallback".into()));
    assert_eq!(b.notices(), ["no answer The rules took it as modify (asks before writing)."]);
    assert_eq!(phase(&b), Phase::Planning);
}

#[test]
fn what_is_said_meanwhile_waits_in_its_order() {
    let mut b = asked_work();
    assert!(starts(&b.say(ASK)).is_empty());
    assert!(starts(&b.say("!ls")).is_empty());
    assert_eq!(b.session.state().pending_messages.len(), 3);
    let first = b.understand(WORK, opinion(Turn::Query(None), IntentNode::Explain, 0.9));
    assert_eq!(starts(&first), ["classify", "think"]);
    assert!(!b.unheard().1, "what the rules are sure of asks nobody, it only had to wait");
    b.understand(ASK, None);
    b.understand("!ls", None);
    assert!(b.session.state().pending_messages.is_empty());
    let turns: Vec<_> = b.session.state().lanes.values().map(|l| l.turn).collect();
    assert!(turns.len() == 3 && turns.is_sorted(), "{turns:?}");
}

#[test]
fn a_message_that_waited_may_need_the_model_itself() {
    let mut b = asked_work();
    b.say("add a cache to the loader");
    b.understand(WORK, opinion(Turn::Query(None), IntentNode::Explain, 0.9));
    assert!(!b.unheard().1);
    let step = b.understand("add a cache to the loader", None);
    assert_eq!(starts(&step), ["classify"]);
    assert!(b.unheard().1, "now it is asked about");
}

#[test]
fn cancel_help_and_status_pass_what_waits() {
    let mut b = asked();
    b.say("/status");
    b.say("/help");
    b.say("what's the status");
    assert_eq!(b.session.state().pending_messages.len(), 1);
    b.say("run the tests");
    let step = b.say("stop");
    assert_eq!(step.effects.len(), 1, "the question to the model is stopped");
    assert!(b.session.state().pending_messages.is_empty() && b.session.pending().is_empty());
    assert!(b.notices().iter().any(|n| n.contains("2 messages were not acted on")), "{:?}", b.notices());
    let mut b = asked();
    b.input(Input::Cancel).unwrap();
    assert!(b.session.pending().is_empty());
}

#[test]
fn messages_that_wait_have_a_bound() {
    let mut b = asked();
    let said = (0..40).filter(|_| b.input(Input::say(ASK)).is_ok()).count();
    assert_eq!(said, 19);
}

#[test]
fn a_yes_that_waited_answers_nothing_that_came_up_meanwhile() {
    let mut b = Bench::doubting(&["query"]);
    b.say(WORK);
    let call = b.thinking();
    b.say(ASK);
    let seen = b.session.state().seq;
    b.input(Input::Say { text: "yes".into(), seen }).unwrap();
    let plan = json!({"title": "P", "tasks": [{"title": "A", "kind": "modify", "files": ["a.txt"]}]});
    b.reply_to(call, "", &[("submit_plan", plan)]).unwrap();
    assert_eq!(phase(&b), Phase::AwaitingApproval);
    b.understand(ASK, opinion(Turn::Query(None), IntentNode::Explain, 0.9));
    b.understand("yes", None);
    assert_eq!(phase(&b), Phase::AwaitingApproval, "the plan was not there when the yes was written");
    assert!(b.notices().iter().any(|n| n.contains("a question came up while you were typing")));
}

#[test]
fn a_yes_that_waited_answers_what_its_writer_saw() {
    let mut b = Bench::doubting(&["query"]);
    b.say(WORK);
    b.plan(&[("A", "modify")], &[]);
    b.say(ASK);
    b.input(Input::Say { text: "y".into(), seen: b.session.state().seq }).unwrap();
    assert_eq!(phase(&b), Phase::AwaitingApproval, "it waits for the message before it");
    b.understand(ASK, opinion(Turn::Query(None), IntentNode::Read, 0.9));
    b.understand("y", None);
    assert_eq!(phase(&b), Phase::Executing);
}

#[test]
fn a_change_of_the_plan_that_is_not_understood_yet_holds_back_the_yes_behind_it() {
    let mut b = Bench::doubting(&["plan_continue"]);
    b.say(WORK);
    b.plan(&[("A", "modify")], &[]);
    let change = "use redis instead";
    assert_eq!(starts(&b.say(change)), ["classify"]);
    b.say("y");
    b.understand(change, opinion(Turn::PlanContinue, IntentNode::Modify, 0.95));
    b.understand("y", None);
    assert_ne!(phase(&b), Phase::Executing, "the plan that was agreed to is not the one of now");
}

#[test]
fn a_control_word_that_only_a_model_heard_acts_only_if_it_is_harmless() {
    let mut b = asked();
    b.understand(ASK, opinion(Turn::Control(Control::Exit), IntentNode::Conversation, 0.99));
    let gone =
        |b: &Bench| b.log.iter().any(|e| matches!(e.event, Event::ControlGiven { control: Control::Exit }));
    assert!(!gone(&b), "nothing ends because a model thinks so");
    b.answer(asks_back, Answer::Pick(0)).unwrap();
    assert!(gone(&b), "the user said so");
    let mut b = asked();
    b.understand(ASK, opinion(Turn::Control(Control::Help), IntentNode::Conversation, 0.9));
    assert!(b.log.iter().any(|e| matches!(e.event, Event::ControlGiven { control: Control::Help })));
}

#[test]
fn a_model_that_hears_a_yes_approves_nothing() {
    let mut b = Bench::doubting(&["query"]);
    b.say(WORK);
    b.plan(&[("A", "modify")], &[]);
    b.say(ASK);
    b.understand(ASK, opinion(Turn::Control(Control::Approve), IntentNode::Conversation, 0.99));
    assert_eq!(phase(&b), Phase::AwaitingApproval);
    b.answer(asks_back, Answer::Pick(0)).unwrap();
    assert_eq!(phase(&b), Phase::AwaitingApproval, "the plan's own question stands again");
    b.question(is_plan);
}

#[test]
fn a_prohibition_holds_whatever_a_model_says() {
    let mut b = Bench::doubting(&["query", "plan_new"]);
    let line = "look at the greeting, but do not change anything";
    b.say(line);
    b.understand(line, opinion(Turn::PlanNew(None), IntentNode::Modify, 0.95));
    let (_, node, _) = last_class(&b);
    assert!(!node.scope().allows(Capability::Write), "{node}");
}

#[test]
fn an_answer_above_the_mark_is_used_again_while_nothing_changed() {
    let key = |b: &Bench| {
        let found = b.log.iter().rev().find_map(|e| match &e.event {
            Event::IntentClassified { key, .. } => Some(key.is_some()),
            _ => None,
        });
        found.unwrap()
    };
    let mut b = asked();
    b.understand(ASK, opinion(Turn::Query(None), IntentNode::Explain, 0.9));
    assert!(!key(&b), "not above the mark");
    // What was said is part of what surrounds the next message: after six of them it is the same.
    let mut b = Bench::doubting(&["query"]);
    for _ in 0..7 {
        b.say(ASK);
        b.understand(ASK, opinion(Turn::Query(None), IntentNode::Explain, 0.95));
        assert!(key(&b));
        b.input(Input::StopAnswer).unwrap();
    }
    let step = b.say(ASK);
    assert_eq!(starts(&step), ["think"], "no tier is asked again");
    assert_eq!(last_class(&b), (Turn::Query(LOOKUP), IntentNode::Explain, "cache".into()));
    b.say("/proof");
    assert_eq!(starts(&b.say(ASK)), ["classify"], "the mode is another one");
}

#[test]
fn a_session_that_ended_while_it_listened_says_what_it_did_not_hear() {
    let mut b = asked();
    b.say("who calls it?");
    b.input(Input::Open(opening())).unwrap();
    assert!(b.session.pending().is_empty() && b.session.state().pending_messages.is_empty());
    let told = b.notices();
    assert!(told.iter().any(|n| n.contains("Not acted on") && n.contains(ASK)), "{told:?}");
    assert!(Session::replay(&b.log) == b.session);
}

#[test]
fn what_a_model_surely_takes_for_a_word_about_the_plan_is_told_to_its_run() {
    let line = "请顺便处理 replacement 为空的情况";
    let mut b = Bench::doubting(&["plan_continue", "plan_new", "query", "control"]);
    b.say(WORK);
    if b.session.pending().values().any(|w| matches!(w, Work::Classify { .. })) {
        b.understand(WORK, opinion(Turn::PlanNew(None), IntentNode::Modify, 0.95));
    }
    b.plan(&[("A", "modify"), ("B", "modify")], &[]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b.say(line);
    b.understand(line, opinion(Turn::PlanContinue, IntentNode::Modify, 0.9));
    assert!(b.names().contains(&"turn_told".to_owned()), "{:?}", b.notices());
    assert_eq!((phase(&b), b.session.state().queue.works().count()), (Phase::Executing, 0));
}

#[test]
fn a_short_line_that_goes_on_with_the_last_message_is_not_asked_about() {
    let consults = |b: &Bench, line: &str| b.session.foretell(line).does(&Deed::Consults);
    let mut b = Bench::doubting(&[]);
    assert!(consults(&b, "same for stringify"), "nothing was said before");
    b.say(WORK);
    b.plan(&[("Fix it", "modify")], &[]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b.reply("", &[("edit", edit_of("a.txt"))]);
    b.propose("a.txt", "1\n", "2\n");
    b.reply("done", &[]);
    b.approve_all(None).unwrap();
    b.write();
    for line in ["same for stringify", "now the docs", "you forgot the changelog", "still failing"] {
        assert!(!consults(&b, line) && b.session.foretell(line).does(&Deed::Plans), "{line}");
    }
    assert!(!consults(&b, "and the tests?") && b.session.foretell("and the tests?").does(&Deed::Talks));
    assert!(consults(&b, "shorter"), "of the file or of the words?");
    // A command of the user's own is no message; an order of which nothing stands is none to go on with.
    b.say("same for stringify");
    assert_eq!(b.session.state().phase, Phase::Planning);
    b.say("/abort");
    assert!(consults(&b, "now the docs"));
    let mut b = Bench::doubting(&[]);
    b.say("what does the greeting say?");
    b.reply("It says hello.", &[]);
    for line in ["same for stringify", "now the docs", "shorter", "in German please"] {
        assert!(!consults(&b, line) && b.session.foretell(line).does(&Deed::Talks), "{line}");
    }
    assert!(consults(&b, "still failing"));
}

#[test]
fn what_the_model_does_not_know_either_is_asked_about_beside_a_run() {
    for (line, turn) in [
        ("the parser", Turn::PlanContinue),
        ("postgres", Turn::PlanNew(None)),
        ("postgres", Turn::Query(None)),
    ] {
        let mut b = Bench::doubting(&["plan_continue", "plan_new", "query"]);
        let fix = |turn| opinion(turn, IntentNode::Modify, 0.9);
        b.say(WORK);
        b.understand(WORK, fix(Turn::PlanNew(None)));
        b.plan(&[("One", "modify"), ("Two", "modify")], &[]);
        b.answer(is_plan, Answer::Approve).unwrap();
        b.say(line);
        b.understand(line, opinion(turn.clone(), IntentNode::Modify, 0.4));
        let asked = b.session.state().phase_question().map(|q| q.message.clone());
        assert_eq!(asked, Some(format!("You said: {line}")), "{turn:?}: {:?}", b.notices());
        assert!(b.session.state().queue.is_empty(), "{line}");
    }
}

#[test]
fn a_requirement_said_while_a_plan_is_made_or_waits_joins_it_and_no_model_is_asked() {
    for (line, phases) in [
        ("it must also work on Windows", &[false, true][..]),
        ("it should be fast", &[false, true]),
        ("it has to run offline", &[false, true]),
        ("we need python 3.8 support", &[false, true]),
        ("es muss auch unter Windows laufen", &[false]),
        ("use only the standard library", &[false]),
        ("no new dependencies please", &[false]),
    ] {
        for waits in phases.iter().copied() {
            let mut b = Bench::asking();
            b.say("fix the bug in a.txt");
            if waits {
                b.plan(&[("One", "modify"), ("Two", "modify")], &[]);
            }
            b.say(line);
            let lane = b.session.state().planning_lane().unwrap_or_else(|| panic!("{line} {waits}"));
            assert_eq!(b.session.state().turns[&lane.turn].head, line, "{waits}");
            assert!(b.session.state().suspended.is_none(), "{line}: it is the same plan");
        }
    }
    for line in ["why is it slow?", "we should talk about it", "I need to know why it fails", "thanks"] {
        let mut b = Bench::asking();
        b.say("fix the bug in a.txt");
        let before = b.session.state().planning_lane().unwrap().turn;
        b.say(line);
        assert_eq!(b.session.state().planning_lane().unwrap().turn, before, "{line}");
    }
}
