//! Finding notes.

use crate::note::Note;

/// The notes that hold every word of `query`, in any case, best first.
pub fn find_notes<'a>(notes: &'a [Note], query: &str) -> Vec<&'a Note> {
    let words: Vec<String> = query.split_whitespace().map(str::to_lowercase).collect();
    let mut found: Vec<(usize, &Note)> = notes
        .iter()
        .filter_map(|note| score(note, &words).map(|points| (points, note)))
        .collect();
    found.sort_by(|a, b| b.0.cmp(&a.0));
    found.into_iter().map(|(_, note)| note).collect()
}

fn score(note: &Note, words: &[String]) -> Option<usize> {
    let text = note.text.to_lowercase();
    let tags = note.tags();
    let mut points = 0;
    for word in words {
        if !text.contains(word.as_str()) {
            return None;
        }
        points += text.matches(word.as_str()).count();
        if tags.contains(word) {
            points += 2;
        }
    }
    Some(points)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_must_be_there() {
        let notes = [Note::new("red ink"), Note::new("blue ink")];
        assert_eq!(find_notes(&notes, "ink blue"), [&notes[1]]);
        assert!(find_notes(&notes, "green").is_empty());
    }

    #[test]
    fn a_tag_counts_more_than_a_word() {
        let notes = [Note::new("paper paper"), Note::new("order #paper")];
        assert_eq!(find_notes(&notes, "paper")[0], &notes[1]);
    }
}
