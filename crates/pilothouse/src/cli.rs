//! The command line as clap reads it: names, flags, help with examples. Never acts.

mod kb;
mod models;
mod recipes;
mod run;
mod sessions;
mod sources;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub use kb::{KbCommand, KbSearchArgs};
pub use models::{ModelsArgs, ModelsCommand};
pub use recipes::{AgentsCommand, ListArgs, SkillsCommand};
pub use run::{DepthArg, ModeArg, RunArgs};
pub use sessions::{ListSessionsArgs, SearchArgs, SessionsCommand};
pub use sources::SourcesCommand;

/// The whole command line.
#[derive(Debug, Parser)]
#[command(
    name = "pilothouse",
    version,
    about = "A terminal workbench where an agent proposes and you decide.",
    after_help = "Examples:\n  pilothouse                      open the workbench here\n  pilothouse ~/code/inkwell       open it there\n  pilothouse run \"where is Store?\"   one goal without a screen\n  pilothouse resume               open the last session of this folder again",
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true
)]
pub struct Cli {
    /// What to do; the workbench without one.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// The folder to work in.
    #[arg(default_value = ".")]
    pub dir: PathBuf,
    /// Look flags.
    #[command(flatten)]
    pub look: LookArgs,
}

/// `runs`.
#[derive(Clone, Debug, Args)]
pub struct RunsArgs {
    /// Of every folder.
    #[arg(long)]
    pub all: bool,
    /// Print one JSON object a line.
    #[arg(long)]
    pub json: bool,
}

/// How the screen looks.
#[derive(Clone, Debug, Default, Args)]
pub struct LookArgs {
    /// The theme's name.
    #[arg(long)]
    pub theme: Option<String>,
    /// Draw for a light terminal.
    #[arg(long, conflicts_with = "dark")]
    pub light: bool,
    /// Draw for a dark terminal.
    #[arg(long)]
    pub dark: bool,
    /// Use only ASCII characters for lines and marks.
    #[arg(long)]
    pub ascii: bool,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// One goal without a screen.
    #[command(
        after_help = "Examples:\n  pilothouse run \"where is Store?\"\n  pilothouse run \"rename find_notes to search_notes\" --plan\n  pilothouse run \"rename find_notes to search_notes\" --auto-confirm --json\n\nExit codes: 0 done · 1 failed · 2 wrong usage or configuration · 3 a question is open · 4 budget spent · 5 model not reached · 130/143 cancelled"
    )]
    Run(RunArgs),
    /// Opens a session again.
    #[command(after_help = "Examples:\n  pilothouse resume\n  pilothouse resume 20260102-101500-3f2a")]
    Resume(ResumeArgs),
    /// Sessions: lists, shows, finds, renames, labels, copies, hands on, puts away, deletes and checks them.
    #[command(
        after_help = "Examples:\n  pilothouse sessions list --json\n  pilothouse sessions list --archived --label release\n  pilothouse sessions show 20260102-101500-3f2a\n  pilothouse sessions search \"retry\"\n  pilothouse sessions rename 20260102-101500-3f2a \"Retries of the store\"\n  pilothouse sessions label 20260102-101500-3f2a release --remove draft\n  pilothouse sessions archive 20260102-101500-3f2a\n  pilothouse sessions export 20260102-101500-3f2a --out notes.md\n  pilothouse sessions export 20260102-101500-3f2a --json --out session.jsonl\n  pilothouse sessions import session.jsonl --dir ~/code/inkwell\n  pilothouse sessions fork 20260102-101500-3f2a --at 2\n  pilothouse sessions replay 20260102-101500-3f2a --speed 4\n  pilothouse sessions verify --all\n\nA session in use by another process can only be changed there."
    )]
    Sessions {
        /// What to do with them.
        #[command(subcommand)]
        what: SessionsCommand,
    },
    /// Lists what is at work, what waits and what was left unfinished, for scripts.
    #[command(
        after_help = "Examples:\n  pilothouse runs                 of this folder and its worktrees\n  pilothouse runs --all --json    of every folder, one JSON object a line\n\nA status: idle, thinking, tool, waiting, stalled, done, ended, failed, stopped, orphaned"
    )]
    Runs(RunsArgs),
    /// Serves an editor as an agent, by the Agent Client Protocol over standard input and output.
    #[command(
        after_help = "An editor starts it; its agent setting in Zed:\n  \"agent_servers\": {\"Pilothouse\": {\"command\": \"pilothouse\", \"args\": [\"acp\"]}}\n\nBy hand, one JSON object a line:\n  echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":1}}' | pilothouse acp\n\nStandard output carries the protocol and nothing else; errors go to standard error and the log file.\nExit codes: 0 the input ended · 130/143 stopped; sessions are saved each time"
    )]
    Acp,
    /// Finds passages of the folder that answer a question.
    #[command(
        after_help = "Examples:\n  pilothouse kb search \"where are retries counted\"\n  pilothouse kb search retry --within src --json\n  pilothouse kb status\n  pilothouse kb rebuild\n\nThe index is built at the first question and kept outside the project. Exit 1: nothing was found."
    )]
    Kb {
        /// What to do.
        #[command(subcommand)]
        what: KbCommand,
    },
    /// Takes back the last applied change of the folder.
    #[command(
        after_help = "Examples:\n  pilothouse undo --dry-run\n  pilothouse undo\n  pilothouse undo --keep"
    )]
    Undo(UndoArgs),
    /// Puts back the last undone change of the folder.
    #[command(after_help = "Example:\n  pilothouse redo")]
    Redo(UndoArgs),
    /// Says which message, step, call, approval and gate brought a line of a file.
    #[command(
        after_help = "Examples:\n  pilothouse blame src/store.rs\n  pilothouse blame src/store.rs:42\n  pilothouse blame src/store.rs --json\n\n· was there before · ≠ someone else wrote it since\nA file moved by a command starts with that command."
    )]
    Blame(BlameArgs),
    /// The intent classifier alone.
    #[command(
        after_help = "Examples:\n  pilothouse classify \"fix the typo in README\"\n  pilothouse classify --jsonl < messages.jsonl\n  pilothouse classify --llm \"the thing with the numbers\""
    )]
    Classify(ClassifyArgs),
    /// The command risk classifier alone.
    #[command(
        after_help = "Examples:\n  pilothouse risk \"rm -rf build\"\n  pilothouse risk --jsonl < commands.jsonl"
    )]
    Risk(RiskArgs),
    /// Stores, lists and removes keys.
    #[command(
        after_help = "Examples:\n  pilothouse auth set openai              asks for the key, without echoing it\n  pilothouse auth set api.example.org < key.txt\n  pilothouse auth list"
    )]
    Auth {
        /// What to do.
        #[command(subcommand)]
        what: AuthCommand,
    },
    /// Says what was found: settings, model, folder, sandbox.
    #[command(after_help = "Examples:\n  pilothouse doctor\n  pilothouse doctor DIR --json")]
    Doctor(DoctorArgs),
    /// Checks skills, agents, commands and configuration: file, line and column of what is wrong.
    #[command(
        after_help = "Examples:\n  pilothouse validate                        your configuration and what this folder brings\n  pilothouse validate .claude/skills/x       one folder\n  pilothouse validate --json commands/fix.md\n\nExit codes: 0 nothing is wrong · 2 something is"
    )]
    Validate(ValidateArgs),
    /// Shows what a folder brings that would take effect, and whether it may.
    #[command(
        after_help = "Examples:\n  pilothouse trust                 look at it, then answer\n  pilothouse trust --show          only look\n  pilothouse trust --hash HASH     trust exactly what --show printed\n  pilothouse trust --revoke"
    )]
    Trust(TrustArgs),
    /// The permission rules: which there are, which decides a call and why, what a new one would have done.
    #[command(
        after_help = "Examples:\n  pilothouse permissions list\n  pilothouse permissions explain \"cargo add serde\"\n  pilothouse permissions explain \"read .env\"\n  pilothouse permissions rehearse \"allow command cargo add\"\n  pilothouse permissions add \"deny read secrets/**\"\n\nA rule: deny|ask|allow  command|read|write|delete|path|mcp|network  PATTERN\nA call: a command line, or `read PATH`, `edit PATH`, `delete PATH`, `mcp SERVER TOOL`, `network HOST`"
    )]
    Permissions {
        /// What to do.
        #[command(subcommand)]
        what: PermissionsCommand,
    },
    /// MCP servers: which there are, whether they answer, what they have.
    #[command(
        after_help = "Examples:\n  pilothouse sources add memory -- npx -y @modelcontextprotocol/server-memory\n  pilothouse sources add far --url https://mcp.example.org/mcp --header 'Authorization=Bearer ${FAR_TOKEN}'\n  pilothouse sources test\n  pilothouse sources tools memory\n\nA project's own are in .mcp.json, .pilothouse/mcp.json and .pilothouse/sources/NAME/config.json, and need trust."
    )]
    Sources {
        /// What to do.
        #[command(subcommand)]
        what: SourcesCommand,
    },
    /// Agents: which there are and what they may; one that does one thing.
    #[command(
        after_help = "Examples:\n  pilothouse agents list\n  pilothouse agents validate\n  pilothouse agents run research \"how are retries counted?\" --depth deep\n\nYour own are in agents/NAME/ in the configuration folder: AGENT.md, and config.json with prompts/stage-NAME.md for stages."
    )]
    Agents {
        /// What to do.
        #[command(subcommand)]
        what: AgentsCommand,
    },
    /// Skills and commands of files: which there are and what they may.
    #[command(after_help = "Examples:\n  pilothouse skills list\n  pilothouse skills list --json")]
    Skills {
        /// What to do.
        #[command(subcommand)]
        what: SkillsCommand,
    },
    /// Models: which can be asked, and whether they answer.
    #[command(
        after_help = "Examples:\n  pilothouse models list           every connection, where it is set, what its endpoint offers\n  pilothouse models list fast --json\n  pilothouse models test           one short message to each\n\nNamed ones are under [model.also] in config.toml. Exit 5: one does not answer."
    )]
    Models {
        /// What to do.
        #[command(subcommand)]
        what: ModelsCommand,
    },
    /// The configuration: where it is, what it comes to, and your editor on it.
    #[command(
        after_help = "Examples:\n  pilothouse config path\n  pilothouse config edit\n  pilothouse config show --origin\n  pilothouse config validate"
    )]
    Config {
        /// What to do.
        #[command(subcommand)]
        what: ConfigCommand,
    },
    /// The keys: what each does and where, with your own over those that ship.
    #[command(
        after_help = "Examples:\n  pilothouse keys\n  pilothouse keys --json\n\nKeys of your own: keymap.toml beside the configuration."
    )]
    Keys {
        /// One JSON object a line.
        #[arg(long)]
        json: bool,
    },
    /// Themes: which there are, and the file of one.
    #[command(
        after_help = "Examples:\n  pilothouse themes list\n  pilothouse themes show nord > nord-of-mine.toml\n\nThemes of your own: themes/NAME.toml beside the configuration."
    )]
    Themes {
        /// What to do.
        #[command(subcommand)]
        what: ThemesCommand,
    },
    /// Prints what a shell needs to complete the command line.
    #[command(
        after_help = "Examples:\n  pilothouse completions bash > ~/.local/share/bash-completion/completions/pilothouse\n  pilothouse completions fish > ~/.config/fish/completions/pilothouse.fish\n  pilothouse completions zsh > \"${fpath[1]}/_pilothouse\""
    )]
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Prints the manual's page, or that of one command.
    #[command(
        after_help = "Examples:\n  pilothouse man | man -l -\n  pilothouse man sessions > pilothouse-sessions.1"
    )]
    Man {
        /// The command.
        command: Option<String>,
    },
}

/// `doctor`.
#[derive(Clone, Debug, Args)]
pub struct DoctorArgs {
    /// The folder to look at; this one without it.
    #[arg(value_name = "DIR", conflicts_with = "dir")]
    pub folder: Option<PathBuf>,
    /// The same.
    #[arg(long, default_value = ".")]
    pub dir: PathBuf,
    /// Print one JSON object a line.
    #[arg(long)]
    pub json: bool,
}

/// `blame`.
#[derive(Clone, Debug, Args)]
pub struct BlameArgs {
    /// The file; with a line of it, only that line and all that is known of it.
    #[arg(value_name = "FILE[:LINE]")]
    pub file: String,
    /// One JSON object a line of the file.
    #[arg(long)]
    pub json: bool,
}

/// `themes …`.
#[derive(Clone, Debug, Subcommand)]
pub enum ThemesCommand {
    /// Lists the themes that ship and your own, and which is in use.
    List {
        /// One JSON object a line.
        #[arg(long)]
        json: bool,
    },
    /// Prints the file of a theme: what one of your own begins with.
    Show {
        /// Its name.
        name: String,
    },
}

/// `validate`.
#[derive(Clone, Debug, Args)]
pub struct ValidateArgs {
    /// Files and folders; your configuration and this folder's without any.
    pub paths: Vec<PathBuf>,
    /// Print one JSON object a line.
    #[arg(long)]
    pub json: bool,
}

/// Which session is meant.
#[derive(Clone, Debug, Args)]
pub struct WhichArgs {
    /// The session; without it the one of this folder that was used last.
    pub id: Option<String>,
    /// The session that was used last, of any folder.
    #[arg(long, conflicts_with = "id")]
    pub last: bool,
}

/// `resume`.
#[derive(Clone, Debug, Args)]
pub struct ResumeArgs {
    /// Which session.
    #[command(flatten)]
    pub which: WhichArgs,
    /// Look flags.
    #[command(flatten)]
    pub look: LookArgs,
}

/// `undo` and `redo`.
#[derive(Clone, Debug, Args)]
pub struct UndoArgs {
    /// The folder.
    #[arg(long, default_value = ".")]
    pub dir: PathBuf,
    /// In this session only.
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,
    /// List what could be taken back.
    #[arg(long)]
    pub list: bool,
    /// Say what would happen, write nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// Take back also where others changed the same lines since, or while a command ran.
    #[arg(long, conflicts_with = "keep")]
    pub all: bool,
    /// Leave what others changed since, or while a command ran.
    #[arg(long)]
    pub keep: bool,
}

/// `classify`.
#[derive(Clone, Debug, Args)]
pub struct ClassifyArgs {
    /// The message.
    pub text: Option<String>,
    /// The phase: idle, planning, `awaiting_approval`, executing, failed, paused.
    #[arg(long, default_value = "idle")]
    pub phase: String,
    /// A plan is active although the phase is idle.
    #[arg(long)]
    pub plan_active: bool,
    /// JSON instead of words.
    #[arg(long)]
    pub json: bool,
    /// Ask the configured model (and embedder) where the rules are not sure.
    #[arg(long)]
    pub llm: bool,
    /// Read `{"id","text","phase"}` lines from standard input.
    #[arg(long, conflicts_with = "text")]
    pub jsonl: bool,
}

/// `risk`.
#[derive(Clone, Debug, Args)]
pub struct RiskArgs {
    /// The command line.
    pub command: Option<String>,
    /// JSON instead of words.
    #[arg(long)]
    pub json: bool,
    /// Read `{"cmd"}` lines from standard input.
    #[arg(long, conflicts_with = "command")]
    pub jsonl: bool,
}

/// `auth …`.
#[derive(Clone, Debug, Subcommand)]
pub enum AuthCommand {
    /// Stores a key, read from standard input.
    Set {
        /// A preset (openai, openrouter, anthropic, google, azure), or the host that the key is for.
        provider: String,
        /// In the system's keyring instead of the credentials file.
        #[arg(long)]
        keyring: bool,
    },
    /// Removes a stored key.
    Remove {
        /// The name it is stored under.
        provider: String,
    },
    /// Lists who has a key, and where it is; never the key.
    List {
        /// One JSON object a line.
        #[arg(long)]
        json: bool,
    },
}

/// `trust`.
#[derive(Clone, Debug, Args)]
pub struct TrustArgs {
    /// The folder.
    #[arg(default_value = ".")]
    pub dir: PathBuf,
    /// Only show what it brings and how it stands.
    #[arg(long, conflicts_with_all = ["revoke", "hash"])]
    pub show: bool,
    /// Take back whatever was decided.
    #[arg(long, conflicts_with = "hash")]
    pub revoke: bool,
    /// Trust it if it brings exactly what has this hash.
    #[arg(long, value_name = "HASH")]
    pub hash: Option<String>,
}

/// `permissions …`.
#[derive(Clone, Debug, Subcommand)]
pub enum PermissionsCommand {
    /// Lists every rule with the file and line where it stands.
    List {
        /// The folder.
        #[arg(long, default_value = ".")]
        dir: PathBuf,
        /// One JSON object a line.
        #[arg(long)]
        json: bool,
    },
    /// Says what happens to a call, which rule decides it, which one almost did, and what would turn it round.
    Explain {
        /// The call.
        call: String,
        /// The folder.
        #[arg(long, default_value = ".")]
        dir: PathBuf,
        /// The mode.
        #[arg(long, value_enum, default_value = "ask")]
        mode: PermissionArg,
        /// As if the command asked for the network.
        #[arg(long)]
        network: bool,
        /// As if the command asked to run outside the sandbox.
        #[arg(long)]
        outside: bool,
        /// JSON instead of words.
        #[arg(long)]
        json: bool,
    },
    /// Says what a rule would have done to the commands of past sessions.
    Rehearse {
        /// The rule.
        rule: String,
        /// The folder.
        #[arg(long, default_value = ".")]
        dir: PathBuf,
        /// Sessions of every folder, not only this one.
        #[arg(long)]
        all: bool,
        /// JSON instead of words.
        #[arg(long)]
        json: bool,
    },
    /// Adds a rule to your own file, below what stands there.
    Add {
        /// The rule.
        rule: String,
    },
}

/// A permission mode by name.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum PermissionArg {
    /// Nothing is changed or run.
    ReadOnly,
    /// Every change asks.
    Ask,
    /// Changes are made and recorded; removals and high risk ask.
    Auto,
}

/// `config …`.
#[derive(Clone, Copy, Debug, Subcommand)]
pub enum ConfigCommand {
    /// Prints where the user's configuration file is.
    Path,
    /// Prints the configuration in force, without keys.
    Show {
        /// Every setting, and where it was said.
        #[arg(long)]
        origin: bool,
    },
    /// Opens your file in $VISUAL or $EDITOR; what cannot be used is not kept.
    Edit,
    /// Checks the configuration files.
    Validate,
    /// Prints every setting with its meaning and default, as a JSON schema of the user's file.
    Schema,
}
