//! The market of one game: accounts, prices, what was sold, and the checks of every trade in their order.
//!
//! A purchase needs the robot service, so it has two halves: its price is reserved first, which is when everything is
//! checked; if the robot service then refuses, the reservation is cancelled. A sale is checked first and booked when the
//! robot service has said what was unloaded.

use std::sync::Arc;

use imbl::OrdMap;
use starkeep_core_types::{Amounts, PlanetId, PlayerId};

use crate::account::{Account, CannotAfford};
use crate::item::{Item, LARGEST_ORDER, ROBOT_PRICE};
use crate::price::{PriceList, WINDOW};
use crate::spawn::SpawnSites;

/// Cheap to clone: a batch runs on a clone. What it holds is what a store keeps.
#[derive(Clone, Debug, PartialEq)]
pub struct Market {
    pub accounts: OrdMap<PlayerId, Account>,
    pub sites: SpawnSites,
    /// The prices of each round; of 0 those of the start. The last ones are in force.
    pub prices: OrdMap<u32, PriceList>,
    /// What was sold in each round in which there was a sale.
    pub sold: OrdMap<u32, Amounts>,
    /// The balances at the end of each round; of 0 the start money.
    pub balances: OrdMap<u32, OrdMap<PlayerId, u64>>,
}

/// What a purchase has taken from an account until the robot service has answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reservation {
    pub player: PlayerId,
    pub item: Item,
    pub count: u32,
    pub cost: u64,
    /// Where robots are to be spawned, one planet for each.
    pub planets: Vec<PlanetId>,
    /// The first of these planets is that of the player's first robot.
    pub is_first: bool,
}

/// A robot that is traded for, as the robot service tells of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TradedRobot {
    pub owner: PlayerId,
    pub planet: PlanetId,
}

/// Why a trade is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TradeRefusal {
    NoRobots {
        amount: i64,
    },
    TooManyRobots {
        amount: i64,
    },
    UnknownPlayer {
        player: PlayerId,
    },
    CannotAfford(CannotAfford),
    NoStation,
    NotForSale,
    NotAStation {
        planet: PlanetId,
    },
    UnknownRobot,
    /// The command names another planet than the one on which the robot stands.
    ElsewhereThanNamed {
        named: PlanetId,
    },
    NotItsRobot,
}

impl From<CannotAfford> for TradeRefusal {
    fn from(refusal: CannotAfford) -> Self {
        Self::CannotAfford(refusal)
    }
}

impl Default for Market {
    fn default() -> Self {
        let start = PriceList::of_round(0, Amounts::NONE, 0);
        Self {
            accounts: OrdMap::new(),
            sites: SpawnSites::default(),
            prices: OrdMap::unit(0, start),
            sold: OrdMap::new(),
            balances: OrdMap::unit(0, OrdMap::new()),
        }
    }
}

impl Market {
    /// Opens an account; None if the player has one.
    pub fn join(&mut self, player: PlayerId, money: u64) -> Option<Account> {
        if self.accounts.contains_key(&player) {
            return None;
        }
        let account = Account::open(player, money);
        self.accounts.insert(player, account);
        self.balances.entry(0).or_default().insert(player, money);
        Some(account)
    }

    /// Closes the account of a player who leaves before the game starts.
    pub fn leave(&mut self, player: PlayerId) {
        self.accounts.remove(&player);
        self.balances.entry(0).or_default().remove(&player);
        self.sites.firsts.remove(&player);
    }

    pub fn set_stations(&mut self, stations: Arc<[PlanetId]>) {
        self.sites.stations = Some(stations);
    }

    /// The prices of a round that begins: what was sold in the rounds before decides them.
    pub fn prices_of(&self, round: u32) -> PriceList {
        let mut lately = Amounts::NONE;
        let window = round.saturating_sub(WINDOW)..round;
        self.sold.range(window).for_each(|(_, sold)| lately.add_all(*sold));
        let players = u32::try_from(self.accounts.len()).unwrap_or(u32::MAX);
        PriceList::of_round(round, lately, players)
    }

    pub fn begin_round(&mut self, round: u32, prices: PriceList) {
        self.prices.insert(round, prices);
    }

    pub fn balances_now(&self) -> OrdMap<PlayerId, u64> {
        self.accounts.values().map(|account| (account.player, account.balance())).collect()
    }

    /// Notes the balances.
    pub fn end_round(&mut self, round: u32) {
        if !self.accounts.is_empty() {
            self.balances.insert(round, self.balances_now());
        }
    }

    pub fn stations(&self) -> &[PlanetId] {
        self.sites.stations()
    }

    /// The round whose prices are in force; 0 before the first.
    pub fn round(&self) -> u32 {
        self.prices.get_max().map_or(0, |(round, _)| *round)
    }

    /// Those in force.
    pub fn prices(&self) -> &PriceList {
        &self.prices[&self.round()]
    }

    /// Reserves the price of robots and draws where they are spawned; the seed is for the game's first robot.
    pub fn order_robots(
        &mut self,
        player: PlayerId,
        amount: i64,
        seed: u64,
    ) -> Result<Reservation, TradeRefusal> {
        let count = match u32::try_from(amount) {
            Ok(robots) if (1..=LARGEST_ORDER).contains(&robots) => robots,
            _ if amount < 1 => return Err(TradeRefusal::NoRobots { amount }),
            _ => return Err(TradeRefusal::TooManyRobots { amount }),
        };
        let cost = ROBOT_PRICE * u64::from(count);
        let paid = self.known(player)?.spending(cost)?;
        let drawn = self.sites.draw(player, count, seed).ok_or(TradeRefusal::NoStation)?;
        self.accounts.insert(player, paid);
        let (planets, is_first) = (drawn.planets, drawn.is_first);
        Ok(Reservation { player, item: Item::Robot, count, cost, planets, is_first })
    }

    /// Reserves the price of a restoration or an upgrade of a robot, which stands on a station. `named` is the planet that
    /// the command names, if it names one.
    pub fn order_item(
        &mut self,
        player: PlayerId,
        item: Item,
        robot: Option<TradedRobot>,
        named: Option<PlanetId>,
    ) -> Result<Reservation, TradeRefusal> {
        if !item.is_for_sale() {
            return Err(TradeRefusal::NotForSale);
        }
        let account = self.check_robot(player, robot, named)?;
        let cost = item.start_price();
        self.accounts.insert(player, account.spending(cost)?);
        Ok(Reservation { player, item, count: 1, cost, planets: vec![], is_first: false })
    }

    /// Applies a reservation that was made on a clone.
    pub fn reserve(&mut self, reservation: &Reservation) {
        if let Some(account) = self.accounts.get_mut(&reservation.player) {
            account.spent = account.spent.saturating_add(reservation.cost);
        }
        if let Some(first) = reservation.planets.first().filter(|_| reservation.is_first) {
            self.sites.firsts.insert(reservation.player, *first);
        }
    }

    /// The robot service has delivered.
    pub fn complete(&mut self, reservation: &Reservation) {
        if let Some(account) = self.accounts.get_mut(&reservation.player) {
            account.bought.add(reservation.item, reservation.count);
        }
    }

    /// Gives back what a purchase had reserved, the station of the player's first robot included.
    pub fn cancel(&mut self, reservation: &Reservation) {
        if let Some(account) = self.accounts.get_mut(&reservation.player) {
            *account = account.refunded(reservation.cost);
        }
        if reservation.is_first {
            self.sites.firsts.remove(&reservation.player);
        }
    }

    /// May the player sell what the robot holds? It is asked before anything is unloaded.
    pub fn check_sale(
        &self,
        player: PlayerId,
        robot: Option<TradedRobot>,
        named: Option<PlanetId>,
    ) -> Result<(), TradeRefusal> {
        self.check_robot(player, robot, named).map(drop)
    }

    /// What these resources bring at the prices of a round.
    pub fn income(&self, round: u32, sold: Amounts) -> u64 {
        self.prices.get(&round).unwrap_or_else(|| self.prices()).worth(sold)
    }

    /// Books what was unloaded, in the round whose prices it was sold for.
    pub fn book_sale(&mut self, player: PlayerId, round: u32, sold: Amounts, income: u64) {
        if let Some(account) = self.accounts.get_mut(&player) {
            *account = account.earning(income);
        }
        if !sold.is_empty() {
            self.sold.entry(round).or_default().add_all(sold);
        }
    }

    fn known(&self, player: PlayerId) -> Result<Account, TradeRefusal> {
        self.accounts.get(&player).copied().ok_or(TradeRefusal::UnknownPlayer { player })
    }

    /// Where a robot stands is told to nobody but its owner, so that is checked before.
    fn check_robot(
        &self,
        player: PlayerId,
        robot: Option<TradedRobot>,
        named: Option<PlanetId>,
    ) -> Result<Account, TradeRefusal> {
        let is_station = |planet: &PlanetId| self.stations().contains(planet);
        if let Some(planet) = named.filter(|planet| !is_station(planet)) {
            return Err(TradeRefusal::NotAStation { planet });
        }
        let account = self.known(player)?;
        let robot = robot.ok_or(TradeRefusal::UnknownRobot)?;
        if robot.owner != player {
            return Err(TradeRefusal::NotItsRobot);
        }
        if let Some(named) = named.filter(|named| *named != robot.planet) {
            return Err(TradeRefusal::ElsewhereThanNamed { named });
        }
        if !is_station(&robot.planet) {
            return Err(TradeRefusal::NotAStation { planet: robot.planet });
        }
        Ok(account)
    }
}
