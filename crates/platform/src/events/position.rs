//! Positions in the log: opaque texts for readers, that hold the log's epoch, a number and a piece of the event's id.
//! The piece shows a log that went another way, such as one that was restored from a backup.

use std::fmt;
use std::str::FromStr;

use uuid::Uuid;

/// Names an event of a log, and so everything after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    pub epoch: u64,
    pub number: u64,
    pub piece: u32,
}

impl Position {
    /// The piece of an event's id that is kept in a position.
    pub fn piece_of(event_id: Uuid) -> u32 {
        event_id.as_fields().0
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}-{}-{:08x}", self.epoch, self.number, self.piece)
    }
}

impl FromStr for Position {
    type Err = Unreadable;

    fn from_str(text: &str) -> Result<Self, Unreadable> {
        let mut parts = text.split('-');
        let (Some(epoch), Some(number), Some(piece), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(Unreadable);
        };
        // Exactly as it is written: no sign, no upper case, no leading zero more or less.
        let position = Self {
            epoch: u64::from_str_radix(epoch, 16).map_err(|_| Unreadable)?,
            number: number.parse().map_err(|_| Unreadable)?,
            piece: u32::from_str_radix(piece, 16).map_err(|_| Unreadable)?,
        };
        if position.to_string() == text { Ok(position) } else { Err(Unreadable) }
    }
}

/// Not a position of any log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unreadable;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_is_read_as_it_is_written_and_nothing_else_is() {
        let position = Position { epoch: 0x1f, number: 42, piece: 7 };
        let text = "000000000000001f-42-00000007";
        assert_eq!(position.to_string(), text);
        assert_eq!(text.parse(), Ok(position));
        let others = [
            "",
            "start",
            "42",
            "1f-42-7",
            "000000000000001F-42-00000007",
            "000000000000001f-+42-00000007",
            "000000000000001f-042-00000007",
            "000000000000001f-42-00000007-",
            "000000000000001f--00000007",
            "000000000000001f-99999999999999999999-00000007",
        ];
        for other in others {
            assert_eq!(other.parse::<Position>(), Err(Unreadable), "{other}");
        }
    }
}
