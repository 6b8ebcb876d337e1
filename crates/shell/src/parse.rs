//! Reads a shell line the way bash does, up to lists, pipelines, compounds and redirects.
//!
//! Owns the grammar of commands; words are read in [`super::word`]. Never guesses: what it cannot
//! read is an error, and the caller treats an error as high. Nesting is capped, so the recursion is
//! bounded whatever the input.

use std::rc::Rc;

use super::syntax::{Assign, HereDoc, Joined, Kind, Node, Piece, Pipeline, Quote, Script, Span, Word};
use super::word::is_plain_subscript;

/// Nesting beyond this is unreadable.
const MAX_DEPTH: usize = 60;

/// Why a text could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unreadable;

/// The result of every step of the parser.
pub(super) type Read<T> = Result<T, Unreadable>;

/// A here-document that was announced and whose lines have not come yet.
pub(super) struct Pending {
    pub(super) doc: Rc<HereDoc>,
    pub(super) delimiter: String,
    pub(super) quoted: bool,
    pub(super) strip_tabs: bool,
    /// How deep in words it was begun.
    pub(super) within: usize,
}

/// The parser: a position in a text.
pub(super) struct Parser<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
    depth: usize,
    pub(super) pending: Vec<Pending>,
    /// How deep in words, tests and lists the parser is: shells do not agree on where a here-document begins that was named
    /// outside of them.
    pub(super) within: usize,
    /// Set when the text is not a slice of the line: where it came from.
    origin: Option<Span>,
}

const STOP_WORDS: [&str; 9] = ["then", "else", "elif", "fi", "do", "done", "esac", "}", "]]"];

/// Parses a whole text.
///
/// # Errors
/// [`Unreadable`] when bash would refuse it, or when the reading is not certain.
pub(super) fn parse(text: &str) -> Read<Script> {
    let mut parser = Parser::new(text, 0, None);
    let script = parser.script()?;
    if parser.at < text.len() || !parser.pending.is_empty() {
        return Err(Unreadable);
    }
    Ok(script)
}

/// Parses a text as if it stood in double quotes, quote marks taken as they are.
pub(super) fn parse_quoted(text: &str) -> Read<Vec<Piece>> {
    Parser::new(text, 0, None).expanding_text()
}

/// Parses the inside of backticks or another nested text at a given depth.
pub(super) fn parse_nested(text: &str, depth: usize, origin: Span) -> Read<Script> {
    if depth >= MAX_DEPTH {
        return Err(Unreadable);
    }
    let mut parser = Parser::new(text, depth + 1, Some(origin));
    let script = parser.script()?;
    if parser.at < text.len() || !parser.pending.is_empty() {
        return Err(Unreadable);
    }
    Ok(script)
}

impl<'a> Parser<'a> {
    pub(super) const fn new(text: &'a str, depth: usize, origin: Option<Span>) -> Self {
        Self { text, at: 0, depth, pending: Vec::new(), within: 0, origin }
    }

    /// Reads a text that lies between `start` and here as inside double quotes.
    pub(super) fn nested_text(&self, text: &str, start: usize) -> Read<Vec<Piece>> {
        if self.depth >= MAX_DEPTH {
            return Err(Unreadable);
        }
        Parser::new(text, self.depth + 1, Some(self.span_from(start))).expanding_text()
    }

    pub(super) const fn depth(&self) -> usize {
        self.depth
    }

    pub(super) fn enter(&mut self) -> Read<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH { Err(Unreadable) } else { Ok(()) }
    }

    pub(super) const fn leave(&mut self) {
        self.depth -= 1;
    }

    pub(super) fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    pub(super) fn byte(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + ahead).copied()
    }

    pub(super) fn looking_at(&self, text: &str) -> bool {
        self.rest().starts_with(text)
    }

    pub(super) fn eat(&mut self, text: &str) -> bool {
        let yes = self.looking_at(text);
        if yes {
            self.at += text.len();
        }
        yes
    }

    pub(super) fn expect(&mut self, text: &str) -> Read<()> {
        if self.eat(text) { Ok(()) } else { Err(Unreadable) }
    }

    /// Where it is in its text.
    pub(super) const fn place(&self) -> usize {
        self.at
    }

    /// What was read since it was there.
    pub(super) fn text_from(&self, start: usize) -> &'a str {
        self.text.get(start..self.at).unwrap_or("")
    }

    pub(super) const fn span_from(&self, start: usize) -> Span {
        match self.origin {
            Some(origin) => origin,
            None => Span { start, end: self.at },
        }
    }

    /// Skips blanks, line continuations and comments; not newlines.
    pub(super) fn blanks(&mut self) {
        loop {
            match self.byte(0) {
                Some(b' ' | b'\t') => self.at += 1,
                Some(b'\\') if self.byte(1) == Some(b'\n') => self.at += 2,
                Some(b'#') => {
                    self.at += self.rest().find('\n').unwrap_or(self.rest().len());
                }
                _ => return,
            }
        }
    }

    /// Skips blanks and newlines, reading here-documents at each newline.
    pub(super) fn newlines(&mut self) -> Read<()> {
        loop {
            self.blanks();
            if self.byte(0) != Some(b'\n') {
                return Ok(());
            }
            self.at += 1;
            self.here_documents()?;
        }
    }

    fn here_documents(&mut self) -> Read<()> {
        for pending in std::mem::take(&mut self.pending) {
            if pending.within != self.within {
                return Err(Unreadable);
            }
            let start = self.at;
            let mut body = String::new();
            loop {
                if self.at >= self.text.len() {
                    return Err(Unreadable);
                }
                let line = self.here_line(pending.quoted);
                let line = if pending.strip_tabs { line.trim_start_matches('\t') } else { line };
                // Lines are joined before one of them can be the end.
                if line == pending.delimiter
                    || !pending.quoted && line.replace("\\\n", "") == pending.delimiter
                {
                    break;
                }
                body.push_str(line);
                body.push('\n');
            }
            // Leave the newline that ended the delimiter's line for the list.
            if self.text.as_bytes().get(self.at.wrapping_sub(1)) == Some(&b'\n') {
                self.at -= 1;
            }
            let span = self.span_from(start);
            let pieces = if pending.quoted {
                vec![Piece::Text(body, Quote::Single)]
            } else {
                self.nested_text(&body, start)?
            };
            let _ = pending.doc.body.set(Word { pieces, span });
        }
        Ok(())
    }

    /// Takes a line of a here-document, with those that it is joined to by a backslash at its end.
    fn here_line(&mut self, quoted: bool) -> &'a str {
        let rest = self.rest();
        let goes_on = |line: &str| line.bytes().rev().take_while(|b| *b == b'\\').count() % 2 == 1;
        let mut ends = rest.match_indices('\n').map(|(at, _)| at);
        let end = ends.find(|at| quoted || !goes_on(rest.get(..*at).unwrap_or("")));
        let line = rest.get(..end.unwrap_or(rest.len())).unwrap_or("");
        self.at = (self.at + line.len() + 1).min(self.text.len());
        line
    }

    /// The bare word at the current place, if it is one: for reserved words.
    pub(super) fn peek_bare(&self) -> &'a str {
        let rest = self.rest();
        let end = rest
            .find(|c: char| c.is_ascii_whitespace() || ";&|()<>'\"\\$`".contains(c))
            .unwrap_or(rest.len());
        // With a quote or an expansion at its end the word goes on, and is no reserved one.
        let goes_on = rest.get(end..).is_some_and(|tail| tail.starts_with(['\'', '"', '\\', '$', '`']));
        if goes_on { "" } else { rest.get(..end).unwrap_or("") }
    }

    pub(super) fn reserved(&mut self, word: &str) -> bool {
        if self.peek_bare() == word {
            self.at += word.len();
            true
        } else {
            false
        }
    }

    pub(super) fn expect_reserved(&mut self, word: &str) -> Read<()> {
        self.newlines()?;
        if self.reserved(word) { Ok(()) } else { Err(Unreadable) }
    }

    fn at_stop(&self) -> bool {
        match self.byte(0) {
            None | Some(b')') => true,
            Some(b';') => self.byte(1) == Some(b';') || self.byte(1) == Some(b'&'),
            _ => STOP_WORDS.contains(&self.peek_bare()),
        }
    }

    /// A list of pipelines up to a closing token, which is left in place.
    pub(super) fn script(&mut self) -> Read<Script> {
        self.enter()?;
        let mut out = Script::new();
        let mut joined = Joined::Always;
        loop {
            self.newlines()?;
            if self.at_stop() {
                if joined != Joined::Always {
                    return Err(Unreadable);
                }
                break;
            }
            let mut pipeline = self.pipeline()?;
            pipeline.joined = std::mem::replace(&mut joined, Joined::Always);
            self.blanks();
            if self.eat("&&") {
                joined = Joined::And;
            } else if self.eat("||") {
                joined = Joined::Or;
            } else if self.looking_at("&") && !self.looking_at("&>") {
                self.at += 1;
                pipeline.background = true;
            } else if self.looking_at(";") && !self.at_stop() {
                self.at += 1;
            } else if self.byte(0) != Some(b'\n') && !self.at_stop() {
                return Err(Unreadable);
            }
            out.push(pipeline);
        }
        self.leave();
        Ok(out)
    }

    fn pipeline(&mut self) -> Read<Pipeline> {
        let mut nodes = Vec::new();
        let mut turned = false;
        loop {
            self.newlines()?;
            if nodes.is_empty() {
                self.timed();
            }
            while self.reserved("!") {
                turned = true;
                self.blanks();
            }
            nodes.push(self.command()?);
            self.blanks();
            if self.looking_at("||") || !self.looking_at("|") {
                break;
            }
            self.at += 1;
            let _ = self.eat("&");
        }
        Ok(Pipeline { nodes, background: false, turned, joined: Joined::Always })
    }

    /// `time` before a compound is a word of the language; before anything else it is the program's name, a wrapper.
    fn timed(&mut self) {
        let start = self.at;
        if !self.reserved("time") {
            return;
        }
        self.blanks();
        if self.reserved("-p") {
            self.blanks();
        }
        let empty = self.rest().strip_prefix('(').is_some_and(|rest| rest.trim_start().starts_with(')'));
        let compound = matches!(self.peek_bare(), "{" | "[[" | "if" | "while" | "until" | "for" | "case");
        if empty || !compound && !self.looking_at("(") {
            self.at = start;
        }
    }

    pub(super) fn command(&mut self) -> Read<Node> {
        self.enter()?;
        let start = self.at;
        let kind = match self.peek_bare() {
            "" if self.looking_at("((") => match self.arithmetic_command()? {
                Some(kind) => kind,
                None => self.subshell()?,
            },
            "" if self.looking_at("(") => self.subshell()?,
            "{" => self.braces()?,
            "[[" => self.double_bracket()?,
            "if" => self.if_clause()?,
            "while" | "until" => self.loop_clause()?,
            "for" | "select" => self.for_clause()?,
            "case" => self.case_clause()?,
            "function" => self.function_keyword()?,
            "coproc" => self.coprocess()?,
            _ => {
                let node = self.simple(start)?;
                self.leave();
                return Ok(node);
            }
        };
        let mut redirects = Vec::new();
        loop {
            self.blanks();
            match self.redirect()? {
                Some(redirect) => redirects.push(redirect),
                None => break,
            }
        }
        self.leave();
        Ok(Node { kind, redirects, span: self.span_from(start) })
    }

    fn simple(&mut self, start: usize) -> Read<Node> {
        let mut assigns = Vec::new();
        let mut words: Vec<Word> = Vec::new();
        let mut redirects = Vec::new();
        let mut span = self.span_from(start);
        loop {
            self.blanks();
            if let Some(redirect) = self.redirect()? {
                redirects.push(redirect);
                span = self.span_from(start);
                continue;
            }
            match self.byte(0) {
                None | Some(b'\n' | b';' | b'&' | b'|' | b')') => break,
                Some(b'(') => {
                    let [word] = words.as_slice() else { return Err(Unreadable) };
                    let name = bare(word).ok_or(Unreadable)?.to_owned();
                    self.at += 1;
                    self.blanks();
                    self.expect(")")?;
                    if !assigns.is_empty() || !redirects.is_empty() {
                        return Err(Unreadable);
                    }
                    let kind = self.function_body(name)?;
                    return Ok(Node { kind, redirects, span: self.span_from(start) });
                }
                Some(_) => {}
            }
            let declares = words.first().is_some_and(|w| {
                matches!(bare(w), Some("declare" | "typeset" | "local" | "export" | "readonly"))
            });
            match self.assignment(words.is_empty(), declares)? {
                Some(assign) => assigns.push(assign),
                None => words.push(self.word()?),
            }
            span = self.span_from(start);
        }
        if assigns.is_empty() && words.is_empty() && redirects.is_empty() {
            return Err(Unreadable);
        }
        Ok(Node { kind: Kind::Simple { assigns, words }, redirects, span })
    }

    /// `name=…` before the program's name, or an array anywhere after `declare` and its kin.
    fn assignment(&mut self, leading: bool, declares: bool) -> Read<Option<Assign>> {
        let start = self.at;
        let Some(name) = self.name() else { return Ok(None) };
        if self.byte(0) == Some(b'[') {
            let close = self.rest().find("]=").or_else(|| self.rest().find("]+="));
            match close {
                Some(close) if leading && !self.rest().get(..close).unwrap_or(" ").contains([' ', '\n']) => {
                    if !is_plain_subscript(self.rest().get(..close).unwrap_or("")) {
                        return Err(Unreadable);
                    }
                    self.at += close + 1;
                }
                _ => {
                    self.at = start;
                    return Ok(None);
                }
            }
        }
        let subscript_end = self.at;
        let append = self.eat("+=");
        if !(append || self.eat("=")) || !(leading || declares && self.byte(0) == Some(b'(')) {
            self.at = start;
            return Ok(None);
        }
        let mut values = Vec::new();
        let array = self.eat("(");
        if array {
            self.within += 1;
            loop {
                self.newlines()?;
                if self.eat(")") {
                    break;
                }
                if matches!(self.byte(0), None | Some(b';' | b'&' | b'|' | b'(' | b'<' | b'>')) {
                    return Err(Unreadable);
                }
                values.push(self.word()?);
            }
            self.within -= 1;
            // What follows at once belongs to it.
            if !self.word_ends() || self.byte(0) == Some(b'#') {
                return Err(Unreadable);
            }
        } else if !self.word_ends() {
            values.push(self.word()?);
        }
        let subscript = self.text.get(start + name.len()..subscript_end).unwrap_or("");
        if !subscript.is_empty() {
            let pieces = self.nested_text(subscript, start)?;
            values.push(Word { pieces, span: self.span_from(start) });
            let span = self.span_from(start);
            return Ok(Some(Assign { name, append: true, element: true, values, array: true, span }));
        }
        Ok(Some(Assign { name, append, element: false, values, array, span: self.span_from(start) }))
    }
}

/// The text of a word written without quotes or expansions.
pub(super) fn bare(word: &Word) -> Option<&str> {
    match word.pieces.as_slice() {
        [Piece::Text(text, Quote::Bare)] => Some(text),
        _ => None,
    }
}
