//! The game as the bots play it: with every round that starts each has its turn, until the game has ended.
//! It follows the events; where some may be missing, it asks the service how far the game is.

use std::sync::Arc;

use starkeep_client::{ClientError, EventStream, Item};
use starkeep_contract::events::{
    Channel, GameStatusChanged, GameStatusWord, PublishedEvent, RoundStatusChanged, RoundStatusWord,
};
use starkeep_contract::{Code, GameId};
use tokio::sync::watch;

use super::TURNS_AT_A_TIME;
use super::bounded_tasks::BoundedTasks;
use super::error::BotError;
use super::receipts::Receipts;
use super::seat::Bot;
use super::service::Service;
use super::tally::Tally;
use super::turn::{self, Played, Sent, Turn};

pub(super) async fn play(
    service: &Arc<Service>,
    game: GameId,
    bots: &[Arc<Bot>],
    stream: &mut EventStream,
    tally: &mut Tally,
) -> Result<(), BotError> {
    let round = Round { number: 0, over: watch::Sender::new(true) };
    let (turns, receipts) = (BoundedTasks::new(TURNS_AT_A_TIME), Receipts::new(service.clone()));
    let mut play = Play { service, game, bots, round, turns, receipts, tally };
    play.until_the_end(stream).await
}

struct Play<'a> {
    service: &'a Arc<Service>,
    game: GameId,
    bots: &'a [Arc<Bot>],
    round: Round,
    turns: BoundedTasks<Turn, Played>,
    receipts: Receipts,
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

impl Play<'_> {
    async fn until_the_end(&mut self, stream: &mut EventStream) -> Result<(), BotError> {
        let mut progress = self.catch_up().await?;
        while progress == Progress::Running {
            let (service, game) = (self.service, self.game);
            let begin = |turn| turn::play(service.clone(), game, turn);
            tokio::select! {
                Some(played) = self.turns.next(begin) => self.count(&played),
                Some(answer) = self.receipts.next() => self.receipts.record(answer, self.tally),
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
        }
    }

    /// Once for each round, whether the stream or the game itself shows it first.
    fn begin_round(&mut self, number: u32) {
        if number <= self.round.number {
            return;
        }
        self.round.over.send_replace(true);
        self.round = Round { number, over: watch::Sender::new(false) };
        let over = self.round.over.subscribe();
        self.turns.add(self.bots.iter().map(|bot| Turn { bot: bot.clone(), over: over.clone() }));
        self.tally.round();
    }

    fn count(&mut self, played: &Played) {
        self.tally.played(played);
        if let Sent::Accepted(command) = played.command {
            self.receipts.keep(command);
        }
    }
}
