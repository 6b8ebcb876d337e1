//! Colours by what they mean, and the glyphs beside them.
//!
//! Owns the slots, the reading of a theme file and the fallbacks to 256 colours, to sixteen and to none.
//! The only place of the crate that names a colour; everything else names a [`Slot`].

mod depth;
mod file;
mod glyphs;
mod grounds;
mod palette;

use std::collections::BTreeMap;

use ratatui::style::{Color, Modifier, Style};

pub use glyphs::Glyphs;

/// Makes the slots of a row each, with the key that a theme file has for it.
macro_rules! slots {
    ($($(#[$doc:meta])* $slot:ident $key:literal;)+) => {
        /// What a colour means.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Slot { $($(#[$doc])* $slot,)+ }

        impl Slot {
            /// Every slot.
            pub const ALL: [Self; [$($key),+].len()] = [$(Self::$slot),+];

            /// Its key in a theme file.
            pub const fn key(self) -> &'static str {
                match self { $(Self::$slot => $key,)+ }
            }
        }
    };
}

slots! {
    /// Ordinary text: the terminal's own unless the theme says otherwise.
    Text "text";
    /// Headlines and what is chosen.
    Strong "strong";
    /// What is secondary.
    Soft "soft";
    /// Repeats, times, line numbers.
    Faint "faint";
    /// Borders and rules.
    Line "line";
    /// Ground of the composer and of code.
    Surface "surface";
    /// Ground of overlays and bars.
    Raised "raised";
    /// Ground of the cursor's row.
    Select "select";
    /// Yours: the focus, your messages, your keys, where you are.
    Accent "accent";
    /// The machine's facts.
    Info "info";
    /// Passed, taken, done.
    Ok "ok";
    /// The path already walked.
    OkDim "okdim";
    /// Needs your eye.
    Warn "warn";
    /// Failed, high risk, removed.
    Bad "bad";
    /// Ground of an added line.
    Add "add";
    /// Ground of the words that an added line changes.
    AddWord "add_word";
    /// Ground of a removed line.
    Rem "rem";
    /// Ground of the words that a removed line loses.
    RemWord "rem_word";
    /// Syntax: keywords.
    Keyword "keyword";
    /// Syntax: strings.
    Str "string";
    /// Syntax: types and names of functions.
    Type "type";
    /// Syntax: numbers and constants.
    Num "number";
    /// Syntax: comments.
    Comment "comment";
    /// What leads from one name of a path to the next; as faint as what is repeated unless the theme says otherwise.
    Arrow "arrow";
}

impl Slot {
    /// One of sixteen colours; `None` keeps the terminal's own.
    const fn ansi(self, dark: bool) -> Option<Color> {
        match self {
            Self::Text | Self::Strong | Self::Soft | Self::Num => None,
            Self::Surface | Self::Raised | Self::Select => None,
            Self::Add | Self::AddWord | Self::Rem | Self::RemWord => None,
            Self::Faint | Self::Line | Self::Comment | Self::Arrow => Some(Color::DarkGray),
            Self::Accent => Some(Color::Yellow),
            Self::Info | Self::Type => Some(Color::Cyan),
            Self::Ok | Self::OkDim | Self::Str => Some(Color::Green),
            Self::Warn => Some(if dark { Color::LightYellow } else { Color::Magenta }),
            Self::Bad => Some(Color::Red),
            Self::Keyword => Some(Color::Magenta),
        }
    }

    /// What stands for the colour where there is none, and what comes with it everywhere.
    const fn emphasis(self, depth: Depth) -> Modifier {
        match (self, depth) {
            (Self::Comment, Depth::TrueColor | Depth::Indexed | Depth::Ansi16) => Modifier::ITALIC,
            (Self::Strong, Depth::Ansi16 | Depth::None) => Modifier::BOLD,
            (Self::Accent | Self::Warn | Self::Bad, Depth::None) => Modifier::BOLD,
            (Self::Select, Depth::Ansi16 | Depth::None) => Modifier::REVERSED,
            (Self::AddWord | Self::RemWord, Depth::Ansi16 | Depth::None) => Modifier::UNDERLINED,
            _ => Modifier::empty(),
        }
    }
}

/// How many colours the terminal has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Depth {
    /// 24 bits.
    #[default]
    TrueColor,
    /// The 240 that are the same in every terminal with 256.
    Indexed,
    /// The sixteen that the user's terminal chose.
    Ansi16,
    /// None wanted (`NO_COLOR`): bold, underline and reverse only.
    None,
}

impl Depth {
    /// Whether a theme's own colours are shown, exactly or nearly, and so its grounds.
    pub const fn is_rich(self) -> bool {
        matches!(self, Self::TrueColor | Self::Indexed)
    }
}

/// The colours in use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Theme {
    name: String,
    depth: Depth,
    dark: bool,
    ground: Option<Color>,
    colours: BTreeMap<Slot, Color>,
    /// Colours that stand for others on each ground.
    grounds: Vec<grounds::OnGround>,
}

/// Why a theme cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ThemeError {
    /// No theme is called so.
    #[error(
        "no theme is called {name:?}; there are {known}, and files in the themes folder beside config.toml"
    )]
    Unknown {
        /// What was asked for.
        name: String,
        /// The names of those that come with the program.
        known: String,
    },
    /// The file of a theme cannot be used.
    #[error("{line}:{column}: {message}")]
    File {
        /// From 1.
        line: usize,
        /// From 1, in characters.
        column: usize,
        /// What is wrong and what would be right.
        message: String,
    },
}

const BUILTIN: [(&str, &str); 20] = [
    ("default", include_str!("../../../themes/default.toml")),
    ("holy-light", include_str!("../../../themes/holy-light.toml")),
    ("gruvbox", include_str!("../../../themes/gruvbox.toml")),
    ("nord", include_str!("../../../themes/nord.toml")),
    ("solarized", include_str!("../../../themes/solarized.toml")),
    ("dracula", include_str!("../../../themes/dracula.toml")),
    ("tokyo-night", include_str!("../../../themes/tokyo-night.toml")),
    ("catppuccin", include_str!("../../../themes/catppuccin.toml")),
    ("one-dark-pro", include_str!("../../../themes/one-dark-pro.toml")),
    ("monokai", include_str!("../../../themes/monokai.toml")),
    ("everforest", include_str!("../../../themes/everforest.toml")),
    ("rose-pine", include_str!("../../../themes/rose-pine.toml")),
    ("kanagawa", include_str!("../../../themes/kanagawa.toml")),
    ("github", include_str!("../../../themes/github.toml")),
    ("ayu", include_str!("../../../themes/ayu.toml")),
    ("night-owl", include_str!("../../../themes/night-owl.toml")),
    ("ghostty", include_str!("../../../themes/ghostty.toml")),
    ("haze", include_str!("../../../themes/haze.toml")),
    ("pierre", include_str!("../../../themes/pierre.toml")),
    ("vitesse", include_str!("../../../themes/vitesse.toml")),
];

/// Names of before, each with the theme's name of now.
const ALIASES: [(&str, &str); 1] = [("one", "one-dark-pro")];

impl Theme {
    /// What the theme is called that goes by this name.
    pub fn named(name: &str) -> &str {
        ALIASES.iter().find(|(before, _)| *before == name).map_or(name, |(_, now)| now)
    }

    /// Names of the themes that come with the program.
    pub fn names() -> impl Iterator<Item = &'static str> {
        BUILTIN.into_iter().map(|(name, _)| name)
    }

    /// The theme called `name`, dark, in 24 bits; change it with [`Theme::parse`] and
    /// [`Theme::source`].
    pub fn builtin(name: &str) -> Option<Self> {
        Self::parse(Self::source(name)?, true, Depth::TrueColor).ok()
    }

    /// The file of the theme called `name`.
    pub fn source(name: &str) -> Option<&'static str> {
        BUILTIN.into_iter().find(|(n, _)| *n == name).map(|(_, text)| text)
    }

    /// Whether a theme file has colours for a dark background, and for a light one.
    pub fn backgrounds(toml: &str) -> (bool, bool) {
        file::read(toml).map_or((false, false), |file| (!file.dark.is_empty(), !file.light.is_empty()))
    }

    /// Whether these are its colours for a dark background.
    pub const fn is_dark(&self) -> bool {
        self.dark
    }

    /// Reads a theme file; a slot that it leaves out has the default theme's colour.
    ///
    /// # Errors
    /// With the place, when it is no TOML, has a key that no theme has, or a colour that is none, on either ground.
    pub fn parse(toml: &str, dark: bool, depth: Depth) -> Result<Self, ThemeError> {
        let file = file::read(toml)?;
        let mut theme = Self {
            name: file.name.clone(),
            depth,
            dark,
            ground: None,
            colours: BTreeMap::new(),
            grounds: Vec::new(),
        };
        let base = BUILTIN.first().and_then(|(_, text)| file::read(text).ok());
        for file in base.into_iter().chain([file]) {
            theme.take(if dark { file.dark } else { file.light });
        }
        if let Some(faint) = theme.colours.get(&Slot::Faint).copied() {
            theme.colours.entry(Slot::Arrow).or_insert(faint);
        }
        if depth == Depth::Indexed {
            (theme.colours, theme.ground) = palette::indexed(&theme.colours, theme.ground, dark);
        }
        theme.grounds = grounds::readable(&theme.colours, depth == Depth::Indexed);
        Ok(theme)
    }

    fn take(&mut self, colours: file::Colours) {
        for colour in colours {
            match colour {
                (file::Place::Ground, colour) => self.ground = colour,
                (file::Place::Slot(slot), Some(c)) => drop(self.colours.insert(slot, c)),
                (file::Place::Slot(slot), None) => drop(self.colours.remove(&slot)),
            }
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How many colours it uses.
    pub const fn depth(&self) -> Depth {
        self.depth
    }

    /// The slot as the colour of text.
    pub fn style(&self, slot: Slot) -> Style {
        let style = Style::new().add_modifier(slot.emphasis(self.depth));
        self.colour(slot).map_or(style, |c| style.fg(c))
    }

    /// The slot as a ground; without colours it may be reverse or underlined instead, as words are that have the
    /// ground of their line.
    pub fn fill(&self, slot: Slot) -> Style {
        let same = |line| self.depth.is_rich() && self.colour(line) == self.colour(slot);
        let alike = slot == Slot::AddWord && same(Slot::Add) || slot == Slot::RemWord && same(Slot::Rem);
        let mark = if alike { Modifier::UNDERLINED } else { Modifier::empty() };
        let style = Style::new().add_modifier(slot.emphasis(self.depth) & !Modifier::ITALIC | mark);
        self.colour(slot).filter(|_| self.depth.is_rich()).map_or(style, |c| style.bg(c))
    }

    /// The ground of the whole screen: the terminal's own unless the theme paints it.
    pub fn ground(&self) -> Style {
        let painted = self.ground.filter(|_| self.depth.is_rich());
        painted.map_or_else(Style::new, |c| self.style(Slot::Text).bg(c))
    }

    fn colour(&self, slot: Slot) -> Option<Color> {
        match self.depth {
            Depth::TrueColor | Depth::Indexed => self.colours.get(&slot).copied(),
            Depth::Ansi16 => slot.ansi(self.dark),
            Depth::None => None,
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
pub(crate) mod tests;
