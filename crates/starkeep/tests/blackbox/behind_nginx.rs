//! What clients see behind nginx as `deploy/nginx.conf` sets it: any replica, events at once, every refusal as it was given, and no
//! request twice that may have taken effect. Replicas are installations of their own here, so that it shows which one has answered.

use std::net::SocketAddr;

use http::Method;
use serde_json::{Value, json};
use starkeep_test_http::{Message, within_limit};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use crate::nginx::Nginx;
use crate::program::Program;
use crate::two_services::new_game;

const SERVICES: [&str; 4] = ["game", "map", "robot", "trading"];
const TOKEN: &str = "a-long-secret";
const MIB: usize = 1024 * 1024;

async fn serve(flags: &[&str]) -> (Program, TempDir) {
    let home = tempfile::tempdir().unwrap();
    let own = ["--data-dir", home.path().to_str().unwrap()];
    (Program::serve("all", &[&own, flags].concat()).await, home)
}

async fn in_front_of(programs: &[&Program]) -> Nginx {
    let replicas = SERVICES.map(|service| {
        (service, programs.iter().map(|program| program.address(service)).collect::<Vec<_>>())
    });
    Nginx::in_front_of(&replicas).await
}

fn player(number: usize) -> Value {
    json!({ "name": format!("player-{number}"), "email": format!("player-{number}@example.org") })
}

/// Reads requests and closes their connections instead of answering. So does a replica that is killed.
struct Silent {
    address: SocketAddr,
    received: watch::Receiver<Vec<String>>,
}

impl Silent {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (received, seen) = watch::channel(Vec::new());
        tokio::spawn(async move {
            while let Ok((mut connection, _)) = listener.accept().await {
                if let Ok(Some(request)) = Message::read(&mut connection).await {
                    received.send_modify(|list| list.push(request.method().to_owned()));
                }
            }
        });
        Self { address, received: seen }
    }

    fn received(&self) -> Vec<String> {
        self.received.borrow().clone()
    }
}

#[tokio::test]
async fn each_port_leads_to_a_service_and_to_its_replicas_in_turn() {
    let ((one, _home), (other, _other_home)) = (serve(&[]).await, serve(&[]).await);
    let nginx = in_front_of(&[&one, &other]).await;
    for service in SERVICES {
        assert_eq!(nginx.service(service).get("/health").await.expect(200)["service"], service);
    }
    one.game().post("/players", &player(1)).await.expect(201);
    let mut statuses = Vec::new();
    for _ in 0..4 {
        let known = nginx.service("game").get("/players?name=player-1&mail=player-1@example.org").await;
        statuses.push(known.status);
    }
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 200, 404, 404]);
}

/// The next piece that comes, until the text is there.
async fn read_until(stream: &mut TcpStream, text: &str) {
    let mut bytes = Vec::new();
    let read = async {
        while !String::from_utf8_lossy(&bytes).contains(text) {
            assert!(stream.read_buf(&mut bytes).await.unwrap() > 0, "the stream ended");
        }
    };
    within_limit(&format!("`{text}`"), read).await;
}

#[tokio::test]
async fn events_come_one_by_one_as_they_happen() {
    let (program, _home) = serve(&[]).await;
    let nginx = in_front_of(&[&program]).await;
    let mut events = TcpStream::connect(nginx.address("game")).await.unwrap();
    let request = "GET /events?after=end HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\n\r\n";
    events.write_all(request.as_bytes()).await.unwrap();
    read_until(&mut events, "200 OK").await;
    for _ in 0..3 {
        let game = nginx.service("game").post("/games", &new_game()).await.expect(201)["gameId"].take();
        read_until(&mut events, game.as_str().unwrap()).await;
    }
}

#[tokio::test]
async fn a_503_goes_to_the_client_with_its_retry_after() {
    let home = tempfile::tempdir().unwrap();
    let flags = ["--data-dir", home.path().to_str().unwrap(), "--map-url", "http://127.0.0.1:1"];
    let without_map = Program::serve("game", &flags).await;
    let (whole, _home) = serve(&[]).await;
    let replicas = vec![without_map.address("game"), whole.address("game")];
    let nginx = Nginx::in_front_of(&[("game", replicas)]).await;
    let answer = nginx.service("game").post("/games", &new_game()).await;
    assert_eq!(answer.headers["retry-after"], "1");
    assert_eq!(answer.expect(503)["code"], "map-unavailable");
    // The next one has its turn.
    nginx.service("game").post("/games", &new_game()).await.expect(201);
}

#[tokio::test]
async fn a_replica_that_is_gone_is_passed_over() {
    let ((one, _home), (other, _other_home)) = (serve(&[]).await, serve(&[]).await);
    let nginx = in_front_of(&[&one, &other]).await;
    let game = nginx.service("game");
    // Over connections that are kept to both.
    for _ in 0..4 {
        game.get("/games").await.expect(200);
    }
    one.kill().await;
    for number in 0..8 {
        game.get("/games").await.expect(200);
        game.post("/players", &player(number)).await.expect(201);
    }
}

#[tokio::test]
async fn a_post_that_was_sent_is_never_sent_again() {
    let (silent, (program, _home)) = (Silent::start().await, serve(&[]).await);
    let nginx = Nginx::in_front_of(&[("game", vec![silent.address, program.address("game")])]).await;
    let answer = nginx.service("game").post("/players", &player(1)).await;
    assert_eq!(answer.headers["content-type"], "application/problem+json");
    let problem = answer.expect(502);
    assert!(problem["detail"].as_str().unwrap().contains("not known"), "{problem}");
    assert_eq!(silent.received(), ["POST"]);
    let known = program.game().get("/players?name=player-1&mail=player-1@example.org").await;
    assert_eq!(known.status, 404, "{known:?}");
}

#[tokio::test]
async fn a_get_without_an_answer_is_asked_of_another_replica() {
    let (silent, (program, _home)) = (Silent::start().await, serve(&[]).await);
    let nginx = Nginx::in_front_of(&[("game", vec![silent.address, program.address("game")])]).await;
    nginx.service("game").get("/games").await.expect(200);
    assert_eq!(silent.received(), ["GET"]);
}

/// The answer to a request whose body is announced, and not sent.
async fn announce(address: SocketAddr, path: &str, length: usize) -> Message {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {TOKEN}\r\nContent-Type: application/json\r\n\
         Content-Length: {length}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    within_limit("an answer to the head", Message::read(&mut stream)).await.unwrap().unwrap()
}

#[tokio::test]
async fn a_body_is_refused_as_the_service_refuses_it() {
    let (program, _home) = serve(&["--admin-token", TOKEN]).await;
    let nginx = in_front_of(&[&program]).await;
    for (service, path, largest) in [
        ("game", "/games", MIB),
        ("map", "/gameworlds", 32 * MIB),
        ("robot", "/commands", 16 * MIB),
        ("trading", "/commands", 64 * MIB),
    ] {
        let of_service = announce(program.address(service), path, largest + 1).await;
        let of_nginx = announce(nginx.address(service), path, largest + 1).await;
        assert_eq!((of_service.status(), of_nginx.status()), (413, 413), "{service}");
        assert_eq!(of_nginx.json(), of_service.json(), "{service}");
    }
    // The largest body that the game service takes comes through; what it says is another matter.
    let game = nginx.service("game").with_token(TOKEN);
    let blanks = game.ask(Method::POST, "/games", " ".repeat(MIB)).await;
    assert_eq!(blanks.expect(400)["code"], "unreadable-json");
}
