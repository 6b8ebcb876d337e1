//! Recognises a shell line typed as it is, and what it would do.
//!
//! Owns the shapes of command lines. Never judges their risk: that is the risk classifier's part.

use std::{collections::HashSet, sync::LazyLock};

use super::IntentNode as N;

/// Programs whose name is hardly an English word.
const PLAIN_LIST: &str = "git npm npx yarn pnpm bun deno cargo rustc rustup docker docker-compose podman kubectl helm \
    terraform ansible ansible-playbook pip pip3 pipx poetry uv python python3 pytest tox ruff black \
    mypy flake8 eslint prettier tsc vite jest vitest mocha playwright cypress nodemon pm2 gcc g++ \
    clang cmake ninja bazel mvn gradle ./gradlew dotnet javac java ruby bundle rails rake gem php \
    composer artisan mix iex ghc cabal stack zig swift xcodebuild pod flutter dart adb gh glab aws \
    gcloud az heroku vercel netlify fly flyctl ssh scp rsync curl wget tar unzip gunzip gzip chmod \
    chown sudo apt apt-get brew yum dnf pacman snap systemctl journalctl service crontab psql mysql \
    sqlite3 mongosh redis-cli createdb dropdb pg_dump alembic flask uvicorn gunicorn django-admin ls \
    ll cd pwd mkdir rmdir rm cp mv ln grep rg awk sed xargs wc du df ps htop lsof netstat ping dig \
    nslookup env export printenv whoami uname chsh tmux vim nvim nano jq yq openssl nginx killall \
    pkill minikube kind skaffold packer vagrant hadoop spark-submit nohup bash sh zsh fish source \
    conda mamba jupyter streamlit turbo nx lerna rollup webpack esbuild tsx ts-node just shred \
    unlink echo truncate dd mkfs tree stat md5sum sha256sum sha256 diff fd bat pre-commit make";
/// Programs whose name is also a common word: they need more to be a command.
const WORDY_LIST: &str = "make find test sort kill open watch time cat head tail touch node code go less more which cut \
    diff tree install top patch screen file just service source stack kind export env black mix snap \
    fly ping echo fish stat swift bun bat nano spring pod java ruby php python flask docker bundle \
    dart git npm cargo gh rails truncate composer rake gem az packer jest redis-cli cd vim nginx \
    terraform kubectl yarn pip ruff gradle poetry";
const ENGLISH_LIST: &str = "the a an my our your this that these those it its is are was to for with please whatever again \
    me all when if not does doesn't doesnt into can how why what should be we i you so but because \
    fails says instead and of where who use some any every from about there then as at by vs versus \
    or";
const SUBCOMMANDS_LIST: &str = "add commit push pull fetch merge rebase checkout switch branch status diff log show blame stash \
    reset revert restore clean tag clone init rm mv cherry-pick bisect reflog remote worktree \
    submodule config run build test check clippy fmt doc bench install i ci uninstall remove update \
    upgrade start stop restart dev serve publish audit outdated ls list up down ps logs exec images \
    rmi prune system volume network container image compose apply delete get describe rollout scale \
    create plan destroy import sync lock new generate migrate mod vet tidy freeze pr issue repo \
    release workflow console routes db:migrate lint format watch deploy enable disable reload pack \
    link shell login inspect cp kill top info version help package all g gc -v";

/// The words of a list, to be looked up.
type Words = LazyLock<HashSet<&'static str>>;

static PLAIN: Words = LazyLock::new(|| PLAIN_LIST.split(' ').collect());
static WORDY: Words = LazyLock::new(|| WORDY_LIST.split(' ').collect());
static ENGLISH: Words = LazyLock::new(|| ENGLISH_LIST.split(' ').collect());
static SUBCOMMANDS: Words = LazyLock::new(|| SUBCOMMANDS_LIST.split(' ').collect());

/// The leaf of a line that is a command as it stands; `None` for prose.
pub(crate) fn leaf_of_line(text: &str) -> Option<N> {
    let line = text.trim().trim_start_matches("$ ").trim_end_matches(['\n', '\r']);
    if line.is_empty() || line.len() > 2_000 {
        return None;
    }
    let lines: Vec<&str> =
        line.lines().map(|l| l.trim().trim_start_matches("$ ")).filter(|l| !l.is_empty()).collect();
    if lines.len() > 6 || !lines.iter().all(|l| is_command(l)) {
        return None;
    }
    lines.iter().flat_map(|l| parts(l)).map(|p| effect(&p)).max_by_key(|n| severity(*n))
}

fn parts(line: &str) -> Vec<String> {
    line.replace("&&", "\u{1}")
        .replace("||", "\u{1}")
        .split(['\u{1}', ';', '|'])
        .map(|p| p.trim().to_owned())
        .filter(|p| !p.is_empty())
        .collect()
}

fn severity(n: N) -> usize {
    [N::Read, N::Create, N::Execute, N::Modify, N::Delete].iter().position(|x| *x == n).unwrap_or(0)
}

fn is_sql(lower: &str) -> bool {
    let starts = [
        "drop table ",
        "drop database ",
        "drop schema ",
        "delete from ",
        "truncate table ",
        "alter table ",
        "create table ",
        "insert into ",
        "select * from ",
        "select count(",
    ];
    starts.iter().any(|s| lower.starts_with(s)) && !lower.contains(" please")
        || (lower.starts_with("select ") && lower.contains(" from ") && !lower.contains(" the "))
        || (lower.starts_with("update ") && lower.contains(" set ") && lower.contains('='))
}

fn is_command(line: &str) -> bool {
    if line.contains("ERR!") || line.contains("rror:") {
        return false;
    }
    if is_sql(&line.to_lowercase()) {
        return true;
    }
    let mut words: Vec<&str> = line.split_whitespace().collect();
    while words.first().is_some_and(|w| is_assignment(w)) {
        words.remove(0);
    }
    if words.first() == Some(&"sudo") && words.len() > 1 {
        words.remove(0);
    }
    let Some(program) = words.first().copied() else { return false };
    if line.ends_with('?') || (line.ends_with('.') && words.len() > 3 && !line.ends_with(" .")) {
        return false;
    }
    if program.starts_with("./") && program.len() > 2 {
        return words.len() < 3 || !words.iter().skip(1).any(|w| ENGLISH.contains(w));
    }
    let rest = words.get(1..).unwrap_or(&[]);
    let english = rest
        .iter()
        .take_while(|w| !w.starts_with(['"', '\'']))
        .any(|w| ENGLISH.contains(w.to_lowercase().as_str()));
    let typed = rest.iter().any(|w| {
        (w.starts_with('-') && w.len() > 1)
            || w.contains('/')
            || w.contains('=')
            || (w.contains('.') && w.len() > 2 && !w.ends_with('.'))
            || *w == "."
            || w.contains('*')
            || w.contains('$')
            || *w == "|"
            || *w == "&&"
            || *w == ">"
            || w.contains('@')
    });
    let sub = rest.first().is_some_and(|w| {
        SUBCOMMANDS.contains(w)
            || w.match_indices(':').any(|(at, _)| w.get(..at).is_some_and(|s| SUBCOMMANDS.contains(s)))
    });
    let lower_program = program.chars().all(|c| !c.is_uppercase());
    if !lower_program {
        return false;
    }
    if PLAIN.contains(program) && !WORDY.contains(program) {
        return !english || (typed && rest.iter().any(|w| w.starts_with('-')));
    }
    if WORDY.contains(program) {
        if matches!(program, "make" | "yarn" | "gradle" | "jest" | "terraform" | "black" | "pwd")
            && rest.is_empty()
        {
            return true;
        }
        if english && !rest.iter().any(|w| w.starts_with('-') && w.len() > 1) {
            return false;
        }
        let tool = matches!(
            program,
            "git"
                | "npm"
                | "cargo"
                | "docker"
                | "yarn"
                | "pip"
                | "gh"
                | "go"
                | "kubectl"
                | "terraform"
                | "bundle"
                | "rails"
                | "poetry"
                | "composer"
                | "gem"
                | "flask"
                | "make"
                | "php"
                | "az"
                | "bun"
                | "gradle"
                | "service"
                | "fly"
                | "pod"
                | "mix"
        );
        let runner = matches!(program, "make" | "just")
            && rest.len() == 1
            && rest.first().is_some_and(|w| SUBCOMMANDS.contains(w));
        return (typed && !english_shape(rest, program))
            || (tool && sub && (program != "make" && program != "go" || rest.len() < 4))
            || runner;
    }
    false
}

/// Wordy programs take paths in prose too: "open docs/api.md" is a request, not a line.
fn english_shape(rest: &[&str], program: &str) -> bool {
    let flags = rest.iter().any(|w| w.starts_with('-') && w.len() > 1);
    let words = rest.iter().filter(|w| w.len() > 2 && w.chars().all(char::is_alphabetic)).count();
    !flags
        && (matches!(
            program,
            "open" | "find" | "test" | "sort" | "watch" | "kill" | "code" | "patch" | "install" | "source"
        ) || words > 2)
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(k, _)| {
        !k.is_empty() && k.chars().all(|c| c.is_ascii_uppercase() || c == '_' || c.is_ascii_digit())
    })
}

/// What one simple command does.
fn effect(part: &str) -> N {
    let lower = part.to_lowercase();
    let mut words: Vec<&str> = lower.split_whitespace().collect();
    while words.len() > 1
        && (words.first().is_some_and(|w| *w == "sudo" || *w == "time" || *w == "nohup" || *w == "xargs")
            || part
                .split_whitespace()
                .next()
                .is_some_and(|w| is_assignment(w) && words.first().is_some_and(|f| f.contains('='))))
    {
        words.remove(0);
    }
    let has = |w: &str| words.contains(&w);
    let sub = words.iter().skip(1).find(|w| !w.starts_with('-')).copied().unwrap_or("");
    match words.first().copied().unwrap_or("") {
        "rm" | "rmdir" | "shred" | "unlink" | "dropdb" | "drop" | "delete" | "truncate" => N::Delete,
        "find" if has("-delete") || has("rm") => N::Delete,
        "git" => git(sub, &words),
        "docker" | "podman" | "docker-compose"
            if has("rm")
                || has("rmi")
                || has("prune")
                || (has("down") && (has("-v") || has("--volumes") || has("--rmi"))) =>
        {
            N::Delete
        }
        "docker" | "podman" | "docker-compose"
            if matches!(sub, "ps" | "logs" | "images" | "inspect" | "info" | "version" | "stats" | "top") =>
        {
            N::Read
        }
        "kubectl" | "helm" if matches!(sub, "delete" | "uninstall") => N::Delete,
        "kubectl" | "helm" if matches!(sub, "get" | "describe" | "logs" | "list" | "top" | "explain") => {
            N::Read
        }
        "terraform" if sub == "destroy" => N::Delete,
        "aws" | "gcloud" | "az" | "gh"
            if words
                .iter()
                .any(|w| w.contains("delete") || w.contains("terminate") || *w == "rm" || *w == "rb") =>
        {
            N::Delete
        }
        "gh" | "glab" if has("list") || has("view") || has("status") || has("diff") => N::Read,
        "redis-cli" if lower.contains("flush") || has("del") => N::Delete,
        "psql" | "mysql" | "sqlite3"
            if lower.contains("drop ") || lower.contains("delete from") || lower.contains("truncate") =>
        {
            N::Delete
        }
        "npm" | "yarn" | "pnpm" | "pip" | "pip3" | "cargo" | "brew" | "apt"
            if matches!(
                sub,
                "ls" | "list" | "outdated" | "show" | "freeze" | "view" | "tree" | "search" | "why"
            ) =>
        {
            N::Read
        }
        "sed" if words.iter().any(|w| w.starts_with("-i") || *w == "--in-place") => N::Modify,
        "ls" | "ll" | "cat" | "head" | "tail" | "less" | "more" | "grep" | "rg" | "find" | "fd" | "pwd"
        | "which" | "wc" | "tree" | "du" | "df" | "ps" | "env" | "printenv" | "whoami" | "stat" | "diff"
        | "bat" | "select" | "lsof" | "uname" | "file" | "jq" | "awk" | "history" | "journalctl"
        | "netstat" | "sed" => N::Read,
        "mkdir" | "touch" => N::Create,
        "mv" | "patch" => N::Modify,
        _ => N::Execute,
    }
}

fn git(sub: &str, words: &[&str]) -> N {
    let flag = |f: &[&str]| words.iter().any(|w| f.contains(w));
    match sub {
        "rm" | "clean" => N::Delete,
        "branch" if flag(&["-d", "-D", "--delete"]) => N::Delete,
        "tag" if flag(&["-d", "--delete"]) => N::Delete,
        "push" if flag(&["--delete", "-d"]) || words.iter().skip(2).any(|w| w.starts_with(':')) => N::Delete,
        "stash" if words.iter().any(|w| matches!(*w, "drop" | "clear")) => N::Delete,
        "worktree" | "remote" if words.iter().any(|w| matches!(*w, "remove" | "rm" | "prune")) => N::Delete,
        "status" | "log" | "diff" | "show" | "blame" | "reflog" | "shortlog" | "ls-files" | "describe"
        | "rev-parse" | "grep" => N::Read,
        "branch" | "remote" | "tag" | "config"
            if words.len() < 4 && words.iter().skip(2).all(|w| w.starts_with('-')) =>
        {
            N::Read
        }
        "stash" if words.contains(&"list") || words.contains(&"show") => N::Read,
        _ => N::Execute,
    }
}
