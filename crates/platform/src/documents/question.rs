//! What is asked of the documents: one by its key or by a look-up, or several in the order of their keys or of a look-up's values.

use super::entity::{Entity, Unreadable};
use super::key::{DocumentKey, KeyBytes, behind};

/// A document as the database has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    pub kind: &'static str,
    pub key: KeyBytes,
    /// The version of its form.
    pub form: u32,
    /// JSON.
    pub body: String,
}

/// Documents of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    pub(crate) kind: &'static str,
    /// By the values of this look-up, not by their keys.
    pub(crate) lookup: Option<&'static str>,
    pub(crate) from: KeyBytes,
    pub(crate) below: KeyBytes,
    pub(crate) most: u32,
    pub(crate) is_descending: bool,
}

impl Question {
    fn between(kind: &'static str, lookup: Option<&'static str>, from: KeyBytes, below: KeyBytes) -> Self {
        Self { kind, lookup, from, below, most: u32::MAX >> 1, is_descending: false }
    }

    fn beginning(kind: &'static str, lookup: Option<&'static str>, prefix: KeyBytes) -> Self {
        let below = behind(&prefix);
        Self::between(kind, lookup, prefix, below)
    }

    pub fn all<E: Entity>() -> Self {
        Self::beginning(E::NAME, None, KeyBytes::new())
    }

    pub fn one<E: Entity>(key: &E::Key) -> Self {
        let from = key.to_bytes();
        // Nothing comes between a key and the same key with a byte more.
        let below = [&from[..], &[0]].concat();
        Self::between(E::NAME, None, from, below)
    }

    /// Those whose keys begin with these parts.
    pub fn under<E: Entity>(parts: &impl DocumentKey) -> Self {
        Self::beginning(E::NAME, None, parts.to_bytes())
    }

    /// The one that this value of a unique look-up leads to.
    pub fn by<E: Entity>(lookup: &'static str, value: &[u8]) -> Self {
        Self::between(E::NAME, Some(lookup), value.to_vec(), [value, &[0]].concat())
    }

    /// Those that values with this beginning lead to, in the order of the values.
    pub fn by_beginning<E: Entity>(lookup: &'static str, prefix: &[u8]) -> Self {
        Self::beginning(E::NAME, Some(lookup), prefix.to_vec())
    }

    /// The last ones first.
    #[must_use]
    pub fn descending(self) -> Self {
        Self { is_descending: true, ..self }
    }

    /// Only what comes before this key, or value.
    #[must_use]
    pub fn below(self, below: KeyBytes) -> Self {
        Self { below: below.min(self.below), ..self }
    }

    #[must_use]
    pub fn at_most(self, most: u32) -> Self {
        Self { most, ..self }
    }
}

impl Document {
    pub fn read<E: Entity>(&self) -> Result<(E::Key, E::Form), Unreadable> {
        let unreadable = |reason| self.unreadable::<E>(reason);
        let key = E::Key::from_bytes(&self.key);
        let key = key.ok_or_else(|| unreadable("no such key can be".to_owned()))?;
        let form = read_form::<E>(self.form, &self.body).map_err(unreadable)?;
        E::check(&key, &form).map_err(unreadable)?;
        Ok((key, form))
    }

    pub(super) fn unreadable<E: Entity>(&self, reason: String) -> Unreadable {
        let key = E::Key::from_bytes(&self.key);
        let key = key.map_or_else(|| format!("{:02x?}", self.key), |key| key.text());
        Unreadable { kind: self.kind, key, reason }
    }
}

fn read_form<E: Entity>(version: u32, body: &str) -> Result<E::Form, String> {
    if version > E::VERSION {
        return Err(format!(
            "a newer version wrote it (form {version}, this program knows {}): use that version",
            E::VERSION
        ));
    }
    if version < E::VERSION {
        return E::upcast(version, body);
    }
    serde_json::from_str(body).map_err(|fault| fault.to_string())
}
