//! The bar above the composer: the question that stands, its answers, and what else waits.
//!
//! Owns its words. It has no focus and takes no key: it names the keys of those that do.

mod room;

use pilothouse_core::{
    clean::Clean,
    ids::CheckpointId,
    question::{AGENT_ASKS, Choice, CommandQuestion, PLACE, Place, Spec, Tone, files_wait},
    session::State,
};
use ratatui::{
    layout::Rect,
    style::Modifier,
    text::{Line, Span},
};
use unicode_width::UnicodeWidthStr;

use self::room::elsewhere;
pub use self::room::{Rows, columns, render};

use crate::{
    app::enter::Enter,
    pane::{Focus, plan},
    risk::{judged, risk_name, risk_slot},
    row::{Ink, Row, coded, hang, parts, uncoded},
    status::shorten,
    theme::{Glyphs, Slot, Theme},
};

/// What the bar needs to know besides the state.
#[derive(Clone, Copy, Debug)]
pub struct Facts<'a> {
    /// Colours.
    pub theme: &'a Theme,
    /// Glyphs.
    pub glyphs: &'a Glyphs,
    /// Where the session can only be read: who answers what is asked, if anybody.
    pub reads: Option<&'static str>,
    /// What Enter does.
    pub enter: Enter,
    /// Where the keys go.
    pub focus: Focus,
    /// Whether something lies over that and has them.
    pub over: bool,
    /// The command that stands in the composer.
    pub offered: Option<CheckpointId>,
    /// The command that Enter runs.
    pub at_hand: Option<&'a CommandQuestion>,
    /// The key that goes to the plan.
    pub plan_key: &'a str,
    /// The key that goes to the diff.
    pub diff_key: &'a str,
    /// The key that opens the list of what waits.
    pub approvals_key: &'a str,
}

/// Columns before what is known of a question.
const FACT_LABEL: usize = 12;
/// Rows of its words and of one thing that is known of it; the list has more.
pub(crate) const FACT_ROWS: usize = 4;
/// Said of a command that may lose what could not be saved, where there is no room for what that is.
const LOSES: &str = "loses what is not saved";
/// Choices of more rows are cut, and shown whole by the list.
pub(crate) const OPTION_ROWS: usize = 12;
/// Rows of what waits beside a run; the list has more.
const WAITING_ROWS: usize = 3;
/// A command of more rows is shown whole by the list.
const COMMAND_ROWS: usize = 8;

/// The bar's rows at this width; none while nothing waits.
pub fn rows(state: &State, facts: &Facts<'_>, width: u16) -> Rows {
    let width = usize::from(width);
    if let Some(question) = state.phase_question() {
        let spec = state.spec(question);
        return if let Some(who) = facts.reads {
            read_rows(&spec, who, facts, width).into()
        } else {
            question_rows(&spec, facts, width)
        };
    }
    if let Some(command) = facts.at_hand {
        return command_rows(state, command, facts, width).into();
    }
    let Some((question, first)) = first_that_waits(state) else { return Rows::default() };
    waiting_rows(state, question, &first, facts, width)
}

/// The question of which a bar of this area shows every word, where it is none that holds the run and no command at hand.
pub fn stands_whole(state: &State, facts: &Facts<'_>, area: Rect) -> Option<CheckpointId> {
    let (question, first) = first_that_waits(state).filter(|_| state.phase_question().is_none())?;
    let rows = waiting_rows(state, question, &first, facts, usize::from(columns(area.width)));
    let shown = !rows.is_cut && rows.lines.len() <= usize::from(area.height);
    (first.is_told_by_title() && shown).then_some(question)
}

/// The question that the bar is about while a line is written.
pub fn shown(state: &State) -> Option<CheckpointId> {
    question(state).or_else(|| first_that_waits(state).map(|(id, _)| id))
}

fn first_that_waits(state: &State) -> Option<(CheckpointId, Spec)> {
    let open = state.open.values().map(|c| (c.id, state.spec(c))).filter(|(_, spec)| spec.things > 0);
    open.min_by_key(|(_, spec)| spec.order())
}

/// Whether the bar shows all of this command at this width.
pub fn shows_whole(command: &str, width: u16) -> bool {
    let columns = usize::from(width).saturating_sub(4);
    command.split('\n').map(|line| parts(line, columns, columns).len()).sum::<usize>() < COMMAND_ROWS
}

/// How many things wait on the user: every question is one, but of a review every file is.
pub fn waiting(state: &State) -> usize {
    state.open.values().map(|c| state.spec(c).things).sum()
}

/// The question that a key could answer while the bar shows it.
pub fn question(state: &State) -> Option<CheckpointId> {
    state.phase_question().map(|q| q.id)
}

/// A question that is not answered here: what it asks, and no key.
fn read_rows(spec: &Spec, who: &str, facts: &Facts<'_>, width: usize) -> Vec<Line<'static>> {
    let mut rows = title_rows(spec, facts, width).0;
    let last = rows.pop().unwrap_or_default();
    let mut rows: Vec<Line<'static>> = rows.into_iter().map(Line::from).collect();
    rows.push(closed(last, &[who.to_owned()], facts.theme, width));
    rows.extend(option_rows(spec, facts, width));
    rows
}

fn question_rows(spec: &Spec, facts: &Facts<'_>, width: usize) -> Rows {
    let theme = facts.theme;
    let strong = theme.style(Slot::Strong).add_modifier(Modifier::BOLD);
    let soft = theme.style(Slot::Soft);
    let (glyph, slot) = sound(spec.tone, facts.glyphs);
    let (words, suffix) = (uncoded(&spec.title), spec.suffix);
    let mut head = vec![
        Span::styled(format!("{glyph} "), theme.style(slot)),
        Span::styled(words, strong),
        Span::styled(suffix.to_owned(), soft),
    ];
    let used = |spans: &[Span<'_>]| spans.iter().map(|s| s.content.width()).sum::<usize>();
    let mut how = how(spec, facts);
    let (places, is_cut) = fact_rows(spec, facts, width);
    let (title, title_cut) = title_rows(spec, facts, width);
    let is_cut = is_cut || title_cut;
    if spec.free {
        let mut head = title;
        let last = head.pop().unwrap_or_default();
        let mut rows: Vec<Line<'static>> = head.into_iter().map(Line::from).collect();
        rows.push(closed(last, &how, theme, width));
        rows.extend(places);
        rows.extend(option_rows(spec, facts, width));
        return Rows { is_cut, ..rows.into() };
    }
    // Without their keys they take no more room, so that nothing moves with the focus.
    let keys = Keys::of(facts);
    let room = width.saturating_sub(3 + used(&choice_spans(&spec.choices, theme, Keys::Answer)));
    if used(&head) <= room && places.is_empty() {
        let answers = choice_spans(&spec.choices, theme, keys);
        let row = used(&head) + 3 + used(&answers);
        let led = how.is_empty() || how.iter().any(|how| row + 3 + how.width() <= width);
        if keys != Keys::Elsewhere || facts.over || led {
            head.push(Span::raw("   "));
            head.extend(answers);
        } else {
            // In a pane where their keys are none, the way to them goes before the answers.
            how.push(facts.plan_key.to_owned());
        }
        return vec![closed(head, &how, theme, width)].into();
    }
    let mut rows: Vec<Line<'static>> = title.into_iter().map(Line::from).collect();
    rows.extend(places);
    let all: Vec<Choice> = spec.choices.iter().filter(|c| !c.key.is_empty()).cloned().collect();
    let in_rows = |n: usize, keys: Keys| -> Vec<Vec<Span<'static>>> {
        all.chunks(all.len().div_ceil(n).max(1)).map(|part| choice_spans(part, theme, keys)).collect()
    };
    // As few rows as hold each of them with what it does.
    let fits = |n: &usize| in_rows(*n, Keys::Answer).iter().all(|row| used(row) + 2 <= width);
    let mut answers = in_rows((1..=all.len()).find(fits).unwrap_or_else(|| all.len().max(1)), keys);
    let indented = |part: Vec<Span<'static>>| [vec![Span::raw("  ")], part].concat();
    let count = answers.len();
    let last = answers.pop().unwrap_or_default();
    rows.extend(answers.into_iter().map(|part| Line::from(indented(part))));
    rows.push(closed(indented(last), &how, theme, width));
    Rows { lines: rows, answers: count, is_cut, alone: None }
}

/// The choices by their numbers, whole where they leave room for what they are about; else the list shows them whole.
fn option_rows(spec: &Spec, facts: &Facts<'_>, width: usize) -> Vec<Line<'static>> {
    let lead = |n: usize| Row::of("  ", Slot::Text).and(&format!("{n}  "), Ink::of(Slot::Accent).bold());
    let own = spec.own.map(Clean::line);
    let options = || spec.options.iter().chain(&own).take(9).zip(1..);
    let whole = options().flat_map(|(option, n)| hang(&lead(n), &coded(option, Slot::Text).pieces, width));
    let whole: Vec<Row> = whole.collect();
    if whole.len() <= OPTION_ROWS {
        return whole.iter().map(|row| row.line(facts.theme)).collect();
    }
    let cut = |(option, n): (&Clean, usize)| {
        lead(n).with(coded(option, Slot::Text)).cut(width, facts.glyphs.ellipsis)
    };
    let mut rows: Vec<Row> = options().map(cut).collect();
    let list = format!("  {} shows them whole", facts.approvals_key);
    rows.extend((!facts.approvals_key.is_empty()).then(|| Row::of(&list, Slot::Soft)));
    rows.iter().map(|row| row.line(facts.theme)).collect()
}

/// The words of a question with its sign, and whether they were cut.
fn title_rows(spec: &Spec, facts: &Facts<'_>, width: usize) -> (Vec<Vec<Span<'static>>>, bool) {
    let (glyph, slot) = sound(spec.tone, facts.glyphs);
    let lead = Row::of(&format!("{glyph} "), slot);
    let words =
        Row::of(&uncoded(&spec.title), Ink::of(Slot::Strong).bold()).and(spec.suffix, Ink::of(Slot::Soft));
    let mut rows = hang(&lead, &words.pieces, width);
    let is_cut = cut_rows(&mut rows, facts, width);
    (rows.iter().map(|row| row.line(facts.theme).spans).collect(), is_cut)
}

/// Cuts what has no room in a few rows, and says where all of it stands; whether something was cut.
fn cut_rows(rows: &mut Vec<Row>, facts: &Facts<'_>, width: usize) -> bool {
    let is_cut = rows.len() > FACT_ROWS;
    rows.truncate(FACT_ROWS);
    if let Some(last) = rows.last_mut().filter(|_| is_cut) {
        let more = Row::of(&elsewhere(facts), Slot::Soft);
        *last = std::mem::take(last).ends_keeping_right(more, width, facts.glyphs.ellipsis);
    }
    is_cut
}

/// What is known of a question, where the bar shows it, and whether it was cut: a place in a row, all else in a few.
fn fact_rows(spec: &Spec, facts: &Facts<'_>, width: usize) -> (Vec<Line<'static>>, bool) {
    let (mut rows, mut is_cut) = (Vec::new(), false);
    for (label, text) in &spec.facts {
        if *label == PLACE {
            rows.push(Row::of(&format!("  {}", shorten(text, width.saturating_sub(2))), Slot::Soft));
        } else if spec.facts_in_bar || *label == AGENT_ASKS {
            let lead = Row::of(&format!("  {label:0$}", FACT_LABEL - 2), Slot::Soft);
            let mut fact = hang(&lead, &Row::of(text, Slot::Text).pieces, width);
            is_cut |= cut_rows(&mut fact, facts, width);
            rows.extend(fact);
        }
    }
    (rows.iter().map(|row| row.line(facts.theme)).collect(), is_cut)
}

/// The row with the first of these at its right end for which there is room.
fn closed(mut left: Vec<Span<'static>>, right: &[String], theme: &Theme, width: usize) -> Line<'static> {
    let used: usize = left.iter().map(|s| s.content.width()).sum();
    if let Some(right) = right.iter().find(|right| used + right.width() + 3 <= width) {
        left.push(Span::raw(" ".repeat(width - used - right.width())));
        left.push(Span::styled(right.clone(), theme.style(Slot::Soft)));
    }
    Line::from(left)
}

fn key_style(theme: &Theme) -> ratatui::style::Style {
    theme.style(Slot::Accent).add_modifier(Modifier::BOLD)
}

/// What the keys of the answers are where the keys go now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Keys {
    /// Keys that answer at once.
    Answer,
    /// Letters of a line that answers.
    Typed,
    /// Keys of something else: none of them is named.
    Elsewhere,
}

impl Keys {
    fn of(facts: &Facts<'_>) -> Self {
        match facts.focus {
            _ if facts.over => Self::Elsewhere,
            Focus::Composer => Self::Typed,
            Focus::Pane(plan::ID) => Self::Answer,
            Focus::Pane(_) => Self::Elsewhere,
        }
    }
}

/// The answers with their keys, which are lit where they answer at once.
fn choice_spans(choices: &[Choice], theme: &Theme, keys: Keys) -> Vec<Span<'static>> {
    let typed = theme.style(Slot::Strong).add_modifier(Modifier::BOLD);
    let mut spans = Vec::new();
    for (i, choice) in choices.iter().filter(|c| !c.key.is_empty()).enumerate() {
        if i > 0 {
            spans.push(Span::raw("   "));
        }
        if keys == Keys::Elsewhere {
            spans.push(Span::styled(choice.label, theme.style(Slot::Soft)));
            continue;
        }
        spans.push(Span::styled(choice.key, if keys == Keys::Answer { key_style(theme) } else { typed }));
        spans.push(Span::styled(format!(" {}", choice.label), theme.style(Slot::Text)));
    }
    spans
}

/// The glyph of a question and its colour.
pub const fn sound(tone: Tone, glyphs: &Glyphs) -> (&'static str, Slot) {
    match tone {
        Tone::Offers => (glyphs.star, Slot::Accent),
        Tone::Asks => (glyphs.waits, Slot::Warn),
        Tone::Failed => (glyphs.failed, Slot::Bad),
    }
}

/// How it is answered from where the keys are now, the longest words first.
fn how(spec: &Spec, facts: &Facts<'_>) -> Vec<String> {
    // In the plan the letters answer; in any other pane nothing does until the plan has the keys.
    if Keys::of(facts) == Keys::Answer {
        return vec!["these keys answer here".to_owned()];
    }
    // A key that nothing is bound to is none to be told of.
    let bound = !facts.plan_key.is_empty();
    let default = spec.default_choice();
    let keys = match default {
        _ if !bound => Vec::new(),
        Some(choice) => {
            let does = if choice.verb.is_empty() { choice.label } else { choice.verb };
            vec![format!("{} {} {does}", facts.plan_key, choice.key)]
        }
        None => {
            ["answers in the plan", "to the plan"].map(|does| format!("{} {does}", facts.plan_key)).into()
        }
    };
    let behind = |words: &str| keys.iter().map(|key| format!("{words}  {key}")).collect::<Vec<_>>();
    match facts.enter {
        // What Enter does stands in the composer.
        Enter::Pane | Enter::Answer(_) => keys,
        Enter::Show if !bound => Vec::new(),
        Enter::Show => {
            vec![format!("{} shows the plan", facts.plan_key)]
        }
        _ if spec.free => vec!["or say it in your own words".to_owned()],
        Enter::Send | Enter::Line | Enter::List => [behind("keys go to your draft"), keys].concat(),
        Enter::Nothing | Enter::Command | Enter::Shelve | Enter::Open(_) | Enter::TakeOver => {
            vec!["type it, then Enter".to_owned()]
        }
    }
}

/// A command that waits, whole: how it runs and why, then the line as it is.
fn command_rows(
    state: &State,
    command: &CommandQuestion,
    facts: &Facts<'_>,
    width: usize,
) -> Vec<Line<'static>> {
    let theme = facts.theme;
    let beyond = match command.beyond() {
        beyond if beyond.is_empty() => String::new(),
        beyond => format!(", {beyond}"),
    };
    let folder = match &*command.folder {
        "" => String::new(),
        folder => format!(", in {}", Clean::line(folder)),
    };
    let risk = format!("{}{beyond}{folder}", risk_name(command.risk, facts.glyphs.waits == "!"));
    let more = more(waiting(state).saturating_sub(1), "");
    // The risk is said before what is asked.
    let head = format!("{} Run this command?   ", facts.glyphs.waits);
    let head = if head.width() + risk.width() <= width { head } else { format!("{} ", facts.glyphs.waits) };
    let used = head.width() + risk.width() + more.width();
    let why = match judged(&command.why, &command.reason).into_string() {
        why if why.is_empty() || used + 15 > width => String::new(),
        why => format!("   {}", shorten(&why, width - used - 3)),
    };
    let head = Line::from(vec![
        Span::styled(head, theme.style(Slot::Warn)),
        Span::styled(risk, theme.style(risk_slot(command.risk))),
        Span::styled(why, theme.style(Slot::Soft)),
        Span::styled(more, theme.style(Slot::Soft)),
    ]);
    let columns = width.saturating_sub(4);
    let lines = command.command.split('\n').flat_map(|line| parts(line, columns, columns));
    let line = |(n, text): (usize, String)| {
        let mark = if n == 0 { "  $ " } else { "    " };
        Line::from(vec![
            Span::styled(mark, key_style(theme)),
            Span::styled(text, theme.style(Slot::Strong).add_modifier(Modifier::BOLD)),
        ])
    };
    let mut rows: Vec<_> = std::iter::once(head).chain(lines.enumerate().map(line)).collect();
    let lost = command.lost().map(|lost| lost_rows(&lost, facts, width)).unwrap_or_default();
    if rows.len() > COMMAND_ROWS {
        rows.truncate(COMMAND_ROWS);
        rows.push(Line::from(Span::styled(
            format!("    {}", facts.glyphs.ellipsis),
            theme.style(Slot::Soft),
        )));
    }
    rows.extend(lost);
    rows
}

/// What a command may lose for good; the list shows it whole where it is long.
fn lost_rows(lost: &Clean, facts: &Facts<'_>, width: usize) -> Vec<Line<'static>> {
    let lead = Row::of("  not saved: ", Slot::Warn);
    let mut rows = hang(&lead, &Row::of(lost, Slot::Text).pieces, width);
    cut_rows(&mut rows, facts, width);
    rows.iter().map(|row| row.line(facts.theme)).collect()
}

/// What waits besides: files and questions, or things of one kind.
fn more(n: usize, kind: &str) -> String {
    let s = if n == 1 || kind.is_empty() { "" } else { "s" };
    if n == 0 { String::new() } else { format!("   and {n} more{kind}{s}") }
}

/// What waits, in a few rows.
fn waiting_rows(state: &State, id: CheckpointId, first: &Spec, facts: &Facts<'_>, width: usize) -> Rows {
    let theme = facts.theme;
    let key = if first.place == Place::Diff { facts.diff_key } else { facts.approvals_key };
    let opens = match first.place {
        _ if key.is_empty() => "",
        _ if facts.reads.is_some() => "look",
        Place::Diff => "review",
        Place::List | Place::Composer => "answer",
    };
    let reviews = state.open.values().map(|c| state.spec(c)).filter(|s| s.place == Place::Diff);
    let files = reviews.map(|s| s.things).sum::<usize>();
    let what = match &first.danger {
        Some(_) if facts.offered == Some(id) => "Run this command?".to_owned(),
        Some(danger) => {
            let risk = risk_name(danger.risk, facts.glyphs.waits == "!");
            let lost = first.loses.as_ref().map(|_| LOSES);
            let beyond: Vec<&str> = danger.beyond.into_iter().chain(lost).collect();
            let how = if beyond.is_empty() { String::new() } else { format!(", {}", beyond.join(", ")) };
            format!("{risk}{how}  {}", first.title)
        }
        // Steps at work at the same time each ask about their files: for the user they are one thing.
        None if first.place == Place::Diff => files_wait(files),
        None => first.title.as_str().to_owned(),
    };
    let more = match first.place {
        Place::Diff => more(waiting(state).saturating_sub(files), " question"),
        Place::List | Place::Composer => more(waiting(state).saturating_sub(first.things), ""),
    };
    let lead = facts.glyphs.waits.width() + 1;
    // What the key does goes before another row is taken, and the key itself where there is no room.
    let key = if width >= 16 + key.width() { key } else { "" };
    let opens = if opens.is_empty() { String::new() } else { format!(" {opens}") };
    let left = width.saturating_sub(lead + what.width() + more.width() + 3 + key.width());
    let alone = lead + what.width() + more.width() + 3 + key.width() <= width;
    let opens = if alone && left < opens.width() { String::new() } else { opens };
    let ends = Line::from(vec![
        Span::styled(key.to_owned(), key_style(theme)),
        Span::styled(opens, theme.style(Slot::Soft)),
    ]);
    let first = width.saturating_sub(lead + 3 + ends.width());
    let others = width.saturating_sub(lead);
    let row = |(n, (said, rest)): (usize, (String, &str))| {
        let sign = if n == 0 { format!("{} ", facts.glyphs.waits) } else { " ".repeat(lead) };
        let mut row = Line::from(vec![
            Span::styled(sign, theme.style(Slot::Warn)),
            Span::styled(said, theme.style(Slot::Strong)),
            Span::styled(rest.to_owned(), theme.style(Slot::Soft)),
        ]);
        if n == 0 {
            row.push_span(" ".repeat(width.saturating_sub(row.width() + ends.width())));
            row.spans.extend(ends.spans.iter().cloned());
        }
        row
    };
    let (said, whole) = words_of(&what, &more, (first, others), WAITING_ROWS);
    let (one, _) = words_of(&what, &more, (first, others), 1);
    let lines: Vec<Line<'static>> = said.into_iter().enumerate().map(row).collect();
    Rows { lines, answers: 0, is_cut: !whole, alone: one.into_iter().enumerate().map(row).next() }
}

/// What waits in so many rows, the first of which is shorter, and at the end how much more does; whether no word is cut.
fn words_of<'m>(
    what: &str,
    more: &'m str,
    (first, others): (usize, usize),
    most: usize,
) -> (Vec<(String, &'m str)>, bool) {
    let mut rows = parts(what, first, others);
    let room = |n: usize| if n == 0 { first } else { others }.saturating_sub(more.width());
    let end = rows.len().min(most) - 1;
    let whole = rows.len() <= most && rows.get(end).is_some_and(|last| last.trim_end().width() <= room(end));
    let rest = if whole { String::new() } else { rows.split_off(end).concat() };
    rows.extend((!whole).then(|| shorten(&rest, room(end))));
    let said = rows.into_iter().enumerate();
    (said.map(|(n, row)| (row.trim_end().to_owned(), if n == end { more } else { "" })).collect(), whole)
}
