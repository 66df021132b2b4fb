//! A kind of documents: what a service declares of each entity that it keeps.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::key::DocumentKey;
use super::question::Document;
use crate::document_writes::Lookup;
use crate::domain::Domain;

/// An entity that is kept as documents of one kind.
pub trait Entity: 'static {
    /// Whose it is.
    type Of: Domain;
    /// How the kind is called in databases and archives.
    const NAME: &'static str;
    /// The version of the form that is written.
    const VERSION: u32 = 1;
    /// The names of its look-ups.
    const LOOKUPS: &'static [&'static str] = &[];
    type Key: DocumentKey;
    type Form: Serialize + DeserializeOwned;

    /// As it is in the image; none where there is no such one.
    fn form(image: &<Self::Of as Domain>::Image, key: &Self::Key) -> Option<Self::Form>;

    /// Brings it into the image. The error says what of the form cannot be read.
    fn put(image: &mut <Self::Of as Domain>::Image, key: Self::Key, form: Self::Form) -> Result<(), String>;

    /// Its bounds. What breaks one is not committed, and not loaded.
    fn check(_key: &Self::Key, _form: &Self::Form) -> Result<(), String> {
        Ok(())
    }

    /// Where it is found beside its key.
    fn lookups(_key: &Self::Key, _form: &Self::Form) -> Vec<Lookup> {
        Vec::new()
    }

    /// Reads the form of an earlier version.
    fn upcast(version: u32, _body: &str) -> Result<Self::Form, String> {
        Err(format!("its form {version} is not known any longer"))
    }
}

/// A document that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the document {kind} {key} cannot be read: {reason}")]
pub struct Unreadable {
    pub kind: &'static str,
    pub key: String,
    pub reason: String,
}

/// A kind, for whoever need not know its entity.
pub struct Kind<D: Domain> {
    pub name: &'static str,
    /// As it is in the image.
    pub(super) written: fn(&D::Image, &[u8]) -> WrittenIfAny,
    pub(super) has: fn(&D::Image, &[u8]) -> bool,
    pub(super) lookups: fn(&D::Image, &[u8]) -> Vec<Lookup>,
    pub(super) put: fn(&mut D::Image, &Document) -> Result<(), Unreadable>,
}

/// The error says which bound it breaks.
pub(super) type WrittenIfAny = Result<Option<Written>, String>;

/// A document as it is to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Written {
    pub(super) form: u32,
    pub(super) body: String,
    pub(super) lookups: Vec<Lookup>,
}

impl<D: Domain> Kind<D> {
    pub const fn of<E: Entity<Of = D>>() -> Self {
        Self {
            name: E::NAME,
            written: |image, key| {
                let Some(key) = E::Key::from_bytes(key) else { return Ok(None) };
                E::form(image, &key).map(|form| written::<E>(&key, &form)).transpose()
            },
            has: |image, key| E::Key::from_bytes(key).is_some_and(|key| E::form(image, &key).is_some()),
            lookups: |image, key| {
                if E::LOOKUPS.is_empty() {
                    return Vec::new();
                }
                let key = E::Key::from_bytes(key);
                let form = key.and_then(|key| E::form(image, &key).map(|form| E::lookups(&key, &form)));
                form.unwrap_or_default()
            },
            put: |image, document| {
                let (key, form) = document.read::<E>()?;
                E::put(image, key, form).map_err(|reason| document.unreadable::<E>(reason))
            },
        }
    }
}

/// The error says which bound it breaks.
pub(super) fn written<E: Entity>(key: &E::Key, form: &E::Form) -> Result<Written, String> {
    E::check(key, form).map_err(|reason| format!("{} {}: {reason}", E::NAME, key.text()))?;
    let body = serde_json::to_string(form).expect("a stored form is plain data");
    Ok(Written { form: E::VERSION, body, lookups: E::lookups(key, form) })
}
