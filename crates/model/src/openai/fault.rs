//! Faults with a cause, the server's own words and a hint.
//!
//! Owns how failures of the wire are told. Never lets a key or a password through.

use std::time::Duration;

use pilothouse_core::{
    redact::Redactor,
    talk::{Fault, FaultKind},
};
use serde_json::Value;

use super::endpoint::Endpoint;

const DAY: Duration = Duration::from_hours(24);
/// Most characters of a server's message that are passed on.
const WORDS: usize = 500;

/// A fault without a status.
pub(crate) fn fault(kind: FaultKind, message: impl Into<String>, hint: &str) -> Fault {
    Fault { kind, message: message.into(), hint: hint.to_owned(), status: None }
}

/// No connection, or it broke before anything came.
pub(crate) fn unreachable(endpoint: &Endpoint, error: &reqwest::Error) -> Fault {
    let cause = deepest(error);
    let message = if error.is_timeout() {
        format!("no connection to {} within {}", endpoint.shown_url(), seconds(endpoint.connect_timeout))
    } else {
        format!("cannot reach {}: {cause}", endpoint.shown_url())
    };
    fault(
        FaultKind::Unreachable,
        message,
        if is_name(error) {
            "the server's name does not resolve: check the network, then the host in the base URL"
        } else {
            "check that the server is running and that the base URL is right; `pilothouse config show` says where it was set"
        },
    )
}

/// Whether nobody knew the host's name.
fn is_name(error: &(dyn std::error::Error + 'static)) -> bool {
    let mut causes = std::iter::successors(Some(error), |e| e.source());
    causes.any(|e| {
        let said = e.to_string().to_lowercase();
        said.contains("dns error") || said.contains("failed to lookup address")
    })
}

/// The connection stands, but no answer came in time.
pub(crate) fn unanswered(endpoint: &Endpoint) -> Fault {
    fault(
        FaultKind::Unreachable,
        format!("{} did not answer within {}", endpoint.shown_url(), seconds(endpoint.silence_timeout)),
        "try again; a model that takes long to load needs a larger `silence_seconds` under [model] in config.toml",
    )
}

/// The stream went silent.
pub(crate) fn stalled(endpoint: &Endpoint) -> Fault {
    fault(
        FaultKind::Stalled,
        format!("the model sent nothing for {}", seconds(endpoint.silence_timeout)),
        "try again; a slow model needs a larger `silence_seconds` under [model] in config.toml",
    )
}

/// The stream ended before the reply did.
pub(crate) fn cut(why: &str) -> Fault {
    fault(
        FaultKind::Cut,
        format!("the stream ended before the reply did: {why}"),
        "try again; what arrived until then is kept",
    )
}

/// The advice where a server said for how long it takes no requests.
pub(crate) fn takes_again(after: Duration, now: &jiff::Zoned) -> String {
    let then = jiff::SignedDuration::try_from(after).ok().and_then(|after| now.checked_add(after).ok());
    let form = if after < DAY { "%H:%M" } else { "%Y-%m-%d %H:%M" };
    let at = then.map(|then| format!(" at {}", then.strftime(form))).unwrap_or_default();
    let left = match after.as_secs_f64().ceil() {
        seconds if seconds < 90.0 => format!("{seconds} s"),
        seconds if seconds < 2.0 * 3600.0 => format!("{} min", (seconds / 60.0).ceil()),
        seconds => format!("{} h", (seconds / 3600.0).ceil()),
    };
    format!("the server accepts requests again{at} (in {left}); `/model NAME` switches to another model")
}

/// The reply ended before it began.
pub(crate) fn empty() -> Fault {
    fault(FaultKind::Malformed, "the reply is empty", "try again")
}

/// More came than is taken.
pub(crate) fn too_large(what: &str, most: usize) -> Fault {
    fault(
        FaultKind::Malformed,
        format!("{what} is larger than {} MiB", most / 1024 / 1024),
        "what arrived until then is kept; ask for less at once",
    )
}

/// One reply wants more calls than it may.
pub(crate) fn too_many_calls(most: usize) -> Fault {
    fault(
        FaultKind::Malformed,
        format!("the reply makes more than {most} calls"),
        "none of them was run; ask for less at once",
    )
}

/// What servers say where a request is longer than the model takes.
const TOO_LONG: [&str; 6] = [
    "context length",
    "context_length",
    "context window",
    "maximum context",
    "too many tokens",
    "prompt is too long",
];
/// What they say where nothing may be spent any more.
const SPENT: [&str; 5] =
    ["insufficient_quota", "exceeded your current quota", "billing", "credit", "insufficient balance"];

/// An answer with a status that is no success; `key_hint` says what is to be done where it is the key that is refused.
pub(crate) fn refused(status: u16, words: &str, key_hint: &str) -> Fault {
    let kind = if matches!(status, 401 | 403) { FaultKind::Unauthorized } else { FaultKind::Refused };
    let said = words.to_lowercase();
    let tells = |signs: &[&str]| signs.iter().any(|sign| said.contains(sign));
    let hint = match status {
        400 | 413 | 422 if tells(&TOO_LONG) => {
            "the conversation is longer than the model's window: `/compact` summarizes it, and `window` under [model] in config.toml says how large it is"
        }
        402 | 403 | 429 if tells(&SPENT) => {
            "the account has no credit left: check its credit and limits with the provider, or switch with `/model NAME`"
        }
        401 | 403 => key_hint,
        402 => "the provider asks for payment: check the account's credit",
        404 | 405 => "check the model's name and the base URL, which usually ends in /v1",
        300..=399 => "the server has moved: put the new address into the base URL",
        413 => "the request is too large: start a new session or name fewer files",
        400 | 422 => "the server does not accept the request: check that the model exists and can call tools",
        429 => "wait a little, or switch with `/model NAME`",
        500..=599 => "the provider has a problem: try again later, or switch with `/model NAME`",
        _ => "the server's own words say why; `/model NAME` switches to another model",
    };
    Fault {
        kind,
        message: format!("the server answered {status}: {words}"),
        hint: hint.to_owned(),
        status: Some(status),
    }
}

/// An error that came inside a stream; `key_hint` as with one that is the answer.
pub(crate) fn in_band(error: &Value, key_hint: &str) -> Fault {
    let words = words_of(error).unwrap_or_else(|| shorten(&error.to_string()));
    let code = error.get("code").or_else(|| error.get("status"));
    let status = code
        .and_then(|c| c.as_u64().or_else(|| c.as_str().and_then(|s| s.parse().ok())))
        .and_then(|c| u16::try_from(c).ok())
        .filter(|c| (400..600).contains(c));
    match status {
        Some(status) => refused(status, &words, key_hint),
        None => fault(
            FaultKind::Refused,
            format!("the server cut off the reply: {words}"),
            "try again, or connect another model",
        ),
    }
}

/// A 200 whose body is no stream of events.
pub(crate) fn not_a_stream(kind: &str, body: &[u8]) -> Fault {
    let kind = if kind.is_empty() { "no content type" } else { kind };
    Fault {
        status: Some(200),
        ..fault(
            FaultKind::NotAStream,
            format!("the server answered 200 with {kind} instead of a stream: {}", words(body)),
            "check that the base URL is that of an OpenAI-compatible interface (it usually ends in /v1)",
        )
    }
}

/// The server's message from a body of any shape, in one line.
pub(crate) fn words(body: &[u8]) -> String {
    if let Ok(value) = serde_json::from_slice::<Value>(body) {
        return words_of(&value).unwrap_or_else(|| shorten(&value.to_string()));
    }
    let text = String::from_utf8_lossy(body);
    let lower = text.to_ascii_lowercase();
    let text = if lower.contains("<html") || lower.contains("<!doctype") { page(&text) } else { text.into() };
    let text = shorten(&text);
    if text.is_empty() { "(no message)".to_owned() } else { text }
}

/// The message in a JSON error: `{"error": {"message"}}`, `{"error": ""}`, `{"message"}`,
/// `{"detail": ""}`, `{"detail": [{"loc", "msg"}]}`, `{"errors": []}`, `[{"error": {}}]`.
pub(crate) fn words_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(shorten(text)).filter(|t| !t.is_empty()),
        Value::Array(items) => {
            let all: Vec<String> = items.iter().take(3).filter_map(words_of).collect();
            (!all.is_empty()).then(|| all.join("; "))
        }
        Value::Object(map) => {
            let found =
                ["error", "message", "msg", "detail", "errors", "error_description", "title", "reason"]
                    .iter()
                    .find_map(|name| map.get(*name).and_then(words_of))?;
            let place = map.get("loc").and_then(Value::as_array).map(|parts| {
                let parts: Vec<String> = parts.iter().map(|p| p.to_string().replace('"', "")).collect();
                format!("{}: ", parts.join("."))
            });
            let raw = map.get("metadata").and_then(|m| m.get("raw")).and_then(words_of);
            let raw = raw.map(|r| format!(" ({r})")).unwrap_or_default();
            Some(format!("{}{found}{raw}", place.unwrap_or_default()))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

/// Takes secrets out of a fault: servers like to repeat them.
pub(crate) fn scrub(fault: Fault, redactor: &Redactor) -> Fault {
    Fault { message: redactor.mask(&fault.message).into_owned(), ..fault }
}

/// The title or else the text of an HTML page.
fn page(text: &str) -> String {
    let title = text.split_once("<title>").and_then(|(_, rest)| rest.split_once("</title>"));
    if let Some((title, _)) = title {
        return format!("a web page, {:?}", title.trim());
    }
    let mut inside = false;
    text.chars()
        .filter(|c| {
            let keep = !inside && *c != '<';
            inside = (*c == '<') || (inside && *c != '>');
            keep
        })
        .collect()
}

fn shorten(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut rest = line.chars().filter(|c| !c.is_control());
    let mut out: String = rest.by_ref().take(WORDS).collect();
    if rest.next().is_some() {
        out.push('…');
    }
    out
}

/// The innermost cause, which is the one that says something.
pub(crate) fn deepest(error: &(dyn std::error::Error + 'static)) -> String {
    let mut cause = error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    // The system's number says nothing to people.
    let text = cause.to_string();
    text.split_once(" (os error ").map_or(text.as_str(), |(words, _)| words).to_owned()
}

fn seconds(time: Duration) -> String {
    if time.as_secs() > 0 { format!("{} s", time.as_secs()) } else { format!("{} ms", time.as_millis()) }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_comes_without_the_systems_number() {
        let refused = std::io::Error::from_raw_os_error(2);
        assert_eq!(deepest(&refused), "No such file or directory");
    }

    #[derive(Debug, thiserror::Error)]
    #[error("dns error")]
    struct Unknown;

    #[test]
    fn the_advice_is_that_of_the_fault_and_not_of_its_number() {
        let hint = |status, words| refused(status, words, "").hint;
        let quota = hint(429, "You exceeded your current quota, please check your plan and billing details.");
        assert!(quota.contains("no credit left") && !quota.contains("wait"), "{quota}");
        assert!(hint(429, "Rate limit reached for requests").contains("wait a little"));
        let long = hint(400, "This model's maximum context length is 8192 tokens.");
        assert!(long.contains("/compact") && long.contains("`window`"), "{long}");
        assert!(hint(400, "tools is not supported").contains("can call tools"));
        assert!(is_name(&Unknown) && !is_name(&std::io::Error::from_raw_os_error(111)));
    }

    #[test]
    fn a_time_that_a_server_names_is_told_by_the_clock_and_by_what_is_left() {
        let now: jiff::Timestamp = "2026-11-29T18:13:20Z".parse().unwrap();
        let now = now.to_zoned(jiff::tz::TimeZone::UTC);
        let told = |seconds| takes_again(Duration::from_secs(seconds), &now);
        for (seconds, words) in [
            (45, "again at 18:14 (in 45 s);"),
            (520, "again at 18:22 (in 9 min);"),
            (4 * 3600, "again at 22:13 (in 4 h);"),
            (30 * 3600, "again at 2026-12-01 00:13 (in 30 h);"),
            (u64::MAX, "again (in "),
        ] {
            assert!(told(seconds).contains(words), "{}", told(seconds));
        }
    }

    #[test]
    fn a_message_is_found_in_every_known_shape() {
        let cases = [
            (r#"{"error":{"message":"no such model","type":"x","code":404}}"#, "no such model"),
            (r#"{"error":"model not found"}"#, "model not found"),
            (r#"{"detail":"Not Found"}"#, "Not Found"),
            (r#"{"detail":[{"loc":["body","model"],"msg":"field required"}]}"#, "body.model: field required"),
            (r#"[{"error":{"code":400,"message":"API key not valid"}}]"#, "API key not valid"),
            (r#"{"message":"slow down"}"#, "slow down"),
            (r#"{"object":"error","message":"too long","code":40303}"#, "too long"),
            (
                r#"{"error":{"message":"Provider returned error","metadata":{"raw":"{overloaded}"}}}"#,
                "Provider returned error ({overloaded})",
            ),
            ("<html><head><title>502 Bad Gateway</title></head></html>", "a web page, \"502 Bad Gateway\""),
            ("<!DOCTYPE html><body>sorry <b>closed</b></body>", "sorry closed"),
            ("plain\n words\u{1b}[31m", "plain words[31m"),
            ("", "(no message)"),
        ];
        for (body, expected) in cases {
            assert_eq!(words(body.as_bytes()), expected, "{body}");
        }
    }

    #[test]
    fn a_key_that_the_server_repeats_is_taken_out() {
        let mut endpoint = Endpoint::new("http://me:hunter2x@h/v1", "m");
        endpoint.key = Some("sk-secret-1".into());
        endpoint.headers.push(("x".into(), "header-secret".into()));
        let redactor = Redactor::knowing(endpoint.secrets().map(|(_, value)| value));
        let f = scrub(refused(401, "bad key sk-secret-1, header-secret, hunter2x", ""), &redactor);
        let mark = "[secret: in use]";
        assert_eq!(f.message, format!("the server answered 401: bad key {mark}, {mark}, {mark}"));
    }
}
