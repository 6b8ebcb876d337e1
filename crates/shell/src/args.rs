//! A program's arguments: options, their values and operands told apart.
//!
//! Owns the reading, as a program's lines say which options take a value. Never judges.

use super::expand::Field;
use super::grammar::Kind;
use super::path::glob;
use super::programs::{self, Program};
use super::syntax::Span;
use super::trace::Call;

/// What the options of a command name of what says what it does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Set {
    /// Folders that it works in, each seen from the one before.
    pub folders: Vec<String>,
    /// Files and folders that say what is run.
    pub files: Vec<String>,
}

/// What the options of a command set of where it works and by what.
pub fn set_by(call: &Call) -> Set {
    let program = programs::find(&call.program).unwrap_or(&programs::NOTHING);
    let words: Vec<Field> = call.words.iter().map(|w| Field::plain(&w.text, Span::default())).collect();
    let mut set = Set::default();
    let args = Args::read(program, &words);
    let first = args.places.first().copied().unwrap_or(usize::MAX);
    for opt in args.opts {
        // Of git it is no folder behind a sub-command.
        let there = call.program == "git" && opt.name == "-C" && opt.at < first;
        let value = opt.value.map(|value| value.text);
        if there || opt.kind == Some(Kind::Folder) {
            set.folders.extend(value);
        } else if opt.kind == Some(Kind::Conf) {
            set.files.extend(value);
        }
    }
    set
}

/// One option as it was given.
#[derive(Clone, Debug)]
pub(super) struct Opt {
    /// The whole word.
    pub text: String,
    /// `--name` without its value, or `-x` of a cluster.
    pub name: String,
    pub value: Option<Field>,
    pub span: Span,
    /// What the program's grammar says of it, where it says anything.
    pub kind: Option<Kind>,
    /// Which word it stands in, and which one its value, where that is another.
    pub at: usize,
    pub value_at: Option<usize>,
    /// The option before it may take this word for its value.
    pub taken: bool,
}

/// A program's arguments, told apart.
#[derive(Clone, Debug, Default)]
pub(super) struct Args {
    pub opts: Vec<Opt>,
    pub operands: Vec<Field>,
    /// Which words the operands are.
    pub places: Vec<usize>,
    /// How many options came before the first operand.
    pub leading: usize,
    /// How many operands came before `--`, where it stands.
    pub ended: Option<usize>,
}

impl Args {
    /// Tells options, their values and operands apart.
    pub(super) fn read(program: &Program, argv: &[Field]) -> Self {
        let mut out = Self::default();
        let mut words = argv.iter().enumerate();
        // A shell and what runs another program leave what follows the first operand to that.
        let stops = program.plus || program.first || program.wraps.is_some();
        while let Some((at, word)) = words.next() {
            let text = word.text.as_str();
            let option = text.starts_with('-') || text.starts_with('+') && program.plus;
            if out.ended.is_some() || !option || text.len() < 2 || stops && !out.operands.is_empty() {
                if out.operands.is_empty() {
                    out.leading = out.opts.len();
                }
                out.operands.push(word.clone());
                out.places.push(at);
                continue;
            }
            if text == "--" {
                out.ended = Some(out.operands.len());
                continue;
            }
            let sub = out.operands.first().map_or("", |f| f.text.as_str()).to_owned();
            let takes = |name: &str| program.takes_value(name, &sub);
            // With one dash for long names a letter that no name begins may hold its value in the same word.
            let letter = text.get(..2).filter(|_| text.len() > 2 && !text.starts_with("--"));
            let holds = program.long1
                && program.kind_of(text.split('=').next().unwrap_or(text), text, &sub).is_none()
                && letter.is_some_and(|letter| {
                    program.kind_of(letter, letter, &sub).is_some_and(Kind::is_weighty)
                });
            if text.starts_with("--") || program.long1 && !holds || takes(text) {
                let (name, value) = match text.split_once('=') {
                    Some((name, value)) => (name, Some(word.with(value))),
                    None => (text, None),
                };
                // A long option is read as one, whether or not the word before it takes a value.
                let long =
                    words.clone().next().is_some_and(|(_, f)| f.text.len() > 2 && f.text.starts_with("--"));
                let next = (value.is_none() && takes(name) && !long)
                    .then(|| value_behind(program, name, &sub, &mut words))
                    .flatten();
                let kind = program.kind_of(name, text, &sub);
                let mut value = value.or_else(|| next.map(|(_, value)| value.clone()));
                if let Some(set) =
                    value.as_mut().filter(|v| kind == Some(Kind::Sets) && !v.text.contains('='))
                    && let Some((_, to)) = words.next()
                {
                    // Name and value are two words.
                    set.text = format!("{}={}", set.text, to.text);
                }
                out.opts.push(Opt {
                    text: text.to_owned(),
                    name: name.to_owned(),
                    value,
                    span: word.span,
                    kind,
                    at,
                    value_at: next.map(|(at, _)| at),
                    taken: false,
                });
                continue;
            }
            out.cluster(program, (at, word), &sub, &mut words);
        }
        out.close(program);
        out
    }

    /// What only the whole of them says: which options the one before may take for its value.
    fn close(&mut self, program: &Program) {
        if self.operands.is_empty() {
            self.leading = self.opts.len();
        }
        let mut last: Option<(usize, bool)> = None;
        let mut before: Option<(usize, bool)> = None;
        for opt in &mut self.opts {
            if last.is_some_and(|(at, _)| at < opt.at) {
                before = last;
            }
            opt.taken = before.is_some_and(|(at, takes)| takes && at + 1 == opt.at);
            let behind = self.places.first().is_some_and(|place| *place < opt.at);
            let sub = self.operands.first().filter(|_| behind).map_or("", |f| f.text.as_str());
            last = Some((opt.at, program.may_take(opt, sub)));
        }
    }

    /// Letters after one dash: the first that takes a value takes the rest of the word, or the next word.
    fn cluster<'a>(
        &mut self,
        program: &Program,
        (at, word): (usize, &Field),
        sub: &str,
        words: &mut (impl Iterator<Item = (usize, &'a Field)> + Clone),
    ) {
        let text = word.text.as_str();
        for (start, letter) in text.char_indices().skip(1) {
            let name = format!("-{letter}");
            let rest = text.get(start + letter.len_utf8()..).unwrap_or("");
            let takes = program.takes_value(&name, sub);
            // A shell's letters do not end where one takes a value: `-euo pipefail -c`.
            let next = (takes && (rest.is_empty() || program.plus))
                .then(|| value_behind(program, &name, sub, words))
                .flatten();
            let kind = program.kind_of(&name, text, sub);
            let may = kind == Some(Kind::May);
            let joined = ((takes && !program.plus || may) && !rest.is_empty()).then(|| word.with(rest));
            let ends = joined.is_some();
            self.opts.push(Opt {
                text: text.to_owned(),
                value: joined.or_else(|| next.map(|(_, value)| value.clone())),
                span: word.span,
                kind,
                name,
                at,
                value_at: next.map(|(at, _)| at),
                taken: false,
            });
            if ends {
                break;
            }
        }
    }

    /// The first option that is, or may be, one of these.
    pub(super) fn opt(&self, patterns: &[&str]) -> Option<&Opt> {
        self.opts.iter().find(|opt| patterns.iter().any(|pattern| opt.is(pattern)))
    }

    /// Whether one of these options was given, or may have been.
    pub(super) fn has(&self, patterns: &[&str]) -> bool {
        self.opt(patterns).is_some()
    }

    /// The first option that is one of these for certain and that nothing takes back: what makes a command
    /// harmless is not to be guessed.
    pub(super) fn sure(&self, patterns: &[&str]) -> Option<&Opt> {
        let off = self.opts.iter().any(|opt| {
            let undone = opt.name.strip_prefix("--no-").filter(|rest| !rest.is_empty());
            undone.is_some_and(|rest| {
                patterns.iter().any(|p| p.strip_prefix("--").is_some_and(|name| name.starts_with(rest)))
                    && !patterns.contains(&opt.name.as_str())
            })
        });
        self.opts.iter().find(|opt| !off && patterns.iter().any(|pattern| opt.is_surely(pattern)))
    }

    /// The text of an operand, or nothing.
    pub(super) fn operand(&self, at: usize) -> &str {
        self.operands.get(at).map_or("", |field| field.text.as_str())
    }
}

/// The next word, where it is the value of the option before it.
fn value_behind<'a>(
    program: &Program,
    name: &str,
    sub: &str,
    words: &mut (impl Iterator<Item = (usize, &'a Field)> + Clone),
) -> Option<(usize, &'a Field)> {
    let number = |field: &Field| field.text.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    let chosen = |field: &Field| matches!(field.text.as_str(), "true" | "false");
    let next = words.clone().next();
    let fits = match program.kind_of(name, name, sub) {
        Some(Kind::Count) => next.is_some_and(|(_, field)| number(field)),
        Some(Kind::Choice) => next.is_some_and(|(_, field)| chosen(field)),
        _ => true,
    };
    fits.then(|| words.next()).flatten()
}

impl Opt {
    /// Whether this is, or may be, the option of that pattern: a letter of a cluster, a long name, any abbreviation.
    pub(super) fn is(&self, pattern: &str) -> bool {
        self.is_exactly(pattern) || self.begins(pattern)
    }

    /// Whether the grammar says that it has a value.
    pub(super) const fn takes(&self) -> bool {
        !matches!(self.kind, None | Some(Kind::Flag | Kind::Alters | Kind::May | Kind::Choice))
    }

    /// Whether this is the option of that pattern, not the value of another one, and not turned off by its own value.
    fn is_surely(&self, pattern: &str) -> bool {
        let off = self.text.split_once('=').is_some_and(|(_, value)| {
            !pattern.contains('=')
                && matches!(
                    value.to_ascii_lowercase().as_str(),
                    "false" | "no" | "none" | "0" | "off" | "f" | "n"
                )
        });
        !off && !self.taken && self.is_exactly(pattern)
    }

    /// Whether it is the beginning of a long name.
    fn begins(&self, pattern: &str) -> bool {
        let (name, value) = pattern.split_once('=').map_or((pattern, None), |(n, v)| (n, Some(v)));
        let said = || self.value.as_ref().map_or("", |value| value.text.as_str());
        self.name.len() >= 3
            && self.name.starts_with("--")
            && !name.contains('*')
            && name.starts_with(&self.name)
            && value.is_none_or(|value| glob(value, said()))
    }

    fn is_exactly(&self, pattern: &str) -> bool {
        if pattern.contains(['*', '=']) {
            let whole = || self.value.as_ref().map(|value| format!("{}={}", self.name, value.text));
            return glob(pattern, &self.text) || whole().is_some_and(|whole| glob(pattern, &whole));
        }
        // With programs of one dash two dashes are the same.
        let twin =
            || pattern.len() > 2 && self.name.len() > 2 && self.name.strip_prefix('-') == Some(pattern);
        self.name == pattern || self.text == pattern || twin()
    }
}
