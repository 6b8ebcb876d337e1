//! Colours of a theme as terminals with 256 of them can show them.
//!
//! Owns the choice among the 240 that are the same everywhere: the cube and the greys. The first sixteen are the
//! user's own and mean anything; they are never chosen.

use std::collections::BTreeMap;

use ratatui::style::Color;

use super::Slot;

/// What text needs on its ground, as WCAG 2 has it, and what code needs on the grounds of a diff, which are
/// stronger here than any theme means them.
pub(super) const TEXT: f64 = 4.5;
const CODE: f64 = 3.0;

/// Hues further apart than this, in radians, are different colours to the eye.
const HUE: f64 = 0.55;
/// Colours with less chroma than this are greys, and with less than the other are seen as greys beside real colours.
const GREY: f64 = 0.012;
const GREYISH: f64 = 0.04;

/// A ground further than this, as Oklab has it, from the colour that it stands for is another one: the darkest green and red
/// of the cube shout where a theme means a tinge.
const LOUD: f64 = 0.1;

/// The steps of the cube.
const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];

/// A colour by its parts.
type Rgb = [u8; 3];

/// The colours of a theme, each as the one of the 240 that is nearest to it and can still be read.
pub(super) fn indexed(
    colours: &BTreeMap<Slot, Color>,
    ground: Option<Color>,
    dark: bool,
) -> (BTreeMap<Slot, Color>, Option<Color>) {
    let own = if dark { [16, 16, 20] } else { [255, 255, 255] };
    let behind = ground.and_then(parts).unwrap_or(own);
    let painted = ground.and_then(parts).map(|c| nearest(c, |_| true));
    let behind = painted.map_or(behind, |n| n.1);
    let text = [Slot::Text, Slot::Strong].iter().find_map(|s| colours.get(s).copied().and_then(parts));
    let text = text.unwrap_or(if dark { [255, 255, 255] } else { [0, 0, 0] });
    let mut found: BTreeMap<Slot, (u8, Rgb)> = BTreeMap::new();
    for (slot, colour) in colours.iter().filter(|(s, _)| is_ground(**s)) {
        let Some(colour) = parts(*colour) else { continue };
        let tells = matches!(slot, Slot::Add | Slot::AddWord | Slot::Rem | Slot::RemWord);
        // A changed line stands out from what is not changed, and what goes from what comes.
        let others = [Slot::Surface, if *slot == Slot::Rem { Slot::Add } else { Slot::Surface }];
        let taken: Vec<Rgb> =
            others.iter().filter_map(|s| Some(found.get(s)?.1)).chain(painted.map(|n| n.1)).collect();
        let apart = |c: Rgb| contrast(text, c) >= TEXT && !(tells && taken.contains(&c));
        let alike = |c: Rgb| apart(c) && (!tells || same_hue(colour, c));
        // A changed line is as quiet as its theme has it, if need be as a grey: its sign says which it is.
        let line = matches!(slot, Slot::Add | Slot::Rem);
        let calm = |c: Rgb| !line || distance(lab(c), lab(colour)).sqrt() <= LOUD;
        let best =
            fitting(colour, |c| alike(c) && calm(c)).or_else(|| fitting(colour, |c| apart(c) && calm(c)));
        let best = best.or_else(|| fitting(colour, alike)).or_else(|| fitting(colour, apart));
        found.insert(*slot, best.unwrap_or_else(|| nearest(colour, |_| true)));
    }
    let diff: Vec<Rgb> = [Slot::Add, Slot::Rem].iter().filter_map(|s| Some(found.get(s)?.1)).collect();
    for (slot, colour) in colours.iter().filter(|(s, _)| !is_ground(**s)) {
        let Some(colour) = parts(*colour) else { continue };
        let least = contrast(colour, behind).min(if *slot == Slot::Faint { CODE } else { TEXT });
        let line = *slot == Slot::Line;
        // A grey that would have to be lighter stays a grey: a hue means something.
        let hue = |c: Rgb| chroma(colour) >= GREYISH || chroma(c) < GREY;
        let fits = |c: Rgb| {
            line || (hue(c)
                && contrast(c, behind) >= least
                && diff.iter().all(|ground| contrast(c, *ground) >= CODE))
        };
        found.insert(*slot, nearest(colour, fits));
    }
    let index = |(slot, (n, _)): (Slot, (u8, Rgb))| (slot, Color::Indexed(n));
    (found.into_iter().map(index).collect(), painted.map(|(n, _)| Color::Indexed(n)))
}

pub(super) const fn is_ground(slot: Slot) -> bool {
    matches!(
        slot,
        Slot::Surface | Slot::Raised | Slot::Select | Slot::Add | Slot::AddWord | Slot::Rem | Slot::RemWord
    )
}

/// The one of the 240 that looks most like it among those that fit; of all where none does.
fn nearest(colour: Rgb, fits: impl Fn(Rgb) -> bool) -> (u8, Rgb) {
    fitting(colour, fits).or_else(|| fitting(colour, |_| true)).unwrap_or((16, [0; 3]))
}

/// The one of the 240 that looks most like it among those that fit.
pub(super) fn fitting(colour: Rgb, fits: impl Fn(Rgb) -> bool) -> Option<(u8, Rgb)> {
    let seen = lab(colour);
    let far = |c: Rgb| distance(seen, lab(c));
    let all = (16..=255).map(|n| (n, rgb(n))).filter(|(_, c)| fits(*c));
    all.min_by(|(_, a), (_, b)| far(*a).total_cmp(&far(*b)))
}

/// What the terminal shows for a number from 16 on.
pub(super) fn rgb(n: u8) -> Rgb {
    let cube = n.saturating_sub(16);
    if n >= 232 {
        return [8 + 10 * (n - 232); 3];
    }
    let step = |n: u8| STEPS.get(usize::from(n % 6)).copied().unwrap_or_default();
    [step(cube / 36), step(cube / 6), step(cube)]
}

/// The parts of a colour that is the same in every terminal.
pub(super) fn parts(colour: Color) -> Option<Rgb> {
    if let Color::Indexed(n @ 16..) = colour {
        return Some(rgb(n));
    }
    if let Color::Rgb(r, g, b) = colour { Some([r, g, b]) } else { None }
}

fn linear(part: u8) -> f64 {
    let v = f64::from(part) / 255.0;
    if v <= 0.040_45 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) }
}

/// How far two colours stand apart to be read on each other, as WCAG 2 defines it.
pub(super) fn contrast(a: Rgb, b: Rgb) -> f64 {
    let luminance = |[r, g, b]: Rgb| 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

/// Lightness and the two axes of colour, as Oklab defines them (Ottosson 2020).
fn lab([r, g, b]: Rgb) -> [f64; 3] {
    let (r, g, b) = (linear(r), linear(g), linear(b));
    let long = (0.412_221_470_8 * r + 0.536_332_536_3 * g + 0.051_445_992_9 * b).cbrt();
    let medium = (0.211_903_498_2 * r + 0.680_699_545_1 * g + 0.107_396_956_6 * b).cbrt();
    let short = (0.088_302_461_9 * r + 0.281_718_837_6 * g + 0.629_978_700_5 * b).cbrt();
    [
        0.210_454_255_3 * long + 0.793_617_785_0 * medium - 0.004_072_046_8 * short,
        1.977_998_495_1 * long - 2.428_592_205_0 * medium + 0.450_593_709_9 * short,
        0.025_904_037_1 * long + 0.782_771_766_2 * medium - 0.808_675_766_0 * short,
    ]
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

/// How far it is from grey.
fn chroma(colour: Rgb) -> f64 {
    let [_, a, b] = lab(colour);
    a.hypot(b)
}

/// Whether both are greys or both of about the same hue.
fn same_hue(a: Rgb, b: Rgb) -> bool {
    let ([_, aa, ab], [_, ba, bb]) = (lab(a), lab(b));
    let greys = (chroma(a) < GREY, chroma(b) < GREY);
    if greys.0 || greys.1 {
        return greys.0 && greys.1;
    }
    let apart = (ab.atan2(aa) - bb.atan2(ba)).abs();
    apart.min(std::f64::consts::TAU - apart) <= HUE
}
