//! Commands that only print help or a version.
//!
//! Owns which words ask for that, and where they count. By which letter a program tells its version is data: most take
//! `-v` for "say more" and do their work.

use super::args::{Args, Opt};
use super::expand::Field;
use super::grammar::Kind;
use super::knowledge::list;
use super::programs::Program;

/// Most sub-commands, one of another, that a program reads its own options behind.
const DEEPEST: usize = 3;

/// Whether a command asks for nothing but help or a version; `strict` where options end at the first operand.
pub(super) fn is_asked(program: &Program, name: &str, argv: &[Field], args: &Args, strict: bool) -> bool {
    let helps = |opt: &Opt| matches!(opt.text.as_str(), "--help" | "-h");
    let own = list("help of the project");
    let loads = own.contains(&name) || own.contains(&format!("{name} {}", args.operand(0)).as_str());
    if program.no_help
        || loads && args.opts.iter().any(helps)
        || list("help alone").contains(&name) && argv.len() > 2
    {
        return false;
    }
    // Behind an operand that is no sub-command it may be one itself: so it is with many programs, and where POSIX is kept to.
    let deepest = if program.has_subcommands() && !strict { DEEPEST } else { 0 };
    let early = |opt: &&Opt| args.places.get(deepest).is_none_or(|at| opt.at < *at);
    // What follows code, a module or an archive is meant for that.
    let starts = |opt: &Opt| matches!(opt.name.as_str(), "-jar" | "-m" | "-c" | "-e" | "--eval");
    let leading = args.opts.iter().position(starts).map_or(args.leading, |at| at.min(args.leading));
    let considered = if program.help_first { args.opts.get(..leading).unwrap_or(&[]) } else { &args.opts };
    // After more words it may be meant for a program that this one starts.
    let behind = args.operands.split_last().map_or(&[][..], |(_, before)| before);
    let passes_on = behind.iter().any(|f| list("starting words").contains(&f.text.as_str()));
    let considered = if program.sub_help && !passes_on { &args.opts } else { considered };
    // Behind another option it may be what that one takes.
    let plain = considered.iter().take_while(|opt| opt.kind == Some(Kind::Flag)).count();
    // What stands beside the word is done, or said of what is done, unless it only says how that looks.
    let asks = |opt: &Opt| matches!(opt.text.as_str(), "--help" | "--version" | "-help" | "-version" | "-h");
    let looks =
        |opt: &Opt| opt.kind == Some(Kind::Flag) || list("options of help").contains(&opt.name.as_str());
    let alone = args.opts.iter().all(|opt| asks(opt) || looks(opt) && !opt.text.starts_with("-J"));
    let asking = considered.iter().take(plain + 1).filter(early).filter(|_| !passes_on && alone);
    let long = asking.into_iter().any(|opt| {
        matches!(opt.text.as_str(), "--help" | "--version") && !opt.taken && !names_one(args, opt)
            || program.long1 && matches!(opt.text.as_str(), "-help" | "-version" | "-h")
    });
    long || is_alone(name, argv.get(1..).unwrap_or(&[]))
}

/// Whether an option may name a version instead of asking for it: its value stands behind it, or a sub-command stands
/// before it and another word behind (`add package x --version 1.0`).
fn names_one(args: &Args, opt: &Opt) -> bool {
    let behind = args.places.first().is_some_and(|first| *first < opt.at);
    opt.value.is_some() || behind && (opt.takes() || args.places.contains(&(opt.at + 1)))
}

/// Whether the only word behind a program asks for help or its version.
fn is_alone(name: &str, words: &[Field]) -> bool {
    let [only] = words else { return false };
    match only.text.as_str() {
        "-h" | "-help" | "-version" => !list("no help by -h").contains(&name),
        option => tells_version(name, option),
    }
}

/// Whether a program prints its version, and nothing more happens, by this option alone.
pub(super) fn tells_version(name: &str, option: &str) -> bool {
    let plain = name.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-'));
    let names = match option {
        "-v" => list("version by -v"),
        "-V" => list("version by -V"),
        "-VV" => list("version by -VV"),
        "-vV" | "-Vv" => list("version by -vV"),
        _ => &[],
    };
    names.contains(&name) || names.contains(&plain)
}
