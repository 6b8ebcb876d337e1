//! How the binary is linked: what runs when the program starts stands together in it.
//!
//! The kernel maps code in pieces of 64 KiB. What runs until the first key is 2 MB, strewn over 27 MB of code, so that
//! nearly all of it counted as memory of the idle program. `link/PROFILE.order` (an order file, as linkers call it) names
//! these functions. Their names hold the versions of the compiler and the dependencies: the list is used with the
//! compiler that it was recorded with, and what it does not find stands where it would stand without it.
#![allow(clippy::print_stdout, reason = "this is how a build script speaks to cargo")]

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=link");
    let Some(profile) = profile().filter(|_| links_as_shipped()) else { return };
    let order = Path::new(env!("CARGO_MANIFEST_DIR")).join("link").join(format!("{profile}.order"));
    if recorded_with(&order).is_some_and(|compiler| output("RUSTC", "rustc", "-V") == Some(compiler)) {
        link_with(&format!("--symbol-ordering-file={}", order.display()));
        link_with("--no-warn-symbol-ordering");
    }
    // 3 MB of relocations in 60 kB. glibc before 2.36 cannot load them: not for what is published.
    if profile == "release" && has_packed_relocations() {
        link_with("-z");
        link_with("pack-relative-relocs");
    }
}

/// One word for the linker, whatever characters it holds.
fn link_with(word: &str) {
    println!("cargo::rustc-link-arg-bins=-Xlinker");
    println!("cargo::rustc-link-arg-bins={word}");
}

/// The profile, by the folder that its output goes to: cargo tells only "release" for all that inherit from it.
fn profile() -> Option<String> {
    let out = PathBuf::from(env::var_os("OUT_DIR")?);
    Some(out.ancestors().nth(3)?.file_name()?.to_str()?.to_owned())
}

/// Whether the linker is the one that official compilers bring for this target, which knows these options.
fn links_as_shipped() -> bool {
    let is = |name: &str, value: &str| env::var(name).as_deref() == Ok(value);
    is("TARGET", "x86_64-unknown-linux-gnu")
        && is("HOST", "x86_64-unknown-linux-gnu")
        && env::var_os("RUSTC_LINKER").is_none()
        && env::var("CARGO_ENCODED_RUSTFLAGS").is_ok_and(|flags| !flags.contains("link"))
}

/// The compiler that the first line of an order file names.
fn recorded_with(order: &Path) -> Option<String> {
    let text = fs::read_to_string(order).ok()?;
    Some(text.lines().next()?.strip_prefix("# ")?.to_owned())
}

/// Whether the C library of this machine loads packed relocations.
fn has_packed_relocations() -> bool {
    let Some(said) = output("GETCONF", "getconf", "GNU_LIBC_VERSION") else { return false };
    let mut numbers = said.trim_start_matches("glibc ").split('.').map_while(|n| n.parse::<u32>().ok());
    (numbers.next(), numbers.next()) >= (Some(2), Some(36))
}

/// What a program says of itself; the variable may name another one.
fn output(variable: &str, program: &str, question: &str) -> Option<String> {
    let program = env::var_os(variable).unwrap_or_else(|| program.into());
    let said = Command::new(program).arg(question).output().ok().filter(|out| out.status.success())?;
    Some(String::from_utf8(said.stdout).ok()?.trim().to_owned())
}
