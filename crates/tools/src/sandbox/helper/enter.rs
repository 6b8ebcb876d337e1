//! The stage that becomes the command: limits, name spaces, Landlock, seccomp, then the program takes
//! its place.
//!
//! Owns the order. Whatever fails, the program is not started.

use std::{ffi::OsString, fs, fs::File, os::unix::process::CommandExt, process::Command};

use rustix::{
    process::{Resource, Rlimit, setrlimit},
    thread::{CapabilitySet, CapabilitySets, capabilities, set_capabilities},
};

use super::{filter, rules, spaces};
use crate::sandbox::policy::{Limits, Policy};

/// Confines this process and makes it the program; returns only why that failed.
pub(super) fn enter(policy: &Policy, program: &OsString, args: &[OsString]) -> String {
    if let Err(why) = confine(policy) {
        return why;
    }
    let error = Command::new(program).args(args).exec();
    format!("{}: {error}", program.to_string_lossy())
}

fn confine(policy: &Policy) -> Result<(), String> {
    limit(policy.limits);
    if !policy.inside {
        return Ok(());
    }
    if policy.spaces {
        spaces::hold(policy)?;
    }
    // What was opened before its mounts were its own would still lead around them.
    let null = File::open("/dev/null").map_err(|e| format!("its input: {e}"))?;
    rustix::stdio::dup2_stdin(&null).map_err(|e| format!("its input: {e}"))?;
    lower().map_err(|e| format!("the superuser's rights could not be lowered: {e}"))?;
    if policy.landlock {
        rules::restrict(policy)?;
    }
    filter::install(policy)
}

/// What a superuser keeps: rights over files and users, none over other processes or the kernel.
const KEPT: CapabilitySet = CapabilitySet::CHOWN
    .union(CapabilitySet::DAC_OVERRIDE)
    .union(CapabilitySet::FOWNER)
    .union(CapabilitySet::FSETID)
    .union(CapabilitySet::SETGID)
    .union(CapabilitySet::SETUID)
    .union(CapabilitySet::SETFCAP)
    .union(CapabilitySet::NET_BIND_SERVICE);

/// Gives up the rest, which no program started from here gets back. Some of it would pass Landlock:
/// who may measure the system may read every process.
fn lower() -> rustix::io::Result<()> {
    let now = capabilities(None)?;
    let (effective, permitted) = (now.effective & KEPT, now.permitted & KEPT);
    set_capabilities(None, CapabilitySets { effective, permitted, inheritable: CapabilitySet::empty() })
}

/// A limit that the system does not allow to be set is left as it is: there is a lower one.
fn limit(limits: Limits) {
    let set = |resource, value: u64| {
        let wanted = Rlimit { current: Some(value), maximum: Some(value) };
        let _ = setrlimit(resource, wanted);
    };
    set(Resource::Core, 0);
    // Where the machine's memory ends, the kernel takes the command and nothing of the user's. Not every system has that.
    let _ = fs::write("/proc/self/oom_score_adj", "1000");
    if limits.file_bytes > 0 {
        set(Resource::Fsize, limits.file_bytes);
    }
    if limits.memory_bytes > 0 {
        set(Resource::Data, limits.memory_bytes);
    }
    if limits.processes > 0 {
        // The kernel counts every thread of the user, so what is there already comes on top.
        set(Resource::Nproc, super::watch::threads() + limits.processes);
    }
}
