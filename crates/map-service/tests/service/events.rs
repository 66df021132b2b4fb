//! Events in the log: which, in what order, and with exactly which payload.
//! How the log is read by others is not tested here.

use std::time::Duration;

use serde_json::json;
use starkeep_contract::Dialect;
use starkeep_platform::service::FrameConfig;
use starkeep_test_harness::{EPOCH, StoredEvent, text};

use crate::harness::{BEGINNING, TestMap, framed};

fn log(map: &TestMap) -> Vec<StoredEvent> {
    let log = map.stored_events();
    assert!(log.iter().all(|event| event.event_id.get_version_num() == 4));
    log
}

#[tokio::test]
async fn a_world_is_announced_before_its_stations() {
    let map = TestMap::new().await;
    let world = map.post("/gameworlds", json!({"gameworld": {"player_amount": 1}})).await.body;
    let (id, stations) = (text(&world["id"]), world["spacestation_ids"].as_array().unwrap());
    let [one, two] = &stations[..] else { panic!("two stations for one player") };
    let log = log(&map);
    let published: Vec<(&str, &str)> = log.iter().map(|event| (&*event.channel, &*event.payload)).collect();
    assert_eq!(
        published,
        [
            (
                "gameworld-created",
                &*format!(r#"{{"id":"{id}","spacestation_ids":[{one},{two}],"status":"active"}}"#)
            ),
            ("spacestation-created", &*format!(r#"{{"planet_id":{one}}}"#)),
            ("spacestation-created", &*format!(r#"{{"planet_id":{two}}}"#)),
        ]
    );
    for event in &log {
        assert_eq!(event.subject.to_string(), id);
        assert_eq!(event.transaction, None);
        assert_eq!(event.at_millis, BEGINNING * 1_000);
    }
}

#[tokio::test]
async fn a_mining_is_announced_with_its_transaction() {
    let map = TestMap::new().await;
    let world = map.world().await;
    let planet = map.deposits(&world).await[0].clone();
    let resource = map.get(&format!("/planets/{planet}")).await.body["resource"].clone();
    let transaction = "11111111-2222-4333-8444-555555555555";
    let robot = "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee";
    let with =
        json!({"mining": {"amount_requested": 9_999, "transaction_id": transaction, "robot_id": robot}});
    let path = format!("/planets/{planet}/minings");
    map.post(&path, with).await;
    map.clock.advance(Duration::from_millis(250));
    map.post(&path, json!({"mining": {"amount_requested": 9, "transaction_id": "", "robot_id": ""}})).await;
    let log = log(&map);
    let [.., first, second] = &log[..] else { panic!("two minings") };
    let (resource, kind) = (text(&resource["id"]), text(&resource["resource_type"]));
    assert_eq!(
        first.payload,
        format!(
            r#"{{"planet_id":"{planet}","resource_id":"{resource}","resource_type":"{kind}","amount_mined":9999,"amount_left":1,"transaction_id":"{transaction}","robot_id":"{robot}"}}"#
        )
    );
    assert_eq!(
        second.payload,
        format!(
            r#"{{"planet_id":"{planet}","resource_id":"{resource}","resource_type":"{kind}","amount_mined":1,"amount_left":0,"transaction_id":null,"robot_id":null}}"#
        )
    );
    for event in [first, second] {
        assert_eq!((&*event.channel, event.subject.to_string()), ("resource-mined", world.clone()));
    }
    assert_eq!(first.transaction.map(|id| id.to_string()).as_deref(), Some(transaction));
    assert_eq!(second.transaction, None);
    assert_eq!(second.at_millis, BEGINNING * 1_000 + 250);
}

#[tokio::test]
async fn a_refill_is_announced_without_its_amount() {
    for (dialect, key) in [(Dialect::Standard, "resource"), (Dialect::Msd, "resource_id")] {
        let map = TestMap::with(framed(FrameConfig { dialect, ..FrameConfig::default() })).await;
        let world = map.world().await;
        let planets = map.deposits(&world).await;
        let gone = map.get(&format!("/planets/{}", planets[0])).await.body["resource"].clone();
        map.mine(&planets[0], 10_000).await;
        map.mine(&planets[1], 300).await;
        map.service().replenisher().step(EPOCH).await.unwrap();

        let chart = map.chart(&world).await;
        let log = log(&map);
        let [.., moved, filled] = &log[..] else { panic!("two refills") };
        let filled_resource = map.get(&format!("/planets/{}", planets[1])).await.body["resource"].clone();
        assert_eq!(
            filled.payload,
            format!(
                r#"{{"planet_id":"{}","{key}":{},"resource_type":{}}}"#,
                planets[1], filled_resource["id"], filled_resource["resource_type"]
            )
        );
        let successor = chart
            .iter()
            .map(|planet| &planet["resource"])
            .find(|resource| moved.payload.contains(&format!(r#""{key}":{}"#, resource["id"])))
            .expect("the successor is somewhere");
        assert_eq!(
            moved.payload,
            format!(
                r#"{{"planet_id":{},"{key}":{},"resource_type":{}}}"#,
                successor["planet_id"], successor["id"], gone["resource_type"]
            )
        );
        for event in [moved, filled] {
            assert_eq!((&*event.channel, event.subject.to_string()), ("resource-replenished", world.clone()));
            assert_eq!(event.transaction, None);
        }
    }
}
