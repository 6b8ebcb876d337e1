//! Gates: what their command's end says about the tree, and when one may have another command.
//!
//! Owns the verdict and its evidence. Never runs one: that is a call like every other.

use std::{collections::BTreeSet, iter};

use super::{
    Decided, Draft,
    answer::{Given, Resolve},
    terms::TreeView,
    verdict::CallVerdict,
};
use crate::{
    blob::{BlobId, OUTPUT},
    checkpoint::Answer,
    digest,
    event::{CallStatus, Event, Level, Proof},
    fact::shortened,
    ids::{ApprovalId, CallId, CheckpointId, EvidenceId, GateId, LaneId},
    input::Refusal,
    phase::Trigger,
    plan::{Files, Gate, GateDraft, GateStatus, Plan, Unproven, lacks},
    policy::{By, Outcome},
    question::{GateChange, Lone},
    relpath::RelPath,
    session::{Lane, LaneKind},
    shell::{checks_each_file, proves, tells_its_end},
    tool::{Advice, ChangeGate, Exit, Run, Trees},
};

/// Told of a command that could prove nothing.
const PROVES_NOTHING: &str = "that proves nothing: give a program that checks at least as much, or several joined \
                              by &&, with nothing else deciding how it ends";

/// Told of a check that failed before anything was changed.
const UNTOUCHED: &str = "fails on the untouched tree too: it names no file that was changed here";

/// Told of a gate that nobody asked for and that this run cannot have broken.
const NO_CODE: &str = "is red, but this run changed no code and it was never green here: it is not counted";

/// Told where nobody could look.
const UNSEEN_TREE: &str = "It could not be checked whether files changed since the gates passed.";

/// So often the gates of a run are run again because files changed meanwhile.
const MOST_OVERTAKEN: u32 = 3;

/// How a gate's command ended.
#[derive(Clone, Debug)]
pub(super) struct GateEnd {
    /// The command.
    pub command: String,
    /// Its exit; `None` when it could not be run.
    pub exit: Option<Exit>,
    /// Whether the gate is green.
    pub passed: bool,
    /// Its output.
    pub output: BlobId,
    /// What of that says what is wrong.
    pub diagnostics: String,
    /// What can be done about it, as it is told there.
    pub advice: Vec<Advice>,
    /// Whether nothing that was changed here has to do with it.
    pub untouched: bool,
    /// The workspace that it was run on.
    pub trees: Option<Trees>,
}

impl GateEnd {
    /// One that could not even be started is red: only the user waives a gate.
    fn proof(self) -> Proof {
        let Self { command, exit, output, diagnostics, advice, trees, .. } = self;
        let (tree, tree_before) = (trees.map(|t| t.after), trees.map(|t| t.before));
        Proof { command, exit: exit.unwrap_or_default(), output, diagnostics, advice, tree, tree_before }
    }
}

impl Draft<'_> {
    /// What is asked of a gate that failed is answered: it is left out, or runs again, whatever was forbidden before, and
    /// the run goes on.
    pub(super) fn settle_gate(
        &mut self,
        (asked, answer): (CheckpointId, Answer),
        gate: GateId,
        skipped: bool,
    ) {
        self.close(asked, Some(answer));
        self.emit(Event::GateReset { gate, skipped, why: None });
        let turn = self.state.run.as_ref().map(|r| r.turn).unwrap_or_default();
        let line = self.state.plan.as_ref().and_then(|p| p.gate(gate)).map(|g| g.command.clone());
        match line.filter(|_| !skipped && self.may_run() && self.state.runs_nothing(turn)) {
            Some(line) => self.start_gate(gate, &line),
            None => self.continue_run(),
        }
    }

    /// How often the agent may try to make a gate green: as the depth says that was chosen, else as the settings do.
    pub(super) fn most_repairs(&self) -> u32 {
        self.state.depth().map_or(self.under.bounds.repairs, |depth| depth.numbers().repairs)
    }

    /// A command ended: that of a gate, or the same one run by the step before it. Whether it was the gate's own.
    pub(super) fn ends_gate(
        &mut self,
        (lane, kind): (LaneId, LaneKind),
        (ran, too_soon): (Option<GateId>, Vec<GateId>),
        end: GateEnd,
    ) -> bool {
        if let Some(gate) = kind.gate() {
            self.gate_ended(lane, gate, end);
            return true;
        }
        // Its line is green before its time: that proves nothing yet, and red it is no more.
        for gate in too_soon.into_iter().filter(|_| end.passed) {
            self.emit(Event::GateReset { gate, skipped: false, why: None });
        }
        // What nobody could look at proves nothing of the files.
        let Some(gate) = ran.filter(|_| end.trees.is_some()) else { return false };
        let was = self.state.plan.as_ref().and_then(|p| p.gate(gate)).map(|g| g.status);
        match was {
            // It is known so already of these files.
            Some(GateStatus::Passed(evidence)) if end.passed && self.was_on(evidence, end.trees) => {}
            Some(GateStatus::Failed(evidence)) if !end.passed && self.was_on(evidence, end.trees) => {}
            // Why it proves nothing here is a reason for its red as well.
            Some(GateStatus::Unproven(_)) if !end.passed => {}
            _ if end.passed => self.gate_passed(gate, end),
            _ => {
                let evidence = EvidenceId(self.id());
                self.emit(Event::GateFailed { gate, evidence, proof: end.proof() });
            }
        }
        false
    }

    /// Whether what was proven then was proven on these files.
    fn was_on(&self, evidence: EvidenceId, trees: Option<Trees>) -> bool {
        let proven = self.state.trees.get(&evidence);
        trees.zip(proven).is_some_and(|(now, proven)| proven.still && proven.tree == now.after)
    }

    /// Whether the user themselves named all that a line runs, in words that the run was told and that negate nothing: then
    /// the gate may have it, and its own question is the one that is asked. Of the line's words only how much it prints may
    /// be the agent's; a short name may be a word of the language.
    fn named_by_user(&self, line: &str) -> bool {
        let calls = crate::shell::read(line).calls;
        let run = self.state.run.as_ref().map(|r| r.turn);
        let told = self.state.turns.values().filter(|t| t.told.is_some() && t.told == run);
        let heads: Vec<&str> =
            told.map(|t| t.head.as_str()).filter(|said| !self.under.tiers.classifier.negates(said)).collect();
        let whole = |line: &str| heads.iter().any(|said| said.contains(line));
        let named = |word: &str| heads.iter().any(|said| names_word(said, word));
        let mut calls = calls.iter().filter(|c| !c.carrier).peekable();
        let call = |call: &crate::shell::Call| {
            let words: Vec<&str> = call.words.iter().map(|w| w.text.as_str()).collect();
            let (program, rest) = match words.as_slice() {
                ["-m", module, rest @ ..] => (*module, rest),
                rest => (call.program.as_str(), rest),
            };
            let quiet = |word: &&str| ["-q", "-v", "--quiet", "--verbose"].contains(word);
            program.len() > 4 && named(program) && rest.iter().filter(|w| !quiet(w)).all(|word| named(word))
        };
        whole(line.trim()) && line.contains(' ') || calls.peek().is_some() && calls.all(call)
    }

    fn gate_ended(&mut self, lane: LaneId, gate: GateId, end: GateEnd) {
        let GateEnd { command, passed, untouched, .. } = &end;
        let (passed, untouched) = (*passed, *untouched);
        let found = self.state.plan.as_ref().and_then(|p| p.gate(gate)).is_some_and(|g| g.found);
        let code = end.exit.as_ref().and_then(|exit| exit.code);
        if found && !passed && digest::could_not_run(code, &end.diagnostics) {
            let why = digest::end(&end.diagnostics).lines().last().unwrap_or_default();
            let told = format!("`{command}` cannot run here, so it checked nothing: {why}");
            self.notice(Level::Warn, told);
            return self.leave_gate_out(lane, gate, Some(Unproven::CannotRun));
        }
        if untouched {
            self.notice(Level::Warn, format!("`{command}` {UNTOUCHED}."));
        }
        if untouched && found {
            return self.leave_gate_out(lane, gate, Some(Unproven::FailedBefore));
        }
        if found && !passed && !self.state.facts.was_green(command) && self.state.wrote_no_code() {
            self.notice(Level::Warn, format!("`{command}` {NO_CODE}."));
            return self.leave_gate_out(lane, gate, Some(Unproven::NoCode));
        }
        self.emit(Event::LaneClosed { lane });
        if passed {
            self.gate_passed(gate, end);
            return self.continue_run();
        }
        let evidence = EvidenceId(self.id());
        self.emit(Event::GateFailed { gate, evidence, proof: end.proof() });
        self.must_go(Trigger::GateFail);
        self.reached_red(gate);
    }

    /// A gate is green: its own run says so, or that of the same command by the step before it.
    fn gate_passed(&mut self, gate: GateId, end: GateEnd) {
        let evidence = EvidenceId(self.id());
        self.emit(Event::GatePassed { gate, evidence, proof: end.proof() });
    }

    /// A plan is there, with what its gates need and its steps name and what is not here.
    pub(super) fn show_plan(&mut self, mut plan: Plan) {
        let named: BTreeSet<&RelPath> = plan.tasks.iter().flat_map(|t| &t.files).collect();
        let files = self.under.files.as_ref();
        plan.missing =
            files.map(|files| named.into_iter().filter(|path| !files.has(path)).cloned().collect());
        for gate in &mut plan.gates {
            gate.lacks = self.under.lacks(&gate.command);
        }
        self.emit(Event::PlanReady { plan });
    }

    /// What was found to check the project, each by the line that was seen green here where the found one was not.
    pub(super) fn found_gates(&self) -> Vec<GateDraft> {
        let here = |gate: &GateDraft| {
            let known = self.state.facts.green_instead(&gate.command).filter(|_| gate.found);
            GateDraft { command: known.unwrap_or_else(|| gate.command.clone()), ..gate.clone() }
        };
        self.under.gates.iter().map(here).collect()
    }

    /// A plan that nothing checked as the folder stood, with what was found, as it stands now.
    pub(super) fn checked_now(&self, plan: &Plan) -> Option<Plan> {
        let here = self.state.setting().conditions;
        let free = !self.state.runs_nothing(plan.turn);
        let gates = free.then(|| self.found_gates())?;
        let checked = plan.checked_by(&gates, here.is_calm(), here.trusted)?;
        let checked = checked.with_found_before_sources(&self.state.sources);
        Some(Plan { version: self.state.version_after(plan.turn), ..checked })
    }

    /// Whether a check of single files finds fault with none that was changed in this session: so it did before. Its
    /// output then says so below its first line.
    pub(super) fn fails_untouched(
        &self,
        command: &str,
        exit: Option<&Exit>,
        output: &str,
        notes: &mut Vec<Advice>,
    ) -> bool {
        let applies = || self.state.applies().values();
        let changed: Vec<&RelPath> = applies().flat_map(|a| &a.files).map(|f| &f.path).collect();
        let untouched = exit.is_some()
            // Of what a command wrote only the first files are known by name.
            && applies().all(|a| a.count() == a.files.len())
            && checks_each_file(command)
            && !output.contains(OUTPUT)
            && digest::names_others(output, &changed);
        if untouched {
            notes.insert(0, Advice::same(format!("(it {UNTOUCHED})")));
        }
        untouched
    }

    /// Whether another command may be proposed to the user for a gate: one of the plan that runs, not green, by
    /// a line that can fail.
    pub(super) fn judge_gate(&self, lane: &Lane, call: CallId, change: &ChangeGate) -> CallVerdict {
        let works = matches!(lane.kind, LaneKind::Task(_) | LaneKind::Repair(_));
        let Some(plan) = self.state.plan.as_ref().filter(|_| works) else {
            return CallVerdict::refuse(
                "a gate is changed by a step of the plan that runs; while planning, submit it with the plan",
            );
        };
        let Some(gate) = meant(&plan.gates, &change.gate) else {
            let names: Vec<&str> = plan.gates.iter().map(|g| g.name.as_str()).collect();
            return CallVerdict::refuse(format!(
                "there is no gate of that name; there are: {}",
                names.join(", ")
            ));
        };
        let to = match tells_its_end(&change.command) {
            Ok(to) => to,
            Err(hides) => return CallVerdict::refuse(format!("that proves nothing: {hides}")),
        };
        if let Some(why) = stays(gate, &to) {
            return CallVerdict::refuse(why);
        }
        let request = Run::line(&to).request(By::Gate, false);
        let ruling = self.under.policy.decide(&request, &self.state.setting()).ruling;
        if ruling.outcome == Outcome::Refuse {
            return CallVerdict::deny(request, ruling);
        }
        let asked = GateChange {
            lane: lane.id,
            call,
            gate: gate.id,
            name: gate.name.clone(),
            from: gate.command.clone(),
            to: to.clone(),
            reason: change.reason.clone(),
            unasked: ruling.outcome == Outcome::Run,
        };
        if ruling.outcome == Outcome::Ask && self.named_by_user(&to) {
            return CallVerdict::ChangeGate(Box::new(asked));
        }
        let lack = self.under.lacks(&to).map(|program| format!(" It {}.", lacks(&program)));
        // The line stands by itself: what runs may have marks of code in it.
        let message =
            format!("Change the gate {} to this command?{}\n  {to}", gate.name, lack.unwrap_or_default());
        CallVerdict::ask(asked, message)
    }

    /// Looks whether the gates were run on the files as they are, before the run ends; false where no gate says on what
    /// it was run.
    pub(super) fn seek_tree(&mut self) -> bool {
        if self.state.run.as_ref().is_some_and(|r| r.looking.is_some()) {
            return true;
        }
        let mut proofs = self.state.plan.iter().flat_map(|p| &p.gates).filter_map(|g| g.status.proof());
        if !proofs.any(|evidence| self.state.trees.contains_key(&evidence)) {
            return false;
        }
        self.look_at_tree();
        true
    }

    /// Asks how the files are.
    pub(super) fn look_at_tree(&mut self) {
        let call = CallId(self.id());
        self.emit(Event::TreeSought { call });
    }

    /// The files were looked at: what was proven of others is proven anew, and else the run ends.
    pub(super) fn tree_seen(&mut self, call: CallId, tree: Option<BlobId>) -> Decided {
        if self.state.run.as_ref().is_none_or(|r| r.looking != Some(call)) {
            return Err(Refusal::new("nothing is waiting for a check of the files"));
        }
        let overtaken: Vec<GateId> = tree.iter().flat_map(|tree| self.state.overtaken(*tree)).collect();
        self.emit(Event::TreeSeen { call, tree });
        if tree.is_none() {
            self.notice(Level::Warn, UNSEEN_TREE);
        }
        for gate in overtaken {
            self.emit(Event::GateWentStale { gate });
        }
        if self.settle_tried(tree) {
            return Ok(());
        }
        self.continue_seeing(match self.files() {
            Files::Restless => TreeView::Restless,
            Files::AtRest => TreeView::Known,
        });
        Ok(())
    }

    /// The files were looked at before a message is heard: a gate that was green on others is stale, and one that went
    /// stale is green again where they are what it was run on.
    pub(super) fn files_seen(&mut self, tree: BlobId) -> Decided {
        if !self.state.rests_on_files() {
            return Err(Refusal::new("nothing rests on the files"));
        }
        let now = self.state.proven().filter_map(|(gate, green, proven)| {
            let same = proven.tree == tree;
            match green {
                true if !same => Some(Event::GateWentStale { gate }),
                false if same && proven.still => Some(Event::GateHolds { gate }),
                true | false => None,
            }
        });
        for event in now.collect::<Vec<_>>() {
            self.emit(event);
        }
        Ok(())
    }

    /// How the files were while the run looked at its gates.
    pub(super) fn files(&self) -> Files {
        let restless = self.state.run.as_ref().is_some_and(|r| r.overtaken > MOST_OVERTAKEN);
        if restless { Files::Restless } else { Files::AtRest }
    }
}

impl Draft<'_> {
    /// A gate has another command from now on.
    pub(super) fn change_gate(&mut self, change: &GateChange, approval: ApprovalId, told: &str) {
        let (gate, from, to) = (change.gate, change.from.clone(), change.to.clone());
        self.emit(Event::GateChanged { gate, from, to, approval });
        self.end_call(change.lane, change.call, CallStatus::Done, told);
        self.advance(change.lane);
    }
}

impl Resolve for GateChange {
    fn resolve(&self, draft: &mut Draft<'_>, given: Given<Lone>) -> Decided {
        if given.answer == Lone::No {
            draft.deny_call(
                given.question,
                self.call,
                given.stored,
                "the user keeps the gate as it is: go on, and say at the end what it lacks here",
            );
            return Ok(());
        }
        let gate = draft.state.plan.as_ref().and_then(|p| p.gate(self.gate));
        if gate.is_none_or(|g| g.command != self.from || stays(g, &self.to).is_some()) {
            return Err(Refusal::new(self.stale()));
        }
        let approval = draft.allow(given.question, given.stored);
        draft.change_gate(self, approval, "the gate has that command now; go on");
        Ok(())
    }
}

/// Whether a word stands in a text as a whole one.
fn names_word(text: &str, word: &str) -> bool {
    let own = |c: char| !c.is_alphanumeric() && !matches!(c, '-' | '_');
    !word.is_empty() && text.split(own).any(|said| said.eq_ignore_ascii_case(word))
}

/// The gate that a word means: by its name, else by its command, else the only one that there is.
fn meant<'a>(gates: &'a [Gate], word: &str) -> Option<&'a Gate> {
    let folded = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    let word = folded(word);
    let named = gates.iter().find(|gate| folded(&gate.name) == word);
    let lone = || if let [gate] = gates { Some(gate) } else { None };
    named.or_else(|| gates.iter().find(|gate| folded(&gate.command) == word)).or_else(lone)
}

/// Why a gate keeps its command, if it does.
fn stays(gate: &Gate, to: &str) -> Option<&'static str> {
    if gate.is_waived() {
        return Some("the user skipped the gate");
    }
    if gate.is_green() {
        return Some("the gate is green: it works here");
    }
    if gate.command.trim() == to.trim() {
        return Some("that is the command it has");
    }
    (!proves(to)).then_some(PROVES_NOTHING)
}

/// What of a gate's output is worth keeping: of a red one what failed, in its first line how much, and of a green one
/// its last lines. What is said beside it stands below the first, in the user's words.
pub(super) fn diagnostics(text: &str, notes: &[Advice], exit: Option<&Exit>, passed: bool) -> String {
    if passed {
        let last: Vec<&str> = text.lines().rev().take(5).collect();
        return last.iter().rev().map(|l| shortened(l, 200)).collect::<Vec<String>>().join("\n");
    }
    let told = match (digest::digest(text), exit) {
        (Some(digest), _) => digest,
        (None, Some(Exit { code: Some(code), timed_out: false, .. })) => {
            digest::by_exit(*code, digest::unframed(text))
        }
        (None, _) => digest::end(digest::unframed(text)).to_owned(),
    };
    let (first, rest) =
        told.split_once('\n').map_or((told.as_str(), None), |(first, rest)| (first, Some(rest)));
    iter::once(first).chain(Advice::for_user(notes)).chain(rest).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Millis;

    #[test]
    fn a_red_gate_says_what_failed_then_what_the_sandbox_has_to_do_with_it() {
        let exit = Exit {
            code: Some(101),
            signal: None,
            timed_out: false,
            took: Millis(1),
            process: None,
            put_back: false,
        };
        let red = "exit 101, took 0.1 s\nstdout:\ntest a ... ok\ntest b ... FAILED\n---- b stdout ----\nleft: 1\n\nfailures:\n    b\n";
        let notes = [
            Advice { model: "(give \"network\": true)".into(), user: "(it had no network)".into() },
            Advice::model("(do not repeat it)"),
        ];
        let told = diagnostics(red, &notes, Some(&exit), false);
        assert_eq!(told, "1 failed: b\n(it had no network)\n\nb\nleft: 1");
        let other = diagnostics("exit 101, took 0.1 s\nstderr:\nno such thing", &[], Some(&exit), false);
        assert_eq!(other, "it ended with exit 101\n\nno such thing", "how it ended is said once");
        assert_eq!(digest::below_exit(&other, 101), "no such thing");
        assert_eq!(diagnostics("a\nb\nc\nd\ne\nf", &notes, Some(&exit), true), "b\nc\nd\ne\nf");
        let long = diagnostics(&"words ".repeat(60), &[], Some(&exit), true);
        assert!(long.ends_with("words words…") && long.chars().count() <= 201, "{long}");
    }
}
