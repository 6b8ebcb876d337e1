//! A world for stage pipelines: what models and tools say in a stage follows from the sequence, the stage, its round and
//! what the user wants, so that a run that is cut off anywhere can come to the same end.

use std::hash::{DefaultHasher, Hash, Hasher};

use pilothouse_core::{
    blob::Excerpt,
    knowledge::{
        Axes, CitationVerdict, CitedPlace, Contradiction, ContradictionVerdict, EntityVerdict, Lines,
        Passage, Score, Standing, Verdict,
    },
    pipeline::{Agents, Depth, Gives, PipelineAgent, StageKind, StageSpec},
    relpath::RelPath,
    session::Pipeline,
    talk::Purpose,
};

use super::*;

/// The agents: the two that ship, and one of files with a pause after a search and a budget of its own.
pub(super) const SLUGS: [&str; 3] = ["research", "review-diff", "team"];

const SHIPPED: [(&str, &str, &str); 2] = [
    (
        SLUGS[0],
        include_str!("../../../../assets/agents/research/config.json"),
        include_str!("../../../../assets/agents/research/AGENT.md"),
    ),
    (
        SLUGS[1],
        include_str!("../../../../assets/agents/review-diff/config.json"),
        include_str!("../../../../assets/agents/review-diff/AGENT.md"),
    ),
];

const TEAM: &str = r#"{
  "stages": [
    {"name": "ask", "kind": "llm", "gives": "analysis"},
    {"name": "look", "kind": "tool-fanout", "tool": "search"},
    {"name": "write", "kind": "llm", "gives": "draft"},
    {"name": "check", "kind": "verify"},
    {"name": "tell", "kind": "render"}
  ],
  "pause_after_stages": [0, 1, 2], "repair_unit": ["write", "check"], "budget": "9 calls"
}"#;

/// The file whose lines are not what they were when a citation of it is checked.
const CHANGED: &str = "src/bad.rs";
/// What a finding says that the code does not bear.
pub(super) const INVENTED: &str = "it was made up";

const DIFF: &str =
    "diff --git a/a.rs b/a.rs\n--- a/a.rs\n+++ b/a.rs\n@@ -1,2 +1,3 @@\n fn a() {\n+    let x = 1;\n }\n";

/// Sentences of drafts: some hold, some name what is not there, was changed, or says nothing of it.
const SENTENCES: [&str; 9] = [
    "A timer resets the window [1].",
    "The window is reset by a timer [1, 2].",
    "The bucket is filled by `refill_bucket` [2].",
    "Nothing else resets it [9].",
    "The timer resets the window [3].",
    "The window is reset at noon [1][3].",
    "`InventedName` resets the window [1].",
    "The web says the same [W1].",
    "An earlier answer said so [P3].",
];

pub(super) struct Stages {
    pub(super) bench: Bench,
    pub(super) slug: &'static str,
    /// The sequence.
    of: u64,
    /// Whether a model is asked what messages mean.
    asking: bool,
    blobs: BTreeMap<BlobId, String>,
    /// The places of which the last check of citations said that they hold.
    pub(super) hold: BTreeSet<String>,
}

fn agents(of: u64) -> Agents {
    let read = |(slug, config, about): (&str, &str, &str)| {
        let ask = |file: &str| (slug != "team" || !file.contains("check")).then(|| format!("do {file}"));
        PipelineAgent::read(slug, config, about, ask).unwrap()
    };
    let depth = [Depth::Quick, Depth::Standard, Depth::Deep][usize::try_from(of % 3).unwrap()];
    let all = SHIPPED.into_iter().chain([(SLUGS[2], TEAM, "---\nname: Team\n---\nBe exact.")]).map(read);
    Agents { all: all.collect(), depth: Some(depth), ..Agents::default() }
}

impl Stages {
    pub(super) fn new(of: u64) -> Self {
        let asking = of % 2 == 1;
        let mut bench = if asking { Bench::asking() } else { Bench::new() };
        bench.session.set_agents(Arc::new(agents(of)));
        let slug = SLUGS[usize::try_from(of / 2 % 3).unwrap()];
        Self { bench, slug, of, asking, blobs: BTreeMap::new(), hold: BTreeSet::new() }
    }

    /// The same after the program ended when so much of the log was kept.
    pub(super) fn killed(&self, kept: usize) -> Self {
        let tiers = pilothouse_core::session::Tiers { model: self.asking, ..Default::default() };
        let (mut session, log) = (Session::with(tiers), self.bench.log[..kept].to_vec());
        session.set_agents(Arc::new(agents(self.of)));
        for e in &log {
            session.apply(e);
        }
        let bench = Bench { session, log, clock: self.bench.clock };
        let (blobs, hold) = (self.blobs.clone(), self.hold.clone());
        Self { bench, blobs, hold, ..*self }
    }

    /// Puts something in; whether it was taken.
    pub(super) fn input(&mut self, input: Input) -> bool {
        let Ok(step) = self.bench.input(input) else { return false };
        let text = |b: &pilothouse_core::blob::Blob| String::from_utf8(b.bytes().to_vec()).unwrap();
        self.blobs.extend(step.blobs.iter().map(|b| (b.id(), text(b))));
        true
    }

    pub(super) fn say(&mut self, line: &str) -> bool {
        self.input(Input::say(line))
    }

    /// Asks the agent something.
    pub(super) fn ask(&mut self) -> bool {
        self.say(&format!("@{} how is the window reset?", self.slug))
    }

    pub(super) fn pipeline(&self) -> Option<&Pipeline> {
        self.bench.session.state().pipeline.as_deref()
    }

    /// A text of the log, whole.
    pub(super) fn text(&self, excerpt: &Excerpt) -> String {
        excerpt.whole().map_or_else(|| self.blobs[&excerpt.id()].clone(), str::to_owned)
    }

    /// The stage at work.
    fn stage(&self) -> Option<(StageSpec, u32)> {
        let state = &self.pipeline()?.state;
        let (stage, round) = state.open_stage()?;
        Some((state.stage(stage)?.clone(), round))
    }

    /// What the runtime brings.
    fn material(&self) -> Material {
        let p = self.pipeline().unwrap();
        let name = |n: usize| p.state.stage(n).unwrap().name.clone();
        let outputs = p.state.stage_outputs().into_iter().map(|(n, t, _)| (name(n), self.text(t)));
        let steps = p.calls.iter().map(|c| {
            let (ok, result) = c.result.as_ref().unwrap();
            ToolStep { tool: c.tool.name().into(), args: c.args.clone(), ok: *ok, text: self.text(result) }
        });
        let reply = p.state.reply().map(|t| self.text(t));
        Material { outputs: outputs.collect(), steps: steps.collect(), reply, prior: None }
    }

    /// A number that only this place of this sequence has.
    fn lot(&self, sides: usize) -> usize {
        let mut hasher = DefaultHasher::new();
        let state = self.pipeline().map(|p| &p.state);
        let wants: Vec<&str> = state.iter().flat_map(|s| s.feedback()).collect();
        (self.of, self.stage().map(|(s, round)| (s.name, round)), wants).hash(&mut hasher);
        usize::try_from(hasher.finish() % sides as u64).unwrap()
    }

    /// What the model says in the stage at work, to be read.
    fn said(&self) -> String {
        let Some((stage, _)) = self.stage() else { return "done".into() };
        let lot = self.lot(9_000);
        let sentence = |n: usize| SENTENCES[(lot / (1 + 8 * n)) % SENTENCES.len()];
        match (stage.kind, stage.gives) {
            (StageKind::Verify, _) if lot.is_multiple_of(3) => {
                r#"{"unsupported": [{"claim": 1, "why": "no"}]}"#.into()
            }
            (StageKind::Verify, _) => r#"{"unsupported": [], "contradictions": []}"#.into(),
            (_, Some(Gives::Findings)) => {
                let finding = |n: usize| match lot / (1 + n) % 2 {
                    0 => serde_json::json!({"file": "a.rs", "line": 2, "severity": "high",
                        "message": "x is not used", "evidence": "let x = 1;"}),
                    _ => serde_json::json!({"file": "a.rs", "line": 2, "severity": "low",
                        "message": INVENTED, "evidence": "let y = 2;"}),
                };
                let all: Vec<_> = (0..lot % 4).map(finding).collect();
                serde_json::json!({"summary": "Looked at a.rs.", "findings": all}).to_string()
            }
            (_, Some(Gives::Draft)) => serde_json::json!({
                "summary": sentence(0),
                "sections": [{"title": "Timer [1]", "text": format!("{} {}", sentence(1), sentence(2))}],
                "conclusions": [sentence(3)],
            })
            .to_string(),
            _ => {
                let asked: Vec<String> =
                    (0..=lot % 3).map(|n| format!("where is part {n} of {lot}?")).collect();
                format!("```json\n{}\n```", serde_json::json!({"scope": "it", "sub_queries": asked}))
            }
        }
    }

    /// A reply that cost something.
    pub(super) fn reply(&self, text: String) -> ModelReply {
        let cost = 1_000 + self.lot(9_000) as u64;
        let usage = Usage { input: cost / 10, output: 10, cost_micros: Some(cost), ..Usage::default() };
        ModelReply { text, usage, ..ModelReply::default() }
    }

    /// The end of some work as it should be; nothing for work of no pipeline.
    pub(super) fn ended(&mut self, work: &Work) -> Option<Input> {
        Some(match work {
            Work::Think { call, purpose: Purpose::Stage, .. } => {
                Input::Replied { call: *call, reply: Ok(self.reply(self.said())) }
            }
            Work::Stage { pipeline, step } => {
                let (pipeline, step) = (*pipeline, *step);
                Input::StageGathered { pipeline, step, material: Box::new(self.material()) }
            }
            Work::Tool { permit, .. } if self.of_stage(permit.call()) => {
                let args = self.pipeline()?.calls.iter().find(|c| c.call == permit.call())?.args.clone();
                Input::ToolEnded { call: permit.call(), outcome: self.tool(permit.tool(), &args) }
            }
            _ => return None,
        })
    }

    /// Whether a call is one of the stage at work.
    pub(super) fn of_stage(&self, call: CallId) -> bool {
        self.pipeline().is_some_and(|p| p.calls.iter().any(|c| c.call == call))
    }

    fn tool(&mut self, tool: Tool, args: &str) -> ToolOutcome {
        let args: serde_json::Value = serde_json::from_str(args).unwrap();
        let verdict = |standing| Verdict { standing, score: Score::FULL, reason: "so it is".into() };
        let json = match tool.name() {
            "run" => {
                let line = args["command"].as_str().unwrap();
                return exited(
                    0,
                    &format!("exit 0\nstdout:\n{}", if line.contains(" diff ") { DIFF } else { "" }),
                );
            }
            "read" => {
                return ToolOutcome::text("     1  fn a() {\n     2      let x = 1;\n     3  }\n", "3 lines");
            }
            "hop_retrieve" => "[]".to_owned(),
            "citation_verify" => {
                let all = args["citations"].as_array().unwrap().iter().map(|c| c["path"].as_str().unwrap());
                let all: Vec<&str> = all.collect();
                self.hold = all.iter().filter(|p| **p != CHANGED).map(|p| (*p).to_owned()).collect();
                let one = |path: &str| match path {
                    CHANGED => {
                        CitationVerdict { verdict: verdict(Standing::Fails), place: CitedPlace::Missing }
                    }
                    _ => CitationVerdict { verdict: verdict(Standing::Holds), place: CitedPlace::Exact },
                };
                serde_json::to_string(&all.into_iter().map(one).collect::<Vec<_>>()).unwrap()
            }
            "entity_verify" => {
                let names = if args["text"].as_str().unwrap().contains("InventedName") {
                    vec![("InventedName".to_owned(), None)]
                } else {
                    Vec::new()
                };
                serde_json::to_string(&EntityVerdict { verdict: verdict(Standing::Unknown), names }).unwrap()
            }
            "contradiction_check" => {
                let one = Contradiction {
                    about: "the window".into(),
                    one: "a".into(),
                    other: "b".into(),
                    other_is: "src/limit.rs:1-3".into(),
                    claim: 1,
                };
                let found = if self.lot(4) == 0 { vec![one] } else { Vec::new() };
                let verdict = verdict(Standing::Unknown);
                serde_json::to_string(&ContradictionVerdict { verdict, compared: 1, found }).unwrap()
            }
            _ => serde_json::to_string(&[
                passage("src/limit.rs", "fn reset() { /* a timer resets the window */ }"),
                passage(
                    "src/bucket.rs",
                    "fn refill_bucket() { /* a timer fills the bucket of the window */ }",
                ),
                passage(CHANGED, "fn noon() { /* the timer resets the window at noon */ }"),
            ])
            .unwrap(),
        };
        ToolOutcome::text(json, "found")
    }
}

fn passage(path: &str, text: &str) -> Passage {
    let lines = Lines { path: RelPath::new(path).unwrap(), from: 1, to: 3 };
    let hash = BlobId::of(text.as_bytes());
    let (title, text) = (String::new(), text.to_owned());
    Passage { lines, hash, title, text, score: Score::FULL, axes: Axes::default() }
}
