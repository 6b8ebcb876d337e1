//! What is asked for beside something else, and what works for it: which of their ends is the exit.

use super::*;

#[tokio::test]
async fn an_order_and_a_question_are_both_done_and_the_worse_end_is_the_exit() {
    let asking = |answer: Value| {
        let mut script = plan_and_edit();
        script.as_array_mut().unwrap().push(answer);
        Rig::new(&script)
    };
    let options = || Options { auto_confirm: true, ..goal(&format!("{EDIT}; what is Store?")) };
    let rig = asking(json!({"when": "what is Store?", "text": "A shelf."}));
    let done = run_in(&rig, options()).await;
    assert_eq!((done.outcome.exit, rig.text().as_str()), (0, "one\n2\nthree\n"), "{}", done.err);
    assert!(done.out.contains("A shelf."), "{}", done.out);
    let rig = asking(json!({"when": "what is Store?", "fault": {"kind": "unauthorized"}}));
    let done = run_in(&rig, options()).await;
    assert_eq!((done.outcome.exit, rig.text().as_str()), (5, "one\n2\nthree\n"), "{}", done.err);
}

#[tokio::test]
async fn an_order_that_came_to_nothing_is_none_done_because_a_question_beside_it_was_answered() {
    let words = |when: &str, text: &str| json!({"when": when, "text": text});
    let order = || vec![words(EDIT, "I would change it."), words(EDIT, "It is easily changed.")];
    let answer = || words("what is Store?", "A shelf.");
    let of = |script: Vec<Value>| Rig::new(&Value::Array(script));
    let done = run_in(&of(order()), goal(EDIT)).await;
    assert_eq!(done.outcome.exit, 1, "{}{}", done.out, done.err);
    let both = [order(), vec![answer()]].concat();
    let done = run_in(&of(both), goal(&format!("{EDIT}; what is Store?"))).await;
    assert!(done.out.contains("A shelf."), "{}", done.out);
    assert_eq!(done.outcome.exit, 1, "{}{}", done.out, done.err);
}

#[tokio::test]
async fn an_answer_stands_though_a_sub_agent_of_it_failed() {
    let tasks = json!({"tasks": [{"task": "find the numbers"}]});
    let asks = json!({"text": "", "calls": [{"name": "delegate", "args": tasks}]});
    let fails = json!({"for": "child", "fault": {"kind": "unauthorized"}});
    let script = |last: Value| Rig::new(&json!([asks, fails, last]));
    let question = || goal("what is in src/a.txt?");
    let done = run_in(&script(json!({"for": "answer", "text": "Three numbers."})), question()).await;
    assert!(done.out.contains("Three numbers."), "{}{}", done.out, done.err);
    assert_eq!(done.outcome.exit, 0, "{}", done.err);
    let done = run_in(&script(json!({"for": "answer", "fault": {"kind": "refused"}})), question()).await;
    assert_ne!(done.outcome.exit, 0, "{}", done.err);
}
