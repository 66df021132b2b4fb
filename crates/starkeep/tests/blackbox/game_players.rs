//! `starkeep game players`: who is ready, and what was sent in the open round, as the service counts it.

use serde_json::{Value, json};

use crate::bot::{join, registered};
use crate::host::Host;
use crate::two_services::path;

const TOKEN: &str = "a-long-secret";

#[tokio::test]
async fn players_are_shown_with_what_they_have_sent_and_whether_they_are_ready() {
    let host = Host::start(&[]).await;
    let service = host.program.game();
    let id = host.created(&["--name", "Lecture", "--duration", "24h"]).await;
    let nobody = host.game(&["players"]).await;
    assert_eq!((nobody.code, nobody.stdout.as_str()), (Some(0), "Nobody has joined Lecture yet.\n"));
    assert_eq!(host.json(&["players"]).await, json!([]));

    let [ada, bob] = [registered(&service, 1).await, registered(&service, 2).await];
    for (_, token) in [&ada, &bob] {
        join(&service, &json!(id), token).await;
    }
    host.json(&["start"]).await;
    let command = |order: Value| json!({ "gameId": id, "playerToken": ada.1, "commandType": "buying", "commandObject": order });
    for quantity in [1, 2] {
        let order = json!({ "itemName": "ROBOT", "itemQuantity": quantity });
        service.post("/commands", &command(order)).await.expect(201);
    }
    let mut strange = command(json!({}));
    strange["commandType"] = "mining".into();
    strange["robotId"] = uuid::Uuid::from_u128(7).to_string().into();
    let refused = service.post("/commands", &strange).await;
    assert!((400..500).contains(&refused.status), "{}", refused.body);
    service.put(&path(&json!(id), &format!("/players/{}/ready", ada.1)), &Value::Null).await.expect(200);

    let rows = host.json(&["players", &id]).await;
    assert_eq!(rows, service.get(&path(&json!(id), "/players")).await.expect(200));
    let [first, second] = rows.as_array().unwrap().as_slice() else { panic!("{rows}") };
    let counts =
        |row: &Value| ["name", "ready", "commands", "refused", "late"].map(|field| row[field].clone());
    assert_eq!(json!(counts(first)), json!(["bot-1", true, 2, 1, 0]));
    assert_eq!(json!(counts(second)), json!(["bot-2", false, 0, 0, 0]));

    let table = host.game(&["players", "Lecture"]).await;
    let expected = "\
PLAYER  READY  COMMANDS  REFUSED  LATE
bot-1   yes           2        1     0
bot-2   no            0        0     0
";
    assert_eq!((table.code, table.stdout.as_str(), table.stderr.as_str()), (Some(0), expected, ""));
}

#[tokio::test]
async fn who_was_taken_out_is_not_counted() {
    let host = Host::start(&["--admin-token", TOKEN]).await;
    let service = host.program.game().with_token(TOKEN);
    let new = json!({ "name": "Lecture", "maxRounds": 9, "maxPlayers": 2, "duration": 86_400_000 });
    let game = service.post("/games", &new).await.expect(201)["gameId"].take();
    let [ada, bob] = [registered(&service, 1).await, registered(&service, 2).await];
    for (_, token) in [&ada, &bob] {
        join(&service, &game, token).await;
    }
    let told = async |words: &[&str]| {
        let ended = host.game_with(words, &[("STARKEEP_ADMIN_TOKEN", TOKEN)]).await;
        assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""), "{words:?}: {ended:?}");
        ended.stdout
    };
    assert!(told(&["start"]).await.contains("2 of 2 players"));
    service.delete(&path(&game, &format!("/players/{}", ada.0.as_str().unwrap()))).await.expect(204);
    for words in [&["show"][..], &["pause"], &["end", "--yes"]] {
        let told = told(words).await;
        assert!(told.contains("1 of 2"), "{words:?}: {told}");
    }
}
