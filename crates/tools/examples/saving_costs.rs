//! What it costs to save before a line, command by command, in a session and in the next one:
//! `cargo run --release -p pilothouse-tools --example saving_costs -- WORKSPACE STORE SESSIONS LINE…`.
//!
//! Each session runs every line three times, looked after as the program does; prints the line's own time beside the
//! time with the saving.
#![allow(clippy::print_stdout)]

use std::{
    collections::HashMap,
    error::Error,
    path::PathBuf,
    process::Command,
    sync::{Arc, Mutex},
    time::Instant,
};

use pilothouse_core::{blob::BlobId, ids::CallId, spared::Spared};
use pilothouse_tools::{
    BlobSource,
    snapshot::{Ground, Snapshots},
};

#[derive(Default)]
struct Kept(Mutex<HashMap<BlobId, Vec<u8>>>);

impl BlobSource for Kept {
    fn blob(&self, id: BlobId) -> Option<Vec<u8>> {
        self.0.lock().ok()?.get(&id).cloned()
    }

    fn beginning(&self, _: &str) -> Option<Vec<u8>> {
        None
    }

    fn keep(&self, content: &[u8]) -> std::io::Result<BlobId> {
        let id = BlobId::of(content);
        self.0.lock().map_err(|_| std::io::ErrorKind::Other)?.insert(id, content.to_owned());
        Ok(id)
    }
}

/// What this process took of the processors so far, and what its children did, in hundredths of a second.
fn spent() -> (u64, u64) {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after = text.rsplit_once(')').map_or("", |(_, rest)| rest);
    let field =
        |n: usize| after.split_whitespace().nth(n).and_then(|f| f.parse::<u64>().ok()).unwrap_or_default();
    (field(11) + field(12), field(13) + field(14))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let mut next = || args.next().ok_or("WORKSPACE STORE SESSIONS LINE…");
    let (workspace, store, sessions) =
        (PathBuf::from(next()?), PathBuf::from(next()?), next()?.parse::<u32>()?);
    let lines: Vec<String> = args.collect();
    let run = |line: &str| {
        let begin = Instant::now();
        drop(Command::new("bash").args(["-c", line]).current_dir(&workspace).output());
        begin.elapsed()
    };
    for session in 1..=sessions {
        let snapshots = Snapshots::of(Ground {
            workspace: workspace.clone(),
            store: store.join(format!("{session}/saved")),
            looked: store.join("looked"),
            cap: 512 << 20,
            ..Ground::default()
        });
        let kept: Arc<dyn BlobSource> = Arc::new(Kept::default());
        let mut call = 0;
        for line in &lines {
            let at = spent();
            for time in 1..=3 {
                let bare = run(line);
                call += 1;
                let begin = Instant::now();
                snapshots.before(CallId(call), (line, ""), "").await?;
                let before = begin.elapsed();
                run(line);
                let ran = begin.elapsed();
                let wrote = snapshots.after(CallId(call), &Spared::default(), Arc::clone(&kept)).await;
                let whole = begin.elapsed();
                snapshots.settled(CallId(call));
                println!(
                    "session {session} time {time}: before {before:.0?}, after {:.0?}, whole {whole:.0?}, bare {bare:.0?}, ratio {:.2}, {} changed: {line}",
                    whole.saturating_sub(ran),
                    whole.div_duration_f64(bare),
                    wrote.map_or(0, |w| w.count),
                );
            }
            let now = spent();
            println!(
                "  of the processors: {} ms here, {} ms in commands and git",
                (now.0 - at.0) * 10,
                (now.1 - at.1) * 10
            );
        }
    }
    Ok(())
}
