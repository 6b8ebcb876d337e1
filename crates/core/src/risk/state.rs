//! What a shell remembers while it runs a line: variables and functions.
//!
//! Owns their values as far as the line itself makes them certain. Never judges.

use super::expand::{Feed, Field, Value};
use super::walk::Walker;

impl Walker<'_> {
    /// Gives a variable a value; one more when it may not happen.
    pub(super) fn assign(&mut self, name: &str, value: Value) {
        let values = self.vars.entry(name.to_owned()).or_default();
        if self.maybe == 0 || values.is_empty() && values.capacity() == 0 {
            values.clear();
        }
        if values.len() < 8 {
            values.push(value);
        }
    }

    /// Whether this line gave the variable a value.
    pub(super) fn is_assigned(&self, name: &str) -> bool {
        self.vars.contains_key(name)
    }

    /// The value of a variable, when it is certain.
    pub(super) fn value_of(&self, name: &str) -> Option<Value> {
        if let Some(values) = self.vars.get(name) {
            return match values.as_slice() {
                [one] => Some(one.clone()),
                [first, rest @ ..] if rest.iter().all(|v| v.text == first.text) => Some(first.clone()),
                _ => Some(Value::unknown()),
            };
        }
        let text = match name {
            "HOME" => "~",
            "PWD" => ".",
            "TMPDIR" => "/tmp/dir",
            "SHELL" | "BASH" => "/bin/sh",
            "IFS" => " ",
            "USER" | "LOGNAME" | "HOSTNAME" | "HOSTTYPE" | "OSTYPE" | "LANG" | "TERM" => "name",
            "PATH" => "/usr/bin:/bin",
            "!" => "%1",
            "$" | "PPID" | "?" | "#" | "RANDOM" | "SECONDS" | "LINENO" | "EUID" | "UID" | "COLUMNS"
            | "LINES" | "-" => "0",
            _ => return None,
        };
        Some(Value { text: text.to_owned(), many: false })
    }

    /// Whether the line defined a function of that name.
    pub(super) fn is_function(&self, name: &str) -> bool {
        self.functions.contains_key(name)
    }

    /// Binds the arguments of a function and judges its body.
    pub(super) fn call_with(&mut self, name: &str, argv: &[Field], feed: Feed) -> Feed {
        let mut old = Vec::new();
        let all: Vec<String> = argv.iter().skip(1).map(|f| f.text.clone()).collect();
        let named = (1..=9).map(|n| (n.to_string(), argv.get(n).cloned()));
        let every = ["@", "*"].map(|n| {
            (n.to_owned(), (!all.is_empty()).then(|| Field { text: all.join(" "), ..Field::default() }))
        });
        for (name, field) in named.chain(every) {
            // An argument that was not given may still be asked for: it is not certain.
            let value = field.map_or_else(Value::unknown, |f| Value { text: f.text, many: f.many });
            old.push((name.clone(), self.vars.insert(name, vec![value])));
        }
        let out = self.call(name, feed);
        for (name, values) in old {
            match values {
                Some(values) => self.vars.insert(name, values),
                None => self.vars.remove(&name),
            };
        }
        out
    }

    pub(super) fn call(&mut self, name: &str, feed: Feed) -> Feed {
        let Some((body, called)) = self.functions.get_mut(name) else { return Feed::Other };
        *called = true;
        let body = body.clone();
        if self.running.iter().any(|n| n == name) {
            self.hit("bomb", body.span);
            return Feed::Other;
        }
        self.running.push(name.to_owned());
        self.depth += 1;
        let outer = self.current.take();
        let out = self.node(&body, feed);
        self.current = outer;
        self.depth -= 1;
        self.running.pop();
        out
    }
}
