//! How bots join a game: which one, and every way in which that can fail, each with its message.
//! No message holds a token, whatever the service answers.

use http::StatusCode;
use serde_json::{Value, json};
use starkeep_contract::Code;
use uuid::Uuid;

use super::super::Wanted;
use super::fake::{Asked, Fake, GAME, game, player, token};
use super::time::Time;
use super::{bots, run_bots};

const LOOK_UP: &str = "GET /players?name=bot-1&mail=bot-1%40bots.example";

fn join() -> String {
    format!("PUT /games/{GAME}/players/{}", token(1))
}

fn show() -> String {
    format!("GET /games/{GAME}")
}

/// How it ends if the service answers a join like this, and the question for the game after it like that.
async fn refused_join(answer: impl FnOnce(Asked), shown: Option<Value>) -> (u8, String) {
    let (mut fake, (_time, clock)) = (Fake::start().await, Time::new());
    let place = fake.place.clone();
    let ran = run_bots(&place, clock, &bots(1), async {
        fake.until(1, "register").await;
        answer(fake.asked(&join()).await);
        if let Some(shown) = shown {
            fake.asked(&show()).await.answer(&shown);
        }
    })
    .await;
    assert_eq!(ran.tally, "No game was joined.");
    let failure = ran.outcome.unwrap_err();
    assert!(!failure.to_string().contains(&token(1).to_string()), "{failure}");
    (failure.exit_code(), failure.to_string())
}

#[tokio::test]
async fn a_refused_join_is_told_in_a_sentence_without_the_token() {
    let refused = |code| move |asked: Asked| asked.refuse(code);
    let full = refused_join(refused(Code::GameFull), None).await;
    assert_eq!(
        full,
        (1, format!("all seats of game {GAME} are taken; create another game, or name one with --game"))
    );
    let ended = (1, format!("game {GAME} ended before the bots could join"));
    assert_eq!(refused_join(refused(Code::GameEnded), None).await, ended);
    assert_eq!(refused_join(refused(Code::GameNotCreated), Some(game("ended", 3))).await, ended);
    for code in [Code::GameNotCreated, Code::StartUnderWay] {
        let mut without = game("running", 1);
        without["participatingPlayers"] = json!([Uuid::from_u128(2)]);
        let sentence = format!("game {GAME} has started already");
        assert_eq!(refused_join(refused(code), Some(without)).await, (1, sentence));
    }
    let other = refused_join(refused(Code::UnknownPlayer), None).await;
    assert_eq!(other, (1, "`bot-1` could not join: there is no such player".to_owned()));
    let echo = |asked: Asked| {
        let page = format!("no {} here", asked.line);
        asked.answer_with(StatusCode::NOT_FOUND, page);
    };
    let (code, sentence) = refused_join(echo, None).await;
    assert!(code == 1 && sentence.contains("404") && sentence.contains("/players/…"), "{sentence}");
}

#[tokio::test]
async fn those_who_find_a_seat_play_and_the_others_are_left_out() {
    let (mut fake, (_time, clock)) = (Fake::start().await, Time::new());
    let place = fake.place.clone();
    let ran = run_bots(&place, clock, &bots(4), async {
        fake.until(4, "register").await;
        for _ in 0..4 {
            let asked = fake.next().await;
            match asked.line.as_str() {
                line if line.ends_with(&token(1).to_string()) => asked.usual(),
                line if line.ends_with(&token(4).to_string()) => asked.refuse(Code::AlreadyParticipating),
                _ => asked.refuse(Code::GameFull),
            }
        }
        fake.until(1, "show").await;
        fake.publish_game_status("ended");
    })
    .await;
    ran.outcome.unwrap();
    assert_eq!(ran.printed, format!("Joined game {GAME} as 2 of 4 bots; playing until it ends.\n"));
    assert!(ran.tally.starts_with("2 bots played 0 rounds"), "{}", ran.tally);
    assert!(!fake.seen.iter().any(|(line, _)| line.starts_with("DELETE")), "nobody leaves");
}

#[tokio::test]
async fn who_is_registered_and_joined_already_plays_on() {
    for (code, shown) in
        [(Code::AlreadyParticipating, None), (Code::GameNotCreated, Some(game("running", 0)))]
    {
        let (mut fake, (_time, clock)) = (Fake::start().await, Time::new());
        let place = fake.place.clone();
        let ran = run_bots(&place, clock, &bots(1), async {
            fake.asked("GET /games?status=created").await.usual();
            let taken = if shown.is_some() { Code::NameTaken } else { Code::MailTaken };
            fake.asked("POST /players").await.refuse(taken);
            fake.asked(LOOK_UP).await.answer(&player(&json!("bot-1")));
            fake.asked(&join()).await.refuse(code);
            if let Some(shown) = shown {
                fake.asked(&show()).await.answer(&shown);
            }
            fake.until(1, "show").await;
            fake.publish_game_status("ended");
        })
        .await;
        ran.outcome.unwrap();
        assert!(ran.tally.starts_with("1 bot played 0 rounds"), "{}", ran.tally);
    }
}

#[tokio::test]
async fn a_name_that_is_somebody_elses_is_told() {
    let (mut fake, (_time, clock)) = (Fake::start().await, Time::new());
    let place = fake.place.clone();
    let ran = run_bots(&place, clock, &bots(1), async {
        fake.until(1, "list").await;
        fake.asked("POST /players").await.refuse(Code::NameTaken);
        fake.asked(LOOK_UP).await.refuse(Code::UnknownPlayer);
    })
    .await;
    let failure = ran.outcome.unwrap_err();
    let sentence = "the name `bot-1` or its mail address is somebody else's: choose other names with --name";
    assert_eq!((failure.exit_code(), failure.to_string().as_str()), (2, sentence));
}

#[tokio::test]
async fn where_there_is_no_game_the_next_one_is_waited_for() {
    let (mut fake, (_time, clock)) = (Fake::start().await, Time::new());
    let place = fake.place.clone();
    let ran = run_bots(&place, clock, &bots(1), async {
        fake.asked("GET /games?status=created").await.answer(&json!([]));
        fake.publish("status", &json!({ "gameId": Uuid::nil(), "status": "ended" }));
        fake.publish_gap();
        fake.asked("GET /games?status=created").await.answer(&json!([]));
        fake.publish_game_status("created");
        fake.until(1, "show").await;
        fake.publish_game_status("ended");
    })
    .await;
    ran.outcome.unwrap();
    let waiting = "There is no game that has not started; waiting until one is created.";
    assert_eq!(ran.printed, format!("{waiting}\nJoined game {GAME} as bot-1; playing until it ends.\n"));
}

#[tokio::test]
async fn a_game_that_was_named_must_exist_and_not_be_over() {
    let wanted = Wanted { game: Some(GAME), ..bots(1) };
    let over = |asked: Asked| asked.answer(&game("ended", 3));
    let unknown = |asked: Asked| asked.refuse(Code::UnknownGame);
    let cases = [
        (over as fn(Asked), 1, format!("game {GAME} ended before the bots could join")),
        (unknown, 2, format!("--game: there is no game {GAME}")),
    ];
    for (answer, code, sentence) in cases {
        let (mut fake, (_time, clock)) = (Fake::start().await, Time::new());
        let place = fake.place.clone();
        let ran = run_bots(&place, clock, &wanted, async { answer(fake.asked(&show()).await) }).await;
        let failure = ran.outcome.unwrap_err();
        assert_eq!((failure.exit_code(), failure.to_string()), (code, sentence));
    }
}
