//! What the user said is to be left alone: no plan, edit or line that names it is taken, and what a command changed of it
//! all the same is put back as `/undo` takes back: at once what is the command's for certain, else when the user says so.
//!
//! Owns what is said of it to its agent and to the user. Never tells what a command changed: whoever looked does.

use super::{Draft, undo::named};
use crate::{
    event::{Event, FileChange, Level},
    ids::{ApplyId, CallId, TurnId},
    plan::{PlanDraft, TaskKind},
    relpath::RelPath,
    scope::Capability,
    session::{Apply, Lane, OpenCall, spared::touched},
    shell::{self, Act, Call, FileKind, Use, glob},
    spared::{Spared, names},
    tool::{Advice, FileCall, SparedChange, Tool, Wrote},
};

/// Told of a command where the user said that nothing is to run.
pub(super) const RUNS_NOTHING: &str =
    "the user said that nothing is to run: go on without it, and say what they could run";

impl Draft<'_> {
    /// What the user said is not to be touched, where a call would change it.
    pub(super) fn spared(&self, turn: TurnId, tool: Tool, file: &FileCall) -> Option<String> {
        let changes = tool.needs().is_some_and(|n| matches!(n, Capability::Write | Capability::Delete));
        file.path().filter(|_| changes).and_then(|path| self.spared_file(turn, path))
    }

    /// What the user said is not to be touched, where a command of the agent names a path of that to change it.
    pub(super) fn spared_by_line(&self, lane: &Lane, open: &OpenCall) -> Option<String> {
        let run = open.run().filter(|_| !open.typed && lane.kind.gate().is_none())?;
        let spared = self.state.spares_of(lane.turn);
        if spared.is_none() {
            return None;
        }
        let (root, folder) = (self.state.folder.as_str(), run.folder.as_str());
        let line = shell::read(&run.command);
        let changed = line.uses.iter().filter(|used| used.act != Act::Read);
        let mut paths = changed.flat_map(|used| {
            let places = used.places(folder);
            // The workspace itself has no name from there.
            let here = places.is_empty() && used.act == Act::Delete && is_here(&used.path);
            let here = here.then(|| (used, String::new()));
            places.into_iter().filter_map(move |place| Some((used, within(root, &place)?))).chain(here)
        });
        let holds = |name: &str, used: &Use, path: &str| {
            let made = FileKind::named(name).is_some() && is_made_by(&line.calls, used, path);
            !made && reaches(name, used, path)
        };
        paths.find_map(|(used, path)| {
            let named = spared.by(&path, |name| holds(name, used, &path));
            let goes = used.act == Act::Delete && !shell::is_made(&path);
            named.or_else(|| self.lies_in(&spared, &path).filter(|_| goes)).map(str::to_owned)
        })
    }

    /// What is to be left alone and lies in a folder, as far as somebody has seen it.
    fn lies_in<'s>(&self, spared: &'s Spared, folder: &str) -> Option<&'s str> {
        let within = |path: &&RelPath| {
            let rest = path.as_str().strip_prefix(folder);
            rest.is_some_and(|rest| folder.is_empty() || rest.starts_with('/'))
        };
        let lanes = self.state.lanes.values().flat_map(|lane| lane.seen.keys());
        self.state.seen.keys().chain(lanes).filter(within).find_map(|path| spared.names(path.as_str()))
    }

    /// What the user said of a file by which it is not to be touched, in the work of this message.
    fn spared_file(&self, turn: TurnId, path: &str) -> Option<String> {
        self.state.spares_of(turn).names(path).map(str::to_owned)
    }

    /// What is wrong with a plan whose steps change what the user said is to be left alone, or run something where nothing
    /// is to run.
    pub(super) fn plans_what_is_spared(&self, turn: TurnId, plan: &PlanDraft) -> Option<String> {
        let runs = !plan.gates.is_empty() || plan.tasks.iter().any(|task| task.kind == TaskKind::Execute);
        if runs && self.state.runs_nothing(turn) {
            return Some("the user said that nothing is to run: leave out the gates, and every step that runs something".to_owned());
        }
        let steps = plan.tasks.iter().zip(1..).filter(|(task, _)| task.changes());
        let files = steps.flat_map(|(task, number)| task.files.iter().map(move |file| (number, file)));
        let told = files.filter_map(|(number, file)| {
            let said = self.spared_file(turn, file)?;
            Some(format!("task {number}: the user said not to touch {said}; leave {file} out"))
        });
        Some(told.collect::<Vec<_>>().join("; ")).filter(|text| !text.is_empty())
    }

    /// It stands in the ledger by itself, and is taken back from there.
    pub(super) fn spared_changed(&mut self, call: CallId, line: &str, part: SparedChange) {
        let SparedChange { said, wrote } = part;
        let names = names_of(&wrote);
        if wrote.record.is_some() && !wrote.left.is_empty() {
            let text = format!("{} It was not saved and cannot be restored.", touched(&said, &wrote.left));
            self.notice(Level::Warn, text);
        }
        let Some(apply) = self.enters(call, line, wrote, said.clone()) else {
            self.notice(Level::Warn, format!("{} It cannot be restored.", touched(&said, &names)));
            return;
        };
        // What may be the user's own, saved meanwhile, is taken from under their hands by their word alone.
        let in_bar = self.state.phase_question().is_none();
        let of = self.state.applies().get(&apply);
        let Some(question) = of.and_then(|a| a.undo_question(None, in_bar)) else {
            self.emit(Event::RevertStarted { apply, redo: false, keep: false, to: None });
            return;
        };
        let text = format!("{} {}", of.and_then(Apply::touched).unwrap_or_default(), question.text());
        self.ask(question, text.trim_start());
    }

    /// What was put back, for the user; whether it was that.
    pub(super) fn told_put_back(&mut self, apply: ApplyId) -> bool {
        let Some(of) = self.state.applies().get(&apply) else { return false };
        let (Some(spared), Some(command)) = (of.spared(), &of.command) else { return false };
        if command.count == 0 {
            return true;
        }
        let names: Vec<&str> = of.files.iter().map(|f| f.path.as_str()).collect();
        let kept = command.kept.then(|| format!(" {} stayed as it is.", command.doubt.words()));
        let mut beside = self.state.applies().values().filter(|a| {
            let rest = a.command.as_ref().is_some_and(|c| c.call == command.call);
            rest && a.id != apply && a.stands()
        });
        let gone = beside
            .find_map(|rest| moved_onto(&rest.files, &of.files))
            .map(|moved| format!(" {moved}: what was moved is now in neither place; /undo brings it back."));
        let text = format!(
            "Restored what `{}` changed in {}: {}.{}{} /unundo keeps the change after all.",
            command.line,
            spared.said.join(" and "),
            all_of(&names, command.count),
            kept.unwrap_or_default(),
            gone.unwrap_or_default(),
        );
        self.notice(Level::Info, text);
        true
    }

    /// What could not be put back, for the user.
    pub(super) fn told_not_put_back(&mut self, apply: ApplyId) {
        let Some(of) = self.state.applies().get(&apply) else { return };
        let Some(spared) = of.spared().filter(|spared| spared.lost) else { return };
        let names: Vec<String> = of.files.iter().map(|f| f.path.to_string()).collect();
        let text = format!("{} It could not be restored; /undo tries again.", touched(&spared.said, &names));
        self.notice(Level::Warn, text);
    }
}

/// Says below a result's first line, and in its summary, what is put back of what the command changed.
pub(super) fn tell_spared(wrote: Option<&Wrote>, notes: &mut Vec<Advice>, summary: &mut String) {
    let Some(part) = wrote.and_then(|wrote| wrote.spared.as_deref()) else { return };
    let said = part.said.join(" and ");
    let mut told = Vec::new();
    if part.wrote.count > 0 && part.wrote.record.is_some() {
        let names = names_of(&part.wrote);
        let names = all_of(&names, part.wrote.count);
        let (done, asked, short) = if part.wrote.doubt.is_none() {
            ("put back", "it was put back", "put back")
        } else {
            (
                "changed while it ran, and whether it is put back the user is asked",
                "it changed while this ran",
                "changed",
            )
        };
        told.push(Advice {
            model: format!(
                "(the user said not to touch {said}; {done}: {names}. Leave that as it is and go on without changing it.)"
            ),
            user: format!("(you said not to touch {said}; {asked}: {names})"),
        });
        summary.push_str(&format!(", {said} {short}"));
        if let Some(moved) = wrote.and_then(|wrote| moved_onto(&wrote.files, &part.wrote.files)) {
            told.push(Advice {
                model: format!(
                    "({moved}: once that is put back, what was moved is at neither place. The user's /undo brings it back \
                     where it was; tell the user, and write it elsewhere only if that is wanted.)"
                ),
                user: format!("({moved}; /undo brings back what was moved)"),
            });
        }
    }
    let lost: Vec<String> = match part.wrote.record {
        Some(_) => part.wrote.left.clone(),
        None => names_of(&part.wrote),
    };
    if !lost.is_empty() {
        let lost = named(&lost);
        told.push(Advice {
            model: format!(
                "(the user said not to touch {said}; changed, and NOT put back: {lost}. Tell the user.)"
            ),
            user: format!("(you said not to touch {said}; changed, and not put back: {lost})"),
        });
    }
    notes.splice(..0, told);
}

/// Which files a command moved onto files that are to be left alone, in words: what went from the rest of its changes with
/// the very content that came there.
fn moved_onto(rest: &[FileChange], spared: &[FileChange]) -> Option<String> {
    let gone = |to: &&FileChange| {
        let from =
            rest.iter().find(|from| from.after.is_none() && from.before.is_some() && from.before == to.after);
        from.map(|from| from.path.clone())
    };
    let moved: Vec<String> =
        spared.iter().filter_map(|to| Some(format!("{} to {}", gone(&to)?, to.path))).collect();
    (!moved.is_empty()).then(|| format!("The command moved {}", named(&moved)))
}

fn names_of(wrote: &Wrote) -> Vec<String> {
    wrote.files.iter().map(|f| f.path.to_string()).chain(wrote.left.iter().cloned()).collect()
}

/// The first of so many files.
fn all_of(names: &[impl AsRef<str>], count: usize) -> String {
    let more = count.saturating_sub(names.len());
    let some = named(names);
    if more > 0 { format!("{some}, and {more} beside them") } else { some }
}

/// Told of a call that would change what is to be left alone.
pub(super) fn spared(said: &str) -> String {
    format!("the user said not to touch {said}; leave it as it is and go on")
}

fn is_here(path: &str) -> bool {
    !path.starts_with('/') && path.split('/').all(|part| matches!(part, "" | "."))
}

/// A place as it is named from the workspace, where it lies in it.
fn within(root: &str, place: &str) -> Option<String> {
    let rest = place.strip_prefix(root).filter(|_| !root.is_empty());
    let inside =
        rest.and_then(|rest| rest.strip_prefix('/').or_else(|| Some(rest).filter(|rest| rest.is_empty())));
    inside.or_else(|| Some(place).filter(|place| !place.starts_with('/'))).map(str::to_owned)
}

/// Whether a path is one of what a line makes out of the files of a kind, and none of these: it lies in a folder of a
/// tool, or is what an output option names or what lies where output goes, without the ending of a source.
fn is_made_by(calls: &[Call], used: &Use, path: &str) -> bool {
    let is_bare = |path: &str| !path.rsplit('/').next().unwrap_or(path).contains('.');
    let goes_out = path.split_once('/').is_some_and(|(folder, _)| shell::is_output(folder));
    let named = |call: &Call| {
        let words = || call.words.iter().map(|word| word.text.as_str());
        words()
            .zip(words().skip(1))
            .any(|(option, value)| matches!(option, "-o" | "--out" | "--output") && value == used.path)
    };
    shell::is_made(path) || used.act == Act::Write && is_bare(path) && (goes_out || calls.iter().any(named))
}

/// Whether what a command does to a path reaches what somebody calls by this name: it is that, holds it, or may mean it.
fn reaches(name: &str, used: &Use, path: &str) -> bool {
    if let Some(kind) = FileKind::named(name) {
        return names(name, path) || used.wild && kind.may_be(path);
    }
    let holds = path.is_empty() || name.strip_prefix(path).is_some_and(|rest| rest.starts_with('/'));
    names(name, path) || holds || used.wild && may_mean(path, name)
}

/// Whether a pattern may mean a file that is called so: part by part from the end, as many as both have.
fn may_mean(pattern: &str, name: &str) -> bool {
    pattern.rsplit('/').zip(name.rsplit('/')).all(|(pattern, part)| glob(pattern, part))
}
