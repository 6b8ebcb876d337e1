//! Text on grounds: what stands for a colour that cannot be read on one.
//!
//! Owns which colours stand for those of a theme there.

use std::collections::BTreeMap;

use ratatui::{
    buffer::Buffer,
    style::{Color, Style},
};

use super::{
    Slot, Theme,
    palette::{self, TEXT, contrast, fitting, parts},
};

/// How many steps lead from a colour to the strongest one.
const STEPS: u16 = 20;

/// Colours on one ground, each with the one that stands for it there.
pub(super) type OnGround = (Color, Vec<(Color, Color)>);

/// For each ground the colours of text that cannot be read on it, each with the one that stands for it there.
pub(super) fn readable(colours: &BTreeMap<Slot, Color>, indexed: bool) -> Vec<OnGround> {
    let grounds = Slot::ALL.into_iter().filter(|slot| palette::is_ground(*slot));
    let of = |slot: Slot| Some((*colours.get(&slot)?, readable_on(colours, slot, indexed)));
    grounds.filter_map(of).filter(|(_, all)| !all.is_empty()).collect()
}

/// The same for one: on the chosen row the next stronger colour of the theme, else, and on every other ground first, the
/// nearest on the way to its strongest.
fn readable_on(colours: &BTreeMap<Slot, Color>, on: Slot, indexed: bool) -> Vec<(Color, Color)> {
    let of = |slot: Slot| colours.get(&slot).copied();
    let (Some(ground), Some(strong)) = (of(on).and_then(parts), of(Slot::Strong).and_then(parts)) else {
        return Vec::new();
    };
    let reads = |colour: &Color| parts(*colour).is_some_and(|c| contrast(c, ground) >= TEXT);
    let towards = |from: [u8; 3], step: u16| {
        let mut parts = from.iter().zip(strong).map(|(from, to)| {
            let part = (u16::from(*from) * (STEPS - step) + u16::from(to) * step) / STEPS;
            u8::try_from(part).unwrap_or(u8::MAX)
        });
        let mut next = || parts.next().unwrap_or_default();
        let mixed = [next(), next(), next()];
        let near = || fitting(mixed, |c| contrast(c, ground) >= TEXT);
        if indexed { near().map(|(n, _)| Color::Indexed(n)) } else { Some(exact(mixed)) }
    };
    let mut found = Vec::new();
    for slot in Slot::ALL.into_iter().filter(|slot| !palette::is_ground(*slot) && *slot != Slot::Line) {
        let Some(colour) = of(slot).filter(|colour| !reads(colour)) else { continue };
        let Some(from) = parts(colour) else { continue };
        let stronger = if on != Slot::Select {
            None
        } else if matches!(slot, Slot::Faint | Slot::Comment | Slot::Arrow) {
            of(Slot::Soft)
        } else {
            of(Slot::Ok).filter(|_| slot == Slot::OkDim)
        };
        let mixed = || (1..=STEPS).filter_map(|step| towards(from, step)).find(reads);
        if let Some(other) = stronger.filter(reads).or_else(mixed) {
            found.push((colour, other));
        }
    }
    found
}

const fn exact([r, g, b]: [u8; 3]) -> Color {
    Color::Rgb(r, g, b)
}

impl Theme {
    /// Lays the ground below all that is drawn; nothing where it is the terminal's own.
    pub fn lay_ground(&self, buf: &mut Buffer) {
        let ground = self.ground();
        if ground != Style::new() {
            buf.content.iter_mut().for_each(|cell| _ = cell.set_style(ground));
        }
    }

    /// What was drawn on a ground, in colours that can be read there.
    pub fn settle_grounds(&self, buf: &mut Buffer) {
        let on = |ground: Color| self.grounds.iter().find(|(of, _)| *of == ground).map(|(_, all)| all);
        let mut ground = (Color::Reset, on(Color::Reset));
        for cell in &mut buf.content {
            // Neighbours stand on the same ground.
            if cell.bg != ground.0 {
                ground = (cell.bg, on(cell.bg));
            }
            let other = ground.1.and_then(|all| all.iter().find(|(colour, _)| *colour == cell.fg));
            if let Some((_, other)) = other {
                cell.fg = *other;
            }
        }
    }
}
