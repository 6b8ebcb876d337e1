//! A line that is asked for by itself: a word that lets something irreversible happen, or a reason.
//!
//! Owns the line and what it leads to. Never does that itself.

use std::time::{Duration, Instant};

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use pilothouse_core::{
    blob::BlobId,
    checkpoint::Answer,
    clean::Clean,
    ids::{CheckpointId, ProposalId},
    input::Input,
    port::{Ask, Hidden},
    question::Spec,
};
use ratatui::{
    buffer::Buffer,
    layout::Rect,
    style::Modifier,
    text::{Line, Span},
    widgets::Widget,
};
use unicode_width::UnicodeWidthStr;

use super::{Caret, Letter, Overlay, page::frame};
use crate::{
    ctx::{Ctx, Outcome, TOO_EARLY},
    keymap::Action,
    pane::PaneId,
    row::{self, Row},
    standing::DEAF,
    theme::Slot,
};

/// Where a line is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Looking {
    /// In a text.
    Search,
    /// In a list.
    Find,
}

impl Looking {
    /// What stands in the border, and what Enter does.
    const fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Search => ("Search", "searches"),
            Self::Find => ("Find", "finds"),
        }
    }
}

/// Rows of the window beside those of what it asks: its borders, the line, and air between them.
const BESIDE: u16 = 6;

/// A word that lets something happen that is hard to take back: a file's removal, or a control file.
#[derive(Clone, Debug, PartialEq)]
pub struct WordPrompt {
    /// The word; anything else drops the question.
    pub word: String,
    /// Another word that does as well.
    pub or: Option<&'static str>,
    /// The proposals that are applied with it, with the hash of what was shown of each.
    pub proposals: Vec<(ProposalId, BlobId)>,
    /// Whether what is undecided of them is taken with it.
    pub rest: bool,
}

impl WordPrompt {
    /// What a typed line leads to; `None` when it is not the word.
    fn answer(&self, typed: &str) -> Option<Input> {
        let (proposals, word, rest) = (self.proposals.clone(), Some(typed.to_owned()), self.rest);
        (typed == self.word || self.or == Some(typed)).then_some(Input::Apply { proposals, word, rest })
    }
}

/// What the line is for.
#[derive(Clone, Debug, PartialEq)]
pub enum Purpose {
    /// The word for a command of high risk.
    Proceed(CheckpointId),
    /// The reason for a denial; may be empty.
    Deny(CheckpointId),
    /// The word for an apply that removes files.
    Word(WordPrompt),
    /// What the agent is told about a hunk; empty takes back what was said.
    Comment {
        /// The proposal.
        proposal: ProposalId,
        /// The hunk, from 0.
        hunk: usize,
        /// The hash of what was shown.
        shown: BlobId,
    },
    /// Something that a pane asked for.
    Pane(PaneId),
    /// Something that the page below it asked for.
    Below,
    /// The value of a variable; what is typed is not shown.
    Key(String),
    /// Something that the page below it asked for and that is not shown.
    Hidden,
}

/// A line that is asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Prompt {
    /// What it is for.
    pub purpose: Purpose,
    /// What stands in its border.
    pub title: &'static str,
    /// What it asks, in a few words.
    pub question: String,
    /// The only line that counts, if there is one.
    pub word: Option<String>,
    /// What was typed.
    pub text: String,
    /// What stood in it at first.
    begun: String,
    /// What it is about, shown whole: a command.
    pub about: Option<String>,
    /// Where it is looked for, if that is what is done with it.
    looks: Option<Looking>,
    /// When it was first drawn.
    drawn: Option<Instant>,
}

impl Prompt {
    /// An empty line for `purpose`.
    pub fn new(purpose: Purpose, question: impl Into<String>, word: Option<String>) -> Self {
        let title = match purpose {
            Purpose::Proceed(_) | Purpose::Word(_) => "Confirm",
            Purpose::Deny(_) => "Reason",
            Purpose::Comment { .. } => "Comment",
            Purpose::Pane(_) | Purpose::Below => Looking::Search.words().0,
            Purpose::Key(_) | Purpose::Hidden => "Credential",
        };
        Self {
            purpose,
            title,
            question: question.into(),
            word,
            text: String::new(),
            begun: String::new(),
            about: None,
            looks: None,
            drawn: None,
        }
    }

    /// A line that a pane wants, under this title; `text` stands in it already.
    pub fn of_pane(pane: PaneId, title: &'static str, question: impl Into<String>, text: &str) -> Self {
        let (text, begun) = (text.to_owned(), text.to_owned());
        Self { title, text, begun, ..Self::new(Purpose::Pane(pane), question, None) }
    }

    /// A line that a pane looks for.
    pub fn sought(pane: PaneId, looks: Looking, question: &str) -> Self {
        Self { looks: Some(looks), ..Self::of_pane(pane, looks.words().0, question, "") }
    }

    /// A line that the page below it looks for.
    pub fn below(question: &str) -> Self {
        Self { looks: Some(Looking::Search), ..Self::new(Purpose::Below, question, None) }
    }

    /// A line that the page below it wants, under this title; `text` stands in it already.
    pub fn line(title: &'static str, question: &str, text: &str) -> Self {
        Self { title, text: text.to_owned(), ..Self::new(Purpose::Below, question, None) }
    }

    /// The word that lets a command run once, with the command itself and what it loses for good.
    pub fn word(question: CheckpointId, spec: &Spec, word: &str) -> Self {
        let lost = spec.loses.as_ref().map(|lost| format!(". Not saved: {lost}")).unwrap_or_default();
        let title = format!("Type {word} to run it once{lost}");
        let prompt = Self::new(Purpose::Proceed(question), title, Some(word.to_owned()));
        Self { about: Some(spec.text.as_str().to_owned()), ..prompt }
    }

    /// With the word in place that was typed before; Enter alone confirms it.
    #[must_use]
    pub fn in_place(mut self) -> Self {
        self.text = self.word.clone().unwrap_or_default();
        self.begun.clone_from(&self.text);
        self
    }

    /// With a text in it that stands already: it is changed.
    #[must_use]
    pub fn holding(self, text: &str) -> Self {
        Self { text: text.to_owned(), begun: text.to_owned(), ..self }
    }

    /// What the finished line leads to; `None` when it is not the word.
    fn finished(&self) -> Option<Outcome> {
        let typed = self.text.trim();
        match &self.purpose {
            Purpose::Word(word) => word.answer(typed).map(Outcome::input),
            _ if self.word.as_ref().is_some_and(|w| w != typed) => None,
            Purpose::Proceed(id) => Some(Outcome::answer(*id, Answer::Word(typed.to_owned()))),
            Purpose::Deny(id) => Some(Outcome::answer(*id, Answer::Reject(typed.to_owned()))),
            Purpose::Comment { proposal, hunk, shown } => {
                let (proposal, hunk, shown, text) = (*proposal, *hunk, *shown, typed.to_owned());
                Some(Outcome::input(Input::Comment { proposal, hunk, text, shown }))
            }
            Purpose::Key(_) if typed.is_empty() => None,
            Purpose::Key(name) => {
                let asks = vec![Ask::KeepKey(name.clone(), Hidden(typed.to_owned()))];
                Some(Outcome { asks, ..Outcome::none() })
            }
            Purpose::Below | Purpose::Hidden => {
                Some(Outcome { below: Some(self.text.clone()), ..Outcome::none() })
            }
            Purpose::Pane(id) => Some(Outcome { line: Some((*id, self.text.clone())), ..Outcome::none() }),
        }
    }

    /// Whether what is typed is not shown.
    const fn hides(&self) -> bool {
        matches!(self.purpose, Purpose::Key(_) | Purpose::Hidden)
    }

    /// What is seen of what was typed.
    fn seen(&self) -> String {
        if self.hides() { "*".repeat(self.text.chars().count()) } else { self.text.clone() }
    }

    fn typed(&mut self, key: KeyEvent) -> Outcome {
        let held = key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT);
        if key.code == KeyCode::Enter {
            let wrong = || {
                let word = self.word.as_deref().unwrap_or_default();
                Outcome::notice(format!("not \"{word}\": nothing was done"))
            };
            return self.finished().unwrap_or_else(wrong).and_close();
        } else if key.code == KeyCode::Backspace {
            self.text.pop();
        } else if key.code == KeyCode::Char('u') && key.modifiers == KeyModifiers::CONTROL {
            self.text.clear();
        } else if let KeyCode::Char(c) = key.code
            && !held
        {
            self.text.push(c);
        }
        Outcome::none()
    }
}

impl Overlay for Prompt {
    fn name(&self) -> &'static str {
        "prompt"
    }

    fn render(&self, ctx: &Ctx<'_>, buf: &mut Buffer) -> Caret {
        let question = Clean::line(&self.question).into_string();
        let about = self.about.as_deref().map(|a| Clean::line(a).into_string()).unwrap_or_default();
        let longest = question.width().max(about.width()) + 8;
        let wide = u16::try_from(longest).unwrap_or(u16::MAX).clamp(50, 100).min(ctx.body.width);
        let about = if about.is_empty() {
            Vec::new()
        } else {
            row::parts(&about, usize::from(wide).max(12) - 6, usize::from(wide).max(12) - 6)
        };
        // What is asked names the word: it is never cut.
        let ink = if about.is_empty() { Slot::Strong } else { Slot::Text };
        let asks = row::wrap(&Row::of(&question, ink).pieces, usize::from(wide.saturating_sub(4)).max(8));
        let asked = u16::try_from(asks.len()).unwrap_or(u16::MAX);
        let least = asked.saturating_add(BESIDE);
        let room = ctx.body.height.saturating_sub(least.saturating_add(1));
        let shown = u16::try_from(about.len()).unwrap_or(u16::MAX).min(room);
        // What it is about stands above it, and in the bar below.
        let height = if shown > 0 { least + 1 + shown } else { least };
        let area = super::centred(ctx.body, wide, height);
        let y = ctx.above_bar.bottom().saturating_sub(area.height + 1);
        let area = if y >= ctx.above_bar.y { Rect { y, ..area } } else { area };
        let otherwise = || match self.purpose {
            Purpose::Deny(_) => "denies",
            Purpose::Key(_) | Purpose::Hidden | Purpose::Comment { .. } => "keeps it",
            Purpose::Proceed(_) | Purpose::Word(_) | Purpose::Pane(_) | Purpose::Below => "confirms",
        };
        let enter = self.looks.map_or_else(otherwise, |looks| looks.words().1);
        let clears = [("Ctrl-U", "clears")].into_iter().filter(|_| !self.text.is_empty());
        let keys: Vec<_> = [("Enter", enter)].into_iter().chain(clears).chain([("Esc", "back")]).collect();
        let inner = frame(ctx, area, self.title, "", &keys, buf);
        if inner.height < 2 {
            return None;
        }
        let mut top = inner.y + u16::from(inner.height > asked + 2);
        let width = usize::from(inner.width);
        // What would happen stands above the word, to its end where there is room for it.
        for (row, y) in about.iter().zip(top..top + shown) {
            let cut = y + 1 == top + shown && about.len() > usize::from(shown);
            let row = if cut { "… the list shows the rest" } else { row.as_str() };
            let bold = ctx.theme.style(Slot::Strong).add_modifier(Modifier::BOLD);
            buf.set_stringn(inner.x, y, row, width, bold);
        }
        top += if shown > 0 { shown + 1 } else { 0 };
        let line = inner.bottom() - 1;
        for (row, y) in asks.iter().zip(top..line) {
            row.paint(ctx.theme, buf, inner, y);
        }
        let y = top.saturating_add(asked + 1).min(line);
        // On an empty line it would look as if it were typed already; the question names it.
        let begun = |w: &&str| !self.text.is_empty() && w.starts_with(&self.text);
        let ghost = self.word.as_deref().filter(begun).unwrap_or_default();
        buf.set_stringn(inner.x, y, format!("› {ghost}"), width, ctx.theme.style(Slot::Faint));
        let text = Line::from(vec![
            Span::styled("› ", ctx.theme.style(Slot::Accent)),
            Span::styled(self.seen(), ctx.theme.style(Slot::Strong).add_modifier(Modifier::BOLD)),
        ]);
        text.render(Rect { y, height: 1, ..inner }, buf);
        let x = inner.x + 2 + u16::try_from(self.seen().width()).unwrap_or_default();
        Some((x.min(inner.right().saturating_sub(1)), y))
    }

    /// What was written to somebody is kept; a word, a key and what is looked for are nothing to go back to.
    fn left(&self) -> Outcome {
        let written = match self.purpose {
            Purpose::Deny(_) | Purpose::Comment { .. } => true,
            Purpose::Pane(_) => self.looks.is_none(),
            Purpose::Proceed(_) | Purpose::Word(_) | Purpose::Key(_) | Purpose::Below | Purpose::Hidden => {
                false
            }
        };
        let text = Some(self.text.trim()).filter(|text| written && !text.is_empty() && *text != self.begun);
        Outcome { kept: text.map(str::to_owned), ..Outcome::none() }
    }

    fn drew(&mut self, top: bool, _ctx: &Ctx<'_>, now: Instant) {
        self.drawn = self.drawn.or(top.then_some(now));
    }

    fn weighs(&self, _letter: char, _action: Option<Action>, _ctx: &Ctx<'_>) -> Option<Letter> {
        None
    }

    fn key(&mut self, key: KeyEvent, ctx: &Ctx<'_>) -> Option<Outcome> {
        // A word counts only from who saw what it lets happen.
        let since = |wait: Duration| self.drawn.is_some_and(|drawn| ctx.at >= drawn + wait);
        // One that stands there already counts once there was time to read it.
        let placed = self.word.is_some() && self.text == self.begun && self.word.as_ref() == Some(&self.text);
        let seen = if key.code == KeyCode::Enter { !placed || since(DEAF) } else { since(Duration::ZERO) };
        if self.word.is_some() && !seen {
            return Some(Outcome::complaint(TOO_EARLY));
        }
        Some(self.typed(key))
    }

    /// A word that lets something irreversible happen is typed, never pasted.
    fn paste(&mut self, text: &str) {
        if self.word.is_none() {
            self.text.extend(text.chars().filter(|c| !c.is_control()));
        }
    }

    fn hidden(&self) -> bool {
        self.hides()
    }

    fn readable(&self) -> Option<&str> {
        (!self.hides()).then_some(&self.text)
    }
}
