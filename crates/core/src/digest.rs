//! What the output of a failed check comes to: how many things failed, which, and the first of them whole.
//!
//! Owns the readers of the usual tools' outputs, one a file. Never runs anything, and never shows what passed. An
//! output that no reader knows is given by its end.

mod cargo;
mod go;
mod place;
mod python;
mod script;
mod tap;
#[cfg(test)]
mod tests;
mod verdict;

pub use place::{Diagnosis, Place, names_others, places};
pub use tap::without_passed;
pub use verdict::{is_verdict, says_passed};

/// Most bytes of a digest.
pub const DIGEST_BYTES: usize = 4 * 1024;
/// Failures that are told whole.
const WHOLE: usize = 3;
/// Most bytes of one of them.
const FAILURE_BYTES: usize = 1200;
/// Most names in a headline.
const NAMES: usize = 6;
/// Most bytes of a name.
const NAME_BYTES: usize = 120;

/// Exit codes of a shell that found no such program, or one that it may not start.
const NO_PROGRAM: [i32; 2] = [126, 127];
/// What programs say that are there and lack what they stand for.
const LACKS: [&str; 5] = [
    "rustup could not choose a version",
    "error: could not create home directory",
    "rustup is unable to find",
    ": No module named ",
    "Missing script:",
];

/// Whether a check did not fail but could not be made: its program is not here, or lacks its own parts.
pub fn could_not_run(exit: Option<i32>, text: &str) -> bool {
    let said = || text.lines().any(|l| LACKS.iter().any(|s| l.contains(s)) && !l.contains("Error: "));
    exit.is_some_and(|code| NO_PROGRAM.contains(&code)) || said()
}

/// One thing that failed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Failed {
    /// A test's name, or where a mistake is.
    name: String,
    /// What ended it, where the headline says that.
    why: String,
    /// What was said of it, whole.
    text: String,
}

/// What a reader found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Found {
    /// What there are several of: `failed`, `errors`.
    noun: &'static str,
    /// Everything that failed, in the order in which it is told.
    failed: Vec<Failed>,
}

impl Found {
    fn tests() -> Self {
        Self { noun: "failed", failed: Vec::new() }
    }

    fn mistakes() -> Self {
        Self { noun: "errors", failed: Vec::new() }
    }

    /// Adds what failed; what stands there already gets the text that it lacks.
    fn add(&mut self, name: &str, text: &str) {
        let (name, text) = (name.trim(), text.trim_matches('\n').trim_end());
        match self.failed.iter_mut().find(|f| f.name == name) {
            Some(known) if known.text.is_empty() => text.clone_into(&mut known.text),
            Some(known) if known.text == text || self.noun == "failed" => {}
            Some(_) | None => {
                let (name, text) = (name.to_owned(), text.to_owned());
                self.failed.push(Failed { name, why: String::new(), text });
            }
        }
    }

    /// Adds a file that failed as a whole, with what ended it. A path is told by its end.
    fn add_file(&mut self, name: &str, why: &str, text: &str) {
        let mut parts = name.rsplitn(3, '/');
        let short = match (parts.next(), parts.next(), parts.next()) {
            (Some(file), Some(folder), Some(above)) if above.len() > 1 => format!("{folder}/{file}"),
            _ => name.to_owned(),
        };
        let name = if name.starts_with('/') { &short } else { name };
        self.add(name, text);
        if let Some(failed) = self.failed.iter_mut().find(|f| f.name == name) {
            why.clone_into(&mut failed.why);
        }
    }

    /// The names of what failed, those that failed for one reason together.
    fn names(&self) -> Vec<String> {
        let mut groups: Vec<(&str, Vec<String>)> = Vec::new();
        for failed in self.failed.iter().take(NAMES) {
            let name = short(&failed.name, NAME_BYTES);
            match groups.last_mut().filter(|(why, _)| !why.is_empty() && *why == failed.why) {
                Some((_, names)) => names.push(name),
                None => groups.push((&failed.why, vec![name])),
            }
        }
        let told = |(why, names): (&str, Vec<String>)| match why {
            "" => names.join(", "),
            why => format!("{}: {}", names.join(", "), short(why, NAME_BYTES)),
        };
        groups.into_iter().map(told).collect()
    }

    fn headline(&self) -> String {
        let count = self.failed.len();
        let more = if count > NAMES { format!(" and {} more", count - NAMES) } else { String::new() };
        let noun = if count == 1 { self.noun.trim_end_matches('s') } else { self.noun };
        format!("{count} {noun}: {}{more}", self.names().join(", "))
    }

    fn told(&self) -> String {
        let mut out = self.headline();
        let mut said: Vec<&str> = Vec::new();
        for failed in &self.failed {
            let says = if failed.why.is_empty() { &failed.text } else { &failed.why };
            if failed.text.is_empty() || said.len() == WHOLE || said.contains(&says.as_str()) {
                continue;
            }
            said.push(says);
            out.push_str("\n\n");
            if !failed.text.contains(&failed.name) {
                out.push_str(&format!("{}\n", failed.name));
            }
            out.push_str(&short(&failed.text, FAILURE_BYTES));
        }
        short(&out, DIGEST_BYTES)
    }
}

/// What an output says is wrong, its headline in the first line; nothing where no reader knows the output.
pub fn digest(output: &str) -> Option<String> {
    let lines: Vec<&str> = output.lines().collect();
    let readers: [fn(&[&str]) -> Found; 11] = [
        cargo::tests,
        cargo::build,
        python::pytest,
        python::unittest,
        script::jest,
        script::vitest,
        go::tests,
        script::tsc,
        script::eslint,
        tap::tests,
        tap::node,
    ];
    readers.iter().map(|read| read(&lines)).find(|found| !found.failed.is_empty()).map(|found| found.told())
}

/// The places that the diagnostics of a red gate name below their headline.
pub fn diagnoses(told: &str) -> Vec<Diagnosis> {
    places(told.split_once('\n').map_or("", |(_, below)| below))
}

/// What a command wrote, without how it ended and the name of its only stream.
pub fn unframed(result: &str) -> &str {
    let (head, rest) = result.split_once('\n').unwrap_or((result, ""));
    let ended = head.starts_with("exit ") && head.contains(", took ");
    let text = if ended { rest } else { result };
    text.strip_prefix("stdout:\n").or_else(|| text.strip_prefix("stderr:\n")).unwrap_or(text)
}

/// What is kept of an output that no reader knows: how its command ended, and below that its end.
pub fn by_exit(code: i32, output: &str) -> String {
    format!("{}\n\n{}", ended(code), end(output))
}

/// The same without its first line, where that says that the command ended so.
pub fn below_exit(told: &str, code: i32) -> &str {
    let below = told.strip_prefix(&ended(code)).and_then(|rest| rest.strip_prefix('\n'));
    below.map_or(told, |below| below.trim_start_matches('\n'))
}

fn ended(code: i32) -> String {
    format!("it ended with exit {code}")
}

/// The end of an output that no reader knows.
pub fn end(output: &str) -> &str {
    let output = output.trim_end();
    let from = output.ceil_char_boundary(output.len().saturating_sub(DIGEST_BYTES));
    let tail = output.get(from..).unwrap_or_default();
    if from == 0 { tail } else { tail.split_once('\n').map_or(tail, |(_, rest)| rest) }
}

/// A text cut at its end, with a sign that it is.
fn short(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let cut = text.get(..text.floor_char_boundary(most.saturating_sub('…'.len_utf8()))).unwrap_or_default();
    format!("{cut}…")
}

/// The lines from `from` on up to one that ends the block.
fn block<'a>(lines: &[&'a str], from: usize, ends: impl Fn(&str) -> bool) -> Vec<&'a str> {
    lines.iter().skip(from).take_while(|line| !ends(line)).copied().collect()
}
