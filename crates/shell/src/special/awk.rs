//! The judge of `awk`: what a program of it starts, writes and reads.
//!
//! Owns the reading of its language, as far as that goes. In doubt a program is read in more ways than one.

use super::super::carried::is_homely;
use super::super::expand::{Field, UNKNOWN};
use super::super::knowledge::list;
use super::super::path::{is_secret_variable, leads_out};
use super::super::secrets::names_secret;
use super::super::walk::Walker;
use super::Case;
use super::text::{MOST_CODE, bracket_end, line_end};

/// `awk`: writes, pipes and `system`.
pub(super) fn awk(w: &mut Walker<'_>, case: &Case<'_>) {
    let (mut given, mut in_place) = (false, false);
    let set = case.args.opts.iter().filter(|o| matches!(o.name.as_str(), "-v" | "--assign"));
    let set = set.filter_map(|o| o.value.as_ref()).chain(&case.args.operands);
    let values: Vec<String> =
        set.filter_map(|f| f.text.split_once('=')).map(|(_, value)| value.to_owned()).collect();
    for opt in &case.args.opts {
        let is = |names: &[&str]| names.iter().any(|name| opt.is(name));
        let value = opt.value.as_ref();
        if is(&["-f", "--file", "-E", "--exec"]) {
            w.hit("script", opt.span);
            given = true;
        }
        if let Some(code) = value.filter(|_| is(&["-e", "--source"])) {
            awk_code(w, code, &values);
            given = true;
        }
        if let Some(value) = value.filter(|_| is(&["-i", "--include", "-l", "--load"])) {
            in_place |= value.text == "inplace";
            w.hit(if value.text == "inplace" { "write" } else { "hidden-run" }, opt.span);
        }
        // The older form of a long option.
        if let Some(value) = value.filter(|_| opt.name == "-W") {
            let name = value.text.split('=').next().unwrap_or("");
            if !list("plain words of awk").iter().any(|word| word.starts_with(name)) {
                w.hit("script", opt.span);
                given = true;
            }
        }
    }
    if let Some(code) = case.args.operands.first().filter(|_| !given) {
        awk_code(w, code, &values);
    }
    for file in case.args.operands.iter().skip(usize::from(!given)).filter(|_| in_place) {
        w.judge_write(file, "write");
    }
}

/// How a program is read where the programs of that name differ, or only their grammar tells.
#[derive(Clone, Copy)]
struct Reading {
    /// A slash in brackets does not end a pattern.
    brackets: bool,
    /// A slash begins a pattern where it may as well divide.
    pattern: bool,
}

const READINGS: [Reading; 4] = [
    Reading { brackets: true, pattern: true },
    Reading { brackets: true, pattern: false },
    Reading { brackets: false, pattern: true },
    Reading { brackets: false, pattern: false },
];

/// A program told apart.
#[derive(Default, PartialEq)]
struct Parts {
    /// Without strings, patterns and comments; a newline stands only where a statement ends.
    code: String,
    strings: Vec<String>,
}

impl Parts {
    fn read(chars: &[char], reading: Reading) -> Self {
        let mut out = Self::default();
        let mut at = 0;
        while let Some(&c) = chars.get(at) {
            at = match c {
                '"' => out.literal(chars, at + 1),
                '/' => {
                    let end = pattern_end(chars, at + 1, reading.brackets).filter(|_| out.operand(reading));
                    out.code.push(if end.is_some() { 'r' } else { c });
                    end.unwrap_or(at + 1)
                }
                '#' => line_end(chars, at),
                '\\' => match joined(chars, at + 1) {
                    Some(end) => {
                        out.code.push(' ');
                        end
                    }
                    None => at + 1,
                },
                c => {
                    let goes_on = c == '\n' && out.goes_on();
                    out.code.push(if goes_on { ' ' } else { c });
                    at + 1
                }
            };
        }
        out
    }

    /// Takes in a string; behind it.
    fn literal(&mut self, chars: &[char], mut at: usize) -> usize {
        let mut text = String::new();
        while let Some(&c) = chars.get(at) {
            at += 1;
            match c {
                '"' => break,
                '\\' => {
                    let (c, end) = escaped(chars, at);
                    text.extend(c);
                    at = end;
                }
                c => text.push(c),
            }
        }
        self.code.push('"');
        self.strings.push(text);
        at
    }

    /// Whether a newline here ends no statement.
    fn goes_on(&self) -> bool {
        let code = self.code.trim_end();
        code.ends_with([',', '?', ':']) || code.ends_with("&&") || code.ends_with("||")
    }

    /// Whether an operand may stand here, so that a slash begins a pattern: one that stands behind another divides.
    fn operand(&self, reading: Reading) -> bool {
        let code = self.code.trim_end_matches([' ', '\t', '\r']);
        let word = |code: &str| {
            let begin = code.rfind(|c: char| !(c.is_alphanumeric() || c == '_')).map_or(0, |at| {
                at + code.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8)
            });
            code.get(begin..).unwrap_or("").to_owned()
        };
        match code.chars().last() {
            None => true,
            Some('"' | ']' | '.') => false,
            // The condition of a statement, and no operand.
            Some(')') => {
                reading.pattern && matches!(word(before_group(code)).as_str(), "if" | "while" | "for")
            }
            Some('+' | '-') => !(code.ends_with("++") || code.ends_with("--")),
            Some(c) if c.is_alphanumeric() || c == '_' => match word(code).as_str() {
                "print" | "printf" | "return" | "case" | "in" | "else" | "do" | "exit" | "delete" => true,
                "getline" | "length" => reading.pattern,
                _ => false,
            },
            Some(UNKNOWN) => reading.pattern,
            Some(_) => true,
        }
    }
}

/// What stands before the group that ends a code.
fn before_group(code: &str) -> &str {
    let mut depth = 0;
    for (at, c) in code.char_indices().rev() {
        depth += i32::from(c == ')') - i32::from(c == '(');
        if depth == 0 {
            return code.get(..at).unwrap_or("").trim_end();
        }
    }
    ""
}

/// Behind the newline that a backslash takes away; blanks and a comment may stand before it.
fn joined(chars: &[char], at: usize) -> Option<usize> {
    let end = line_end(chars, at);
    let line = chars.get(at..end)?;
    let said = line.iter().find(|c| !c.is_whitespace());
    (end < chars.len() && said.is_none_or(|c| *c == '#')).then_some(end + 1)
}

/// Behind a pattern, where it ends in its line.
fn pattern_end(chars: &[char], mut at: usize, brackets: bool) -> Option<usize> {
    loop {
        at = match chars.get(at)? {
            '/' => return Some(at + 1),
            '\n' => return None,
            '\\' => at + 2,
            '[' if brackets => bracket_end(chars, at).unwrap_or(at + 1),
            _ => at + 1,
        }
    }
}

/// What an escape stands for, and where it ends.
fn escaped(chars: &[char], at: usize) -> (Option<char>, usize) {
    let digits = |at: usize, radix: u32, most: usize| {
        let digits: String = chars.iter().skip(at).take(most).take_while(|c| c.is_digit(radix)).collect();
        (u32::from_str_radix(&digits, radix).ok().and_then(char::from_u32), at + digits.len())
    };
    match chars.get(at) {
        Some('x') => digits(at + 1, 16, 2),
        Some('0'..='7') => digits(at, 8, 3),
        Some('\n') => (None, at + 1),
        c => (c.copied(), at + 1),
    }
}

/// Judges a program in each way in which it can be read.
fn awk_code(w: &mut Walker<'_>, field: &Field, given: &[String]) {
    let chars: Vec<char> = field.text.chars().collect();
    if chars == [UNKNOWN] || chars.len() > MOST_CODE {
        w.hit("computed-code", field.span);
        return;
    }
    let mut seen: Vec<Parts> = Vec::new();
    for reading in READINGS {
        let parts = Parts::read(&chars, reading);
        if !seen.contains(&parts) {
            awk_parts(w, field, &parts, given);
            seen.push(parts);
        }
    }
}

/// Judges a program: its code outside strings and patterns decides.
fn awk_parts(w: &mut Walker<'_>, field: &Field, Parts { code, strings }: &Parts, given: &[String]) {
    // Whatever stands where a statement begins is one.
    let begins = |head: &str| head.trim_end().ends_with(['{', ';']) || head.ends_with('\n');
    if code.match_indices(UNKNOWN).any(|(at, _)| code.get(..at).is_some_and(begins)) {
        w.hit("computed-code", field.span);
    }
    let tight: String = code.chars().filter(|c| !c.is_whitespace()).collect();
    let runs = tight.contains("system(")
        || tight.contains("|getline")
        || tight.contains("|&")
        || tight.contains('@')
        || tight.contains('\u{1a}') && tight.contains("system");
    if runs {
        w.hit("hidden-run", field.span);
    }
    if strings.iter().any(|s| names_secret(s)) {
        w.hit("secret", field.span);
    }
    // What it reads beside its input has a name that stands in the program.
    if ["getline", "ARGV["].iter().any(|reads| tight.contains(reads)) {
        for name in strings.iter().cloned().chain([strings.concat()]) {
            w.judge_read(&field.with(&name));
        }
    }
    // A loop that nothing ends.
    let forever = ["while(1)", "for(;;)", "while(1==1)"].iter().any(|head| tight.contains(head));
    if forever && !["break", "exit", "getline", "return", "next"].iter().any(|end| tight.contains(end)) {
        w.hit("bomb", field.span);
    }
    // A file whose name is put together.
    let named = tight.split("ARGV[").skip(1).filter_map(|rest| rest.split_once("]="));
    let added = named.filter(|(_, value)| !value.starts_with('=')).any(|(_, value)| {
        let value = value.split([';', '}', '\n']).next().unwrap_or("");
        value != "\""
    });
    let computed = added
        || code.split("getline").skip(1).any(|rest| {
            let rest = rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || "_$[] \t".contains(c));
            let name = rest.strip_prefix('<').map(|name| name.trim_start_matches([' ', '\t']));
            let more = |c: char| c.is_alphanumeric() || "\"$_".contains(c);
            name.is_some_and(|name| match name.strip_prefix('"') {
                Some(behind) => behind.trim_start_matches([' ', '\t']).starts_with(more),
                None => true,
            })
        });
    if computed {
        w.hit("computed-input", field.span);
    }
    // To it such a path is a connection.
    if strings.iter().chain(given).any(|s| s.contains("/inet")) {
        w.hit("network", field.span);
    }
    if tight.contains('>') && strings.iter().any(|s| is_homely(s)) {
        w.hit("outside", field.span);
    }
    if [">FILENAME", ">ARGV["].iter().any(|to| tight.contains(to)) {
        w.hit("delete-tree", field.span);
    }
    // Its variables may be had by their names as well.
    let environment = tight.split("ENVIRON").skip(1).any(|rest| !rest.starts_with("[\"]"));
    let named = tight.contains("ENVIRON") && strings.iter().any(|s| is_secret_variable(s));
    if environment || named || tight.contains("SYMTAB") {
        w.hit("environment", field.span);
    }
    awk_output(w, field, code, strings, given);
}

/// `print > file`, `print | command`.
///
/// Where the name is put together, it may be of any text of the program and of any value that it is `given`.
fn awk_output(w: &mut Walker<'_>, field: &Field, code: &str, strings: &[String], given: &[String]) {
    let mut seen = 0;
    let mut printing = false;
    let mut depth = 0i32;
    let mut word = String::new();
    let mut chars = code.chars().peekable();
    while let Some(c) = chars.next() {
        if c.is_alphanumeric() || c == '_' {
            word.push(c);
            continue;
        }
        if matches!(word.as_str(), "print" | "printf") {
            printing = true;
            depth = 0;
        }
        word.clear();
        match c {
            '"' => seen += 1,
            '(' => depth += 1,
            ')' => depth -= 1,
            ';' | '}' | '\n' => printing = false,
            '>' if printing && depth <= 0 => {
                let _ = chars.next_if_eq(&'>');
                let literal = next_literal(&mut chars.clone()).then(|| strings.get(seen)).flatten();
                let out = |text: &&String| leads_out(text, w.stand.moved);
                let away = strings.iter().chain(given).find(out).filter(|_| literal.is_none());
                let away = away.cloned().or_else(|| code.contains("ENVIRON[\"]").then(|| "~".to_owned()));
                let target = literal.cloned().or(away).unwrap_or_else(|| UNKNOWN.to_string());
                w.judge_write(&field.with(&target), "write-hidden");
            }
            '|' if printing && chars.peek() != Some(&'|') => {
                w.hit("script", field.span);
                match next_literal(&mut chars.clone()).then(|| strings.get(seen)).flatten() {
                    Some(command) => {
                        let plain = command.split(' ').next().is_some_and(|p| {
                            matches!(p, "sort" | "uniq" | "head" | "tail" | "cat" | "wc" | "column")
                        });
                        let _ = w.run_apart(command, field.span);
                        if !plain {
                            w.hit("hidden-run", field.span);
                        }
                    }
                    None => w.hit("hidden-run", field.span),
                }
            }
            _ => {}
        }
    }
}

fn next_literal(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) -> bool {
    chars.find(|c| !c.is_whitespace()) == Some('"')
}
