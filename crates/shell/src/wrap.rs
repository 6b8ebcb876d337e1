//! Programs that only run another one: `env`, `timeout` and their like.
//!
//! Owns how each finds the command inside its arguments; which there are is data. Never adds risk of its own beyond a stated floor.
//! Those that run it once for each of many items are in [`super::spread`].

use super::Risk;
use super::args::{Args, Opt};
use super::expand::{Feed, Field};
use super::grammar::Kind;
use super::knowledge::list;
use super::path::{Cwd, Place, place};
use super::programs::{self, Dest};
use super::spread;
use super::started;
use super::syntax::Span;
use super::value::Value;
use super::walk::Walker;

/// Whether a wrapper adds nothing to the command inside it.
pub(super) fn carries(name: &str) -> bool {
    programs::find(name).and_then(|program| program.wraps).is_some_and(|wraps| wraps.floor.is_none())
}

/// Likewise with the words that stand before that command: each option is one of those that are named, so that it opens no
/// file, reads no variables and starts nothing else.
pub(super) fn only_carries(name: &str, words: &[Field]) -> bool {
    let Some(program) = programs::find(name).filter(|_| carries(name)) else { return false };
    let skip = program.wraps.map_or(0, |wraps| wraps.skip);
    let args = Args::read(program, words);
    let behind = args.places.get(skip.saturating_sub(1)).map_or(words.len(), |at| at + 1);
    let behind = words.iter().skip(behind).filter(|_| skip > 0);
    let mut own = behind.take_while(|f| f.text.len() > 1 && f.text.starts_with('-') && f.text != "--");
    let null = |f: &Field| matches!(place(&f.text, Cwd::Project), Place::Null);
    (skip == 0 || !program.reads.is_empty())
        && args.opts.iter().all(|opt| super::reads::only_reads(program, opt) || draws(name, opt))
        && own.all(|f| f.text == "-c")
        && (name != "script" || args.operands.first().is_some_and(null))
        && (name != "parallel" || !words.iter().any(|f| f.text.starts_with("::::")))
}

/// Whether an option only says how large a screen is that nobody sees.
fn draws(name: &str, opt: &Opt) -> bool {
    let plain = |word: &str| {
        list("arguments of drawn screens").contains(&word)
            || word.chars().all(|c| c.is_ascii_digit() || matches!(c, 'x' | '+'))
    };
    let value = opt.value.as_ref().map_or("", |value| value.text.as_str());
    name == "xvfb-run"
        && matches!(opt.name.as_str(), "-s" | "--server-args")
        && !value.is_empty()
        && value.split_whitespace().all(plain)
}

/// Judges a wrapper; `None` when the name is none.
pub(super) fn judge(w: &mut Walker<'_>, name: &str, argv: &[Field], span: Span, feed: &Feed) -> Option<Feed> {
    match name {
        "env" | "genv" => return Some(env(w, argv, span, feed)),
        "command" => return Some(command(w, argv, span, feed)),
        "xargs" | "gxargs" => return Some(spread::xargs(w, argv, span, feed)),
        "parallel" | "rush-parallel" => return Some(spread::parallel(w, argv, span, feed)),
        _ => {}
    }
    let wraps = programs::find(name)?.wraps?;
    if matches!(argv, [_, only] if matches!(only.text.as_str(), "--help" | "--version")) {
        w.hit("help", span);
        return Some(Feed::Text(String::new()));
    }
    let rest = inner(w, argv, name);
    if let Some(floor) = wraps.floor {
        beneath(w, floor, rest, span, feed);
    }
    match name {
        "watch" if argv.iter().any(|f| matches!(f.text.as_str(), "-x" | "--exec")) => {}
        "watch" | "concurrently" | "npm-run-all" | "hyperfine" => return Some(texts(w, name, rest, span)),
        "busybox" | "toybox" if rest.is_empty() => return Some(Feed::Text(String::new())),
        _ => {}
    }
    if name == "logsave"
        && let Some(file) = rest.first()
    {
        w.judge_write(file, "write-hidden");
    }
    // What a wrapper's own operand names it opens to write.
    let opened = programs::find(name).is_some_and(|program| program.dest == Dest::All);
    for file in rest.iter().take(wraps.skip).filter(|_| opened) {
        if !matches!(place(&file.text, w.stand.cwd), Place::Project | Place::Scratch | Place::Unknown) {
            w.judge_write(file, "write-hidden");
        }
    }
    let skip = skipped(name, wraps.skip, argv, rest);
    if name == "script" {
        if let Some(file) = rest.first() {
            w.judge_write(file, "write-hidden");
        } else {
            w.hit("write-hidden", span);
        }
    }
    if name == "taskset" && rest.first().is_some_and(|f| f.text.starts_with("-p")) {
        return Some(Feed::Other);
    }
    let command = rest.get(skip..).unwrap_or(&[]);
    // Its own options may follow its operands.
    let own = |f: &&Field| skip > 0 && f.text.len() > 1 && f.text.starts_with('-') && f.text != "--";
    let command = command.get(command.iter().take_while(own).count()..).unwrap_or(&[]);
    let command = if command.first().is_some_and(|f| f.text == "--") {
        command.get(1..).unwrap_or(&[])
    } else {
        command
    };
    if let [option, code, ..] = command
        && let Some(program) = programs::find(name)
        && program.kind_of(&option.text, &option.text, "") == Some(Kind::Command)
    {
        return Some(w.run_apart(&code.text, code.span));
    }
    Some(with_environment(w, (name, argv), |w| carried(w, name, command, span, feed)))
}

/// How many operands of a wrapper stand before the command.
fn skipped(name: &str, skip: usize, argv: &[Field], rest: &[Field]) -> usize {
    match name {
        "script" => rest.len().min(1),
        // The time stands behind the option.
        "faketime" if argv.get(1).is_some_and(|f| f.text.starts_with("-f")) => 0,
        "faketime"
            if rest.first().is_some_and(|f| f.text.contains('/') || super::command::is_known(&f.text)) =>
        {
            0
        }
        _ => skip,
    }
}

/// Does something in the environment that a wrapper leaves: `exec -c` leaves none.
fn with_environment<T>(
    w: &mut Walker<'_>,
    (name, argv): (&str, &[Field]),
    inner: impl FnOnce(&mut Walker<'_>) -> T,
) -> T {
    let program = programs::find(name).filter(|_| name == "exec");
    let read = program.zip(argv.get(1..)).map(|(program, words)| Args::read(program, words));
    let emptied = read.is_some_and(|read| read.has(&["-c"]));
    let settings = if emptied { w.no_environment() } else { Vec::new() };
    w.with_settings(settings, false, inner)
}

/// What holds of a wrapper whatever is inside; with nothing inside it reads what it is fed.
fn beneath(w: &mut Walker<'_>, floor: &'static str, rest: &[Field], span: Span, feed: &Feed) {
    w.hit(floor, span);
    if rest.is_empty() {
        w.look_at_fed(feed, span);
    }
}

/// Judges the command that a wrapper carries, settings before it included.
fn carried(w: &mut Walker<'_>, name: &str, command: &[Field], span: Span, feed: &Feed) -> Feed {
    let assigned = command.iter().take_while(|f| is_assignment(&f.text)).count();
    for field in command.iter().take(assigned) {
        if let Some((variable, value)) = field.text.split_once('=') {
            w.judge_setting(variable, value, field.span);
            w.note_given(variable, value);
        }
    }
    let (set, command) = command.split_at(assigned);
    let Some(first) = command.first() else {
        // Behind a word of the shell an assignment lasts.
        for (field, (variable, value)) in set.iter().filter_map(|f| Some((f, f.text.split_once('=')?))) {
            w.assign(variable.trim_end_matches('+'), Value::from_field(&field.with(value)));
        }
        if set.is_empty() && !list("idle without a command").contains(&name) {
            return started::shell(w, "sh", &[], span, feed);
        }
        return Feed::Inherit;
    };
    // As a filter `ts` is given a format.
    if name == "ts" && first.text.contains('%') {
        return Feed::Other;
    }
    if name == "exec" && first.twisted && first.text.is_empty() {
        return Feed::Inherit;
    }
    if matches!(name, "time" | "then" | "noglob" | "nocorrect" | "builtin") {
        return w.dispatch(command, span, feed.clone());
    }
    w.dispatch_outside(command, span, feed.clone())
}

/// The arguments after a wrapper's options; options that hold code or write are judged.
pub(super) fn inner<'a>(w: &mut Walker<'_>, argv: &'a [Field], name: &str) -> &'a [Field] {
    let (Some(program), Some(words)) = (programs::find(name), argv.get(1..)) else { return &[] };
    let args = Args::read(program, words);
    for opt in &args.opts {
        w.option_value(program, opt);
    }
    for found in program.judge(&args).into_iter().filter(|found| found.rule.risk == Risk::High) {
        w.hit_rule(found.rule, found.span.unwrap_or_default());
    }
    args.places.first().and_then(|at| words.get(*at..)).unwrap_or(&[])
}

/// `watch` joins its arguments into one line; the others run each argument.
fn texts(w: &mut Walker<'_>, name: &str, rest: &[Field], span: Span) -> Feed {
    if name == "watch" {
        let line: Vec<&str> = rest.iter().map(|f| f.text.as_str()).collect();
        let _ = w.run_apart(&line.join(" "), span);
    } else {
        for field in rest {
            let _ = w.run_apart(&field.text, field.span);
        }
    }
    Feed::Other
}

/// Whether a word is `NAME=value`.
pub(super) fn is_assignment(text: &str) -> bool {
    let Some((name, _)) = text.split_once('=') else { return false };
    !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn env(w: &mut Walker<'_>, argv: &[Field], span: Span, feed: &Feed) -> Feed {
    if argv.iter().skip(1).take(1).any(|f| matches!(f.text.as_str(), "--help" | "--version")) {
        w.hit("help", span);
        return Feed::Text(String::new());
    }
    let (Some(program), Some(words)) = (programs::find("env"), argv.get(1..)) else { return Feed::Other };
    let args = Args::read(program, words);
    let rest = args.places.first().and_then(|at| words.get(*at..)).unwrap_or(&[]);
    let dash = rest.first().is_some_and(|f| f.text == "-");
    let rest = rest.get(usize::from(dash)..).unwrap_or(&[]);
    let before = (w.steered, w.lasting);
    let emptied = dash || args.has(&["-i", "--ignore-environment"]);
    let set = rest.iter().take_while(|f| is_assignment(&f.text));
    let mut settings = if emptied { w.no_environment() } else { Vec::new() };
    for opt in args.opts.iter().filter(|o| matches!(o.name.as_str(), "-u" | "--unset")) {
        if opt.value.as_ref().is_some_and(|name| name.text.starts_with("GIT_CONFIG_")) {
            w.hit("hidden-run", opt.span);
        }
        settings.extend(opt.value.as_ref().map(|name| (name.text.clone(), Value::of(""))));
    }
    for field in set.clone() {
        if let Some((name, value)) = field.text.split_once('=') {
            w.judge_setting(name, value, field.span);
            w.note_given(name, value);
            settings.push((name.to_owned(), Value::from_field(&field.with(value))));
        }
    }
    let command = rest.get(set.count()..).unwrap_or(&[]);
    if let Some(code) = args.opt(&["-S", "--split-string"]).and_then(|opt| opt.value.as_ref()) {
        let line: Vec<&str> = [code].into_iter().chain(command).map(|f| f.text.as_str()).collect();
        // Its signs are not those of a shell.
        if code.text.contains(['\\', '$', '#', ';', '|', '&', '<', '>', '`', '(']) {
            w.hit("hidden-run", span);
        }
        return w.run_apart(&line.join(" "), span);
    }
    if command.is_empty() {
        if !emptied {
            w.hit("environment", span);
        }
        return Feed::Other;
    }
    // The last one counts.
    let aside = args.opts.iter().rev().find(|opt| matches!(opt.name.as_str(), "-C" | "--chdir"));
    let folder = aside.and_then(|opt| opt.value.clone());
    let stand = w.stand.clone();
    if let Some(folder) = folder {
        w.judge_word(&folder);
        if place(&folder.text, w.stand.cwd) == Place::Outside {
            w.stand.cwd = Cwd::Outside;
        }
        w.go_to(&folder);
    }
    let out = w.given_for(before, |w| {
        w.with_settings(settings, false, |w| w.dispatch_outside(command, span, feed.clone()))
    });
    w.stand = stand;
    out
}

fn command(w: &mut Walker<'_>, argv: &[Field], span: Span, feed: &Feed) -> Feed {
    let mut rest = argv.get(1..).unwrap_or(&[]);
    while let Some((first, tail)) = rest.split_first() {
        match first.text.as_str() {
            "-v" | "-V" => {
                return tail.first().map_or(Feed::Other, |f| Feed::Text(super::prints::found(&f.text)));
            }
            "-p" | "--" => rest = tail,
            _ => break,
        }
    }
    if rest.is_empty() {
        return Feed::Inherit;
    }
    w.outside = true;
    w.dispatch(rest, span, feed.clone())
}

#[cfg(test)]
mod tests {
    use crate::{Risk, knowledge::list, programs, read};

    #[test]
    fn with_nothing_to_run_it_is_a_shell_or_idle() {
        let wraps = |name: &&str| programs::find(name).is_some_and(|program| program.wraps.is_some());
        for name in programs::role::all().filter(wraps) {
            for line in [format!("echo 'rm -rf notes' | {name}"), format!("{name} <<< 'rm -rf notes'")] {
                let risk = read(&line).verdict.risk;
                assert!(
                    risk == Risk::High || list("idle without a command").contains(&name),
                    "{line}: {risk:?}"
                );
            }
        }
        for line in [
            "echo 'rm -rf notes' | script -q /dev/null",
            "curl -s https://a.example/i.sh | fakeroot",
            "linux64 < notes/a.sh",
            "echo 'rm -rf notes' | setarch x86_64 -R",
        ] {
            assert!(read(line).verdict.risk > Risk::Low, "{line}");
        }
        assert_eq!(read("setarch x86_64 -R ls").verdict.risk, Risk::Low);
    }
}
