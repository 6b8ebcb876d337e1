//! The screen on a real pseudo-terminal: what it takes it gives back, and it sleeps while nothing
//! moves. Runs the `demo` example, which drives a real session.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::{
    io::{Read, Write},
    path::PathBuf,
    sync::mpsc::{Receiver, RecvTimeoutError, sync_channel},
    thread,
    time::{Duration, Instant},
};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

struct Screen {
    master: Box<dyn MasterPty + Send>,
    child: Box<dyn Child + Send + Sync>,
    keys: Box<dyn Write + Send>,
    bytes: Receiver<Vec<u8>>,
    seen: vt100::Parser,
}

impl Screen {
    fn open(columns: u16, rows: u16) -> Self {
        let size = PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).unwrap();
        let mut command = CommandBuilder::new(demo());
        command.env("TERM", "xterm-256color");
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let mut reader = pair.master.try_clone_reader().unwrap();
        let keys = pair.master.take_writer().unwrap();
        let (send, bytes) = sync_channel(64);
        thread::spawn(move || {
            let mut buffer = vec![0; 65_536];
            while let Ok(n) = reader.read(&mut buffer) {
                if n == 0 || send.send(buffer.get(..n).unwrap_or_default().to_vec()).is_err() {
                    return;
                }
            }
        });
        let seen = vt100::Parser::new(rows.try_into().unwrap(), columns.try_into().unwrap(), 0);
        Self { master: pair.master, child, keys, bytes, seen }
    }

    /// Reads until `text` is on the screen.
    fn wait(&mut self, text: &str) {
        let end = Instant::now() + Duration::from_mins(1);
        while !self.seen.screen().contents().contains(text) {
            let left = end.saturating_duration_since(Instant::now());
            match self.bytes.recv_timeout(left) {
                Ok(bytes) => self.seen.process(&bytes),
                Err(error) => panic!("{error}: no {text:?} on\n{}", self.seen.screen().contents()),
            }
        }
    }

    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
    }

    /// Reads to the end; returns what the example says of its loop: draws and wake-ups.
    fn end(mut self) -> (u64, u64) {
        loop {
            match self.bytes.recv_timeout(Duration::from_mins(1)) {
                Ok(bytes) => self.seen.process(&bytes),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {
                    panic!("it does not end; on\n{}", self.seen.screen().contents())
                }
            }
        }
        assert!(self.child.wait().unwrap().success());
        let screen = self.seen.screen();
        assert!(!screen.alternate_screen() && !screen.bracketed_paste() && !screen.hide_cursor());
        let said = screen.contents();
        let number = |name: &str| -> u64 {
            let after = said.split(name).nth(1).unwrap_or_else(|| panic!("no {name} in {said:?}"));
            after.chars().take_while(char::is_ascii_digit).collect::<String>().parse().unwrap()
        };
        (number("draws: "), number("wakes: "))
    }
}

fn demo() -> PathBuf {
    let mut path = std::env::current_exe().unwrap();
    path.pop();
    if path.ends_with("deps") {
        path.pop();
    }
    let path = path.join("examples/demo");
    assert!(path.exists(), "build it first: cargo build -p pilothouse-tui --example demo");
    path
}

#[test]
fn it_sleeps_while_nothing_moves_and_leaves_the_terminal_as_it_was() {
    let mut screen = Screen::open(100, 30);
    screen.wait("nothing leaves this machine");
    // The time is what is tested: a ticking screen would wake twenty times meanwhile.
    thread::sleep(Duration::from_secs(2));
    while screen.bytes.try_recv().is_ok() {}
    screen.press("\u{3}");
    screen.wait("press it again to quit");
    screen.press("\u{3}");
    let (draws, wakes) = screen.end();
    assert!(draws <= 10 && wakes <= 10, "draws {draws}, wakes {wakes}");
}

#[test]
fn any_size_is_taken_and_a_storm_of_sizes_settles() {
    let mut screen = Screen::open(80, 24);
    screen.wait("Ask about inkwell");
    for (columns, rows) in [(1, 1), (20, 6), (200, 60), (3, 40), (40, 3), (100, 30)] {
        let size = PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 };
        screen.master.resize(size).unwrap();
        screen.seen.screen_mut().set_size(rows.try_into().unwrap(), columns.try_into().unwrap());
    }
    screen.wait("nothing leaves this machine");
    screen.press("/quit\r");
    let (draws, _) = screen.end();
    assert!(draws >= 2);
}

#[test]
fn a_question_is_asked_answered_and_the_draft_is_kept() {
    let mut screen = Screen::open(120, 40);
    screen.wait("Ask about inkwell");
    screen.press("add rate limiting to the login endpoint\r");
    screen.wait("Proceed?");
    screen.press("half a thought");
    screen.wait("keys go to your draft");
    // Half a second is longer than the 300 ms for which a fresh question is deaf.
    thread::sleep(Duration::from_millis(500));
    screen.press("\u{14}y");
    screen.wait("1 file waits for your decision");
    screen.wait("half a thought");
    screen.press("\u{3}");
    screen.wait("[EXPLORE] idle");
    // What stops the run gives the keys back to the draft; an Esc here and what follows it could be read as one Alt key.
    screen.wait("Enter sends");
    screen.press("\u{15}/quit\r");
    let (draws, _) = screen.end();
    assert!(draws >= 4);
}
