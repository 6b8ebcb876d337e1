//! Judges of git and of the command line tools of code hosts.
//!
//! Owns configuration that makes git run a program, and what a checkout throws away.

use std::sync::LazyLock;

use super::super::command::is_harmless_pager;
use super::super::expand::{Feed, Field};
use super::super::knowledge::{Names, groups, list};
use super::super::path::{Place, glob, place};
use super::super::secrets::names_secret;
use super::super::state::GIT_SETTINGS;
use super::super::walk::Walker;
use super::Case;

/// What setting a key of git's configuration means, by the groups of the list.
static KEYS: LazyLock<Names<&'static str>> = LazyLock::new(|| {
    let mut names = Names::default();
    for (group, lines) in groups(include_str!("../../../../assets/knowledge/gitkeys.txt")) {
        for name in lines.iter().flat_map(|line| line.split_whitespace()) {
            names.add(name.to_owned(), group);
        }
    }
    names
});

/// Whether a configuration key makes git run the value.
pub(crate) fn key_runs(key: &str) -> bool {
    KEYS.get(&key.to_ascii_lowercase()) == Some("runs")
}

/// The rule that a setting is against which runs nothing: what it loses, sends elsewhere or leaves unchecked.
fn setting_rule(key: &str, value: &str) -> Option<&'static str> {
    let key = key.to_ascii_lowercase();
    let off = matches!(value.trim().to_ascii_lowercase().as_str(), "false" | "no" | "off" | "0" | "");
    let never = matches!(value.trim().to_ascii_lowercase().as_str(), "never" | "false");
    match KEYS.get(&key)? {
        "loses" if key.starts_with("gc.") => (!never).then_some("rewrite-history"),
        "loses" if key.starts_with("receive.") => {
            (off || value.trim() == "ignore").then_some("rewrite-remote")
        }
        "loses" => (!off).then_some("rewrite-remote"),
        "redirects" => Some("readdress"),
        "unchecks" if key == "user.signingkey" || key.ends_with("sslcainfo") => Some("skips-checks"),
        "unchecks" => off.then_some("skips-checks"),
        _ => None,
    }
}

fn harmless_setting(key: &str, value: &str) -> bool {
    let key = key.to_ascii_lowercase();
    let lower = value.trim().to_ascii_lowercase();
    if key.starts_with("alias.") {
        return false;
    }
    if key.starts_with("submodule.") && !key.ends_with(".update") {
        return true;
    }
    matches!(key.as_str(), "core.pager" | "core.editor" | "sequence.editor" | "interactive.difffilter")
        && is_harmless_pager(value)
        || key.starts_with("pager.") && (is_harmless_pager(value) || lower == "false")
        || matches!(key.as_str(), "core.fsmonitor") && matches!(lower.as_str(), "false" | "0" | "")
        || key == "core.hookspath" && lower == "/dev/null"
        || key == "credential.helper" && lower.is_empty()
        || matches!(key.as_str(), "diff.external" | "core.sshcommand" | "core.askpass") && lower.is_empty()
}

/// `git` beyond its tables.
pub(super) fn git(w: &mut Walker<'_>, case: &Case<'_>) {
    globals(w, case);
    if w.is_assigned(GIT_SETTINGS) {
        w.hit("hidden-run", case.span);
    }
    let sub = case.args.operand(0);
    if sub == "clone" {
        cloned(w, case, 1);
    }
    match sub {
        "pull" | "fetch" => {
            let address = |f: &Field| f.text.contains("://") || f.text.contains('@');
            w.strayed |= w.readdressed || case.args.operands.get(1).is_some_and(address);
        }
        "apply" | "am" => w.strayed |= *case.feed == Feed::Fetched,
        "remote" if matches!(case.args.operand(1), "add" | "set-url") => w.readdressed = true,
        "config" => config(w, case),
        "grep" => super::files::grep_untracked(w, case),
        "mv" => super::files::loses_its_name(w, case.args.operands.get(1..).unwrap_or(&[])),
        "checkout" => checkout(w, case),
        "bisect" if case.args.operand(1) == "run" => inner(w, case, "run"),
        "submodule" if case.args.operand(1) == "foreach" => foreach(w, case),
        "push" | "send-pack" | "http-push" => push(w, case),
        "clone" | "init" | "worktree" => {
            let target = match (sub, case.args.operand(1)) {
                ("clone", _) | ("worktree", "add") => case.args.operands.get(2),
                ("init", _) => case.args.operands.get(1),
                _ => None,
            };
            if let Some(target) = target
                && place(&target.text, w.stand.cwd) == Place::Outside
            {
                w.hit("outside", target.span);
            }
        }
        "rm" if case.args.sure(&["--cached", "-n", "--dry-run"]).is_none() => {
            if let Some(field) = case.args.operands.iter().skip(1).find(|f| f.many) {
                w.hit("delete-tree", field.span);
            }
        }
        "archive" if !case.args.has(&["-o", "--output"]) => w.archived = true,
        "archive" | "bundle" | "format-patch" => output(w, case, sub),
        _ => {}
    }
    for field in &case.args.operands {
        if field.computed && field.unknown() && field.text.contains("://") {
            w.hit("send", field.span);
        }
        if field.text.starts_with("ext::") || field.text.starts_with("fd::") {
            w.hit("hidden-run", field.span);
        }
    }
}

/// Where git puts what it makes of commits.
fn output(w: &mut Walker<'_>, case: &Case<'_>, sub: &str) {
    let named = ["-o", "--output", "--output-directory"];
    let given = || case.args.opt(&named).and_then(|opt| opt.value.clone());
    let out = match sub {
        "bundle" if case.args.operand(1) == "create" => case.args.operands.get(2).cloned(),
        _ => given(),
    };
    let Some(out) = out.filter(|out| out.text != "-") else { return };
    w.judge_write(&out, "git-change");
    if sub == "archive" {
        w.archives.push(out.text);
    }
}

/// The folder that a clone makes holds what was fetched.
fn cloned(w: &mut Walker<'_>, case: &Case<'_>, at: usize) {
    let Some(from) = case.args.operands.get(at) else { return };
    let path = from.text.trim_end_matches('/').trim_end_matches(".git");
    let name = path.rsplit(['/', ':']).next().unwrap_or("");
    w.fetched.push(case.args.operands.get(at + 1).map_or(name, |into| &into.text).to_owned());
}

/// `-c key=value` and its kin, before the sub-command or (for `clone`) after it.
fn globals(w: &mut Walker<'_>, case: &Case<'_>) {
    for (at, opt) in case.args.opts.iter().enumerate() {
        let global = at < case.args.leading;
        let clone = case.args.operand(0) == "clone"
            && (opt.name.len() > 4 && "--config".starts_with(&opt.name) || opt.name == "-c");
        match opt.name.as_str() {
            _ if clone || global && matches!(opt.name.as_str(), "-c" | "--config") => {
                let next = case.words().iter().skip_while(|f| f.text != opt.text).nth(1);
                let setting = opt.value.as_ref().or(next).map_or("", |v| v.text.as_str());
                let (key, value) = setting.split_once('=').unwrap_or((setting, "true"));
                if (key_runs(key) && !harmless_setting(key, value))
                    || setting.contains('\u{1a}') && key.contains('\u{1a}')
                {
                    w.hit("hidden-run", opt.value.as_ref().map_or(opt.span, |v| v.span));
                } else if let Some(rule) = setting_rule(key, value) {
                    w.hit(rule, opt.value.as_ref().map_or(opt.span, |v| v.span));
                } else if key.to_ascii_lowercase().contains("extraheader") {
                    w.hit("secret", opt.span);
                }
            }
            "--config-env" if global => {
                let value = opt.value.as_ref().map_or("", |v| v.text.as_str());
                if key_runs(value.split('=').next().unwrap_or("")) {
                    w.hit("hidden-run", opt.span);
                }
            }
            "--exec-path" if global && opt.text.contains('=') => w.hit("hidden-run", opt.span),
            // As with `--git-dir`: the folder says by its settings what is run.
            "--bare" if global && !matches!(case.args.operand(0), "init" | "clone") => {
                w.hit("hidden-run", opt.span);
            }
            _ => {}
        }
    }
}

fn config(w: &mut Walker<'_>, case: &Case<'_>) {
    let args = case.args;
    let mut operands: Vec<&Field> = args.operands.iter().skip(1).collect();
    let word = operands.first().map_or("", |f| f.text.as_str()).to_owned();
    let reads = args.sure(&[
        "--get",
        "--get-all",
        "--get-regexp",
        "--get-urlmatch",
        "-l",
        "--list",
        "--get-color",
        "--get-colorbool",
    ]);
    let reads = reads.is_some();
    let verb = matches!(
        word.as_str(),
        "set" | "get" | "unset" | "list" | "edit" | "rename-section" | "remove-section"
    );
    if verb && !operands.is_empty() {
        operands.remove(0);
    }
    let removes = args.has(&["--unset", "--unset-all", "--remove-section"])
        || matches!(word.as_str(), "unset" | "remove-section");
    let edits = args.has(&["-e", "--edit"]) || word == "edit";
    let writes = !reads && (removes || edits || operands.len() >= 2 && word != "get" && word != "list");
    if !writes {
        shows_settings(w, case, operands.first().copied(), word == "list");
        w.lower_to_read();
        return;
    }
    w.hit("git-change", case.span);
    if args.has(&["--global", "--system"]) {
        w.hit("outside", case.span);
    }
    if let Some(file) = args.opt(&["-f", "--file"]).and_then(|o| o.value.clone()) {
        w.judge_write(&file, "write");
    }
    let key = operands.first().map_or("", |f| f.text.as_str());
    let value = operands.get(1).map_or("", |f| f.text.as_str());
    w.readdressed |= key.to_ascii_lowercase().ends_with("url");
    if !removes && readdresses(&key.to_ascii_lowercase(), value) {
        w.hit("readdress", operands.first().map_or(case.span, |f| f.span));
    }
    if let Some(rule) = setting_rule(key, value).filter(|_| !removes) {
        w.hit(rule, operands.first().map_or(case.span, |f| f.span));
    }
    if edits || key_runs(key) && !removes && !harmless_setting(key, value) {
        w.hit("persist", operands.first().map_or(case.span, |f| f.span));
    }
}

/// What is read of settings: among the user's own may be secrets, while those of the project stand in a file of it.
fn shows_settings(w: &mut Walker<'_>, case: &Case<'_>, asked: Option<&Field>, lists: bool) {
    let args = case.args;
    if args.sure(&["--name-only"]).is_some() {
        return;
    }
    let here = args.sure(&["--local", "--worktree", "-f", "--file", "--blob"]).is_some();
    // A word of its own is `--get`, and the beginning of others.
    let one = args.sure(&["--get", "--get-all", "--get-color", "--get-colorbool"]).is_some();
    let patterns = !one && args.has(&["--get-regexp", "--get-urlmatch", "--regexp", "--url"]);
    let plain = |key: &str| if patterns { key.split('|').all(finds_plain) } else { is_plain(key) };
    let secret = match asked {
        _ if lists || args.has(&["-l", "--list"]) => !here,
        Some(key) => shows_secret(&key.text, patterns) || !here && !plain(&key.text.to_ascii_lowercase()),
        None => false,
    };
    if secret {
        w.hit("secret", asked.map_or(case.span, |key| key.span));
    }
}

/// Whether a setting is one of those that are no secrets in anybody's files.
fn is_plain(key: &str) -> bool {
    list("plain settings of git").iter().any(|known| glob(known, key))
}

/// Whether a pattern finds only such settings: it begins with the name of a section of them.
fn finds_plain(pattern: &str) -> bool {
    let Some(pattern) = pattern.strip_prefix('^').map(|rest| rest.replace("\\.", ".")) else { return false };
    let literal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.');
    let end = pattern.find(|c| !literal(c)).unwrap_or(pattern.len());
    let (start, rest) = pattern.split_at(end);
    let section = start.split('.').next().unwrap_or("");
    !rest.starts_with(['*', '?', '{']) && is_plain(&format!("{section}."))
}

/// Whether the value of a setting is a secret, or a pattern may find one of which it is.
fn shows_secret(key: &str, patterns: bool) -> bool {
    let key = key.to_ascii_lowercase();
    let known = list("secret settings of git");
    let end = key.rsplit('.').next().unwrap_or("");
    let plain =
        |part: &str| part.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').collect::<String>();
    let finds = |part: &str| {
        let part = plain(part);
        known.iter().any(|secret| plain(secret).contains(&part))
    };
    if patterns {
        key.split('|').any(finds)
    } else {
        known.contains(&key.as_str()) || end.ends_with("extraheader")
    }
}

/// Whether a setting says where commits go or come from: of a remote its address, of a branch an address for its remote.
fn readdresses(key: &str, value: &str) -> bool {
    let parts: Vec<&str> = key.split('.').collect();
    match parts.as_slice() {
        ["remote", _, .., "url" | "pushurl"] => true,
        ["remote", "pushdefault"] | ["branch", _, .., "remote" | "pushremote"] => value.contains([':', '/']),
        _ => false,
    }
}

/// A checkout of paths throws their changes away.
fn checkout(w: &mut Walker<'_>, case: &Case<'_>) {
    let args = case.args;
    let creates = args.has(&["-b", "--orphan", "--track", "-t", "--detach"]);
    if creates {
        return;
    }
    let dashes = case.words().iter().any(|f| f.text == "--");
    let operands = args.operands.get(1..).unwrap_or(&[]);
    let path_like = |text: &str| {
        let tail = text.rsplit('/').next().unwrap_or("");
        let ending = tail.rsplit_once('.').is_some_and(|(stem, end)| {
            !stem.is_empty()
                && !end.is_empty()
                && end.len() <= 5
                && end.starts_with(|c: char| c.is_ascii_alphabetic())
        });
        text == "."
            || text.ends_with('/')
            || text.starts_with("./")
            || text.contains('*')
            || text.starts_with(':')
            || ending
    };
    if dashes && !operands.is_empty() || operands.len() >= 2 || operands.iter().any(|f| path_like(&f.text)) {
        w.hit("discard-work", operands.last().map_or(case.span, |f| f.span));
    }
}

/// A push to an address that no remote of the project names tells someone else what is here.
fn push(w: &mut Walker<'_>, case: &Case<'_>) {
    if w.readdressed {
        w.hit("send", case.span);
    }
    let Some(remote) = case.args.operands.get(1) else { return };
    let text = remote.text.as_str();
    let address = text.contains("://")
        || text.split_once(':').is_some_and(|(host, _)| host.contains(['@', '.']) && !host.contains('/'))
        || remote.unknown() && remote.computed;
    if address {
        w.hit("send", remote.span);
    } else if place(text, w.stand.cwd) == Place::Outside {
        w.hit("outside", remote.span);
    }
}

/// What `bisect run` runs.
fn inner(w: &mut Walker<'_>, case: &Case<'_>, word: &str) {
    let words = case.words();
    let at = words.iter().position(|f| f.text == word).map_or(words.len(), |at| at + 1);
    w.hit("script", case.span);
    let _ = w.dispatch_outside(words.get(at..).unwrap_or(&[]), case.span, Feed::Inherit);
}

fn foreach(w: &mut Walker<'_>, case: &Case<'_>) {
    let words = case.words();
    let at = words.iter().position(|f| f.text == "foreach").map_or(words.len(), |at| at + 1);
    let rest: Vec<&str> = words
        .get(at..)
        .unwrap_or(&[])
        .iter()
        .map(|f| f.text.as_str())
        .skip_while(|t| matches!(*t, "--recursive" | "-q" | "--quiet"))
        .collect();
    w.hit("script", case.span);
    let _ = w.run_apart(&rest.join(" "), case.span);
}

/// `gh api` with a body or another method changes things; a token may not leave.
pub(super) fn hub(w: &mut Walker<'_>, case: &Case<'_>) {
    let args = case.args;
    if args.operand(1) == "clone" {
        cloned(w, case, 2);
    }
    if args.operand(0) == "api" {
        let method =
            args.opt(&["-X", "--method"]).and_then(|o| o.value.as_ref()).map_or("", |v| v.text.as_str());
        let body = args.opt(&["-f", "-F", "--field", "--raw-field", "--input"]);
        if method.eq_ignore_ascii_case("DELETE") {
            w.hit("remote-destroy", case.span);
        } else if !matches!(method.to_ascii_uppercase().as_str(), "" | "GET" | "HEAD") {
            w.hit("publish", case.span);
        } else if let Some(opt) = body
            && method.is_empty()
        {
            let graphql = args.operand(1) == "graphql"
                && !opt.value.as_ref().is_some_and(|v| v.text.contains("mutation"));
            w.hit(if graphql { "network" } else { "publish" }, opt.span);
        }
    }
    for field in case.words() {
        if names_secret(&field.text) {
            w.hit("secret", field.span);
        }
    }
}
