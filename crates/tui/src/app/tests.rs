//! Tests of the whole screen over a real session; time passes only when told to.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::wildcard_enum_match_arm,
    clippy::single_match_else,
    clippy::print_stdout
)]

mod burst;
mod confined;
mod deaf;
mod focus;
mod frames;
mod golden;
mod grants;
mod held;
mod hostile;
mod keys;
mod labels;
mod narrow;
mod newcomer;
mod notices;
mod offer;
mod output;
mod pages;
mod promises;
mod random;
mod resting;
mod review;
mod runs;
mod scroll;
mod second;
mod seen;
mod setup;
mod stray;
mod tell;
mod turns;
mod waits;
mod words;

use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use pilothouse_core::{
    blob::BlobId,
    ids::{CallId, Millis},
    input::Opening,
    intent::Control,
    intent::Phase,
    port::{Reply, SetupAsk, SetupReply, Surroundings},
    resolved::{ResolvedCommand, Thing},
    sandbox::{Backend, Sandbox},
    session::{Session, State},
    talk::{Finish, ModelCall, ModelReply},
    work::{Effect, Work},
};
use ratatui::{buffer::Buffer, layout::Rect};

use super::*;
use crate::{
    composer::Saved,
    overlay::Caret,
    pane::{conversation, diff, plan},
    theme::{Glyphs, Theme},
};

const CONVERSATION: Focus = Focus::Pane(conversation::ID);
const PLAN: Focus = Focus::Pane(plan::ID);
const DIFF: Focus = Focus::Pane(diff::ID);

/// An app with a real session behind it; time passes only when it is told to.
struct Desk {
    app: App,
    session: Session,
    now: Instant,
    size: Rect,
    thinking: Vec<CallId>,
    tools: Vec<CallId>,
    writes: Vec<Work>,
    looks: Vec<CheckpointId>,
    /// Whether what commands would run is looked at only when [`Desk::looked`] says so.
    looks_late: bool,
    inputs: Vec<Input>,
    asks: Vec<Ask>,
    /// The number of the last question to the read port.
    number: u64,
    quit: bool,
    taken_over: bool,
    /// The drafts that were to be kept.
    kept: Vec<String>,
    /// How often what others may have changed was to be looked at.
    looks_again: usize,
}

impl Desk {
    fn new(width: u16, height: u16) -> Self {
        let sandbox = Sandbox { backend: Some(Backend::Landlock), ..Sandbox::default() };
        Self::with(width, height, sandbox)
    }

    fn with(width: u16, height: u16, sandbox: Sandbox) -> Self {
        let look = Look { folder: "inkwell".into(), ..Look::default() };
        let mut desk = Self {
            app: App::new(look, Highlighter::off()).unwrap(),
            session: Session::new(),
            now: Instant::now(),
            size: Rect::new(0, 0, width, height),
            thinking: Vec::new(),
            tools: Vec::new(),
            writes: Vec::new(),
            looks: Vec::new(),
            looks_late: false,
            inputs: Vec::new(),
            asks: Vec::new(),
            number: 0,
            quit: false,
            taken_over: false,
            kept: Vec::new(),
            looks_again: 0,
        };
        let around = Surroundings {
            folder: "inkwell".into(),
            branch: Some("main".into()),
            dirty: 3,
            model: "gpt-5-mini".into(),
            window: Some(100_000),
            ..Surroundings::default()
        };
        desk.app.update(Update::Surroundings(Box::new(around)), desk.now);
        desk.app.update(Update::Opened(Box::new(Session::new()), Vec::new()), desk.now);
        desk.give(Input::Open(Opening {
            slug: "calm-otter".into(),
            folder: "inkwell".into(),
            version: "0".into(),
            mode: None,
            permission: None,
            sandbox,
            standing: pilothouse_core::trust::Standing::default(),
            found: Vec::new(),
        }));
        desk.draw();
        desk
    }

    /// The name of the topmost overlay.
    fn top(&self) -> Option<&'static str> {
        self.app.overlays.last().map(|overlay| overlay.name())
    }

    fn state(&self) -> &State {
        self.session.state()
    }

    fn wait(&mut self, ms: u64) -> &mut Self {
        self.now += Duration::from_millis(ms);
        self
    }

    /// What was to be looked at was looked at.
    fn looked(&mut self) {
        for checkpoint in std::mem::take(&mut self.looks) {
            self.give(Input::CommandResolved { checkpoint, meant: meant("/usr/bin/x") });
        }
    }

    /// Gives the session an input, as the driver would, and tells the app.
    fn give(&mut self, input: Input) {
        match self.session.step(Millis(1_000), input) {
            Ok(step) => {
                for effect in step.effects {
                    match effect {
                        Effect::Start(Work::Think { call, .. }) => self.thinking.push(call),
                        Effect::Start(Work::Tool { permit, .. }) => self.tools.push(permit.call()),
                        Effect::Start(Work::Look { checkpoint, .. }) => self.looks.push(checkpoint),
                        Effect::Start(work) => self.writes.push(work),
                        Effect::Cancel(_) => {}
                    }
                }
                self.app.update(Update::Events(step.events), self.now);
                if !self.looks_late {
                    self.looked();
                }
            }
            Err(refusal) => drop(self.app.update(Update::Refused(refusal.reason), self.now)),
        }
    }

    /// The model says this, to its oldest open question.
    fn reply(&mut self, text: &str, calls: &[(&str, &str)]) {
        let call = self.thinking.remove(0);
        let calls: Vec<ModelCall> = calls
            .iter()
            .enumerate()
            .map(|(i, (name, args))| ModelCall {
                id: format!("c{i}"),
                name: (*name).into(),
                args: (*args).into(),
            })
            .collect();
        let finish = if calls.is_empty() { Finish::Stop } else { Finish::Calls };
        let reply = ModelReply { text: text.into(), calls, finish, ..ModelReply::default() };
        self.give(Input::Replied { call, reply: Ok(reply) });
    }

    /// Presses keys: names in `<>`, anything else as characters; each is drawn.
    fn press(&mut self, keys: &str) -> &mut Self {
        let mut rest = keys;
        while let Some(c) = rest.chars().next() {
            let key = match rest.strip_prefix('<').and_then(|r| r.split_once('>')) {
                Some((name, after)) => {
                    rest = after;
                    key(name)
                }
                None => {
                    rest = &rest[c.len_utf8()..];
                    KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE)
                }
            };
            self.app.key(key, self.now);
            self.collect();
            self.draw();
        }
        self.pause()
    }

    /// Nothing more is typed: letters that were held act.
    fn pause(&mut self) -> &mut Self {
        self.app.settle_keys(self.now + crate::standing::DEAF);
        self.app.stray = Stray::default();
        self.collect();
        self.draw();
        self
    }

    fn collect(&mut self) {
        while let Some(request) = self.app.next_request() {
            match request {
                // What was seen is core's to check; here the words count.
                Request::Input(Input::Say { text, .. }) => self.inputs.push(Input::say(text)),
                Request::Input(input) => self.inputs.push(input),
                Request::Ask(number, ask) => {
                    self.number = number;
                    self.asks.push(ask);
                }
                Request::Tell(_) => {}
                Request::Focused => self.looks_again += 1,
                Request::Draft(text) => self.kept.push(text),
                Request::TakeOver => self.taken_over = true,
                Request::Quit => self.quit = true,
            }
        }
    }

    /// Gives everything that the app sent to the session.
    fn deliver(&mut self) -> &mut Self {
        for input in std::mem::take(&mut self.inputs) {
            self.give(input);
        }
        self.collect();
        self.draw();
        self
    }

    /// As the screen does: what a draft means is foretold behind the frame that shows it, and shown by a further one.
    fn draw(&mut self) -> (Buffer, Caret) {
        let drawn = self.frame();
        if self.app.foretell() { self.frame() } else { drawn }
    }

    fn frame(&mut self) -> (Buffer, Caret) {
        self.app.layout(self.size, self.now);
        let mut buf = Buffer::empty(self.size);
        let caret = self.app.render(&mut buf, self.now);
        assert_eq!(self.app.entered.enter, self.app.enter(), "what is drawn of Enter is what it does");
        self.app.drew(self.now);
        (buf, caret)
    }

    fn text(&mut self) -> String {
        let (buf, _) = self.draw();
        rows(&buf).join("\n")
    }

    /// A plan of three steps waits for its confirmation.
    fn with_plan(self) -> Self {
        let plan = r#"{"title":"Add rate limiting","tasks":[{"title":"Token bucket","kind":"create"},
            {"title":"Wire it in"},{"title":"Tests"}],"gates":[{"name":"tests","command":"cargo test"}]}"#;
        self.planned(plan)
    }

    fn planned(mut self, plan: &str) -> Self {
        self.app.composer.draft.set(Saved::plain("add rate limiting to the login endpoint"));
        self.press("<enter>").deliver();
        self.reply("", &[("submit_plan", plan)]);
        assert_eq!(self.state().phase, Phase::AwaitingApproval);
        self.collect();
        self
    }
}

/// What a command means whose program is there.
fn meant(path: &str) -> ResolvedCommand {
    let thing = |name: &str, path: &str| Thing {
        name: name.into(),
        path: path.into(),
        of: BlobId::of(path.as_bytes()),
    };
    let (runs, environment) = (vec![thing("x", path)], BlobId::of(b""));
    ResolvedCommand { folder: thing("", "/w"), runs, environment, unlost: None }
}

fn key(name: &str) -> KeyEvent {
    let (mods, name) = match name.split_once('-') {
        Some(("ctrl", rest)) => (KeyModifiers::CONTROL, rest),
        Some(("alt", rest)) => (KeyModifiers::ALT, rest),
        Some(("shift", rest)) => (KeyModifiers::SHIFT, rest),
        _ => (KeyModifiers::NONE, name),
    };
    let code = match name {
        "enter" => KeyCode::Enter,
        "esc" => KeyCode::Esc,
        "tab" => KeyCode::Tab,
        "up" => KeyCode::Up,
        "down" => KeyCode::Down,
        "left" => KeyCode::Left,
        "right" => KeyCode::Right,
        "backspace" => KeyCode::Backspace,
        "pgup" => KeyCode::PageUp,
        "pgdn" => KeyCode::PageDown,
        "end" => KeyCode::End,
        "f1" => KeyCode::F(1),
        one => KeyCode::Char(one.chars().next().unwrap()),
    };
    KeyEvent::new(code, mods)
}

fn rows(buf: &Buffer) -> Vec<String> {
    (0..buf.area.height)
        .map(|y| {
            let row: String = (0..buf.area.width).map(|x| buf[(x, y)].symbol()).collect();
            row.trim_end().to_owned()
        })
        .collect()
}
