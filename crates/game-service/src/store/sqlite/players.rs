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
    let (condition, value) = condition(search);
    let mut select = connection.prepare_cached(&format!("SELECT * FROM player WHERE {condition}"))?;
    select.query_row([value], read).optional()
}

/// Each is answered by an index.
fn condition(search: &PlayerSearch) -> (&'static str, &dyn ToSql) {
    match search {
        PlayerSearch::Id(id) => ("id = ?1", id.0.as_bytes()),
        PlayerSearch::Token(token) => ("token = ?1", token.0.as_bytes()),
        PlayerSearch::TokenOrId(token) => {
            ("token = ?1 OR id = ?1 ORDER BY token <> ?1 LIMIT 1", token.0.as_bytes())
        }
        PlayerSearch::Name(name) => ("name_key = ?1", name),
        PlayerSearch::Mail(mail) => ("mail_key = ?1", mail),
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

#[cfg(test)]
mod tests {
    use starkeep_platform::sqlite::Tables;
    use uuid::Uuid;

    use super::*;
    use crate::domain::Games;

    #[test]
    fn neither_the_start_nor_a_search_walks_through_all_players_or_games() {
        let connection = Connection::open_in_memory().unwrap();
        let migrations = Games::MIGRATIONS.iter().flat_map(|migration| migration.iter());
        migrations.for_each(|sql| connection.execute_batch(sql).unwrap());
        let (id, token) = (PlayerId(Uuid::nil()), Token(Uuid::nil()));
        let searches = [
            PlayerSearch::Id(id),
            PlayerSearch::Token(token),
            PlayerSearch::TokenOrId(token),
            PlayerSearch::named("ada"),
            PlayerSearch::with_mail("ada"),
        ];
        let mut conditions = vec![format!("id IN ({ACTIVE_PLAYERS})")];
        conditions.extend(searches.iter().map(|search| condition(search).0.to_owned()));
        for condition in conditions {
            let sql = format!("EXPLAIN QUERY PLAN SELECT * FROM player WHERE {condition}");
            let mut explain = connection.prepare(&sql).unwrap();
            let steps: Vec<String> =
                explain.raw_query().mapped(|row| row.get("detail")).map(Result::unwrap).collect();
            assert!(!steps.is_empty());
            assert!(steps.iter().all(|step| !step.contains("SCAN")), "{condition}: {steps:?}");
        }
    }
}
