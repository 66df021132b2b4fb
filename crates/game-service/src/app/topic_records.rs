//! Reads results of commands and accounts from the topics of executors that have no event stream. The records and the position in the
//! topic are one commit.

use std::collections::BTreeSet;

use starkeep_contract::robot::{BANK_CREATED, SPAWN_NOTIFICATION};
use starkeep_game_core::ExecutorKind;
use starkeep_platform::consumer::Record;
use starkeep_platform::decision::{Decided, Decision};
use starkeep_platform::lease::Epoch;

use super::{App, Outcome};
use crate::domain::{Change, Followed, Image, Known, RecordedNews, topics_of};
use crate::wire::{account_in_record, result_in_record};

impl App {
    /// The executors without an event stream: their topics are read instead.
    pub(crate) fn told_by_topics(&self) -> Followed {
        let told_by = self.told_by();
        let tells = |executor| {
            self.reads_topics_of(executor)
                && !told_by.follows(executor)
                && self.is_known_to_have_no_stream(executor)
        };
        Followed { trading: tells(ExecutorKind::Trading), robots: tells(ExecutorKind::Robots) }
    }

    /// Is it yet to be learned whether an executor has an event stream? Until then nobody knows what a round waits for.
    pub(crate) fn has_unknown_executor(&self) -> bool {
        let told_by = self.told_by();
        [ExecutorKind::Trading, ExecutorKind::Robots].into_iter().any(|executor| {
            self.reads_topics_of(executor)
                && !told_by.follows(executor)
                && !self.is_known_to_have_no_stream(executor)
        })
    }

    fn reads_topics_of(&self, executor: ExecutorKind) -> bool {
        self.topics_are_read() && self.executor(executor).is_some()
    }

    /// One that has never answered may have one, unless its topics have told something before.
    fn is_known_to_have_no_stream(&self, executor: ExecutorKind) -> bool {
        let image = self.store.image();
        let topics = topics_of(executor)
            .iter()
            .chain((executor == ExecutorKind::Robots).then_some(&SPAWN_NOTIFICATION));
        let has_told = || topics.clone().any(|topic| image.position_of(topic).is_some());
        !self.followed.follows(executor) || self.executor_status.has_answered(executor) || has_told()
    }

    /// Which columns of the scoreboard are known. The topics do not tell how much was mined: loot is in what a robot holds, and names no round.
    pub(crate) fn known(&self) -> Known {
        let (told_by, topics) = (self.told_by(), self.told_by_topics());
        Known { robots: told_by.robots || topics.robots, mined: told_by.robots }
    }

    /// Returns when it is known that the topic is to be read: never, if the executor has an event stream. One whose topic was
    /// read before need not be there.
    pub(crate) async fn until_told_by_topic(&self, executor: ExecutorKind, topic: &str) {
        let is_known = self.executor(executor).is_none() || !self.followed.follows(executor);
        if !is_known && self.store.image().position_of(topic).is_none() {
            self.executor_status.until_answered(executor).await;
        }
        if self.told_by().follows(executor) {
            std::future::pending::<()>().await;
        }
    }

    /// Records what the topic has told of, unless the executor's own stream tells it.
    pub async fn record_topic(
        &self,
        epoch: Epoch,
        executor: ExecutorKind,
        topic: &'static str,
        records: &[Record],
    ) -> Outcome<()> {
        let Some(last) = records.last() else { return Ok(()) };
        if self.told_by().follows(executor) {
            return Ok(());
        }
        let position = Some((topic.to_owned(), last.position.clone()));
        let tells_accounts = topic == BANK_CREATED;
        let accounts: Vec<_> =
            records.iter().filter(|_| tells_accounts).filter_map(account_in_record).collect();
        let results: Vec<_> = records
            .iter()
            .filter(|_| !tells_accounts)
            .filter_map(|record| result_in_record(topic, record))
            .collect();
        let work = Decision::new(vec![], move |image: &Image| {
            let mut after = image.clone();
            let opened = accounts.iter().filter_map(|account| after.open_account(account));
            let games: BTreeSet<_> = opened.collect();
            let (position, results) = (position.clone(), results.clone());
            let news = RecordedNews { position, results, ..after.news_since(image, games) };
            Ok(Decided { change: Change::ExecutorNewsRecorded(Box::new(news)), events: vec![], output: () })
        });
        self.decide(work.fenced_by(epoch)).await
    }
}
