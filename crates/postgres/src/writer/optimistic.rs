//! Optimistic batches, in one round trip, of a replica that is alone: decided on what the replica has in memory. The entry in the
//! change log is refused unless nobody else has committed anything and the lease is as it was. Where it is refused nothing was
//! changed, and the batch is written under the lock, as all others are.

use starkeep_platform::batch;
use starkeep_platform::decision::{Job, StoreFault};
use starkeep_platform::sql::{PostgresTables, SqlFault};

use super::begun::Wanted;
use super::{Entry, Writer};
use crate::connection::{BEGIN, LOCK, Session};
use crate::pipeline::{CommitFault, Pipeline};
use crate::values::Parameter;

/// Refused, because `batch` would be NULL, unless the batch before is the newest one and the lease is as it was. A newer batch has
/// the number already, which is refused as well.
const LOG_CHANGES_IF_ALONE: &str = "INSERT INTO change_log (number, batch, writer, changes, last_event) VALUES (?1::bigint,
         (SELECT ?2::uuid FROM lease, change_log AS before
          WHERE before.number = ?1 - 1 AND before.batch = ?6 AND epoch = ?7 AND holder IS NOT DISTINCT FROM ?8::uuid),
         ?3, ?4, ?5)";

impl<D: PostgresTables> Writer<D> {
    /// Where others write, too, it would fail most of the time; and what is wanted has to be asked for. A batch that is smaller than
    /// the one before takes two round trips: clients that were just answered ask again during the first, and come along.
    pub(super) fn may_write_optimistically(&self, wanted: &Wanted<D>, jobs: usize) -> bool {
        wanted.is_nothing()
            && jobs >= self.last_batch
            && !self.in_transaction
            && self.leading.is_some()
            && self.replica.living.is_alone()
            && self.session.as_ref().is_some_and(Session::is_open)
    }

    /// `None` if it has to be written in the usual way: nothing was changed, or there is nothing to write. That something is
    /// refused may be due to what others have done, so it is found out in the usual way as well.
    pub(super) async fn write_optimistically(
        &mut self,
        jobs: &mut [Box<dyn Job<D>>],
    ) -> Option<Result<(), StoreFault>> {
        let (epoch, holder) = self.leading?;
        let lease = Some(epoch).filter(|_| holder == Some(self.replica.id.0));
        let image = D::Image::clone(&self.replica.published.image());
        let writes = batch::decide(image, jobs, lease)?;
        let mut pipeline = Pipeline::default();
        pipeline.push(BEGIN, Vec::new());
        pipeline.push(LOCK, vec![Parameter::Text(self.connector.schema().to_owned())]);
        let Entry { place, mut values } = self.save(&mut pipeline, &writes).ok()?;
        values.push(Parameter::Uuid(self.replica.place().batch));
        values.push(Parameter::Integer(epoch.0.cast_signed()));
        values.push(holder.map_or(Parameter::Null, Parameter::Uuid));
        pipeline.push(LOG_CHANGES_IF_ALONE, values);
        // Whatever comes of it: the next transaction rolls it back first.
        self.in_transaction = true;
        let connector = self.connector.clone();
        let session = self.session.as_ref()?;
        match connector.in_time(pipeline.commit(session)).await {
            Ok(()) => {
                self.committed(writes, place);
                Some(Ok(()))
            }
            // Somebody else was there.
            Err(CommitFault::Before(SqlFault::Constraint(_))) => None,
            Err(CommitFault::Before(fault)) => Some(Err(self.failed(&fault))),
            Err(CommitFault::Unanswered(fault)) => Some(self.find_out(place, &fault).await),
        }
    }
}
