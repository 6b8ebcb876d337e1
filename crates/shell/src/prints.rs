//! What a command prints, as far as the line makes it certain.
//!
//! Owns the programs whose output follows from their arguments or from what they are fed. Never judges.

use super::expand::Feed;
use super::programs::Args;

/// Programs that pass on what they are fed.
const FILTERS: [&str; 34] = [
    "cat", "tac", "head", "tail", "sed", "grep", "egrep", "tr", "gunzip", "zcat", "gzip", "base64", "awk",
    "gawk", "cut", "sort", "uniq", "jq", "rev", "xxd", "tee", "iconv", "dos2unix", "bunzip2", "xz",
    "openssl", "gpg", "xzcat", "perl", "python3", "python", "sponge", "pv", "tar",
];

/// What a program gives to the next one.
pub(super) fn printed(name: &str, args: &Args, network: bool, feed: Feed) -> Feed {
    if network {
        return Feed::Fetched;
    }
    if feed == Feed::Fetched && FILTERS.contains(&name) {
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
        ("mktemp", _) => Feed::Text("/tmp/dir/made".to_owned()),
        ("date" | "nproc" | "uname" | "wc" | "seq" | "expr" | "arch" | "uuidgen", _) => {
            Feed::Text("0".to_owned())
        }
        ("basename" | "dirname" | "realpath" | "readlink", [one]) if !one.unknown() => {
            Feed::Text(one.text.clone())
        }
        ("which" | "whereis", [one]) if !one.unknown() => Feed::Text(one.text.clone()),
        _ => Feed::Other,
    }
}
