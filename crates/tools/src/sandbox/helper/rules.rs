//! Landlock: what of the file system is readable and writable, and that signals stay inside.
//!
//! Owns the rules. Landlock only grants, so what is hidden is left out of what is granted.

use std::{
    fs,
    path::{Path, PathBuf},
};

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset,
    RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetStatus, Scope,
};

use crate::sandbox::policy::Policy;

/// The newest features asked for; an older kernel gives what it has.
const NEWEST: ABI = ABI::V9;
/// The least: before it a file that may not be written can still be cut short.
const LEAST: ABI = ABI::V3;

/// Devices that hold nothing.
const DEVICES: [&str; 5] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

/// Whether the kernel can hold what is done with files.
pub(in crate::sandbox) fn kernel_holds_files() -> bool {
    let files = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
    files.handle_access(AccessFs::from_all(LEAST)).and_then(Ruleset::create).is_ok()
}

/// Whether the kernel can keep signals inside.
pub(in crate::sandbox) fn kernel_holds_signals() -> bool {
    let scoped = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
    scoped.scope(Scope::from_all(ABI::V6)).and_then(Ruleset::create).is_ok()
}

/// Holds this process and all that it starts.
pub(super) fn restrict(policy: &Policy) -> Result<(), String> {
    let lost = |e: landlock::RulesetError| format!("Landlock: {e}");
    let files = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(LEAST))
        .map_err(lost)?;
    let mut all = files
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(NEWEST))
        .and_then(|r| r.scope(Scope::from_all(NEWEST)))
        .map_err(lost)?;
    // With name spaces of its own the loopback is its own as well.
    if !policy.network && policy.bwrap.is_none() {
        all = all.handle_access(AccessNet::from_all(NEWEST)).map_err(lost)?;
    }
    let mut rules = Rules { set: all.create().map_err(lost)? };
    rules.add(policy).map_err(lost)?;
    let status = rules.set.restrict_self().map_err(lost)?;
    if status.ruleset == RulesetStatus::NotEnforced || !status.no_new_privs {
        return Err("the kernel did not enforce Landlock".to_owned());
    }
    Ok(())
}

struct Rules {
    set: RulesetCreated,
}

impl Rules {
    fn add(&mut self, policy: &Policy) -> Result<(), landlock::RulesetError> {
        let read = AccessFs::from_read(NEWEST);
        // Names may be seen everywhere, contents not.
        self.allow(Path::new("/"), AccessFs::ReadDir.into())?;
        let mut hidden: Vec<PathBuf> = policy.left_out().into_iter().map(Path::to_owned).collect();
        if policy.bwrap.is_none() {
            // Terminals and disks: only what is listed of the devices is given.
            hidden.push(PathBuf::from("/dev"));
            for device in DEVICES {
                self.allow(Path::new(device), AccessFs::ReadFile | AccessFs::WriteFile)?;
            }
        } else {
            self.allow(Path::new("/dev"), writing())?;
        }
        for piece in pieces(Path::new("/"), &hidden) {
            self.allow(&piece, read)?;
        }
        let covered: Vec<PathBuf> = policy.covered().into_iter().map(Path::to_owned).collect();
        for path in &policy.shown {
            if !covered.iter().any(|hidden| hidden.starts_with(path)) {
                self.allow(path, read)?;
                continue;
            }
            for piece in pieces(path, &covered) {
                self.allow(&piece, read)?;
            }
        }
        for path in &policy.write {
            self.allow(path, writing())?;
        }
        Ok(())
    }

    /// What cannot be opened is not granted.
    fn allow(&mut self, path: &Path, access: BitFlags<AccessFs>) -> Result<(), landlock::RulesetError> {
        let (Ok(handle), Ok(meta)) = (PathFd::new(path), fs::metadata(path)) else { return Ok(()) };
        let access = if meta.is_dir() { access } else { access & AccessFs::from_file(NEWEST) };
        if access.is_empty() {
            return Ok(());
        }
        (&mut self.set).add_rule(PathBeneath::new(handle, access)).map(drop)
    }
}

/// Everything with files that is no device.
fn writing() -> BitFlags<AccessFs> {
    AccessFs::from_all(NEWEST) & !(AccessFs::MakeChar | AccessFs::MakeBlock)
}

/// What is below `dir` without what is hidden: whole folders where nothing in them is. A link is
/// left out; what it leads to has a place of its own.
fn pieces(dir: &Path, hidden: &[PathBuf]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let path = entry.path();
        let link = entry.file_type().is_ok_and(|t| t.is_symlink());
        if link || hidden.contains(&path) {
            continue;
        }
        if hidden.iter().any(|h| h.starts_with(&path)) {
            found.extend(pieces(&path, hidden));
        } else {
            found.push(path);
        }
    }
    found
}
