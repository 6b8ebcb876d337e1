//! `/plan`: told in lines, written to a file, read from one, or made of a text.
//!
//! Owns what follows its name. A plan is written by the tool that writes every file, and a plan that was read waits for
//! a yes like every other.

use super::{Decided, Draft, terms::LaneOpening};
use crate::{
    event::{Event, Level},
    ids::{ApprovalId, CallId, Millis, TaskId, TurnId},
    input::Refusal,
    intent::{Control, IntentNode, IntentPath, Phase, Slash, Source, Turn},
    phase::Trigger,
    plan::{Plan, Revision, TaskStatus},
    relpath::RelPath,
    scope::Capability,
    session::{LaneKind, MOST_CANDIDATES},
    tool::Tool,
};

/// The file of a plan that is named by nobody.
const FILE: &str = "plan.md";
/// Most words of a plan's name that its file is called by.
const MOST_WORDS: usize = 8;

/// What `/plan` is told to do.
#[derive(Debug, PartialEq, Eq)]
enum Wish<'a> {
    /// Tell the plan, or this version of it.
    Show(Option<u32>),
    /// Write it to a file.
    Export(&'a str),
    /// Write it to a file of its own among the finished ones.
    Archive,
    /// Read one from a file.
    Import(&'a str),
    /// List the plans that were made beside the one that waits.
    Candidates,
    /// Make so many of the text, and show the best.
    MakeBest(usize, &'a str),
    /// Take this one of them.
    Take(usize),
    /// Make one of this text.
    Make,
}

impl<'a> Wish<'a> {
    /// A file is one word that ends with `.md`: anything else is a task, and may begin with the same words.
    fn of(args: &'a str) -> Self {
        let words: Vec<&str> = args.split_whitespace().collect();
        let count = |word: &str| word.parse().ok().filter(|n| (1..=MOST_CANDIDATES).contains(n));
        let version = |word: &str| word.trim_start_matches('v').parse().ok();
        match *words.as_slice() {
            [] | ["show"] => Self::Show(None),
            ["show", word] if version(word).is_some() => Self::Show(version(word)),
            ["archive"] => Self::Archive,
            ["candidates"] => Self::Candidates,
            ["candidates", n] if count(n).is_some() => Self::Candidates,
            ["candidates", n, first, ..] if count(n).is_some() => {
                let text = args.find(n).and_then(|at| args.get(at + n.len()..)).unwrap_or(first);
                Self::MakeBest(count(n).unwrap_or(1), text.trim())
            }
            ["take", n] if n.parse::<usize>().is_ok() => Self::Take(n.parse().unwrap_or_default()),
            ["export"] => Self::Export(FILE),
            ["import"] => Self::Import(FILE),
            ["export", file] if file.to_lowercase().ends_with(".md") => Self::Export(file),
            ["import", file] if file.to_lowercase().ends_with(".md") => Self::Import(file),
            _ => Self::Make,
        }
    }
}

impl Draft<'_> {
    /// `/plan` with what follows it.
    pub(super) fn plan_command(&mut self, args: &str) -> Decided {
        let file = |text: &str| RelPath::new(text).map_err(|e| Refusal::misuse(e.to_string()));
        match Wish::of(args) {
            Wish::Show(version) => self.list_plan(version),
            Wish::Export(to) => self.export_plan(args, &file(to)?),
            Wish::Archive => self.export_plan(args, &file(&self.archive_name(self.known_plan()?))?),
            Wish::Import(from) => self.import_plan(args, file(from)?),
            Wish::Candidates => self.list_candidates(),
            Wish::Take(number) => self.take_candidate(number),
            Wish::MakeBest(most, text) => self.planned(text, Some(most)),
            Wish::Make => self.planned(args, None),
        }
    }

    /// The plan, or a version of it, in lines with what it changed of the one before.
    fn list_plan(&mut self, version: Option<u32>) -> Decided {
        let plan = self.known_plan()?;
        let mut all = self.state.versions_before(plan);
        all.push(plan);
        let wanted = version.unwrap_or(plan.version);
        let Some(at) = all.iter().position(|p| p.version == wanted) else {
            let there: Vec<String> = all.iter().map(|p| format!("v{}", p.version)).collect();
            let there = there.join(", ");
            return Err(Refusal::new(format!("the plan has no v{wanted}; it has {there}")));
        };
        let old = at.checked_sub(1).and_then(|before| all.get(before)).copied();
        let lines = all.get(at).map(|plan| plan.listing(old)).unwrap_or_default();
        self.listed(Slash::Plan, &lines);
        Ok(())
    }

    fn known_plan(&self) -> Result<&Plan, Refusal> {
        let plan = self.state.plan.as_ref().or(self.state.suspended.as_ref());
        plan.ok_or_else(|| Refusal::new("there is no plan; type /plan TASK"))
    }

    /// A step that is done is to be done again, and what needs it after it: the plan stands there with them open, and is
    /// asked about.
    pub(super) fn rerun(&mut self, step: TaskId) -> Decided {
        let rests = self.state.phase == Phase::Idle && self.state.plan.is_none();
        let Some(mut plan) = self.state.suspended.clone().filter(|_| rests) else {
            return Err(Refusal::new(
                "a step can be run again once its run has ended and no plan is waiting for your yes",
            ));
        };
        if plan.task(step).is_none_or(|t| !matches!(t.status, TaskStatus::Done | TaskStatus::TakenBack)) {
            return Err(Refusal::new("this step is not done; /redo resumes the plan"));
        }
        plan.again(step);
        self.present_again(plan)
    }

    /// Where a finished plan is kept: `plans/261122-better-notes.md`.
    fn archive_name(&self, plan: &Plan) -> String {
        let day = day(self.at);
        let kept = |c: char| if c.is_alphanumeric() { c } else { ' ' };
        let title: String = plan.title.to_lowercase().chars().map(kept).collect();
        let words = title.split_whitespace().take(MOST_WORDS).collect::<Vec<_>>().join("-");
        format!("plans/{day}-{}.md", if words.is_empty() { "plan" } else { &words })
    }

    /// Proposes a plan that is done as a file, where the settings say so and nothing else begins now.
    pub(super) fn archive_complete(&mut self) {
        let plan = self.state.suspended.clone().filter(|p| self.under.bounds.archive && p.fulfilled());
        let Some(plan) = plan.filter(|_| self.state.queue.is_empty()) else { return };
        let to = RelPath::new(&self.archive_name(&plan));
        if let Some(to) = to.ok().filter(|_| self.state.ceiling().allows(Capability::Write)) {
            self.propose_file(plan.turn, &to, &plan.document());
        }
    }

    /// Proposes the plan as a file, by the tool that writes every other.
    fn export_plan(&mut self, args: &str, to: &RelPath) -> Decided {
        let content = self.known_plan()?.document();
        if self.state.phase == Phase::Executing {
            return Err(Refusal::new(
                "the plan is running, and only it writes files; export it when it has ended",
            ));
        }
        if !self.state.ceiling().allows(Capability::Write) {
            return Err(Refusal::new(
                "the ceiling is read-only: nothing is written. Shift-Tab or /ask raises it.",
            ));
        }
        let class = Turn::Control(Control::Other("plan".to_owned()));
        let turn = self.plan_turn(args, class);
        self.propose_file(turn, to, &content);
        Ok(())
    }

    fn propose_file(&mut self, turn: TurnId, to: &RelPath, content: &str) {
        let lane = self.open_lane(LaneOpening::of(LaneKind::Answer, turn));
        let approval = ApprovalId(self.id());
        self.move_to(lane, IntentNode::Modify, Some(approval));
        let call = CallId(self.id());
        let args = serde_json::json!({ "path": to.as_str(), "content": content }).to_string();
        self.emit(Event::CallMade { call, lane, tool: Tool::Write, args, typed: true });
        self.advance(lane);
    }

    fn import_plan(&mut self, args: &str, path: RelPath) -> Decided {
        self.may_import()?;
        let active = self.state.plan.as_ref().map(|p| p.turn);
        let class = if active.is_some() { Turn::PlanContinue } else { Turn::PlanNew(None) };
        // What the file says is what is asked for.
        let turn = self.plan_turn(args, class);
        if let Some(of) = active {
            self.emit(Event::TurnContinues { turn, of });
        }
        let call = CallId(self.id());
        self.emit(Event::PlanSought { call, turn, path });
        Ok(())
    }

    fn may_import(&self) -> Decided {
        match self.state.phase {
            Phase::Idle | Phase::AwaitingApproval => Ok(()),
            Phase::Planning => Err(Refusal::new("a plan is being made; stop it first with /abort")),
            Phase::Executing => Err(Refusal::new("a run is under way; import a plan when it has ended")),
            Phase::Failed => Err(Refusal::new("a run failed; answer its question first")),
        }
    }

    /// A message of `/plan` that is no task of its own.
    fn plan_turn(&mut self, args: &str, class: Turn) -> TurnId {
        let line = format!("/plan {args}");
        let mut reading = self.read(&line);
        reading.whole.turn = class;
        reading.whole.path = IntentPath::to(IntentNode::Modify);
        reading.whole.source = Source::Slash;
        let turn = self.begin_turn(&line);
        self.classify(turn, &line, &reading);
        turn
    }

    /// The text of a plan came, or none did.
    pub(super) fn plan_read(&mut self, call: CallId, result: Result<String, String>) -> Decided {
        let sought = self.state.plan_sought.clone().filter(|(id, ..)| *id == call);
        let (_, turn, path) = sought.ok_or_else(|| Refusal::new("that plan is no longer wanted"))?;
        let version = self.state.version_after(turn);
        let read = self.may_import().map_err(|refusal| refusal.reason).and(result);
        let plan = read.and_then(|text| Plan::read(&text, turn, version).map_err(|e| e.of_file(&path)));
        let founded = |plan: Plan| self.founded(&plan).map(|()| plan);
        let plan = plan.and_then(|plan| founded(plan).map_err(|why| format!("{path}: {why}")));
        match plan {
            Ok(plan) => self.plan_imported(plan, &path),
            Err(why) => {
                self.emit(Event::PlanUnread { call });
                self.notice(Level::Error, why);
            }
        }
        Ok(())
    }

    /// A plan of a file takes the place of the one that waits; what it says is done counts as far as it was done here.
    fn plan_imported(&mut self, plan: Plan, path: &RelPath) {
        self.close_phase_question();
        let mut plan = self.state.with_pauses(plan, &self.under.bounds.pauses);
        let known = self.state.plan.iter().chain(&self.state.suspended);
        let known: Vec<&Plan> = known.chain(&self.state.earlier).chain(self.state.former.iter()).collect();
        let believed = plan.undo_unknown(&known);
        let waited = self.state.plan.clone();
        let other = waited.as_ref().is_some_and(|old| Revision::of(&plan, old).is_another(&plan));
        if other {
            self.shelve();
        }
        self.must_go(Trigger::Redo);
        self.show_plan(plan);
        if let Some(Plan { title, version, .. }) = waited {
            let told = if other {
                format!("The waiting plan \"{title}\" is set aside; /proposals plan brings it back.")
            } else {
                format!("The plan that was waiting is now v{version}; /plan show v{version} lists it.")
            };
            self.notice(Level::Info, told);
        }
        if !believed.is_empty() {
            let steps = believed.join("; ");
            let text = format!(
                "{path} marks this as done, but none of it was done here: {steps}. It counts as to do; in the editor (e), [x] marks it done, [-] leaves it out."
            );
            self.notice(Level::Warn, text);
        }
        self.ask_of_phase();
    }

    /// `/plan TEXT`: a plan of the text, or the active one made anew with it.
    fn planned(&mut self, text: &str, candidates: Option<usize>) -> Decided {
        let mut reading = self.read(text);
        let active = self.state.phase != Phase::Idle;
        reading.whole.turn = if active { Turn::PlanContinue } else { Turn::PlanNew(None) };
        reading.whole.path = IntentPath::to(IntentNode::Decompose);
        reading.whole.source = Source::Slash;
        let turn = self.begin_turn(text);
        if let Some(most) = candidates {
            self.want_candidates(turn, most);
        }
        self.classify(turn, text, &reading);
        self.route(turn)
    }
}

/// The day of a moment, as the names of files begin: `261122`, in UTC.
fn day(at: Millis) -> String {
    // Counted from the first of March, a leap day is the last of its year.
    let days = at.0 / 86_400_000 + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * day_of_year + 2) / 153;
    let (month, day) = (from_march % 12 + 3, day_of_year - (153 * from_march + 2) / 5 + 1);
    let (month, later) = if month > 12 { (month - 12, 1) } else { (month, 0) };
    format!("{:02}{month:02}{day:02}", (year_of_era + era * 400 + later) % 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_is_told_by_its_date() {
        let cases = [
            (0, "700101"),
            (951_782_400_000, "000229"),
            (1_709_251_200_000, "240301"),
            (1_735_689_599_999, "241231"),
        ];
        for (at, date) in cases {
            assert_eq!(day(Millis(at)), date);
        }
    }

    #[test]
    fn a_file_is_one_word_with_its_ending_and_everything_else_a_task() {
        let cases = [
            ("", Wish::Show(None)),
            ("show v2", Wish::Show(Some(2))),
            ("show the user", Wish::Make),
            ("export", Wish::Export("plan.md")),
            ("archive", Wish::Archive),
            ("archive old rows", Wish::Make),
            ("export docs/Plan.MD", Wish::Export("docs/Plan.MD")),
            ("export users", Wish::Make),
            ("export the table to notes.md", Wish::Make),
            ("import plan.md", Wish::Import("plan.md")),
            ("import rows from a.md", Wish::Make),
            ("candidates", Wish::Candidates),
            ("candidates 3 fix  the 3 bugs", Wish::MakeBest(3, "fix  the 3 bugs")),
            ("candidates 3", Wish::Candidates),
            ("candidates 4 fix it", Wish::Make),
            ("candidates sorted by name", Wish::Make),
            ("take 2", Wish::Take(2)),
            ("take 2 steps back", Wish::Make),
        ];
        for (args, wish) in cases {
            assert_eq!(Wish::of(args), wish, "{args}");
        }
    }
}
