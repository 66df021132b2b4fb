//! What the start prints to try next works as printed: every command in a POSIX shell, every address in a browser.
//! For all services and each by itself, with each way to give the admin token, an open and a closed map, and both dialects.

use std::path::Path;
use std::process::Stdio;

use starkeep_test_http::within_limit;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt as _, BufReader};
use tokio::process::{Child, Command};

use crate::program::{serve_command, start};

const TOKEN: &str = "a-long-secret";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Given {
    Nothing,
    Flag,
    File,
    Variable,
}

const WAYS: [Given; 4] = [Given::Nothing, Given::Flag, Given::File, Given::Variable];

/// A server, and what its start printed.
struct Started {
    _child: Child,
    /// What is to be typed before the commands.
    asks: Option<String>,
    has_heading: bool,
    commands: String,
    addresses: Vec<String>,
}

async fn started(which: &str, given: Given, flags: &[&str], home: &Path) -> Started {
    // A name that has to be quoted.
    let file = home.join("the host's token");
    std::fs::write(&file, format!("{TOKEN}\n")).unwrap();
    let data = home.join(which);
    let mut serve = serve_command(which, &[&["--data-dir", data.to_str().unwrap()], flags].concat());
    match given {
        Given::Nothing => {}
        Given::Flag => _ = serve.args(["--admin-token", TOKEN]),
        // As seen from the directory of the host.
        Given::File => _ = serve.current_dir(home).args(["--admin-token-file", "the host's token"]),
        Given::Variable => _ = serve.env("STARKEEP_ADMIN_TOKEN", TOKEN),
    }
    let mut child = start(&mut serve).await;
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = async || within_limit("a line", lines.next_line()).await.unwrap().unwrap();
    while !next().await.is_empty() {}
    let (mut asks, mut has_heading, mut commands) = (None, false, String::new());
    loop {
        match next().await {
            line if line == "In a browser:" => break,
            line if line == "Try next:" => has_heading = true,
            line if has_heading => commands.extend([&*line, "\n"]),
            line => asks = Some(line.split('`').nth(1).unwrap().to_owned()),
        }
    }
    let mut addresses = Vec::new();
    loop {
        match next().await {
            line if line.starts_with("Stop with") => break,
            line => addresses.push(line.trim().to_owned()),
        }
    }
    Started { _child: child, asks, has_heading, commands, addresses }
}

/// All of it does what it says, in one shell.
async fn assert_works(hints: &Started, given: Given) {
    // Only the answer's status decides.
    let mut script = "set -e\ncurl() { command curl -sS --fail-with-body \"$@\"; echo; }\n".to_owned();
    script.extend(hints.asks.iter().flat_map(|asks| [asks, "\n"]));
    script += &hints.commands;
    script.extend(hints.addresses.iter().map(|address| format!("curl {address} > /dev/null\n")));
    let mut shell = Command::new("sh");
    shell.args(["-c", &script]).env_remove("STARKEEP_ADMIN_TOKEN").kill_on_drop(true);
    if given == Given::Variable {
        shell.env("STARKEEP_ADMIN_TOKEN", TOKEN);
    }
    shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut shell = start(&mut shell).await;
    // What a person types where it is asked for; nobody may ask for it.
    let _ = shell.stdin.take().unwrap().write_all(format!("{TOKEN}\n").as_bytes()).await;
    let ended = within_limit("the hints", shell.wait_with_output()).await.unwrap();
    let said = (String::from_utf8(ended.stdout).unwrap(), String::from_utf8(ended.stderr).unwrap());
    assert!(ended.status.success(), "{given:?}:\n{script}\n{said:?}");
}

#[tokio::test]
async fn every_hint_works_as_it_is_printed() {
    for (which, dialects, commands, addresses) in [
        ("all", ["standard", "msd"].as_slice(), 4, 5),
        ("game", &["standard"], 2, 2),
        ("map", &["standard"], 1, 1),
        ("robot", &["standard"], 0, 1),
        ("trading", &["standard"], 1, 1),
    ] {
        for (dialect, given, is_closed) in combinations(dialects) {
            let home = tempfile::tempdir().unwrap();
            let mut flags = vec!["--dialect", dialect];
            flags.extend(is_closed.then_some("--closed-map"));
            // A game is made with a world.
            let map = match which {
                "game" => Some(started("map", given, &flags, home.path()).await),
                _ => None,
            };
            let map_url = map.as_ref().map(|map| map.addresses[0].trim_end_matches("/docs").to_owned());
            flags.extend(map_url.iter().flat_map(|url| ["--map-url", url]));
            let hints = started(which, given, &flags, home.path()).await;
            let told = format!("{which}, {dialect}, {given:?}, {is_closed}: {}", hints.commands);
            assert_eq!(hints.commands.matches("curl ").count(), commands, "{told}");
            assert_eq!((hints.has_heading, hints.addresses.len()), (commands > 0, addresses), "{told}");
            assert!(!hints.commands.contains(TOKEN), "{told}");
            // Only a flag leaves nothing to read it from.
            let is_asked = given == Given::Flag && hints.commands.contains("$STARKEEP_ADMIN_TOKEN");
            assert_eq!(hints.asks.as_deref(), is_asked.then_some("read -r STARKEEP_ADMIN_TOKEN"), "{told}");
            let is_shown =
                given != Given::Nothing && (["all", "game"].contains(&which) || which == "map" && is_closed);
            assert_eq!(hints.commands.contains("Authorization"), is_shown, "{told}");
            assert_works(&hints, given).await;
        }
    }
}

/// A map is closed to those who have no token.
fn combinations<'a>(dialects: &'a [&'a str]) -> impl Iterator<Item = (&'a str, Given, bool)> {
    let ways = WAYS.into_iter().flat_map(|given| [(given, false), (given, true)]);
    let ways = ways.filter(|way| *way != (Given::Nothing, true));
    dialects
        .iter()
        .flat_map(move |dialect| ways.clone().map(|(given, is_closed)| (*dialect, given, is_closed)))
}
