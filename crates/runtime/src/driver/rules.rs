//! The rules of a session, read again while it works.
//!
//! Owns which reading counts. Never judges by a rule.

use std::sync::Arc;

use pilothouse_core::{policy::Policy, port::Update};

use super::{Driver, Inbound};
use crate::{error::RuntimeError, permissions};

impl Driver {
    /// The user's file of rules changed: what it says now is to hold.
    pub(super) fn read_rules_again(&mut self) {
        self.readings += 1;
        let reading = self.readings;
        let (home, environment) = (self.setup.home.clone(), self.setup.environment.clone());
        let (root, inbound) = (self.at.root.path().to_owned(), self.inbound.clone());
        let read = self.disk.run(move || permissions::load(&home, &root, &environment));
        self.tasks.spawn(async move {
            if let Ok(rules) = read.await {
                drop(inbound.send(Inbound::Rules(reading, rules.map(|r| r.policy))).await);
            }
        });
    }

    pub(super) fn rules_read(&mut self, reading: u64, rules: Result<Policy, RuntimeError>) {
        match rules {
            _ if reading != self.readings => {}
            Ok(policy) => {
                let policy = Arc::new(policy);
                self.at.session.set_policy(Arc::clone(&policy));
                self.kit.knowledge.changed();
                self.outbox.send(Update::Rules(policy));
            }
            Err(e) => self.outbox.send(Update::Notice(format!("{e} ({})", e.hint()))),
        }
    }
}
