//! The recorded session of the examples is read, replayed, and comes to its digest.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use crate::support;
use std::path::Path;

use support::Desk;

#[test]
fn a_recorded_session_replays_to_its_digest() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/sessions/rename");
    let name = folder.display().to_string();
    let (exit, out, err) = Desk::empty().run(&["sessions", "verify", &name, "--json"]);
    assert_eq!(exit, 0, "{err}");
    let report: serde_json::Value = serde_json::from_str(&out).unwrap();
    let digest = std::fs::read_to_string(folder.join("digest")).unwrap();
    assert_eq!(report["digest"], digest.trim());
    assert_eq!(report["sound"], true);
}

#[test]
fn a_recorded_session_can_be_read_by_a_person() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/sessions/rename");
    let (exit, out, _) = Desk::empty().run(&["sessions", "show", &folder.display().to_string()]);
    assert_eq!(exit, 0);
    for text in ["you: rename find_notes to search_notes", "Plan ready (1 task", "apply-", "taken back"] {
        assert!(out.contains(text), "no {text:?} in\n{out}");
    }
}
