//! What `echo` and `printf` print.
//!
//! Owns their escapes and formats. Never judges but for what no line has.

use super::expand::{Feed, Field, UNKNOWN};
use super::redirect::text_feed;
use super::value::Value;
use super::walk::Walker;

pub(super) fn echo(w: &Walker<'_>, args: &[Field]) -> Feed {
    if args.iter().any(|f| f.feed == Some(Feed::Fetched)) {
        return Feed::Fetched;
    }
    let mut rest = args;
    let mut escapes = false;
    while let Some((first, tail)) = rest.split_first()
        && first.text.starts_with('-')
        && first.text.len() > 1
        && first.text.chars().skip(1).all(|c| "neE".contains(c))
    {
        escapes |= first.text.contains('e');
        rest = tail;
    }
    let words: Vec<&str> = rest.iter().map(|f| f.text.as_str()).collect();
    let text = words.join(" ");
    // Some shells always read escapes.
    if !escapes && w.foreign && text.contains('\\') {
        return Feed::Other;
    }
    text_feed(if escapes { unescape(&text) } else { text } + "\n")
}

/// The escapes of `echo -e` and `printf`; one that is not known makes the text unknown.
fn unescape(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('\\') | None => out.push('\\'),
            Some('0' | 'u' | 'U' | 'c' | 'e' | 'E' | 'a' | 'b' | 'f' | 'r' | 'v' | '\'') => out.push(UNKNOWN),
            Some(d @ ('x' | '1'..='7')) => {
                let (radix, most) = if d == 'x' { (16, 2) } else { (8, 3) };
                let mut digits = if d == 'x' { String::new() } else { d.to_string() };
                while digits.len() < most
                    && let Some(next) = chars.next_if(|n| n.is_digit(radix))
                {
                    digits.push(next);
                }
                let value = u32::from_str_radix(&digits, radix).ok().and_then(char::from_u32);
                out.push(value.unwrap_or(UNKNOWN));
            }
            Some('"') => out.push('"'),
            Some(other) => out.extend(['\\', other]),
        }
    }
    out
}

pub(super) fn printf(w: &mut Walker<'_>, args: &[Field]) -> Feed {
    let (variable, args) = match args {
        [flag, name, dashes, rest @ ..] if flag.text == "-v" && dashes.text == "--" => {
            (Some(name.text.clone()), rest)
        }
        [flag, name, rest @ ..] if flag.text == "-v" => (Some(name.text.clone()), rest),
        [flag, dashes, rest @ ..] if flag.text.starts_with("-v") && dashes.text == "--" => {
            (flag.text.strip_prefix("-v").map(str::to_owned), rest)
        }
        [flag, rest @ ..] if flag.text.starts_with("-v") => {
            (flag.text.strip_prefix("-v").map(str::to_owned), rest)
        }
        [flag, rest @ ..] if flag.text == "--" => (None, rest),
        all => (None, all),
    };
    let Some((format, values)) = args.split_first() else { return Feed::Text(String::new()) };
    let mut out = String::new();
    let mut values = values.iter().peekable();
    loop {
        let had = values.len();
        let mut chars = format.text.chars().peekable();
        while let Some(c) = chars.next() {
            match (c, chars.peek()) {
                ('%', Some('%')) => {
                    chars.next();
                    out.push('%');
                }
                ('%', Some('s' | 'b' | 'd')) => {
                    chars.next();
                    out.push_str(values.next().map_or("", |f| f.text.as_str()));
                }
                ('%', Some(_)) => {
                    // A width that no line has; a star takes it from the next value.
                    let starred = chars.peek() == Some(&'*');
                    let next = values.peek().filter(|_| starred).map_or("", |value| value.text.as_str());
                    let digits =
                        |text: &mut dyn Iterator<Item = char>| text.take_while(char::is_ascii_digit).count();
                    let width =
                        digits(&mut chars.clone()).max(digits(&mut next.trim_start_matches('-').chars()));
                    if width > 7 {
                        w.hit("bomb", format.span);
                    }
                    out.push(UNKNOWN);
                    let _ = values.next();
                }
                (c, _) => out.push(c),
            }
        }
        if values.peek().is_none() || values.len() == had || out.len() > 65_536 {
            break;
        }
    }
    let out = unescape(&out);
    if let Some(name) = variable {
        w.assign(&name, Value::of(&out));
        return Feed::Inherit;
    }
    text_feed(out)
}
