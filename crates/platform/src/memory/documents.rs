//! Documents of the store in memory.

use std::collections::BTreeMap;

use super::MemoryTables;
use crate::document_writes::{DocumentWrite, DocumentWrites, KeyRange};
use crate::documents::{Document, Documents, KeyBytes, Question, put};

type Name = &'static str;

/// What a database would keep.
#[derive(Default)]
pub struct KeptDocuments {
    documents: BTreeMap<(Name, KeyBytes), (u32, String)>,
    lookups: BTreeMap<(Name, Vec<u8>), KeyBytes>,
}

impl KeptDocuments {
    fn ask(&self, question: &Question) -> Vec<Document> {
        let Question { kind, lookup, from, below, most, is_descending } = question;
        let kind = *kind;
        let document = |key: &KeyBytes| {
            let (form, body) = self.documents.get(&(kind, key.clone()))?;
            Some(Document { kind, key: key.clone(), form: *form, body: body.clone() })
        };
        let within = |name: Name| (name, from.clone())..(name, below.clone());
        let mut found: Vec<Document> = match lookup {
            None => self.documents.range(within(kind)).filter_map(|((_, key), _)| document(key)).collect(),
            Some(name) => self.lookups.range(within(name)).filter_map(|(_, key)| document(key)).collect(),
        };
        if *is_descending {
            found.reverse();
        }
        found.truncate(*most as usize);
        found
    }

    /// Nothing is changed where it is refused.
    fn save(&mut self, writes: &DocumentWrites) -> Result<(), String> {
        let is_removed = |name: Name, value: &Vec<u8>| {
            let mut ranges = writes.removed_by.iter().map(|(_, range)| range);
            writes.removed_lookups.iter().any(|lookup| (lookup.name, &lookup.value) == (name, value))
                || ranges.any(|range| range.name == name && (&range.from..&range.below).contains(&value))
        };
        let is_free = |name: Name, value: &Vec<u8>| {
            !self.lookups.contains_key(&(name, value.clone())) || is_removed(name, value)
        };
        if let Some((lookup, _)) =
            writes.lookups.iter().find(|(lookup, _)| !is_free(lookup.name, &lookup.value))
        {
            return Err(format!("UNIQUE: there is a document with this {}", lookup.name));
        }
        let within = |range: &KeyRange| (range.name, range.from.clone())..(range.name, range.below.clone());
        for range in &writes.removed {
            let keys: Vec<_> = self.documents.range(within(range)).map(|(key, _)| key.clone()).collect();
            for key in keys {
                self.documents.remove(&key);
            }
        }
        for (kind, range) in &writes.removed_by {
            let found: Vec<_> =
                self.lookups.range(within(range)).map(|(value, key)| (value.clone(), key.clone())).collect();
            for (value, key) in found {
                self.lookups.remove(&value);
                self.documents.remove(&(*kind, key));
            }
        }
        for lookup in &writes.removed_lookups {
            self.lookups.remove(&(lookup.name, lookup.value.clone()));
        }
        for DocumentWrite { kind, key, body } in &writes.documents {
            match body {
                Some(body) => drop(self.documents.insert((kind, key.clone()), body.clone())),
                None => drop(self.documents.remove(&(*kind, key.clone()))),
            }
        }
        for (lookup, key) in &writes.lookups {
            self.lookups.insert((lookup.name, lookup.value.clone()), key.clone());
        }
        Ok(())
    }
}

impl<D: Documents> MemoryTables for D {
    type Tables = KeptDocuments;

    fn load(tables: &KeptDocuments) -> D::Image {
        let mut image = D::Image::default();
        for step in 0.. {
            let questions = D::start(&image, step);
            if questions.is_empty() {
                break;
            }
            for document in questions.iter().flat_map(|question| tables.ask(question)) {
                put::<D>(&mut image, &document).expect("what was written can be read");
            }
        }
        image
    }

    fn ask(tables: &KeptDocuments, question: &Question) -> Vec<Document> {
        tables.ask(question)
    }

    fn fetch(tables: &KeptDocuments, key: &D::Key, image: &mut D::Image) {
        if <D as Documents>::lacks(image, key) {
            let found: Vec<_> = D::wanted(key).iter().flat_map(|question| tables.ask(question)).collect();
            D::found(image, key, &found).expect("what was written can be read");
        }
    }

    fn save(tables: &mut KeptDocuments, _: &D::Change, documents: &DocumentWrites) -> Result<(), String> {
        tables.save(documents)
    }
}
