//! `blame`: where the lines of a file come from, as text and as JSON.

use std::{io::Write, path::Path};

use pilothouse_core::clean::Clean;
use pilothouse_runtime::blame::{self as runtime, Blame, From, Wrote};

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
    let mut out = out::out(args.json);
    for (n, (text, from)) in (1..).zip(&found.lines).filter(|(n, _)| lines.contains(n)) {
        if args.json {
            writeln!(out, "{}", in_json(n, text, *from, &found))?;
        } else {
            writeln!(out, "{n:>5}  {}  {text}", mark(*from, &found))?;
        }
    }
    if !args.json {
        let named = |place: usize| {
            found
                .lines
                .iter()
                .enumerate()
                .any(|(n, (_, from))| lines.contains(&(n + 1)) && *from == From::Write(place))
        };
        for (_, write) in found.writes.iter().enumerate().filter(|(place, _)| named(*place)) {
            writeln!(out)?;
            details(write).iter().try_for_each(|line| writeln!(out, "{line}"))?;
        }
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
fn mark(from: From, found: &Blame) -> String {
    let write = match from {
        From::Before => None,
        From::Others => return format!("{:width$}", "≠ changed since", width = SHOWN + 11),
        From::Write(place) => found.writes.get(place),
    };
    let Some(write) = write else { return format!("{:width$}", "·", width = SHOWN + 11) };
    let goal = Clean::line(&write.goal);
    let mut goal: String = goal.as_str().chars().take(SHOWN).collect();
    if goal.chars().count() == SHOWN {
        goal.pop();
        goal.push('…');
    }
    format!("{:<10} {goal:SHOWN$}", write.apply.to_string())
}

fn in_json(n: usize, text: &str, from: From, found: &Blame) -> serde_json::Value {
    let (word, write) = match from {
        From::Before => ("before", None),
        From::Others => ("others", None),
        From::Write(place) => ("session", found.writes.get(place)),
    };
    serde_json::json!({"line": n, "text": text, "from": word, "write": write})
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
