//! What one decision writes: small plain data that says what moved. Rows, images and replicas are all made from it.
//! The rules' own changes, with whole games before and after, become such data here and nowhere else.

use std::sync::Arc;

use jiff::Timestamp;
use starkeep_game_core::{
    Change as GameChange, Command, Game, GameId, Kind, Moment, Player, PlayerId, Retirement, Robot, RobotId,
    RosterChange, Standing, State, Status, Token, WorldId,
};
use starkeep_platform::intent::{Intent, IntentId};
use starkeep_platform::replica::ReplicaId;

use super::{
    BatchId, BatchState, GameHeader, Image, Known, RecordedNews, Rejection, Sender, WorldCall, intent_for,
};

/// What one decision writes.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// Nobody has joined yet.
    GameCreated {
        game: Box<GameHeader>,
        /// The intent that this settles, where the game waited for its world.
        intent: Option<IntentId>,
    },
    /// A created or running game goes on.
    GameMoved(Box<GameMove>),
    /// An ended game is gone, with its rounds and commands.
    GameDeleted {
        game: GameId,
        retire: Vec<Retirement>,
    },
    /// A game is to be created as soon as its world is made.
    CreationBegun(Intent<WorldCall>),
    /// It is not: what may have been made of its world is to be removed.
    CreationWithdrawn {
        intent: IntentId,
        retire: Vec<Retirement>,
    },
    /// A world that belongs to no game was left behind, and is to be retired.
    WorldAbandoned(Retirement),
    /// The map has answered that the world is retired.
    WorldRetired(Retirement),
    /// The map has replenished a world, or has refused for good.
    ReplenishmentSettled(IntentId),
    /// So much service time has passed. The timers of games that stalled count from a later moment.
    Heartbeat {
        at: Moment,
        wall: Timestamp,
        shifted: Vec<(GameId, Moment)>,
    },
    PlayerRegistered(Player),
    TokenRenewed {
        player: PlayerId,
        token: Token,
    },
    /// Reports of robots, and how far the topic has been read with them, if they come from one.
    RobotsReported {
        robots: Vec<(RobotId, Robot)>,
        /// How many more of all robots live afterwards. A replica that reads this cannot ask what was known before.
        living: i64,
        position: Option<(String, String)>,
    },
    /// In the order in which they are taken.
    CommandsTaken(Vec<NewCommand>),
    /// A batch that this replica sends from now on; none if nobody carries it out, so that it is not delivered.
    BatchBegun {
        batch: BatchId,
        sender: Option<Sender>,
    },
    /// A batch whose sender no longer sends it is sent again, by this replica.
    BatchResumed {
        batch: BatchId,
        sender: ReplicaId,
    },
    /// What became of a batch that was being sent, or was unknown until now; its round, and even its game, may be over.
    BatchSettled {
        batch: BatchId,
        state: BatchState,
        /// Where the executor's log stood afterwards, if the executor says so.
        position: Option<String>,
    },
    /// Their senders no longer live: they may have arrived.
    BatchesInterrupted(Vec<BatchId>),
    /// Events of an executor were read.
    ExecutorNewsRecorded(Box<RecordedNews>),
    /// How the players stood when the round ended. Everything of it has been read.
    RoundScored {
        game: GameId,
        round: u32,
        /// In the order in which they joined.
        rows: Vec<(PlayerId, Standing)>,
        known: Known,
        /// The round's results, if they were read from topics. With an event stream they were recorded before.
        news: Option<Box<RecordedNews>>,
    },
}

/// What a move of a game does to an intent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IntentMove {
    Begins(Intent<WorldCall>),
    /// Settles or withdraws it.
    Ends(IntentId),
}

/// How a game goes on.
#[derive(Clone, Debug, PartialEq)]
pub struct GameMove {
    /// As it is afterwards.
    pub game: GameHeader,
    pub roster: Option<RosterChange>,
    /// Who has just said to be ready in the open round.
    pub ready: Option<PlayerId>,
    /// The game has just started: robots that were announced before it belong to it.
    pub starts: bool,
    /// The game's open round has just begun.
    pub opens_round: bool,
    pub ended_round: Option<EndedRound>,
    /// Worlds that nobody plays in any longer.
    pub retire: Vec<Retirement>,
    pub intents: Vec<IntentMove>,
}

/// A round that is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndedRound {
    pub number: u32,
    /// What became of its batches that were still open.
    pub unsent: Vec<(Kind, BatchState)>,
}

/// A command that is taken, and the place of the one that it replaces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewCommand {
    pub command: Arc<Command>,
    pub replaces: Option<u64>,
}

impl Change {
    /// The same change, which begins an intent.
    pub fn beginning(self, intent: Intent<WorldCall>) -> Self {
        match self {
            Self::GameMoved(mut moved) => {
                moved.intents.push(IntentMove::Begins(intent));
                Self::GameMoved(moved)
            }
            other => other,
        }
    }

    /// The same change, which settles the intent.
    pub fn settling(self, settled: IntentId) -> Self {
        match self {
            Self::GameCreated { game, .. } => Self::GameCreated { game, intent: Some(settled) },
            other => other,
        }
    }

    /// What the rules' change comes to. The image tells which batches of a round that is over were not sent.
    pub fn of_game(change: GameChange, image: &Image) -> Result<Self, Rejection> {
        match (change.before, change.after) {
            (None, None) => Err(Rejection::NothingToDo),
            (None, Some(created)) => {
                Ok(Self::GameCreated { game: Box::new(GameHeader::of(created)), intent: None })
            }
            (Some(deleted), None) => Ok(Self::GameDeleted { game: deleted.id, retire: change.retire }),
            (Some(before), Some(after)) => Ok(Self::GameMoved(Box::new(GameMove {
                starts: before.status() == Status::Created && after.status() == Status::Running,
                intents: ended_start(&before, &after)
                    .map(|world| IntentMove::Ends(intent_for(world)))
                    .into_iter()
                    .collect(),
                game: GameHeader::of(after),
                roster: change.roster,
                ready: change.ready,
                opens_round: change.new_round.is_some(),
                ended_round: change.unsent.map(|reason| EndedRound {
                    number: before.current_round(),
                    unsent: image
                        .collected(before.id)
                        .map(|all| all.when_round_ends(reason))
                        .unwrap_or_default(),
                }),
                retire: change.retire,
            }))),
        }
    }
}

/// The world of the start that is over: finished, taken back or overtaken.
fn ended_start(before: &Game, after: &Game) -> Option<WorldId> {
    before.world_under_way().filter(|world| after.world_under_way() != Some(*world))
}

impl GameMove {
    /// The whole game afterwards. Who is ready is forgotten when a round is over, and with a player who is taken out.
    pub fn applied_to(&self, before: &Game) -> Game {
        let roster = match self.roster {
            None => before.roster.clone(),
            Some(RosterChange::Joined { player, transaction }) => before.roster.with(player, transaction),
            Some(RosterChange::Left(player)) => before.roster.without(player),
            Some(RosterChange::TakenOut(player)) => before.roster.taking_out(player),
        };
        let mut ready = match &before.state {
            State::Running(running) if self.ended_round.is_none() => running.ready.clone(),
            _ => imbl::HashSet::new(),
        };
        ready.extend(self.ready);
        if let Some(RosterChange::TakenOut(player)) = self.roster {
            ready.remove(&player);
        }
        self.game.with_players(roster, ready)
    }
}

impl Change {
    /// What is known of each robot before is in memory.
    pub(crate) fn robots_reported(
        known: impl Fn(RobotId) -> Option<Robot>,
        robots: Vec<(RobotId, Robot)>,
        position: Option<(String, String)>,
    ) -> Self {
        let mut living = 0;
        for (place, (id, robot)) in robots.iter().enumerate() {
            let reported =
                robots[..place].iter().rev().find(|(other, _)| other == id).map(|(_, robot)| *robot);
            let lived = reported.or_else(|| known(*id)).is_some_and(|before| before.alive);
            living += i64::from(robot.alive) - i64::from(lived);
        }
        Self::RobotsReported { robots, living, position }
    }
}
