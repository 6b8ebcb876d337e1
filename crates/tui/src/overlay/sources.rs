//! The sources: how each is, what it has, whether it answers.
//!
//! Owns the list, the line that is chosen and the page of one source. Never starts one by itself: the driver does,
//! when it is asked whether one answers or what it has.

use crossterm::event::{KeyCode, KeyEvent};
use pilothouse_core::{
    clean::Clean,
    intent::Slash,
    port::{Ask, Reply},
    source::{SourceHealth, SourceState},
};
use ratatui::buffer::Buffer;

use super::{
    Caret, Letter, Overlay, OverlayKind, Prompt,
    page::{CHOOSES, Page, Reading, SCROLLS, choose, first_shown, frame, paint, place},
    prompt::Purpose,
};
use crate::{
    ctx::{Ctx, Outcome},
    keymap::{Action, Entry},
    row::{Row, coded, wrap},
    theme::{Glyphs, Slot},
};

/// Columns of the list and of a page at most.
const WIDTH: u16 = 110;
/// Columns of a name.
const NAME: usize = 16;

/// The list.
pub const KIND: OverlayKind = OverlayKind::page(
    Entry { name: "sources", label: "sources", reach: "opens a page" },
    Some(Slash::Sources),
    |_| Ok(Box::new(Sources::default())),
);

/// The sources, and which one is chosen.
#[derive(Debug, Default)]
struct Sources {
    all: Option<Vec<SourceState>>,
    at: usize,
    /// What is asked of the chosen one and not answered yet.
    waits: bool,
    page: Option<(String, Reading)>,
    /// How often a credential was asked for.
    asked: usize,
}

impl Sources {
    fn chosen(&self) -> Option<&SourceState> {
        self.all.as_ref()?.get(self.at)
    }

    /// Asks something of the chosen one, unless it has no effect here.
    fn ask(&mut self, ask: impl FnOnce(String) -> Ask) -> Outcome {
        match self.chosen() {
            None => Outcome::none(),
            Some(source) if source.health == SourceHealth::Untrusted => {
                Outcome::complaint("it is inactive until the folder is trusted: /trust")
            }
            Some(source) => {
                let asks = vec![ask(source.name.clone())];
                self.waits = true;
                Outcome { asks, ..Outcome::none() }
            }
        }
    }

    /// Asks for the value of a variable that the chosen one gets: the next each time.
    fn credential(&mut self) -> Outcome {
        let wants = self.chosen().map(|s| s.wants.clone()).unwrap_or_default();
        let nth = self.asked.checked_rem(wants.len()).unwrap_or_default();
        let Some(name) = wants.get(nth) else {
            return Outcome::complaint("its configuration uses no variable; write ${NAME} there as a value");
        };
        self.asked += 1;
        let question = format!("{name}: stored for you alone, never shown");
        Outcome::open(Prompt::new(Purpose::Key(name.clone()), question, None))
    }

    fn key_of_page(&mut self, key: KeyEvent) -> Outcome {
        if matches!(key.code, KeyCode::Char('q') | KeyCode::Left | KeyCode::Backspace) {
            self.page = None;
        } else if let Some((_, page)) = &mut self.page {
            page.scroll.take(key);
        }
        Outcome::none()
    }

    /// Its rows, at most about `room` of them.
    fn rows(&self, (columns, room): (usize, usize), ctx: &Ctx<'_>) -> Vec<Row> {
        let said = |text: &str, slot| wrap(&Row::of(text, slot).pieces, columns);
        let Some(all) = &self.all else { return said("reading…", Slot::Soft) };
        if all.is_empty() {
            let none = "None yet. `pilothouse sources add NAME -- COMMAND` adds one; a project lists its own in .mcp.json.";
            return wrap(&coded(none, Slot::Text).pieces, columns);
        }
        // What is told of the chosen one stands below the list, which scrolls where both have no room.
        let about = self.about(columns);
        let room = room.saturating_sub(about.len()).max(1);
        let top = first_shown(self.at, room);
        let list = all.iter().enumerate().skip(top).take(room);
        let line = |(n, s): (usize, &SourceState)| {
            line(s, n == self.at, ctx.glyphs).cut(columns, ctx.glyphs.ellipsis)
        };
        list.map(line).chain(about).collect()
    }

    /// What is told of the chosen one.
    fn about(&self, columns: usize) -> Vec<Row> {
        let said = |text: &str, slot| wrap(&Row::of(text, slot).pieces, columns);
        let mut rows = Vec::new();
        if let Some(source) = self.chosen() {
            rows.push(Row::of("", Slot::Text));
            let whose = if source.project { "the project's" } else { "your own" };
            let gets = source.wants.join(", ");
            let facts = [
                ("says", source.about.as_str()),
                ("runs", source.line.as_str()),
                ("gets", gets.as_str()),
                ("may", source.may()),
                ("from", source.file.as_str()),
                ("is", whose),
            ];
            for (name, value) in facts.into_iter().filter(|(_, value)| !value.is_empty()) {
                rows.extend(said(&format!("{name:5} {}", Clean::line(value).as_str()), Slot::Soft));
            }
            if let SourceHealth::Failed(why) = &source.health {
                rows.extend(said(Clean::line(why).as_str(), Slot::Bad));
            }
            if let Some(to) = &source.invited {
                rows.push(Row::of("", Slot::Text));
                rows.extend(said(
                    "To sign in, open this address in a browser on this machine:",
                    Slot::Strong,
                ));
                rows.extend(said(Clean::line(to).as_str(), Slot::Info));
                return rows;
            }
            if self.waits {
                rows.extend(said("asking…", Slot::Accent));
            }
        }
        rows
    }
}

impl Overlay for Sources {
    fn name(&self) -> &'static str {
        KIND.entry.name
    }

    fn asks(&self) -> Vec<Ask> {
        vec![Ask::Sources]
    }

    fn answered(&mut self, _number: u64, reply: &Reply) {
        if let Reply::Sources(all) = reply {
            self.at = self.at.min(all.len().saturating_sub(1));
            (self.all, self.waits) = (Some(all.clone()), false);
        } else if let Reply::SourceTools(name, text) = reply {
            let (text, slot) = match text {
                Ok(text) => (text, Slot::Text),
                Err(why) => (why, Slot::Bad),
            };
            (self.page, self.waits) = (Some((name.clone(), Reading::of(text, slot))), false);
        }
    }

    fn weighs(&self, letter: char, _action: Option<Action>, _ctx: &Ctx<'_>) -> Option<Letter> {
        Some(match &self.page {
            Some(_) => Letter::of(letter, SCROLLS, &['q']),
            None => Letter::of(letter, CHOOSES, &['t', 'e', 's', 'c', 'r', 'q']),
        })
    }

    fn key(&mut self, key: KeyEvent, _ctx: &Ctx<'_>) -> Option<Outcome> {
        if self.page.is_some() {
            return (key.code != KeyCode::Esc).then(|| self.key_of_page(key));
        }
        if choose(key, &mut self.at, self.all.as_ref().map_or(0, Vec::len)) {
            return Some(Outcome::none());
        }
        if key.code == KeyCode::Char('t') {
            return Some(self.ask(Ask::TestSource));
        } else if key.code == KeyCode::Enter {
            return Some(self.ask(Ask::SourceTools));
        } else if key.code == KeyCode::Char('e') {
            let off = self.chosen().is_some_and(|s| s.health == SourceHealth::Off);
            return Some(self.ask(|name| Ask::EnableSource(name, off)));
        } else if key.code == KeyCode::Char('s') {
            if self.chosen().is_some_and(|s| !s.far) {
                return Some(Outcome::complaint(
                    "it is a program on this machine: there is nothing to sign in to",
                ));
            }
            return Some(self.ask(Ask::SignIn));
        } else if key.code == KeyCode::Char('c') {
            return Some(self.credential());
        } else if key.code == KeyCode::Char('r') {
            return Some(Outcome { asks: self.asks(), ..Outcome::none() });
        } else if key.code == KeyCode::Char('q') {
            return Some(Outcome::close());
        }
        (key.code != KeyCode::Esc).then(Outcome::none)
    }

    fn render(&self, ctx: &Ctx<'_>, buf: &mut Buffer) -> Caret {
        if let Some((name, text)) = &self.page {
            let title = format!("What {} has", Clean::line(name).as_str());
            let keys = &[("q", "back"), ("Esc", "close")];
            let page = Page { title: &title, right: "", keys, width: WIDTH, height: 0, rows: Vec::new() };
            text.draw(&page, ctx, buf);
            return None;
        }
        let area = super::centred(ctx.body, WIDTH, ctx.body.height);
        let of_one = [("Enter", "tools"), ("t", "test"), ("e", "on/off"), ("s", "login"), ("c", "key")];
        let mut keys = if self.chosen().is_some() { of_one.to_vec() } else { Vec::new() };
        keys.push(("Esc", "close"));
        let place = place(self.at, self.all.as_ref().map_or(0, Vec::len));
        let inner = frame(ctx, area, "Sources", &place, &keys, buf);
        let room = (usize::from(inner.width), usize::from(inner.height.saturating_sub(1)));
        paint(&self.rows(room, ctx), ctx, inner, buf);
        None
    }
}

fn line(source: &SourceState, chosen: bool, glyphs: &Glyphs) -> Row {
    let (mark, slot) = match &source.health {
        SourceHealth::Ok(_) => (glyphs.pause, Slot::Ok),
        SourceHealth::Failed(_) => (glyphs.failed, Slot::Bad),
        SourceHealth::Starting => (glyphs.stalled, Slot::Accent),
        SourceHealth::Untrusted | SourceHealth::Unanswered => (glyphs.warn, Slot::Warn),
        SourceHealth::LeftOut | SourceHealth::Off | SourceHealth::Idle => (glyphs.pending, Slot::Soft),
    };
    let name = Clean::line(&source.name);
    let words = Clean::line(&source.health.words());
    let strong = if chosen { Slot::Strong } else { Slot::Text };
    super::entry(chosen, glyphs)
        .and(&format!("{mark} "), slot)
        .and(&format!("{:NAME$} ", name.as_str()), strong)
        .and(words.as_str(), slot)
}
