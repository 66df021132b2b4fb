//! What a command is known by: its transaction id. One that is no UUID is refused, and is known by its text.

use std::fmt;

use starkeep_platform::documents::{KeyBytes, KeyPart};
use uuid::Uuid;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Transaction {
    Id(Uuid),
    Text(String),
}

impl Transaction {
    pub(crate) fn of(text: &str) -> Self {
        Uuid::try_parse(text).map_or_else(|_| Self::Text(text.to_owned()), Self::Id)
    }

    pub(crate) fn id(&self) -> Option<Uuid> {
        match self {
            Self::Id(id) => Some(*id),
            Self::Text(_) => None,
        }
    }
}

/// One byte more than an id has at least, whatever the text is.
const TEXT: [u8; 17] = [0; 17];

/// Shorter than the text for almost all of them, and never the same for two.
impl KeyPart for Transaction {
    fn append(&self, bytes: &mut KeyBytes) {
        match self {
            Self::Id(id) => bytes.extend_from_slice(id.as_bytes()),
            Self::Text(text) => bytes.extend(TEXT.iter().chain(text.as_bytes())),
        }
    }

    fn take(bytes: &mut &[u8]) -> Option<Self> {
        let bytes = std::mem::take(bytes);
        match bytes.strip_prefix(&TEXT) {
            Some(text) => String::from_utf8(text.to_vec()).ok().map(Self::Text),
            None => Uuid::from_slice(bytes).ok().map(Self::Id),
        }
    }

    fn text(&self) -> String {
        self.to_string()
    }

    fn parse(text: &str) -> Option<Self> {
        Some(Self::of(text))
    }
}

impl fmt::Display for Transaction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Id(id) => id.fmt(f),
            Self::Text(text) => f.write_str(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use starkeep_platform::documents::DocumentKey;

    use super::*;

    #[test]
    fn spellings_of_an_id_are_the_same_and_texts_are_their_own() {
        let id = "5EED0000-0000-4000-8000-000000000009";
        assert_eq!(Transaction::of(id), Transaction::of(&id.to_lowercase()));
        assert_eq!(Transaction::of("abc"), Transaction::Text("abc".to_owned()));
        for transaction in [Transaction::of(id), Transaction::of("sixteen letters!"), Transaction::of("")] {
            let bytes = (transaction.clone(),).to_bytes();
            assert_eq!(bytes.len() == 16, transaction.id().is_some());
            assert_eq!(DocumentKey::from_bytes(&bytes), Some((transaction,)));
        }
    }
}
