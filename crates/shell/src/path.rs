//! Where a path lies and what it names, judged by its text alone.
//!
//! Owns the lists of secret names. Never touches the file system.

use super::expand::UNKNOWN;

/// Where a path lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Below the project folder.
    Project,
    /// Below a scratch directory.
    Scratch,
    /// The null device and the standard streams.
    Null,
    /// A file of the project that makes something run: git hooks and configuration.
    Control,
    /// A disk or another device.
    Device,
    /// Anywhere else.
    Outside,
    /// Not known from the text.
    Unknown,
}

/// Where the shell stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cwd {
    Project,
    Scratch,
    Outside,
    Unknown,
}

const NULLS: [&str; 9] = [
    "/dev/null",
    "/dev/stdout",
    "/dev/stderr",
    "/dev/stdin",
    "/dev/tty",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
];

const SCRATCH: [&str; 5] = ["/tmp", "/var/tmp", "/dev/shm", "/private/tmp", "/private/var/tmp"];

/// The components of a path with `.` and `..` settled; `None` when it climbs above its start.
fn settle(path: &str) -> Option<Vec<&str>> {
    let mut out = Vec::new();
    for part in path.split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." => {
                out.pop()?;
            }
            part => out.push(part),
        }
    }
    Some(out)
}

/// Where `path` lies when the shell stands at `cwd`.
pub(super) fn place(path: &str, cwd: Cwd) -> Place {
    if path.starts_with(UNKNOWN) {
        return Place::Unknown;
    }
    if NULLS.contains(&path)
        || path.starts_with("/dev/fd/")
        || path.eq_ignore_ascii_case("nul")
        || path == "$null"
    {
        return Place::Null;
    }
    let windows = path.as_bytes().get(1) == Some(&b':')
        && path.as_bytes().first().is_some_and(u8::is_ascii_alphabetic)
        || path.starts_with("\\\\")
        || path.strip_prefix('%').is_some_and(|rest| rest.contains('%'));
    if path.starts_with('~') || windows {
        return Place::Outside;
    }
    if path.starts_with('/') {
        let settled = settle(path).map_or_else(String::new, |parts| format!("/{}", parts.join("/")));
        let scratch =
            SCRATCH.iter().any(|s| settled.strip_prefix(s).is_some_and(|rest| rest.starts_with('/')));
        return if scratch {
            Place::Scratch
        } else if settled.starts_with("/dev/") {
            Place::Device
        } else {
            Place::Outside
        };
    }
    let Some(parts) = settle(path) else { return Place::Outside };
    match cwd {
        Cwd::Outside => Place::Outside,
        Cwd::Unknown => Place::Unknown,
        Cwd::Scratch => Place::Scratch,
        Cwd::Project if is_control(&parts) => Place::Control,
        Cwd::Project => Place::Project,
    }
}

/// Whether it makes something run; what only instructs an agent is a file like others here.
fn is_control(parts: &[&str]) -> bool {
    crate::control::control(parts.iter().copied()).is_some_and(|c| c.runs)
}

/// Directories whose contents are credentials.
const SECRET_DIRS: [&str; 16] = [
    ".ssh",
    ".aws",
    ".gnupg",
    ".azure",
    ".password-store",
    "keyrings",
    "keychains",
    ".docker",
    ".kube",
    "gcloud",
    ".mozilla",
    "google-chrome",
    "chromium",
    ".vault",
    "bravesoftware",
    ".oci",
];

const SECRET_NAMES: [&str; 64] = [
    ".env",
    ".netrc",
    "_netrc",
    ".npmrc",
    ".pypirc",
    ".pgpass",
    ".my.cnf",
    ".git-credentials",
    ".htpasswd",
    ".dockercfg",
    ".boto",
    ".s3cfg",
    ".vault-token",
    ".bash_history",
    ".zsh_history",
    ".sh_history",
    ".history",
    ".python_history",
    ".psql_history",
    ".mysql_history",
    ".node_repl_history",
    ".sqlite_history",
    ".rediscli_history",
    "fish_history",
    ".lesshst",
    ".viminfo",
    "shadow",
    "shadow-",
    "gshadow",
    "master.passwd",
    "sudoers",
    "kubeconfig",
    "key3.db",
    "key4.db",
    "logins.json",
    "cookies.sqlite",
    "cookies",
    "login data",
    "wallet.dat",
    "credentials",
    "credentials.json",
    "credentials.toml",
    "credentials.yml",
    "credentials.yaml",
    "credentials.xml",
    "credentials.csv",
    "secrets.json",
    "secrets.yml",
    "secrets.yaml",
    "secrets.toml",
    "secret.json",
    "secret.yaml",
    "secret.yml",
    "master.key",
    "terraform.tfstate",
    "login.keychain",
    "login.keychain-db",
    "consolehost_history.txt",
    "sam",
    "ntds.dit",
    "client_secret.json",
    "application_default_credentials.json",
    ".envrc",
    ".yarnrc.yml2",
];

const KEY_NAMES: [&str; 6] = ["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_ecdsa_sk", "id_ed25519_sk"];

const SECRET_ENDINGS: [&str; 12] = [
    ".pem",
    ".key",
    ".p12",
    ".pfx",
    ".jks",
    ".keystore",
    ".kdbx",
    ".ppk",
    ".env",
    ".tfstate",
    ".keychain",
    ".p8",
];

const HARMLESS_ENDINGS: [&str; 12] = [
    ".pub",
    ".example",
    ".sample",
    ".template",
    ".dist",
    ".tmpl",
    ".md",
    ".schema",
    ".tpl",
    ".defaults",
    "-example",
    "-sample",
];

/// Whether `path` names a file (or a directory of files) that holds credentials.
pub(super) fn is_secret(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    let parts: Vec<&str> = lower.split(['/', '\\']).filter(|p| !p.is_empty() && *p != ".").collect();
    let Some(&last) = parts.last() else { return false };
    if parts.first() == Some(&"proc") && lower.starts_with('/') {
        return matches!(last, "environ" | "mem" | "kcore" | "auxv") || last == "*" && parts.len() > 2;
    }
    if lower.starts_with("/run/secrets")
        || lower.starts_with("/var/run/secrets")
        || lower.starts_with("/etc/ssl/private")
        || lower.contains("/.config/gh")
        || lower.contains("/.config/op/")
        || lower.starts_with("/etc/sudoers")
        || lower.starts_with("/etc/krb5.keytab")
        || lower.starts_with("/root/")
        || lower.starts_with("env:")
    {
        return true;
    }
    if HARMLESS_ENDINGS.iter().any(|end| last.ends_with(end))
        || matches!(last, "known_hosts" | "authorized_keys" | "example.env" | "sample.env" | "template.env")
    {
        return false;
    }
    if parts.iter().any(|p| SECRET_DIRS.contains(p)) {
        return true;
    }
    name_is_secret(last)
}

fn name_is_secret(last: &str) -> bool {
    let last = last.trim_end_matches([';', ',']);
    let public =
        ["cert", "chain", "pub", "csr"].iter().any(|word| last.contains(word)) || last.starts_with("ca.");
    if public && last.rsplit('.').next() == Some("pem") {
        return false;
    }
    if SECRET_NAMES.contains(&last)
        || KEY_NAMES.contains(&last)
        || SECRET_ENDINGS.iter().any(|end| last.ends_with(end) && (last.len() > end.len() || *end == ".env"))
    {
        return true;
    }
    if let Some(rest) = last.strip_prefix(".env") {
        let tail = rest.rsplit('.').next().unwrap_or("");
        let words =
            ["example", "sample", "template", "dist", "defaults", "default", "schema", "md", "tmpl", "tpl"];
        return rest.is_empty()
            || (rest.starts_with(['.', '-', '_', '*', '?', '~'])
                && !words.contains(&tail)
                && !words.iter().any(|w| rest.starts_with(&format!(".{w}"))));
    }
    let account = last.starts_with("service-account") || last.starts_with("service_account");
    let key = last.starts_with("id_rsa") || last.starts_with("id_ed25519");
    let ending = last.rsplit('.').next().unwrap_or("");
    glob_may_name(last) || account && ending == "json" || key && ending != "pub"
}

/// Whether a pattern with wildcards matches a well-known secret name and little else.
fn glob_may_name(pattern: &str) -> bool {
    if !pattern.contains(['*', '?', '[']) {
        return false;
    }
    let fixed = pattern.chars().filter(|c| !matches!(c, '*' | '?' | '[' | ']')).count();
    let dotted = pattern.starts_with('.');
    (dotted || fixed >= 3)
        && [
            ".env",
            ".netrc",
            ".npmrc",
            ".pypirc",
            ".git-credentials",
            ".bash_history",
            "id_rsa",
            "id_ed25519",
            "shadow",
            "credentials",
        ]
        .iter()
        .any(|name| glob(pattern, name))
}

/// The candidates for a path inside an argument: after `=`, `:`, `@` and `,` as well.
pub(super) fn names_secret(argument: &str) -> bool {
    if argument.starts_with('!') || argument.starts_with("--exclude") || argument.starts_with("--ignore") {
        return false;
    }
    if is_secret(argument) {
        return true;
    }
    argument.contains(['=', ':', '@', ',', '<', '"', '\'', '('])
        && argument
            .split(['=', ':', '@', ',', '<', '"', '\'', '(', ')', ' '])
            .any(|part| !part.is_empty() && part.len() < argument.len() && is_secret(part))
}

/// Whether `text` matches `pattern` (`*`, `?`, `[set]`), without regard to case.
pub(super) fn glob(pattern: &str, text: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().take(256).collect();
    let text: Vec<char> = text.chars().take(1024).collect();
    let (mut p, mut t) = (0, 0);
    let mut back: Option<(usize, usize)> = None;
    while t < text.len() {
        let step = pattern.get(p).zip(text.get(t)).and_then(|(c, x)| match c {
            '*' => None,
            '?' => Some(p + 1),
            '[' => class(&pattern, p, *x),
            c => c.eq_ignore_ascii_case(x).then_some(p + 1),
        });
        if let Some(next) = step {
            p = next;
            t += 1;
        } else if pattern.get(p) == Some(&'*') {
            back = Some((p + 1, t));
            p += 1;
        } else if let Some((bp, bt)) = back {
            p = bp;
            t = bt + 1;
            back = Some((bp, bt + 1));
        } else {
            return false;
        }
    }
    pattern.get(p..).is_some_and(|rest| rest.iter().all(|c| *c == '*'))
}

fn class(pattern: &[char], open: usize, x: char) -> Option<usize> {
    let rest = pattern.get(open + 1..)?;
    let close = rest.iter().position(|c| *c == ']')?;
    let set = rest.get(..close)?;
    let (negated, set) = match set.split_first() {
        Some(('!' | '^', tail)) => (true, tail),
        _ => (false, set),
    };
    let mut found = false;
    let mut at = 0;
    while let Some(low) = set.get(at) {
        if let (Some('-'), Some(high)) = (set.get(at + 1), set.get(at + 2)) {
            found |= (*low..=*high).contains(&x);
            at += 3;
        } else {
            found |= *low == x;
            at += 1;
        }
    }
    (found != negated).then_some(open + close + 2)
}

/// Words in a variable's name that say it holds a secret.
const SECRET_WORDS: [&str; 16] = [
    "TOKEN",
    "SECRET",
    "PASSWORD",
    "PASSWD",
    "API_KEY",
    "APIKEY",
    "PRIVATE_KEY",
    "ACCESS_KEY",
    "CREDENTIAL",
    "PASSPHRASE",
    "AUTH_KEY",
    "ENCRYPTION_KEY",
    "SIGNING_KEY",
    "_PAT",
    "DATABASE_URL",
    "PGPASS",
];

/// Whether a variable of that name is likely to hold a secret.
pub(super) fn is_secret_variable(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    SECRET_WORDS.iter().any(|word| upper.contains(word)) || upper.ends_with("_PWD") || upper.ends_with("_DSN")
}
