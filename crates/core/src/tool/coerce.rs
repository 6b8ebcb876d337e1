//! Values of other types that have one meaning where they stand: `"20"` for a number, one item for a list, JSON as text.
//!
//! Owns how they are brought to what the schema of their tool asks for. What fits is left as it is, and so is what could mean
//! two things: whoever reads it then tells what is wrong.

use serde_json::Value;

use super::spelling::Once;

/// Brings a value, and all within it, to the types of its schema.
pub(super) fn coerce(value: &mut Value, schema: &Value) {
    match schema.get("type").and_then(Value::as_str) {
        Some("integer") => {
            if let Some(whole) = whole(value) {
                *value = Value::from(whole);
            }
        }
        Some("boolean") => {
            let said = value.as_str().map(|text| text.trim().to_ascii_lowercase());
            if let Some(said @ ("true" | "false")) = said.as_deref() {
                *value = Value::from(said == "true");
            }
        }
        Some("array") => array(value, schema.get("items").unwrap_or(&Value::Null)),
        Some("object") => object(value, schema),
        Some(_) | None => {}
    }
}

/// The whole number that a value is in digits, or with nothing behind its point.
pub(super) fn whole(value: &Value) -> Option<u64> {
    if let Some(text) = value.as_str() {
        let text = text.trim();
        let digits = text.strip_suffix(".0").unwrap_or(text);
        return digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse().ok()).flatten();
    }
    let spelled = || value.as_f64().filter(|n| n.fract() == 0.0 && *n >= 0.0).map(|n| format!("{n:.0}"));
    value.as_u64().or_else(|| spelled()?.parse().ok())
}

fn array(value: &mut Value, items: &Value) {
    if let Some(list) = written(value).filter(|v| v.is_array() || v.is_object()) {
        *value = list;
    }
    if is_item(value, items) {
        *value = Value::Array(vec![value.take()]);
    }
    value.as_array_mut().into_iter().flatten().for_each(|item| coerce(item, items));
}

/// Whether a value is the only item of the list that it stands for. A text is one where it is a single word, for what stands
/// between words, or a comma, a bar or a bracket, may part items.
fn is_item(value: &Value, items: &Value) -> bool {
    match items.get("type").and_then(Value::as_str) {
        Some("object") => value.is_object(),
        Some("integer") => whole(value).is_some(),
        Some("string") => {
            let parts = |c: char| c.is_whitespace() || matches!(c, ',' | ';' | '|' | '[');
            value.as_str().is_some_and(|text| !text.is_empty() && !text.contains(parts))
        }
        Some(_) | None => false,
    }
}

fn object(value: &mut Value, schema: &Value) {
    if let Some(object) = written(value).filter(Value::is_object) {
        *value = object;
    }
    let Some((fields, known)) =
        value.as_object_mut().zip(schema.get("properties").and_then(Value::as_object))
    else {
        return;
    };
    for (name, schema) in known {
        if let Some(field) = fields.get_mut(name) {
            coerce(field, schema);
        }
    }
}

/// What a text is the JSON of.
fn written(value: &Value) -> Option<Value> {
    let text = value.as_str().filter(|text| text.trim_start().starts_with(['[', '{']))?;
    serde_json::from_str::<Once>(text).ok().map(|Once(inner)| inner)
}
