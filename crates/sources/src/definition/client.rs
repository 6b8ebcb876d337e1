//! A server as a client names it for its session.
//!
//! Owns what of that can be used, and what the user is asked before it is.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    time::Duration,
};

use pilothouse_core::{
    question::ServerQuestion,
    redact::{Redactor, is_worth_hiding},
    shell::quote,
};

use super::{
    Definition, MOST_NAME, Origin, Reach,
    read::{CALL_S, START_S, reach},
    slug,
};
use crate::SourceFault;

/// The source that a client means. Its name may be any there: here it has one that fits.
///
/// # Errors
/// Why it cannot be used.
pub fn of_client(name: &str, how: Reach) -> Result<Definition, String> {
    let name = slug(name).or_else(|_| slug(&fitting(name)))?;
    let reach = match how {
        Reach::Command { program, args, env } => reach((Some(program), args, env), (None, BTreeMap::new()))?,
        Reach::Http { url, headers } => reach((None, Vec::new(), BTreeMap::new()), (Some(url), headers))?,
    };
    Ok(Definition {
        name,
        origin: Origin::Client,
        file: PathBuf::new(),
        about: String::new(),
        reach,
        enabled: true,
        read_only: false,
        tools: None,
        web: None,
        adds: None,
        oauth: None,
        start: Duration::from_secs(START_S),
        call: Duration::from_secs(CALL_S),
    })
}

/// The letters and digits of a name, as many as one may have.
fn fitting(name: &str) -> String {
    let plain = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' });
    let parts: String = plain.collect();
    let parts: Vec<&str> = parts.split('-').filter(|p| !p.is_empty()).collect();
    parts.join("-").chars().take(MOST_NAME).collect()
}

impl Definition {
    /// What the user is asked before it starts: its very line, and the names of what it is given.
    pub fn asks(&self) -> ServerQuestion {
        let (far, values) = match &self.reach {
            Reach::Command { env, .. } => (false, env),
            Reach::Http { headers, .. } => (true, headers),
        };
        ServerQuestion::of(&self.name, (self.line(), far), values.keys().cloned().collect())
    }

    /// Whether a word of its line names something below this folder, or programs are looked for there with this `PATH`:
    /// what that is changes with the folder.
    pub fn runs_in(&self, root: &Path, path: &str) -> bool {
        let Reach::Command { program, args, .. } = &self.reach else { return false };
        let parts = |word| {
            let inside = str::split(word, |c: char| c.is_whitespace() || "=:,;'\"()".contains(c));
            std::iter::once(word).chain(inside)
        };
        let mut words = std::iter::once(program).chain(args).flat_map(|word| parts(word.as_str()));
        let below = |word: &str| {
            let there = root.join(word).canonicalize();
            there.is_ok_and(|path| !word.is_empty() && path.starts_with(root))
        };
        let sought = |folder: PathBuf| {
            let folder = root.join(folder);
            folder.starts_with(root) || folder.canonicalize().is_ok_and(|folder| folder.starts_with(root))
        };
        words.any(below) || std::env::split_paths(path).any(sought)
    }

    /// What is wrong where it wants somebody to be signed in.
    pub(crate) fn unsigned(&self) -> SourceFault {
        if self.origin == Origin::Client {
            SourceFault::NoSignIn
        } else {
            SourceFault::SignIn(self.name.clone())
        }
    }

    /// The values that a client gives it: whatever they are called, they are nobody's to see.
    fn given(&self) -> impl Iterator<Item = &str> {
        let (Reach::Command { env: values, .. } | Reach::Http { headers: values, .. }) = &self.reach;
        values.values().flat_map(|value| {
            std::iter::once(value.as_str()).chain(value.split_whitespace()).chain(password(value))
        })
    }

    /// What stands in its line where the name beside it says that it is a secret, and the line without that.
    fn named(&self) -> (Vec<&str>, String) {
        let pair = |text: &str| text.split_once('=').is_some_and(|(name, _)| names_secret(name));
        let (mut named, mut shown) = (Vec::new(), Vec::new());
        match &self.reach {
            Reach::Command { program, args, .. } => {
                shown.push(program.as_str());
                let before = std::iter::once("").chain(args.iter().map(String::as_str));
                for (before, arg) in before.zip(args) {
                    match arg.split_once('=').filter(|_| pair(arg)) {
                        Some((name, value)) => {
                            named.push(value);
                            shown.push(name);
                        }
                        None if before.starts_with('-') && names_secret(before) => named.push(arg),
                        None => shown.push(arg),
                    }
                }
            }
            Reach::Http { url, .. } => {
                let (place, asked) = url.split_at(url.find(['?', '#']).unwrap_or(url.len()));
                match password(place).and_then(|word| Some((word, place.split_once(word)?))) {
                    Some((word, (login, rest))) => {
                        named.push(word);
                        shown.extend([login, rest]);
                    }
                    None => shown.push(place),
                }
                for part in asked.split_inclusive(['?', '&', '#']) {
                    let text = part.trim_end_matches(['?', '&', '#']);
                    match text.split_once('=').filter(|_| pair(text)) {
                        Some((name, value)) => {
                            named.push(value);
                            shown.extend([name, part.get(text.len()..).unwrap_or_default()]);
                        }
                        None => shown.push(part),
                    }
                }
                return (named, shown.concat());
            }
        }
        (named, shown.into_iter().map(quote).collect::<Vec<_>>().join(" "))
    }
}

/// What is a secret of the servers that a client names: what it gives them, and what their lines name as one. What
/// would hide something else of a line is none: the user agrees to the line.
pub fn hidden_of<'d>(servers: impl Iterator<Item = &'d Definition>) -> Vec<&'d str> {
    let servers: Vec<&Definition> = servers.collect();
    let (named, shown): (Vec<_>, Vec<_>) = servers.iter().map(|server| server.named()).unzip();
    let lines = servers.iter().map(|server| server.line()).collect::<Vec<_>>().join("\n");
    let (shown, worth) = (shown.join("\n"), |value: &&str| is_worth_hiding("secret", value));
    let masked = |all: &[&str], text: &str| Redactor::knowing(all.iter().copied()).mask(text).into_owned();
    let bare = masked(&[], &shown);
    let mut all: Vec<&str> = named.into_iter().flatten().filter(worth).collect();
    all.retain(|value| masked(&[*value], &shown) == bare);
    let bare = masked(&all, &lines);
    let beside = |value: &&str| masked(&[all.as_slice(), &[*value]].concat(), &lines) == bare;
    let given: Vec<&str> =
        servers.iter().flat_map(|server| server.given()).filter(worth).filter(beside).collect();
    all.extend(given);
    all
}

/// Whether a name alone says that what stands beside it is a secret, whatever that is.
fn names_secret(name: &str) -> bool {
    is_worth_hiding(name, "words and nothing else")
}

/// The password inside an address.
fn password(address: &str) -> Option<&str> {
    let (_, behind) = address.split_once("://")?;
    let (login, _) = behind.split(['/', '?', '#']).next()?.rsplit_once('@')?;
    Some(login.split_once(':')?.1)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn command(program: &str, env: &[(&str, &str)]) -> Reach {
        let env = env.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
        Reach::Command { program: program.to_owned(), args: vec!["a b".to_owned()], env }
    }

    #[test]
    fn a_server_of_a_client_has_a_name_that_fits_and_its_question_holds_no_value() {
        let server =
            of_client("My Server (beta)/\u{202e}2", command("npx", &[("KEY", "${HOME} x9")])).unwrap();
        let asked = server.asks();
        assert_eq!((server.name.as_str(), asked.line.as_str()), ("my-server-beta-2", "npx 'a b'"));
        assert_eq!(asked.gets, ["KEY"]);
        assert!(!format!("{asked:?}").contains("x9") && server.wants().is_empty());
        for (name, how) in [
            ("run", command("npx", &[])),
            ("--", command("npx", &[])),
            ("a", command(" ", &[])),
            ("a", command("npx", &[("LD_PRELOAD", "x.so")])),
            ("a", Reach::Http { url: "http://example.org".to_owned(), headers: BTreeMap::new() }),
            ("a", Reach::Http { url: "file:///etc".to_owned(), headers: BTreeMap::new() }),
        ] {
            assert!(of_client(name, how.clone()).is_err(), "{how:?}");
        }
    }

    #[test]
    fn what_is_looked_for_in_the_folder_runs_in_it() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        std::fs::write(root.join("server.py"), "").unwrap();
        let of = |word: &str| {
            let args = vec![word.to_owned()];
            of_client("a", Reach::Command { program: "python3".to_owned(), args, env: BTreeMap::new() })
                .unwrap()
        };
        let (inner, usual) = (root.join(".venv/bin"), "/usr/bin:/bin");
        for (word, path, runs) in [
            ("--version", usual.to_owned(), false),
            ("server.py", usual.to_owned(), true),
            ("--file=server.py", usual.to_owned(), true),
            // Also where nothing stands there yet: tomorrow it may.
            ("--version", format!("{}:{usual}", inner.display()), true),
            ("--version", format!("node_modules/.bin:{usual}"), true),
            ("--version", format!("{usual}:"), true),
        ] {
            assert_eq!(of(word).runs_in(&root, &path), runs, "{word} {path}");
        }
    }

    #[test]
    fn what_a_client_gives_is_a_secret_and_hides_nothing_of_a_line() {
        let of = |program: &str, args: &[&str], env: &[(&str, &str)]| {
            let env = env.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
            let args = args.iter().map(|a| (*a).to_owned()).collect();
            of_client("a", Reach::Command { program: program.to_owned(), args, env }).unwrap()
        };
        let far = |url: &str, value: &str| {
            let headers = BTreeMap::from([("Authorization".to_owned(), value.to_owned())]);
            of_client("b", Reach::Http { url: url.to_owned(), headers }).unwrap()
        };
        let hidden = |servers: &[Definition]| {
            let mut all: Vec<String> = hidden_of(servers.iter()).iter().map(|v| (*v).to_owned()).collect();
            all.sort();
            all.dedup();
            all
        };
        assert_eq!(hidden(&[of("npx", &["-y", "x"], &[("K", "quiet-harbour-9")])]), ["quiet-harbour-9"]);
        // The key of a line is one, also where it is given besides.
        let keyed = of("npx", &["x", "--api-key", "quiet-harbour-9"], &[("K", "quiet-harbour-9")]);
        assert_eq!(hidden(&[keyed]), ["quiet-harbour-9"]);
        let keyed = far("https://me:s3same-Str33t@x.org/mcp?token=quiet-harbour-9", "Bearer quiet-harbour-9");
        let all = ["Bearer quiet-harbour-9", "quiet-harbour-9", "s3same-Str33t"];
        assert_eq!(hidden(&[keyed]), all);
        // What runs, or is connected to, is no secret by being given as well, to it or to another one.
        let none: [&str; 0] = [];
        assert_eq!(hidden(&[of("npx", &["-y", "bad-package-12"], &[("API_KEY", "bad-package-12")])]), none);
        assert_eq!(hidden(&[of("npx", &["bad-package-12", "--token", "bad-package-12"], &[])]), none);
        assert_eq!(hidden(&[of("/opt/bad-one-12", &[], &[]), far("https://x.org", "bad-one-12")]), none);
        assert_eq!(hidden(&[of("npx", &["-y", "bad-package-12"], &[("K", "x\nbad-package-12")])]), none);
        let all =
            far("https://bad.host-12/mcp?token=quiet-harbour-9", "bad.host-12/mcp?token=quiet-harbour-9");
        assert_eq!(hidden(&[all]), ["quiet-harbour-9"]);
        assert_eq!(hidden(&[far("https://bad.host-12/mcp?x=1", "bad.host-12/mcp?x")]), none);
        let beside = "https://a:hunter2.host-12@b";
        assert_eq!(hidden(&[far("https://hunter2.host-12/x9Kd72mQp1", beside)]), [beside]);
        assert_eq!(hidden(&[of("npx", &["-y", "x9Kd72mQp1zR"], &[])]), none);
    }
}
