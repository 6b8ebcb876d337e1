//! The terminal: taken once, drawn in whole frames, always given back.
//!
//! Owns raw mode, the alternate screen and the panic hook. Only what ratatui draws and the few
//! sequences here are ever written; no answer of the terminal is waited for.

use std::{
    cell::RefCell,
    io::{self, Write},
    panic,
    rc::Rc,
    sync::{
        Once,
        atomic::{AtomicBool, Ordering},
    },
};

use base64::{Engine, engine::general_purpose::STANDARD};
use crossterm::{
    cursor::Show,
    event::{
        DisableBracketedPaste, DisableFocusChange, EnableBracketedPaste, EnableFocusChange,
        KeyboardEnhancementFlags, PopKeyboardEnhancementFlags, PushKeyboardEnhancementFlags,
    },
    queue,
    style::ResetColor,
    terminal::{
        BeginSynchronizedUpdate, Clear, ClearType, DisableLineWrap, EnableLineWrap, EndSynchronizedUpdate,
        EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
    },
};
use ratatui::{Frame, backend::CrosstermBackend, layout::Rect};
use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};

/// Terminals cut longer clipboard texts off.
const COPY_BYTES: usize = 55_000;

/// Buttons and the wheel are reported, movements are not: nothing wakes the program while the mouse moves.
const MOUSE_ON: &str = "\x1b[?1000h\x1b[?1006h";
const MOUSE_OFF: &str = "\x1b[?1006l\x1b[?1000l";

/// Whether the screen has the terminal now.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// The terminal while the screen has it; dropping it gives it back.
pub struct Terminal {
    inner: ratatui::Terminal<CrosstermBackend<Page>>,
    page: Page,
    /// Whether it reports the mouse.
    mouse: bool,
}

/// Collects a frame, so that it leaves in one write.
#[derive(Clone, Default)]
struct Page(Rc<RefCell<Vec<u8>>>);

impl Write for Page {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Page {
    fn send(&self) -> io::Result<()> {
        let mut bytes = self.0.borrow_mut();
        let mut out = io::stdout().lock();
        let sent = out.write_all(&bytes).and_then(|()| out.flush());
        bytes.clear();
        sent
    }
}

impl Terminal {
    /// Takes the terminal.
    ///
    /// # Errors
    /// When standard output is no terminal, or it went away.
    pub fn take() -> io::Result<Self> {
        hook();
        seize()?;
        let page = Page::default();
        match ratatui::Terminal::new(CrosstermBackend::new(page.clone())) {
            Ok(inner) => Ok(Self { inner, page, mouse: false }),
            Err(error) => {
                give_back();
                Err(error)
            }
        }
    }

    /// Draws one frame; it leaves in one write that the terminal shows at once.
    ///
    /// # Errors
    /// When the terminal went away.
    pub fn draw(&mut self, draw: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        queue!(self.inner.backend_mut(), BeginSynchronizedUpdate)?;
        self.inner.draw(draw)?;
        queue!(self.inner.backend_mut(), EndSynchronizedUpdate)?;
        self.page.send()
    }

    /// Tells the user that something wants their eye. The bytes are the program's own.
    ///
    /// # Errors
    /// When the terminal went away.
    pub fn tell(&mut self, bytes: &str) -> io::Result<()> {
        self.page.write_all(bytes.as_bytes())?;
        self.page.send()
    }

    /// Puts a text on the clipboard of the terminal, where it allows that; too long ones are not.
    ///
    /// # Errors
    /// When the terminal went away.
    pub fn copy(&mut self, text: &str) -> io::Result<()> {
        if text.len() <= COPY_BYTES {
            write!(self.page, "\x1b]52;c;{}\x07", STANDARD.encode(text))?;
        }
        self.page.send()
    }

    /// Has the mouse reported, or no more; while it is, the terminal selects text with Shift held.
    ///
    /// # Errors
    /// When the terminal went away.
    pub fn mouse(&mut self, on: bool) -> io::Result<()> {
        if self.mouse != on {
            self.mouse = on;
            self.page.write_all(if on { MOUSE_ON } else { MOUSE_OFF }.as_bytes())?;
            self.page.send()?;
        }
        Ok(())
    }

    /// Sends a question of the program's own to the terminal; the answer comes as keys.
    ///
    /// # Errors
    /// When the terminal went away.
    pub fn ask(&mut self, question: &'static str) -> io::Result<()> {
        self.page.write_all(question.as_bytes())?;
        self.page.send()
    }

    /// Makes the next frame draw every cell.
    ///
    /// # Errors
    /// When the terminal went away.
    pub fn wipe(&mut self) -> io::Result<()> {
        let size = self.inner.size()?;
        self.inner.resize(Rect::from((ratatui::layout::Position::ORIGIN, size)))
    }

    /// Gives the terminal back for as long as `meanwhile` takes, then takes it again.
    ///
    /// # Errors
    /// When the terminal went away.
    pub fn lend<T>(&mut self, meanwhile: impl FnOnce() -> T) -> io::Result<T> {
        give_back();
        let result = meanwhile();
        self.retake()?;
        Ok(result)
    }

    /// Takes the terminal again after the process was stopped and continued.
    ///
    /// # Errors
    /// When the terminal went away.
    pub fn retake(&mut self) -> io::Result<()> {
        // Who stopped us may have set the terminal as it likes: all of it is set again. It never takes lines in between,
        // which would make an Enter that is typed right now a line's end.
        if TAKEN.load(Ordering::SeqCst) {
            close(&mut io::stdout().lock())?;
            raw()?;
        }
        seize()?;
        if std::mem::take(&mut self.mouse) {
            self.mouse(true)?;
        }
        self.wipe()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        give_back();
    }
}

fn seize() -> io::Result<()> {
    enable_raw_mode()?;
    TAKEN.store(true, Ordering::SeqCst);
    let mut out = io::stdout().lock();
    let taken = open(&mut out).and_then(|()| out.flush());
    drop(out);
    if taken.is_err() {
        give_back();
    }
    taken
}

/// Opens the page that is drawn on, empty: one that was killed may have left the terminal on it, in the midst of a frame.
fn open(out: &mut impl Write) -> io::Result<()> {
    queue!(
        out,
        EndSynchronizedUpdate,
        EnterAlternateScreen,
        ResetColor,
        Clear(ClearType::All),
        DisableLineWrap,
        EnableBracketedPaste,
        EnableFocusChange,
        // Terminals that do not know it ignore it; asking first would mean to wait for an answer.
        PushKeyboardEnhancementFlags(KeyboardEnhancementFlags::DISAMBIGUATE_ESCAPE_CODES),
    )
}

/// Undoes [`seize`]; does nothing when the terminal is not taken. What fails cannot be mended.
fn give_back() {
    if !TAKEN.swap(false, Ordering::SeqCst) {
        return;
    }
    let _ = close(&mut io::stdout().lock());
    let _ = disable_raw_mode();
}

/// Undoes [`open`].
fn close(out: &mut impl Write) -> io::Result<()> {
    out.write_all(MOUSE_OFF.as_bytes())?;
    queue!(
        out,
        EndSynchronizedUpdate,
        PopKeyboardEnhancementFlags,
        DisableFocusChange,
        DisableBracketedPaste,
        EnableLineWrap,
        LeaveAlternateScreen,
        Show,
    )?;
    out.flush()
}

/// Has the terminal give keys as they are typed, whatever it was set to. How it was before it was taken stays remembered.
fn raw() -> io::Result<()> {
    let input = io::stdin();
    let mut mode = tcgetattr(&input)?;
    mode.make_raw();
    Ok(tcsetattr(&input, OptionalActions::Now, &mode)?)
}

/// A panic of the thread that draws gives the terminal back and says one line; others say nothing
/// while the screen is up: they are reported to the session by whoever started them.
fn hook() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = panic::take_hook();
        let drawing = std::thread::current().id();
        panic::set_hook(Box::new(move |info| {
            if !TAKEN.load(Ordering::SeqCst) {
                before(info);
            } else if std::thread::current().id() == drawing {
                give_back();
                // What it says may quote anything: that is for the report, which hides secrets.
                let at = info.location().map(ToString::to_string).unwrap_or_default();
                let _ = writeln!(io::stderr(), "pilothouse stopped because of a bug in it ({at})");
            }
        }));
    });
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_empty_before_it_is_drawn_on_whatever_was_left_there() {
        let mut bytes = Vec::new();
        open(&mut bytes).unwrap();
        let told = String::from_utf8(bytes).unwrap();
        let at = |sequence: &str| told.find(sequence).unwrap_or_else(|| panic!("{sequence:?} in {told:?}"));
        assert!(at("\x1b[?2026l") < at("\x1b[2J"), "an update that never ended holds nothing back");
        assert!(at("\x1b[?1049h") < at("\x1b[0m") && at("\x1b[0m") < at("\x1b[2J"), "{told:?}");
    }
}
