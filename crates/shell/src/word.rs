//! Reads shell words: quotes, escapes, expansions and substitutions.
//!
//! Owns unquoting. Never resolves a variable and never judges.

use super::parse::{Parser, Read, Unreadable, parse_nested};
use super::syntax::{Piece, Quote, Script, Span, VarOp, Word};

/// Where a run of pieces ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Until {
    /// At an unquoted metacharacter.
    Word,
    /// At `"`.
    DoubleQuote,
    /// At `}`; `quoted` inside double quotes.
    Brace { quoted: bool },
    /// At the end of the text (here-documents, arithmetic).
    End,
}

impl Until {
    /// Whether text is read as inside double quotes.
    const fn quoted(self) -> bool {
        match self {
            Self::DoubleQuote | Self::End => true,
            Self::Brace { quoted } => quoted,
            Self::Word => false,
        }
    }
}

impl<'a> Parser<'a> {
    /// Whether a word would be empty here.
    pub(super) fn word_ends(&self) -> bool {
        match self.byte(0) {
            None | Some(b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')') => true,
            Some(b'<' | b'>') => self.byte(1) != Some(b'('),
            Some(_) => false,
        }
    }

    /// One word; an empty one is an error.
    pub(super) fn word(&mut self) -> Read<Word> {
        let start = self.at;
        let pieces = self.pieces(Until::Word)?;
        if self.at == start {
            return Err(Unreadable);
        }
        // Beside a `$` that begins nothing bash keeps a value whole that it parts anywhere else.
        let alone = |piece: &Piece| matches!(piece, Piece::Text(text, Quote::Bare) if text.ends_with('$'));
        let parted = |piece: &Piece| {
            matches!(piece, Piece::Var { quoted: false, .. } | Piece::Sub { quoted: false, .. })
        };
        if pieces.iter().any(alone) && pieces.iter().any(parted) {
            return Err(Unreadable);
        }
        Ok(Word { pieces, span: self.span_from(start) })
    }

    /// The whole text, read as inside double quotes but with plain quote marks.
    pub(super) fn expanding_text(&mut self) -> Read<Vec<Piece>> {
        self.pieces(Until::End)
    }

    /// A variable's name.
    pub(super) fn name(&mut self) -> Option<String> {
        let rest = self.rest();
        let first = rest.bytes().next()?;
        if !(first.is_ascii_alphabetic() || first == b'_') {
            return None;
        }
        let len = rest.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
        self.at += len;
        rest.get(..len).map(str::to_owned)
    }

    fn pieces(&mut self, until: Until) -> Read<Vec<Piece>> {
        self.enter()?;
        let mut out = Vec::new();
        while !self.run_ends(until)? {
            let piece = match (self.byte(0), self.byte(1)) {
                (Some(b'\\'), _) => self.escape(until),
                (Some(b'\''), _) if !until.quoted() => Some(self.single()?),
                (Some(b'"'), _) if until != Until::End => {
                    self.at += 1;
                    let inner = self.pieces(Until::DoubleQuote)?;
                    self.at += 1;
                    if inner.is_empty() {
                        Some(Piece::Text(String::new(), Quote::Double))
                    } else {
                        out.extend(inner);
                        None
                    }
                }
                (Some(b'$'), Some(b'\'')) if !until.quoted() => Some(self.ansi()?),
                (Some(b'$'), Some(b'"')) if !until.quoted() => {
                    self.at += 1;
                    None
                }
                (Some(b'$'), _) => Some(self.dollar(until.quoted())?),
                (Some(b'`'), _) => Some(self.backticks(until)?),
                (Some(b'<' | b'>'), Some(b'('))
                    if matches!(until, Until::Word | Until::Brace { quoted: false }) =>
                {
                    let fed = self.looking_at(">");
                    self.at += 2;
                    Some(Piece::Proc { script: self.script_within()?, fed })
                }
                _ => Some(self.plain(until)),
            };
            if let Some(piece) = piece {
                push_joined(&mut out, piece);
            }
        }
        self.leave();
        Ok(out)
    }

    fn run_ends(&self, until: Until) -> Read<bool> {
        match (until, self.byte(0)) {
            (Until::Word, _) => Ok(self.word_ends()),
            (Until::End, next) => Ok(next.is_none()),
            (Until::DoubleQuote | Until::Brace { .. }, None) => Err(Unreadable),
            (Until::DoubleQuote, Some(next)) => Ok(next == b'"'),
            (Until::Brace { .. }, Some(next)) => Ok(next == b'}'),
        }
    }

    fn plain(&mut self, until: Until) -> Piece {
        let rest = self.rest();
        let stop = |c: char| match until {
            Until::Word => " \t\n;&|()<>\\'\"$`".contains(c),
            Until::DoubleQuote => "\"\\$`".contains(c),
            Until::Brace { quoted: true } => "}\\'\"$`".contains(c),
            Until::Brace { quoted: false } => "}\\'\"$`<>".contains(c),
            Until::End => "\\$`".contains(c),
        };
        // At least one character is taken, or the caller would not move on.
        let first = rest.chars().next().map_or(1, char::len_utf8);
        let tail = rest.get(first..).unwrap_or("");
        let len = first + tail.find(stop).unwrap_or(tail.len());
        self.at += len;
        let quote = if until.quoted() { Quote::Double } else { Quote::Bare };
        Piece::Text(rest.get(..len).unwrap_or("").to_owned(), quote)
    }

    fn escape(&mut self, until: Until) -> Option<Piece> {
        let Some(next) = self.rest().chars().nth(1) else {
            self.at += 1;
            return Some(Piece::Text("\\".to_owned(), Quote::Escaped));
        };
        self.at += 1 + next.len_utf8();
        if next == '\n' {
            return None;
        }
        let kept = until.quoted()
            && !(matches!(next, '$' | '`' | '\\')
                || next == '"' && until != Until::End
                || next == '}' && matches!(until, Until::Brace { .. }));
        let text = if kept { format!("\\{next}") } else { next.to_string() };
        let quote = if until.quoted() { Quote::Double } else { Quote::Escaped };
        Some(Piece::Text(text, quote))
    }

    fn single(&mut self) -> Read<Piece> {
        let rest = self.rest().get(1..).unwrap_or("");
        let len = rest.find('\'').ok_or(Unreadable)?;
        self.at += len + 2;
        Ok(Piece::Text(rest.get(..len).unwrap_or("").to_owned(), Quote::Single))
    }

    fn ansi(&mut self) -> Read<Piece> {
        self.at += 2;
        let mut bytes: Vec<u8> = Vec::new();
        loop {
            let c = self.rest().chars().next().ok_or(Unreadable)?;
            self.at += c.len_utf8();
            match c {
                '\'' => break,
                '\\' => self.ansi_escape(&mut bytes)?,
                c => bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
            }
        }
        Ok(Piece::Text(String::from_utf8_lossy(&bytes).into_owned(), Quote::Ansi))
    }

    fn ansi_escape(&mut self, out: &mut Vec<u8>) -> Read<()> {
        let c = self.rest().chars().next().ok_or(Unreadable)?;
        let simple = match c {
            'a' => Some(7),
            'b' => Some(8),
            'e' | 'E' => Some(27),
            'f' => Some(12),
            'n' => Some(b'\n'),
            'r' => Some(13),
            't' => Some(b'\t'),
            'v' => Some(11),
            _ => None,
        };
        if let Some(byte) = simple {
            self.at += 1;
            out.push(byte);
            return Ok(());
        }
        let (skip, radix, most) = match c {
            'x' => (1, 16, 2),
            'u' => (1, 16, 4),
            'U' => (1, 16, 8),
            '0'..='7' => (0, 8, 3),
            'c' => return Err(Unreadable),
            c => {
                self.at += c.len_utf8();
                out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                return Ok(());
            }
        };
        self.at += skip;
        let digits = self.rest().chars().take(most).take_while(|d| d.is_digit(radix)).count();
        let value =
            u32::from_str_radix(self.rest().get(..digits).unwrap_or(""), radix).map_err(|_| Unreadable)?;
        self.at += digits;
        if matches!(c, 'u' | 'U') {
            let c = char::from_u32(value).ok_or(Unreadable)?;
            out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        } else {
            out.push(u8::try_from(value & 0xff).unwrap_or(0));
        }
        Ok(())
    }

    fn backticks(&mut self, until: Until) -> Read<Piece> {
        let (start, quoted) = (self.at, until.quoted());
        self.at += 1;
        let mut inner = String::new();
        loop {
            let c = self.rest().chars().next().ok_or(Unreadable)?;
            self.at += c.len_utf8();
            match c {
                '`' => break,
                '\\' => {
                    let next = self.rest().chars().next().ok_or(Unreadable)?;
                    self.at += next.len_utf8();
                    // In a here-document it stays as it is, but not for every shell.
                    if until == Until::End && next == '"' {
                        return Err(Unreadable);
                    }
                    if !(matches!(next, '`' | '\\' | '$') || quoted && next == '"') {
                        inner.push('\\');
                    }
                    inner.push(next);
                }
                c => inner.push(c),
            }
        }
        let script = parse_nested(&inner, self.depth(), self.span_from(start))?;
        Ok(Piece::Sub { script, quoted })
    }

    /// The text between `((` and `))`, when they match; the caller moves on.
    ///
    /// # Errors
    /// With a quote, a backslash or a backtick in it outside of a substitution: shells do not agree on where it ends, and what of it
    /// they expand.
    pub(super) fn arithmetic_inner(&self, ahead: usize) -> Read<Option<&'a str>> {
        let Some(rest) = self.rest().get(ahead + 1..) else { return Ok(None) };
        let (mut level, mut at) = (0_usize, 0);
        while let Some(c) = rest.get(at..).and_then(|tail| tail.chars().next()) {
            let tail = rest.get(at..).unwrap_or("");
            match c {
                '$' if tail.starts_with("$(") && !tail.starts_with("$((") => {
                    at += self.substitution_length(tail)?;
                    continue;
                }
                '`' => {
                    let inner = tail.get(1..).and_then(|inner| inner.split_once('`')).ok_or(Unreadable)?.0;
                    if inner.contains('\\') {
                        return Err(Unreadable);
                    }
                    at += inner.len() + 2;
                    continue;
                }
                '\\' | '\'' | '"' if level == 0 || c != '"' => return Err(Unreadable),
                '(' => level += 1,
                ')' if level > 0 => level -= 1,
                ')' => {
                    let closed = rest.get(at + 1..).is_some_and(|r| r.starts_with(')'));
                    return Ok(if closed { rest.get(..at) } else { None });
                }
                _ => {}
            }
            at += c.len_utf8();
        }
        Ok(None)
    }

    /// How long the `$(…)` is with which a text begins.
    fn substitution_length(&self, text: &str) -> Read<usize> {
        let inner = text.get(2..).unwrap_or("");
        let mut parser = Parser::new(inner, self.depth() + 1, Some(Span::default()));
        parser.script()?;
        parser.expect(")")?;
        Ok(2 + parser.at)
    }

    /// The script of a substitution, up to its end.
    fn script_within(&mut self) -> Read<Script> {
        self.within += 1;
        let script = self.script()?;
        self.within -= 1;
        if self.eat(")") { Ok(script) } else { Err(Unreadable) }
    }

    fn dollar(&mut self, quoted: bool) -> Read<Piece> {
        if self.looking_at("$((")
            && let Some(inner) = self.arithmetic_inner(2)?
        {
            let start = self.at;
            self.at += inner.len() + 5;
            return Ok(Piece::Arith(self.nested_text(inner, start)?));
        }
        if self.eat("$(") {
            return Ok(Piece::Sub { script: self.script_within()?, quoted });
        }
        // Lines are joined before it is seen what stands behind the sign.
        if self.looking_at("$[") || self.looking_at("$\\\n") {
            return Err(Unreadable);
        }
        if self.eat("${") {
            return self.braced(quoted);
        }
        self.at += 1;
        if let Some(name) = self.name() {
            // Lines are joined and braces expanded before a name is read.
            if self.looking_at("\\\n") || !quoted && self.looking_at("{") && lengthens_name(self.rest()) {
                return Err(Unreadable);
            }
            return Ok(Piece::Var { name, op: VarOp::Plain, quoted });
        }
        match self.byte(0) {
            Some(b @ (b'0'..=b'9' | b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!')) => {
                self.at += 1;
                Ok(Piece::Var { name: char::from(b).to_string(), op: VarOp::Plain, quoted })
            }
            _ => Ok(Piece::Text("$".to_owned(), if quoted { Quote::Double } else { Quote::Bare })),
        }
    }

    /// `[@]}`, `[*]}` or `[7]}`: the end of an array's expansion with nothing more to it.
    fn whole_subscript(&mut self) -> Option<VarOp> {
        let close = self.rest().find(']')?;
        let inner = self.rest().get(..close)?.strip_prefix('[')?;
        let op = match inner {
            "@" => VarOp::All,
            "*" => VarOp::Joined,
            digits => VarOp::Element(digits.parse().ok()?),
        };
        self.rest().get(close + 1..)?.starts_with('}').then(|| self.at += close + 2)?;
        Some(op)
    }

    fn braced(&mut self, quoted: bool) -> Read<Piece> {
        let until = Until::Brace { quoted };
        let strange = self.looking_at("!") || self.looking_at("#") && !self.looking_at("#}");
        let indirect = self.looking_at("!");
        if strange {
            self.at += 1;
        }
        let name = self.name().unwrap_or_else(|| {
            let len = self.rest().bytes().take_while(u8::is_ascii_digit).count();
            let special = matches!(self.byte(0), Some(b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!'));
            let len = if len == 0 { usize::from(special) } else { len };
            let name = self.rest().get(..len).unwrap_or("").to_owned();
            self.at += len;
            name
        });
        if name.is_empty() || self.looking_at("\\\n") {
            return Err(Unreadable);
        }
        let mut subscript = Vec::new();
        if !strange && let Some(op) = self.whole_subscript() {
            return Ok(Piece::Var { name, op, quoted });
        }
        if self.looking_at("[") {
            let len = self.rest().find(']').ok_or(Unreadable)?;
            let inner = self.rest().get(..len).unwrap_or("");
            if !is_plain_subscript(inner) {
                return Err(Unreadable);
            }
            let start = self.at;
            self.at += len + 1;
            subscript = self.nested_text(inner, start)?;
        }
        let begins = self.place();
        let op = if indirect && self.looking_at("}") {
            VarOp::Indirect
        } else if strange || !subscript.is_empty() {
            subscript.extend(self.pieces(until)?);
            VarOp::Other(subscript)
        } else if self.looking_at("}") {
            VarOp::Plain
        } else if self.eat("@P") {
            VarOp::Prompt
        } else if let Some((colon, assigns)) =
            [(":-", true, false), ("-", false, false), (":=", true, true), ("=", false, true)]
                .into_iter()
                .find_map(|(op, colon, assigns)| self.eat(op).then_some((colon, assigns)))
        {
            VarOp::Default { pieces: self.pieces(until)?, colon, assigns }
        } else if self.eat(":+") || self.eat("+") {
            VarOp::Alternate(self.pieces(until)?)
        } else {
            VarOp::Other(self.pieces(until)?)
        };
        if quoted && matches!(op, VarOp::Other(_)) && quotes_in_doubt(self.text_from(begins)) {
            return Err(Unreadable);
        }
        if !self.eat("}") {
            return Err(Unreadable);
        }
        Ok(Piece::Var { name, op, quoted })
    }
}

/// Whether shells may differ on an operator: a single quote quotes behind some, and not behind others; all read the same where
/// nothing else in it means something.
fn quotes_in_doubt(operator: &str) -> bool {
    let raw = operator.replace("\\'", "");
    let single = raw.matches('\'').count();
    single > 0 && (!single.is_multiple_of(2) || raw.contains(['"', '`', '$', '\\']))
}

/// Whether what stands in braces behind a name may become a part of it: `$x{a,b}` is `$xa $xb`.
fn lengthens_name(text: &str) -> bool {
    let named = |text: &str| {
        text.starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '{' | '[' | '\\'))
    };
    let word = text.split(char::is_whitespace).next().unwrap_or("");
    let Some((inner, rest)) = word.trim_start_matches('{').split_once('}') else { return false };
    inner.contains(['{', '"', '\'', '\\'])
        || inner.split(',').any(|choice| named(choice) || choice.is_empty() && named(rest))
}

/// Whether the first `]` behind this surely ends the subscript: no quote, bracket or substitution is open there.
pub(super) fn is_plain_subscript(text: &str) -> bool {
    let count = |sign: char| text.matches(sign).count();
    count('"') % 2 == 0
        && count('\'') % 2 == 0
        && count('[') <= 1
        && count('(') == count(')')
        && count('{') == count('}')
        && !text.contains(['\\', '`'])
}

/// Adds a piece, joining neighbouring literals written the same way.
fn push_joined(out: &mut Vec<Piece>, piece: Piece) {
    if let (Some(Piece::Text(last, last_quote)), Piece::Text(text, quote)) = (out.last_mut(), &piece)
        && last_quote == quote
        && *quote != Quote::Single
    {
        last.push_str(text);
        return;
    }
    out.push(piece);
}
