//! Proposals wait for a decision, hunk by hunk.

use std::convert::Infallible;

use serde::{Deserialize, Serialize};

use super::{Accept, Act, Asked, Card, Choice, Place, Question, Role, Spec, Ties};
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
        spec.facts = control.collect();
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
        Err(Refusal::new("decide the hunks in the diff: apply, skip, or go up"))
    }
}
