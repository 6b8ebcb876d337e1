//! Commands typed to the workbench: `/name`, `::name`, `:name`, `!line`, and the `@node` prefix.
//!
//! Owns their shapes. Never runs one.

use super::{
    IntentNode,
    turn::{Control, Mode, Phase, PlanSub, Turn},
};

/// A slash command: its name in lower case and its arguments.
pub(crate) fn slash(text: &str) -> Option<(String, String)> {
    let text = text.trim();
    let rest =
        text.strip_prefix("::").or_else(|| text.strip_prefix('/')).or_else(|| text.strip_prefix(':'))?;
    let (name, args) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let word = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '?')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '!' | '?'));
    (word && name.len() < 32).then(|| (name.to_lowercase(), args.trim().to_owned()))
}

/// What a command by name does to the turn.
pub(crate) fn turn_of(name: &str, args: &str, phase: Phase) -> (Turn, IntentNode) {
    let control = match name {
        "proof" => Control::ModeSwitch(Mode::Proof),
        "explore" | "exploratory" => Control::ModeSwitch(Mode::Exploratory),
        "mode" => Control::ModeSwitch(if args.to_lowercase().contains("proof") {
            Mode::Proof
        } else {
            Mode::Exploratory
        }),
        "reset" | "clear" | "new" => Control::Reset,
        "redo" | "retry" => Control::Redo,
        "help" | "h" | "?" | "commands" | "keys" => Control::Help,
        "status" | "state" => Control::Status,
        "exit" | "quit" | "q" | "q!" | "wq" | "x" | "bye" => Control::Exit,
        "abort" | "cancel" | "stop" => Control::Cancel,
        "replan" => Control::Replan,
        "agent" if !args.is_empty() => return (Turn::PlanNew(None::<PlanSub>), IntentNode::Write),
        "plan" if !args.is_empty() => {
            let turn = if phase == Phase::Idle { Turn::PlanNew(None) } else { Turn::PlanContinue };
            return (turn, IntentNode::Decompose);
        }
        _ => Control::Other(name.to_owned()),
    };
    (Turn::Control(control), IntentNode::Conversation)
}

/// Splits a leading `@node` off; an unknown name leaves the text as it is.
pub(crate) fn node_prefix(text: &str) -> Option<(IntentNode, &str)> {
    let rest = text.trim_start().strip_prefix('@')?;
    let (name, tail) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let node = name.trim_end_matches([':', ',']).parse().ok()?;
    Some((node, tail.trim()))
}

/// A line after `!`.
pub(crate) fn bang(text: &str) -> Option<&str> {
    let rest = text.trim().strip_prefix('!')?;
    let line = rest.trim();
    (!line.is_empty()
        && !line.starts_with('!')
        && line.starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '/' | '~' | '$')))
    .then_some(line)
}
