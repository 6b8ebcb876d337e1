//! Whether a line can prove something by its exit code.
//!
//! Owns the one form in which it can: programs that work, joined by `&&`. Never judges risk, and never says whether
//! what they check is enough.

use super::knowledge::list;
use super::parse;
use super::programs::{self, Role};
use super::syntax::{Joined, Kind, Node, Pipeline, Span};
use super::{Effect, Risk, effect};

/// Options by which an interpreter is given its program on the line.
const CODE: [&str; 6] = ["-c", "-e", "-p", "-r", "--eval", "--print"];

/// Whether a line ends well only where every program in it did, and one of them does more than look or print.
///
/// `cargo test`, `cd web && npm test` can; `true`, `echo ok`, `pytest || true`, `pytest; echo done`, `pytest | tail`,
/// `! pytest` and `bash -c …` cannot: another program's end, or none, would decide.
pub fn proves(line: &str) -> bool {
    let Some(nodes) = ends_together(line) else { return false };
    let mut works = false;
    for node in &nodes {
        let Kind::Simple { words, .. } = &node.kind else { return false };
        match words.first().map(|word| parse::bare(word)) {
            None | Some(Some("cd" | "export")) => {}
            Some(_) if counts(line, node.span) => works = true,
            Some(_) => return false,
        }
    }
    works
}

/// Whether a line surely checks all that another checks: the same, or that without the operands that narrow it, for programs
/// that check everything where none is named.
///
/// Only what is known to change nothing is looked past: wrappers, how much is printed, a few variables.
/// `PYTHONPATH=src python3 -m pytest -q` checks what `pytest tests/test_a.py` does; another folder, another option, or a
/// variable that may carry options make it another check.
pub fn checks_as_much(line: &str, other: &str) -> bool {
    together_check_as_much(&[line], other)
}

/// The same of several lines together: each check of the other is one of theirs.
pub fn together_check_as_much(lines: &[&str], other: &str) -> bool {
    if lines.iter().any(|line| line.trim() == other.trim()) {
        return true;
    }
    let Some(narrow) = checks(other) else { return false };
    let wide: Vec<Check> = lines.iter().filter_map(|line| checks(line)).flatten().collect();
    let covered = |check: &Check| wide.iter().any(|w| w.covers(check));
    !narrow.is_empty() && narrow.iter().all(covered)
}

/// Whether a line runs a check that is known as one, however it is spelled: `python -m pytest -q`, `npx jest src`.
pub fn is_check(line: &str) -> bool {
    let known = |words: &[String]| (1..=words.len()).any(|n| known_check(words.get(..n).unwrap_or_default()));
    proves(line) && checks(line).is_some_and(|all| all.iter().any(|check| known(&check.words)))
}

fn known_check(words: &[String]) -> bool {
    list("checks all").contains(&words.join(" ").as_str())
}

/// What a command of a line checks.
#[derive(PartialEq, Eq)]
struct Check {
    /// Where the line goes to, and the variables that are set for it.
    place: Vec<String>,
    /// The program and its arguments.
    words: Vec<String>,
}

impl Check {
    fn covers(&self, narrow: &Self) -> bool {
        let rest = narrow.words.strip_prefix(self.words.as_slice());
        let bare = known_check(&self.words);
        let operands = |rest: &[String]| rest.is_empty() || bare && rest.iter().all(|w| !w.starts_with('-'));
        self.place == narrow.place && rest.is_some_and(operands)
    }
}

/// What the commands of a line check, where all of it can be read.
fn checks(line: &str) -> Option<Vec<Check>> {
    let (mut out, mut place) = (Vec::new(), Vec::new());
    let neutral = |name: &str, words: &str| list(name).contains(&words);
    for node in ends_together(line)? {
        let Kind::Simple { assigns, words } = &node.kind else { return None };
        let part = line.get(node.span.start..node.span.end)?;
        if matches!(words.first().map(|word| parse::bare(word)), Some(Some("cd" | "export"))) {
            place.push(part.trim().to_owned());
            continue;
        }
        let mut here = place.clone();
        for set in assigns.iter().filter(|set| !neutral("neutral variables", &set.name)) {
            here.push(line.get(set.span.start..set.span.end)?.to_owned());
        }
        for call in super::read(part).calls.iter().filter(|call| !call.carrier) {
            let module = call.words.first().is_some_and(|w| w.text == "-m");
            let module = module && programs::is(&call.program, Role::Interpreter);
            let program = std::iter::once(call.program.as_str()).filter(|_| !module);
            let given = call.words.iter().skip(usize::from(module)).map(|w| w.text.as_str());
            let given = given.filter(|word| {
                let printed = word.split_once('=').map_or(*word, |(name, _)| name);
                !neutral("neutral options", printed)
            });
            let words = program.chain(given).map(str::to_owned).collect();
            out.push(Check { place: here.clone(), words });
        }
    }
    Some(out)
}

/// Sub-commands by which the program of a project formats it, file by file.
const FORMATS: [&str; 2] = ["fmt", "format"];

/// Whether a line checks each file by itself, as formatters and the linters of single files do: a file that it finds
/// fault with had that fault whatever became of the others.
pub fn checks_each_file(line: &str) -> bool {
    let Some(nodes) = ends_together(line) else { return false };
    let each = |call: &super::Call| {
        let formats = call.words.first().is_some_and(|w| FORMATS.contains(&w.text.as_str()));
        programs::is(&call.program, Role::Each) || formats && programs::is(&call.program, Role::Project)
    };
    let parts = nodes.iter().filter_map(|node| line.get(node.span.start..node.span.end));
    let mut calls = parts.flat_map(|part| super::read(part).calls).filter(|c| c.program != "cd").peekable();
    calls.peek().is_some() && calls.all(|call| each(&call))
}

/// Whether the end of a line says how each program in it ended: one program, or several joined by `&&`; pipes that
/// only shorten aside.
pub fn ends_as_one(line: &str) -> bool {
    ends_together(line).is_some() || only_shortens(line) && ends_together(&unshortened(line)).is_some()
}

/// Whether every pipe of a line, and there is one, only shortens what is shown and reads all of it to its end: run
/// with `pipefail` such a line ends as what works in it does.
pub fn only_shortens(line: &str) -> bool {
    let Ok(script) = parse::parse(line) else { return false };
    let mut piped = script.iter().flat_map(|pipeline| pipeline.nodes.iter().skip(1)).peekable();
    piped.peek().is_some() && piped.all(|node| only_shows(node) && !names(node, &["head"]))
}

/// Whether a line is a check whose output a pipe shortens: `npm test 2>&1 | tail -20`. Without the pipe it would prove what
/// it checks.
pub fn shortened_check(line: &str) -> bool {
    tells_its_end(line).is_ok_and(|whole| whole != line && proves(&whole))
}

/// The program into which the output of a line goes at last, where that only shortens it.
pub fn pipe_of(line: &str) -> Option<String> {
    let script = parse::parse(line).ok()?;
    let last =
        script.iter().rev().filter(|pipeline| pipeline.nodes.len() > 1).find_map(|p| p.nodes.last())?;
    let Kind::Simple { words, .. } = &last.kind else { return None };
    only_shows(last).then(|| words.first().and_then(|word| parse::bare(word)).map(str::to_owned))?
}

/// Words by which a runner is told what to run.
const RUNS: [&str; 3] = ["-m", "run", "exec"];

/// The way in which a line makes a check wholly, where it goes there by an interpreter, a runner or the place of its
/// modules: `python3 -m pytest` of `python3 -m pytest -q` for `pytest`. Any other variable may make less of the check.
pub fn another_way(line: &str, check: &str) -> Option<String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let sought: Vec<&str> = check.split_whitespace().collect();
    let at = words.windows(sought.len().max(1)).position(|part| part == sought)?;
    let (before, rest) = words.split_at_checked(at)?;
    let (found, options) = rest.split_at_checked(sought.len())?;
    let set: Vec<&str> = before.iter().map_while(|word| variable(word)).collect();
    let by_another = match before.get(set.len()..) {
        Some([]) => !set.is_empty(),
        Some([_, runs]) => RUNS.contains(runs),
        _ => false,
    };
    let by_another = by_another && set.iter().all(|name| list("variables of modules").contains(name));
    let whole = options.iter().all(|word| word.starts_with('-'));
    (by_another && whole && proves(line)).then(|| [before, found].concat().join(" "))
}

/// The variable that a word sets before a command.
fn variable(word: &str) -> Option<&str> {
    word.split_once('=').map(|(name, _)| name).filter(|name| !name.starts_with('-'))
}

/// Programs that only pass on the lines they are fed, or some of them.
const SHOWS: [&str; 3] = ["tail", "head", "cat"];
/// Programs that end well whatever became of the others.
const ENDS_WELL: [&str; 4] = ["true", ":", "echo", "printf"];

/// Programs that only end well, print or look: none of them fails because the work is wrong.
const HOLLOW: [&str; 10] = ["true", ":", "echo", "printf", "exit", "ls", "cat", "cd", "pwd", "export"];

/// Whether nothing of a line can fail by itself, however its parts are joined: `true`, `echo ok`, `cd web && ls`.
pub fn is_hollow(line: &str) -> bool {
    let script = parse::parse(line).unwrap_or_default();
    let mut nodes = script.iter().flat_map(|pipeline| &pipeline.nodes).peekable();
    // What is turned round by `!` ends otherwise.
    let turned = line.split_whitespace().any(|word| word == "!");
    let substitutes = line.contains('`') || line.contains("$(");
    nodes.peek().is_some() && !turned && nodes.all(|node| ends_anyhow(node, substitutes))
}

/// Whether a part is a call of a hollow program, or none at all; `exit 1` is not. What is set to the output of a command
/// ends as that does.
fn ends_anyhow(node: &Node, substitutes: bool) -> bool {
    let Kind::Simple { words, .. } = &node.kind else { return false };
    let mut bare = words.iter().map(parse::bare);
    match bare.next() {
        None => !substitutes,
        Some(Some("exit")) => bare.next().is_none_or(|code| code == Some("0")),
        Some(name) => name.is_some_and(|name| HOLLOW.contains(&name)),
    }
}

/// A line whose end is not that of a program in it that works; the text is the part that decides instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hides {
    /// That part is what the program's output is piped into.
    Pipe(String),
    /// That part comes after the program, or beside it.
    Later(String),
}

impl std::fmt::Display for Hides {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Pipe(last) => write!(
                f,
                "its end would be that of `{last}`, whatever failed before it: drop the pipe; output is shortened for you"
            ),
            Self::Later(last) => {
                write!(
                    f,
                    "its end would be that of `{last}`, whatever failed before it: join the parts by &&"
                )
            }
        }
    }
}

/// A line as its end says what it came to: without `2>&1 | tail` and its like, which only shorten what is shown.
///
/// # Errors
/// When another part of it would end well whether or not a program that works in it did.
pub fn tells_its_end(line: &str) -> Result<String, Hides> {
    let line = unshortened(line);
    let Ok(script) = parse::parse(&line) else { return Ok(line) };
    let text = |node: &Node| line.get(node.span.start..node.span.end).unwrap_or_default().trim().to_owned();
    let works = |node: &Node| matches!(node.kind, Kind::Simple { .. }) && counts(&line, node.span);
    let mut worked = false;
    for (at, pipeline) in script.iter().enumerate() {
        let Some((last, before)) = pipeline.nodes.split_last() else { continue };
        if before.iter().any(works) {
            return Err(Hides::Pipe(text(last)));
        }
        let ends = at + 1 == script.len();
        if ends && worked && pipeline.joined != Joined::And && names(last, &ENDS_WELL) {
            return Err(Hides::Later(text(last)));
        }
        worked |= works(last);
        if ends && worked && pipeline.background {
            return Err(Hides::Later("&".to_owned()));
        }
    }
    Ok(line)
}

/// Whether a line may end well although a program that works in it did not, in a pipe or before another part.
pub fn hides_its_end(line: &str) -> bool {
    let works = |node: &Node| matches!(node.kind, Kind::Simple { .. }) && counts(line, node.span);
    let before = |pipeline: Pipeline| pipeline.nodes.split_last().is_some_and(|(_, b)| b.iter().any(works));
    let piped = || parse::parse(line).is_ok_and(|script| script.into_iter().any(before));
    tells_its_end(line).is_err() || !only_shortens(line) && piped()
}

/// Whether a line leaves something in the background: nothing behind that waits for it or ends it.
pub fn leaves_running(line: &str) -> bool {
    let script = parse::parse(line).unwrap_or_default();
    let last = script.iter().rev().find(|pipeline| pipeline.background).and_then(|p| p.nodes.last());
    last.is_some_and(|node| {
        let behind = line.get(node.span.end..).unwrap_or_default();
        let behind = behind.split_once('&').map_or("", |(_, behind)| behind);
        let ends = |call: &super::Call| list("ends of the background").contains(&call.program.as_str());
        !super::read(behind).calls.iter().any(ends)
    })
}

/// What a line leaves in the background as a whole, without the sign for that: `npm start &`.
pub fn left_beside(line: &str) -> Option<&str> {
    let script = parse::parse(line).ok()?;
    let rest = script.get(1..)?;
    let one = rest.iter().all(|pipeline| pipeline.joined != Joined::Always);
    let whole = line.trim_end().strip_suffix('&').filter(|_| one && leaves_running(line))?;
    Some(whole.trim())
}

/// Whether more than one part of a line works: wrappers are none, nor is what only goes somewhere.
pub fn has_parts(line: &str) -> bool {
    let script = parse::parse(line).unwrap_or_default();
    let works = |node: &&Node| !matches!(node.kind, Kind::Simple { .. }) || counts(line, node.span);
    let works: Vec<&Node> = script.iter().flat_map(|pipeline| &pipeline.nodes).filter(works).collect();
    let several = |node: &&Node| {
        let text = line.get(node.span.start..node.span.end).unwrap_or_default();
        let own = |call: &&super::Call| !call.carrier && !programs::is(&call.program, Role::Builtin);
        !matches!(node.kind, Kind::Simple { .. }) && super::read(text).calls.iter().filter(own).count() > 1
    };
    works.len() > 1 || works.iter().any(several)
}

/// A line without the ends of pipes that only shorten what is shown.
fn unshortened(line: &str) -> String {
    let (mut kept, mut from) = (String::new(), 0);
    for pipeline in parse::parse(line).unwrap_or_default() {
        let shown = pipeline.nodes.iter().skip(1).rev().take_while(|node| only_shows(node)).count();
        let Some(last) = pipeline.nodes.len().checked_sub(shown + 1).and_then(|at| pipeline.nodes.get(at))
        else {
            continue;
        };
        let Some(end) = pipeline.nodes.last().map(|node| node.span.end).filter(|_| shown > 0) else {
            continue;
        };
        let joins = last.redirects.last().map(|r| r.span).filter(|span| {
            span.end == last.span.end && line.get(span.start..span.end).is_some_and(|t| t.trim() == "2>&1")
        });
        let stop = joins.map_or(last.span.end, |span| span.start);
        kept.push_str(line.get(from..stop).unwrap_or_default().trim_end());
        from = end;
    }
    kept.push_str(line.get(from..).unwrap_or_default());
    kept
}

/// Whether a part only passes on what it is fed: it names no file and writes none.
fn only_shows(node: &Node) -> bool {
    let Kind::Simple { words, .. } = &node.kind else { return false };
    let counts = |word: &str| word.starts_with(['-', '+']) || word.bytes().all(|b| b.is_ascii_digit());
    let options = || words.iter().skip(1).all(|word| parse::bare(word).is_some_and(counts));
    node.redirects.is_empty() && names(node, &SHOWS) && options()
}

/// Whether a part is a call of one of these programs.
fn names(node: &Node, programs: &[&str]) -> bool {
    let Kind::Simple { words, .. } = &node.kind else { return false };
    words.first().and_then(|word| parse::bare(word)).is_some_and(|name| programs.contains(&name))
}

/// The parts of a line whose end is that of each of them.
fn ends_together(line: &str) -> Option<Vec<Node>> {
    let (mut nodes, mut end) = (Vec::new(), 0);
    let mut joined = Joined::Always;
    for pipeline in parse::parse(line).ok()? {
        let [node] = <[Node; 1]>::try_from(pipeline.nodes).ok()?;
        let between = line.get(end..node.span.start).unwrap_or("!");
        if pipeline.background || pipeline.joined != joined || between.contains('!') {
            return None;
        }
        (end, joined) = (node.span.end, Joined::And);
        nodes.push(node);
    }
    Some(nodes)
}

/// Whether a command does something, and by itself: not through a shell or code on the line, which may end as they like.
fn counts(line: &str, span: Span) -> bool {
    let Some(part) = line.get(span.start..span.end) else { return false };
    let reading = super::read(part);
    let hides = |call: &super::Call| {
        let is = |role| programs::is(&call.program, role);
        let option = call.words.first().is_some_and(|w| w.text.starts_with('-'));
        let code = call.words.iter().any(|w| CODE.contains(&w.text.as_str()));
        is(Role::Builtin) || is(Role::Shell) && option || is(Role::Interpreter) && code
    };
    !reading.calls.iter().any(hides) && reading.verdict.risk > Risk::Low && effect(part) >= Effect::Runs
}

#[cfg(test)]
mod tests;
