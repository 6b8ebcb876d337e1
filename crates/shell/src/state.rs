//! What a shell remembers while it runs a line: variables, functions, aliases, traps.
//!
//! Owns their values as far as the line itself makes them certain. How long they last is [`super::scope`]'s. Never
//! judges.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::cut::Listed;
use super::expand::{Field, UNKNOWN};
use super::knowledge::list;
use super::scope::Undo;
use super::secrets::names_secret;
use super::syntax::{Node, Span};
use super::value::Value;
use super::walk::Walker;

/// Most values or bodies that one name may have at once.
pub(super) const MAX_CHOICES: usize = 8;

/// What the variable for the scratch folder holds, as far as the line does not say: nothing else is called so.
pub(super) const SCRATCH: &str = "/tmp/_TMPDIR_";

/// Holds what keeps git from running what a repository names.
pub(super) const GIT_SETTINGS: &str = "GIT_CONFIG_COUNT";

/// Variables that a command of the shell sets, whatever the line set them to.
const OF_SHELL: [&str; 8] = ["PWD", "OLDPWD", "REPLY", "MAPFILE", "OPTARG", "OPTIND", "SECONDS", "RANDOM"];

/// Variables that the shell itself changes as it goes.
const MOVING: [&str; 12] = [
    "_",
    "BASH_COMMAND",
    "FUNCNAME",
    "DIRSTACK",
    "BASH_ARGV",
    "BASH_ARGC",
    "BASH_SOURCE",
    "BASH_LINENO",
    "PIPESTATUS",
    "BASH_REMATCH",
    "COPROC",
    "BASH_ALIASES",
];

/// A variable of the line.
#[derive(Clone, Debug, Default)]
pub(super) struct Held {
    /// What it may hold; more than one when that depends.
    pub values: Vec<Value>,
    pub exported: bool,
    /// Read-only: later assignments may fail.
    pub fixed: bool,
    /// How many shells deep it was set.
    pub level: usize,
}

/// A function of the line.
#[derive(Clone, Debug)]
pub(super) struct Function {
    /// What it may run; more than one when that depends.
    pub bodies: Vec<Rc<Node>>,
    pub called: bool,
    pub exported: bool,
    /// Nothing else can have that name.
    pub certain: bool,
    pub level: usize,
}

/// Code that waits for a signal.
#[derive(Clone, Debug)]
pub(super) struct Trap {
    pub code: Field,
    /// For the end of the shell only.
    pub at_end: bool,
}

/// What the shell remembers.
#[derive(Debug, Default)]
pub(super) struct Memory {
    pub variables: HashMap<String, Held>,
    pub functions: HashMap<String, Function>,
    pub aliases: HashMap<String, Vec<String>>,
    pub traps: Vec<Trap>,
    pub undo: Vec<Undo>,
    /// Scopes that may be undone.
    pub open: usize,
    /// How many shells deep the walk is.
    pub level: usize,
    /// What the names that running functions made local held before.
    pub frames: Vec<Vec<(String, Option<Held>)>>,
    /// Names that were given more than one value.
    pub changing: HashSet<String>,
    /// Names that something else may give a value than one plain assignment in the line's own list, or one loop over words:
    /// whether it does, and when, may be misread.
    pub unsure: HashSet<String>,
    /// Names that may be of another kind than a text: whatever they are given is changed, or refused.
    pub odd: HashSet<String>,
    /// Some name that is not known was given a value: it may be any.
    pub all_unsure: bool,
    /// How many lists of commands deep the walk is.
    pub list_depth: usize,
    /// The name that a loop gives its words to, while it does.
    pub loop_name: Option<String>,
    /// Names that only loops gave a value.
    pub by_loops: HashSet<String>,
    /// Names that were exported: whatever they hold later is given.
    pub given: HashSet<String>,
    /// Whatever is set is given.
    pub gives_all: bool,
    /// What is run is printed first, with the values of its variables.
    pub traces: bool,
    /// A variable may name the folder that the shell moves to.
    pub roams: bool,
    /// Names that another name refers to.
    pub shared: HashSet<String>,
    /// Names of numbers: what they are given is arithmetic.
    pub numbers: HashSet<String>,
    /// Names of arrays whose subscripts are texts.
    pub tables: HashSet<String>,
    pub running: Vec<String>,
}

impl Held {
    /// Both may be.
    pub fn merge(&mut self, other: &[Value]) {
        for value in other {
            if self.values.len() >= MAX_CHOICES {
                self.values = vec![Value::unknown()];
                return;
            }
            if !self.values.iter().any(|v| v.text == value.text) {
                self.values.push(value.clone());
            }
        }
    }
}

impl Walker<'_> {
    /// Gives a variable a value.
    pub(super) fn assign(&mut self, name: &str, value: Value) {
        // However it comes to its value: what it then means to programs is the same.
        self.judge_setting(name, &value.text, self.here());
        self.hold(name, value, false);
    }

    /// Gives a variable a value that comes from elsewhere than the line: what programs are found by, or run, is then anything.
    pub(super) fn fill(&mut self, name: &str, value: Value) {
        let name = name.split('[').next().unwrap_or(name);
        self.judge_setting(name, "1", self.here());
        self.assign(name, value);
    }

    /// Gives a variable a value that programs started from here get as well.
    pub(super) fn assign_exported(&mut self, name: &str, value: Value) {
        self.hold(name, value, true);
    }

    fn hold(&mut self, name: &str, value: Value, export: bool) {
        self.check_subscripts(&value.text, self.here());
        if name.contains(UNKNOWN) {
            self.doubt_names();
        }
        // Which variable that is the line does not show: it may be one of those that we set.
        for ours in ["TMPDIR", GIT_SETTINGS].iter().filter(|_| name.contains(UNKNOWN)) {
            let held = Held { values: vec![Value::unknown()], exported: true, ..Held::default() };
            self.put(ours, Some(held));
        }
        // Of one element it is not followed which others there are.
        if let Some((list, _)) = name.split_once('[') {
            let level = self.memory.level;
            let before = self.memory.variables.get(list).cloned();
            let exported = before.is_some_and(|old| old.exported);
            let unknown = Value { listed: Listed::Made, ..Value::unknown() };
            self.put(list, Some(Held { values: vec![unknown], exported, level, ..Held::default() }));
        }
        let memory = &mut self.memory;
        let mut held = Held { values: vec![value], exported: export, fixed: false, level: memory.level };
        let next_round = memory.loop_name.as_deref() == Some(name);
        if let Some(old) = memory.variables.get(name) {
            held.exported |= old.exported;
            held.fixed = old.fixed;
            if old.values.first().map(|v| &v.text) != held.values.first().map(|v| &v.text) {
                memory.changing.insert(name.to_owned());
                if !next_round {
                    memory.unsure.insert(name.to_owned());
                    memory.by_loops.remove(name);
                }
            }
            if old.fixed {
                held.merge(&old.values);
            }
        }
        let given = !export && (held.exported || self.is_given(name));
        if given && let Some(value) = held.values.first().map(|value| value.text.clone()) {
            self.note_given(name, &value);
        }
        self.put(name, Some(held));
    }

    /// Whether programs get a variable that is set from here on.
    pub(super) fn is_given(&self, name: &str) -> bool {
        let memory = &self.memory;
        memory.given.contains(name)
            || memory.gives_all && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
    }

    pub(super) fn put(&mut self, name: &str, held: Option<Held>) {
        let memory = &mut self.memory;
        let old = match held {
            Some(held) => memory.variables.insert(name.to_owned(), held),
            None => memory.variables.remove(name),
        };
        if memory.open > 0 {
            memory.undo.push(Undo::Variable(name.to_owned(), old));
        }
    }

    /// Programs started from here get the variable.
    pub(super) fn export(&mut self, name: &str) {
        self.memory.given.insert(name.to_owned());
        if let Some(mut held) = self.memory.variables.get(name).cloned() {
            held.exported = true;
            self.put(name, Some(held));
        }
        if let Some(mut function) = self.memory.functions.get(name).cloned() {
            function.exported = true;
            self.put_function(name, Some(function));
        }
    }

    fn is_unsure(&self, name: &str) -> bool {
        self.memory.unsure.contains(name) || self.memory.odd.contains(name)
    }

    /// Whether assignments to the variable may fail.
    pub(super) fn is_fixed(&self, name: &str) -> bool {
        self.memory.variables.get(name).is_some_and(|held| held.fixed)
    }

    /// Later assignments to the variable may fail.
    pub(super) fn fix(&mut self, name: &str) {
        if let Some(mut held) = self.memory.variables.get(name).cloned() {
            held.fixed = true;
            self.put(name, Some(held));
        }
    }

    /// Another name refers to the variable: its values are not followed.
    pub(super) fn share(&mut self, name: &str) {
        self.memory.shared.insert(name.to_owned());
        self.doubt_names();
    }

    /// A name that is not known was given a value: it may be any, also one by which programs are found.
    pub(super) fn doubt_names(&mut self) {
        self.memory.all_unsure = true;
        self.note_uncovered();
    }

    /// What a variable holds now comes back when the running function ends. Whether a function runs.
    pub(super) fn localize(&mut self, name: &str) -> bool {
        let old = self.memory.variables.get(name).cloned();
        let Some(frame) = self.memory.frames.last_mut() else { return false };
        if !frame.iter().any(|(known, _)| known == name) {
            frame.push((name.to_owned(), old));
        }
        true
    }

    /// Does something with variables that hold only as long as it lasts.
    pub(super) fn with_settings<T>(
        &mut self,
        settings: Vec<(String, Value)>,
        may_last: bool,
        inner: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let before: Vec<(String, Option<Held>)> = settings
            .iter()
            .map(|(name, _)| (name.clone(), self.memory.variables.get(name).cloned()))
            .collect();
        let given = settings.clone();
        for (name, value) in settings {
            self.assign_exported(&name, value);
        }
        let out = inner(self);
        for (name, held) in before {
            self.put(&name, held);
        }
        for (name, value) in given.into_iter().filter(|_| may_last) {
            let mut held = self
                .memory
                .variables
                .get(&name)
                .cloned()
                .unwrap_or_else(|| Held { values: vec![Value::unknown()], ..Held::default() });
            held.merge(&[value]);
            self.put(&name, Some(held));
        }
        out
    }

    /// Every variable, where the environment is taken away.
    pub(super) fn no_environment(&self) -> Vec<(String, Value)> {
        let known = ["HOME", "PWD", "TMPDIR", "USER", "LOGNAME", "HOSTNAME", "LANG", "TERM", GIT_SETTINGS];
        let names = known.into_iter().chain(self.memory.variables.keys().map(String::as_str));
        names.map(|name| (name.to_owned(), Value::unknown())).collect()
    }

    /// Whether this line gave the variable a value.
    pub(super) fn is_assigned(&self, name: &str) -> bool {
        self.memory.variables.contains_key(name)
    }

    /// Whether a value falls into other parts than at its blanks.
    pub(super) fn parts(&self, value: &str) -> bool {
        let blank = |sign: char| matches!(sign, ' ' | '\t' | '\n');
        let other = |ends: &str| !ends.chars().all(blank);
        let unsure = || self.memory.unsure.contains("IFS");
        self.is_assigned("IFS") && (value.contains(blank) || unsure() || self.texts_of("IFS").any(other))
    }

    /// Every text that a variable may hold.
    pub(super) fn texts_of(&self, name: &str) -> impl Iterator<Item = &str> {
        self.memory
            .variables
            .get(name)
            .into_iter()
            .flat_map(|held| held.values.iter().map(|v| v.text.as_str()))
    }

    /// The text that this line gave a variable, where that is certain.
    pub(super) fn held(&self, name: &str) -> Option<String> {
        let set = self.memory.variables.contains_key(name);
        self.value_of(name).filter(|_| set).map(|value| value.text)
    }

    /// The value of a variable, when it is certain.
    pub(super) fn value_of(&self, name: &str) -> Option<Value> {
        if MOVING.contains(&name) || self.memory.shared.contains(name) {
            let listed = if self.memory.shared.contains(name) { Listed::Made } else { Listed::No };
            return Some(Value { number: name == "PIPESTATUS", listed, ..Value::unknown() });
        }
        if let Some(held) = self.memory.variables.get(name) {
            // A child shell gets what is exported, and of the rest whatever the environment holds.
            let inherits = held.level == self.memory.level || held.exported;
            return match held.values.as_slice() {
                [one] if inherits => {
                    let sure = !self.memory.all_unsure && !self.is_unsure(name) && !OF_SHELL.contains(&name);
                    let spelled = one.spelled && sure;
                    Some(Value { spelled, ..one.clone() })
                }
                all => {
                    let secret = all.iter().any(|value| names_secret(&value.text));
                    let listed = all.iter().map(|value| value.listed).max().unwrap_or_default();
                    let listed = if secret { Listed::Made } else { listed };
                    Some(Value { number: all.iter().all(Value::is_number), listed, ..Value::unknown() })
                }
            };
        }
        let text = match name {
            "HOME" => "~",
            "PWD" => {
                let spelled = self.stand.is_one_word();
                return Some(Value { spelled, ..Value::of(&self.named_here()) });
            }
            "TMPDIR" => SCRATCH,
            "SHELL" | "BASH" => "/bin/sh",
            "IFS" => " ",
            "HOSTNAME" | "LANG" | "TERM" | "COLUMNS" | "LINES" => {
                return Some(Value { open: true, number: true, ..Value::unknown() });
            }
            "USER" | "LOGNAME" | "HOSTTYPE" | "OSTYPE" => {
                return Some(Value { open: true, ..Value::of("name") });
            }
            "PATH" => "/usr/bin:/bin",
            "!" => "%1",
            "$" | "PPID" | "?" | "#" | "RANDOM" | "SECONDS" | "LINENO" | "EUID" | "UID" | "-" => "0",
            name => {
                let mut known = list("places by variable").iter().filter_map(|entry| entry.split_once('='));
                return known.find(|(known, _)| *known == name).map(|(_, path)| Value::of(path));
            }
        };
        // These there are in every shell; any other may stand for no word at all.
        let spelled = matches!(name, "HOME" | "TMPDIR" | "$" | "?" | "#");
        Some(Value { spelled, ..Value::of(text) })
    }

    /// Gives the positional parameters; those beyond are not certain.
    pub(super) fn set_positional(&mut self, values: &[Field]) {
        self.charge(values.iter().map(|f| f.text.len() + 32).sum(), Span::default());
        for at in 0..9 {
            let value = values.get(at).map_or_else(Value::unknown, Value::from_field);
            self.hold(&(at + 1).to_string(), value, false);
        }
        for name in ["@", "*"] {
            self.hold(name, Value::list(values), false);
        }
        self.assign("#", Value { spelled: true, ..Value::of(&values.len().to_string()) });
    }

    /// Drops the first positional parameters.
    pub(super) fn shift(&mut self, by: usize) {
        let all = self.value_of("@").filter(|value| !value.list.is_empty() && value.list.len() >= by);
        let Some(all) = all else {
            let unknown = Field { many: true, ..Field::plain(&UNKNOWN.to_string(), Span::default()) };
            return self.set_positional(&[unknown.made()]);
        };
        let rest: Vec<Field> = all.fields(Span::default()).skip(by).map(Field::made).collect();
        self.set_positional(&rest);
    }
}

#[cfg(test)]
mod tests {
    use crate::{Risk, read};

    #[test]
    fn the_scratch_folder_is_one_only_where_its_variable_is_set() {
        // What output goes to, and whether that is a place where anything may be written.
        let scratch = |line: &str| {
            let read = read(line);
            assert!(read.verdict.risk >= Risk::Medium, "{line}");
            read.uses.iter().filter(|used| used.redirect).all(|used| used.path.starts_with("/tmp/"))
        };
        for line in [
            "env -i sh -c 'cargo test > ${TMPDIR:-src}/lib.rs'",
            "env -i sh -c 'cargo test > $TMPDIR/x'",
            "env - sh -c 'cargo test > ${TMPDIR}src/lib.rs'",
            "env --ignore sh -c 'cargo test > ${TMPDIR:-src}/lib.rs'",
            "env -iv sh -c 'cargo test > ${TMPDIR:-src}/lib.rs'",
            "nice env -i sh -c 'cargo test > ${TMPDIR:-src}/lib.rs'",
            "exec -c sh -c 'cargo test > ${TMPDIR:-src}/lib.rs'",
            "(exec -cl sh -c 'cargo test > $TMPDIR/lib.rs')",
            "declare +x TMPDIR; sh -c 'cargo test > $TMPDIR/lib.rs'",
            "unset $X; cargo test > ${TMPDIR:-src}/lib.rs",
            "read $X < a; cargo test > $TMPDIR/lib.rs",
            "bash -lc 'cargo test > $TMPDIR/lib.rs'",
            "cargo test > ${TMPDIR:-src}/lib.rs",
            "cargo test > ${TMPDIR-.git}/index",
            "cargo test > ${TMPDIR}src/lib.rs",
            "cargo test > \"$TMPDIR\"src/lib.rs",
            "d=$TMPDIR; cargo test > ${d}src/lib.rs",
            "cargo test > ${TMPDIR:+/tmp/}src/lib.rs",
            "read x < a; cargo test > ${x:+/tmp/}src/lib.rs",
        ] {
            assert!(!scratch(line), "{line}");
        }
        for line in [
            "cargo test > $TMPDIR/a.log",
            "cargo test > \"${TMPDIR}/a b.log\"",
            "cargo test > ${TMPDIR:-/tmp}/a.log",
            "cargo test > ${TMPDIR:-${TMP:-/tmp}}/a.log",
            "env -i PATH=/bin sh -c 'cargo test > /tmp/a.log'",
            "env A=1 sh -c 'cargo test > $TMPDIR/a.log'",
            "bash -c \"cargo test > $TMPDIR/a.log\"",
            "bash -lc 'true'; cargo test > $TMPDIR/a.log",
        ] {
            assert!(scratch(line), "{line}");
        }
    }
}
