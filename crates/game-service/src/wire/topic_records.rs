//! What records of executors that have no event stream tell of accounts and deeds. They name a transaction and nothing else: which game,
//! round and player they are about is known from the join or the command that had it. Of a payload no more is read than is needed.

use serde::Deserialize;
use serde_json::Value;
use starkeep_contract::robot::TRANSACTION_ID;
use starkeep_contract::trading_events::{BankCreatedEvent, TradeKind};
use starkeep_game_core::{Command, Deed, Kind, PlayerId, RobotId};
use starkeep_platform::consumer::Record;
use uuid::Uuid;

use crate::domain::{Account, CommandResult, ToldRound};
use crate::ports::KeptCommand;

/// Of `bank-created`. It has the transaction of the join that it answers.
pub(crate) fn account_in_record(record: &Record) -> Option<Account> {
    let read = || {
        let BankCreatedEvent { money, player_id } = serde_json::from_slice(&record.value).ok()?;
        let join = record.header(TRANSACTION_ID)?.parse().ok()?;
        Some(Account { join, player: PlayerId(player_id.0), money })
    };
    let account = read();
    if account.is_none() {
        tracing::warn!(
            position = record.position,
            "a record of bank-created could not be read and is skipped"
        );
    }
    account
}

/// What the results of a round tell, in the order of the commands.
pub(crate) fn told_in_results(commands: &[KeptCommand]) -> ToldRound {
    let mut told = ToldRound::default();
    for KeptCommand { command, result, .. } in commands {
        let Some(result) = result else { continue };
        match command.order.kind() {
            Kind::Selling | Kind::Buying => told.trades.extend(traded(command, result)),
            Kind::Battle => {
                if let Some((defender, falls)) = fought(result) {
                    told.hits.push(Deed::Hit { by: command.player, defender });
                    told.fallen.extend(Some(defender).filter(|_| falls));
                }
            }
            Kind::Movement | Kind::Mining | Kind::Regeneration => {}
        }
    }
    told
}

/// What the trade moved, if the command was one and has succeeded.
pub(crate) fn trade_in_result(command: &Command, result: &CommandResult) -> Option<Deed> {
    let is_trade = matches!(command.order.kind(), Kind::Selling | Kind::Buying);
    traded(command, result).into_iter().next().filter(|_| is_trade)
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Trade {
    success: bool,
    #[serde(default)]
    money_changed_by: i64,
    #[serde(default)]
    data: Value,
}

fn traded(command: &Command, result: &CommandResult) -> Vec<Deed> {
    let trade = serde_json::from_str(&result.payload).ok().filter(|trade: &Trade| trade.success);
    let Some(Trade { money_changed_by: change, data, .. }) = trade else { return Vec::new() };
    let mut deeds = vec![Deed::Traded { player: command.player, change }];
    if result.event_type == TradeKind::SellResource.name() {
        deeds.extend(command.order.robot().map(|robot| Deed::Unloaded { robot }));
    }
    let bought = data.as_array().into_iter().flatten();
    let robots = bought.filter_map(|robot| Uuid::try_parse(robot["id"].as_str()?).ok());
    deeds.extend(robots.map(|robot| Deed::Spawned { robot: RobotId(robot), owner: command.player }));
    deeds
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Fight {
    success: bool,
    defender: Option<Uuid>,
    remaining_defender_health: Option<i64>,
}

/// Who was struck, and whether it will be destroyed when the batch is over.
fn fought(result: &CommandResult) -> Option<(RobotId, bool)> {
    let fight: Fight = serde_json::from_str(&result.payload).ok()?;
    let defender = fight.defender.filter(|_| fight.success)?;
    Some((RobotId(defender), fight.remaining_defender_health.is_some_and(|health| health <= 0)))
}
