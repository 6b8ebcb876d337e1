//! What a program can be to the line that it stands in: the words of `is` in `assets/knowledge`.

/// What a program is to the line that it stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A command of the shell itself.
    Builtin,
    /// Sets or takes away variables of the shell.
    Setter,
    /// A shell that can be started.
    Shell,
    /// Passes something of what it is fed on.
    Filter,
    /// Prints as it reads.
    Passing,
    /// Keeps all that it is fed before it ends.
    Holding,
    /// Keeps a line before it goes on.
    Lines,
    /// Is installed under names with a version right behind.
    Versioned,
    /// Compresses or unpacks and does nothing else.
    Compressor,
    /// Has sub-commands of plain ASCII only.
    Ascii,
    /// Runs the file that it is given.
    Interpreter,
    /// Changes the files that it is given.
    Filer,
    /// Is typed as a line of its own, and its name is hardly a word.
    Typed,
    /// Is typed as a line of its own, and its name is a word as well.
    Word,
    /// Is told by its first operand what to do, though its name is a word.
    Told,
    /// Is typed alone, though its name is a word.
    Alone,
    /// Prints the files that it is given as they are.
    Shows,
    /// Works on a project: what is typed for it is a line to run.
    Project,
    /// Its name is a verb that takes a path in a sentence too.
    Verb,
    /// Reads wildcards in its arguments itself.
    Patterns,
    /// Checks or formats each file by itself: what it says of one hangs on no other.
    Each,
    /// Shows what is in the files of the folders that it is given.
    Searches,
    /// Waits for something, or asks what lies outside of the files: the same line again may give something else.
    Waits,
}

impl Role {
    /// The role of that name in the files.
    pub(super) fn named(name: &str) -> Option<Self> {
        ROLES.iter().find(|(known, _)| *known == name).map(|(_, role)| *role)
    }
}

const ROLES: [(&str, Role); 23] = [
    ("shows", Role::Shows),
    ("builtin", Role::Builtin),
    ("setter", Role::Setter),
    ("shell", Role::Shell),
    ("filter", Role::Filter),
    ("passing", Role::Passing),
    ("holding", Role::Holding),
    ("lines", Role::Lines),
    ("versioned", Role::Versioned),
    ("compressor", Role::Compressor),
    ("ascii", Role::Ascii),
    ("interpreter", Role::Interpreter),
    ("filer", Role::Filer),
    ("typed", Role::Typed),
    ("word", Role::Word),
    ("told", Role::Told),
    ("alone", Role::Alone),
    ("project", Role::Project),
    ("verb", Role::Verb),
    ("patterns", Role::Patterns),
    ("each", Role::Each),
    ("searches", Role::Searches),
    ("waits", Role::Waits),
];

/// Every name that something is known of.
#[cfg(test)]
pub fn all() -> impl Iterator<Item = &'static str> {
    super::PROGRAMS.keys().copied()
}
