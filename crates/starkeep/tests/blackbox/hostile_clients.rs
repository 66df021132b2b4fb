//! Clients that mean harm: each is refused as the contract says or closed, the memory stays bounded, and others are served meanwhile.
//! The limits are those that the flags set.

use std::fmt::Write as _;

use serde_json::{Value, json};
use starkeep_test_http::{Caller, send_raw, within_limit};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::program::Program;
use crate::scale::scale;

/// Megabytes that the process may grow by, whatever is done to it.
const MOST_GROWN: f64 = 64.0;

struct Target {
    program: Program,
    _home: TempDir,
}

impl Target {
    async fn with(flags: &[&str]) -> Self {
        let home = tempfile::tempdir().unwrap();
        let own = ["--data-dir", home.path().to_str().unwrap()];
        let program = Program::serve("game", &[&own[..], flags].concat()).await;
        Self { program, _home: home }
    }

    fn service(&self) -> Caller {
        self.program.game()
    }

    /// Somebody else is served, over a connection of its own.
    async fn serves_others(&self) {
        assert_eq!(self.service().get("/games").await.expect(200), json!([]));
    }

    async fn connect(&self) -> TcpStream {
        within_limit("a connection", TcpStream::connect(self.program.address("game"))).await.unwrap()
    }

    /// What it answers to these bytes before it closes the connection.
    async fn say(&self, bytes: &[u8]) -> String {
        within_limit("an answer or the end", send_raw(self.program.address("game"), bytes)).await
    }

    /// The answer to a body that is called JSON.
    async fn post(&self, path: &str, body: &[u8]) -> (u16, Value) {
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        let answer = self.say(&[head.as_bytes(), body].concat()).await;
        let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok());
        let body =
            answer.split_once("\r\n\r\n").map(|(_, body)| serde_json::from_str(body).unwrap_or_default());
        (status.unwrap_or_else(|| panic!("{answer}")), body.unwrap())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_that_say_nothing_keep_nobody_out() {
    let target = Target::with(&["--max-connections", "200"]).await;
    target.serves_others().await;
    let before = target.program.resident_megabytes();
    let mut silent = Vec::new();
    for number in 0..1000 * scale() {
        let mut stream = target.connect().await;
        let _ = stream.write_all(&b"GET /games HTTP/1.1\r\nx-slow: "[..number % 28]).await;
        silent.push(stream);
        if number % 100 == 0 {
            target.serves_others().await;
        }
    }
    target.serves_others().await;
    let grown = target.program.resident_megabytes() - before;
    assert!(grown < MOST_GROWN, "{grown:.1} MB");
}

#[tokio::test(flavor = "multi_thread")]
async fn heads_and_bodies_that_are_slow_are_refused() {
    let target = Target::with(&["--head-timeout", "1s", "--body-timeout", "1s"]).await;
    assert_eq!(target.say(b"GET /games HTTP/1.1\r\nx-slow: ").await, "");
    let begun = b"POST /games HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: 50\r\n\r\n{";
    let slow = target.say(begun).await;
    assert!(slow.starts_with("HTTP/1.1 408 ") && slow.contains("request-timeout"), "{slow}");
}

#[tokio::test(flavor = "multi_thread")]
async fn heads_and_bodies_that_are_large_are_refused() {
    let target = Target::with(&["--max-head", "8192", "--max-body", "100000"]).await;
    let before = target.program.resident_megabytes();
    let mut flood = String::from("GET /games HTTP/1.1\r\nhost: x\r\n");
    for number in 0..10_000 {
        let _ = write!(flood, "x-{number}: y\r\n");
    }
    assert!(target.say(flood.as_bytes()).await.starts_with("HTTP/1.1 431 "));
    let large = format!("GET /games HTTP/1.1\r\nhost: x\r\nx-large: {}\r\n\r\n", "y".repeat(100_000));
    assert!(target.say(large.as_bytes()).await.starts_with("HTTP/1.1 431 "));
    // It is refused by its length alone, and by its bytes where it names none.
    let hundred_megabytes = b"POST /games HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: 104857600\r\n\r\n";
    let refused = target.say(hundred_megabytes).await;
    assert!(refused.starts_with("HTTP/1.1 413 ") && refused.contains("body-too-large"), "{refused}");
    let mut chunked =
        b"POST /games HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n".to_vec();
    for _ in 0..100 {
        chunked.extend_from_slice(b"100000\r\n");
        chunked.resize(chunked.len() + (1 << 20), b' ');
        chunked.extend_from_slice(b"\r\n");
    }
    let refused = target.say(&chunked).await;
    assert!(refused.starts_with("HTTP/1.1 413 "), "{refused}");
    target.serves_others().await;
    let grown = target.program.resident_megabytes() - before;
    assert!(grown < MOST_GROWN, "{grown:.1} MB");
}

#[tokio::test(flavor = "multi_thread")]
async fn bodies_that_nobody_can_read_are_refused_in_words() {
    let target = Target::with(&[]).await;
    let nested = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let in_a_field = format!("{{\"maxRounds\":{nested}}}");
    for body in [
        nested.as_bytes(),
        in_a_field.as_bytes(),
        b"{\"maxRounds\":\"\xff\xfe\"}",
        b"\xff",
        b"{\"maxRounds\":1",
    ] {
        let (status, problem) = target.post("/games", body).await;
        assert!(status == 400 || status == 422, "{status} {problem}");
        assert!(
            problem["detail"].as_str().is_some_and(|detail| !detail.is_empty() && detail.len() < 1000),
            "{problem}"
        );
    }
    for number in
        ["-1", "0", "1e999", "99999999999999999999999999", "9223372036854775808", "1.5", "-0.0", "null"]
    {
        let body = format!("{{\"maxRounds\":{number},\"maxPlayers\":2,\"duration\":1000}}");
        let (status, problem) = target.post("/games", body.as_bytes()).await;
        assert!(status == 400 || status == 422, "{number}: {status} {problem}");
    }
    target.serves_others().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn tricks_with_paths_and_protocols_lead_nowhere() {
    let target = Target::with(&[]).await;
    for path in [
        "/../../etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "//games",
        "/games/%00",
        "/games/%ff",
        "/page/../Cargo.toml",
        "/page/%2e%2e%2fsecret",
        "/docs/%2e%2e%2fREADME.md",
        "/games/..;/health",
        "/%",
    ] {
        let answer = target
            .say(format!("GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").as_bytes())
            .await;
        assert!(answer.starts_with("HTTP/1.1 404 "), "{path}: {answer}");
    }
    for said in [
        &b"GET / HTTP/9.9\r\n\r\n"[..],
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET /games HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
        b"GET /games HTTP/1.1\r\nhost: x\r\ncontent-length: -5\r\n\r\n",
    ] {
        let answer = target.say(said).await;
        let is_served = answer.starts_with("HTTP/1.1 200 ");
        assert!(!is_served || said.starts_with(b"GET /games"), "{answer}");
    }
    target.serves_others().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn readers_that_never_read_are_bounded_in_number_and_memory() {
    let target = Target::with(&["--max-event-streams", "1000"]).await;
    target.serves_others().await;
    let before = target.program.resident_megabytes();
    let mut readers = Vec::new();
    for _ in 0..1000 {
        let mut reader = target.connect().await;
        reader.write_all(b"GET /events?after=start HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
        // Its stream is open, and it reads nothing more.
        assert!(within_limit("a stream", reader.read(&mut [0; 64])).await.unwrap() > 0);
        readers.push(reader);
    }
    let refused = target.say(b"GET /events HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").await;
    assert!(refused.starts_with("HTTP/1.1 503 ") && refused.contains("too-many-readers"), "{refused}");
    for number in 0..200 {
        let new = json!({ "name": format!("p{number}"), "email": format!("p{number}@example.org") });
        target.service().post("/players", &new).await.expect(201);
    }
    let grown = target.program.resident_megabytes() - before;
    assert!(grown < MOST_GROWN, "{grown:.1} MB");
    drop(readers);
    let served = async {
        loop {
            let mut reader = target.connect().await;
            reader.write_all(b"GET /events HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
            let mut head = [0; 15];
            reader.read_exact(&mut head).await.unwrap();
            if head.starts_with(b"HTTP/1.1 200") {
                return;
            }
        }
    };
    within_limit("a place that became free", served).await;
}
