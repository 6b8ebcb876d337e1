//! What a hook is told: the event as JSON, and its plain fields as variables.
//!
//! Owns the names. Never holds a text that the event itself does not hold, but the line of a command
//! and the paths of a write.

use pilothouse_core::{
    event::{Event, Stamped},
    hook::Occasion,
    intent::IntentPath,
    session::State,
};
use serde_json::{Map, Value, json};

/// The longest value of one variable, in bytes.
const MOST_VALUE: usize = 4096;

/// What one call of a hook is told.
#[derive(Clone, Debug, PartialEq)]
pub struct Facts {
    /// Variables.
    pub env: Vec<(String, String)>,
    /// The JSON line on its standard input.
    pub input: Vec<u8>,
}

impl Facts {
    /// What is told of `event`. `command` is the line that is about to run, or that ended.
    pub fn of(
        on: Occasion,
        event: &Stamped,
        path: &IntentPath,
        state: &State,
        command: Option<&str>,
    ) -> Self {
        let mut all = match serde_json::to_value(event) {
            Ok(Value::Object(map)) => map,
            Ok(_) | Err(_) => Map::new(),
        };
        all.extend(more(&event.event, state, command));
        all.insert("event".to_owned(), on.name().into());
        all.insert("session".to_owned(), state.slug.clone().into());
        all.insert("folder".to_owned(), state.folder.clone().into());
        all.insert("path".to_owned(), path.to_string().into());
        let env = all
            .iter()
            .filter_map(|(name, value)| Some((format!("PILOTHOUSE_{}", name.to_uppercase()), plain(value)?)))
            .chain([("EVENT_TYPE".to_owned(), on.name().to_owned())])
            .collect();
        let mut input = Value::Object(all).to_string().into_bytes();
        input.push(b'\n');
        Self { env, input }
    }
}

/// A value as a variable; lists and tables stand in the JSON alone.
fn plain(value: &Value) -> Option<String> {
    let mut text = match value {
        Value::String(text) => text.replace('\0', ""),
        Value::Number(number) => number.to_string(),
        Value::Bool(yes) => yes.to_string(),
        Value::Null | Value::Array(_) | Value::Object(_) => return None,
    };
    text.truncate(text.floor_char_boundary(MOST_VALUE));
    Some(text)
}

/// What the event only names by its id.
#[expect(clippy::wildcard_enum_match_arm, reason = "most events say everything themselves")]
fn more(event: &Event, state: &State, command: Option<&str>) -> Map<String, Value> {
    let mut map = Map::new();
    let plan = state.plan.as_ref().or(state.suspended.as_ref());
    match event {
        Event::TaskStarted { task, .. }
        | Event::TaskCompleted { task, .. }
        | Event::TaskFailed { task, .. }
        | Event::TaskSkipped { task, .. }
        | Event::TaskCancelled { task } => {
            let title = plan.and_then(|p| p.task(*task)).map(|t| t.title.clone());
            map.insert("title".to_owned(), json!(title));
        }
        Event::GateStarted { gate, .. } | Event::GatePassed { gate, .. } | Event::GateFailed { gate, .. } => {
            let gate = plan.and_then(|p| p.gates.iter().find(|g| g.id == *gate));
            map.insert("name".to_owned(), json!(gate.map(|g| g.name.clone())));
            map.insert("command".to_owned(), json!(gate.map(|g| g.command.clone())));
        }
        Event::CallStarted { .. } => drop(map.insert("command".to_owned(), json!(command))),
        Event::CommandExited { exit, .. } => {
            map.insert("command".to_owned(), json!(command));
            map.insert("code".to_owned(), json!(exit.code));
            map.insert("status".to_owned(), json!(if exit.ok() { "ok" } else { "failed" }));
        }
        Event::Proposed { proposal, .. } | Event::ProposalEdited { proposal, .. } => {
            map.insert("file".to_owned(), json!(proposal.path));
        }
        Event::ApplyApproved { apply, take, .. } => {
            let files: Vec<_> =
                take.iter().filter_map(|(id, _)| state.proposals().get(id)).map(|p| p.path.clone()).collect();
            map.insert("files".to_owned(), json!(files));
            map.insert("apply".to_owned(), json!(apply));
        }
        Event::Applied { apply } | Event::ApplyFailed { apply, .. } => {
            let files = state.applies().get(apply).into_iter().flat_map(|a| &a.files);
            let files: Vec<_> = files.map(|f| f.path.clone()).collect();
            map.insert("files".to_owned(), json!(files));
        }
        Event::CommandWrote { files, count, .. } => {
            let files: Vec<_> = files.iter().map(|f| f.path.clone()).collect();
            map.insert("files".to_owned(), json!(files));
            map.insert("count".to_owned(), json!(count));
        }
        Event::TurnStarted { text, .. } => drop(map.insert("said".to_owned(), json!(text.head))),
        Event::CheckpointOpened { checkpoint } => {
            let kind = serde_json::to_value(&checkpoint.kind).ok();
            let kind = kind.and_then(|k| k.get("kind").cloned());
            map.insert("kind".to_owned(), json!(kind));
            map.insert("message".to_owned(), json!(checkpoint.message));
        }
        _ => {}
    }
    map
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use pilothouse_core::{
        ids::{LaneId, Millis, Seq},
        intent::IntentNode,
    };

    use super::*;

    #[test]
    fn a_transition_is_told_as_variables_and_as_json() {
        let event =
            Event::MoveHeld { lane: LaneId(3), from: IntentNode::Plan, to: IntentNode::Act, approval: None };
        let stamped = Stamped { seq: Seq(7), at: Millis(1), run: None, event };
        let mut state = State::default();
        (state.slug, state.folder) = ("s-1".into(), "/x".into());
        let facts =
            Facts::of(Occasion::NodeTransition, &stamped, &IntentPath::to(IntentNode::Plan), &state, None);
        let get = |name: &str| facts.env.iter().find(|(n, _)| n == name).map(|(_, v)| v.as_str());
        assert_eq!(get("PILOTHOUSE_EVENT"), Some("node_transition"));
        assert_eq!(get("EVENT_TYPE"), Some("node_transition"));
        assert_eq!((get("PILOTHOUSE_FROM"), get("PILOTHOUSE_TO")), (Some("plan"), Some("act")));
        assert_eq!(get("PILOTHOUSE_SESSION"), Some("s-1"));
        assert_eq!(get("PILOTHOUSE_FOLDER"), Some("/x"));
        assert!(get("PILOTHOUSE_PATH").unwrap().to_lowercase().contains("plan"));
        let json: Value = serde_json::from_slice(&facts.input).unwrap();
        assert_eq!((&json["from"], &json["seq"]), (&json!("plan"), &json!(7)));
    }
}
