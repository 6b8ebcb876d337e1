//! Definitions, recognised by the shape of a line in each language, and the text that belongs to
//! them.
//!
//! Owns line shapes. It is no parser: what only a parser can see it does not claim.

use super::{
    pattern::{Pattern, group},
    sentence::extension,
};

/// A definition that a line begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Definition<'t> {
    /// What it is, in the language's own word.
    pub kind: &'t str,
    /// Its name.
    pub name: &'t str,
    /// What it is where the language has no word for it.
    wordless: &'static str,
}

/// The shapes of a family of languages; the first that fits says what a line defines.
struct Family {
    extensions: &'static [&'static str],
    shapes: &'static [Pattern],
    /// Whether blocks end by indentation instead of a closing brace.
    indented: bool,
}

const fn p(text: &'static str) -> Pattern {
    Pattern::new(text)
}

/// Files in C and C++.
const C_FILES: [&str; 7] = ["c", "h", "cc", "cpp", "cxx", "hpp", "hh"];

static FAMILIES: [Family; 10] = [
    Family { extensions: &["rs"], shapes: &RUST, indented: false },
    Family { extensions: &["py", "pyi"], shapes: &PYTHON, indented: true },
    Family {
        extensions: &["js", "jsx", "mjs", "cjs", "ts", "tsx", "vue", "svelte"],
        shapes: &SCRIPT,
        indented: false,
    },
    Family { extensions: &["go"], shapes: &GO, indented: false },
    Family { extensions: &C_FILES, shapes: &C, indented: false },
    Family {
        extensions: &["java", "kt", "kts", "cs", "swift", "scala", "dart", "php", "zig"],
        shapes: &JAVA,
        indented: false,
    },
    Family { extensions: &["rb", "ex", "exs", "lua"], shapes: &RUBY, indented: true },
    Family { extensions: &["sh", "bash", "zsh"], shapes: &SHELL, indented: false },
    Family { extensions: &["md", "rst"], shapes: &MARKDOWN, indented: true },
    Family { extensions: &["toml", "ini", "cfg", "sql", "mk"], shapes: &TABLES, indented: true },
];

static RUST: [Pattern; 3] = [
    p(
        r#"^\s*(?:pub(?:\([^)]*\))?\s+)?(?:(?:default|const|async|unsafe|extern(?:\s+"[^"]*")?)\s+)*(?<kind>fn)\s+(?<name>[A-Za-z_]\w*)"#,
    ),
    p(
        r"^\s*(?:pub(?:\([^)]*\))?\s+)?(?:unsafe\s+|auto\s+)?(?<kind>struct|enum|trait|union|type|mod|const|static)\s+(?:mut\s+)?(?<name>[A-Za-z_]\w*)",
    ),
    p(r"^\s*(?<kind>macro_rules)!\s+(?<name>\w+)"),
];

static PYTHON: [Pattern; 2] = [
    p(r"^\s*(?:async\s+)?(?<kind>def|class)\s+(?<name>\w+)"),
    p(r"^(?<name>[A-Za-z_]\w*)(?<kind>)\s*(?::[^=]+)?=[^=]"),
];

static SCRIPT: [Pattern; 3] = [
    p(
        r"^\s*(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(?<kind>function|class|interface|type|enum|namespace)\*?\s+(?<name>[\w$]+)",
    ),
    p(r"^\s*(?:export\s+)?(?:declare\s+)?(?<kind>const|let|var)\s+(?<name>[\w$]+)\s*(?::[^=]+)?="),
    p(
        r"^\s+(?:(?:public|private|protected|static|async|override|readonly|get|set)\s+)*(?<kind>)(?<name>[A-Za-z_$][\w$]*)\s*(?:<[^>]*>)?\([^;]*\)\s*(?::\s*[^{=]+)?\{\s*$",
    ),
];

static GO: [Pattern; 3] = [
    p(r"^(?<kind>func)\s+(?:\([^)]*\)\s*)?(?<name>\w+)"),
    p(r"^\s*(?<kind>type)\s+(?<name>\w+)"),
    p(r"^(?<kind>var|const)\s+(?<name>\w+)"),
];

static C: [Pattern; 3] = [
    p(
        r"^\s*(?:typedef\s+)?(?<kind>struct|class|enum(?:\s+class)?|union|namespace)\s+(?<name>\w+)\s*(?:final\s*)?(?:[:{]|$)",
    ),
    p(r"^\s*#\s*(?<kind>define)\s+(?<name>\w+)"),
    p(
        r"^(?:(?:static|inline|extern|const|virtual|constexpr|template\s*<[^>]*>)\s+)*[A-Za-z_][\w:<>,]*[\s*&]+(?<kind>)(?:\w+::)*(?<name>~?[A-Za-z_]\w*)\s*\([^;]*$",
    ),
];

static JAVA: [Pattern; 3] = [
    p(
        r"^\s*(?:(?:public|private|protected|internal|open|static|final|abstract|sealed|data|partial|case|export|pub)\s+)*(?<kind>class|interface|enum|record|object|struct|trait|protocol|extension|namespace)\s+(?<name>\w+)",
    ),
    p(
        r"^\s*(?:(?:public|private|protected|internal|open|static|final|override|suspend|inline|mutating|abstract|pub|export)\s+)*(?<kind>fun|func|function|def|fn)\s+(?:<[^>]*>\s*)?(?:\w+\.)?(?<name>\w+)",
    ),
    p(
        r"^\s+(?:(?:public|private|protected|internal|static|final|abstract|override|virtual|async|synchronized)\s+)+[\w<>\[\],.?]+\s+(?<kind>)(?<name>\w+)\s*\([^;]*$",
    ),
];

static RUBY: [Pattern; 2] = [
    p(
        r"^\s*(?:local\s+)?(?<kind>defp|defmodule|defmacro|def|class|module|function)\s+(?:self\.)?(?<name>[\w.:]+[?!]?)",
    ),
    p(r"^(?<name>[A-Z][A-Z0-9_]+)(?<kind>)\s*="),
];

static SHELL: [Pattern; 2] =
    [p(r"^\s*(?<kind>function)\s+(?<name>[\w-]+)"), p(r"^\s*(?<name>[\w-]+)(?<kind>)\s*\(\)\s*\{?")];

static MARKDOWN: [Pattern; 1] = [p(r"^(?<kind>#{1,6})\s+(?<name>.+?)\s*$")];

static TABLES: [Pattern; 2] = [
    p(r"^(?<kind>\[)\[?(?<name>[^\]]+)\]"),
    p(
        r"(?i)^\s*create\s+(?:or\s+replace\s+)?(?:temp\s+)?(?<kind>table|view|function|index|type)\s+(?:if\s+not\s+exists\s+)?(?<name>[\w.]+)",
    ),
];

/// Words that look like a name before a parenthesis.
const FLOW: [&str; 11] =
    ["if", "for", "while", "switch", "catch", "return", "else", "do", "function", "new", "sizeof"];

fn family(path: &str) -> Option<&'static Family> {
    let ending = extension(path)?;
    FAMILIES.iter().find(|f| f.extensions.contains(&ending))
}

/// What a line of a file defines.
pub(super) fn definition<'t>(path: &str, line: &'t str) -> Option<Definition<'t>> {
    let first = line.trim_start().split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let family = family(path)?;
    // Without a word for it the languages of indented blocks set a name to a value, and the others begin a function.
    let wordless = if family.indented { "a constant" } else { "a function" };
    family.shapes.iter().find_map(|shape| {
        let found = shape.captures(line)?;
        let (kind, name) = (group(&found, "kind"), group(&found, "name"));
        let flow = kind.is_empty() && (FLOW.contains(&name) || FLOW.contains(&first));
        (!flow).then_some(Definition { kind, name, wordless })
    })
}

/// Whether `#` begins a comment in a file's language, and no directive or attribute.
pub(super) fn has_hash_comments(path: &str) -> bool {
    let others = ["rs", "js", "jsx", "mjs", "cjs", "ts", "tsx", "go", "cs", "swift", "m", "mm"];
    extension(path).is_none_or(|ending| !C_FILES.contains(&ending) && !others.contains(&ending))
}

/// Whether this file's language is known at all.
pub(super) fn is_known(path: &str) -> bool {
    family(path).is_some()
}

impl Definition<'_> {
    /// What it is, as a noun with its article: `a struct`, `an enum`.
    pub fn noun(&self) -> &'static str {
        match self.kind {
            "fn" | "func" | "def" | "defp" | "function" | "fun" => "a function",
            "struct" => "a struct",
            "enum" | "enum class" => "an enum",
            "trait" => "a trait",
            "type" => "a type",
            "mod" | "module" | "defmodule" | "namespace" => "a module",
            "const" | "static" | "define" => "a constant",
            "let" | "var" => "a variable",
            "class" => "a class",
            "interface" | "protocol" => "an interface",
            "macro_rules" | "defmacro" => "a macro",
            "union" => "a union",
            "record" => "a record",
            "object" => "an object",
            "table" => "a table",
            "[" | "#" | "##" | "###" | "####" | "#####" | "######" => "a section",
            "" => self.wordless,
            _ => "a definition",
        }
    }
}

/// The fence language of a file.
pub(super) fn language(path: &str) -> &str {
    extension(path).unwrap_or_default()
}

/// Most lines of a definition that are shown.
const SHOWN: usize = 30;

/// The text of the definition at `line`: the comments and attributes above it, and its body to the
/// end or to a limit. `lines` are numbered and in order.
pub(super) fn body(path: &str, lines: &[(u64, &str)], line: u64) -> String {
    let Some(at) = lines.iter().position(|(n, _)| *n == line) else { return String::new() };
    let above = lines.iter().take(at).rev().take_while(|(_, text)| leads(text)).count();
    let tail = lines.get(at..).unwrap_or_default();
    let length = if family(path).is_some_and(|f| f.indented) { indented(tail) } else { braced(tail) };
    let chosen = lines.get(at - above..(at + length).min(lines.len())).unwrap_or_default();
    let mut out: Vec<&str> = chosen.iter().take(SHOWN).map(|(_, text)| *text).collect();
    if chosen.len() > SHOWN {
        out.push("…");
    }
    out.join("\n")
}

/// Whether a line above a definition belongs to it.
fn leads(text: &str) -> bool {
    let text = text.trim_start();
    let tokens = ["///", "//", "#[", "@", "/*", "*", "# ", "--", "template"];
    tokens.iter().any(|t| text.starts_with(t)) && !text.starts_with("//!")
}

/// Lines until every brace that was opened is closed.
fn braced(lines: &[(u64, &str)]) -> usize {
    let mut depth = 0_i32;
    let mut opened = false;
    for (i, (_, text)) in lines.iter().enumerate() {
        for c in text.chars() {
            match c {
                '{' | '(' | '[' => depth += 1,
                '}' | ')' | ']' => depth -= 1,
                _ => {}
            }
            opened |= c == '{';
        }
        let ended = text.trim_end().ends_with([';', '}']) || (!opened && text.trim().is_empty());
        if depth <= 0 && (opened || ended) {
            return i + 1;
        }
    }
    lines.len()
}

/// Lines until the indentation falls back to that of the first.
fn indented(lines: &[(u64, &str)]) -> usize {
    let depth = |text: &str| text.len() - text.trim_start().len();
    let Some((_, first)) = lines.first() else { return 0 };
    let back = |text: &str| !text.trim().is_empty() && depth(text) <= depth(first);
    let heading = first.starts_with(['#', '[']);
    let ends = |text: &str| if heading { text.starts_with(['#', '[']) } else { back(text) };
    let inner = lines.iter().skip(1).take_while(|(_, text)| !ends(text)).count();
    let kept = lines.get(..=inner).unwrap_or_default();
    let blank = kept.iter().rev().take_while(|(_, text)| text.trim().is_empty()).count();
    let close = lines.get(inner + 1).is_some_and(|(_, text)| text.trim() == "end");
    kept.len() - blank + usize::from(close)
}

#[cfg(test)]
mod tests;
