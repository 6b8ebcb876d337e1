//! The log file: one a day, the newest kept, written by a thread of its own.
//!
//! Owns the file and the queue before it. Never makes whoever notes something wait: what does not fit
//! the queue is dropped, and how much is said in the file.

use std::{
    fs::{self, File},
    io::{self, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
        mpsc::{Receiver, SyncSender, TrySendError, sync_channel},
    },
    thread::JoinHandle,
};

use jiff::{civil::Date, tz::TimeZone};

/// Files that are kept, one a day.
const KEPT: usize = 7;
/// Notes that may wait for the disk.
const WAITING: usize = 4_096;

enum Message {
    Note(Vec<u8>),
    End,
}

/// The end that notes are put into; clones share one file.
#[derive(Clone, Debug)]
pub struct LogWriter {
    queue: SyncSender<Message>,
    lost: Arc<AtomicU64>,
}

/// Keeps the thread; what is still waiting is written when this is dropped.
#[derive(Debug)]
pub struct LogThread {
    queue: SyncSender<Message>,
    thread: Option<JoinHandle<()>>,
}

/// Starts the thread for the files of a folder. The first file is made with the first note.
///
/// # Errors
/// When no thread can be started.
pub fn start(folder: &Path) -> io::Result<(LogWriter, LogThread)> {
    let (queue, notes) = sync_channel(WAITING);
    let lost = Arc::new(AtomicU64::new(0));
    let day = DayFile { folder: folder.to_owned(), open: None };
    let counted = Arc::clone(&lost);
    let thread =
        std::thread::Builder::new().name("log file".to_owned()).spawn(move || day.run(&notes, &counted))?;
    Ok((LogWriter { queue: queue.clone(), lost }, LogThread { queue, thread: Some(thread) }))
}

impl Write for LogWriter {
    fn write(&mut self, note: &[u8]) -> io::Result<usize> {
        if let Err(TrySendError::Full(_)) = self.queue.try_send(Message::Note(note.to_vec())) {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
        Ok(note.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for LogThread {
    fn drop(&mut self) {
        // Fails only when the thread is gone, and then there is nothing to wait for.
        drop(self.queue.send(Message::End));
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

/// The file of the day that it was opened on.
struct DayFile {
    folder: PathBuf,
    open: Option<(Date, File)>,
}

impl DayFile {
    fn run(mut self, notes: &Receiver<Message>, lost: &AtomicU64) {
        while let Ok(Message::Note(note)) = notes.recv() {
            // A full disk loses notes, never the work that they are about.
            drop(self.write(&note, lost.swap(0, Ordering::Relaxed)));
        }
    }

    fn write(&mut self, note: &[u8], lost: u64) -> io::Result<()> {
        let today = crate::surroundings::now().to_zoned(TimeZone::UTC).date();
        let file = match &mut self.open {
            Some((day, file)) if *day == today => file,
            older => &mut older.insert((today, open(&self.folder, today)?)).1,
        };
        if lost > 0 {
            writeln!(file, "{lost} notes were lost: the disk was too slow")?;
        }
        file.write_all(note)
    }
}

/// Opens the file of a day and removes those that are more than [`KEPT`] files old.
fn open(folder: &Path, day: Date) -> io::Result<File> {
    let path = folder.join(format!("pilothouse.{day}.log"));
    let file = File::options().create(true).append(true).mode(0o600).open(path)?;
    let named = |name: &str| {
        name.starts_with("pilothouse.") && Path::new(name).extension().is_some_and(|e| e == "log")
    };
    let mut days: Vec<PathBuf> = fs::read_dir(folder)?
        .flatten()
        .filter(|entry| entry.file_name().to_str().is_some_and(named))
        .map(|entry| entry.path())
        .collect();
    days.sort();
    for old in days.iter().rev().skip(KEPT) {
        fs::remove_file(old)?;
    }
    Ok(file)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn every_note_is_in_the_file_when_the_thread_has_ended_and_old_days_go() {
        let dir = tempfile::tempdir().unwrap();
        for day in 10..20 {
            fs::write(dir.path().join(format!("pilothouse.2001-01-{day}.log")), "old").unwrap();
        }
        fs::write(dir.path().join("crash-1.txt"), "kept").unwrap();
        let (mut writer, thread) = start(dir.path()).unwrap();
        for n in 0..200 {
            writeln!(writer, "note {n}").unwrap();
        }
        drop(thread);
        let mut names: Vec<String> = fs::read_dir(dir.path())
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        assert_eq!(names.len(), KEPT + 1, "{names:?}");
        assert!(names.contains(&"crash-1.txt".to_owned()));
        assert!(!names.contains(&"pilothouse.2001-01-13.log".to_owned()), "{names:?}");
        let text = fs::read_to_string(dir.path().join(names.last().unwrap())).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 200, "{text}");
        assert_eq!(lines.last(), Some(&"note 199"));
    }
}
