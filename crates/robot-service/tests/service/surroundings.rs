//! `neighbours` of robots that were bought, where they are told some time after the spawn: each once, over restarts, and before what
//! the robots do next.

use std::time::Duration;

use starkeep_platform::clock::Clock as _;
use starkeep_robot_service::{Config, Waiting};
use starkeep_test_harness::{EPOCH, StoreKind};
use uuid::Uuid;

use crate::harness::{Bench, GAME, TwoPlanets, move_to, open_config, player, tx};

async fn delayed(store: StoreKind) -> (Bench, TwoPlanets) {
    let config = Config { neighbours_delay: Duration::from_secs(1), ..open_config() };
    let bench = Bench::with(config, store).await;
    let planets = bench.two_planets(1_000);
    bench.start_game(GAME).await;
    (bench, planets)
}

impl Bench {
    async fn tell_what_is_due(&self, waiting: &mut Waiting) {
        let teller = self.service().neighbour_teller();
        teller.step(EPOCH, waiting, self.clock.monotonic()).await.unwrap();
    }

    fn channels(&self) -> Vec<(String, Option<Uuid>)> {
        self.told_after(0).into_iter().map(|(channel, transaction, _)| (channel, transaction)).collect()
    }
}

fn spawned(number: u128) -> (String, Option<Uuid>) {
    ("spawn-notification".to_owned(), Some(tx(number)))
}

fn neighbours(number: u128) -> (String, Option<Uuid>) {
    ("neighbours".to_owned(), Some(tx(number)))
}

#[tokio::test]
async fn they_are_told_a_while_after_the_last_purchase_and_once() {
    for store in [StoreKind::Memory, StoreKind::Sqlite] {
        let (mut bench, planets) = delayed(store).await;
        let mut waiting = Waiting::default();
        bench.spawn(player(1), tx(1), &[planets.station, planets.coal]).await;
        bench.tell_what_is_due(&mut waiting).await;
        bench.clock.advance(Duration::from_millis(999));
        bench.spawn(player(1), tx(2), &[planets.station]).await;
        bench.tell_what_is_due(&mut waiting).await;
        bench.clock.advance(Duration::from_millis(999));
        bench.tell_what_is_due(&mut waiting).await;
        let before = [spawned(1), spawned(1), spawned(2)];
        assert_eq!(bench.channels(), before, "the second purchase begins the time anew");
        if store == StoreKind::Sqlite {
            bench.restart().await;
            waiting = Waiting::default();
            bench.tell_what_is_due(&mut waiting).await;
            bench.clock.advance(Duration::from_millis(999));
            bench.tell_what_is_due(&mut waiting).await;
            assert_eq!(bench.channels(), before, "nobody knows how long it was down");
        }
        for _ in 0..2 {
            bench.clock.advance(Duration::from_millis(1));
            bench.tell_what_is_due(&mut waiting).await;
            let mut all = bench.channels();
            all.sort();
            let expected = [neighbours(1), neighbours(1), neighbours(2), spawned(1), spawned(1), spawned(2)];
            assert_eq!(all, expected);
        }
    }
}

#[tokio::test]
async fn they_are_told_before_what_is_around_the_next_planet() {
    let (bench, planets) = delayed(StoreKind::Memory).await;
    let robots = bench.spawn(player(1), tx(1), &[planets.station]).await;
    bench.execute(&[move_to(robots[0], planets.coal, 2)]).await;
    let moved = [("movement".to_owned(), Some(tx(2))), neighbours(2)];
    let expected = [&[spawned(1), neighbours(1)][..], &moved].concat();
    assert_eq!(bench.channels(), expected);
    let mut waiting = Waiting::default();
    bench.tell_what_is_due(&mut waiting).await;
    bench.clock.advance(Duration::from_secs(1));
    bench.tell_what_is_due(&mut waiting).await;
    assert_eq!(bench.channels(), expected, "they are not told again");
}

#[tokio::test]
async fn moves_of_other_robots_do_not_tell_them() {
    let (bench, planets) = delayed(StoreKind::Memory).await;
    let mut waiting = Waiting::default();
    let robots = bench.spawn(player(1), tx(1), &[planets.station]).await;
    bench.tell_what_is_due(&mut waiting).await;
    bench.clock.advance(Duration::from_secs(1));
    bench.tell_what_is_due(&mut waiting).await;
    bench.spawn(player(2), tx(2), &[planets.station]).await;
    bench.execute(&[move_to(robots[0], planets.coal, 3)]).await;
    let moved = [("movement".to_owned(), Some(tx(3))), neighbours(3)];
    let expected = [&[spawned(1), neighbours(1), spawned(2)][..], &moved].concat();
    assert_eq!(bench.channels(), expected, "the trades of the second purchase may not have been told yet");
}

#[tokio::test]
async fn they_are_told_also_when_the_game_has_ended_meanwhile() {
    let (bench, planets) = delayed(StoreKind::Memory).await;
    bench.spawn(player(1), tx(1), &[planets.station]).await;
    let mut waiting = Waiting::default();
    bench.tell_what_is_due(&mut waiting).await;
    bench.roster(GAME, "ended").await;
    bench.clock.advance(Duration::from_secs(1));
    bench.tell_what_is_due(&mut waiting).await;
    assert_eq!(bench.channels(), [spawned(1), neighbours(1)]);
}
