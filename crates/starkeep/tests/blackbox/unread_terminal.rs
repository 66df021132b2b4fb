//! A terminal that takes nothing any more, as behind a connection that hangs: the program does all that it does otherwise, and stops
//! as always.

use rustix::termios::{InputModes, LocalModes};
use starkeep_fault_harness::KeptPort;
use starkeep_test_http::{Caller, within_limit};

use crate::demo::{LISTEN, reaches_round_2, signal};
use crate::host::Host;
use crate::terminal::{FullTerminal, Terminal};

/// It ends with exit code 0, and what is typed is shown again.
async fn stops(full: FullTerminal, name: &str) {
    signal(name, full.process).await;
    let (code, modes) = full.left().await;
    assert_eq!(code, 0, "{name}");
    assert!(modes.local_modes.contains(LocalModes::ECHO | LocalModes::ICANON), "{name}: {modes:?}");
    assert!(modes.input_modes.contains(InputModes::IXON), "{name}: {modes:?}");
}

#[tokio::test]
async fn a_demo_plays_on_and_stops() {
    let (temporary, port) = (tempfile::tempdir().unwrap(), KeptPort::new().unwrap());
    let listen = ["demo", "--game-listen", &port.address().to_string()];
    let mut demo = Terminal::new(&[&listen, &LISTEN[2..]].concat())
        .with("TMPDIR", temporary.path().to_str().unwrap())
        .full()
        .await;
    reaches_round_2(&Caller::new(port.address()), || demo.fill()).await;
    stops(demo, "-TERM").await;
    assert_eq!(std::fs::read_dir(temporary.path()).unwrap().count(), 0);
}

#[tokio::test]
async fn who_watches_a_game_can_stop() {
    for name in ["-INT", "-TERM"] {
        let host = Host::start(&[]).await;
        host.created(&["--name", "Lecture"]).await;
        let terminal = Terminal::new(&["watch", "Lecture"]).with("STARKEEP_GAME_URL", &host.url);
        let mut watching = terminal.full().await;
        let service = host.program.game();
        // It asks for the scores once it has a screen.
        let has_asked = async || {
            let metrics = service.get("/metrics").await.expect_text(200);
            metrics.lines().any(|line| line.contains("/scoreboard\""))
        };
        within_limit("its questions", async {
            while !has_asked().await {
                watching.fill();
            }
        })
        .await;
        stops(watching, name).await;
    }
}
