//! How long what a shell remembers lasts: subshells, child shells, functions, things that may not happen.
//!
//! Owns the way back: what a subshell changes is forgotten, what may not have happened is doubted, what a child shell
//! does not inherit is not known there. Never judges.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::expand::{Feed, Field};
use super::state::{Function, Held, MAX_CHOICES, Trap};
use super::syntax::{Node, Span};
use super::value::Value;
use super::walk::Walker;

/// Most codes that wait for a signal.
const MAX_TRAPS: usize = 64;

/// What something was before.
#[derive(Debug)]
pub(super) enum Undo {
    Variable(String, Option<Held>),
    Function(String, Option<Function>),
}

/// A place in what is remembered, to come back to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    undo: usize,
    traps: usize,
}

impl Walker<'_> {
    /// Defines a function.
    pub(super) fn define(&mut self, name: &str, body: &Rc<Node>) {
        let level = self.memory.level;
        let bodies = vec![Rc::clone(body)];
        self.put_function(
            name,
            Some(Function { bodies, called: false, exported: false, certain: true, level }),
        );
    }

    /// The line's function of that name is gone.
    pub(super) fn undefine(&mut self, name: &str) {
        self.put_function(name, None);
    }

    pub(super) fn put_function(&mut self, name: &str, function: Option<Function>) {
        let memory = &mut self.memory;
        let old = match function {
            Some(function) => memory.functions.insert(name.to_owned(), function),
            None => memory.functions.remove(name),
        };
        if memory.open > 0 {
            memory.undo.push(Undo::Function(name.to_owned(), old));
        }
    }

    /// Whether the line defined a function of that name; the inner value says whether nothing else can be meant.
    pub(super) fn function(&self, name: &str) -> Option<bool> {
        let function = self.memory.functions.get(name)?;
        let here = function.level == self.memory.level;
        (here || function.exported).then_some(here && function.certain)
    }

    /// Adds what a name stands for when it is the first word of a command.
    pub(super) fn add_alias(&mut self, name: &str, text: &str) {
        let texts = self.memory.aliases.entry(name.to_owned()).or_default();
        if texts.iter().any(|t| t == text) {
            return;
        }
        if texts.len() < MAX_CHOICES {
            texts.push(text.to_owned());
        } else {
            self.hit("too-long", Span::default());
        }
    }

    /// What a name may stand for.
    pub(super) fn aliases_of(&self, name: &str) -> Vec<String> {
        self.memory.aliases.get(name).cloned().unwrap_or_default()
    }

    /// Binds the arguments of a function and judges its body.
    pub(super) fn call_with(&mut self, name: &str, argv: &[Field], feed: &Feed) -> Feed {
        let names = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "@", "*", "#"];
        let before: Vec<Option<Held>> =
            names.iter().map(|name| self.memory.variables.get(*name).cloned()).collect();
        self.set_positional(argv.get(1..).unwrap_or(&[]));
        let out = self.call(name, feed);
        for (name, held) in names.into_iter().zip(before) {
            self.put(name, held);
        }
        out
    }

    fn call(&mut self, name: &str, feed: &Feed) -> Feed {
        let Some(function) = self.memory.functions.get_mut(name) else { return Feed::Other };
        function.called = true;
        let bodies = function.bodies.clone();
        if self.memory.running.iter().any(|n| n == name) {
            self.hit("bomb", bodies.first().map_or_else(Span::default, |body| body.span));
            return Feed::Other;
        }
        self.memory.running.push(name.to_owned());
        self.memory.frames.push(Vec::new());
        self.depth += 1;
        let outer = self.current.take();
        let mut out = feed.clone();
        for body in &bodies {
            out = self.node(body, feed.clone());
        }
        self.current = outer;
        self.depth -= 1;
        for (name, held) in self.memory.frames.pop().unwrap_or_default().into_iter().rev() {
            self.put(&name, held);
        }
        self.memory.running.pop();
        if bodies.len() == 1 { out } else { Feed::Other }
    }

    /// Judges the functions of this shell that nobody called.
    pub(super) fn call_the_rest(&mut self, among: Option<&HashSet<String>>) {
        let mut names: Vec<String> = self
            .memory
            .functions
            .iter()
            .filter(|(name, function)| {
                !function.called
                    && function.level == self.memory.level
                    && among.is_none_or(|a| a.contains(*name))
            })
            .map(|(name, _)| name.clone())
            .collect();
        names.sort_unstable();
        for name in names {
            self.call(&name, &Feed::Inherit);
        }
    }

    /// Keeps code for a signal.
    pub(super) fn add_trap(&mut self, code: &Field, at_end: bool) {
        if self.memory.traps.len() > MAX_TRAPS {
            self.hit("too-long", code.span);
        } else if at_end || code.text.contains(['$', '`']) {
            self.memory.traps.push(Trap { code: code.clone(), at_end });
        }
        // It may run between any two commands, and mean other programs and functions by then.
        let harmless =
            code.text.trim().is_empty() || matches!(code.text.trim(), ":" | "exit" | "exit 1" | "exit 130");
        if !at_end && !harmless {
            self.doubt_names();
            self.wander();
        }
    }

    /// Judges kept code once more, with what the variables hold by then.
    pub(super) fn run_traps(&mut self, from: usize) {
        for trap in self.memory.traps.split_off(from) {
            let mark = self.enter();
            if !trap.at_end {
                // It may run at any time between two assignments.
                let open: Vec<String> = self.memory.changing.iter().cloned().collect();
                for name in open {
                    self.assign(&name, Value::unknown());
                }
            }
            let _ = self.run_text(&trap.code.text, trap.code.span);
            self.forget(mark);
        }
    }

    /// Begins something whose effects may be forgotten or doubted.
    pub(super) fn enter(&mut self) -> Mark {
        self.memory.open += 1;
        Mark { undo: self.memory.undo.len(), traps: self.memory.traps.len() }
    }

    /// Ends a shell of its own: nothing of what it changed lasts.
    pub(super) fn forget(&mut self, mark: Mark) {
        if self.memory.traps.len() > mark.traps {
            self.run_traps(mark.traps);
        }
        let defined: HashSet<String> = self
            .memory
            .undo
            .iter()
            .skip(mark.undo)
            .filter_map(|undo| if let Undo::Function(name, _) = undo { Some(name.clone()) } else { None })
            .collect();
        if !defined.is_empty() {
            self.call_the_rest(Some(&defined));
        }
        let memory = &mut self.memory;
        memory.open -= 1;
        while memory.undo.len() > mark.undo {
            match memory.undo.pop() {
                Some(Undo::Variable(name, Some(held))) => drop(memory.variables.insert(name, held)),
                Some(Undo::Variable(name, None)) => drop(memory.variables.remove(&name)),
                Some(Undo::Function(name, Some(function))) => drop(memory.functions.insert(name, function)),
                Some(Undo::Function(name, None)) => drop(memory.functions.remove(&name)),
                None => break,
            }
        }
    }

    /// Ends something that may not have happened. Whether it changed anything.
    pub(super) fn doubt(&mut self, mark: Mark) -> bool {
        let memory = &mut self.memory;
        memory.open -= 1;
        let recent = memory.undo.split_off(mark.undo);
        let changed = !recent.is_empty();
        let mut seen = HashSet::new();
        let (mut bytes, mut cut) = (0, false);
        for undo in recent {
            let first = match &undo {
                Undo::Variable(name, _) => seen.insert((false, name.clone())),
                Undo::Function(name, _) => seen.insert((true, name.clone())),
            };
            if !first {
                continue;
            }
            match &undo {
                Undo::Variable(name, old) => {
                    let before =
                        old.as_ref().map_or_else(|| vec![Value::unknown()], |old| old.values.clone());
                    bytes += before.iter().map(|v| v.text.len()).sum::<usize>();
                    memory.variables.entry(name.clone()).or_default().merge(&before);
                }
                Undo::Function(name, old) => cut |= doubt_function(&mut memory.functions, name, old.as_ref()),
            }
            if memory.open > 0 {
                memory.undo.push(undo);
            }
        }
        self.charge(bytes, Span::default());
        if cut {
            self.hit("too-long", Span::default());
        }
        changed
    }

    /// Does something in a shell of its own that inherits only what is exported.
    pub(super) fn apart<T>(&mut self, inner: impl FnOnce(&mut Self) -> T) -> T {
        let mark = self.enter();
        let aliases = std::mem::take(&mut self.memory.aliases);
        self.memory.level += 1;
        let out = inner(self);
        self.forget(mark);
        self.memory.level -= 1;
        self.memory.aliases = aliases;
        out
    }
}

/// A definition that may not have happened: both may be meant. Whether there are too many.
fn doubt_function(functions: &mut HashMap<String, Function>, name: &str, old: Option<&Function>) -> bool {
    match (functions.get_mut(name), old) {
        (Some(new), Some(old)) => {
            let bodies = old.bodies.iter().filter(|body| !new.bodies.iter().any(|b| Rc::ptr_eq(b, body)));
            let more: Vec<Rc<Node>> = bodies.cloned().collect();
            new.called &= old.called;
            new.certain &= old.certain;
            new.bodies.extend(more);
            return new.bodies.len() > MAX_CHOICES;
        }
        (Some(new), None) => new.certain = false,
        (None, Some(old)) => {
            functions.insert(name.to_owned(), Function { certain: false, ..old.clone() });
        }
        (None, None) => {}
    }
    false
}
