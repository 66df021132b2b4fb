//! Intents in the serialised form of changes. What is called has the same form in the table of intents.

use serde::{Deserialize, Serialize};
use starkeep_game_core::{GameId, WorldId};
use starkeep_platform::intent::{Intent, IntentId};
use starkeep_platform::replica::ReplicaId;
use uuid::Uuid;

use crate::domain::WorldCall;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct IntentForm {
    id: Uuid,
    owner: Uuid,
    call: WorldCallForm,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(in crate::store) enum WorldCallForm {
    Create(Uuid),
    Start(Uuid),
    Replenish { game: Uuid, world: Uuid, round: u32 },
}

impl From<&Intent<WorldCall>> for IntentForm {
    fn from(Intent { id, owner, call }: &Intent<WorldCall>) -> Self {
        Self { id: id.0, owner: owner.0, call: (*call).into() }
    }
}

impl From<IntentForm> for Intent<WorldCall> {
    fn from(IntentForm { id, owner, call }: IntentForm) -> Self {
        Self { id: IntentId(id), owner: ReplicaId(owner), call: call.into() }
    }
}

impl From<WorldCall> for WorldCallForm {
    fn from(call: WorldCall) -> Self {
        match call {
            WorldCall::Create(game) => Self::Create(game.0),
            WorldCall::Start(game) => Self::Start(game.0),
            WorldCall::Replenish { game, world, round } => {
                Self::Replenish { game: game.0, world: world.0, round }
            }
        }
    }
}

impl From<WorldCallForm> for WorldCall {
    fn from(form: WorldCallForm) -> Self {
        match form {
            WorldCallForm::Create(game) => Self::Create(GameId(game)),
            WorldCallForm::Start(game) => Self::Start(GameId(game)),
            WorldCallForm::Replenish { game, world, round } => {
                Self::Replenish { game: GameId(game), world: WorldId(world), round }
            }
        }
    }
}
