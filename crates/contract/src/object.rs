//! Objects that are objects: a derived reader also takes an array in the order of the fields, which nobody means.
//! What is read through here is a JSON object or refused.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// A value that was written as a JSON object.
pub struct Object<T>(pub T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        only(deserializer).map(Self)
    }
}

/// For a field: `#[serde(deserialize_with = "object::only")]`.
pub fn only<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<T, D::Error> {
    deserializer.deserialize_map(OnlyObject(PhantomData))
}

struct OnlyObject<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for OnlyObject<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<T, A::Error> {
        T::deserialize(MapAccessDeserializer::new(fields))
    }
}

/// The same for a field that may be null.
pub fn or_null<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    Ok(Option::<Object<T>>::deserialize(deserializer)?.map(|Object(value)| value))
}

/// The same for a list of objects that may be null. What is longer is given up before it takes more memory.
pub fn list_of_at_most<'de, const MOST: usize, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<Vec<T>>, D::Error> {
    Ok(Option::<AtMost<MOST, T>>::deserialize(deserializer)?.map(|AtMost(list)| list))
}

struct AtMost<const MOST: usize, T>(Vec<T>);

impl<'de, const MOST: usize, T: Deserialize<'de>> Deserialize<'de> for AtMost<MOST, T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(AtMostVisitor::<MOST, T>(PhantomData)).map(Self)
    }
}

struct AtMostVisitor<const MOST: usize, T>(PhantomData<T>);

impl<'de, const MOST: usize, T: Deserialize<'de>> Visitor<'de> for AtMostVisitor<MOST, T> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a list of at most {MOST} objects")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Vec<T>, A::Error> {
        let mut list = Vec::new();
        while let Some(Object(element)) = elements.next_element()? {
            if list.len() == MOST {
                return Err(A::Error::invalid_length(MOST + 1, &self));
            }
            list.push(element);
        }
        Ok(list)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[derive(Debug, PartialEq, serde::Deserialize)]
    struct Point {
        x: u8,
    }

    #[derive(serde::Deserialize)]
    struct Shape {
        #[serde(default, deserialize_with = "list_of_at_most::<2, _, _>")]
        points: Option<Vec<Point>>,
        #[serde(default, deserialize_with = "or_null")]
        centre: Option<Point>,
    }

    fn points(list: &Value) -> Result<Option<Vec<Point>>, String> {
        let shape: Result<Shape, _> = serde_json::from_value(json!({ "points": list }));
        shape.map(|shape| shape.points).map_err(|fault| fault.to_string())
    }

    #[test]
    fn a_list_holds_objects_and_not_too_many() {
        assert_eq!(points(&Value::Null), Ok(None));
        assert_eq!(points(&json!([])), Ok(Some(vec![])));
        assert_eq!(points(&json!([{ "x": 1 }, { "x": 2 }])), Ok(Some(vec![Point { x: 1 }, Point { x: 2 }])));
        let refusals = [
            (json!([{ "x": 1 }, { "x": 2 }, { "x": 3 }]), "expected a list of at most 2 objects"),
            (json!([[1]]), "expected an object"),
            (json!([null]), "expected an object"),
            (json!({ "x": 1 }), "expected a list of at most 2 objects"),
        ];
        for (list, expected) in refusals {
            let refusal = points(&list).unwrap_err();
            assert!(refusal.contains(expected), "{list}: {refusal}");
        }
    }

    #[test]
    fn what_may_be_null_is_an_object_otherwise() {
        let centre = |value: Value| {
            serde_json::from_value::<Shape>(json!({ "centre": value })).map(|shape| shape.centre)
        };
        assert_eq!(centre(Value::Null).unwrap(), None);
        assert_eq!(centre(json!({ "x": 7 })).unwrap(), Some(Point { x: 7 }));
        assert!(centre(json!([7])).unwrap_err().to_string().contains("expected an object"));
    }
}
