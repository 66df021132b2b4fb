//! The column `kind`: what a command or batch is about, as a word.
//! The words are stored, so they stay as they are.

use rusqlite::Row;
use starkeep_game_core::Kind;

pub(super) fn kind(row: &Row<'_>) -> rusqlite::Result<Kind> {
    let word: String = row.get("kind")?;
    let known = Kind::ALL.into_iter().find(|kind| kind_word(*kind) == word);
    known.ok_or_else(|| rusqlite::Error::InvalidColumnName(format!("kind `{word}`")))
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
