//! The specification of a question: everything that a screen or a script shows of it.
//!
//! Owns the vocabulary, and what is said where a kind says nothing. Foreign text in it is clean.

use super::{Asked, Question};
use crate::{
    blob::BlobId,
    checkpoint::Answer,
    clean::Clean,
    policy::{Request, Ruling},
    shell::Risk,
};

/// Everything that is shown of a question.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spec {
    /// How it sounds.
    pub tone: Tone,
    /// In the bar.
    pub title: Clean,
    /// Softly after the title.
    pub suffix: &'static str,
    /// What it is, in a word.
    pub tag: &'static str,
    /// In the list.
    pub text: Clean,
    /// Whether every blank of the text counts.
    pub exact: bool,
    /// How dangerous a yes is, where that is judged.
    pub danger: Option<Danger>,
    /// What a yes loses for good, since it could not be saved before; none where all of it can be taken back.
    pub loses: Option<Clean>,
    /// What is known of it: a label and a value each.
    pub facts: Vec<(&'static str, Clean)>,
    /// Whether the bar shows that as well.
    pub facts_in_bar: bool,
    /// What can be chosen by its number.
    pub options: Vec<Clean>,
    /// What stands behind those under the next number: words of one's own.
    pub own: Option<&'static str>,
    /// The ways to answer.
    pub choices: Vec<Choice>,
    /// The choice that Enter takes, if it takes one.
    pub default: Option<usize>,
    /// Whether any text answers it.
    pub free: bool,
    /// Where it is answered.
    pub place: Place,
    /// How many things wait in it.
    pub things: usize,
    /// Hunks without a decision, where it is a review.
    pub hunks: Option<usize>,
    /// What the rules were asked about, and what they said when it was opened.
    pub ruled: Option<(Request, Option<Ruling>)>,
    /// Whether a rule can answer it from now on.
    pub by_rule: bool,
    /// What changing its line before a yes is called, where it can be changed.
    pub editable: Option<&'static str>,
    /// Whether it is about what the folder brings: it comes behind what work made.
    pub about_folder: bool,
    /// Whether it goes by the answer to that: it comes behind it.
    pub after_folder: bool,
    /// Whether it comes before whatever the next message is about.
    pub before_work: bool,
    /// How it ends a run that nobody is there to answer.
    pub unattended: Unattended,
}

/// What a command's folder is called where it is the top.
pub(super) const WORKSPACE: &str = "the workspace";

impl Spec {
    /// What is shown of a question with this message.
    pub(crate) fn of(question: &dyn Question, message: &str, asked: &Asked<'_>) -> Self {
        let place = if question.ties().phase_own { Place::Composer } else { Place::List };
        let mut spec = Self {
            title: Clean::line(message.lines().next().unwrap_or_default()),
            tag: "question",
            text: Clean::line(message),
            choices: question.choices(),
            place,
            things: 1,
            ..Self::default()
        };
        question.describe(&mut spec, asked);
        spec
    }

    /// Its place among what waits: what work waits for comes before what nothing waits for, and what work made before
    /// what the folder brings, but for what goes by that.
    pub fn order(&self) -> (bool, bool, bool) {
        (self.unattended == Unattended::Waits, self.after_folder, self.about_folder)
    }

    /// How many choices have a number.
    pub fn numbered(&self) -> usize {
        self.options.len() + usize::from(self.own.is_some())
    }

    /// The choice that has this part in the list, if one has.
    pub fn choice(&self, role: Role) -> Option<&Choice> {
        self.choices.iter().find(|c| c.role == role)
    }

    /// The word that must be typed before a yes counts, if one must.
    pub fn wants_word(&self) -> Option<&'static str> {
        if let Some(Act::Word(word)) = self.choice(Role::Take).map(|c| &c.act) { Some(word) } else { None }
    }

    /// Whether its title and its danger say all that a yes is to: what is known besides says why it is asked, and no more.
    pub fn is_told_by_title(&self) -> bool {
        let says_more = |(label, value): &(&str, Clean)| match *label {
            "folder" => value.as_str() != WORKSPACE,
            "why" | "reason" | "runs" | "without" | "program" | "used by" | "by" | "as" | "path" => false,
            _ => !self.facts_in_bar,
        };
        !self.facts.iter().any(says_more)
    }

    /// Whether this text, which stands on the screen as it is, says all that is known of it, each thing in a place of its own.
    pub fn is_told_by(&self, text: &str) -> bool {
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut told = words(Clean::text(text).as_str());
        let mut values: Vec<String> = self.facts.iter().map(|(_, value)| words(value.as_str())).collect();
        // What is longer may hold what is shorter, and is no place for that.
        values.sort_by_key(|value| std::cmp::Reverse(value.len()));
        let mut says = |value: &String| {
            let at = told.find(value.as_str())?;
            told.replace_range(at..at + value.len(), "\n");
            Some(())
        };
        self.danger.is_none() && values.iter().all(|value| says(value).is_some())
    }

    /// The blob with every line of what it is about, if there is one.
    pub fn sheet(&self) -> Option<BlobId> {
        if let Some(Act::Look(sheet)) = self.choice(Role::Look).map(|c| &c.act) { Some(*sheet) } else { None }
    }

    /// The choice that Enter takes, if it takes one.
    pub fn default_choice(&self) -> Option<&Choice> {
        self.choices.get(self.default?)
    }

    /// The answer that Enter gives, if it gives one.
    pub fn default_answer(&self) -> Option<Answer> {
        self.default_choice().and_then(|c| c.act.given())
    }
}

/// How a question sounds: its glyph and colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tone {
    /// Something is offered.
    Offers,
    /// Something waits.
    #[default]
    Asks,
    /// Something failed.
    Failed,
}

/// Where a question is answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Place {
    /// In the composer, by a word or a key of the bar.
    Composer,
    /// In the list of what waits.
    #[default]
    List,
    /// In the diff.
    Diff,
}

/// How dangerous a yes is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Danger {
    /// How much.
    pub risk: Risk,
    /// What is beyond the usual about it.
    pub beyond: Option<&'static str>,
}

/// What a run does that comes to the question and has nobody to ask.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Unattended {
    /// It ends, and the question stays open.
    #[default]
    Asks,
    /// Nothing: the question stays open, and nothing waits for it.
    Waits,
    /// It is done where a plan was all that was wanted; else it ends, and the question stays open.
    PlanReady,
    /// It failed, and this is why.
    Failed(String),
    /// No more may be spent; or what is spent is not known, since a price is not.
    Spent {
        /// Whether it is not known.
        unknown: bool,
    },
}

/// The part of a choice in the list, where every kind has the same keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Yes, this once.
    Take,
    /// No.
    Deny,
    /// More is shown; nothing is decided.
    Look,
    /// None: it is given elsewhere.
    Other,
}

/// What making a choice does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// It is the answer.
    Give(Answer),
    /// This word is asked for first.
    Word(&'static str),
    /// A reason is asked for first.
    Reason,
    /// The diff decides.
    Diff,
    /// It is said in the composer; what to say there.
    Say(&'static str),
    /// Every line of this blob is shown.
    Look(BlobId),
    /// Nothing: it only says how it is.
    Nothing,
}

impl Act {
    /// The answer that it gives at once, if it gives one.
    pub fn given(&self) -> Option<Answer> {
        if let Self::Give(answer) = self { Some(answer.clone()) } else { None }
    }
}

/// How far a choice reaches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reach {
    /// What it does, in a word or two.
    pub name: &'static str,
    /// How far.
    pub reach: String,
}

/// One way to answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The key; empty where none is drawn.
    pub key: &'static str,
    /// What it does.
    pub label: &'static str,
    /// The same behind its key or `Enter`, where it is named in a sentence: `Enter approves`.
    pub verb: &'static str,
    /// The typed words that stand for it.
    pub words: &'static [&'static str],
    /// What making it does.
    pub act: Act,
    /// Its part in the list.
    pub role: Role,
    /// How far it reaches, where the list says so.
    pub reach: Option<Reach>,
}

impl Choice {
    /// A choice with its key in the bar.
    pub(super) fn new(key: &'static str, label: &'static str, act: Act) -> Self {
        Self { key, label, verb: "", words: &[], act, role: Role::Other, reach: None }
    }

    /// Whether this key of the bar is its own.
    pub fn has_key(&self, key: char) -> bool {
        if self.key == super::clarification::NUMBERS {
            key.is_ascii_digit()
        } else {
            self.key.starts_with(key)
        }
    }

    /// A choice that has words and is not drawn.
    pub(super) fn typed(words: &'static [&'static str], answer: Answer) -> Self {
        Self { words, ..Self::new("", "", Act::Give(answer)) }
    }

    /// With its verb.
    pub(super) fn verb(self, verb: &'static str) -> Self {
        Self { verb, ..self }
    }

    /// With the words that stand for it.
    pub(super) fn words(self, words: &'static [&'static str]) -> Self {
        Self { words, ..self }
    }

    /// With its part in the list.
    pub(super) fn role(self, role: Role) -> Self {
        Self { role, ..self }
    }

    /// With how far it reaches.
    pub(super) fn reach(self, name: &'static str, reach: impl Into<String>) -> Self {
        Self { reach: Some(Reach { name, reach: reach.into() }), ..self }
    }
}
