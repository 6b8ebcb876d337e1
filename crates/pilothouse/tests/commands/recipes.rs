//! Skills, commands and agents through the program itself: listed, called, trusted, refused, checked.
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, clippy::indexing_slicing)]

use std::fs;

use serde_json::{Value, json};

use crate::support::{
    Desk,
    server::{Server, Turn},
};

const SKILL: &str =
    "---\nname: deploy\ndescription: Deploys the service\nallowed-tools: Read\n---\nShip $ARGUMENTS.\n";

fn put(desk: &Desk, name: &str, text: &str) {
    let path = desk.path().join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn own(desk: &Desk, name: &str, text: &str) {
    let path = desk.home.path().join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn say(text: &'static str) -> Turn {
    Turn::Say(text, vec![])
}

fn call(name: &'static str, args: Value) -> Turn {
    Turn::Say("", vec![(name, args)])
}

/// What a command prints, and its exit code.
fn prints(desk: &Desk, args: &[&str], code: i32, said: &[&str]) {
    let ended = desk.go(args).with(code);
    for text in said {
        assert!(ended.out.contains(text), "{text:?} is not in {}", ended.out);
    }
}

/// All that a request says.
fn whole(server: &Server, number: usize) -> String {
    let requests = server.requests();
    let all = requests[number]["messages"].as_array().unwrap().iter();
    all.map(|m| m["content"].as_str().unwrap_or_default().to_owned()).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_project_s_skill_reaches_nobody_before_it_is_trusted() {
    let desk = Desk::new();
    put(&desk, ".claude/skills/deploy/SKILL.md", SKILL);
    put(&desk, ".claude/skills/deploy/references/how.md", "the inner how\n");
    let read = |file: &str| call("read", json!({"path": format!("skill:deploy/{file}")}));
    let server = Server::start(vec![read("SKILL.md"), read("references/how.md"), say("Done.")]);
    let ended = desk.ask(&server.base, &["run", "where is find_notes?"]).with(0);
    assert!(ended.err.contains("inactive, because this folder is not trusted"), "{}", ended.err);
    let told = whole(&server, 2);
    assert!(!told.contains("Deploys") && !told.contains("Ship") && !told.contains("inner how"), "{told}");
    assert!(told.contains("there is no skill deploy; there are: explain-repository"), "{told}");
    desk.go(&["run", "/deploy now"]).with(2).tells(&["/deploy cannot be used", "this folder is not trusted"]);
    let server = Server::start(vec![read("SKILL.md"), read("references/how.md"), say("Done.")]);
    desk.ask(&server.base, &["run", "where is find_notes?", "--trust"]).with(0);
    let told = whole(&server, 2);
    assert!(told.contains("- deploy: Deploys the service") && told.contains("the inner how"), "{told}");
    let server = Server::start(vec![call("write", json!({"path": "a", "content": "b"})), say("Done.")]);
    let ended = desk.ask(&server.base, &["run", "/deploy now", "--trust"]).with(0);
    assert!(ended.err.contains("skill deploy (project, .claude/skills/deploy/SKILL.md)"), "{}", ended.err);
    let told = whole(&server, 1);
    assert!(told.contains("<skill name=\"deploy\">\nShip now.\n</skill>"), "{told}");
    assert!(told.contains("the skill `deploy` keeps to Read") && !desk.path().join("a").exists(), "{told}");
}

#[test]
fn an_agent_of_the_user_directs_a_message_and_what_is_broken_is_said_at_the_start() {
    let desk = Desk::new();
    own(
        &desk,
        "agents/auditor/AGENT.md",
        "---\nname: Auditor\ndescription: d\ntools: Read\nmodel: other\n---\nBe careful.\n",
    );
    own(&desk, "skills/bad/SKILL.md", "---\nname: bad\n---\nb\n");
    let server = Server::start(vec![say("It is in src/search.rs.")]);
    let ended = desk.ask(&server.base, &["run", "@auditor where is find_notes?"]).with(0);
    let told = whole(&server, 0);
    assert!(
        told.contains(
            "<agent name=\"auditor\">\nfor this message you are this agent:\nBe careful.\n</agent>"
        ),
        "{told}"
    );
    for said in
        ["bad/SKILL.md:1:1: missing field `description`", "asks for the model other, which is not configured"]
    {
        assert!(ended.err.contains(said), "{}", ended.err);
    }
    prints(&desk, &["run", "/help"], 0, &["/write-tests", "(shipped)", "@auditor"]);
}

#[test]
fn validate_names_file_line_and_column_of_what_is_wrong() {
    let desk = Desk::new();
    prints(&desk, &["validate"], 0, &["0 with mistakes"]);
    // What lies beside a skill's text is the skill's, whatever its folders are called.
    put(&desk, ".agents/skills/maker/SKILL.md", "---\nname: maker\ndescription: d\n---\nb\n");
    put(&desk, ".agents/skills/maker/agents/grader.md", "Grade it.\n");
    prints(&desk, &["validate"], 0, &["1 file checked, 0 with mistakes"]);
    put(&desk, ".claude/commands/fix.md", "---\ndescription: [a]\n---\nFix.\n");
    put(&desk, ".agents/skills/x1/SKILL.md", "---\nname: x1\ndescription: d\n---\na\u{200b}b\n");
    put(&desk, ".pilothouse/agents/judge.md", "---\nname: judge\ndescription: d\nscope: all\n---\nb\n");
    put(&desk, ".pilothouse/permissions.toml", "[[deny]]\nread = 3\n");
    own(&desk, "config.toml", "[model]\nnmae = \"x\"\n");
    own(&desk, "keymap.toml", "[composer]\nsend = \"no-such-key\"\n");
    let wrong = [
        ".claude/commands/fix.md:2:14: `description`: invalid type",
        ".agents/skills/x1/SKILL.md:5:2: a character is hidden here (U+200B)",
        ".pilothouse/agents/judge.md:4:8: `scope`: expected how far it goes",
        ".pilothouse/permissions.toml:2:",
        "config.toml:2:",
        "keymap.toml:2:",
        "6 with mistakes",
    ];
    prints(&desk, &["validate"], 2, &wrong);
    prints(&desk, &["validate", ".claude/commands/fix.md"], 2, &["1 file checked"]);
    prints(&desk, &["validate", "--json", ".agents"], 2, &["\"line\":5"]);
    desk.go(&["validate", "src/main.rs"])
        .with(2)
        .tells(&["it is no skill, agent, command or configuration file"]);
    let sources = desk.path().join(".pilothouse/sources/thing");
    fs::create_dir_all(&sources).unwrap();
    fs::write(sources.join("config.json"), "{\n  \"comand\": 1\n}").unwrap();
    fs::write(desk.path().join(".mcp.json"), "{\"mcpServers\": {\n \"x\": {}}}").unwrap();
    let wrong = [".pilothouse/sources/thing/config.json:2:10: unknown field", ".mcp.json:2:", "a `url`"];
    prints(&desk, &["validate"], 2, &wrong);
    prints(&desk, &["validate", ".mcp.json"], 2, &["1 file checked, 1 with mistakes"]);
    desk.go(&["validate", "nowhere"]).with(1).tells(&["nowhere"]);
}

const STAGES: &str = "{\"stages\": [{\"name\": \"ask\", \"kind\": \"llm\", \"gives\": \"analysis\"},\n{\"name\": \"output\", \"kind\": \"render\"}]}";

#[test]
fn agents_with_stages_are_checked_and_listed_like_the_others() {
    let desk = Desk::new();
    prints(&desk, &["agents", "validate"], 0, &["0 files checked"]);
    own(&desk, "agents/mine/config.json", "{\"stages\": [\n{\"name\": \"a\"}]}");
    own(&desk, "agents/mine/AGENT.md", "---\ndescription: d\n---\nb\n");
    own(&desk, "agents/bare/config.json", STAGES);
    own(&desk, "agents/bare/prompts/stage-other.md", "What?");
    put(&desk, ".claude/agents/judge.md", "---\nname: judge\ndescription: Judges.\n---\nb\n");
    let wrong = [
        "agents/bare/config.json:1:1: prompts/stage-ask.md: the stage `ask` has nothing to ask",
        "agents/bare/prompts/stage-other.md:1:1: there is no stage of that name",
        "agents/mine/config.json:2:13: missing field `kind`",
        "5 files checked, 3 with mistakes",
    ];
    prints(&desk, &["agents", "validate"], 2, &wrong);
    prints(&desk, &["validate"], 2, &wrong[..3]);
    own(&desk, "agents/mine/config.json", STAGES);
    own(&desk, "agents/mine/prompts/stage-ask.md", "Ask.");
    let listed =
        ["@research", "shipped", "stages: Take the question apart (then asks you), Calibrate", "@mine"];
    prints(&desk, &["agents", "list"], 0, &listed);
    let ended = desk.go(&["agents", "list", "--json"]).with(0);
    let lines: Vec<Value> = ended.out.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let of = |name: &str| lines.iter().find(|l| l["name"] == name).unwrap();
    assert_eq!(of("mine")["pipeline"]["stages"][0]["name"], "ask");
    assert_eq!(of("judge")["origin"], "project");
    assert!(of("judge")["fault"]["what"].as_str().unwrap().contains("not trusted"));
    prints(&desk, &["skills", "list"], 0, &["/write-tests", "at most: "]);
    desk.go(&["agents", "run", "nobody", "x"])
        .with(2)
        .tells(&["there is no agent `nobody`; there are: mine"]);
    desk.go(&["agents", "run", "judge", "x"]).with(2).tells(&["the agent `judge` cannot be used"]);
    let server = Server::start(vec![say("It is in src/search.rs.")]);
    let ended =
        desk.ask(&server.base, &["agents", "run", "judge", "where is find_notes?", "--trust"]).with(0);
    assert!(ended.err.contains("judge"), "{}", ended.err);
    assert!(whole(&server, 0).contains("<agent name=\"judge\">"));
}

#[test]
fn an_agent_s_model_is_asked_where_it_is_configured() {
    let desk = Desk::new();
    own(
        &desk,
        "config.toml",
        "[model.also.fast]\nname = \"small-1\"\n[model.also.far]\npreset = \"nowhere\"\n",
    );
    own(&desk, "agents/quick.md", "---\nname: quick\ndescription: d\nmodel: fast\n---\nBe brief.\n");
    own(&desk, "agents/auditor.md", "---\nname: auditor\ndescription: d\nmodel: other\n---\nBe careful.\n");
    let server = Server::answering(|request| {
        let told = request["messages"].to_string();
        let child = !request["tools"].to_string().contains("\"delegate\"");
        Some(if child || told.contains("1 report") || !told.contains("careful") {
            say("It is in src/search.rs.")
        } else {
            call("delegate", json!({"tasks": [{"kind": "quick", "task": "find fn score"}]}))
        })
    });
    let ended = desk.ask(&server.base, &["run", "@quick where is find_notes?"]).with(0);
    assert!(!ended.err.contains("not configured"), "{}", ended.err);
    assert!(ended.err.contains("[model.also.far] has no effect"), "{}", ended.err);
    let ended = desk.ask(&server.base, &["run", "@auditor where is find_notes?"]).with(0);
    assert!(ended.err.contains("add it as [model.also.other] in config.toml"), "{}", ended.err);
    let models: Vec<String> =
        server.requests().iter().map(|r| r["model"].as_str().unwrap().to_owned()).collect();
    let ours = &models[1];
    assert_eq!(models, ["small-1", ours, "small-1", ours]);
    assert_ne!(ours, "small-1");
    let shown = desk.ask(&server.base, &["config", "show"]).with(0);
    assert!(shown.out.contains("also         fast: small-1 at http://127.0.0.1"), "{}", shown.out);
}
