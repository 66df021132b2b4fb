//! Random histories in random batches: SQLite, memory and an image that was given only the serialised changes agree.

use std::ops::{Deref, DerefMut};

use proptest::prelude::*;
use starkeep_executor::{FollowedGame, GameStatus, RoundState};
use starkeep_platform::domain::ChangeCodec;
use starkeep_platform::intent::{Intent, IntentId};
use starkeep_platform::replica::ReplicaId;
use starkeep_test_harness::HistoryBench;
use starkeep_trading_core::{
    Amounts, GameId, Item, Market, PlanetId, PlayerId, RobotId, TradedRobot, WorldId,
};
use uuid::Uuid;

use crate::domain::{
    Begun, Booking, Change, Key, Move, Order, Received, Side, Step, Stream, Traded, Trading, Transaction,
    Wave, book,
};

fn id(number: u128) -> Uuid {
    Uuid::from_u128(number)
}

#[derive(Default)]
struct Bench {
    stores: HistoryBench<Trading>,
    drawn: u128,
}

impl Deref for Bench {
    type Target = HistoryBench<Trading>;

    fn deref(&self) -> &HistoryBench<Trading> {
        &self.stores
    }
}

impl DerefMut for Bench {
    fn deref_mut(&mut self) -> &mut HistoryBench<Trading> {
        &mut self.stores
    }
}

impl Bench {
    fn draw(&mut self) -> u128 {
        self.drawn += 1;
        self.drawn
    }

    fn receive(&mut self, moves: Vec<Move>) {
        for game in moves.iter().filter_map(Move::game) {
            self.fetch(&Key::Market(game));
        }
        let position = Some((Stream::Game, format!("{}", self.draw())));
        self.take(Change::Received(Received { moves, position, gap: None }));
    }

    /// The game plays a gameworld with stations.
    fn play_world(&mut self, game: GameId) {
        let (world, stations) = (WorldId(id(999)), (0..4).map(|place| PlanetId(id(2000 + place))).collect());
        let made = Move::World { world, number: 0, stations };
        self.receive(vec![made, Move::Stations { game, world }]);
    }

    fn market(&mut self, game: GameId) -> Option<Market> {
        self.fetch(&Key::Market(game));
        self.image.markets.get(&game).cloned()
    }
}

#[derive(Clone, Debug)]
enum Doing {
    Follow { game: u128, status: u8, round: u32 },
    Delete { game: u128 },
    Join { game: u128, player: u128 },
    Leave { game: u128, player: u128 },
    World { game: u128, is_played: bool },
    Round { game: u128 },
    EndRound { game: u128 },
    Begin { game: u128, orders: Vec<(u128, u8)> },
    Settle { game: u128, is_delivered: bool, load: [u64; 5] },
    EndBatch,
}

fn doings() -> impl Strategy<Value = Vec<Doing>> {
    let game = || 1..=3_u128;
    let player = || 10..=13_u128;
    let doing = prop_oneof![
        3 => (game(), 0..3_u8, 0..9_u32).prop_map(|(game, status, round)| Doing::Follow { game, status, round }),
        1 => game().prop_map(|game| Doing::Delete { game }),
        4 => (game(), player()).prop_map(|(game, player)| Doing::Join { game, player }),
        1 => (game(), player()).prop_map(|(game, player)| Doing::Leave { game, player }),
        2 => (game(), any::<bool>()).prop_map(|(game, is_played)| Doing::World { game, is_played }),
        2 => game().prop_map(|game| Doing::Round { game }),
        2 => game().prop_map(|game| Doing::EndRound { game }),
        5 => (game(), prop::collection::vec((player(), 0..4_u8), 1..6))
            .prop_map(|(game, orders)| Doing::Begin { game, orders }),
        5 => (game(), any::<bool>(), prop::array::uniform5(0..9_u64))
            .prop_map(|(game, is_delivered, load)| Doing::Settle { game, is_delivered, load }),
        3 => Just(Doing::EndBatch),
    ];
    prop::collection::vec(doing, 1..60)
}

fn play(bench: &mut Bench, doing: &Doing) {
    match doing.clone() {
        Doing::Follow { game, status, round } => {
            let known = bench.image.games.get(GameId(id(game))).copied();
            // No game goes back.
            let status = [GameStatus::Created, GameStatus::Running, GameStatus::Ended][usize::from(status)];
            let status = known.map_or(status, |game| game.status.max(status));
            let world = known.and_then(|game| game.world);
            let state = FollowedGame {
                status,
                world,
                round,
                round_state: RoundState::Started,
                created: u64::try_from(game).unwrap(),
                started: (status != GameStatus::Created).then_some(7),
            };
            bench.receive(vec![Move::Game { game: GameId(id(game)), state }]);
        }
        Doing::Delete { game } if bench.image.games.get(GameId(id(game))).is_some() => {
            bench.receive(vec![Move::Deleted { game: GameId(id(game)) }]);
        }
        Doing::Join { game, player } => {
            let (game, player) = (GameId(id(game)), PlayerId(id(player)));
            if bench.market(game).is_some_and(|market| !market.accounts.contains_key(&player)) {
                bench.receive(vec![Move::Joined { game, player, money: 500 }]);
            }
        }
        Doing::Leave { game, player } => {
            let (game, player) = (GameId(id(game)), PlayerId(id(player)));
            let is_free = !bench.image.open.contains_key(&game);
            let has_round = |market: &Market| market.balances.len() > 1;
            // Nobody trades before the start, and nobody's account is closed after it.
            let has_sold = |market: &Market| market.accounts.get(&player).is_some_and(|of| of.earned > 0);
            if bench.market(game).is_some_and(|market| is_free && !has_round(&market) && !has_sold(&market)) {
                bench.receive(vec![Move::Left { game, player }]);
            }
        }
        Doing::World { game, is_played } => {
            let world = WorldId(id(1000 + bench.draw()));
            let number = u64::try_from(bench.draw()).unwrap();
            let stations = (0..number % 4).map(|place| PlanetId(id(2000 + u128::from(place)))).collect();
            let mut moves = vec![Move::World { world, number, stations }];
            let game = GameId(id(game));
            let market = bench.market(game);
            if is_played && market.is_some_and(|market| market.sites.stations.is_none()) {
                moves.push(Move::Stations { game, world });
            } else if is_played {
                moves.push(Move::WorldDropped { world });
            }
            bench.receive(moves);
        }
        Doing::Round { game } => {
            let game = GameId(id(game));
            if let Some(market) = bench.market(game) {
                let round = market.round() + 1;
                bench.receive(vec![Move::Prices { game, round, prices: market.prices_of(round) }]);
            }
        }
        Doing::EndRound { game } => {
            let game = GameId(id(game));
            if let Some(market) = bench.market(game) {
                let round = market.balances.get_max().map_or(0, |(round, _)| *round) + 1;
                bench.receive(vec![Move::Balances { game, round }]);
            }
        }
        Doing::Begin { game, orders } => begin(bench, GameId(id(game)), &orders),
        Doing::Settle { game, is_delivered, load } => settle(bench, GameId(id(game)), is_delivered, load),
        Doing::Delete { .. } => {}
        Doing::EndBatch => bench.save(),
    }
}

fn begin(bench: &mut Bench, game: GameId, orders: &[(u128, u8)]) {
    // Nothing is begun in a game that has ended.
    let is_over = bench.image.games.get(game).is_none_or(|game| game.status == GameStatus::Ended);
    let Some(mut market) = bench.market(game).filter(|_| !is_over && !bench.image.open.contains_key(&game))
    else {
        return;
    };
    let mut steps = Vec::new();
    for (player, kind) in orders {
        let (player, robot) = (PlayerId(id(*player)), RobotId(id(77)));
        let stands = market.stations().first().map(|planet| TradedRobot { owner: player, planet: *planet });
        let order = match kind {
            0 => market.order_robots(player, 2, 5).map(Order::Buy),
            1 => market.order_item(player, Item::find("HEALTH_1").unwrap(), stands, None).map(Order::Buy),
            2 => market.check_sale(player, stands, None).map(|()| Order::Sell { player, robot }),
            _ => Ok(Order::Refused("no".to_owned())),
        };
        let transaction = Some(match kind {
            3 => Transaction::Text(format!("text {}", bench.draw())),
            _ => Transaction::Id(id(bench.draw())),
        });
        let order = order.unwrap_or_else(|refusal| Order::Refused(format!("{refusal:?}")));
        steps.push(Step { transaction, side: Side::Buy, player: Some(player), robot: Some(robot), order });
    }
    let call = Wave { game, price_round: market.round(), round: Some(3), seed: Some(u64::MAX), steps };
    let intent = Intent { id: IntentId(id(bench.draw())), owner: ReplicaId(id(1)), call };
    let begun = Some(Begun { intent, rng_state: market.sites.rng_state });
    let (bookings, executed) = (vec![], vec![]);
    bench.take(Change::Traded(Traded { game, settled: None, bookings, executed, begun }));
    assert_eq!(bench.image.markets[&game], market, "the change moves the market as the orders did");
}

fn settle(bench: &mut Bench, game: GameId, is_delivered: bool, load: [u64; 5]) {
    let Some(open) = bench.image.open.get(&game).cloned() else { return };
    let mut market = bench.image.markets[&game].clone();
    let mut bookings = Vec::new();
    for step in &open.call.steps {
        let booking = match &step.order {
            Order::Refused(_) => continue,
            Order::Buy(bought) if is_delivered => Booking::Bought(bought.clone()),
            Order::Buy(bought) => Booking::Cancelled(bought.clone()),
            Order::Sell { player, .. } => {
                let (round, amounts) = (open.call.price_round, Amounts::new(load));
                Booking::Sold { player: *player, round, amounts, income: market.income(round, amounts) }
            }
        };
        book(&mut market, &booking);
        bookings.push(booking);
    }
    let executed = open.call.steps.iter().filter_map(|step| step.transaction.clone()).collect();
    let settled = Some(open.id);
    bench.take(Change::Traded(Traded { game, settled, bookings, executed, begun: None }));
    assert_eq!(bench.image.markets[&game].audit(|_| 0), Ok(()));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(ProptestConfig::default().cases / 2) })]

    #[test]
    fn every_history_gives_equal_images_and_answers(doings in doings()) {
        let mut bench = Bench::default();
        // One game in which everything can happen from the beginning.
        let game = 1;
        play(&mut bench, &Doing::Follow { game, status: 1, round: 1 });
        (10..=13).for_each(|player| play(&mut bench, &Doing::Join { game, player }));
        bench.play_world(GameId(id(game)));
        for doing in &doings {
            play(&mut bench, doing);
        }
        bench.save();
        let executed = (0..=bench.drawn).map(|number| Key::Executed(Transaction::Id(id(number))));
        let markets = (1..=3).map(|number| Key::Market(GameId(id(number))));
        bench.assert_fetched_equal(markets.chain(executed));
    }
}

#[test]
fn a_change_of_a_later_version_is_refused() {
    let received = Received { moves: vec![], position: None, gap: None };
    let bytes = Trading::encode(&Change::Received(received));
    let later = String::from_utf8(bytes).unwrap().replace("\"v\":1", "\"v\":2");
    assert!(Trading::decode(later.as_bytes()).unwrap_err().to_string().contains("version 2"));
}
