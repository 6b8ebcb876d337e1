//! A command wants to run.

use serde::{Deserialize, Serialize};

use super::{Accept, Act, Asked, Card, Choice, Danger, Question, Role, Spec, Ties, spec::WORKSPACE};
use crate::{
    blob::BlobId,
    checkpoint::Answer,
    clean::Clean,
    ids::{CallId, GateId},
    policy::{By, Manner, Request, Ruling},
    refusal::Refusal,
    resolved::{ResolvedCommand, Unlost},
    sandbox::Confine,
    shell::Risk,
};

/// A command that waits for leave.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandQuestion {
    /// The call that would run it.
    pub call: CallId,
    /// The gate it is, if it is one.
    pub gate: Option<GateId>,
    /// The exact command line.
    pub command: String,
    /// The folder it runs in, relative to the workspace; empty for its root.
    pub folder: String,
    /// The hash of exactly what is shown.
    pub shown: BlobId,
    /// How dangerous it is.
    pub risk: Risk,
    /// Why, in one sentence.
    pub why: String,
    /// How it would run.
    #[serde(default, skip_serializing_if = "Confine::is_bare")]
    pub confine: Confine,
    /// Why it asks for more than the sandbox gives, in the model's words; empty when it does not.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// What decided that it asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ruling: Option<Ruling>,
    /// Whether it deletes something.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub deletes: bool,
    /// What its words mean here; it cannot be allowed before that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meant: Option<Box<ResolvedCommand>>,
    /// What changed since it was allowed; empty when it is asked for the first time.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub changed: String,
    /// Whether that is something which the project brings, found before it began unasked.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub brought: bool,
    /// Whether `changed` names what it could destroy and could not be saved first.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub loses: bool,
    /// Whether `changed` names secret files that cannot be hidden from it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shows: bool,
    /// Names of the variables that it gets of the project.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gives: Vec<String>,
    /// Whether it runs without those that it would get: the question whether the folder is trusted waits.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub withheld: bool,
    /// Whether it would run unasked once the folder is trusted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_trust: bool,
    /// What it needs as a gate and is not here, with the command that mends it; empty where nothing is known to lack.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub unready: String,
}

/// What becomes of the command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommandAnswer {
    /// It runs, this once.
    Run,
    /// It does not run.
    Deny,
    /// It is left out.
    Skip,
    /// Another line runs in its place.
    Edit(String),
    /// It runs, and from now on what these rules say.
    Grant {
        /// The rules, exactly as they were shown.
        rules: Vec<String>,
        /// Whether they are kept in the user's file.
        lasting: bool,
    },
}

/// Said of a command that runs while it is not known yet whether the user trusts what gives it variables.
pub const WITHHELD: &str = "without the variables of .env: not trusted yet";
/// The label of what a command needs and is not here.
const MISSING: &str = "missing";
/// The same beside its label.
const WITHOUT: &str = "the variables of .env: not trusted yet";
/// The word for what is of high risk.
const PROCEED: &str = "proceed";
/// Programs of one command that are named.
const MOST_PROGRAMS: usize = 6;

impl CommandQuestion {
    /// The command as the rules are asked about it.
    pub fn request(&self) -> Request {
        let by = if self.gate.is_some() { By::Gate } else { By::Agent };
        let manner = Manner { brought: self.brought, ..Manner::of(self.confine, by) };
        Request::command_in(&self.command, &self.folder, manner)
    }

    /// Whether it runs at the workspace's root with nothing beyond the usual, as a gate does.
    pub(crate) const fn is_plain(&self) -> bool {
        self.folder.is_empty()
            && !matches!(self.confine, Confine::Outside | Confine::Inside { network: true, .. })
    }

    /// The word that must be typed before it runs, where a plain yes is not enough.
    pub fn word(&self) -> Option<&'static str> {
        match (self.risk, self.deletes, self.unlost()) {
            (_, _, Some(Unlost::Held | Unlost::MadeAgain)) => None,
            (Risk::High, false, Some(Unlost::Undone)) | (Risk::Low | Risk::Medium, false, _) => None,
            (Risk::High, true, Some(Unlost::Undone)) | (Risk::Low | Risk::Medium, true, _) => Some("delete"),
            (Risk::High, _, None) => Some(PROCEED),
        }
    }

    /// What a line that is the word of its risk answers, wherever it is typed: where a yes is enough, that word is one.
    pub(crate) fn typed(&self, line: &str) -> Option<Answer> {
        let line = line.trim();
        let wanted = self.word().filter(|wanted| *wanted == line);
        match wanted.or((line == PROCEED).then_some(PROCEED))? {
            word if self.takes(word) => Some(Answer::Word(word.to_owned())),
            _ => Some(Answer::Approve),
        }
    }

    /// Whether a typed word is the one that is wanted, or the one that its text alone would want.
    fn takes(&self, word: &str) -> bool {
        word == self.word().unwrap_or("y") || self.risk == Risk::High && word == PROCEED
    }

    /// Why nothing is lost by it, where a look at the machine says so and all that it could destroy was saved.
    fn unlost(&self) -> Option<Unlost> {
        self.meant.as_ref().filter(|_| !self.loses).and_then(|meant| meant.unlost)
    }

    /// Why a line of high risk wants less than its word here, in few words. The risk itself is its text's, the same
    /// wherever it is told: what a look finds says what is asked for, not how dangerous the line is.
    fn spared(&self) -> Option<&'static str> {
        let spared = self.unlost().filter(|_| self.risk == Risk::High);
        spared.map(Unlost::briefly)
    }

    /// What of what it could destroy could not be saved before, so that a yes may lose it for good.
    pub fn lost(&self) -> Option<Clean> {
        self.loses.then(|| Clean::line(&self.changed))
    }

    /// What is beyond the usual about it, for people; empty when nothing is.
    pub fn beyond(&self) -> String {
        let given = (!self.gives.is_empty()).then_some("with .env");
        let given = given.or(self.withheld.then_some("without .env: not trusted yet"));
        self.confine.beyond().into_iter().chain(given).chain(self.spared()).collect::<Vec<_>>().join(", ")
    }
}

impl Question for CommandQuestion {
    fn choices(&self) -> Vec<Choice> {
        let once = self.word().map_or_else(
            || {
                let act = Act::Give(Answer::Approve);
                Choice::new("y", "run once", act).reach("once", "this command only")
            },
            |word| {
                let reach = format!("this command only, after typing {word}");
                Choice::new("y", "type the word to run it once", Act::Word(word)).reach("once", reach)
            },
        );
        let deny = Choice::new("n", "deny", Act::Reason).role(Role::Deny);
        let deny = deny.reach("deny", "this command; the agent is told your reason");
        vec![once.role(Role::Take), deny]
    }

    fn describe(&self, spec: &mut Spec, _asked: &Asked<'_>) {
        let clean = Clean::line;
        spec.title = clean(&self.command);
        spec.text = clean(&self.command);
        spec.tag = "command";
        spec.exact = true;
        spec.danger = Some(Danger { risk: self.risk, beyond: self.confine.beyond().or(self.spared()) });
        let place = if self.folder.is_empty() { WORKSPACE } else { &self.folder };
        let mut facts =
            vec![("folder", clean(place)), ("runs", clean(self.confine.words())), ("why", clean(&self.why))];
        if !self.unready.is_empty() {
            facts.insert(0, (MISSING, clean(&self.unready)));
        }
        if !self.gives.is_empty() {
            let names = clean(&self.gives.join(", "));
            facts.push(("gets", clean(&format!("{names} from the project's .env"))));
        } else if self.withheld {
            facts.push(("without", clean(WITHOUT)));
        }
        spec.after_folder = self.withheld;
        if let Some(meant) = &self.meant {
            facts.push(("program", clean(&programs(&meant.places()))));
            facts.extend(self.unlost().map(|unlost| ("loses", clean(unlost.words()))));
        }
        spec.loses = self.lost();
        if self.brought {
            facts.push(("really", clean(&self.changed)));
        } else if self.loses {
            facts.push(("not saved", clean(&self.changed)));
        } else if self.shows {
            facts.push(("not hidden", clean(&self.changed)));
        } else if !self.changed.is_empty() {
            facts.push(("changed", clean(&format!("since you allowed it: {}", clean(&self.changed)))));
        }
        if !self.reason.is_empty() {
            facts.push(("reason", clean(&self.reason)));
        }
        if self.gate.is_some() {
            facts.push(("used by", clean("a gate of the plan")));
        }
        spec.facts = facts;
        spec.ruled = Some((self.request(), self.ruling.clone()));
        spec.by_rule = !self.loses;
        spec.editable = self.gate.is_none().then_some("edit the command");
    }

    fn ties(&self) -> Ties {
        Ties { call: Some(self.call), ..Ties::default() }
    }

    fn line(&self) -> Option<&str> {
        self.gate.is_none().then_some(self.command.as_str())
    }

    fn shown(&self) -> Option<BlobId> {
        Some(self.shown)
    }

    fn card(&self) -> Card {
        Card::Nothing
    }
}

impl Accept for CommandQuestion {
    type Answer = CommandAnswer;

    fn meant(&self, given: Answer) -> Answer {
        match given {
            Answer::Line(line) if line.trim().is_empty() => Answer::Skip,
            Answer::Line(line) if line.trim() == self.command => Answer::Approve,
            Answer::Line(line) => Answer::Line(line.trim().to_owned()),
            other => other,
        }
    }

    fn accept(&self, given: Answer) -> Result<CommandAnswer, Refusal> {
        let answer = match (given, self.word()) {
            (Answer::Reject(_) | Answer::Abort, _) => return Ok(CommandAnswer::Deny),
            (Answer::Skip, _) => return Ok(CommandAnswer::Skip),
            (Answer::Line(line), _) => CommandAnswer::Edit(line),
            (Answer::Grant { .. }, _) if self.loses => {
                let why = "not everything it could destroy can be saved first: it can be allowed once, but not by a rule";
                return Err(Refusal::new(why));
            }
            (Answer::Grant { rules, lasting }, _) => CommandAnswer::Grant { rules, lasting },
            (Answer::Approve, None) => CommandAnswer::Run,
            (Answer::Word(word), _) if self.takes(word.trim()) => CommandAnswer::Run,
            (_, wanted) => {
                let word = wanted.unwrap_or("y");
                return Err(Refusal::new(format!("type `{word}` to run this command; nothing else runs it")));
            }
        };
        if self.meant.is_none() {
            return Err(Refusal::new("one moment: checking what this would run"));
        }
        Ok(answer)
    }
}

/// Where the programs of a command are, the first few by name.
fn programs(places: &[String]) -> String {
    let mut text = places.iter().take(MOST_PROGRAMS).cloned().collect::<Vec<_>>().join("  ");
    if places.len() > MOST_PROGRAMS {
        text.push_str(&format!("  and {} more", places.len() - MOST_PROGRAMS));
    }
    if text.is_empty() { "none named on the line".to_owned() } else { text }
}
