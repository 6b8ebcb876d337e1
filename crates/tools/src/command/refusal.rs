//! What a command says when the sandbox held it, and how to ask for more.
//!
//! Owns the telling words. Never widens anything: the hint is for the model, the answer is the user's.

use pilothouse_core::sandbox::Confine;

/// What programs say when they may not touch a file or a process.
const FORBIDDEN: [&str; 8] = [
    "permission denied",
    "operation not permitted",
    "read-only file system",
    "eacces",
    "eperm",
    "erofs",
    "access denied",
    "permissionerror",
];

/// What they say when they cannot reach the network.
const UNREACHED: [&str; 17] = [
    "could not resolve",
    "couldn't resolve",
    "could not connect",
    "couldn't connect",
    "failed to connect",
    "name resolution",
    "name or service not known",
    "nodename nor servname",
    "network is unreachable",
    "getaddrinfo",
    "enotfound",
    "enetunreach",
    "enotcached",
    "unknownhostexception",
    "in offline mode",
    "--offline",
    "goproxy=off",
];

/// The hint for a command that failed like this, if the sandbox may be the reason.
pub(super) fn hint(said: &str, confine: Confine) -> Option<String> {
    let Confine::Inside { write, network } = confine else { return None };
    let said = said.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|w| said.contains(w));
    let offline = !network && says(&UNREACHED);
    let held = says(&FORBIDDEN);
    if !offline && !held {
        return None;
    }
    let place = if write { "writes only in the workspace, listed caches and $TMPDIR" } else { "only reads" };
    let net = if network { "has the network" } else { "has no network" };
    let mut ways = Vec::new();
    if !network && (offline || held) {
        ways.push("\"network\": true for the network");
    }
    if held {
        ways.push("\"outside\": true to run it outside the sandbox");
    }
    Some(format!(
        "(it ran in a sandbox, where it {place} and {net}; if that is why it failed, run it again with {} \
         and a \"reason\": the user is asked)\n",
        ways.join(", or ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    const INSIDE: Confine = Confine::Inside { write: true, network: false };

    #[test]
    fn a_refusal_tells_how_to_ask_and_nothing_else_does() {
        let hint = hint("fatal: unable to access: Could not resolve host: x", INSIDE).unwrap_or_default();
        assert!(hint.contains("\"network\": true") && !hint.contains("outside\": true"), "{hint}");
        let held = super::hint("touch: cannot touch '/x': Permission denied", INSIDE).unwrap_or_default();
        assert!(held.contains("\"outside\": true"), "{held}");
        assert_eq!(super::hint("error: expected `;`", INSIDE), None);
        assert_eq!(super::hint("Permission denied", Confine::Bare), None);
        assert_eq!(super::hint("Permission denied", Confine::Outside), None);
        let open = Confine::Inside { write: true, network: true };
        assert_eq!(super::hint("Could not resolve host: x", open), None);
    }
}
