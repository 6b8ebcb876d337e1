//! The rows of sub-agents: what each is for, what it does, what it cost.

use pilothouse_core::{
    clean::Clean,
    money::{clock, dollars, so_far},
};

use super::super::{Agent, Env};
use crate::{
    row::{self, Row},
    theme::Slot,
};

/// Columns of what one is for.
const WORK: usize = 8;
/// Columns below which the cost gives way to the task.
const NARROW: usize = 72;

/// A row for each, and why it failed below one that did; what it does now gives way first, then what it cost. None outlives the call that started it.
pub(super) fn rows(agents: &[Agent], over: bool, env: &Env<'_>, rows: &mut Vec<Row>) {
    let g = env.glyphs;
    for agent in agents {
        let (mark, ink) = match agent.ended {
            _ if agent.failed.is_some() => (g.failed, Slot::Bad),
            None if !over => (g.spin(env.spinner), Slot::Info),
            Some((_, true)) => (g.done, Slot::Ok),
            None | Some((_, false)) => (g.skipped, Slot::Warn),
        };
        let left = Row::of("  ", Slot::Text).and(mark, ink).and(" ", Slot::Text);
        let left = left.and(&format!("{:WORK$}", Clean::line(&agent.work).as_str()), Slot::Soft);
        let took = match agent.ended {
            Some((ms, _)) => clock(ms),
            None if over => String::new(),
            None => so_far(env.now.0.saturating_sub(agent.since.0)),
        };
        let cost = if env.width < NARROW { String::new() } else { format!("{}   ", cost(agent, g.dot)) };
        let right = Row::of(format!("{cost}{took}").trim_end(), Slot::Faint);
        let task = Clean::line(&agent.task).into_string();
        let now = Clean::line(&agent.now).into_string();
        let room = env.width.saturating_sub(left.width() + right.width() + 2);
        let row = left.and(&task, Slot::Text);
        let busy = agent.ended.is_none() && !over && !now.is_empty();
        let fits = row::width(&task) + 3 + row::width(&now) <= room;
        let row = if busy && fits { row.and("   ", Slot::Text).and(&now, Slot::Soft) } else { row };
        rows.push(row.ends(right, env.width, g.ellipsis));
        if let Some(why) = &agent.failed {
            super::lines_below(&[Clean::line(why).as_str()], env, rows);
        }
    }
}

/// Its calls, tokens and, where the price is known, money.
fn cost(agent: &Agent, dot: &str) -> String {
    let tokens = agent.usage.input + agent.usage.output;
    let about = if agent.usage.estimated { "~" } else { "" };
    let tokens = match tokens {
        0..1_000 => format!("{about}{tokens} tokens"),
        _ => format!("{about}{}.{}k tokens", tokens / 1_000, tokens % 1_000 / 100),
    };
    let calls = row::count(usize::try_from(agent.calls).unwrap_or(usize::MAX), "call");
    let money =
        agent.usage.cost_micros.map_or_else(String::new, |micros| format!(" {dot} {}", dollars(micros)));
    format!("{calls} {dot} {tokens}{money}")
}
