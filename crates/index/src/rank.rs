//! The order of candidates: how much of a question each passage says, and where.
//!
//! Owns what a passage is worth against a question. Never looks for one.

use std::collections::HashMap;

use crate::{
    bag::{self, Kept, Stands},
    search::Placed,
};

/// What a word says that stands there, of 1: names, what they stand in, the path, what is said first, other notes, the lines that
/// define, other code, what is said of what it stands in. These were tried on the questions of `tests/data` that led the ranking;
/// the weights below lie between those that were tried there and a regression over all sets but `asked`, with the crates in
/// six folds and each fold left out in turn.
const PLACES: [(u8, f32); 8] = [
    (bag::NAME, 0.75),
    (bag::OUTER, 0.35),
    (bag::PATH, 0.15),
    (bag::SAID, 0.6),
    (bag::NOTES, 0.4),
    (bag::DEFINES, 0.6),
    (bag::CODE, 0.3),
    (bag::ABOUT, 0.2),
];
/// How much more a word says that stands there again and again.
const OFTEN: f32 = 0.25;
/// What it counts how much of a question is said, is said in names, and in code; how much of a name the question says; what is
/// not said at all; and that a name of the question stands there as it is.
const SAYS: f32 = 4.2;
const NAMES: f32 = 0.65;
const CODES: f32 = 1.5;
const PRECISE: f32 = 1.35;
const MISSES: f32 = -2.2;
const EXACT: f32 = 5.0;
/// What the orders of the database count: by words, by those like them, by vectors.
const PLAIN: f32 = 1.5;
const LIKE: f32 = 1.7;
const NEAR: f32 = 1.4;
/// What it counts that the file says much of it elsewhere too, and that a passage is not short.
const BESIDE: f32 = 3.2;
const LONG: f32 = 0.32;
/// Passages of tests, without a name, and parts of what is defined in another one stand back.
const TEST: f32 = -4.6;
const UNNAMED: f32 = -1.3;
const PART: f32 = -3.2;
/// A word that says less than this is missing.
const LITTLE: f32 = 0.15;
/// So many others of a file tell what it is about.
const OTHERS: usize = 3;
/// Passages of one file with more words in common than this stand back behind each other, among so many.
const ALIKE: f32 = 0.4;
const AMONG: usize = 60;

/// A word of a question, with those that may stand for it.
#[derive(Debug)]
pub(crate) struct Concept {
    /// Its stem.
    pub word: String,
    /// Stems of words that mean about the same, and of names that are put together from it and another word; with how near.
    pub like: Vec<(String, f32)>,
    /// How rare it is.
    pub rare: f32,
    /// How much it counts.
    pub weight: f32,
}

/// What the orders of the database say of a candidate: by its words, by those like them, by its vector.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Orders {
    pub plain: f32,
    pub like: f32,
    pub near: f32,
}

/// How much of a question a passage says.
#[derive(Clone, Copy, Debug, Default)]
struct Says {
    all: f32,
    names: f32,
    code: f32,
    missing: f32,
    precise: f32,
    exact: f32,
}

/// A passage on its way to the answer.
#[derive(Debug)]
pub(crate) struct Candidate {
    pub placed: Placed,
    /// Where the passage begins that defines what this one is a part of.
    pub item: usize,
    pub bag: Kept,
    pub orders: Orders,
    /// Whether it tries something out.
    pub test: bool,
    pub worth: f32,
    says: Says,
}

impl Candidate {
    pub fn new(placed: Placed, item: usize, bag: Kept, orders: Orders, test: bool) -> Self {
        Self { placed, item, bag, orders, test, worth: 0.0, says: Says::default() }
    }

    /// How much of the question its names say.
    pub const fn names(&self) -> f32 {
        self.says.names
    }

    /// Whether what it is a part of is defined in another passage.
    pub const fn is_part(&self) -> bool {
        self.item != self.placed.from
    }

    #[expect(clippy::cast_precision_loss, reason = "a weight need not be exact")]
    fn weigh(&mut self, beside: f32) {
        let (says, orders) = (&self.says, &self.orders);
        let lines = self.placed.to + 1 - self.placed.from;
        self.worth = SAYS * says.all + NAMES * says.names + CODES * says.code + PRECISE * says.precise;
        self.worth += MISSES * says.missing + EXACT * says.exact;
        self.worth += PLAIN * orders.plain + LIKE * orders.like + NEAR * orders.near;
        self.worth += BESIDE * beside + LONG * (lines as f32).ln();
        for (is, counts) in
            [(self.test, TEST), (self.placed.title.is_empty(), UNNAMED), (self.is_part(), PART)]
        {
            self.worth += if is { counts } else { 0.0 };
        }
    }
}

/// The words of a question, as candidates are asked for them.
#[derive(Debug)]
pub(crate) struct Wanted {
    /// What each counts, and the words that may stand for it, itself the first.
    words: Vec<(f32, Vec<(u32, f32)>)>,
    /// What may be a name as it stands.
    names: Vec<u32>,
    /// What all of them count.
    sum: f32,
}

impl Wanted {
    pub fn of<'a>(concepts: &[Concept], names: impl Iterator<Item = &'a str>) -> Self {
        let of = |c: &Concept| {
            let all = std::iter::once((&c.word, 1.0)).chain(c.like.iter().map(|(word, near)| (word, *near)));
            let each = |(word, near): (&'_ String, f32)| -> Vec<(u32, f32)> {
                word.split(' ').map(|w| (bag::hash(w), near)).collect()
            };
            (c.weight, all.flat_map(each).collect())
        };
        let sum = concepts.iter().map(|c| c.weight).sum::<f32>().max(f32::MIN_POSITIVE);
        Self { words: concepts.iter().map(of).collect(), names: names.map(bag::hash).collect(), sum }
    }

    /// How much of it a passage says.
    #[expect(clippy::cast_precision_loss, reason = "a weight need not be exact")]
    fn said(&self, bag: &Kept) -> Says {
        let mut says = Says::default();
        let mut named: Vec<u32> = Vec::new();
        for (weight, words) in &self.words {
            let (mut best, mut left, mut name, mut code) = (0.0_f32, 1.0_f32, 0.0_f32, 0.0_f32);
            for (hash, near) in words {
                let Some(stands) = bag.get(*hash) else { continue };
                let worth = near * worth(stands);
                left *= 1.0 - worth;
                best = best.max(worth);
                if stands.places & bag::NAME != 0 {
                    name = name.max(*near);
                    named.push(*hash);
                }
                if stands.places & (bag::CODE | bag::DEFINES) != 0 {
                    code = code.max(*near);
                }
            }
            let share = weight / self.sum;
            says.all += share * (best + 1.0 - left) / 2.0;
            says.names += share * name;
            says.code += share * code;
            says.missing += if best < LITTLE { share } else { 0.0 };
        }
        named.sort_unstable();
        named.dedup();
        let names = bag.iter().filter(|s| s.places & bag::NAME != 0).count();
        says.precise = named.len() as f32 / names.max(1) as f32;
        let exact = self.names.iter().filter_map(|name| bag.get(*name));
        let exact = exact.map(|s| if s.places & bag::NAME != 0 { 1.0 } else { 0.4 });
        says.exact = exact.fold(0.0, f32::max);
        says
    }
}

/// What a word says by where it stands, and how often.
fn worth(stands: Stands) -> f32 {
    let here = PLACES.iter().filter(|(place, _)| stands.places & place != 0);
    let left: f32 = here.map(|(_, share)| 1.0 - share).product();
    let often = f32::from(stands.often);
    1.0 - left * (1.0 - OFTEN * (often - 1.0) / (often + 2.0))
}

/// Puts candidates in order, the best first; the first `most` of them with what is much like one before it standing back.
pub(crate) fn order(all: &mut Vec<Candidate>, wanted: &Wanted, most: usize) {
    for candidate in all.iter_mut() {
        candidate.says = wanted.said(&candidate.bag);
    }
    inherit(all);
    for (candidate, beside) in beside(all).into_iter().enumerate() {
        if let Some(candidate) = all.get_mut(candidate) {
            candidate.weigh(beside);
        }
    }
    all.sort_by(|a, b| {
        let places = || a.placed.path.cmp(&b.placed.path).then(a.placed.from.cmp(&b.placed.from));
        b.worth.total_cmp(&a.worth).then_with(places)
    });
    for at in 0..most.min(all.len()) {
        stand_back(all, at);
    }
}

/// What defines a long item says what any part of it does.
fn inherit(all: &mut [Candidate]) {
    let mut parts: HashMap<(String, usize), (Says, Orders)> = HashMap::new();
    for part in all.iter().filter(|c| c.is_part()) {
        let key = (part.placed.path.clone(), part.item);
        let (says, orders) = parts.entry(key).or_insert((part.says, part.orders));
        merge(says, orders, &part.says, &part.orders);
    }
    for head in all.iter_mut().filter(|c| !c.is_part()) {
        if let Some((says, orders)) = parts.get(&(head.placed.path.clone(), head.item)) {
            merge(&mut head.says, &mut head.orders, says, orders);
        }
    }
}

fn merge(says: &mut Says, orders: &mut Orders, other: &Says, others: &Orders) {
    says.all = says.all.max(other.all);
    says.code = says.code.max(other.code);
    says.missing = says.missing.min(other.missing);
    orders.plain = orders.plain.max(others.plain);
    orders.like = orders.like.max(others.like);
    orders.near = orders.near.max(others.near);
}

/// How much the best others of its file say, for each.
#[expect(clippy::cast_precision_loss, reason = "a weight need not be exact")]
fn beside(all: &[Candidate]) -> Vec<f32> {
    let mut files: HashMap<&str, Vec<(f32, i64)>> = HashMap::new();
    for c in all {
        files.entry(&c.placed.path).or_default().push((c.says.all, c.placed.id));
    }
    for found in files.values_mut() {
        found.sort_by(|a, b| b.0.total_cmp(&a.0));
    }
    let of = |c: &Candidate| {
        let others = files.get(c.placed.path.as_str()).into_iter().flatten();
        let best = others.filter(|(_, id)| *id != c.placed.id).take(OTHERS);
        best.map(|(says, _)| says).sum::<f32>() / OTHERS as f32
    };
    all.iter().map(of).collect()
}

/// Brings the best of those from `at` on to it; what is much like that stands back.
fn stand_back(all: &mut Vec<Candidate>, at: usize) {
    let rest = all.iter().enumerate().skip(at).take(AMONG);
    let Some((best, _)) = rest.max_by(|a, b| a.1.worth.total_cmp(&b.1.worth).then(b.0.cmp(&a.0))) else {
        return;
    };
    let told = all.remove(best);
    for other in all.iter_mut().skip(at).take(AMONG).filter(|o| o.placed.path == told.placed.path) {
        let alike = other.bag.like(&told.bag);
        other.worth -= if alike > ALIKE { alike } else { 0.0 };
    }
    all.insert(at, told);
}
