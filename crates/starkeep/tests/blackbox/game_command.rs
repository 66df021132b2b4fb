//! `starkeep game` against the real services: what a host does with games, how scripts read it, and how it fails.
//! Which game is meant and how tables look is tested beside the code.

use serde_json::Value;

use crate::bot::{join, registered};
use crate::host::Host;
use crate::program::run;

#[tokio::test]
async fn a_host_takes_a_game_from_its_creation_to_its_end() {
    let host = Host::start(&[]).await;
    let id = host.created(&["--rounds", "7", "--players", "2", "--duration", "24h", "--seed", "3"]).await;
    let (_, token) = registered(&host.program.game(), 1).await;
    join(&host.program.game(), &id.as_str().into(), &token).await;

    let status = |game: &Value| (game["gameStatus"].clone(), game["paused"].clone());
    assert_eq!(status(&host.json(&["show"]).await), ("created".into(), false.into()));
    assert_eq!(status(&host.json(&["start", &id[..8]]).await), ("running".into(), false.into()));
    assert_eq!(status(&host.json(&["pause", &id]).await), ("running".into(), true.into()));
    assert_eq!(host.json(&["step"]).await["currentRoundNumber"], 2);
    assert_eq!(host.json(&["patch", "--rounds", "9"]).await["maxRounds"], 9);
    let both = host.game(&["patch", "--duration", "90s", "--pace", "turbo", "--json"]).await;
    let last: Value = serde_json::from_str(both.stdout.lines().last().unwrap()).unwrap();
    assert_eq!((both.stdout.lines().count(), &last["roundLengthInMillis"]), (2, &90_000.into()));
    assert_eq!(last["pace"], "turbo");
    assert_eq!(status(&host.json(&["resume"]).await), ("running".into(), false.into()));
    let scores = host.json(&["scores"]).await;
    assert_eq!((scores.as_array().unwrap().len(), &scores[0]["name"]), (1, &"bot-1".into()));
    // In a pipe nobody is asked.
    assert_eq!(host.json(&["end"]).await["gameStatus"], "ended");

    let listed = host.json(&["list"]).await;
    let shown = host.program.game().get("/games").await.expect(200);
    assert_eq!(listed, shown, "it is the service's answer");
}

#[tokio::test]
async fn json_is_what_the_service_answers_to_the_letter() {
    let host = Host::start(&[]).await;
    let id = host.created(&["--style", "wild"]).await;
    let printed = host.game(&["show", &id, "--json"]).await.stdout;
    let position = |field: &str| printed.find(&format!("\"{field}\"")).unwrap();
    // In the order of the contract, not of the alphabet.
    assert!(position("gameId") < position("gameStatus"), "{printed}");
    assert!(position("roundLengthInMillis") < position("participatingPlayers"), "{printed}");
}

#[tokio::test]
async fn people_get_tables_without_control_characters_in_a_pipe() {
    let host = Host::start(&[]).await;
    let nothing = host.game(&["list"]).await;
    assert!(nothing.stdout.contains("starkeep game create"), "{nothing:?}");
    let created = host.game(&["create", "--players", "2"]).await;
    assert_eq!(created.code, Some(0), "{created:?}");
    assert!(created.stdout.contains("starkeep game start"), "{}", created.stdout);
    for words in [&["list"][..], &["show"], &["scores"], &["start"]] {
        let ended = host.game(words).await;
        assert_eq!(ended.code, Some(0), "{words:?}: {ended:?}");
        assert!(!ended.stdout.contains('\u{1b}'), "{words:?}: {}", ended.stdout);
    }
    let listed = host.game(&["list"]).await.stdout;
    assert!(listed.starts_with("NAME") && listed.contains("running"), "{listed}");
}

#[tokio::test]
async fn a_game_that_is_unknown_or_not_the_only_one_is_asked_for_wrongly() {
    let host = Host::start(&[]).await;
    let none = host.game(&["start"]).await;
    assert_eq!((none.code, none.stderr.contains("no active game")), (Some(2), true), "{none:?}");
    let (first, second) = (host.created(&[]).await, host.created(&[]).await);
    let several = host.game(&["start"]).await;
    assert_eq!(several.code, Some(2), "{several:?}");
    for id in [&first, &second] {
        assert!(several.stderr.contains(&id[28..]), "{}", several.stderr);
    }
    for unknown in ["nonsense", "00000000-0000-4000-8000-000000000000"] {
        let ended = host.game(&["show", unknown]).await;
        assert_eq!((ended.code, ended.stderr.contains("hint: ")), (Some(2), true), "{unknown}: {ended:?}");
    }
    for wrong in
        [&["patch", &first][..], &["create", "--duration", "5"], &["create", "--rounds", "0"], &["fly"]]
    {
        assert_eq!(host.game(wrong).await.code, Some(2), "{wrong:?}");
    }
}

#[tokio::test]
async fn what_the_service_refuses_is_said_in_its_own_words() {
    let host = Host::start(&[]).await;
    let id = host.created(&[]).await;
    let refused = host.game(&["pause", &id]).await;
    let path = format!("/games/{id}/gameCommands/pause");
    let problem = host.program.game().post(&path, &Value::Null).await;
    let detail = problem.body["detail"].as_str().unwrap();
    assert_eq!((refused.code, refused.stderr.contains(detail)), (Some(1), true), "{refused:?}");

    let away = run(&["game", "list", "--game-url", "http://127.0.0.1:1"]).await;
    assert_eq!(away.code, Some(1), "{away:?}");
    assert!(away.stderr.contains("http://127.0.0.1:1") && away.stderr.contains("starkeep serve"), "{away:?}");
    let no_address = run(&["game", "list", "--game-url", "ftp://x"]).await;
    assert_eq!(no_address.code, Some(2), "{no_address:?}");
}

#[tokio::test]
async fn the_admin_token_is_shown_where_one_is_set() {
    let host = Host::start(&["--admin-token", "a-long-secret"]).await;
    let refused = host.game(&["create"]).await;
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(refused.stderr.contains("--admin-token-file"), "{}", refused.stderr);
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "a-long-secret\n").unwrap();
    let path = file.path().to_str().unwrap();
    let variables = [("STARKEEP_ADMIN_TOKEN", "a-long-secret"), ("STARKEEP_ADMIN_TOKEN_FILE", path)];
    for variable in variables {
        assert_eq!(host.game_with(&["create"], &[variable]).await.code, Some(0), "{variable:?}");
    }
    assert_eq!(host.game(&["create", "--admin-token-file", path]).await.code, Some(0));
}

#[tokio::test]
async fn the_help_tells_what_the_exit_codes_mean() {
    let help = run(&["game", "--help"]).await;
    assert_eq!(help.code, Some(0));
    for word in ["Exit codes:", "refused", "unknown or not the only one", "a beginning of it"] {
        assert!(help.stdout.contains(word), "{word}: {}", help.stdout);
    }
    let create = run(&["game", "create", "--help"]).await.stdout;
    for word in ["[default: 20]", "[default: 30s]", "Access:", "Addresses:", "Games:", "Output:"] {
        assert!(create.contains(word), "{word}: {create}");
    }
    assert!(!create.contains("--kafka"), "{create}");
}
