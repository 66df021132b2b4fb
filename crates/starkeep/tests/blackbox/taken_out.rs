//! A host takes a player out of a running game with all services: nobody waits for it, and its robots stay where they are.
//! Who may do so, and what the service tells of it, is tested with the service.

use serde_json::{Value, json};
use starkeep_contract::command::CommandType;

use crate::played_game::{PlayedGame, buy_robots, order};
use crate::program::Program;
use crate::two_services::path;

const TOKEN: &str = "a-long-secret";

#[tokio::test]
async fn at_turbo_pace_the_round_goes_on_at_once_and_the_robots_stay() {
    let home = tempfile::tempdir().unwrap();
    let own = ["--data-dir", home.path().to_str().unwrap(), "--admin-token", TOKEN];
    let program = Program::serve("all", &own).await;
    let host = program.game().with_token(TOKEN);
    // Its rounds end by the clock only after a day.
    let game = PlayedGame::start(&host, 1, 3, &json!({ "startMoney": 500 })).await;
    game.play(&host, &[vec![buy_robots(2)], vec![buy_robots(1)], vec![buy_robots(1)]]).await;
    let ada = &game.seats[0];
    let robots = || async { game.view(&host, 0).await["robots"].take() };
    let before = robots().await;
    assert_eq!(before.as_array().unwrap().len(), 2, "{before}");

    let round = game.round(&host).await;
    for seat in &game.seats[1..] {
        game.is_ready(&host, seat).await.expect(200);
    }
    let time = host.get(&path(&game.id, "/time")).await.expect(200);
    assert_eq!(
        (&time["roundCount"], &time["phase"]),
        (&round.into(), &"collection".into()),
        "it is waited for"
    );
    let out = path(&game.id, &format!("/players/{}", ada.player.as_str().unwrap()));
    host.delete(&out).await.expect(204);
    game.outlives(&host, round).await;

    let mining = game.signed(ada, &order(CommandType::Mining, &before[0], &json!({})));
    let refused = program.game().post("/commands", &mining).await.expect(409);
    assert_eq!(refused["code"], "not-participating");
    // Two ready players are all that the next rounds wait for.
    for _ in 0..2 {
        let round = game.round(&host).await;
        for seat in &game.seats[1..] {
            game.is_ready(&host, seat).await.expect(200);
        }
        game.outlives(&host, round).await;
    }
    assert_eq!(robots().await, before);
    let players = host.get(&path(&game.id, "/players")).await.expect(200);
    let ids: Vec<&Value> = players.as_array().unwrap().iter().map(|row| &row["playerId"]).collect();
    assert_eq!(ids, [&game.seats[1].player, &game.seats[2].player]);
}
