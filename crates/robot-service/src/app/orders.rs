//! What trading orders for one robot: an upgrade, a restoration, the unloading of its storage. Each is one decision.
//! An order with a transaction is carried out once; unloading has none, and is repeated safely by its idempotency key.

use starkeep_contract::events::NewEvent;
use starkeep_executor::BatchHeaders;
use starkeep_platform::decision::{Decided, Decision, Failure};
use starkeep_platform::idempotency::AnswerRecorder;
use starkeep_robot_core::{Amounts, Books, CommandId, GameId, Restoration, Robot, RobotId, Upgrade};

use super::{App, Outcome, rejected};
use crate::domain::{Image, Key, Order, Rejection, RobotsMoved};

impl App {
    pub(crate) async fn upgrade(
        &self,
        headers: BatchHeaders,
        transaction: CommandId,
        (robot, upgrade, level): (RobotId, Upgrade, u32),
        answer: AnswerRecorder<Order>,
    ) -> Outcome<Order> {
        let order = Order::Upgrade { robot, upgrade, level };
        let change = move |robot: &Robot| {
            let refused = |refusal| Rejection::Upgrade { robot: robot.id, upgrade, level, refusal };
            robot.upgraded(upgrade, level).map_err(refused)
        };
        self.carry_out(headers, transaction, robot, order, change, answer).await
    }

    pub(crate) async fn restore(
        &self,
        headers: BatchHeaders,
        transaction: CommandId,
        (robot, restoration): (RobotId, Restoration),
        answer: AnswerRecorder<Order>,
    ) -> Outcome<Order> {
        let order = Order::Restore { robot, restoration };
        let change = move |robot: &Robot| Ok(robot.restored(restoration));
        self.carry_out(headers, transaction, robot, order, change, answer).await
    }

    /// What was in its storage.
    pub(crate) async fn unload(
        &self,
        headers: BatchHeaders,
        robot: RobotId,
        answer: AnswerRecorder<Amounts>,
    ) -> Outcome<Amounts> {
        let named = self.named_game(headers).await?;
        let work = Decision::new(Vec::new(), move |image: &Image| {
            let (game, found) = taking_orders(image, robot, named)?;
            let mut after = *found;
            let sold = after.unload();
            let change = RobotsMoved {
                robots: vec![after],
                books: Books { sold, ..Books::default() },
                ..RobotsMoved::of(game)
            };
            Ok(Decided { change: change.into(), events: Vec::<NewEvent>::new(), output: sold })
        });
        self.apply(work.record_answer(answer)).await
    }

    async fn carry_out(
        &self,
        headers: BatchHeaders,
        transaction: CommandId,
        robot: RobotId,
        order: Order,
        change: impl Fn(&Robot) -> Result<Robot, Rejection> + Send + 'static,
        answer: AnswerRecorder<Order>,
    ) -> Outcome<Order> {
        let named = self.named_game(headers).await?;
        let asked = order.clone();
        let work = Decision::new(vec![Key::Order(transaction)], move |image: &Image| {
            if let Some(done) = image.order(transaction) {
                return Err(Rejection::Repeated(done.clone()));
            }
            let (game, found) = taking_orders(image, robot, named)?;
            let moved = RobotsMoved {
                robots: vec![change(found)?],
                order: Some((transaction, order.clone())),
                ..RobotsMoved::of(game)
            };
            Ok(Decided { change: moved.into(), events: Vec::new(), output: order.clone() })
        });
        match self.apply(work.record_answer(answer)).await {
            Err(Failure::Rejected(Rejection::Repeated(done))) if done == asked => Ok(done),
            Err(Failure::Rejected(Rejection::Repeated(_))) => {
                rejected(Rejection::TransactionReused { transaction })
            }
            outcome => outcome,
        }
    }

    /// Where the request names a game, that one; otherwise the robot says it.
    async fn named_game(&self, headers: BatchHeaders) -> Outcome<Option<GameId>> {
        match headers.game {
            None => Ok(None),
            Some(_) => self.game_of_order(headers).await.map(|(game, _)| Some(game)),
        }
    }
}

/// A robot of a game that takes orders, and of the named one if there is one.
fn taking_orders(
    image: &Image,
    robot: RobotId,
    named: Option<GameId>,
) -> Result<(GameId, &Robot), Rejection> {
    let found = image.find(robot).filter(|(game, _)| named.is_none_or(|named| named == *game));
    let found = found.filter(|(game, _)| image.taking_orders(*game).is_ok());
    found.ok_or(Rejection::UnknownRobot { robot })
}
