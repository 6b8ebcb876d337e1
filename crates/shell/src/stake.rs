//! What a line puts at stake, where a look at the machine can tell whether that would be lost.
//!
//! Owns the kinds and when a line puts nothing else at stake. Which rule puts what at stake is data; whether it is lost
//! say those who can look.

use std::collections::BTreeSet;

use super::knowledge::list;
use super::rules::Rule;
use super::{Call, Risk};

/// What a line puts at stake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stake {
    /// Contents of the files that it names.
    Files,
    /// What git's names stand for.
    History,
    /// Programs that run.
    Processes,
    /// Values of the environment that it gets.
    Environment,
}

impl Stake {
    const ALL: [Self; 4] = [Self::Files, Self::History, Self::Processes, Self::Environment];

    /// The kind of that name in the data.
    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|stake| stake.list().ends_with(name))
    }

    /// The list of programs that name all of it which they put at stake.
    const fn list(self) -> &'static str {
        match self {
            Self::Files => "loses files",
            Self::History => "loses history",
            Self::Processes => "loses processes",
            Self::Environment => "loses environment",
        }
    }
}

/// What was found of that on a line.
#[derive(Clone, Debug, Default)]
pub(super) struct Stakes {
    found: BTreeSet<Stake>,
    /// Something else is at stake, or something that the line does not name.
    more: bool,
    /// Names may lead elsewhere by now.
    led: bool,
}

impl Stakes {
    /// A rule holds; `loose` when no command stands there. Whether something is at stake.
    pub fn hit(&mut self, rule: &Rule, loose: bool) -> bool {
        self.found.extend(rule.stake);
        let staked = rule.stake.is_some() || rule.risk == Risk::High;
        self.more |= staked && (loose || rule.stake.is_none());
        staked
    }

    /// What is written or deleted is not named.
    pub const fn unnamed(&mut self) {
        self.more = true;
    }

    /// Any command, in the order of the line: behind one that lets names lead elsewhere nobody knows what they mean.
    pub fn pass(&mut self, call: &Call) {
        self.led |= list("leads elsewhere").contains(&call.program.as_str());
    }

    /// A command at which something is at stake: what is not on the lists may lose more than its words name.
    pub fn weigh(&mut self, call: &Call) {
        let listed = self.found.iter().any(|s| list(s.list()).contains(&call.program.as_str()));
        // What `find` starts is not found by its words alone.
        let starts = |w: &str| w.starts_with("-exec") || w.starts_with("-ok") || w == "-L" || w == "-follow";
        let open = call.located || call.words.iter().any(|w| starts(&w.text));
        self.more |= !call.carrier && (!listed || open || self.led || call.from.is_none());
    }

    /// All that is at stake; nothing where that is not certain.
    pub fn all(&self) -> Vec<Stake> {
        if self.more { Vec::new() } else { self.found.iter().copied().collect() }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_is_at_stake_is_told_where_nothing_else_is() {
        let files = &[Stake::Files][..];
        for (line, want) in [
            ("rm -rf target", files),
            ("rm -rf node_modules dist && npm test", files),
            ("rm notes.txt", files),
            ("bash -c 'rm -rf target'", files),
            ("find . -name '*.pyc' -delete", files),
            ("git clean -fdx", files),
            ("git checkout -- a.py", files),
            ("git branch -D old", &[Stake::History]),
            ("kill 12345", &[Stake::Processes]),
            ("env | grep NODE", &[Stake::Environment]),
            ("rm -rf \"$X\"", &[]),
            ("rm -rf target \"$X\"", &[]),
            ("rm -rf ~/x", &[]),
            ("cd \"$X\" && rm -rf target", &[]),
            ("ls | xargs rm -rf", &[]),
            ("rimraf dist; touch a", &[]),
            ("gio remove src/a; rm -rf target", &[]),
            ("find target -exec rm {} +", &[]),
            ("rm -rf target; cat .env", &[]),
            ("rm -rf target; git push -f", &[]),
            ("sudo rm -rf target", &[]),
            ("docker exec web printenv", &[]),
            ("docker kill web", &[]),
            ("./rm -rf target", &[]),
            ("ln -s src x; rm -rf x/a", &[]),
            ("rm -rf x; ln -s src x", files),
            ("ls", &[]),
        ] {
            assert_eq!(crate::read(line).stakes, want, "{line}");
        }
    }
}
