//! A rule that would be kept for good, shown in full with what it matches before it is kept.
//!
//! Owns how narrow it is and the ctx. Keeps it only by a second yes to exactly what was drawn.

use std::time::Instant;

use crossterm::event::{KeyCode, KeyEvent};
use pilothouse_core::{
    checkpoint::{Answer, Checkpoint},
    clean::Clean,
    ids::CheckpointId,
    money::count,
    policy::{self, Example, Found, Rehearsal, Rule},
    port::{Ask, Reply},
    session::Session,
};
use ratatui::{buffer::Buffer, layout::Rect};

use super::{
    Caret, Letter, Overlay,
    page::{frame, labelled, paint},
};
use crate::{
    ctx::{Ctx, Outcome, TOO_EARLY},
    keymap::Action,
    reach::{request, texts},
    risk::{risk_name, risk_slot},
    row::{Ink, Row},
    standing::Standing,
    status::shorten,
    theme::Slot,
};

/// Columns of the labels.
const LABEL: usize = 10;
/// Past commands of one kind that are listed.
const MOST_PAST: usize = 6;

/// What stands on the page: an answer is bound to exactly this.
type Shown = (CheckpointId, Vec<String>, bool);

/// A rule that is offered for good.
#[derive(Debug)]
pub struct RuleOffer {
    /// The question that it would answer.
    question: CheckpointId,
    /// From the most general to the narrowest, each with what it does.
    offers: Vec<(Vec<Rule>, Vec<Example>)>,
    at: usize,
    /// What it would have done, once that is known.
    found: Option<Rehearsal>,
    /// The request that asked for it.
    asked: u64,
    /// What was drawn, and since when.
    drawn: Standing<Shown>,
}

impl RuleOffer {
    /// What can be offered for a question.
    ///
    /// # Errors
    /// Why there is nothing, for people.
    pub fn of(item: &Checkpoint, session: &Session) -> Result<Self, &'static str> {
        let request = request(item, session.state())?;
        let (policy, setting) = (session.policy(), session.state().setting());
        let with = |rules: Vec<Rule>| {
            let examples = policy.examples(&rules, &request, &setting);
            (rules, examples)
        };
        let offers = policy.offers(&request, &setting)?.into_iter().map(with).collect();
        Ok(Self { question: item.id, offers, at: 0, found: None, asked: 0, drawn: Standing::default() })
    }

    /// The rules as they would be kept.
    pub fn rules(&self) -> Vec<String> {
        self.offers.get(self.at).map(|(rules, _)| texts(rules)).unwrap_or_default()
    }

    /// What stands on the ctx.
    pub fn shown(&self) -> Shown {
        (self.question, self.rules(), self.found.is_some())
    }

    /// A narrower rule or a wider one; false when there is none.
    fn turn(&mut self, narrower: bool) -> bool {
        let to = if narrower { self.at + 1 } else { self.at.wrapping_sub(1) };
        if to >= self.offers.len() {
            return false;
        }
        (self.at, self.found) = (to, None);
        true
    }

    /// Whether the page shows the whole rule on a body of this size.
    fn fits(&self, body: Rect) -> bool {
        body.width >= 30 && usize::from(body.height) >= self.rules().len() + 8
    }

    fn rows(&self, ctx: &Ctx<'_>, width: usize) -> Vec<Row> {
        let mut rows = Rows { ctx, room: width.saturating_sub(LABEL).max(8), lines: Vec::new() };
        for (i, rule) in self.rules().iter().enumerate() {
            rows.text(if i == 0 { "rule" } else { "" }, rule, Slot::Strong);
        }
        let broad = self.offers.get(self.at).and_then(|(rules, _)| rules.iter().find_map(Rule::breadth));
        if let Some(why) = broad {
            rows.text("broad", why, Slot::Warn);
        }
        rows.text("reach", "every folder on this machine, until you remove it", Slot::Soft);
        rows.text("saved to", "the end of your permissions.toml", Slot::Soft);
        rows.lines.push(Row::new());
        for (i, example) in self.offers.get(self.at).map_or(&[][..], |(_, e)| e).iter().enumerate() {
            rows.example(if i == 0 { "matches" } else { "" }, example);
        }
        rows.lines.push(Row::new());
        let Some(found) = &self.found else {
            rows.text("past", "looking at the commands of past sessions…", Slot::Soft);
            return rows.lines;
        };
        rows.text("past", &summary(found), Slot::Text);
        for one in found.through.iter().take(MOST_PAST) {
            rows.past("", one);
        }
        if found.through.len() > MOST_PAST {
            rows.text("", &format!("and {} more", found.through.len() - MOST_PAST), Slot::Soft);
        }
        for (i, one) in found.held.iter().take(MOST_PAST).enumerate() {
            rows.past(if i == 0 { "asks" } else { "" }, one);
        }
        if !found.is_advisable() {
            let text = "not recommended: it covers high-risk commands or removals, which ask anyway";
            rows.text("", text, Slot::Warn);
        }
        rows.lines
    }
}

impl RuleOffer {
    /// Asks what the rule on the page would have done.
    pub fn rehearsal(&self) -> Ask {
        Ask::Rehearse(self.rules())
    }

    /// The second yes: the rule is kept, and the command runs.
    fn keep(&self, ctx: &Ctx<'_>) -> Outcome {
        let shown = self.shown();
        if self.found.is_none() {
            return Outcome::notice("wait until the check of past commands is done");
        }
        if !self.fits(ctx.body) {
            return Outcome::complaint("the screen is too small to show the whole rule");
        }
        if !ctx.stood(&self.drawn, &shown) {
            return Outcome::complaint(TOO_EARLY);
        }
        let (id, rules, _) = shown;
        Outcome::answer(id, Answer::Grant { rules, lasting: true }).and_close()
    }
}

impl Overlay for RuleOffer {
    fn name(&self) -> &'static str {
        "rule"
    }

    fn is_alone(&self) -> bool {
        true
    }

    fn render(&self, ctx: &Ctx<'_>, buf: &mut Buffer) -> Caret {
        let width = usize::from(ctx.body.width.min(110).saturating_sub(6));
        let rows = self.rows(ctx, width);
        let height = u16::try_from(rows.len() + 4).unwrap_or(u16::MAX);
        let area = super::centred(ctx.body, 110, height);
        let right = if ctx.body.width < 60 { "" } else { "not saved yet" };
        let mut keys = vec![("y", "save and run")];
        if self.at + 1 < self.offers.len() {
            keys.push(("-", "narrower"));
        }
        if self.at > 0 {
            keys.push(("+", "wider"));
        }
        keys.push(("q", "back"));
        let inner = frame(ctx, area, "Permanent rule", right, &keys, buf);
        paint(&rows, ctx, inner, buf);
        None
    }

    fn drew(&mut self, top: bool, ctx: &Ctx<'_>, now: Instant) {
        let shown = (top && self.fits(ctx.body)).then(|| self.shown());
        self.drawn.drew(shown, now);
    }

    fn covered(&mut self) {
        self.drawn = Standing::default();
    }

    fn weighs(&self, letter: char, _action: Option<Action>, _ctx: &Ctx<'_>) -> Option<Letter> {
        Some(Letter::among(&['y', 'q', '-', '+'], letter))
    }

    fn key(&mut self, key: KeyEvent, ctx: &Ctx<'_>) -> Option<Outcome> {
        let narrower = key.code == KeyCode::Char('-');
        Some(if key.code == KeyCode::Char('q') {
            Outcome::close()
        } else if key.code == KeyCode::Char('y') {
            self.keep(ctx)
        } else if (narrower || key.code == KeyCode::Char('+')) && self.turn(narrower) {
            Outcome { asks: vec![self.rehearsal()], ..Outcome::none() }
        } else {
            Outcome::none()
        })
    }

    fn asked(&mut self, number: u64) {
        self.asked = number;
    }

    /// Takes what the rule would have done, if it was asked for last.
    fn answered(&mut self, number: u64, reply: &Reply) {
        if let Reply::Rehearsed(found) = reply
            && number == self.asked
        {
            self.found = Some((**found).clone());
        }
    }
}

fn summary(found: &Rehearsal) -> String {
    match (found.seen, found.unasked()) {
        (0, _) => "no command has been proposed in this folder yet".to_owned(),
        (1, 0) => "1 past command in this folder checked; it would have asked anyway".to_owned(),
        (1, _) => "1 past command in this folder checked; it would have run without asking".to_owned(),
        (seen, 0) => {
            format!("{} in this folder checked; none would have run without asking", count(seen, "command"))
        }
        (seen, n) => {
            format!("{} in this folder checked; {n} would have run without asking", count(seen, "command"))
        }
    }
}

struct Rows<'a> {
    ctx: &'a Ctx<'a>,
    room: usize,
    lines: Vec<Row>,
}

impl Rows<'_> {
    /// A label and a text to its end.
    fn text(&mut self, label: &str, text: &str, slot: Slot) {
        let ink = if slot == Slot::Strong { Ink::of(slot).bold() } else { Ink::of(slot) };
        self.lines.extend(labelled(label, LABEL, &Row::of(text, ink), self.room));
    }

    fn example(&mut self, label: &str, example: &Example) {
        let (word, slot) = match example.outcome {
            policy::Outcome::Run => ("runs", Slot::Ok),
            policy::Outcome::Ask => ("asks", Slot::Warn),
            policy::Outcome::Refuse => ("refused", Slot::Bad),
        };
        let line = shorten(&Clean::line(&example.line), self.room.saturating_sub(9).max(4));
        let row = Row::of(&format!("{label:LABEL$}"), Slot::Soft);
        self.lines.push(row.and(&format!("{word:9}"), slot).and(&line, Slot::Text));
    }

    fn past(&mut self, label: &str, one: &Found) {
        let times = if one.times == 1 { String::new() } else { format!("  {} times", one.times) };
        let room = self.room.saturating_sub(11 + times.len()).max(4);
        let name = risk_name(one.risk, self.ctx.glyphs.waits == "!");
        let line = shorten(&Clean::line(&one.line), room);
        let row = Row::of(&format!("{label:LABEL$}"), Slot::Soft);
        let row = row.and(&format!("{name:11}"), risk_slot(one.risk));
        self.lines.push(row.and(&line, Slot::Text).and(&times, Slot::Soft));
    }
}
