//! The jail against a thread that swaps a folder for a link to the outside, as often as asked:
//! `cargo run -p pilothouse-tools --example swapper -- 100000`. Prints `checked` and `violations`;
//! ends with 1 if there was any.
#![allow(clippy::print_stdout)]

use std::{
    error::Error,
    fs, io,
    os::unix::fs::symlink,
    process::ExitCode,
    sync::atomic::{AtomicBool, Ordering},
};

use pilothouse_core::relpath::RelPath;
use pilothouse_tools::Jail;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let flips: usize = std::env::args().nth(1).map_or(Ok(100_000), |n| n.parse())?;
    let dir = tempfile::tempdir()?;
    let (root, out) = (dir.path().join("app"), dir.path().join("app-evil"));
    fs::create_dir_all(root.join("real"))?;
    fs::create_dir(&out)?;
    fs::write(root.join("real/f"), "inside")?;
    fs::write(out.join("f"), "outside")?;
    fs::write(out.join("mark"), "")?;
    symlink(&out, root.join("link"))?;
    let jail = Jail::open(&root)?;
    let path = RelPath::new("d/f")?;
    let done = AtomicBool::new(false);
    let (mut checked, mut violations) = (0_u64, 0_u64);
    let swapped = std::thread::scope(|scope| {
        let swapper = scope.spawn(|| {
            let swapped = swap(&root, flips);
            done.store(true, Ordering::SeqCst);
            swapped
        });
        while !done.load(Ordering::SeqCst) {
            if let Ok(content) = jail.read(&path) {
                checked += 1;
                violations += u64::from(content != b"inside");
            }
            if let Ok(place) = jail.locate(&path) {
                checked += 1;
                let led_out = rustix::fs::statat(&place.dir, "mark", rustix::fs::AtFlags::empty()).is_ok();
                violations += u64::from(led_out);
            }
        }
        swapper.join()
    });
    swapped.map_err(|_| "the swapper failed")??;
    println!("checked={checked} violations={violations}");
    Ok(if violations == 0 && checked > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Makes `d` a folder and a link in turn, `flips` times.
fn swap(root: &std::path::Path, flips: usize) -> io::Result<()> {
    let at = |name: &str| root.join(name);
    for _ in 0..flips.div_ceil(2) {
        for name in ["real", "link"] {
            fs::rename(at(name), at("d"))?;
            fs::rename(at("d"), at(name))?;
        }
    }
    Ok(())
}
