//! Tokens and money as people read and write them, and what may be spent.
//!
//! Owns the words for both. Never counts: usage is told by whoever made the call.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{ids::Millis, talk::Usage};

/// Written where the price of a model is not known.
pub const UNKNOWN: &str = "–";

/// Millionths of a dollar in two decimals; what is less than half a cent says so.
pub fn dollars(micros: u64) -> String {
    match micros {
        0 => "$0.00".to_owned(),
        1..5_000 => "<$0.01".to_owned(),
        micros => {
            let cents = micros.saturating_add(5_000) / 10_000;
            format!("${}.{:02}", thousands(cents / 100), cents % 100)
        }
    }
}

/// A price, or that it is not known.
pub fn cost(micros: Option<u64>) -> String {
    micros.map_or_else(|| UNKNOWN.to_owned(), dollars)
}

/// A number in groups of three digits.
pub fn thousands(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out
}

/// How long something took: `450ms`, `1.5s`, `12s`, `4m 12s`, `3h 05m`, `2d 03h`.
pub fn clock(ms: u64) -> String {
    let (s, tenth) = (ms / 1_000, ms % 1_000 / 100);
    match s {
        0 if ms > 0 => format!("{ms}ms"),
        1..10 if tenth > 0 => format!("{s}.{tenth}s"),
        0..60 => format!("{s}s"),
        60..3_600 => format!("{}m {:02}s", s / 60, s % 60),
        3_600..86_400 => format!("{}h {:02}m", s / 3_600, s % 3_600 / 60),
        _ => format!("{}d {:02}h", s / 86_400, s % 86_400 / 3_600),
    }
}

/// What stands behind `Complete`: the milliseconds, as long as they are few enough to be read.
pub fn millis(ms: u64) -> String {
    if ms < 10_000 { format!("{ms}ms") } else { clock(ms) }
}

/// How long something takes that is not over: in whole seconds.
pub fn so_far(ms: u64) -> String {
    clock(ms - ms % 1_000)
}

/// How long ago something was, in its largest unit: `12s`, `4m`, `3h`, `2d`.
pub fn age(ms: u64) -> String {
    let whole = so_far(ms);
    whole.split(' ').next().unwrap_or_default().to_owned()
}

/// How long work took, and how long it waited for the user meanwhile, which is no part of that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spell {
    /// At work.
    pub worked: Millis,
    /// Waiting.
    pub waited: Millis,
}

impl fmt::Display for Spell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&clock(self.worked.0))?;
        match self.waited.0 {
            0..60_000 => Ok(()),
            long => write!(f, ", waited {} for you", age(long)),
        }
    }
}

impl Usage {
    /// Tokens, read and written.
    pub const fn tokens(&self) -> u64 {
        self.input.saturating_add(self.output)
    }

    /// The tokens as they are shown: an estimate of ours says so.
    pub fn shown_tokens(&self) -> String {
        format!("{}{}", if self.estimated { "~" } else { "" }, thousands(self.tokens()))
    }

    /// Tokens, time and cost: a label and a value each.
    pub fn bill(&self, took: Option<Spell>) -> [(&'static str, String); 3] {
        let time = took.map_or_else(|| UNKNOWN.to_owned(), |spell| spell.to_string());
        [("Tokens: ", self.shown_tokens()), ("Time: ", time), ("Cost: ", cost(self.cost_micros))]
    }

    /// The same in one line.
    pub fn line(&self, took: Option<Spell>) -> String {
        self.bill(took).map(|(label, value)| label.to_owned() + &value).join(" │ ")
    }

    /// Tokens and cost beside what they were spent on; empty where nothing was.
    pub fn aside(&self) -> String {
        if self.tokens() == 0 {
            return String::new();
        }
        format!("  ({})", self.spent())
    }

    /// What it cost, in words.
    pub fn cost_told(&self, unpriced: bool) -> String {
        let known = self.known_cost().filter(|_| !unpriced || self.tokens() > 0);
        known.map_or_else(|| "not known".to_owned(), dollars)
    }

    /// Tokens and, where it is known, what they cost.
    pub fn spent(&self) -> String {
        let cost = self.known_cost().map_or_else(String::new, |micros| format!(", {}", dollars(micros)));
        format!("{} tokens{cost}", self.shown_tokens())
    }

    /// What it cost as far as that is known; nothing costs nothing.
    pub fn known_cost(&self) -> Option<u64> {
        self.cost_micros.or((self.tokens() == 0).then_some(0))
    }
}

/// What a budget counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Millionths of a US dollar.
    Micros,
    /// Tokens, read and written.
    Tokens,
    /// Model calls.
    Calls,
}

impl Unit {
    /// All of them, in the order in which they are told.
    pub const ALL: [Self; 3] = [Self::Micros, Self::Tokens, Self::Calls];

    /// The unit that a word names.
    fn named(word: &str) -> Option<Self> {
        match word {
            "$" | "usd" | "dollar" | "dollars" => Some(Self::Micros),
            "t" | "token" | "tokens" => Some(Self::Tokens),
            "c" | "call" | "calls" => Some(Self::Calls),
            _ => None,
        }
    }

    /// So much of it: `$0.50`, `50,000 tokens`, `5 calls`.
    pub fn amount(self, n: u64) -> String {
        let s = if n == 1 { "" } else { "s" };
        match self {
            Self::Micros => exact(n),
            Self::Tokens => format!("{} token{s}", thousands(n)),
            Self::Calls => format!("{} call{s}", thousands(n)),
        }
    }

    /// How much of a limit is spent: `$0.04 of $0.50`.
    pub fn standing(self, spent: u64, most: u64) -> String {
        let spent = match self {
            Self::Micros if (1..10_000).contains(&spent) => exact(spent),
            Self::Micros => dollars(spent),
            Self::Tokens | Self::Calls => thousands(spent),
        };
        format!("{spent} of {}", self.amount(most))
    }
}

/// Dollars with as many decimals as they have, at least two.
fn exact(micros: u64) -> String {
    let part = format!("{:06}", micros % 1_000_000);
    let short = part.trim_end_matches('0');
    format!("${}.{short:0<2}", thousands(micros / 1_000_000))
}

/// So many of something: `1 file`, `2 files`, `3 patches`.
pub fn count<N: Copy + fmt::Display + PartialEq + From<u8>>(n: N, noun: &str) -> String {
    let plural = match noun.ends_with("ch") || noun.ends_with('s') {
        _ if n == N::from(1) => "",
        true => "es",
        false => "s",
    };
    format!("{n} {noun}{plural}")
}

/// Told of a budget that leaves nothing.
pub(crate) const NOTHING: &str =
    "a budget of 0 leaves nothing to spend: give an amount, or `off` for no budget";

/// What may be spent of each unit; none where nothing holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Millionths of a US dollar.
    pub micros: Option<u64>,
    /// Tokens, read and written.
    pub tokens: Option<u64>,
    /// Model calls.
    pub calls: Option<u64>,
}

impl Limits {
    /// Reads amounts: `0.50`, `$5`, `50000t`, `50,000 tokens`, `20 calls`, or several of them.
    ///
    /// # Errors
    /// What to write instead.
    pub fn parse(text: &str) -> Result<Self, String> {
        let wanted = || {
            format!(
                "{text:?} is not a budget; give US dollars (0.50), tokens (50000t) or model calls (20 calls)"
            )
        };
        let plain = text.trim().to_lowercase();
        let mut words = plain.split_whitespace().filter(|w| !matches!(*w, "and" | "+")).peekable();
        let mut limits = Self::default();
        while let Some(word) = words.next() {
            let (sign, word) = word.strip_prefix('$').map_or((None, word), |rest| (Some("$"), rest));
            let number = word.trim_end_matches(|c: char| c.is_alphabetic() || c == '$');
            let unit = sign.or_else(|| word.strip_prefix(number).filter(|unit| !unit.is_empty()));
            let unit = match unit {
                Some(unit) => Unit::named(unit).ok_or_else(wanted)?,
                None => {
                    words.next_if(|w| Unit::named(w).is_some()).and_then(Unit::named).unwrap_or(Unit::Micros)
                }
            };
            let amount = number_of(number, unit).ok_or_else(wanted)?;
            if amount == 0 {
                return Err(NOTHING.to_owned());
            }
            if limits.slot(unit).replace(amount).is_some() {
                return Err(wanted());
            }
        }
        if limits == Self::default() { Err(wanted()) } else { Ok(limits) }
    }

    /// So much of one unit.
    pub fn one(unit: Unit, most: u64) -> Self {
        let mut limits = Self::default();
        *limits.slot(unit) = Some(most);
        limits
    }

    /// What holds of a unit.
    pub const fn of(&self, unit: Unit) -> Option<u64> {
        match unit {
            Unit::Micros => self.micros,
            Unit::Tokens => self.tokens,
            Unit::Calls => self.calls,
        }
    }

    const fn slot(&mut self, unit: Unit) -> &mut Option<u64> {
        match unit {
            Unit::Micros => &mut self.micros,
            Unit::Tokens => &mut self.tokens,
            Unit::Calls => &mut self.calls,
        }
    }

    /// Each unit that is limited.
    pub fn each(self) -> impl Iterator<Item = (Unit, u64)> {
        Unit::ALL.into_iter().filter_map(move |unit| Some((unit, self.of(unit)?)))
    }

    /// With so much more of a unit, where that is limited.
    #[must_use]
    pub fn more(mut self, unit: Unit, extra: u64) -> Self {
        let slot = self.slot(unit);
        *slot = slot.map(|most| most.saturating_add(extra));
        self
    }

    /// The lower of both, unit by unit.
    #[must_use]
    pub fn lower(mut self, other: Self) -> Self {
        for (unit, most) in other.each() {
            let slot = self.slot(unit);
            *slot = Some(slot.map_or(most, |own| own.min(most)));
        }
        self
    }
}

impl fmt::Display for Limits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all: Vec<String> = self.each().map(|(unit, most)| unit.amount(most)).collect();
        f.write_str(&if all.is_empty() { "none".to_owned() } else { all.join(" and ") })
    }
}

/// A number of a unit; of dollars its millionths.
fn number_of(text: &str, unit: Unit) -> Option<u64> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let mut groups = whole.split(',');
    let first = groups.next().filter(|g| !whole.contains(',') || g.len() <= 3)?;
    // A comma that stands where nobody groups digits is somebody's decimal point.
    let rest = groups.map(|g| (g.len() == 3).then_some(g)).collect::<Option<Vec<_>>>()?;
    let whole = format!("{first}{}", rest.concat()).replace('_', "");
    let digits = |t: &str| t.bytes().all(|b| b.is_ascii_digit());
    let whole: u64 = whole.parse().ok().filter(|_| digits(&whole))?;
    match unit {
        Unit::Micros if part.len() <= 6 && digits(part) => {
            let part: u64 = format!("{part:0<6}").parse().ok()?;
            Some(whole.saturating_mul(1_000_000).saturating_add(part))
        }
        Unit::Tokens | Unit::Calls if !text.contains('.') => Some(whole),
        Unit::Micros | Unit::Tokens | Unit::Calls => None,
    }
}

/// What the settings let a session spend, where nothing else is said in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Configured {
    /// What somebody wrote there.
    pub limits: Limits,
    /// Millionths of a dollar that hold where nobody wrote anything, and only while the price is known.
    pub usual: Option<u64>,
    /// Whether nobody said what the model costs: its server may, with its first reply.
    pub unpriced: bool,
}

/// What may be spent of a unit, and what is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowance {
    /// The unit.
    pub unit: Unit,
    /// How much there is.
    pub most: u64,
    /// How much of it is spent, as far as that is known.
    pub spent: u64,
    /// Whether the price of something that was asked is not known.
    pub unknown: bool,
    /// Whether nothing was asked yet, and nobody said the price: the server may, with its first reply.
    pub untold: bool,
    /// Whether somebody said so: then an unknown price is not passed over.
    pub said: bool,
}

impl Allowance {
    /// Whether nothing more may be spent before somebody says so.
    pub const fn is_over(&self) -> bool {
        self.spent >= self.most || (self.said && self.unknown)
    }

    /// What is left.
    pub const fn left(&self) -> u64 {
        self.most.saturating_sub(self.spent)
    }

    /// `$0.04 of $0.50, $0.46 left`.
    pub fn line(&self) -> String {
        if self.unknown {
            let amount = self.unit.amount(self.most);
            return format!("{amount} is not enforced: the price of this model is not known");
        }
        if self.untold {
            let amount = self.unit.amount(self.most);
            return format!(
                "{amount}, once the price is known: the server may report it with its first answer"
            );
        }
        let (standing, left) = (self.unit.standing(self.spent, self.most), self.left());
        match (self.unit, left) {
            (_, 0) => format!("{standing}, nothing left"),
            (Unit::Micros, left) => format!("{standing}, {} left", dollars(left)),
            (Unit::Tokens | Unit::Calls, left) => format!("{standing}, {} left", thousands(left)),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
