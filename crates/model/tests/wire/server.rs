//! A loopback HTTP server that says exactly the bytes it is told to, one script a connection.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::{Semaphore, oneshot},
};

/// One thing that the server does on a connection, after it has read the request.
pub enum Act {
    /// Sends these bytes as one packet.
    Send(Vec<u8>),
    /// Waits until the test lets it go on.
    Hold(Arc<Semaphore>),
    /// Stays silent for a while: what a time limit measures.
    Pause(Duration),
    /// Waits until the client closes the connection, then tells the test.
    AwaitClose(oneshot::Sender<()>),
    /// Breaks the connection off with a reset.
    Reset,
}

/// A server with a script for each connection, in order.
pub struct Server {
    pub url: String,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Server {
    pub async fn start(scripts: Vec<Vec<Act>>) -> Self {
        Self::listen(scripts, true).await
    }

    /// A server that answers whatever comes, for clients that do not speak HTTP.
    pub async fn start_without_reading(scripts: Vec<Vec<Act>>) -> Self {
        Self::listen(scripts, false).await
    }

    async fn listen(scripts: Vec<Vec<Act>>, reads: bool) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&requests);
        tokio::spawn(async move {
            for script in scripts {
                let (socket, _) = listener.accept().await.unwrap();
                let seen = Arc::clone(&seen);
                tokio::spawn(async move { play(socket, script, &seen, reads).await });
            }
        });
        Self { url, requests }
    }

    /// The requests so far: head and body.
    pub fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

async fn play(mut socket: TcpStream, script: Vec<Act>, seen: &Mutex<Vec<String>>, reads: bool) {
    if reads {
        let request = read_request(&mut socket).await;
        seen.lock().unwrap().push(request);
    }
    socket.set_nodelay(true).unwrap();
    for act in script {
        match act {
            Act::Send(bytes) => {
                if socket.write_all(&bytes).await.is_err() {
                    return;
                }
                socket.flush().await.unwrap();
                // Gives the packet a chance to travel alone.
                tokio::task::yield_now().await;
            }
            Act::Hold(gate) => gate.acquire().await.unwrap().forget(),
            Act::Pause(time) => tokio::time::sleep(time).await,
            Act::AwaitClose(told) => {
                let mut byte = [0];
                while matches!(socket.read(&mut byte).await, Ok(n) if n > 0) {}
                told.send(()).unwrap();
                return;
            }
            Act::Reset => {
                socket.set_zero_linger().unwrap();
                return;
            }
        }
    }
    socket.shutdown().await.ok();
}

async fn read_request(socket: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let n = socket.read(&mut buffer).await.unwrap();
        bytes.extend_from_slice(&buffer[..n]);
        let text = String::from_utf8_lossy(&bytes);
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|l| {
                let (name, value) = l.split_once(':')?;
                name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().unwrap())
            });
            if n == 0 || body.len() >= length.unwrap_or(0) {
                return text.into_owned();
            }
        }
        assert!(n > 0, "the client closed before its request was whole");
    }
}

/// The head of a stream of events that ends with the connection.
pub fn stream_head() -> Act {
    Act::Send(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n".to_vec())
}

/// An event.
pub fn event(data: &str) -> Act {
    Act::Send(format!("data: {data}\n\n").into_bytes())
}

/// An event that adds text.
pub fn text(text: &str) -> Act {
    event(&serde_json::json!({"choices": [{"delta": {"content": text}}]}).to_string())
}

/// The event that ends a stream.
pub fn done() -> Act {
    event("[DONE]")
}

/// A whole answer with a body.
pub fn answer(status: &str, headers: &str, body: &str) -> Vec<Act> {
    let text = format!(
        "HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n{headers}\r\n{body}",
        body.len()
    );
    vec![Act::Send(text.into_bytes())]
}

/// A stream with a whole reply of this text.
pub fn reply(said: &str) -> Vec<Act> {
    vec![stream_head(), text(said), done()]
}
