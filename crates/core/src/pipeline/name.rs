//! What the steps of a pipeline are called in records. On the screen they are rows like any other.

/// The name of a call of a tool in a pipeline; of the model where there is no tool.
pub fn step_name(tool: Option<&str>) -> Option<&'static str> {
    Some(match tool {
        None => "orchestrator_llm",
        Some("kb_search") => "orch_kb_search",
        Some("hop_retrieve") => "orch_hop_retrieve",
        Some("citation_verify") => "orch_citation_verify",
        Some("entity_verify") => "orch_entity_verify",
        Some("relation_verify") => "orch_relation_verify",
        Some("contradiction_check") => "orch_contradiction_check",
        Some("source_call") => "orch_web_search",
        Some(_) => return None,
    })
}
