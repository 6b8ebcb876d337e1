//! What tools are called elsewhere: which of ours a name means that is none of them.
//!
//! Owns these words. Never makes a call of one tool a call of another: it fails, and is told what to call instead.

use super::Tool;

/// Words of such names behind the tool that does the same, `-` where none does. The first line that has a word of the name
/// counts: `search_replace` edits, `run_agent` delegates.
const MEANT: &str = include_str!("../../../../assets/tools/elsewhere.txt");

impl Tool {
    /// The tool that does what one of another name does elsewhere: `read` of `read_file`, `edit` of `MultiEdit`.
    pub fn meant_by(name: &str) -> Option<Self> {
        let words = words(name);
        let has = |known: &str| known.split(' ').any(|known| words.iter().any(|word| word == known));
        let mut lines = MEANT.lines().filter_map(|line| line.split_once(": "));
        let (tool, _) = lines.find(|(_, known)| has(known))?;
        Self::own(tool)
    }

    /// Arguments that are right.
    pub const fn example(self) -> &'static str {
        self.facts().example
    }
}

/// The words of a name, in lower case: `ReadFile` as `read_file`.
fn words(name: &str) -> Vec<String> {
    let mut parted = String::with_capacity(name.len() + 8);
    let mut small = false;
    for letter in name.chars() {
        if letter.is_uppercase() && small {
            parted.push(' ');
        }
        small = letter.is_lowercase() || letter.is_numeric();
        parted.extend(letter.to_lowercase());
    }
    parted.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_from_elsewhere_means_the_tool_that_does_the_same() {
        for (name, tool) in [
            ("read_file", Some(Tool::Read)),
            ("ReadFile", Some(Tool::Read)),
            ("functions.read", Some(Tool::Read)),
            ("cat", Some(Tool::Read)),
            ("view", Some(Tool::Read)),
            ("write_file", Some(Tool::Write)),
            ("create_file", Some(Tool::Write)),
            ("str_replace", Some(Tool::Edit)),
            ("str_replace_based_edit_tool", Some(Tool::Edit)),
            ("search_replace", Some(Tool::Edit)),
            ("MultiEdit", Some(Tool::Edit)),
            ("apply_patch", Some(Tool::Edit)),
            ("Bash", Some(Tool::Run)),
            ("run_terminal_cmd", Some(Tool::Run)),
            ("execute_command", Some(Tool::Run)),
            ("shell", Some(Tool::Run)),
            ("grep", Some(Tool::Search)),
            ("codebase_search", Some(Tool::Search)),
            ("ls", Some(Tool::List)),
            ("list_dir", Some(Tool::List)),
            ("view_directory", Some(Tool::List)),
            ("glob", Some(Tool::List)),
            ("remove_file", Some(Tool::Delete)),
            ("AskUserQuestion", Some(Tool::AskUser)),
            ("TodoWrite", Some(Tool::SubmitPlan)),
            ("run_agent", Some(Tool::Delegate)),
            ("web_search", None),
            ("attempt_completion", None),
            ("", None),
        ] {
            assert_eq!(Tool::meant_by(name), tool, "{name}");
        }
    }
}
