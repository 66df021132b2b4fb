//! The command line: what cannot be is refused with exit code 2 before anything is made, and the help names every flag.
//! Which values a flag takes in detail is tested beside the code that reads it.

use crate::program::{Program, run};
use crate::proxy::Proxy;
use crate::two_services::new_game;

/// Refused, with a text in which all of these words stand, and with no data directory made.
async fn assert_refused(flags: &[&str], words: &[&str]) {
    let home = tempfile::tempdir().unwrap();
    let data = home.path().join("data");
    let serve = ["serve", "--data-dir", data.to_str().unwrap()];
    let listen = ["--game-listen", "127.0.0.1:0", "--map-listen", "127.0.0.1:0"];
    let ended = run(&[&serve, listen.as_slice(), flags].concat()).await;
    assert_eq!(ended.code, Some(2), "{flags:?}: {ended:?}");
    for word in words {
        assert!(ended.stderr.contains(word), "{flags:?} does not mention {word}: {}", ended.stderr);
    }
    assert!(!data.exists(), "{flags:?} left something behind");
}

#[tokio::test]
async fn flags_that_do_not_go_together_are_refused() {
    let msd = ["--dialect", "msd", "--max-running-games", "2"];
    assert_refused(&msd, &["--max-running-games", "--dialect msd"]).await;
    for flag in ["--closed-mining", "--closed-map"] {
        assert_refused(&[flag], &[flag, "--admin-token-file"]).await;
    }
    let both = ["--admin-token", "a", "--admin-token-file", "b"];
    assert_refused(&both, &["--admin-token", "--admin-token-file"]).await;
}

#[tokio::test]
async fn values_that_cannot_be_are_refused_with_a_word_on_what_could() {
    for flag in ["--map-timeout", "--replenish-every", "--batch-gap", "--start-delay", "--status-gap"] {
        for bad in ["5", "soon", "-5s", "1.5s", "5 minutes", ""] {
            assert_refused(&[&format!("{flag}={bad}")], &[flag, "500ms, 60s, 5m, 24h or 30d"]).await;
        }
    }
    assert_refused(&["--map-timeout", "0s"], &["--map-timeout"]).await;
    for flag in ["--start-delay", "--status-gap"] {
        assert_refused(&[flag, "61s"], &[flag, "at most a minute"]).await;
    }
    assert_refused(&["--max-running-games", "0"], &["--max-running-games"]).await;
    assert_refused(&["--dialect", "klingon"], &["standard", "msd"]).await;
    assert_refused(&["--game-listen", "everywhere"], &["--game-listen"]).await;
    assert_refused(&["--admin-token", ""], &["admin token"]).await;
    assert_refused(&["--admin-token", "elevenchars"], &["11 characters", "at least 12", "openssl rand"])
        .await;
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("admin.token");
    let file = file.to_str().unwrap();
    for (text, words) in [
        ("", ["admin.token", "no admin token"]),
        ("\ntoken\n", ["admin.token", "no admin token"]),
        ("short\n", ["5 characters", "at least 12"]),
        ("with blanks in it\n", ["admin.token", "without blanks"]),
    ] {
        std::fs::write(file, text).unwrap();
        assert_refused(&["--admin-token-file", file], &words).await;
    }
    assert_refused(&["--admin-token-file", "/nowhere/at/all"], &["--admin-token-file", "/nowhere/at/all"])
        .await;
    assert_refused(&["--cors-origin", "a\nb"], &["--cors-origin"]).await;
    assert_refused(&["--no-such-flag"], &["--no-such-flag"]).await;
}

#[tokio::test]
async fn the_address_of_a_service_that_is_none_is_refused() {
    for flag in ["--map-url", "--robot-url", "--trading-url"] {
        for url in ["https://127.0.0.1:8081", "127.0.0.1:8081", "ftp://map", "http://map/?a=b"] {
            assert_refused(&[flag, url], &[flag, url, "http://127.0.0.1:8081"]).await;
        }
    }
}

#[tokio::test]
async fn services_are_found_as_the_existing_stack_sets_them() {
    for variable in ["ROBOT_SERVICE", "TRADING_SERVICE", "STARKEEP_ROBOT_URL", "STARKEEP_TRADING_URL"] {
        let home = tempfile::tempdir().unwrap();
        let data = ["--data-dir", home.path().to_str().unwrap()];
        let program = Program::serve_with("game", &data, &[(variable, "http://127.0.0.1:1")]).await;
        let flag = if variable.contains("ROBOT") { "--robot-url" } else { "--trading-url" };
        program.logged(&format!("{flag} http://127.0.0.1:1"), 1).await;
    }
}

/// How often the program warns of services that do not execute once.
async fn warned(dialect: &str, url: &str) -> usize {
    let home = tempfile::tempdir().unwrap();
    let data = ["--data-dir", home.path().to_str().unwrap(), "--dialect", dialect];
    let services = ["--robot-url", url, "--trading-url", url];
    let program = Program::serve("game", &[data, services].concat()).await;
    program.logged("executesOnce", if dialect == "standard" { 2 } else { 0 }).await;
    program.terminate();
    program.ended().await.stderr.matches("executesOnce").count()
}

#[tokio::test]
async fn services_of_the_existing_stack_are_warned_of_in_the_standard_dialect() {
    assert_eq!(warned("standard", "http://127.0.0.1:1").await, 2);
    assert_eq!(warned("msd", "http://127.0.0.1:1").await, 0);
}

#[tokio::test]
async fn the_help_names_every_flag_with_its_variable() {
    let flags = [
        "data-dir",
        "game-listen",
        "map-listen",
        "map-url",
        "map-timeout",
        "robot-url",
        "trading-url",
        "batch-gap",
        "dialect",
        "max-running-games",
        "start-delay",
        "status-gap",
        "largest-order",
        "replenish-every",
        "admin-token",
        "admin-token-file",
        "closed-mining",
        "closed-map",
        "cors-origin",
        "events-keep-age",
        "events-keep-count",
        "log-format",
        "log",
    ];
    let help = run(&["serve", "--help"]).await;
    assert_eq!(help.code, Some(0));
    for flag in flags {
        let variable = format!("STARKEEP_{}", flag.replace('-', "_").to_uppercase());
        assert!(help.stdout.contains(&format!("--{flag}")), "--{flag} is missing:\n{}", help.stdout);
        assert!(
            help.stdout.contains(&format!("[env: {variable}")),
            "{variable} is missing:\n{}",
            help.stdout
        );
    }
    for service in ["all", "game", "map"] {
        assert!(help.stdout.contains(&format!("- {service}:")), "{}", help.stdout);
    }

    let help = run(&["--help"]).await;
    assert_eq!(help.code, Some(0));
    assert!(help.stdout.contains("serve"), "{}", help.stdout);
    let version = run(&["--version"]).await;
    assert_eq!(version.stdout, format!("starkeep {}\n", env!("CARGO_PKG_VERSION")));
}

#[tokio::test]
async fn a_flag_wins_over_its_variable_and_that_over_the_one_of_the_existing_stack() {
    let map_home = tempfile::tempdir().unwrap();
    let map = Program::serve("map", &["--data-dir", map_home.path().to_str().unwrap()]).await;
    let proxy = Proxy::to(map.address("map"));
    let (right, wrong) = (proxy.url(), "http://127.0.0.1:1");
    let cases = [
        (vec!["--map-url", &right], vec![("STARKEEP_MAP_URL", wrong), ("MAP_SERVICE", wrong)]),
        (vec![], vec![("STARKEEP_MAP_URL", right.as_str()), ("MAP_SERVICE", wrong)]),
        (vec![], vec![("MAP_SERVICE", right.as_str())]),
    ];
    for (flags, variables) in cases {
        let home = tempfile::tempdir().unwrap();
        let data = ["--data-dir", home.path().to_str().unwrap()];
        let program = Program::serve_with("game", &[data.as_slice(), &flags].concat(), &variables).await;
        program.game().post("/games", &new_game()).await.expect(201);
    }
}

#[tokio::test]
async fn serve_all_uses_its_own_map_whatever_the_variable_of_the_existing_stack_says() {
    let home = tempfile::tempdir().unwrap();
    let data = ["--data-dir", home.path().to_str().unwrap()];
    let program = Program::serve_with("all", &data, &[("MAP_SERVICE", "http://map:3000")]).await;
    program.game().post("/games", &new_game()).await.expect(201);
    program.logged("MAP_SERVICE is ignored", 1).await;
}
