//! Games, players and scores as text for people.

use std::time::Duration;

use serde::Deserialize;
use serde_json::value::RawValue;
use starkeep_contract::game::Pace;
use starkeep_contract::scores::ScoreboardRow;

use crate::failure::CommandError;
use crate::games::ShownGame;
use crate::paint::{Look, Paint};
use crate::table::{Cell, Table};

pub(super) fn list(games: &[ShownGame], paint: Paint) -> String {
    if games.is_empty() {
        return "There is no game yet; `starkeep game create` creates one.\n".to_owned();
    }
    let mut table = Table::new(["NAME", "ID", "STATUS", ">ROUND", ">PLAYERS", ">DURATION"]);
    for game in games {
        let (status, look) = game.status();
        table.add([
            Cell::new(game.label()),
            Cell::looking(Look::Dim, game.short_id()),
            Cell::looking(look, status),
            Cell::new(format!("{}/{}", game.round(), game.max_rounds)),
            Cell::new(format!("{}/{}", game.players(), game.max_players)),
            Cell::new(length(game.round_length_in_millis)),
        ]);
    }
    table.text(paint)
}

pub(super) fn details(game: &ShownGame, paint: Paint) -> String {
    let (status, look) = game.status();
    let pace = match game.pace {
        Some(Pace::Turbo) => "turbo: a round ends as soon as every player is ready",
        Some(Pace::Clock) | None => "clock",
    };
    let world = game.gameworld_id.map_or("none yet".to_owned(), |id| id.to_string());
    let rows = [
        ("name", paint.text(Look::Bold, &game.label())),
        ("id", game.game_id.to_string()),
        ("status", paint.text(look, status)),
        ("round", format!("{} of {}", game.round(), game.max_rounds)),
        ("players", format!("{} of {}", game.players(), game.max_players)),
        ("duration", length(game.round_length_in_millis)),
        ("pace", pace.to_owned()),
        ("gameworld", world),
    ];
    let times = [("created", &game.created_at), ("started", &game.started_at), ("ended", &game.ended_at)];
    let times = times.into_iter().filter_map(|(name, time)| Some((name, time.clone()?)));
    let lines: Vec<String> = rows
        .into_iter()
        .chain(times)
        .map(|(name, value)| format!("{}  {value}\n", paint.text(Look::Dim, &format!("{name:<9}"))))
        .collect();
    lines.concat()
}

/// What is known of a game in one line.
fn summary(game: &ShownGame, paint: Paint) -> String {
    let (status, look) = game.status();
    format!(
        "{} ({}): {}, round {} of {}, {} of {} players, {} a round",
        paint.text(Look::Bold, &game.label()),
        game.short_id(),
        paint.text(look, status),
        game.round(),
        game.max_rounds,
        game.players(),
        game.max_players,
        length(game.round_length_in_millis),
    )
}

pub(super) fn created(game: &ShownGame, paint: Paint) -> String {
    let hint = format!("players join, then: starkeep game start {}", game.short_id());
    format!("created {}\nid {}\n{}\n", summary(game, paint), game.game_id, paint.text(Look::Dim, &hint))
}

pub(super) fn done(what: &str, game: &ShownGame, paint: Paint) -> String {
    format!("{what} {}\n", summary(game, paint))
}

pub(super) fn question(game: &ShownGame) -> String {
    format!("End {}? This cannot be undone.", summary(game, Paint { is_on: false }))
}

/// A row of `GET /games/{id}/players`.
#[derive(Deserialize)]
struct PlayerRow {
    name: String,
    ready: bool,
    commands: u64,
    refused: u64,
    late: u64,
}

pub(super) fn players(game: &ShownGame, answer: &RawValue, paint: Paint) -> Result<String, CommandError> {
    let rows: Vec<PlayerRow> = read(answer)?;
    if rows.is_empty() {
        return Ok(format!("Nobody has joined {} yet.\n", game.label()));
    }
    let mut table = Table::new(["PLAYER", "READY", ">COMMANDS", ">REFUSED", ">LATE"]);
    for row in rows {
        let ready = if row.ready { Cell::looking(Look::Good, "yes") } else { Cell::looking(Look::Dim, "no") };
        table.add([
            Cell::new(row.name),
            ready,
            Cell::new(row.commands),
            Cell::new(row.refused),
            Cell::new(row.late),
        ]);
    }
    Ok(table.text(paint))
}

pub(super) fn scores(game: &ShownGame, answer: &RawValue, paint: Paint) -> Result<String, CommandError> {
    let rows: Vec<ScoreboardRow> = read(answer)?;
    if rows.is_empty() {
        return Ok(format!("Nobody has joined {} yet.\n", game.label()));
    }
    let title = format!("{}, round {} of {}", game.label(), game.round(), game.max_rounds);
    Ok(format!("{}\n{}", paint.text(Look::Bold, &title), scoreboard(&rows).text(paint)))
}

fn scoreboard(rows: &[ScoreboardRow]) -> Table<6> {
    let mut table = Table::new([">RANK", "PLAYER", ">MONEY", ">ROBOTS", ">MINED", ">WON"]);
    for row in rows {
        let mined = row.mined.as_ref().map(|mined| {
            [mined.coal, mined.iron, mined.gem, mined.gold, mined.platin].into_iter().sum::<u64>()
        });
        let look = if row.out == Some(true) || row.left { Look::Dim } else { Look::Plain };
        table.add([
            Cell::new(row.rank),
            Cell::looking(look, row.name.as_str()),
            Cell::known(row.money),
            Cell::known(row.robots_alive),
            Cell::known(mined),
            Cell::known(row.fights_won),
        ]);
    }
    table
}

fn read<'a, T: Deserialize<'a>>(answer: &'a RawValue) -> Result<T, CommandError> {
    serde_json::from_str(answer.get())
        .map_err(|fault| CommandError::Stopped(format!("the game service's answer cannot be read: {fault}")))
}

fn length(millis: u32) -> String {
    format!("{:?}", Duration::from_millis(millis.into()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::games::test_game as game;

    const ID: &str = "aaaa1111-0000-4000-8000-00000000abcd";
    const PLAIN: Paint = Paint { is_on: false };

    fn raw(value: &serde_json::Value) -> Box<RawValue> {
        RawValue::from_string(value.to_string()).unwrap()
    }

    #[test]
    fn games_are_listed_by_name_and_where_they_have_none_by_id() {
        let games = [game(ID, Some("Lecture"), "running"), game(ID, None, "created")];
        let expected = "\
NAME      ID        STATUS   ROUND  PLAYERS  DURATION
Lecture   0000abcd  running   3/20      0/4        2s
0000abcd  0000abcd  created   3/20      0/4        2s
";
        assert_eq!(list(&games, PLAIN), expected);
        assert!(list(&[], PLAIN).contains("starkeep game create"));
    }

    #[test]
    fn players_are_shown_with_what_they_sent() {
        let rows = raw(&json!([
            { "playerId": ID, "name": "ada", "ready": true, "commands": 3, "refused": 0, "late": 1 },
        ]));
        let shown = players(&game(ID, None, "running"), &rows, PLAIN).unwrap();
        assert_eq!(shown, "PLAYER  READY  COMMANDS  REFUSED  LATE\nada     yes           3        0     1\n");
        let nobody = players(&game(ID, Some("Lecture"), "created"), &raw(&json!([])), PLAIN).unwrap();
        assert_eq!(nobody, "Nobody has joined Lecture yet.\n");
    }

    #[test]
    fn what_is_not_known_of_the_scores_is_a_dash() {
        let row = json!([{ "rank": 1, "playerId": ID, "name": "ada", "money": 110, "robotsAlive": 1,
            "mined": { "coal": 2, "iron": 0, "gem": 0, "gold": 1, "platin": 0 }, "fightsWon": null, "out": false,
            "left": false }]);
        let shown = scores(&game(ID, Some("Lecture"), "running"), &raw(&row), PLAIN).unwrap();
        let expected = "\
Lecture, round 3 of 20
RANK  PLAYER  MONEY  ROBOTS  MINED  WON
   1  ada       110       1      3    -
";
        assert_eq!(shown, expected);
    }
}
