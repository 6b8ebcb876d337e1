//! Signing in to a source: what is held against the rules, who gets what, and every odd server a clear end.
//! It prints `checked=<n> violations=<n>`.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a server and its visitors"
)]

mod server;

use std::{
    net::TcpStream,
    sync::{Arc, Mutex},
    time::Duration,
};

use pilothouse_core::redact::Redactor;
use pilothouse_sources::{
    AuthFault, Consent, Definition, How, Invitation, Keeper, Lookup, Origin, SignIn, SourceFault, Sources,
    Surroundings, read_common, sign_in,
};
use serde_json::{Value, json};
use server::{Server, TOKEN, at};
use tokio_util::sync::CancellationToken;

/// A source as a file names it.
fn source(url: &str, more: &Value) -> Definition {
    let mut entry = json!({"url": url, "start_s": 1});
    entry.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap_or_default());
    let text = json!({"mcpServers": {"far": entry}}).to_string();
    read_common("mcp.json".as_ref(), &text, Origin::User).0.remove(0)
}

fn values() -> Lookup {
    Arc::new(|name| (name == "FAR_SECRET").then(|| "hu/sh".to_owned()))
}

/// Signs in to a server of this manner; with what came of it the server, and where the user was sent.
async fn signing(
    manner: &'static str,
    (how, more): (How, Value),
) -> (Result<SignIn, AuthFault>, Server, Option<Invitation>) {
    let server = Server::start(manner);
    let invited = Mutex::new(None);
    let told = |to: Invitation| {
        if to.code.is_none() {
            server.visit(&to.address, manner);
        }
        *invited.lock().unwrap() = Some(to);
    };
    let limit = Duration::from_secs(if manner == "nobody-comes" { 1 } else { 60 });
    let source = source(&server.source(), &more);
    let signed = sign_in(&source, &values(), (how, limit), &told).await;
    let invited = invited.into_inner().unwrap();
    (signed, server, invited)
}

/// Every odd manner, and the words that it ends with.
const ODD: &[(&str, &str)] = &[
    ("open", "asks nobody to sign in"),
    ("silent", "error sending request"),
    ("metadata-elsewhere", "it leaves it to http://localhost:9/meta"),
    ("other-resource", "protected as https://other.example/mcp, which is another"),
    ("other-name", "goes by the name of https://evil.example"),
    ("token-outside", "it names the address http://evil.example/token"),
    ("token-elsewhere", "sends its visitors elsewhere"),
    ("moved", "sends its visitors elsewhere"),
    ("endless", "more than 256 KB"),
    ("garbage", "answers with no JSON"),
    ("no-proof", "PKCE"),
    ("no-register", "registers no programs by itself"),
    ("no-bearer", "no bearer token"),
    ("nobody-comes", "nobody signed in within 1 s"),
    ("says-no", "refused: access_denied: not now"),
    ("other-server", "another server than the one that was asked"),
    ("unnamed", "another server than the one that was asked"),
];

#[tokio::test(flavor = "multi_thread")]
async fn an_odd_server_gets_nothing_and_ends_with_its_reason() {
    let mut violations = 0;
    for (manner, words) in ODD {
        let (signed, server, _) = signing(manner, (How::Browser, json!({}))).await;
        let said = signed.as_ref().map_or_else(ToString::to_string, |_| "signed in".to_owned());
        let fits =
            said.contains(words) && server.seen.lock().unwrap().given == usize::from(*manner == "no-bearer");
        violations += usize::from(!fits);
        println!("{} {manner}: {said}", if fits { "ok  " } else { "BAD " });
    }
    println!("odd sign-ins: checked={} violations={violations}", ODD.len());
    assert_eq!(violations, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_knows_the_state_is_the_browser_and_the_door_closes_behind_it() {
    for manner in ["plain", "bare", "wrong-state", "crowded"] {
        let (signed, server, invited) = signing(manner, (How::Browser, json!({}))).await;
        let (signed, address) = (signed.unwrap(), invited.unwrap().address);
        assert_eq!(signed.secrets().collect::<Vec<_>>(), [TOKEN, "again"], "{manner}");
        assert!(!server.saw("theirs"), "a code of others is not tried");
        let back = reqwest::Url::parse(&address).unwrap();
        let back = back.query_pairs().find(|(n, _)| n == "redirect_uri").unwrap().1.into_owned();
        assert!(TcpStream::connect(at(&back)).is_err(), "{manner}: the port is open still");
        assert_eq!(Redactor::default().mask(&address), address, "what is shown can be opened");
        assert_eq!(manner != "bare", address.contains("scope=read+more"), "{address}");
        assert!(!format!("{signed:?}").contains(TOKEN));
    }
    let (_, _, invited) = signing("nobody-comes", (How::Browser, json!({}))).await;
    let address = invited.unwrap().address;
    let back = reqwest::Url::parse(&address).unwrap();
    let back = back.query_pairs().find(|(n, _)| n == "redirect_uri").unwrap().1.into_owned();
    assert!(TcpStream::connect(at(&back)).is_err(), "nobody came, and the port is open still");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_code_is_typed_elsewhere_where_that_is_asked_or_nothing_else_offered() {
    for (manner, how) in [("plain", How::Code), ("only-codes", How::Browser)] {
        let (signed, _, invited) = signing(manner, (how, json!({}))).await;
        signed.unwrap();
        let invited = invited.unwrap();
        assert!(invited.address.ends_with("/type") && invited.code.as_deref() == Some("AB\u{241b}CD"));
    }
    let (signed, ..) = signing("no-codes", (How::Code, json!({}))).await;
    assert_eq!(signed.unwrap_err(), AuthFault::NotOffered("a sign-in by a code"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_is_known_beforehand_does_not_register() {
    let known = json!({"oauth": {"clientId": "me", "client_secret": "${FAR_SECRET}", "scopes": ["one"]}});
    let (signed, server, invited) = signing("no-register", (How::Browser, known)).await;
    signed.unwrap();
    assert!(!server.saw("/register") && invited.unwrap().address.contains("scope=one"));
    let unset = json!({"oauth": {"client_id": "me", "client_secret": "${NOT_SET}"}});
    let (signed, ..) = signing("plain", (How::Browser, unset)).await;
    assert_eq!(signed.unwrap_err(), AuthFault::NoValue("NOT_SET".into()));
    let mut program = read_common("x".as_ref(), r#"{"mcpServers": {"p": {"command": "p"}}}"#, Origin::User);
    let program = program.0.remove(0);
    let refused = sign_in(&program, &values(), (How::Browser, Duration::from_secs(1)), &|_| {}).await;
    assert_eq!(refused.unwrap_err(), AuthFault::Program);
    let odd = r#"{"mcpServers": {"p": {"command": "p", "oauth": {"client_id": "x"}}}}"#;
    assert_eq!(read_common("x".as_ref(), odd, Origin::User).1.len(), 1);
}

/// Keeps in memory.
#[derive(Default)]
struct Memory(Mutex<Option<SignIn>>);

impl Keeper for Memory {
    fn kept(&self, _: &Definition) -> Option<SignIn> {
        self.0.lock().unwrap().clone()
    }

    fn keep(&self, _: &Definition, new: &SignIn) {
        *self.0.lock().unwrap() = Some(new.clone());
    }
}

async fn listed(server: &Server, kept: SignIn, more: &Value) -> (Result<usize, SourceFault>, Option<SignIn>) {
    let keeper = Arc::new(Memory(Mutex::new(Some(kept))));
    let around = Surroundings {
        workspace: std::env::temp_dir(),
        value: values(),
        holds: Arc::new(|_| Ok(std::env::temp_dir())),
        consent: Consent::default(),
        keeper: Arc::clone(&keeper) as Arc<dyn Keeper>,
    };
    let sources = Sources::of(vec![source(&server.source(), more)], &around);
    let found = sources.catalog("far", &CancellationToken::new()).await;
    sources.stop_all().await;
    let kept = keeper.0.lock().unwrap().take();
    (found.map(|c| c.tools.len()), kept)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_source_gets_its_token_a_new_one_when_it_is_over_and_nobody_else_s() {
    let none = json!({});
    let (signed, server, _) = signing("plain", (How::Browser, none.clone())).await;
    let signed = signed.unwrap();
    assert_eq!(listed(&server, signed.clone(), &none).await.0, Ok(1));
    assert_eq!(server.seen.lock().unwrap().given, 1, "it was not renewed");
    // Its server takes it no longer, whatever it said.
    server.seen.lock().unwrap().given = 5;
    let (found, kept) = listed(&server, signed.clone(), &none).await;
    assert_eq!((found, server.seen.lock().unwrap().given), (Ok(1), 6));
    assert!(kept.unwrap().secrets().any(|s| s == "quiet-harbour-at-dawn-6"), "the new one is kept");
    // One that is over is renewed before it is sent.
    let (short, server, _) = signing("short", (How::Browser, none.clone())).await;
    server.seen.lock().unwrap().bearers.clear();
    assert_eq!(listed(&server, short.unwrap(), &none).await.0, Ok(1));
    assert!(server.seen.lock().unwrap().bearers.iter().all(|b| b.ends_with("-2")));
    // What is kept for another address goes nowhere.
    let other = Server::start("plain");
    let words = "`pilothouse sources auth far`";
    let refused = listed(&other, signed.clone(), &none).await.0.unwrap_err();
    assert!(refused.to_string().contains(words), "{refused}");
    assert!(other.seen.lock().unwrap().bearers.iter().all(String::is_empty));
    // A header of the user's own stands above it.
    let own = json!({"headers": {"Authorization": "Bearer mine"}});
    assert!(listed(&other, signed, &own).await.0.is_err());
    assert!(other.seen.lock().unwrap().bearers.iter().any(|b| b == "Bearer mine"));
}

#[tokio::test(flavor = "multi_thread")]
async fn where_nothing_is_renewed_the_fault_says_what_to_type() {
    let (signed, server, _) = signing("plain", (How::Browser, json!({}))).await;
    let text = serde_json::to_string(&signed.unwrap()).unwrap().replace("again", "revoked");
    server.seen.lock().unwrap().given = 9;
    let (found, _) = listed(&server, serde_json::from_str(&text).unwrap(), &json!({})).await;
    assert_eq!(found, Err(SourceFault::SignIn("far".into())));
}
