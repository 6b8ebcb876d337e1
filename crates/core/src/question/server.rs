//! May a server start that the client of this session names?

use serde::{Deserialize, Serialize};

use super::{Accept, Act, Asked, Card, Choice, Question, Role, Spec, Ties};
use crate::{blob::BlobId, checkpoint::Answer, clean::Clean, refusal::Refusal};

/// A server that a client names for its session, and that nobody has agreed to yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerQuestion {
    /// Its name.
    pub source: String,
    /// The whole command line, or the address.
    pub line: String,
    /// Whether that is an address.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub far: bool,
    /// The names of what it is given, variables or headers; their values are nobody's to read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gets: Vec<String>,
    /// Whether a yes may hold for its folder from now on: it runs apart from there, and takes nothing out of it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub lasts: bool,
    /// The hash of exactly that.
    pub shown: BlobId,
}

/// What is done with a server that is asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerAnswer {
    /// It may start in this session.
    Once,
    /// It may start whenever it is named so in this folder.
    Always,
    /// It is left out.
    Never,
}

impl ServerQuestion {
    /// A question about a server with this line, or at this address.
    pub fn of(source: &str, (line, far): (String, bool), gets: Vec<String>) -> Self {
        let all = [source, if far { "far" } else { "near" }, &line].map(str::to_owned).into_iter();
        let marks: Vec<String> =
            all.chain(gets.clone()).map(|part| format!("{}:{part}", part.len())).collect();
        let shown = BlobId::of(marks.concat().as_bytes());
        Self { source: source.to_owned(), line, far, gets, lasts: false, shown }
    }
}

impl Question for ServerQuestion {
    fn choices(&self) -> Vec<Choice> {
        let (label, name, what) = if self.far {
            ("connect", "connect", "this address, for this session")
        } else {
            ("start", "start", "this line, for this session; it runs when it is needed")
        };
        let lasting = Answer::Grant { rules: Vec::new(), lasting: true };
        let always = Choice::new("a", "always here", Act::Give(lasting)).role(Role::Take).reach(
            "always here",
            "exactly this, whenever it is named in this folder; `/trust off` takes it back",
        );
        let once = Choice::new("y", label, Act::Give(Answer::Approve)).role(Role::Take).reach(name, what);
        let mut all = vec![once];
        all.extend(self.lasts.then_some(always));
        all.push(
            Choice::new("n", "leave out", Act::Give(Answer::Reject(String::new())))
                .role(Role::Deny)
                .reach("leave out", "this session goes on without it"),
        );
        all
    }

    fn describe(&self, spec: &mut Spec, _asked: &Asked<'_>) {
        let (name, what) = (Clean::line(&self.source), if self.far { "Connect to" } else { "Start" });
        spec.title = Clean::line(&format!("{what} the server {name} for this session?"));
        // Whole, however long it is: a yes is one to all of it.
        spec.text = Clean::line(&self.line);
        spec.tag = "server";
        spec.exact = true;
        spec.before_work = true;
        spec.facts = vec![(if self.far { "connects to" } else { "runs" }, Clean::line(&self.line))];
        let gets = self.gets.join(", ");
        spec.facts.extend((!self.gets.is_empty()).then(|| ("gets", Clean::line(&gets))));
    }

    fn ties(&self) -> Ties {
        Ties { outlives_work: true, ..Ties::default() }
    }

    fn shown(&self) -> Option<BlobId> {
        Some(self.shown)
    }

    fn card(&self) -> Card {
        Card::Nothing
    }
}

impl Accept for ServerQuestion {
    type Answer = ServerAnswer;

    fn accept(&self, given: Answer) -> Result<ServerAnswer, Refusal> {
        match given {
            Answer::Approve => Ok(ServerAnswer::Once),
            Answer::Grant { rules, lasting: true } if self.lasts && rules.is_empty() => {
                Ok(ServerAnswer::Always)
            }
            Answer::Reject(_) | Answer::Abort | Answer::Skip => Ok(ServerAnswer::Never),
            _ => Err(Refusal::new("y starts it, n leaves it out")),
        }
    }
}
