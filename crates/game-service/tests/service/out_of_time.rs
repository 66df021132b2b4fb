//! Batches whose phase ran out before anybody began to send them: one log line for the phase says so, and all are counted.

use crate::dispatching::one_of_each;
use crate::game_lines::Lines;
use crate::harness::Setup;
use crate::playing::Match;

async fn undelivered(it: &Match) -> [u64; 2] {
    let metrics = it.bench.metrics().await;
    ["trading", "robot"].map(|service| {
        let name = format!("starkeep_batches_total{{service=\"{service}\",outcome=\"undelivered\"}} ");
        metrics
            .lines()
            .find_map(|line| line.strip_prefix(&name))
            .map_or(0, |count| count.parse().expect("a number"))
    })
}

#[tokio::test]
async fn batches_that_nobody_began_are_told_in_one_line_and_counted() {
    let (lines, _capture) = Lines::capture();
    let it = Match::in_memory().await;
    let ids = one_of_each(&it).await;
    lines.take();
    it.bench.advance_alone(3_000).await;
    assert_eq!(lines.take(), [""; 0]);
    it.bench.advance_alone(1_000).await;
    assert_eq!(it.states(&ids).await, ["undelivered"; 6]);
    let line = format!(
        "WARN the execution phase was over before these batches could be sent; their receipts say undelivered \
         game={} round=1 batches=6 commands=6 kinds=[Selling, Buying, Movement, Battle, Mining, Regeneration]",
        it.game
    );
    assert_eq!(lines.take(), [line]);
    assert_eq!(undelivered(&it).await, [2, 4]);
}

#[tokio::test]
async fn a_batch_for_which_too_little_time_is_left_is_told_of_and_counted_once() {
    let (lines, _capture) = Lines::capture();
    let it = Match::with(Setup::in_memory()).await;
    let id = it.ada_sends("mining", serde_json::json!({})).await;
    it.bench.advance_alone(3_000).await;
    it.bench.clock.advance(std::time::Duration::from_millis(980));
    lines.take();
    it.bench.dispatch().await;
    it.bench.advance_alone(20).await;
    assert_eq!(it.states(&[id]).await, ["undelivered"]);
    let line = format!(
        "WARN too little of the execution phase was left to send a batch of commands; its receipts say undelivered \
         game={} round=1 kind=Mining commands=1",
        it.game
    );
    assert_eq!(lines.take(), [line]);
    assert_eq!(undelivered(&it).await, [0, 1]);
}
