//! Whether every receipt is true: what was dispatched has one result, what was not has none; and no command was taken after the
//! end of its round's collection had been told.

use std::collections::BTreeMap;

use serde_json::Value;
use uuid::Uuid;

use super::{PATIENCE, Violations};
use crate::load::Read;
use crate::records::{Acknowledged, Operation};
use crate::service::Service;

/// Channels in which the robot and trading services tell what came of a command.
const RESULTS: [&str; 5] = ["movement", "mining", "regeneration", "fighting", "trades"];

/// How many results each command has, by the logs of the services that carry commands out.
#[derive(Default)]
pub(super) struct Results(BTreeMap<Uuid, u32>);

impl Results {
    pub(super) fn follow(&mut self, events: &[Value], violations: &mut Violations) {
        for event in events {
            if !event["channel"].as_str().is_some_and(|channel| RESULTS.contains(&channel)) {
                continue;
            }
            let id = event["headers"]["transactionId"].as_str().and_then(|id| Uuid::try_parse(id).ok());
            let Some(id) = id else { continue };
            let results = self.0.entry(id).or_default();
            *results += 1;
            if *results > 1 {
                violations.doubled(Operation::Command, format!("command {id} was executed {results} times"));
            }
        }
    }

    /// When all games are over.
    pub(super) async fn check_receipts(
        &self,
        game: &Service,
        acknowledged: &[Acknowledged],
        violations: &mut Violations,
    ) {
        for entry in acknowledged {
            let Acknowledged::Command { id, .. } = entry else { continue };
            let answer = settled_receipt(game, *id).await;
            let Some((200, receipt)) = answer else {
                let sentence = format!("command {id} was acknowledged and has no receipt: {answer:?}");
                violations.lost(Operation::Command, sentence);
                continue;
            };
            let results = self.0.get(id).copied().unwrap_or(0);
            let state = receipt["state"].as_str().unwrap_or_default();
            let fits = match state {
                "dispatched" => results == 1,
                "undelivered" | "dropped" | "replaced" => results == 0,
                "unknown" => results <= 1,
                _ => false,
            };
            if !fits && results == 0 {
                violations.lost(Operation::Command, format!("command {id} is {state} and has no result"));
            } else if !fits {
                violations.add(format!("command {id} is {state} and has {results} results"));
            }
        }
    }
}

/// The answer to a batch that is under way when its game is ended is waited for: until then its commands are pending.
async fn settled_receipt(game: &Service, id: Uuid) -> Option<(u16, Value)> {
    let over = game.clock.monotonic().after(PATIENCE);
    loop {
        let answer = game.insist_for(PATIENCE, &format!("/commands/{id}")).await;
        let is_pending = answer.as_ref().is_some_and(|(_, receipt)| receipt["state"] == "pending");
        if !is_pending || game.clock.monotonic() >= over {
            return answer;
        }
        game.pause().await;
    }
}

/// Who had been told that a round's collection was over, and sent a command afterwards, is not in that round.
pub(super) fn check_rounds(acknowledged: &[Acknowledged], read: &Read, violations: &mut Violations) {
    for entry in acknowledged {
        let Acknowledged::Command { id, game, round, invoked } = entry else { continue };
        let ended = Uuid::try_parse(game).ok().and_then(|game| read.input_ended.get(&(game, *round)));
        if ended.is_some_and(|ended| ended < invoked) {
            violations
                .add(format!("command {id} was taken for round {round} after its collection had ended"));
        }
    }
}
