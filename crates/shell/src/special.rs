//! Programs with a language of their own inside their arguments, and rules that need more than the tables.
//!
//! Owns the way from a name in the tables (`also …`) to a judge. Each family of judges has its file.

mod awk;
mod cloud;
mod code;
mod data;
mod edit;
mod files;
mod git;
pub(super) mod inline;
mod net;
mod pack;
mod system;
mod text;

use super::args::Args;
use super::expand::{Feed, Field};
use super::syntax::Span;
use super::walk::Walker;

pub(super) use files::dotted;
pub(super) use git::key_runs as git_key_runs;

/// What a judge gets to see.
pub(super) struct Case<'a> {
    pub name: &'a str,
    pub argv: &'a [Field],
    pub args: &'a Args,
    pub span: Span,
    pub feed: &'a Feed,
}

impl Case<'_> {
    /// The words after the program's name.
    fn words(&self) -> &[Field] {
        self.argv.get(1..).unwrap_or(&[])
    }
}

/// Calls the judge of that name.
pub(super) fn judge(
    w: &mut Walker<'_>,
    judge: &str,
    name: &str,
    argv: &[Field],
    args: &Args,
    span: Span,
    feed: &Feed,
) {
    let case = Case { name, argv, args, span, feed };
    match judge {
        "deep" => files::deep(w, &case),
        "diff" => files::diff(w, &case),
        "find" => files::find(w, &case),
        "fd" => files::fd(w, &case),
        "rm" => files::rm(w, &case),
        "mv" => files::mv(w, &case),
        "del" => files::del(w, &case),
        "dd" => files::dd(w, &case),
        "chmod" => files::chmod(w, &case),
        "tar" => pack::tar(w, &case),
        "zip" => pack::zip(w, &case),
        "cpio" => pack::cpio(w, &case),
        "deb" => pack::deb(w, &case),
        "truncate" => files::truncate(w, &case),
        "jq" | "yq" => text::jq(w, &case),
        "mlr" => text::miller(w, &case),
        "sed" => text::sed(w, &case),
        "awk" => awk::awk(w, &case),
        "editor" => edit::editor(w, &case),
        "git" => git::git(w, &case),
        "gh" => git::hub(w, &case),
        "code" | "python" => code::interpreter(w, &case),
        "sql" | "sqlite" => data::sql(w, &case),
        "curl" | "wget" | "httpie" => net::http(w, &case),
        "dns" => net::dns(w, &case),
        "address" => net::address(w, &case),
        "scp" => net::scp(w, &case),
        "keygen" => net::keygen(w, &case),
        "rsync" => net::rsync(w, &case),
        "docker" => cloud::docker(w, &case),
        "cloud" => cloud::cloud(w, &case),
        "kill" => system::kill(w, &case),
        "printenv" => system::printenv(w, &case),
        "ps" => system::ps(w, &case),
        "tmux" => system::tmux(w, &case),
        "psread" | "pswrite" | "psremove" | "psweb" | "psblock" | "psstart" => {
            system::powershell(w, judge, &case);
        }
        _ => {}
    }
}
