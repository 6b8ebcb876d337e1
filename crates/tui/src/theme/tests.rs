use super::*;

#[test]
fn every_builtin_theme_fills_every_slot_in_dark_and_light() {
    for name in Theme::names() {
        for dark in [true, false] {
            let theme = Theme::parse(Theme::source(name).unwrap(), dark, Depth::TrueColor).unwrap();
            assert_eq!(theme.name(), name);
            for slot in Slot::ALL.into_iter().filter(|s| *s != Slot::Text) {
                assert!(theme.colour(slot).is_some(), "{name} {slot:?}");
            }
        }
    }
}

#[test]
fn every_theme_that_was_asked_for_is_there() {
    let asked = [
        "default",
        "catppuccin",
        "dracula",
        "ghostty",
        "github",
        "gruvbox",
        "haze",
        "night-owl",
        "nord",
        "one-dark-pro",
        "pierre",
        "rose-pine",
        "solarized",
        "tokyo-night",
        "vitesse",
        "holy-light",
    ];
    for name in asked {
        assert!(Theme::names().any(|n| n == name), "{name}");
    }
}

#[test]
fn a_name_of_before_means_the_theme_that_it_was() {
    assert_eq!(Theme::named("one"), "one-dark-pro");
    assert_eq!(Theme::named("nord"), "nord");
    assert!(Theme::source(Theme::named("one")).is_some() && Theme::names().all(|name| name != "one"));
}

#[test]
fn an_arrow_is_as_faint_as_what_is_repeated_unless_the_theme_says_otherwise() {
    for (name, dark, depth) in shown_richly().filter(|(.., depth)| *depth == Depth::TrueColor) {
        let theme = Theme::parse(Theme::source(name).unwrap(), dark, depth).unwrap();
        let alike = theme.colour(Slot::Arrow) == theme.colour(Slot::Faint);
        assert_eq!(alike, name != "holy-light", "{name} {dark} {depth:?}");
    }
    let holy = Theme::parse(Theme::source("holy-light").unwrap(), true, Depth::TrueColor).unwrap();
    assert_eq!(holy.colour(Slot::Arrow), Some(Color::Rgb(0x8a, 0x72, 0x35)), "gold, dimmed");
}

/// Relative luminance as WCAG 2 defines it.
fn luminance(colour: Color) -> f64 {
    let [r, g, b] = if let Color::Indexed(n) = colour {
        palette::rgb(n)
    } else if let Color::Rgb(r, g, b) = colour {
        [r, g, b]
    } else {
        return 0.0;
    };
    let part = |v: u8| {
        let v = f64::from(v) / 255.0;
        if v <= 0.03928 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b)
}

pub(crate) fn contrast(a: Color, b: Color) -> f64 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

#[test]
fn text_can_be_read_on_every_ground() {
    use Slot as S;
    let words = [(S::AddWord, "add_word"), (S::RemWord, "rem_word"), (S::Select, "select")];
    let inks = [S::Strong, S::Soft, S::Accent, S::Info, S::Ok, S::OkDim, S::Warn, S::Bad];
    for (name, dark, depth) in shown_richly() {
        let theme = Theme::parse(Theme::source(name).unwrap(), dark, depth).unwrap();
        let own = if dark { Color::Rgb(16, 16, 20) } else { Color::Rgb(255, 255, 255) };
        let ground = theme.ground.unwrap_or(own);
        for ink in inks {
            let c = contrast(theme.colour(ink).unwrap(), ground);
            assert!(c >= 4.5, "{name} dark={dark} {depth:?} {ink:?} has {c:.1}:1");
        }
        let text = theme.colour(S::Text).or(theme.colour(S::Strong)).unwrap();
        for (slot, key) in words {
            let c = contrast(text, theme.colour(slot).unwrap());
            assert!(c >= 4.5, "{name} dark={dark} {depth:?} text on {key} has {c:.1}:1");
        }
        let faint = contrast(theme.colour(S::Faint).unwrap(), ground);
        assert!(faint >= 3.0, "{name} dark={dark} {depth:?} faint has {faint:.1}:1");
    }
}

/// Every theme on both grounds at both depths that show its colours.
fn shown_richly() -> impl Iterator<Item = (&'static str, bool, Depth)> {
    let depths = [Depth::TrueColor, Depth::Indexed];
    let grounds = move |name| [true, false].into_iter().flat_map(move |dark| depths.map(|d| (name, dark, d)));
    Theme::names().flat_map(grounds)
}

#[test]
fn with_256_colours_a_diff_has_grounds_that_differ_and_code_is_read_on_them() {
    use Slot as S;
    let code = [S::Strong, S::Keyword, S::Str, S::Type, S::Num, S::Comment, S::Ok, S::Bad, S::Faint];
    for (name, dark, _) in shown_richly().filter(|(_, _, depth)| *depth == Depth::Indexed) {
        let theme = Theme::parse(Theme::source(name).unwrap(), dark, Depth::Indexed).unwrap();
        let of = |slot| theme.colour(slot).unwrap();
        for slot in S::ALL.into_iter().filter(|s| *s != S::Text) {
            assert!(matches!(of(slot), Color::Indexed(16..)), "{name} dark={dark} {slot:?}: {:?}", of(slot));
        }
        let at = format!("{name} dark={dark}");
        assert_ne!(of(S::Add), of(S::Rem), "{at}");
        for (line, word) in [(S::Add, S::AddWord), (S::Rem, S::RemWord)] {
            assert_ne!(of(line), of(S::Surface), "{at} {line:?}");
            assert_ne!(theme.fill(line), theme.fill(word), "{at} {word:?}");
            for ink in code {
                let c = contrast(of(ink), of(line));
                assert!(c >= 3.0, "{at} {ink:?} on {line:?} has {c:.1}:1");
            }
        }
        assert_ne!(of(S::Select), of(S::Raised), "{at}");
    }
}

#[test]
fn with_256_colours_a_changed_line_is_as_quiet_as_its_theme_means_it() {
    for dark in [true, false] {
        let source = Theme::source("default").unwrap();
        let meant = Theme::parse(source, dark, Depth::TrueColor).unwrap();
        let shown = Theme::parse(source, dark, Depth::Indexed).unwrap();
        for slot in [Slot::Add, Slot::Rem] {
            let parts = |theme: &Theme| palette::parts(theme.colour(slot).unwrap()).unwrap();
            // How colourful it is: the widest gap between its parts.
            let gap = |c: [u8; 3]| c.iter().max().unwrap() - c.iter().min().unwrap();
            let (meant, shown) = (parts(&meant), parts(&shown));
            assert!(gap(shown) <= gap(meant) + 30, "{slot:?} dark={dark}: {shown:?} for {meant:?}");
        }
    }
}

#[test]
fn without_colours_only_bold_underline_and_reverse_are_left() {
    let theme = Theme::parse(Theme::source("default").unwrap(), true, Depth::None).unwrap();
    for slot in Slot::ALL {
        for style in [theme.style(slot), theme.fill(slot)] {
            assert!(style.fg.is_none() && style.bg.is_none());
            let allowed = Modifier::BOLD | Modifier::UNDERLINED | Modifier::REVERSED;
            assert!(allowed.contains(style.add_modifier), "{slot:?}");
        }
    }
    assert_eq!(theme.fill(Slot::Select).add_modifier, Modifier::REVERSED);
    assert_eq!(theme.style(Slot::Bad).add_modifier, Modifier::BOLD);
}

#[test]
fn a_bad_theme_is_refused_with_the_place() {
    for dark in [true, false] {
        for (text, told) in [
            ("[dark]\nacent = \"#ffffff\"", "2:1: no colour is called `acent`; there are ground, text,"),
            (
                "[dark]\naccent = \"gold\"",
                "2:10: `accent` is \"gold\"; a colour is \"#rrggbb\" or \"default\"",
            ),
            ("[light]\n  accent = 12", "2:12: `accent` is 12; a colour is"),
            ("[light]\naccent = \"#ff00zz\"", "2:10: `accent` is \"#ff00zz\""),
            ("name = \"x\"\nbase = \"nosuch\"", "2:1: no theme has a key `base`; it has `name`, `[dark]`"),
            ("accent = \"#ffffff\"", "1:1: no theme has a key `accent`"),
            ("dark = \"#000000\"", "1:8: `dark` is a table; write `[dark]`"),
            ("name = 3", "1:8: `name` is a text"),
            ("\n= 3", "2:1: "),
        ] {
            let error = Theme::parse(text, dark, Depth::TrueColor).unwrap_err().to_string();
            assert!(error.starts_with(told), "{text}: {error}");
        }
    }
}

#[test]
fn the_bar_has_twelve_cells_and_the_percentage_keeps_its_place() {
    assert_eq!(Glyphs::UNICODE.progress(2, 3), "[████████░░░░]  67%");
    assert_eq!(Glyphs::UNICODE.progress(0, 0), "[░░░░░░░░░░░░]   0%");
    assert_eq!(Glyphs::UNICODE.underway(1, 2), "[██████░░░░░░]  50%");
    assert_eq!(Glyphs::UNICODE.underway(3, 3), "[███████████░]  99%");
    assert_eq!(Glyphs::ASCII.progress(9, 4), "[############] 100%");
    let unicode = unicode_width::UnicodeWidthStr::width(Glyphs::UNICODE.taken);
    assert_eq!(unicode, Glyphs::ASCII.taken.len());
}

#[test]
fn a_bar_is_full_only_when_all_is_done() {
    for total in 1..=300 {
        for done in 0..=total {
            let bar = Glyphs::ASCII.progress(done, total);
            let full = (bar.contains("100%"), bar.contains("[############]"));
            assert_eq!(full, (done == total, done == total), "{done} of {total}: {bar}");
        }
    }
}

#[test]
fn whatever_is_drawn_on_a_ground_can_be_read_there() {
    use ratatui::{buffer::Buffer, layout::Rect};
    let ground = |slot: &Slot| palette::is_ground(*slot);
    for (name, dark, depth) in shown_richly() {
        let theme = Theme::parse(Theme::source(name).unwrap(), dark, depth).unwrap();
        for on in Slot::ALL.into_iter().filter(ground) {
            for ink in Slot::ALL.into_iter().filter(|slot| !ground(slot) && *slot != Slot::Line) {
                let mut buf = Buffer::empty(Rect::new(0, 0, 1, 1));
                buf.set_string(0, 0, "x", theme.fill(on).patch(theme.style(ink)));
                theme.settle_grounds(&mut buf);
                let cell = &buf[(0, 0)];
                if ink == Slot::Text && theme.colour(ink).is_none() {
                    continue;
                }
                let c = contrast(cell.fg, cell.bg);
                assert!(c >= 4.5, "{name} dark={dark} {depth:?} {ink:?} on {on:?} has {c:.2}:1");
            }
        }
    }
}
