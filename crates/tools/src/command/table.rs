//! The process table, where the system has one to read.
//!
//! Owns its reading. Never signals anything.

use std::fs;

/// One line of the process table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub pid: u32,
    pub parent: u32,
    pub group: u32,
    pub session: u32,
    pub started: u64,
    pub threads: u64,
}

/// Every living process; `None` where the system has no table to read.
pub(crate) fn all() -> Option<Vec<Row>> {
    if !cfg!(target_os = "linux") {
        return None;
    }
    let entries = fs::read_dir("/proc").ok()?;
    Some(entries.flatten().filter_map(|e| row(e.file_name().to_str()?.parse().ok()?)).collect())
}

/// One process of the table, unless it has ended and only waits to be reaped.
fn row(pid: u32) -> Option<Row> {
    entry(pid).filter(|(_, ended)| !ended).map(|(row, _)| row)
}

/// One process of the table, and whether it has ended.
pub(crate) fn entry(pid: u32) -> Option<(Row, bool)> {
    if !cfg!(target_os = "linux") {
        return None;
    }
    let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
    let stat = String::from_utf8_lossy(&stat);
    // The name stands in brackets and may hold anything, brackets too.
    let (_, rest) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    // Numbered as in proc(5), where the first field after the name is the third.
    let field = |n: usize| fields.get(n - 3).copied();
    let id = |n: usize| field(n).and_then(|f| f.parse::<u32>().ok());
    let number = |n: usize| field(n).and_then(|f| f.parse::<u64>().ok());
    let row = Row {
        pid,
        parent: id(4)?,
        group: id(5)?,
        session: id(6)?,
        started: number(22)?,
        threads: number(20)?,
    };
    Some((row, matches!(field(3)?, "Z" | "X")))
}
