//! `kb`: the knowledge index of the folder, for scripts. Reads arguments and prints; looking up is the runtime's.

use std::{io::Write, sync::Arc};

use pilothouse_core::{
    knowledge::{IndexStatus, Passage, Query},
    policy::PathRules,
    relpath::RelPath,
};
use pilothouse_runtime::{config::Layer, knowledge::Knowledge, permissions, secrets::Secrets, trust::Folder};

use crate::{
    alone::home,
    cli::{KbCommand, KbSearchArgs},
    complain,
    exit::{FAILED, Failure, USAGE},
    out,
    workbench::explain,
};

/// Runs `kb`.
///
/// # Errors
/// When the index cannot be used or nothing can be printed.
pub fn knowledge(what: KbCommand, secrets: &Secrets) -> Result<u8, Failure> {
    let (home, environment) = home()?;
    let root = std::env::current_dir()?.canonicalize()?;
    let folder = Folder::at(&home, &root);
    let config = folder.settings(&folder.look(), &home, &environment, Layer::default()).map_err(explain)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    // An embedder at an endpoint is asked through the runtime.
    let _inside = runtime.enter();
    let index = Knowledge::new(&root, &home, &config);
    let rules = permissions::load(&home, &root, &environment).map_err(explain)?;
    let rules = PathRules::new(Arc::new(rules.policy));
    let tell = |text: String| complain(secrets, &text);
    let failed = |why: String| Failure::new(FAILED, why);
    match what {
        KbCommand::Search(args) => {
            let (found, trouble) = index.search(&query(&args)?, &rules, &tell).map_err(failed)?;
            if let Some(why) = trouble {
                complain(secrets, &why);
            }
            passages(&found, args.json)
        }
        KbCommand::Status(args) => told(&index.status(false, &rules, &tell).map_err(failed)?, args.json),
        KbCommand::Rebuild(args) => told(&index.status(true, &rules, &tell).map_err(failed)?, args.json),
    }
}

fn query(args: &KbSearchArgs) -> Result<Query, Failure> {
    let path = |text: &String| RelPath::new(text).map_err(|e| Failure::new(USAGE, e.to_string()));
    let within = args.within.iter().map(path).collect::<Result<_, _>>()?;
    Ok(Query { text: args.query.clone(), within, most: args.max })
}

/// Prints passages; exit 1 where there are none, as `grep` does.
fn passages(found: &[Passage], json: bool) -> Result<u8, Failure> {
    let mut out = out::out(json);
    for passage in found {
        if json {
            writeln!(out, "{}", serde_json::to_string(passage)?)?;
        } else {
            writeln!(out, "{}  {}", passage.lines, passage.title)?;
        }
    }
    out.flush()?;
    Ok(u8::from(found.is_empty()))
}

fn told(status: &IndexStatus, json: bool) -> Result<u8, Failure> {
    let mut out = out::out(json);
    if json {
        writeln!(out, "{}", serde_json::to_string(status)?)?;
    } else {
        for line in status.told() {
            writeln!(out, "{line}")?;
        }
    }
    out.flush()?;
    Ok(0)
}
