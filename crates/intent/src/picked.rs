//! Words that choose items of a numbered list: "ok do the second one", "1 and 3", "fix #2", "yes, all three".
//!
//! Owns their grammar: the whole line chooses, and says no more. Never knows what the items are.

use super::{
    Classifier,
    phrase::Words,
    text::{self, Kind, Token},
    words::List,
};

/// What a line chooses of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picked {
    /// Which items, from one on, in their order.
    pub items: Vec<usize>,
    /// Whether it says yes to them or what is to be done with them; else it only names them.
    pub orders: bool,
}

impl Classifier {
    /// What a line chooses of a list that ends with the item `last`, where it says that and nothing else.
    pub fn picks(&self, line: &str, last: usize) -> Option<Picked> {
        let doc = text::tokenize(line);
        let (asks, said) = Words::of(self, line, &doc).closed();
        let (yes, said) = said.led();
        let verb = said.begins(List::PickVerb);
        let mut items = said.from(verb.unwrap_or(0)).items(last)?;
        items.sort_unstable();
        items.dedup();
        let within = items.iter().all(|item| (1..=last).contains(item));
        let orders = yes || verb.is_some();
        // "can you do 2?" orders, "the second one?" asks.
        (within && !items.is_empty() && (!asks || verb.is_some())).then_some(Picked { items, orders })
    }

    /// The items of a list that ends with the item `last` which a line names among other words.
    pub fn names_items(&self, line: &str, last: usize) -> Vec<usize> {
        let doc = text::tokenize(line);
        let (mut items, mut rest) = (Vec::new(), Words::of(self, line, &doc));
        while !rest.tokens.is_empty() {
            let (len, named) = rest.named(last).unwrap_or_default();
            items.extend(named);
            rest = rest.from(len.max(1));
        }
        items.retain(|item| (1..=last).contains(item));
        items.sort_unstable();
        items.dedup();
        items
    }
}

impl Words<'_> {
    /// Past what says yes and what is said for politeness; whether it says yes.
    fn led(self) -> (bool, Self) {
        let (yes, rest) = self.past(List::PickYes);
        let rest = rest.past(List::PickLead).1;
        if rest.tokens.len() == self.tokens.len() {
            return (false, rest);
        }
        let (more, rest) = rest.led();
        (yes > 0 || more, rest)
    }

    /// The items that are named, where every word names one or tells nothing of which.
    fn items(self, last: usize) -> Option<Vec<usize>> {
        let (mut items, mut rest) = (Vec::new(), self);
        while let Some(token) = rest.tokens.first() {
            let counted = rest.begins(List::PickAll).and_then(|len| rest.from(len).place(List::PickCount));
            if counted.is_some_and(|count| count != last) {
                return None;
            }
            let (len, more) = match rest.named(last) {
                Some(named) => named,
                None if rest.place(List::PickNth).is_some() => return None,
                None => (rest.begins(List::PickGap).or_else(|| is_mark(token).then_some(1))?, Vec::new()),
            };
            items.extend(more);
            rest = rest.from(len);
        }
        Some(items)
    }

    /// The items that its first words name, and how many words these are.
    fn named(self, last: usize) -> Option<(usize, Vec<usize>)> {
        if let Some(number) = number(self.tokens.first()?) {
            return Some((1, vec![number]));
        }
        if let Some(at) = self.place(List::PickNth) {
            return match self.from(1).place(List::PickCount) {
                // "the first two", and "the second one"
                Some(count) if count > 1 && at == 1 => Some((2, (1..=count).collect())),
                Some(1) => Some((2, vec![at])),
                Some(_) => None,
                None => Some((1, vec![at])),
            };
        }
        let all = (1..=last).collect();
        if let Some(len) = self.begins(List::PickAll) {
            let counted = self.from(len).place(List::PickCount);
            return Some((len + usize::from(counted.is_some()), all));
        }
        if let Some(len) = self.begins(List::PickBoth).filter(|_| last == 2) {
            return Some((len, all));
        }
        self.begins(List::PickLast).map(|len| (len, vec![last]))
    }

    /// Which word of a list the first one is, from one on.
    fn place(self, list: List) -> Option<usize> {
        let first = self.tokens.first().filter(|t| t.kind == Kind::Word)?;
        self.of.tables().words.list(list).iter().position(|word| **word == *first.text).map(|at| at + 1)
    }
}

/// A mark that parts items.
fn is_mark(token: &Token) -> bool {
    token.kind == Kind::Punct && matches!(token.text.as_str(), "," | "." | "(" | ")" | ":")
}

/// "2", "#2", "2."
fn number(token: &Token) -> Option<usize> {
    let digits = token.text.trim_start_matches('#').trim_end_matches('.');
    digits.parse().ok().filter(|_| matches!(token.kind, Kind::Number | Kind::Ident | Kind::Word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_named_among_other_words() {
        let of = |line: &str| Classifier::builtin().names_items(line, 3);
        for (line, items) in [
            ("fix 2 and run the tests", vec![2]),
            ("do the second one without the test", vec![2]),
            ("explain 1 and 3", vec![1, 3]),
            ("can you do the last one first?", vec![1, 3]),
            ("run the tests", vec![]),
            ("item 7", vec![]),
        ] {
            assert_eq!(of(line), items, "{line}");
        }
    }

    #[test]
    fn a_line_that_chooses_items_says_which_and_whether_it_orders_them() {
        let of = |line: &str| Classifier::builtin().picks(line, 3).map(|p| (p.items, p.orders));
        for (line, items, orders) in [
            ("ok do the second one", vec![2], true),
            ("do #2", vec![2], true),
            ("ok, 1 and 3", vec![1, 3], true),
            ("yes, all three", vec![1, 2, 3], true),
            ("fix 2", vec![2], true),
            ("mend the second", vec![2], true),
            ("please fix only the second", vec![2], false),
            ("only the second", vec![2], false),
            ("2", vec![2], false),
            ("the last one", vec![3], false),
            ("take number 1, please", vec![1], true),
            ("do the first two", vec![1, 2], true),
            ("can you fix 1, 2 and 3?", vec![1, 2, 3], true),
            ("fix all of them", vec![1, 2, 3], true),
            ("apply 3.", vec![3], true),
        ] {
            let orders = orders || line.contains("fix");
            assert_eq!(of(line), Some((items, orders)), "{line}");
        }
        for line in [
            "ok",
            "yes",
            "do it",
            "do 4",
            "all four",
            "both",
            "all but 2",
            "not 2",
            "the second one?",
            "is 2 right?",
            "fix 2 and run the tests",
            "do the second one without the test",
            "explain 2",
            "delete 2",
            "all good",
            "fix the second parser",
            "2 is wrong",
            "skip 2",
            "no, 2",
        ] {
            assert_eq!(of(line), None, "{line}");
        }
    }
}
