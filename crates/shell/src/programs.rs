//! What is known of programs, kept as data: `assets/knowledge/{base,git,dev,net,system,mac,exec,roles}.txt`.
//!
//! Owns reading those files and matching arguments against a program's lines. Judges no paths, runs nothing.
//!
//! A block starts with the programs' names in the first column; later blocks replace earlier ones, or add to them when they start with `+`. Inside:
//! `KIND[@sub|sub] options` what the value of an option is (the kinds are told in `options.txt`), `text N [unless …]`
//! operands that are no paths, `dest` which operands are written, `names` operands are not read, `moves` they go away,
//! `inner` they are a command, `starts sub|sub N` a command follows so many operands behind a sub-command, `long1` long
//! options have one dash, `helpfirst` `--help` counts only before the first operand, `subhelp` or after one sub-command,
//! `nohelp`, `namesubs`, `also` extra judges by name, `wraps N [floor RULE]` a wrapper, `valued` options with a value for
//! a judge that reads the arguments itself, `is` a [`Role`], `deep` sub-commands that are followed by another, `work`
//! files of the folder that say what it does, `takesin` words there behind which further ones stand, `sub conditions > effect` an [`Effect`]. Any other line is
//! `sub|sub sub… conditions : rule` (`:` base, longest wins; `=` overrides; `^` raises). Conditions: `?-a,--b` one of
//! these options, `!-a,--b` none of them, `@0 @1 @1+ @2+` number of operands left, `~glob,glob` an operand left
//! matches. `*` stands for any sub-command. What raises is met by any spelling, what is harmless only by the whole one.

pub(super) mod role;

pub use role::Role;

use std::collections::{HashMap, HashSet};
use std::sync::{LazyLock, OnceLock};

use super::args::Args;
use super::effect::Effect;
use super::expand::Field;
use super::forms::Form;
use super::grammar::{Kind, Options};
use super::rules::{self, Rule};
use super::syntax::Span;

/// Which operands a program writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Dest {
    #[default]
    None,
    All,
    /// The last operand, or the value of `-t`; the others are read.
    Copy,
    /// The last operand; the others are only named.
    Last,
    /// All of them, unless the command only reads.
    Changed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Base,
    Override,
    Raise,
}

#[derive(Clone, Debug)]
struct Line {
    form: Form,
    mode: Mode,
    rule: &'static Rule,
}

/// One program.
#[derive(Clone, Debug, Default)]
pub(super) struct Program {
    /// Which options take a value, and of what kind it is.
    pub options: Vec<Options>,
    pub text: usize,
    pub text_unless: Vec<&'static str>,
    /// Options stand before the first operand only.
    pub first: bool,
    /// Options may begin with a plus, and letters of one word each take a word of their own.
    pub plus: bool,
    /// What follows a letter in its word may be more letters, not its value.
    pub letters: bool,
    /// Its operands are tasks and settings of them: more of them do more.
    pub tasks: bool,
    /// With one of these options each operand is a task.
    pub tasks_with: Vec<&'static str>,
    /// Its operands are harmless only beside one of these options.
    pub only_with: Vec<&'static str>,
    /// What follows `--` is for a program that it starts.
    pub passes: bool,
    /// That program, where it is always the same.
    pub passes_to: Option<&'static str>,
    /// With one of these options all its operands are written.
    pub all_with: Vec<&'static str>,
    /// Sub-commands of which every option that is harmless is named; an empty list is all of them.
    pub closed: Option<Vec<&'static str>>,
    /// The options with which it reads and does no more, where that is said: letters in one word, and longer names.
    pub reads: Vec<&'static str>,
    /// What it writes over is lost.
    pub empties: bool,
    /// Sub-commands behind which a command follows, after so many operands.
    pub starts: Vec<(Vec<&'static str>, usize)>,
    /// Files that it takes in as code, by pattern.
    pub follows: Vec<&'static str>,
    /// What it prints when it prints names of files that may be any.
    wide: Vec<Form>,
    /// It puts files among the project's that nobody reviewed.
    unpacks: Vec<Form>,
    pub dest: Dest,
    pub names: bool,
    /// Its operands but the last go away.
    pub moves: bool,
    /// Its operands are a command of their own.
    pub inner: bool,
    pub long1: bool,
    pub help_first: bool,
    pub no_help: bool,
    /// `--help` after one sub-command counts too.
    pub sub_help: bool,
    /// Sub-commands whose operands are only named.
    pub name_subs: Vec<&'static str>,
    pub also: Vec<&'static str>,
    /// It runs the command in its arguments.
    pub wraps: Option<Wraps>,
    /// Options with a value, for a judge that reads the arguments itself.
    pub valued: Vec<&'static str>,
    /// Sub-commands that are followed by another one, or by the name of what is run.
    pub deep: Vec<&'static str>,
    /// Files of the folder that say what it does there.
    pub work: Vec<&'static str>,
    /// Words of such a file behind which others stand that it takes in.
    pub takes_in: Vec<&'static str>,
    roles: Vec<Role>,
    /// More is known than what it is to a line.
    described: bool,
    lines: Vec<Line>,
    effects: Vec<(Form, Effect)>,
}

/// How a wrapper finds the command inside its arguments.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wraps {
    /// How many operands come before it.
    pub skip: usize,
    /// The rule that holds whatever is inside.
    pub floor: Option<&'static str>,
}

/// What the files say of one program, read when it is first asked for: a line names few of them.
#[derive(Default)]
struct Known {
    /// Its blocks, the first of them whole and the others added to it.
    blocks: Vec<&'static str>,
    program: OnceLock<Box<Program>>,
}

static PROGRAMS: LazyLock<HashMap<&'static str, Known>> = LazyLock::new(|| {
    let mut out = HashMap::new();
    for text in [
        include_str!("../../../assets/knowledge/base.txt"),
        include_str!("../../../assets/knowledge/git.txt"),
        include_str!("../../../assets/knowledge/dev.txt"),
        include_str!("../../../assets/knowledge/net.txt"),
        include_str!("../../../assets/knowledge/system.txt"),
        include_str!("../../../assets/knowledge/mac.txt"),
        include_str!("../../../assets/knowledge/exec.txt"),
        include_str!("../../../assets/knowledge/options.txt"),
        include_str!("../../../assets/knowledge/roles.txt"),
    ] {
        blocks(text).for_each(|block| keep(block, &mut out));
    }
    out
});

/// What is known of a program of which nothing is known.
pub(super) static NOTHING: LazyLock<Program> = LazyLock::new(Program::default);

fn known(name: &str) -> Option<&'static Program> {
    PROGRAMS.get(name).map(Known::program)
}

/// What is known of the program of that name and what it does.
pub(super) fn find(name: &str) -> Option<&'static Program> {
    known(name).filter(|program| program.described)
}

/// Whether a program has a role.
pub fn is(name: &str, role: Role) -> bool {
    known(name).is_some_and(|program| program.roles.contains(&role))
}

/// Whether a sub-command is followed by another one, or by the name of what is run (`npm run`).
pub fn goes_deeper(name: &str, sub: &str) -> bool {
    known(name).is_some_and(|program| program.deep.contains(&sub))
}

/// The files of a folder that say what a program does there.
pub fn work_files(name: &str) -> &'static [&'static str] {
    known(name).map_or(&[], |program| &program.work)
}

/// The words in such a file behind which others stand that it takes in.
pub fn takes_in(name: &str) -> &'static [&'static str] {
    known(name).map_or(&[], |program| &program.takes_in)
}

/// Options that name a configuration, a plugin or code for one program or another.
static BRINGS_CODE: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    let kinds = [Kind::Conf, Kind::Loads, Kind::Code, Kind::Command, Kind::Run];
    // A block stands under each of its names.
    let blocks: HashSet<&'static str> =
        PROGRAMS.values().flat_map(|known| known.blocks.iter().copied()).collect();
    let options = blocks.into_iter().flat_map(|block| read(block).options);
    options.filter(|o| kinds.contains(&o.kind)).flat_map(|o| o.names).collect()
});

/// Whether an option of this name brings code to some program.
pub(super) fn brings_code(name: &str) -> bool {
    BRINGS_CODE.contains(name)
}

/// What a program does with these arguments, where that is known; the last line that fits says it.
pub(super) fn effect(name: &str, argv: &[Field]) -> Option<Effect> {
    let program = known(name)?;
    let args = Args::read(program, argv);
    program
        .effects
        .iter()
        .rev()
        .find(|(form, _)| form.matches(&args, false).is_some())
        .map(|(_, effect)| *effect)
}

/// The options of a program that take a value, for a judge that reads the arguments itself.
pub(super) fn valued(name: &str) -> &'static [&'static str] {
    known(name).map_or(&[], |program| &program.valued)
}

/// The blocks of a file: a line that starts in the first column, and those below it.
fn blocks(text: &'static str) -> impl Iterator<Item = &'static str> {
    let heads = text.match_indices('\n').map(|(at, _)| at + 1);
    let mut heads = std::iter::once(0).chain(heads).filter(move |at| {
        text.get(*at..)
            .is_some_and(|rest| !rest.is_empty() && !rest.starts_with("  ") && !rest.starts_with('#'))
    });
    let mut from = heads.next();
    std::iter::from_fn(move || {
        let at = from?;
        from = heads.next();
        text.get(at..from.unwrap_or(text.len()))
    })
}

/// A block replaces what is known of its programs, or adds to it when it starts with `+`.
fn keep(block: &'static str, out: &mut HashMap<&'static str, Known>) {
    let head = block.lines().next().unwrap_or("");
    let names = head.strip_prefix('+').unwrap_or(head);
    for name in names.split_whitespace() {
        let known = out.entry(name).or_default();
        if !head.starts_with('+') {
            known.blocks.clear();
        }
        known.blocks.push(block);
    }
}

impl Known {
    fn program(&self) -> &Program {
        self.program.get_or_init(|| {
            let mut blocks = self.blocks.iter().map(|block| read(block));
            let mut program = blocks.next().unwrap_or_default();
            blocks.for_each(|more| program.add(more));
            Box::new(program)
        })
    }
}

/// A block of more programs than these says of none of them what it alone has.
const MANY: usize = 20;

/// What one block says.
fn read(block: &'static str) -> Program {
    let mut program = Program::default();
    for line in block.lines().filter(|line| line.starts_with("  ")) {
        let says = line.split_whitespace().any(|word| matches!(word, ":" | "=" | "^" | ">"));
        let role = ["is", "deep", "valued", "work", "takesin"]
            .contains(&line.split_whitespace().next().unwrap_or(""));
        program.described |= !role && !line.contains(" > ");
        if says {
            says_of(line, &mut program);
        } else {
            directive(line.trim(), &mut program);
        }
    }
    let shared = block.lines().next().is_some_and(|head| head.split_whitespace().count() > MANY);
    program.options.iter_mut().for_each(|options| options.shared = shared);
    program
}

fn directive(line: &'static str, program: &mut Program) {
    let mut words = line.split_whitespace();
    match words.next().unwrap_or("") {
        "plus" => program.plus = true,
        "letters" => program.letters = true,
        "first" => program.first = true,
        "tasks" => program.tasks = true,
        "taskswith" => program.tasks_with.extend(words),
        "onlywith" => program.only_with.extend(words),
        "passes" => {
            program.passes = true;
            program.passes_to = words.next();
        }
        "closed" => {
            program.closed = Some(words.next().map_or_else(Vec::new, |subs| subs.split('|').collect()));
        }
        "reads" => program.reads.extend(words),
        "empties" => program.empties = true,
        "allwith" => program.all_with.extend(words),
        "starts" => {
            let subs = words.next().unwrap_or("").split('|').collect();
            program.starts.push((subs, words.next().and_then(|n| n.parse().ok()).unwrap_or(0)));
        }
        "follows" => program.follows.extend(words),
        "names" => program.names = true,
        "moves" => program.moves = true,
        "inner" => program.inner = true,
        "long1" => program.long1 = true,
        "helpfirst" => program.help_first = true,
        "nohelp" => program.no_help = true,
        "also" => program.also.extend(words),
        "text" => {
            program.text = words.next().and_then(|n| n.parse().ok()).unwrap_or(usize::MAX);
            program.text_unless.extend(words.skip(1));
        }
        "dest" => {
            program.dest = match words.next() {
                Some("copy") => Dest::Copy,
                Some("changed") => Dest::Changed,
                Some("last" | "lastout") => Dest::Last,
                _ => Dest::All,
            };
        }
        "subhelp" => program.sub_help = true,
        "namesubs" => program.name_subs.extend(words),
        "wraps" => {
            let skip = words.next().and_then(|n| n.parse().ok()).unwrap_or(0);
            program.wraps = Some(Wraps { skip, floor: words.nth(1) });
        }
        "valued" => program.valued.extend(words),
        "deep" => program.deep.extend(words),
        "work" => program.work.extend(words),
        "takesin" => program.takes_in.extend(words),
        "is" => {
            program.roles.extend(words.filter_map(Role::named));
            program.described |= program.roles.iter().any(|r| matches!(r, Role::Builtin | Role::Shell));
        }
        word => program.options.extend(Options::read(word, words.collect())),
    }
}

/// A line about some arguments: which rule holds of them, or what they do.
fn says_of(line: &'static str, program: &mut Program) {
    let mut form = Form::default();
    let mut words = line.split_whitespace();
    while let Some(word) = words.next() {
        let mode = match word {
            ":" => Mode::Base,
            "=" => Mode::Override,
            "^" => Mode::Raise,
            ">" => {
                match words.next() {
                    Some("wide") => program.wide.push(form),
                    Some("unpacks") => program.unpacks.push(form),
                    effect => program.effects.extend(effect.and_then(Effect::named).map(|e| (form, e))),
                }
                return;
            }
            _ => {
                form.read(word);
                continue;
            }
        };
        program.lines.extend(words.next().map(|id| Line { form, mode, rule: rules::find(id) }));
        return;
    }
}

/// What a program's lines say of some arguments.
pub(super) struct Found {
    pub rule: &'static Rule,
    /// The option or operand that decided, when one did.
    pub span: Option<Span>,
}

impl Program {
    /// Whether its operands name tasks of the project.
    pub const fn names_tasks(&self) -> bool {
        self.tasks || self.passes
    }

    /// Whether anything is said of its arguments.
    pub const fn lines_known(&self) -> bool {
        !self.lines.is_empty()
    }

    /// Adds what else is known.
    fn add(&mut self, more: Self) {
        self.options.extend(more.options);
        self.wide.extend(more.wide);
        self.unpacks.extend(more.unpacks);
        self.follows.extend(more.follows);
        self.starts.extend(more.starts);
        self.plus |= more.plus;
        self.letters |= more.letters;
        self.first |= more.first;
        self.tasks |= more.tasks;
        self.tasks_with.extend(more.tasks_with);
        self.only_with.extend(more.only_with);
        self.passes |= more.passes;
        self.passes_to = more.passes_to.or(self.passes_to);
        self.closed = more.closed.or(self.closed.take());
        self.reads.extend(more.reads);
        self.empties |= more.empties;
        self.all_with.extend(more.all_with);
        self.also.extend(more.also);
        self.valued.extend(more.valued);
        self.deep.extend(more.deep);
        self.work.extend(more.work);
        self.takes_in.extend(more.takes_in);
        self.roles.extend(more.roles);
        self.lines.extend(more.lines);
        self.effects.extend(more.effects);
        self.text = self.text.max(more.text);
        self.text_unless.extend(more.text_unless);
        self.long1 |= more.long1;
        self.help_first |= more.help_first;
        self.names |= more.names;
        self.moves |= more.moves;
        self.inner |= more.inner;
        self.no_help |= more.no_help;
        self.sub_help |= more.sub_help;
        self.name_subs.extend(more.name_subs);
        self.wraps = self.wraps.or(more.wraps);
        if more.dest != Dest::None {
            self.dest = more.dest;
        }
        self.described |= more.described;
    }

    /// Whether it prints names of files that may be any, ignored ones too.
    pub(super) fn prints_any_name(&self, args: &Args) -> bool {
        self.wide.iter().any(|form| form.matches(args, true).is_some())
    }

    /// Whether it puts files among the project's that nobody reviewed.
    pub(super) fn unpacks(&self, args: &Args) -> bool {
        self.unpacks.iter().any(|form| form.matches(args, false).is_some())
    }

    /// Whether the first operand says what it does.
    pub(super) fn has_subcommands(&self) -> bool {
        self.lines.iter().any(|line| !line.form.subs.is_empty())
    }

    /// Whether an operand is the name of a sub-command, a target or a script rather than of a file.
    pub(super) fn names_by_word(&self, name: &str, at: usize, text: &str) -> bool {
        let plain = !text.contains(['/', '.', '~', '*', '?', ':', '=', '@']);
        plain && self.has_subcommands() && (at == 0 || name != "git")
    }

    /// The rules that hold: the base or its override first, then every raise.
    pub(super) fn judge(&self, args: &Args) -> Vec<Found> {
        let mut base: Option<(usize, bool, Found)> = None;
        let mut forced: Option<(usize, Found)> = None;
        let mut raised = Vec::new();
        for line in &self.lines {
            let Some(span) = line.form.matches(args, line.mode == Mode::Raise) else { continue };
            let depth = line.form.subs.len();
            let found = Found { rule: line.rule, span };
            let conditional = !line.form.conditions.is_empty();
            match line.mode {
                Mode::Raise => raised.push((depth, conditional, found)),
                Mode::Override if forced.as_ref().is_none_or(|(d, _)| *d <= depth) => {
                    forced = Some((depth, found));
                }
                Mode::Base
                    if base.as_ref().is_none_or(|(d, c, _)| {
                        (*d, *c) < (depth, conditional) || *d == depth && *c == conditional && !conditional
                    }) =>
                {
                    base = Some((depth, conditional, found));
                }
                Mode::Override | Mode::Base => {}
            }
        }
        let mut out = Vec::with_capacity(1 + raised.len());
        // An override speaks for its sub-command: raises meant for the shorter or plain form fall away.
        let spoken = forced.as_ref().map_or(0, |(depth, _)| *depth);
        raised.retain(|(depth, conditional, _)| {
            *depth > spoken || *depth == spoken && *conditional || spoken == 0
        });
        match (forced, base) {
            (Some((_, found)), _) | (None, Some((_, _, found))) => out.push(found),
            (None, None) => out.push(Found { rule: rules::find("unknown"), span: None }),
        }
        out.extend(raised.into_iter().map(|(_, _, found)| found));
        out
    }
}
