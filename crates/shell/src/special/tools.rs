//! Judges of build and package tools.
//!
//! Owns what they run in turn. Never reads a project's files.

use super::super::expand::{Feed, Field};
use super::super::walk::Walker;
use super::Case;

/// Build and package tools: what they run in turn, and where a registry or a script comes from.
pub(super) fn tool(w: &mut Walker<'_>, judge: &str, case: &Case<'_>) {
    match judge {
        "npx" => npx(w, case),
        "node" => node(w, case),
        "pip" => pip(w, case),
        "cargo" => cargo(w, case),
        "buildtool" => buildtool(w, case),
        "runs" => runs(w, case),
        _ => {}
    }
}

/// Tasks whose name says that they send what was built elsewhere.
fn sends_out(task: &str) -> bool {
    let (name, more) = task.split_once([':', '-']).unwrap_or((task, ""));
    matches!(name, "deploy" | "publish" | "release")
        && (more.is_empty() || ["prod", "live", "stag"].iter().any(|place| more.starts_with(place)))
}

fn run_rest(w: &mut Walker<'_>, case: &Case<'_>, rest: &[Field]) {
    let rest: Vec<Field> = rest.iter().skip_while(|f| f.text.starts_with('-')).cloned().collect();
    let known = rest.first().is_some_and(|f| super::super::command::is_known(&f.text));
    if known {
        let _ = w.dispatch_outside(&rest, case.span, Feed::Inherit);
    }
}

/// Tools that set an environment up and start a command in it: after `--`, after `-c`, or after their verb.
fn runs(w: &mut Walker<'_>, case: &Case<'_>) {
    let words = case.words();
    if let Some(code) = case.args.opt(&["--run"]).and_then(|opt| opt.value.clone()) {
        let _ = w.run_apart(&code.text, code.span);
    }
    let verb = case.args.operand(0);
    let skipped = match verb {
        _ if case.name == "flatpak-spawn" => 0,
        "exec" if case.name == "direnv" => 2,
        "exec" | "run" | "x" => 1,
        _ => usize::MAX,
    };
    let marked =
        words.iter().position(|f| matches!(f.text.as_str(), "--" | "-c" | "--command")).map(|at| at + 1);
    let named = case
        .args
        .operands
        .get(skipped)
        .and_then(|first| words.iter().position(|f| f.span == first.span && f.text == first.text));
    if let Some(command) =
        marked.or(named).and_then(|at| words.get(at..)).filter(|command| !command.is_empty())
    {
        let known = command.first().is_some_and(|f| super::super::command::is_known(&f.text));
        if known || marked.is_some() {
            let _ = w.dispatch_outside(command, case.span, case.feed.clone());
        }
    }
}

fn npx(w: &mut Walker<'_>, case: &Case<'_>) {
    if let Some(opt) = case.args.opt(&["-y", "--yes"]) {
        w.hit("fetch-run", opt.span);
    }
    if let Some(code) = case.args.opt(&["-c", "--call"]).and_then(|o| o.value.clone()) {
        let _ = w.run_apart(&code.text, code.span);
    }
    if let Some(package) = case.args.opt(&["-p", "--package"]).and_then(|o| o.value.clone()) {
        w.hit("fetch-run", package.span);
    }
    let Some(first) = case.args.operands.first() else { return };
    let name = first.text.trim_start_matches('@');
    if name.contains('@')
        || name.starts_with("create-")
        || name.contains("://")
        || name.starts_with("github:")
        || name.starts_with("degit")
    {
        w.hit("fetch-run", first.span);
    }
    let at = case.words().iter().position(|f| f.text == first.text).unwrap_or(0);
    run_rest(w, case, case.words().get(at..).unwrap_or(&[]));
}

fn node(w: &mut Walker<'_>, case: &Case<'_>) {
    let args = case.args;
    if let Some(opt) = args.opt(&["-g", "--global"])
        && matches!(
            args.operand(0),
            "install"
                | "i"
                | "add"
                | "uninstall"
                | "remove"
                | "rm"
                | "update"
                | "link"
                | "un"
                | "up"
                | "upgrade"
        )
    {
        w.hit("global-install", opt.span);
    }
    if matches!(args.operand(0), "run" | "run-script")
        && let Some(task) = args.operands.get(1).filter(|task| sends_out(&task.text))
    {
        w.hit("publish", task.span);
    }
    let inside = matches!(args.operand(0), "exec" | "x" | "dlx" | "node" | "explore");
    let words = case.words();
    if inside {
        let at = words.iter().position(|f| f.text == args.operand(0)).map_or(words.len(), |at| at + 1);
        if case.name == "npm" {
            let yes = words
                .iter()
                .find(|f| matches!(f.text.as_str(), "-y" | "--yes") || f.text.starts_with("--package"));
            if let Some(word) = yes {
                w.hit("fetch-run", word.span);
            }
            if args.operands.get(1).is_some_and(|f| f.text.trim_start_matches('@').contains('@')) {
                w.hit("fetch-run", case.span);
            }
        }
        if let Some(code) = words
            .iter()
            .position(|f| matches!(f.text.as_str(), "-c" | "--call"))
            .and_then(|at| words.get(at + 1))
        {
            let _ = w.run_apart(&code.text, code.span);
        }
        let rest: Vec<Field> =
            words.get(at..).unwrap_or(&[]).iter().skip_while(|f| f.text.starts_with('-')).cloned().collect();
        run_rest(w, case, &rest);
    }
    if matches!(args.operand(0), "install" | "i" | "add")
        && let Some(field) = args.operands.iter().skip(1).find(|f| {
            f.text.starts_with("http") || f.text.starts_with("git+") || f.text.starts_with("git://")
        })
    {
        w.hit("fetch-run", field.span);
    }
}

fn pip(w: &mut Walker<'_>, case: &Case<'_>) {
    let args = case.args;
    if let Some(opt) = args.opt(&["--index-url", "--extra-index-url", "-i", "--trusted-host"])
        && args.operand(0) == "install"
        && opt.value.as_ref().is_none_or(|v| v.text.starts_with("http://"))
    {
        w.hit("fetch-run", opt.span);
    }
    if matches!(args.operand(0), "run" | "exec") {
        let at = case.words().iter().position(|f| f.text == args.operand(0)).map_or(0, |at| at + 1);
        run_rest(w, case, case.words().get(at..).unwrap_or(&[]));
    }
}

fn cargo(w: &mut Walker<'_>, case: &Case<'_>) {
    let args = case.args;
    if let Some(opt) = args.opts.iter().find(|o| o.name == "--config") {
        let value = opt.value.as_ref().map_or("", |v| v.text.as_str());
        if ["runner", "linker", "rustc", "wrapper", "alias"].iter().any(|key| value.contains(key))
            || value.contains('/') && !value.contains('=')
        {
            w.hit("hidden-run", opt.span);
        }
    }
    if args.operand(0) == "watch" {
        let mut words = case.words().iter();
        while let Some(word) = words.next() {
            if matches!(word.text.as_str(), "-s" | "--shell")
                && let Some(code) = words.next()
            {
                let _ = w.run_apart(&code.text, code.span);
            }
        }
    }
    if matches!(args.operand(0), "run" | "r") {
        for field in case.words() {
            w.judge_word(field);
        }
    }
}

/// Makefiles with their own shell, wrappers of commands, code on the command line.
fn buildtool(w: &mut Walker<'_>, case: &Case<'_>) {
    let only_says = case.args.has(&["-n", "--dry-run", "--just-print", "--recon", "-q", "--question"]);
    for field in case.words() {
        let text = field.text.as_str();
        if let Some(code) = text.strip_prefix("--eval=") {
            w.hit("hidden-run", field.with(code).span);
        } else if text == "--eval" || text.starts_with("SHELL=") || text.starts_with(".SHELLFLAGS=") {
            w.hit("hidden-run", field.span);
        }
        if case.name.contains("make")
            && (text == "-f" || text == "--file")
            && case.words().iter().any(|f| f.text == "-" || f.text == "/dev/stdin")
        {
            w.hit("computed-code", field.span);
        }
        if case.name.contains("make") && field.feed.is_some() {
            w.hit("computed-code", field.span);
        }
        if matches!(text, "--rsh" | "--init-script" | "-I") && case.name.starts_with("gradle") {
            w.hit("hidden-run", field.span);
        }
        w.judge_word(field);
        if only_says {
            continue;
        }
        if case.name.ends_with("make") && matches!(text, "install" | "uninstall") && case.name != "cmake" {
            w.hit("outside", field.span);
        }
        let runs_tasks =
            case.name.ends_with("make") || matches!(case.name, "just" | "task" | "go-task" | "mage");
        if runs_tasks && (sends_out(text) || matches!(text, "upload" | "push")) {
            w.hit("publish", field.span);
        }
    }
    if matches!(case.name, "perf" | "hyperfine" | "valgrind" | "gdb") {
        run_rest(w, case, case.words().get(1..).unwrap_or(&[]));
    }
    if let Some(out) =
        case.args.opts.iter().find(|o| matches!(o.name.as_str(), "-o") || o.text.starts_with("-o/"))
        && let Some(at) = case.words().iter().position(|f| f.text == "-o")
        && let Some(target) = case.words().get(at + 1)
    {
        let _ = out;
        w.judge_write(target, "build");
    }
}
