//! Judges of interpreters.
//!
//! Owns the look into inline code: what it deletes, sends, reads or starts. Never a full reading of those languages.

use super::super::expand::{Feed, Field};
use super::super::path::{Place, names_secret, place};
use super::super::walk::Walker;
use super::Case;

/// Words of inline code that say it does what would be high on a command line.
const UNSAFE_WORDS: [&str; 59] = [
    "rmtree",
    "rm_rf",
    "rm_r(",
    "remove_entry_secure",
    "removedirs",
    "rmSync(",
    "rm(",
    "rimraf",
    "rmdirSync",
    "os.environ)",
    "os.environ.items",
    "dict(os.environ",
    "environ.copy",
    "process.env)",
    "process.env,",
    "ENV.to_h",
    "ENV.each",
    "ENV.inspect",
    "%ENV",
    "getenv()",
    "$_ENV",
    "$_SERVER",
    "requests.post",
    "requests.put",
    "requests.delete",
    "requests.patch",
    "urlopen(Request",
    "data=open",
    ".sendall(",
    ".connect((",
    "smtplib",
    "ftplib",
    "paramiko",
    "method:'POST'",
    "method:\"POST\"",
    "axios.post",
    "http.request",
    "Net::HTTP.post",
    "pty.spawn",
    "os.dup2",
    "b64decode",
    "atob(",
    "unpack(\"u\"",
    "base64').decode",
    "'base64')",
    "marshal.loads",
    "pickle.loads",
    "codecs.decode",
    "\"base64\")",
    "shutil.move('/",
    "os.setuid",
    "setuid(0",
    "os.kill",
    "process.kill",
    "os.killpg",
    "Process.kill",
    "os.fork",
    "fork while",
    "File::Path",
];

/// Words of inline code after which a literal is a command line.
const STARTERS: [&str; 20] = [
    "system",
    "popen",
    "subprocess",
    "exec",
    "spawn",
    "shell_exec",
    "passthru",
    "proc_open",
    "`",
    "%x",
    "check_output",
    "check_call",
    "qx",
    "Runtime",
    "Command",
    "do shell script",
    "os.execute",
    "Open3",
    "run(",
    "call(",
];

/// Options of interpreters with a value of their own.
const VALUED: [&str; 14] = [
    "-r",
    "--require",
    "--import",
    "--loader",
    "-W",
    "-X",
    "-I",
    "-cp",
    "-classpath",
    "--env-file",
    "-d",
    "-S",
    "-M",
    "-jar",
];

/// Interpreters: inline code is looked into, files are scripts, modules are tools.
pub(super) fn interpreter(w: &mut Walker<'_>, case: &Case<'_>) {
    let words = case.words();
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let text = word.text.as_str();
        let next = words.get(at + 1);
        if !text.starts_with('-') || text == "-" {
            break;
        }
        if case.name.starts_with("py") && text == "-m" {
            module(w, case, words.get(at + 1..).unwrap_or(&[]));
            return;
        }
        if is_code_option(case.name, text) {
            if let Some(code) = next {
                inline(w, case.name, code);
            }
            if text.starts_with('-') && text.contains('i') && matches!(case.name, "perl" | "ruby") {
                w.hit("write", word.span);
                for file in words.get(at + 2..).unwrap_or(&[]) {
                    w.judge_write(file, "write");
                }
            }
            return;
        }
        if let Some(code) = text
            .strip_prefix("--eval=")
            .or_else(|| text.strip_prefix("-e").filter(|c| c.len() > 2 && !matches!(case.name, "java")))
        {
            inline(w, case.name, &word.with(code));
        }
        at += 1;
        if VALUED.contains(&text) {
            if let Some(value) = next {
                w.judge_read(value);
            }
            at += 1;
        }
        if text.starts_with("-javaagent") || text.starts_with("-agentpath") {
            w.hit("hidden-run", word.span);
        }
    }
    script_of(w, case, words, at);
}

/// The script an interpreter is given, or what stands for it.
fn script_of(w: &mut Walker<'_>, case: &Case<'_>, words: &[Field], at: usize) {
    match words.get(at) {
        None => fed(w, case),
        Some(file) if matches!(file.text.as_str(), "-" | "/dev/stdin") => fed(w, case),
        Some(file) => {
            w.run_file(file, case.span);
            if file.text.contains("://") {
                w.hit("fetch-run", file.span);
            }
            if matches!(file.text.as_str(), "eval")
                && let Some(code) = words.get(at + 1)
            {
                inline(w, case.name, code);
            }
            if file.text == "manage.py" || file.text.ends_with("/manage.py") {
                let verb = words.get(at + 1).map_or("", |f| f.text.as_str());
                if matches!(verb, "flush" | "reset_db" | "sqlflush") {
                    w.hit("remote-destroy", case.span);
                }
            }
            for field in words.get(at + 1..).unwrap_or(&[]) {
                w.judge_read(field);
            }
        }
    }
}

fn is_code_option(name: &str, text: &str) -> bool {
    let short = text.starts_with('-') && !text.starts_with("--");
    match name {
        n if n.starts_with("py") || n == "ipython" || n == "jython" => {
            short && text.ends_with('c') && text.len() <= 4
        }
        "php" => matches!(text, "-r" | "-B" | "-R" | "-E"),
        "node" | "nodejs" | "bun" | "deno" | "tsx" | "ts-node" => {
            matches!(text, "-e" | "-p" | "-pe" | "--eval" | "--print" | "-ep")
        }
        "perl" | "ruby" => short && text.ends_with(['e', 'E']),
        "osascript" | "lua" | "luajit" | "Rscript" | "R" | "julia" | "elixir" | "swift" | "scala"
        | "raku" | "ghc" | "groovy" | "guile" | "bb" | "racket" => matches!(text, "-e" | "-E" | "--eval"),
        _ => matches!(text, "-e" | "--eval" | "-c" | "-eval"),
    }
}

/// Code on standard input.
fn fed(w: &mut Walker<'_>, case: &Case<'_>) {
    match case.feed {
        Feed::Inherit => w.hit("code", case.span),
        Feed::Text(code) => inline(w, case.name, &Field::plain(code, case.span)),
        Feed::File(name) => w.run_file(&Field::plain(name, case.span), case.span),
        Feed::Fetched => w.hit("fetch-run", case.span),
        Feed::Other => w.hit("computed-code", case.span),
    }
}

/// Looks into inline code.
fn inline(w: &mut Walker<'_>, name: &str, code: &Field) {
    if code.feed == Some(Feed::Fetched) {
        w.hit("fetch-run", code.span);
        return;
    }
    if code.text.starts_with('\u{1a}') {
        w.hit("computed-code", code.span);
        return;
    }
    w.hit("code", code.span);
    let text: String = code.text.chars().take(65_536).collect();
    let tight: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let unsafe_word = UNSAFE_WORDS.iter().any(|word| tight.contains(&word.replace(' ', "")));
    let fetches = [
        "urlopen",
        "urllib",
        "requests.get",
        "fetch(",
        "http.get",
        "https.get",
        "open(\"http",
        "open('http",
        "LWP",
        "file_get_contents('http",
        "URI.open",
    ]
    .iter()
    .any(|s| tight.contains(s));
    let runs_code =
        ["exec(", "eval(", "eval ", "os.system(", "execSync", "Function("].iter().any(|s| text.contains(s));
    if unsafe_word || fetches && runs_code || name == "osascript" && text.contains("administrator privileges")
    {
        w.hit(if fetches && runs_code { "fetch-run" } else { "unsafe-code" }, code.span);
    }
    if name == "perl" && (text.contains("unlink") && (text.contains('*') || text.contains("glob"))) {
        w.hit("unsafe-code", code.span);
    }
    inline_literals(w, &text, code);
    inline_environment(w, &text, &tight, code);
}

/// Command lines and paths among the literals of a piece of code.
fn inline_literals(w: &mut Walker<'_>, text: &str, code: &Field) {
    let literals = literals(text);
    let starts = STARTERS.iter().any(|s| text.contains(s));
    if starts {
        let joined = literals.join(" ");
        for literal in literals.iter().chain([&joined]).filter(|l| l.len() > 1).take(24) {
            let before = w.worst_is_high();
            if !before && super::super::nested_is_high(literal, w.depth) {
                w.hit("unsafe-code", code.span);
            }
        }
    }
    let writes = [
        "'w'",
        "\"w\"",
        "'a'",
        "\"a\"",
        "write",
        "unlink",
        "os.remove",
        "rename",
        "mkdir",
        "symlink",
        "chmod",
        "copy",
        "File.delete",
        "open('>",
        ".touch(",
    ]
    .iter()
    .any(|s| text.contains(s));
    for literal in &literals {
        let path = literal.trim();
        if names_secret(path) {
            w.hit("secret", code.span);
        }
        let looks_like_path = path.starts_with(['/', '~']) && path.len() > 2 && !path.contains(['\n', ' '])
            || path.starts_with("../");
        if writes && looks_like_path && matches!(place(path, w.cwd), Place::Outside | Place::Device) {
            w.hit("outside", code.span);
        }
    }
}

/// Secrets and the whole environment, read from code.
fn inline_environment(w: &mut Walker<'_>, text: &str, tight: &str, code: &Field) {
    for word in ["environ[", "environ.get(", "getenv(", "ENV[", "process.env."] {
        for (_, rest) in
            text.match_indices(word).filter_map(|(at, m)| text.get(at + m.len()..).map(|r| (at, r)))
        {
            let variable: String = rest
                .chars()
                .skip_while(|c| matches!(c, '\'' | '"'))
                .take_while(|c| c.is_alphanumeric() || *c == '_')
                .collect();
            if super::super::path::is_secret_variable(&variable) {
                w.hit("secret-variable", code.span);
            }
        }
    }
    let tail = tight.trim_end_matches([')', ';', '"', '\'']);
    if tail.ends_with("os.environ")
        || tail.ends_with("process.env")
        || tail.ends_with("(ENV")
        || tail.ends_with("pENV")
    {
        w.hit("environment", code.span);
    }
}

/// The string literals of a piece of code, in any of the three quotes.
fn literals(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut chars = text.chars();
    while let Some(open) = chars.next() {
        if !matches!(open, '\'' | '"' | '`') {
            continue;
        }
        let mut literal = String::new();
        while let Some(c) = chars.next() {
            match c {
                '\\' => literal.extend(chars.next()),
                c if c == open => break,
                c => literal.push(c),
            }
        }
        out.push(literal);
        if out.len() > 64 {
            break;
        }
    }
    out
}

/// `python -m module`: the tools among the modules are judged as themselves.
fn module(w: &mut Walker<'_>, case: &Case<'_>, rest: &[Field]) {
    let Some(module) = rest.first() else { return };
    match module.text.as_str() {
        "json.tool" => {
            w.lower_to_read();
            if let Some(out) = rest.iter().skip(1).filter(|f| !f.text.starts_with('-')).nth(1) {
                w.judge_write(out, "write-hidden");
            }
            for field in rest.iter().skip(1) {
                w.judge_read(field);
            }
        }
        "site" | "platform" | "sysconfig" | "calendar" => w.lower_to_read(),
        "smtpd" | "smtplib" | "ftplib" => w.hit("send", case.span),
        name if super::super::command::is_known(name) => {
            let _ = w.dispatch(rest, case.span, case.feed.clone());
        }
        _ => {
            for field in rest {
                w.judge_read(field);
            }
        }
    }
}
