//! Reading: everything that is kept in memory, and the market of one game.
//! Everything here only selects; it runs on the writer's connection as well as on the readers'.

use std::collections::BTreeMap;

use futures::future::try_join_all;
use imbl::OrdMap;
use starkeep_executor::{FollowedGame, GameStatus, RoundState};
use starkeep_platform::sql::{Row, SqlConnection, SqlFault, Value, load_intents};
use starkeep_platform::values;
use starkeep_trading_core::{
    Account, Amounts, Bought, GameId, Market, PlanetId, PlayerId, PriceList, ResourceKind, WorldId,
};
use uuid::Uuid;

use crate::domain::{Image, StreamState, Transaction, UnclaimedWorld};
use crate::store::changes::read_wave;

pub(super) async fn image(connection: &dyn SqlConnection) -> Result<Image, SqlFault> {
    let mut image = Image::default();
    for (id, game) in games(connection).await? {
        image.games.restore(id, game);
    }
    for intent in load_intents(connection, |text| read_wave(text).map_err(SqlFault::Unreadable)).await? {
        image.open.insert(intent.call.game, intent);
    }
    image.markets = markets(connection, &OF_UNENDED_GAMES, &[]).await?.into_iter().collect();
    // Of games that have ended before their trades were settled: hardly ever one.
    let ended: Vec<GameId> =
        image.open.keys().copied().filter(|game| !image.markets.contains_key(game)).collect();
    let found = try_join_all(ended.iter().map(|game| market(connection, *game))).await?;
    let found = ended.into_iter().zip(found);
    image.markets.extend(found.filter_map(|(game, market)| Some((game, market?))));
    image.unclaimed = unclaimed(connection).await?;
    for row in connection.query("SELECT name, position, gap_at_millis FROM stream", &[]).await? {
        let stream = row.word("name", |name| match name {
            "game" => Some(&mut image.game_stream),
            "map" => Some(&mut image.map_stream),
            _ => None,
        });
        *stream? = StreamState { position: Some(row.get("position")?), gap: row.get("gap_at_millis")? };
    }
    Ok(image)
}

async fn games(connection: &dyn SqlConnection) -> Result<Vec<(GameId, FollowedGame)>, SqlFault> {
    let all = "SELECT id, status, world, round, round_state, created, started FROM game";
    let rows = connection.query(all, &[]).await?;
    let games = rows.iter().map(|row| {
        let game = FollowedGame {
            status: row.word("status", |word| meaning(&STATUS_WORDS, word))?,
            world: row.get::<Option<Uuid>>("world")?.map(WorldId),
            round: row.get("round")?,
            round_state: row.word("round_state", |word| meaning(&ROUND_WORDS, word))?,
            created: row.get("created")?,
            started: row.get("started")?,
        };
        Ok((GameId(row.get("id")?), game))
    });
    games.collect()
}

/// Statements for all rows of some markets.
pub(super) struct RowsOfMarkets {
    pub(super) games: &'static str,
    pub(super) stations: &'static str,
    pub(super) accounts: &'static str,
    pub(super) prices: &'static str,
    pub(super) sales: &'static str,
    pub(super) balances: &'static str,
}

macro_rules! rows_of_markets {
    ($which:literal) => {
        RowsOfMarkets {
            games: concat!("SELECT id, spawn_state FROM game WHERE id ", $which),
            // A gameworld without stations gives a row without a planet.
            stations: concat!(
                "SELECT world.game AS game, station.planet AS planet
                 FROM world LEFT JOIN station ON station.world = world.id WHERE world.game ",
                $which,
                " ORDER BY world.game, station.place"
            ),
            accounts: concat!("SELECT * FROM account WHERE game ", $which),
            prices: concat!("SELECT * FROM price WHERE game ", $which),
            sales: concat!("SELECT * FROM sale WHERE game ", $which),
            balances: concat!("SELECT * FROM balance WHERE game ", $which),
        }
    };
}

pub(super) const OF_UNENDED_GAMES: RowsOfMarkets =
    rows_of_markets!("IN (SELECT id FROM game WHERE status <> 'ended')");
const OF_ONE_GAME: RowsOfMarkets = rows_of_markets!("= ?1");

/// None if the game is not known. To be asked in a snapshot.
pub(super) async fn market(connection: &dyn SqlConnection, game: GameId) -> Result<Option<Market>, SqlFault> {
    Ok(markets(connection, &OF_ONE_GAME, values![game.0]).await?.remove(&game))
}

async fn markets(
    connection: &dyn SqlConnection,
    select: &RowsOfMarkets,
    which: &[Value<'_>],
) -> Result<BTreeMap<GameId, Market>, SqlFault> {
    let (games, stations, accounts, prices, sales, balances) = tokio::try_join!(
        connection.query(select.games, which),
        connection.query(select.stations, which),
        connection.query(select.accounts, which),
        connection.query(select.prices, which),
        connection.query(select.sales, which),
        connection.query(select.balances, which),
    )?;
    let mut markets = BTreeMap::new();
    for row in games {
        let mut market = Market::default();
        market.sites.rng_state = row.get("spawn_state")?;
        markets.insert(GameId(row.get("id")?), market);
    }
    let mut stations_of: BTreeMap<GameId, Vec<PlanetId>> = BTreeMap::new();
    for row in stations {
        stations_of.entry(GameId(row.get("game")?)).or_default().extend(planet(&row, "planet")?);
    }
    for (game, stations) in stations_of {
        markets.entry(game).and_modify(|market| market.set_stations(stations.into()));
    }
    add_rows(&mut markets, &accounts, add_account)?;
    add_rows(&mut markets, &prices, add_prices)?;
    add_rows(&mut markets, &sales, add_sale)?;
    add_rows(&mut markets, &balances, add_balance)?;
    Ok(markets)
}

/// Each row to the market of its game.
fn add_rows(
    markets: &mut BTreeMap<GameId, Market>,
    rows: &[Row],
    add: fn(&mut Market, &Row) -> Result<(), SqlFault>,
) -> Result<(), SqlFault> {
    rows.iter().try_for_each(|row| match markets.get_mut(&GameId(row.get("game")?)) {
        Some(market) => add(market, row),
        None => Ok(()),
    })
}

fn add_account(market: &mut Market, row: &Row) -> Result<(), SqlFault> {
    let counts =
        ["robots", "health", "energy", "upgrade_1", "upgrade_2", "upgrade_3", "upgrade_4", "upgrade_5"];
    let mut bought = Bought::default();
    for (count, column) in bought.0.iter_mut().zip(counts) {
        *count = row.get(column)?;
    }
    let player = PlayerId(row.get("player")?);
    let (start, earned, spent) = (row.get("start")?, row.get("earned")?, row.get("spent")?);
    market.accounts.insert(player, Account { player, start, earned, spent, bought });
    market.sites.firsts.extend(planet(row, "first_station")?.map(|first| (player, first)));
    Ok(())
}

fn add_prices(market: &mut Market, row: &Row) -> Result<(), SqlFault> {
    let items = ["rocket", "wormhole", "long_range_bombardment", "self_destruction", "repair_swarm", "nuke"];
    let mut prices = PriceList { resources: of_resources(row)?, items: [0; 6] };
    for (price, column) in prices.items.iter_mut().zip(items) {
        *price = row.get(column)?;
    }
    market.prices.insert(row.get("round")?, prices);
    Ok(())
}

fn add_sale(market: &mut Market, row: &Row) -> Result<(), SqlFault> {
    market.sold.insert(row.get("round")?, Amounts::new(of_resources(row)?));
    Ok(())
}

fn add_balance(market: &mut Market, row: &Row) -> Result<(), SqlFault> {
    let of_round = market.balances.entry(row.get("round")?).or_default();
    of_round.insert(PlayerId(row.get("player")?), row.get("balance")?);
    Ok(())
}

fn of_resources(row: &Row) -> Result<[u64; 5], SqlFault> {
    let mut amounts = [0; 5];
    for (amount, kind) in amounts.iter_mut().zip(ResourceKind::ALL) {
        *amount = row.get(kind.as_str())?;
    }
    Ok(amounts)
}

fn planet(row: &Row, column: &str) -> Result<Option<PlanetId>, SqlFault> {
    Ok(row.get::<Option<Uuid>>(column)?.map(PlanetId))
}

async fn unclaimed(connection: &dyn SqlConnection) -> Result<OrdMap<WorldId, UnclaimedWorld>, SqlFault> {
    let rows = connection.query(
        "SELECT world.id AS id, world.number AS number, station.planet AS planet
         FROM world LEFT JOIN station ON station.world = world.id
         WHERE world.game IS NULL ORDER BY world.id, station.place",
        &[],
    );
    let mut worlds: BTreeMap<WorldId, (u64, Vec<PlanetId>)> = BTreeMap::new();
    for row in rows.await? {
        let number = row.get("number")?;
        let (_, stations) = worlds.entry(WorldId(row.get("id")?)).or_insert((number, Vec::new()));
        stations.extend(planet(&row, "planet")?);
    }
    let unclaimed = |(number, stations): (u64, Vec<_>)| UnclaimedWorld { number, stations: stations.into() };
    Ok(worlds.into_iter().map(|(id, world)| (id, unclaimed(world))).collect())
}

pub(super) async fn is_executed(
    connection: &dyn SqlConnection,
    transaction: &Transaction,
) -> Result<bool, SqlFault> {
    connection.exists("SELECT 1 FROM executed WHERE id = ?1", values![&transaction.to_bytes()]).await
}

pub(super) const STATUS_WORDS: [(GameStatus, &str); 3] =
    [(GameStatus::Created, "created"), (GameStatus::Running, "running"), (GameStatus::Ended, "ended")];

pub(super) const ROUND_WORDS: [(RoundState, &str); 4] = [
    (RoundState::Init, "init"),
    (RoundState::Started, "started"),
    (RoundState::InputEnded, "input-ended"),
    (RoundState::Ended, "ended"),
];

fn meaning<T: Copy>(words: &[(T, &str)], text: &str) -> Option<T> {
    words.iter().find(|(_, word)| *word == text).map(|(value, _)| *value)
}
