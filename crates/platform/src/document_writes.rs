//! What a batch writes of its documents, as data: what the documents are is said in `documents`.

/// A value that leads to a document. No two documents have the same one; where several may, the key is a part of the value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Lookup {
    pub name: &'static str,
    pub value: Vec<u8>,
}

/// What is written, in this order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DocumentWrites {
    pub(crate) removed: Vec<KeyRange>,
    /// With the look-up by which they are found.
    pub(crate) removed_by: Vec<(&'static str, KeyRange)>,
    pub(crate) removed_lookups: Vec<Lookup>,
    pub(crate) documents: Vec<DocumentWrite>,
    pub(crate) lookups: Vec<(Lookup, Vec<u8>)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KeyRange {
    /// Of the kind or the look-up.
    pub(crate) name: &'static str,
    pub(crate) from: Vec<u8>,
    pub(crate) below: Vec<u8>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DocumentWrite {
    pub(crate) kind: &'static str,
    pub(crate) key: Vec<u8>,
    /// Form and body; none: it is removed.
    pub(crate) body: Option<(u32, String)>,
}
