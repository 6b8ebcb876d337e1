//! Skills, commands and agents of files: called by name, told as what they are, and never further than the message.

use std::sync::Arc;

use pilothouse_core::{
    event::{CallStatus, Event},
    front::{Fault, Place},
    input::Input,
    intent::{IntentNode, Phase},
    pipeline::{Depth, Material, PipelineAgent},
    recipe::{Beside, Recipe, RecipeFile, RecipeKind, RecipeOrigin, Recipes},
    scope::ToolScope,
    session::Session,
    talk::ModelReply,
    work::Work,
};
use serde_json::json;

use crate::support::*;

fn recipe(kind: RecipeKind, slug: &str, head: &str, body: &str) -> Recipe {
    let text = format!("---\nname: {slug}\n{head}---\n{body}\n");
    let recipe = Recipe::read(RecipeFile {
        kind,
        origin: RecipeOrigin::User,
        slug: slug.to_owned(),
        folder: kind != RecipeKind::Command,
        file: format!("~/{slug}.md"),
        content: Ok(text.into_bytes()),
        beside: Beside::None,
    });
    assert!(recipe.fault.is_none() || head.is_empty(), "{:?}", recipe.fault);
    recipe
}

fn bench() -> Bench {
    let mut b = Bench::new();
    let staged = agents(Depth::Quick).all[0].clone();
    b.session.set_recipes(Arc::new(Recipes::of(vec![
        recipe(
            RecipeKind::Skill,
            "tour",
            "description: Show around\nallowed-tools: Read\n",
            "Show $ARGUMENTS.",
        ),
        recipe(RecipeKind::Command, "fix", "description: d\nallowed-tools: Read Edit\n", "Mend #$1."),
        recipe(RecipeKind::Command, "talk", "description: Says something\n", "Talk."),
        recipe(
            RecipeKind::Agent,
            "auditor",
            "description: d\ntools: Read, Grep\nmodel: m\nsources: [web]\n",
            "Audit.",
        ),
        recipe(RecipeKind::Skill, "broken", "", "b"),
        Recipe::staged(RecipeOrigin::Shipped, "research", "agents/research", Ok(staged)),
    ])));
    b
}

fn directed(b: &Bench) -> Vec<(String, String, Vec<String>)> {
    let one = |e: &Event| match e {
        Event::TurnDirected { name, prompt, sources, .. } => {
            Some((name.clone(), prompt.head.clone(), sources.clone()))
        }
        _ => None,
    };
    b.log.iter().filter_map(|e| one(&e.event)).collect()
}

fn refusals(b: &Bench) -> Vec<String> {
    let one = |e: &Event| match e {
        Event::CallEnded { status, result, .. } if *status != CallStatus::Done => Some(result.head.clone()),
        _ => None,
    };
    b.log.iter().filter_map(|e| one(&e.event)).collect()
}

#[test]
fn a_slash_name_is_a_message_with_its_prompt_and_stays_what_was_typed() {
    let mut b = bench();
    b.say("/tour the parser");
    assert_eq!(directed(&b), [("tour".to_owned(), "Show the parser.".to_owned(), vec![])]);
    let state = b.session.state();
    let turn = &state.turns[&state.turn.unwrap()];
    assert_eq!((turn.head.as_str(), turn.path.current()), ("/tour the parser", IntentNode::Analyze));
    let lane = state.lanes.values().next().unwrap();
    assert_eq!(lane.ceiling, ToolScope::READ_ONLY);
    b.reply("", &[("edit", edit_of("a.txt"))]);
    assert!(
        refusals(&b)[0].contains("edit is not allowed: the skill `tour` keeps to Read"),
        "{:?}",
        refusals(&b)
    );
    b.reply("", &[("request_path", json!({"node": "modify", "reason": "I want to"}))]);
    assert!(refusals(&b)[1].contains("not open to this turn"), "{:?}", refusals(&b));
    let again = Session::replay(&b.log);
    assert_eq!(again.state(), b.session.state());
}

#[test]
fn a_command_that_edits_is_planned_and_one_that_says_nothing_of_tools_only_looks() {
    let mut b = bench();
    b.say("/fix 12");
    assert_eq!(b.session.state().phase, Phase::Planning);
    assert_eq!(directed(&b)[0].1, "Mend #12.");
    b.plan(&[("Mend it", "modify")], &[]);
    b.say("y");
    b.reply("", &[("run", json!({"command": "make"}))]);
    assert!(
        refusals(&b).iter().any(|r| r.contains("the command `fix` keeps to Read, Edit")),
        "{:?}",
        refusals(&b)
    );
    let mut b = bench();
    b.say("/talk");
    assert_eq!(b.session.state().phase, Phase::Idle);
    b.reply("", &[("edit", edit_of("a.txt"))]);
    assert!(
        b.session.state().open.values().any(|c| is_transition(&c.kind)),
        "more than a look is asked about"
    );
}

#[test]
fn what_nothing_is_called_stays_an_error_and_what_is_broken_says_why() {
    let mut b = bench();
    let mut refused = |line: &str| b.input(Input::say(line)).unwrap_err().reason;
    assert_eq!(refused("/tuor"), "there is no command /tuor; did you mean /tour?");
    assert_eq!(refused("/nothing-like-it"), "there is no command /nothing-like-it; /help lists them");
    assert_eq!(
        refused("/export"),
        "there is no command /export; in a shell, `pilothouse sessions export s` does it"
    );
    assert_eq!(refused("/doctor"), "there is no command /doctor; in a shell, `pilothouse doctor` does it");
    assert!(
        refused("/broken x")
            .starts_with("/broken cannot be used: ~/broken.md:1:1: missing field `description`")
    );
    assert!(refused("/auditor x").starts_with("there is no command /auditor"));
    assert!(directed(&b).is_empty());
}

#[test]
fn an_agent_directs_the_message_behind_its_name_and_never_widens_it() {
    let mut b = bench();
    b.say("@auditor Add a retry to a.txt");
    assert_eq!(directed(&b), [("auditor".to_owned(), "Audit.".to_owned(), vec!["web".to_owned()])]);
    let state = b.session.state();
    let turn = &state.turns[&state.turn.unwrap()];
    assert_eq!(turn.request.as_deref(), Some("Add a retry to a.txt"));
    assert_eq!(turn.directed.as_ref().unwrap().model.as_deref(), Some("m"));
    assert!(state.lanes.values().all(|l| ToolScope::READ_ONLY.contains(l.ceiling)));
    for line in ["@audit look at it", "@read a.txt", "@Nobody hello"] {
        let mut b = bench();
        b.say(line);
        assert!(directed(&b).is_empty(), "{line}");
    }
}

#[test]
fn all_of_what_is_said_to_an_agent_is_for_that_agent() {
    let mut b = bench();
    b.say("@auditor fix the typo in README.md; what is Store?");
    assert_eq!((b.session.state().turns.len(), directed(&b).len()), (1, 1));
}

#[test]
fn an_agent_is_directing_also_where_a_tier_is_asked_what_was_meant() {
    let mut b = Bench::doubting(&["query"]);
    b.session.set_recipes(Arc::clone(bench().session.recipes()));
    b.say("@auditor what does a.txt do?");
    assert_eq!(directed(&b).len(), 1);
    b.understand("@auditor what does a.txt do?", None);
    let state = b.session.state();
    assert_eq!(state.turns[&state.turn.unwrap()].request.as_deref(), Some("what does a.txt do?"));
    assert!(state.lanes.values().all(|l| ToolScope::READ_ONLY.contains(l.ceiling)));
}

#[test]
fn an_agent_is_a_kind_of_sub_agent_that_only_reads_and_keeps_to_its_tools() {
    let mut b = bench();
    b.say("where is the config read?");
    let task = |kind: &str| json!({"tasks": [{"kind": kind, "task": "look"}]});
    b.reply("", &[("delegate", task("nobody"))]);
    assert_eq!(refusals(&b)[0], "there is no kind `nobody`: it is one of search, review, verify, auditor");
    b.reply("", &[("delegate", task("auditor"))]);
    let child = b.session.state().lanes.values().find(|l| l.kind.parent().is_some()).unwrap().clone();
    assert_eq!(child.agent.as_ref().unwrap().name, "auditor");
    let told = b.log.iter().find_map(|e| match &e.event {
        Event::ChildStarted { agent: Some(agent), .. } => Some(agent.prompt.head.clone()),
        _ => None,
    });
    assert_eq!(told.as_deref(), Some("Audit."));
    b.reply_to(child.thinking.unwrap(), "", &[("edit", edit_of("a.txt"))]).unwrap();
    assert!(refusals(&b)[1].contains("edit is not allowed"), "{:?}", refusals(&b));
}

#[test]
fn an_agent_with_stages_is_called_by_its_name_and_directs_no_message() {
    let mut b = bench();
    b.say("@research who calls a?");
    assert!(directed(&b).is_empty());
    assert!(b.log.iter().any(|e| matches!(e.event, Event::Staged { .. })));
}

/// An agent of two stages with settings of its own.
fn scout(settings: &str) -> Result<Recipe, String> {
    let config = format!(
        "{{\"stages\": [{{\"name\": \"ask\", \"kind\": \"llm\", \"gives\": \"analysis\"}},\n\
         {{\"name\": \"more\", \"kind\": \"llm\", \"gives\": \"analysis\"}},\n\
         {{\"name\": \"output\", \"kind\": \"render\"}}],\n{settings}}}"
    );
    let agent = PipelineAgent::read("scout", &config, "", |_| Some("Ask.".to_owned()));
    let agent = agent.map_err(|(file, fault)| format!("{file}:{fault}"))?;
    Ok(Recipe::staged(RecipeOrigin::User, "scout", "agents/scout", Ok(agent)))
}

#[test]
fn an_agent_with_stages_goes_as_deep_and_spends_as_much_as_it_says() {
    let settings =
        r#""depth": "quick", "budget": "1 call", "output": {"citation": "{number} {path}#{lines}"}"#;
    let mut b = Bench::new();
    b.session.set_agents(Arc::default());
    b.session.set_recipes(Arc::new(Recipes::of(vec![scout(settings).unwrap()])));
    b.say("@scout who calls a?");
    let pipeline = b.session.state().pipeline.clone().unwrap();
    assert_eq!(pipeline.state.depth(), Depth::Quick);
    assert_eq!(pipeline.state.beginning().unwrap().spec.output.citation, "{number} {path}#{lines}");
    while let Some(next) = b.session.pending().into_values().next() {
        let input = match next {
            Work::Think { call, .. } => {
                let text = r#"{"scope": "a", "sub_queries": ["a"]}"#.to_owned();
                Input::Replied { call, reply: Ok(ModelReply { text, ..ModelReply::default() }) }
            }
            Work::Stage { pipeline, step } => {
                let state = &b.session.state().pipeline.as_ref().unwrap().state;
                let reply = state.reply().map(|r| r.head.clone());
                let material = Box::new(Material { reply, ..Material::default() });
                Input::StageGathered { pipeline, step, material }
            }
            other => panic!("{other:?}"),
        };
        b.input(input).unwrap();
    }
    let question = b.question(|k| k.budget().is_some());
    assert!(b.session.state().lanes.values().any(|l| l.held));
    // What the user says then goes before what the agent says.
    b.say("/budget 5 calls");
    assert!(!b.session.state().open.contains_key(&question));
    assert!(b.session.state().lanes.values().all(|l| !l.held && l.thinking.is_some()));
}

#[test]
fn settings_of_an_agent_that_mean_nothing_are_named_where_they_stand() {
    for (settings, said) in [
        (r#""depth": "abyss""#, "unknown variant `abyss`"),
        (r#""budget": "much""#, "is not a budget"),
        (r#""output": {"citation": "{page}"}"#, "config.json:4:12: a citation has no {page}"),
        (r#""output": {"citation": "{path}"}"#, "with {number} and {path}"),
        (r#""output": {"colour": "red"}"#, "config.json:4:12: unknown field `colour`"),
    ] {
        let why = scout(settings).unwrap_err();
        assert!(why.contains(said), "{why}");
    }
}

/// What is said of a line, before it is sent and when it is.
fn told_of(b: &mut Bench, line: &str) -> Option<String> {
    let (foretold, turns) = (b.session.foretell(line).refused, b.session.state().turns.len());
    let refused = b.input(Input::say(line)).err().map(|refusal| refusal.reason);
    assert_eq!(foretold, refused, "{line}");
    assert_eq!(
        b.session.state().turns.len() > turns,
        refused.is_none(),
        "{line}: what is refused is not sent"
    );
    refused
}

#[test]
fn a_name_that_nobody_answers_to_is_told_before_the_line_is_sent() {
    let faulty = |name: &str, why: &str| {
        let fault = Some(Fault::new(Place { line: 1, column: 1 }, why));
        let head = "description: d\n";
        Recipe { fault, origin: RecipeOrigin::Project, ..recipe(RecipeKind::Agent, name, head, "Write.") }
    };
    let changed = "it is inactive: it changed since the folder was trusted; /trust asks about it";
    let mut b = bench();
    let own = recipe(RecipeKind::Agent, "auditor", "description: d\n", "Audit.");
    b.session.set_recipes(Arc::new(Recipes::of(vec![
        own,
        faulty("docs-writer", changed),
        faulty("scribe", "tools is no list"),
        faulty("auditor", changed),
    ])));
    for (line, told) in [
        (
            "@docs-writer mention the limit",
            "@docs-writer is not available yet: ~/docs-writer.md is inactive: it changed since the folder was trusted; /trust asks about it",
        ),
        (
            "@scribe: mention the limit",
            "@scribe is not available: ~/scribe.md cannot be used: tools is no list; /agents shows it",
        ),
        (
            "@nobody explain greet.py",
            "there is no agent called @nobody. /agents lists them; put it in backticks if you don't mean an agent: `@nobody`",
        ),
        (
            "@auditr where is it?",
            "there is no agent called @auditr. Did you mean @auditor? /agents lists them; put it in backticks if you don't mean an agent: `@auditr`",
        ),
        (
            "@Auditor, where is it?",
            "there is no agent called @Auditor. Did you mean @auditor? /agents lists them; put it in backticks if you don't mean an agent: `@Auditor`",
        ),
    ] {
        assert_eq!(told_of(&mut b, line).as_deref(), Some(told), "{line}");
    }
    for line in [
        "@auditor where is it?",
        "@explain where is it?",
        "@src/greet.py what does it do?",
        "@greet.py what does it do?",
        "@Override is missing in Greeter, why?",
        "@property\ndef name(self): pass\n\nwhat does this do?",
        "`@property` is slow here, why?",
    ] {
        let mut b = bench();
        assert_eq!(told_of(&mut b, line), None, "{line}");
    }
}
