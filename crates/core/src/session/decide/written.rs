//! What was written, told in words: for whoever has no screen.

use super::{Decided, Draft};
use crate::{event::Level, input::Refusal, intent::Slash, session::Extent};

impl Draft<'_> {
    /// `/changes`: what was written, message by message.
    pub(super) fn changes(&mut self, args: &str) -> Decided {
        let extent = match args {
            "" => Extent::Session,
            name => Extent::named(name).ok_or_else(|| Refusal::new("write /changes session, run or turn"))?,
        };
        let groups = self.state.written(extent);
        if groups.is_empty() {
            return Err(Refusal::new(format!("nothing was written in this {}", extent.name())));
        }
        self.heard(Slash::Changes);
        for group in groups {
            let what = if group.origin.run.is_some() { "run" } else { "turn" };
            let goal = group.goal.lines().next().unwrap_or_default();
            self.notice(Level::Info, format!("{what}: {goal}"));
            for file in &group.files {
                self.notice(Level::Info, format!("  {}", file.tally().line()));
            }
        }
        Ok(())
    }
}
