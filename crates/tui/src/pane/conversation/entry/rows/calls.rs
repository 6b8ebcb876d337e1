//! The row of a call: what it is, what it acts on, what came of it; and what it wrote below.
//!
//! Owns what gives way where a row is narrow: times first, then paths and commands; what came of it stays.

use pilothouse_core::{
    clean::Clean,
    event::CallStatus,
    money,
    pipeline::StepName,
    tool::{Subject, Tool},
};

use super::{Call, CallState, Env, agents, detail, peek};
use crate::{
    row::{self, Row, hang, uncoded},
    theme::{Glyphs, Slot},
};

/// Lines of live output below a running command.
const TAIL_LINES: usize = 6;
/// A call of more rows says at its end once more that it failed.
const LONG: usize = 8;
/// Milliseconds after which a line of the user's may be one that does not end by itself.
const LASTS: u64 = 10_000;
/// Columns of the verb before what it acts on.
const VERB: usize = 10;
/// Columns that are left of what it acts on, beside what came of it.
const LEAST: usize = 16;
/// Rows of why something was not done.
const WHY_ROWS: usize = 3;

fn verb(call: &Call) -> &str {
    let running = call.state == CallState::Running;
    match call.tool {
        Some(Tool::Run) if call.state == CallState::Ended(CallStatus::Refused) => "Run",
        Some(Tool::Run) if call.took.is_none() && matches!(call.state, CallState::Ended(_)) => "Not run",
        Some(tool) if call.state == CallState::Ended(CallStatus::Refused) => tool.name(),
        Some(tool) if call.state == CallState::Ended(CallStatus::Failed) && tool.proposes() => tool.name(),
        Some(Tool::Run) if call.state == CallState::Asked => "Run",
        Some(tool) if call.state == CallState::Asked => tool.name(),
        Some(tool) => tool.words(running),
        None => &call.name,
    }
}

/// What a step of a pipeline's stage is called, with its sign where the terminal draws such.
fn staged(step: &StepName, g: &Glyphs) -> String {
    let drawn = g.done == Glyphs::UNICODE.done;
    format!("{} {}", if drawn { step.icon.0 } else { step.icon.1 }, step.title)
}

/// Whether a call only looked for something that is not there: that is an answer, and no failure.
fn found_nothing(call: &Call) -> bool {
    call.state == CallState::Ended(CallStatus::Failed)
        && call.tool.is_some_and(|tool| tool.found_nothing(&call.result.shown))
}

/// What came of a call, in one line, and how loud it is.
fn summary(call: &Call) -> (String, Slot) {
    if found_nothing(call) {
        return ("not there".to_owned(), Slot::Soft);
    }
    let summary = match call.state {
        CallState::Asked => "waits for you".to_owned(),
        CallState::Running => String::new(),
        CallState::Ended(CallStatus::Refused) => match refused(call) {
            why if why.starts_with("not ") => why,
            why if call.tool == Some(Tool::Run) => format!("not run: {why}"),
            why => format!("not allowed: {why}"),
        },
        CallState::Ended(CallStatus::Failed) if call.tool.is_some_and(Tool::proposes) => unproposed(call),
        CallState::Ended(CallStatus::Interrupted) if call.summary.is_empty() => "interrupted".to_owned(),
        // Below it each sub-agent says how it ended.
        CallState::Ended(CallStatus::Done) if !call.children.is_empty() => String::new(),
        CallState::Ended(CallStatus::Failed) => beside_subject(call, whole(call)).to_owned(),
        CallState::Ended(_) => call.summary.clone(),
    };
    let ink = match call.state {
        CallState::Asked | CallState::Ended(CallStatus::Refused) => Slot::Warn,
        CallState::Ended(CallStatus::Failed) => Slot::Bad,
        CallState::Running | CallState::Ended(CallStatus::Done | CallStatus::Interrupted) => Slot::Soft,
    };
    (summary, ink)
}

/// Why a call was refused: what its model is to do now is not told here.
fn refused(call: &Call) -> String {
    let whole = whole(call);
    let name = call.tool.map_or(call.name.as_str(), |tool| tool.name());
    let barred = whole.strip_prefix(name).and_then(|rest| rest.strip_prefix(" is "));
    let told = whole.strip_prefix("not done: ").or(barred.filter(|rest| rest.starts_with("not ")));
    to_the_user(beside_subject(call, for_the_user(told.unwrap_or(whole))))
}

/// What came of a call, whole: a summary that is cut begins the result.
fn whole(call: &Call) -> &str {
    let kept = call.summary.trim_end_matches('…');
    let first = call.result.shown.lines().next().filter(|line| line.starts_with(kept));
    first.filter(|_| !kept.is_empty() && kept != call.summary).unwrap_or(&call.summary)
}

/// The same without what it acts on, which stands in the row already.
fn beside_subject<'a>(call: &Call, told: &'a str) -> &'a str {
    let rest = told.strip_prefix(call.subject.as_str()).and_then(|rest| rest.strip_prefix(' '));
    rest.filter(|_| !call.subject.is_empty()).unwrap_or(told)
}

/// What is told to a model of its user, told to that user.
fn to_the_user(text: &str) -> String {
    let said = [
        ("the user does ", "you do "),
        ("the user says ", "you say "),
        ("the user keeps ", "you keep "),
        ("the user's ", "your "),
        ("the user ", "you "),
    ];
    said.into_iter().fold(text.to_owned(), |text, (of, to)| text.replace(of, to))
}

/// Why nothing was proposed.
fn unproposed(call: &Call) -> String {
    let told = for_the_user(&call.summary);
    told.strip_prefix("old ").map_or_else(|| told.to_owned(), |why| format!("the text to replace {why}"))
}

/// The first part of a sentence to a model: what is the case, and not what it is to do.
fn for_the_user(text: &str) -> &str {
    let ends = ["; ", ". "].into_iter().filter_map(|end| text.find(end)).min();
    ends.and_then(|end| text.get(..end)).unwrap_or(text)
}

/// How long a call took, or takes already.
fn spent(call: &Call, env: &Env<'_>) -> String {
    match (call.state, call.took) {
        (CallState::Running, _) => {
            let ms = env.now.0.saturating_sub(call.since.0);
            if ms < 1_000 { String::new() } else { money::so_far(ms) }
        }
        (CallState::Ended(CallStatus::Interrupted), Some(0)) => String::new(),
        (_, Some(ms)) => money::clock(ms),
        (_, None) => String::new(),
    }
}

pub(in super::super) fn call_rows(call: &Call, open: bool, env: &Env<'_>, rows: &mut Vec<Row>) {
    let g = env.glyphs;
    let begin = rows.len();
    let (mark, ink) = match call.state {
        CallState::Asked => (g.waits, Slot::Warn),
        CallState::Running => (g.spin(env.spinner), Slot::Info),
        CallState::Ended(_) if call.gate.is_some() => (if open { g.open } else { g.folded }, Slot::Soft),
        CallState::Ended(CallStatus::Done) if open || call.peek > 0 => (g.open, Slot::Soft),
        CallState::Ended(CallStatus::Done) => (g.folded, Slot::Soft),
        CallState::Ended(CallStatus::Failed) if found_nothing(call) => (g.skipped, Slot::Soft),
        CallState::Ended(CallStatus::Failed) => (g.failed, Slot::Bad),
        CallState::Ended(CallStatus::Refused) => (g.failed, Slot::Warn),
        CallState::Ended(CallStatus::Interrupted) => (g.skipped, Slot::Soft),
    };
    let verb = call.staged.map_or_else(|| verb(call).to_owned(), |step| staged(&step, g));
    let verb_pad = VERB.saturating_sub(row::width(&verb)).max(1);
    let indent = if call.below { "  " } else { "" };
    let left = Row::of(indent, Slot::Text).and(mark, ink).and(" ", Slot::Text);
    let left = match &call.gate {
        Some(gated) => {
            let room = env.width.saturating_sub(left.width() + call.summary.len() + 6);
            left.with(gated.row((g.done, g.failed), (room, g.ellipsis))).and("   ", Slot::Text)
        }
        None => left.and(&verb, Slot::Soft).and(&" ".repeat(verb_pad), Slot::Text),
    };
    let (summary, summary_ink) = summary(call);
    let summary = uncoded(&Clean::line(&summary));
    let changed = call.changed && !matches!(call.state, CallState::Asked);
    let summary =
        if changed { format!("{summary}   changed by you").trim_start().to_owned() } else { summary };
    let summary_ink = if call.gate.is_some() { Slot::Soft } else { summary_ink };
    let urgent = matches!(summary_ink, Slot::Warn | Slot::Bad);
    let room = env.width.saturating_sub(left.width());
    let (subject, stays) = beside(call, (&summary, urgent), room, g);
    let told = if stays { summary.as_str() } else { "" };
    let gap = if subject.is_empty() || told.is_empty() { "" } else { "   " };
    let row = left.and(&subject, Slot::Text).and(gap, Slot::Text).and(told, summary_ink);
    let step = call.step.map(|n| format!("step {n}"));
    let right: Vec<String> =
        step.into_iter().chain([spent(call, env)].into_iter().filter(|s| !s.is_empty())).collect();
    rows.push(row.ends(Row::of(&right.join(&format!(" {} ", g.dot)), Slot::Faint), env.width, g.ellipsis));
    if urgent && !stays {
        let lead = Row::of(&format!("{indent}    "), Slot::Text);
        let mut why = hang(&lead, &Row::of(&summary, summary_ink).pieces, env.width);
        let cut = why.len() > WHY_ROWS;
        why.truncate(WHY_ROWS);
        if let Some(last) = why.last_mut().filter(|_| cut) {
            last.push(g.ellipsis, summary_ink);
        }
        rows.extend(why.into_iter().map(|row| row.cut(env.width, g.ellipsis)));
    }
    agents::rows(&call.children, matches!(call.state, CallState::Ended(_)), env, rows);
    written_rows(call, open, env, rows);
    // What stands so far below the beginning is read without it.
    let failed = call.state == CallState::Ended(CallStatus::Failed) && call.gate.is_none();
    if failed && rows.len() - begin > LONG && !summary.is_empty() {
        let row = Row::of("  ", Slot::Text).and(g.failed, Slot::Bad).and(" ", Slot::Text);
        rows.push(row.and(&summary, Slot::Bad).cut(env.width, g.ellipsis));
    }
}

/// What a call acts on as it stands in the row beside what came of it, and whether that has room there: a command's end
/// and what was not done outlive the end of a long subject, anything else goes before it.
fn beside(call: &Call, (summary, urgent): (&str, bool), room: usize, g: &Glyphs) -> (String, bool) {
    let about = call.tool.map(Tool::subject);
    let subject = match call.children.len() {
        0 => Clean::line(&call.subject).into_string(),
        // Each says its task in a row of its own.
        agents => row::count(agents, "sub-agent"),
    };
    let quoted = about == Some(Subject::Pattern) && !subject.is_empty();
    let subject = if quoted { format!("\"{subject}\"") } else { subject };
    let wanted = row::width(summary) + 3;
    let fits = row::width(&subject) + wanted <= room;
    // How a gate ended is told before what it ran.
    if call.gate.is_some() && !fits && wanted + LEAST > room {
        return (String::new(), true);
    }
    let stays = fits || (urgent || call.tool == Some(Tool::Run)) && wanted + LEAST <= room;
    let left = if stays && !summary.is_empty() { room.saturating_sub(wanted) } else { room };
    let subject = if about == Some(Subject::Path) {
        row::fit_path(&subject, left, g.ellipsis)
    } else if stays {
        Row::of(&subject, Slot::Text).cut(left, g.ellipsis).text()
    } else {
        subject
    };
    (subject, stays)
}

/// What a call wrote, as much of it as stands there.
fn written_rows(call: &Call, open: bool, env: &Env<'_>, rows: &mut Vec<Row>) {
    let g = env.glyphs;
    let failed = call.state == CallState::Ended(CallStatus::Failed);
    if open && !call.result.shown.is_empty() {
        let shown = &call.result.shown;
        let counted = shown.strip_prefix(&call.summary).filter(|_| !call.children.is_empty());
        detail(counted.map_or(shown.as_str(), |rest| rest.trim_start_matches('\n')), env, rows);
    } else if let Some(gated) = &call.gate {
        if !gated.green && !gated.diagnostics.is_empty() {
            detail(&gated.diagnostics, env, rows);
        }
    } else if call.peek > 0 && !call.result.shown.is_empty() {
        let well = call.state == CallState::Ended(CallStatus::Done);
        // The row at the end of one that failed is one of these.
        let most = call.peek.saturating_sub(usize::from(failed && call.peek > LONG));
        peek::peek(call, (most, well), env, rows);
    } else if call.state == CallState::Running || failed || open {
        let follows = call.state == CallState::Running && call.tail.len() > TAIL_LINES;
        if follows && !env.opens.is_empty() {
            let row = Row::of(&format!("  {} {} follows all of it", g.folded, env.opens), Slot::Faint);
            rows.push(row.cut(env.width, g.ellipsis));
        }
        for (stderr, line) in call.tail.iter().rev().take(TAIL_LINES).rev() {
            let (mark, ink) = if *stderr { ("!", Slot::Bad) } else { (g.column, Slot::Line) };
            let row = Row::of("  ", Slot::Text)
                .and(mark, ink)
                .and(" ", Slot::Text)
                .and(line.trim_end_matches('\n'), Slot::Soft);
            rows.push(row.cut(env.width, g.ellipsis));
        }
        let long = env.now.0.saturating_sub(call.since.0) >= LASTS;
        if long && call.typed && call.state == CallState::Running {
            let way = format!("  a server? Ctrl-C ends it, /bg !{} runs it in the background", call.subject);
            rows.push(Row::of(&way, Slot::Faint).cut(env.width, g.ellipsis));
        }
    }
}
