//! What the composer, the slash commands and the keys that hold anywhere do.
//!
//! Owns those deeds. How a key got here is `route`'s affair.

use std::time::{Duration, Instant};

use pilothouse_core::{
    input::Input,
    intent::{Slash, SlashCommand},
    port::Ask,
    scope::PermissionMode,
};

use super::{App, Wish};
use crate::{
    approvals::Approvals,
    composer,
    conversation::ConversationAction,
    frame,
    keymap::PlanKey,
    overlay::{Inspected, Overlay, Palette},
    pane::Focus,
    preview::{LONGEST, lowered},
    theme::Theme,
};

/// Two presses of the cancel key leave when they are no further apart.
const TWICE: Duration = Duration::from_secs(2);

/// At most this many files are offered.
const MAX_FILES: usize = 20_000;

impl App {
    /// Carries out what the composer wants.
    pub(super) fn compose(&mut self, wish: composer::Wish) {
        match wish {
            composer::Wish::Nothing => {}
            composer::Wish::Send(text) => {
                let own = SlashCommand::of_line(&text).filter(|(command, args)| command.is_for_screen(args));
                match own {
                    Some((command, args)) => self.command(command, &args),
                    None => self.send(text),
                }
            }
            composer::Wish::Queue(text) => self.input(Input::Queue(text)),
            composer::Wish::Submit(id, text) => self.submit(id, text),
            composer::Wish::Empty if self.guiding() => self.input(Input::say("")),
            composer::Wish::Empty => {
                let question = self.session.state().phase_question();
                let default = question.and_then(|q| {
                    let answer = self.session.state().spec(q).default_answer()?;
                    Some((q.id, answer))
                });
                if let Some((id, answer)) = default.filter(|(id, _)| self.stood(&self.asked, id)) {
                    self.answer(id, answer);
                }
            }
            composer::Wish::NextPane => self.step_pane(true),
            composer::Wish::Editor => {
                let text = self.composer.draft.saved().whole();
                self.editing = None;
                self.wishes.push(Wish::Edit { name: "message.md".to_owned(), text });
            }
            composer::Wish::Permission => {
                let next = match self.session.state().permission {
                    PermissionMode::ReadOnly => PermissionMode::Ask,
                    PermissionMode::Ask if self.session.policy().exposed().is_some() => {
                        PermissionMode::ReadOnly
                    }
                    PermissionMode::Ask => PermissionMode::Auto,
                    PermissionMode::Auto => PermissionMode::ReadOnly,
                };
                self.input(Input::SetPermission(next));
                self.say(match next {
                    PermissionMode::ReadOnly => "read-only: nothing is changed or run",
                    PermissionMode::Ask => "ask: every change asks",
                    PermissionMode::Auto => {
                        "auto: changes are written and recorded; deletes and high risk ask"
                    }
                });
            }
            composer::Wish::Lower => self.lower(),
            composer::Wish::Files => {
                let number = self.ask(Ask::Files(MAX_FILES));
                self.files_asked = Some(number);
            }
        }
    }

    /// Hands a message to the session.
    fn send(&mut self, text: String) {
        let seen = self.session.state().seq;
        self.input(Input::Say { text, seen });
    }

    fn command(&mut self, command: &SlashCommand, args: &str) {
        if let Err(wrong) = command.check(args) {
            return self.say(wrong);
        }
        match command.does {
            Slash::Help => self.open_overlay(Overlay::help()),
            Slash::Exit => self.leave(),
            Slash::Diff => self.go(Focus::Diff),
            Slash::Plan => self.go(Focus::Plan),
            Slash::Approvals => self.open_overlay(Overlay::Approvals(Approvals::default())),
            Slash::Theme if Theme::source(args).is_none() => {
                let names: Vec<&str> = Theme::names().collect();
                self.say(format!("/theme NAME takes one of: {}", names.join(", ")));
            }
            Slash::Theme => self.take_theme(args),
            Slash::Connect => self.open_overlay(Overlay::Connect),
            Slash::Status => self.open_overlay(Overlay::Status),
            Slash::Why => self.inspect(),
            Slash::Agent
            | Slash::Redo
            | Slash::Replan
            | Slash::Abort
            | Slash::Reset
            | Slash::Undo
            | Slash::Unundo
            | Slash::Mode
            | Slash::Proof
            | Slash::Explore
            | Slash::Chat
            | Slash::Auto
            | Slash::Ask
            | Slash::ReadOnly
            | Slash::Trust => self.send(format!("/{} {args}", command.name)),
        }
    }

    /// Shows why the draft, or else the last message, takes its path.
    fn inspect(&mut self) {
        let draft = self.composer.draft.shown();
        let inspected = if draft.trim().is_empty() || draft.len() > LONGEST {
            Inspected::last(&self.session)
        } else {
            Some(Inspected::draft(&draft, &self.session))
        };
        match inspected {
            Some(inspected) => self.open_overlay(Overlay::Why(Box::new(inspected))),
            None => self.say("write something, or send it, and its path can be explained"),
        }
    }

    /// Puts a shallower `@node` before the draft, or takes it away again.
    fn lower(&mut self) {
        let draft = self.composer.draft.shown();
        if draft.trim().is_empty() || draft.len() > LONGEST {
            return self.say("write something first; then its path can be lowered");
        }
        match lowered(&draft, &self.session) {
            Some(text) => self.composer.rewrite(&text),
            None => self.say("its path is as low as it gets"),
        }
    }

    /// Leaves at once when nothing runs; else the session asks first.
    fn leave(&mut self) {
        if self.open && self.session.state().busy() && !self.leaving && !self.surroundings.read_only {
            self.input(Input::say("/exit"));
        } else {
            self.quit();
        }
    }

    pub(super) fn frame(&mut self, action: frame::Action, came: Instant) {
        match action {
            frame::Action::Palette => {
                let palette = Palette::new(&self.keymap);
                self.open_overlay(Overlay::Palette(palette));
            }
            frame::Action::Help => self.open_overlay(Overlay::help()),
            frame::Action::Plan => self.toggle(Focus::Plan),
            frame::Action::Diff => self.toggle(Focus::Diff),
            frame::Action::Conversation => self.toggle(Focus::Conversation),
            frame::Action::Approvals => {
                if !matches!(self.overlays.last(), Some(Overlay::Approvals(_))) {
                    self.open_overlay(Overlay::Approvals(Approvals::default()));
                }
            }
            frame::Action::Why => self.inspect(),
            frame::Action::Details => match self.focus {
                Focus::Plan => self.plan_key(PlanKey::Detail, came),
                Focus::Composer | Focus::Conversation | Focus::Diff => {
                    self.conversation(ConversationAction::Fold, came);
                }
            },
            frame::Action::ScrollUp => self.conversation(ConversationAction::PageUp, came),
            frame::Action::ScrollDown => self.conversation(ConversationAction::PageDown, came),
            frame::Action::Undo => self.input(Input::Undo),
            frame::Action::Redo => self.input(Input::Redo),
            frame::Action::Redraw => self.wishes.push(Wish::Redraw),
            frame::Action::Suspend => self.wishes.push(Wish::Suspend),
            frame::Action::Cancel => self.cancel(came),
            frame::Action::Back => self.back(),
            frame::Action::NextPane => self.step_pane(true),
            frame::Action::PreviousPane => self.step_pane(false),
            frame::Action::Quit => self.leave(),
        }
    }

    fn toggle(&mut self, pane: Focus) {
        self.overlays.clear();
        let to = if self.focus == pane { Focus::Composer } else { pane };
        self.go(to);
    }

    fn step_pane(&mut self, forward: bool) {
        let mut panes = vec![Focus::Composer, Focus::Conversation];
        if self.has_plan() {
            panes.push(Focus::Plan);
        }
        if self.has_diff() {
            panes.push(Focus::Diff);
        }
        let at = panes.iter().position(|p| *p == self.focus).unwrap_or_default();
        let step = if forward { 1 } else { panes.len() - 1 };
        let next = panes.get((at + step) % panes.len()).copied().unwrap_or_default();
        self.go(next);
    }

    /// Stops what runs; else clears the draft into history; else leaves when pressed twice.
    fn cancel(&mut self, came: Instant) {
        let state = self.session.state();
        if self.overlays.pop().is_some() || self.composer.close_popup() {
            return;
        }
        if state.busy() || state.is_executing() {
            self.input(Input::Cancel);
            return;
        }
        if self.composer.clear() {
            self.focus = Focus::Composer;
            self.say("cleared; the up key brings it back");
            return;
        }
        let twice = self.cancelled.is_some_and(|at| came.saturating_duration_since(at) <= TWICE);
        self.cancelled = Some(came);
        if twice || self.leaving {
            self.quit();
        } else {
            self.say("press it again to leave");
        }
    }

    /// One step back: the topmost thing, then the pane, then the foreground turn.
    fn back(&mut self) {
        if self.composer.close_popup() && self.overlays.is_empty() {
            return;
        }
        if self.overlays.pop().is_some() {
            return;
        }
        if self.focus != Focus::Composer {
            self.return_to_draft();
            return;
        }
        if self.put_aside() {
            return self.say("put aside; it still waits in the list");
        }
        let state = self.session.state();
        if self.guiding() {
            self.input(Input::say(""));
        } else if state.busy() || state.is_executing() {
            self.input(Input::Cancel);
        }
    }
}
