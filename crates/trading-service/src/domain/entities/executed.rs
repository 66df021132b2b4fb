//! Commands that were executed, by their transactions: they are not executed again.

use serde::{Deserialize, Serialize};
use starkeep_platform::documents::{DocumentKey as _, Entity, Lookup};
use uuid::Uuid;

use crate::domain::{Image, Trading, Transaction};

/// Finds what was executed in a game, to be removed with it.
pub(super) const OF_GAME: &str = "executed-of-game";

pub(super) struct Executed;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ExecutedForm {
    pub(super) game: Uuid,
}

impl Entity for Executed {
    type Of = Trading;
    const NAME: &'static str = "executed";
    const LOOKUPS: &'static [&'static str] = &[OF_GAME];
    type Key = (Transaction,);
    type Form = ExecutedForm;

    /// Never in the image for longer than a batch.
    fn form(_: &Image, _: &Self::Key) -> Option<ExecutedForm> {
        None
    }

    fn put(image: &mut Image, (transaction,): Self::Key, _: ExecutedForm) -> Result<(), String> {
        image.load_executed(transaction);
        Ok(())
    }

    fn lookups(key: &Self::Key, form: &ExecutedForm) -> Vec<Lookup> {
        vec![Lookup { name: OF_GAME, value: [form.game.as_bytes(), &key.to_bytes()[..]].concat() }]
    }
}
