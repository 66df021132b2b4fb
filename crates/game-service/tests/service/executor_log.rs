//! The log of a trading or robot service, as far as the game service reads it: events with positions, in order.

use serde_json::{Value, json};
use starkeep_contract::events::{Channel, EventHeaders, PublishedEvent};
use starkeep_game_core::ExecutorKind;
use starkeep_game_service::GameService;
use starkeep_http_client::Item;
use starkeep_test_harness::EPOCH;
use uuid::Uuid;

/// Whom an event is about.
#[derive(Clone, Copy, Default)]
pub(crate) struct Whom {
    pub(crate) game: Uuid,
    pub(crate) round: Option<u32>,
    pub(crate) player: Option<Uuid>,
    pub(crate) robot: Option<Uuid>,
}

pub(crate) struct ExecutorLog {
    executor: ExecutorKind,
    events: Vec<PublishedEvent>,
}

impl ExecutorLog {
    pub(crate) fn of(executor: ExecutorKind) -> Self {
        Self { executor, events: Vec::new() }
    }

    /// After the last event.
    pub(crate) fn position(&self) -> String {
        position(self.events.len())
    }

    pub(crate) fn tell(&mut self, channel: Channel, whom: Whom, command: Option<Uuid>, payload: Value) {
        self.tell_as(channel, channel.name(), whom, command, payload);
    }

    /// Of that type.
    pub(crate) fn tell_as(
        &mut self,
        channel: Channel,
        kind: &str,
        whom: Whom,
        command: Option<Uuid>,
        payload: Value,
    ) {
        let about = json!({"gameId": whom.game, "roundNumber": whom.round, "playerId": whom.player,
                           "robotId": whom.robot});
        self.events.push(PublishedEvent {
            id: position(self.events.len() + 1),
            channel,
            headers: EventHeaders {
                event_id: Uuid::nil(),
                transaction_id: command.map(|id| id.to_string()).unwrap_or_default(),
                version: "1".to_owned(),
                timestamp: "2026-01-01T12:00:00Z".to_owned(),
                r#type: kind.to_owned(),
            },
            payload,
            about: serde_json::from_value(about).expect("what an event is about"),
        });
    }

    pub(crate) fn account(&mut self, game: Uuid, player: Uuid, money: u64) {
        let whom = Whom { game, player: Some(player), ..Whom::default() };
        self.tell(Channel::BankCreated, whom, None, json!({"money": money, "playerId": player}));
    }

    /// A purchase, or a sale.
    pub(crate) fn trade(&mut self, kind: &str, whom: Whom, command: Uuid, change: i64, data: &Value) {
        let payload = json!({"data": data, "success": true, "message": "done", "moneyChangedBy": change});
        self.tell_as(Channel::Trades, kind, whom, Some(command), payload);
    }

    pub(crate) fn spawned(&mut self, whom: Whom, command: Uuid) {
        let payload = json!({"robotId": whom.robot, "playerId": whom.player, "otherSeeableRobots": []});
        self.tell(Channel::SpawnNotification, whom, Some(command), payload);
    }

    pub(crate) fn mined(&mut self, whom: Whom, command: Uuid, kind: &str, holds: u64) {
        let payload = json!({"success": true, "message": "done", "remainingEnergy": 9,
                             "updatedInventory": holds, "resourceType": kind});
        self.tell(Channel::Mining, whom, Some(command), payload);
    }

    pub(crate) fn fought(&mut self, whom: Whom, command: Uuid, defender: Uuid) {
        let payload = json!({"success": true, "message": "done", "attacker": whom.robot, "defender": defender,
                             "remainingDefenderHealth": 0, "remainingEnergy": 9});
        self.tell(Channel::Fighting, whom, Some(command), payload);
    }

    pub(crate) fn destroyed(&mut self, whom: Whom) {
        let payload = json!({"robotId": whom.robot, "playerId": whom.player});
        self.tell(Channel::RobotDestroyed, whom, None, payload);
    }

    pub(crate) fn looted(&mut self, whom: Whom, coal: u64) {
        let payload =
            json!({"robotId": whom.robot, "coal": coal, "iron": 0, "gem": 0, "gold": 0, "platin": 0});
        self.tell(Channel::ResourceDistribution, whom, None, payload);
    }

    /// What tells the game service nothing.
    pub(crate) fn noise(&mut self, whom: Whom) {
        match self.executor {
            ExecutorKind::Robots => self.tell(Channel::Neighbours, whom, None, json!({"neighbours": []})),
            ExecutorKind::Trading => self.tell(Channel::CurrentResourcePrices, whom, None, json!([])),
        }
    }

    /// What comes after the events that the service has recorded, at most so much.
    pub(crate) fn unread(&self, service: &GameService, at_most: usize) -> Vec<Item> {
        let read = starkeep_game_service::testing::results_position(service, self.executor);
        let read = read.map_or(0, |position| {
            position.split('-').nth(1).expect("a number").parse::<usize>().expect("a number")
        });
        self.events[read..].iter().take(at_most).cloned().map(Item::Event).collect()
    }

    /// Hands the items over, and waits until all of them are recorded.
    pub(crate) async fn record(&self, service: &GameService, items: &[Item]) {
        let Some(Item::Event(last)) = items.last() else { return };
        let (app, position) = (service.app(), last.id.clone());
        let recorded = app.record_executor_events(EPOCH, self.executor, items, position).await;
        recorded.expect("events are recorded");
    }

    pub(crate) async fn read_all(&self, service: &GameService) {
        self.record(service, &self.unread(service, usize::MAX)).await;
    }
}

fn position(number: usize) -> String {
    format!("00000000000000aa-{number}-00000000")
}
