//! Golden frames: every pane, overlay and state as it stands on the screen, in files that are reviewed as diffs.
//!
//! `PILOTHOUSE_FRAMES=update cargo test -p pilothouse-tui --lib golden` writes `tests/frames` anew. A file holds the
//! rows, then for each row its styles as runs: how many columns, the colour by its slot, `/` the ground, `+` modifiers; a
//! blank belongs to the run before it, and a row without styles is left out. Frames of the light ground hold the colours themselves.

pub(super) mod brought;
pub(super) mod research;
mod room;
pub(super) mod scenes;
mod small;

use std::{collections::BTreeSet, fmt::Write as _, fs, path::PathBuf};

use ratatui::{
    buffer::Cell,
    style::{Color, Modifier},
};

use super::*;
use crate::{
    theme::{Depth, Slot},
    window::RunRow,
};

/// Every frame is drawn at these sizes on a dark ground.
const SIZES: [(u16, u16); 4] = [(60, 20), (80, 24), (100, 30), (160, 45)];
/// And at this one on a light ground.
const LIGHT: (u16, u16) = (100, 30);

/// Slots that colour text, and slots that are grounds.
const INKS: [Slot; 16] = [
    Slot::Strong,
    Slot::Soft,
    Slot::Faint,
    Slot::Line,
    Slot::Accent,
    Slot::Info,
    Slot::Ok,
    Slot::OkDim,
    Slot::Warn,
    Slot::Bad,
    Slot::Text,
    Slot::Keyword,
    Slot::Str,
    Slot::Type,
    Slot::Num,
    Slot::Comment,
];
const GROUNDS: [Slot; 7] =
    [Slot::Surface, Slot::Raised, Slot::Select, Slot::Add, Slot::AddWord, Slot::Rem, Slot::RemWord];

/// How colours are written down.
#[derive(Clone, Copy)]
enum Names<'a> {
    Slots(&'a Theme),
    Colours,
}

impl Names<'_> {
    fn colour(self, colour: Color, ink: bool) -> String {
        let (Self::Slots(theme), false) = (self, colour == Color::Reset) else {
            return if colour == Color::Reset { String::new() } else { colour.to_string() };
        };
        let slots = if ink { &INKS[..] } else { &GROUNDS[..] };
        let of = |slot: Slot| if ink { theme.style(slot).fg } else { theme.fill(slot).bg };
        let found = slots.iter().find(|s| of(**s) == Some(colour));
        found.map_or_else(|| colour.to_string(), |s| s.key().to_owned())
    }

    /// The style of a cell, and whether nothing is seen of it but its ground.
    fn style(self, cell: &Cell) -> (String, bool) {
        let lines = Modifier::UNDERLINED | Modifier::REVERSED | Modifier::CROSSED_OUT;
        let blank = cell.symbol() == " " && !cell.modifier.intersects(lines);
        let mut style = if blank { String::new() } else { self.colour(cell.fg, true) };
        let ground = self.colour(cell.bg, false);
        if !ground.is_empty() {
            write!(style, "/{ground}").unwrap();
        }
        let modifier = if blank { Modifier::empty() } else { cell.modifier };
        for (name, _) in modifier.iter_names() {
            write!(style, "+{}", name.to_lowercase()).unwrap();
        }
        (style, blank)
    }
}

/// The ground in a style as it is written down.
fn ground(style: &str) -> &str {
    let from = style.find('/').unwrap_or(style.len());
    let to = style.find('+').unwrap_or(style.len());
    style.get(from..to).unwrap_or_default()
}

/// A frame as its file holds it.
fn written(buf: &Buffer, caret: Caret, names: Names<'_>) -> String {
    let mut out = crate::story::text(buf).join("\n");
    match caret {
        Some((x, y)) => writeln!(out, "\n--- caret in row {y}, column {x}").unwrap(),
        None => out.push_str("\n--- no caret\n"),
    }
    for y in 0..buf.area.height {
        let mut runs: Vec<(usize, String)> = Vec::new();
        for x in 0..buf.area.width {
            let (style, blank) = names.style(&buf[(x, y)]);
            match runs.last_mut() {
                Some((count, last)) if *last == style || blank && ground(last) == style => *count += 1,
                _ => runs.push((1, style)),
            }
        }
        if runs.iter().any(|(_, style)| !style.is_empty()) {
            let runs: Vec<String> = runs
                .iter()
                .map(|(n, style)| format!("{n} {}", if style.is_empty() { "-" } else { style }))
                .collect();
            writeln!(out, "{y:2}: {}", runs.join(", ")).unwrap();
        }
    }
    out
}

/// Every frame: the file's name and what is to stand in it.
fn frames() -> Vec<(String, String)> {
    let mut all = Vec::new();
    for (name, scene) in scenes::ALL {
        for (width, height) in SIZES {
            let mut desk = scene(width, height);
            let (buf, caret) = desk.draw();
            let text = written(&buf, caret, Names::Slots(&desk.app.looks.theme));
            all.push((format!("{name}-{width}x{height}.txt"), text));
            if (width, height) == LIGHT {
                desk.app.take_ground(false);
                let (buf, caret) = desk.draw();
                let text = written(&buf, caret, Names::Colours);
                all.push((format!("{name}-{width}x{height}-light.txt"), text));
            }
        }
    }
    for (name, scene) in scenes::INDEXED {
        let (width, height) = LIGHT;
        let mut desk = scene(width, height);
        desk.app.looks.look.depth = Depth::Indexed;
        for (dark, end) in [(true, ""), (false, "-light")] {
            let theme = Theme::source("default").unwrap();
            desk.app.looks.theme = Theme::parse(theme, dark, Depth::Indexed).unwrap();
            let (buf, caret) = desk.draw();
            all.push((format!("{name}-{width}x{height}{end}.txt"), written(&buf, caret, Names::Colours)));
        }
    }
    all
}

#[test]
fn every_frame_is_as_its_file_has_it() {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/frames"));
    let frames = frames();
    if std::env::var("PILOTHOUSE_FRAMES").is_ok_and(|v| v == "update") {
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        for (name, text) in &frames {
            fs::write(folder.join(name), text).unwrap();
        }
        return;
    }
    let entries = fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut left: BTreeSet<String> =
        entries.map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
    let mut wrong = Vec::new();
    for (name, text) in &frames {
        if !left.remove(name) {
            wrong.push(format!("{name}: there is no such file"));
            continue;
        }
        let file = fs::read_to_string(folder.join(name)).unwrap();
        if let Some((at, (old, new))) = first_difference(&file, text) {
            wrong.push(format!("{name}, line {at}:\n  file  {old}\n  drawn {new}"));
        }
    }
    wrong.extend(left.iter().map(|name| format!("{name}: nothing is drawn for it")));
    let how = "PILOTHOUSE_FRAMES=update cargo test -p pilothouse-tui --lib golden";
    assert!(
        wrong.is_empty(),
        "{}\n\n{} frames differ; look at them with:\n  {how}",
        wrong.join("\n"),
        wrong.len()
    );
}

fn first_difference<'a>(file: &'a str, drawn: &'a str) -> Option<(usize, (&'a str, &'a str))> {
    let (mut a, mut b) = (file.lines(), drawn.lines());
    (1..).map(|n| (n, (a.next(), b.next()))).take_while(|(_, pair)| *pair != (None, None)).find_map(
        |(n, (old, new))| (old != new).then(|| (n, (old.unwrap_or("(nothing)"), new.unwrap_or("(nothing)")))),
    )
}
