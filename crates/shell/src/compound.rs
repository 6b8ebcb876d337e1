//! Reads compound commands and redirects: the second half of the shell's grammar.
//!
//! Owns `if`, loops, `case`, groups, `[[ ]]`, functions and redirects. Never reads a word itself.

use std::rc::Rc;

use super::parse::{Parser, Pending, Read, Unreadable, bare};
use super::syntax::{
    HereDoc, Joined, Kind, Node, Piece, Pipeline, Quote, Redirect, Script, Shape, Span, Target, Word,
};

/// Words that open a compound command; `(` does as well.
const COMPOUNDS: [&str; 8] = ["{", "if", "for", "while", "until", "case", "[[", "select"];

impl Parser<'_> {
    pub(super) fn subshell(&mut self) -> Read<Kind> {
        self.expect("(")?;
        let body = self.script()?;
        self.expect(")")?;
        Ok(Kind::Compound { words: Vec::new(), bodies: vec![body], shape: Shape::Subshell })
    }

    pub(super) fn braces(&mut self) -> Read<Kind> {
        self.expect("{")?;
        let body = self.script()?;
        self.expect_reserved("}")?;
        Ok(Kind::Compound { words: Vec::new(), bodies: vec![body], shape: Shape::Group })
    }

    /// `coproc command`, or `coproc NAME` and a compound command.
    pub(super) fn coprocess(&mut self) -> Read<Kind> {
        self.at += "coproc".len();
        self.blanks();
        let start = self.at;
        let mut name = self.name();
        if name.is_some() {
            self.blanks();
            let compound = COMPOUNDS.contains(&self.peek_bare()) || self.looking_at("(");
            if !compound {
                self.at = start;
                name = None;
            }
        }
        let inner = self.command()?;
        let joined = Joined::Always;
        let script = vec![Pipeline { nodes: vec![inner], background: false, turned: false, joined }];
        let named =
            |name: String| Word { pieces: vec![Piece::Text(name, Quote::Bare)], span: self.span_from(start) };
        let words = name.map(named).into_iter().collect();
        Ok(Kind::Compound { words, bodies: vec![script], shape: Shape::Coprocess })
    }

    pub(super) fn arithmetic_command(&mut self) -> Read<Option<Kind>> {
        let Some(inner) = self.arithmetic_inner(1)? else { return Ok(None) };
        let start = self.at;
        self.at += inner.len() + 4;
        let pieces = self.nested_text(inner, start)?;
        Ok(Some(Kind::Test { words: vec![Word { pieces, span: self.span_from(start) }], arithmetic: true }))
    }

    pub(super) fn double_bracket(&mut self) -> Read<Kind> {
        self.at += 2;
        let mut words = Vec::new();
        loop {
            self.blanks();
            match self.byte(0) {
                None | Some(b';') => return Err(Unreadable),
                Some(b'\n') if !self.pending.is_empty() => return Err(Unreadable),
                // A process substitution, and no comparison.
                Some(b'<' | b'>') if self.byte(1) == Some(b'(') => words.push(self.word()?),
                Some(b'\n' | b'(' | b')' | b'<' | b'>' | b'&' | b'|') => self.at += 1,
                Some(_) if self.peek_bare() == "]]" => {
                    self.at += 2;
                    return Ok(Kind::Test { words, arithmetic: false });
                }
                Some(_) => words.push(self.word()?),
            }
        }
    }

    pub(super) fn if_clause(&mut self) -> Read<Kind> {
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
        Ok(Kind::Compound { words: Vec::new(), bodies, shape: Shape::Choice })
    }

    pub(super) fn loop_clause(&mut self) -> Read<Kind> {
        let shape = if self.peek_bare() == "until" { Shape::Until } else { Shape::While };
        self.at += "while".len();
        let bodies = vec![self.script()?, self.do_group()?];
        Ok(Kind::Compound { words: Vec::new(), bodies, shape })
    }

    pub(super) fn do_group(&mut self) -> Read<Script> {
        self.expect_reserved("do")?;
        let body = self.script()?;
        self.expect_reserved("done")?;
        Ok(body)
    }

    pub(super) fn for_clause(&mut self) -> Read<Kind> {
        let select = self.peek_bare() == "select";
        self.at += self.peek_bare().len();
        self.blanks();
        if self.looking_at("((") {
            let inner = self.arithmetic_inner(1)?.ok_or(Unreadable)?;
            let start = self.at;
            self.at += inner.len() + 4;
            let pieces = self.nested_text(inner, start)?;
            self.blanks();
            let _ = self.eat(";");
            let body = self.do_group()?;
            let words = vec![Word { pieces, span: Span::default() }];
            return Ok(Kind::Compound { words, bodies: vec![body], shape: Shape::While });
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
        let each = Kind::Each { name, list, body };
        if !select {
            return Ok(each);
        }
        // It asks again and again.
        let node = Node { kind: each, redirects: Vec::new(), span: Span::default() };
        let one = Pipeline { nodes: vec![node], background: false, turned: false, joined: Joined::Always };
        Ok(Kind::Compound { words: Vec::new(), bodies: vec![vec![one]], shape: Shape::While })
    }

    pub(super) fn case_clause(&mut self) -> Read<Kind> {
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
        Ok(Kind::Compound { words, bodies, shape: Shape::Cases })
    }

    pub(super) fn function_keyword(&mut self) -> Read<Kind> {
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

    pub(super) fn function_body(&mut self, name: String) -> Read<Kind> {
        self.newlines()?;
        if !COMPOUNDS.contains(&self.peek_bare()) && !self.looking_at("(") {
            return Err(Unreadable);
        }
        let body = Rc::new(self.command()?);
        Ok(Kind::Function { name, body })
    }

    pub(super) fn redirect(&mut self) -> Read<Option<Redirect>> {
        let start = self.at;
        let digits = self.rest().bytes().take_while(u8::is_ascii_digit).count();
        let mut descriptor = self.rest().get(..digits).unwrap_or("").to_owned();
        let mut variable = None;
        if self.byte(0) == Some(b'{') {
            let close = self.rest().find('}').unwrap_or(0);
            let name = self.rest().get(1..close).unwrap_or("");
            let next = self.byte(close + 1);
            if !name.is_empty()
                && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
                && matches!(next, Some(b'<' | b'>'))
            {
                name.clone_into(&mut descriptor);
                variable = Some(name.to_owned());
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
        let number: Option<usize> = descriptor.parse().ok();
        let printed =
            number.map_or_else(|| descriptor.is_empty() && !self.looking_at("<"), |number| number == 1);
        let output = printed || number == Some(2);
        let empties = !self.looking_at(">>") && !self.looking_at("&>>") && !self.looking_at("<>");
        let target = self.redirect_target()?;
        Ok(Some(Redirect { target, span: self.span_from(start), stdin, printed, output, empties, variable }))
    }

    pub(super) fn redirect_target(&mut self) -> Read<Target> {
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
            return Ok(if descriptor || input { Target::Copy(word) } else { Target::Write(word) });
        }
        let write = ["&>>", "&>", "<>", ">>", ">|", ">"].iter().any(|op| self.eat(op));
        if !write {
            self.expect("<")?;
        }
        self.blanks();
        let word = self.word()?;
        Ok(if write { Target::Write(word) } else { Target::Read(word) })
    }

    pub(super) fn here_document_start(&mut self, strip_tabs: bool) -> Read<Target> {
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
        let within = self.within;
        self.pending.push(Pending { doc: Rc::clone(&doc), delimiter, quoted, strip_tabs, within });
        Ok(Target::HereDoc(doc))
    }
}
