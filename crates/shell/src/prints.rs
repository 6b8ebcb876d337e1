//! What a command prints, as far as the line makes it certain.
//!
//! Owns the programs whose output follows from their arguments or from what they are fed. Never judges.

use super::args::Args;
use super::cut::Listed;
use super::expand::{Feed, Field, UNKNOWN};
use super::knowledge::list;
use super::programs::{self, Role};
use super::secrets::names_secret;

/// Most numbers that are given on one by one.
const MOST_NUMBERS: usize = 200;

/// Where a program is found.
pub(super) fn found(name: &str) -> String {
    if name.contains('/') || !super::command::is_known(name) {
        name.to_owned()
    } else {
        format!("/usr/bin/{name}")
    }
}

/// The folder of a path. `.` is where the shell stands, which is a whole path when a line asks for its folder.
fn parent(path: &str) -> String {
    let path = path.trim_end_matches('/');
    match path.rsplit_once('/') {
        _ if path.rsplit('/').next() == Some("..") => format!("{path}/.."),
        Some((folder, _)) if !folder.is_empty() => folder.to_owned(),
        Some(_) => "/".to_owned(),
        None if path == "." => "..".to_owned(),
        None => ".".to_owned(),
    }
}

/// What a program gives to the next one.
pub(super) fn printed(name: &str, args: &Args, network: bool, feed: Feed) -> Feed {
    if network {
        return Feed::Fetched;
    }
    if feed == Feed::Fetched && programs::is(name, Role::Filter) {
        return Feed::Fetched;
    }
    match (name, args.operands.as_slice()) {
        ("cat", []) if feed == Feed::Inherit => Feed::Other,
        ("cat", [one]) if one.feed.is_some() => one.feed.clone().unwrap_or_default(),
        ("cat", [one]) if one.text == "-" => feed,
        ("cat", [one]) if !one.unknown() => Feed::File(one.text.clone()),
        ("cat", []) | ("tee" | "pv" | "sponge", _) => feed,
        ("pwd", _) => Feed::Text(".".to_owned()),
        ("git", [first, ..]) if first.text == "rev-parse" && args.has(&["--show-toplevel"]) => {
            Feed::Text(".".to_owned())
        }
        ("git", []) if args.has(&["--exec-path"]) => Feed::Text("/usr/lib/git-core".to_owned()),
        ("git", [first, path]) if first.text == "rev-parse" && args.has(&["--git-path"]) => {
            Feed::Text(format!(".git/{}", path.text))
        }
        ("git", [first, ..])
            if first.text == "rev-parse"
                && args.has(&["--git-dir", "--git-common-dir", "--absolute-git-dir"]) =>
        {
            Feed::Text(".git".to_owned())
        }
        // Where it lies is not known, but what it is.
        ("find" | "gfind", words) if words.iter().any(|f| names_secret(&f.text)) => {
            let named = words.iter().find(|f| names_secret(&f.text)).map_or("", |f| f.text.as_str());
            Feed::Text(format!("{UNKNOWN}/{named}"))
        }
        ("mktemp", _) => Feed::Text("/tmp/dir/made".to_owned()),
        ("seq", words) => Feed::Text(counted(words)),
        ("date" | "nproc" | "uname" | "wc" | "expr" | "arch" | "uuidgen", _) => Feed::Text("0".to_owned()),
        ("dirname", [one]) if !one.unknown() => Feed::Text(parent(&one.text)),
        ("basename" | "realpath" | "readlink", [one]) if !one.unknown() => Feed::Text(one.text.clone()),
        ("which" | "whereis", [one]) if !one.unknown() => Feed::Text(found(&one.text)),
        _ => lines(name, args, &feed),
    }
}

/// The numbers that `seq` gives, as far as many are looked at.
fn counted(words: &[Field]) -> String {
    let number = |f: &Field| f.text.parse::<i64>().ok();
    let given: Option<Vec<i64>> = words.iter().map(number).collect();
    let (from, step, to) = match given.as_deref() {
        Some([to]) => (1, 1, *to),
        Some([from, to]) => (*from, 1, *to),
        Some([from, step, to]) if *step > 0 => (*from, usize::try_from(*step).unwrap_or(1), *to),
        _ => return "0".to_owned(),
    };
    let all: Vec<String> = (from..=to).step_by(step).take(MOST_NUMBERS).map(|n| n.to_string()).collect();
    all.join("\n")
}

/// Lines of a file, or made of a text that the line shows; of names that a search gave it prints such as well.
fn lines(name: &str, args: &Args, feed: &Feed) -> Feed {
    let other = list("makes other text").contains(&name);
    let Some(program) =
        programs::find(name).filter(|_| other || programs::is(name, Role::Shows) || is_grep(name))
    else {
        return Feed::Other;
    };
    let names = is_grep(name) && args.has(&["-l", "-L", "-c", "-r", "-R", "-q"]);
    let text = if args.has(&program.text_unless) { 0 } else { program.text };
    let files = || args.operands.iter().skip(text).any(|f| f.feed.is_none() && f.text != "-");
    match feed {
        _ if names => Feed::Other,
        Feed::File(_) | Feed::Lines { .. } => Feed::Lines { shown: feed.listed() == Listed::Made },
        Feed::Text(text) if !text.contains(UNKNOWN) && other => Feed::Lines { shown: true },
        Feed::Inherit if files() => Feed::Lines { shown: false },
        Feed::Inherit | Feed::Text(_) | Feed::Fetched | Feed::Other => Feed::Other,
    }
}

fn is_grep(name: &str) -> bool {
    matches!(name, "grep" | "egrep" | "fgrep")
}
