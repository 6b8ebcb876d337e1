//! What holds of a command whatever rules allow.
//!
//! Owns what always asks, in every mode, and what the user's own line may do. Looks at no rule.

use super::{By, Conditions, DecisionReason, Manner, Outcome, request::Facts};
use crate::{sandbox::Confine, shell::Risk};

/// What holds of a command whatever rules allow: what always asks, in every mode, and the user's own line.
pub(super) fn unruled(
    facts: &Facts,
    manner: Manner,
    confine: Confine,
    place: Conditions,
) -> Option<(Outcome, DecisionReason, &'static str)> {
    let asks = |ground, by| Some((Outcome::Ask, ground, by));
    if facts.reading.verdict.risk == Risk::High {
        return asks(DecisionReason::High, "high risk always asks, in every mode");
    }
    if manner.by == By::Submitted {
        return Some((Outcome::Run, DecisionReason::User, "you submitted this line yourself"));
    }
    if matches!(manner.by, By::Gate | By::Approved) && !place.trusted {
        let by = "a gate runs the project's own code: in a folder that is not trusted it always asks";
        return asks(DecisionReason::Untrusted, by);
    }
    let typed = manner.by == By::Typed;
    if facts.reading.deletes && !typed {
        return asks(DecisionReason::Delete, "a removal always asks, in every mode");
    }
    if manner.outside && !typed {
        return asks(DecisionReason::Outside, "running outside the sandbox always asks, in every mode");
    }
    if manner.brought && !typed {
        return asks(
            DecisionReason::Brought,
            "something the project brings would run in its place: that always asks",
        );
    }
    if confine == Confine::Bare {
        return asks(DecisionReason::Bare, "without a sandbox every command asks, in every mode");
    }
    if place.metadata_open && matches!(confine, Confine::Inside { write: true, .. }) {
        let by = "the sandbox here cannot protect metadata (modes, owners, times) outside the workspace: anything that writes always asks, in every mode";
        return asks(DecisionReason::Metadata, by);
    }
    if typed {
        return Some((Outcome::Run, DecisionReason::User, "you typed this line yourself"));
    }
    if manner.wants_network(place) {
        return asks(
            DecisionReason::Network,
            "a command that wants the network asks while it is off, in every mode",
        );
    }
    None
}
