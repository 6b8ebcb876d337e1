//! The messages of this session: what each was, its path, what it wrote and cost; from there to its place in the
//! conversation, to all that was written since, and back to before it.
//!
//! Owns the list and the message that is chosen. Takes nothing back: it asks, and the session does.

use crossterm::event::{KeyCode, KeyEvent};
use pilothouse_core::{
    clean::Clean,
    completion::tally,
    ids::TurnId,
    input::Input,
    intent::Slash,
    money,
    runs::ForkUpTo,
    session::{Apply, Extent, TurnInfo},
};
use ratatui::buffer::Buffer;

use super::{
    Caret, Letter, Overlay, OverlayKind, Stake,
    changes::Changes,
    entry,
    page::{CHOOSES_ENDS, choose_ends, first_shown, frame},
    stake::Accepted,
};
use crate::{
    ctx::{Ctx, Outcome},
    keymap::{Action, Entry},
    row::{Ink, Row, count, time_of_day},
    theme::Slot,
    window::WindowWish,
};

/// The list.
pub const KIND: OverlayKind = OverlayKind {
    entry: Entry { name: "history", label: "history", reach: "opens a list; decides nothing" },
    command: Some(Slash::History),
    actions: &[],
    heading: "",
    open: |ctx| {
        if ctx.state.turns.is_empty() {
            Err("nothing was said in this session yet")
        } else {
            Ok(Box::new(History { chosen: ctx.state.turns.keys().next_back().copied() }))
        }
    },
};

/// Files that are named before all of them are taken back.
const MOST_FILES: usize = 12;

/// Commands that are named with what each changed.
const MOST_COMMANDS: usize = 12;

/// The list, and the message that is chosen, whichever come after it.
#[derive(Debug)]
struct History {
    chosen: Option<TurnId>,
}

impl History {
    /// The place of the chosen one, counted from the newest.
    fn at(&self, ctx: &Ctx<'_>) -> usize {
        ctx.state.turns.keys().rev().position(|turn| Some(*turn) == self.chosen).unwrap_or_default()
    }

    fn chosen<'a>(&self, ctx: &'a Ctx<'_>) -> Option<(TurnId, &'a TurnInfo)> {
        ctx.state.turns.iter().rev().nth(self.at(ctx)).map(|(turn, info)| (*turn, info.as_ref()))
    }

    /// All that was written since the chosen message.
    fn since(&self, ctx: &Ctx<'_>) -> Option<Outcome> {
        let (turn, _) = self.chosen(ctx)?;
        if ctx.state.writes_since(turn).is_empty() {
            return Some(Outcome::notice("nothing was written since that message"));
        }
        Some(Outcome::open(Changes::of(ctx, Extent::Since(turn))))
    }

    /// Asks whether all that was written since is to be taken back, by the names of the files.
    fn take_back(&self, ctx: &Ctx<'_>) -> Option<Outcome> {
        let (turn, info) = self.chosen(ctx)?;
        let (Some(to), Some(last)) = (ctx.state.writes_since(turn).first(), ctx.state.ledger().last()) else {
            return Some(Outcome::notice("nothing was written since that message"));
        };
        let (to, last) = (*to, *last);
        let changes = ctx.state.writes_since(turn).len();
        let files = ctx.state.written_files(Extent::Since(turn));
        let mut lines: Vec<String> = files.iter().take(MOST_FILES).map(|f| f.tally().line()).collect();
        let more = files.len().saturating_sub(MOST_FILES);
        lines.extend((more > 0).then(|| format!("and {more} more; d lists them all")));
        let commands = ctx.state.writes_since(turn).iter().filter_map(|id| ctx.state.applies().get(id));
        let commands: Vec<String> = commands.filter(|a| a.command.is_some()).map(Apply::words).collect();
        let more = commands.len().saturating_sub(MOST_COMMANDS);
        lines.extend(commands.into_iter().take(MOST_COMMANDS));
        lines.extend((more > 0).then(|| format!("and by {}", count(more, "more command"))));
        lines.push("one change at a time, latest first; stops at a file that has changed since".to_owned());
        lines.push("the conversation stays; /unundo puts them back".to_owned());
        let time = time_of_day(info.at, ctx.surroundings.utc_offset_minutes);
        let title = format!("Take back {} since {time}?", count(changes, "change"));
        let input = Input::UndoTo { to, last };
        Some(Outcome::open(Stake::new(title, "take them back", lines, Accepted::Input(Box::new(input)))))
    }

    /// Goes on in a copy of the session up to the chosen message and what came of it.
    fn fork(&self, ctx: &Ctx<'_>) -> Outcome {
        let number = ctx.state.turns.len().saturating_sub(self.at(ctx));
        let window = WindowWish::fork(&ctx.state.slug, ForkUpTo::Message(number));
        Outcome { window: Some(window), ..Outcome::close() }
    }

    /// When and what was said, what it cost; below it its path and what it wrote.
    fn rows(&self, n: usize, turn: TurnId, info: &TurnInfo, ctx: &Ctx<'_>, width: usize) -> [Row; 2] {
        let g = ctx.glyphs;
        let lit = n == self.at(ctx);
        let time = time_of_day(info.at, ctx.surroundings.utc_offset_minutes);
        let ink = if lit { Ink::of(Slot::Strong).bold() } else { Ink::of(Slot::Text) };
        let said = Clean::line(info.head.lines().next().unwrap_or_default());
        let left = entry(lit, g).and(&time, Slot::Faint).and("  ", Slot::Text).and(said.as_str(), ink);
        let used = Some(&info.used).filter(|used| used.tokens() > 0);
        let cost = used.map_or_else(String::new, |used| match used.known_cost() {
            Some(micros) => money::dollars(micros),
            None => format!("{} tokens", used.shown_tokens()),
        });
        let mut first = left.ends_keeping_right(Row::of(&cost, Slot::Soft), width, g.ellipsis);
        first.ground = lit.then_some(Slot::Select);
        let files = ctx.state.written_for(turn);
        let wrote = match files.as_slice() {
            [] => Row::new(),
            all => {
                let (added, removed) = files.iter().fold((0, 0), |(a, r), f| (a + f.added, r + f.removed));
                let what = match all {
                    [one] => Clean::line(one.path.as_str()).into_string(),
                    several => count(several.len(), "file"),
                };
                Row::of(&format!("{what} {}", tally(added, removed)), Slot::Ok)
            }
        };
        let indent = " ".repeat(crate::row::width(&time) + 4);
        let nodes: Vec<&str> = info.path.nodes().iter().map(|node| node.title()).collect();
        let path = nodes.join(&format!(" {} ", g.arrow));
        let mut second = Row::of(&indent, Slot::Text).and(&path, Slot::Faint);
        second = second.ends_keeping_right(wrote, width, g.ellipsis);
        second.ground = lit.then_some(Slot::Select);
        [first, second]
    }
}

impl Overlay for History {
    fn name(&self) -> &'static str {
        KIND.entry.name
    }

    fn weighs(&self, letter: char, _action: Option<Action>, _ctx: &Ctx<'_>) -> Option<Letter> {
        Some(Letter::of(letter, CHOOSES_ENDS, &['d', 'u', 'f', 'q']))
    }

    fn key(&mut self, key: KeyEvent, ctx: &Ctx<'_>) -> Option<Outcome> {
        let turns = ctx.state.turns.len();
        let mut at = self.at(ctx);
        if choose_ends(key, &mut at, turns) {
            self.chosen = ctx.state.turns.keys().rev().nth(at).copied();
            return Some(Outcome::none());
        }
        if key.code == KeyCode::Char('d') {
            return self.since(ctx);
        } else if key.code == KeyCode::Char('u') {
            return self.take_back(ctx);
        } else if key.code == KeyCode::Char('f') {
            return Some(self.fork(ctx));
        } else if key.code == KeyCode::Enter {
            let (turn, _) = self.chosen(ctx)?;
            return Some(Outcome { turn: Some(turn), ..Outcome::close() });
        } else if key.code == KeyCode::Char('q') {
            return Some(Outcome::close());
        }
        Some(Outcome::none())
    }

    fn render(&self, ctx: &Ctx<'_>, buf: &mut Buffer) -> Caret {
        let turns = ctx.state.turns.len();
        let height = u16::try_from(turns * 2 + 4).unwrap_or(u16::MAX).max(8);
        let area = super::centred(ctx.body, 110, height);
        let mut keys = vec![("j k", "choose"), ("Enter", "go")];
        if self.chosen(ctx).is_some_and(|(turn, _)| !ctx.state.writes_since(turn).is_empty()) {
            keys.extend([("d", "changes"), ("u", "take back")]);
        }
        keys.extend([("f", "fork"), ("Esc", "close")]);
        let place = format!("newest first, message {} of {turns}", turns.saturating_sub(self.at(ctx)));
        let inner = frame(ctx, area, "History", &place, &keys, buf);
        let width = usize::from(inner.width);
        let fit = usize::from(inner.height.saturating_sub(1) / 2).max(1);
        let top = first_shown(self.at(ctx), fit);
        let shown = ctx.state.turns.iter().rev().enumerate().skip(top).take(fit);
        let rows = shown.flat_map(|(n, (turn, info))| self.rows(n, *turn, info, ctx, width));
        for (row, y) in rows.zip(inner.top() + 1..inner.bottom()) {
            row.paint(ctx.theme, buf, inner, y);
        }
        None
    }
}
