//! Tokens and money as people read them, and what may be spent.
//!
//! Owns the words for both. Never counts: usage is told by whoever made the call.

use crate::talk::Usage;

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

/// A time in seconds, minutes or hours.
pub fn clock(ms: u64) -> String {
    let s = ms / 1_000;
    match s {
        0..60 => format!("{s}s"),
        60..3_600 => format!("{}m{:02}s", s / 60, s % 60),
        _ => format!("{}h{:02}m", s / 3_600, s % 3_600 / 60),
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
    pub fn bill(&self, took_ms: Option<u64>) -> [(&'static str, String); 3] {
        let time = took_ms.map_or_else(|| UNKNOWN.to_owned(), clock);
        [("Tokens: ", self.shown_tokens()), ("Time: ", time), ("Cost: ", cost(self.cost_micros))]
    }

    /// The same in one line.
    pub fn line(&self, took_ms: Option<u64>) -> String {
        self.bill(took_ms).map(|(label, value)| label.to_owned() + &value).join(" │ ")
    }

    /// What it cost as far as that is known; nothing costs nothing.
    pub fn known_cost(&self) -> Option<u64> {
        self.cost_micros.or((self.tokens() == 0).then_some(0))
    }
}
