//! The game as the bots play it: with every round that starts each has its turn, until the game has ended.
//! It follows the events; where some may be missing, it asks the service how far the game is. Who watches is told after each
//! round how the game stands.

use std::sync::Arc;

use starkeep_client::{ClientError, EventStream, Item, RobotClient};
use starkeep_contract::events::{
    Channel, GameStatusChanged, GameStatusWord, PublishedEvent, RoundStatusChanged, RoundStatusWord,
};
use starkeep_contract::{Code, GameId};
use tokio::sync::watch;

use super::bounded_tasks::BoundedTasks;
use super::error::BotError;
use super::receipts::Receipts;
use super::robot_events::RobotEvents;
use super::seated_bot::Bot;
use super::service::Service;
use super::tally::Tally;
use super::turn::{self, Played, Sent, Turn};
use super::watcher::Watcher;

pub(super) async fn play(
    service: &Arc<Service>,
    game: GameId,
    bots: &[Arc<Bot>],
    turns_at_a_time: usize,
    stream: &mut EventStream,
    watcher: &mut Watcher<'_>,
    tally: &mut Tally,
) -> Result<(), BotError> {
    let robot_events = RobotEvents::new(robot_service(service).await?, game, bots);
    let round = Round { number: 0, over: watch::Sender::new(true) };
    let (turns, receipts) = (BoundedTasks::new(turns_at_a_time), Receipts::new(service.clone()));
    let mut play =
        Play { service, game, bots, robot_events, round, last_round: 0, turns, receipts, watcher, tally };
    play.until_the_end(stream).await
}

/// Where the robot service is, if there is one.
async fn robot_service(service: &Arc<Service>) -> Result<Option<RobotClient>, BotError> {
    // A service that cannot be asked leads to no events of robots; bots play without.
    let services = service.until_answered(|| service.client.services()).await.ok();
    let Some(url) = services.and_then(|services| services.robot) else { return Ok(None) };
    let client = RobotClient::new(&url).map_err(BotError::address)?;
    Ok(Some(client.with_clock(service.clock())))
}

struct Play<'a, 'b> {
    service: &'a Arc<Service>,
    game: GameId,
    bots: &'a [Arc<Bot>],
    robot_events: Arc<RobotEvents>,
    round: Round,
    last_round: u32,
    turns: BoundedTasks<Turn, Played>,
    receipts: Receipts,
    watcher: &'a mut Watcher<'b>,
    tally: &'a mut Tally,
}

/// The round that was begun last.
struct Round {
    number: u32,
    /// Whether it takes no more commands.
    over: watch::Sender<bool>,
}

#[derive(PartialEq, Eq)]
enum Progress {
    Running,
    Ended,
}

impl Play<'_, '_> {
    async fn until_the_end(&mut self, stream: &mut EventStream) -> Result<(), BotError> {
        let mut progress = self.catch_up().await?;
        while progress == Progress::Running {
            let (service, game) = (self.service, self.game);
            let begin = |turn| turn::play(service.clone(), game, turn);
            tokio::select! {
                Some(played) = self.turns.next(begin) => self.count(&played),
                Some(answer) = self.receipts.next() => self.receipts.record(answer, self.tally),
                Some(answer) = self.watcher.next(service, game) => self.watcher.tell(answer, self.last_round),
                item = stream.next() => progress = match item.map_err(BotError::service)? {
                    Item::Event(event) => self.apply_event(event),
                    Item::Gap(_) => self.catch_up().await?,
                },
            }
        }
        self.round.over.send_replace(true);
        let (service, game) = (self.service, self.game);
        while let Some(played) = self.turns.next(|turn| turn::play(service.clone(), game, turn)).await {
            self.count(&played);
        }
        self.receipts.settle(self.tally).await;
        while let Some(answer) = self.watcher.next(service, game).await {
            self.watcher.tell(answer, self.last_round);
        }
        Ok(())
    }

    /// How far the game is by now. Later events of earlier rounds are then ignored.
    async fn catch_up(&mut self) -> Result<Progress, BotError> {
        let game = self.service.until_answered(|| self.service.client.game(self.game)).await;
        let game = game.map_err(|fault| match fault {
            ClientError::Refused(problem) if problem.code == Code::UnknownGame => BotError::Gone(self.game),
            fault => BotError::service(fault),
        })?;
        if game.game_status == "ended" {
            return Ok(Progress::Ended);
        }
        self.last_round = game.max_rounds;
        self.begin_round(game.current_round_number.unwrap_or(0));
        Ok(Progress::Running)
    }

    fn apply_event(&mut self, event: PublishedEvent) -> Progress {
        match event.channel {
            Channel::Status => match serde_json::from_value(event.payload) {
                Ok(GameStatusChanged { game_id, status: GameStatusWord::Ended }) if game_id == self.game => {
                    return Progress::Ended;
                }
                _ => {}
            },
            Channel::RoundStatus => match serde_json::from_value::<RoundStatusChanged>(event.payload) {
                Ok(change) if change.game_id == self.game => self.apply_round_status(&change),
                _ => {}
            },
            _ => {}
        }
        Progress::Running
    }

    fn apply_round_status(&mut self, change: &RoundStatusChanged) {
        if change.round_status == RoundStatusWord::Started {
            self.begin_round(change.round_number);
            return;
        }
        if change.round_number >= self.round.number {
            self.round.over.send_replace(true);
        }
        if change.round_status == RoundStatusWord::Ended {
            self.receipts.ask();
            self.watcher.round_ended(change.round_number);
        }
    }

    /// Once for each round, whether the stream or the game itself shows it first.
    fn begin_round(&mut self, number: u32) {
        if number <= self.round.number {
            return;
        }
        self.round.over.send_replace(true);
        self.round = Round { number, over: watch::Sender::new(false) };
        let (over, last_round) = (self.round.over.subscribe(), self.last_round);
        let turn = |bot: &Arc<Bot>| {
            let (bot, robot_events, over) = (bot.clone(), self.robot_events.clone(), over.clone());
            Turn { bot, robot_events, round: number, last_round, over }
        };
        self.turns.add(self.bots.iter().map(turn));
        self.tally.round();
    }

    fn count(&mut self, played: &Played) {
        self.tally.played(played);
        for command in &played.commands {
            if let Sent::Accepted(command) = command {
                self.receipts.keep(*command);
            }
        }
    }
}
