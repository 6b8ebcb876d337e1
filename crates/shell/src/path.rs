//! Where a path lies, judged by its text alone.
//!
//! Never touches the file system. Which names are those of secrets is in [`super::secrets`].

use super::expand::UNKNOWN;
use super::knowledge::list;

/// Where a path lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Below the project folder.
    Project,
    /// Below a scratch directory.
    Scratch,
    /// The null device and the standard streams.
    Null,
    /// A file of the project that makes something run: git hooks and configuration.
    Control,
    /// A disk or another device.
    Device,
    /// Anywhere else.
    Outside,
    /// Not known from the text.
    Unknown,
}

/// Where the shell stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cwd {
    Project,
    Scratch,
    Outside,
    Unknown,
}

impl Cwd {
    /// It is this or that: the one in which more can be lost.
    pub fn or(self, other: Self) -> Self {
        let all = [Self::Outside, Self::Unknown, Self::Project];
        all.into_iter().find(|one| self == *one || other == *one).unwrap_or(Self::Scratch)
    }
}

/// The components of a path with `.` and `..` settled; `None` when it climbs above its start. Above the root there is
/// the root.
fn settle(path: &str) -> Option<Vec<&str>> {
    let mut out = Vec::new();
    for part in path.split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." if out.is_empty() && path.starts_with('/') => {}
            ".." => {
                out.pop()?;
            }
            part => out.push(part),
        }
    }
    Some(out)
}

/// Where `path` lies when the shell stands at `cwd`.
pub(super) fn place(path: &str, cwd: Cwd) -> Place {
    if path.starts_with(UNKNOWN) {
        // Whatever it is called, it most likely lies where the shell stands.
        return if cwd == Cwd::Outside { Place::Outside } else { Place::Unknown };
    }
    if list("null devices").contains(&path)
        || path.starts_with("/dev/fd/")
        || path.eq_ignore_ascii_case("nul")
        || path == "$null"
    {
        return Place::Null;
    }
    let windows = path.as_bytes().get(1) == Some(&b':')
        && path.as_bytes().get(2) != Some(&b':')
        && path.as_bytes().first().is_some_and(u8::is_ascii_alphabetic)
        || path.starts_with("\\\\")
        || path.strip_prefix('%').is_some_and(|rest| rest.contains('%'));
    if path.starts_with('~') || windows {
        return Place::Outside;
    }
    if path.starts_with('/') {
        let settled = settle(path).map_or_else(String::new, |parts| format!("/{}", parts.join("/")));
        let scratch = list("scratch folders")
            .iter()
            .any(|s| settled.strip_prefix(s).is_some_and(|rest| rest.starts_with('/')));
        return if scratch {
            Place::Scratch
        } else if settled.starts_with("/dev/") {
            Place::Device
        } else {
            Place::Outside
        };
    }
    let Some(parts) = settle(path) else { return Place::Outside };
    match cwd {
        Cwd::Outside => Place::Outside,
        Cwd::Unknown => Place::Unknown,
        Cwd::Scratch => Place::Scratch,
        Cwd::Project if is_control(&parts) => Place::Control,
        Cwd::Project => Place::Project,
    }
}

/// Whether a text is a path, and one that leads out of the workspace: the one place that says so of arguments of which nothing
/// is known but that they may be paths. Of those that climb only `moved` says whether they leave it.
pub(super) fn leads_out(text: &str, moved: bool) -> bool {
    let is_path = |c: char| c.is_ascii_alphanumeric() || "/._-+~@%,:".contains(c) || c == UNKNOWN;
    // What stands below the root is written small, but on a Mac; a pattern between slashes is none.
    let top = text.strip_prefix('/').and_then(|rest| rest.split('/').next()).unwrap_or("");
    let rooted = top.len() > 1 && top.contains(|c: char| c.is_ascii_lowercase())
        || text.starts_with("~/")
        || text == "~";
    let climbs = !moved && (text == ".." || text.starts_with("../"));
    (rooted || climbs)
        && text.chars().all(is_path)
        && matches!(place(text, Cwd::Project), Place::Outside | Place::Device)
}

/// Whether it makes something run; what only instructs an agent is a file like others here.
fn is_control(parts: &[&str]) -> bool {
    crate::control::control(parts.iter().copied()).is_some_and(|c| c.runs)
}

/// Whether `text` matches `pattern` (`*`, `?`, `[set]`), without regard to case.
pub fn glob(pattern: &str, text: &str) -> bool {
    // Nearly every long text is told apart by its first letter.
    let first = pattern.chars().next().filter(|c| !matches!(c, '*' | '?' | '['));
    if first.is_some_and(|first| !text.starts_with(|c: char| c.eq_ignore_ascii_case(&first))) {
        return false;
    }
    let pattern: Vec<char> = pattern.chars().take(256).collect();
    let text: Vec<char> = text.chars().collect();
    let (mut p, mut t) = (0, 0);
    let mut back: Option<(usize, usize)> = None;
    while t < text.len() {
        let step = pattern.get(p).zip(text.get(t)).and_then(|(c, x)| match c {
            '*' => None,
            '?' => Some(p + 1),
            '[' => class(&pattern, p, *x),
            c => c.eq_ignore_ascii_case(x).then_some(p + 1),
        });
        if let Some(next) = step {
            p = next;
            t += 1;
        } else if pattern.get(p) == Some(&'*') {
            back = Some((p + 1, t));
            p += 1;
        } else if let Some((bp, bt)) = back {
            p = bp;
            t = bt + 1;
            back = Some((bp, bt + 1));
        } else {
            return false;
        }
    }
    pattern.get(p..).is_some_and(|rest| rest.iter().all(|c| *c == '*'))
}

fn class(pattern: &[char], open: usize, x: char) -> Option<usize> {
    let rest = pattern.get(open + 1..)?;
    let close = rest.iter().position(|c| *c == ']')?;
    let set = rest.get(..close)?;
    let (negated, set) = match set.split_first() {
        Some(('!' | '^', tail)) => (true, tail),
        _ => (false, set),
    };
    let mut found = false;
    let mut at = 0;
    while let Some(low) = set.get(at) {
        if let (Some('-'), Some(high)) = (set.get(at + 1), set.get(at + 2)) {
            found |= (*low..=*high).contains(&x);
            at += 3;
        } else {
            found |= *low == x;
            at += 1;
        }
    }
    (found != negated).then_some(open + close + 2)
}

/// Whether a variable of that name is likely to hold a secret.
pub(super) fn is_secret_variable(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    // By habit only what the environment holds is written in capitals.
    let ends = |end: &&&str| name.ends_with(**end) || **end == name;
    if list("ends of secret variables").iter().any(|end| ends(&end)) {
        return true;
    }
    list("secret variables").iter().any(|word| upper.contains(word))
        || upper.ends_with("_PWD")
        || upper.ends_with("_PW")
        || upper.ends_with("_DSN")
}
