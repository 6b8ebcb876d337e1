//! What a key can mean: an entry of a table, with a name, a label and a reach.
//!
//! Owns the form of those tables and the macro that writes one from a closed enum. Never knows a key.

/// What one action is called in keymap files, what it does, and what it reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Entry {
    /// The name in keymap files.
    pub name: &'static str,
    /// What it does, in a few words.
    pub label: &'static str,
    /// What it reaches: what it changes, and how far.
    pub reach: &'static str,
}

/// Anything that a key can mean: an entry of one table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Action {
    /// The table's name.
    pub table: &'static str,
    /// Which of its entries.
    pub entry: Entry,
}

/// A table of keymap files: where its bindings hold, and everything that can be bound there.
#[derive(Clone, Debug)]
pub struct Table {
    /// Its name.
    pub name: &'static str,
    /// What help calls it.
    pub heading: String,
    /// What can be bound, in the order of help.
    pub entries: Vec<Entry>,
}

impl Table {
    /// Its actions.
    pub fn actions(&self) -> impl Iterator<Item = Action> {
        self.entries.iter().map(|entry| Action { table: self.name, entry: *entry })
    }
}

/// Declares a closed enum of actions of one table; each variant has the name that keymap files use, the
/// label that help and palette show, and what it reaches (what it changes, and how far).
macro_rules! actions {
    ($(#[$doc:meta])* $name:ident in $table:literal {
        $($(#[$vdoc:meta])* $variant:ident $key:literal, $label:literal, $reach:literal;)*
    }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$vdoc])* $variant,)* }

        impl $name {
            /// The name of their table in keymap files.
            pub const TABLE: &'static str = $table;

            /// Every action, in the order in which help lists them.
            pub const ENTRIES: &'static [$crate::keymap::Entry] = &[$($crate::keymap::Entry {
                name: $key,
                label: $label,
                reach: $reach,
            },)*];

            /// The action of this table that a key means, if it is one of it.
            pub fn of(action: $crate::keymap::Action) -> Option<Self> {
                if action.table != Self::TABLE {
                    return None;
                }
                match action.entry.name { $($key => Some(Self::$variant),)* _ => None }
            }
        }

        impl From<$name> for $crate::keymap::Action {
            fn from(action: $name) -> Self {
                let entry = match action { $($name::$variant => $crate::keymap::Entry {
                    name: $key,
                    label: $label,
                    reach: $reach,
                },)* };
                Self { table: $name::TABLE, entry }
            }
        }
    };
}

/// What an action does to what is asked: said of every action of a table of which some decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Weight {
    /// It moves or shows; another key goes back.
    Looks,
    /// It opens something, or tells the agent; it decides nothing.
    Opens,
    /// It decides, and another key takes that back.
    Tries,
    /// It decides, for good.
    Settles,
}

impl Weight {
    /// Whether it decides something, and so must not be a key that was pressed before the thing was drawn.
    pub const fn decides(self) -> bool {
        matches!(self, Self::Tries | Self::Settles)
    }

    /// Whether it does nothing but what another key, or a line that follows it, takes back.
    pub const fn is_taken_back(self) -> bool {
        matches!(self, Self::Looks | Self::Tries)
    }
}

/// As [`actions`], where each also says its [`Weight`].
macro_rules! weighed {
    ($(#[$doc:meta])* $name:ident in $table:literal {
        $($(#[$vdoc:meta])* $variant:ident $key:literal, $label:literal, $reach:literal: $weight:ident;)*
    }) => {
        $crate::keymap::action::actions! {
            $(#[$doc])* $name in $table { $($(#[$vdoc])* $variant $key, $label, $reach;)* }
        }

        impl $name {
            pub(crate) const fn weight(self) -> $crate::keymap::action::Weight {
                match self { $(Self::$variant => $crate::keymap::action::Weight::$weight,)* }
            }
        }
    };
}

pub(crate) use {actions, weighed};
