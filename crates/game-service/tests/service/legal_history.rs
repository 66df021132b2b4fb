//! Random hosts, players, maps and restarts: whatever they do, every game's history is a legal one,
//! no two games run at once, and no world is left behind.

use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json};
use starkeep_contract::Dialect;
use starkeep_game_core::{GameId, PlayerId, ReplenishmentMode};
use starkeep_test_harness::{Reply, delete, in_one_process, post, put, uuid_in};
use uuid::Uuid;

use crate::fake_map::{Behaviour, World};
use crate::harness::{Bench, Setup, id_in};
use crate::log::Logged;

#[derive(Clone, Debug)]
enum Deed {
    Create {
        rounds: u32,
        players: u32,
    },
    /// In a world that the host has had made.
    CreateInGivenWorld {
        rounds: u32,
        automatic: bool,
    },
    Join(Index),
    Start(Index),
    SetRounds(Index, i64),
    SetDuration(Index, i64),
    Order(Index, &'static str),
    SetPace(Index, &'static str),
    /// Everybody who has joined says so.
    Ready(Index),
    End(Index),
    Delete(Index),
    Register,
    /// A registered player joins.
    JoinAs(Index, Index),
    LeaveAs(Index, Index),
    /// By the host.
    TakeOut(Index, Index),
    Renew(Index),
    /// A robot of a registered player, or of nobody who is known.
    Spawn(u128, Index),
    Destroy(u128),
    Pass {
        millis: u64,
    },
    /// Nobody keeps time.
    Freeze {
        millis: u64,
    },
    SetWallClock {
        hours: i64,
    },
    Restart {
        after_a_heartbeat: bool,
    },
    MapBehaves(Behaviour),
    MapTakesRetirements(bool),
    Care,
    /// The map is asked for what is open.
    Replenish,
}

fn deeds() -> impl Strategy<Value = Vec<Deed>> {
    let behaviour = prop_oneof![
        3 => Just(Behaviour::Answers),
        1 => Just(Behaviour::Away),
        1 => Just(Behaviour::LosesItsAnswer),
        1 => Just(Behaviour::ChoosesAnotherId),
    ];
    let which = any::<Index>;
    let deed = prop_oneof![
        3 => (1..4_u32, 1..4_u32).prop_map(|(rounds, players)| Deed::Create { rounds, players }),
        1 => (1..4_u32, any::<bool>())
            .prop_map(|(rounds, automatic)| Deed::CreateInGivenWorld { rounds, automatic }),
        4 => which().prop_map(Deed::Join),
        4 => which().prop_map(Deed::Start),
        2 => (which(), -1..5_i64).prop_map(|(game, rounds)| Deed::SetRounds(game, rounds)),
        2 => (which(), 1_500..6_000_i64).prop_map(|(game, millis)| Deed::SetDuration(game, millis)),
        6 => (which(), prop_oneof![Just("pause"), Just("resume"), Just("step")])
            .prop_map(|(game, command)| Deed::Order(game, command)),
        2 => (which(), prop_oneof![Just("clock"), Just("turbo")])
            .prop_map(|(game, pace)| Deed::SetPace(game, pace)),
        2 => which().prop_map(Deed::Ready),
        1 => (1..20_000_u64).prop_map(|millis| Deed::Freeze { millis }),
        1 => (-50..50_i64).prop_map(|hours| Deed::SetWallClock { hours }),
        2 => which().prop_map(Deed::End),
        1 => which().prop_map(Deed::Delete),
        3 => Just(Deed::Register),
        5 => (which(), which()).prop_map(|(game, player)| Deed::JoinAs(game, player)),
        1 => (which(), which()).prop_map(|(game, player)| Deed::LeaveAs(game, player)),
        2 => (which(), which()).prop_map(|(game, player)| Deed::TakeOut(game, player)),
        2 => which().prop_map(Deed::Renew),
        4 => (0..6_u128, which()).prop_map(|(robot, owner)| Deed::Spawn(robot, owner)),
        2 => (0..6_u128).prop_map(Deed::Destroy),
        9 => (1..2_000_u64).prop_map(|millis| Deed::Pass { millis }),
        2 => any::<bool>().prop_map(|after_a_heartbeat| Deed::Restart { after_a_heartbeat }),
        1 => behaviour.prop_map(Deed::MapBehaves),
        1 => any::<bool>().prop_map(Deed::MapTakesRetirements),
        1 => Just(Deed::Care),
        2 => Just(Deed::Replenish),
    ];
    prop::collection::vec(deed, 10..60)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(ProptestConfig::default().cases / 3) })]

    #[test]
    fn whatever_happens_the_history_is_legal(deeds in deeds(), msd: bool) {
        let dialect = if msd { Dialect::Msd } else { Dialect::Standard };
        in_one_process(async {
            let replenish_every = Some(std::time::Duration::from_secs(4));
            let mut bench = Bench::with(Setup { dialect, replenish_every, ..Setup::default() }).await;
            let mut known = Known::default();
            for deed in deeds {
                perform(&mut bench, &mut known, deed).await;
            }
            let games = known.games;
            bench.compare_replica().await;
            assert_at_most_one_runs(&bench.events());
            for game in &games {
                assert_legal(&bench, *game).await;
            }
            bench.map.set_behaviour(Behaviour::Answers);
            bench.map.refuse_retirements(false);
            bench.replenish().await.expect("everything can be replenished");
            // A world that was yet to be replenished is retired after that.
            bench.care().await.expect("everything can be taken care of");
            assert_no_world_is_left_behind(&bench, &games).await;
        });
    }
}

#[derive(Default)]
struct Known {
    games: Vec<Uuid>,
    /// The ids and tokens of those who have registered.
    players: Vec<(Uuid, Uuid)>,
}

/// A game of those that were ever created; one that nobody knows before the first.
fn chosen(games: &[Uuid], which: Index) -> Uuid {
    if games.is_empty() { Uuid::from_u128(1) } else { *which.get(games) }
}

/// The same for the id and the token of a player.
fn chosen_player(players: &[(Uuid, Uuid)], which: Index) -> (Uuid, Uuid) {
    if players.is_empty() { (Uuid::from_u128(2), Uuid::from_u128(3)) } else { *which.get(players) }
}

async fn perform(bench: &mut Bench, Known { games, players }: &mut Known, deed: Deed) {
    let reply = match deed {
        Deed::Create { rounds, players } => {
            let body = json!({"maxRounds": rounds, "maxPlayers": players, "duration": 4000});
            let reply = bench.ask(post("/games").json(&body)).await;
            if reply.status == 201 {
                games.push(id_in(&reply));
            }
            reply
        }
        Deed::CreateInGivenWorld { rounds, automatic } => {
            let reply = create_in_given_world(bench, rounds, automatic).await;
            if reply.status == 201 {
                games.push(id_in(&reply));
            }
            reply
        }
        Deed::Start(which) => bench.start(chosen(games, which)).await,
        Deed::SetRounds(which, rounds) => bench.set_rounds(chosen(games, which), rounds).await,
        Deed::SetDuration(which, millis) => bench.set_duration(chosen(games, which), millis).await,
        Deed::Order(which, command) => bench.order(chosen(games, which), command).await,
        Deed::SetPace(which, pace) => bench.set_pace(chosen(games, which), pace).await,
        Deed::End(which) => bench.end(chosen(games, which)).await,
        Deed::Delete(which) => bench.ask(delete(format!("/games/{}", chosen(games, which)))).await,
        Deed::Register => return players.push(bench.register(&format!("player-{}", players.len())).await),
        Deed::JoinAs(game, player) => {
            bench.put_in(chosen(games, game), chosen_player(players, player).1).await
        }
        Deed::LeaveAs(game, player) => {
            let (game, (_, token)) = (chosen(games, game), chosen_player(players, player));
            bench.ask(delete(format!("/games/{game}/players/{token}"))).await
        }
        Deed::TakeOut(game, player) => {
            let (game, player) = (GameId(chosen(games, game)), PlayerId(chosen_player(players, player).0));
            let _ = bench.service().app().take_out(game, player).await;
            return;
        }
        Deed::Renew(which) => {
            let (player, token) = chosen_player(players, which);
            let renew = post(format!("/players/{player}/token")).bearer(&token.to_string());
            let reply = bench.ask(renew).await;
            if reply.status == 201 {
                players.retain(|(id, _)| *id != player);
                players.push((player, uuid_in(&reply.json(), "bearerToken")));
            }
            reply
        }
        Deed::Spawn(robot, owner) => {
            let owner = chosen_player(players, owner).0;
            let spawned =
                put(format!("/robots/{}", Uuid::from_u128(robot))).json(&json!({"playerId": owner}));
            bench.ask(spawned).await
        }
        Deed::Destroy(robot) => bench.ask(delete(format!("/robots/{}", Uuid::from_u128(robot)))).await,
        Deed::Join(which) => {
            let player = Uuid::from_u128(bench.events().len() as u128);
            let _ = bench.try_join(chosen(games, which), player).await;
            return;
        }
        Deed::Ready(which) => {
            let game = chosen(games, which);
            let reply = bench.ask(starkeep_test_harness::get(format!("/games/{game}"))).await;
            for player in reply.json()["participatingPlayers"].as_array().into_iter().flatten() {
                let player = PlayerId(player.as_str().and_then(|id| id.parse().ok()).expect("an id"));
                let _ = bench.service().app().ready(GameId(game), player).await;
            }
            return;
        }
        Deed::Pass { millis } => {
            bench.advance(millis).await;
            return bench.beat().await;
        }
        Deed::Freeze { millis } => return bench.advance(millis).await,
        Deed::SetWallClock { hours } => {
            return bench.clock.shift_wall(jiff::SignedDuration::from_hours(hours));
        }
        Deed::Restart { after_a_heartbeat } => {
            if after_a_heartbeat {
                bench.beat().await;
            }
            bench.restart().await;
            return bench.compare_replica().await;
        }
        Deed::MapBehaves(behaviour) => return bench.map.set_behaviour(behaviour),
        Deed::MapTakesRetirements(takes) => return bench.map.refuse_retirements(!takes),
        Deed::Care => {
            let _ = bench.care().await;
            return;
        }
        Deed::Replenish => {
            let _ = bench.replenish().await;
            return;
        }
    };
    assert!(matches!(reply.status, 200 | 201 | 204 | 403 | 404 | 409 | 422 | 503), "{reply:?}");
}

/// A world of which nothing comes is not kept.
async fn create_in_given_world(bench: &Bench, rounds: u32, automatic: bool) -> Reply {
    let world = Uuid::from_u128((0xeeee << 112) | bench.map.worlds().len() as u128);
    let mode = if automatic { ReplenishmentMode::Automatic } else { ReplenishmentMode::OnRequest };
    bench.map.add_world(world, mode);
    let body = json!({"maxRounds": rounds, "maxPlayers": 2, "duration": 4000, "gameworldId": world});
    let reply = bench.ask(post("/games").json(&body)).await;
    if reply.status != 201 {
        bench.map.set_world(world, World::Deleted);
    }
    reply
}

fn assert_at_most_one_runs(events: &[Logged]) {
    let mut running = None;
    for event in events.iter().filter(|event| event.channel == "status") {
        match event.words().as_str() {
            "started" => assert_eq!(running.replace(event.game), None, "two games run"),
            "ended" if running == Some(event.game) => running = None,
            _ => {}
        }
    }
}

/// What may follow: rounds 1, 2, 3 … without a hole, each with its three events, and one end.
async fn assert_legal(bench: &Bench, game: Uuid) {
    let (clock, history): (Vec<_>, Vec<_>) = bench
        .history(game)
        .into_iter()
        .filter(|word| word != "joined" && word != "roster left")
        .partition(|word| word.starts_with("clock"));
    assert_pauses_alternate(&clock);
    let mut allowed = vec!["created".to_owned()];
    let (mut round, mut status) = (0, "created");
    for word in &history {
        assert!(allowed.contains(word), "{word} in {history:?}");
        allowed = match word.as_str() {
            "created" => vec!["started".to_owned(), "ended".to_owned()],
            "started" => {
                status = "running";
                vec!["1 started".to_owned()]
            }
            "ended" => {
                status = "ended";
                vec!["roster deleted".to_owned()]
            }
            "roster deleted" => {
                status = "deleted";
                vec![]
            }
            of_round => {
                let (number, what) = of_round.split_once(' ').expect("a number and a word");
                round = number.parse().expect("a number");
                match what {
                    "started" => vec![format!("{round} command input ended")],
                    "command input ended" => vec![format!("{round} ended")],
                    _ => vec![format!("{} started", round + 1), "ended".to_owned()],
                }
            }
        };
    }
    assert!(status != "running" || allowed != ["1 started"], "a game that runs has a round: {history:?}");
    let reply = bench.ask(starkeep_test_harness::get(format!("/games/{game}"))).await;
    if reply.status == 404 {
        assert_eq!(status, "deleted", "only an ended game is deleted, and that is told");
        return;
    }
    let shown = reply.is(200);
    let word = shown["gameStatus"].as_str().expect("a word").replace("started", "running");
    assert_eq!((word.as_str(), shown["currentRoundNumber"].as_u64().unwrap_or(0)), (status, round));
    assert_eq!(
        bench.count(&format!("round WHERE game_id = x'{}'", game.simple())),
        i64::try_from(round).expect("few rounds")
    );
}

/// A pause, then steps, then a resume, and so on.
fn assert_pauses_alternate(history: &[String]) {
    let mut paused = false;
    for word in history {
        match word.as_str() {
            "clock paused" => assert!(!std::mem::replace(&mut paused, true), "{history:?}"),
            "clock resumed" => assert!(std::mem::replace(&mut paused, false), "{history:?}"),
            "clock stepped" => assert!(paused, "{history:?}"),
            _ => {}
        }
    }
}

/// Active worlds belong to active games, inactive ones to games that can still be looked at, sealed ones were replaced there; the
/// others are deleted.
async fn assert_no_world_is_left_behind(bench: &Bench, games: &[Uuid]) {
    assert_eq!((bench.count("intent"), bench.count("world_to_retire")), (0, 0));
    let mut played = Vec::new();
    for game in games {
        let reply = bench.ask(starkeep_test_harness::get(format!("/games/{game}"))).await;
        if reply.status == 200 {
            let shown = reply.json();
            if shown["gameStatus"] != "ended" && shown["gameworldId"] != Value::Null {
                played.push(uuid_in(&shown, "gameworldId"));
            }
        }
    }
    for (id, world) in bench.map.worlds() {
        let is_in = |column| bench.count(&format!("game WHERE {column} = x'{}'", id.0.simple())) > 0;
        let expected = if played.contains(&id.0) {
            World::Active
        } else if is_in("world_id") {
            World::Inactive
        } else if is_in("replaced_world_id") {
            World::Sealed
        } else {
            World::Deleted
        };
        assert_eq!(world, expected, "world {id}");
    }
    assert!(played.iter().all(|world| bench.map.world(*world).is_some()), "a game without a world");
}
