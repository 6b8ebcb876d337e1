//! The folder's trust: found out when a session is opened, asked about, decided by the user.
//!
//! Nothing that the folder holds decides here: only an answer of the user to what was shown.

use super::{
    Decided, Draft,
    answer::{Given, Resolve},
};
use crate::{
    blob::Blob,
    checkpoint::CheckpointKind,
    event::{Event, Level},
    hook::{Hook, Origin},
    ids::CheckpointId,
    input::Refusal,
    money::count,
    question::{TrustAnswer, TrustQuestion},
    trust::{Standing, Trust, TrustRequest, VARIABLES},
};

/// Stands above the lines of gates on the page of all that a folder brings.
const RUN: &str = "gates, which then run without asking, as the usual tests do";

impl Draft<'_> {
    /// What is known of the folder when it is opened. An untrusted one is what every process
    /// starts from: only trust is worth an event.
    pub(super) fn trust_as(&mut self, standing: Standing) {
        if standing.trust.holds() {
            self.emit(changed(&standing));
        }
        self.know_hooks(&standing.hooks);
        self.ask_of_trust(standing);
    }

    /// The folder was looked at again.
    pub(super) fn surveyed(&mut self, standing: Standing) -> Decided {
        let Some(wish) = self.state.seeking else {
            return Err(Refusal::new("nobody asked about the folder"));
        };
        let (before, given) = (self.state.trust, self.state.given.clone());
        let withheld = self.state.awaits_variables();
        self.emit(changed(&standing));
        let (holds, asks) = (standing.trust.holds(), standing.asks);
        let text = match wish {
            TrustRequest::Keep(of) if holds && standing.of == of => {
                Some((Level::Info, "Trusted, until one of the files that it covers changes."))
            }
            TrustRequest::Keep(_) if !holds => {
                Some((Level::Warn, "It changed since it was shown; look at it again."))
            }
            TrustRequest::Decline(_) => Some((Level::Info, "It stays inactive. /trust asks about it again.")),
            TrustRequest::Revoke if before.holds() => Some((Level::Info, "No longer trusted.")),
            TrustRequest::Revoke => Some((Level::Info, "The folder was not trusted.")),
            // Only a file that changed has a folder looked at that is trusted for this run; that was told.
            TrustRequest::Look if asks || standing.trust == Trust::Once => None,
            TrustRequest::Look if holds => {
                Some((Level::Info, "The folder is trusted as it is; `/trust off` revokes that."))
            }
            TrustRequest::Look | TrustRequest::Keep(_) => None,
        };
        match (&standing.fault, text) {
            (Some(fault), _) => self.notice(Level::Error, fault.clone()),
            (None, Some((level, text))) => self.notice(level, text),
            (None, None) => {}
        }
        self.know_hooks(&standing.hooks);
        self.ask_of_trust(standing);
        // Behind the question that decides what they get.
        if self.state.given != given || withheld || self.state.awaits_variables() {
            self.ask_commands_again();
        }
        self.check_what_waits();
        self.settle_commands();
        Ok(())
    }

    /// A plan that waits for a yes is held to what was found, as the folder stands now, and is asked about anew with that.
    fn check_what_waits(&mut self) {
        let asked = self.state.phase_question().filter(|c| c.kind.is_confirmation()).map(|c| c.id);
        let plan = self.state.plan.as_ref().and_then(|plan| self.checked_now(plan));
        let Some((asked, plan)) = asked.zip(plan) else { return };
        let gates: Vec<String> = plan.gates.iter().map(|gate| format!("`{}`", gate.command)).collect();
        if !gates.is_empty() {
            let text =
                format!("The plan that waits is v{} now, checked by {}.", plan.version, gates.join(", "));
            self.notice(Level::Info, text);
        }
        self.close(asked, None);
        self.show_plan(plan);
        self.ask_of_phase();
    }

    /// A file that the folder's trust rests on changed while the session is open: it is said, and asked about as a new
    /// session would.
    pub(super) fn brought_changed(&mut self, path: &str) -> Decided {
        if self.state.seeking.is_some() {
            return Err(Refusal::new("the folder is being checked"));
        }
        match self.state.trust {
            // What commands would get of it is asked about, as it is when the folder is opened.
            Trust::None if path == VARIABLES => {}
            Trust::None => return Err(Refusal::new("no trust rests on that file")),
            Trust::Once => self.notice(Level::Info, format!("{path} changed: commands get it as it is now.")),
            Trust::Kept => {
                let told = format!(
                    "{path} has changed since this folder was trusted: what the folder brings is inactive now."
                );
                self.notice(Level::Warn, told);
            }
        }
        self.emit(Event::TrustSought { wish: TrustRequest::Look });
        Ok(())
    }

    /// The user decided about the folder in another window. What is trusted there is looked at before it is so here.
    pub(super) fn trust_decided(&mut self, trusted: bool) -> Decided {
        if self.state.seeking.is_some() {
            return Err(Refusal::new("the folder is being checked"));
        }
        match (self.state.trust, trusted) {
            (Trust::None, true) => {}
            (Trust::Kept, false) => {
                let told = "Trust in this folder was revoked elsewhere: what it brings is inactive now.";
                self.notice(Level::Warn, told);
            }
            (Trust::None | Trust::Once, false) | (Trust::Kept | Trust::Once, true) => {
                return Err(Refusal::new("nothing changes for this session"));
            }
        }
        self.emit(Event::TrustSought { wish: TrustRequest::Look });
        Ok(())
    }

    /// The user's own hooks were read again. Trust rests on none of them, and no look at it is answered by them.
    pub(super) fn hooks_read(&mut self, hooks: &[Hook]) -> Decided {
        if !self.know_hooks(hooks) {
            return Err(Refusal::new("the hooks have not changed"));
        }
        let own = hooks.iter().filter(|h| h.origin == Origin::User).count();
        self.notice(Level::Info, format!("hooks.toml changed: {} of yours from now on", count(own, "hook")));
        Ok(())
    }

    /// Knows these hooks from here on; whether they are others.
    fn know_hooks(&mut self, hooks: &[Hook]) -> bool {
        let others = hooks != self.state.hooks;
        if others {
            self.emit(Event::HooksKnown { hooks: hooks.to_vec() });
        }
        others
    }

    /// Opens the question about what the folder brings, in place of an older one.
    fn ask_of_trust(&mut self, standing: Standing) {
        if let Some(old) = self.trust_question() {
            self.close(old, None);
        }
        if !standing.asks || standing.trust.holds() {
            return;
        }
        let things = standing.parts.len();
        let gates = self.gates_here();
        // Of what was found, and not of what an agent made of it or put into a plan; whichever plan is there at the yes.
        let own = self.under.gates.iter().map(|gate| &gate.command).filter(|line| gates.contains(line));
        let checks = own.cloned().collect();
        let mut sheet = standing.sheet;
        if !gates.is_empty() {
            sheet.push_str(&format!("\n== {RUN}\n  {}\n", gates.join("\n  ")));
        }
        let sheet = Blob::new(sheet.into_bytes());
        let none = gates.is_empty();
        let Standing { parts, of: shown, withholds, .. } = standing;
        let question = TrustQuestion { parts, sheet: sheet.id(), shown, gates, checks, withholds };
        self.blobs.push(sheet);
        let message = match things {
            0 if none => {
                "Trust this folder? No gate was found here, and it brings nothing that would take effect."
            }
            0 => "Trust this folder? Its gates then run without asking.",
            1 => "This folder brings a file that would take effect. Trust it?",
            _ => "This folder brings files that would take effect. Trust it?",
        };
        self.ask(question, message);
    }

    /// The lines of gates that trust lets run: the plan's, and those that were found here.
    fn gates_here(&self) -> Vec<String> {
        let plan = self.state.plan.iter().flat_map(|p| &p.gates).map(|g| g.command.clone());
        let found = self.found_gates().into_iter().map(|g| g.command);
        let mut lines: Vec<String> = Vec::new();
        for line in plan.chain(found) {
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
        lines
    }

    fn trust_question(&self) -> Option<CheckpointId> {
        let mut open = self.state.open.values();
        open.find(|c| matches!(c.kind, CheckpointKind::Trust(_))).map(|c| c.id)
    }

    /// `/trust` and `/trust off`.
    pub(super) fn seek_trust(&mut self, args: &str) -> Decided {
        let wish = match args.trim() {
            "" => TrustRequest::Look,
            "off" | "revoke" => TrustRequest::Revoke,
            _ => return Err(Refusal::misuse("/trust asks about the folder; `/trust off` revokes trust")),
        };
        if self.state.seeking.is_some() {
            return Err(Refusal::new("the folder is being checked"));
        }
        if wish == TrustRequest::Look && self.state.trust == Trust::Once {
            return Err(Refusal::new("the folder is trusted for this run; `/trust off` revokes that"));
        }
        self.emit(Event::TrustSought { wish });
        Ok(())
    }
}

/// How the folder stands, as it is kept.
fn changed(standing: &Standing) -> Event {
    let Standing { trust, of, gives, checks, .. } = standing.clone();
    Event::TrustChanged { trust, of, gives, checks }
}

impl Resolve for TrustQuestion {
    fn resolve(&self, draft: &mut Draft<'_>, given: Given<TrustAnswer>) -> Decided {
        let Given { question, answer, stored } = given;
        let wish = match answer {
            TrustAnswer::Trust => {
                draft.allow(question, stored);
                TrustRequest::Keep(self.shown)
            }
            TrustAnswer::Decline => {
                draft.close(question, Some(stored));
                TrustRequest::Decline(self.shown)
            }
        };
        draft.emit(Event::TrustSought { wish });
        Ok(())
    }

    fn stale(&self) -> &'static str {
        "what the folder brings has changed; look at it again"
    }
}
