//! The places that are read and filled: data directories and databases, as the flags name them.
//! What cannot be used is refused here, with what to do about it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use starkeep_platform::clock::Clock;
use starkeep_platform::data_dir::{DataDir, DataDirError, FillingDataDir};
use starkeep_platform::sql::transfer::{CarriedService, CarryFault, InstallationReader, InstallationWriter};
use starkeep_platform::sqlite::{SqliteCut, SqliteFiller};

use crate::args::{SCHEMA_PREFIX, TargetArgs};
use crate::failure::CommandError;
use crate::features::Database;
use crate::serve::{ServicePlace, service_places};

/// Files of these directories, as they were at one instant; and where they are, for a person.
pub(super) fn open_files(
    directories: &[PathBuf],
    clock: &dyn Clock,
) -> Result<(SqliteCut, String), CommandError> {
    let files = files_in(directories)?;
    for directory in directories {
        DataDir::refuse_unfinished(directory).map_err(unusable)?;
    }
    let cut = SqliteCut::take(files, clock).map_err(carry_failed)?;
    let names: Vec<_> = directories.iter().map(|directory| directory.display().to_string()).collect();
    Ok((cut, names.join(", ")))
}

/// The same where no process uses the directories, nor may from now on.
pub(super) fn open_files_locked(
    directories: &[PathBuf],
    clock: &dyn Clock,
) -> Result<(SqliteCut, String, Vec<DataDir>), CommandError> {
    // First, because a lock makes a directory that is missing.
    files_in(directories)?;
    let locks = directories.iter().map(|directory| DataDir::open(directory));
    let locks = locks.collect::<Result<Vec<_>, _>>().map_err(|fault| match fault {
        DataDirError::Held { .. } => {
            CommandError::Asked(format!("{fault}\nhint: `starkeep backup` copies it while it runs"))
        }
        fault => unusable(fault),
    })?;
    let (cut, place) = open_files(directories, clock)?;
    Ok((cut, place, locks))
}

/// Of all services that have one; of each service one at most.
fn files_in(directories: &[PathBuf]) -> Result<Vec<(CarriedService, PathBuf)>, CommandError> {
    let mut files = Vec::new();
    for ServicePlace { service, file, .. } in service_places() {
        let found: Vec<_> =
            directories.iter().map(|directory| directory.join(file)).filter(|path| path.exists()).collect();
        match &*found {
            [] => {}
            [path] => files.push((service, path.clone())),
            [one, other, ..] => {
                let (one, other) = (one.display(), other.display());
                let text =
                    format!("{one} and {other} are both of the {} service: name one of them", service.name);
                return Err(CommandError::Asked(text));
            }
        }
    }
    for directory in directories {
        if !files.iter().any(|(_, path)| path.starts_with(directory)) {
            let text =
                format!("there is no installation in {}; choose one with --data-dir", directory.display());
            return Err(CommandError::Asked(text));
        }
    }
    Ok(files)
}

/// All services in a database; and where it is, for a person.
pub(super) async fn open_database(
    url: &str,
    clock: Arc<dyn Clock>,
) -> Result<(Box<dyn InstallationReader>, String), CommandError> {
    let database = Database::parse(url).map_err(CommandError::Asked)?;
    let place = database.place();
    match database.reader(clock, &schemas()).await.map_err(carry_failed)? {
        Some(reader) => Ok((reader, place)),
        None => Err(CommandError::Asked(format!(
            "there is no installation in {place}; choose another --database-url"
        ))),
    }
}

/// Of all services.
fn schemas() -> Vec<(CarriedService, String)> {
    service_places().into_iter().map(|place| (place.service, place.schema(SCHEMA_PREFIX))).collect()
}

/// An empty place that is to be filled.
pub(super) struct Target {
    pub(super) writer: Box<dyn InstallationWriter>,
    /// For a person.
    pub(super) place: String,
}

impl Target {
    pub(super) async fn open(args: &TargetArgs, clock: Arc<dyn Clock>) -> Result<Self, CommandError> {
        match &args.database_url {
            None => Self::open_directory(&args.data_dir()),
            Some(url) => Self::open_database(url, clock).await,
        }
    }

    fn open_directory(path: &Path) -> Result<Self, CommandError> {
        let data_dir = FillingDataDir::begin(path).map_err(unusable)?;
        let files = service_places().into_iter().map(|place| (place.service.name, place.file));
        let writer = Box::new(SqliteFiller::new(data_dir, files.collect()));
        Ok(Self { writer, place: path.display().to_string() })
    }

    async fn open_database(url: &str, clock: Arc<dyn Clock>) -> Result<Self, CommandError> {
        let database = Database::parse(url).map_err(CommandError::Asked)?;
        let place = database.place();
        let writer = database.writer(clock, &schemas()).await.map_err(carry_failed)?;
        Ok(Self { writer, place })
    }
}

#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
fn unusable(fault: DataDirError) -> CommandError {
    CommandError::Asked(fault.to_string())
}

fn carry_failed(fault: CarryFault) -> CommandError {
    match fault {
        CarryFault::Refused(text) => CommandError::Asked(text),
        fault => CommandError::Stopped(fault.to_string()),
    }
}
