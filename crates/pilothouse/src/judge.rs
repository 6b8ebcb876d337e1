//! `classify` and `risk`: the two classifiers alone, for scripts. Reads lines, prints verdicts;
//! never opens a session, and without `--llm` never touches the network.

use std::{
    io::{self, BufRead, Write},
    time::Instant,
};

use pilothouse_core::{
    intent::{Classifier, CliRow, CliTurn, Message, Phase, cli_row},
    shell::{Risk, assess},
};
use pilothouse_runtime::{
    Environment, Home,
    config::{Config, Layer, Provider, Vectors},
    secrets::Secrets,
    tiers::{self, ClassifierTiers},
};
use serde::Deserialize;
use serde_json::json;

use crate::{
    cli::{ClassifyArgs, RiskArgs},
    complain,
    exit::{Failure, USAGE},
    out,
    workbench::explain as explain_error,
};

/// A line of `classify --jsonl`.
#[derive(Deserialize)]
struct Asked {
    #[serde(default)]
    id: serde_json::Value,
    text: String,
    #[serde(default)]
    phase: Option<String>,
    #[serde(default)]
    plan_active: Option<bool>,
    #[serde(default)]
    context: Vec<String>,
}

/// A line of `risk --jsonl`.
#[derive(Deserialize)]
struct Line {
    cmd: String,
}

/// Runs `classify`.
///
/// # Errors
/// When the arguments or a line cannot be read, or nothing can be printed.
pub fn classify(args: &ClassifyArgs, secrets: &Secrets) -> Result<u8, Failure> {
    let sorter = Sorter::new(args.llm, secrets)?;
    let mut out = out::out(args.jsonl || args.json);
    if args.jsonl {
        for (number, line) in (1..).zip(io::stdin().lock().lines()) {
            let line = line?;
            if line.trim().is_empty() {
                continue;
            }
            let asked: Asked = serde_json::from_str(&line).map_err(|e| {
                Failure::new(USAGE, format!("line {number}: {e}; wanted {{\"id\",\"text\",\"phase\"}}"))
            })?;
            let id = asked
                .id
                .as_str()
                .map(str::to_owned)
                .or_else(|| (!asked.id.is_null()).then(|| asked.id.to_string()));
            let phase = asked.phase.as_deref().unwrap_or("idle");
            let row = sorter
                .read(id, &asked.text, phase, asked.plan_active, &asked.context)
                .ok_or_else(|| Failure::new(USAGE, format!("line {number}: no phase is called {phase:?}")))?;
            writeln!(out, "{}", serde_json::to_string(&row)?)?;
        }
        return Ok(0);
    }
    let text =
        args.text.as_deref().ok_or_else(|| Failure::new(USAGE, "give a message, or --jsonl and lines"))?;
    let row = sorter
        .read(None, text, &args.phase, args.plan_active.then_some(true), &[])
        .ok_or_else(|| Failure::new(USAGE, format!("no phase is called {:?}", args.phase)))?;
    if args.json {
        writeln!(out, "{}", serde_json::to_string(&row)?)?;
    } else {
        explain(&mut out, &row)?;
    }
    Ok(0)
}

/// The tiers as the user configured them.
struct Sorter {
    classifier: Classifier,
    later: ClassifierTiers,
    /// Whether an embedder beside the built-in one is asked.
    vectors: bool,
    /// The model that is asked.
    voice: Option<Provider>,
    runtime: Option<tokio::runtime::Runtime>,
    /// What is kept out of complaints.
    secrets: Secrets,
}

impl Sorter {
    fn new(llm: bool, secrets: &Secrets) -> Result<Self, Failure> {
        let environment = Environment::of_process();
        let home = Home::find(&environment).map_err(explain_error)?;
        let config = Config::load(&home, None, &environment, Layer::default()).map_err(explain_error)?;
        for notice in &config.notices {
            complain(secrets, notice);
        }
        if llm && config.voice.is_offline() {
            let text = "--llm needs a model; set PILOTHOUSE_BASE_URL and PILOTHOUSE_MODEL, or [model] in config.toml";
            return Err(Failure::new(USAGE, text));
        }
        // A folder is no network; an endpoint is.
        let vectors = match config.intent.embedder {
            Vectors::BuiltIn => false,
            Vectors::Local(_) => true,
            Vectors::Remote(_) => llm,
        };
        let voice = llm.then_some(config.voice);
        let runtime = if vectors || llm { Some(crate::exit::workers(1)?) } else { None };
        let later = ClassifierTiers::new(&config.intent, &home);
        if let Some(runtime) = runtime.as_ref().filter(|_| vectors) {
            // What is wrong is told with each line that needed it.
            drop(runtime.block_on(later.ready()));
        }
        Ok(Self {
            classifier: config.intent.classifier,
            later,
            vectors,
            voice,
            runtime,
            secrets: secrets.clone(),
        })
    }

    fn read(
        &self,
        id: Option<String>,
        text: &str,
        named: &str,
        plan_active: Option<bool>,
        context: &[String],
    ) -> Option<CliRow> {
        let (phase, paused) = match named {
            "paused" => (Phase::AwaitingApproval, true),
            name => (Phase::ALL.into_iter().find(|p| p.name() == name)?, false),
        };
        let plan_active = plan_active.unwrap_or(phase != Phase::Idle);
        let message = Message { text, phase, paused, plan_active, chat_only: false, context, last: None };
        let start = Instant::now();
        let reading = match &self.runtime {
            None => self.classifier.read(&message),
            Some(runtime) => {
                let model = self.voice.as_ref().map(tiers::client);
                let asked = self.later.read(&self.classifier, &message, self.vectors, model);
                let (reading, faults) = runtime.block_on(asked);
                for fault in faults {
                    complain(&self.secrets, &fault);
                }
                reading
            }
        };
        let micros = u64::try_from(start.elapsed().as_micros()).unwrap_or(u64::MAX);
        // No plan is at hand, so an order that stands by itself speaks of another.
        let reading = self.classifier.beside_plan(reading, phase, |_| false);
        let mut row = cli_row(id, &reading, micros);
        // Where a question holds the phase, a message is no two turns.
        let asks = matches!(phase, Phase::AwaitingApproval | Phase::Failed);
        for text in self.classifier.sequence(&reading).filter(|_| !asks).into_iter().flatten() {
            let one = self.read(None, &text, named, Some(plan_active), context)?;
            row.turns.push(CliTurn { text, row: Box::new(one) });
        }
        Some(row)
    }
}

fn explain(out: &mut impl Write, row: &CliRow) -> io::Result<()> {
    if !row.turns.is_empty() {
        for (turn, number) in row.turns.iter().zip(1..) {
            writeln!(out, "{number}. {}", turn.text)?;
            explain(out, &turn.row)?;
        }
        return Ok(());
    }
    let sub = row.sub.map(|s| format!(".{s}")).unwrap_or_default();
    writeln!(out, "Path: {}", row.path)?;
    writeln!(out, "turn        {}{sub}", row.turn)?;
    writeln!(out, "scope       {:?}", row.scope)?;
    writeln!(
        out,
        "approval    {}",
        serde_json::to_value(row.approval).unwrap_or_default().as_str().unwrap_or("none")
    )?;
    writeln!(out, "confidence  {:.2}", row.confidence)?;
    if let Some(target) = &row.target {
        writeln!(out, "target      {target}")?;
    }
    writeln!(out, "why         {}", row.reasoning)
}

/// Runs `risk`.
///
/// # Errors
/// When the arguments or a line cannot be read, or nothing can be printed.
pub fn risk(args: &RiskArgs) -> Result<u8, Failure> {
    let mut out = out::out(args.jsonl || args.json);
    if args.jsonl {
        for (number, line) in (1..).zip(io::stdin().lock().lines()) {
            let line = line?;
            if line.trim().is_empty() {
                continue;
            }
            let asked: Line = serde_json::from_str(&line)
                .map_err(|e| Failure::new(USAGE, format!("line {number}: {e}; wanted {{\"cmd\"}}")))?;
            writeln!(out, "{}", verdict(&asked.cmd))?;
        }
        return Ok(0);
    }
    let command = args
        .command
        .as_deref()
        .ok_or_else(|| Failure::new(USAGE, "give a command line, or --jsonl and lines"))?;
    if args.json {
        writeln!(out, "{}", verdict(command))?;
        return Ok(0);
    }
    let found = assess(command);
    let mark = match found.risk {
        Risk::Low => "low",
        Risk::Medium => "⚠ medium",
        Risk::High => "▲ high",
    };
    writeln!(out, "{mark}")?;
    if found.risk > Risk::Low {
        writeln!(out, "part  {}\nwhy   {}\nrule  {}", found.part, found.why, found.rule)?;
    }
    Ok(0)
}

fn verdict(command: &str) -> serde_json::Value {
    let found = assess(command);
    json!({"cmd": command, "risk": found.risk, "part": found.part, "why": found.why, "rule": found.rule})
}
