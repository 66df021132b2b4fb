//! What the game service does by itself: it keeps the rounds' time, sends batches, has worlds replenished, finishes what was
//! left behind, probes the other services, follows the robots' events and results, and creates topics. All decide through `app`.

mod dispatcher;
mod executor_events;
mod probes;
mod reconciler;
mod replenishments;
mod robot_events;
mod robot_results;
mod robot_stream;
mod round_clock;
mod scores;
mod topic_creation;
mod topic_loop;

pub use self::dispatcher::Dispatcher;
pub use self::executor_events::ExecutorEvents;
pub(crate) use self::probes::Probes;
pub use self::reconciler::Reconciler;
pub use self::replenishments::Replenishments;
pub use self::robot_events::RobotEventConsumer;
pub use self::robot_results::RobotResultConsumer;
pub use self::robot_stream::RobotStream;
pub use self::round_clock::RoundClock;
pub use self::scores::RoundScoring;
pub use self::topic_creation::TopicCreation;
