//! Writes serde's values as JSON: the same text as serde_json, in fewer instructions. Most of what an answer costs
//! beside the connection is its text, and most of that are names of fields, ids and numbers, which need no escaping.

mod compound;

use std::fmt::{Display, Write as _};

use serde::ser::{Error as _, Serialize, Serializer};
use serde_json::Error;

use crate::compound::{Compound, Raw};

/// Longer than most answers and events, so that the text seldom moves while it grows.
const USUAL_LENGTH: usize = 512;

/// The value as JSON. It fails where serde_json does: at a map whose keys are no texts, and where the value itself refuses.
pub fn to_string<T: Serialize + ?Sized>(value: &T) -> Result<String, Error> {
    let mut text = String::with_capacity(USUAL_LENGTH);
    value.serialize(Writer(&mut text))?;
    Ok(text)
}

/// Writes at the end of the text. What is rare is left to serde_json.
struct Writer<'a>(&'a mut String);

impl<'a> Writer<'a> {
    fn left_to_serde_json<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Error> {
        self.0.push_str(&serde_json::to_string(value)?);
        Ok(())
    }

    fn number(self, number: impl itoa::Integer) {
        self.0.push_str(itoa::Buffer::new().format(number));
    }

    /// An object with one field, of which what comes after its name is written next.
    fn variant(self, name: &str) -> Self {
        self.0.push_str("{\"");
        self.0.push_str(name);
        self.0.push_str("\":");
        self
    }

    fn list(self, end: &'static str) -> Compound<'a> {
        self.0.push('[');
        Compound { text: self.0, end, is_first: true, raw: Raw::No }
    }

    fn object(self, end: &'static str) -> Compound<'a> {
        self.0.push('{');
        Compound { text: self.0, end, is_first: true, raw: Raw::No }
    }
}

/// The methods for whole numbers, which differ in their types.
macro_rules! numbers {
    ($($method:ident: $number:ty,)+) => {$(
        fn $method(self, value: $number) -> Result<(), Error> {
            self.number(value);
            Ok(())
        }
    )+};
}

impl<'a> Serializer for Writer<'a> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Compound<'a>;
    type SerializeTuple = Compound<'a>;
    type SerializeTupleStruct = Compound<'a>;
    type SerializeTupleVariant = Compound<'a>;
    type SerializeMap = Compound<'a>;
    type SerializeStruct = Compound<'a>;
    type SerializeStructVariant = Compound<'a>;

    fn serialize_bool(self, value: bool) -> Result<(), Error> {
        self.0.push_str(if value { "true" } else { "false" });
        Ok(())
    }

    numbers! {
        serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64, serialize_i128: i128,
        serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64, serialize_u128: u128,
    }

    fn serialize_f32(self, value: f32) -> Result<(), Error> {
        self.left_to_serde_json(&value)
    }

    fn serialize_f64(self, value: f64) -> Result<(), Error> {
        self.left_to_serde_json(&value)
    }

    fn serialize_char(self, value: char) -> Result<(), Error> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, value: &str) -> Result<(), Error> {
        if !is_plain(value) {
            return self.left_to_serde_json(value);
        }
        self.0.reserve(value.len() + 2);
        self.0.push('"');
        self.0.push_str(value);
        self.0.push('"');
        Ok(())
    }

    fn collect_str<T: Display + ?Sized>(self, value: &T) -> Result<(), Error> {
        self.0.push('"');
        let begin = self.0.len();
        write!(self.0, "{value}").map_err(|_| Error::custom("a value cannot be shown"))?;
        if is_plain(&self.0[begin..]) {
            self.0.push('"');
            return Ok(());
        }
        let shown = self.0.split_off(begin);
        self.0.pop();
        self.left_to_serde_json(&shown)
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<(), Error> {
        self.collect_seq(value)
    }

    fn serialize_none(self) -> Result<(), Error> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), Error> {
        self.0.push_str("null");
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Error> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<(), Error> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        let writer = self.variant(variant);
        value.serialize(Writer(writer.0))?;
        writer.0.push('}');
        Ok(())
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Compound<'a>, Error> {
        Ok(self.list("]"))
    }

    fn serialize_tuple(self, _: usize) -> Result<Compound<'a>, Error> {
        Ok(self.list("]"))
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Compound<'a>, Error> {
        Ok(self.list("]"))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Compound<'a>, Error> {
        Ok(self.variant(variant).list("]}"))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Compound<'a>, Error> {
        Ok(self.object("}"))
    }

    fn serialize_struct(self, name: &'static str, _: usize) -> Result<Compound<'a>, Error> {
        if name == compound::RAW_VALUE {
            return Ok(Compound { text: self.0, end: "", is_first: true, raw: Raw::Yes });
        }
        Ok(self.object("}"))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Compound<'a>, Error> {
        Ok(self.variant(variant).object("}}"))
    }
}

/// Does it need no escaping?
#[expect(clippy::needless_bitwise_bool, reason = "without an exit the loop takes many bytes at a time")]
fn is_plain(text: &str) -> bool {
    text.bytes().fold(true, |all, byte| all & (byte >= b' ') & (byte != b'"') & (byte != b'\\'))
}

fn key_must_be_a_text() -> Error {
    Error::custom("key must be a string")
}

#[cfg(test)]
mod tests;
