//! The bars of the knowledge index over a real codebase: published crates of the lock file, questions with known places.
//!
//! The ordinary run takes a few crates; `PILOTHOUSE_PROOF=whole cargo test -p pilothouse-index --test knowledge -- --nocapture`
//! takes all, and holds times and memory where the crates are built for speed (`--release`).
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, missing_docs)]

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use pilothouse_core::{
    knowledge::{Passage, Query},
    redact::Redactor,
};
use pilothouse_index::Index;
use serde::Deserialize;

#[derive(Deserialize)]
struct Questions {
    crates: Vec<String>,
    question: Vec<Question>,
}

#[derive(Deserialize)]
struct Question {
    ask: String,
    said: String,
    #[serde(rename = "crate")]
    of: String,
    #[serde(rename = "in")]
    file: String,
    holds: Vec<String>,
}

const WHOLE: &str = include_str!("data/questions.toml");
const HELD_OUT: &str = include_str!("data/held_out.toml");
const CONFIRMING: &str = include_str!("data/confirming.toml");
const FRESH: &str = include_str!("data/fresh.toml");
/// How many of these are answered.
const LEAST: usize = 17;
const ASKED: &str = include_str!("data/asked.toml");
/// How many are answered of the half that may lead the ranking, and of the one that may not.
const LEAST_PLAIN: [usize; 2] = [9, 7];
const PLAIN: &str = include_str!("data/plain.toml");

/// A question with the lines that answer it.
#[derive(Deserialize)]
struct Asked {
    ask: String,
    #[serde(rename = "crate")]
    of: String,
    file: String,
    lines: [usize; 2],
    /// Further places that answer it.
    #[serde(default)]
    also: Vec<(String, usize, usize)>,
    /// Whether nothing may be made to fit it.
    #[serde(default)]
    kept: bool,
}

#[derive(Deserialize)]
struct AskedSet {
    question: Vec<Asked>,
}

impl Asked {
    /// Whether a passage shows one of the places: more than half of the shorter of both.
    fn is_right(&self, passage: &Passage) -> bool {
        let [from, to] = self.lines;
        let places = self.also.iter().map(|(file, from, to)| (file, *from, *to));
        std::iter::once((&self.file, from, to)).chain(places).any(|(file, from, to)| {
            let lines = &passage.lines;
            let common = (lines.to.min(to) + 1).saturating_sub(lines.from.max(from));
            lines.path.as_str() == format!("{}/{file}", self.of)
                && common * 2 > (lines.to + 1 - lines.from).min(to + 1 - from)
        })
    }
}

/// Whether all is tried, rather than a few crates.
fn is_whole() -> bool {
    std::env::var("PILOTHOUSE_PROOF").is_ok_and(|v| v == "whole")
}

/// A set of questions with the crates that are tried: all of them, or these.
fn questions(set: &str, ordinary: &[&str]) -> (Vec<Question>, Vec<String>) {
    let Questions { crates, question } = toml::from_str(set).unwrap();
    let tried: Vec<String> =
        crates.into_iter().filter(|c| is_whole() || ordinary.contains(&c.as_str())).collect();
    (question.into_iter().filter(|q| tried.contains(&q.of)).collect(), tried)
}

/// Where cargo keeps the sources of a crate of the lock file.
fn source(name: &str) -> Option<PathBuf> {
    let lock = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Cargo.lock")).unwrap();
    let entry = lock.split("[[package]]").find(|e| e.contains(&format!("name = \"{name}\"\n")))?;
    let version = entry.split("version = \"").nth(1)?.split('"').next()?;
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")))?;
    let registries = fs::read_dir(home.join("registry/src")).ok()?;
    registries.flatten().map(|r| r.path().join(format!("{name}-{version}"))).find(|p| p.is_dir())
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().flatten() {
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), &to).unwrap();
        }
    }
}

struct Corpus {
    dir: tempfile::TempDir,
    index: Index,
}

/// The crates as one workspace; nothing where their sources are not on this machine.
fn corpus(crates: &[String]) -> Option<Corpus> {
    let dir = tempfile::tempdir().unwrap();
    for name in crates {
        let Some(source) = source(name) else {
            println!(
                "the sources of {name} are not in cargo's cache here (`cargo fetch` brings them): nothing was tried"
            );
            return None;
        };
        copy(&source, &dir.path().join("work").join(name));
    }
    let index = Index::open(&dir.path().join("work"), &dir.path().join("kept"), None, Redactor::default());
    Some(Corpus { dir, index: index.unwrap() })
}

fn ask(index: &Index, text: &str) -> Vec<Passage> {
    let query = Query { text: text.to_owned(), within: Vec::new(), most: 5 };
    index.search(&query, &|_| true).unwrap()
}

fn is_right(question: &Question, passage: &Passage) -> bool {
    let file = format!("{}/{}", question.of, question.file);
    passage.lines.path.as_str().starts_with(&file)
        && question.holds.iter().any(|h| passage.text.contains(h.as_str()))
}

/// How many questions are answered among the first five, by how they are asked; each miss is printed.
fn right(index: &Index, questions: &[Question]) -> usize {
    let mut right = 0;
    for question in questions {
        let found = ask(index, &question.ask);
        let Some(at) = found.iter().position(|p| is_right(question, p)) else {
            println!("  - {:5} {}", question.said, question.ask);
            for p in found {
                println!("          {} {}", p.lines, p.title);
            }
            continue;
        };
        println!("  {} {:5} {}", at + 1, question.said, question.ask);
        right += 1;
    }
    right
}

/// The most memory that this process ever had, in MB, where the system tells it.
fn most_memory() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|l| l.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? / 1024)
}

/// Asks a set of questions, and holds that so many of a hundred are answered among the first five.
fn holds(index: &Index, asked: &[Question], bar: usize) {
    let right = right(index, asked);
    println!("checked={} violations={}", asked.len(), asked.len() - right);
    assert!(right * 100 >= asked.len() * bar, "{right} of {}", asked.len());
    let other = asked.iter().filter(|q| q.said == "other").count();
    assert!(other * 3 >= asked.len(), "{other} of {} are asked in other words", asked.len());
}

/// Questions nearly all in words that the code does not use. All of them led the ranking, the last set only its weights. What is asked
/// of the built-in embedder is 85 of 100: two of the three are below it. This holds what each reaches.
#[test]
fn questions_in_other_words_are_answered_no_worse_than_at_first() {
    for (set, least) in [(HELD_OUT, 70), (CONFIRMING, 93), (FRESH, 45)] {
        let Questions { crates, question } = toml::from_str(set).unwrap();
        let Some(Corpus { index, dir: _dir }) = corpus(&crates) else { return };
        index.refresh(&|_| true, &()).unwrap();
        holds(&index, &question, least);
    }
}

/// Questions of somebody who never saw the ranking, over more crates than any other set: half a million lines, so only the
/// whole run asks them. Nothing is made to fit them, and they tell how good it is: far below 85 of 100. Then those in plain words
/// over crates of no other set: what helps only the half that may lead the ranking is made to fit it. This holds what is reached;
/// it is one test, so that no second large index is made while times are taken.
#[test]
fn questions_by_another_hand_and_in_plain_words_are_counted() {
    if !is_whole() {
        println!("not tried: only the whole run asks them");
        return;
    }
    let Some((right, _)) = counted(ASKED) else { return };
    assert!(right >= LEAST, "{right}");
    let Some((tried, kept)) = counted(PLAIN) else { return };
    let [least, least_kept] = LEAST_PLAIN;
    assert!(tried >= least && kept >= least_kept, "{tried} and {kept}");
}

/// How many questions of a set are answered among the first five, and how many of those that nothing is made to fit. Nothing
/// where sources are missing.
fn counted(set: &str) -> Option<(usize, usize)> {
    let AskedSet { question } = toml::from_str(set).unwrap();
    let crates: BTreeSet<String> = question.iter().map(|q| q.of.clone()).collect();
    let Corpus { index, dir: _dir } = corpus(&crates.into_iter().collect::<Vec<_>>())?;
    index.refresh(&|_| true, &()).unwrap();
    let count = |kept: bool| {
        let asked: Vec<&Asked> = question.iter().filter(|q| q.kept == kept).collect();
        let right = asked.iter().filter(|q| ask(&index, &q.ask).iter().any(|p| q.is_right(p))).count();
        if !asked.is_empty() {
            println!("checked={} violations={}", asked.len(), asked.len() - right);
            println!("{} of 100 are answered among the first five", right * 100 / asked.len());
        }
        right
    };
    Some((count(false), count(true)))
}

#[test]
fn questions_are_answered_among_the_first_five() {
    let (asked, crates) = questions(WHOLE, &["walkdir", "ignore", "tempfile", "reqwest"]);
    let Some(Corpus { dir, index }) = corpus(&crates) else { return };
    let began = Instant::now();
    index.refresh(&|_| true, &()).unwrap();
    let made = began.elapsed();
    let status = index.status().unwrap();
    holds(&index, &asked, 85);
    let memory = most_memory();
    let times = times(&index, &asked);
    let again = again(&index, &dir.path().join("work"));
    println!(
        "{} lines, {} files, {} passages, {} names, {} KB; made in {made:?}; a changed file {again:?}; 95 of 100 questions \
         within {times:?}; most memory {memory:?} MB; left out {:?}",
        status.lines,
        status.files,
        status.passages,
        status.symbols,
        status.bytes / 1024,
        status.skipped
    );
    if is_whole() && !cfg!(debug_assertions) {
        assert!(status.lines > 100_000);
        assert!(made.as_millis() * 100_000 / (status.lines as u128) < 20_000, "{made:?}");
        assert!(again < Duration::from_millis(100), "{again:?}");
        assert!(times < Duration::from_millis(30), "{times:?}");
        assert!(memory.is_none_or(|mb| mb < 150), "{memory:?} MB");
    }
}

/// What 95 of 100 questions take at most.
fn times(index: &Index, asked: &[Question]) -> Duration {
    let mut times: Vec<Duration> = Vec::new();
    for question in asked.iter().cycle().take(120) {
        let began = Instant::now();
        ask(index, &question.ask);
        times.push(began.elapsed());
    }
    times.sort();
    times.get(times.len() * 95 / 100).copied().unwrap()
}

/// What it takes until a changed file is found by what was added to it.
fn again(index: &Index, work: &Path) -> Duration {
    let file = work.join("walkdir/src/lib.rs");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, format!("{text}\n/// Zyzzyva quetzal.\npub fn zyzzyva_quetzal() {{}}\n")).unwrap();
    let began = Instant::now();
    index.refresh(&|_| true, &()).unwrap();
    let took = began.elapsed();
    assert!(ask(index, "zyzzyva quetzal").first().is_some_and(|p| p.text.contains("zyzzyva_quetzal")));
    took
}

/// This repository itself: a few questions about what is not going to move, answered in the ordinary run.
#[test]
fn this_repository_answers_about_itself() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let kept = tempfile::tempdir().unwrap();
    let work = kept.path().join("work");
    for name in ["core", "tools", "shell"] {
        copy(&root.join("crates").join(name).join("src"), &work.join(name).join("src"));
    }
    let index = Index::open(&work, &kept.path().join("kept"), None, Redactor::default()).unwrap();
    index.refresh(&|_| true, &()).unwrap();
    for (question, file) in [
        ("how is the size of a file limited that tools read whole", "tools/src/jail.rs"),
        ("replace a file of the program at once", "tools/src/atomic.rs"),
        ("which tools ask the knowledge index", "core/src/tool/facts.rs"),
        ("tokens and money of one reply of a model", "core/src/talk.rs"),
        ("names of folders that tools make and make again", "shell/src/made.rs"),
    ] {
        let found = ask(&index, question);
        let places: Vec<String> = found.iter().map(|p| p.lines.to_string()).collect();
        assert!(places.iter().any(|p| p.starts_with(file)), "{question}: {places:?}");
    }
}
