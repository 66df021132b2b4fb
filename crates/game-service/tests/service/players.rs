//! Players over HTTP: registering, looking oneself up, joining, leaving, and who must show what.
//! What nobody else may ever see of a player is looked for everywhere.

use serde_json::{Value, json};
use starkeep_test_harness::{delete, get, post, put, uuid_in};
use uuid::Uuid;

use crate::harness::{Bench, Setup};

#[tokio::test]
async fn a_player_registers_and_finds_itself_again() {
    let mut bench = Bench::new().await;
    let body = json!({"name": "Ada", "email": "ada@example.org", "bearerToken": null});
    let player = bench.ask(post("/players").json(&body)).await.is(201);
    let (id, token) = (uuid_in(&player, "playerId"), uuid_in(&player, "bearerToken"));
    let expected = json!({
        "playerId": id, "bearerToken": token, "name": "Ada", "email": "ada@example.org",
        "playerExchange": "player-Ada", "playerQueue": "player-Ada",
    });
    assert_eq!(player, expected);
    bench.restart().await;
    for query in ["name=Ada&mail=ada@example.org", "name=ADA&mail=Ada%40Example.org"] {
        assert_eq!(bench.ask(get(format!("/players?{query}"))).await.is(200), expected);
    }
    for query in ["name=Ada&mail=bob@example.org", "name=Bob&mail=ada@example.org", "name=&mail="] {
        bench.ask(get(format!("/players?{query}"))).await.refused(404, "unknown-player", None);
    }
    bench.ask(get("/players?name=Ada")).await.refused(422, "invalid-parameter", Some("mail"));
    bench.ask(get("/players")).await.refused(422, "invalid-parameter", Some("name"));
}

#[tokio::test]
async fn a_name_and_a_mail_address_are_given_once() {
    for (bench, conflict) in [(Bench::new().await, 409), (Bench::msd().await, 403)] {
        bench.register("ada").await;
        let taken = |name: &str, mail: &str| post("/players").json(&json!({"name": name, "email": mail}));
        bench.ask(taken("ADA", "x@example.org")).await.refused(conflict, "name-taken", None);
        bench.ask(taken("bob", "ADA@example.org")).await.refused(conflict, "mail-taken", None);
        bench.ask(taken("bob", "bob@example.org")).await.is(201);
        assert_eq!(bench.count("player"), 2);
    }
}

#[tokio::test]
async fn of_many_who_want_one_name_one_gets_it() {
    let bench = Bench::in_memory().await;
    let wishes = (0..16).map(|number| {
        let body = json!({"name": "ada", "email": format!("{number}@example.org")});
        bench.ask(post("/players").json(&body))
    });
    let replies = futures::future::join_all(wishes).await;
    assert_eq!(replies.iter().filter(|reply| reply.status == 201).count(), 1);
    assert_eq!(replies.iter().filter(|reply| reply.status == 409).count(), 15);
}

#[tokio::test]
async fn a_name_is_a_plain_text_of_some_length() {
    let bench = Bench::in_memory().await;
    let long = "ä".repeat(255);
    bench.ask(post("/players").json(&json!({"name": long, "email": long}))).await.is(201);
    for (body, field) in [
        (json!({"email": "a@b"}), "name"),
        (json!({"name": "a"}), "email"),
        (json!({"name": "", "email": "a@b"}), "name"),
        (json!({"name": "a", "email": "x".repeat(256)}), "email"),
        (json!({"name": "a\u{7}", "email": "a@b"}), "name"),
        (json!({"name": 7, "email": "a@b"}), "name"),
        (json!({"name": null, "email": "a@b"}), "name"),
    ] {
        bench.ask(post("/players").json(&body)).await.refused(422, "invalid-field", Some(field));
    }
}

#[tokio::test]
async fn joining_is_answered_with_the_transaction_that_the_event_has() {
    for bench in [Bench::in_memory().await, Bench::msd_in_memory().await] {
        let (id, token) = bench.register("ada").await;
        let game = bench.create(3, 2).await;
        let joined = bench.put_in(game, token).await.is(200);
        assert_eq!(joined.as_object().expect("an object").len(), 1);
        let event = bench.events_but_roster().pop().expect("an event");
        assert_eq!(
            (event.channel.as_str(), event.transaction),
            ("playerStatus", uuid_in(&joined, "transactionId"))
        );
        assert_eq!(event.payload, json!({"playerId": id, "name": "ada"}));
        assert_eq!(bench.game(game).await["participatingPlayers"], json!([id]));
    }
}

#[tokio::test]
async fn joining_is_refused_for_its_reasons_in_words_that_clients_look_for() {
    for (bench, conflict) in [(Bench::in_memory().await, 409), (Bench::msd_in_memory().await, 403)] {
        let (_, ada) = bench.register("ada").await;
        let (_, bob) = bench.register("bob").await;
        let game = bench.create(3, 1).await;
        bench.put_in(game, ada).await.is(200);
        let detail = bench.put_in(game, ada).await.refused(conflict, "already-participating", None);
        assert!(detail.contains("Player is already participating"), "{detail}");
        bench.put_in(game, bob).await.refused(conflict, "game-full", None);
        bench.start(game).await.is(201);
        bench.put_in(game, bob).await.refused(conflict, "game-not-created", None);
        bench.put_in(Uuid::from_u128(7), bob).await.refused(404, "unknown-game", None);
        bench.put_in(game, Uuid::from_u128(7)).await.refused(404, "unknown-player", None);
        bench.put_in(game, "zzz").await.refused(404, "unknown-player", None);
    }
}

#[tokio::test]
async fn an_id_shows_who_asks_in_one_dialect_only() {
    let bench = Bench::msd_in_memory().await;
    let (id, _) = bench.register("ada").await;
    let game = bench.create(3, 2).await;
    bench.put_in(game, id).await.is(200);

    let bench = Bench::in_memory().await;
    let ((id, token), (_, other)) = (bench.register("ada").await, bench.register("bob").await);
    let game = bench.create(3, 2).await;
    bench.put_in(game, id).await.refused(401, "player-token-needed", None);
    let with = |token: Uuid| put(format!("/games/{game}/players/{id}")).bearer(&token.to_string());
    bench.ask(with(other)).await.refused(401, "player-token-needed", None);
    bench.ask(with(token)).await.is(200);
}

#[tokio::test]
async fn a_player_leaves_before_the_start_and_a_host_may_take_anybody_out() {
    let bench = Bench::with(Setup { token: Some("secret"), ..Setup::in_memory() }).await;
    let ((ada, token), (bob, _)) = (bench.register("ada").await, bench.register("bob").await);
    let create = post("/games").bearer("secret").json(&json!({"maxRounds": 3, "maxPlayers": 2}));
    let game = uuid_in(&bench.ask(create).await.is(201), "gameId");
    bench.put_in(game, token).await.is(200);
    let out = |player: Uuid| delete(format!("/games/{game}/players/{player}"));
    bench.ask(out(ada)).await.refused(401, "player-token-needed", None);
    bench.ask(out(bob).bearer("secret")).await.refused(409, "not-participating", None);
    assert_eq!(bench.ask(out(token)).await.status, 204);
    assert_eq!(bench.game(game).await["participatingPlayers"], json!([]));
    bench.put_in(game, token).await.is(200);
    assert_eq!(bench.ask(out(ada).bearer("secret")).await.status, 204);
    bench.put_in(game, token).await.is(200);
    bench.ask(post(format!("/games/{game}/gameCommands/start")).bearer("secret")).await.is(201);
    bench.ask(out(token)).await.refused(409, "game-not-created", None);
    assert_eq!(bench.ask(out(ada).bearer("secret")).await.status, 204, "also of a running game");
}

#[tokio::test]
async fn participants_are_shown_in_the_shape_that_is_parsed() {
    let mut bench = Bench::new().await;
    let game = bench.create(3, 2).await;
    let path = format!("/games/{game}/participatingPlayers");
    let ask = || get(path.clone()).header("host", "games.example.org");
    assert_eq!(bench.ask(ask()).await.is(200)["_embedded"]["players"], json!([]));
    let (id, token) = bench.register("ada").await;
    bench.put_in(game, token).await.is(200);
    bench.restart().await;
    let link = json!({"href": format!("http://games.example.org/players/{id}")});
    let expected = json!({
        "_embedded": {"players": [{"userName": "ada", "_links": {"self": link, "player": link}}]},
        "_links": {"self": {"href": format!("http://games.example.org{path}")}},
    });
    assert_eq!(bench.ask(ask()).await.is(200), expected);
    bench.ask(get("/games/zzz/participatingPlayers")).await.refused(404, "unknown-game", None);
}

#[tokio::test]
async fn a_participants_link_leads_to_its_name_and_to_nothing_else() {
    for mut bench in [Bench::new().await, Bench::msd().await] {
        let game = bench.create(3, 2).await;
        let (id, token) = bench.register("ada").await;
        bench.put_in(game, token).await.is(200);
        let shown = bench.ask(get(format!("/games/{game}/participatingPlayers"))).await.is(200);
        for link in ["self", "player"] {
            let href = shown["_embedded"]["players"][0]["_links"][link]["href"].as_str().expect("a link");
            let path = href.strip_prefix("http://localhost").expect("an address");
            assert_eq!(bench.ask(get(path)).await.is(200), json!({"playerId": id, "name": "ada"}));
        }
        bench.restart().await;
        bench.ask(get(format!("/players/{id}"))).await.is(200);
        for nobody in [&*token.to_string(), &*Uuid::from_u128(7).to_string(), "zzz", "%ff", "%00"] {
            bench.ask(get(format!("/players/{nobody}"))).await.refused(404, "unknown-player", None);
        }
    }
}

#[tokio::test]
async fn a_token_and_a_mail_address_are_in_no_answer_but_their_owners() {
    let bench = Bench::in_memory().await;
    let (id, token) = bench.register("ada").await;
    let game = bench.create(3, 2).await;
    bench.put_in(game, token).await.is(200);
    bench.start(game).await.is(201);
    bench.ready(game, token).await.is(200);
    let mut answers = Vec::new();
    for path in [
        "/games".to_owned(),
        format!("/games/{game}"),
        format!("/games/{game}/participatingPlayers"),
        format!("/games/{game}/time"),
        format!("/players/{id}"),
        "/events?after=start&limit=1000".to_owned(),
        "/metrics".to_owned(),
        "/health".to_owned(),
        "/players?name=ada&mail=wrong@example.org".to_owned(),
        format!("/players/{token}"),
        format!("/games/{token}"),
    ] {
        let reply = bench.ask(get(path).header("accept", "application/json")).await;
        answers.push(reply.text());
    }
    for refused in [bench.put_in(game, token).await, bench.put_in(game, id).await] {
        answers.push(refused.text());
    }
    answers.extend(bench.events().iter().map(|event| event.payload.to_string()));
    for answer in answers {
        assert!(!answer.contains(&token.to_string()), "{answer}");
        assert!(!answer.contains("ada@example.org"), "{answer}");
    }
}

#[tokio::test]
async fn a_registration_that_is_repeated_under_its_key_is_answered_again() {
    let bench = Bench::in_memory().await;
    let ask = || post("/players").json(&json!({"name": "ada", "email": "a@example.org"})).key("once");
    let (first, again) = (bench.ask(ask()).await, bench.ask(ask()).await);
    assert_eq!(first.is(201), again.is(201));
    assert_eq!(again.header("idempotency-replayed"), Some("true"));
    let _: Value = first.json();
}
