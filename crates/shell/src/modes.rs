//! Options of the shell that change what the rest of a line means.
//!
//! Owns which they are. What follows from each is its reader's.

use super::expand::Field;
use super::knowledge::list;
use super::walk::Walker;

/// Options of the shell that change what the rest of the line means.
pub(super) fn set(w: &mut Walker<'_>, name: &str, args: &[Field]) {
    if !matches!(name, "set" | "shopt" | "setopt") {
        return;
    }
    w.memory.gives_all |= gives_all(name, args);
    let traces = |f: &Field| f.text == "xtrace" || f.text.starts_with('-') && f.text.contains('x');
    w.memory.traces |= name == "set" && args.iter().any(traces);
    w.memory.roams |= args.iter().any(|f| f.text == "cdable_vars");
    let given = || args.iter().take_while(|f| f.text != "--");
    let letter = |f: &Field| name == "set" && f.text.starts_with('-') && f.text.contains('k');
    if let Some(field) = given().find(|f| letter(f) || f.text == "keyword") {
        w.hit("hidden-run", field.span);
    }
    if name == "setopt" || !changes_nothing(name, args) {
        w.note_uncovered();
    }
}

/// Whether each option leaves all that is read here as it is.
fn changes_nothing(name: &str, args: &[Field]) -> bool {
    let mut named = name == "shopt";
    for field in args.iter().take_while(|f| f.text != "--") {
        let option = field.text.starts_with(['-', '+']);
        if !option && !named {
            break;
        }
        if !is_plain(&field.text) {
            return false;
        }
        named = name == "shopt" || option && field.text.ends_with('o');
    }
    true
}

/// Whether an option of the shell, by its letters or its name, leaves all that is read here as it is: how words fall apart, which are
/// left, what is echoed.
pub(super) fn is_plain(option: &str) -> bool {
    match option.strip_prefix(['-', '+']) {
        Some(_) if matches!(option, "+H" | "-B") => true,
        Some(letters) => letters.chars().all(|letter| "euxvfbhmnoCETsqp".contains(letter)),
        None => list("plain options of the shell").contains(&option),
    }
}

/// Whether options of the shell make it export whatever is set.
fn gives_all(name: &str, args: &[Field]) -> bool {
    let mut options = args.iter().map(|f| f.text.as_str()).take_while(|text| *text != "--");
    options.any(|text| {
        text.replace('_', "").eq_ignore_ascii_case("allexport")
            || name == "set" && text.starts_with('-') && text.contains('a')
    })
}
