//! Judges of programs that reach the network and other machines.
//!
//! Owns the line between reading from the network and sending to it.

use super::super::expand::{Feed, Field};
use super::super::knowledge::list;
use super::super::path::{Place, place};
use super::super::walk::Walker;
use super::Case;

/// `curl`, `wget`, `http`: what is sent, where the answer goes.
pub(super) fn http(w: &mut Walker<'_>, case: &Case<'_>) {
    let local =
        case.words().iter().any(|f| is_local(&f.text)) && !case.words().iter().any(|f| is_remote(&f.text));
    for opt in &case.args.opts {
        http_option(w, case, &opt.name, opt.value.as_ref(), &Field::plain(&opt.text, opt.span), local);
    }
    let spells = case.name == "curl" && !case.args.has(&["-g", "--globoff"]);
    for word in case.words() {
        // Many requests are none that a rule lets through.
        if spells && addresses(&word.text) > MOST_ADDRESSES {
            w.note_uncovered();
        }
        w.judge_read(word);
        if hands_out_keys(&word.text) {
            w.hit("secret", word.span);
        }
        // What these speak is whatever the address says.
        if ["gopher://", "dict://", "telnet://", "smtp://", "imap://", "ldap://"]
            .iter()
            .any(|p| word.text.starts_with(p))
        {
            w.hit("send", word.span);
        }
        let sends = !word.text.starts_with('-')
            || ["--header=", "--user-agent=", "--referer=", "--url=", "-H", "-A", "-e"]
                .iter()
                .any(|o| word.text.starts_with(o));
        if word.computed && word.unknown() && sends {
            w.hit("send", word.span);
        }
    }
    let named = case.name != "curl" && case.name.starts_with(['w', 'a']);
    let kept = ["-O", "--remote-name", "--remote-name-all", "--download"];
    // What a file of addresses names is not known here.
    w.strayed |= named && case.args.has(&["-i", "--input-file"]);
    if named || case.args.has(&kept) || case.name.starts_with('x') && case.args.has(&["-d"]) {
        // An address may do without its scheme.
        let bare = case.args.operands.iter().filter(|f| !f.text.contains("://") && f.text.contains('/'));
        for field in case.words().iter().filter(|f| f.text.contains("://")).chain(bare) {
            let tail = field.text.split(['?', '#']).next().unwrap_or("").rsplit('/').next().unwrap_or("");
            w.fetched.push(tail.to_owned());
        }
    }
    if matches!(case.name, "http" | "https" | "xh" | "httpie") {
        let method = case.args.operand(0);
        let sends = matches!(method, "POST" | "PUT" | "PATCH" | "DELETE")
            || case.args.operands.iter().skip(1).any(|f| {
                f.text.contains('=') && !f.text.contains("==") && !f.text.contains("://")
                    || f.text.contains(":=")
                    || f.text.contains('@') && !f.text.contains("://")
            })
            || matches!(case.feed, Feed::File(_) | Feed::Text(_) | Feed::Lines { .. } | Feed::Other);
        if sends {
            w.hit(if local { "service" } else { "send" }, case.span);
        }
    }
    if *case.feed != Feed::Inherit
        && case.words().iter().any(|f| matches!(f.text.as_str(), "@-" | "-T" | "-T-" | "--upload-file"))
    {
        w.hit("send", case.span);
    }
}

/// Most addresses that one word stands for as one of a few.
const MOST_ADDRESSES: u64 = 20;

/// How many addresses a word spells out to `curl`: `[1-9]`, `[a-z:2]`, `{a,b}`.
fn addresses(text: &str) -> u64 {
    let mut all: u64 = 1;
    for (at, open) in text.char_indices().filter(|(_, c)| matches!(c, '[' | '{')) {
        let rest = text.get(at + 1..).unwrap_or("");
        let inner = rest.split([']', '}']).next().unwrap_or("");
        let (range, step) = inner.split_once(':').unwrap_or((inner, "1"));
        let end = |text: &str| match text.parse::<u64>() {
            Ok(number) => number,
            Err(_) => text.chars().next().map_or(0, |c| u64::from(u32::from(c))),
        };
        let many = match (open, range.split_once('-')) {
            ('{', _) => u64::try_from(inner.split(',').count()).unwrap_or(u64::MAX),
            (_, Some((from, to))) => end(to).abs_diff(end(from)) / end(step).max(1) + 1,
            (_, None) => 1,
        };
        all = all.saturating_mul(many);
    }
    all
}

/// One option of `curl`, `wget` and their like.
fn http_option(
    w: &mut Walker<'_>,
    case: &Case<'_>,
    name: &str,
    value: Option<&Field>,
    word: &Field,
    local: bool,
) {
    let text = value.map_or("", |v| v.text.as_str());
    if list("http sends").contains(&name) && case.name != "http" {
        if local {
            w.hit("service", word.span);
        } else if !(name == "-d" && case.name.starts_with("wget")) {
            w.hit("send", word.span);
        }
    }
    match name {
        "-X" | "--request" | "--method" if text.eq_ignore_ascii_case("DELETE") => {
            w.hit("remote-destroy", word.span);
        }
        "-X" | "--request" | "--method"
            if local && case.words().iter().any(|f| is_local(&f.text) && orders(&f.text)) =>
        {
            w.hit("remote-destroy", word.span);
        }
        "-x" | "--proxy" | "--preproxy" | "--socks5" | "--socks5-hostname" | "--connect-to" | "--resolve"
            if case.name == "curl" =>
        {
            w.hit("send", word.span);
        }
        "--url-query" if text.contains('@') => w.hit("send", word.span),
        "-H" | "--header" if text.starts_with('@') => w.hit("send", word.span),
        // What is no cookie is a file of them, whatever stands in it.
        "-b" | "--cookie"
            if !text.contains('=') && !list("files of cookies").iter().any(|n| text.contains(n)) =>
        {
            w.hit("send", word.span);
        }
        "-X" | "--request" | "--method"
            if !matches!(text.to_ascii_uppercase().as_str(), "GET" | "HEAD" | "OPTIONS") =>
        {
            w.hit(if local { "service" } else { "send" }, word.span);
        }
        "-o" | "--output" | "-O" | "--output-document" | "--output-dir" | "-P" | "--directory-prefix"
        | "-D" | "--dump-header" | "-c" | "--cookie-jar" | "--trace" | "--trace-ascii" | "--stderr" => {
            output(w, case.name, name, value, word);
        }
        "-K" | "--config" | "--netrc" | "-n" | "--netrc-optional" | "--netrc-file" | "-E" | "--cert"
        | "--key" | "-b" | "--cookie" | "--load-cookies"
            if case.name == "curl" && !matches!(name, "-b" | "--cookie") =>
        {
            w.hit("secret", word.span);
        }
        "-u" | "--user" | "--password" | "--http-password" | "--oauth2-bearer" if !local => {
            w.hit("send", word.span);
        }
        "--use-askpass" | "--hooks" | "--use-server-timestamps-hook" => w.hit("hidden-run", word.span),
        "-H" | "--header"
            if ["authorization", "cookie", "x-api-key", "token"]
                .iter()
                .any(|h| text.to_ascii_lowercase().starts_with(h))
                && !local =>
        {
            w.hit("send", word.span);
        }
        _ => {}
    }
}

fn output(w: &mut Walker<'_>, program: &str, name: &str, value: Option<&Field>, word: &Field) {
    let curl_remote_name = program == "curl" && name == "-O";
    let Some(target) = value.filter(|_| !curl_remote_name) else {
        w.hit("write-hidden", word.span);
        return;
    };
    if program.starts_with("wget") && matches!(name, "-D" | "-c" | "-o") && name != "-o" {
        return;
    }
    if target.text != "-" && w.judge_write(target, "write-hidden") {
        w.fetched.push(target.text.clone());
    }
}

/// Whether an address is one by which a server hands out keys or environments.
fn hands_out_keys(text: &str) -> bool {
    let name = host(text);
    let name = name
        .rsplit_once(':')
        .filter(|(_, port)| port.bytes().all(|b| b.is_ascii_digit()))
        .map_or(name, |(n, _)| n);
    let path = text.split_once("://").map_or(text, |(_, rest)| rest).split(['?', '#']).next().unwrap_or("");
    let mut parts = path.split('/').skip(1);
    list("hosts of keys").contains(&name)
        || is_local(text) && parts.any(|part| list("addresses of keys").contains(&part))
}

/// Whether an address says by its words that its server destroys something or ends.
fn orders(address: &str) -> bool {
    let path = address.split_once("://").map_or(address, |(_, rest)| rest);
    let words = ["shutdown", "delete", "drop", "purge", "destroy", "wipe", "containers"];
    path.split(['/', '_', '-', '?', ':', '=']).skip(1).any(|part| words.contains(&part))
}

fn host(text: &str) -> &str {
    let rest = text.split_once("://").map_or(text, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or("");
    authority.rsplit('@').next().unwrap_or("")
}

fn is_local(text: &str) -> bool {
    let host = host(text);
    let name = host.split(':').next().unwrap_or("");
    matches!(name, "localhost" | "127.0.0.1" | "0.0.0.0" | "host.docker.internal")
        || host.starts_with("[::1]")
        || text.starts_with(":3")
        || text.starts_with(":8")
}

fn is_remote(text: &str) -> bool {
    text.contains("://") && !is_local(text)
}

/// Names that carry what was computed here tell it to whoever answers.
pub(super) fn dns(w: &mut Walker<'_>, case: &Case<'_>) {
    for field in case.words() {
        if field.computed && field.unknown() {
            w.hit("send", field.span);
        }
    }
}

/// An address with what was computed here tells it to its server.
pub(super) fn address(w: &mut Walker<'_>, case: &Case<'_>) {
    for field in case.words().iter().filter(|f| f.text.contains("://") && f.computed && f.unknown()) {
        w.hit("send", field.span);
    }
}

/// `ssh-keygen`: a new key below the project is a file like others; all else handles the user's keys.
pub(super) fn keygen(w: &mut Walker<'_>, case: &Case<'_>) {
    let others = ["-y", "-p", "-e", "-i", "-s", "-H", "-D", "-K", "-Y", "-r", "-l", "-B", "-R", "-F", "-c"];
    let Some(file) = case.args.opt(&["-f"]).and_then(|opt| opt.value.clone()) else { return };
    if !case.args.has(&others) && matches!(place(&file.text, w.stand.cwd), Place::Project | Place::Scratch) {
        w.lower_to("write", file.span);
    }
}

fn is_remote_path(text: &str) -> bool {
    let Some((host, path)) = text.split_once(':') else { return text.starts_with("rsync://") };
    let drive = host.len() == 1 && path.starts_with(['/', '\\']);
    !host.is_empty() && !host.contains('/') && !drive || text.contains("://")
}

/// `scp`: towards another machine it sends.
pub(super) fn scp(w: &mut Walker<'_>, case: &Case<'_>) {
    if let Some(opt) = case.args.opt(&["-S", "-o"])
        && case.words().iter().any(|f| f.text.starts_with("-S") || f.text.contains("ProxyCommand"))
    {
        w.hit("hidden-run", opt.span);
    }
    copy(w, case, "network");
}

fn copy(w: &mut Walker<'_>, case: &Case<'_>, rule: &str) {
    let Some((last, sources)) = case.args.operands.split_last() else { return };
    if is_remote_path(&last.text) || last.unknown() {
        w.hit("send", last.span);
    } else {
        w.judge_write(last, "write");
    }
    for source in sources.iter().filter(|f| is_remote_path(&f.text)) {
        w.hit(rule, case.span);
        let name = source.text.rsplit(['/', ':']).next().unwrap_or("");
        w.fetched
            .extend([name.to_owned(), last.text.clone()].into_iter().filter(|n| !n.is_empty() && n != "."));
    }
}

/// `rsync`: its remote shell, deletions, direction.
pub(super) fn rsync(w: &mut Walker<'_>, case: &Case<'_>) {
    let args = case.args;
    if let Some(opt) = args.opts.iter().find(|o| matches!(o.name.as_str(), "-e" | "--rsh" | "--rsync-path")) {
        w.hit("hidden-run", opt.span);
    }
    if args.sure(&["-n", "--dry-run"]).is_some() {
        if args.operands.iter().any(|f| is_remote_path(&f.text)) {
            w.lower_to("network", case.span);
        } else {
            w.lower_to_read();
        }
        return;
    }
    if let Some(opt) = args.opts.iter().find(|o| {
        o.name.starts_with("--delete") || o.name.starts_with("--del") || o.name == "--remove-source-files"
    }) {
        w.hit("delete-tree", opt.span);
    }
    copy(w, case, "network");
}
