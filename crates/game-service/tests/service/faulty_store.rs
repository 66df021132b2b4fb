//! A store that refuses a write in the middle: nothing is half done, and what was begun elsewhere is taken back.
//! The faults are planted in the file, beside the running service.

use std::time::Duration;

use serde_json::json;
use starkeep_game_service::testing;
use starkeep_test_harness::{EPOCH, post};

use crate::fake_map::{Behaviour, World};
use crate::harness::Bench;
use crate::log::rounds;

const NO_NEW_GAME: &str = "BEFORE INSERT ON game";
const NO_RUNNING_GAME: &str = "BEFORE UPDATE ON game WHEN NEW.status = 'running'";
const NO_RETIREMENT: &str = "BEFORE INSERT ON world_to_retire";

impl Bench {
    pub(crate) fn plant(&self, name: &str, when: &str) {
        let fault = format!("CREATE TRIGGER {name} {when} BEGIN SELECT RAISE(ABORT, 'planted'); END");
        self.database().execute_batch(&fault).expect("a fault is planted");
    }

    pub(crate) fn mend(&self, name: &str) {
        self.database().execute_batch(&format!("DROP TRIGGER {name}")).expect("a fault is mended");
    }

    /// Time passes until the service has withdrawn its intents by itself.
    async fn withdrawal(&self) {
        for _ in 0..200_000 {
            if testing::pending(self.service()).0 == 0 {
                return;
            }
            self.clock.advance(Duration::from_millis(1));
            tokio::task::yield_now().await;
        }
        panic!("an intent is never withdrawn");
    }
}

#[tokio::test]
async fn a_game_that_cannot_be_written_down_leaves_no_world() {
    for behaviour in [Behaviour::Answers, Behaviour::ChoosesAnotherId] {
        let bench = Bench::new().await;
        bench.map.set_behaviour(behaviour);
        bench.plant("fault", NO_NEW_GAME);
        let reply = bench.ask(post("/games").json(&json!({"maxRounds": 5, "maxPlayers": 3}))).await;
        reply.refused(500, "internal", None);
        assert_eq!((bench.count("intent"), bench.events().len()), (0, 0));
        bench.care().await.unwrap();
        assert_eq!(bench.map.worlds().into_values().collect::<Vec<_>>(), [World::Deleted], "{behaviour:?}");
        bench.mend("fault");
        bench.create(5, 3).await;
    }
}

#[tokio::test]
async fn a_start_that_cannot_be_written_down_is_taken_back() {
    for behaviour in [Behaviour::Answers, Behaviour::ChoosesAnotherId] {
        let bench = Bench::new().await;
        let game = bench.create(5, 3).await;
        let before = (bench.game(game).await, bench.events());
        let old = bench.map.worlds();
        bench.map.set_behaviour(behaviour);
        bench.plant("fault", NO_RUNNING_GAME);
        bench.start(game).await.refused(500, "internal", None);
        assert_eq!((bench.game(game).await, bench.events()), before);
        bench.care().await.unwrap();
        for (id, world) in bench.map.worlds() {
            assert_eq!(
                world,
                if old.contains_key(&id) { World::Active } else { World::Deleted },
                "{behaviour:?}"
            );
        }
        bench.mend("fault");
        bench.start(game).await.is(201);
    }
}

#[tokio::test]
async fn what_cannot_even_be_taken_back_is_taken_care_of_later() {
    let bench = Bench::new().await;
    let game = bench.create(5, 3).await;
    let before = (bench.game(game).await, bench.events());
    bench.plant("no_running_game", NO_RUNNING_GAME);
    bench.plant("no_retirement", NO_RETIREMENT);
    bench.start(game).await.refused(500, "internal", None);
    assert_eq!(bench.count("game WHERE start_world_id IS NOT NULL"), 1, "the intent is still there");
    bench.care().await.unwrap();
    bench.start(game).await.refused(409, "start-under-way", None);

    bench.mend("no_retirement");
    bench.withdrawal().await;
    bench.care().await.unwrap();
    assert_eq!((bench.game(game).await, bench.events()), before);
    assert_eq!(bench.map.world(bench.map.last_order().id.0), Some(World::Deleted));
    bench.mend("no_running_game");
    bench.start(game).await.is(201);
}

#[tokio::test]
async fn a_creation_that_cannot_be_taken_back_is_taken_care_of_later() {
    let bench = Bench::new().await;
    bench.plant("no_new_game", NO_NEW_GAME);
    bench.plant("no_retirement", NO_RETIREMENT);
    let reply = bench.ask(post("/games").json(&json!({"maxRounds": 5, "maxPlayers": 3}))).await;
    reply.refused(500, "internal", None);
    assert_eq!(bench.count("intent"), 1);
    bench.mend("no_retirement");
    bench.withdrawal().await;
    bench.care().await.unwrap();
    assert_eq!(bench.count("intent"), 0);
    assert_eq!(bench.map.worlds().into_values().collect::<Vec<_>>(), [World::Deleted]);
}

#[tokio::test]
async fn a_boundary_that_cannot_be_written_is_taken_later_at_its_scheduled_time() {
    let bench = Bench::new().await;
    let game = bench.running(2).await;
    bench.plant("fault", NO_RUNNING_GAME);
    bench.clock.advance(std::time::Duration::from_secs(3));
    assert!(bench.service().round_clock().step(EPOCH).await.is_err());
    assert_eq!(bench.history(game).last().unwrap(), "1 started");
    bench.mend("fault");
    bench.advance(700).await;
    assert_eq!(bench.time(game).await["roundTimeInMillis"], 3_700);
    bench.advance(300).await;
    bench.advance(4_000).await;
    assert_eq!(bench.history(game)[4..], [rounds(1..=2), vec!["ended".to_owned()]].concat());
    assert_eq!(bench.time(game).await["gameTimeInMillis"], 8_000);
}

#[tokio::test]
async fn a_refused_write_harms_no_other_request() {
    let bench = Bench::new().await;
    let games = [bench.create(5, 3).await, bench.create(5, 3).await];
    bench.plant("fault", "BEFORE UPDATE ON game WHEN NEW.max_rounds = 13");
    let wishes = [(0, 13), (1, 20), (0, 13), (1, 21), (0, 22)];
    let replies =
        futures::future::join_all(wishes.map(|(game, wish)| bench.set_rounds(games[game], wish))).await;
    let statuses: Vec<_> = replies.iter().map(|reply| reply.status).collect();
    assert_eq!(statuses, [500, 200, 500, 200, 200]);
    assert_eq!(bench.game(games[0]).await["maxRounds"], 22);
    assert_eq!(bench.game(games[1]).await["maxRounds"], 21);
}
