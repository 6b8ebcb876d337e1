//! The binary: parse arguments, wire, exit code. Logic lives in the libraries.

mod alone;
mod auth;
mod blame;
mod cli;
mod completions;
mod exit;
mod judge;
mod know;
mod look;
mod mistyped;
mod out;
mod permit;
mod place;
mod sessions;
mod settings;
mod sources;
mod trust;
mod validate;
mod workbench;

use std::process::ExitCode;

use clap::Parser;
use pilothouse_runtime::{Environment, Which, headless::change::Direction, secrets::Secrets};

use crate::{
    cli::{Cli, Command},
    exit::Failure,
};

/// This program as the helper of its own sandbox, whatever became of its file meanwhile.
const HELPER: &str = "/proc/self/exe";

fn main() -> ExitCode {
    // In every stage of the sandbox as well.
    pilothouse_runtime::keep_descriptors();
    // A command that is being confined: nothing of the program comes before it.
    if let Some(code) = pilothouse_runtime::helper() {
        return code;
    }
    let secrets = Secrets::in_environment(&Environment::of_process());
    let theirs = secrets.clone();
    std::panic::set_hook(Box::new(move |info| last_words(&theirs, info)));
    let cli = match Cli::try_parse() {
        Ok(cli) if cli.command.is_some() => cli,
        // A help text is no mistake.
        Err(told) if !told.use_stderr() => return misread(&secrets, &told),
        read => {
            let words = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned());
            let words: Vec<String> = words.collect();
            if let Some(said) = mistyped::told(&words) {
                complain(&secrets, &said);
                return ExitCode::from(exit::USAGE);
            }
            match read {
                Ok(cli) => cli,
                Err(told) => return misread(&secrets, &told),
            }
        }
    };
    match act(cli, &secrets) {
        Ok(code) => ExitCode::from(code),
        Err(failure) => {
            if failure.code != 0 {
                complain(&secrets, &failure.message);
            }
            ExitCode::from(failure.code)
        }
    }
}

fn act(cli: Cli, secrets: &Secrets) -> Result<u8, Failure> {
    match cli.command {
        Some(Command::Blame(args)) => blame::blame(&args),
        Some(Command::Classify(args)) => judge::classify(&args, secrets),
        Some(Command::Risk(args)) => judge::risk(&args),
        Some(Command::Resume(args)) => {
            let newest = if args.which.last { Which::LastAnywhere } else { Which::Last };
            let which = args.which.id.map_or(newest, Which::Named);
            workbench::open(std::path::Path::new("."), which, &args.look, secrets)
        }
        None => workbench::open(&cli.dir, Which::New, &cli.look, secrets),
        Some(Command::Run(args)) => alone::run(args, secrets),
        Some(Command::Sessions { what }) => sessions::sessions(what, secrets),
        Some(Command::Runs(args)) => alone::runs(&args, secrets),
        Some(Command::Acp) => alone::acp(secrets),
        Some(Command::Kb { what }) => know::knowledge(what, secrets),
        Some(Command::Undo(args)) => alone::undo(args, Direction::Undo, secrets),
        Some(Command::Redo(args)) => alone::undo(args, Direction::Redo, secrets),
        Some(Command::Auth { what }) => auth::auth(what),
        Some(Command::Trust(args)) => trust::trust(args),
        Some(Command::Permissions { what }) => permit::permissions(what),
        Some(Command::Agents { what }) => alone::agents(what, secrets),
        Some(Command::Skills { what }) => alone::skills(what),
        Some(Command::Sources { what }) => sources::sources(what),
        Some(Command::Config { what }) => settings::config(what, secrets),
        Some(Command::Models { what }) => settings::models(&what, secrets),
        Some(Command::Keys { json }) => look::keys(json),
        Some(Command::Themes { what }) => look::themes(what),
        Some(Command::Completions { shell }) => completions::completions(shell),
        Some(Command::Man { command }) => completions::man(command.as_deref()),
        Some(Command::Doctor(args)) => alone::doctor(&args),
        Some(Command::Validate(args)) => validate::validate(&args),
    }
}

/// What clap has to say. It quotes what it does not understand, and that may have been a key.
fn misread(secrets: &Secrets, told: &clap::Error) -> ExitCode {
    let text = told.render().to_string();
    let hidden = secrets.mask(&text);
    if hidden == text {
        // Nothing to hide: with its colours. A reader that went away is no failure.
        drop(told.print());
    } else {
        complain(secrets, hidden.trim_start_matches("error: ").trim_end());
    }
    ExitCode::from(u8::try_from(told.exit_code()).unwrap_or(exit::USAGE))
}

/// A defect in a few words; where a screen is up it has its own.
fn last_words(secrets: &Secrets, info: &std::panic::PanicHookInfo<'_>) {
    let place = info.location().map_or_else(String::new, ToString::to_string);
    let said = info.payload_as_str().unwrap_or("no message");
    complain(secrets, &format!("an internal error: {said} ({place})"));
}

#[expect(clippy::print_stderr, reason = "the binary is where messages reach people")]
fn complain(secrets: &Secrets, message: &str) {
    eprintln!("pilothouse: {}", out::clean(&secrets.mask(message)));
}
