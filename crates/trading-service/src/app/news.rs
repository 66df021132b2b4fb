//! What the game and map services tell: each item is recorded with its place in the stream, in one commit with the events
//! that it causes. What is known already changes nothing.

use std::sync::PoisonError;

use starkeep_contract::events::NewEvent;
use starkeep_executor::{
    GameEvent, GameNews, GameStatus, Games, RoundState, WorldEvent, rebuild_with_players,
};
use starkeep_http_client::Item;
use starkeep_platform::decision::{Decided, Decision, Failure};
use starkeep_platform::lease::Epoch;
use starkeep_trading_core::{GameId, WorldId};

use super::App;
use crate::domain::{Change, Heard, Image, Key, Move, Rejection, Stream, Trading};
use crate::wire::events::EventMaker;

/// So many gameworlds that no game plays are kept: most of them never will be.
const MOST_UNCLAIMED: usize = 1000;

impl App {
    /// An item of the game service's stream. After a gap the games are asked for instead.
    pub(crate) async fn hear_game(&self, epoch: Epoch, item: Item, position: String) -> Result<(), String> {
        let (events, is_gap) = match item {
            Item::Event(event) => {
                let event = GameEvent::read(&event).map_err(|fault| unreadable(&event.id, &fault));
                (event?.into_iter().collect(), false)
            }
            Item::Gap(_) => (self.ask_for_games().await?, true),
        };
        // Before the first item nothing was missed: the gap is only how the whole stream is asked for.
        let is_first = self.position(Stream::Game).is_none();
        let gap = (is_gap && !is_first).then(|| self.clock.wall());
        let position = Some((Stream::Game, position)).filter(|_| is_gap || !events.is_empty());
        self.record(epoch, events, None, position, gap).await
    }

    /// An item of the map service's stream. What a gap left out is asked for when a game needs it.
    pub(crate) async fn hear_map(&self, epoch: Epoch, item: Item, position: String) -> Result<(), String> {
        let (world, is_gap) = match item {
            Item::Event(event) => {
                (WorldEvent::read(&event).map_err(|fault| unreadable(&event.id, &fault))?, false)
            }
            Item::Gap(_) => (None, true),
        };
        let is_first = self.position(Stream::Map).is_none();
        let gap = (is_gap && !is_first).then(|| self.clock.wall());
        let position = Some((Stream::Map, position)).filter(|_| is_gap || world.is_some());
        self.record(epoch, Vec::new(), world, position, gap).await
    }

    /// A gameworld that a game plays and of which the map's stream has not told.
    pub(crate) async fn ask_for_world(&self, epoch: Epoch, world: WorldId) -> Result<(), String> {
        let world = self.others.world(world).await?;
        self.record(epoch, Vec::new(), world, None, None).await
    }

    async fn ask_for_games(&self) -> Result<Vec<GameEvent>, String> {
        let answer = self.others.rosters().await;
        let events = answer.and_then(|rosters| {
            let image = self.image();
            let players = |game| {
                let market = image.markets.get(&game);
                market.map_or_else(Vec::new, |market| market.accounts.keys().copied().collect())
            };
            rebuild_with_players(&rosters, &image.games, players)
                .map_err(|fault| format!("the game service's answer to GET /rosters cannot be read: {fault}"))
        });
        let fault = events.as_ref().err().cloned();
        *self.rebuild_fault.lock().unwrap_or_else(PoisonError::into_inner) = fault;
        events
    }

    async fn record(
        &self,
        epoch: Epoch,
        events: Vec<GameEvent>,
        world: Option<WorldEvent>,
        position: Option<(Stream, String)>,
        gap: Option<jiff::Timestamp>,
    ) -> Result<(), String> {
        let (seed, now) = (self.chance.bits(), self.clock.wall());
        let mut keys: Vec<_> = events.iter().map(|event| Key::Market(event.game)).collect();
        if let Some(world) = &world {
            keys.extend(player_of(&self.image().games, world.world).map(Key::Market));
        }
        let work = Decision::<Trading, ()>::new(keys, move |image: &Image| {
            let mut hearing = Hearing::new(image, EventMaker::new(seed, now));
            for event in &events {
                hearing.game_event(event);
            }
            if let Some(world) = &world {
                hearing.world(world);
            }
            let Hearing { moves, events, .. } = hearing;
            if moves.is_empty() && position.is_none() {
                return Err(Rejection::NothingToDo);
            }
            let heard = Heard { moves, position: position.clone(), gap };
            Ok(Decided { change: Change::Heard(heard), events, output: () })
        });
        match self.apply(work.fenced_by(epoch)).await {
            Ok(()) | Err(Failure::Rejected(Rejection::NothingToDo)) => Ok(()),
            Err(failure) => Err(format!("{failure:?}")),
        }
    }
}

/// The game that plays the gameworld.
fn player_of(games: &Games, world: WorldId) -> Option<GameId> {
    games.iter().find(|(_, game)| game.world == Some(world)).map(|(id, _)| id)
}

fn unreadable(id: &str, fault: &serde_json::Error) -> String {
    format!("event {id} cannot be read: {fault}")
}

/// News one after the other, each on what the ones before it have moved.
struct Hearing {
    image: Image,
    moves: Vec<Move>,
    events: Vec<NewEvent>,
    maker: EventMaker,
}

impl Hearing {
    fn new(image: &Image, maker: EventMaker) -> Self {
        Self { image: image.clone(), moves: Vec::new(), events: Vec::new(), maker }
    }

    fn push(&mut self, step: Move) {
        self.image.absorb_move(&step);
        self.moves.push(step);
    }

    fn game_event(&mut self, event: &GameEvent) {
        let game = event.game;
        let before = self.image.games.get(game).copied();
        if event.news == GameNews::Deleted {
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
        match event.news {
            GameNews::Joined { player, money, transaction } if !has_ended && !has_account(&player) => {
                self.push(Move::Joined { game, player, money });
                self.events.push(self.maker.account_opened(game, player, money, transaction));
            }
            GameNews::Left { player } if was_created && has_account(&player) => {
                self.push(Move::Left { game, player });
            }
            GameNews::Started { world } if is_new && self.image.unclaimed.contains_key(&world) => {
                self.push(Move::Stations { game, world });
            }
            GameNews::Round { number, state } if is_new => {
                let market = &self.image.markets[&game];
                if number > market.round() && !has_ended {
                    let prices = market.prices_of(number);
                    self.push(Move::Prices { game, round: number, prices });
                    self.events.extend(self.maker.prices(game, number, &prices));
                }
                if state == RoundState::Ended {
                    self.push(Move::Balances { game, round: number });
                }
            }
            _ => {}
        }
    }

    /// One that is known already, or was played before, tells nothing new.
    fn world(&mut self, told: &WorldEvent) {
        let world = told.world;
        let player = player_of(&self.image.games, world);
        let has_stations = player
            .and_then(|game| self.image.markets.get(&game))
            .is_some_and(|market| market.sites.stations.is_some());
        if has_stations || self.image.unclaimed.contains_key(&world) {
            return;
        }
        let newest = self.image.unclaimed.values().map(|world| world.number).max();
        let stations = told.stations.clone();
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
