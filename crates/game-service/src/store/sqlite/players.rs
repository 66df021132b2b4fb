//! Registered players as rows and back.

use rusqlite::{Connection, OptionalExtension, Row, ToSql, params};
use starkeep_game_core::{Player, PlayerId, Token, normalized};
use starkeep_platform::sqlite::uuid_column;

use super::ACTIVE_PLAYERS;
use crate::domain::{Image, PlayerSearch};

/// Who takes part in an active game.
pub(super) fn load(connection: &Connection, image: &mut Image) -> rusqlite::Result<()> {
    let mut select = connection.prepare(&format!("SELECT * FROM player WHERE id IN ({ACTIVE_PLAYERS})"))?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        image.insert_player(read(row)?);
    }
    Ok(())
}

pub(super) fn find(connection: &Connection, search: &PlayerSearch) -> rusqlite::Result<Option<Player>> {
    let find = |condition: &str, value: &dyn ToSql| {
        let mut select = connection.prepare_cached(&format!("SELECT * FROM player WHERE {condition}"))?;
        select.query_row([value], read).optional()
    };
    match search {
        PlayerSearch::Id(id) => find("id = ?1", id.0.as_bytes()),
        PlayerSearch::Token(token) => find("token = ?1", token.0.as_bytes()),
        PlayerSearch::TokenOrId(token) => {
            find("token = ?1 OR id = ?1 ORDER BY token <> ?1 LIMIT 1", token.0.as_bytes())
        }
        PlayerSearch::Name(name) => find("name_key = ?1", name),
        PlayerSearch::Mail(mail) => find("mail_key = ?1", mail),
    }
}

fn read(row: &Row<'_>) -> rusqlite::Result<Player> {
    Ok(Player {
        id: PlayerId(uuid_column(row, "id")?),
        name: row.get("name")?,
        mail: row.get("mail")?,
        token: Token(uuid_column(row, "token")?),
    })
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
