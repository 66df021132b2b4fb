//! `starkeep world` from outside: worlds are drawn and checked without a service, and finished ones verified against theirs.
//! What the commands print line by line is tested beside them.

use serde_json::{Value, json};
use starkeep_test_http::{Caller, within_limit};

use crate::program::{Ended, Program, run};
use crate::two_services::{START, path};
use crate::whole_game::serve;

async fn verify(program: &Program, world: &str) -> Ended {
    run(&["world", "verify", world, "--map-url", &format!("http://{}", program.address("map"))]).await
}

async fn make(map: &Caller, gameworld: &Value) -> Value {
    map.post("/gameworlds", &json!({ "gameworld": gameworld })).await.expect(201)
}

async fn retire(map: &Caller, world: &str) {
    let inactive = json!({ "gameworld": { "status": "inactive" } });
    map.patch(&format!("/gameworlds/{world}"), &inactive).await.expect(200);
}

#[tokio::test]
async fn a_preview_is_the_same_for_a_seed() {
    let flags = ["world", "preview", "--players", "6", "--seed", "7", "--style", "symmetric"];
    let first = run(&flags).await;
    assert_eq!((first.code, first.stderr.as_str()), (Some(0), ""));
    assert!(first.stdout.starts_with("a symmetric world for 6 players, seed 7\n"), "{}", first.stdout);
    assert!(first.stdout.contains("connected             yes"), "{}", first.stdout);
    assert_eq!(first.stdout, run(&flags).await.stdout);
}

#[tokio::test]
async fn a_preview_is_drawn_into_a_file() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("world.svg");
    let ended = run(&["world", "preview", "--seed", "1", "--svg", file.to_str().unwrap()]).await;
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(std::fs::read_to_string(&file).unwrap().starts_with("<svg "));
    let nowhere = home.path().join("missing").join("world.svg");
    let ended = run(&["world", "preview", "--svg", nowhere.to_str().unwrap()]).await;
    assert_eq!(ended.code, Some(2));
    assert!(ended.stderr.contains("cannot be written"), "{}", ended.stderr);
}

#[tokio::test]
async fn many_seeds_are_checked() {
    let ended = run(&["world", "check", "--seeds", "0..5", "--players", "1,9", "--style", "balanced"]).await;
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
    let rows: Vec<Vec<&str>> =
        ended.stdout.lines().skip(1).map(|row| row.split_whitespace().collect()).collect();
    assert_eq!(
        rows.iter().map(|row| &row[..4]).collect::<Vec<_>>(),
        [["balanced", "1", "5", "5"], ["balanced", "9", "5", "5"]]
    );
}

#[tokio::test]
async fn a_finished_world_is_verified() {
    let (program, _home) = serve(&[]).await;
    let map = program.map();
    for style in ["balanced", "symmetric", "wild"] {
        let world = make(&map, &json!({ "player_amount": 3, "style": style })).await;
        let id = world["id"].as_str().unwrap();
        let early = verify(&program, id).await;
        assert_eq!(early.code, Some(2), "{}", early.stdout);
        assert!(early.stderr.contains("is still active"), "{}", early.stderr);

        // What was mined and replenished since does not matter.
        let planets = map.get(&format!("/gameworlds/{id}/planets")).await.expect(200);
        let rich = planets.as_array().unwrap().iter().find(|planet| !planet["resource"].is_null()).unwrap();
        let mining = json!({ "mining": { "amount_requested": 1_000_000 } });
        map.post(&format!("/planets/{}/minings", rich["id"].as_str().unwrap()), &mining).await.expect(201);
        retire(&map, id).await;
        let verified = verify(&program, id).await;
        assert_eq!((verified.code, verified.stderr.as_str()), (Some(0), ""), "{style}");
        for line in ["commitment   ok: ", "layout       ok: ", "certificate  ok: "] {
            assert!(verified.stdout.contains(line), "{}", verified.stdout);
        }
    }
}

#[tokio::test]
async fn a_world_made_by_hand_is_verified() {
    let (program, _home) = serve(&[]).await;
    let map = program.map();
    let coal = json!({ "resource_type": "coal", "max_amount": 50 });
    let planets = json!([
        { "x": 0, "y": 0, "movement_difficulty": 1, "planet_type": "spacestation" },
        { "x": 1, "y": 0, "movement_difficulty": 20, "planet_type": "default", "resource": coal },
    ]);
    let world = make(&map, &json!({ "player_amount": 1, "planets": planets })).await;
    assert_eq!((&world["style"], &world["generator_version"]), (&json!("custom"), &Value::Null));
    let id = world["id"].as_str().unwrap();
    retire(&map, id).await;
    let verified = verify(&program, id).await;
    assert_eq!(verified.code, Some(0), "{}", verified.stderr);
    assert!(verified.stdout.contains("as it was made by hand"), "{}", verified.stdout);
}

#[tokio::test]
async fn of_a_world_that_was_replaced_at_the_start_the_seed_is_never_shown() {
    let (program, _home) = serve(&["--admin-token", "a-hosts-secret"]).await;
    let (service, map) = (program.game().with_token("a-hosts-secret"), program.map());
    let new = json!({ "maxRounds": 5, "maxPlayers": 2, "duration": 600_000, "seed": 99_887_766 });
    let game = service.post("/games", &new).await.expect(201)["gameId"].take();
    let world = || async {
        service.get(&path(&game, "")).await.expect(200)["gameworldId"].as_str().unwrap().to_owned()
    };
    let replaced = world().await;
    service.post(&path(&game, START), &Value::Null).await.expect(201);
    let played = world().await;
    assert_ne!(played, replaced);
    let shown = format!("/gameworlds/{replaced}");
    within_limit("the replaced world's end", async {
        while map.get(&shown).await.expect(200)["status"] != "inactive" {}
    })
    .await;
    let answers = [map.get(&shown).await.expect(200), map.get("/gameworlds").await.expect(200)];
    assert!(answers.iter().all(|answer| !answer.to_string().contains("99887766")), "{answers:?}");
    map.get(&format!("{shown}/planets")).await.expect(401);
    let verified = verify(&program, &replaced).await;
    assert_eq!(verified.code, Some(2));
    assert!(verified.stderr.contains("is sealed"), "{}", verified.stderr);

    service.post(&path(&game, "/gameCommands/end"), &Value::Null).await.expect(201);
    within_limit("the played world's end", async {
        while map.get(&format!("/gameworlds/{played}")).await.expect(200)["seed"] != 99_887_766 {}
    })
    .await;
    assert_eq!(verify(&program, &played).await.code, Some(0));
}

#[tokio::test]
async fn an_unknown_world_is_a_clear_error() {
    let (program, _home) = serve(&[]).await;
    let unknown = verify(&program, "5eed0000-0000-4000-8000-000000000006").await;
    assert_eq!(unknown.code, Some(2), "{}", unknown.stderr);
    assert!(unknown.stderr.contains("there is no gameworld with this id"), "{}", unknown.stderr);
    let away =
        run(&["world", "verify", "5eed0000-0000-4000-8000-000000000006", "--map-url", "http://127.0.0.1:1"])
            .await;
    assert_eq!(away.code, Some(2), "nothing is known to be wrong: {}", away.stderr);
    let no_id = run(&["world", "verify", "earth"]).await;
    assert_eq!(no_id.code, Some(2));
}
