//! Options of the shell that change what the rest of a line means.
//!
//! Owns which they are. What follows from each is its reader's.

use super::expand::Field;
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
}

/// Whether options of the shell make it export whatever is set.
fn gives_all(name: &str, args: &[Field]) -> bool {
    let mut options = args.iter().map(|f| f.text.as_str()).take_while(|text| *text != "--");
    options.any(|text| {
        text.replace('_', "").eq_ignore_ascii_case("allexport")
            || name == "set" && text.starts_with('-') && text.contains('a')
    })
}
