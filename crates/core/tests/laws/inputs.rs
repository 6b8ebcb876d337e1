//! What may be put in: anything that a user, a model or the machine could say, drawn by lot.

use super::*;

/// A small generator with a fixed seed, so that a failure can be run again.
pub(super) struct Dice(pub(super) u64);

impl Dice {
    pub(super) fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % sides as u64).unwrap()
    }

    pub(super) fn pick<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.roll(of.len())].clone()
    }
}

pub(super) const LINES: [&str; 51] = [
    "@research what is a.txt?",
    "@research why does it fail?",
    "/research",
    "something else",
    "1",
    "2",
    "banana",
    "too many steps",
    "stop. create it instead",
    "/exit",
    "go on",
    "respond",
    "c",
    "/ask",
    "fix the greeting",
    "create a file",
    "delete the old file",
    "where is main?",
    "run the tests",
    "y",
    "n",
    "q",
    "stop",
    "a",
    "s",
    "m",
    "r",
    "p",
    "1",
    "also add a test",
    "@explain this",
    "@modify that",
    "/chat",
    "/auto",
    "/reset",
    "/redo",
    "/plan import plan.md",
    "/plan export",
    "/replan",
    "/compact",
    "/title",
    "/title again",
    "/context",
    "/undo",
    "/trust",
    "/trust off",
    "!ls",
    "!make",
    "!!make",
    "!!rm -rf /",
    "",
];

pub(super) fn calls(dice: &mut Dice) -> Vec<ModelCall> {
    let all = [
        ("read", r#"{"path":"a.txt"}"#),
        ("search", r#"{"pattern":"x"}"#),
        ("edit", r#"{"path":"a.txt","edits":[{"old":"1","new":"2"}]}"#),
        ("write", r#"{"path":"b.txt","content":"x"}"#),
        ("delete", r#"{"path":"c.txt"}"#),
        ("run", r#"{"command":"cargo test"}"#),
        ("run", r#"{"command":"rm -rf /"}"#),
        ("run", r#"{"command":"git status"}"#),
        ("run", r#"{"command":"git status","network":true,"reason":"why"}"#),
        ("run", r#"{"command":"cargo test","outside":true,"reason":"why"}"#),
        ("run", r#"{"command":"cargo build"}"#),
        ("run", r#"{"command":"rm x"}"#),
        ("read", r#"{"path":"secrets/key"}"#),
        ("run", "{}"),
        ("request_path", r#"{"node":"modify","reason":"because"}"#),
        ("request_path", r#"{"node":"read","reason":"because"}"#),
        ("request_path", r#"{"node":"delete","reason":"because"}"#),
        ("commit_message", r#"{"message":"Take empty lists"}"#),
        ("change_gate", r#"{"gate":"t","command":"cargo check","reason":"because"}"#),
        ("ask_user", r#"{"question":"Which?","choices":["a","b"]}"#),
        (
            "submit_plan",
            r#"{"title":"P","tasks":[{"title":"A","kind":"modify"},{"title":"B","kind":"delete","after":[1]}],"gates":[{"name":"t","command":"make"}]}"#,
        ),
        ("submit_plan", r#"{"title":"P","tasks":[]}"#),
        (
            "delegate",
            r#"{"tasks":[{"kind":"review","task":"a"},{"task":"b"},{"task":"c"},{"task":"d"},{"task":"e"}]}"#,
        ),
        ("delegate", r#"{"tasks":[{"kind":"verify","task":"a"}]}"#),
        ("nonsense", "{"),
    ];
    let count = dice.pick(&[0, 0, 0, 1, 1, 2, 3]);
    (0..count)
        .map(|i| {
            let (name, args) = dice.pick(&all);
            ModelCall { id: format!("p{i}"), name: name.into(), args: args.into() }
        })
        .collect()
}

pub(super) fn answer(dice: &mut Dice) -> Answer {
    dice.pick(&[
        Answer::Approve,
        Answer::Approve,
        Answer::Word("proceed".into()),
        Answer::Reject(String::new()),
        Answer::Reject("no".into()),
        Answer::Abort,
        Answer::Pick(0),
        Answer::Pick(7),
        Answer::Text("create it".into()),
        Answer::AutoFix,
        Answer::Skip,
        Answer::Manual,
        Answer::Retry,
        Answer::Again,
        Answer::Replan,
        Answer::Respond,
        Answer::Continue,
        Answer::Line("make -k".into()),
        Answer::Line("rm -rf ~".into()),
        Answer::Line(" ".into()),
        Answer::Grant { rules: vec!["allow command cargo test".into()], lasting: false },
        Answer::Grant { rules: vec!["allow command cargo".into()], lasting: true },
        Answer::Grant { rules: vec!["allow command rm".into()], lasting: true },
    ])
}

/// Something that could arrive now: mostly what the state waits for, sometimes nonsense.
pub(super) fn input(dice: &mut Dice, session: &Session) -> Input {
    let state = session.state();
    let work: Vec<Work> = session.pending().into_values().collect();
    match dice.roll(10) {
        0..=3 if !work.is_empty() => {
            let one = dice.pick(&work);
            world(dice, &one)
        }
        4 | 5 if !state.open.is_empty() => {
            let list: Vec<_> = state.open.values().cloned().collect();
            let question = dice.pick(&list);
            let shown = question.kind.shown().filter(|_| dice.roll(8) > 0);
            Input::Answer { checkpoint: question.id, answer: answer(dice), shown }
        }
        6 | 7 if state.open_proposals().next().is_some() => {
            let list: Vec<_> = state.open_proposals().cloned().collect();
            let p = dice.pick(&list);
            about_change(dice, &p)
        }
        8 => {
            let places =
                dice.pick(&[Pause::FirstWrite, Pause::FailedGate, Pause::Lines(0), Pause::Micros(0)]);
            let ledger = state.ledger();
            let last = ledger.last().copied().unwrap_or_default();
            let to = ledger.get(dice.roll(3)).copied().unwrap_or_default();
            let wrote = |id: &ApplyId| Some((state.applies().get(id)?.files.first()?.path.clone(), *id));
            let back = ledger.iter().rev().find_map(wrote);
            let back = back.map_or(Input::Undo, |(path, id)| Input::UndoFile { path, writes: vec![id] });
            let (step, on) = (Pause::Step(TaskId(dice.roll(3) as u64)), dice.roll(4) > 0);
            let again = TaskId(dice.roll(3) as u64);
            dice.pick(&[
                Input::Cancel,
                Input::Undo,
                Input::UndoTo { to, last },
                back,
                Input::Redo,
                Input::Up,
                Input::SetPermission(PermissionMode::ReadOnly),
                Input::SetPermission(PermissionMode::Ask),
                Input::SetPermission(PermissionMode::Auto),
                Input::Queue("fix another".into()),
                Input::SetPause(places, true),
                Input::SetPause(step, on),
                Input::Rerun(again),
            ])
        }
        _ => Input::say(dice.pick(&LINES)),
    }
}

/// What is said about a change that waits.
fn about_change(dice: &mut Dice, p: &pilothouse_core::proposal::Proposal) -> Input {
    match dice.roll(6) {
        0 => Input::Decide {
            proposal: p.id,
            hunk: dice.roll(2),
            decision: dice.pick(&[None, Some(Decision::Taken), Some(Decision::Left)]),
            shown: p.shown(),
        },
        1 => Input::Skip { proposals: vec![p.id], reason: "why".into() },
        2 if dice.roll(3) == 0 => {
            let (from, decision) = (dice.roll(3), dice.pick(&[None, Some(Decision::Taken)]));
            let lines = from..from + 1 + dice.roll(2);
            Input::DecideLines { proposal: p.id, hunk: dice.roll(2), lines, decision, shown: p.shown() }
        }
        2 if dice.roll(2) == 0 => Input::Split { proposal: p.id, hunk: dice.roll(2), shown: p.shown() },
        2 => Input::Up,
        _ => Input::Apply {
            proposals: vec![(p.id, p.shown())],
            word: dice.pick(&[None, Some("delete".to_owned())]),
            rest: dice.roll(2) == 0,
        },
    }
}

/// What a later tier may think, right or wrong.
pub(super) fn opinions() -> Vec<Option<TierAnswer>> {
    let of = |turn, node, confidence| {
        Some(TierAnswer {
            turn: Some(turn),
            path: Some(IntentPath::to(node)),
            target: None,
            confidence,
            sub_confidence: 0.0,
            source: Source::Llm,
            reasoning: "so".into(),
            firm: false,
        })
    };
    vec![
        None,
        of(Turn::Query(None), IntentNode::Explain, 0.95),
        of(Turn::PlanNew(None), IntentNode::Modify, 0.95),
        of(Turn::PlanNew(None), IntentNode::Delete, 0.9),
        of(Turn::PlanNew(None), IntentNode::Execute, 0.9),
        of(Turn::PlanContinue, IntentNode::Modify, 0.4),
        of(Turn::Control(Control::Approve), IntentNode::Conversation, 0.9),
        of(Turn::Control(Control::Cancel), IntentNode::Conversation, 0.99),
        of(Turn::Control(Control::Help), IntentNode::Conversation, 0.9),
    ]
}

#[expect(clippy::too_many_lines, reason = "one input after the other")]
pub(super) fn world(dice: &mut Dice, work: &Work) -> Input {
    let broken = || WriteFault { message: "disk full".into(), stale: false, rebased: Vec::new() };
    match work {
        Work::Classify { turn, vectors, model, .. } => {
            let asked = *vectors || *model;
            let text = dice.pick(&LINES).to_owned();
            let opinion = if asked { dice.pick(&opinions()) } else { None };
            let faults = if asked && opinion.is_none() { vec!["silent".to_owned()] } else { Vec::new() };
            let said = TiersAnswered { text, opinion, faults, usage: Usage { input: 3, ..Usage::default() } };
            Input::TiersAnswered { turn: *turn, said: Box::new(said) }
        }
        Work::Think { call, .. } => {
            let reply = ModelReply {
                text: dice
                    .pick(&[
                        "",
                        "done",
                        "done",
                        r#"{"mode":"command","command":"make"}"#,
                        r#"{"mode":"x"}"#,
                        r#"{"sub_queries":["a"],"summary":"b"}"#,
                    ])
                    .into(),
                calls: calls(dice),
                ..ModelReply::default()
            };
            let fault = Fault {
                kind: FaultKind::Stalled,
                message: "silent".into(),
                hint: String::new(),
                status: None,
            };
            match dice.roll(24) {
                0 | 1 => Input::Replied { call: *call, reply: Err(fault) },
                2 => Input::BrokenOff { call: *call, partial: Box::new(reply), fault },
                3 => Input::Crowded { call: *call },
                _ => Input::Replied { call: *call, reply: Ok(reply) },
            }
        }
        Work::Tool { permit, .. } => {
            let outcome = match permit.tool() {
                Tool::Edit => proposing("a.txt", "1\n2\n", "1\n3\n"),
                Tool::Write => proposing("b.txt", "", "x\n"),
                Tool::Delete => proposing("c.txt", "x\n", ""),
                Tool::Run if dice.roll(8) == 0 => {
                    ToolOutcome { changed: Some("it changed".into()), ..ToolOutcome::failure("changed") }
                }
                Tool::Run => {
                    let (before, after) = (tree(0), tree(dice.roll(2)));
                    let trees = dice.pick(&[None, Some(Trees { before, after })]);
                    ToolOutcome { trees, ..exited(dice.pick(&[0, 0, 1]), "out") }
                }
                Tool::Read if dice.roll(4) == 0 => held(dice.pick(&[Outcome::Ask, Outcome::Refuse])),
                _ => ToolOutcome::text("text", "1 line"),
            };
            if dice.roll(15) == 0 {
                return Input::Panicked { call: Some(permit.call()), apply: None, message: "boom".into() };
            }
            Input::ToolEnded { call: permit.call(), outcome }
        }
        Work::Prepare { apply, changes } => {
            let files = changes
                .iter()
                .map(|t| pilothouse_core::event::FileChange {
                    proposal: t.proposal,
                    path: t.path.clone(),
                    kind: t.kind,
                    before: t.before,
                    after: t.after,
                    mode: None,
                    added: 0,
                    removed: 0,
                    lines: 0,
                    rest: None,
                    changes: Vec::new(),
                })
                .collect();
            let files = if dice.roll(6) == 0 { Err(broken()) } else { Ok((files, Vec::new())) };
            Input::ApplyPrepared { apply: *apply, files }
        }
        Work::Write { apply, .. } => Input::ApplyEnded {
            apply: *apply,
            result: if dice.roll(6) == 0 { Err(broken()) } else { Ok(()) },
        },
        Work::Revert { apply, .. } => Input::RevertEnded {
            apply: *apply,
            result: if dice.roll(6) == 0 { Err(broken()) } else { Ok(dice.roll(4) > 0) },
        },
        Work::TakeBack { lane, files } => {
            let path = files.first().map_or("a.txt", |f| f.path.as_str());
            let draft = proposing(path, "1\n3\n", dice.pick(&["1\n2\n", ""])).proposals.remove(0);
            let made = Reversal {
                draft,
                meets: (dice.roll(4) == 0)
                    .then_some(pilothouse_core::diff::Lines { start: 1, len: 1 })
                    .into_iter()
                    .collect(),
            };
            let result = if dice.roll(6) == 0 { Err("nothing is left".into()) } else { Ok(made) };
            Input::TakeBackMade { lane: *lane, result }
        }
        Work::Hook { call, .. } => {
            let status = dice.pick(&[
                HookStatus::Passed,
                HookStatus::Passed,
                HookStatus::Failed,
                HookStatus::TimedOut,
                HookStatus::Unable,
            ]);
            Input::HookEnded { call: *call, outcome: hook_said(status, "because") }
        }
        Work::Stage { pipeline, step } => {
            let found = |ok| ToolStep { tool: "search".into(), args: "{}".into(), ok, text: "[]".into() };
            let steps = dice.pick(&[vec![], vec![found(true)], vec![found(true)], vec![found(false)]]);
            let material = Box::new(Material { steps, ..Material::default() });
            Input::StageGathered { pipeline: *pipeline, step: *step, material }
        }
        Work::Judge { turn, .. } => {
            let said = dice.pick(&[r#"{"intent":"breakout","confidence":0.9}"#, "", "{}"]);
            Input::BreakoutJudged { turn: *turn, said: Ok((said.to_owned(), Usage::default())) }
        }
        Work::Compact { call, .. } => {
            let reply = ModelReply { text: dice.pick(&["all is done", ""]).into(), ..ModelReply::default() };
            Input::Summarized { call: *call, result: Ok((Box::new(reply), Dropped::default())) }
        }
        Work::Title { call } => {
            let reply =
                ModelReply { text: dice.pick(&["Names in a.txt", ""]).into(), ..ModelReply::default() };
            Input::Titled { call: *call, result: Ok(Box::new(reply)) }
        }
        Work::Keep { approval, .. } => Input::RulesKept {
            approval: *approval,
            result: dice.pick(&[Ok("permissions.toml".to_owned()), Err("disk full".to_owned())]),
        },
        Work::Remember { approval, .. } => Input::MemoryKept {
            approval: *approval,
            result: dice.pick(&[Ok("memory.md".to_owned()), Err("disk full".to_owned())]),
        },
        Work::Look { checkpoint, .. } => {
            Input::CommandResolved { checkpoint: *checkpoint, meant: meant("2") }
        }
        Work::Recall { turn, .. } => Input::Recalled { turn: *turn, places: Vec::new() },
        Work::ReadPlan { call, .. } => Input::PlanRead {
            call: *call,
            result: dice.pick(&[
                Ok("## Steps\n1. [ ] One\n2. [x] Two\n".to_owned()),
                Ok("no plan".to_owned()),
                Err("gone".to_owned()),
            ]),
        },
        Work::SeeTree { call } => {
            let tree = dice.pick(&[None, Some(tree(0)), Some(tree(0)), Some(tree(1))]);
            Input::TreeSeen { call: *call, tree }
        }
        Work::LookCommit { commit, .. } => {
            Input::CommitLooked { commit: *commit, result: Err("no repository".to_owned()) }
        }
        Work::Commit { commit, .. } => Input::Committed { commit: *commit, result: Err("no".to_owned()) },
        Work::Survey(wish) => Input::Surveyed(found(*wish, dice.pick(&["this", "that"]))),
    }
}

/// One of a few states of the workspace.
fn tree(of: usize) -> BlobId {
    BlobId::of(of.to_string().as_bytes())
}

/// A tool that ran into a rule at the path that it really meant.
pub(super) fn held(outcome: Outcome) -> ToolOutcome {
    let ruling = Ruling { outcome, by: "ask read .env".into(), at: "f:1".into(), part: String::new() };
    let request = Request::Path { act: Act::Read, path: ".env".into() };
    ToolOutcome { held: Some(Box::new(Held { request, ruling })), ..ToolOutcome::failure("held") }
}
