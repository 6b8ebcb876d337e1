//! The glyphs of the screen and their ASCII fallback.
//!
//! Owns the table. Never holds a glyph of double width, an emoji or a private-use character.

/// One set of glyphs; each has its word near it wherever it is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Glyphs {
    /// Done, passed, backed.
    pub done: &'static str,
    /// Failed, orphaned.
    pub failed: &'static str,
    /// Active, thinking.
    pub active: &'static str,
    /// Active inside a step; an empty pane.
    pub inner: &'static str,
    /// Pending.
    pub pending: &'static str,
    /// Left out or stopped.
    pub skipped: &'static str,
    /// True once, changed since.
    pub stale: &'static str,
    /// Waits on you.
    pub waits: &'static str,
    /// Medium risk, a warning.
    pub warn: &'static str,
    /// High risk.
    pub high: &'static str,
    /// Nothing heard for a while.
    pub stalled: &'static str,
    /// A run pauses here.
    pub pause: &'static str,
    /// Not in the plan.
    pub off_plan: &'static str,
    /// Folded, or selected.
    pub folded: &'static str,
    /// Open.
    pub open: &'static str,
    /// Plan ready.
    pub star: &'static str,
    /// A hunk that is taken.
    pub taken: &'static str,
    /// A hunk that is left.
    pub left: &'static str,
    /// A hunk without decision.
    pub undecided: &'static str,
    /// The full part of a progress bar.
    pub full: &'static str,
    /// The empty part of a progress bar.
    pub empty: &'static str,
    /// The bar beside a message or a surface.
    pub bar: &'static str,
    /// Beside what a text quotes.
    pub quote: &'static str,
    /// Before what looks like a sign of ours and is text of others.
    pub says: &'static str,
    /// The caret of an answer that is being written.
    pub caret: &'static str,
    /// Between the steps of a path.
    pub arrow: &'static str,
    /// Before how many files changed.
    pub changed: &'static str,
    /// The keys that go up and down.
    pub moves: &'static str,
    /// Cut off.
    pub ellipsis: &'static str,
    /// Hangs below the row above.
    pub branch: &'static str,
    /// Between two figures.
    pub column: &'static str,
    /// A list's point.
    pub bullet: &'static str,
    /// Between two words of a title.
    pub dot: &'static str,
    /// A wrapped continuation.
    pub wrap: &'static str,
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
        done: "✓",
        failed: "✗",
        active: "✦",
        inner: "✧",
        pending: "○",
        skipped: "–",
        stale: "≈",
        waits: "⚑",
        warn: "⚠",
        high: "▲",
        stalled: "◌",
        pause: "●",
        off_plan: "◇",
        folded: "▸",
        open: "▾",
        star: "★",
        taken: "[✓]",
        left: "[–]",
        undecided: "[ ]",
        full: "█",
        empty: "░",
        bar: "▎",
        quote: "│",
        says: "“",
        caret: "▌",
        arrow: "→",
        changed: "±",
        moves: "↑ ↓",
        ellipsis: "…",
        branch: "└─",
        column: "│",
        bullet: "•",
        dot: "·",
        wrap: "↪",
        rule: ["─", "│"],
        corners: ["╭", "╮", "╯", "╰"],
        spinner: &["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"],
    };

    /// For any other.
    pub const ASCII: Self = Self {
        done: "+",
        failed: "x",
        active: "*",
        inner: "'",
        pending: "o",
        skipped: "-",
        stale: "~",
        waits: "!",
        warn: "!",
        high: "!!",
        stalled: "?",
        pause: "@",
        off_plan: "<>",
        folded: ">",
        open: "v",
        star: "*",
        taken: "[+]",
        left: "[-]",
        undecided: "[ ]",
        full: "#",
        empty: ".",
        bar: "|",
        quote: ">",
        says: "\"",
        caret: "_",
        arrow: ">",
        changed: "+-",
        moves: "Up Down",
        ellipsis: "...",
        branch: "`-",
        column: "|",
        bullet: "*",
        dot: "-",
        wrap: ">",
        rule: ["-", "|"],
        corners: ["+", "+", "+", "+"],
        spinner: &["|", "/", "-", "\\"],
    };

    /// This set's glyph for one of [`Glyphs::UNICODE`] that stands in stored text of ours.
    pub fn own<'a>(&self, sign: &'a str) -> &'a str
    where
        Self: 'a,
    {
        let u = Self::UNICODE;
        let pairs = [
            (u.done, self.done),
            (u.failed, self.failed),
            (u.warn, self.warn),
            (u.stale, self.stale),
            (u.skipped, self.skipped),
            (u.active, self.active),
            (u.inner, self.inner),
            (u.dot, self.dot),
            (u.column, self.column),
        ];
        pairs.into_iter().find(|(from, _)| *from == sign).map_or(sign, |(_, to)| to)
    }

    /// Whether a row begins as one of ours does, or so that it could be taken for one.
    pub fn passes_for_ours(&self, row: &str) -> bool {
        let row = row.trim_start();
        let signs = |g: &Self| {
            [
                g.done,
                g.failed,
                g.active,
                g.inner,
                g.pending,
                g.skipped,
                g.stale,
                g.waits,
                g.warn,
                g.high,
                g.stalled,
                g.pause,
                g.off_plan,
                g.folded,
                g.open,
                g.star,
                g.taken,
                g.left,
                g.undecided,
                g.bar,
                g.caret,
            ]
        };
        let alike = |c: char| {
            matches!(c, '\u{2580}'..='\u{259f}' | '\u{25a0}'..='\u{25ff}' | '\u{2502}' | '\u{2503}' | '\u{ff5c}'
                | '\u{2605}' | '\u{2606}' | '\u{2611}' | '\u{2705}' | '\u{2713}'..='\u{2718}' | '\u{274c}' | '\u{2758}'..='\u{275a}')
        };
        let step =
            |rest: &str| rest.split_once(']').is_some_and(|(n, _)| n.starts_with("Gate") || n.contains('/'));
        let mut plain = signs(self).into_iter().filter(|sign| sign.is_ascii());
        row.starts_with(alike)
            || signs(&Self::UNICODE).iter().any(|sign| !sign.is_ascii() && row.starts_with(sign))
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
        const CELLS: usize = 12;
        let (done, total) = (done.min(total), total.max(1));
        let full = done * CELLS / total;
        let bar = self.full.repeat(full) + &self.empty.repeat(CELLS - full);
        let most = if done < total { 99 } else { 100 };
        format!("[{bar}] {:>3}%", ((done * 100 + total / 2) / total).min(most))
    }
}
