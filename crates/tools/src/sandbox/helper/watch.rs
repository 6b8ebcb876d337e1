//! The stage that watches: it starts the command, takes in what leaves its session, and sees that
//! nothing is left, also when the program that started it is gone.
//!
//! Owns the processes of one command. Is itself outside the sandbox, so that nothing inside can
//! signal it. Its threads only wait; each act is one look at the process table.

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::OsString,
    fs::{self, File},
    io::{Read, Write},
    os::{
        fd::{AsFd, OwnedFd},
        unix::{net::UnixStream, process::CommandExt},
    },
    process::{Child, Command, ExitCode, Stdio},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use pilothouse_core::ids::Process;
use rustix::{
    io::Errno,
    process::{
        Pid, Signal, WaitOptions, WaitStatus, getpid, getuid, kill_process, kill_process_group,
        set_child_subreaper, setpriority_process, wait,
    },
};

use super::{
    ENTER, HELPER, bwrap,
    group::Group,
    talk::{Order, Told},
};
use crate::{
    command::{
        GRACE, POLL, TERM_WAIT,
        table::{self, Row},
    },
    sandbox::policy::Policy,
};

/// How often the number of processes is looked at, where nothing else holds it.
const COUNT: Duration = Duration::from_millis(20);
/// Ahead of what it watches, however much that is; only a superuser may say so.
const FIRST: i32 = -10;

/// This program, whatever became of its file.
const MYSELF: &str = "/proc/self/exe";

pub(super) fn watch(policy: &Policy, program: &OsString, args: &[OsString]) -> Result<ExitCode, String> {
    let lost = |what: &'static str| move |e: std::io::Error| format!("{what}: {e}");
    let line =
        std::io::stdin().as_fd().try_clone_to_owned().map(UnixStream::from).map_err(lost("its line"))?;
    set_child_subreaper(Some(getpid())).map_err(|e| lost("taking in what is left")(e.into()))?;
    let limit = policy.limits.processes;
    let group = if limit > 0 { Group::join(limit) } else { None };
    let started = start(policy, program, args);
    group.iter().for_each(Group::leave);
    let child = started?;
    let _ = setpriority_process(None, FIRST);
    let mut watch = Watch { line: line.try_clone().map_err(lost("its line"))?, ends: Arc::default(), group };
    let_go_of_output().map_err(lost("its output"))?;
    let pid = child.id();
    watch.tell(Told::Started(Process { pid, started: table::entry(pid).map_or(0, |(r, _)| r.started) }));
    let (ends, group) = (Arc::clone(&watch.ends), watch.group.clone());
    thread::spawn(move || obey(line, &ends, group.as_ref()));
    // The kernel's limit for a user does not hold the superuser.
    if limit > 0 && watch.group.is_none() && getuid().is_root() {
        let (line, ends) = (watch.line.try_clone().map_err(lost("its line"))?, Arc::clone(&watch.ends));
        thread::spawn(move || count(limit, line, &ends));
    }
    watch.until_all_ended(&child);
    watch.group.iter().for_each(Group::remove);
    Ok(ExitCode::SUCCESS)
}

fn start(policy: &Policy, program: &OsString, args: &[OsString]) -> Result<Child, String> {
    let told = serde_json::to_string(policy).map_err(|e| e.to_string())?;
    let mut command = match &policy.bwrap {
        None => Command::new(MYSELF),
        Some(bwrap) => {
            let myself = fs::read_link(MYSELF).ok().filter(|p| p.exists());
            let myself = myself.ok_or("the program's own file was replaced while it runs; start it again")?;
            let mut command = Command::new(bwrap);
            let folder = std::env::current_dir().map_err(|e| format!("its folder: {e}"))?;
            command.args(bwrap::arguments(policy, &folder)).arg(myself);
            command
        }
    };
    command.args([HELPER, ENTER, &told]).arg(program).args(args);
    // A group of its own, so that a signal for it leaves the watcher alone.
    command.stdin(Stdio::null()).process_group(0);
    command.spawn().map_err(|e| format!("{}: {e}", command.get_program().to_string_lossy()))
}

/// What the threads know of each other.
#[derive(Debug, Default)]
struct Ends {
    /// Whether everything is being ended for good.
    all: AtomicBool,
    /// The command's own process until its end is known, else 0.
    leader: AtomicU32,
}

struct Watch {
    line: UnixStream,
    ends: Arc<Ends>,
    group: Option<Group>,
}

/// Whoever reads the command's output sees its end when the command's processes end.
fn let_go_of_output() -> std::io::Result<()> {
    let null: OwnedFd = File::options().read(true).write(true).open("/dev/null")?.into();
    rustix::stdio::dup2_stdout(&null)?;
    rustix::stdio::dup2_stderr(&null)?;
    Ok(())
}

impl Watch {
    /// Nobody may listen any more; then the other thread knows.
    fn tell(&mut self, told: Told) {
        let _ = self.line.write_all(told.line().as_bytes());
    }

    /// Waits for the command, then for what it left, which is given a moment, asked, and ended.
    fn until_all_ended(&mut self, child: &Child) {
        let leader = pid(child.id());
        self.ends.leader.store(child.id(), Ordering::SeqCst);
        loop {
            match wait(WaitOptions::empty()) {
                Ok(Some((pid, status))) if Some(pid) == leader => {
                    self.ends.leader.store(0, Ordering::SeqCst);
                    self.tell(told(status));
                    break;
                }
                Ok(_) | Err(Errno::INTR) => {}
                Err(_) => return,
            }
        }
        let ended = Instant::now();
        let mut left = 0;
        let mut asked = false;
        loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some(_)) | Err(Errno::INTR) => continue,
                Ok(None) => {}
                Err(_) => break,
            }
            let since = ended.elapsed();
            if since >= GRACE && !asked {
                asked = true;
                left = descendants().len();
                signal(Signal::TERM);
            }
            if since >= GRACE + TERM_WAIT || self.ends.all.load(Ordering::SeqCst) {
                signal(Signal::KILL);
            }
            thread::sleep(POLL);
        }
        self.tell(Told::Left(left));
    }
}

fn told(status: WaitStatus) -> Told {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => Told::Exited(code),
        (None, Some(signal)) => Told::Killed(signal),
        (None, None) => Told::Exited(-1),
    }
}

/// Does as it is told; when nobody is there any more to tell it, everything ends.
fn obey(mut line: UnixStream, ends: &Ends, group: Option<&Group>) {
    let mut byte = [0];
    while let Ok(1) = line.read(&mut byte) {
        if byte == [Order::Terminate.byte()] {
            signal(Signal::TERM);
        } else {
            break;
        }
    }
    group.into_iter().for_each(Group::kill);
    end_all(ends);
}

/// Ends everything, again and again: what forks meanwhile is met the next time. The command's own
/// group goes first, all at once, however many it has become.
fn end_all(ends: &Ends) {
    ends.all.store(true, Ordering::SeqCst);
    if let Some(leader) = pid(ends.leader.load(Ordering::SeqCst)) {
        let _ = kill_process_group(leader, Signal::KILL);
    }
    while signal(Signal::KILL) > 0 {
        thread::sleep(Duration::from_millis(1));
    }
}

/// Ends everything when there are too many threads. The system's own count is cheap to read, so the
/// table is read only when that grew enough.
fn count(limit: u64, mut line: UnixStream, ends: &Ends) {
    let before = threads();
    loop {
        thread::sleep(COUNT);
        if threads().saturating_sub(before) <= limit {
            continue;
        }
        if descendants().iter().map(|r| r.threads).sum::<u64>() > limit {
            let _ = line.write_all(Told::TooMany.line().as_bytes());
            return end_all(ends);
        }
        thread::sleep(4 * COUNT);
    }
}

/// How many threads the system has.
pub(super) fn threads() -> u64 {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let all =
        text.split_ascii_whitespace().nth(3).and_then(|w| w.split_once('/')).map(|(_, all)| all.parse());
    all.and_then(Result::ok).unwrap_or(0)
}

/// Every living process below this one.
fn descendants() -> Vec<Row> {
    let mut below: BTreeMap<u32, Vec<Row>> = BTreeMap::new();
    for row in table::all().unwrap_or_default() {
        below.entry(row.parent).or_default().push(row);
    }
    let mut found = below.remove(&std::process::id()).unwrap_or_default();
    let mut at = 0;
    while let Some(parent) = found.get(at).map(|r| r.pid) {
        found.extend(below.remove(&parent).unwrap_or_default());
        at += 1;
    }
    found
}

/// Signals every process below this one, group by group and one by one; gives how many there were.
fn signal(signal: Signal) -> usize {
    let all = descendants();
    let ours = table::entry(std::process::id()).map(|(r, _)| r.group);
    let groups: BTreeSet<u32> = all.iter().map(|r| r.group).filter(|g| Some(*g) != ours).collect();
    // An error means that it is gone, or, for a group, that others are in it.
    for group in groups.into_iter().filter_map(pid) {
        let _ = kill_process_group(group, signal);
    }
    for one in all.iter().filter_map(|r| pid(r.pid)) {
        let _ = kill_process(one, signal);
    }
    all.len()
}

fn pid(number: u32) -> Option<Pid> {
    Pid::from_raw(i32::try_from(number).ok()?)
}
