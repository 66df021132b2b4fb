//! Which game `starkeep game` means, against the real services: an id, a beginning of it, a name, or nothing.
//! Beginnings that several games have are tested beside the code: ids are drawn at random.

use serde_json::Value;

use crate::host::Host;
use crate::program::run;

/// All that act on one game; those that change it in an order in which they are possible.
const COMMANDS: [&[&str]; 10] = [
    &["show"],
    &["start"],
    &["players"],
    &["scores"],
    &["patch", "--rounds", "9"],
    &["pause"],
    &["step"],
    &["resume"],
    &["patch", "--duration", "25h"],
    &["end"],
];

/// The command with the game that is meant.
fn on<'a>(command: &[&'a str], game: Option<&'a str>) -> Vec<&'a str> {
    let (word, flags) = command.split_at(1);
    [word, game.as_slice(), flags].concat()
}

#[tokio::test]
async fn every_command_takes_an_id_a_part_of_it_a_name_or_nothing() {
    let host = Host::start(&[]).await;
    for (number, way) in ["id", "beginning", "end", "name", "other case", "nothing"].into_iter().enumerate() {
        let name = format!("Lecture {number}");
        let id = host.created(&["--name", &name, "--duration", "24h"]).await;
        let upper = name.to_uppercase();
        let game = match way {
            "id" => Some(id.as_str()),
            "beginning" => Some(&id[..8]),
            "end" => Some(&id[28..]),
            "name" => Some(name.as_str()),
            "other case" => Some(upper.as_str()),
            _ => None,
        };
        for command in COMMANDS {
            let words = on(command, game);
            let ended = host.game(&[words.as_slice(), &["--json"]].concat()).await;
            if command == ["patch", "--duration", "25h"] {
                assert_eq!(ended.code, Some(2), "{words:?}: {ended:?}");
                assert!(ended.stderr.contains("24h"), "the range is named: {}", ended.stderr);
                continue;
            }
            assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""), "{words:?}: {ended:?}");
            let answer: Value = serde_json::from_str(&ended.stdout).unwrap();
            // Lists name no game, and this one has no players.
            assert!(answer["gameId"] == id.as_str() || answer == Value::Array(vec![]), "{answer}");
        }
        assert_eq!(host.json(&["show", &id]).await["gameStatus"], "ended");
    }
}

#[tokio::test]
async fn without_an_active_game_or_with_several_nothing_is_guessed_and_nothing_changes() {
    let host = Host::start(&["--max-running-games", "2"]).await;
    for command in COMMANDS.into_iter().filter(|command| !command.contains(&"25h")) {
        let ended = host.game(command).await;
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(2), ""), "{command:?}: {ended:?}");
        for word in ["there is no active game", "hint: ", "starkeep game create"] {
            assert!(ended.stderr.contains(word), "{command:?}: {}", ended.stderr);
        }
    }
    let ids = [host.created(&["--name", "Lecture"]).await, host.created(&["--name", "lecture"]).await];
    host.json(&["start", &ids[0]]).await;
    let before = host.json(&["list"]).await;
    for command in COMMANDS.into_iter().filter(|command| !command.contains(&"25h")) {
        for game in [None, Some("LECTURE")] {
            let ended = host.game(&on(command, game)).await;
            assert_eq!((ended.code, ended.stdout.as_str()), (Some(2), ""), "{command:?}: {ended:?}");
            for word in
                ["say which one", &ids[0][28..], &ids[1][28..], "running  Lecture", "created  lecture"]
            {
                assert!(ended.stderr.contains(word), "{command:?}: {word}: {}", ended.stderr);
            }
        }
    }
    assert_eq!(host.json(&["list"]).await, before);
    // Ended games do not count.
    host.json(&["end", "Lecture"]).await;
    assert_eq!(host.json(&["show"]).await["gameId"], ids[1].as_str());
    assert_eq!(host.json(&["show", "Lecture"]).await["gameId"], ids[0].as_str());
}

#[tokio::test]
async fn every_command_says_that_nobody_answers_and_what_to_do() {
    let away = ["--game-url", "http://127.0.0.1:1"];
    let others: [&[&str]; 2] = [&["list"], &["create"]];
    for command in COMMANDS.into_iter().chain(others).filter(|command| !command.contains(&"25h")) {
        let ended = run(&[&["game"], command, &away].concat()).await;
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(1), ""), "{command:?}: {ended:?}");
        for word in ["http://127.0.0.1:1 cannot be reached", "hint: ", "starkeep serve", "--game-url"] {
            assert!(ended.stderr.contains(word), "{command:?}: {}", ended.stderr);
        }
    }
}

#[tokio::test]
async fn a_wrong_admin_token_changes_nothing_and_is_not_printed() {
    let host = Host::start(&["--admin-token", "a-long-secret"]).await;
    let wrong = [("STARKEEP_ADMIN_TOKEN", "not-the-long-secret")];
    let right = [("STARKEEP_ADMIN_TOKEN", "a-long-secret")];
    let created = host.game_with(&["create", "--name", "Lecture"], &right).await;
    assert_eq!(created.code, Some(0), "{created:?}");
    let before = host.json(&["list"]).await;
    let changing: [&[&str]; 5] = [&["create"], &["start"], &["patch", "--rounds", "9"], &["pause"], &["end"]];
    for command in changing {
        let ended = host.game_with(command, &wrong).await;
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(1), ""), "{command:?}: {ended:?}");
        assert!(ended.stderr.contains("hint: ") && ended.stderr.contains("--admin-token-file"), "{ended:?}");
        assert!(!ended.stderr.contains("long-secret"), "{ended:?}");
    }
    assert_eq!(host.json(&["list"]).await, before);
}
