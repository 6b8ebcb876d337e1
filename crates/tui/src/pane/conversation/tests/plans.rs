//! The card of a plan in the conversation.

use pilothouse_core::plan::Plan;

use super::*;

#[test]
fn a_plan_that_the_user_changes_step_by_step_is_shown_once() {
    let mut s = whole_story();
    let card = |s: &mut Screen| {
        let text = s.text(100, 80);
        let cards: Vec<String> = text.iter().filter(|row| row.contains("Plan ready")).cloned().collect();
        assert_eq!(cards.len(), 1, "{text:?}");
        cards.first().cloned().unwrap()
    };
    card(&mut s);
    for version in [2, 3] {
        s.tell(Event::CheckpointResolved { checkpoint: CheckpointId(5), answer: None, approval: None });
        let mut moved = Plan { version, ..plan() };
        moved.tasks.truncate(6 - version as usize);
        s.tell(Event::PlanReady { plan: moved });
        assert!(card(&mut s).contains(&format!("({} tasks", 6 - version)), "{}", card(&mut s));
    }
    // Another one, for what was said since, is another.
    s.tell(said(9, "do it another way"));
    s.tell(Event::PlanReady { plan: plan() });
    let text = s.text(100, 90).join("\n");
    assert_eq!(text.matches("Plan ready").count(), 2, "{text}");
}

#[test]
fn the_card_of_a_plan_that_goes_beyond_its_message_says_so_where_a_yes_has_to_read_it() {
    let mut s = Screen::new();
    s.tell(said(1, "Why is login slow?"));
    s.tell(understood(1, IntentNode::Explain));
    s.tell(Event::PlanReady { plan: Plan { gates: Vec::new(), ..plan() } });
    let kind = pilothouse_core::question::Confirmation::default().into();
    let checkpoint = Checkpoint { id: CheckpointId(5), kind, message: "Proceed?".into(), run: None };
    s.tell(Event::CheckpointOpened { checkpoint });
    let beyond = |rows: &[String]| rows.iter().any(|row| row.ends_with("write, execute: your yes allows it"));
    assert!(beyond(&s.text(60, 30)), "{:#?}", s.text(60, 30));
    // Where it is below the edge, nothing was agreed to.
    for height in 1..30 {
        s.act(ConversationAction::Top);
        let rows = s.text(60, height);
        assert!(beyond(&rows) || !s.pane.shows_plan(CheckpointId(5), true), "{height}: {rows:#?}");
    }
    s.tell(Event::CheckpointResolved { checkpoint: CheckpointId(5), answer: None, approval: None });
    assert!(!beyond(&s.text(60, 30)));
}

#[test]
fn a_step_whose_work_ended_with_another_process_is_named_where_it_is_done() {
    let ended = |took| {
        let mut s = Screen::new();
        s.tell(Event::PlanReady { plan: plan() });
        s.tell(Event::TaskCompleted { task: TaskId(1), took: Millis(took) });
        s.text(80, 40).join("\n")
    };
    let (apart, here) = (ended(0), ended(900));
    assert!(apart.contains(" Step 1 complete"), "{apart}");
    assert!(here.contains(" Complete (900ms)"), "{here}");
}
