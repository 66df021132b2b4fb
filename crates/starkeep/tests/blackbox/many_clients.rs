//! Many clients at once over real sockets: what is mined left the planet once, and of many starts one wins.
//! Each client has a connection of its own.

use futures::future::join_all;
use serde_json::{Value, json};
use starkeep_test_http::Caller;

use crate::program::Program;
use crate::two_services::{START, new_game, path};

/// Mines seven at a time until nothing is left; what it got.
async fn mine_until_exhausted(map: Caller, minings: String) -> i64 {
    let order = json!({ "mining": { "amount_requested": 7 } });
    let (mut total, mut last_left) = (0, 10_000);
    loop {
        let mining = map.post(&minings, &order).await.expect(201);
        let number = |key: &str| mining[key].as_i64().unwrap();
        let (mined, left) = (number("amount_mined"), number("amount_left"));
        assert!((0..=7).contains(&mined), "{mining}");
        assert!((0..=last_left).contains(&left), "{mining} after {last_left}");
        assert!(mined == 7 || left == 0, "{mining}");
        total += mined;
        last_left = left;
        if mined == 0 {
            return total;
        }
    }
}

#[tokio::test]
async fn a_deposit_gives_what_it_holds_and_no_more_however_many_mine_it() {
    let home = tempfile::tempdir().unwrap();
    let flags = ["--replenish-every", "0", "--data-dir", home.path().to_str().unwrap()];
    let program = Program::serve("map", &flags).await;
    let map = program.map();
    let new = json!({ "gameworld": { "player_amount": 1 } });
    let world = map.post("/gameworlds", &new).await.expect(201);
    let chart = format!("/gameworlds/{}/planets", world["id"].as_str().unwrap());
    let planets = map.get(&chart).await.expect(200);
    let rich = planets.as_array().unwrap().iter().find(|planet| !planet["resource"].is_null()).unwrap();
    assert_eq!(rich["resource"]["current_amount"], 10_000);
    let planet = format!("/planets/{}", rich["id"].as_str().unwrap());

    let miners =
        (0..64).map(|_| tokio::spawn(mine_until_exhausted(program.map(), format!("{planet}/minings"))));
    let totals = join_all(miners).await;
    let sum: i64 = totals.into_iter().map(Result::unwrap).sum();
    assert_eq!(sum, 10_000);
    assert_eq!(map.get(&planet).await.expect(200)["resource"]["current_amount"], 0);
    let health = map.get("/health").await.expect(200);
    assert_eq!(health["parts"]["books"]["status"], "ok", "{health}");
}

#[tokio::test]
async fn of_many_racing_starts_of_two_games_exactly_one_wins() {
    let home = tempfile::tempdir().unwrap();
    let program = Program::serve("all", &["--data-dir", home.path().to_str().unwrap()]).await;
    let mut games = Vec::new();
    for _ in 0..2 {
        games.push(program.game().post("/games", &new_game()).await.expect(201)["gameId"].take());
    }
    let starts =
        (0..32).map(|number| program.game().post_meanwhile(&path(&games[number % 2], START), &Value::Null));
    let answers = join_all(starts.collect::<Vec<_>>()).await;
    let answers: Vec<_> = answers.into_iter().map(|answer| answer.unwrap().unwrap()).collect();
    let (won, lost): (Vec<_>, Vec<_>) = answers.into_iter().partition(|answer| answer.status == 201);
    assert_eq!(won.len(), 1);
    let codes = ["another-game-runs", "start-under-way", "game-not-created"];
    for answer in lost {
        let problem = answer.expect(409);
        assert!(codes.contains(&problem["code"].as_str().unwrap()), "{problem}");
    }
    let running = program.game().get("/games?status=running").await.expect(200);
    assert_eq!(running.as_array().unwrap().len(), 1);
    assert_eq!(running[0]["gameId"], won[0].body["gameId"]);
}

#[tokio::test]
async fn twins_of_one_creation_make_one_game() {
    let home = tempfile::tempdir().unwrap();
    let program = Program::serve("all", &["--data-dir", home.path().to_str().unwrap()]).await;
    let twins = (0..32).map(|_| program.game().with_key("twin").post_meanwhile("/games", &new_game()));
    let answers = join_all(twins.collect::<Vec<_>>()).await;
    let mut ids: Vec<_> = answers.into_iter().map(|answer| answer.unwrap().unwrap().expect(201)).collect();
    ids.dedup();
    assert_eq!(ids.len(), 1);
    assert_eq!(program.game().get("/games").await.expect(200).as_array().unwrap().len(), 1);
    assert_eq!(program.map().get("/gameworlds").await.expect(200).as_array().unwrap().len(), 1);
}
