//! JSON-RPC 2.0, one object a line, as it comes in: read and bounded.
//!
//! Owns the envelope and its faults. Never knows what a method means.

use std::{
    io::{BufRead, BufReader, Read},
    os::fd::AsFd,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde_json::{Value, json};
use tokio::sync::mpsc::{Receiver, channel, error::TrySendError};

/// Longest line that is read; the rest of a longer one is passed over.
const MOST_LINE: u64 = 4 * 1024 * 1024;
/// Lines that are read ahead, each as long as one may be.
const AHEAD: usize = 8;

/// A fault as it is answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub code: i32,
    pub message: String,
}

impl Fault {
    pub fn parse(why: impl Into<String>) -> Self {
        Self { code: -32700, message: why.into() }
    }

    pub fn request(why: impl Into<String>) -> Self {
        Self { code: -32600, message: why.into() }
    }

    pub fn method(name: &str) -> Self {
        Self { code: -32601, message: format!("there is no method {name} here") }
    }

    pub fn params(why: impl Into<String>) -> Self {
        Self { code: -32602, message: why.into() }
    }

    pub fn internal(why: impl Into<String>) -> Self {
        Self { code: -32603, message: why.into() }
    }

    pub fn absent(why: impl Into<String>) -> Self {
        Self { code: -32002, message: why.into() }
    }
}

/// A message that came in.
#[derive(Debug, PartialEq)]
pub(super) enum Message {
    /// It wants an answer.
    Request { id: Value, method: String, params: Value },
    /// It wants none.
    Notice { method: String, params: Value },
    /// It answers a request of ours; of a fault only that it is one.
    Answer { id: Value, result: Option<Value> },
}

/// A line that came in.
#[derive(Debug)]
pub(super) struct Heard {
    /// How many lines had gone out when it came, or fewer: its sender can have seen no later one.
    pub seen: u64,
    /// It; none where it is too long.
    pub line: Option<Vec<u8>>,
}

/// Reads lines in a thread of its own until the input ends.
///
/// # Errors
/// When there is no such thread to be had.
pub(super) fn listen(
    input: impl Read + AsFd + Send + 'static,
    written: Arc<AtomicU64>,
) -> std::io::Result<Receiver<Heard>> {
    let (heard, lines) = channel(AHEAD);
    std::thread::Builder::new().name("client".into()).spawn(move || {
        let mut input = BufReader::new(input);
        // How many lines had gone out when there was no room for one more; what comes may have lain there since.
        let mut behind = None;
        loop {
            let waits = behind.is_some() && input.buffer().is_empty() && is_empty(input.get_ref());
            let line = match next_line(&mut input) {
                Ok(Line::Whole(line)) => Some(line),
                Ok(Line::TooLong) => None,
                Ok(Line::End) | Err(_) => return,
            };
            behind = behind.filter(|_| !waits);
            let seen = behind.unwrap_or_else(|| written.load(Ordering::SeqCst));
            if let Err(TrySendError::Full(one)) = heard.try_send(Heard { seen, line }) {
                behind = Some(seen);
                if heard.blocking_send(one).is_err() {
                    return;
                }
            }
        }
    })?;
    Ok(lines)
}

/// Whether nothing is there to be read yet.
fn is_empty(input: &impl AsFd) -> bool {
    let mut look = [PollFd::new(input, PollFlags::IN)];
    poll(&mut look, Some(&Timespec::default())).is_ok_and(|ready| ready == 0)
}

/// What says of a socket that its other end has ended its side, and goes on reading; pipes hang up as a whole.
#[cfg(target_os = "linux")]
const HALF: PollFlags = PollFlags::RDHUP;
#[cfg(not(target_os = "linux"))]
const HALF: PollFlags = PollFlags::empty();

/// Whether nothing more can be said there, though the last of it may not be read yet.
pub(super) fn is_over(input: &impl AsFd) -> bool {
    let mut look = PollFd::new(input, HALF);
    let looked = poll(std::slice::from_mut(&mut look), Some(&Timespec::default()));
    looked.is_ok() && look.revents().intersects(HALF | PollFlags::HUP | PollFlags::ERR)
}

/// What comes next.
#[derive(Debug, PartialEq, Eq)]
enum Line {
    Whole(Vec<u8>),
    TooLong,
    End,
}

fn next_line(input: &mut impl BufRead) -> std::io::Result<Line> {
    let mut line = Vec::new();
    if input.by_ref().take(MOST_LINE).read_until(b'\n', &mut line)? == 0 {
        return Ok(Line::End);
    }
    if line.ends_with(b"\n") || (line.len() as u64) < MOST_LINE {
        return Ok(Line::Whole(line));
    }
    input.skip_until(b'\n')?;
    Ok(Line::TooLong)
}

/// Reads a line as a message; a fault comes with the id that it is answered under.
pub(super) fn read(line: &[u8]) -> Result<Message, (Value, Fault)> {
    let whole: Value =
        serde_json::from_slice(line).map_err(|e| (Value::Null, Fault::parse(format!("no JSON: {e}"))))?;
    let Value::Object(mut fields) = whole else {
        return Err((Value::Null, Fault::request("a message is one JSON object")));
    };
    let id = fields.remove("id");
    let known = id.as_ref().is_none_or(|id| id.is_string() || id.is_i64() || id.is_u64() || id.is_null());
    if fields.get("jsonrpc") != Some(&json!("2.0")) || !known {
        let id = id.filter(|_| known).unwrap_or_default();
        return Err((
            id,
            Fault::request("a message says \"jsonrpc\":\"2.0\", and its id is a number or a text"),
        ));
    }
    let params = fields.remove("params").unwrap_or_default();
    match (fields.remove("method"), id) {
        (Some(Value::String(method)), Some(id)) => Ok(Message::Request { id, method, params }),
        (Some(Value::String(method)), None) => Ok(Message::Notice { method, params }),
        (None, Some(id)) if fields.contains_key("result") || fields.contains_key("error") => {
            Ok(Message::Answer { id, result: fields.remove("result") })
        }
        (_, id) => Err((id.unwrap_or_default(), Fault::request("a message has a method, or answers one"))),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_message_or_a_fault_with_its_code() {
        let code = |line: &str| read(line.as_bytes()).unwrap_err().1.code;
        assert_eq!([code("{"), code("\u{0}"), code("")], [-32700; 3]);
        assert_eq!(code(&"[".repeat(100_000)), -32700);
        for line in ["[]", "7", r#"{"id":1,"method":"a"}"#, r#"{"jsonrpc":"2.0","id":[],"method":"a"}"#] {
            assert_eq!(code(line), -32600, "{line}");
        }
        for line in [r#"{"jsonrpc":"2.0"}"#, r#"{"jsonrpc":"2.0","id":1}"#, r#"{"jsonrpc":"2.0","method":1}"#]
        {
            assert_eq!(code(line), -32600, "{line}");
        }
        let notice = read(br#"{"jsonrpc":"2.0","method":"a"}"#).unwrap();
        assert_eq!(notice, Message::Notice { method: "a".into(), params: Value::Null });
        let answer = read(br#"{"jsonrpc":"2.0","id":3,"error":{"code":1,"message":""}}"#).unwrap();
        assert_eq!(answer, Message::Answer { id: json!(3), result: None });
    }

    #[test]
    fn what_is_read_ahead_costs_little_however_long_its_lines_are() {
        assert!(AHEAD as u64 * MOST_LINE <= 64 * 1024 * 1024);
    }

    #[test]
    fn a_line_without_an_end_costs_no_more_than_the_bound_and_the_next_one_is_read() {
        let long = vec![b'x'; usize::try_from(MOST_LINE).unwrap() + 9];
        let mut input: &[u8] = &[long.as_slice(), b"\nnext\nlast"].concat();
        assert_eq!(next_line(&mut input).unwrap(), Line::TooLong);
        assert_eq!(next_line(&mut input).unwrap(), Line::Whole(b"next\n".to_vec()));
        assert_eq!(next_line(&mut input).unwrap(), Line::Whole(b"last".to_vec()));
        assert_eq!(next_line(&mut input).unwrap(), Line::End);
    }
}
