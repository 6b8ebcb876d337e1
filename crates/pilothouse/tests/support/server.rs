//! A model on loopback: answers `POST …/chat/completions` from a list, streamed in small pieces.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Condvar, Mutex},
    time::Duration,
};

use serde_json::{Value, json};

/// One answer of the server.
#[derive(Clone)]
pub enum Turn {
    /// Text, then calls, in pieces.
    Say(&'static str, Vec<(&'static str, Value)>),
    /// Text in pieces, then silence until the client goes away.
    Hang(&'static str),
    /// These bytes as the whole response.
    Raw(String),
}

/// The server and what it saw.
pub struct Server {
    pub base: String,
    seen: Arc<(Mutex<Seen>, Condvar)>,
}

#[derive(Default)]
struct Seen {
    requests: Vec<Value>,
    hung_up: usize,
}

impl Server {
    pub fn start(script: Vec<Turn>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}/v1", listener.local_addr().unwrap());
        let seen = Arc::new((Mutex::new(Seen::default()), Condvar::new()));
        let theirs = Arc::clone(&seen);
        std::thread::spawn(move || {
            let script = Arc::new(Mutex::new(script.into_iter()));
            for stream in listener.incoming() {
                let (seen, script) = (Arc::clone(&theirs), Arc::clone(&script));
                std::thread::spawn(move || serve(stream.unwrap(), &seen, &script));
            }
        });
        Self { base, seen }
    }

    pub fn requests(&self) -> Vec<Value> {
        self.seen.0.lock().unwrap().requests.clone()
    }

    /// Waits until `n` requests came.
    pub fn wait_requests(&self, n: usize) {
        let seen = self.seen.0.lock().unwrap();
        let (seen, late) =
            self.seen.1.wait_timeout_while(seen, Duration::from_secs(40), |s| s.requests.len() < n).unwrap();
        assert!(!late.timed_out(), "only {} requests came", seen.requests.len());
    }

    /// Waits until a client went away in the middle of an answer.
    pub fn wait_hung_up(&self) {
        let seen = self.seen.0.lock().unwrap();
        let (_seen, late) = self.seen.1.wait_timeout_while(seen, Duration::from_secs(40), |s| s.hung_up == 0).unwrap();
        assert!(!late.timed_out(), "the connection was not closed");
    }
}

type Script = Mutex<std::vec::IntoIter<Turn>>;

fn serve(mut stream: TcpStream, seen: &(Mutex<Seen>, Condvar), script: &Script) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    loop {
        let mut length = 0;
        let mut line = String::new();
        loop {
            line.clear();
            if reader.read_line(&mut line).unwrap_or(0) == 0 {
                return;
            }
            if let Some(n) = line.to_lowercase().strip_prefix("content-length:") {
                length = n.trim().parse().unwrap();
            }
            if line == "\r\n" {
                break;
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).unwrap();
        let turn = script.lock().unwrap().next();
        {
            let mut s = seen.0.lock().unwrap();
            s.requests.push(serde_json::from_slice(&body).unwrap_or(Value::Null));
            seen.1.notify_all();
        }
        match turn {
            None => {
                let text = r#"{"error":{"message":"the script is over"}}"#;
                let head = format!("HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n", text.len());
                drop(stream.write_all((head + text).as_bytes()));
            }
            Some(Turn::Raw(text)) => {
                drop(stream.write_all(text.as_bytes()));
                return;
            }
            Some(Turn::Say(text, calls)) => {
                begin(&mut stream);
                say(&mut stream, text);
                for (i, (name, args)) in calls.iter().enumerate() {
                    call(&mut stream, i, name, &args.to_string());
                }
                let reason = if calls.is_empty() { "stop" } else { "tool_calls" };
                event(&mut stream, &json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}));
                event(&mut stream, &json!({"choices": [], "usage": {"prompt_tokens": 900, "completion_tokens": 80}}));
                chunk(&mut stream, "data: [DONE]\n\n");
                chunk(&mut stream, "");
            }
            Some(Turn::Hang(text)) => {
                begin(&mut stream);
                say(&mut stream, text);
                // Nothing more comes: the next read ends when the client closes.
                let mut rest = [0; 64];
                drop(reader.read(&mut rest));
                seen.0.lock().unwrap().hung_up += 1;
                seen.1.notify_all();
                return;
            }
        }
    }
}

fn begin(stream: &mut TcpStream) {
    drop(stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"));
}

fn chunk(stream: &mut TcpStream, text: &str) {
    drop(stream.write_all(format!("{:x}\r\n{text}\r\n", text.len()).as_bytes()));
    drop(stream.flush());
}

fn event(stream: &mut TcpStream, value: &Value) {
    // Split each event in two, so that a piece never ends where an event does.
    let text = format!("data: {value}\n\n");
    let middle = text.floor_char_boundary(text.len() / 2);
    chunk(stream, &text[..middle]);
    chunk(stream, &text[middle..]);
}

fn say(stream: &mut TcpStream, text: &str) {
    let letters: Vec<char> = text.chars().collect();
    for piece in letters.chunks(7) {
        let piece: String = piece.iter().collect();
        event(stream, &json!({"choices": [{"index": 0, "delta": {"content": piece}}]}));
    }
}

fn call(stream: &mut TcpStream, index: usize, name: &str, args: &str) {
    let head = json!({"index": index, "id": format!("call_{index}"), "type": "function", "function": {"name": name, "arguments": ""}});
    event(stream, &json!({"choices": [{"index": 0, "delta": {"tool_calls": [head]}}]}));
    let letters: Vec<char> = args.chars().collect();
    for piece in letters.chunks(11) {
        let piece: String = piece.iter().collect();
        let part = json!({"index": index, "function": {"arguments": piece}});
        event(stream, &json!({"choices": [{"index": 0, "delta": {"tool_calls": [part]}}]}));
    }
}
