//! The binary: parse arguments, wire, exit code. Logic lives in the libraries.

mod alone;
mod cli;
mod exit;
mod judge;
mod permit;
mod place;
mod trust;
mod workbench;

use std::process::ExitCode;

use clap::Parser;
use pilothouse_runtime::{Which, headless::change::Way};

use crate::{
    cli::{Cli, Command},
    exit::Failure,
};

/// This program as the helper of its own sandbox, whatever became of its file meanwhile.
const HELPER: &str = "/proc/self/exe";

fn main() -> ExitCode {
    // A command that is being confined: nothing of the program comes before it.
    if let Some(code) = pilothouse_runtime::helper() {
        return code;
    }
    let cli = Cli::parse();
    match act(cli) {
        Ok(code) => ExitCode::from(code),
        Err(failure) => {
            if failure.code != 0 {
                complain(&failure.message);
            }
            ExitCode::from(failure.code)
        }
    }
}

fn act(cli: Cli) -> Result<u8, Failure> {
    match cli.command {
        Some(Command::Classify(args)) => judge::classify(&args),
        Some(Command::Risk(args)) => judge::risk(&args),
        Some(Command::Resume(args)) => {
            let newest = if args.last { Which::LastAnywhere } else { Which::Last };
            let which = args.id.map_or(newest, Which::Named);
            workbench::open(std::path::Path::new("."), which, &args.look)
        }
        None => workbench::open(&cli.dir, Which::New, &cli.look),
        Some(Command::Run(args)) => alone::run(args),
        Some(Command::Sessions { what }) => alone::sessions(what),
        Some(Command::Undo(args)) => alone::undo(args, Way::Undo),
        Some(Command::Redo(args)) => alone::undo(args, Way::Redo),
        Some(Command::Trust(args)) => trust::trust(args),
        Some(Command::Permissions { what }) => permit::permissions(what),
        Some(Command::Config { what }) => alone::config(what),
        Some(Command::Doctor(args)) => alone::doctor(&args),
    }
}

#[expect(clippy::print_stderr, reason = "the binary is where messages reach people")]
fn complain(message: &str) {
    eprintln!("pilothouse: {message}");
}
