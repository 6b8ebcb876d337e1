//! What a command prints, as far as the line makes it certain.
//!
//! Owns the programs whose output follows from their arguments or from what they are fed. Never judges.

use super::args::Args;
use super::cut::Listed;
use super::expand::{Feed, Field, UNKNOWN};
use super::knowledge::list;
use super::programs::{self, Role};
use super::redirect::text_feed;
use super::secrets::names_secret;
use super::state::SCRATCH;
use super::syntax::{Kind, Node, Pipeline, Script, Target};
use super::value::Made;
use super::walk::Walker;

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
        None if path.is_empty() => "/".to_owned(),
        _ if path.rsplit('/').next() == Some("..") => format!("{path}/.."),
        Some((folder, _)) if !folder.is_empty() => folder.to_owned(),
        Some(_) => "/".to_owned(),
        None if path == "." => "..".to_owned(),
        None => ".".to_owned(),
    }
}

impl Walker<'_> {
    /// Whether what a command prints is a number or a path for certain: one that the tables know word for word, and the line gives
    /// its name no other meaning.
    pub(super) fn prints_no_option(&self, script: &Script) -> bool {
        let [Pipeline { nodes, .. }] = script.as_slice() else { return false };
        let [Node { kind: Kind::Simple { assigns, words }, redirects, .. }] = nodes.as_slice() else {
            return false;
        };
        let words: Option<Vec<&str>> = words.iter().map(super::parse::bare).collect();
        let words = words.unwrap_or_default();
        let own = words
            .first()
            .is_some_and(|name| self.function(name).is_some() || !self.aliases_of(name).is_empty());
        let plain = |word: &&str| {
            word.starts_with(|c: char| c.is_ascii_alphanumeric())
                && word.chars().all(|c| c.is_ascii_alphanumeric() || "_.-/".contains(c))
        };
        let echoed = matches!(words.as_slice(), ["echo", first, rest @ ..]
            if redirects.is_empty() && plain(first) && rest.iter().all(plain));
        assigns.is_empty()
            && redirects
                .iter()
                .all(|redirect| matches!(redirect.target, Target::Write(_)) && !redirect.printed)
            && self.stand.is_one_word()
            && !self.steered.may
            && !own
            && (echoed || list("prints no option").contains(&words.join(" ").as_str()))
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
        ("pwd", []) => Feed::Text(".".to_owned()),
        ("git", words) => asked_of_git(args, words),
        // Where it lies is not known, but what it is.
        ("find" | "gfind", words) if words.iter().any(|f| names_secret(&f.text)) => {
            let named = words.iter().find(|f| names_secret(&f.text)).map_or("", |f| f.text.as_str());
            Feed::Text(format!("{UNKNOWN}/{named}"))
        }
        ("mktemp", [] | [_]) if is_scratch(args) => Feed::Text("/tmp/dir/made".to_owned()),
        ("seq", words) if args.opts.is_empty() && words.iter().all(is_written) => Feed::Text(counted(words)),
        ("nproc" | "uuidgen", _) => Feed::Text("0".to_owned()),
        ("date" | "uname" | "arch" | "wc" | "expr", _) if is_plain(name, args) => Feed::Text("0".to_owned()),
        ("dirname", [one]) if is_one(one, args) => Feed::Text(parent(&one.text)),
        ("basename", [one]) if is_one(one, args) => text_feed(last_part(&one.text)),
        ("realpath" | "readlink", [one]) if one.text == "." => Feed::Text(".".to_owned()),
        ("which" | "whereis", [one]) if !one.unknown() => Feed::Text(found(&one.text)),
        _ => lines(name, args, &feed),
    }
}

/// A number that the line spells out.
fn is_written(word: &Field) -> bool {
    !word.data && !word.computed && word.made == Made::Nothing
}

/// One path as it stands.
fn is_one(path: &Field, args: &Args) -> bool {
    args.opts.is_empty() && !path.unknown() && !path.many
}

/// The last part of a path; of what stands for a folder it is not known.
fn last_part(path: &str) -> String {
    let path = path.trim_end_matches('/');
    match path.rsplit('/').next().unwrap_or_default() {
        "" | "." | ".." | "~" => UNKNOWN.to_string(),
        _ if path.ends_with(SCRATCH) => UNKNOWN.to_string(),
        last => last.to_owned(),
    }
}

/// What git says of where the project lies: with other options and words it prints more, or of another project.
fn asked_of_git(args: &Args, words: &[Field]) -> Feed {
    let only = |names: &[&str]| matches!(args.opts.as_slice(), [opt] if names.contains(&opt.text.as_str()));
    let said = match words {
        [] if only(&["--exec-path"]) => "/usr/lib/git-core".to_owned(),
        [first] if first.text == "rev-parse" && only(&["--show-toplevel"]) => ".".to_owned(),
        [first]
            if first.text == "rev-parse"
                && only(&["--git-dir", "--git-common-dir", "--absolute-git-dir"]) =>
        {
            ".git".to_owned()
        }
        [first, path] if first.text == "rev-parse" && only(&["--git-path"]) => format!(".git/{}", path.text),
        _ => return Feed::Other,
    };
    text_feed(said)
}

/// Whether a made file lies in the folder for such, under a name without anything odd.
fn is_scratch(args: &Args) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '/') || c == '-';
    let options =
        args.opts.iter().all(|opt| matches!(opt.name.as_str(), "-d" | "-q" | "-t" | "-u" | "--directory"));
    let there = |f: &Field| {
        let below = f.text.starts_with("/tmp/") && !f.text.contains("..");
        let named = args.opts.iter().any(|opt| opt.name == "-t") && !f.text.contains('/');
        f.text.chars().all(plain) && (below || named)
    };
    options && args.operands.iter().all(there)
}

/// Whether what is printed is a number, a date or a name of the system, whatever it is.
fn is_plain(name: &str, args: &Args) -> bool {
    let options = |allowed: &[&str]| args.opts.iter().all(|opt| allowed.contains(&opt.name.as_str()));
    let number = |f: &Field| f.text.chars().all(|c| c.is_ascii_digit()) || f.unknown() && !f.data;
    let sign = |f: &Field| matches!(f.text.as_str(), "+" | "-" | "*" | "/" | "%" | "(" | ")");
    match name {
        "date" => is_plain_date(args),
        "uname" => args.operands.is_empty() && options(&["-s", "-m", "-r", "-p", "-i", "-o"]),
        "wc" => {
            args.operands.is_empty()
                && options(&["-l", "-w", "-c", "-m", "-L", "--lines", "--words", "--bytes"])
        }
        "expr" => args.opts.is_empty() && args.operands.iter().all(|f| number(f) || sign(f)),
        _ => args.operands.is_empty() && args.opts.is_empty(),
    }
}

/// A date in figures: its zone and what a format spells out are the writer's own text.
fn is_plain_date(args: &Args) -> bool {
    let values = args.opts.iter().filter_map(|opt| opt.value.as_ref());
    let mut formats = args.operands.iter().chain(values).filter(|f| f.text.starts_with('+')).peekable();
    let standard = |name: &str| ["-I", "--iso-8601", "-R"].contains(&name);
    let stated = formats.peek().is_some() || args.opts.iter().any(|opt| standard(&opt.name));
    stated && formats.all(|f| f.text.strip_prefix('+').is_some_and(is_in_figures))
}

/// Whether a format begins with a figure and goes on with figures and what stands between those.
fn is_in_figures(format: &str) -> bool {
    let mut signs = format.chars();
    let begins = format.starts_with('%') && (!format.starts_with("%s") || format.len() == 2);
    while let Some(sign) = signs.next() {
        if sign != '%' {
            if !(sign.is_ascii_digit() || matches!(sign, '.' | '-' | '_' | ':' | 'T' | 'Z')) {
                return false;
            }
            continue;
        }
        let code = signs.by_ref().find(|c| !matches!(c, '-' | '3' | '6'));
        if !code.is_some_and(|c| "YymdHIMSNFTsjuVGgBbaAep".contains(c)) {
            return false;
        }
    }
    begins
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
