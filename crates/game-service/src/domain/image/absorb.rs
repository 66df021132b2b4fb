//! How a change moves the image forward, whoever made it. It depends on the change, on what the change needs loaded, and on
//! what is always in memory: whatever else was loaded for the batch, the image afterwards is the same.

use std::sync::Arc;

use starkeep_game_core::{Game, GameId, Moment, Retire, Retirement, RosterChange, State};

use super::super::{BatchId, BatchState, Change, EndedRound, GameMove, IntentMove, Sender};
use super::{Heartbeat, Image};

impl Image {
    pub(crate) fn absorb(&mut self, change: &Change) {
        match change {
            Change::GameCreated { game, intent } => {
                if let Some(settled) = intent {
                    self.intents.remove(*settled);
                }
                self.games_created += 1;
                self.put(game.without_players().clone());
            }
            Change::GameMoved(moved) => self.move_game(moved),
            Change::GameDeleted { game, retire } => {
                // Only ended games are deleted.
                self.ended_games = self.ended_games.saturating_sub(1);
                self.loaded_for_batch.remove(game);
                self.deleted.insert(*game);
                self.forget_senders(*game);
                self.forget_scores(*game);
                self.retire(retire);
            }
            Change::CreationBegun(intent) => self.intents.begin(*intent),
            Change::CreationWithdrawn { intent, retire } => {
                self.intents.remove(*intent);
                self.retire(retire);
            }
            Change::WorldAbandoned(retirement) => self.retire(&[*retirement]),
            Change::WorldRetired(Retirement { world, how }) => {
                // It may have been put on the list again, to be deleted, while the map was asked to deactivate it.
                if self.retirements.get(world) == Some(how) {
                    self.retirements.remove(world);
                }
            }
            Change::ReplenishmentSettled(intent) => self.intents.remove(*intent),
            Change::PlayerRegistered(player) => self.residents.register(player.clone()),
            Change::TokenRenewed { player, token } => self.residents.renew(*player, *token),
            Change::RobotsReported { robots, living, position } => {
                for (id, robot) in robots {
                    self.residents.report(*id, *robot);
                }
                self.residents.count_living(*living);
                if let Some((topic, position)) = position {
                    self.set_position(topic, position);
                }
            }
            Change::CommandsTaken(taken) => {
                self.commands_taken += taken.len() as u64;
                for taken in taken {
                    self.take(taken.command.clone());
                }
            }
            Change::BatchBegun { batch, sender: Some(sender) } => {
                self.begin_batch(*batch, BatchState::Sending);
                self.set_sender(*batch, *sender);
            }
            Change::BatchResumed { batch, sender } => {
                // Only a batch of such an executor is sent again.
                self.set_sender(*batch, Sender { replica: *sender, executes_once: true });
            }
            Change::BatchBegun { batch, sender: None } => self.begin_batch(*batch, BatchState::Undelivered),
            Change::BatchSettled { batch, state, position } => {
                self.settle_batch(*batch, *state, position.as_deref());
            }
            Change::BatchesInterrupted(batches) => {
                for batch in batches {
                    self.settle_batch(*batch, BatchState::Unknown, None);
                }
            }
            Change::ExecutorNewsRecorded(news) => self.record_news(news),
            Change::RoundScored { game, round, news, .. } => {
                if let Some(news) = news {
                    self.record_news(news);
                }
                self.round_scored(*game, *round);
            }
            Change::Heartbeat { at, wall, shifted } => {
                // Service time never goes back.
                self.heartbeat = Heartbeat { at: self.heartbeat.at.max(*at), wall: Some(*wall) };
                for (game, since) in shifted {
                    self.shift_timer(*game, *since);
                }
            }
        }
    }

    fn move_game(&mut self, moved: &GameMove) {
        self.retire(&moved.retire);
        let id = moved.game.id();
        for step in &moved.intents {
            match step {
                IntentMove::Begins(intent) => self.intents.begin(*intent),
                IntentMove::Ends(intent) => self.intents.remove(*intent),
            }
        }
        if let Some(EndedRound { number, unsent }) = &moved.ended_round {
            for (kind, _) in unsent {
                self.sending.remove(&BatchId { game: id, round: *number, kind: *kind });
            }
            self.commands.remove(&id);
        }
        if moved.starts {
            self.residents.start_game(id);
        }
        // Whatever moves is created or running, hence in memory.
        let Some(before) = self.remove_active(id) else { return };
        let after = moved.applied_to(&before);
        match moved.roster {
            Some(RosterChange::Joined { player, .. }) => self.residents.join(player),
            Some(RosterChange::Left(player)) => self.residents.leave(player),
            // The player stays in memory: it may still look at its game.
            Some(RosterChange::TakenOut(_)) | None => {}
        }
        if let State::Ended(_) = after.state {
            self.ended_games += 1;
            after.roster.iter().for_each(|player| self.residents.leave(player));
            self.last_places.remove(&id);
            self.scored_game_ended(id, after.current_round());
            // Its row says so only after this batch.
            self.load_for_batch(after);
        } else {
            self.put(after);
        }
    }

    /// Of a game that is deleted; the answer to a batch may still be waited for.
    fn forget_senders(&mut self, game: GameId) {
        let batches: Vec<_> = self.sending.keys().filter(|batch| batch.game == game).copied().collect();
        for batch in batches {
            self.sending.remove(&batch);
        }
    }

    fn shift_timer(&mut self, id: GameId, since: Moment) {
        let Some(before) = self.remove_active(id) else { return };
        let mut after = (*before).clone();
        if let State::Running(running) = &mut after.state {
            running.timer.since = since;
        }
        self.put(after);
    }

    fn remove_active(&mut self, id: GameId) -> Option<Arc<Game>> {
        let game = self.active.remove(&id)?;
        if let Some(boundary) = game.next_boundary() {
            self.schedule.remove(&(boundary.at, id));
        }
        self.executing.remove(&id);
        Some(game)
    }

    fn retire(&mut self, retirements: &[Retirement]) {
        for Retirement { world, how } in retirements {
            // A world to be deleted need not be deactivated first.
            let deleted = self.retirements.get(world) == Some(&Retire::Delete);
            self.retirements.insert(*world, if deleted { Retire::Delete } else { *how });
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use starkeep_game_core::{NewGame, Policy, create};
    use uuid::Uuid;

    use super::*;

    /// An image with an ended game that is not in memory, and that game.
    fn with_ended_game() -> (Image, Game) {
        let id = GameId(Uuid::from_u128(1));
        let new = NewGame {
            id,
            name: None,
            max_rounds: 3,
            max_players: 2,
            round_length: None,
            seed: None,
            drawn_seed: 1,
            style: None,
            nonce: None,
            given_world: None,
            start_money: None,
        };
        let created = create(&Policy::standard(), new, None, None, 1, Timestamp::UNIX_EPOCH).unwrap();
        let mut image = Image::default();
        image.absorb(&Change::of_game(created, &image).unwrap());
        let ended = image.game(id).unwrap().end(Moment(0), Timestamp::UNIX_EPOCH).unwrap();
        let game = ended.after.clone().unwrap();
        image.absorb(&Change::of_game(ended, &image).unwrap());
        assert_eq!(**image.game(id).unwrap(), game, "the rest of the batch knows it");
        image.evict();
        assert!(image.game(id).is_err());
        (image, game)
    }

    #[test]
    fn it_makes_no_difference_whether_an_ended_game_was_loaded_for_the_batch() {
        let (image, game) = with_ended_game();
        assert_eq!(image.ended_games(), 1);
        let deleted = Change::of_game(game.delete().unwrap(), &image).unwrap();
        let [mut with, mut without] = [image.clone(), image];
        with.load_for_batch(game.clone());
        for image in [&mut with, &mut without] {
            image.absorb(&deleted);
            assert_eq!(image.ended_games(), 0);
            assert!(image.game(game.id).is_err() && image.holds(game.id), "its row is still there");
        }
        assert_eq!(with, without);
    }

    #[test]
    fn a_heartbeat_that_comes_late_does_not_set_the_time_back() {
        let mut image = Image::default();
        for (at, kept) in [(7, 7), (5, 7), (8, 8)] {
            let beat = Change::Heartbeat { at: Moment(at), wall: Timestamp::UNIX_EPOCH, shifted: vec![] };
            image.absorb(&beat);
            assert_eq!(image.heartbeat().at, Moment(kept));
        }
    }
}
