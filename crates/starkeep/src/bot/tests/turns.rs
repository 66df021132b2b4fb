//! Single turns and single questions about receipts, without a stream: what is asked, in which order, and what is counted.
//! Where they stand in a game is tested with the game.

use std::sync::Arc;

use serde_json::json;
use starkeep_contract::{Code, GameId, TransactionId};
use starkeep_test_http::within_limit;
use tokio::sync::watch;
use uuid::Uuid;

use super::super::receipts::Receipts;
use super::super::robot_events::RobotEvents;
use super::super::seated_bot::Bot;
use super::super::service::Service;
use super::super::tally::Tally;
use super::super::turn::{Played, Sent, Turn, play};
use super::fake::{Fake, GAME, receipt, token};
use super::time::{Longest, Time};

#[tokio::test]
async fn readiness_that_is_refused_is_told_beside_the_command() {
    let (mut fake, (_time, clock)) = (Fake::start().await, Time::new());
    let service = Service::new(&fake.place.url, clock, Arc::new(Longest)).unwrap();
    let over = watch::Sender::new(false);
    let bot = Arc::new(Bot::new(&service, 1, token(1).to_string()));
    let robot_events = RobotEvents::new(None, GAME, &[]);
    let turn = Turn { bot, robot_events, round: 1, last_round: 9, over: over.subscribe() };
    let (played, ()) = tokio::join!(within_limit("the turn", play(service, GAME, turn)), async {
        fake.asked("POST /commands").await.usual();
        fake.asked(&format!("PUT /games/{GAME}/players/{}/ready", token(1))).await.refuse(Code::InputEnded);
    });
    let commands = vec![Sent::Accepted(TransactionId(token(1)))];
    assert_eq!(played, Played { commands, unready: Some(Code::InputEnded) });
}

#[tokio::test]
async fn what_is_not_settled_is_asked_once_more_and_not_again() {
    let (mut fake, (_time, clock)) = (Fake::start().await, Time::new());
    let mut receipts = Receipts::new(Service::new(&fake.place.url, clock, Arc::new(Longest)).unwrap());
    let mut tally = Tally::default();
    tally.begin(GameId(Uuid::nil()), 1);
    let ids = [1, 2, 3, 4].map(token);
    for id in ids {
        let commands = vec![Sent::Accepted(TransactionId(id))];
        tally.played(&Played { commands, unready: None });
        receipts.keep(TransactionId(id));
    }
    let states = [
        // By token: the first and the second answer; none is a refusal.
        (ids[0], [Some("pending"), Some("pending")].as_slice()),
        (ids[1], &[None, Some("undelivered")]),
        (ids[2], &[Some("dropped")]),
        (ids[3], &[None, None]),
    ];
    let script = async {
        let mut times = [0; 4];
        for _ in 0..7 {
            let asked = fake.next().await;
            let number = ids.iter().position(|id| asked.line == format!("GET /commands/{id}")).unwrap();
            let (id, answers) = states[number];
            match answers[times[number]] {
                Some(state) => asked.answer(&receipt(&json!(id), state)),
                None => asked.refuse(Code::UnknownCommand),
            }
            times[number] += 1;
        }
    };
    tokio::join!(within_limit("the receipts", receipts.settle(&mut tally)), script);
    let line = tally.to_string();
    assert!(line.ends_with("accepted: 1 dropped, 1 pending, 1 undelivered, 1 not known."), "{line}");
}
