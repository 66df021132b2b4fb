//! The form of every record, in either dialect: that of recorded ones of the existing services, and to the letter the log's.
//! Whether each event is sent once and in order: `kafka_survives` and `kafka_away`.

use std::collections::BTreeMap;
use std::path::Path;

use jiff::Timestamp;
use rusqlite::{Connection, OpenFlags};
use serde_json::Value;
use starkeep_test_broker::{Broker, Record};
use tempfile::TempDir;
use uuid::Uuid;

use crate::bot::start;
use crate::program::Program;
use crate::relayed::nothing_waits;
use crate::traffic::{change_pace, mine, planets_of_a_new_world};
use crate::two_services::{END, new_game, path};

const RECORDED: &str = include_str!("../fixtures/kafka.jsonl");

/// What all records of a kind have in common: names and words, their order, and what the rest is.
#[derive(Clone, Debug, PartialEq)]
struct Form {
    headers: Vec<(String, String)>,
    fields: Vec<(String, String)>,
}

impl Form {
    fn of(record: &Record) -> Self {
        let headers = record.headers.iter().map(|(name, text)| (name.clone(), kind(text)));
        Self { headers: headers.collect(), fields: fields(&record.value) }
    }

    /// Those of the topic, in the order in which they come.
    fn recorded(topic: &str) -> Vec<Self> {
        let lines = RECORDED.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let records = lines.filter(|line| line["topic"] == topic).map(|line| Record {
            offset: 0,
            key: None,
            headers: serde_json::from_value(line["headers"].clone()).unwrap(),
            value: line["value"].as_str().unwrap().to_owned(),
        });
        records.map(|record| Self::of(&record)).collect()
    }
}

/// Ids and times differ, and are told from words by how they are written.
fn kind(text: &str) -> String {
    let is_time = |time: Timestamp| time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string() == text;
    if Uuid::parse_str(text).is_ok_and(|id| id.to_string() == text) {
        "a UUID".to_owned()
    } else if text.parse().is_ok_and(is_time) {
        "a time".to_owned()
    } else {
        text.to_owned()
    }
}

/// In the order of the text.
fn fields(value: &str) -> Vec<(String, String)> {
    let Value::Object(object) = serde_json::from_str(value).unwrap() else { panic!("{value}") };
    let shown = |value| match value {
        Value::String(text) => kind(&text),
        Value::Number(_) => "a number".to_owned(),
        other => other.to_string(),
    };
    let mut fields: Vec<_> = object.into_iter().map(|(name, value)| (name, shown(value))).collect();
    fields.sort_by_key(|(name, _)| value.find(&format!("\"{name}\":")));
    fields
}

/// An installation in which an event of every kind has been logged and sent.
async fn played_in(dialect: &str, broker: &Broker) -> TempDir {
    let home = tempfile::tempdir().unwrap();
    let data = home.path().to_str().unwrap();
    // The game is ended at once, and a round is to be open by then.
    let at_once = ["--start-delay", "0"];
    let flags =
        ["--dialect", dialect, "--data-dir", data, "--kafka", broker.address(), at_once[0], at_once[1]];
    let program = Program::serve("all", &flags).await;
    let (game, map) = (program.game(), program.map());
    let played = game.post("/games", &new_game()).await.expect(201)["gameId"].take();
    change_pace(&game, &played, "turbo").await;
    start(&game, &played).await;
    let planets = planets_of_a_new_world(&map).await;
    assert!(mine(&map, &planets[0], Uuid::from_u128(1)).await);
    // A round that is open is gone through to its end.
    game.post(&path(&played, END), &Value::Null).await.expect(201);
    nothing_waits(&program).await;
    program.terminate();
    assert_eq!(program.ended().await.code, Some(0));
    home
}

/// Key and payload of a channel's events, as they stand in the file.
fn logged(file: &Path, channel: &str) -> Vec<(String, String)> {
    let database = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_WRITE).unwrap();
    let select = "SELECT subject, payload FROM event_log WHERE channel = ? ORDER BY position";
    let mut select = database.prepare(select).unwrap();
    let event = |row: &rusqlite::Row<'_>| Ok((Uuid::from_bytes(row.get(0)?).to_string(), row.get(1)?));
    select.query_map([channel], event).unwrap().map(Result::unwrap).collect()
}

/// The records of a topic, which has one partition. Their keys and values are the log's, their headers the five that every
/// record has.
async fn sent(broker: &Broker, homes: &[TempDir], file: &str, topic: &str, r#type: &str) -> Vec<Record> {
    let records = broker.records(topic).await;
    assert!(!records.is_empty(), "{topic}");
    let sent = records.iter().map(|record| (record.key.clone().unwrap(), record.value.clone()));
    let logged = homes.iter().flat_map(|home| logged(&home.path().join(file), topic));
    assert_eq!(sent.collect::<Vec<_>>(), logged.collect::<Vec<_>>(), "{topic}");
    let recorded = Form::recorded("status").swap_remove(0).headers;
    for record in &records {
        let mut headers = Form::of(record).headers;
        assert_eq!(headers[4].1, r#type);
        "game-status".clone_into(&mut headers[4].1);
        // Nobody orders a gameworld, and the existing map leaves the transaction empty as well.
        if file == "map.db" && headers[1].1.is_empty() {
            headers[1].1.clone_from(&recorded[1].1);
        }
        assert_eq!(headers, recorded, "{record:?}");
    }
    records
}

fn payload(record: &Record) -> Value {
    serde_json::from_str(&record.value).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_record_has_the_form_of_recorded_ones_in_either_dialect() {
    let Some(broker) = Broker::start().await else { return };
    let homes = [played_in("msd", &broker).await, played_in("standard", &broker).await];

    for (topic, r#type) in [("status", "game-status"), ("roundStatus", "round-status")] {
        let records = sent(&broker, &homes, "game.db", topic, r#type).await;
        let recorded = vec![Form::recorded(topic); homes.len()].concat();
        assert_eq!(records.iter().map(Form::of).collect::<Vec<_>>(), recorded);
        assert!(records.iter().all(|record| payload(record)["gameId"] == *record.key.as_ref().unwrap()));
    }
    let clock = sent(&broker, &homes, "game.db", "gameClock", "gameClock").await;
    assert!(clock.iter().all(|record| payload(record)["gameId"] == *record.key.as_ref().unwrap()));

    let mut worlds = BTreeMap::new();
    for world in sent(&broker, &homes, "map.db", "gameworld-created", "gameworld-created").await {
        let payload = payload(&world);
        assert_eq!(payload["id"], *world.key.as_ref().unwrap());
        worlds.insert(world.key.unwrap(), payload["spacestation_ids"].clone());
    }
    let recorded = Form::recorded("spacestation-created").swap_remove(0).fields;
    for station in sent(&broker, &homes, "map.db", "spacestation-created", "spacestation-created").await {
        assert_eq!(Form::of(&station).fields, recorded);
        let stations = worlds[&station.key.clone().unwrap()].as_array().unwrap();
        assert!(stations.contains(&payload(&station)["planet_id"]), "{station:?} of {stations:?}");
    }
    for mined in sent(&broker, &homes, "map.db", "resource-mined", "resource-mined").await {
        assert!(worlds.contains_key(mined.key.as_ref().unwrap()), "{mined:?}");
    }
}
