//! Turns words into the fields a program would get: variables, substitutions, braces, tildes.
//!
//! Owns what is known of variables. Never judges a program; what it cannot know it marks with
//! [`UNKNOWN`].

use super::braces::{may_expand, variants};
use super::builder::Builder;
use super::cut::{self, Listed};
use super::knowledge::list;
use super::path::{Cwd, Place, is_secret_variable, place};
use super::state::SCRATCH;
use super::syntax::{Piece, Quote, Script, Span, VarOp, Word};
use super::value::{Made, Value};
use super::walk::Walker;

/// Stands in a field for text that is not known.
pub(super) const UNKNOWN: char = '\u{1a}';

/// What flows into or out of a command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Feed {
    /// Nothing was connected.
    #[default]
    Inherit,
    Text(String),
    /// A file of that name.
    File(String),
    /// What a network read gave.
    Fetched,
    /// Lines that a program took from a file or, with `shown`, made of a text that the line holds: it could have said them.
    Lines {
        shown: bool,
    },
    /// Computed, and not known.
    Other,
}

/// One argument as a program would get it.
#[derive(Clone, Debug, Default)]
pub(super) struct Field {
    pub text: String,
    pub made: Made,
    /// Stands for several files (a wildcard, a loop over one).
    pub many: bool,
    /// Written in a roundabout way (quotes or escapes inside, put together from pieces).
    pub twisted: bool,
    /// Came from a substitution that was run.
    pub computed: bool,
    /// Names something of the environment, as harmless as it is.
    pub open: bool,
    /// Split off a value by the separators that the shell has.
    pub split: bool,
    /// Holds something that the line does not show and that need not be a number.
    pub data: bool,
    /// Where what the line does not show of it comes from.
    pub listed: Listed,
    /// What a process substitution here would give.
    pub feed: Option<Feed>,
    pub span: Span,
}

impl Field {
    /// A field with another text at the same place.
    pub(super) fn with(&self, text: &str) -> Self {
        Self { text: text.to_owned(), ..self.clone() }
    }

    /// Whether a part of it is not known.
    pub(super) fn unknown(&self) -> bool {
        self.text.contains(UNKNOWN)
    }

    /// Whether what is made of it says if it is an option, or which.
    pub(super) fn may_be_option(&self) -> bool {
        self.made > Made::Part || self.made == Made::Part && self.text.starts_with('-')
    }

    /// The same where all of it is made.
    pub(super) fn made(self) -> Self {
        Self { made: Made::Words, ..self }
    }

    /// A plain field.
    pub(super) fn plain(text: &str, span: Span) -> Self {
        Self { text: text.to_owned(), span, ..Self::default() }
    }
}

impl Walker<'_> {
    /// The fields of some words.
    pub(super) fn fields(&mut self, words: &[Word]) -> Vec<Field> {
        let mut out = Vec::with_capacity(words.len());
        for word in words {
            let before = out.len();
            if self.is_stopped() {
                break;
            }
            if may_expand(word) {
                let (variants, cut) = variants(word);
                if let Some(rule) = cut {
                    self.hit(rule, word.span);
                }
                for variant in variants {
                    self.word_fields(&variant, &mut out);
                }
            } else {
                self.word_fields(word, &mut out);
            }
            let bytes: usize = out.iter().skip(before).map(|field| field.text.len() + 32).sum();
            self.charge(bytes, word.span);
        }
        out
    }

    /// The text of a word that is not split (assignments, redirects, here-documents).
    pub(super) fn text_of(&mut self, word: &Word) -> Field {
        let mut all = self.expand(word, false);
        all.pop().unwrap_or_else(|| Field { span: word.span, ..Field::default() })
    }

    fn word_fields(&mut self, word: &Word, out: &mut Vec<Field>) {
        out.extend(self.expand(word, true));
    }

    fn expand(&mut self, word: &Word, split: bool) -> Vec<Field> {
        let span = self.place_of(word.span);
        let mut builder = Builder::new(span);
        let twisted = is_twisted(&word.pieces);
        for (at, piece) in word.pieces.iter().enumerate() {
            builder.making = Made::Nothing;
            self.piece(piece, at == 0, split, &mut builder);
        }
        builder.split();
        if builder.cut {
            self.hit("too-long", span);
        }
        // No word is left of what is made: which of them a program takes for what, hangs on that.
        if builder.fields.is_empty() && builder.made_some {
            self.note_uncovered();
        }
        let mut fields = builder.fields;
        for field in &mut fields {
            field.twisted |= twisted;
        }
        fields
    }

    fn piece(&mut self, piece: &Piece, first: bool, split: bool, out: &mut Builder) {
        match piece {
            Piece::Text(text, quote) => {
                if *quote == Quote::Bare {
                    self.check_bare(text, out.span);
                    out.open.many |= text.contains(['*', '?']) || text.contains('[') && text.contains(']');
                }
                let tilde = first && *quote != Quote::Bare && text.starts_with('~');
                out.open.twisted |= tilde;
                // In what is set it stands for one behind each colon as well.
                let behind =
                    |(at, _): (usize, &str)| text.get(at + 1..).is_some_and(|t| self.tilde(t).is_some());
                if *quote == Quote::Bare && !split && text.match_indices(":~").any(behind) {
                    out.open.made = out.open.made.max(Made::Part);
                }
                match (first && *quote == Quote::Bare).then(|| self.tilde(text)).flatten() {
                    Some((folder, rest)) => {
                        out.open.computed = true;
                        out.making = making(!folder.spelled, false);
                        out.push_named(&folder.text, true);
                        out.push(rest);
                    }
                    None => out.push(text),
                }
            }
            Piece::Var { name, op, quoted } => self.var(name, op, *quoted, split, out),
            Piece::Sub { script, quoted } => self.substitution(script, split && !quoted, out),
            Piece::Proc { script, fed } => {
                let feed = self.asked(script, if *fed { &Feed::Other } else { &Feed::Inherit });
                let endless = std::mem::take(&mut self.endless).device();
                out.push("/dev/fd/63");
                out.open.feed = Some(endless.map_or(feed, |device| Feed::File(device.to_owned())));
            }
            Piece::Arith(pieces) => {
                let field = self.joined(pieces, out.span);
                self.check_numbers(&field.text, out.span);
                self.check_arithmetic(&field);
                // It stands for a number, but as a count it is not that one.
                out.open.computed = true;
                out.push("0");
            }
        }
    }

    /// A variable becomes part of a word.
    fn var(&mut self, name: &str, op: &VarOp, quoted: bool, split: bool, out: &mut Builder) {
        let value = self.variable(name, op, out.span);
        let every = name == "@" && matches!(op, VarOp::Plain) || matches!(op, VarOp::All);
        // Part of a list is several words, quoted or not.
        let parts = !quoted || matches!(op, VarOp::Other(_));
        out.making = making(!value.spelled, split && parts);
        out.made_some |= out.making > Made::Nothing;
        if split && quoted && every && !value.list.is_empty() {
            out.push_list(&value);
            return;
        }
        // Of an empty list no word is left.
        if split && quoted && every {
            out.making = Made::Words;
        }
        let here = name == "PWD" || value.here;
        out.open.computed |= here;
        out.open.many |= value.many;
        out.open.open |= value.open;
        out.open.data |= !value.is_number() && value.text.contains(UNKNOWN);
        out.open.listed = out.open.listed.max(value.listed);
        if split && !quoted {
            out.open.split = true;
            out.open.many |= value.text.contains(['*', '?']);
            out.push_splitting(&value.text, self.parts(&value.text), here);
        } else {
            out.push_named(&value.text, here);
        }
    }

    /// The folder that a tilde stands for where a variable holds it, which the line may set: `~+`, `~-`, `~1`; and what is
    /// behind it.
    fn tilde<'t>(&self, text: &'t str) -> Option<(Value, &'t str)> {
        let (name, rest) = text.split_at(text.find(['/', ':']).unwrap_or(text.len()));
        let held = |name: &str| self.value_of(name).unwrap_or_else(Value::unknown);
        let folder = match name.strip_prefix('~')? {
            "" if self.is_assigned("HOME") => Value { spelled: false, ..held("HOME") },
            "+" => held("PWD"),
            "-" => held("OLDPWD"),
            place => {
                let digits = place.strip_prefix(['+', '-']).unwrap_or(place);
                let counts = !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit());
                return counts.then(|| (Value::unknown(), rest));
            }
        };
        Some((folder, rest))
    }

    /// What a command prints becomes part of a word.
    fn substitution(&mut self, script: &Script, splits: bool, out: &mut Builder) {
        let feed = self.asked(script, &Feed::Inherit);
        if std::mem::take(&mut self.endless).is_endless() {
            self.hit("bomb", out.span);
        }
        let text = match &feed {
            Feed::Text(text) => text.trim_end_matches('\n').to_owned(),
            Feed::Inherit => String::new(),
            Feed::File(_) | Feed::Fetched | Feed::Lines { .. } | Feed::Other => UNKNOWN.to_string(),
        };
        out.open.listed = out.open.listed.max(feed.listed());
        if feed == Feed::Fetched {
            out.open.feed = Some(feed);
        }
        out.open.computed = true;
        out.open.data |= text.contains(UNKNOWN);
        out.making = making(!self.prints_no_option(script), splits);
        // A folder that a program prints is a whole path.
        let here = text == ".";
        if splits {
            out.push_splitting(&text, self.parts(&text), here);
        } else {
            out.push_named(&text, here);
        }
        out.open.computed = true;
    }

    fn join(&mut self, pieces: &[Piece], span: Span) -> String {
        self.joined(pieces, span).text
    }

    fn joined(&mut self, pieces: &[Piece], span: Span) -> Field {
        let mut scratch = Builder::new(span);
        for piece in pieces {
            scratch.making = Made::Nothing;
            self.piece(piece, false, false, &mut scratch);
        }
        scratch.open
    }

    fn variable(&mut self, name: &str, op: &VarOp, span: Span) -> Value {
        let known = self.value_of(name);
        match op {
            VarOp::Plain => {
                self.check_secret_variable(name, known.is_none(), span);
                match known {
                    // It was the folder that the shell stood in at first, and no more.
                    Some(value) if value.here && !self.stand.is_at_start() => Value::unknown(),
                    // Without a subscript an array stands for its first element.
                    Some(value) if !value.list.is_empty() && !matches!(name, "@" | "*") => value.element(0),
                    Some(_) if name == "*" && self.is_assigned("IFS") => Value::unknown(),
                    // What the environment holds comes from no file of the project.
                    known => known.unwrap_or_else(|| Value { number: true, ..Value::unknown() }),
                }
            }
            VarOp::Default { pieces, colon, assigns } => {
                self.check_secret_variable(name, known.is_none(), span);
                let other = self.join(pieces, span);
                let free = known.is_none() && is_plain_word(pieces) && self.is_set_by_user(name);
                // Whether there is a scratch folder the line does not show: what stands for it is one, or is what is meant.
                let scratch = known.as_ref().is_some_and(|value| value.text == SCRATCH);
                let value = if scratch && place(&format!("{other}/a"), Cwd::Project) != Place::Scratch {
                    Value::of(&other)
                } else {
                    Value { spelled: scratch || free, ..Value::or_default(known, &other, *colon) }
                };
                if *assigns {
                    self.assign(name, value.clone());
                }
                value
            }
            VarOp::Alternate(pieces) => {
                let other = self.join(pieces, span);
                let open = |value: &Value| value.text.contains(UNKNOWN) || value.text == SCRATCH;
                // Which of both it is decides where a path begins.
                let begins = other.starts_with(['/', '~']);
                if known.is_none_or(|value| value.text.is_empty() || begins && open(&value)) {
                    Value::unknown()
                } else {
                    Value::of(&other)
                }
            }
            VarOp::All => {
                self.check_secret_variable(name, known.is_none(), span);
                known.unwrap_or_else(Value::unknown).whole()
            }
            VarOp::Joined if self.is_assigned("IFS") => Value::unknown(),
            VarOp::Joined => {
                let text = known.map_or_else(|| UNKNOWN.to_string(), |value| value.text);
                Value::of(&text)
            }
            VarOp::Element(at) => known.map_or_else(Value::unknown, |value| value.element(*at)),
            VarOp::Prompt => {
                match known.as_ref().filter(|value| !value.text.contains(UNKNOWN)) {
                    Some(value) => self.run_quoted(&value.text, span),
                    None => self.hit("computed-code", span),
                }
                Value::unknown()
            }
            VarOp::Indirect if name == "#" => Value::unknown(),
            VarOp::Indirect => self.named_by(known.as_ref(), span),
            VarOp::Other(pieces) => {
                let text = self.join(pieces, span);
                self.operated(name, known, &text, span)
            }
        }
    }

    /// Whether a variable can only be one of the user's own settings, or none: neither the line sets it, nor does the shell, and
    /// it is none of those that every program gets.
    fn is_set_by_user(&self, name: &str) -> bool {
        let plain = name.starts_with(|c: char| c.is_ascii_alphabetic());
        let given = |listed: &&str| super::path::glob(listed, name);
        let mut words = self.line().split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        plain
            && self.memory.level == 0
            && !self.memory.all_unsure
            && !super::settings::steers(name)
            && !is_secret_variable(name)
            && !list("variables that there are").iter().any(given)
            && !words.any(|word| list("words that set a name").contains(&word))
    }

    /// What an operator makes of a variable, which is not followed.
    fn operated(&mut self, name: &str, known: Option<Value>, operator: &str, span: Span) -> Value {
        self.check_secret_variable(name, known.is_none(), span);
        // It may set a variable, which the name or its subscript does not tell.
        if operator.contains('=') {
            self.doubt_names();
        }
        if operator.contains("@P") {
            self.hit("computed-code", span);
        }
        self.check_part(operator, span);
        // The folder above the one that the shell stands in.
        if name == "PWD" && matches!(operator, "%/*" | "%/[!/]*") {
            return Value::of("..");
        }
        // Whatever is cut off its end, a path below the home folder stays there.
        let home = if name == "HOME" { "~" } else { "" };
        let shown = |v: &Value| self.is_assigned(name) && !v.many && !v.text.contains(UNKNOWN);
        let listed = known.filter(shown).map_or(Listed::No, |value| cut::listed(&value, operator));
        Value { listed, ..Value::of(&format!("{home}{UNKNOWN}")) }
    }

    /// The variable that another one names.
    fn named_by(&mut self, name: Option<&Value>, span: Span) -> Value {
        match name.filter(|named| !named.text.contains(UNKNOWN)) {
            Some(named) => {
                self.check_secret_variable(&named.text, true, span);
                // A subscript is evaluated.
                self.run_quoted(&named.text, span);
            }
            // It may be any.
            None => self.hit("environment", span),
        }
        Value::unknown()
    }

    /// Runs the substitutions of a text that the shell expands once more.
    pub(super) fn run_quoted(&mut self, text: &str, span: Span) {
        if !text.contains(['$', '`']) {
            return;
        }
        self.charge(text.len(), span);
        let Ok(pieces) = super::parse::parse_quoted(text) else { return self.hit("unreadable", span) };
        self.at_place(span, |w| {
            let _ = w.join(&pieces, span);
        });
    }

    fn check_secret_variable(&mut self, name: &str, outer: bool, span: Span) {
        if outer && !self.testing && is_secret_variable(name) {
            self.hit("secret-variable", span);
        }
    }
}

/// Whether a text is one word, in which no shell finds a quote, a pattern or an option.
fn is_plain_word(pieces: &[Piece]) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let [Piece::Text(text, Quote::Bare | Quote::Double)] = pieces else { return false };
    text.starts_with(|c: char| c.is_ascii_alphanumeric()) && text.chars().all(plain)
}

/// What is made of a word by a value that is added to it, were it put behind a beginning.
const fn making(made: bool, splits: bool) -> Made {
    match (made, splits) {
        (false, _) => Made::Nothing,
        (true, false) => Made::Part,
        (true, true) => Made::Words,
    }
}

/// Whether a word mixes quoting inside itself, as honest words seldom do.
fn is_twisted(pieces: &[Piece]) -> bool {
    let odd = |p: &Piece| {
        matches!(p, Piece::Text(_, Quote::Ansi)) || matches!(p, Piece::Text(t, _) if t.is_empty())
    };
    if pieces.iter().any(odd) {
        return true;
    }
    let leading = matches!(pieces.first(), Some(Piece::Text(_, Quote::Escaped))) && pieces.len() == 2;
    pieces.len() > 1 && !leading && pieces.iter().all(|p| !matches!(p, Piece::Text(t, _) if t.contains('/')))
}
