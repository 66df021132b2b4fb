//! Reads results of commands and accounts from the topics of executors that have no event stream. The records and the position in the
//! topic are one commit.

use std::collections::{BTreeMap, BTreeSet};

use starkeep_contract::robot::{BANK_CREATED, TRADES};
use starkeep_game_core::{Command, ExecutorKind};
use starkeep_platform::consumer::Record;
use starkeep_platform::decision::{Decided, Decision};
use starkeep_platform::lease::Epoch;

use super::topic_scores::unreadable;
use super::{App, Outcome};
use crate::domain::{Change, CommandResult, Followed, Image, Known, LateTrade, RecordedNews};
use crate::wire::{account_in_record, result_in_record, trade_in_result};

impl App {
    /// The executors without an event stream: their topics are read instead.
    pub(crate) fn told_by_topics(&self) -> Followed {
        let tells = |executor| self.reads_topics_of(executor) && self.has_stream(executor) == Some(false);
        Followed { trading: tells(ExecutorKind::Trading), robots: tells(ExecutorKind::Robots) }
    }

    /// Is it yet to be learned whether an executor has an event stream? Until then nobody knows what a round waits for.
    pub(crate) fn has_unknown_executor(&self) -> bool {
        [ExecutorKind::Trading, ExecutorKind::Robots]
            .into_iter()
            .any(|executor| self.reads_topics_of(executor) && self.has_stream(executor).is_none())
    }

    fn reads_topics_of(&self, executor: ExecutorKind) -> bool {
        self.topics_are_read() && self.executor(executor).is_some()
    }

    /// Which columns of the scoreboard are known. The topics do not tell how much was mined: loot is in what a robot holds, and names no round.
    pub(crate) fn known(&self) -> Known {
        // One that has never answered has carried nothing out.
        let has_stream = self.has_stream(ExecutorKind::Robots) != Some(false);
        Known { robots: has_stream || self.told_by_topics().robots, mined: has_stream }
    }

    /// Returns when it is known that the executor's topics are to be read: never, while it has an event stream. One whose topics were
    /// read before need not be there.
    pub(crate) async fn until_told_by_topics(&self, executor: ExecutorKind) {
        let is_told = || self.executor(executor).is_none() || self.has_stream(executor) == Some(false);
        self.executor_status.until(is_told).await;
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
        let trades = if topic == TRADES { self.late_trades(&results).await? } else { Vec::new() };
        let work = Decision::new(vec![], move |image: &Image| {
            let mut after = image.clone();
            let opened = accounts.iter().filter_map(|account| after.open_account(account));
            let mut games: BTreeSet<_> = opened.collect();
            games.extend(trades.iter().filter(|trade| after.fold_late_trade(trade)).map(|trade| trade.game));
            let (position, results) = (position.clone(), results.clone());
            let news = RecordedNews { position, results, ..after.news_since(image, games) };
            Ok(Decided { change: Change::ExecutorNewsRecorded(Box::new(news)), events: vec![], output: () })
        });
        self.decide(work.fenced_by(epoch)).await
    }

    /// Trades that may belong to rounds that are scored. What was told of before is not told again.
    async fn late_trades(&self, results: &[CommandResult]) -> Outcome<Vec<LateTrade>> {
        let mut trades = BTreeMap::new();
        for result in results {
            let kept = self.store.command(result.command).await.map_err(unreadable)?;
            let Some(kept) = kept.filter(|kept| kept.result.is_none()) else { continue };
            if let Some(deed) = trade_in_result(&kept.command, result) {
                let Command { game, round, .. } = kept.command;
                trades.entry(result.command).or_insert(LateTrade { game, round, deed });
            }
        }
        Ok(trades.into_values().collect())
    }
}
