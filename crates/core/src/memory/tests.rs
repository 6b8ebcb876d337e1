#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use super::*;

fn note(kind: NoteKind, text: &str) -> Note {
    Note::new(kind, text).unwrap()
}

#[test]
fn list_items_and_paragraphs_are_notes_of_their_heading_and_remarks_are_none() {
    let text = "## Ours\r\n<!-- a remark\nover lines -->\nWe ship\non Fridays.\n\n## Decisions\n- use jiff\n  for dates\n* no unsafe\n\n## Failed tries\n- none\n";
    let read = notes(MemoryOwner::Project, text);
    let read: Vec<(NoteKind, &str)> = read.iter().map(|n| (n.kind, n.text.as_str())).collect();
    let learned = NoteKind::Learning;
    let decided = NoteKind::Decision;
    assert_eq!(
        read,
        [
            (learned, "We ship on Fridays."),
            (decided, "use jiff for dates"),
            (decided, "no unsafe"),
            (learned, "none")
        ]
    );
    assert_eq!(
        notes(MemoryOwner::User, "## Identity\n- I am Ann\n\n## Decisions\n- x\n")[1].kind,
        NoteKind::Preference
    );
}

#[test]
fn a_note_is_put_in_below_its_heading_and_taken_out_again_to_the_byte() {
    let first = with("", &note(NoteKind::Learning, "the tests need  --all\nfeatures"));
    assert!(
        first.starts_with("# Memory of this project\n")
            && first.ends_with("\n## Learnings\n\n- the tests need --all features\n"),
        "{first}"
    );
    for text in [
        first.as_str(),
        "# Notes\r\n\r\n## Learnings\r\n- a\r\n\r\n## Decisions\r\n",
        "free text without an end",
        "## Learnings\n\n\n## Failures\n\n- f",
    ] {
        for kind in [NoteKind::Learning, NoteKind::Decision, NoteKind::Failure] {
            let note = note(kind, "use tabs");
            let grown = with(text, &note);
            let found = notes(MemoryOwner::Project, &grown);
            assert!(found.contains(&note), "{grown}");
            assert_eq!(found.len(), notes(MemoryOwner::Project, text).len() + 1, "{grown}");
            assert_eq!(grown.contains("\r\n"), text.contains("\r\n"));
            let back = without(&grown, &note).unwrap();
            assert_eq!(notes(MemoryOwner::Project, &back), notes(MemoryOwner::Project, text), "{back}");
            assert!(!back.contains("use tabs"));
        }
    }
    assert_eq!(without("- a\n", &note(NoteKind::Learning, "b")), None);
}

#[test]
fn what_a_text_is_about_comes_first_after_what_holds_for_the_user() {
    let memory = Memory::of([
        (MemoryOwner::User, "- answer in short sentences\n"),
        (MemoryOwner::Project, "- the parser is generated\n- dates use jiff\n- deploys go through CI\n"),
    ]);
    let texts: Vec<&str> =
        memory.relevant("fix the parser", 3).into_iter().map(|n| n.text.as_str()).collect();
    assert_eq!(texts, ["answer in short sentences", "the parser is generated", "deploys go through CI"]);
    assert!(memory.holds("Dates use  JIFF.") && !memory.holds("dates"));
    assert_eq!(memory.holding("PARSER").count(), 1);
}

#[test]
fn a_file_that_was_written_anew_meanwhile_stays_as_it_is() {
    let (old, new) = ("- a\n", "- b\n");
    let text = Excerpt::of(new, &mut Vec::new());
    let owner = MemoryOwner::User;
    let change = MemoryChange::Write { owner, before: BlobId::of(old.as_bytes()), text };
    let whole = |e: &Excerpt| e.whole().map(str::to_owned);
    assert_eq!(change.of(old, whole).as_deref(), Ok(new));
    assert!(change.of("- c\n", whole).is_err());
}
