//! How a change is written to the tables in memory.
//! They check the same bounds as the database's constraints, so that a bug above is not stored.

use starkeep_game_core::{
    Game, GameId, Kind, Moment, NAME_LENGTHS, Player, PlayerId, Retire, Retirement, Robot, RobotGame,
    RobotId, RosterChange, State, Token,
};
use starkeep_platform::intent::Intent;
use starkeep_platform::replica::ReplicaId;

use super::{CommandRow, Tables};
use crate::domain::{
    BatchId, BatchState, Change, GameMove, Heartbeat, IntentMove, NewCommand, PlayerSearch, Sender, WorldCall,
};

type Saved = Result<(), String>;

impl Tables {
    /// After an error some of the change may be written: the caller goes back to the tables from before the batch.
    pub(super) fn save(&mut self, change: &Change) -> Saved {
        match change {
            Change::GameCreated { game, intent } => {
                if let Some(settled) = intent {
                    self.intents.remove(*settled);
                }
                self.add_game(game.without_players())?;
            }
            Change::GameMoved(moved) => self.move_game(moved)?,
            Change::GameDeleted { game, retire } => {
                self.delete_game(*game);
                self.retire(retire);
            }
            Change::CreationBegun(intent) => self.begin_intent(*intent)?,
            Change::CreationWithdrawn { intent, retire } => {
                self.intents.remove(*intent);
                self.retire(retire);
            }
            Change::WorldAbandoned(retirement) => self.retire(&[*retirement]),
            Change::WorldRetired(retirement) => self.finish_retirement(*retirement),
            Change::ReplenishmentSettled(intent) => self.intents.remove(*intent),
            Change::Heartbeat { at, wall, shifted } => {
                // Service time never goes back.
                self.heartbeat = Heartbeat { at: self.heartbeat.at.max(*at), wall: Some(*wall) };
                for (game, since) in shifted {
                    self.shift_timer(*game, *since);
                }
            }
            Change::PlayerRegistered(player) => self.add_player(player)?,
            Change::TokenRenewed { player, token } => self.renew(*player, *token)?,
            Change::RobotsReported { robots, position, .. } => {
                self.positions.extend(position.clone());
                robots.iter().try_for_each(|(id, robot)| self.put_robot(*id, *robot))?;
            }
            Change::CommandsTaken(taken) => taken.iter().try_for_each(|taken| self.take(taken))?,
            Change::BatchBegun { batch, sender } => self.begin_batch(*batch, *sender)?,
            Change::BatchResumed { batch, sender } => self.resume_batch(*batch, *sender),
            Change::BatchSettled { batch, state, position } => {
                self.settle(*batch, *state, position.as_deref());
            }
            Change::BatchesInterrupted(batches) => {
                for batch in batches {
                    self.settle(*batch, BatchState::Unknown, None);
                }
            }
            Change::ExecutorNewsRecorded(news) => self.record_news(news)?,
            Change::RoundScored { game, round, rows, known, news } => {
                news.iter().try_for_each(|news| self.record_news(news))?;
                self.score_round(*game, *round, rows, *known)?;
            }
        }
        Ok(())
    }

    fn add_game(&mut self, game: &Game) -> Saved {
        refuse(self.games.contains_key(&game.id), || format!("there is a game {} already", game.id))?;
        let length = u32::try_from(game.name.chars().count()).unwrap_or(u32::MAX);
        refuse(!NAME_LENGTHS.contains(&length), || format!("the name of game {} is too long", game.id))?;
        self.games.insert(game.id, game.clone());
        self.games_created += 1;
        Ok(())
    }

    fn move_game(&mut self, moved: &GameMove) -> Saved {
        let id = moved.game.id();
        let before = self.games.get(&id).ok_or_else(|| format!("there is no game {id}"))?;
        let after = moved.applied_to(before);
        if let Some(RosterChange::Joined { player, .. }) = moved.roster {
            refuse(before.roster.contains(player), || format!("player {player} is in game {id} already"))?;
            let seats = after.max_players as usize;
            refuse(after.roster.len() > seats, || format!("game {id} has no more than {seats} seats"))?;
        }
        self.check_slot(before, &after)?;
        if let Some(ended) = &moved.ended_round {
            for (kind, state) in &ended.unsent {
                self.put_batch_state(BatchId { game: id, round: ended.number, kind: *kind }, *state);
            }
        }
        for step in &moved.intents {
            match step {
                IntentMove::Begins(intent) => self.begin_intent(*intent)?,
                IntentMove::Ends(intent) => self.intents.remove(*intent),
            }
        }
        if let State::Running(running) = &after.state
            && moved.opens_round
        {
            let number = running.round.number;
            let known = self.rounds.insert((id, number), running.round.id);
            refuse(known.is_some(), || format!("game {id} has a round {number} already"))?;
        }
        self.games.insert(id, after);
        if moved.starts {
            self.start_game(id);
        }
        self.retire(&moved.retire);
        Ok(())
    }

    /// Robots that were announced before it belong to it.
    fn start_game(&mut self, game: GameId) {
        let waiting = self.robots.iter().filter(|(_, robot)| robot.game == RobotGame::Next);
        let waiting: Vec<_> = waiting.map(|(id, robot)| (*id, robot.when_starts(game))).collect();
        self.robots.extend(waiting);
    }

    /// A game that holds a slot keeps it when the limit is lowered; nobody gets one beyond it.
    fn check_slot(&self, before: &Game, after: &Game) -> Saved {
        let Some(taken) = slot(after) else { return Ok(()) };
        let beyond = slot(before) != Some(taken) && taken > self.slots;
        refuse(beyond, || "more games would run than are allowed".to_owned())?;
        let held = self.games.values().any(|game| game.id != after.id && slot(game) == Some(taken));
        refuse(held, || format!("slot {taken} is taken"))
    }

    fn delete_game(&mut self, id: GameId) {
        self.games.remove(&id);
        self.scores.delete_game(id);
        let of_rounds = self.rounds.range((id, 0)..=(id, u32::MAX));
        let rounds: Vec<_> = of_rounds.map(|(round, _)| *round).collect();
        let of_commands = self.commands.range((id, 0)..=(id, u64::MAX));
        let commands: Vec<_> = of_commands.map(|(place, row)| (*place, row.command.id)).collect();
        for (place, command) in commands {
            self.commands.remove(&place);
            self.command_ids.remove(&command);
        }
        for (game, number) in rounds {
            self.rounds.remove(&(game, number));
            for kind in Kind::ALL {
                let batch = BatchId { game, round: number, kind };
                self.batches.remove(&batch);
                self.senders.remove(&batch);
                self.batch_positions.remove(&batch);
            }
        }
    }

    fn shift_timer(&mut self, id: GameId, since: Moment) {
        if let Some(Game { state: State::Running(running), .. }) = self.games.get_mut(&id) {
            running.timer.since = since;
        }
    }

    fn begin_intent(&mut self, intent: Intent<WorldCall>) -> Saved {
        let known = self.intents.contains(intent.id);
        self.intents.begin(intent);
        refuse(known, || format!("there is an intent {:?} already", intent.id))
    }

    fn retire(&mut self, retirements: &[Retirement]) {
        for Retirement { world, how } in retirements {
            // A world that is to be deleted stays so.
            if self.retirements.get(world) != Some(&Retire::Delete) {
                self.retirements.insert(*world, *how);
            }
        }
    }

    fn finish_retirement(&mut self, Retirement { world, how }: Retirement) {
        if self.retirements.get(&world) == Some(&how) {
            self.retirements.remove(&world);
        }
    }

    fn add_player(&mut self, player: &Player) -> Saved {
        let (known, id) = (&self.players, player.id);
        refuse(known.get(id).is_some(), || format!("there is a player {id} already"))?;
        refuse(known.find(&PlayerSearch::named(&player.name)).is_some(), || {
            "a player has this name already".to_owned()
        })?;
        refuse(known.find(&PlayerSearch::with_mail(&player.mail)).is_some(), || {
            "a player has this mail address already".to_owned()
        })?;
        refuse(known.with_token(player.token).is_some(), || "a player has this token already".to_owned())?;
        self.players.add(player.clone());
        Ok(())
    }

    fn renew(&mut self, id: PlayerId, token: Token) -> Saved {
        let others = self.players.with_token(token).is_some_and(|player| player.id != id);
        refuse(others, || "a player has this token already".to_owned())?;
        self.players.renew(id, token);
        Ok(())
    }

    fn put_robot(&mut self, id: RobotId, robot: Robot) -> Saved {
        refuse(robot.owner.is_none() && robot.alive, || format!("robot {id} lives and has no owner"))?;
        self.robots.insert(id, robot);
        Ok(())
    }

    fn take(&mut self, NewCommand { command, replaces }: &NewCommand) -> Saved {
        let (id, at) = (command.id, (command.game, command.place));
        refuse(!self.games.contains_key(&command.game), || format!("there is no game {}", command.game))?;
        if let Some(row) = replaces.and_then(|place| self.commands.get_mut(&(command.game, place))) {
            row.replaced = true;
        }
        let same_robot = |row: &CommandRow| {
            let other = &row.command;
            !row.replaced && other.order.robot() == command.order.robot()
        };
        let of_game = self.commands.range((command.game, 0)..=(command.game, u64::MAX)).rev();
        let mut of_round = of_game.map(|(_, row)| row).take_while(|row| row.command.round == command.round);
        let twice = command.order.robot().is_some() && of_round.any(same_robot);
        refuse(twice, || format!("command {id} is a second one for its robot and round"))?;
        let known = self.command_ids.insert(id, at).is_some();
        refuse(known, || format!("there is a command {id} already"))?;
        let row = CommandRow { command: command.clone(), replaced: false, result: None };
        let taken = self.commands.insert(at, row).is_some();
        refuse(taken, || format!("the place of command {id} is taken"))?;
        self.commands_taken += 1;
        Ok(())
    }

    fn begin_batch(&mut self, batch: BatchId, sender: Option<Sender>) -> Saved {
        let game = batch.game;
        refuse(!self.games.contains_key(&game), || format!("there is no game {game}"))?;
        let state = if sender.is_some() { BatchState::Sending } else { BatchState::Undelivered };
        let known = self.batches.insert(batch, state);
        refuse(known.is_some(), || format!("{batch:?} has been begun already"))?;
        self.senders.extend(sender.map(|sender| (batch, sender)));
        Ok(())
    }

    fn resume_batch(&mut self, batch: BatchId, replica: ReplicaId) {
        if let Some(sender) = self.senders.get_mut(&batch) {
            sender.replica = replica;
        }
    }

    /// Of a batch of which nothing was known yet, or that was being sent.
    fn put_batch_state(&mut self, batch: BatchId, state: BatchState) {
        if self.batches.get(&batch).is_none_or(|known| *known == BatchState::Sending) {
            self.batches.insert(batch, state);
            self.senders.remove(&batch);
        }
    }

    /// Of a batch that is being sent still, or is unknown; a game that was deleted meanwhile has none.
    fn settle(&mut self, batch: BatchId, state: BatchState, position: Option<&str>) {
        if let Some(known) = self.batches.get_mut(&batch).filter(|known| known.may_be_settled()) {
            *known = state;
            self.senders.remove(&batch);
            // One that comes later is not waited for.
            let is_in_time =
                self.games.get(&batch.game).is_some_and(|game| game.current_round() == batch.round);
            if let Some(position) = position.filter(|_| is_in_time) {
                self.batch_positions.insert(batch, position.to_owned());
                self.begin_scores_with(batch);
            }
        }
    }
}

fn refuse(broken: bool, constraint: impl FnOnce() -> String) -> Saved {
    if broken { Err(constraint()) } else { Ok(()) }
}

fn slot(game: &Game) -> Option<u32> {
    match &game.state {
        State::Created { start } => start.map(|start| start.slot),
        State::Running(running) => Some(running.slot),
        State::Ended(_) => None,
    }
}
