//! The books of a world: how much of each kind there was at first, was replenished and was mined.
//! What remains is not stored here but counted from the deposits, so that the two can be compared.

use std::error::Error;
use std::fmt;

use starkeep_core_types::ResourceKind;

use crate::resource::Deposit;

/// One book for each kind, in the order of [`ResourceKind::ALL`].
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Books([Book; 5]);

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Book {
    pub initial: i64,
    pub replenished: i64,
    pub mined: i64,
}

/// A kind whose book does not match its deposits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Imbalance {
    pub kind: ResourceKind,
    pub book: Book,
    pub left: i64,
}

impl Books {
    /// Books that were stored, in the order of [`ResourceKind::ALL`].
    pub fn new(books: [Book; 5]) -> Self {
        Self(books)
    }

    /// The books of a world that begins with these deposits.
    pub fn opening<'a>(deposits: impl IntoIterator<Item = &'a Deposit>) -> Self {
        Self(remaining(deposits).map(|initial| Book { initial, ..Book::default() }))
    }

    pub fn of(&self, kind: ResourceKind) -> Book {
        self.0[kind.index()]
    }

    pub(crate) fn record_mined(&mut self, kind: ResourceKind, amount: i64) {
        self.0[kind.index()].mined += amount;
    }

    pub(crate) fn record_replenished(&mut self, kind: ResourceKind, amount: i64) {
        self.0[kind.index()].replenished += amount;
    }

    /// initial + replenished = mined + left, for each kind.
    pub fn balance<'a>(&self, deposits: impl IntoIterator<Item = &'a Deposit>) -> Result<(), Imbalance> {
        let left = remaining(deposits);
        for kind in ResourceKind::ALL {
            let (book, left) = (self.of(kind), left[kind.index()]);
            if book.initial + book.replenished != book.mined + left {
                return Err(Imbalance { kind, book, left });
            }
        }
        Ok(())
    }
}

/// How much is in these deposits, for each kind.
pub(crate) fn remaining<'a>(deposits: impl IntoIterator<Item = &'a Deposit>) -> [i64; 5] {
    let mut left = [0; 5];
    for deposit in deposits {
        left[deposit.kind.index()] += deposit.current_amount;
    }
    left
}

impl fmt::Display for Imbalance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, book: Book { initial, replenished, mined }, left } = self;
        write!(
            f,
            "the books of {} do not balance: {initial} initial + {replenished} replenished, but {mined} mined + {left} left",
            kind.as_str()
        )
    }
}

impl Error for Imbalance {}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use uuid::Uuid;

    use super::*;
    use starkeep_core_types::DepositId;

    #[test]
    fn what_is_missing_on_the_planets_is_noticed() {
        let id = DepositId(Uuid::nil());
        let mut deposits = [ResourceKind::Coal, ResourceKind::Gold]
            .map(|kind| Deposit::full(id, kind, 100, Timestamp::UNIX_EPOCH));
        let mut books = Books::opening(&deposits);
        assert_eq!(books.balance(&deposits), Ok(()));

        deposits[1].current_amount = 40;
        let imbalance = books.balance(&deposits).unwrap_err();
        assert_eq!(
            imbalance.to_string(),
            "the books of gold do not balance: 100 initial + 0 replenished, but 0 mined + 40 left"
        );

        books.record_mined(ResourceKind::Gold, 60);
        assert_eq!(books.balance(&deposits), Ok(()));
        deposits[1].current_amount = 100;
        books.record_replenished(ResourceKind::Gold, 60);
        assert_eq!(books.balance(&deposits), Ok(()));
        assert_eq!(books.of(ResourceKind::Gold), Book { initial: 100, replenished: 60, mined: 60 });
    }
}
