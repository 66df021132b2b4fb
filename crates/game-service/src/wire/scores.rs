//! The scoreboard, the rows of every round, and the `scores` event.
//! What nobody tells is null.

use std::collections::HashMap;

use jiff::Timestamp;
use starkeep_contract::events::{About, Channel, NewEvent};
use starkeep_contract::robot_service::ResourceAmounts;
use starkeep_contract::scores::{PlayerScore, PlayerScores, RoundScores, ScoreboardRow, Scores};
use starkeep_contract::{GameId as WireGameId, PlayerId as WirePlayerId};
use starkeep_game_core::{GameId, PlayerId, ResourceKind, Roster, Standing, ranked};

use super::Wire;
use super::event_ids::EventIds;
use crate::domain::Known;
use crate::ports::KeptScore;

#[expect(clippy::unused_self, reason = "which words follow the dialect is for this module to know")]
impl Wire {
    /// Without standings nothing is known, and nobody is before anybody. Players and their names stand in the same order.
    pub fn scoreboard(
        self,
        standings: Option<&[(PlayerId, Standing)]>,
        names: Vec<(PlayerId, String)>,
        roster: &Roster,
        known: Known,
    ) -> Vec<ScoreboardRow> {
        let known = if standings.is_some() { known } else { Known::default() };
        let nothing: Vec<_> = names.iter().map(|(player, _)| (*player, Standing::default())).collect();
        let mut names: HashMap<_, _> = names.into_iter().collect();
        let rows = ranked(standings.unwrap_or(&nothing).iter().copied()).into_iter();
        rows.map(|(rank, player, standing)| {
            let Standing { money, robots_alive, mined, fights_won } = standing;
            let robots = known.robots;
            ScoreboardRow {
                rank,
                player_id: WirePlayerId(player.0),
                name: names.remove(&player).unwrap_or_default(),
                money,
                robots_alive: robots.then_some(robots_alive),
                mined: known.mined.then(|| ResourceAmounts {
                    coal: mined.of(ResourceKind::Coal),
                    iron: mined.of(ResourceKind::Iron),
                    gem: mined.of(ResourceKind::Gem),
                    gold: mined.of(ResourceKind::Gold),
                    platin: mined.of(ResourceKind::Platin),
                }),
                fights_won: robots.then_some(fights_won),
                out: (robots && money.is_some()).then(|| standing.is_out()),
                // Who left before the start is not in the game.
                left: roster.is_taken_out(player),
            }
        })
        .collect()
    }

    /// The rows are in the order of the rounds.
    pub fn scores(self, rows: &[KeptScore], names: Vec<(PlayerId, String)>) -> Scores {
        let mut rounds: Vec<_> = rows.iter().map(|row| row.round).collect();
        rounds.dedup();
        let mut of_player: HashMap<PlayerId, Vec<&KeptScore>> = HashMap::new();
        for row in rows {
            of_player.entry(row.player).or_default().push(row);
        }
        let players = names.into_iter().map(|(player, name)| {
            let rows = of_player.remove(&player).unwrap_or_default();
            PlayerScores {
                player_id: WirePlayerId(player.0),
                name,
                money: rows.iter().map(|row| row.money).collect(),
                robots_alive: rows.iter().map(|row| row.known.robots.then_some(row.robots_alive)).collect(),
                mined: rows.iter().map(|row| row.known.mined.then_some(row.mined)).collect(),
                fights_won: rows.iter().map(|row| row.known.robots.then_some(row.fights_won)).collect(),
            }
        });
        Scores { rounds, players: players.collect() }
    }

    /// The players are in the order in which they joined.
    pub fn round_scored(
        self,
        game: GameId,
        round: u32,
        rows: &[(PlayerId, Standing)],
        known: Known,
        ids: &mut EventIds,
        now: Timestamp,
    ) -> NewEvent {
        let Known { robots, mined } = known;
        let score = |(player, standing): &(PlayerId, Standing)| PlayerScore {
            player_id: WirePlayerId(player.0),
            money: standing.money,
            robots_alive: robots.then_some(standing.robots_alive),
            mined: mined.then(|| standing.mined.total()),
            fights_won: robots.then_some(standing.fights_won),
        };
        let payload = RoundScores {
            game_id: WireGameId(game.0),
            round_number: round,
            players: rows.iter().map(score).collect(),
        };
        let about = About { round: Some(round), ..About::subject(game.0) };
        let (transaction, event) = (ids.next_id(), ids.next_id());
        NewEvent::new(Channel::Scores, event, about, Some(transaction), now, &payload)
    }
}
