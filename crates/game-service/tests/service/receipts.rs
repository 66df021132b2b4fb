//! Who may read what about commands: their owner at once, everybody else when their round is over.

use serde_json::{Value, json};
use starkeep_contract::Dialect;
use starkeep_test_harness::{delete, get};
use uuid::Uuid;

use crate::harness::Setup;
use crate::playing::Match;

#[tokio::test]
async fn a_receipt_is_its_owners_until_the_round_is_over() {
    for (dialect, unknown) in [(Dialect::Standard, 401), (Dialect::Msd, 404)] {
        let mut it = Match::with(Setup { dialect, ..Setup::default() }).await;
        let id = it.ada_sends("mining", json!({})).await;
        let ask = || get(format!("/commands/{id}"));
        let (ada, bob) = (it.ada.1.to_string(), it.bob.1.to_string());
        it.bench.advance(1_000).await;
        for phase in [2_000, 0] {
            it.bench.beat().await;
            it.bench.restart().await;
            let own = it.bench.ask(ask().bearer(&ada)).await.is(200);
            assert_eq!((&own["roundNumber"], &own["collectionLeftInMillis"]), (&json!(1), &json!(phase)));
            it.bench.ask(ask()).await.refused(404, "unknown-command", None);
            it.bench.ask(ask().bearer(&bob)).await.refused(404, "unknown-command", None);
            it.bench.ask(ask().bearer("zzz")).await.refused(unknown, "unknown-token", None);
            it.bench.advance(2_000).await;
        }
        it.bench.advance(1_000).await;
        let over = json!({"transactionId": id, "state": "dispatched", "roundNumber": 1, "collectionLeftInMillis": 0});
        assert_eq!(it.bench.ask(ask()).await.is(200), over);
        assert_eq!(it.bench.ask(ask().bearer(&bob)).await.is(200), over);
        for nothing in [Uuid::from_u128(3).to_string(), "zzz".to_owned()] {
            it.bench.ask(get(format!("/commands/{nothing}"))).await.refused(404, "unknown-command", None);
        }
    }
}

#[tokio::test]
async fn a_host_who_shows_its_own_token_is_nobody_in_particular() {
    let it = Match::guarded("s3cret").await;
    let id = it.ada_sends("mining", json!({})).await;
    let ask = get(format!("/commands/{id}")).bearer("s3cret");
    it.bench.ask(ask).await.refused(404, "unknown-command", None);
}

#[tokio::test]
async fn the_commands_of_a_round_are_shown_as_their_readers_know_them() {
    let mut it = Match::new().await;
    let id = it.ada_sends("movement", json!({"planetId": Uuid::from_u128(0x80)})).await;
    let round_of = |number: u32| get(format!("/commands?gameId={}&roundNumber={number}", it.game));
    let (first, open) = (round_of(1), round_of(1).bearer(&it.bob.1.to_string()));
    let all: [Value; 2] = [it.bench.ask(first).await.is(200), it.bench.ask(open).await.is(200)];
    for nobodys in all {
        assert_eq!(nobodys["commands"], json!([]), "the open round is nobody else's business");
    }
    assert_eq!(it.seen_by_ada(1).await.len(), 1);
    it.bench.advance(3_000).await;
    assert_eq!(it.bench.ask(round_of(1)).await.is(200)["commands"], json!([]), "nor is its execution");
    it.bench.advance(1_000).await;
    let round =
        it.bench.events().iter().find(|event| event.payload["roundNumber"] == 1).expect("a round").clone();
    let expected = json!({
        "gameId": it.game, "roundId": round.payload["roundId"], "roundNumber": 1,
        "commands": [{
            "transactionId": id, "gameId": it.game, "playerId": it.ada.0, "robotId": it.robot,
            "commandType": "movement",
            "commandObject": {"commandType": "movement", "planetId": Uuid::from_u128(0x80), "targetId": null,
                              "itemName": null, "itemQuantity": null},
        }],
    });
    let (one, two) = (round_of(1), round_of(2));
    assert_eq!(it.bench.ask(one).await.is(200), expected);
    assert_eq!(it.bench.ask(two).await.is(200)["commands"], json!([]));
    it.bench.restart().await;
    let again = get(format!("/commands?gameId={}&roundNumber=1", it.game));
    assert_eq!(it.bench.ask(again).await.is(200), expected);
}

#[tokio::test]
async fn a_round_that_there_was_not_has_no_commands() {
    let it = Match::in_memory().await;
    let ask = |query: String| it.bench.ask(get(format!("/commands?{query}")));
    for number in [0, 2, 1_000_000] {
        let asked = ask(format!("gameId={}&roundNumber={number}", it.game)).await;
        asked.refused(404, "unknown-round", None);
    }
    ask(format!("gameId={}&roundNumber=1", Uuid::from_u128(4))).await.refused(404, "unknown-game", None);
    for (query, field) in [
        (String::new(), "gameId"),
        (format!("gameId={}", it.game), "roundNumber"),
        ("roundNumber=1".to_owned(), "gameId"),
        ("gameId=x&roundNumber=1".to_owned(), "gameId"),
        (format!("gameId={}&roundNumber=abc", it.game), "roundNumber"),
        (format!("gameId={}&roundNumber=-1", it.game), "roundNumber"),
    ] {
        ask(query).await.refused(422, "invalid-parameter", Some(field));
    }
}

#[tokio::test]
async fn a_game_that_is_deleted_takes_its_commands_along() {
    let it = Match::new().await;
    let id = it.ada_sends("mining", json!({})).await;
    it.bench.advance(3_000).await;
    it.bench.end(it.game).await.is(201);
    assert_eq!(it.bench.ask(get(format!("/commands/{id}"))).await.is(200)["state"], "dispatched");
    assert_eq!(it.bench.ask(delete(format!("/games/{}", it.game))).await.status, 204);
    it.bench.ask(get(format!("/commands/{id}"))).await.refused(404, "unknown-command", None);
    assert_eq!((it.bench.count("command"), it.bench.count("batch")), (0, 0));
}
