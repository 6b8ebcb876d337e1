//! Evidence: an answer checked before anyone reads it, and facts looked at before they answer.
//!
//! Owns when that is done and with whose eyes. Never judges: the core says what holds.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use pilothouse_core::{
    fact::{Fact, FactSource},
    ids::{LaneId, TurnId},
    input::Input,
    intent::Mode,
    policy::PathRules,
    relpath::RelPath,
    talk::Purpose,
    work::{View, WorkKey},
};
use pilothouse_tools::{BlobSource, ToolExecutor};

use tokio::time::timeout;

use super::{Driver, project::LOOK_WAIT};
use crate::project::{Mark, mark};

/// The files that facts stand in, as they were when they were last looked at.
pub(super) type FactFiles = BTreeMap<RelPath, Option<Mark>>;

/// What an answer is checked with.
pub(super) struct Checks {
    /// Whether every statement is to be proven, or only the places that it names are looked at.
    proves: bool,
    workshop: ToolExecutor,
    view: View,
    blobs: Arc<dyn BlobSource>,
}

impl Checks {
    /// Whether nothing is shown of it before.
    pub const fn are_silent(&self) -> bool {
        self.proves
    }

    /// The input, where it is an answer with what came of its evidence.
    pub async fn of(self, input: Input) -> Input {
        let Input::Replied { call, reply: Ok(mut reply) } = input else { return input };
        if reply.calls.is_empty() && !reply.text.trim().is_empty() {
            let text = reply.text.clone();
            reply.checked = if self.proves {
                self.workshop.check(text, self.view, self.blobs).await
            } else {
                let found = self.workshop.astray(text, self.view, self.blobs).await;
                found.filter(|found| !found.marks.is_empty())
            };
        }
        Input::Replied { call, reply: Ok(reply) }
    }
}

/// What a look tells; the files are taken for looked at only where it ended in time.
async fn seen_by<T>(
    look: impl Future<Output = T>,
    wait: Duration,
    (files, now): (&mut FactFiles, FactFiles),
) -> Option<T> {
    let seen = timeout(wait, look).await.ok()?;
    *files = now;
    Some(seen)
}

impl Driver {
    /// What the words of a lane are checked with: in proof mode, where every one of them is told that they are, all that they
    /// state; else the places in an answer.
    pub(super) fn checks(&self, lane: LaneId, purpose: Purpose) -> Option<Checks> {
        let told = match purpose {
            Purpose::Answer | Purpose::Plan | Purpose::Task | Purpose::Goal | Purpose::Child => true,
            Purpose::Classify | Purpose::Compact | Purpose::Title | Purpose::Stage => false,
        };
        let proves = told && self.at.session.state().mode == Mode::Proof;
        let view = self.at.session.sight(lane).filter(|_| proves || purpose == Purpose::Answer)?;
        Some(Checks {
            proves,
            workshop: self.kit.workshop.clone(),
            view,
            blobs: Arc::new(self.at.blobs.clone()),
        })
    }

    /// Looks at the facts of files before anything is heard: an editor may have changed one, and what is told then, on the
    /// screen or to a model, is told of the file as it is. Only files are read that are not what they were; one that takes
    /// longer than a moment is looked at with the next input, and before an answer.
    pub(super) async fn see_facts(&mut self, inputs: &mut Vec<(Input, bool)>) {
        if inputs.is_empty() || self.at.read_only() {
            return;
        }
        let now = self.fact_files();
        if now == self.fact_files {
            return;
        }
        let (mut facts, rules) = self.at.session.file_facts();
        facts.retain(|fact| match &fact.source {
            FactSource::File { path, .. } => self.fact_files.get(path) != now.get(path),
            FactSource::Command { .. }
            | FactSource::Tool { .. }
            | FactSource::User
            | FactSource::Derived
            | FactSource::Model => false,
        });
        let (view, blobs) = (View { rules, ..View::default() }, Arc::new(self.at.blobs.clone()));
        let look = self.kit.workshop.places(facts, view, blobs);
        if let Some(Some(places)) = seen_by(look, LOOK_WAIT, (&mut self.fact_files, now)).await {
            inputs.insert(0, (Input::FactsSeen { places }, false));
        }
    }

    /// The files that facts stand in, as they are.
    fn fact_files(&self) -> FactFiles {
        let mut files = FactFiles::new();
        for fact in self.at.session.state().facts.iter() {
            if let FactSource::File { path, .. } = &fact.source
                && !files.contains_key(path)
            {
                let real = std::fs::canonicalize(self.at.root.path().join(path.as_str()));
                files.insert(path.clone(), real.ok().and_then(|real| mark(&real)));
            }
        }
        files
    }

    /// Looks whether the facts still stand that answer a question.
    pub(super) fn recall(&self, key: WorkKey, turn: TurnId, facts: Vec<Fact>, rules: PathRules) {
        let workshop = self.kit.workshop.clone();
        let (view, blobs) = (View { rules, ..View::default() }, Arc::new(self.at.blobs.clone()));
        self.spawn(key, None, None, async move {
            let places = workshop.places(facts, view, blobs).await;
            Input::Recalled { turn, places: places.unwrap_or_default() }
        });
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn files_whose_look_ran_out_of_time_are_looked_at_again() {
        let now = FactFiles::from([(RelPath::new("a.txt").unwrap(), None)]);
        let mut files = FactFiles::new();
        let late = std::future::pending::<()>();
        assert!(seen_by(late, Duration::ZERO, (&mut files, now.clone())).await.is_none());
        assert!(files.is_empty(), "the next input finds them unlooked at");
        assert!(seen_by(std::future::ready(()), Duration::ZERO, (&mut files, now.clone())).await.is_some());
        assert_eq!(files, now);
    }
}
