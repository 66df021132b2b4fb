//! The decisions of a batch: one settles what the robot service has answered, and begins as many further commands as can be
//! decided. A wave ends before a command whose outcome depends on an answer that is still to come.

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::Timestamp;
use starkeep_contract::events::NewEvent;
use starkeep_executor::{BatchHeaders, GameRefusal, GameStatus};
use starkeep_platform::decision::{Decided, Decision};
use starkeep_platform::intent::{Intent, IntentId};
use starkeep_platform::replica::ReplicaId;
use starkeep_trading_core::{GameId, Market, PlayerId, TradeRefusal, TradedRobot};

use crate::domain::{
    Begun, Booking, Change, Image, Key, Order, Rejection, Step, Trade, TradeCommand, Traded, Trading,
    Transaction, Wave, book,
};
use crate::ports::Delivered;
use crate::wire::events::{EventMaker, TradeResult};
use crate::wire::refusal;

/// A command, and what the robot service said of the robot that it names: none where it knows no such robot, an error
/// where it could not be asked.
#[derive(Clone, Debug)]
pub(super) struct Prepared {
    pub(super) command: TradeCommand,
    pub(super) robot: Result<Option<TradedRobot>, String>,
}

/// A wave whose calls are all answered: what was delivered, or a sentence that says why it was not. Refused steps have
/// theirs already.
#[derive(Clone, Debug)]
pub(super) struct Settlement {
    pub(super) id: IntentId,
    pub(super) answers: Vec<Option<Result<Delivered, String>>>,
    /// The robot service has not said all of it: some calls have not arrived, and nobody else has made them. Whoever is not
    /// the owner any longer does not know that.
    pub(super) is_concluded: bool,
}

impl Settlement {
    /// May this replica still book it?
    fn holds(&self, open: &Intent<Wave>, replica: ReplicaId) -> bool {
        self.id == open.id && (!self.is_concluded || open.owner == replica)
    }
}

/// What a decision is made from beside the image; everything random and every instant is in it.
#[derive(Clone)]
pub(super) struct Draft {
    pub(super) game: GameId,
    pub(super) headers: BatchHeaders,
    pub(super) settlement: Option<Settlement>,
    pub(super) commands: Arc<[Prepared]>,
    /// Of a batch of which nothing was begun yet: nothing of it is executed in a game that has ended.
    pub(super) is_first: bool,
    pub(super) intent: IntentId,
    pub(super) owner: ReplicaId,
    pub(super) event_seed: u64,
    pub(super) spawn_seed: u64,
    pub(super) now: Timestamp,
}

/// How far a decision has come.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Progress {
    /// So many of the commands are executed or in the wave.
    pub(super) taken: usize,
    pub(super) begun: Option<Intent<Wave>>,
    /// The results of the commands that are executed by this decision.
    pub(super) results: Vec<&'static str>,
}

impl Draft {
    pub(super) fn decision(self) -> Decision<Trading, Progress> {
        let transactions = self.commands.iter().filter_map(|prepared| prepared.command.transaction.clone());
        let keys = transactions.map(Key::Executed).chain([Key::Market(self.game)]).collect();
        Decision::new(keys, move |image| self.decide(image))
    }

    fn decide(&self, image: &Image) -> Result<Decided<Trading, Progress>, Rejection> {
        let game = self.game;
        let status = image.games.get(game).map(|game| game.status);
        let unknown = Rejection::Game(GameRefusal::Unknown { game });
        if self.is_first && status == Some(GameStatus::Ended) {
            return Err(Rejection::Game(GameRefusal::Ended { game }));
        }
        let market = image.markets.get(&game).ok_or(unknown)?;
        let mut books = Books::new(market.clone(), EventMaker::new(self.event_seed, self.now));
        match (&self.settlement, image.open.get(&game)) {
            (None, None) => {}
            (Some(settlement), Some(open)) if settlement.holds(open, self.owner) => {
                books.settle(&open.call, &settlement.answers);
            }
            (Some(_), _) => return Err(Rejection::Overtaken),
            (None, Some(open)) => return Err(Rejection::Unfinished(Box::new(open.clone()))),
        }
        let round =
            self.headers.round.or_else(|| Some(image.games.get(game)?.round).filter(|round| *round > 0));
        let (taken, steps) = self.begin(image, &mut books);
        let wave = Wave { game, price_round: books.market.round(), round, seed: self.headers.seed, steps };
        let mut begun = None;
        if wave.steps.iter().any(Step::is_call) {
            let intent = Intent { id: self.intent, owner: self.owner, call: wave };
            begun = Some(Begun { intent, rng_state: books.market.sites.rng_state });
        } else {
            let none = vec![None; wave.steps.len()];
            books.settle(&wave, &none);
        }
        let settled = self.settlement.as_ref().map(|settlement| settlement.id);
        // The market of an ended game is in memory only while a wave is open. A replica that follows later would load it as it
        // is after this change, and reserve once more what is reserved in it.
        if status == Some(GameStatus::Ended) && settled.is_none() && begun.is_some() {
            return Err(Rejection::Game(GameRefusal::Ended { game }));
        }
        if settled.is_none() && begun.is_none() && books.events.is_empty() {
            return Err(Rejection::NothingToDo);
        }
        let Books { bookings, executed, events, results, .. } = books;
        let output = Progress { taken, begun: begun.as_ref().map(|begun| begun.intent.clone()), results };
        Ok(Decided {
            change: Change::Traded(Traded { game, settled, bookings, executed, begun }),
            events,
            output,
        })
    }

    /// As many commands as can be decided, in their order.
    fn begin(&self, image: &Image, books: &mut Books) -> (usize, Vec<Step>) {
        let mut steps: Vec<Step> = Vec::new();
        let mut seen: BTreeSet<&Transaction> = BTreeSet::new();
        for (taken, Prepared { command, robot }) in self.commands.iter().enumerate() {
            if let Some(transaction) = &command.transaction {
                let is_executed = image.is_executed(transaction) || books.executed.contains(transaction);
                if is_executed || !seen.insert(transaction) {
                    continue;
                }
            }
            let order = match (&command.trade, robot) {
                (Err(sentence), _) | (_, Err(sentence)) => Order::Refused(sentence.clone()),
                (Ok(trade), Ok(robot)) => match self.order(&mut books.market, &steps, *trade, *robot) {
                    Some(order) => order,
                    None => return (taken, steps),
                },
            };
            let TradeCommand { transaction, side, player, robot, .. } = command.clone();
            steps.push(Step { transaction, side, player, robot, order });
        }
        (self.commands.len(), steps)
    }

    /// None if it depends on an answer that is still to come.
    fn order(
        &self,
        market: &mut Market,
        steps: &[Step],
        trade: Trade,
        robot: Option<TradedRobot>,
    ) -> Option<Order> {
        let waits_for = |player: PlayerId, is_relevant: fn(&Order) -> bool| {
            steps.iter().any(|step| step.player == Some(player) && is_relevant(&step.order))
        };
        let ordered = match trade {
            // Whether it is the player's first robot depends on what comes of the one before.
            Trade::Robots { player, .. }
                if waits_for(player, |order| matches!(order, Order::Buy(bought) if bought.is_first)) =>
            {
                return None;
            }
            Trade::Robots { player, amount } => {
                market.order_robots(player, amount, self.spawn_seed).map(Order::Buy)
            }
            Trade::Item { player, item, planet, .. } => {
                market.order_item(player, item, robot, planet).map(Order::Buy)
            }
            Trade::Sale { player, robot: id, planet } => {
                market.check_sale(player, robot, planet).map(|()| Order::Sell { player, robot: id })
            }
        };
        match ordered {
            // A sale may bring the money, or a purchase that is refused give it back.
            Err(TradeRefusal::CannotAfford(refused))
                if waits_for(refused.player, |order| !matches!(order, Order::Refused(_))) =>
            {
                None
            }
            ordered => Some(ordered.unwrap_or_else(|reason| Order::Refused(refusal(trade, reason)))),
        }
    }
}

/// The market as the decision moves it, and what has to be written for it.
struct Books {
    market: Market,
    maker: EventMaker,
    bookings: Vec<Booking>,
    executed: Vec<Transaction>,
    events: Vec<NewEvent>,
    results: Vec<&'static str>,
}

impl Books {
    fn new(market: Market, maker: EventMaker) -> Self {
        let (bookings, executed, events, results) = (vec![], vec![], vec![], vec![]);
        Self { market, maker, bookings, executed, events, results }
    }

    /// One event a command, in list order.
    fn settle(&mut self, wave: &Wave, answers: &[Option<Result<Delivered, String>>]) {
        for (step, answer) in wave.steps.iter().zip(answers) {
            let (booking, result) = self.outcome(wave, step, answer.as_ref());
            if let Some(booking) = booking {
                book(&mut self.market, &booking);
                self.bookings.push(booking);
            }
            self.executed.extend(step.transaction.clone());
            let event = self.maker.traded(wave, step, result);
            self.results.push(event.event_type.name());
            self.events.push(event);
        }
    }

    fn outcome(
        &self,
        wave: &Wave,
        step: &Step,
        answer: Option<&Result<Delivered, String>>,
    ) -> (Option<Booking>, TradeResult) {
        let refused = |sentence: &str| TradeResult::Refused(sentence.to_owned());
        match (&step.order, answer) {
            (Order::Refused(sentence), _) => (None, refused(sentence)),
            (Order::Buy(bought), Some(Ok(delivered))) => {
                let cost = bought.cost;
                let result = match delivered.clone() {
                    Delivered::Spawned(robots) => TradeResult::Robots { robots, cost },
                    Delivered::Changed(message) => TradeResult::Item { message, cost },
                    Delivered::Unloaded(_) => TradeResult::Item { message: String::new(), cost },
                };
                (Some(Booking::Bought(bought.clone())), result)
            }
            (Order::Buy(bought), answer) => {
                let sentence = answer.and_then(|answer| answer.as_ref().err());
                (Some(Booking::Cancelled(bought.clone())), refused(sentence.map_or("", String::as_str)))
            }
            (Order::Sell { player, .. }, Some(Ok(Delivered::Unloaded(amounts)))) => {
                let income = self.market.income(wave.price_round, *amounts);
                let (player, amounts, round) = (*player, *amounts, wave.price_round);
                (
                    Some(Booking::Sold { player, round, amounts, income }),
                    TradeResult::Sold { amounts, income },
                )
            }
            (Order::Sell { .. }, answer) => {
                let sentence = answer.and_then(|answer| answer.as_ref().err());
                (None, refused(sentence.map_or("", String::as_str)))
            }
        }
    }
}
