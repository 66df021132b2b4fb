//! The text is that of serde_json, for every shape of value that serde knows.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use super::to_string;

#[derive(Debug, Serialize)]
struct Unit;

#[derive(Debug, Serialize)]
struct Newtype(u8);

#[derive(Debug, Serialize)]
struct Tuple(i16, String);

/// Serialised as what it shows.
#[derive(Debug)]
struct Shown(String);

impl Serialize for Shown {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

#[derive(Clone, Debug, Serialize)]
enum Variant {
    Unit,
    Newtype(Option<i64>),
    Tuple(u16, bool),
    Struct { text: String, list: Vec<char> },
}

#[derive(Debug, Serialize)]
struct Struct {
    empty: Option<()>,
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<u32>,
    numbers: (i8, i32, u32, u64, i128, u128),
    floats: (f32, f64),
    newtype: Newtype,
    tuple: Tuple,
    unit: Unit,
    variants: Vec<Variant>,
    by_text: BTreeMap<String, bool>,
    by_number: BTreeMap<i32, Vec<u8>>,
    by_truth: BTreeMap<bool, u8>,
    by_character: BTreeMap<char, u8>,
    shown: Shown,
    #[serde(flatten)]
    others: BTreeMap<String, String>,
    raw: Box<RawValue>,
}

fn variant() -> impl Strategy<Value = Variant> {
    prop_oneof![
        Just(Variant::Unit),
        any::<Option<i64>>().prop_map(Variant::Newtype),
        any::<(u16, bool)>().prop_map(|(number, truth)| Variant::Tuple(number, truth)),
        any::<(String, Vec<char>)>().prop_map(|(text, list)| Variant::Struct { text, list }),
    ]
}

/// Any text; many have something to escape.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![any::<String>(), "[ -~\"\\\\\n\t\u{0}\u{1f}ü\u{2028}]{0,20}"]
}

fn value() -> impl Strategy<Value = Struct> {
    let maps = any::<(BTreeMap<i32, Vec<u8>>, BTreeMap<bool, u8>, BTreeMap<char, u8>)>();
    let texts = (proptest::collection::btree_map(text(), text(), 0..4), text());
    let plain = any::<(Option<u32>, (i8, i32, u32, u64, i128, u128), (f32, f64), u8, i16, bool)>();
    (plain, maps, texts, proptest::collection::vec(variant(), 0..4)).prop_map(
        |(
            (left_out, numbers, floats, newtype, number, truth),
            (by_number, by_truth, by_character),
            (others, text),
            variants,
        )| Struct {
            empty: None,
            left_out,
            numbers,
            floats,
            newtype: Newtype(newtype),
            tuple: Tuple(number, text.clone()),
            shown: Shown(text.clone()),
            unit: Unit,
            variants,
            by_text: BTreeMap::from([(text, truth)]),
            by_number,
            by_truth,
            by_character,
            others,
            raw: RawValue::from_string("{ \"as\":  [\"it is\"] }".to_owned()).unwrap(),
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_value_is_written_as_serde_json_writes_it(value in value()) {
        prop_assert_eq!(to_string(&value).unwrap(), serde_json::to_string(&value).unwrap());
    }
}

#[test]
fn a_map_whose_keys_are_no_texts_is_refused() {
    for refused in [to_string(&BTreeMap::from([((), 1)])), to_string(&BTreeMap::from([([1, 2], 1)]))] {
        assert_eq!(refused.unwrap_err().to_string(), "key must be a string");
    }
}
