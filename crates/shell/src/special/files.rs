//! Judges of programs that find, delete and move files.
//!
//! Owns what their arguments mean. Never judges what a found program does: that goes back to the walk.

use super::super::cut::Listed;
use super::super::expand::{Field, UNKNOWN};
use super::super::grammar::may_be_secret;
use super::super::path::{Cwd, Place, glob, place};
use super::super::programs;
use super::super::secrets::names_secret;
use super::super::trace::Act;
use super::super::walk::Walker;
use super::Case;

/// Reading a home folder, `/` or `/etc` as a whole reads what is secret in it.
pub(super) fn deep(w: &mut Walker<'_>, case: &Case<'_>) {
    let deep = case.args.has(&["-r", "-R", "-a", "--recursive", "--archive", "--hidden"])
        || matches!(case.name, "rg" | "ag");
    let pattern = case.args.opt(&["-e", "--regexp"]).and_then(|opt| opt.value.as_ref());
    let (pattern, places) = match (pattern, case.args.operands.split_first()) {
        (Some(pattern), _) => (Some(pattern), case.args.operands.as_slice()),
        (None, Some((first, rest))) => (Some(first), rest),
        (None, None) => (None, &[][..]),
    };
    // A pattern that every line fits shows whole files, hidden ones too.
    let hidden = ["-u", "-uu", "-uuu", "--unrestricted", "--hidden", "-.", "--no-ignore"];
    let all = deep && (!matches!(case.name, "rg" | "ag") || case.args.has(&hidden));
    let here = |f: &Field| matches!(f.text.as_str(), "." | "./" | "*" | "./*");
    let anywhere = all && (places.is_empty() || places.iter().any(here))
        || places.iter().any(|f| (w.wide || f.listed > Listed::No) && may_be_secret(f));
    // What takes files away leaves the hidden ones.
    let narrows = |name: &str, value: &str| match name {
        "--include" | "-t" | "--type" => true,
        "-g" | "--glob" | "--iglob" => !value.starts_with('!') && !glob(value, ".env"),
        _ => false,
    };
    let some =
        case.args.opts.iter().any(|o| narrows(&o.name, o.value.as_ref().map_or("", |v| v.text.as_str())));
    let rest = case.args.has(&["-v", "--invert-match"]) && !case.args.has(&["-l", "-L", "-c", "-q"]);
    let most = |f: &Field| fits_all(&f.text) || !some && (rest || fits_most(&f.text));
    if let Some(field) = pattern.filter(|f| most(f) && anywhere) {
        w.hit("secret", field.span);
    }
    if !deep {
        return;
    }
    for field in &case.args.operands {
        // What is kept of a process holds its environment.
        let of_process = field.text.strip_prefix("/proc/").and_then(|rest| rest.split('/').next());
        let of_process = of_process.is_some_and(|id| {
            id.ends_with("self") || id.starts_with(|c: char| c.is_ascii_digit() || "*?[".contains(c))
        });
        if of_process || is_whole(&field.text) {
            w.hit("secret", field.span);
        }
    }
}

/// Whether every line, or every one with something in it, fits a pattern.
fn fits_all(pattern: &str) -> bool {
    matches!(pattern, "" | "." | "^" | "$" | ".*" | "^.*" | ".*$" | "^.*$" | "[^x]*" | ".+" | "..*")
}

/// Whether a pattern holds no two letters in a row: nearly every line of settings fits that.
fn fits_most(pattern: &str) -> bool {
    let mut row = 0;
    let mut class = false;
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                row = 0;
                let _ = chars.next();
            }
            '[' => class = true,
            ']' => class = false,
            c if c.is_alphanumeric() && !class => row += 1,
            _ => row = 0,
        }
        if row > 1 {
            return false;
        }
    }
    true
}

/// `git grep` beyond what git tracks, with a pattern that nearly every line fits.
pub(super) fn grep_untracked(w: &mut Walker<'_>, case: &Case<'_>) {
    let given = case.args.opt(&["-e"]).and_then(|opt| opt.value.as_ref());
    let pattern = given.or_else(|| case.args.operands.get(1));
    let beyond = case.args.has(&["--no-index", "--no-exclude-standard"]);
    if let Some(field) = pattern.filter(|f| beyond && fits_most(&f.text)) {
        w.hit("secret", field.span);
    }
}

/// `diff -r` of the whole folder prints each file that stands on one side only, or differs.
pub(super) fn diff(w: &mut Walker<'_>, case: &Case<'_>) {
    let names = case.args.has(&["-q", "--brief"]);
    let here = |f: &&Field| matches!(f.text.trim_end_matches('/'), "." | ".." | "$PWD");
    if case.args.has(&["-r", "--recursive"]) && !names && case.args.operands.iter().any(|f| here(&f)) {
        w.hit("secret", case.span);
    }
}

/// Whether a path is a home folder or the system as a whole.
pub(super) fn is_whole(path: &str) -> bool {
    let path = path.trim_end_matches('*').trim_end_matches('/');
    matches!(path, "" | "~" | "/root" | "/home" | "/Users" | "/etc" | "/proc" | "~/.config")
        || ["/home/", "/Users/"].iter().any(|p| path.strip_prefix(p).is_some_and(|rest| !rest.contains('/')))
}

/// `find`: its actions run, delete and write.
pub(super) fn find(w: &mut Walker<'_>, case: &Case<'_>) {
    let words = case.words();
    let roots = starts(words).0;
    let named = words.windows(2).find_map(|pair| match pair {
        [test, name] if matches!(test.text.as_str(), "-name" | "-iname" | "-path" | "-wholename") => {
            Some(name.text.clone())
        }
        _ => None,
    });
    w.wide |=
        named.as_ref().is_none_or(|name| name.contains('*') && (glob(name, ".env") || glob(name, "id_rsa")));
    let root = roots.iter().map(|f| f.text.as_str()).find(|r| place(r, w.stand.cwd) != Place::Project);
    let root = root.or_else(|| roots.first().map(|f| f.text.as_str())).unwrap_or(".");
    let item_text = format!("{root}/{}", named.map_or_else(|| UNKNOWN.to_string(), |name| dotted(&name)));
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match word.text.as_str() {
            "-delete" => {
                note_found(w, case, word);
                w.hit("delete-tree", word.span);
            }
            "-fprint" | "-fprint0" | "-fls" | "-fprintf" => {
                if let Some(file) = words.next() {
                    w.judge_write(file, "write-hidden");
                }
            }
            test if programs::valued("find").contains(&test) || test.starts_with("-newer") => {
                let _ = words.next();
            }
            "-exec" | "-execdir" | "-ok" | "-okdir" => {
                let command: Vec<Field> =
                    words.by_ref().take_while(|f| !matches!(f.text.as_str(), ";" | "+")).cloned().collect();
                let item = Field { many: true, ..Field::plain(&item_text, word.span) };
                let replaced: Vec<Field> =
                    command.iter().map(|f| super::super::spread::replace(f, "{}", &item)).collect();
                if replaced.iter().zip(&command).any(|(new, old)| new.text != old.text && old.text != "{}") {
                    let _ = w.dispatch_outside(&command, case.span, super::super::expand::Feed::Inherit);
                }
                let _ = w.dispatch_outside(&replaced, case.span, super::super::expand::Feed::Inherit);
            }
            _ => {}
        }
    }
}

/// What `-delete` removes: below each root what one name fits, all where the tests before it say more than that.
fn note_found(w: &mut Walker<'_>, case: &Case<'_>, word: &Field) {
    let (roots, tests) = starts(case.words());
    if tests.iter().any(|f| f.text == "-files0-from") {
        return w.note_use(Act::Delete, &word.with(&UNKNOWN.to_string()));
    }
    let name = name_before_delete(tests).map_or_else(|| UNKNOWN.to_string(), |name| format!("***{name}"));
    let here = Field::plain(".", word.span);
    for root in if roots.is_empty() { std::slice::from_ref(&here) } else { roots } {
        w.note_use(Act::Delete, &Field { many: true, ..word.with(&format!("{}/{name}", root.text)) });
    }
}

/// Where `find` starts, and its tests: options that stand before both are left out.
fn starts(words: &[Field]) -> (&[Field], &[Field]) {
    let mut rest = words;
    loop {
        let skip = match rest.first().map(|f| f.text.as_str()) {
            Some("-D") => 2,
            // On a Mac a root may stand after this one.
            Some("--" | "-f") => 1,
            Some(option) if option.starts_with("-O") => 1,
            Some(option) if option.strip_prefix('-').is_some_and(is_flags) => 1,
            _ => break,
        };
        rest = rest.get(skip..).unwrap_or_default();
    }
    let end = rest.iter().position(|f| f.text.starts_with(['-', '(', '!', ')', ','])).unwrap_or(rest.len());
    rest.split_at_checked(end).unwrap_or((rest, &[]))
}

fn is_flags(letters: &str) -> bool {
    !letters.is_empty() && letters.chars().all(|c| "HLPEXdsx".contains(c))
}

/// The name that all has to have which `-delete` comes to; `None` where that is not certain.
fn name_before_delete(tests: &[Field]) -> Option<String> {
    let takes = programs::valued("find");
    let mut name = None;
    let mut words = tests.iter();
    while let Some(word) = words.next() {
        match word.text.as_str() {
            "-delete" => return name,
            "-o" | "-or" | "," | "!" | "-not" => return None,
            "-name" | "-iname" => {
                // A test of names never comes to one with a slash, but a class of characters may hold it.
                let value = words.next().filter(|f| !f.text.contains('/'))?;
                name = name.or_else(|| Some(value.text.clone()));
            }
            "-exec" | "-execdir" | "-ok" | "-okdir" => {
                let mut last = "";
                let mut ends = |f: &Field| {
                    let end = f.text == ";" || f.text == "+" && last == "{}";
                    last = if f.text == "{}" { "{}" } else { "" };
                    end
                };
                let _ = words.find(|f| ends(f));
            }
            "-fprintf" => drop(words.nth(1)),
            test if takes.contains(&test) || test.starts_with("-newer") || test.starts_with("-fprint") => {
                let _ = words.next();
            }
            _ if word.unknown() || word.many => return None,
            _ => {}
        }
    }
    None
}

/// A pattern that the program itself reads: there a wildcard may also mean the dot in front of a name, which a path
/// says by more stars than a shell has a use for.
pub(in super::super) fn dotted(pattern: &str) -> String {
    if pattern.starts_with(['*', '?', '[']) { format!("***{pattern}") } else { pattern.to_owned() }
}

/// `fd -x`, `fd -X`.
pub(super) fn fd(w: &mut Walker<'_>, case: &Case<'_>) {
    let words = case.words();
    let Some((at, joined)) = words.iter().enumerate().find_map(|(at, f)| Some((at, exec_of_fd(&f.text)?)))
    else {
        return;
    };
    let pattern = words
        .iter()
        .map(|f| f.text.as_str())
        .find(|t| names_secret(t))
        .map_or_else(|| UNKNOWN.to_string(), dotted);
    let item = Field { many: true, ..Field::plain(&pattern, case.span) };
    let first = words.get(at).filter(|_| !joined.is_empty()).map(|f| f.with(joined));
    let rest: Vec<Field> = first.into_iter().chain(words.iter().skip(at + 1).cloned()).collect();
    let marked = rest.iter().any(|f| f.text.contains('{'));
    let mut command: Vec<Field> = rest
        .iter()
        .take_while(|f| f.text != ";")
        .map(|f| super::super::spread::replace(f, "{}", &item))
        .collect();
    if !marked {
        command.push(item);
    }
    let _ = w.dispatch_outside(&command, case.span, super::super::expand::Feed::Inherit);
}

/// What of a word of fd that makes it run a command belongs to that command: `-x`, `-Hx`, `-x=sh`, `--exec=sh`, `--exec-b`.
fn exec_of_fd(text: &str) -> Option<&str> {
    if let Some(long) = text.strip_prefix("--") {
        let (name, joined) = long.split_once('=').unwrap_or((long, ""));
        return (name.len() > 2 && "exec-batch".starts_with(name)).then_some(joined);
    }
    let letters = text.strip_prefix('-')?;
    // A letter with a value takes the rest of the word.
    let at = letters.find(['x', 'X', 'e', 't', 'd', 'E', 'S', 'j', 'c', 'o'])?;
    let rest = letters.get(at..)?.strip_prefix(['x', 'X'])?;
    Some(rest.strip_prefix('=').unwrap_or(rest))
}

/// `rm`: trees, wildcards and things the line does not name are more than one file.
pub(super) fn rm(w: &mut Walker<'_>, case: &Case<'_>) {
    if let Some(opt) = case.args.opt(&["-r", "-R", "--recursive", "--no-preserve-root"]) {
        w.hit("delete-tree", opt.span);
    }
    for word in case.words() {
        if word.text.starts_with(['–', '—', '−']) {
            w.hit("look-alike", word.span);
        }
    }
    for field in &case.args.operands {
        delete_one(w, field);
        if field.text.starts_with("-r")
            || field.text.starts_with("-R")
            || field.text.eq_ignore_ascii_case("-recurse")
        {
            w.hit("delete-tree", field.span);
        }
    }
}

fn delete_one(w: &mut Walker<'_>, field: &Field) {
    w.note_use(Act::Delete, field);
    if field.many || field.text.contains(['*', '?']) && !field.twisted && field.computed {
        w.hit("delete-tree", field.span);
    }
    if field.unknown() {
        w.hit("delete-unnamed", field.span);
    }
    match place(&field.text, w.stand.cwd) {
        Place::Outside => w.hit("outside", field.span),
        Place::Control => w.hit("discard-work", field.span),
        Place::Device => w.hit("wipe", field.span),
        Place::Null | Place::Project | Place::Scratch | Place::Unknown => {}
    }
}

/// `mv`: to the null device is a deletion.
pub(super) fn mv(w: &mut Walker<'_>, case: &Case<'_>) {
    for field in &case.args.operands {
        if field.text == "/dev/null" {
            w.hit("wipe", field.span);
        }
        if names_secret(&field.text) && place(&field.text, Cwd::Project) == Place::Outside {
            w.hit("secret", field.span);
        }
    }
    loses_its_name(w, &case.args.operands);
}

/// A secret that gets a name which does not say so is shown by whatever reads it next.
pub(super) fn loses_its_name(w: &mut Walker<'_>, operands: &[Field]) {
    let Some((target, moved)) = operands.split_last() else { return };
    let stays = names_secret(&target.text) || target.text.ends_with('/') || target.text == ".";
    if let Some(field) = moved.iter().find(|f| !stays && names_secret(&f.text)) {
        w.hit("secret", field.span);
    }
}

/// `del`, `rd` of the Windows shell.
pub(super) fn del(w: &mut Walker<'_>, case: &Case<'_>) {
    for field in case.words() {
        let lower = field.text.to_ascii_lowercase();
        if matches!(lower.as_str(), "/s" | "-recurse" | "-r" | "/s/q" | "/q/s") {
            w.hit("delete-tree", field.span);
        } else if lower.len() > 2 {
            delete_one(w, field);
        }
    }
}

/// `dd`: `of=` is written.
pub(super) fn dd(w: &mut Walker<'_>, case: &Case<'_>) {
    for field in case.words() {
        if let Some(target) = field.text.strip_prefix("of=") {
            w.judge_write(&field.with(target), "write");
            if field.many {
                w.hit("delete-tree", field.span);
            }
        }
        if let Some(source) = field.text.strip_prefix("if=") {
            if place(source, w.stand.cwd) == Place::Device {
                w.hit("secret", field.span);
            }
            let value = |name| case.words().iter().find_map(|f| f.text.strip_prefix(name));
            let size = value("bs=").map_or(512, bytes_of);
            let count = value("count=").map_or(u64::MAX, bytes_of);
            if matches!(source, "/dev/zero" | "/dev/urandom") && size.saturating_mul(count) >= MUCH {
                w.hit("bomb", field.span);
            }
        }
    }
}

/// `chmod`: privilege bits, whole trees, the world.
pub(super) fn chmod(w: &mut Walker<'_>, case: &Case<'_>) {
    let recursive = case.args.opt(&["-R", "--recursive"]);
    let words = case.words();
    let mode_at = words.iter().position(|f| {
        let t = f.text.as_str();
        !t.starts_with("--") && !matches!(t, "-R" | "-v" | "-f" | "-c" | "-Rv" | "-vR" | "-Rf" | "-fR")
    });
    // With another file's mode the first word is a file already.
    let mode_at = mode_at.filter(|_| !case.args.has(&["--reference"]));
    let mode = mode_at.and_then(|at| words.get(at)).cloned().unwrap_or_default();
    let digits = mode.text.bytes().all(|b| b.is_ascii_digit()) && !mode.text.is_empty();
    if let Some(opt) = case.args.opt(&["--reference"]).filter(|_| recursive.is_some()) {
        w.hit("permissions", opt.span);
    }
    let special = digits
        && mode.text.trim_start_matches('0').len() == 4
        && !mode.text.trim_start_matches('0').starts_with('0')
        || !digits && mode.text.contains('s') && mode.text.contains(['+', '=']);
    if special {
        w.hit("privilege", mode.span);
    }
    let world = digits && mode.text.ends_with(['2', '3', '6', '7'])
        || !digits
            && mode.text.split(',').any(|m| {
                (m.starts_with('o') || m.starts_with('a')) && m.contains(['+', '=']) && m.contains('w')
            });
    let many = recursive.is_some() || words.iter().any(|f| f.many);
    let none = digits && mode.text.trim_matches('0').is_empty();
    if world || many && none {
        w.hit("permissions", mode.span);
    }
    if let Some(opt) = recursive
        && (digits || world || ["-", "a-", "u-", "ugo-"].iter().any(|m| mode.text.starts_with(m)))
        && !mode.text.ends_with(['5', '4', '0'])
    {
        w.hit("permissions", opt.span);
    }
    for field in words.iter().skip(mode_at.map_or(0, |at| at + 1)).filter(|f| !f.text.starts_with('-')) {
        w.judge_write(field, "write");
    }
}

/// More bytes than this at once fill a disk.
const MUCH: u64 = 100 << 30;

/// A size as coreutils read it: a number and a unit.
pub(super) fn bytes_of(text: &str) -> u64 {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let number: u64 = text.get(..digits).and_then(|n| n.parse().ok()).unwrap_or(0);
    let shift = match text.as_bytes().get(digits).map(u8::to_ascii_uppercase) {
        Some(b'K') => 10,
        Some(b'M') => 20,
        Some(b'G') => 30,
        Some(b'T') => 40,
        Some(b'P' | b'E' | b'Z' | b'Y') => 50,
        _ => 0,
    };
    number.saturating_mul(1 << shift)
}

/// A size that fills the disk; a sparse file takes no room, so more is let through.
pub(super) fn truncate(w: &mut Walker<'_>, case: &Case<'_>) {
    let most = if case.name == "fallocate" { MUCH } else { 10 * MUCH };
    if matches!(case.name, "truncate" | "fallocate")
        && let Some(opt) = case.args.opt(&["-s", "-l", "--size", "--length"])
        && opt.value.as_ref().is_some_and(|v| bytes_of(v.text.trim_start_matches('+')) >= most)
    {
        w.hit("bomb", opt.span);
    }
}
