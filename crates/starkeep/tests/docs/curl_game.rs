//! The README's game with curl comes out as it says: what was bought, mined and sold.
//! That its commands succeed is tested with the page.

use serde_json::{Value, json};

use crate::fences::{Commands, commands_of};
use crate::page::run;

/// The block in which the game is played.
fn block() -> String {
    let blocks = commands_of("README.md").into_iter().filter_map(|commands| match commands {
        Commands::Run(text) => Some(text),
        Commands::NotRun { .. } => None,
    });
    blocks.into_iter().find(|text| text.contains("curl")).expect("the game with curl")
}

fn answers(script: &str) -> Vec<Value> {
    let run = run(script);
    let output = String::from_utf8_lossy(&run.stdout).into_owned();
    assert!(run.status.success(), "{output}\n{}", String::from_utf8_lossy(&run.stderr));
    let lines = output.lines().filter(|line| !line.is_empty());
    lines.map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"))).collect()
}

#[test]
fn a_game_is_played_with_curl_as_the_readme_shows() {
    let block = block();
    let commands = block.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).count();
    assert!(commands < 30, "{commands} lines are too many to type");
    assert!(block.contains("http://127.0.0.1:8080"), "the README names the default address");
    // On the same data as often as one likes.
    let answers = answers(&format!("{block}\n{block}"));
    assert_eq!(answers.len() % 2, 0, "{answers:?}");
    for answers in answers.chunks(answers.len() / 2) {
        let [.., sold, ended] = answers else { panic!("{answers:?}") };
        let views: Vec<_> = answers.iter().filter(|answer| answer.get("money").is_some()).collect();
        assert_eq!(views.len(), 2, "{answers:?}");
        assert_eq!((&views[0]["money"], views[0]["robots"].as_array().unwrap().len()), (&json!(100), 1));
        assert_eq!(views[1], sold);
        assert_eq!(sold["money"], 110);
        assert_eq!(sold["robots"][0]["inventory"]["usedStorage"], 0, "what was mined is sold: {sold}");
        assert_eq!((&ended["gameStatus"], &ended["currentRoundNumber"]), (&json!("ended"), &json!(6)));
    }
}

#[test]
fn a_command_that_fails_shows_why() {
    let block = block();
    let functions: Vec<_> = block.lines().take_while(|line| !line.starts_with('#')).collect();
    let script = format!("{}\nask $GAME/games -H \"$JSON\" -d '{{}}'", functions.join("\n"));
    let output = String::from_utf8_lossy(&run(&script).stdout).into_owned();
    assert!(output.contains("maxRounds") && output.contains("detail"), "{output}");
}
