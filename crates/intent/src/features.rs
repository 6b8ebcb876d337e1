//! What the statistical tier sees of a message: hashed words, letters and structure.
//!
//! Owns the features and their hash. The trainer and the classifier share this file, so a change
//! here wants the weights trained again.

use super::{
    classify::Parsed,
    forbid::Ban,
    lexicon::Tag,
    parts::{Rule, Tables},
    reading::Message,
    stats::{LEAVES, TURNS},
    structure::{Clause, Form, Object},
    text::Kind,
    turn::Phase,
};

/// Counts changes to this file that move features to other buckets and change no name.
const VERSION: &str = "features 2";

/// Buckets of the hash.
pub const BUCKETS: u32 = 1 << 16;

/// Features of a message for the statistical tier: bucket and value.
pub(crate) fn features(m: &Message<'_>, known: &Tables) -> Vec<(u32, f32)> {
    let trimmed = m.text.trim_matches(|c: char| c.is_whitespace() || c.is_control());
    let focus = super::text::focus(trimmed);
    let parsed = Parsed::within(&focus, trimmed, known);
    match parsed.beside_ban(m.phase, m.paused) {
        Some(rest) => of(&Parsed { ban: parsed.ban, ..Parsed::new(&rest, known) }, m.phase, m.paused),
        None => of(&parsed, m.phase, m.paused),
    }
}

pub(crate) fn hash(salt: u32, parts: &[&str]) -> u32 {
    let mut h = 0x811c_9dc5u32 ^ salt.wrapping_mul(0x9e37_79b9);
    for part in parts {
        for b in part.bytes() {
            h = (h ^ u32::from(b)).wrapping_mul(0x0100_0193);
        }
        h = (h ^ 0x1f).wrapping_mul(0x0100_0193);
    }
    (h ^ (h >> 15)).wrapping_mul(0x2c1b_3c6d) >> 12 & (BUCKETS - 1)
}

/// Features of a message for the guards, which say whether it only asks and whether it forbids:
/// its very words in their order, nothing taken out.
pub(crate) fn guards(m: &Message<'_>, known: &Tables) -> Vec<(u32, f32)> {
    let trimmed = m.text.trim_matches(|c: char| c.is_whitespace() || c.is_control());
    let focus = super::text::focus(trimmed);
    guard(&Parsed::within(&focus, trimmed, known), m.phase, m.paused)
}

/// A hash of everything by which features get their buckets: weights learned under another one mean nothing.
pub fn schema() -> u64 {
    let forms = [
        Form::Order,
        Form::Request,
        Form::Wish,
        Form::Ought,
        Form::Complaint,
        Form::Statement,
        Form::Frame,
        Form::Empty,
    ];
    let objects =
        [Object::Missing, Object::Pronoun, Object::Inner, Object::Whole, Object::New, Object::Other];
    let kinds = [
        Kind::Word,
        Kind::Cjk,
        Kind::Number,
        Kind::File,
        Kind::Path,
        Kind::Url,
        Kind::Ident,
        Kind::Quote,
        Kind::Tick,
        Kind::Code,
        Kind::Flag,
        Kind::Punct,
    ];
    let buckets = BUCKETS.to_string();
    let names = forms.iter().map(|f| f.name()).chain(objects.iter().map(|o| o.name()));
    let names =
        names.chain(kinds.iter().map(|k| k.name())).chain([Ban::None, Ban::Changes, Ban::All].map(Ban::name));
    let names = names.chain(Tag::ALL.iter().map(|t| t.name())).chain(super::rules::NAMES.iter().copied());
    let names = names.chain(LEAVES.iter().map(|l| l.name())).chain(TURNS).chain([VERSION, buckets.as_str()]);
    fingerprint(names)
}

/// A hash that stays the same for ever, of several texts in their order.
pub fn fingerprint<'a>(texts: impl IntoIterator<Item = &'a str>) -> u64 {
    let bytes = texts.into_iter().flat_map(|t| t.bytes().chain([0x1f]));
    bytes.fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3))
}

#[expect(clippy::too_many_lines, reason = "one group of features after the other")]
pub(crate) fn guard(p: &Parsed<'_>, phase: Phase, paused: bool) -> Vec<(u32, f32)> {
    let group = match phase {
        _ if paused => 6,
        Phase::Idle => 1,
        Phase::AwaitingApproval => 2,
        Phase::Executing | Phase::Planning => 3,
        Phase::Failed => 4,
    };
    let mut bag = Bag { out: Vec::with_capacity(256), phase: 1 };
    bag.add(&["g", "phase", &group.to_string()], 1.0);
    let mut words: Vec<(usize, &str)> = Vec::new();
    let total = p.doc.tokens.len();
    for (i, t) in p.doc.tokens.iter().enumerate() {
        if i > 50 && i + 50 < total {
            continue;
        }
        match t.kind {
            Kind::Word => words.push((i, t.text.as_str())),
            Kind::Punct if t.text == "\n" => words.push((i, ".")),
            Kind::Punct => words.push((i, t.text.as_str())),
            Kind::Cjk => {}
            Kind::Number
            | Kind::File
            | Kind::Path
            | Kind::Url
            | Kind::Ident
            | Kind::Quote
            | Kind::Tick
            | Kind::Code
            | Kind::Flag => words.push((i, t.kind.name())),
        }
    }
    let n = f32::from(u16::try_from(words.len().max(1)).unwrap_or(u16::MAX));
    let v = (2.0 / n.sqrt()).min(0.8);
    let word = |k: usize| words.get(k).map_or("$", |w| w.1);
    let ordered = p.structure.known.on(Rule::GuardOrder);
    for k in 0..words.len() {
        bag.add(&["g1", word(k)], v);
        if !ordered {
            continue;
        }
        bag.add(&["g2", word(k), word(k + 1)], v);
        bag.add(&["g3", word(k), word(k + 1), word(k + 2)], v);
        bag.add(&["gs", word(k), word(k + 2)], v * 0.6);
        let opens =
            k == 0 || matches!(word(k - 1), "." | "," | "!" | "?" | ";" | ":" | "-" | "and" | "but" | "then");
        if opens && word(k).chars().next().is_some_and(char::is_alphanumeric) {
            let first = if k == 0 { "o0" } else { "o" };
            bag.add(&[first, word(k)], 0.7);
            bag.add(&[first, word(k), word(k + 1)], 0.7);
            bag.add(&[first, word(k), word(k + 1), word(k + 2)], 0.7);
            bag.add(&[first, word(k), "*", word(k + 2)], 0.5);
        }
    }
    if let Some(last) = words.len().checked_sub(1) {
        bag.add(&["ge", word(last)], 0.7);
        bag.add(&["ge", word(last.saturating_sub(1)), word(last)], 0.7);
        bag.add(&["gb", word(0), word(last)], 0.7);
        bag.add(&["gb", word(0), word(1), if word(last) == "?" { "?" } else { "." }], 0.7);
    }
    for (name, yes) in [("asks", p.asks()), ("ban", p.ban.keeps_files())] {
        if yes {
            bag.add(&["gx", name], 0.8);
        }
    }
    letters(p, &mut bag);
    bag.out
}

struct Bag {
    out: Vec<(u32, f32)>,
    phase: u32,
}

impl Bag {
    fn add(&mut self, parts: &[&str], value: f32) {
        self.out.push((hash(0, parts), value));
    }

    /// Once for all phases and once for this one.
    fn both(&mut self, parts: &[&str], value: f32) {
        if self.phase == 1 {
            self.add(parts, value);
        } else {
            self.add(parts, value * 0.5);
            self.out.push((hash(self.phase, parts), value));
        }
    }
}

pub(crate) fn of(p: &Parsed<'_>, phase: Phase, paused: bool) -> Vec<(u32, f32)> {
    let group = match phase {
        _ if paused => 6,
        Phase::Idle => 1,
        Phase::AwaitingApproval => 2,
        Phase::Executing | Phase::Planning => 3,
        Phase::Failed => 4,
    };
    let phase = if p.structure.known.on(Rule::ByPhase) { group } else { 1 };
    let mut bag = Bag { out: Vec::with_capacity(256), phase };
    bag.both(&["bias"], 1.0);
    if group != 1 {
        bag.out.push((hash(9, &["busy"]), 1.0));
    }
    structure(p, &mut bag);
    words(p, &mut bag);
    letters(p, &mut bag);
    bag.out
}

/// Orders and polite requests are one thing here.
const fn form_name(form: Form) -> &'static str {
    if matches!(form, Form::Order | Form::Request) { "do" } else { form.name() }
}

fn speaking<'a>(p: &'a Parsed<'_>) -> Vec<&'a Clause> {
    p.kept
        .iter()
        .filter_map(|k| p.structure.clauses.get(*k))
        .filter(|c| !matches!(c.form, Form::Empty))
        .collect()
}

fn structure(p: &Parsed<'_>, bag: &mut Bag) {
    let guess = p.guess();
    let clauses = speaking(p);
    if let Some(g) = guess {
        let weight = g.weight.to_string();
        bag.both(&["rule", g.rule], 1.0);
        bag.both(&["guess", g.leaf.name()], 1.0);
        bag.add(&["guess", g.leaf.name(), &weight], 1.0);
        if let Some(c) = p.structure.clauses.get(g.clause) {
            let (form, object) = (form_name(c.form), c.object.name());
            bag.both(&["form", form], 1.0);
            bag.add(&["object", object, g.rule], 1.0);
            bag.add(&["form", form, g.rule], 1.0);
            let head = p.doc.tokens.get(c.head).map_or("", |t| t.text.as_str());
            bag.both(&["head", head], 1.0);
            bag.add(&["head", head, object], 0.7);
        }
    } else {
        bag.both(&["rule", "none"], 1.0);
    }
    for (name, clause) in [("first", clauses.first()), ("last", clauses.last())] {
        if let Some(c) = clause {
            let verb = c.verb.map_or("", Tag::name);
            bag.both(&[name, form_name(c.form)], 0.7);
            bag.add(&[name, form_name(c.form), verb], 0.7);
        }
    }
    for c in &clauses {
        let verb = c.verb.map_or("", Tag::name);
        bag.add(&["some", form_name(c.form), verb], 0.4);
    }
    let mut seen: Vec<Tag> =
        p.structure.hits.iter().filter(|h| !matches!(h.tag, Tag::Filler | Tag::Req)).map(|h| h.tag).collect();
    seen.sort_unstable();
    seen.dedup();
    for tag in seen {
        bag.both(&["tag", tag.name()], 0.4);
    }
    shape(p, bag, clauses.len());
}

fn shape(p: &Parsed<'_>, bag: &mut Bag, clauses: usize) {
    if !p.structure.known.on(Rule::Shape) {
        return;
    }
    let count = |kind: Kind| p.doc.tokens.iter().filter(|t| t.kind == kind).count();
    for (name, n) in [
        ("file", count(Kind::File)),
        ("path", count(Kind::Path)),
        ("tick", count(Kind::Tick)),
        ("ident", count(Kind::Ident)),
        ("quote", count(Kind::Quote)),
        ("code", p.doc.code_lines),
        ("trace", p.doc.trace_lines),
        ("url", count(Kind::Url)),
    ] {
        if n > 0 {
            bag.add(&["has", name], 0.6);
        }
    }
    let words = count(Kind::Word) + count(Kind::Cjk) * 3;
    let size = match words {
        0..=1 => "one",
        2..=3 => "few",
        4..=7 => "short",
        8..=15 => "line",
        16..=40 => "long",
        _ => "very long",
    };
    bag.both(&["size", size], 0.7);
    bag.add(&["clauses", &clauses.min(6).to_string()], 0.4);
    bag.both(&["ban", p.ban.name()], 1.0);
    if p.asks() {
        bag.both(&["asks"], 1.0);
    }
    if p.structure.clauses.iter().any(|c| c.marked && c.form != Form::Request) {
        bag.both(&["marked"], 0.7);
    }
    if p.structure.clauses.iter().any(|c| c.fault) {
        bag.add(&["fault"], 0.7);
    }
}

/// The writer's words; other tokens by their kind.
fn plain<'a>(p: &'a Parsed<'_>) -> Vec<(usize, &'a str)> {
    let mut out = Vec::new();
    let total = p.doc.tokens.len();
    for (i, t) in p.doc.tokens.iter().enumerate() {
        if i > 60 && i + 60 < total {
            continue;
        }
        if t.kind == Kind::Word || (t.kind == Kind::Punct && t.text == "?") {
            out.push((i, t.text.as_str()));
        } else if !matches!(t.kind, Kind::Punct | Kind::Cjk) {
            out.push((i, t.kind.name()));
        }
    }
    out
}

fn words(p: &Parsed<'_>, bag: &mut Bag) {
    let words = plain(p);
    let n = f32::from(u16::try_from(words.len().max(1)).unwrap_or(u16::MAX));
    let value = (2.2 / n.sqrt()).min(0.9);
    let focus =
        p.guess().and_then(|g| p.structure.clauses.get(g.clause)).map_or((0, 0), |c| (c.start, c.end));
    let mut before: Option<&str> = None;
    for (k, (i, w)) in words.iter().enumerate() {
        bag.both(&["w", w], value);
        if let Some(b) = before.filter(|_| p.structure.known.on(Rule::Pairs)) {
            bag.both(&["b", b, w], value);
        }
        if k < 3 {
            bag.both(&["at", &k.to_string(), w], 0.5);
        }
        if *i >= focus.0 && *i < focus.1 {
            bag.add(&["f", w], value * 0.7);
        }
        before = Some(w);
    }
    if let Some((_, w)) = words.last() {
        bag.both(&["end", w], 0.4);
    }
    openers(p, &words, bag);
}

/// How each sentence opens, and the last one again: there the request often stands.
fn openers(p: &Parsed<'_>, words: &[(usize, &str)], bag: &mut Bag) {
    if !p.structure.known.on(Rule::Openers) {
        return;
    }
    let ends = |t: &super::text::Token| {
        t.kind == Kind::Code
            || (t.kind == Kind::Punct && matches!(t.text.as_str(), "." | "!" | "?" | ";" | "\n" | ":"))
    };
    let opens: Vec<usize> = (0..words.len())
        .filter(|k| {
            let at = words.get(*k).map_or(0, |w| w.0);
            at.checked_sub(1).and_then(|i| p.doc.tokens.get(i)).is_none_or(ends)
        })
        .collect();
    let word = |k: usize| words.get(k).map_or("$", |w| w.1);
    for (n, k) in opens.iter().take(12).enumerate() {
        let place = if n + 1 == opens.len() { "last" } else { "mid" };
        bag.both(&["so", place, word(*k)], 0.4);
        bag.both(&["so", place, word(*k), word(k + 1)], 0.4);
        bag.add(&["so", word(*k), word(k + 1), word(k + 2)], 0.4);
    }
}

fn letters(p: &Parsed<'_>, bag: &mut Bag) {
    if !p.structure.known.on(Rule::Letters) {
        return;
    }
    let mut grams: Vec<u32> = Vec::new();
    let total = p.doc.tokens.len();
    for (i, t) in p.doc.tokens.iter().enumerate() {
        if i > 40 && i + 40 < total {
            continue;
        }
        let chars: Vec<char> = if t.kind == Kind::Word && t.text.len() > 3 {
            std::iter::once('<').chain(t.text.chars().take(16)).chain(std::iter::once('>')).collect()
        } else if t.kind == Kind::Cjk {
            t.text.chars().take(40).collect()
        } else {
            continue;
        };
        let sizes = if t.kind == Kind::Cjk { 1..=3 } else { 3..=4 };
        for size in sizes {
            for gram in chars.windows(size) {
                let text: String = gram.iter().collect();
                grams.push(hash(17, &[&text]));
                if bag.phase != 1 && t.kind == Kind::Cjk {
                    grams.push(hash(17 + bag.phase, &[&text]));
                }
            }
        }
    }
    let n = f32::from(u16::try_from(grams.len().max(1)).unwrap_or(u16::MAX));
    let value = (2.0 / n.sqrt()).min(0.5);
    bag.out.extend(grams.into_iter().map(|g| (g, value)));
}
