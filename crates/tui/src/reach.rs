//! How far an answer to a question reaches: once, this session, for good.
//!
//! Owns the words beside the keys and which rules stand behind them. Never answers.

use pilothouse_core::{
    checkpoint::Checkpoint,
    policy::{Outcome, Policy, Request, Rule},
    question::{Act, Choice, Role, Spec},
    session::State,
};

/// A key, what it does, and how far that reaches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reach {
    /// The key; empty where the answer cannot be given.
    pub key: &'static str,
    /// In a word or two.
    pub name: &'static str,
    /// How far.
    pub reach: String,
}

impl Reach {
    /// It where there is little room. A rule stays whole: its key answers for it.
    #[must_use]
    pub fn short(&self) -> Self {
        let reach = match self.key {
            "t" => self.reach.as_str(),
            "p" => "the same rule, saved; shown first",
            "T" => "asks about this folder",
            _ => self.reach.split_once(';').map_or(self.reach.as_str(), |(what, _)| what),
        };
        Self { reach: reach.to_owned(), ..self.clone() }
    }
}

fn reach(key: &'static str, name: &'static str, reach: impl Into<String>) -> Reach {
    Reach { key, name, reach: reach.into() }
}

/// What can be answered to an item, in the order in which it is drawn.
pub fn reaches(item: &Checkpoint, state: &State, policy: &Policy) -> Vec<Reach> {
    let spec = state.spec(item);
    let mut all = Vec::new();
    for choice in &spec.choices {
        let Some(how) = &choice.reach else { continue };
        let own = choice.role == Role::Deny && is_typed(item, state);
        let how_far = if own { "this command, which you typed" } else { how.reach.as_str() };
        all.push(reach(choice.key, how.name, how_far));
        if choice.role == Role::Take && spec.by_rule {
            all.extend(by_rule(item, state, policy));
            if trust_lets(item, state, policy) {
                let like =
                    "asks about this folder; once trusted, its usual builds, tests and gates run unasked";
                all.push(reach("T", "trust", like));
            }
        }
    }
    if all.is_empty() { by_word(&spec) } else { all }
}

/// Whether the user typed the command that an item asks about, so that no agent waits for an answer.
fn is_typed(item: &Checkpoint, state: &State) -> bool {
    let mut calls = state.lanes.values().flat_map(|lane| &lane.calls);
    item.kind.call().is_some_and(|id| calls.any(|call| call.call == id && call.typed))
}

/// What is answered in the composer, with the words that are taken there, and what the keys of the list do.
fn by_word(spec: &Spec) -> Vec<Reach> {
    let (mut all, mut words) = (Vec::new(), Vec::new());
    for choice in &spec.choices {
        match (&choice.act, choice.role) {
            (Act::Give(_), Role::Take) => all.push(reach("y", "yes", choice.label)),
            (Act::Give(_), Role::Deny) => all.push(reach("n", "no", choice.label)),
            _ => words.push(format!("{} {}", numbers(choice, spec), choice.label)),
        }
    }
    let words = if words.is_empty() { String::new() } else { format!(": {}", words.join(" · ")) };
    all.push(reach("Enter", "answer", format!("in the composer{words}")));
    all
}

/// The key of a choice; of those that are numbered only the numbers that there are.
fn numbers(choice: &Choice, spec: &Spec) -> String {
    match (choice.key, spec.numbered()) {
        ("1-9", 1) => "1".to_owned(),
        ("1-9", n @ 2..=8) => format!("1-{n}"),
        (key, _) => key.to_owned(),
    }
}

/// What a rule would answer from now on, or why none can.
fn by_rule(item: &Checkpoint, state: &State, policy: &Policy) -> Vec<Reach> {
    match rules(item, state, policy) {
        Ok(rules) => {
            let kept = "the same rule, saved in your permissions.toml; what it matches is shown first";
            vec![reach("t", "session", in_one(&rules)), reach("p", "always", kept)]
        }
        Err(why) => vec![reach("", "t p", format!("no rule possible: {why}"))],
    }
}

/// Whether the item would not be asked about if the folder were trusted.
pub fn trust_lets(item: &Checkpoint, state: &State, policy: &Policy) -> bool {
    let mut setting = state.setting();
    if std::mem::replace(&mut setting.conditions.trusted, true) {
        return false;
    }
    if item.kind.command().is_some_and(|asked| asked.by_trust) {
        return true;
    }
    let decided = request(item, state).map(|request| policy.decide(&request, &setting).ruling.outcome);
    decided == Ok(Outcome::Run)
}

/// The general rules that would answer an item from now on.
///
/// # Errors
/// Why there are none, for people.
pub fn rules(item: &Checkpoint, state: &State, policy: &Policy) -> Result<Vec<Rule>, &'static str> {
    policy.offer(&request(item, state)?, &state.setting())
}

/// What a rule would have to match, to answer an item from now on.
///
/// # Errors
/// When no rule can answer it, for people.
pub fn request(item: &Checkpoint, state: &State) -> Result<Request, &'static str> {
    let spec = state.spec(item);
    let ruled = spec.ruled.filter(|_| spec.by_rule);
    ruled.map(|(request, _)| request).ok_or("only a command can be allowed by a rule")
}

/// What several rules allow, the words that they have in common said once, and the sign that closes one in words.
fn in_one(rules: &[Rule]) -> String {
    const COMMAND: &str = "allow command ";
    let plain = |text: &String| match text.strip_suffix(" $") {
        Some(words) => format!("{words} and nothing more"),
        None => text.clone(),
    };
    let texts: Vec<String> = texts(rules).iter().map(plain).collect();
    let first = texts.first().cloned().unwrap_or_default();
    let rest = texts.iter().skip(1);
    match first.strip_prefix(COMMAND) {
        Some(_) if rest.clone().all(|text| text.starts_with(COMMAND)) => {
            rest.fold(first, |all, text| format!("{all}; {}", text.trim_start_matches(COMMAND)))
        }
        _ => texts.join("; "),
    }
}

/// Rules as they are written.
pub fn texts(rules: &[Rule]) -> Vec<String> {
    rules.iter().map(Rule::to_string).collect()
}
