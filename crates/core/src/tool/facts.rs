//! What is known about each tool beside the shape of its arguments.
//!
//! Owns the questions that may be asked about a tool; the answers stand in the list in `call`.

use super::{Tool, spelling::Spelling};
use crate::{
    scope::{Capability, ToolScope},
    shell::Act,
    source,
    talk::Purpose,
};

/// What a call is told whose path is not there, behind the path.
pub const ABSENT: &str = "does not exist";

/// What is to be known about a tool beside its arguments.
pub(super) struct Facts {
    pub name: &'static str,
    /// Its description and the schema of its arguments, as a model reads them.
    pub spec: &'static str,
    /// Arguments that are right, for a model whose own were not.
    pub example: &'static str,
    /// How models spell its arguments otherwise.
    pub spellings: &'static [Spelling],
    pub needs: Option<Capability>,
    /// What it does to the path that it is given.
    pub acts: &'static [Act],
    /// Whether its arguments carry what a file is to hold.
    pub content: bool,
    /// The lanes that it is offered to where no capability decides.
    pub offered: &'static [Purpose],
    /// What the screen says while it runs, and afterwards.
    pub words: (&'static str, &'static str),
    pub subject: Subject,
}

/// What a call acts on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A path.
    Path,
    /// A pattern.
    Pattern,
    /// Something else, in its own words.
    Words,
}

impl Tool {
    /// The name a model calls it by.
    pub const fn name(self) -> &'static str {
        self.facts().name
    }

    /// The workbench's own tool of this name.
    pub fn own(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|t| t.name() == name)
    }

    /// The tool called `name`; the full name of a source's tool calls that one.
    pub fn named(name: &str) -> Option<Self> {
        Self::own(name).or_else(|| source::parts(name).map(|_| Self::SourceCall))
    }

    /// Whether it is of use only where there are sources.
    pub const fn is_of_sources(self) -> bool {
        matches!(self, Self::SourceTools | Self::SourceCall)
    }

    /// What it is for and the schema of its arguments: JSON with `description` and `parameters`.
    pub const fn spec(self) -> &'static str {
        self.facts().spec
    }

    /// The capability that a lane must have before the tool runs; `None` for tools that only
    /// speak to the session itself.
    pub const fn needs(self) -> Option<Capability> {
        self.facts().needs
    }

    /// What it does to the path that it is given, as the rules are asked about it.
    pub const fn acts(self) -> &'static [Act] {
        self.facts().acts
    }

    /// Whether it asks the knowledge index: such a tool is only offered to lanes that name it.
    pub const fn asks_index(self) -> bool {
        matches!(
            self,
            Self::KbSearch
                | Self::HopRetrieve
                | Self::GetPassage
                | Self::CitationVerify
                | Self::EntityVerify
                | Self::RelationVerify
                | Self::ContradictionCheck
                | Self::KbStatus
        )
    }

    /// Whether it only holds words against what was found: it acts on nothing that they name.
    pub const fn checks_words(self) -> bool {
        matches!(
            self,
            Self::CitationVerify | Self::EntityVerify | Self::RelationVerify | Self::ContradictionCheck
        )
    }

    /// Those that speak to the session itself and that a lane for this purpose is offered.
    pub fn of_session(purpose: Purpose) -> Vec<Self> {
        Self::ALL.into_iter().filter(|t| t.facts().offered.contains(&purpose)).collect()
    }

    /// The tools that `offer` allows and those of `of_session`, in the order of [`Tool::ALL`]. Those of sources and of
    /// the knowledge index are offered where both say so.
    ///
    /// `delete` is offered with write access too: it only proposes, and the typed word that it needs is
    /// asked for when the removal is applied.
    ///
    /// `run` is offered to a turn that may only read as well where a sandbox (`held`) makes a command that
    /// only reads a read.
    pub fn offered(offer: ToolScope, held: bool, of_session: &[Self]) -> Vec<Self> {
        let is_offered = |tool: &Self| match tool.needs() {
            // What a sub-agent may is at most what the one may that sends it: to read.
            None if *tool == Self::Delegate && !offer.allows(Capability::Read) => false,
            None => of_session.contains(tool),
            Some(needs) if tool.asks_index() => of_session.contains(tool) && offer.allows(needs),
            Some(Capability::Delete) => offer.allows(Capability::Delete) || offer.allows(Capability::Write),
            // A call of one may only read: it is judged when it is made.
            Some(_) if tool.is_of_sources() => of_session.contains(tool) && offer.allows(Capability::Read),
            Some(Capability::Execute) if held => offer.allows(Capability::Read),
            Some(needs) => offer.allows(needs),
        };
        Self::ALL.into_iter().filter(is_offered).collect()
    }

    /// Whether its call is told by its own words alone, and not as work on the machine.
    pub const fn speaks_to_session(self) -> bool {
        self.needs().is_none()
    }

    /// Whether what it does is a proposal.
    pub const fn proposes(self) -> bool {
        matches!(self.needs(), Some(Capability::Write | Capability::Delete))
    }

    /// Whether a call that failed with these words only looked for something that is not there: that is an answer.
    pub fn found_nothing(self, told: &str) -> bool {
        matches!(self.needs(), Some(Capability::List | Capability::Read))
            && told.lines().next().is_some_and(|first| first.contains(ABSENT))
    }

    /// Whether its arguments stand whole in their event: those that a person decides about.
    pub const fn stands_whole(self) -> bool {
        matches!(self.needs(), None | Some(Capability::Execute))
    }

    /// Whether its arguments carry what a file is to hold: those stay as they are, to the byte.
    pub const fn carries_content(self) -> bool {
        self.facts().content
    }

    /// What the screen says of a call: while it runs, and afterwards.
    pub const fn words(self, running: bool) -> &'static str {
        let (now, then) = self.facts().words;
        if running { now } else { then }
    }

    /// What a call of it acts on.
    pub const fn subject(self) -> Subject {
        self.facts().subject
    }
}
