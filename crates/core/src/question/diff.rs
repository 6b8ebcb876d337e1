//! Proposals wait for a decision, hunk by hunk.

use std::convert::Infallible;

use serde::{Deserialize, Serialize};

use super::{Accept, Act, Asked, Card, Choice, Lone, Place, Question, Role, Spec, Ties};
use crate::{
    checkpoint::Answer,
    clean::Clean,
    ids::{LaneId, ProposalId},
    policy::Request,
    proposal::{Proposal, ProposalStatus},
    refusal::Refusal,
    shell::Act as Touch,
    tool::ChangeKind,
};

/// What a lane proposed is reviewed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Review {
    /// The lane that proposed them.
    pub lane: LaneId,
    /// The proposals.
    pub proposals: Vec<ProposalId>,
}

/// What says that changes are good or to be written, and nothing else.
const PRAISE: [&str; 48] = [
    "ok",
    "okay",
    "sure",
    "yes",
    "looks good",
    "looks good to me",
    "looks great",
    "looks fine",
    "looks right",
    "that looks good",
    "that looks right",
    "this looks good",
    "it looks good",
    "all good",
    "good",
    "great",
    "nice",
    "perfect",
    "fine",
    "lgtm",
    "sgtm",
    "ship it",
    "apply",
    "apply it",
    "apply them",
    "apply this",
    "apply that",
    "apply all",
    "apply all of it",
    "apply the changes",
    "apply the change",
    "apply the diff",
    "apply everything",
    "take it",
    "take them",
    "take all",
    "take all of it",
    "accept",
    "accept it",
    "accept them",
    "accept all",
    "accept the changes",
    "approve",
    "approve it",
    "approved",
    "merge it",
    "write it",
    "save it",
];
/// Said around it.
const AROUND: [&str; 10] =
    ["please", "now", "thanks", "thank you", "then", "so", "let's", "lets", "you can", "go ahead and"];

/// Whether a line says that what waits is good, or is to be written, and nothing else: words do not take hunks, and
/// nobody needs to be asked what was meant.
pub fn praises(line: &str) -> bool {
    let folded = line.trim().to_lowercase().replace('’', "'");
    let parts = folded.split([',', ';', '.', '!', '\n']).flat_map(|part| part.split(" and "));
    let mut parts = parts.map(bare).filter(|part| !part.is_empty()).peekable();
    parts.peek().is_some() && parts.all(|part| PRAISE.contains(&part) || Lone::of(part) == Some(Lone::Yes))
}

/// A part of a line without what is said around it.
fn bare(part: &str) -> &str {
    let mut part = part.trim();
    loop {
        let less = AROUND.iter().find_map(|word| {
            let rest = part.strip_prefix(word).filter(|rest| rest.is_empty() || rest.starts_with(' '));
            rest.or_else(|| part.strip_suffix(word).filter(|rest| rest.is_empty() || rest.ends_with(' ')))
        });
        match less {
            Some(less) => part = less.trim(),
            None => return part,
        }
    }
}

/// So many files in words, of one question or of several.
pub fn files_wait(files: usize) -> String {
    let what = if files == 1 { "1 file waits".to_owned() } else { format!("{files} files wait") };
    format!("{what} for your decision")
}

impl Review {
    fn all<'a>(&'a self, asked: &Asked<'a>) -> impl Iterator<Item = &'a Proposal> + Clone {
        let known = asked.proposals;
        self.proposals.iter().filter_map(|id| known.get(id))
    }
}

impl Question for Review {
    fn choices(&self) -> Vec<Choice> {
        let open = Choice::new("Enter", "open the diff", Act::Diff).role(Role::Look);
        vec![open.reach("diff", "opens it; decides nothing")]
    }

    fn describe(&self, spec: &mut Spec, asked: &Asked<'_>) {
        let all = self.all(asked);
        let open = all.clone().filter(|p| p.status == ProposalStatus::Open);
        // What is written already waits for nobody.
        let named = all.clone().filter(|p| open.clone().next().is_none() || p.status == ProposalStatus::Open);
        let files: Vec<String> = named.map(|p| Clean::line(p.path.as_str()).into_string()).collect();
        spec.place = Place::Diff;
        spec.things = open.clone().count();
        spec.hunks = Some(open.map(|p| p.tally().2).sum());
        spec.title = Clean::line(&files_wait(spec.things));
        spec.tag = "changes";
        spec.text = Clean::line(&files.join("  "));
        let control = all.clone().filter_map(|p| {
            let (path, why) = (Clean::line(p.path.as_str()), Clean::line(p.control.as_ref()?));
            Some(("control", Clean::line(&format!("{path} {why}; it is written by its own word"))))
        });
        // What is no step's is no part of the plan.
        let unchecked = asked.unchecked.filter(|_| all.clone().any(|p| p.task.is_some()));
        spec.facts = unchecked.map(|said| ("check", Clean::line(said))).into_iter().chain(control).collect();
        spec.ruled = all.clone().next().map(|first| {
            let act = if first.kind == ChangeKind::Delete { Touch::Delete } else { Touch::Write };
            (Request::Path { act, path: first.path.as_str().to_owned() }, None)
        });
    }

    fn ties(&self) -> Ties {
        Ties { lane: Some(self.lane), outlives_work: true, ..Ties::default() }
    }

    fn card(&self) -> Card {
        Card::Review(self.proposals.clone())
    }
}

/// Hunks are decided and applied by inputs of their own.
impl Accept for Review {
    type Answer = Infallible;

    fn accept(&self, _given: Answer) -> Result<Infallible, Refusal> {
        Err(Refusal::new("decide the hunks in the diff: apply, skip, or go back up"))
    }
}

#[cfg(test)]
mod tests {
    use super::praises;

    #[test]
    fn a_line_that_only_praises_what_waits_is_known_and_one_that_wants_more_is_not() {
        for line in [
            "looks good",
            "Looks good, apply it",
            "LGTM!",
            "ship it",
            "apply it now please",
            "ok, apply them.",
        ] {
            assert!(praises(line), "{line}");
        }
        for line in [
            "looks good but rename x",
            "apply it to b.rs as well",
            "",
            "please",
            "good question",
            "is it good?",
        ] {
            assert!(!praises(line), "{line}");
        }
    }
}
