//! Whatever order the streams are read in, and whenever the process dies, a game comes to the same scores.

use proptest::prelude::*;
use starkeep_game_core::ExecutorKind;
use starkeep_test_harness::in_one_process;
use uuid::Uuid;

use crate::executor_log::ExecutorLog;
use crate::harness::Setup;
use crate::scoring::{ROUNDS, Scored};

#[derive(Clone, Copy, Debug)]
enum Step {
    /// Half a round passes.
    Play,
    /// Somebody reads so many events, and gives up if they have to wait.
    Read(ExecutorKind, usize),
    Score,
    Restart,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let executor = prop_oneof![Just(ExecutorKind::Trading), Just(ExecutorKind::Robots)];
    let step = prop_oneof![
        5 => Just(Step::Play),
        6 => (executor, 1..8_usize).prop_map(|(executor, count)| Step::Read(executor, count)),
        3 => Just(Step::Score),
        1 => Just(Step::Restart),
    ];
    prop::collection::vec(step, 0..60)
}

async fn perform(it: &mut Scored, step: Step) {
    match step {
        Step::Play => it.play().await,
        Step::Read(executor, count) => {
            let log = if executor == ExecutorKind::Trading { &it.trading } else { &it.robots };
            read_some(it, log, count).await;
        }
        Step::Score => it.score().await,
        Step::Restart => {
            it.bench.beat().await;
            it.bench.restart().await;
            it.bench.compare_replica().await;
        }
    }
}

/// True if nothing had to wait.
async fn read_some(it: &Scored, log: &ExecutorLog, count: usize) -> bool {
    let items = log.unread(it.bench.service(), count);
    let mut reading = Box::pin(log.record(it.bench.service(), &items));
    for _ in 0..4 {
        if futures::poll!(&mut reading).is_ready() {
            return true;
        }
        // Whatever the store was asked before is answered after this.
        it.bench.spawn(Uuid::max(), it.bob.0).await;
    }
    false
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(ProptestConfig::default().cases / 8) })]

    #[test]
    fn scores_do_not_depend_on_the_order_of_reading(steps in steps()) {
        in_one_process(async {
            let mut it = Scored::with(Setup::default()).await;
            for step in steps {
                perform(&mut it, step).await;
            }
            while it.played < 2 * ROUNDS {
                it.play().await;
            }
            it.read_everything().await;
            it.bench.compare_replica().await;
            assert_eq!(it.scores().await, it.final_scores());
            assert_eq!(it.scoreboard().await, it.final_scoreboard());
            let rounds: Vec<_> = it.announced().iter().map(|event| event["roundNumber"].clone()).collect();
            assert_eq!(rounds, [1, 2, 3, 4, 5], "each once, in order");
        });
    }
}

/// Two halves of a round are played, twice.
async fn two_rounds() -> Scored {
    let mut it = Scored::with(Setup::in_memory()).await;
    for _ in 0..4 {
        it.play().await;
    }
    it
}

#[tokio::test]
async fn news_of_a_round_wait_until_the_rounds_before_are_scored() {
    let it = two_rounds().await;
    assert!(read_some(&it, &it.trading, usize::MAX).await, "trades of the first round");
    assert!(!read_some(&it, &it.robots, usize::MAX).await, "minings of the second");
    assert!(it.announced().is_empty());
    it.score().await;
    assert_eq!(it.announced().len(), 1);
    assert!(read_some(&it, &it.robots, usize::MAX).await);
}

#[tokio::test]
async fn robots_deeds_wait_for_the_trades_of_their_round_and_spawns_do_not() {
    let it = two_rounds().await;
    let spawns = it.robots.unread(it.bench.service(), 4);
    assert_eq!(spawns.len(), 4);
    assert!(read_some(&it, &it.robots, 4).await, "they are made while the trades are carried out");
    it.read_everything().await;
    let mut it = it;
    it.play().await;
    assert!(!read_some(&it, &it.robots, usize::MAX).await, "the sales of the third round are not read");
    assert!(read_some(&it, &it.trading, usize::MAX).await);
    assert!(read_some(&it, &it.robots, usize::MAX).await);
}

#[tokio::test]
async fn a_round_is_scored_when_both_streams_have_been_read_so_far() {
    let mut it = Scored::with(Setup::in_memory()).await;
    it.play().await;
    it.play().await;
    it.score().await;
    assert!(it.announced().is_empty(), "nothing has been read");
    let all = it.trading.unread(it.bench.service(), usize::MAX).len();
    assert!(read_some(&it, &it.trading, all - 1).await);
    it.score().await;
    assert!(it.announced().is_empty(), "the last event tells nothing, and may not be skipped");
    assert!(read_some(&it, &it.trading, 1).await);
    it.score().await;
    assert_eq!(it.announced().len(), 1, "no batch went to the robots");
    it.score().await;
    assert_eq!(it.announced().len(), 1, "once");
}
