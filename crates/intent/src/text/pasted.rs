//! Tells pasted lines (code, logs, traces) from the writer's own.
//!
//! Owns the shapes of such lines. Never looks at more than one line.

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
