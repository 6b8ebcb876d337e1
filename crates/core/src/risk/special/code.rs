//! Judges of interpreters, build tools, package tools and databases.
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
        if case.name.starts_with("python") && text == "-m" || case.name.starts_with("py") && text == "-m" {
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
        if matches!(
            text,
            "-r" | "--require"
                | "--import"
                | "--loader"
                | "-W"
                | "-X"
                | "-I"
                | "-cp"
                | "-classpath"
                | "--env-file"
                | "-d"
                | "-S"
                | "-M"
                | "-jar"
        ) {
            if let Some(value) = next {
                w.judge_read(value);
            }
            at += 1;
        }
        if text.starts_with("-javaagent") || text.starts_with("-agentpath") {
            w.hit("hidden-run", word.span);
        }
    }
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
    let literals = literals(&text);
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

/// Build and package tools: what they run in turn, and where a registry or a script comes from.
pub(super) fn tool(w: &mut Walker<'_>, judge: &str, case: &Case<'_>) {
    match judge {
        "npx" => npx(w, case),
        "node" => node(w, case),
        "pip" => pip(w, case),
        "cargo" => cargo(w, case),
        "buildtool" => buildtool(w, case),
        "lint" => {}
        _ => {}
    }
}

fn run_rest(w: &mut Walker<'_>, case: &Case<'_>, rest: &[Field]) {
    let rest: Vec<Field> = rest.iter().skip_while(|f| f.text.starts_with('-')).cloned().collect();
    let known = rest.first().is_some_and(|f| super::super::command::is_known(&f.text));
    if known {
        let _ = w.dispatch(&rest, case.span, Feed::Inherit);
    }
}

fn npx(w: &mut Walker<'_>, case: &Case<'_>) {
    if let Some(opt) = case.args.opt(&["-y", "--yes"]) {
        w.hit("fetch-run", opt.span);
    }
    if let Some(code) = case.args.opt(&["-c", "--call"]).and_then(|o| o.value.clone()) {
        let _ = w.run_text(&code.text, code.span);
    }
    if let Some(package) = case.args.opt(&["-p", "--package"]).and_then(|o| o.value.clone()) {
        w.hit("fetch-run", package.span);
    }
    let Some(first) = case.args.operands.first() else { return };
    let name = first.text.trim_start_matches('@');
    if name.contains('@')
        || name.starts_with("create-")
        || name.contains("://")
        || name.starts_with("github:")
        || name.starts_with("degit")
    {
        w.hit("fetch-run", first.span);
    }
    let at = case.words().iter().position(|f| f.text == first.text).unwrap_or(0);
    run_rest(w, case, case.words().get(at..).unwrap_or(&[]));
}

fn node(w: &mut Walker<'_>, case: &Case<'_>) {
    let args = case.args;
    if let Some(opt) = args.opt(&["-g", "--global"])
        && matches!(
            args.operand(0),
            "install"
                | "i"
                | "add"
                | "uninstall"
                | "remove"
                | "rm"
                | "update"
                | "link"
                | "un"
                | "up"
                | "upgrade"
        )
    {
        w.hit("global-install", opt.span);
    }
    let inside = matches!(args.operand(0), "exec" | "x" | "dlx" | "node" | "explore");
    let words = case.words();
    if inside {
        let at = words.iter().position(|f| f.text == args.operand(0)).map_or(words.len(), |at| at + 1);
        if case.name == "npm" {
            let yes = words
                .iter()
                .find(|f| matches!(f.text.as_str(), "-y" | "--yes") || f.text.starts_with("--package"));
            if let Some(word) = yes {
                w.hit("fetch-run", word.span);
            }
            if args.operands.get(1).is_some_and(|f| f.text.trim_start_matches('@').contains('@')) {
                w.hit("fetch-run", case.span);
            }
        }
        if let Some(code) = words
            .iter()
            .position(|f| matches!(f.text.as_str(), "-c" | "--call"))
            .and_then(|at| words.get(at + 1))
        {
            let _ = w.run_text(&code.text, code.span);
        }
        let rest: Vec<Field> =
            words.get(at..).unwrap_or(&[]).iter().skip_while(|f| f.text.starts_with('-')).cloned().collect();
        run_rest(w, case, &rest);
    }
    if matches!(args.operand(0), "install" | "i" | "add")
        && let Some(field) = args.operands.iter().skip(1).find(|f| {
            f.text.starts_with("http") || f.text.starts_with("git+") || f.text.starts_with("git://")
        })
    {
        w.hit("fetch-run", field.span);
    }
}

fn pip(w: &mut Walker<'_>, case: &Case<'_>) {
    let args = case.args;
    if let Some(opt) = args.opt(&["--index-url", "--extra-index-url", "-i", "--trusted-host"])
        && args.operand(0) == "install"
        && opt.value.as_ref().is_none_or(|v| v.text.starts_with("http://"))
    {
        w.hit("fetch-run", opt.span);
    }
    if matches!(args.operand(0), "run" | "exec") {
        let at = case.words().iter().position(|f| f.text == args.operand(0)).map_or(0, |at| at + 1);
        run_rest(w, case, case.words().get(at..).unwrap_or(&[]));
    }
}

fn cargo(w: &mut Walker<'_>, case: &Case<'_>) {
    let args = case.args;
    if let Some(opt) = args.opts.iter().find(|o| o.name == "--config") {
        let value = opt.value.as_ref().map_or("", |v| v.text.as_str());
        if ["runner", "linker", "rustc", "wrapper", "alias"].iter().any(|key| value.contains(key))
            || value.contains('/') && !value.contains('=')
        {
            w.hit("hidden-run", opt.span);
        }
    }
    if args.operand(0) == "watch" {
        let mut words = case.words().iter();
        while let Some(word) = words.next() {
            if matches!(word.text.as_str(), "-s" | "--shell")
                && let Some(code) = words.next()
            {
                let _ = w.run_text(&code.text, code.span);
            }
        }
    }
    if matches!(args.operand(0), "run" | "r") {
        for field in case.words() {
            w.judge_read(field);
        }
    }
}

/// Makefiles with their own shell, wrappers of commands, code on the command line.
fn buildtool(w: &mut Walker<'_>, case: &Case<'_>) {
    for field in case.words() {
        let text = field.text.as_str();
        if let Some(code) = text.strip_prefix("--eval=") {
            w.hit("hidden-run", field.with(code).span);
        } else if text == "--eval" || text.starts_with("SHELL=") || text.starts_with(".SHELLFLAGS=") {
            w.hit("hidden-run", field.span);
        }
        if case.name.contains("make")
            && (text == "-f" || text == "--file")
            && case.words().iter().any(|f| f.text == "-" || f.text == "/dev/stdin")
        {
            w.hit("computed-code", field.span);
        }
        if case.name.contains("make") && field.feed.is_some() {
            w.hit("computed-code", field.span);
        }
        if matches!(text, "--rsh" | "--init-script" | "-I") && case.name.starts_with("gradle") {
            w.hit("hidden-run", field.span);
        }
        w.judge_read(field);
        if case.name.ends_with("make") && matches!(text, "install" | "uninstall") && case.name != "cmake" {
            w.hit("outside", field.span);
        }
        if case.name.ends_with("make") && matches!(text, "deploy" | "publish" | "release" | "upload" | "push")
        {
            w.hit("publish", field.span);
        }
    }
    if matches!(case.name, "perf" | "hyperfine" | "valgrind" | "gdb") {
        run_rest(w, case, case.words().get(1..).unwrap_or(&[]));
    }
    if let Some(out) =
        case.args.opts.iter().find(|o| matches!(o.name.as_str(), "-o") || o.text.starts_with("-o/"))
        && let Some(at) = case.words().iter().position(|f| f.text == "-o")
        && let Some(target) = case.words().get(at + 1)
    {
        let _ = out;
        w.judge_write(target, "build");
    }
}

/// Databases: what the statements do.
pub(super) fn sql(w: &mut Walker<'_>, case: &Case<'_>) {
    let mut reads_only =
        matches!(case.name, "sqlite3" | "sqlite" | "duckdb") && !case.args.operands.is_empty();
    let mut statements = 0;
    let fed = match case.feed {
        Feed::Text(text) => Some(text.clone()),
        Feed::Inherit => None,
        Feed::File(_) => None,
        Feed::Fetched => {
            w.hit("fetch-run", case.span);
            None
        }
        Feed::Other => None,
    };
    let skip = usize::from(matches!(case.name, "sqlite3" | "sqlite" | "duckdb"));
    let given = case
        .words()
        .iter()
        .filter(|f| !f.text.starts_with('-') || f.text.contains("="))
        .skip(skip)
        .map(|f| (f.text.clone(), f.span));
    for (text, span) in given.chain(fed.map(|t| (t, case.span))) {
        statements += 1;
        reads_only &= statement(w, case.name, &text, span);
    }
    if matches!(case.feed, Feed::File(_) | Feed::Other) {
        reads_only = false;
    }
    if reads_only && statements > 0 {
        w.lower_to_read();
    }
    for word in case.words() {
        if word.text.to_ascii_lowercase().starts_with("-p")
            && word.text.len() > 2
            && case.name.starts_with("mysql")
            && !word.text.starts_with("-P")
        {
            w.hit("send", word.span);
        }
    }
}

/// Judges one text of statements; whether it only reads.
fn statement(w: &mut Walker<'_>, name: &str, text: &str, span: super::super::syntax::Span) -> bool {
    let upper = text.to_ascii_uppercase();
    let words: Vec<&str> = upper
        .split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | '\\')))
        .filter(|s| !s.is_empty())
        .collect();
    let pair =
        |a: &str, b: &[&str]| words.windows(2).any(|p| matches!(p, [x, y] if *x == a && b.contains(y)));
    let destroys = pair(
        "DROP",
        &[
            "TABLE",
            "DATABASE",
            "SCHEMA",
            "INDEX",
            "COLUMN",
            "USER",
            "ROLE",
            "VIEW",
            "KEYSPACE",
            "OWNED",
            "COLLECTION",
        ],
    ) || pair("DELETE", &["FROM"])
        || words.contains(&"TRUNCATE")
        || words.contains(&"UPDATE") && words.contains(&"SET") && !words.contains(&"WHERE")
        || upper.contains("DROPDATABASE")
        || upper.contains(".DROP(")
        || upper.contains(".REMOVE(")
        || upper.contains("DELETEMANY")
        || upper.contains("DELETEONE")
        || matches!(words.first(), Some(&("FLUSHALL" | "FLUSHDB" | "SHUTDOWN")))
        || matches!(name, "redis-cli" | "valkey-cli")
            && words.iter().any(|w| matches!(*w, "FLUSHALL" | "FLUSHDB" | "DEL" | "UNLINK" | "SHUTDOWN"))
        || matches!(name, "etcdctl" | "consul") && words.iter().any(|w| matches!(*w, "DEL" | "DELETE"));
    if destroys {
        w.hit("remote-destroy", span);
    }
    let runs = upper.contains("\\!")
        || upper.contains(".SHELL")
        || upper.contains(".SYSTEM")
        || upper.contains("TO PROGRAM")
        || upper.contains("FROM PROGRAM")
        || upper.contains("XP_CMDSHELL")
        || upper.contains("LOAD_EXTENSION")
        || upper.contains("EDIT(")
        || matches!(name, "redis-cli") && words.first() == Some(&"EVAL")
        || upper.contains(".LOAD ");
    if runs {
        w.hit("hidden-run", span);
    }
    let first = words.first().copied().unwrap_or("");
    if upper.contains("PG_READ_FILE")
        || upper.contains("LOAD_FILE(")
        || upper.contains("PG_SHADOW")
        || upper.contains("MYSQL.USER")
        || upper.contains("PG_AUTHID")
    {
        w.hit("secret", span);
    }
    matches!(
        first,
        "SELECT"
            | "EXPLAIN"
            | "PRAGMA"
            | ".TABLES"
            | ".SCHEMA"
            | ".INDEXES"
            | ".INDICES"
            | ".DATABASES"
            | ".DBINFO"
            | "WITH"
            | ".HELP"
            | ".DUMP"
    ) && !upper.contains("WRITEFILE(")
        && !words.iter().any(|w| {
            matches!(
                *w,
                "INSERT"
                    | "UPDATE"
                    | "DELETE"
                    | "CREATE"
                    | "ALTER"
                    | "DROP"
                    | "REPLACE"
                    | "ATTACH"
                    | ".OUTPUT"
                    | ".ONCE"
                    | "INTO"
            )
        })
        && !(first == "PRAGMA" && upper.contains('='))
        && !runs
}
