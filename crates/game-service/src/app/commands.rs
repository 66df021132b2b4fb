//! Commands: taking them, and telling what became of them.
//! Who a player is, is settled before; what is sent to whom in the execution phase is decided in `dispatch`.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use starkeep_game_core::{
    Command, CommandId, Game, GameId, Moment, PlayerId, Policy, Rejection as Rule, Status,
};
use starkeep_platform::decision::{Decided, Decision, Failure};
use starkeep_platform::idempotency::AnswerRecorder;

use super::{App, Outcome};
use crate::domain::{AcceptedCommand, BatchResults, Change, CommandInput, Image, Key, NewCommand, Rejection};
use crate::ports::{KeptCommand, KeptRound, Unreadable};

impl App {
    pub async fn command(
        &self,
        input: CommandInput,
        answer: AnswerRecorder<AcceptedCommand>,
    ) -> Outcome<AcceptedCommand> {
        self.await_robots(std::slice::from_ref(&input)).await;
        let sender = (input.game, input.player);
        let (id, now) = (CommandId(self.ordered_id()), self.service_clock.now());
        let (policy, largest_order) = (self.policy, self.largest_order());
        let work = Decision::new(keys(std::slice::from_ref(&input)), move |image: &Image| {
            let (taken, output) = take(image, &policy, &input, largest_order, id, now)?;
            Ok(Decided { change: Change::CommandsTaken(vec![taken]), events: vec![], output })
        });
        let outcome = self.decide(work.record_answer(answer)).await;
        if let Err(Failure::Rejected(why)) = &outcome {
            self.count_refusals([(sender, why)]);
        }
        outcome
    }

    /// One commit for all of them, in their order; an input that is refused harms no other.
    pub async fn commands(
        &self,
        inputs: Vec<CommandInput>,
        answer: AnswerRecorder<BatchResults>,
    ) -> Outcome<BatchResults> {
        self.await_robots(&inputs).await;
        let (policy, now, largest_order) = (self.policy, self.service_clock.now(), self.largest_order());
        let keys = keys(&inputs);
        let senders: Vec<_> = inputs.iter().map(|input| (input.game, input.player)).collect();
        let inputs: Vec<_> = inputs.into_iter().map(|input| (CommandId(self.ordered_id()), input)).collect();
        let work = Decision::new(keys, move |image: &Image| {
            let mut image = image.clone();
            let mut all = Vec::new();
            let mut output = Vec::with_capacity(inputs.len());
            for (id, input) in &inputs {
                let taken = take(&image, &policy, input, largest_order, *id, now);
                output.push(taken.map(|(taken, accepted)| {
                    image.take(taken.command.clone());
                    all.push(taken);
                    accepted
                }));
            }
            Ok(Decided { change: Change::CommandsTaken(all), events: vec![], output })
        });
        let outcomes = self.decide(work.record_answer(answer)).await?;
        let refused = senders.into_iter().zip(&outcomes);
        self.count_refusals(refused.filter_map(|(sender, outcome)| Some((sender, outcome.as_ref().err()?))));
        Ok(outcomes)
    }

    /// With the game that each names, and the player.
    fn count_refusals<'a>(
        &self,
        refused: impl IntoIterator<Item = ((Option<GameId>, PlayerId), &'a Rejection)>,
    ) {
        let image = self.store.image();
        for ((game, player), why) in refused {
            if let (Ok(game), Rejection::Rule(why)) = (meant_game(&image, game, player), why) {
                self.refusals.record(&image, game, player, why);
            }
        }
    }

    /// A command with what has become of it, and how long its round still takes commands. Before its round is over it is
    /// shown to its owner alone.
    pub async fn receipt(
        &self,
        id: CommandId,
        asking: Option<PlayerId>,
    ) -> Result<Option<(KeptCommand, Duration)>, Unreadable> {
        // The image first: what is read after it is no older.
        let (image, now) = (self.store.fresh().await?, self.service_clock.now());
        let Some(kept) = self.store.command(id).await? else { return Ok(None) };
        let Command { game, round, player, .. } = kept.command;
        if asking != Some(player) && is_open(&image, game, round) {
            return Ok(None);
        }
        let left = image.active_game(game).map(|game| game.collection_left(round, now)).unwrap_or_default();
        Ok(Some((kept, left)))
    }

    /// The commands of a round; of one that is open those of the player who asks.
    pub async fn round_commands(
        &self,
        game: GameId,
        round: u32,
        asking: Option<PlayerId>,
    ) -> Result<Option<KeptRound>, Unreadable> {
        let image = self.store.fresh().await?;
        let Some(mut kept) = self.store.round(game, round).await? else { return Ok(None) };
        if is_open(&image, game, round) {
            kept.commands.retain(|command| asking == Some(command.player));
        }
        Ok(Some(kept))
    }
}

fn take(
    image: &Image,
    policy: &Policy,
    input: &CommandInput,
    largest_order: u32,
    id: CommandId,
    now: Moment,
) -> Result<(NewCommand, AcceptedCommand), Rejection> {
    input.order.check_size(largest_order)?;
    let game = game_of(image, input)?;
    let round = game.take_order(policy, input.player, &input.order, |robot| image.robot(robot), now)?;
    let collected = image.collected(game.id).filter(|collected| collected.round() == round);
    let before = input.order.robot().zip(collected).and_then(|(robot, all)| all.of_robot(robot));
    let command = Arc::new(Command {
        id,
        game: game.id,
        round,
        player: input.player,
        order: input.order.clone(),
        place: image.next_place(game.id),
    });
    let accepted =
        AcceptedCommand { command: command.clone(), collection_left: game.collection_left(round, now) };
    Ok((NewCommand { command, replaces: before.map(|before| before.place) }, accepted))
}

/// The game that is meant.
pub(super) fn game_of<'a>(image: &'a Image, input: &CommandInput) -> Result<&'a Arc<Game>, Rule> {
    meant_game(image, input.game, input.player)
}

fn meant_game(image: &Image, named: Option<GameId>, player: PlayerId) -> Result<&Arc<Game>, Rule> {
    if let Some(id) = named {
        return image.game(id);
    }
    let plays = |game: &&Arc<Game>| game.status() == Status::Running && game.roster.plays(player);
    let mut games = image.active_games().filter(plays);
    match (games.next(), games.next()) {
        (Some(only), None) => Ok(only),
        (None, _) => Err(Rule::NoRunningGame { player }),
        (Some(_), Some(_)) => Err(Rule::SeveralRunningGames { player }),
    }
}

/// Games that have ended and robots that are dead are loaded, to say so.
fn keys(inputs: &[CommandInput]) -> Vec<Key> {
    let games: BTreeSet<_> = inputs.iter().filter_map(|input| input.game).collect();
    let robots: BTreeSet<_> = inputs.iter().filter_map(|input| input.order.robot()).collect();
    games.into_iter().map(Key::Game).chain(robots.into_iter().map(Key::Robot)).collect()
}

/// A round that the image does not know yet has just begun.
fn is_open(image: &Image, game: GameId, round: u32) -> bool {
    image.active_game(game).is_some_and(|game| game.current_round() <= round)
}
