//! `sources`: MCP servers for scripts and people. Wires arguments to the runtime; opens no session.

use std::{io::Write, time::Duration};

use pilothouse_runtime::{
    Environment, Home, RuntimeError, Setup,
    headless::sources::{self, NewSource, SigningIn},
    sources_of,
};

use crate::{
    cli::SourcesCommand,
    exit::{FAILED, Failure},
    out::{self, say},
    workbench::explain,
};

/// Lists, tests, shows, adds or removes sources.
///
/// # Errors
/// When there is no such folder or source, or nothing can be printed.
pub fn sources(what: SourcesCommand) -> Result<u8, Failure> {
    use SourcesCommand as S;
    let environment = Environment::of_process();
    let home = Home::find(&environment).map_err(explain)?;
    let json = match &what {
        S::List { at } | S::Test { at, .. } | S::Tools { at, .. } => at.json,
        S::Auth { .. } | S::Add { .. } | S::Remove { .. } => false,
    };
    let mut out = out::out(json);
    let here = |dir: std::path::PathBuf| {
        let why = |e| explain(RuntimeError::io("open", &dir)(e));
        let setup = Setup::new(home.clone(), dir.canonicalize().map_err(why)?, environment.clone());
        let (sources, notices) = sources_of(&setup).map_err(explain)?;
        for notice in &notices {
            say(notice);
        }
        Ok::<_, Failure>(sources)
    };
    let runtime = || tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let done = match what {
        S::List { at } => {
            sources::list(&here(at.dir)?, json, &mut out)?;
            true
        }
        S::Test { name, at } => {
            let sources = here(at.dir)?;
            runtime()?.block_on(sources::test(&sources, name.as_deref(), json, &mut out))?
        }
        S::Tools { name, at } => {
            let sources = here(at.dir)?;
            runtime()?.block_on(sources::tools(&sources, &name, json, &mut out))?
        }
        S::Auth { name, dir, forget: true, .. } => {
            let had = here(dir)?.sign_out(&name).map_err(|why| Failure::new(FAILED, why))?;
            let told = if had { "you are signed out of" } else { "you were not signed in to" };
            say(&format!("{told} {name}"));
            had
        }
        S::Auth { name, dir, code, no_browser, wait, forget: false } => {
            let by = SigningIn { code, browser: !no_browser, wait: Duration::from_secs(wait) };
            let sources = here(dir)?;
            runtime()?.block_on(sources::auth(&sources, (&name, by), &say, &mut out))?
        }
        new @ S::Add { .. } => {
            let file = sources::add(&home, written(new)).map_err(explain)?;
            say(&format!("written to {}; `pilothouse sources test` tries it", file.display()));
            true
        }
        S::Remove { name } => {
            let had = sources::remove(&home, &name).map_err(explain)?;
            say(&if had {
                format!("{name} is removed")
            } else {
                format!("you have no source called {name}")
            });
            had
        }
    };
    out.flush()?;
    Ok(if done { 0 } else { FAILED })
}

/// A source as it stands on the command line.
fn written(what: SourcesCommand) -> NewSource {
    let SourcesCommand::Add { name, url, env, header, about, read_only, command } = what else {
        return NewSource::default();
    };
    let gives = env.into_iter().chain(header).collect();
    NewSource { name, command, url, gives, about: about.unwrap_or_default(), read_only }
}
