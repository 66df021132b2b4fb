//! Changes of JSON, wherever it stands in an input: fields are renamed, doubled, moved, left out, and given odd values.
//! The rest of the input stays as it is.

use serde_json::{Value, json};
use starkeep_fault_harness::Chance;

use super::odd::{odd_json, quoted};
use super::place_in;

/// Stands for a value that is no JSON, or not as this program would write it.
const MARK: &str = "@odd@";

/// False where there is no JSON.
pub(super) fn change(input: &mut Vec<u8>, words: &[Vec<u8>], chance: &mut Chance) -> bool {
    let begins: Vec<usize> = (0..input.len()).filter(|place| matches!(input[*place], b'{' | b'[')).collect();
    let Some(first) = begins.first().filter(|_| !chance.one_in(2)).or_else(|| one_of(&begins, chance)) else {
        return false;
    };
    let mut values = serde_json::Deserializer::from_slice(&input[*first..]).into_iter::<Value>();
    let Some(Ok(mut value)) = values.next() else { return false };
    let range = *first..*first + values.byte_offset();
    change_value(&mut value, words, chance);
    let mark = quoted(MARK.as_bytes());
    let mut text = value.to_string().into_bytes();
    while let Some(place) = text.windows(mark.len()).position(|window| window == mark) {
        text.splice(place..place + mark.len(), odd_json(words, chance));
    }
    if text.starts_with(b"{\"") && chance.one_in(10) {
        double_field(&mut text, words, chance);
    }
    input.splice(range, text);
    true
}

fn one_of<'a, T>(all: &'a [T], chance: &mut Chance) -> Option<&'a T> {
    if all.is_empty() { None } else { Some(chance.pick(all)) }
}

/// Changes the value itself, or something in it.
fn change_value(value: &mut Value, words: &[Vec<u8>], chance: &mut Chance) {
    let inner = match value {
        Value::Object(fields) if !fields.is_empty() => {
            let place = place_in(fields.len() - 1, chance);
            fields.values_mut().nth(place)
        }
        Value::Array(items) if !items.is_empty() => {
            let place = place_in(items.len() - 1, chance);
            items.get_mut(place)
        }
        _ => None,
    };
    if let Some(inner) = inner.filter(|_| !chance.one_in(3)) {
        return change_value(inner, words, chance);
    }
    match value {
        Value::Object(fields) if !chance.one_in(4) => {
            let names: Vec<String> = fields.keys().cloned().collect();
            let removed = one_of(&names, chance).and_then(|name| fields.remove(name));
            let added = one_of(words, chance).map(|word| String::from_utf8_lossy(word).into_owned());
            match (chance.draw(&(0..=2)), added) {
                (0, _) | (_, None) => {}
                (1, Some(name)) => drop(fields.insert(name, removed.unwrap_or_default())),
                (_, Some(name)) => drop(fields.insert(name, json!(MARK))),
            }
        }
        Value::Array(items) if !items.is_empty() && !chance.one_in(4) => {
            let (one, other) = (place_in(items.len() - 1, chance), place_in(items.len() - 1, chance));
            match chance.draw(&(0..=3)) {
                0 => drop(items.remove(one)),
                1 => items.swap(one, other),
                2 => items.insert(one, json!(MARK)),
                _ => {
                    let doubled = vec![items[one].clone(); place_in(30, chance)];
                    items.extend(doubled);
                }
            }
        }
        value if chance.one_in(8) => *value = json!([value.take()]),
        value => *value = near(value, chance).unwrap_or_else(|| json!(MARK)),
    }
}

/// A number beside this one, half of the time.
fn near(value: &Value, chance: &mut Chance) -> Option<Value> {
    let number = value.as_i64().filter(|_| chance.one_in(2))?;
    Some(json!(number.saturating_add([-1, 1, 10, -10][place_in(3, chance)])))
}

/// The first field, or one of the dictionary, once more.
fn double_field(text: &mut Vec<u8>, words: &[Vec<u8>], chance: &mut Chance) {
    let first = text[2..].split(|byte| *byte == b'"').next().unwrap_or_default().to_vec();
    let name = one_of(words, chance).filter(|_| chance.fork().one_in(2)).cloned().unwrap_or(first);
    let field = [&quoted(&name)[..], b":", &odd_json(words, chance), b","].concat();
    text.splice(1..1, field);
}
