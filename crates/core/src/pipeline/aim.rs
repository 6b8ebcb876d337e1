//! Which change a request to review means: a revision, a range, paths.
//!
//! Owns reading that off its words. Never looks whether there is such a thing: git says so.

/// What is compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Against {
    /// The files as they are now with a revision.
    Tree(String),
    /// A revision with another: `main..feature`.
    Range(String),
    /// What is staged with the last commit.
    Staged,
    /// A commit with the one before it.
    Commit(String),
}

/// What is reviewed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Aim {
    /// What is compared.
    pub against: Against,
    /// The files and folders that it is about; all of them when empty.
    pub paths: Vec<String>,
}

/// Words before a revision that the files are compared with.
const WITH: [&str; 4] = ["against", "since", "from", "after"];
/// What looks like a file and is none.
const NO_FILES: [&str; 2] = ["e.g", "i.e"];

impl Aim {
    /// What a request names; everything since the last commit where it names nothing.
    pub(super) fn of(query: &str) -> Self {
        let lower = query.to_lowercase();
        let has = |words: &str| lower.contains(words);
        let last = ["last commit", "latest commit", "previous commit"].into_iter().find(|w| has(w));
        let since = last.is_some_and(|w| {
            WITH.iter().any(|with| has(&format!("{with} the {w}")) || has(&format!("{with} {w}")))
        });
        let mut against = match last {
            Some(_) if !since => Against::Commit("HEAD".to_owned()),
            Some(_) | None if has("staged") && !has("unstaged") => Against::Staged,
            Some(_) | None => Against::Tree("HEAD".to_owned()),
        };
        let mut paths = Vec::new();
        let mut before = String::new();
        for word in query.split_whitespace() {
            let ticked = word.contains('`') || word.starts_with('@');
            let plain = word.trim_matches(|c: char| "`'\"()[]{},;:!?".contains(c)).trim_start_matches('@');
            let plain = plain.trim_end_matches('.');
            let with = WITH.contains(&before.as_str());
            if is_range(plain) {
                against = Against::Range(plain.to_owned());
            } else if is_revision(plain) {
                against =
                    if with { Against::Tree(plain.to_owned()) } else { Against::Commit(plain.to_owned()) };
            } else if before == "against" && is_branch(plain) {
                against = Against::Tree(plain.to_owned());
            } else if is_path(plain, ticked) {
                paths.push(plain.to_owned());
            }
            before = plain.to_lowercase();
        }
        Self { against, paths }
    }

    /// What is compared, for people.
    pub(super) fn words(&self) -> String {
        let of = match &self.against {
            Against::Tree(of) if of == "HEAD" => "since the last commit".to_owned(),
            Against::Tree(of) => format!("against {of}"),
            Against::Range(of) => format!("in {of}"),
            Against::Staged => "and staged".to_owned(),
            Against::Commit(of) if of == "HEAD" => "by the last commit".to_owned(),
            Against::Commit(of) => format!("by {of}"),
        };
        if self.paths.is_empty() { of } else { format!("{of} in {}", self.paths.join(", ")) }
    }
}

/// Signs of a revision that no option begins with.
fn is_plain(word: &str) -> bool {
    !word.starts_with(['-', '.', '/']) && word.chars().all(|c| c.is_alphanumeric() || "_-./~^".contains(c))
}

fn is_revision(word: &str) -> bool {
    let head = word.strip_prefix("HEAD").is_some_and(|rest| rest.starts_with(['~', '^']) || rest.is_empty());
    let hash = (7..=40).contains(&word.len())
        && word.chars().all(|c| c.is_ascii_digit() || ('a'..='f').contains(&c))
        && word.contains(|c: char| c.is_ascii_digit());
    (head && is_plain(word)) || hash
}

fn is_range(word: &str) -> bool {
    let ends = word.split_once("..").map(|(from, to)| (from, to.trim_start_matches('.')));
    ends.is_some_and(|(from, to)| {
        !from.is_empty() && is_plain(from) && (to.is_empty() || is_plain(to)) && !from.ends_with('/')
    })
}

fn is_branch(word: &str) -> bool {
    const NONE: [&str; 7] = ["the", "a", "an", "our", "my", "this", "that"];
    !word.is_empty() && is_plain(word) && !NONE.contains(&word.to_lowercase().as_str())
}

fn is_path(word: &str, ticked: bool) -> bool {
    let odd = |c: char| c.is_control() || "()<>|&;$*?".contains(c);
    if word.is_empty() || word.starts_with(['-', '/']) || word.contains("://") || word.contains(odd) {
        return false;
    }
    let ending = word.rsplit_once('.').filter(|(name, _)| !name.is_empty()).map(|(_, ending)| ending);
    let named = ending.is_some_and(|e| {
        (1..=8).contains(&e.len())
            && e.starts_with(|c: char| c.is_ascii_alphabetic())
            && e.chars().all(char::is_alphanumeric)
    });
    let folder = word.contains('/')
        && word.split('/').filter(|p| !p.is_empty()).all(|p| p.len() > 1 || p == ".")
        && !word.contains("//");
    (ticked || named || (folder && (word.ends_with('/') || word.matches('/').count() > 1 || named)))
        && !NO_FILES.contains(&word.to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_meant_is_read_off_the_words() {
        for (query, words) in [
            ("", "since the last commit"),
            ("is anything wrong and/or slow here, e.g. a race?", "since the last commit"),
            ("everything since the last commit", "since the last commit"),
            ("the last commit", "by the last commit"),
            ("src/x.rs", "since the last commit in src/x.rs"),
            ("`Makefile` and @docs/a b.md.", "since the last commit in Makefile, docs/a, b.md"),
            ("src/core/ in the last commit", "by the last commit in src/core/"),
            ("what is staged", "and staged"),
            ("HEAD~2", "by HEAD~2"),
            ("since HEAD~2", "against HEAD~2"),
            ("commit 3f2a91c0", "by 3f2a91c0"),
            ("main..feature/login", "in main..feature/login"),
            ("against origin/main", "against origin/main"),
            ("against the plan", "since the last commit"),
            ("../x.rs version 1.2", "since the last commit in ../x.rs"),
            ("--output=x.rs -O/tmp/x.rs $(rm).rs", "since the last commit"),
        ] {
            assert_eq!(Aim::of(query).words(), words, "{query}");
        }
    }
}
