//! A line that is asked for by itself: a word that lets something irreversible happen, or a reason.
//!
//! Owns the line. Never does what it is for: the root does, with the finished line.

use std::time::Instant;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use pilothouse_core::ids::CheckpointId;

use crate::pane::WordPrompt;

/// What the line is for.
#[derive(Clone, Debug, PartialEq)]
pub enum Purpose {
    /// The word for a command of high risk.
    Proceed(CheckpointId),
    /// The reason for a denial; may be empty.
    Deny(CheckpointId),
    /// The word for an apply that removes files.
    Word(WordPrompt),
    /// What to look for in the conversation.
    Search,
}

/// A line that is asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Prompt {
    /// What it is for.
    pub purpose: Purpose,
    /// What it asks, in a few words.
    pub question: String,
    /// The only line that counts, if there is one.
    pub word: Option<String>,
    /// What was typed.
    pub text: String,
    /// What it is about, shown whole: a command.
    pub about: Option<String>,
    /// When it was first drawn.
    pub drawn: Option<Instant>,
}

/// What a key did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Typed {
    /// The line goes on.
    More,
    /// The line is done and counts.
    Done,
    /// The line is done and is not the word.
    Wrong,
}

impl Prompt {
    /// An empty line for `purpose`.
    pub fn new(purpose: Purpose, question: impl Into<String>, word: Option<String>) -> Self {
        Self { purpose, question: question.into(), word, text: String::new(), about: None, drawn: None }
    }

    /// Takes a key.
    pub fn key(&mut self, key: KeyEvent) -> Typed {
        match key.code {
            KeyCode::Enter => {
                let right = self.word.as_ref().is_none_or(|w| w == self.text.trim());
                return if right { Typed::Done } else { Typed::Wrong };
            }
            KeyCode::Backspace => drop(self.text.pop()),
            KeyCode::Char('u') if key.modifiers == KeyModifiers::CONTROL => self.text.clear(),
            KeyCode::Char(c) if !key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) => {
                self.text.push(c);
            }
            KeyCode::Char(_)
            | KeyCode::Left
            | KeyCode::Right
            | KeyCode::Up
            | KeyCode::Down
            | KeyCode::Home
            | KeyCode::End
            | KeyCode::PageUp
            | KeyCode::PageDown
            | KeyCode::Tab
            | KeyCode::BackTab
            | KeyCode::Delete
            | KeyCode::Insert
            | KeyCode::F(_)
            | KeyCode::Null
            | KeyCode::Esc
            | KeyCode::CapsLock
            | KeyCode::ScrollLock
            | KeyCode::NumLock
            | KeyCode::PrintScreen
            | KeyCode::Pause
            | KeyCode::Menu
            | KeyCode::KeypadBegin
            | KeyCode::Media(_)
            | KeyCode::Modifier(_) => {}
        }
        Typed::More
    }
}
