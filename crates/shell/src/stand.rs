//! Where the shell stands while a line is walked.
//!
//! Owns the folders that it may be in, the ones that `cd -` and `popd` go back to, and what kind of place that is: one
//! value, which a subshell saves and restores as a whole. Never judges.

use std::rc::Rc;

use super::expand::{Feed, Field, UNKNOWN};
use super::path::{Cwd, Place, place};
use super::redirect::text_feed;
use super::secrets::{is_private, is_secret};
use super::syntax::Script;
use super::value::Made;
use super::walk::Walker;

/// Most folders that the shell may stand in at once before it is called unknown.
const MAX_FOLDERS: usize = 8;
/// Most folders outside of the project that are kept in mind even then.
const MAX_OUTSIDE: usize = 16;
/// Most folders that wait on the stack of `pushd`; below that they count as one.
const MAX_STACK: usize = 32;

/// Where the shell stands.
#[derive(Clone, Debug)]
pub(super) struct Stand {
    pub cwd: Cwd,
    /// It stands somewhere below the workspace, not at its top.
    pub moved: bool,
    /// It stands where code of others lies.
    pub strayed: bool,
    /// How many moves led here that may have failed.
    pub tried: usize,
    at: Folders,
    before: Folders,
    stack: Vec<Folders>,
    /// How many of the lowest there may not be on the stack.
    loose: usize,
    /// Whether it moved since by other ways than the stack, so that it stays elsewhere where they are not.
    shifted: bool,
}

/// Folders of which one is meant, relative to where the line starts or absolute.
#[derive(Clone, Debug)]
struct Folders {
    all: Rc<[String]>,
    /// Whether there are no others.
    certain: bool,
}

impl Default for Stand {
    fn default() -> Self {
        let at = Folders { all: Rc::from([String::new()]), certain: true };
        let before = Folders { all: Rc::from([]), certain: false };
        Self {
            cwd: Cwd::Project,
            moved: false,
            strayed: false,
            tried: 0,
            at,
            before,
            stack: Vec::new(),
            loose: 0,
            shifted: false,
        }
    }
}

impl Stand {
    /// The folders that it may be in; `None` when the line does not show them.
    pub fn folders(&self) -> Option<Rc<[String]>> {
        self.at.certain.then(|| Rc::clone(&self.at.all))
    }

    /// Whether its folder is one word however it is written, as far as the line names it.
    pub fn is_one_word(&self) -> bool {
        let parts = |folder: &String| folder.contains([' ', '\t', '\n', '*', '?', '[', UNKNOWN]);
        self.at.certain && !self.at.all.iter().any(parts)
    }

    /// Whether it is where the line starts, and that is the top of the workspace.
    pub fn is_at_start(&self) -> bool {
        !self.moved && self.at.certain && self.at.all.iter().all(String::is_empty)
    }

    /// It is where it is or where another one is.
    pub fn or(self, other: &Self) -> Self {
        Self {
            cwd: self.cwd.or(other.cwd),
            moved: self.moved || other.moved,
            strayed: self.strayed || other.strayed,
            tried: self.tried.max(other.tried),
            at: self.at.or(&other.at),
            before: self.before.or(&other.before),
            loose: self.loose.max(other.loose).max(self.stack.len().abs_diff(other.stack.len())),
            shifted: self.shifted || other.shifted,
            stack: either(&self, other),
        }
    }
}

/// One stack of folders or another: from the top down each is one of two. Where the shorter one ends the shell stays where
/// it stands.
fn either(one: &Stand, other: &Stand) -> Vec<Folders> {
    let (long, short) = if one.stack.len() < other.stack.len() { (other, one) } else { (one, other) };
    let (below, tops) = long.stack.split_at(long.stack.len() - short.stack.len());
    let both = tops.iter().zip(&short.stack).map(|(a, b)| a.or(b));
    below.iter().map(|folders| folders.or(&short.at)).chain(both).collect()
}

impl Folders {
    fn or(&self, other: &Self) -> Self {
        let mut all: Vec<String> = self.all.to_vec();
        all.extend(other.all.iter().filter(|f| !self.all.contains(f)).cloned());
        let few = all.len() <= MAX_FOLDERS;
        if !few {
            all.retain(|folder| folder.starts_with(['/', '~']));
        }
        Self { all: all.into(), certain: few && self.certain && other.certain }
    }

    /// A folder as it is named from here.
    fn then(&self, to: &Field) -> Self {
        // What a program prints is a folder that is known only where it is the one that the shell stands in.
        let printed = to.computed
            && (!to.text.starts_with('.') || to.text.starts_with(".git") || to.text.contains(".."));
        let known = !to.unknown() && !to.many && !printed && to.made == Made::Nothing;
        if to.text.starts_with(['/', '~']) {
            return Self { all: Rc::from([to.text.clone()]), certain: known };
        }
        let all = self.all.iter().map(|folder| join(folder, &to.text)).collect();
        Self { all, certain: known && self.certain }
    }
}

/// `path` as seen from `folder`, not settled.
pub(super) fn join(folder: &str, path: &str) -> String {
    if folder.is_empty() || path.starts_with(['/', '~']) {
        path.to_owned()
    } else {
        format!("{folder}/{path}")
    }
}

impl Walker<'_> {
    /// What a substitution prints.
    pub(super) fn asked(&mut self, script: &Script, feed: &Feed) -> Feed {
        let from = self.asked_from.replace(Rc::clone(&self.stand.at.all));
        let out = self.nested_script(script, feed);
        self.asked_from = from;
        out
    }

    /// What a program prints of a folder that is not the one where that is read.
    pub(super) fn printed_here(&self, name: &str) -> Option<Feed> {
        let moved = matches!(name, "pwd" | "git") && !self.stands_still();
        let named = || text_feed(self.named_here());
        moved.then(|| if name == "pwd" && self.asked_from.is_some() { named() } else { Feed::Other })
    }

    /// Whether the shell stands where what it prints is read.
    fn stands_still(&self) -> bool {
        let (here, from) = (&self.stand.at, self.asked_from.as_ref());
        from.map_or(!self.stand.moved, |from| {
            Rc::ptr_eq(from, &here.all) || here.certain && here.all.len() == 1 && **from == *here.all
        })
    }

    /// The folder that it stands in, as it is named from where a substitution is read.
    pub(super) fn named_here(&self) -> String {
        let here = &self.stand.at;
        let top = self.asked_from.as_ref().is_some_and(|from| **from == [String::new()]);
        match here.all.first() {
            _ if self.asked_from.is_none() || self.stands_still() => ".".to_owned(),
            Some(folder) if here.certain && here.all.len() == 1 && folder.starts_with(['/', '~']) => {
                folder.clone()
            }
            Some(folder) if here.certain && here.all.len() == 1 && top => format!("./{folder}"),
            _ => UNKNOWN.to_string(),
        }
    }

    /// The shell stands where it stood before, or where it is now.
    pub(super) fn or_return_to(&mut self, before: &Stand) {
        self.stand = self.stand.clone().or(before);
        self.bound_stand();
    }

    /// Whether code of others lies where the shell stands.
    pub(super) const fn is_astray(&self) -> bool {
        self.strayed || self.stand.strayed
    }

    /// The shell moves to a folder.
    pub(super) fn go_to(&mut self, to: &Field) {
        let next = self.named(to);
        self.walk_to(next);
    }

    /// The folder that a move names.
    fn named(&mut self, to: &Field) -> Folders {
        // A folder that nobody reviewed: what is built there is code of others.
        let away = place(&to.text, Cwd::Project) == Place::Scratch
            || !self.stand.moved && to.text.starts_with("../");
        self.stand.strayed |= away || self.was_fetched(&to.text);
        self.stand.at.then(to)
    }

    /// It moves to a folder and keeps the one before on the stack.
    pub(super) fn push_to(&mut self, to: &Field) {
        let stack = &mut self.stand.stack;
        stack.push(self.stand.at.clone());
        if stack.len() > MAX_STACK {
            let lowest = stack.remove(0);
            if let Some(low) = stack.first_mut() {
                *low = Folders { certain: false, ..low.or(&lowest) };
            }
        }
        let next = self.named(to);
        self.stand_in(next);
    }

    /// It moves back to where it was before its last move.
    pub(super) fn go_back(&mut self) {
        let next = self.stand.before.clone();
        self.walk_to(next);
    }

    /// It moves to the folder on top of the stack, which goes, or takes the present one instead.
    pub(super) fn pop(&mut self, swaps: bool) {
        if self.maybe > 0 {
            // Nobody knows any more which one is on top.
            return self.wander();
        }
        let stays = self.stand.shifted && self.stand.stack.len() <= self.stand.loose;
        let Some(next) = self.stand.stack.pop() else { return self.wander() };
        let next = if stays { next.or(&self.stand.at) } else { next };
        self.stand.loose = self.stand.loose.min(self.stand.stack.len());
        if swaps {
            self.stand.stack.push(self.stand.at.clone());
        }
        self.stand_in(next);
        // It stood there, or nothing was put on the stack.
        self.stand.tried -= usize::from(!swaps);
    }

    /// Whether a folder that is named may be one below another than where the shell stands.
    pub(super) fn roams(&self) -> bool {
        self.memory.roams || self.memory.all_unsure || self.is_assigned("CDPATH")
    }

    /// It moves to any of the folders that it knows.
    pub(super) fn wander(&mut self) {
        let stand = &self.stand;
        let all = stand.stack.iter().fold(stand.at.or(&stand.before), |all, folders| all.or(folders));
        self.walk_to(Folders { certain: false, ..all });
    }

    /// Whether a name may be the one of somebody's own file in a folder outside of the workspace.
    pub(super) fn is_private_from_here(&mut self, field: &Field) -> bool {
        let relative = !self.is_stopped() && !field.text.starts_with(['/', '~']);
        let outside = self.stand.at.all.iter().filter(|folder| relative && folder.starts_with(['/', '~']));
        let there: Vec<String> = outside.map(|folder| join(folder, &field.text)).collect();
        // Each is tried one by one: many folders weigh more than one.
        let bytes: usize = there.iter().map(|path| path.len() + 32).sum();
        self.charge(bytes * there.len(), field.span);
        there.iter().any(|path| is_private(path) || is_secret(path))
    }

    /// It moves without the stack.
    fn walk_to(&mut self, next: Folders) {
        self.stand.shifted |= self.stand.loose > 0;
        self.stand_in(next);
    }

    fn stand_in(&mut self, next: Folders) {
        self.stand.moved = true;
        self.stand.tried += 1;
        let before =
            if self.maybe > 0 { self.stand.at.or(&self.stand.before) } else { self.stand.at.clone() };
        self.stand.at = if self.maybe > 0 { self.stand.at.or(&next) } else { next };
        self.stand.before = before;
        self.bound_stand();
    }

    /// No more is kept in mind than can be judged.
    fn bound_stand(&mut self) {
        let at = &self.stand.at;
        let (bytes, many) = (at.all.iter().map(String::len).sum(), at.all.len() > MAX_OUTSIDE);
        self.charge(bytes, self.here());
        if many {
            self.hit("too-long", self.here());
            let all = self.stand.at.all.iter().take(MAX_OUTSIDE).cloned().collect();
            self.stand.at = Folders { all, certain: false };
        }
    }
}
