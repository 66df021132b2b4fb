//! The fields of a body that nobody reads: they are taken and have no effect, so the answer lists them.
//! With each comes the known field that was probably meant.

use std::collections::BTreeSet;

use serde_ignored::Path;
use serde_json::Value;
use starkeep_contract::did_you_mean::nearest;
use starkeep_contract::ignored_field::IgnoredField;
use utoipa::ToSchema;

/// Whoever sends more unknown fields sees enough with so many.
const MOST: usize = 20;

/// Paths of ignored fields, each by the names from the whole to the field; `[]` is any element of a list.
#[derive(Clone, Debug, Default)]
pub struct Ignored(BTreeSet<Vec<String>>);

const ELEMENT: &str = "[]";

/// A name may be as long as a body. It is sent back and kept with the answer, and so many characters show which it is.
const LONGEST_NAME: usize = 80;

impl Ignored {
    /// In a list of many objects the same field is noted once.
    pub(super) fn note(&mut self, path: &Path<'_>) {
        let names = names(path);
        if self.0.len() < MOST && !self.0.contains(&names) {
            self.0.insert(names);
        }
    }

    /// The list for the answer; what is known is what the contract says of the request's type.
    pub fn of<T: ToSchema>(&self) -> Vec<IgnoredField> {
        if self.0.is_empty() {
            return Vec::new();
        }
        let known = Known::of::<T>();
        let field = |names: &Vec<String>| IgnoredField {
            field: names.join(".").replace(".[]", ELEMENT),
            did_you_mean: known.nearest(names),
        };
        self.0.iter().map(field).collect()
    }
}

fn names(path: &Path<'_>) -> Vec<String> {
    let (parent, name) = match path {
        Path::Root => return Vec::new(),
        Path::Seq { parent, .. } => (parent, Some(ELEMENT.to_owned())),
        Path::Map { parent, key } => (parent, Some(shortened(key))),
        Path::Some { parent } | Path::NewtypeStruct { parent } | Path::NewtypeVariant { parent } => {
            (parent, None)
        }
    };
    let mut names = names(parent);
    names.extend(name);
    names
}

fn shortened(name: &str) -> String {
    match name.char_indices().nth(LONGEST_NAME) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    }
}

/// The contract's description of a type, and of all that it refers to.
struct Known {
    whole: Value,
    named: Vec<(String, Value)>,
}

impl Known {
    fn of<T: ToSchema>() -> Self {
        let plain = |schema| serde_json::to_value(schema).expect("a schema is plain data");
        let mut named = Vec::new();
        T::schemas(&mut named);
        let named = named.into_iter().map(|(name, schema)| (name, plain(schema))).collect();
        Self { whole: plain(T::schema()), named }
    }

    fn nearest(&self, names: &[String]) -> Option<String> {
        let (name, parents) = names.split_last()?;
        let object = parents.iter().try_fold(self.resolve(&self.whole), |schema, name| {
            let inner = if name == ELEMENT { &schema["items"] } else { &schema["properties"][name] };
            Some(self.resolve(inner)).filter(|schema| schema.is_object())
        })?;
        nearest(name, object["properties"].as_object()?.keys().map(String::as_str)).map(str::to_owned)
    }

    /// What a reference means; of what may be null, what it is otherwise.
    fn resolve<'a>(&'a self, schema: &'a Value) -> &'a Value {
        if let Some(reference) = schema["$ref"].as_str() {
            let name = reference.rsplit('/').next();
            let target = self.named.iter().find(|(known, _)| Some(known.as_str()) == name);
            return target.map_or(&Value::Null, |(_, target)| self.resolve(target));
        }
        let alternatives = schema["oneOf"].as_array().into_iter().flatten();
        let mut meant = alternatives.filter(|alternative| alternative["type"] != "null");
        meant.next().map_or(schema, |meant| self.resolve(meant))
    }
}
