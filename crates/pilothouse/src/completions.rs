//! `completions SHELL` and `man`: what shells and readers of manuals are told of the command line. Never acts.

use std::io::Write;

use clap::CommandFactory;
use clap_complete::{Shell, generate};
use clap_mangen::Man;

use crate::{
    cli::Cli,
    exit::{Failure, USAGE},
};

/// Prints the completions for a shell.
///
/// # Errors
/// When nothing can be printed.
pub fn completions(shell: Shell) -> Result<u8, Failure> {
    let mut script = Vec::new();
    generate(shell, &mut Cli::command(), "pilothouse", &mut script);
    print(&script)
}

/// Prints the manual's page, or that of one command.
///
/// # Errors
/// When there is no such command, or nothing can be printed.
pub fn man(of: Option<&str>) -> Result<u8, Failure> {
    let mut all = Cli::command().disable_help_subcommand(true);
    // Gives every command its whole name.
    all.build();
    let page = match of {
        None => all,
        Some(name) => all.find_subcommand(name).cloned().ok_or_else(|| {
            Failure::new(USAGE, format!("there is no command {name}; `pilothouse --help` lists them"))
        })?,
    };
    let mut text = Vec::new();
    Man::new(page).render(&mut text)?;
    print(&text)
}

fn print(text: &[u8]) -> Result<u8, Failure> {
    let mut out = std::io::stdout();
    out.write_all(text)?;
    out.flush()?;
    Ok(0)
}
