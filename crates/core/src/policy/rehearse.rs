//! Rehearsal: what a rule would have done to commands of the past.
//!
//! Owns the counting and the recommendation. Never reads a session: the runtime hands over what was run.

use serde::{Deserialize, Serialize};

use super::{
    Manner, Outcome, Policy, Setting,
    request::{Facts, Request},
    rule::{About, Effect, Rule},
    words::Fit,
};
use crate::shell::Risk;

/// A command that was proposed once.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Past {
    /// The exact line.
    pub line: String,
    /// The folder it was to run in.
    pub folder: String,
    /// How it was to run.
    #[serde(default)]
    pub manner: Manner,
}

impl Past {
    /// It, to be decided once more.
    fn request(&self) -> Request {
        Request::command_in(&self.line, &self.folder, self.manner)
    }
}

/// A command whose decision the rule would have changed, or that it reaches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    /// The exact line.
    pub line: String,
    /// Its risk.
    pub risk: Risk,
    /// How often it was proposed.
    pub times: usize,
}

/// What a rule would have done.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rehearsal {
    /// Commands that were looked at, each as often as it was proposed.
    pub seen: usize,
    /// Those that would have run unasked and did not, the riskiest first.
    pub through: Vec<Found>,
    /// Those that the rule names and that would still have asked, because their risk is high or they delete.
    pub held: Vec<Found>,
    /// Those that would have been denied or asked about and were not.
    pub narrowed: Vec<Found>,
}

impl Rehearsal {
    /// Whether the rule can be recommended: nothing of high risk and no removal is among what it names.
    pub fn is_advisable(&self) -> bool {
        self.held.is_empty()
    }

    /// How many proposals would have run unasked.
    pub fn unasked(&self) -> usize {
        self.through.iter().map(|f| f.times).sum()
    }
}

impl Policy {
    /// Replays rules over commands of the past, as they would be decided now.
    pub fn rehearse<'a>(
        &self,
        rules: &[Rule],
        past: impl IntoIterator<Item = (&'a Past, usize)>,
        setting: &Setting<'_>,
    ) -> Rehearsal {
        let mut with = self.clone();
        with.rules.splice(0..0, rules.iter().cloned());
        let mut out = Rehearsal::default();
        for (past, times) in past {
            out.seen += times;
            let request = past.request();
            let before = self.decide(&request, setting);
            let after = with.decide(&request, setting);
            let risk = after.risk.unwrap_or(Risk::High);
            let found = || Found { line: past.line.clone(), risk, times };
            match (before.ruling.outcome, after.ruling.outcome) {
                (Outcome::Ask, Outcome::Run) => out.through.push(found()),
                (Outcome::Run, Outcome::Ask | Outcome::Refuse) | (Outcome::Ask, Outcome::Refuse) => {
                    out.narrowed.push(found());
                }
                (_, Outcome::Ask) if self.names(rules, past) => out.held.push(found()),
                _ => {}
            }
        }
        for list in [&mut out.through, &mut out.held, &mut out.narrowed] {
            list.sort_by(|a, b| b.risk.cmp(&a.risk).then(b.times.cmp(&a.times)).then(a.line.cmp(&b.line)));
        }
        out
    }

    /// Whether an allow rule among these names a command that is of high risk or deletes.
    fn names(&self, rules: &[Rule], past: &Past) -> bool {
        let facts = Facts::of(&past.line, &past.folder, self.places());
        let graver =
            |c: &crate::shell::Call| c.risk == Risk::High || facts.reading.deletes && c.risk > Risk::Low;
        rules.iter().filter(|r| r.effect == Effect::Allow).any(|rule| match &rule.about {
            About::Command(words) => {
                facts.reading.calls.iter().any(|c| graver(c) && words.fits(c) == Fit::Whole)
            }
            About::Path(..) | About::Mcp { .. } | About::Network(_) => false,
        })
    }
}
