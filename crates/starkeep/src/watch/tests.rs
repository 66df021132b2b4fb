//! The model as a fold over messages, and the picture as a function of it.

use std::time::Duration;

use proptest::prelude::*;
use serde_json::{Value, json};
use starkeep_contract::events::{Channel, EventHeaders, PublishedEvent};
use starkeep_contract::map::PlacedPlanet;
use starkeep_contract::scores::ScoreboardRow;
use starkeep_platform::clock::Monotonic;
use unicode_width::UnicodeWidthStr;

use super::draw::draw;
use super::model::{Message, Model};
use crate::games::test_game;

const GAME: &str = "aaaa1111-0000-4000-8000-000000000000";
const OTHER: &str = "bbbb1111-0000-4000-8000-000000000000";
const ADA: &str = "00000000-0000-4000-8000-000000000001";
const ROBOT: &str = "00000000-0000-4000-8000-000000000002";
const PLANET: &str = "00000000-0000-4000-8000-000000000003";

fn at(millis: u64) -> Monotonic {
    Monotonic(0).after(Duration::from_millis(millis))
}

fn event(channel: Channel, game: &str, payload: Value) -> Message {
    let headers = json!({ "eventId": ADA, "transactionId": "", "version": "1", "timestamp": "2026-01-02T03:04:05Z",
        "type": channel.event_type().name() });
    let headers: EventHeaders = serde_json::from_value(headers).unwrap();
    let about = serde_json::from_value(json!({ "gameId": game })).unwrap();
    Message::Event(Box::new(PublishedEvent { id: "p-1".to_owned(), channel, headers, payload, about }))
}

fn time(round: u32, round_millis: u64, phase: &str, left: u64, paused: bool) -> Message {
    let time = json!({ "gameTime": 1, "roundCount": round, "roundTime": 0, "gameTimeInMillis": 1, "paused": paused,
        "roundTimeInMillis": round_millis, "phase": phase, "phaseEndsInMillis": left });
    Message::Time { time: Box::new(serde_json::from_value(time).unwrap()), at: at(1000) }
}

fn row(rank: u32, name: &str) -> ScoreboardRow {
    serde_json::from_value(
        json!({ "rank": rank, "playerId": ADA, "name": name, "money": 110, "robotsAlive": 1,
        "mined": null, "fightsWon": 0, "out": false, "left": false }),
    )
    .unwrap()
}

fn placed(id: &str, x: u16, y: u16) -> PlacedPlanet {
    let then = "2026-01-02T03:04:05Z";
    let planet = json!({ "id": id, "x": x, "y": y, "movement_difficulty": 1, "recharge_multiplicator": 1, "gameworld_id": GAME,
        "planet_type": "default", "neighbours": [], "created_at": then, "updated_at": then, "resource": null });
    serde_json::from_value(planet).unwrap()
}

fn watching(name: &str) -> Model {
    let mut model = Model::default();
    model.apply(Message::Watch(Some(Box::new(test_game(GAME, Some(name), "running")))));
    model
}

#[test]
fn events_become_sentences_with_the_names_that_are_known() {
    let mut model = watching("Lecture");
    model.apply(Message::Board(vec![row(1, "ada")]));
    let spawned = json!({ "robotId": ROBOT, "playerId": ADA, "otherSeeableRobots": [] });
    let spawned = model.apply(event(Channel::SpawnNotification, GAME, spawned));
    assert_eq!(spawned.as_deref(), Some("ada has a new robot"));
    let mined = json!({ "robot_id": ROBOT, "planet_id": PLANET, "amount_mined": 2, "resource_type": "coal" });
    let told = model.apply(event(Channel::ResourceMined, GAME, mined));
    assert_eq!(told.as_deref(), Some("ada mined 2 coal on planet 00000003"));
    model.apply(Message::Places(vec![placed(PLANET, 4, 7)]));
    let shared = json!({ "robot_id": null, "planet_id": PLANET, "amount_mined": 4, "resource_type": "iron" });
    let told = model.apply(event(Channel::ResourceMined, GAME, shared));
    assert_eq!(told.as_deref(), Some("several robots mined 4 iron on planet 4,7"));
    let replenished = json!({ "planet_id": PLANET, "resource": PLANET, "resource_type": "coal" });
    let told = model.apply(event(Channel::ResourceReplenished, GAME, replenished));
    assert_eq!(told.as_deref(), Some("coal was replenished on planet 4,7"));
    let round = || json!({ "gameId": GAME, "roundNumber": 5, "roundStatus": "started" });
    assert_eq!(model.apply(event(Channel::RoundStatus, GAME, round())).as_deref(), Some("round 5 started"));
    assert_eq!(model.apply(event(Channel::RoundStatus, OTHER, round())), None, "another game's");
    assert_eq!(model.latest.back().map(String::as_str), Some("round 5 started"));
}

#[test]
fn who_has_no_name_is_shown_by_the_end_of_the_id_and_who_is_not_told_as_somebody() {
    let mut model = watching("Lecture");
    let moved = || event(Channel::Movement, GAME, json!({ "success": true }));
    assert_eq!(model.apply(moved()).as_deref(), Some("somebody moved a robot"));
    let spawned = json!({ "robotId": ROBOT, "playerId": ADA, "otherSeeableRobots": [] });
    let told = model.apply(event(Channel::SpawnNotification, GAME, spawned));
    assert_eq!(told.as_deref(), Some("player 00000001 has a new robot"));
    let Message::Event(mut by_ada) = moved() else { unreachable!("it is an event") };
    by_ada.about = serde_json::from_value(json!({ "gameId": GAME, "robotId": ROBOT })).unwrap();
    let told = model.apply(Message::Event(by_ada));
    assert_eq!(told.as_deref(), Some("player 00000001 moved a robot"));
}

#[test]
fn the_countdown_follows_the_services_clock_and_stands_while_paused() {
    let mut model = watching("Lecture");
    model.apply(time(4, 500, "collection", 1000, false));
    let clock = model.clock.unwrap();
    assert_eq!(
        (clock.left(at(1000)), clock.left(at(1400))),
        (Duration::from_secs(1), Duration::from_millis(600))
    );
    assert_eq!((clock.left(at(9000)), clock.whole), (Duration::ZERO, Duration::from_millis(1500)));
    assert_eq!(model.game.as_ref().unwrap().round(), 4);
    model.apply(time(4, 1600, "execution", 400, true));
    let clock = model.clock.unwrap();
    assert_eq!(
        (clock.left(at(99_000)), clock.whole),
        (Duration::from_millis(400), Duration::from_millis(500))
    );
}

#[test]
fn an_absence_is_said_once_and_so_is_its_end() {
    let mut model = watching("Lecture");
    assert_eq!(model.apply(Message::Reached(true)), None);
    assert!(model.apply(Message::Reached(false)).unwrap().contains("away"));
    assert_eq!(model.apply(Message::Reached(false)), None);
    assert!(draw(&model, at(0), 80, 24).iter().any(|line| line.1.contains("connecting again")));
    assert!(model.apply(Message::Reached(true)).unwrap().contains("back"));
}

#[test]
fn the_picture_shows_round_countdown_board_and_events() {
    let mut model = watching("Lecture");
    model.page = Some("http://127.0.0.1:8080/".to_owned());
    model.apply(time(4, 500, "collection", 1000, false));
    model.apply(Message::Board(vec![row(1, "ada")]));
    let lines: Vec<String> = draw(&model, at(1500), 80, 24).into_iter().map(|line| line.1).collect();
    assert_eq!(
        lines[..3],
        ["open http://127.0.0.1:8080/", "Lecture", "round 4 of 20, running, commands are taken"]
    );
    let bar = format!("[{}{}]   0.5 s", "#".repeat(20), ".".repeat(40));
    assert_eq!(lines[3], bar);
    assert!(lines[6].starts_with(" 1  ada"), "{lines:?}");
    assert_eq!(lines[8], "watching Lecture: running");
}

#[test]
fn equal_sentences_in_a_row_are_one_line() {
    let mut model = watching("Lecture");
    for note in ["a", "b", "b", "b", "a"] {
        model.apply(Message::Note(note.to_owned()));
    }
    let lines: Vec<String> = draw(&model, at(0), 80, 24).into_iter().map(|line| line.1).collect();
    assert_eq!(lines[lines.len() - 4..], ["a", "b (3 times)", "a", "watching Lecture: running"]);
    let few: Vec<String> = draw(&model, at(0), 80, 6).into_iter().map(|line| line.1).collect();
    assert_eq!(few.last().map(String::as_str), Some("b (3 times)"));
}

proptest! {
    #[test]
    fn no_picture_is_larger_than_the_terminal(
        name in "\\PC{0,60}", players in 0_u32..60, width in 1_u16..120, height in 1_u16..60,
    ) {
        let mut model = watching(&name);
        model.page = Some("http://127.0.0.1:8080/".to_owned());
        model.apply(time(4, 500, "collection", 1000, false));
        model.apply(Message::Board((0..players).map(|rank| row(rank, &name)).collect()));
        let lines = draw(&model, at(1500), width, height);
        prop_assert!(lines.len() <= usize::from(height));
        for line in lines {
            prop_assert!(line.1.width() <= usize::from(width), "{line:?}");
        }
    }
}
