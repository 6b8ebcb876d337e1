//! What each tool is for and which arguments it takes, as a model reads it.
//!
//! Owns the choice and the order; the words stand in `assets/tools`. Never decides what a turn may
//! do: the scope it is given does.

use pilothouse_core::{
    scope::{Capability, ToolScope},
    talk::ToolSpec,
    tool::Tool,
};
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
struct Asset {
    description: String,
    parameters: Value,
}

/// The tools that `offer` allows and those of `session_tools`, in the order of [`Tool::ALL`]; the
/// same arguments always give the same bytes. Those of sources are offered where both say so.
///
/// `delete` is offered with write access too: it only proposes, and the typed word that it needs is
/// asked for when the removal is applied.
///
/// `run` is offered to a turn that may only read as well where a sandbox (`held`) makes a command that
/// only reads a read.
pub fn specs(offer: ToolScope, held: bool, session_tools: &[Tool]) -> Vec<ToolSpec> {
    Tool::ALL
        .into_iter()
        .filter(|tool| match tool.needs() {
            // What a sub-agent may is at most what the one may that sends it: to read.
            None if *tool == Tool::Delegate && !offer.allows(Capability::Read) => false,
            None => session_tools.contains(tool),
            Some(needs) if tool.asks_index() => session_tools.contains(tool) && offer.allows(needs),
            Some(Capability::Delete) => offer.allows(Capability::Delete) || offer.allows(Capability::Write),
            // A call of one may only read: it is judged when it is made.
            Some(_) if tool.is_of_sources() => session_tools.contains(tool) && offer.allows(Capability::Read),
            Some(Capability::Execute) if held => offer.allows(Capability::Read),
            Some(needs) => offer.allows(needs),
        })
        .filter_map(spec)
        .collect()
}

fn spec(tool: Tool) -> Option<ToolSpec> {
    let mut asset: Asset = serde_json::from_str(tool.spec()).ok()?;
    leave_out_refusals(&mut asset.parameters);
    Some(ToolSpec {
        name: tool.name().to_owned(),
        description: asset.description,
        parameters: asset.parameters,
        needs: tool.needs(),
    })
}

/// Takes from a schema that it has no other properties: whoever reads a call refuses them and names the known ones,
/// and said in every schema it is a twentieth of a request's fixed part.
fn leave_out_refusals(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            fields.retain(|name, _| name != "additionalProperties");
            fields.values_mut().for_each(leave_out_refusals);
        }
        Value::Array(items) => items.iter_mut().for_each(leave_out_refusals),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests;
