//! The keymap: which keys mean which action, and where.
//!
//! Owns reading the default and the user's file, and the search from keys to actions. Never acts,
//! and never sees a text: the composer gets the keys that no binding took.

pub mod action;
pub mod chord;
mod file;
pub mod pane;

pub use chord::{Chord, UnknownKey};
pub use file::KeymapError;
pub use pane::{ConversationKey, DiffKey, PlanKey};

use crate::{approvals, composer, frame};

const STANDARD: &str = include_str!("../../../assets/keymap.toml");

/// Where a binding holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// Everywhere.
    Anywhere,
    /// While the composer has the focus.
    Composer,
    /// While the conversation has it.
    Conversation,
    /// While the plan has it.
    Plan,
    /// While the diff has it.
    Diff,
    /// While the list of approvals is open.
    Approvals,
}

impl Place {
    /// Every place, in the order of help.
    pub const ALL: [Self; 6] =
        [Self::Anywhere, Self::Composer, Self::Conversation, Self::Plan, Self::Diff, Self::Approvals];

    /// The name of its table in a keymap file.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Anywhere => "anywhere",
            Self::Composer => "composer",
            Self::Conversation => "conversation",
            Self::Plan => "plan",
            Self::Diff => "diff",
            Self::Approvals => "approvals",
        }
    }

    /// The actions that can be bound there.
    pub fn actions(self) -> Vec<Action> {
        fn all<A: Copy>(list: &[A], wrap: fn(A) -> Action) -> Vec<Action> {
            list.iter().copied().map(wrap).collect()
        }
        match self {
            Self::Anywhere => all(frame::Action::ALL, Action::Frame),
            Self::Composer => all(composer::Action::ALL, Action::Composer),
            Self::Conversation => all(ConversationKey::ALL, Action::Conversation),
            Self::Plan => all(PlanKey::ALL, Action::Plan),
            Self::Diff => all(DiffKey::ALL, Action::Diff),
            Self::Approvals => all(approvals::Action::ALL, Action::Approvals),
        }
    }
}

/// Anything that a key can mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// Of the frame.
    Frame(frame::Action),
    /// Of the composer.
    Composer(composer::Action),
    /// Of the conversation.
    Conversation(ConversationKey),
    /// Of the plan.
    Plan(PlanKey),
    /// Of the diff.
    Diff(DiffKey),
    /// Of the list of approvals.
    Approvals(approvals::Action),
}

impl Action {
    /// Where it can be bound.
    pub const fn place(self) -> Place {
        match self {
            Self::Frame(_) => Place::Anywhere,
            Self::Composer(_) => Place::Composer,
            Self::Conversation(_) => Place::Conversation,
            Self::Plan(_) => Place::Plan,
            Self::Diff(_) => Place::Diff,
            Self::Approvals(_) => Place::Approvals,
        }
    }

    /// Its name in keymap files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Frame(a) => a.name(),
            Self::Composer(a) => a.name(),
            Self::Conversation(a) => a.name(),
            Self::Plan(a) => a.name(),
            Self::Diff(a) => a.name(),
            Self::Approvals(a) => a.name(),
        }
    }

    /// What it does, in a few words.
    pub fn label(self) -> &'static str {
        match self {
            Self::Frame(a) => a.label(),
            Self::Composer(a) => a.label(),
            Self::Conversation(a) => a.label(),
            Self::Plan(a) => a.label(),
            Self::Diff(a) => a.label(),
            Self::Approvals(a) => a.label(),
        }
    }

    /// What it reaches.
    pub fn reach(self) -> &'static str {
        match self {
            Self::Frame(a) => a.reach(),
            Self::Composer(a) => a.reach(),
            Self::Conversation(a) => a.reach(),
            Self::Plan(a) => a.reach(),
            Self::Diff(a) => a.reach(),
            Self::Approvals(a) => a.reach(),
        }
    }
}

/// One binding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Binding {
    pub keys: Vec<Chord>,
    pub action: Action,
    pub yours: bool,
}

/// What some keys mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// This.
    Action(Action),
    /// More keys are to come.
    Prefix,
    /// Nothing.
    Nothing,
}

/// Which keys mean what.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Keymap {
    bindings: Vec<Binding>,
}

impl Keymap {
    /// The keymap as it ships.
    pub fn standard() -> Self {
        // A test holds that the shipped file is good; a keymap without keys would only be dull.
        file::read(STANDARD, None).unwrap_or_default()
    }

    /// The keymap as it ships with the user's file over it: an action named there has only the
    /// keys given there.
    ///
    /// # Errors
    /// With line and column, when the file is not TOML, names an unknown place, action or key, or
    /// gives one key two meanings.
    pub fn with(user: &str) -> Result<Self, KeymapError> {
        file::read(STANDARD, Some(user))
    }

    pub(crate) fn of(bindings: Vec<Binding>) -> Self {
        Self { bindings }
    }

    /// What `keys` mean in these places; the first place that knows them wins.
    pub fn find(&self, places: &[Place], keys: &[Chord]) -> Found {
        for place in places {
            let here = self.bindings.iter().filter(|b| b.action.place() == *place);
            let mut prefix = false;
            for binding in here {
                if binding.keys == keys {
                    return Found::Action(binding.action);
                }
                prefix |= binding.keys.starts_with(keys);
            }
            if prefix {
                return Found::Prefix;
            }
        }
        Found::Nothing
    }

    /// The keys of an action as they are shown: `Ctrl-X d`; empty when it has none.
    pub fn keys(&self, action: Action) -> Vec<String> {
        self.bindings.iter().filter(|b| b.action == action).map(|b| show(&b.keys)).collect()
    }

    /// The first key of an action as it is shown, if it has one.
    pub fn key(&self, action: Action) -> Option<String> {
        self.bindings.iter().find(|b| b.action == action).map(|b| show(&b.keys))
    }

    /// What can follow `prefix` in these places: the key and its action.
    pub fn after(&self, places: &[Place], prefix: &[Chord]) -> Vec<(String, Action)> {
        self.bindings
            .iter()
            .filter(|b| places.contains(&b.action.place()))
            .filter_map(|b| {
                let rest = b.keys.strip_prefix(prefix)?;
                (!rest.is_empty()).then(|| (show(rest), b.action))
            })
            .collect()
    }

    /// Bindings that the user's file gave: the keys and the action.
    pub fn yours(&self) -> impl Iterator<Item = (String, Action)> {
        self.bindings.iter().filter(|b| b.yours).map(|b| (show(&b.keys), b.action))
    }
}

fn show(keys: &[Chord]) -> String {
    keys.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
