//! What variables hold, and how much of it the line spells out.
//!
//! Owns lists, their elements and defaults. Never judges.

use std::rc::Rc;

use super::cut::Listed;
use super::expand::{Field, UNKNOWN};
use super::syntax::Span;

/// How much of a text the line does not spell out, but has made: what a command prints, what is read, what an operator
/// gives. Such values are followed to find what is dangerous; no permission rests on them, for a program may make
/// something else than is thought here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Made {
    /// Nothing: it is spelled out, or set to what is.
    #[default]
    Nothing,
    /// A part behind its beginning; it is one word still.
    Part,
    /// Its beginning; it is one word still.
    Begin,
    /// So much of it that it may be several words.
    Words,
}

/// What a variable holds.
#[derive(Clone, Debug, Default)]
pub(super) struct Value {
    pub text: String,
    pub many: bool,
    /// The elements, when it is an array; the text joins them.
    pub list: Rc<[String]>,
    /// Names something of the environment.
    pub open: bool,
    /// Is a number, though the line does not show which.
    pub number: bool,
    /// The line spells it out in one place, so that it holds this and nothing else.
    pub spelled: bool,
    /// Where what the line does not show of it comes from.
    pub listed: Listed,
    /// Is named from the folder that the shell stood in where the line began.
    pub here: bool,
}

impl Value {
    /// Whether it is a number for certain.
    pub(super) fn is_number(&self) -> bool {
        self.number || !self.text.is_empty() && self.text.chars().all(|c| c.is_ascii_digit())
    }

    /// A text.
    pub(super) fn of(text: &str) -> Self {
        Self { text: text.to_owned(), ..Self::default() }
    }

    /// Not known.
    pub(super) fn unknown() -> Self {
        Self::of(&UNKNOWN.to_string())
    }

    /// What a field holds.
    pub(super) fn from_field(field: &Field) -> Self {
        let spelled = field.made == Made::Nothing && !field.unknown();
        Self { many: field.many, number: !field.data, listed: field.listed, spelled, ..Self::of(&field.text) }
    }

    /// Several values under one name.
    pub(super) fn list(fields: &[Field]) -> Self {
        // What has a subscript of its own stands elsewhere than it is written.
        if fields.iter().any(|f| f.text.starts_with('[') && f.text.contains("]=")) {
            return Self::unknown();
        }
        let list: Rc<[String]> = fields.iter().map(|f| f.text.clone()).collect();
        let listed = fields.iter().map(|f| f.listed).max().unwrap_or_default();
        let spelled = fields.iter().all(|f| f.made == Made::Nothing && !f.unknown());
        let text = list.join(" ");
        Self { text, many: fields.iter().any(|f| f.many), list, listed, spelled, ..Self::default() }
    }

    /// All that the name holds: a text is but the first element where it had others.
    pub(super) fn whole(self) -> Self {
        Self { spelled: self.spelled && !self.list.is_empty(), ..self }
    }

    /// Each of several values as a word.
    pub(super) fn fields(&self, span: Span) -> impl Iterator<Item = Field> + '_ {
        let made = if self.spelled { Made::Nothing } else { Made::Words };
        self.list.iter().map(move |text| Field { many: self.many, made, ..Field::plain(text, span) })
    }

    /// One of several values.
    pub(super) fn element(&self, at: usize) -> Self {
        let whole = self.list.is_empty() && at == 0;
        let text = if whole { Some(&self.text) } else { self.list.get(at) };
        let (number, listed, spelled) = (self.number, self.listed, self.spelled);
        let unknown = || Self { number, listed, ..Self::unknown() };
        text.map_or_else(unknown, |text| Self { many: self.many, number, listed, spelled, ..Self::of(text) })
    }

    /// A value or what stands for it; with a colon also when it is empty.
    pub(super) fn or_default(known: Option<Self>, other: &str, colon: bool) -> Self {
        match known {
            Some(value) if !value.text.is_empty() => value,
            Some(_) if colon => Self::of(other),
            // Empty or not set at all: the line does not tell.
            Some(_) => Self::unknown(),
            // A variable of the environment: the default is what the line shows.
            None if other.is_empty() => Self::unknown(),
            None => Self::of(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Risk, read};

    /// Whether each word of the last command is taken for what it is read as, and nothing of the line is made while it runs.
    fn is_certain(line: &str) -> bool {
        let read = read(line);
        let last = read.calls.iter().rfind(|call| !call.carrier);
        read.loose == Risk::Low && last.is_some_and(|call| call.words.iter().all(|word| word.certain))
    }

    #[test]
    fn what_is_spelled_out_is_certain() {
        for line in [
            "p=core; cargo test -p $p",
            "for p in core tui; do cargo test -p \"$p\"; done",
            "a=(core tui); for p in \"${a[@]}\"; do cargo test -p \"$p\"; done",
            "f() { cargo test -p \"$1\"; }; f core",
            "make -j$(nproc)",
            "make -j\"$(nproc)\" test",
            "git commit -m \"$(cat <<'E'\nfix: a\n\nlonger\nE\n)\"",
            "cd \"$(git rev-parse --show-toplevel)\" && cargo test",
            "cargo test -p {core,tui}",
            "cd $HOME; cargo test",
            "p=core; cargo test -p $p; p=tui; cargo test -p $p",
            "for p in core tui; do cargo check -p $p; done; for p in core tui; do cargo test -p $p; done",
            "n=$(nproc); make -j$n",
            "echo $(( $(nproc) / 2 )); cargo test",
            "f=src/a.rs; ls $f{,.orig}; cargo test",
            "ls ~/src ~+/a; cargo test ~+/a",
            "make -j$(nproc 2>/dev/null)",
            "cd crates/a && cargo test $PWD",
            "p=(core); cargo test \"${p[@]}\"",
            "cargo test ${p:-core}",
            "make -j\"${JOBS:-4}\"",
            "cargo test $(echo core)",
            "cargo test $PWD/tests",
            "p=$(pwd); cargo test \"$p/x\"",
            "root=$(git rev-parse --show-toplevel); cd \"$root\" && cargo test",
        ] {
            assert!(is_certain(line), "{line}");
        }
    }

    #[test]
    fn what_is_made_is_not() {
        for line in [
            "cargo test $(echo core | cat)",
            "cargo test $(echo core > f)",
            "cargo test $(echo -n core)",
            "echo() { cat f; }; cargo test $(echo core)",
            "cargo test \"$(printf '\\u002dp')\"",
            "read p <<< core; cargo test $p",
            "p=core; p=tui < x; cargo test $p",
            "p=(a b); p=tui; cargo test \"${p[@]}\"",
            "declare -l p; p=CORE; cargo test $p",
            "n=$((5)); cargo test \"a$(date)\" $n",
            "PWD=/tmp; cargo test $PWD",
            "cargo test tests$(cd 'a b' 2>&1)",
            "cargo test \"target/.$LANG./a\"",
            "trap ls DEBUG; ls() { p=a; }; p=b; cargo test $p",
            "p=core; local p=tui; cargo test $p",
            "f() { p=core; }; f; cargo test $p",
            "p=core; read p < x; cargo test $p",
            "p=core; trap 'p=tui' DEBUG; p=core; cargo test $p",
            "set -- core; cargo test $1",
            "f() { cargo test \"$@\" core; }; f",
            "cargo test ${p:-'core'}",
            "cargo test ${p:--x}",
            "cargo test ${EDITOR:-core}",
            "p=$(cat f); cargo test ${p:-core}",
            "n=p; read $n < f; cargo test ${p:-core}",
            "cargo test $PWD-other",
            "cargo test ../$PWD",
            "p=$(pwd); cargo test \"${p}x\"",
            "p=$(pwd); cd a; cargo test \"$p/x\"",
            "p=core; cargo test ${p#c}",
            "echo core | xargs cargo test",
            "c='cargo test'; echo $c | bash",
            "c=$(echo 'cargo test'); bash -c \"$c\"",
            "declare -n r; r=p; cargo test core",
            "p[1]=a; p=core; cargo test ${p[@]}",
            "read -a p <<< 'a b'; p=core; cargo test ${p[@]}",
            "p=core; cargo test \"${p[@]}\"",
            "OLDPWD=core; cargo test ~-",
            "printf -v PWD %s core; cargo test ~+/a",
            "cargo test ~-",
            "cargo test ~1/a",
            "pushd -n -- core; cargo test ~+2",
            "HOME=core; cargo test ~/a",
            "p=a:~-; cargo test $p",
            "cargo test $(nproc >/dev/null)",
            "cargo test a$(pwd &>/dev/null)",
            "cd 'a b'; cargo test $PWD",
            "cd 'a b' && cargo test $(git rev-parse --show-toplevel)",
            "cd \"$d\" && cargo test $(pwd)",
            "git commit -m $(echo 'a b')",
        ] {
            assert!(!is_certain(line), "{line}");
        }
    }
}
