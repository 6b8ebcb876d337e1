//! The checks that an agent ran and that failed last.
//!
//! Owns what answers them. Never says how a run ends.

use crate::{
    completion::LastRun,
    ids::CallId,
    plan::{Gate, Plan},
    relpath::RelPath,
    session::Run,
    shell::{checks_as_much, is_check, is_prose, proves, together_check_as_much},
};

/// A check that an agent ran and that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RedCheck {
    /// What it ran.
    pub line: String,
    /// The call.
    pub call: CallId,
    /// The checks that ended well on the files as they are now, each with its call.
    pub(super) since: Vec<(String, CallId)>,
    /// Whether files were written since, by something else, that may be why it was red.
    pub mended: bool,
}

impl Run {
    /// A check of its agent ended.
    pub(super) fn checked(&mut self, line: String, call: CallId, green: bool) {
        self.red.retain(|red| red.line != line);
        if green {
            self.red.iter_mut().for_each(|red| red.since.push((line.clone(), call)));
            self.red.retain(|red| !red.is_met(std::iter::empty()));
        } else {
            self.red.push(RedCheck { line, call, since: Vec::new(), mended: false });
        }
    }

    /// A command of its agent ended: of those since the last change a check that ended well is the one to tell of.
    pub(super) fn ran(&mut self, line: &str, call: CallId, exit: Option<i32>) {
        if proves(line) {
            let failed = (exit != Some(0)).then(|| LastRun { command: line.to_owned(), exit });
            self.broke = failed.map(|failed| (failed, call));
        }
        let holds = self.after.as_ref().is_some_and(|(last, _)| last.passed());
        if !holds || proves(line) {
            self.after = Some((LastRun { command: line.to_owned(), exit }, call));
        }
    }

    /// Files were written; by a command, where one is named. What ended well before speaks of other files.
    pub(super) fn writes<'a>(&mut self, mut files: impl Iterator<Item = &'a RelPath>, by: Option<CallId>) {
        if files.any(|file| !is_prose(file.as_str())) {
            for red in &mut self.red {
                red.mended |= Some(red.call) != by;
                red.since.retain(|(_, call)| Some(*call) == by);
            }
            self.after.take_if(|(_, call)| Some(*call) != by);
            self.broke.take_if(|(_, call)| Some(*call) != by);
        }
    }

    /// The command of its agent that failed last and that neither a gate checks as much as nor a check is told of.
    pub(super) fn broke(&self, plan: Option<&Plan>) -> Option<&LastRun> {
        let (broke, _) = self.broke.as_ref()?;
        let gates = plan.map_or(&[][..], |p| &p.gates);
        let checked: Vec<&str> = gates.iter().map(|gate| gate.command.as_str()).collect();
        let told = self.red_checks(plan).any(|red| red.line == broke.command);
        // Of tests the project's own check answers for each; of anything else that ran, only what runs as much.
        let whole = is_check(&broke.command) && gates.iter().any(|g| g.found && g.is_green());
        (!told && !whole && !together_check_as_much(&checked, &broke.command)).then_some(broke)
    }

    /// The checks of its agent that failed last, where no gate checks as much.
    pub(super) fn red_checks<'a>(&'a self, plan: Option<&'a Plan>) -> impl Iterator<Item = &'a RedCheck> {
        let gates = plan.map_or(&[][..], |p| &p.gates);
        let met = move |red: &&RedCheck| {
            // What was found is the project's own check as a whole; one that the user left out is told as that.
            let mut met = gates.iter().filter(|g| g.is_met());
            let together = met.clone().map(|g| g.command.as_str());
            // A gate that has another line now answers for the one that it had as well.
            let mut had = self.replaced.iter();
            let mut had = |g: &Gate| had.any(|(of, line)| *of == g.id && checks_as_much(line, &red.line));
            red.is_met(together) || met.any(|g| (g.found && g.is_green()) || had(g))
        };
        self.red.iter().filter(|_| !self.files.is_empty()).filter(move |red| !met(red))
    }
}

impl RedCheck {
    /// Whether each check of its line is one of these or ended well since.
    fn is_met<'a>(&'a self, by: impl Iterator<Item = &'a str>) -> bool {
        let lines: Vec<&str> = by.chain(self.since.iter().map(|(line, _)| line.as_str())).collect();
        together_check_as_much(&lines, &self.line)
    }

    /// Whether it speaks of files as they were: they were changed since, and every gate of the plan is green on them or
    /// left out by the user.
    pub(super) fn is_of_before(&self, plan: Option<&Plan>) -> bool {
        let gates = plan.map_or(&[][..], |p| &p.gates);
        self.mended && gates.iter().any(Gate::is_green) && gates.iter().all(Gate::is_met)
    }
}
