//! seccomp: system calls that lead out of the sandbox, by the network or past Landlock.
//!
//! Owns the list. Everything that is not named stays allowed: this is no list of what programs need.

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen as Len, SeccompCmpOp as Op, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, apply_filter,
};

use crate::sandbox::policy::Policy;

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// Calls that no command needs and that reach around it: into other processes, past the names of
/// files, into the kernel.
const NEVER: &[i64] = &[
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_open_by_handle_at,
    libc::SYS_fanotify_init,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_setns,
    libc::SYS_unshare,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_reboot,
    libc::SYS_kexec_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_adjtimex,
    libc::SYS_clock_adjtime,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_syslog,
    libc::SYS_vhangup,
];

/// Calls that change the mode, the owner, a time or an attribute of a file; the newest by their numbers,
/// which every processor shares: `fchmodat2`, `setxattrat`, `removexattrat`, `file_setattr`.
const CHANGES: &[i64] = &[
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    452,
    463,
    466,
    469,
];

/// The older of them, which not every processor has.
#[cfg(target_arch = "x86_64")]
const CHANGES_HERE: &[i64] = &[
    libc::SYS_chmod,
    libc::SYS_chown,
    libc::SYS_lchown,
    libc::SYS_utime,
    libc::SYS_utimes,
    libc::SYS_futimesat,
];
#[cfg(not(target_arch = "x86_64"))]
const CHANGES_HERE: &[i64] = &[];

/// The kinds of `ioctl` by which file systems set flags and attributes, some on files open for reading.
const OF_FILE_SYSTEMS: [u64; 6] = [0x66, 0x58, 0x76, 0x72, 0x94, 0xf5];

#[cfg(target_arch = "x86_64")]
const NEVER_HERE: &[i64] =
    &[libc::SYS_iopl, libc::SYS_ioperm, libc::SYS_kexec_file_load, libc::SYS_modify_ldt];
#[cfg(not(target_arch = "x86_64"))]
const NEVER_HERE: &[i64] = &[libc::SYS_kexec_file_load];

/// The second set of numbers that a 64-bit Intel kernel may know, for the x32 form of programs.
#[cfg(target_arch = "x86_64")]
const X32: i64 = 0x4000_0000;
/// Those of them that have numbers of their own: `ptrace`, `process_vm_readv` and `process_vm_writev`.
#[cfg(target_arch = "x86_64")]
const X32_OWN: [i64; 3] = [521, 539, 540];

/// Puts a character into a terminal's input.
const TIOCSTI: u64 = 0x5412;
/// Does so on a console.
const TIOCLINUX: u64 = 0x541c;

/// Whether the filter can be made for this processor.
pub(in crate::sandbox) fn known() -> bool {
    arch().is_some()
}

fn arch() -> Option<TargetArch> {
    std::env::consts::ARCH.try_into().ok()
}

/// Holds this process and all that it starts.
pub(super) fn install(policy: &Policy) -> Result<(), String> {
    let refused = errno(libc::EPERM);
    put(rules(policy).map_err(|e| format!("seccomp: {e}"))?, refused)?;
    // Its flags stand in memory, where a filter cannot look: programs fall back to `clone`.
    let mut newer = Rules::new();
    name(&mut newer, libc::SYS_clone3, Vec::new());
    put(newer, errno(libc::ENOSYS))
}

fn errno(number: i32) -> SeccompAction {
    SeccompAction::Errno(number.unsigned_abs())
}

fn put(rules: Rules, action: SeccompAction) -> Result<(), String> {
    let arch = arch().ok_or("seccomp is not known for this processor")?;
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, action, arch);
    let program: BpfProgram = filter.and_then(TryInto::try_into).map_err(|e| format!("seccomp: {e}"))?;
    apply_filter(&program).map_err(|e| format!("seccomp: {e}"))
}

fn rules(policy: &Policy) -> Result<Rules, seccompiler::BackendError> {
    let mut rules = Rules::new();
    for call in NEVER.iter().chain(NEVER_HERE) {
        name(&mut rules, *call, Vec::new());
    }
    #[cfg(target_arch = "x86_64")]
    for call in X32_OWN {
        rules.insert(X32 | call, Vec::new());
    }
    let is = |arg, len, op, value| SeccompCondition::new(arg, len, op, value);
    let fakes = |value| SeccompRule::new(vec![is(1, Len::Dword, Op::Eq, value)?]);
    let mut ioctls = vec![fakes(TIOCSTI)?, fakes(TIOCLINUX)?];
    if policy.still {
        for call in CHANGES.iter().chain(CHANGES_HERE) {
            name(&mut rules, *call, Vec::new());
        }
        for kind in OF_FILE_SYSTEMS {
            ioctls.push(SeccompRule::new(vec![is(1, Len::Dword, Op::MaskedEq(0xff00), kind << 8)?])?);
        }
    }
    name(&mut rules, libc::SYS_ioctl, ioctls);
    // Limits of another process are no business of a command.
    let other = SeccompRule::new(vec![is(0, Len::Dword, Op::Ne, 0)?])?;
    name(&mut rules, libc::SYS_prlimit64, vec![other]);
    // A name space of users gives rights over name spaces of mounts.
    let user = u64::try_from(libc::CLONE_NEWUSER).unwrap_or_default();
    let new_user = SeccompRule::new(vec![is(0, Len::Qword, Op::MaskedEq(user), user)?])?;
    name(&mut rules, libc::SYS_clone, vec![new_user]);
    let other_than = |families: &[i32]| {
        let each = families.iter().map(|f| is(0, Len::Dword, Op::Ne, u64::from(f.unsigned_abs())));
        SeccompRule::new(each.collect::<Result<_, _>>()?)
    };
    if policy.network || policy.bwrap.is_some() {
        // No sockets of this machine: services behind them would act with the user's rights.
        let families = [libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK];
        name(&mut rules, libc::SYS_socket, vec![other_than(&families)?]);
    } else {
        name(&mut rules, libc::SYS_socket, vec![other_than(&[libc::AF_UNIX])?]);
        name(&mut rules, libc::SYS_connect, Vec::new());
    }
    name(&mut rules, libc::SYS_socketpair, vec![other_than(&[libc::AF_UNIX])?]);
    Ok(rules)
}

/// Names a call by all its numbers.
fn name(rules: &mut Rules, call: i64, when: Vec<SeccompRule>) {
    #[cfg(target_arch = "x86_64")]
    rules.insert(X32 | call, when.clone());
    rules.insert(call, when);
}
