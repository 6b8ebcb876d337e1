//! What the steps of a pipeline are called on the screen.

/// A step on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepName {
    /// Its name in records.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// Its sign, and the same in plain characters.
    pub icon: (&'static str, &'static str),
}

/// The name of a call of a tool in a pipeline; of the model where there is no tool.
pub fn step_name(tool: Option<&str>) -> Option<StepName> {
    let (name, title, icon) = match tool {
        None => ("orchestrator_llm", "LLM Analysis", ("🧠", "*")),
        Some("kb_search") => ("orch_kb_search", "Knowledge Base Search", ("📚", "=")),
        Some("hop_retrieve") => ("orch_hop_retrieve", "Deep Retrieval", ("🔗", ">")),
        Some("citation_verify") => ("orch_citation_verify", "Citation Verification", ("✅", "+")),
        Some("entity_verify") => ("orch_entity_verify", "Name Verification", ("✅", "+")),
        Some("relation_verify") => ("orch_relation_verify", "Relation Verification", ("✅", "+")),
        Some("contradiction_check") => ("orch_contradiction_check", "Contradiction Check", ("✅", "+")),
        Some("source_call") => return Some(WEB_SEARCH),
        Some(_) => return None,
    };
    Some(StepName { name, title, icon })
}

/// The web search of a source, on the screen.
pub const WEB_SEARCH: StepName =
    StepName { name: "orch_web_search", title: "Web Search", icon: ("🔍", "?") };
