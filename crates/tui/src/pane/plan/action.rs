//! What can be done in the plan.
//!
//! Owns the table. Never does any of it.

use crate::keymap::action::actions;

actions! {
    /// What can be done in the plan.
    PlanAction in "plan" {
        /// The next row.
        Down "down", "next step", "the choice";
        /// The previous row.
        Up "up", "previous step", "the choice";
        /// Details.
        Detail "detail", "detail", "this screen";
        /// Yes to the plan.
        Approve "approve", "approve the plan", "runs its steps; edits still ask";
        /// No to the plan.
        Reject "reject", "reject, then say why", "the plan; nothing was written";
        /// The whole plan in the editor.
        Edit "edit", "edit in $EDITOR", "the plan; you are asked again";
        /// A step below the chosen one.
        AddBelow "add-below", "add a step below", "the plan; you are asked again";
        /// A step above it.
        AddAbove "add-above", "add a step above", "the plan; you are asked again";
        /// The step is taken out.
        Remove "remove", "take the step out", "the plan; you are asked again";
        /// The step changes places with the next.
        MoveDown "move-down", "move the step down", "the plan; you are asked again";
        /// The step changes places with the previous.
        MoveUp "move-up", "move the step up", "the plan; you are asked again";
        /// Runs stop before the step.
        Pause "pause", "pause before the step, or not", "the plan; its runs stop there to ask";
        /// An earlier version.
        Earlier "earlier", "show the version before", "this screen";
        /// Another of the plans that were made.
        Candidate "candidate", "take the next candidate", "the plan; you are asked again";
        /// To its proposals.
        OpenDiff "diff", "show its diff", "moves the focus";
        /// Why what is selected is asked about, or is red.
        Why "why", "why it is asked or red", "shows more; decides nothing";
        /// The step once more.
        Rerun "rerun", "run the step again", "the plan with what needs the step; you are asked first";
        /// The red gate once more.
        RunGate "run-gate", "run the red gate again", "the gate of this plan";
        /// A page down.
        PageDown "page-down", "page down", "this screen";
        /// A page up.
        PageUp "page-up", "page up", "this screen";
        /// The first row.
        Top "top", "first step", "the choice";
        /// The last row.
        Bottom "bottom", "last step", "the choice";
    }
}

impl PlanAction {
    /// Whether it is about the plan as it is now, and not about what is looked at.
    pub(super) const fn decides(self) -> bool {
        match self {
            Self::Approve
            | Self::Reject
            | Self::Edit
            | Self::AddBelow
            | Self::AddAbove
            | Self::Remove
            | Self::MoveDown
            | Self::MoveUp
            | Self::Pause
            | Self::Candidate
            | Self::Rerun
            | Self::RunGate => true,
            Self::Down
            | Self::Up
            | Self::Detail
            | Self::Earlier
            | Self::OpenDiff
            | Self::Why
            | Self::PageDown
            | Self::PageUp
            | Self::Top
            | Self::Bottom => false,
        }
    }
}
