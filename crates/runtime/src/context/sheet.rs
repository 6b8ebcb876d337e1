//! What the next request holds, part by part, for the user.
//!
//! Owns how the parts are named and counted. Makes them as the request is made, never beside it.

use pilothouse_core::{
    compaction::Mark,
    port::{ContextPart, ContextSheet},
    session::{Entry, Lane, State, What},
    talk::{Message, Purpose, ToolSpec},
};

use super::{Circumstances, Texts, budget, cut, now, telling};

/// A part is shown by this many bytes of its beginning.
const HEAD_BYTES: usize = 200;

/// Said of a reply whose thinking goes back with it.
const THOUGHT: &str = "what the agent said, called and thought: it wants that back";

/// The parts of the next request of the main line; where nothing is asked, as a question would be told.
pub fn sheet(state: &State, tools: &[ToolSpec], texts: &dyn Texts, around: &Circumstances) -> ContextSheet {
    let lane = next(state);
    let purpose = lane.map_or(Purpose::Answer, |l| l.kind.purpose());
    let (system, project) = (super::system(purpose), super::project(around));
    let last = lane.map(|l| now::message(state, l, l.offer(), around));
    let names: Vec<&str> = tools.iter().map(|t| t.name.as_str()).collect();
    let tool_bytes = tools.iter().map(budget::tool_size).sum();
    let mut parts = vec![
        fixed("prompt", &system, system.len(), "the same in every request"),
        fixed("tools", &names.join(" "), tool_bytes, "what may be called here, by the scope of the path"),
    ];
    let known = project.as_ref().map(|text| {
        fixed("project", text, text.len(), "what was found of the folder, with its instruction files")
    });
    parts.extend(known);
    let skills = super::skills(around);
    let named = skills.as_ref().map(|text| {
        fixed("skills", text, text.len(), "names of skills and agents; the model reads one when it fits")
    });
    parts.extend(named);
    let bytes = |text: &Option<String>| text.as_ref().map_or(0, String::len);
    let stands =
        system.len() + tool_bytes + bytes(&project) + bytes(&skills) + super::last_bytes(bytes(&last));
    let trouble = match around.window.room(stands) {
        None => Some(super::too_small(around.window, stands)),
        Some(room) => {
            parts.extend(told(state, lane, texts, around, room));
            None
        }
    };
    let noted = now::memory(state, lane, around);
    let sources = now::sources(around, None, false);
    let notes = noted.as_ref().map_or(0, String::len) + sources.as_ref().map_or(0, String::len);
    parts.extend(
        noted.map(|text| fixed("memory", &text, text.len(), "notes of earlier sessions that fit best")),
    );
    parts.extend(sources.map(|text| {
        fixed(
            "sources",
            &text,
            text.len(),
            "the sources by name; their tools are looked up where they are wanted",
        )
    }));
    parts.extend(last.map(|text| {
        fixed(
            "state",
            &text,
            text.len().saturating_sub(notes),
            "where the session stands, and what to do now",
        )
    }));
    let tokens = parts.iter().map(|p| p.tokens).sum();
    ContextSheet { parts, tokens, window: around.window.tokens(), trouble }
}

/// The lane of the main line that asks next, if one is at work.
pub fn next(state: &State) -> Option<&Lane> {
    state.lanes.values().rev().find(|l| !state.transcript.is_beside(l.id))
}

fn fixed(kind: &'static str, text: &str, bytes: usize, why: &'static str) -> ContextPart {
    let tokens = budget::tokens(bytes);
    ContextPart { entry: None, kind, head: head(text), tokens, before: tokens, mark: None, why }
}

fn head(text: &str) -> String {
    cut(text.trim(), HEAD_BYTES).split_whitespace().collect::<Vec<_>>().join(" ")
}

fn told(
    state: &State,
    lane: Option<&Lane>,
    texts: &dyn Texts,
    around: &Circumstances,
    room: usize,
) -> Vec<ContextPart> {
    let bounds =
        telling::Bounds::of(around.history, room).thought_by(&around.origin).hearing(around.window.said());
    let pieces = if let Some(lane) = lane {
        telling::pieces(state, lane, texts, &bounds)
    } else {
        let entries: Vec<Entry> = state.transcript.trunk().copied().collect();
        telling::of_entries(state, &entries, texts, &bounds)
    };
    let fit = budget::fit(&pieces, room);
    let parts = pieces.iter().zip(&fit.messages);
    parts.map(|(piece, message)| part(state, piece, message)).collect()
}

fn part(state: &State, piece: &budget::Piece, sent: &Message) -> ContextPart {
    let (kind, why) = kind(piece.entry.map(|e| e.what));
    let why = if sent.thought.is_some() { THOUGHT } else { why };
    let entry = piece.entry.map(|e| e.seq);
    let mark: Option<Mark> = entry.and_then(|e| state.transcript.mark(e));
    let calls = sent.calls.iter().map(|c| format!(" [{} {}]", c.name, cut(&c.args, 80)));
    let named = match &piece.slim {
        budget::Slim::Line(line) => line.trim_start_matches('[').split("; ").next().unwrap_or_default(),
        budget::Slim::Stays | budget::Slim::Said(_) | budget::Slim::Pinned | budget::Slim::Reply => {
            sent.text.as_str()
        }
    };
    let head = head(&format!("{named}{}", calls.collect::<String>()));
    let (tokens, before) = (budget::tokens(budget::size(sent)), budget::tokens(budget::size(&piece.message)));
    ContextPart { entry, kind, head, tokens, before, mark, why }
}

const fn kind(what: Option<What>) -> (&'static str, &'static str) {
    match what {
        Some(What::User(_)) => ("you", "what you typed; it stays unless you drop it"),
        Some(What::Reply) => ("agent", "what the agent said and called"),
        Some(What::Result(_)) => ("result", "what a call gave; the oldest give way first"),
        Some(What::Output(_)) => ("output", "what your own command printed"),
        Some(What::Handed) => ("handed on", "what a sub-agent is to do"),
        Some(What::Nudge) => ("nudge", "what the workbench told the agent"),
        Some(What::Record | What::Step(_) | What::Answer(_)) => ("record", "what was decided or happened"),
        Some(What::Report(_)) => ("report", "what came of work beside this"),
        Some(What::Summary) => ("summary", "in place of what was summed up"),
        None => ("result", "a call that was not run"),
    }
}
