//! Sentence frames: expands `assets/intent/frames.txt` into labelled lines, always the same ones.

use std::collections::BTreeMap;

use super::lines::{Row, hash};

const PHASES: [&str; 6] = ["idle", "awaiting_approval", "planning", "executing", "failed", "paused"];

/// The lines that a frame file stands for; a frame with slots is filled `times` times.
pub fn expand(source: &str, times: usize) -> Vec<Row> {
    let mut slots: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for line in source.lines() {
        if let Some((name, words)) = line.strip_prefix('=').and_then(|l| l.split_once(": ")) {
            slots.entry(name).or_default().extend(words.split(" | "));
        }
    }
    let mut out = Vec::new();
    let mut label = None;
    for line in source.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with(['#', '='])) {
        if let Some(header) = line.strip_prefix("@ ") {
            label = Some(labelled(header));
        } else if let Some((row, phases)) = &label {
            let times = if line.contains('{') { times } else { 1 };
            for n in 0..times * phases.len().min(2) {
                let seed = hash(&format!("{line}{n}{}", row.leaf));
                let text = fill(line, &slots, seed);
                let phase = phases[(seed >> 50) as usize % phases.len()].to_owned();
                out.push(Row { text, phase, ..row.clone() });
            }
        }
    }
    out.sort_by(|a, b| (&a.text, &a.phase, &a.leaf).cmp(&(&b.text, &b.phase, &b.leaf)));
    out.dedup_by(|a, b| a.text == b.text && a.phase == b.phase && a.leaf == b.leaf);
    out
}

/// `modify,create plan_new limit` → a row without text, and its phases.
fn labelled(header: &str) -> (Row, Vec<&'static str>) {
    let mut words = header.split_whitespace();
    let mut leaves = words.next().unwrap_or("").split(',').map(str::to_owned);
    let mut turns = words.next().unwrap_or("").split(',').map(str::to_owned);
    let leaf = leaves.next().unwrap_or_default();
    let turn = turns.next().unwrap_or_default();
    let (turn, sub) =
        turn.split_once('.').map_or((turn.clone(), None), |(t, s)| (t.to_owned(), Some(s.to_owned())));
    let rest: Vec<&str> = words.collect();
    let has = |word: &str| rest.contains(&word);
    let mut phases: Vec<&'static str> = PHASES.into_iter().filter(|p| has(p)).collect();
    if phases.is_empty() {
        phases.push("idle");
    }
    let guard = [("ask", "no_write"), ("must", "must_ask")].into_iter().find(|(w, _)| has(w));
    let row = Row {
        id: String::new(),
        text: String::new(),
        leaf,
        also: leaves.collect(),
        phase: String::new(),
        turn,
        sub,
        also_turn: turns.collect(),
        guard: guard.map(|(_, g)| g.to_owned()),
        tags: [("forbid", "forbid"), ("limit", "constraint")]
            .into_iter()
            .filter(|(w, _)| has(w))
            .map(|(_, t)| t.to_owned())
            .collect(),
        batch: "frame".to_owned(),
    };
    (row, phases)
}

fn fill(frame: &str, slots: &BTreeMap<&str, Vec<&str>>, mut seed: u64) -> String {
    let mut out = String::new();
    let mut rest = frame;
    while let Some((before, tail)) = rest.split_once('{') {
        let Some((name, after)) = tail.split_once('}') else { break };
        out.push_str(before);
        let choices: Vec<&str> = name
            .split('/')
            .flat_map(|n| slots.get(n).unwrap_or_else(|| panic!("no slot {n}")))
            .copied()
            .collect();
        seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        let word = choices[(seed >> 33) as usize % choices.len()];
        out.push_str(word);
        rest = after;
    }
    out.push_str(rest);
    out
}
