//! A client that registers players without end, each with an idempotency key until it is answered.

use std::time::Duration;

use serde_json::json;

use crate::records::{Acknowledged, Operation, Records};
use crate::service::Service;

/// A player with its token.
#[derive(Clone)]
pub(crate) struct Player {
    pub(crate) id: String,
    pub(crate) token: String,
}

/// Nothing where the load ends before.
pub(crate) async fn register(game: &Service, records: &Records, name: &str) -> Option<Player> {
    let mail = format!("{name}@selftest.example");
    let answer = game.post_once("/players", name, &json!({ "name": name, "email": mail })).await;
    let Some((201, body)) = answer else {
        records.unknown(Operation::Registration);
        return None;
    };
    let text = |field: &str| body[field].as_str().map(str::to_owned);
    let player = Player { id: text("playerId")?, token: text("bearerToken")? };
    records.journal.note(Acknowledged::Player { name: name.to_owned(), mail, id: player.id.clone() });
    Some(player)
}

pub(crate) async fn register_on_and_on(game: Service, records: Records, pause: Duration) {
    let mut number = 0_u64;
    while game.goes_on() {
        number += 1;
        register(&game, &records, &format!("guest-{number}")).await;
        // They are there to be lost, not to be many.
        game.pause_for(pause).await;
    }
}
