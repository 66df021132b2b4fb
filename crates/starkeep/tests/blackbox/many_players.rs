//! Thousands of players in one game, each with a command in one round: every one is taken, carried out and accounted for.
//! Time decides nothing here; the host plays the round when all have sent theirs.

use std::collections::BTreeSet;

use futures::{StreamExt, stream};
use serde_json::{Value, json};
use starkeep_contract::command::CommandState;
use starkeep_test_http::Caller;
use uuid::Uuid;

use crate::bot::{final_state, join, registered, transaction};
use crate::executors::{Executors, times};
use crate::program::Program;
use crate::rounds::undisturbed_home;
use crate::scale::scale;
use crate::two_services::{START, path};

/// As many are under way at a time.
const CONNECTIONS: usize = 32;

/// What came of doing it for each, a few at a time; in no order.
async fn each<I, T>(items: impl IntoIterator<Item = I>, what: impl AsyncFn(I) -> T) -> Vec<T> {
    let what = &what;
    stream::iter(items).map(move |item| what(item)).buffer_unordered(CONNECTIONS).collect().await
}

async fn play(service: &Caller, game: &Value, commands: &[&str]) {
    for command in commands {
        service.post(&path(game, command), &Value::Null).await.expect(201);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_of_every_player_is_carried_out_once_however_many_they_are() {
    let (home, executors) = (undisturbed_home(), Executors::start());
    let own = ["--data-dir", home.path().to_str().unwrap()].map(str::to_owned);
    let program = Program::serve("all", &[own.as_slice(), &executors.flags()].concat()).await;
    let service = program.game();
    // Ten thousand in the long run, which is as many as a game may have.
    let players = u32::try_from(1_000 * scale()).unwrap();
    let new = json!({ "maxRounds": 2, "maxPlayers": players, "duration": 86_400_000 });
    let game = service.post("/games", &new).await.expect(201)["gameId"].take();
    let tokens = each(0..players, async |number| {
        let (_, token) = registered(&service, number).await;
        join(&service, &game, &token).await;
        token
    });
    let tokens = tokens.await;
    play(&service, &game, &[START, "/gameCommands/pause"]).await;

    let commands: Vec<Uuid> = each(&tokens, async |token| {
        let purchase = json!({ "itemName": "ROBOT", "itemQuantity": 1 });
        let command =
            json!({ "gameId": game, "playerToken": token, "commandType": "buying", "commandObject": purchase });
        transaction(&service.post("/commands", &command).await.expect(201))
    })
    .await;
    play(&service, &game, &["/gameCommands/step"]).await;

    let carried_out = times(&executors.arrived().await);
    assert!(carried_out.values().all(|times| *times == 1));
    let carried_out: BTreeSet<_> = carried_out.into_keys().collect();
    assert_eq!(carried_out.len(), tokens.len());
    assert_eq!(carried_out, commands.iter().copied().collect());
    let final_states = each(commands, async |command| final_state(&service, command).await).await;
    assert!(final_states.iter().all(|state| *state == CommandState::Dispatched));
}
