//! Where the services listen: a default port that is taken is replaced, one that was asked for is not, and clients are told.

use std::net::TcpListener;

use serde_json::Value;
use starkeep_test_http::{Caller, within_limit};
use tokio::io::{AsyncBufReadExt, BufReader};

use crate::program::{Program, command, run, start};

/// Takes the port, unless somebody else has it already.
fn take(port: u16) -> Option<TcpListener> {
    TcpListener::bind(("127.0.0.1", port)).ok()
}

#[tokio::test]
async fn a_default_port_that_is_taken_is_replaced_by_a_free_one() {
    let _taken = [take(8082), take(8083)];
    let home = tempfile::tempdir().unwrap();
    let mut command = command();
    command.args(["serve", "--data-dir", home.path().to_str().unwrap()]);
    command.args(["--game-listen", "127.0.0.1:0", "--map-listen", "127.0.0.1:0"]);
    let mut child = start(&mut command).await;
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut told = Vec::new();
    while let Some(line) = within_limit("a line", lines.next_line()).await.unwrap() {
        if let Some((service, address)) = line.split_once(" service listening on ") {
            told.push((service.to_owned(), address.to_owned()));
        }
        if line.starts_with("Stop with") {
            break;
        }
    }
    let address = |name: &str| &told.iter().find(|(service, _)| service == name).unwrap().1;
    assert_ne!(address("robot"), "http://127.0.0.1:8082");
    assert_ne!(address("trading"), "http://127.0.0.1:8083");
    let game = Caller::new(address("game").strip_prefix("http://").unwrap().parse().unwrap());
    let services = game.get("/services").await.expect(200);
    for (name, address) in &told {
        assert_eq!(services[name], Value::from(address.as_str()), "{services}");
    }
}

#[tokio::test]
async fn a_port_that_was_asked_for_and_is_taken_ends_the_start() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let home = tempfile::tempdir().unwrap();
    for flag in ["--game-listen", "--map-listen", "--robot-listen", "--trading-listen"] {
        let mut arguments = vec!["serve", "--data-dir", home.path().to_str().unwrap()];
        for other in ["--game-listen", "--map-listen", "--robot-listen", "--trading-listen"] {
            arguments.extend([other, if other == flag { &address } else { "127.0.0.1:0" }]);
        }
        let ended = run(&arguments).await;
        assert_eq!(ended.code, Some(2), "{flag}: {ended:?}");
        assert!(ended.stderr.contains(flag) && ended.stderr.contains(&address), "{}", ended.stderr);
    }
}

#[tokio::test]
async fn an_address_that_was_asked_for_is_not_taken_as_a_default_by_another_service() {
    let Some(robots) = take(8082) else { return };
    drop(robots);
    let home = tempfile::tempdir().unwrap();
    let own = ["--data-dir", home.path().to_str().unwrap(), "--game-listen", "127.0.0.1:8082"];
    let program = Program::serve("all", &own).await;
    assert_eq!(program.address("game").port(), 8082);
}

#[tokio::test]
async fn a_game_service_alone_tells_where_it_looks_for_the_map() {
    let home = tempfile::tempdir().unwrap();
    let program = Program::serve("game", &["--data-dir", home.path().to_str().unwrap()]).await;
    let services = program.game().get("/services").await.expect(200);
    assert_eq!(services["map"], "http://127.0.0.1:8081");
    assert_eq!([&services["robot"], &services["trading"]], [&Value::Null, &Value::Null]);
}
