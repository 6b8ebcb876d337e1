//! What the composer, the slash commands and the keys that hold anywhere do.
//!
//! Owns those deeds. How a key got here is `route`'s affair.

use std::time::{Duration, Instant};

use pilothouse_core::{
    input::Input,
    intent::{Control, Slash, SlashCommand},
    memory::MemoryOwner,
    port::{Ask, SetupAsk},
    runs::{ForkUpTo, HostRequest, SessionWish},
    scope::PermissionMode,
};

use super::{App, AppCommand, Editing};
use crate::{
    composer,
    ctx::{Handout, Outcome},
    frame,
    overlay::{Alive, OVERLAYS, Overlay, kb::Kb, themes::Themes},
    pane::{Focus, PANES, PaneId, plan, runs},
    preview::{self, LONGEST, lowered},
    window::{RunRow, Then, WindowWish},
};

/// Two presses of the cancel key leave when they are no further apart.
const TWICE: Duration = Duration::from_secs(2);

impl App {
    /// Carries out what the composer wants.
    pub(super) fn compose(&mut self, wish: composer::ComposerEvent, now: Instant) {
        use composer::ComposerEvent::{Queue, Send, Tell};
        let hands_over = matches!(wish, Send(_) | Queue(_) | Tell(_));
        let sent = self.outbox.inputs();
        self.do_composed(wish, now);
        // Of what is done here no word comes back, so that a later refusal is of something else.
        if hands_over && self.outbox.inputs() == sent {
            self.composer.heard();
        }
    }

    fn do_composed(&mut self, wish: composer::ComposerEvent, now: Instant) {
        match wish {
            composer::ComposerEvent::Nothing => {}
            composer::ComposerEvent::Send(text) => {
                let own = SlashCommand::of_line(&text).filter(|(command, args)| command.is_for_screen(args));
                match own {
                    Some((command, args)) if command.does == Slash::Runs && !is_own_name(command, &text) => {
                        self.earlier(command, &args, now);
                    }
                    // In words or as a command, help is one page; the keys have their own (TRN-05).
                    Some((command, _)) if command.does == Slash::Help && !names_keys(&text) => {
                        self.controlled(&Control::Help, now);
                    }
                    Some((command, args)) => self.command(command, &args, now),
                    None if self.opens_memory(&text) => {}
                    None if self.goes_on_before(&text).is_some() => self.go_on_before(text, now),
                    None if self.opens_plan(&text) => self.run(plan::PlanAction::Edit.into(), now),
                    None if let Some(line) = self.goes_beside(&text) => self.begin_beside(line),
                    None => self.send(text),
                }
            }
            composer::ComposerEvent::Queue(text) => self.input(Input::Queue(text)),
            composer::ComposerEvent::Tell(text) => self.input(Input::Tell(text)),
            composer::ComposerEvent::Submit(id, text) => self.submit(id, text, now),
            composer::ComposerEvent::Empty => self.enter_empty(now),
            composer::ComposerEvent::NextPane => self.step_pane(true, now),
            composer::ComposerEvent::Editor => {
                let text = self.composer.draft.saved().whole();
                self.edit(Editing::Draft, Handout::new("message.md", text));
            }
            composer::ComposerEvent::Permission => {
                let next = match self.world.state().permission {
                    PermissionMode::ReadOnly => PermissionMode::Ask,
                    PermissionMode::Ask if self.world.session.policy().exposed().is_some() => {
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
            composer::ComposerEvent::Lower => self.lower(),
            composer::ComposerEvent::Files(like) => {
                let number = self.ask(Ask::Files { like, count: composer::files::MOST });
                self.files_asked = Some(number);
            }
        }
    }

    /// The session of before that a line in an empty one goes on with: the one that the page which greets names.
    pub(super) fn goes_on_before(&self, text: &str) -> Option<&RunRow> {
        let left = self.runs.iter().find(|run| run.was_left())?;
        preview::takes_up(text, &self.world.session).then_some(left)
    }

    /// Opens it, and says the line there.
    fn go_on_before(&mut self, text: String, now: Instant) {
        let Some(run) = self.goes_on_before(&text) else { return };
        let session = Some(run.info.session.clone());
        let wish = SessionWish { session, message: Some(text), front: true, ..SessionWish::default() };
        let window = Some(WindowWish::Host(HostRequest::Open(wish)));
        self.carry_out(Outcome { window, ..Outcome::focus(Focus::Composer) }, now);
    }

    /// The line that a session beside this one begins with: none where it would be refused here, or where this one works in
    /// another folder than those that are begun.
    fn goes_beside(&self, text: &str) -> Option<String> {
        let line = preview::beside(text)?;
        let refused = self.world.session.refuses_typed(line.trim_start_matches('!')).is_some();
        (!refused && !self.world.surroundings.read_only).then_some(line)
    }

    /// Begins a session beside this one with a line, as `/bg` does.
    fn begin_beside(&mut self, line: String) {
        let wish = SessionWish { message: Some(line), ..SessionWish::default() };
        self.outbox.window.push_back(WindowWish::Host(HostRequest::Open(wish)));
    }

    /// Whether a line is the word at a plan that opens it in the editor.
    fn opens_plan(&self, text: &str) -> bool {
        preview::opens_plan(text, self.world.state())
    }

    /// Asks for the memory that a line wants in the editor; whether it is such a line.
    fn opens_memory(&mut self, text: &str) -> bool {
        let Some((command, args)) = SlashCommand::of_line(text) else { return false };
        let owner = match (command.does, args.split_whitespace().collect::<Vec<_>>().as_slice()) {
            (Slash::Memory, ["edit"]) => MemoryOwner::Project,
            (Slash::Memory, ["edit", whose]) => {
                let Some(owner) = MemoryOwner::ALL.into_iter().find(|o| o.name() == *whose) else {
                    return false;
                };
                owner
            }
            _ => return false,
        };
        self.ask(Ask::Memory(owner));
        true
    }

    /// Hands a message to the session.
    fn send(&mut self, text: String) {
        let seen = self.world.state().seq;
        self.panes.sent();
        self.input(Input::Say { text, seen });
    }

    /// Goes on in a copy of this session.
    fn fork(&mut self, args: &str) {
        let session = self.world.state().slug.clone();
        let upto = match (args.trim(), args.trim().parse()) {
            ("", _) => ForkUpTo::End,
            (_, Ok(number @ 1..)) => ForkUpTo::Message(number),
            _ => {
                self.composer.refused(|_| false);
                return self.say("/fork N takes the number of one of your messages, as shown in /history");
            }
        };
        if self.world.state().turns.is_empty() {
            return self.say("nothing has been said yet that a copy could continue from");
        }
        self.outbox.window.push_back(WindowWish::fork(&session, upto));
    }

    fn command(&mut self, command: &SlashCommand, args: &str, now: Instant) {
        if let Err(wrong) = command.check(args) {
            self.composer.refused(|_| false);
            return self.say(wrong);
        }
        if command.does == Slash::Fork {
            return self.fork(args);
        }
        if let Some(wish) = begins(command.does, args) {
            return self.outbox.window.push_back(WindowWish::Host(HostRequest::Open(wish)));
        }
        if command.does == Slash::Kb {
            let page = Kb::asking(args);
            let outcome = Outcome { asks: page.asks(), open: Some(Box::new(page)), ..Outcome::none() };
            return self.carry_out(outcome, now);
        }
        if let Some(kind) = PANES.iter().find(|kind| kind.command == Some(command.does)) {
            return self.go(Focus::Pane(kind.id));
        }
        if let Some(kind) = OVERLAYS.iter().find(|kind| kind.command == Some(command.does)) {
            return self.open(kind, now);
        }
        if command.does == Slash::Exit {
            return self.leave();
        }
        if command.does != Slash::Theme {
            return self.send(format!("/{} {args}", command.name));
        }
        self.colours(args);
    }

    /// Sessions are looked for by a name that other programs have for it. What follows the name is one of them, never
    /// a task: the one whose name begins so is shown, else those are listed that have it.
    fn earlier(&mut self, command: &SlashCommand, args: &str, now: Instant) {
        let named = |r: &&RunRow| !args.is_empty() && r.info.session.starts_with(args);
        let mut found = self.runs.iter().filter(named);
        if let (Some(run), None) = (found.next(), found.next()) {
            let shown = runs::attach(run, Then::Draft);
            return self.carry_out(shown, now);
        }
        self.command(command, "", now);
        if let Some(pane) = self.panes.get_mut(runs::ID) {
            pane.seek(args);
        }
    }

    /// Changes the colours: to another theme, or to the same one's for a light or a dark background.
    fn colours(&mut self, to: &str) {
        if to.is_empty() {
            return self.choose_theme();
        }
        if matches!(to, "light" | "dark") {
            self.take_ground(to == "dark");
            return self.say(format!("theme: {}, {to}", self.looks.theme.name()));
        }
        if self.take_theme(to) {
            self.ask(Ask::Setup(SetupAsk::Theme(to.to_owned())));
        }
    }

    /// Opens the list of themes.
    pub(super) fn choose_theme(&mut self) {
        self.open_overlay(Box::new(Themes::new(self.looks.listed(), &self.looks.named)));
    }

    /// Puts a shallower `@node` before the draft, or takes it away again.
    fn lower(&mut self) {
        let draft = self.composer.draft.shown();
        if draft.trim().is_empty() || draft.len() > LONGEST {
            return self.say("type something first; then its path can be lowered");
        }
        match lowered(&draft, &self.world.session) {
            Some(text) => self.composer.rewrite(&text),
            None => self.say("its path cannot go any lower"),
        }
    }

    /// Leaves at once when nothing is at stake; else the session asks first, once.
    fn leave(&mut self) {
        if !self.leaving.asked && self.runs.iter().any(RunRow::holds_the_window) {
            return self.open_overlay(Box::<Alive>::default());
        }
        let state = self.world.state();
        if self.world.open
            && (state.busy() || !state.at_stake().is_empty())
            && !self.leaving.asked
            && !self.world.surroundings.read_only
        {
            self.input(Input::say("/exit"));
        } else {
            self.quit();
        }
    }

    pub(super) fn frame(&mut self, action: frame::Action, came: Instant) {
        match action {
            frame::Action::Details | frame::Action::ScrollUp | frame::Action::ScrollDown => {
                self.meant(action, came);
            }
            frame::Action::Undo => self.input(Input::Undo),
            frame::Action::Redo => self.input(Input::Redo),
            frame::Action::Redraw => self.outbox.wish(AppCommand::Redraw),
            frame::Action::Suspend => self.outbox.wish(AppCommand::Suspend),
            frame::Action::Cancel => self.cancel(came),
            frame::Action::Back => self.back(came),
            frame::Action::NextPane => self.step_pane(true, came),
            frame::Action::PreviousPane => self.step_pane(false, came),
            frame::Action::NewSession => {
                let wish = SessionWish { front: true, ..SessionWish::default() };
                self.outbox.window.push_back(WindowWish::Host(HostRequest::Open(wish)));
            }
            frame::Action::NextSession => self.outbox.window.push_back(WindowWish::Step(true)),
            frame::Action::PreviousSession => self.outbox.window.push_back(WindowWish::Step(false)),
            frame::Action::Quit => self.leave(),
        }
    }

    /// Does what it means in the pane that has the keys, else in the main one.
    fn meant(&mut self, action: frame::Action, came: Instant) {
        let panes = [self.panes.focused(), self.panes.main()];
        let meant = panes.into_iter().flatten().find_map(|(id, pane)| Some((id, pane.meaning(action)?)));
        if let Some((id, action)) = meant {
            self.act_in(id, action, came);
        }
    }

    pub(super) fn toggle(&mut self, pane: PaneId, came: Instant) {
        self.leave_overlays(came);
        let here = self.panes.focus == Focus::Pane(pane);
        self.go(if here { Focus::Composer } else { Focus::Pane(pane) });
    }

    fn step_pane(&mut self, forward: bool, now: Instant) {
        let next = self.panes.next(forward, &self.ctx(now));
        self.go(next);
    }

    /// Closes the topmost overlay. False when there is none.
    fn close_top(&mut self, came: Instant) -> bool {
        let top = self.overlays.pop().map(|top| top.left());
        let closed = top.is_some();
        self.carry_out(top.unwrap_or_default(), came);
        closed
    }

    /// Stops what runs or waits; else clears the draft into history; else leaves when pressed twice.
    fn cancel(&mut self, came: Instant) {
        if self.close_top(came) || self.composer.close_popup() {
            return;
        }
        let state = self.world.state();
        let waits = !self.leaving.asked && !state.is_at_rest();
        let works = state.busy() || state.is_executing() || waits;
        if works && !self.world.surroundings.read_only {
            self.input(Input::Cancel);
            return;
        }
        if self.composer.clear() {
            self.panes.focus = Focus::Composer;
            self.say("cleared – Up restores it");
            return;
        }
        let twice = self.leaving.cancelled.is_some_and(|at| came.saturating_duration_since(at) <= TWICE);
        self.leaving.cancelled = Some(came);
        if twice || self.leaving.asked {
            self.leave();
        } else {
            self.say("press it again to quit");
        }
    }

    /// One layer back: the topmost thing, what lies open in the pane, the pane, the draft; at the second
    /// press in a row an answer that streams. Never a run, never a proposal.
    pub(super) fn back(&mut self, came: Instant) {
        let again = self.leaving.stopping.take();
        if self.composer.close_popup() && self.overlays.is_empty() {
            return;
        }
        if self.close_top(came) || self.panes.leave() {
            return;
        }
        if self.panes.focus != Focus::Composer {
            self.panes.return_to_draft();
            return;
        }
        if self.put_aside() {
            return;
        }
        if self.composer.clear() {
            return self.say("cleared – Up restores it");
        }
        if self.world.surroundings.read_only {
            return;
        }
        let state = self.world.state();
        if self.guiding() && state.answering().is_none() {
            return self.input(Input::Cancel);
        }
        if state.answering().is_none() {
            if state.busy() || state.is_executing() {
                self.say("Ctrl-C stops what is running; undecided changes are set aside");
            }
            return;
        }
        if again.is_some_and(|at| came.saturating_duration_since(at) <= TWICE) {
            return self.input(Input::StopAnswer);
        }
        self.leaving.stopping = Some(came);
        self.say("Esc again stops the answer");
    }
}

/// Whether a line calls the list of sessions as it is called here.
fn is_own_name(command: &SlashCommand, line: &str) -> bool {
    let name = called(line);
    ["bg", "runs"].iter().any(|own| own.eq_ignore_ascii_case(name)) || command.name == name
}

/// Whether help is asked for by the name of the keys.
fn names_keys(line: &str) -> bool {
    called(line).eq_ignore_ascii_case("keys")
}

/// The name by which a line calls a command.
fn called(line: &str) -> &str {
    line.trim().trim_start_matches([':', '/']).split_whitespace().next().unwrap_or_default()
}

/// The session that a command begins.
fn begins(command: Slash, args: &str) -> Option<SessionWish> {
    let (name, task) = args.split_once(char::is_whitespace).unwrap_or((args, ""));
    let said = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
    if command == Slash::Worktree {
        let (worktree, message) = (said(name), said(task));
        return Some(SessionWish { front: message.is_none(), worktree, message, ..SessionWish::default() });
    }
    let message = said(args).filter(|_| command == Slash::Runs)?;
    Some(SessionWish { message: Some(message), ..SessionWish::default() })
}
