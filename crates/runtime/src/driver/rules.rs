//! What others allow, forbid, trust and add while a session is open: the files of rules, the decision about the folder and
//! the user's sources, read again where they are not what they were.
//!
//! Owns when it holds: what narrows at once, what widens with the user's next input. A file that cannot be read changes
//! nothing. Never judges by a rule.

use std::sync::Arc;

use pilothouse_core::{
    input::Input,
    policy::{Policy, Rule},
    port::Update,
    trust::{Standing, Trust},
    work::WorkKey,
};
use pilothouse_sources::Definition as Source;

use super::{Driver, trust::Surveyed};
use crate::{
    error::RuntimeError,
    permissions,
    sources::{self, Found, Unread},
    trust::Survey,
};

/// Most rules that one line names.
const MOST_NAMED: usize = 3;

/// What of rules read again holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Takes {
    /// All of it: the user is there.
    All,
    /// What forbids more than before.
    Narrower,
}

impl Driver {
    /// Reads the rules again where a file of them is another, or where what it widens waits for the user.
    pub(super) fn look_at_rules_again(&mut self, takes: Takes) {
        let other = self.rules_are_other();
        let waited_for = takes == Takes::All && self.settings.wider;
        if !other && !waited_for {
            return;
        }
        match self.rules_now() {
            Ok(now) => {
                let before = Arc::clone(self.at.session.policy());
                let policy = match takes {
                    Takes::All => now.clone(),
                    Takes::Narrower => before.narrowed_by(&now),
                };
                self.settings.wider = now.beyond(&policy).chain(policy.beyond(&now)).next().is_some();
                if let Some(told) = told(&before, &policy) {
                    self.outbox.send(Update::Notice(self.at.config.secrets.mask(&told).into_owned()));
                    self.rules_are(policy);
                }
            }
            Err(e) => {
                let text = format!("{e}; the previous rules stay in force ({})", e.hint());
                self.outbox.send(Update::Notice(self.at.config.secrets.mask(&text).into_owned()));
            }
        }
    }

    /// What the user allowed for good stands in their file: it holds from here on.
    pub(super) fn rules_kept(&mut self) {
        self.rules_are_other();
        self.settings.wider = false;
        match self.rules_now() {
            Ok(policy) => self.rules_are(policy),
            Err(e) => self.outbox.send(Update::Notice(format!("{e} ({})", e.hint()))),
        }
    }

    /// Whether a file of them is another one; each is looked at.
    fn rules_are_other(&mut self) -> bool {
        let [user, project] = &mut self.settings.rules;
        let others = [user.is_other(), project.is_other()];
        others.contains(&true)
    }

    fn rules_now(&mut self) -> Result<Policy, RuntimeError> {
        let (home, environment) = (&self.setup.home, &self.setup.environment);
        let read = permissions::load_again(home, self.at.root.path(), environment)?;
        for notice in read.notices {
            self.outbox.send(Update::Notice(notice));
        }
        Ok(read.policy)
    }

    fn rules_are(&mut self, policy: Policy) {
        let policy = Arc::new(policy);
        self.at.session.set_policy(Arc::clone(&policy));
        self.kit.knowledge.changed();
        self.outbox.send(Update::Rules(policy));
    }

    /// Looks whether another window decided about the folder: trust that was taken back is gone before anything else
    /// happens; trust that was given is looked at with an input of the user.
    pub(super) fn look_at_trust_again(&mut self, takes: Takes, inputs: &mut Vec<(Input, bool)>) {
        if self.at.read_only() || self.running.contains_key(&WorkKey::Survey) {
            return;
        }
        let other = self.settings.trust.is_other();
        let folder = &self.at.trust.0;
        let trusted = || folder.store.read(&folder.root).is_some_and(|record| record.trusted);
        match self.at.trust.1.standing.trust {
            Trust::Kept if other && !trusted() => {
                let (folder, survey) = self.at.trust.clone();
                let Standing { gives: withholds, .. } = survey.standing.clone();
                let standing = Standing { withholds, fault: None, ..survey.standing.off(String::new()) };
                let found = Surveyed::of(&self.setup, folder, Survey { standing, ..survey });
                let mut first = vec![(Input::TrustDecided { trusted: false }, false)];
                self.surveyed(found, &mut first);
                inputs.splice(0..0, first);
            }
            Trust::None if other => self.settings.given |= trusted(),
            Trust::None | Trust::Kept | Trust::Once => {}
        }
        let given = takes == Takes::All && std::mem::take(&mut self.settings.given);
        if given && self.at.trust.1.standing.trust == Trust::None && self.at.trust.0.trusted_now() {
            inputs.insert(0, (Input::TrustDecided { trusted: true }, false));
        }
    }
}

impl Driver {
    /// Reads the user's sources again where they are not what they were, but not while one may be called: what is another
    /// or gone ends with it. None is started by it. What cannot be read is as it was, and read again at the next look.
    pub(super) fn look_at_sources_again(&mut self) {
        let busy = self.running.keys().any(|key| matches!(key, WorkKey::Tool(_) | WorkKey::Stage(..)));
        if busy || self.at.read_only() {
            return;
        }
        let now = sources::of_user(&self.setup.home, &self.settings.sources.all);
        if now == self.settings.sources {
            return;
        }
        let before = std::mem::replace(&mut self.settings.sources, now.clone());
        for unread in now.unread.iter().filter(|unread| !before.unread.contains(unread)) {
            self.tell_masked(&unread_told(unread, &now.all));
        }
        let Some(told) = sources_told(&before.all, &now.all) else { return };
        let ended = self.sources_are();
        let ended = if ended.is_empty() { ended } else { format!("; stopped: {ended}") };
        self.tell_masked(&(told + &ended));
    }

    /// The user's sources hold from here on, with what the project brings and the client names. Gives what ran and ended.
    pub(super) fn sources_are(&mut self) -> String {
        let (home, root, survey) = (&self.setup.home, self.at.root.path(), &self.at.trust.1);
        let found = Found::with(self.settings.sources.all.clone(), home, root, survey);
        let found = found.beside(&self.setup.client.all);
        self.learned(&sources::secrets(&self.setup.home, &self.setup.environment, &found));
        self.at.sources = found;
        self.set_sources().join(", ")
    }

    fn tell_masked(&mut self, text: &str) {
        self.outbox.send(Update::Notice(self.at.config.secrets.mask(text).into_owned()));
    }
}

/// What cannot be read, and what holds meanwhile.
fn unread_told(unread: &Unread, all: &[Source]) -> String {
    let held: Vec<&str> = all.iter().filter(|s| unread.is_of(s)).map(|s| s.name.as_str()).collect();
    let held =
        if held.is_empty() { String::new() } else { format!("; still as before: {}", held.join(", ")) };
    format!("{}{held}", unread.why)
}

/// Which sources there are from here on, and which no longer, in one line; nothing where they are the same.
fn sources_told(before: &[Source], now: &[Source]) -> Option<String> {
    let named = |of: &[Source], name: &str| of.iter().any(|source| source.name == name);
    let names = |all: &[Source], fits: &dyn Fn(&Source) -> bool| {
        let names: Vec<&str> = all.iter().filter(|s| fits(s)).map(|s| s.name.as_str()).collect();
        (!names.is_empty()).then(|| names.join(", "))
    };
    let new = names(now, &|s| !named(before, &s.name));
    let other = names(now, &|s| named(before, &s.name) && !before.contains(s));
    let gone = names(before, &|s| !named(now, &s.name));
    let parts = [
        new.map(|new| format!("{new} from now on, not started yet")),
        other.map(|other| format!("{other} as it is now written, not started yet")),
        gone.map(|gone| format!("{gone} removed")),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| format!("sources changed: {}", parts.join("; ")))
}

/// What holds from here on, and what does not any more, in one line; nothing where the rules say the same.
fn told(before: &Policy, now: &Policy) -> Option<String> {
    let new = named(now.beyond(before)).map(|rules| format!("{rules} from now on"));
    let gone = named(before.beyond(now)).map(|rules| format!("{rules} removed"));
    let parts: Vec<String> = new.into_iter().chain(gone).collect();
    (!parts.is_empty()).then(|| format!("permissions.toml changed: {}", parts.join("; ")))
}

fn named<'a>(rules: impl Iterator<Item = &'a Rule>) -> Option<String> {
    let rules: Vec<String> = rules.map(ToString::to_string).collect();
    let more = match rules.len().saturating_sub(MOST_NAMED) {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    let first = rules.get(..MOST_NAMED).unwrap_or(&rules);
    (!rules.is_empty()).then(|| format!("{}{more}", first.join(", ")))
}
