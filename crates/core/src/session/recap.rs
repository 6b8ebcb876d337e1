//! The recap: where a session was left, told from its own record to the user who asks "where were we?".
//!
//! Owns the words. Tells only what events folded in, so no model is asked, and an answer is never a guess.

use super::{State, TurnInfo, WrittenFile};
use crate::{fact::shortened, intent::Turn, money::count, plan::Plan, tool::ChangeKind};

/// Most orders and commits that are told.
const MOST_TOLD: usize = 8;
/// Most messages that are looked through for them, the last ones: a key costs the same in any session.
const MOST_LOOKED: usize = 200;
/// Most characters of a message where it is named in a sentence.
const HEADLINE_CHARS: usize = 100;
/// Most files of one that are named.
const MOST_FILES: usize = 3;
/// Most lines of one kind that are open.
const MOST_OPEN: usize = 8;

impl State {
    /// Whether a plan of this session was done to its end.
    pub(crate) fn has_done_a_plan(&self) -> bool {
        self.plan.iter().chain(&self.suspended).chain(self.former.iter()).any(crate::plan::Plan::fulfilled)
    }

    /// The plan that is taken up next: the last one that was not finished, else the last that somebody made.
    pub fn last_plan(&self) -> Option<&Plan> {
        let last = self.suspended.as_ref()?;
        self.plan_aside().or(Some(last).filter(|plan| !plan.of_answer))
    }

    /// The last plan that was set aside unfinished.
    pub fn plan_aside(&self) -> Option<&Plan> {
        self.suspended.iter().chain(self.earlier.iter().rev()).find(|p| p.unfinished())
    }

    /// What came of this session, the last of it: what was written, order by order, and the commits; the last message where
    /// nothing came of that; how the gates stand, and what is open. Nothing where nobody said anything. What only asks for
    /// an account is passed over.
    pub(super) fn recap(&self, asks_account: impl Fn(&str) -> bool) -> Option<String> {
        let wants = |t: &TurnInfo| !matches!(t.class, Turn::Control(_)) && !asks_account(&t.head);
        let last = self.turns.iter().rev().find(|(_, t)| wants(t)).map(|(id, _)| *id)?;
        let said = self.turns.iter().rev().take(MOST_LOOKED).filter_map(|(id, t)| {
            let wrote: Vec<WrittenFile> =
                self.written_in_work(*id).into_iter().filter(|f| f.before != f.after).collect();
            let wrote = if wrote.is_empty() { String::new() } else { format!(": {}", told(&wrote)) };
            let tells = *id == last || !wrote.is_empty();
            tells.then(|| (id.0, format!("you said \"{}\"{wrote}", t.headline())))
        });
        let made = self.origins.commits.iter().rev().map(|(id, made, files)| {
            (id.0, format!("committed {} on {}: {}", made.id, made.on, count(*files, "file")))
        });
        let mut came: Vec<(u64, String)> = said.take(MOST_TOLD).chain(made.take(MOST_TOLD)).collect();
        came.sort_by_key(|(id, _)| *id);
        let lines = came.split_off(came.len().saturating_sub(MOST_TOLD));
        let mut lines: Vec<String> = lines.into_iter().map(|(_, line)| line).collect();
        lines.extend(self.gates_seen());
        let open = self.open_ends();
        if open.is_empty() {
            lines.push("nothing is open".to_owned());
        }
        lines.extend(open);
        Some(lines.join("\n"))
    }

    /// What waits, is left, or went wrong last.
    fn open_ends(&self) -> Vec<String> {
        let plan = self.plan.as_ref().or_else(|| self.plan_aside());
        let plan = plan.filter(|p| p.unfinished()).map(|p| self.left_of_plan(p));
        let asked = self.open.values().filter_map(|c| c.message.lines().next());
        let asked = asked.map(|text| format!("waiting for your answer: {text}"));
        let waits = self.open_proposals().map(|p| format!("waiting for you, not written: {}", p.path));
        let aside =
            self.set_aside().map(|p| format!("set aside, undecided: {}; /proposals lists it", p.path));
        let failed = self.mishap.iter().map(|m| format!("failed: {}", m.lines().next().unwrap_or_default()));
        let queued = self.queue.works().filter_map(|turn| self.turns.get(&turn));
        let queued = queued.map(|t| format!("queued: \"{}\"", t.headline()));
        let cut = self.cut_short.or(self.failed_answer).and_then(|turn| self.turns.get(&turn));
        let cut = cut.map(|t| format!("got no answer: \"{}\"; /retry asks again", t.headline()));
        let (waits, aside) = (waits.take(MOST_OPEN), aside.take(MOST_OPEN));
        plan.into_iter()
            .chain(asked)
            .chain(waits)
            .chain(aside)
            .chain(failed)
            .chain(cut)
            .chain(queued)
            .collect()
    }

    /// How far a plan is, what comes next in it, and how it goes on.
    fn left_of_plan(&self, plan: &Plan) -> String {
        format!("open: {}{}", plan.standing(), self.goes_on(plan))
    }

    /// What comes next in a plan, and how it goes on.
    pub(super) fn goes_on(&self, plan: &Plan) -> String {
        let next = plan.tasks.iter().find(|t| !t.status.at_rest()).map(|t| format!(", next \"{}\"", t.title));
        let how = match (&self.plan, self.waits_where_it_was_left()) {
            (Some(_), _) => "",
            (None, true) => "; decide the waiting changes, then \"go on\" resumes it",
            (None, false) => "; \"go on\" resumes it",
        };
        format!("{}{how}", next.unwrap_or_default())
    }
}

impl TurnInfo {
    /// Its first line, in at most [`HEADLINE_CHARS`] characters.
    pub(super) fn headline(&self) -> String {
        shortened(self.called().lines().next().unwrap_or_default(), HEADLINE_CHARS)
    }
}

/// What was written, file by file.
fn told(files: &[WrittenFile]) -> String {
    let mut all = files.iter().map(|file| {
        let what = match file.kind() {
            ChangeKind::Create => "wrote",
            ChangeKind::Modify => "edited",
            ChangeKind::Delete => "removed",
        };
        format!("{what} {} (+{} -{})", file.path, file.added, file.removed)
    });
    let mut files: Vec<String> = all.by_ref().take(MOST_FILES).collect();
    let more = all.count();
    files.extend((more > 0).then(|| format!("{} more", count(more, "file"))));
    files.join(", ")
}
