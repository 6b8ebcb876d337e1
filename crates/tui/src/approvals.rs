//! The list of what waits for the user, with exactly what would happen and why it is asked.
//!
//! Owns which item is chosen. Opens on its key alone, and never answers by itself: the root checks
//! that an item stood long enough before a key may answer it.

use pilothouse_core::{
    blob::BlobId,
    checkpoint::{Answer, Checkpoint},
    ids::CheckpointId,
    question::{Act, Place, Role, Spec},
    session::State,
    shell::Risk,
};

use crate::{keymap::action::actions, theme::Slot};

actions! {
    /// What can be done in the list.
    Action {
        /// The next item.
        Down "down", "next item", "the choice";
        /// The previous item.
        Up "up", "previous item", "the choice";
        /// Open it: the diff, or the word that it wants.
        Open "open", "open it", "shows more; decides nothing";
        /// Allow it once.
        Once "once", "allow once", "this one, now";
        /// Allow commands like it for this session.
        Session "session", "allow for this session", "the rule that stands beside it, until you leave";
        /// Allow commands like it for good.
        Rule "rule", "a rule for good", "shows the rule and what it matches first";
        /// Change the command.
        Edit "edit", "edit the command", "judged again as it then stands";
        /// Deny it with a reason.
        Deny "deny", "deny, with a reason", "this one; the agent is told why";
        /// Why it is asked.
        Why "why", "why it is asked", "shows more; decides nothing";
        /// Back; everything stays pending.
        Back "back", "back, still pending", "nothing";
    }
}

/// What the list wants done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wish {
    /// Nothing more.
    Nothing,
    /// Close the list.
    Close,
    /// Go to the diff.
    Diff,
    /// Go to the composer: the question wants words.
    Composer,
    /// Answer this question.
    Answer(CheckpointId, Answer),
    /// Show every line of what it is about.
    View(BlobId),
    /// Ask for the word that lets it run.
    AskWord(CheckpointId),
    /// Allow what its rule says for this session.
    Session(CheckpointId),
    /// Show the rule that would allow it for good.
    Rule(CheckpointId),
    /// Show why it is asked.
    Why(CheckpointId),
    /// Put this command into the composer.
    Edit(CheckpointId),
    /// Ask for a reason to deny it with.
    AskReason(CheckpointId),
}

/// The list of what waits.
#[derive(Debug, Default)]
pub struct Approvals {
    chosen: Option<CheckpointId>,
}

impl Approvals {
    /// The chosen item; the first when the chosen one is gone.
    pub fn chosen<'a>(&self, state: &'a State) -> Option<&'a Checkpoint> {
        self.chosen.and_then(|id| state.open.get(&id)).or_else(|| state.open.values().next())
    }

    /// Does what a binding means.
    pub fn act(&mut self, action: Action, state: &State) -> Wish {
        let Some(item) = self.chosen(state) else { return Wish::Close };
        match action {
            Action::Down | Action::Up => {
                let ids: Vec<CheckpointId> = state.open.keys().copied().collect();
                let at = ids.iter().position(|id| *id == item.id).unwrap_or_default();
                let to = if action == Action::Down { at + 1 } else { at.wrapping_sub(1) };
                self.chosen = ids.get(to).copied().or(Some(item.id));
                Wish::Nothing
            }
            Action::Open => open(item, &state.spec(item)),
            Action::Once => wish(item, &state.spec(item), Role::Take),
            Action::Session => Wish::Session(item.id),
            Action::Rule => Wish::Rule(item.id),
            Action::Why => Wish::Why(item.id),
            Action::Edit => Wish::Edit(item.id),
            Action::Deny => wish(item, &state.spec(item), Role::Deny),
            Action::Back => Wish::Close,
        }
    }
}

/// More of an item: every line of it, or the word that it wants.
fn open(item: &Checkpoint, spec: &Spec) -> Wish {
    let word = spec.wants_word().map(|_| Wish::AskWord(item.id));
    word.unwrap_or_else(|| wish(item, spec, Role::Look))
}

/// What the choice with this part does; where there is none, the item is answered elsewhere.
fn wish(item: &Checkpoint, spec: &Spec, role: Role) -> Wish {
    match (spec.choice(role).map(|c| &c.act), spec.place) {
        (Some(Act::Give(answer)), _) => Wish::Answer(item.id, answer.clone()),
        (Some(Act::Word(_)), _) => Wish::AskWord(item.id),
        (Some(Act::Reason), _) => Wish::AskReason(item.id),
        (Some(Act::Look(blob)), _) => Wish::View(*blob),
        (Some(Act::Diff), _) | (_, Place::Diff) => Wish::Diff,
        (Some(Act::Say(_)), _) | (_, Place::Composer) => Wish::Composer,
        (Some(Act::Nothing) | None, Place::List) => Wish::Nothing,
    }
}

/// What a risk is called, with its glyph.
pub const fn risk_name(risk: Risk, ascii: bool) -> &'static str {
    match (risk, ascii) {
        (Risk::Low, false) => "· low",
        (Risk::Low, true) => ". low",
        (Risk::Medium, false) => "⚠ medium",
        (Risk::Medium, true) => "! medium",
        (Risk::High, false) => "▲ high",
        (Risk::High, true) => "!! high",
    }
}

/// The colour of a risk.
pub const fn risk_slot(risk: Risk) -> Slot {
    match risk {
        Risk::Low => Slot::Soft,
        Risk::Medium => Slot::Warn,
        Risk::High => Slot::Bad,
    }
}
