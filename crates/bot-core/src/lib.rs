//! The built-in bots: what a bot knows of a game, and what it does in a round.
//! Everything here is a plain function of its arguments: no I/O, no clock, no wire format; chance comes from a seed.
//!
//! A [`Bot`] is handed a [`View`] in each round and answers with [`Order`]s. Between rounds it is told which robots stood
//! where one of its own arrived, and what became of its attacks. It knows nothing that a client cannot learn.

mod bot;
mod deliberate_refusals;
mod fights;
mod forecast;
mod heading;
mod known_map;
mod order;
mod plan;
mod purchases;
mod rules;
mod trip;
mod view;

pub use starkeep_core_types::{Amounts, Levels, PlanetId, ResourceKind, Rng, RobotId, Upgrade};

pub use bot::Bot;
pub use order::{Item, Order};
pub use rules::{ENERGY_PRICE, HEALTH_PRICE, ROBOT_PRICE, START_PRICES, upgrade_price};
pub use view::{Deposit, Direction, Neighbour, OwnRobot, SeenPlanet, View};
