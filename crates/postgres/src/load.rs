//! Loading everything that is kept in memory, as it was at one moment.

use std::sync::Arc;

use starkeep_platform::published::Published;
use starkeep_platform::replica::ReplicaId;
use starkeep_platform::sql::{PostgresTables, SqlFault};

use crate::connection::Session;
use crate::fault::sql_fault;
use crate::log;
use crate::replica::{Replica, newest};

const SNAPSHOT: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

/// A replica that begins.
pub(crate) async fn first<D: PostgresTables>(
    session: &Session,
    id: ReplicaId,
) -> Result<Replica<D>, SqlFault> {
    begin(session).await?;
    let image = D::load(session).await?;
    let published = Arc::new(Published::new(image, log::open(session).await?));
    let place = newest(session).await?;
    end(session).await?;
    Ok(Replica::new(id, published, place))
}

/// A replica that has lost its place. By whoever has the turn.
pub(crate) async fn again<D: PostgresTables>(
    session: &Session,
    replica: &Replica<D>,
) -> Result<(), SqlFault> {
    begin(session).await?;
    let image = D::load(session).await?;
    let log = log::open(session).await?;
    let place = newest(session).await?;
    end(session).await?;
    replica.published.replace(image, log);
    replica.move_to(place);
    Ok(())
}

async fn begin(session: &Session) -> Result<(), SqlFault> {
    session.client.batch_execute(SNAPSHOT).await.map_err(|fault| sql_fault(&fault))
}

async fn end(session: &Session) -> Result<(), SqlFault> {
    session.client.batch_execute("COMMIT").await.map_err(|fault| sql_fault(&fault))
}
