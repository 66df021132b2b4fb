//! The decision on received events: one after the other, each on what the ones before it have moved.

use std::sync::Arc;

use starkeep_contract::events::NewEvent;
use starkeep_executor::{
    FollowedGame, GameChange, GameEvent, GameStatus, Games, RoundState, WorldEvent, rebuild_with_players,
};
use starkeep_trading_core::{GameId, PriceList, WorldId};

use crate::domain::{Image, Move};
use crate::wire::events::EventMaker;

/// So many gameworlds that no game plays are kept: most of them never will be.
const MOST_UNCLAIMED: usize = 1000;

/// Of so many missed rounds prices and balances are made up for: they are written in one commit.
const MOST_MISSED: u32 = 1000;

/// What was received from the game service's stream.
pub(super) enum ReceivedItem {
    Event {
        event: GameEvent,
        /// It happened before the games were last asked for.
        is_old: bool,
    },
    /// Events were missed, and the games are as this answer of `GET /rosters` says.
    Gap { rosters: Arc<[u8]> },
}

impl ReceivedItem {
    /// Whose markets have to be loaded.
    pub(super) fn games(&self, image: &Image) -> Vec<GameId> {
        match self {
            Self::Event { event, .. } => vec![event.game],
            Self::Gap { rosters } => {
                let events = rebuilt(rosters, image).unwrap_or_default();
                events.iter().map(|event| event.game).collect()
            }
        }
    }
}

/// What brings the games up to date.
pub(super) fn rebuilt(rosters: &[u8], image: &Image) -> Result<Vec<GameEvent>, serde_json::Error> {
    let players = |game| {
        let market = image.markets.get(&game);
        market.map_or_else(Vec::new, |market| market.accounts.keys().copied().collect())
    };
    rebuild_with_players(rosters, &image.games, players)
}

/// The game that plays the gameworld.
pub(super) fn player_of(games: &Games, world: WorldId) -> Option<GameId> {
    games.iter().find(|(_, game)| game.world == Some(world)).map(|(id, _)| id)
}

pub(super) struct Recording {
    image: Image,
    pub(super) moves: Vec<Move>,
    pub(super) events: Vec<NewEvent>,
    maker: EventMaker,
}

impl Recording {
    pub(super) fn new(image: &Image, maker: EventMaker) -> Self {
        Self { image: image.clone(), moves: Vec::new(), events: Vec::new(), maker }
    }

    fn push(&mut self, step: Move) {
        self.image.absorb_move(&step);
        self.moves.push(step);
    }

    pub(super) fn record(&mut self, item: &ReceivedItem) {
        match item {
            ReceivedItem::Event { event, is_old } if *is_old && !self.is_still_new(event) => {}
            ReceivedItem::Event { event, .. } => self.game_event(event, true),
            ReceivedItem::Gap { rosters } => {
                let known = self.image.games.clone();
                // It was read before, so that it can be read.
                for event in rebuilt(rosters, &self.image).unwrap_or_default() {
                    self.game_event(&event, known.get(event.game).is_some());
                }
            }
        }
    }

    /// Does an event from before the games were asked for say more than the answer? A game that is not active by then has
    /// ended: what happened in it is not announced as if it happened now. Who plays is known from the answer.
    fn is_still_new(&self, event: &GameEvent) -> bool {
        let is_active = self.image.games.get(event.game).is_some_and(|game| game.status != GameStatus::Ended);
        match event.change {
            GameChange::Deleted => true,
            GameChange::Joined { .. } | GameChange::Left { .. } => false,
            GameChange::Created
            | GameChange::Started { .. }
            | GameChange::Ended
            | GameChange::Round { .. } => is_active,
        }
    }

    /// `was_followed`: also in the rounds before it. Of a game that is new here nobody knows what happened in them.
    fn game_event(&mut self, event: &GameEvent, was_followed: bool) {
        let game = event.game;
        let before = self.image.games.get(game).copied();
        if event.change == GameChange::Deleted {
            if before.is_some() {
                self.push(Move::Deleted { game });
            }
            return;
        }
        let mut games = self.image.games.clone();
        let is_new = games.absorb(event);
        if let Some(state) = games.get(game).filter(|_| is_new) {
            self.push(Move::Game { game, state: *state });
        }
        let was_created = before.is_none_or(|game| game.status == GameStatus::Created);
        let has_ended = before.is_some_and(|game| game.status == GameStatus::Ended);
        let has_account =
            |player| self.image.markets.get(&game).is_some_and(|market| market.accounts.contains_key(player));
        match event.change {
            GameChange::Joined { player, money, transaction } if !has_ended && !has_account(&player) => {
                self.push(Move::Joined { game, player, money });
                self.events.push(self.maker.account_opened(game, player, money, transaction));
            }
            GameChange::Left { player } if was_created && has_account(&player) => {
                self.push(Move::Left { game, player });
            }
            GameChange::Started { world } if is_new && self.image.unclaimed.contains_key(&world) => {
                self.push(Move::Stations { game, world });
            }
            GameChange::Round { number, state } if is_new => {
                if let Some(before) =
                    before.filter(|before| was_followed && !has_ended && before.round < number)
                {
                    self.missed_rounds(game, before, number);
                }
                if number > self.image.markets[&game].round() && !has_ended {
                    let prices = self.begin_round(game, number);
                    self.events.extend(self.maker.prices(game, number, &prices));
                }
                if state == RoundState::Ended {
                    self.end_round(game, number);
                }
            }
            // The end of its last round may have been missed.
            GameChange::Ended if is_new => {
                self.end_round(game, before.map_or(0, |game| game.round));
            }
            _ => {}
        }
    }

    /// Rounds between the last one that is known and the one that was received: nobody traded in them, since a batch waits for
    /// its round. So their prices and balances are known. Prices that are not in force any longer are not published.
    fn missed_rounds(&mut self, game: GameId, before: FollowedGame, received: u32) {
        self.end_round(game, before.round);
        for round in (before.round + 1).max(received.saturating_sub(MOST_MISSED))..received {
            if round > self.image.markets[&game].round() {
                self.begin_round(game, round);
            }
            self.end_round(game, round);
        }
    }

    fn begin_round(&mut self, game: GameId, round: u32) -> PriceList {
        let prices = self.image.markets[&game].prices_of(round);
        self.push(Move::Prices { game, round, prices });
        prices
    }

    /// Notes the balances, once. Those of round 0 are the start money.
    fn end_round(&mut self, game: GameId, round: u32) {
        let is_noted =
            self.image.markets.get(&game).is_none_or(|market| market.balances.contains_key(&round));
        if !is_noted {
            self.push(Move::Balances { game, round });
        }
    }

    /// One that is known already, or was played before, changes nothing.
    pub(super) fn world(&mut self, created: &WorldEvent) {
        let world = created.world;
        let player = player_of(&self.image.games, world);
        let has_stations = player
            .and_then(|game| self.image.markets.get(&game))
            .is_some_and(|market| market.sites.stations.is_some());
        if has_stations || self.image.unclaimed.contains_key(&world) {
            return;
        }
        let newest = self.image.unclaimed.values().map(|world| world.number).max();
        let stations = created.stations.clone();
        self.push(Move::World { world, number: newest.unwrap_or(0) + 1, stations });
        match player {
            Some(game) => self.push(Move::Stations { game, world }),
            None if self.image.unclaimed.len() > MOST_UNCLAIMED => {
                let oldest = self.image.unclaimed.iter().min_by_key(|(_, world)| world.number);
                if let Some(world) = oldest.map(|(world, _)| *world) {
                    self.push(Move::WorldDropped { world });
                }
            }
            None => {}
        }
    }
}
