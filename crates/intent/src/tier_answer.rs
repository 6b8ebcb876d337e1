//! What a tier beside the structural one thinks of a message: an exemplar, an embedder, a model.
//!
//! Owns the shape, how an exemplar match becomes one, and the reading of a model's reply. Never
//! decides what it is worth: that is `join.rs`.

use serde::{Deserialize, Serialize};

use super::{
    IntentNode as N, IntentPath,
    exemplars::Section,
    reading::{Message, Source},
    similar::{Match, Near, Thresholds},
    turn::{Control, Mode, Phase, PlanSub, QuerySub, Turn},
    vote,
};

/// What one tier thinks; what it says nothing about stays as it was.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TierAnswer {
    /// What kind of turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<Turn>,
    /// How deep.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<IntentPath>,
    /// What it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// 0 to 1.
    pub confidence: f32,
    /// 0 to 1, for the kind of turn.
    #[serde(default)]
    pub sub_confidence: f32,
    /// The tier.
    pub source: Source,
    /// Why.
    pub reasoning: String,
    /// Whether it is the user's own word, which may deepen a path without a question.
    #[serde(default)]
    pub firm: bool,
}

/// What a match says once its scores reach the thresholds; `None` when none does.
pub fn of_match(found: &Match, thresholds: &Thresholds, m: &Message<'_>) -> Option<TierAnswer> {
    let passes =
        |section, near: &&Near| !near.name.is_empty() && near.score >= thresholds.of(section, &near.name);
    let primary = found.primary.as_ref().filter(|n| passes(Section::Primary, n));
    let leaf = found.leaf.as_ref().filter(|n| passes(Section::Leaves, n));
    let sub = found.sub.as_ref().filter(|n| primary.is_some() && passes(Section::Sub, n));
    // C-32: the more specific match wins where the two do not go together.
    let (primary, leaf) = match (primary, leaf) {
        (Some(p), Some(l)) if !together(&p.name, &l.name) && l.score >= p.score => (None, Some(l)),
        (Some(p), Some(l)) if !together(&p.name, &l.name) => (Some(p), None),
        both => both,
    };
    let node = leaf.and_then(|l| l.name.parse::<N>().ok());
    let said = primary.and_then(|p| turn_of(&p.name, sub.map(|s| s.name.as_str()), m, p.score));
    let turn = said.or_else(|| node.map(|n| vote::project(n, m.phase, m.plan_active)))?;
    let strongest = [primary, leaf].into_iter().flatten().max_by(|a, b| a.score.total_cmp(&b.score))?;
    let path = match turn {
        Turn::Control(_) => Some(IntentPath::root()),
        Turn::Query(_) | Turn::PlanNew(_) | Turn::PlanContinue => node.map(IntentPath::to),
    };
    Some(TierAnswer {
        turn: Some(turn),
        path,
        target: None,
        confidence: strongest.score,
        sub_confidence: sub.map_or(0.0, |s| s.score),
        source: Source::Exemplar,
        reasoning: Match { primary: primary.cloned(), sub: sub.cloned(), leaf: leaf.cloned() }.words(),
        firm: strongest.own && strongest.score >= EXACT,
    })
}

/// From this cosine on two phrases are the same one.
const EXACT: f32 = 0.995;

/// Whether a turn and a path can be meant at once.
fn together(primary: &str, leaf: &str) -> bool {
    let acts = matches!(leaf, "act" | "write" | "create" | "modify" | "delete" | "execute");
    match primary {
        "query" => !acts,
        "control" => leaf == "conversation",
        _ => true,
    }
}

fn turn_of(primary: &str, sub: Option<&str>, m: &Message<'_>, score: f32) -> Option<Turn> {
    let sub = sub.and_then(|s| s.split_once('.')).map(|(_, s)| s);
    Some(match primary {
        "query" => Turn::Query(sub.and_then(query_sub)),
        "plan_new" => Turn::PlanNew(sub.and_then(plan_sub)),
        "plan_continue" if m.plan_active || m.phase != Phase::Idle => Turn::PlanContinue,
        "plan_continue" => Turn::PlanNew(None),
        "control" => Turn::Control(control(sub?, m.text).filter(|c| score >= EXACT || harmless(c))?),
        _ => return None,
    })
}

/// Control words that neither stop, clear nor start anything.
pub(super) fn harmless(control: &Control) -> bool {
    matches!(control, Control::Help | Control::Status | Control::ModeSwitch(_))
}

fn query_sub(name: &str) -> Option<QuerySub> {
    Some(match name {
        "detail" => QuerySub::Detail,
        "provenance" => QuerySub::Provenance,
        "summary" => QuerySub::Summary,
        "lookup" => QuerySub::Lookup,
        _ => return None,
    })
}

fn plan_sub(name: &str) -> Option<PlanSub> {
    Some(match name {
        "compare" => PlanSub::Compare,
        "predict" => PlanSub::Predict,
        _ => return None,
    })
}

fn control(name: &str, text: &str) -> Option<Control> {
    Some(match name {
        "mode_switch" => Control::ModeSwitch(mode_named(text)?),
        "reset" => Control::Reset,
        "redo_cmd" | "redo" => Control::Redo,
        "help" => Control::Help,
        "status" => Control::Status,
        "exit" => Control::Exit,
        "cancel" => Control::Cancel,
        "replan" => Control::Replan,
        "approve" => Control::Approve,
        "proceed" => Control::Proceed,
        _ => return None,
    })
}

/// Which mode a message asks for.
fn mode_named(text: &str) -> Option<Mode> {
    let text = text.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|w| text.contains(w));
    match (has(&["proof", "audit", "prov", "rigor", "strict"]), has(&["explor", "loose", "free"])) {
        (true, false) => Some(Mode::Proof),
        (false, true) => Some(Mode::Exploratory),
        (true, true) | (false, false) => None,
    }
}

/// What a model's reply says: a JSON object or `PRIMARY: …` lines, in whatever wrapping; `None`
/// when neither turn nor path can be read out of it.
pub fn of_reply(reply: &str, m: &Message<'_>) -> Option<TierAnswer> {
    let fields = json_fields(reply).or_else(|| line_fields(reply))?;
    let get = |names: &[&str]| {
        let found = fields.iter().find(|(k, _)| names.contains(&k.as_str())).map(|(_, v)| v.trim())?;
        let bare = found.trim_matches(['"', '\'', '`', '*', '.', ' ']);
        let none = bare.is_empty() || matches!(bare.to_lowercase().as_str(), "none" | "null" | "n/a" | "-");
        (!none).then(|| bare.to_owned())
    };
    let (primary, sub) = {
        let primary = get(&["primary", "turn", "intent"]).map(|p| plain(&p)).unwrap_or_default();
        let sub = get(&["sub", "sub_intent", "subintent"]).map(|s| plain(&s));
        match primary.split_once('.') {
            Some((p, s)) => (p.to_owned(), Some(sub.unwrap_or_else(|| s.to_owned()))),
            None => (primary, sub),
        }
    };
    let sub = sub.map(|s| s.rsplit('.').next().unwrap_or_default().to_owned());
    let node = get(&["path", "leaf", "node"]).and_then(|p| node_in(&p));
    let confidence = get(&["confidence"]).map_or(0.7, |c| degree(&c));
    let turn = match primary.as_str() {
        "query" => Some(Turn::Query(sub.as_deref().and_then(query_sub))),
        "plan_new" => Some(Turn::PlanNew(sub.as_deref().and_then(plan_sub))),
        "plan_continue" if m.plan_active || m.phase != Phase::Idle => Some(Turn::PlanContinue),
        "plan_continue" => Some(Turn::PlanNew(None)),
        "control" => sub.as_deref().and_then(|s| control(s, m.text)).map(Turn::Control),
        _ => None,
    };
    let turn = turn.or_else(|| node.map(|n| vote::project(n, m.phase, m.plan_active)))?;
    let path = match turn {
        Turn::Control(_) => Some(IntentPath::root()),
        Turn::Query(_) | Turn::PlanNew(_) | Turn::PlanContinue => node.map(IntentPath::to),
    };
    let target = get(&["target"]).map(|t| t.chars().take(200).collect());
    let why: String = get(&["reason", "reasoning", "why"]).unwrap_or_default().chars().take(200).collect();
    let why = if why.is_empty() { String::new() } else { format!(": {why}") };
    let sub_confidence = if super::reading::turn_names(&turn).1.is_some() { confidence } else { 0.0 };
    let reasoning = format!("the model says {}{why}", super::reading::turn_names(&turn).0);
    Some(TierAnswer {
        turn: Some(turn),
        path,
        target,
        confidence,
        sub_confidence,
        source: Source::Llm,
        reasoning,
        firm: false,
    })
}

/// `Plan-New` and `plan new` are `plan_new`.
fn plain(word: &str) -> String {
    let first = word.split(['|', ',', '(']).next().unwrap_or_default();
    first.trim().to_lowercase().replace(['-', ' '], "_")
}

/// The last node that a path names, however it is written.
fn node_in(path: &str) -> Option<N> {
    let words = path.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty());
    words.filter_map(|w| w.to_lowercase().parse().ok()).next_back()
}

/// Certain, high, medium, low, a share, or per cent. Only what is certain lies above the mark from
/// which an answer is used again.
fn degree(word: &str) -> f32 {
    let word = word.to_lowercase();
    if let Ok(number) = word.trim_end_matches(['%', ' ']).parse::<f32>() {
        let share = if number > 1.0 || word.contains('%') { number / 100.0 } else { number };
        return if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.4 };
    }
    if word.contains("certain") && !word.contains("un") {
        0.95
    } else if word.contains("high") {
        0.9
    } else if word.contains("low") {
        0.4
    } else {
        0.7
    }
}

/// The fields of the first JSON object in the reply that can be read and has any we know.
fn json_fields(reply: &str) -> Option<Vec<(String, String)>> {
    let starts = reply.match_indices('{').map(|(at, _)| at).take(8);
    starts.filter_map(|at| reply.get(at..)).find_map(|rest| {
        let mut stream = serde_json::Deserializer::from_str(rest).into_iter::<serde_json::Value>();
        let Some(Ok(serde_json::Value::Object(map))) = stream.next() else { return None };
        let text = |v: &serde_json::Value| match v {
            serde_json::Value::String(s) => s.clone(),
            serde_json::Value::Array(all) => {
                all.iter().filter_map(|v| v.as_str()).collect::<Vec<_>>().join(" ")
            }
            serde_json::Value::Null => String::new(),
            other @ (serde_json::Value::Bool(_)
            | serde_json::Value::Number(_)
            | serde_json::Value::Object(_)) => other.to_string(),
        };
        let fields: Vec<_> = map.iter().map(|(k, v)| (plain(k), text(v))).collect();
        known(&fields).then_some(fields)
    })
}

/// `PRIMARY: query` and its like, a line each; marks of a list or of bold type are no matter.
fn line_fields(reply: &str) -> Option<Vec<(String, String)>> {
    let fields: Vec<_> = reply
        .lines()
        .filter_map(|line| {
            let line = line.trim().trim_start_matches(['-', '*', '>', '#', ' ']);
            let (key, value) = line.split_once([':', '='])?;
            Some((plain(key.trim_matches(['*', '"', '`', ' '])), value.trim_end_matches(',').to_owned()))
        })
        .collect();
    known(&fields).then_some(fields)
}

fn known(fields: &[(String, String)]) -> bool {
    fields.iter().any(|(k, _)| matches!(k.as_str(), "primary" | "turn" | "intent" | "path" | "leaf" | "node"))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests {
    use super::*;

    fn read(reply: &str) -> Option<TierAnswer> {
        of_reply(reply, &Message { text: "do the thing", ..Message::default() })
    }

    #[test]
    fn a_reply_is_read_in_many_forms() {
        for reply in [
            r#"{"primary":"plan_new","sub":null,"path":["conversation","act","write","modify"],"target":"auth.py","confidence":"high"}"#,
            "Sure! ```json\n{\"PRIMARY\": \"plan_new\", \"PATH\": \"act/write/modify\", \"Target\": \"auth.py\", \"confidence\": 0.9}\n```",
            "{bad} {\"turn\":\"Plan New\",\"leaf\":\"Modify\",\"target\":\"`auth.py`\",\"confidence\":\"90%\"}",
            "PRIMARY: plan_new\nSUB: none\nPATH: conversation → act → write → modify\nTARGET: auth.py\nCONFIDENCE: high",
            "- **Primary**: plan-new\n- **Path**: modify\n- **Target**: auth.py\n- **Confidence**: High",
        ] {
            let o = read(reply).unwrap_or_else(|| panic!("{reply}"));
            assert_eq!(o.turn, Some(Turn::PlanNew(None)), "{reply}");
            assert_eq!(o.path, Some(IntentPath::to(N::Modify)), "{reply}");
            assert_eq!(o.target.as_deref(), Some("auth.py"), "{reply}");
            assert!((o.confidence - 0.9).abs() < 1e-6, "{reply}");
        }
        let o = read("PRIMARY: control\nSUB: control.help\nCONFIDENCE: medium").unwrap();
        assert_eq!((o.turn, o.confidence), (Some(Turn::Control(Control::Help)), 0.7));
        assert!((read("PRIMARY: query\nCONFIDENCE: Certain.").unwrap().confidence - 0.95).abs() < 1e-6);
        assert!((read("PRIMARY: query\nCONFIDENCE: low").unwrap().confidence - 0.4).abs() < 1e-6);
    }

    #[test]
    fn what_says_nothing_is_no_opinion() {
        for reply in
            ["", "I think you should fix it.", "{}", "{\"a\":1}", "PRIMARY: banana", "{\"path\":\"x\"}"]
        {
            assert_eq!(read(reply), None, "{reply}");
        }
    }
}
