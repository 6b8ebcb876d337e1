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
        Feed::Inherit | Feed::File(_) | Feed::Lines { .. } | Feed::Other => {}
    }
}

fn is_vi(name: &str) -> bool {
    matches!(
        name,
        "vi" | "vim" | "nvim" | "view" | "ex" | "ed" | "gvim" | "rvim" | "rview" | "vimdiff" | "vim.basic"
    )
}

/// What a command of vi does behind its patterns: `d` of `g/x/d`, nothing of `s!a!b!`, the expression of `s/x/\=system(1)/`.
fn behind_patterns(text: &str) -> &str {
    let (parts, rest) = match text.strip_prefix(['g', 'v']) {
        Some(rest) => (1, rest.strip_prefix('!').filter(|rest| opens(rest)).unwrap_or(rest)),
        None => text.strip_prefix('s').map_or((1, text), |rest| (2, rest)),
    };
    let at_once = rest.len() == text.len();
    let Some(sign) =
        rest.chars().next().filter(|sign| if at_once { matches!(sign, '/' | '?') } else { opens(rest) })
    else {
        return text;
    };
    let mut left = rest.get(sign.len_utf8()..).unwrap_or_default();
    for part in 0..parts {
        if part == 1 && left.starts_with("\\=") {
            return left;
        }
        let Some(at) = unescaped(left, sign) else { return "" };
        left = left.get(at + sign.len_utf8()..).unwrap_or_default();
    }
    let left = left.trim_start();
    if parts == 2 || left.len() == text.len() { left } else { behind_patterns(left) }
}

/// Whether a sign stands here that a pattern may begin with.
fn opens(text: &str) -> bool {
    text.starts_with(|sign: char| !sign.is_alphanumeric() && !matches!(sign, ' ' | '"' | '|' | '\\'))
}

/// Where a sign stands that no backslash stands before.
fn unescaped(text: &str, sign: char) -> Option<usize> {
    let mut escaped = false;
    text.char_indices().find_map(|(at, c)| {
        let found = c == sign && !escaped;
        escaped = c == '\\' && !escaped;
        found.then_some(at)
    })
}

/// One command of vi: starts of programs, other languages, where it writes.
fn vi_command(w: &mut Walker<'_>, command: &Field) {
    let text = command.text.trim_start_matches([':', ' ', '%']);
    let does = behind_patterns(text);
    let starts = does.match_indices('!').any(|(at, _)| {
        let before = does.get(..at).unwrap_or_default();
        let word = before.rsplit(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or("");
        word.is_empty() || !list("vi even so").contains(&word)
    });
    let calls = ["system", "term", "call ", "job_start", "jobstart", "libcall", "execute ", "make", "grep "]
        .iter()
        .any(|word| does.contains(word));
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
