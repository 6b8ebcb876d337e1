//! What is asked of the rules: a command, a path, a tool of a server, a host.
//!
//! Owns the requests and what a shell line comes to: its commands, the files that it may mean, its hosts. Never decides.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{
    Manner,
    glob::{Places, Target, UNKNOWN, Wild},
};
use crate::shell::{self, Act, Call, Reading, Risk, Role, Use};

/// Something that may be allowed, asked about or denied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "of")]
pub enum Request {
    /// A shell line.
    Command {
        /// The exact line.
        line: String,
        /// The folder it starts in, relative to the workspace; empty for its root.
        folder: String,
        /// How it is to run, and who wants it.
        #[serde(default, skip_serializing_if = "Manner::is_plain")]
        manner: Manner,
    },
    /// A file.
    Path {
        /// What is done to it.
        act: Act,
        /// The path: relative to the workspace, absolute, or below `~/`.
        path: String,
    },
    /// A tool of an MCP server.
    Mcp {
        /// The server.
        server: String,
        /// The tool.
        tool: String,
        /// Whether the tool is known only to read.
        reads: bool,
    },
    /// A connection.
    Network {
        /// The host.
        host: String,
    },
}

impl Request {
    /// A command at the workspace's root.
    pub fn command(line: impl Into<String>) -> Self {
        Self::Command { line: line.into(), folder: String::new(), manner: Manner::default() }
    }

    /// A command in a folder of the workspace.
    pub fn command_in(line: &str, folder: &str, manner: Manner) -> Self {
        Self::Command { line: line.to_owned(), folder: folder.to_owned(), manner }
    }

    /// The same request, were it to run so; of what is no command, itself.
    #[must_use]
    pub fn in_manner(mut self, how: Manner) -> Self {
        if let Self::Command { manner, .. } = &mut self {
            *manner = how;
        }
        self
    }

    /// Reads a call as a person writes it: `read PATH`, `edit PATH`, `write PATH`, `delete PATH`,
    /// `mcp SERVER TOOL`, `network HOST`; all else is a command line.
    pub fn read(text: &str) -> Self {
        let words: Vec<&str> = text.split_whitespace().collect();
        let rest =
            || text.trim_start().split_once(char::is_whitespace).map_or("", |(_, r)| r.trim()).to_owned();
        let path = |act| Self::Path { act, path: rest() };
        // The shell has a word of that name, with options and redirects.
        let of_shell = |first: &str| first.starts_with('-') || text.contains(['<', '>', '|', ';', '&', '\n']);
        match words.as_slice() {
            ["read", first, ..] if of_shell(first) => Self::command(text),
            ["read", _, ..] => path(Act::Read),
            ["edit" | "write", _, ..] => path(Act::Write),
            ["delete", _, ..] => path(Act::Delete),
            ["mcp", server, tool] => {
                Self::Mcp { server: (*server).to_owned(), tool: (*tool).to_owned(), reads: false }
            }
            ["network", host] => Self::Network { host: (*host).to_owned() },
            _ => Self::command(text),
        }
    }
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Command { line, .. } => f.write_str(line),
            Self::Path { act, path } => write!(f, "{} {path}", act.name()),
            Self::Mcp { server, tool, .. } => write!(f, "{server}/{tool}"),
            Self::Network { host } => write!(f, "connect to {host}"),
        }
    }
}

/// What a shell line comes to.
pub(super) struct Facts {
    pub reading: Reading,
    /// What it may touch, and whether that is only where output goes.
    pub touched: Vec<Touched>,
    /// The hosts that it names, each with the part that does.
    pub hosts: Vec<(String, String)>,
}

/// A file that a line may touch.
pub(super) struct Touched {
    pub act: Act,
    pub path: String,
    pub targets: Vec<Target>,
    pub redirect: bool,
}

impl Facts {
    pub fn of(line: &str, folder: &str, places: &Places) -> Self {
        let reading = shell::read_in(line, folder);
        let dots = shows_dots(line, &reading.calls);
        let touched = reading.uses.iter().flat_map(|used| {
            pieces(&used.path, used.redirect).into_iter().map(|path| Touched {
                act: used.act,
                targets: targets(&path, folder, used, places, wildcards(used, &path, &reading.calls, dots)),
                path,
                redirect: used.redirect,
            })
        });
        let touched = touched.collect();
        let named = |call: &Call| -> Vec<(String, String)> {
            let words = call.words.iter().filter_map(|w| host_of(&w.text));
            words.map(|host| (host, call.part.clone())).collect()
        };
        let hosts = reading.calls.iter().flat_map(named).collect();
        Self { reading, touched, hosts }.weighed(line, places)
    }

    /// A line that reads somebody's own file is high, by whatever way the path leads there: the text alone does not show where
    /// one lies that climbs out of the workspace.
    fn weighed(self, line: &str, places: &Places) -> Self {
        let own = |touched: &&Touched| {
            let outside = touched.targets.iter().filter_map(|target| target.outside(places));
            touched.act == Act::Read && outside.into_iter().any(|path| shell::secrets::is_private(&path))
        };
        let rule = shell::rules::secret();
        let found = self.touched.iter().find(own).map(|touched| (touched.path.clone(), rule.why.to_owned()));
        self.raised_to(rule.id, found, line)
    }

    /// A line that touches a reserved place is high: the text alone shows a path of the workspace there.
    pub fn raised(self, line: &str, places: &Places) -> Self {
        let acts = self.reading.verdict.risk > Risk::Low;
        let why = |touched: &Touched| {
            let changes = (acts || touched.act != Act::Read) && !nothing(&touched.path);
            let mut targets = touched.targets.iter().filter(|t| changes || places.private(t));
            Some((touched.path.clone(), targets.find_map(|t| places.why(t))?))
        };
        let found = self.touched.iter().find_map(why);
        let found = found.map(|(path, why)| (path, format!("it touches what {why}")));
        self.raised_to("reserved", found, line)
    }

    /// A line is high for a path in it, with the reason, unless it is anyway.
    fn raised_to(mut self, rule: &str, found: Option<(String, String)>, line: &str) -> Self {
        let verdict = &mut self.reading.verdict;
        if let Some((path, why)) = found.filter(|_| verdict.risk < Risk::High) {
            verdict.risk = Risk::High;
            verdict.part = if line.contains(&path) { path } else { line.trim().to_owned() };
            verdict.why = why;
            rule.clone_into(&mut verdict.rule);
        }
        self
    }

    /// The commands of the line that want a rule of their own: all where none does more than read, or else those that do,
    /// and those that might where they may write.
    pub fn doing(&self, folder: &str, places: &Places) -> impl Iterator<Item = &Call> {
        let own = |c: &&Call| !c.carrier;
        let acts = self.reading.calls.iter().filter(own).any(|c| c.risk > Risk::Low);
        let only_reads = move |c: &Call| {
            c.reads && c.risk == Risk::Low && (!c.led || Self::is_led_inside(c, folder, places))
        };
        self.reading.calls.iter().filter(own).filter(move |c| !acts || !only_reads(c))
    }

    /// Whether it may do more than is read of it: its code is made while it runs, or a command that stands beside what writes is
    /// only known to read as far as words are that are made.
    pub fn may_do_more(&self) -> bool {
        let calls = || self.reading.calls.iter().filter(|c| !c.carrier);
        let open = |c: &Call| !c.reads && c.risk == Risk::Low && c.words.iter().any(|w| !w.certain);
        self.reading.made || calls().any(|c| c.risk > Risk::Low) && calls().any(open)
    }

    /// Whether each command only reads to an end, or puts something where its words say, and none reads what another one of them
    /// writes at the same time.
    pub fn only_keeps(&self, (line, folder): (&str, &str), places: &Places) -> bool {
        let mut calls = self.reading.calls.iter().filter(|c| !c.carrier);
        let reads = |c: &Call| {
            c.risk == Risk::Low
                && shell::reads_to_an_end(c)
                && (!c.led || Self::is_led_inside(c, folder, places))
        };
        let puts = |c: &Call| c.risk == Risk::Medium && shell::puts_where_it_says(c);
        let device = |t: &Touched| t.path.starts_with("/dev/") && !nothing(&t.path);
        let written = |act: Act| self.touched.iter().filter(move |t| (t.act == act) && !t.path.is_empty());
        let both = || written(Act::Write).any(|to| written(Act::Read).any(|from| from.targets == to.targets));
        let feeds_itself = (line.contains('|') || line.contains(">>")) && both();
        calls.all(|c| reads(c) || puts(c)) && !self.touched.iter().any(device) && !feeds_itself
    }

    /// Whether all that says what a command does lies inside the workspace, and not with the code of others.
    fn is_led_inside(call: &Call, folder: &str, places: &Places) -> bool {
        let root = Target::exact(".", places);
        let set = shell::set_by(call);
        let inside = |path: &String| {
            let mut there =
                Target::of_line(path, folder, call.from.as_deref(), places, Wild::Plain).into_iter();
            !shell::is_of_others(path) && there.all(|t| t.is_below(&root))
        };
        Self::inside(call, folder, places) && set.folders.iter().chain(&set.files).all(inside)
    }

    /// Whether a command runs inside the workspace for certain.
    pub fn inside(call: &Call, folder: &str, places: &Places) -> bool {
        let Some(from) = &call.from else { return false };
        if from.iter().any(|at| shell::is_unreviewed(at)) {
            return false;
        }
        let root = Target::exact(".", places);
        from.iter().all(|at| {
            let mut there =
                Target::of_line(at, folder, Some(&[String::new()]), places, Wild::Plain).into_iter();
            // A program given by a relative path is another file wherever else the shell stands.
            there.all(|t| if call.located { t == root } else { t.is_below(&root) })
        })
    }
}

/// Places to which output goes without being kept.
pub(super) fn nothing(path: &str) -> bool {
    matches!(path, "/dev/null" | "/dev/stdout" | "/dev/stderr" | "/dev/tty") || path.starts_with("/dev/fd/")
}

/// What a path of a line may mean; nothing where the line shows nothing of it.
fn targets(path: &str, folder: &str, used: &Use, places: &Places, wild: Wild) -> Vec<Target> {
    if path.chars().all(|c| c == UNKNOWN) {
        return Vec::new();
    }
    let led = shell::secrets::followed(path);
    let path = led.as_deref().unwrap_or(path);
    Target::of_line(path, folder, used.from.as_deref(), places, wild)
}

/// What the wildcards of a path stand for: bash reads the word as a whole, unless a program does that reads patterns
/// itself, or the line changes how they are read.
fn wildcards(used: &Use, path: &str, calls: &[Call], dots: bool) -> Wild {
    let reads = |call: &Call| {
        let searches = shell::is(&call.program, Role::Searches);
        // What is searched the shell has read; only what an option takes is a pattern still.
        let taken = |at: usize| {
            at.checked_sub(1).and_then(|at| call.words.get(at)).is_some_and(|w| w.text.starts_with('-'))
        };
        let mut words = call.words.iter().enumerate().filter(|(_, w)| w.text == used.path);
        shell::is(&call.program, Role::Patterns) && words.any(|(at, _)| !searches || taken(at))
    };
    match used.wild {
        false => Wild::Plain,
        true if dots || path != used.path || calls.iter().any(reads) => Wild::Any,
        true => Wild::Shell,
    }
}

/// Whether a line may change what its wildcards stand for: an option or a variable of bash, or another shell.
fn shows_dots(line: &str, calls: &[Call]) -> bool {
    const NAMES: [&str; 3] = ["GLOBIGNORE", "BASHOPTS", "dotglob"];
    let says = |text: &str| NAMES.iter().any(|name| text.contains(name));
    let changes = |call: &Call| {
        let name = call.program.as_str();
        let option = || call.words.iter().any(|w| w.text.starts_with(['-', '+']) && w.text.contains('O'));
        let usual = matches!(name, "bash" | "sh" | "dash" | "ash" | "rbash");
        matches!(name, "" | "shopt" | "setopt" | "unsetopt")
            || shell::is(name, Role::Shell) && (!usual || option())
            || call.words.iter().any(|w| says(&w.text))
    };
    says(line) || calls.iter().any(changes)
}

/// The paths inside an argument: itself, and what follows `=`, `:`, `@` or `,`.
fn pieces(argument: &str, whole: bool) -> Vec<String> {
    let mut all = vec![argument.to_owned()];
    if !whole && argument.contains(['=', ':', '@', ',']) && !argument.contains("://") {
        let parts = argument.split(['=', ':', '@', ',']).filter(|p| !p.is_empty() && *p != argument);
        all.extend(parts.map(str::to_owned));
    }
    all
}

/// The host in a URL or in `user@host:path`.
fn host_of(word: &str) -> Option<String> {
    let authority = if let Some((_, rest)) = word.split_once("://") {
        rest.split(['/', '?', '#']).next().unwrap_or("")
    } else {
        let (host, _) = word.split_once(':')?;
        host.contains('@').then_some(host)?
    };
    let host = authority.rsplit('@').next().unwrap_or("");
    let host = match host.strip_prefix('[') {
        Some(v6) => v6.split(']').next().unwrap_or(""),
        None => host.split(':').next().unwrap_or(""),
    };
    (!host.is_empty()).then(|| host.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_begins_with_the_shells_own_read_is_a_line() {
        for line in ["read -r c < <(ls)", "read -r a", "read a < f; make test"] {
            assert_eq!(Request::read(line), Request::command(line), "{line}");
        }
        for path in ["src/a file.c", ".env"] {
            let call = Request::Path { act: Act::Read, path: path.to_owned() };
            assert_eq!(Request::read(&format!("read {path}")), call, "{path}");
        }
    }
}
