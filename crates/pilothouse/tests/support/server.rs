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
    /// Text in pieces, then the connection is closed in the middle of the reply.
    Cut(&'static str),
    /// Nothing but the headers of a stream, then silence.
    Mute,
    /// Something happens once the request is here, before the answer begins.
    After(Arc<dyn Fn() + Send + Sync>, Box<Turn>),
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
    heads: Vec<String>,
    sorted: Vec<Value>,
    hung_up: usize,
}

impl Server {
    /// Answers from a list, in order; asked what a message means, it does not know.
    pub fn start(script: Vec<Turn>) -> Self {
        let script = Mutex::new(script.into_iter());
        Self::answering(move |request| {
            if sorts(request) {
                return Some(Turn::Say("I cannot tell.", vec![]));
            }
            script.lock().unwrap().next()
        })
    }

    /// Plans one step, in which it runs this line.
    pub fn running(line: &str) -> Self {
        let task = json!({"title": "run it", "detail": "run it", "kind": "execute"});
        Self::start(vec![
            Turn::Say("", vec![("submit_plan", json!({"title": "Run", "tasks": [task]}))]),
            Turn::Say("", vec![("run", json!({"command": line}))]),
            Turn::Say("Done.", vec![]),
        ])
    }

    /// Answers as `script` says to each request.
    pub fn answering(script: impl Fn(&Value) -> Option<Turn> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}/v1", listener.local_addr().unwrap());
        let seen = Arc::new((Mutex::new(Seen::default()), Condvar::new()));
        let theirs = Arc::clone(&seen);
        std::thread::spawn(move || {
            let script: Arc<Script> = Arc::new(script);
            for stream in listener.incoming() {
                let (seen, script) = (Arc::clone(&theirs), Arc::clone(&script));
                std::thread::spawn(move || serve(stream.unwrap(), &seen, script.as_ref()));
            }
        });
        Self { base, seen }
    }

    /// The requests that asked what a message means.
    pub fn sorted(&self) -> Vec<Value> {
        self.seen.0.lock().unwrap().sorted.clone()
    }

    /// What stands before the body of every request, as it came: its first line and its headers.
    pub fn heads(&self) -> Vec<String> {
        self.seen.0.lock().unwrap().heads.clone()
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
        let (seen, late) =
            self.seen.1.wait_timeout_while(seen, Duration::from_secs(40), |s| s.hung_up == 0).unwrap();
        drop(seen);
        assert!(!late.timed_out(), "the connection was not closed");
    }
}

type Script = dyn Fn(&Value) -> Option<Turn> + Send + Sync;

/// Whether a request asks what a message means.
pub fn sorts(request: &Value) -> bool {
    let first = request.pointer("/messages/0/content").and_then(Value::as_str);
    first.is_some_and(|text| text.starts_with("You sort one message"))
}

#[expect(clippy::too_many_lines, reason = "one answer after the other")]
fn serve(mut stream: TcpStream, seen: &(Mutex<Seen>, Condvar), script: &Script) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    loop {
        let mut length = 0;
        let (mut line, mut head) = (String::new(), String::new());
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
            head.push_str(&line);
        }
        seen.0.lock().unwrap().heads.push(head);
        let mut body = vec![0; length];
        if reader.read_exact(&mut body).is_err() {
            return;
        }
        let request: Value = serde_json::from_slice(&body).unwrap_or(Value::Null);
        let mut turn = script(&request);
        {
            let mut s = seen.0.lock().unwrap();
            if sorts(&request) {
                s.sorted.push(request);
            } else {
                s.requests.push(request);
            }
            seen.1.notify_all();
        }
        while let Some(Turn::After(happens, then)) = turn {
            happens();
            turn = Some(*then);
        }
        match turn {
            Some(Turn::After(..)) => unreachable!("taken apart above"),
            None => {
                let text = r#"{"error":{"message":"the script is over"}}"#;
                let head = format!(
                    "HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
                    text.len()
                );
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
                    // A text is passed on as it is, malformed or not.
                    let args = args.as_str().map_or_else(|| args.to_string(), str::to_owned);
                    call(&mut stream, i, name, &args);
                }
                let reason = if calls.is_empty() { "stop" } else { "tool_calls" };
                event(&mut stream, &json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}));
                event(
                    &mut stream,
                    &json!({"choices": [], "usage": {"prompt_tokens": 900, "completion_tokens": 80}}),
                );
                chunk(&mut stream, "data: [DONE]\n\n");
                chunk(&mut stream, "");
            }
            Some(Turn::Cut(text)) => {
                begin(&mut stream);
                say(&mut stream, text);
                return;
            }
            Some(hang @ (Turn::Hang(_) | Turn::Mute)) => {
                begin(&mut stream);
                if let Turn::Hang(text) = hang {
                    say(&mut stream, text);
                }
                // Nothing more comes: the next read ends when the client closes.
                let mut rest = [0; 64];
                let _ = reader.read(&mut rest);
                seen.0.lock().unwrap().hung_up += 1;
                seen.1.notify_all();
                return;
            }
        }
    }
}

fn begin(stream: &mut TcpStream) {
    drop(stream.write_all(
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n",
    ));
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
