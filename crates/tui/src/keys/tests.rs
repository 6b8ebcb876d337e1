#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use std::{fs::OpenOptions, io::Write};

use portable_pty::{MasterPty, PtySize, native_pty_system};
use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};
use tokio::runtime::Runtime;

use super::*;

/// A terminal that passes every byte on, its program and the runtime of that.
struct Line {
    keys: Keys,
    writer: Box<dyn Write + Send>,
    master: Box<dyn MasterPty + Send>,
    runtime: Runtime,
}

impl Line {
    fn new(watch: impl FnOnce(File) -> io::Result<Watch>) -> Self {
        let pair = native_pty_system().openpty(PtySize::default()).unwrap();
        let name = pair.master.tty_name().unwrap();
        let end = OpenOptions::new().read(true).write(true).open(name).unwrap();
        let mut modes = tcgetattr(&end).unwrap();
        modes.make_raw();
        tcsetattr(&end, OptionalActions::Now, &modes).unwrap();
        let writer = pair.master.take_writer().unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let keys = {
            let _entered = runtime.enter();
            Keys::of(end, watch).unwrap()
        };
        Self { keys, writer, master: pair.master, runtime }
    }

    /// One for each way of watching.
    fn each() -> [Self; 2] {
        [Self::new(Watch::start), Self::new(|end| Sleeper::start(end).map(Watch::Thread))]
    }

    /// Waits with the clock of the machine; a test that hangs has failed.
    fn ready(&mut self) -> io::Result<()> {
        self.runtime.block_on(self.keys.ready())
    }
}

fn events(keys: &mut Keys) -> usize {
    std::iter::from_fn(|| keys.pop()).count()
}

#[test]
fn one_look_takes_in_all_that_lies_there() {
    for length in [1, 1_023, 1_024, 1_025, 2_047, 2_048, 2_049, 4_095] {
        let Line { mut keys, mut writer, master: _master, .. } = Line::new(Watch::start);
        writer.write_all("x".repeat(length).as_bytes()).unwrap();
        let before = Instant::now();
        let empty = keys.drain().unwrap().unwrap();
        assert!(empty >= before);
        assert_eq!(events(&mut keys), length);
    }
}

#[test]
fn a_write_of_any_length_comes_in_whole_without_another_key() {
    for length in [1_025, 4_096, 10_000, 65_535, 65_536, 300_000] {
        for mut line in Line::each() {
            let mut writer = std::mem::replace(&mut line.writer, Box::new(io::sink()));
            let write =
                thread::spawn(move || writer.write_all("x".repeat(length).as_bytes()).map(|()| writer));
            let mut heard = 0;
            while heard < length {
                line.ready().unwrap();
                heard += events(&mut line.keys);
            }
            assert_eq!(heard, length);
            drop(write.join().unwrap().unwrap());
            assert!(line.keys.drain().unwrap().is_some());
        }
    }
}

#[test]
fn what_lay_there_while_the_loop_was_busy_is_as_old_as_it_can_be() {
    let Line { mut keys, mut writer, master: _master, .. } = Line::new(Watch::start);
    let empty = keys.drain().unwrap().unwrap();
    writer.write_all(b"y\r").unwrap();
    let seen = keys.drain().unwrap().unwrap();
    let (_, stamp) = keys.pop().unwrap();
    assert!(stamp.came == empty && stamp.came < seen);
    let (_, enter) = keys.pop().unwrap();
    assert_eq!(enter.came, empty);
}

#[test]
fn an_esc_alone_comes_without_another_key_and_a_torn_sequence_in_one() {
    for mut line in Line::each() {
        line.writer.write_all(b"\x1b").unwrap();
        line.ready().unwrap();
        assert_eq!(line.keys.pop().unwrap().0, Event::Key(crossterm::event::KeyCode::Esc.into()));
        line.writer.write_all(b"\x1b[").unwrap();
        assert!(line.keys.drain().unwrap().is_some() && line.keys.pop().is_none());
        line.writer.write_all(b"A").unwrap();
        line.ready().unwrap();
        assert_eq!(line.keys.pop().unwrap().0, Event::Key(crossterm::event::KeyCode::Up.into()));
    }
}

#[test]
fn a_key_rings_once_and_the_next_one_again() {
    for mut line in Line::each() {
        for _ in 0..100 {
            line.writer.write_all(b"x").unwrap();
            line.ready().unwrap();
            assert_eq!(events(&mut line.keys), 1);
            let ready = line.keys.ready();
            let more = line.runtime.block_on(async {
                tokio::select! { biased; ready = ready => Some(ready), () = tokio::task::yield_now() => None }
            });
            assert!(more.is_none(), "nothing lies there");
        }
    }
}

#[test]
fn a_terminal_that_went_away_is_an_end_and_no_hang() {
    for line in Line::each() {
        let Line { mut keys, writer, master, runtime } = line;
        drop((writer, master));
        assert!(runtime.block_on(keys.ready()).is_err());
    }
}

#[test]
fn it_is_quiet_only_once_all_that_was_typed_is_taken_out() {
    let Line { mut keys, mut writer, master: _master, .. } = Line::new(Watch::start);
    let before = Instant::now();
    assert!(keys.quiet().unwrap().is_some_and(|empty| empty >= before));
    writer.write_all(b"o").unwrap();
    assert_eq!(keys.quiet().unwrap(), None, "a letter lies there that nobody has heard");
    assert_eq!(events(&mut keys), 1);
    assert!(keys.quiet().unwrap().is_some());
}
