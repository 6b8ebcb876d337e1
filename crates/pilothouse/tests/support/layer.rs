//! A recording system layer: what a program and all that it started asked the kernel for, in order.
//!
//! `strace` writes it down; where it is missing or may not trace, nothing is recorded and that is said.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    process::Command,
};

const CALLS: &str = "execve,execveat,clone,clone3,fork,vfork,connect,open,openat,openat2,creat,rename,renameat,renameat2,unlink,unlinkat,mkdir,mkdirat,rmdir,link,linkat,symlink,symlinkat,truncate,write,pwrite64,fsync,fdatasync,mknod,mknodat,chmod,fchmod,fchmodat,chown,fchown,fchownat,lchown,setxattr,fsetxattr,lsetxattr,sendto,sendmsg";

/// The command that records another one into `into`.
pub fn recorder(into: &Path) -> Vec<String> {
    let into = into.display().to_string();
    let calls = format!("trace={CALLS}");
    [
        "strace",
        "-f",
        "-y",
        "--pidns-translation",
        "-s",
        "65536",
        "-e",
        &calls,
        "-e",
        "signal=none",
        "-o",
        &into,
    ]
    .map(str::to_owned)
    .to_vec()
}

/// Why nothing can be recorded here; `None` when it can.
pub fn missing() -> Option<String> {
    let dir = tempfile::tempdir().unwrap();
    let words = recorder(&dir.path().join("t"));
    let tried = Command::new(&words[0]).args(&words[1..]).arg("true").output();
    match tried {
        Err(e) => Some(format!("strace cannot be started ({e}); install it")),
        Ok(out) if out.status.success() => None,
        Ok(out) => Some(format!("strace may not trace here: {}", String::from_utf8_lossy(&out.stderr))),
    }
}

/// One system call.
#[derive(Debug)]
pub struct Call {
    /// The line where it began, and the one where it was over.
    pub began: usize,
    pub ended: usize,
    /// The process; threads count as theirs.
    pub process: u32,
    pub name: String,
    pub args: String,
    pub result: String,
}

impl Call {
    pub fn worked(&self) -> bool {
        !self.result.starts_with("-1") && !self.result.starts_with('?')
    }

    /// The text arguments, as the program gave them.
    pub fn texts(&self) -> Vec<Vec<u8>> {
        texts(&self.args)
    }

    /// The paths that it names, each seen from its folder.
    pub fn paths(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let mut rest = self.args.as_str();
        while let Some(at) = rest.find('"') {
            let folder = rest[..at].rsplit_once('<').and_then(|(_, f)| f.split_once(">, ")).map(|(f, _)| f);
            let Some((text, after)) = quoted(&rest[at..]) else { break };
            let path = PathBuf::from(String::from_utf8_lossy(&text).into_owned());
            found.push(match folder {
                Some(folder) if path.is_relative() => Path::new(folder).join(path),
                _ => path,
            });
            rest = after;
        }
        found
    }

    /// The file behind its first argument, where that is a descriptor.
    pub fn file(&self) -> Option<PathBuf> {
        let (_, rest) = self.args.split_once('<')?;
        Some(PathBuf::from(rest.split_once('>')?.0))
    }
}

/// Everything that was recorded.
pub struct Record {
    pub calls: Vec<Call>,
    pub root: u32,
    parents: HashMap<u32, u32>,
}

impl Record {
    pub fn read(file: &Path) -> Self {
        let text = String::from_utf8_lossy(&std::fs::read(file).unwrap()).into_owned();
        let mut calls = Vec::new();
        let mut under_way: HashMap<u32, (usize, String)> = HashMap::new();
        let mut root = 0;
        for (n, line) in text.lines().enumerate() {
            let Some((tid, rest)) = line.split_once(' ') else { continue };
            let (tid, rest): (u32, &str) = (tid.parse().unwrap(), rest.trim_start());
            root = if root == 0 { tid } else { root };
            if let Some(begun) = rest.strip_suffix(" <unfinished ...>") {
                under_way.insert(tid, (n, begun.to_owned()));
            } else if let Some((_, end)) = rest.strip_prefix("<... ").and_then(|r| r.split_once(" resumed>"))
            {
                if let Some((began, begun)) = under_way.remove(&tid) {
                    calls.extend(parse(began, n, tid, &format!("{begun}{end}")));
                }
            } else {
                calls.extend(parse(n, n, tid, rest));
            }
        }
        // What never came back may have happened.
        for (tid, (began, begun)) in under_way {
            calls.extend(parse(began, usize::MAX, tid, &format!("{begun}) = ?")));
        }
        calls.sort_by_key(|c| c.began);
        let (mut owners, mut parents) = (HashMap::new(), HashMap::new());
        for call in calls.iter().filter(|c| ["clone", "clone3", "fork", "vfork"].contains(&c.name.as_str())) {
            let Some(child) = child(&call.result) else { continue };
            if call.args.contains("CLONE_THREAD") {
                owners.insert(child, call.process);
            } else {
                parents.insert(child, call.process);
            }
        }
        let owner = |mut tid: u32| {
            while let Some(of) = owners.get(&tid) {
                tid = *of;
            }
            tid
        };
        for call in &mut calls {
            call.process = owner(call.process);
        }
        let parents = parents.into_iter().map(|(child, parent)| (child, owner(parent))).collect();
        Self { calls, root, parents }
    }

    /// The process and those it comes from, up to what the program itself started.
    pub fn line_of(&self, process: u32) -> Vec<u32> {
        let mut line = vec![process];
        let mut at = process;
        while let Some(parent) = self.parents.get(&at).copied() {
            if parent == self.root {
                return line;
            }
            line.push(parent);
            at = parent;
        }
        line
    }

    /// A path as the process meant it when it made the call.
    pub fn resolved(&self, call: &Call, path: &Path) -> PathBuf {
        if path.is_absolute() {
            return path.to_owned();
        }
        // Where it was is told by its calls that are relative to it.
        let before = self.calls.iter().filter(|c| c.process == call.process && c.began <= call.began);
        let folder = |c: &Call| Some(c.args.split_once("AT_FDCWD<")?.1.split_once('>')?.0.to_owned());
        before
            .filter_map(folder)
            .next_back()
            .map_or_else(|| path.to_owned(), |folder| Path::new(&folder).join(path))
    }

    /// What a process became, in order.
    pub fn programs(&self, process: u32) -> impl Iterator<Item = (&Call, Vec<String>)> {
        let its = self.calls.iter().filter(move |c| c.process == process && c.name == "execve" && c.worked());
        its.map(|c| (c, c.texts().iter().map(|t| String::from_utf8_lossy(t).into_owned()).collect()))
    }
}

fn parse(began: usize, ended: usize, process: u32, text: &str) -> Option<Call> {
    let (name, rest) = text.split_once('(')?;
    let at = rest.rfind(") = ").or_else(|| rest.rfind(" = "))?;
    let (args, result) =
        (rest[..at].trim_end_matches([')', ' ']), rest[at..].trim_start_matches([')', ' ', '=']));
    let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    plain.then(|| Call { began, ended, process, name: name.into(), args: args.into(), result: result.into() })
}

/// The process that a call made, by its number outside.
fn child(result: &str) -> Option<u32> {
    let outside = result.split_once("/* ").map(|(_, r)| r);
    outside.unwrap_or(result).split_whitespace().next()?.parse().ok()
}

fn texts(mut rest: &str) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    while let Some(at) = rest.find('"') {
        let Some((text, after)) = quoted(&rest[at..]) else { break };
        found.push(text);
        rest = after;
    }
    found
}

/// A text in quotes, as it is in C, and what stands behind it.
fn quoted(text: &str) -> Option<(Vec<u8>, &str)> {
    let bytes = text.as_bytes();
    let (mut out, mut at) = (Vec::new(), 1);
    loop {
        match *bytes.get(at)? {
            b'"' => return Some((out, &text[at + 1..])),
            b'\\' => {
                let next = *bytes.get(at + 1)?;
                at += 2;
                match next {
                    b'n' => out.push(b'\n'),
                    b't' => out.push(b'\t'),
                    b'r' => out.push(b'\r'),
                    b'v' => out.push(0x0b),
                    b'f' => out.push(0x0c),
                    b'0'..=b'7' => {
                        let mut value = u32::from(next - b'0');
                        for _ in 0..2 {
                            let Some(digit) = bytes.get(at).filter(|b| (b'0'..=b'7').contains(*b)) else {
                                break;
                            };
                            value = value * 8 + u32::from(digit - b'0');
                            at += 1;
                        }
                        out.push(u8::try_from(value & 0xff).unwrap());
                    }
                    b'x' => {
                        out.push(u8::from_str_radix(text.get(at..at + 2)?, 16).ok()?);
                        at += 2;
                    }
                    other => out.push(other),
                }
            }
            other => {
                out.push(other);
                at += 1;
            }
        }
    }
}
