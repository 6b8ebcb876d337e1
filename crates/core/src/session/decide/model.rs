//! `/model`: who answers, and another from the next request on, or from the end of the run.
//!
//! Owns what can be chosen. Whether a name can be asked at all is known where the settings are.

use super::{Decided, Draft};
use crate::{
    connection::{MAIN, MODEL_CHARS},
    event::{Event, Level},
    input::Refusal,
    intent::Slash,
};

impl Draft<'_> {
    /// `/model`: tells who answers and who else could; `/model NAME`: they do from the next request on, after the run
    /// where one is under way.
    pub(super) fn choose_model(&mut self, args: &str) -> Decided {
        let name = args.trim();
        if name.is_empty() {
            let lines = self.models_told();
            self.listed(Slash::Model, &lines);
            return Ok(());
        }
        let known = self.under.connections.others.contains_key(name);
        if !known && (name.contains(char::is_whitespace) || name.chars().count() > MODEL_CHARS) {
            return Err(Refusal::misuse(
                "a model's name is one word; /model alone lists the configured ones",
            ));
        }
        let chosen = Some(name.to_owned()).filter(|n| n != MAIN);
        let holds = chosen == self.state.model;
        match self.waiting(Slash::Model).map(str::to_owned) {
            None if holds => return Err(Refusal::new(format!("{name} is already answering"))),
            Some(waits) if waits == name => {
                return Err(Refusal::new(format!("{name} already takes over when the run ends")));
            }
            Some(waits) if holds => {
                self.heard(Slash::Model);
                self.drop_waiting(Slash::Model);
                self.notice(Level::Info, format!("Model: {name} stays; {waits} is out of the queue."));
                return Ok(());
            }
            _ => {}
        }
        if self.put_off(Slash::Model, name)? {
            return Ok(());
        }
        self.heard(Slash::Model);
        self.emit(Event::ModelChosen { name: chosen });
        let told = match self.under.connections.others.get(name) {
            Some(connection) => format!("Model: {name}, {connection}, from the next request."),
            None if name == MAIN => {
                format!("Model: {} from the next request.", self.under.connections.main)
            }
            None => format!("Model: {name} from the next request."),
        };
        self.notice(Level::Info, told);
        Ok(())
    }

    fn models_told(&self) -> Vec<String> {
        let (all, chosen) = (&self.under.connections, self.state.model.as_deref());
        let names = std::iter::once(MAIN).chain(all.others.keys().map(String::as_str));
        let columns = names.chain(chosen).map(|name| name.chars().count()).max().unwrap_or_default();
        let line = |name: &str, about: &str| {
            let mark = if chosen.unwrap_or(MAIN) == name { "now" } else { "" };
            format!("{mark:3}  {name:columns$}  {about}").trim_end().to_owned()
        };
        let mut lines = vec![line(MAIN, &all.main.to_string())];
        lines.extend(all.others.iter().map(|(name, c)| line(name, &c.to_string())));
        lines.extend(
            chosen.filter(|name| *name != MAIN && !all.others.contains_key(*name)).map(|n| line(n, "")),
        );
        // What runs here is no server, and has no other models.
        lines.push(if all.main.place.is_empty() && all.others.is_empty() {
            "no model is connected; /model PRESET:NAME uses one, such as openai:NAME; /connect takes a key or an address".to_owned()
        } else {
            "/model NAME switches from the next request: one of these, or any the server has"
                .to_owned()
        });
        lines
    }
}
