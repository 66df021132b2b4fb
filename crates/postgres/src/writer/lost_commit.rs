//! A COMMIT whose answer was lost: whether the batch is in the change log says whether it came about.

use std::time::Duration;

use starkeep_platform::change_log::Place;
use starkeep_platform::decision::StoreFault;
use starkeep_platform::sql::{PostgresTables, SqlFault};

use super::Writer;
use super::begun::Wanted;
use crate::values::Parameter;

/// After so long the client is told that it is not known.
const PATIENCE: Duration = Duration::from_secs(5);
const RETRY_DELAY: Duration = Duration::from_millis(100);

impl<D: PostgresTables> Writer<D> {
    /// Takes the lock: then the transaction before is over, and what it wrote is visible or never will be.
    pub(super) async fn find_out(&mut self, place: Place, lost: &SqlFault) -> Result<(), StoreFault> {
        tracing::warn!(%lost, batch = place.number, "the answer to a COMMIT was lost; finding out what became of it");
        let deadline = self.connector.after(PATIENCE);
        loop {
            (self.session, self.in_transaction) = (None, false);
            match self.is_committed(place).await {
                Ok(true) => return Ok(()),
                Ok(false) => {
                    let fault = format!("the batch was not committed: {lost}");
                    self.status.record(Some(fault.clone()));
                    return Err(StoreFault::Unavailable(fault));
                }
                Err(fault) => {
                    self.turn_away(Vec::new(), &fault);
                    if self.connector.is_past(deadline) {
                        return Err(StoreFault::Unknown(lost.to_string()));
                    }
                    self.connector.pause(RETRY_DELAY).await;
                }
            }
        }
    }

    /// The image has caught up with the batch where it was committed.
    async fn is_committed(&mut self, place: Place) -> Result<bool, SqlFault> {
        self.begin(Wanted::nothing()).await?;
        let session = self.session()?;
        let values = vec![Parameter::Integer(place.number.cast_signed()), Parameter::Uuid(place.batch)];
        let asked = async {
            let found =
                session.rows("SELECT 1 FROM change_log WHERE number = ?1 AND batch = ?2", values).await?;
            session.control("ROLLBACK").await?;
            Ok::<_, SqlFault>(!found.is_empty())
        };
        let is_committed = self.connector.in_time(asked).await?;
        self.in_transaction = false;
        Ok(is_committed)
    }
}
