//! Judges of programs that touch processes, packages and terminals, and of PowerShell's words.
//!
//! Owns what is a process of this line's own and what is another's.

use super::super::expand::{Feed, Field};
use super::super::path::{Place, is_secret_variable, place};
use super::super::walk::Walker;
use super::Case;

/// `kill`: jobs of this shell are its own.
pub(super) fn kill(w: &mut Walker<'_>, case: &Case<'_>) {
    let words = case.words();
    if words.first().is_some_and(|f| matches!(f.text.as_str(), "-l" | "-L" | "--list" | "-0")) {
        w.lower_to_read();
        return;
    }
    let mut targets = words.iter().filter(|f| !f.text.starts_with('-'));
    let minus = words.iter().skip(1).any(|f| {
        f.text.len() > 1 && f.text.starts_with('-') && f.text.bytes().skip(1).all(|b| b.is_ascii_digit())
    });
    let own = targets.clone().count() > 0 && targets.all(|f| f.text.starts_with('%')) && !minus;
    if own {
        w.lower_to("own-process", case.span);
    }
}

/// `printenv NAME`, `envsubst`: harmless names are.
pub(super) fn printenv(w: &mut Walker<'_>, case: &Case<'_>) {
    if case.name == "envsubst" {
        let fed = if let Feed::Text(text) = case.feed { text.as_str() } else { "" };
        let named = case.args.operands.iter().map(|f| f.text.as_str()).chain([fed]);
        let names = named.flat_map(|text| text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')));
        if names.filter(|name| !name.is_empty()).any(is_secret_variable) {
            w.hit("secret-variable", case.span);
        }
        return;
    }
    if case.args.operands.is_empty() {
        w.hit("environment", case.span);
    }
    for field in &case.args.operands {
        if is_secret_variable(&field.text) || field.unknown() {
            w.hit("secret-variable", field.span);
        }
    }
}

/// `ps e` shows environments.
pub(super) fn ps(w: &mut Walker<'_>, case: &Case<'_>) {
    for field in case.words() {
        let bsd = !field.text.starts_with('-')
            && field.text.len() <= 6
            && field.text.chars().all(|c| c.is_ascii_lowercase());
        if bsd && field.text.contains('e') && field.text.chars().all(|c| "auxewwfjlhsvk".contains(c)) {
            w.hit("environment", field.span);
        }
        if field.text.contains("environ") {
            w.hit("environment", field.span);
        }
    }
}

/// `tmux`, `screen`: what they start or type.
pub(super) fn tmux(w: &mut Walker<'_>, case: &Case<'_>) {
    let words = case.words();
    // A format runs what stands in it, in the server.
    if let Some(field) = words.iter().find(|f| f.text.contains("#(")) {
        w.hit("hidden-run", field.span);
    }
    let verb = case.args.operand(0).to_owned();
    if verb.is_empty() || case.args.leading > 0 && words.first().is_some_and(|f| f.text == "-c") {
        // Before any of its own commands `-c` is one of the shell's.
        let code = words.iter().position(|f| f.text == "-c").and_then(|at| words.get(at + 1));
        if let Some(code) = code {
            let _ = w.run_apart(&code.text, code.span);
        }
    }
    let sends = matches!(verb.as_str(), "send-keys" | "send") || words.iter().any(|f| f.text == "stuff");
    if sends {
        w.hit("script", case.span);
        for field in words {
            let _ = w.run_apart(field.text.trim_end_matches("\\n"), field.span);
        }
        return;
    }
    for (at, field) in words.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|b| words.get(b)).map_or("", |f| f.text.as_str());
        let valued =
            matches!(before, "-s" | "-n" | "-t" | "-c" | "-S" | "-L" | "-x" | "-y" | "-f" | "-F" | "-e");
        if field.text.contains(' ') && !valued {
            let _ = w.run_apart(&field.text, field.span);
        } else if !valued && super::super::command::is_known(&field.text) && at > 0 {
            let _ = w.dispatch_outside(words.get(at..).unwrap_or(&[]), case.span, Feed::Inherit);
            break;
        }
    }
}

/// PowerShell's words.
pub(super) fn powershell(w: &mut Walker<'_>, judge: &str, case: &Case<'_>) {
    let has = |flag: &str| {
        case.words().iter().any(|f| {
            let lower = f.text.to_ascii_lowercase();
            let name = lower.split(':').next().unwrap_or("").to_owned();
            name.len() >= 2 && name.starts_with('-') && flag.starts_with(&name)
        })
    };
    let operands: Vec<&Field> = case.words().iter().filter(|f| !f.text.starts_with('-')).collect();
    for field in &operands {
        let lower = field.text.to_ascii_lowercase();
        if lower.starts_with("env:") || lower.starts_with("$env:") {
            w.hit("environment", field.span);
        }
    }
    let whatif = has("-whatif");
    match judge {
        "psremove" if !whatif => ps_remove(w, case, &operands, has("-recurse")),
        "pswrite" => {
            for field in operands {
                if matches!(place(&field.text, w.stand.cwd), Place::Outside | Place::Control | Place::Device)
                {
                    w.hit("outside", field.span);
                }
            }
        }
        "psweb" => {
            let method = case.words().windows(2).any(|p| matches!(p, [a, b] if a.text.eq_ignore_ascii_case("-method") && !b.text.eq_ignore_ascii_case("get")));
            if method || has("-body") || has("-infile") {
                w.hit("send", case.span);
            }
        }
        "psstart" if case.words().iter().any(|f| f.text.eq_ignore_ascii_case("runas")) => {
            w.hit("privilege", case.span);
        }
        "psblock" => {
            let open = case.words().iter().position(|f| f.text == "{");
            let block: Vec<Field> = case
                .words()
                .iter()
                .skip(open.map_or(0, |at| at + 1))
                .filter(|f| f.text != "}")
                .cloned()
                .collect();
            if open.is_some()
                && block
                    .first()
                    .is_some_and(|f| super::super::command::is_known(&f.text.to_ascii_lowercase()))
            {
                let _ = w.dispatch_outside(&block, case.span, Feed::Other);
            }
        }
        _ => {}
    }
}

/// `Remove-Item` and its like.
fn ps_remove(w: &mut Walker<'_>, case: &Case<'_>, operands: &[&Field], recurse: bool) {
    if recurse {
        w.hit("delete-tree", case.span);
    }
    for field in operands {
        if field.many || field.text.contains('*') {
            w.hit("delete-tree", field.span);
        }
        if place(&field.text, w.stand.cwd) == Place::Outside {
            w.hit("outside", field.span);
        }
    }
    if *case.feed != Feed::Inherit {
        w.hit("delete-tree", case.span);
    }
}
