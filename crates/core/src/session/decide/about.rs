//! What is said of the session as a whole: by `/title`, by the model that is asked for one, and from outside.
//!
//! Owns that it is said in a form that can be kept. Nothing that goes on follows from it.

use super::{Decided, Draft};
use crate::{
    about::{AboutChange, TITLE_CHARS},
    event::{Event, Level},
    fact::first_line,
    ids::CallId,
    input::Refusal,
    intent::Slash,
    session::What,
    talk::{Fault, FaultKind, ModelReply},
};

/// The word that has the model name the session anew.
const AGAIN: &str = "again";
/// What stands around a title that a model gives, and is none of it.
const AROUND: [char; 8] = ['"', '\'', '`', '“', '”', '«', '»', '*'];

impl Draft<'_> {
    /// Keeps what is said of the session.
    pub(super) fn describe(&mut self, change: AboutChange) -> Decided {
        let change = change.settled().map_err(Refusal::new)?;
        // What the user calls it goes before what a model that was asked may say.
        if change.title.is_some() {
            self.stop_titling();
        }
        self.emit(Event::Described { change });
        Ok(())
    }

    /// `/title`: what the session is called, and where it is nothing yet the model names it; `/title again`: it names
    /// it anew; `/title TEXT`: so from now on.
    pub(super) fn title(&mut self, args: &str) -> Decided {
        let (args, own) = (args.trim(), self.state.about.title.clone());
        let can = self.under.tiers.names && self.says_something();
        if args == AGAIN || args.is_empty() && own.is_none() && can {
            return self.ask_title();
        }
        if args.is_empty() {
            let told = own.map_or_else(
                || "no title yet, so lists show what the session is about; /title TEXT sets one".to_owned(),
                |title| {
                    let anew = if can { ", /title again asks the model" } else { "" };
                    format!("title: {title}; /title TEXT changes it{anew}")
                },
            );
            self.listed(Slash::Title, &[told]);
            return Ok(());
        }
        self.stop_titling();
        let change = AboutChange::title(args).settled().map_err(Refusal::new)?;
        let told = format!("Title: {}.", change.title.as_deref().unwrap_or_default());
        self.heard(Slash::Title);
        self.emit(Event::Described { change });
        self.notice(Level::Info, told);
        Ok(())
    }

    /// Whether anything was said that a session could be named by.
    fn says_something(&self) -> bool {
        self.state.transcript.entries().iter().any(|e| matches!(e.what, What::User(_)))
    }

    fn ask_title(&mut self) -> Decided {
        let why = match (self.state.titling, self.under.tiers.names, self.says_something()) {
            (Some(_), ..) => Some("a title is already being asked for"),
            (None, false, _) => Some("no model is connected to suggest a title; /title TEXT sets one"),
            (None, true, false) => Some("there is nothing to base a title on yet; /title TEXT sets one"),
            (None, true, true) => None,
        };
        if let Some(why) = why {
            return Err(Refusal::new(why));
        }
        self.may_call_besides()?;
        self.heard(Slash::Title);
        let call = CallId(self.id());
        self.emit(Event::TitleAsked { call });
        Ok(())
    }

    /// The title is there, or there is none; the rest goes on either way.
    pub(super) fn titled(&mut self, call: CallId, result: Result<Box<ModelReply>, Fault>) -> Decided {
        if self.state.titling != Some(call) {
            return Err(Refusal::new("no title is being asked for"));
        }
        let ModelReply { text, usage, model, .. } = match result {
            Ok(reply) => *reply,
            Err(fault) => {
                self.untitled(call, fault);
                return Ok(());
            }
        };
        self.emit(Event::Titled { call, usage, model });
        match named(&text) {
            Some(title) => {
                let told = format!("Title: {title}; /title TEXT changes it.");
                self.emit(Event::Described { change: AboutChange::title(title) });
                self.notice(Level::Info, told);
            }
            None => self.notice(Level::Warn, "No title: the model suggested none; /title TEXT sets one."),
        }
        Ok(())
    }

    fn untitled(&mut self, call: CallId, fault: Fault) {
        let text = format!("No title: {}; /title TEXT sets one.", fault.message);
        self.emit(Event::TitleFailed { call, fault });
        self.notice(Level::Warn, text);
    }

    /// Stops the asking for a title; whether one was asked for.
    pub(super) fn stop_titling(&mut self) -> bool {
        let Some(call) = self.state.titling else { return false };
        let message = "stopped by the user".to_owned();
        let fault = Fault { kind: FaultKind::Cancelled, message, hint: String::new(), status: None };
        self.emit(Event::TitleFailed { call, fault });
        true
    }
}

/// A title as it is kept, out of what a model said: its first line, without what stands around it.
fn named(said: &str) -> Option<String> {
    let line = first_line(said).trim_start_matches(['#', ' ']).trim_matches(AROUND);
    let line = line.strip_prefix("Title:").or_else(|| line.strip_prefix("title:")).unwrap_or(line);
    let line =
        line.trim_matches(|c: char| c == ' ' || AROUND.contains(&c)).trim_end_matches(['.', '。']).trim();
    let words = line.split_whitespace().collect::<Vec<_>>().join(" ");
    let words: String = words.chars().take(TITLE_CHARS).collect();
    Some(words).filter(|words| !words.is_empty())
}
