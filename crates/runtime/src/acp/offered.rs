//! What a session offers beside its talk: the ceilings as modes, and the commands that need no screen.
//!
//! Owns their names there. Both are read off the tables that every other place reads.

use pilothouse_core::{
    intent::{
        SLASH_COMMANDS,
        command::{Handler, Slash},
    },
    recipe::Recipes,
    scope::PermissionMode,
    session::State,
};
use serde_json::{Value, json};

use super::update::Update;

/// The option that the ceilings are.
pub(super) const MODE: &str = "mode";

/// The ceilings, each with its id, its name and what it means.
const MODES: [(PermissionMode, &str, &str, &str); 3] = [
    (PermissionMode::ReadOnly, "read-only", "Read only", "nothing is changed or run"),
    (PermissionMode::Ask, "ask", "Ask", "every change asks"),
    (PermissionMode::Auto, "auto", "Auto", "changes are made and recorded; removals and high risk ask"),
];

/// What a ceiling is called.
fn mode_id(of: PermissionMode) -> &'static str {
    MODES.iter().find(|(mode, ..)| *mode == of).map_or("", |(_, id, ..)| *id)
}

/// The ceiling that is called so.
pub(super) fn mode_named(id: &str) -> Option<PermissionMode> {
    MODES.iter().find(|(_, known, ..)| *known == id).map(|(mode, ..)| *mode)
}

/// The ceilings, and which holds, as a client of today asks for them and as one of before does.
pub(super) fn offers(now: PermissionMode) -> Value {
    let all = MODES.map(|(_, id, name, means)| json!({"id": id, "name": name, "description": means}));
    json!({
        "modes": {"currentModeId": mode_id(now), "availableModes": all}, "configOptions": options(now),
    })
}

/// The ceilings as an option of a session.
pub(super) fn options(now: PermissionMode) -> Value {
    let all = MODES.map(|(_, id, name, means)| json!({"value": id, "name": name, "description": means}));
    json!([{
        "id": MODE, "name": "Ceiling", "description": "how far anything may go", "category": "mode",
        "type": "select", "currentValue": mode_id(now), "options": all,
    }])
}

/// The ceiling that holds, for who has set it by a command.
pub(super) fn words(state: &State) -> &'static str {
    match state.permission {
        _ if state.chat_only => "From now on only words: nothing is changed or run.",
        PermissionMode::ReadOnly => "From now on nothing is changed or run.",
        PermissionMode::Ask => "From now on every change asks.",
        PermissionMode::Auto => "From now on changes are made and recorded; removals and high risk ask.",
    }
}

/// What a client is told when another ceiling holds.
pub(super) fn changed(now: PermissionMode) -> [Update; 2] {
    let current_mode_id = mode_id(now);
    [Update::Mode { current_mode_id }, Update::Options { config_options: options(now) }]
}

/// The commands that do something without a screen; leaving is the client's own.
pub(super) fn commands(recipes: &Recipes) -> Update {
    let command = |name: &str, does: &str, hint: &str| {
        let input = if hint.is_empty() { Value::Null } else { json!({"hint": hint}) };
        json!({"name": name, "description": does, "input": input})
    };
    let own = SLASH_COMMANDS.iter().filter(|c| c.handler != Handler::Screen && c.does != Slash::Exit);
    let own = own.map(|c| command(c.name, c.help, c.arguments.shown()));
    let of_files = recipes.usable().filter_map(|r| {
        let does = r.description.lines().next().unwrap_or_default();
        Some(command(r.call().strip_prefix('/')?, does, &r.hint))
    });
    Update::Commands { available_commands: own.chain(of_files).collect() }
}
