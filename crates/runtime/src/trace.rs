//! What the program notes about itself: a rolling log file, and a report for each panic.
//!
//! Owns these files. Never writes to the terminal: it belongs to the screen.

mod events;
mod file;

use std::{
    backtrace::Backtrace,
    fs,
    io::Write,
    os::unix::fs::OpenOptionsExt,
    panic::PanicHookInfo,
    path::{Path, PathBuf},
    sync::OnceLock,
};

use tracing_subscriber::{Registry, filter::Targets, fmt, fmt::MakeWriter, layer::SubscriberExt, reload};

use crate::{
    error::RuntimeError,
    home::{Environment, Home, make_private},
    secrets::Secrets,
};

pub(crate) use events::{EventTrace, Variant};

type Handle = reload::Handle<Targets, Registry>;
static FILTER: OnceLock<Handle> = OnceLock::new();

/// Keeps the log file open; what is still on its way is written when this is dropped.
#[derive(Debug)]
pub struct Trace {
    _thread: file::LogThread,
}

/// Starts the log file in the state folder. A second start in one process changes nothing.
///
/// # Errors
/// When the folder cannot be made or the filter cannot be read.
pub fn start(home: &Home, filter: Option<&str>, secrets: &Secrets) -> Result<Trace, RuntimeError> {
    let folder = home.logs();
    make_private(&folder)?;
    let (writer, thread) = file::start(&folder).map_err(RuntimeError::io("open", &folder))?;
    let writer = Veiled { to: writer, secrets: secrets.clone() };
    let (filter, handle) = reload::Layer::new(parse(filter.unwrap_or("info"))?);
    if tracing::subscriber::set_global_default(subscriber(filter, writer)).is_ok() {
        drop(FILTER.set(handle));
    }
    Ok(Trace { _thread: thread })
}

/// Notes what a bug report needs of the machine, and how the program was started.
pub fn note_start(command: &str, environment: &Environment) {
    use std::io::IsTerminal;
    // Linux has it there; elsewhere the name of the system must do.
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let variable = |name| environment.get(name).unwrap_or_default();
    let size = rustix::termios::tcgetwinsize(std::io::stdout()).map(|s| (s.ws_col, s.ws_row)).ok();
    tracing::info!(
        command,
        version = env!("CARGO_PKG_VERSION"),
        os = std::env::consts::OS,
        kernel = kernel.trim(),
        arch = std::env::consts::ARCH,
        term = variable("TERM"),
        program = variable("TERM_PROGRAM"),
        colour = variable("COLORTERM"),
        terminal = std::io::stdout().is_terminal(),
        ?size,
        multiplexer = environment.get("TMUX").is_some() || environment.get("STY").is_some(),
        ssh = environment.get("SSH_CONNECTION").is_some(),
        "program started"
    );
}

fn subscriber(
    filter: reload::Layer<Targets, Registry>,
    writer: Veiled,
) -> impl tracing::Subscriber + Send + Sync {
    tracing_subscriber::registry().with(filter).with(fmt::layer().with_ansi(false).with_writer(writer))
}

/// The log file without secrets: libraries note what they are given.
#[derive(Clone)]
struct Veiled {
    to: file::LogWriter,
    secrets: Secrets,
}

impl<'a> MakeWriter<'a> for Veiled {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

impl Write for Veiled {
    /// Takes a whole note at a time, as it is formatted.
    fn write(&mut self, note: &[u8]) -> std::io::Result<usize> {
        self.to.write_all(&self.secrets.mask_bytes(note))?;
        Ok(note.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.to.flush()
    }
}

/// Changes what goes to the log file, once the settings are known.
///
/// # Errors
/// When the filter cannot be read.
pub fn set_filter(filter: &str) -> Result<(), RuntimeError> {
    let filter = parse(filter)?;
    if let Some(handle) = FILTER.get() {
        // The handle outlives the subscriber only while the process ends.
        drop(handle.reload(filter));
    }
    Ok(())
}

fn parse(filter: &str) -> Result<Targets, RuntimeError> {
    filter
        .parse::<Targets>()
        .map_err(|e| RuntimeError::Setting { what: "log filter".into(), message: e.to_string() })
}

/// From here on a panic leaves a report in the state folder; then `after` is called with it, to
/// give the terminal back where it was taken. Nothing is printed here.
pub fn install_panic_hook(
    home: &Home,
    secrets: &Secrets,
    after: impl Fn(&PanicHookInfo<'_>, Option<&Path>) + Send + Sync + 'static,
) {
    let (folder, secrets) = (home.logs(), secrets.clone());
    std::panic::set_hook(Box::new(move |info| {
        let report = write_report(&folder, &secrets, info);
        after(info, report.as_deref());
    }));
}

fn write_report(folder: &Path, secrets: &Secrets, info: &PanicHookInfo<'_>) -> Option<PathBuf> {
    let said = secrets.mask(info.payload_as_str().unwrap_or("no message"));
    let place = info.location().map_or_else(String::new, ToString::to_string);
    tracing::error!(said, place, "panic");
    make_private(folder).ok()?;
    let moment = crate::surroundings::now()
        .to_zoned(jiff::tz::TimeZone::system())
        .strftime("%Y%m%d-%H%M%S%.3f")
        .to_string();
    let path = folder.join(format!("crash-{moment}-{}.txt", std::process::id()));
    let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path).ok()?;
    let thread = std::thread::current().name().unwrap_or("unnamed").to_owned();
    let trace = Backtrace::force_capture();
    let version = env!("CARGO_PKG_VERSION");
    writeln!(file, "pilothouse {version} failed at {place} in thread {thread}:\n{said}\n\n{trace}").ok()?;
    Some(path)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests {
    use super::*;

    fn files(folder: &Path, start: &str) -> Vec<PathBuf> {
        let all = fs::read_dir(folder).unwrap().flatten().map(|e| e.path());
        all.filter(|p| p.file_name().unwrap().to_string_lossy().starts_with(start)).collect()
    }

    #[test]
    fn notes_go_to_a_file_and_a_panic_leaves_a_report() {
        let dir = tempfile::tempdir().unwrap();
        let (home, secrets) = (Home::under(dir.path()), Secrets::default());
        let trace = start(&home, Some("pilothouse_runtime=info"), &secrets).unwrap();
        set_filter("debug").unwrap();
        assert!(set_filter("a=b=c").is_err());
        tracing::debug!("a note of the test");
        let before = std::panic::take_hook();
        install_panic_hook(&home, &secrets, |_, report| assert!(report.is_some()));
        let failed = std::thread::spawn(|| std::panic::panic_any("a defect of the test")).join();
        std::panic::set_hook(before);
        assert!(failed.is_err());
        drop(trace);
        let log = fs::read_to_string(files(&home.logs(), "pilothouse").first().unwrap()).unwrap();
        assert!(log.contains("a note of the test"), "{log}");
        let reports: Vec<String> =
            files(&home.logs(), "crash-").iter().map(|p| fs::read_to_string(p).unwrap()).collect();
        assert!(reports.iter().any(|r| r.contains("a defect of the test")), "{reports:?}");
    }
}
