//! Lists and objects: what stands between and around their elements.

use serde::ser::{
    Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant,
};
use serde_json::{Error, Value};

use crate::{Writer, is_plain, key_must_be_a_text};

/// serde_json's name for JSON that is written as it is.
pub(crate) const RAW_VALUE: &str = "$serde_json::private::RawValue";

/// Whether its only field is a text that is JSON already.
#[derive(PartialEq, Eq)]
pub(crate) enum Raw {
    Yes,
    No,
}

/// A list or an object that has been begun.
pub(crate) struct Compound<'a> {
    pub(crate) text: &'a mut String,
    pub(crate) end: &'static str,
    pub(crate) is_first: bool,
    pub(crate) raw: Raw,
}

impl Compound<'_> {
    fn comma(&mut self) {
        if !self.is_first {
            self.text.push(',');
        }
        self.is_first = false;
    }

    fn element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.comma();
        value.serialize(Writer(self.text))
    }

    /// The name is one of the program's own words.
    fn field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), Error> {
        if self.raw == Raw::Yes {
            return self.raw(value);
        }
        debug_assert!(is_plain(name), "{name:?}");
        self.text.reserve(name.len() + 4);
        self.comma();
        self.text.push('"');
        self.text.push_str(name);
        self.text.push_str("\":");
        value.serialize(Writer(self.text))
    }

    fn raw<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        if let Value::String(json) = serde_json::to_value(value)? {
            self.text.push_str(&json);
        }
        Ok(())
    }

    fn finish(self) {
        self.text.push_str(self.end);
    }
}

/// The traits of lists, which differ in their names.
macro_rules! lists {
    ($($list:ident: $element:ident;)+) => {$(
        impl $list for Compound<'_> {
            type Ok = ();
            type Error = Error;

            fn $element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
                self.element(value)
            }

            fn end(self) -> Result<(), Error> {
                self.finish();
                Ok(())
            }
        }
    )+};
}

lists! {
    SerializeSeq: serialize_element;
    SerializeTuple: serialize_element;
    SerializeTupleStruct: serialize_field;
    SerializeTupleVariant: serialize_field;
}

/// The traits of objects with the program's own names.
macro_rules! objects {
    ($($object:ident;)+) => {$(
        impl $object for Compound<'_> {
            type Ok = ();
            type Error = Error;

            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                name: &'static str,
                value: &T,
            ) -> Result<(), Error> {
                self.field(name, value)
            }

            fn end(self) -> Result<(), Error> {
                self.finish();
                Ok(())
            }
        }
    )+};
}

objects! {
    SerializeStruct;
    SerializeStructVariant;
}

impl SerializeMap for Compound<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Error> {
        let key = serde_json::to_string(key)?;
        self.comma();
        match key.as_bytes().first() {
            Some(b'"') => self.text.push_str(&key),
            // Numbers and truth values become texts.
            Some(b'0'..=b'9' | b'-' | b't' | b'f') => {
                self.text.push('"');
                self.text.push_str(&key);
                self.text.push('"');
            }
            _ => return Err(key_must_be_a_text()),
        }
        self.text.push(':');
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        value.serialize(Writer(self.text))
    }

    fn end(self) -> Result<(), Error> {
        self.finish();
        Ok(())
    }
}
