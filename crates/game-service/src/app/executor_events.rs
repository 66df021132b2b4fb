//! What executors' events tell of players and commands: recorded in order, together with how far the stream has been read.
//! When an event may be recorded is the image's business (`domain/image/scores.rs`); here it is waited for.

use std::collections::BTreeSet;
use std::sync::Arc;

use starkeep_game_core::ExecutorKind;
use starkeep_http_client::Item;
use starkeep_platform::decision::{Decided, Decision, Failure};
use starkeep_platform::lease::Epoch;

use super::{App, Outcome};
use crate::domain::interest::{GAMES, SCORES};
use crate::domain::{
    Change, CommandResult, ExecutorNews, Followed, Games, Image, RecordedNews, Rejection, results_source,
};
use crate::wire::news;

/// An item of a stream, and its position.
struct ReadItem {
    position: String,
    /// None where it tells nothing.
    news: Option<ExecutorNews>,
}

impl App {
    /// Where to go on in the executor's stream; None before its first event.
    pub(crate) fn results_position(&self, source: ExecutorKind) -> Option<String> {
        self.store.image().position_of(results_source(source)).map(ToOwned::to_owned)
    }

    /// Records the items, all of them in the end; `position` is where the stream stands after them. What comes too early
    /// waits, and the rest of the stream behind it; but results are no part of the scores, and what is at hand of them is
    /// recorded at once.
    pub async fn record_executor_events(
        &self,
        epoch: Epoch,
        source: ExecutorKind,
        items: &[Item],
        position: String,
    ) -> Outcome<()> {
        let mut items: Vec<_> = items.iter().map(|item| self.read_item(source, item)).collect();
        if let Some(last) = items.last_mut() {
            last.position = position;
        }
        // Handed over again after a failure, of which a part may be recorded: a trade must not count twice.
        let known = self.results_position(source);
        let is_known = |item: &ReadItem| Some(&item.position) == known.as_ref();
        let mut recorded = items.iter().rposition(is_known).map_or(0, |place| place + 1);
        let (items, mut results_are_known) = (Arc::new(items), false);
        let mut commits = self.store.commits(SCORES.or(GAMES));
        while recorded < items.len() {
            commits.mark_unchanged();
            let work = recording(source, self.followed, self.told_by(), items.clone(), recorded);
            match self.decide(work.fenced_by(epoch)).await {
                Ok(more) => recorded += more,
                Err(Failure::Rejected(_)) if !results_are_known => {
                    let results =
                        items[recorded..].iter().filter_map(|item| item.news.as_ref()?.result.clone());
                    self.record_results(epoch, results.collect()).await?;
                    results_are_known = true;
                }
                Err(Failure::Rejected(_)) => {
                    // There are commits as long as there is a store.
                    let _ = commits.changed().await;
                }
                Err(failure) => return Err(failure),
            }
        }
        Ok(())
    }

    async fn record_results(&self, epoch: Epoch, results: Vec<CommandResult>) -> Outcome<()> {
        if results.is_empty() {
            return Ok(());
        }
        let work = Decision::new(vec![], move |_: &Image| {
            let news = RecordedNews { results: results.clone(), ..RecordedNews::default() };
            Ok(Decided { change: Change::ExecutorNewsRecorded(Box::new(news)), events: vec![], output: () })
        });
        self.decide(work.fenced_by(epoch)).await
    }

    /// What cannot be read is counted, told and skipped: it must not hold up what comes after it.
    fn read_item(&self, source: ExecutorKind, item: &Item) -> ReadItem {
        let executor = results_source(source);
        match item {
            Item::Event(event) => {
                let news = news(event).unwrap_or_else(|fault| {
                    self.stream_metrics.unreadable(source);
                    tracing::warn!(executor, channel = event.channel.name(), position = event.id, %fault, "an event of an executor could not be read and is skipped");
                    None
                });
                ReadItem { position: event.id.clone(), news }
            }
            Item::Gap(gap) => {
                self.stream_metrics.gap(source);
                tracing::warn!(executor, reason = ?gap.reason, "events of an executor are missing: standings and results may lack what they told");
                ReadItem { position: gap.resumes_after.clone(), news: None }
            }
        }
    }
}

/// Records as many of the items, from the given one on, as may be recorded now; how many these are.
fn recording(
    source: ExecutorKind,
    followed: Followed,
    told_by: Followed,
    items: Arc<Vec<ReadItem>>,
    from: usize,
) -> Decision<Games, usize> {
    Decision::new(vec![], move |image: &Image| {
        let mut after = image.clone();
        let (mut games, mut results) = (BTreeSet::new(), Vec::new());
        let (mut recorded, mut position) = (0, None);
        for item in &items[from..] {
            if let Some(news) = &item.news {
                if !after.admits(source, news, followed) {
                    break;
                }
                after.fold(source, news, told_by);
                games.insert(news.game);
                results.extend(news.result.clone());
            }
            recorded += 1;
            position = Some((results_source(source).to_owned(), item.position.clone()));
        }
        if recorded == 0 {
            return Err(Rejection::NothingToDo);
        }
        let told = RecordedNews { position, results, ..after.news_since(image, games) };
        let change = Change::ExecutorNewsRecorded(Box::new(told));
        Ok(Decided { change, events: vec![], output: recorded })
    })
}
