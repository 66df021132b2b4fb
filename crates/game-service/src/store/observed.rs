//! A store with an observer, for tests: it is called before every decision and after every commit.
//! With it a test follows the changes as a replica would, or keeps the writer waiting.

use std::sync::Arc;

use futures::future::BoxFuture;
use starkeep_game_core::{CommandId, Game, GameId, Player, Robot, RobotId};
use starkeep_platform::decision::{DecisionQueue, Job, JobWrites, StoreFault};
use starkeep_platform::documents::{Document, Question};
use starkeep_platform::domain::{ChangeCodec, Interest};
use starkeep_platform::idempotency::KeyClaim;
use starkeep_platform::lease::Epoch;
use starkeep_platform::store::{CommonStore, Fresh, Store as PlatformStore};
use tokio::sync::watch;

use crate::domain::{Games, Image, Key};
use crate::ports::{Age, KeptCommand, KeptRound, KeptScore, KeptStandings, PlayerSearch, Store, Unreadable};

pub trait StoreObserver: Send + Sync + 'static {
    /// A decision is about to be made, on the store's own thread.
    fn deciding(&self) {}

    /// A change is committed; called in the order of the commits, before anybody is answered.
    fn committed(&self, _change: &[u8]) {}
}

pub(crate) struct ObservedStore {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) observer: Arc<dyn StoreObserver>,
}

impl DecisionQueue<Games> for ObservedStore {
    fn submit(&self, jobs: Vec<Box<dyn Job<Games>>>) {
        let observed = |job| -> Box<dyn Job<_>> {
            Box::new(ObservedJob { job, change: None, observer: self.observer.clone() })
        };
        self.store.submit(jobs.into_iter().map(observed).collect());
    }
}

struct ObservedJob {
    job: Box<dyn Job<Games>>,
    change: Option<Vec<u8>>,
    observer: Arc<dyn StoreObserver>,
}

impl Job<Games> for ObservedJob {
    fn keys(&self) -> &[Key] {
        self.job.keys()
    }

    fn epoch(&self) -> Option<Epoch> {
        self.job.epoch()
    }

    fn claim(&self) -> Option<&KeyClaim> {
        self.job.claim()
    }

    fn answered_elsewhere(&mut self) {
        self.job.answered_elsewhere();
    }

    fn is_due(&mut self, lease: Option<Epoch>) -> bool {
        self.observer.deciding();
        self.job.is_due(lease)
    }

    fn decide(&mut self, image: &Image) -> Option<JobWrites<Games>> {
        let writes = self.job.decide(image);
        self.change = writes.as_ref().map(|writes| Games::encode(&writes.change));
        writes
    }

    fn finish(self: Box<Self>, written: Result<(), StoreFault>) {
        if let (Some(change), Ok(())) = (&self.change, &written) {
            self.observer.committed(change);
        }
        self.job.finish(written);
    }
}

impl PlatformStore<Games> for ObservedStore {
    fn image(&self) -> Arc<Image> {
        self.store.image()
    }

    fn fresh(&self) -> Fresh<Image> {
        self.store.fresh()
    }

    fn ask(&self, questions: Vec<Question>) -> BoxFuture<'_, Result<Vec<Vec<Document>>, String>> {
        self.store.ask(questions)
    }

    fn commits(&self, interest: Interest) -> watch::Receiver<()> {
        self.store.commits(interest)
    }

    fn common(self: Arc<Self>) -> Arc<dyn CommonStore> {
        self.store.clone().common()
    }
}

impl Store for ObservedStore {
    fn ended_game(&self, id: GameId) -> BoxFuture<'_, Result<Option<Game>, Unreadable>> {
        self.store.ended_game(id)
    }

    fn ended_games(&self, after: Option<Age>, limit: usize) -> BoxFuture<'_, Result<Vec<Game>, Unreadable>> {
        self.store.ended_games(after, limit)
    }

    fn ended_game_ids(&self) -> BoxFuture<'_, Result<Vec<GameId>, Unreadable>> {
        self.store.ended_game_ids()
    }

    fn command(&self, id: CommandId) -> BoxFuture<'_, Result<Option<KeptCommand>, Unreadable>> {
        self.store.command(id)
    }

    fn carried_out(&self, game: GameId, round: u32) -> BoxFuture<'_, Result<Vec<KeptCommand>, Unreadable>> {
        self.store.carried_out(game, round)
    }

    fn round(&self, game: GameId, round: u32) -> BoxFuture<'_, Result<Option<KeptRound>, Unreadable>> {
        self.store.round(game, round)
    }

    fn standings(&self, game: GameId) -> BoxFuture<'_, Result<Option<KeptStandings>, Unreadable>> {
        self.store.standings(game)
    }

    fn scores(&self, game: GameId) -> BoxFuture<'_, Result<Vec<KeptScore>, Unreadable>> {
        self.store.scores(game)
    }

    fn players(&self, searches: Vec<PlayerSearch>) -> BoxFuture<'_, Result<Vec<Player>, Unreadable>> {
        self.store.players(searches)
    }

    fn robots(&self, ids: Vec<RobotId>) -> BoxFuture<'_, Result<Vec<(RobotId, Robot)>, Unreadable>> {
        self.store.robots(ids)
    }
}
