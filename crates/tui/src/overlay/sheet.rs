//! Everything that a folder brings, line by line, to be read before it is trusted.
//!
//! Owns the scroll and how the lines look. Never answers: the list of what waits does.

use crossterm::event::KeyEvent;
use pilothouse_core::{blob::BlobId, clean::Clean, port::Reply};
use ratatui::{
    buffer::Buffer,
    style::Modifier,
    text::{Line, Span},
};

use super::{
    Caret, Letter, Overlay,
    page::{Page, SCROLLS, Scroll},
};
use crate::{
    ctx::{Ctx, Outcome},
    keymap::Action,
    row::parts,
    theme::Slot,
};

/// The sheet, and how far it is scrolled.
#[derive(Debug)]
pub struct Sheet {
    /// The stored text.
    pub blob: BlobId,
    text: Option<String>,
    scroll: Scroll,
}

impl Sheet {
    /// A sheet that is not here yet.
    pub fn new(blob: BlobId) -> Self {
        Self { blob, text: None, scroll: Scroll::default() }
    }
}

impl Overlay for Sheet {
    fn name(&self) -> &'static str {
        "sheet"
    }

    fn is_alone(&self) -> bool {
        true
    }

    fn render(&self, ctx: &Ctx<'_>, buf: &mut Buffer) -> Caret {
        let width = usize::from(ctx.body.width.min(120).saturating_sub(6)).max(4);
        let text = self.text.as_deref().unwrap_or("reading…");
        let rows: Vec<Line<'static>> = text.lines().flat_map(|line| rows(line, width, ctx)).collect();
        let keys: &[(&str, &str)] = &[("q", "back to the question")];
        let page = Page { title: "What this folder brings", right: "", keys, width: 120, height: 8, rows };
        page.draw(&self.scroll, ctx, buf);
        None
    }

    fn weighs(&self, letter: char, _action: Option<Action>, _ctx: &Ctx<'_>) -> Option<Letter> {
        Some(Letter::of(letter, SCROLLS, &['q']))
    }

    fn key(&mut self, key: KeyEvent, _ctx: &Ctx<'_>) -> Option<Outcome> {
        Some(self.scroll.read(key).unwrap_or_default())
    }

    /// Takes the stored text, if it is this one's.
    fn answered(&mut self, _number: u64, reply: &Reply) {
        let Reply::Blob(id, bytes) = reply else { return };
        if *id == self.blob {
            let text = bytes.as_deref().map(|b| String::from_utf8_lossy(b).into_owned());
            self.text = Some(text.unwrap_or_else(|| "(the text is no longer stored)".to_owned()));
        }
    }
}

/// What a line is, told by its first sign alone: those of files stand behind one.
fn rows(line: &str, width: usize, ctx: &Ctx<'_>) -> Vec<Line<'static>> {
    let theme = ctx.theme;
    let (style, line) = if let Some(path) = line.strip_prefix("== ") {
        (theme.style(Slot::Strong).add_modifier(Modifier::BOLD), path.to_owned())
    } else if let Some(would) = line.strip_prefix("> ") {
        (theme.style(Slot::Info), format!("   {would}"))
    } else if line.starts_with('+') {
        (theme.style(Slot::Ok), line.to_owned())
    } else if line.starts_with('-') {
        (theme.style(Slot::Bad), line.to_owned())
    } else if line.starts_with("@@") {
        (theme.style(Slot::Faint), line.to_owned())
    } else {
        (theme.style(Slot::Text), line.to_owned())
    };
    let text = Clean::line(&line);
    parts(text.as_str(), width, width).into_iter().map(|part| Line::from(Span::styled(part, style))).collect()
}
