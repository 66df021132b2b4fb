//! Secrets stay secrets: a player's token and mail address, and the host's token, stand in no answer but their owner's, in no
//! event, no figure, no batch and no line of the log; also where somebody has put them in the wrong place.

use futures::{StreamExt, stream};
use serde_json::{Value, json};
use starkeep_contract::command::CommandType;
use starkeep_test_http::Caller;
use uuid::Uuid;

use crate::bot::{Bot, registered};
use crate::executors::Executors;
use crate::journal::whole_log;
use crate::misplaced_secrets::{Request, request, requests};
use crate::program::Program;
use crate::rounds::undisturbed_home;

const HOST: &str = "a-hosts-long-secret";

/// What was asked, and all that came back.
struct Exchange {
    asked: Request,
    headers: String,
    body: String,
}

impl Exchange {
    fn of_text(from: &str, text: String) -> Self {
        Self { asked: request(&format!("GET {from}"), &Value::Null), headers: String::new(), body: text }
    }

    /// A secret is not shown to its sender either: whoever sends it in the wrong place may not be its owner.
    fn shows_none_of(&self, secrets: &[String]) {
        let Self { asked, headers, body } = self;
        let text = format!("{headers} {body}").to_lowercase();
        let shown = secrets.iter().find(|secret| text.contains(*secret));
        assert_eq!(shown, None, "was shown: {asked:?}: {text}");
    }
}

async fn exchange(caller: &Caller, asked: Request) -> (Exchange, Value) {
    let reply = caller.ask(asked.method.clone(), &asked.path, asked.body.clone()).await;
    (Exchange { asked, headers: format!("{:?}", reply.headers), body: reply.text() }, reply.body)
}

/// A secret in the spellings that are understood.
fn spellings(token: &str) -> [String; 2] {
    [token.to_owned(), Uuid::try_parse(token).unwrap().simple().to_string()]
}

/// What is asked in the wrong place by nobody, by a player and by the host.
async fn ask_in_the_wrong_places(program: &Program, bot: &Bot, secrets: &[String]) -> Vec<Exchange> {
    let callers = |caller: Caller| [caller.with_token(&bot.token), caller.with_token(HOST), caller];
    let (game, map) = (callers(program.game().wanting_json()), callers(program.map().wanting_json()));
    let mut asking = Vec::new();
    for secret in secrets {
        let (of_game, of_map) = requests(bot, secret);
        for (callers, requests) in [(&game, of_game), (&map, of_map)] {
            for caller in callers {
                asking.extend(requests.iter().map(|asked| (caller.clone(), asked.clone())));
            }
            let strange = [callers[2].with_key(secret), callers[2].with_token(&format!("x{secret}"))];
            for caller in strange {
                asking.extend(requests.iter().step_by(7).map(|asked| (caller.clone(), asked.clone())));
            }
        }
    }
    let answered = |(caller, asked): (Caller, Request)| async move { exchange(&caller, asked).await.0 };
    stream::iter(asking).map(answered).buffer_unordered(32).collect().await
}

/// Every endpoint as it is meant to be used; what anybody but a token's owner is answered.
async fn ask_as_it_is_meant(program: &Program, bot: &Bot, other: &(Value, String)) -> Vec<Exchange> {
    let (host, player) = (program.game().with_token(HOST), program.game().with_token(&bot.token));
    let game = bot.game.as_str().unwrap();
    let (id, token) = (other.0.as_str().unwrap(), &other.1);
    let mut all = Vec::new();
    let new = json!({ "maxRounds": 5, "maxPlayers": 2, "duration": 600_000 });
    let (answer, created) = exchange(&host, request("POST /games", &new)).await;
    all.push(answer);
    // In the msd dialect there is one game at a time.
    let second = created["gameId"].as_str().unwrap_or(game);
    let orders = CommandType::ALL.map(|kind| bot.order(kind));
    let (answer, receipt) = exchange(&player, request("POST /commands", &orders[0])).await;
    all.push(answer);
    let command = receipt["transactionId"].as_str().unwrap();
    let robot = bot.robot(CommandType::Mining);
    let nothing = Value::Null;
    let meant = [
        (&player, "POST /commands/batch".to_owned(), json!(orders)),
        (&player, format!("GET /commands/{command}"), nothing.clone()),
        (&player, format!("GET /commands?gameId={game}&roundNumber=1"), nothing.clone()),
        (&player, format!("PUT /games/{game}/players/{}/ready", bot.token), nothing.clone()),
        (&player, format!("GET /games/{game}/time"), nothing.clone()),
        (&player, format!("GET /games/{game}/view"), nothing.clone()),
        (&player, format!("GET /games/{game}/scoreboard"), nothing.clone()),
        (&player, format!("GET /games/{game}/scores"), nothing.clone()),
        (&host, format!("GET /games/{game}/replay"), nothing.clone()),
        (&player, "GET /".to_owned(), nothing.clone()),
        (&player, "GET /page/main.js".to_owned(), nothing.clone()),
        (&player, "GET /docs/first_bot.py".to_owned(), nothing.clone()),
        (&player, format!("GET /games/{game}/players"), nothing.clone()),
        (&player, "GET /services".to_owned(), nothing.clone()),
        (&player, "GET /players/me".to_owned(), nothing.clone()),
        (&host, "GET /rosters".to_owned(), nothing.clone()),
        (&host, format!("POST /games/{game}/gameCommands/pause"), nothing.clone()),
        (&host, format!("POST /games/{game}/gameCommands/step"), nothing.clone()),
        (&host, format!("POST /games/{game}/gameCommands/resume"), nothing.clone()),
        (&player, format!("GET /commands?gameId={game}&roundNumber=1"), nothing.clone()),
        (&host, format!("DELETE /robots/{robot}"), nothing.clone()),
        (&player, "POST /commands".to_owned(), bot.order(CommandType::Mining)),
        (&host, format!("PATCH /games/{second}/maxRounds"), json!({ "maxRounds": 7 })),
        (&host, format!("PATCH /games/{second}/duration"), json!({ "duration": 700_000 })),
        (&host, format!("PATCH /games/{second}/pace"), json!({ "pace": "turbo" })),
        (&player, format!("PUT /games/{second}/players/{token}"), nothing.clone()),
        (&player, format!("GET /games/{second}/participatingPlayers"), nothing.clone()),
        (&player, format!("GET /players/{id}"), nothing.clone()),
        (&player, format!("GET /games/{second}"), nothing.clone()),
        (&player, "GET /games".to_owned(), nothing.clone()),
        (&player, format!("DELETE /games/{second}/players/{token}"), nothing.clone()),
        (&player, format!("PUT /games/{second}/players/{id}"), nothing.clone()),
        (&host, format!("POST /games/{second}/gameCommands/end"), nothing.clone()),
        (&host, format!("DELETE /games/{second}"), nothing.clone()),
    ];
    for (caller, line, body) in &meant {
        all.push(exchange(caller, request(line, body)).await.0);
    }
    all
}

/// What others get who repeat a request whose answer has a secret; and the token that it was answered with.
async fn repeat_what_others_asked(
    program: &Program,
    bot: &Bot,
    other: &(Value, String),
) -> (Vec<Exchange>, String) {
    let anybody = program.game().with_key("once");
    let (id, token) = (other.0.as_str().unwrap(), &other.1);
    let renewal = request(&format!("POST /players/{id}/token"), &Value::Null);
    let owner = anybody.with_token(token);
    let renewed = exchange(&owner, renewal.clone()).await.1["bearerToken"].as_str().unwrap().to_owned();
    let registration = json!({ "name": "bot-2", "email": "bot-2@example.org" });
    let strange = json!({ "name": "bot-3", "email": "bot-2@example.org" });
    let mut all = Vec::new();
    all.push(exchange(&anybody, renewal.clone()).await.0);
    all.push(exchange(&anybody, request("POST /players", &strange)).await.0);
    for caller in [anybody.with_token(&bot.token), anybody.with_token(HOST), owner] {
        all.push(exchange(&caller, renewal.clone()).await.0);
        for body in [&registration, &strange] {
            all.push(exchange(&caller, request("POST /players", body)).await.0);
        }
        let path = "GET /players?name=bot-3&mail=bot-2@example.org";
        all.push(exchange(&caller, request(path, &Value::Null)).await.0);
    }
    (all, renewed)
}

async fn ask_for_what_anybody_may_read(program: &Program) -> Vec<Exchange> {
    let mut all = Vec::new();
    for service in [program.game(), program.map()] {
        for path in ["/metrics", "/health", "/docs", "/openapi.json", "/asyncapi.json"] {
            all.push(exchange(&service, request(&format!("GET {path}"), &Value::Null)).await.0);
        }
        let log = Value::from(whole_log(&service).await).to_string();
        all.push(Exchange::of_text("/events", log));
    }
    all
}

/// Of what a service says that it offers.
fn assert_every_endpoint_was_asked(exchanges: &[Exchange]) {
    let contracts = exchanges.iter().filter(|exchange| exchange.asked.path == "/openapi.json");
    let asked = |method: &str, template: &str| {
        let is = |path: &str| {
            let (path, template) = (path.split('/'), template.split('/'));
            path.clone().count() == template.clone().count()
                && path.zip(template).all(|(part, of)| part == of || of.starts_with('{'))
        };
        exchanges.iter().any(|Exchange { asked, .. }| {
            asked.method.as_str().eq_ignore_ascii_case(method) && is(asked.path.split('?').next().unwrap())
        })
    };
    for contract in contracts {
        let contract: Value = serde_json::from_str(&contract.body).unwrap();
        for (path, methods) in contract["paths"].as_object().unwrap() {
            for method in methods.as_object().unwrap().keys() {
                assert!(asked(method, path), "nobody asked {method} {path}");
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_secret_is_told_to_anybody_but_its_owner() {
    tells_no_secret("standard").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_secret_is_told_to_anybody_but_its_owner_in_the_other_dialect() {
    tells_no_secret("msd").await;
}

async fn tells_no_secret(dialect: &str) {
    let (home, executors) = (undisturbed_home(), Executors::start());
    let own = ["--data-dir", home.path().to_str().unwrap(), "--admin-token", HOST];
    let own = [own.as_slice(), &["--log", "debug", "--dialect", dialect, "--start-delay", "0"]].concat();
    let own: Vec<_> = own.into_iter().map(str::to_owned).collect();
    let program = Program::serve("all", &[own, executors.flags()].concat()).await;
    let host = program.game().with_token(HOST);
    let bot = Bot::in_a_game(&host, 1, 86_400_000).await;
    bot.begins(&host, 1).await;
    let other = registered(&program.game().with_key("once"), 2).await;

    let mails = [1, 2].map(|number| format!("bot-{number}@example.org"));
    let misplaced = [&spellings(&bot.token)[..], &mails[..1], &[HOST.to_owned()]].concat();
    let mut exchanges = ask_in_the_wrong_places(&program, &bot, &misplaced).await;
    exchanges.extend(ask_as_it_is_meant(&program, &bot, &other).await);
    let (more, renewed) = repeat_what_others_asked(&program, &bot, &other).await;
    exchanges.extend(more);
    let tokens = [&bot.token, &other.1, &renewed].map(|token| spellings(token));
    let secrets = [tokens.as_flattened(), &mails, &[HOST.to_owned()]].concat();
    exchanges.extend(ask_for_what_anybody_may_read(&program).await);
    let batches = executors.arrived().await.into_iter();
    exchanges.extend(batches.map(|batch| Exchange::of_text("a batch", batch.text)));
    program.terminate();
    let ended = program.ended().await;
    assert!(ended.stderr.contains("DEBUG"), "{}", ended.stderr);
    exchanges.extend([ended.stdout, ended.stderr].map(|text| Exchange::of_text("the log", text)));

    assert_every_endpoint_was_asked(&exchanges);
    for exchange in &exchanges {
        exchange.shows_none_of(&secrets);
    }
}
