//! Search: passages by their words, their names and their vectors, fused by rank.
//!
//! Owns the order of what is found. A passage is read from its file: one that changed since is indexed anew first.

use std::{
    cmp::Ordering,
    collections::{BTreeSet, HashMap},
};

use pilothouse_core::{
    intent::embed::Hashed,
    knowledge::{Axes, Lines, Passage, Query, Score},
    relpath::RelPath,
};
use rusqlite::{Params, Row, params, params_from_iter};

use crate::{
    bag::Kept,
    error::IndexError,
    ground::Seen,
    index::Index,
    language::Languages,
    rank::{self, Candidate, Concept, Orders, Wanted},
    store::Store,
    vectors,
    vocabulary::Vocabulary,
    words,
};

/// Most passages of one answer.
pub const MOST: usize = 50;
/// So many of each order are looked at; of a part of the workspace, so many.
const LOOKED: usize = 80;
const LOOKED_WITHIN: usize = 2_000;
/// How near names are that are put together from words of the question, and what a phrase is called.
const JOINED: f32 = 0.8;
const CALLED: f32 = 0.6;
/// Most words that may stand for one.
const MOST_LIKE: usize = 8;
/// Rarer words count no more.
const RAREST: f32 = 7.0;
/// How much words count that rather belong to how is asked, and those of a phrase that is looked for by another word.
const FAINT: f32 = 0.15;
const PHRASED: f32 = 0.4;
/// Words like those of a question are looked for where these count more, and they are nearer: others only help to order.
const LOOKED_FOR: f32 = 1.5;
const SURE: f32 = 0.4;
/// Vectors that are no nearer have nothing in common but chance.
const NEAR: f32 = 0.2;
/// What a word counts by where it stands: names, path, notes, code, whole names.
const COLUMNS: &str = "bm25(words, 5.0, 2.0, 2.0, 1.0, 3.0, 0.5)";
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
    let sql = format!("SELECT {PLACED} FROM passage p JOIN file f ON f.id=p.file {which}");
    let mut asked = store.db.prepare(&sql)?;
    let rows = asked.query_map(with, placed)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// What is read of a passage.
const PLACED: &str = "p.id, f.path, p.start, p.finish, p.title, f.hash";

fn placed(r: &Row<'_>) -> rusqlite::Result<Placed> {
    Ok(Placed {
        id: r.get(0)?,
        path: r.get(1)?,
        from: r.get(2)?,
        to: r.get(3)?,
        title: r.get(4)?,
        hash: r.get(5)?,
    })
}

/// A question as it is asked of the database.
struct Asked {
    /// What it speaks of.
    concepts: Vec<Concept>,
    /// What may be a name in it as it stands, in small letters.
    whole: Vec<String>,
    tests: bool,
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
        let best = found.first().map_or(0.0, |f| f.worth);
        let (mut out, mut stale): (Vec<Passage>, Vec<RelPath>) = (Vec::new(), Vec::new());
        for found in found {
            if out.len() >= most {
                break;
            }
            let Some(lines) = found.placed.lines() else { continue };
            let told = |o: &Passage| {
                o.lines.path == lines.path && !o.title.is_empty() && o.title == found.placed.title
            };
            let again =
                out.iter().any(|o| overlaps(&o.lines, &lines)) || out.iter().filter(|o| told(o)).count() > 1;
            if again || !within(&lines.path, &query.within) || !may(&lines.path) {
                continue;
            }
            let axes = Axes {
                words: thousandths(found.orders.plain.max(found.orders.like)),
                meaning: thousandths(found.orders.near),
                names: thousandths(found.names()),
            };
            match seen.shown(&found.placed) {
                Some(passage) => {
                    let score = thousandths(found.worth / best.max(f32::MIN_POSITIVE));
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
        let phrases = phrases(text);
        let vocabulary = Vocabulary::of(&store)?;
        let mut concepts: Vec<Concept> = Vec::new();
        for part in &spoken {
            if let Some(mut concept) = concept(&vocabulary, part, &spoken)? {
                let phrased = phrases.iter().any(|(of, _)| of.contains(&concept.word));
                concept.weight *= if phrased { PHRASED } else { 1.0 };
                concepts.push(concept);
            }
        }
        for (of, called) in phrases {
            let like = called.iter().map(|w| (words::stem(w).to_owned(), CALLED)).collect();
            concepts.extend(weighed(&vocabulary, of.join("_"), like));
        }
        let common = (1.0_f32 / COMMON).ln();
        if concepts.iter().any(|c| c.rare >= common) {
            concepts.retain(|c| c.rare >= common);
        }
        let tests = concepts.iter().any(|c| matches!(c.word.as_str(), "test" | "bench" | "exampl"));
        Ok(Asked { concepts, whole, tests })
    }

    /// What answers, in its order.
    fn ranked(&self, asked: &Asked, query: &Query) -> Result<Vec<Candidate>, IndexError> {
        // An embedder may answer from afar: nobody waits for the database until it does.
        let vector = self.wanted(asked, &query.text);
        let store = self.store();
        let looked = if query.within.is_empty() { LOOKED } else { LOOKED_WITHIN };
        let own = || asked.concepts.iter().map(|c| c.word.as_str());
        let like = asked.concepts.iter().filter(|c| c.weight > LOOKED_FOR).flat_map(|c| &c.like);
        let like = like.filter(|(_, near)| *near > SURE).map(|(word, _)| word.as_str());
        let is_name = |w: &&str| w.contains('_') || !own().any(|o| w.starts_with(o));
        let names = || asked.whole.iter().map(String::as_str).filter(is_name);
        let mut orders: HashMap<i64, Orders> = HashMap::new();
        for (id, worth) in by_words(&store, &any_of(own().chain(names())), looked)? {
            orders.entry(id).or_default().plain = worth;
        }
        for (id, worth) in by_words(&store, &any_of(own().chain(like)), looked)? {
            orders.entry(id).or_default().like = worth;
        }
        // The built-in one knows no more than the words do: it only says how near what they found is.
        if let Some(vector) = vector.as_ref().filter(|_| self.embedder.is_some()) {
            for (id, _) in by_vectors(&store, vector, looked)? {
                orders.entry(id).or_default();
            }
        }
        let mut all = candidates(&store, &orders, vector.as_deref())?;
        for candidate in &mut all {
            candidate.test &= !asked.tests;
        }
        rank::order(&mut all, &Wanted::of(&asked.concepts, names()), query.most.clamp(1, MOST));
        Ok(all)
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

/// A word of a question with those that may stand for it; nothing where none of them stands anywhere.
fn concept(
    vocabulary: &Vocabulary<'_>,
    part: &str,
    spoken: &[String],
) -> Result<Option<Concept>, IndexError> {
    let like = words::like(part).iter().map(|(w, near)| (words::stem(w).to_owned(), *near));
    let mut like: Vec<(String, f32)> = like.collect();
    let joined = vocabulary.joined(part, spoken.iter().filter(|other| *other != part))?;
    like.extend(joined.into_iter().map(|name| (name, JOINED)));
    let found = weighed(vocabulary, words::stem(part).to_owned(), like);
    Ok(found.map(|mut concept| {
        concept.weight *= if words::is_faint(part) { FAINT } else { 1.0 };
        concept
    }))
}

/// A word of a question by how rare it is; of those like it the nearest and rarest.
fn weighed(vocabulary: &Vocabulary<'_>, word: String, mut like: Vec<(String, f32)>) -> Option<Concept> {
    let rarity = |share: f32| (1.0 / share.clamp(vocabulary.least(), 1.0)).ln().max(0.1);
    like.retain(|(other, _)| *other != word && vocabulary.share(other) <= COMMON / 2.0);
    like.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
    like.dedup_by(|a, b| a.0 == b.0);
    let own = vocabulary.share(&word);
    if own == 0.0 && like.is_empty() {
        return None;
    }
    let known = if own > 0.0 { own } else { like.iter().map(|(w, _)| vocabulary.share(w)).sum() };
    let rare = rarity(known);
    // What stands for a rare word may itself be common.
    for (other, near) in &mut like {
        *near *= (rarity(vocabulary.share(other)) / rare.clamp(3.0, 6.0)).clamp(0.3, 1.0);
    }
    like.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    like.truncate(MOST_LIKE);
    Some(Concept { word, like, rare, weight: rare.min(RAREST) })
}

/// The passages that were found, and those that define what these are parts of.
fn candidates(
    store: &Store,
    orders: &HashMap<i64, Orders>,
    vector: Option<&[f32]>,
) -> Result<Vec<Candidate>, IndexError> {
    let vector = vector.map(vectors::packed).unwrap_or_default();
    let read = |r: &Row<'_>| {
        let placed = placed(r)?;
        let near = vectors::nearness(&vector, r.get_ref(8)?.as_blob().unwrap_or_default());
        let found = orders.get(&placed.id).copied().unwrap_or_default();
        let test = is_test(&placed);
        let bag = Kept::of(r.get_ref(7)?.as_blob().unwrap_or_default());
        let orders = Orders { near: if near > NEAR { near } else { 0.0 }, ..found };
        Ok(Candidate::new(placed, r.get(6)?, bag, orders, test))
    };
    let asked = |which: &str| {
        let sql = format!(
            "SELECT {PLACED}, p.item, p.bag, p.vector FROM passage p JOIN file f ON f.id=p.file {which}"
        );
        store.db.prepare(&sql)
    };
    let marks = vec!["?"; orders.len()].join(",");
    let mut found = asked(&format!("WHERE p.id IN ({marks})"))?;
    let rows = found.query_map(params_from_iter(orders.keys()), read)?;
    let mut out: Vec<Candidate> = rows.collect::<Result<_, _>>()?;
    let heads: BTreeSet<(String, usize)> =
        out.iter().filter(|c| c.is_part()).map(|c| (c.placed.path.clone(), c.item)).collect();
    let mut head = asked("WHERE f.path=?1 AND p.start=?2")?;
    for (path, item) in heads {
        for found in head.query_map(params![path, item], read)? {
            let found = found?;
            if !orders.contains_key(&found.placed.id) {
                out.push(found);
            }
        }
    }
    Ok(out)
}

/// The nearest vectors, with how near each is.
fn by_vectors(store: &Store, wanted: &[f32], most: usize) -> Result<Vec<(i64, f32)>, IndexError> {
    let mut near: Vec<(i64, f32)> = Vec::new();
    let wanted = vectors::packed(wanted);
    let mut all = store.db.prepare("SELECT id, vector FROM passage WHERE vector NOT NULL")?;
    let mut rows = all.query([])?;
    while let Some(row) = rows.next()? {
        let vector = row.get_ref(1)?.as_blob().unwrap_or_default();
        let nearness = vectors::nearness(&wanted, vector);
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

/// The phrases of a question that programs have another word for, by stem, with that.
fn phrases(text: &str) -> Vec<(Vec<String>, &'static [&'static str])> {
    let mut all: Vec<String> = Vec::new();
    words::runs(text).for_each(|run| words::parts(run, |part| all.push(words::stem(part).to_owned())));
    let stems: Vec<&str> = all.iter().map(String::as_str).collect();
    let mut out = Vec::new();
    for at in 0..stems.len() {
        let rest = stems.get(at..).unwrap_or_default();
        for (count, called) in words::phrases(rest) {
            out.push((rest.iter().take(count).map(|s| (*s).to_owned()).collect(), called));
        }
    }
    out
}
