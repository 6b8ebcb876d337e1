//! Where a run of a plan stops to ask.
//!
//! Owns the places and their words. Never stops a run.

use serde::{Deserialize, Serialize};

use super::Plan;
use crate::{
    ids::TaskId,
    money::{count, dollars},
};

/// A place at which a run stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "place", content = "of")]
pub enum Pause {
    /// Before a step.
    Step(TaskId),
    /// Before the first change that nobody looks at.
    FirstWrite,
    /// When a gate fails, where it would be repaired unasked.
    FailedGate,
    /// Once more lines than these are changed.
    Lines(u64),
    /// Once more millionths of a US dollar than these are spent.
    Micros(u64),
    /// At the next step of the run that the user holds: before it begins, thinks again or writes.
    Held,
}

impl Pause {
    /// It in words, as a document has them.
    pub fn words(self) -> String {
        match self {
            Self::Step(_) => "before this step".to_owned(),
            Self::FirstWrite => "before the first change".to_owned(),
            Self::FailedGate => "when a gate fails".to_owned(),
            Self::Lines(n) => format!("past {}", count(n, "line")),
            Self::Micros(micros) => format!("past {}", exact(micros)),
            Self::Held => "at the next step, as you said".to_owned(),
        }
    }

    /// Reads a place that holds for the whole plan.
    pub fn of_words(text: &str) -> Option<Self> {
        match text.split_whitespace().collect::<Vec<_>>().as_slice() {
            ["before", "the", "first", "change"] => Some(Self::FirstWrite),
            ["when", "a", "gate", "fails"] => Some(Self::FailedGate),
            ["past", lines, "lines" | "line"] => Some(Self::Lines(lines.parse().ok()?)),
            ["past", sum] => Some(Self::Micros(micros(sum.strip_prefix('$')?)?)),
            _ => None,
        }
    }

    /// Why a run stopped here, with what it came to.
    pub fn reason(self, plan: Option<&Plan>, came_to: u64) -> String {
        match self {
            Self::Step(id) => {
                let task = plan.and_then(|p| Some((p.number(id), p.task(id)?)));
                task.map_or_else(
                    || "Paused before the next step".to_owned(),
                    |(n, task)| format!("Paused before step {n}: {}", task.title),
                )
            }
            Self::FirstWrite => "Paused before the first change".to_owned(),
            Self::FailedGate => "Paused because a gate failed".to_owned(),
            Self::Lines(most) => format!("Paused: {came_to} lines changed, over the limit of {most}"),
            Self::Held => "Paused, as you said".to_owned(),
            Self::Micros(most) => {
                format!("Paused: {} spent, over the limit of {}", dollars(came_to), exact(most))
            }
        }
    }
}

/// Dollars with as many decimals as there are, and at least two.
fn exact(micros: u64) -> String {
    let decimals = format!("{:06}", micros % 1_000_000);
    let short = decimals.trim_end_matches('0');
    format!("${}.{short:0<2}", micros / 1_000_000)
}

/// Dollars as [`exact`] writes them.
fn micros(sum: &str) -> Option<u64> {
    let (whole, part) = sum.split_once('.').unwrap_or((sum, ""));
    let digits = |t: &str| t.chars().all(|c| c.is_ascii_digit());
    if whole.is_empty() || !digits(whole) || !digits(part) || part.len() > 6 {
        return None;
    }
    let part: u64 = format!("{part:0<6}").parse().ok()?;
    whole.parse::<u64>().ok()?.checked_mul(1_000_000)?.checked_add(part)
}

impl Plan {
    /// Whether a run of it stops here.
    pub fn pauses_at(&self, pause: Pause) -> bool {
        match pause {
            Pause::Step(id) => self.task(id).is_some_and(|t| t.pause),
            Pause::FirstWrite | Pause::FailedGate | Pause::Lines(_) | Pause::Micros(_) | Pause::Held => {
                self.pauses.contains(&pause)
            }
        }
    }

    /// Lets its runs stop here, or not any more.
    pub(crate) fn set_pause(&mut self, pause: Pause, on: bool) {
        match pause {
            Pause::Step(id) => self.tasks.iter_mut().filter(|t| t.id == id).for_each(|t| t.pause = on),
            Pause::FirstWrite | Pause::FailedGate | Pause::Lines(_) | Pause::Micros(_) | Pause::Held => {
                self.pauses.retain(|p| *p != pause);
                self.pauses.extend(Some(pause).filter(|_| on));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_reads_back_from_its_words() {
        let all = [Pause::FirstWrite, Pause::FailedGate, Pause::Lines(200), Pause::Micros(1_500_000)];
        for pause in all.into_iter().chain([1, 10, 250_000, 12_345_678, 3_000_000].map(Pause::Micros)) {
            assert_eq!(Pause::of_words(&pause.words()), Some(pause), "{}", pause.words());
        }
        assert_eq!(Pause::Micros(1_500_000).words(), "past $1.50");
        for wrong in
            ["past", "past lines", "past -3 lines", "past $", "past $1.2345678", "past $x", "past $.5", "now"]
        {
            assert_eq!(Pause::of_words(wrong), None, "{wrong}");
        }
        assert_eq!(Pause::of_words("past $99999999999999999999"), None);
    }
}
