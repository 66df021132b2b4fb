//! Loading everything that is kept in memory, as it was at one moment.

use std::sync::Arc;

use starkeep_platform::change_log::Place;
use starkeep_platform::events::Log;
use starkeep_platform::published::Published;
use starkeep_platform::replica::ReplicaId;
use starkeep_platform::sql::{PostgresTables, SqlFault};

use crate::connection::{BEGIN_SNAPSHOT, Session};
use crate::log;
use crate::replica::{Replica, newest};

/// A replica that begins.
pub(crate) async fn first<D: PostgresTables>(
    session: &Session,
    id: ReplicaId,
) -> Result<Replica<D>, SqlFault> {
    let (image, log, place) = load::<D>(session).await?;
    Ok(Replica::new(id, Arc::new(Published::new(image, log)), place))
}

/// A replica that has lost its place. By whoever has the turn.
pub(crate) async fn again<D: PostgresTables>(
    session: &Session,
    replica: &Replica<D>,
) -> Result<(), SqlFault> {
    let (image, log, place) = load::<D>(session).await?;
    replica.published.replace(image, log);
    replica.move_to(place);
    Ok(())
}

async fn load<D: PostgresTables>(session: &Session) -> Result<(D::Image, Log, Place), SqlFault> {
    session.control(BEGIN_SNAPSHOT).await?;
    let loaded = (D::load(session).await?, log::open(session).await?, newest(session).await?);
    session.control("COMMIT").await?;
    Ok(loaded)
}
