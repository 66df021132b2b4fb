//! How a replica is among the others: who leads, how many there are, how far it is behind; and a digest of what it has in memory.

use futures::FutureExt as _;
use starkeep_contract::health::{ImageDigest, ReplicaState};
use starkeep_platform::image_digest::digest_of;
use starkeep_platform::sql::{PostgresTables, SqlFault};
use uuid::Uuid;

use crate::connect::Connector;
use crate::connection::Session;
use crate::readers::Readers;
use crate::replica::Replica;

const OTHERS: &str = "SELECT
    (SELECT holder FROM lease WHERE until > clock_timestamp()) AS leader,
    (SELECT count(*) FROM replica WHERE seen_at > clock_timestamp() - interval '2 s') AS replicas,
    (SELECT coalesce(max(number), 0) FROM change_log) AS newest";

struct Others {
    leader: Option<Uuid>,
    replicas: u32,
    newest: u64,
}

/// As far as it can be found out.
pub(crate) async fn of<D: PostgresTables>(replica: &Replica<D>, readers: &Readers) -> ReplicaState {
    let others = readers.ask(|session| others(session).boxed()).await.ok();
    let change = replica.place().number;
    ReplicaState {
        id: replica.id.0,
        leads: replica.lease.current().is_some(),
        leader: others.as_ref().and_then(|others| others.leader),
        replicas: others.as_ref().map(|others| others.replicas),
        change,
        behind: others.map(|others| others.newest.saturating_sub(change)),
    }
}

async fn others(session: &Session) -> Result<Others, SqlFault> {
    let rows = session.rows(OTHERS, Vec::new()).await?;
    let row = rows.first().ok_or_else(|| SqlFault::unreadable("there is no row of the other replicas"))?;
    Ok(Others { leader: row.get("leader")?, replicas: row.get("replicas")?, newest: row.get("newest")? })
}

/// `None` if the image moves for too long.
pub(crate) async fn digest<D: PostgresTables>(
    replica: &Replica<D>,
    connector: &Connector,
) -> Option<ImageDigest> {
    // The image and its number belong together as long as nobody moves them.
    let (image, change) = {
        let _turn = replica.turn(connector).await.ok()?;
        (replica.published.image(), replica.place().number)
    };
    // It takes a while for a large image.
    let digest = tokio::task::spawn_blocking(move || digest_of(&*image)).await.ok()?;
    Some(ImageDigest { change, sha256: digest })
}
