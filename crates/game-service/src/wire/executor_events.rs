//! What the events of the robot and trading services tell the game service: robots that come and go, how the players stand,
//! and what became of commands. An event that cannot be read tells nothing.

use serde::de::DeserializeOwned;
use starkeep_contract::events::{Channel, PublishedEvent};
use starkeep_contract::robot::TRANSACTION_ID;
use starkeep_contract::robot_events::{
    FightingEvent, MiningEvent, ResourceDistributionEvent, RobotDestroyedEvent, RobotSpawnedEvent,
};
use starkeep_contract::robot_service::Robot;
use starkeep_contract::trading_events::{BankCreatedEvent, TradeData, TradeEvent, TradeKind};
use starkeep_game_core::{Amounts, CommandId, Deed, GameId, PlayerId, ResourceKind, RobotId};
use starkeep_platform::consumer::Record;

use crate::domain::{CommandResult, ExecutorNews};

/// `None` where the event is not about a game, or tells nothing.
pub(crate) fn news(event: &PublishedEvent) -> Result<Option<ExecutorNews>, serde_json::Error> {
    let Some(game) = event.about.game_id else { return Ok(None) };
    let news = ExecutorNews {
        game: GameId(game.0),
        round: event.about.round_number.unwrap_or(0),
        // A robot that is bought is spawned before the purchase is answered.
        follows_trades: event.channel != Channel::SpawnNotification,
        deeds: deeds(event)?,
        result: result(event),
    };
    Ok(Some(news).filter(|news| !news.deeds.is_empty() || news.result.is_some()))
}

/// The last event of each command; the others come beside it.
fn result(event: &PublishedEvent) -> Option<CommandResult> {
    let tells_result = matches!(
        event.channel,
        Channel::Movement | Channel::Mining | Channel::Regeneration | Channel::Fighting | Channel::Trades
    );
    let command = CommandId(event.headers.transaction_id.parse().ok()?);
    tells_result.then(|| CommandResult {
        command,
        channel: event.channel.name().to_owned(),
        event_type: event.headers.r#type.clone(),
        payload: event.payload.to_string(),
    })
}

/// A record of one of the same channels, of whatever executor. One that names no command of ours tells nothing.
pub(crate) fn result_in_record(topic: &str, record: &Record) -> Option<CommandResult> {
    let payload = std::str::from_utf8(&record.value).ok()?;
    serde_json::from_str::<serde::de::IgnoredAny>(payload).ok()?;
    Some(CommandResult {
        command: CommandId(record.header(TRANSACTION_ID)?.parse().ok()?),
        channel: topic.to_owned(),
        event_type: record.header("type").unwrap_or(topic).to_owned(),
        payload: payload.to_owned(),
    })
}

fn deeds(event: &PublishedEvent) -> Result<Vec<Deed>, serde_json::Error> {
    let (player, robot) = (event.about.player_id, event.about.robot_id);
    let (player, robot) = (player.map(|id| PlayerId(id.0)), robot.map(|id| RobotId(id.0)));
    Ok(match event.channel {
        Channel::BankCreated => {
            let account: BankCreatedEvent = payload(event)?;
            vec![Deed::AccountOpened { player: PlayerId(account.player_id.0), money: account.money }]
        }
        Channel::Trades => {
            let trade: TradeEvent = payload(event)?;
            let traded = player.filter(|_| trade.success);
            let change = trade.money_changed_by;
            let sold = trade.success && event.headers.r#type == TradeKind::SellResource.name();
            let unloaded = robot.filter(|_| sold).map(|robot| Deed::Unloaded { robot });
            let traded = traded.map(|player| Deed::Traded { player, change });
            traded.into_iter().chain(unloaded).chain(bought(&trade)).collect()
        }
        Channel::SpawnNotification => {
            let spawned: RobotSpawnedEvent = payload(event)?;
            let (robot, owner) = (RobotId(spawned.robot_id.0), PlayerId(spawned.player_id.0));
            vec![Deed::Spawned { robot, owner }]
        }
        Channel::RobotDestroyed => {
            let destroyed: RobotDestroyedEvent = payload(event)?;
            vec![Deed::Destroyed { robot: RobotId(destroyed.robot_id.0) }]
        }
        Channel::Mining => {
            let mining: MiningEvent = payload(event)?;
            let kind = ResourceKind::parse(&mining.resource_type).filter(|_| mining.success);
            let mined = |(robot, kind)| Deed::Mined { robot, kind, holds: mining.updated_inventory };
            robot.zip(kind).map(mined).into_iter().collect()
        }
        Channel::ResourceDistribution => {
            let held: ResourceDistributionEvent = payload(event)?;
            let holds = Amounts::new([held.coal, held.iron, held.gem, held.gold, held.platin]);
            vec![Deed::Looted { robot: RobotId(held.robot_id.0), holds }]
        }
        Channel::Fighting => {
            let fight: FightingEvent = payload(event)?;
            let defender = fight.defender.filter(|_| fight.success).map(|robot| RobotId(robot.0));
            let hit = |(by, defender)| Deed::Hit { by, defender };
            player.zip(defender).map(hit).into_iter().collect()
        }
        _ => Vec::new(),
    })
}

/// The robot service tells of them as well. But how far its log has to be read for that, nobody says, and who pays for a
/// robot must not look as if it had none.
fn bought(trade: &TradeEvent) -> Vec<Deed> {
    let Some(TradeData::Robots(robots)) = trade.data.as_ref().filter(|_| trade.success) else {
        return Vec::new();
    };
    let spawned =
        |robot: &Robot| Deed::Spawned { robot: RobotId(robot.id.0), owner: PlayerId(robot.player.0) };
    robots.iter().map(spawned).collect()
}

fn payload<T: DeserializeOwned>(event: &PublishedEvent) -> Result<T, serde_json::Error> {
    T::deserialize(&event.payload)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use starkeep_contract::events::{EventAbout, EventHeaders};
    use uuid::Uuid;

    use super::*;

    const GAME: Uuid = Uuid::from_u128(1);
    const ANN: Uuid = Uuid::from_u128(2);
    const BOB: Uuid = Uuid::from_u128(3);
    const ROBOT: Uuid = Uuid::from_u128(4);
    const OTHER: Uuid = Uuid::from_u128(5);
    const TRANSACTION: Uuid = Uuid::from_u128(6);

    fn told(channel: Channel, kind: &str, payload: Value) -> Option<ExecutorNews> {
        let about = json!({ "gameId": GAME, "roundNumber": 3, "playerId": ANN, "robotId": ROBOT });
        let event = PublishedEvent {
            id: "1".to_owned(),
            channel,
            headers: EventHeaders {
                event_id: Uuid::nil(),
                transaction_id: TRANSACTION.to_string(),
                version: "1".to_owned(),
                timestamp: "2026-01-01T12:00:00Z".to_owned(),
                r#type: kind.to_owned(),
            },
            payload,
            about: serde_json::from_value::<EventAbout>(about).unwrap(),
        };
        news(&event).unwrap()
    }

    #[test]
    fn every_event_tells_its_deeds_and_a_result_where_it_ends_a_command() {
        let (ann, robot) = (PlayerId(ANN), RobotId(ROBOT));
        let sale = json!({ "data": null, "success": true, "message": "", "moneyChangedBy": 20 });
        let mining = |success| json!({ "success": success, "message": "", "remainingEnergy": 1, "updatedInventory": 4, "resourceType": "iron" });
        let fight = |success, defender: Value| {
            json!({ "success": success, "message": "", "attacker": ROBOT, "defender": defender,
                "remainingDefenderHealth": 9, "remainingEnergy": 19 })
        };
        let moved =
            json!({ "success": false, "message": "", "remainingEnergy": null, "planet": null, "robots": [] });
        let mined = Deed::Mined { robot, kind: ResourceKind::Iron, holds: 4 };
        let held = Amounts::new([3, 0, 0, 0, 1]);
        let cases = [
            (
                Channel::BankCreated,
                "",
                json!({ "money": 200, "playerId": ANN }),
                vec![Deed::AccountOpened { player: ann, money: 200 }],
                false,
            ),
            (
                Channel::Trades,
                "sell-resource",
                sale.clone(),
                vec![Deed::Traded { player: ann, change: 20 }, Deed::Unloaded { robot }],
                true,
            ),
            (Channel::Trades, "buy-item", sale, vec![Deed::Traded { player: ann, change: 20 }], true),
            (
                Channel::Trades,
                "buy-error",
                json!({ "data": null, "success": false, "message": "", "moneyChangedBy": 0 }),
                vec![],
                true,
            ),
            (
                Channel::SpawnNotification,
                "",
                json!({ "robotId": OTHER, "playerId": BOB, "otherSeeableRobots": [] }),
                vec![Deed::Spawned { robot: RobotId(OTHER), owner: PlayerId(BOB) }],
                false,
            ),
            (
                Channel::RobotDestroyed,
                "",
                json!({ "robotId": OTHER, "playerId": BOB }),
                vec![Deed::Destroyed { robot: RobotId(OTHER) }],
                false,
            ),
            (Channel::Mining, "mining", mining(true), vec![mined], true),
            (Channel::Mining, "mining", mining(false), vec![], true),
            (
                Channel::ResourceDistribution,
                "",
                json!({ "robotId": OTHER, "coal": 3, "iron": 0, "gem": 0, "gold": 0, "platin": 1 }),
                vec![Deed::Looted { robot: RobotId(OTHER), holds: held }],
                false,
            ),
            (
                Channel::Fighting,
                "fighting",
                fight(true, json!(OTHER)),
                vec![Deed::Hit { by: ann, defender: RobotId(OTHER) }],
                true,
            ),
            (Channel::Fighting, "fighting", fight(false, json!(OTHER)), vec![], true),
            (Channel::Movement, "movement", moved, vec![], true),
        ];
        for (channel, kind, payload, deeds, is_result) in cases {
            let news = told(channel, kind, payload.clone()).unwrap();
            assert_eq!((news.game, news.round, news.deeds), (GameId(GAME), 3, deeds), "{channel:?}");
            let result = is_result.then(|| CommandResult {
                command: CommandId(TRANSACTION),
                channel: channel.name().to_owned(),
                event_type: kind.to_owned(),
                payload: payload.to_string(),
            });
            assert_eq!(news.result, result, "{channel:?}");
        }
        assert_eq!(told(Channel::Neighbours, "", json!({ "neighbours": [] })), None);
    }
}
