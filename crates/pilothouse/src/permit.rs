//! `permissions`: the rules for scripts and people. Wires arguments to the runtime; opens no session.

use std::{
    io::Write,
    path::{Path, PathBuf},
};

use pilothouse_core::{
    policy::{By, Conditions, Manner, Request, Rule, Setting},
    scope::PermissionMode,
};
use pilothouse_runtime::{
    Environment, Home, Setup,
    permissions::{self, Loaded, tell},
    place,
};

use crate::{
    cli::{PermissionArg, PermissionsCommand},
    exit::{FAILED, Failure, USAGE},
    out::{self, say},
    workbench::explain,
};

/// Lists, explains, rehearses or adds rules.
///
/// # Errors
/// When the rules cannot be read, a rule is no rule, or nothing can be printed.
pub fn permissions(what: PermissionsCommand) -> Result<u8, Failure> {
    use PermissionsCommand as P;
    let json = matches!(
        what,
        P::List { json: true, .. } | P::Explain { json: true, .. } | P::Rehearse { json: true, .. }
    );
    let mut out = out::out(json);
    match what {
        PermissionsCommand::List { dir, json } => {
            let here = Here::at(&dir)?;
            tell::list(&here.rules.policy, json, &mut out)?;
        }
        PermissionsCommand::Explain { call, dir, mode, network, outside, json } => {
            let here = Here::at(&dir)?;
            let request =
                Request::read(&call).in_manner(Manner { network, outside, by: By::Agent, brought: false });
            let mode = match mode {
                PermissionArg::ReadOnly => PermissionMode::ReadOnly,
                PermissionArg::Ask => PermissionMode::Ask,
                PermissionArg::Auto => PermissionMode::Auto,
            };
            let (conditions, granted) = here.place()?;
            let setting = Setting { mode, conditions, granted: &granted };
            let why = here.rules.policy.explain(&request, &setting, &tell::path_of(&request));
            tell::explain(&why, json, &mut out)?;
        }
        PermissionsCommand::Rehearse { rule, dir, all, json } => {
            let rules = [tell::read_rule(&rule).map_err(explain)?];
            let here = Here::at(&dir)?;
            let past = tell::past(&here.home, (!all).then_some(here.folder.as_path()));
            let times = past.iter().map(|(p, n)| (p, *n));
            let (conditions, granted) = here.place()?;
            let setting = Setting { mode: PermissionMode::Ask, conditions, granted: &granted };
            let found = here.rules.policy.rehearse(&rules, times, &setting);
            let advisable = tell::rehearsal(&found, &rules, json, &mut out)?;
            out.flush()?;
            return Ok(if advisable { 0 } else { FAILED });
        }
        PermissionsCommand::Add { rule } => {
            let here = Here::at(Path::new("."))?;
            let rule = tell::add(&here.home, &rule, here.rules.policy.places()).map_err(explain)?;
            say(&format!("{rule} stands in {}", permissions::user_file(&here.home).display()));
            if let Some(why) = rule.without_effect() {
                say(&format!("it has no effect: {why}"));
            }
        }
    }
    out.flush()?;
    Ok(0)
}

/// A folder with its rules.
struct Here {
    home: Home,
    environment: Environment,
    folder: PathBuf,
    rules: Loaded,
}

impl Here {
    fn at(dir: &Path) -> Result<Self, Failure> {
        let environment = Environment::of_process();
        let home = Home::find(&environment).map_err(explain)?;
        let folder = dir.canonicalize().ok().filter(|p| p.is_dir()).ok_or_else(|| {
            Failure::new(USAGE, format!("{} is not a folder; give an existing one", dir.display()))
        })?;
        let rules = permissions::load(&home, &folder, &environment).map_err(explain)?;
        rules.notices.iter().for_each(|n| say(n));
        Ok(Self { home, environment, folder, rules })
    }

    /// What holds here, as a session that is opened now would find it.
    fn place(&self) -> Result<(Conditions, Vec<Rule>), Failure> {
        let (home, folder, environment) = (self.home.clone(), self.folder.clone(), self.environment.clone());
        let setup = Setup { helper: Some(crate::HELPER.into()), ..Setup::new(home, folder, environment) };
        place(&setup, &self.folder).map_err(explain)
    }
}
