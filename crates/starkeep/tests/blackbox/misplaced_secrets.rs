//! Requests with a secret where it does not belong: in every path and query, in fields that want something else, in bodies that
//! break off, in headers, and at addresses where there is nothing.

use http::Method;
use serde_json::{Value, json};
use starkeep_contract::command::CommandType;

use crate::bot::Bot;

#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) body: String,
}

/// All of them, of both services.
pub(crate) fn requests(bot: &Bot, secret: &str) -> (Vec<Request>, Vec<Request>) {
    let game = bot.game.as_str().unwrap();
    let mut of_game = in_paths(game, secret);
    of_game.extend(bodies(bot, secret));
    (of_game, in_paths_of_the_map(secret))
}

pub(crate) fn request(line: &str, body: &Value) -> Request {
    let (method, path) = line.split_once(' ').unwrap();
    let body = if body.is_null() { String::new() } else { body.to_string() };
    Request { method: method.parse().unwrap(), path: path.to_owned(), body }
}

fn in_paths(game: &str, secret: &str) -> Vec<Request> {
    let lines = [
        format!("GET /commands?gameId={secret}&roundNumber=1"),
        format!("GET /commands?gameId={game}&roundNumber={secret}"),
        format!("GET /commands/{secret}"),
        format!("GET /events?limit=1&channels={secret}"),
        format!("GET /events?limit=1&after={secret}"),
        format!("GET /events?limit={secret}"),
        format!("GET /events?limit=1&wait={secret}"),
        format!("GET /games?status={secret}"),
        format!("GET /games?limit={secret}"),
        format!("GET /games?after={secret}"),
        format!("GET /games?limit=1&limit={secret}"),
        format!("GET /games?{secret}={secret}"),
        format!("GET /games/{secret}"),
        format!("DELETE /games/{secret}"),
        format!("GET /games/{secret}/time"),
        format!("GET /games/{secret}/participatingPlayers"),
        format!("GET /games/{secret}/players"),
        format!("PUT /games/{secret}/players/{secret}"),
        format!("PUT /games/{game}/players/Bearer%20{secret}"),
        format!("DELETE /games/{secret}/players/{secret}"),
        format!("PUT /games/{secret}/players/{secret}/ready"),
        format!("POST /games/{secret}/gameCommands/start"),
        format!("POST /games/{secret}/gameCommands/end"),
        format!("POST /games/{secret}/gameCommands/pause"),
        format!("POST /games/{secret}/gameCommands/resume"),
        format!("POST /games/{secret}/gameCommands/step"),
        format!("POST /games/{game}/gameCommands/{secret}"),
        format!("GET /players?name={secret}&mail={secret}"),
        format!("GET /players?name={secret}"),
        format!("POST /players/Bearer%20{secret}/token"),
        format!("DELETE /robots/Bearer%20{secret}"),
        format!("GET /players/{secret}"),
        format!("GET /players/{secret}/token"),
        format!("PATCH /games/{game}/players/{secret}"),
        format!("GET /{secret}"),
        format!("GET /nothing/{secret}.json?{secret}"),
        format!("DELETE /health?{secret}"),
    ];
    lines.iter().map(|line| request(line, &Value::Null)).collect()
}

fn in_paths_of_the_map(secret: &str) -> Vec<Request> {
    let lines = [
        format!("GET /events?limit=1&channels={secret}"),
        format!("GET /gameworlds?limit={secret}"),
        format!("GET /gameworlds?after={secret}"),
        format!("GET /gameworlds/{secret}"),
        format!("DELETE /gameworlds/{secret}"),
        format!("GET /gameworlds/{secret}/planets"),
        format!("GET /gameworlds/{secret}/fairness"),
        format!("GET /planets?planet_type={secret}"),
        format!("GET /planets?page={secret}"),
        format!("GET /planets/{secret}"),
        format!("GET /planets/{secret}/neighbours"),
        format!("GET /planets/{secret}/resources"),
        format!("GET /{secret}"),
    ];
    let mut requests: Vec<_> = lines.iter().map(|line| request(line, &Value::Null)).collect();
    let planet =
        json!({ "x": 0, "y": 0, "movement_difficulty": 1, "planet_type": "spacestation", "resource": null });
    let world = json!({ "gameworld": {
        "player_amount": 1, "seed": 1, "nonce": null, "style": null, "replenishment": null, "planets": [planet],
    } });
    for field in ["player_amount", "seed", "nonce", "style", "replenishment", "planets", "planets/0"] {
        requests.extend(spoiled("POST /gameworlds", &world, &format!("/gameworld/{field}"), secret));
    }
    for field in ["x", "y", "movement_difficulty", "planet_type", "resource"] {
        requests.extend(spoiled(
            "POST /gameworlds",
            &world,
            &format!("/gameworld/planets/0/{field}"),
            secret,
        ));
    }
    let line = format!("POST /gameworlds/{secret}/replenishments");
    requests.extend(spoiled(&line, &json!({ "spare": null }), "/spare", secret));
    let inactive = json!({ "gameworld": { "status": "inactive" } });
    let line = format!("PATCH /gameworlds/{secret}");
    requests.extend(spoiled(&line, &inactive, "/gameworld/status", secret));
    let mining = json!({ "mining": { "amount_requested": 1 } });
    let line = format!("POST /planets/{secret}/minings");
    requests.extend(spoiled(&line, &mining, "/mining/amount_requested", secret));
    requests
}

fn bodies(bot: &Bot, secret: &str) -> Vec<Request> {
    let game = bot.game.as_str().unwrap();
    let new = json!({ "name": null, "maxRounds": 5, "maxPlayers": 2, "duration": 600_000, "seed": 1, "style": "balanced", "nonce": null, "gameworldId": null });
    let player = json!({ "name": [], "email": [] });
    let robot = format!("PUT /robots/{}", bot.robot(CommandType::Mining));
    let changes =
        ["maxRounds", "duration", "pace"].map(|field| (field, format!("PATCH /games/{game}/{field}")));
    let mut requests = Vec::new();
    // A text would be taken, and what a game is called is no secret.
    requests.extend(spoiled("POST /games", &new, "/name", secret).into_iter().skip(1));
    for field in ["/maxRounds", "/maxPlayers", "/duration", "/seed", "/style", "/nonce", "/gameworldId"] {
        requests.extend(spoiled("POST /games", &new, field, secret));
    }
    for (field, line) in &changes {
        requests.extend(spoiled(line, &json!({ *field: null }), &format!("/{field}"), secret));
    }
    for field in ["/name", "/email"] {
        // A text would be taken, and what a player is called is no secret.
        requests.extend(spoiled("POST /players", &player, field, secret).into_iter().skip(1));
    }
    requests.extend(spoiled(&robot, &json!({ "playerId": null }), "/playerId", secret));
    for kind in CommandType::ALL {
        let mut order = bot.order(kind);
        order["playerId"] = bot.id.clone();
        order["commandObject"]["itemQuantity"] = 1.into();
        for field in ["/gameId", "/playerToken", "/playerId", "/robotId", "/commandType", "/commandObject"] {
            requests.extend(spoiled("POST /commands", &order, field, secret));
            requests.extend(spoiled("POST /commands/batch", &json!([order]), &format!("/0{field}"), secret));
        }
        for field in ["/commandObject/planetId", "/commandObject/targetId", "/commandObject/itemName"] {
            // A text may be taken for the name of a place, a robot or a thing, which everybody is shown.
            requests.extend(spoiled("POST /commands", &order, field, secret).into_iter().skip(1));
        }
    }
    let purchase = bot.purchase();
    requests.extend(spoiled("POST /commands", &purchase, "/commandObject/itemQuantity", secret));
    requests
}

/// The body with the secret in the place of a field: as a text first; then within other things, and broken off.
fn spoiled(line: &str, body: &Value, field: &str, secret: &str) -> Vec<Request> {
    let with = |value: Value| {
        let mut body = body.clone();
        *body.pointer_mut(field).unwrap() = value;
        body
    };
    let values = [json!(secret), json!([secret]), json!({ secret: secret }), json!([{ "x": [secret] }])];
    let mut requests: Vec<_> = values.into_iter().map(|value| request(line, &with(value))).collect();
    let Request { method, path, .. } = requests[0].clone();
    let whole = with(json!([secret])).to_string();
    let broken = [
        whole[..whole.len() - 1].to_owned(),
        format!("{whole}{secret}"),
        secret.to_owned(),
        format!("\"{secret}\""),
        format!("[\"{secret}\"]"),
    ];
    requests.extend(broken.map(|body| Request { method: method.clone(), path: path.clone(), body }));
    requests
}
