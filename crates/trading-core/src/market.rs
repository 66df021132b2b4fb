//! The market of one game: accounts, prices, what was sold, and the checks of every trade in their order.
//!
//! A purchase needs the robot service, so it has two halves: its price is reserved first, which is when everything is
//! checked; if the robot service then refuses, the reservation is cancelled. A sale is checked first and booked when the
//! robot service has said what was unloaded.

use imbl::OrdMap;
use starkeep_core_types::{Amounts, PlanetId, PlayerId};

use crate::account::{Account, CannotAfford};
use crate::item::{Item, LARGEST_ORDER, ROBOT_PRICE};
use crate::price::{PriceList, WINDOW};
use crate::spawn::SpawnSites;

/// Cheap to clone: a batch runs on a clone.
#[derive(Clone, Debug, PartialEq)]
pub struct Market {
    accounts: OrdMap<PlayerId, Account>,
    sites: SpawnSites,
    /// The round whose prices are in force; 0 before the first.
    round: u32,
    /// The prices of each round; of 0 those of the start.
    prices: OrdMap<u32, PriceList>,
    /// What was sold in each round.
    sold: OrdMap<u32, Amounts>,
    /// The balances at the end of each round; of 0 the start money.
    balances: OrdMap<u32, OrdMap<PlayerId, u64>>,
}

/// What a purchase has taken from an account until the robot service has answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reservation {
    pub player: PlayerId,
    pub cost: u64,
    /// Where robots are to be spawned, one planet for each.
    pub planets: Vec<PlanetId>,
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
            sites: SpawnSites::new(vec![], 0),
            round: 0,
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
    }

    pub fn start(&mut self, stations: Vec<PlanetId>, seed: u64) {
        self.sites = SpawnSites::new(stations, seed);
    }

    /// The prices of a round that begins: what was sold in the rounds before decides them.
    pub fn begin_round(&mut self, round: u32) -> PriceList {
        let mut lately = Amounts::NONE;
        let window = round.saturating_sub(WINDOW)..round;
        self.sold.range(window).for_each(|(_, sold)| lately.add_all(*sold));
        let players = u32::try_from(self.accounts.len()).unwrap_or(u32::MAX);
        let prices = PriceList::of_round(round, lately, players);
        self.round = round;
        self.prices.insert(round, prices);
        prices
    }

    /// Notes the balances.
    pub fn end_round(&mut self, round: u32) {
        let balances = self.accounts.values().map(|account| (account.player, account.balance())).collect();
        self.balances.insert(round, balances);
    }

    pub fn account(&self, player: PlayerId) -> Option<&Account> {
        self.accounts.get(&player)
    }

    pub fn accounts(&self) -> impl Iterator<Item = &Account> {
        self.accounts.values()
    }

    pub fn stations(&self) -> &[PlanetId] {
        self.sites.stations()
    }

    pub fn round(&self) -> u32 {
        self.round
    }

    /// Those in force.
    pub fn prices(&self) -> &PriceList {
        &self.prices[&self.round]
    }

    /// Of all rounds so far, by their numbers.
    pub fn price_history(&self) -> impl Iterator<Item = (u32, &PriceList)> {
        self.prices.iter().map(|(round, prices)| (*round, prices))
    }

    /// What was sold in each round in which there was a sale.
    pub fn sales(&self) -> impl Iterator<Item = (u32, Amounts)> {
        self.sold.iter().map(|(round, sold)| (*round, *sold))
    }

    pub fn balances(&self, round: u32) -> Option<impl Iterator<Item = (PlayerId, u64)>> {
        let balances = self.balances.get(&round)?;
        Some(balances.iter().map(|(player, balance)| (*player, *balance)))
    }

    /// Reserves the price of robots and draws where they are spawned.
    pub fn order_robots(&mut self, player: PlayerId, amount: i64) -> Result<Reservation, TradeRefusal> {
        let robots = match u32::try_from(amount) {
            Ok(robots) if (1..=LARGEST_ORDER).contains(&robots) => robots,
            _ if amount < 1 => return Err(TradeRefusal::NoRobots { amount }),
            _ => return Err(TradeRefusal::TooManyRobots { amount }),
        };
        let cost = ROBOT_PRICE * u64::from(robots);
        let paid = self.known(player)?.spending(cost)?;
        let planets = self.sites.draw(player, robots);
        if planets.is_empty() {
            return Err(TradeRefusal::NoStation);
        }
        self.accounts.insert(player, paid);
        Ok(Reservation { player, cost, planets })
    }

    /// Reserves the price of a restoration or an upgrade of a robot, which stands on a station. `named` is the planet that
    /// the command names, if it names one.
    pub fn order_item(
        &mut self,
        player: PlayerId,
        item: Item,
        robot: TradedRobot,
        named: Option<PlanetId>,
    ) -> Result<Reservation, TradeRefusal> {
        let is_for_sale = match item {
            Item::Special(_) => false,
            // MINING_5 is listed, and there is no such level.
            Item::Upgrade { of, level } => level <= of.highest(),
            Item::Robot | Item::Health | Item::Energy => true,
        };
        if !is_for_sale {
            return Err(TradeRefusal::NotForSale);
        }
        let account = self.check_robot(player, robot, named)?;
        let cost = item.start_price();
        self.accounts.insert(player, account.spending(cost)?);
        Ok(Reservation { player, cost, planets: vec![] })
    }

    /// Gives back what a purchase had reserved.
    pub fn cancel(&mut self, reservation: &Reservation) {
        if let Some(account) = self.accounts.get_mut(&reservation.player) {
            *account = account.refunded(reservation.cost);
        }
    }

    /// May the player sell what the robot holds? It is asked before anything is unloaded.
    pub fn check_sale(
        &self,
        player: PlayerId,
        robot: TradedRobot,
        named: Option<PlanetId>,
    ) -> Result<(), TradeRefusal> {
        self.check_robot(player, robot, named).map(drop)
    }

    /// Books what was unloaded, at the prices in force: the income.
    pub fn book_sale(&mut self, player: PlayerId, sold: Amounts) -> u64 {
        let income = self.prices().worth(sold);
        if let Some(account) = self.accounts.get_mut(&player) {
            *account = account.earning(income);
        }
        if !sold.is_empty() {
            self.sold.entry(self.round).or_default().add_all(sold);
        }
        income
    }

    fn known(&self, player: PlayerId) -> Result<Account, TradeRefusal> {
        self.accounts.get(&player).copied().ok_or(TradeRefusal::UnknownPlayer { player })
    }

    fn check_robot(
        &self,
        player: PlayerId,
        robot: TradedRobot,
        named: Option<PlanetId>,
    ) -> Result<Account, TradeRefusal> {
        if let Some(named) = named.filter(|named| *named != robot.planet) {
            if self.stations().contains(&named) {
                return Err(TradeRefusal::ElsewhereThanNamed { named });
            }
            return Err(TradeRefusal::NotAStation { planet: named });
        }
        if !self.stations().contains(&robot.planet) {
            return Err(TradeRefusal::NotAStation { planet: robot.planet });
        }
        let account = self.known(player)?;
        if robot.owner != player {
            return Err(TradeRefusal::NotItsRobot);
        }
        Ok(account)
    }
}
