//! The document's schemas as validators: requests may have fields that are not documented, answers may not.
//! Each is compiled once, when it is first needed.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use jsonschema::Validator;
use serde_json::{Map, Value, json};

pub(crate) struct Schemas {
    requests: Kind,
    answers: Kind,
}

struct Kind {
    components: Value,
    compiled: Mutex<HashMap<String, Arc<Validator>>>,
}

impl Schemas {
    pub(crate) fn new(document: &Value) -> Self {
        let components = &document["components"];
        Self { requests: Kind::new(components.clone()), answers: Kind::new(without_other_fields(components)) }
    }

    pub(crate) fn request_faults(&self, schema: &Value, value: &Value) -> Vec<String> {
        self.requests.faults(schema, value)
    }

    pub(crate) fn answer_faults(&self, schema: &Value, value: &Value) -> Vec<String> {
        self.answers.faults(schema, value)
    }

    /// A header or a parameter, which is a text whatever it means.
    pub(crate) fn text_faults(&self, name: &str, schema: &Value, text: &str) -> Vec<String> {
        let is = |kind: &str| schema["type"] == kind || schema["type"] == json!([kind, "null"]);
        let number = text.parse::<i64>().ok().filter(|_| is("integer")).map(Value::from);
        let truth = text.parse::<bool>().ok().filter(|_| is("boolean")).map(Value::from);
        let value = number.or(truth).unwrap_or_else(|| json!(text));
        let faults = self.requests.faults(schema, &value).into_iter();
        faults.map(|fault| format!("{name}: {fault}")).collect()
    }
}

impl Kind {
    fn new(components: Value) -> Self {
        Self { components, compiled: Mutex::default() }
    }

    fn faults(&self, schema: &Value, value: &Value) -> Vec<String> {
        let validator = self.validator(schema);
        validator.iter_errors(value).map(|fault| format!("{} at {}", fault, fault.instance_path())).collect()
    }

    fn validator(&self, schema: &Value) -> Arc<Validator> {
        let mut compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = compiled.entry(schema.to_string());
        entry.or_insert_with(|| Arc::new(compile(schema, &self.components))).clone()
    }
}

fn compile(schema: &Value, components: &Value) -> Validator {
    let mut schema = schema.clone();
    // References are looked up in the schema itself.
    if let Some(fields) = schema.as_object_mut() {
        fields.insert("components".to_owned(), components.clone());
    }
    let options = jsonschema::draft202012::options().should_validate_formats(true);
    options.build(&schema).unwrap_or_else(|fault| panic!("the contract has no readable schema: {fault}"))
}

/// The same schemas, which refuse fields that are not listed. What is a part of another is left as it is beside them, because
/// there the fields of the whole are not known.
fn without_other_fields(components: &Value) -> Value {
    let mut closed = components.clone();
    let parts = closed["schemas"].clone();
    if let Some(schemas) = closed["schemas"].as_object_mut() {
        schemas.values_mut().for_each(close);
    }
    closed["parts"] = parts;
    closed
}

fn close(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            // An example is no schema.
            fields.remove("examples");
            let is_whole = fields.contains_key("allOf");
            if is_whole {
                point_to_parts(fields);
                fields.insert("unevaluatedProperties".to_owned(), json!(false));
                return;
            }
            fields.values_mut().for_each(close);
            if fields.get("properties").is_some_and(Value::is_object) {
                fields.entry("additionalProperties").or_insert(json!(false));
            }
        }
        Value::Array(items) => items.iter_mut().for_each(close),
        _ => {}
    }
}

fn point_to_parts(whole: &mut Map<String, Value>) {
    for part in whole.get_mut("allOf").and_then(Value::as_array_mut).into_iter().flatten() {
        if let Some(Value::String(target)) = part.get_mut("$ref") {
            *target = target.replace("#/components/schemas/", "#/components/parts/");
        }
    }
}
