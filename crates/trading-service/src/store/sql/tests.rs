//! Random histories in random batches: SQLite, memory and an image that was given only the serialised changes agree.

use proptest::prelude::*;
use starkeep_executor::{FollowedGame, GameStatus, RoundState};
use starkeep_platform::domain::{ChangeCodec, Domain};
use starkeep_platform::intent::{Intent, IntentId};
use starkeep_platform::memory::MemoryTables;
use starkeep_platform::replica::ReplicaId;
use starkeep_platform::sql::{SqlTables, at_once};
use starkeep_platform::sqlite::SqliteConnection;
use starkeep_trading_core::{
    Amounts, GameId, Item, Market, PlanetId, PlayerId, RobotId, TradedRobot, WorldId,
};
use uuid::Uuid;

use super::read;
use crate::domain::{
    Begun, Booking, Change, Image, Key, Move, Order, Received, Side, Step, Stream, Traded, Trading,
    Transaction, Wave, book,
};
use crate::store::memory;

fn id(number: u128) -> Uuid {
    Uuid::from_u128(number)
}

/// SQLite and memory side by side, and the images: the one that decisions are made on, and one that is given only the
/// serialised changes.
struct Bench {
    connection: SqliteConnection,
    tables: memory::Tables,
    image: Image,
    follower: Image,
    batch: Vec<Change>,
    drawn: u128,
}

impl Bench {
    fn new() -> Self {
        let connection = SqliteConnection::in_memory(Trading::SQLITE_MIGRATIONS).unwrap();
        let (image, follower) = (Image::default(), Image::default());
        Self { connection, tables: memory::Tables::default(), image, follower, batch: Vec::new(), drawn: 0 }
    }

    fn draw(&mut self) -> u128 {
        self.drawn += 1;
        self.drawn
    }

    fn fetch(&mut self, key: &Key) {
        if Trading::lacks(&self.image, key) {
            at_once(Trading::find(&self.connection, &(), key)).unwrap()(&mut self.image);
        }
    }

    fn take(&mut self, change: Change) {
        Trading::absorb(&mut self.image, &change);
        self.batch.push(change);
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

    /// As the writer does at the end of a batch; then all of them must be equal.
    fn save(&mut self) {
        let changes = std::mem::take(&mut self.batch);
        Trading::evict(&mut self.image);
        for change in &changes {
            let change = Trading::decode(&Trading::encode(change)).unwrap();
            for key in Trading::needed_by(&change) {
                <Trading as MemoryTables>::fetch(&self.tables, &key, &mut self.follower);
            }
            Trading::absorb(&mut self.follower, &change);
            Trading::evict(&mut self.follower);
            <Trading as MemoryTables>::save(&mut self.tables, &change).unwrap();
        }
        self.connection.batch(|rows| <Trading as SqlTables>::save(rows, &changes)).unwrap();
        assert_eq!(self.image, self.follower, "the image that follows the changes");
        assert_eq!(self.image, <Trading as MemoryTables>::load(&self.tables), "memory");
        assert_eq!(self.image, at_once(<Trading as SqlTables>::load(&self.connection)).unwrap(), "SQLite");
    }

    /// Also of games that have ended, and of every command.
    fn assert_fetched_equal(&self) {
        for game in (1..=3).map(|number| GameId(id(number))) {
            let mut stored = Image::default();
            stored.games = self.image.games.clone();
            <Trading as MemoryTables>::fetch(&self.tables, &Key::Market(game), &mut stored);
            let read = at_once(read::market(&self.connection, game)).unwrap();
            assert_eq!(stored.markets.get(&game), read.as_ref());
        }
        for number in 0..=self.drawn {
            let transaction = Transaction::Id(id(number));
            let mut stored = Image::default();
            <Trading as MemoryTables>::fetch(&self.tables, &Key::Executed(transaction.clone()), &mut stored);
            let read = at_once(read::is_executed(&self.connection, &transaction)).unwrap();
            assert_eq!(stored.is_executed(&transaction), read);
        }
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
            let status = [GameStatus::Created, GameStatus::Running, GameStatus::Ended][usize::from(status)];
            let world = bench.image.games.get(GameId(id(game))).and_then(|game| game.world);
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
    let Some(mut market) = bench.market(game).filter(|_| !bench.image.open.contains_key(&game)) else {
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
        let mut bench = Bench::new();
        // One game in which everything can happen from the beginning.
        let game = 1;
        play(&mut bench, &Doing::Follow { game, status: 1, round: 1 });
        (10..=13).for_each(|player| play(&mut bench, &Doing::Join { game, player }));
        bench.play_world(GameId(id(game)));
        for doing in &doings {
            play(&mut bench, doing);
        }
        bench.save();
        bench.assert_fetched_equal();
    }
}

#[test]
fn the_start_does_not_walk_through_ended_games() {
    let connection = SqliteConnection::in_memory(Trading::SQLITE_MIGRATIONS).unwrap();
    let connection = connection.lock();
    let read::RowsOfMarkets { games, stations, accounts, prices, sales, balances } = read::OF_UNENDED_GAMES;
    for sql in [games, stations, accounts, prices, sales, balances] {
        let mut plan = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        let steps = plan.query_map([], |row| row.get("detail")).unwrap();
        let steps = steps.collect::<rusqlite::Result<Vec<String>>>().unwrap();
        let scans: Vec<_> = steps.iter().filter(|step| step.starts_with("SCAN")).collect();
        // The games themselves are in memory, also those that have ended.
        assert_eq!(scans, ["SCAN game"], "{sql}: {steps:?}");
    }
}

#[test]
fn a_change_of_a_later_version_is_refused() {
    let received = Received { moves: vec![], position: None, gap: None };
    let bytes = Trading::encode(&Change::Received(received));
    let later = String::from_utf8(bytes).unwrap().replace("\"v\":1", "\"v\":2");
    assert!(Trading::decode(later.as_bytes()).unwrap_err().to_string().contains("version 2"));
}
