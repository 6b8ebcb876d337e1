//! Judges of programs that pack and unpack files.
//!
//! Owns where an archive is written and where it is unpacked to. Never judges what a member holds.

use super::super::expand::{Feed, Field};
use super::super::knowledge::list;
use super::super::programs::{self, Role};
use super::super::walk::Walker;
use super::Case;
use super::files::is_whole;

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
    let joined = words.iter().filter(|f| f.text.starts_with('-') && !f.text.starts_with("--"));
    for field in joined {
        let run = field.text.split_once(['I', 'F']).map_or("", |(_, run)| run);
        if run.contains([' ', '/']) {
            w.hit("hidden-run", field.span);
        }
    }
    for (field, program) in words.iter().zip(words.iter().skip(1)) {
        let cluster = field.text.strip_prefix('-').filter(|rest| rest.len() > 1 && !rest.starts_with('-'));
        let runs =
            cluster.is_some_and(|c| c.ends_with(['I', 'F']) && c.chars().all(|c| c.is_ascii_alphabetic()));
        if runs && !programs::is(&program.text, Role::Compressor) {
            w.hit("hidden-run", field.span);
        }
    }
    if !first.starts_with('-') && letters.contains('I') {
        w.hit("hidden-run", case.span);
    }
    let lists = (letters.contains('t') || long(&["--list"]))
        && !letters.contains(['c', 'x', 'r', 'u', 'A'])
        && !long(&["--create", "--extract", "--get"]);
    let changes = letters.contains(['c', 'r', 'u', 'A'])
        || long(&["--create", "--append", "--update", "--catenate", "--concatenate", "--delete"]);
    let unpacks = letters.contains('x') || long(&["--extract", "--get"]);
    let compares = (letters.contains('d') || long(&["--compare", "--diff"])) && !unpacks;
    if lists || (compares || to_stdout(first)) && !changes {
        w.lower_to_read();
    }
    tar_words(w, words, &letters);
    if letters.contains('f') || case.args.has(&["--file"]) {
        elsewhere(w, case);
    }
    let here = |f: &Field| matches!(f.text.as_str(), "." | "./");
    let aside = !words.iter().any(here)
        && words.iter().any(|f| f.text.starts_with("-C") || f.text.starts_with("--directory"));
    // What came out of an archive lies among the project's files now, and nobody reviewed it.
    w.strayed |= letters.contains('x') || long(&["--extract", "--get"]);
    let older = || words.iter().any(|f| w.archives.contains(&f.text));
    if letters.contains('x') && !aside && (w.archived && *case.feed != Feed::Inherit || older()) {
        w.hit("discard-work", case.span);
    }
    written(w, words, first, &letters);
}

/// The archive that is named is written where one is made or added to.
fn written(w: &mut Walker<'_>, words: &[Field], first: &str, letters: &str) {
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

/// An archive whose name begins with that of a host lies there, and a program is started on it to read or write it.
fn elsewhere(w: &mut Walker<'_>, case: &Case<'_>) {
    let named = |text: &str| {
        let long = text.strip_prefix("--fi").map(|rest| rest.split_once('=').map_or("", |(_, file)| file));
        long.unwrap_or_else(|| if text.starts_with("--") { "" } else { text.trim_start_matches('-') })
            .split_once(':')
            .is_some_and(|(host, _)| !host.is_empty() && !host.contains('/'))
    };
    if case.args.sure(&["--force-local"]).is_none()
        && let Some(file) = case.words().iter().find(|f| named(&f.text))
    {
        w.hit("remote-run", file.span);
    }
}

/// Whether the first word of letters has what is unpacked printed: the letter stands before any that takes a value, and
/// no other word could be one.
fn to_stdout(letters: &str) -> bool {
    let valued = ['f', 'C', 'T', 'X', 'b', 'I', 'g', 'K', 'N', 'V', 'H', 'F', 'L', 's', '/', '.'];
    let own = letters.split(valued).next().unwrap_or_default();
    !letters.starts_with("--") && own.contains('O') && own.contains('x')
}

/// The words of a `tar` command, one by one.
fn tar_words(w: &mut Walker<'_>, words: &[Field], letters: &str) {
    for (at, field) in words.iter().enumerate() {
        let (name, value) =
            field.text.split_once('=').map_or((field.text.as_str(), None), |(n, v)| (n, Some(v)));
        let runs = list("tar runs")
            .iter()
            .any(|r| *r == name || name.len() >= 5 && name.starts_with("--") && r.starts_with(name));
        if runs {
            let next = words.get(at + 1).map_or("", |f| f.text.as_str());
            let program = value.unwrap_or(next);
            if !programs::is(program.split(' ').next().unwrap_or(""), Role::Compressor) {
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
        if matches!(name, "--remove-files" | "--recursive-unlink" | "--unlink-first") {
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

/// What `7z`, `rar` and `unrar` only show or test, by the word that says what they do; their letters behind it change nothing
/// of that.
const LOOKS: [&str; 12] = ["l", "lb", "lt", "lta", "v", "vb", "vt", "t", "p", "b", "h", "i"];

/// `zip -T -TT` runs a test program, `-m` deletes what it packs; `7z -o…` says where it unpacks.
pub(super) fn zip(w: &mut Walker<'_>, case: &Case<'_>) {
    let mut left_out = false;
    for field in case.words() {
        let text = field.text.as_str();
        left_out = if text.starts_with('-') { matches!(text, "-x" | "--exclude") } else { left_out };
        if text.starts_with("-TT") || text.starts_with("--unzip-command") {
            w.hit("hidden-run", field.span);
        }
        let letters = text.strip_prefix('-').filter(|l| !l.starts_with('-') && case.name == "zip");
        if matches!(text, "-sdel" | "--move" | "-df")
            || letters.is_some_and(|l| l.contains('m') && l.len() < 5)
        {
            w.hit("delete-tree", field.span);
        }
        if let Some(folder) = text.strip_prefix("-o").filter(|f| !f.is_empty() && case.name.starts_with('7'))
        {
            w.judge_write(&field.with(folder), "write");
        }
        if is_whole(text) {
            w.hit("secret", field.span);
        }
        if !(left_out || text.starts_with("-x")) {
            w.judge_read(field);
        }
    }
    let verbs = ["a", "x", "e", "u", "t", "l", "d", "b", "h", "i", "rn"];
    let verb = case.args.operand(0);
    if case.name != "zip" && LOOKS.contains(&verb) {
        w.lower_to_read();
    } else if let Some(archive) = case.args.operands.iter().find(|f| !verbs.contains(&f.text.as_str())) {
        let unpacks = case.name != "zip" && matches!(verb, "x" | "e");
        if unpacks {
            w.strayed = true;
            w.hit("write", case.span);
        } else {
            w.judge_write(archive, "write");
        }
    }
}

/// `cpio`: where it unpacks or copies to.
pub(super) fn cpio(w: &mut Walker<'_>, case: &Case<'_>) {
    w.strayed |= case.args.has(&["-i", "--extract"]);
    if case.args.has(&["-F", "-I", "-O", "--file"]) {
        elsewhere(w, case);
    }
    if let Some(folder) = case.args.opt(&["-D", "--directory"]).and_then(|opt| opt.value.clone()) {
        w.judge_write(&folder, "write");
    }
    if case.args.has(&["-p", "--pass-through"])
        && let Some(folder) = case.args.operands.last()
    {
        w.judge_write(folder, "write");
    }
    if case.args.has(&["--absolute-filenames"]) {
        w.hit("outside", case.span);
    }
}

/// `dpkg -x`, `dpkg-deb`: they unpack, or build, where the last operand says; nothing is installed.
pub(super) fn deb(w: &mut Walker<'_>, case: &Case<'_>) {
    let args = case.args;
    let unpacks = ["-x", "--extract", "-X", "--vextract", "-R", "--raw-extract", "-e", "--control"];
    let unpacking = args.sure(&unpacks);
    let Some(action) = unpacking.or_else(|| args.sure(&["-b", "--build"])) else { return };
    let (first, others) =
        args.opts.split_first().map_or((None, &[][..]), |(first, rest)| (Some(first), rest));
    // Beside another action it is not certain which one is done.
    if first.is_some_and(|opt| opt.at == action.at) && others.is_empty() {
        w.lower_to("write", case.span);
    }
    w.strayed |= unpacking.is_some();
    if let Some(target) = args.operands.get(1) {
        w.judge_write(target, "write");
    }
}
