//! What a key costs: foretelling what a draft would do is asked for at every one.

use pilothouse_core::{input::Input, proposal::Decision};

use crate::support::*;

/// A session that goes on until so many events were folded: questions, reads, changes taken and written.
fn session(events: usize) -> Bench {
    let mut b = Bench::new();
    let mut round = 0;
    while b.log.len() < events {
        round += 1;
        b.say(&format!("what does part {round} do?"));
        b.reply("", &[("read", serde_json::json!({"path": format!("src/part{round}.rs")}))]);
        b.end_tool(pilothouse_core::tool::ToolOutcome::text("text", "1 line"));
        b.reply("It adds.", &[]);
        if round % 4 == 0 {
            b.say("fix the greeting in a.txt");
            b.plan(&[("fix it", "modify")], &[]);
            b.say("y");
            b.reply("", &[("edit", edit_of("a.txt"))]);
            b.propose("a.txt", "1\n2\n", "1\n3\n");
            b.reply("done", &[]);
            let open: Vec<_> = b.session.state().open_proposals().map(|p| (p.id, p.shown())).collect();
            for (proposal, shown) in &open {
                let decision = Some(Decision::Taken);
                b.input(Input::Decide { proposal: *proposal, hunk: 0, decision, shown: *shown }).unwrap();
            }
            b.input(Input::Apply { proposals: open, word: None, rest: false }).unwrap();
            b.write();
        }
    }
    b
}

/// Allocations and bytes of one key.
fn key(b: &Bench, draft: &str) -> (u64, u64) {
    let spent = allocation_counter::measure(|| drop(b.session.foretell(draft)));
    (spent.count_total, spent.bytes_total)
}

#[test]
fn a_key_costs_little_more_in_a_session_of_ten_thousand_events() {
    let (short, long) = (session(100), session(10_000));
    for draft in ["what changed?", "fix the greeting", "y", "!ls"] {
        // What is read and made once is not counted.
        drop(long.session.foretell(draft));
        let ((few, _), (many, bytes)) = (key(&short, draft), key(&long, draft));
        println!("{draft:?}: {few} allocations after 100 events, {many} and {bytes} bytes after 10,000");
        assert!(many < few + 500, "{draft:?}: {many} allocations, {few} in a short session");
        assert!(bytes < 1_000_000, "{draft:?}: {bytes} bytes");
    }
}
