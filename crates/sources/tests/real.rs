//! Real servers of the npm registry, over pipes and over HTTP; where they cannot be installed it is said.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::panic, missing_docs)]

use std::{
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex},
    time::Duration,
};

use futures::future::BoxFuture;
use pilothouse_core::question::FormAnswer;
use pilothouse_sources::{
    Answer, Checked, Consent, Definition, Form, Listener, Origin, Reach, Sources, Surroundings,
};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

const PACKAGES: [&str; 3] = [
    "@modelcontextprotocol/server-everything",
    "@modelcontextprotocol/server-filesystem",
    "@modelcontextprotocol/server-memory",
];

/// The packages, installed once into the folder of the build; or why they are not there.
fn installed() -> Result<PathBuf, String> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mcp-servers");
    let there = |folder: &Path| {
        PACKAGES.iter().all(|p| folder.join("node_modules").join(p).join("dist/index.js").is_file())
    };
    if there(&folder) {
        return Ok(folder);
    }
    std::fs::create_dir_all(&folder).map_err(|e| e.to_string())?;
    let mut npm = Command::new("npm");
    npm.args(["install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix"])
        .arg(&folder)
        .args(PACKAGES);
    let out = npm.stdin(Stdio::null()).output().map_err(|e| format!("npm: {e}"))?;
    if out.status.success() && there(&folder) {
        return Ok(folder);
    }
    Err(String::from_utf8_lossy(&out.stderr).lines().last().unwrap_or("npm failed").to_owned())
}

fn entry(folder: &Path, package: &str) -> String {
    folder.join("node_modules").join(package).join("dist/index.js").to_string_lossy().into_owned()
}

fn definition(name: &str, reach: Reach) -> Definition {
    Definition {
        name: name.into(),
        origin: Origin::User,
        file: PathBuf::new(),
        about: String::new(),
        reach,
        enabled: true,
        read_only: false,
        tools: None,
        web: None,
        adds: None,
        oauth: None,
        start: Duration::from_mins(1),
        call: Duration::from_mins(1),
    }
}

fn node(args: Vec<String>, env: &[(&str, &str)]) -> Reach {
    let env = env.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
    Reach::Command { program: "node".into(), args, env }
}

#[derive(Default)]
struct Hears(Mutex<Vec<String>>);

impl Listener for Hears {
    fn progress(&self, text: &str) {
        self.0.lock().unwrap().push(text.to_owned());
    }

    fn ask(&self, _: Form) -> BoxFuture<'_, FormAnswer> {
        Box::pin(std::future::ready(FormAnswer::Declined))
    }
}

struct Desk {
    sources: Sources,
    hears: Hears,
}

impl Desk {
    fn of(workspace: &Path, all: Vec<Definition>) -> Self {
        let workspace = workspace.to_owned();
        let around = Surroundings {
            workspace,
            value: Arc::new(|_| None),
            holds: Arc::new(|_| Ok(std::env::temp_dir())),
            consent: Consent::default(),
            keeper: Arc::new(()),
        };
        Self { sources: Sources::of(all, &around), hears: Hears::default() }
    }

    async fn tools(&self, source: &str) -> Vec<String> {
        let catalog = self.sources.catalog(source, &CancellationToken::new()).await.unwrap();
        println!(
            "{source}: {} with {} tools, left out: {:?}",
            catalog.server,
            catalog.tools.len(),
            catalog.left
        );
        catalog.tools.iter().map(|t| t.head.name.clone()).collect()
    }

    async fn call(&self, source: &str, tool: &str, arguments: Value) -> Answer {
        let cancel = CancellationToken::new();
        let pin = self.sources.known(source).unwrap().tool(tool).unwrap().head.hash;
        let Ok(Checked::Same(allowed)) = self.sources.check((source, tool), pin, &cancel).await else {
            panic!("{tool} is another")
        };
        let called = allowed.call(&arguments, &self.hears, &cancel).await;
        called.unwrap_or_else(|e| panic!("{tool}: {e}"))
    }
}

/// A server that ends with its test.
struct Served(Child, String);

impl Drop for Served {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

fn served(folder: &Path) -> Served {
    // A port that was free a moment ago.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut command = Command::new("node");
    command.arg(entry(folder, "@modelcontextprotocol/server-everything")).arg("streamableHttp");
    command.env("PORT", port.to_string()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(lines.by_ref().any(|l| l.is_ok_and(|l| l.contains("listening on port"))));
    // What it says besides is read, or it would wait for us.
    drop(std::thread::spawn(move || lines.for_each(drop)));
    Served(child, format!("http://127.0.0.1:{port}/mcp"))
}

#[tokio::test(flavor = "multi_thread")]
async fn real_servers_list_and_answer_over_pipes_and_over_http() {
    let folder = match installed() {
        Ok(folder) => folder,
        Err(why) => {
            println!("not run: real MCP servers of the npm registry: {why}");
            return;
        }
    };
    let work = tempfile::tempdir().unwrap();
    let root = work.path().canonicalize().unwrap();
    std::fs::write(root.join("note.txt"), "a note\n").unwrap();
    let far = served(&folder);
    let everything = vec![entry(&folder, PACKAGES[0]), "stdio".into()];
    let files = vec![entry(&folder, PACKAGES[1]), root.to_string_lossy().into_owned()];
    let kept = root.join("memory.jsonl");
    let memory = node(vec![entry(&folder, PACKAGES[2])], &[("MEMORY_FILE_PATH", kept.to_str().unwrap())]);
    let all = vec![
        definition("everything", node(everything, &[])),
        definition("files", node(files, &[])),
        definition("memory", memory),
        definition("far", Reach::Http { url: far.1.clone(), headers: [].into() }),
    ];
    let desk = Desk::of(&root, all);
    for source in ["everything", "far"] {
        let tools = desk.tools(source).await;
        assert!(
            tools.iter().any(|t| t == "echo") && tools.iter().any(|t| t == "resources/read"),
            "{tools:?}"
        );
        let said = desk.call(source, "echo", json!({"message": "hello"})).await;
        assert!(!said.failed && said.text.contains("hello"), "{said:?}");
        let wrong = desk.call(source, "echo", json!({})).await;
        assert!(wrong.failed, "{wrong:?}");
        let catalog = desk.sources.known(source).unwrap();
        let (uri, _) = catalog.resources.first().cloned().unwrap();
        let read = desk.call(source, "resources/read", json!({"uri": uri})).await;
        assert!(!read.text.is_empty());
        let prompt = desk.call(source, "prompts/get", json!({"name": "simple-prompt"})).await;
        assert!(!prompt.text.is_empty());
        let slow = json!({"duration": 1, "steps": 3});
        desk.call(source, "trigger-long-running-operation", slow).await;
    }
    assert!(desk.hears.0.lock().unwrap().len() > 1, "it told how far it was");
    let tools = desk.tools("files").await;
    assert!(tools.iter().any(|t| t == "read_text_file"), "{tools:?}");
    let note = root.join("note.txt");
    let read = desk.call("files", "read_text_file", json!({"path": note})).await;
    assert!(!read.failed && read.text.contains("a note"), "{read:?}");
    let outside = desk.call("files", "read_text_file", json!({"path": "/etc/hostname"})).await;
    assert!(outside.failed, "{outside:?}");
    desk.tools("memory").await;
    let entities = json!({"entities": [{"name": "Ada", "entityType": "person", "observations": ["writes"]}]});
    desk.call("memory", "create_entities", entities).await;
    let graph = desk.call("memory", "read_graph", json!({})).await;
    assert!(graph.text.contains("Ada"), "{graph:?}");
    let processes = desk.sources.processes();
    assert_eq!(processes.len(), 3);
    desk.sources.stop_all().await;
    let left: Vec<&u32> = processes.iter().filter(|p| Path::new(&format!("/proc/{p}")).exists()).collect();
    assert!(left.is_empty(), "{left:?}");
    println!("real MCP servers: checked=4 violations=0");
}
