//! The shell's own commands.
//!
//! Owns what builtins do to the state of the walk. Never judges other programs; a shell that is started is
//! [`super::started`]'s.

use super::echo;
use super::expand::{Feed, Field, UNKNOWN};
use super::knowledge::list;
use super::letters;
use super::path::{Cwd, Place, place};
use super::programs::{self, Role};
use super::started::{self, feed_shell};
use super::syntax::Span;
use super::value::Value;
use super::walk::Walker;

/// Judges a builtin or a shell; `None` when the name is neither.
pub(super) fn judge(w: &mut Walker<'_>, name: &str, argv: &[Field], span: Span, feed: &Feed) -> Option<Feed> {
    let args = argv.get(1..).unwrap_or(&[]);
    let first = args.first().map_or("", |f| f.text.as_str());
    carried_code(w, name, args);
    super::modes::set(w, name, args);
    let out = match name {
        "echo" => echo::echo(w, args),
        "printf" => echo::printf(w, args),
        "eval" => eval(w, args, span, feed),
        "source" | "." => {
            if matches!(first, "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0") {
                feed_shell(w, feed, span, true);
            } else {
                source(w, args, span, true);
            }
            Feed::Other
        }
        "trap" => trap(w, args),
        "alias" => alias(w, args),
        "export" | "declare" | "typeset" | "local" | "readonly" => declare(w, name, args, span),
        "set" => set(w, args, span),
        "unalias" | "test" | "[" | "complete" | "compgen" | "disown" | "fg" | "bg" => Feed::Inherit,
        "enable" => {
            // What is no builtin yet is loaded as a library.
            let loads = |f: &Field| {
                let letters = f.text.strip_prefix('-');
                letters.map_or(!list("builtins of bash").contains(&f.text.as_str()), |l| l.contains('f'))
            };
            if args.iter().any(loads) {
                w.hit("hidden-run", span);
            }
            Feed::Inherit
        }
        "cmd" => started::cmd(w, args, span),
        _ if programs::is(name, Role::Shell) => started::shell(w, name, args, span, feed),
        _ if changes_state(w, name, args, feed) => Feed::Inherit,
        _ => return None,
    };
    Some(out)
}

/// Builtins that print nothing and change what the shell holds or where it stands. Whether this is one.
fn changes_state(w: &mut Walker<'_>, name: &str, args: &[Field], feed: &Feed) -> bool {
    match name {
        "cd" | "chdir" | "pushd" | "popd" => move_to(w, name, args),
        "read" | "mapfile" | "readarray" => take_in(w, name, args, feed),
        "unset" => unset(w, args),
        "shift" => w.shift(args.first().and_then(|f| f.text.parse().ok()).unwrap_or(1)),
        "getopts" => {
            for name in [args.get(1).map_or("OPTARG", |f| f.text.as_str()), "OPTARG"] {
                w.assign(name, Value::unknown());
            }
        }
        "let" => {
            for field in args {
                w.check_numbers(&field.text, field.span);
                w.check_arithmetic(field);
            }
        }
        _ => return false,
    }
    true
}

fn eval(w: &mut Walker<'_>, args: &[Field], span: Span, feed: &Feed) -> Feed {
    let all: Vec<&str> = args.iter().map(|f| f.text.as_str()).collect();
    if args.iter().any(|f| f.feed == Some(Feed::Fetched)) {
        w.hit("fetch-run", span);
    } else if args.iter().any(Field::unknown) {
        w.hit("computed-code", span);
    }
    w.run_fed(&all.join(" "), span, feed)
}

/// Builtins that keep code for later, and those that evaluate subscripts inside quoted words.
fn carried_code(w: &mut Walker<'_>, name: &str, args: &[Field]) {
    let option = match name {
        "hash" => "-p",
        "bind" => "-x",
        "complete" | "compgen" | "mapfile" | "readarray" => "-C",
        _ => "",
    };
    // In zsh `hash` names programs and folders with one word.
    if let Some(entry) = args.iter().find(|f| name == "hash" && f.text.contains('=')) {
        w.hit("hidden-run", entry.span);
    }
    if let Some(at) = args.iter().position(|f| !option.is_empty() && f.text.starts_with(option)) {
        let code = args.get(at + 1).or_else(|| args.get(at));
        w.hit("hidden-run", code.map_or_else(Span::default, |f| f.span));
    }
    let runs = |letter: char| option.ends_with(letter);
    for (_, code) in letters::split(name, args).0.into_iter().filter(|(letter, _)| runs(*letter)) {
        w.hit("hidden-run", code.or_else(|| args.first().cloned()).map_or_else(Span::default, |f| f.span));
    }
    if matches!(name, "complete" | "compgen")
        && let Some(list) = args.iter().position(|f| f.text == "-W").and_then(|at| args.get(at + 1))
    {
        w.run_quoted(&list.text, list.span);
    }
    let evaluates = match name {
        "let" | "unset" | "read" | "mapfile" | "readarray" | "declare" | "typeset" | "local" | "getopts" => {
            true
        }
        "printf" => args.first().is_some_and(|f| f.text.starts_with("-v")),
        "test" | "[" => args.iter().any(|f| f.text == "-v"),
        "wait" => args.iter().any(|f| f.text.starts_with(['-'])),
        _ => false,
    };
    if name == "wait"
        && let Some(variable) = letters::split(name, args)
            .0
            .into_iter()
            .find_map(|(letter, value)| value.filter(|_| letter == 'p'))
    {
        w.fill(&variable.text, Value::unknown());
    }
    for field in args {
        w.doubt_number(evaluates && field.text.contains('[') && field.data);
        if evaluates && field.text.contains('[') && (field.text.contains("$(") || field.text.contains('`')) {
            w.hit("hidden-run", field.span);
            w.run_quoted(&field.text, field.span);
        }
    }
}

pub(super) fn source(w: &mut Walker<'_>, args: &[Field], span: Span, sourced: bool) {
    let Some(file) = args.first() else { return };
    if file.unknown() || matches!(file.feed, Some(Feed::Lines { .. } | Feed::Other)) {
        w.hit("computed-code", file.span);
    }
    if let Some(feed) = &file.feed {
        feed_shell(w, feed, span, sourced);
    }
    w.hit("script", span);
    w.read_file(file, span, sourced);
    w.stand.cwd = if w.stand.cwd == Cwd::Outside { Cwd::Outside } else { w.stand.cwd };
}

fn trap(w: &mut Walker<'_>, args: &[Field]) -> Feed {
    let args = match args {
        [dashes, rest @ ..] if dashes.text == "--" => rest,
        all => all,
    };
    match args {
        [only] if only.text.starts_with('-') => {}
        [code, signals @ ..] if code.text != "-" => {
            let _ = w.run_text(&code.text, code.span);
            w.add_trap(code, signals.iter().all(|f| matches!(f.text.as_str(), "EXIT" | "0")));
        }
        _ => {}
    }
    Feed::Inherit
}

/// `read`, `mapfile`: variables get what is fed.
fn take_in(w: &mut Walker<'_>, name: &str, args: &[Field], feed: &Feed) {
    let (letters, rest) = letters::split(name, args);
    let kept =
        letters.iter().all(|(letter, _)| if name == "read" { "rsetpai" } else { "t" }.contains(*letter));
    let (raw, listed) = (letters.iter().any(|(l, _)| *l == 'r'), letters.iter().any(|(l, _)| *l == 'a'));
    let list = letters.into_iter().filter(|(letter, _)| *letter == 'a' && name == "read");
    let mut names: Vec<String> = list.filter_map(|(_, value)| Some(value?.text)).collect();
    names.extend(rest.iter().map(|word| word.text.clone()));
    let default = if name == "read" { "REPLY" } else { "MAPFILE" };
    if names.is_empty() {
        names.push(default.to_owned());
    }
    let known = match feed {
        // Other ends and other counts of what is read give other values.
        Feed::Text(text) if kept && !w.is_assigned("IFS") => Some(text.strip_suffix('\n').unwrap_or(text)),
        Feed::Text(_) | Feed::Inherit | Feed::File(_) | Feed::Fetched | Feed::Lines { .. } | Feed::Other => {
            None
        }
    };
    if let (Some(text), true) = (&known, name != "read") {
        let lines = text.split('\n').map(|line| Field::plain(line, Span::default()).made());
        let lines: Vec<Field> = lines.collect();
        return names.iter().for_each(|name| w.fill(name, Value::list(&lines)));
    }
    // One line is read at a time: of several it is not certain which. Without `-r` backslashes are taken away.
    let plain = |text: &&str| !text.contains('\n') && (raw || !text.contains('\\'));
    let known = known.map(|text| text.trim_matches([' ', '\t'])).filter(plain).filter(|_| !listed);
    let last = names.len() - 1;
    let mut rest = known;
    for (at, name) in names.iter().enumerate() {
        let value = match rest {
            None => Value { listed: feed.listed(), ..Value::unknown() },
            Some(text) if at == last => Value::of(text),
            Some(text) => {
                let (word, tail) = text.split_once([' ', '\t']).unwrap_or((text, ""));
                rest = Some(tail.trim_start_matches([' ', '\t']));
                Value::of(word)
            }
        };
        w.fill(name, value);
    }
}

/// `unset`: a name is empty from here on, a function is gone.
fn unset(w: &mut Walker<'_>, args: &[Field]) {
    let flags: String = args.iter().filter(|f| f.text.starts_with('-')).map(|f| f.text.as_str()).collect();
    for field in args.iter().filter(|f| !f.text.starts_with('-')) {
        w.memory.unsure.insert(field.text.clone());
        // What keeps git from running what a repository names.
        if field.text.starts_with("GIT_CONFIG_") {
            w.hit("hidden-run", field.span);
        }
        let variable = flags.contains('v') || !flags.contains('f') && w.is_assigned(&field.text);
        if variable || !flags.contains('f') {
            w.assign(&field.text, Value::of(""));
        }
        if !variable && w.function(&field.text).is_some() {
            w.undefine(&field.text);
        }
    }
}

/// Whether a builtin declares the names that it is given.
pub(super) fn declares(name: &str) -> bool {
    matches!(name, "declare" | "typeset" | "local" | "export" | "readonly")
}

/// Whether settings before a builtin may last beyond it: so do the standard's special ones.
pub(super) fn keeps_settings(name: &str) -> bool {
    list("special builtins").contains(&name)
}

fn alias(w: &mut Walker<'_>, args: &[Field]) -> Feed {
    for field in args {
        let Some((name, text)) = field.text.split_once('=') else { continue };
        w.add_alias(name, text);
        let _ = w.run_text(text, field.span);
    }
    Feed::Inherit
}

fn declare(w: &mut Walker<'_>, name: &str, args: &[Field], span: Span) -> Feed {
    let flags: String =
        args.iter().take_while(|f| f.text.starts_with('-')).map(|f| f.text.as_str()).collect();
    let names: Vec<&Field> = args.iter().filter(|f| !f.text.starts_with(['-', '+'])).collect();
    let takes = |f: &Field| f.text.starts_with('+') && f.text.contains('x');
    let taken = name == "export" && flags.contains('n') || args.iter().any(takes);
    let functions = flags.contains(['f', 'F']);
    if names.is_empty() && !functions && name != "local" {
        w.hit("environment", span);
        return Feed::Other;
    }
    if flags.contains('p') && names.iter().any(|f| super::path::is_secret_variable(&f.text)) {
        w.hit("secret-variable", span);
    }
    // A reference to another name, a number and another spelling are not the text that stands here.
    let other = name != "export" && flags.contains(['n', 'i', 'l', 'u', 'c']);
    let local = matches!(name, "local" | "declare" | "typeset") && !flags.contains('g');
    for field in names {
        w.check_subscripts(&field.text, field.span);
        let (variable, value) = match field.text.split_once('=') {
            Some((variable, value)) => (variable.trim_end_matches('+'), Some(field.with(value))),
            None => (field.text.as_str(), None),
        };
        if variable.contains(UNKNOWN) && (name == "export" || flags.contains('x')) {
            w.hit("computed-code", field.span);
        }
        w.note_kind(&flags, variable, value.as_ref());
        let inside = local && w.localize(variable);
        if value.is_none() && flags.contains(['a', 'A', 'i']) {
            // Its elements are given later; the first is what programs find there.
            w.judge_setting(variable, "1", field.span);
        }
        if let Some(value) = &value {
            w.judge_setting(variable, &value.text, field.span);
            check_list(w, value);
            if name == "export" || flags.contains('x') {
                w.note_given(variable, &value.text);
            }
            let added = field.text.contains("+=");
            w.doubt_number(flags.contains('i') && value.data);
            // The builtin may refuse to.
            let given = Value { spelled: false, ..Value::from_field(value) };
            w.assign(variable, if other || added { Value::unknown() } else { given });
            if flags.contains('n') {
                refer(w, variable, value);
            }
        } else if inside {
            w.assign(variable, Value::of(""));
        } else if name == "export" || flags.contains('x') {
            // What it holds already is given from now on.
            if let Some(held) = w.held(variable) {
                w.judge_setting(variable, &held, field.span);
                w.note_given(variable, &held);
            }
        }
        if taken {
            w.assign(variable, Value::unknown());
        } else if name == "export" || flags.contains('x') {
            w.export(variable);
        }
        if name == "readonly" || flags.contains('r') {
            w.fix(variable);
        }
    }
    Feed::Inherit
}

/// A list is read once more, and what stands in it run, although it is quoted.
fn check_list(w: &mut Walker<'_>, value: &Field) {
    if value.text.starts_with('(') && value.text.contains(['$', '`', '<', '>', UNKNOWN]) {
        w.hit("hidden-run", value.span);
    }
}

/// One name stands for another from here on.
fn refer(w: &mut Walker<'_>, name: &str, to: &Field) {
    if super::settings::steers(&to.text) {
        w.hit("hidden-run", to.span);
    }
    if super::path::is_secret_variable(&to.text) {
        w.hit("secret-variable", to.span);
    }
    w.share(&to.text);
    w.share(name);
}

fn set(w: &mut Walker<'_>, args: &[Field], span: Span) -> Feed {
    if args.is_empty() {
        w.hit("environment", span);
        return Feed::Other;
    }
    // Options end at the first operand, and `-o` takes a word.
    let sign = |f: &Field| f.text.starts_with(['-', '+']);
    let named = |at: usize| {
        at.checked_sub(1).and_then(|at| args.get(at)).is_some_and(|f| sign(f) && f.text.ends_with('o'))
    };
    let first = match args.iter().position(|f| f.text == "--") {
        Some(at) => at + 1,
        None => args.iter().enumerate().take_while(|(at, f)| sign(f) || named(*at)).count(),
    };
    let operands: Vec<&Field> = args.iter().skip(first).collect();
    if !operands.is_empty() || args.iter().any(|f| f.text == "--") {
        let operands: Vec<Field> = operands.into_iter().map(|f| f.clone().made()).collect();
        w.set_positional(&operands);
    }
    Feed::Inherit
}

fn move_to(w: &mut Walker<'_>, name: &str, args: &[Field]) {
    let target = args.iter().find(|f| !f.text.starts_with('-') || f.text == "-");
    // `pushd +1`, `popd -n`, and in some shells `cd -2`: one of the folders on the stack.
    let stacks = matches!(name, "pushd" | "popd");
    let turns = |f: &Field| {
        let rest = f.text.strip_prefix(['+', '-']).filter(|rest| !rest.is_empty());
        rest.is_some_and(|rest| stacks || rest.chars().all(|c| c.is_ascii_digit()))
    };
    match (name, target) {
        _ if args.iter().any(turns) => w.wander(),
        // What the shell goes back to the line says itself.
        ("popd", _) if w.is_assigned("DIRSTACK") => w.wander(),
        (_, Some(folder)) if folder.text == "-" && w.is_assigned("OLDPWD") => w.wander(),
        // Where the folder is looked for the line does not show.
        (_, Some(folder)) if w.roams() && !folder.text.starts_with(['/', '~', '.']) => w.wander(),
        ("popd", _) => w.pop(false),
        ("pushd", None) => w.pop(true),
        (_, None) => w.go_to(&Field::plain("~", Span::default())),
        (_, Some(folder)) if folder.text == "-" => w.go_back(),
        ("pushd", Some(folder)) => w.push_to(folder),
        (_, Some(folder)) => w.go_to(folder),
    }
    let next = match target {
        None if name == "cd" => Cwd::Outside,
        None => Cwd::Unknown,
        Some(field) if field.text == "-" => Cwd::Unknown,
        Some(field) => match field.text.as_str() {
            "/tmp" | "/var/tmp" => Cwd::Scratch,
            text => match place(text, w.stand.cwd) {
                Place::Scratch => Cwd::Scratch,
                Place::Project | Place::Null => w.stand.cwd,
                // What is written among hooks and settings is not the project's work.
                Place::Control | Place::Outside | Place::Device => Cwd::Outside,
                Place::Unknown => Cwd::Unknown,
            },
        },
    };
    if w.stand.cwd != Cwd::Outside || next == Cwd::Scratch && w.maybe == 0 {
        w.stand.cwd = next;
    }
}
