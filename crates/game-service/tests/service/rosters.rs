//! Who plays in which game, for executors: told on `gameRoster`, and shown by `GET /rosters` to who has missed events.
//! That every join, start and end is told with its `status` or `playerStatus` is checked wherever a log is read: see `log`.

use serde_json::{Value, json};
use starkeep_contract::Dialect;
use starkeep_test_harness::{delete, get, post, uuid_in};
use uuid::Uuid;

use crate::harness::{Bench, Setup, id_in};

impl Bench {
    /// What `gameRoster` has told, with the transaction.
    fn told(&self) -> Vec<(Value, Uuid)> {
        let events = self.events().into_iter().filter(|event| event.channel == "gameRoster");
        events.map(|event| (event.payload, event.transaction)).collect()
    }

    async fn rosters(&self) -> Value {
        self.ask(get("/rosters")).await.is(200)
    }

    async fn rich_game(&self, money: Value) -> Uuid {
        let body = json!({"maxRounds": 3, "maxPlayers": 2, "duration": 4000, "startMoney": money});
        id_in(&self.ask(post("/games").json(&body)).await)
    }

    async fn leave(&self, game: Uuid, token: Uuid) {
        assert_eq!(self.ask(delete(format!("/games/{game}/players/{token}"))).await.status, 204);
    }
}

#[tokio::test]
async fn everything_that_happens_to_a_roster_is_told_with_exactly_these_fields() {
    for setup in [Setup::default(), Setup::in_memory()] {
        let bench = Bench::with(setup).await;
        let game = bench.rich_game(json!(500)).await;
        let (ada, token) = bench.register("ada").await;
        let first = uuid_in(&bench.put_in(game, token).await.is(200), "transactionId");
        bench.leave(game, token).await;
        let second = uuid_in(&bench.put_in(game, token).await.is(200), "transactionId");
        let started = bench.start(game).await.is(201);
        bench.end(game).await.is(201);
        assert_eq!(bench.ask(delete(format!("/games/{game}"))).await.status, 204);
        let of = |change: &str, player: Value, world: Value, money: Value| json!({"gameId": game, "change": change, "playerId": player, "gameworldId": world, "startMoney": money});
        let none = Value::Null;
        let (told, transactions): (Vec<_>, Vec<_>) = bench.told().into_iter().unzip();
        assert_eq!(
            told,
            [
                of("joined", json!(ada), none.clone(), json!(500)),
                of("left", json!(ada), none.clone(), none.clone()),
                of("joined", json!(ada), none.clone(), json!(500)),
                of("started", none.clone(), started["gameworldId"].clone(), none.clone()),
                of("ended", none.clone(), none.clone(), none.clone()),
                of("deleted", none.clone(), none.clone(), none),
            ]
        );
        assert_eq!(
            transactions[..3],
            [first, first, second],
            "who leaves does so in the transaction of the join"
        );
        let words =
            ["created", "joined", "roster left", "joined", "started", "1 started", "1 command input ended"];
        let end = ["1 ended", "ended", "roster deleted"];
        assert_eq!(bench.history(game), [&words[..], &end].concat());
    }
}

#[tokio::test]
async fn a_host_who_takes_a_player_out_tells_the_same() {
    let bench = Bench::with(Setup { token: Some("s3cret"), ..Setup::in_memory() }).await;
    let body = json!({"maxRounds": 3, "maxPlayers": 2});
    let game = id_in(&bench.ask(post("/games").json(&body).bearer("s3cret")).await);
    let (ada, token) = bench.register("ada").await;
    let joined = uuid_in(&bench.put_in(game, token).await.is(200), "transactionId");
    let out = delete(format!("/games/{game}/players/{ada}")).bearer("s3cret");
    assert_eq!(bench.ask(out).await.status, 204);
    let (told, transaction) = bench.told().pop().expect("an event");
    assert_eq!((&told["change"], &told["playerId"], transaction), (&json!("left"), &json!(ada), joined));
}

#[tokio::test]
async fn what_a_player_begins_with_is_200_or_what_the_host_says_and_shown_nowhere_else() {
    let bench = Bench::with(Setup { running_games: 9, ..Setup::default() }).await;
    for (money, begins_with) in [(json!(null), 200), (json!(0), 0), (json!(1_000_000), 1_000_000)] {
        let game = bench.rich_game(money).await;
        bench.join(game).await;
        let (told, _) = bench.told().pop().expect("an event");
        assert_eq!((&told["gameId"], &told["startMoney"]), (&json!(game), &json!(begins_with)));
        assert!(!bench.game(game).await.to_string().contains("oney"));
    }
    let before = bench.whole_state().await;
    for money in [json!(-1), json!(1_000_001), json!(1.5), json!("200")] {
        let body = json!({"maxRounds": 3, "maxPlayers": 2, "startMoney": money});
        bench.ask(post("/games").json(&body)).await.refused(422, "invalid-field", Some("startMoney"));
    }
    assert_eq!(bench.whole_state().await, before);
}

#[tokio::test]
async fn rosters_show_created_and_running_games_as_the_events_told_them() {
    let mut bench = Bench::with(Setup { running_games: 2, ..Setup::default() }).await;
    assert_eq!(bench.rosters().await, json!({"games": [], "endedGames": []}));
    let game = bench.rich_game(json!(7)).await;
    let (ada, token) = bench.register("ada").await;
    let (bob, other) = bench.register("bob").await;
    let mut players = Vec::new();
    for (id, token) in [(bob, other), (ada, token)] {
        let transaction = bench.put_in(game, token).await.is(200)["transactionId"].clone();
        players.push(json!({"playerId": id, "transactionId": transaction, "left": false}));
    }
    let mut shown = json!({"gameId": game, "status": "created", "gameworldId": null, "startMoney": 7,
                           "roundNumber": 0, "roundStatus": "init", "players": players});
    assert_eq!(
        bench.rosters().await["games"],
        json!([shown]),
        "another gameworld may take the place of the first"
    );
    bench.advance(1_000).await;
    let later = bench.create(5, 2).await;
    assert_eq!(bench.rosters().await["games"][1]["gameId"], json!(later), "the oldest comes first");
    shown["gameworldId"] = bench.start(game).await.is(201)["gameworldId"].clone();
    shown["status"] = json!("running");
    for (millis, round, status) in
        [(0, 1, "started"), (3_000, 1, "command input ended"), (1_000, 2, "started")]
    {
        bench.advance(millis).await;
        shown["roundNumber"] = json!(round);
        shown["roundStatus"] = json!(status);
        assert_eq!(bench.rosters().await["games"][0], shown);
        bench.restart().await;
        assert_eq!(bench.rosters().await["games"][0], shown, "also after a restart");
    }
}

#[tokio::test]
async fn rosters_list_the_ended_games_that_are_kept() {
    for setup in [Setup::default(), Setup::in_memory()] {
        let bench = Bench::with(setup).await;
        let mut games = Vec::new();
        for _ in 0..3 {
            let game = bench.create(3, 2).await;
            bench.end(game).await.is(201);
            games.push(json!(game));
        }
        let active = bench.create(3, 2).await;
        let deleted = games.remove(1);
        let path = format!("/games/{}", deleted.as_str().expect("an id"));
        assert_eq!(bench.ask(delete(path)).await.status, 204);
        let shown = bench.rosters().await;
        assert_eq!(shown["games"].as_array().map(Vec::len), Some(1));
        assert_eq!(shown["games"][0]["gameId"], json!(active));
        let mut ended = shown["endedGames"].as_array().expect("ids").clone();
        ended.sort_by_key(Value::to_string);
        games.sort_by_key(Value::to_string);
        assert_eq!(ended, games);
    }
}

#[tokio::test]
async fn in_the_countdown_there_was_no_round_and_the_words_are_the_same_in_every_dialect() {
    let start_delay = Some(std::time::Duration::from_secs(1));
    let bench = Bench::with(Setup { dialect: Dialect::Msd, start_delay, ..Setup::in_memory() }).await;
    let game = bench.create(3, 2).await;
    bench.start(game).await.is(201);
    let shown = bench.rosters().await["games"][0].clone();
    assert_eq!((&shown["status"], &shown["roundNumber"]), (&json!("running"), &json!(0)));
    assert_eq!(shown["roundStatus"], "init");
}

#[tokio::test]
async fn rosters_are_for_who_shows_the_admin_token() {
    let bench = Bench::with(Setup { token: Some("s3cret"), ..Setup::in_memory() }).await;
    bench.ask(get("/rosters")).await.refused(401, "unauthorized", None);
    let (_, player) = bench.register("ada").await;
    bench.ask(get("/rosters").bearer(&player.to_string())).await.refused(401, "unauthorized", None);
    bench.ask(get("/rosters").bearer("s3cret")).await.is(200);
}

#[tokio::test]
async fn who_joined_is_shown_beside_the_event_to_the_host_and_to_everybody_after_the_end() {
    let bench = Bench::with(Setup { token: Some("s3cret"), ..Setup::in_memory() }).await;
    let body = json!({"maxRounds": 3, "maxPlayers": 2});
    let game = id_in(&bench.ask(post("/games").json(&body).bearer("s3cret")).await);
    let (ada, token) = bench.register("ada").await;
    bench.put_in(game, token).await.is(200);
    let ask = || get("/events?after=start").header("accept", "application/json");
    let about = |page: Value| {
        let events = page["events"].as_array().expect("events").clone();
        let joined = events.iter().filter(|event| event["payload"]["playerId"] == json!(ada));
        joined.map(|event| event["about"].clone()).collect::<Vec<_>>()
    };
    let (public, full) = (json!({"gameId": game}), json!({"gameId": game, "playerId": ada}));
    assert_eq!(about(bench.ask(ask()).await.is(200)), [public.clone(), public]);
    assert_eq!(about(bench.ask(ask().bearer("s3cret")).await.is(200)), [full.clone(), full.clone()]);
    let end = post(format!("/games/{game}/gameCommands/end")).bearer("s3cret");
    bench.ask(end).await.is(201);
    assert_eq!(about(bench.ask(ask()).await.is(200)), [full.clone(), full]);
}

#[tokio::test]
async fn a_token_says_whose_it_is() {
    for (dialect, unknown) in [(Dialect::Standard, 401), (Dialect::Msd, 404)] {
        let bench = Bench::with(Setup { dialect, token: Some("s3cret"), ..Setup::in_memory() }).await;
        let (ada, token) = bench.register("ada").await;
        let me = |token: &str| get("/players/me").bearer(token);
        let shown = bench.ask(me(&token.to_string())).await.is(200);
        assert_eq!(shown, json!({"playerId": ada, "name": "ada"}));
        bench.ask(get("/players/me")).await.refused(401, "player-token-needed", None);
        bench.ask(me("s3cret")).await.refused(401, "player-token-needed", None);
        for nobodys in [Uuid::max().to_string(), ada.to_string(), "me".to_owned()] {
            bench.ask(me(&nobodys)).await.refused(unknown, "unknown-token", None);
        }
    }
}
