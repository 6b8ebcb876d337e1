//! Tells pasted lines (code, logs, traces) from the writer's own.
//!
//! Owns the shapes of such lines, and how far a paste of them reaches. Never says what they mean.

/// Mostly plain words.
pub(super) fn reads_as_prose(line: &str) -> bool {
    let words = line.split_whitespace().filter(|w| w.chars().all(char::is_alphabetic)).count();
    let all = line.split_whitespace().count();
    all > 4 && words * 10 > all * 8
}

/// A line that only a package manager or compiler prints, however much it reads like prose.
pub(super) fn is_console(line: &str) -> bool {
    ["npm ERR!", "npm error ", "yarn error ", "error TS", "pnpm ERR"].iter().any(|s| line.starts_with(s))
        && !line.ends_with('?')
}

/// A line of an error, log or stack trace.
pub(super) fn is_trace(line: &str) -> bool {
    let starts = [
        "Traceback",
        "File \"",
        "at ",
        "Caused by",
        "Error:",
        "error:",
        "error[",
        "warning:",
        "Exception",
        "panicked",
        "panic: ",
        "goroutine ",
        "[signal ",
        "stack backtrace:",
        "exit status ",
        "thread '",
        "npm ERR!",
        "npm error",
        "E   ",
        "FAILED ",
        "fatal:",
        "ERROR",
        "WARN",
        "INFO",
        "DEBUG",
        "[ERROR]",
        "[error]",
        "> ",
        "$ ",
        "--> ",
        "note: run",
        "Uncaught",
        "TypeError",
        "ReferenceError",
        "SyntaxError",
        "KeyError",
        "ValueError",
        "AttributeError",
        "ImportError",
        "ModuleNotFoundError",
    ];
    let head = starts.iter().any(|s| line.starts_with(s));
    if line.starts_with("at ") {
        return line.contains('(') || line.contains(':');
    }
    let coded = line
        .split([':', ' '])
        .next()
        .is_some_and(|w| w.len() > 7 && (w.ends_with("Error") || w.ends_with("Exception")));
    // a frame by its number or address
    let frame = line.split_once(": ").is_some_and(|(n, rest)| {
        !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()) && rest.contains("::")
    }) || line.split_whitespace().next_back().is_some_and(|w| w.starts_with("+0x"));
    let stamped = line.len() > 20
        && line.as_bytes().first().is_some_and(u8::is_ascii_digit)
        && line.get(..16).is_some_and(|p| p.matches([':', '-']).count() >= 3);
    head || coded || stamped || frame
}

/// A line of source code.
pub(crate) fn is_code(line: &str) -> bool {
    let body = line.trim();
    let ends = body.ends_with(['{', '}', ';'])
        || body.ends_with(");")
        || body.ends_with("):")
        || body.ends_with("/>")
        || body.ends_with("],")
        || body.ends_with("},")
        || body.ends_with("=>");
    let starts = [
        "import ",
        "from ",
        "def ",
        "class ",
        "fn ",
        "pub ",
        "let ",
        "const ",
        "var ",
        "function ",
        "#include",
        "using ",
        "package ",
        "public ",
        "private ",
        "return ",
        "if (",
        "for (",
        "while (",
        "//",
        "/*",
        "* ",
        "<div",
        "</",
        "<!",
        "@",
        "+ ",
        "- {",
        "SELECT ",
        "elif ",
        "else:",
        "try:",
        "except",
        "} ",
        "+++",
        "---",
        "@@",
    ]
    .iter()
    .any(|s| body.starts_with(s));
    let signs = body.matches(['=', '(', ')', '{', '}', '<', '>', ';', '[', ']', '_', '.']).count();
    let prose = body
        .split_whitespace()
        .filter(|w| w.len() > 1 && w.trim_end_matches([',', '.', '?', '!']).chars().all(char::is_alphabetic))
        .count();
    let indented = line.starts_with("    ") || line.starts_with('\t');
    if body.ends_with(';') || body.ends_with('{') || body.ends_with('}') {
        return ends && (signs >= 2 || prose < 4);
    }
    (ends && signs > prose)
        || (starts && signs >= 2 && signs * 2 > prose)
        || (indented && signs > 2 && signs > prose)
        || (signs > 5 && signs > prose * 2)
}

/// Which lines belong to an error, a log or a trace: what stands between two such lines does as well.
pub(super) fn traces(text: &str, many: bool) -> Vec<bool> {
    let of = |line: &str| {
        let body = line.trim();
        is_console(body) || (is_trace(body) && (many || body.len() > 60) && !reads_as_prose(body))
    };
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let found: Vec<bool> = lines.iter().map(|l| of(l)).collect();
    let at = |i: Option<usize>| i.and_then(|i| found.get(i)).copied().unwrap_or(false);
    let between = |(i, line): (usize, &&str)| {
        !line.trim().is_empty() && at(i.checked_sub(1)) && at(Some(i + 1)) || at(Some(i))
    };
    lines.iter().enumerate().map(between).collect()
}

/// Lines from which on code in a message is a paste.
const LONG: usize = 10;

/// So many of them look like code by themselves at the least.
const SURE: usize = 3;

/// Which lines of a message belong to a long paste of code, though not each looks like it: what was typed stands before or
/// after it, and a `return` within it orders nothing.
pub(super) fn within(text: &str) -> Vec<bool> {
    let lines: Vec<&str> = text.lines().collect();
    let spoken = lines.iter().filter(|line| !line.trim().is_empty()).count();
    let sure = lines.iter().filter(|line| is_code(line)).count();
    let like = lines.iter().filter(|line| !line.trim().is_empty() && is_like_code(line)).count();
    if spoken < LONG || sure < SURE || like * 2 < spoken {
        return Vec::new();
    }
    let mut out = vec![false; lines.len()];
    let mut from = 0;
    for part in lines.split(|line| line.trim().is_empty()) {
        let like = part.iter().filter(|line| is_like_code(line)).count();
        for (line, is_pasted) in part.iter().zip(out.iter_mut().skip(from)) {
            *is_pasted = like * 2 >= part.len() && !reads_as_prose(line);
        }
        from += part.len() + 1;
    }
    // The words that were typed may stand at either end without a blank line between.
    for at in [0, lines.len().saturating_sub(1)] {
        if let (Some(line), Some(is_pasted)) = (lines.get(at), out.get_mut(at)) {
            *is_pasted &= is_like_code(line);
        }
    }
    out
}

/// A line as it stands in code, by its place or its signs.
fn is_like_code(line: &str) -> bool {
    let body = line.trim();
    let listed = body.starts_with(['-', '*', '•']) || body.starts_with(|c: char| c.is_ascii_digit());
    let called = body.contains('(') && body.ends_with(')') && body.split_whitespace().count() < 4;
    is_code(line) || !listed && line.starts_with([' ', '\t']) || called || body.contains(" = ")
}
