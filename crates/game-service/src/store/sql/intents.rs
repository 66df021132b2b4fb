//! The intents of the game service as rows and back.

use starkeep_platform::intent::Intent;
use starkeep_platform::sql::{
    SqlConnection, SqlFault, Statements, begin_intent, load_intents, remove_intent,
};

use crate::domain::{IntentMove, WorldCall};
use crate::store::changes::WorldCallForm;

pub(super) async fn load(connection: &dyn SqlConnection) -> Result<Vec<Intent<WorldCall>>, SqlFault> {
    let read = |call: &str| {
        let form = serde_json::from_str::<WorldCallForm>(call);
        form.map(Into::into).map_err(SqlFault::unreadable)
    };
    load_intents(connection, read).await
}

pub(super) fn begin(rows: &mut dyn Statements, intent: &Intent<WorldCall>) -> Result<(), SqlFault> {
    let call = serde_json::to_string(&WorldCallForm::from(intent.call)).expect("a call is plain data");
    begin_intent(rows, &Intent { id: intent.id, owner: intent.owner, call })
}

pub(super) fn save(rows: &mut dyn Statements, step: &IntentMove) -> Result<(), SqlFault> {
    match step {
        IntentMove::Begins(intent) => begin(rows, intent),
        IntentMove::Ends(id) => remove_intent(rows, *id),
    }
}
