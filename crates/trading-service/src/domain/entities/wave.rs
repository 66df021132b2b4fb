//! The wave of a game whose calls are not all answered.

use serde::{Deserialize, Serialize};
use starkeep_platform::documents::Entity;
use starkeep_platform::intent::{Intent, IntentId};
use starkeep_platform::replica::ReplicaId;
use starkeep_trading_core::GameId;
use uuid::Uuid;

use crate::domain::forms::StoredWave;
use crate::domain::{Image, Trading};

pub(super) struct OpenWave;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WaveForm {
    id: Uuid,
    owner: Uuid,
    wave: StoredWave,
}

impl Entity for OpenWave {
    type Of = Trading;
    const NAME: &'static str = "wave";
    type Key = (Uuid,);
    type Form = WaveForm;

    fn form(image: &Image, (game,): &(Uuid,)) -> Option<WaveForm> {
        let open = image.open.get(&GameId(*game))?;
        Some(WaveForm { id: open.id.0, owner: open.owner.0, wave: (&open.call).into() })
    }

    fn put(
        image: &mut Image,
        (game,): (Uuid,),
        WaveForm { id, owner, wave }: WaveForm,
    ) -> Result<(), String> {
        let call = wave.read().map_err(|fault| fault.to_string())?;
        if call.game.0 != game {
            return Err(format!("it is a wave of the game {}", call.game));
        }
        image.open.insert(GameId(game), Intent { id: IntentId(id), owner: ReplicaId(owner), call });
        Ok(())
    }
}
