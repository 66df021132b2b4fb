//! Whether what the game service has acknowledged is there: players, games in their states, and who takes part in them.

use serde_json::Value;
use starkeep_http_client::encode_query;

use super::{PATIENCE, Violations};
use crate::records::{Acknowledged, GameChange, Operation};
use crate::service::Service;

pub(super) async fn check_kept(game: &Service, acknowledged: &[Acknowledged], violations: &mut Violations) {
    for entry in acknowledged {
        let found = match entry {
            Acknowledged::Player { name, mail, id } => is_registered(game, name, mail, id).await,
            Acknowledged::GameCreated { game: id } => shows(game, id, |_| true).await,
            Acknowledged::GameChanged { game: id, change: GameChange::Start, .. } => {
                shows(game, id, |shown| shown["gameStatus"] != "created").await
            }
            Acknowledged::GameChanged { game: id, change: GameChange::End, .. } => {
                shows(game, id, |shown| shown["gameStatus"] == "ended").await
            }
            Acknowledged::GameChanged { game: id, change: GameChange::Join { player }, .. } => {
                let times = |shown: &Value| {
                    let players =
                        shown["participatingPlayers"].as_array().map(Vec::as_slice).unwrap_or_default();
                    players.iter().filter(|other| *other == player).count()
                };
                let shown = shown(game, id).await;
                if shown.as_ref().is_some_and(|shown| times(shown) > 1) {
                    violations.doubled(Operation::Join, format!("player {player} is in game {id} twice"));
                }
                shown.is_some_and(|shown| times(&shown) > 0)
            }
            // Their own checks look for these.
            Acknowledged::Command { .. }
            | Acknowledged::Mining { .. }
            | Acknowledged::PlanetRead { .. }
            | Acknowledged::GameRead { .. } => true,
        };
        if !found {
            violations.lost(entry.operation(), format!("acknowledged and not found: {entry:?}"));
        }
    }
}

async fn is_registered(game: &Service, name: &str, mail: &str, id: &str) -> bool {
    let path = format!("/players?name={}&mail={}", encode_query(name), encode_query(mail));
    let answer = game.insist_for(PATIENCE, &path).await;
    answer.is_some_and(|(status, found)| status == 200 && found["playerId"] == id)
}

async fn shows(game: &Service, id: &str, fits: impl Fn(&Value) -> bool) -> bool {
    shown(game, id).await.is_some_and(|shown| fits(&shown))
}

async fn shown(game: &Service, id: &str) -> Option<Value> {
    let answer = game.insist_for(PATIENCE, &format!("/games/{id}")).await;
    answer.filter(|(status, _)| *status == 200).map(|(_, shown)| shown)
}
