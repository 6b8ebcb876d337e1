//! Laws of command risk over derived lines, and a fuzzer: shared by the tests and the long-running examples.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::string_slice)]

use std::time::{Duration, Instant};

use pilothouse_shell::{Risk, assess, quote};

/// A small generator of numbers with a fixed seed.
pub struct Numbers(u64);

impl Numbers {
    /// Starts from a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// The next number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap() % bound.max(1)
    }
}

/// Number of wrappings.
pub const WRAPPINGS: usize = 20;

/// A line inside the wrapping of that number.
pub fn wrap(line: &str, number: usize) -> String {
    let quoted = format!("'{}'", line.replace('\'', "'\\''"));
    match number {
        0 => format!("( {line}\n)"),
        1 => format!("{{ {line}\n}}"),
        2 => format!("if true; then {line}\nfi"),
        3 => format!("for i in 1; do {line}\ndone"),
        4 => format!("while true; do {line}\ndone"),
        5 => format!("f() {{ {line}\n}}; f"),
        6 => format!("bash -c {quoted}"),
        7 => format!("sh -c {quoted}"),
        8 => format!("eval {quoted}"),
        9 => format!("trap {quoted} EXIT"),
        10 => format!("echo \"$({line}\n)\""),
        11 => format!("timeout 9 sh -c {quoted}"),
        12 => format!("env A=1 bash -c {quoted}"),
        13 => format!("sh <<'END_OF_LINE'\n{line}\nEND_OF_LINE"),
        14 => format!("true && {{ {line}\n}}"),
        15 => format!("ls | xargs sh -c {quoted}"),
        16 => format!("find . -exec sh -c {quoted} \\;"),
        17 => format!("nohup nice bash -c {quoted} &"),
        18 => format!("cat <({line}\n)"),
        _ => format!("case x in *) {line}\n;; esac"),
    }
}

/// Derives `count` lines and gives those that break a law.
pub fn check(lines: &[(String, Risk)], count: usize, seed: u64) -> Vec<String> {
    let mut numbers = Numbers::new(seed);
    let mut broken = Vec::new();
    let high: Vec<&String> =
        lines.iter().filter(|(_, risk)| *risk == Risk::High).map(|(line, _)| line).collect();
    for round in 0..count {
        let line = &lines[numbers.below(lines.len())].0;
        let alone = assess(line).risk;
        match round % 4 {
            0 => {
                let line = high[numbers.below(high.len())];
                let wrapped = wrap(line, (round / 4) % WRAPPINGS);
                if assess(line).risk == Risk::High && assess(&wrapped).risk != Risk::High {
                    broken.push(wrapped);
                }
            }
            1 => {
                let printed = format!("echo '{}'", line.replace('\'', "'\\''"));
                if assess(&printed).risk != Risk::Low
                    || assess(&format!("echo {}", quote(line))).risk != Risk::Low
                {
                    broken.push(printed);
                }
            }
            2 => {
                let other = &lines[numbers.below(lines.len())].0;
                // Behind `cd src` what begins with `../` is in the project.
                if line.contains("cd ") && other.contains("../") {
                    continue;
                }
                // What ends in a comment or a here-document would swallow the second line.
                let join = if line.contains(['#', '<']) { "\n" } else { "; " };
                let both = format!("{line}{join}{other}");
                if assess(&both).risk < alone.max(assess(other).risk) {
                    broken.push(both);
                }
            }
            _ => {
                let times = [1, 50, 5_000][numbers.below(3)];
                let more = format!("{}{line}", "true;".repeat(times));
                if assess(&more).risk != alone {
                    broken.push(format!("true x {times}; {line}"));
                }
            }
        }
    }
    broken
}

const TOKENS: [&str; 74] = [
    "rm",
    "ls",
    "echo",
    "cat",
    "sh",
    "-c",
    "git",
    "$(",
    ")",
    "`",
    "'",
    "\"",
    "\\",
    "\n",
    " ",
    " ",
    " ",
    ";",
    "&&",
    "||",
    "|",
    "&",
    "<<E\n",
    "\nE\n",
    "<<<",
    "<(",
    ">",
    ">>",
    "2>&1",
    "{",
    "}",
    "(",
    "((",
    "))",
    "[[",
    "]]",
    "if",
    "then",
    "fi",
    "for",
    "in",
    "do",
    "done",
    "while",
    "case",
    "esac",
    ";;",
    "$x",
    "${x:-",
    "${x#",
    "$'\\x",
    "$((",
    "a=b",
    "a=(",
    "*",
    "?",
    "[a]",
    "~",
    "/etc/x",
    "../x",
    ".env",
    "sudo",
    "xargs",
    "find",
    "-exec",
    "{}",
    "\\;",
    "awk",
    "sed",
    "'{print > \"x\"}'",
    "é",
    "\u{202e}",
    "\u{200b}",
    "#",
];

/// Runs generated and broken lines; gives the longest time of one. A panic ends the run.
pub fn fuzz(seeds: &[String], count: usize, seed: u64) -> Duration {
    let mut numbers = Numbers::new(seed);
    let mut slowest = Duration::ZERO;
    for round in 0..count {
        let line = if round % 2 == 0 { grammar(&mut numbers) } else { broken(&mut numbers, seeds) };
        let start = Instant::now();
        let verdict = assess(&line);
        slowest = slowest.max(start.elapsed());
        assert!(line.contains(&verdict.part), "{line:?}");
        assert!(verdict.risk == Risk::Low || !verdict.part.is_empty() || line.trim().is_empty(), "{line:?}");
    }
    slowest
}

fn grammar(numbers: &mut Numbers) -> String {
    let mut line = String::new();
    for _ in 0..=numbers.below(24) {
        line.push_str(TOKENS[numbers.below(TOKENS.len())]);
        if numbers.below(3) > 0 {
            line.push(' ');
        }
    }
    line
}

fn broken(numbers: &mut Numbers, seeds: &[String]) -> String {
    let mut bytes = seeds[numbers.below(seeds.len())].clone().into_bytes();
    for _ in 0..=numbers.below(6) {
        let at = numbers.below(bytes.len() + 1);
        match numbers.below(4) {
            0 => bytes.insert(at, u8::try_from(numbers.below(256)).unwrap()),
            1 if at < bytes.len() => {
                bytes.remove(at);
            }
            2 => {
                let token = TOKENS[numbers.below(TOKENS.len())].as_bytes();
                bytes.splice(at..at, token.iter().copied());
            }
            _ => {
                let other = seeds[numbers.below(seeds.len())].as_bytes();
                let cut = numbers.below(other.len() + 1);
                bytes.truncate(at);
                bytes.extend_from_slice(&other[cut..]);
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
