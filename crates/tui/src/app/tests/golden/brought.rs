//! What files, servers and the index bring to the screen.

use std::sync::Arc;

use pilothouse_core::{
    blob::BlobId,
    knowledge::{Axes, Lines, Passage, Score},
    port::KnowledgeReply,
    question::{FormField, FormQuestion},
    recipe::{Beside, Recipe, RecipeFile, RecipeKind, RecipeOrigin, Recipes},
    relpath::RelPath,
    source::{SourceHealth, SourceNews, SourceState, SourceTool},
    tool::ToolOutcome,
};

use super::{
    super::*,
    scenes::{answered, pressed, said},
};

/// Skills, a command and an agent of files, one of each state.
pub(in crate::app::tests) fn recipes(width: u16, height: u16) -> Desk {
    let one = |kind: RecipeKind, origin, slug: &str, text: &str| {
        let locks = vec!["references/locks.md".to_owned()];
        Recipe::read(RecipeFile {
            kind,
            origin,
            slug: slug.to_owned(),
            folder: kind != RecipeKind::Command,
            file: format!("~/.config/pilothouse/{}s/{slug}", kind.name()),
            content: Ok(text.as_bytes().to_vec()),
            beside: if slug == "sql-review" { Beside::Folder("/x".into(), locks) } else { Beside::None },
        })
    };
    let (skill, user, project) = (RecipeKind::Skill, RecipeOrigin::User, RecipeOrigin::Project);
    let broken = "---\nname: a-broken-one\ndescription: [1]\n---\nb\n";
    let review = "---\nname: sql-review\ndescription: Finds locks.\n---\nReview.\n";
    let fix = "---\ndescription: Mends an issue.\nargument-hint: [number]\n---\nFix $1.\n";
    let auditor = "---\nname: auditor\ndescription: Looks for what could go wrong.\ntools: Read, Grep\nsources: [tickets]\n---\nAudit.\n";
    let mut desk = Desk::new(width, height);
    let mut around = desk.app.world.surroundings.clone();
    around.recipes = Arc::new(Recipes::of(vec![
        one(skill, RecipeOrigin::Shipped, "write-tests", TESTS),
        one(skill, user, "write-tests", TESTS),
        one(skill, user, "sql-review", review),
        one(skill, user, "a-broken-one", broken),
        one(skill, project, "deploy", "---\nname: ship\ndescription: d\n---\nb\n"),
        one(RecipeKind::Command, project, "fix", fix),
        one(RecipeKind::Agent, user, "auditor", auditor),
        Recipe::staged(
            RecipeOrigin::Shipped,
            "research",
            "agents/research",
            Ok(super::research::agents().all[0].clone()),
        ),
    ]));
    desk.session.set_recipes(around.recipes.clone());
    desk.app.update(Update::Surroundings(Box::new(around)), desk.now);
    desk
}

const TESTS: &str = "---\nname: write-tests\ndescription: Write tests for a file, a function or a behaviour.\n\
argument-hint: FILE\nallowed-tools: Read Edit Write Bash\n---\n# Write tests\n\nRead first, then write tests for $ARGUMENTS.\n";

pub(super) fn knowledge(width: u16, height: u16, keys: &str) -> Desk {
    let mut desk = pressed(answered(width, height), "/kb where are passwords checked<enter>");
    let passage = |path: &str, from, title: &str, text: &str| Passage {
        lines: Lines { path: RelPath::new(path).unwrap(), from, to: from + text.lines().count() - 1 },
        hash: BlobId::of(text.as_bytes()),
        title: title.to_owned(),
        text: text.to_owned(),
        score: Score::FULL,
        axes: Axes::default(),
    };
    let found = vec![
        passage(
            "src/auth/login.rs",
            3,
            "login",
            "pub fn login(form: &Form) -> Result<User, Error> {\n    find(form)?\n}",
        ),
        passage(
            "src/auth/user.rs",
            12,
            "User > check",
            "    /// Compares hashes.\n    fn check(&self, given: &str) -> bool {\n        verify(&self.hash, given)\n    }",
        ),
        passage("docs/auth.md", 1, "Signing in", "# Signing in\n\nA password is never kept."),
    ];
    let (number, now) = (desk.number, desk.now);
    let reply = Reply::Knowledge(Box::new(Ok(KnowledgeReply::Passages(found))));
    desk.app.update(Update::Answered(number, reply), now);
    desk.press(keys);
    desk
}

/// A source whose tools were looked up, and a call of one that may change something.
pub(super) fn source_asks(width: u16, height: u16) -> Desk {
    let mut desk = said(width, height, "where is main?");
    desk.reply("", &[("source_tools", r#"{"source":"tickets"}"#)]);
    let tool = |name: &str, about: &str, reads| SourceTool {
        name: name.to_owned(),
        about: about.to_owned(),
        hash: BlobId::of(about.as_bytes()),
        reads,
        free: true,
        hides: false,
        required: Vec::new(),
        changed: !reads,
    };
    let tools = vec![tool("find", "Finds tickets.", true), tool("close", "Closes a ticket.", false)];
    let found = Some(Box::new(SourceNews { source: "tickets".to_owned(), tools }));
    let outcome = ToolOutcome { found, ..ToolOutcome::text("tickets__close", "2 tools") };
    let call = desk.tools.remove(0);
    desk.give(Input::ToolEnded { call, outcome });
    desk.reply("", &[("source_call", r#"{"tool":"tickets__close","arguments":{"id":17,"why":"a\u202eb"}}"#)]);
    desk
}

/// A call of a source that runs, and its server wants something.
pub(super) fn source_form(width: u16, height: u16) -> Desk {
    let mut desk = pressed(source_asks(width, height), "<ctrl-x>a");
    desk.wait(1_000).press("y").deliver();
    let call = desk.tools.remove(0);
    let fields =
        vec![FormField { name: "reason".to_owned(), takes: "done|wont-fix".to_owned(), says_no: false }];
    let (source, message) = ("tickets".to_owned(), "Why is it closed?".to_owned());
    desk.give(Input::SourceAsks(FormQuestion { call, source, message, fields }));
    desk
}

pub(super) fn sources(width: u16, height: u16, keys: &str) -> Desk {
    let mut desk = pressed(answered(width, height), "/sources<enter>");
    let state = |name: &str, line: &str, project, health| SourceState {
        name: name.to_owned(),
        line: line.to_owned(),
        about: "tickets of the team".to_owned(),
        file: "~/.config/pilothouse/sources/x/config.json".to_owned(),
        project,
        far: line.starts_with("https:"),
        wants: vec!["TICKETS_TOKEN".to_owned()],
        reads_unasked: name == "memory",
        invited: None,
        health,
    };
    let all = vec![
        state("memory", "npx -y @modelcontextprotocol/server-memory", false, SourceHealth::Ok(9)),
        state(
            "tickets",
            "https://tickets.example.org/mcp",
            false,
            SourceHealth::Failed("it did not answer `initialize` within 30 s".to_owned()),
        ),
        state("files", "npx -y @modelcontextprotocol/server-filesystem .", true, SourceHealth::Untrusted),
        state("search", "uvx search", false, SourceHealth::Idle),
        state("old", "old-server", false, SourceHealth::Off),
    ];
    let (number, now) = (desk.number, desk.now);
    desk.app.update(Update::Answered(number, Reply::Sources(all)), now);
    desk.press(keys);
    desk
}

pub(super) fn sources_key(width: u16, height: u16) -> Desk {
    let mut desk = sources(width, height, "c");
    desk.press("secret");
    desk
}

pub(super) fn sources_none(width: u16, height: u16) -> Desk {
    let mut desk = pressed(answered(width, height), "/sources<enter>");
    let (number, now) = (desk.number, desk.now);
    desk.app.update(Update::Answered(number, Reply::Sources(Vec::new())), now);
    desk
}

pub(super) fn sources_page(width: u16, height: u16) -> Desk {
    let mut desk = sources(width, height, "<enter>");
    let text = "memory-server 0.6.3\n\nmemory__read_graph\nIt says that it only reads. What its server says of it:\nRead the entire knowledge graph\nArguments: {\"type\":\"object\"}\n";
    let (number, now) = (desk.number, desk.now);
    desk.app
        .update(Update::Answered(number, Reply::SourceTools("memory".to_owned(), Ok(text.to_owned()))), now);
    desk
}
