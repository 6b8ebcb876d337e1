//! How many colours a terminal has, by the variables that it sets.
//!
//! Owns the order in which they are asked. What is not said is not assumed: a terminal that was sent colours which it does
//! not know shows none of them right.

use super::Depth;

/// Terminals with 24-bit colours, by the name that TERM has there.
const RICH: &str = include_str!("../../../../assets/terminals.txt");

impl Depth {
    /// Reads it from the usual variables: `NO_COLOR`, `COLORTERM`, `TERM`, and what multiplexers set.
    pub fn of<'a>(get: impl Fn(&str) -> &'a str) -> Self {
        let term = get("TERM");
        // Multiplexers and remote shells keep the terminal's name and lose `COLORTERM`.
        let named = RICH.lines().filter(|line| !line.starts_with('#')).any(|name| is_named(term, name));
        let says = matches!(get("COLORTERM"), "truecolor" | "24bit") || term.ends_with("-direct") || named;
        // Screen hands the variable of the terminal around it on, and garbles what that means; tmux finds the nearest colour.
        let garbled = term.starts_with("screen") && get("TMUX").is_empty();
        match (get("NO_COLOR").is_empty(), says && !garbled, term.contains("256color")) {
            (false, ..) => Self::None,
            (true, true, _) => Self::TrueColor,
            (true, false, true) => Self::Indexed,
            (true, false, false) => Self::Ansi16,
        }
    }
}

/// Whether this is the terminal of that name: `xterm-kitty`, `foot-extra`.
fn is_named(term: &str, name: &str) -> bool {
    term.split(['-', '.']).any(|part| part == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn so_many_colours_are_sent_as_a_terminal_says_that_it_has() {
        for (variables, depth) in [
            ("TERM=xterm-256color COLORTERM=truecolor", Depth::TrueColor),
            ("TERM=xterm-256color COLORTERM=24bit", Depth::TrueColor),
            ("TERM=xterm-direct", Depth::TrueColor),
            ("TERM=xterm-256color", Depth::Indexed),
            ("TERM=tmux-256color TMUX=/tmp/t", Depth::Indexed),
            ("TERM=screen-256color COLORTERM=truecolor TMUX=/tmp/t", Depth::TrueColor),
            ("TERM=screen-256color COLORTERM=truecolor STY=1.pts", Depth::Indexed),
            ("TERM=screen.xterm-256color COLORTERM=truecolor", Depth::Indexed),
            ("TERM=screen COLORTERM=truecolor", Depth::Ansi16),
            ("TERM=xterm-kitty", Depth::TrueColor),
            ("TERM=xterm-ghostty", Depth::TrueColor),
            ("TERM=alacritty", Depth::TrueColor),
            ("TERM=foot-extra", Depth::TrueColor),
            ("TERM=xterm COLORTERM=yes", Depth::Ansi16),
            ("TERM=linux", Depth::Ansi16),
            ("", Depth::Ansi16),
            ("TERM=xterm-256color COLORTERM=truecolor NO_COLOR=1", Depth::None),
            ("TERM=xterm-256color NO_COLOR=", Depth::Indexed),
        ] {
            let get = |name: &str| {
                let all = variables.split(' ').filter_map(|variable| variable.split_once('='));
                all.into_iter().find(|(key, _)| *key == name).map_or("", |(_, value)| value)
            };
            assert_eq!(Depth::of(get), depth, "{variables}");
        }
    }
}
