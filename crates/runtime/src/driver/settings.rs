//! The settings as the driver's session has them: read again at the next message where the user's file is another; the
//! model that was chosen.
//!
//! Owns which of them hold at once. A file that cannot be read changes nothing, and none lets a project do more.

use std::{path::PathBuf, sync::Arc};

use pilothouse_core::{
    connection::MAIN,
    event::{Event, Stamped},
    hook::Origin,
    input::{Input, Refusal},
    intent::{Control, Slash, SlashCommand},
    port::{Surroundings, Update},
    session::Bounds,
};
use pilothouse_model::openai::look_up;

use super::{Driver, Inbound, Setup, opening, trust};
use crate::{
    config::{
        Config, Provider,
        origin::{self, Effective},
    },
    hooks, permissions,
    project::{Mark, mark},
    sources::{self, OwnSources},
    trust::Folder,
};

/// A file that is read again where it is another one.
#[derive(Debug)]
pub(super) struct Watched {
    path: PathBuf,
    mark: Option<Mark>,
}

impl Watched {
    fn at(path: PathBuf) -> Self {
        Self { mark: mark(&path), path }
    }

    /// Whether it is another one than when this was asked last.
    pub(super) fn is_other(&mut self) -> bool {
        let now = mark(&self.path);
        std::mem::replace(&mut self.mark, now) != now
    }
}

/// What a server said of the window of a model.
#[derive(Debug)]
pub(super) struct WindowTold {
    /// What the model is called here.
    name: String,
    /// Where it was asked.
    place: String,
    tokens: u64,
}

/// What is in files that are looked at while the session is open, as it was read.
#[derive(Debug)]
pub(super) struct Settings {
    /// The user's settings.
    file: Watched,
    said: origin::Lines,
    /// What the servers of models that were chosen said of their windows: it holds where the files say nothing.
    windows: Vec<WindowTold>,
    /// The user's own hooks.
    hooks: Watched,
    /// The user's own sources: what cannot be read of their files is as it was before.
    pub(super) sources: OwnSources,
    /// The rules of the user and of the project.
    pub(super) rules: [Watched; 2],
    /// Whether these let more through than what holds: that waits for an input of the user.
    pub(super) wider: bool,
    /// What was decided about the folder.
    pub(super) trust: Watched,
    /// Whether that trusts it by now, which waits for an input of the user as well.
    pub(super) given: bool,
}

impl Settings {
    pub(super) fn of(setup: &Setup, folder: &Folder) -> Self {
        let home = &setup.home;
        Self {
            file: Watched::at(home.config.join("config.toml")),
            said: origin::of_user(home),
            windows: Vec::new(),
            hooks: Watched::at(home.config.join(hooks::USER_FILE)),
            sources: sources::of_user(home, &[]),
            rules: permissions::files(home, &folder.root).map(Watched::at),
            wider: false,
            trust: Watched::at(folder.store.file(&folder.root)),
            given: false,
        }
    }
}

impl Driver {
    /// What is looked at before an input of the user: memories, recipes, settings, sources, hooks. Gives what the session is told
    /// before it.
    ///
    /// # Errors
    /// Why it cannot be done at all.
    pub(super) fn look_before(&mut self, input: &Input) -> Result<Option<(Input, bool)>, Refusal> {
        self.look_at_memory_again();
        self.look_at_recipes_again();
        self.look_at_settings_again();
        self.look_at_sources_again();
        if let Input::Say { text, .. } = input
            && let Some((command, name)) = SlashCommand::of_line(text)
            && command.does == Slash::Model
        {
            self.connect(name.trim())
                .map_err(|why| Refusal::misuse(format!("{name} cannot be used: {why}")))?;
        }
        Ok(self.look_at_hooks_again().map(|hooks| (hooks, false)))
    }

    /// Makes a model of this name one that can be asked.
    fn connect(&mut self, name: &str) -> Result<(), String> {
        let known = name == MAIN || self.at.config.others.contains_key(name);
        if known || name.is_empty() || name.contains(char::is_whitespace) {
            return Ok(());
        }
        let (home, environment) = (&self.setup.home, &self.setup.environment);
        self.at.config.connect(name, home, environment).map_err(|e| e.to_string())?;
        self.secrets_are(self.at.config.secrets.clone());
        Ok(())
    }

    /// The model that the session asks is known to all that shows it.
    pub(super) fn show_model(&mut self) {
        let chosen = self.at.session.state().model.clone();
        if let Some(name) = &chosen
            && let Err(why) = self.connect(name)
        {
            let main = self.at.config.voice.name();
            self.outbox.send(Update::Notice(format!("{name} cannot be used: {why}; {main} answers instead")));
        }
        for told in &self.settings.windows {
            let other = self.at.config.others.get_mut(&told.name);
            if let Some(other) = other.filter(|other| place_of(&other.voice) == told.place) {
                other.window.get_or_insert(told.tokens);
            }
        }
        let known = self.at.config.connections(&self.settings.said, &self.setup.environment);
        self.at.session.set_connections(Arc::new(known));
        let (voice, window) = self.at.config.asked(chosen.as_deref());
        let (model, offline) = (voice.name(), voice.is_offline());
        let budget = self.at.config.budget_of(chosen.as_deref());
        let of_main = chosen.as_deref().is_none_or(|name| name == MAIN);
        let model_from = match chosen.filter(|_| !of_main) {
            None => origin::model_from(&self.setup.home, &self.settings.said, &self.setup.environment),
            Some(name) => origin::other_from(&self.setup.home, &self.settings.said, &name),
        };
        let now = |around: &Surroundings| Surroundings {
            model,
            model_from,
            offline,
            window,
            budget,
            ..around.clone()
        };
        self.around_is(|around| *around = now(around));
    }

    /// Looks whether the server of the model that was chosen has it, and says so where it names others alone: it may hide
    /// some, so that this refuses nothing. What it says of the model's window holds where the settings say nothing.
    pub(super) fn look_for_model(&self) {
        let chosen = self.at.session.state().model.clone().filter(|name| *name != MAIN);
        let Some((name, Provider::Endpoint(endpoint))) =
            chosen.as_ref().map(|name| (name.clone(), self.at.config.asked(Some(name)).0))
        else {
            return;
        };
        let place = endpoint.shown_url();
        let (inbound, endpoint) = (self.inbound.clone(), endpoint.clone());
        let secrets = self.at.config.secrets.clone();
        self.tasks.spawn(async move {
            let found = look_up(&endpoint).await;
            if let Some(tokens) = found.window {
                drop(inbound.send(Inbound::Window(WindowTold { name, place, tokens })).await);
            }
            if let Some(told) = found.instead {
                drop(inbound.send(Inbound::Notice(secrets.mask(&told).into_owned())).await);
            }
        });
    }

    /// The server of a model, at this place, said how large its window is.
    pub(super) fn window_told(&mut self, told: WindowTold) {
        self.settings.windows.retain(|before| before.name != told.name);
        self.settings.windows.push(told);
        self.show_model();
    }

    /// Whether the window of the model that was chosen is known: the settings name it, or its server did.
    fn knows_window(&self) -> bool {
        let chosen = self.at.session.state().model.as_deref();
        self.at.config.asked(chosen).1.is_some()
    }

    /// What events on the disk say of models and settings.
    pub(super) fn heed_settings(&mut self, events: &[Stamped]) {
        if events.iter().any(|e| matches!(e.event, Event::ModelChosen { .. })) {
            self.show_model();
            self.look_for_model();
        }
        let asked = |e: &Stamped| matches!(&e.event, Event::ControlGiven { control: Control::Other(name) } if name == "config");
        if events.iter().any(asked) {
            let (folder, survey) = &self.at.trust;
            let trusted = survey.standing.trust.holds();
            let project = survey.brought.settings(&folder.root).ok().filter(|_| trusted);
            let Setup { home, environment, flags, .. } = &self.setup;
            let text = origin::page(home, &origin::said(home, project.as_ref(), environment, flags));
            self.outbox.send(Update::Page { title: "Settings", text });
        }
    }

    /// Reads the settings again where the user's file is not what it was.
    fn look_at_settings_again(&mut self) {
        if !self.settings.file.is_other() {
            return;
        }
        match self.settings_now() {
            Ok(config) => {
                let changed = self.said_anew();
                if !changed.is_empty() {
                    self.take_settings(config);
                    self.outbox.send(Update::Notice(told(&changed)));
                }
            }
            Err(why) => {
                let text = format!("{why}; the previous settings stay in force");
                self.outbox.send(Update::Notice(self.at.config.secrets.mask(&text).into_owned()));
            }
        }
    }

    /// What the user set on the screen stands in their files: it holds from here on.
    ///
    /// # Errors
    /// Why they cannot be read.
    pub(super) fn settings_kept(&mut self) -> Result<(), String> {
        self.settings.file.is_other();
        let config = self.settings_now()?;
        self.said_anew();
        self.take_settings(config);
        Ok(())
    }

    /// The settings as the files have them now.
    fn settings_now(&self) -> Result<Config, String> {
        let read = trust::settings(&self.setup, &self.at.trust.0, &self.at.trust.1);
        read.map(|(config, _)| config).map_err(|e| format!("{e} ({})", e.hint()))
    }

    /// What the user's file says is known as it stands there now; gives what is another than it was.
    fn said_anew(&mut self) -> Vec<String> {
        let said = origin::of_user(&self.setup.home);
        let changed = origin::changed(&self.settings.said, &said);
        self.settings.said = said;
        changed
    }

    /// The hooks in force with the user's own as they are now, where their file is not what it was. Those of the project
    /// are as they were: only a look at its trust changes them. A file that cannot be read changes nothing.
    fn look_at_hooks_again(&mut self) -> Option<Input> {
        if self.at.read_only() || !self.settings.hooks.is_other() {
            return None;
        }
        match hooks::of_user(&self.setup.home) {
            Ok(mut own) => {
                own.extend(self.at.hooks.drain(..).filter(|d| d.hook.origin == Origin::Project));
                self.at.hooks = own;
                Some(Input::HooksRead(self.at.hooks.iter().map(|d| d.hook.clone()).collect()))
            }
            Err(e) => {
                let text = format!("{e}; the previous hooks stay in force ({})", e.hint());
                self.outbox.send(Update::Notice(self.at.config.secrets.mask(&text).into_owned()));
                None
            }
        }
    }

    /// What holds at once does; the rest stays as the session was opened with it.
    fn take_settings(&mut self, config: Config) {
        let secrets = config.secrets.and(&self.at.config.secrets);
        let Config { sandbox, intent, copied, permission, mode, filter, .. } =
            std::mem::replace(&mut self.at.config, config);
        let now = &mut self.at.config;
        now.secrets = secrets;
        (now.sandbox, now.intent, now.copied) = (sandbox, intent, copied);
        (now.permission, now.mode, now.filter) = (permission, mode, filter);
        self.kit.forget_clients();
        self.at.session.set_bounds(Bounds {
            repairs: self.at.session.bounds().repairs,
            ..opening::bounds(&self.setup, &self.at.config)
        });
        self.secrets_are(self.at.config.secrets.clone());
        self.set_gates();
        self.show_model();
        if !self.knows_window() {
            self.look_for_model();
        }
        let (notify, mouse) = (self.at.config.notify, self.at.config.mouse);
        self.around_is(|around| *around = Surroundings { notify, mouse, ..around.clone() });
        for notice in self.at.config.notices.clone() {
            self.outbox.send(Update::Notice(notice));
        }
    }
}

/// Where a model is asked; nothing where it is on no server.
fn place_of(voice: &Provider) -> String {
    match voice {
        Provider::Endpoint(endpoint) => endpoint.shown_url(),
        Provider::Offline | Provider::Script(_) => String::new(),
    }
}

/// What changed, and when it holds, in one line.
fn told(changed: &[String]) -> String {
    let of = |when: Effective| -> Vec<&str> {
        changed.iter().filter(|k| origin::effective(k) == when).map(String::as_str).collect()
    };
    let part = |when, words: &str| {
        let keys = of(when);
        (!keys.is_empty()).then(|| format!("{}{words}", keys.join(", ")))
    };
    let parts = [
        part(Effective::Now, " from now on"),
        part(Effective::NewSessions, " in new sessions"),
        part(Effective::Restart, " after a restart of Pilothouse"),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    format!("config.toml changed: {}", parts.join("; "))
}

#[cfg(test)]
mod tests {
    use super::told;

    #[test]
    fn what_changed_is_told_in_one_line_with_the_time_of_its_effect() {
        let changed = ["model.name", "sandbox.network", "session.mode", "session.budget"].map(str::to_owned);
        assert_eq!(
            told(&changed),
            "config.toml changed: model.name, session.budget from now on; session.mode in new sessions; sandbox.network after a restart of Pilothouse"
        );
    }
}
