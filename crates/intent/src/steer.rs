//! What a line says to a session beside its path: that it declines, takes back, or steers what runs.
//!
//! Owns these questions. Never decides what follows from them: the session does.

use super::{
    Classifier, answer,
    classify::Parsed,
    forbid::{Ban, Stays},
    halt,
    lexicon::{Hit, Tag},
    structure::{Clause, Form, Object},
    text::{self, Kind, Token, fold},
    words::List,
};

/// How many words a line may have before the one that says it comes on top.
const HEAD: usize = 4;

/// How many words a clause may have before the one that says to whom something is told.
const MOST_BEFORE_ME: usize = 5;

/// The most words that a phrase of yes has, or of what goes with one.
const LONGEST_YES: usize = 4;

/// How far a line says yes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Agreed {
    Not,
    /// It opens with a yes, and goes on with something else.
    Begins,
    Whole,
}

/// The no, or the "but", that a line opens with.
struct Turning {
    at: usize,
    end: usize,
    says_no: bool,
}

impl Classifier {
    /// Whether a message to a paused pipeline holds one of the words that leave it, wherever they stand, with
    /// or without an article between them; or is exactly its third choice (T-11).
    pub fn leaves_pipeline(&self, line: &str) -> bool {
        let plain = line.trim().to_lowercase();
        if matches!(plain.as_str(), "3" | "3.") {
            return true;
        }
        let bare = plain.replace(" the ", " ").replace(" this ", " ");
        let words = self.tables().words.list(List::LeavePipeline);
        words.iter().any(|word| plain.contains(&**word) || bare.contains(&**word))
    }

    /// Whether a whole line says no to what is shown, and nothing more: "no", "skip", "leave it".
    pub fn declines(&self, line: &str) -> bool {
        if self.lists(List::Decline, line) {
            return true;
        }
        let parsed = Parsed::new(line, self.tables());
        parsed.cover.as_deref().is_some_and(|found| {
            let says = |tag| found.iter().any(|tags| tags.contains(&tag));
            says(Tag::WReject) && !says(Tag::WCancel)
        })
    }

    /// Whether a whole line approves a plan that is shown, in whatever words: "looks good, ship it", "gut so, fang an".
    /// What says it by a negation, "not bad", is a praise as often as a yes; what asks, "ok?", is none, nor is what waits, "ok, hold on".
    pub fn approves(&self, line: &str) -> bool {
        let parsed = Parsed::new(line, self.tables());
        let yes = |tag: &Tag| matches!(tag, Tag::WApprove | Tag::WProceed);
        let no = |tag: &Tag| matches!(tag, Tag::WReject | Tag::WCancel);
        let negated = parsed.doc.tokens.iter().any(|t| self.tables().is(List::Not, &t.text));
        !negated
            && !answer::puts_off(&parsed.doc, &parsed.structure)
            && !line.contains(['?', '？'])
            && parsed.cover.as_deref().is_some_and(|found| {
                // "na ja", "well, ok": what begins with a hum is none, what begins with a courtesy may be.
                (found.first().is_some_and(|tags| !tags.is_empty()) || self.agrees(line))
                    && found
                        .iter()
                        .all(|tags| tags.is_empty() || tags.iter().any(yes) && !tags.iter().any(no))
            })
    }

    /// Whether a whole line plainly says yes to what is asked, and nothing more: "yes go ahead", "sure, do it".
    pub fn agrees(&self, line: &str) -> bool {
        self.agreed(line) == Agreed::Whole
    }

    /// Whether a whole line says yes to having something done: "ok do it", "sure, go ahead", and not "ok thanks".
    pub fn agrees_to_act(&self, line: &str) -> bool {
        let said = normal(line).replace(['\'', '’'], "");
        let words: Vec<&str> = said.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).collect();
        let acts = |n: usize| words.windows(n).any(|part| self.tables().is(List::AgreeAct, &part.join(" ")));
        self.agrees(line) && (1..=3).any(acts)
    }

    /// What a line goes on with that opens with a yes, where it does: "yes, but leave the tests alone".
    pub fn agrees_and(&self, line: &str) -> bool {
        self.agreed(line) == Agreed::Begins && !line.contains('?')
    }

    /// How far a line says yes: in one pass over its words, phrase by phrase, as far as they do.
    fn agreed(&self, line: &str) -> Agreed {
        let line = normal(line).replace(['\'', '’'], "");
        let words: Vec<&str> = line.split_whitespace().collect();
        let (mut rest, mut says) = (words.as_slice(), false);
        while !rest.is_empty() {
            let past = |list| {
                let listed = |n: &usize| {
                    let head = rest.get(..*n).map(|head| head.join(" "));
                    head.is_some_and(|head| {
                        self.tables().is(list, head.trim_end_matches(['.', '!', '。', '！']))
                    })
                };
                (1..=rest.len().min(LONGEST_YES)).rev().find(listed)
            };
            let yes = past(List::Agree);
            says |= yes.is_some();
            match yes.or_else(|| past(List::AgreeBeside)).and_then(|n| rest.get(n..)) {
                Some(next) => rest = next,
                None => return if says { Agreed::Begins } else { Agreed::Not },
            }
        }
        if says { Agreed::Whole } else { Agreed::Not }
    }

    /// Whether a message is a question as it stands.
    pub fn is_question(&self, text: &str) -> bool {
        let focus = text::focus(text);
        Parsed::within(&focus, text, self.tables()).asks()
    }

    /// Whether a question proposes something: "what about the tests?".
    pub fn proposes(&self, text: &str) -> bool {
        let focus = text::focus(text);
        let parsed = Parsed::within(&focus, text, self.tables());
        let mut words = parsed.doc.tokens.iter().filter(|t| t.kind != Kind::Punct);
        parsed.asks() && words.nth(1).is_some_and(|t| t.text == "about")
    }

    /// Whether a message plainly speaks of what runs: it narrows, forbids, corrects or stops it, or
    /// names it. What does not is work of its own.
    pub fn steers(&self, text: &str) -> bool {
        let focus = text::focus(text);
        let parsed = Parsed::within(&focus, text, self.tables());
        let words: Vec<&str> = parsed.doc.tokens.iter().map(|t| t.text.as_str()).collect();
        let known = self.tables();
        let named = words.iter().any(|w| known.is(List::Steer, w)) || self.phrased(&focus);
        let numbered = parsed.doc.tokens.windows(2).any(|w| match w {
            [a, b] => known.is(List::Step, &a.text) && b.kind == Kind::Number,
            _ => false,
        });
        let head = parsed.doc.tokens.iter().filter(|t| t.kind != Kind::Punct).take(2);
        let narrowed = head.into_iter().any(|t| known.is(List::SteerHead, &t.text));
        let tags = [Tag::WCancel, Tag::WReject, Tag::WReplan, Tag::InMsgCancel];
        let worded = parsed.structure.hits.iter().any(|h| h.start == 0 && tags.contains(&h.tag));
        let pronoun = self.of_it(&parsed);
        let narrows = worded
            || pronoun
            || parsed.ban != Ban::None
            || parsed.stays != Stays::Ordered
            || halt::of_part(&parsed);
        named || numbered || narrowed || narrows
    }

    /// Whether a line opens with an answer that it then corrects: "yes, but …", "but …", or with a no and what
    /// is wanted: "no, …". One that asks, or wants something explained, is none.
    pub fn corrects(&self, text: &str) -> bool {
        let focus = text::focus(text);
        self.turns_round(&Parsed::within(&focus, text, self.tables()))
    }

    fn turns_round(&self, parsed: &Parsed<'_>) -> bool {
        if parsed.asks() || parsed.structure.clauses.iter().any(|c| c.verb == Some(Tag::VExplain)) {
            return false;
        }
        if self.renames(parsed) {
            return true;
        }
        self.turning(parsed).is_some_and(|turn| {
            turn.end == turn.at || parsed.doc.tokens.iter().skip(turn.end).any(|t| t.kind != Kind::Punct)
        })
    }

    /// Whether a line opens with a no, whatever it says behind it: "no, …", "well, nope".
    pub fn opens_with_no(&self, text: &str) -> bool {
        let focus = text::focus(text);
        self.turning(&Parsed::within(&focus, text, self.tables())).is_some_and(|turn| turn.says_no)
    }

    /// Whether a line says, behind the no or the "but" that it opens with, what is wanted: "no, floor the whole quotient",
    /// and neither "no idea", which only begins like one, nor "no, later".
    pub fn says_what_instead(&self, text: &str) -> bool {
        let focus = text::focus(text);
        let parsed = Parsed::within(&focus, text, self.tables());
        let Some(turn) = self.turning(&parsed).filter(|_| !parsed.asks()) else { return false };
        let rest = parsed.doc.tokens.get(turn.end..).unwrap_or_default();
        let paused =
            rest.first().is_some_and(|t| t.kind == Kind::Punct || self.tables().is(List::But, &t.text));
        let words = rest.iter().filter(|t| t.kind != Kind::Punct);
        let several = words.clone().nth(1).is_some() || words.clone().any(|t| t.kind == Kind::Cjk);
        several && (paused || !turn.says_no)
    }

    /// Where a line turns round what it answers: the no, or the "but", before which nothing but an answer stands.
    fn turning(&self, parsed: &Parsed<'_>) -> Option<Turning> {
        let tokens = &parsed.doc.tokens;
        let said = |at: usize| tokens.iter().skip(at).position(|t| t.kind != Kind::Punct).map(|n| at + n);
        // Where the longest phrase of these kinds that begins here ends; in a script without spaces it is a whole run.
        let past = |at: usize, tags: &[Tag]| {
            let run = |h: &&Hit| h.bytes == 0 || tokens.get(at).is_some_and(|t| t.text.len() == h.bytes);
            let here = parsed.structure.hits.iter().filter(|h| h.start == at && tags.contains(&h.tag));
            here.filter(run).map(|h| at + h.len.max(1)).max()
        };
        let mut next = said(0);
        while let Some(at) = next {
            if let Some(end) = self.turns(tokens, at) {
                return Some(Turning { at, end, says_no: false });
            }
            if let Some(end) = past(at, &[Tag::WReject]) {
                return Some(Turning { at, end, says_no: true });
            }
            next = past(at, &[Tag::WApprove, Tag::WProceed, Tag::Filler]).and_then(said);
        }
        None
    }

    /// Whether a message takes back what it said first, and wants something of what is meant without a name: "also add X?
    /// no. Actually call it y".
    fn renames(&self, parsed: &Parsed<'_>) -> bool {
        let clauses = &parsed.structure.clauses;
        let kept = || parsed.kept.iter().filter_map(|k| clauses.get(*k));
        let mut tokens = kept().flat_map(|c| c.tokens(&parsed.doc));
        let dropped = kept().next().is_some_and(|c| c.start > 0) && !parsed.withdrawn;
        dropped && tokens.any(|t| self.tables().is(List::Pronoun, &t.text))
    }

    /// Where a "but" at this token ends; in a script without spaces inside its run, where more follows.
    fn turns(&self, tokens: &[Token], at: usize) -> Option<usize> {
        let token = tokens.get(at)?;
        if token.kind != Kind::Cjk {
            return self.tables().is(List::But, &token.text).then_some(at + 1);
        }
        let mut words = self.tables().words.list(List::But).iter();
        let rest = words.find_map(|w| token.text.strip_prefix(&**w))?;
        Some(if rest.is_empty() { at + 1 } else { at })
    }

    /// Whether a message plainly wants the plan that runs stopped or made anew. One that wants a part of it to end,
    /// "stop renaming the tests", narrows it.
    pub fn replaces(&self, text: &str) -> bool {
        let focus = text::focus(text);
        let parsed = Parsed::within(&focus, text, self.tables());
        let mut words = parsed.doc.tokens.iter().skip_while(|t| t.kind == Kind::Punct);
        let halts = words.next().is_some_and(|t| self.tables().is(List::HaltHead, &t.text))
            && !halt::of_part(&parsed);
        halts || parsed.ban.keeps_files() || self.names(List::Replace, &focus)
    }

    /// Whether a whole line holds what runs: "wait", "hold on", "pause".
    pub fn holds(&self, line: &str) -> bool {
        self.lists(List::Hold, line)
    }

    /// Whether a whole line says that its writer put right what failed: "done", "fixed it".
    pub fn says_fixed(&self, line: &str) -> bool {
        let plain: String = line.chars().filter(|c| !matches!(c, '\'' | '’' | ',')).collect();
        !line.contains('?') && self.lists(List::Fixed, &plain)
    }

    /// Whether a whole line wants the session cleared, as `/clear` does: "clear".
    pub fn clears(&self, line: &str) -> bool {
        self.lists(List::Clear, line)
    }

    /// Whether a message takes up again what was left, by its name: "go on with the plan".
    pub fn takes_up(&self, text: &str) -> bool {
        let focus = text::focus(text);
        halt::resumes_run(&Parsed::within(&focus, text, self.tables()))
    }

    /// Whether a message takes work up again and says nothing besides but how things stand: "I fixed it. Go on".
    pub fn resumes(&self, text: &str) -> bool {
        let focus = text::focus(text);
        halt::resumes(&Parsed::within(&focus, text, self.tables()))
    }

    /// Whether a part of a message plainly stops what runs.
    pub fn stops(&self, text: &str) -> bool {
        let focus = text::focus(text);
        halt::stops(&Parsed::within(&focus, text, self.tables()))
    }

    /// Whether a message takes itself back, and stops nothing else: "also add a test. no, never mind".
    pub fn takes_back(&self, text: &str) -> bool {
        let focus = text::focus(text);
        let parsed = Parsed::within(&focus, text, self.tables());
        parsed.withdrawn && !halt::stops(&parsed)
    }

    /// Whether a message beside a run says by itself that it comes on top of it: "also add …", "… too".
    pub fn adds(&self, text: &str) -> bool {
        let focus = text::focus(text);
        let parsed = Parsed::new(&focus, self.tables());
        // What was taken back in the same breath adds nothing.
        let clauses = parsed.kept.iter().filter_map(|k| parsed.structure.clauses.get(*k));
        let kept = clauses.flat_map(|c| c.tokens(&parsed.doc));
        let words: Vec<&str> = kept.filter(|t| t.kind != Kind::Punct).map(|t| t.text.as_str()).collect();
        let also = |w: &&str| self.tables().is(List::Also, w);
        words.iter().take(HEAD).any(also)
            || words.last().is_some_and(also)
            || words.ends_with(&["as", "well"])
    }

    /// Whether a message says how something is to be, and neither asks nor wants to be told anything: "it must also work on
    /// Windows", "we need it offline".
    pub fn requires(&self, text: &str) -> bool {
        let focus = text::focus(text);
        let parsed = Parsed::within(&focus, text, self.tables());
        let looks =
            |c: &Clause| matches!(c.verb, Some(Tag::VExplain | Tag::VRead | Tag::VReview | Tag::VAudit));
        let asked = parsed.asks() || text.contains(['?', '？']);
        let mut spoken = parsed.structure.clauses.iter();
        let told = |c: &Clause| looks(c) || self.is_to_me(c, &parsed);
        let needs = |c: &Clause| matches!(c.form, Form::Ought | Form::Wish) && !told(c);
        !asked && !parsed.withdrawn && !halt::stops(&parsed) && spoken.any(needs)
    }

    /// Whether such a message orders that something is checked as well, "also check q2": a step of the run, where "also, why is
    /// q2 empty?" and "also explain the cache" are answered beside it.
    pub fn adds_check(&self, text: &str) -> bool {
        let focus = text::focus(text);
        let parsed = Parsed::within(&focus, text, self.tables());
        let mut spoken =
            parsed.structure.clauses.iter().filter(|c| !matches!(c.form, Form::Empty | Form::Frame));
        let (Some(only), None) = (spoken.next(), spoken.next()) else { return false };
        let ordered = matches!(only.form, Form::Order | Form::Request) && !only.marked;
        let ordered = ordered && !self.is_to_me(only, &parsed);
        let checks = matches!(only.verb, Some(Tag::VAudit | Tag::VReview));
        let named = !matches!(only.object, Object::Missing | Object::Pronoun);
        ordered && checks && named && parsed.ban == Ban::None && self.adds(text)
    }

    /// Whether such a message wants something done as well and asks nothing, "also say how many were skipped", "and handle
    /// tabs": a step of the run, whatever it is read as by itself. "also tell me why" asks, and "also explain the cache".
    pub fn adds_step(&self, text: &str) -> bool {
        let focus = text::focus(text);
        let parsed = Parsed::within(&focus, text, self.tables());
        let known = self.tables();
        let mut said = parsed.doc.tokens.iter().enumerate().filter(|(_, t)| t.kind != Kind::Punct);
        let behind =
            said.next().is_some_and(|(_, t)| known.is(List::Tie, &t.text) || known.is(List::Also, &t.text));
        let explains =
            |at: usize| parsed.structure.hits.iter().any(|h| h.start == at && h.tag == Tag::VExplain);
        let says = said.next().is_some_and(|(at, t)| known.is(List::FramedTell, &t.text) && !explains(at));
        let spoken = |c: &&Clause| !matches!(c.form, Form::Empty | Form::Frame);
        let ordered = parsed.structure.clauses.iter().find(spoken).is_some_and(|c| {
            let looks = matches!(c.verb, Some(Tag::VExplain | Tag::VRead | Tag::VReview | Tag::VAudit));
            let told = looks || self.is_to_me(c, &parsed);
            (says || matches!(c.form, Form::Order | Form::Request)) && !c.marked && !told
        });
        behind && ordered && !parsed.asks() && parsed.ban == Ban::None && !text.contains(['?', '？'])
    }

    /// Whether a clause says that something is told to whoever writes it: "tell me why".
    fn is_to_me(&self, clause: &Clause, parsed: &Parsed<'_>) -> bool {
        let tokens = clause.tokens(&parsed.doc).iter().take(MOST_BEFORE_ME);
        tokens.map(|t| t.text.as_str()).any(|word| self.tables().is(List::FramedMe, word))
    }

    /// What a message wants, as a line that stands by itself: without the words that put it behind something else. `None`
    /// for one that answers or corrects what was said before, asks, or names nothing.
    pub fn subject(&self, text: &str) -> Option<String> {
        let line = text.lines().next().unwrap_or_default().trim().trim_start_matches(['-', '*', '•']).trim();
        let focus = text::focus(line);
        let parsed = Parsed::within(&focus, line, self.tables());
        let known = self.tables();
        let pronoun = self.of_it(&parsed);
        if pronoun || parsed.asks() || self.corrects(line) {
            return None;
        }
        let bare = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        let beside = |word: &&&str| {
            let word = bare(word);
            known.is(List::Also, &word) || known.is(List::AgreeBeside, &word) || known.is(List::Tie, &word)
        };
        let words: Vec<&str> = line.split_whitespace().collect();
        let (before, behind) =
            (words.iter().take_while(beside).count(), words.iter().rev().take_while(beside).count());
        let kept = words.get(before..words.len().saturating_sub(behind)).filter(|w| !w.is_empty())?;
        let kept = kept.join(" ");
        let kept = kept.trim_end_matches([',', ' ']);
        let mut letters = kept.chars();
        let first = letters.next().map(char::to_uppercase);
        Some(first.into_iter().flatten().chain(letters).collect())
    }

    /// What a text names of the code as it is written there.
    pub fn names_code<'t>(&self, text: &'t str) -> Vec<&'t str> {
        let named = |t: &Token| matches!(t.kind, Kind::Ident | Kind::Flag | Kind::Tick | Kind::Code);
        let tokens = text::tokenize(text).tokens;
        let names = tokens.iter().filter(|t| named(t)).filter_map(|t| text.get(t.start..t.end));
        names.map(|name| name.trim_matches('`')).collect()
    }

    /// Whether a line opens with a no and goes on with what is wanted: "no, edit the word back instead".
    pub fn refuses(&self, text: &str) -> bool {
        let focus = text::focus(text);
        let parsed = Parsed::within(&focus, text, self.tables());
        let no = |tag: Tag| matches!(tag, Tag::WReject | Tag::WCancel);
        self.turns_round(&parsed) && parsed.structure.hits.iter().any(|h| h.start == 0 && no(h.tag))
    }

    /// Whether a line says of a check that failed that it is to be left as it is, and orders nothing else.
    pub fn leaves_be(&self, text: &str) -> bool {
        let focus = text::focus(text);
        let parsed = Parsed::within(&focus, text, self.tables());
        let mends = |tag: Tag| matches!(tag, Tag::VModify | Tag::VCreate | Tag::VExecute);
        let said = |c: &Clause| {
            let words = c.tokens(&parsed.doc).iter().map(|t| t.text.as_str());
            self.names(List::LeaveBe, &words.collect::<Vec<_>>().join(" "))
        };
        let orders = parsed.structure.clauses.iter().any(|c| c.verb.is_some_and(mends) && !said(c));
        let negated = parsed
            .doc
            .tokens
            .iter()
            .any(|t| self.tables().is(List::Not, &t.text) || self.tables().is(List::ForbidNot, &t.text));
        !orders && !negated && !parsed.asks() && self.names(List::LeaveBe, text)
    }

    /// Whether something is ordered of what was spoken of: "fix it", "fix it without touching the tests".
    fn of_it(&self, parsed: &Parsed<'_>) -> bool {
        let known = self.tables();
        let alone = |word: &str| known.is(List::Pronoun, word) && !known.is(List::Determiner, word);
        parsed.structure.clauses.iter().any(|c| {
            let next = parsed.doc.tokens.get(c.after).filter(|_| c.verb.is_some());
            c.object == Object::Pronoun || next.is_some_and(|t| alone(&t.text))
        })
    }

    /// Whether a phrase of several words, or of a script without spaces, says so.
    fn phrased(&self, text: &str) -> bool {
        let text = normal(text);
        self.tables()
            .words
            .list(List::Steer)
            .iter()
            .filter(|p| p.contains(' ') || !p.is_ascii())
            .any(|p| text.contains(&**p))
    }

    /// Whether a phrase of a list stands in a text, as whole words where its script has them.
    pub(crate) fn names(&self, list: List, text: &str) -> bool {
        let line = normal(text);
        let names = |p: &str| if p.is_ascii() { has_phrase(&line, p) } else { line.contains(p) };
        self.tables().words.list(list).iter().any(|p| names(p))
    }

    /// Whether the whole line is a phrase of a list, politeness aside.
    pub(crate) fn lists(&self, list: List, line: &str) -> bool {
        let line = normal(line);
        let bare = line.trim_start_matches("please ").trim_end_matches(" please").trim_end_matches(" bitte");
        self.tables().words.list(list).iter().any(|p| **p == *bare)
    }
}

/// Whether a line holds a phrase as whole words.
pub(crate) fn has_phrase(line: &str, phrase: &str) -> bool {
    let line: Vec<&str> = line.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).collect();
    let phrase: Vec<&str> = phrase.split(' ').collect();
    line.windows(phrase.len()).any(|at| at == phrase)
}

/// A line as the lists hold their phrases.
pub(crate) fn normal(line: &str) -> String {
    let folded: String = line.chars().filter_map(fold).collect();
    let words: Vec<&str> = folded.split_whitespace().collect();
    words.join(" ").trim_end_matches(['.', '!', '。', '！']).replace(',', "")
}
