//! A source asks something in the middle of a call.

use serde::{Deserialize, Serialize};

use super::{Accept, Act, Asked, Choice, Lone, Question, Role, Spec, Ties};
use crate::{checkpoint::Answer, clean::Clean, ids::CallId, refusal::Refusal};

/// A form that the server of a running call wants filled in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FormQuestion {
    /// The call.
    pub call: CallId,
    /// The source.
    pub source: String,
    /// What it says.
    pub message: String,
    /// Its fields, in their order.
    pub fields: Vec<FormField>,
}

/// One field of a form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FormField {
    /// Its name.
    pub name: String,
    /// What it takes, in words.
    pub takes: String,
    /// Whether no is one of its values.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub says_no: bool,
}

/// What goes back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FormAnswer {
    /// A text for each field that was filled in.
    Filled(Vec<(String, String)>),
    /// Nothing.
    Declined,
}

impl FormQuestion {
    /// Whether a typed no is what goes into its one field.
    fn takes_no(&self) -> bool {
        matches!(self.fields.as_slice(), [only] if only.says_no)
    }

    /// What a typed line fills in: the one field, or `name: value` parts between semicolons.
    pub fn filled(&self, line: &str) -> Option<Vec<(String, String)>> {
        if let [only] = self.fields.as_slice() {
            return Some(vec![(only.name.clone(), line.trim().to_owned())]);
        }
        let part = |part: &str| {
            let (name, value) = part.split_once([':', '='])?;
            let field = self.fields.iter().find(|f| f.name.eq_ignore_ascii_case(name.trim()))?;
            Some((field.name.clone(), value.trim().to_owned()))
        };
        line.split(';').filter(|p| !p.trim().is_empty()).map(part).collect()
    }
}

impl Question for FormQuestion {
    fn choices(&self) -> Vec<Choice> {
        let (say, words): (_, &[_]) =
            if self.takes_no() { ("decline", &[]) } else { ("say no", &["n", "no"]) };
        vec![
            Choice::new("", "type it", Act::Say("")).reach("answer", "goes to this source and no other"),
            Choice::new("n", say, Act::Give(Answer::Reject(String::new())))
                .role(Role::Deny)
                .words(words)
                .reach("decline", "the source is told that you declined"),
        ]
    }

    fn describe(&self, spec: &mut Spec, _asked: &Asked<'_>) {
        let fields: Vec<String> = self.fields.iter().map(|f| format!("{} ({})", f.name, f.takes)).collect();
        let how = match self.fields.len() {
            1 if self.takes_no() => "the key n declines",
            1 => "n says no",
            _ => "as NAME: VALUE; NAME: VALUE, or n",
        };
        spec.title = Clean::line(&format!("{} asks: {}", self.source, self.message));
        spec.text = Clean::line(&format!("{} asks: {}", self.source, self.message));
        spec.tag = "form";
        spec.facts = vec![("wants", Clean::line(&format!("{}; {how}", fields.join(", "))))];
        spec.facts_in_bar = true;
        spec.free = true;
    }

    fn ties(&self) -> Ties {
        Ties { call: Some(self.call), phase_own: true, ..Ties::default() }
    }

    fn read(&self, line: &str) -> Option<Answer> {
        match line.trim().to_lowercase().as_str() {
            "" => None,
            // The key declines all the same.
            "n" | "no" if !self.takes_no() => Some(Answer::Reject(String::new())),
            _ => Some(Answer::Text(line.trim().to_owned())),
        }
    }

    fn lone(&self, said: Lone) -> Option<Answer> {
        let text = |word: &str| Some(Answer::Text(word.to_owned()));
        match said {
            Lone::Yes if self.fields.len() == 1 => text("yes"),
            Lone::No if self.takes_no() => text("no"),
            Lone::No => Some(Answer::Reject(String::new())),
            Lone::Yes => None,
        }
    }
}

impl Accept for FormQuestion {
    type Answer = FormAnswer;

    fn accept(&self, given: Answer) -> Result<FormAnswer, Refusal> {
        match given {
            Answer::Text(text) => self.filled(&text).map(FormAnswer::Filled).ok_or_else(|| {
                let names: Vec<&str> = self.fields.iter().map(|f| f.name.as_str()).collect();
                Refusal::new(format!("type NAME: VALUE; NAME: VALUE; the names are {}", names.join(", ")))
            }),
            Answer::Reject(_) | Answer::Abort | Answer::Skip => Ok(FormAnswer::Declined),
            _ => Err(Refusal::new("type what it asks for, or n")),
        }
    }
}
