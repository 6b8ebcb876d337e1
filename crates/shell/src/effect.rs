//! What a line does, in one word.
//!
//! Owns the words and their order. Which program does what is in `assets/knowledge/roles.txt`; never judges risk.

use super::expand::Field;
use super::programs;
use super::syntax::Span;
use super::{Act, Call, Risk, Use};

/// What a line does, from the least to the most that is lost by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// It only looks.
    Reads,
    /// It makes files or folders.
    Creates,
    /// It runs something.
    Runs,
    /// It changes files.
    Changes,
    /// It deletes something, here or elsewhere.
    Deletes,
}

impl Effect {
    /// The effect of that name in the data.
    pub(super) fn named(name: &str) -> Option<Self> {
        match name {
            "read" => Some(Self::Reads),
            "create" => Some(Self::Creates),
            "run" => Some(Self::Runs),
            "change" => Some(Self::Changes),
            "delete" => Some(Self::Deletes),
            _ => None,
        }
    }
}

/// The most that any command of a line does.
pub fn effect(line: &str) -> Effect {
    let reading = super::read(line);
    let destroys = |rule: &str| rule == "remote-destroy" || rule == "wipe";
    if reading.deletes || reading.verdict.parts.iter().any(|part| destroys(&part.rule)) {
        return Effect::Deletes;
    }
    let kept = |used: &&Use| used.redirect && used.act == Act::Write && !used.path.starts_with("/dev/");
    let made = reading.uses.iter().find(kept).map(|_| Effect::Creates);
    let done = reading.calls.iter().filter(|call| !call.carrier).map(of_call).max();
    made.max(done).unwrap_or_else(|| of_words(line))
}

/// A line that cannot be read, by its first words.
fn of_words(line: &str) -> Effect {
    let mut words = line.split_whitespace().map(|word| Field::plain(word, Span::default()));
    let name = words.next().map(|field| field.text).unwrap_or_default();
    programs::effect(&name, &words.collect::<Vec<_>>()).unwrap_or(Effect::Runs)
}

fn of_call(call: &Call) -> Effect {
    let words: Vec<Field> = call.words.iter().map(|w| Field::plain(&w.text, Span::default())).collect();
    let otherwise = if call.risk == Risk::Low { Effect::Reads } else { Effect::Runs };
    if call.located { Effect::Runs } else { programs::effect(&call.program, &words).unwrap_or(otherwise) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_does_the_most_that_its_commands_do() {
        for (line, want) in [
            ("ls -la | head -3", Effect::Reads),
            ("cat .env", Effect::Reads),
            ("git clean -n", Effect::Reads),
            ("echo x 2>/dev/null", Effect::Reads),
            ("git log --since friday, what's in there", Effect::Reads),
            ("echo x > a.txt", Effect::Creates),
            ("cd / && touch x", Effect::Creates),
            ("mkdir -p a/b", Effect::Creates),
            ("export A=b", Effect::Runs),
            ("cargo test", Effect::Runs),
            ("./deploy.sh", Effect::Runs),
            ("sed -i s/a/b/ f", Effect::Changes),
            ("find . -name '*.tmp' -exec mv {} old/ \\;", Effect::Changes),
            ("env -i sh -c 'rm x'", Effect::Deletes),
            ("git push origin :old", Effect::Deletes),
            ("git branch -D old", Effect::Deletes),
            ("docker system prune -f", Effect::Deletes),
            ("kubectl delete pod x", Effect::Deletes),
        ] {
            assert_eq!(effect(line), want, "{line}");
        }
    }
}
