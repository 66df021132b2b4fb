//! A game of rounds in real time: how it is begun, and what must be in the log once it is over.
//! How long its rounds were is not in the log.

use serde_json::{Value, json};
use starkeep_test_http::Caller;
use tempfile::TempDir;

use crate::journal::whole_log;
use crate::two_services::{END, START, path};

/// For data, in memory where there is a place for it: a process that is killed leaves it as it is there, too, and a disk that is
/// busy for others for longer than a round would shift the schedule, as it should.
pub(crate) fn undisturbed_home() -> TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

/// The id of a game with rounds of so many milliseconds, more than any test plays.
pub(crate) async fn started(service: &Caller, round_millis: u32) -> Value {
    let new = json!({ "maxRounds": 10_000, "maxPlayers": 1, "duration": round_millis });
    let game = service.post("/games", &new).await.expect(201)["gameId"].take();
    service.post(&path(&game, START), &Value::Null).await.expect(201);
    game
}

/// Ends the game. The log then has all of its rounds once and in order, each from its start to its end; how many there are.
pub(crate) async fn ended_with_whole_rounds(service: &Caller, game: &Value) -> u32 {
    let ended = service.post(&path(game, END), &Value::Null).await.expect(201);
    let last = u32::try_from(ended["currentRoundNumber"].as_u64().unwrap()).unwrap();
    let (mut words, mut roster, mut rounds) = (Vec::new(), Vec::new(), Vec::new());
    for event in whole_log(service).await {
        let payload = &event["payload"];
        assert_eq!(payload["gameId"], *game);
        match event["channel"].as_str().unwrap() {
            "status" => words.push(payload["status"].clone()),
            "roundStatus" => rounds.push((payload["roundNumber"].clone(), payload["roundStatus"].clone())),
            "gameRoster" => roster.push(payload["change"].clone()),
            other => panic!("{other}: {event}"),
        }
    }
    assert_eq!(words, ["created", "started", "ended"]);
    assert_eq!(roster, ["started", "ended"]);
    let whole = (1..=last).flat_map(|number| {
        ["started", "command input ended", "ended"].map(|word| (number.into(), word.into()))
    });
    assert_eq!(rounds, whole.collect::<Vec<(Value, Value)>>());
    last
}
