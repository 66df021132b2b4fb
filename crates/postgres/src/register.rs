//! The list of replicas: each has a row that it renews. A new one is listed under the lock, if those that run were started with the
//! same flags: two that decide differently would undo each other's work.

use std::collections::BTreeMap;

use starkeep_platform::replica::ReplicaId;
use starkeep_platform::sql::SqlFault;
use starkeep_platform::store::OpenError;

use crate::connect::Connector;
use crate::connection::Session;
use crate::values::Parameter;

/// Those flags by their names, as they were given or as they are by default, that decide what a replica does.
pub type Flags = BTreeMap<&'static str, String>;

const RUNNING: &str = "SELECT flags FROM replica WHERE seen_at > clock_timestamp() - interval '2 s'";
const SEEN: &str = "INSERT INTO replica (id, version, flags, seen_at) VALUES (?1, ?2, ?3, clock_timestamp())
    ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at";

/// Also before anything is committed: whoever is not in the list counts as dead.
pub(crate) async fn register(
    session: &Session,
    connector: &Connector,
    replica: ReplicaId,
    flags: &Flags,
) -> Result<(), OpenError> {
    session.control("BEGIN").await?;
    session.lock(connector.schema()).await?;
    for row in session.rows(RUNNING, Vec::new()).await? {
        let theirs: String = row.get("flags")?;
        let theirs: BTreeMap<String, String> = serde_json::from_str(&theirs)
            .map_err(|fault| SqlFault::unreadable(format_args!("the flags of a replica: {fault}")))?;
        if let Some(difference) = difference(flags, &theirs) {
            return Err(OpenError::OtherFlags(difference));
        }
    }
    show_life(session, replica, flags).await?;
    session.control("COMMIT").await?;
    Ok(())
}

pub(crate) async fn show_life(session: &Session, replica: ReplicaId, flags: &Flags) -> Result<(), SqlFault> {
    let version = Parameter::Text(env!("CARGO_PKG_VERSION").to_owned());
    let flags = serde_json::to_string(flags).unwrap_or_default();
    session.run(SEEN, vec![Parameter::Uuid(replica.0), version, Parameter::Text(flags)]).await.map(drop)
}

/// One that another version does not know makes no difference.
fn difference(mine: &Flags, theirs: &BTreeMap<String, String>) -> Option<String> {
    let differing = mine.iter().filter_map(|(flag, mine)| {
        let theirs = theirs.get(*flag).filter(|theirs| *theirs != mine)?;
        Some(format!("{flag} is `{mine}` here and `{theirs}` there"))
    });
    let differing: Vec<_> = differing.collect();
    (!differing.is_empty()).then(|| differing.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_named_and_what_only_one_version_knows_is_not() {
        let mine = Flags::from([("--dialect", "msd".to_owned()), ("--new", "1".to_owned())]);
        let theirs = |dialect: &str| {
            BTreeMap::from([
                ("--dialect".to_owned(), dialect.to_owned()),
                ("--old".to_owned(), "2".to_owned()),
            ])
        };
        assert_eq!(difference(&mine, &theirs("msd")), None);
        let named = difference(&mine, &theirs("standard"));
        assert_eq!(named.as_deref(), Some("--dialect is `msd` here and `standard` there"));
    }
}
