//! The players and robots in memory: who takes part in an active game, with their living robots, and what a batch loaded.
//! All others are in the database. Cheap to clone, like the image that it is a part of.

use imbl::{HashMap, HashSet};
use starkeep_game_core::{GameId, Player, PlayerId, Robot, RobotGame, RobotId, Token};

use super::Players;

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Residents {
    players: Players,
    robots: HashMap<RobotId, Robot>,
    /// The robots in memory, by their owners.
    robots_of: HashMap<PlayerId, HashSet<RobotId>>,
    /// In how many active games each player takes part; nobody is listed with none.
    games_of: HashMap<PlayerId, usize>,
    /// How many robots live, in memory or not.
    living_robots: usize,
    /// Players whom this batch loaded, registered or took out of a game: at its end they are evicted unless they play.
    players_to_check: HashSet<PlayerId>,
    /// The same for robots that this batch loaded or that were reported in it.
    robots_to_check: HashSet<RobotId>,
    /// The first game that started in this batch: rows of robots that belong to it say that they wait for the next one.
    started: Option<GameId>,
}

impl Residents {
    pub(super) fn players(&self) -> &Players {
        &self.players
    }

    pub(super) fn robot(&self, id: RobotId) -> Option<Robot> {
        self.robots.get(&id).copied()
    }

    /// Those of the player that are in memory.
    pub(super) fn robots_of(&self, player: PlayerId) -> impl Iterator<Item = (RobotId, Robot)> {
        let ids = self.robots_of.get(&player).into_iter().flatten();
        ids.filter_map(|id| Some((*id, self.robot(*id)?)))
    }

    pub(super) fn robots(&self) -> usize {
        self.robots.len()
    }

    pub(super) fn living_robots(&self) -> usize {
        self.living_robots
    }

    /// Does the player take part in an active game? Then it and its living robots are in memory.
    pub(super) fn plays(&self, player: PlayerId) -> bool {
        self.games_of.contains_key(&player)
    }

    /// Somebody who plays.
    pub(super) fn insert_player(&mut self, player: Player) {
        self.players.add(player);
    }

    /// A living robot of somebody who plays.
    pub(super) fn insert_robot(&mut self, id: RobotId, robot: Robot) {
        self.remove_robot(id);
        self.robots.insert(id, robot);
        if let Some(owner) = robot.owner {
            self.robots_of.entry(owner).or_default().insert(id);
        }
    }

    pub(super) fn set_living_robots(&mut self, living_robots: usize) {
        self.living_robots = living_robots;
    }

    /// What the batch has changed already stays as it is: the row does not know of it yet.
    pub(super) fn load_player(&mut self, player: Player) {
        if self.players.get(player.id).is_none() {
            self.register(player);
        }
    }

    /// What the batch has changed already stays as it is: the row does not know of it yet.
    pub(super) fn load_robot(&mut self, id: RobotId, robot: Robot) {
        if !self.robots.contains_key(&id) {
            let robot = self.started.map_or(robot, |started| robot.when_starts(started));
            self.insert_robot(id, robot);
            self.robots_to_check.insert(id);
        }
    }

    pub(super) fn register(&mut self, player: Player) {
        self.players_to_check.insert(player.id);
        self.players.load(player);
    }

    pub(super) fn renew(&mut self, id: PlayerId, token: Token) {
        self.players.renew(id, token);
    }

    pub(super) fn report(&mut self, id: RobotId, robot: Robot) {
        self.insert_robot(id, robot);
        self.robots_to_check.insert(id);
    }

    /// So many more live, of all robots.
    pub(super) fn count_living(&mut self, more: i64) {
        let more = isize::try_from(more).unwrap_or_default();
        self.living_robots = self.living_robots.saturating_add_signed(more);
    }

    /// Robots that were announced before it belong to it.
    pub(super) fn start_game(&mut self, game: GameId) {
        self.started.get_or_insert(game);
        let waiting = self.robots.iter().filter(|(_, robot)| robot.game == RobotGame::Next);
        let waiting: Vec<_> = waiting.map(|(id, robot)| (*id, *robot)).collect();
        for (id, robot) in waiting {
            self.robots.insert(id, robot.when_starts(game));
        }
    }

    pub(super) fn join(&mut self, player: PlayerId) {
        *self.games_of.entry(player).or_insert(0) += 1;
    }

    /// Leaves one game, or takes part in one that has ended.
    pub(super) fn leave(&mut self, player: PlayerId) {
        match self.games_of.get(&player) {
            Some(games) if *games > 1 => {
                self.games_of.insert(player, games - 1);
            }
            _ => {
                self.games_of.remove(&player);
                self.players_to_check.insert(player);
            }
        }
    }

    pub(super) fn evict(&mut self) {
        self.started = None;
        for player in std::mem::take(&mut self.players_to_check) {
            if self.plays(player) {
                self.players.keep(player);
                continue;
            }
            self.players.remove(player);
            for robot in self.robots_of.remove(&player).into_iter().flatten() {
                self.robots.remove(&robot);
            }
        }
        for robot in std::mem::take(&mut self.robots_to_check) {
            let stays = |robot: Robot| robot.alive && robot.owner.is_some_and(|owner| self.plays(owner));
            if !self.robot(robot).is_some_and(stays) {
                self.remove_robot(robot);
            }
        }
    }

    fn remove_robot(&mut self, id: RobotId) {
        let Some(owner) = self.robots.remove(&id).and_then(|robot| robot.owner) else { return };
        let Some(robots) = self.robots_of.get_mut(&owner) else { return };
        robots.remove(&id);
        if robots.is_empty() {
            self.robots_of.remove(&owner);
        }
    }
}
