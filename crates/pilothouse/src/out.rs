//! Standard output and standard error as people read them: nothing in them steers the terminal.
//!
//! Owns that step for every text; lines of JSON have their own escapes and go out as they are.

use std::io::{self, BufRead, IsTerminal, Write};

use pilothouse_core::clean::is_forbidden;

use crate::exit::{ASKED, Failure};

/// Standard output; `json` is for programs and passes unchanged.
pub fn out(json: bool) -> Shown<io::Stdout> {
    Shown { inner: io::stdout(), exact: json, line: Vec::new() }
}

/// Standard error.
pub fn err() -> Shown<io::Stderr> {
    Shown { inner: io::stderr(), exact: false, line: Vec::new() }
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

/// Text for people on its way out, line by line.
pub struct Shown<W: Write> {
    inner: W,
    exact: bool,
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

impl<W: Write> Shown<W> {
    fn put(&mut self) -> io::Result<()> {
        let line = std::mem::take(&mut self.line);
        self.inner.write_all(clean(&String::from_utf8_lossy(&line)).as_bytes())
    }
}

impl<W: Write> Write for Shown<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.exact {
            return self.inner.write(bytes);
        }
        for part in bytes.split_inclusive(|b| *b == b'\n') {
            self.line.extend_from_slice(part);
            if part.ends_with(b"\n") {
                self.put()?;
            }
        }
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

    #[test]
    fn nothing_steers_the_terminal_and_json_passes() {
        let shown = |exact: bool, parts: &[&str]| {
            let mut inner = Vec::new();
            let mut shown = Shown { inner: &mut inner, exact, line: Vec::new() };
            for part in parts {
                assert!(shown.write_all(part.as_bytes()).is_ok());
            }
            drop(shown);
            String::from_utf8_lossy(&inner).into_owned()
        };
        assert_eq!(shown(false, &["a\x1b]0;t\x07\tb\n", "c\u{202e}d", "\r\x7f"]), "a␛]0;t␇\tb\nc<U+202E>d␍␡");
        assert_eq!(shown(true, &["{\"a\":\"\u{9b}\"}\n"]), "{\"a\":\"\u{9b}\"}\n");
    }
}
