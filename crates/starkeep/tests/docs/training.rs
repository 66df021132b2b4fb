//! `docs/train-agents.md` promises the same game again. What makes it so is in every game of the example: seed, nonce, and rounds
//! that are shorter than the time between two replenishments.

use starkeep_client::{GameClient, MapClient};
use starkeep_test_http::within_limit;
use tokio::process::Command;

use crate::fences::root;
use crate::program::Program;

/// What `--replenish-every` is if nobody says otherwise.
const REPLENISH_EVERY_MILLIS: u32 = 60_000;

#[tokio::test]
async fn all_games_of_the_example_have_the_same_world_and_the_same_replenishments() {
    let data = tempfile::tempdir().unwrap();
    let program = Program::start(data.path());
    let mut command = Command::new("python3");
    command.arg(root().join("examples/train.py")).arg("7").kill_on_drop(true);
    command.env("STARKEEP_GAME_URL", &program.game_url).env("PYTHONDONTWRITEBYTECODE", "1");
    let output = within_limit("the training", command.output()).await.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));

    let client = GameClient::new(&program.game_url).unwrap();
    let map = MapClient::new(&client.services().await.unwrap().map.unwrap()).unwrap();
    let games = client.games_that_are("ended").await.unwrap();
    assert_eq!(games.len(), 3);
    let mut origins = Vec::new();
    for game in &games {
        let world = map.gameworld(game.gameworld_id.unwrap()).await.unwrap();
        origins.push((world.seed, world.nonce));
        let rounds = REPLENISH_EVERY_MILLIS.div_ceil(game.round_length_in_millis);
        assert!((2..game.max_rounds).contains(&rounds), "replenished after every {rounds} rounds");
    }
    assert!(origins[0].1.is_some() && origins.iter().all(|origin| *origin == origins[0]), "{origins:?}");
    drop(program);
}
