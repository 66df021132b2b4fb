//! Registered players as rows and back.

use rusqlite::{Connection, params};
use starkeep_game_core::{Player, PlayerId, Token, normalized};
use starkeep_platform::sqlite::uuid_column;

use crate::domain::Image;

pub(super) fn load(connection: &Connection, image: &mut Image) -> rusqlite::Result<()> {
    let mut select = connection.prepare("SELECT id, name, mail, token FROM player")?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        image.insert_player(Player {
            id: PlayerId(uuid_column(row, "id")?),
            name: row.get("name")?,
            mail: row.get("mail")?,
            token: Token(uuid_column(row, "token")?),
        });
    }
    Ok(())
}

pub(super) fn renew(connection: &Connection, player: PlayerId, token: Token) -> rusqlite::Result<()> {
    connection
        .prepare_cached("UPDATE player SET token = ?2 WHERE id = ?1")?
        .execute(params![player.0.as_bytes(), token.0.as_bytes()])
        .map(drop)
}

pub(super) fn save(connection: &Connection, player: &Player) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO player (id, name, name_key, mail, mail_key, token) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?
        .execute(params![
            player.id.0.as_bytes(),
            player.name,
            normalized(&player.name),
            player.mail,
            normalized(&player.mail),
            player.token.0.as_bytes(),
        ])
        .map(drop)
}
