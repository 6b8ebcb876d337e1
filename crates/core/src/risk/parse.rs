//! Reads a shell line the way bash does, up to lists, pipelines, compounds and redirects.
//!
//! Owns the grammar of commands; words are read in [`super::word`]. Never guesses: what it cannot
//! read is an error, and the caller treats an error as high. Nesting is capped, so the recursion is
//! bounded whatever the input.

use std::rc::Rc;

use super::syntax::{
    Assign, HereDoc, Kind, Node, Piece, Pipeline, Quote, Redirect, Script, Span, Target, Word,
};

/// Nesting beyond this is unreadable.
const MAX_DEPTH: usize = 60;

/// Why a text could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unreadable;

/// The result of every step of the parser.
pub(super) type Read<T> = Result<T, Unreadable>;

/// A here-document that was announced and whose lines have not come yet.
struct Pending {
    doc: Rc<HereDoc>,
    delimiter: String,
    quoted: bool,
    strip_tabs: bool,
}

/// The parser: a position in a text.
pub(super) struct Parser<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
    depth: usize,
    pending: Vec<Pending>,
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
        Self { text, at: 0, depth, pending: Vec::new(), origin }
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

    fn expect(&mut self, text: &str) -> Read<()> {
        if self.eat(text) { Ok(()) } else { Err(Unreadable) }
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
    fn newlines(&mut self) -> Read<()> {
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
            let start = self.at;
            let mut body = String::new();
            loop {
                if self.at >= self.text.len() {
                    return Err(Unreadable);
                }
                let line = self.rest().split('\n').next().unwrap_or("");
                self.at = (self.at + line.len() + 1).min(self.text.len());
                let line = if pending.strip_tabs { line.trim_start_matches('\t') } else { line };
                if line == pending.delimiter {
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

    /// The bare word at the current place, if it is one: for reserved words.
    fn peek_bare(&self) -> &'a str {
        let rest = self.rest();
        let end = rest
            .find(|c: char| c.is_ascii_whitespace() || ";&|()<>'\"\\$`".contains(c))
            .unwrap_or(rest.len());
        rest.get(..end).unwrap_or("")
    }

    fn reserved(&mut self, word: &str) -> bool {
        if self.peek_bare() == word {
            self.at += word.len();
            true
        } else {
            false
        }
    }

    fn expect_reserved(&mut self, word: &str) -> Read<()> {
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
        let mut conditional = false;
        loop {
            self.newlines()?;
            if self.at_stop() {
                if conditional {
                    return Err(Unreadable);
                }
                break;
            }
            let mut pipeline = self.pipeline()?;
            pipeline.conditional = conditional;
            conditional = false;
            self.blanks();
            if self.eat("&&") || self.eat("||") {
                conditional = true;
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
        loop {
            self.newlines()?;
            while self.reserved("!") {
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
        Ok(Pipeline { nodes, background: false, conditional: false })
    }

    fn command(&mut self) -> Read<Node> {
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
            "coproc" => {
                self.at += "coproc".len();
                self.blanks();
                let inner = self.command()?;
                let script = vec![Pipeline { nodes: vec![inner], background: false, conditional: false }];
                Kind::Compound { words: Vec::new(), bodies: vec![script], certain: false, subshell: false }
            }
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

    fn subshell(&mut self) -> Read<Kind> {
        self.expect("(")?;
        let body = self.script()?;
        self.expect(")")?;
        Ok(Kind::Compound { words: Vec::new(), bodies: vec![body], certain: true, subshell: true })
    }

    fn braces(&mut self) -> Read<Kind> {
        self.expect("{")?;
        let body = self.script()?;
        self.expect_reserved("}")?;
        Ok(Kind::Compound { words: Vec::new(), bodies: vec![body], certain: true, subshell: false })
    }

    fn arithmetic_command(&mut self) -> Read<Option<Kind>> {
        let Some(inner) = self.arithmetic_inner(1) else { return Ok(None) };
        let start = self.at;
        self.at += inner.len() + 4;
        let pieces = self.nested_text(inner, start)?;
        Ok(Some(Kind::Test(vec![Word { pieces, span: self.span_from(start) }])))
    }

    fn double_bracket(&mut self) -> Read<Kind> {
        self.at += 2;
        let mut words = Vec::new();
        loop {
            self.blanks();
            match self.byte(0) {
                None => return Err(Unreadable),
                Some(b'\n' | b'(' | b')' | b'<' | b'>' | b'&' | b'|') => self.at += 1,
                Some(_) if self.peek_bare() == "]]" => {
                    self.at += 2;
                    return Ok(Kind::Test(words));
                }
                Some(b';') => return Err(Unreadable),
                Some(_) => words.push(self.word()?),
            }
        }
    }

    fn if_clause(&mut self) -> Read<Kind> {
        self.at += 2;
        let mut bodies = vec![self.script()?];
        self.expect_reserved("then")?;
        bodies.push(self.script()?);
        while self.reserved("elif") {
            bodies.push(self.script()?);
            self.expect_reserved("then")?;
            bodies.push(self.script()?);
        }
        if self.reserved("else") {
            bodies.push(self.script()?);
        }
        self.expect_reserved("fi")?;
        Ok(Kind::Compound { words: Vec::new(), bodies, certain: false, subshell: false })
    }

    fn loop_clause(&mut self) -> Read<Kind> {
        self.at += "while".len();
        let condition = self.script()?;
        let body = self.do_group()?;
        Ok(Kind::Compound {
            words: Vec::new(),
            bodies: vec![condition, body],
            certain: false,
            subshell: false,
        })
    }

    fn do_group(&mut self) -> Read<Script> {
        self.expect_reserved("do")?;
        let body = self.script()?;
        self.expect_reserved("done")?;
        Ok(body)
    }

    fn for_clause(&mut self) -> Read<Kind> {
        self.at += self.peek_bare().len();
        self.blanks();
        if self.looking_at("((") {
            let inner = self.arithmetic_inner(1).ok_or(Unreadable)?;
            let start = self.at;
            self.at += inner.len() + 4;
            let pieces = self.nested_text(inner, start)?;
            self.blanks();
            let _ = self.eat(";");
            let body = self.do_group()?;
            let words = vec![Word { pieces, span: Span::default() }];
            return Ok(Kind::Compound { words, bodies: vec![body], certain: false, subshell: false });
        }
        let name = self.name().ok_or(Unreadable)?;
        self.newlines()?;
        let mut list = None;
        if self.reserved("in") {
            let mut words = Vec::new();
            loop {
                self.blanks();
                match self.byte(0) {
                    Some(b';' | b'\n') => break,
                    None | Some(b'&' | b'|' | b'(' | b')' | b'<' | b'>') => return Err(Unreadable),
                    Some(_) => words.push(self.word()?),
                }
            }
            list = Some(words);
        }
        self.blanks();
        let _ = self.eat(";");
        let body = self.do_group()?;
        Ok(Kind::Each { name, list, body })
    }

    fn case_clause(&mut self) -> Read<Kind> {
        self.at += 4;
        self.blanks();
        let mut words = vec![self.word()?];
        let mut bodies = Vec::new();
        self.expect_reserved("in")?;
        loop {
            self.newlines()?;
            if self.reserved("esac") {
                break;
            }
            let _ = self.eat("(");
            loop {
                self.blanks();
                words.push(self.word()?);
                self.blanks();
                if !self.eat("|") {
                    break;
                }
            }
            self.expect(")")?;
            bodies.push(self.script()?);
            if !(self.eat(";;&") || self.eat(";;") || self.eat(";&")) {
                self.expect_reserved("esac")?;
                break;
            }
        }
        Ok(Kind::Compound { words, bodies, certain: false, subshell: false })
    }

    fn function_keyword(&mut self) -> Read<Kind> {
        self.at += "function".len();
        self.blanks();
        let name = self.peek_bare().to_owned();
        if name.is_empty() {
            return Err(Unreadable);
        }
        self.at += name.len();
        self.blanks();
        if self.eat("(") {
            self.blanks();
            self.expect(")")?;
        }
        self.function_body(name)
    }

    fn function_body(&mut self, name: String) -> Read<Kind> {
        self.newlines()?;
        if !matches!(self.peek_bare(), "{" | "if" | "for" | "while" | "until" | "case" | "[[" | "select")
            && !self.looking_at("(")
        {
            return Err(Unreadable);
        }
        let body = Box::new(self.command()?);
        Ok(Kind::Function { name, body })
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
        } else if !self.word_ends() {
            values.push(self.word()?);
        }
        let subscript = self.text.get(start + name.len()..subscript_end).unwrap_or("");
        if !subscript.is_empty() {
            let pieces = self.nested_text(subscript, start)?;
            values.push(Word { pieces, span: self.span_from(start) });
            return Ok(Some(Assign { name, append: true, values, array: true, span: self.span_from(start) }));
        }
        Ok(Some(Assign { name, append, values, array, span: self.span_from(start) }))
    }

    fn redirect(&mut self) -> Read<Option<Redirect>> {
        let start = self.at;
        let digits = self.rest().bytes().take_while(u8::is_ascii_digit).count();
        let mut descriptor = self.rest().get(..digits).unwrap_or("").to_owned();
        if self.byte(0) == Some(b'{') {
            let close = self.rest().find('}').unwrap_or(0);
            let name = self.rest().get(1..close).unwrap_or("");
            let next = self.byte(close + 1);
            if !name.is_empty()
                && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
                && matches!(next, Some(b'<' | b'>'))
            {
                descriptor = name.to_owned();
                self.at += close + 1;
            }
        } else if matches!(self.byte(digits), Some(b'<' | b'>')) {
            self.at += digits;
        }
        let process = self.looking_at("<(") || self.looking_at(">(");
        if process || !(self.looking_at("<") || self.looking_at(">") || self.looking_at("&>")) {
            self.at = start;
            return Ok(None);
        }
        let stdin = descriptor.is_empty() || descriptor == "0";
        let target = self.redirect_target()?;
        Ok(Some(Redirect { target, span: self.span_from(start), stdin }))
    }

    fn redirect_target(&mut self) -> Read<Target> {
        if self.eat("<<<") {
            self.blanks();
            return Ok(Target::HereString(self.word()?));
        }
        if self.eat("<<") {
            let strip_tabs = self.eat("-");
            return self.here_document_start(strip_tabs);
        }
        if self.eat("<&") || self.eat(">&") {
            let input = self.text.as_bytes().get(self.at - 2) == Some(&b'<');
            self.blanks();
            let word = self.word()?;
            let text = bare(&word).unwrap_or("");
            let descriptor = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit() || b == b'-');
            return Ok(if descriptor || input { Target::Copy } else { Target::Write(word) });
        }
        let write = ["&>>", "&>", "<>", ">>", ">|", ">"].iter().any(|op| self.eat(op));
        if !write {
            self.expect("<")?;
        }
        self.blanks();
        let word = self.word()?;
        Ok(if write { Target::Write(word) } else { Target::Read(word) })
    }

    fn here_document_start(&mut self, strip_tabs: bool) -> Read<Target> {
        self.blanks();
        let word = self.word()?;
        let mut delimiter = String::new();
        let mut quoted = false;
        for piece in &word.pieces {
            let Piece::Text(text, quote) = piece else { return Err(Unreadable) };
            delimiter.push_str(text);
            quoted |= *quote != Quote::Bare;
        }
        let doc = Rc::new(HereDoc::default());
        self.pending.push(Pending { doc: Rc::clone(&doc), delimiter, quoted, strip_tabs });
        Ok(Target::HereDoc(doc))
    }
}

/// The text of a word written without quotes or expansions.
pub(super) fn bare(word: &Word) -> Option<&str> {
    match word.pieces.as_slice() {
        [Piece::Text(text, Quote::Bare)] => Some(text),
        _ => None,
    }
}
