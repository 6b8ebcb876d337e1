//! A person at the terminal: the real program in a pseudo-terminal, keys in, the screen out.
#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::panic,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::string_slice
)]

pub mod alone;
pub mod compliant_model;
pub mod editor;
pub mod layer;
pub mod markers;
pub mod proof;
pub mod server;
pub mod traps;

use std::{
    io::{Read, Write},
    os::unix::fs::DirBuilderExt,
    path::{Path, PathBuf},
    sync::{Arc, Condvar, Mutex, PoisonError},
    time::{Duration, Instant},
};

use portable_pty::{Child, CommandBuilder, MasterPty, NativePtySystem, PtySize, PtySystem};

/// How long something may take to appear on a busy machine.
const PATIENCE: Duration = Duration::from_secs(40);

pub const PROGRAM: &str = env!("CARGO_BIN_EXE_pilothouse");

/// A copy of the example project and a home of its own.
pub struct Desk {
    pub folder: tempfile::TempDir,
    pub home: tempfile::TempDir,
}

impl Desk {
    pub fn new() -> Self {
        let desk = Self::empty();
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/inkwell");
        copy(&from, desk.path());
        desk
    }

    pub fn empty() -> Self {
        let desk = Self::first();
        // Of a user who was here before: at the very first start it is asked who is to answer.
        let mut folders = std::fs::DirBuilder::new();
        folders.recursive(true).mode(0o700).create(desk.home.path().join("state/sessions")).unwrap();
        desk
    }

    /// With a home in which the program was never started.
    pub fn first() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), home: tempfile::tempdir().unwrap() }
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn file(&self, name: &str) -> String {
        std::fs::read_to_string(self.path().join(name)).unwrap()
    }

    /// Every file with its bytes, for a comparison.
    pub fn tree(&self) -> std::collections::BTreeMap<PathBuf, Vec<u8>> {
        let mut found = std::collections::BTreeMap::new();
        let mut folders = vec![self.path().to_path_buf()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    found.insert(path.clone(), std::fs::read(&path).unwrap());
                }
            }
        }
        found
    }

    /// The program without a terminal.
    pub fn command(&self, args: &[&str]) -> std::process::Command {
        let mut command = std::process::Command::new(PROGRAM);
        command.args(args).current_dir(self.path()).env_clear().stdin(std::process::Stdio::null());
        for (key, value) in self.environment() {
            command.env(key, value);
        }
        command
    }

    pub fn run(&self, args: &[&str]) -> (i32, String, String) {
        let out = self.command(args).output().unwrap();
        let text = |b: &[u8]| String::from_utf8_lossy(b).into_owned();
        (out.status.code().unwrap_or(-1), text(&out.stdout), text(&out.stderr))
    }

    fn environment(&self) -> Vec<(String, String)> {
        let mut list = vec![
            ("PILOTHOUSE_HOME".to_owned(), self.home.path().display().to_string()),
            ("TERM".to_owned(), "xterm-256color".to_owned()),
            ("LANG".to_owned(), "C.UTF-8".to_owned()),
            ("HOME".to_owned(), self.home.path().display().to_string()),
        ];
        list.extend(std::env::var("PATH").map(|p| ("PATH".to_owned(), p)));
        list
    }
}

fn copy(from: &Path, to: &Path) {
    for entry in std::fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            if path.file_name().unwrap() != "target" {
                std::fs::create_dir_all(&target).unwrap();
                copy(&path, &target);
            }
        } else {
            std::fs::copy(&path, &target).unwrap();
        }
    }
}

/// The program on a terminal.
pub struct Terminal {
    master: Box<dyn MasterPty + Send>,
    writer: Box<dyn Write + Send>,
    child: Box<dyn Child + Send + Sync>,
    seen: Arc<(Mutex<Seen>, Condvar)>,
}

struct Seen {
    parser: vt100::Parser,
    raw: Vec<u8>,
    closed: bool,
}

const FRAME_BEGINS: &[u8] = b"\x1b[?2026h";
const FRAME_ENDS: &[u8] = b"\x1b[?2026l";

/// How much of what was written can be shown without half a frame.
fn whole_frames(written: &[u8]) -> usize {
    let last = |mark: &[u8]| written.windows(mark.len()).rposition(|w| w == mark);
    match (last(FRAME_BEGINS), last(FRAME_ENDS)) {
        (Some(begin), end) if end.is_none_or(|end| end < begin) => begin,
        _ => {
            let rest = (1..FRAME_BEGINS.len()).rev().find(|n| written.ends_with(&FRAME_BEGINS[..*n]));
            written.len() - rest.unwrap_or(0)
        }
    }
}

/// What stands in the composer, and below it.
fn composer(screen: &str) -> &str {
    screen.rfind("▎ ›").map_or(screen, |begin| &screen[begin..])
}

/// What the program says of a key that came before its question had stood there long enough.
const TOO_EARLY: [&str; 2] = ["press it again if you mean it", "checking what this would run"];

impl Terminal {
    pub fn open(desk: &Desk, args: &[&str], extra: &[(&str, &str)]) -> Self {
        Self::sized(desk, args, extra, 120, 40)
    }

    pub fn sized(desk: &Desk, args: &[&str], extra: &[(&str, &str)], cols: u16, rows: u16) -> Self {
        Self::under(&[], desk, args, extra, (cols, rows))
    }

    /// The program as another one starts it.
    pub fn under(
        starter: &[String],
        desk: &Desk,
        args: &[&str],
        extra: &[(&str, &str)],
        (cols, rows): (u16, u16),
    ) -> Self {
        let size = PtySize { rows, cols, pixel_width: 0, pixel_height: 0 };
        let pair = NativePtySystem::default().openpty(size).unwrap();
        let mut words = starter.to_vec();
        words.push(PROGRAM.to_owned());
        let mut command = CommandBuilder::new(&words[0]);
        command.env_clear();
        command.args(&words[1..]);
        command.args(args);
        command.cwd(desk.path());
        for (key, value) in desk.environment() {
            command.env(key, value);
        }
        for (key, value) in extra {
            command.env(key, value);
        }
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let parser = vt100::Parser::new(rows.try_into().unwrap(), cols.try_into().unwrap(), 0);
        let seen = Arc::new((Mutex::new(Seen { parser, raw: Vec::new(), closed: false }), Condvar::new()));
        let mut reader = pair.master.try_clone_reader().unwrap();
        let theirs = Arc::clone(&seen);
        std::thread::spawn(move || {
            let (mut buffer, mut held) = ([0; 8192], Vec::new());
            loop {
                let n = reader.read(&mut buffer).unwrap_or(0);
                held.extend_from_slice(&buffer[..n]);
                let whole = if n == 0 { held.len() } else { whole_frames(&held) };
                // A test that failed while it looked poisons the lock; what is shown is no less true.
                let mut seen = theirs.0.lock().unwrap_or_else(PoisonError::into_inner);
                seen.raw.extend_from_slice(&buffer[..n]);
                seen.parser.process(&held[..whole]);
                seen.closed = n == 0;
                held.drain(..whole);
                theirs.1.notify_all();
                if n == 0 {
                    return;
                }
            }
        });
        let writer = pair.master.take_writer().unwrap();
        Self { master: pair.master, writer, child, seen }
    }

    pub fn screen(&self) -> String {
        self.seen.0.lock().unwrap().parser.screen().contents()
    }

    pub fn raw(&self) -> Vec<u8> {
        self.seen.0.lock().unwrap().raw.clone()
    }

    /// Waits until `what` holds for the screen's text.
    pub fn until(&self, name: &str, what: impl Fn(&str) -> bool) -> String {
        let deadline = Instant::now() + PATIENCE;
        let mut seen = self.seen.0.lock().unwrap();
        loop {
            let text = seen.parser.screen().contents();
            if what(&text) {
                return text;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            assert!(!left.is_zero() && !seen.closed, "never saw {name}; the screen shows\n{text}");
            seen = self.seen.1.wait_timeout(seen, left).unwrap().0;
        }
    }

    /// Waits until `what` holds for the screen's text; `None` when it did not come to it in time.
    pub fn wait(&self, time: Duration, what: impl Fn(&str) -> bool) -> Option<String> {
        let deadline = Instant::now() + time;
        let mut seen = self.seen.0.lock().unwrap();
        loop {
            let text = seen.parser.screen().contents();
            if what(&text) {
                return Some(text);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() || seen.closed {
                return None;
            }
            seen = self.seen.1.wait_timeout(seen, left).unwrap().0;
        }
    }

    pub fn see(&self, text: &str) -> String {
        self.until(&format!("{text:?}"), |screen| screen.contains(text))
    }

    /// Waits until the program wrote `bytes`, from `start` on.
    pub fn wrote(&self, start: usize, bytes: &str) -> String {
        let deadline = Instant::now() + PATIENCE;
        let mut seen = self.seen.0.lock().unwrap();
        loop {
            let text = String::from_utf8_lossy(&seen.raw[start..]).into_owned();
            if text.contains(bytes) {
                return text;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            assert!(!left.is_zero() && !seen.closed, "never wrote {bytes:?}");
            seen = self.seen.1.wait_timeout(seen, left).unwrap().0;
        }
    }

    pub fn gone(&self, text: &str) -> String {
        self.until(&format!("{text:?} gone"), |screen| !screen.contains(text))
    }

    pub fn keys(&mut self, bytes: &str) {
        self.writer.write_all(bytes.as_bytes()).unwrap();
        self.writer.flush().unwrap();
    }

    /// Types a line and sends it, and waits until the composer gave it away: keys that came with its Enter
    /// in one piece would be a paste.
    pub fn say(&mut self, line: &str) {
        self.keys(line);
        let begins = line.chars().take(30).collect::<String>();
        self.until(&format!("{begins:?} in the composer"), |screen| composer(screen).contains(&begins));
        self.enter(&begins);
    }

    fn enter(&mut self, begins: &str) {
        self.keys("\r");
        // A line that is refused stays where it is, and its test looks for the reason.
        self.wait(Duration::from_secs(5), |screen| !composer(screen).contains(begins));
    }

    /// Looks at what just appeared, as a person does before answering: the program is deaf to a
    /// decision for 300 ms after it drew the thing to be decided, and the same key again within
    /// 700 ms may be the last one, held.
    pub fn read(&self) {
        let until = Instant::now() + Duration::from_millis(750);
        let mut seen = self.seen.0.lock().unwrap();
        while let Some(left) = until.checked_duration_since(Instant::now()) {
            seen = self.seen.1.wait_timeout(seen, left).unwrap().0;
        }
    }

    /// Decides by a key, after a look; once more where the program says that it came too early, which a
    /// slow machine can make of any look.
    pub fn decide(&mut self, key: &str) {
        self.read();
        let before = self.screen();
        let early = |screen: &str| TOO_EARLY.iter().any(|words| screen.contains(words));
        self.keys(key);
        let changed = self.wait(Duration::from_secs(2), |screen| screen != before).is_some();
        // The first change may be that of a clock.
        if changed && !early(&before) && self.wait(Duration::from_millis(150), early).is_some() {
            self.read();
            self.keys(key);
        }
    }

    /// Answers by a word, after a look.
    pub fn answer(&mut self, word: &str) {
        self.read();
        self.keys(word);
        let begins = format!("› {word}");
        self.see(&begins);
        self.enter(&begins);
    }

    pub fn pid(&self) -> u32 {
        self.child.process_id().unwrap()
    }

    /// Whether the terminal gives whole lines rather than keys now.
    pub fn takes_lines(&self) -> bool {
        let mode = self.master.get_termios().unwrap();
        mode.local_flags.bits() & rustix::termios::LocalModes::ICANON.bits() != 0
    }

    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Waits for the program to end by itself.
    pub fn end(&mut self) -> u32 {
        let deadline = Instant::now() + PATIENCE;
        let mut seen = self.seen.0.lock().unwrap();
        while !seen.closed {
            let left = deadline.saturating_duration_since(Instant::now());
            assert!(
                !left.is_zero(),
                "the program did not end; the screen shows\n{}",
                seen.parser.screen().contents()
            );
            seen = self.seen.1.wait_timeout(seen, left).unwrap().0;
        }
        drop(seen);
        self.child.wait().unwrap().exit_code()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
