//! Envelopes of what the rules announce. Existing consumers know all channels but `gameClock` and `gameRoster`; the latter tells
//! what the frozen payloads of the others leave out.

use jiff::Timestamp;
use starkeep_contract::events::{
    About, Channel, GameClockChange, GameClockChanged, GameStatusChanged, GameStatusWord, NewEvent,
    PlayerJoined, RoundStatusChanged, RoundStatusWord,
};
use starkeep_contract::game_roster::{GameRosterChange, GameRosterChanged};
use starkeep_contract::{GameId as WireGameId, PlayerId, RoundId, WorldId};
use starkeep_game_core::{Change, ClockChange, Event, GameId};
use uuid::Uuid;

use super::event_ids::EventIds;
use super::{Wire, millis, phase_word};
use crate::domain::JoinRequest;

#[expect(clippy::unused_self, reason = "which words follow the dialect is for this module to know")]
impl Wire {
    /// Everything that the change announces, in order. That somebody joined needs a name that the rules do not know: see
    /// `joined`.
    pub fn events(self, change: &Change, ids: &mut EventIds, now: Timestamp) -> Vec<NewEvent> {
        let mut events = Vec::new();
        for event in &change.events {
            let (transaction, event_id) = (ids.next_id(), ids.next_id());
            let told = roster_change(event, change, transaction);
            let told = told.map(|(told, transaction)| roster(&told, transaction, ids.next_id(), now));
            let is_end = matches!(event, Event::Ended(_));
            let (before, after) = if is_end { (told, None) } else { (None, told) };
            // In Kafka nothing comes close after the end of a game, for consumers that read in parallel: it is told last.
            events.extend(before.into_iter().chain(envelope(event, transaction, event_id, now)).chain(after));
        }
        events
    }

    /// What a join announces. The transaction links the request to its events.
    pub fn joined(
        self,
        change: &Change,
        joining: &JoinRequest,
        transaction: Uuid,
        ids: &mut EventIds,
        now: Timestamp,
    ) -> Vec<NewEvent> {
        let Some(game) = &change.after else { return Vec::new() };
        let player_id = PlayerId(joining.player.0);
        let payload = PlayerJoined { player_id, name: joining.name.clone() };
        let about = About { player: Some(player_id.0), ..About::subject(game.id.0) };
        let status =
            NewEvent::new(Channel::PlayerStatus, ids.next_id(), about, Some(transaction), now, &payload);
        let told = GameRosterChanged {
            player_id: Some(player_id),
            start_money: Some(game.start_money.into()),
            ..of_game(game.id, GameRosterChange::Joined)
        };
        vec![status, roster(&told, Some(transaction), ids.next_id(), now)]
    }
}

fn envelope(event: &Event, transaction: Uuid, event_id: Uuid, now: Timestamp) -> Option<NewEvent> {
    let status = |game: GameId, status| {
        let payload = GameStatusChanged { game_id: WireGameId(game.0), status };
        NewEvent::new(Channel::Status, event_id, About::subject(game.0), Some(transaction), now, &payload)
    };
    let round = |game: GameId, round: starkeep_game_core::RoundId, round_number, round_status| {
        let (game_id, round_id) = (WireGameId(game.0), RoundId(round.0));
        let payload = RoundStatusChanged { game_id, round_id, round_number, round_status };
        let about = About { round: Some(round_number), ..About::subject(game.0) };
        NewEvent::new(Channel::RoundStatus, event_id, about, Some(transaction), now, &payload)
    };
    Some(match *event {
        Event::Created(game) => status(game, GameStatusWord::Created),
        Event::Started(game) => status(game, GameStatusWord::Started),
        Event::Ended(game) => status(game, GameStatusWord::Ended),
        Event::RoundStarted { game, round: id, number } => round(game, id, number, RoundStatusWord::Started),
        Event::InputEnded { game, round: id, number } => {
            round(game, id, number, RoundStatusWord::CommandInputEnded)
        }
        Event::RoundEnded { game, round: id, number } => round(game, id, number, RoundStatusWord::Ended),
        Event::Clock { game, change, round, open } => {
            let payload = GameClockChanged {
                game_id: WireGameId(game.0),
                change: clock_word(change),
                round_number: round,
                phase: open.and_then(|(phase, _)| phase_word(phase)),
                remaining_millis: open.map(|(_, left)| millis(left)),
            };
            let about = About { round: Some(round), ..About::subject(game.0) };
            NewEvent::new(Channel::GameClock, event_id, about, Some(transaction), now, &payload)
        }
        Event::PlayerJoined { .. } | Event::PlayerLeft { .. } | Event::Deleted(_) => return None,
    })
}

/// What `gameRoster` tells of the event, and in which transaction: who has left is told in that of the join.
fn roster_change(
    event: &Event,
    change: &Change,
    transaction: Uuid,
) -> Option<(GameRosterChanged, Option<Uuid>)> {
    let of = |game, change| Some((of_game(game, change), Some(transaction)));
    match *event {
        Event::Started(game) => {
            let world = change.after.as_ref().and_then(|game| game.world);
            let gameworld_id = world.map(|world| WorldId(world.0));
            let told = GameRosterChanged { gameworld_id, ..of_game(game, GameRosterChange::Started) };
            Some((told, Some(transaction)))
        }
        Event::Ended(game) => of(game, GameRosterChange::Ended),
        Event::Deleted(game) => of(game, GameRosterChange::Deleted),
        Event::PlayerLeft { game, player, transaction } => {
            let player_id = Some(PlayerId(player.0));
            Some((GameRosterChanged { player_id, ..of_game(game, GameRosterChange::Left) }, transaction))
        }
        Event::Created(_)
        | Event::RoundStarted { .. }
        | Event::InputEnded { .. }
        | Event::RoundEnded { .. }
        | Event::PlayerJoined { .. }
        | Event::Clock { .. } => None,
    }
}

/// Without what does not apply.
fn of_game(game: GameId, change: GameRosterChange) -> GameRosterChanged {
    let game_id = WireGameId(game.0);
    GameRosterChanged { game_id, change, player_id: None, gameworld_id: None, start_money: None }
}

fn roster(told: &GameRosterChanged, transaction: Option<Uuid>, event_id: Uuid, now: Timestamp) -> NewEvent {
    let about = About { player: told.player_id.map(|player| player.0), ..About::subject(told.game_id.0) };
    NewEvent::new(Channel::GameRoster, event_id, about, transaction, now, told)
}

fn clock_word(change: ClockChange) -> GameClockChange {
    match change {
        ClockChange::Paused => GameClockChange::Paused,
        ClockChange::Resumed => GameClockChange::Resumed,
        ClockChange::Stepped => GameClockChange::Stepped,
        ClockChange::Pace => GameClockChange::Pace,
    }
}
