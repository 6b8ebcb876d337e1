//! Commands folded into the state: what a call runs now, and what a goal has tried.

use std::sync::Arc;

use crate::{
    blob::BlobId,
    checkpoint::CheckpointKind,
    event::Event,
    goal::Tried,
    ids::CallId,
    outcome::Exit,
    session::{LaneKind, OpenCall, Ran, State},
    shell::{proves, shortened_check},
    tool::{Tool, ToolCall},
};

impl State {
    /// A goal remembers what it tried.
    pub(super) fn begin_goal(&mut self) {
        if let Some(run) = &mut self.run {
            run.tried.get_or_insert_default();
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "`fold` names every event; this takes its share")]
    pub(super) fn fold_command(&mut self, event: &Event) {
        match event {
            Event::CommandEdited { call, lane, args } => {
                let calls = self.lanes.get_mut(lane).into_iter().flat_map(|l| &mut l.calls);
                for open in calls.filter(|c| c.call == *call) {
                    open.asked = ToolCall::read(Tool::Run, args).map(Arc::new);
                    open.hash = BlobId::of(args.as_bytes());
                    (open.allowed, open.typed, open.edited) = (None, true, true);
                    (open.meant, open.changed) = (None, String::new());
                    (open.brought, open.loses, open.shows) = (false, false, false);
                }
                if let Some(tried) = self.tried(|t| t.attempt.call == *call) {
                    tried.attempt.changed = true;
                }
            }
            Event::CommandMeant { checkpoint, call, meant: now } => {
                let question = self.open.get_mut(checkpoint).map(|c| &mut c.kind);
                if let Some(CheckpointKind::Risk(command)) = question {
                    command.shown = now.bind(command.shown);
                    command.meant = Some(Box::new(now.clone()));
                }
                let calls = self.lanes.values_mut().flat_map(|l| &mut l.calls);
                calls.filter(|c| c.call == *call).for_each(|open| open.meant = Some(Box::new(now.clone())));
            }
            Event::CommandChanged { call, lane, what, brought, loses, shows } => {
                let calls = self.lanes.get_mut(lane).into_iter().flat_map(|l| &mut l.calls);
                for open in calls.filter(|c| c.call == *call) {
                    (open.allowed, open.meant) = (None, None);
                    open.changed.clone_from(what);
                    open.brought |= brought;
                    (open.loses, open.shows) = (*loses, *shows);
                }
            }
            Event::CommandProposed { call, lane, command, folder, risk, .. } => {
                let goal = self.lanes.get(lane).is_some_and(|l| l.kind == LaneKind::Goal);
                let mut new = Tried::new(*call, command, folder, *risk);
                if let Some(known) = self.tried(|t| t.attempt.call == *call) {
                    new.attempt.changed = known.attempt.changed;
                    *known = new;
                } else if let Some(list) = self.run.as_mut().and_then(|r| r.tried.as_mut()).filter(|_| goal) {
                    list.push(new);
                }
            }
            Event::CommandStarted { call, .. } => {
                let calls = self.lanes.values_mut().flat_map(|l| &mut l.calls);
                calls.filter(|c| c.call == *call).for_each(|open| open.began = true);
            }
            Event::CommandExited { call, exit, branch, passed, .. } => {
                if branch.is_some() {
                    self.branch.clone_from(branch);
                }
                self.exited(*call, exit, *passed);
            }
            _ => {}
        }
    }

    fn exited(&mut self, call: CallId, exit: &Exit, passed: bool) {
        self.stopped.remove(&call);
        self.checked(call, exit);
        if let Some(lane) = self.lanes.values_mut().find(|l| l.head().is_some_and(|c| c.call == call)) {
            let command = lane.head().map(OpenCall::subject).unwrap_or_default();
            let line = lane.head().and_then(OpenCall::run).map(|run| run.command.clone()).unwrap_or_default();
            lane.proved |= exit.ok() && (proves(&line) || passed);
            if shortened_check(&line) {
                lane.piped = Some(line);
            }
            lane.ran = Some(Ran { command, exit: exit.clone() });
            let own = lane.kind == LaneKind::Goal && lane.rounds == 0;
            if own && lane.head().is_some_and(|c| c.typed) {
                self.typed_ended = Some(exit.clone());
            }
        }
        if let Some(tried) = self.tried(|t| t.attempt.call == call) {
            tried.attempt.exit = Some(exit.clone());
        }
    }

    /// A command of the agent ended; it may be one that can prove something.
    fn checked(&mut self, call: CallId, exit: &Exit) {
        let of = self.open_call(call).filter(|(lane, open)| {
            let of_run = lane.kind.of_run() || self.has_own_run(lane);
            of_run && !open.typed && lane.kind.gate().is_none()
        });
        let line = of.and_then(|(_, open)| Some(open.run()?.command.clone()));
        let Some((line, run)) = line.zip(self.run.as_mut()) else { return };
        run.ran(&line, call, exit.code);
        if proves(&line) {
            run.checked(line, call, exit.ok());
        }
    }

    pub(in crate::session) fn tried(&mut self, which: impl Fn(&Tried) -> bool) -> Option<&mut Tried> {
        let list = self.run.as_mut().and_then(|r| r.tried.as_mut())?;
        list.iter_mut().rev().find(|t| which(t))
    }
}
