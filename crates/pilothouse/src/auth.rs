//! `auth`: a key comes from standard input, never from an argument, and is not shown while it is typed.

use std::io::{self, BufRead, IsTerminal, Read, Write};

use pilothouse_runtime::{Environment, Home, headless::auth};
use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr};
use secrecy::SecretString;

use crate::{
    cli::AuthCommand,
    exit::{FAILED, Failure, USAGE},
    out,
    workbench::explain,
};

/// A longer line is no key.
const MOST_BYTES: u64 = 16 * 1024;

/// Stores, removes and lists keys.
///
/// # Errors
/// When there is no such provider, no key was given, or it cannot be stored.
pub fn auth(what: AuthCommand) -> Result<u8, Failure> {
    let environment = Environment::of_process();
    let home = Home::find(&environment).map_err(explain)?;
    let json = matches!(what, AuthCommand::List { json: true });
    let (mut out, mut err) = (out::out(json), out::err());
    match what {
        AuthCommand::Set { provider, keyring } => {
            let name = auth::name(&provider).map_err(explain)?;
            let key = read(&name, &mut err)?;
            auth::set(&home, &name, &key, keyring, &mut err).map_err(explain)?;
        }
        AuthCommand::Remove { provider } => {
            let name = auth::name(&provider).map_err(explain)?;
            if !auth::remove(&home, &name, &mut err).map_err(explain)? {
                return Ok(FAILED);
            }
        }
        AuthCommand::List { json } => {
            auth::list(&home, &environment, json, &mut out, &mut err).map_err(explain)?;
        }
    }
    out.flush()?;
    Ok(0)
}

fn read(name: &str, err: &mut impl Write) -> Result<SecretString, Failure> {
    let input = io::stdin();
    if !input.is_terminal() {
        let mut line = String::new();
        input.lock().take(MOST_BYTES).read_line(&mut line)?;
        return Ok(line.into());
    }
    // Before the question: what is typed as soon as it stands there is not shown either.
    let quiet = Quiet::begin()?;
    write!(err, "Key for {name} (it is not shown): ")?;
    err.flush()?;
    let typed = typed();
    drop(quiet);
    writeln!(err)?;
    typed?.ok_or_else(|| Failure::new(USAGE, "nothing was stored"))
}

/// What is typed up to Enter; `None` when it was given up.
fn typed() -> io::Result<Option<SecretString>> {
    let mut key = Vec::new();
    for byte in io::stdin().lock().bytes().take(usize::try_from(MOST_BYTES).unwrap_or(usize::MAX)) {
        match byte? {
            b'\r' | b'\n' => return Ok(Some(String::from_utf8_lossy(&key).into_owned().into())),
            // Ctrl-C, Ctrl-D, Esc.
            3 | 4 | 27 => return Ok(None),
            8 | 127 => drop(key.pop()),
            // Ctrl-U.
            21 => key.clear(),
            byte => key.push(byte),
        }
    }
    Ok(None)
}

/// The terminal without an echo; as it was when this is dropped, whatever was typed.
struct Quiet(Termios);

impl Quiet {
    fn begin() -> io::Result<Self> {
        let was = tcgetattr(io::stdin())?;
        let mut quiet = was.clone();
        quiet.local_modes.remove(LocalModes::ECHO | LocalModes::ICANON | LocalModes::ISIG);
        quiet.special_codes[SpecialCodeIndex::VMIN] = 1;
        quiet.special_codes[SpecialCodeIndex::VTIME] = 0;
        tcsetattr(io::stdin(), OptionalActions::Flush, &quiet)?;
        Ok(Self(was))
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        // The terminal may be gone: then there is nothing to put back.
        let _ = tcsetattr(io::stdin(), OptionalActions::Flush, &self.0);
    }
}
