//! How an event stands in the log: one flat object with its place, its `type`, and its fields.
//!
//! Owns the flattening, and one reader of what JSON came to. Derived code reads from this one alone: each further source
//! would bring all of it a second time, and one that may be anything twice as much of it.

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{
        DeserializeSeed, EnumAccess, Error as _, IntoDeserializer, MapAccess, SeqAccess, Unexpected,
        VariantAccess, Visitor, value::StringDeserializer,
    },
    forward_to_deserialize_any,
    ser::{Error as _, Impossible, SerializeMap, SerializeStructVariant},
};
use serde_json::{Error, Map, Value};

use super::{Event, Stamped};

impl Serialize for Stamped {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        Event::serialize(&self.event, Flat { stamp: Some(self), to })
    }
}

impl Serialize for Event {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        Self::serialize(self, Flat { stamp: None, to })
    }
}

impl<'de> Deserialize<'de> for Stamped {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let mut all = Map::deserialize(from)?;
        Self::take(&mut all).map_err(D::Error::custom)
    }
}

impl Stamped {
    fn take(all: &mut Map<String, Value>) -> Result<Self, Error> {
        let mut field = |name| all.remove(name).ok_or_else(|| Error::missing_field(name));
        let (seq, at) =
            (Deserialize::deserialize(Plain(field("seq")?))?, Deserialize::deserialize(Plain(field("at")?))?);
        let kind = field("type")?;
        let Value::String(kind) = kind else { return Err(Error::invalid_type(unexpected(&kind), &"a name")) };
        let run = all.remove("run").map_or(Ok(None), |run| Deserialize::deserialize(Plain(run)))?;
        let fields = std::mem::take(all);
        Ok(Self { seq, at, run, event: Event::deserialize(Named { kind, fields })? })
    }
}

/// Writes what is named outside of its fields as one of them.
struct Flat<'a, S> {
    stamp: Option<&'a Stamped>,
    to: S,
}

/// The fields of an event, behind its place.
struct Fields<M>(M);

/// What an event is not.
macro_rules! no_event {
    ($($method:ident($($arg:ty),*) -> $out:ty;)+) => {
        $(fn $method(self, $(_: $arg),*) -> Result<$out, S::Error> { Err(S::Error::custom("an event has fields")) })+
    };
}

impl<S: Serializer> Serializer for Flat<'_, S> {
    type Ok = S::Ok;
    type Error = S::Error;
    type SerializeSeq = Impossible<S::Ok, S::Error>;
    type SerializeTuple = Impossible<S::Ok, S::Error>;
    type SerializeTupleStruct = Impossible<S::Ok, S::Error>;
    type SerializeTupleVariant = Impossible<S::Ok, S::Error>;
    type SerializeMap = Impossible<S::Ok, S::Error>;
    type SerializeStruct = Impossible<S::Ok, S::Error>;
    type SerializeStructVariant = Fields<S::SerializeMap>;

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        kind: &'static str,
        fields: usize,
    ) -> Result<Fields<S::SerializeMap>, S::Error> {
        let mut map = self.to.serialize_map(Some(fields + 1 + if self.stamp.is_some() { 3 } else { 0 }))?;
        if let Some(stamp) = self.stamp {
            map.serialize_entry("seq", &stamp.seq)?;
            map.serialize_entry("at", &stamp.at)?;
            if let Some(run) = &stamp.run {
                map.serialize_entry("run", run)?;
            }
        }
        map.serialize_entry("type", kind)?;
        Ok(Fields(map))
    }

    no_event! {
        serialize_bool(bool) -> S::Ok;
        serialize_i8(i8) -> S::Ok;
        serialize_i16(i16) -> S::Ok;
        serialize_i32(i32) -> S::Ok;
        serialize_i64(i64) -> S::Ok;
        serialize_u8(u8) -> S::Ok;
        serialize_u16(u16) -> S::Ok;
        serialize_u32(u32) -> S::Ok;
        serialize_u64(u64) -> S::Ok;
        serialize_f32(f32) -> S::Ok;
        serialize_f64(f64) -> S::Ok;
        serialize_char(char) -> S::Ok;
        serialize_str(&str) -> S::Ok;
        serialize_bytes(&[u8]) -> S::Ok;
        serialize_none() -> S::Ok;
        serialize_unit() -> S::Ok;
        serialize_unit_struct(&'static str) -> S::Ok;
        serialize_unit_variant(&'static str, u32, &'static str) -> S::Ok;
        serialize_seq(Option<usize>) -> Self::SerializeSeq;
        serialize_tuple(usize) -> Self::SerializeTuple;
        serialize_tuple_struct(&'static str, usize) -> Self::SerializeTupleStruct;
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> Self::SerializeTupleVariant;
        serialize_map(Option<usize>) -> Self::SerializeMap;
        serialize_struct(&'static str, usize) -> Self::SerializeStruct;
    }

    fn serialize_some<T: Serialize + ?Sized>(self, _: &T) -> Result<S::Ok, S::Error> {
        self.serialize_none()
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: &T,
    ) -> Result<S::Ok, S::Error> {
        self.serialize_none()
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<S::Ok, S::Error> {
        self.serialize_none()
    }
}

impl<M: SerializeMap> SerializeStructVariant for Fields<M> {
    type Ok = M::Ok;
    type Error = M::Error;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<(), M::Error> {
        self.0.serialize_entry(name, value)
    }

    fn end(self) -> Result<M::Ok, M::Error> {
        self.0.end()
    }
}

/// What JSON came to. Each shape is handed out only where it is asked for.
struct Plain(Value);

/// A variant by its name, with its fields.
struct Named {
    kind: String,
    fields: Map<String, Value>,
}

/// What a variant holds, where it holds anything.
struct Held(Option<Value>);

/// The key of a map.
struct Key(String);

struct Entries {
    rest: serde_json::map::IntoIter,
    value: Option<Value>,
}

struct Items(std::vec::IntoIter<Value>);

fn unexpected(value: &Value) -> Unexpected<'_> {
    match value {
        Value::Null => Unexpected::Unit,
        Value::Bool(is) => Unexpected::Bool(*is),
        Value::Number(n) => Unexpected::Float(n.as_f64().unwrap_or_default()),
        Value::String(text) => Unexpected::Str(text),
        Value::Array(_) => Unexpected::Seq,
        Value::Object(_) => Unexpected::Map,
    }
}

fn misfit<'de, V: Visitor<'de>>(value: &Value, visitor: &V) -> Error {
    Error::invalid_type(unexpected(value), visitor)
}

fn entries(map: Map<String, Value>) -> Entries {
    Entries { rest: map.into_iter(), value: None }
}

/// Methods that hand out one shape of a value.
macro_rules! shapes {
    ($($method:ident($($arg:ty),*): $value:ident, $visitor:ident => { $($shape:pat => $hand:expr),+ };)+) => {
        $(fn $method<V: Visitor<'de>>(self, $(_: $arg,)* $visitor: V) -> Result<V::Value, Error> {
            let $value = self.0;
            match $value {
                $($shape => $hand,)+
                #[allow(unreachable_patterns, reason = "some shapes are all that there are")]
                other => Err(misfit(&other, &$visitor)),
            }
        })+
    };
}

/// Methods that hand out a number of one kind.
macro_rules! numbers {
    ($($method:ident: $read:ident, $visit:ident;)+) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            match &self.0 {
                Value::Number(n) => match n.$read() {
                    Some(n) => visitor.$visit(n),
                    None => Err(misfit(&self.0, &visitor)),
                },
                other => Err(misfit(other, &visitor)),
            }
        })+
    };
}

impl<'de> Deserializer<'de> for Plain {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(is) => visitor.visit_bool(is),
            Value::Number(n) => match (n.as_u64(), n.as_i64()) {
                (Some(n), _) => visitor.visit_u64(n),
                (None, Some(n)) => visitor.visit_i64(n),
                (None, None) => visitor.visit_f64(n.as_f64().unwrap_or_default()),
            },
            Value::String(text) => visitor.visit_string(text),
            Value::Array(items) => visitor.visit_seq(Items(items.into_iter())),
            Value::Object(map) => visitor.visit_map(entries(map)),
        }
    }

    numbers! {
        deserialize_u8: as_u64, visit_u64;
        deserialize_u16: as_u64, visit_u64;
        deserialize_u32: as_u64, visit_u64;
        deserialize_u64: as_u64, visit_u64;
        deserialize_i8: as_i64, visit_i64;
        deserialize_i16: as_i64, visit_i64;
        deserialize_i32: as_i64, visit_i64;
        deserialize_i64: as_i64, visit_i64;
        deserialize_f32: as_f64, visit_f64;
        deserialize_f64: as_f64, visit_f64;
    }

    shapes! {
        deserialize_bool(): value, visitor => { Value::Bool(is) => visitor.visit_bool(is) };
        deserialize_str(): value, visitor => { Value::String(text) => visitor.visit_string(text) };
        deserialize_string(): value, visitor => { Value::String(text) => visitor.visit_string(text) };
        deserialize_unit(): value, visitor => { Value::Null => visitor.visit_unit() };
        deserialize_seq(): value, visitor => { Value::Array(items) => visitor.visit_seq(Items(items.into_iter())) };
        deserialize_tuple(usize): value, visitor => {
            Value::Array(items) => visitor.visit_seq(Items(items.into_iter()))
        };
        deserialize_tuple_struct(&'static str, usize): value, visitor => {
            Value::Array(items) => visitor.visit_seq(Items(items.into_iter()))
        };
        deserialize_map(): value, visitor => { Value::Object(map) => visitor.visit_map(entries(map)) };
        deserialize_struct(&'static str, &'static [&'static str]): value, visitor => {
            Value::Object(map) => visitor.visit_map(entries(map))
        };
        deserialize_option(): value, visitor => {
            Value::Null => visitor.visit_none(),
            some => visitor.visit_some(Plain(some))
        };
        deserialize_newtype_struct(&'static str): value, visitor => {
            value => visitor.visit_newtype_struct(Plain(value))
        };
        deserialize_enum(&'static str, &'static [&'static str]): value, visitor => {
            Value::String(kind) => visitor.visit_enum(Variant(kind, Held(None))),
            Value::Object(map) => {
                let mut map = map.into_iter();
                match (map.next(), map.next()) {
                    (Some((kind, held)), None) => visitor.visit_enum(Variant(kind, Held(Some(held)))),
                    _ => Err(Error::invalid_value(Unexpected::Map, &"a map with one key"))
                }
            }
        };
        deserialize_ignored_any(): _value, visitor => { _ => visitor.visit_unit() };
    }

    forward_to_deserialize_any! { char bytes byte_buf unit_struct identifier i128 u128 }
}

/// A variant and what it holds.
struct Variant(String, Held);

impl<'de> EnumAccess<'de> for Variant {
    type Error = Error;
    type Variant = Held;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Held), Error> {
        Ok((seed.deserialize(Key(self.0))?, self.1))
    }
}

impl<'de> VariantAccess<'de> for Held {
    type Error = Error;

    fn unit_variant(self) -> Result<(), Error> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Error> {
        seed.deserialize(Plain(self.0.unwrap_or_default()))
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, Error> {
        Plain(self.0.unwrap_or_default()).deserialize_tuple(len, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        Plain(self.0.unwrap_or_default()).deserialize_map(visitor)
    }
}

impl<'de> Deserializer<'de> for Named {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_enum(Variant(self.kind, Held(Some(Value::Object(self.fields)))))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

impl<'de> Deserializer<'de> for Key {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_string(self.0)
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_str(&self.0)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let name_of: StringDeserializer<Error> = self.0.into_deserializer();
        name_of.deserialize_enum(name, variants, visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        seq tuple tuple_struct map struct ignored_any
    }
}

impl<'de> MapAccess<'de> for Entries {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        let Some((key, value)) = self.rest.next() else { return Ok(None) };
        self.value = Some(value);
        seed.deserialize(Key(key)).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        seed.deserialize(Plain(self.value.take().unwrap_or_default()))
    }
}

impl<'de> SeqAccess<'de> for Items {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Error> {
        self.0.next().map(|value| seed.deserialize(Plain(value))).transpose()
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.0.len())
    }
}
