//! Moves of the shell that may have failed.
//!
//! Owns where else it may stand behind a list of commands than where all of them led. Never moves: that is
//! [`super::stand`].

use super::parse;
use super::stand::Stand;
use super::syntax::{Joined, Kind, Pipeline};
use super::walk::Walker;

/// The moves between two commands that run whatever became of the one before.
pub(super) struct Moves {
    /// Where it may stand when one of them failed.
    stood: Stand,
    /// Whether there was one.
    left: bool,
    /// Where it stood before the pipeline that runs.
    before: Stand,
    /// Where it stands when none of them failed, beside the `||` that runs.
    here: Option<Stand>,
    /// An `||` stood before.
    parted: bool,
}

impl Moves {
    pub fn from(stand: &Stand) -> Self {
        let (stood, before) = (stand.clone(), stand.clone());
        Self { stood, left: false, before, here: None, parted: false }
    }
}

impl Walker<'_> {
    /// Before a pipeline runs, or a script ends: only `&&` waits for a move.
    pub(super) fn before_next(&mut self, moves: &mut Moves, joined: Joined) {
        moves.here = None;
        match joined {
            Joined::And => {}
            Joined::Or if moves.left => {
                moves.here = Some(self.stand.clone());
                self.or_return_to(&moves.stood);
            }
            Joined::Or => {}
            Joined::Always => {
                if moves.left {
                    self.or_return_to(&moves.stood);
                }
                *moves = Moves::from(&self.stand);
            }
        }
        moves.before = self.stand.clone();
    }

    /// Behind a pipeline: whether it moved the shell, in whatever words, or ends it where a move failed.
    pub(super) fn after_one(&mut self, moves: &mut Moves, pipeline: &Pipeline) {
        let or = pipeline.joined == Joined::Or;
        let first = or && !moves.parted;
        moves.parted |= or;
        if first && self.ends(pipeline) {
            if let Some(here) = moves.here.take() {
                self.stand = here;
            }
            *moves = Moves::from(&self.stand);
        } else if self.stand.tried != moves.before.tried {
            moves.stood = moves.stood.clone().or(&moves.before);
            moves.left = true;
            if pipeline.turned {
                self.or_return_to(&moves.before);
            }
        }
    }

    /// Whether nothing runs behind a pipeline: `exit`, plain enough that it cannot fail, or `return` from a function.
    fn ends(&self, pipeline: &Pipeline) -> bool {
        let [node] = pipeline.nodes.as_slice() else { return false };
        let Kind::Simple { assigns, words } = &node.kind else { return false };
        let mut words = words.iter().map(parse::bare);
        let Some(Some(name @ ("exit" | "return"))) = words.next() else { return false };
        let code = |word: Option<&str>| word.is_some_and(|w| w.bytes().all(|b| b.is_ascii_digit()));
        assigns.is_empty()
            && node.redirects.is_empty()
            && !pipeline.background
            && words.next().is_none_or(code)
            && words.next().is_none()
            && (name == "exit" || !self.memory.running.is_empty())
            && self.function(name).is_none()
            && self.aliases_of(name).is_empty()
    }
}
