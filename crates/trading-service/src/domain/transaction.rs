//! What a command is known by: its transaction id. One that is no UUID is refused, and is known by its text.

use std::fmt;

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

    /// Shorter than the text for almost all of them, and never the same for two.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        match self {
            Self::Id(id) => id.as_bytes().to_vec(),
            // One byte more than an id has at least, whatever the text is.
            Self::Text(text) => [&[0; 17][..], text.as_bytes()].concat(),
        }
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
    use super::*;

    #[test]
    fn spellings_of_an_id_are_the_same_and_texts_are_their_own() {
        let id = "5EED0000-0000-4000-8000-000000000009";
        assert_eq!(Transaction::of(id), Transaction::of(&id.to_lowercase()));
        assert_eq!(Transaction::of("abc"), Transaction::Text("abc".to_owned()));
        let sixteen = Transaction::of("sixteen letters!");
        assert_ne!(sixteen.to_bytes().len(), 16);
    }
}
