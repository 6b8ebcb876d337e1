//! What a server asks the user in the middle of a call, as plain fields.
//!
//! Owns which forms are taken: none that asks for a secret, none that sends the user to an address. Never asks.

use pilothouse_core::{clean::Clean, question::FormAnswer};
use rmcp::model::{ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationSchema};
use serde_json::{Map, Value};

/// The most fields of a form.
const MOST_FIELDS: usize = 8;
/// The most characters of its message.
const MOST_CHARS: usize = 1_000;
/// The most characters of a field's name and of a choice.
const MOST_WORD: usize = 64;
/// The most choices of a field.
const MOST_CHOICES: usize = 32;
/// What a server may not ask for: it would stand in the log, and nothing says where it goes.
const SECRETS: [&str; 8] =
    ["password", "passphrase", "secret", "token", "api key", "apikey", "credential", "private key"];

/// A form that a server wants filled in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Form {
    /// What it says.
    pub message: String,
    /// What it asks for.
    pub fields: Vec<Field>,
}

/// One field of a form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub about: String,
    /// What it takes.
    pub kind: FieldKind,
    /// Whether it must be filled in.
    pub required: bool,
}

/// What a field takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldKind {
    /// Words.
    Text,
    /// A number.
    Number,
    /// A whole number.
    Whole,
    /// Yes or no.
    Yes,
    /// One of these.
    One(Vec<String>),
}

impl Form {
    /// The form of a request.
    ///
    /// # Errors
    /// Why it is not put to the user.
    pub(crate) fn of(asked: &ElicitRequestParams) -> Result<Self, String> {
        let (message, schema) = match asked {
            ElicitRequestParams::FormElicitationParams { message, requested_schema, .. } => {
                (message, requested_schema)
            }
            ElicitRequestParams::UrlElicitationParams { .. } => {
                return Err("it wants to send the user to an address".to_owned());
            }
            _ => return Err("it asks in a way that is not known".to_owned()),
        };
        let form = Self { message: line(message, MOST_CHARS), fields: fields(schema)? };
        let words = form.fields.iter().map(|f| format!("{} {}", f.name, f.about));
        let all = words.chain([form.message.clone()]).collect::<Vec<_>>().join(" ").to_lowercase();
        let all = all.replace(['_', '-'], " ");
        match SECRETS.iter().find(|s| all.contains(*s)) {
            Some(secret) => Err(format!("it asks for a {secret}, and a form is no place for that")),
            None => Ok(form),
        }
    }

    /// What goes back; a text that does not fit its field declines.
    pub(crate) fn reply(&self, answer: FormAnswer) -> ElicitResult {
        let FormAnswer::Filled(values) = answer else { return ElicitResult::new(ElicitationAction::Decline) };
        let given =
            |f: &Field| values.iter().find(|(n, v)| *n == f.name && !v.trim().is_empty()).map(|(_, v)| v);
        let mut content = Map::new();
        for field in &self.fields {
            match given(field).map(|v| field.value(v)) {
                Some(Some(value)) => drop(content.insert(field.name.clone(), value)),
                None if !field.required => {}
                Some(None) | None => return ElicitResult::new(ElicitationAction::Decline),
            }
        }
        ElicitResult::new(ElicitationAction::Accept).with_content(Value::Object(content))
    }
}

impl Field {
    /// What a text is as a value of this field.
    pub fn value(&self, text: &str) -> Option<Value> {
        let text = text.trim();
        match &self.kind {
            FieldKind::Text => Some(Value::from(text)),
            FieldKind::Number => text.parse::<f64>().ok().map(Value::from),
            FieldKind::Whole => text.parse::<i64>().ok().map(Value::from),
            FieldKind::Yes => match text.to_lowercase().as_str() {
                "yes" | "y" | "true" => Some(Value::Bool(true)),
                "no" | "n" | "false" => Some(Value::Bool(false)),
                _ => None,
            },
            FieldKind::One(choices) => {
                let exact = choices.iter().find(|c| *c == text);
                let found = exact.or_else(|| choices.iter().find(|c| c.eq_ignore_ascii_case(text)));
                found.map(|c| Value::from(c.as_str()))
            }
        }
    }
}

fn fields(schema: &ElicitationSchema) -> Result<Vec<Field>, String> {
    let required = schema.required.clone().unwrap_or_default();
    if schema.properties.len() > MOST_FIELDS {
        return Err(format!("its form has more than {MOST_FIELDS} fields"));
    }
    let field = |(name, is): (&String, _)| {
        let is: Value = serde_json::to_value(is).unwrap_or_default();
        let word = |key: &str| is.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let choices = is.get("enum").and_then(Value::as_array);
        let kind = match (word("type").as_str(), choices) {
            (_, Some(all)) if all.len() > MOST_CHOICES => {
                return Err(format!("a field of its form has more than {MOST_CHOICES} choices"));
            }
            // They go back as they are: one that is cut would be another.
            (_, Some(all)) => {
                FieldKind::One(all.iter().map(|c| plain(c.as_str())).collect::<Result<_, _>>()?)
            }
            ("boolean", None) => FieldKind::Yes,
            ("integer", None) => FieldKind::Whole,
            ("number", None) => FieldKind::Number,
            ("string", None) => FieldKind::Text,
            (other, None) => {
                return Err(format!("a field of its form is of a kind that is not known: {other}"));
            }
        };
        let about =
            [word("title"), word("description")].into_iter().find(|w| !w.is_empty()).unwrap_or_default();
        let name = plain(Some(name))?;
        Ok(Field { about: line(&about, 200), kind, required: required.contains(&name), name })
    };
    schema.properties.iter().map(field).collect()
}

/// A name or a choice as it can be shown and typed, which is as it is.
fn plain(word: Option<&str>) -> Result<String, String> {
    let fits = |w: &&str| !w.is_empty() && *Clean::line(w) == **w && w.chars().count() <= MOST_WORD;
    let word = word.filter(fits).map(str::to_owned);
    word.ok_or_else(|| {
        format!("its form holds a name or a choice that is none of 1 to {MOST_WORD} plain characters")
    })
}

fn line(text: &str, most: usize) -> String {
    Clean::line(text).chars().take(most).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(properties: &Value) -> Result<Form, String> {
        let schema = json!({"type": "object", "properties": properties});
        let asked = json!({"mode": "form", "message": "Which?", "requestedSchema": schema});
        Form::of(&serde_json::from_value(asked).unwrap())
    }

    #[test]
    fn a_form_has_bounds_and_its_words_go_back_as_they_are() {
        let choices = |all: Vec<String>| json!({"colour": {"type": "string", "enum": all}});
        let form = of(&choices(vec!["Blue".into(), "No".into()])).unwrap();
        let reply = form.reply(FormAnswer::Filled(vec![("colour".into(), "no".into())]));
        assert_eq!(reply.content, Some(json!({"colour": "No"})));
        assert!(of(&choices((0..33).map(|n| n.to_string()).collect())).unwrap_err().contains("32 choices"));
        for odd in ["x".repeat(65), "a\u{202e}b".into(), String::new()] {
            assert!(of(&choices(vec![odd.clone()])).unwrap_err().contains("plain"), "{odd:?}");
            assert!(of(&json!({ odd: {"type": "boolean"} })).unwrap_err().contains("plain"));
        }
    }
}
