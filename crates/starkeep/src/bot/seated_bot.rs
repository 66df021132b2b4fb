//! A bot that has its seat: its token, which is its secret, and what it has learned of the game.
//! What it decides is decided by `starkeep_bot_core`.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use starkeep_bot_core::{Bot as Strategy, Order, PlanetId, RobotId, View};
use starkeep_client::GameClient;

use super::service::Service;

/// A player of the game. It cannot be printed: its token is its secret.
pub(super) struct Bot {
    token: String,
    /// Shows the token.
    client: GameClient,
    state: Mutex<State>,
}

struct State {
    strategy: Strategy,
    /// Its robots, as it was last shown them.
    robots: BTreeSet<RobotId>,
}

impl Bot {
    pub(super) fn new(service: &Service, seed: u64, token: String) -> Self {
        let client = service.client.clone().with_token(&token);
        let state = State { strategy: Strategy::new(seed), robots: BTreeSet::new() };
        Self { token, client, state: Mutex::new(state) }
    }

    /// For requests alone.
    pub(super) fn token(&self) -> &str {
        &self.token
    }

    /// For what the service shows to this player only.
    pub(super) fn client(&self) -> &GameClient {
        &self.client
    }

    pub(super) fn robots(&self) -> Vec<RobotId> {
        self.state().robots.iter().copied().collect()
    }

    pub(super) fn decide(&self, view: &View) -> Vec<Order> {
        let mut state = self.state();
        state.robots = view.robots.iter().map(|robot| robot.id).collect();
        state.strategy.orders(view)
    }

    pub(super) fn saw(&self, round: u32, planet: PlanetId, robots: &[RobotId]) {
        self.state().strategy.saw(round, planet, robots);
    }

    pub(super) fn struck(&self, target: RobotId, health_left: Option<i64>) {
        self.state().strategy.struck(target, health_left);
    }

    pub(super) fn attacked(&self, robot: RobotId, by: RobotId) {
        self.state().strategy.attacked(robot, by);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
