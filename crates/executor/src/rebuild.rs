//! After a gap in the game service's stream: its `GET /rosters`, read as the events that bring [`Games`] up to date.
//! Events of what is known already change nothing.

use std::collections::BTreeSet;

use starkeep_contract::game_roster::{GameRoster, RosterRoundStatus, RosterStatus, Rosters};
use starkeep_core_types::{GameId, PlayerId, WorldId};

use crate::events::{GameChange, GameEvent};
use crate::games::{GameStatus, Games};
use crate::round_state::RoundState;

/// `rosters` is the body of the answer. Games that are known here and are missing there were deleted.
pub fn rebuild(rosters: &[u8], known: &Games) -> Result<Vec<GameEvent>, serde_json::Error> {
    rebuild_with_players(rosters, known, |_| Vec::new())
}

/// The same for a service that knows players: those of a game that has not started who are missing there have left.
pub fn rebuild_with_players(
    rosters: &[u8],
    known: &Games,
    players: impl Fn(GameId) -> Vec<PlayerId>,
) -> Result<Vec<GameEvent>, serde_json::Error> {
    let Rosters { games, ended_games } = serde_json::from_slice(rosters)?;
    let active: BTreeSet<_> = games.iter().map(|roster| GameId(roster.game_id.0)).collect();
    let ended: BTreeSet<_> = ended_games.iter().map(|game| GameId(game.0)).collect();
    let mut events = Vec::new();
    for (game, before) in known.iter().filter(|(game, _)| !active.contains(game)) {
        if !ended.contains(&game) {
            events.push(GameEvent { game, change: GameChange::Deleted });
        } else if before.status != GameStatus::Ended {
            events.push(GameEvent { game, change: GameChange::Ended });
        }
    }
    for roster in &games {
        let game = GameId(roster.game_id.0);
        events
            .extend(changes_of(roster, &players(game)).into_iter().map(|change| GameEvent { game, change }));
    }
    Ok(events)
}

/// In the order in which they happened.
fn changes_of(roster: &GameRoster, known: &[PlayerId]) -> Vec<GameChange> {
    let mut changes = vec![GameChange::Created];
    let is_created = roster.status == RosterStatus::Created;
    // Who left before the start has no account; who left later keeps it.
    let stays = |player: &PlayerId| {
        roster.players.iter().any(|listed| listed.player_id.0 == player.0 && !(listed.left && is_created))
    };
    changes.extend(
        known.iter().filter(|player| !stays(player)).map(|player| GameChange::Left { player: *player }),
    );
    let joined = roster.players.iter().filter(|player| stays(&PlayerId(player.player_id.0)));
    changes.extend(joined.map(|player| GameChange::Joined {
        player: PlayerId(player.player_id.0),
        money: roster.start_money,
        transaction: player.transaction_id.map(|id| id.0),
    }));
    let world = roster.gameworld_id.filter(|_| !is_created).map(|world| WorldId(world.0));
    changes.extend(world.map(|world| GameChange::Started { world }));
    let state = match roster.round_status {
        RosterRoundStatus::Init => None,
        RosterRoundStatus::Started => Some(RoundState::Started),
        RosterRoundStatus::CommandInputEnded => Some(RoundState::InputEnded),
    };
    changes.extend(state.map(|state| GameChange::Round { number: roster.round_number, state }));
    changes
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn id(number: u128) -> Uuid {
        Uuid::from_u128(number)
    }

    #[test]
    fn what_was_missed_is_made_up_for_and_what_is_missing_was_deleted() {
        let mut games = Games::default();
        for number in [1, 2, 10, 11, 12] {
            games.absorb(&GameEvent { game: GameId(id(number)), change: GameChange::Created });
        }
        for number in [11, 12] {
            games.absorb(&GameEvent { game: GameId(id(number)), change: GameChange::Ended });
        }
        let active = serde_json::json!([{
            "gameId": id(2), "status": "running", "gameworldId": id(20), "startMoney": 300, "roundNumber": 4,
            "roundStatus": "command input ended",
            "players": [
                {"playerId": id(5), "transactionId": id(6), "left": false},
                {"playerId": id(7), "transactionId": null, "left": true},
            ],
        }, {
            "gameId": id(3), "status": "created", "gameworldId": null, "startMoney": 200, "roundNumber": 0,
            "roundStatus": "init", "players": [{"playerId": id(8), "transactionId": null, "left": false}],
        }]);
        // What ended and was never known is nobody's business here.
        let body = serde_json::json!({"games": active, "endedGames": [id(12), id(1), id(13)]});
        let known = |game: GameId| if game.0 == id(3) { vec![8, 9] } else { vec![5] };
        let known = |game| known(game).into_iter().map(|player| PlayerId(id(player))).collect::<Vec<_>>();
        let events = rebuild_with_players(body.to_string().as_bytes(), &games, known).unwrap();
        let joined = |player, transaction| GameChange::Joined {
            player: PlayerId(id(player)),
            money: 300,
            transaction,
        };
        let expected = [
            (1, GameChange::Ended),
            (10, GameChange::Deleted),
            (11, GameChange::Deleted),
            (2, GameChange::Created),
            (2, joined(5, Some(id(6)))),
            (2, joined(7, None)),
            (2, GameChange::Started { world: WorldId(id(20)) }),
            (2, GameChange::Round { number: 4, state: RoundState::InputEnded }),
            (3, GameChange::Created),
            (3, GameChange::Left { player: PlayerId(id(9)) }),
            (3, GameChange::Joined { player: PlayerId(id(8)), money: 200, transaction: None }),
        ];
        assert_eq!(events, expected.map(|(game, change)| GameEvent { game: GameId(id(game)), change }));
        for event in &events {
            games.absorb(event);
        }
        let before = games.clone();
        for event in rebuild_with_players(body.to_string().as_bytes(), &games, known).unwrap() {
            games.absorb(&event);
        }
        assert_eq!(games, before, "the same events twice change nothing");
    }

    #[test]
    fn what_is_no_list_of_rosters_is_refused() {
        assert!(rebuild(b"{}", &Games::default()).is_err());
        assert!(rebuild(b"[]", &Games::default()).is_err());
        assert!(rebuild(b"{\"games\":[]}", &Games::default()).is_err(), "nothing would be left");
        assert!(rebuild(b"{\"games\":[{\"gameId\":1}],\"endedGames\":[]}", &Games::default()).is_err());
    }
}
