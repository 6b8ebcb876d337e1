//! Reading a file of rules: TOML whose every mistake is told with line and column.
//!
//! Owns the shape of the file and the check of the examples that its rules carry. Never decides which rules hold.

use std::path::Path;

use pilothouse_core::{
    control,
    policy::{Effect, KINDS, Origin, Places, Policy, Request, Rule, Source},
    shell::secrets,
};
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use crate::{
    config::{meant, position},
    error::RuntimeError,
};

/// Each of them is held against every path and line. A list that comes with the program counts as the one rule that names
/// it.
const MAX_RULES: usize = 1_000;
/// Most places that name such a list: once for each effect and kind.
const MAX_LISTS: usize = 3 * KINDS.len();

/// What a file says.
#[derive(Debug, Default)]
pub(super) struct Rules {
    /// Its rules, in the order of the file.
    pub rules: Vec<Rule>,
    /// Built-in rules that it leaves out.
    pub drop: Vec<Dropped>,
}

/// A built-in rule that is left out.
#[derive(Debug)]
pub(super) struct Dropped {
    pub text: String,
    pub line: usize,
    column: usize,
}

impl Dropped {
    /// There is no such rule.
    pub fn unknown(&self, file: &Path) -> RuntimeError {
        RuntimeError::Config {
            file: file.to_owned(),
            line: self.line,
            column: self.column,
            message: format!("there is no built-in rule `{}`", self.text),
            hint: "`pilothouse permissions list` shows how to write them".to_owned(),
        }
    }
}

/// Reads the text of a file; with `places` the examples in it are checked.
///
/// # Errors
/// With line and column of the first thing that is wrong.
pub(super) fn parse(
    text: &str,
    source: Source,
    path: &Path,
    shown: &str,
    places: Option<&Places>,
) -> Result<Rules, RuntimeError> {
    let reader = Reader { text, source, path, shown, places };
    let table = DeTable::parse(text).map_err(|e| {
        let message = e.message().lines().collect::<Vec<_>>().join("; ");
        reader.error(
            e.span().map_or(0, |s| s.start),
            message,
            "the file must be TOML: `[[deny]]`, and below it `read = \"…\"`",
        )
    })?;
    let (mut out, mut own, mut lists) = (Rules::default(), 0, 0);
    for (key, value) in table.get_ref() {
        let name = key.get_ref().as_ref();
        if name == "drop" {
            for item in reader.list(value)? {
                let (line, column) = position(text, Some(item.span()));
                out.drop.push(Dropped { text: reader.string(item)?.to_owned(), line, column });
            }
        } else if let Some(effect) = Effect::named(name) {
            let DeValue::Array(entries) = value.get_ref() else {
                return Err(reader.error(
                    value.span().start,
                    "rules stand in tables",
                    &format!("write `[[{name}]]`"),
                ));
            };
            for entry in entries {
                let (rules, of_own, of_lists) = reader.entry(effect, entry)?;
                own += of_own;
                lists += of_lists;
                out.rules.extend(rules);
            }
        } else {
            let near = meant(name, ["deny", "ask", "allow", "drop"]);
            let near = near.map_or_else(String::new, |name| format!("did you mean `{name}`? "));
            let hint = format!("{near}write `[[deny]]`, `[[ask]]`, `[[allow]]` or `drop = […]`");
            return Err(reader.error(key.span().start, format!("{name:?} is not known here"), &hint));
        }
    }
    if own > MAX_RULES {
        let message = format!("{own} rules are too many; the limit is {MAX_RULES}");
        return Err(reader.error(0, message, "one pattern can cover many names, such as `secrets/**`"));
    }
    if lists > MAX_LISTS {
        let message =
            format!("a list that comes with the program is named {lists} times; {MAX_LISTS} are enough");
        return Err(reader.error(0, message, "name it once for each effect and kind of rule"));
    }
    out.rules.sort_by_key(|r| r.origin.line);
    Ok(out)
}

struct Reader<'a> {
    text: &'a str,
    source: Source,
    path: &'a Path,
    shown: &'a str,
    places: Option<&'a Places>,
}

impl Reader<'_> {
    fn error(&self, at: usize, message: impl Into<String>, hint: &str) -> RuntimeError {
        let (line, column) = position(self.text, Some(at..at));
        let (file, hint) = (self.path.to_owned(), hint.to_owned());
        RuntimeError::Config { file, line, column, message: message.into(), hint }
    }

    /// The rules of one table, how many patterns of its own it has, and how often it names a list.
    fn entry(
        &self,
        effect: Effect,
        entry: &Spanned<DeValue<'_>>,
    ) -> Result<(Vec<Rule>, usize, usize), RuntimeError> {
        let DeValue::Table(table) = entry.get_ref() else {
            let hint = format!("write `[[{}]]` and below it what it is about", effect.name());
            return Err(self.error(entry.span().start, "this is no table", &hint));
        };
        let (mut rules, mut own, mut lists) = (Vec::new(), 0, 0);
        let (mut why, mut matches, mut not) = (String::new(), Vec::new(), Vec::new());
        for (key, value) in table {
            match key.get_ref().as_ref() {
                "why" => self.string(value)?.clone_into(&mut why),
                "matches" => matches = self.list(value)?,
                "not" => not = self.list(value)?,
                kind if KINDS.contains(&kind) => {
                    for item in self.list(value)? {
                        let (read, of_list) = self.rules(effect, kind, item)?;
                        *(if of_list { &mut lists } else { &mut own }) += 1;
                        rules.extend(read);
                    }
                }
                other => {
                    let hint = format!("there are {}, why, matches and not", KINDS.join(", "));
                    return Err(self.error(key.span().start, format!("{other:?} is not known here"), &hint));
                }
            }
        }
        if rules.is_empty() {
            let hint = format!("add one of {}", KINDS.join(", "));
            return Err(self.error(entry.span().start, "this rule covers nothing", &hint));
        }
        for rule in &mut rules {
            rule.why.clone_from(&why);
        }
        self.check(&rules, &matches, true)?;
        self.check(&rules, &not, false)?;
        Ok((rules, own, lists))
    }

    /// The rule of a pattern, or one for each name of the list that the pattern names; whether it names one.
    fn rules(
        &self,
        effect: Effect,
        kind: &str,
        item: &Spanned<DeValue<'_>>,
    ) -> Result<(Vec<Rule>, bool), RuntimeError> {
        let pattern = self.string(item)?;
        let start = item.span().start;
        let (line, _) = position(self.text, Some(item.span()));
        let origin = Origin { source: self.source, file: self.shown.to_owned(), line };
        let read = |pattern: &str| {
            Rule::new(effect, kind, pattern, origin.clone()).map_err(|fault| {
                self.error(
                    start + 1 + fault.at,
                    fault.why,
                    "`pilothouse permissions --help` shows how rules are written",
                )
            })
        };
        let list: Result<Vec<Rule>, RuntimeError> = match pattern {
            secrets::FILES => {
                let named = secrets::patterns();
                let of =
                    |(name, files): (String, bool)| read(&name).map(|r| if files { r.of_files() } else { r });
                named.map(of).collect()
            }
            control::FILES => control::patterns().map(read).collect(),
            pattern => return Ok((vec![read(pattern)?], false)),
        };
        Ok((list?, true))
    }

    /// Every example is, or is not, what one of the rules is about.
    fn check(
        &self,
        rules: &[Rule],
        examples: &[&Spanned<DeValue<'_>>],
        wanted: bool,
    ) -> Result<(), RuntimeError> {
        let Some(places) = self.places else { return Ok(()) };
        for example in examples {
            let request = Request::read(self.string(example)?);
            if Policy::is_about(rules, &request, places) != wanted {
                let message =
                    if wanted { "no rule of this table matches" } else { "a rule of this table matches" };
                let hint = "correct the rule or its example; `pilothouse permissions explain` says what a call comes to";
                return Err(self.error(example.span().start, format!("{message} `{request}`"), hint));
            }
        }
        Ok(())
    }

    fn string<'v>(&self, value: &'v Spanned<DeValue<'_>>) -> Result<&'v str, RuntimeError> {
        match value.get_ref() {
            DeValue::String(text) => Ok(text),
            DeValue::Integer(_)
            | DeValue::Float(_)
            | DeValue::Boolean(_)
            | DeValue::Datetime(_)
            | DeValue::Array(_)
            | DeValue::Table(_) => {
                Err(self.error(value.span().start, "this is not a string", "put it in quotes"))
            }
        }
    }

    /// One text, or a list of them.
    fn list<'v, 'i>(
        &self,
        value: &'v Spanned<DeValue<'i>>,
    ) -> Result<Vec<&'v Spanned<DeValue<'i>>>, RuntimeError> {
        if let DeValue::Array(items) = value.get_ref() {
            return Ok(items.iter().collect());
        }
        self.string(value).map(|_| vec![value])
    }
}
