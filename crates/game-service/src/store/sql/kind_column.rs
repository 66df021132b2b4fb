//! The column `kind`: what a command or batch is about, as a word.
//! The words are stored, so they stay as they are.

use starkeep_game_core::Kind;
use starkeep_platform::sql::{Row, SqlFault};

pub(super) fn kind(row: &Row) -> Result<Kind, SqlFault> {
    row.word("kind", |word| Kind::ALL.into_iter().find(|kind| kind_word(*kind) == word))
}

pub(super) fn kind_word(kind: Kind) -> &'static str {
    match kind {
        Kind::Selling => "selling",
        Kind::Buying => "buying",
        Kind::Movement => "movement",
        Kind::Battle => "battle",
        Kind::Mining => "mining",
        Kind::Regeneration => "regeneration",
    }
}
