//! The execution of a round: sales, purchases, moves, fights, minings, regenerations.
//! What came of moves and attacks is told to the bots, as receipts tell it to a client.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use starkeep_bot_core::{Bot, Item, Order};
use starkeep_robot_core::{
    Attack, CommandId, MiningOrder, Move, Planet, PlanetFault, PlanetId, PlayerId, Regeneration, Restoration,
    Robot, RobotId, fight, move_robots, plan_mining, regenerate, settle_mining,
};
use starkeep_trading_core as trading;
use starkeep_trading_core::TradedRobot;
use uuid::Uuid;

use super::Game;

type Orders<'a> = &'a [(PlayerId, Order)];

const COMMAND: CommandId = CommandId(Uuid::nil());

impl Game {
    pub(super) fn execute(&mut self, round: u32, orders: Orders<'_>) {
        self.sell(orders);
        self.buy(orders);
        self.move_robots(round, orders);
        self.fight(orders);
        self.mine(orders);
        self.regenerate(orders);
    }

    fn sell(&mut self, orders: Orders<'_>) {
        for (player, order) in orders {
            let Order::Sell { robot, planet } = order else { continue };
            let mut robot = *self.fleet.get(*robot).unwrap();
            if self.market.check_sale(*player, Some(traded(&robot)), Some(*planet)).is_err() {
                self.count("sell-error");
                continue;
            }
            let unloaded = robot.unload();
            self.fleet.put(robot);
            let (round, income) = (self.market.round(), self.market.income(self.market.round(), unloaded));
            self.market.book_sale(*player, round, unloaded, income);
            self.books.sold.add_all(unloaded);
            self.sold.add_all(unloaded);
            self.count("sell-resource");
        }
    }

    fn buy(&mut self, orders: Orders<'_>) {
        for (player, order) in orders {
            let result = match order {
                Order::BuyRobots { amount } => self.buy_robots(*player, *amount),
                Order::BuyItem { robot, planet, item } => self.buy_item(*player, *robot, *planet, *item),
                _ => continue,
            };
            self.count(result);
        }
    }

    fn buy_robots(&mut self, player: PlayerId, amount: u32) -> &'static str {
        let ordered = self.market.order_robots(player, amount.into(), self.setup.seed);
        let Ok(reservation) = ordered else { return "buy-error" };
        self.market.complete(&reservation);
        for planet in reservation.planets {
            self.spawned += 1;
            let id = RobotId(self.ids.next_id());
            self.fleet.put(Robot::new(id, self.spawned, player, planet));
            self.count("spawn-notification");
            self.count("neighbours");
        }
        "buy-robot"
    }

    fn buy_item(&mut self, player: PlayerId, robot: RobotId, planet: PlanetId, item: Item) -> &'static str {
        let robot = *self.fleet.get(robot).unwrap();
        let sold_as = trading::Item::find(&item.name()).unwrap();
        let reserved = self.market.order_item(player, sold_as, Some(traded(&robot)), Some(planet));
        let Ok(reservation) = reserved else { return "buy-error" };
        let after = match item {
            Item::Health => Ok(robot.restored(Restoration::Health)),
            Item::Energy => Ok(robot.restored(Restoration::Energy)),
            Item::Upgrade { of, level } => robot.upgraded(of, level.into()),
        };
        let Ok(after) = after else {
            self.market.cancel(&reservation);
            return "buy-error";
        };
        self.market.complete(&reservation);
        self.fleet.put(after);
        "buy-item"
    }

    fn move_robots(&mut self, round: u32, orders: Orders<'_>) {
        let moves: Vec<_> = orders
            .iter()
            .filter_map(|(_, order)| match order {
                Order::Move { robot, target } => {
                    Some(Move { command: COMMAND, robot: *robot, target: *target })
                }
                _ => None,
            })
            .collect();
        let planets: BTreeMap<_, _> =
            moves.iter().map(|command| (command.target, self.planet(command.target))).collect();
        let mut arrived = BTreeSet::new();
        for result in move_robots(&mut self.fleet, &moves, |id| told(&planets, id)) {
            assert_eq!(result.outcome, Ok(()), "a bot knows where it can go");
            let robot = result.robot.unwrap();
            self.count("movement");
            self.count("neighbours");
            arrived.insert(robot.planet);
        }
        for planet in arrived {
            let there: Vec<_> = self.fleet.on_planet(planet).collect();
            let witnesses: BTreeSet<_> = there.iter().map(|id| self.fleet.get(*id).unwrap().player).collect();
            for (_, bot) in self.players.iter_mut().filter(|(player, _)| witnesses.contains(player)) {
                bot.saw(round, planet, &there);
            }
        }
    }

    fn bot(&mut self, of: PlayerId) -> &mut Bot {
        &mut self.players.iter_mut().find(|(player, _)| *player == of).unwrap().1
    }

    fn fight(&mut self, orders: Orders<'_>) {
        let attacks: Vec<_> = orders
            .iter()
            .filter_map(|(_, order)| match order {
                Order::Attack { robot, target } => {
                    Some(Attack { command: COMMAND, attacker: *robot, target: *target })
                }
                _ => None,
            })
            .collect();
        let battle = fight(&mut self.fleet, &attacks, &mut self.rng);
        for result in &battle.results {
            self.count("fighting");
            let left = result.outcome.ok().and(result.target).map(|target| target.health);
            let Attack { attacker, target, .. } = result.command;
            self.bot(result.attacker.unwrap().player).struck(target, left);
            if let (Some(struck), Ok(())) = (result.target, result.outcome) {
                self.bot(struck.player).attacked(target, attacker);
            }
        }
        self.count_all("robot-destroyed", battle.destroyed.len());
        self.count_all("resource-distribution", battle.distributed.len());
        self.books.lost.add_all(battle.lost);
    }

    fn mine(&mut self, orders: Orders<'_>) {
        let of = |(_, order): &(PlayerId, Order)| match order {
            Order::Mine { robot } => Some(MiningOrder { command: COMMAND, robot: *robot }),
            _ => None,
        };
        let orders: Vec<_> = orders.iter().filter_map(of).collect();
        let standing = orders.iter().filter_map(|order| self.fleet.get(order.robot));
        let planets: BTreeMap<_, _> =
            standing.map(|robot| (robot.planet, self.planet(robot.planet))).collect();
        let plan = plan_mining(&self.fleet, &orders, 0, |id| told(&planets, id));
        self.count_all("mining", plan.refused.len());
        for site in plan.sites {
            let asked = i64::try_from(site.requested()).unwrap();
            let mined = self.world.mine(self.slots[&site.planet], asked, Timestamp::UNIX_EPOCH).unwrap();
            self.world.apply_mined(&mined);
            let mined = u64::try_from(mined.amount).unwrap();
            self.books.mined.add(site.resource, mined);
            let (results, lost) = settle_mining(&mut self.fleet, &site, 0, Ok(mined));
            self.books.lost.add(site.resource, lost);
            self.count_all("mining", results.len());
        }
    }

    fn regenerate(&mut self, orders: Orders<'_>) {
        let of = |(_, order): &(PlayerId, Order)| match order {
            Order::Regenerate { robot } => Some(Regeneration { command: COMMAND, robot: *robot }),
            _ => None,
        };
        let commands: Vec<_> = orders.iter().filter_map(of).collect();
        let results = regenerate(&mut self.fleet, &commands);
        self.count_all("regeneration", results.len());
    }
}

fn traded(robot: &Robot) -> TradedRobot {
    TradedRobot { owner: robot.player, planet: robot.planet }
}

fn told(planets: &BTreeMap<PlanetId, Planet>, id: PlanetId) -> Result<&Planet, PlanetFault> {
    planets.get(&id).ok_or(PlanetFault::Unknown)
}
