//! The `/docs` pages of the real services: every endpoint, channel and answer is there with an example, and all links lead somewhere.
//! How the parts look is tested in the platform.
#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

use serde_json::Value;
use starkeep_contract::channel::Publisher;
use starkeep_contract::dispatch::TradeCommand;
use starkeep_contract::events::Channel;
use starkeep_game_service::GameService;
use starkeep_map_service::MapService;
use starkeep_platform::http::docs::Docs;
use starkeep_robot_service::RobotService;
use starkeep_trading_service::TradingService;

/// Each page with its document and its channels.
fn pages() -> [(String, Value, Vec<Channel>); 4] {
    let game = (GameService::contract(), Publisher::Game);
    let map = (MapService::contract(), Publisher::Map);
    let robot = (RobotService::contract(), Publisher::Robot);
    let trading = (TradingService::contract(), Publisher::Trading);
    [game, map, robot, trading].map(|(contract, publisher)| {
        let channels = Channel::ALL.into_iter().filter(|channel| channel.publisher() == publisher);
        let channels: Vec<_> = channels.collect();
        let page = Docs::new(&contract, &channels, None).told_to(Some("box:1"));
        (page, serde_json::to_value(contract).unwrap(), channels)
    })
}

/// What stands between two texts, wherever they occur.
fn between<'a>(page: &'a str, before: &str, after: &str) -> Vec<&'a str> {
    page.split(before).skip(1).map(|rest| rest.split(after).next().unwrap()).collect()
}

/// The part of the page about one endpoint or channel.
fn entry<'a>(page: &'a str, id: &str) -> &'a str {
    let entries = between(page, &format!("<article class=\"entry\" id=\"{id}\">"), "</article>");
    assert_eq!(entries.len(), 1, "{id}");
    entries[0]
}

#[test]
fn every_endpoint_has_its_command_and_an_example_of_what_it_takes_and_answers() {
    for (page, document, _) in pages() {
        for (path, methods) in document["paths"].as_object().unwrap() {
            for (method, operation) in methods.as_object().unwrap() {
                let entry = entry(&page, operation["operationId"].as_str().unwrap());
                assert!(
                    entry.contains("<figcaption>Request</figcaption><pre><code>curl "),
                    "{method} {path}"
                );
                assert!(entry.contains("http://box:1/"), "{method} {path}");
                if operation["requestBody"].is_object() {
                    assert!(entry.contains("<figcaption>Body</figcaption>"), "{method} {path}");
                    assert!(entry.contains("-d '"), "{method} {path}");
                }
                for (status, answer) in operation["responses"].as_object().unwrap() {
                    let kinds = answer["content"].as_object().into_iter().flat_map(|content| content.keys());
                    // An answer that describes itself, and one that is empty.
                    let is_exempt = [
                        "/",
                        "/page/{path}",
                        "/docs/{file}",
                        "/openapi.json",
                        "/asyncapi.json",
                        "/docs",
                        "/metrics",
                    ]
                    .contains(&&**path)
                        || answer["description"].as_str().unwrap().contains("The body is empty");
                    for kind in kinds.filter(|_| status.starts_with('2') && !is_exempt) {
                        let caption = format!("<figcaption>Answer {status}, {kind}</figcaption>");
                        assert!(entry.contains(&caption), "{method} {path}: {caption}");
                    }
                }
            }
        }
    }
}

#[test]
fn every_channel_has_its_fields_and_an_example() {
    for (page, _, channels) in pages() {
        assert!(!channels.is_empty());
        for channel in channels {
            let entry = entry(&page, &format!("event-{}", channel.name()));
            assert!(entry.contains("<tbody><tr>"), "{}", channel.name());
            assert!(entry.contains("<figcaption>Payload</figcaption><pre><code>"), "{}", channel.name());
        }
    }
}

#[test]
fn links_lead_somewhere_ids_are_unique_and_headings_in_order() {
    for (page, document, _) in pages() {
        let title = &document["info"]["title"];
        let mut ids = between(&page, " id=\"", "\"");
        let targets = between(&page, "href=\"#", "\"");
        assert!(targets.len() > 50, "{title}");
        for target in targets {
            assert!(ids.contains(&target), "{title}: {target}");
        }
        let all = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), all, "{title}: an id is there twice");
        let levels: Vec<u32> =
            between(&page, "<h", ">").iter().filter_map(|rest| rest.get(..1)?.parse().ok()).collect();
        assert_eq!((levels[0], levels.iter().filter(|level| **level == 1).count()), (1, 1), "{title}");
        assert!(levels.windows(2).all(|pair| pair[1] <= pair[0] + 1), "{title}: {levels:?}");
    }
}

#[test]
fn the_states_of_receipts_are_explained_where_commands_are_sent() {
    let explained: Vec<_> = pages().iter().map(|(page, ..)| page.contains("<h2 id=\"receipts\">")).collect();
    assert_eq!(explained, [true, false, false, false]);
}

#[test]
fn the_example_of_trades_is_what_the_game_service_sends() {
    let [.., (_, document, _)] = pages();
    let body = &document["paths"]["/commands"]["post"]["requestBody"]["content"]["application/json"];
    let example = &body["example"];
    let trades: Vec<TradeCommand> = serde_json::from_value(example.clone()).unwrap();
    assert_eq!(&serde_json::to_value(trades).unwrap(), example);
}
