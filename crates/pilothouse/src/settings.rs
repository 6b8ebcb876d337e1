//! `config …` and `models …`: the settings, and the models that they name. Wires arguments to the runtime.

use std::{io::Write, path::Path};

use pilothouse_core::money::count;
use pilothouse_runtime::{
    Environment, Home,
    config::{Config, Layer, SCHEMA, origin},
    hooks, models as asked, own,
    secrets::Secrets,
    trust::Folder,
};
use pilothouse_tui::ctx::Handout;

use crate::{
    alone::{block_on, home},
    cli::{ConfigCommand, ModelsArgs, ModelsCommand},
    complain,
    exit::{Failure, USAGE},
    out, validate,
    workbench::{self, explain},
};

/// What a new file begins with.
const BEGIN: &str =
    "# Pilothouse: your settings. `pilothouse config schema` lists all of them with meaning and default.\n";
/// What could not be used is left in this file beside the one in force.
const REJECTED: &str = "config.rejected.toml";

/// Says where the configuration is, what it comes to here, whether it can be used; lets the user edit it.
///
/// # Errors
/// When it cannot be used.
pub fn config(what: ConfigCommand, secrets: &Secrets) -> Result<u8, Failure> {
    let (home, environment) = home()?;
    let mut out = out::out(false);
    let path = home.config.join("config.toml");
    let folder = Folder::at(&home, &std::env::current_dir()?.canonicalize()?);
    match what {
        ConfigCommand::Path => writeln!(out, "{}", path.display())?,
        ConfigCommand::Show { origin: false } => {
            let survey = folder.look();
            let config = folder.settings(&survey, &home, &environment, Layer::default()).map_err(explain)?;
            write!(out, "{config}")?;
            if let Some(inert) = survey.inert() {
                writeln!(out, "{inert}")?;
            }
        }
        ConfigCommand::Show { origin: true } => {
            let survey = folder.look();
            let config = folder.settings(&survey, &home, &environment, Layer::default()).map_err(explain)?;
            let trusted = survey.standing.trust.holds();
            let project = survey.brought.settings(&folder.root).ok().filter(|_| trusted);
            let said = origin::said(&home, project.as_ref(), &environment, &Layer::default());
            writeln!(out, "{}", config.secrets.mask(&origin::told(&home, &said)))?;
        }
        ConfigCommand::Edit => writeln!(out, "{}", edit(&home, &environment)?)?,
        ConfigCommand::Schema => write!(out, "{SCHEMA}")?,
        ConfigCommand::Validate => {
            let wrong = validate::settings(&home, &folder.root);
            if !wrong.is_empty() {
                for line in &wrong {
                    complain(secrets, line);
                }
                return Ok(USAGE);
            }
            let config = Config::load(&home, None, &environment, Layer::default()).map_err(explain)?;
            for notice in &config.notices {
                complain(secrets, notice);
            }
            let stands = |path: &Path, how: String| {
                let how = if path.exists() { how } else { "not there".to_owned() };
                format!("{}: {how}", path.display())
            };
            writeln!(out, "{}", stands(&path, "fine".to_owned()))?;
            let own = hooks::of_user(&home).map_err(explain)?;
            writeln!(out, "{}", stands(&home.config.join(hooks::USER_FILE), count(own.len(), "hook")))?;
            // What the folder brings is read, whether it has effect or not.
            let survey = folder.look();
            survey.brought.settings(&folder.root).map_err(explain)?;
            let theirs = survey.brought.hooks(&folder.root).map_err(explain)?;
            writeln!(out, "{}", stands(&folder.root.join(hooks::PROJECT_FILE), count(theirs.len(), "hook")))?;
        }
    }
    out.flush()?;
    Ok(0)
}

/// Lets the user edit their file; what cannot be used takes the place of nothing.
fn edit(home: &Home, environment: &Environment) -> Result<String, Failure> {
    let path = home.config.join("config.toml");
    let before = own::text(&path).map_err(explain)?;
    let shown = before.clone().unwrap_or_else(|| BEGIN.to_owned());
    let edited = workbench::edit(&Handout::new("config.toml", shown.clone()))?;
    if edited == shown {
        return Ok(format!("{}: unchanged", path.display()));
    }
    let refuse = |why: String| {
        let aside = home.config.join(REJECTED);
        own::replace(&aside, &edited).map_err(explain)?;
        Err(Failure::new(USAGE, format!("{why}; what you wrote is in {}", aside.display())))
    };
    if let Err(e) = Config::of_text(&edited, home, None, environment, Layer::default()) {
        return refuse(format!("{e}\n  {}\n  {} is unchanged", e.hint(), path.display()));
    }
    if own::text(&path).map_err(explain)? != before {
        return refuse(format!("{} changed meanwhile and was left alone", path.display()));
    }
    own::replace(&path, &edited).map_err(explain)?;
    Ok(format!("{}: fine; open sessions pick it up at their next message", path.display()))
}

/// Lists models, or lets them answer.
///
/// # Errors
/// When the settings cannot be used or nobody is called so.
pub fn models(what: &ModelsCommand, secrets: &Secrets) -> Result<u8, Failure> {
    let (home, environment) = home()?;
    let config = Config::load(&home, None, &environment, Layer::default()).map_err(explain)?;
    secrets.keep(&config.secrets);
    for notice in &config.notices {
        complain(secrets, notice);
    }
    let (ModelsCommand::List(args) | ModelsCommand::Test(args)) = what;
    let ModelsArgs { name, json } = args;
    let known = asked::names(&config);
    if let Some(name) = name.as_ref().filter(|name| !known.contains(name) && **name != config.voice.name()) {
        let why = format!("no connection is called {name}; there are: {}", known.join(", "));
        return Err(Failure::new(USAGE, why));
    }
    let wish = asked::Wish { name: name.as_deref(), json: *json };
    let mut out = out::out(*json);
    let code = match what {
        ModelsCommand::List(_) => {
            block_on("models", secrets, asked::list(&config, (&home, &environment), wish, &mut out))?
        }
        ModelsCommand::Test(_) => block_on("models", secrets, asked::test(&config, wish, &mut out))?,
    }?;
    out.flush()?;
    Ok(code)
}
