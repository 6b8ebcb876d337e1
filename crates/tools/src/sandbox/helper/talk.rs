//! What the watcher and the program that started it tell each other, a line each.
//!
//! Owns the words. The other end going away ends everything.

use pilothouse_core::ids::Process;

/// What the watcher says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Told {
    /// The command's own process exists.
    Started(Process),
    /// It ended with this code.
    Exited(i32),
    /// A signal ended it.
    Killed(i32),
    /// It was ended because it was too many.
    TooMany,
    /// So many of what it started lived longer; nothing lives now.
    Left(usize),
}

/// What the watcher is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// Ask everything to end.
    Terminate,
    /// End everything.
    Kill,
}

impl Told {
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "only there is a watcher"))]
    pub fn line(self) -> String {
        match self {
            Self::Started(p) => format!("started {} {}\n", p.pid, p.started),
            Self::Exited(code) => format!("exited {code}\n"),
            Self::Killed(signal) => format!("killed {signal}\n"),
            Self::TooMany => "toomany\n".to_owned(),
            Self::Left(n) => format!("left {n}\n"),
        }
    }

    pub fn read(line: &str) -> Option<Self> {
        let mut words = line.split_ascii_whitespace();
        let word = words.next()?;
        let mut number = || words.next()?.parse::<i64>().ok();
        match word {
            "started" => Some(Self::Started(Process {
                pid: u32::try_from(number()?).ok()?,
                started: u64::try_from(number()?).ok()?,
            })),
            "exited" => Some(Self::Exited(i32::try_from(number()?).ok()?)),
            "killed" => Some(Self::Killed(i32::try_from(number()?).ok()?)),
            "toomany" => Some(Self::TooMany),
            "left" => Some(Self::Left(usize::try_from(number()?).ok()?)),
            _ => None,
        }
    }
}

impl Order {
    pub const fn byte(self) -> u8 {
        match self {
            Self::Terminate => b't',
            Self::Kill => b'k',
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_is_read_back() {
        let process = Process { pid: 7, started: 9 };
        for told in [Told::Started(process), Told::Exited(3), Told::Killed(9), Told::TooMany, Told::Left(2)] {
            assert_eq!(Told::read(&told.line()), Some(told));
        }
        for line in ["", "exited", "exited x", "started 1", "gone 3", "left -1"] {
            assert_eq!(Told::read(line), None, "{line}");
        }
    }
}
