//! A batch of commands, all with the same verb: executed in its order, and answered when it is done.
//! A command whose transaction was executed before is left out; so a batch that comes again has no second effect.

use std::collections::BTreeSet;

use starkeep_executor::BatchHeaders;
use starkeep_platform::decision::Failure;
use starkeep_robot_core::{Attack, CommandId, MiningOrder, Move, Regeneration};

use super::admission::Admitted;
use super::{App, Outcome, or_nothing, rejected};
use crate::domain::{ExecutedIds, Rejection};
use crate::metrics::Done;

/// In the order in which they are executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Commands {
    None,
    Move(Vec<Move>),
    Fight(Vec<Attack>),
    Mine(Vec<MiningOrder>),
    Regenerate(Vec<Regeneration>),
}

impl Commands {
    fn transactions(&self) -> Vec<CommandId> {
        match self {
            Self::None => Vec::new(),
            Self::Move(moves) => transactions(moves),
            Self::Fight(attacks) => transactions(attacks),
            Self::Mine(orders) => transactions(orders),
            Self::Regenerate(regenerations) => transactions(regenerations),
        }
    }
}

impl App {
    pub(crate) async fn execute(&self, headers: BatchHeaders, commands: Commands) -> Outcome<()> {
        if commands == Commands::None {
            return Ok(());
        }
        let transactions = commands.transactions();
        let batch = self.admit(headers, &transactions).await?;
        match self.execute_batch(&batch, commands).await {
            Err(Failure::Expired) if !self.is_begun(batch.game, &transactions).await? => {
                rejected(Rejection::TooLate)
            }
            outcome => outcome,
        }
    }

    async fn execute_batch(&self, batch: &Admitted<'_>, commands: Commands) -> Outcome<()> {
        let done: Done = or_nothing(match commands {
            Commands::None => Ok(Done::default()),
            Commands::Move(moves) => self.move_robots(batch, moves).await,
            Commands::Fight(attacks) => self.fight(batch, attacks).await,
            Commands::Regenerate(regenerations) => self.regenerate(batch, regenerations).await,
            Commands::Mine(orders) => return self.mine(batch, orders).await,
        })?;
        self.metrics.executed(done);
        Ok(())
    }

    /// Where a reader of this service's events has seen what was committed up to now, by whichever replica: what is in the
    /// image may not be in the log yet.
    pub(crate) async fn position(&self) -> Result<String, String> {
        self.replicas.catch_up().await.map_err(|fault| fault.to_string())?;
        let (log, pages) = self.replicas.log();
        Ok(log.head_position(&*pages).await?.to_string())
    }
}

/// A command, by its transaction.
pub(super) trait Transacted {
    fn transaction(&self) -> CommandId;
}

macro_rules! transacted {
    ($($command:ident),+) => {$(
        impl Transacted for $command {
            fn transaction(&self) -> CommandId {
                self.command
            }
        }
    )+};
}
transacted!(Move, Attack, MiningOrder, Regeneration);

/// Those that are to be executed: not those that were before, and of two with the same transaction the first.
pub(super) fn not_executed<C: Transacted + Copy>(commands: &[C], executed: &ExecutedIds) -> Vec<C> {
    let mut seen = BTreeSet::new();
    let is_new = |command: &&C| {
        let transaction = command.transaction();
        !executed.contains(transaction) && seen.insert(transaction)
    };
    commands.iter().filter(is_new).copied().collect()
}

pub(super) fn transactions<C: Transacted>(commands: &[C]) -> Vec<CommandId> {
    commands.iter().map(Transacted::transaction).collect()
}
