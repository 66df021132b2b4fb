//! What readers cost: one that has stopped reading holds up nobody and misses nothing, and two thousand that wait are cheap.
//! The memory is the process's own, as the operating system counts it.

use serde_json::json;
use starkeep_client::{EventStream, Item, StartFrom};
use starkeep_test_http::{Caller, within_limit};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::program::Program;
use crate::scale::scale;

async fn serve(home: &tempfile::TempDir) -> (Program, Vec<String>) {
    let flags = ["--data-dir", home.path().to_str().unwrap(), "--replenish-every", "0"];
    let program = Program::serve("map", &flags).await;
    let map = program.map();
    let world = map.post("/gameworlds", &json!({ "gameworld": { "player_amount": 1 } })).await.expect(201);
    let chart = map.get(&format!("/gameworlds/{}/planets", world["id"].as_str().unwrap())).await.expect(200);
    let rich = chart.as_array().unwrap().iter().filter(|planet| !planet["resource"].is_null());
    let planets = rich.map(|planet| planet["id"].as_str().unwrap().to_owned()).collect();
    (program, planets)
}

/// So many minings, each an event.
async fn mine(map: &Caller, planets: &[String], count: usize) {
    let mut clients = JoinSet::new();
    for client in 0..64 {
        let (map, planets) = (map.clone(), planets.to_vec());
        clients.spawn(async move {
            let body = json!({ "mining": { "amount_requested": 1 } });
            for number in (client..count).step_by(64) {
                let planet = &planets[number % planets.len()];
                map.post(&format!("/planets/{planet}/minings"), &body).await.expect(201);
            }
        });
    }
    while let Some(client) = clients.join_next().await {
        client.unwrap();
    }
}

/// Megabytes that so many events may cost that nobody takes: 16, or less where there are so few that all of them would
/// fit. One that is held takes 500 bytes, and the first few megabytes of them are the operating system's to hold.
fn allowed(events: usize) -> f64 {
    (200.0 * f64::from(u32::try_from(events).unwrap()) / 1_000_000.0).min(16.0)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_that_stops_reading_costs_little_and_gets_everything_later() {
    let home = tempfile::tempdir().unwrap();
    let (program, planets) = serve(&home).await;
    let map = program.map();
    let url = format!("http://{}", program.address("map"));
    // Everything that is made once (caches, pages, connections of the clients) is made before the memory is measured.
    mine(&map, &planets, 10_000).await;
    let mut stalled = EventStream::open(&url, StartFrom::End, &["resource-mined"]).unwrap();
    stalled.ready().await.unwrap();
    let before = program.resident_megabytes();
    let count = (20_000 * scale()).max(30_000);
    mine(&map, &planets, count).await;
    let grown = program.resident_megabytes() - before;
    assert!(grown < allowed(count), "{grown:.1} MB for {count} events that nobody took");
    let mut numbers = Vec::with_capacity(count);
    for _ in 0..count {
        match within_limit("an event", stalled.next()).await.unwrap() {
            Item::Event(event) => numbers.push(event.id.split('-').nth(1).unwrap().parse::<usize>().unwrap()),
            Item::Gap(gap) => panic!("nothing was removed, and yet {gap:?}"),
        }
    }
    let first = numbers[0];
    assert!(numbers.into_iter().eq(first..first + count), "every event once, in order");
}

#[tokio::test(flavor = "multi_thread")]
async fn two_thousand_idle_readers_are_cheap() {
    let home = tempfile::tempdir().unwrap();
    let (program, planets) = serve(&home).await;
    mine(&program.map(), &planets, 1_000).await;
    let before = program.resident_megabytes();
    let mut readers = Vec::new();
    for _ in 0..2_000 {
        let mut reader = TcpStream::connect(program.address("map")).await.unwrap();
        reader.write_all(b"GET /events HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
        readers.push(reader);
    }
    // Each has its first bytes, so each stream is open.
    for reader in &mut readers {
        let mut head = [0; 1024];
        assert!(within_limit("a stream", reader.read(&mut head)).await.unwrap() > 0);
    }
    let grown = program.resident_megabytes() - before;
    assert!(grown < 40.0, "{grown:.1} MB for 2,000 readers");
}
