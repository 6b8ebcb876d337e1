//! Standard output and standard error as people read them: nothing in them steers the terminal.
//!
//! Owns that step for every text, and for lines of JSON, in which the same characters stand as escapes: the value is the same.

use std::io::{self, BufRead, IsTerminal, Write};

use pilothouse_core::clean::is_forbidden;

use crate::exit::{ASKED, Failure};

/// Standard output; `json` is for programs, whose every value passes unchanged.
pub fn out(json: bool) -> Shown<io::Stdout> {
    Shown { inner: io::stdout(), json, line: Vec::new() }
}

/// Standard error.
pub fn err() -> Shown<io::Stderr> {
    Shown { inner: io::stderr(), json: false, line: Vec::new() }
}

/// Tells a person something beside the result.
#[expect(clippy::print_stderr, reason = "messages for people go to standard error")]
pub fn say(text: &str) {
    eprintln!("pilothouse: {}", clean(text));
}

/// Asks a person at the terminal; only a yes is one.
///
/// # Errors
/// With `unasked`, where nobody is at one.
pub fn agrees(out: &mut impl Write, question: &str, unasked: &str) -> Result<bool, Failure> {
    if !(io::stdin().is_terminal() && io::stdout().is_terminal()) {
        return Err(Failure::new(ASKED, unasked));
    }
    write!(out, "{question} [y/N] ")?;
    out.flush()?;
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line)?;
    Ok(matches!(line.trim(), "y" | "yes"))
}

/// Text on its way out, in whole lines.
pub struct Shown<W: Write> {
    inner: W,
    json: bool,
    /// What came since the last line ended.
    line: Vec<u8>,
}

/// A text without what could steer a terminal; tabs and line ends stay.
pub fn clean(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\t' => clean.push(c),
            '\0'..='\x1f' => clean.extend(char::from_u32(0x2400 + u32::from(c))),
            '\x7f' => clean.push('␡'),
            _ if is_forbidden(c) => clean.push_str(&format!("<U+{:04X}>", u32::from(c))),
            _ => clean.push(c),
        }
    }
    clean
}

/// JSON with an escape for whatever could steer a terminal that shows it. Such a character stands in strings alone; what JSON
/// allows between them is ASCII, and that has its escapes from whoever wrote it.
fn escaped(json: &str) -> String {
    let mut all = String::with_capacity(json.len());
    for c in json.chars() {
        if c >= '\x7f' && is_forbidden(c) {
            c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| all.push_str(&format!("\\u{unit:04x}")));
        } else {
            all.push(c);
        }
    }
    all
}

impl<W: Write> Shown<W> {
    fn put(&mut self) -> io::Result<()> {
        let line = std::mem::take(&mut self.line);
        let text = String::from_utf8_lossy(&line);
        let shown = if self.json { escaped(&text) } else { clean(&text) };
        self.inner.write_all(shown.as_bytes())
    }
}

impl<W: Write> Write for Shown<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // All lines that end here at once: what is written in large pieces leaves in large pieces.
        let ended = bytes.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
        let (lines, rest) = bytes.split_at_checked(ended).unwrap_or((bytes, &[]));
        if !lines.is_empty() {
            self.line.extend_from_slice(lines);
            self.put()?;
        }
        self.line.extend_from_slice(rest);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.put()?;
        self.inner.flush()
    }
}

impl<W: Write> Drop for Shown<W> {
    fn drop(&mut self) {
        // Whoever wants to know flushes.
        let _ = self.flush();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(json: bool, parts: &[&str]) -> String {
        let mut inner = Vec::new();
        let mut shown = Shown { inner: &mut inner, json, line: Vec::new() };
        for part in parts {
            assert!(shown.write_all(part.as_bytes()).is_ok());
        }
        drop(shown);
        String::from_utf8_lossy(&inner).into_owned()
    }

    #[test]
    fn nothing_steers_the_terminal() {
        let text = shown(false, &["a\x1b]0;t\x07\tb\n", "c\u{202e}d", "\r\x7f"]);
        assert_eq!(text, "a␛]0;t␇\tb\nc<U+202E>d␍␡");
    }

    #[test]
    fn every_value_passes_in_json_and_no_character_steers_the_terminal() {
        let odd: String = ('\0'..='\u{3000}')
            .chain('\u{fe00}'..='\u{ffff}')
            .chain(['\u{e0041}', '🙂', '\\', '"'])
            .collect();
        let value = serde_json::json!({&odd: [&odd, 1]});
        let text = value.to_string();
        let (first, second) = text.split_at(
            text.len() / 2 + (0..4).find(|n| text.is_char_boundary(text.len() / 2 + n)).unwrap_or(0),
        );
        let lines = shown(true, &[first, second, "\n", "{}\n"]);
        assert!(!lines.contains(|c| c != '\n' && is_forbidden(c)), "{lines:?}");
        let read: Vec<serde_json::Value> =
            lines.lines().map(|line| serde_json::from_str(line).unwrap_or_default()).collect();
        assert_eq!(read, [value, serde_json::json!({})]);
        assert_eq!(shown(true, &["\"\u{9b}\u{e0041}é🙂\"\n"]), "\"\\u009b\\udb40\\udc41é🙂\"\n");
    }
}
