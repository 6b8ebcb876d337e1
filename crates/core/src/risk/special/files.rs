//! Judges of programs that find, delete, move and pack files.
//!
//! Owns what their arguments mean. Never judges what a found program does: that goes back to the walk.

use super::super::expand::{Field, UNKNOWN};
use super::super::path::{Cwd, Place, names_secret, place};
use super::super::trace::Act;
use super::super::walk::Walker;
use super::Case;

/// Reading a home folder, `/` or `/etc` as a whole reads what is secret in it.
pub(super) fn deep(w: &mut Walker<'_>, case: &Case<'_>) {
    let deep = case.args.has(&["-r", "-R", "-a", "--recursive", "--archive", "--hidden"])
        || matches!(case.name, "rg" | "ag");
    if !deep {
        return;
    }
    for field in &case.args.operands {
        if is_whole(&field.text) {
            w.hit("secret", field.span);
        }
    }
}

/// Whether a path is a home folder or the system as a whole.
fn is_whole(path: &str) -> bool {
    let path = path.trim_end_matches('*').trim_end_matches('/');
    matches!(path, "" | "~" | "/root" | "/home" | "/Users" | "/etc" | "/proc" | "~/.config")
        || ["/home/", "/Users/"].iter().any(|p| path.strip_prefix(p).is_some_and(|rest| !rest.contains('/')))
}

/// `find`: its actions run, delete and write.
pub(super) fn find(w: &mut Walker<'_>, case: &Case<'_>) {
    let words = case.words();
    let roots: Vec<&Field> = words.iter().take_while(|f| !f.text.starts_with(['-', '(', '!'])).collect();
    let named = words.windows(2).find_map(|pair| match pair {
        [test, name] if matches!(test.text.as_str(), "-name" | "-iname" | "-path" | "-wholename") => {
            Some(name.text.clone())
        }
        _ => None,
    });
    let root = roots.iter().map(|f| f.text.as_str()).find(|r| place(r, w.cwd) != Place::Project);
    let root = root.or_else(|| roots.first().map(|f| f.text.as_str())).unwrap_or(".");
    let item_text = format!("{root}/{}", named.unwrap_or_else(|| UNKNOWN.to_string()));
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match word.text.as_str() {
            "-delete" => {
                w.note_use(Act::Delete, &Field { many: true, ..word.with(&item_text) });
                w.hit("delete-tree", word.span);
            }
            "-fprint" | "-fprint0" | "-fls" | "-fprintf" => {
                if let Some(file) = words.next() {
                    w.judge_write(file, "write-hidden");
                }
            }
            "-exec" | "-execdir" | "-ok" | "-okdir" => {
                let command: Vec<Field> =
                    words.by_ref().take_while(|f| !matches!(f.text.as_str(), ";" | "+")).cloned().collect();
                let item = Field { many: true, ..Field::plain(&item_text, word.span) };
                let replaced: Vec<Field> =
                    command.iter().map(|f| super::super::spread::replace(f, "{}", &item)).collect();
                if replaced.iter().zip(&command).any(|(new, old)| new.text != old.text && old.text != "{}") {
                    let _ = w.dispatch(&command, case.span, super::super::expand::Feed::Inherit);
                }
                let _ = w.dispatch(&replaced, case.span, super::super::expand::Feed::Inherit);
            }
            _ => {}
        }
    }
}

/// `fd -x`, `fd -X`.
pub(super) fn fd(w: &mut Walker<'_>, case: &Case<'_>) {
    let words = case.words();
    let Some(at) =
        words.iter().position(|f| matches!(f.text.as_str(), "-x" | "-X" | "--exec" | "--exec-batch"))
    else {
        return;
    };
    let pattern =
        words.iter().map(|f| f.text.as_str()).find(|t| names_secret(t)).unwrap_or("\u{1a}").to_owned();
    let item = Field { many: true, ..Field::plain(&pattern, case.span) };
    let rest = words.get(at + 1..).unwrap_or(&[]);
    let marked = rest.iter().any(|f| f.text.contains('{'));
    let mut command: Vec<Field> = rest
        .iter()
        .take_while(|f| f.text != ";")
        .map(|f| super::super::spread::replace(f, "{}", &item))
        .collect();
    if !marked {
        command.push(item);
    }
    let _ = w.dispatch(&command, case.span, super::super::expand::Feed::Inherit);
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
    match place(&field.text, w.cwd) {
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
    let mut written = false;
    for field in case.words() {
        if let Some(target) = field.text.strip_prefix("of=") {
            written |= w.judge_write(&field.with(target), "write");
        }
        if let Some(source) = field.text.strip_prefix("if=") {
            if place(source, w.cwd) == Place::Device {
                w.hit("secret", field.span);
            }
            if matches!(source, "/dev/zero" | "/dev/urandom")
                && !case.words().iter().any(|f| f.text.starts_with("count="))
            {
                w.hit("bomb", field.span);
            }
        }
    }
    let _ = written;
}

/// `chmod`: privilege bits, whole trees, the world.
pub(super) fn chmod(w: &mut Walker<'_>, case: &Case<'_>) {
    let recursive = case.args.opt(&["-R", "--recursive"]);
    let words = case.words();
    let mode_at = words.iter().position(|f| {
        let t = f.text.as_str();
        !t.starts_with("--") && !matches!(t, "-R" | "-v" | "-f" | "-c" | "-Rv" | "-vR" | "-Rf" | "-fR")
    });
    let mode = mode_at.and_then(|at| words.get(at)).cloned().unwrap_or_default();
    let digits = mode.text.bytes().all(|b| b.is_ascii_digit()) && !mode.text.is_empty();
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
    if world || recursive.is_some() && mode.text.contains("000") {
        w.hit("permissions", mode.span);
    }
    if let Some(opt) = recursive
        && (digits || world)
        && !mode.text.ends_with(['5', '4', '0'])
    {
        w.hit("permissions", opt.span);
    }
    for field in words.iter().skip(mode_at.map_or(0, |at| at + 1)).filter(|f| !f.text.starts_with('-')) {
        w.judge_write(field, "write");
    }
}

const TAR_RUN: [&str; 10] = [
    "--use-compress-program",
    "-I",
    "--to-command",
    "--checkpoint-action",
    "--rsh-command",
    "--info-script",
    "--new-volume-script",
    "-F",
    "--rmt-command",
    "--use-compress-prog",
];

const COMPRESSORS: [&str; 10] =
    ["zstd", "pigz", "pbzip2", "xz", "gzip", "bzip2", "lz4", "pixz", "lzip", "zstdmt"];

/// `tar`: the old spelling of its letters, options that run a program, where it unpacks.
pub(super) fn tar(w: &mut Walker<'_>, case: &Case<'_>) {
    let words = case.words();
    let first = words.first().map_or("", |f| f.text.as_str());
    let letters: String = words
        .iter()
        .map(|f| f.text.as_str())
        .filter(|t| {
            t.starts_with('-') && !t.starts_with("--") && !t.starts_with("-C") && !t.starts_with("-I")
        })
        .chain((!first.starts_with('-')).then_some(first))
        .collect();
    let long = |names: &[&str]| words.iter().any(|f| names.contains(&f.text.as_str()));
    let lists = (letters.contains('t') || long(&["--list"]))
        && !letters.contains(['c', 'x', 'r', 'u', 'A'])
        && !long(&["--create", "--extract", "--get"]);
    if lists || letters.contains('d') && !letters.contains(['c', 'x']) {
        w.lower_to_read();
    }
    tar_words(w, words, &letters);
    let file = words.iter().position(|f| {
        f.text.ends_with('f')
            && (f.text.starts_with('-') || std::ptr::eq(f, &words.first().cloned().unwrap_or_default()))
            || f.text == "--file"
    });
    let file = if first.contains('f') && !first.starts_with('-') { Some(0) } else { file };
    if let Some(target) = file.and_then(|at| words.get(at + 1))
        && (letters.contains('c') || letters.contains('r') || letters.contains('u'))
        && target.text != "-"
    {
        w.judge_write(target, "write");
    }
}

/// The words of a `tar` command, one by one.
fn tar_words(w: &mut Walker<'_>, words: &[Field], letters: &str) {
    for (at, field) in words.iter().enumerate() {
        let (name, value) =
            field.text.split_once('=').map_or((field.text.as_str(), None), |(n, v)| (n, Some(v)));
        let runs = TAR_RUN
            .iter()
            .any(|r| *r == name || name.len() >= 7 && name.starts_with("--") && r.starts_with(name));
        if runs {
            let next = words.get(at + 1).map_or("", |f| f.text.as_str());
            let program = value.unwrap_or(next);
            if !COMPRESSORS.contains(&program.split(' ').next().unwrap_or("")) {
                w.hit("hidden-run", field.span);
            }
        }
        if let Some(folder) = field
            .text
            .strip_prefix("-C")
            .filter(|f| !f.is_empty())
            .or_else(|| field.text.strip_prefix("--directory="))
        {
            w.judge_write(&field.with(folder), "write");
        } else if matches!(field.text.as_str(), "-C" | "--directory")
            && let Some(folder) = words.get(at + 1)
        {
            let reads = letters.contains('c');
            if !reads {
                w.judge_write(folder, "write");
            }
        }
        if name == "--remove-files" {
            w.hit("delete-tree", field.span);
        }
        if matches!(name, "-P" | "--absolute-names") && letters.contains('x') {
            w.hit("outside", field.span);
        }
        w.judge_read(field);
        if letters.contains('c') && is_whole(&field.text) {
            w.hit("secret", field.span);
        }
    }
}

/// `zip -T -TT` runs a test program, `-m` deletes what it packs; listing is a read.
pub(super) fn zip(w: &mut Walker<'_>, case: &Case<'_>) {
    for field in case.words() {
        if field.text == "-TT" || field.text.starts_with("--unzip-command") {
            w.hit("hidden-run", field.span);
        }
        if field.text == "-m" || field.text == "-sdel" || field.text == "--move" {
            w.hit("delete-tree", field.span);
        }
        if is_whole(&field.text) {
            w.hit("secret", field.span);
        }
        w.judge_read(field);
    }
    if let Some(archive) =
        case.args.operands.iter().find(|f| !matches!(f.text.as_str(), "a" | "x" | "e" | "u" | "t" | "l"))
    {
        w.judge_write(archive, "write");
    }
}

/// `truncate -s 0` empties a file.
pub(super) fn truncate(w: &mut Walker<'_>, case: &Case<'_>) {
    if matches!(case.name, "truncate" | "fallocate")
        && let Some(opt) = case.args.opt(&["-s", "-l", "--size", "--length"])
        && opt.value.as_ref().is_some_and(|v| v.text.ends_with(['T', 'P', 'E']))
    {
        w.hit("bomb", opt.span);
    }
}
