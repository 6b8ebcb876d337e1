//! One note and its tags.

/// A short text with tags.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The text as it was written.
    pub text: String,
}

impl Note {
    /// Makes a note; surrounding blanks are dropped.
    pub fn new(text: &str) -> Self {
        Self { text: text.trim().to_string() }
    }

    /// The words that start with `#`, without it, in lower case.
    pub fn tags(&self) -> Vec<String> {
        self.text
            .split_whitespace()
            .filter_map(|word| word.strip_prefix('#'))
            .map(|tag| tag.trim_end_matches(|c: char| !c.is_alphanumeric()))
            .filter(|tag| !tag.is_empty())
            .map(str::to_lowercase)
            .collect()
    }

    /// The first line, cut to `width` characters.
    pub fn headline(&self, width: usize) -> String {
        let line = self.text.lines().next().unwrap_or("");
        if line.chars().count() <= width {
            return line.to_string();
        }
        let cut: String = line.chars().take(width.saturating_sub(1)).collect();
        format!("{cut}…")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_found_in_any_case() {
        let note = Note::new("Call the binder #Work, then rest. #home");
        assert_eq!(note.tags(), ["work", "home"]);
    }

    #[test]
    fn a_long_headline_is_cut() {
        assert_eq!(Note::new("abcdef").headline(4), "abc…");
        assert_eq!(Note::new("abc\ndef").headline(4), "abc");
    }
}
