//! A source on loopback that wants to be signed in to, and the server that does that; each manner is a way to be odd.

use std::{
    collections::BTreeMap,
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
};

use base64::{
    Engine,
    engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD},
};
use reqwest::Url;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// The token that it takes first; a renewed one has another number.
pub const TOKEN: &str = "quiet-harbour-at-dawn-1";

/// What it saw and gave.
#[derive(Default)]
pub struct Seen {
    /// Method, path, and the fields or the body of each request.
    pub requests: Vec<String>,
    /// The bearers that the source was asked with.
    pub bearers: Vec<String>,
    /// How often a token was given.
    pub given: usize,
    challenge: String,
    back: String,
    polls: usize,
}

/// A request, read whole.
struct Request {
    line: String,
    headers: BTreeMap<String, String>,
    body: String,
}

pub struct Server {
    pub base: String,
    pub seen: Arc<Mutex<Seen>>,
}

impl Server {
    pub fn start(manner: &'static str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let seen = Arc::new(Mutex::new(Seen::default()));
        let (here, theirs) = (base.clone(), Arc::clone(&seen));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (here, seen) = (here.clone(), Arc::clone(&theirs));
                std::thread::spawn(move || serve(&stream.unwrap(), manner, &here, &seen));
            }
        });
        Self { base, seen }
    }

    pub fn source(&self) -> String {
        format!("{}/mcp", self.base)
    }

    pub fn saw(&self, text: &str) -> bool {
        self.seen.lock().unwrap().requests.iter().any(|r| r.contains(text))
    }

    /// The user in a browser: reads the address, says yes, and is sent back.
    pub fn visit(&self, address: &str, manner: &str) {
        let url = Url::parse(address).unwrap();
        let said: BTreeMap<String, String> = url.query_pairs().into_owned().collect();
        let mut seen = self.seen.lock().unwrap();
        (seen.challenge, seen.back) = (said["code_challenge"].clone(), said["redirect_uri"].clone());
        drop(seen);
        let back = said["redirect_uri"].clone();
        let (state, iss) = (&said["state"], &self.base);
        let ways = match manner {
            "nobody-comes" => vec![],
            "wrong-state" => vec![
                "?code=theirs&state=guessed".to_owned(),
                "?code=theirs".to_owned(),
                format!("/other?code=theirs&state={state}"),
                format!("?code=ours&state={state}"),
            ],
            "says-no" => vec![format!("?error=access_denied&error_description=not+now&state={state}")],
            "other-server" => vec![format!("?code=ours&state={state}&iss=https://evil.example")],
            "unnamed" => vec![format!("?code=ours&state={state}")],
            _ => vec![format!("?code=ours&state={state}&iss={iss}")],
        };
        // Silent visitors are nobody's turn.
        let silent: Vec<_> = if manner == "crowded" {
            (0..8).map(|_| TcpStream::connect(at(&back))).collect()
        } else {
            vec![]
        };
        std::thread::spawn(move || {
            for way in ways {
                let mut stream = TcpStream::connect(at(&back)).unwrap();
                write!(stream, "GET /callback{way} HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
                let mut answer = String::new();
                let _ = stream.read_to_string(&mut answer);
            }
            drop(silent);
        });
    }
}

/// Host and port of an address.
pub fn at(address: &str) -> String {
    let url = Url::parse(address).unwrap();
    format!("{}:{}", url.host_str().unwrap(), url.port().unwrap())
}

fn read(stream: &TcpStream) -> Option<Request> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let mut headers = BTreeMap::new();
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).ok()?;
        let Some((name, value)) = header.trim().split_once(':') else { break };
        headers.insert(name.to_lowercase(), value.trim().to_owned());
    }
    let length = headers.get("content-length").and_then(|l| l.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Request { line: line.trim().to_owned(), headers, body: String::from_utf8(body).unwrap() })
}

fn serve(stream: &TcpStream, manner: &str, base: &str, seen: &Mutex<Seen>) {
    while let Some(request) = read(stream).filter(|r| !r.line.is_empty()) {
        if manner == "silent" {
            std::thread::park();
        }
        let mut words = request.line.split(' ');
        let (method, path) = (words.next().unwrap(), words.next().unwrap());
        seen.lock().unwrap().requests.push(format!("{method} {path} {}", request.body));
        let (status, more, body) = match (method, path) {
            ("POST", "/mcp") => source(manner, base, seen, &request),
            ("GET", _) => document(manner, base, path),
            _ => authority(manner, path, seen, &request),
        };
        let head = format!(
            "HTTP/1.1 {status} x\r\nContent-Type: application/json\r\nContent-Length: {}\r\n{more}\r\n",
            body.len()
        );
        if (&mut &*stream).write_all((head + &body).as_bytes()).is_err() {
            return;
        }
    }
}

type Answer = (u16, String, String);

fn source(manner: &str, base: &str, seen: &Mutex<Seen>, request: &Request) -> Answer {
    let bearer = request.headers.get("authorization").cloned().unwrap_or_default();
    let mut seen = seen.lock().unwrap();
    let fits = bearer == format!("Bearer quiet-harbour-at-dawn-{}", seen.given.max(1));
    seen.bearers.push(bearer);
    if !fits && manner != "open" {
        let place = match manner {
            "metadata-elsewhere" => "http://localhost:9/meta".to_owned(),
            _ => format!("{base}/.well-known/oauth-protected-resource/mcp"),
        };
        let scheme =
            format!("WWW-Authenticate: Bearer resource_metadata=\"{place}\", scope=\"read more\"\r\n");
        let scheme = if manner == "bare" { "WWW-Authenticate: Bearer\r\n".to_owned() } else { scheme };
        return (401, scheme, String::new());
    }
    let said: Value = serde_json::from_str(&request.body).unwrap();
    let result = match said["method"].as_str().unwrap() {
        "initialize" => {
            json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "far", "version": "1"}})
        }
        "tools/list" => json!({"tools": [{"name": "work", "inputSchema": {"type": "object"}}]}),
        "ping" => json!({}),
        _ => return (202, String::new(), String::new()),
    };
    (200, String::new(), json!({"jsonrpc": "2.0", "id": said["id"], "result": result}).to_string())
}

fn document(manner: &str, base: &str, path: &str) -> Answer {
    let none = (404, String::new(), String::new());
    let said = match path {
        "/.well-known/oauth-protected-resource/mcp" if manner != "open" => {
            let resource = if manner == "other-resource" {
                "https://other.example/mcp".to_owned()
            } else {
                format!("{base}/mcp")
            };
            json!({"resource": resource, "authorization_servers": [base]})
        }
        "/.well-known/oauth-authorization-server" => {
            let outside = if manner == "token-outside" { "http://evil.example" } else { base };
            let mut said = json!({
                "issuer": if manner == "other-name" { "https://evil.example" } else { base },
                "authorization_endpoint": format!("{base}/authorize"),
                "token_endpoint": format!("{outside}/token"),
                "registration_endpoint": format!("{base}/register"),
                "device_authorization_endpoint": format!("{base}/device"),
                "code_challenge_methods_supported": ["S256"],
                "authorization_response_iss_parameter_supported": manner == "unnamed",
            });
            let gone = match manner {
                "no-proof" => "code_challenge_methods_supported",
                "no-register" => "registration_endpoint",
                "only-codes" => "authorization_endpoint",
                "no-codes" => "device_authorization_endpoint",
                _ => "",
            };
            said.as_object_mut().unwrap().remove(gone);
            said
        }
        _ => return none,
    };
    match manner {
        "endless" => (200, String::new(), " ".repeat(1 << 20)),
        "garbage" => (200, String::new(), "<html>".to_owned()),
        "moved" => (302, "Location: http://127.0.0.2:9/\r\n".to_owned(), String::new()),
        _ => (200, String::new(), said.to_string()),
    }
}

fn authority(manner: &str, path: &str, seen: &Mutex<Seen>, request: &Request) -> Answer {
    let form = Url::parse(&format!("http://x/?{}", request.body)).unwrap();
    let form: BTreeMap<String, String> = form.query_pairs().into_owned().collect();
    let said = |name: &str| form.get(name).cloned().unwrap_or_default();
    let plain = |status, value: Value| (status, String::new(), value.to_string());
    let mut seen = seen.lock().unwrap();
    match path {
        "/register" => return plain(201, json!({"client_id": "me"})),
        "/device" => {
            return plain(
                200,
                json!({"device_code": "d", "user_code": "AB\u{1b}CD", "interval": 1,
                "verification_uri": request.headers.get("host").map(|h| format!("http://{h}/type"))}),
            );
        }
        _ => {}
    }
    if manner == "token-elsewhere" {
        return (307, "Location: http://127.0.0.2:9/\r\n".to_owned(), String::new());
    }
    let basic = request.headers.get("authorization").map(String::as_str);
    let known =
        said("client_id") == "me" || basic == Some(&*format!("Basic {}", STANDARD.encode("me:hu%2Fsh")));
    let proof = URL_SAFE_NO_PAD.encode(Sha256::digest(said("code_verifier")));
    let mine = said("resource").ends_with("/mcp");
    let fits = match said("grant_type").as_str() {
        "authorization_code" => {
            mine && said("code") == "ours" && proof == seen.challenge && said("redirect_uri") == seen.back
        }
        "refresh_token" => mine && said("refresh_token") == "again",
        _ => {
            seen.polls += 1;
            if seen.polls < 2 {
                return plain(400, json!({"error": "authorization_pending"}));
            }
            said("device_code") == "d"
        }
    };
    if !known || !fits {
        return plain(400, json!({"error": "invalid_grant"}));
    }
    seen.given += 1;
    let kind = if manner == "no-bearer" { "mac" } else { "Bearer" };
    let lasts = if manner == "short" { 1 } else { 3600 };
    plain(
        200,
        json!({"access_token": format!("quiet-harbour-at-dawn-{}", seen.given), "token_type": kind, "expires_in": lasts, "refresh_token": "again"}),
    )
}
