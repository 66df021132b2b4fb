//! A service that is away for a while: what must be answered is asked again, what must not be sent twice is counted as lost.
//! What is too late by then is not sent at all.

use std::time::Duration;

use http::StatusCode;
use starkeep_contract::Code;

use super::fake::{Fake, GAME, token};
use super::time::Time;
use super::{bots, run_bots};

#[tokio::test]
async fn who_cannot_register_or_join_for_now_tries_again() {
    let (mut fake, (mut time, clock)) = (Fake::start().await, Time::new());
    let place = fake.place.clone();
    let ran = run_bots(&place, clock, &bots(1), async {
        fake.until(1, "list").await;
        fake.asked("POST /players").await.refuse(Code::StorageUnavailable);
        time.pass_when_awaited(Duration::from_secs(1)).await;
        fake.asked("POST /players").await.usual();
        fake.asked(&format!("PUT /games/{GAME}/players/{}", token(1))).await.refuse(Code::StorageUnavailable);
        time.pass_when_awaited(Duration::from_secs(1)).await;
        fake.until(1, "join").await;
        fake.until(1, "show").await;
        fake.publish_game_status("ended");
    })
    .await;
    ran.outcome.unwrap();
}

#[tokio::test]
async fn a_command_without_an_answer_is_lost_and_readiness_is_said_as_long_as_it_matters() {
    let (mut fake, (mut time, clock)) = (Fake::start().await, Time::new());
    let (place, ready) = (fake.place.clone(), format!("PUT /games/{GAME}/players/{}/ready", token(1)));
    let ran = run_bots(&place, clock, &bots(1), async {
        fake.until(1, "show").await;
        fake.publish_round_status(1, "started");
        fake.asked("POST /commands").await.answer_with(StatusCode::BAD_GATEWAY, "away".to_owned());
        fake.asked(&ready).await.refuse(Code::StorageUnavailable);
        time.pass_when_awaited(Duration::from_secs(1)).await;
        fake.asked(&ready).await.refuse(Code::StorageUnavailable);
        fake.publish_round_status(1, "command input ended");
        fake.publish_round_status(2, "started");
        // Readiness would be taken for the second round's.
        fake.asked("POST /commands").await.refuse(Code::InputEnded);
        fake.publish_game_status("ended");
    })
    .await;
    ran.outcome.unwrap();
    let rest = "0 commands accepted, 1 refused (1 input-ended), 1 lost without an answer.";
    assert_eq!(ran.tally, format!("1 bot played 2 rounds of game {GAME}: {rest}"));
}

#[tokio::test]
async fn what_waits_for_its_turn_when_the_input_ends_is_not_sent() {
    let (mut fake, (_time, clock)) = (Fake::start().await, Time::new());
    let place = fake.place.clone();
    let ran = run_bots(&place, clock, &bots(40), async {
        fake.until(1, "show").await;
        fake.publish_round_status(1, "started");
        let mut under_way = Vec::new();
        for _ in 0..32 {
            under_way.push(fake.asked("POST /commands").await);
        }
        fake.publish_round_status(1, "command input ended");
        fake.publish_gap();
        // Once this is asked, the end of the input has been received.
        fake.asked(&format!("GET /games/{GAME}")).await.usual();
        for asked in under_way {
            asked.refuse(Code::InputEnded);
        }
        fake.publish_game_status("ended");
    })
    .await;
    ran.outcome.unwrap();
    let rest = "0 commands accepted, 32 refused (32 input-ended), 8 not sent because the round was over.";
    assert_eq!(ran.tally, format!("40 bots played 1 round of game {GAME}: {rest}"));
}
