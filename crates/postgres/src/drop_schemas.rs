//! Removes schemas with all that is in them: for who made them for a while, such as the self-test.

use std::sync::Arc;

use starkeep_clock::Clock;

use crate::connect::{Connector, Purpose};
use crate::url::DatabaseUrl;

/// How its session is called in `pg_stat_activity`.
const NAME: &str = "starkeep_removal";

/// Those that do not exist are none to remove. The names are lower-case letters, digits and underscores.
pub async fn drop_schemas(url: DatabaseUrl, schemas: &[String], clock: Arc<dyn Clock>) -> Result<(), String> {
    let connector = Connector::new(url, NAME.to_owned(), clock)?;
    let session = connector.open(Purpose::Preparing).await.map_err(|fault| fault.to_string())?;
    for schema in schemas {
        let dropped = session.control(&format!("DROP SCHEMA IF EXISTS {schema} CASCADE")).await;
        dropped.map_err(|fault| fault.to_string())?;
    }
    Ok(())
}
