//! Judges of editors and pagers, which run programs when they are told to.
//!
//! Owns their command options and the scripts they are fed. Never looks into lisp: that is [`super::inline`].

use super::super::expand::{Feed, Field};
use super::super::knowledge::list;
use super::super::path::{Place, place};
use super::super::walk::Walker;
use super::{Case, inline};

/// Editors: commands given on the command line or fed run things.
pub(super) fn editor(w: &mut Walker<'_>, case: &Case<'_>) {
    let emacs = matches!(case.name, "emacs" | "emacsclient");
    for opt in &case.args.opts {
        match (opt.name.as_str(), &opt.value) {
            ("--eval" | "-eval" | "--execute" | "-e", Some(code)) if emacs => inline::look(w, code),
            ("-f" | "--funcall", Some(function)) if emacs => w.hit("code", function.span),
            ("-l" | "--load" | "--script" | "-S" | "-u" | "-s" | "--source", Some(file))
                if (emacs || is_vi(case.name))
                    && !matches!(file.text.as_str(), "NONE" | "NORC" | "DEFAULTS") =>
            {
                w.run_file(file, file.span);
                w.hit("script", file.span);
            }
            ("-c" | "--cmd", Some(command)) if is_vi(case.name) => vi_command(w, command),
            // What another editor that runs is told.
            ("--remote-expr" | "--remote-send", _) => w.hit("hidden-run", opt.span),
            ("--install-extension", _) => w.hit("global-install", opt.span),
            _ => {}
        }
    }
    for field in &case.args.operands {
        if let Some(command) = field.text.strip_prefix('+').filter(|_| is_vi(case.name)) {
            vi_command(w, &field.with(command));
        } else if matches!(place(&field.text, w.stand.cwd), Place::Outside | Place::Control | Place::Device) {
            w.judge_write(field, "write");
        }
    }
    if matches!(case.name, "ed" | "ex") || is_vi(case.name) && case.args.has(&["-s"]) {
        fed(w, case);
    }
}

/// The commands that an editor is fed, a line each.
fn fed(w: &mut Walker<'_>, case: &Case<'_>) {
    match case.feed {
        Feed::Text(text) => {
            for line in text.lines().take(4096) {
                vi_command(w, &Field::plain(line, case.span));
            }
        }
        Feed::Fetched => w.hit("fetch-run", case.span),
        Feed::Inherit | Feed::File(_) | Feed::Other => {}
    }
}

fn is_vi(name: &str) -> bool {
    matches!(
        name,
        "vi" | "vim" | "nvim" | "view" | "ex" | "ed" | "gvim" | "rvim" | "rview" | "vimdiff" | "vim.basic"
    )
}

/// Whether a command of vi begins with a pattern: `/x`, `s!a!b!`, `g/x/d`, which no name of a command does.
fn is_pattern(text: &str) -> bool {
    let behind = text.strip_prefix(['s', 'g', 'v']).and_then(|rest| rest.chars().next());
    text.starts_with(['/', '?']) || behind.is_some_and(|sign| !sign.is_alphanumeric() && sign != ' ')
}

/// One command of vi: starts of programs, other languages, where it writes.
fn vi_command(w: &mut Walker<'_>, command: &Field) {
    let text = command.text.trim_start_matches([':', ' ', '%']);
    let starts = text.match_indices('!').any(|(at, _)| {
        let before: String = text.get(..at).unwrap_or("").to_owned();
        let word = before.rsplit(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or("");
        let replaces = is_pattern(text) && !before.is_empty();
        word.is_empty() && !replaces || !word.is_empty() && !list("vi even so").contains(&word) && !replaces
    });
    let calls = ["system", "term", "call ", "job_start", "jobstart", "libcall", "execute ", "make", "grep "]
        .iter()
        .any(|word| text.contains(word) && !is_pattern(text));
    let language = ["py", "lua", "rub", "perl", "mz", "tcl"].iter().any(|word| text.starts_with(word));
    if ["argdo", "bufdo", "windo", "tabdo"].iter().any(|all| text.contains(all))
        && text.contains(['d', 'w', 'u'])
    {
        w.hit("delete-tree", command.span);
    }
    if ["Plug", "Pack", "Lazy", "Mason", "Vundle", "TSInstall", "CocInstall"]
        .iter()
        .any(|word| text.starts_with(word))
    {
        w.hit("global-install", command.span);
    }
    w.hit(if starts || calls || language { "hidden-run" } else { "write" }, command.span);
    let mut words = text.split_ascii_whitespace();
    let verb = words.next().unwrap_or("").trim_end_matches('!');
    if let (true, Some(file)) = (matches!(verb, "w" | "write" | "sav" | "saveas" | "wq" | "x"), words.next())
    {
        w.judge_write(&command.with(file), "write");
    }
    if let (true, Some(file)) =
        (matches!(verb, "r" | "read" | "e" | "edit"), text.split_ascii_whitespace().nth(1))
    {
        w.judge_read(&command.with(file));
    }
}
