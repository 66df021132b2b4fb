//! Registered players as rows and back.

use starkeep_game_core::{Player, PlayerId, RecoveryCodeHash, Token, normalized};
use starkeep_platform::sql::{Row, SqlConnection, SqlFault, Statements, Value};
use starkeep_platform::values;

use super::active_players;
use crate::domain::{Image, PlayerSearch};

macro_rules! players {
    ($which:literal) => {
        concat!("SELECT * FROM player WHERE ", $which)
    };
}

const PLAYING: &str = concat!("SELECT * FROM player WHERE id IN (", active_players!(), ")");

/// Who takes part in an active game.
pub(super) async fn load(connection: &dyn SqlConnection, image: &mut Image) -> Result<(), SqlFault> {
    for row in connection.query(PLAYING, &[]).await? {
        image.insert_player(read(&row)?);
    }
    Ok(())
}

pub(super) async fn find(
    connection: &dyn SqlConnection,
    search: &PlayerSearch,
) -> Result<Option<Player>, SqlFault> {
    let (sql, value) = question(search);
    connection.query_one(sql, &[value]).await?.as_ref().map(read).transpose()
}

/// Each is answered by an index.
fn question(search: &PlayerSearch) -> (&'static str, Value<'_>) {
    match search {
        PlayerSearch::Id(id) => (players!("id = ?1"), id.0.into()),
        PlayerSearch::Token(token) => (players!("token = ?1"), token.0.into()),
        PlayerSearch::TokenOrId(token) => {
            (players!("token = ?1 OR id = ?1 ORDER BY token <> ?1 LIMIT 1"), token.0.into())
        }
        PlayerSearch::Name(name) => (players!("name_key = ?1"), name.into()),
        PlayerSearch::Mail(mail) => (players!("mail_key = ?1"), mail.into()),
    }
}

fn read(row: &Row) -> Result<Player, SqlFault> {
    Ok(Player {
        id: PlayerId(row.get("id")?),
        name: row.get("name")?,
        mail: row.get("mail")?,
        token: Token(row.get("token")?),
        recovery_code: row.get::<Option<_>>("recovery_code")?.map(RecoveryCodeHash::from_bytes),
    })
}

pub(super) fn renew(rows: &mut dyn Statements, player: PlayerId, token: Token) -> Result<(), SqlFault> {
    rows.run("UPDATE player SET token = ?2 WHERE id = ?1", values![player.0, token.0])
}

pub(super) fn save(rows: &mut dyn Statements, player: &Player) -> Result<(), SqlFault> {
    let recovery_code = player.recovery_code.map(RecoveryCodeHash::to_bytes);
    rows.run(
        "INSERT INTO player (id, name, name_key, mail, mail_key, token, recovery_code)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        values![
            player.id.0,
            &player.name,
            &normalized(&player.name),
            &player.mail,
            &normalized(&player.mail),
            player.token.0,
            recovery_code.as_ref(),
        ],
    )
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::super::tests::assert_no_scan;
    use super::*;

    #[test]
    fn neither_the_start_nor_a_search_walks_through_all_players_or_games() {
        let (id, token) = (PlayerId(Uuid::nil()), Token(Uuid::nil()));
        let searches = [
            PlayerSearch::Id(id),
            PlayerSearch::Token(token),
            PlayerSearch::TokenOrId(token),
            PlayerSearch::named("ada"),
            PlayerSearch::with_mail("ada"),
        ];
        assert_no_scan(searches.iter().map(|search| question(search).0).chain([PLAYING]));
    }
}
