//! How well lines of other hands are read, at the least.

use super::*;

/// One line in ten is for testing, by the same hash as the trainer's.
pub(super) fn is_test(text: &str) -> bool {
    (text.bytes().fold(0xcbf2_9ce4_8422_2325u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3))
        >> 40)
        & 0xff
        < 26
}

#[test]
fn the_test_split_of_the_corpus_stays_above_the_floor() {
    let corpus = include_str!("../../../../assets/intent/corpus.jsonl");
    let (mut all, mut leaves, mut turns, mut asked, mut acted, mut forbidden) =
        (0usize, 0usize, 0usize, 0usize, 0usize, 0usize);
    for line in corpus.lines() {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        let text = row["text"].as_str().unwrap();
        let list = |key: &str| {
            row[key]
                .as_array()
                .map(|a| a.iter().filter_map(|v| v.as_str().map(str::to_owned)).collect::<Vec<_>>())
                .unwrap_or_default()
        };
        let forbids = list("tags").iter().any(|t| t == "forbid") && row["guard"] == "no_write";
        if !is_test(text) && !forbids {
            continue;
        }
        let phase =
            Phase::ALL.into_iter().find(|p| p.name() == row["phase"]).unwrap_or(Phase::AwaitingApproval);
        let message = Message {
            text,
            phase,
            paused: row["phase"] == "paused",
            plan_active: phase != Phase::Idle,
            ..Message::default()
        };
        let got = cli_row(None, &Classifier::builtin().read(&message), 0);
        let leaf_ok = row["leaf"] == got.leaf.name() || list("also").iter().any(|l| l == got.leaf.name());
        let acts = matches!(got.leaf, N::Create | N::Modify | N::Delete | N::Execute | N::Write);
        if forbids && acts && !leaf_ok {
            forbidden += 1;
        }
        if !is_test(text) {
            continue;
        }
        let turn_ok = row["turn"] == got.turn && (got.turn != "control" || row["sub"].as_str() == got.sub)
            || list("also_turn").iter().any(|t| {
                t == got.turn
                    || t.strip_prefix("control.").is_some_and(|s| got.turn == "control" && got.sub == Some(s))
            });
        all += 1;
        leaves += usize::from(leaf_ok);
        turns += usize::from(turn_ok);
        if row["guard"] == "no_write" {
            asked += 1;
            acted += usize::from(acts && !leaf_ok);
        }
    }
    let share = |n: usize| n as f64 / all as f64;
    assert!(all > 300, "{all} lines in the test split");
    assert!(share(leaves) >= 0.89, "leaf {:.3}", share(leaves));
    assert!(share(turns) >= 0.93, "turn {:.3}", share(turns));
    assert!(acted * 50 <= asked, "{acted} of {asked} that only ask were read as acting");
    assert_eq!(forbidden, 0, "messages with a prohibition were read as acting");
}

#[test]
fn batches_of_another_hand_stay_above_the_floor_and_none_acts_unasked() {
    let batches = concat!(
        include_str!("../data/intent-batch-a1.jsonl"),
        include_str!("../data/intent-batch-a5.jsonl"),
        include_str!("../data/intent-batch-b1.jsonl"),
        include_str!("../data/intent-batch-g5.jsonl"),
        include_str!("../data/intent-batch-g6.jsonl"),
        include_str!("../data/intent-batch-g7.jsonl"),
        include_str!("../data/intent-batch-v8.jsonl")
    );
    let (mut all, mut right, mut asked, mut acted) = (0usize, 0usize, 0usize, 0usize);
    for line in batches.lines() {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        let phase = Phase::ALL.into_iter().find(|p| p.name() == row["phase"]);
        let message = Message {
            text: row["text"].as_str().unwrap(),
            phase: phase.unwrap_or(Phase::AwaitingApproval),
            paused: row["phase"] == "paused",
            plan_active: row["phase"] != "idle",
            ..Message::default()
        };
        let got = Classifier::builtin().read(&message).whole.path.current();
        let also = row["also"].as_array().into_iter().flatten().any(|l| *l == got.name());
        let ok = also || row["leaf"] == got.name();
        let acts =
            matches!(got, IntentNode::Create | IntentNode::Modify | IntentNode::Delete | IntentNode::Execute);
        let only_asks = row["guard"] == "no_write";
        let forbids = row["tags"].as_array().into_iter().flatten().any(|t| *t == "forbid");
        asked += usize::from(only_asks);
        acted += usize::from(only_asks && acts && !ok);
        assert!(ok || !acts || !only_asks || !forbids, "acts against a prohibition: {}", row["text"]);
        assert!(ok || row["guard"] != "must_ask", "a deletion that would not ask: {}", row["text"]);
        all += 1;
        right += usize::from(ok);
    }
    assert!(right * 100 >= all * 94, "leaf {right} of {all}");
    assert!(acted * 100 <= asked, "{acted} of {asked} that only ask were read as acting");
}
