//! The events of each change, in the order in which they are appended to the log.
//! They are appended in the same commit as the change.

use jiff::Timestamp;
use starkeep_contract::PlayerId as WirePlayerId;
use starkeep_contract::events::{About, Channel, NewEvent};
use starkeep_contract::robot_service::{ResourceAmounts, Robot};
use starkeep_contract::trading_events::{BankCreatedEvent, TradeData, TradeEvent, TradeKind};

use starkeep_trading_core::{Amounts, GameId, IdGenerator, PlayerId, PriceList, ResourceKind};
use uuid::Uuid;

use super::view::{priced_items, priced_resources};
use crate::domain::{Side, Step, Transaction, Wave};

/// The channels of this service.
pub(crate) const CHANNELS: &[Channel] =
    &[Channel::BankCreated, Channel::Trades, Channel::CurrentItemPrices, Channel::CurrentResourcePrices];

/// Ids and instant of the events of one decision, drawn before it.
pub(crate) struct EventMaker {
    ids: IdGenerator,
    now: Timestamp,
}

/// What came of a command.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TradeResult {
    Robots { robots: Vec<Robot>, cost: u64 },
    Item { message: String, cost: u64 },
    Sold { amounts: Amounts, income: u64 },
    Refused(String),
}

impl EventMaker {
    pub(crate) fn new(seed: u64, now: Timestamp) -> Self {
        Self { ids: IdGenerator::from_seed(seed), now }
    }

    pub(crate) fn account_opened(
        &mut self,
        game: GameId,
        player: PlayerId,
        money: u64,
        transaction: Option<Uuid>,
    ) -> NewEvent {
        let about = About { player: Some(player.0), ..About::subject(game.0) };
        let payload = BankCreatedEvent { money, player_id: WirePlayerId(player.0) };
        NewEvent::new(Channel::BankCreated, self.ids.next_id(), about, transaction, self.now, &payload)
    }

    /// Of special items first, then of resources.
    pub(crate) fn prices(&mut self, game: GameId, round: u32, prices: &PriceList) -> [NewEvent; 2] {
        let about = About { round: Some(round), ..About::subject(game.0) };
        let (items, resources) = (priced_items(prices), priced_resources(prices));
        [(Channel::CurrentItemPrices, items), (Channel::CurrentResourcePrices, resources)].map(
            |(channel, prices)| {
                let (id, transaction) = (self.ids.next_id(), self.ids.next_id());
                NewEvent::new(channel, id, about, Some(transaction), self.now, &prices)
            },
        )
    }

    pub(crate) fn traded(&mut self, wave: &Wave, step: &Step, result: TradeResult) -> NewEvent {
        let (kind, data, message, money_changed_by) = match result {
            TradeResult::Robots { robots, cost } => {
                let message = "robot-buy successful".to_owned();
                (TradeKind::BuyRobot, Some(TradeData::Robots(robots)), message, -signed(cost))
            }
            TradeResult::Item { message, cost } => (TradeKind::BuyItem, None, message, -signed(cost)),
            TradeResult::Sold { amounts, income } => {
                let sold = TradeData::Resources(resource_amounts(amounts));
                (TradeKind::SellResource, Some(sold), "resources sold".to_owned(), signed(income))
            }
            TradeResult::Refused(message) => {
                let kind = match step.side {
                    Side::Buy => TradeKind::BuyError,
                    Side::Sell => TradeKind::SellError,
                };
                (kind, None, message, 0)
            }
        };
        let success = !matches!(kind, TradeKind::BuyError | TradeKind::SellError);
        let payload = TradeEvent { data, success, message, money_changed_by };
        let about = About {
            round: wave.round,
            player: step.player.map(|player| player.0),
            robot: step.robot.map(|robot| robot.0),
            ..About::subject(wave.game.0)
        };
        let id = step.transaction.as_ref().and_then(Transaction::id);
        let event = NewEvent::new(Channel::Trades, self.ids.next_id(), about, id, self.now, &payload);
        let transaction_text = match &step.transaction {
            Some(Transaction::Text(text)) => Some(text.clone()),
            Some(Transaction::Id(_)) | None => None,
        };
        NewEvent { event_type: kind.into(), transaction_text, ..event }
    }
}

fn signed(money: u64) -> i64 {
    i64::try_from(money).unwrap_or(i64::MAX)
}

fn resource_amounts(amounts: Amounts) -> ResourceAmounts {
    let [coal, iron, gem, gold, platin] = ResourceKind::ALL.map(|kind| amounts.of(kind));
    ResourceAmounts { coal, iron, gem, gold, platin }
}
