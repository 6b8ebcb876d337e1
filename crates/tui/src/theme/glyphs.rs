//! The glyphs of the screen and their ASCII fallback.
//!
//! Owns the table. Never holds a glyph of double width, an emoji or a private-use character.

/// Where a glyph means something besides where it is drawn.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    /// Nowhere.
    Plain,
    /// In stored text of ours.
    Stored,
    /// At the beginning of a row of ours.
    Begins,
    /// In both.
    Both,
}

/// Declares the glyphs: each with what it means, its form in UTF-8, that in ASCII, and which sign it is.
macro_rules! glyphs {
    ($($(#[$doc:meta])* $name:ident $unicode:literal $ascii:literal $sign:ident;)+) => {
        /// One set of glyphs; each has its word near it wherever it is drawn.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct Glyphs {
            $($(#[$doc])* pub $name: &'static str,)+
            /// Borders: horizontal, vertical.
            pub rule: [&'static str; 2],
            /// Borders: corners from the top left, clockwise.
            pub corners: [&'static str; 4],
            /// Frames of the spinner, 100 ms each.
            pub spinner: &'static [&'static str],
        }

        impl Glyphs {
            /// For a UTF-8 locale.
            pub const UNICODE: Self = Self {
                $($name: $unicode,)+
                rule: ["─", "│"],
                corners: ["╭", "╮", "╯", "╰"],
                spinner: &["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"],
            };

            /// For any other.
            pub const ASCII: Self = Self {
                $($name: $ascii,)+
                rule: ["-", "|"],
                corners: ["+", "+", "+", "+"],
                spinner: &["|", "/", "-", "\\"],
            };

            const SIGNS: &[Sign] = &[$(Sign::$sign),+];

            /// Each glyph beside its form in UTF-8, those that are one of these signs.
            fn signs(self, of: Sign) -> impl Iterator<Item = (&'static str, &'static str)> {
                let pairs = [$((Self::UNICODE.$name, self.$name)),+];
                let is = move |sign: &Sign| *sign == of || *sign == Sign::Both;
                pairs.into_iter().zip(Self::SIGNS).filter(move |(_, sign)| is(sign)).map(|(pair, _)| pair)
            }
        }
    };
}

/// Cells of a progress bar.
const CELLS: usize = 12;

glyphs! {
    /// Done, passed, backed.
    done "✓" "+" Both;
    /// Failed, orphaned.
    failed "✗" "x" Both;
    /// Active, thinking.
    active "✦" "*" Both;
    /// Active inside a step, a tool at work; an empty pane.
    inner "✧" "'" Both;
    /// Pending.
    pending "○" "o" Begins;
    /// Left out or stopped.
    skipped "–" "-" Both;
    /// True once, changed since.
    stale "≈" "~" Both;
    /// Waits on you.
    waits "⚑" "!" Begins;
    /// Medium risk, a warning.
    warn "⚠" "!" Both;
    /// High risk.
    high "▲" "!!" Begins;
    /// Nothing heard for a while.
    stalled "◌" "?" Begins;
    /// A run pauses here.
    pause "●" "@" Begins;
    /// Not in the plan.
    off_plan "◇" "<>" Begins;
    /// Folded, or selected.
    folded "▸" ">" Begins;
    /// Open.
    open "▾" "v" Begins;
    /// Plan ready.
    star "★" "*" Begins;
    /// A hunk that is taken.
    taken "[✓]" "[+]" Begins;
    /// A hunk that is left.
    left "[–]" "[-]" Begins;
    /// A hunk without decision.
    undecided "[ ]" "[ ]" Begins;
    /// The full part of a progress bar.
    full "█" "#" Plain;
    /// The empty part of a progress bar.
    empty "░" "." Plain;
    /// The bar beside a message or a surface.
    bar "▎" "|" Begins;
    /// Beside what a text quotes.
    quote "│" ">" Plain;
    /// Before what looks like a sign of ours and is text of others.
    says "“" "\"" Plain;
    /// The caret of an answer that is being written.
    caret "▌" "_" Begins;
    /// Between the steps of a path.
    arrow "→" ">" Plain;
    /// Before how many files changed.
    changed "±" "+-" Plain;
    /// The keys that go up and down.
    moves "↑ ↓" "Up Down" Plain;
    /// Cut off.
    ellipsis "…" "..." Plain;
    /// Hangs below the row above.
    branch "└─" "`-" Plain;
    /// Below a row, with another below itself.
    fork "├─" "|-" Plain;
    /// Between two figures.
    column "│" "|" Stored;
    /// A list's point.
    bullet "•" "*" Plain;
    /// Between two words of a title.
    dot "·" "-" Stored;
    /// A wrapped continuation.
    wrap "↪" ">" Plain;
}

impl Glyphs {
    /// This set's glyph for one of [`Glyphs::UNICODE`] that stands in stored text of ours.
    pub fn own<'a>(&self, sign: &'a str) -> &'a str
    where
        Self: 'a,
    {
        self.signs(Sign::Stored).find(|(from, _)| *from == sign).map_or(sign, |(_, to)| to)
    }

    /// Whether a row begins as one of ours does, or so that it could be taken for one.
    pub fn passes_for_ours(&self, row: &str) -> bool {
        let row = row.trim_start();
        let alike = |c: char| {
            matches!(c, '\u{2580}'..='\u{259f}' | '\u{25a0}'..='\u{25ff}' | '\u{2502}' | '\u{2503}' | '\u{ff5c}'
                | '\u{2605}' | '\u{2606}' | '\u{2611}' | '\u{2705}' | '\u{2713}'..='\u{2718}' | '\u{274c}' | '\u{2758}'..='\u{275a}')
        };
        let step =
            |rest: &str| rest.split_once(']').is_some_and(|(n, _)| n.starts_with("Gate") || n.contains('/'));
        let mut plain = self.signs(Sign::Begins).map(|(_, sign)| sign).filter(|sign| sign.is_ascii());
        row.starts_with(alike)
            || self.signs(Sign::Begins).any(|(sign, _)| !sign.is_ascii() && row.starts_with(sign))
            || plain.any(|sign| row.strip_prefix(sign).is_some_and(|rest| rest.starts_with(' ')))
            || row.strip_prefix('[').is_some_and(step)
    }

    /// The spinner's frame; one that stands still has frame 0.
    pub fn spin(&self, frame: usize) -> &'static str {
        let at = frame.checked_rem(self.spinner.len()).unwrap_or_default();
        self.spinner.get(at).copied().unwrap_or(self.active)
    }

    /// `[████████░░░░]  67%`: twelve cells, `done` of `total`; full only when all is done.
    pub fn progress(&self, done: usize, total: usize) -> String {
        let (done, total) = (done.min(total), total.max(1));
        let (cells, percent) = if done < total { (CELLS - 1, 99) } else { (CELLS, 100) };
        self.bar((done * CELLS / total).min(cells), ((done * 100 + total / 2) / total).min(percent))
    }

    /// The same of what is at work still, though each of its parts that are known is done.
    pub fn underway(&self, done: usize, total: usize) -> String {
        if done < total { self.progress(done, total) } else { self.bar(CELLS - 1, 99) }
    }

    fn bar(&self, full: usize, percent: usize) -> String {
        let bar = self.full.repeat(full) + &self.empty.repeat(CELLS - full);
        format!("[{bar}] {percent:>3}%")
    }
}
