//! Folders that tools make and make again: `assets/knowledge/made.txt`.
//!
//! Owns which names they have. Never looks at the disk.

use std::sync::LazyLock;

use super::knowledge::{Names, groups};

const TEXT: &str = include_str!("../../../assets/knowledge/made.txt");

/// What shows that a folder of a name is a tool's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Signs {
    /// Names, one of which stands beside it.
    pub beside: &'static [&'static str],
    /// Names, one of which stands in it.
    pub within: &'static [&'static str],
}

static SIGNS: LazyLock<Names<Signs>> = LazyLock::new(|| {
    let all = groups(TEXT);
    let listed = |place: &str, name: &str| -> &'static [&'static str] {
        let mut found = all.iter().filter(|(group, _)| group.split_once(' ') == Some((place, name)));
        let names = found.next().map(|(_, lines)| lines.iter().flat_map(|l| l.split_whitespace()).collect());
        names.map_or(&[], |names: Vec<&'static str>| names.leak())
    };
    let mut signs = Names::default();
    for name in all.iter().filter_map(|(group, _)| Some(group.split_once(' ')?.1)) {
        signs.add(name.to_owned(), Signs { beside: listed("beside", name), within: listed("within", name) });
    }
    signs
});

/// Names, and whether a tool makes all that lies there again.
static MADE: LazyLock<Names<bool>> = LazyLock::new(|| {
    let mut names = Names::default();
    for (group, lines) in groups(TEXT).into_iter().filter(|(group, _)| !group.contains(' ')) {
        for name in lines.iter().flat_map(|line| line.split_whitespace()) {
            names.add(name.to_owned(), group == "made");
        }
    }
    names
});

/// Whether a path is or lies in a folder that a tool makes again.
pub fn is_made(path: &str) -> bool {
    within(path) && path.split('/').any(|part| MADE.get(part) == Some(true))
}

/// Whether a tool makes what lies in a folder of this name again.
pub fn makes_again(name: &str) -> bool {
    MADE.get(name) == Some(true)
}

/// What shows that a folder of this name is a tool's; `None` where there is nothing to look for.
pub fn signs(name: &str) -> Option<Signs> {
    SIGNS.get(name)
}

/// Whether output goes to a path by habit: into a folder of it, or into a file of such a name at the top.
pub fn is_output(path: &str) -> bool {
    let folder = |part: &str| MADE.has(part) && !(part.contains('.') && MADE.get(part) == Some(false));
    let plain = path.strip_prefix("./").unwrap_or(path);
    within(path) && (plain.split('/').any(folder) || !plain.contains('/') && MADE.has(plain))
}

fn within(path: &str) -> bool {
    !path.starts_with(['/', '~']) && !path.split('/').any(|part| part == "..")
}
