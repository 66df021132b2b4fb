//! An event as a line: for people in a few words, for programs as JSON.
//! The text for people leaves out most fields; a payload that is not understood is shown as it is.

use serde_json::{Value, json};
use starkeep_client::Item;
use starkeep_contract::events::{Channel, PublishedEvent};

use crate::names::{self, Names, id};
use crate::paint::harmless;

pub(super) fn json(item: &Item) -> String {
    match item {
        Item::Event(event) => json!(event).to_string(),
        Item::Gap(gap) => json!({ "gap": gap }).to_string(),
    }
}

pub(super) fn text(service: &str, item: &Item, names: &Names) -> String {
    let line = match item {
        Item::Event(event) => {
            let words = words(event, names).unwrap_or_else(|| event.payload.to_string());
            format!("{}  {:<20}  {words}", event.headers.timestamp, event.channel.name())
        }
        Item::Gap(gap) => {
            let reason = json!(gap.reason);
            let reason = reason.as_str().unwrap_or_default();
            format!(
                "events of the {service} service may be missing here ({reason}); after {}",
                gap.resumes_after
            )
        }
    };
    harmless(&line)
}

fn words(event: &PublishedEvent, names: &Names) -> Option<String> {
    let player = || Some(names.player(id(&event.payload["playerId"])?));
    let planet = || Some(names.planet(id(&event.payload["planet_id"])?));
    let payload = &event.payload;
    let text = |key: &str| payload[key].as_str();
    let number = |key: &str| payload[key].as_i64();
    Some(match event.channel {
        Channel::Status => format!("game {} · game {}", text("status")?, short(&payload["gameId"])?),
        Channel::PlayerStatus => {
            format!("{} joined · player {}", text("name")?, short(&payload["playerId"])?)
        }
        Channel::RoundStatus => {
            let (round, game) = (number("roundNumber")?, short(&payload["gameId"])?);
            format!("round {round} {} · game {game}", text("roundStatus")?)
        }
        Channel::GameClock => {
            let (round, game) = (number("roundNumber")?, short(&payload["gameId"])?);
            let left = number("remainingMillis").map_or(String::new(), |left| format!(", {left} ms left"));
            let phase = text("phase").map_or(String::new(), |phase| format!(" in {phase}"));
            format!("clock: {}, round {round}{phase}{left} · game {game}", text("change")?)
        }
        Channel::GameworldCreated => {
            let stations = payload["spacestation_ids"].as_array()?.len();
            format!("world made, {stations} space stations · world {}", short(&payload["id"])?)
        }
        Channel::SpacestationCreated => format!("space station · {}", planet()?),
        Channel::ResourceMined => {
            let (mined, left) = (number("amount_mined")?, number("amount_left")?);
            format!("{mined} {} mined, {left} left · {}", text("resource_type")?, planet()?)
        }
        Channel::ResourceReplenished => {
            format!("{} replenished · {}", text("resource_type")?, planet()?)
        }
        Channel::GameRoster => {
            let player = player().map_or(String::new(), |player| format!(" · {player}"));
            format!("{}{player} · game {}", text("change")?, short(&payload["gameId"])?)
        }
        Channel::Scores => {
            let players = payload["players"].as_array()?.len();
            let (round, game) = (number("roundNumber")?, short(&payload["gameId"])?);
            format!("scores of {players} players after round {round} · game {game}")
        }
        Channel::SpawnNotification => {
            format!("robot spawned · robot {} · {}", short(&payload["robotId"])?, player()?)
        }
        Channel::Neighbours => format!("{} neighbours seen", payload["neighbours"].as_array()?.len()),
        Channel::Movement | Channel::Mining | Channel::Regeneration => {
            let energy = number("remainingEnergy").map_or(String::new(), |left| format!(", energy {left}"));
            format!("{}{energy}", text("message")?)
        }
        Channel::Fighting => {
            let health = number("remainingDefenderHealth")
                .map_or(String::new(), |left| format!(", its health {left}"));
            format!("{}{health}", text("message")?)
        }
        Channel::RobotDestroyed => {
            format!("robot destroyed · robot {} · {}", short(&payload["robotId"])?, player()?)
        }
        Channel::ResourceDistribution => {
            let held: Vec<_> = ["coal", "iron", "gem", "gold", "platin"]
                .into_iter()
                .filter_map(|kind| {
                    number(kind).filter(|amount| *amount > 0).map(|amount| format!("{amount} {kind}"))
                })
                .collect();
            let held = if held.is_empty() { "nothing".to_owned() } else { held.join(", ") };
            format!("holds {held} after a fight · robot {}", short(&payload["robotId"])?)
        }
        Channel::BankCreated => {
            format!("account opened with {} · {}", number("money")?, player()?)
        }
        Channel::Trades => {
            format!("{}: {}, money {:+}", event.headers.r#type, text("message")?, number("moneyChangedBy")?)
        }
        Channel::CurrentItemPrices | Channel::CurrentResourcePrices => {
            let price =
                |price: &Value| Some(format!("{} {}", price["name"].as_str()?, price["price"].as_i64()?));
            let prices: Option<Vec<_>> = payload.as_array()?.iter().map(price).collect();
            prices?.join(", ")
        }
    })
}

fn short(id: &Value) -> Option<&str> {
    id.as_str().map(names::short)
}

#[cfg(test)]
mod tests {
    use starkeep_contract::events::{EventAbout, EventHeaders, Gap, GapReason};

    use super::*;

    fn event(channel: Channel, payload: Value) -> Item {
        let headers = json!({ "eventId": "00000000-0000-0000-0000-000000000000", "transactionId": "", "version": "1",
            "timestamp": "2026-01-02T03:04:05Z", "type": channel.event_type().name() });
        let headers: EventHeaders = serde_json::from_value(headers).unwrap();
        Item::Event(PublishedEvent {
            id: "p-1".to_owned(),
            channel,
            headers,
            payload,
            about: EventAbout::default(),
        })
    }

    #[test]
    fn every_channel_has_its_words() {
        let id = "01a1ee34-0000-7000-8000-00001a2b3c4d";
        let cases = [
            (Channel::Status, json!({ "gameId": id, "status": "started" }), "game started · game 1a2b3c4d"),
            (
                Channel::PlayerStatus,
                json!({ "playerId": id, "name": "ann\u{1b}[2J" }),
                "ann\u{fffd}[2J joined · player 1a2b3c4d",
            ),
            (
                Channel::RoundStatus,
                json!({ "gameId": id, "roundId": id, "roundNumber": 3, "roundStatus": "command input ended" }),
                "round 3 command input ended · game 1a2b3c4d",
            ),
            (
                Channel::GameClock,
                json!({ "gameId": id, "change": "paused", "roundNumber": 3, "phase": "collection",
                    "remainingMillis": 1500 }),
                "clock: paused, round 3 in collection, 1500 ms left · game 1a2b3c4d",
            ),
            (
                Channel::GameClock,
                json!({ "gameId": id, "change": "pace", "roundNumber": 0, "phase": null, "remainingMillis": null }),
                "clock: pace, round 0 · game 1a2b3c4d",
            ),
            (
                Channel::GameworldCreated,
                json!({ "id": id, "spacestation_ids": [id, id], "status": "active" }),
                "world made, 2 space stations · world 1a2b3c4d",
            ),
            (Channel::SpacestationCreated, json!({ "planet_id": id }), "space station · planet 1a2b3c4d"),
            (
                Channel::ResourceMined,
                json!({ "planet_id": id, "resource_type": "coal", "amount_mined": 25, "amount_left": 75 }),
                "25 coal mined, 75 left · planet 1a2b3c4d",
            ),
            (
                Channel::ResourceReplenished,
                json!({ "planet_id": id, "resource": id, "resource_type": "gem" }),
                "gem replenished · planet 1a2b3c4d",
            ),
            (Channel::Status, json!({ "of": "tomorrow" }), r#"{"of":"tomorrow"}"#),
        ];
        for (channel, payload, words) in cases {
            assert_shown(channel, payload, words);
        }
    }

    #[test]
    fn so_have_those_of_robots_trading_and_scores() {
        let id = "01a1ee34-0000-7000-8000-00001a2b3c4d";
        let cases = [
            (
                Channel::GameRoster,
                json!({ "gameId": id, "change": "joined", "playerId": id }),
                "joined · player 1a2b3c4d · game 1a2b3c4d",
            ),
            (
                Channel::GameRoster,
                json!({ "gameId": id, "change": "ended", "playerId": null }),
                "ended · game 1a2b3c4d",
            ),
            (
                Channel::Scores,
                json!({ "gameId": id, "roundNumber": 2, "players": [{}, {}] }),
                "scores of 2 players after round 2 · game 1a2b3c4d",
            ),
            (
                Channel::SpawnNotification,
                json!({ "robotId": id, "playerId": id, "otherSeeableRobots": [] }),
                "robot spawned · robot 1a2b3c4d · player 1a2b3c4d",
            ),
            (Channel::Neighbours, json!({ "neighbours": [{}, {}] }), "2 neighbours seen"),
            (
                Channel::Movement,
                json!({ "message": "Movement successful", "remainingEnergy": 18 }),
                "Movement successful, energy 18",
            ),
            (Channel::Mining, json!({ "message": "no", "remainingEnergy": null }), "no"),
            (
                Channel::Regeneration,
                json!({ "message": "Robot regenerated 4 energy", "remainingEnergy": 20 }),
                "Robot regenerated 4 energy, energy 20",
            ),
            (
                Channel::Fighting,
                json!({ "message": "Attacking successful", "remainingDefenderHealth": -1 }),
                "Attacking successful, its health -1",
            ),
            (
                Channel::RobotDestroyed,
                json!({ "robotId": id, "playerId": id }),
                "robot destroyed · robot 1a2b3c4d · player 1a2b3c4d",
            ),
            (
                Channel::ResourceDistribution,
                json!({ "robotId": id, "coal": 3, "iron": 0, "gem": 1, "gold": 0, "platin": 0 }),
                "holds 3 coal, 1 gem after a fight · robot 1a2b3c4d",
            ),
            (
                Channel::BankCreated,
                json!({ "money": 200, "playerId": id }),
                "account opened with 200 · player 1a2b3c4d",
            ),
            (
                Channel::Trades,
                json!({ "message": "resources sold", "moneyChangedBy": 20 }),
                "trades: resources sold, money +20",
            ),
            (
                Channel::CurrentResourcePrices,
                json!([{ "price": 5, "name": "coal" }, { "price": 15, "name": "iron" }]),
                "coal 5, iron 15",
            ),
            (Channel::CurrentItemPrices, json!([{ "price": 40, "name": "ROCKET" }]), "ROCKET 40"),
        ];
        for (channel, payload, words) in cases {
            assert_shown(channel, payload, words);
        }
    }

    #[track_caller]
    fn assert_shown(channel: Channel, payload: Value, words: &str) {
        let line = format!("2026-01-02T03:04:05Z  {:<20}  {words}", channel.name());
        assert_eq!(text("game", &event(channel, payload), &Names::default()), line);
    }

    #[test]
    fn a_gap_is_told_in_both_forms() {
        let gap = Item::Gap(Gap { reason: GapReason::Epoch, resumes_after: "p-7".to_owned() });
        assert_eq!(
            text("map", &gap, &Names::default()),
            "events of the map service may be missing here (epoch); after p-7"
        );
        assert_eq!(json(&gap), r#"{"gap":{"reason":"epoch","resumesAfter":"p-7"}}"#);
    }
}
