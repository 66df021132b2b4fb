//! Random games: whatever is commanded, repeated, lost on the way to the map or broken off by a restart, every command is
//! executed once, the books balance, nobody holds more than fits, and no destroyed robot acts.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use serde_json::{Value, json};
use starkeep_robot_core::{MiningRefusal, ResourceKind};
use starkeep_test_harness::{StoreKind, get, in_one_process, post};
use uuid::Uuid;

use crate::fake_map::Behaviour;
use crate::harness::{
    Bench, GAME, batch, fight, mine, move_to, open_config, player, regenerate, spawning, tx,
};

#[derive(Clone, Debug)]
enum Step {
    Spawn {
        planets: Vec<usize>,
        owner: u128,
    },
    Move(Vec<(usize, usize)>),
    Fight(Vec<(usize, usize)>),
    Mine(Vec<usize>),
    Regenerate(Vec<usize>),
    Upgrade {
        robot: usize,
        kind: usize,
    },
    Sell(usize),
    /// The last batch comes again.
    Repeat,
    /// Of the next minings.
    Faults(Vec<Behaviour>),
    Restart,
}

const PLANETS: usize = 4;

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let robot = || 0..12_usize;
    let some = |most| prop::collection::vec(robot(), 1..most);
    let behaviour = prop_oneof![
        Just(Behaviour::LosesItsAnswer),
        Just(Behaviour::FailsSilently),
        Just(Behaviour::Away),
        Just(Behaviour::Refuses(MiningRefusal::BadAnswer)),
    ];
    let step = prop_oneof![
        2 => (prop::collection::vec(0..PLANETS, 1..4), 1..4_u128)
            .prop_map(|(planets, owner)| Step::Spawn { planets, owner }),
        4 => prop::collection::vec((robot(), 0..PLANETS), 1..8).prop_map(Step::Move),
        4 => prop::collection::vec((robot(), robot()), 1..25).prop_map(Step::Fight),
        6 => some(10).prop_map(Step::Mine),
        2 => some(8).prop_map(Step::Regenerate),
        2 => (robot(), 0..7_usize).prop_map(|(robot, kind)| Step::Upgrade { robot, kind }),
        1 => robot().prop_map(Step::Sell),
        2 => Just(Step::Repeat),
        2 => prop::collection::vec(behaviour, 1..4).prop_map(Step::Faults),
        1 => Just(Step::Restart),
    ];
    prop::collection::vec(step, 1..30)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(ProptestConfig::default().cases / 8 + 1) })]

    #[test]
    fn every_game_adds_up(steps in steps(), on_file in any::<bool>()) {
        in_one_process(play(steps, if on_file { StoreKind::Sqlite } else { StoreKind::Memory }))?;
    }
}

struct Play {
    bench: Bench,
    planets: Vec<Uuid>,
    /// Every robot that was ever spawned.
    robots: Vec<Uuid>,
    destroyed: Vec<Uuid>,
    transactions: u128,
    last: Vec<String>,
    /// Every command that was ever sent, with its robot.
    sent: BTreeMap<Uuid, Uuid>,
    sold: u64,
    /// Commands of batches that were answered as executed.
    executed: BTreeSet<Uuid>,
}

async fn play(steps: Vec<Step>, store: StoreKind) -> Result<(), TestCaseError> {
    let bench = Bench::with(open_config(), store).await;
    let kinds =
        [None, Some((ResourceKind::Coal, 60)), Some((ResourceKind::Coal, 9)), Some((ResourceKind::Iron, 40))];
    let planets: Vec<_> =
        (1..).zip(kinds).map(|(number, deposit)| bench.map.add(number, 1, deposit)).collect();
    for west in 0..PLANETS {
        for east in west + 1..PLANETS {
            bench.map.connect(planets[west], planets[east]);
        }
    }
    bench.start_game(GAME).await;
    let (robots, destroyed, last, sent) = (Vec::new(), Vec::new(), Vec::new(), BTreeMap::new());
    let mut play = Play {
        bench,
        planets,
        robots,
        destroyed,
        transactions: 0,
        last,
        sent,
        sold: 0,
        executed: BTreeSet::new(),
    };
    for step in steps {
        play.step(step).await?;
    }
    // What is still open is finished, also without anybody asking.
    play.bench.map.repair();
    play.bench.service().mining_settler().step().await.unwrap();
    play.check().await
}

impl Play {
    fn next(&mut self) -> u128 {
        self.transactions += 1;
        self.transactions
    }

    fn robot(&self, number: usize) -> Uuid {
        if self.robots.is_empty() { Uuid::nil() } else { self.robots[number % self.robots.len()] }
    }

    async fn step(&mut self, step: Step) -> Result<(), TestCaseError> {
        match step {
            Step::Spawn { planets, owner } => {
                let planets: Vec<_> = planets.into_iter().map(|number| self.planets[number]).collect();
                let transaction = tx(1_000_000 + self.next());
                for _ in 0..2 {
                    let spawned = self.bench.ask(spawning(player(owner), transaction, &planets)).await;
                    let spawned = crate::harness::ids(&spawned.is(201));
                    self.robots.extend(
                        spawned.iter().filter(|id| !self.robots.contains(id)).copied().collect::<Vec<_>>(),
                    );
                }
            }
            Step::Move(moves) => {
                let order = |play: &mut Self, (robot, planet): (usize, usize)| {
                    let (robot, target, number) = (play.robot(robot), play.planets[planet], play.next());
                    (robot, number, move_to(robot, target, number))
                };
                self.command(moves, order).await;
            }
            Step::Fight(attacks) => {
                let order = |play: &mut Self, (attacker, target): (usize, usize)| {
                    let (attacker, target, number) = (play.robot(attacker), play.robot(target), play.next());
                    (attacker, number, fight(attacker, target, number))
                };
                self.command(attacks, order).await;
            }
            Step::Mine(robots) => {
                let order = |play: &mut Self, robot| {
                    let (robot, number) = (play.robot(robot), play.next());
                    (robot, number, mine(robot, number))
                };
                self.command(robots, order).await;
            }
            Step::Regenerate(robots) => {
                let order = |play: &mut Self, robot| {
                    let (robot, number) = (play.robot(robot), play.next());
                    (robot, number, regenerate(robot, number))
                };
                self.command(robots, order).await;
            }
            Step::Upgrade { robot, kind } => self.upgrade(robot, kind).await?,
            Step::Sell(robot) => {
                let path = format!("/robots/{}/inventory/clearResources", self.robot(robot));
                let reply = self.bench.ask(post(path)).await;
                if reply.status == 200 {
                    self.sold += reply
                        .body
                        .as_object()
                        .unwrap()
                        .values()
                        .map(|sold| sold.as_u64().unwrap())
                        .sum::<u64>();
                }
            }
            Step::Repeat => self.send_last().await,
            Step::Faults(behaviours) => self.bench.map.behave_next(behaviours),
            Step::Restart if self.bench.is_in_memory() => {}
            Step::Restart => self.bench.restart().await,
        }
        self.bench.assert_books_balance().await;
        self.bury();
        Ok(())
    }

    async fn command<T>(&mut self, parts: Vec<T>, order: impl Fn(&mut Self, T) -> (Uuid, u128, String)) {
        self.last.clear();
        for part in parts {
            let (robot, number, text) = order(self, part);
            self.sent.insert(tx(number), robot);
            self.last.push(text);
        }
        self.send_last().await;
    }

    /// It may be refused because the map owes answers; then a repeat may succeed.
    async fn send_last(&mut self) {
        let sent = batch(&self.last).header("starkeep-timeout-millis", "10").header("starkeep-seed", "3");
        let status = self.bench.ask(sent).await.status;
        assert!([202, 503].contains(&status), "{status}");
        if status == 202 {
            let transaction = |command: &String| command.rsplit(' ').next().unwrap().parse::<Uuid>().unwrap();
            self.executed.extend(self.last.iter().map(transaction));
        }
    }

    async fn upgrade(&mut self, robot: usize, kind: usize) -> Result<(), TestCaseError> {
        let robot = self.robot(robot);
        let kinds = [
            ("STORAGE", "storageLevel"),
            ("HEALTH", "healthLevel"),
            ("DAMAGE", "damageLevel"),
            ("MINING_SPEED", "miningSpeedLevel"),
            ("MINING", "miningLevel"),
            ("MAX_ENERGY", "energyLevel"),
            ("ENERGY_REGEN", "energyRegenLevel"),
        ];
        let (kind, field) = kinds[kind];
        let shown = self.bench.ask(get(format!("/robots/{robot}"))).await;
        let level = shown.body[field].as_u64().unwrap_or(0);
        let body = json!({"transactionId": tx(2_000_000 + self.next()), "upgradeType": kind, "targetLevel": level + 1});
        let upgrade = post(format!("/robots/{robot}/upgrades")).json(&body);
        let first = self.bench.ask(upgrade.clone()).await;
        let second = self.bench.ask(upgrade).await;
        prop_assert_eq!((first.status, &first.bytes), (second.status, &second.bytes));
        let after = self.bench.ask(get(format!("/robots/{robot}"))).await.body[field].as_u64();
        prop_assert_eq!(after.unwrap_or(level), level + u64::from(first.status == 200));
        Ok(())
    }

    /// Whoever was destroyed has no success in the log from then on.
    fn bury(&mut self) {
        let told = self.bench.told_after(0);
        let mut destroyed = Vec::new();
        for (channel, transaction, payload) in told {
            if channel == "robot-destroyed" {
                destroyed.push(payload["robotId"].as_str().unwrap().parse::<Uuid>().unwrap());
            }
            let robot = transaction.and_then(|transaction| self.sent.get(&transaction));
            if let Some(robot) = robot.filter(|robot| destroyed.contains(robot)) {
                assert_ne!(
                    payload["success"],
                    json!(true),
                    "{robot} is destroyed, and {channel} says {payload}"
                );
            }
        }
        self.destroyed = destroyed;
    }

    async fn check(&self) -> Result<(), TestCaseError> {
        let bench = &self.bench;
        for transaction in self.sent.keys() {
            let results = bench.results_of(*transaction).len();
            let is_executed = self.executed.contains(transaction);
            prop_assert!(results == 1 || results == 0 && !is_executed, "{transaction} has {results} results");
        }
        let shown = bench.ask(get(format!("/robots?game-id={GAME}"))).await.is(200);
        let living: Vec<&Value> = shown.as_array().unwrap().iter().collect();
        prop_assert_eq!(living.len() + self.destroyed.len(), self.robots.len());
        for robot in &living {
            let (inventory, of) = (&robot["inventory"], |field: &str| robot[field].as_i64().unwrap());
            prop_assert!(inventory["usedStorage"].as_u64() <= inventory["maxStorage"].as_u64());
            prop_assert!(of("health") > 0 && of("health") <= of("maxHealth"));
            prop_assert!(of("energy") >= 0 && of("energy") <= of("maxEnergy"));
        }
        let held: u64 = living.iter().map(|robot| robot["inventory"]["usedStorage"].as_u64().unwrap()).sum();
        // What the map gave, by its own account, is there or was sold; the rest is lost, and is not negative.
        prop_assert!(held + self.sold <= bench.map.given(), "{held} held, {} sold", self.sold);
        let units: u64 = bench
            .metrics()
            .await
            .lines()
            .filter(|line| line.starts_with("starkeep_robot_mined_units_total"))
            .map(|line| line.rsplit(' ').next().unwrap().parse::<u64>().unwrap())
            .sum();
        if bench.is_in_memory() {
            prop_assert_eq!(units, bench.map.given(), "everything that the map gave is booked");
        } else {
            let booked: i64 = bench
                .database()
                .query_row("SELECT coalesce(sum(mined), 0) FROM book", [], |row| row.get(0))
                .unwrap();
            prop_assert_eq!(booked.cast_unsigned(), bench.map.given());
        }
        Ok(())
    }
}
