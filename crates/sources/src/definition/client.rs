//! A server as a client names it for its session.
//!
//! Owns what of that can be used, and what the user is asked before it is.

use std::{collections::BTreeMap, path::PathBuf, time::Duration};

use pilothouse_core::question::ServerQuestion;

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

    /// What is wrong where it wants somebody to be signed in.
    pub(crate) fn unsigned(&self) -> SourceFault {
        if self.origin == Origin::Client {
            SourceFault::NoSignIn
        } else {
            SourceFault::SignIn(self.name.clone())
        }
    }

    /// The values that a client gives it: whatever they are called, they are nobody's to see.
    pub fn given(&self) -> impl Iterator<Item = &str> {
        let (Reach::Command { env: values, .. } | Reach::Http { headers: values, .. }) = &self.reach;
        values
            .values()
            .filter(|_| self.origin == Origin::Client)
            .flat_map(|value| std::iter::once(value.as_str()).chain(value.split_whitespace()))
    }
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
        assert_eq!(server.given().collect::<Vec<_>>(), ["${HOME} x9", "${HOME}", "x9"]);
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
}
