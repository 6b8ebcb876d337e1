use super::*;
use pilothouse_core::scope::Capability;

const SESSION: [Tool; 6] =
    [Tool::SubmitPlan, Tool::AskUser, Tool::RequestPath, Tool::ChangeGate, Tool::Remember, Tool::Delegate];

fn names(specs: &[ToolSpec]) -> Vec<&str> {
    specs.iter().map(|s| s.name.as_str()).collect()
}

fn bytes(specs: &[ToolSpec]) -> usize {
    specs.iter().map(|s| s.name.len() + s.description.len() + s.parameters.to_string().len() + 60).sum()
}

#[test]
fn every_tool_has_an_object_schema_and_the_whole_set_stays_small() {
    let sources = [Tool::SourceTools, Tool::SourceCall];
    let all = specs(ToolScope::FULL, false, &[&SESSION[..], &sources, &[Tool::CommitMessage]].concat());
    let usual: Vec<&str> = Tool::ALL.into_iter().filter(|t| !t.asks_index()).map(Tool::name).collect();
    assert_eq!(names(&all), usual);
    for spec in &all {
        assert_eq!(
            spec.parameters.pointer("/type").and_then(|t| t.as_str()),
            Some("object"),
            "{}",
            spec.name
        );
        assert!(!spec.description.is_empty());
    }
    let usual = specs(ToolScope::FULL, false, &SESSION);
    assert!(bytes(&usual) < 6_100, "{} bytes", bytes(&usual));
    assert!(
        bytes(&all) < bytes(&usual) + 1_000,
        "{} bytes with those of sources and of a commit",
        bytes(&all)
    );
}

/// There is no room for a word on every field: those have one whose name alone does not say what they take.
#[test]
fn fields_that_their_name_does_not_explain_are_explained() {
    for (tool, field) in [
        (Tool::AskUser, "/choices"),
        (Tool::Run, "/network"),
        (Tool::Run, "/outside"),
        (Tool::Run, "/reason"),
        (Tool::Run, "/timeout_s"),
        (Tool::Search, "/glob"),
        (Tool::SubmitPlan, "/tasks/items/properties/after"),
    ] {
        let place = format!("/properties{field}/description");
        let told = spec(tool).and_then(|s| s.parameters.pointer(&place).cloned());
        assert!(told.is_some_and(|t| t.as_str().is_some_and(|t| !t.is_empty())), "{tool:?} {field}");
    }
}

#[test]
fn an_offer_without_a_capability_has_none_of_its_tools() {
    assert_eq!(names(&specs(ToolScope::NONE, true, &[])), Vec::<&str>::new());
    assert_eq!(names(&specs(ToolScope::DISCOVERY, true, &[Tool::Delegate])), ["list"]);
    let usual = |needs: &[Capability]| -> Vec<&str> {
        let of = |t: &Tool| t.needs().is_some_and(|n| needs.contains(&n));
        let all = Tool::ALL.into_iter().filter(|t| of(t) && !t.asks_index() && !t.is_of_sources());
        all.map(Tool::name).collect()
    };
    let (reads, runs) = ([Capability::List, Capability::Read], Capability::Execute);
    let reading = usual(&reads);
    assert!(["list", "read", "search", "record_fact"].iter().all(|t| reading.contains(t)));
    let offered = |scope, held| specs(scope, held, &[]).into_iter().map(|s| s.name).collect::<Vec<_>>();
    assert_eq!(
        names(&specs(ToolScope::READ_ONLY, false, &[Tool::AskUser])),
        [&reading[..], &["ask_user"]].concat()
    );
    let running = usual(&[&reads[..], &[runs]].concat());
    assert!(running.len() > reading.len() && running.contains(&"run"));
    assert_eq!(offered(ToolScope::READ_ONLY, true), running);
    assert_eq!(offered(ToolScope::EXECUTE, false), running);
    let changing = usual(&[&reads[..], &[Capability::Write, Capability::Delete]].concat());
    assert!(["edit", "write", "delete"].iter().all(|t| changing.contains(t)));
    assert_eq!(offered(ToolScope::WORKSPACE, false), changing);
}

#[test]
fn tools_of_the_index_are_offered_where_they_are_named_and_reading_is_allowed() {
    let named = [Tool::KbSearch, Tool::CitationVerify];
    let offered = specs(ToolScope::READ_ONLY, false, &named);
    let all = names(&offered).join(" ");
    assert!(all.starts_with("list read search") && all.ends_with(" kb_search citation_verify"), "{all}");
    assert!(!all.contains("hop_retrieve") && !all.contains("edit"), "{all}");
    assert_eq!(names(&specs(ToolScope::NONE, false, &named)), Vec::<&str>::new());
}

#[test]
fn the_same_offer_gives_the_same_bytes() {
    let text = || format!("{:?}", specs(ToolScope::SHELL, true, &SESSION));
    assert_eq!(text(), text());
}
