//! Who watches the bots in a terminal gets a line after each round: how the game stands.
//! Rounds may be quicker than the answers; then only the latest one is told.

use std::io::Write;
use std::sync::Arc;

use starkeep_client::ClientError;
use starkeep_contract::GameId;
use starkeep_contract::scores::ScoreboardRow;

use super::bounded_tasks::BoundedTasks;
use super::print_line;
use super::service::Service;
use super::standings;

pub(super) struct Watcher<'a> {
    output: &'a mut (dyn Write + Send),
    is_watching: bool,
    asking: BoundedTasks<u32, Answer>,
    /// The last round that has ended while another one was asked for.
    ended: Option<u32>,
}

/// A round, and how the game stood after it.
pub(super) type Answer = (u32, Result<Vec<ScoreboardRow>, ClientError>);

impl<'a> Watcher<'a> {
    pub(super) fn new(output: &'a mut (dyn Write + Send), is_watching: bool) -> Self {
        Self { output, is_watching, asking: BoundedTasks::new(1), ended: None }
    }

    pub(super) fn round_ended(&mut self, round: u32) {
        match (self.is_watching, self.asking.len()) {
            (false, _) => {}
            (true, 0) => self.asking.add([round]),
            (true, _) => self.ended = Some(round),
        }
    }

    /// The next answer; none if nothing is being asked.
    pub(super) async fn next(&mut self, service: &Arc<Service>, game: GameId) -> Option<Answer> {
        let ask = |round| {
            let service = service.clone();
            async move { (round, service.client.scoreboard(game).await) }
        };
        self.asking.next(ask).await
    }

    pub(super) fn tell(&mut self, (round, rows): Answer, last_round: u32) {
        self.asking.add(self.ended.take());
        // Nobody misses a line that a service that is away, or of another program, cannot tell.
        let line = rows.ok().and_then(|rows| standings::line(round, last_round, &rows));
        if let Some(line) = line {
            print_line(self.output, &line);
        }
    }
}
