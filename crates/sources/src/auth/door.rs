//! The port of this machine to which a browser comes back: open while it is waited for, and no longer.
//!
//! Owns who is taken for the browser: whoever knows the state that only the address held. Never reads more of a request
//! than its first line.

use std::{io, net::Ipv4Addr, time::Duration};

use futures::{StreamExt, stream::FuturesUnordered};
use reqwest::Url;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    time::timeout,
};

use super::{AuthFault, discovery::Authority, shown};

/// Where the browser comes back to.
const PATH: &str = "/callback";
/// The longest request.
const MOST_BYTES: usize = 16 * 1024;
/// The most visitors at a time.
const MOST_VISITORS: usize = 16;
/// How long one may take.
const VISIT: Duration = Duration::from_secs(10);

/// The port.
pub(super) struct Door {
    listener: TcpListener,
    /// Where it is.
    pub address: String,
}

impl Door {
    /// Opens one.
    pub async fn open() -> Result<Self, AuthFault> {
        let fault = |e: io::Error| AuthFault::Unreachable(format!("no port of this machine is free: {e}"));
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.map_err(fault)?;
        let at = listener.local_addr().map_err(fault)?;
        Ok(Self { listener, address: format!("http://{at}{PATH}") })
    }

    /// Waits for the code, and closes.
    pub async fn code(self, state: &str, of: &Authority) -> Result<String, AuthFault> {
        let mut visitors = FuturesUnordered::new();
        loop {
            tokio::select! {
                Ok((stream, _)) = self.listener.accept(), if visitors.len() < MOST_VISITORS => {
                    visitors.push(timeout(VISIT, visit(stream, state, of)));
                }
                Some(visited) = visitors.next() => {
                    if let Ok(Ok(Some(came))) = visited {
                        return came;
                    }
                }
            }
        }
    }
}

/// What a visitor brings; `None` where it is somebody else.
async fn visit(
    mut stream: TcpStream,
    state: &str,
    of: &Authority,
) -> io::Result<Option<Result<String, AuthFault>>> {
    let mut request = Vec::new();
    while !request.windows(4).any(|w| w == b"\r\n\r\n") {
        let mut piece = [0; 2048];
        let n = stream.read(&mut piece).await?;
        if n == 0 || request.len() > MOST_BYTES {
            return Ok(None);
        }
        request.extend_from_slice(piece.get(..n).unwrap_or_default());
    }
    let came = brought(&String::from_utf8_lossy(&request), state, of);
    let (status, text) = match &came {
        None => ("400 Bad Request", "This is not what was waited for."),
        Some(Ok(_)) => ("200 OK", "You are signed in. Go back to the terminal; this page can be closed."),
        Some(Err(_)) => ("200 OK", "You are not signed in: the terminal says why. This page can be closed."),
    };
    let length = text.len();
    let answer = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {length}\r\n\
         Cache-Control: no-store\r\nConnection: close\r\n\r\n{text}"
    );
    // Whether the page was seen changes nothing.
    let _ = stream.write_all(answer.as_bytes()).await;
    let _ = stream.shutdown().await;
    Ok(came)
}

fn brought(request: &str, state: &str, of: &Authority) -> Option<Result<String, AuthFault>> {
    let mut words = request.lines().next()?.split(' ');
    let (Some("GET"), Some(target)) = (words.next(), words.next()) else { return None };
    let url = Url::parse("http://localhost").ok()?.join(target).ok()?;
    let said = |name: &str| url.query_pairs().find(|(n, _)| n == name).map(|(_, v)| v.into_owned());
    if url.path() != PATH || said("state")? != state {
        return None;
    }
    // One server must not pass for another.
    let named = said("iss");
    if named.as_ref().map_or(of.named, |name| *name != of.issuer) {
        return Some(Err(AuthFault::Odd(
            "another server than the one that was asked has answered".to_owned(),
        )));
    }
    if let Some(why) = said("error") {
        let more = said("error_description").map(|m| format!(": {m}")).unwrap_or_default();
        return Some(Err(AuthFault::Refused(shown(&(why + &more)))));
    }
    said("code").map(Ok)
}
