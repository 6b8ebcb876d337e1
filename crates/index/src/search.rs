//! Search: passages by their words, their names and their vectors, fused by rank.
//!
//! Owns the order of what is found. A passage is read from its file: one that changed since is indexed anew first.

use std::{cmp::Ordering, collections::HashMap};

use pilothouse_core::{
    intent::embed::Hashed,
    knowledge::{Axes, Lines, Passage, Query, Score},
    relpath::RelPath,
};
use rusqlite::{Params, params_from_iter};

use crate::{
    error::IndexError, ground::Seen, index::Index, language::Languages, store::Store, vectors,
    vocabulary::Vocabulary, words,
};

/// Most passages of one answer.
pub const MOST: usize = 50;
/// So many of each order are fused; of a part of the workspace, so many are looked through.
const LOOKED: usize = 80;
const LOOKED_WITHIN: usize = 2_000;
/// How soon a lower rank counts less.
const RANK: f32 = 12.0;
/// How much each order counts: words, words and those like them, names, how much of the question.
const WEIGHTS: [f32; 4] = [1.0, 0.7, 0.6, 2.0];
/// How much the order by vectors counts.
const NEARNESS: f32 = 0.4;
/// Vectors that are no nearer have nothing in common but chance.
const NEAR: f32 = 0.2;
/// What a word of the question counts that stands in a passage, what one like it, and what either does in a name.
const OWN: f32 = 0.45;
const LIKE: f32 = 0.55;
const NAMED: f32 = 1.5;
/// No axis of its own.
const CONCEPTS: usize = usize::MAX;
/// What a word counts by where it stands: names, path, notes, code, whole names.
const COLUMNS: &str = "bm25(words, 5.0, 2.0, 2.0, 1.0, 3.0)";
/// What is left to a passage of a test, unless tests are asked for.
const TRIED: f32 = 0.6;
/// What is left to one that defines nothing and stands in nothing, and to one of a line or two.
const UNNAMED: f32 = 0.6;
const TINY: f32 = 0.75;
/// Words that stand in more than this share of the passages are only asked for where there are no others.
const COMMON: f32 = 0.25;
/// Most words of a question.
const WORDS: usize = 32;

/// Which files may be seen.
pub type May<'a> = &'a dyn Fn(&RelPath) -> bool;

/// A passage as the database knows it.
#[derive(Clone, Debug)]
pub(crate) struct Placed {
    pub id: i64,
    pub path: String,
    pub from: usize,
    pub to: usize,
    pub title: String,
    pub hash: String,
}

impl Placed {
    /// Its lines.
    pub fn lines(&self) -> Option<Lines> {
        Some(Lines { path: RelPath::new(&self.path).ok()?, from: self.from, to: self.to })
    }
}

/// The passages that a condition on `passage p` and `file f` names.
pub(crate) fn places(store: &Store, which: &str, with: impl Params) -> Result<Vec<Placed>, IndexError> {
    let sql = format!(
        "SELECT p.id, f.path, p.start, p.finish, p.title, f.hash FROM passage p JOIN file f ON f.id=p.file {which}"
    );
    let mut asked = store.db.prepare(&sql)?;
    let rows = asked.query_map(with, |r| {
        Ok(Placed {
            id: r.get(0)?,
            path: r.get(1)?,
            from: r.get(2)?,
            to: r.get(3)?,
            title: r.get(4)?,
            hash: r.get(5)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// A question as it is asked of the database.
struct Asked {
    /// What it speaks of.
    concepts: Vec<Concept>,
    /// What may be a name in it as it stands, in small letters.
    whole: Vec<String>,
    tests: bool,
    passages: f32,
}

/// A word of a question, with those that may stand for it.
struct Concept {
    /// Its stem.
    word: String,
    /// Stems of words that mean about the same, and of names that are put together from it and another word.
    like: Vec<String>,
    /// How rare it is.
    rare: f32,
}

/// A passage on its way to the answer.
#[derive(Default)]
struct Found {
    sum: f32,
    axes: [f32; 3],
}

impl Index {
    /// The passages that answer a question best; the best first. Brings nothing up to date but what it would show.
    ///
    /// # Errors
    /// When the database fails.
    pub fn search(&self, query: &Query, may: May<'_>) -> Result<Vec<Passage>, IndexError> {
        self.mended(may, &(), |index| {
            for _ in 0..2 {
                let (passages, stale) = index.search_once(query, may)?;
                if stale.is_empty() {
                    return Ok(passages);
                }
                index.look_again(&stale)?;
            }
            Ok(index.search_once(query, may)?.0)
        })
    }

    fn search_once(&self, query: &Query, may: May<'_>) -> Result<(Vec<Passage>, Vec<RelPath>), IndexError> {
        let asked = self.asked(&query.text)?;
        let found = self.ranked(&asked, query)?;
        let most = query.most.clamp(1, MOST);
        let seen = Seen::new(self, may, &());
        let best = found.first().map_or(0.0, |(_, f)| f.sum);
        let (mut out, mut stale): (Vec<Passage>, Vec<RelPath>) = (Vec::new(), Vec::new());
        for (placed, found) in found {
            if out.len() >= most {
                break;
            }
            let Some(lines) = placed.lines() else { continue };
            let told =
                |o: &Passage| o.lines.path == lines.path && !o.title.is_empty() && o.title == placed.title;
            let again =
                out.iter().any(|o| overlaps(&o.lines, &lines)) || out.iter().filter(|o| told(o)).count() > 1;
            if again || !within(&lines.path, &query.within) || !may(&lines.path) {
                continue;
            }
            let axes = Axes {
                words: thousandths(found.axes[0]),
                meaning: thousandths(found.axes[1]),
                names: thousandths(found.axes[2]),
            };
            match seen.shown(&placed) {
                Some(passage) => {
                    let score = thousandths(found.sum / best.max(f32::MIN_POSITIVE));
                    out.push(Passage { score, axes, ..passage });
                }
                None => stale.push(lines.path),
            }
        }
        Ok((out, stale))
    }

    fn asked(&self, text: &str) -> Result<Asked, IndexError> {
        let store = self.store();
        let (spoken, whole) = spoken(text);
        let vocabulary = Vocabulary::of(&store)?;
        let mut concepts: Vec<Concept> = Vec::new();
        for (at, part) in spoken.iter().enumerate() {
            let word = words::stem(part).to_owned();
            let mut like: Vec<String> = words::like(part).iter().map(|w| words::stem(w).to_owned()).collect();
            like.retain(|w| *w != word && vocabulary.share(w) <= COMMON / 2.0);
            like.extend(
                vocabulary
                    .joined(part, spoken.iter().enumerate().filter(|(n, _)| *n != at).map(|(_, w)| w))?,
            );
            like.sort();
            like.dedup();
            let share = vocabulary.share(&word);
            if share == 0.0 && like.is_empty() {
                continue;
            }
            let known = if share > 0.0 { share } else { like.iter().map(|w| vocabulary.share(w)).sum() };
            concepts.push(Concept {
                word,
                like,
                rare: (1.0_f32 / known.clamp(vocabulary.least(), 1.0)).ln().max(0.1),
            });
        }
        let common = (1.0_f32 / COMMON).ln();
        if concepts.iter().any(|c| c.rare >= common) {
            concepts.retain(|c| c.rare >= common);
        }
        let tests = concepts.iter().any(|c| matches!(c.word.as_str(), "test" | "bench" | "exampl"));
        Ok(Asked { concepts, whole, tests, passages: vocabulary.passages() })
    }

    /// How much of what is asked stands in each passage, the rare weighing more; the best first.
    fn by_concepts(store: &Store, asked: &Asked, most: usize) -> Result<Vec<(i64, f32)>, IndexError> {
        let mut sums: HashMap<i64, f32> = HashMap::new();
        let mut ids = store.db.prepare("SELECT rowid FROM words WHERE words MATCH ?1")?;
        for concept in &asked.concepts {
            let own = any_of([concept.word.as_str()].into_iter());
            let all =
                any_of([concept.word.as_str()].into_iter().chain(concept.like.iter().map(String::as_str)));
            let ways = [(own, OWN), (all.clone(), LIKE), (format!("{{name path}} : ({all})"), NAMED)];
            for (text, worth) in ways {
                let rows = ids.query_map([text], |r| r.get(0))?;
                let found: Vec<i64> = rows.collect::<Result<_, _>>()?;
                // What stands for a rare word may itself be common.
                let worth = worth * concept.rare.min(rarity(found.len(), asked.passages));
                for id in found {
                    *sums.entry(id).or_default() += worth;
                }
            }
        }
        let mut order: Vec<(i64, f32)> = sums.into_iter().collect();
        order.sort_by(|a, b| b.1.partial_cmp(&a.1).unwrap_or(Ordering::Equal).then(a.0.cmp(&b.0)));
        order.truncate(most);
        Ok(order)
    }

    /// What answers, in its order.
    fn ranked(&self, asked: &Asked, query: &Query) -> Result<Vec<(Placed, Found)>, IndexError> {
        // An embedder may answer from afar: nobody waits for the database until it does.
        let wanted = self.wanted(asked, &query.text);
        let store = self.store();
        let looked = if query.within.is_empty() { LOOKED } else { LOOKED_WITHIN };
        let own = || asked.concepts.iter().map(|c| c.word.as_str());
        let like = asked.concepts.iter().flat_map(|c| c.like.iter().map(String::as_str));
        let compound = asked
            .whole
            .iter()
            .map(String::as_str)
            .filter(|w| w.contains('_') || !own().any(|o| w.starts_with(o)));
        let plain = any_of(own().chain(compound));
        let like = any_of(own().chain(like));
        let whole = any_of(asked.whole.iter().map(String::as_str));
        let named = any_of(own());
        let named: Vec<String> = [("name path", named), ("whole", whole)]
            .into_iter()
            .filter(|(_, words)| !words.is_empty())
            .map(|(columns, words)| format!("({{{columns}}} : ({words}))"))
            .collect();
        let mut all: HashMap<i64, Found> = HashMap::new();
        let [words, likely, names, concepts] = WEIGHTS;
        fuse(&mut all, &by_words(&store, &plain, looked)?, words, 0);
        fuse(&mut all, &by_words(&store, &like, looked)?, likely, 0);
        fuse(&mut all, &by_words(&store, &named.join(" OR "), looked)?, names, 2);
        fuse(&mut all, &Self::by_concepts(&store, asked, looked)?, concepts, CONCEPTS);
        if let Some(wanted) = wanted {
            fuse(&mut all, &by_vectors(&store, &wanted, looked)?, NEARNESS, 1);
        }
        let ids: Vec<i64> = all.keys().copied().collect();
        let marks = vec!["?"; ids.len()].join(",");
        let places = places(&store, &format!("WHERE p.id IN ({marks})"), params_from_iter(ids))?;
        let with = |placed: Placed| {
            let mut found = all.remove(&placed.id).unwrap_or_default();
            if !asked.tests && is_test(&placed) {
                found.sum *= TRIED;
            }
            if placed.title.is_empty() {
                found.sum *= UNNAMED;
            }
            if placed.to < placed.from + 2 {
                found.sum *= TINY;
            }
            (placed, found)
        };
        let mut out: Vec<(Placed, Found)> = places.into_iter().map(with).collect();
        let order = |a: &(Placed, Found), b: &(Placed, Found)| {
            b.1.sum
                .partial_cmp(&a.1.sum)
                .unwrap_or(Ordering::Equal)
                .then_with(|| a.0.path.cmp(&b.0.path))
                .then(a.0.from.cmp(&b.0.from))
        };
        out.sort_by(order);
        Ok(out)
    }

    /// The vector of a question; nothing where the embedder cannot be asked.
    fn wanted(&self, asked: &Asked, text: &str) -> Option<Vec<f32>> {
        let Some(embedder) = &self.embedder else {
            let weighed = asked.concepts.iter().map(|c| (c.word.as_str(), c.rare * c.rare));
            return Some(Hashed::words(weighed));
        };
        match embedder.embed(&[text]) {
            Ok(mut made) => made.pop(),
            Err(fault) => {
                tracing::warn!(fault = %fault, "a question is asked without vectors");
                None
            }
        }
    }
}

/// The nearest vectors, with how near each is.
fn by_vectors(store: &Store, wanted: &[f32], most: usize) -> Result<Vec<(i64, f32)>, IndexError> {
    let mut near: Vec<(i64, f32)> = Vec::new();
    let mut all = store.db.prepare("SELECT id, vector FROM passage WHERE vector NOT NULL")?;
    let mut rows = all.query([])?;
    while let Some(row) = rows.next()? {
        let vector = row.get_ref(1)?.as_blob().unwrap_or_default();
        let nearness = vectors::nearness(wanted, vector);
        if nearness > NEAR {
            near.push((row.get(0)?, nearness));
        }
    }
    near.sort_by(|a, b| b.1.partial_cmp(&a.1).unwrap_or(Ordering::Equal).then(a.0.cmp(&b.0)));
    near.truncate(most);
    Ok(near)
}

/// Passages by their words, with what the best one is worth against each.
fn by_words(store: &Store, text: &str, most: usize) -> Result<Vec<(i64, f32)>, IndexError> {
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let sql =
        format!("SELECT rowid, {COLUMNS} AS worth FROM words WHERE words MATCH ?1 ORDER BY worth LIMIT ?2");
    let mut asked = store.db.prepare(&sql)?;
    let rows = asked.query_map(rusqlite::params![text, most], |r| {
        let worth: f64 = r.get(1)?;
        #[expect(clippy::cast_possible_truncation, reason = "a weight need not be exact")]
        let worth = -worth as f32;
        Ok((r.get(0)?, worth))
    })?;
    let found: Vec<(i64, f32)> = rows.collect::<Result<_, _>>()?;
    let best = found.first().map_or(1.0, |(_, worth)| *worth).max(f32::MIN_POSITIVE);
    Ok(found.into_iter().map(|(id, worth)| (id, worth / best)).collect())
}

/// Adds an order by rank: so much for the first, less for each that follows.
fn fuse(all: &mut HashMap<i64, Found>, order: &[(i64, f32)], weight: f32, axis: usize) {
    let mut rank = RANK;
    for (id, worth) in order {
        let found = all.entry(*id).or_default();
        found.sum += weight * RANK / rank;
        if let Some(axis) = found.axes.get_mut(axis) {
            *axis = axis.max(*worth);
        }
        rank += 1.0;
    }
}

/// One of these words, as the database is asked for it.
fn any_of<'a>(words: impl Iterator<Item = &'a str>) -> String {
    words.map(|w| format!("\"{}\"", w.replace('"', ""))).collect::<Vec<_>>().join(" OR ")
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it lies between 0 and 1000 by its making"
)]
fn thousandths(share: f32) -> Score {
    Score((share.clamp(0.0, 1.0) * 1000.0).round() as u16)
}

fn within(path: &RelPath, places: &[RelPath]) -> bool {
    let below = |place: &RelPath| {
        path.as_str().strip_prefix(place.as_str()).is_some_and(|r| r.is_empty() || r.starts_with('/'))
    };
    places.is_empty() || places.iter().any(below)
}

/// Whether more than half of the one stands in the other.
fn overlaps(one: &Lines, other: &Lines) -> bool {
    let common = (one.to.min(other.to) + 1).saturating_sub(one.from.max(other.from));
    one.path == other.path && common * 2 > (one.to + 1 - one.from).min(other.to + 1 - other.from)
}

/// How much is said by what stands in so many of the passages.
#[expect(clippy::cast_precision_loss, reason = "a weight need not be exact")]
fn rarity(found: usize, passages: f32) -> f32 {
    (passages / found.max(1) as f32).ln().max(0.1)
}

/// Whether a passage tries something out.
fn is_test(placed: &Placed) -> bool {
    Languages::builtin().is_test(&placed.path)
        || placed.title.split(" > ").any(|part| Languages::builtin().is_test(part))
}

/// The words of a question that say something, and those that may be names as they stand; both in small letters.
fn spoken(text: &str) -> (Vec<String>, Vec<String>) {
    let (mut spoken, mut whole): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    for run in words::runs(text) {
        words::parts(run, |part| {
            let said = spoken.iter().any(|s| words::stem(s) == words::stem(part));
            if spoken.len() < WORDS && !words::is_empty_word(part) && !said {
                spoken.push(part.to_owned());
            }
        });
        if !words::is_empty_word(&run.to_lowercase()) && whole.len() < WORDS {
            whole.push(run.to_lowercase());
        }
    }
    (spoken, whole)
}
