//! What the start prints to try next works as printed: every command in a POSIX shell, every address in a browser.
//! With each way to give the admin token, an open and a closed map, and both dialects.

use std::path::Path;
use std::process::Stdio;

use starkeep_test_http::within_limit;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt as _, BufReader};
use tokio::process::Command;

use crate::program::{command, start};

const TOKEN: &str = "a-long-secret";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Given {
    Nothing,
    Flag,
    File,
    Variable,
}

/// The commands that the start prints, and the addresses.
async fn printed(given: Given, flags: &[&str], home: &Path) -> (tokio::process::Child, String, Vec<String>) {
    // A name that has to be quoted.
    let file = home.join("the host's token");
    std::fs::write(&file, format!("{TOKEN}\n")).unwrap();
    let mut serve = command();
    serve.args(["serve", "--data-dir", home.join("data").to_str().unwrap()]).args(flags);
    for service in ["game", "map", "robot", "trading"] {
        serve.args([&format!("--{service}-listen"), "127.0.0.1:0"]);
    }
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
    while next().await != "Try next:" {}
    let (mut commands, mut addresses) = (String::new(), Vec::new());
    loop {
        match next().await {
            line if line == "In a browser:" => break,
            line => commands.extend([&*line, "\n"]),
        }
    }
    loop {
        match next().await {
            line if line.starts_with("Stop with") => return (child, commands, addresses),
            line => addresses.push(line.trim().to_owned()),
        }
    }
}

#[tokio::test]
async fn every_hint_works_as_it_is_printed() {
    for dialect in ["standard", "msd"] {
        for given in [Given::Nothing, Given::Flag, Given::File, Given::Variable] {
            let closed: &[bool] = if given == Given::Nothing { &[false] } else { &[false, true] };
            for is_closed in closed {
                let home = tempfile::tempdir().unwrap();
                let closing: &[&str] = if *is_closed { &["--closed-map"] } else { &[] };
                let flags = [&["--dialect", dialect], closing].concat();
                let (_server, commands, addresses) = printed(given, &flags, home.path()).await;
                assert!(!commands.contains(TOKEN), "{commands}");
                assert_eq!(
                    (commands.matches("curl ").count(), addresses.len()),
                    (4, 5),
                    "{commands}{addresses:?}"
                );
                // Only the answer's status decides.
                let mut script =
                    "set -e\ncurl() { command curl -sS --fail-with-body \"$@\"; echo; }\n".to_owned();
                script += &commands;
                script.extend(addresses.iter().map(|address| format!("curl {address} > /dev/null\n")));
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
                let said =
                    (String::from_utf8(ended.stdout).unwrap(), String::from_utf8(ended.stderr).unwrap());
                assert!(ended.status.success(), "{dialect}, {given:?}, {closing:?}:\n{script}\n{said:?}");
            }
        }
    }
}
