//! The rows of gates: where each stands, what it found, which of them a yes covers.

use std::collections::BTreeSet;

use pilothouse_core::{
    checkpoint::Checkpoint,
    clean::Clean,
    digest::diagnoses,
    event::Proof,
    ids::{GateId, Millis},
    plan::{Gate, GateStatus, Plan},
    policy::{By, Manner, Outcome, Request},
};

use super::{Drawer, Item, Target, change_ink, finished};
use crate::{
    pane::Ctx,
    row::{self, Row, wrap},
    theme::Slot,
};

/// Columns of the line of a gate beside its name, at least.
const LEAST_COMMAND: usize = 16;
/// Places of a red gate that stand below it.
const MOST_PLACES: usize = 5;

/// How far a plan is, in the widest form that fits: what became of its steps is told whole, before gates are counted and
/// a bar is drawn; that of a step is the only one.
pub(super) fn standing(plan: &Plan, ctx: &Ctx<'_>, width: usize, has_bar: bool) -> Vec<Row> {
    let (green, gates) = plan.checked();
    let bar = ctx.glyphs.progress(plan.done() + green, plan.tasks.len() + gates);
    let words = Row::of(&plan.steps(), Slot::Faint);
    let counted = words.clone().and(&plan.checks(), Slot::Faint);
    let mut barred = Row::of(&bar, Slot::Soft).and("  ", Slot::Text);
    barred.pieces.extend(counted.pieces.iter().cloned());
    let forms = [barred, counted, words.clone()];
    // What is over goes no further: it is told in words.
    let over = usize::from(finished(plan) || has_bar);
    let fits = forms.into_iter().skip(over).find(|row| row.width() <= width);
    fits.map_or_else(|| wrap(&words.pieces, width), |row| vec![row])
}

impl Drawer<'_> {
    pub(super) fn gate(&mut self, gate: &Gate, plan: &Plan, pad: usize, proof: Option<&(Millis, Proof)>) {
        let g = self.ctx.glyphs;
        let command = |c: &Checkpoint| c.kind.command().and_then(|c| c.gate);
        let waits = self.ctx.state.open.values().any(|c| command(c) == Some(gate.id));
        let (mark, ink) = match gate.status {
            GateStatus::Running if waits => (g.waits, Slot::Warn),
            GateStatus::Pending => (g.pending, Slot::Soft),
            GateStatus::Running => (g.spin(self.ctx.spinner), Slot::Info),
            GateStatus::Passed(_) => (g.done, Slot::Ok),
            GateStatus::Failed(_) => (g.failed, Slot::Bad),
            GateStatus::Stale(_) => (g.stale, Slot::Warn),
            GateStatus::Skipped => (g.skipped, Slot::Soft),
            GateStatus::Unproven(_) => (g.skipped, Slot::Warn),
        };
        let seen = || match proof {
            Some((at, proof)) => {
                let exit = proof.exit.code.map_or_else(|| "no exit code".to_owned(), |c| format!("exit {c}"));
                let time = row::time_of_day(*at, self.ctx.surroundings.utc_offset_minutes);
                format!("{exit} {} {time}", g.dot)
            }
            None => String::new(),
        };
        let right = match gate.status {
            GateStatus::Pending => match &gate.lacks {
                Some(program) => Row::of(&format!("{} not found", Clean::line(program)), Slot::Warn),
                None => Row::of(&after(gate, plan), Slot::Faint),
            },
            GateStatus::Running if waits => Row::of("waits for you", Slot::Warn),
            GateStatus::Running => Row::of("running", Slot::Info),
            GateStatus::Passed(_) | GateStatus::Failed(_) => skipped(gate, g.dot).and(&seen(), Slot::Soft),
            GateStatus::Stale(_) => {
                Row::of("stale", Slot::Warn).and(&format!(" {} {}", g.dot, seen()), Slot::Soft)
            }
            GateStatus::Skipped => Row::of("skipped", Slot::Soft),
            GateStatus::Unproven(why) => Row::of(why.words(), Slot::Warn),
        };
        let name = row::take(&Clean::line(&gate.name), 16).to_owned();
        let gap = " ".repeat(pad.saturating_sub(row::width(&name)) + 2);
        let change = self.revised.and_then(|(_, revision)| revision.gate(gate.id));
        let lead = self.gutter(change.map(|c| (c.sign(), change_ink(c)))).and(mark, ink).and(" ", Slot::Text);
        let own = gate.has_name();
        let left = if own { lead.and(&name, Slot::Text).and(&gap, Slot::Text) } else { lead };
        let ink = if own { Slot::Soft } else { Slot::Text };
        self.gate_line(gate, left, right, ink);
        if let Some((_, proof)) = proof.filter(|_| matches!(gate.status, GateStatus::Failed(_))) {
            self.places(gate.id, &proof.diagnostics);
        }
        if self.open.contains(&Target::Gate(gate.id)) {
            self.plain(Row::of("    ", Slot::Text).and(&gate.command, Slot::Text));
            let lines = proof.map(|(_, p)| p.diagnostics.clone()).unwrap_or_default();
            for line in lines.lines() {
                self.plain(Row::of("    ", Slot::Text).and(line, Slot::Soft));
            }
        }
    }

    /// The line that a gate runs. A yes to the plan is one to exactly this line: all of it is seen.
    fn gate_line(&mut self, gate: &Gate, left: Row, right: Row, ink: Slot) {
        let command = Clean::line(&gate.command);
        let lead = left.width();
        let beside = |right: &Row| self.width.saturating_sub(lead + right.width() + 2);
        if !self.awaiting || row::width(&command) < beside(&right) {
            let left = left.and(&command, ink);
            let row = left.ends_keeping_right(right, self.width, self.ctx.glyphs.ellipsis);
            return self.items.push(Item::of(Target::Gate(gate.id), row));
        }
        let (right, first) = match beside(&right) {
            0..LEAST_COMMAND => (Row::new(), self.width.saturating_sub(lead)),
            room => (right, room),
        };
        let indent = if self.width < lead + LEAST_COMMAND { 4 } else { lead };
        let mut parts = row::parts(&command, first, self.width.saturating_sub(indent)).into_iter();
        let left = left.and(parts.next().unwrap_or_default().trim_end(), ink);
        let row = left.ends(right, self.width, self.ctx.glyphs.ellipsis);
        self.items.push(Item::of(Target::Gate(gate.id), row));
        for part in parts {
            self.plain(Row::of(&" ".repeat(indent), Slot::Text).and(&part, ink));
        }
    }

    /// Gates of the version before that are gone.
    pub(super) fn removed_gates(&mut self) {
        let Some((before, revision)) = self.revised else { return };
        for gate in revision.removed_gates.iter().filter_map(|id| before.gate(*id)) {
            let name = if gate.has_name() { format!("{}  ", gate.name) } else { String::new() };
            self.gone(&format!("{name}{}", gate.command));
        }
    }

    /// Where a red gate found something wrong; Enter goes there.
    fn places(&mut self, gate: GateId, diagnostics: &str) {
        for (n, found) in diagnoses(diagnostics).into_iter().take(MOST_PLACES).enumerate() {
            let place = Clean::line(&found.place.to_string()).into_string();
            let place = row::fit_path(&place, self.width / 2, self.ctx.glyphs.ellipsis);
            let row = Row::of("    ", Slot::Text).and(&place, Slot::Accent).and("  ", Slot::Text);
            let row = row.and(&found.text, Slot::Soft).cut(self.width, self.ctx.glyphs.ellipsis);
            self.items.push(Item::of(Target::Place(gate, n), row));
        }
    }
}

/// How many of its gates a yes to the plan covers, so that they run unasked.
pub(super) fn covered(plan: &Plan, ctx: &Ctx<'_>) -> String {
    let setting = ctx.state.setting();
    let named: BTreeSet<GateId> = plan.named_gates().map(|gate| gate.id).collect();
    let runs = |gate: &Gate| {
        let by = ctx.state.gate_by(&gate.command);
        let by = if by == By::Gate && named.contains(&gate.id) { By::Approved } else { by };
        let request = Request::command_in(&gate.command, "", Manner { by, ..Manner::default() });
        ctx.session.policy().decide(&request, &setting).ruling.outcome == Outcome::Run
    };
    match (plan.gates.iter().filter(|g| runs(g)).count(), plan.gates.len()) {
        (n, all) if n == all => "   your yes covers exactly these".to_owned(),
        (0, _) => "   each asks before it runs".to_owned(),
        (n, all) => format!("   your yes covers {n} of {all}; the rest ask"),
    }
}

/// Columns of the names of gates.
pub(super) fn name_columns(plan: &Plan) -> usize {
    let names = plan.gates.iter().filter(|gate| gate.has_name()).map(|gate| row::width(&gate.name));
    names.max().unwrap_or(0).min(16)
}

/// That one which was run was skipped all the same; nothing of any other.
fn skipped(gate: &Gate, dot: &str) -> Row {
    let text = if gate.is_red_and_skipped() { format!("skipped {dot} ") } else { String::new() };
    Row::of(&text, Slot::Warn)
}

fn after(gate: &Gate, plan: &Plan) -> String {
    if gate.after.is_empty() {
        return "after all".to_owned();
    }
    let numbers: Vec<String> = gate.after.iter().map(|t| plan.number(*t).to_string()).collect();
    format!("after {}", numbers.join(", "))
}

/// How far it is: its steps, and once they are done what its gates lack.
pub(in crate::pane::plan) fn progress(plan: &Plan) -> String {
    let (green, gates) = plan.checked();
    let lacks = green < gates && plan.done() == plan.tasks.len();
    format!("{}/{}{}", plan.done(), plan.tasks.len(), if lacks { plan.checks() } else { String::new() })
}

/// How one ended that is finished.
pub(in crate::pane::plan) fn ended(plan: &Plan) -> Row {
    if plan.fulfilled() && !plan.skipped_red() {
        return Row::of("done", Slot::Ok);
    }
    Row::of(&format!("ended {}/{}", plan.done(), plan.tasks.len()), Slot::Warn)
}
