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
};
use serde_json::{Value, json};

/// The ceilings, each with its id, its name and what it means.
const MODES: [(PermissionMode, &str, &str, &str); 3] = [
    (PermissionMode::ReadOnly, "read-only", "Read only", "nothing is changed or run"),
    (PermissionMode::Ask, "ask", "Ask", "every change asks"),
    (PermissionMode::Auto, "auto", "Auto", "changes are made and recorded; removals and high risk ask"),
];

/// What a ceiling is called.
pub(super) fn mode_id(of: PermissionMode) -> &'static str {
    MODES.iter().find(|(mode, ..)| *mode == of).map_or("", |(_, id, ..)| *id)
}

/// The ceiling that is called so.
pub(super) fn mode_named(id: &str) -> Option<PermissionMode> {
    MODES.iter().find(|(_, known, ..)| *known == id).map(|(mode, ..)| *mode)
}

/// The ceilings, and which holds.
pub(super) fn modes(now: PermissionMode) -> Value {
    let all = MODES.map(|(_, id, name, means)| json!({"id": id, "name": name, "description": means}));
    json!({"currentModeId": mode_id(now), "availableModes": all})
}

/// The commands that do something without a screen; leaving is the client's own.
pub(super) fn commands(recipes: &Recipes) -> Value {
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
    let all: Vec<Value> = own.chain(of_files).collect();
    json!({"sessionUpdate": "available_commands_update", "availableCommands": all})
}
