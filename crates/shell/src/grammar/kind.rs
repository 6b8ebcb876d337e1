//! What the value of an option is.
//!
//! Owns the kinds by their names in the data, and which of them weigh. Judges nothing.

/// What the value of an option is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It has none.
    Flag,
    /// A text, a name or a path that is read.
    Plain,
    /// A file that is read though the operands are only named.
    Read,
    /// A file that is written.
    Out,
    /// Code of the program's own language.
    Code,
    /// A line for a shell.
    Command,
    /// A program that is started.
    Run,
    /// A file or a folder that says what is run.
    Conf,
    /// The name of a module or a plugin that is loaded.
    Loads,
    /// A folder in which it works.
    Folder,
    /// A file or a folder that is removed first.
    Wipes,
    /// An address that it installs or runs something from.
    Url,
    /// A variable that is set.
    Sets,
    /// The words behind it are a command.
    Rest,
    /// It has no value, and changes what the words before it say.
    Alters,
    /// A text that only the same word can hold.
    May,
    /// A number, in a word of its own only where it is one.
    Count,
    /// `true` or `false` in a word of its own, or none.
    Choice,
    /// A text of settings.
    Values,
    /// The name of a task.
    Task,
    /// They are no options of its own: what may stand behind `--`.
    Hands,
    /// One of the words that are named behind it, or any plain one where none are.
    Word,
    /// A filter of warnings: a dotted class in its third field is imported.
    Filter,
    /// They are no options: what the operands may be that name parts of the project.
    Parts,
    /// They are no options: what the first operand may be, which is a sub-command or a part of the project.
    Begins,
}

/// The kinds by their names in the data.
pub const KINDS: [(&str, Kind); 25] = [
    ("flags", Kind::Flag),
    ("takes", Kind::Plain),
    ("in", Kind::Read),
    ("out", Kind::Out),
    ("code", Kind::Code),
    ("command", Kind::Command),
    ("run", Kind::Run),
    ("conf", Kind::Conf),
    ("loads", Kind::Loads),
    ("folder", Kind::Folder),
    ("wipes", Kind::Wipes),
    ("url", Kind::Url),
    ("sets", Kind::Sets),
    ("rest", Kind::Rest),
    ("alters", Kind::Alters),
    ("may", Kind::May),
    ("count", Kind::Count),
    ("choice", Kind::Choice),
    ("values", Kind::Values),
    ("task", Kind::Task),
    ("hands", Kind::Hands),
    ("word", Kind::Word),
    ("filter", Kind::Filter),
    ("parts", Kind::Parts),
    ("begins", Kind::Begins),
];

impl Kind {
    /// Whether a value of the kind is, or says where there is, what a program goes by.
    pub const fn takes_code(self) -> bool {
        matches!(
            self,
            Self::Code | Self::Conf | Self::Loads | Self::Folder | Self::Wipes | Self::Url | Self::Sets
        )
    }

    /// Whether a value of the kind may do more than be read.
    pub const fn is_weighty(self) -> bool {
        !matches!(
            self,
            Self::Flag
                | Self::Plain
                | Self::Read
                | Self::May
                | Self::Count
                | Self::Choice
                | Self::Values
                | Self::Task
                | Self::Hands
                | Self::Parts
                | Self::Begins
                | Self::Word
                | Self::Filter
        )
    }
}
