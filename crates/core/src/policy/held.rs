//! Rules at the moment of use: the path that a tool resolved is judged again before it is touched.
//!
//! Owns what goes along with a call. Deciding stays here: a tool only asks whether the real path may be touched, and
//! stops where it may not.

use std::sync::Arc;

use super::{Policy, Request, Ruling};
use crate::{relpath::RelPath, shell::Act};

/// The rules about paths, and what the user answered for this call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PathRules {
    /// The rules.
    pub(crate) policy: Arc<Policy>,
    /// What the user let this call do.
    pub(crate) leave: Vec<Request>,
}

/// What a call may not do, or not without a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// The real path and what would be done to it.
    pub request: Request,
    /// The rule.
    pub ruling: Ruling,
}

impl PathRules {
    /// These rules, where nothing was answered yet.
    pub fn new(policy: Arc<Policy>) -> Self {
        Self { policy, leave: Vec::new() }
    }

    /// What holds this act on a real path of the workspace back, if a rule does.
    pub fn holds(&self, act: Act, path: &RelPath) -> Option<Held> {
        let request = Request::Path { act, path: path.as_str().to_owned() };
        if self.leave.contains(&request) && !self.policy.denies(act, path.as_str()) {
            return None;
        }
        let ruling = self.policy.held_path(act, path.as_str())?;
        Some(Held { request, ruling })
    }

    /// Whether a rule denies this act on a path of the workspace, whatever was answered.
    pub fn denies(&self, act: Act, path: &RelPath) -> bool {
        self.policy.has_denial(act, path.as_str())
    }
}
