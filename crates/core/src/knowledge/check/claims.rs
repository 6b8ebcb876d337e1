//! Claims side by side: whether two say different things of the same.
//!
//! Owns what a claim says, as far as that can be read by its form: a number, a value that is set, a yes or a no. What
//! is said in other forms is not compared, and that is told.

use std::{collections::BTreeSet, sync::LazyLock};

use regex::Regex;

use crate::knowledge::{Contradiction, ContradictionVerdict, Lines, Score, Standing, Verdict};

/// Words that say nothing of what is spoken of.
const EMPTY: &str = " the a an of in on at to is are was be been it its by for with and or that this as has have which \
    from there not no never does do doesn don isn aren can cannot without will up most least about exactly only always than \
    more set value equals when if each true false enabled disabled off ";

static NUMBER: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?i)(?:^|[^\w.])(-?\d[\d_,]*(?:\.\d+)?)\s*([a-z%µ]+)?").ok());
static NEGATION: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?i)\b(?:not|never|no|none|cannot|without|neither|nor|\w+n't)\b").ok());
/// A name that code gives a value.
static SET: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r#"\b([A-Za-z_][\w.]*)\s*(?::\s*[\w:<>&' ]+?\s*)?[=:]\s*("[^"\n]*"|'[^'\n]*'|-?\d[\d_.]*|[Tt]rue|[Ff]alse)"#,
    )
    .ok()
});
static QUOTED: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r#"`([^`]+)`|"([^"]+)""#).ok());

/// What a sentence says, by its form.
#[derive(Debug)]
struct Said<'a> {
    text: &'a str,
    /// What it speaks of.
    about: BTreeSet<String>,
    /// Each with its unit.
    numbers: Vec<(String, String)>,
    quoted: BTreeSet<String>,
    /// Whether it says that something is on, or off.
    switched: Option<bool>,
    negated: bool,
}

/// Whether claims contradict each other, or the lines that they cite.
pub fn contradictions(claims: &[String], passages: &[(Lines, String)]) -> ContradictionVerdict {
    let said: Vec<Said<'_>> = claims.iter().map(|c| read(c)).collect();
    let (mut found, mut compared) = (Vec::new(), 0);
    for (n, one) in said.iter().enumerate() {
        for (m, other) in
            said.iter().enumerate().skip(n + 1).filter(|(_, other)| one.is_about_the_same(other))
        {
            compared += 1;
            if let Some((says, stands)) = one.differs(other) {
                let about = one.about.intersection(&other.about).cloned().collect::<Vec<_>>().join(" ");
                let other_is = format!("claim {}", m + 1);
                found.push(Contradiction { about, one: says, other: stands, other_is, claim: n + 1 });
            }
        }
        for (lines, text) in passages {
            for (about, says, stands) in one.against(text) {
                compared += 1;
                let other_is = lines.to_string();
                if let Some(one) = says {
                    found.push(Contradiction { about, one, other: stands, other_is, claim: n + 1 });
                }
            }
        }
    }
    let told = |standing, score, reason: String| Verdict { standing, score, reason };
    let verdict = match (found.len(), compared) {
        (0, 0) => told(Standing::Unknown, Score::FULL, "nothing here can be compared by code".to_owned()),
        (0, n) => told(Standing::Holds, Score::FULL, format!("nothing contradicts; compared: {n}")),
        (n, _) => told(Standing::Fails, Score::NONE, format!("contradictions: {n}")),
    };
    ContradictionVerdict { verdict, compared, found }
}

/// The numbers of a text, without what parts their digits, each with its unit.
pub fn numbers(text: &str) -> impl Iterator<Item = (String, String)> {
    NUMBER.iter().flat_map(move |r| r.captures_iter(text)).filter_map(|c| {
        let unit = c.get(2).map_or(String::new(), |u| u.as_str().to_lowercase());
        Some((plain_number(c.get(1)?.as_str()), unit))
    })
}

fn read(text: &str) -> Said<'_> {
    let quoted = QUOTED.iter().flat_map(|r| r.captures_iter(text));
    let quoted = quoted.filter_map(|c| Some(c.get(1).or(c.get(2))?.as_str().to_owned())).collect();
    let negated = NEGATION.as_ref().map_or(0, |r| r.find_iter(text).count()) % 2 == 1;
    let lower = text.to_lowercase();
    let has = |words: &[&str]| lower.split(|c: char| !c.is_alphanumeric()).any(|w| words.contains(&w));
    let (on, off) = (has(&["true", "enabled"]), has(&["false", "off", "disabled"]));
    let switched = (on != off).then_some(on != negated);
    Said { text, about: about(&lower), numbers: numbers(text).collect(), quoted, switched, negated }
}

fn plain_number(text: &str) -> String {
    let digits: String = text.chars().filter(|c| !matches!(c, '_' | ',')).collect();
    match digits.split_once('.') {
        Some((whole, part)) if part.trim_end_matches('0').is_empty() => whole.to_owned(),
        Some(_) | None => digits,
    }
}

/// What is spoken of: the words that are neither empty nor values.
fn about(lower: &str) -> BTreeSet<String> {
    let words = lower.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    let says = |w: &&str| {
        w.len() > 1 && !w.starts_with(|c: char| c.is_ascii_digit()) && !EMPTY.contains(&format!(" {w} "))
    };
    words.filter(says).map(|w| w.strip_suffix('s').filter(|r| r.len() > 3).unwrap_or(w).to_owned()).collect()
}

/// Whether what is set there is set anew while the program runs, so that it says nothing of what holds later.
fn changes(code: &str, at: usize, place: &str) -> bool {
    let before = code.get(..at).unwrap_or_default();
    let word = before.split_whitespace().next_back().filter(|_| before.ends_with(char::is_whitespace));
    let own = place.split_once('.').is_some_and(|(of, _)| matches!(of, "self" | "this" | "cls"));
    own || matches!(word, Some("mut" | "var")) || before.ends_with(['@', '>'])
}

impl Said<'_> {
    /// Whether both speak of the same: nearly all the words of the shorter one, and most of the longer one.
    fn is_about_the_same(&self, other: &Self) -> bool {
        let common = self.about.intersection(&other.about).count() * 10;
        let (a, b) = (self.about.len(), other.about.len());
        common > 0 && common >= a.min(b) * 8 && common >= a.max(b) * 6
    }

    /// What this and another sentence about the same say differently.
    fn differs(&self, other: &Self) -> Option<(String, String)> {
        if let ([(a, unit)], [(b, of)]) = (self.numbers.as_slice(), other.numbers.as_slice())
            && (unit == of || unit.is_empty() || of.is_empty())
        {
            let differ = (a != b) != (self.negated != other.negated);
            return differ.then(|| (self.text.trim().to_owned(), other.text.trim().to_owned()));
        }
        let opposed = match (self.switched, other.switched) {
            (Some(a), Some(b)) => a != b,
            _ => self.negated != other.negated && self.about == other.about,
        };
        opposed.then(|| (self.text.trim().to_owned(), other.text.trim().to_owned()))
    }

    /// What code sets that this speaks of: the name, what is said otherwise if it is, and what stands there.
    fn against(&self, code: &str) -> Vec<(String, Option<String>, String)> {
        let words: Vec<&str> = self.text.split(|c: char| !(c.is_alphanumeric() || c == '_')).collect();
        let sets = SET.iter().flat_map(|r| r.captures_iter(code));
        sets.filter_map(|set| {
            let place = set.get(1)?;
            let name = place.as_str().rsplit('.').next().unwrap_or_default();
            let stands = set.get(2)?.as_str();
            if name.len() < 3 || !words.contains(&name) || changes(code, place.start(), place.as_str()) {
                return None;
            }
            let said = match stands.to_ascii_lowercase().as_str() {
                "true" | "false" => self.switched?.to_string(),
                _ if stands.starts_with(['"', '\'']) => {
                    let mut values = self.quoted.iter().filter(|v| v.as_str() != name);
                    let only = values.next().filter(|_| values.next().is_none())?;
                    only.clone()
                }
                _ => match self.numbers.as_slice() {
                    [(number, _)] => number.clone(),
                    _ => return None,
                },
            };
            let stands = stands.trim_matches(['"', '\'']);
            let same = plain_number(stands).eq_ignore_ascii_case(&said) || stands == said;
            let denied = self.negated && !matches!(said.as_str(), "true" | "false");
            Some((name.to_owned(), (same == denied).then_some(said), stands.to_owned()))
        })
        .collect()
    }
}
