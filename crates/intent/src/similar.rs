//! Exemplar similarity: the nearest phrases of each kind, and from which score on they count.
//!
//! Owns the index over the vectors and the thresholds. Whose vectors they are is the embedder's
//! business; what a match does to a reading stands in `join.rs`.

use std::collections::BTreeMap;

use super::{
    embed::{Hashed, unit},
    exemplars::{Exemplar, Exemplars, Section},
};

/// From which score on an exemplar counts, by intent (C-03).
#[derive(Clone, Debug, PartialEq)]
pub struct Thresholds {
    /// For turns and paths.
    pub primary: f32,
    /// For the kind of turn.
    pub sub: f32,
    /// For single intents, by name: `control`, `query.lookup`, `execute`.
    pub own: BTreeMap<String, f32>,
}

impl Default for Thresholds {
    fn default() -> Self {
        Self { primary: 0.80, sub: 0.65, own: BTreeMap::new() }
    }
}

impl Thresholds {
    /// The threshold of an intent.
    pub fn of(&self, section: Section, name: &str) -> f32 {
        let general = if section == Section::Sub { self.sub } else { self.primary };
        self.own.get(name).copied().unwrap_or(general)
    }
}

/// An exemplar near a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Near {
    /// The intent.
    pub name: String,
    /// The phrase.
    pub phrase: String,
    /// Cosine, -1 to 1.
    pub score: f32,
    /// Whether the user wrote the phrase.
    pub own: bool,
}

/// The nearest exemplar of each kind, whatever its score.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Match {
    /// For the turn.
    pub primary: Option<Near>,
    /// For the kind of turn, among those of [`Match::primary`].
    pub sub: Option<Near>,
    /// For the path.
    pub leaf: Option<Near>,
}

impl Match {
    /// For logs and the inspector: `matched primary=X at 0.87, sub=Y at 0.72`.
    pub fn words(&self) -> String {
        let part = |kind: &str, near: &Option<Near>| {
            near.as_ref().map(|n| {
                let name = n.name.rsplit('.').next().unwrap_or(&n.name);
                format!("{kind}={name} at {:.2}", n.score)
            })
        };
        let parts = [part("primary", &self.primary), part("sub", &self.sub), part("path", &self.leaf)];
        let best =
            [&self.primary, &self.leaf].into_iter().flatten().max_by(|a, b| a.score.total_cmp(&b.score));
        let by = best.map(|n| format!(" ({:?})", n.phrase)).unwrap_or_default();
        format!("matched {}{by}", parts.into_iter().flatten().collect::<Vec<_>>().join(", "))
    }
}

/// Vectors of exemplars, laid out so that a sparse text costs little.
#[derive(Clone, Debug)]
pub struct Index {
    entries: Vec<Exemplar>,
    /// For each place in a vector: the exemplars that have something there, and what.
    places: Vec<Vec<(u32, f32)>>,
    /// What is taken out of a text's vector before it is compared; nothing for the built-in ones.
    common: Vec<f32>,
}

impl Index {
    /// The index of the built-in embedder's vectors; `None` for a set without exemplars.
    pub fn built_in(set: &Exemplars) -> Option<Self> {
        let vectors: Vec<_> = set.entries().iter().map(|e| Hashed::vector(&e.phrase)).collect();
        Self::of(set, &vectors)
    }

    /// As [`Index::of`], with what all phrases have in common taken out first: sentence models
    /// differ in how alike they find any two texts, and one threshold must do for all of them.
    pub fn levelled(set: &Exemplars, mut vectors: Vec<Vec<f32>>) -> Option<Self> {
        let length = vectors.first()?.len();
        let mut common = vec![0f32; length];
        for vector in &vectors {
            for (sum, value) in common.iter_mut().zip(vector) {
                *sum += value;
            }
        }
        let share = vectors.iter().fold(0f32, |n, _| n + 1.0).recip();
        for value in &mut common {
            *value *= share;
        }
        for vector in &mut vectors {
            *vector = without(vector, &common);
        }
        Some(Self { common, ..Self::of(set, &vectors)? })
    }

    /// How long its vectors are.
    pub fn width(&self) -> usize {
        self.places.len()
    }

    /// The index over vectors that are already there; `None` when they do not fit the set or each
    /// other.
    pub fn of(set: &Exemplars, vectors: &[Vec<f32>]) -> Option<Self> {
        let entries = set.entries().to_vec();
        let length = vectors.first()?.len();
        if vectors.len() != entries.len() || vectors.iter().any(|v| v.len() != length) {
            return None;
        }
        let mut places: Vec<Vec<(u32, f32)>> = vec![Vec::new(); length];
        for (number, vector) in (0..).zip(vectors) {
            for (place, value) in places.iter_mut().zip(vector).filter(|(_, v)| **v != 0.0) {
                place.push((number, *value));
            }
        }
        Some(Self { entries, places, common: Vec::new() })
    }

    /// The nearest exemplar of each kind; `None` for a vector of another length.
    pub fn nearest(&self, vector: &[f32]) -> Option<Match> {
        if vector.len() != self.places.len() {
            return None;
        }
        let vector = without(vector, &self.common);
        let mut scores = vec![0f32; self.entries.len()];
        for (place, value) in self.places.iter().zip(&vector).filter(|(_, v)| **v != 0.0) {
            for (number, weight) in place {
                if let Some(score) = scores.get_mut(*number as usize) {
                    *score += weight * value;
                }
            }
        }
        // A phrase for a kind of turn is one for the turn as well.
        let mut primary = self.best(&scores, |e| e.section != Section::Leaves);
        if let Some(near) = &mut primary {
            near.name.truncate(near.name.find('.').unwrap_or(near.name.len()));
        }
        let scope = primary.as_ref().map(|p| format!("{}.", p.name)).unwrap_or_default();
        Some(Match {
            sub: self.best(&scores, |e| e.section == Section::Sub && e.name.starts_with(&scope)),
            leaf: self.best(&scores, |e| e.section == Section::Leaves),
            primary,
        })
    }

    fn best(&self, scores: &[f32], of: impl Fn(&Exemplar) -> bool) -> Option<Near> {
        let all = self.entries.iter().zip(scores).filter(|(e, _)| of(e));
        // Of equals the user's own phrase goes first.
        let (e, score) = all.max_by(|(a, x), (b, y)| x.total_cmp(y).then(a.own.cmp(&b.own)))?;
        Some(Near { name: e.name.clone(), phrase: e.phrase.clone(), score: score.min(1.0), own: e.own })
    }
}

/// The direction that is left without what is common; a vector that says nothing stays so.
fn without(vector: &[f32], common: &[f32]) -> Vec<f32> {
    if common.is_empty() || vector.iter().all(|v| *v == 0.0) {
        return vector.to_vec();
    }
    unit(vector.iter().zip(common).map(|(v, c)| v - c).collect())
}

#[cfg(test)]
mod tests;
