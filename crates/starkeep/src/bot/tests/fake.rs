//! A game service that a test scripts: the test sees every request, answers it, and publishes events.
//! Every wait has a limit far longer than anything takes, so that a test fails instead of hanging.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use serde_json::{Value, json};
use starkeep_contract::{Code, GameId, Problem};
use starkeep_test_http::{LocalServer, within_limit};
use tokio::sync::{Notify, mpsc, oneshot};
use uuid::Uuid;

pub(super) const GAME: GameId = GameId(Uuid::from_u128(0x6A3E));

pub(super) struct Fake {
    pub(super) place: Place,
    requests: mpsc::UnboundedReceiver<Asked>,
    service: Arc<FakeService>,
    events: mpsc::UnboundedSender<String>,
    published: u32,
    /// The lines of all that was answered, and what was sent with them.
    pub(super) seen: Vec<(String, Value)>,
    _server: LocalServer,
}

#[derive(Clone)]
pub(super) struct Place {
    pub(super) url: String,
    /// Notified when the bots have ended.
    pub(super) left: Arc<Notify>,
}

/// A request that waits for its answer.
pub(super) struct Asked {
    /// As in `PUT /games/…`.
    pub(super) line: String,
    pub(super) body: Value,
    answer: oneshot::Sender<Response>,
}

struct FakeService {
    requests: mpsc::UnboundedSender<Asked>,
    /// The frames of the stream; there is only one stream.
    events: Mutex<Option<mpsc::UnboundedReceiver<String>>>,
    /// What is answered without asking the test.
    shown: Mutex<Shown>,
}

/// What bots look at. As long as a test sets nothing, nobody tells of robots and trading.
#[derive(Default)]
pub(super) struct Shown {
    /// By the token that is shown, what the player sees beside the round.
    pub(super) views: BTreeMap<String, Value>,
    /// The round whose commands are collected.
    pub(super) round: u32,
    pub(super) scoreboard: Value,
    /// The events of the robot service, which is at the same address if there are any.
    pub(super) robot_events: Vec<Value>,
}

impl Fake {
    pub(super) async fn start() -> Self {
        let ((ask, requests), (frames, events)) = (mpsc::unbounded_channel(), mpsc::unbounded_channel());
        let shown = Mutex::new(Shown::default());
        let service = Arc::new(FakeService { requests: ask, events: Mutex::new(Some(events)), shown });
        let router = Router::new().fallback(receive).with_state(service.clone());
        let server = LocalServer::start(router).await;
        let place = Place { url: server.url(), left: Arc::new(Notify::new()) };
        Self { place, requests, service, events: frames, published: 0, seen: Vec::new(), _server: server }
    }

    /// Changes what bots see.
    pub(super) fn show(&self, change: impl FnOnce(&mut Shown)) {
        change(&mut self.service.shown.lock().unwrap());
    }

    pub(super) async fn next(&mut self) -> Asked {
        let asked = within_limit("a request", self.requests.recv()).await.unwrap();
        self.seen.push((asked.line.clone(), asked.body.clone()));
        asked
    }

    /// The next request, which must be this one.
    pub(super) async fn asked(&mut self, line: &str) -> Asked {
        let asked = self.next().await;
        assert_eq!(asked.line, line);
        asked
    }

    /// Answers whatever is asked as a service usually does, up to so many requests of this kind.
    pub(super) async fn until(&mut self, count: usize, kind: &str) {
        let mut left = count;
        while left > 0 {
            let asked = self.next().await;
            left -= usize::from(asked.is(kind));
            asked.usual();
        }
    }

    /// The same until the bots have ended.
    pub(super) async fn until_they_leave(&mut self) {
        let left = self.place.left.clone();
        loop {
            tokio::select! {
                () = left.notified() => return,
                () = self.until(1, "any") => {}
            }
        }
    }

    /// An event of the channel.
    pub(super) fn publish(&mut self, channel: &str, payload: &Value) {
        self.published += 1;
        let headers = json!({ "eventId": Uuid::nil(), "transactionId": "", "version": "1",
            "timestamp": "2026-01-02T03:04:05Z", "type": channel });
        let data = json!({ "headers": headers, "payload": payload });
        let text = format!("event: {channel}\nid: p-{}\ndata: {data}\n\n", self.published);
        self.events.send(text).unwrap();
    }

    pub(super) fn publish_game_status(&mut self, word: &str) {
        self.publish("status", &json!({ "gameId": GAME, "status": word }));
    }

    pub(super) fn publish_round_status(&mut self, number: u32, word: &str) {
        self.show(|shown| shown.round = number);
        self.publish("roundStatus", &round(GAME, number, word));
    }

    pub(super) fn publish_gap(&mut self) {
        self.events
            .send("event: gap\ndata: {\"reason\":\"epoch\",\"resumesAfter\":\"q-0\"}\n\n".into())
            .unwrap();
    }

    /// What was sent with each request of this kind.
    pub(super) fn sent(&self, kind: &str) -> Vec<&Value> {
        self.seen.iter().filter(|(line, _)| is(line, kind)).map(|(_, body)| body).collect()
    }
}

impl Asked {
    pub(super) fn is(&self, kind: &str) -> bool {
        is(&self.line, kind)
    }

    /// As a service does where nothing is in the way. A player's token is made from its number.
    pub(super) fn usual(self) {
        let secret = self.line.split('/').nth(4).unwrap_or_default().to_owned();
        let command = self.line.rsplit('/').next().unwrap_or_default().to_owned();
        let answer = match &self.line {
            line if is(line, "register") => player(&self.body["name"]),
            line if is(line, "join") => json!({ "transactionId": secret }),
            line if is(line, "list") => json!([game("created", 0)]),
            line if is(line, "show") => game("created", 0),
            line if is(line, "command") => receipt(&self.body["playerToken"], "pending"),
            line if is(line, "ready") => json!({ "ready": 1, "players": 1 }),
            line if is(line, "receipt") => receipt(&json!(command), "dispatched"),
            line => panic!("nobody expected {line}"),
        };
        self.answer(&answer);
    }

    pub(super) fn answer(self, body: &Value) {
        self.answer_with(StatusCode::OK, body.to_string());
    }

    /// The detail repeats what was asked, as an unkind service might.
    pub(super) fn refuse(self, code: Code) {
        let problem = Problem::new(code, format!("you asked {}", self.line));
        let status = StatusCode::from_u16(problem.status).unwrap();
        self.answer_with(status, json!(problem).to_string());
    }

    pub(super) fn answer_with(self, status: StatusCode, body: String) {
        // The client may have disconnected.
        let _ = self.answer.send((status, body).into_response());
    }
}

/// What kind of a request it is.
fn is(line: &str, kind: &str) -> bool {
    match kind {
        "any" => true,
        "register" => line == "POST /players",
        "list" => line == "GET /games?status=created",
        "show" => line == format!("GET /games/{GAME}"),
        "join" => line.starts_with(&format!("PUT /games/{GAME}/players/")) && !line.ends_with("/ready"),
        "ready" => line.starts_with(&format!("PUT /games/{GAME}/players/")) && line.ends_with("/ready"),
        "command" => line == "POST /commands",
        "receipt" => line.starts_with("GET /commands/"),
        other => panic!("there is no kind {other}"),
    }
}

pub(super) fn token(number: u32) -> Uuid {
    Uuid::from_u128(0x5EC2_E700_0000 + u128::from(number))
}

/// As `POST /players` answers.
pub(super) fn player(name: &Value) -> Value {
    let number = name.as_str().unwrap().rsplit('-').next().unwrap().parse().unwrap();
    json!({ "playerId": Uuid::from_u128(u128::from(number)), "bearerToken": token(number), "name": name,
        "email": "", "playerExchange": "", "playerQueue": "" })
}

pub(super) fn game(status: &str, round: u32) -> Value {
    json!({ "gameId": GAME, "name": "Game 1", "gameStatus": status, "maxPlayers": 9, "maxRounds": 100, "currentRoundNumber": round,
        "roundLengthInMillis": 60_000, "participatingPlayers": [Uuid::from_u128(1)], "paused": false, "pace": "turbo",
        "gameworldId": null, "createdAt": "2026-01-02T03:04:05Z", "startedAt": null, "endedAt": null })
}

pub(super) fn round(game: GameId, number: u32, word: &str) -> Value {
    json!({ "gameId": game, "roundId": Uuid::nil(), "roundNumber": number, "roundStatus": word })
}

pub(super) fn receipt(command: &Value, state: &str) -> Value {
    json!({ "transactionId": command, "state": state, "roundNumber": 1, "collectionLeftInMillis": 0 })
}

async fn receive(State(service): State<Arc<FakeService>>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    if head.uri.path() == "/events" {
        return events(&service, &head);
    }
    if let Some(shown) = look(&service.shown.lock().unwrap(), &head) {
        return shown.to_string().into_response();
    }
    let body = to_bytes(body, 1_000_000).await.unwrap();
    let body = if body.is_empty() { Value::Null } else { serde_json::from_slice(&body).unwrap() };
    let (answer, answered) = oneshot::channel();
    let asked = Asked { line: format!("{} {}", head.method, head.uri), body, answer };
    if service.requests.send(asked).is_err() {
        return StatusCode::GONE.into_response();
    }
    answered.await.unwrap_or_else(|_| StatusCode::GONE.into_response())
}

/// What is shown to who only looks.
fn look(shown: &Shown, head: &http::request::Parts) -> Option<Value> {
    let bearer = head.headers.get(http::header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    match head.uri.path() {
        "/services" => {
            let url = format!("http://{}", head.headers[http::header::HOST].to_str().unwrap());
            let robot = (!shown.robot_events.is_empty()).then_some(&url);
            Some(json!({ "game": url, "map": null, "robot": robot, "trading": null }))
        }
        path if path.ends_with("/view") => {
            let mut view = json!({ "gameId": GAME, "roundNumber": shown.round, "phase": "collection",
                "phaseEndsInMillis": 1000, "money": null, "prices": null, "robots": null, "planets": null });
            let token = bearer.unwrap().trim_start_matches("Bearer ");
            let seen = shown.views.get(token).and_then(Value::as_object).cloned().unwrap_or_default();
            view.as_object_mut().unwrap().extend(seen);
            Some(view)
        }
        path if path.ends_with("/scoreboard") => Some(shown.scoreboard.clone()),
        _ => None,
    }
}

fn events(service: &FakeService, head: &http::request::Parts) -> Response {
    if head.headers[http::header::ACCEPT] == "application/json" {
        // A reader begins at the end; by its second look the events of robots have happened.
        let happened = head.uri.query().unwrap_or_default().contains("after=p-0");
        let events = if happened { service.shown.lock().unwrap().robot_events.clone() } else { Vec::new() };
        let next = if happened { "p-1" } else { "p-0" };
        return json!({ "events": events, "next": next, "gap": null }).to_string().into_response();
    }
    let Some(events) = service.events.lock().unwrap().take() else {
        return StatusCode::CONFLICT.into_response();
    };
    let texts = futures::stream::unfold(events, |mut events| async {
        let text = events.recv().await?;
        Some((Ok::<_, std::convert::Infallible>(text), events))
    });
    ([(http::header::CONTENT_TYPE, "text/event-stream")], Body::from_stream(texts)).into_response()
}
