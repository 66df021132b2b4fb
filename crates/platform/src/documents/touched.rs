//! What a batch writes of its documents: each one that a change touches, once, as it is in the image after the last change.

use std::collections::BTreeSet;
use std::marker::PhantomData;

use super::entity::{Entity, Written, written};
use super::key::{DocumentKey, KeyBytes, behind};
use super::{Documents, kind_of};
use crate::document_writes::{DocumentWrite, DocumentWrites, KeyRange, Lookup};
use crate::domain::Domain;

/// The documents that changes touch.
pub struct Touched<D> {
    in_image: BTreeSet<(&'static str, KeyBytes)>,
    carried: Vec<(&'static str, KeyBytes, Result<Written, String>)>,
    removed: Vec<(&'static str, KeyBytes)>,
    removed_by: Vec<(&'static str, Lookup)>,
    domain: PhantomData<D>,
}

impl<D: Domain> Touched<D> {
    fn new() -> Self {
        let (in_image, carried) = (BTreeSet::new(), Vec::new());
        Self { in_image, carried, removed: Vec::new(), removed_by: Vec::new(), domain: PhantomData }
    }

    /// A document that is in the image, or was until now.
    pub fn one<E: Entity<Of = D>>(&mut self, key: &E::Key) {
        self.in_image.insert((E::NAME, key.to_bytes()));
    }

    /// A document that never is in the image: it is written as it is here.
    pub fn carried<E: Entity<Of = D>>(&mut self, key: &E::Key, form: &E::Form) {
        self.carried.push((E::NAME, key.to_bytes(), written::<E>(key, form)));
    }

    /// All documents are gone to which values with this beginning lead. They have no other look-ups.
    pub fn all_removed_by<E: Entity<Of = D>>(&mut self, name: &'static str, prefix: &[u8]) {
        self.carried.retain(|(kind, _, written)| {
            let mut lookups = written.iter().flat_map(|written| &written.lookups);
            *kind != E::NAME || !lookups.any(|lookup| lookup.name == name && lookup.value.starts_with(prefix))
        });
        self.removed_by.push((E::NAME, Lookup { name, value: prefix.to_vec() }));
    }

    /// All documents whose keys begin with these parts are gone. They have no look-ups.
    pub fn all_removed<E: Entity<Of = D>>(&mut self, parts: &impl DocumentKey) {
        let prefix = parts.to_bytes();
        self.carried.retain(|(kind, key, _)| *kind != E::NAME || !key.starts_with(&prefix));
        self.removed.push((E::NAME, prefix));
    }
}

/// What the changes write that have moved the image from one to the other. The error says which document breaks its bounds.
pub fn writes<D: Documents>(
    before_batch: &D::Image,
    after: &D::Image,
    changes: &[D::Change],
) -> Result<DocumentWrites, String> {
    let mut touched = Touched::<D>::new();
    for change in changes {
        D::touched(change, &mut touched);
    }
    let mut writes = DocumentWrites::default();
    let under = |name, prefix: KeyBytes| KeyRange { name, below: behind(&prefix), from: prefix };
    writes.removed = touched.removed.into_iter().map(|(kind, prefix)| under(kind, prefix)).collect();
    let removed_by = touched.removed_by.into_iter();
    writes.removed_by = removed_by.map(|(kind, lookup)| (kind, under(lookup.name, lookup.value))).collect();
    for (name, key) in touched.in_image {
        let kind = kind_of::<D>(name);
        let before = (kind.lookups)(before_batch, &key);
        let written = (kind.written)(after, &key)?;
        // What the image has never shown is not there, or was not asked for: nothing of it is removed.
        if written.is_some() || (kind.has)(before_batch, &key) {
            add(&mut writes, name, key, &before, written);
        }
    }
    for (name, key, written) in touched.carried {
        add(&mut writes, name, key, &[], Some(written?));
    }
    Ok(writes)
}

fn add(
    writes: &mut DocumentWrites,
    kind: &'static str,
    key: KeyBytes,
    before: &[Lookup],
    written: Option<Written>,
) {
    let lookups = written.as_ref().map_or(&[][..], |written| &written.lookups);
    writes.removed_lookups.extend(before.iter().filter(|lookup| !lookups.contains(lookup)).cloned());
    let new = lookups.iter().filter(|lookup| !before.contains(lookup));
    writes.lookups.extend(new.map(|lookup| (lookup.clone(), key.clone())));
    let body = written.map(|Written { form, body, .. }| (form, body));
    writes.documents.push(DocumentWrite { kind, key, body });
}
