//! What an option of a reader that is not fully known may do: by its name, and by what stands behind it.
//!
//! Owns the comparison; the words are data. It only raises: what is known of an option goes before.

use super::args::{Args, Opt};
use super::carried::words_of;
use super::expand::Field;
use super::grammar::Kind;
use super::knowledge::list;
use super::programs::{self, Role};
use super::walk::Walker;

impl Walker<'_> {
    /// Options of a reader that is not fully known which may start, load, write or send something.
    pub(super) fn look_for_names(&mut self, name: &str, argv: &[Field], args: &Args) {
        if list("known readers").contains(&name) || programs::is(name, Role::Builtin) {
            return;
        }
        let words = argv.get(1..).unwrap_or(&[]);
        for opt in args.opts.iter().filter(|o| matches!(o.kind, None | Some(Kind::Plain))) {
            let joined = opt.text.split_once('=').map(|(_, value)| value);
            let next = words.get(opt.at + 1).filter(|f| !f.text.starts_with('-'));
            let own =
                opt.value.as_ref().filter(|_| opt.value_at.is_none()).map(|f| f.text.as_str()).or(joined);
            let behind = own.or(next.map(|f| f.text.as_str()));
            // What stands behind may be no value but what is read.
            let more = |f: &&Field| !f.text.starts_with('-');
            let sure = own.is_some() || words.iter().skip(opt.at + 2).any(|f| more(&f));
            let name = opt.text.split('=').next().unwrap_or("");
            let long = name.len() > 4;
            let given = behind.filter(|_| sure);
            let letter = matches!(opt.name.as_str(), "-o" | "-O") && !long;
            let loads = given.is_some_and(|value| is_code(value) && !reads_it(name, value, args, own));
            let writes = letter && given.is_some_and(|value| value.contains(['/', '.']));
            if loads || opt.kind.is_none() && (writes || long && weighs(name, behind)) {
                self.hit("option", opt.span);
            }
            if !says_read(name) {
                self.look_for_command(opt, behind);
            }
        }
    }

    /// A value that is a line for a shell, as far as it begins with a program that is known.
    fn look_for_command(&mut self, opt: &Opt, value: Option<&str>) {
        let line = value.map_or("", |value| value.trim_start_matches([':', '!', '|']));
        let known = line.split_once(' ').is_some_and(|(first, _)| programs::find(first).is_some());
        if known && super::assess(line).risk > super::Risk::Low {
            self.hit("option", opt.span);
        }
    }
}

/// Whether an option may do more by its name and what stands behind it.
fn weighs(name: &str, value: Option<&str>) -> bool {
    let parts = words_of(name.trim_start_matches('-'));
    let is =
        |part: Option<&String>, words: &str| part.is_some_and(|part| list(words).contains(&part.as_str()));
    if is(parts.first(), "words of lesser options")
        || parts.len() > 1 && is(parts.last(), "ends of lesser options")
    {
        return false;
    }
    let any = |words: &str| parts.iter().any(|part| list(words).contains(&part.as_str()));
    let format = value.is_some_and(|value| list("names of formats").contains(&value.to_lowercase().as_str()));
    // `--csv=FILE` and its like write one.
    let file = any("names of formats") && value.is_some_and(|value| value.contains(['/', '.']));
    any("words of changing options")
        || parts.concat() == "inplace"
        || value.is_some() && !format && (file || any("words of weighty options"))
}

/// Whether a value names a file that holds code.
fn is_code(value: &str) -> bool {
    let name = value.rsplit('/').next().unwrap_or("");
    let end = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map_or("", |(_, end)| end);
    list("ends of code").contains(&end)
}

/// Whether a file is hardly more than read: the option says so, or what is read beside it is of the same kind.
fn reads_it(name: &str, value: &str, args: &Args, own: Option<&str>) -> bool {
    let end = |text: &str| text.rsplit('.').next().unwrap_or("").to_owned();
    let alike = |f: &&Field| f.text != value && end(&f.text) == end(value);
    says_read(name) || own.is_none() && args.operands.iter().any(|f| alike(&f))
}

/// Whether an option says by its name that it only tells what is read, or looked for.
fn says_read(name: &str) -> bool {
    let parts = words_of(name.trim_start_matches('-'));
    parts.iter().any(|part| list("words of read options").contains(&part.as_str()))
}
