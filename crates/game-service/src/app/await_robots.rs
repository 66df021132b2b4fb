//! What a command does before it is refused for a robot that nobody has reported: it has the robot service asked, and waits
//! a little for the report, which may come later than the command of a bot that knows of the robot already.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use futures::stream::FuturesUnordered;
use futures::{FutureExt as _, StreamExt as _};
use starkeep_game_core::{Moment, Policy, Rejection as Rule, Robot, RobotId};

use super::App;
use super::commands::game_of;
use super::robot_questions::RobotAnswer;
use crate::domain::interest::{GAMES, ROBOTS};
use crate::domain::{CommandInput, Image};
use crate::ports::Unreadable;

/// How long a report is waited for.
const REPORT_MAY_TAKE: Duration = Duration::from_millis(500);

impl App {
    /// Waits until the robots of these commands are known, if nothing else is wrong with them; never so long that the round's
    /// input ends. A robot that does not exist according to the robot service is not waited for.
    pub(super) async fn await_robots(&self, inputs: &[CommandInput]) {
        let (image, now) = (self.store.image(), self.service_clock.now());
        let is_ready =
            |input| misses_robot(&image, &self.policy, input, |robot| image.robot(robot), now).is_none();
        // Nearly always, and then it costs no subscription.
        if inputs.iter().all(is_ready) {
            return;
        }
        self.await_missing_robots(inputs).await;
    }

    async fn await_missing_robots(&self, inputs: &[CommandInput]) {
        let mut commits = self.store.commits(ROBOTS.or(GAMES));
        let begun = self.clock.monotonic();
        let mut timeout = REPORT_MAY_TAKE;
        let (mut asked, mut settled) = (HashSet::new(), HashSet::new());
        let mut questions = FuturesUnordered::new();
        loop {
            commits.mark_unchanged();
            let Ok(missing) = self.missing_robots(inputs, &settled).await else { return };
            let Some(shortest) = missing.iter().map(|(_, left)| *left).min() else { return };
            timeout = timeout.min(shortest / 2);
            for (robot, _) in missing {
                if asked.insert(robot) {
                    questions.extend(self.ask_for_robot(robot));
                }
            }
            tokio::select! {
                biased;
                // Before the commits, which may come without a pause.
                () = self.clock.sleep_until(begun.after(timeout)) => return,
                Some(answer) = questions.next() => {
                    let mut answers = vec![answer];
                    // Of those that have come together each would cost a look at all commands.
                    while let Some(Some(answer)) = questions.next().now_or_never() {
                        answers.push(answer);
                    }
                    let settles = |(robot, answer)| (answer != RobotAnswer::None).then_some(robot);
                    settled.extend(answers.into_iter().filter_map(settles));
                }
                changed = commits.changed() => if changed.is_err() { return },
            }
        }
    }

    /// The robots that are all that is missing, without those that are `settled`, and how long their rounds take commands.
    async fn missing_robots(
        &self,
        inputs: &[CommandInput],
        settled: &HashSet<RobotId>,
    ) -> Result<Vec<(RobotId, Duration)>, Unreadable> {
        let (image, now) = (self.store.image(), self.service_clock.now());
        let missing = |known: &HashMap<RobotId, Robot>| -> Vec<_> {
            let known = |robot| image.robot(robot).or_else(|| known.get(&robot).copied());
            let missing =
                inputs.iter().filter_map(|input| misses_robot(&image, &self.policy, input, known, now));
            missing.filter(|(robot, _)| !settled.contains(robot)).collect()
        };
        let not_in_memory = missing(&HashMap::new());
        if not_in_memory.is_empty() {
            return Ok(not_in_memory);
        }
        // Those that are merely not in memory, because they are dead or their owner does not play, are not waited for.
        let robots = not_in_memory.into_iter().map(|(robot, _)| robot).collect();
        let evicted = self.store.robots(robots).await?.into_iter().collect();
        Ok(missing(&evicted))
    }
}

/// The robot, and how long the round still takes commands, if it is all that is missing.
fn misses_robot(
    image: &Image,
    policy: &Policy,
    input: &CommandInput,
    known: impl Fn(RobotId) -> Option<Robot>,
    now: Moment,
) -> Option<(RobotId, Duration)> {
    let game = game_of(image, input).ok()?;
    match game.take_order(policy, input.player, &input.order, known, now) {
        Err(Rule::UnknownRobot { robot }) => Some((robot, game.collection_left(game.current_round(), now))),
        _ => None,
    }
}
