//! Games that follow each other as fast as the answers come: the existing trading service, which forgets everything at a game's end,
//! has every player and every station of each game when that game ends. The same over an outage of Kafka.

use starkeep_test_broker::Broker;

use crate::relayed::nothing_waits;
use crate::scale::scale;
use crate::stack::Stack;
use crate::stack_host::Host;

#[tokio::test(flavor = "multi_thread")]
async fn however_quickly_games_change_no_player_and_no_station_is_lost() {
    let Some(broker) = Broker::start().await else { return };
    let stack = Stack::start(&broker, 21).await;
    let home = tempfile::tempdir().unwrap();
    let program = stack.host(home.path().to_str().unwrap(), &[]).await;
    let host = Host::new(program.game()).await;
    let mut games = Vec::new();
    for _ in 0..=5 * scale() {
        let game = host.create().await;
        host.start(&game).await;
        host.end(&game).await;
        games.push(game);
    }
    host.assert_nothing_was_lost(&broker, &stack, &games).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_game_that_ends_and_one_that_is_created_while_kafka_is_away_lose_nothing() {
    let Some(mut broker) = Broker::start().await else { return };
    let stack = Stack::start(&broker, 23).await;
    let home = tempfile::tempdir().unwrap();
    let program = stack.host(home.path().to_str().unwrap(), &[]).await;
    let host = Host::new(program.game()).await;
    let first = host.create().await;
    host.start(&first).await;
    nothing_waits(&program).await;
    broker.kill().await;

    host.end(&first).await;
    let second = host.create().await;
    let refusal = host.cannot_start(&second).await;
    assert!(refusal["detail"].as_str().unwrap().contains("Kafka"), "{refusal}");
    broker.restart().await;
    host.start(&second).await;
    host.end(&second).await;
    host.assert_nothing_was_lost(&broker, &stack, &[first, second]).await;
}
