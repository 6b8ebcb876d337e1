//! Fields of what a model writes: each read as it must be, or what is wrong with it.
//!
//! Owns the checks that a type alone does not make. Knows no tool.

use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{Error, IntoDeserializer, MapAccess, Unexpected, Visitor, value::MapAccessDeserializer},
};

use crate::{intent::IntentNode, shell::MAX_LINE_BYTES};

/// The longest that a command may be given, in seconds.
pub(crate) const MOST_SECONDS: u64 = 1_800;

/// A struct that is written as an object, and never as a list of its values.
pub(crate) struct Object<T>(pub T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Fields<T>(std::marker::PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for Fields<T> {
            type Value = T;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map))
            }
        }

        from.deserialize_map(Fields(std::marker::PhantomData)).map(Self)
    }
}

/// A list of objects.
pub(crate) fn objects<'de, T, D>(from: D) -> Result<Vec<T>, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    Ok(Vec::<Object<T>>::deserialize(from)?.into_iter().map(|o| o.0).collect())
}

/// A list of objects that may be left out.
pub(crate) fn objects_if_any<'de, T, D>(from: D) -> Result<Vec<T>, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    let list = Option::<Vec<Object<T>>>::deserialize(from)?;
    Ok(list.into_iter().flatten().map(|o| o.0).collect())
}

/// A list of objects with one at least.
pub(crate) fn some_objects<'de, T, D>(from: D) -> Result<Vec<T>, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    let list = objects(from)?;
    if list.is_empty() { Err(D::Error::custom("it is empty, expected one at least")) } else { Ok(list) }
}

/// A value that may be left out; `null` leaves it out as well.
pub(crate) fn if_any<'de, T, D>(from: D) -> Result<T, D::Error>
where
    T: Deserialize<'de> + Default,
    D: Deserializer<'de>,
{
    Ok(Option::deserialize(from)?.unwrap_or_default())
}

/// One word of a list that may be left out.
pub(crate) fn word_if_any<'de, T, D>(from: D) -> Result<T, D::Error>
where
    T: Deserialize<'de> + Default,
    D: Deserializer<'de>,
{
    match Option::<String>::deserialize(from)? {
        Some(word) => T::deserialize(word.into_deserializer()),
        None => Ok(T::default()),
    }
}

/// A path that says something.
pub(crate) fn path<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    filled(String::deserialize(from)?, "a path relative to the workspace")
}

/// A path that may be left out.
pub(crate) fn path_if_any<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    let path = Option::<String>::deserialize(from)?;
    path.map(|p| filled(p, "a path relative to the workspace; leave it out for the root")).transpose()
}

/// Text that says something.
pub(crate) fn words<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    filled(String::deserialize(from)?, "some words")
}

/// A command line without blanks around it, as the user is shown it.
pub(crate) fn line<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let line = filled(String::deserialize(from)?.trim().to_owned(), "the line to run")?;
    if line.contains('\0') {
        return Err(D::Error::custom("a command may hold no NUL"));
    }
    if line.len() > MAX_LINE_BYTES {
        return Err(D::Error::custom(format_args!(
            "a command may have {MAX_LINE_BYTES} bytes; put long text into a file"
        )));
    }
    Ok(line)
}

/// A folder without blanks around it; empty for the root.
pub(crate) fn folder<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    Ok(if_any::<String, D>(from)?.trim().to_owned())
}

/// A number of things.
pub(crate) fn count<'de, D: Deserializer<'de>>(from: D) -> Result<Option<usize>, D::Error> {
    let whole = Option::<Whole>::deserialize(from)?;
    whole.map(|n| usize::try_from(n.0).map_err(D::Error::custom)).transpose()
}

/// A time limit.
pub(crate) fn seconds<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u64>, D::Error> {
    match Option::<Whole>::deserialize(from)?.map(|n| n.0) {
        Some(n) if !(1..=MOST_SECONDS).contains(&n) => {
            let wanted = format!("1 to {MOST_SECONDS} seconds");
            Err(D::Error::invalid_value(Unexpected::Unsigned(n), &wanted.as_str()))
        }
        seconds => Ok(seconds),
    }
}

/// A node by its name.
pub(crate) fn node<'de, D: Deserializer<'de>>(from: D) -> Result<IntentNode, D::Error> {
    let name = String::deserialize(from)?;
    name.parse().map_err(|_| {
        let names: Vec<&str> = IntentNode::ALL.iter().map(|n| n.name()).collect();
        let wanted = format!("one of {}", names.join(", "));
        D::Error::invalid_value(Unexpected::Str(&name), &wanted.as_str())
    })
}

fn filled<E: Error>(text: String, wanted: &str) -> Result<String, E> {
    if text.trim().is_empty() {
        return Err(E::custom(format_args!("it is empty, expected {wanted}")));
    }
    Ok(text)
}

/// A whole number, called so where something else is given.
struct Whole(u64);

impl<'de> Deserialize<'de> for Whole {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Number;

        impl Visitor<'_> for Number {
            type Value = Whole;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a whole number")
            }

            fn visit_u64<E: Error>(self, n: u64) -> Result<Whole, E> {
                Ok(Whole(n))
            }
        }

        from.deserialize_u64(Number)
    }
}
