//! `blame`: where the lines of a file come from, as text and as JSON.

use std::{
    collections::BTreeSet,
    io::{BufWriter, Write},
    path::Path,
};

use pilothouse_core::clean::Clean;
use pilothouse_runtime::blame::{self as runtime, From, Wrote};

use crate::{
    alone::home,
    cli::BlameArgs,
    exit::{Failure, USAGE},
    out,
    workbench::explain,
};

/// As much of a message as stands beside a line, in characters.
const SHOWN: usize = 28;

/// Says where the lines of a file come from.
///
/// # Errors
/// When there is no such file or line, or no session worked where it lies.
pub fn blame(args: &BlameArgs) -> Result<u8, Failure> {
    let (file, line) = sought(&args.file);
    let found = runtime::blame(&home()?.0, Path::new(file)).map_err(explain)?;
    let lines = match line {
        None => 1..=found.lines.len(),
        Some(line) if (1..=found.lines.len()).contains(&line) => line..=line,
        Some(line) => {
            let why = format!("{file} has no line {line}; its last is {}", found.lines.len());
            return Err(Failure::new(USAGE, why));
        }
    };
    // A file has many lines, and who waits for them waits for all.
    let mut out = BufWriter::new(out::out(args.json));
    let told = |write: &Wrote| if args.json { in_json(write) } else { Ok(mark(write)) };
    let told: Vec<String> = found.writes.iter().map(told).collect::<Result<_, Failure>>()?;
    let of = |place: usize| told.get(place).map(String::as_str);
    let mut named = BTreeSet::new();
    for (n, (text, from)) in (1..).zip(&found.lines).filter(|(n, _)| lines.contains(n)) {
        if args.json {
            let (word, write) = match *from {
                From::Before => ("before", None),
                From::Others => ("others", None),
                From::Write(place) => ("session", of(place)),
            };
            let (text, write) = (serde_json::to_string(text)?, write.unwrap_or("null"));
            writeln!(out, r#"{{"from":"{word}","line":{n},"text":{text},"write":{write}}}"#)?;
        } else {
            let mark = match *from {
                From::Before => "·",
                From::Others => "≠ changed since",
                From::Write(place) => {
                    named.insert(place);
                    of(place).unwrap_or("·")
                }
            };
            writeln!(out, "{n:>5}  {mark:width$}  {text}", width = SHOWN + 11)?;
        }
    }
    for (_, write) in found.writes.iter().enumerate().filter(|(place, _)| named.contains(place)) {
        writeln!(out)?;
        details(write).iter().try_for_each(|line| writeln!(out, "{line}"))?;
    }
    out.flush()?;
    found.gaps.iter().try_for_each(|gap| writeln!(out::err(), "pilothouse: {gap}"))?;
    Ok(0)
}

/// The file that is meant, and its line.
fn sought(text: &str) -> (&str, Option<usize>) {
    let cut = |text| {
        let (file, number): (&str, &str) = str::rsplit_once(text, ':')?;
        Some((file, number.parse().ok()?))
    };
    if Path::new(text).exists() {
        return (text, None);
    }
    // Editors name a column behind the line.
    match cut(text).map(|(file, number)| (cut(file), file, number)) {
        Some((Some((file, line)), ..)) => (file, Some(line)),
        Some((_, file, line)) => (file, Some(line)),
        None => (text, None),
    }
}

/// What stands beside a line: who wrote it, in a width of its own.
fn mark(write: &Wrote) -> String {
    let goal = Clean::line(&write.goal);
    let mut goal: String = goal.as_str().chars().take(SHOWN).collect();
    if goal.chars().count() == SHOWN {
        goal.pop();
        goal.push('…');
    }
    format!("{:<10} {goal:SHOWN$}", write.apply.to_string())
}

fn in_json(write: &Wrote) -> Result<String, Failure> {
    Ok(serde_json::to_value(write)?.to_string())
}

/// All that is known of a write.
fn details(write: &Wrote) -> Vec<String> {
    let line = |text: &str| Clean::line(text).into_string();
    let mut all = vec![
        format!("{} in session {}", write.apply, write.session),
        format!("  asked     {}", line(&write.goal)),
    ];
    if write.message != write.goal {
        all.push(format!("  message   {}", line(&write.message)));
    }
    all.extend(write.file.as_ref().map(|file| format!("  file      {}, its name at the time", line(file))));
    all.extend(write.step.as_ref().map(|step| format!("  step      {}", line(step))));
    all.extend(write.command.as_ref().map(|command| format!("  command   {}", line(command))));
    let model = write.model.as_ref().filter(|model| !model.is_empty());
    let model = model.map(|model| format!(", {}", line(model))).unwrap_or_default();
    all.extend(write.call.map(|call| format!("  call      {call}{model}")));
    all.extend(write.approval.map(|approval| {
        let by = write.by.as_ref().map(|by| format!(", by {}", line(by))).unwrap_or_default();
        format!("  approval  {approval}{by}")
    }));
    all.extend(
        write.gates.iter().map(|gate| {
            format!("  gate      {} {}", if gate.passed { "✓" } else { "✗" }, line(&gate.command))
        }),
    );
    all
}
