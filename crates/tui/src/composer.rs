//! The composer: where the user writes, always reachable, never emptied by anyone else.
//!
//! Owns the draft, what was written before and the list above it. Never sends: it says what is to
//! be sent, and keeps the text when nothing is.

pub mod draft;
pub(crate) mod files;
pub mod history;
pub mod offered;
pub mod popup;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use pilothouse_core::{
    clean::Clean,
    ids::CheckpointId,
    intent::{IntentNode, SLASH_COMMANDS, SlashCommand},
    money::count,
    recipe::{Recipe, RecipeKind, Recipes},
    relpath::RelPath,
};

pub use draft::{Cut, Draft, Motion, Saved};
pub use history::History;
pub use offered::{Offered, Withdrawn, is_typable};
pub use popup::{Offer, Popup};

use crate::{keymap::action::actions, preview::unlocks};

actions! {
    /// What can be done in the composer besides writing.
    Action in "composer" {
        /// Send it.
        Send "send", "send", "the agent; your words are classified and routed";
        /// Send it once nothing runs; go to the next pane when there is nothing to send.
        Queue "queue", "queue, or next pane", "runs after what is running now";
        /// Hand it to what runs, which reads it at its next step.
        Tell "tell", "tell the running agent", "it reads it with its next request; nothing stops";
        /// A new line.
        Newline "newline", "new line", "the draft";
        /// Look through what was written before.
        History "history", "history", "opens a list";
        /// Write in the editor.
        Editor "editor", "open in $EDITOR", "the draft";
        /// The next permission ceiling.
        Permission "permission", "read-only, ask, auto", "this session";
        /// Send it down a shallower path.
        Lower "lower", "lower the path", "adds or removes @node before the draft";
        /// One row up; at the top: what was written before.
        Up "up", "up, or earlier text", "the caret";
        /// One row down; at the bottom: what was written after.
        Down "down", "down, or later text", "the caret";
        /// One character left.
        Left "left", "left", "the caret";
        /// One character right.
        Right "right", "right", "the caret";
        /// One word left.
        WordLeft "word-left", "word left", "the caret";
        /// One word right.
        WordRight "word-right", "word right", "the caret";
        /// The start of the line.
        Head "head", "start of the line", "the caret";
        /// The end of the line.
        End "end", "end of the line", "the caret";
        /// Take the character before the caret away.
        Backspace "backspace", "delete back", "the draft";
        /// Take the character after it away.
        Delete "delete", "delete forward", "the draft";
        /// Cut to the end of the line.
        KillEnd "kill-end", "cut to the end", "the draft";
        /// Cut to the start of the line.
        KillHead "kill-head", "cut to the start", "the draft";
        /// Cut the word before.
        KillWord "kill-word", "cut the word before", "the draft";
        /// Cut the word after.
        KillNextWord "kill-next-word", "cut the word after", "the draft";
        /// Put back what was cut.
        Yank "yank", "yank", "the draft";
    }
}

impl Action {
    /// Whether it moves the caret or changes the draft at it.
    pub const fn is_writing(self) -> bool {
        match self {
            Self::Send | Self::Queue | Self::Tell | Self::Newline | Self::History | Self::Editor => false,
            Self::Permission | Self::Lower => false,
            Self::Up | Self::Down | Self::Left | Self::Right | Self::WordLeft | Self::WordRight => true,
            Self::Head | Self::End | Self::Backspace | Self::Delete | Self::KillEnd | Self::KillHead => true,
            Self::KillWord | Self::KillNextWord | Self::Yank => true,
        }
    }
}

/// What the composer wants done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ComposerEvent {
    /// Nothing more.
    Nothing,
    /// Send this.
    Send(String),
    /// Send this once nothing runs.
    Queue(String),
    /// Hand this to what runs; empty: what waits last in the queue.
    Tell(String),
    /// Run this in place of the command that was proposed; empty: skip it.
    Submit(CheckpointId, String),
    /// Enter was pressed with nothing written.
    Empty,
    /// The next pane.
    NextPane,
    /// Open this text in the editor.
    Editor,
    /// The next permission ceiling.
    Permission,
    /// A shallower path for the draft.
    Lower,
    /// The files of the workspace are wanted that are like this.
    Files(String),
}

/// Where the user writes.
#[derive(Debug, Default)]
pub struct Composer {
    /// The text.
    pub draft: Draft,
    /// What was written before.
    pub history: History,
    /// What was handed over last and nobody has answered yet.
    handed: Option<Saved>,
    /// Skills and commands of files: how each is called, and what it does.
    calls: Vec<popup::Entry>,
    /// Agents of files, likewise.
    agents: Vec<popup::Entry>,
    /// The list above it, while it is open.
    pub popup: Option<Popup>,
    offered: Option<Offered>,
    files: files::Files,
    dismissed: bool,
}

impl Composer {
    /// Does what a binding means.
    pub fn act(&mut self, action: Action) -> ComposerEvent {
        if let Some(wish) = self.act_on_popup(action) {
            return wish;
        }
        let own = self.offered.is_none();
        match action {
            // A command is no message: it is not queued, lowered or looked up.
            Action::Queue if !own => return ComposerEvent::NextPane,
            Action::History | Action::Lower | Action::Tell if !own => return ComposerEvent::Nothing,
            Action::Send => return self.send(),
            Action::Queue if self.draft.is_empty() => return ComposerEvent::NextPane,
            Action::Queue => return self.queue(),
            Action::Tell => return self.tell(),
            Action::Newline => self.edit(|d| d.insert("\n")),
            Action::History => {
                self.open_history("");
                return ComposerEvent::Nothing;
            }
            Action::Editor => return ComposerEvent::Editor,
            Action::Permission => return ComposerEvent::Permission,
            Action::Lower => return ComposerEvent::Lower,
            Action::Up => {
                if !self.draft.go(Motion::Up)
                    && own
                    && let Some(text) = self.history.older(self.draft.saved())
                {
                    self.draft.set(text);
                }
            }
            Action::Down => {
                if !self.draft.go(Motion::Down)
                    && own
                    && let Some(text) = self.history.newer()
                {
                    self.draft.set(text);
                }
            }
            Action::Left => return self.moved(Motion::Left),
            Action::Right => return self.moved(Motion::Right),
            Action::WordLeft => return self.moved(Motion::WordLeft),
            Action::WordRight => return self.moved(Motion::WordRight),
            Action::Head => return self.moved(Motion::Head),
            Action::End => return self.moved(Motion::End),
            Action::Backspace => self.edit(|d| d.cut(Cut::Back)),
            Action::Delete => self.edit(|d| d.cut(Cut::Forward)),
            Action::KillEnd => self.edit(|d| d.cut(Cut::ToEnd)),
            Action::KillHead => self.edit(|d| d.cut(Cut::ToHead)),
            Action::KillWord => self.edit(|d| d.cut(Cut::Word)),
            Action::KillNextWord => self.edit(|d| d.cut(Cut::NextWord)),
            Action::Yank => self.edit(Draft::yank),
        }
        self.look()
    }

    /// Hands the draft over as what is said after this.
    fn queue(&mut self) -> ComposerEvent {
        let text = self.hand_over();
        if text.trim().is_empty() { ComposerEvent::Nothing } else { ComposerEvent::Queue(text) }
    }

    /// Hands the draft over to what runs; nothing stands for what waits last in the queue, blanks stay where they are.
    fn tell(&mut self) -> ComposerEvent {
        let text = self.draft.saved().whole();
        if text.is_empty() {
            return ComposerEvent::Tell(text);
        }
        if text.trim().is_empty() {
            return ComposerEvent::Nothing;
        }
        self.hand_over();
        ComposerEvent::Tell(text)
    }

    /// Takes a key that no binding took. Only characters write.
    pub fn key(&mut self, key: KeyEvent) -> ComposerEvent {
        let KeyCode::Char(c) = key.code else { return ComposerEvent::Nothing };
        if key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) {
            return ComposerEvent::Nothing;
        }
        let mut utf8 = [0; 4];
        let text: &str = c.encode_utf8(&mut utf8);
        if let Some(Popup { offer: Offer::History, query, .. }) = &self.popup {
            let query = format!("{query}{text}");
            self.open_history(&query);
            return ComposerEvent::Nothing;
        }
        self.edit(|d| d.insert(text));
        self.look()
    }

    /// Takes a paste, or the next piece of one.
    pub fn paste(&mut self, text: &str, goes_on: bool) -> ComposerEvent {
        if self.popup.as_ref().is_some_and(|p| p.offer == Offer::History) {
            self.popup = None;
        }
        self.edit(|d| if goes_on { d.paste_more(text) } else { d.paste(text) });
        self.look()
    }

    /// The files of the workspace are here.
    pub fn files(&mut self, files: &[RelPath]) -> ComposerEvent {
        self.files.came(files);
        let shown = self.popup.as_ref().is_some_and(|p| p.offer == Offer::Files);
        if shown { self.look() } else { ComposerEvent::Nothing }
    }

    /// Whether a message is being written, with no list above it.
    pub fn is_writing(&self) -> bool {
        self.popup.is_none() && self.offered.is_none() && !self.draft.is_empty()
    }

    /// Closes the list, if one is open.
    pub fn close_popup(&mut self) -> bool {
        self.dismissed = self.popup.is_some();
        self.popup.take().is_some()
    }

    /// Empties the draft into history. False when there was nothing.
    pub fn clear(&mut self) -> bool {
        let _ = self.close_popup();
        if self.draft.is_empty() {
            return false;
        }
        let text = self.draft.take();
        self.history.keep(text);
        true
    }

    /// Puts a text in place of the draft, which goes to history.
    pub fn replace(&mut self, text: impl Into<String>) {
        if self.offered.is_none() {
            let _ = self.clear();
        }
        self.draft.set(Saved::plain(text));
    }

    /// Skills, commands and agents that can be called from now on.
    pub fn know(&mut self, recipes: &Recipes) {
        let of = |agents: bool| {
            let those = recipes.usable().filter(|r| (r.kind == RecipeKind::Agent) == agents);
            those.map(|r| called(r.call(), r)).collect()
        };
        (self.calls, self.agents) = (of(false), of(true));
        // One that works in stages is taken up again by its name as a command.
        let staged = recipes.usable().filter(|r| r.stages.is_some());
        let free = staged.filter(|r| SLASH_COMMANDS.iter().all(|c| c.name != r.name));
        self.calls.extend(free.map(|r| called(format!("/{}", r.name), r)));
    }

    /// Every slash command: the workbench's own, then those of files.
    fn commands(&self) -> Vec<popup::Entry> {
        let own = SLASH_COMMANDS.iter().map(|c| command(c, c.name, c.help.to_owned()));
        own.chain(self.calls.iter().cloned()).collect()
    }

    /// The other names of the workbench's own, each with what it is short for.
    fn aliases() -> Vec<popup::Entry> {
        let of = SLASH_COMMANDS.iter().flat_map(|c| c.aliases.iter().map(move |alias| (c, alias)));
        of.map(|(c, alias)| command(c, alias, format!("is /{}: {}", c.name, c.help))).collect()
    }

    /// Puts `text` in place of the draft without ending it; chips stay chips.
    pub fn rewrite(&mut self, text: &str) {
        self.edit(|d| d.rewrite(text));
        self.popup = None;
    }

    fn edit(&mut self, change: impl FnOnce(&mut Draft)) {
        self.history.settle();
        change(&mut self.draft);
    }

    fn moved(&mut self, motion: Motion) -> ComposerEvent {
        let _ = self.draft.go(motion);
        self.look()
    }

    fn send(&mut self) -> ComposerEvent {
        if let Some(offered) = &self.offered {
            return ComposerEvent::Submit(offered.question, self.draft.saved().whole());
        }
        if self.draft.is_blank() {
            return ComposerEvent::Empty;
        }
        ComposerEvent::Send(self.hand_over())
    }

    /// Keeps what was sent without being a draft here.
    pub fn keep(&mut self, text: &str) {
        self.history.keep(Saved::plain(text));
    }

    fn hand_over(&mut self) -> String {
        self.popup = None;
        self.dismissed = false;
        let text = self.draft.take();
        let whole = text.whole();
        self.handed = Some(text.clone());
        self.history.keep(text);
        whole
    }

    /// What was handed over last was taken.
    pub fn heard(&mut self) {
        self.handed = None;
    }

    /// What was handed over last was refused: it can be mended where nothing else was written since. The name of a command
    /// alone was answered, and so was what `answers` says is a key of what is asked; there is nothing to mend in either.
    pub fn refused(&mut self, answers: impl Fn(&str) -> bool) {
        let alone = |(command, args): (&SlashCommand, String)| args.is_empty() && command.check("").is_ok();
        let bare = |line: &str| SlashCommand::of_line(line.trim()).is_some_and(alone);
        let settled = |line: &str| bare(line) || answers(line.trim());
        if let Some(text) = self.handed.take().filter(|t| self.draft.is_blank() && !settled(&t.whole())) {
            self.draft.set(text);
        }
    }

    /// What a key means while the list is open; `None` when it means the same as ever.
    fn act_on_popup(&mut self, action: Action) -> Option<ComposerEvent> {
        let popup = self.popup.as_mut()?;
        match action {
            Action::Up | Action::Down => popup.go(action == Action::Down),
            Action::Send | Action::Queue => return self.choose(action),
            Action::Backspace if popup.offer == Offer::History => {
                let mut query = popup.query.clone();
                if query.pop().is_none() {
                    let _ = self.close_popup();
                } else {
                    self.open_history(&query);
                }
            }
            Action::History if popup.offer == Offer::History => popup.go(true),
            Action::Tell
            | Action::Newline
            | Action::History
            | Action::Editor
            | Action::Permission
            | Action::Lower
            | Action::Left
            | Action::Right
            | Action::WordLeft
            | Action::WordRight
            | Action::Head
            | Action::End
            | Action::Backspace
            | Action::Delete
            | Action::KillEnd
            | Action::KillHead
            | Action::KillWord
            | Action::KillNextWord
            | Action::Yank => {
                if popup.offer == Offer::History {
                    let _ = self.close_popup();
                }
                return None;
            }
        }
        Some(ComposerEvent::Nothing)
    }

    fn choose(&mut self, action: Action) -> Option<ComposerEvent> {
        let popup = self.popup.take().filter(|p| action != Action::Send || !p.leaves())?;
        let row = popup.chosen()?.clone();
        match popup.offer {
            Offer::History => {
                let text = self.history.newest_first().nth(row.index).cloned()?;
                let _ = self.clear();
                self.draft.set(text);
            }
            Offer::Files | Offer::Commands => {
                if action == Action::Send && popup.sends() {
                    if !popup.is_called() {
                        self.edit(|d| d.replace_token(&popup::as_word(&row.text)));
                    }
                    return Some(self.send());
                }
                self.edit(|d| d.replace_token(&format!("{} ", popup::as_word(&row.text))));
            }
        }
        self.dismissed = false;
        Some(ComposerEvent::Nothing)
    }

    fn open_history(&mut self, query: &str) {
        let texts: Vec<popup::Entry> = self
            .history
            .newest_first()
            .map(|t| {
                let mut lines = t.shown.lines();
                let first = lines.next().unwrap_or_default().to_owned();
                let more = lines.count();
                let more = if more > 0 { format!("+{}", count(more, "line")) } else { String::new() };
                popup::Entry::new(first, more)
            })
            .collect();
        self.popup = Some(Popup::new(Offer::History, query, &texts));
    }

    /// Opens, refreshes or closes the list that the word at the caret asks for.
    fn look(&mut self) -> ComposerEvent {
        if self.offered.is_some() {
            return ComposerEvent::Nothing;
        }
        let (token, first) = self.draft.token();
        let (offer, query) = match (token.strip_prefix('@'), token.strip_prefix('/')) {
            (Some(query), _) => (Offer::Files, query.to_owned()),
            (_, Some(query)) if first => (Offer::Commands, query.to_owned()),
            _ => {
                self.popup = None;
                self.dismissed = false;
                return ComposerEvent::Nothing;
            }
        };
        if self.dismissed {
            return ComposerEvent::Nothing;
        }
        let more = (offer == Offer::Files).then(|| self.files.wanted(&query, self.popup.is_none())).flatten();
        let popup = match offer {
            Offer::Commands => Popup::commands(&query, &self.commands(), &Self::aliases()),
            Offer::Files | Offer::History => {
                let files = self.files.held();
                let mut lists = vec![("files", files.len())];
                if first {
                    lists.extend([("paths", IntentNode::ALL.len()), ("agents", self.agents.len())]);
                    let nodes = IntentNode::ALL.iter();
                    let nodes = nodes.map(|n| popup::Entry::new(format!("@{n}"), unlocks(*n).to_owned()));
                    let agents = self.agents.iter().cloned();
                    let all: Vec<_> = files.iter().cloned().chain(nodes).chain(agents).collect();
                    Popup::of_lists(&query, &all, &lists)
                } else {
                    Popup::of_lists(&query, files, &lists)
                }
            }
        };
        // An exact or empty list would only be in the way.
        let says = match offer {
            // What is written there may be a path.
            Offer::Commands => !query.contains(['/', '.']),
            Offer::Files | Offer::History => self.files.is_looking(),
        };
        self.popup = (!popup.rows.is_empty() || says).then_some(popup);
        more.map_or(ComposerEvent::Nothing, ComposerEvent::Files)
    }
}

/// A command by one of its names.
fn command(command: &SlashCommand, name: &str, note: String) -> popup::Entry {
    popup::Entry { text: format!("/{name}"), takes: command.arguments.shown().to_owned(), note }
}

/// What is called in a file, as it is called.
fn called(text: String, recipe: &Recipe) -> popup::Entry {
    popup::Entry { text, takes: recipe.hint.clone(), note: Clean::line(&recipe.description).into_string() }
}

#[cfg(test)]
mod tests;
