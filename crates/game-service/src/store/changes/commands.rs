//! Commands and batches in the serialised form of changes.
//! The words for kinds and states are those of the tables.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use starkeep_game_core::{Command, CommandId, GameId, Kind, Order, PlayerId, RobotId};
use uuid::Uuid;

use crate::domain::{BatchId, BatchState, NewCommand};

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NewCommandForm {
    id: Uuid,
    game: Uuid,
    round: u32,
    player: Uuid,
    place: u64,
    order: OrderForm,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    replaces: Option<u64>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
enum OrderForm {
    Sell { robot: Uuid, item: Option<String>, planet: Option<String> },
    Buy { robot: Uuid, item: String, planet: Option<String> },
    BuyRobots { quantity: u32, planet: Option<String> },
    Move { robot: Uuid, planet: Uuid },
    Fight { robot: Uuid, target: Uuid },
    Mine { robot: Uuid },
    Regenerate { robot: Uuid },
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BatchForm {
    game: Uuid,
    round: u32,
    kind: KindForm,
}

impl From<&BatchId> for BatchForm {
    fn from(BatchId { game, round, kind }: &BatchId) -> Self {
        Self { game: game.0, round: *round, kind: (*kind).into() }
    }
}

impl From<BatchForm> for BatchId {
    fn from(BatchForm { game, round, kind }: BatchForm) -> Self {
        Self { game: GameId(game), round, kind: kind.into() }
    }
}

impl From<&NewCommand> for NewCommandForm {
    fn from(NewCommand { command, replaces }: &NewCommand) -> Self {
        Self {
            id: command.id.0,
            game: command.game.0,
            round: command.round,
            player: command.player.0,
            place: command.place,
            order: (&command.order).into(),
            replaces: *replaces,
        }
    }
}

impl From<NewCommandForm> for NewCommand {
    fn from(form: NewCommandForm) -> Self {
        let command = Command {
            id: CommandId(form.id),
            game: GameId(form.game),
            round: form.round,
            player: PlayerId(form.player),
            place: form.place,
            order: form.order.into(),
        };
        Self { command: Arc::new(command), replaces: form.replaces }
    }
}

impl From<&Order> for OrderForm {
    fn from(order: &Order) -> Self {
        match order.clone() {
            Order::Sell { robot, item, planet } => Self::Sell { robot: robot.0, item, planet },
            Order::Buy { robot, item, planet } => Self::Buy { robot: robot.0, item, planet },
            Order::BuyRobots { quantity, planet } => Self::BuyRobots { quantity, planet },
            Order::Move { robot, planet } => Self::Move { robot: robot.0, planet },
            Order::Fight { robot, target } => Self::Fight { robot: robot.0, target: target.0 },
            Order::Mine { robot } => Self::Mine { robot: robot.0 },
            Order::Regenerate { robot } => Self::Regenerate { robot: robot.0 },
        }
    }
}

impl From<OrderForm> for Order {
    fn from(form: OrderForm) -> Self {
        match form {
            OrderForm::Sell { robot, item, planet } => Self::Sell { robot: RobotId(robot), item, planet },
            OrderForm::Buy { robot, item, planet } => Self::Buy { robot: RobotId(robot), item, planet },
            OrderForm::BuyRobots { quantity, planet } => Self::BuyRobots { quantity, planet },
            OrderForm::Move { robot, planet } => Self::Move { robot: RobotId(robot), planet },
            OrderForm::Fight { robot, target } => {
                Self::Fight { robot: RobotId(robot), target: RobotId(target) }
            }
            OrderForm::Mine { robot } => Self::Mine { robot: RobotId(robot) },
            OrderForm::Regenerate { robot } => Self::Regenerate { robot: RobotId(robot) },
        }
    }
}

/// An enum with the variants of another one, and the way there and back.
macro_rules! mirrored {
    ($form:ident of $domain:ident: $($variant:ident)+) => {
        #[derive(Serialize, Deserialize)]
        #[serde(rename_all = "camelCase")]
        pub(super) enum $form {
            $($variant,)+
        }

        impl From<$domain> for $form {
            fn from(value: $domain) -> Self {
                match value {
                    $($domain::$variant => Self::$variant,)+
                }
            }
        }

        impl From<$form> for $domain {
            fn from(form: $form) -> Self {
                match form {
                    $($form::$variant => Self::$variant,)+
                }
            }
        }
    };
}

mirrored! { KindForm of Kind: Selling Buying Movement Battle Mining Regeneration }
mirrored! { BatchStateForm of BatchState: Sending Dispatched Undelivered Unknown Dropped }
