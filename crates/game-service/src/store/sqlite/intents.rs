//! The intents of the game service as rows and back.

use rusqlite::types::Type;
use rusqlite::{Connection, Error};
use starkeep_platform::intent::Intent;
use starkeep_platform::sqlite::{begin_intent, load_intents, remove_intent};

use crate::domain::{IntentMove, WorldCall};
use crate::store::changes::WorldCallForm;

pub(super) fn load(connection: &Connection) -> rusqlite::Result<Vec<Intent<WorldCall>>> {
    load_intents(connection, |call| {
        let form = serde_json::from_str::<WorldCallForm>(call);
        form.map(Into::into).map_err(|fault| Error::FromSqlConversionFailure(0, Type::Text, Box::new(fault)))
    })
}

pub(super) fn begin(connection: &Connection, intent: &Intent<WorldCall>) -> rusqlite::Result<()> {
    let call = serde_json::to_string(&WorldCallForm::from(intent.call)).expect("a call is plain data");
    begin_intent(connection, &Intent { id: intent.id, owner: intent.owner, call })
}

pub(super) fn save(connection: &Connection, step: &IntentMove) -> rusqlite::Result<()> {
    match step {
        IntentMove::Begins(intent) => begin(connection, intent),
        IntentMove::Ends(id) => remove_intent(connection, *id),
    }
}
