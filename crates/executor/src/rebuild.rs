//! After a gap in the game service's stream: what its `GET /rosters` tells, as the news that bring [`Games`] up to date.
//! Nothing is told twice by it: news of what is known already change nothing.

use serde::Deserialize;
use starkeep_contract::events::RoundStatusWord;
use starkeep_core_types::{GameId, PlayerId, WorldId};
use uuid::Uuid;

use crate::games::{GameStatus, Games, RoundState};
use crate::news::{GameEvent, GameNews};

/// A game that is created or runs.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Roster {
    game_id: Uuid,
    /// Null before the start.
    gameworld_id: Option<Uuid>,
    status: String,
    start_money: Option<u64>,
    round_number: Option<u32>,
    round_status: Option<RoundStatusWord>,
    players: Vec<RosterPlayer>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RosterPlayer {
    player_id: Uuid,
    transaction_id: Option<Uuid>,
    #[serde(default)]
    left: bool,
}

/// `rosters` is the body of the answer. Games that are known here as not ended and are missing there have ended.
pub fn rebuild(rosters: &[u8], known: &Games) -> Result<Vec<GameEvent>, serde_json::Error> {
    let rosters: Vec<Roster> = serde_json::from_slice(rosters)?;
    let is_listed = |game: GameId| rosters.iter().any(|roster| roster.game_id == game.0);
    let missed = known.iter().filter(|(id, game)| game.status != GameStatus::Ended && !is_listed(*id));
    let mut events: Vec<_> = missed.map(|(game, _)| GameEvent { game, news: GameNews::Ended }).collect();
    events.extend(rosters.iter().flat_map(Roster::events));
    Ok(events)
}

impl Roster {
    /// In the order in which they happened.
    fn events(&self) -> Vec<GameEvent> {
        let mut news = vec![GameNews::Created];
        let world = self.gameworld_id.filter(|_| self.status != "created").map(WorldId);
        for player in &self.players {
            let id = PlayerId(player.player_id);
            // Who left before the start has no account; who left later keeps it.
            if player.left && world.is_none() {
                news.push(GameNews::Left { player: id });
                continue;
            }
            let money = self.start_money.unwrap_or_default();
            news.push(GameNews::Joined { player: id, money, transaction: player.transaction_id });
        }
        news.extend(world.map(|world| GameNews::Started { world }));
        if let (Some(number), Some(word)) =
            (self.round_number.filter(|number| *number > 0), self.round_status)
        {
            news.push(GameNews::Round { number, state: RoundState::from(word) });
        }
        if self.status == "ended" {
            news.push(GameNews::Ended);
        }
        let game = GameId(self.game_id);
        news.into_iter().map(|news| GameEvent { game, news }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: u128) -> Uuid {
        Uuid::from_u128(number)
    }

    #[test]
    fn what_was_missed_is_told_and_what_is_missing_has_ended() {
        let mut games = Games::default();
        for number in [1, 2] {
            games.absorb(&GameEvent { game: GameId(id(number)), news: GameNews::Created });
        }
        let body = serde_json::json!([{
            "gameId": id(2), "status": "running", "gameworldId": id(20), "startMoney": 300, "roundNumber": 4,
            "roundStatus": "command input ended",
            "players": [
                {"playerId": id(5), "transactionId": id(6), "left": false},
                {"playerId": id(7), "transactionId": null, "left": true},
            ],
        }, {
            "gameId": id(3), "status": "created", "gameworldId": null, "startMoney": 200, "roundNumber": 0,
            "roundStatus": null, "players": [{"playerId": id(5), "transactionId": null, "left": true}],
        }]);
        let events = rebuild(body.to_string().as_bytes(), &games).unwrap();
        let joined =
            |player, transaction| GameNews::Joined { player: PlayerId(id(player)), money: 300, transaction };
        let expected = [
            (1, GameNews::Ended),
            (2, GameNews::Created),
            (2, joined(5, Some(id(6)))),
            (2, joined(7, None)),
            (2, GameNews::Started { world: WorldId(id(20)) }),
            (2, GameNews::Round { number: 4, state: RoundState::InputEnded }),
            (3, GameNews::Created),
            (3, GameNews::Left { player: PlayerId(id(5)) }),
        ];
        assert_eq!(events, expected.map(|(game, news)| GameEvent { game: GameId(id(game)), news }));
        for event in &events {
            games.absorb(event);
        }
        let before = games.clone();
        for event in rebuild(body.to_string().as_bytes(), &games).unwrap() {
            games.absorb(&event);
        }
        assert_eq!(games, before, "the same news twice change nothing");
    }

    #[test]
    fn what_is_no_list_of_rosters_is_refused() {
        assert!(rebuild(b"{}", &Games::default()).is_err());
        assert!(rebuild(b"[{\"gameId\":1}]", &Games::default()).is_err());
    }
}
