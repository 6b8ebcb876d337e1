//! Who may do what: the one gate against a table written by hand, and answers that race.

use pilothouse_core::{
    blob::{BlobId, Excerpt},
    checkpoint::CheckpointKind,
    event::{CallHead, Event, Stamped},
    ids::{ApprovalId, CallId, GateId, LaneId, Millis, RunId, Seq, TaskId, TurnId},
    input::Input,
    intent::{IntentNode, Phase},
    plan::PlanDraft,
    scope::{PermissionMode, ToolScope},
    session::{ChildWork, LaneKind},
    source::SourceTool,
    talk::{Finish, ModelCall, ModelReply, Usage},
    tool::{ReadCall, Tool},
    work::Work,
};
use serde_json::json;

use crate::support::*;

/// A lane as the table names it.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Row {
    Answer,
    Named,
    Beside,
    Planning,
    Task,
    Goal,
    Gate,
    Repair,
    Child,
}

const ROWS: [Row; 9] = [
    Row::Answer,
    Row::Named,
    Row::Beside,
    Row::Planning,
    Row::Task,
    Row::Goal,
    Row::Gate,
    Row::Repair,
    Row::Child,
];

const TOOLS: [Tool; 7] =
    [Tool::List, Tool::Read, Tool::Search, Tool::Edit, Tool::Write, Tool::Delete, Tool::Run];

/// How the gate must decide: a letter a tool, in the order of [`TOOLS`]; `r` runs, `a` asks the
/// user, `x` is refused. Nodes: `t` talk, `l` look (analyze, plan, act, read), `e` execute, `w` write.
const TABLE: [(ToolScope, Row, &str, &str, &str, &str); 24] = [
    // ceiling                          t          l          e          w
    (ToolScope::DELETE, Row::Answer, "rrraaaa", "rrraaaa", "rrraaaa", "rrrrrra"),
    (ToolScope::DELETE, Row::Named, "xxxxxxx", "rrrxxxx", "rrrxxxa", "rrrrrra"),
    (ToolScope::DELETE, Row::Beside, "rrrxxxx", "rrrxxxx", "rrrxxxx", "rrrxxxx"),
    (ToolScope::DELETE, Row::Planning, "rrrxxxx", "rrrxxxx", "rrrxxxx", "rrrxxxx"),
    (ToolScope::DELETE, Row::Task, "rrrxxxa", "rrrxxxa", "rrrxxxa", "rrrrrra"),
    (ToolScope::DELETE, Row::Goal, "rrraaaa", "rrraaaa", "rrraaaa", "rrrrrra"),
    (ToolScope::DELETE, Row::Gate, "rrrxxxa", "rrrxxxa", "rrrxxxa", "rrrrrra"),
    (ToolScope::DELETE, Row::Repair, "rrrxxxa", "rrrxxxa", "rrrxxxa", "rrrrrra"),
    (ToolScope::DELETE, Row::Child, "rrrxxxx", "rrrxxxx", "rrrxxxx", "rrrxxxx"),
    (ToolScope::WORKSPACE, Row::Answer, "rrraaax", "rrraaax", "rrraaax", "rrrrrrx"),
    (ToolScope::WORKSPACE, Row::Named, "xxxxxxx", "rrrxxxx", "rrrxxxx", "rrrrrrx"),
    (ToolScope::WORKSPACE, Row::Beside, "rrrxxxx", "rrrxxxx", "rrrxxxx", "rrrxxxx"),
    (ToolScope::WORKSPACE, Row::Task, "rrrxxxx", "rrrxxxx", "rrrxxxx", "rrrrrrx"),
    (ToolScope::WORKSPACE, Row::Repair, "rrrxxxx", "rrrxxxx", "rrrxxxx", "rrrrrrx"),
    (ToolScope::EXECUTE, Row::Child, "rrrxxxx", "rrrxxxx", "rrrxxxx", "rrrxxxx"),
    (ToolScope::EXECUTE, Row::Answer, "rrrxxxa", "rrrxxxa", "rrrxxxa", "rrrxxxa"),
    (ToolScope::EXECUTE, Row::Named, "xxxxxxx", "rrrxxxx", "rrrxxxa", "rrrxxxa"),
    (ToolScope::EXECUTE, Row::Beside, "rrrxxxx", "rrrxxxx", "rrrxxxx", "rrrxxxx"),
    (ToolScope::EXECUTE, Row::Task, "rrrxxxa", "rrrxxxa", "rrrxxxa", "rrrxxxa"),
    (ToolScope::EXECUTE, Row::Goal, "rrrxxxa", "rrrxxxa", "rrrxxxa", "rrrxxxa"),
    (ToolScope::EXECUTE, Row::Gate, "rrrxxxa", "rrrxxxa", "rrrxxxa", "rrrxxxa"),
    (ToolScope::DISCOVERY, Row::Answer, "rxxxxxx", "rxxxxxx", "rxxxxxx", "rxxxxxx"),
    (ToolScope::DISCOVERY, Row::Child, "rxxxxxx", "rxxxxxx", "rxxxxxx", "rxxxxxx"),
    (ToolScope::DISCOVERY, Row::Task, "rxxxxxx", "rxxxxxx", "rxxxxxx", "rxxxxxx"),
];

fn forge(b: &mut Bench, event: Event) {
    let seq = Seq(b.session.state().seq.0 + 1);
    b.session.apply(&Stamped { seq, at: Millis(1), run: None, event });
}

/// A session with one lane of this kind at this node under this ceiling, its model being asked.
fn with(row: Row, node: IntentNode, ceiling: ToolScope, permission: PermissionMode) -> Bench {
    let mut b = Bench::new();
    let (turn, lane) = (TurnId(100), LaneId(101));
    forge(&mut b, Event::PermissionChanged { permission, chat_only: false });
    forge(&mut b, Event::TurnStarted { turn, text: pilothouse_core::blob::Excerpt::default(), branch: None });
    let plan = r#"{"title":"P","tasks":[{"title":"A"}],"gates":[{"name":"t","command":"make"}]}"#;
    let kind = match row {
        Row::Answer | Row::Named | Row::Beside => LaneKind::Answer,
        Row::Planning => LaneKind::Planning,
        Row::Task => LaneKind::Task(TaskId(1)),
        Row::Goal => LaneKind::Goal,
        Row::Gate => LaneKind::Gate(GateId(1)),
        Row::Repair => LaneKind::Repair(GateId(1)),
        Row::Child => LaneKind::Child(LaneId(104)),
    };
    let to = match row {
        Row::Answer | Row::Named | Row::Child => Phase::Idle,
        Row::Planning => Phase::Planning,
        Row::Beside | Row::Task | Row::Goal | Row::Gate | Row::Repair => Phase::Executing,
    };
    if !matches!(row, Row::Answer | Row::Named | Row::Planning | Row::Goal | Row::Child) {
        let plan = serde_json::from_str::<PlanDraft>(plan).unwrap().build(turn, 1).unwrap();
        forge(&mut b, Event::PlanReady { plan });
    }
    forge(&mut b, Event::PhaseChanged { from: Phase::Idle, to });
    if to == Phase::Executing {
        forge(
            &mut b,
            Event::RunStarted { run: RunId(102), turn: TurnId(99), approval: Some(ApprovalId(103)) },
        );
    }
    if row == Row::Beside {
        let kind = LaneKind::Task(TaskId(1));
        let (other, ceiling) = (LaneId(104), ToolScope::DELETE);
        forge(&mut b, Event::LaneOpened { lane: other, kind, turn, node, ceiling, fixed: false });
        forge(&mut b, Event::ThinkingStarted { call: CallId(105), lane: other });
    }
    if row == Row::Child {
        delegating(&mut b, turn, lane);
    }
    let fixed = row == Row::Named;
    forge(&mut b, Event::LaneOpened { lane, kind, turn, node, ceiling, fixed });
    forge(&mut b, Event::ThinkingStarted { call: CallId(106), lane });
    b
}

/// Another lane, which may everything, hands a task on to this one.
fn delegating(b: &mut Bench, turn: TurnId, child: LaneId) {
    let (lane, call, asked, ceiling) = (LaneId(104), CallId(107), CallId(105), ToolScope::DELETE);
    let (kind, node) = (LaneKind::Answer, IntentNode::Modify);
    forge(b, Event::LaneOpened { lane, kind, turn, node, ceiling, fixed: false });
    forge(b, Event::ThinkingStarted { call: asked, lane });
    let args = json!({"tasks": [{"task": "look"}]}).to_string();
    let calls = vec![ModelCall { id: "d".into(), name: "delegate".into(), args: args.clone() }];
    let head = calls.into_iter().map(|c| CallHead {
        call,
        provider: c.id,
        name: c.name,
        args: Excerpt::up_to(6_000, c.args, &mut Vec::new()),
        read: ReadCall::default(),
    });
    let calls = head.collect();
    forge(
        b,
        Event::MessageCompleted {
            turn,
            lane,
            call: asked,
            text: Excerpt::default(),
            reasoning: Excerpt::default(),
            intermediate: true,
            calls,
            usage: Usage::default(),
            finish: Finish::Calls,
            model: String::new(),
            cut: false,
            echo: None,
        },
    );
    let (tool, args) = (Tool::Delegate, BlobId::of(args.as_bytes()));
    let (subject, epoch) = ("look".to_owned(), 0);
    let (approval, confine, ruling) = (None, None, None);
    forge(b, Event::CallStarted { call, lane, tool, subject, args, epoch, approval, confine, ruling });
    forge(
        b,
        Event::ChildStarted {
            lane: child,
            call,
            work: ChildWork::Search,
            task: Excerpt::default(),
            agent: None,
        },
    );
}

/// What the gate does with a call of this tool.
fn decided(b: &mut Bench, tool: Tool) -> char {
    let args = match tool {
        Tool::Edit => edit_of("a.txt"),
        Tool::Write => json!({"path": "a.txt", "content": "y"}),
        Tool::Search => json!({"path": "a.txt", "pattern": "x"}),
        Tool::Run => json!({"command": "make"}),
        Tool::SourceTools => json!({}),
        Tool::SourceCall => json!({"tool": "s__act"}),
        Tool::List | Tool::Read | Tool::Delete => json!({"path": "a.txt"}),
        _ => unreachable!("not in the table"),
    }
    .to_string();
    let calls = vec![ModelCall { id: "x".into(), name: tool.name().into(), args }];
    let reply = ModelReply { calls, ..ModelReply::default() };
    b.input(Input::Replied { call: CallId(106), reply: Ok(reply) }).unwrap();
    let runs = b.session.pending().values().any(|w| matches!(w, Work::Tool { .. }));
    let asks = b.session.state().open.values().any(|c| {
        matches!(c.kind, CheckpointKind::Risk(_) | CheckpointKind::Source(_) | CheckpointKind::Transition(_))
    });
    match (runs, asks) {
        (true, false) => 'r',
        (false, true) => 'a',
        (false, false) => 'x',
        (true, true) => panic!("{tool:?} runs and asks"),
    }
}

/// A tool of a source that may change something, or that says that it reads, with the user's leave or without.
fn seen(b: &mut Bench, reads: bool, free: bool) {
    let (name, about, hash) = ("act".to_owned(), String::new(), BlobId::of(b"1"));
    let tool =
        SourceTool { name, about, hash, reads, free, hides: false, required: Vec::new(), changed: false };
    forge(b, Event::SourceSeen { source: "s".to_owned(), tools: vec![tool], gone: Vec::new() });
}

#[test]
fn a_source_s_tool_is_held_like_a_command_unless_server_and_user_say_that_it_reads() {
    let mut checked = 0;
    for node in IntentNode::ALL {
        for row in ROWS {
            for ceiling in [ToolScope::DELETE, ToolScope::READ_ONLY, ToolScope::NONE] {
                for permission in [PermissionMode::Ask, PermissionMode::Auto, PermissionMode::ReadOnly] {
                    if permission == PermissionMode::ReadOnly && ceiling == ToolScope::DELETE {
                        continue;
                    }
                    let of = |tool, known: Option<(bool, bool)>| {
                        let mut b = with(row, node, ceiling, permission);
                        if let Some((reads, free)) = known {
                            seen(&mut b, reads, free);
                        }
                        decided(&mut b, tool)
                    };
                    let place = format!("{row:?} at {node} under {ceiling:?}, {permission:?}");
                    assert_eq!(of(Tool::SourceCall, None), 'x', "what was not seen: {place}");
                    for known in [(false, false), (false, true), (true, false)] {
                        let (got, run) = (of(Tool::SourceCall, Some(known)), of(Tool::Run, None));
                        let asks = permission == PermissionMode::Auto && run == 'r' && got == 'a';
                        let gate = got == 'x' && matches!(row, Row::Gate | Row::Planning);
                        assert!(got == run || asks || gate, "{known:?} {got}, a command {run}: {place}");
                        checked += 1;
                    }
                    let (read, search) = (of(Tool::SourceCall, Some((true, true))), of(Tool::Search, None));
                    assert!(read == search || row == Row::Child && read == 'x', "{read} {search}: {place}");
                }
            }
        }
    }
    assert_eq!(checked, 17 * 9 * 8 * 3);
}

fn column(node: IntentNode) -> usize {
    match node.name() {
        "conversation" | "understand" | "clarify" | "explain" => 0,
        "execute" => 2,
        "write" | "create" | "modify" | "delete" => 3,
        _ => 1,
    }
}

#[test]
fn every_tool_in_every_lane_at_every_node_is_decided_as_the_table_says() {
    let mut checked = 0;
    let mut check = |row, node, ceiling, permission, wanted: &str| {
        for (tool, wanted) in TOOLS.into_iter().zip(wanted.chars()) {
            let got = decided(&mut with(row, node, ceiling, permission), tool);
            assert_eq!(got, wanted, "{tool:?} in {row:?} at {node} under {ceiling:?}, {permission:?}");
            checked += 1;
        }
    };
    for node in IntentNode::ALL {
        for (ceiling, row, talk, look, execute, write) in TABLE {
            let wanted = [talk, look, execute, write][column(node)];
            check(row, node, ceiling, PermissionMode::Ask, wanted);
            if ceiling == ToolScope::DELETE {
                // Auto waives the question of medium risk, never the scope: what a message did not ask
                // for takes an answer in every mode, and here no message asked for anything. A gate asks
                // until the folder is trusted.
                let (tools, run) = wanted.split_at(6);
                let run = if row == Row::Gate { run.to_owned() } else { run.replace('a', "r") };
                let waived = format!("{tools}{run}");
                check(row, node, ceiling, PermissionMode::Auto, &waived);
            }
        }
        for row in ROWS {
            let named = row == Row::Named && column(node) == 0;
            let reading = if named { "xxxxxxx" } else { "rrrxxxx" };
            check(row, node, ToolScope::READ_ONLY, PermissionMode::ReadOnly, reading);
            check(row, node, ToolScope::NONE, PermissionMode::Ask, "xxxxxxx");
        }
    }
    assert_eq!(checked, 17 * 7 * (24 + 9 + 2 * 9));
}
