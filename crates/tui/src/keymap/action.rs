//! How a pane lists what can be done in it: a closed enum with a name, a label and a reach each.
//!
//! Owns the macro that writes such enums. Never knows a key.

/// Declares a closed enum of actions; each variant has the name that keymap files use, the label
/// that help and palette show, and what it reaches (what it changes, and how far).
macro_rules! actions {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident $key:literal, $label:literal, $reach:literal;)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$vdoc])* $variant,)* }

        impl $name {
            /// Every action, in the order in which help lists them.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The name in keymap files.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $key,)* }
            }

            /// What it does, in a few words.
            pub const fn label(self) -> &'static str {
                match self { $(Self::$variant => $label,)* }
            }

            /// What it reaches.
            pub const fn reach(self) -> &'static str {
                match self { $(Self::$variant => $reach,)* }
            }
        }
    };
}

pub(crate) use actions;
