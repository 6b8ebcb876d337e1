//! Commands that only answer: what they answer is a page, not a row of the conversation.
//!
//! Owns which of the session's words are such an answer, and the page's title. Never draws.

use pilothouse_core::{
    event::{Event, Level, Stamped},
    ids::Millis,
    intent::{Control, Slash, SlashCommand},
};

/// Whether the words that come next are an answer.
#[derive(Debug, Default)]
pub struct Answers {
    /// The command that was heard, and when.
    heard: Option<(&'static str, Millis)>,
}

impl Answers {
    /// The title of the page that this event's words stand on, and these: what a command is told in one go, with nothing done
    /// for it in between.
    pub fn take<'e>(&mut self, event: &'e Stamped) -> Option<(&'static str, &'e str)> {
        if let Event::ControlGiven { control: Control::Other(name) } = &event.event {
            self.heard = title(name).map(|title| (title, event.at));
            return None;
        }
        let heard = self.heard.filter(|(_, at)| *at == event.at);
        self.heard = None;
        if let (Some((title, at)), Event::Notice { level: Level::Info, text }) = (heard, &event.event) {
            self.heard = Some((title, at));
            return Some((title, text));
        }
        None
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "the others have pages of their own, or do something")]
fn title(name: &str) -> Option<&'static str> {
    Some(match SlashCommand::named(name)?.does {
        Slash::Budget => "Budget",
        Slash::Changes => "Changes",
        Slash::Depth => "Depth",
        Slash::Facts => "Facts",
        Slash::Memory => "Memory",
        Slash::Model => "Models",
        Slash::Plan => "Plan",
        Slash::Proposals => "Set aside",
        Slash::Queue => "Queue",
        Slash::Title => "Title",
        _ => return None,
    })
}
