//! Turns a message into tokens: folded words, names of files, quotes, code, punctuation.
//!
//! Owns what counts as the writer's own words and what is pasted or quoted. Never knows what a
//! word means.

mod kind;
mod pasted;
mod printed;
mod typed;

use kind::kind_of;
pub(crate) use pasted::is_code;
pub(crate) use typed::mended;

/// What a token is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A word of the writer, folded.
    Word,
    /// A run of Chinese, Japanese or Korean, spaces kept.
    Cjk,
    /// A number.
    Number,
    /// A name with an ending, such as `auth.py`.
    File,
    /// Something with slashes.
    Path,
    /// A web address.
    Url,
    /// A name from code.
    Ident,
    /// Quoted text.
    Quote,
    /// Text between backticks.
    Tick,
    /// A block of code, a log, a trace.
    Code,
    /// An option of a command.
    Flag,
    /// One mark of punctuation; a line end is `\n`.
    Punct,
}

impl Kind {
    /// Its name among the features.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Word => "<word>",
            Self::Cjk => "<cjk>",
            Self::Number => "<number>",
            Self::File => "<file>",
            Self::Path => "<path>",
            Self::Url => "<url>",
            Self::Ident => "<ident>",
            Self::Quote => "<quote>",
            Self::Tick => "<tick>",
            Self::Code => "<code>",
            Self::Flag => "<flag>",
            Self::Punct => "<punct>",
        }
    }
}

/// One token and where it stands in the message (bytes).
#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub text: String,
    pub kind: Kind,
    pub start: usize,
    pub end: usize,
}

/// A message cut into tokens.
#[derive(Clone, Debug, Default)]
pub(crate) struct Doc {
    pub tokens: Vec<Token>,
    /// Lines that look like code.
    pub code_lines: usize,
    /// Lines that look like an error, a log or a trace.
    pub trace_lines: usize,
    /// Lines with anything in them.
    pub lines: usize,
}

/// Longest text that is looked at in full; beyond it head and tail count.
pub(crate) const FOCUS_BYTES: usize = 3_000;

/// Head and tail of a long text; borrowed whole when it is short.
pub(crate) fn focus(text: &str) -> std::borrow::Cow<'_, str> {
    if text.len() <= FOCUS_BYTES {
        return std::borrow::Cow::Borrowed(text);
    }
    let mut head = FOCUS_BYTES / 2;
    while !text.is_char_boundary(head) {
        head -= 1;
    }
    let mut tail = text.len() - FOCUS_BYTES / 2;
    while !text.is_char_boundary(tail) {
        tail += 1;
    }
    let (a, b) = (text.get(..head).unwrap_or(""), text.get(tail..).unwrap_or(""));
    std::borrow::Cow::Owned(format!("{a}\n{b}"))
}

/// A letter without its accent, lower case; `None` for combining marks and apostrophes.
pub(crate) fn fold(c: char) -> Option<char> {
    if c.is_ascii() {
        return Some(c.to_ascii_lowercase());
    }
    let c = c.to_lowercase().next().unwrap_or(c);
    Some(match c {
        'à' | 'á' | 'â' | 'ã' | 'ä' | 'å' | 'ā' | 'ą' => 'a',
        'ç' | 'ć' | 'č' => 'c',
        'è' | 'é' | 'ê' | 'ë' | 'ę' | 'ě' => 'e',
        'ì' | 'í' | 'î' | 'ï' | 'ı' => 'i',
        'ñ' | 'ń' => 'n',
        'ò' | 'ó' | 'ô' | 'õ' | 'ö' | 'ø' | 'ő' => 'o',
        'ù' | 'ú' | 'û' | 'ü' | 'ű' | 'ů' => 'u',
        'ý' | 'ÿ' => 'y',
        'ß' | 'ś' | 'š' | 'ş' => 's',
        'ź' | 'ż' | 'ž' => 'z',
        'ł' => 'l',
        'ğ' => 'g',
        'ё' => 'е',
        'ř' => 'r',
        'ť' | 'ţ' => 't',
        '\u{300}'..='\u{36f}' | '’' | '‘' | 'ʼ' => return None,
        other => other,
    })
}

pub(crate) fn is_cjk(c: char) -> bool {
    matches!(c, '\u{2e80}'..='\u{2fdf}' | '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{30ff}' | '\u{3130}'..='\u{318f}'
        | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{ff66}'..='\u{ff9f}')
}

pub(crate) fn is_break(c: char) -> bool {
    r#",;!?()[]{}"`，。、；！？：（）“”„«»「」『』…—–؟،।¿¡|><"#.contains(c)
}

/// What stands before an apostrophe, in French and Italian.
const ELIDED: &[&str] = &[
    "l", "d", "j", "n", "s", "c", "qu", "m", "t", "un", "dell", "nell", "all", "cos", "dov", "jusqu",
    "aujourd",
];

/// What hangs on a verb by a hyphen, in French and Portuguese.
const CLITICS: &[&str] =
    &["tu", "vous", "moi", "nous", "le", "la", "les", "il", "on", "je", "ce", "lo", "me", "se", "y"];

/// Cuts a message into tokens.
pub(crate) fn tokenize(text: &str) -> Doc {
    let mut doc = Doc::default();
    let many = text.trim_end().contains('\n');
    let traces = pasted::traces(text, many);
    // Beside a trace each line of code is read by itself.
    let pasted = if traces.contains(&true) { Vec::new() } else { pasted::within(text) };
    let block = printed::block(text).unwrap_or(text.len()..text.len());
    let mut fenced: Option<usize> = None;
    let mut at = 0usize;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let start = at;
        at += line.len();
        let body = line.trim();
        if let Some(open) = fenced {
            if body.starts_with("```") || body.ends_with("```") {
                fenced = None;
                doc.push("", Kind::Code, open, at);
            }
            continue;
        }
        if body.is_empty() {
            continue;
        }
        // However long a paste is, it is one thing.
        if pasted.get(number) == Some(&true) {
            doc.push_paste(start, at);
            continue;
        }
        doc.lines += 1;
        if start < block.end && at > block.start {
            doc.trace_lines += usize::from(traces.get(number) == Some(&true));
            // However long it is, it is one thing.
            if start <= block.start {
                scan_line(&mut doc, text.get(start..block.start).unwrap_or(""), start);
                doc.push("", Kind::Code, block.start, block.end);
                doc.push("\n", Kind::Punct, block.end, block.end);
            }
            continue;
        }
        if body.starts_with("```") && text.get(start..).is_some_and(|rest| rest.matches("```").count() > 1) {
            let closes_here = body.len() > 5 && body.ends_with("```");
            if closes_here {
                doc.push("", Kind::Code, start, at);
            } else {
                fenced = Some(start);
            }
            continue;
        }
        if traces.get(number).copied().unwrap_or(false) {
            doc.trace_lines += 1;
            doc.push("", Kind::Code, start, at);
        } else if many && is_code(line) {
            doc.code_lines += 1;
            doc.push("", Kind::Code, start, at);
        } else {
            scan_line(&mut doc, line, start);
        }
        doc.push("\n", Kind::Punct, at, at);
    }
    if let Some(open) = fenced {
        doc.push("", Kind::Code, open, text.len());
    }
    doc
}

/// Whether a mark of a list opens a line: "- ", "1. ".
fn is_mark_of_list(line: &str) -> bool {
    let mark = line.split_whitespace().next().unwrap_or_default();
    let number = mark.trim_end_matches(['.', ')']);
    matches!(mark, "-" | "*" | "+" | "•" | "–")
        || number.len() < mark.len() && !number.is_empty() && number.chars().all(|c| c.is_ascii_digit())
}

/// The tokens of one line or less, whatever it looks like.
pub(crate) fn scan(line: &str) -> Doc {
    let mut doc = Doc::default();
    scan_line(&mut doc, line, 0);
    doc
}

/// The lines that no fence encloses; a fence that is never closed is none.
pub(crate) fn outside_fences(text: &str) -> impl Iterator<Item = &str> {
    let mut left = text.lines().filter(|l| l.trim_start().starts_with("```")).count();
    let mut fenced = false;
    text.lines().filter(move |line| {
        let body = line.trim();
        let mark = body.starts_with("```");
        left -= usize::from(mark);
        if fenced {
            fenced = !(mark || body.ends_with("```"));
            return false;
        }
        let closed_here = mark && body.len() > 5 && body.ends_with("```");
        fenced = mark && !closed_here && left > 0;
        !(fenced || closed_here)
    })
}

/// Marks of a comment: what is forbidden behind one is for the readers of the code.
const NOTES: [&str; 7] = ["//", "#", "*", "--", "<!--", ";", "|"];

/// Whether a whole line is a comment.
pub(crate) fn is_note(line: &str) -> bool {
    NOTES.iter().any(|mark| line.trim_start().starts_with(mark))
}

/// Where a comment begins behind code.
pub(crate) fn note_in(code: &str) -> Option<usize> {
    let apart = |c: char| c.is_whitespace() || matches!(c, ';' | '{' | '}' | ')' | ',');
    let opens = |at: usize| {
        let rest = code.get(at..).unwrap_or_default();
        ["//", "/*", "#", "--", "<!--"].iter().any(|mark| rest.starts_with(mark))
    };
    code.char_indices().find_map(|(at, c)| (apart(c) && opens(at + c.len_utf8())).then_some(at))
}

impl Doc {
    fn push(&mut self, text: &str, kind: Kind, start: usize, end: usize) {
        if kind == Kind::Code && self.tokens.last().is_some_and(|t| t.kind == Kind::Code) {
            return;
        }
        if kind == Kind::Punct && text == "\n" && self.tokens.last().is_none_or(|t| t.text == "\n") {
            return;
        }
        self.tokens.push(Token { text: text.to_owned(), kind, start, end });
    }

    /// A line of a paste: with the code before it, it is one thing.
    fn push_paste(&mut self, start: usize, end: usize) {
        let goes_on = matches!(self.tokens.as_slice(), [.., code, line] if code.kind == Kind::Code && line.text == "\n");
        if !goes_on {
            (self.lines, self.code_lines) = (self.lines + 1, self.code_lines + 1);
            self.push("", Kind::Code, start, end);
            self.push("\n", Kind::Punct, end, end);
        }
    }
}

fn closing(c: char) -> Option<char> {
    Some(match c {
        '"' => '"',
        '“' => '”',
        '„' => '“',
        '«' => '»',
        '「' => '」',
        '『' => '』',
        '`' => '`',
        _ => return None,
    })
}

fn scan_line(doc: &mut Doc, line: &str, base: usize) {
    let mut i = 0usize;
    let mut before = ' ';
    while let Some(c) = line.get(i..).and_then(|r| r.chars().next()) {
        let rest = line.get(i..).unwrap_or("");
        let inner = rest.get(c.len_utf8()..).unwrap_or("");
        let step = if c.is_whitespace() {
            c.len_utf8()
        } else if let Some(len) = quoted(c, inner, before) {
            let kind = if c == '`' { Kind::Tick } else { Kind::Quote };
            let body: String = inner.get(..len).unwrap_or("").chars().take(60).filter_map(fold).collect();
            let total = c.len_utf8() + len + closing(c).unwrap_or('\'').len_utf8();
            doc.push(body.trim(), kind, base + i, base + i + total);
            total
        } else if is_cjk(c) {
            let len = cjk_run(rest);
            let run: String = rest.get(..len).unwrap_or("").trim_end().chars().filter_map(fold).collect();
            doc.push(&run, Kind::Cjk, base + i, base + i + len);
            len
        } else if is_break(c)
            || c == ':'
            || (c == '.' && !inner.starts_with(char::is_alphanumeric) && !is_dotted(rest))
        {
            let mut buf = [0u8; 4];
            doc.push(punct(c).encode_utf8(&mut buf), Kind::Punct, base + i, base + i + c.len_utf8());
            c.len_utf8()
        } else {
            chunk(doc, rest, base + i)
        };
        before = rest.get(..step).and_then(|s| s.chars().last()).unwrap_or(' ');
        i += step.max(1);
    }
}

/// The ASCII mark that stands for a mark of another script.
fn punct(c: char) -> char {
    match c {
        '，' | '、' | '،' => ',',
        '。' | '।' | '…' => '.',
        '；' => ';',
        '！' | '¡' => '!',
        '？' | '؟' => '?',
        '：' => ':',
        '（' | '¿' => '(',
        '）' => ')',
        '—' | '–' => '-',
        other => other,
    }
}

/// Whether a path opens there: "./src", "../lib", "./...".
fn is_dotted(rest: &str) -> bool {
    rest.strip_prefix("./")
        .or_else(|| rest.strip_prefix("../"))
        .is_some_and(|path| !path.starts_with(char::is_whitespace))
}

/// Length of what stands between the quote `c` and its end, when it is a quote.
fn quoted(c: char, inner: &str, before: char) -> Option<usize> {
    if c == '\'' || c == '‘' {
        if before.is_alphanumeric() {
            return None;
        }
        let end = inner.char_indices().take_while(|(i, _)| *i < 200).find(|(i, x)| {
            (*x == '\'' || *x == '’')
                && inner
                    .get(i + x.len_utf8()..)
                    .and_then(|r| r.chars().next())
                    .is_none_or(|n| !n.is_alphanumeric())
        })?;
        return (end.0 > 0 && end.1 == '\'').then_some(end.0);
    }
    let close = closing(c)?;
    if c == '`' && inner.starts_with('`') {
        return None;
    }
    let (len, _) = inner.char_indices().take_while(|(i, _)| *i < 400).find(|(_, x)| *x == close)?;
    (len > 0).then_some(len)
}

fn cjk_run(rest: &str) -> usize {
    let mut end = 0;
    let mut it = rest.char_indices().peekable();
    while let Some((i, c)) = it.next() {
        let space = c == ' ' && it.peek().is_some_and(|(_, n)| is_cjk(*n));
        if !(is_cjk(c) || space) {
            break;
        }
        end = i + c.len_utf8();
    }
    end
}

/// Most bytes of a run without spaces that is one word.
const LONGEST_RUN: usize = 2048;

/// Takes one run without spaces and files it; returns its length in bytes.
fn chunk(doc: &mut Doc, rest: &str, at: usize) -> usize {
    let url = rest.starts_with("http") || rest.starts_with("www.");
    let mut end = 0;
    let mut prev = ' ';
    for (i, c) in rest.char_indices() {
        let call =
            (c == '(' && rest.get(i..).is_some_and(|r| r.starts_with("()"))) || (c == ')' && prev == '(');
        if i > LONGEST_RUN
            || c.is_whitespace()
            || (is_cjk(c) && !url)
            || (is_break(c) && !call && !(url && c != ')' && c != '"' && c != '>'))
        {
            break;
        }
        prev = c;
        end = i + c.len_utf8();
    }
    let mut raw = rest.get(..end).unwrap_or("");
    while raw.len() > 1
        && raw.ends_with(['.', ':', '\'', '*', '-', '~'])
        && !raw.starts_with('-')
        && !raw.ends_with("/...")
    {
        raw = raw.get(..raw.len() - 1).unwrap_or("");
    }
    if raw.is_empty() {
        return rest.chars().next().map_or(1, char::len_utf8);
    }
    let marks = ['\'', '*', '~'];
    if raw.len() == 1 && raw.starts_with(marks) {
        return rest.len() - rest.trim_start_matches(marks).len();
    }
    let short = matches!(
        raw,
        "e.g" | "i.e" | "etc" | "vs" | "approx" | "a.k.a" | "incl" | "resp" | "z.B" | "d.h" | "p.ej" | "bzw"
    );
    if short && rest.get(raw.len()..).is_some_and(|r| r.starts_with(". ")) {
        doc.push(raw, Kind::Word, at, at + raw.len() + 1);
        return raw.len() + 1;
    }
    if raw.chars().all(|c| c == '-') {
        doc.push("-", Kind::Punct, at, at + raw.len());
        return raw.len();
    }
    let kind = kind_of(raw);
    if kind == Kind::Word {
        words(doc, raw, at);
    } else {
        let text: String = raw.chars().take(80).filter_map(fold).collect();
        doc.push(&text, kind, at, at + raw.len());
    }
    raw.len()
}

/// Files a plain word: apostrophes closed up, clitics of Romance languages split off.
fn words(doc: &mut Doc, raw: &str, at: usize) {
    let mut rest = raw;
    let mut at = at;
    if let Some((i, c)) = raw.char_indices().find(|(_, c)| *c == '\'' || *c == '’') {
        let head: String = raw.get(..i).unwrap_or("").chars().filter_map(fold).collect();
        if ELIDED.contains(&head.as_str()) {
            doc.push(&head, Kind::Word, at, at + i);
            rest = raw.get(i + c.len_utf8()..).unwrap_or("");
            at += i + c.len_utf8();
        }
    }
    let folded: String = rest.chars().filter(|c| *c != '\'' && *c != '*').filter_map(fold).collect();
    if let Some((head, tail)) = folded.rsplit_once('-') {
        let clitic = CLITICS.contains(&tail);
        if clitic && head.len() > 1 && !head.contains('-') {
            doc.push(head, Kind::Word, at, at + head.len());
            doc.push(tail, Kind::Word, at + head.len(), at + rest.len());
            return;
        }
        if head.contains("est-ce") || folded == "qu-est-ce" {
            for part in folded.split('-') {
                doc.push(part, Kind::Word, at, at + rest.len());
            }
            return;
        }
    }
    if folded == "est-ce" {
        doc.push("est", Kind::Word, at, at + rest.len());
        doc.push("ce", Kind::Word, at, at + rest.len());
        return;
    }
    if !folded.is_empty() {
        let word = mended(&folded, doc.tokens.last().map(|t| t.text.as_str())).to_owned();
        // "chnage nothing": what denies it stands behind it.
        if let Some(last) = doc.tokens.last_mut().filter(|t| t.kind == Kind::Word && word == "nothing") {
            last.text = mended(&last.text, Some("not")).to_owned();
        }
        doc.push(&word, Kind::Word, at, at + rest.len());
    }
}
