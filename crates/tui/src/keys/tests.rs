#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use std::{fs::OpenOptions, io::Write};

use portable_pty::{MasterPty, PtySize, native_pty_system};
use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};

use super::*;

/// The two ends of a terminal that passes every byte on.
fn terminal() -> (Keys, Box<dyn Write + Send>, Box<dyn MasterPty + Send>) {
    let pair = native_pty_system().openpty(PtySize::default()).unwrap();
    let name = pair.master.tty_name().unwrap();
    let end = OpenOptions::new().read(true).write(true).open(name).unwrap();
    let mut modes = tcgetattr(&end).unwrap();
    modes.make_raw();
    tcsetattr(&end, OptionalActions::Now, &modes).unwrap();
    let writer = pair.master.take_writer().unwrap();
    (Keys::of(end).unwrap(), writer, pair.master)
}

/// Runs with the clock of the machine; a test that hangs has failed.
fn run<T>(what: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(what)
}

fn events(keys: &mut Keys) -> usize {
    std::iter::from_fn(|| keys.pop()).count()
}

#[test]
fn one_look_takes_in_all_that_lies_there() {
    for length in [1, 1_023, 1_024, 1_025, 2_047, 2_048, 2_049, 4_095] {
        let (mut keys, mut writer, _master) = terminal();
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
        let (mut keys, mut writer, _master) = terminal();
        let write = thread::spawn(move || writer.write_all("x".repeat(length).as_bytes()).map(|()| writer));
        let mut heard = 0;
        while heard < length {
            run(keys.ready()).unwrap();
            heard += events(&mut keys);
        }
        assert_eq!(heard, length);
        drop(write.join().unwrap().unwrap());
        assert!(keys.drain().unwrap().is_some());
    }
}

#[test]
fn what_lay_there_while_the_loop_was_busy_is_as_old_as_it_can_be() {
    let (mut keys, mut writer, _master) = terminal();
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
    let (mut keys, mut writer, _master) = terminal();
    writer.write_all(b"\x1b").unwrap();
    run(keys.ready()).unwrap();
    assert_eq!(keys.pop().unwrap().0, Event::Key(crossterm::event::KeyCode::Esc.into()));
    writer.write_all(b"\x1b[").unwrap();
    assert!(keys.drain().unwrap().is_some() && keys.pop().is_none());
    writer.write_all(b"A").unwrap();
    run(keys.ready()).unwrap();
    assert_eq!(keys.pop().unwrap().0, Event::Key(crossterm::event::KeyCode::Up.into()));
}

#[test]
fn a_terminal_that_went_away_is_an_end_and_no_hang() {
    let (mut keys, writer, master) = terminal();
    drop((writer, master));
    assert!(run(keys.ready()).is_err());
}

#[test]
fn it_is_quiet_only_once_all_that_was_typed_is_taken_out() {
    let (mut keys, mut writer, _master) = terminal();
    let before = Instant::now();
    assert!(keys.quiet().unwrap().is_some_and(|empty| empty >= before));
    writer.write_all(b"o").unwrap();
    assert_eq!(keys.quiet().unwrap(), None, "a letter lies there that nobody has heard");
    assert_eq!(events(&mut keys), 1);
    assert!(keys.quiet().unwrap().is_some());
}
