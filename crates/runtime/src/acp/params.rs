//! The parameters of a client's message, field by field.
//!
//! Owns what is said where one is missing or has another shape: its name, what is wanted, what came.

use std::path::PathBuf;

use serde_json::{Map, Value};

use super::wire::Fault;

/// An object, and where in the message it stands.
#[derive(Debug)]
pub(super) struct Fields {
    at: String,
    fields: Map<String, Value>,
}

impl Fields {
    /// # Errors
    /// When it is no object.
    pub fn of(at: &str, value: Value) -> Result<Self, Fault> {
        let Value::Object(fields) = value else { return Err(shape(at, "an object", &value)) };
        Ok(Self { at: at.to_owned(), fields })
    }

    fn at(&self, name: &str) -> String {
        format!("{}.{name}", self.at)
    }

    /// # Errors
    /// When it is something else than a text, or none is there.
    pub fn text(&mut self, name: &str) -> Result<String, Fault> {
        self.text_or_none(name)?.ok_or_else(|| shape(&self.at(name), "a text", &Value::Null))
    }

    /// # Errors
    /// When it is something else than a text.
    pub fn text_or_none(&mut self, name: &str) -> Result<Option<String>, Fault> {
        let value = self.fields.remove(name).unwrap_or_default();
        if value.is_null() { Ok(None) } else { text(&self.at(name), value).map(Some) }
    }

    /// # Errors
    /// When it is no absolute path, or none is there.
    pub fn absolute(&mut self, name: &str) -> Result<PathBuf, Fault> {
        self.path_or_none(name)?.ok_or_else(|| shape(&self.at(name), "an absolute path", &Value::Null))
    }

    /// # Errors
    /// When it is no absolute path.
    pub fn path_or_none(&mut self, name: &str) -> Result<Option<PathBuf>, Fault> {
        let Some(path) = self.text_or_none(name)?.map(PathBuf::from) else { return Ok(None) };
        let why = || {
            Fault::params(format!("{} is an absolute path, and {} is none", self.at(name), path.display()))
        };
        if path.is_absolute() { Ok(Some(path)) } else { Err(why()) }
    }

    /// # Errors
    /// When it is no list, or none is there.
    pub fn list(&mut self, name: &str) -> Result<Vec<Value>, Fault> {
        let value = self.fields.remove(name).unwrap_or_default();
        let Value::Array(list) = value else { return Err(shape(&self.at(name), "a list", &value)) };
        Ok(list)
    }

    /// A list that may be left out.
    ///
    /// # Errors
    /// When it is something else.
    pub fn list_or_none(&mut self, name: &str) -> Result<Vec<Value>, Fault> {
        if self.fields.get(name).is_none_or(Value::is_null) { Ok(Vec::new()) } else { self.list(name) }
    }

    /// What stands in a list that may be left out, each with where that is.
    ///
    /// # Errors
    /// When it is something else.
    pub fn items(&mut self, name: &str) -> Result<Vec<(String, Value)>, Fault> {
        let at = self.at(name);
        let items = self.list_or_none(name)?.into_iter().enumerate();
        Ok(items.map(|(n, item)| (format!("{at}[{n}]"), item)).collect())
    }

    /// # Errors
    /// When it is no object, or none is there.
    pub fn object(&mut self, name: &str) -> Result<Self, Fault> {
        Self::of(&self.at(name), self.fields.remove(name).unwrap_or_default())
    }
}

/// # Errors
/// When it is something else than a text.
pub(super) fn text(at: &str, value: Value) -> Result<String, Fault> {
    if let Value::String(text) = value { Ok(text) } else { Err(shape(at, "a text", &value)) }
}

fn shape(at: &str, wanted: &str, is: &Value) -> Fault {
    let is = match is {
        Value::Null => return Fault::params(format!("{at} is missing: it is {wanted}")),
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    };
    Fault::params(format!("{at} is {wanted}, and here it is {is}"))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_fault_names_the_field_what_it_is_and_what_came() {
        let of = |value| Fields::of("params", value);
        let why = |fault: Fault| (fault.code, fault.message);
        let fault = |text: &str| (-32602, text.to_owned());
        assert_eq!(why(of(json!([])).unwrap_err()), fault("params is an object, and here it is a list"));
        assert_eq!(why(of(Value::Null).unwrap_err()), fault("params is missing: it is an object"));
        let mut some = of(json!({"a": 7, "b": "x", "c": {"d": [1]}})).unwrap();
        assert_eq!(why(some.text("z").unwrap_err()), fault("params.z is missing: it is a text"));
        assert_eq!(why(some.text("a").unwrap_err()), fault("params.a is a text, and here it is a number"));
        assert_eq!(
            why(some.absolute("b").unwrap_err()),
            fault("params.b is an absolute path, and x is none")
        );
        let mut inner = some.object("c").unwrap();
        assert_eq!(
            why(inner.text_or_none("d").unwrap_err()),
            fault("params.c.d is a text, and here it is a list")
        );
        assert_eq!(inner.list_or_none("e").unwrap(), Vec::<Value>::new());
    }
}
