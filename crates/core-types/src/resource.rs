//! The five kinds of resources.
//! Where each lies, what it is worth and who can mine it are the rules of the cores that use them.

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ResourceKind {
    Coal,
    Iron,
    Gem,
    Gold,
    Platin,
}

impl ResourceKind {
    pub const ALL: [Self; 5] = [Self::Coal, Self::Iron, Self::Gem, Self::Gold, Self::Platin];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Coal => "coal",
            Self::Iron => "iron",
            Self::Gem => "gem",
            Self::Gold => "gold",
            Self::Platin => "platin",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }

    /// The position in [`ALL`](Self::ALL).
    pub fn index(self) -> usize {
        self as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_read_as_they_are_written_and_know_their_place() {
        for (place, kind) in ResourceKind::ALL.into_iter().enumerate() {
            assert_eq!(ResourceKind::parse(kind.as_str()), Some(kind));
            assert_eq!(kind.index(), place);
        }
        assert_eq!(ResourceKind::parse("platinum"), None);
    }
}
