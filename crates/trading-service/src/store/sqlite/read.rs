//! Reading: everything that is kept in memory, and the market of one game.
//! Everything here only selects; it runs on the writer's connection as well as on the readers'.

use std::fmt;
use std::sync::Arc;

use imbl::OrdMap;
use jiff::Timestamp;
use rusqlite::types::Type;
use rusqlite::{Connection, Error, OptionalExtension as _, Result, Row};
use starkeep_executor::{FollowedGame, GameStatus, RoundState};
use starkeep_platform::sqlite::{load_intents, uuid_column};
use starkeep_trading_core::{
    Account, Amounts, Bought, GameId, Market, PlanetId, PlayerId, PriceList, ResourceKind, WorldId,
};
use uuid::Uuid;

use crate::domain::{Image, StreamState, Transaction, UnclaimedWorld};
use crate::store::changes::read_wave;

pub(super) fn image(connection: &Connection) -> Result<Image> {
    let mut image = Image::default();
    for (id, game) in games(connection)? {
        image.games.restore(id, game);
    }
    for intent in load_intents(connection, |text| read_wave(text).map_err(invalid))? {
        image.open.insert(intent.call.game, intent);
    }
    let kept: Vec<_> = image.games.iter().map(|(id, _)| id).filter(|id| image.is_kept(*id)).collect();
    for game in kept {
        image.markets.extend(market(connection, game)?.map(|market| (game, market)));
    }
    image.unclaimed = unclaimed(connection)?;
    image.game_stream = stream(connection, "game")?;
    image.map_stream = stream(connection, "map")?;
    Ok(image)
}

fn games(connection: &Connection) -> Result<Vec<(GameId, FollowedGame)>> {
    connection
        .prepare("SELECT id, status, world, round, round_state, created, started FROM game")?
        .query_map([], |row| {
            let game = FollowedGame {
                status: word(row, "status", &STATUS_WORDS)?,
                world: optional_uuid(row, "world")?.map(WorldId),
                round: row.get("round")?,
                round_state: word(row, "round_state", &ROUND_WORDS)?,
                created: number(row, "created")?,
                started: row.get::<_, Option<i64>>("started")?.map(i64::cast_unsigned),
            };
            Ok((GameId(uuid_column(row, "id")?), game))
        })?
        .collect()
}

/// None if the game is not known. One transaction, so that all of its tables are seen at the same moment.
pub(super) fn market(connection: &Connection, game: GameId) -> Result<Option<Market>> {
    // On the writer's connection a transaction is open already.
    let snapshot = connection.is_autocommit().then(|| connection.unchecked_transaction()).transpose()?;
    let found = market_now(connection, game);
    drop(snapshot);
    found
}

fn market_now(connection: &Connection, game: GameId) -> Result<Option<Market>> {
    let id = game.0.as_bytes();
    let spawn_state = connection
        .prepare_cached("SELECT spawn_state FROM game WHERE id = ?1")?
        .query_row([id], |row| row.get::<_, Option<i64>>("spawn_state"))
        .optional()?;
    let Some(spawn_state) = spawn_state else { return Ok(None) };
    let mut market = Market::default();
    market.sites.rng_state = spawn_state.map(i64::cast_unsigned);
    market.sites.stations = stations_of(connection, game)?;
    let mut accounts = connection.prepare_cached("SELECT * FROM account WHERE game = ?1")?;
    for account in accounts.query_map([id], account)? {
        let (account, first) = account?;
        market.accounts.insert(account.player, account);
        market.sites.firsts.extend(first.map(|first| (account.player, first)));
    }
    let mut prices = connection.prepare_cached("SELECT * FROM price WHERE game = ?1")?;
    for prices in prices.query_map([id], prices_of_round)? {
        let (round, prices) = prices?;
        market.prices.insert(round, prices);
    }
    let mut sales = connection.prepare_cached("SELECT * FROM sale WHERE game = ?1")?;
    for sale in sales.query_map([id], |row| Ok((row.get("round")?, Amounts::new(of_resources(row)?))))? {
        let (round, amounts) = sale?;
        market.sold.insert(round, amounts);
    }
    let mut balances = connection.prepare_cached("SELECT * FROM balance WHERE game = ?1")?;
    let noted = balances.query_map([id], |row| {
        let player = PlayerId(uuid_column(row, "player")?);
        Ok((row.get::<_, u32>("round")?, player, number(row, "balance")?))
    })?;
    for noted in noted {
        let (round, player, balance) = noted?;
        market.balances.entry(round).or_default().insert(player, balance);
    }
    Ok(Some(market))
}

fn account(row: &Row<'_>) -> Result<(Account, Option<PlanetId>)> {
    let counts =
        ["robots", "health", "energy", "upgrade_1", "upgrade_2", "upgrade_3", "upgrade_4", "upgrade_5"];
    let mut bought = Bought::default();
    for (count, column) in bought.0.iter_mut().zip(counts) {
        *count = number(row, column)?;
    }
    let account = Account {
        player: PlayerId(uuid_column(row, "player")?),
        start: number(row, "start")?,
        earned: number(row, "earned")?,
        spent: number(row, "spent")?,
        bought,
    };
    Ok((account, optional_uuid(row, "first_station")?.map(PlanetId)))
}

fn prices_of_round(row: &Row<'_>) -> Result<(u32, PriceList)> {
    let items = ["rocket", "wormhole", "long_range_bombardment", "self_destruction", "repair_swarm", "nuke"];
    let mut prices = PriceList { resources: of_resources(row)?, items: [0; 6] };
    for (price, column) in prices.items.iter_mut().zip(items) {
        *price = number(row, column)?;
    }
    Ok((row.get("round")?, prices))
}

fn of_resources(row: &Row<'_>) -> Result<[u64; 5]> {
    let mut amounts = [0; 5];
    for (amount, kind) in amounts.iter_mut().zip(ResourceKind::ALL) {
        *amount = number(row, kind.as_str())?;
    }
    Ok(amounts)
}

/// None if nothing was received from the map about the gameworld that the game plays.
fn stations_of(connection: &Connection, game: GameId) -> Result<Option<Arc<[PlanetId]>>> {
    let world = connection
        .prepare_cached("SELECT id FROM world WHERE game = ?1")?
        .query_row([game.0.as_bytes()], |row| uuid_column(row, "id"))
        .optional()?;
    world.map(|world| stations(connection, world)).transpose()
}

fn stations(connection: &Connection, world: Uuid) -> Result<Arc<[PlanetId]>> {
    connection
        .prepare_cached("SELECT planet FROM station WHERE world = ?1 ORDER BY place")?
        .query_map([world.as_bytes()], |row| uuid_column(row, "planet").map(PlanetId))?
        .collect()
}

fn unclaimed(connection: &Connection) -> Result<OrdMap<WorldId, UnclaimedWorld>> {
    let mut select = connection.prepare("SELECT id, number FROM world WHERE game IS NULL")?;
    let worlds = select.query_map([], |row| Ok((uuid_column(row, "id")?, number(row, "number")?)))?;
    worlds
        .map(|world| {
            let (id, number) = world?;
            Ok((WorldId(id), UnclaimedWorld { number, stations: stations(connection, id)? }))
        })
        .collect()
}

pub(super) fn is_executed(connection: &Connection, transaction: &Transaction) -> Result<bool> {
    connection.prepare_cached("SELECT 1 FROM executed WHERE id = ?1")?.exists([transaction.to_bytes()])
}

fn stream(connection: &Connection, name: &str) -> Result<StreamState> {
    let found = connection
        .prepare("SELECT position, gap_at_millis FROM stream WHERE name = ?1")?
        .query_row([name], |row| {
            let gap = row.get::<_, Option<i64>>("gap_at_millis")?.map(Timestamp::from_millisecond);
            let gap = gap.transpose().map_err(invalid)?;
            Ok(StreamState { position: Some(row.get("position")?), gap })
        })
        .optional()?;
    Ok(found.unwrap_or_default())
}

pub(super) const STATUS_WORDS: [(GameStatus, &str); 3] =
    [(GameStatus::Created, "created"), (GameStatus::Running, "running"), (GameStatus::Ended, "ended")];

pub(super) const ROUND_WORDS: [(RoundState, &str); 4] = [
    (RoundState::Init, "init"),
    (RoundState::Started, "started"),
    (RoundState::InputEnded, "input-ended"),
    (RoundState::Ended, "ended"),
];

fn word<T: Copy>(row: &Row<'_>, column: &str, words: &[(T, &str)]) -> Result<T> {
    let text = row.get_ref(column)?.as_str()?;
    let found = words.iter().find(|(_, word)| *word == text).map(|(value, _)| *value);
    found.ok_or_else(|| invalid(format_args!("{column} is `{text}`, which this version does not know")))
}

fn number(row: &Row<'_>, column: &str) -> Result<u64> {
    row.get::<_, i64>(column).map(i64::cast_unsigned)
}

fn optional_uuid(row: &Row<'_>, column: &str) -> Result<Option<Uuid>> {
    Ok(row.get::<_, Option<[u8; 16]>>(column)?.map(Uuid::from_bytes))
}

/// A stored value that no version of ours wrote.
fn invalid(text: impl fmt::Display) -> Error {
    Error::FromSqlConversionFailure(0, Type::Null, text.to_string().into())
}
