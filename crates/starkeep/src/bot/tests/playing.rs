//! A game as bots play it: one command each in every round, readiness after it, and receipts when the round is over.
//! What is late, missing or another game's leads to no second command.

use std::collections::HashSet;

use serde_json::json;
use starkeep_contract::{Code, GameId};
use uuid::Uuid;

use super::super::Wanted;
use super::fake::{Fake, GAME, game, round, token};
use super::time::Time;
use super::{bots, run_bots};

fn summary(start: &str, rest: &str) -> String {
    format!("{start} of game {GAME}: {rest}")
}

#[tokio::test]
async fn every_bot_sends_one_command_in_every_round_and_then_is_ready() {
    let (mut fake, (_time, clock)) = (Fake::start().await, Time::new());
    let place = fake.place.clone();
    let ran = run_bots(&place, clock, &bots(3), async {
        fake.until(1, "show").await;
        fake.publish("status", &json!({ "gameId": Uuid::nil(), "status": "ended" }));
        fake.publish_game_status("started");
        for number in [1, 2] {
            fake.publish("roundStatus", &round(GameId(Uuid::nil()), 7, "started"));
            fake.publish_round_status(number, "started");
            fake.until(3, "ready").await;
            fake.publish_round_status(number, "command input ended");
            fake.publish_round_status(number, "ended");
        }
        fake.publish_game_status("ended");
        fake.until_they_leave().await;
    })
    .await;
    ran.outcome.unwrap();
    assert_eq!(
        ran.tally,
        summary(
            "3 bots played 2 rounds",
            "6 commands accepted, 0 refused. What became of those accepted: 6 dispatched."
        )
    );
    assert_eq!(ran.printed, format!("Joined game {GAME} as bot-1 to bot-3; playing until it ends.\n"));
    assert!(!ran.printed.contains(&token(1).to_string()));

    let registered: Vec<_> = fake.sent("register");
    let of_the_third = registered.iter().find(|body| body["name"] == "bot-3").expect("it has registered");
    assert_eq!(of_the_third["email"], "bot-3@bots.example");
    let codes: HashSet<_> = registered.iter().filter_map(|body| body["recoveryCode"].as_str()).collect();
    assert_eq!(codes.len(), 3, "each has a code of its own: {registered:?}");
    assert_eq!(
        fake.sent("command").into_iter().find(|body| body["playerToken"] == json!(token(2))),
        Some(&json!({ "gameId": GAME, "playerToken": token(2), "commandType": "buying", "commandObject": {
            "commandType": "buying", "planetId": null, "targetId": null, "itemName": "ROBOT", "itemQuantity": 1 } }))
    );
    for number in 1..=3 {
        let secret = token(number).to_string();
        let ready = format!("PUT /games/{GAME}/players/{secret}/ready");
        let order: Vec<_> = fake
            .seen
            .iter()
            .filter_map(|(line, body)| match line {
                line if *line == ready => Some("ready"),
                _ if body["playerToken"] == json!(secret) => Some("command"),
                _ => None,
            })
            .collect();
        assert_eq!(order, ["command", "ready", "command", "ready"], "bot-{number}");
    }
}

#[tokio::test]
async fn bots_with_a_seed_join_and_act_one_after_the_other() {
    let (mut fake, (_time, clock)) = (Fake::start().await, Time::new());
    let (place, wanted) = (fake.place.clone(), Wanted { in_order: true, ..bots(3) });
    let ran = run_bots(&place, clock, &wanted, async {
        fake.until(1, "show").await;
        fake.publish_round_status(1, "started");
        fake.until(3, "ready").await;
        fake.publish_game_status("ended");
        fake.until_they_leave().await;
    })
    .await;
    ran.outcome.unwrap();
    let by_token = |line: &str, number: u32| line.contains(&token(number).to_string());
    let order: Vec<_> = fake
        .seen
        .iter()
        .filter(|(line, body)| line.contains("/players/") || body["playerToken"].is_string())
        .filter_map(|(line, body)| (1..=3).find(|number| by_token(&format!("{line} {body}"), *number)))
        .collect();
    // Each joins; then each sends its command and is ready.
    assert_eq!(order, [1, 2, 3, 1, 1, 2, 2, 3, 3]);
}

#[tokio::test]
async fn refusals_are_counted_and_who_was_too_late_is_not_ready_for_the_next_round() {
    let (mut fake, (_time, clock)) = (Fake::start().await, Time::new());
    let place = fake.place.clone();
    let ready = format!("PUT /games/{GAME}/players/{}/ready", token(1));
    let ran = run_bots(&place, clock, &bots(1), async {
        fake.until(1, "show").await;
        fake.publish_round_status(1, "started");
        fake.asked("POST /commands").await.refuse(Code::InputEnded);
        fake.publish_round_status(2, "started");
        fake.asked("POST /commands").await.refuse(Code::NotParticipating);
        fake.asked(&ready).await.usual();
        fake.publish_game_status("ended");
    })
    .await;
    ran.outcome.unwrap();
    let refused = "0 commands accepted, 2 refused (1 input-ended, 1 not-participating).";
    assert_eq!(ran.tally, summary("1 bot played 2 rounds", refused));
}

#[tokio::test]
async fn where_events_are_missing_the_game_is_asked_and_no_round_is_played_twice() {
    let (mut fake, (_time, clock)) = (Fake::start().await, Time::new());
    let (place, show) = (fake.place.clone(), format!("GET /games/{GAME}"));
    let ran = run_bots(&place, clock, &bots(1), async {
        fake.until(1, "join").await;
        // It began meanwhile, and the stream is going to report it, too.
        fake.asked(&show).await.answer(&game("running", 4));
        fake.until(1, "ready").await;
        fake.publish_round_status(3, "started");
        fake.publish_round_status(4, "started");
        fake.publish_gap();
        fake.asked(&show).await.answer(&game("running", 6));
        fake.until(1, "ready").await;
        fake.publish_gap();
        fake.asked(&show).await.answer(&game("ended", 6));
        fake.until(2, "receipt").await;
    })
    .await;
    ran.outcome.unwrap();
    assert_eq!(fake.sent("command").len(), 2);
    assert!(ran.tally.starts_with("1 bot played 2 rounds"), "{}", ran.tally);
}

#[tokio::test]
async fn a_game_that_is_gone_ends_the_command() {
    let (mut fake, (_time, clock)) = (Fake::start().await, Time::new());
    let (place, show) = (fake.place.clone(), format!("GET /games/{GAME}"));
    let ran = run_bots(&place, clock, &bots(1), async {
        fake.until(1, "show").await;
        fake.publish_gap();
        fake.asked(&show).await.refuse(Code::UnknownGame);
    })
    .await;
    let failure = ran.outcome.unwrap_err();
    assert_eq!(
        (failure.exit_code(), failure.to_string()),
        (1, format!("game {GAME} does not exist any longer"))
    );
}
