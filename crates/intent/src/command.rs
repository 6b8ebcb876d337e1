//! Commands typed to the workbench: `/name`, `::name`, `:name`, `!line`, and the `@node` prefix.
//!
//! Owns the one table of slash commands, which completion, palette, help, the classifier, the session and
//! runs without a screen read, and the shapes of the others. Never runs one.

use super::{
    IntentNode,
    turn::{Control, Mode, Phase, Turn},
};

/// What follows a command's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arguments {
    /// Nothing.
    None,
    /// Something or nothing.
    Optional(&'static str),
    /// Something that it cannot do without.
    Required(&'static str),
}

impl Arguments {
    /// How they are shown; empty for none.
    pub const fn shown(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Optional(name) | Self::Required(name) => name,
        }
    }
}

/// Who carries a command out, and so where it may be given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handler {
    /// The session, with and without a screen.
    Session,
    /// The screen; without one there is nothing to do.
    Screen,
    /// The screen when nothing follows the name, else the session.
    Either,
}

/// A row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlashCommand {
    /// What it does.
    pub does: Slash,
    /// Its name, without the slash.
    pub name: &'static str,
    /// Other names for it.
    pub aliases: &'static [&'static str],
    /// What follows its name.
    pub arguments: Arguments,
    /// Who carries it out.
    pub handler: Handler,
    /// What it does, for people.
    pub help: &'static str,
}

use Arguments::{None as Nothing, Optional, Required};

/// The order that `/init` gives.
pub const INIT: &str = "Write AGENTS.md at the top of this folder: what an agent has to know to work here. Begin with the \
commands that build, check and test it, as they were found; then how it is laid out and the conventions that its code \
follows, each seen in the files. At most 60 lines. Where there is one already, keep what is true in it and mend the rest.";

/// The file that [`INIT`] asks for.
pub const INIT_FILE: &str = "AGENTS.md";

/// Makes [`Slash`] and the table of a row each: name and aliases, what follows, who carries it out, help.
macro_rules! commands {
    ($($does:ident $name:literal [$($alias:literal),*] $arguments:expr, $handler:ident, $help:literal;)+) => {
        /// What a slash command does.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Slash { $(#[doc = $help] $does,)+ }

        /// Every slash command, in the order in which they are listed.
        pub static SLASH_COMMANDS: [SlashCommand; [$($name),+].len()] = [$(SlashCommand {
            does: Slash::$does,
            name: $name,
            aliases: &[$($alias),*],
            arguments: $arguments,
            handler: Handler::$handler,
            help: $help,
        }),+];
    };
}

commands! {
    Agent "agent" [] Required("TASK"), Session, "do the text as a task, whatever it sounds like";
    Plan "plan" [] Optional("TASK|show|import|…"), Either,
        "plan the task (candidates 3 TASK: three); show, take, export, import, archive";
    Redo "redo" [] Nothing, Session, "take the last plan up again, or try again what failed";
    Retry "retry" [] Nothing, Session, "ask the last message again, whatever became of it";
    Replan "replan" [] Nothing, Session, "make another plan";
    Abort "abort" ["cancel", "stop"] Nothing, Session, "stop what is running";
    Compact "compact" [] Optional("again|WHAT TO KEEP"), Session, "sum up earlier talk; the log keeps it";
    Context "context" [] Nothing, Either, "what the model is told next; there p pins, d drops";
    Reset "reset" ["new", "clear"] Nothing, Session, "clear plan and facts";
    Undo "undo" [] Optional("FILE"), Session,
        "take back the last applied change; of a FILE, hunk by hunk what was written to it";
    Unundo "unundo" [] Nothing, Session, "put back the last undone change";
    Diff "diff" [] Nothing, Screen, "go to the proposed changes";
    Changes "changes" ["written"] Optional("run|turn"), Either,
        "what was written, with its diffs; by session, run or turn";
    Commit "commit" [] Optional("MESSAGE"), Session,
        "commit what this session wrote, and nothing else; shows it first";
    Budget "budget" ["cost"] Optional("USD|50000t|20 calls|off"), Session,
        "what is spent, and how much may be from now on; `+2` adds to it";
    Research "research" [] Optional("QUESTION"), Session,
        "find it out in stages, with citations that are checked; alone, go on where it was left";
    Depth "depth" [] Optional("quick|standard|deep"), Session, "how deep research goes, in numbers";
    Proposals "proposals" ["aside"] Optional("FILE|all|plan|drop"), Session,
        "what is set aside; with FILE or all, take it up again";
    Queue "queue" [] Optional("up|drop|tell|edit N"), Session,
        "what begins when the run has ended; up N, drop N, tell N, edit N TEXT";
    Approvals "approvals" [] Nothing, Screen, "what waits for you";
    Why "why" [] Nothing, Screen, "why the last message took its path";
    Facts "facts" [] Optional("WORD|forget NAME"), Session,
        "what is known, and how; `/facts forget NAME` forgets it";
    Memory "memory" ["remember"] Optional("WORD|add NOTE|forget NOTE|edit"), Session,
        "notes for later sessions; `add user NOTE` for every project, `edit user` in $EDITOR";
    Sources "sources" ["mcp"] Nothing, Either, "MCP servers: how they are, what they have";
    Skills "skills" [] Nothing, Screen, "skills and commands of files: where from, what they may";
    Agents "agents" [] Nothing, Screen, "agents of files, called as @NAME: where from, what they may";
    Kb "kb" ["knowledge"] Required("QUESTION|status"), Screen,
        "passages of this project that answer a question; status says what is indexed";
    Title "title" ["rename"] Optional("TEXT|again"), Session, "call this session so in lists; alone or with again, the model names it";
    Runs "bg" ["runs", "sessions", "session", "resume"] Optional("TASK"), Screen,
        "sessions of this folder, to go on with; with a task as /bg";
    History "history" ["turns", "rewind"] Nothing, Screen,
        "every message of this session: what came of it, and back to before it";
    Fork "fork" ["branch"] Optional("MESSAGE"), Screen,
        "go on in a copy of this session, up to a message of yours by its number; this one stays as it is";
    Worktree "worktree" ["wt"] Required("NAME [TASK]"), Screen, "a session in a git worktree of its own";
    Status "status" ["state"] Nothing, Either, "mode, phase, plan, queue";
    Mode "mode" [] Required("proof|explore"), Session, "change the mode";
    Proof "proof" [] Nothing, Session, "plans with a provenance chain for every conclusion";
    Explore "explore" ["exploratory"] Nothing, Session, "incremental plans over accumulated facts";
    Chat "chat" [] Nothing, Session, "conversation only, until /auto";
    Auto "auto" [] Nothing, Session, "leave conversation only";
    Ask "ask" [] Nothing, Session, "every change asks";
    ReadOnly "readonly" [] Nothing, Session, "read-only ceiling";
    Init "init" [] Nothing, Session, "propose an AGENTS.md: how to work in this folder";
    Trust "trust" [] Optional("off"), Session,
        "what the folder brings to run, and whether it may; `/trust off` takes it back";
    Model "model" ["models"] Optional("NAME|main"), Session,
        "who answers and where that was said; with a name, another from the next request on";
    Config "config" ["settings", "preferences"] Nothing, Session,
        "every setting in force, and where it was said";
    Theme "theme" [] Optional("NAME|light|dark"), Screen, "change the colours";
    Connect "connect" [] Nothing, Screen, "how to connect a model";
    Help "help" ["h", "?", "commands", "keys"] Nothing, Either, "keys and commands";
    Exit "exit" ["quit", "q", "q!", "wq", "x", "bye"] Nothing, Either, "leave";
}

impl SlashCommand {
    /// The command of this name or alias, in any case.
    pub fn named(name: &str) -> Option<&'static Self> {
        let name = name.to_lowercase();
        SLASH_COMMANDS.iter().find(|c| c.name == name || c.aliases.contains(&name.as_str()))
    }

    /// Reads a whole line as a known command and what follows its name.
    pub fn of_line(line: &str) -> Option<(&'static Self, String)> {
        let (name, arguments) = slash(line)?;
        Some((Self::named(&name)?, arguments))
    }

    /// Whether a screen carries it out itself, given what follows its name.
    pub fn is_for_screen(&self, arguments: &str) -> bool {
        match self.handler {
            Handler::Session => false,
            Handler::Screen => true,
            Handler::Either => arguments.is_empty(),
        }
    }

    /// The word to the workbench that it is short for, if it is short for one.
    #[expect(clippy::wildcard_enum_match_arm, reason = "any other is a word of its own")]
    pub fn control(&self, arguments: &str) -> Option<Control> {
        Some(match self.does {
            Slash::Proof => Control::ModeSwitch(Mode::Proof),
            Slash::Explore => Control::ModeSwitch(Mode::Exploratory),
            Slash::Mode => Control::ModeSwitch(match arguments.trim().to_lowercase().as_str() {
                "proof" => Mode::Proof,
                "explore" | "exploratory" => Mode::Exploratory,
                _ => return None,
            }),
            Slash::Reset => Control::Reset,
            Slash::Redo | Slash::Retry => Control::Redo,
            Slash::Replan => Control::Replan,
            Slash::Abort => Control::Cancel,
            Slash::Help => Control::Help,
            Slash::Status => Control::Status,
            Slash::Exit => Control::Exit,
            _ => return None,
        })
    }

    /// What is wrong with the arguments, if something is.
    ///
    /// # Errors
    /// What to write instead.
    pub fn check(&self, arguments: &str) -> Result<(), String> {
        match self.arguments {
            Required(what) if arguments.is_empty() => Err(format!("write /{} {what}", self.name)),
            Nothing if !arguments.is_empty() => Err(format!("/{} takes nothing after its name", self.name)),
            Nothing | Optional(_) | Required(_) => Ok(()),
        }
    }

    /// The name that is most like one that no command has, if any is like it.
    pub fn nearest(name: &str) -> Option<&'static str> {
        let name = name.to_lowercase();
        let names = SLASH_COMMANDS.iter().flat_map(|c| std::iter::once(&c.name).chain(c.aliases));
        names
            .filter(|n| n.len() > 2)
            .map(|n| (strsim::normalized_damerau_levenshtein(n, &name), *n))
            .filter(|(ratio, _)| *ratio > 0.5)
            .max_by(|a, b| a.0.total_cmp(&b.0))
            .map(|(_, n)| n)
    }
}

/// A slash command: its name in lower case and its arguments.
pub(crate) fn slash(text: &str) -> Option<(String, String)> {
    let text = text.trim();
    let rest =
        text.strip_prefix("::").or_else(|| text.strip_prefix('/')).or_else(|| text.strip_prefix(':'))?;
    let (name, args) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let word = name.starts_with(|c: char| c.is_alphanumeric() || c == '?')
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '!' | '?'));
    // As long as the name of a skill may be; a number alone is none.
    let word = word && name.chars().any(|c| !c.is_numeric()) || is_doubled(name);
    (word && name.chars().count() <= 64).then(|| (name.to_lowercase(), args.trim().to_owned()))
}

/// Whether commands stand together, "/undo/undo": no path is made of their names alone.
fn is_doubled(name: &str) -> bool {
    let Some((first, more)) = name.split_once('/') else { return false };
    let is = |part: &str| SlashCommand::named(part).is_some();
    is(first) && more.split('/').all(|part| part.is_empty() || is(part))
}

/// What a command by name does to the turn.
pub(crate) fn turn_of(name: &str, args: &str, phase: Phase) -> (Turn, IntentNode) {
    let command = SlashCommand::named(name);
    match command.map(|c| c.does) {
        Some(Slash::Init) => (Turn::PlanNew(None), IntentNode::Write),
        Some(Slash::Agent) if !args.is_empty() => (Turn::PlanNew(None), IntentNode::Write),
        Some(Slash::Plan) if !args.is_empty() => {
            let turn = if phase == Phase::Idle { Turn::PlanNew(None) } else { Turn::PlanContinue };
            (turn, IntentNode::Decompose)
        }
        Some(Slash::Research) if !args.is_empty() => (Turn::Query(None), IntentNode::Read),
        _ => {
            let other = || Control::Other(command.map_or(name, |c| c.name).to_owned());
            let control = command.and_then(|c| c.control(args)).unwrap_or_else(other);
            (Turn::Control(control), IntentNode::Conversation)
        }
    }
}

/// Splits a leading `@node` off; an unknown name leaves the text as it is.
pub(crate) fn node_prefix(text: &str) -> Option<(IntentNode, &str)> {
    let rest = text.trim_start().strip_prefix('@')?;
    let (name, tail) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let node = name.trim_end_matches([':', ',']).parse().ok()?;
    Some((node, tail.trim()))
}

/// A line after `!`, or after `!!`.
pub(crate) fn bang(text: &str) -> Option<&str> {
    let rest = text.trim().strip_prefix('!')?;
    let line = rest.strip_prefix('!').unwrap_or(rest).trim();
    line.starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '/' | '~' | '$'))
        .then_some(line)
}

#[cfg(test)]
mod tests;
