//! Shells that are started as programs: where their code comes from.
//!
//! Owns the arguments of shells, `cmd` and PowerShell. Never judges a command: that goes back to the walk.

use super::args::{Args, Opt};
use super::expand::{Feed, Field, UNKNOWN};
use super::grammar::Kind;
use super::help;
use super::knowledge::list;
use super::modes::is_plain;
use super::programs;
use super::shell::source;
use super::syntax::Span;
use super::value::Value;
use super::walk::Walker;

/// `cmd /c`.
pub(super) fn cmd(w: &mut Walker<'_>, args: &[Field], span: Span) -> Feed {
    let start =
        args.iter().position(|f| f.text.eq_ignore_ascii_case("/c") || f.text.eq_ignore_ascii_case("/k"));
    match start.and_then(|at| args.get(at + 1..)) {
        Some([one]) => {
            let _ = w.run_apart(&one.text.replace('\\', "/"), span);
        }
        Some([]) | None => w.hit("unknown", span),
        Some(all) => {
            let _ = w.dispatch_outside(all, span, Feed::Inherit);
        }
    }
    w.hit("script", span);
    Feed::Other
}

/// What a shell reads from standard input is code.
pub(super) fn feed_shell(w: &mut Walker<'_>, feed: &Feed, span: Span, sourced: bool) {
    match feed {
        Feed::Inherit => w.hit("script", span),
        Feed::Text(text) => {
            // What a program before it prints is not spelled out, nor what another one has begun to read.
            if !std::mem::take(&mut w.fed_plainly) {
                w.note_uncovered();
            }
            let _ = if sourced { w.run_text(text, span) } else { w.apart(|w| w.run_text(text, span)) };
        }
        Feed::File(name) => {
            w.hit("script", span);
            w.read_file(&Field::plain(name, span), span, sourced);
        }
        Feed::Fetched => w.hit("fetch-run", span),
        Feed::Lines { .. } | Feed::Other => w.hit("computed-code", span),
    }
}

/// Judges a shell by its arguments.
pub(super) fn shell(w: &mut Walker<'_>, name: &str, args: &[Field], span: Span, feed: &Feed) -> Feed {
    let before = std::mem::replace(&mut w.zsh, name == "zsh");
    let foreign = std::mem::replace(&mut w.foreign, !matches!(name, "bash" | "rbash"));
    // A profile may name another scratch folder.
    let profile =
        programs::find(name).is_some_and(|program| Args::read(program, args).has(&["-l", "--login", "-i"]));
    let settings = profile.then(|| ("TMPDIR".to_owned(), Value::unknown())).into_iter().collect();
    let out = w.with_settings(settings, false, |w| started(w, name, args, span, feed));
    w.zsh = before;
    w.foreign = foreign;
    out
}

fn started(w: &mut Walker<'_>, name: &str, args: &[Field], span: Span, feed: &Feed) -> Feed {
    let asks =
        |word: &str| matches!(word, "--help" | "--version" | "-version") || help::tells_version(name, word);
    if matches!(args, [only] if asks(&only.text)) {
        w.hit("help", span);
        return Feed::Text(String::new());
    }
    let ps = matches!(name, "pwsh" | "powershell");
    if ps && let Some(out) = powershell(w, args, span) {
        return out;
    }
    if ps {
        let mut rest = args.iter();
        let takes = ["-ex", "-ep", "-ou", "-in", "-wi", "-ve", "-wo"];
        while let Some(field) = rest.as_slice().first().filter(|f| f.text.starts_with('-')) {
            let lower = field.text.to_ascii_lowercase();
            rest = rest
                .as_slice()
                .get(1 + usize::from(takes.iter().any(|o| lower.starts_with(o)))..)
                .unwrap_or(&[])
                .iter();
        }
        shell_input(w, rest.as_slice(), span, feed);
        return Feed::Other;
    }
    let Some(program) = programs::find(name) else { return Feed::Other };
    let read = Args::read(program, args);
    let rest = read.places.first().and_then(|at| args.get(*at..)).unwrap_or(&[]);
    settings(w, &read);
    for opt in &read.opts {
        w.option_value(program, opt);
        if opt.kind == Some(Kind::Conf) {
            w.hit("hidden-run", opt.span);
        }
    }
    if read.has(&["-n"]) && name != "nu" && only_checks(args, &read) {
        // Only the grammar is checked: nothing of it runs.
        for file in rest {
            w.judge_read(file);
        }
        return Feed::Other;
    }
    if let Some(opt) = read.opt(&["-c", "--command", "--commands"]) {
        // Another language than the one that is read here.
        if matches!(name, "fish" | "nu" | "csh" | "tcsh") {
            w.hit("code", span);
            let code = opt.value.as_ref().or(rest.first()).map_or("", |code| code.text.as_str());
            let words = list(if name == "fish" { "lasting words of fish" } else { "lasting words of csh" });
            if words.iter().any(|word| code.contains(word)) {
                w.hit("persist", span);
            }
        }
        let given: Vec<Field> = opt.value.iter().chain(rest).cloned().collect();
        return shell_code(w, ps, &given, span, feed);
    }
    if read.has(&["-s"]) {
        feed_shell(w, feed, span, false);
    } else {
        shell_input(w, rest, span, feed);
    }
    Feed::Other
}

/// Whether nothing beside `-n` turns the check of the grammar off again, or says what runs.
fn only_checks(args: &[Field], read: &Args) -> bool {
    const PLAIN: [&str; 8] = ["-n", "-v", "-x", "-e", "-u", "--posix", "--norc", "--noprofile"];
    let turned = args.iter().take_while(|f| f.text.starts_with(['-', '+'])).any(|f| f.text.starts_with('+'));
    !turned && read.opts.iter().all(|opt| PLAIN.contains(&opt.name.as_str()))
}

/// Options of a shell that change what its code means.
fn settings(w: &mut Walker<'_>, read: &Args) {
    let all = |f: &Field| f.text == "allexport";
    w.memory.traces |= read.has(&["-x"]);
    // Only what is known to leave the reading of words as it is does.
    let named = |o: &Opt| matches!(o.name.as_str(), "-o" | "-O");
    let mut names = read.opts.iter().filter(|o| named(o)).filter_map(|o| o.value.as_ref());
    let turned = |text: &str| text.starts_with('+') && !is_plain(text);
    if names.any(|name| !is_plain(&name.text))
        || read.operands.iter().any(|word| turned(&word.text))
        || read.opts.iter().any(|opt| turned(&opt.text))
    {
        w.note_uncovered();
    }
    w.memory.gives_all |= read.has(&["-a"]) || read.opts.iter().filter_map(|o| o.value.as_ref()).any(all);
    // Words behind a command are then its variables.
    let keyword = |o: &Opt| {
        matches!(o.name.as_str(), "-k" | "-o")
            && (o.name == "-k" || o.value.as_ref().is_some_and(|v| v.text == "keyword"))
    };
    for opt in read.opts.iter().filter(|opt| keyword(opt)) {
        w.hit("hidden-run", opt.span);
    }
}

/// The options of PowerShell that hold code or lift its guard; `None` when there is no code among them.
fn powershell(w: &mut Walker<'_>, args: &[Field], span: Span) -> Option<Feed> {
    for (at, field) in args.iter().enumerate() {
        let lower = field.text.to_ascii_lowercase();
        if lower.len() < 2 || !lower.starts_with('-') {
            continue;
        }
        if "-encodedcommand".starts_with(&lower) || lower == "-ec" || lower == "-enc" {
            w.hit("computed-code", field.span);
            return Some(Feed::Other);
        }
        if "-executionpolicy".starts_with(&lower) || lower == "-ep" || lower == "-exec" {
            let bypass = args.get(at + 1).is_some_and(|f| {
                f.text.eq_ignore_ascii_case("bypass") || f.text.eq_ignore_ascii_case("unrestricted")
            });
            if bypass {
                w.hit("hidden-run", field.span);
            }
        } else if "-command".starts_with(&lower) {
            let all: Vec<&str> = args.iter().skip(at + 1).map(|f| f.text.as_str()).collect();
            w.hit("script", span);
            let _ = w.run_apart(&all.join(" "), span);
            return Some(Feed::Other);
        } else if "-file".starts_with(&lower) {
            let script = args.get(at + 1)?;
            source(w, std::slice::from_ref(script), span, false);
            return Some(Feed::Other);
        }
    }
    None
}

/// A shell's script: a file, or what it is fed.
fn shell_input(w: &mut Walker<'_>, rest: &[Field], span: Span, feed: &Feed) {
    match rest.iter().find(|f| f.text != "--") {
        None => feed_shell(w, feed, span, false),
        Some(file) if matches!(file.text.as_str(), "-" | "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0") => {
            feed_shell(w, feed, span, false);
        }
        Some(file) => source(w, std::slice::from_ref(file), span, false),
    }
}

fn shell_code(w: &mut Walker<'_>, powershell: bool, rest: &[Field], span: Span, feed: &Feed) -> Feed {
    let Some((code, more)) = rest.split_first() else {
        w.hit("unreadable", span);
        return Feed::Other;
    };
    if code.feed == Some(Feed::Fetched) {
        w.hit("fetch-run", code.span);
        return Feed::Other;
    }
    if code.text.starts_with(UNKNOWN) {
        w.hit("computed-code", code.span);
        return Feed::Other;
    }
    if code.unknown() {
        w.hit("computed-input", code.span);
    }
    if powershell {
        w.hit("script", span);
    }
    let run = |w: &mut Walker<'_>| {
        w.apart(|w| {
            if let Some((zero, values)) = more.split_first() {
                w.set_positional(values);
                w.assign("0", Value::from_field(zero));
            }
            w.run_fed(&code.text, code.span, feed)
        })
    };
    // It is done for each of several.
    if code.many || more.iter().any(|field| field.many) { w.times(1, run) } else { run(w) }
}
