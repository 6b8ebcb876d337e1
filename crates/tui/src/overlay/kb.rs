//! What the knowledge index says: the passages that answer a question, or what is in it.
//!
//! Owns the list and the passage that is chosen. Never looks anything up: the read port brings it.

use crossterm::event::{KeyCode, KeyEvent};
use pilothouse_core::{
    clean::Clean,
    digest::Place,
    knowledge::Passage,
    port::{Ask, KnowledgeAsk, KnowledgeReply, Reply},
};
use ratatui::buffer::Buffer;

use super::{
    Caret, Letter, Overlay,
    page::{CHOOSES, choose, first_shown, frame, paint, place},
};
use crate::{
    ctx::{Ctx, Outcome, Wanted},
    keymap::Action,
    row::{Row, wrap},
    theme::{Glyphs, Slot},
};

/// Lines of the chosen passage that are shown.
const SHOWN: usize = 14;

/// An answer of the index, or what is waited for.
#[derive(Debug)]
pub struct Kb {
    ask: KnowledgeAsk,
    number: Option<u64>,
    answer: Option<Result<KnowledgeReply, String>>,
    at: usize,
}

impl Kb {
    /// Asks what stands after the command.
    pub fn asking(text: &str) -> Self {
        let ask = match text.trim() {
            "status" => KnowledgeAsk::Status,
            question => KnowledgeAsk::Search(question.to_owned()),
        };
        Self { ask, number: None, answer: None, at: 0 }
    }

    fn passages(&self) -> &[Passage] {
        match &self.answer {
            Some(Ok(KnowledgeReply::Passages(found))) => found,
            Some(Ok(KnowledgeReply::Status(_)) | Err(_)) | None => &[],
        }
    }
}

impl Overlay for Kb {
    fn name(&self) -> &'static str {
        "kb"
    }

    fn asks(&self) -> Vec<Ask> {
        vec![Ask::Knowledge(self.ask.clone())]
    }

    fn asked(&mut self, number: u64) {
        self.number = Some(number);
    }

    fn waits_for(&self) -> Option<u64> {
        self.number.filter(|_| self.answer.is_none())
    }

    fn answered(&mut self, number: u64, reply: &Reply) {
        if let Reply::Knowledge(answer) = reply
            && self.number == Some(number)
        {
            self.answer = Some((**answer).clone());
        }
    }

    fn weighs(&self, letter: char, _action: Option<Action>, _ctx: &Ctx<'_>) -> Option<Letter> {
        Some(Letter::of(letter, CHOOSES, &['q']))
    }

    fn key(&mut self, key: KeyEvent, _ctx: &Ctx<'_>) -> Option<Outcome> {
        let of = self.passages().len();
        if choose(key, &mut self.at, of) {
            return Some(Outcome::none());
        }
        if key.code == KeyCode::Enter {
            let place = self.passages().get(self.at).map(|passage| Wanted {
                place: Place {
                    path: passage.lines.path.clone(),
                    line: u32::try_from(passage.lines.from).unwrap_or(1),
                },
                editor: false,
            });
            return Some(Outcome { place, ..Outcome::close() });
        } else if key.code == KeyCode::Char('q') {
            return Some(Outcome::close());
        }
        Some(Outcome::none())
    }

    fn render(&self, ctx: &Ctx<'_>, buf: &mut Buffer) -> Caret {
        let area = super::centred(ctx.body, 110, ctx.body.height);
        let keys = [("j k", "choose"), ("Enter", "open"), ("Esc", "close")];
        let (title, keys) = match &self.ask {
            KnowledgeAsk::Search(_) => ("Passages of this project", keys.as_slice()),
            KnowledgeAsk::Status => ("The knowledge index", keys.get(2..).unwrap_or_default()),
        };
        let place = match &self.answer {
            Some(Ok(KnowledgeReply::Passages(found))) => place(self.at, found.len()),
            Some(Ok(KnowledgeReply::Status(_)) | Err(_)) | None => String::new(),
        };
        let inner = frame(ctx, area, title, &place, keys, buf);
        let columns = usize::from(inner.width);
        let said = |text: &str, slot| wrap(&Row::of(Clean::line(text).as_str(), slot).pieces, columns);
        let mut rows = Vec::new();
        if let KnowledgeAsk::Search(text) = &self.ask {
            rows.extend(said(text, Slot::Strong));
        }
        match &self.answer {
            None => rows.extend(said("searching… the first time, the whole project is read", Slot::Soft)),
            Some(Err(why)) => rows.extend(said(why, Slot::Bad)),
            Some(Ok(KnowledgeReply::Status(status))) => {
                rows.extend(status.told().iter().flat_map(|line| said(line, Slot::Text)));
            }
            Some(Ok(KnowledgeReply::Passages(found))) if found.is_empty() => {
                rows.extend(said("nothing here mentions that; try other words", Slot::Soft));
            }
            Some(Ok(KnowledgeReply::Passages(found))) => {
                let text: Vec<Row> = found.get(self.at).into_iter().flat_map(text).collect();
                let room = usize::from(inner.height).saturating_sub(rows.len() + text.len() + 3).max(1);
                let top = first_shown(self.at, room);
                let list = found.iter().enumerate().skip(top).take(room);
                rows.extend(list.map(|(n, p)| line(p, n == self.at, ctx.glyphs)));
                rows.push(Row::of("", Slot::Text));
                rows.extend(text);
            }
        }
        let rows: Vec<Row> = rows.into_iter().map(|row| row.cut(columns, ctx.glyphs.ellipsis)).collect();
        paint(&rows, ctx, inner, buf);
        None
    }
}

/// A passage in the list: where it stands, and what it is called.
fn line(passage: &Passage, chosen: bool, glyphs: &Glyphs) -> Row {
    let slot = if chosen { Slot::Strong } else { Slot::Text };
    let title = Clean::line(&passage.title);
    let place = Clean::line(&passage.lines.to_string());
    super::entry(chosen, glyphs).and(&format!("{}  {}", place.as_str(), title.as_str()), slot)
}

/// The beginning of a passage's text, with the numbers of its lines.
fn text(passage: &Passage) -> Vec<Row> {
    let numbered = (passage.lines.from..).zip(passage.text.lines()).take(SHOWN);
    numbered
        .map(|(n, line)| Row::of(&format!("{n:>6}  {}", Clean::line(line).as_str()), Slot::Soft))
        .collect()
}
