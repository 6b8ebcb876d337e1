//! What can be done in the plan.
//!
//! Owns the table. Never does any of it.

use crate::keymap::action::weighed;

weighed! {
    /// What can be done in the plan.
    PlanAction in "plan" {
        /// The next row.
        Down "down", "next step", "the choice": Looks;
        /// The previous row.
        Up "up", "previous step", "the choice": Looks;
        /// Details.
        Detail "detail", "detail", "this screen": Looks;
        /// Yes to the plan.
        Approve "approve", "approve the plan", "runs its steps; edits still ask": Settles;
        /// No to the plan.
        Reject "reject", "reject, then say why", "the plan; nothing was written": Settles;
        /// The whole plan in the editor.
        Edit "edit", "edit in $EDITOR", "the plan; you are asked again": Settles;
        /// A step below the chosen one.
        AddBelow "add-below", "add a step below", "the plan; you are asked again": Settles;
        /// A step above it.
        AddAbove "add-above", "add a step above", "the plan; you are asked again": Settles;
        /// The step is taken out.
        Remove "remove", "take the step out", "the plan; you are asked again": Settles;
        /// The step changes places with the next.
        MoveDown "move-down", "move the step down", "the plan; you are asked again": Settles;
        /// The step changes places with the previous.
        MoveUp "move-up", "move the step up", "the plan; you are asked again": Settles;
        /// Runs stop before the step.
        Pause "pause", "pause before the step, or not", "the plan; its runs pause there to ask": Settles;
        /// An earlier version.
        Earlier "earlier", "show the version before", "this screen": Looks;
        /// Another of the plans that were made.
        Candidate "candidate", "take the next candidate", "the plan; you are asked again": Settles;
        /// To its proposals.
        OpenDiff "diff", "show its diff", "moves the focus": Looks;
        /// Why what is selected is asked about, or is red.
        Why "why", "why it is asked or red", "shows more; decides nothing": Opens;
        /// The step once more.
        Rerun "rerun", "run the step again", "the plan with what needs the step; you are asked first": Settles;
        /// The red gate once more.
        RunGate "run-gate", "run the red gate again", "the gate of this plan": Settles;
        /// A page down.
        PageDown "page-down", "page down", "this screen": Looks;
        /// A page up.
        PageUp "page-up", "page up", "this screen": Looks;
        /// The first row.
        Top "top", "first step", "the choice": Looks;
        /// The last row.
        Bottom "bottom", "last step", "the choice": Looks;
    }
}
