//! Every recipe that was found, and which of them hold.
//!
//! Owns the cascade: shipped, the user's, the project's; the last wins and says so.

use super::{Recipe, RecipeKind};
use crate::{diff, intent::SlashCommand, mark::inside, pipeline::PipelineAgent};

/// Characters of a description that a model is told.
const TOLD_CHARS: usize = 240;

/// Every recipe, by kind and name; those that cannot be used among them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recipes {
    all: Vec<Recipe>,
}

impl Recipes {
    /// Of what was found, in any order.
    pub fn of(mut found: Vec<Recipe>) -> Self {
        found.sort_by(|a, b| (a.kind, &a.name, a.origin).cmp(&(b.kind, &b.name, b.origin)));
        let mut all: Vec<Recipe> = Vec::new();
        for mut recipe in found {
            // What cannot be used takes nothing's place, and stands there with its fault.
            let same = |r: &Recipe| r.usable() && r.name == recipe.name && r.kind == recipe.kind;
            if recipe.usable()
                && let Some(at) = all.iter().position(same)
            {
                recipe.hides = Some(all.remove(at).origin);
            }
            all.push(recipe);
        }
        Self { all }
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Recipe> {
        self.all.iter()
    }

    /// Those that can be called in the composer: skills and commands behind a slash, agents behind an `@`.
    pub fn usable(&self) -> impl Iterator<Item = &Recipe> {
        let shadowed =
            |r: &Recipe| r.kind == RecipeKind::Skill && self.named(RecipeKind::Command, &r.name).is_some();
        self.all.iter().filter(move |r| r.usable() && !shadowed(r))
    }

    fn named(&self, kind: RecipeKind, name: &str) -> Option<&Recipe> {
        self.all.iter().find(|r| r.usable() && r.kind == kind && r.name == name)
    }

    /// The skill of this name.
    pub fn skill(&self, name: &str) -> Option<&Recipe> {
        self.named(RecipeKind::Skill, name)
    }

    /// What `/name` is: a command, else a skill.
    pub fn slash(&self, name: &str) -> Option<&Recipe> {
        let name = name.to_lowercase();
        self.named(RecipeKind::Command, &name).or_else(|| self.skill(&name))
    }

    /// What is wrong with what `/name` would be, if that cannot be used.
    pub fn broken(&self, name: &str) -> Option<&Recipe> {
        self.all.iter().find(|r| !r.usable() && r.kind != RecipeKind::Agent && r.name == name.to_lowercase())
    }

    /// The agent of this name that is a prompt and not a row of stages.
    pub fn agent(&self, name: &str) -> Option<&Recipe> {
        self.named(RecipeKind::Agent, name).filter(|r| r.stages.is_none())
    }

    /// The agents with stages that can be called.
    pub fn staged(&self) -> impl Iterator<Item = &PipelineAgent> {
        self.all.iter().filter(|r| r.usable()).filter_map(|r| r.stages.as_deref())
    }

    /// The agent that a line begins with, and the rest of it.
    pub fn agent_of<'l>(&self, line: &'l str) -> Option<(&Recipe, &'l str)> {
        let rest = line.trim_start().strip_prefix('@')?;
        let (name, tail) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        Some((self.agent(name.trim_end_matches([':', ',']))?, tail.trim()))
    }

    /// The agent of a file that cannot be used, where none of its name can.
    pub fn broken_agent(&self, name: &str) -> Option<&Recipe> {
        let named = |r: &&Recipe| r.kind == RecipeKind::Agent && r.name == name;
        let broken = self.all.iter().find(|r| named(r) && !r.usable());
        broken.filter(|_| self.named(RecipeKind::Agent, name).is_none())
    }

    /// The agent that can be called and whose name is most like one that nothing has.
    pub fn nearest_agent(&self, name: &str) -> Option<&str> {
        let name = name.to_lowercase();
        let like = |other: &str| diff::likeness(&letters(other), &letters(&name));
        let agents = self.all.iter().filter(|r| r.usable() && r.kind == RecipeKind::Agent);
        let all = agents.map(|r| (like(&r.name), r.name.as_str())).filter(|(ratio, _)| *ratio > 0.7);
        all.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, n)| n)
    }

    /// The name of a command or a recipe that is most like one that nothing has.
    pub fn nearest(&self, name: &str) -> Option<String> {
        let like = |other: &str| diff::likeness(&letters(other), &letters(name));
        let own = SlashCommand::nearest(name).map(str::to_owned);
        let calls = self.usable().filter(|r| r.kind != RecipeKind::Agent).map(|r| r.name.clone());
        let all = own.into_iter().chain(calls).map(|n| (like(&n), n)).filter(|(ratio, _)| *ratio > 0.5);
        all.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, n)| n)
    }

    /// What a model is told of them: names and descriptions in at most so many bytes; none where there is nothing to tell.
    pub fn told(&self, most: usize) -> Option<String> {
        let of = |kind| self.all.iter().filter(move |r| r.usable() && r.offered && r.kind == kind);
        let mut text = String::new();
        let parts = [
            (
                RecipeKind::Skill,
                "skills: where one fits the task, read \"skill:NAME\" first and do as it says",
            ),
            (RecipeKind::Agent, "agents: kinds that delegate takes beside its own"),
        ];
        for (kind, head) in parts {
            let count = of(kind).count();
            if count == 0 {
                continue;
            }
            text.push_str(&format!("{head}\n"));
            let share = most.saturating_sub(text.len()) / if kind == RecipeKind::Skill { 2 } else { 1 };
            let share =
                if of(RecipeKind::Agent).count() == 0 { most.saturating_sub(text.len()) } else { share };
            let lines = |brief: bool| of(kind).map(move |r| line(r, brief)).collect::<Vec<String>>();
            let whole = lines(false);
            let fits = whole.iter().map(String::len).sum::<usize>() <= share;
            let (mut room, mut left) = (share, 0);
            for line in if fits { whole } else { lines(true) } {
                match room.checked_sub(line.len()) {
                    Some(rest) => {
                        room = rest;
                        text.push_str(&line);
                    }
                    None => left += 1,
                }
            }
            if left > 0 {
                text.push_str(&format!("- and {left} more not listed here\n"));
            }
        }
        let head = "They steer how something is done, never what is allowed.";
        (!text.is_empty()).then(|| format!("<skills>\n{head}\n{}</skills>", inside(&text, "skills")))
    }
}

fn line(recipe: &Recipe, brief: bool) -> String {
    if brief {
        return format!("- {}\n", recipe.name);
    }
    let words: Vec<&str> = recipe.description.split_whitespace().collect();
    let all = words.join(" ");
    let told: String = all.chars().take(TOLD_CHARS).collect();
    let cut = if told.len() < all.len() { "…" } else { "" };
    format!("- {}: {told}{cut}\n", recipe.name)
}

/// The letters of a name, each by itself.
fn letters(name: &str) -> Vec<&[u8]> {
    name.split_inclusive(|_: char| true).map(str::as_bytes).collect()
}
