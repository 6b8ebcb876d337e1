//! Forms of arguments: sub-commands and conditions, as the lines of the data name them.
//!
//! Owns their reading and the comparison with arguments. What a form means is its reader's.

use super::args::Args;
use super::path::glob;
use super::syntax::Span;

#[derive(Clone, Debug)]
pub(super) enum Condition {
    Any(Vec<&'static str>),
    None(Vec<&'static str>),
    Operands { least: usize, most: usize },
    Matches(Vec<&'static str>),
}

/// What some arguments look like.
#[derive(Clone, Debug, Default)]
pub(super) struct Form {
    pub subs: Vec<Vec<&'static str>>,
    pub conditions: Vec<Condition>,
}

impl Form {
    /// One more word of a line: a condition or the names of a sub-command.
    pub fn read(&mut self, word: &'static str) {
        let list = |rest: &'static str| rest.split(',').collect::<Vec<_>>();
        let condition = match word.split_at_checked(1) {
            Some(("?", rest)) => Condition::Any(list(rest)),
            Some(("!", rest)) => Condition::None(list(rest)),
            Some(("~", rest)) => Condition::Matches(list(rest)),
            Some(("@", rest)) => {
                let Ok(least) = rest.trim_end_matches('+').parse() else { return };
                Condition::Operands { least, most: if rest.ends_with('+') { usize::MAX } else { least } }
            }
            Some(("*", "")) => return,
            _ => return self.subs.push(word.split('|').collect()),
        };
        self.conditions.push(condition);
    }

    /// The span that decided when the line matches; the inner `None` when nothing in particular did.
    #[allow(clippy::option_option, reason = "no match, a match, and a match at a place are three things")]
    pub fn matches(&self, args: &Args, raises: bool) -> Option<Option<Span>> {
        let subs_match = self.subs.iter().enumerate().all(|(at, names)| {
            names.iter().any(|n| *n == args.operand(at) || n.contains('*') && glob(n, args.operand(at)))
        });
        if !subs_match || args.operands.len() < self.subs.len() {
            return None;
        }
        let rest = args.operands.get(self.subs.len()..).unwrap_or(&[]);
        let mut span = None;
        for condition in &self.conditions {
            match condition {
                // What makes it worse may be meant by any spelling, what makes it harmless must be there for certain.
                Condition::Any(patterns) if raises => span = Some(args.opt(patterns)?.span),
                Condition::Any(patterns) => span = Some(args.sure(patterns)?.span),
                Condition::None(patterns) => {
                    if if raises { args.sure(patterns).is_some() } else { args.has(patterns) } {
                        return None;
                    }
                }
                Condition::Operands { least, most } => {
                    if !(*least..=*most).contains(&rest.len()) {
                        return None;
                    }
                }
                Condition::Matches(patterns) => {
                    // Blanks may stand between a function and its arguments.
                    let tight = |text: &str| {
                        let parts: Vec<&str> = text.split('(').map(str::trim_end).collect();
                        parts.join("(")
                    };
                    let fits = |text: &str| patterns.iter().any(|p| glob(p, text));
                    let hit = rest.iter().find(|f| fits(&f.text) || raises && fits(&tight(&f.text)));
                    span = Some(hit?.span);
                }
            }
        }
        Some(span)
    }
}
