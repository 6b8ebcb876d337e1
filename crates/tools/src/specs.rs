//! What each tool is for and which arguments it takes, as a model reads it.
//!
//! Owns how that is put; the words stand in `assets/tools`. Never decides what a turn may do or is offered: core does.

use pilothouse_core::{scope::ToolScope, talk::ToolSpec, tool::Tool};
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
struct Asset {
    description: String,
    parameters: Value,
}

/// What a model reads of the tools that are offered to it, as [`Tool::offered`] has them: the same arguments always give
/// the same bytes.
pub fn specs(offer: ToolScope, held: bool, session_tools: &[Tool]) -> Vec<ToolSpec> {
    Tool::offered(offer, held, session_tools).into_iter().filter_map(spec).collect()
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
