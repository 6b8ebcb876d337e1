//! A summary: what the model is asked to sum up, and what the session itself knows of it.
//!
//! Owns the one request for it and the record that stands below every summary. Never decides when one is
//! made, and never words what the model said.

use std::collections::{BTreeMap, BTreeSet};

use pilothouse_core::{
    compaction::Dropped,
    event::Event,
    ids::Seq,
    plan::GateStatus,
    proposal::ProposalStatus,
    session::{Compacting, Entry, Extent, State, What},
    talk::{Fault, Message, ModelDelta, ModelReply, ModelRequest, Purpose, Role},
};
use pilothouse_model::ModelClient;
use tokio_util::sync::CancellationToken;

use super::{
    Circumstances, Texts,
    budget::{self, Piece},
    cut, inside, record, telling,
};

/// What the session records of each thing stays under this many bytes in a summary.
const LINE_BYTES: usize = 300;
/// At most this many calls are named.
const CALLS: usize = 40;
/// What is recorded takes at most this share of the room.
const SHARE: usize = 8;

/// A request for a summary, and what it is about.
#[derive(Clone, Debug)]
pub struct SummaryRequest {
    /// The request.
    pub request: ModelRequest,
    /// What the session itself recorded; it stands below whatever the model says.
    pub record: String,
    /// What the summary takes the place of; `after` is without the summary.
    pub dropped: Dropped,
}

/// The request for the summary that is being made.
pub fn request(
    state: &State,
    of: &Compacting,
    texts: &dyn Texts,
    around: &Circumstances,
) -> Option<SummaryRequest> {
    let system = super::system(Purpose::Compact);
    let room = around.window.room(system.len() + of.keep.len())?;
    let bounds = telling::Bounds::of(around.history, room).thought_by(&around.origin);
    let entries: Vec<Entry> = state.transcript.to_sum_up(of.upto, of.again).copied().collect();
    let pieces = telling::of_entries(state, &entries, texts, &bounds);
    let record = cut(&record(state, texts, &entries), room / SHARE);
    let told: Vec<String> =
        budget::fit(&pieces, room - room / SHARE * 2).messages.iter().map(shown).collect();
    let keep = match of.keep.trim() {
        "" => String::new(),
        keep => format!("\n\nThe user wants this kept in it above all: {keep}"),
    };
    let calls = cut(&calls(texts, &entries), room / SHARE);
    let text = format!(
        "<session>\n{}\n</session>\n\n<calls>\n{}\n</calls>{keep}\n\nSum it up.",
        inside(&cut(&told.join("\n\n"), room / SHARE * (SHARE - 2)), "session"),
        inside(&calls, "calls"),
    );
    let messages = vec![Message::text(Role::User, text)];
    let request =
        ModelRequest { purpose: Purpose::Compact, system, messages, tools: Vec::new(), most_tokens: None };
    Some(SummaryRequest { request, record, dropped: dropped(state, of.upto, texts, &bounds, room) })
}

impl SummaryRequest {
    /// The summary: the model's words with what the session recorded below them.
    ///
    /// # Errors
    /// When the model did not answer.
    pub async fn ask(
        self,
        client: &dyn ModelClient,
        cancel: CancellationToken,
        told: impl FnMut(ModelDelta),
    ) -> Result<(Box<ModelReply>, Dropped), Fault> {
        let mut reply = super::unseen(client, self.request, cancel, told).await?;
        if !reply.text.trim().is_empty() {
            let whole = format!("{}\n\n{}", reply.text.trim(), self.record);
            whole.trim().clone_into(&mut reply.text);
        }
        let after = self.dropped.after + budget::tokens(reply.text.len()) as u64;
        Ok((Box::new(reply), Dropped { after, ..self.dropped }))
    }
}

/// A message as text, with who said it.
fn shown(message: &Message) -> String {
    let who = match message.role {
        Role::User => "USER OR WORKBENCH",
        Role::Assistant => "AGENT",
        Role::Tool => "RESULT",
    };
    let calls = message.calls.iter().map(|c| format!("\nCALL {} {}", c.name, c.args));
    format!("{who}: {}{}", message.text, calls.collect::<String>())
}

/// What the main line holds now, and what of it stays.
fn dropped(state: &State, upto: Seq, texts: &dyn Texts, bounds: &telling::Bounds, room: usize) -> Dropped {
    let all: Vec<Entry> = state.transcript.trunk().copied().collect();
    let goes: Vec<Seq> = state
        .transcript
        .to_sum_up(upto, false)
        .filter(|e| !matches!(e.what, What::User(_)))
        .filter(|e| state.transcript.mark(e.seq) != Some(pilothouse_core::compaction::Mark::Pinned))
        .map(|e| e.seq)
        .collect();
    let pieces = telling::of_entries(state, &all, texts, bounds);
    let is_gone = |p: &&Piece| p.entry.is_some_and(|e| goes.contains(&e.seq));
    let messages = pieces.iter().filter(is_gone).count() as u64;
    let left: Vec<Piece> = pieces.iter().filter(|p| !is_gone(p)).cloned().collect();
    let tokens = |pieces: &[Piece]| budget::tokens(budget::fit(pieces, room).total) as u64;
    Dropped { messages, before: tokens(&pieces), after: tokens(&left) }
}

/// What was looked at and run, newest last: all that can be said without a model.
fn calls(texts: &dyn Texts, entries: &[Entry]) -> String {
    let mut lines = Vec::new();
    let mut named = BTreeMap::new();
    for entry in entries {
        match (entry.what, texts.event(entry.seq).map(|e| e.event)) {
            (What::Reply, Some(Event::MessageCompleted { calls, .. })) => {
                for call in calls {
                    named.insert(call.call, format!("{} {}", call.name, cut(&texts.whole(&call.args), 120)));
                }
            }
            (What::Result(call) | What::Output(call), Some(Event::CallEnded { summary, .. })) => {
                let of = named.remove(&call).unwrap_or_else(|| "a command".to_owned());
                lines.push(format!("- {}: {}", one_line(&of), one_line(&summary)));
            }
            _ => {}
        }
    }
    let skip = lines.len().saturating_sub(CALLS);
    lines.split_off(skip).join("\n")
}

/// Decisions, files and open ends, as the session has them.
fn record(state: &State, texts: &dyn Texts, entries: &[Entry]) -> String {
    let of_record =
        |e: &&Entry| matches!(e.what, What::Record | What::Step(_) | What::Answer(_) | What::Report(_));
    let told =
        entries.iter().filter(of_record).filter_map(|e| record::text(state, texts, e, &BTreeSet::new()));
    let plain = |t: String| t.replace("<record>\n", "").replace("\n</record>", "");
    let told: Vec<String> = told.map(|t| format!("- {}", one_line(&plain(t)))).collect();
    let parts = [("What happened", told), ("Files changed", files(state)), ("Open", open(state))];
    let parts = parts.into_iter().filter(|(_, lines)| !lines.is_empty());
    parts.map(|(head, lines)| format!("{head}:\n{}", lines.join("\n"))).collect::<Vec<_>>().join("\n")
}

fn files(state: &State) -> Vec<String> {
    let all = state.written_files(Extent::Session);
    all.iter().map(|file| format!("- {} (+{} -{})", file.path, file.added, file.removed)).collect()
}

fn open(state: &State) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let plan = state.plan.as_ref().or(state.suspended.as_ref());
    if let Some(plan) = plan {
        let left = plan.tasks.iter().filter(|t| !t.status.at_rest());
        lines.extend(left.map(|t| format!("- step of \"{}\" not done: {}", plan.title, one_line(&t.title))));
        let red = plan.gates.iter().filter(|g| matches!(g.status, GateStatus::Failed(_)));
        lines.extend(red.map(|g| format!("- gate {} failed: `{}`", g.name, g.command)));
    }
    let waits = |s: ProposalStatus| match s {
        ProposalStatus::Open => Some("not decided"),
        ProposalStatus::SetAside => Some("set aside"),
        ProposalStatus::Applying(_)
        | ProposalStatus::Applied(_)
        | ProposalStatus::There
        | ProposalStatus::Skipped
        | ProposalStatus::Dropped => None,
    };
    let proposals = state.proposals().values().filter_map(|p| Some((&p.path, waits(p.status)?)));
    lines.extend(proposals.map(|(path, how)| format!("- proposal for {path}: {how}")));
    lines
}

fn one_line(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    cut(&line, LINE_BYTES).replace('\n', " ")
}
