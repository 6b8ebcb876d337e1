//! Walks the bodies of compound commands: groups, choices, loops.
//!
//! Owns what may happen and how often. Never reads the grammar: that is [`super::compound`].

use super::braces;
use super::endless::UNCLEAR;
use super::expand::{Feed, Field};
use super::syntax::{Script, Shape, Span, Word};
use super::value::Value;
use super::walk::{Walker, merge_doubt};

impl Walker<'_> {
    /// The bodies of a compound command.
    pub(super) fn compound(
        &mut self,
        words: &[Word],
        bodies: &[Script],
        shape: Shape,
        feed: &Feed,
        span: Span,
    ) -> Feed {
        match shape {
            Shape::Group => bodies.first().map_or(Feed::Inherit, |body| self.script(body, feed)),
            Shape::Subshell | Shape::Coprocess => {
                let beside = shape == Shape::Coprocess;
                if beside {
                    self.check_beside(span);
                }
                let feed = if beside { &Feed::Other } else { feed };
                let (stand, mark) = (self.stand.clone(), self.enter());
                let out = bodies.first().map_or(Feed::Inherit, |body| self.script(body, feed));
                self.forget(mark);
                self.stand = stand;
                out
            }
            Shape::Choice => self.may_run(bodies, 1, feed),
            Shape::Cases => self.may_run(bodies, 0, feed),
            Shape::While | Shape::Until => {
                let rounds = self.rounds_of_loop(words, bodies, shape, feed);
                self.check_growth(bodies, rounds, span);
                self.times(rounds, |w| w.repeated(bodies, feed))
            }
        }
    }

    /// Bodies of which the first `certain` ones run and the others may.
    fn may_run(&mut self, bodies: &[Script], certain: usize, feed: &Feed) -> Feed {
        self.maybe += 1;
        let mut out = Feed::Inherit;
        for (at, body) in bodies.iter().enumerate() {
            let mark = (at >= certain).then(|| self.enter());
            let next = self.script(body, feed);
            if let Some(mark) = mark {
                self.doubt(mark);
            }
            out = merge_doubt(out, next);
        }
        self.maybe -= 1;
        out
    }

    /// A loop: what a round changes, the next one sees.
    fn repeated(&mut self, bodies: &[Script], feed: &Feed) -> Feed {
        let (mark, before) = (self.enter(), self.stand.folders());
        let out = self.may_run(bodies, bodies.len().saturating_sub(1), feed);
        // The next round begins where this one ended.
        let moved = self.stand.folders() != before;
        if moved {
            self.wander();
        }
        if !self.doubt(mark) && !moved {
            return out;
        }
        let mark = self.enter();
        let again = self.may_run(bodies, bodies.len().saturating_sub(1), feed);
        self.doubt(mark);
        merge_doubt(out, again)
    }

    /// `for`, `select`.
    pub(super) fn each(&mut self, name: &str, list: Option<&[Word]>, body: &Script, feed: &Feed) -> Feed {
        let fields = match list {
            Some(words) => self.fields(words),
            None => self.positional(),
        };
        let ranges = list.unwrap_or(&[]).iter().map(braces::count).max().unwrap_or(0);
        let open = if fields.iter().any(|f| f.many || f.unknown()) { UNCLEAR } else { 0 };
        let rounds = fields.len().max(ranges).max(open);
        if let Some(first) = body.first().and_then(|pipeline| pipeline.nodes.first()) {
            self.check_growth(std::slice::from_ref(body), rounds, first.span);
        }
        self.times(rounds, |w| w.each_of(name, &fields, body, feed))
    }

    fn each_of(&mut self, name: &str, fields: &[Field], body: &Script, feed: &Feed) -> Feed {
        let mark = self.enter();
        self.maybe += 1;
        let mut out = Feed::Inherit;
        // A pattern stands for many rounds, and what one round changes the next one sees.
        let open = fields.is_empty() || fields.iter().any(|f| f.many || f.unknown());
        let rounds = if self.maybe > 3 { 2 } else { 6 };
        if fields.is_empty() {
            self.assign(name, Value::unknown());
            out = self.script(body, feed);
        }
        for (at, field) in fields.iter().enumerate() {
            let mut value = Value::from_field(field);
            if at >= rounds {
                value.many = true;
                if self.is_weary() {
                    self.note_cut();
                    value = Value::unknown();
                }
            }
            // What it gives a name that nothing else does is one of its words.
            let own = at > 0 || !self.is_assigned(name) || self.memory.by_loops.contains(name);
            if own && at == 0 {
                self.memory.by_loops.insert(name.to_owned());
            }
            let outer = std::mem::replace(&mut self.memory.loop_name, own.then(|| name.to_owned()));
            self.assign(name, value);
            self.memory.loop_name = outer;
            let inner = self.enter();
            let next = self.script(body, feed);
            let changed = self.doubt(inner);
            if at == 0 && changed && open {
                let _ = self.script(body, feed);
            }
            out = if at >= rounds { Feed::Other } else { merge_doubt(out, next) };
        }
        self.maybe -= 1;
        self.doubt(mark);
        out
    }

    /// Walks what is done so many times, each time that what stands around it is done.
    pub(super) fn times<T>(&mut self, rounds: usize, inner: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.rounds;
        self.rounds = outer.max(1).saturating_mul(rounds.max(1));
        let out = inner(self);
        self.rounds = outer;
        out
    }

    /// The positional parameters as fields, when they are known.
    fn positional(&self) -> Vec<Field> {
        let all = self.value_of("@").unwrap_or_default();
        all.fields(Span::default()).collect()
    }
}
