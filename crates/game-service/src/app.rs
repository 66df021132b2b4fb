//! The use cases of the game service: each asks the clock, hands the store a decision, and returns what came of it.
//! Rules are the core's, words are the wire's; only what spans two services or two steps is arranged here.

mod await_robots;
mod clock;
mod commands;
mod create;
mod dispatch;
mod executor_events;
mod game_log;
mod games;
mod intents;
mod interrupted;
mod out_of_time;
mod phase_ends;
mod players;
mod replay;
mod replenishments;
mod retirements;
mod robot_questions;
mod robots;
mod round_players;
mod rounds;
mod scores;
mod start;
mod topic_records;
mod topic_scores;
mod view;

use std::sync::{Arc, OnceLock};

use starkeep_game_core::{Change as GameChange, ExecutorKind, Game, GameId, Policy};
use starkeep_platform::chance::Chance;
use starkeep_platform::clock::Clock;
use starkeep_platform::decision::{AfterCommit, Decided, Decision, Failure, apply};
use starkeep_platform::idempotency::AnswerRecorder;
use starkeep_platform::store::CommonStore;

pub(crate) use self::dispatch::{Next, Settled};
pub use self::games::Page;
pub use self::replay::{Replay, ReplayFault};
use self::replenishments::ReplenishmentWaits;
use self::robot_questions::RobotQuestions;
use self::topic_scores::RoundsOver;
use uuid::{Builder, Uuid};

use crate::batch_metrics::BatchMetrics;
use crate::command_refusals::CommandRefusals;
pub use crate::domain::JoinRequest;
use crate::domain::{Change, Followed, Games, Image, Key, Rejection, results_source, topics_of};
use crate::executor_status::ExecutorStatus;
use crate::ports::{Executor, Lookups, MapGateway, Records, RobotDirectory, Store};
use crate::schedule_metrics::ScheduleMetrics;
use crate::sent_events::SentEvents;
use crate::service_clock::ServiceClock;
use crate::stream_metrics::StreamMetrics;
use crate::topic_results::TopicResults;
use crate::wire::{EventSeed, Wire};

/// The services beside this one.
#[derive(Clone)]
pub struct OtherServices {
    pub map: Arc<dyn MapGateway>,
    /// Who carries out trades; what nobody carries out is not delivered.
    pub trading: Option<Arc<dyn Executor>>,
    /// Who carries out everything else.
    pub robots: Option<Arc<dyn Executor>>,
    /// Who is asked for a robot that was not reported.
    pub robot_directory: Option<Arc<dyn RobotDirectory>>,
    /// Who is asked for what a player sees.
    pub lookups: Arc<dyn Lookups>,
    /// Who is asked for what happened in a game, for a replay.
    pub records: Arc<dyn Records>,
}

/// Everything a use case may ask.
pub struct App {
    pub(crate) store: Arc<dyn Store>,
    /// Which replica this is, and which others live.
    pub(crate) replicas: Arc<dyn CommonStore>,
    pub(crate) other_services: OtherServices,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) chance: Arc<dyn Chance>,
    pub(crate) service_clock: ServiceClock,
    pub(crate) policy: Policy,
    pub(crate) wire: Wire,
    pub(crate) schedule_metrics: ScheduleMetrics,
    pub(crate) batch_metrics: BatchMetrics,
    pub(crate) executor_status: ExecutorStatus,
    pub(crate) sent_events: SentEvents,
    pub(crate) stream_metrics: StreamMetrics,
    pub(crate) refusals: Arc<CommandRefusals>,
    replenishment_waits: ReplenishmentWaits,
    robot_questions: RobotQuestions,
    largest_order: u32,
    followed: Followed,
    /// Set where there is a broker whose topics tell of executors that have no event stream.
    topics_are_read: OnceLock<()>,
    pub(crate) topic_results: Arc<TopicResults>,
    rounds_over: RoundsOver,
}

/// What the host and the dialect have decided.
#[derive(Clone, Copy, Debug)]
pub struct AppSettings {
    pub policy: Policy,
    pub wire: Wire,
    pub largest_order: u32,
    /// Whose events are followed.
    pub followed: Followed,
}

pub type Outcome<T> = Result<T, Failure<Rejection>>;

impl App {
    pub fn new(
        store: Arc<dyn Store>,
        other_services: OtherServices,
        clock: Arc<dyn Clock>,
        chance: Arc<dyn Chance>,
        settings: AppSettings,
    ) -> Arc<Self> {
        let AppSettings { policy, wire, largest_order, followed } = settings;
        let replicas = store.clone().common();
        let service_clock = ServiceClock::resume(clock.clone(), &store, &replicas);
        Arc::new(Self {
            replicas,
            store,
            other_services,
            clock,
            chance,
            service_clock,
            policy,
            wire,
            schedule_metrics: ScheduleMetrics::default(),
            batch_metrics: BatchMetrics::default(),
            executor_status: ExecutorStatus::default(),
            sent_events: SentEvents::default(),
            stream_metrics: StreamMetrics::default(),
            refusals: Arc::default(),
            replenishment_waits: ReplenishmentWaits::default(),
            robot_questions: RobotQuestions::default(),
            largest_order,
            followed,
            topics_are_read: OnceLock::new(),
            topic_results: Arc::default(),
            rounds_over: RoundsOver::default(),
        })
    }

    /// Said once, before anything is asked.
    pub(crate) fn read_topics(&self) {
        self.topics_are_read.get_or_init(|| ());
    }

    fn topics_are_read(&self) -> bool {
        self.topics_are_read.get().is_some()
    }

    /// Whose events tell something: of those that are followed, which have an event stream.
    pub(crate) fn told_by(&self) -> Followed {
        let tells = |executor| self.has_stream(executor) == Some(true);
        Followed { trading: tells(ExecutorKind::Trading), robots: tells(ExecutorKind::Robots) }
    }

    /// Has the executor an event stream that is followed? What it says now counts more than what was read from it before: the host
    /// may have exchanged it. None if neither tells.
    fn has_stream(&self, executor: ExecutorKind) -> Option<bool> {
        if !self.followed.follows(executor) {
            return Some(false);
        }
        self.executor_status.said(executor).or_else(|| {
            let image = self.store.image();
            let was_read = |source: &str| image.position_of(source).is_some();
            let stream = was_read(results_source(executor));
            let topics = self.topics_are_read() && topics_of(executor).iter().any(|topic| was_read(topic));
            (stream != topics).then_some(stream)
        })
    }

    pub fn service_clock(&self) -> &ServiceClock {
        &self.service_clock
    }

    /// A new id, ordered by time (UUID version 7): new ones stand together in an index, where random ones would change a page each.
    fn ordered_id(&self) -> Uuid {
        let millis = u64::try_from(self.clock.wall().as_millisecond()).unwrap_or_default();
        let [_, _, _, _, _, _, random @ ..] = self.chance.uuid().into_bytes();
        Builder::from_unix_timestamp_millis(millis, &random).into_uuid()
    }

    /// Submits a decision and waits for its commit.
    async fn decide<T: Send + 'static>(&self, work: Decision<Games, T>) -> Outcome<T> {
        apply(&*self.store, work).await
    }

    /// A change of one game that the rules decide, with its events; the caller sees the game as it now is.
    async fn change_game(
        &self,
        id: GameId,
        answer: AnswerRecorder<Game>,
        rule: impl Fn(&Game, &Image) -> Result<GameChange, Rejection> + Send + 'static,
    ) -> Outcome<Game> {
        self.shift_if_frozen(id).await?;
        self.decide(self.game_change(id, rule).record_answer(answer)).await
    }

    fn game_change(
        &self,
        id: GameId,
        rule: impl Fn(&Game, &Image) -> Result<GameChange, Rejection> + Send + 'static,
    ) -> Decision<Games, Game> {
        self.game_change_giving(id, rule, Game::clone)
    }

    /// The same for a caller who wants to know something else of the game as it now is.
    fn game_change_giving<T: 'static>(
        &self,
        id: GameId,
        rule: impl Fn(&Game, &Image) -> Result<GameChange, Rejection> + Send + 'static,
        output: impl Fn(&Game) -> T + Send + 'static,
    ) -> Decision<Games, T> {
        let (announce, replica) = (self.announcer(), self.replicas.replica());
        let metrics = self.batch_metrics.clone();
        Decision::followed(vec![Key::Game(id)], move |image: &Image| {
            let game = image.game(id)?;
            let change = rule(game, image)?;
            let output = output(change.after.as_ref().unwrap_or(game));
            let events = announce(&change);
            let lines = game_log::after_commit(&change, image, None);
            let out_of_time = out_of_time::after_commit(&change, image, &metrics);
            let after_commit = both(out_of_time, lines);
            let replenishment = replenishments::begun_by(&change, id, replica);
            let mut change = Change::of_game(change, image)?;
            if let Some(intent) = replenishment {
                change = change.beginning(intent);
            }
            Ok((Decided { change, events, output }, after_commit))
        })
    }

    /// Turns a change's events into envelopes. Their ids and their time are settled here, before the decision is made.
    fn announcer(
        &self,
    ) -> impl Fn(&GameChange) -> Vec<starkeep_contract::events::NewEvent> + Send + Sync + 'static {
        let (wire, seed, now) = (self.wire, EventSeed::draw(&*self.chance), self.clock.wall());
        move |change| wire.events(change, &mut seed.ids(), now)
    }
}

/// One after the other.
fn both(first: Option<AfterCommit>, second: Option<AfterCommit>) -> Option<AfterCommit> {
    match (first, second) {
        (Some(first), Some(second)) => Some(Box::new(move || {
            first();
            second();
        })),
        (first, second) => first.or(second),
    }
}
