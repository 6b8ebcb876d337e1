//! Two senders answer one question through the driver's own channel.

use pilothouse_core::checkpoint::Answer;
use pilothouse_core::question::CommandQuestion;

use super::*;

/// Commands that a goal proposes, each a file of its own.
const COMMANDS: usize = 60;

fn goal_of_many() -> serde_json::Value {
    let mut lines: Vec<serde_json::Value> = (0..COMMANDS)
        .map(|n| json!({"calls": [{"name": "run", "args": {"command": format!("touch mark{n}")}}]}))
        .collect();
    lines.push(json!({"text": "done"}));
    json!(lines)
}

fn question(screen: &Screen) -> Option<(Input, Input, String)> {
    let open = screen.state().open.values().next()?;
    // It can be answered once it is known what it would run.
    let CheckpointKind::Risk(CommandQuestion { shown, command, meant: Some(_), .. }) = &open.kind else {
        return None;
    };
    let of = |answer| Input::Answer { checkpoint: open.id, answer, shown: Some(*shown) };
    Some((of(Answer::Approve), of(Answer::Reject("no".into())), command.clone()))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_senders_one_wins_and_what_was_denied_never_runs() {
    let (mut checked, mut violations, mut allowed) = (0, 0, 0);
    for session in 0..2 {
        let rig = Rig::new(&goal_of_many());
        let mut screen = rig.open(Which::New).await;
        screen.say("run the tests").await;
        for n in 0..COMMANDS {
            let asked = format!("touch mark{n}");
            screen.until("the question", |s| question(s).is_some_and(|q| q.2 == asked)).await;
            let (yes, no, _) = question(&screen).unwrap();
            // Both are sent at once, by two tasks; every third time one of them twice.
            let send = |input: &Input, times: usize| {
                let (requests, input) = (screen.requests.clone(), input.clone());
                tokio::spawn(async move {
                    for _ in 0..times {
                        requests.send(Request::Input(input.clone())).await.unwrap();
                    }
                })
            };
            let (one, two) = if (n + session) % 2 == 0 { (&yes, &no) } else { (&no, &yes) };
            let (one, two) = (send(one, 1 + usize::from(n % 3 == 0)), send(two, 1));
            one.await.unwrap();
            two.await.unwrap();
            screen.until("the end of the call", |s| s.count("call_ended") > n).await;
            let answers: Vec<Answer> = screen
                .events
                .iter()
                .filter_map(|e| match &e.event {
                    Event::CheckpointResolved { answer, .. } => answer.clone(),
                    _ => None,
                })
                .collect();
            let ran = rig.work().join(format!("mark{n}")).exists();
            let right = answers.len() == n + 1 && (answers[n] == Answer::Approve) == ran;
            checked += 1;
            violations += usize::from(!right);
            allowed += usize::from(ran);
        }
        screen.idle().await;
        assert_eq!(screen.count("command_exited"), screen.count("call_started"));
        screen.quit().await;
    }
    println!("checked={checked} violations={violations} allowed={allowed}");
    assert_eq!((checked, violations), (2 * COMMANDS, 0));
    assert!(allowed > 0 && allowed < checked, "each of the two wins at times: {allowed}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_asked_behind_an_input_is_answered_behind_what_came_of_that() {
    let rig = Rig::new(&json!([{"text": "In src/a.txt."}]));
    let mut s = rig.open(Which::New).await;
    for number in 0..20 {
        let refused = s.refused.len();
        // In one piece: both are there before either is heard.
        s.requests.try_send(Request::Input(Input::say("/abort"))).unwrap();
        let ask = Ask::History { before: Seq(0), count: 0 };
        s.requests.try_send(Request::Ask(number, ask)).unwrap();
        s.until("an answer", |s| s.answers.contains_key(&number)).await;
        assert_eq!(s.refused.len(), refused + 1, "{number}");
    }
    s.quit().await;
}
