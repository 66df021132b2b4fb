//! Where the services listen, and what is printed of it: an address that can be opened, also where that is everywhere.

use std::net::{SocketAddr, TcpListener};

use serde_json::Value;
use starkeep_test_http::{Caller, within_limit};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};

use crate::demo::signal;
use crate::program::{Program, command, start};

/// Where it was said that the service listens.
async fn printed(listen: &str) -> (Program, SocketAddr, tempfile::TempDir) {
    let home = tempfile::tempdir().unwrap();
    let flags = ["--data-dir", home.path().to_str().unwrap(), "--game-listen", listen];
    let program = Program::serve("all", &flags).await;
    let address = program.address("game");
    (program, address, home)
}

#[tokio::test]
async fn a_host_name_is_listened_on() {
    let (program, address, _home) = printed("localhost:0").await;
    assert!(address.ip().is_loopback() && address.port() > 0, "{address}");
    program.game().get("/services").await.expect(200);
}

#[tokio::test]
async fn of_a_service_that_listens_everywhere_an_address_is_printed_that_can_be_opened() {
    // Where the machine has no IPv6 there is nothing to listen on.
    let has_ipv6 = TcpListener::bind("[::]:0").is_ok();
    for listen in ["0.0.0.0:0", "[::]:0"].into_iter().filter(|listen| has_ipv6 || listen.starts_with('0')) {
        let (program, address, _home) = printed(listen).await;
        assert!(!address.ip().is_unspecified() && address.port() > 0, "{listen}: {address}");
        let services = program.game().get("/services").await.expect(200);
        // Clients find the others by the name under which they have found this one.
        assert_eq!(services["game"], format!("http://{address}"), "{listen}");
        program.logged("anybody who reaches this address can create and end games", 1).await;
    }
}

#[tokio::test]
async fn programs_get_one_document_with_all_addresses() {
    let home = tempfile::tempdir().unwrap();
    let mut command = command();
    command.args([
        "serve",
        "--json",
        "--data-dir",
        home.path().to_str().unwrap(),
        "--game-listen",
        "0.0.0.0:0",
    ]);
    for service in ["map", "robot", "trading"] {
        command.args([&format!("--{service}-listen"), "localhost:0"]);
    }
    let mut child = start(&mut command).await;
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    within_limit("its document", stdout.read_line(&mut line)).await.unwrap();
    let told: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(told["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(told["dataDir"], home.path().to_str().unwrap());
    let caller = |service: &str| {
        let address = told["services"][service].as_str().unwrap().strip_prefix("http://").unwrap();
        Caller::new(address.parse().unwrap())
    };
    for service in ["game", "map", "robot", "trading"] {
        caller(service).get("/health").await.expect(200);
    }
    assert_eq!(caller("game").get("/services").await.expect(200), told["services"]);
    signal("-TERM", child.id().unwrap()).await;
    let mut rest = String::new();
    within_limit("its end", stdout.read_to_string(&mut rest)).await.unwrap();
    assert_eq!((rest.as_str(), within_limit("its end", child.wait()).await.unwrap().code()), ("", Some(0)));
}
