//! What went wrong, in the row code's terms: what the tables refuse is a fault of ours, all else is PostgreSQL's.

use starkeep_platform::sql::SqlFault;
use tokio_postgres::error::SqlState;

pub(crate) fn sql_fault(fault: &tokio_postgres::Error) -> SqlFault {
    match fault.as_db_error() {
        Some(refusal) if is_refusal(refusal.code()) => {
            SqlFault::Constraint(format!("{} ({})", refusal.message(), refusal.code().code()))
        }
        Some(refusal) if *refusal.code() == SqlState::DISK_FULL => {
            SqlFault::DiskFull(refusal.message().to_owned())
        }
        Some(refusal) => SqlFault::Unavailable(format!("{} ({})", refusal.message(), refusal.code().code())),
        None => SqlFault::Unavailable(starkeep_platform::error_chain::error_chain(fault)),
    }
}

/// Class 22: a value that no column takes, or a division by zero, which says that not exactly one row was changed (see
/// `pipeline`). Class 23: a constraint.
fn is_refusal(code: &SqlState) -> bool {
    code.code().starts_with("22") || code.code().starts_with("23")
}
