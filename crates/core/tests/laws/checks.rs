//! What must hold after every step, and of a whole log.

use super::*;

/// What must hold between two states.
pub(super) fn check(before: &Session, after: &Session, step: &[Stamped]) {
    let (old, new) = (before.state(), after.state());
    for lane in new.lanes.values() {
        let was = old.lanes.get(&lane.id).map_or(ToolScope::NONE, pilothouse_core::session::Lane::scope);
        // The user raises the ceiling again: a lane comes back to what it began with, and to no more.
        let raised = step.iter().any(|e| matches!(e.event, Event::PermissionChanged { .. }))
            && lane.most.and(lane.node.scope()).contains(lane.scope())
            && old.lanes.get(&lane.id).is_some_and(|l| l.node == lane.node && l.most == lane.most);
        if !raised && !was.contains(lane.scope()) && !ToolScope::EXECUTE.contains(lane.scope()) {
            let allowed = step.iter().any(|e| {
                matches!(&e.event, Event::NodeTransition { lane: l, approval: Some(_), .. } if *l == lane.id)
            });
            assert!(allowed, "lane {lane:?} widened without an approval");
        }
        assert!(
            new.ceiling().contains(lane.ceiling.and(ToolScope::FULL))
                || lane.ceiling == lane.ceiling.and(new.ceiling())
        );
    }
    check_work(after);
    check_children(after);
    check_lanes(after, step);
    let own = new.open.values().filter(|c| c.kind.is_phase_own()).count();
    assert!(own <= 1, "{own} questions hold the phase: {:#?}", new.open);
    let places = step.iter().map(|e| e.seq.0);
    assert!(places.eq((old.seq.0 + 1..).take(step.len())));
}

/// What is at work is allowed and known.
pub(super) fn check_work(session: &Session) {
    let new = session.state();
    for work in session.pending().values() {
        match work {
            Work::Tool { permit, .. } => {
                let lane = &new.lanes[&permit.lane()];
                let looks = permit.confine() == Some(Confine::READING);
                assert!(!looks || permit.tool() == Tool::Run);
                let needs = if looks { Capability::Read } else { permit.tool().needs().unwrap() };
                let needs = if needs == Capability::Delete { Capability::Write } else { needs };
                assert!(lane.scope().allows(needs), "{permit:?} beyond {:?}", lane.scope());
                assert_eq!(permit.epoch(), lane.epoch);
            }
            Work::Write { apply, .. } | Work::Prepare { apply, .. } => {
                assert!(new.applies().contains_key(apply));
            }
            Work::Classify { .. }
            | Work::Think { .. }
            | Work::Compact { .. }
            | Work::Title { .. }
            | Work::Revert { .. } => {}
            Work::Stage { .. } | Work::Judge { .. } => {}
            Work::Survey(_)
            | Work::Keep { .. }
            | Work::Remember { .. }
            | Work::Hook { .. }
            | Work::Look { .. }
            | Work::TakeBack { .. }
            | Work::LookCommit { .. }
            | Work::ReadPlan { .. }
            | Work::SeeTree { .. }
            | Work::Commit { .. }
            | Work::Recall { .. } => {}
        }
    }
}

/// No line of work stands still while nobody is asked and nothing is under way.
pub(super) fn check_lanes(after: &Session, step: &[Stamped]) {
    let new = after.state();
    for lane in new.lanes.values() {
        let works = lane.thinking.is_some() || lane.head().is_some_and(|c| c.allowed.is_some());
        let asks = new.diff_of(lane.id).is_some()
            || lane.head().is_some_and(|c| new.question_of_call(c.call).is_some())
            || (lane.kind == LaneKind::Planning && new.phase == Phase::AwaitingApproval);
        let writes = after.pending().keys().any(|k| matches!(k, WorkKey::Prepare(_) | WorkKey::Write(_)));
        // Its write waits for one or for a command of another step.
        let runs = |w: &Work| matches!(w, Work::Tool { permit, .. } if permit.tool() == Tool::Run && permit.lane() != lane.id);
        let mut open =
            new.applies().values().filter(|a| a.status == ApplyStatus::Approved).flat_map(|a| &a.take);
        let approved = open.any(|(id, _)| new.proposals()[id].lane == lane.id);
        let writes = writes || (approved && after.pending().values().any(runs));
        // Or it waits until the user has taken a change back, which ends by itself.
        let let_go = approved || lane.head().is_some_and(|c| c.allowed.is_some());
        let writes = writes || (let_go && after.pending().keys().any(|k| matches!(k, WorkKey::Revert(..))));
        let writes = writes || (let_go && new.own_line_at_work());
        // It waits for another step at work, and that one not for it.
        let waits = new.waits_beside(lane).is_some_and(|on| {
            let mut on = Some(&new.lanes[&on]);
            for _ in 0..new.lanes.len() {
                on = on.and_then(|l| new.lanes.get(&new.waits_beside(l)?));
            }
            on.is_none()
        });
        // What the user said of the folder is being kept: no command begins before that is done.
        let run = lane.head().is_some_and(|c| c.tool == Some(Tool::Run) && c.allowed.is_none());
        let waits = waits || (run && after.pending().contains_key(&WorkKey::Survey));
        // The user lowered the ceiling: what goes beyond it waits until they raise it.
        let waits = waits || new.waits_for_ceiling(lane);
        // What the run waits for may itself stand aside while leaving is asked about.
        let holds = |kind: &CheckpointKind| {
            matches!(kind, CheckpointKind::Interruption(_) | CheckpointKind::Paused(_))
        };
        let asked = |c: &Checkpoint| holds(c.kind.held().map_or(&c.kind, |of| &of.kind));
        // A pause waits for the answer to what is asked already.
        let pauses = new.plan.as_ref().is_some_and(|p| !p.pauses.is_empty());
        let asked = new.open.values().any(asked) || (pauses && new.phase_question().is_some());
        // Or for a line that the user typed meanwhile, which ends by itself.
        let held = lane.kind.of_run() && (asked || new.own_line_at_work());
        // What would go beyond the budget waits for the user, who answers one question after the other.
        // What a stage works on is brought.
        let brought = after.pending().keys().any(|k| matches!(k, WorkKey::Stage(..)));
        let brought = lane.kind == LaneKind::Pipeline && brought;
        // What is under way may need the rest of it: that is seen when it ends.
        let under_way =
            |k: &WorkKey| matches!(k, WorkKey::Think(_) | WorkKey::Compact(_) | WorkKey::Title(_));
        let told_soon = after.pending().keys().any(under_way);
        let unpaid = lane.held && (new.phase_question().is_some() || told_soon);
        assert!(
            works || asks || writes || held || waits || unpaid || brought || new.is_moving(lane.id),
            "stuck: {lane:#?} {:#?}",
            step.iter().map(|e| &e.event).collect::<Vec<_>>()
        );
    }
    // But what the user lowered the ceiling for: they raise it.
    let stuck = new.phase == Phase::Executing
        && new.waits_below_ceiling().is_none()
        && new.lanes.is_empty()
        && new.open.is_empty()
        && after.pending().is_empty();
    assert!(!stuck, "executing with nothing to do: {:#?}", step.iter().map(|e| &e.event).collect::<Vec<_>>());
}

/// A sub-agent has a call that waits for it, no sub-agents, no questions and no more scope than its parent.
pub(super) fn check_children(session: &Session) {
    let state = session.state();
    let works = session.pending();
    for (lane, parent) in state.lanes.values().filter_map(|l| Some((l, l.kind.parent()?))) {
        let parent = &state.lanes[&parent];
        assert!(parent.kind.parent().is_none() && parent.offer().contains(lane.scope()), "{lane:#?}");
        let head = parent.head().unwrap();
        assert!(head.allowed == Some(parent.epoch) && head.children.iter().any(|c| c.lane == lane.id));
        assert!(lane.children == 0 && state.proposals_of(lane.id).next().is_none(), "{lane:#?}");
        let asks = lane.calls.iter().any(|c| state.question_of_call(c.call).is_some());
        assert!(!asks && state.diff_of(lane.id).is_none(), "{lane:#?}");
        for work in works.values() {
            let Work::Tool { permit, .. } = work else { continue };
            let reads = permit.tool().needs().is_some_and(|n| ToolScope::READ_ONLY.allows(n));
            assert!(reads || permit.lane() != lane.id, "a sub-agent does more than read: {permit:?}");
        }
        let thinks = lane.thinking.is_none_or(|call| works.contains_key(&WorkKey::Think(call)));
        assert!(thinks || state.compacting.is_some(), "{lane:#?}");
    }
}

/// What a hook can refuse does not happen before every hook that holds it has passed.
#[derive(Default)]
pub(super) struct Doors {
    pub(super) hooks: Vec<Hook>,
    pub(super) running: std::collections::BTreeMap<pilothouse_core::ids::CallId, Hold>,
    pub(super) refused: Vec<Hold>,
    pub(super) asked: std::collections::BTreeMap<pilothouse_core::ids::LaneId, u32>,
}

impl Doors {
    pub(super) fn check(&mut self, event: &Event) {
        match event {
            Event::HooksKnown { hooks } => self.hooks.clone_from(hooks),
            Event::HookStarted { call, holds: Some(hold), .. } => {
                self.running.insert(*call, *hold);
                if let Hold::Move(lane) = hold {
                    *self.asked.entry(*lane).or_default() += 1;
                }
            }
            Event::HookEnded { call, status, .. } => {
                if let Some(hold) = self.running.remove(call).filter(|_| *status != HookStatus::Passed) {
                    self.refused.push(hold);
                }
            }
            Event::MoveBlocked { lane, .. } => {
                self.refused.retain(|h| *h != Hold::Move(*lane));
                self.running.retain(|_, h| *h != Hold::Move(*lane));
                self.asked.remove(lane);
            }
            Event::NodeTransition { lane, from, to, approval } => {
                let hold = Hold::Move(*lane);
                let wanted =
                    self.hooks.iter().filter(|h| h.way == HookMode::Blocks && h.watches(*from, *to)).count();
                // A retreat to a node on the way to this one is never held, and needs no approval.
                let way = IntentPath::to(*from);
                let up = approval.is_none() && from != to && way.nodes().contains(to);
                let asked = self.asked.remove(lane).unwrap_or_default() as usize;
                assert!(up || asked >= wanted, "{from} to {to}: {asked} of {wanted} hooks were heard");
                assert!(!self.running.values().any(|h| *h == hold) && !self.refused.contains(&hold));
            }
            Event::CommandStarted { call, .. } | Event::CommandExited { call, .. } => {
                let hold = Hold::Call(*call);
                assert!(!self.running.values().any(|h| *h == hold) && !self.refused.contains(&hold));
            }
            Event::ApplyStarted { apply, .. } => {
                let hold = Hold::Apply(*apply);
                assert!(!self.running.values().any(|h| *h == hold) && !self.refused.contains(&hold));
            }
            _ => {}
        }
    }
}

/// Which gates the user said yes to, line by line.
#[derive(Default)]
pub(super) struct Covers {
    pub(super) plan: Vec<String>,
    pub(super) open: BTreeMap<CheckpointId, CheckpointKind>,
    pub(super) gates: BTreeSet<CallId>,
    pub(super) lines: BTreeSet<String>,
}

impl Covers {
    pub(super) fn note(&mut self, event: &Event) {
        match event {
            Event::PlanReady { plan } => self.plan = plan.gates.iter().map(|g| g.command.clone()).collect(),
            Event::CheckpointOpened { checkpoint } => {
                self.open.insert(checkpoint.id, checkpoint.kind.clone());
            }
            Event::GateStarted { call, .. } => drop(self.gates.insert(*call)),
            Event::SessionReopened { .. } => self.lines.clear(),
            _ => {}
        }
    }

    pub(super) fn resolved(&mut self, question: CheckpointId) {
        match self.open.get(&question) {
            Some(CheckpointKind::Confirmation(_)) => self.lines.extend(self.plan.iter().cloned()),
            Some(CheckpointKind::Trust(trust)) => self.lines.extend(trust.gates.iter().cloned()),
            Some(CheckpointKind::GateChange(change)) => drop(self.lines.insert(change.to.clone())),
            _ => {}
        }
    }

    pub(super) fn gate(&self, call: CallId, line: &str) -> bool {
        self.gates.contains(&call) && self.lines.contains(line)
    }
}

/// Every write and every command stands on a decision that came before it in the log.
pub(super) fn check_log(log: &[Stamped]) {
    let mut approved = std::collections::BTreeSet::new();
    let mut applies = std::collections::BTreeSet::new();
    let mut proposed = std::collections::BTreeMap::new();
    let mut lines = std::collections::BTreeMap::new();
    let mut typed = std::collections::BTreeSet::new();
    let (mut auto, mut kept) = (false, None);
    let mut doors = Doors::default();
    let mut covers = Covers::default();
    for e in log {
        doors.check(&e.event);
        covers.note(&e.event);
        match &e.event {
            Event::Notice { text, .. } => assert!(!text.starts_with("internal"), "{text}"),
            // Nobody but the user trusts anything, and only what was shown.
            Event::TrustSought { wish: TrustRequest::Keep(of) } => kept = Some(*of),
            Event::TrustChanged { trust: Trust::Kept, of, .. } => assert_eq!(kept, Some(*of)),
            Event::TrustChanged { trust: Trust::None, .. } => kept = None,
            Event::PermissionChanged { permission, .. } => auto = *permission == PermissionMode::Auto,
            Event::CheckpointResolved { approval: Some(a), answer, checkpoint } => {
                approved.insert(*a);
                covers.resolved(*checkpoint);
                if let Some(Answer::Line(line)) = answer {
                    lines.insert(*a, line.clone());
                }
            }
            Event::ApplyApproved { apply, by, .. } => {
                assert!(by == "user" || auto || by.starts_with("allow write"), "{by}");
                applies.insert(*apply);
            }
            Event::ApplyStarted { apply, .. } => assert!(applies.contains(apply)),
            Event::CallMade { call, typed: true, .. } => drop(typed.insert(*call)),
            Event::CommandProposed { call, risk, command, confine, .. } => {
                proposed.insert(*call, (*risk, command.clone(), *confine));
            }
            Event::CallStarted { call, tool: Tool::Run, approval, confine, ruling, .. } => {
                let (risk, command, shown) = &proposed[call];
                assert_eq!(confine.as_ref(), Some(shown), "it runs as it was shown");
                let ruled = ruling.as_ref().is_some_and(|r| r.by.starts_with("allow command"));
                assert!(approval.is_some() || command != "rm x" || typed.contains(call));
                match (approval, *shown) {
                    (Some(a), _) => {
                        assert!(approved.contains(a));
                        // The line that the user submitted is the one that runs, and its word is asked.
                        assert!(lines.get(a).is_none_or(|l| l == command && *risk < Risk::High));
                    }
                    (None, Confine::READING) => assert_eq!(*risk, Risk::Low),
                    (None, Confine::Inside { network: false, .. }) => {
                        // A gate as it stood when the user said yes to it, in a folder that they trust.
                        let covered = kept.is_some() && covers.gate(*call, command);
                        assert!(*risk < Risk::High && (auto || ruled || covered || typed.contains(call)));
                    }
                    (None, Confine::Outside) => assert!(*risk < Risk::High && typed.contains(call)),
                    (None, _) => panic!("{call:?} began unasked, {shown:?}"),
                }
            }
            _ => {}
        }
    }
}
