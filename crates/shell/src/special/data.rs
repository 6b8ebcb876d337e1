//! Judges of databases: what the statements do.
//!
//! Owns the words of statements that destroy, run programs or only read. Never parses SQL in full.

use super::super::args::Opt;
use super::super::carried::is_homely;
use super::super::expand::{Feed, Field};
use super::super::knowledge::list;
use super::super::path::leads_out;
use super::super::walk::Walker;
use super::Case;

/// Databases: what the statements do.
pub(super) fn sql(w: &mut Walker<'_>, case: &Case<'_>) {
    let mut reads_only =
        matches!(case.name, "sqlite3" | "sqlite" | "duckdb") && !case.args.operands.is_empty();
    let mut statements = 0;
    let fed = match case.feed {
        Feed::Text(text) => Some(text.clone()),
        Feed::Fetched => {
            w.hit("fetch-run", case.span);
            None
        }
        Feed::Inherit | Feed::File(_) | Feed::Lines { .. } | Feed::Other => None,
    };
    // The first operand of these is the file, unless an option's value stands before it.
    let file = usize::from(matches!(case.name, "sqlite3" | "sqlite" | "duckdb"));
    let given = case.words().iter().filter(|f| !f.text.starts_with('-') || f.text.contains('='));
    let given = given.map(|f| (f.text.clone(), f.span));
    for (at, (text, span)) in given.chain(fed.map(|t| (t, case.span))).enumerate() {
        let reads = statement(w, case.name, &text, span);
        if at >= file {
            statements += 1;
            reads_only &= reads;
        }
    }
    if let Feed::File(name) = case.feed {
        w.take_over(&Field::plain(name, case.span));
    }
    if matches!(case.feed, Feed::File(_) | Feed::Lines { .. } | Feed::Other) {
        reads_only = false;
    }
    let stored = case.args.operands.first().filter(|f| file > 0 && leads_out(&f.text, w.stand.moved));
    if let Some(stored) = stored.filter(|_| !(reads_only && statements > 0)) {
        w.hit("outside", stored.span);
    }
    if reads_only && statements > 0 || !w.steered.may && only_asks(case) {
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

/// Whether a server is only asked whether it answers: nothing but statements of constants, and the options say no more than
/// how its answer is printed.
fn only_asks(case: &Case<'_>) -> bool {
    let args = case.args;
    let quiet = |o: &Opt| matches!(o.name.as_str(), "-t" | "-A" | "-q" | "-x" | "-N" | "-s" | "-B" | "-X");
    let given = |o: &Opt| matches!(o.name.as_str(), "-c" | "--command" | "-e" | "--execute");
    let code: Vec<&str> =
        args.opts.iter().filter(|o| given(o)).filter_map(|o| Some(o.value.as_ref()?.text.as_str())).collect();
    let fed = match case.feed {
        Feed::Text(text) => Some(text.as_str()),
        Feed::Inherit if !code.is_empty() => None,
        Feed::Inherit | Feed::Fetched | Feed::File(_) | Feed::Lines { .. } | Feed::Other => return false,
    };
    let plain = |f: &Field| f.text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    matches!(case.name, "psql" | "mysql" | "mariadb")
        && args.opts.iter().all(|o| quiet(o) || given(o))
        && args.operands.len() < 2
        && args.operands.iter().all(plain)
        && code.into_iter().chain(fed).all(is_constant)
}

/// Whether a statement is a `select` of numbers.
fn is_constant(statement: &str) -> bool {
    let statement = statement.trim().trim_end_matches(';').to_ascii_lowercase();
    let Some(rest) = statement.strip_prefix("select ") else { return false };
    rest.chars().all(|c| c.is_ascii_digit() || " +-*,.".contains(c)) && !rest.contains("--")
}

/// Whether a statement destroys what cannot be brought back.
fn destroys(name: &str, upper: &str, words: &[&str]) -> bool {
    let pair =
        |a: &str, b: &[&str]| words.windows(2).any(|p| matches!(p, [x, y] if *x == a && b.contains(y)));
    let first = |verb: &str| upper.split(';').any(|part| part.trim_start().starts_with(verb));
    let things =
        ["TABLE", "DATABASE", "SCHEMA", "INDEX", "COLUMN", "USER", "ROLE", "VIEW", "KEYSPACE", "COLLECTION"];
    first("DROP ")
        || pair("DROP", &things)
        || pair("DELETE", &["FROM"])
        || first("DELETE ") && words.contains(&"FROM")
        || first("PURGE ")
        || list("statements that destroy").iter().any(|start| first(start))
        || list("calls that destroy").iter().any(|call| upper.contains(call))
        || upper.contains("EXECUTE '") && upper.contains("||")
        || upper.contains("ROW LEVEL SECURITY") && words.contains(&"DISABLE")
        || words.contains(&"TRUNCATE")
        || words.contains(&"UPDATE") && words.contains(&"SET") && !words.contains(&"WHERE")
        || upper.contains("DROPDATABASE")
        || upper.contains(".DROP(")
        || upper.contains(".REMOVE(")
        || upper.contains("DELETEMANY")
        || upper.contains("DELETEONE")
        || matches!(words.first(), Some(&("FLUSHALL" | "FLUSHDB" | "SHUTDOWN")))
        || matches!(name, "redis-cli" | "valkey-cli")
            && words.iter().any(|w| list("words of redis that destroy").contains(w))
        || matches!(name, "etcdctl" | "consul")
            && words
                .iter()
                .any(|w| matches!(*w, "DEL" | "DELETE" | "DISABLE" | "REMOVE" | "RESTORE" | "LEAVE" | "EXEC"))
}

/// Whether a client's own command (`.once`, `.read`, `.import`, `\\o`, `\\g`) reads from or writes into a program.
fn into_program(upper: &str) -> bool {
    let commands = [".ONCE", ".OUTPUT", ".IMPORT", ".READ", ".EXCEL", "\\O", "\\G", "\\COPY"];
    commands.iter().any(|command| {
        let mut found = upper.match_indices(command).filter_map(|(at, _)| upper.get(at + command.len()..));
        found.any(|rest| rest.trim_start().trim_start_matches(['"', '\'']).starts_with('|'))
    })
}

/// Whether a text of statements, in capitals, has the client or the server run a program or load code.
fn runs_programs(name: &str, upper: &str, words: &[&str]) -> bool {
    upper.contains("\\!")
        || upper.contains(".SHELL")
        || upper.contains(".SYSTEM")
        || into_program(upper)
        || words.first() == Some(&"SYSTEM") && name.starts_with(['m', 's'])
        || upper.contains("TO PROGRAM")
        || upper.contains("FROM PROGRAM")
        || upper.contains("XP_CMDSHELL")
        || upper.contains("LOAD_EXTENSION")
        || upper.contains("EDIT(")
        || upper.contains("FTS3_TOKENIZER")
        || upper.contains("GENERAL_LOG_FILE")
        || ["PLPYTHON", "PLPERLU", "PLSH"].iter().any(|language| upper.contains(language))
        || matches!(name, "redis-cli") && words.first() == Some(&"EVAL")
        || upper.split_ascii_whitespace().next() == Some(".LOAD")
        || upper.contains(".LOAD ")
}

/// The text with the client's own command in full: of the clients of files the beginning of a name is enough.
fn in_full(name: &str, upper: String) -> String {
    const COMMANDS: [&str; 19] = [
        ".SCHEMA", ".TABLES", ".SHELL", ".SYSTEM", ".LOAD", ".IMPORT", ".ONCE", ".OUTPUT", ".READ", ".EXCEL",
        ".BACKUP", ".CLONE", ".CD", ".ARCHIVE", ".SAVE", ".RESTORE", ".OPEN", ".LOG", ".TRACE",
    ];
    let word = upper.split_ascii_whitespace().next().unwrap_or("");
    let short = matches!(name, "sqlite3" | "sqlite" | "duckdb") && word.starts_with('.') && word.len() > 2;
    match COMMANDS.iter().find(|command| short && command.starts_with(word)) {
        Some(command) => upper.replacen(word, command, 1),
        None => upper,
    }
}

/// Whether a statement, or a command of the client, names a place of the user's or writes to one outside.
fn leaves(text: &str, upper: &str, moved: bool) -> bool {
    let written = list("statements that write files").iter().any(|word| upper.contains(word));
    let mut places = text.split(|c: char| c.is_whitespace() || "'\"=(),;|>".contains(c));
    let climbs = |part: &str| part.starts_with("../") && !moved;
    places.any(|part| is_homely(part) || climbs(part) || written && leads_out(part, moved))
        || ["OUTFILE '/", "DUMPFILE '/", "INTO '/ETC", "INTO '/OPT"].iter().any(|to| upper.contains(to))
}

/// Judges one text of statements; whether it only reads.
fn statement(w: &mut Walker<'_>, name: &str, text: &str, span: super::super::syntax::Span) -> bool {
    let upper = in_full(name, text.to_ascii_uppercase());
    let words: Vec<&str> = upper
        .split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | '\\')))
        .filter(|s| !s.is_empty())
        .collect();
    let destroys = destroys(name, &upper, &words);
    if destroys {
        w.hit("remote-destroy", span);
    }
    let runs = runs_programs(name, &upper, &words);
    if runs {
        w.hit("hidden-run", span);
    }
    let first = words.first().copied().unwrap_or("");
    if ["S3://", "GCS://", "HTTP://", "HTTPS://"].iter().any(|to| upper.contains(&format!(" TO '{to}"))) {
        w.hit("send", span);
    }
    // A file of statements is run like a script.
    let file =
        [".read ", "\\i ", "\\ir ", "source "].iter().find_map(|verb| text.trim_start().strip_prefix(verb));
    if let Some(file) = file {
        w.take_over(&Field::plain(file.trim().trim_matches(['"', '\'']), span));
    }
    if upper.contains("PG_READ_FILE")
        || upper.contains("LOAD_FILE(")
        || upper.contains("PG_SHADOW")
        || upper.contains("MYSQL.USER")
        || upper.contains("PG_AUTHID")
    {
        w.hit("secret", span);
    }
    if leaves(text, &upper, w.stand.moved) {
        w.hit("outside", span);
    }
    if upper.contains("PG_TERMINATE_BACKEND") {
        w.hit("kill", span);
    }
    if upper.contains("GETENV(") {
        w.hit("environment", span);
    }
    if words.contains(&"DETACH") && words.contains(&"DELETE") {
        w.hit("remote-destroy", span);
    }
    let reads =
        list("sql reads").contains(&first) && !upper.contains("WRITEFILE(") && !upper.contains("READFILE(");
    let writes = words.iter().any(|word| list("sql writes").contains(word))
        || first == "PRAGMA" && upper.contains('=');
    reads && !writes && !runs
}
