//! Items of the agent's numbered list that the user chooses: "ok do the second one", "1 and 3".
//!
//! Owns that choosing orders what stands there. Never goes further than to change files.

use super::Draft;
use crate::{
    intent::{IntentNode, IntentPath, Phase, Reading, Source, Turn},
    session::{closing::closing, listed::numbered},
};

/// How sure an order is that names what it is about by its number.
const PICKS: f32 = 0.9;

impl Draft<'_> {
    /// A line that orders items of the list which the agent gave last, read as the order for them, whole; `told` where the
    /// line is in the record already.
    pub(super) fn picked(&self, line: &str, reading: &Reading, told: bool) -> Option<Reading> {
        let mut said = self.state.recent.iter().rev().skip(usize::from(told));
        let idle = self.state.phase == Phase::Idle && self.state.phase_question().is_none();
        let by_name = matches!(reading.whole.source, Source::Slash | Source::AtNode);
        let beside = by_name || reading.command.is_some() || reading.forbids_change;
        if !idle || beside || said.next().is_none_or(|said| said.by_user) {
            return None;
        }
        // Below a question the items are answers to it.
        if closing(&self.state.last_word).is_some_and(|asked| !asked.choices.is_empty()) {
            return None;
        }
        let items = numbered(&self.state.last_word);
        let (last, classifier) = (*items.last_key_value()?.0, &self.under.tiers.classifier);
        let picked = classifier.picks(line, last)?;
        // Alone they order nothing, but where something is offered.
        if !picked.orders && !classifier.offers(&self.state.last_word) {
            return None;
        }
        let named: Option<Vec<&str>> =
            picked.items.iter().map(|n| items.get(n).map(String::as_str)).collect();
        let mut reading = reading.clone();
        reading.text = format!("{line}\n\n{}", named?.join("\n"));
        let whole = &mut reading.whole;
        (whole.turn, whole.path) = (Turn::PlanNew(None), IntentPath::to(IntentNode::Modify));
        (whole.confidence, whole.scope_confidence) = (PICKS, PICKS);
        whole.source = Source::Heuristic;
        let numbers: Vec<String> = picked.items.iter().map(ToString::to_string).collect();
        whole.reasoning = format!("orders item {} of the agent's list", numbers.join(", "));
        reading.clarify = None;
        reading.segments.clear();
        Some(reading)
    }
}
