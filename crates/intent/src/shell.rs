//! Recognises a shell line typed as it is, and what it would do.
//!
//! Owns telling a command line from a sentence. What its programs do is the shell crate's to say.

mod sql;

use pilothouse_shell::{Effect, Role, effect, is, is_known};

use super::{
    IntentNode as N,
    parts::Tables,
    text::fold,
    words::{List, Words},
};

/// The leaf of a line that is a command as it stands; `None` for prose.
pub(crate) fn leaf_of_line(text: &str) -> Option<N> {
    if text.trim().len() > 2_000 {
        return None;
    }
    let lines: Vec<&str> = lines(text).collect();
    if lines.is_empty() || lines.len() > 6 || !lines.iter().all(|l| is_command(l, &Tables::builtin().words)) {
        return None;
    }
    lines.iter().map(|l| leaf(l)).max_by_key(|(effect, _)| *effect).map(|(_, leaf)| leaf)
}

/// The line that a message wants run and nothing else: "run npm test", "please run `cargo test -q`". "run npm test twice" says
/// how, and is for the agent.
pub(crate) fn behind_run<'a>(text: &'a str, known: &Words) -> Option<&'a str> {
    let text = text.trim();
    let asked = text.get(..7).filter(|head| head.eq_ignore_ascii_case("please ")).map_or(0, str::len);
    let (verb, line) = text.get(asked..)?.split_once(' ')?;
    let line = line.trim().trim_end_matches('.');
    let ticked = line.strip_prefix('`').and_then(|line| line.strip_suffix('`')).filter(|l| !l.contains('`'));
    let line = ticked.unwrap_or(line);
    let words: Vec<&str> = line.split_whitespace().collect();
    let bare = |word: &&&str| word.bytes().all(|b| b.is_ascii_alphabetic());
    let said = words.iter().skip(1).filter(bare).filter(|word| !matches!(**word, "run" | "exec")).count();
    let plain = said < 2 && !words.iter().any(|word| known.has(List::RunHow, word)) && !line.contains('\n');
    let runs = verb.eq_ignore_ascii_case("run") || verb.eq_ignore_ascii_case("execute");
    // What writes by itself is an order to write: "run touch a.txt".
    let harmless = || matches!(leaf_of_line(line), Some(N::Read | N::Execute));
    (runs && (ticked.is_some() || plain) && harmless()).then_some(line)
}

/// What a shell would be given of a text: its lines without the marks of a prompt before them.
pub(crate) fn without_marks(text: &str) -> String {
    lines(text).collect::<Vec<&str>>().join("\n")
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(|line| line.trim().trim_start_matches("$ ")).filter(|line| !line.is_empty())
}

/// What one line does.
fn leaf(line: &str) -> (Effect, N) {
    let lower = line.to_lowercase();
    let effect =
        if sql::is_sql(line, &Tables::builtin().words) { effect_of_sql(&lower) } else { effect(line) };
    let leaf = match effect {
        Effect::Reads => N::Read,
        Effect::Creates => N::Create,
        Effect::Runs => N::Execute,
        Effect::Changes => N::Modify,
        Effect::Deletes => N::Delete,
    };
    (effect, leaf)
}

fn effect_of_sql(lower: &str) -> Effect {
    match lower.split(' ').next().unwrap_or("") {
        "drop" | "delete" | "truncate" => Effect::Deletes,
        "select" => Effect::Reads,
        _ => Effect::Runs,
    }
}

fn is_command(line: &str, known: &Words) -> bool {
    if line.contains("ERR!") || line.contains("rror:") {
        return false;
    }
    if sql::is_sql(line, known) {
        return true;
    }
    let mut words: Vec<&str> = line.split_whitespace().collect();
    while words.first().is_some_and(|w| is_assignment(w)) {
        words.remove(0);
    }
    if words.first() == Some(&"sudo") && words.len() > 1 {
        words.remove(0);
    }
    let Some((program, rest)) = words.split_first() else { return false };
    if line.ends_with('?') || program.chars().any(char::is_uppercase) {
        return false;
    }
    if is_prose(rest, is(program, Role::Word), known) || is_made_so(program, rest, known) {
        return false;
    }
    let typed = if program.starts_with("./") { program.len() > 2 } else { is_typed(program, rest, known) };
    // Last: to read a sentence as the shell would takes longer than all the rest.
    typed && parses(line)
}

/// Whether the shell could run all of it, and each command behind a `;` begins with a program.
fn parses(line: &str) -> bool {
    let begins = |part: &str| {
        let first = part.split_whitespace().next().unwrap_or_default();
        first.is_empty() || is_known(first) || is_assignment(first) || first.contains(['/', '$', '('])
    };
    let quoted = line.contains(['"', '\'']);
    let reading = pilothouse_shell::read(line);
    reading.verdict.rule != "unreadable" && (quoted || line.split(';').skip(1).all(begins))
}

/// Whether what follows the program is a sentence: words that only sentences have, punctuation, or a
/// script that no argument is written in. What stands in quotes is an argument, whatever it says.
fn is_prose(rest: &[&str], wordy: bool, known: &Words) -> bool {
    let (mut said, mut quote, mut flags) = (0, None, 0);
    for word in rest {
        if let Some(mark) = quote {
            quote = (!word.ends_with(mark)).then_some(mark);
            continue;
        }
        if let Some(mark) = word.chars().next().filter(|c| matches!(c, '"' | '\'')) {
            quote = (word.len() == 1 || !word.ends_with(mark)).then_some(mark);
            continue;
        }
        if word
            .chars()
            .any(|c| matches!(c, '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7ff}' | '\u{ff00}'..='\u{ffef}'))
        {
            return true;
        }
        flags += usize::from(word.starts_with('-') && word.len() > 1);
        let bare = word.trim_end_matches([',', '.', '!', ':', '，', '。', '！']);
        let spelled = !bare.is_empty() && bare.chars().all(|c| c.is_alphabetic() || c == '\'');
        if spelled && (bare.len() < word.len() || !bare.is_ascii()) && bare.chars().count() > 1 {
            return true;
        }
        let folded: String = bare.chars().filter_map(fold).collect();
        said += usize::from(spelled && known.has(List::Prose, &folded));
    }
    // "grep -w the notes.txt": an option makes one such word an argument
    said > usize::from(flags > 0 && !wordy)
}

/// Whether something is to be made what the last word says, as no target is named: "make src/lib.rs compile".
pub(crate) fn is_made_so(first: &str, rest: &[&str], known: &Words) -> bool {
    let [object, .., outcome] = rest else { return false };
    let bare = outcome.trim_end_matches(['.', '!']);
    let plain = !rest.iter().any(|w| w.starts_with('-') || w.contains('='));
    matches!(first, "make" | "get" | "bring") && plain && *object != "sure" && known.has(List::Outcome, bare)
}

/// Whether a program and its arguments look as they are typed, no sentence among them.
fn is_typed(program: &str, rest: &[&str], known: &Words) -> bool {
    if is(program, Role::Typed) && !is(program, Role::Word) {
        return true;
    }
    if !is(program, Role::Word) {
        return false;
    }
    let builtin = is(program, Role::Builtin) && !is(program, Role::Verb) && rest.len() == 1;
    let joined = rest.iter().any(|w| matches!(*w, "|" | "||" | "&&" | ">" | ">>") || w.ends_with(';'));
    if builtin || joined || (rest.is_empty() && is(program, Role::Alone)) {
        return true;
    }
    let typed = rest.iter().any(|w| {
        (w.starts_with('-') && w.len() > 1)
            || w.contains(['/', '=', '*', '$', '@'])
            || (w.contains('.') && w.len() > 2 && !w.ends_with('.'))
            || *w == "."
    });
    let told = |w: &str| known.has(List::Subcommand, w);
    let sub = rest.first().is_some_and(|w| told(w) || w.split(':').next().is_some_and(told));
    let runner = matches!(program, "make" | "just") && rest.len() == 1 && sub;
    (typed && !english_shape(rest, program))
        || (is(program, Role::Told) && sub && (program != "make" && program != "go" || rest.len() < 4))
        || runner
}

/// Wordy programs take paths in prose too: "open docs/api.md" is a request, not a line.
fn english_shape(rest: &[&str], program: &str) -> bool {
    let flags = rest.iter().any(|w| w.starts_with('-') && w.len() > 1);
    let words = rest.iter().filter(|w| w.len() > 2 && w.chars().all(char::is_alphabetic)).count();
    !flags && (is(program, Role::Verb) || words > 2)
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(k, _)| {
        !k.is_empty() && k.chars().all(|c| c.is_ascii_uppercase() || c == '_' || c.is_ascii_digit())
    })
}
